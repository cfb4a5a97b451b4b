"""One line a heap, then how many passed and the median work: table.py LIMIT REPAIR < lines of `cairn solve --json`."""
import json
import statistics
import sys

limit, repair = sys.argv[1:]
work, passed = [], 0
for line in sys.stdin:
    run = json.loads(line)
    spent = 2 * run["iterations"] + run["products"]
    solved = run["outcome"] == "solved"
    work.append(spent if solved else max(spent, 32000))
    passed += solved
    print(f"  {run['file'].split('/')[-1]:16} {run['outcome']:10} sweeps {2 * run['iterations']:6} products {run['products']:5} repairs {run['repairs']:3} "
          f"checks {run['checks']:4} error {run['certificate']['error']:.2e} m/s {1e3 * run['seconds']:8.1f} ms")
print(f"{limit} m/s, repair {repair}: {passed} of {len(work)} certified, median work {statistics.median(work):.0f}")
