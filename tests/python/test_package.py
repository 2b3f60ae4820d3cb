"""The Python package: layouts as the compiler has them, arrays without copies, and no way to crash it from Python."""
import ctypes
import gc
import math
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import with_numpy

with_numpy.ensure()
import numpy

BUILD, SOURCE = os.environ["SINEW_BUILD"], os.environ["SINEW_SOURCE"]
with_numpy.find_package(BUILD)
import sinew
from sinew import _api as api
from sinew._library import sn as library


class Trees(unittest.TestCase):
    """Models on a tree answer as those of strands do."""

    def test_names(self):
        names = sinew.load("body").names("coordinate")
        self.assertIn("ulna_R_flex", names)
        self.assertEqual(len(names), len(set(names)))

    def test_the_clinical_hand_follows(self):
        model = sinew.load("hand-clinical")
        replay = model.track("pinch")
        self.assertTrue(replay.report["reached"])
        self.assertLess(replay.report["worst_angle"], 0.01)
        self.assertEqual(replay.report["missed"], {})
        self.assertGreater(numpy.abs(replay["coordinate/pip2.flexion"]).max(), 0.3)
        with self.assertRaisesRegex(sinew.Error, "none of torque, step, paper, body"):
            model.track("pinch", method="magic")
        with self.assertRaisesRegex(sinew.Error, "needs a model on a tree"):
            sinew.load("hand").track("pinch", method="body")

    def test_the_body_follows_and_misses_by_name(self):
        model = sinew.load("body")
        replay = model.track("curl", start=0, end=0.2)
        self.assertTrue(replay.report["reached"])
        self.assertGreater(len(replay), 3)
        self.assertLess(replay.report["worst_angle"], 0.01)
        weak = {name: 0 for name in model.names("muscle") if name.startswith(("biceps", "brachi", "pronator", "supinator"))}
        missed = model.track("curl", start=0, end=0.75, strength=weak)
        self.assertFalse(missed.report["reached"])
        self.assertIn("radius_R_pron", missed.report["missed"])

    def test_cancelled_by_progress(self):
        with self.assertRaises(sinew.Error) as caught:
            sinew.load("body").track("nod", progress=lambda *_: True)
        self.assertEqual(caught.exception.status, "SN_CANCELLED")

    def test_hold(self):
        """A straight hand without weight on it is held nearly by itself; one without a muscle is not a tree's."""
        model = sinew.load("hand-clinical")
        held = model.hold({"pip2.flexion": 0.8, "mcp2.flexion": 0.5})
        self.assertLess(held["unmet"], 1)
        self.assertAlmostEqual(held["pose"][model.index("coordinate", "pip2.flexion")], 0.8)
        self.assertAlmostEqual(1 - max(held["activation"].values()), held["reserve"])
        with self.assertRaisesRegex(sinew.Error, "made of strands"):
            sinew.load("hand").hold({})


class Layout(unittest.TestCase):
    def test_every_struct_is_as_the_compiler_has_it(self):
        lines = ['#include "sinew/sinew.h"', "#include <stdio.h>", "int main(void) {"]
        for struct in api.STRUCTS:
            name = struct.__name__
            lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
            lines += [f'printf("{name}.{field[0]} %zu\\n", offsetof({name}, {field[0]}));' for field in struct._fields_]
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "layout.c")
            with open(source, "w") as file:
                file.write("\n".join(lines + ["return 0; }"]))
            program = os.path.join(folder, "layout")
            subprocess.run(["cc", "-std=gnu11", "-I", os.path.join(SOURCE, "include"), source, "-o", program], check=True)
            text = subprocess.run([program], check=True, capture_output=True, text=True).stdout
        expected = dict(line.split() for line in text.splitlines())
        self.assertGreater(len(expected), 300)
        for struct in api.STRUCTS:
            self.assertEqual(ctypes.sizeof(struct), int(expected[struct.__name__]), struct.__name__)
            for field in struct._fields_:
                name = f"{struct.__name__}.{field[0]}"
                self.assertEqual(getattr(struct, field[0]).offset, int(expected[name]), name)

    def test_every_default_is_that_of_the_headers(self):
        lines = ['#include "sinew/sinew.h"', "#include <stdio.h>", "int main(void) {"]
        for name, (struct, _, _) in api.DEFAULTS.items():
            lines.append(f"{{ {struct.__name__} d = {name}(); fwrite(&d, sizeof d, 1, stdout); }}")
        with tempfile.TemporaryDirectory() as folder:
            source, program = os.path.join(folder, "defaults.c"), os.path.join(folder, "defaults")
            with open(source, "w") as file:
                file.write("\n".join(lines + ["return 0; }"]))
            subprocess.run(["cc", "-std=gnu11", "-I", os.path.join(SOURCE, "include"), source, "-o", program, "-L", BUILD,
                            "-lsinew", "-lm", "-Wl,-rpath," + BUILD], check=True)
            data = subprocess.run([program], check=True, capture_output=True).stdout
        at = 0
        self.assertGreater(len(api.DEFAULTS), 25)
        for name, (struct, _, _) in api.DEFAULTS.items():
            theirs, ours = struct.from_buffer_copy(data, at), getattr(library, name)()
            at += ctypes.sizeof(struct)
            self.compare(name, theirs, ours)
        self.assertEqual(at, len(data))

    def compare(self, name, theirs, ours):
        for field, kind in ours._fields_:
            if kind is ctypes.c_char_p:  # an address in the other program
                continue
            a, b = getattr(theirs, field), getattr(ours, field)
            if issubclass(kind, ctypes.Structure):
                self.compare(f"{name}.{field}", a, b)
            elif issubclass(kind, ctypes._SimpleCData):
                self.assertTrue(a == b or (a != a and b != b), f"{name}.{field}: {a} {b}")
            elif issubclass(kind, ctypes.Array):
                self.assertEqual(bytes(a), bytes(b), f"{name}.{field}")

    def test_every_public_function_is_there(self):
        with open(os.path.join(SOURCE, "include", "sinew", "model.h")) as file:
            self.assertIn("sn_compile(", file.read())
        self.assertIn("sn_compile", api.FUNCTIONS)
        self.assertGreater(len(api.FUNCTIONS), 100)


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hand = sinew.load("hand")

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(gc.collect)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_ten_lines_of_the_guide(self):
        with open(os.path.join(SOURCE, "docs", "python.md")) as file:
            code = file.read().split("```python\n")[1].split("```")[0]
        lines = [line for line in code.splitlines() if line.strip() and not line.strip().startswith("#")]
        self.assertLessEqual(len(lines), 10)
        here = os.getcwd()
        os.chdir(self.folder.name)
        try:
            names = {}
            exec(compile(code, "docs/python.md", "exec"), names)
        finally:
            os.chdir(here)
        self.assertLess(names["replay"].report["mean_error"], 1e-3)
        self.assertTrue(os.path.getsize(self.path("fist.sto")) > 0)

    def test_tracking_says_how_well(self):
        seen = []
        replay = self.hand.track("fist", end=0.3, frame_rate=60, progress=lambda *a: seen.append(a) and False)
        self.assertLess(replay.report["mean_error"], 1e-3)
        self.assertTrue(seen)
        time = replay.time
        self.assertAlmostEqual(time[-1], 0.3, places=6)
        self.assertEqual(replay.pose.shape, (len(replay), 19, 7))
        numpy.testing.assert_allclose(numpy.linalg.norm(replay.pose[:, :, 3:], axis=2), 1, atol=1e-9)
        self.assertEqual(replay["activation/"].shape, (len(replay), 54))
        numpy.testing.assert_array_equal(replay["activation/FDP2"],
                                         replay["activation/"][:, replay.names("activation/").index("FDP2")])
        self.assertEqual(replay.at("radius", time[3]).shape, (7,))
        numpy.testing.assert_allclose(replay.at("radius", time[3])[:3], replay.pose[3, replay.bodies.index("radius"), :3],
                                      atol=1e-12)
        replay.save(self.path("a.replay.xml"))
        again = sinew.read(self.path("a.replay.xml"))
        numpy.testing.assert_allclose(again.scalar, replay.scalar, rtol=1e-6, atol=1e-6)
        weak = self.hand.track("fist", end=0.3, frame_rate=60, strength={"FDP2": 0.2})
        self.assertFalse(numpy.array_equal(weak["activation/FDP2"], replay["activation/FDP2"]))

    def test_a_callback_may_cancel_or_raise(self):
        with self.assertRaises(sinew.Error) as caught:
            self.hand.track("fist", progress=lambda stage, done, total: True)
        self.assertEqual(caught.exception.status, "SN_CANCELLED")

        def broken(stage, done, total):
            raise ZeroDivisionError("mine")
        with self.assertRaises(ZeroDivisionError):
            self.hand.track("fist", progress=broken)

    def test_fields_are_the_states_own_memory(self):
        state = self.hand.state(skip_settle=True, threads=1)
        level, again = state["muscle.activation"], state["muscle.activation"]
        level[:] = 0.25
        numpy.testing.assert_array_equal(again, 0.25)
        self.assertEqual(level.__array_interface__["data"], again.__array_interface__["data"])
        tension = state["strand.tension"]
        before = tension.copy()
        state.step(5)
        self.assertGreater(numpy.abs(tension - before).max(), 0)
        self.assertAlmostEqual(state.time, 5 * state.step_size)
        for name in sinew.fields():
            self.assertTrue(numpy.isfinite(state[name]).all(), name)
        state.reset()
        self.assertEqual(state.time, 0)
        state.pose(numpy.zeros(self.hand.count("coordinate")))

    def test_nothing_that_is_in_use_is_freed(self):
        model = sinew.load("hand")
        state = model.state(skip_settle=True)
        positions = state["body.position"]
        copy = positions.copy()
        model.close()
        state.step()  # the state keeps its model
        state.close()
        with self.assertRaisesRegex(sinew.Error, "closed"):
            state.step()
        with self.assertRaisesRegex(sinew.Error, "closed"):
            model.count("body")
        del state, model
        gc.collect()
        self.assertEqual(positions.shape, copy.shape)
        self.assertLess(numpy.abs(positions - copy).max(), 0.1)  # still there to be read
        row = sinew.load("hand").track("fist", end=0.1)["activation/FDP2"]
        gc.collect()
        self.assertTrue(numpy.isfinite(row).all())
        with self.assertRaises(ValueError):
            row[:] = 1  # a replay is not written

    def test_wrong_names_and_shapes_raise(self):
        hand, state = self.hand, self.hand.state(skip_settle=True)
        wrong = [lambda: sinew.load("foot"), lambda: sinew.load("/no/such.muscle.xml"), lambda: hand.motion("moonwalk"),
                 lambda: hand.index("strand", "toe"), lambda: hand.names("tooth"), lambda: state["body.soul"],
                 lambda: hand.simulate(0.1, {"toe": 1}), lambda: hand.simulate(0.1, {"FDP2": 7}),
                 lambda: hand.track("fist", end=0.1)["soul/FDP2"], lambda: sinew.read(self.path("none.replay.xml")),
                 lambda: state.__setitem__("body.position", 0), lambda: hand.skin(mesh=b"glove")]
        for call in wrong:
            with self.assertRaises(sinew.Error) as caught:
                call()
            self.assertGreater(len(str(caught.exception)), 10)
        for call in (lambda: state.__setitem__("muscle.activation", [1, 2, 3]), lambda: state.pose([0, 0]),
                     lambda: hand.track("fist", strength=[1]), lambda: hand.motion_of([0, 1], [[0], [1]]),
                     lambda: hand.simulate(-1), lambda: hand.simulate(0.1, {"FDP2": ([0, 1], [0.5])})):
            with self.assertRaises(ValueError):
                call()
        for call in (lambda: hand.state(speed=3), lambda: hand.state(step="slow"), lambda: sinew.load(7)):
            with self.assertRaises(TypeError):
                call()

    def test_numbers_out_of_range_are_refused_with_their_place(self):
        with self.hand.state(skip_settle=True, threads=1) as state:
            for field, value in (("muscle.activation", -0.5), ("muscle.activation", 1.5), ("muscle.strength", -1),
                                 ("muscle.strength", 2), ("muscle.activation", math.nan), ("body.force", math.inf)):
                array = state[field]
                kept = array.copy()
                array.reshape(-1)[5] = value
                with self.assertRaisesRegex(sinew.Error, field.replace(".", r"\.") + r"\[\d+\].* outside .* to ") as caught:
                    state.step()
                self.assertEqual(caught.exception.status, "SN_BAD_INPUT")
                array[...] = kept
            state.step()
            for wrong in (-5, 2 ** 40):
                with self.assertRaisesRegex(ValueError, "outside 0 to"):
                    state.step(wrong)
            state.step(0)
            for wrong in (math.nan, math.inf, -1, 1e9):
                with self.assertRaisesRegex(ValueError, "outside"):
                    state.run(wrong)
            state.run(state.time + state.step_size)
            with self.assertRaises(TypeError):
                state.step(1.5)
        for options in ({"step": -0.01}, {"step": math.nan}, {"gravity_scale": math.inf}):
            with self.assertRaisesRegex(sinew.Error, next(iter(options)) + " is .* outside"):
                self.hand.state(**options)
        with self.assertRaises(ValueError):
            self.hand.simulate(math.inf)
        with self.assertRaisesRegex(sinew.Error, r"muscle\.strength\[\d+\].*outside 0 to 1"):
            self.hand.track("fist", end=0.1, strength={"FDP2": 2})

    def test_a_bad_model_lists_its_problems(self):
        shipped = os.path.join(BUILD, "models", "shoulder", "shoulder")
        with open(shipped + ".scene.xml") as file, open(self.path("shoulder.scene.xml"), "w") as copy:
            copy.write(file.read())
        with open(shipped + ".muscle.xml") as file, open(self.path("bad.muscle.xml"), "w") as copy:
            text = file.read()
            self.assertIn('body_a="scapula"', text)
            copy.write(text.replace('body_a="scapula"', 'body_a="nowhere"').replace('body_a="thorax"', 'body_a="air"'))
        with self.assertRaises(sinew.Error) as caught:
            sinew.load(self.path("bad.muscle.xml"))
        self.assertGreaterEqual(len(caught.exception.problems), 2)
        self.assertIn("bad.muscle.xml", str(caught.exception))

    def test_simulating_drives_muscles(self):
        replay = self.hand.simulate(0.2, {"FDP2": ([0, 0.1], [0, 0.6])}, frame_rate=100, threads=1)
        self.assertEqual(len(replay), 21)
        self.assertAlmostEqual(replay["activation/FDP2"][-1], 0.6)
        self.assertGreater(replay["tension/FDP2"][-1], replay["tension/FDP2"][0])
        calls = []
        self.hand.simulate(0.02, control=lambda state: calls.append(state.time))
        self.assertGreater(len(calls), 2)

    def test_loads_are_carried_and_recorded(self):
        bare = self.hand.track("fist", end=0.2)
        held = self.hand.track("fist", end=0.2, loads=["dp2@tip=0,0,3", "hand=1kg"])
        self.assertGreater(held["activation/FDP2"][-1], bare["activation/FDP2"][-1] + 0.01)
        self.assertAlmostEqual(held["load_fy/hand"][-1], -9.81, 6)
        with self.assertRaises(sinew.Error):
            self.hand.track("fist", end=0.1, loads="dp2=1")
        pushed = self.hand.simulate(0.1, loads="dp2:world=0,0,-1")
        self.assertAlmostEqual(pushed["load_fz/dp2"][-1], -1, 12)
        self.assertLess(pushed.at("dp2", 0.1)[2], self.hand.simulate(0.1).at("dp2", 0.1)[2] - 1e-3)

    def test_a_diverging_state_names_the_culprit(self):
        state = self.hand.state(skip_settle=True)
        state["body.force"] = numpy.random.default_rng(1).uniform(-9e8, 9e8, state["body.force"].shape)
        with self.assertRaises(sinew.Error) as caught:
            state.step(200)
        self.assertEqual(caught.exception.status, "SN_DIVERGED")

    def test_the_skin_moves(self):
        replay = self.hand.track("fist", end=0.6)
        with self.hand.skin() as skin:
            first, last = skin.points(replay, 0), skin.points(replay, 0.6)
            self.assertEqual(skin.triangles.max() + 1, len(first))
        self.assertGreater(numpy.linalg.norm(last - first, axis=1).max(), 0.005)
        with self.assertRaisesRegex(sinew.Error, "closed"):
            skin.points(replay, 0)

    def test_plots_where_matplotlib_is(self):
        replay = self.hand.track("fist", end=0.1)
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            with self.assertRaisesRegex(sinew.Error, "matplotlib is not installed"):
                replay.plot()
            return
        replay.plot("activation/", path=self.path("a.png"))
        self.assertGreater(os.path.getsize(self.path("a.png")), 1000)


if __name__ == "__main__":
    unittest.main()
