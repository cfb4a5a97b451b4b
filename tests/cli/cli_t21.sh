#!/usr/bin/env bash
# What docs/t21.md says of TEST 1 and of the robot alone, from the tables that it shows: bench/t21/tables.py. Skipped without python3.
set -eu
. "$(dirname "$0")/cli_common.inc"
cd "$(dirname "$0")/../.."
command -v python3 >/dev/null || { echo "skipped: python3 is missing"; exit 77; }

python3 bench/t21/tables.py "$CAIRN" column sweeps >"$place/tables"
cell() { # row, number of the column; a count that is not there is 99999
    awk -F' *[|] *' -v row="$1" -v column="$2" '$2 == row { print ($(column + 1) == "-" ? 99999 : $(column + 1)) }' "$place/tables"
}
less() { # what it says, number, number
    if [ -n "$2" ] && [ -n "$3" ] && [ "$2" -lt "$3" ]; then pass; else fail "$1: $2 against $3"; fi
}
less "TEST 1.A by ADMM in less than 20 iterations" "$(cell 'ADMM, balanced' 4)" 20
for n in 1 2; do less "denser updates are faster" "$(cell "ADMM, n_s = $n" 2)" "$(cell 'ADMM, balanced' 2)"; done
less "FADMM from a small step" "$(cell 'FADMM, ρ = 1e-5' 2)" "$(cell 'FADMM, ρ = 1e-3' 2)"
for method in 'FADMM, ρ = 0.05' 'P-FADMM, ρ = 0.05' "P-ADMM, Cairn's defaults"; do
    for column in 7 8 9 10; do less "Figure 2, column $column: $method is ahead of P-SPG-FB" "$(cell "$method" $column)" "$(cell P-SPG-FB $column)"; done
done
for method in jacobi psor pgs spg apgd; do
    if grep -q "^| \`$method\` | iteration limit | 3000 " "$place/tables"; then pass; else fail "the robot alone by $method: $(grep "$method" "$place/tables")"; fi
done
if grep -q '^| `admm` | solved | [12] | 1 ' "$place/tables"; then pass; else fail "the robot alone by admm: $(grep admm "$place/tables")"; fi

if python3 bench/t21/tables.py "$CAIRN" nothing 2>"$place/err"; then fail "a table that there is not"; else pass; fi
says err "usage: tables.py CAIRN NAME..., of column wall-step"
finish
