#!/usr/bin/env bash
# The experiments of [A]: run.sh BENCHES SCENES FOLDER. Tables go to the screen and to FOLDER/anitescu.md, the plot of time against contacts to
# FOLDER/brazil-nut.svg. The rod is solved with both laws; the nut with the convex relaxation, as in [A], which
# tells neither amplitude nor period: here 0.16 m every 0.5 s, 2.6 g at most.
set -eu
benches=${1:?usage: run.sh BENCHES SCENES FOLDER}
scenes=${2:?usage: run.sh BENCHES SCENES FOLDER}
folder=${3:?usage: run.sh BENCHES SCENES FOLDER}
mkdir -p "$folder"
{
    "$benches/anitescu" painleve "$scenes/painleve.json" --out "$folder/painleve.csv"
    "$benches/anitescu" brazil-nut "$scenes/brazil-nut.json" --set law=associated --set method=nncg --set tolerance=1e-3 \
        --set amplitude=0.16 --seconds "${SECONDS_SHAKEN:-50}" --out "$folder/brazil-nut.csv"
} | tee "$folder/anitescu.md"
"$benches/scatter" "$folder/brazil-nut.svg" "$folder/brazil-nut.csv" contacts ms \
    --title "Brazil nut: time of a step against its contacts" --x "contacts" --y "ms a step" \
    --note "Cairn's own run, one dot a step. Line: means of ten groups of equal size."
echo "$folder/brazil-nut.svg"
