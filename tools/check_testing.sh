#!/usr/bin/env bash
# Checks the table of docs/testing.md against the tree and the build: check_testing.sh BUILD_DIR [--write]. With --write the page gets the numbers of today.
# Lines may be off by 5 %, all else must be exact.
set -u
build=${1:?usage: check_testing.sh BUILD_DIR [--write]}
write=${2:-}
[ -z "$write" ] || [ "$write" = --write ] || { echo "check_testing.sh: '$write': expected --write"; exit 2; }
build=$(cd "$build" && pwd) || exit 1
cd "$(dirname "$0")/.." || exit 1
page=docs/testing.md
[ -e "$build/libcairn.so" ] || { echo "$build/libcairn.so is not built"; exit 1; }

public=$(nm -D --defined-only "$build/libcairn.so" | awk '$2 == "T" && $3 ~ /^cairn_/ { print $3 }' | sort -u)
named=$(find tests -name '*.[ch]' -exec cat {} + | grep -oE '\bcairn_[a-z0-9_]+' | sort -u)
programs=$(find tests -name 'test_*.c')
files() { ls "$@" 2>/dev/null | wc -l; }
lines() { cat "$@" | wc -l | awk '{ print int($1 / 100 + 0.5) * 100 }'; }
counts() {
    echo "programs of tests, \`test_*.c\`|$(wc -w <<<"$programs")"
    echo "tests in them, \`TEST\`|$(cat $programs | grep -cE '^TEST\(')"
    echo "lines of them with a \`CHECK\`|$(cat $programs | grep -cE '\bCHECK(_[A-Z]+)?\(')"
    echo "scripts that drive the program and its pages, \`tests/cli/cli_*.sh\`, \`tests/web/web_*.sh\`|$(files tests/cli/cli_*.sh tests/web/web_*.sh)"
    echo "fuzzers, \`tests/fuzz/fuzz_*.c\`|$(files tests/fuzz/fuzz_*.c)"
    echo "checks of the repository, \`tools/check_*.sh\`|$(files tools/check_*.sh)"
    echo "blocks of documents that are run|$(grep -hE '^```[a-z]+ run' README.md docs/*.md | wc -l)"
    echo "scenes that ship, all of them stepped|$(($(files scenes/*.json) - 1))"
    echo "public functions|$(wc -w <<<"$public")"
    echo "of them named in tests|$(comm -12 <(echo "$public") <(echo "$named") | wc -l)"
    echo "lines of library, program and headers, to 5 %|$(lines $(find src include -name '*.[ch]'))"
    echo "lines of tests, to 5 %|$(lines $(find tests -name '*.[ch]' -o -name '*.sh'))"
}

if [ "$write" = --write ]; then
    counts >"$page.counts" && awk -v table="$page.counts" '
        /^## / { inside = ($0 == "## Counts") }
        inside && /^\| .* \| [0-9]+ \|$/ { next }
        { print }
        inside && /^\|---/ { while ((getline line < table) > 0) { split(line, part, "|"); printf "| %s | %s |\n", part[1], part[2] } }
    ' "$page" >"$page.new" && cat "$page.new" >"$page"
    rm -f "$page.counts" "$page.new"
fi

status=0
rows=0
while IFS='|' read -r what number; do
    rows=$((rows + 1))
    told=$(awk -v what="$what" '/^## / { inside = ($0 == "## Counts") }
        inside { split($0, part, " [|] "); sub(/^[|] /, "", part[1]); if (part[1] == what) { sub(/ [|]$/, "", part[2]); print part[2] } }' "$page")
    slack=0
    [[ $what == *"to 5 %" ]] && slack=$((number / 20))
    if [ -z "$told" ] || [ $((told > number ? told - number : number - told)) -gt $slack ]; then
        echo "$page: $what: ${told:-not there}, counted $number"
        status=1
    fi
done < <(counts)
if [ $status -eq 0 ]; then
    echo "$rows counts of $page are right"
else
    echo "tools/check_testing.sh $build --write puts the numbers of today into the page"
fi
exit $status
