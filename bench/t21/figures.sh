#!/usr/bin/env bash
# Draws what the captions of Figures 2 to 6 and 8 to 10 of [T21] describe, from Cairn's own runs: figures.sh CAIRN FOLDER [PLOT].
# Nothing here is copied from the paper's curves. Traces stay in a temporary folder, or in $TRACES when that is set.
set -eu
cairn=${1:?usage: figures.sh CAIRN FOLDER [PLOT]}
folder=${2:?usage: figures.sh CAIRN FOLDER [PLOT]}
plot=${3:-$(dirname "$cairn")/bench/t21_plot}
traces=${TRACES:-$(mktemp -d)}
[ -n "${TRACES:-}" ] || trap 'rm -rf "$traces"' EXIT
mkdir -p "$folder" "$traces"

"$cairn" generate stack --out "$traces/A.hdf5"
"$cairn" generate stack-pull --out "$traces/B.hdf5"

# trace NAME PROBLEM MOST METHOD [KEY=VALUE...]: the convex law of the paper, the certificate looked at in every iteration. The
# settings are the paper's: no over-relaxation, one interval between updates of the step. Not converging is a result.
trace() {
    local name=$1 problem=$2 most=$3 method=$4 options=()
    shift 4
    for option in test_every=1 "$@"; do options+=(--opt "$option"); done
    "$cairn" solve "$traces/$problem.hdf5" --law associated --method "$method" --max-iter "$most" "${options[@]}" \
        --trace "$traces/$name.csv" >"$traces/$name.txt" || [ $? -eq 1 ]
    # A dot in the plots says "certified": any other early end must not pass for that.
    grep -qE ' (solved|iteration limit) ' "$traces/$name.txt" || { cat "$traces/$name.txt" >&2; exit 1; }
    printf '%-24s %s\n' "$name" "$(tail -n 1 "$traces/$name.txt" | sed 's/^[^ ]* *//')"
}
plain=(relaxation=1 step_grow=1)

residuals=(--panel primal "primal residual, N s" --panel dual "dual residual, m/s")
draw() {
    "$plot" "$folder/$1" "${@:2}"
    echo "$folder/$1"
}

# Figure 2: TEST 1.B, penetrating residual velocity.
trace B_admm B 300 admm step_root=off
trace B_padmm_root B 300 padmm "${plain[@]}" step_root=on step_policy=balanced-normalized rho=1
trace B_padmm B 300 padmm "${plain[@]}"
trace B_padmm_default B 300 padmm
trace B_fadmm B 300 fadmm
trace B_pfadmm B 300 pfadmm
trace B_jacobi B 300 jacobi
trace B_spg B 300 spg
draw figure2.svg --title "TEST 1.B: violation of the unilateral constraints" \
    --note "Cairn's own runs. Dots: certified at 1e-8. Triangles: no penetration at all." \
    --most 300 --panel violation "penetrating velocity, m/s" \
    --series "ADMM, balanced" "$traces/B_admm.csv" --series "P-ADMM, balanced" "$traces/B_padmm.csv" \
    --series "P-ADMM, square root" "$traces/B_padmm_root.csv" --series "P-ADMM, Cairn's defaults" "$traces/B_padmm_default.csv" \
    --series "FADMM" "$traces/B_fadmm.csv" --series "P-FADMM" "$traces/B_pfadmm.csv" \
    --series "projected Jacobi" "$traces/B_jacobi.csv" --series "P-SPG-FB" "$traces/B_spg.csv"

# Figures 3 and 4: residuals for the step policies.
policies() { # A|B, most
    for policy in fixed balanced balanced-normalized spectral; do
        trace "$1_$policy" "$1" "$2" admm step_root=off step_policy=$policy
    done
    trace "$1_preconditioned" "$1" "$2" padmm "${plain[@]}"
    trace "$1_preconditioned_default" "$1" "$2" padmm
    trace "$1_fast" "$1" "$2" fadmm
    trace "$1_preconditioned_fast" "$1" "$2" pfadmm
}
draw_policies() { # file, A|B, most, title
    draw "$1" --title "$4" --note "Cairn's own runs. Dots: certified at 1e-8. Triangles: exactly zero." --most "$3" \
        "${residuals[@]}" --series "ADMM, fixed step" "$traces/$2_fixed.csv" \
        --series "ADMM, balanced" "$traces/$2_balanced.csv" \
        --series "ADMM, balanced-normalized" "$traces/$2_balanced-normalized.csv" \
        --series "ADMM, spectral" "$traces/$2_spectral.csv" --series "P-ADMM, balanced" "$traces/$2_preconditioned.csv" \
        --series "P-ADMM, Cairn's defaults" "$traces/$2_preconditioned_default.csv" \
        --series "FADMM" "$traces/$2_fast.csv" --series "P-FADMM" "$traces/$2_preconditioned_fast.csv"
}
policies A 60
draw_policies figure3.svg A 60 "TEST 1.A: primal and dual residuals"
policies B 200
draw_policies figure4.svg B 200 "TEST 1.B: primal and dual residuals"

# Figure 5: how often the step is looked at.
series=()
for n in 1 2 5 10 20; do
    trace "A_every_$n" A 80 admm step_root=off step_every=$n
    series+=(--series "n_s = $n" "$traces/A_every_$n.csv")
done
draw figure5.svg --title "TEST 1.A: ADMM, balanced, step updated every n_s iterations" \
    --note "Cairn's own runs. Dots: certified at 1e-8. Triangles: exactly zero." --most 80 "${residuals[@]}" "${series[@]}"

# Figure 6: the fixed step of FADMM.
series=()
for rho in 0.05 0.01 0.001 0.0001 0.00001; do
    trace "A_rho_$rho" A 400 fadmm rho=$rho
    series+=(--series "rho = $rho" "$traces/A_rho_$rho.csv")
done
draw figure6.svg --title "TEST 1.A: FADMM with a fixed step rho" \
    --note "Cairn's own runs. Dots: certified at 1e-8. Triangles: exactly zero." --most 400 "${residuals[@]}" "${series[@]}"

# Figures 8 to 10: one step of the wrecking ball (TEST 2), in one piece, cold; rigid contacts and compliant ones.
wall=$(dirname "$plot")/t21_wall
scene=$(dirname "$0")/../../scenes/wall.json
"$wall" "$scene" "$traces"
note="Cairn's own runs, step 26, the first after the ball has met the first wall. Dots: certified at 1e-8."
draw figure8.svg --title "TEST 2: violation of the unilateral constraints" --note "$note" --most 500 \
    --panel violation "penetrating velocity, m/s" \
    --series "ADMM, balanced" "$traces/wall_rigid_admm.csv" --series "P-ADMM, balanced" "$traces/wall_rigid_padmm.csv" \
    --series "P-ADMM, Cairn's defaults" "$traces/wall_rigid_padmm_default.csv" \
    --series "projected Jacobi" "$traces/wall_rigid_jacobi.csv" --series "P-SPG-FB" "$traces/wall_rigid_spg.csv"
draw figure9.svg --title "TEST 2: primal and dual residuals" --note "$note" --most 500 "${residuals[@]}" \
    --series "ADMM, balanced" "$traces/wall_rigid_admm.csv" --series "P-ADMM, balanced" "$traces/wall_rigid_padmm.csv" \
    --series "P-ADMM, Cairn's defaults" "$traces/wall_rigid_padmm_default.csv"
series=()
for method in admm padmm jacobi spg; do
    series+=(--series "$method, rigid" "$traces/wall_rigid_$method.csv" --series "$method, compliant" "$traces/wall_soft_$method.csv")
done
draw figure10.svg --title "TEST 2: effect of a compliance of 1e-7 m/N in every contact" --note "$note" --most 500 \
    --panel violation "penetrating velocity, m/s" --panel natural_map "natural map" "${series[@]}"
