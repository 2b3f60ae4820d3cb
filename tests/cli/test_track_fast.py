"""sinew track of a motion that nothing can follow: it is said to be missed, and where a run diverges the message names the
target that moved fastest, and how fast."""
import re
import unittest

from common import Case


class Fast(Case):
    def test_names_the_fastest_target(self):
        self.sinew("convert", "finger", "wild.muscle.xml")
        self.write("wild.muscle.xml", re.sub(r'max_force="[^"]*"', 'max_force="1e9"', self.read("wild.muscle.xml")))
        self.write("fast.pose.csv", "time,PIP.flexion\n0,0\n0.02,80\n0.5,80\n")
        answer = self.sinew("track", "wild.muscle.xml", "fast.pose.csv", "-o", "out", code=1)
        self.assertRegex(answer.stderr, r'the fastest target, body "distal", moved at \S+ m/s and \d+ degrees/s')

    def test_steps_that_are_too_long_are_divided(self):
        """Each of these tore a joint apart at the step of the hand."""
        for motion in ("time,pip2.flexion,mcp2.flexion,mcp3.flexion\n0,0,0,0\n0.01,95,90,90\n0.5,95,90,90\n",
                       "time,wrist.flexion,mcp2.flexion\n0,0,0\n0.02,60,80\n0.04,-60,-20\n0.06,60,80\n"):
            self.write("fast.pose.csv", motion)
            self.assertIn("the motion was not reached", self.sinew("track", "hand", "fast.pose.csv", "-o", "out").stderr)
            answer = self.json("track", "hand", "fast.pose.csv", "-o", "out", "--strict", code=1)
            self.assertFalse(answer["reached"])
            self.assertFalse(answer["diverged"])


if __name__ == "__main__":
    unittest.main()
