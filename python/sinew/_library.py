"""Finds libsinew, gives its functions their types, and turns its errors into exceptions."""
import ctypes
import ctypes.util
import glob
import os

from . import _api as api


class Error(Exception):
    """What the library refused or failed at. `status` is its name (SN_BAD_FILE, ...), `file`, `line` and `remedy` say
    where and what to do, where the library knows; `problems` lists everything that is wrong with a model."""

    def __init__(self, text, status="SN_FAILED", file="", line=0, remedy="", problems=()):
        super().__init__(text)
        self.status, self.file, self.line, self.remedy, self.problems = status, file, line, remedy, list(problems)


def _candidates():
    here = os.path.dirname(os.path.abspath(__file__))
    if os.environ.get("SINEW_LIBRARY"):
        yield os.environ["SINEW_LIBRARY"]
        return
    yield os.path.join(here, "..", "..", "libsinew.so")  # build/python/sinew
    for pattern in ("lib*/libsinew.so.0", "lib/*/libsinew.so.0"):  # PREFIX/share/sinew/python/sinew
        yield from sorted(glob.glob(os.path.join(here, "..", "..", "..", "..", pattern)))
    yield ctypes.util.find_library("sinew") or "libsinew.so.0"


def _absent(path, name):
    def refuse(*_):
        raise Error(f"{path} was built without {name}", "SN_FAILED")
    return refuse


def _default(library, name):
    """A def with its size and its defaults, as the default functions of the headers make it."""
    struct, values, kind = api.DEFAULTS[name]
    definition = struct()
    definition.size = ctypes.sizeof(struct)
    if kind is not None:
        library.sn_default_def(kind, ctypes.byref(definition), ctypes.sizeof(struct))
    for field, value in values(lambda other: _default(library, other)).items():
        name, _, index = field.partition("[")
        if index:
            getattr(definition, name)[int(index[:-1])] = value
        else:
            setattr(definition, field, value)
    return definition


def _load():
    tried = []
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            tried.append(str(error))
            continue
        for name, (result, arguments) in api.FUNCTIONS.items():
            try:
                function = getattr(library, name)
            except AttributeError:  # one part was left out of this library: only using it is an error
                setattr(library, name, _absent(path, name))
                continue
            function.restype, function.argtypes = result, arguments
        for name in api.DEFAULTS:
            setattr(library, name, lambda name=name: _default(library, name))
        return library
    raise ImportError("libsinew.so was not found; set SINEW_LIBRARY to its path. " + "; ".join(tried))


sn = _load()
_NAMES = {status: sn.sn_status_info(status).contents.name.decode() for status in range(api.SN_BAD_ARGUMENT + 1)}


def text_of(error):
    buffer = ctypes.create_string_buffer(2048)
    return sn.sn_error_format(ctypes.byref(error), buffer, len(buffer)).decode(errors="replace")


def check(status, error=None, otherwise=None):
    """Raises unless the status is SN_OK, with the library's own message."""
    if status == api.SN_OK:
        return
    text = text_of(error) if error is not None and error.message else otherwise
    text = text or sn.sn_status_info(status).contents.text.decode()
    if status == api.SN_NO_MEMORY:
        raise MemoryError(text)
    if error is None:
        raise Error(text, _NAMES[status])
    raise Error(text, _NAMES[status], error.file.decode(errors="replace"), error.line,
                error.remedy.decode(errors="replace"))


class Handle:
    """An object of the library. It is freed when the last Python object that needs it is gone: arrays keep the object
    whose memory they show, a state keeps its model. So nothing that is still in use is ever freed."""

    def __init__(self, pointer, destroy, *needs):
        self.pointer, self._destroy, self._needs = pointer, destroy, needs

    def __del__(self):
        if self.pointer and self._destroy is not None:
            self._destroy(self.pointer)
        self.pointer = None


class Closable:
    """Something with a handle that can be let go of early; using it afterwards raises an Error."""

    _what = "object"
    _handle = None

    @property
    def _pointer(self):
        if self._handle is None:
            raise Error(f"this {self._what} has been closed", "SN_USAGE")
        return self._handle.pointer

    def close(self):
        """Lets go of it. Arrays that were handed out stay valid; memory is freed when they are gone too."""
        self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def encode(text):
    """A string or path for the library."""
    if isinstance(text, bytes):
        return text
    return os.fspath(text).encode()


def set_fields(options, *structs):
    """Sets fields by name in the first of the structs that has them; an unknown name raises a TypeError."""
    for name, value in options.items():
        for struct in structs:
            if name in {field[0] for field in struct._fields_} - {"size"}:
                try:
                    setattr(struct, name, value)
                except TypeError as error:
                    raise TypeError(f"{name}: {error}") from None
                break
        else:
            known = sorted({field[0] for struct in structs for field in struct._fields_} - {"size"})
            raise TypeError(f"unknown option {name!r}; there are {', '.join(known)}")
