#!/usr/bin/env bash
# Fourteen dense heaps as problem files: make.sh CAIRN FOLDER. Steps of the granular scene with three coefficients of friction, generated piles, one
# step of the wall after the ball has hit it.
set -euo pipefail
cairn=$(realpath "$1")
mkdir -p "$2"
cd "$2"

step() { # name, scene, step number, length of a step, options...
    [ -e "$1.hdf5" ] && return
    rm -rf work && mkdir work
    (cd work && "$cairn" run "$2" "${@:5}" --until "$(awk "BEGIN { print ($3 + 0.5) * $4 }")" --dump-step "$3" --give-up 0 --quiet >log) || true
    mv work/*.hdf5 "$1.hdf5"
    rm -rf work
}

for at in 5:60 5:120 5:300 5:390 3:150 3:300 8:120 8:300; do
    step "g${at%:*}_$(printf %03d "${at#*:}")" granular "${at#*:}" 0.005 --set size=1000 --set mu=".${at%:*}"
done
for at in 400:4 1000:6 2000:2 4000:4; do
    [ -e "p${at%:*}_${at#*:}.hdf5" ] || "$cairn" generate pile spheres="${at%:*}" seed="${at#*:}" --out "p${at%:*}_${at#*:}.hdf5"
done
[ -e s1000_4.hdf5 ] || "$cairn" generate spheres spheres=1000 seed=4 --out s1000_4.hdf5
step wall_120 wall 120 0.02
