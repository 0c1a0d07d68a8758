#!/usr/bin/env python3
"""Writes quality_values.json: comparisons of metrics over seeds, decided by SciPy and a few lines of its own.

Needs python3-scipy. The rule (docs/comparing.md): EQUIVALENT where the exact interval of the Hodges-Lehmann shift of
ln(b / a) lies within the margin on both sides, else WORSE or BETTER where the two-sided exact signed-rank p, after
Holm, is at most alpha, else INCONCLUSIVE.
"""
import json
import math
import pathlib
import random
from itertools import combinations_with_replacement

from scipy.stats import wilcoxon

ALPHA = 0.01


def walsh_averages(differences):
    return sorted((x + y) / 2 for x, y in combinations_with_replacement(differences, 2))


def null_counts(n):
    """How many of the 2^n sign patterns have each rank sum."""
    counts = [1]
    for rank in range(1, n + 1):
        longer = counts + [0] * rank
        for total, ways in enumerate(counts):
            longer[total + rank] += ways
        counts = longer
    return counts


def interval(differences):
    n, averages = len(differences), walsh_averages(differences)
    tail, w = 0, -1
    for total, ways in enumerate(null_counts(n)):
        tail += ways
        if tail / 2**n > ALPHA / 2:
            break
        w = total
    return averages[w], averages[len(averages) - 1 - w]


def decide(metrics):
    for metric in metrics:
        differences = [math.log(b / a) for a, b in zip(metric["a"], metric["b"])]
        metric["p"] = min(1.0, float(wilcoxon(differences, method="exact", alternative="two-sided").pvalue))
        averages = walsh_averages(differences)
        middle = len(averages) // 2
        metric["shift"] = averages[middle] if len(averages) % 2 else (averages[middle - 1] + averages[middle]) / 2
        metric["lower"], metric["upper"] = interval(differences)
    largest = 0.0
    for place, metric in enumerate(sorted(metrics, key=lambda one: one["p"])):
        largest = max(largest, min(1.0, metric["p"] * (len(metrics) - place)))
        metric["p_holm"] = largest
    for metric in metrics:
        margin = math.log1p(metric["margin"])
        if -margin < metric["lower"] and metric["upper"] < margin:
            metric["verdict"] = "EQUIVALENT"
        elif metric["p_holm"] <= ALPHA:
            metric["verdict"] = "WORSE" if metric["shift"] > 0 else "BETTER"
        else:
            metric["verdict"] = "INCONCLUSIVE"


def main():
    generator = random.Random(20251122)
    rows = []
    for number in range(24):
        metrics = []
        for name, noise in (("rmse", 0.022), ("median", 0.06)):
            factor = generator.choice([1, 1, 1.02, 1.05, 1.1, 0.93])
            a = [2 * (1 + noise * generator.gauss(0, 1)) for _ in range(20)]
            b = [2 * factor * (1 + noise * generator.gauss(0, 1)) for _ in range(20)]
            metrics.append({"name": name, "a": a, "b": b, "margin": generator.choice([0.05, 0.03])})
        decide(metrics)
        rows.append({"metrics": metrics})
    text = json.dumps(rows, indent=0)
    pathlib.Path(__file__).with_name("quality_values.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
