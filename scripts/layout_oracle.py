"""Reads the layouts of docs/layouts.md in plain numpy, apart from the program: a folder gives {name of the image
without ending: function from points of the world to pixels}, (0, 0) being the centre of the first pixel."""
import json
import math
import pathlib
import struct
import zlib

import numpy as np


def lens(kind, k):
    """Bends x / z, y / z: "fisheye" by k1 to k4 of the angle; else k1 k2 p1 p2 k3 k4 k5 k6 as OpenCV has them."""
    k = list(k) + [0.0] * (8 - len(k))

    def fisheye(x, y):
        radius = np.maximum(np.hypot(x, y), 1e-300)
        angle = np.arctan(radius)
        return [side / radius * angle * (1 + sum(k[i] * angle**(2 * i + 2) for i in range(4))) for side in (x, y)]

    def brown(x, y):
        s = x**2 + y**2
        stretch = (1 + k[0] * s + k[1] * s**2 + k[4] * s**3) / (1 + k[5] * s + k[6] * s**2 + k[7] * s**3)
        return [x * stretch + 2 * k[2] * x * y + k[3] * (s + 2 * x**2), y * stretch + k[2] * (s + 2 * y**2) + 2 * k[3] * x * y]

    return fisheye if kind == "fisheye" else brown


def seen_by(camera_from_world, focal, centre, bend):
    def pixels(points):
        inside = (np.c_[points, np.ones(len(points))] @ camera_from_world.T)[:, :3]
        x, y = bend(inside[:, 0] / inside[:, 2], inside[:, 1] / inside[:, 2])
        return np.stack([focal[0] * x + centre[0], focal[1] * y + centre[1]], 1)
    return pixels


def lines_of(path):
    return [line.split() for line in path.read_text().splitlines() if line.strip() and line[0] != "#"]


def turned(w, x, y, z, *shift):
    """The 4 x 4 matrix of a quaternion and a shift, by the product of quaternions with each axis."""
    def product(a, b):
        return np.array([a[0] * b[0] - a[1:] @ b[1:], *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])
    q, back = np.array([w, x, y, z]), np.array([w, -x, -y, -z])
    pose = np.eye(4)
    for axis in range(3):
        pose[:3, axis] = product(product(q, np.eye(4)[axis + 1]), back)[1:]
    pose[:3, 3] = shift
    return pose


def colmap(folder):
    cameras, seen = {}, {}
    for number, model, _, _, *values in lines_of(folder / "sparse/0/cameras.txt"):
        values = [float(value) for value in values]
        focal, rest = (values[:2], values[2:])
        kind = "fisheye" if model == "OPENCV_FISHEYE" else "brown"
        assert model in ("OPENCV", "FULL_OPENCV", "OPENCV_FISHEYE"), model
        cameras[number] = focal, [rest[0] - 0.5, rest[1] - 0.5], lens(kind, rest[2:])
    for words in lines_of(folder / "sparse/0/images.txt"):
        assert (folder / "images" / words[9]).is_file()
        seen[pathlib.Path(words[9]).stem] = seen_by(turned(*map(float, words[1:8])), *cameras[words[8]])
    return seen


def transforms(folder):
    read, seen = json.loads((folder / "transforms.json").read_text()), {}
    for frame in read["frames"]:
        assert (folder / frame["file_path"]).is_file()
        view = np.linalg.inv(np.array(frame["transform_matrix"]))  # x right, y up, z backwards
        names = ("k1", "k2", "k3", "k4") if read["is_fisheye"] else ("k1", "k2", "p1", "p2", "k3")
        seen[pathlib.Path(frame["file_path"]).stem] = seen_by(
            np.diag([1.0, -1, -1, 1]) @ view, (frame["fl_x"], frame["fl_y"]), (frame["cx"] - 0.5, frame["cy"] - 0.5),
            lens("fisheye" if read["is_fisheye"] else "brown", [frame[name] for name in names]))
    return seen


def mvsnet(folder):
    seen = {}
    views = lines_of(folder / "pair.txt")
    for file in sorted((folder / "cams").glob("*_cam.txt")):
        words = file.read_text().split()
        assert words[0] == "extrinsic" and words[17] == "intrinsic"
        pose, K = np.array(words[1:17], float).reshape(4, 4), np.array(words[18:27], float).reshape(3, 3)
        name = file.name[:8]
        assert list((folder / "images").glob(name + ".*")) and [str(int(name))] in views
        seen[name] = seen_by(pose, (K[0, 0], K[1, 1]), (K[0, 2], K[1, 2]), lens("brown", []))
    return seen


def aqbench(folder):
    seen = {}
    for name, camera in json.loads((folder / "calibration.json").read_text())["cameras"].items():
        inside, outside = camera["intrinsics"], camera["extrinsics"]
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = outside["R"], outside["t"]
        K = np.array(inside["K"])
        kind = "fisheye" if inside.get("is_fisheye") else "brown"
        seen[name] = seen_by(pose, (K[0, 0], K[1, 1]), (K[0, 2], K[1, 2]), lens(kind, inside["dist_coeffs"]))
    return seen


def mask_files(folder, layout):
    """{name of the image without ending: its mask}, as each layout names them."""
    if layout == "transforms":
        frames = json.loads((folder / "transforms.json").read_text())["frames"]
        return {pathlib.Path(f["file_path"]).stem: folder / f["mask_path"] for f in frames if "mask_path" in f}
    if layout == "aqbench":
        return {file.parent.name: file for file in folder.glob("masks/*/000000.png")}
    files = sorted((folder / "masks").glob("*.png"))
    if layout == "colmap":  # the mask of a.jpg is a.jpg.png
        assert all((folder / "images" / file.stem).is_file() for file in files)
        return {pathlib.Path(file.stem).stem: file for file in files}
    return {file.stem: file for file in files}


def counting_pixels(file):
    """True where a grey PNG of 8 bits, of rows without filter, is not 0."""
    data, at, rows, size = file.read_bytes(), 8, b"", (0, 0)
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            size = struct.unpack(">II", body[:8])
            assert body[8:10] == b"\x08\x00"
        rows += body if kind == b"IDAT" else b""
        at += length + 12
    values = np.frombuffer(zlib.decompress(rows), np.uint8).reshape(size[1], size[0] + 1)
    assert not values[:, 0].any()
    return values[:, 1:] > 0


READERS = {"aqbench": aqbench, "colmap": colmap, "transforms": transforms, "mvsnet": mvsnet}
