#!/usr/bin/env bash
# Checks that no C file is longer than 800 lines and no function longer than 120. A function begins with a line at the left
# margin that ends with "{" and has a "(", and ends with "}" at the left margin: true for formatted files.
set -u
cd "${1:-$(dirname "$0")/..}" || exit 1

find include src tests bench -name '*.[ch]' 2>/dev/null | sort | xargs awk -v file_limit=800 -v function_limit=120 '
function end_of_file() {
    if (lines > longest_file) longest_file = lines
    if (lines > file_limit) { printf "%s: %d lines, at most %d\n", file, lines, file_limit; faults++ }
}
FNR == 1 { if (file) end_of_file(); file = FILENAME; inside = 0; head = 0 }
{ lines = FNR }
/^[a-zA-Z]/ { head = FNR; text = $0 }
!inside && head && /\{$/ && (text ~ /\(/) && text !~ /^(struct|enum|union|typedef)/ { inside = 1; begin = head; name = text }
/^}/ {
    if (inside) {
        length_ = FNR - begin + 1
        if (length_ > longest) longest = length_
        sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
        if (length_ > function_limit) {
            printf "%s:%d: %s has %d lines, at most %d\n", FILENAME, begin, name, length_, function_limit
            faults++
        }
    }
    inside = 0; head = 0
}
END {
    end_of_file()
    printf "longest file %d lines, longest function %d\n", longest_file, longest
    exit faults > 0
}'
