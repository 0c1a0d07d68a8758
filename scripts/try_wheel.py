"""Part of try_wheel.sh: the installed package gives the program's bits for lists, buffers and arrays of numpy."""

import array
import copy
import json
import math
import pickle
import subprocess

import aqbench

try:
    import numpy
except ImportError:
    numpy = None

points = [[x / 50, y / 50, 1.178 + 0.0001 * math.sin(x * y)] for x in range(-12, 13) for y in range(-7, 8)]
flat = array.array("d", [value for point in points for value in point])
with open("cloud.ply", "wb") as file:
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n"
    file.write((head + "".join(f"property double {axis}\n" for axis in "xyz") + "end_header\n").encode() + flat.tobytes())
text = subprocess.run([aqbench.program(), "eval", "cloud.ply", "--scene", "undulating", "--json"], check=True,
                      capture_output=True).stdout
wanted = {name: metric["value"] for name, metric in json.loads(text)["records"][0]["metrics"].items()}

ways = {"a list": points, "a buffer": memoryview(flat).cast("B").cast("d", (len(points), 3)),
        "a read-only buffer": memoryview(flat.tobytes()).cast("d", (len(points), 3))}
if numpy is not None:
    ways["numpy"] = numpy.array(points)
for way, given in ways.items():
    assert dict(aqbench.score(given, "undulating")) == wanted, way
    assert dict(aqbench.evaluate(given, scene="undulating")) == wanted, f"evaluate: {way}"
scene = aqbench.Scene("undulating", amplitude_m=0.004)
for again in (copy.copy(scene), copy.deepcopy(scene), pickle.loads(pickle.dumps(scene))):
    assert again == scene and again.area_m2 == scene.area_m2
camera = aqbench.make_rig("ring12")[3]
assert pickle.loads(pickle.dumps(camera)) == camera
closest, normals, distances = scene.closest_points(points[:4])
assert closest.shape == (4, 3) and distances.shape == (4,)
assert aqbench.score([], "flat_plane").reasons["accuracy_mean_mm"] == "no points"
for wrong, reason in (([[0, 0, 1], [0, 1]], "points: "), ([["a", 0, 1]], "points: "), (None, "points: ")):
    try:
        aqbench.score(wrong, "flat_plane")
    except aqbench.Error as error:
        assert str(error).startswith(reason), error
    else:
        raise AssertionError(f"{wrong} was scored")
print(f"{len(wanted)} metrics as the program's to the last bit from {', '.join(ways)}")
