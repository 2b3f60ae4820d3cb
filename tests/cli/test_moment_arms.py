"""sinew info --moment-arms end to end."""
import csv
import math
import os
import unittest

from common import SOURCE, Case

TABLE = ("# a comment\nmuscle\tjoint\tmotion\tmean\tlo\thi\tgrade\tsource\n"
         "FDP2\tDIP\tflexion\t0.0047\t0.003\t0.007\tA\tus\n"
         "ED2\tDIP\tflexion\t0.003\t0.002\t0.004\tB\tus\n"
         "FDS2\tDIP\tflexion\t0.003\t0.002\t0.004\tC\tus\n")


class MomentArms(Case):
    def arms(self, *arguments, **options):
        return self.json("info", "finger", "--moment-arms", "--joint", "DIP", *arguments, **options)

    def test_both_ways_agree(self):
        answer = self.arms()
        self.assertEqual({pair["strand"] for pair in answer["moment_arms"]}, {"FDP2", "ED2", "EI", "LU2", "PI1"})
        for pair in answer["moment_arms"]:
            self.assertLess(pair["difference_mm"], 0.3)
            self.assertLess(pair["jump_mm"], 1)
        self.assertEqual(answer["wrong_sides"], 0)

    def test_table(self):
        self.write("arms.tsv", TABLE)
        answer = self.arms("--table", "arms.tsv")
        self.assertEqual((answer["signs"], answer["right_signs"]), (2, 1))
        self.assertEqual((answer["graded_pairs"], answer["inside_pairs"], answer["absent_pairs"]), (2, 1, 1))
        self.assertEqual([(row["muscle"], row["wrong_sign"]) for row in answer["outside"]], [("ED2", True)])
        text = self.sinew("info", "finger", "--moment-arms", "--joint", "DIP", "--table", "arms.tsv").stdout
        self.assertIn("WRONG SIGN", text)
        self.assertIn("1 of 2 signs right", text)

    def test_group_in_the_table_is_the_mean_of_its_strands(self):
        self.sinew("convert", "finger", "finger.muscle.xml")
        text = self.read("finger.muscle.xml")
        self.write("finger.muscle.xml", text.replace("</Muscle>", '<MuscleGroup name="both" strands="FDP2 ED2"/></Muscle>'))
        arm = {pair["strand"]: pair["mean_mm"] for pair in self.arms()["moment_arms"]}
        mean = (arm["FDP2"] + arm["ED2"]) / 2
        self.assertGreater(abs(mean - arm["FDP2"]), 0.5)
        row = "both\tDIP\tflexion\t0\t%.6f\t%.6f\tA\tus\n"
        self.write("arms.tsv", TABLE.splitlines()[1] + "\n" + row % (mean / 1e3 - 1e-4, mean / 1e3 + 1e-4) +
                   row % (mean / 1e3 + 1e-3, mean / 1e3 + 2e-3))
        answer = self.json("info", "finger.muscle.xml", "--moment-arms", "--joint", "DIP", "--table", "arms.tsv")
        self.assertEqual((answer["graded_pairs"], answer["inside_pairs"]), (2, 1))
        self.assertAlmostEqual(answer["outside"][0]["value_mm"], mean, places=2)

    def test_csv(self):
        self.arms("--csv", "arms.csv")
        with open(self.path("arms.csv")) as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        curve = [row for row in rows if row["strand"] == "FDP2"]
        self.assertEqual([row["coordinate"] for row in curve], ["DIP.0"] * len(curve))
        # The plain arm is minus the derivative of the length; the other leaves out what bends stretch.
        for before, row, after in zip(curve, curve[1:], curve[2:]):
            turn = math.radians(float(after["value"]) - float(before["value"]))
            slope = (float(after["length"]) - float(before["length"])) / turn
            self.assertAlmostEqual(float(row["arm_plain"]), -slope, places=6)
            self.assertAlmostEqual(float(row["arm_length"]), float(row["arm_work"]), delta=2e-5)

    def test_bad_tables(self):
        for text, message in [("", "no rows"), ("muscle\tjoint\n", "motion"), (TABLE + "X\tDIP\tflexion\t1\n", "lo"),
                              (TABLE + "X\tDIP\tflexion\tx\t0\t1\tA\n", "mean"),
                              (TABLE + "X\tDIP\tflying\t0\t0\t1\tA\n", "flying"),
                              (TABLE + "X\tDIP\tflexion\t0\t1\t0\tA\n", "above")]:
            self.write("arms.tsv", text)
            answer = self.arms("--table", "arms.tsv", code=3)["error"]
            self.assertEqual(answer["file"], "arms.tsv")
            self.assertIn(message, answer["message"])
        self.arms("--table", "missing.tsv", code=3)

    def test_wrong_usage(self):
        self.assertIn("belongs to --moment-arms", self.sinew("info", "finger", "--csv", "x.csv", code=2).stderr)
        self.assertIn("no joint 'toe'", self.sinew("info", "finger", "--moment-arms", "--joint", "toe", code=3).stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_shipped_table_fits_the_shipped_hand(self):
        names = self.json("info", "hand")
        with open(os.path.join(SOURCE, "models", "hand", "moment_arms.tsv")) as file:
            rows = [line.split("\t") for line in file if not line.startswith("#")][1:]
        for row in rows:
            self.assertIn(row[0], names["strand_names"])
            self.assertIn(row[1], names["joint_names"])


if __name__ == "__main__":
    unittest.main()
