#!/usr/bin/env bash
# The experiments of [A]: run.sh BENCHES SCENES FOLDER. Tables go to the screen and to FOLDER/anitescu.md, the plot of time against contacts to
# FOLDER/brazil-nut.svg. The rod is solved with both laws, from two starts; the nut with the convex relaxation and
# steps of 0.1 s, as in [A], which tells neither amplitude nor period (here 0.16 m every 0.5 s, 2.6 g at most), and with steps of 0.01 s.
set -eu
benches=${1:?usage: run.sh BENCHES SCENES FOLDER}
scenes=${2:?usage: run.sh BENCHES SCENES FOLDER}
folder=${3:?usage: run.sh BENCHES SCENES FOLDER}
mkdir -p "$folder"
falling=(--set angle=pi/6 --set speed=0 --set spin=4 --set height=0.75 --set inertia=0.002)
{
    "$benches/anitescu" painleve "$scenes/painleve.json" --out "$folder/painleve.csv"
    "$benches/anitescu" painleve "$scenes/painleve.json" --title "The falling rod of Stewart and Trinkle" "${falling[@]}"
    for step in 0.1 0.01; do
        "$benches/anitescu" brazil-nut "$scenes/brazil-nut.json" --set law=associated --set method=nncg --set "step=$step" \
            --seconds "${SECONDS_SHAKEN:-50}" --out "$folder/brazil-nut-$step.csv"
    done
} | tee "$folder/anitescu.md"
"$benches/scatter" "$folder/brazil-nut.svg" "$folder/brazil-nut-0.01.csv" contacts ms \
    --title "Brazil nut at h = 0.01 s: time of a step against its contacts" --x "contacts" --y "ms a step" \
    --note "Cairn's own run, one dot a step. Line: means of ten groups of equal size."
echo "$folder/brazil-nut.svg"
