#!/usr/bin/env python3
"""Checks the datasets that a method gets, in each layout that it may ask for, against layouts.json: cameras within
1e-9 px and masks, read by scripts/layout_oracle.py. Needs numpy. Usage: check_layouts.py PROGRAM. Exit 0 if all agree."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "scripts"))
import layout_oracle  # noqa: E402

TOLERANCE_PX = 1e-9
NO_LENS = ("eth3d", "dtu/scan7", "blendedmvs", "tanks")  # MVSNet's cameras have none
MIXED_OR_RATIONAL = ("colmap-text", "colmap-binary")  # transforms.json holds one kind of lens
COPY = "import shutil, sys; shutil.copytree(sys.argv[1], sys.argv[3]); shutil.copy('cloud.ply', sys.argv[2])"
CLOUD = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 1\n"


def worst_px(seen, layout, points):
    """The largest distance from the pixels of the formula; mvsnet's names are places."""
    worst = 0.0
    for place, camera in enumerate(layout["cameras"]):
        pixels = seen.get(camera["name"]) or seen[f"{place:08}"]
        worst = max(worst, float(np.abs(pixels(points) - np.array(camera["pixels"])).max()))
    return worst


def wrong_masks(folder, asked, layout):
    """How many cameras have other pixels in their mask than a x + b y >= c, or a mask that they should not have."""
    masks, wrong = layout_oracle.mask_files(folder, asked), 0
    for place, camera in enumerate(layout["cameras"]):
        file = masks.get(camera["name"], masks.get(f"{place:08}"))
        if file is None or "mask" not in camera:
            wrong += (file is None) == ("mask" in camera)
            continue
        counts = layout_oracle.counting_pixels(file)
        y, x = np.indices(counts.shape)
        a, b, c = camera["mask"]
        wrong += bool((counts != (a * x + b * y >= c)).any())
    return wrong


def seen_dataset(program, folder, layout, work):
    """Runs a declared method that keeps a copy of its dataset, which isolation would not let it; returns the copy."""
    (work / "copy.py").write_text(COPY)
    (work / "cloud.ply").write_text(CLOUD)
    method = {"name": "keep", "command": f"{sys.executable} copy.py {{dataset}} {{output}} {work / 'seen'}",
              "reads_layout": layout}
    if layout == "mvsnet":
        method["depth_range_m"] = [0.5, 2]
    (work / "aqbench.json").write_text(json.dumps({"version": 1, "methods": [method]}))
    run = subprocess.run([program, "run", "keep", "--dataset", str(HERE / "layouts" / folder), "--out", "out"],
                         cwd=work, capture_output=True, text=True, env={**os.environ, "AQBENCH_ISOLATION": "off"})
    if not (work / "seen").is_dir():  # that the cloud of one point is not scored is no matter
        sys.exit(f"{folder} as {layout}: exit {run.returncode}: {run.stderr.strip()}")
    return work / "seen"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = str(pathlib.Path(sys.argv[1]).resolve())
    expected = json.loads((HERE / "layouts.json").read_text())
    points, checked, wrong = np.array(expected["points"]), 0, 0
    for layout in expected["layouts"]:
        folder = layout["folder"]
        for asked, reader in layout_oracle.READERS.items():
            if (asked == "mvsnet" and folder not in NO_LENS + ("blender",)) or (
                    asked == "transforms" and folder in MIXED_OR_RATIONAL):
                continue
            with tempfile.TemporaryDirectory() as work:
                seen = seen_dataset(program, folder, asked, pathlib.Path(work))
                worst, masks = worst_px(reader(seen), layout, points), wrong_masks(seen, asked, layout)
            checked += 1
            wrong += not worst < TOLERANCE_PX or masks > 0
            print(f"{folder} as {asked}: {worst:.2g} px, {masks} wrong masks")
    print(f"{checked} datasets checked, {wrong} wrong")
    sys.exit(1 if wrong or not checked else 0)


if __name__ == "__main__":
    main()
