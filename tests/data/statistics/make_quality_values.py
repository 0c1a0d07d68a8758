#!/usr/bin/env python3
"""Writes quality_values.json: comparisons of metrics over seeds, decided by SciPy and a few lines of its own.

Needs python3-scipy. The rule (docs/comparing.md): EQUIVALENT where the exact interval of the Hodges-Lehmann shift of
ln(b / a) lies within the margin on both sides, else WORSE or BETTER where the two-sided exact signed-rank p, after
Holm, is at most alpha, else INCONCLUSIVE. A value that is worse than the median of both sides by more than the margin
is bad; so, apart from that, is one of more than 2 and of more than 4 times the median. EQUIVALENT and BETTER need that B
has not certainly more bad values (exact sign test; as many tests as limits with other bad values, Bonferroni), EQUIVALENT
also that their excess share is certainly below 20 % at each limit, and so does BETTER where B has more of them; BETTER
with more of them, and WORSE with fewer, is a TRADE.
"""
import json
import math
import pathlib
import random
from itertools import combinations_with_replacement

from scipy.stats import binomtest, wilcoxon

from make_slow_run_values import stake

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


def bad_values(metric):
    """Returns whether B certainly has more, certainly fewer, more at all, and whether their excess is bounded."""
    both = sorted(metric["a"] + metric["b"])
    typical = (both[len(both) // 2 - 1] + both[len(both) // 2]) / 2
    limits = [math.log1p(metric["margin"]), math.log(2), math.log(4)]
    excesses, sets = [], set()
    for limit in limits:
        bad_a, bad_b = ([math.log(value / typical) > limit for value in metric[side]] for side in "ab")
        excesses.append([int(y) - int(x) for x, y in zip(bad_a, bad_b)])
        if any(bad_a + bad_b):
            sets.add(tuple(bad_a + bad_b))

    def certain(sign):
        for excess in excesses:
            count, moved = excess.count(sign), excess.count(1) + excess.count(-1)
            if moved > 0 and binomtest(count, moved, alternative="greater").pvalue * len(sets) <= ALPHA:
                return True
        return False

    return (certain(1), certain(-1), any(sum(excess) > 0 for excess in excesses),
            all(stake(0.2, excess) >= 100 for excess in excesses))


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
        more, fewer, any_more, bounded = bad_values(metric)
        metric["verdict"] = "INCONCLUSIVE"
        if -margin < metric["lower"] and metric["upper"] < margin:
            if not more and bounded:
                metric["verdict"] = "EQUIVALENT"
        elif metric["p_holm"] <= ALPHA and metric["shift"] > 0:
            metric["verdict"] = "TRADE" if fewer else "WORSE"
        elif metric["p_holm"] <= ALPHA:
            metric["verdict"] = "TRADE" if more else "BETTER" if bounded or not any_more else "INCONCLUSIVE"


def main():
    generator = random.Random(20251122)
    rows = []
    for number in range(24):
        metrics = []
        for name, noise in (("rmse", 0.015), ("median", 0.05)):
            factor = generator.choice([1, 1, 1.02, 1.05, 1.1, 0.93])
            # A few of B's seeds are far worse.
            bad = generator.choice([0, 0, 0, 0.1, 0.3])
            a = [round(2 * (1 + noise * generator.gauss(0, 1)), 8) for _ in range(48)]
            b = [round(2 * factor * (1 + noise * generator.gauss(0, 1)) * (20 if generator.random() < bad else 1), 8)
                 for _ in range(48)]
            metrics.append({"name": name, "a": a, "b": b, "margin": generator.choice([0.05, 0.04])})
        decide(metrics)
        rows.append({"metrics": metrics})
    text = "[" + ",\n ".join(json.dumps(row) for row in rows) + "]"
    pathlib.Path(__file__).with_name("quality_values.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
