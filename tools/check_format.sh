#!/usr/bin/env bash
# Checks that every C file looks as `make format` leaves it. Skipped (77) when clang-format is missing or of another
# major version than the one the files were formatted with: versions differ in small things.
set -u
cd "${1:-$(dirname "$0")/..}" || exit 1
wanted=14

if ! command -v clang-format >/dev/null; then
    echo "skipped: clang-format is not installed"
    exit 77
fi
found=$(clang-format --version | sed 's/.*version \([0-9]*\).*/\1/')
if [ "$found" != "$wanted" ]; then
    echo "skipped: clang-format $wanted is the reference, this is $found"
    exit 77
fi
find include src tests bench -name '*.[ch]' -print0 2>/dev/null | xargs -0 clang-format --dry-run -Werror 2>&1 |
    grep -E '(error|warning):' | awk -F: '!seen[$1]++ { print $1 ":" $2 ": not as make format leaves it" }'
bad=${PIPESTATUS[1]}
[ "$bad" -eq 0 ] && echo "all files formatted" || echo "run: make format"
exit "$bad"
