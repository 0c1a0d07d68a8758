#!/usr/bin/env python3
"""Reconstructs a scene without water by COLMAP with the known poses, scores its cloud, and times it beside `sparse`.

  scripts/colmap_dry_scene.py [--scene undulating] [--width 800] [--pairs 0] [--threads 2] [--out DIR] [--json FILE]

COLMAP 3.8 (Debian's, without CUDA: apt install colmap) finds features, matches all images and triangulates. With
--pairs N both sides then run N times in turns, and with --json the processor times become a record of which
`aqbench docs` makes a table. Needs the program (make program); about two minutes on 2 cores without pairs.

Equal on both sides: images, lens, poses, pairs of images (all), at most as many keypoints in an image, threads.
Unequal: COLMAP keeps features and matches in a database and refines points by bundle adjustment; the time of ours
includes scoring.
"""

import argparse
import json
import os
import pathlib
import random
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent.parent


def run(command, log):
    """Runs a program and returns its processor seconds; ends with the end of its output where it fails."""
    used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    before = used()
    with log.open("ab") as output:
        if subprocess.run([str(word) for word in command], stdout=output, stderr=output).returncode != 0:
            sys.exit(f"{command[0]} {command[1]} failed; the end of {log}:\n" + log.read_text()[-2000:])
    return used() - before


def rows_of(file):
    return [line.split() for line in file.read_text().splitlines() if line and line[0] != "#"]


def write_known_poses(database, model, out):
    """Writes the known poses with the ids that COLMAP's database gives its images and cameras."""
    out.mkdir()
    with sqlite3.connect(database) as connection:
        ids = {name: (image, camera) for image, name, camera in
               connection.execute("select image_id, name, camera_id from images")}
    lens = {row[0]: row[1:] for row in rows_of(model / "cameras.txt")}
    with (out / "images.txt").open("w") as images, (out / "cameras.txt").open("w") as cameras:
        for row in rows_of(model / "images.txt"):
            image, camera = ids[row[9]]
            images.write(" ".join([str(image), *row[1:8], str(camera), row[9]]) + "\n\n")
            cameras.write(" ".join([str(camera), *lens[row[8]]]) + "\n")
    (out / "points3D.txt").touch()


def run_colmap(dataset, work, options):
    """Returns its processor seconds; its cloud is work/cloud.ply."""
    work.mkdir()
    database, images, log = work / "db.db", dataset / "images", work / "colmap.log"
    # All cameras of a rig have the same lens, which matching already knows.
    lens = ",".join(rows_of(dataset / "colmap" / "cameras.txt")[0][4:])
    cpu_s = run(["colmap", "feature_extractor", "--database_path", database, "--image_path", images,
                 "--ImageReader.camera_model", "OPENCV", "--ImageReader.camera_params", lens,
                 "--ImageReader.single_camera_per_image", 1, "--SiftExtraction.use_gpu", 0,
                 "--SiftExtraction.max_num_features", options.keypoints,
                 "--SiftExtraction.num_threads", options.threads], log)
    write_known_poses(database, dataset / "colmap", work / "known")
    cpu_s += run(["colmap", "exhaustive_matcher", "--database_path", database, "--SiftMatching.use_gpu", 0,
                  "--SiftMatching.num_threads", options.threads], log)
    (work / "sparse").mkdir()
    cpu_s += run(["colmap", "point_triangulator", "--database_path", database, "--image_path", images,
                  "--input_path", work / "known", "--output_path", work / "sparse",
                  "--Mapper.num_threads", options.threads], log)
    run(["colmap", "model_converter", "--input_path", work / "sparse", "--output_path", work / "cloud.ply",
         "--output_type", "PLY"], log)
    return cpu_s


def run_ours(dataset, work, options):
    """Returns its processor seconds, those of scoring included; its cloud is work/cloud.ply."""
    return run([options.program, "run", "sparse", "--dataset", dataset, "--out", work, "--threads", options.threads,
                "--set", f"sparse.keypoints={options.keypoints}", "--set", "sparse.sources=16"],  # all
               work.parent / "aqbench.log")


def score(cloud, dataset, options):
    text = subprocess.run([options.program, "eval", cloud, "--dataset", dataset, "--json"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    metrics = json.loads(text)["records"][0]["metrics"]
    return {name: metrics[name]["value"] for name in ("points", "accuracy_rmse_mm", "accuracy_median_mm")}


def record_of(pairs, scores, options):
    """Processor times in the form of Google Benchmark."""
    about = (f"{options.scene} without water, {options.rig}, {options.width} px, {options.keypoints} keypoints | "
             "COLMAP 3.8 features, matches, triangulation with known poses | "
             "the peer has a database and adjusts points; the time of ours includes scoring")
    return {"context": {"date": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()), "num_cpus": os.cpu_count(),
                        "load_avg": list(os.getloadavg()), "threads": options.threads, "scores": scores,
                        "sparse_cloud": about},
            "benchmarks": [{"name": "sparse_cloud", "run_type": "iteration", "repetition_index": index,
                            "ours_s": ours_s, "peer_s": peer_s} for index, (ours_s, peer_s) in enumerate(pairs)]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=HERE / "build/release/aqbench")
    parser.add_argument("--scene", default="undulating")
    parser.add_argument("--rig", default="ring12")
    parser.add_argument("--width", type=int, default=800, help="px")
    parser.add_argument("--keypoints", type=int, default=2048, help="of an image, at most")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--pairs", type=int, default=0)
    parser.add_argument("--out", type=pathlib.Path, help="keeps the dataset and COLMAP's files there")
    parser.add_argument("--json", type=pathlib.Path, help="also writes processor times to this file")
    options = parser.parse_args()
    if not options.program.is_file():
        sys.exit(f"{options.program}: no such program; run make program")
    if options.out and options.out.exists():
        sys.exit(f"{options.out}: exists already")
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.out or pathlib.Path(temporary)
        folder.mkdir(exist_ok=True)
        dataset = folder / "dataset"
        # Equal indices on both sides of the surface: no water. COLMAP reads the same images and lenses as anyone.
        run([options.program, "render", options.scene, "--rig", options.rig, "--width", options.width,
             "--set", f"{options.rig}.n_water=1", "--out", dataset], folder / "render.log")
        run_colmap(dataset, folder / "colmap", options)
        run_ours(dataset, folder / "ours", options)
        scores = {side: score(folder / side / "cloud.ply", dataset, options) for side in ("colmap", "ours")}
        for side, values in scores.items():
            print(f"{side}: " + ", ".join(f"{name} {value:.6g}" for name, value in values.items()))
        pairs = []
        for pair in range(options.pairs):
            times = {}
            for side in random.sample(("ours", "colmap"), 2):
                work = folder / f"{side}_{pair}"
                times[side] = (run_ours if side == "ours" else run_colmap)(dataset, work, options)
            pairs.append((times["ours"], times["colmap"]))
            print(f"pair {pair + 1} of {options.pairs}: ours {times['ours']:.2f} s, COLMAP {times['colmap']:.2f} s, "
                  f"processor time", flush=True)
        if pairs:
            print(f"COLMAP / ours {statistics.median(peer_s / ours_s for ours_s, peer_s in pairs):.2f}")
        if options.json and pairs:
            options.json.write_text(json.dumps(record_of(pairs, scores, options), indent=1) + "\n")


if __name__ == "__main__":
    main()
