#!/usr/bin/python3
"""The stop test of [AC (10)] at r = 0, before any iteration: zero.py FILE...

With W and q as in the report, with the sign of f that the report's problem has and with that of the files (M v = H r + f). Prints one line a file and a summary.
At r = 0 the metric is |P(-g q)|/(m g) = |P(-q)|/m, whatever g: the mean size of free velocities that an impulse could push against, which is small wherever the step is short.
Needs python3-h5py, python3-scipy.
"""
import os
import sys

import numpy as np
from scipy.sparse.linalg import splu

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "akm"))
from reference import read  # noqa: E402

EPS, G = 1e-3, 1e-6


def project_cone(x, mu):
    """Onto |t| <= mu n, one contact a row [AC (12)]."""
    n, t = x[:, 0], np.linalg.norm(x[:, 1:], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        a = (n + mu * t) / (1.0 + mu * mu)
        slant = np.column_stack((a, (mu * a / t)[:, None] * x[:, 1:]))
    return np.where((t <= mu * n)[:, None], x, np.where((mu * t <= -n)[:, None], 0.0, slant))


def metric(q, mu):
    """[AC (10)] at r = 0 with s = 0."""
    return np.linalg.norm(-project_cone((-G * q).reshape(-1, 3), mu)) / (len(q) * G)


def main():
    found = []
    for path in sys.argv[1:]:
        M, H, f, w, mu = read(path)
        free = H.T @ splu(M.tocsc()).solve(f)
        found.append((metric(w - free, mu), metric(w + free, mu)))
        print(f"{os.path.basename(path)}: {found[-1][0]:.2e} with the report's sign of f, {found[-1][1]:.2e} with the files'")
    if not found:
        print(__doc__)
        return 2
    print(f"\n== the stop test at r = 0: eps = {EPS:g}\n\n| sign of f | r = 0 passes | smallest | median | largest |\n|---|---|---|---|---|")
    for k, name in enumerate(["the report's, Mv + f = Hᵀr", "the files', Mv = Hᵀr + f"]):
        value = np.array([x[k] for x in found])
        print(f"| {name} | {np.sum(value < EPS)} of {len(value)} | {value.min():.2g} | {np.median(value):.2g} | {value.max():.2g} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
