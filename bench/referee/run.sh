#!/usr/bin/env bash
# Every problem of a folder, both laws, 1e-4 and 1e-8, judged a second time by a program that knows nothing of Cairn: run.sh CAIRN FOLDER REFEREE OUT. FOLDER
# holds FCLIB files, REFEREE the program backward.py. Needs python3-h5py and python3-scipy, which it installs. Exit code 1: the two do not agree.
set -euo pipefail
cairn=${1:?usage: run.sh CAIRN FOLDER REFEREE OUT}
folder=${2:?usage: run.sh CAIRN FOLDER REFEREE OUT}
referee=${3:?usage: run.sh CAIRN FOLDER REFEREE OUT}
out=${4:?usage: run.sh CAIRN FOLDER REFEREE OUT}
here=$(dirname "$0")
[ -f "$referee/backward.py" ] || { echo "no program $referee/backward.py" >&2; exit 1; }
mapfile -t files < <(find -L "$folder" -name '*.hdf5' | sort)
[ ${#files[@]} -gt 0 ] || { echo "no problems in $folder" >&2; exit 1; }
if ! /usr/bin/python3 -c 'import h5py, scipy' 2>/dev/null; then
    DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends python3-h5py python3-scipy </dev/null >/dev/null
fi
rm -rf "$out"
mkdir -p "$out"
for law in coulomb associated; do
    for tolerance in 1e-4 1e-8; do
        name=$out/$law-$tolerance
        mkdir "$name"
        for file in "${files[@]}"; do # one by one: files of the same name in two folders
            "$cairn" solve "$file" --law $law --tol $tolerance --json --out "$name/answer.hdf5" >"$name/line" 2>"$name/words" || [ $? -le 3 ]
            PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$here/compare.py" "$referee" "$law" "$tolerance" "$name/line" "$file" "$name/answer.hdf5"
        done
    done
done | tee "$out/table"
awk '{ n[$1]++ } END { printf "%d agree, %d differ, %d not solved and told so, %d refused by name\n", n["agree"], n["differ"], n["unsolved"], n["refused"]; exit n["differ"] > 0 }' "$out/table"
