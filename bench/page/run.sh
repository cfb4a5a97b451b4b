#!/usr/bin/env bash
# Size and opening time of the wall's replay page, and the time of a picture of 5000 balls against the empty scene: run.sh CAIRN FOLDER. Recordings are kept in
# FOLDER, so that a second call only measures. UNTIL: end of the wall's run, s; the whole, 20, takes many minutes. Needs Chromium and web/node_modules.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
cairn=$(realpath "$1")
mkdir -p "$2"
cd "$2"
until=${UNTIL:-20}
[ -d "$root/web/node_modules/playwright-core" ] || { echo "web/node_modules is missing: npm ci in web/"; exit 1; }
record() { # name, arguments of cairn run: only what is complete gets its name
    [ -e "$1.h5" ] || { "$cairn" run "${@:2}" --out "$1.part.h5" --quiet >"$1.log" || [ $? -eq 1 ]; mv "$1.part.h5" "$1.h5"; }
    "$cairn" view "$1.h5" -o "$1.html"
}
echo "== the wall: below 25 MB, open within 2 s"
record "wall-$until" wall --until "$until"
node "$root/web/tests/speed.mjs" opening "wall-$until.html"
echo "== 5000 balls: time of a picture"
cat >many.json <<'END'
{"title": "Five thousand balls", "step": 0.01, "tolerance": 1e-4, "velocity_tolerance": 1, "bodies": [{"name": "floor", "shape": {"plane": {}}},
 {"name": "ball", "shape": {"sphere": {"radius": 0.05}}, "position": [0, 0, 0.4], "repeat": {"grid": {"counts": [20, 25, 10], "spacing": [0.11, 0.11, 0.11]}}}]}
END
record many many.json --until 0.06
node "$root/web/tests/speed.mjs" pictures many.html
