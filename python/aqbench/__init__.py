"""Scores of 3D reconstructions against exact surfaces under water (docs/libraries.md).

Arrays are numpy's. Those of float64 (depth maps: float32) in C order are used where they lie; other integers and
floats are converted, what is masked is NaN, and any other dtype is refused.
The global interpreter lock is free while aqbench works. Errors are aqbench.Error, a ValueError with the text that the
program would print. Results are bit for bit those of the command line.
"""

from __future__ import annotations

import os

import numpy

from ._aqbench import Camera, Error, Scene, __version__, make_rig, read_rig, set_threads
from . import _aqbench
from ._stages import stage  # clients/aqbench_stages.py

Error.exit_code = 2  # unless aqbench itself says another

__all__ = ["Bundle", "Camera", "Error", "Scene", "Scores", "View", "__version__", "compare", "make_rig", "read_rig",
           "render", "score", "score_depth", "score_mesh", "set_threads", "stage"]


class Scores(dict):
    """Metrics by name, in the order of docs/metrics.md; None where a metric is undefined.

    `units` has the unit of each ("mm", "%", "1"), `better` its direction ("lower", "higher", "equal"), `ideals` the
    value that a perfect result has where "equal" has one (bias 0), `reasons` says why a metric is undefined.
    """

    def __init__(self, rows=()):
        super().__init__((name, value) for name, _, value, *_ in rows)
        self.units = {name: unit for name, unit, *_ in rows}
        self.better = {name: better for name, _, _, _, better, _ in rows}
        self.ideals = {name: ideal for name, *_, ideal in rows if ideal is not None}
        self.reasons = {name: reason for name, _, value, reason, *_ in rows if value is None}


def _scene(scene):
    return scene if isinstance(scene, Scene) else Scene(scene)


def score(points, scene, normals=None):
    """Scores a cloud: points (n, 3), metres in the scene's world frame; normals (n, 3), unit, or None.

    `scene` is a Scene, the name of a registered one, or "mesh:FILE.ply". Points that are not finite are counted and
    left out. Returns Scores.
    """
    return Scores(_aqbench.score(points, _scene(scene), normals))


def score_mesh(vertices, triangles, scene):
    """Scores a mesh: vertices (n, 3), metres in the scene's world frame; triangles (m, 3), indices into them.

    The cloud's metrics are those of the vertices. Returns Scores.
    """
    if numpy.ma.is_masked(triangles):
        raise Error("triangles: some are masked; leave them out")
    triangles = numpy.asarray(triangles)
    if triangles.dtype != numpy.uint32 and triangles.size > 0:
        if triangles.dtype.kind not in "iu" or triangles.min() < 0 or triangles.max() >= len(vertices):
            raise Error(f"triangles: must be indices of the {len(vertices)} vertices, 0 to {len(vertices) - 1}")
    return Scores(_aqbench.score_mesh(vertices, triangles, _scene(scene)))


def score_depth(predicted, truth):
    """Scores a depth map against the true one: two arrays (height, width), float32.

    Depths are metres along the refracted ray from the water surface; NaN or 0 where there is none. Returns Scores.
    """
    return Scores(_aqbench.score_depth(predicted, truth))


class View:
    """What a camera records: `image` (height, width) uint16, 0 to 2**bits - 1; `depth` (height, width) float32, the
    truth: metres along the refracted ray from the water surface, of the undistorted camera; NaN for none."""

    def __init__(self, image, depth, bits):
        self.image, self.depth, self.bits = image, depth, bits


def render(scene, camera, imaging="default", seed=42, camera_index=0, **settings):
    """Renders a scene as a camera sees it through the water.

    `imaging` is a variant (aqbench list imaging), **settings are parameters of it, such as psf_sigma_px=1 (pixels).
    `seed` is that of texture and noise; gain and noise differ between cameras by `camera_index`: with the place of the
    camera in its rig, images are those of `aqbench render`. Returns a View.
    """
    return View(*_aqbench.render(_scene(scene), camera, imaging, seed, camera_index, **settings))


def compare(a, b, higher_is_better=False, policy="sensitive"):
    """Tells whether b is worse than a, from samples measured in pairs: two arrays (n,), all above 0.

    The rule is that of `aqbench ab`: the quietest half, an exact signed-rank test, the Hodges-Lehmann shift with its
    exact interval; for PASS all pairs, at least 23, no more slow samples in b than in a, and a clock that is fine
    enough. Returns a dict: verdict ("REGRESSED", "FASTER", "PASS", "INCONCLUSIVE", "TRADE"), reason, change (0.04: b
    is 4 % more), change_low, change_high, p_worse, p_better, pairs, kept.
    """
    return _aqbench.compare(a, b, higher_is_better, policy)


class Bundle:
    """The results of a bundle (a folder, or a results.json), not verified: `aqbench verify` does that.

    run, suite, started_utc, complete (every planned case has a record), and cases: a list of dicts with case, scene,
    method, workload, status, reason, warm_ms (time of each warm run, ms) and metrics (Scores).
    """

    def __init__(self, path):
        found = _aqbench.open_bundle(os.fspath(path))
        self.run, self.suite = found["run"], found["suite"]
        self.started_utc, self.complete = found["started_utc"], found["complete"]
        self.cases = [{**one, "metrics": Scores(one["metrics"])} for one in found["cases"]]

    def to_pandas(self):
        """Returns a DataFrame: one row for each case, one column for each metric (float, NaN where undefined)."""
        import pandas

        rows = [{name: value for name, value in one.items() if name != "metrics"} for one in self.cases]
        metrics = pandas.DataFrame([one["metrics"] for one in self.cases], dtype=float)
        return pandas.concat([pandas.DataFrame(rows), metrics], axis=1)
