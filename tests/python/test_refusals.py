"""A caller's bugs through every function that the headers declare: NULL for any pointer, ids that are out of range. None may
crash the process; what frees takes NULL; what gives a status and cannot work without the pointer refuses it.

The functions, their arguments and the names of these come from the headers, so that a new function is tested before
anybody thinks of it. Each call runs in a process of its own."""
import ctypes
import glob
import os
import re
import signal
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import with_numpy

with_numpy.ensure()
BUILD, SOURCE = os.environ["SINEW_BUILD"], os.environ["SINEW_SOURCE"]
with_numpy.find_package(BUILD)
from sinew import _api as api
from sinew._library import sn

POINTER = type(ctypes.POINTER(ctypes.c_int))
# Functions of the step and those that fill arrays of the caller by the million: a NULL there is found by an assert of the
# debug build, if at all. Every line is a decision.
STEPS = {
    "sn_step", "sn_deform", "sn_tracker_step", "sn_follower_step", "sn_drive_at", "sn_playback_at",
}
IDS = re.compile(r"^(id|index|frame|body|strand|muscle|what|coordinate|surface|item|node|function|element|attribute|joint|i)$")


def parameter_names():
    """The names of the arguments of every function, from the headers."""
    names = {}
    for path in glob.glob(os.path.join(SOURCE, "include", "sinew", "*.h")):
        with open(path) as file:
            text = re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.S)
        for name, arguments in re.findall(r"SN_API\s+[^;{}]*?\b(sn_\w+)\s*\(([^;]*?)\)\s*(?:SN_PRINTF\([^)]*\))?;", text, re.S):
            parts = [re.sub(r"\[[^\]]*\]", "", part) for part in arguments.split(",")]
            names[name] = [re.findall(r"\w+", part)[-1] if part.strip() not in ("void", "") else "" for part in parts]
    return names


class Fixture:
    """Something valid for every kind of pointer that this can make."""

    def __init__(self):
        self.keep = []
        error = api.snError()
        folder = tempfile.mkdtemp(prefix="sinew-refusals-")
        self.folder = folder
        self.path = os.path.join(folder, "x.muscle.xml").encode()
        os.system(f"'{BUILD}/sinew' convert finger '{self.path.decode()}' >/dev/null")
        os.system(f"cd '{folder}' && '{BUILD}/sinew' simulate finger --time 0.05 -o in >/dev/null")
        self.handles = {}
        spec, model, state, track = (ctypes.POINTER(t)() for t in (api.snSpec, api.snModel, api.snState, api.snTrack))
        assert sn.sn_load_model(self.path, ctypes.byref(spec), ctypes.byref(error)) == 0, error.message
        assert sn.sn_compile(spec, ctypes.byref(model), ctypes.byref(error)) == 0
        assert sn.sn_state_create(model, None, ctypes.byref(state), ctypes.byref(error)) == 0
        assert sn.sn_load_track(os.path.join(folder, "in.replay.xml").encode(), ctypes.byref(track), ctypes.byref(error)) == 0
        self.handles = {api.snSpec: spec, api.snModel: model, api.snState: state, api.snTrack: track}
        for name, (_, types) in api.FUNCTIONS.items():
            if re.search(r"_create$", name) and ctypes.c_char_p not in types:
                self.add(name, types)

    def add(self, name, types):
        """One more kind of handle, where what is valid already is enough to make it."""
        out = [t for t in types if isinstance(t, POINTER) and isinstance(t._type_, POINTER)]
        if len(out) != 1 or out[0]._type_._type_ in self.handles:
            return
        made = out[0]._type_()
        arguments = [ctypes.byref(made) if t == out[0] else self.value(t) for t in types]
        if alone(lambda: getattr(sn, name)(*arguments), self.folder) == "0" and getattr(sn, name)(*arguments) == 0 and made:
            self.handles[out[0]._type_._type_] = made

    def value(self, kind):
        """A valid argument of this type, or a zero."""
        if kind == ctypes.c_char_p:
            return b"x"
        if isinstance(kind, POINTER):
            of = kind._type_
            if of in self.handles:
                return self.handles[of]
            default = "sn_default_" + re.sub(r"(?<!^)(?=[A-Z])", "_", getattr(of, "__name__", "snX")[2:]).lower()
            if default in api.DEFAULTS:
                made = getattr(sn, default)()
            elif of in (ctypes.c_double, ctypes.c_int32, ctypes.c_float):
                made = (of * 65536)()
                self.keep.append(made)
                return ctypes.cast(made, kind)
            elif issubclass(of, ctypes.Structure) and not getattr(of, "_fields_", None):
                return None  # a handle that nobody makes here
            else:
                made = of()
                if isinstance(made, ctypes.Structure) and of._fields_[0][0] == "size":
                    made.size = ctypes.sizeof(of)  # as its default function says
            self.keep.append(made)
            return ctypes.pointer(made)
        if kind == ctypes.c_void_p:
            made = (ctypes.c_double * 65536)()
            self.keep.append(made)
            return ctypes.cast(made, kind)
        try:
            return kind()
        except TypeError:
            return None


def alone(call, folder):
    """What a call gives in a process of its own: a number, or the name of the signal that ended it."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        signal.setitimer(signal.ITIMER_PROF, 20)  # of processor time: a busy machine is no reason
        signal.alarm(300)  # what waits for ever
        try:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 2)
            os.chdir(folder)  # where a file that a call happens to write does no harm
            result = call()
            os.write(into, str(result if isinstance(result, int) else "other").encode())
        finally:
            os._exit(0)
    os.close(into)
    text = os.read(out, 100).decode()
    os.close(out)
    _, how = os.waitpid(child, 0)
    return signal.Signals(os.WTERMSIG(how)).name if os.WIFSIGNALED(how) else text


class Refusals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.fixture = Fixture()
        cls.names = parameter_names()

    @classmethod
    def tearDownClass(cls):
        os.system(f"rm -r '{cls.fixture.folder}'")

    def zero(self, kind):
        return None if kind in (ctypes.c_char_p, ctypes.c_void_p) or isinstance(kind, POINTER) else self.fixture.value(kind)

    def crashed(self, name, arguments):
        outcome = alone(lambda: getattr(sn, name)(*arguments), self.fixture.folder)
        return outcome if outcome.startswith("SIG") else ""

    def test_the_headers_are_read(self):
        self.assertGreater(len(self.names), 120)
        self.assertLess(len(self.names), 160, "a public function is a promise; src/ROOM/own/ is for our own programs")
        for name, (_, types) in api.FUNCTIONS.items():
            self.assertEqual(len([n for n in self.names.get(name, []) if n]), len(types), name)

    def test_freeing_nothing_is_fine(self):
        count = 0
        for name, (result, types) in api.FUNCTIONS.items():
            if re.search(r"_(free|destroy|close|abandon|remove)$", name) and len(types) == 1:
                self.assertEqual(self.crashed(name, [None]), "", name)
                count += 1
        self.assertGreater(count, 15)

    def test_nothing_but_zeros(self):
        wrong = []
        for name, (_, types) in api.FUNCTIONS.items():
            if name in STEPS or not types:
                continue
            outcome = self.crashed(name, [self.zero(t) for t in types])
            if outcome:
                wrong.append(f"{name}: {outcome}")
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))

    def test_each_pointer_in_turn(self):
        wrong, calls = [], 0
        for name, (_, types) in api.FUNCTIONS.items():
            if name in STEPS or re.search(r"_(free|destroy|close|abandon|remove|finish)$", name):
                continue
            for i, kind in enumerate(types):
                if not (kind in (ctypes.c_char_p, ctypes.c_void_p) or isinstance(kind, POINTER)):
                    continue
                arguments = [self.fixture.value(t) for t in types]
                arguments[i] = None
                calls += 1
                outcome = self.crashed(name, arguments)
                if outcome:
                    wrong.append(f"{name}, {self.names[name][i]}: {outcome}")
        print(f"\n{calls} calls with a NULL", flush=True)
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))

    def test_a_state_of_another_model(self):
        other, spec, error = ctypes.POINTER(api.snModel)(), ctypes.POINTER(api.snSpec)(), api.snError()
        path = os.path.join(self.fixture.folder, "other.muscle.xml")
        os.system(f"'{BUILD}/sinew' convert pendulum '{path}' >/dev/null")
        self.assertEqual(sn.sn_load_model(path.encode(), ctypes.byref(spec), ctypes.byref(error)), 0)
        self.assertEqual(sn.sn_compile(spec, ctypes.byref(other), ctypes.byref(error)), 0)
        wrong, calls = [], 0
        for name, (result, types) in api.FUNCTIONS.items():
            kinds = [getattr(t, "_type_", None) for t in types]
            if name in STEPS or api.snModel not in kinds or api.snState not in kinds:
                continue
            arguments = [self.fixture.value(t) for t in types]
            arguments[kinds.index(api.snModel)] = other
            outcome = alone(lambda: getattr(sn, name)(*arguments), self.fixture.folder)
            calls += 1
            if outcome.startswith("SIG") or (result == ctypes.c_int and outcome not in (str(api.SN_BAD_ARGUMENT), "-1", "0")):
                wrong.append(f"{name}: {outcome}")
            if result == ctypes.c_int and outcome == "0" and not name.endswith(("s", "count")):
                wrong.append(f"{name}: taken")
        print(f"\n{calls} calls with a state of another model", flush=True)
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))

    def test_ids_out_of_range(self):
        wrong, calls = [], 0
        for name, (_, types) in api.FUNCTIONS.items():
            if name in STEPS:
                continue
            for i, kind in enumerate(types):
                if kind not in (ctypes.c_int, ctypes.c_int32) or not IDS.match(self.names[name][i]):
                    continue
                for value in (-1, 0, 1 << 30, -(1 << 31)):
                    arguments = [self.fixture.value(t) for t in types]
                    arguments[i] = value
                    calls += 1
                    outcome = self.crashed(name, arguments)
                    if outcome:
                        wrong.append(f"{name}, {self.names[name][i]} = {value}: {outcome}")
        print(f"\n{calls} calls with an id", flush=True)
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))


if __name__ == "__main__":
    unittest.main()
