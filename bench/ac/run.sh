#!/usr/bin/env bash
# The comparisons of [AC] from our own runs: run.sh CAIRN FOLDER OUT. Figures 1, 2a, 2b: seven step sizes with a fixed step, with ratio 1 and with ratio 2;
# beside them plain projected gradients and the adaptive form. Associated law, at most 200 iterations as in the report, certificate at TOL.
set -eu
cairn=${1:?usage: run.sh CAIRN FOLDER OUT}
folder=${2:?usage: run.sh CAIRN FOLDER OUT}
out=${3:?usage: run.sh CAIRN FOLDER OUT}
sizes=${SIZES:-"ghadimi dicairano acary normal smaller w eigen-w"}
files=("$folder"/*.hdf5)
[ -f "${files[0]}" ] || { echo "no problems in $folder" >&2; exit 1; }
mkdir -p "$out"

for update in fixed ratio1 ratio2; do
    methods=adaptive@apgd,plain@pg
    for size in $sizes; do methods+=,$size@apgd:step_update=$update:step_size=$size; done
    echo "== step_update=$update"
    "$cairn" bench "${files[@]}" --law associated --tol "${TOL:-1e-2}" --max-iter "${LIMIT:-200}" --repeat 1 --methods "$methods" \
        --out "$out/$update"
done
