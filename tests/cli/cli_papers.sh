#!/usr/bin/env bash
# The benches of [AKM] and [AC] in Python: what the authors' set-up gives on one published problem, to the digits that the paper prints, and that Cairn takes the iterations of the
# reference. Needs the published problems, python3-h5py and python3-scipy.
set -euo pipefail
. "$(dirname "$0")/cli_common.inc"
bench=$(cd "$(dirname "$0")/../../bench" && pwd)
stack=$stacks/Box_Stacks-i1000-352-6.hdf5
[ -f "$stack" ] || { echo "skipped: no $stack"; exit 77; }
/usr/bin/python3 -c 'import h5py, scipy.sparse.linalg' 2>/dev/null || { echo "skipped: python3-h5py or python3-scipy is missing"; exit 77; }
export OPENBLAS_NUM_THREADS=1

python_says() { # TEXT, after a run into $place/out
    if grep -qF -- "$1" "$place/out"; then pass; else fail "no: $1"; fi
}

# Table 3 of [AKM]
/usr/bin/python3 "$bench/akm/authors.py" s-update --traces "$place" "$stack" >"$place/out" 2>"$place/err" || fail "authors.py s-update"
python_says "9 of 9 printed values are these"
python_says "| 7 | 6 | 43 | 43 | > 1000 | 1000 |"
[ "$(wc -l <"$place/authors-internal.csv")" -eq 44 ] && pass || fail "trace of the internal renewal"

# one penalty under two names: Table 2
few=("$stacks"/Box_Stacks-i0035-31-0.hdf5 "$stacks"/Box_Stacks-i0122-73-2.hdf5 "$stack")
/usr/bin/python3 "$bench/akm/authors.py" variants --rules dicairano,normal --most 60 "${few[@]}" >"$place/out" 2>"$place/err" || fail "authors.py variants"
python_says "3 of 3, to 1e-9"

# with the sign of f turned, all three ways to renew s of Cairn end at the |Phi| of the authors' later table, 7.10e-02
/usr/bin/python3 "$bench/akm/authors.py" turn "$stack" "$place/turned.hdf5" || fail "authors.py turn"
for update in external internal internal-external-stop; do
    run solve "$place/turned.hdf5" --method primal-admm --opt stop=paper --opt s-update=$update --json
    says out '|Phi(s)| = 0.071'
done

# the stop test of [AC (10)] at r = 0
/usr/bin/python3 "$bench/ac/zero.py" "${few[@]}" >"$place/out" 2>"$place/err" || fail "zero.py"
python_says "Mv + f = Hᵀr | 3 of 3 |"

# the same iterations as the reference
/usr/bin/python3 "$bench/akm/reference.py" --variant vp-RR-He --rho0 normal "${few[@]}" >"$place/numpy.jsonl"
wanted=$(grep -o '"iterations": [0-9]*' "$place/numpy.jsonl")
run solve "${few[@]}" --law associated --method primal-admm --opt stop=paper --opt variant=vp-RR-He --opt rho0=normal --max-iter 5000 --json
found=$(grep -o '"iterations": [0-9]*' "$place/out")
[ "$wanted" = "$found" ] && pass || fail "iterations: reference $wanted, Cairn $found"
finish
