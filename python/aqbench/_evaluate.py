"""All of `aqbench eval` for arrays (aqbench/evaluate.h), and where the program is."""

import json
import os
import subprocess

from ._arrays import indices, numbers
from ._library import Error, call

_FILES = ("truth", "truth_cloud", "mesh", "cloud")  # arguments that may be arrays


def program():
    """Returns the path of the program `aqbench`, which the wheel brings, else the PATH has; raises Error without it."""
    return call("program").text


def _is_file(value):
    return isinstance(value, (str, os.PathLike))


def _geometry(name, value, normals=None):
    """Returns points, normals and triangles of an argument: an array, or a mesh (vertices, triangles)."""
    if isinstance(value, tuple) and len(value) == 2 and not isinstance(value[0], (int, float)):
        vertices = numbers(name, value[0], 3)
        return vertices, numbers(name, []), indices(f"{name}: triangles", value[1], vertices.shape[0])
    points, unit = numbers(name, value, 3), numbers("normals", [] if normals is None else normals, 3)
    if normals is not None and unit.count != points.count:
        raise Error(f"normals: {unit.count} values, expected {points.count}")
    return points, unit, indices(name, [], 0)


def _words(options, geometries):
    words = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if name in _FILES and not _is_file(value):
            several = isinstance(value, list) and value and (_is_file(value[0]) or hasattr(value[0], "shape"))
            for i, one in enumerate(value if several else [value]):
                if not _is_file(one):
                    geometries[f"{name}{i}"] = _geometry(f"{name}{i}", one)
                words += [flag, os.fspath(one) if _is_file(one) else f"{name}{i}"]
        elif value is True:
            words.append(flag)
        elif value is not None and value is not False:
            for one in value if isinstance(value, (list, tuple)) else [value]:
                words += [flag, os.fspath(one) if isinstance(one, os.PathLike) else str(one)]
    return words


def _by_program(geometries, words):
    """Bundles are written by the program, which reads files."""
    if geometries:
        raise Error("out: a bundle needs files; give arrays as files, too")
    said = subprocess.run([program(), "eval", *words, "--json"], capture_output=True, text=True)
    if said.returncode != 0:
        error = Error(said.stderr.strip().removeprefix("aqbench: error: "))
        error.exit_code = said.returncode
        raise error
    found = json.loads(said.stdout)
    metrics = found["records"][0]["metrics"] if len(found["records"]) == 1 else {}
    rows = [[name, one["unit"], one["value"], one.get("reason") or "", one["better"], None]
            for name, one in metrics.items()]
    return {"json": said.stdout, "metrics": rows, "notes": said.stderr.splitlines()}


def ask(cloud, normals, options):
    """Does what `aqbench eval` does; returns {"json": its text, "metrics": rows, "notes": lines}."""
    geometries, words = {}, []
    if _is_file(cloud):
        words.append(os.fspath(cloud))
    elif cloud is not None:
        geometries["cloud"] = _geometry("cloud", cloud, normals)
        words.append("cloud")
    words += _words(options, geometries)
    if options.get("out") is not None:
        return _by_program(geometries, words)
    return call("evaluate", *geometries, "--", *words, arrays=[part for one in geometries.values() for part in one]).value
