#!/usr/bin/env bash
# Prints which share of the lines of src/ the tests ran, file by file: coverage.sh BUILD_DIR, after the tests.
set -u
cd "${1:?usage: coverage.sh BUILD_DIR}" || exit 1
find . -name '*.gcno' -path '*cairn_objects*' -exec gcov -n {} + 2>/dev/null | awk '
    /^File/ { file = $2; gsub(/\047/, "", file); wanted = sub(/.*\/src\//, "src/", file) }
    /^Lines executed/ && wanted {
        split($0, part, /[:% ]+/)
        share = part[3]; lines = part[5]
        printf "%6.1f %%  %5d lines  %s\n", share, lines, file
        run += share * lines / 100; total += lines; wanted = 0
    }
    END { if (total) printf "%6.1f %%  %5d lines  all\n", 100 * run / total, total }' | sort -k4
