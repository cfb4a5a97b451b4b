#!/usr/bin/env bash
# Checks the references that tie code to equations: [T21 (47a)], [AKM (8)-(10)], [theory 2 (5)], [T21 TEST 1] ...
#   every reference in a comment of include/ and src/ is well formed and names a document of docs/references.md;
#   a [theory n] names a section that docs/theory.md has;
#   the head comment of every method, set and problem file carries at least one reference.
set -u
cd "${1:-$(dirname "$0")/..}" || exit 1
status=0
known=$(sed -n 's/^| \[\([A-Za-z0-9]*\)\] .*/\1/p' docs/references.md | paste -sd'|')
[ -n "$known" ] || { echo "docs/references.md lists no documents"; exit 1; }
[ -f docs/theory.md ] || { echo "docs/theory.md, which [theory n] points to, is missing"; status=1; }

# A place in a document: (12), (12a), (8)-(10), (Ic), 3.2, or a word and a number: section 3.2, algorithm 1, TEST 1.A.
equation='\([0-9A-Z][0-9.]*[a-z]*\)'
words='[Ss]ection|[Aa]lgorithm|[Tt]able|[Ff]igure|TEST|[Aa]ppendix|reference|slide|page|[Tt]heorem|[Ll]emma|[Dd]efinition|[Rr]emark'
place="($equation(-$equation)?|[0-9]+(\.[0-9]+)*( to [0-9]+(\.[0-9]+)*)?|($words)s? [0-9A-Z]+(\.[0-9A-Z]+)*(-[0-9]+)?)"
document="($known)( $place([,;]? (and )?$place)*)?"
form="^\[$document([,;] $document)*\]$"

# Prints "file:line:text" for the comments of one file.
comments() {
    awk -v file="$1" '{
        line = $0; text = ""
        while (line != "") {
            if (inside) {
                end = index(line, "*/")
                if (end == 0) { text = text line; line = "" }
                else { text = text substr(line, 1, end - 1) " "; line = substr(line, end + 2); inside = 0 }
            } else {
                begin = index(line, "/*"); slashes = index(line, "//")
                if (slashes && (!begin || slashes < begin)) { text = text substr(line, slashes + 2); line = "" }
                else if (begin) { line = substr(line, begin + 2); inside = 1 }
                else line = ""
            }
        }
        if (text != "") print file ":" FNR ":" text
    }' "$1"
}

count=0
while IFS= read -r hit; do
    reference=[${hit#*[}
    count=$((count + 1))
    if [[ ! $reference =~ $form ]]; then
        echo "${hit%%[*} $reference is not well formed or names no document of docs/references.md"
        status=1
    elif [ -f docs/theory.md ] && [[ $reference =~ theory\ ([0-9]+) ]] && ! grep -qE "^##+ ${BASH_REMATCH[1]}\b" docs/theory.md; then
        echo "${hit%%[*} $reference: docs/theory.md has no such section"
        status=1
    fi
done < <(find include src -name '*.[ch]' | sort | while read -r file; do comments "$file"; done |
    awk '{ # every bracket that looks like a reference: a known document, or any name followed by an equation number
        match($0, /^[^:]*:[0-9]+:/); where = substr($0, 1, RLENGTH); rest = substr($0, RLENGTH + 1)
        while (match(rest, /\[(T21|AKM|AC|MT|theory)[^]]*\]|\[A\]|\[[A-Za-z][A-Za-z0-9]* \([0-9][^]]*\]|\[A [a-z0-9][a-z0-9][^]]*\]/)) {
            print where substr(rest, RSTART, RLENGTH)
            rest = substr(rest, RSTART + RLENGTH)
        }
    }')

for file in $(find src/solve -name 'method_*.c') src/sets/set_*.c $(find src/problem src/samples -name '*.c'); do
    case $file in *_table.c) continue ;; esac
    sed '/\*\//q' "$file" | grep -qE "\[($known)[] ]" || { echo "$file: its head comment carries no reference"; status=1; }
done
echo "$count references"
exit $status
