#!/usr/bin/env bash
# Replay pages of small runs, opened in headless Chromium from file:// and held against the recordings: web/tests/replay.mjs.
# Skipped (77) without a page in the program, Chromium, or the packages of web/.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

skip() {
    echo "skipped: $1"
    exit 77
}
command -v node >/dev/null || skip "Node.js is not installed"
[ -d "$root/web/node_modules/playwright-core" ] || skip "web/node_modules is missing (npm ci in web/)"
[ -n "${CHROMIUM:-}" ] || command -v chromium >/dev/null || command -v google-chrome >/dev/null || skip "Chromium is not installed"

cd "$place"
record() { # name, arguments of cairn run
    local name=$1
    shift
    "$CAIRN" run "$@" --out "$name.h5" --quiet >log 2>&1 || [ $? -eq 1 ] || { cat log; exit 1; }
    "$CAIRN" view "$name.h5" -o "$name.html" >log 2>&1 || { cat log; grep -q "no replay page" log && skip "$(cat log)"; exit 1; }
    "$CAIRN" export "$name.h5" --to csv -o "tables.$name" >/dev/null
    mkdir -p tables
    mv "tables.$name" "tables/$name"
}
record wall wall --set walls=1 --set rows=5 --set columns=5 --until 1.2
record granular granular --set size=60 --set side=0.5 --until 0.4
record chain chain --until 0.3
record robot robot --until 0.3
record egg egg --until 0.25 --stress
record arch arch --until 0.2
cat >many.json <<'END'
{"title": "Five thousand balls", "step": 0.01, "tolerance": 1e-4, "velocity_tolerance": 1, "bodies": [{"name": "floor", "shape": {"plane": {}}},
 {"name": "ball", "shape": {"sphere": {"radius": 0.05}}, "position": [0, 0, 0.4], "repeat": {"grid": {"counts": [20, 25, 10], "spacing": [0.11, 0.11, 0.11]}}}]}
END
record many many.json --until 0.06
cat >pressed.json <<'END'
{"gravity": [0, 0, 0], "until": 0.08, "bodies": [{"name": "ball", "shape": {"sphere": {"radius": 0.09}}},
 {"name": "left", "kind": "kinematic", "shape": {"box": {"size": [0.2, 1, 1]}}, "position": [-0.2, 0, 0], "velocity": [0.5, 0, 0]},
 {"name": "right", "kind": "kinematic", "shape": {"box": {"size": [0.2, 1, 1]}}, "position": [0.2, 0, 0], "velocity": [-0.5, 0, 0]}]}
END
record pressed pressed.json
cat >crushed.json <<'END'
{"until": 0.05, "materials": {"default": {"cap": 50}}, "bodies": [{"name": "floor", "shape": {"plane": {}}},
 {"name": "ball", "shape": {"sphere": {"radius": 0.1}}, "mass": 10, "position": [0, 0, 0.1]}]}
END
record crushed crushed.json
record failed dominoes --until 0.2 --set count=5 --method pgs --opt max_iterations=3
timeout 580 node "$root/web/tests/replay.mjs" "$place"

# a page that cannot be made as small as asked says so, and says what helps
"$CAIRN" view wall.h5 -o small.html --limit 0.1 | grep -q "larger than 0.1 MB without any contact" || { echo "cairn view does not say that a page is too large"; exit 1; }

# snapshots: pictures, and different ones at different times
for time in 0 1.2; do
    "$CAIRN" snapshot wall.h5 --time $time --width 400 --height 300 -o "at-$time.png"
    [ "$(head -c 4 "at-$time.png" | tail -c 3)" = PNG ] || { echo "at-$time.png is no PNG file"; exit 1; }
    [ "$(wc -c <"at-$time.png")" -gt 15000 ] || { echo "at-$time.png is too small to show anything"; exit 1; }
done
! cmp -s at-0.png at-1.2.png || { echo "two moments look the same"; exit 1; }
