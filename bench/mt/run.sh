#!/usr/bin/env bash
# Tables 1 and 2 and Figure 1(b) of [MT]: bench/mt/run.sh BENCH OUT. BENCH is the folder of the programs mt and t21_plot.
set -eu
bench=${1:?usage: bench/mt/run.sh BENCH OUT}
out=${2:?usage: bench/mt/run.sh BENCH OUT}
mkdir -p "$out"
"$bench/mt" --out "$out/mt.csv" --traces "$out"
series=()
for size in 1200 3200 4500 13800; do series+=(--series "matrix size $size" "$out/mt-$size.csv"); done
"$bench/t21_plot" "$out/mt-convergence.svg" --title "[MT] Figure 1(b): balls in a box, one call each" --note "Cairn's own runs, stop=paper, SI units, D'Apuzzo's start." \
    --panel primal "largest dual residual r_d, N s" --panel dual "largest primal residual r_p, m/s" --panel rho "complementarity τ, J" "${series[@]}" >&2
