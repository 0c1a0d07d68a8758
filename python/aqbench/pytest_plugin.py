"""pytest plugin: the fixture `aqbench_score`, which scores and holds the scores against a baseline.

    def test_my_method(aqbench_score):
        aqbench_score(my_points(), scene="undulating", baseline="tests/scores.json")

The baseline is a JSON file of {"TEST [NAME]": {metric: value}}, relative to pytest's root. `pytest --aqbench-accept`
writes what the tests that run give now, and is the only thing that changes it. A metric that is worse than the accepted
one by more than the tolerance (1 % of it), that is undefined or not accepted yet fails the test.
"""

import fcntl
import json
import os
import pathlib
import tempfile

import pytest

import aqbench

HEADLINES = ("accuracy_mean_mm", "accuracy_rmse_mm", "completeness_2mm_pct", "fscore_2mm_pct")


def pytest_addoption(parser):
    parser.addoption("--aqbench-accept", action="store_true", help="write aqbench's scores as the new baselines")


def problems(scores, accepted, metrics, tolerance):
    """Returns one line for each metric that is missing, undefined, or worse than the accepted one beyond the tolerance.

    `scores` is aqbench.Scores, `accepted` a dict of values, `tolerance` a share of them.
    """
    found = []
    for name in dict.fromkeys([*metrics, *accepted]):
        now, was = scores.get(name), accepted.get(name)
        if now is None:
            found.append(f"{name}: {scores.reasons.get(name, 'unknown metric')}")
        elif was is None:
            found.append(f"{name}: {now:.6g}, but no accepted value; run pytest --aqbench-accept")
        else:
            ideal = scores.ideals.get(name)
            moved = abs(now - was) if ideal is None else abs(now - ideal) - abs(was - ideal)
            worse = {"lower": now - was, "higher": was - now, "equal": moved}[scores.better[name]]
            if worse > tolerance * abs(was):
                found.append(f"{name}: {was:.6g} -> {now:.6g} {scores.units[name]}, beyond {100 * tolerance:g} %")
    return found


def read_baseline(file):
    """Returns the accepted values; empty if the file is missing."""
    return json.loads(file.read_text()) if file.exists() else {}


def accept(file, key, values):
    """Writes one entry of a baseline atomically; concurrent processes wait for each other."""
    file.parent.mkdir(parents=True, exist_ok=True)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        known = read_baseline(file)
        known[key] = values
        with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False) as out:
            out.write(json.dumps(known, indent=2, sort_keys=True) + "\n")
        os.chmod(out.name, 0o644)
        os.replace(out.name, file)
    finally:
        os.close(folder)


@pytest.fixture
def aqbench_score(request):
    """Returns score(points, scene, baseline=None, name=None, metrics=HEADLINES, tolerance=0.01, normals=None).

    points (n, 3), metres in the scene's world frame; normals (n, 3) or None. `name` tells several scores of one test
    apart (the scene's name unless given). Returns aqbench.Scores.
    """
    seen = set()

    def score(points, scene, baseline=None, name=None, metrics=HEADLINES, tolerance=0.01, normals=None):
        scene = scene if isinstance(scene, aqbench.Scene) else aqbench.Scene(scene)
        scores = aqbench.score(points, scene, normals)
        if baseline is None:
            return scores
        key = f"{request.node.nodeid} [{name or scene.name}]"
        if key in seen:
            pytest.fail(f"{key}: scored twice; add name= to each", pytrace=False)
        seen.add(key)
        file = pathlib.Path(request.config.rootpath, baseline)
        accepting = request.config.getoption("--aqbench-accept")
        if accepting:
            accepted = {metric: scores[metric] for metric in metrics if scores.get(metric) is not None}
        else:
            accepted = read_baseline(file).get(key, {})
        if found := problems(scores, accepted, metrics, tolerance):
            pytest.fail(f"{key} against {file}:\n" + "\n".join(found), pytrace=False)
        if accepting:
            accept(file, key, accepted)
        return scores

    return score
