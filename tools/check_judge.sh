#!/usr/bin/env bash
# Checks that the judge stands alone: check_judge.sh BUILD_DIR [ROOT].
#   src/judge without its filter in double (measure_quick.c) has at most so many lines: it is there to be read;
#   its objects use no symbol defined in src/solve or src/sets;
#   objects of src/solve use no symbol defined in src/judge but those declared CAIRN_API in the public headers.
set -u
build=${1:?usage: check_judge.sh BUILD_DIR [ROOT]}
root=${2:-$(dirname "$0")/..}
most=1200
status=0

objects() { find "$build" -path "*cairn_objects.dir/src/$1/*" -name '*.o'; }
defined() { objects "$1" | xargs -r nm -g --defined-only | awk 'NF == 3 { print $3 }' | sort -u; }
used() { objects "$1" | xargs -r nm -u | awk '$1 == "U" { print $2 }' | sort -u; }
expect_none() {
    [ -z "$2" ] && return
    printf '%s:\n' "$1"
    sed 's/^/    /' <<<"$2"
    status=1
}

for layer in judge solve sets; do
    [ -n "$(objects $layer)" ] || { echo "not built: objects of src/$layer in $build"; exit 1; }
done
lines=$(cat $(find "$root/src/judge" -name '*.[ch]' ! -name measure_quick.c) | wc -l)
[ "$lines" -le $most ] || expect_none "src/judge has more than $most lines" "$lines"

public=$(cat "$root"/include/cairn/*.h | tr '\n' ' ' | grep -o 'CAIRN_API[^;(]*(' | sed 's/[ (]*$//; s/.*[ *]//' | sort -u)
for layer in solve sets; do
    expect_none "the judge uses symbols of src/$layer" "$(comm -12 <(used judge) <(defined $layer))"
done
expect_none "src/solve uses symbols of src/judge that are not public" \
    "$(comm -12 <(used solve) <(defined judge) | comm -23 - <(echo "$public"))"

echo "$lines lines, $(used judge | grep -c '^cairn_') symbols used by the judge"
exit $status
