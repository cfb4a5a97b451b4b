#!/usr/bin/env python3
"""Figures of the documents: each stands once, in docs/results/*.json, as a bench wrote it.

    results.py check [ROOT]       pages say what the data files say; the exit code is 1 when one does not
    results.py write [ROOT]       puts the figures of the data files into the pages
    results.py take NAME OUTPUT   the tables that a bench printed (Markdown) become the data of NAME; see results_plan.py

A page shows data in two forms. The comments cannot be seen on the page.

    <!-- results NAME TABLE -->         everything between is made: the conditions of the run, then the table
    <!-- end -->
    <!--= NAME > TABLE > ROW > COLUMN -->0.65<!--/-->       one cell; ROW is the first cell of its row

A data file has `title`, `command`, `run` (date, commit, machine, load, conditions) and `tables`: name -> columns, rows (texts, as they are shown) and, where it differs, a `run` of its own.

What is not checked: whether a figure is right; counts without a unit in sentences; what stands behind the heading "How it was measured"; docs/notes, where figures are history.
"""
import datetime
import json
import os
import re
import subprocess
import sys

# Of every page all tables of figures must come from data files, and each sentence with a measured time, memory or count of instructions, before "How it was measured".
COUNTED = ["testing"]  # its table is counted by tools/check_testing.sh
FACTS = ["| element | nodes | unknowns |"]  # tables of numbers that are no measurement
# What has a unit of time or memory and was not measured: limits, settings, lengths of steps, sizes of downloads.
GIVEN = ["mostly 5 to 20 ms", "some 100 MB at most", "above 1 GB they are refused", "factors of up to 4 MB", "steps from 1 to 50 ms", "Default limit 25 MB", "at most 64 MB", "56 MB to download", "at h = 1 ms", "from 0.5 to 20 ms",
         "Up to 512 MB of freed blocks"]
BLOCK = re.compile(r"<!-- results (\S+) (\S+) -->\n(.*?)<!-- end -->", re.S)
CELL = re.compile(r"<!--= (.+?) -->(.*?)<!--/-->")
MEASURED = re.compile(r"\d\s?(ms|µs|us|MB|GB|kB|M instructions|million instructions)\b")


def number(x, digits=3):
    return f"{float(x):.{digits}g}"


def grouped(n):
    return f"{int(n):,}".replace(",", " ") if int(n) >= 10000 else str(n)


def load_all(root):
    folder, data = os.path.join(root, "docs", "results"), {}
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if name.endswith(".json"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                data[name[:-5]] = json.load(file)
    return data


def faults_of_data(data):
    for name, one in data.items():
        for key in ("title", "command", "run", "tables"):
            if key not in one:
                yield f"docs/results/{name}.json: no \"{key}\""
        for run in [one.get("run", {})] + [t["run"] for t in one.get("tables", {}).values() if "run" in t]:
            for key in ("date", "commit", "machine", "load"):
                if not run.get(key):
                    yield f"docs/results/{name}.json: a run without \"{key}\""
        for label, table in one.get("tables", {}).items():
            if any(len(row) != len(table["columns"]) for row in table["rows"]):
                yield f"docs/results/{name}.json: {label}: a row of another length than the columns"


def said_of(run):
    words = f"{run['date']}, commit {run['commit']}; {run['machine']}; {run['load']}"
    return f"*Measured {words}{'. ' + run['conditions'] if run.get('conditions') else ''}*"


def block_of(data, name, label):
    table = data[name]["tables"][label]
    run = table.get("run", data[name]["run"])
    lines = [said_of(run), "", "| " + " | ".join(table["columns"]) + " |", "|" + "---|" * len(table["columns"])]
    lines += ["| " + " | ".join(row) + " |" for row in table["rows"]]
    return "\n".join(lines) + "\n"


def plain(text):
    return re.sub(r"[`*]", "", text).strip()


def cell_of(data, path):
    parts = [part.strip() for part in path.split(" > ")]
    if len(parts) != 4:
        raise KeyError("expected NAME > TABLE > ROW > COLUMN")
    name, label, row, column = parts
    table = data[name]["tables"][label]
    columns = [plain(c) for c in table["columns"]]
    rows = [r for r in table["rows"] if plain(r[0]) == plain(row)]
    if len(rows) != 1 or plain(column) not in columns:
        raise KeyError(f"there is no cell '{row}', '{column}'" if not rows else f"'{row}' is there {len(rows)} times, or no column is called '{column}'")
    return plain(rows[0][columns.index(plain(column))])


def cell_or(data, path, otherwise):
    """What is not there any more stays as it is; the check tells of it."""
    try:
        return cell_of(data, path)
    except KeyError:
        return otherwise


def block_or(data, name, label, otherwise):
    """The same of tables."""
    return block_of(data, name, label) if label in data.get(name, {}).get("tables", {}) else otherwise


def numeric(cell):
    return bool(re.match(r"^[-–<~≈]?\s*\**[.\d]", cell)) or cell in ("-", "–", "")


def tables_by_hand(text):
    """Tables outside of blocks most of whose cells, but for the first column and heads, are numbers: (line, first row)."""
    bare = BLOCK.sub(lambda m: "\n" * m.group(0).count("\n"), text)
    bare = CELL.sub("x", bare)
    lines, i, fenced = bare.split("\n"), 0, False
    while i < len(lines):
        fenced ^= lines[i].startswith("```")
        if not fenced and lines[i].startswith("|") and i + 1 < len(lines) and re.match(r"^\|[-:| ]+\|$", lines[i + 1]):
            first, i, cells = i, i + 2, []
            while i < len(lines) and lines[i].startswith("|"):
                cells += [c.strip() for c in lines[i].strip().strip("|").split("|")][1:]
                i += 1
            if cells and 2 * sum(numeric(c) for c in cells) > len(cells) and any(numeric(c) and c not in ("-", "–", "") for c in cells):
                yield first + 1, lines[first]
        else:
            i += 1


def check_page(path, text, data, strict):
    name = os.path.relpath(path)
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if match.group(1) not in data or match.group(2) not in data[match.group(1)]["tables"]:
            yield f"{name}:{line}: there is no table {match.group(2)} in docs/results/{match.group(1)}.json"
        elif match.group(3) != block_of(data, match.group(1), match.group(2)):
            yield f"{name}:{line}: not what docs/results/{match.group(1)}.json says of {match.group(2)}; tools/results.py write puts it right"
    for match in CELL.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        try:
            value = cell_of(data, match.group(1))
            if match.group(2) != value:
                yield f"{name}:{line}: '{match.group(2)}', but {match.group(1)} is '{value}'"
        except KeyError as error:
            yield f"{name}:{line}: {match.group(1)}: {error.args[0]}"
    if text.count("<!-- results ") != len(BLOCK.findall(text)) or text.count("<!--= ") != len(CELL.findall(text)):
        yield f"{name}: a comment of results that is not closed"
    page = os.path.splitext(os.path.basename(path))[0]
    if page not in COUNTED:
        for line, head in tables_by_hand(text):
            if not head.startswith(tuple(FACTS)):
                yield f"{name}:{line}: a table of figures that is in no data file: {head[:60]}"
    if strict:
        before = re.split(r"^## How it was measured", text, flags=re.M)[0]
        bare = CELL.sub("x", BLOCK.sub(lambda m: "\n" * m.group(0).count("\n"), before))
        for number, line in enumerate(bare.split("\n"), 1):
            for given in GIVEN:
                line = line.replace(given, "")
            if MEASURED.search(line):
                yield f"{name}:{number}: a measured figure that is in no data file: {MEASURED.search(line).group(0)}"


def pages_of(root):
    folder = os.path.join(root, "docs")
    return [os.path.join(root, "README.md")] + [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".md")]


def check(root):
    data, count, faults = load_all(root), 0, []
    faults += faults_of_data(data)
    for path in pages_of(root) if not faults else []:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        count += len(BLOCK.findall(text)) + len(CELL.findall(text))
        faults += check_page(path, text, data, True)
    for fault in faults:
        print(fault)
    print(f"{count} tables and figures of the pages are those of {len(data)} data files" if not faults else f"{len(faults)} faults")
    return 1 if faults else 0


def write(root):
    data = load_all(root)
    for path in pages_of(root):
        with open(path, encoding="utf-8") as file:
            old = file.read()
        new = BLOCK.sub(lambda m: f"<!-- results {m.group(1)} {m.group(2)} -->\n{block_or(data, m.group(1), m.group(2), m.group(3))}<!-- end -->", old)
        new = CELL.sub(lambda m: f"<!--= {m.group(1)} -->{cell_or(data, m.group(1), m.group(2))}<!--/-->", new)
        if new != old:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
            print(os.path.relpath(path))
    return 0


# ---- from what a bench printed ----

def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def markdown_tables(text):
    """name -> {columns, rows}; a table is called after the heading above it, the second one of a heading after that and a number."""
    heading, found, lines, i = "table", {}, text.split("\n"), 0
    while i < len(lines):
        line = lines[i].strip()
        if re.match(r"^(#+|==) ", line):
            heading = slug(re.sub(r"^(#+|==) ", "", line).split(":")[0])
        if line.startswith("|") and i + 1 < len(lines) and re.match(r"^\|[-:| ]+\|$", lines[i + 1].strip()):
            cut = lambda row: [c.strip() for c in row.strip()[1:].rstrip("|").split("|")] if row.strip().endswith("|") else [c.strip() for c in row.strip()[1:].split("|")]
            columns, rows = cut(line), []
            i += 2
            while i < len(lines) and lines[i].strip().startswith("|"):
                row = cut(lines[i])
                rows.append((row + [""] * len(columns))[:len(columns)])
                i += 1
            name, k = heading, 2
            while name in found:
                name, k = f"{heading}-{k}", k + 1
            found[name] = {"columns": columns, "rows": rows}
        else:
            i += 1
    return found


def machine():
    model, cores = "unknown processor", os.cpu_count()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    model = line.split(":", 1)[1].strip()
                    break
    except OSError:
        pass
    return f"{model}, {cores} cores"


def undisturbed():
    """What keeps other programs from the processor of this one: real-time priority, `chrt -r 20 taskset -c 1 make results`."""
    real_time = os.sched_getscheduler(0) in (os.SCHED_FIFO, os.SCHED_RR)
    return ", but undisturbed: real-time priority on one processor" if real_time and len(os.sched_getaffinity(0)) == 1 else ""


def run_now(load_before, conditions=""):
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip() or "none"
    dirty = subprocess.run(["git", "status", "--porcelain", "--", "src", "include", "bench", "scenes"], capture_output=True, text=True).stdout.strip()
    return {"date": datetime.date.today().isoformat(), "commit": commit + (" with changes" if dirty else ""), "machine": machine(),
            "load": f"load {load_before:.1f} to {os.getloadavg()[0]:.1f}{undisturbed()}", "conditions": conditions}


def store(root, name, title, command, tables, run):
    """Tables of one run join the data of NAME; others that it has stay, with the run that they came from."""
    path = os.path.join(root, "docs", "results", f"{name}.json")
    old = load_all(root).get(name, {"tables": {}})
    kept = {label: {**table, "run": table.get("run", old["run"])} for label, table in old["tables"].items() if label not in tables}
    order = [label for label in old["tables"]] + [label for label in tables if label not in old["tables"]]
    merged = {label: tables[label] if label in tables else kept[label] for label in order}
    for table in merged.values():
        if table.get("run") == run:
            del table["run"]
    os.makedirs(os.path.dirname(path), exist_ok=True)
    text = json.dumps({"title": title, "command": command, "run": run, "tables": merged}, indent=1, ensure_ascii=False)
    text = re.sub(r"\[\n\s+(\"(?:[^\"\\]|\\.)*\"(?:,\n\s+\"(?:[^\"\\]|\\.)*\")*)\n\s+\]", lambda m: "[" + re.sub(r",\n\s+", ", ", m.group(1)) + "]", text)
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(text + "\n")
    os.replace(path + ".part", path)


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in ("check", "write"):
        print(__doc__)
        return 2
    root = sys.argv[2] if len(sys.argv) > 2 else "."
    return check(root) if sys.argv[1] == "check" else write(root)


if __name__ == "__main__":
    sys.exit(main())
