"""pytest plugin: the fixture `aqbench_score`, which scores and holds the scores against a baseline.

    def test_my_method(aqbench_score):
        aqbench_score(my_points(), scene="undulating", baseline="tests/scores.json")

The baseline is a JSON file of {"TEST [NAME]": {metric: value}}, relative to pytest's root. `pytest --aqbench-accept`
writes what the tests that run give now, and is the only thing that changes it. A metric that is worse than the accepted
one by more than the tolerance (1 % of it) and by more than 0.005 mm, that is undefined or not accepted yet fails the
test. The summary names what improved beyond both, and entries of the baselines that no test gives any more.
"""

import fcntl
import json
import os
import pathlib
import tempfile

import pytest

import aqbench

ABSOLUTE = {"mm": 0.005}  # below it a change of a length says nothing
HEADLINES = ("accuracy_mean_mm", "accuracy_rmse_mm", "completeness_2mm_pct", "fscore_2mm_pct")


def pytest_addoption(parser):
    parser.addoption("--aqbench-accept", action="store_true", help="write aqbench's scores as the new baselines")


def _moved(scores, name, was):
    """Returns by how much a metric is worse than it was; negative where it is better."""
    now, ideal = scores[name], scores.ideals.get(name)
    equal = abs(now - was) if ideal is None else abs(now - ideal) - abs(was - ideal)
    return {"lower": now - was, "higher": was - now, "equal": equal}[scores.better[name]]


def _allowed(scores, name, was, tolerance, absolute):
    steps = absolute if isinstance(absolute, dict) else {scores.units[name]: absolute}
    return max(tolerance * abs(was), steps.get(name, steps.get(scores.units[name], 0)))


def problems(scores, accepted, metrics, tolerance, absolute=ABSOLUTE):
    """Returns one line for each metric that is missing, undefined, or worse than the accepted one beyond the tolerances.

    `scores` is aqbench.Scores, `accepted` a dict of values, `tolerance` a share of them, `absolute` a step in the
    metric's unit: a number, or a dict of numbers by metric or by unit.
    """
    found = []
    for name in dict.fromkeys([*metrics, *accepted]):
        now, was = scores.get(name), accepted.get(name)
        if now is None:
            found.append(f"{name}: {scores.reasons.get(name, 'unknown metric')}")
        elif was is None:
            found.append(f"{name}: {now:.6g}, but no accepted value; run pytest --aqbench-accept")
        elif _moved(scores, name, was) > (allowed := _allowed(scores, name, was, tolerance, absolute)):
            share = f"{100 * tolerance:g} %" if allowed == tolerance * abs(was) else f"{allowed:g} {scores.units[name]}"
            found.append(f"{name}: {was:.6g} -> {now:.6g} {scores.units[name]}, beyond {share}")
    return found


def improvements(scores, accepted, tolerance, absolute=ABSOLUTE):
    """Returns one line for each metric that is better than the accepted one beyond the tolerances."""
    return [f"{name}: {was:.6g} -> {scores[name]:.6g} {scores.units[name]}" for name, was in accepted.items()
            if scores.get(name) is not None and -_moved(scores, name, was) > _allowed(scores, name, was, tolerance,
                                                                                      absolute)]


def stale_keys(known, seen, collected):
    """Returns entries of a baseline without a test: their file was collected, and no test of that name is in it."""
    files = {node.split("::")[0] for node in collected}
    return [key for key in known if key not in seen and key.split("::")[0] in files
            and key.rsplit(" [", 1)[0] not in collected]


class _Session:
    """What this run of pytest saw: tests, entries of baselines, improvements."""

    def __init__(self):
        self.collected, self.seen, self.better = set(), {}, []

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items):
        self.collected = {item.nodeid for item in items}

    def pytest_terminal_summary(self, terminalreporter):
        lines = [f"improved: {line}; pytest --aqbench-accept holds it" for line in self.better]
        for file, seen in self.seen.items():
            try:
                known = _load(file)
            except (ValueError, OSError):
                continue  # the tests that read it failed with its name
            lines += [f"stale: {key} in {file}: no such test; remove the entry"
                      for key in stale_keys(known, seen, self.collected)]
        if lines:
            terminalreporter.section("aqbench")
            for line in lines:
                terminalreporter.line(line)


def pytest_configure(config):
    config.pluginmanager.register(_Session(), "aqbench_session")


def _load(file):
    if not file.exists():
        return {}
    known = json.loads(file.read_text(encoding="utf-8"))
    if not isinstance(known, dict) or not all(isinstance(values, dict) for values in known.values()):
        raise ValueError('must be {"TEST [NAME]": {metric: value}}')
    return known


def read_baseline(file):
    """Returns the accepted values; empty if the file is missing. Fails with its name where it is no such JSON."""
    try:
        return _load(file)
    except (ValueError, OSError) as error:
        pytest.fail(f"{file}: no baseline: {error}; restore it, or remove it and run pytest --aqbench-accept",
                    pytrace=False)


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
    """Returns score(points, scene, baseline=None, name=None, metrics=HEADLINES, tolerance=0.01, normals=None,
    absolute={"mm": 0.005}).

    points (n, 3), metres in the scene's world frame; normals (n, 3) or None. `name` tells several scores of one test
    apart (the scene's name unless given). Returns aqbench.Scores.
    """
    seen = set()

    def score(points, scene, baseline=None, name=None, metrics=HEADLINES, tolerance=0.01, normals=None,
              absolute=ABSOLUTE):
        scene = scene if isinstance(scene, aqbench.Scene) else aqbench.Scene(scene)
        scores = aqbench.score(points, scene, normals)
        if baseline is None:
            return scores
        key = f"{request.node.nodeid} [{name or scene.name}]"
        if key in seen:
            pytest.fail(f"{key}: scored twice; add name= to each", pytrace=False)
        seen.add(key)
        file = pathlib.Path(request.config.rootpath, baseline)
        session = request.config.pluginmanager.get_plugin("aqbench_session")
        session.seen.setdefault(file, set()).add(key)
        accepting = request.config.getoption("--aqbench-accept")
        if accepting:
            accepted = {metric: scores[metric] for metric in metrics if scores.get(metric) is not None}
        else:
            accepted = read_baseline(file).get(key, {})
        session.better += [f"{key}: {line}" for line in improvements(scores, accepted, tolerance, absolute)]
        if found := problems(scores, accepted, metrics, tolerance, absolute):
            pytest.fail(f"{key} against {file}:\n" + "\n".join(found), pytrace=False)
        if accepting:
            accept(file, key, accepted)
        return scores

    return score
