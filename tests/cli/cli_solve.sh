#!/usr/bin/env bash
# cairn solve and check on generated problems: outcomes, exit codes, files, warm starts, traces, Ctrl-C. With published FCLIB files beside the
# repository also on some of them.
set -euo pipefail
. "$(dirname "$0")/cli_common.inc"
make small.hdf5 cairn stones=5
make second.hdf5 cairn stones=14
make large.hdf5 cairn
small=$place/small.hdf5
second=$place/second.hdf5
large=$place/large.hdf5

# text
expect 0 solve "$small" --tol 1e-6
says out 'iteration'
says out '    sweeps for few contacts: '
says out "small.hdf5"
says out "solved"
says out "error m/s"
silent err
if grep -q "$(printf '\033')" "$place/out"; then fail "colours in a file"; else pass; fi

# JSON and its fields
expect 0 solve "$small" --tol=1e-6 --json
json_lines 1
silent err
for key in file method law outcome iterations factorizations solves seconds cpu_seconds certificate error \
    error_angular relative scale rms rounding motion worst_block worst_gamma worst_u worst_shift plain natural_map tolerance certified sizes n m contacts blocks \
    rho note; do
    says out "\"$key\": "
done
says out '"contacts": 32'
says out '"outcome": "solved"'
says out '"law": "coulomb"'
below "$(number relative)" 1e-6 && pass || fail "relative $(number relative)"

# options in any place, both spellings, every option
expect 0 solve --json --law associated "$small" --tol 1e-5 --tol-plain 1e-4 --max-iter 5000 --time-limit=60 \
    --threads 2 --opt rho=0.2 --opt step_every=10 --method padmm
says out '"law": "associated"'
expect 0 solve --tol 1e-5 -- "$small"

# the cone: named in the output, its own residual, files stay round
expect 0 solve "$small" --json --tol 1e-6
says out '"cone": "round"'
if grep -q natural_map_round "$place/out"; then fail "a round residual beside round cones"; else pass; fi
expect 0 solve "$small" --cone poly:8 --json --tol 1e-6 --out "$place/poly.hdf5"
says out '"cone": "poly:8"'
says out '"natural_map_round": '
expect 0 check "$place/poly.hdf5" --cone poly:8 --tol 1e-6
says out 'coulomb law, poly:8 cone'
says out 'natural map round'
run check "$place/poly.hdf5" --tol 1e-6
says out 'coulomb law, round cone'
expect 0 compare "$place/poly.hdf5" "$place/poly.hdf5" "$place/poly.hdf5" --cone=poly:8
for bad in poly poly: poly:3 poly:5 poly:2 poly:130 poly:x poly:8x square; do
    expect 2 solve "$small" --cone "$bad"
    says err 'even, 4 to 128'
done
expect 1 solve "$small" --cone poly:8 --method ipm
says err 'round cones'

# every method runs, and says what came out
for method in $("$CAIRN" methods --json | sed 's/^{"name": "\([^"]*\)".*/\1/'); do
    run solve "$small" --method "$method" --tol 1e-3 --max-iter 2000 --json
    if [ "$code" -le 1 ]; then pass; else fail "$method: exit code $code"; fi
    grep -q "\"method\": \"$method\"\|$method does not accept" "$place/out" && pass || fail "$method is not named"
done
expect 1 solve "$small" --method lemke
says err 'its friction cones are round; --cone poly:N'
expect 0 solve "$small" --method lemke --cone poly:6
expect 1 solve "$small" --method lemke --cone poly:6 --opt max_rows=10
says err 'more than max_rows = 10'
expect 1 solve "$small" --method ipm-mt --cone poly:6
says err 'it has friction'
expect 0 solve "$small" --method ipm-mt --cone poly:6 --law associated --opt start=nocedal --opt steps=separate

# not solved: exit code 1 and why
expect 1 solve "$large" --max-iter 3 --json
says out '"outcome": "iteration limit"'
says out '"certified": false'

# several files: all are tried, the worst code wins
expect 3 solve "$small" "$place/missing.hdf5" "$second" --tol 1e-4 --json
json_lines 3
expect 1 solve "$small" "$large" --tol 1e-6 --max-iter 3 --json
json_lines 2

# --out, then check
expect 0 solve "$small" --method ipm --out "$place/solved.hdf5" --tol 1e-9
expect 0 check "$place/solved.hdf5" --tol 1e-8
says out "certified at 1e-08"
expect 0 check "$small" "$place/solved.hdf5" --json
json_lines 1
says out '"certified": true'
expect 1 check "$place/solved.hdf5" --tol 1e-16
says out "not certified"
edit velocities "$place/solved.hdf5" "$place/only_u.hdf5"
expect 3 check "$place/only_u.hdf5"
says err "solution/r"
edit unwritten "$small" "$place/unwritten.hdf5" # never written is not zero
expect 3 check "$place/unwritten.hdf5"
says err "never written"
expect 3 check "$small"
says err "/solution"
expect 3 check "$second" "$place/solved.hdf5"
says err "32 contacts"
mkdir "$place/answers"
expect 0 solve "$small" "$second" --out "$place/answers" --tol 1e-6
expect 0 check "$place/answers/second.hdf5" --tol 1e-6
expect 3 solve "$small" --out "$place/no/such/folder/x.hdf5" --tol 1e-4
says err "no/such/folder"

# warm starts
run solve "$small" --tol 1e-8 --json
cold=$(number iterations)
expect 0 solve "$small" --tol 1e-8 --warm-start "$place/solved.hdf5" --json
below "$(number iterations)" $((cold - 1)) && pass || fail "warm $(number iterations), cold $cold"
edit guess "$place/solved.hdf5" "$place/guess.hdf5"
expect 0 info "$place/guess.hdf5"
says out "A warm start is stored"
expect 0 solve "$place/guess.hdf5" --tol 1e-8 --warm-start guess --json
below "$(number iterations)" $((cold - 1)) && pass || fail "from the guess $(number iterations), cold $cold"
expect 3 solve "$second" --warm-start "$place/solved.hdf5"
says err "contacts differ"
for none in "$small" "$place/unwritten.hdf5"; do
    expect 3 solve "$none" --warm-start guess --json
    json_lines 1
    says err "no guess"
done

# the trace
expect 0 solve "$small" --tol 1e-6 --trace "$place/trace.csv" --json
iterations=$(number iterations)
[ "$(head -1 "$place/trace.csv")" = iteration,factorizations,solves,primal,dual,rho,natural_map,violation,seconds,phi ] &&
    pass || fail "head of the trace: $(head -1 "$place/trace.csv")"
[ "$(wc -l <"$place/trace.csv")" -eq $((iterations + 1)) ] && pass || fail "trace lines for $iterations iterations"
awk -F, 'NF != 10 { bad = 1 } NR > 1 && ($1 != NR - 1 || $7 == "" || $8 == "" || $10 == "") { bad = 1 } END { exit bad }' \
    "$place/trace.csv" && pass || fail "columns of the trace"
expect 3 solve "$small" --trace "$place/no/such/folder/t.csv"

# the same bits with any number of threads
run solve "$second" --tol 1e-6 --json --threads 1
one=$(number relative)
run solve "$second" --tol 1e-6 --json --threads 3
[ "$one" = "$(number relative)" ] && pass || fail "threads change the answer: $one, $(number relative)"

# Ctrl-C: the best answer so far is reported and written; exit code 1. Sweeps need minutes for this heap, on any machine
expect 0 generate spheres spheres=4000 -o "$place/heap.hdf5"
set -m # a job of its own, so that it does not ignore the interrupt
"$CAIRN" solve "$place/heap.hdf5" --method pgs --tol 1e-15 --max-iter 100000000 --json \
    --out "$place/cancelled.hdf5" >"$place/out" 2>"$place/err" &
job=$!
sleep 2
kill -INT "$job"
code=0
wait "$job" || code=$?
set +m
if [ "$code" -eq 1 ]; then pass; else fail "exit code $code after an interrupt, expected 1"; fi
json_lines 1
if grep -qE '"outcome": "(cancelled|stalled)"' "$place/out"; then pass; else fail "outcome after an interrupt"; fi
[ -s "$place/cancelled.hdf5" ] && pass || fail "no answer written after an interrupt"

# every sample is solved and certified again from the answer's file, with both laws; known answers are certified as they come
list_samples
for name in $samples; do
    case $name in
    manufactured) continue ;; # holds a function: there is no file
    pile) make sample.hdf5 "$name" spheres=150 ;;
    *) make sample.hdf5 "$name" ;;
    esac
    if grep -q "with the known solution" "$place/out"; then expect 0 check "$place/sample.hdf5"; fi
    for law in coulomb associated; do
        expect 0 solve "$place/sample.hdf5" --law "$law" --tol 1e-8 --out "$place/answer.hdf5" --json
        json_lines 1
        says out '"certified": true'
        below "$(number natural_map)" 1e-8 && pass || fail "$name, $law: natural_map $(number natural_map)"
        expect 0 check "$place/answer.hdf5" --law "$law" --tol 1e-8
        expect 0 check "$place/sample.hdf5" "$place/answer.hdf5" --law "$law" --tol 1e-8
    done
done

# what others wrote: guesses and vectors they stored, boxes with many bodies that touch nothing, finite elements
if published; then
    box=$stacks/Box_Stacks-i0035-31-0.hdf5
    boxes=$stacks/Box_Stacks-i0122-73-2.hdf5
    many=$stacks/Box_Stacks-i1000-548-40.hdf5
    expect 0 solve "$box" --tol 1e-6 --json
    says out '"contacts": 31'
    says out '"outcome": "solved"'
    below "$(number natural_map)" 1e-6 && pass || fail "natural_map $(number natural_map)"
    expect 0 solve "$box" --method ipm --tol 1e-9 --out "$place/box.hdf5"
    expect 0 check "$box" "$place/box.hdf5"
    expect 0 solve "$box" --cone poly:8 --tol 1e-6
    expect 0 solve "$box" --method lemke --cone poly:6
    expect 0 solve "$box" --method ipm-mt --cone poly:6 --law associated --opt start=nocedal --opt steps=separate
    for method in $("$CAIRN" methods --json | sed 's/^{"name": "\([^"]*\)".*/\1/'); do
        run solve "$box" --method "$method" --tol 1e-3 --max-iter 2000 --json
        if [ "$code" -le 1 ]; then pass; else fail "$method: exit code $code"; fi
    done
    expect 3 check "$box"
    says err "solution/r"
    expect 3 check "$boxes" "$place/box.hdf5"
    says err "31 contacts"
    run solve "$box" --tol 1e-8 --json
    cold=$(number iterations)
    expect 0 solve "$box" --tol 1e-8 --warm-start "$place/box.hdf5" --json
    below "$(number iterations)" $((cold - 1)) && pass || fail "warm $(number iterations), cold $cold"
    expect 0 solve "$boxes" --tol 1e-6 --warm-start guess
    expect 3 solve "$others/CubeH8.hdf5" --warm-start guess --json
    says err "no guess"
    expect 1 solve "$box" "$many" --tol 1e-6 --max-iter 3 --json
    json_lines 2
fi
finish
