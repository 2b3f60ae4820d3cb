"""sinew track of a motion that nothing can follow: the message names the target that moved fastest, and how fast."""
import unittest

from common import Case


class Fast(Case):
    def test_names_the_fastest_target(self):
        self.write("fast.pose.csv", "time,pip2.flexion,mcp2.flexion,mcp3.flexion\n0,0,0,0\n0.01,95,90,90\n0.5,95,90,90\n")
        answer = self.sinew("track", "hand", "fast.pose.csv", "-o", "out", code=1)
        self.assertRegex(answer.stderr, r'the fastest target, body "dp2", moved at \S+ m/s and \d+ degrees/s')

    def test_also_where_a_joint_comes_apart(self):
        self.write("fast.pose.csv", "time,wrist.flexion,mcp2.flexion\n0,0,0\n0.02,60,80\n0.04,-60,-20\n0.06,60,80\n")
        answer = self.sinew("track", "hand", "fast.pose.csv", "-o", "out", code=1)
        self.assertRegex(answer.stderr, r'torn apart by .* s of the motion; the fastest target, body "\w+", moved at \S+ m/s')


if __name__ == "__main__":
    unittest.main()
