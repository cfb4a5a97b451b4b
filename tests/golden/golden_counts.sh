#!/usr/bin/env bash
# Instruction counts of eight runs, compared with tests/golden: golden_counts.sh PROGRAM KIND_OF_BUILD [--renew] [run ...].
# A run fails that needs over 3 % more instructions than were kept; one that needs over 3 % fewer is listed: renew it then.
# Counts are callgrind's, of the program in one thread and user space. They depend on the compiler, the C library and the
# instruction set: where the first line of the table names another build, nothing is compared (exit 77).
set -u
program=$(realpath "${1:?usage: golden_counts.sh PROGRAM KIND_OF_BUILD [--renew] [run ...]}") || exit 2
kind=${2:?kind of build, compiler}
shift 2
renew=
[ "${1:-}" = --renew ] && renew=yes && shift
chosen=" $* "
tolerance=3 # per cent
here=$(cd "$(dirname "$0")" && pwd)
command -v valgrind >/dev/null || { echo "skipped: valgrind is not installed"; exit 77; }

level=x86-64
grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo && level=x86-64-v3
[ "$(uname -m)" = x86_64 ] || level=$(uname -m)
table=$here/$level-counts.txt
libc=$(getconf GNU_LIBC_VERSION 2>/dev/null || echo unknown)
head="# $kind, C library ${libc#glibc }"
if [ -z "$renew" ] && [ "$(sed -n 1p "$table" 2>/dev/null)" != "$head" ]; then
    echo "skipped: counts are of another build: $(sed -n 1p "$table" 2>/dev/null), this is: $head"
    exit 77
fi
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
cd "$place" || exit 1

# count NAME ARGUMENT...: one line "instructions NAME" in the file `counts`.
count() {
    local name=$1 sum
    shift
    [ -n "${chosen// /}" ] && [[ $chosen != *" $name "* ]] && return
    env -i valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$@" >out 2>err </dev/null ||
        { echo "$name: exit code $?:"; tail -n 5 err; exit 1; }
    sum=$(sed -n 's/.*Collected : \([0-9]*\).*/\1/p' err)
    [ -n "$sum" ] || { echo "$name: callgrind counted nothing:"; tail -n 5 err; exit 1; }
    echo "$sum $name" >>counts
}

make_input() { # once: a heap of stones as a problem, a short recording
    "$program" generate cairn stones=40 --out heap.hdf5 >/dev/null && "$program" run dominoes --until 0.2 --out run.h5 >/dev/null
}

: >counts
make_input || { echo "the inputs cannot be made"; exit 1; }
count wall run wall --set walls=1 --set rows=12 --set columns=12 --until 0.06
count granular run granular --until 0.02
count dominoes run dominoes --until 0.1
count robot run robot --until 0.2
count egg run egg --until 0.005
count bars-soft run bars-soft --until 0.05
count solve solve heap.hdf5 --tol 1e-8
count view view run.h5 --out page.html
[ -s counts ] || { echo "no such run:$chosen"; exit 2; }

if [ -n "$renew" ]; then
    { echo "$head"; cat counts; } >"$table"
    echo "$(wc -l <counts) counts, written"
    exit 0
fi
awk -v tolerance=$tolerance '
    NR == FNR { if (FNR > 1) kept[$2] = $1; next }
    !($2 in kept) { printf "%-10s %12d  not in the table\n", $2, $1; faults++; next }
    {
        change = 100 * ($1 / kept[$2] - 1)
        word = change > tolerance ? "GREW" : change < -tolerance ? "fewer: renew the table" : ""
        if (change > tolerance) faults++
        printf "%-10s %12d  was %12d  %+7.2f %%  %s\n", $2, $1, kept[$2], change, word
    }
    END { printf "%d counts compared, %d grew by more than %d %%\n", FNR, faults, tolerance; exit faults > 0 }
' "$table" counts
