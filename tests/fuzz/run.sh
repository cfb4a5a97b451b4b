#!/bin/sh
# run.sh [seconds [name]]: builds the fuzzers with clang and runs each (or that one, as fuzz_world) for so many seconds (default 60; 0: without end). The corpus is copied
# first, so the repository stays as it is. A finding stays in the build directory, which is printed.
set -eu
seconds=${1:-60}
only=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${FUZZ_BUILD:-$(mktemp -d)}
flags="-std=c17 -O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=all -DCAIRN_STATIC -I$root/include"
hdf5=$(pkg-config --cflags hdf5 2>/dev/null || echo -I/usr/include/hdf5/serial)
libs="$(pkg-config --libs hdf5 2>/dev/null || echo -lhdf5_serial) -lamd -lsuitesparseconfig -lz -lpthread -lm"
amd=-I/usr/include/suitesparse
echo "building in $build"
mkdir -p "$build/objects"
find "$root/src" -name '*.c' ! -path '*/cli/*' | sort | while read -r source; do
    object=$build/objects/$(echo "${source#"$root/"}" | tr / _).o
    # shellcheck disable=SC2086
    clang $flags $hdf5 $amd -fsanitize=fuzzer-no-link,address,undefined -c "$source" -o "$object"
done
# An archive: only what a fuzzer needs is linked.
rm -f "$build/library.a"
ar rcs "$build/library.a" "$build"/objects/*.o
status=0
for source in "$here"/fuzz_*.c; do
    name=$(basename "$source" .c)
    [ -z "$only" ] || [ "$name" = "$only" ] || continue
    parts=
    [ "$name" != fuzz_world ] || parts=$(ls "$root"/tests/random_*.c | grep -v random_campaign)
    # shellcheck disable=SC2086
    clang $flags $hdf5 -fsanitize=fuzzer,address,undefined "$source" $parts "$build/library.a" -o "$build/$name" $libs
    mkdir -p "$build/corpus/$name"
    cp "$here/corpus/$name"/* "$build/corpus/$name/"
    [ "$name" != fuzz_scene ] || cp "$root"/scenes/*.json "$build/corpus/$name/"
    # libhdf5 itself loses memory on damaged files: the fuzzers count the memory of Cairn by themselves.
    leaks=1
    [ "$name" = fuzz_siconos_text ] || [ "$name" = fuzz_scene ] || [ "$name" = fuzz_surface ] || [ "$name" = fuzz_msh ] || [ "$name" = fuzz_checkpoint ] || leaks=0
    echo "$name: $seconds s"
    (cd "$build" && ASAN_OPTIONS=detect_leaks=$leaks:allocator_may_return_null=1 nice "./$name" -max_total_time="$seconds" \
        -max_len=65536 -timeout=20 -rss_limit_mb=4096 -malloc_limit_mb=0 -print_final_stats=1 -artifact_prefix="$name-" \
        "corpus/$name") > "$build/$name.log" 2>&1 || {
        status=1
        echo "$name: a finding, see $build/$name.log"
    }
    grep -E 'stat::number_of_executed_units|ERROR|SUMMARY' "$build/$name.log" || true
done
exit $status
