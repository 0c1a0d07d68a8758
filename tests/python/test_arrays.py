"""What the package takes as an array, and what it does with it: buffers, tensors, lists; with and without numpy."""

import array
import copy
import os
import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest

import aqbench

SOURCES = pathlib.Path(os.environ["AQBENCH_SOURCES"])
POINTS = np.random.default_rng(5).uniform([-0.2, -0.1, 1.17], [0.2, 0.1, 1.19], (500, 3))


def test_everything_that_holds_numbers_gives_the_same_bits():
    flat = array.array("d", POINTS.ravel())
    wanted = aqbench.score(POINTS, "undulating")
    for given in (POINTS.tolist(), memoryview(flat).cast("B").cast("d", POINTS.shape), np.asfortranarray(POINTS),
                  memoryview(flat.tobytes()).cast("d", POINTS.shape), [tuple(point) for point in POINTS]):
        assert aqbench.score(given, "undulating") == wanted
    single = POINTS.astype(np.float32)
    assert aqbench.score(single, "undulating") == aqbench.score(single.astype(float), "undulating")


def test_a_buffer_is_used_where_it_lies():
    from aqbench._arrays import numbers

    flat = array.array("d", POINTS.ravel())
    assert numbers("points", memoryview(flat).cast("B").cast("d", POINTS.shape), 3).address == flat.buffer_info()[0]
    assert numbers("points", POINTS, 3).address == POINTS.ctypes.data
    depth = np.ones((4, 5), np.float32)
    assert numbers("depth", depth, letter="f").address == depth.ctypes.data
    fixed = POINTS.copy()
    fixed.flags.writeable = False
    assert numbers("points", fixed, 3).address == fixed.ctypes.data


def test_a_tensor_is_used_where_it_lies_and_its_own_reason_is_passed_on():
    torch = pytest.importorskip("torch")
    from aqbench._arrays import numbers

    tensor = torch.tensor(POINTS)
    assert numbers("points", tensor, 3).address == tensor.data_ptr()
    assert aqbench.score(tensor, "undulating") == aqbench.score(POINTS, "undulating")
    assert aqbench.evaluate(tensor, scene="undulating") == aqbench.score(POINTS, "undulating")
    for wrong, reason in ((tensor.clone().requires_grad_(), "points: .*(grad|detach)"),
                          (tensor.to(torch.bfloat16), "points: .*(bfloat16|BFloat16|[Uu]nsupported)"),
                          (tensor > 0, "points: ")):
        with pytest.raises(aqbench.Error, match=reason) as raised:
            aqbench.score(wrong, "undulating")
        assert raised.value.exit_code == 2


@pytest.mark.parametrize("wrong, reason", [
    ([[0, 0, 1], [0, 0]], "points: .*(different lengths|inhomogeneous)"),
    ([[0, 0, "1"]], "points: must be integers or floats"),
    (None, "points: must be an array, not None"),
    (7.0, r"points: must have the shape \(n, 3\)"),
    ([[True, False, True]], "points: must be integers or floats"),
])
def test_what_is_no_array_says_so(wrong, reason):
    with pytest.raises(aqbench.Error, match=reason):
        aqbench.score(wrong, "flat_plane")


@pytest.mark.parametrize("call", [
    lambda: aqbench.Scene("flat_plane").sample(0), lambda: aqbench.Scene("flat_plane").sample(float("nan")),
    lambda: aqbench.Scene("flat_plane").sample(0.01, seed=-1), lambda: aqbench.make_rig(seed=1.5),
    lambda: aqbench.render("flat_plane", "cam00"), lambda: aqbench.set_threads("2"), lambda: aqbench.Camera("{}"),
])
def test_a_wrong_argument_is_an_error_of_aqbench(call):
    with pytest.raises(aqbench.Error):
        call()


def test_an_empty_list_is_an_empty_cloud():
    for empty in ([], np.empty((0, 3)), np.empty(0), array.array("d"), [[]][:0]):
        scores = aqbench.score(empty, "flat_plane")
        assert scores["points"] == 0 and scores.reasons["accuracy_mean_mm"] == "no points"
    closest, normals, distances = aqbench.Scene("flat_plane").closest_points([])
    assert closest.shape == normals.shape == (0, 3) and distances.shape == (0,)
    assert aqbench.score_mesh([], [], "flat_plane")["points"] == 0


def test_samples_lie_on_the_surface_with_its_normals():
    scene = aqbench.Scene("undulating")
    points, normals = scene.sample(0.005)
    closest, at, distances = scene.closest_points(points)
    assert np.abs(distances).max() < 1e-9 and np.allclose(normals, at)
    assert np.allclose(np.linalg.norm(normals, axis=1), 1) and (normals[:, 2] < 0).all()
    assert 0.5 < len(points) * 0.005**2 / scene.area_m2 < 4
    assert (scene.sample(0.005)[0] == points).all() and not np.array_equal(scene.sample(0.005, seed=1)[0][:9], points[:9])


def test_a_camera_shows_its_calibration(tmp_path):
    cameras = aqbench.make_rig("ring12", width=160, height=120)
    camera = cameras[2]
    assert camera.K.shape == camera.R.shape == (3, 3) and camera.t.shape == (3,)
    assert np.allclose(camera.R @ camera.R.T, np.eye(3)) and np.isclose(np.linalg.det(camera.R), 1)
    assert camera.interface["water_z"] > 0 and "n_water" in str(camera.interface)
    assert len(camera.distortion) >= 4
    centre = -camera.R.T @ camera.t
    assert abs(centre[2]) < 1e-9  # rigs stand in the plane z = 0
    # The middle of the image, cast without refraction at normal incidence, agrees with the pinhole's axis.
    axis = camera.R.T @ np.linalg.solve(camera.K, [camera.K[0, 2], camera.K[1, 2], 1])
    origin, _ = camera.cast([[camera.K[0, 2], camera.K[1, 2]]])
    assert np.allclose((origin[0] - centre) / np.linalg.norm(origin[0] - centre), axis / np.linalg.norm(axis), atol=1e-9)
    (tmp_path / "calibration.json").write_text(camera.calibration)
    assert aqbench.read_rig(tmp_path / "calibration.json") == [camera]


def test_scenes_and_cameras_are_copied_pickled_and_shown():
    scene = aqbench.Scene("step", height_m=0.01)
    camera = aqbench.make_rig("ring12")[1]
    for thing in (scene, camera):
        for again in (copy.copy(thing), copy.deepcopy(thing), pickle.loads(pickle.dumps(thing))):
            assert again == thing and hash(again) == hash(thing)
    assert repr(scene) == "Scene('step', height_m=0.01)" and camera.name in repr(camera)
    assert pickle.loads(pickle.dumps(scene)).area_m2 == scene.area_m2 != aqbench.Scene("step").area_m2
    assert "undulating" in aqbench.scenes() and "ring12" in aqbench.rigs()


def test_a_cloud_elsewhere_or_in_another_unit_is_hinted_at():
    reasons = aqbench.score(1000 * POINTS, "undulating").reasons
    assert "they look like millimetres" in reasons["accuracy_mean_mm"] and "the points span x" in reasons["accuracy_mean_mm"]
    assert "look like" not in aqbench.score(POINTS + [5, 0, 0], "undulating").reasons["accuracy_mean_mm"]
    assert aqbench.score(POINTS, "undulating").reasons.get("accuracy_mean_mm") is None


def test_evaluate_does_what_eval_does(tmp_path):
    vertices = np.array([[x, y, 1.18] for x in (-0.3, 0.3) for y in (-0.2, 0.2)])
    triangles = [[0, 1, 2], [1, 3, 2]]
    against = aqbench.evaluate(POINTS, truth=(vertices, triangles), thresholds="1mm,5mm", crop="z:1.0,1.3")
    assert against["accuracy_mean_mm"] == pytest.approx(1000 * np.abs(POINTS[:, 2] - 1.18).mean())
    assert "completeness_5mm_pct" in against and "completeness_2mm_pct" not in against
    assert against.details["scoring"]["thresholds_m"] == [0.001, 0.005]
    assert aqbench.evaluate(1000 * POINTS, truth=(vertices, triangles), unit="mm")["accuracy_mean_mm"] == pytest.approx(
        against["accuracy_mean_mm"], rel=1e-9)
    np.savetxt(tmp_path / "cloud.xyz", POINTS, fmt="%.17g")
    assert aqbench.evaluate(tmp_path / "cloud.xyz", scene="undulating") == aqbench.evaluate(POINTS, scene="undulating")
    scan = np.random.default_rng(6).uniform([-0.2, -0.1, 1.18], [0.2, 0.1, 1.18], (3000, 3))
    protocols = aqbench.evaluate(POINTS, truth=scan, protocol="eth3d")["protocols"]
    assert protocols[0]["name"] == "eth3d"
    moved = aqbench.evaluate(POINTS, scene="step", set=["step.height_m=0.01"])
    assert moved == aqbench.score(POINTS, aqbench.Scene("step", height_m=0.01))
    with pytest.raises(aqbench.Error, match="look like millimetres") as raised:
        aqbench.evaluate(1000 * POINTS, scene="undulating")
    assert raised.value.exit_code == 2 and "/" not in str(raised.value)
    with pytest.raises(aqbench.Error, match="--nonsense"):
        aqbench.evaluate(POINTS, scene="undulating", nonsense=1)


def test_without_numpy_it_gives_the_same_bits(tmp_path):
    """The module that the tests import has numpy; this one is kept from it."""
    (tmp_path / "numpy.py").write_text("raise ImportError('hidden')")
    code = (SOURCES / "scripts/try_wheel.py").read_text()
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": f"{tmp_path}:{os.environ['PYTHONPATH']}"})
    assert done.returncode == 0, done.stderr
    assert "as the program's to the last bit from a list, a buffer, a read-only buffer" in done.stdout


def test_python_m_aqbench_is_the_program():
    said = subprocess.run([sys.executable, "-m", "aqbench", "--version"], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == f"aqbench {aqbench.__version__}"
