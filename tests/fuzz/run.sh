#!/bin/sh
# run.sh [SECONDS [FUZZER...]]: builds the fuzzers (make fuzz) and runs each of them, or those that are named, for so many seconds (default 60). The corpus is
# copied first, so the repository stays as it is; what a fuzzer adds to the copy is where its next run begins. A finding stays in build/fuzz/runs, and is told.
set -eu
seconds=${1:-60}
[ $# -eq 0 ] || shift
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
runs=$root/build/fuzz/runs
known=$(cd "$here" && ls fuzz_*.c | sed 's/\.c$//')
[ $# -gt 0 ] || set -- $known
case $seconds in '' | *[!0-9]* | 0) echo "run.sh: $seconds: expected a number of seconds, then names of fuzzers" >&2 && exit 2 ;; esac
for name in "$@"; do
    if [ ! -e "$here/$name.c" ]; then
        echo "run.sh: there is no fuzzer '$name'; there are:" $known >&2
        exit 2
    fi
done
make -C "$root" fuzz
status=0
for name in "$@"; do
    mkdir -p "$runs/$name"
    [ ! -d "$here/corpus/$name" ] || cp "$here/corpus/$name"/* "$runs/$name/"
    [ "$name" != fuzz_scene ] || cp "$root"/scenes/*.json "$runs/$name/"
    # libhdf5 itself loses memory on damaged files: the fuzzers count the memory of Cairn by themselves.
    case $name in fuzz_fclib_* | fuzz_recording*) leaks=0 ;; *) leaks=1 ;; esac
    [ "$name" = fuzz_world ] && patience=200 || patience=20 # seconds an input may take: a whole world, on a busy machine
    (cd "$runs" && ASAN_OPTIONS=detect_leaks=$leaks:allocator_may_return_null=1 nice ../fuzz/"$name" -max_total_time="$seconds" \
        -max_len=65536 -timeout="$patience" -rss_limit_mb=4096 -malloc_limit_mb=0 -print_final_stats=1 -artifact_prefix="$name-" \
        "$name") >"$runs/$name.log" 2>&1 || {
        status=1
        echo "$name: a finding, see $runs/$name.log"
    }
    echo "$name: $seconds s, $(sed -n 's/^stat::number_of_executed_units: //p' "$runs/$name.log") executions"
    grep -E 'ERROR|SUMMARY' "$runs/$name.log" || true
done
exit $status
