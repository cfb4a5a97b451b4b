#!/usr/bin/env bash
# Races against other people's software: run.sh siconos|convex|linalg|engines|chrono|t4|report [options of the program]. Installs the Debian packages of the
# peers when they are missing, builds in build/peers (or PEERS_BUILD) and runs on one thread.
#   siconos: problems from FCLIB (default ../shared/fclib), two tables: box stacks, and the others with Newton methods
#   convex: Ipopt and CVXOPT on the associated problem of the same files, as lines for `cairn bench --add`
#   engines: Bullet, ODE, MuJoCo, and from npm MuJoCo 3, Rapier and Jolt, on scenes that move; also writes engines.md and engines.csv. Box3D joins where CMake
#            finds it: box3d_DIR in the environment is the folder of its box3dConfig.cmake
#   chrono: the wrecking ball of [T21] against what Chrono's ADMM costs with Eigen's factorisation; also writes chrono.csv
#   t4: the bars of [T21] (TEST 4), soft and stiff, against the same
#   report: Cairn's methods (METHODS), Siconos, Ipopt and CVXOPT on the same files, both laws, in one report (needs build/cairn).
#           FILES (default 12) files evenly spread, LIMIT (default 10) seconds a solve
#   results: tables on the screen, CSV beside the programs
set -eu
cd "$(dirname "$0")/../.."
kind=${1:?siconos, convex, linalg, engines, chrono, t4 or report}
shift
build=${PEERS_BUILD:-build/peers}
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

# Installs what is missing, and says so. A peer that cannot be had is left out of the race.
need() {
    local missing=() package root=()
    for package in "$@"; do
        dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    [ "$(id -u)" -eq 0 ] || root=(sudo)
    echo "== packages: installing ${missing[*]}"
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${missing[@]}" \
        </dev/null >/dev/null || echo "   not available: ${missing[*]}"
}

build() {
    cmake -S bench/peers -B "$build" --log-level=WARNING >/dev/null
    env -u MAKEFLAGS -u MAKELEVEL cmake --build "$build" --target "$1" --parallel "${JOBS:-2}" >/dev/null
}

# The FCLIB files, into the array files; FILES of them, evenly spread, when that is set.
choose() {
    local all=() data=${FCLIB:-../shared/fclib} i
    [ -d "$data" ] || { echo "no folder $data: set FCLIB to one with FCLIB files" >&2; exit 1; }
    mapfile -t all < <(find -L "$data" -name '*.hdf5' | sort)
    local wanted=${FILES:-${#all[@]}}
    [ "$wanted" -le "${#all[@]}" ] || wanted=${#all[@]}
    files=()
    for ((i = 0; i < wanted; i++)); do files+=("${all[$((i * ${#all[@]} / wanted))]}"); done
}

case $kind in
siconos)
    need g++ libsiconos-numerics-dev
    build race
    data=${FCLIB:-../shared/fclib}
    [ -d "$data" ] || { echo "no folder $data: set FCLIB to one with FCLIB files" >&2; exit 1; }
    if [ -d "$data/box_stacks" ]; then
        echo "== box stacks"
        "$build/race" --csv "$build/siconos-box-stacks.csv" --jsonl "$build/siconos-box-stacks.jsonl" "$@" "$data"/box_stacks/*.hdf5
        echo "== others"
        "$build/race" --newton --csv "$build/siconos-others.csv" --jsonl "$build/siconos-others.jsonl" "$@" "$data"/others/*.hdf5
    else
        "$build/race" --newton --csv "$build/siconos.csv" --jsonl "$build/siconos.jsonl" "$@" "$data"/*.hdf5
    fi
    ;;
convex)
    need coinor-libipopt-dev python3-cvxopt
    build convex
    choose
    "$build/convex" --jsonl "$build/convex.jsonl" "$@" "${files[@]}"
    ;;
report)
    need g++ libsiconos-numerics-dev coinor-libipopt-dev python3-cvxopt
    build race
    build convex
    FILES=${FILES:-12}
    choose
    limit=${LIMIT:-10}
    out=$build/report
    rm -rf "$out"
    build/cairn bench "${files[@]}" --methods "${METHODS:-auto,ipm,splitmetric,padmm,pgs}" --law both --time-limit "$limit" --out "$out"
    add=()
    for law in coulomb associated; do
        "$build/race" --peers gadmm-rb,ladmm,nsgs,nsn-fb,gipm --law "$law" --limit "$limit" --jsonl "$build/report-$law.jsonl" "${files[@]}"
        add+=(--add "$build/report-$law.jsonl")
    done
    "$build/convex" --limit "$limit" --jsonl "$build/report-convex.jsonl" "${files[@]}"
    build/cairn bench --report-only "${add[@]}" --add "$build/report-convex.jsonl" --out "$out"
    ;;
linalg)
    need g++ libsuitesparse-dev libmumps-seq-dev libeigen3-dev libmetis-dev libopenblas0-pthread
    build factors
    "$build/factors" --csv "$build/linalg.csv" "$@"
    ;;
engines)
    # One by one: an engine that cannot be had must not keep the others away.
    for package in g++ libbullet-dev libode-dev libmujoco-dev; do need "$package"; done
    # From npm, where Node is there: one by one as well.
    export CAIRN_NODE_PEERS=$PWD/$build/node
    case $build in /*) CAIRN_NODE_PEERS=$build/node ;; esac
    if command -v npm >/dev/null; then
        mkdir -p "$CAIRN_NODE_PEERS"
        cp bench/peers/engines/node/peer.mjs bench/peers/engines/node/package.json "$CAIRN_NODE_PEERS"
        [ -d "$CAIRN_NODE_PEERS/node_modules" ] || (cd "$CAIRN_NODE_PEERS" && npm install --no-audit --no-fund --no-package-lock >/dev/null 2>&1) ||
            echo "   not available: packages of npm"
    fi
    build engines
    "$build/engines" --csv "$build/engines.csv" "$@" | tee "$build/engines.md"
    ;;
t4)
    need g++ libeigen3-dev
    build t4
    "$build/t4" scenes/bars-soft.json scenes/bars-stiff.json "$@"
    ;;
chrono)
    need g++ libeigen3-dev
    build chrono
    "$build/chrono" scenes/wall.json --csv "$build/chrono.csv" "$@"
    ;;
*)
    echo "run.sh: $kind: expected siconos, convex, linalg, engines, chrono or report" >&2
    exit 2
    ;;
esac
echo "== CSV files are in $build"
