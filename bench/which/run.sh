#!/usr/bin/env bash
# The runs behind docs/which-method.md: run.sh CAIRN FOLDER [FCLIB]. Generates problems of several kinds, benches every method on them, and
# on the FCLIB files if their folder is given. Going on after an interruption: the same command.
set -eu
cairn=${1:?usage: run.sh CAIRN FOLDER [FCLIB]}
folder=${2:?usage: run.sh CAIRN FOLDER [FCLIB]}
fclib=${3:-}
methods=${METHODS:-$("$cairn" methods --json | sed 's/^{"name": "\([^"]*\)".*/\1/' | paste -sd, -)}
limit=${LIMIT:-10}

# make_problem KIND NAME SAMPLE [KEY=VALUE...]
make_problem() {
    local path=$folder/$1/$2.hdf5
    mkdir -p "$folder/$1"
    [ -s "$path" ] || "$cairn" generate "${@:3}" --out "$path" >/dev/null
}
make_problem small stack-20 stack
make_problem small pull-20 stack-pull
make_problem small box box-on-four
make_problem small stones-14 cairn stones=14
make_problem middle stones-140 cairn stones=140
make_problem middle stones-385 cairn stones=385
make_problem middle wall-8x6 wall
make_problem middle wall-16x12 wall width=16 height=12
make_problem middle spheres-500 spheres spheres=500
make_problem ratio heavy-1e3 stack heavy=1e4
make_problem ratio heavy-1e5 stack heavy=1e6
make_problem ratio heavy-60 stack spheres=60 place=60 heavy=1e5
make_problem ratio chain-40 chain links=40
make_problem ratio chain-200 chain links=200

for kind in small middle ratio; do
    echo "== $kind"
    "$cairn" bench "$folder/$kind" --methods "$methods" --law both --time-limit "$limit" --out "$folder/$kind-report"
done
if [ -n "$fclib" ]; then
    echo "== FCLIB"
    "$cairn" bench "$fclib" --methods "$methods" --law both --time-limit "$limit" --out "$folder/fclib-report"
fi
