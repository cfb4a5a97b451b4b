#!/usr/bin/env bash
# The comparisons of [AKM]: run.sh CAIRN FOLDER OUT. FOLDER holds the box stacks. PARTS chooses among
#     variants   Figures 1 to 4 by Cairn: twelve variants for each first penalty, associated law, certificate at 1e-3; RULES and VARIANTS narrow the choice
#     s-update   Figures 5 to 7 and Table 3 by Cairn, on the file and with the sign of f turned as the authors have it
#     authors    Table 3, Table 2 and Figures 1 to 4 in the authors' own set-up (authors.py)
#     race       the same iteration in NumPy and SciPy (reference.py)
#     figures    the pictures of docs/figures from what the other parts left in OUT
set -eu
cairn=${1:?usage: run.sh CAIRN FOLDER OUT}
folder=${2:?usage: run.sh CAIRN FOLDER OUT}
out=${3:?usage: run.sh CAIRN FOLDER OUT}
here=$(dirname "$0")
python=/usr/bin/python3
rules=${RULES:-"dicairano normal acary ghadimi"}
variants=${VARIANTS:-"cp-N cp-R cp-RR vp-N-He vp-R-He vp-RR-He vp-N-Wohlberg vp-R-Wohlberg vp-RR-Wohlberg vp-N-Spectral vp-R-Spectral vp-RR-Spectral"}
files=("$folder"/*.hdf5)
stack=$folder/Box_Stacks-i1000-352-6.hdf5
[ -f "${files[0]}" ] || { echo "no problems in $folder" >&2; exit 1; }
mkdir -p "$out"

variants() {
    local rule variant methods some
    for rule in $rules; do
        methods=
        some=("${files[@]}")
        # the eigenvalues of N take many times the solve: every third problem
        if [ "$rule" = ghadimi ]; then
            some=()
            for i in "${!files[@]}"; do [ $((i % 3)) -ne 0 ] || some+=("${files[i]}"); done
        fi
        for variant in $variants; do methods+=,$variant@primal-admm:variant=$variant:rho0=$rule; done
        echo "== rho0=$rule"
        "$cairn" bench "${some[@]}" --law associated --tol 1e-3 --max-iter 2000 --repeat 1 --methods "${methods#,}" --out "$out/$rule" >/dev/null
        "$python" "$here/../common/profiles.py" "$out/$rule/results.jsonl" --title "Cairn, first penalty: $rule" --svg "$out/akm-$rule.svg" --group 3
    done
}

# s_update NAME FILE: one row a way to renew s, from the note and the trace
s_update() {
    local update name=$1 file=$2
    for update in external internal internal-external-stop; do
        "$cairn" solve "$file" --method primal-admm --opt stop=paper --opt s-update=$update --trace "$out/$name-$update.csv" \
            --json >"$out/$name-$update.json" || [ $? -eq 1 ]
        "$python" - "$name" $update "$out/$name-$update.json" <<'P'
import json
import re
import sys

name, update, path = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    r = json.loads(file.readline())
m = re.search(r"(\d+) renewals of s, \|Phi\(s\)\| = (\S+)", r["note"])
print(f"| {name}, {update} | {r['iterations']} | {m[1] if m else '-'} | {m[2] if m else '-'} |")
P
    done
}
all_s_updates() {
    "$python" "$here/authors.py" turn "$stack" "$out/turned.hdf5"
    echo "== s-update by Cairn"
    echo
    echo "| problem, s-update | iterations | renewals of s | ‖Φ(s)‖ |"
    echo "|---|---|---|---|"
    s_update file "$stack"
    s_update turned "$out/turned.hdf5"
}

authors() {
    "$python" "$here/authors.py" s-update --traces "$out" "$stack"
    "$python" "$here/authors.py" variants --figures "$out" --out "$out/authors.jsonl" "${files[@]}"
}

race() {
    local variant rule round
    echo "== race with NumPy and SciPy"
    echo
    echo "| variant, penalty | iterations | the same on | NumPy and SciPy | Cairn, load counted | ratio | without the load |"
    echo "|---|---|---|---|---|---|---|"
    for variant in cp-RR vp-RR-He; do
        for rule in normal dicairano; do
            "$python" "$here/reference.py" --repeat 3 --variant $variant --rho0 $rule "${files[@]}" >"$out/numpy.jsonl"
            for round in 1 2 3; do
                "$cairn" solve "${files[@]}" --law associated --method primal-admm --opt stop=paper --opt variant=$variant \
                    --opt rho0=$rule --max-iter 5000 --json >"$out/cairn.$round.jsonl" || [ $? -eq 1 ]
            done
            "$python" - $variant $rule "$out/numpy.jsonl" "$out"/cairn.[123].jsonl <<'P'
import json
import sys

variant, rule = sys.argv[1:3]
numpy, *rounds = ([json.loads(line) for line in open(path)] for path in sys.argv[3:])
cairn = [min(results, key=lambda x: x["cpu_seconds"]) for results in zip(*rounds)]
same = sum(a["iterations"] == b["iterations"] for a, b in zip(numpy, cairn))
total = [sum(x["cpu_seconds"] for x in results) for results in (numpy, cairn)]
load = sum(x["load_cpu_seconds"] for x in cairn)
name = {"normal": "normal", "dicairano": "Di Cairano"}[rule]
print("| %s, %s | %d | %d of %d | %.2f s | %.3f s | %.1f | %.1f |" % (variant, name, sum(x["iterations"] for x in cairn), same, len(cairn), *total,
                                                                 total[0] / total[1], total[0] / (total[1] - load)))
P
        done
    done
}

figures() {
    local plot number update name panels=(--panel phi "‖Φ(s)‖, m/s" --panel rho "ρ" --panel primal "primal residual, m/s")
    plot=$(dirname "$cairn")/bench/t21_plot
    number=5
    for update in external internal internal-external-stop; do
        name=${update/internal-external-stop/internal-s}
        "$plot" "$out/akm-figure$number.svg" --title "[AKM] Figure $number: $update renewal of s, vp-RR-He, Di Cairano" \
            --note "Box_Stacks-i1000-352-6. The authors' set-up counts $([ $update = external ] && echo "convex problems" || echo iterations); Cairn counts iterations, stop=paper." \
            --most ${MOST:-250} "${panels[@]}" --series "the authors' set-up" "$out/authors-$name.csv" \
            --series "Cairn, f turned as theirs" "$out/turned-$update.csv" --series "Cairn, the file" "$out/file-$update.csv"
        number=$((number + 1))
    done
}

for part in ${PARTS:-variants s-update authors race figures}; do
    case $part in
    s-update) all_s_updates ;;
    variants | authors | race | figures) $part ;;
    *) echo "there is no part $part; known are variants s-update authors race figures" >&2; exit 2 ;;
    esac
done
