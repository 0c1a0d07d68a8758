"""Calls of the library of aqbench (python/calls.cc) by ctypes, which frees the interpreter meanwhile."""

import ctypes
import json
import pathlib


class Error(ValueError):
    """An error with the text printed by the program, and its exit_code: 2 for a wrong name, value or file, 6 for
    reading and writing, 3 for anything else.
    """

    exit_code = 2


class _Array(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("count", ctypes.c_int64)]


def _load():
    library = ctypes.CDLL(str(pathlib.Path(__file__).with_name("_aqbench.so")))
    count = ctypes.c_int64
    library.aqbench_call.argtypes = [
        ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p), count, ctypes.POINTER(_Array), count,
        ctypes.POINTER(ctypes.c_void_p), count, ctypes.POINTER(ctypes.c_void_p)]
    library.aqbench_text.argtypes, library.aqbench_text.restype = [ctypes.c_void_p], ctypes.c_char_p
    library.aqbench_array.argtypes, library.aqbench_array.restype = [ctypes.c_void_p, count], _Array
    library.aqbench_free.argtypes, library.aqbench_free.restype = [ctypes.c_void_p], None
    return library


_LIBRARY = _load()


class Answer:
    """What a call gave: `value` (its JSON), arrays, and an object to pass on. Frees them with itself."""

    def __init__(self, handle):
        self.handle = handle
        text = _LIBRARY.aqbench_text(handle)
        self.text = text.decode("utf-8", "replace")

    @property
    def value(self):
        return json.loads(self.text)

    def array(self, i, letter, shape):
        """Returns array number i in this shape: "d" float64, "f" float32, "H" uint16."""
        from ._arrays import owned

        found = _LIBRARY.aqbench_array(self.handle, i)
        return owned(self, found.data, found.count, letter, shape)

    def __del__(self, free=_LIBRARY.aqbench_free):
        if getattr(self, "handle", None) is not None:
            free(self.handle)


def call(function, *words, arrays=(), objects=()):
    """Calls a function of the library with words (texts), arrays (Values) and objects (Answers); returns its Answer.

    Raises Error with the text and the exit code that the program would give.
    """
    encoded = [word.encode("utf-8", "surrogateescape") for word in map(str, words)]
    if any(b"\0" in word for word in encoded):
        raise Error("a text holds a NUL character")
    given = (_Array * len(arrays))(*((one.address, one.count) for one in arrays))
    handles = (ctypes.c_void_p * len(objects))(*(one.handle for one in objects))
    answer = ctypes.c_void_p()
    code = _LIBRARY.aqbench_call(function.encode(), (ctypes.c_char_p * len(encoded))(*encoded), len(encoded), given,
                                 len(arrays), handles, len(objects), ctypes.byref(answer))
    if answer.value is None or code == -1:
        raise MemoryError("aqbench: out of memory")
    result = Answer(answer.value)
    if code != 0:
        error = Error(result.text)
        error.exit_code = code
        raise error
    return result
