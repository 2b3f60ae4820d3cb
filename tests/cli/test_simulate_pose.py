"""sinew simulate --pose: the run starts, at rest, from the last pose of a motion."""
import math
import unittest

from common import Case


class SimulatePose(Case):
    def start(self, text):
        self.write("p.pose.csv", text)
        self.json("simulate", "hand", "--pose", "p.pose.csv", "--time", "0.004", "-o", "out")
        names, rows = self.read_sto("out.sto")
        return {name: rows[0][i] for i, name in enumerate(names)}

    def test_a_single_row_is_the_pose(self):
        row = self.start("time,pip2.flexion,wrist.flexion\n0,40,-12\n")
        near = {name: value for name, value in row.items() if name.startswith("coordinate/")}
        self.assertAlmostEqual(near["coordinate/pip2.0"], math.radians(40), places=4)
        self.assertAlmostEqual(near["coordinate/wrist.0"], math.radians(-12), places=4)
        self.assertAlmostEqual(near["coordinate/pip3.0"], 0, places=4)

    def test_of_a_motion_it_is_the_last(self):
        row = self.start("time,pip2.flexion\n0,0\n1,55\n")
        self.assertAlmostEqual(row["coordinate/pip2.0"], math.radians(55), places=4)

    def test_names_what_is_wrong(self):
        self.write("p.pose.csv", "time,pip9.flexion\n0,40\n")
        answer = self.json("simulate", "hand", "--pose", "p.pose.csv", "--time", "0.004", code=3)["error"]
        self.assertIn("pip9", str(answer))
        self.json("simulate", "hand", "--pose", "none.pose.csv", "--time", "0.004", code=3)
        for name in ("a.replay.xml", "a.replay.xml.gz", "a.replay.bin"):  # poses of bones, whatever the form
            self.write(name, "")
            answer = self.json("simulate", "hand", "--pose", name, "--time", "0.004", code=3)["error"]
            self.assertIn("joint angles are needed", str(answer))


if __name__ == "__main__":
    unittest.main()
