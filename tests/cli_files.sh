#!/usr/bin/env bash
# cairn compare, convert and info on real problems.
set -eu
. "$(dirname "$0")/cli_common.inc"
need_data
small=$stacks/Box_Stacks-i0035-31-0.hdf5
second=$stacks/Box_Stacks-i0122-73-2.hdf5
given=$others/LMGC_100_PR_PerioBox-i00361-60-03000.hdf5

# two methods agree in u
expect 0 solve "$second" --tol 1e-9 --out "$place/a.hdf5"
expect 0 solve "$second" --tol 1e-9 --method admm --max-iter 100000 --out "$place/b.hdf5"
expect 0 compare "$second" "$place/a.hdf5" "$place/b.hdf5"
says out "gamma need not be unique"
expect 0 compare "$second" "$place/a.hdf5" "$place/b.hdf5" --json
json_lines 1
says out '"kinetic_energy": {'
below "$(number relative)" 1e-6 && pass || fail "two methods differ in u by $(number relative)"
# the file itself as one side: it stores u only
expect 0 compare "$second" "$second" "$place/a.hdf5"
says out "not stored"
below "$("$CAIRN" compare "$second" "$second" "$place/a.hdf5" --json | grep -o '"relative": [-0-9.e+]*' | head -1 |
    sed 's/.*: //')" 1e-3 && pass || fail "stored u is far from the answer"
expect 0 compare "$second" "$place/a.hdf5" "$place/a.hdf5" --json
[ "$(number relative)" = 0 ] && pass || fail "a solution differs from itself"
expect 3 compare "$second" "$place/a.hdf5" "$given"
expect 3 compare "$small" "$place/a.hdf5" "$place/b.hdf5"
says err "contacts differ"

# global to local: the same u
expect 0 convert "$second" "$place/local.hdf5" --to local
says out "local form, 73 contacts"
expect 0 info "$place/local.hdf5" --json
says out '"form": "local"'
says out '"n": 0, "m": 219'
expect 0 solve "$place/local.hdf5" --tol 1e-9 --out "$place/c.hdf5" --max-iter 100000
expect 0 convert "$place/a.hdf5" "$place/a_local.hdf5" --to local # keeps u and r, drops v
expect 0 check "$place/a_local.hdf5"
expect 0 compare "$place/local.hdf5" "$place/a_local.hdf5" "$place/c.hdf5" --json
below "$(number relative)" 1e-6 && pass || fail "global and local forms differ in u by $(number relative)"
# local to global is impossible
expect 1 convert "$place/local.hdf5" "$place/global.hdf5" --to global
says err "cannot be made global"
[ ! -e "$place/global.hdf5" ] && pass || fail "a refused conversion left a file"
expect 0 convert "$given" "$place/given.hdf5"
says out "local form"
# the same form: nothing is lost
expect 0 convert "$second" "$place/copy.hdf5"
expect 0 solve "$place/copy.hdf5" --tol 1e-6
expect 3 convert "$second" "$place/no/such/folder/x.hdf5"

# Siconos text to FCLIB: one contact, W = 2I, q = (-1, 0, 0): r = (0.5, 0, 0)
printf '3\n1\n0\n3 3\n3 3\n2 0 0\n0 2 0\n0 0 2\n-1 0 0\n0.3\n' >"$place/one.dat"
expect 0 convert "$place/one.dat" "$place/one.hdf5"
says out "1 contacts"
expect 0 solve "$place/one.hdf5" --out "$place/one_solved.hdf5"
expect 0 check "$place/one_solved.hdf5"
# with an answer behind it: judged, a place to start from, kept by a conversion
{ cat "$place/one.dat" && printf '1\n0.5 0 0\n0 0 0\n'; } >"$place/answered.dat"
expect 0 check "$place/answered.dat"
expect 0 check "$place/one.hdf5" "$place/answered.dat"
expect 0 solve "$place/answered.dat" --warm-start guess
silent err
expect 0 convert "$place/answered.dat" "$place/answered.hdf5"
expect 0 check "$place/answered.hdf5"
{ cat "$place/one.dat" && printf '0\n0.7 0 0\n'; } >"$place/wrong.dat"
expect 1 check "$place/wrong.dat"
expect 3 check "$place/one.dat"
says err "no answer behind the problem, expected a reaction"
{ cat "$place/one.dat" && printf '1\n0.5 0\n'; } >"$place/short.dat"
expect 0 solve "$place/short.dat"
says err "line 11: 3 numbers behind the problem, the first 1, were left out"
expect 0 info "$place/short.dat" --json
json_lines 1
says out '"note": "line 11: 3 numbers'

# info
expect 0 info "$small"
says out "n = 450 velocities, m = 93 rows"
says out "rank           93 of 93 rows"
says out "what to expect"
silent err
expect 0 info "$stacks/Box_Stacks-i1000-548-40.hdf5" --json
json_lines 1
says out '"rank": 449'
says out '"matrix": "diagonal"'
expect 0 info "$given" "$others/CubeH8.hdf5" --json
json_lines 2
says out '"symmetric": false'
says out '"rank": 72'
expect 3 info "$small" "$others/Chute-ndof-768-nc-4-3.hdf5" --json
json_lines 2
finish
