#!/usr/bin/python3
"""Shares of problems solved within 1, 1.3, 2 and 3 times the fastest method, by processor time of load and solve.

    profile.py DIR/results.jsonl [METHOD]

Reads what `cairn bench --out DIR` wrote. The report of `cairn bench` counts wall time, which on a busy machine says more about the
neighbours than about the methods. A run counts when it is certified. METHOD (default auto): the problems on which it takes more
than 1.3 times the fastest are listed. Totals are over the problems that a method solves.
"""
import json
import sys

STEPS = (1.0, 1.3, 2.0, 3.0)
own = sys.argv[2] if len(sys.argv) > 2 else "auto"
cells = {}
for line in open(sys.argv[1]):
    run = json.loads(line)
    if run.get("kind") != "run":
        continue
    certified = (run.get("certificate") or {}).get("certified", False)
    cells.setdefault((run["law"], run["tolerance"]), {}).setdefault(run["problem"], {})[run["method"]] = (
        run["cpu_seconds"] if certified else None)

for (law, tolerance), problems in sorted(cells.items()):
    print("%s law, tolerance %g, %d problems" % (law, tolerance, len(problems)))
    print("%-14s %6s" % ("method", "solved"), *("rho(%g)" % s for s in STEPS), "total, ms")
    fastest = {p: min([t for t in row.values() if t is not None], default=None) for p, row in problems.items()}
    for method in sorted({m for row in problems.values() for m in row}):
        times = {p: row.get(method) for p, row in problems.items()}
        solved = [p for p in times if times[p] is not None]
        shares = [sum(times[p] <= s * fastest[p] for p in solved) / len(problems) for s in STEPS]
        print("%-14s %6d" % (method, len(solved)), *("%*.2f" % (len("rho(%g)" % s), x) for s, x in zip(STEPS, shares)),
              "%9.1f" % (1e3 * sum(times[p] for p in solved)))
    for p, row in sorted(problems.items()):
        if row.get(own) is not None and row[own] > 1.3 * fastest[p]:
            best = min((t, m) for m, t in row.items() if t is not None)
            print("  %s: %s %.3f ms, %s %.3f ms" % (p, own, 1e3 * row[own], best[1], 1e3 * best[0]))
