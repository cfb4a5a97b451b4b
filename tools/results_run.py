#!/usr/bin/env python3
"""Renews figures of docs/results: results_run.py [NAME...], as `make results` and `make results NAME=wall`.

A name is an item of the list below, or a data file, which means all of its items. Without a name all items are run, one after the other, and those that were done at
this commit are not run again: what was interrupted goes on where it was. Named items are run whatever was done. Outputs are kept in build/results.

Each item is a command and what makes tables of its output. The pages are written when an item is done.
"""
import csv
import json
import os
import re
import shlex
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import results  # noqa: E402
import results_own  # noqa: E402
import results_manual  # noqa: E402
from results import grouped, number  # noqa: E402

OUT = "build/results"
FCLIB = os.environ.get("FCLIB_ALL", "../shared/fclib")


def same(label):
    """The last table of the output, under this name."""
    def convert(text):
        tables = results.markdown_tables(text)
        return {label: tables[list(tables)[-1]]} if tables else {}
    return convert


def of_engine(scene):
    def convert(text):
        tables = results.markdown_tables(text)
        return {scene: tables[scene]} if scene in tables else {}
    return convert


def of_large(text):
    piles, direct = [], []
    for part in re.split(r"(?m)^(?=\d+ spheres)", text):
        size = re.search(r"(\d+) contacts", part)
        solve = re.search(r"nncg to 1e-6: (\w+).*?, (\d+) iterations, ([\d.]+) s, ([\d.]+) us a contact", part)
        free = re.search(r"matrix-free .*?iteration +([\d.]+) us, memory +(\d+) bytes a contact;.*?, (\d+) MB", part)
        whole = re.search(r"direct .*?iteration +([\d.]+) us, memory +(\d+) bytes a contact; load ([\d.]+) s, iteration ([\d.]+) s, (\d+) MB", part)
        if size and solve and free:
            piles.append([grouped(size[1]), solve[2], solve[3], solve[4], free[1], free[2], free[3] + " MB"])
        if size and whole:
            direct.append([grouped(size[1]), number(whole[3]), number(whole[4]), number(whole[1]), whole[5] + " MB", number(float(whole[2]) / 1000)])
    if not piles:
        return {}
    return {"piles": {"columns": ["contacts", "iterations", "solve, s", "µs a contact and iteration", "the iteration alone, µs", "solver, bytes a contact", "solver"], "rows": piles},
            **({"direct": {"columns": ["contacts", "load, s", "iteration, s", "µs a contact", "memory", "kB a contact"], "rows": direct}} if direct else {})}


PILES = [("pile", 1000, "coulomb", 0.4), ("spheres", 1000, "coulomb", 0.4), ("pile", 6700, "coulomb", 0.4), ("pile", 16000, "coulomb", 0.1), ("pile", 33000, "coulomb", 0.1),
         ("pile", 16000, "associated", 0.4), ("pile", 33000, "associated", 0.4), ("pile", 16000, "coulomb", 0.2), ("pile", 16000, "coulomb", 0.4), ("spheres", 4000, "coulomb", 0.4)]


def pile_command():
    steps = [f"build/cairn generate {kind} spheres={n} mu={mu} -o {OUT}/pile.hdf5 >/dev/null && {{ build/cairn solve {OUT}/pile.hdf5 --method nncg --law {law} --tol 1e-6 --max-iter 6000 --json || true; }}"
             for kind, n, law, mu in PILES]
    return "; ".join(steps)


def of_iterations(text):
    rows = []
    for (kind, n, law, mu), line in zip(PILES, [json.loads(x) for x in text.split("\n") if x.startswith("{")]):
        solved = line["outcome"] == "solved"
        rows.append([f"`{kind} spheres={n}`", grouped(line["sizes"]["contacts"]), "exact" if law == "coulomb" else law, str(mu),
                     str(line["iterations"]) if solved else f"{number(line['certificate']['relative'], 2)} after {line['iterations']}"])
    return {"iterations": {"columns": ["problem", "contacts", "law", "μ", "`nncg` iterations to 1e-6"], "rows": rows}} if len(rows) == len(PILES) else {}


def short(tolerance):
    return f"{float(tolerance):.0e}".replace("e-0", "e-")


def races_of(path):
    """Lines of the race's CSV: tolerance -> problem -> solver -> line."""
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in csv.DictReader(file):
            found.setdefault(short(line["tolerance"]), {}).setdefault(line["problem"], {})[line["solver"]] = line
    return found


def of_gains(path):
    """How many times as long the fastest peer takes on each problem, N formed by its own means."""
    rows = []
    for tolerance, problems in races_of(path).items():
        gains = []
        for solvers in problems.values():
            peers = [float(x["seconds"]) + float(x["seconds_of_own_reduction"]) for name, x in solvers.items() if name != "auto" and x["solved_plain"] == "1"]
            if peers and solvers["auto"]["solved_both"] == "1":
                gains.append(min(peers) / float(solvers["auto"]["seconds"]))
        gains.sort()
        rows.append([tolerance, str(len(gains))] + [number(gains[k], 3) for k in (0, len(gains) // 4, len(gains) // 2, 3 * len(gains) // 4, -1)])
    return {"columns": ["box stacks, to", "problems that a peer solves", "least", "a quarter has less", "median", "a quarter has more", "most"], "rows": rows}


def of_others(path):
    races = races_of(path)
    names = list(dict.fromkeys(name for problems in races.values() for solvers in problems.values() for name in solvers))
    rows = []
    for problem in next(iter(races.values())):
        cells = []
        for name in names:
            lines = [problems[problem].get(name) for problems in races.values()]
            cells.append(" / ".join("none" if line["finished"] != "1" else number(1e3 * float(line["seconds"]), 2) + ("" if line["solved_both"] == "1" else " p" if line["solved_plain"] == "1" else " x")
                                    for line in lines) if all(lines) else "")
        rows.append([problem] + cells)
    return {"columns": ["ms to " + " / ".join(races)] + [f"`{name}`" for name in names], "rows": rows}


def of_siconos(text):
    head, found, fast = ["box stacks"], {}, {}
    for part in re.split(r"(?m)^(?=tolerance )", text):
        tolerance = re.match(r"tolerance (\S+), \d+ problems$", part.split("\n")[0])
        if not tolerance:
            continue
        to = short(tolerance[1])
        head += [f"plain, {to}", f"certified, {to}", f"median, {to}", f"total, {to}", f"auto / total, {to}"]
        for line in re.findall(r"(?m)^(\S+) +(\d+) +(\d+) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+)$", part):
            found.setdefault(line[0], []).extend([line[2], line[3], number(line[4]), number(line[5], 4), number(line[6], 2)])
        for way, total, median, slower in re.findall(r"fastest of Siconos, (.+?): total ([\d.]+), median ([\d.]+) of its time; slower on (\d+)", part):
            fast.setdefault({"N given": "nobody: given", "N formed by Cairn for all": "Cairn, for all"}.get(way, "each side itself"), []).extend([number(total, 2), number(median, 2), slower])
    if not found:
        return {}
    rows = [[("Cairn " if name.startswith("auto") else "Siconos ") + f"`{name}`"] + cells for name, cells in found.items()]
    tables = {"box-stacks": {"columns": head, "rows": [r for r in rows if len(r) == len(head)]}, "gains": of_gains("build/peers/siconos-box-stacks.csv"),
              "others": of_others("build/peers/siconos-others.csv")}
    if all(len(v) == 6 for v in fast.values()) and "each side itself" in fast:
        tables["against-the-fastest"] = {"columns": ["who forms N", "1e-4: total", "median of ratios", "slower on", "1e-8: total", "median of ratios, 1e-8", "slower on, 1e-8"],
                                         "rows": [[name] + cells for name, cells in fast.items()]}
    return tables


def of_factors(text):
    scenes, cells, analysis = [], {}, {}
    names = {"cairn": "**Cairn**", "cholmod": "CHOLMOD", "ldl": "LDL", "mumps": "MUMPS", "eigen-ldlt": "Eigen SimplicialLDLT", "eigen-lu": "Eigen SparseLU"}
    with open("build/peers/linalg.csv", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            if line["scene"] not in scenes:
                scenes.append(line["scene"])
            name = f"{line['form']}, {names.get(line['solver'], line['solver'])}"
            good = line["solved"] == "1"
            cells.setdefault(name, {})[line["scene"]] = f"{number(1e3 * float(line['factor']))}/{number(1e3 * float(line['solve']))}" if good else "–"
            analysis.setdefault(name, {})[line["scene"]] = number(1e3 * float(line["analyze"])) if good else "–"
    table = lambda what: {"columns": ["form, solver"] + scenes, "rows": [[n] + [row.get(s, "–") for s in scenes] for n, row in sorted(what.items(), key=lambda x: (x[0][0], "Cairn" not in x[0], x[0]))]}
    return {"factorisations": table(cells), "analysis": table(analysis)} if scenes else {}


def of_warm(text):
    medians = re.findall(r"step after step *: \d+ ratios to the cost from zero, median ([\d.]+)", text)
    worst = re.findall(r"poor guesses *: .*largest ([\d.]+)", text)
    if len(medians) != 3 or not worst:
        return {}
    return {"warm": {"columns": ["44 pairs of box stacks, work over that of a cold start", "1e-4", "1e-6", "1e-8", "worst of 4488 poor guesses"],
                     "rows": [["from the last answer, median"] + medians + [max(worst, key=float)]]}}


def of_profile_table(text):
    """bench/which/profile.py: Coulomb's law at two tolerances."""
    cells = {}
    for part in re.split(r"(?m)^(?=\w+ law, tolerance)", text):
        if part.startswith("coulomb"):
            for line in re.findall(r"(?m)^(\S+) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)$", part):
                cells.setdefault(line[0], []).append([line[1], line[3], line[4], f"{round(float(line[6]))} ms"])
    rows = [[f"`{name}`"] + both[1] + both[0] for name, both in cells.items() if len(both) == 2]
    return {"profile": {"columns": ["method", "solved, 1e-4", "within 1.3 times the fastest", "within 2", "total, 1e-4", "solved, 1e-8", "within 1.3", "within 2, 1e-8", "total, 1e-8"], "rows": rows}} if rows else {}


def of_t4(text):
    tables = results.markdown_tables(text)
    rows = [row for table in tables.values() for row in table["rows"] if "bars-" in row[0]]
    for row in rows:
        row[0] = "`bars-soft`, E = 1e6" if "soft" in row[0] else "`bars-stiff`, E = 2e11"
    return {"t4": {"columns": ["scene", "most contacts", "certified", "factorisations", "solves", "Cairn, ms", "Chrono's recipe, ms", "ratio", "largest error, m/s"], "rows": rows}} if rows and all(len(r) == 9 for r in rows) else {}


def tables_named(**names):
    """Tables of the output by their headings (slugs, _ for -), under these names; all of them must be there."""
    def convert(text):
        tables = results.markdown_tables(text)
        found = {name: tables[heading.replace("_", "-")] for heading, name in names.items() if heading.replace("_", "-") in tables}
        return found if len(found) == len(names) else {}
    return convert


def tables_by_value(text):
    """Tables under the values of their headings `== key=value`."""
    lines = re.sub(r"(?m)^== [\w-]+=(\S+)$", r"== \1", text)
    return results.markdown_tables(lines)


def paper_bench(paper, part):
    return f"PARTS='{part}' bash bench/{paper}/run.sh build/cairn {FCLIB}/box_stacks build/bench-{paper} && {{ cp build/bench-{paper}/{paper}-*.svg docs/figures/ 2>/dev/null || true; }}"


HEAPS = [27, 125, 512, 1000]
HEAP_OPTIONS = [("iterations, `dapuzzo`", "start=dapuzzo"), ("`nocedal`", "start=nocedal"), ("`steps=separate`", "steps=separate"), ("`stop=paper units=si`", "stop=paper --opt units=si")]


def heap_command():
    return "; ".join(f"build/cairn generate spheres spheres={n} mu=0 -o {OUT}/heap.hdf5 >/dev/null; "
                     + "; ".join(f"build/cairn solve {OUT}/heap.hdf5 --method ipm-mt --tol 1e-8 --json --opt {option} || true" for _, option in HEAP_OPTIONS) for n in HEAPS)


def of_heaps(text):
    lines = [json.loads(line) for line in text.split("\n") if line.startswith("{")]
    if len(lines) != len(HEAPS) * len(HEAP_OPTIONS):
        return {}
    width = len(HEAP_OPTIONS)
    return {"spheres": {"columns": ["contacts"] + [str(line["sizes"]["contacts"]) for line in lines[::width]],
                        "rows": [[name] + [str(line["iterations"]) for line in lines[k::width]] for k, (name, _) in enumerate(HEAP_OPTIONS)]}}


# Tables of bench/t21/tables.py.
T21 = ["column", "wall-step", "robot", "sweeps", "own-stop", "bars", "carry", "ratio"]
def of_nut(label):
    """Shakes and cost of one run of the Brazil nut."""
    def convert(text):
        tables = list(results.markdown_tables(text).values())
        if len(tables) != 2 or not tables[1]["rows"]:
            return {}
        shakes = {"columns": tables[0]["columns"][:3], "rows": [row[:3] for row in tables[0]["rows"] if int(row[0]) % 10 == 0]}
        return {label: shakes, label + "-cost": tables[1]}
    return convert


NUT = "build/bench/anitescu brazil-nut scenes/brazil-nut.json --set method=nncg --seconds 50"
FALLING = "--set angle=pi/6 --set speed=0 --set spin=4 --set height=0.75 --set inertia=0.002"
ENGINES = ["stack", "stack-overlap", "tower", "wall", "incline", "arch", "chain", "chain-002", "granular-1000", "granular-4000", "granular-16000"]

# name, data file, its title, command, what makes tables of its output, conditions
ITEMS = [(scene, "engines", "Race with engines", f"bash bench/peers/run.sh engines --scenes {scene} --limit {60 if scene.startswith('granular') else 400}", of_engine(scene), "") for scene in ENGINES] + [
    ("large", "large", "Large piles", "build/bench/large --direct 50000", of_large, ""),
    ("iterations", "large", "Large piles", pile_command(), of_iterations, ""),
    ("chrono", "t21", "The tests of [T21]", "bash bench/peers/run.sh chrono --until 1.2 --every 3", same("chrono"), ""),
] + [(name, "t21", "The tests of [T21]", f"python3 bench/t21/tables.py build/cairn {name}", same(name), "") for name in T21] + [
    ("t4", "flexible", "Flexible parts", "bash bench/peers/run.sh t4", of_t4, ""),
    ("spin", "flexible", "Flexible parts", "build/bench/spin", results.markdown_tables, "Nothing depends on load."),
    ("elements", "elements", "What elements are good for", "build/bench/elements", results.markdown_tables, ""),
    ("siconos", "peers", "Races against solvers and factorisations",
     "bash bench/peers/run.sh siconos --peers gadmm-rb,gadmm,ladmm,nsgs --limit 3 --repeats 1 && python3 bench/peers/siconos/summary.py build/peers/siconos-box-stacks.csv", of_siconos,
     "CPU milliseconds; 3 s of CPU time for one solve."),
    ("linalg", "peers", "Races against solvers and factorisations", "bash bench/peers/run.sh linalg", of_factors, "CPU milliseconds, factor/solve; best of several rounds."),
    ("warm", "methods", "Methods compared", f"for t in 1e-4 1e-6 1e-8; do echo \"== tol $t\"; build/bench/warm --tol $t $(ls {FCLIB}/box_stacks/*.hdf5 | sort -t- -k4 -n); done", of_warm, ""),
    ("methods", "methods", "Methods compared",
     f"rm -rf {OUT}/bench && build/cairn bench {FCLIB}/box_stacks {FCLIB}/others --methods auto,ipm,nsn,splitmetric,padmm --law coulomb --tol 1e-4,1e-8 --time-limit 0 --repeat 1 --curve 0 --out {OUT}/bench && python3 bench/which/profile.py {OUT}/bench/results.jsonl",
     of_profile_table, "Processor time of load and solve, Coulomb's law."),
    ("rod", "anitescu", "The experiments of [A]", "build/bench/anitescu painleve scenes/painleve.json", same("rod"), "Certified at 1e-10; nothing depends on load."),
    ("falling-rod", "anitescu", "The experiments of [A]", f"build/bench/anitescu painleve scenes/painleve.json {FALLING}", same("falling-rod"), "Certified at 1e-10; nothing depends on load."),
    ("nut", "anitescu", "The experiments of [A]", f"{NUT} --set law=associated --set step=0.1", of_nut("nut"), "Processor time, one thread; counts do not depend on load."),
    ("nut-exact", "anitescu", "The experiments of [A]", f"{NUT} --set law=coulomb --set step=0.1", of_nut("nut-exact"), "Processor time, one thread; counts do not depend on load."),
    ("nut-fine", "anitescu", "The experiments of [A]", f"{NUT} --set law=associated --set step=0.01", of_nut("nut-fine"), "Processor time, one thread; counts do not depend on load."),
    ("akm-variants", "akm", "The comparisons of [AKM]", paper_bench("akm", "variants"), tables_by_value,
     "Associated law, certificate at 1e-3, at most 2000 iterations; load included. Median and total where as many are solved as by the best."),
    ("akm-authors", "akm", "The comparisons of [AKM]", paper_bench("akm", "s-update authors figures"),
     tables_named(s_update_by_cairn="s-update", table_3="table-3", table_2="table-2", **{rule: f"authors-{rule}" for rule in ("ghadimi", "dicairano", "acary", "normal")}),
     "Table 3: exact law, Di Cairano. Twelve variants in NumPy and SciPy, processor time, at most 1000 iterations. Counts do not depend on load."),
    ("akm-race", "akm", "The comparisons of [AKM]", paper_bench("akm", "race"), tables_named(race_with_numpy_and_scipy="race"), "Processor time, best of three for each problem on both sides."),
    ("ac-zero", "ac", "The comparisons of [AC]", paper_bench("ac", "zero"), tables_named(the_stop_test_at_r_0="zero"), "Does not depend on load."),
    ("ac-steps", "ac", "The comparisons of [AC]", paper_bench("ac", "steps"), tables_by_value, "Associated law, certificate at 1e-2, at most 200 iterations; load included."),
    ("ac-s-update", "ac", "The comparisons of [AC]", paper_bench("ac", "s-update figures"), tables_named(s_update="s-update"), "Exact law, certificate at 1e-4, at most 5000 iterations."),
    ("mt-heaps", "methods", "Methods compared", heap_command(), of_heaps, "Counts do not depend on load."),
    ("mt", "mt", "Tables 1 and 2 of [MT]", "bash bench/mt/run.sh build/bench build/bench-mt && cp build/bench-mt/mt-convergence.svg docs/figures/", tables_named(table_1="table-1", table_2="table-2"),
     "Counts do not depend on load."),
] + results_own.ITEMS + results_manual.ITEMS


def head():
    return subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()


def bar(done, count, name, begin):
    width, full = 24, 24 * done // max(1, count)
    spent = int(time.time() - begin)
    left = f", {spent * (count - done) // done // 60} min left" if done else ""
    line = f"[{'#' * full}{'.' * (width - full)}] {done} of {count}, {name}, {spent // 60} min gone{left}"
    print(("\r" + line + "\033[K") if sys.stderr.isatty() else line, end="" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)


def run(item, commit):
    name, file, title, command, convert, conditions = item
    log, load = os.path.join(OUT, name + ".txt"), os.getloadavg()[0]
    with open(log, "w", encoding="utf-8") as out:
        code = subprocess.run(["bash", "-c", "set -o pipefail; " + command], stdout=out, stderr=subprocess.STDOUT).returncode
    with open(log, encoding="utf-8", errors="replace") as out:
        tables = convert(out.read())
    if not tables:
        return f"{name}: no table came out (exit code {code}); see {log}"
    results.store(".", file, title, f"make results NAME={file}", tables, results.run_now(load, conditions))
    results.write(".")
    with open(os.path.join(OUT, name + ".done"), "w", encoding="utf-8") as out:
        out.write(commit)
    return None


def is_done(name, commit):
    path = os.path.join(OUT, name + ".done")
    return os.path.exists(path) and open(path, encoding="utf-8").read() == commit


def main():
    wanted = [word for name in sys.argv[1:] for word in shlex.split(name)]
    known = {item[0] for item in ITEMS} | {item[1] for item in ITEMS}
    for name in wanted:
        if name not in known:
            print(f"results: there is no '{name}'; known are {' '.join(sorted(known))}", file=sys.stderr)
            return 2
    os.makedirs(OUT, exist_ok=True)
    commit, begin, faults = head(), time.time(), []
    exact = [item for item in ITEMS if item[0] in wanted]
    chosen = exact + [item for item in ITEMS if item[1] in wanted and item not in exact] if wanted else [item for item in ITEMS if not is_done(item[0], commit)]
    for k, item in enumerate(chosen):
        bar(k, len(chosen), item[0], begin)
        fault = run(item, commit)
        if fault:
            faults.append(fault)
    bar(len(chosen), len(chosen), "done", begin)
    print(file=sys.stderr)
    for fault in faults:
        print(fault)
    return 1 if faults else results.check(".")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("\nresults: interrupted; the same command goes on", file=sys.stderr)
        sys.exit(130)
