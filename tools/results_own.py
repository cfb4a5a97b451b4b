"""Items of results_run.py that need nothing but Cairn: counts of methods, linear algebra, profiles, the large flexible part."""
import csv
import json
import os
import re

import results
from results import grouped, number

OUT = "build/results"
FCLIB = os.environ.get("FCLIB_ALL", "../shared/fclib")
LAWS = ["coulomb", "associated"]


def parts_of(text):
    """Outputs under their headings `== words`."""
    return re.findall(r"(?ms)^== ([^\n]*)\n(.*?)(?=^== |\Z)", text)


def lines_of(text):
    return [json.loads(line) for line in text.split("\n") if line.startswith("{")]


def median(values):
    return sorted(values)[len(values) // 2] if values else "-"


# ---- methods on the box stacks ----

STACK_METHODS = ["splitmetric", "padmm", "pfadmm", "fadmm", "admm", "admm:step_root=off", "auto", "ipm", "primal-admm", "apgd"]


def stacks_command():
    return "; ".join(f"echo '== {m} {law}'; build/cairn solve {FCLIB}/box_stacks/*.hdf5 --method {m.replace(':', ' --opt ')} --law {law} --tol 1e-4 --json || true" for m in STACK_METHODS for law in LAWS)


def of_stacks(text):
    rows = {m: [" ".join(f"`{word}`" for word in m.split(":"))] for m in STACK_METHODS}
    parts = parts_of(text)
    counts = {len(lines_of(part)) for _, part in parts}
    if len(counts) != 1 or 0 in counts:  # a run that broke off is no result
        return {}
    for head, part in parts:
        solved = [line["iterations"] for line in lines_of(part) if line["outcome"] == "solved"]
        rows[head.split()[0]] += [str(len(solved)), str(median(solved))]
    good = all(len(row) == 5 for row in rows.values())
    return {"box-stacks": {"columns": ["method", "1e-4", "median", "with `--law associated`", "median, associated"], "rows": list(rows.values())}} if good else {}


# ---- lemke on walls ----

WALLS = [(3, 3), (4, 5), (5, 6), (6, 8), (8, 10)]


def lemke_command():
    return "; ".join(f"build/cairn generate wall width={w} height={h} -o {OUT}/lemke.hdf5 >/dev/null; build/cairn solve {OUT}/lemke.hdf5 --method lemke --cone poly:4 --json || true" for w, h in WALLS)


def of_lemke(text):
    lines = lines_of(text)
    if len(lines) != len(WALLS):
        return {}
    contacts = [line["sizes"]["contacts"] for line in lines]
    return {"lemke": {"columns": ["contacts"] + [str(c) for c in contacts], "rows": [
        ["rows of the LCP"] + [str(6 * c) for c in contacts],
        ["pivots"] + [str(line["iterations"]) if line["outcome"] == "solved" else line["outcome"] for line in lines]]}}


# ---- every method on every problem ----

def of_bench(text):
    """The lines of `cairn bench --law both --tol 1e-4`: certified, and how the others ended."""
    counts, ends = {}, {}
    for line in lines_of(text):
        if "method" not in line or "outcome" not in line:
            continue
        counts.setdefault(line["method"], {law: 0 for law in LAWS})
        if line["outcome"] == "solved":
            counts[line["method"]][line["law"]] += 1
        else:
            of_method = ends.setdefault(line["method"], {})
            of_method[line["outcome"]] = of_method.get(line["outcome"], 0) + 1
    rows = [[f"`{m}`", str(c["coulomb"]), str(c["associated"]), ", ".join(f"{n} {what}" for what, n in sorted(ends.get(m, {}).items()))] for m, c in counts.items()]
    rows.sort(key=lambda row: -int(row[1]) - int(row[2]))
    return {"fclib": {"columns": ["method", "Coulomb", "associated", "the others, both laws"], "rows": rows}} if rows else {}


# ---- linear algebra ----

def of_factors(text):
    """bench/linalg/linalg_factor.c: its table, without and with threads."""
    peak = re.search(r"kernel \S+: ([\d.]+) GF/s.*memory read ([\d.]+) GB/s", text)
    rows = [line.split() for line in re.sub(r"(?m)^pile (\S+)", r"pile-\1", text).split("\n") if re.search(r"% +[\d.]+ +\d+%$", line)]
    if not peak or not rows:
        return {}
    one = [[r[0].replace("-", ", "), grouped(r[1]), grouped(r[2]), r[3], r[6], r[7], r[9], r[11], r[12], r[13].replace("%", " %"), r[14]] for r in rows]
    two = [[r[0].replace("-", ", "), r[7], r[8], f"{float(r[7]) / float(r[8]):.2f}", r[9], r[10], f"{float(r[9]) / float(r[10]):.2f}"] for r in rows if int(r[5]) > 0]
    return {"measured": {"columns": ["matrix", "rows", "entries of L", "10⁶ multiply-adds", "analyze", "numeric", "solve", "one of four", "GF/s", "of the kernel", "GB/s in solve"], "rows": one},
            "measured-2": {"columns": ["matrix", "numeric, 1 thread", "2 threads", "gain", "solve, 1 thread", "2 threads, solve", "gain, solve"], "rows": two}}


def of_delassus(text):
    size = re.search(r"(\d+) contacts, ([\d.]+) MB a product", text)
    rows = re.findall(r"(?m)^(\w+), +(\d) threads? +([\d.]+) ms(?:, +([\d.]+) GB/s, +(\d+) %)?", text)
    return {"the-delassus-product": {"columns": ["storage, threads", "ms", "GB/s", "of the rate of reading memory"], "rows": [
        [f"{name}, {threads}", ms, rate or "-", f"{share} %" if share else "-"] for name, threads, ms, rate, share in rows]}} if size and rows else {}


# ---- where the instructions of a solve go ----

# label, what FILE:FUNCTION contains; the first that does
PARTS = [("back-substitution", r"kernel_(forward|backward)|:(forward|backward|solve_reduced)|factor_solve"), ("numeric factorisation", r":kernel_|factor_numeric"), ("assembly", r"/(kkt[_.]|block_pattern|mass_components)"),
         ("the judge", r"src/judge/"), ("products with D and its transpose", r"src/problem/(delassus/(jacobian_blocks|delassus_operator)|sparse_columns)|_chunk"), ("cones", r"cone_algebra|src/sets/"), ("memory cleared and copied", r":_*mem(set|cpy|move)|malloc|free"),
         ("the method", r"src/(solve|problem)/"), ("the rest", r"")]


def of_profiles(text):
    """callgrind: instructions of a solve, and their shares by the folder and file of the code."""
    sizes, tables = {"box stack": ("548", "75"), "wall": ("760", "105")}, {}
    solves = []
    for name, part in parts_of(text):
        line, total = lines_of(part), re.search(r"([\d,]+) \(100.0%\)  PROGRAM TOTALS", part)
        if not line or not total:
            return {}
        total = int(total[1].replace(",", ""))
        shares = {}
        for count, where in re.findall(r"(?m)^ *([\d,]+) \([^)]*\) +(\S+:\S+)", part):
            label = next(label for label, pattern in PARTS if re.search(pattern, where))
            shares[label] = shares.get(label, 0) + int(count.replace(",", ""))
        solves.append([name, *sizes[name], str(line[0]["iterations"]), number(total / 1e6)])
        tables[name.replace(" ", "-")] = {"columns": ["part", "share"], "rows": [[label, f"{100 * count / total:.0f} %"] for label, count in sorted(shares.items(), key=lambda x: -x[1])]}
    return {"solves": {"columns": ["problem", "contacts", "bodies", "iterations", "M instructions a solve"], "rows": solves}, **tables} if len(solves) == 2 else {}


def profiles_command():
    out = f"{OUT}/callgrind.out"
    return f"build/cairn generate wall width=10 height=10 --out {OUT}/wall.hdf5 >/dev/null; " + "; ".join(
        f"echo '== {name}'; valgrind --tool=callgrind --toggle-collect=cairn_solver_solve --callgrind-out-file={out} build/cairn solve {file} --json 2>/dev/null; callgrind_annotate --threshold=100 {out}"
        for name, file in (("box stack", f"{FCLIB}/box_stacks/Box_Stacks-i1000-548-40.hdf5"), ("wall", f"{OUT}/wall.hdf5")))


# ---- the large flexible part ----

def of_cushion(text):
    lines = lines_of(text)
    steps, run = [line for line in lines if line.get("type") == "step"], lines[-1] if lines else {}
    if not steps or "seconds_solve" not in run:
        return {}
    mean = lambda key: number(run[key] / len(steps))
    rows = [["contacts", mean("seconds_collide")], ["elements and assembly", mean("seconds_assemble")], ["solver, with the certificate", mean("seconds_solve")]]
    return {"large": {"columns": ["phase", "s a step"], "rows": rows + [["**a step**", number(sum(run[k] for k in ("seconds_collide", "seconds_assemble", "seconds_solve")) / len(steps))]]}}


ITEMS = [
    ("box-stacks", "methods", "Methods compared", stacks_command(), of_stacks, "Counts do not depend on load."),
    ("lemke", "methods", "Methods compared", lemke_command(), of_lemke, "Counts do not depend on load."),
    ("bars-methods", "methods", "Methods compared", "python3 bench/t21/tables.py build/cairn bars-methods",
     lambda text: {"bars": results.markdown_tables(text)["bars-methods"]} if "## bars-methods" in text else {}, "Counts do not depend on load."),
    ("bench", "bench", "cairn bench over FCLIB",
     f"rm -rf {OUT}/all && build/cairn bench {FCLIB}/box_stacks {FCLIB}/others --law both --tol 1e-4 --time-limit 1 --repeat 1 --curve 0 --out {OUT}/all >/dev/null; cat {OUT}/all/results.jsonl", of_bench, "One second for a solve, so methods that end at it depend on load."),
    ("factors", "linear-algebra", "Linear algebra", "build/bench/linalg_factor", of_factors, "Milliseconds, best of several."),
    ("delassus", "linear-algebra", "Linear algebra", "build/bench/delassus_product", of_delassus, "Best of many."),
    ("profiles", "profiles", "Where the time of a solve goes", profiles_command(), of_profiles, "Counts do not depend on load."),
    ("cushion", "flexible", "Flexible parts", "build/cairn run cushion --set size=70 --until 0.05 --threads 2 --json", of_cushion, "Two threads, wall clock."),
]
