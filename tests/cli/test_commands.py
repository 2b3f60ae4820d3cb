"""Each command end to end: what it prints, what it writes, how it ends."""
import json
import os
import re
import resource
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree as xml

import common
from common import SINEW, SOURCE, Case

SCENES = ["pendulum", "cable", "string", "pulley", "crane", "finger", "spindle", "hand-synthetic",
          "hand-synthetic-x10", "hand-paths", "hand-paths-x10", "sheet"]


class Help(Case):
    def commands(self):
        text = self.sinew("help").stdout
        return re.findall(r"^  ([a-z]+) +[A-Z]", text, re.M)

    def test_an_error_is_part_of_a_sound_answer(self):
        """Also where it comes while a list is open, and from a command that another one runs."""
        answer = self.json("bench", "--rung", "nosuch", code=3)
        self.assertEqual(answer["rungs"], [])
        self.assertIn("nosuch", answer["error"]["message"])
        self.assertEqual(self.json("demo", "nosuch", "-o", "out", code=3)["error"]["status"], "SN_NO_FILE")

    def test_overview_names_commands_scenes_and_exit_codes(self):
        text = self.sinew("help").stdout
        for name in ["check", "info", "simulate", "track", "convert", "bench", *SCENES, "Exit codes"]:
            self.assertIn(name, text)

    def test_every_command_shows_an_example_with_its_output(self):
        names = self.commands()
        self.assertGreaterEqual(len(names), 5)
        for name in names:
            text = self.sinew(name, "--help").stdout
            self.assertIn("--json", text)
            example = text[text.index("example:\n"):].splitlines()
            self.assertTrue(example[1].startswith(f"  $ sinew {name}"), text)
            self.assertGreaterEqual(len(example), 3, f"{name}: the example shows no output")
            self.assertEqual(self.sinew("help", name).stdout, text)
            self.assertNotIn("(null)", text)

    def test_version(self):
        self.assertRegex(self.sinew("--version").stdout, r"^sinew \d+\.\d+\.\d+\n$")

    def test_no_command_is_wrong_usage(self):
        self.sinew(code=2)
        self.assertIn("'nonsense'", self.sinew("nonsense", code=2).stderr)
        self.sinew("help", "nonsense", code=2)


class Usage(Case):
    def wrong(self, message, *arguments):
        result = self.sinew(*arguments, code=2)
        self.assertIn(message, result.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_wrong_usage_ends_with_2_and_says_what(self):
        self.wrong("unknown option --nope", "simulate", "pulley", "--nope")
        self.wrong("unknown option --framerate; did you mean --frame-rate?", "simulate", "pulley", "--framerate", "3")
        self.wrong("there is no command 'trakc'; did you mean track?", "trakc", "hand", "fist")
        self.wrong("there is no command 'paint'; sinew help lists them", "paint")
        self.wrong("unknown option -time", "simulate", "pulley", "-time", "1")
        self.wrong("an argument is missing", "simulate")
        self.wrong("too many arguments", "check", "pulley", "fist", "crane")
        self.wrong("needs a value", "simulate", "pulley", "--time")
        self.wrong("needs a number, not 'soon'", "simulate", "pulley", "--time", "soon")
        self.wrong("needs a number, not 'nan'", "simulate", "pulley", "--time=nan")
        self.wrong("needs a whole number", "simulate", "pulley", "--threads", "1.5")
        self.wrong("must be between", "simulate", "pulley", "--time", "-1")
        self.wrong("needs NAME=LEVEL", "simulate", "pulley", "--activation", "rope")
        self.wrong("the level must be between", "simulate", "pulley", "--activation", "rope=2")
        self.wrong("one of bar|json|none", "simulate", "pulley", "--progress", "loud")
        self.wrong("takes no value", "simulate", "pulley", "--quiet=1")
        self.wrong("cannot convert", "convert", "a.obj", "b.sto")

    def test_json_says_it_too(self):
        answer = self.json("simulate", "pulley", "--nope", code=2)
        self.assertEqual(answer["error"]["status"], "SN_USAGE")


class Check(Case):
    def test_every_scene_is_sound(self):
        for name in SCENES:
            answer = self.json("check", name)
            self.assertEqual((answer["errors"], answer["problems"]), (0, [] if not answer["warnings"] else answer["problems"]))

    def test_all_problems_at_once(self):
        self.sinew("convert", "pulley", "bad.muscle.xml")
        text = self.read("bad.muscle.xml")
        text = text.replace('attachment="weight"', 'attachment="wait"').replace('mass="1" inertia', 'mass="-1" inertia')
        self.write("bad.muscle.xml", text)
        answer = self.json("check", "bad.muscle.xml", code=3)
        self.assertGreaterEqual(answer["errors"], 2)
        for problem in answer["problems"]:
            self.assertTrue(problem["file"].endswith("bad.muscle.xml"), problem)
            self.assertGreater(problem["line"], 0)
            self.assertTrue(problem["message"])
        text = self.sinew("check", "bad.muscle.xml", code=3).stdout
        self.assertIn('"wait"', text)
        self.assertRegex(text, r"bad.muscle.xml: \d+ errors")

    def test_malformed_file(self):
        self.write("broken.muscle.xml", "<Muscle version='1'><Strand")
        result = self.sinew("check", "broken.muscle.xml", code=3)
        self.assertIn("broken.muscle.xml:1:", result.stderr)

    def test_no_such_model(self):
        self.assertIn("nosuch", self.sinew("check", "nosuch", code=3).stderr)


class Info(Case):
    def test_counts_of_the_synthetic_hand(self):
        answer = self.json("info", "hand-synthetic")
        self.assertEqual(answer["strands"], 54)
        self.assertEqual(answer["points"], 54 * 12)
        self.assertEqual(answer["bodies"] - answer["held_bodies"], 17)
        self.assertEqual(len(answer["strand_names"]), 54)

    def test_list(self):
        text = self.sinew("info", "finger", "--list").stdout
        for name in ["FDP2", "PIP", "proximal"]:
            self.assertIn(name, text)


class Simulate(Case):
    def test_writes_what_it_says(self):
        answer = self.json("simulate", "pulley", "-o", "lift", "--time", "0.5", "--activation", "rope=0.5")
        for key in ["simulated_s", "seconds", "real_time_factor", "steps", "diverged"]:
            self.assertIn(key, answer)
        self.assertAlmostEqual(answer["simulated_s"], 0.5, 9)
        self.assertEqual((answer["steps"], answer["frames"], answer["diverged"]), (125, 26, False))
        self.assertEqual(sorted(os.listdir(self.folder)), ["lift.replay.xml", "lift.sto"])
        self.assertEqual(self.json("info", "lift.replay.xml")["frames"], 26)
        names, rows = self.read_sto("lift.sto")
        self.assertEqual(names[0], "time")
        self.assertEqual([round(row[0], 9) for row in rows], [round(0.02 * i, 9) for i in range(26)])
        self.assertEqual({row[names.index("activation/rope")] for row in rows[1:]}, {0.5})
        root = xml.parse(self.path("lift.replay.xml")).getroot()
        self.assertEqual([body.get("name") for body in root.iter("Body")][:2], ["frame", "weight"])

    def test_activation_lifts_the_weight(self):
        lengths = []
        for level in (0, 1):
            self.sinew("simulate", "pulley", "-o", "lift", "--time", "2", "--activation", f"rope={level}", "--ramp", "0.5")
            names, rows = self.read_sto("lift.sto")
            lengths.append(rows[-1][names.index("length/rope")])
            # At rest the rope carries the weight, whatever the activation.
            self.assertAlmostEqual(rows[-1][names.index("force_insertion/rope")], 9.81, delta=0.05)
        # T = EA (strain + a F / EA): full activation of 2 loads shortens the belly by 2 loads / EA of its rest length.
        ea = 1e7 * 3.14159265 * 0.002 ** 2
        belly_rest = 0.12 / (1 + 9.81 / ea)
        self.assertAlmostEqual(lengths[0] - lengths[1], belly_rest * 2 * 9.81 / ea, delta=0.0015)

    def test_every_scene_runs(self):
        for name in SCENES:
            answer = self.json("simulate", name, "--time", "0.05")
            self.assertFalse(answer["diverged"], name)
            self.assertLess(answer["worst_gap_m"], 1e-4, name)

    def test_a_group_keeps_its_volume_in_the_table_and_in_a_plot(self):
        self.sinew("simulate", "spindle", "-o", "s", "--time", "1.5", "--activation", "belly=0.32", "--ramp", "1")
        names, rows = self.read_sto("s.sto")
        volume = [row[names.index("volume/belly")] for row in rows]
        area = [row[names.index("area/belly")] for row in rows]
        length = [row[names.index("length/fibre01")] for row in rows]
        self.assertLess(min(length) / length[0], 0.75)
        self.assertLess(max(abs(v / volume[0] - 1) for v in volume), 0.03)  # of the hull, see docs/physics.md
        self.assertGreater(max(area) / area[0], 1.3)
        answer = self.json("plot", "s.sto", "--what", "volume", "-o", "v.svg")
        self.assertEqual(answer["channels"], ["belly"])

    def test_finger_moves_the_way_its_muscles_pull(self):
        for muscle, joint, sign in [("FDP2", "DIP", 1), ("FDS2", "PIP", 1), ("ED2", "MCP", -1), ("EI", "PIP", -1)]:
            self.sinew("simulate", "finger", "-o", "f", "--time", "0.5", "--activation", f"{muscle}=0.2", "--ramp", "0.2")
            names, rows = self.read_sto("f.sto")
            angle = rows[-1][names.index(f"coordinate/{joint}.0")]
            self.assertGreater(sign * angle, 0.05, f"{muscle} at {joint}")

    def test_threads_give_the_same_bits(self):
        for threads in (1, 2):
            self.sinew("simulate", "finger", "-o", f"t{threads}", "--time", "0.1", "--threads", threads)
        self.assertEqual(self.read("t1.replay.xml"), self.read("t2.replay.xml"))

    def test_solvers_agree(self):
        for solver in ("strand", "plain"):
            self.sinew("simulate", "crane", "-o", solver, "--time", "0.2", "--solver", solver)
        _, a = self.read_sto("strand.sto")
        names, b = self.read_sto("plain.sto")
        for i, name in enumerate(names):
            if name.startswith("length/"):
                self.assertAlmostEqual(a[-1][i], b[-1][i], delta=1e-9)

    def test_a_model_from_a_file_moves_like_the_scene(self):
        self.sinew("convert", "crane", "crane.muscle.xml")
        self.sinew("simulate", "crane", "-o", "a", "--time", "0.1")
        self.sinew("simulate", "crane.muscle.xml", "-o", "b", "--time", "0.1")
        self.assertEqual(self.read_sto("a.sto"), self.read_sto("b.sto"))

    def test_bad_input_leaves_the_outputs_alone(self):
        self.write("lift.sto", "precious")
        self.sinew("simulate", "nosuch", "-o", "lift", code=3)
        self.sinew("simulate", "pulley", "-o", "lift", "--activation", "nosuch=0.5", code=3)
        self.sinew("simulate", "pulley", "-o", "lift", "--function", "nosuch=0.5", code=3)
        self.assertEqual(os.listdir(self.folder), ["lift.sto"])
        self.assertEqual(self.read("lift.sto"), "precious")

    def test_no_folder(self):
        self.assertIn("no folder", self.sinew("simulate", "pulley", "-o", "no/where/lift", code=1).stderr)

    def test_loads_act_on_bodies_of_a_tree(self):
        def angle(load):
            arguments = ["--load", load] if load else []
            self.sinew("simulate", "hand-clinical", "--time", "0.02", *arguments, "-o", "loaded")
            names, rows = self.read_sto("loaded.sto")
            return rows[-1][names.index("coordinate/mcp2.flexion")]
        rest, pushed, pulled = angle(""), angle("dp2=0,0,-0.2"), angle("dp2=0,0,0.2")
        self.assertGreater(abs(pushed - rest), 1e-4)
        self.assertAlmostEqual(pushed - rest, rest - pulled, delta=0.2 * abs(pushed - rest))
        self.assertIn('"radius" is fixed', self.sinew("simulate", "hand-clinical", "--load", "radius=1,0,0", code=3).stderr)

    def test_strong_muscles_take_smaller_steps(self):
        self.sinew("convert", "pulley", "strong.muscle.xml")
        text = re.sub(r'max_force="[^"]*"', 'max_force="4e4"', self.read("strong.muscle.xml"))
        self.write("strong.muscle.xml", text)
        arguments = ["simulate", "strong.muscle.xml", "--time", "0.1", "--activation", "rope=1"]
        answer = self.json(*arguments)
        self.assertEqual((answer["diverged"], answer["steps"]), (False, 25))
        self.assertGreater(answer["steps_divided"], 0)
        self.assertGreater(answer["most_pieces"], 1)
        self.assertRegex(self.sinew(*arguments).stdout, r"\d+ of these steps .* taken in up to \d+ pieces")
        self.assertEqual(self.json("simulate", "pulley", "--time", "0.1")["steps_divided"], 0)

    def test_divergence_keeps_what_came_before(self):
        self.sinew("convert", "pulley", "wild.muscle.xml")
        text = re.sub(r'max_force="[^"]*"', 'max_force="1e9"', self.read("wild.muscle.xml"))
        self.write("wild.muscle.xml", text)
        arguments = ["simulate", "wild.muscle.xml", "-o", "wild", "--time", "1", "--activation", "rope=1", "--ramp", "100"]
        result = self.sinew(*arguments, code=1)
        self.assertRegex(result.stderr, r"diverged in step \d+.*in smaller pieces.*residual|torn apart by")
        self.assertRegex(result.stderr, r"make the muscles .* weaker")
        answer = self.json(*arguments, code=1)
        self.assertTrue(answer["diverged"])
        self.assertTrue(answer["culprit"])
        self.assertLess(answer["simulated_s"], 1)
        kept = self.json("info", "wild.replay.xml")
        self.assertGreaterEqual(kept["frames"], 1)
        self.assertLessEqual(kept["end_s"], answer["simulated_s"] + 1e-9)
        self.assertLess(answer["simulated_s"] - kept["end_s"], 0.0201)  # what came after the last whole frame


class Output(Case):
    def test_progress_as_json(self):
        result = self.sinew("simulate", "pulley", "--time", "0.2", "--progress", "json")
        lines = [json.loads(line) for line in result.stderr.splitlines()]
        self.assertGreaterEqual(len(lines), 1)
        self.assertEqual(lines[-1]["done"], lines[-1]["total"])
        self.assertEqual({line["stage"] for line in lines}, {"simulate"})

    def test_progress_as_a_bar(self):
        result = self.sinew("simulate", "pulley", "--time", "0.2", "--progress", "bar")
        self.assertIn("100 %", result.stderr)

    def test_quiet(self):
        result = self.sinew("simulate", "pulley", "--time", "0.1", "--quiet", "--progress", "json")
        self.assertEqual((result.stdout, result.stderr), ("", ""))

    def test_full_disk(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([SINEW, "info", "pulley"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("disk full", result.stderr)

    def test_file_that_cannot_grow(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

        result = self.sinew("simulate", "finger", "-o", "f", "--time", "0.1", code=1, preexec_fn=limit)
        self.assertIn("f.resume", result.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_interrupt_keeps_what_is_finished(self):
        command = [SINEW, "simulate", "cable", "-o", "long", "--time", "100000", "--frame-rate", "10", "--progress", "json"]
        process = subprocess.Popen(command, cwd=self.folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        process.stderr.readline()  # it is stepping
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 1, errors)
        self.assertIn("stopped at", errors)
        kept = self.json("info", "long.replay.xml")
        self.assertGreaterEqual(kept["frames"], 1)
        self.assertIn("long.sto", os.listdir(self.folder))


class Bench(Case):
    def test_ladder_as_json(self):
        answer = self.json("bench", "--seconds", "0.01")
        names = [rung["name"] for rung in answer["rungs"]]
        for name in ["pendulum", "cable", "finger", "hand-synthetic", "hand-synthetic-x10", "hand-paths", "hand-paths-x10",
                     "sheet", "hand"]:
            self.assertIn(name, names)
        for rung in answer["rungs"]:
            for key in ["steps_per_s", "real_time_factor", "real_time_factor_cpu", "step_us", "cpu_us", "solve_us",
                        "solve_plain_us", "bytes"]:
                self.assertGreater(rung[key], 0, (rung["name"], key))
            self.assertEqual(rung["threads"], 1)
            self.assertLess(rung["solve_us"], rung["step_us"])

    def test_one_rung(self):
        answer = self.json("bench", "--rung", "cable", "--seconds", "0.01", "--threads", "2")
        self.assertEqual([(rung["name"], rung["threads"]) for rung in answer["rungs"]], [("cable", 2)])
        text = self.sinew("bench", "--rung", "cable", "--seconds", "0.01").stdout
        self.assertIn("factor", text)
        self.sinew("bench", "--rung", "nosuch", code=3)

    def test_skin(self):
        skin = self.json("bench", "--rung", "skin", "--seconds", "0.1")["skin"]
        self.assertLessEqual(skin["apart_m"], 1e-9)
        for key in ["triangles", "bulge_ms", "brute_force_ms", "brute_force_ratio", "real_time_factor"]:
            self.assertGreater(skin[key], 0)
        self.assertEqual(os.listdir(self.folder), [])


class Convert(Case):
    TETRAHEDRON = ("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")

    def test_meshes_round(self):
        self.write("a.obj", self.TETRAHEDRON)
        for a, b in [("a.obj", "b.ply"), ("b.ply", "c.stl"), ("c.stl", "d.obj")]:
            answer = self.json("convert", a, b)
            self.assertEqual((answer["vertices"], answer["triangles"]), (4, 4), b)
        lines = self.read("d.obj").splitlines()
        self.assertEqual(sum(line.startswith("v ") for line in lines), 4)
        self.assertEqual(sum(line.startswith("f ") for line in lines), 4)

    def test_replay_to_tables_and_back(self):
        self.sinew("simulate", "crane", "-o", "c", "--time", "0.1")
        self.assertEqual(self.json("convert", "c.replay.xml", "t.csv", "--only", "tension/")["frames"], 6)
        lines = self.read("t.csv").splitlines()
        self.assertEqual(lines[0], "time,tension/stay,tension/hoist")
        self.assertEqual(len(lines), 7)
        self.sinew("convert", "c.replay.xml", "again.replay.xml")
        self.assertEqual(self.read("again.replay.xml"), self.read("c.replay.xml"))
        self.sinew("convert", "c.replay.xml", "c.control.xml")
        answer = self.json("info", "c.control.xml")
        self.assertEqual((answer["frames"], answer["bodies"], answer["strands"], answer["scalars"]), (6, 3, 0, 0))
        self.sinew("convert", "c.control.xml", "d.replay.xml")

    def test_schema_has_every_element_of_the_reference(self):
        elements = {e["tag"]: {a["name"]: a for a in e["attributes"]} for e in self.json("info", "--schema")["elements"]}
        with open(os.path.join(SOURCE, "docs", "reference.md"), encoding="utf-8") as file:
            titles = set(re.findall(r"^### (\w+)$", file.read(), re.M))
        self.assertEqual(set(elements), titles)
        self.assertEqual(elements["Strand"]["density"]["default"], 1000)
        self.assertEqual(elements["Joint"]["type"]["names"][0], "ball")
        self.assertEqual(elements["Constraint"]["position"]["max"], 1)
        self.assertTrue(elements["Mesh"]["Vertices"]["child"])
        self.sinew("info", code=2)

    def test_info_says_where_a_model_lies(self):
        self.assertTrue(os.path.isfile(self.json("info", "hand")["path"]))
        self.assertNotIn("path", self.json("info", "crane"))

    def test_models_have_a_normal_form(self):
        self.sinew("convert", "finger", "a.muscle.xml")
        self.sinew("convert", "a.muscle.xml", "b.muscle.xml")
        a, b = self.read("a.muscle.xml"), self.read("b.muscle.xml")
        self.assertEqual(a.replace("a.scene", "b.scene"), b)
        self.assertEqual(self.read("a.scene.xml"), self.read("b.scene.xml"))

    def test_motions_of_a_model(self):
        answer = self.json("convert", "fist", "fist.control.xml", "--model", "hand", "--frame-rate", "24")
        self.assertEqual(self.json("info", "fist.control.xml")["frames"], answer["frames"])
        times = [float(t) for t in re.findall(r'<Frame time="([^"]+)"', self.read("fist.control.xml"))]
        for i, time in enumerate(times):
            self.assertAlmostEqual(time, i / 24, places=12)
        self.assertIn("no_such", self.sinew("convert", "no_such", "x.control.xml", "--model", "hand", code=3).stderr)

    def test_bad_mesh(self):
        self.write("bad.obj", "v 0 0 zero\n")
        self.write("out.ply", "precious")
        self.assertIn("bad.obj:1", self.sinew("convert", "bad.obj", "out.ply", code=3).stderr)
        self.assertEqual(self.read("out.ply"), "precious")


if __name__ == "__main__":
    unittest.main()
