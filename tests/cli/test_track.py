"""sinew track end to end: what it writes, motions in every format, errors with the place, interruption and going on."""
import os
import re
import signal
import subprocess
import unittest
import xml.etree.ElementTree as xml

from common import SINEW, SOURCE, Case

BEND = "time,MCP.flexion,PIP.flexion,DIP.flexion\n0,0,0,0\n0.3,20,25,10\n0.6,0,0,0\n"
KEYS = ["frames", "seconds", "real_time_factor", "mean_error_mm", "rms_error_mm", "worst_error_mm", "max_activation",
        "clamped_targets", "diverged"]


class TrackCase(Case):
    def setUp(self):
        super().setUp()
        self.write("bend.pose.csv", BEND)

    def refused(self, message, *arguments, code=3):
        """The run ends with the code, says the message and writes nothing."""
        before = sorted(os.listdir(self.folder))
        answer = self.json("track", *arguments, "-o", "out", code=code)["error"]
        self.assertIn(message, " ".join(str(v) for v in answer.values()))
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        return answer


class Track(TrackCase):
    def test_writes_replay_table_and_report(self):
        answer = self.json("track", "finger", "bend.pose.csv", "-o", "out")
        for key in KEYS:
            self.assertIn(key, answer)
        self.assertEqual(answer["frames"], 31)
        self.assertFalse(answer["diverged"])
        self.assertLess(answer["mean_error_mm"], 0.07)  # three times what it is, here and below
        self.assertLess(answer["worst_error_mm"], 0.7)
        self.assertTrue(0 < answer["max_activation"] <= 1)
        names, rows = self.read_sto("out.sto")
        self.assertEqual(len(rows), 31)
        for prefix in ["activation/", "force_origin/", "force_insertion/", "length/"]:
            self.assertEqual(len([n for n in names if n.startswith(prefix)]), 8, prefix)
        for column, name in enumerate(names):
            if name.startswith("activation/"):
                self.assertTrue(all(0 <= row[column] <= 1 for row in rows))
        root = xml.parse(self.path("out.replay.xml")).getroot()
        self.assertEqual(root.get("model"), "finger")
        self.assertEqual(len(root.findall("Frame")), 31)
        report = self.read("out.report.txt")
        for word in ["all", "proximal", "middle", "distal", "mean", "rms", "worst"]:
            self.assertIn(word, report)

    def test_says_what_it_did(self):
        text = self.sinew("track", "finger", "bend.pose.csv", "-o", "out", "--end", "0.1").stdout
        for word in ["times real time", "mean", "worst", "largest activation", "wrote out.replay.xml"]:
            self.assertIn(word, text)

    def test_frame_range_and_rate(self):
        answer = self.json("track", "finger", "bend.pose.csv", "-o", "out", "--frames", "5:10", "--frame-rate", "25")
        self.assertEqual(answer["frames"], 6)
        _, rows = self.read_sto("out.sto")
        self.assertAlmostEqual(rows[0][0], 0.2)
        self.assertAlmostEqual(rows[-1][0], 0.4)
        self.assertEqual(self.json("track", "finger", "bend.pose.csv", "-o", "out", "--frames", "7:7")["frames"], 1)
        self.assertEqual(self.json("track", "finger", "bend.pose.csv", "-o", "out", "--frames", "20:")["frames"], 11)
        self.assertEqual(self.json("track", "finger", "bend.pose.csv", "-o", "out", "--start", "0.5", "--end", "0.54")["frames"], 3)

    def test_a_weak_muscle_is_replaced_by_others(self):
        strong = self.json("track", "finger", "bend.pose.csv", "-o", "strong")
        weak = self.json("track", "finger", "bend.pose.csv", "-o", "weak", "--strength", "FDP2=0.2")
        self.assertFalse(weak["diverged"])
        self.assertLess(weak["mean_error_mm"], 0.04)
        self.assertNotEqual(strong["max_activation"], weak["max_activation"])

    def test_a_pattern_weakens_every_muscle_that_it_names(self):
        self.sinew("track", "finger", "bend.pose.csv", "-o", "out", "--end", "0.1", "--strength", "FD*=0.5")
        said = self.read("out.report.txt")
        self.assertRegex(said, r"(?m)^# strength:.* FDP2=0.5")
        self.assertRegex(said, r"(?m)^# strength:.* FDS2=0.5")
        self.assertNotRegex(said, r"(?m)^# strength:.* EDC")

    def test_settings_of_the_controller(self):
        loose = self.json("track", "finger", "bend.pose.csv", "-o", "a", "--feedback", "5")
        tight = self.json("track", "finger", "bend.pose.csv", "-o", "b", "--feedback", "150")
        self.assertLess(tight["mean_error_mm"], loose["mean_error_mm"])
        cheap = self.json("track", "finger", "bend.pose.csv", "-o", "c", "--weights", "0.1,0.01", "--end", "0.3")
        self.assertFalse(cheap["diverged"])

    def test_control_file_and_replay_as_motion(self):
        self.sinew("track", "finger", "bend.pose.csv", "-o", "out", "--keep-input-motion")
        answer = self.json("track", "finger", "out.replay.xml", "-o", "again")
        self.assertEqual(answer["frames"], 31)
        self.assertLess(answer["mean_error_mm"], 0.07)

    def test_clamped_targets_are_named(self):
        self.write("far.pose.csv", "time,PIP.flexion\n0,0\n0.5,170\n")
        result = self.sinew("track", "finger", "far.pose.csv", "-o", "out")
        self.assertIn("PIP.flexion", result.stderr)
        self.assertIn("degrees", result.stderr)
        self.assertIn("PIP.flexion", self.read("out.report.txt"))
        answer = self.json("track", "finger", "far.pose.csv", "-o", "out")
        self.assertEqual(answer["clamped_targets"], 1)
        self.assertEqual(answer["clamped"], ["PIP.0"])
        # 60 degrees that no joint can go are an error against the motion, not against what was asked of the muscles
        self.assertIn("all, within ranges", self.read("out.report.txt"))
        self.assertGreater(answer["worst_error_mm"], 10)
        self.assertLess(answer["worst_error_within_mm"], 1)
        self.write("near.pose.csv", "time,PIP.flexion\n0,0\n0.5,40\n")
        near = self.json("track", "finger", "near.pose.csv", "-o", "out")
        self.assertAlmostEqual(near["rms_error_within_mm"], near["rms_error_mm"], places=5)
        self.assertNotIn("within ranges", self.read("out.report.txt"))


class ShippedHand(TrackCase):
    def test_motion_by_name(self):
        answer = self.json("track", "hand", "fist", "-o", "out", "--frames", ":2")
        self.assertEqual(answer["frames"], 3)
        self.assertTrue(answer["motion"].endswith("fist.pose.csv"))

    def test_bvh_by_name_with_the_shipped_mapping(self):
        answer = self.json("track", "hand", "beckon", "-o", "out", "--frames", ":2")
        self.assertEqual(answer["frames"], 3)
        self.assertAlmostEqual(answer["frame_rate"], 1 / 0.0166667, places=4)  # as the file says

    def test_left_hand(self):
        self.assertEqual(self.json("track", "hand-left", "fist", "-o", "out", "--frames", ":1")["frames"], 2)

    def test_bvh_that_lacks_a_joint_names_what_is_held(self):
        with open(os.path.join(SOURCE, "models", "hand", "motions", "beckon.bvh")) as file:
            text = file.read()
        self.write("other.bvh", re.sub("RightHandIndex([23])", r"Forefinger\1", text))
        done = self.sinew("track", "hand", "other.bvh", "-o", "out", "--frames", ":2")
        self.assertIn("held at rest: pip2.flexion, dip2.flexion", done.stderr)

    def test_unknown_name_lists_the_motions(self):
        answer = self.refused("fits", "hand", "fits")
        for name in ["fist", "pinch", "thumb_circle", "letter_a"]:
            self.assertIn(name, answer["remedy"])


class BadMotion(TrackCase):
    def control(self, name, times, body="distal", pose="0 0 0 1 0 0 0"):
        frames = "".join(f'<Frame time="{t}"><Bodies>{pose}</Bodies></Frame>\n' for t in times)
        return self.write(name, f'<?xml version="1.0"?>\n<Control version="1" model="finger">\n'
                                f'<Body name="{body}"/>\n{frames}</Control>\n')

    def test_unknown_bodies(self):
        self.control("m.control.xml", [0, 1], body="nobody")
        answer = self.refused("nobody", "finger", "m.control.xml")
        self.assertEqual(answer["file"], "m.control.xml")

    def test_unknown_coordinates(self):
        self.write("m.pose.csv", "time,toe.flexion\n0,1\n1,2\n")
        self.assertEqual(self.refused("toe.flexion", "finger", "m.pose.csv")["file"], "m.pose.csv")

    def test_gap_in_a_recording(self):
        self.control("m.control.xml", [0, 0.02, 0.04, 0.06, 5, 5.02])
        self.refused("a gap of 4.94 s after frame 4", "finger", "m.control.xml")

    def test_gap_nan_and_order_in_a_table(self):
        for text in ["0,1\n0.1,nan\n0.2,1\n", "0,1\n0.2,1\n0.1,1\n"]:
            self.write("m.pose.csv", "time,PIP.flexion\n" + text)
            answer = self.refused("", "finger", "m.pose.csv")
            self.assertEqual((answer["file"], answer["line"] in (3, 4)), ("m.pose.csv", True), answer)

    def test_an_empty_cell_is_filled_in(self):
        """Between the values before and after it: as if its row were not there."""
        self.write("gap.pose.csv", "time,PIP.flexion\n0,1\n0.1,\n0.2,3\n")
        self.write("whole.pose.csv", "time,PIP.flexion\n0,1\n0.2,3\n")
        gap = self.json("track", "finger", "gap.pose.csv", "-o", "gap")
        whole = self.json("track", "finger", "whole.pose.csv", "-o", "whole")
        self.assertEqual((gap["empty_cells"], whole["empty_cells"]), (1, 0))
        self.assertEqual(gap["max_activation"], whole["max_activation"])

    def test_no_frames(self):
        self.write("m.pose.csv", "time,PIP.flexion\n")
        self.refused("", "finger", "m.pose.csv")
        self.control("m.control.xml", [])
        self.refused("", "finger", "m.control.xml")

    def test_unsorted_frames(self):
        self.control("m.control.xml", [0, 0.2, 0.1])
        self.assertEqual(self.refused("", "finger", "m.control.xml")["line"], 6)

    def test_absurd_frame_rate(self):
        self.control("m.control.xml", [0, 1e-7])
        self.refused("", "finger", "m.control.xml")
        self.refused("must be between", "finger", "bend.pose.csv", "--frame-rate", "1e6", code=2)

    def test_absurd_length(self):
        self.write("m.pose.csv", "time,PIP.flexion\n0,0\n1e9,10\n")
        self.refused("lasts 1e+09 s", "finger", "m.pose.csv")
        self.control("m.control.xml", [0, 1e9])
        self.assertEqual(self.refused("lasts 1e+09 s", "finger", "m.control.xml")["file"], "m.control.xml")

    def test_no_motion_of_a_scene(self):
        self.refused("give the path", "finger", "fist")

    def test_no_such_format(self):
        self.write("m.txt", "")
        self.refused("unknown motion format", "finger", "m.txt")

    def test_range_outside_the_motion(self):
        self.refused("0 to 0.6", "finger", "bend.pose.csv", "--start", "3")
        self.refused("frames 0 to 30", "finger", "bend.pose.csv", "--frames", "40:50")

    def test_wrong_usage(self):
        self.refused("FIRST:LAST", "finger", "bend.pose.csv", "--frames", "5", code=2)
        self.refused("ACTIVATION,SMOOTHNESS", "finger", "bend.pose.csv", "--weights", "1", code=2)
        self.refused("no muscle 'nobody'", "finger", "bend.pose.csv", "--strength", "nobody=0.5")
        self.assertIn("-o OUT", self.sinew("track", "finger", "bend.pose.csv", code=2).stderr)


class Interruption(TrackCase):
    def start(self, *arguments):
        """A long run that is stopped with Ctrl-C after a few frames."""
        process = subprocess.Popen([SINEW, "track", "finger", "long.pose.csv", "-o", "out", "--progress", "json", *arguments],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in process.stderr:
            if '"done"' in line:
                break
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 1, errors)
        self.assertIn("--resume continues", errors)

    def test_ctrl_c_keeps_what_is_finished(self):
        self.write("long.pose.csv", "time,PIP.flexion\n0,0\n0.5,30\n60,0\n")
        self.start()
        kept = self.json("info", "out.replay.xml")["frames"]
        self.assertGreaterEqual(kept, 1)
        self.assertLessEqual({"out.sto", "out.report.txt", "out.resume"}, set(os.listdir(self.folder)))
        answer = self.json("track", "finger", "long.pose.csv", "-o", "out", "--frames", f":{kept + 5}", "--resume")
        self.assertEqual((answer["frames"], answer["resumed"]), (kept + 6, kept))
        self.assertNotIn("out.resume", os.listdir(self.folder))
        whole = self.json("track", "finger", "long.pose.csv", "-o", "whole", "--frames", f":{kept + 5}")
        self.assertEqual(self.read("out.sto"), self.read("whole.sto"))  # as if nothing had happened, bit for bit
        self.assertAlmostEqual(answer["mean_error_mm"], whole["mean_error_mm"], places=9)

    def test_resume_without_its_journal_begins_anew(self):
        self.sinew("track", "finger", "bend.pose.csv", "-o", "out", "--end", "0.4")
        result = self.sinew("track", "finger", "bend.pose.csv", "-o", "out", "--resume")
        self.assertIn("starting at the beginning", result.stderr)
        self.sinew("track", "finger", "bend.pose.csv", "-o", "whole")
        self.assertEqual(self.read("out.sto"), self.read("whole.sto"))

    def test_damaged_journal_is_refused(self):
        self.write("out.resume", "sinew resume 4\n\0 and then nonsense " * 20)
        result = self.sinew("track", "finger", "bend.pose.csv", "-o", "out", "--end", "0.3", "--resume", code=3)
        self.assertIn("damaged", result.stderr)
        self.sinew("track", "finger", "bend.pose.csv", "-o", "out", "--end", "0.3")  # without it, a new run
        self.assertNotIn("out.resume", os.listdir(self.folder))

    def test_resume_refuses_what_does_not_fit(self):
        self.sinew("track", "finger", "bend.pose.csv", "-o", "out", "--end", "0.2")
        before = self.read("out.sto")
        for arguments, what in [(("--frame-rate", "30"), "frame rate was 50 Hz, now 30 Hz"),
                                (("--start", "0.1"), "start was 0 s"), (("--end", "0.1"), "the range has only 6"),
                                (("--strength", "FDP2=0.5"), "strength was full, now FDP2=0.5"),
                                (("--weights", "1e-3,1e-2"), "weights was"), (("--feedback", "50"), "feedback was 100"),
                                (("--step", "0.001"), "step was"), (("--keep-input-motion",), "keep input motion was no")]:
            result = self.sinew("track", "finger", "bend.pose.csv", "-o", "out", "--resume", *arguments, code=3)
            self.assertIn(what, result.stderr)
        self.assertEqual(self.read("out.sto"), before)

    def test_resume_refuses_another_motion(self):
        self.write("other.pose.csv", "time,PIP.flexion\n0,0\n0.6,-20\n")
        self.sinew("track", "finger", "bend.pose.csv", "-o", "out", "--end", "0.2")
        before = self.read("out.sto")
        result = self.sinew("track", "finger", "other.pose.csv", "-o", "out", "--resume", code=3)
        self.assertRegex(result.stderr, r"motion was bend.pose.csv \(.*\), now other.pose.csv")
        self.assertEqual(self.read("out.sto"), before)

    def test_resume_of_a_whole_run_changes_nothing(self):
        self.sinew("track", "finger", "bend.pose.csv", "-o", "out", "--end", "0.2")
        before = self.read("out.report.txt")
        result = self.sinew("track", "finger", "bend.pose.csv", "-o", "out", "--end", "0.2", "--resume")
        self.assertIn("has all 11 frames already", result.stdout)
        self.assertEqual(self.read("out.report.txt"), before)

    def test_resume_without_a_replay_begins(self):
        result = self.sinew("track", "finger", "bend.pose.csv", "-o", "out", "--end", "0.1", "--resume")
        self.assertIn("starting at the beginning", result.stderr)


class Ways(Case):
    """What a model cannot do is refused: an option that is ignored would be a wrong result."""

    def test_options_that_would_be_ignored(self):
        for option in (["--cut", "FDP2"], ["--nerve", "ulnar-low"], ["--fatigue"], ["--repeat", "3"], ["--posture", "palm-up"],
                       ["--method", "step"], ["--save-case", "a.case.xml"], ["--case", "a.case.xml"]):
            said = self.sinew("track", "hand", "fist", "-o", "out", *option, code=2).stderr
            self.assertIn(f"{option[0]} needs a model on a tree", said)
            self.assertIn("hand-clinical", said)
        for option in (["--weights", "1,1"], ["--keep-input-motion"], ["--loads", "a.csv"],
                       ["--frames", "1:2"], ["--converge"], ["--cost-by-volume"], ["--activation-dynamics"]):
            for model in ("hand-clinical", "body"):
                said = self.sinew("track", model, "fist", "-o", "out", *option, code=2).stderr
                self.assertIn(f"{option[0]} needs a model of strands, and {model} is on a tree", said)
        for option in (["--end", "1"], ["--start", "1"], ["--breathing", "2"]):
            said = self.sinew("track", "hand-clinical", "fist", "-o", "out", *option, code=2).stderr
            self.assertIn(f"{option[0]} does not work with --method torque; --method body does it", said)
        said = self.sinew("track", "body", "hold", "-o", "out", "--fatigue", code=2).stderr
        self.assertIn("--fatigue does not work with --method body, which the model body asks for", said)
        said = self.sinew("track", "body", "hold", "--method", "body", "-o", "out", "--fatigue", code=2).stderr
        self.assertIn("--fatigue does not work with --method body; --method torque, step or paper does it", said)
        self.assertEqual(os.listdir(self.folder), [])

    def test_form_of_the_replay_on_a_tree(self):
        for form, ending in (("bin", ".replay.bin"), ("gz", ".replay.xml.gz"), ("xml", ".replay.xml")):
            answer = self.json("track", "hand-clinical", "fist", "-o", form, "--replay", form)
            self.assertEqual(answer["replay"], form + ending)
            self.assertEqual(self.json("info", form + ending)["frames"], answer["frames"])
            self.assertEqual(os.path.exists(self.path(form + ".replay.xml")), form == "xml")


if __name__ == "__main__":
    unittest.main()
