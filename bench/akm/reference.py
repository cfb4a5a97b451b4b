#!/usr/bin/python3
"""The twelve algorithms of [AKM] in NumPy and SciPy, the yardstick for Cairn's primal-admm.

Written the way one would write it for use: sparse matrices, one sparse factorisation kept while rho stays, products and
projections over whole arrays. The iteration is that of src/solve/primal.c with s = 0 (the convex problem), the
stop test is [AKM (16)-(17)], so that both count the same iterations.

    reference.py [--variant vp-RR-He] [--rho0 dicairano] [--max-iter 5000] [--repeat 1] FILE...

Prints one JSON object a problem: file, iterations, factorizations, seconds and cpu_seconds from matrices in memory to the
answer, and the answer's norm. Needs python3-h5py, python3-scipy.
"""
import argparse
import json
import time

import h5py
import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

EPS_ABS, EPS_REL = 1e-6, 1e-3
ETA, BALANCE, TAU, TAU_MAX, XI, T_F, EPS_COR = 0.999, 10.0, 2.0, 100.0, 1.0, 2, 0.2


def read_matrix(group):
    rows, cols, count = int(group["m"][0]), int(group["n"][0]), int(group["nz"][0])
    i, p, x = group["i"][()], group["p"][()], group["x"][()]
    if count >= 0:
        return sp.csc_matrix((x[:count], (i[:count], p[:count])), shape=(rows, cols))
    if count == -1:
        return sp.csc_matrix((x, i, p), shape=(rows, cols))
    return sp.csr_matrix((x, i, p), shape=(rows, cols)).tocsc()


def read(path):
    with h5py.File(path, "r") as f:
        g = f["fclib_global"]
        return (read_matrix(g["M"]), read_matrix(g["H"]), g["vectors/f"][()].ravel(), g["vectors/w"][()].ravel(),
                g["vectors/mu"][()].ravel())


def project_dual_cone(x, mu):
    """Onto |t| <= n/mu, one contact a row."""
    n, t = x[:, 0], x[:, 1:]
    length = np.linalg.norm(t, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        a = mu * (mu * n + length) / (1.0 + mu * mu)
        slant = np.column_stack((a, (a / (mu * length))[:, None] * t))
    inside = mu * length <= n
    polar = length <= -mu * n
    return np.where(inside[:, None], x, np.where(polar[:, None], 0.0, slant))


def first_penalty(rule, H, D):
    if rule == "dicairano":
        d = H.diagonal()  # the box stacks have a diagonal H
        if (H - sp.diags(d)).nnz:
            d = np.linalg.eigvalsh(H.toarray())
        return np.sqrt(d.min() * d.max())
    if rule == "acary":
        return abs(H).sum(axis=0).max() / abs(D).sum(axis=1).max()
    if rule == "ghadimi":
        A = D.T @ splu(H.tocsc()).solve(D.toarray())
        e = np.linalg.eigvalsh(0.5 * (A + A.T))
        e = e[e > 10 * len(e) * np.finfo(float).eps * e.max()]
        return 1.0 / np.sqrt(e.min() * e.max())
    return 1.0 if rule == "normal" else float(rule)


def curvature(w, f):
    ww, wf, ff = w @ w, w @ f, f @ f
    if not wf > EPS_COR * np.sqrt(ww * ff) or not wf > 0.0:
        return 0.0
    steepest, minimal = ww / wf, wf / ff
    return steepest if 2.0 * minimal > steepest else minimal


def solve(H, D, k, b, mu, variant, rule, limit):
    policy = variant.split("-")[2] if variant.startswith("vp") else "constant"
    relaxed, restarts = "-R" in variant, "-RR" in variant
    n, m = D.shape
    Dt = D.T.tocsr()
    D = D.tocsr()
    DDt = (D @ Dt).tocsc()
    rho = first_penalty(rule, H, D)
    y, z = np.zeros(m), np.zeros(m)
    yh, zh = y, z
    alpha, combined, lu, factorizations, old = 1.0, np.inf, None, 0, None
    norm_c = np.linalg.norm(b)
    for count in range(1, limit + 1):
        if lu is None:
            lu = splu((H + rho * DDt).tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0,
                      options={"SymmetricMode": True})
            factorizations += 1
        v = lu.solve(k + rho * (D @ (yh - b - zh)))
        Ax = Dt @ v
        a = Ax + b
        yn = project_dual_cone((a + zh).reshape(-1, 3), mu).ravel()
        zn = zh + a - yn
        r = np.linalg.norm(a - yn)
        s = rho * np.linalg.norm(D @ (yn - y))
        size = max(np.linalg.norm(Ax), np.linalg.norm(yn), norm_c)
        size_z = None
        if r <= np.sqrt(m) * EPS_ABS + EPS_REL * size:
            size_z = rho * np.linalg.norm(D @ zn)
            if s <= np.sqrt(n) * EPS_ABS + EPS_REL * size_z:
                return -rho * zn, count, factorizations
        new = rho
        if policy == "He":
            new = TAU * rho if r > BALANCE * s else rho / TAU if s > BALANCE * r else rho
        elif policy == "Wohlberg":
            if size_z is None:
                size_z = rho * np.linalg.norm(D @ zn)
            rel, sel = r / size, s / size_z if size_z > 0.0 else 0.0
            ratio = np.sqrt(rel / sel / XI) if sel > 0.0 else np.inf
            tau = ratio if 1.0 <= ratio < TAU_MAX else 1.0 / ratio if 1.0 / TAU_MAX < ratio < 1.0 else TAU_MAX
            new = tau * rho if rel > XI * BALANCE * sel else rho / tau if sel > XI * BALANCE * rel else rho
        elif policy == "Spectral" and (count - 1) % T_F == T_F - 1:
            now = (rho * (zh + a - yh), Ax, rho * zn, yn)
            if old is not None:
                first, second = curvature(old[0] - now[0], now[1] - old[1]), curvature(now[2] - old[2], now[3] - old[3])
                if first > 0.0 or second > 0.0:
                    new = np.sqrt(first * second) if first > 0.0 and second > 0.0 else max(first, second)
            old = now
        extrapolate = relaxed
        if restarts:
            e = rho * (np.sum((zn - zh) ** 2) + np.sum((yn - yh) ** 2))
            extrapolate = e < ETA * combined
            combined = e if extrapolate else combined / ETA
        nexta = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * alpha * alpha)) if extrapolate else 1.0
        momentum = (alpha - 1.0) / nexta
        yh, zh = (yn + momentum * (yn - y), zn + momentum * (zn - z)) if extrapolate else (yn, zn)
        alpha, y, z = nexta, yn, zn
        if new != rho:
            z = z * (rho / new)
            zh = zh * (rho / new)
            rho, lu = new, None
    return -rho * z, limit, factorizations


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--variant", default="vp-RR-He")
    parser.add_argument("--rho0", default="dicairano")
    parser.add_argument("--max-iter", type=int, default=5000)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    for path in args.files:
        data = read(path)
        best = None
        for _ in range(args.repeat):
            wall, cpu = time.perf_counter(), time.process_time()
            gamma, iterations, factorizations = solve(*data, args.variant, args.rho0, args.max_iter)
            took = (time.process_time() - cpu, time.perf_counter() - wall)
            best = took if best is None else min(best, took)
        print(json.dumps({"file": path, "iterations": iterations, "factorizations": factorizations, "seconds": best[1],
                          "cpu_seconds": best[0], "norm": float(np.linalg.norm(gamma))}), flush=True)


if __name__ == "__main__":
    main()
