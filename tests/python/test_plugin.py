"""The plugin for pytest: the gate, tolerances, files that are no baseline, what improved, what is stale."""

import json

import numpy as np
import pytest

import aqbench
from aqbench.pytest_plugin import improvements, problems, stale_keys

pytest_plugins = ["pytester"]
PLUGIN = ["-p", "aqbench.pytest_plugin", "-p", "no:cacheprovider"]
TEST = """
    import numpy as np, os
    def test_method(aqbench_score):
        points = np.array([[x / 100, y / 100, 1.178 + float(os.environ["ERROR_M"])]
                           for x in range(-20, 20) for y in range(-10, 10)])
        aqbench_score(points, scene="flat_plane", baseline="scores.json")
"""


def one(name, value, unit="mm", better="lower", ideal=None):
    return aqbench.Scores([(name, unit, value, "", better, ideal)])


@pytest.fixture
def gate(pytester, monkeypatch):
    """Returns run(error_m, *flags, **outcomes): runs TEST, whose outcomes these must be, and returns its result."""
    pytester.makepyfile(TEST)

    def run(error_m, *flags, **outcomes):
        monkeypatch.setenv("ERROR_M", str(error_m))
        result = pytester.runpytest_inprocess(*PLUGIN, *flags)
        result.assert_outcomes(**outcomes)
        return result

    return run


def test_the_fixture_gates_on_a_baseline(pytester, gate):
    gate(0.0005, failed=1).stdout.fnmatch_lines(
        ["*accuracy_mean_mm: 0.5, but no accepted value; run pytest --aqbench-accept*"])
    gate(0.0005, "--aqbench-accept", passed=1)
    gate(0.0005, passed=1)
    accepted = (pytester.path / "scores.json").read_text()
    gate(0.0006, failed=1).stdout.fnmatch_lines(["*accuracy_mean_mm: 0.5 -> 0.6 mm, beyond *"])
    gate("nan", "--aqbench-accept", failed=1).stdout.fnmatch_lines(["*accuracy_mean_mm: no finite points*"])
    assert (pytester.path / "scores.json").read_text() == accepted


def test_a_metric_with_an_ideal_is_worse_further_from_it():
    for name, now, ideal, was, count in (("bias_mean_mm", 0.02, 0.0, -4.4, 0), ("bias_mean_mm", -4.4, 0.0, -0.02, 1),
                                         ("mesh_area_ratio", 0.5, 1.0, 0.98, 1), ("points", 9, None, 10, 1)):  # any change
        assert len(problems(one(name, now, better="equal", ideal=ideal), {name: was}, [name], 0.05)) == count, (name, now)
    assert aqbench.score(np.zeros((1, 3)), "flat_plane").ideals == {
        "bias_mean_mm": 0, "bias_median_mm": 0, "points_non_finite": 0}


def test_a_length_may_move_by_micrometres():
    bias = one("bias_mean_mm", 0.0021, better="equal", ideal=0.0)
    assert problems(bias, {"bias_mean_mm": 0.0001}, ["bias_mean_mm"], 0.01) == []
    assert len(problems(bias, {"bias_mean_mm": 0.0001}, ["bias_mean_mm"], 0.01, absolute=0.001)) == 1
    assert problems(bias, {"bias_mean_mm": 0.0001}, ["bias_mean_mm"], 0, absolute={"bias_mean_mm": 0.01}) == []
    [line] = problems(one("fscore_2mm_pct", 50.0, "%", "higher"), {"fscore_2mm_pct": 80.0}, ["fscore_2mm_pct"], 0.01)
    assert "beyond 1 %" in line
    assert problems(one("fscore_2mm_pct", 50.0, "%", "higher"), {"fscore_2mm_pct": 80.0}, ["fscore_2mm_pct"], 0,
                    absolute={"%": 40}) == []


def test_what_improved_is_named():
    assert improvements(one("accuracy_mean_mm", 0.5), {"accuracy_mean_mm": 0.8}, 0.01) == ["accuracy_mean_mm: 0.8 -> 0.5 mm"]
    assert improvements(one("accuracy_mean_mm", 0.799), {"accuracy_mean_mm": 0.8}, 0.01) == []


def test_an_entry_is_stale_if_its_file_was_collected_without_its_test():
    known = {"a.py::test_old [step]": {}, "a.py::test_new [step]": {}, "b.py::test_other [step]": {}}
    assert stale_keys(known, {"a.py::test_new [step]"}, {"a.py::test_new"}) == ["a.py::test_old [step]"]


def test_the_summary_names_both(pytester, gate):
    gate(0.0008, "--aqbench-accept", passed=1)
    file = pytester.path / "scores.json"
    known = json.loads(file.read_text())
    [key] = known
    known[key.replace("test_method", "test_gone")] = {}
    file.write_text(json.dumps(known))
    gate(0.0004, passed=1).stdout.fnmatch_lines([
        "*improved: *accuracy_mean_mm: 0.8 -> 0.4 mm; pytest --aqbench-accept holds it*",
        "*stale: *test_gone* in *scores.json*"])


def test_a_file_that_is_no_baseline_is_named(pytester, gate):
    for text in ('{"cut', "[]", '{"key": 3}'):
        (pytester.path / "scores.json").write_text(text)
        for accepting in ([], ["--aqbench-accept"]):
            gate(0.0008, *accepting, failed=1).stdout.fnmatch_lines(["*scores.json: no baseline: *"])
            assert (pytester.path / "scores.json").read_text() == text
