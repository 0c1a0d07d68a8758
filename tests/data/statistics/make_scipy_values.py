#!/usr/bin/python3
"""Writes scipy_values.json: what SciPy says about fixed samples, for tests/harness/statistics/scipy_test.cc.

Run by hand with Debian's python3-scipy (made with 1.10.1): ./make_scipy_values.py > scipy_values.json
"""
import itertools
import json

import numpy as np
import scipy
from scipy import stats

rng = np.random.default_rng(20240607)


def signed_rank(differences):
    exact = {side: stats.wilcoxon(differences, alternative=side, mode="exact").pvalue
             for side in ("greater", "less")}
    walsh = [(a + b) / 2 for i, a in enumerate(differences) for b in differences[i:]]
    return {"differences": list(differences), "p_greater": exact["greater"], "p_less": exact["less"],
            "hodges_lehmann": float(np.median(walsh))}


def tied_signed_rank(differences):
    """All sign patterns over scipy's mid-ranks."""
    kept = np.array([d for d in differences if d != 0])
    ranks = stats.rankdata(np.abs(kept))
    seen = ranks[kept > 0].sum()
    sums = np.array([np.dot(signs, ranks) for signs in itertools.product((0, 1), repeat=len(kept))])
    return {"differences": list(differences), "p_greater": float(np.mean(sums >= seen - 1e-9)),
            "p_less": float(np.mean(sums <= seen + 1e-9))}


def student(a, b):
    return {"a": list(a), "b": list(b), "p": stats.ttest_ind(a, b).pvalue}


def summary(values):
    return {"values": list(values), "mean": float(np.mean(values)), "sd": float(np.std(values, ddof=1)),
            "median": float(np.median(values))}


def rounded(values, digits=6):
    return [round(float(v), digits) for v in values]


out = {
    "made_with": f"scipy {scipy.__version__}, numpy {np.__version__}, make_scipy_values.py",
    "signed_rank": [signed_rank(rounded(rng.normal(shift, 1, n)))
                    for n, shift in ((5, 0.5), (8, 1), (12, -0.4), (20, 0.5), (35, 0.3), (50, 0.0), (200, 0.2))],
    "tied_signed_rank": [tied_signed_rank(rounded(rng.normal(shift, 1.5, n), 0)) for n, shift in
                         ((8, 1), (12, 0.5), (15, -1))],
    "student": [student(rounded(rng.normal(10, 1, n)), rounded(rng.normal(10 + shift, 1, m)))
                for n, m, shift in ((2, 2, 1), (5, 9, 1), (25, 25, 3), (40, 10, 0))],
    "binomial_half_cdf": [{"k": k, "n": n, "p": stats.binom.cdf(k, n, 0.5)}
                          for k, n in ((0, 7), (3, 10), (40, 100), (450, 1000), (5, 60))],
    "summary": [summary(rounded(rng.lognormal(2, 0.3, n))) for n in (2, 7, 40)],
}
lines = []
for key, value in out.items():  # one row a line
    rows = value if isinstance(value, list) else None
    text = json.dumps(value) if rows is None else "[\n  " + ",\n  ".join(map(json.dumps, rows)) + "\n ]"
    lines.append(f' "{key}": {text}')
print("{\n" + ",\n".join(lines) + "\n}")
