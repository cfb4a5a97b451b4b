#!/usr/bin/env bash
# The comparisons of [AKM] from our own runs: run.sh CAIRN FOLDER OUT. Figures 1 to 4: twelve variants for each first penalty, associated law,
# certificate at 1e-3; Figures 5 to 7 and Table 3: ways to renew s on one problem; and the race with the NumPy implementation
# of the same iteration. FOLDER holds the box stacks; RULES and VARIANTS narrow the choice.
set -eu
cairn=${1:?usage: run.sh CAIRN FOLDER OUT}
folder=${2:?usage: run.sh CAIRN FOLDER OUT}
out=${3:?usage: run.sh CAIRN FOLDER OUT}
here=$(dirname "$0")
rules=${RULES:-"dicairano normal acary ghadimi"}
variants=${VARIANTS:-"cp-N cp-R cp-RR vp-N-He vp-R-He vp-RR-He vp-N-Wohlberg vp-R-Wohlberg vp-RR-Wohlberg vp-N-Spectral vp-R-Spectral vp-RR-Spectral"}
files=("$folder"/*.hdf5)
[ -f "${files[0]}" ] || { echo "no problems in $folder" >&2; exit 1; }
mkdir -p "$out"

for rule in $rules; do
    methods=
    for variant in $variants; do methods+=,$variant@primal-admm:variant=$variant:rho0=$rule; done
    echo "== rho0=$rule"
    "$cairn" bench "${files[@]}" --law associated --tol 1e-3 --max-iter 2000 --repeat 1 --methods "${methods#,}" --out "$out/$rule"
done

echo "== s-update, Box_Stacks-i1000-352-6, exact law, stop at the paper's own tests"
for update in external internal internal-external-stop; do
    printf '%-24s' "$update"
    "$cairn" solve "$folder/Box_Stacks-i1000-352-6.hdf5" --method primal-admm --opt stop=paper --opt s-update=$update \
        --json | /usr/bin/python3 -c 'import json, sys
r = json.loads(sys.stdin.readline())
print(r["iterations"], "iterations,", r["note"])' || true
done

echo "== race with NumPy and SciPy: associated law, stop test (16)-(17), processor time, best of three on both sides"
for variant in cp-RR vp-RR-He; do
    for rule in normal dicairano; do
        /usr/bin/python3 "$here/reference.py" --repeat 3 --variant $variant --rho0 $rule "${files[@]}" >"$out/numpy.jsonl"
        for round in 1 2 3; do
            "$cairn" solve "${files[@]}" --law associated --method primal-admm --opt stop=paper --opt variant=$variant \
                --opt rho0=$rule --max-iter 5000 --json >"$out/cairn.$round.jsonl" || [ $? -eq 1 ]
        done
        /usr/bin/python3 - $variant $rule "$out/numpy.jsonl" "$out"/cairn.[123].jsonl <<'P'
import json
import sys

variant, rule = sys.argv[1:3]
numpy, *rounds = ([json.loads(line) for line in open(path)] for path in sys.argv[3:])
cairn = [min(results, key=lambda x: x["cpu_seconds"]) for results in zip(*rounds)]
same = sum(a["iterations"] == b["iterations"] for a, b in zip(numpy, cairn))
total = [sum(x["cpu_seconds"] for x in results) for results in (numpy, cairn)]
load = sum(x["load_cpu_seconds"] for x in cairn)
print("%-9s %-10s %d iterations in all, the same on %d of %d; NumPy %.2f s, Cairn %.3f s, of which %.3f s to load: %.1f times (%.1f without the load)" %
      (variant, rule, sum(x["iterations"] for x in cairn), same, len(cairn), *total, load, total[0] / total[1],
       total[0] / (total[1] - load)))
P
    done
done
