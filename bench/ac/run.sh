#!/usr/bin/env bash
# The comparisons of [AC]: run.sh CAIRN FOLDER OUT. PARTS chooses among
#     zero       the report's stop test (10) at r = 0, before any iteration: why its ranking cannot be reproduced
#     steps      Figures 1, 2a, 2b: seven step sizes with a fixed step, with ratio 1 and with ratio 2; beside them plain projected gradients and
#                the adaptive form. Associated law, at most 200 iterations as in the report, certificate at TOL
#     s-update   convergence of s under the exact law, from traces
#     figures    the pictures of docs/figures from what the other parts left in OUT
set -eu
cairn=${1:?usage: run.sh CAIRN FOLDER OUT}
folder=${2:?usage: run.sh CAIRN FOLDER OUT}
out=${3:?usage: run.sh CAIRN FOLDER OUT}
here=$(dirname "$0")
sizes=${SIZES:-"ghadimi dicairano acary normal smaller w eigen-w"}
files=("$folder"/*.hdf5)
stack=$folder/Box_Stacks-i1000-352-6.hdf5
[ -f "${files[0]}" ] || { echo "no problems in $folder" >&2; exit 1; }
mkdir -p "$out"

zero() {
    /usr/bin/python3 "$here/zero.py" "${files[@]}"
}

steps() {
    local update size methods
    for update in fixed ratio1 ratio2; do
        methods=adaptive@apgd,plain@pg
        for size in $sizes; do methods+=,$size@apgd:step_update=$update:step_size=$size; done
        echo "== step_update=$update"
        "$cairn" bench "${files[@]}" --law associated --tol "${TOL:-1e-2}" --max-iter "${LIMIT:-200}" --repeat 1 --methods "$methods" \
            --out "$out/$update" >/dev/null
        /usr/bin/python3 "$here/../common/profiles.py" "$out/$update/results.jsonl" --title "[AC] step sizes, $update" --svg "$out/ac-$update.svg"
    done
}

s_update() {
    local name method update
    echo "== s-update"
    echo
    echo "| method, s-update | outcome | iterations | error, m/s | ‖Φ(u)‖ at the end | within 1 % of it from iteration |"
    echo "|---|---|---|---|---|---|"
    for method in apgd pg; do
        for update in external internal; do
            name=$method-$update
            "$cairn" solve "$stack" --method $method --opt s-update=$update --tol 1e-4 --max-iter 5000 --trace "$out/$name.csv" --json \
                >"$out/$name.json" || [ $? -eq 1 ]
            /usr/bin/python3 - "$method, $update" "$out/$name.json" "$out/$name.csv" <<'P'
import csv
import json
import sys

name, result, trace = sys.argv[1:]
with open(result, encoding="utf-8") as file:
    r = json.loads(file.readline())
with open(trace, encoding="utf-8") as file:
    phi = [float(row["phi"]) for row in csv.DictReader(file)]
off = [i for i, x in enumerate(phi) if abs(x - phi[-1]) > 0.01 * phi[-1]]
print(f"| {name} | {r['outcome']} | {r['iterations']} | {r['certificate']['error']:.2g} | {phi[-1]:.5g} | {off[-1] + 2 if off else 1} |")
P
        done
    done
}

figures() {
    local name series=()
    for name in apgd-external apgd-internal pg-external pg-internal; do series+=(--series "${name/-/, }" "$out/$name.csv"); done
    "$(dirname "$cairn")/bench/t21_plot" "$out/ac-s-update.svg" --title "[AC] how s settles: Box_Stacks-i1000-352-6, exact law" \
        --note "Cairn's own runs, adaptive step. Dots: certified at 1e-4." --most 1500 --panel phi "‖Φ(u)‖, m/s" --panel natural_map "natural map" "${series[@]}"
}

for part in ${PARTS:-zero steps s-update figures}; do
    case $part in
    s-update) s_update ;;
    zero | steps | figures) $part ;;
    *) echo "there is no part $part; known are zero steps s-update figures" >&2; exit 2 ;;
    esac
done
