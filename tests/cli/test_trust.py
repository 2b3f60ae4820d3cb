"""sinew track says alike on every model how far its result can be trusted, and says so when a motion was not reached."""
import os
import re
import shutil
import unittest

from common import BUILD, Case

KEYS = ["reached", "mean_error_mm", "worst_error_mm", "mean_error_rad", "worst_error_rad", "max_activation", "saturated",
        "unmet_torque", "unmet_coordinate", "step_s", "step_error", "conditioning", "real_time_factor", "missed", "method",
        "worst_coordinate", "frames", "resumed", "simulated_s", "seconds", "diverged", "cancelled", "replay", "table", "report"]
RUNS = [("hand", "pinch", []), ("shoulder", "shrug", []), ("hand-clinical", "pinch", []),
        ("hand-clinical", "pinch", ["--method", "body"]), ("body", "nod", [])]
MISSED = [("hand", "fist", ["--strength", "FDP*=0", "--strength", "FDS*=0"], "pip2", 1),
          ("hand-clinical", "fist", ["--nerve", "median-high"], "pip2.flexion", 1),
          ("body", "curl", ["--strength", "biceps*=0", "--strength", "brachi*=0", "--load", "hand_R=5kg", "--end", "1"], "ulna_R_flex", 0.3)]


class Trust(Case):
    def test_every_model_answers_with_the_same_keys(self):
        answers = [self.json("track", model, motion, *more, "-o", "out") for model, motion, more in RUNS]
        for (model, _, more), answer in zip(RUNS, answers):
            for key in KEYS:
                self.assertIn(key, answer, model)
            self.assertTrue(answer["reached"], model)
            self.assertEqual(answer["missed"], [])
            for key in ["mean_error_mm", "mean_error_rad", "unmet_torque", "step_error", "conditioning"]:
                self.assertIsInstance(answer[key], (int, float), f"{model} {key}")
            self.assertLess(answer["mean_error_mm"], answer["worst_error_mm"] + 1e-12)
            self.assertLess(answer["worst_error_rad"], 0.0524)
            self.assertTrue(0 < answer["step_error"] < 0.05, answer["step_error"])
            self.assertTrue(0 <= answer["conditioning"] <= 1)
            self.assertEqual(answer["saturated"] != [], answer["max_activation"] >= 0.999)

    def test_a_motion_that_is_missed_is_named(self):
        for model, motion, more, joint, least in MISSED:
            result = self.sinew("track", model, motion, *more, "-o", "out")
            self.assertRegex(result.stderr, r"not reached: \S+ misses its target by up to [0-9.]+ degrees from [0-9.]+ to [0-9.]+ s")
            self.assertIn("muscles lack up to", result.stderr)
            self.assertRegex(self.read("out.report.txt"), r"reached +no\n")
            answer = self.json("track", model, motion, *more, "--strict", "-o", "out", code=1)
            self.assertFalse(answer["reached"])
            self.assertIn("--strict", answer["error"]["message"])
            found = [one for one in answer["missed"] if one["coordinate"].startswith(joint)]
            self.assertTrue(found, answer["missed"])
            self.assertGreater(found[0]["error_rad"], least)
            self.assertLess(found[0]["from_s"], found[0]["until_s"])
            self.assertTrue(os.path.exists(self.path("out.sto")))
            if answer["saturated"]:
                self.assertIn("at full activation: " + answer["saturated"][0], result.stdout)

    def test_a_spring_does_not_choose_the_method(self):
        """A spring that nobody feels was once enough to track a hand by another controller."""
        folder = os.path.join(BUILD, "models", "hand-clinical")
        with open(os.path.join(folder, "hand-clinical.muscle.xml")) as file:
            text = file.read()
        shutil.copy(os.path.join(folder, "hand-clinical.scene.xml"), self.folder)
        spring = '<Spring name="tiny" body_a="hand" body_b="pp2" point="0 0 0" stiffness="1e-6" damping="0"/></Muscle>'
        self.write("spring.muscle.xml", text.replace("</Muscle>", spring))
        motion = os.path.join(folder, "motions", "fist.pose.csv")
        plain = self.json("track", "hand-clinical", motion, "-o", "a")
        with_it = self.json("track", "spring.muscle.xml", motion, "-o", "b")
        self.assertEqual(with_it["method"], "torque")
        self.assertAlmostEqual(with_it["worst_error_rad"], plain["worst_error_rad"], delta=1e-5)
        self.write("asks.muscle.xml", text.replace('<Muscle ', '<Muscle method="body" ', 1))
        self.assertEqual(self.json("track", "asks.muscle.xml", motion, "-o", "c")["method"], "body")

    def test_strict_is_content_with_what_is_reached(self):
        result = self.sinew("track", "hand-clinical", "pinch", "--strict", "-o", "out")
        self.assertNotIn("not reached", result.stderr)

    def test_the_report_holds_the_figures_of_the_answer(self):
        answer = self.json("track", "hand-clinical", "wave", "-o", "out")
        lines = dict(re.findall(r"^(\S.*?)  +(\S.*)$", self.read("out.report.txt"), re.M))
        for label, key in [("mean error of the bones", "mean_error_mm"), ("worst error of the joints", "worst_error_rad"),
                           ("change at half the step", "step_error"), ("largest activation", "max_activation")]:
            value = float(lines[label].split()[0])
            self.assertAlmostEqual(value, answer[key], delta=1e-4 * abs(answer[key]), msg=label)

    def test_resuming_gives_the_same_figures(self):
        """A report is summed up over both parts of a run."""
        whole = self.json("track", "hand-clinical", "fist", "-o", "whole")
        again = self.json("track", "hand-clinical", "fist", "--resume", "-o", "again")
        for key in ["mean_error_mm", "worst_error_rad", "step_error", "conditioning", "unmet_torque"]:
            self.assertEqual(whole[key], again[key], key)


if __name__ == "__main__":
    unittest.main()
