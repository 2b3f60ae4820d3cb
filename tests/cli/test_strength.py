"""sinew strength: torques by linear programming beside published ones."""
import unittest

from common import Case



class Strength(Case):
    def test_the_body_is_as_strong_as_people(self):
        answer = self.json("strength", "body")
        rows = {(row["joint"], row["action"], row["posture"]): row for row in answer["published"]}
        self.assertEqual(len(rows), 28)
        inside = [row for row in rows.values() if row["lower"] <= row["torque"] <= row["upper"]]
        self.assertEqual(len(inside), answer["inside"])
        self.assertGreaterEqual(len(inside), 20)
        self.assertTrue(all(row["source"] and row["seen"] for row in rows.values()))
        # found by another program (scipy's HiGHS on the same paths), to a tenth
        for key, torque in ((("elbow", "flexion", "elbow 90, forearm neutral"), 80.8), (("elbow", "extension", "elbow 90"), 42.4),
                            (("wrist", "flexion", "neutral, hand relaxed"), 11.6), (("trunk", "extension", "upright"), 228.2),
                            (("trunk", "axial rotation", "upright"), 79.0)):
            self.assertAlmostEqual(rows[key]["torque"], torque, delta=0.06)

    def test_left_and_right_are_as_strong(self):
        torque = {row["coordinate"]: row for row in self.json("strength", "body")["coordinates"]}
        self.assertEqual(len(torque), 96)  # the driven ones
        for name, row in torque.items():
            if "_R_" in name:
                other = torque[name.replace("_R_", "_L_")]
                self.assertAlmostEqual(row["positive"], other["positive"], delta=1e-6 * (1 + row["positive"]))
            elif name.endswith(("_LB", "_AR")):
                self.assertAlmostEqual(row["positive"], row["negative"], delta=1e-6 * (1 + row["positive"]))

    def test_a_table_of_ones_own(self):
        head = "joint\taction\tposture\ttorque\tbalanced\tpose\tpublished\tlower\tupper\tband\tseen\tsource\n"
        row = "elbow\tflexion\tbent\t{}\t-\tulna_R_flex=90\t75\t60\t95\town\tM\tx\n"
        self.write("own.tsv", head + row.format("ulna_R_flex=1"))
        alone = self.json("strength", "body", "--table", "own.tsv")["published"][0]["torque"]
        self.assertGreater(alone, 80.8)  # nothing else is balanced
        for torque, words in (("elbow=1", "no coordinate called"), ("ulna_R_flex", "expected COORDINATE=NUMBER"),
                              ("ulna_R_flex=0", "no coordinate has a share")):
            self.write("bad.tsv", head + row.format(torque))
            said = self.sinew("strength", "body", "--table", "bad.tsv", code=3).stderr
            self.assertIn(words, said)
            self.assertIn("bad.tsv", said)
        self.assertIn("none.tsv", self.sinew("strength", "body", "--table", "none.tsv", code=3).stderr)

    def test_other_models(self):
        self.assertGreater(len(self.json("strength", "hand-clinical")["coordinates"]), 10)
        self.assertIn("tree", self.sinew("strength", "finger", code=3).stderr)


if __name__ == "__main__":
    unittest.main()
