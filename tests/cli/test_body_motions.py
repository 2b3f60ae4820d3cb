"""The shipped motions of the upper body, each followed from beginning to end."""
import unittest

from common import Case


class Motions(Case):
    # Largest error allowed, rad: of what muscles can do without a hitch, and of what they can barely.
    MOTIONS = {"hold": 0.003, "bow": 0.012, "turn-head": 0.03, "nod": 0.04, "curl": 0.02, "dumbbell": 0.005, "breathing": 0.01,
               "shrug": 0.03, "reach": 0.015, "pectoral-dance": 0.01}

    def test_every_motion_is_followed(self):
        for motion, allowed in self.MOTIONS.items():
            answer = self.json("track", "body", motion, "-o", motion, "--replay", "bin")
            self.assertFalse(answer["diverged"], motion)
            self.assertLess(answer["worst_error_rad"], allowed, motion)
            self.assertLess(answer["mean_error_rad"], 0.0015, motion)
            self.assertGreaterEqual(answer["worst_missing_torque"], 0)
            self.assertEqual(answer["clamped"], [], motion)


if __name__ == "__main__":
    unittest.main()
