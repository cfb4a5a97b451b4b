"""One answer of `cairn solve` judged by the referee: compare.py REFEREE LAW TOLERANCE LINE PROBLEM ANSWER. LINE holds the JSON of the solve.

agree: solved, the referee's X is within the tolerance and within 1.3 of Cairn's (differences that are rounding of the data, 1e-13 of the largest velocity and
below, do not count; the referee adds up in double). differ: solved, and the referee says otherwise. unsolved: not solved, and Cairn says so."""
import json
import sys

import h5py
import numpy as np

folder, law, tolerance, line, problem, answer = sys.argv[1:]
sys.path.insert(0, folder)
from backward import backward
from residual import load, proj


def associated(problem, r):
    """The same for the associated law, about two choices of points: impulses as they are, and the projection of r - u / w, which is nearest block by block."""
    W, q, mu, d = load(problem)
    u, n = W(r) + q, len(mu)
    norm = lambda a: np.linalg.norm(a.reshape(n, -1), axis=1)
    shift = lambda g, c: norm((c - u) - W(g - r)).max()
    w = np.repeat(d.reshape(n, -1).mean(1), len(q) // n)
    w[w <= 0] = 1
    z = r - u / w
    g = proj(z, mu)
    near = shift(g, w * (g - z))
    R, V = proj(r, mu).reshape(n, -1), u.reshape(n, -1)
    c, slip = np.zeros_like(V), norm(R[:, 1:])
    surface = (slip >= (1 - 1e-14) * mu * R[:, 0]) & (R[:, 0] > 0)
    R[surface, 1:] *= (mu[surface] * R[surface, 0] / np.where(slip[surface] > 0, slip[surface], 1))[:, None]
    out = np.concatenate((mu[:, None], -R[:, 1:] / np.where(slip > 0, slip, 1)[:, None]), 1)  # the normal cone of the surface, turned round
    out /= norm(out)[:, None]
    c[surface] = (np.maximum(0, (out * V).sum(1))[:, None] * out)[surface]
    away = R[:, 0] <= 0
    c[away] = (V.ravel() + proj(-V.ravel(), mu)).reshape(n, -1)[away]
    return (near, shift(R.ravel(), c.ravel())), norm(q).max()


text = open(line).read()
short = problem.split("/")[-1]
if not text.strip():
    print(f"refused   {law:10} {tolerance} {short}")
    sys.exit()
run = json.loads(text)
if "certificate" not in run:
    print(f"refused   {law:10} {tolerance} {short}: {run.get('error', run.get('message', ''))}")
    sys.exit()
if run["outcome"] != "solved":
    print(f"unsolved  {law:10} {tolerance} {short}: {run['outcome']}, X/s {run['certificate']['relative']:.2e}")
    sys.exit()
with h5py.File(answer) as file:
    r = file["solution/r"][()]
if law == "coulomb":
    X, s = backward(problem, r)[:2]
    choices = (X,)
else:
    choices, s = associated(problem, r)
own = run["certificate"]["error"]
X = min(choices, key=lambda x: abs(x - own))
floor = 1e-13 * s
agree = min(choices) <= float(tolerance) * s and (X <= 1.3 * own + floor and own <= 1.3 * X + floor)
print(f"{'agree ' if agree else 'differ'}    {law:10} {tolerance} {short}: Cairn {own:.3e} m/s, referee {X:.3e}, of s {X / s:.2e}")
