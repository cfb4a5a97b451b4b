#!/usr/bin/env bash
# TEST 3 of [T21]: counts a step of the robot, with its boxes and alone: robot.sh CAIRN SCENE [SECONDS]. A step whose groups of bodies are not connected
# solves one problem for each; counted is the group that needs most, because factoring all as one problem is factoring each group once. In
# brackets: the sum over all groups. Joints that are to close further are solved again, which adds up.
set -eu
cairn=${1:?usage: robot.sh CAIRN SCENE [SECONDS]}
scene=${2:?usage: robot.sh CAIRN SCENE [SECONDS]}
echo "TEST 3: the robot, iterations and factorisations a step"
echo
echo "| boxes | method | steps | not certified | iterations: median, most (sums: median) | factorisations: median, most (sums: median) | solves: median, most | most contacts |"
echo "|---|---|---|---|---|---|---|---|"
for boxes in 1 0; do
    for method in auto padmm; do
        { "$cairn" run "$scene" --until "${3:-5}" --set boxes=$boxes --method $method --json || [ $? -eq 1 ]; } | awk -v method=$method -v boxes=$boxes '
            function field(name) { return match($0, "\"" name "\": [-0-9.e+]+") ? substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 4) + 0 : 0 }
            function sort(a, n,   i, j, t) { for (i = 2; i <= n; i++) { t = a[i]; for (j = i - 1; j > 0 && a[j] > t; j--) a[j + 1] = a[j]; a[j + 1] = t } }
            /"type": "step"/ {
                n++
                it[n] = field("most_iterations"); fa[n] = field("most_factorizations"); so[n] = field("solves")
                its[n] = field("iterations"); fas[n] = field("factorizations")
                if (field("contacts") > contacts) contacts = field("contacts")
                bad += /"certified": false/
            }
            END {
                sort(it, n); sort(fa, n); sort(so, n); sort(its, n); sort(fas, n)
                m = int((n + 1) / 2)
                printf "| %s | %s | %d | %d | %d, %d (%d) | %d, %d (%d) | %d, %d | %d |\n", boxes ? "15" : "none", method, n, bad, it[m], it[n], its[m], fa[m], fa[n], fas[m], so[m], so[n], contacts
            }'
    done
done
