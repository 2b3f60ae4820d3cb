"""sinew track --converge: the second run at half the step, and what is told of it."""
import unittest

from common import Case

BEND = "time,MCP.flexion,PIP.flexion,DIP.flexion\n0,0,0,0\n0.3,20,25,10\n0.6,0,0,0\n"


class Converge(Case):
    def setUp(self):
        super().setUp()
        self.write("bend.pose.csv", BEND)

    def test_compares_with_a_run_at_half_the_step(self):
        one = self.json("track", "finger", "bend.pose.csv", "--step", "0.004", "--converge", "-o", "one")
        half = self.json("track", "finger", "bend.pose.csv", "--step", "0.002", "-o", "half")
        told = one["converge"]
        self.assertAlmostEqual(told["step_s"], 0.002)
        self.assertAlmostEqual(told["rms_error_mm"], half["rms_error_mm"], places=9)
        names, rows = self.read_sto("one.sto")
        _, other = self.read_sto("half.sto")
        columns = [i for i, name in enumerate(names) if name.startswith("activation/")]
        off = sum((a[i] - b[i]) ** 2 for a, b in zip(rows, other) for i in columns)
        size = sum(b[i] ** 2 for b in other for i in columns)
        self.assertAlmostEqual(told["activation_change_rms"], (off / size) ** 0.5, places=6)
        worst = max(abs(a[i] - b[i]) for a, b in zip(rows, other) for i in columns)
        self.assertAlmostEqual(told["activation_change_max"], worst, places=6)
        with open(self.path("one.report.txt")) as report:
            self.assertIn("# At half the step (0.002 s)", report.read())

    def test_warns_where_it_matters_only(self):
        """Errors of micrometres are no reason for a smaller step; activations that change are."""
        for words, fine in ((["hand", "point", "--end", "0.6"], True), (["finger", "bend.pose.csv", "--step", "0.02"], False)):
            result = self.sinew("track", *words, "--converge", "-o", "out")
            self.assertEqual("use a smaller --step" not in result.stderr, fine, result.stderr)
            with open(self.path("out.report.txt")) as report:
                self.assertRegex(report.read(), "converged +" + ("yes" if fine else "no: use a smaller --step"))

    def test_cannot_be_resumed(self):
        answer = self.json("track", "finger", "bend.pose.csv", "--converge", "--resume", "-o", "out", code=2)["error"]
        self.assertIn("--resume", answer["message"])

    def test_info_tells_the_step(self):
        self.assertAlmostEqual(self.json("info", "finger")["step_s"], 0.002)


if __name__ == "__main__":
    unittest.main()
