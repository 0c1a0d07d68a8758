#!/usr/bin/env python3
"""Writes conformance/: clouds, scans, depth maps and trajectories from formulas, and what every protocol says of them
by scripts/protocol_oracle.py. Needs numpy (Debian: python3-numpy). Usage: scripts/make_conformance.py [FOLDER]"""
import json
import math
import pathlib
import sys

import numpy as np

import protocol_oracle as oracle

SIDE, TOLERANCES = 0.24, (0.002, 0.005, 0.01)
random = np.random.default_rng(20261122)


def height(x, y):
    return 0.02 * np.sin(20 * x) * np.cos(14 * y) + 0.05 * x


def on_surface(n, low=-SIDE / 2, high=SIDE / 2):
    x, y = random.uniform(low, high, n), random.uniform(-SIDE / 2, SIDE / 2, n)
    return np.stack([x, y, height(x, y)], 1)


def normal_at(points):
    x, y = points[:, 0], points[:, 1]
    slope = np.stack([-(0.4 * np.cos(20 * x) * np.cos(14 * y) + 0.05), 0.28 * np.sin(20 * x) * np.sin(14 * y),
                      np.ones(len(x))], 1)
    return slope / np.linalg.norm(slope, axis=1, keepdims=True)


def turn_about(axis, angle):
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k


def scan_of(points, place, turn):
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = turn, place
    pose = np.array([[float(f"{v:.9g}") for v in row] for row in pose])
    return ((points - pose[:3, 3]) @ pose[:3, :3]).astype(np.float32), pose


def write_ply(path, points, normals=None):
    columns = points.astype("<f4")
    names = ["x", "y", "z"]
    if normals is not None:
        columns, names = np.concatenate([columns, normals.astype("<f4")], 1), names + ["nx", "ny", "nz"]
    header = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n"
    header += "".join(f"property float {name}\n" for name in names) + "end_header\n"
    path.write_bytes(header.encode() + np.ascontiguousarray(columns).tobytes())


def make_clouds():
    up = np.array([0, 0, 1.0])
    spread = lambda points, sigma: points + sigma * random.standard_normal((len(points), 3))
    hole = on_surface(1500)
    hole = hole[np.hypot(hole[:, 0] - 0.03, hole[:, 1]) > 0.05]
    outliers = spread(on_surface(1200), 0.001)
    outliers[:120, 2] += random.uniform(-0.1, 0.1, 120)
    base = spread(on_surface(500), 0.001)
    layers = on_surface(1200)
    layers[400:800] += 0.012 * up
    layers[800:] -= 0.012 * up
    broken = spread(on_surface(1000), 0.002)
    broken[::50, 1] = np.nan
    return {
        "noisy": spread(on_surface(1200), 0.001), "very-noisy": spread(on_surface(1200), 0.004),
        "biased": spread(on_surface(1200), 0.0005) + 0.002 * up, "holes": spread(hole, 0.001), "outliers": outliers,
        "duplicates": np.concatenate([base, spread(base, 0.00008), base]),
        "grid": np.round(base / 0.004) * 0.004, "partial": spread(on_surface(800, high=0), 0.001),
        "sparse": spread(on_surface(200), 0.001),
        "layers": layers, "not-finite": broken}


def cloud_cases(folder):
    scans = [scan_of(on_surface(4000), (0.1, -0.2, 1.1), turn_about((0.1, 1, 0.3), 2.2)),
             scan_of(on_surface(2500, low=-0.05), (-0.4, 0.3, 0.8), turn_about((1, -0.2, 0.4), 1.1))]
    project = "<!DOCTYPE MeshLabDocument>\n<MeshLabProject>\n <MeshGroup>\n"
    for i, (points, pose) in enumerate(scans):
        write_ply(folder / f"scan{i}.ply", points)
        rows = "\n".join(" ".join(repr(float(v)) for v in row) for row in pose)
        project += f'  <MLMesh label="scan{i}" filename="scan{i}.ply">\n   <MLMatrix44>\n{rows}\n</MLMatrix44>\n'
        project += "  </MLMesh>\n"
    (folder / "scans.mlp").write_text(project + " </MeshGroup>\n</MeshLabProject>\n")
    truth = on_surface(4000).astype(np.float32)
    write_ply(folder / "truth.ply", truth, normal_at(truth.astype(float)))
    truth_normals = normal_at(truth.astype(float)).astype(np.float32)
    polygon = np.array([[-0.1, -0.11], [0.11, -0.08], [0.06, 0.1], [0.0, 0.02], [-0.09, 0.1]])
    low, high = -0.03, 0.025
    (folder / "crop.json").write_text(json.dumps({
        "class_name": "SelectionPolygonVolume", "version_major": 1, "version_minor": 0, "orthogonal_axis": "Z",
        "axis_min": low, "axis_max": high, "bounding_polygon": [[x, y, 0.0] for x, y in polygon.tolist()]}))
    box_low, box_high, spacing = np.array([-0.1, -0.1, -0.05]), np.array([0.1, 0.1, 0.05]), 0.01
    grid = np.indices((21, 21, 11)).astype(float)
    mask = ((grid[0] - 10) ** 2 + (grid[1] - 10) ** 2 < 90).astype(np.float32)
    np.save(folder / "mask.npy", mask)
    plane = np.array([0.1, 0.0, 1.0, 0.008])
    masked = ["--mask", "mask.npy", "--mask-box", ",".join(map(repr, [*box_low.tolist(), *box_high.tolist(), spacing])),
              "--plane", ",".join(map(repr, plane.tolist()))]
    thresholds = ["--thresholds", ",".join(f"{1000 * t:g}mm" for t in TOLERANCES)]
    for name, points in make_clouds().items():
        points = points.astype(np.float32)
        file, finite = f"{name}.ply", np.isfinite(points).all(1)
        noisy = normal_at(points.astype(float)) + 0.2 * random.standard_normal((len(points), 3))
        noisy = np.where(finite[:, None], noisy, 1).astype(np.float32)
        write_ply(folder / file, points, noisy)
        noisy, points = noisy[finite], points[finite]
        for protocol, extra, expected, tolerance in (
                ("eth3d", [*thresholds], oracle.eth3d(points, scans, TOLERANCES), {"absolute": 1e-6}),
                ("eth3d", [*thresholds, "--knob", "single_precision=no"],
                 oracle.eth3d(points, scans, TOLERANCES, np.float64), {"absolute": 1e-12})):
            yield file, protocol, ["--truth", "scans.mlp", *extra], expected, tolerance
        yield (file, "tanks-and-temples", ["--truth", "truth.ply", "--thresholds", "5mm", "--crop", "crop.json"],
               oracle.nearest_points(points, truth, 0.0025, (0.005,), (polygon, low, high)), {"absolute": 1e-9})
        yield (file, "scannet-mesh", ["--truth", "truth.ply", "--thresholds", "10mm"],
               oracle.nearest_points(points, truth, 0.02, (0.01,)), {"absolute": 1e-9})
        yield (file, "dtu", ["--truth", "truth.ply", *masked],
               oracle.dtu(points, truth, mask, box_low, box_high, spacing, plane),
               {"relative": 0.02 if name == "duplicates" else 5e-4})  # which of two twins stays is random
        yield (file, "dtu", ["--truth", "truth.ply", *masked, "--knob", "thinning_seed=1"],
               oracle.dtu(points, truth, mask, box_low, box_high, spacing, plane, order=oracle.stated_order),
               {"relative": 1e-12})
        yield (file, "normals", ["--truth", "truth.ply"], oracle.normals(points, noisy, truth, truth_normals),
               {"absolute": 1e-9})


def depth_cases(folder):
    v, u = np.mgrid[:60, :80]
    truth = (2 + 0.5 * np.sin(u / 9) + v / 20).astype(np.float32)
    truth[5:9, 10:30] = 0
    spread = 0.02 + 0.2 * random.random(truth.shape)
    predicted = (truth * np.exp(spread * random.standard_normal(truth.shape))).astype(np.float32)
    predicted[40:44, 50:70] = np.nan
    confidence = (1 / (1 + spread * random.uniform(0.7, 1.4, spread.shape))).astype(np.float32)
    for name, array in (("depth-true", truth), ("depth", predicted), ("depth-confidence", confidence)):
        np.save(folder / f"{name}.npy", array)
    truth[truth == 0] = np.nan
    yield ("depth.npy", "depth", ["--truth", "depth-true.npy", "--confidence", "depth-confidence.npy"],
           oracle.depth(predicted, truth, confidence), {"absolute": 1e-12})
    yield ("depth.npy", "depth", ["--truth", "depth-true.npy", "--knob", "min_m=2", "--knob", "max_m=4.5"],
           oracle.depth(predicted, truth, low=2.0, high=4.5), {"absolute": 1e-12})


def pose_cases(folder):
    n = 40
    s = np.arange(n) / 6
    true_t = np.stack([np.cos(s), np.sin(s), 0.1 * s], 1)
    true_r = np.array([turn_about((0.2, 0.1 * math.sin(a), 1), a) for a in s])
    frame = turn_about((1, 2, 3), 0.8)
    noise = lambda scale: scale * random.standard_normal(3)
    r = np.array([frame @ a @ turn_about(noise(1), 0.01 * random.standard_normal()) for a in true_r])
    t = np.array([1.3 * frame @ a + (0.5, -1, 2) + noise(0.01) for a in true_t])
    for name, turns, places in (("poses-true", true_r, true_t), ("poses", r, t)):
        rows = np.concatenate([turns, places[:, :, None]], 2).reshape(n, 12)
        np.savetxt(folder / f"{name}.txt", rows, fmt="%.17g")
    for alignment in ("rigid", "similarity"):
        yield ("poses.txt", "poses", ["--truth", "poses-true.txt", "--knob", "alignment=" + alignment],
               oracle.poses(true_r, true_t, r, t, alignment == "similarity"), {"absolute": 1e-9})


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "conformance")
    data = folder / "data"
    data.mkdir(parents=True, exist_ok=True)
    cases = [{"file": file, "protocol": protocol, "options": options, "tolerance": tolerance, "values": expected}
             for make in (cloud_cases, depth_cases, pose_cases)
             for file, protocol, options, expected, tolerance in make(data)]
    text = ",\n".join(json.dumps(case) for case in cases)
    (folder / "cases.json").write_text('{"cases": [\n' + text + "\n]}\n")


if __name__ == "__main__":
    main()
