#!/usr/bin/env bash
# Figures of the documents are those of the data files in docs/results; a fault that is put in on purpose is found. Skipped (77) without python3.
set -u
cd "$(dirname "$0")/.." || exit 1
python=$(command -v python3) || { echo "skipped: python3 is missing"; exit 77; }
"$python" tools/results.py check || exit 1

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
status=0
seeded() { # what, file, expression of sed: the check must fail then
    rm -rf "$place/copy"
    mkdir -p "$place/copy"
    cp -r README.md docs "$place/copy"
    sed -i -E "$3" "$place/copy/$2"
    if cmp -s "$2" "$place/copy/$2"; then echo "the fault '$1' could not be put in"; status=1; return; fi
    if "$python" tools/results.py check "$place/copy" >"$place/said"; then echo "not found: $1"; status=1; fi
}
seeded "a digit of a table" docs/engines.md 's/^(\| Cairn \| [0-9])/\17/'
seeded "a row that is gone" docs/large.md '/^\| 49 060 \| [0-9]/d'
seeded "a figure in a sentence" docs/benchmarks.md 's/( > ratio of medians -->)/\19/'
seeded "a cell of the data" docs/results/large.json 's/("49 060", ")/\19/'
seeded "the date of a run" docs/results/engines.json '0,/"date"/s/"date": "20/"date": "19/'
seeded "a figure written by hand" docs/engines.md 's/^## How it was measured/A step takes 2.5 ms.\n\n## How it was measured/'
seeded "a table written by hand" docs/t21.md 's/^(## TEST 2.*)/| a | b |\n|---|---|\n| x | 1.5 |\n| y | 2.5 |\n\n\1/'
seeded "a table on a page of the manual" docs/scenes.md '$s/$/\n\n| a | b |\n|---|---|\n| x | 1.5 |\n| y | 2.5 |/'
seeded "a cell that is not there" docs/benchmarks.md 's/<!--= large > piles > 101 393/<!--= large > piles > 101 394/'
seeded "a time on a page of the manual" docs/world.md '$s/$/ A step takes 2.5 ms./'
known=" $("$python" tools/results_run.py "?" 2>&1) "
for file in docs/results/*.json; do
    name=$(basename "$file" .json)
    case "$name$known" in quoted* | *" $name "*) ;; *) echo "$file: make results has no such name"; status=1 ;; esac
done
[ $status -eq 0 ] && echo "10 faults were put in and found"
exit $status
