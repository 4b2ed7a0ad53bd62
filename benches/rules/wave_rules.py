"""Makes crates/expansions/src/waves/rules.txt: python wave_rules.py > rules.txt, a quarter of an hour.

Needs numpy, scipy and python-flint. Nodes and weights minimise the error of the rule on the boundary of its domain, by
Levenberg and Marquardt's method; each rule starts from the one with a node less. Up to about 1e-9 that is done in double
precision, with weights that make the error even; beyond, in 160 bits.
"""

import math
import sys

import numpy as np
from flint import arb, arb_mat, ctx
from scipy.interpolate import PchipInterpolator
from scipy.special import j0, j1, jv

ctx.prec = 160


def places(a, b, n):
    return 0.5 * (a + b) - 0.5 * (b - a) * np.cos(np.pi * (np.arange(n) + 0.5) / n)


def boundary(reach, near, far, side, axis):
    z = [np.full(near, 1.0), np.full(far, 4.0), places(1, 4, side), places(1, 4, axis)]
    rho = [places(0, reach, near), places(0, reach, far), np.full(side, reach), np.zeros(axis)]
    return np.concatenate(z), np.concatenate(rho)


def residual(rates, weights, z, rho):
    values = np.exp(-np.outer(z, rates)) * j0(np.outer(rho, rates))
    return values @ weights - 1 / np.hypot(z, rho), values


def fit(rates, weights, z, rho, share, steps):
    """Least squares in double precision, in the logarithms of rates and weights."""
    n, damping = len(rates), 1e-6
    r, values = residual(rates, weights, z, rho)
    cost = np.sum((share * r) ** 2)
    for step in range(steps):
        a, b = np.outer(z, rates), np.outer(rho, rates)
        slope = np.exp(-a) * (-z[:, None] * j0(b) - rho[:, None] * j1(b)) * weights
        jacobian = np.hstack([slope * rates, values * weights]) * share[:, None]
        scale = np.linalg.norm(jacobian, axis=0) + 1e-300
        if not np.isfinite(jacobian / scale).all():
            break
        u, s, v = np.linalg.svd(jacobian / scale, full_matrices=False)
        for _ in range(12):
            d = np.clip(-(v.T @ (s / (s * s + damping**2) * (u.T @ (share * r)))) / scale, -0.2, 0.2)
            new = rates * np.exp(d[:n]), weights * np.exp(d[n:])
            new_r, new_values = residual(*new, z, rho)
            new_cost = np.sum((share * new_r) ** 2)
            if new_cost < cost:
                break
            damping *= 4
        else:
            break
        done = step > 8 and new_cost > cost * (1 - 1e-3)
        (rates, weights), r, values, cost = new, new_r, new_values, new_cost
        damping = max(damping / 6, 1e-16)
        if done:
            break
    return rates, weights, np.max(np.abs(r))


def even_fit(rates, weights, reach):
    z, rho = boundary(reach, 70, 35, 30, 30)
    best = fit(rates, weights, z, rho, np.ones(len(z)), 100)
    rates, weights, share = best[0], best[1], np.ones(len(z))
    for _ in range(8):
        r = np.abs(residual(rates, weights, z, rho)[0])
        share *= (0.3 + r / r.max()) ** 0.5
        share /= share.mean()
        rates, weights, error = fit(rates, weights, z, rho, share, 8)
        if error < best[2]:
            best = rates, weights, error
    return best


def long_fit(rates, weights, reach):
    """Least squares in 160 bits."""
    z, rho = boundary(reach, int(40 + 16 * reach), 30, 30, 14)
    z, rho = [arb(float(x)) for x in z], [arb(float(x)) for x in rho]
    target = [1 / (a * a + b * b).sqrt() for a, b in zip(z, rho)]
    n, damping = len(rates), 1e-22
    rates, weights = [arb(float(x)) for x in rates], [arb(float(x)) for x in weights]

    def evaluate(rates, weights):
        r, rows = [], []
        for a, b, t in zip(z, rho, target):
            slopes, values, total = [], [], arb(0)
            for rate, weight in zip(rates, weights):
                e = (-(rate * a)).exp()
                value = (e * (rate * b).bessel_j(0)).mid()
                slope = -a * value - b * e * (rate * b).bessel_j(1)
                slopes.append((rate * weight * slope).mid())
                values.append((value * weight).mid())
                total += value * weight
            r.append((total - t).mid())
            rows.append(slopes + values)
        return r, rows, sum((x * x for x in r), arb(0))

    r, rows, cost = evaluate(rates, weights)
    for _ in range(50):
        jacobian = arb_mat(rows)
        normal, right = jacobian.transpose() * jacobian, jacobian.transpose() * arb_mat([[x] for x in r])
        right = arb_mat([[(-right[i, 0]).mid()] for i in range(2 * n)])
        for _ in range(14):
            entry = lambda i, j: (normal[i, j] * ((1 + damping) if i == j else 1)).mid()
            damped = arb_mat([[entry(i, j) for j in range(2 * n)] for i in range(2 * n)])
            d = damped.solve(right, algorithm="approx")
            d = [float(d[i, 0]) for i in range(2 * n)]
            longest = max(abs(x) for x in d)
            share = min(1.0, 0.3 / longest) if longest > 0 else 1.0
            new = [
                [(x * arb(share * step).exp()).mid() for x, step in zip(part, steps)]
                for part, steps in ((rates, d[:n]), (weights, d[n:]))
            ]
            new_r, new_rows, new_cost = evaluate(*new)
            if float(new_cost) < float(cost):
                break
            damping *= 30
        else:
            break
        ratio = float(new_cost) / float(cost)
        (rates, weights), r, rows, cost = new, new_r, new_rows, new_cost
        damping = max(damping / 100, 1e-36)
        if ratio > 0.995 and damping < 1e-27:
            break
    return np.array([float(x) for x in rates]), np.array([float(x) for x in weights])


def one_more(rates, weights):
    """A start for the rule with a node more."""
    n, grow = len(rates), 1 + 0.6 / len(rates)
    x = np.concatenate([[0], (np.arange(n) + 0.5) / n, [1]])
    y = (np.arange(n + 1) + 0.5) / (n + 1)
    new_rates = PchipInterpolator(x, np.concatenate([[0], rates, [rates[-1] + weights[-1]]]))(y)
    new_weights = PchipInterpolator(x, np.concatenate([[weights[0]], weights, [weights[-1]]]))(y)
    return new_rates * grow, new_weights * n / (n + 1) * grow


def largest_error(rates, weights, reach):
    rho = np.linspace(0, reach, 1500)
    heights = (1.0, 1.03, 1.1, 1.4, 2.0, 2.7, 4.0)
    return 1.02 * max(np.abs(residual(rates, weights, np.full(1500, z), rho)[0]).max() for z in heights)


def counts(rate, weight, reach, error):
    """Directions M and angular orders F that add less than half the rule's error."""
    size = 2 * weight * math.exp(-rate)

    def count(start, step, argument):
        n, x = start, np.linspace(0, argument, 200)
        while size * np.abs(jv(n, x)).max() > 0.5 * error:
            n += step
        return n

    return count(4, 4, rate * reach), count(1, 1, rate * math.sqrt(0.5))


def main():
    print("# One rule a line: largest distance across the waves, in sides; its error; then for each node l, w, M and F.")
    for reach2, long_from in ((32, 23), (20, 23), (8, 16)):
        reach, last = math.sqrt(reach2), 1.0
        rates, weights = np.array([0.2, 1.0]), np.array([0.5, 1.0])
        while last > 8e-15:
            n, start = len(rates), (rates, weights)
            if n < long_from:
                rates, weights, _ = even_fit(rates, weights, reach)
            else:
                rates, weights = long_fit(rates, weights, reach)
            order = np.argsort(rates)
            rates, weights = rates[order], weights[order]
            error = largest_error(rates, weights, reach)
            if n >= 3 and error < last:
                digits = min(17, math.ceil(-math.log10(error)) + 4)
                nodes = [(l, w, *counts(l, w, reach, error)) for l, w in zip(rates, weights)]
                text = " ".join(f"{l:.{digits}g} {w:.{digits}g} {m} {f}" for l, w, m, f in nodes)
                print(f"{reach:.10g} {error:.1e} {text}", flush=True)
            last = error
            # What the last start was off by, the next one will be off by, too.
            off = (rates / start[0], weights / start[1]) if n >= long_from - 1 else None
            x, y = (np.arange(n) + 0.5) / n, (np.arange(n + 1) + 0.5) / (n + 1)
            rates, weights = one_more(rates, weights)
            if off is not None:
                rates, weights = rates * np.interp(y, x, off[0]), weights * np.interp(y, x, off[1])


if __name__ == "__main__":
    sys.exit(main())
