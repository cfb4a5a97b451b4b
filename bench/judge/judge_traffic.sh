#!/bin/bash
# What a question to the judge moves between memory and caches, against sweeps of three methods: lines of 64 bytes a contact, counted by cachegrind with a last cache of 1 MB.
#     bash bench/judge/judge_traffic.sh PROGRAM [SPHERES]
set -euo pipefail
program=$1 spheres=${2:-3300}
command -v valgrind >/dev/null || { echo "bench-judge needs valgrind" >&2; exit 1; }
lines() { # METHOD SWEEPS QUESTIONS
    valgrind --tool=cachegrind --cache-sim=yes --cachegrind-out-file=/dev/null --D1=32768,8,64 --LL=1048576,16,64 \
        "$program" "$spheres" "$@" 2>&1 | sed -n 's/.*LLd misses: *\([0-9,]*\).*/\1/p' | tr -d ,
}
contacts=$("$program" "$spheres" psor 1 1 | cut -d' ' -f1)
each() { awk -v a="$1" -v b="$2" -v n="$3" -v c="$contacts" 'BEGIN { printf "%.1f\n", (b - a) / n / c }'; }
echo "lines of 64 bytes a contact, $contacts contacts"
base=$(lines psor 20 1)
echo "a question: $(each "$base" "$(lines psor 20 41)" 40)"
for method in psor jacobi apgd; do
    echo "an iteration of $method: $(each "$(lines $method 20 1)" "$(lines $method 60 1)" 40)"
done
