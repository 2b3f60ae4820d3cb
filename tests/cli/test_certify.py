"""sinew certify, and moment arms of models on a tree, end to end."""
import csv
import unittest

from common import Case

# A bone that turns about z, with a pulley of radius 20 mm that the muscle goes around: after half a turn it flips.
MODEL = """<Muscle version="1" type="tree" scene="arm.scene.xml">
<RigidBody name="base" mass="1" pinned="true"/>
<RigidBody name="bone" mass="1" inertia="0.01 0.01 0.01"/>
<Coordinate name="elbow.flexion" parent="base" body="bone" axis="0 0 1" center="0 0 0" range="-200 20"/>
<LineMuscle name="flexor" bodies="base bone" wraps="pulley" max_force="100" fiber_length="0.1">
<Points>-0.1 0.03 0 0.1 0.03 0</Points></LineMuscle>
</Muscle>
"""
SCENE = """<ModelerScene version="1">
<Group name="base"/><Group name="bone"/>
<Shape name="pulley" shape="cylinder" size="0.02 0.1 1"/>
</ModelerScene>
"""


class Certify(Case):
    def flipping(self):
        self.write("arm.scene.xml", SCENE)
        return self.write("arm.muscle.xml", MODEL)

    def test_jump_is_named(self):
        model = self.flipping()
        answer = self.json("certify", model, "--poses", "3")
        self.assertEqual(answer["pairs"], 1)
        self.assertLess(answer["worst_difference_mm"], 1e-5)
        for jump in answer["jumps"]:
            self.assertEqual((jump["muscle"], jump["coordinate"], jump["kind"]), ("flexor", "elbow.flexion", "length"))
            self.assertAlmostEqual(jump["value_deg"], -180, places=4)
            self.assertGreater(jump["size_mm"], 100)
        self.assertEqual(answer["worst_jump_mm"], answer["jumps"][0]["size_mm"])
        text = self.sinew("certify", model, "--poses", "0", "-o", "out.csv").stdout
        self.assertIn("at  -180.000 degrees", text)
        rows = list(csv.DictReader(line for line in self.read("out.csv").splitlines() if line[0] != "#"))
        self.assertEqual([row["row"] for row in rows], ["pair", "length jump"])
        self.assertAlmostEqual(float(rows[1]["value"]), -180, places=4)
        self.sinew("certify", model, "--strict", code=1)

    def test_nothing_measured_fails(self):
        model = self.flipping()
        self.write("arm.muscle.xml", MODEL.replace('<LineMuscle', '<LineMuscle enabled="false"'))
        for command in (("certify", model), ("info", model, "--moment-arms")):
            result = self.sinew(*command, code=3)
            self.assertIn("nothing was measured", result.stderr)

    def test_strands(self):
        answer = self.json("certify", "finger")
        self.assertGreater(answer["pairs"], 20)
        self.assertEqual(answer["poses"], 0)
        # Within 90 degrees there is none; at the end of its range FDS2 slips.
        self.assertTrue(all(jump["value_deg"] > 90 for jump in answer["jumps"]), answer["jumps"])
        worst = max(pair["worst_difference_mm"] for pair in answer["moment_arms"] if pair["muscle"] != "FDS2")
        self.assertLess(worst, 0.3)
        self.assertGreater(worst, 0)

    def test_moment_arms_on_a_tree(self):
        model = self.flipping()
        answer = self.json("info", model, "--moment-arms", "--joint", "elbow")
        self.assertEqual(answer["pairs"], 1)
        self.assertEqual(answer["moment_arms"][0]["strand"], "flexor")
        # The step of a degree across the flip: from one side of the pulley to the straight line on the other.
        self.assertEqual(len(answer["jumps"]), 1)
        self.assertAlmostEqual(answer["jumps"][0]["value_deg"], -180, delta=1.01)
        self.assertEqual(answer["jumps"][0]["size_mm"], answer["worst_jump_mm"])
        self.sinew("info", model, "--moment-arms", "--joint", "knee", code=3)
        self.json("plot", model, "--what", "moment-arms", "--joint", "elbow.flexion", "-o", "arms.svg")

    def test_shipped_trees(self):
        for model in ("hand-clinical", "body"):
            answer = self.json("info", model, "--moment-arms")
            self.assertGreater(answer["pairs"], 100)
            self.assertLess(answer["agreement_worst_mm"], 1e-2)
        answer = self.json("certify", "hand-clinical", "--poses", "40")
        self.assertEqual(answer["jumps"], [])
        self.assertLess(answer["worst_difference_mm"], 1e-5)
        self.assertEqual(answer["idle_muscles"], [])
        again = self.json("certify", "hand-clinical", "--poses", "40")
        other = self.json("certify", "hand-clinical", "--poses", "40", "--seed", "2")
        self.assertEqual(again["moment_arms"], answer["moment_arms"])
        self.assertNotEqual(other["moment_arms"], answer["moment_arms"])


if __name__ == "__main__":
    unittest.main()
