#!/usr/bin/env python3
"""Blind test of `eval --which-protocol`: 20 pairs of a cloud and a number, made by scripts/protocol_oracle.py with a
random protocol, threshold, number and voxel. Right is an answer that names the protocol and the number at rank 1, or
among those with the fewest changed knobs. Usage: scripts/blind_protocols.py PROGRAM [SEED]; exit 0 if 19 of 20 are
right."""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import make_conformance as make
import protocol_oracle as oracle

LABELS = {"eth3d": {"precision": "accuracy", "recall": "completeness", "f_score": "F1"},
          "tanks-and-temples": {"precision": "precision", "recall": "recall", "f_score": "f-score"},
          "scannet-mesh": {"accuracy_mean": "Acc", "completeness_mean": "Comp", "precision": "Prec",
                           "recall": "Recall", "f_score": "F-score"},
          "dtu": {"accuracy_mean": "accuracy mean", "completeness_mean": "completeness mean",
                  "accuracy_median": "accuracy median", "completeness_median": "completeness median",
                  "overall": "overall"}}


def numbers_of(protocol, cloud, truth, scans, threshold, voxel):
    if protocol == "eth3d":
        return oracle.eth3d(cloud, scans, (threshold,))
    if protocol == "dtu":
        everything = np.ones((2, 2, 2))
        return oracle.dtu(cloud, truth, everything, np.full(3, -0.5), np.full(3, 0.5), 1.0, np.array([0, 0, 0, 1.0]))
    return oracle.nearest_points(cloud, truth, voxel, (threshold,))


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    random = np.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    right = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for trial in range(20):
            protocol = random.choice(list(LABELS))
            threshold = float(random.choice([0.002, 0.003, 0.005, 0.01]))
            voxel = threshold / 2 if protocol == "tanks-and-temples" else 0.02
            if protocol in ("tanks-and-temples", "scannet-mesh") and random.random() < 0.5:
                voxel = float(random.choice([0.002, 0.005, 0.01]))
            cloud = make.on_surface(600) + random.uniform(0.001, 0.005) * random.standard_normal((600, 3))
            cloud = cloud.astype(np.float32)
            scan, pose = make.scan_of(make.on_surface(2500), (0.1, -0.2, 1.1), np.eye(3))
            pose[:3, :3] = np.eye(3)
            world = (scan.astype(float) + pose[:3, 3]).astype(np.float32)
            make.write_ply(folder / "cloud.ply", cloud)
            make.write_ply(folder / "scan.ply", world)
            scan = (world.astype(float) - pose[:3, 3]).astype(float)
            entries = [v for v in numbers_of(protocol, cloud, world, [(scan, pose)], threshold, voxel)
                       if v["name"] in LABELS[protocol] and v["value"] not in (None, 0.0, 1.0)]
            entry = entries[random.integers(len(entries))]
            factor = 1000 if protocol == "dtu" else 1
            published = f"{entry['value'] * factor:.5f}"
            run = subprocess.run([program, "eval", "cloud.ply", "--truth", "scan.ply", "--scanner", "0.1,-0.2,1.1",
                                  "--which-protocol", published, "--json"], cwd=folder, capture_output=True, text=True)
            found = json.loads(run.stdout)["candidates"] if run.returncode == 0 else []
            best = [c for c in found if c["rank"] == 1 or len(c["changed"]) == len(found[0]["changed"])]
            named = any((c["protocol"], c["number"]) == (protocol, LABELS[protocol][entry["name"]]) for c in best)
            right += named
            print(f"{published} {protocol} {entry['name']} at {threshold} voxel {voxel}: "
                  f"{'right' if named else 'WRONG'}, {len(best)} named first, {len(found)} in all {run.stderr.strip()}")
    print(f"{right} of 20 right")
    sys.exit(0 if right >= 19 else 1)


if __name__ == "__main__":
    main()
