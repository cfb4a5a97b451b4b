#!/usr/bin/python3
"""Performance profile of runs, by processor time: a table on the screen, and a picture.

    profiles.py RESULTS.jsonl [--title TEXT] [--svg OUT.svg] [--group N]

RESULTS is what `cairn bench --out DIR` wrote, one law and tolerance; bench/akm/authors.py gives lines of its own. A run counts when it is certified. rho(x) is the share of
problems solved within x times the fastest. Wall times, which the report of `cairn bench` shows, say more about the neighbours than about the methods on a busy machine.
--group: so many methods in a row have one colour and differ by their dashes.
"""
import argparse
import json
import math
import statistics

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8A6D00", "#56B4E9", "#333333", "#A00000"]
DASHES = ["none", "8 4", "2 3"]
WIDTH, HEIGHT, LEFT, TOP, MOST_RATIO = 520, 340, 70, 74, 20.0


def read(path):
    """[{file, name, solved, seconds, iterations, factorizations}], methods in the order of the file."""
    lines = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            run = json.loads(line)
            if run.get("kind") == "run":
                lines.append({"file": run["problem"], "name": run["method"], "solved": (run.get("certificate") or {}).get("certified", False),
                              "seconds": run["cpu_seconds"], "iterations": run["iterations"], "factorizations": run["factorizations"]})
    return lines


def ratios_of(lines):
    """name -> times over the fastest of each problem, of those solved."""
    best, ratios = {}, {line["name"]: [] for line in lines}
    for line in lines:
        if line["solved"]:
            best[line["file"]] = min(best.get(line["file"], math.inf), line["seconds"])
    for line in lines:
        if line["solved"]:
            ratios[line["name"]].append(line["seconds"] / best[line["file"]])
    return ratios


def table(lines):
    files, ratios = len({line["file"] for line in lines}), ratios_of(lines)
    most = max(len(x) for x in ratios.values())
    print(f"{files} problems\n\n| variant | solved | ρ(1) | ρ(2) | iterations | factorisations | total |\n|---|---|---|---|---|---|---|")
    for name, mine in ratios.items():
        runs = [line for line in lines if line["name"] == name and line["solved"]]
        share = lambda x: f"{sum(r <= x for r in mine) / files:.2f}"
        middle = lambda key: f"{statistics.median_high([run[key] for run in runs])}" if len(runs) == most else "-"
        total = f"{sum(run['seconds'] for run in runs):.3g} s" if len(runs) == most else "-"
        print(f"| `{name}` | {len(runs)} | {share(1.0)} | {share(2.0)} | {middle('iterations')} | {middle('factorizations')} | {total} |")


def curve(ratios, files):
    """Steps, the ratio on a logarithmic axis."""
    level = lambda share: f"{TOP + HEIGHT * (1.0 - share):.1f}"
    path, done = f"M{LEFT} {level(0.0)}", 0
    for ratio in sorted(r for r in ratios if r <= MOST_RATIO):
        done += 1
        path += f"H{place(ratio)}V{level(done / files)}"
    return path + f"H{LEFT + WIDTH}"


def place(ratio):
    return f"{LEFT + WIDTH * math.log(ratio) / math.log(MOST_RATIO):.1f}"


def text(x, y, what, more=""):
    return f"<text x='{x}' y='{y}' {more}>{what}</text>"


def frame(title, files):
    height = TOP + HEIGHT + 62
    out = [f"<svg xmlns='http://www.w3.org/2000/svg' width='860' height='{height}' viewBox='0 0 860 {height}' "
           "font-family='Helvetica, Arial, sans-serif' font-size='13' fill='#222222'>", "<rect width='100%' height='100%' fill='#ffffff'/>",
           text(LEFT, 30, title, "font-size='17' font-weight='bold'"),
           text(LEFT, 52, f"{files} problems; share solved within a factor of the fastest one's processor time", "fill='#555555'")]
    for k in range(6):
        y = TOP + HEIGHT * (1.0 - k / 5)
        out.append(f"<path d='M{LEFT} {y:.1f}h{WIDTH}' stroke='#dddddd'/>" + text(LEFT - 8, f"{y + 4:.1f}", f"{k / 5:.1f}", "text-anchor='end'"))
    for ratio in (1, 2, 5, 10, 20):
        out.append(f"<path d='M{place(ratio)} {TOP}v{HEIGHT}' stroke='#dddddd'/>" + text(place(ratio), TOP + HEIGHT + 20, ratio, "text-anchor='middle'"))
    return out + [text(LEFT + WIDTH // 2, TOP + HEIGHT + 44, "factor of the fastest", "text-anchor='middle'")]


def draw(lines, title, path, group=1):
    files, ratios = len({line["file"] for line in lines}), ratios_of(lines)
    out = frame(title, files)
    for k, (name, mine) in enumerate(ratios.items()):
        colour, dash = (k // group, k % group) if group > 1 else (k, k // len(COLOURS))
        style = f"stroke='{COLOURS[colour % len(COLOURS)]}' stroke-width='2' stroke-dasharray='{DASHES[dash % len(DASHES)]}' fill='none'"
        y = TOP + 10 + 22 * k
        out.append(f"<path d='{curve(mine, files)}' {style}/><path d='M{LEFT + WIDTH + 24} {y}h34' {style}/>"
                   + text(LEFT + WIDTH + 66, y + 4, f"{name}: {100 * len(mine) / files:.0f} % solved"))
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out + ["</svg>"]) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("--title", default="Performance profile")
    parser.add_argument("--svg")
    parser.add_argument("--group", type=int, default=1)
    args = parser.parse_args()
    lines = read(args.results)
    table(lines)
    if args.svg:
        draw(lines, args.title, args.svg, args.group)


if __name__ == "__main__":
    main()
