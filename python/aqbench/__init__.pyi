import contextlib
import os
from typing import Any, Iterable, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str
__all__: list[str]

_Path = Union[str, os.PathLike[str]]
_Setting = Union[float, str]

class Error(ValueError):
    exit_code: int

class Scene:
    """A surface under water that is known exactly; settings are its parameters."""
    def __init__(self, name: _Path, **settings: _Setting) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def settings(self) -> dict[str, _Setting]: ...
    @property
    def area_m2(self) -> float: ...
    def closest_points(
        self, points: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """points (n, 3) -> closest (n, 3), normals (n, 3) towards the cameras, signed distance (n,), metres."""
    def sample(self, spacing: float = 0.001, seed: int = 42) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """points (n, 3), metres, and normals (n, 3) of the true surface."""

class Camera:
    """A camera above the water. Pixels: centres at integers, of the undistorted camera."""
    def __init__(self, calibration: str) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def width_px(self) -> int: ...
    @property
    def height_px(self) -> int: ...
    @property
    def K(self) -> NDArray[np.float64]: ...
    @property
    def R(self) -> NDArray[np.float64]: ...
    @property
    def t(self) -> NDArray[np.float64]: ...
    @property
    def distortion(self) -> NDArray[np.float64]: ...
    @property
    def interface(self) -> dict[str, Any]: ...
    @property
    def calibration(self) -> str: ...
    def project(self, points: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """points (n, 3), metres -> pixels (n, 2), depth along the refracted ray (n,); NaN where not imaged."""
    def cast(self, pixels: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """pixels (n, 2) -> origins on the water (n, 3), unit directions in the water (n, 3)."""

class Scores(dict[str, Optional[float]]):
    def __init__(
        self,
        rows: Iterable[tuple[str, str, Optional[float], str, str, Optional[float]]] = ...,
        notes: Iterable[str] = ...,
        details: Optional[dict[str, Any]] = ...,
        json: str = ...,
    ) -> None: ...
    units: dict[str, str]
    better: dict[str, str]
    ideals: dict[str, float]
    reasons: dict[str, str]
    notes: list[str]
    details: dict[str, Any]
    json: str

class View:
    def __init__(self, image: NDArray[np.uint16], depth: NDArray[np.float32], bits: int) -> None: ...
    image: NDArray[np.uint16]
    depth: NDArray[np.float32]
    bits: int

def scenes() -> list[str]: ...
def rigs() -> list[str]: ...
def program() -> str: ...
def make_rig(name: str = "ring12", seed: int = 42, **settings: _Setting) -> list[Camera]: ...
def read_rig(calibration_json: _Path) -> list[Camera]: ...
def set_threads(count: int) -> None: ...
def score(points: ArrayLike, scene: Union[_Path, Scene], normals: Optional[ArrayLike] = None) -> Scores: ...
def score_mesh(vertices: ArrayLike, triangles: ArrayLike, scene: Union[_Path, Scene]) -> Scores: ...
def score_depth(predicted: ArrayLike, truth: ArrayLike) -> Scores: ...
def evaluate(
    cloud: Union[_Path, ArrayLike, tuple[ArrayLike, ArrayLike], None] = None,
    normals: Optional[ArrayLike] = None,
    **options: Any,
) -> Any: ...
def render(
    scene: Union[_Path, Scene],
    camera: Camera,
    imaging: str = "default",
    seed: int = 42,
    camera_index: int = 0,
    **settings: _Setting,
) -> View: ...
def compare(
    a: ArrayLike, b: ArrayLike, higher_is_better: bool = False, policy: str = "sensitive"
) -> dict[str, Any]: ...

class Bundle:
    run: str
    suite: str
    started_utc: str
    complete: bool
    cases: list[dict[str, Any]]
    def __init__(self, path: _Path) -> None: ...
    def to_pandas(self) -> Any: ...

class stage(contextlib.ContextDecorator):
    name: str
    def __init__(self, name: str) -> None: ...
    def __enter__(self) -> stage: ...
    def __exit__(self, *exception: object) -> bool: ...
