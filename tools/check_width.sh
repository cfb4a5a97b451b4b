#!/usr/bin/env bash
# Checks what a reader has to take in at once: check_width.sh [ROOT].
#   a folder of src/ or tests/ has at most 18 files, its README.md left out;
#   no line of a C file is longer than 120 columns;
#   no line of a comment is longer than 100 columns, unless it belongs to a formula or a table: lines indented by three
#   blanks or more inside the comment, or with two blanks between words.
# Lines of the folders in `wide` are not looked at yet; whoever works on one takes its name away.
set -u
cd "${1:-$(dirname "$0")/..}" || exit 1
status=0
wide='^(src/(world|fem|rigid|judge)|tests|bench|include)/'

while read -r count folder; do
    if [ "$count" -gt 18 ]; then
        echo "$folder: $count files, at most 18"
        status=1
    fi
done < <(find src tests -type f -not -name README.md -not -path '*/golden/*' -not -path '*/corpus/*' | sed 's|/[^/]*$||' | sort | uniq -c)

find include src tests bench -name '*.[ch]' | grep -vE "$wide" | sort | LC_ALL=C xargs awk '
FNR == 1 { comment = 0 }
{
    files += FNR == 1
    own = comment || /^[ \t]*\/\*/ # the line begins inside a comment or with one
    text = $0
    if (own) {
        sub(/^[ \t]*\/?\*?/, "", text)
        formula = text ~ /^   / || text ~ /[^ ]  +[^ ]/ || text ~ /^ *-+$/
    }
    limit = own && !formula ? 100 : 120
    line = $0
    gsub(/[\200-\277]/, "", line) # characters, not bytes
    if (length(line) > limit) { printf "%s:%d: %d columns, at most %d\n", FILENAME, FNR, length(line), limit; faults++ }
    # the state at the end of the line; strings with comment marks in them are rare and short
    rest = $0
    while (rest != "") {
        if (comment) { at = index(rest, "*/"); if (!at) break; rest = substr(rest, at + 2); comment = 0 }
        else { at = index(rest, "/*"); if (!at) break; rest = substr(rest, at + 2); comment = 1 }
    }
}
END { printf "%d files, %d lines too long\n", files, faults; exit faults > 0 || files == 0 }' || status=1
exit $status
