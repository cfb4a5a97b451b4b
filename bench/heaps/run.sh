#!/usr/bin/env bash
# Work of sweeps (nncg) on dense heaps to a certificate in m/s, with and without the joint repair: run.sh CAIRN FOLDER [LIMIT...]. Work: sweeps, two an
# iteration, and products with N.
set -euo pipefail
here=$(dirname "$0")
cairn=$1 folder=$2
shift 2
bash "$here/make.sh" "$cairn" "$folder"
for limit in "${@:-1e-3 3e-4 1e-4}"; do
    for limit in $limit; do
        for repair in off on; do
            for file in "$folder"/*.hdf5; do
                "$cairn" solve "$file" --method nncg --tol 1e-2 --opt tolerance_velocity="$limit" --opt tolerance_plain=0 \
                    --opt max_iterations=16000 --opt repair=$repair --json || true
            done | python3 "$here/table.py" "$limit" "$repair"
        done
    done
done
