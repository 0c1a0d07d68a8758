"""Scenes, cameras and their images."""

from __future__ import annotations

import json
import os

from ._arrays import numbers, numpy_or_none
from ._library import Error, call


def _words_of(settings):
    return [word for name, value in settings.items() for word in (name, os.fspath(value) if
            isinstance(value, os.PathLike) else value)]


class _Constant:
    """What never changes: a copy of it is itself."""

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


class Scene(_Constant):
    """An exactly known surface under water: a registered scene by its name (aqbench.scenes()) with settings
    of its parameters (aqbench list scenes), or "mesh:FILE.ply".
    """

    def __init__(self, name, **settings):
        name = os.fspath(name)
        self._settings = settings
        self._answer = call("scene", name, *_words_of(settings))
        self._facts = self._answer.value

    @property
    def name(self):
        """Its name."""
        return self._facts["name"]

    @property
    def settings(self):
        """The parameters that were given, as a dict."""
        return dict(self._settings)

    @property
    def area_m2(self):
        """Area of the scored part, square metres."""
        return self._facts["area_m2"]

    def closest_points(self, points):
        """Finds the closest point of the surface to each of the points (n, 3): metres in the world frame, finite.

        Returns the closest points (n, 3), metres, the unit normals there towards the cameras (n, 3), and the signed
        distances (n,), metres, positive on the cameras' side.
        """
        given = numbers("points", points, 3)
        found, n = call("closest_points", arrays=[given], objects=[self._answer]), given.shape[0]
        return found.array(0, "d", (n, 3)), found.array(1, "d", (n, 3)), found.array(2, "d", (n,))

    def sample(self, spacing=0.001, seed=42):
        """Returns points of the true surface (n, 3), metres, and its unit normals there towards the cameras (n, 3).

        Each point stands for the same share of the area; they are `spacing` metres apart on average at most, and the
        same for the same seed.
        """
        found = call("sample", _natural("seed", seed), arrays=[numbers("spacing", [spacing])], objects=[self._answer])
        points = found.array(0, "d", (-1, 3))
        return points, found.array(1, "d", (-1, 3))

    def __repr__(self):
        return "Scene(" + ", ".join([repr(self.name), *(f"{k}={v!r}" for k, v in self._settings.items())]) + ")"

    def __eq__(self, other):
        return isinstance(other, Scene) and (self.name, self._settings) == (other.name, other._settings)

    def __hash__(self):
        return hash((self.name, tuple(sorted((k, str(v)) for k, v in self._settings.items()))))

    def __reduce__(self):
        return _scene_again, (self.name, self._settings)


def _scene_again(name, settings):
    return Scene(name, **settings)


def _natural(what, value):
    if isinstance(value, bool) or not hasattr(value, "__index__") or not 0 <= value.__index__() < 1 << 64:
        raise Error(f"{what}: {value!r}: must be an integer from 0 to 2^64 - 1")
    return value.__index__()


def _triple(rows):
    numpy = numpy_or_none()
    return rows if numpy is None else numpy.array(rows, float)


class Camera(_Constant):
    """A camera above the water that looks into it; from make_rig() or read_rig().

    Pixels: centres at integers, of the undistorted camera. World: metres, +Z down.
    """

    def __init__(self, calibration):
        """Makes a camera of the text of a calibration.json that has one camera."""
        self._answer = call("camera", calibration)
        [[self._name, self._width, self._height, self._text]] = self._answer.value
        self._facts = None

    def _fact(self, *keys):
        if self._facts is None:
            self._facts = json.loads(self._text)
        found = next(iter(self._facts["cameras"].values()))
        for key in keys:
            found = found[key]
        return found

    @property
    def name(self):
        """Its name."""
        return self._name

    @property
    def width_px(self):
        """Width of its images, pixels."""
        return self._width

    @property
    def height_px(self):
        """Height of its images, pixels."""
        return self._height

    @property
    def K(self):
        """Intrinsic matrix (3, 3), pixels, of the undistorted camera."""
        return _triple(self._fact("intrinsics", "K"))

    @property
    def R(self):
        """Rotation (3, 3): x_in_camera = R x_in_world + t."""
        return _triple(self._fact("extrinsics", "R"))

    @property
    def t(self):
        """Translation (3,), metres: x_in_camera = R x_in_world + t."""
        return _triple(self._fact("extrinsics", "t"))

    @property
    def distortion(self):
        """Coefficients of the lens as in calibration.json; its model stands in `calibration`."""
        return _triple(self._fact("intrinsics", "dist_coeffs"))

    @property
    def interface(self):
        """Between camera and water, as a dict of calibration.json: water_z (metres), refractive indices, normal.

        Empty where the camera looks through none."""
        self._fact()
        facts = {k: v for k, v in self._fact().items() if k not in ("name", "intrinsics", "extrinsics")}
        return {**facts, **(self._facts.get("interface") or {})} if "water_z" in facts else {}

    @property
    def calibration(self):
        """The text of a calibration.json with this camera, to the last bit (docs/dataset.md)."""
        return self._text

    def project(self, points):
        """Projects points (n, 3), metres in the world frame, through the water.

        Returns pixels (n, 2), which may lie outside the image and are NaN for a point that is not below the water or
        not in front of the camera, and depths (n,): metres along the refracted ray from the water surface.
        """
        given = numbers("points", points, 3)
        found = call("project", arrays=[given], objects=[self._answer])
        return found.array(0, "d", (given.shape[0], 2)), found.array(1, "d", (given.shape[0],))

    def cast(self, pixels):
        """Casts the rays of pixels (n, 2).

        Returns origins (n, 3) on the water surface, metres, NaN for a ray that does not reach the water, and unit
        directions (n, 3) in the water.
        """
        given = numbers("pixels", pixels, 2)
        found = call("cast", arrays=[given], objects=[self._answer])
        return found.array(0, "d", (given.shape[0], 3)), found.array(1, "d", (given.shape[0], 3))

    def __repr__(self):
        return f"<aqbench.Camera {self.name}, {self.width_px} x {self.height_px} px>"

    def __eq__(self, other):
        return isinstance(other, Camera) and self._text == other._text

    def __hash__(self):
        return hash(self._text)

    def __reduce__(self):
        return Camera, (self._text,)


def scenes():
    """Returns the names of the registered scenes, a list of str."""
    return call("names").value[0]


def rigs():
    """Returns the names of the registered rigs, a list of str."""
    return call("names").value[1]


def make_rig(name="ring12", seed=42, **settings):
    """Makes the cameras of a registered rig, one of aqbench.rigs(), or of a file (read_rig()), as a list.

    `seed` draws the jitter; settings are the rig's parameters, such as width=800 (pixels).
    """
    found = call("make_rig", name, _natural("seed", seed), *_words_of(settings))
    return [Camera(text) for *_, text in found.value]


def read_rig(calibration_json):
    """Reads cameras, a list: calibration.json, cameras.json, transforms.json or a COLMAP folder; metres, pixels."""
    return [Camera(text) for *_, text in call("read_rig", os.fspath(calibration_json)).value]


def scene_of(scene):
    return scene if isinstance(scene, Scene) else Scene(scene)


class View:
    """What a camera records.

    image (height, width), uint16: 0 to 2**bits - 1 of the sensor's bits, lens distortion included. depth (height,
    width), float32: the truth, metres along the refracted ray from the water surface, of the undistorted camera; NaN
    for none.
    """

    def __init__(self, image, depth, bits):
        self.image, self.depth, self.bits = image, depth, bits

    def __repr__(self):
        height, width = self.image.shape
        return f"<aqbench.View {width} x {height} px, {self.bits} bits>"


def render(scene, camera, imaging="default", seed=42, camera_index=0, **settings):
    """Renders a scene as a Camera sees it through the water, by a variant of the imaging (aqbench list imaging).

    `seed` draws texture and noise. Gain and noise differ between cameras by `camera_index`: with the camera's place in
    its rig, images are those of `aqbench render`. Settings are parameters of the imaging, such as psf_sigma_px=1
    (pixels). Returns a View.
    """
    if not isinstance(camera, Camera):
        raise Error(f"camera: must be an aqbench.Camera, not {type(camera).__name__}")
    found = call("render", imaging, _natural("seed", seed), _natural("camera_index", camera_index),
                 *_words_of(settings), objects=[scene_of(scene)._answer, camera._answer])
    height, width, bits = found.value
    return View(found.array(0, "H", (height, width)), found.array(1, "f", (height, width)), bits)
