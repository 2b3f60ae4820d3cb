"""The shipped motions of the upper body, each followed from beginning to end."""
import unittest

from common import Case


class Motions(Case):
    # Largest error allowed, rad; in breathing that of ribs, which yield.
    MOTIONS = {"hold": 2e-4, "bow": 5e-4, "turn-head": 5e-4, "nod": 5e-4, "curl": 5e-4, "dumbbell": 1e-3, "breathing": 0.0175,
               "shrug": 5e-4, "reach": 5e-4, "pectoral-dance": 5e-4, "look": 5e-4, "lean": 5e-4}

    def test_every_motion_is_followed(self):
        for motion, allowed in self.MOTIONS.items():
            answer = self.json("track", "body", motion, "-o", motion, "--replay", "bin")
            if motion == "lean":
                self.chest_and_head_get_there(answer)
            self.assertFalse(answer["diverged"], motion)
            self.assertLess(answer["worst_error_rad"], allowed, motion)
            self.assertLess(answer["mean_error_rad"], 0.0015, motion)
            self.assertLess(answer["unmet_torque"], 0.1, motion)
            self.assertLess(answer["max_activation"], 0.7, motion)  # none is at its limit
            self.assertEqual(answer["clamped"], [], motion)


    def chest_and_head_get_there(self, answer):
        """Places and directions of bodies instead of coordinates."""
        place, turn = answer["targets"]
        self.assertEqual([place["target"], turn["target"]], ["place.T1", "turn.skull"])
        self.assertLess(place["unreachable_m"], 1e-4)
        self.assertLess(turn["unreachable_rad"], 1e-4)
        self.assertLess(place["error_m"], 0.002)
        self.assertLess(turn["error_rad"], 0.01)


class Targets(Case):
    """Places and directions of bodies instead of coordinates: those that cannot be."""

    def test_out_of_reach_says_by_how_much(self):
        self.write("far.pose.csv", "time,place.T1.x\n0,0\n0.1,0\n1,0.9\n")
        arguments = ("track", "body", "far.pose.csv", "-o", "far", "--end", "0.2")
        self.assertGreater(self.json(*arguments)["targets"][0]["unreachable_m"], 0.1)
        self.assertIn("place.T1 is out of reach by up to", self.sinew(*arguments).stderr)

    def test_columns_that_mean_nothing_are_refused(self):
        for column, said in (("place.T1.w", "names no axis"), ("place.T99.x", "no body called"),
                             ("look.skull.x", "needs .x, .y and .z"), ("turn.pelvis.x", "is fixed")):
            self.write("bad.pose.csv", f"time,{column}\n0,0\n1,0\n")
            self.assertIn(said, self.sinew("track", "body", "bad.pose.csv", "-o", "bad", code=3).stderr)


class Coactivation(Case):
    def sag(self, *options):
        """How far a push of 0.1 kg on the forearm, which is not felt, lowers the elbow within 0.2 s."""
        angle = []
        self.write("elbow.pose.csv", "time,ulna_R_flex\n0,90\n1,90\n")
        for kg in (0, 0.1):
            self.sinew("track", "body", "elbow.pose.csv", "-o", "out", "--replay", "bin", "--end", "0.625", "--sensor", "0.01",
                       "--load", f"radius_R=0:0,0.4:0,0.401:{kg}", *options)
            names, rows = self.read_sto("out.sto")
            angle.append(rows[-1][names.index("coordinate/ulna_R_flex")])
        return angle[0] - angle[1]

    def test_it_stiffens_where_control_is_slow(self):
        slow = [self.sag("--control-rate", "5", "--coactivation", f"arm_R={level}") for level in (0, 1)]
        self.assertGreater(slow[1], 0)
        self.assertLess(slow[1], 0.9 * slow[0])


if __name__ == "__main__":
    unittest.main()
