#!/bin/sh
# run.sh [SECONDS [FUZZER...]]: builds the fuzzers (make fuzz) and runs each of them, or those that are named, for so many seconds (default 60). The corpus is
# copied first, so the repository stays as it is; what a fuzzer adds to the copy is where its next run begins. A finding stays in build/fuzz/runs, and is told.
#
# Each run adds a line to ledger.csv beside this script: date, commit ("+": with changes that are not in it), fuzzer, seconds of processor time, executions,
# findings (0 or 1: a fuzzer ends with its first). A run that was interrupted adds nothing.
# run.sh --hours: what the lines add up to, for each fuzzer: in all, and since its last finding.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
ledger=$here/ledger.csv
known=$(cd "$here" && ls fuzz_*.c | sed 's/\.c$//')

hours() {
    [ -e "$ledger" ] || { echo "run.sh: there is no $ledger yet: no fuzzer was run" >&2; exit 1; }
    echo "$known" | awk -F, -v ledger="$ledger" '
        BEGIN {
            while ((getline line < ledger) > 0)
                if (split(line, part, ",") == 6 && part[1] != "date") {
                    runs[part[3]]++
                    all[part[3]] += part[4]
                    quiet[part[3]] = part[6] > 0 ? 0 : quiet[part[3]] + part[4]
                    executed[part[3]] += part[5]
                    found[part[3]] += part[6]
                }
            printf "%-24s %6s %12s %10s %14s %24s\n", "fuzzer", "runs", "CPU hours", "findings", "executions", "CPU hours since finding"
        }
        { printf "%-24s %6d %12.3f %10d %14d %24.3f\n", $1, runs[$1], all[$1] / 3600, found[$1], executed[$1], quiet[$1] / 3600 }'
}

if [ "${1:-}" = --hours ]; then
    hours
    exit
fi
seconds=${1:-60}
[ $# -eq 0 ] || shift
runs=$root/build/fuzz/runs
[ $# -gt 0 ] || set -- $known
case $seconds in '' | *[!0-9]* | 0) echo "run.sh: $seconds: expected a number of seconds, then names of fuzzers; or --hours" >&2 && exit 2 ;; esac
for name in "$@"; do
    if [ ! -e "$here/$name.c" ]; then
        echo "run.sh: there is no fuzzer '$name'; there are:" $known >&2
        exit 2
    fi
done
make -C "$root" fuzz
mkdir -p "$runs"
commit=$(git -C "$root" rev-parse --short HEAD 2>/dev/null || echo unknown)
[ -z "$(git -C "$root" status --porcelain -- src include tests ':!tests/fuzz/ledger.csv' 2>/dev/null)" ] || commit=$commit+

# Processor time of all that has ended so far, s. times must not run in a subshell: that has none.
spent() {
    times >"$runs/times"
    awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); sum += 60 * t[1] + t[2] } } END { printf "%.1f\n", sum }' "$runs/times"
}

status=0
for name in "$@"; do
    mkdir -p "$runs/$name"
    [ ! -d "$here/corpus/$name" ] || cp "$here/corpus/$name"/* "$runs/$name/"
    [ "$name" != fuzz_scene ] || cp "$root"/scenes/*.json "$runs/$name/"
    # libhdf5 itself loses memory on damaged files: the fuzzers count the memory of Cairn by themselves.
    case $name in fuzz_fclib_* | fuzz_recording*) leaks=0 ;; *) leaks=1 ;; esac
    [ "$name" = fuzz_world ] && patience=200 || patience=20 # seconds an input may take: a whole world, on a busy machine
    found=0
    spent >"$runs/before"
    (cd "$runs" && ASAN_OPTIONS=detect_leaks=$leaks:allocator_may_return_null=1 nice ../fuzz/"$name" -max_total_time="$seconds" \
        -max_len=65536 -timeout="$patience" -rss_limit_mb=4096 -malloc_limit_mb=0 -print_final_stats=1 -artifact_prefix="$name-" \
        "$name") >"$runs/$name.log" 2>&1 || found=1
    spent >"$runs/after"
    executed=$(sed -n 's/^stat::number_of_executed_units: //p' "$runs/$name.log")
    used=$(cat "$runs/before" "$runs/after" | awk 'NR == 1 { first = $1 } END { printf "%.1f", $1 - first }')
    [ -e "$ledger" ] || echo "date,commit,fuzzer,cpu_seconds,executions,findings" >"$ledger"
    echo "$(date -u +%Y-%m-%d),$commit,$name,$used,${executed:-0},$found" >>"$ledger"
    if [ $found -gt 0 ]; then
        status=1
        echo "$name: a finding, see $runs/$name.log"
    fi
    echo "$name: $seconds s ($used s of processor time), ${executed:-0} executions"
    grep -E 'ERROR|SUMMARY' "$runs/$name.log" || true
done
exit $status
