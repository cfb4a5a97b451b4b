#!/usr/bin/env python3
"""Tables of docs/t21.md, from Cairn's own runs: tables.py CAIRN NAME..., of column, wall-step, robot, sweeps, own-stop, bars, bars-methods, carry, ratio; run in the root of the repository.

Each is printed as Markdown under a heading with its name. Not converging is a result. Solves of files take the associated law of the paper.
"""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

PLAIN = ["relaxation=1", "step_grow=1"]  # the paper's P-ADMM
PRINTED = "step_root=off"  # (42), (43) as they are printed
ROOT = "step_root=on"  # the square root of the ratio that balances, as the authors' program takes it
OWN_STOP = 1e-4  # N s and m/s


def options(pairs):
    return [word for pair in pairs for word in ("--opt", pair)]


def text_of(command):
    return subprocess.run(command, capture_output=True, text=True).stdout


def table(name, columns, rows):
    print(f"## {name}\n\n| {' | '.join(columns)} |\n{'|---' * len(columns)}|", flush=True)
    for row in rows:
        print(f"| {' | '.join(str(cell) for cell in row)} |", flush=True)
    print()


def solve(cairn, problem, method, pairs=(), most=20000, trace=None):
    """The line of the answer, and the trace."""
    command = [cairn, "solve", problem, "--law", "associated", "--method", method, "--max-iter", str(most), "--json"] + options(pairs)
    line = json.loads(text_of(command + (["--trace", trace] if trace else [])).strip().split("\n")[-1])
    rows = []
    if trace:
        with open(trace, encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    return line, rows


def steps_of(cairn, scene, until, arguments):
    command = [cairn, "run", f"scenes/{scene}.json", "--until", str(until), "--threads", "1", "--give-up", "0", "--json"] + arguments
    return [json.loads(line) for line in text_of(command).split("\n") if '"type": "step"' in line]


def dump(cairn, folder, scene, step, seconds, arguments=()):
    """The problem of a step, as a file."""
    scene_file = os.path.abspath(f"scenes/{scene}.json")
    subprocess.run([os.path.abspath(cairn), "run", scene_file, "--until", str(seconds), "--dump-step", str(step), "--quiet", *arguments], cwd=folder, capture_output=True)
    return os.path.join(folder, f"{scene}-{step:06}.hdf5")


def quantile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))] if values else 0


def median(values):
    return quantile(values, 0.5)


def stays_below(rows, column, limit):
    """The first iteration from which on the trace stays below the limit."""
    last = max([0] + [int(r["iteration"]) for r in rows if r[column] == "" or float(r[column]) > limit])
    return last + 1 if rows and last < int(rows[-1]["iteration"]) else "-"


def column(cairn, folder):
    """TEST 1: iterations of every method."""
    names = {"1.A": os.path.join(folder, "A.hdf5"), "1.B": os.path.join(folder, "B.hdf5")}
    for sample, name in (("stack", "1.A"), ("stack-pull", "1.B")):
        text_of([cairn, "generate", sample, "--out", names[name]])
    ways = [("ADMM, balanced", "admm", [PRINTED]), ("ADMM, balanced-normalized", "admm", [PRINTED, "step_policy=balanced-normalized"]), ("ADMM, spectral", "admm", ["step_policy=spectral"]),
            ("ADMM, fixed", "admm", ["step_policy=fixed"]), ("ADMM, fixed, ρ = 0.005", "admm", ["step_policy=fixed", "rho=0.005"]),
            ("P-ADMM, balanced", "padmm", PLAIN)]
    ways += [(f"{name}, {policy}, square root", method, PLAIN[:count] + [f"step_policy={policy}", ROOT])
             for policy in ("balanced", "balanced-normalized") for name, method, count in (("ADMM", "admm", 0), ("P-ADMM", "padmm", 2))]
    ways += [("P-ADMM, balanced-normalized, square root, ρ⁰ = 1", "padmm", PLAIN + ["step_policy=balanced-normalized", ROOT, "rho=1"])]
    ways += [("P-ADMM, Cairn's defaults", "padmm", [])]
    ways += [(f"ADMM, n_s = {n}", "admm", [PRINTED, f"step_every={n}"]) for n in (1, 2, 10, 20)]
    ways += [(f"FADMM, ρ = {rho}", "fadmm", [f"rho={rho}"]) for rho in ("0.05", "0.01", "1e-3", "1e-4", "1e-5")]
    ways += [("P-FADMM, ρ = 0.05", "pfadmm", []), ("P-SPG-FB", "spg", []), ("projected Jacobi", "jacobi", [])]
    rows = []
    for label, method, pairs in ways:
        row = [label]
        for name, problem in names.items():
            line, trace = solve(cairn, problem, method, pairs + ["test_every=1"], trace=os.path.join(folder, "trace.csv"))
            row += [line["iterations"] if line["outcome"] == "solved" else "-", line["factorizations"]]
            row += [stays_below(trace, "natural_map", 1e-8)] if name == "1.A" else [stays_below(trace, "violation", limit) for limit in (1e-2, 1e-3, 1e-4, 1e-6)]
        rows.append(row)
    table("column", ["method", "1.A: certified at 1e-8", "factorisations", "1.A: natural map below 1e-8", "1.B: certified at 1e-8", "1.B: factorisations",
                     "1.B: penetration below 1e-2 m/s", "1e-3", "1e-4", "1e-6"], rows)


def wall_step(cairn, folder):
    """TEST 2: three steps of the wrecking ball."""
    rows, columns = [], []
    for step in (26, 33, 40):
        text = text_of([os.path.join(os.path.dirname(cairn), "bench", "t21_wall"), "scenes/wall.json", folder, "--step", str(step)])
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.split("\n") if line.startswith("|")]
        contacts = re.search(r"(\d+) contacts", text)
        columns = ["step"] + lines[0][1:] if not columns else columns
        rows += [[f"{step}, {line[0]}, {line[1]}"] + line[2:] for line in lines[2:]]
        print(f"step {step}: {contacts.group(1) if contacts else '?'} contacts", flush=True)
    table("wall-step", ["step, contacts, method"] + columns[2:], rows)


def robot(cairn, folder):
    """TEST 3: counts a step, of the group of connected bodies that needs most, and of the robot, the one with joints."""
    ways = [("none", "auto", 0, ["0.4"], (1, 500)), ("none", "padmm", 0, ["0.4"], (1, 500)), ("15", "auto", 1, ["0.4"], (1, 500)), ("15, pushed", "auto", 1, ["0.4"], (250, 460)),
            ("15, pushed, eight μ from 0.25 to 0.6", "auto", 1, [f"{0.25 + 0.05 * i:.2f}" for i in range(8)], (250, 460)), ("15, pushed", "padmm", 1, ["0.4"], (250, 460))]
    rows = []
    for boxes, method, there, frictions, (first, last) in ways:
        steps = []
        for mu in frictions:
            steps += [s for s in steps_of(cairn, "robot", 5, ["--set", f"boxes={there}", "--set", f"mu={mu}", "--method", method]) if first <= s["step"] <= last]
        iterations, factors = [s["most_iterations"] for s in steps], [s["most_factorizations"] for s in steps]
        own = [s for s in steps if s["jointed_iterations"] > 0]
        rows.append([f"{boxes}, `{method}`", f"{sum(s['certified'] for s in steps)} of {len(steps)}", max(s["contacts"] for s in steps),
                     f"{max([s['jointed_iterations'] for s in own] + [0])}, {max([s['jointed_factorizations'] for s in own] + [0])}",
                     f"{median(iterations)}, {quantile(iterations, 0.9)}, {max(iterations)}", f"{median(factors)}, {quantile(factors, 0.9)}, {max(factors)}",
                     f"{sum(i <= 15 for i in iterations)} of {len(steps)}"])
    table("robot", ["boxes, method", "certified", "most contacts", "robot: iterations, factorisations at most", "all groups, iterations: median, 90 %, most",
                    "factorisations: median, 90 %, most", "within 15 iterations"], rows)


def sweeps(cairn, folder):
    """TEST 3: the robot alone, at the step 250, by methods without a factorisation."""
    problem = dump(cairn, folder, "robot", 250, 2.5, ["--set", "boxes=0"])
    rows = []
    for method in ("admm", "jacobi", "psor", "pgs", "nncg", "spg", "apgd"):
        line, _ = solve(cairn, problem, method, ["tolerance_velocity=1e-4", "test_every=1"] if method == "admm" else ["tolerance_velocity=1e-4"], most=3000)
        rows.append([f"`{method}`", line["outcome"], line["iterations"], line["factorizations"], f"{line['certificate']['error']:.1e}", f"{line['certificate']['natural_map']:.1e}"])
    table("sweeps", ["method", "outcome", "iterations", "factorisations", "error, m/s", "natural map"], rows)


def own_stop(cairn, folder):
    """TEST 3 and 4 with the paper's ADMM and its own stop, beside Cairn's."""
    paper = ["--law", "associated"] + options(PLAIN + [PRINTED, "carry_rho=on", "test_every=1000", "max_iterations=1000", f"eps_primal={OWN_STOP}", f"eps_dual={OWN_STOP}"])
    # Chrono's demo of bars in contact, by the authors: balanced by the square root, 60 iterations at most, rho = 1
    demo = ["--method", "admm", "--law", "associated"] + options([ROOT, "rho=1", "step_ignore=1.5", "carry_rho=off", "test_every=1000", "max_iterations=60", f"eps_primal={OWN_STOP}", f"eps_dual={OWN_STOP}"])
    ways = [("ADMM, own stop", ["--method", "admm"] + paper), ("P-ADMM, own stop", ["--method", "padmm"] + paper), ("ADMM, the authors' settings", demo), ("Cairn, certified", [])]
    rows = []
    for scene, until in (("robot", 5), ("bars-soft", 1), ("bars-stiff", 1)):
        for label, arguments in ways:
            steps = steps_of(cairn, scene, until, arguments)
            iterations, factors = [s["most_iterations"] for s in steps], [s["most_factorizations"] for s in steps]
            rows.append([f"`{scene}`, {label}", f"{median(iterations)}, {quantile(iterations, 0.9)}, {max(iterations)}", f"{median(factors)}, {quantile(factors, 0.9)}, {max(factors)}",
                         f"{sum(i <= 15 for i in iterations)} of {len(steps)}", f"{sum(s['certified'] for s in steps)} of {len(steps)}", f"{max(s['error'] for s in steps):.1e}"])
    table("own-stop", ["scene, method", "iterations: median, 90 %, most", "factorisations: median, 90 %, most", "within 15 iterations", "certified", "largest error, m/s"], rows)


def bars(cairn, folder):
    """TEST 4: one cold solve of a step's problem by the paper's ADMM, for three tolerances of its own stop."""
    rows = []
    for scene in ("bars-soft", "bars-stiff"):
        for step, what in ((3, "first contacts"), (6, "the heap lands"), (10, "at rest"), (20, "at rest")):
            problem = dump(cairn, folder, scene, step, 0.05 * step)
            row = [f"`{scene}`, {step}: {what}"]
            for tolerance in ("1e-2", "1e-3", "1e-4"):
                line, _ = solve(cairn, problem, "admm", [PRINTED, "test_every=1000", f"eps_primal={tolerance}", f"eps_dual={tolerance}"], most=1000)
                row.append(f"{line['iterations']}, {line['factorizations']}, {line['certificate']['error']:.0e}")
            rows.append(row)
    table("bars", ["scene, step"] + [f"{tolerance} N s, m/s: iterations, factorisations, error in m/s" for tolerance in ("1e-2", "1e-3", "1e-4")], rows)


def bars_methods(cairn, folder):
    """TEST 4 by methods: counts a step, certified, the exact law."""
    rows = []
    for method in ("auto", "splitmetric", "nsn", "padmm"):
        row = [f"`{method}`"]
        for scene in ("bars-soft", "bars-stiff"):
            steps = steps_of(cairn, scene, 1, ["--method", method])
            for key in ("most_factorizations", "most_iterations"):
                row.append(f"{median([s[key] for s in steps])}, {max(s[key] for s in steps)}")
            row.append(f"{sum(s['certified'] for s in steps)} of {len(steps)}")
        rows.append(row)
    table("bars-methods", ["method"] + [f"{what}, {name}" for name in ("E = 1e6", "2e11") for what in ("factorisations: median, most", "iterations", "certified")], rows)


def carry(cairn, folder):
    """What the last penalty and the last velocities save from step to step: counts of whole runs."""
    scenes = [("wall-rest", 0.4, ["--set", "walls=1"]), ("wall", 1.2, ["--set", "walls=1", "--set", "rows=6", "--set", "columns=8"]), ("robot", 3, []), ("dominoes", 1, []), ("card-house", 0.5, []),
              ("gripper", 1, []), ("granular", 0.1, []), ("balls-in-box", 0.4, []), ("arch", 0.5, [])]
    rows = []
    for scene, until, arguments in scenes:
        row = [f"`{scene}`"]
        for method in ("admm", "padmm", "pfadmm"):
            for pairs in (["carry_rho=off"], ["carry_rho=on"], ["carry_rho=" + ("on" if method == "admm" else "off"), "warm_velocity=on"]):
                steps = steps_of(cairn, scene, until, arguments + ["--method", method] + options(pairs + ["max_iterations=3000"]))
                bad = sum(not s["certified"] for s in steps)
                row.append(f"{sum(s['iterations'] for s in steps)}, {sum(s['factorizations'] for s in steps)}" + (f" ({bad} not certified)" if bad else ""))
        rows.append(row)
    table("carry", ["scene"] + [f"{method}: {what}" for method in ("admm", "padmm", "pfadmm") for what in ("own ρ", "last ρ", "and v⁰")], rows)


def ratio(cairn, folder):
    """Instructions of a back-substitution against those of a factorisation, as P-ADMM meets them."""
    problems = [("TEST 1: column", os.path.join(folder, "A.hdf5")), ("TEST 2: one wall and the ball", dump(cairn, folder, "wall", 26, 0.52)),
                ("TEST 3: the robot", dump(cairn, folder, "robot", 250, 2.5, ["--set", "boxes=0"])), ("TEST 4.A: soft bars", dump(cairn, folder, "bars-soft", 10, 0.5)),
                ("TEST 4.B: stiff bars", dump(cairn, folder, "bars-stiff", 10, 0.5))]
    text_of([cairn, "generate", "stack", "--out", problems[0][1]])
    rows, out = [], os.path.join(folder, "callgrind.out")
    for label, problem in problems:
        line = json.loads(text_of(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", cairn, "solve", problem, "--law", "associated", "--method", "padmm", "--max-iter", "20", "--json",
                                   *options(PLAIN + ["step_every=7"])]).strip().split("\n")[-1])
        found = re.findall(r"([\d,]+) \([^)]*\)\s+\S+:(cairn_\w+)", text_of(["callgrind_annotate", "--inclusive=yes", "--threshold=100", out]))
        count = {}
        for number, name in found:
            count[name] = max(count.get(name, 0), int(number.replace(",", "")))
        factor = count.get("cairn_kkt_factor", 0) / max(1, line["factorizations"])
        back = max(count.get(name, 0) for name in ("cairn_kkt_solve", "cairn_kkt_solve_bodies", "cairn_kkt_solve_blocks")) / max(1, line["solves"])
        rows.append([label, line["sizes"]["n"], line["sizes"]["m"], f"{factor / 1e6:.3g}", f"{back / 1e6:.3g}", f"1/{factor / back:.3g}" if back > 0 else "-"])
    table("ratio", ["problem", "velocities", "rows", "M instructions a factorisation", "a solve", "ratio"], rows)


TABLES = {"column": column, "wall-step": wall_step, "robot": robot, "sweeps": sweeps, "own-stop": own_stop, "bars": bars, "bars-methods": bars_methods, "carry": carry, "ratio": ratio}


def main():
    if len(sys.argv) < 3 or any(name not in TABLES for name in sys.argv[2:]):
        print(f"usage: tables.py CAIRN NAME..., of {' '.join(TABLES)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[2:]:
            TABLES[name](sys.argv[1], folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
