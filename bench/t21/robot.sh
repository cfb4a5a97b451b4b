#!/usr/bin/env bash
# TEST 3 of [T21]: counts a step of the robot, with its boxes and alone: robot.sh CAIRN SCENE [SECONDS]. A step whose groups of bodies are not connected
# solves one problem for each; counted is the group that needs most, because factoring all as one problem is factoring each group once. In
# brackets: the sum over all groups. Whole: factorisations that kept nothing (most_whole); work: multiply-adds of all factorisations in units of factoring
# all matrices of the step once. The last two columns speak of the robot alone, the problem with a saddle-point matrix: medians, and how many
# of the steps that factor it are within 15 iterations and 2 factorisations. The second row of a method is that of steps 250 to 460, in which the tool pushes boxes. Joints that are to close further are solved again, which adds up.
set -eu
cairn=${1:?usage: robot.sh CAIRN SCENE [SECONDS]}
scene=${2:?usage: robot.sh CAIRN SCENE [SECONDS]}
echo "TEST 3: the robot, iterations and factorisations a step"
echo
echo "| boxes | method | steps | not certified | iterations: median, most (sums: median) | factorisations: median, most (sums: median) | of them whole: median, most | work: median, most | within 15 iterations | solves: median, most | most contacts | robot: iterations, factorisations | robot: within both |"
echo "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
for boxes in 1 0; do
    for method in auto padmm; do
        { "$cairn" run "$scene" --until "${3:-5}" --set boxes=$boxes --method $method --give-up 0 --json || [ $? -eq 1 ]; } | awk -v method=$method -v boxes=$boxes '
            function field(name) { return match($0, "\"" name "\": [-0-9.e+]+") ? substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 4) + 0 : 0 }
            function sort(a, n,   i, j, t) { for (i = 2; i <= n; i++) { t = a[i]; for (j = i - 1; j > 0 && a[j] > t; j--) a[j + 1] = a[j]; a[j + 1] = t } }
            function row(from, to, name,   i, n, m) {
                n = bad = few = contacts = own = both = 0
                for (i in it) delete it[i]
                for (i = from; i <= to && i <= steps; i++) {
                    n++
                    it[n] = I[i]; fa[n] = F[i]; so[n] = S[i]; its[n] = SI[i]; fas[n] = SF[i]; wh[n] = W[i]; wo[n] = R[i]
                    if (C[i] > contacts) contacts = C[i]
                    bad += B[i]; few += I[i] <= 15
                    if (JF[i] > 0) { own++; ji[own] = JI[i]; jf[own] = JF[i]; both += JI[i] <= 15 && JF[i] <= 2 }
                }
                if (n == 0) return
                sort(it, n); sort(fa, n); sort(so, n); sort(its, n); sort(fas, n); sort(wh, n); sort(wo, n)
                m = int((n + 1) / 2)
                sort(ji, own); sort(jf, own)
                printf "| %s | %s | %d | %d | %d, %d (%d) | %d, %d (%d) | %d, %d | %.1f, %.1f | %d | %d, %d | %d | %d, %d | %d of %d |\n", name, method, n, bad, it[m], it[n], its[m], fa[m], fa[n], fas[m], wh[m], wh[n], wo[m], wo[n], few, so[m], so[n], contacts, ji[int((own + 1) / 2)], jf[int((own + 1) / 2)], both, own
            }
            /"type": "step"/ {
                n = ++steps
                I[n] = field("most_iterations"); F[n] = field("most_factorizations"); S[n] = field("solves")
                SI[n] = field("iterations"); SF[n] = field("factorizations"); W[n] = field("most_whole"); R[n] = field("factor_work")
                JI[n] = field("jointed_iterations"); JF[n] = field("jointed_factorizations")
                C[n] = field("contacts"); B[n] = /"certified": false/
            }
            END {
                row(1, steps, boxes ? "15" : "none")
                if (boxes) row(250, 460, "15, pushed")
            }'
    done
done
