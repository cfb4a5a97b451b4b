#!/usr/bin/env bash
# What new users stumbled over: names of options, help, standard input, energies, tables, verdicts. Needs no test data.
set -eu
. "$(dirname "$0")/cli_common.inc"
cd "$place"

# help in every form; options that are near
expect 0 help run
says out "usage: cairn run SCENE [options]"
expect 0 help help
says out "usage: cairn COMMAND"
expect 2 help rnu
says err "did you mean 'run'?"
expect 0 -v
says out "cairn "
expect 2 --verson
says err "did you mean '--version'? See cairn --help"
expect 2 run brick --untill 3
says err "did you mean '--until'? See cairn run --help"

# one name for one thing: -o and --out, --until and --to, everywhere
expect 0 run brick --until 0.3 -o brick.h5
expect 0 view brick.h5 --until 0.2 --out brick.html
expect 0 view brick.h5 --to 0.2 -o brick2.html
if cmp -s brick.html brick2.html; then pass; else fail "--to and --until differ"; fi
expect 0 generate cairn stones=6 -o heap.hdf5
expect 0 solve heap.hdf5 -o first.hdf5

# a scene from standard input
"$CAIRN" scenes brick >my.json
code=0
"$CAIRN" run - --until 0.1 <my.json >out 2>err || code=$?
[ "$code" = 0 ] && grep -q "all 10 steps are certified" out && pass || fail "cairn run - ended with $code"

# parameters that there are
expect 3 run brick --set foo=0.1
says err "the scene has no parameter 'foo'; it has mu, height"

# energies: a table, what the stepping makes against what changed form, damping by itself
expect 0 run ball --until 0.4
says out "time-stepping error"
says out "% of the"
# of walls that stand nothing changes form but rounding
expect 0 run wall-rest --set walls=1 --until 0.1
grep -q "time-stepping error" "$place/out" && fail "rounding is called an error of the stepping" || pass
expect 0 run egg --until 0.1 --quiet
says out "damping of flexible parts"
grep -q "left over" out && fail "energies are left over without a word" || pass
expect 0 run cushion --until 0.1 --json
python3 - "$place/out" <<'END' && pass || fail "keys twice, or works are missing"
import json, sys
def once(pairs):
    keys = [k for k, _ in pairs]
    assert len(keys) == len(set(keys)), keys
    return dict(pairs)
run = [json.loads(line, object_pairs_hook=once) for line in open(sys.argv[1])][-1]
assert run["joints"] == 0 and run["works"]["damping"] > 0 and run["turned_over"] > 0
END
expect 0 run robot --until 0.02 --json
python3 -c 'import json, sys
def once(pairs):
    assert len({k for k, _ in pairs}) == len(pairs)
    return dict(pairs)
assert [json.loads(l, object_pairs_hook=once) for l in open(sys.argv[1])][-1]["joints"] == 11' "$place/out" && pass || fail "the key joints is there twice"

# motors against each other
cat >fight.json <<'END'
{"gravity": [0, 0, 0], "until": 0.2, "bodies": [{"name": "a", "mass": 1, "inertia": [1, 1, 1]}],
 "joints": [{"name": "fast", "kind": "revolute", "b": "a", "motor": {"speed": 2, "limit": 10}},
            {"name": "slow", "kind": "revolute", "b": "a", "motor": {"speed": 1, "limit": 10}}]}
END
expect 0 run fight.json
says out "motors work against each other in"
says out "first fast and slow"

# elements of a part that touches nothing are not "contacts"
cat >beam.json <<'END'
{"until": 0.2, "flexible": [{"name": "beam", "mesh": {"box": {"edge": [1, 0.1, 0.1], "cells": [20, 4, 4]}}, "elastic": {"E": 1e8, "density": 1000},
  "hold": [{"box": [[-0.5, -1, -1], [-0.5, 1, 1]]}]}]}
END
expect 0 run beam.json
says out "  1 body, 0 joints;"
share=$(sed -n 's/.*time: contacts \([0-9]*\) %.*/\1/p' "$place/out")
below "$share" 10 && pass || fail "$share % of the time are contacts where there are none"

# a verdict: two answers to 1e-9 are the same, one of them and a poor one are not
expect 0 solve heap.hdf5 --tol 1e-9 --method pgs --max-iter 100000 -o second.hdf5
expect 0 compare heap.hdf5 first.hdf5 second.hdf5
says out "The same answer: u differs by at most"
expect 0 generate cairn stones=6 kick=0.7 -o other.hdf5
expect 0 solve other.hdf5 -o third.hdf5
expect 0 compare heap.hdf5 first.hdf5 second.hdf5 --json
says out '"answer": "same"'
"$CAIRN_EDIT" velocities third.hdf5 third_u.hdf5
expect 1 compare heap.hdf5 first.hdf5 third_u.hdf5
says out "Different answers"
# at rest: noise over noise is no difference
expect 0 generate stack -o rest.hdf5
expect 0 solve rest.hdf5 --method pgs --tol 1e-5 --max-iter 100000 -o rest1.hdf5
expect 0 solve rest.hdf5 --method ipm --tol 1e-6 -o rest2.hdf5
expect 0 compare rest.hdf5 rest1.hdf5 rest2.hdf5
# rows of joints are part of u
expect 0 generate chain -o chain.hdf5
expect 0 solve chain.hdf5 --tol 1e-9 -o chain1.hdf5
expect 0 solve chain.hdf5 --tol 1e-4 --method ipm -o chain2.hdf5
expect 0 compare chain.hdf5 chain1.hdf5 chain2.hdf5 --json
python3 -c 'import json, sys
assert json.load(open(sys.argv[1]))["u"]["difference"] > 0' "$place/out" && pass || fail "rows of joints are left out of u"

# tables that stand alone
cat >pair.json <<'END'
{"bodies": [{"name": "floor", "shape": {"plane": {}}}, {"name": "arm", "shape": {"sphere": {"radius": 0.1}}, "position": [0, 0, 1]},
  {"name": "brick", "shape": {"box": {"size": [0.2, 0.2, 0.2]}}, "position": [2, 0, 0.1]}],
 "joints": [{"name": "hinge", "kind": "revolute", "b": "arm", "position": [0, 0, 1], "axis": [0, 1, 0]}]}
END
expect 0 run pair.json --until 0.2 -o pair.h5
expect 0 export pair.h5 --to csv -o tables --every 5 --from 0.05 --until 0.2
says tables/joints.csv '0,"hinge",revolute,-1,,1,"arm"'
says tables/poses.csv "step,time,body,name,"
says tables/contacts.csv ',0,"floor",2,"brick",stick,'
says tables/reactions.csv ',0,"hinge",'
[ "$(wc -l <tables/frames.csv)" -eq 5 ] && pass || fail "$(wc -l <tables/frames.csv) lines of frames, expected 5"
expect 3 export pair.h5 --to csv -o none --from 3
[ ! -e none ] && pass || fail "tables without a frame"

# nothing is printed or written for what is not there
expect 3 solve nope.hdf5
silent out
expect 3 bench /nonexist --out report
[ ! -e report ] && pass || fail "a report of nothing"
expect 3 run brick --out /nonexist/x.h5
says err "/nonexist/x.h5: cannot be written: there is no folder '/nonexist'"
# a folder that is there, in which the system makes no files
if [ -d /proc/self ]; then
    expect 3 run brick --out /proc/x.h5
    says err "/proc/x.h5: cannot be written: no files can be made in its folder"
fi

# the table of the demo is straight: every row has its numbers under the heads
expect 0 demo --stones 6
awk '/^method /{ at = index($0, "iterations") + 9 } at && / (solved|stalled) /{ if (substr($0, at, 2) !~ /^[0-9] $/) bad = 1 } /^$/{ at = 0 } END { exit bad }' "$place/out" && pass || fail "the table of the demo is not straight"

finish
