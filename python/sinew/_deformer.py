"""Surfaces that move with bones and muscles."""
import ctypes

import numpy

from . import _api as api
from ._library import Closable, Error, Handle, check, set_fields, sn


class Deformer(Closable):
    """Points of one or several surfaces at any time of a replay."""

    _what = "deformer"

    def __init__(self, model, handle):
        self.model, self._handle = model, handle
        surfaces = [sn.sn_deformer_surface(handle.pointer, i).contents
                    for i in range(sn.sn_deformer_surfaces(handle.pointer))]
        self.names = [surface.name.decode() for surface in surfaces]
        triangles, first = [], 0
        for surface in surfaces:
            corners = numpy.ctypeslib.as_array(surface.triangle, (surface.ntriangle, 3)) if surface.ntriangle else \
                numpy.zeros((0, 3), numpy.int32)
            triangles.append(corners + first)
            first += surface.nvertex
        self.triangles = numpy.concatenate(triangles)

    def points(self, replay, time):
        """points x 3, m, of all surfaces at a time of the replay."""
        playback, error = ctypes.POINTER(api.snPlayback)(), api.snError()
        check(sn.sn_playback_create(self.model._pointer, replay._pointer, ctypes.byref(playback), ctypes.byref(error)),
              error)
        try:
            if len(replay) == 0:
                raise Error("the replay has no frames", "SN_BAD_INPUT")
            out = numpy.empty((sn.sn_deformer_points(self._pointer), 3))
            frame = sn.sn_playback_at(playback, float(time))
            check(sn.sn_deform(self._pointer, frame, out.ctypes.data_as(ctypes.POINTER(ctypes.c_double)),
                               ctypes.byref(error)), error)
            return out
        finally:
            sn.sn_playback_destroy(playback)


def skin_of(model, options):
    definition, error = sn.sn_default_model_skin_def(), api.snError()
    set_fields(options, definition)
    skin, deformer = ctypes.POINTER(api.snSkin)(), ctypes.POINTER(api.snDeformer)()
    check(sn.sn_create_model_skin(model._spec.pointer, ctypes.byref(definition), ctypes.byref(skin),
                                  ctypes.byref(error)), error)
    status = sn.sn_skin_deformer(skin, b"skin", (ctypes.c_double * 3)(0.87, 0.68, 0.58), ctypes.byref(deformer),
                                 ctypes.byref(error))
    if status != api.SN_OK:
        sn.sn_skin_destroy(skin)
    check(status, error)
    return Deformer(model, Handle(deformer, sn.sn_deformer_destroy, model._handle))
