"""Scores of arrays, comparisons, and the results of bundles."""

from __future__ import annotations

import json
import math
import os

from . import _evaluate
from ._arrays import indices, numbers
from ._library import Error, call
from ._scenes import scene_of


class Scores(dict):
    """Metrics by name, in the order of docs/metrics.md; None where a metric is undefined.

    Dicts by name: units ("mm", "%", "1"), better ("lower", "higher", "equal"), ideals (the value that a perfect result
    has where "equal" has one, bias 0), reasons (why a metric is undefined). evaluate() alone fills notes (what the
    program says beside the numbers, such as a hint on extent and unit), details (how it was scored: the fields
    `effective` of the program's JSON) and json, the text of the whole record: a results.json for `aqbench compare`.
    """

    def __init__(self, rows=(), notes=(), details=None, json=""):
        rows = list(rows)
        super().__init__((name, value) for name, _, value, *_ in rows)
        self.units = {name: unit for name, unit, *_ in rows}
        self.better = {name: better for name, _, _, _, better, _ in rows}
        self.ideals = {name: ideal for name, *_, ideal in rows if ideal is not None}
        self.reasons = {name: reason for name, _, value, reason, *_ in rows if value is None}
        self.notes, self.details, self.json = list(notes), details or {}, json

    def __repr__(self):
        return "Scores({" + ", ".join(f"{name!r}: {value!r}" for name, value in self.items()) + "})"


def _box(values):
    """Returns the lowest and highest finite x, y and z of points (n, 3); None where there are none."""
    import ctypes

    memory = (ctypes.c_double * values.count).from_address(values.address) if values.count else []
    axes = [[value for value in memory[axis::3] if math.isfinite(value)] for axis in range(3)]
    return [(min(axis), max(axis)) for axis in axes] if all(axes) else None


def _hint(points, scene):
    """Says where points lie that no metric could use, and in which unit they would lie at the scene; or nothing."""
    box = _box(points)
    truth = box and _box(numbers("points", scene.sample(math.sqrt(scene.area_m2) / 20)[0], 3))
    if not truth:
        return ""
    text = "the points span " + ", ".join(
        f"{axis} {low:.4g} to {high:.4g} m (the scene {least:.4g} to {most:.4g} m)"
        for axis, (low, high), (least, most) in zip("xyz", box, truth))
    room = max(most - least for least, most in truth) / 2
    for unit, metres in (("centimetres", 1e-2), ("millimetres", 1e-3), ("micrometres", 1e-6)):
        if all(least - room <= metres * low and metres * high <= most + room
               for (low, high), (least, most) in zip(box, truth)):
            return f"{text}; they look like {unit}: multiply them by {metres:g}"
    return text


def score(points, scene, normals=None):
    """Scores a cloud, and returns Scores.

    points (n, 3): Metres in the scene's world frame; those that are not finite are counted and left out. scene: a
    Scene, the name of a registered one, or "mesh:FILE.ply". normals (n, 3), unit, or None.
    """
    arrays = [numbers("points", points, 3)]
    if normals is not None:
        arrays.append(numbers("normals", normals, 3))
        if arrays[1].count != arrays[0].count:
            raise Error(f"normals: {arrays[1].count} values, expected {arrays[0].count}")
    scene = scene_of(scene)
    scores = Scores(call("score", arrays=arrays, objects=[scene._answer]).value)
    if scores.get("accuracy_mean_mm") is None and (hint := _hint(arrays[0], scene)):
        scores.reasons = {name: f"{reason}; {hint}" for name, reason in scores.reasons.items()}
    return scores


def score_mesh(vertices, triangles, scene):
    """Scores a mesh, and returns Scores; the cloud's metrics are those of the vertices.

    vertices (n, 3): Metres in the scene's world frame. triangles (m, 3): indices into them. scene: as in score().
    """
    given = numbers("vertices", vertices, 3)
    faces = indices("triangles", triangles, given.shape[0])
    return Scores(call("score_mesh", arrays=[given, faces], objects=[scene_of(scene)._answer]).value)


def score_depth(predicted, truth):
    """Scores a depth map against the true one, and returns Scores.

    Both (height, width), float32: metres along the refracted ray from the water surface; NaN or 0 where there is none.
    """
    ours, true = numbers("predicted", predicted, letter="f"), numbers("truth", truth, letter="f")
    if ours.shape != true.shape:
        raise Error("predicted: must have the shape of truth")
    return Scores(call("score_depth", arrays=[ours, true]).value)


def evaluate(cloud=None, normals=None, **options):
    """Does what `aqbench eval` does, with its options (docs/scoring.md, docs/protocols.md), in this process.

    cloud: an array (n, 3), (vertices, triangles), or a file. normals (n, 3): of a cloud that is an array. Options are
    the flags of the program, with _ for -: scene="undulating", truth=scan, crop="z:1.1,1.3", thresholds="1mm,2mm",
    align="icp", unit="mm", protocol="eth3d", set=["step.height_m=0.01"]. `truth`, `truth_cloud` and `mesh` may be
    arrays or (vertices, triangles), too; a list repeats a flag. `out` writes a bundle of files or of a pattern; the
    program does that in a process of its own. Returns Scores of a cloud, a mesh or a depth map; of protocols the
    record as in results.json, with their numbers in "protocols"; of boards the program's JSON.
    """
    answer = _evaluate.ask(cloud, normals, options)
    found = json.loads(answer["json"])
    if "protocols" in found or "records" not in found:
        return found
    return Scores(answer["metrics"], answer["notes"], found["run"]["effective"], answer["json"])


def compare(a, b, higher_is_better=False, policy="sensitive"):
    """Tells whether b is worse than a, from samples (n,) measured in pairs, all above 0.

    The rule is that of `aqbench ab` with the policy "sensitive" or "gate": an exact signed-rank test, the
    Hodges-Lehmann shift with its exact interval; for PASS at least 23 pairs, no more slow samples in b than in a, and a
    clock that is fine enough. Returns a dict: verdict ("REGRESSED", "FASTER", "PASS", "INCONCLUSIVE",
    "TRADE"), reason, change (0.04: b is 4 % more), change_low, change_high, p_worse, p_better, pairs, kept.
    """
    return call("compare", "higher" if higher_is_better else "lower", policy,
                arrays=[numbers("a", a), numbers("b", b)]).value


class Bundle:
    """The results of a bundle (a folder, or a results.json), not verified: `aqbench verify` does that.

    run, suite, started_utc: texts. complete: whether every planned case has a record. cases: a list of dicts with case,
    scene, method, workload, status, reason, warm_ms (time of each warm run, ms) and metrics (Scores).
    """

    def __init__(self, path):
        found = call("open_bundle", os.fspath(path)).value
        self.run, self.suite = found["run"], found["suite"]
        self.started_utc, self.complete = found["started_utc"], found["complete"]
        self.cases = [{**one, "metrics": Scores(one["metrics"])} for one in found["cases"]]

    def __repr__(self):
        return f"<aqbench.Bundle {self.run}, {len(self.cases)} cases>"

    def to_pandas(self):
        """Returns a DataFrame: one row for each case, one column for each metric (float, NaN where undefined)."""
        import pandas

        rows = [{name: value for name, value in one.items() if name != "metrics"} for one in self.cases]
        metrics = pandas.DataFrame([one["metrics"] for one in self.cases], dtype=float)
        return pandas.concat([pandas.DataFrame(rows), metrics], axis=1)
