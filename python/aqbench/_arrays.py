"""Arrays of the caller as addresses, without a copy where their type allows it."""

import array
import ctypes
import math

from ._library import Error

FORMATS = {"d": ctypes.c_double, "f": ctypes.c_float, "I": ctypes.c_uint32}


def numpy_or_none():
    """Returns the module numpy, or None where it is not installed."""
    try:
        import numpy
    except ImportError:
        return None
    return numpy


class _Buffer(ctypes.Structure):
    """CPython's Py_buffer."""

    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
                ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p)]


class Values:
    """An array that the library reads: `address`, `count` and `shape`; holds what owns the memory."""

    def __init__(self, view):
        self._buffer = _Buffer()
        ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(view), ctypes.byref(self._buffer), 0x18)  # C order
        self.address, self.shape = self._buffer.buf, view.shape
        self.count = self._buffer.len // self._buffer.itemsize

    def __del__(self):
        if self._buffer.obj is not None:
            ctypes.pythonapi.PyBuffer_Release(ctypes.byref(self._buffer))


def _fail(what, reason):
    raise Error(f"{what}: {reason}") from None


def _flat(what, rows, values, shape, depth=0):
    """Appends nested sequences of numbers to `values`; returns their shape."""
    if isinstance(rows, (int, float)) and not isinstance(rows, bool):
        values.append(rows)
        return ()
    if isinstance(rows, (str, bytes, bool)) or not hasattr(rows, "__len__"):
        _fail(what, f"must be integers or floats, not {type(rows).__name__}")
    shapes = {_flat(what, row, values, shape, depth + 1) for row in rows}
    if len(shapes) > 1:
        _fail(what, "its rows have different lengths")
    return (len(rows), *(shapes.pop() if shapes else ()))


def _without_numpy(what, given, letter):
    if hasattr(given, "tolist") and not isinstance(given, (array.array, memoryview)):
        given = given.tolist()  # a tensor
    try:
        view = memoryview(given)
    except TypeError:
        values = array.array("q" if letter == "I" else "d")
        shape = _flat(what, given, values, ())
        view = memoryview(values)
    else:
        if view.format not in "bBhHiIlLqQfd":
            _fail(what, f"must be integers or floats, not '{view.format}'")
        shape = view.shape
    if view.format != letter or not view.c_contiguous:
        flat = view.tobytes(order="C")
        view = memoryview(array.array(letter, memoryview(flat).cast(view.format).tolist()))
    return view.cast("B").cast(letter, shape) if 0 not in shape and shape else view


def _from_tensor(what, given, numpy):
    """Returns a tensor of another library as an array, where it lies (DLPack)."""
    try:
        return numpy.from_dlpack(given)
    except Exception as error:  # whatever the other library raises: its reason is the user's
        first = str(error).strip().splitlines()
        try:
            numpy.asarray(given)  # says more, where the other library speaks of numpy
        except Exception as second:
            first = str(second).strip().splitlines()
        raise Error(f"{what}: {first[0] if first else type(error).__name__}") from error


def _with_numpy(what, given, letter, numpy):
    if hasattr(given, "__dlpack__") and not isinstance(given, numpy.ndarray):
        given = _from_tensor(what, given, numpy)
    try:
        values = numpy.asanyarray(given)
    except Exception as error:
        raise Error(f"{what}: {str(error).strip().splitlines()[0]}") from error
    if values.size == 0 and isinstance(given, (list, tuple)):
        values = values.astype(numpy.float64)  # an empty list has no type
    if values.dtype.kind not in "iuf":
        _fail(what, f"must be integers or floats, not {values.dtype}")
    if isinstance(values, numpy.ma.MaskedArray):
        if letter == "I" and numpy.ma.is_masked(values):
            _fail(what, "some are masked; leave them out")
        values = values.astype(letter).filled(numpy.nan) if letter != "I" else values.data
    return numpy.ascontiguousarray(values, dtype=letter) if letter != "I" else values


def numbers(what, given, columns=None, letter="d"):
    """Returns an argument as Values: float64 ("d") or float32 ("f") in C order.

    Values of that type are used where they lie; other integers and floats are converted once; what numpy masks is NaN.
    With `columns` it must have the shape (n, columns), and what is empty has n = 0.
    """
    if given is None:
        _fail(what, "must be an array, not None")
    numpy = numpy_or_none()
    view = (_without_numpy(what, given, letter) if numpy is None
            else memoryview(_with_numpy(what, given, letter, numpy)))
    values = Values(view)
    if columns is not None and values.shape in ((0,), (0, columns)):
        values.shape = (0, columns)
    elif columns is not None and (len(values.shape) != 2 or values.shape[1] != columns):
        _fail(what, f"must have the shape (n, {columns})")
    return values


def indices(what, given, limit):
    """Returns triangles as Values of uint32, shape (m, 3): indices from 0 to limit - 1."""
    numpy = numpy_or_none()
    outside = f"must be indices of the {limit} vertices, 0 to {limit - 1}"
    if numpy is None:
        given = memoryview(_without_numpy(what, given, "q"))
        flat = memoryview(given.tobytes()).cast("q").tolist()
        if any(not 0 <= index < limit for index in flat):
            _fail(what, outside)
        shape = given.shape
        given = memoryview(array.array("I", flat))
        values = Values(given.cast("B").cast("I", shape) if flat else given)
    else:
        checked = _with_numpy(what, given, "I", numpy)
        if checked.size and checked.dtype != numpy.uint32 and (
                checked.dtype.kind not in "iu" or checked.min() < 0 or checked.max() >= limit):
            _fail(what, outside)
        values = Values(memoryview(numpy.ascontiguousarray(checked, dtype=numpy.uint32)))
    if values.count and (len(values.shape) != 2 or values.shape[1] != 3):
        _fail(what, "must have the shape (n, 3)")
    return values


def owned(answer, address, count, letter, shape):
    """Returns memory of an answer as an array of numpy, or as a memoryview where numpy is not installed."""
    ctype = {"d": ctypes.c_double, "f": ctypes.c_float, "H": ctypes.c_uint16}[letter]
    memory = (ctype * count).from_address(address) if count else (ctype * 0)()
    memory.answer = answer  # which frees it
    shape = tuple(count // max(1, math.prod(shape[1:])) if side < 0 else side for side in shape)
    numpy = numpy_or_none()
    if numpy is not None:
        return numpy.frombuffer(memory, dtype=letter).reshape(shape) if count else numpy.empty(shape, letter)
    view = memoryview(memory).cast("B").cast(letter)
    return view.cast("B").cast(letter, shape) if count else view
