#!/usr/bin/env bash
# Races against other people's software: run.sh siconos|linalg [options of the program]. Installs the Debian packages of the
# peers when they are missing, builds in build/peers (or PEERS_BUILD) and runs on one thread.
#   siconos: problems from FCLIB (default ../shared/fclib), two tables: box stacks, and the others with Newton methods
#   results: tables on the screen, CSV beside the programs
set -eu
cd "$(dirname "$0")/../.."
kind=${1:?siconos or linalg}
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

case $kind in
siconos)
    need g++ libsiconos-numerics-dev
    build race
    data=${FCLIB:-../shared/fclib}
    [ -d "$data" ] || { echo "no folder $data: set FCLIB to one with FCLIB files" >&2; exit 1; }
    if [ -d "$data/box_stacks" ]; then
        echo "== box stacks"
        "$build/race" --csv "$build/siconos-box-stacks.csv" "$@" "$data"/box_stacks/*.hdf5
        echo "== others"
        "$build/race" --newton --csv "$build/siconos-others.csv" "$@" "$data"/others/*.hdf5
    else
        "$build/race" --newton --csv "$build/siconos.csv" "$@" "$data"/*.hdf5
    fi
    ;;
linalg)
    need g++ libsuitesparse-dev libmumps-seq-dev libeigen3-dev libmetis-dev libopenblas0-pthread
    build factors
    "$build/factors" --csv "$build/linalg.csv" "$@"
    ;;
*)
    echo "run.sh: $kind: expected siconos or linalg" >&2
    exit 2
    ;;
esac
echo "== CSV files are in $build"
