#!/usr/bin/env python3
"""Times the plane sweep of AquaMVS beside ours, in turns, on one rendered dataset; says results before times.

  scripts/time_aquamvs.py CHECKOUT [--width 480] [--depths 64] [--threads 1] [--pairs 5] [--json FILE]

CHECKOUT is a clone of tlancaster6/AquaMVS. Its files dense/plane_sweep.py, dense/cost.py and
projection/refractive.py run as they are; its configuration, which they use for annotations alone, is left out.
Needs numpy, OpenCV and PyTorch for Python (Debian: python3-numpy, python3-opencv, python3-torch) and the
program (make program).

Equal on both sides: images without distortion, cameras, water, all other cameras as sources, depths from one range in
equal steps, window, cost (`ncc_reference` is theirs) and threads, and what is timed: from grey images to depth maps of
all cameras. Unequal: their sweep keeps the volume of costs and projects by Newton's method for each source and depth;
ours keeps no volume and projects by a polynomial; theirs is Python with PyTorch, ours C++; each run of ours is the
first of a new process, cold, and theirs are warm, in this process after one that is thrown away; samples outside an
image count in different ways, so that only windows that lie inside all images are the same.
"""

import argparse
import importlib
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import types

import cv2
import numpy as np
import torch

HERE = pathlib.Path(__file__).resolve().parent.parent


def load_peer(checkout):
    """Loads the three files without the packages' own imports, which need libraries missing in Debian."""
    source = checkout / "src" / "aquamvs"
    if not (source / "dense" / "plane_sweep.py").is_file():
        sys.exit(f"{checkout}: no src/aquamvs/dense/plane_sweep.py: not a checkout of AquaMVS")
    for name, folder in (("aquamvs", source), ("aquamvs.dense", source / "dense"),
                         ("aquamvs.projection", source / "projection")):
        package = types.ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package
    config = types.ModuleType("aquamvs.config")
    config.ReconstructionConfig = object
    sys.modules["aquamvs.config"] = config
    return (importlib.import_module("aquamvs.dense.plane_sweep"),
            importlib.import_module("aquamvs.projection.refractive").RefractiveProjectionModel)


def peer_inputs(dataset, model):
    calibration = json.loads((dataset / "calibration.json").read_text())
    water = calibration["interface"]
    tensor = lambda values: torch.tensor(values, dtype=torch.float32)
    models, images = {}, {}
    for name, camera in calibration["cameras"].items():
        models[name] = model(tensor(camera["intrinsics"]["K"]), tensor(camera["extrinsics"]["R"]),
                             tensor(camera["extrinsics"]["t"]), camera["water_z"], tensor(water["normal"]),
                             water["n_air"], water["n_water"])
        files = sorted((dataset / "images" / name).glob("*.png"))
        images[name] = torch.from_numpy(cv2.imread(str(files[0]), cv2.IMREAD_COLOR))
    return models, images


def run_peer(sweep, models, images, options):
    config = types.SimpleNamespace(num_depths=options.depths, cost_function="ncc", window_size=options.window,
                                   depth_batch_size=1)
    start, cpu_start = time.perf_counter(), time.process_time()
    depths = {}
    for name in models:
        swept = sweep.plane_sweep_stereo(name, models[name], [other for other in models if other != name], models,
                                         images[name], images, options.range_m, config)
        depths[name] = sweep.extract_depth(swept["cost_volume"], swept["depths"])[0].numpy()
    return 1000 * (time.perf_counter() - start), time.process_time() - cpu_start, depths


def children_cpu_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_ours(dataset, cameras, cost, options):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        settings = {"cost": cost, "depths": options.depths, "sources": cameras - 1, "window": options.window,
                    "refinements": 0, "surface": "none", "min_confidence": 0, "min_views": 0,
                    "depth_range_m": "{}:{}".format(*options.range_m)}
        cpu_start = children_cpu_s()
        subprocess.run([str(options.program), "run", "plane_sweep", "--dataset", str(dataset), "--out", str(out),
                        "--threads", str(options.threads)] +
                       [word for name, value in settings.items() for word in ("--set", f"plane_sweep.{name}={value}")],
                       check=True, stdout=subprocess.DEVNULL)
        cpu_s = children_cpu_s() - cpu_start
        stages = {stage["name"]: stage for stage in json.loads((out / "results.json").read_text())["records"][0]["stages"]}
        depths = {file.stem: np.load(file) for file in (out / "depth").glob("*.npy")
                  if not file.stem.endswith("_confidence")}
        return stages["depth_estimation"]["wall_ms"][0], cpu_s, depths


def differences(ours, theirs, truth, step_m):
    """Median differences in mm, where both have a depth: between them, and of each from the truth."""
    apart, errors = [], {"ours": [], "theirs": []}
    for name, reference in theirs.items():
        both = np.isfinite(ours[name]) & np.isfinite(reference) & np.isfinite(truth[name]) & (ours[name] > 0)
        apart.append(np.abs(ours[name][both] - reference[both]))
        errors["ours"].append(np.abs(ours[name][both] - truth[name][both]))
        errors["theirs"].append(np.abs(reference[both] - truth[name][both]))
    apart = np.concatenate(apart)
    return {"pixels": int(apart.size), "median_apart_mm": float(1000 * np.median(apart)),
            "within_a_step_pct": float(100 * np.mean(apart <= step_m)),
            **{f"median_error_{side}_mm": float(1000 * np.median(np.concatenate(values)))
               for side, values in errors.items()}}


def record_of(report, costs, options):
    """Processor times in the form of Google Benchmark, of which `aqbench docs` makes a table: those of the peer's
    sweep, and of all that ours does in its process."""
    size = f"{options.scene}, {options.rig}, {options.width} px, {options.depths} depths, window {options.window}"
    unequal = {"ncc_reference": "same cost; of the peer the sweep alone, warm; of ours the whole process, cold",
               "zncc": "ours compares by aqbench's own cost; else as above"}
    context = {"date": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()), "load_avg": list(os.getloadavg()),
               "num_cpus": os.cpu_count(), "settings": report["settings"], "torch": report["torch"]}
    for cost in costs:
        context[cost] = f"{size} | AquaMVS in PyTorch | {unequal[cost]}"
    return {"context": {**context, "results": {cost: report[cost]["results"] for cost in costs}},
            "benchmarks": [{"name": cost, "run_type": "iteration", "repetition_index": index,
                            "ours_s": ours_s, "peer_s": peer_s}
                           for cost in costs for index, (peer_s, ours_s) in enumerate(report[cost]["pairs_cpu_s"])]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path, default=HERE / "build/release/aqbench")
    parser.add_argument("--scene", default="undulating")
    parser.add_argument("--rig", default="arc6")
    parser.add_argument("--width", type=int, default=480, help="px")
    parser.add_argument("--depths", type=int, default=64)
    parser.add_argument("--window", type=int, default=7, help="px, odd")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--json", type=pathlib.Path, help="also writes processor times to this file")
    options = parser.parse_args()
    if not options.program.is_file():
        sys.exit(f"{options.program}: no such program; run make program")
    torch.set_num_threads(options.threads)
    sweep, model = load_peer(options.checkout)
    report = {"settings": {key: value for key, value in vars(options).items() if not isinstance(value, pathlib.Path)},
              "torch": torch.__version__}
    with tempfile.TemporaryDirectory() as folder:
        dataset = pathlib.Path(folder) / "dataset"
        subprocess.run([str(options.program), "render", options.scene, "--rig", options.rig, "--imaging", "clean",
                        "--set", "imaging.bits=8",  # theirs always reads 8 bits
                        "--width", str(options.width), "--out", str(dataset)], check=True, stdout=subprocess.DEVNULL)
        models, images = peer_inputs(dataset, model)
        truth = {name: np.load(dataset / "truth" / name / "depth.npy") for name in models}
        seen = np.concatenate([values[np.isfinite(values) & (values > 0)] for values in truth.values()])
        options.range_m = (round(float(seen.min()) - 0.02, 4), round(float(seen.max()) + 0.02, 4))
        step_m = (options.range_m[1] - options.range_m[0]) / (options.depths - 1)
        print(f"{len(models)} cameras of {options.width} px, {options.depths} depths from {options.range_m[0]} to "
              f"{options.range_m[1]} m along the ray, window {options.window}, threads {options.threads}")
        costs = ("ncc_reference", "zncc")
        _, _, theirs = run_peer(sweep, models, images, options)
        for cost in costs:
            _, _, ours = run_ours(dataset, len(models), cost, options)
            report[cost] = {"results": differences(ours, theirs, truth, step_m), "pairs_ms": [], "pairs_cpu_s": []}
            print(f"{cost}: " + ", ".join(f"{key} {value:.6g}" for key, value in report[cost]["results"].items()))
        for pair in range(options.pairs):
            def time_ours():
                return {cost: run_ours(dataset, len(models), cost, options)[:2] for cost in costs}

            times = time_ours() if pair % 2 == 0 else {}
            peer_ms, peer_cpu_s, _ = run_peer(sweep, models, images, options)
            times = times or time_ours()
            for cost in costs:
                report[cost]["pairs_ms"].append([peer_ms, times[cost][0]])
                report[cost]["pairs_cpu_s"].append([peer_cpu_s, times[cost][1]])
        for cost in costs:
            ratios = sorted(theirs_ms / ours_ms for theirs_ms, ours_ms in report[cost]["pairs_ms"])
            medians = [statistics.median(column) for column in zip(*report[cost]["pairs_ms"])]
            print(f"{cost}: theirs {medians[0]:.1f} ms, ours {medians[1]:.1f} ms, theirs / ours "
                  f"{statistics.median(ratios):.1f} ({ratios[0]:.1f} to {ratios[-1]:.1f} in {len(ratios)} pairs)")
    if options.json:
        options.json.write_text(json.dumps(record_of(report, costs, options), indent=1) + "\n")


if __name__ == "__main__":
    main()
