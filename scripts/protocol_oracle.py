"""The protocols of docs/protocols.md in plain numpy, every pair compared: what `make_conformance.py` takes the expected
values from. Nothing here is shared with the program. Lengths are metres."""
import math

import numpy as np


def nearest(points, others):
    """Distance of each point to the nearest of others, and which that is (the first of several)."""
    distance, index = np.empty(len(points)), np.empty(len(points), int)
    for i in range(0, len(points), 256):
        squared = ((points[i:i + 256, None, :] - others[None, :, :]) ** 2).sum(-1)
        index[i:i + 256] = squared.argmin(1)
        distance[i:i + 256] = np.sqrt(squared.min(1))
    return distance, index


def f_score(p, r):
    return 0.0 if p + r == 0 else 2 * p * r / (p + r)


def value(name, number, unit, threshold=None):
    entry = {"name": name, "unit": unit, "value": float(number) if math.isfinite(number) else None}
    if threshold is not None:
        entry["threshold"] = threshold
    return entry


# ---- ETH3D: in 32 bits, as its program computes ----

F = np.float32


def add3(a):
    """x + (y + z) along the last axis, in the precision of the array."""
    return a[..., 0] + (a[..., 1] + a[..., 2])


def eth3d_beams(points, scans, precision, radius=0.001125, halfangle_deg=0.011):
    """Squared distance to the nearest scan point in whose beam each point lies, and whether one is seen through."""
    start = precision(radius)
    tangent = precision(math.tan(float(precision(halfangle_deg)) * float(precision(math.pi / 180))))
    best, through = np.full(len(points), np.inf, precision), np.zeros(len(points), bool)
    for scan, pose in scans:
        hits = scan.astype(precision)
        length = np.sqrt(add3(hits * hits))
        direction = hits / length[:, None]
        turn = pose[:3, :3].T.astype(precision)
        shift = add3(turn * -pose[:3, 3].astype(precision)[None, :])
        for i, point in enumerate(points.astype(precision)):
            seen = add3(turn * point[None, :]) + shift
            beam = start + np.sqrt(add3(seen * seen)) * tangent
            along = add3(direction * seen[None, :])
            off = seen[None, :] - along[:, None] * direction
            inside = (along >= 0) & (add3(off * off) <= beam * beam)
            if not inside.any():
                continue
            gap = hits[inside] - seen[None, :]
            best[i] = min(best[i], add3(gap * gap).min())
            through[i] |= bool((along[inside] < length[inside]).any())
    return best, through


def cells(points, size, shift, precision):
    inverse = precision(1.0 / float(precision(size)))
    return [tuple(c) for c in np.floor(points.astype(precision) * inverse + precision(shift)).astype(int)]


def voxel_average(points, right, counted, size, precision):
    total, number = 0.0, 0
    for shift in (0.0, 0.5):
        sums = {}
        for cell, r, c in zip(cells(points, size, shift, precision), right, counted):
            entry = sums.setdefault(cell, [0, 0])
            entry[0] += int(r and c)
            entry[1] += int(c)
        for r, c in sums.values():
            if c:
                total += r / c
                number += 1
    return total / number if number else math.nan


def eth3d(cloud, scans, tolerances, precision=F, voxel=0.01):
    cloud = cloud.astype(precision).astype(float)
    world = []
    for scan, pose in scans:
        narrow = pose.astype(precision)
        x, y, z = [narrow[:3, axis] * scan.astype(precision)[:, axis, None] for axis in range(3)]
        world.append(x + (y + (z + narrow[:3, 3])))  # in the order of PCL's transformPointCloud
    world = np.concatenate(world).astype(float)
    squared, through = eth3d_beams(cloud, scans, precision)
    reach = nearest(world, cloud)[0]
    numbers = []
    for tolerance in tolerances:
        limit = precision(tolerance) * precision(tolerance)
        right = squared <= limit
        p = voxel_average(cloud, right, right | through, voxel, precision)
        r = voxel_average(world, reach <= math.sqrt(float(limit)), np.ones(len(world), bool), voxel, precision)
        numbers += [value("precision", p, "1", tolerance), value("recall", r, "1", tolerance),
                    value("f_score", f_score(p, r), "1", tolerance)]
    return numbers


# ---- Tanks and Temples, ScanNet: voxels, nearest points ----

def in_polygon(points, polygon):
    """Even-odd rule in x and y."""
    inside = np.zeros(len(points), bool)
    for (x0, y0), (x1, y1) in zip(polygon, np.roll(polygon, -1, axis=0)):
        crosses = (y0 > points[:, 1]) != (y1 > points[:, 1])
        with np.errstate(divide="ignore", invalid="ignore"):
            inside ^= crosses & (points[:, 0] < (x1 - x0) * (points[:, 1] - y0) / (y1 - y0) + x0)
    return inside


def voxel_means(points, size):
    low = points.min(0) - size / 2
    groups = {}
    for point, cell in zip(points, np.floor((points - low) / size).astype(int)):
        groups.setdefault(tuple(cell), []).append(point)
    return np.array([[math.fsum(column) / len(group) for column in zip(*group)] for group in groups.values()])


def nearest_points(cloud, truth, voxel, thresholds, crop=None):
    cloud, truth = cloud.astype(float), truth.astype(float)
    if crop is not None:
        polygon, low, high = crop
        cloud, truth = [p[in_polygon(p, polygon) & (p[:, 2] >= low) & (p[:, 2] <= high)] for p in (cloud, truth)]
    cloud, truth = voxel_means(cloud, voxel), voxel_means(truth, voxel)
    there, back = nearest(cloud, truth)[0], nearest(truth, cloud)[0]
    numbers = [value("accuracy_mean", there.mean(), "m"), value("completeness_mean", back.mean(), "m")]
    for threshold in thresholds:
        p, r = (there < threshold).mean(), (back < threshold).mean()
        numbers += [value("precision", p, "1", threshold), value("recall", r, "1", threshold),
                    value("f_score", f_score(p, r), "1", threshold)]
    return numbers


# ---- DTU ----

# Philox4x32-10 (Salmon et al., SC 2011) of the counters (i, 0, slot 0, stream) under a seed below 2^32, as numbers in
# [0, 1): the 53 highest bits of the first two words.
def philox_uniforms(count, seed, stream):
    counter = [np.arange(count, dtype=np.uint64), np.zeros(count, np.uint64), np.zeros(count, np.uint64),
               np.full(count, stream, np.uint64)]
    key, mask = [seed, 0], np.uint64(0xffffffff)
    for _ in range(10):
        first, second = counter[0] * np.uint64(0xD2511F53), counter[2] * np.uint64(0xCD9E8D57)
        counter = [(second >> np.uint64(32)) ^ counter[1] ^ np.uint64(key[0]), second & mask,
                   (first >> np.uint64(32)) ^ counter[3] ^ np.uint64(key[1]), first & mask]
        key = [(key[0] + 0x9E3779B9) & 0xffffffff, (key[1] + 0xBB67AE85) & 0xffffffff]
    return ((counter[0] << np.uint64(32) | counter[1]) >> np.uint64(11)) * 2.0 ** -53


# The order in which docs/protocols.md says that aqbench looks at points: sorted by x, y, z, then by random numbers.
def stated_order(points, seed=1):
    by_place = np.lexsort((points[:, 2], points[:, 1], points[:, 0]))
    return by_place[np.argsort(philox_uniforms(len(points), seed, 31), kind="stable")]


def thin(points, radius, order):
    points = points[order]
    kept = np.ones(len(points), bool)
    for i, point in enumerate(points):
        if kept[i]:
            kept[np.sqrt(((points - point) ** 2).sum(1)) <= radius] = False
            kept[i] = True
    return points[kept]


def dtu(cloud, truth, mask, low, high, spacing, plane, drop=0.02, order=None):
    cloud = cloud.astype(float)
    cloud = thin(cloud, 0.0002, np.random.default_rng(0).permutation(len(cloud)) if order is None else order(cloud))
    cloud = cloud[((cloud >= low - 0.06) & (cloud < high + 0.12)).all(1)]
    voxel = np.around((cloud - low) / spacing).astype(int)
    inside = ((voxel >= 0) & (voxel < mask.shape)).all(1)
    seen = inside.copy()
    seen[inside] = mask[tuple(voxel[inside].T)] != 0
    there = nearest(cloud[seen], truth.astype(float))[0]
    above = truth[(truth * plane[:3]).sum(1) + plane[3] > 0].astype(float)
    back = nearest(above, cloud)[0]
    there, back = there[there < drop], back[back < drop]
    return [value("accuracy_mean", there.mean(), "m"), value("accuracy_median", np.median(there), "m"),
            value("completeness_mean", back.mean(), "m"), value("completeness_median", np.median(back), "m"),
            value("overall", (there.mean() + back.mean()) / 2, "m")]


# ---- Normals ----

def in_order(points, point_normals):
    """Points and unit normals by x, y, z, then by the normal: of equally near points the first counts."""
    points, unit = points.astype(float), point_normals.astype(float)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    order = np.lexsort(np.concatenate([points, unit], axis=1).T[::-1])
    return points[order], unit[order]


def normals(cloud, cloud_normals, truth, truth_normals):
    (cloud, cloud_unit), (truth, truth_unit) = in_order(cloud, cloud_normals), in_order(truth, truth_normals)
    unit = [cloud_unit, truth_unit]
    there = np.abs((unit[0] * unit[1][nearest(cloud, truth)[1]]).sum(1)).mean()
    back = np.abs((unit[1] * unit[0][nearest(truth, cloud)[1]]).sum(1)).mean()
    return [value("normals_accuracy", there, "1"), value("normals_completeness", back, "1"),
            value("normals_consistency", (there + back) / 2, "1")]


# ---- Depth ----

def depth(predicted, truth, confidence=None, low=1e-3, high=80.0, intervals=50):
    p, t = predicted.astype(float).ravel(), truth.astype(float).ravel()
    with np.errstate(invalid="ignore"):
        true = (t > low) & (t < high)
        both = true & np.isfinite(p) & (p > 0)
    coverage = both.sum() / true.sum()
    p, t = np.clip(p[both], low, high), t[both]
    mean = lambda x: math.fsum(x) / len(x)
    ratio = np.maximum(t / p, p / t)
    relative, squared = np.abs(t - p) / t, (t - p) ** 2
    numbers = [value("abs_rel", mean(relative), "1"), value("sq_rel", mean(squared / t), "m"),
               value("mae", mean(np.abs(t - p)), "m"), value("rmse", math.sqrt(mean(squared)), "m"),
               value("rmse_log", math.sqrt(mean((np.log(t) - np.log(p)) ** 2)), "1"),
               value("delta_1.03", (ratio < 1.03).mean(), "1"), value("delta_1.25", (ratio < 1.25).mean(), "1"),
               value("delta_1.25^2", (ratio < 1.25 ** 2).mean(), "1"),
               value("delta_1.25^3", (ratio < 1.25 ** 3).mean(), "1"), value("coverage", coverage, "1")]
    if confidence is None:
        return numbers
    c, x = confidence.astype(float).ravel()[both], np.arange(intervals + 1) / intervals
    outlier = (ratio >= 1.25).astype(float)
    for name, unit, rank, error, end in (("abs_rel", "1", relative, relative, lambda v: v),
                                         ("rmse", "m", squared, squared, math.sqrt),
                                         ("a1", "1", ratio, outlier, lambda v: v)):
        def area(key):
            left = [end(mean(error[key >= np.percentile(key, 100 * s / intervals)])) for s in range(intervals)] + [0]
            return np.trapz(left, x)
        mine = area(c)
        numbers += [value("ause_" + name, mine - area(-rank), unit),
                    value("aurg_" + name, end(mean(error)) - mine, unit)]
    return numbers


# ---- Poses: (n, 3, 3) rotations and (n, 3) positions, already paired ----

def angle(turn):
    skew = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    return math.degrees(math.atan2(np.linalg.norm(skew) / 2, (np.trace(turn) - 1) / 2))


def umeyama(x, y, with_scale):
    mx, my = x.mean(0), y.mean(0)
    u, d, v = np.linalg.svd((y - my).T @ (x - mx) / len(x))
    s = np.diag([1, 1, np.sign(np.linalg.det(u) * np.linalg.det(v))])
    r = u @ s @ v
    c = np.trace(np.diag(d) @ s) / ((x - mx) ** 2).sum(1).mean() if with_scale else 1.0
    return r, my - c * r @ mx, c


def auc(errors, threshold):
    errors = np.sort(errors)
    recall = np.r_[0, np.arange(1, len(errors) + 1) / len(errors)]
    errors = np.r_[0, errors]
    last = np.searchsorted(errors, threshold, side="right")
    return np.trapz(np.r_[recall[:last], recall[last - 1]], np.r_[errors[:last], threshold]) / threshold


def statistics(name, errors, unit, full):
    e = np.array(errors)
    numbers = [value(name + "_rmse", math.sqrt((e ** 2).mean()), unit), value(name + "_mean", e.mean(), unit),
               value(name + "_median", np.median(e), unit)]
    if full:
        numbers += [value(name + "_std", e.std(), unit), value(name + "_min", e.min(), unit),
                    value(name + "_max", e.max(), unit), value(name + "_sse", (e ** 2).sum(), unit + "2")]
    return numbers


def poses(true_r, true_t, r, t, with_scale=False, delta=1):
    n, turns, directions = len(t), [], []
    for i in range(n):
        for j in range(n):
            if i == j:
                continue
            a, b = true_r[j].T @ (true_t[i] - true_t[j]), r[j].T @ (t[i] - t[j])
            turns.append(angle((r[j].T @ r[i]).T @ (true_r[j].T @ true_r[i])))
            directions.append(math.degrees(math.atan2(np.linalg.norm(np.cross(a, b)), a @ b)))
    turn, shift, scale = umeyama(t, true_t, with_scale)
    t, r = scale * t @ turn.T + shift, turn @ r
    numbers = statistics("ate", np.linalg.norm(t - true_t, axis=1), "m", True)
    numbers += statistics("are", [angle(r[i].T @ true_r[i]) for i in range(n)], "deg", False)
    moved, turned = [], []
    for i in range(0, n - delta, delta):
        j = i + delta
        q, p = true_r[i].T @ true_r[j], r[i].T @ r[j]
        moved.append(np.linalg.norm(q.T @ (r[i].T @ (t[j] - t[i]) - true_r[i].T @ (true_t[j] - true_t[i]))))
        turned.append(angle(q.T @ p))
    numbers += statistics("rpe_translation", moved, "m", True) + statistics("rpe_rotation", turned, "deg", False)
    numbers += statistics("rre", turns, "deg", False) + statistics("rte", directions, "deg", False)
    larger = np.maximum(turns, directions)
    for threshold in (0.5, 1, 5, 10):
        numbers += [value("recall", (larger <= threshold).mean(), "1", threshold),
                    value("auc", auc(larger, threshold), "1", threshold)]
    return numbers
