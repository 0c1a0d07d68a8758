"""All of `aqbench eval` for arrays: the package hands them to the program as files in memory."""

import json
import os
import pathlib
import struct
import tempfile

from ._arrays import indices, numbers
from ._library import Error
from ._program import run

_FILES = ("truth", "truth_cloud", "mesh", "cloud")  # arguments that may be arrays


def _bytes_of(values):
    import ctypes

    return ctypes.string_at(values.address, values.count * 8) if values.count else b""


def _write_ply(path, what, vertices, triangles=None, normals=None):
    """Writes float64, so that no bit is lost; `triangles` (m, 3) makes it a mesh."""
    points = numbers(what, vertices, 3)
    unit = None if normals is None else numbers("normals", normals, 3)
    if unit is not None and unit.shape != points.shape:
        raise Error(f"normals: {unit.count} values, expected {points.count}")
    names = ["x", "y", "z"] + ([] if unit is None else ["nx", "ny", "nz"])
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {points.shape[0]}\n"
    head += "".join(f"property double {name}\n" for name in names)
    data = _bytes_of(points)
    if unit is not None:
        rows, more = data, _bytes_of(unit)
        data = b"".join(rows[24 * i:24 * i + 24] + more[24 * i:24 * i + 24] for i in range(points.shape[0]))
    if triangles is not None:
        faces = indices(f"{what}: triangles", triangles, points.shape[0])
        import ctypes

        corners = memoryview(ctypes.string_at(faces.address, 4 * faces.count)).cast("I").tolist()
        head += f"element face {len(corners) // 3}\nproperty list uchar uint vertex_indices\n"
        data += b"".join(struct.pack("<BIII", 3, *corners[i:i + 3]) for i in range(0, len(corners), 3))
    path.write_bytes(head.encode() + b"end_header\n" + data)


def _is_file(value):
    return isinstance(value, (str, os.PathLike))


def _file_of(folder, what, value, normals=None):
    """Returns the file of an argument: itself, or the array or mesh (vertices, triangles) written down."""
    if _is_file(value):
        return os.fspath(value)
    path = folder / f"{what}.ply"
    if isinstance(value, tuple) and len(value) == 2 and not isinstance(value[0], (int, float)):
        _write_ply(path, what, value[0], value[1])
    else:
        _write_ply(path, what, value, normals=normals)
    return os.fspath(path)


def _words(folder, options):
    words = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if name in _FILES and not _is_file(value):
            several = isinstance(value, list) and value and (_is_file(value[0]) or hasattr(value[0], "shape"))
            for i, one in enumerate(value if several else [value]):
                words += [flag, _file_of(folder, f"{name}{i}", one)]
        elif value is True:
            words.append(flag)
        elif value is not None and value is not False:
            for one in value if isinstance(value, (list, tuple)) else [value]:
                words += [flag, os.fspath(one) if isinstance(one, os.PathLike) else str(one)]
    return words


def ask(cloud, normals, options):
    """Runs `aqbench eval`; returns its JSON and its notes."""
    shared = pathlib.Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="aqbench-", dir=shared if os.access(shared, os.W_OK) else None) as name:
        folder = pathlib.Path(name)
        words = ["eval", *([] if cloud is None else [_file_of(folder, "cloud", cloud, normals)])]
        try:
            text, notes = run([*words, *_words(folder, options), "--json"])
        except Error as error:
            said = Error(str(error).replace(f"{name}/", "").replace(".ply", ""))
            said.exit_code = error.exit_code
            raise said from None
    return json.loads(text), [line.replace(f"{name}/", "") for line in notes.splitlines()]
