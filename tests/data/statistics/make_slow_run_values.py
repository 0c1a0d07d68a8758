#!/usr/bin/env python3
"""Writes slow_run_values.json: shares of slow runs in pairs of units, judged by SciPy and a few lines of its own.

Needs python3-scipy. p_more: pairs without a difference are dropped; where all others are whole (one run in a unit) it
is the sign test of scipy.stats.binomtest, else the exact permutation test of the signed ranks over all signs, by
scipy.stats.permutation_test. excess_upper: the least share m for which the averaged stake, written out as in
docs/comparing.md, is at least 100, by scipy.optimize.brentq.
"""
import json
import math
import pathlib
import random

import numpy as np
from scipy import optimize, stats

BETS = [(1.0, 0.5), (0.8, 0.2), (0.6, 0.15), (0.4, 0.1), (0.2, 0.05)]


def stake(share, excess):
    total = 0.0
    for part, weight in BETS:
        product = weight
        for one in excess:
            product *= max(0.0, 1 + part * (share - one) / (1 - share))
        total += product
    return total


def p_more(excess):
    moved = np.array([one for one in excess if one != 0])
    if len(moved) == 0:
        return 1.0
    if np.all(np.abs(moved) == 1):
        return float(stats.binomtest(int((moved > 0).sum()), len(moved), alternative="greater").pvalue)
    ranks = stats.rankdata(np.round(np.abs(moved), 9)) * np.sign(moved)
    found = stats.permutation_test((ranks,), lambda x, axis: np.sum(np.maximum(x, 0), axis=axis), n_resamples=np.inf,
                                   permutation_type="samples", alternative="greater", vectorized=True)
    return float(found.pvalue)


def row(generator, pairs, runs, share_a, share_b):
    def side(share):
        return [[1 if generator.random() < share else 0 for _ in range(runs)] for _ in range(pairs)]

    a, b = side(share_a), side(share_b)
    excess = [sum(y) / runs - sum(x) / runs for x, y in zip(a, b)]
    low, high = max(1e-12, sum(excess) / pairs), 1 - 1e-9
    upper = optimize.brentq(lambda m: math.log(max(stake(m, excess), 1e-300)) - math.log(100), low, high, xtol=1e-13) \
        if stake(low, excess) < 100 else 0.0
    return {"a": a, "b": b, "p_more": p_more(excess), "excess_upper": upper}


def main():
    generator = random.Random(20261125)
    rows = [row(generator, *case) for case in [
        (24, 3, 0, 0), (40, 3, 0, 0), (72, 3, 0, 0), (24, 3, 0.05, 0.05), (40, 3, 0.02, 0.1), (24, 3, 0, 0.15),
        (24, 3, 0.1, 0), (40, 1, 0, 0.1), (60, 1, 0, 0.2), (60, 1, 0.05, 0.25), (80, 1, 0.3, 0.3), (40, 1, 0.4, 0)]]
    text = json.dumps(rows)
    pathlib.Path(__file__).with_name("slow_run_values.json").write_text(text + "\n", encoding="utf-8")
    for one in rows:
        print(len(one["a"]), one["p_more"], one["excess_upper"])


if __name__ == "__main__":
    main()
