#!/usr/bin/env python3
"""Writes conformance/layouts/: one small dataset of each layout that `dataset:DIR` reads, with cameras, images, masks,
scans and depths from formulas, and conformance/layouts.json: where its cameras see points of the world. Needs numpy.
Usage: scripts/make_layouts.py [FOLDER]"""
import json
import math
import pathlib
import shutil
import struct
import sys
import zlib

import numpy as np

WIDTH, HEIGHT = 48, 36
POINTS = np.array([[x, y, 1 + 0.02 * math.sin(20 * x) * math.cos(14 * y) + 0.05 * x]
                   for x in np.linspace(-0.1, 0.1, 4) for y in np.linspace(-0.08, 0.08, 3)])


def surface(n, low=-0.2, high=0.2):
    x, y = np.meshgrid(np.linspace(low, high, n), np.linspace(-0.15, 0.15, n))
    x, y = x.ravel(), y.ravel()
    return np.stack([x, y, 1 + 0.02 * np.sin(20 * x) * np.cos(14 * y) + 0.05 * x], 1)


# ---- Cameras by formula: pixel centres at integers, x right, y down, z forward ----

class Camera:
    """Sees x_camera = R x_world + t through K and a lens: "pinhole" k1 k2 p1 p2 k3 k4 k5 k6, or "fisheye" k1 to k4."""

    def __init__(self, index, lens="pinhole", coefficients=(), same_focal=False):
        angle = 2 * math.pi * index / 12
        centre = np.array([0.35 * math.cos(angle), 0.3 * math.sin(angle), 0.02 * index])
        forward = np.array([0.01 * index, -0.02, 1.0]) - centre
        forward /= np.linalg.norm(forward)
        right = np.cross([0.1, 1.0, 0.2], forward)
        right /= np.linalg.norm(right)
        down = np.cross(forward, right)
        roll = math.pi * index / 6  # the seventh stands on its head
        self.R = np.stack([math.cos(roll) * right + math.sin(roll) * down,
                           -math.sin(roll) * right + math.cos(roll) * down, forward])
        self.t = -self.R @ centre
        self.fx = 61.25 + 0.5 * index
        self.fy = self.fx if same_focal else self.fx + 1.75
        self.cx, self.cy = (WIDTH - 1) / 2 + 0.3, (HEIGHT - 1) / 2 - 0.2 + 0.05 * index
        self.lens, self.coefficients = lens, list(coefficients)
        self.name = f"view{index:02}"
        self.mask = None

    def pixels(self, points):
        inside = points @ self.R.T + self.t
        x, y = inside[:, 0] / inside[:, 2], inside[:, 1] / inside[:, 2]
        k = self.coefficients + [0.0] * (8 - len(self.coefficients))
        r2 = x * x + y * y
        if self.lens == "fisheye":
            r = np.sqrt(r2)
            theta = np.arctan(r)
            bent = theta * (1 + k[0] * theta**2 + k[1] * theta**4 + k[2] * theta**6 + k[3] * theta**8)
            scale = np.where(r > 0, bent / np.where(r > 0, r, 1), 1)
            x, y = x * scale, y * scale
        else:
            radial = (1 + r2 * (k[0] + r2 * (k[1] + r2 * k[4]))) / (1 + r2 * (k[5] + r2 * (k[6] + r2 * k[7])))
            x, y = (x * radial + 2 * k[2] * x * y + k[3] * (r2 + 2 * x * x),
                    y * radial + k[2] * (r2 + 2 * y * y) + 2 * k[3] * x * y)
        return np.stack([self.fx * x + self.cx, self.fy * y + self.cy], 1)


def expected(cameras):
    return [{"name": camera.name, "pixels": camera.pixels(POINTS).tolist(),
             **({"mask": camera.mask} if camera.mask else {})} for camera in cameras]


# ---- Files ----

def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)


def write_png(path, rows, colour):
    chunk = lambda kind, data: (struct.pack(">I", len(data)) + kind + data +
                                struct.pack(">I", zlib.crc32(kind + data)))
    write(path, b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, colour, 0, 0, 0)) +
                chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def write_image(path, index):
    """A grey PNG of 8 bits and three channels, different for each camera."""
    x, y = np.meshgrid(np.arange(WIDTH), np.arange(HEIGHT))
    grey = ((5 * x + 3 * y + 20 * index) % 256).astype(np.uint8)
    write_png(path, b"".join(b"\0" + np.repeat(row[:, None], 3, 1).tobytes() for row in grey), 2)


def write_mask(path, camera, index):
    """A grey PNG of one channel: pixels count where a x + b y >= c, some of them almost black."""
    a, b, c = camera.mask = [4, 3, 40 + 10 * index]
    x, y = np.meshgrid(np.arange(WIDTH), np.arange(HEIGHT))
    grey = np.where(a * x + b * y < c, 0, np.where(x % 2, 1, 255)).astype(np.uint8)
    write_png(path, b"".join(b"\0" + row.tobytes() for row in grey), 0)


def write_ply(path, points):
    header = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n"
    header += "".join(f"property float {name}\n" for name in "xyz") + "end_header\n"
    write(path, header.encode() + np.ascontiguousarray(points.astype("<f4")).tobytes())


def write_transforms(path, top, frames):
    write(path, json.dumps({**top, "frames": frames}, indent=1) + "\n")


def rows_of(matrix):
    return "\n".join(" ".join(repr(float(v)) for v in row) for row in matrix) + "\n"


def pose_of(R, t):
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = R, t
    return pose


def quaternion(R):
    """w x y z of a rotation, by the largest of the four."""
    q = np.array([1 + R[0, 0] + R[1, 1] + R[2, 2], 1 + R[0, 0] - R[1, 1] - R[2, 2], 1 - R[0, 0] + R[1, 1] - R[2, 2],
                  1 - R[0, 0] - R[1, 1] + R[2, 2]])
    best = int(np.argmax(q))
    w = 0.5 * math.sqrt(q[best])
    parts = [[None, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
             [R[2, 1] - R[1, 2], None, R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
             [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], None, R[1, 2] + R[2, 1]],
             [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], None]][best]
    return np.array([w if part is None else part / (4 * w) for part in parts])


# ---- COLMAP: (0.5, 0.5) is the centre of the first pixel ----

def colmap_lenses():
    k = [0.05, -0.02, 0.003, -0.002, 0.01, 0.02, -0.01, 0.005]
    lens = lambda i, name, kind, c, order, one=False: (Camera(i, kind, c, one), name, order, one)
    return [lens(0, "SIMPLE_PINHOLE", "pinhole", [], [], True), lens(1, "PINHOLE", "pinhole", [], []),
            lens(2, "SIMPLE_RADIAL", "pinhole", k[:1], k[:1], True),
            lens(3, "RADIAL", "pinhole", k[:2], k[:2], True), lens(4, "OPENCV", "pinhole", k[:4], k[:4]),
            lens(5, "FULL_OPENCV", "pinhole", k, k), lens(6, "OPENCV_FISHEYE", "fisheye", k[:4], k[:4]),
            lens(7, "SIMPLE_RADIAL_FISHEYE", "fisheye", k[:1], k[:1], True),
            lens(8, "RADIAL_FISHEYE", "fisheye", k[:2], k[:2], True),
            lens(9, "THIN_PRISM_FISHEYE", "fisheye", k[:4], [k[0], k[1], 0, 0, k[2], k[3], 0, 0]),
            lens(10, "RAD_TAN_THIN_PRISM_FISHEYE", "fisheye", k[:4], k[:4] + [0.0] * 8),
            lens(11, "FISHEYE", "fisheye", [], [])]


def colmap_parameters(camera, coefficients, one_focal):
    focal = [camera.fx] if one_focal else [camera.fx, camera.fy]
    return [*focal, camera.cx + 0.5, camera.cy + 0.5, *coefficients]


def colmap_text_model(folder, rows, prefix=""):
    cameras = "# CAMERA_ID, MODEL, WIDTH, HEIGHT, PARAMS[]\n" + f"# Number of cameras: {len(rows)}\n"
    images = f"# Number of images: {len(rows)}, mean observations per image: 0\n"
    for i, (camera, model, coefficients, one_focal) in enumerate(rows, 1):
        values = colmap_parameters(camera, coefficients, one_focal)
        cameras += f"{i} {model} {WIDTH} {HEIGHT} " + " ".join(map(repr, map(float, values))) + "\n"
        pose = [*quaternion(camera.R), *camera.t]
        images += f"{i} " + " ".join(map(repr, map(float, pose))) + f" {i} {prefix}{camera.name}.png\n\n"
    points = "".join(f"{i} {x!r} {y!r} {z!r} 90 90 90 0.5\n" for i, (x, y, z) in enumerate(POINTS.tolist(), 1))
    write(folder / "cameras.txt", cameras)
    write(folder / "images.txt", images)
    write(folder / "points3D.txt", points)


def colmap_text(folder):
    rows = colmap_lenses()
    colmap_text_model(folder / "sparse" / "0", rows)
    for i, row in enumerate(rows):
        write_image(folder / "images" / f"{row[0].name}.png", i)
        if i % 3 != 1:  # a camera without a mask shows all of its image
            write_mask(folder / "masks" / f"{row[0].name}.png.png", row[0], i)
    return [row[0] for row in rows]


def colmap_binary(folder):
    """Two cameras on a rig at six places: rigs.bin and frames.bin hold the poses, too, as COLMAP 3.12 has it."""
    k = [0.05, -0.02, 0.003, -0.002, 0.01, 0.02, -0.01, 0.005]
    models = [(4, "pinhole", k[:4]), (5, "fisheye", k[:4])]  # OPENCV, OPENCV_FISHEYE
    c, s = math.cos(0.2), math.sin(0.2)
    second_from_first = pose_of(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]), np.array([-0.08, 0.01, 0.02]))
    model, cameras = folder / "sparse" / "0", []
    images = struct.pack("<Q", 12)
    frames = struct.pack("<Q", 6)
    for place in range(6):
        first = Camera(2 * place)
        rig_from_world = pose_of(first.R, first.t)
        frames += struct.pack("<II7d", place + 1, 1, *quaternion(first.R), *first.t) + struct.pack("<I", 2)
        for sensor, (_, lens, coefficients) in enumerate(models):
            camera = Camera(sensor, lens, coefficients)  # its K
            pose = rig_from_world if sensor == 0 else second_from_first @ rig_from_world
            camera.R, camera.t = pose[:3, :3], pose[:3, 3]
            number = 2 * place + sensor
            camera.name = f"view{number:02}"
            images += struct.pack("<I7dI", number + 1, *quaternion(camera.R), *camera.t, sensor + 1)
            images += f"{camera.name}.png\0".encode() + struct.pack("<Q", 1) + struct.pack("<ddq", 1.5, 2.5, -1)
            frames += struct.pack("<iIQ", 0, sensor + 1, number + 1)
            cameras.append(camera)
            write_image(folder / "images" / f"{camera.name}.png", number)
    data = struct.pack("<Q", len(models))
    for sensor, (model_id, _, coefficients) in enumerate(models):
        values = colmap_parameters(cameras[sensor], coefficients, False)
        data += struct.pack(f"<IiQQ{len(values)}d", sensor + 1, model_id, WIDTH, HEIGHT, *values)
    write(model / "cameras.bin", data)
    write(model / "images.bin", images)
    write(model / "frames.bin", frames)
    write(model / "rigs.bin", struct.pack("<QIIiI", 1, 1, 2, 0, 1) + struct.pack(
        "<iIB7d", 0, 2, 1, *quaternion(second_from_first[:3, :3]), *second_from_first[:3, 3]))
    points = struct.pack("<Q", len(POINTS))
    for i, point in enumerate(POINTS):
        points += struct.pack("<Q3d3BdQ", i + 1, *point, 90, 90, 90, 0.5, 0)
    write(model / "points3D.bin", points)
    return cameras


# ---- transforms.json: world_from_camera with y up and z backwards; (0.5, 0.5) is the first pixel's centre ----

def opengl(camera):
    return (np.linalg.inv(pose_of(camera.R, camera.t)) @ np.diag([1.0, -1, -1, 1])).tolist()


def transforms_opencv(folder):
    k = [0.05, -0.02, 0.003, -0.002, 0.01]
    cameras = [Camera(i, "pinhole", k) for i in (0, 3, 6, 8)]
    frames = []
    for i, camera in enumerate(cameras):
        frames.append({"file_path": f"images/{camera.name}.png", "transform_matrix": opengl(camera),
                       "fl_x": camera.fx, "fl_y": camera.fy, "cy": camera.cy + 0.5, "colmap_im_id": i + 1,
                       "mask_path": f"alpha/mask_{i}.png"})
        write_image(folder / "images" / f"{camera.name}.png", i)
        write_mask(folder / "alpha" / f"mask_{i}.png", camera, i)
    top = {"camera_model": "OPENCV", "w": WIDTH, "h": HEIGHT, "cx": cameras[0].cx + 0.5, "k1": k[0], "k2": k[1],
           "k3": k[4], "k4": 0.0, "p1": k[2], "p2": k[3], "ply_file_path": "sparse_pc.ply"}
    write_transforms(folder / "transforms.json", top, frames)
    return cameras


def transforms_fisheye(folder):
    k = [0.05, -0.02, 0.003, -0.002]
    cameras = [Camera(i, "fisheye", k) for i in (1, 4, 7)]
    frames = []
    for i, camera in enumerate(cameras):
        frames.append({"file_path": f"./images/{camera.name}.png", "transform_matrix": opengl(camera),
                       "fl_x": camera.fx, "fl_y": camera.fy, "cx": camera.cx + 0.5, "cy": camera.cy + 0.5,
                       "w": float(WIDTH), "h": float(HEIGHT), "sharpness": 20.5})
        write_image(folder / "images" / f"{camera.name}.png", i)
    top = {"is_fisheye": True, "k1": k[0], "k2": k[1], "k3": k[2], "k4": k[3], "aabb_scale": 4}
    write_transforms(folder / "transforms.json", top, frames)
    return cameras


def transforms_blender(folder):
    """Only the angle of view, and names without an ending."""
    angle, cameras, frames = 0.75, [], []
    for i in range(3):
        camera = Camera(4 * i)
        camera.fx = camera.fy = 0.5 * WIDTH / math.tan(0.5 * angle)
        camera.cx, camera.cy = WIDTH / 2 - 0.5, HEIGHT / 2 - 0.5
        frames.append({"file_path": f"./train/{camera.name}", "rotation": 0.01, "transform_matrix": opengl(camera)})
        write_image(folder / "train" / f"{camera.name}.png", i)
        write_mask(folder / "masks" / "train" / f"{camera.name}.png", camera, i)
        camera.name = f"train_{camera.name}"
        cameras.append(camera)
    write_transforms(folder / "transforms_train.json", {"camera_angle_x": angle}, frames)
    return cameras


# ---- ETH3D ----

def eth3d(folder):
    cameras = [Camera(i) for i in (0, 2, 5, 6)]
    rows = [(camera, "PINHOLE", [], False) for camera in cameras]
    colmap_text_model(folder / "dslr_calibration_undistorted", rows, "dslr_images_undistorted/")
    for i, camera in enumerate(cameras):
        write_image(folder / "images" / "dslr_images_undistorted" / f"{camera.name}.png", i)
        camera.name = f"dslr_images_undistorted_{camera.name}"
    project = "<!DOCTYPE MeshLabDocument>\n<MeshLabProject>\n <MeshGroup>\n"
    for i, (low, high) in enumerate([(-0.2, 0.05), (-0.05, 0.2)], 1):
        c, s = math.cos(i), math.sin(i)
        pose = pose_of(np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]), np.array([0.1 * i, -0.2, 0.3]))
        write_ply(folder / "dslr_scan_eval" / f"scan{i}.ply", (surface(25, low, high) - pose[:3, 3]) @ pose[:3, :3])
        project += f'  <MLMesh label="scan{i}" filename="scan{i}.ply">\n   <MLMatrix44>\n{rows_of(pose)}</MLMatrix44>\n'
        project += "  </MLMesh>\n"
    write(folder / "dslr_scan_eval" / "scan_alignment.mlp", project + " </MeshGroup>\n</MeshLabProject>\n")
    return cameras


# ---- MVSNet: camera_from_world, (0, 0) is the first pixel's centre, no lens ----

def cam_text(camera, scale):
    K = np.array([[camera.fx, 0, camera.cx], [0, camera.fy, camera.cy], [0, 0, 1]])
    return (f"extrinsic\n{rows_of(pose_of(camera.R, scale * camera.t))}\nintrinsic\n{rows_of(K)}\n"
            f"{0.8 * scale!r} {0.01 * scale!r}\n")


def pair_text(count):
    lines = [str(count)]
    for view in range(count):
        others = [other for other in range(count) if other != view]
        lines += [str(view), " ".join([str(len(others))] + [f"{other} {100.5 - other}" for other in others])]
    return "\n".join(lines) + "\n"


def mat_element(kind, data):
    if len(data) <= 4:
        return struct.pack("<I", len(data) << 16 | kind) + data.ljust(4, b"\0")
    return struct.pack("<II", kind, len(data)) + data + b"\0" * (-len(data) % 8)


def write_mat(path, compressed, **arrays):
    """A MATLAB file of level 5; bytes become logical arrays, other numbers doubles."""
    text = b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM"
    for name, array in arrays.items():
        logical = array.dtype == np.uint8
        body = mat_element(6, struct.pack("<II", 0x0209 if logical else 6, 0))
        body += mat_element(5, struct.pack(f"<{array.ndim}i", *array.shape)) + mat_element(1, name.encode())
        body += mat_element(2 if logical else 9, array.tobytes(order="F"))
        matrix = struct.pack("<II", 14, len(body)) + body
        packed = zlib.compress(matrix, 9)
        text += struct.pack("<II", 15, len(packed)) + packed if compressed else matrix
    write(path, text)


def observed(folder):
    """DTU's ObsMask7_10.mat and Plane7.mat, in millimetres: a voxel is observed unless 5 divides i + 2 j + 3 k."""
    i, j, k = np.indices((17, 13, 9))
    write_mat(folder / "ObsMask7_10.mat", True, ObsMask=((i + 2 * j + 3 * k) % 5 != 0).astype(np.uint8),
              BB=np.array([[-200.0, -150, 900], [200, 150, 1100]]), Res=np.array([[25.0]]), Margin=np.array([[10.0]]))
    write_mat(folder / "Plane7.mat", False, P=np.array([[0.1], [0.02], [-1.0], [1005.0]]))


def dtu(folder):
    """Millimetres; the scan lies two folders above, as DTU's archives unpack."""
    cameras = [Camera(3 * i) for i in range(4)]
    for i, camera in enumerate(cameras):
        camera.name = f"{i:08}"
        write(folder / "scan7" / "cams" / f"{camera.name}_cam.txt", cam_text(camera, 1000.0))
        write_image(folder / "scan7" / "images" / f"{camera.name}.png", i)
    write(folder / "scan7" / "pair.txt", pair_text(len(cameras)))
    write_ply(folder / "Points" / "stl" / "stl007_total.ply", 1000 * surface(30))
    observed(folder / "ObsMask")
    return cameras


def depth_along_z(camera):
    """Of the plane z = 1: the ray of each pixel, cut with it. 0 stands for no depth."""
    x, y = np.meshgrid(np.arange(WIDTH), np.arange(HEIGHT))
    rays = np.stack([(x - camera.cx) / camera.fx, (y - camera.cy) / camera.fy, np.ones(x.shape)], 2)
    centre = -camera.R.T @ camera.t
    depth = (1 - centre[2]) / (rays @ camera.R)[..., 2]
    depth[:, 0] = 0
    return depth


def blendedmvs(folder):
    cameras = [Camera(4 * i) for i in range(3)]
    for i, camera in enumerate(cameras):
        camera.name = f"{i:08}"
        write(folder / "cams" / f"{camera.name}_cam.txt", cam_text(camera, 1.0))
        write_image(folder / "blended_images" / f"{camera.name}.png", i)
        write_image(folder / "blended_images" / f"{camera.name}_masked.png", i)
        depth = depth_along_z(camera)
        write(folder / "rendered_depth_maps" / f"{camera.name}.pfm",
                    f"Pf\n{WIDTH} {HEIGHT}\n-1\n".encode() + depth[::-1].astype("<f4").tobytes())
    write(folder / "cams" / "pair.txt", pair_text(len(cameras)))
    return cameras


# ---- Tanks and Temples: world_from_camera in a frame of its own; a similarity puts it into that of the truth ----

def tanks(folder):
    c, s, scale, shift = math.cos(0.7), math.sin(0.7), 0.25, np.array([0.3, -0.1, 0.2])
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    cameras = [Camera(i) for i in (0, 3, 6, 9)]
    log, K = "", cameras[0]
    for i, camera in enumerate([*cameras, None]):
        write_image(folder / "images" / f"{i:06}.png", i)
        pose, number = np.eye(4), -1  # an image that the reference does not register
        if camera:
            number = i
            centre = turn.T @ ((-camera.R.T @ camera.t) - shift) / scale
            pose = pose_of(turn.T @ camera.R.T, centre)
            camera.fx, camera.fy, camera.cx, camera.cy, camera.name = K.fx, K.fy, K.cx, K.cy, f"{i:06}"
        log += f"{i} {number} 0\n{rows_of(pose)}"
    write(folder / "Hill_COLMAP_SfM.log", log)
    write(folder / "Hill_trans.txt", rows_of(pose_of(scale * turn, shift)))
    write(folder / "intrinsics.json", json.dumps({
        "width": WIDTH, "height": HEIGHT, "intrinsic_matrix": [K.fx, 0.0, 0.0, 0.0, K.fy, 0.0, K.cx, K.cy, 1.0]}))
    write_ply(folder / "Hill.ply", surface(30))
    write(folder / "Hill.json", json.dumps({
        "class_name": "SelectionPolygonVolume", "version_major": 1, "version_minor": 0, "orthogonal_axis": "Z",
        "axis_min": 0.5, "axis_max": 1.5,
        "bounding_polygon": [[-0.1, -0.1, 0.0], [0.1, -0.1, 0.0], [0.1, 0.1, 0.0], [-0.1, 0.1, 0.0]]}))
    return cameras


MAKERS = [("colmap-text", "colmap", "none", colmap_text, "."), ("colmap-binary", "colmap", "none", colmap_binary, "."),
          ("nerfstudio", "transforms", "none", transforms_opencv, "."),
          ("instant-ngp", "transforms", "none", transforms_fisheye, "."),
          ("blender", "transforms", "none", transforms_blender, "."), ("eth3d", "eth3d", "surface", eth3d, "."),
          ("dtu", "mvsnet", "surface", dtu, "scan7"), ("blendedmvs", "mvsnet", "surface+depth", blendedmvs, "."),
          ("tanks", "tanks", "surface", tanks, ".")]


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "conformance")
    shutil.rmtree(folder / "layouts", ignore_errors=True)
    layouts = []
    for name, layout, truth, make, below in MAKERS:
        cameras = make(folder / "layouts" / name)
        layouts.append({"folder": f"{name}/{below}" if below != "." else name, "layout": layout, "truth": truth,
                        "cameras": expected(cameras)})
    text = ",\n".join(map(json.dumps, layouts))
    write(folder / "layouts.json", f'{{"points": {json.dumps(POINTS.tolist())},\n"layouts": [\n{text}\n]}}\n')


if __name__ == "__main__":
    main()
