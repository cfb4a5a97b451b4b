#!/usr/bin/env bash
# Looks for words that docs/vocabulary.md has retired, in comments and messages of the folders that are done:
# check_words.sh [ROOT]. Single words are sought in comments alone: messages may say that nobody reads a pipe.
# Folders that are not done yet are named below; whoever works on one takes its name away.
set -u
cd "${1:-$(dirname "$0")/..}" || exit 1
later='^src/(world|fem|rigid|judge)/'

find src -name '*.[ch]' | grep -vE "$later" | sort | LC_ALL=C xargs awk '
BEGIN {
    units = "body|contact|row|group|iteration|block|node|frame|step|problem|joint|panel|column|face|edge|piece|triangle|point|vertex|run"
    count = split("hope hopes wish wishes wished blame blames astray shelf sixes told nobody somebody", retired, " ")
    for (i = 1; i <= count; i++) bad[retired[i]] = 1
}
function say(what) { printf "%s:%d: %s\n", FILENAME, FNR, what; faults++ }
# text: what a line has between the marks of a comment, or between quotes; first: a comment begins with it.
function look(text, comment, first,    word, n, i, low) {
    if (first && text ~ /^[ \t]*The same[ ,;]/) say("a comment that begins with \"The same\"")
    if (text ~ ("(numbers|rows|bytes|floats|doubles|entries|int32|int64|[0-9]) an? (" units ")([^a-z]|$)")) say("\"per\", not \"a\": " text)
    if (!comment) return
    low = tolower(text)
    n = split(low, word, /[^a-z_0-9]+/)
    for (i = 1; i <= n; i++) if (word[i] in bad) say("retired word \"" word[i] "\": docs/vocabulary.md")
}
FNR == 1 { files++; inside = 0 }
/^[ \t]*#[ \t]*include/ { next }
{
    rest = $0
    while (rest != "") {
        if (inside) {
            end = index(rest, "*/")
            text = end ? substr(rest, 1, end - 1) : rest
            sub(/^[ \t]*\*/, "", text)
            look(text, 1, begins)
            begins = 0
            if (!end) break
            rest = substr(rest, end + 2); inside = 0
        } else {
            open = index(rest, "/*"); quote = index(rest, "\"")
            if (open && (!quote || open < quote)) { rest = substr(rest, open + 2); inside = begins = 1 }
            else if (quote) {
                rest = substr(rest, quote + 1)
                text = ""
                while (match(rest, /^([^"\\]|\\.)+/)) { text = text substr(rest, 1, RLENGTH); rest = substr(rest, RLENGTH + 1) }
                look(text, 0, 0)
                rest = substr(rest, 2)
            } else break
        }
    }
}
END { printf "%d files, %d retired words\n", files, faults; exit faults > 0 || files == 0 }'
