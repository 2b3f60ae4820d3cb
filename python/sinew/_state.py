"""A state of a model: step it, read and write its fields."""
import ctypes
import math
import operator

from . import _api as api
from ._arrays import view
from ._library import Closable, Error, Handle, check, encode, set_fields, sn


MOST_STEPS = 10 ** 8
"""Steps that one call of step or run takes at most: days of computing on any model."""


def fields():
    """Names of all fields with what they are."""
    found, index = {}, 0
    while (info := sn.sn_field_info(index)).name:
        found[info.name.decode()] = info.doc.decode()
        index += 1
    return found


class State(Closable):
    """The bodies and strands at one time. Made by Model.state; belongs to one thread at a time."""

    _what = "state"

    def __init__(self, model, options):
        definition, error = sn.sn_default_sim_def(), api.snError()
        set_fields(options, definition)
        pointer = ctypes.POINTER(api.snState)()
        check(sn.sn_state_create(model._pointer, ctypes.byref(definition), ctypes.byref(pointer), ctypes.byref(error)),
              error)
        self.model = model
        self._model = model._handle
        self._handle = Handle(pointer, sn.sn_state_destroy, model._handle)
        self.step_size = definition.step if definition.step > 0 else sn.sn_model_step(model._pointer)

    def step(self, count=1):
        """Advances by `count` steps. Raises an Error that names the culprit when the simulation diverges, or the field,
        index and range when a value written into the state is out of range."""
        count = operator.index(count)
        if not 0 <= count <= MOST_STEPS:
            raise ValueError(f"count is {count}, outside 0 to {MOST_STEPS}")
        pointer, model = self._pointer, self._model.pointer
        for _ in range(count):
            status = sn.sn_step(model, pointer)
            if status != api.SN_OK:
                culprit = sn.sn_info(pointer).contents.culprit.decode(errors="replace")
                check(status, None, f"{sn.sn_status_info(status).contents.text.decode()}: {culprit}")

    def run(self, until):
        """Steps until the time is `until` seconds."""
        until = float(until)
        most = self.time + MOST_STEPS * self.step_size
        if not self.time - 0.5 * self.step_size <= until <= most or not math.isfinite(until):
            raise ValueError(f"until is {until:g} s, outside {self.time:g} s (the state's time) to {most:g} s")
        while self.time < until - 0.5 * self.step_size:
            self.step()

    def reset(self):
        check(sn.sn_state_reset(self._model.pointer, self._pointer))

    @property
    def time(self):
        """Seconds since the settled rest pose."""
        return sn.sn_time(self._pointer)

    def __getitem__(self, name):
        """A field as an array that shows the state's own memory: state["strand.tension"]. sinew.fields() lists them. Some,
        such as muscle.activation, can be written; the others refuse. The array follows the state as it steps."""
        found = api.snView()
        status = sn.sn_field(self._model.pointer, self._pointer, encode(name), ctypes.byref(found))
        check(status, None, f"there is no field {name!r}; sinew.fields() lists them")
        shape = (found.rows, found.columns) if found.columns > 1 else (found.rows,)
        return view(found.data, shape, self._handle, writable=found.writable)

    def __setitem__(self, name, values):
        """state["muscle.activation"] = 0.1, or an array of the field's shape."""
        array = self[name]
        if not array.flags.writeable:
            raise Error(f"the field {name!r} cannot be written", "SN_USAGE")
        array[...] = values

    def pose(self, coordinates):
        """Puts the bodies at joint coordinates (rad, m), strands following rigidly; velocities become zero."""
        from ._arrays import doubles
        array, pointer = doubles(coordinates, self.model.count("coordinate"), "coordinates")
        check(sn.sn_pose(self._model.pointer, self._pointer, pointer))
        del array

    def __repr__(self):
        return "<closed State>" if self._handle is None else f"<State at {self.time:.6g} s>"
