"""A model: load it, ask what it contains, simulate it, make it follow a motion."""
import ctypes
import math

import numpy

from . import _api as api
from . import _tree
from ._arrays import doubles
from ._library import Closable, Error, Handle, check, encode, set_fields, sn, text_of
from ._replay import Replay
from ._state import State

_ITEMS = {name[len("SN_ITEM_"):].lower(): value for name, value in vars(api).items() if name.startswith("SN_ITEM_")}


def _progress(function, caught):
    """A callback for the library that shows progress to `function(stage, done, total)`; a true answer cancels. Always
    given, so that Ctrl-C reaches Python: what is raised inside is kept in `caught` and raised again by the caller."""
    def call(_user, stage, done, total):
        try:
            return int(bool(function and function((stage or b"").decode(), done, total)))
        except BaseException as error:  # a KeyboardInterrupt too: never through C
            caught.append(error)
            return 1
    return dict(api.snProgress._fields_)["call"](call)


def _finish(status, error, caught):
    if caught:
        raise caught[0]
    check(status, error)


class Model(Closable):
    """Made by sinew.load. Nothing in it changes; many states may share it."""

    _what = "model"

    def __init__(self, name):
        path, error = ctypes.create_string_buffer(4096), api.snError()
        check(sn.sn_find_model(encode(name), path, len(path), ctypes.byref(error)), error)
        spec = ctypes.POINTER(api.snSpec)()
        check(sn.sn_load_model(path, ctypes.byref(spec), ctypes.byref(error)), error)
        self._spec = Handle(spec, sn.sn_spec_destroy)
        self._check(error)
        pointer = ctypes.POINTER(api.snModel)()
        check(sn.sn_compile(spec, ctypes.byref(pointer), ctypes.byref(error)), error)
        self._handle = Handle(pointer, sn.sn_model_destroy, self._spec)
        self.name, self.path = str(name), path.value.decode()

    def _check(self, error):
        problems = api.snProblems()
        status = sn.sn_check(self._spec.pointer, ctypes.byref(problems))
        found = [problems.problem[i] for i in range(problems.count)]
        texts = [text_of(problem) for problem in found if problem.status != api.SN_OK]
        sn.sn_release(problems.memory)
        if texts:
            raise Error("\n".join(texts), "SN_BAD_INPUT", problems=texts)
        check(status, error)

    # ---- what it contains

    def count(self, item):
        return sn.sn_count(self._pointer, self._item(item))

    def names(self, item):
        """Names of the model's body, joint, coordinate, strand, muscle, constraint or group items, in order."""
        if item == "coordinate":
            return [sn.sn_coordinate_title(self._pointer, i).decode() for i in range(self.count(item))]
        return [sn.sn_name(self._pointer, self._item(item), i).decode() for i in range(self.count(item))]

    def index(self, item, name):
        """Index of an item by name, as arrays are ordered: model.index("strand", "FDP2")."""
        found = sn.sn_find(self._pointer, self._item(item), encode(name))
        if found < 0:
            raise Error(f"the model {self.name} has no {item} {name!r}", "SN_BAD_INPUT")
        return found

    @staticmethod
    def _item(item):
        if item not in _ITEMS:
            raise Error(f"{item!r} is none of {', '.join(_ITEMS)}", "SN_USAGE")
        return _ITEMS[item]

    # ---- motions

    def motion(self, name):
        """A motion for this model by the name of a shipped one or by path: key poses, BVH, glTF, control and replay files."""
        definition, error = sn.sn_default_motion_def(), api.snError()
        model = encode(self.path)
        definition.model = model
        pointer = ctypes.POINTER(api.snTrack)()
        check(sn.sn_load_motion(self._pointer, encode(name), ctypes.byref(definition), ctypes.byref(pointer),
                                ctypes.byref(error)), error)
        return Replay(pointer)

    def motion_of(self, time, coordinates):
        """A motion from joint coordinates: `time` increasing, coordinates frames x coordinate (rad, m)."""
        time, times = doubles(numpy.atleast_1d(time), what="time")
        values, pointer = doubles(coordinates, time.size * self.count("coordinate"), "coordinates")
        track = ctypes.POINTER(api.snTrack)()
        check(sn.sn_motion_from_coordinates(self._pointer, time.size, times, pointer, ctypes.byref(track)), None,
              "the motion was refused: times must increase and all values must be finite")
        return Replay(track)

    # ---- running

    def state(self, **options):
        """A State at rest. Options are the fields of snSimDef: step, threads, gravity_scale, skip_settle, ..."""
        return State(self, options)

    def track(self, motion, strength=None, progress=None, loads=(), method=None, **options):
        """Activations that make the model follow a motion (a name, a path or a Replay): a Replay whose `report` says how well.
        Options are the fields of snFollowDef, snFollowerDef and snSimDef: frame_rate, start, end, activation_weight, ...
        strength: one number per muscle, or a dict of muscle and number, 0 to 1. loads: what it has to carry, texts as the
        option --load takes them, such as "grip=10" or "hand=2kg". progress(stage, done, total) may return
        True to cancel. Models on a tree are tracked by `method`: torque, step, paper or body (what the model says); options are
        the fields of snPursueDef, or of snSteerDef for body. Whether the motion was reached is in report["reached"]."""
        if _tree.is_tree(self):
            return self._track_tree(motion, strength, progress, loads, method, options)
        if method is not None:
            raise Error(f"method needs a model on a tree, and {self.name} is not one", "SN_USAGE")
        motion = motion if isinstance(motion, Replay) else self.motion(motion)
        definition, report, error, caught = sn.sn_default_follow_def(), api.snFollowReport(), api.snError(), []
        set_fields(options, definition, definition.follower, definition.sim)
        levels, name = self._levels(strength), encode(self.name)
        if levels is not None:
            definition.strength = levels.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        carried = _Loads(self, loads)
        definition.loads = carried.pointer
        callback = _progress(progress, caught)
        definition.progress.call, definition.model_name = callback, name
        pointer = ctypes.POINTER(api.snTrack)()
        status = sn.sn_follow(self._pointer, motion._pointer, ctypes.byref(definition), ctypes.byref(pointer),
                              ctypes.byref(report), ctypes.byref(error))
        facts = _tree.facts_of(self, report)
        facts.update(mean_error=report.all.mean, rms_error=report.all.rms, worst_error=report.all.worst)
        sn.sn_follow_report_free(ctypes.byref(report))
        replay = Replay(pointer, facts) if pointer else None
        _finish(status, error, caught)
        return replay

    def _track_tree(self, motion, strength, progress, loads, method, options):
        if loads:
            raise Error(f"loads need a model of strands, and {self.name} is on a tree", "SN_USAGE")
        caught = []
        status, error, replay = _tree.track(self, motion, method, self._levels(strength), _progress(progress, caught),
                                            lambda: _Recorder(self, _Loads(self, ())), options)
        _finish(status, error, caught)
        return replay

    def hold(self, pose):
        """What it takes to hold a pose (coordinates in order, or a dict of coordinate and rad or m; the others 0), on a model
        on a tree: a dict of unmet (largest missing torque over its tolerance: 1 is the limit), unmet_torque (N m), effort,
        reserve, activation and missing by name, and the pose answered for."""
        return _tree.hold(self, pose)

    def _levels(self, strength):
        if strength is None:
            return None
        if isinstance(strength, dict):
            levels = numpy.ones(self.count("muscle"))
            for name, value in strength.items():
                levels[self.index("muscle", name)] = value
            return levels
        return doubles(strength, self.count("muscle"), "strength")[0]

    def simulate(self, seconds, activation=None, frame_rate=50, control=None, loads=(), **options):
        """Forward dynamics for some seconds: a Replay. activation: a dict of muscle or function and level, constant or as
        (times, levels). loads: as for `track`. control(state) is called before each step and may write muscle.activation and forces. Options as
        for `state`."""
        if not (0 < seconds < math.inf and 0 < frame_rate < math.inf):
            raise ValueError(f"seconds {seconds} and frame_rate {frame_rate} must be above 0 and finite")
        drive = _Drive(self, activation or {})
        carried = _Loads(self, loads)
        with self.state(**options) as state, _Recorder(self, carried) as recorder:
            recorder.add(state)
            while state.time < seconds - 0.5 * state.step_size:
                if activation:
                    state["muscle.activation"] = drive.at(state.time)
                if loads:
                    sn.sn_loads_apply(carried.pointer, state._pointer, state.time + state.step_size)
                if control:
                    control(state)
                state.step()
                if state.time >= recorder.frames / frame_rate - 0.5 * state.step_size:
                    recorder.add(state)
            return recorder.finish()

    def skin(self, **options):
        """The model's skin as a Deformer. Options are the fields of snModelSkinDef: prominence, belly, blend, ..."""
        from ._deformer import skin_of
        return skin_of(self, options)

    def __repr__(self):
        if self._handle is None:
            return "<closed Model>"
        return f"<Model {self.name}: {self.count('body')} bodies, {self.count('strand')} strands>"


class _Drive:
    """Levels of muscles and functions over time."""

    def __init__(self, model, activation):
        pointer, error = ctypes.POINTER(api.snDrive)(), api.snError()
        check(sn.sn_drive_create(model._spec.pointer, model._pointer, ctypes.byref(pointer), ctypes.byref(error)), error)
        self._handle = Handle(pointer, sn.sn_drive_destroy, model._handle)
        self._levels = numpy.zeros(model.count("muscle"))
        for name, level in activation.items():
            channel = ctypes.c_int32()
            check(sn.sn_drive_find(pointer, encode(name), ctypes.byref(channel), ctypes.byref(error)), error)
            times, levels = level if isinstance(level, tuple) else ([0.0], [level])
            times, time = doubles(times, what=f"times of {name}")
            levels, value = doubles(levels, times.size, f"levels of {name}")
            check(sn.sn_drive_add(pointer, channel, times.size, time, value, ctypes.byref(error)), error)

    def at(self, time):
        sn.sn_drive_at(self._handle.pointer, time, self._levels.ctypes.data_as(ctypes.POINTER(ctypes.c_double)))
        return self._levels


class _Loads:
    """Forces from outside over time."""

    def __init__(self, model, texts):
        self.pointer, error = ctypes.POINTER(api.snLoads)(), api.snError()
        check(sn.sn_loads_create(model._pointer, ctypes.byref(self.pointer), ctypes.byref(error)), error)
        self._handle = Handle(self.pointer, sn.sn_loads_destroy, model._handle)
        for text in [texts] if isinstance(texts, str) else texts:
            check(sn.sn_loads_read(self.pointer, encode(text), ctypes.byref(error)), error)


class _Recorder:
    """The library's recorder, into a track in memory."""

    def __init__(self, model, loads):
        recorder = ctypes.POINTER(api.snRecorder)()
        check(sn.sn_recorder_create_loaded(model._pointer, encode(model.name), loads.pointer, ctypes.byref(recorder)))
        self._handle = Handle(recorder, sn.sn_recorder_destroy, model._handle)
        self._track = ctypes.POINTER(api.snTrack)()
        check(sn.sn_track_create(sn.sn_recorder_def(recorder), ctypes.byref(self._track)))
        self.frames = 0

    def add(self, state):
        self.read(state._pointer, state.time)

    def read(self, state, time):
        frame = api.snTrackFrame()
        check(sn.sn_recorder_read(self._handle.pointer, state, time, ctypes.byref(frame)))
        check(sn.sn_track_append(self._track, frame.time, frame.pose, frame.point, frame.scalar), None,
              "the simulation gave numbers that are not finite")
        self.frames += 1

    def finish(self, report=None):
        track, self._track = self._track, None
        return Replay(track, report)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._track:
            sn.sn_track_destroy(self._track)
            self._track = None


def load(name):
    """A model by the name of a shipped one or by path. Raises an Error that lists every problem of a bad one."""
    return Model(name)
