"""Memory of the library as numpy arrays, without copying."""
import ctypes

import numpy


class _Memory:
    """What numpy needs to know of a piece of memory; keeps its owner alive for as long as an array shows it."""

    def __init__(self, address, shape, strides, writable, owner):
        self.owner = owner
        self.__array_interface__ = {"version": 3, "typestr": numpy.dtype(float).str, "shape": shape,
                                    "strides": strides, "data": (address, not writable)}


def view(pointer, shape, owner, writable=False, strides=None):
    """An array over doubles at a pointer. `owner` is the Handle whose memory it is."""
    shape = tuple(int(n) for n in shape)
    address = ctypes.cast(pointer, ctypes.c_void_p).value
    if not address or 0 in shape:
        return numpy.zeros(shape)
    return numpy.asarray(_Memory(address, shape, strides, writable, owner))


def doubles(values, count=None, what="values"):
    """A C-contiguous array of doubles and a pointer to it, of `count` numbers if that is given."""
    array = numpy.ascontiguousarray(values, dtype=float)
    if count is not None and array.size != count:
        raise ValueError(f"{what}: {array.size} numbers, expected {count}")
    return array, array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
