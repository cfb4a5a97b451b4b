#!/usr/bin/env bash
# `cairn run` and `cairn scenes`: scenes by name and by file, overrides, wrong scenes, dumps, exit codes. Needs no test data.
set -eu
. "$(dirname "$0")/cli_common.inc"
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$place"

# every scene that ships can be built, and its file is what the program holds
expect 0 scenes
cp "$place/out" list
for file in "$root"/scenes/*.json; do
    name=$(basename "$file" .json)
    [ "$name" = schema ] && continue
    if grep -q "^$name " list; then pass; else fail "cairn scenes does not list $name"; fi
    run scenes "$name"
    if cmp -s "$place/out" "$file"; then pass; else fail "cairn scenes $name differs from $file"; fi
done
expect 0 scenes --json
json_lines "$(ls "$root"/scenes/*.json | grep -vc schema.json)"
expect 2 scenes incine
says err "did you mean 'incline'?"

# a run: summary, exit code 0
expect 0 run brick
says out "all 200 steps are certified"
says out "2 bodies, 0 joints; step 0.01 s, until 2 s; method auto, law coulomb"
expect 0 run stack --until 0.1
says out "all 10 steps are certified"
expect 0 run stack-pull --until 0.1
expect 0 run incline --until 0.5 --threads 2
expect 0 run pinch --until 0.2
says out "largest joint gap"
expect 0 run painleve --until 0.2 --set mu=0.3
says out "mu = 0.3"
expect 0 run card-house --until 0.1
expect 0 run arch --until 0.05
expect 0 run dominoes --until 0.1 --set count=5
expect 0 run ball --step 0.01 --until 0.5 --law associated --tol 1e-8 --method nsn --opt max_iterations=50
says out "method nsn, law associated; certified within 1 um/s"
expect 0 run wall --until 0.04 --set walls=1 --set rows=4 --set columns=3 --set ball=0
says out "13 bodies"

# the same bits twice, and for another number of threads
expect 0 run brick --json --until 0.3
json_lines 31
grep -v '"type": "run"' "$place/out" | sed 's/"seconds": [^,}]*//' >first
expect 0 run brick --json --until 0.3 --threads 2
grep -v '"type": "run"' "$place/out" | sed 's/"seconds": [^,}]*//' >second
if cmp -s first second; then pass; else fail "two runs differ"; fi

# a file of one's own
"$CAIRN" scenes brick >my.json
expect 0 run my.json --until 0.1 --set bodies[1].density=1 --set height=2
says out "height = 2"
expect 0 run ./my.json --until 0
sed 's/"density": 2000/"densty": 2000/' my.json >wrong.json
expect 3 run wrong.json
says err "wrong.json:14:13: bodies[1].densty: unknown key 'densty'; did you mean 'density'?"
expect 3 run wrong.json --json
json_lines 1
says out '"error"'
expect 3 run brik
says err "did you mean 'brick'?"
expect 3 run nowhere.json
says err "nowhere.json: cannot be opened"
head -c 300 /dev/urandom >picture.json
expect 3 run picture.json

# wrong values by option
expect 3 run brick --set mu=-1
says err "materials.default.friction: expected a number that is 0 or more, found -1"
expect 3 run brick --set muu=1
says err "the scene has no parameter 'muu'; did you mean 'mu'?"
expect 2 run brick --set mu
says err "--set expects PATH=VALUE"
expect 2 run brick --method nsm
says err "did you mean 'nsn'?"
expect 3 run brick --opt nothing=1
expect 2 run
expect 2 run brick --until -1

# dumps can be solved again; a step that is not certified gives exit code 1 and is listed
expect 0 run arch --until 0.02 --dump-step 2
says err "arch-000002.hdf5"
expect 0 solve arch-000002.hdf5
expect 1 run arch --until 0.02 --method pgs --opt max_iterations=1 --dump-failed failed
says out "not certified: 2 of 2 steps: 1 2"
expect 0 solve failed/arch-000001.hdf5
# joints that stay open are a step that is not certified, although every solve is: exit code, summary, steps, dumps and recording say so
cat >open.json <<'END'
{
    "gravity": [0, 0, 0],
    "until": 0.05,
    "bodies": [{"name": "box", "mass": 1, "inertia": [0.1, 0.1, 0.1], "position": [1, 0, 0]}],
    "joints": [{"name": "hold", "kind": "fixed", "b": "box"},
               {"name": "hook", "kind": "fixed", "b": "box", "frame_b": {"rotation": {"axis": [0.6, 0, 0.8], "angle": 2.9}}}]
}
END
expect 1 run open.json --out open.h5 --dump-failed open
says out "not certified: 5 of 5 steps: 1 2 3 4 5"
says out "joints stay open in 5 of them: hook by 1.6"
says out " rad in step 1; more than 10 times joint_tolerance"
says err "step 1 written to open/open-000001.hdf5"
expect 0 export open.h5 --to csv -o open
says open/frames.csv "the joint in slot 2 stays open by 1.59"
expect 1 run open.json --json
says out '"certified": false'
says out '"joint_gap_unit": "rad", "worst_joint": "hook", "joints_closed": false'
says out '"joints_open": 5'
expect 1 run open.json --set joint_tolerance=0.2
if grep -q "joints stay open" "$place/out"; then fail "joints open by less than ten times joint_tolerance are told"; else pass; fi

# A ball between walls that close in: no motion meets both, so the ball is left in them. The run says so, and gives up.
cat >pressed.json <<'END'
{
    "gravity": [0, 0, 0],
    "until": 0.15,
    "bodies": [
        {"name": "left", "kind": "kinematic", "shape": {"box": {"size": [0.2, 1, 1]}}, "position": [-0.2, 0, 0], "velocity": [0.5, 0, 0]},
        {"name": "right", "kind": "kinematic", "shape": {"box": {"size": [0.2, 1, 1]}}, "position": [0.2, 0, 0], "velocity": [-0.5, 0, 0]},
        {"name": "ball", "shape": {"sphere": {"radius": 0.09}}, "density": 1000}
    ]
}
END
expect 1 run pressed.json --give-up 7 --out pressed.h5
says out "gave up after 9 of 15 steps: the last 7 were not certified (--give-up 7; 0: never)"
says out "not certified: 7 of 9 steps: 3 4 5 6 7 8 9"
says out "bodies lie deeper in each other than their tolerance in 7 of them: left and ball by 0.035 m in step 9, more than 0.0018; a smaller step or more substeps may help"
says out "no motion was found that meets contacts and joints in 7 steps: there bodies move so that no energy is gained (marked in recording and page)"
expect 0 export pressed.h5 --to csv -o pressed
says pressed/frames.csv ",partial_factorizations,depth,depth_tolerance,apart,fallbacks,inverted"
if awk -F, 'END { exit !($(NF - 4) > 0.0349 && $(NF - 3) > 0.0017 && $(NF - 2) == 0 && $(NF - 1) == 1 && $NF == 0 && NR == 11) }' pressed/frames.csv; then pass; else fail "the last frame does not hold the depth that was left"; fi
expect 1 run pressed.json --give-up 7 --json
json_lines 10
says out '"depth_tolerance": 0.0018, "deep": ["left", "ball"], "apart": false, "fallbacks": 1, "inverted": 0, "inverted_part": null, "missed": 0'
says out '"depth": 0, "depth_tolerance": 0, "deep": null, "apart": true, "fallbacks": 0, "inverted": 0, "inverted_part": null, "missed": 0'
says out '"uncertified": 7, "stopped": true, "gave_up": true'
says out '"steps_too_deep": 7, "steps_missed": 0, "steps_fallen_back": 7'
for limit in 0 13 14; do # 13: of 13 in a row the last is the last step, nothing is given up
    expect 1 run pressed.json --give-up $limit --json
    says out '"steps": 15, "uncertified": 13, "stopped": false, "gave_up": false'
done
expect 1 run pressed.json --until 5 --json
says out '"steps": 52, "uncertified": 50, "stopped": true, "gave_up": true'
# the tolerance is the scene's: a deeper overlap is allowed
expect 1 run pressed.json --set depth_tolerance=0.012 --give-up 0
says out "bodies lie deeper in each other than their tolerance in 12 of them: right and ball by 0.13 m in step 15, more than 0.012"
expect 3 run pressed.json --set depth_tolerance=-1
says err "depth_tolerance: expected a number that is 0 or more, found -1"
# uncertified steps with certified ones between them are no row
sed 's/"velocity": \[\(-\{0,1\}\)0.5,/"velocity": ["=\11.57*cos(78.5*t)",/' pressed.json >pumped.json
expect 1 run pumped.json --give-up 4
says out "not certified: 6 of 15 steps: 1 2 3 9 10 11"
expect 1 run pumped.json --give-up 3
says out "gave up after 3 of 15 steps: the last 3 were not certified"

# what FCLIB cannot hold (motors, limits) is written in another form, and said; it can be solved, checked, converted and started from
expect 0 run gripper --until 0.1 --dump-step 5
says err "step 5 written to ./gripper-000005.hdf5, not as FCLIB but in Cairn's own form"
expect 0 solve gripper-000005.hdf5 --tol 1e-8 --out gripped.hdf5
expect 0 check gripped.hdf5
expect 0 solve gripper-000005.hdf5 --warm-start gripped.hdf5
says out "the guess as it is: 0 iterations"
expect 0 convert gripped.hdf5 gripped-local.hdf5 --to local
says out "in Cairn's own form, not FCLIB"
expect 0 solve gripped-local.hdf5
expect 0 info gripper-000005.hdf5
says out "1 box"
# a step that cannot be written is told, the run goes on, and the exit code says so
expect 3 run ball --until 0.02 --dump-step 5
says err "step 5 was not written: the last step had nothing to solve"
says out "all 20 steps are certified"
expect 3 run arch --until 0.02 --dump-step 7
says err "step 7 was not written: the run did 2 steps after step 0"

# a scene of nothing
echo '{}' >nothing.json
expect 0 run nothing.json --until 0.02
says out "0 bodies"
says out "all 2 steps are certified"

# joints that hold the same thing twice are told
expect 0 run robot --until 0.02
says out "joints: 56 rows of rank 54; 2 depend on others, and the reactions are those of least norm: compensator row 1 3"
expect 0 run robot --until 0.02 --json
says out '"joint_rows": 56, "joint_rank": 54, "redundant": [{"joint": "compensator", "row": 1}, {"joint": "compensator", "row": 3}]'
expect 0 run chain --until 0.02
if grep -q "depend on others" "$place/out"; then fail "a chain has no redundant rows"; else pass; fi

# a motion that cannot be made is told: no step is certified, and the gap is that of the motion too
cat >driven.json <<'EOF'
{"until": 0.05, "bodies": [{"shape": {"plane": {}}}, {"name": "b", "shape": {"box": {"size": [0.2, 0.2, 0.2]}}, "position": [0, 0, 0.1]}],
 "joints": [{"kind": "prismatic", "b": "b", "position": [0, 0, 0.1], "coordinate": "slide", "motion": "=-t*t"}]}
EOF
expect 1 run driven.json --json
says out '"outcome": "infeasible"'
if grep -q '"joint_gap": 0,' "$place/out"; then fail "a motion that is not met has no gap"; else pass; fi

# nothing is written over what is read, or over each other
"$CAIRN" scenes brick >mine.json
expect 2 run mine.json --until 0.02 --out mine.json
says err "the scene and --out are the same file 'mine.json'"
expect 2 run mine.json --until 0.02 --html ./mine.json
expect 2 run mine.json --until 0.02 --out both.h5 --checkpoint both.h5
says err "--checkpoint and --out are the same file 'both.h5'"
expect 0 run mine.json --until 0.02

# a recording says what was changed
expect 0 run pinch --until 0.02 --set step=0.01 --out changed.h5
if grep -aqF "// cairn run pinch --until 0.02 --set step=0.01" changed.h5; then pass; else fail "the recorded scene does not tell --set"; fi
expect 0 run nothing.json --out unchanged.h5
if grep -aq "// cairn run" unchanged.h5; then fail "a scene that nobody changed begins with a comment"; else pass; fi

# contacts that crush: two blocks of 98.1 N on four corners each; corners bear 50 N on the floor and, by the rule of the pair, 20 N on the block below
cat >crush.json <<'END'
{
    "until": 0.05,
    "materials": {"default": {"cap": 50}, "soft": {"cap": 70}},
    "pairs": [{"materials": ["default", "soft"], "cap": 20}],
    "bodies": [
        {"shape": {"plane": {}}},
        {"name": "low", "shape": {"box": {"size": [0.2, 0.2, 0.2]}}, "mass": 10, "position": [0, 0, 0.1]},
        {"name": "top", "shape": {"box": {"size": [0.2, 0.2, 0.2]}}, "mass": 10, "position": [0, 0, 0.3], "material": "soft"}
    ]
}
END
expect 0 run crush.json --out crush.h5
says out "all 5 steps are certified"
expect 0 export crush.h5 -o crush
[ "$(awk -F, 'NR > 1 && /,crush,/' crush/contacts.csv | wc -l)" = 20 ] && pass || fail "the four corners of the upper block are not told as crushed in each of five steps"
awk -F, 'NR > 1 && $4 == "top" && $2 > 0.049 { v = -$(NF - 3); exit !(v > 0.090 && v < 0.091) }' crush/poses.csv && pass || fail "the upper block does not sink with (98.1 - 80) N/10 kg"

# a run that goes on from its checkpoint has the recording of running through; times apart
expect 0 run pinch --until 0.4 --out through.h5
expect 0 run pinch --until 0.2 --out parts.h5 --checkpoint state
expect 0 run pinch --until 0.4 --out parts.h5 --resume state --checkpoint state
for name in through parts; do
    expect 0 export $name.h5 --to csv -o $name
    cut -d, -f1-13 $name/frames.csv >$name/sums
done
for table in sums poses.csv contacts.csv reactions.csv bodies.csv joints.csv shapes.csv; do
    if cmp -s through/$table parts/$table; then pass; else fail "$table differs after --resume"; fi
done
expect 0 run pinch --until 0.4 --resume state
says out "nothing to do: the checkpoint is at 0.4 s"
expect 3 run brick --resume state
says err "checkpoint: of a world with other settings"
expect 3 run pinch --resume through.h5
says err "not a checkpoint"
expect 3 run pinch --out nowhere/run.h5
expect 3 run pinch --until 0.1 --checkpoint nowhere/state
says err "nowhere/state: cannot be written: there is no folder 'nowhere'"
if grep -q certified "$place/out"; then fail "a checkpoint that cannot be written is told too late"; else pass; fi

# a killed run keeps what it did
"$CAIRN" run wall --out killed.h5 --quiet >/dev/null 2>&1 &
victim=$!
for _ in $(seq 120); do
    sleep 0.5
    [ -s killed.h5.journal ] && break
done
kill -9 $victim
wait $victim 2>/dev/null || true
expect 0 export killed.h5 -o killed
says out "602 bodies"
finish
