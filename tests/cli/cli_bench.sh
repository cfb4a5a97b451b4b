#!/usr/bin/env bash
# cairn bench on generated problems: files and folders, refusals, going on after an interruption, time limits, merging, and the
# files it writes. The page is looked at in headless Chromium where there is one.
set -eu
. "$(dirname "$0")/cli_common.inc"
data=$place/problems
out=$place/bench
mkdir -p "$data/deep/er"
"$CAIRN" generate stack --out "$data/stack.hdf5" >/dev/null
"$CAIRN" generate cairn stones=14 --out "$data/deep/stones.hdf5" >/dev/null
"$CAIRN" generate wall width=3 height=3 --out "$data/deep/er/wall.h5" >/dev/null
printf '3\n1\n0\n3 3\n3 3\n2 0 0\n0 2 0\n0 0 2\n-1 0 0\n0.3\n1\n7 8\n' >"$data/one.dat"
printf '5\n1\n0\n' >"$data/rolling.dat"
echo "no problem" >"$data/notes.txt"

# counts PATTERN FILE N: that many lines
counts() {
    local found
    found=$(grep -c -- "$1" "$2" || true)
    if [ "$found" -eq "$3" ]; then pass; else fail "$found lines with $1 in $2, expected $3"; fi
}

# a bench over a folder: sorted, searched to the bottom, refusals named
bench=(bench "$data" --methods "auto,padmm,soft@padmm:rho=0.01:relaxation=1" --law both --tol 1e-4,1e-8 --repeat 2 --out "$out")
expect 0 "${bench[@]}"
says out "coulomb law, tolerance 1e-4, 4 problems"
says out "associated law, tolerance 1e-8, 4 problems"
says out "4 of 4"
says out "rolling friction"
says err "left out: "
says err "one.dat: line 11: 3 numbers behind the problem"
says err "48 of 48: "
counts '"kind": "run"' "$out/results.jsonl" 48
counts '"kind": "refused"' "$out/results.jsonl" 1
counts '"kind": "bench"' "$out/results.jsonl" 1
[ "$(sed -n 's/.*"kind": "run".*"problem": "\([^"]*\)".*/\1/p' "$out/results.jsonl" | uniq | tr '\n' ' ')" = \
    "wall stones one stack " ] && pass || fail "order of the problems"
for name in results.csv report.html profile-coulomb-1e-4.svg profile-coulomb-1e-8.svg profile-associated-1e-4.svg \
    profile-associated-1e-8.svg; do
    [ -s "$out/$name" ] && pass || fail "$name is missing"
done
grep '"kind": "run"' "$out/results.jsonl" >"$place/runs"
for key in program version problem file method spec law tolerance outcome sizes iterations factorizations solves seconds load_seconds \
    solve_seconds certificate_seconds all_seconds error error_angular relative scale rms rounding motion worst_gamma worst_u worst_shift plain natural_map curve; do
    counts "\"$key\": " "$place/runs" 48
done
repeated=$(grep -c '"all_seconds": \[[^],]*, [^],]*\]' "$place/runs") # an answer that is not certified is not repeated
[ "$repeated" -eq 48 ] && pass || fail "$repeated of 48 runs were repeated"
[ "$(awk -F, 'NR == 1 { n = NF } NF != n { bad = 1 } END { print NR, bad + 0 }' "$out/results.csv")" = "49 0" ] &&
    pass || fail "lines and columns of the CSV"
if [ -n "$python" ]; then
    "$python" - "$out" <<'PY' && pass || fail "what the files say"
import csv, json, re, sys
out = sys.argv[1]
lines = [json.loads(line) for line in open(out + "/results.jsonl")]
runs = [line for line in lines if line["kind"] == "run"]
for run in runs:
    assert abs(run["seconds"] - run["load_seconds"] - run["solve_seconds"]) < 1e-12
    assert abs(run["seconds"] - min(run["all_seconds"])) < 1e-12
    assert run["certificate"]["tolerance"] == run["tolerance"]
    assert len(run["curve"]["iteration"]) == len(run["curve"]["natural_map"]) == len(run["curve"]["seconds"]) <= 49
rows = list(csv.DictReader(open(out + "/results.csv")))
for run, row in zip(runs, rows):
    assert run["problem"] == row["problem"] and run["method"] == row["method"] and int(row["success"]) == run["certificate"]["certified"]
page = open(out + "/report.html", encoding="utf-8").read()
assert not re.search(r"(src|href)\s*=|https?://(?!www\.w3\.org/2000/svg)|@import", page), "the page loads something"
data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1))
assert sum(len(table["runs"]) for table in data["tables"]) == 48 and len(data["refusals"]) == 1
PY
else
    echo "skipped: python3 is missing, contents of the files not compared"
fi
if command -v xmllint >/dev/null; then
    xmllint --noout "$out"/*.svg 2>"$place/err" && pass || fail "an SVG is not well-formed"
else
    echo "skipped: xmllint is missing, SVG files not checked"
fi

# the same again: nothing to do, nothing added; the report is made anew from the lines alone
cp "$out/results.jsonl" "$place/before"
expect 0 "${bench[@]}"
says err "48 of 60 runs are in" # twelve more if the refused file could be read
cmp -s "$out/results.jsonl" "$place/before" && pass || fail "a finished bench was run again"
cp "$out/report.html" "$place/page"
rm "$out/report.html" "$out/results.csv"
expect 0 bench --report-only --out "$out"
cmp -s "$out/report.html" "$place/page" && pass || fail "--report-only makes another page"
[ -s "$out/results.csv" ] && pass || fail "--report-only makes no CSV"

# more methods in the same folder; another configuration is refused
expect 0 bench "$data/stack.hdf5" --methods admm --tol 1e-4 --repeat 2 --out "$out"
counts '"method": "admm"' "$out/results.jsonl" 1
expect 2 bench "$data" --methods auto --repeat 5 --out "$out"
says err "another value of --repeat (2, now 5)"
expect 2 bench "$data" --methods auto --repeat 2 --time-limit 3 --out "$out"
says err "--time-limit"
expect 2 bench "$data" --methods soft@padmm --repeat 2 --out "$out"
says err "choose another name"
"$CAIRN" generate stack spheres=12 --out "$place/stack.hdf5" >/dev/null
expect 2 bench "$place/stack.hdf5" --methods auto --repeat 2 --out "$out"
says err "bytes before"

# polyhedral cones, in a folder of their own
expect 0 bench "$data/stack.hdf5" --methods auto,lemke --cone poly:4 --tol 1e-4 --repeat 1 --out "$place/poly"
counts '"cone": "poly:4"' "$place/poly/results.jsonl" 3
counts '"certified": true' "$place/poly/results.jsonl" 2
expect 2 bench "$data/stack.hdf5" --methods auto --tol 1e-4 --repeat 1 --out "$place/poly"
says err "--cone"
expect 2 bench "$data" --cone poly:3

# usage
expect 2 bench
says err "FILE|DIR..."
expect 2 bench "$data" --report-only --out "$out"
expect 2 bench "$data" --law dry
expect 2 bench "$data" --tol 1e-4,x
expect 2 bench "$data" --tol 1e-4,1e-4
expect 2 bench "$data" --methods padm
says err "did you mean 'padmm'?"
expect 2 bench "$data" --methods padmm:rhoo=1
expect 3 bench --report-only --out "$place/nowhere"
mkdir "$place/empty"
expect 3 bench "$place/empty" --out "$place/other"
says err "no problems found"
expect 3 bench "$data/missing.hdf5" "$data/stack.hdf5" --methods auto --tol 1e-4 --out "$place/other"
counts '"kind": "run"' "$place/other/results.jsonl" 1

# damaged results: a line cut off at the end is repaired, one in the middle is not
printf '{"kind": "run", "problem": "sta' >>"$place/other/results.jsonl"
expect 0 bench "$data/stack.hdf5" --methods auto,padmm --tol 1e-4 --out "$place/other"
says err "cut off"
counts '"kind": "run"' "$place/other/results.jsonl" 2
sed -i '2s/.*/{"kind": /' "$place/other/results.jsonl"
expect 3 bench --report-only --out "$place/other"
says err "results.jsonl:2: not a JSON object"

# the time limit ends a solve, and the answer is judged all the same
"$CAIRN" generate spheres --out "$place/heap.hdf5" >/dev/null
expect 0 bench "$place/heap.hdf5" --methods jacobi:max_iterations=100000000:tolerance_plain=0 --tol 1e-15 --time-limit 0.2 \
    --repeat 1 --out "$place/limit"
grep -qE '"outcome": "(time limit|stalled)"' "$place/limit/results.jsonl" && pass || fail "time limit: $(tail -1 "$place/limit/results.jsonl")"
says out "0 of 1"

# Ctrl-C: what is done stays, the same command goes on, and no line is written twice
set -m # a job of its own, so that it does not ignore the interrupt
slow=(bench "$data" --methods auto,padmm,admm --tol 1e-8 --repeat 100 --enough 0.3 --out "$place/stopped")
"$CAIRN" "${slow[@]}" >"$place/out" 2>"$place/err" &
job=$!
for _ in $(seq 3000); do
    [ "$(grep -c '"kind": "run"' "$place/stopped/results.jsonl" 2>/dev/null || true)" -ge 3 ] 2>/dev/null && break
    sleep 0.02
done
kill -INT "$job" || true
code=0
wait "$job" || code=$?
set +m
if [ "$code" -eq 1 ]; then pass; else fail "exit code $code after an interrupt, expected 1"; fi
says err "the same command goes on"
[ -s "$place/stopped/report.html" ] && pass || fail "no report after an interrupt"
cp "$place/stopped/results.jsonl" "$place/before"
some=$(grep -c '"kind": "run"' "$place/before")
[ "$some" -ge 3 ] && [ "$some" -lt 12 ] && pass || fail "$some runs before the interrupt"
expect 0 "${slow[@]}"
counts '"kind": "run"' "$place/stopped/results.jsonl" 12
head -c "$(wc -c <"$place/before")" "$place/stopped/results.jsonl" | cmp -s - "$place/before" && pass || fail "lines were changed"
[ "$(sed -n 's/.*"problem": "\([^"]*\)".*"method": "\([^"]*\)".*/\1 \2/p' "$place/stopped/results.jsonl" | sort | uniq -d | wc -l)" -eq 0 ] &&
    pass || fail "a run is there twice"

# Ctrl-C stops a solve that would go on for a minute; that run is not written
set -m
"$CAIRN" generate spheres spheres=1500 --out "$place/large.hdf5" >/dev/null
"$CAIRN" bench "$place/large.hdf5" --methods short@pgs:max_iterations=2,endless@jacobi:max_iterations=100000000:tolerance_plain=0 --tol 1e-15 --time-limit 60 \
    --repeat 1 --out "$place/endless" >"$place/out" 2>"$place/err" &
job=$!
for _ in $(seq 3000); do
    grep -q '"kind": "run"' "$place/endless/results.jsonl" 2>/dev/null && break
    sleep 0.02
done
sleep 0.2
SECONDS=0
kill -INT "$job" || true
code=0
wait "$job" || code=$?
set +m
[ "$code" -eq 1 ] && [ "$SECONDS" -lt 30 ] && pass || fail "exit code $code, $SECONDS s after an interrupt"
counts '"kind": "run"' "$place/endless/results.jsonl" 1

# results of another program: merged once, judged by their certificate, shown as a method
cat >"$place/peer.jsonl" <<'PEER'
{"kind": "run", "program": "Other", "version": "3.1", "problem": "stack", "method": "other-good", "law": "coulomb", "tolerance": 1e-8, "outcome": "gave up", "seconds": 1e-9, "certificate": {"relative": 1e-10}}
{"kind": "run", "program": "Other", "version": "3.1", "problem": "stack", "method": "other <b>bad</b>", "law": "coulomb", "tolerance": 1e-8, "outcome": "solved", "seconds": 1e-9, "certificate": {"relative": 1e-3}}
PEER
expect 0 bench --report-only --add "$place/peer.jsonl" --out "$place/stopped"
says err "2 results added"
expect 0 bench --report-only --add "$place/peer.jsonl" --out "$place/stopped"
says err "0 results added, 2 were there already"
grep "other-good" "$place/out" | grep -q "1 of 4" && pass || fail "the good peer"
grep "other <b>bad" "$place/out" | grep -q "0 of 4" && pass || fail "the bad peer"
echo '{"kind": "run", "problem": "stack"}' >"$place/wrong.jsonl"
expect 3 bench --report-only --add "$place/wrong.jsonl" --out "$place/stopped"
says err 'wrong.jsonl:1: a result without "method"'
if command -v xmllint >/dev/null; then
    xmllint --noout "$place"/stopped/*.svg 2>"$place/err" && pass || fail "a name broke the SVG"
fi

# the page in a browser: it draws, its figures agree with the program's, nothing is complained about
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -n "$chromium" ]; then
    look() { # page: what it is after its scripts have run
        timeout 60 "$chromium" --headless --no-sandbox --disable-gpu --user-data-dir="$place/profile" --enable-logging=stderr \
            --virtual-time-budget=3000 --dump-dom "file://$1" >"$place/out" 2>"$place/err" </dev/null || true
    }
    for folder in "$out" "$place/stopped"; do
        look "$folder/report.html"
        says out 'data-check="agrees"'
        grep -q 'CONSOLE' "$place/err" && fail "the page complains" || pass
        [ "$(grep -o 'data-method=' "$place/out" | wc -l)" -ge 3 ] && pass || fail "no curves on the page"
    done
    grep -q '<b>bad</b>' "$place/out" && fail "a name became markup" || pass
    # used: every button, a run chosen, the pointer over the profile, a zoom, a filter, a sorted column
    cat >"$place/probe.js" <<'PROBE'
const one = s => document.querySelector(s), all = s => [...document.querySelectorAll(s)];
const said = [];
for (let i = 0; i < all("#controls button").length; i++) {
  all("#controls button")[i].click();
  if (one("#profile-chart svg").dataset.check !== "agrees") said.push("shares differ");
}
all("#controls button")[0].click();
one("#matrix-table td.open").click();
said.push(all("#convergence-chart path[data-method]").length + " curves");
all("#convergence-controls button")[1].click();
one("#profile-legend button").click();
said.push(all("#profile-chart path[data-method]").length + " lines left");
const box = one("#profile-chart svg").getBoundingClientRect();
const move = (kind, x) => one("#profile-chart svg").dispatchEvent(new PointerEvent(kind, { clientX: box.left + x * box.width, clientY: box.top + 50, pointerId: 1 }));
move("pointerdown", 0.3); move("pointermove", 0.6);
said.push(one("#tip").hidden ? "no tip" : "tip");
move("pointerup", 0.6);
said.push(one("#profile-chart button") ? "zoomed" : "not zoomed");
one("#filter").value = "wall"; one("#filter").dispatchEvent(new Event("input"));
said.push(all("#matrix-table tbody tr").length + " rows");
one("#summary-table th").click();
said.push(one("#summary-table th").getAttribute("aria-sort"));
said.push(document.documentElement.scrollWidth <= innerWidth ? "fits" : "too wide");
document.title = "probe: " + said.join(", ");
PROBE
    sed "/<\/body>/e echo '<script>'; cat '$place/probe.js'; echo '</script>'" "$out/report.html" >"$place/used.html"
    look "$place/used.html"
    says out "<title>probe: 3 curves, 3 lines left, tip, zoomed, 1 rows, ascending, fits</title>"
    grep -q 'CONSOLE' "$place/err" && fail "the page complains when it is used" || pass
else
    echo "skipped: no chromium, the page was not opened"
fi
finish
