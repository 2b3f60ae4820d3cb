"""sinew track of a motion that nothing can follow: the message names the target that moved fastest, and how fast."""
import unittest

from common import Case


class Fast(Case):
    def test_names_the_fastest_target(self):
        self.write("fast.pose.csv", "time,pip2.flexion,mcp2.flexion,mcp3.flexion\n0,0,0,0\n0.01,95,90,90\n0.5,95,90,90\n")
        answer = self.sinew("track", "hand", "fast.pose.csv", "-o", "out", code=1)
        self.assertRegex(answer.stderr, r'the fastest target, body "dp2", moved at \S+ m/s and \d+ degrees/s')


if __name__ == "__main__":
    unittest.main()
