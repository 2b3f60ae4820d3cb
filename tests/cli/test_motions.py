"""sinew motions: the motions of a model are listed, checked and added, and found by name afterwards."""
import os
import unittest

from common import Case

MODEL = """<Muscle version="1">
  <RigidBody name="frame" pinned="true" mass_from="given" mass="1" inertia="0.001 0.001 0.001"/>
  <RigidBody name="arm" mass_from="given" mass="1" inertia="0.001 0.001 0.001"/>
  <Joint name="elbow" type="hinge" body_a="frame" body_b="arm" limited="true" lower="0 0 0" upper="90 0 0" motions="flexion"/>
</Muscle>"""
SCENE = """<ModelerScene version="1">
  <Group name="frame"/>
  <Group name="arm" translate="0 -0.3 0"/>
  <Locator name="elbow"/>
</ModelerScene>"""


class Motions(Case):
    def setUp(self):
        super().setUp()
        self.write("arm.scene.xml", SCENE)
        self.write("arm.muscle.xml", MODEL)

    def add(self, text, *more, code=0, name="lift.pose.csv"):
        self.write(name, text)
        arguments = ["motions", "arm.muscle.xml", "--add", name, *more]
        return self.json(*arguments) if code == 0 else self.sinew(*arguments, code=code).stderr

    def test_a_motion_is_added_and_found_by_name(self):
        made = self.add("time,elbow.flexion\n0,0\n1,60\n2,0\n")
        self.assertTrue(made["added"].endswith("motions/lift.pose.csv"))
        self.assertTrue(os.path.exists(os.path.join(self.folder, "motions", "lift.pose.csv")))
        (lift,) = made["motions"]
        self.assertEqual((lift["name"], lift["fits"], lift["frames"], lift["coordinates"]), ("lift", True, 3, 1))
        self.assertAlmostEqual(lift["seconds"], 2, 6)
        self.assertEqual(lift["beyond_deg"], 0)
        self.assertGreater(lift["fastest_deg_s"], 60)  # on average 60, so faster somewhere
        # the same name again is refused, another one is not
        self.assertIn("already", self.add("time,elbow.flexion\n0,0\n1,30\n", code=3))
        self.add("time,elbow.flexion\n0,0\n1,30\n", "--name", "half")
        self.add("time,elbow.flexion\n0,0\n1,30\n3,30\n", "--replace")
        both = self.json("motions", "arm.muscle.xml")["motions"]
        self.assertEqual([m["name"] for m in both], ["half", "lift"])
        self.assertAlmostEqual(both[1]["seconds"], 3, 6)

    def test_joints_that_leave_their_range_are_named(self):
        text = self.add("time,elbow.flexion\n0,0\n1,120\n2,0\n")["motions"][0]
        self.assertAlmostEqual(text["beyond_deg"], 30, 3)
        self.assertEqual(text["beyond"], "elbow.flexion")
        self.assertIn("leaves its range by 30.0 deg at 1.00 s", self.sinew("motions", "arm.muscle.xml").stdout)

    def test_what_does_not_fit_is_refused(self):
        self.assertIn("knee", self.add("time,knee.flexion\n0,0\n1,30\n", code=3))
        self.assertFalse(os.path.exists(os.path.join(self.folder, "motions")))
        self.assertIn("format", self.add("x", code=3, name="lift.txt"))
        self.assertIn("cannot be", self.add("time,elbow.flexion\n0,0\n1,30\n", "--name", "../lift", code=3))
        self.assertIn("--add", self.sinew("motions", "arm.muscle.xml", "--name", "x", code=2).stderr)
        # a file that came into the folder by other ways is named, and the exit code tells
        os.makedirs(os.path.join(self.folder, "motions"))
        self.write("motions/bad.pose.csv", "time,knee.flexion\n0,0\n1,1\n")
        result = self.sinew("motions", "arm.muscle.xml", code=3)
        self.assertIn("does not fit", result.stdout)
        self.assertIn("1 motion does not fit", result.stderr)

    def test_motions_of_your_own_for_a_shipped_model(self):
        mine = os.path.join(self.folder, "mine")
        env = dict(os.environ, SINEW_MOTIONS=mine)
        shipped = self.json("motions", "hand", env=env)["motions"]
        self.assertIn("fist", [m["name"] for m in shipped])
        self.assertFalse(any(m["own"] for m in shipped))
        self.write("curl.pose.csv", "time,pip2.flexion\n0,0\n0.05,2\n0.1,0\n")
        made = self.json("motions", "hand", "--add", "curl.pose.csv", env=env)
        self.assertEqual(made["added"], os.path.join(mine, "hand", "curl.pose.csv"))
        own = [m for m in made["motions"] if m["own"]]
        self.assertEqual([m["name"] for m in own], ["curl"])
        # by name, as every command does
        found = self.json("track", "hand", "curl", "-o", "curl_out", env=env)
        self.assertGreaterEqual(found["frames"], 1)

    def test_all_models(self):
        names = [m["model"] for m in self.json("motions")["models"]]
        self.assertIn("hand", names)
        self.assertIn("shoulder", names)


if __name__ == "__main__":
    unittest.main()
