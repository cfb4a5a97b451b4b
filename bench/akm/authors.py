#!/usr/bin/python3
"""The experiments of [AKM] as their authors ran them, set up anew from their public program (github.com/molinavergara24/inria-admm).

Their runs solve another problem, with other rules, than the text says. This file has those choices, each marked (a) to (i) as in docs/akm.md; Cairn's own methods
have none of them. It shows where the figures of the paper come from.

    authors.py s-update [--traces FOLDER] FILE            Figures 5 to 7 and Table 3, on Box_Stacks-i1000-352-6; FOLDER gets one CSV a run
    authors.py variants [--rules R,...] [--most N] [--figures FOLDER] [--out OUT.jsonl | --from OLD.jsonl] FILE...    Figures 1 to 4 and Table 2
    authors.py turn FILE OUT                              the problem with the sign of f turned, for Cairn

Needs python3-h5py, python3-scipy.
"""
import argparse
import json
import os
import shutil
import sys
import time

import h5py
import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import eigs, splu

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import profiles  # noqa: E402
from reference import project_dual_cone, read  # noqa: E402

EPS_ABS, EPS_REL, EPS_EXT = 1e-6, 1e-3, 1e-3
EPS_REL_S = 1e-4  # (b) of the runs that renew s; the text says 1e-3
ETA, BALANCE, TAU, TAU_MAX, T_F, EPS_COR = 0.999, 10.0, 2.0, 100.0, 2, 0.2
POLICIES = ["He", "Spectral", "Wohlberg"]
VARIANTS = ["cp-N", "cp-R", "cp-RR"] + [f"vp-{kind}-{policy}" for policy in POLICIES for kind in ("N", "R", "RR")]
RULES = ["ghadimi", "dicairano", "acary", "normal"]


class Problem:
    """M v = A'r - f, u = A v + w: (a) the files mean + f, so that gravity points up here."""

    def __init__(self, path, eps_rel=EPS_REL):
        self.eps_rel = eps_rel
        M, H, self.f, self.w, self.mu = read(path)
        self.M, self.At = M.tocsc(), H.tocsc()
        self.A = self.At.T.tocsr()
        self.AtA = (self.At @ self.A).tocsc()
        self.m, self.n = self.A.shape

    def slip_term(self, u):
        """(c) mu |u_T| in both tangential slots, where [AKM (4)] has it in the normal one."""
        term = self.mu * np.linalg.norm(u.reshape(-1, 3)[:, 1:], axis=1)
        return np.column_stack((np.zeros_like(term), term, term)).ravel()

    def fixed_term(self):
        """(i) profiles were taken with a fixed Phi of length 0.1."""
        term = self.slip_term(np.ones(self.m))
        return 0.1 * term / np.linalg.norm(term)

    def bent_transpose(self, u):
        """(d) A' + Psi of [AKM (61)-(64)]; Psi as it was coded: the sum of both tangential parts over their length."""
        t = u.reshape(-1, 3)[:, 1:]
        c = self.mu * t.sum(axis=1) / np.linalg.norm(t, axis=1)
        return (self.At @ sp.diags(np.column_stack((np.ones_like(c), 1.0 + c, 1.0 + c)).ravel())).tocsc()

    def project(self, x):
        return project_dual_cone(x.reshape(-1, 3), self.mu).ravel()


def largest_six(matrix):
    """(h) the call gives the six eigenvalues of largest size; least and largest were taken among these."""
    start = np.random.default_rng(1).standard_normal(matrix.shape[0])
    return np.abs(eigs(matrix, v0=start, return_eigenvectors=False))


def first_penalty(rule, p):
    if rule == "dicairano":
        e = largest_six(p.M)
        return np.sqrt(e.max() * e.min())
    if rule == "ghadimi":
        e = largest_six(p.A @ splu(p.M).solve(p.At.toarray()))
        return 1.0 / np.sqrt(e.max() * e.min())
    if rule == "acary":
        return abs(p.M).sum(axis=0).max() / abs(p.A).sum(axis=0).max()
    return 1.0


class State:
    """u, zeta and their extrapolations, the penalty and that before it."""

    def __init__(self, p, rho):
        self.p, self.first, self.combined = p, rho, None
        self.rho = self.before = rho
        self.reset()

    def reset(self):
        self.u = self.uh = self.x = self.xh = np.zeros(self.p.m)
        self.v, self.alpha = np.zeros(self.p.n), 1.0

    def begin_outer(self):
        """(g) everything begins anew for the next s: vectors, penalty, and a combined residual that is no number, so that no comparison with it holds any more."""
        self.reset()
        self.before, self.rho, self.combined = self.rho, self.first, np.nan

    def step(self, solve, At, b):
        """One iteration up to zeta; b: Phi(s) in use. solve: with M + rho At A."""
        p = self.p
        self.v_old, self.u_old, self.x_old = self.v, self.u, self.x
        self.v = solve(-p.f + self.rho * (At @ (self.uh - p.w - b - self.xh)))
        self.Av = p.A @ self.v
        self.u = p.project(self.Av + self.xh + p.w + b)
        self.r = self.Av - self.u + p.w + b
        self.s = self.rho * (p.At @ (self.u - self.uh))
        self.ratio = self.before / self.rho  # (f) the rescaling for a change of rho comes one iteration late
        self.x = self.ratio * (self.xh + self.r)

    def relax(self, restarts):
        """[AKM (50)-(52)], (51) as printed, with one rho too few; (e) a restart goes back to the iterate before this one."""
        if restarts:
            e = np.sum((self.x - self.ratio * self.xh) ** 2) + self.rho * np.sum((self.u - self.uh) ** 2)
            before = e if self.combined is None else self.combined
            if not e < ETA * before:
                self.combined, self.alpha = before / ETA, 1.0
                self.uh, self.xh = self.u_old, self.x_old
                return
            self.combined = e
        alpha = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * self.alpha**2))
        momentum, self.alpha = (self.alpha - 1.0) / alpha, alpha
        self.uh = self.u + momentum * (self.u - self.u_old)
        self.xh = self.x + momentum * (self.x - self.ratio * self.x_old)

    def plain(self):
        self.uh, self.xh = self.u, self.x

    def change(self, rho):
        self.before, self.rho = self.rho, rho

    def sizes(self, b):
        p = self.p
        return (max(np.linalg.norm(self.Av), np.linalg.norm(self.u), np.linalg.norm(p.w + b)),
                np.linalg.norm(self.rho * (p.At @ self.x)))

    def meets(self, b):
        """[AKM (16), (17)]."""
        size, size_dual = self.sizes(b)
        return (np.linalg.norm(self.r) <= np.sqrt(self.p.m) * EPS_ABS + self.p.eps_rel * size
                and np.linalg.norm(self.s) <= np.sqrt(self.p.n) * EPS_ABS + self.p.eps_rel * size_dual)


def momentum_error(state):
    """|M v + f - A'r|, r = -rho zeta: how far the iterate is from the balance of momentum that it should have."""
    p = state.p
    return np.linalg.norm(p.M @ state.v + p.f + p.At @ (state.rho * state.x / state.ratio))


def he(r, s, rho):
    return TAU * rho if r > BALANCE * s else rho / TAU if s > BALANCE * r else rho


def settled(new, old):
    """[AKM (67)] with lengths; 0/0 passes, as a comparison with what is no number does."""
    with np.errstate(divide="ignore", invalid="ignore"):
        change = np.linalg.norm((new - old).reshape(-1, 3), axis=1) / np.linalg.norm(old.reshape(-1, 3), axis=1)
    return not np.any(change > EPS_EXT)


# ---- s-update: vp-RR-He, Di Cairano ----

def line_of(count, state, phi):
    return [count, np.linalg.norm(phi), state.rho, np.linalg.norm(state.r), np.linalg.norm(state.s)]


def external(p, most=200):
    """Convex problems one after the other, s from the answer of the last. Returns Phi, how many were solved, the trace."""
    state = State(p, first_penalty("dicairano", p))
    b, lines, lu, count = np.zeros(p.m), [], None, 0
    for outer in range(most):
        while True:
            if lu is None or state.rho != state.before or count == 0:
                lu = splu((p.M + state.rho * p.AtA).tocsc())
            state.step(lu.solve, p.At, b)
            count += 1
            done, error = state.meets(b), momentum_error(state)
            state.relax(True)
            state.change(he(np.linalg.norm(state.r), np.linalg.norm(state.s), state.rho))
            if done:
                break
        new = p.slip_term(state.Av)  # (g) of A v, without w, which is 0 in the box stacks
        lines.append(line_of(outer + 1, state, new))
        over = outer > 0 and settled(new, b)
        b = new
        if over:
            return b, outer + 1, lines, error
        state.begin_outer()
    return b, most, lines, error


def internal(p, stop_by_s, most=1000):
    """s from every iterate, with Psi in the matrix. Returns Phi, iterations, the trace."""
    state = State(p, first_penalty("dicairano", p))
    b, lines, At = np.zeros(p.m), [], p.At
    for count in range(1, most + 1):
        if count > 1:
            At = p.bent_transpose(state.Av + p.w)
        state.step(splu((p.M + state.rho * (At @ p.A)).tocsc()).solve, At, b)
        new = p.slip_term(state.Av + p.w)
        lines.append(line_of(count, state, new))
        over, error = settled(new, b) if stop_by_s else state.meets(new), momentum_error(state)
        b = new
        if over:
            return b, count, lines, error
        state.relax(True)
        state.change(he(np.linalg.norm(state.r), np.linalg.norm(state.s), state.rho))
    return b, most, lines, error


PRINTED = {"External": ("9.34e-02", "5.19e-06", "5.02e-04", "7"), "Internal": ("9.43e-02", "5.67e-06", "4.78e-04", "43"),
           "Internal-s": ("9.43e-02", "3.89e-06", "4.73e-04", "> 1000")}


def cut(x):
    """Three digits, cut and not rounded, as Table 3 prints them."""
    mantissa, exponent = f"{x:.12e}".split("e")
    return f"{mantissa[:4]}e{exponent}"


def s_update(path, folder):
    p = Problem(path, EPS_REL_S)
    runs = {"External": external(p), "Internal": internal(p, False), "Internal-s": internal(p, True)}
    print("== table 3\n\n| | " + " | ".join(f"{name}: paper | here" for name in runs) + " |\n" + "|---" * 7 + "|")
    found = {name: (np.linalg.norm(b), b[1], b[-1], count) for name, (b, count, _, _) in runs.items()}
    for k, what in enumerate(["‖Φ(s)‖", "first contact, each tangent", "last contact, each tangent", "convex problems, iterations, iterations"]):
        here = lambda name: f"{found[name][k]:.4e}" if k < 3 else str(found[name][k])
        print(f"| {what} | " + " | ".join(f"{PRINTED[name][k]} | {here(name)}" for name in runs) + " |")
    print("| momentum missed, N s | " + " | ".join(f"- | {error:.1e}" for _, _, _, error in runs.values()) + " |")
    same = sum(cut(found[name][k]) == PRINTED[name][k] for name in runs for k in range(3))
    print(f"\n{same} of 9 printed values are these, cut after three digits")
    for name, (_, _, lines, _) in runs.items() if folder else []:
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, f"authors-{name.lower()}.csv"), "w", encoding="utf-8") as file:
            file.write("iteration,phi,rho,primal,dual\n")
            file.writelines(",".join(f"{x:.9g}" for x in line) + "\n" for line in lines)


# ---- twelve variants ----

def wohlberg(r, s, rho):
    ratio = np.sqrt(r / s)
    tau = ratio if 1.0 <= ratio < TAU_MAX else 1.0 / ratio if 1.0 / TAU_MAX < ratio < 1.0 else TAU_MAX
    return tau * rho if r > BALANCE * s else rho / tau if s > BALANCE * r else rho


def meets_relative(state, b):
    """Wohlberg's runs have a stop test of their own: relative residuals, twice the relative tolerance for the primal one, and the primal size in both."""
    size, size_dual = state.sizes(b)
    r, s = np.linalg.norm(state.r) / size, np.linalg.norm(state.s) / size_dual
    met = r <= np.sqrt(state.p.m) * EPS_ABS / size + 2.0 * state.p.eps_rel and s <= np.sqrt(state.p.n) * EPS_ABS / size + state.p.eps_rel
    return met, r, s


class Spectral:
    """[AKM (42)-(49)] as it was coded: differences of neighbouring iterates, signs as printed, the hybrid of the source."""

    def __init__(self, m):
        self.dual, self.weight = np.zeros(m), None

    def choose(self, state, hat_before, count, b):
        rho = state.rho
        if (count - 1) % T_F:
            return rho
        dual = state.ratio * (hat_before + state.Av - state.u_old + state.p.w + b)
        old, self.dual = self.dual, dual
        weight, self.weight = self.weight if self.weight is not None else rho, rho
        lines = [rho * dual - weight * old, state.p.A @ (state.v - state.v_old), state.u_old - state.u]
        a, ca = self.curvature(lines[0], lines[1])
        g, cg = self.curvature(lines[0], lines[2])
        if ca > EPS_COR and cg > EPS_COR:
            return np.sqrt(a * g)
        return a if ca > EPS_COR else g if cg > EPS_COR else rho

    @staticmethod
    def curvature(l, d):
        ll, ld, dd = l @ l, l @ d, d @ d
        steepest, minimal = ll / ld, ld / dd
        return minimal if 2.0 * minimal > steepest else steepest - 0.5 * minimal, ld / np.sqrt(ll * dd)


def solve(p, variant, rho, most):
    """Iterations and factorisations; iterations are 0 when it fails."""
    policy = variant.split("-")[2] if variant.startswith("vp") else None
    state, b, lu, factors = State(p, rho), p.fixed_term(), None, 0
    spectral = Spectral(p.m)
    for count in range(1, most + 1):
        if lu is None or state.rho != state.before:
            lu = splu((p.M + state.rho * p.AtA).tocsc())
            factors += 1
        hat = state.x if "-N" in variant or policy == "Spectral" else state.xh
        state.step(lu.solve, p.At, b)
        if not np.all(np.isfinite(state.x)):
            return 0, factors
        if policy == "Wohlberg":
            met, r, s = meets_relative(state, b)
        else:
            met, r, s = state.meets(b), np.linalg.norm(state.r), np.linalg.norm(state.s)
        if met:
            return count, factors
        if "-R" in variant:
            state.relax("-RR" in variant)
        else:
            state.plain()
        if policy == "He":
            state.change(he(r, s, state.rho))
        elif policy == "Wohlberg":
            state.change(wohlberg(r, s, state.rho))
        elif policy == "Spectral":
            state.change(spectral.choose(state, hat, count, b))
        if not (np.isfinite(state.rho) and state.rho > 0.0):
            return 0, factors
    return 0, factors


def measure(files, rules, most, out):
    """One line a problem, rule and variant; seconds of processor time from matrices to answer, the first penalty included."""
    lines = []
    for path in files:
        p = Problem(path)
        for rule in rules:
            begin = time.process_time()
            rho = first_penalty(rule, p)
            penalty = time.process_time() - begin
            for variant in VARIANTS:
                begin = time.process_time()
                with np.errstate(all="ignore"):
                    count, factors = solve(p, variant, rho, most)
                lines.append({"file": os.path.basename(path), "rule": rule, "variant": variant, "rho": rho, "iterations": count,
                              "factorizations": factors, "seconds": penalty + time.process_time() - begin})
                if out:
                    out.write(json.dumps(lines[-1]) + "\n")
                    out.flush()
    return lines


def table_two(lines):
    """vp-RR-He by the two penalties that the paper calls best."""
    print("\n== table 2: vp-RR-He\n\n| | Di Cairano | Normal | equal on |\n|---|---|---|---|")
    of = lambda rule: {line["file"]: line for line in lines if line["rule"] == rule and line["variant"] == "vp-RR-He"}
    both = [of("dicairano"), of("normal")]
    row = lambda name, cells, last="": print(f"| {name} | " + " | ".join(cells) + f" | {last} |")
    equal = lambda key: f"{sum(a[key] == both[1][file][key] for file, a in both[0].items())} of {len(both[0])}"
    row("first penalty", [f"{min(l['rho'] for l in one.values()):.6g} to {max(l['rho'] for l in one.values()):.6g}" for one in both],
        f"{sum(abs(a['rho'] - 1.0) < 1e-9 for a in both[0].values())} of {len(both[0])}, to 1e-9")
    row("iterations", [str(sum(l["iterations"] for l in one.values())) for one in both], equal("iterations"))
    row("factorisations", [str(sum(l["factorizations"] for l in one.values())) for one in both], equal("factorizations"))
    row("processor time", [f"{sum(l['seconds'] for l in one.values()):.2f} s" for one in both])


def turn(path, out):
    shutil.copyfile(path, out)
    with h5py.File(out, "r+") as file:
        f = file["fclib_global/vectors/f"]
        f[...] = -f[...]


def variants(args):
    rules = args.rules.split(",")
    if args.old:
        with open(args.old, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
    else:
        with open(args.out or os.devnull, "w", encoding="utf-8") as out:
            lines = measure(args.files, rules, args.most, out)
    for rule in rules:
        mine = [dict(line, name=line["variant"], solved=line["iterations"] > 0) for line in lines if line["rule"] == rule]
        print(f"\n== {rule}\n")
        profiles.table(mine)
        if args.figures:
            profiles.draw(mine, f"The authors' set-up, first penalty: {rule}", os.path.join(args.figures, f"akm-authors-{rule}.svg"), 3)
    if {"dicairano", "normal"} <= set(rules):
        table_two(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["s-update", "variants", "turn"])
    parser.add_argument("--traces", help="s-update: folder for the traces")
    parser.add_argument("--rules", default=",".join(RULES))
    parser.add_argument("--most", type=int, default=1000)
    parser.add_argument("--out", help="variants: results, one JSON object a run")
    parser.add_argument("--from", dest="old", help="variants: no runs, tables and figures of such a file")
    parser.add_argument("--figures", help="variants: folder for the profiles")
    parser.add_argument("files", nargs="*")
    args = parser.parse_intermixed_args()
    if args.what == "variants":
        variants(args)
    elif args.what == "turn" and len(args.files) == 2:
        turn(*args.files)
    elif args.what == "s-update" and len(args.files) == 1:
        s_update(args.files[0], args.traces)
    else:
        parser.error("expected one file for s-update, two for turn")


if __name__ == "__main__":
    main()
