#!/usr/bin/env python3
"""Times the Python module against a C++ program that does the same: scores n points, in pairs, one after the other.

    scripts/time_libraries.py BUILD CONSUMER [PAIRS] [POINTS]

CONSUMER is the program of tests/consumer/ (scripts/try_libraries.sh builds one). Says for both the time and the
processor time of scoring alone, the time of the whole process, and by how much the peak of resident memory grew while it
scored; the medians of the ratios Python : C++, and whether every metric has the same bits, `aqbench eval` included.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

PYTHON = os.environ.get("PYTHON", "/usr/bin/python3")
CODE = """
import resource, sys, time, numpy, aqbench
points = numpy.fromfile(sys.argv[1]).reshape(-1, 3)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start, cpu = time.perf_counter(), time.process_time()
scores = aqbench.score(points, scene=sys.argv[2])
took, cpu = time.perf_counter() - start, time.process_time() - cpu
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print("\\n".join(f"{name} {value.hex()}" for name, value in scores.items() if value is not None))
print(took, cpu, before, after, file=sys.stderr)
"""


def run(command, environment):
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    out, err = process.communicate()
    wall = time.perf_counter() - start
    if process.returncode != 0:
        sys.exit(f"{command[0]}: {err}")
    took, cpu, before, after = map(float, err.split())
    metrics = {name: float.fromhex(value) for name, value in map(str.split, out.splitlines())}
    return {"score_s": took, "score_cpu_s": cpu, "process_s": wall, "grown_kb": after - before, "peak_kb": after}, metrics


def main():
    build, consumer = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 1_000_000
    environment = {**os.environ, "PYTHONPATH": str(build / "python")}
    with tempfile.TemporaryDirectory() as folder:
        points, ply = f"{folder}/points.f64", f"{folder}/points.ply"
        make = f"""
import numpy
points = numpy.random.default_rng(1).uniform([-0.3, -0.2, 1.172], [0.3, 0.2, 1.184], ({count}, 3))
points.tofile({points!r})
head = "ply\\nformat binary_little_endian 1.0\\nelement vertex {count}\\n"
head += "".join(f"property double {{axis}}\\n" for axis in "xyz") + "end_header\\n"
open({ply!r}, "wb").write(head.encode() + points.tobytes())
"""
        subprocess.run([PYTHON, "-c", make], check=True)
        cpp = [consumer, "score", points, "undulating"]
        python = [PYTHON, "-c", CODE, points, "undulating"]
        ratios, results = [], []
        for pair in range(pairs):
            order = [python, cpp] if pair % 2 else [cpp, python]
            found = {command[0]: run(command, environment) for command in order}
            (theirs, expected), (ours, scores) = found[consumer], found[PYTHON]
            if scores != expected:
                sys.exit("metrics of Python and C++ differ")
            ratios.append({name: ours[name] / theirs[name] for name in ours})
            results.append((theirs, ours))
            print(pair + 1, *(f"{name} {theirs[name]:.6g} {ours[name]:.6g}" for name in ours), sep="  ", flush=True)
        said = subprocess.run([build / "aqbench", "eval", ply, "--scene", "undulating", "--json"], capture_output=True)
        program = json.loads(said.stdout)["records"][0]["metrics"]
        if {name: metric["value"] for name, metric in program.items() if metric["value"] is not None} != scores:
            sys.exit("metrics of Python and the program differ")
        print(f"{len(scores)} metrics of {count} points have the same bits in Python, C++ and aqbench eval")
        for name in ratios[0]:
            values = sorted(ratio[name] for ratio in ratios)
            print(f"{name:10} Python : C++ median {statistics.median(values):.4f} ({values[0]:.4f} to {values[-1]:.4f})")


main()
