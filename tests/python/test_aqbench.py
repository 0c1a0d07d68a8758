"""The Python module: the command line's numbers bit for bit, arrays where they lie, the same errors."""

import inspect
import json
import os
import pathlib
import resource
import struct
import subprocess
import threading
import time
import zlib

import numpy as np
import pytest

import aqbench

PROGRAM = os.environ["AQBENCH_PROGRAM"]
SOURCES = pathlib.Path(os.environ["AQBENCH_SOURCES"])


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, check=True).stdout


def metrics_of_the_program(*arguments):
    """Returns {name: value or None} that `aqbench eval` prints."""
    metrics = json.loads(run("eval", *arguments, "--json"))["records"][0]["metrics"]
    return {name: metric["value"] for name, metric in metrics.items()}


def error_of_the_program(*arguments):
    """Returns the line that the program prints for an error, without its name, and its exit code."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    return done.stderr.strip().split("aqbench: ", 1)[-1].removeprefix("error: "), done.returncode


def cloud(count, seed=1):
    points = np.random.default_rng(seed).uniform([-0.25, -0.15, 1.17], [0.25, 0.15, 1.19], (count, 3))
    return np.ascontiguousarray(points)


def write_ply(path, points, normals=None, triangles=None):
    columns = points if normals is None else np.hstack([points, normals])
    names = ["x", "y", "z"] + ([] if normals is None else ["nx", "ny", "nz"])
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n"
    head += "".join(f"property double {name}\n" for name in names)
    if triangles is not None:
        head += f"element face {len(triangles)}\nproperty list uchar int vertex_indices\n"
    faces = b"" if triangles is None else b"".join(struct.pack("<Biii", 3, *triangle) for triangle in triangles)
    path.write_bytes((head + "end_header\n").encode() + columns.astype("<f8").tobytes() + faces)


def grid_mesh(z_m):
    x, y = np.meshgrid(np.linspace(-0.2, 0.2, 21), np.linspace(-0.1, 0.1, 11))
    vertices = np.column_stack([x.ravel(), y.ravel(), np.full(x.size, z_m)])
    corner = (np.arange(10)[:, None] * 21 + np.arange(20)).ravel()
    lower = np.column_stack([corner, corner + 1, corner + 21])
    return vertices, np.vstack([lower, np.column_stack([corner + 1, corner + 22, corner + 21])])


def read_grey_png(path):
    """Returns the first channel of a PNG of three channels of 8 bits: (height, width)."""
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        if kind == b"IHDR":
            width, height, bits, colour = struct.unpack(">IIBB", data[at + 8 : at + 18])
        if kind == b"IDAT":
            packed += data[at + 8 : at + 8 + length]
        at += 12 + length
    assert (bits, colour) == (8, 2)
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + 3 * width).astype(int)
    image = np.zeros((height + 1, 3 * width + 3), int)  # a row and a pixel of zeros before
    for y, row in enumerate(rows, 1):
        for x, value in enumerate(row[1:], 3):
            left, up, corner = image[y, x - 3], image[y - 1, x], image[y - 1, x - 3]
            near = min((left, up, corner), key=lambda one: abs(left + up - corner - one))
            image[y, x] = (value + (0, left, up, (left + up) // 2, near)[row[0]]) % 256
    return image[1:, 3::3]


# ---- The same numbers as the program's ----


def test_scores_of_a_cloud_with_normals_are_those_of_the_program(tmp_path):
    points = cloud(2000)
    points[7, 1] = np.nan
    normals = np.random.default_rng(2).normal(size=points.shape)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    write_ply(tmp_path / "cloud.ply", points, normals)
    scores = aqbench.score(points, "undulating", normals=normals)
    assert dict(scores) == metrics_of_the_program(tmp_path / "cloud.ply", "--scene", "undulating")
    assert scores["points_non_finite"] == 1 and scores["normal_mean_deg"] > 0
    assert (scores.units["accuracy_mean_mm"], scores.better["fscore_2mm_pct"]) == ("mm", "higher")


def test_scores_against_settings_and_meshes_are_those_of_the_program(tmp_path):
    points = cloud(500)
    write_ply(tmp_path / "cloud.ply", points)
    small = aqbench.Scene("step", height_m=0.01, x_min_m=-0.02, x_max_m=0.02, y_min_m=-0.02, y_max_m=0.02)
    flags = ["--set=step.height_m=0.01", "--set=step.x_min_m=-0.02", "--set=step.x_max_m=0.02"]
    flags += ["--set=step.y_min_m=-0.02", "--set=step.y_max_m=0.02"]
    assert dict(aqbench.score(points, small)) == metrics_of_the_program(
        tmp_path / "cloud.ply", "--scene", "step", *flags)
    vertices, triangles = grid_mesh(1.179)
    write_ply(tmp_path / "truth.ply", vertices, triangles=triangles)
    assert dict(aqbench.score(points, f"mesh:{tmp_path / 'truth.ply'}")) == metrics_of_the_program(
        tmp_path / "cloud.ply", "--mesh", tmp_path / "truth.ply")


def test_scores_of_a_mesh_are_those_of_the_program(tmp_path):
    vertices, triangles = grid_mesh(1.179)
    write_ply(tmp_path / "mesh.ply", vertices, triangles=triangles)
    scores = aqbench.score_mesh(vertices, triangles, "flat_plane")
    assert dict(scores) == metrics_of_the_program(tmp_path / "mesh.ply", "--scene", "flat_plane")
    assert scores["mesh_accuracy_mean_mm"] == pytest.approx(1)


def test_views_and_depth_scores_are_those_of_the_program(tmp_path):
    tank = tmp_path / "tank"
    run("render", "undulating", "--width", 48, "--out", tank, "--no-cache", "--rig", "sparse4")
    cameras = aqbench.read_rig(str(tank / "calibration.json"))
    view = aqbench.render("undulating", cameras[1], camera_index=1)
    name = cameras[1].name
    image = next(path for path in tank.rglob("*.png") if name in str(path))
    assert view.bits == 8 and view.image.dtype == np.uint16
    assert (view.image == read_grey_png(image)).all()
    truth = np.load(next(path for path in (tank / "truth").rglob("*.npy") if name in str(path)))
    assert view.depth.dtype == np.float32 and np.array_equal(view.depth, truth, equal_nan=True)
    predicted = view.depth + np.float32(0.0015)
    np.save(tmp_path / "predicted.npy", predicted)
    assert dict(aqbench.score_depth(predicted, truth)) == metrics_of_the_program(
        "--depth", tmp_path / "predicted.npy", "--camera", name, "--dataset", tank)


# ---- Truth ----


def test_closest_points_of_a_plane():
    closest, normals, distance = aqbench.Scene("flat_plane").closest_points([[0.1, 0.05, 1.0], [0, 0, 1.2]])
    depth = closest[0, 2]
    assert np.allclose(closest[:, :2], [[0.1, 0.05], [0, 0]])
    assert np.allclose(normals, [[0, 0, -1]] * 2)
    assert np.allclose(distance, [depth - 1.0, depth - 1.2])


def test_a_camera_projects_what_it_casts():
    camera = aqbench.make_rig("ring12", width=160, height=120)[0]
    assert (camera.width_px, camera.height_px) == (160, 120)
    pixels = np.array([[80.0, 60.0], [10.0, 100.0]])
    origins, directions = camera.cast(pixels)
    assert np.allclose(np.linalg.norm(directions, axis=1), 1)
    back, depth = camera.project(origins + 0.2 * directions)
    assert np.allclose(back, pixels, atol=1e-7)
    assert np.allclose(depth, 0.2)
    assert np.isnan(camera.project([[0, 0, -1.0]])[0]).all()


def test_compare_sees_a_change_and_none():
    a = np.random.default_rng(3).lognormal(0, 0.005, 40)
    found = aqbench.compare(a, a * 1.1)
    assert found["verdict"] == "REGRESSED" and found["change_low"] <= found["change"] <= found["change_high"]
    assert found["change"] == pytest.approx(0.1) and (found["pairs"], found["kept"]) == (40, 40)
    assert aqbench.compare(a, a * 0.9)["verdict"] == "FASTER"
    assert aqbench.compare(a, a * 0.9, higher_is_better=True)["verdict"] == "REGRESSED"
    assert aqbench.compare(a, a * 1.001)["verdict"] == "PASS"


def test_a_bundle_as_a_table():
    bundle = aqbench.Bundle(SOURCES / "docs/bundles/seed")
    written = json.loads((SOURCES / "docs/bundles/seed/results.json").read_text())["records"]
    assert bundle.suite == "seed" and bundle.complete
    assert [one["case"] for one in bundle.cases] == [record["case"] for record in written]
    for one, record in zip(bundle.cases, written):
        assert dict(one["metrics"]) == {name: metric["value"] for name, metric in record["metrics"].items()}
        assert one["warm_ms"] == record["timing"]["warm_ms"]
    pandas = pytest.importorskip("pandas")
    table = bundle.to_pandas()
    assert isinstance(table, pandas.DataFrame) and len(table) == len(written)
    assert table["accuracy_mean_mm"][0] == written[0]["metrics"]["accuracy_mean_mm"]["value"]
    assert table["accuracy_mean_mm"].dtype == float


def test_a_stage_is_told_to_aqbench(tmp_path):
    code = "import aqbench\nwith aqbench.stage('matching'): pass"
    subprocess.run([os.sys.executable, "-c", code], check=True,
                   env={**os.environ, "AQBENCH_STAGES": str(tmp_path / "stages")})
    begun, ended = (tmp_path / "stages").read_text().splitlines()
    assert begun.startswith("B ") and begun.endswith(" matching") and ended.startswith("E ")


# ---- Errors ----


def test_an_undefined_metric_is_none_with_its_reason():
    scores = aqbench.score(np.full((3, 3), np.nan), "flat_plane")
    assert scores["accuracy_mean_mm"] is None
    assert scores.reasons["accuracy_mean_mm"] == "no finite points"
    assert aqbench.score(np.empty((0, 3)), "flat_plane").reasons["accuracy_mean_mm"] == "no points"


def test_errors_have_the_text_and_the_exit_code_of_the_program(tmp_path):
    write_ply(tmp_path / "cloud.ply", cloud(5))
    at = [tmp_path / "cloud.ply", "--scene"]
    none = tmp_path / "none.ply"
    for make, arguments in (
        (lambda: aqbench.Scene("undulatin"), ["undulatin"]),
        (lambda: aqbench.Scene("undulating", amplitude_m=-1), ["undulating", "--set", "undulating.amplitude_m=-1"]),
        (lambda: aqbench.Scene("undulating", amplitud_m=1), ["undulating", "--set", "undulating.amplitud_m=1"]),
        (lambda: aqbench.score(cloud(5), f"mesh:{none}"), [f"mesh:{none}"]),
    ):
        with pytest.raises(aqbench.Error) as raised:
            make()
        assert (str(raised.value), raised.value.exit_code) == error_of_the_program("eval", *at, *arguments)
    with pytest.raises(aqbench.Error) as raised:
        aqbench.Bundle(tmp_path)
    assert str(raised.value) == f"{tmp_path}/results.json: no such file" and raised.value.exit_code == 2


@pytest.mark.parametrize("call, text", [
    (lambda: aqbench.score(np.zeros((4, 2)), "flat_plane"), "points: must have the shape (n, 3)"),
    (lambda: aqbench.score(np.zeros((4, 3)), "flat_plane", np.zeros((3, 3))), "normals: 9 values, expected 12"),
    (lambda: aqbench.score_mesh(np.zeros((4, 3)), [[0, 1, 4]], "flat_plane"),
     "triangles: must be indices of the 4 vertices, 0 to 3"),
    (lambda: aqbench.score_mesh(np.zeros((4, 3)), np.array([[0, 1, 9]], np.uint32), "flat_plane"),
     "triangles: index 9 of 4 vertices"),
    (lambda: aqbench.score_depth(np.zeros((2, 3)), np.zeros((3, 2))), "predicted: must have the shape of truth"),
    (lambda: aqbench.Scene("flat_plane").closest_points([[0, 0, np.nan]]), "points_m: a coordinate is not finite"),
    (lambda: aqbench.set_threads(0), "threads: 0: must be at least 1"),
])
def test_a_wrong_array_is_named(call, text):
    with pytest.raises(ValueError) as raised:
        call()
    assert str(raised.value) == text and raised.value.exit_code == 2


def test_what_a_mask_hides_is_not_scored():
    points = cloud(200)
    far = np.concatenate([points, points + [0, 0, 0.1]])
    hidden = np.zeros(far.shape, bool)
    hidden[200:] = True
    assert aqbench.score(np.ma.array(far, mask=hidden), "undulating")["accuracy_mean_mm"] == (
        aqbench.score(points, "undulating")["accuracy_mean_mm"])
    depth = np.full((4, 5), 2.0, np.float32)
    half = np.ma.array(depth, mask=np.arange(20).reshape(4, 5) % 2 == 1)
    assert aqbench.score_depth(half, depth)["depth_fill_rate_pct"] == 50
    assert aqbench.score(np.ma.array([[0, 0, 1]], mask=False), "flat_plane") == aqbench.score([[0, 0, 1]], "flat_plane")
    with pytest.raises(aqbench.Error, match="triangles: some are masked"):
        aqbench.score_mesh(points, np.ma.array([[0, 1, 2]], mask=[[False, True, False]]), "undulating")


@pytest.mark.parametrize("dtype", ["complex128", "datetime64[s]", "timedelta64[s]", "U5", "S5", "object", "bool"])
def test_only_integers_and_floats_are_numbers(dtype):
    points, text = np.zeros((3, 3)).astype(dtype), "must be integers or floats, not"
    camera = aqbench.make_rig("ring12")[0]
    for call in (lambda: aqbench.score(points, "flat_plane"),
                 lambda: aqbench.score(np.zeros((3, 3)), "flat_plane", points),
                 lambda: aqbench.score_mesh(points, [[0, 1, 2]], "flat_plane"),
                 lambda: aqbench.score_depth(points, np.zeros((3, 3))),
                 lambda: aqbench.Scene("flat_plane").closest_points(points),
                 lambda: camera.project(points), lambda: camera.cast(points[:, :2]),
                 lambda: aqbench.compare(points[0], [1.0] * 3)):
        with pytest.raises(aqbench.Error, match=text) as raised:
            call()
        assert raised.value.exit_code == 2
    for good in ("int16", "uint64", "float16", "float32", "longdouble"):
        assert aqbench.Scene("flat_plane").closest_points(np.zeros((1, 3)).astype(good))[0].shape == (1, 3)


def test_unpaired_samples_are_refused():
    with pytest.raises(aqbench.Error, match="samples"):
        aqbench.compare([1.0] * 40, [1.0] * 39)


# ---- How it works ----


def test_other_threads_run_while_it_scores():
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    points, scene = cloud(50_000), aqbench.Scene("undulating")
    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.perf_counter()
    aqbench.score(points, scene)
    end = time.perf_counter()
    stop.set()
    thread.join()
    assert sum(begin < at < end for at in ticks) > 3


def test_an_array_of_float64_is_not_copied():
    points, scene = cloud(100_000), aqbench.Scene("flat_plane", x_min_m=-0.01, x_max_m=0.01)
    moved = np.asfortranarray(points)
    aqbench.score(points, scene)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    aqbench.score(points, scene)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < points.nbytes / 1024 / 4
    assert aqbench.score(moved, scene) == aqbench.score(points, scene)  # another order is converted


def test_every_name_has_a_docstring_and_a_type():
    stubs = (SOURCES / "python/aqbench/__init__.pyi").read_text()
    for name in aqbench.__all__:
        if name == "__version__":
            continue
        thing = getattr(aqbench, name)
        assert inspect.getdoc(thing), name
        assert f"def {name}(" in stubs or f"class {name}" in stubs, name
        methods = vars(thing).items() if inspect.isclass(thing) and name in ("Scene", "Camera") else ()
        for method, function in methods:
            if not method.startswith("_"):
                assert inspect.getdoc(function) and f"def {method}(" in stubs, f"{name}.{method}"
    for name in ("score", "score_mesh", "score_depth", "render", "compare"):
        parameters = inspect.signature(getattr(aqbench, name)).parameters
        stub = stubs[stubs.index(f"def {name}("):].split("->")[0]
        assert [one for one in parameters if f"{one}:" not in stub] == [], name
    for name in ("score", "score_mesh"):
        assert "(n, 3)" in getattr(aqbench, name).__doc__ and "Metres" in getattr(aqbench, name).__doc__
