"""Motions and replays: frames of named channels."""
import ctypes

import numpy

from . import _api as api
from ._arrays import view
from ._library import Closable, Error, Handle, check, encode, sn


class Replay(Closable):
    """Frames at increasing times: poses of bodies, control points of strands, and scalars such as activation/FDP2.
    Arrays show the library's memory and cannot be written."""

    _what = "replay"

    def __init__(self, pointer, report=None):
        self._handle = Handle(pointer, sn.sn_track_destroy)
        definition = sn.sn_track_def(pointer).contents
        self.model = (definition.model or b"").decode()
        self.bodies = [definition.body_name[i].decode() for i in range(definition.nbody)]
        self.strands = [definition.strand_name[i].decode() for i in range(definition.nstrand)]
        self.strand_points = [definition.strand_npoint[i] for i in range(definition.nstrand)]
        self.scalars = [definition.scalar_name[i].decode() for i in range(definition.nscalar)]
        self.report = report or {}

    def __len__(self):
        return sn.sn_track_frames(self._pointer)

    @property
    def time(self):
        """Seconds of each frame (a copy)."""
        pointer = self._pointer
        return numpy.array([sn.sn_track_frame(pointer, i).time for i in range(len(self))])

    def _all(self, what, count):
        """Frames x count numbers; the frames of a track lie at equal distances."""
        frames, pointer = len(self), self._pointer
        if frames == 0 or count == 0:
            return numpy.zeros((frames, count))
        start = getattr(sn.sn_track_frame(pointer, 0), what)
        first = ctypes.cast(start, ctypes.c_void_p).value
        second = ctypes.cast(getattr(sn.sn_track_frame(pointer, min(1, frames - 1)), what), ctypes.c_void_p).value
        return view(start, (frames, count), self._handle, strides=(max(second - first, 8), 8))

    @property
    def pose(self):
        """frames x bodies x 7: position (m), rotation (w first)."""
        return self._all("pose", 7 * len(self.bodies)).reshape(len(self), -1, 7)

    @property
    def point(self):
        """frames x control points of all strands x 3, m."""
        return self._all("point", 3 * sum(self.strand_points)).reshape(len(self), -1, 3)

    @property
    def scalar(self):
        """frames x scalars, in the order of `scalars`."""
        return self._all("scalar", len(self.scalars))

    def __getitem__(self, name):
        """One scalar over time, e.g. replay["tension/FDP2"]; with a prefix, replay["tension/"], all of them as columns."""
        if name.endswith("/"):
            columns = [i for i, other in enumerate(self.scalars) if other.startswith(name)]
            if columns and columns == list(range(columns[0], columns[-1] + 1)):
                return self.scalar[:, columns[0]:columns[-1] + 1]
            if columns:
                return self.scalar[:, columns]
        index = sn.sn_track_find(self._pointer, api.SN_CHANNEL_SCALAR, encode(name))
        if index < 0:
            kinds = sorted({other.split("/")[0] + "/" for other in self.scalars})
            raise Error(f"the replay has no scalar {name!r}; it has {' '.join(kinds) or 'none'}", "SN_BAD_INPUT")
        return self.scalar[:, index]

    def names(self, prefix):
        """Names of the scalars with a prefix such as "activation/", without it."""
        return [name[len(prefix):] for name in self.scalars if name.startswith(prefix)]

    def at(self, body, time):
        """Pose of a body (position, rotation) at any time between the frames."""
        index = sn.sn_track_find(self._pointer, api.SN_CHANNEL_BODY, encode(body))
        if index < 0:
            raise Error(f"the replay has no body {body!r}", "SN_BAD_INPUT")
        if len(self) == 0:
            raise Error("the replay has no frames", "SN_BAD_INPUT")
        pose = (ctypes.c_double * 7)()
        sn.sn_track_pose_at(self._pointer, index, float(time), pose, None)
        return numpy.array(pose)

    def save(self, path):
        """As .replay.xml or .control.xml, or its scalars as a table: .sto, .csv."""
        error = api.snError()
        name = encode(path)
        if name.endswith((b".sto", b".csv")):
            check(sn.sn_save_table(self._pointer, name, None, ctypes.byref(error)), error)
        else:
            check(sn.sn_save_track(self._pointer, name, ctypes.byref(error)), error)

    def plot(self, which="activation/", path=None, axes=None, top=10):
        """Draws the `top` scalars with this prefix that vary most, with matplotlib: into `axes`, or into a new figure that
        is saved at `path`. Gives the axes."""
        try:
            import matplotlib
        except ImportError:
            raise Error("matplotlib is not installed; install it, or use `sinew plot`", "SN_FAILED") from None
        names, values = self.names(which) or [which], numpy.atleast_2d(self[which].T).T
        if axes is None:
            if path is not None:
                matplotlib.use("Agg")
            import matplotlib.pyplot
            axes = matplotlib.pyplot.figure(layout="constrained").add_subplot()
        order = numpy.argsort(-numpy.ptp(values, axis=0))[:top]
        for i in order:
            axes.plot(self.time, values[:, i], label=names[i])
        axes.set_xlabel("time (s)")
        axes.set_ylabel(which.rstrip("/"))
        axes.legend(fontsize="small")
        if path is not None:
            axes.figure.savefig(path)
        return axes

    def __repr__(self):
        if self._handle is None:
            return "<closed Replay>"
        return f"<Replay of {self.model or 'a model'}: {len(self)} frames, {len(self.bodies)} bodies>"


def read(path):
    """A .replay.xml or .control.xml."""
    pointer, error = ctypes.POINTER(api.snTrack)(), api.snError()
    check(sn.sn_load_track(encode(path), ctypes.byref(pointer), ctypes.byref(error)), error)
    return Replay(pointer)
