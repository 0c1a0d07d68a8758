"""Scores of 3D reconstructions against exact surfaces under water (docs/libraries.md).

Arrays are numpy's, tensors (DLPack), anything with the buffer protocol, or nested lists. Those of float64 (depth maps:
float32) in C order are used where they lie; other integers and floats are converted once, what is masked is NaN, and
any other dtype is refused. Results are arrays of numpy, or memoryviews where numpy is not installed. The global
interpreter lock is free while aqbench works. Errors are aqbench.Error, a ValueError with the text that the program
would print. Results are bit for bit those of the command line. Files are texts or os.PathLike.
"""

from ._evaluate import program
from ._library import Error, call
from ._scenes import Camera, Scene, View, make_rig, read_rig, render, rigs, scenes
from ._scores import Bundle, Scores, compare, evaluate, score, score_depth, score_mesh
from ._stages import stage  # clients/aqbench_stages.py

__version__ = call("version").value

__all__ = ["Bundle", "Camera", "Error", "Scene", "Scores", "View", "__version__", "compare", "evaluate", "make_rig",
           "program", "read_rig", "render", "rigs", "scenes", "score", "score_depth", "score_mesh", "set_threads",
           "stage"]


def set_threads(count):
    """Sets the number of threads of aqbench, an int; it changes no result. Default: all processors."""
    if isinstance(count, bool) or not hasattr(count, "__index__"):
        raise Error(f"threads: {count!r}: must be an integer")
    call("set_threads", count.__index__())
