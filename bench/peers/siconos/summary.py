#!/usr/bin/python3
"""One table from several runs of the race: summary.py FILE.csv...

Every run of `race --csv FILE` writes one line a solve; long races are run in pieces. Prints, for each tolerance and contestant, how many answers hold,
median and total CPU milliseconds, and Cairn's first column against the fastest solver of Siconos on each problem, in the three ways to
count N = D'H^-1 D for solvers that need it: given, formed by Cairn, or by Siconos' own reduction.
"""
import csv
import statistics
import sys

WAYS = (("N given", None), ("N formed by Cairn for all", "seconds_to_form_n"),
        ("N by each side's own means", "seconds_of_own_reduction"))
OWN = ("auto",)

cells = {}
for path in sys.argv[1:]:
    for line in csv.DictReader(open(path)):
        cells.setdefault(line["tolerance"], {}).setdefault(line["problem"], {})[line["solver"]] = line


def cost(cell, way):
    return float(cell["seconds"]) + (float(cell[way]) if way else 0.0)


for tolerance, problems in cells.items():
    print("tolerance %s, %d problems" % (tolerance, len(problems)))
    print("%-10s %6s %6s %6s %9s %10s %12s" % ("solver", "tried", "plain", "both", "median", "total", "auto/total"))
    for solver in sorted({s for row in problems.values() for s in row}, key=lambda s: (s not in OWN, s)):
        tried = [row[solver] for row in problems.values() if solver in row]
        plain = [c for c in tried if c["solved_plain"] == "1"]
        both = [c for c in tried if c["solved_both"] == "1"]
        pairs = [(row["auto"], row[solver]) for row in problems.values()
                 if solver in row and row[solver]["solved_plain"] == "1" and row["auto"]["solved_both"] == "1"]
        shared = [sum(float(p[k]["seconds"]) for p in pairs) for k in (0, 1)]
        print("%-10s %6d %6d %6d %9.2f %10.1f %12.4f" % (solver, len(tried), len(plain), len(both),
              1e3 * statistics.median(float(c["seconds"]) for c in plain), 1e3 * sum(float(c["seconds"]) for c in plain),
              shared[0] / shared[1]))
    for name, way in WAYS:
        ratios, totals, slower, alone = [], [0.0, 0.0], [], 0
        for problem, row in problems.items():
            if row["auto"]["solved_both"] != "1":
                continue
            peers = [cost(c, way) for s, c in row.items() if s not in OWN and c["solved_plain"] == "1"]
            ours = float(row["auto"]["seconds"])
            if not peers or min(peers) == float("inf"):
                alone += 1
                continue
            ratios.append(ours / min(peers))
            totals[0] += ours
            totals[1] += min(peers)
            if ratios[-1] > 1.0:
                slower.append("%s (%.1f)" % (problem, ratios[-1]))
        print("auto against the fastest of Siconos, %s: total %.4f, median %.4f of its time; slower on %d%s; %d problems that only auto solves" %
              (name, totals[0] / totals[1], statistics.median(ratios), len(slower), ": " + ", ".join(slower) if slower else "", alone))
    print()
