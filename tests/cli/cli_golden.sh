#!/usr/bin/env bash
# Files byte for byte: recordings, exports, plots, replay pages, --json of runs, solves and checks, as hashes in tests/golden. CAIRN_STILL is a library that makes clocks stand still;
# CAIRN_GOLDEN_RENEW set writes the hashes anew. Bits depend on the build: where the first line of the table names another one nothing is compared.
set -u
. "$(dirname "$0")/cli_common.inc"
here=$(cd "$(dirname "$0")" && pwd)
still=${CAIRN_STILL:?the library of still_clock.c}
build=${CAIRN_BUILD:?kind of build, compiler}
libc=$(getconf GNU_LIBC_VERSION 2>/dev/null || echo unknown)
level=x86-64
grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo && level=x86-64-v3
[ "$(uname -m)" = x86_64 ] || level=$(uname -m)
table=$here/../golden/$level-files.txt
head="# $build, C library ${libc#glibc }"
cd "$place"

still() { # like run, with the clock held
    code=0
    LD_PRELOAD=$still "$CAIRN" "$@" >out 2>err </dev/null || code=$?
}

# One hash a file or folder of `made`, under the name $1.
hash_made() {
    for entry in made/*; do
        echo "$(find "$entry" -type f | LC_ALL=C sort | xargs cat | sha256sum | cut -d' ' -f1)  $1 ${entry#made/}" >>hashes
    done
}

# All files of a run of scene $1 until $2, and the words of the program.
files_of() {
    rm -rf made && mkdir made
    still run "$1" --until "$2" --threads 2 --out made/run.h5 --html made/run.html --json
    [ $code -eq 0 ] && pass || fail "run $1: exit code $code"
    cp out made/run.jsonl
    still run "$1" --until "$2"
    cp out made/run.txt
    still export made/run.h5 --to csv --out made/csv
    still export made/run.h5 --to pvd --out made/run.pvd
    still export made/run.h5 --to vtkhdf --out made/run.vtkhdf
    still export made/run.h5 --to gltf --out made/run.glb
    for what in energy certificate contacts; do
        still plot made/run.h5 --what $what --out made/$what.svg
    done
    hash_made "$1"
}

: >hashes
for scene in "arch 0.2" "brick 0.5" "chain 0.2" "dominoes 0.5" "egg 0.05" "granular 0.1" "gripper 0.3" "press 0.05" "robot 0.2"; do
    files_of $scene
done
for sample in "cairn stones=30" "wall" "chain" "spheres"; do
    rm -rf made && mkdir made
    name=${sample%% *}
    still generate $sample --out made/problem.hdf5
    still solve made/problem.hdf5 --out made/answer.hdf5 --json
    cp out made/solve.jsonl
    still check made/answer.hdf5 --json
    cp out made/check.jsonl
    still info made/problem.hdf5
    cp out made/info.txt
    hash_made "sample $name"
done
[ "$(wc -l <hashes)" -gt 90 ] && pass || fail "only $(wc -l <hashes) files"

if [ -n "${CAIRN_GOLDEN_RENEW:-}" ]; then
    { echo "$head"; cat hashes; } >"$table"
    echo "$(wc -l <hashes) hashes, written"
elif [ "$(sed -n 1p "$table" 2>/dev/null)" != "$head" ]; then
    echo "skipped: hashes are of another build: $(sed -n 1p "$table" 2>/dev/null), this is: $head"
    exit 77
elif sed 1d "$table" | diff - hashes >different; then
    pass
    echo "$(wc -l <hashes) hashes, compared"
else
    sed -n 's/^[<>] [0-9a-f]*  /other bytes: /p' different | sort -u
    fail "files have other bytes"
fi
finish
