"""Items of results_run.py: figures of the manual, of docs/world.md, certificate.md, which-method.md and elements.md. What runs of scenes cost and keep, what the certificate costs, which methods get through."""
import json
import os
import re

from results import grouped, number

OUT = "build/results"
FCLIB = os.environ.get("FCLIB_ALL", "../shared/fclib")
REFEREE = os.environ.get("REFEREE", "../shared/referee")

RUN = "build/cairn run"
ONLY_THE_RUN = "grep '\"type\": \"run\"'"
RESTING = [("arch", "arch", 1000), ("wall-rest", "four walls at rest (`wall-rest`)", 100), ("wall-rest --tol 1e-4", "the same with `--tol 1e-4`", 100), ("card-house", "card-house", 400),
           ("dominoes", "dominoes", 500), ("gripper", "gripper (a block in a grip, lifted)", 600)]
ENERGIES = ["brick", "ball", "robot", "dominoes", "balls-in-box", "rattleback"]
CHAINS = [(1000, 0.01), (1000, 0.02), (10000, 0.01), (100000, 0.02), (1000000, 0.02)]


def parts_of(text):
    """Outputs under their headings `== words`: (words, the steps, the run)."""
    for head, part in re.findall(r"(?ms)^== ([^\n]*)\n(.*?)(?=^== |\Z)", text):
        lines = [json.loads(line) for line in part.split("\n") if line.startswith("{")]
        yield head, [x for x in lines if x["type"] == "step"], ([x for x in lines if x["type"] == "run"] or [None])[0]


def command(runs, filtered=ONLY_THE_RUN):
    """`run` of each, headed by its words. A step that is not certified makes the exit code 1 and is told in the table."""
    return "; ".join(f"echo '== {words}'; ({RUN} {words} --json || true){' | ' + filtered if filtered else ''}" for words in runs)


def of_resting(text):
    rows = []
    for (words, title, steps), (head, _, run) in zip(RESTING, parts_of(text)):
        if head != words or run is None or run["steps"] != steps:
            return {}
        rows.append([f"{title}, {steps} steps", grouped(run["factorizations"]), grouped(run["iterations"]), number(1e3 * run["deepest"], 2), f"{run['steps'] - run['uncertified']} of {run['steps']}"])
    return {"rest": {"columns": ["scene", "factorisations", "iterations", "deepest overlap, mm", "certified"], "rows": rows}} if len(rows) == len(RESTING) else {}


def of_energies(text):
    runs = [(head, run) for head, _, run in parts_of(text) if run is not None]
    rows = [[f"`{head}`", number(run["turned_over"]), number(abs(run["left_over"]), 2), number(100 * abs(run["left_over"]) / run["turned_over"], 2)] for head, run in runs]
    return {"energy": {"columns": ["scene", "energy that changed form, J", "time-stepping error, J", "%"], "rows": rows}} if len(rows) == len(ENERGIES) else {}


def of_chains(text):
    rows = []
    for (block, h), (_, steps, run) in zip(CHAINS, parts_of(text)):
        if run is None:
            return {}
        total = [x["kinetic"] + x["potential"] + x["elastic"] for x in steps]
        largest = max(abs(x - run["start_energy"]) for x in total) / max(x["kinetic"] for x in steps)
        rows.append([f"{block} kg, {h} s", number(1e6 * max(x["joint_gap"] for x in steps), 2), number(100 * largest, 2), number(sum(x["solves"] for x in steps) / len(steps), 2), f"{run['steps'] - run['uncertified']} of {run['steps']}"])
    return {"chains": {"columns": ["block, step", "largest gap, µm", "largest change of the energy, % of the largest kinetic one", "solves a step", "certified"], "rows": rows}} if len(rows) == len(CHAINS) else {}


def of_ball(text):
    rows = []
    for _, steps, run in parts_of(text):
        for part in (steps[:100], steps) if run is not None and run["steps"] == 200 else ():
            deep = [x["deepest"] for x in part]
            rows.append([f"{len(part)} steps", number(1e3 * max(deep), 2), number(1e3 * sum(deep) / len(deep), 2), f"{sum(x['certified'] for x in part)} of {len(part)}"])
    return {"wrecking-ball": {"columns": ["wrecking ball", "deepest overlap before parting, mm", "mean of the steps, mm", "certified"], "rows": rows}} if rows else {}


# ---- the certificate ----

def of_repair(text):
    rows = {}
    for limit, repair, passed, work in re.findall(r"(?m)^(\S+) m/s, repair (on|off): (\d+ of \d+) certified, median work (\d+)$", text):
        rows.setdefault(f"{number(1e3 * float(limit), 2)} mm/s", {})[repair] = [passed, work]
    table = [[limit] + both["off"] + both["on"] for limit, both in rows.items() if len(both) == 2]
    return {"repair": {"columns": ["certified within", "without", "median work", "with joint repair", "median work, with"], "rows": table}} if table else {}


def of_traffic(text):
    contacts = re.search(r", (\d+) contacts", text)
    rows = [[name, lines] for name, lines in re.findall(r"(?m)^(a question|an iteration of \w+): ([\d.]+)$", text)]
    return {"traffic": {"columns": [f"lines of 64 bytes a contact, {grouped(contacts[1])} contacts", "lines"], "rows": rows}} if contacts and len(rows) == 4 else {}


def of_referee(text):
    found = re.search(r"(?m)^(\d+) agree, (\d+) differ, (\d+) not solved and told so, (\d+) refused by name$", text)
    return {"referee": {"columns": ["answers", "agree", "differ", "not solved, and told so", "refused by name"], "rows": [["both laws, 1e-4 and 1e-8", *found.groups()]]}} if found else {}


# ---- which methods get through ----

FIRST_ORDER = ["padmm", "pfadmm", "admm", "spg", "pgs"]


def runs_of(text):
    return [x for x in (json.loads(line) for line in text.split("\n") if line.startswith("{")) if x.get("kind") == "run"]


def of_first_order(text):
    runs, rows = runs_of(text), []
    for method in FIRST_ORDER:
        cells = []
        for tolerance in (1e-4, 1e-8):
            mine = [x for x in runs if x["method"] == method and x["tolerance"] == tolerance]
            solved = [x for x in mine if x["outcome"] == "solved"]
            cells += [f"{len(solved)} of {len(mine)}", number(sum(x["cpu_seconds"] for x in mine), 2)]
        rows.append([f"`{method}`"] + cells)
    return {"first-order": {"columns": ["method", "certified, 1e-4", "total, s", "certified, 1e-8", "total, s, 1e-8"], "rows": rows}} if runs else {}


def of_generated(text):
    parts = dict(re.findall(r"(?ms)^== (\w+)\n(.*?)(?=^== |\Z)", text))
    if set(parts) != {"small", "middle", "ratio"}:
        return {}
    methods, cells = [], {}
    for kind, part in parts.items():
        for run in runs_of(part):
            if run["tolerance"] != 1e-8:
                continue
            if run["method"] not in methods:
                methods.append(run["method"])
            count = cells.setdefault((run["method"], kind), [0, 0])
            count[0] += run["outcome"] == "solved"
            count[1] += 1
    rows = [[f"`{m}`"] + ["{} of {}".format(*cells[m, kind]) for kind in ("small", "middle", "ratio")] for m in methods]
    rows.sort(key=lambda row: -sum(int(cell.split()[0]) for cell in row[1:]))
    return {"generated": {"columns": ["method", "`small`", "`middle`", "`ratio`"], "rows": rows}}


# ---- elements ----

def of_closed_forms(text):
    """What test_fem_statics prints: `case, mesh: value of what`."""
    lines = re.findall(r"(?m)^((?:cantilever|skew bricks|elastica|catenary|first frequency)[^:]*): (.+)$", text)
    rows = []
    for case, result in lines:
        head, _, mesh = case.rpartition(", ") if case.startswith("elastica") else case.partition(", ")
        rows.append([head.replace("P L^2/EI", "P L²/EI"), mesh.replace(" x ", " × ").replace("tet", "TET").replace("hex", "HEX"), result.replace("closed form", "exact")])
    return {"closed-forms": {"columns": ["case", "mesh", "result"], "rows": rows}} if len(rows) > 10 else {}


def of_element_cost(text):
    rows = [[row[0].upper(), row[1], grouped(row[2]), grouped(row[3]), number(row[4], 2)] for row in re.findall(r"(?m)^\| (\w+) \| (\w*) \| (\d+) \| (\d+) \| ([\d.]+) \|", text)]
    return {"element-cost": {"columns": ["element", "law", "elements", "entries of H", "µs an element"], "rows": rows}} if len(rows) == 13 else {}


ITEMS = [
    ("closed-forms", "elements", "What elements are good for", "build/tests/test_fem_statics", of_closed_forms, "Does not depend on load."),
    ("element-cost", "elements", "What elements are good for", "build/bench/fem", of_element_cost, "Processor time of one thread, projected tangents, best of many."),
    ("repair", "certificate", "What the certificate costs, and who agrees with it", "bash bench/heaps/run.sh build/cairn build/bench-heaps 1e-3 3e-4", of_repair, "Work: sweeps, two an iteration, and products with N. Does not depend on load."),
    ("traffic", "certificate", "What the certificate costs, and who agrees with it", "bash bench/judge/judge_traffic.sh build/bench/judge_traffic", of_traffic, "Counted by cachegrind with a last cache of 1 MB; does not depend on load."),
    ("referee", "certificate", "What the certificate costs, and who agrees with it", f"bash bench/referee/run.sh build/cairn {FCLIB} {REFEREE} build/bench-referee", of_referee, "Does not depend on load."),
    ("first-order", "which", "Which methods get through",
     f"rm -rf {OUT}/first && build/cairn bench {FCLIB}/box_stacks {FCLIB}/others --methods {','.join(FIRST_ORDER)} --law coulomb --tol 1e-4,1e-8 --time-limit 0 --max-iter 3000 --repeat 1 --curve 0 --out {OUT}/first >/dev/null; cat {OUT}/first/results.jsonl",
     of_first_order, "Coulomb's law, at most 3000 iterations, no limit of time; processor time of load and solve."),
    ("generated", "which", "Which methods get through",
     f"LIMIT=1 bash bench/which/run.sh build/cairn {OUT}/generated >/dev/null; for kind in small middle ratio; do echo \"== $kind\"; cat {OUT}/generated/$kind-report/results.jsonl; done",
     of_generated, "Certified at 1e-8, both laws, one second for a solve, so methods that end at it depend on load."),
    ("world-rest", "world", "What steps of worlds cost and keep", command([words for words, _, _ in RESTING]), of_resting, "Counts do not depend on load."),
    ("world-energy", "world", "What steps of worlds cost and keep", command(ENERGIES), of_energies, "Does not depend on load."),
    ("world-chains", "world", "What steps of worlds cost and keep", command([f"chain --set block={block} --step {h}" for block, h in CHAINS], ""), of_chains, "Does not depend on load."),
    ("world-ball", "world", "What steps of worlds cost and keep", command(["wall"], ""), of_ball, "Does not depend on load."),
]
