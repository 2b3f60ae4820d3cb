"""The shipped shoulder through the command: found by name, its functions, its motions."""
import unittest

from common import Case

FUNCTIONS = ["scapula.elevation", "scapula.depression", "scapula.abduction", "scapula.adduction",
             "scapula.upward_rotation", "scapula.downward_rotation", "humerus.flexion", "humerus.extension",
             "humerus.abduction", "humerus.adduction", "humerus.medial_rotation", "humerus.lateral_rotation"]
# What figure 4.15 of [Kaufman 2008] shows.
MIXED = {"scapula.abduction": 0.5, "scapula.upward_rotation": 0.8, "humerus.flexion": 0.5, "humerus.abduction": 0.8}


class Shoulder(Case):
    def test_counts_and_soundness(self):
        answer = self.json("info", "shoulder")
        self.assertEqual(answer["strands"], 132)
        self.assertEqual(answer["bodies"], 4)
        self.assertEqual(answer["functions"], 12)
        self.assertEqual(answer["meshes"], 59 + 24)  # bones and cartilages; each part of a muscle
        text = self.sinew("check", "shoulder").stdout
        self.assertIn("0 errors, 0 warnings", text)

    def test_functions_mixed(self):
        levels = [word for name, level in MIXED.items() for word in ("--function", f"{name}={level}")]
        answer = self.json("simulate", "shoulder", *levels, "--time", "0.33", "--threads", "1", "-o", "out")
        self.assertFalse(answer["diverged"])
        self.assertAlmostEqual(answer["simulated_s"], 0.332, delta=0.003)
        self.assertGreater(answer["real_time_factor"], 0)
        names, rows = self.read_sto("out.sto")
        last = dict(zip(names, rows[-1]))
        self.assertGreater(last["coordinate/GH.1"], 0.2)  # the arm is abducted, rad
        self.assertGreater(last["coordinate/SC.2"], 0.1)  # the clavicle has turned backwards
        self.assertEqual(len([n for n in names if n.startswith("force_insertion/trapezius")]), 16)

    def test_unknown_function_is_refused_with_the_list(self):
        answer = self.json("simulate", "shoulder", "--function", "scapula.yawn=1", code=3)["error"]
        for name in FUNCTIONS:
            self.assertIn(name, answer["message"])

    def test_tracks_a_part_of_abduction(self):
        answer = self.json("track", "shoulder", "abduction", "-o", "out", "--end", "0.9", "--threads", "1")
        self.assertFalse(answer["diverged"])
        self.assertEqual(answer["clamped_targets"], 0)
        self.assertLess(answer["mean_error_mm"], 0.005)


if __name__ == "__main__":
    unittest.main()
