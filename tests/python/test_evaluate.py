"""All of `aqbench eval` in this process: the program's record, no other process, nothing printed."""

import json
import os
import pathlib
import subprocess
import sys
import threading

import numpy as np

import aqbench

SOURCES = pathlib.Path(os.environ["AQBENCH_SOURCES"])
POINTS = np.random.default_rng(5).uniform([-0.2, -0.1, 1.17], [0.2, 0.1, 1.19], (500, 3))


ANSWERS = """
import json, os, resource, sys
import aqbench
os.environ["PATH"], os.environ["AQBENCH_PROGRAM"] = "", "/nowhere/aqbench"
points = json.loads(sys.argv[1])
scores = aqbench.evaluate(points, scene="undulating", align="icp", rig="ring12")
numbers = aqbench.evaluate(points, truth=points, protocol="eth3d")
for wrong in ({"scene": "undulatin"}, {"scene": "undulating", "out": "b"}, {"scene": "undulating", "help": True}):
    try:
        aqbench.evaluate(points, **wrong)
    except aqbench.Error as error:
        assert error.exit_code == 2, error
    else:
        raise AssertionError(wrong)
children = resource.getrusage(resource.RUSAGE_CHILDREN)
assert children.ru_utime == children.ru_stime == children.ru_maxrss == 0, children
print(json.dumps([scores["accuracy_mean_mm"], numbers["protocols"][0]["name"]]))
"""


def test_evaluate_starts_no_process_and_prints_nothing():
    done = subprocess.run([sys.executable, "-c", ANSWERS, json.dumps(POINTS.tolist())], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    value, name = json.loads(done.stdout)
    assert value is not None and name == "eth3d"


def test_evaluate_gives_the_programs_record(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(POINTS)}\n"
    head += "".join(f"property double {axis}\n" for axis in "xyz") + "end_header\n"
    (tmp_path / "cloud").write_bytes(head.encode() + POINTS.astype(np.float64).tobytes())
    said = subprocess.run([aqbench.program(), "eval", "cloud", "--scene", "undulating", "--json"], check=True,
                          capture_output=True, text=True)
    scores = aqbench.evaluate(POINTS, scene="undulating")
    ours, theirs = json.loads(scores.json), json.loads(said.stdout)
    for part in ("cpu", "build"):  # what the program alone knows is its own hash
        theirs["environment"][part].pop("program_sha256", None)
        assert ours["environment"][part] == theirs["environment"][part]
    for one in (ours, theirs):
        one["environment"] = {}
        for time in ("id", "started_utc", "finished_utc"):
            del one["run"][time]
    assert ours == theirs
    assert scores.notes == said.stderr.splitlines()
    (tmp_path / "ours.json").write_text(scores.json)
    (tmp_path / "worse.json").write_text(aqbench.evaluate(POINTS + [0, 0, 0.002], scene="undulating").json)
    said = subprocess.run([aqbench.program(), "compare", "ours.json", "worse.json"], check=True, capture_output=True,
                          text=True)
    assert "1 case compared" in said.stdout, said.stdout


def test_depth_maps_of_openexr_are_read_by_the_module():
    depths = str(SOURCES / "tests/fuzz/corpus/depth/plain.exr")
    values = aqbench.evaluate(depths, truth=depths, protocol="depth")["protocols"][0]["values"]
    assert [value["value"] for value in values if value["name"] == "abs_rel"] == [0]


def test_protocols_give_a_record_and_leave_a_bundle(tmp_path):
    depths = str(SOURCES / "tests/fuzz/corpus/depth/plain.exr")
    record = aqbench.evaluate(depths, truth=depths, protocol="depth", out=tmp_path / "bundle")
    assert record["records"][0]["metrics"]["depth_abs_rel"]["value"] == 0
    assert (tmp_path / "bundle" / "results.json").exists()
    in_process = aqbench.evaluate(depths, truth=depths, protocol="depth")
    assert in_process["records"][0]["metrics"] == record["records"][0]["metrics"]


def test_threads_hold_for_one_evaluation():
    aqbench.set_threads(2)
    assert aqbench.evaluate(POINTS, scene="flat_plane", threads=1).details["threads"] == 1
    assert aqbench.evaluate(POINTS, scene="flat_plane").details["threads"] == 2


def test_evaluations_at_once_give_what_they_give_alone():
    jobs = [{"scene": "undulating"}, {"truth": POINTS, "align": "icp", "thresholds": "5mm"}]
    alone, found = [aqbench.evaluate(POINTS, **job) for job in jobs], {}

    def answer(i):
        found[i] = aqbench.evaluate(POINTS, **jobs[i % 2])

    threads = [threading.Thread(target=answer, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found.get(i) for i in range(6)] == alone * 3
