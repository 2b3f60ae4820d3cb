"""Loads from options and files, in track and simulate: what is written, what is recorded, what muscles do about it."""
import unittest

from common import Case


class Load(Case):
    def column(self, name, file="out.sto"):
        names, rows = self.read_sto(file)
        return [(row[0], row[names.index(name)]) for row in rows]

    def at(self, time, name, file="out.sto"):
        return min(self.column(name, file), key=lambda pair: abs(pair[0] - time))[1]

    def test_a_gripping_fist_shows_the_flexors_at_work(self):
        self.json("track", "hand", "fist", "-o", "bare", "--end", 1.8)
        answer = self.json("track", "hand", "fist", "-o", "out", "--end", 1.8, "--load", "grip=0:0/1:0/1.5:20")
        self.assertLess(answer["rms_error_mm"], 0.05)
        for muscle in "FDP2", "FDP3", "FDP4", "FDP5", "FDS4", "ADP_o", "OP":
            self.assertGreater(self.at(1.8, f"activation/{muscle}"), self.at(1.8, f"activation/{muscle}", "bare.sto") + 0.02)
        for muscle in "FDP2", "FDP4":  # before the load comes both runs are the same
            self.assertAlmostEqual(self.at(0.9, f"activation/{muscle}"), self.at(0.9, f"activation/{muscle}", "bare.sto"), 9)
        force = [sum(self.at(1.8, f"load_f{axis}/{body}") ** 2 for axis in "xyz") ** 0.5 for body in ("dp2", "mp2", "pp2")]
        self.assertAlmostEqual(sum(force), 20, 6)
        self.assertNotIn("load_fx/dp2", self.read("bare.sto"))
        self.assertIn("# load: grip=0:0/1:0/1.5:20", self.read("out.report.txt"))

    def test_a_file_of_loads_is_the_same_as_options(self):
        self.write("loads.csv", "time,dp2@tip.fz,dp2@tip.fx,hand:world.fy,grip\n0,0,0,-5,1\n0.4,3,0,-5,1\n")
        options = ["--load", "dp2@tip=0:0,0,0/0.4:0,0,3", "--load", "hand:world=0,-5,0", "--load", "grip=1"]
        self.json("track", "hand", "fist", "--end", 0.4, "-o", "a", *options)
        self.json("track", "hand", "fist", "--end", 0.4, "-o", "b", "--loads", "loads.csv")
        a, b = self.read_sto("a.sto"), self.read_sto("b.sto")
        self.assertEqual(a[0], b[0])
        for x, y in zip(a[1][-1], b[1][-1]):
            self.assertAlmostEqual(x, y, delta=1e-6 + 1e-6 * abs(x))

    def test_simulate_a_weight_stretches_what_holds_it(self):
        self.json("simulate", "pulley", "-o", "out", "--time", 0.2)
        self.json("simulate", "pulley", "-o", "heavy", "--time", 0.2, "--load", "weight=3kg")
        for _, force in self.column("load_fy/weight", "heavy.sto")[1:]:
            self.assertAlmostEqual(force, -3 * 9.81, 6)
        self.assertGreater(self.at(0.2, "length/rope", "heavy.sto"), self.at(0.2, "length/rope") + 0.001)

    def test_resume_knows_the_loads(self):
        self.json("track", "hand", "fist", "--end", 0.2, "-o", "whole", "--load", "grip=5")
        self.json("track", "hand", "fist", "--end", 0.1, "-o", "part", "--load", "grip=5")
        error = self.sinew("track", "hand", "fist", "--end", 0.1, "-o", "part", "--resume", "--load", "grip=6", code=3).stderr
        self.assertIn("load", error)

    def test_what_is_wrong_is_said(self):
        def refused(message, *options, code=3):
            error = self.sinew("track", "hand", "fist", "-o", "x", *options, code=code).stderr
            self.assertIn(message, error)
        refused("did you mean 'dp2'", "--load", "dp22=0,0,1")
        refused("is fixed", "--load", "ulna=0,0,1")
        refused("BODY=X,Y,Z", "--load", "dp2=0,0")
        refused("@tip", "--load", "dp2@top=0,0,1")
        refused("at most 10000 N", "--load", "dp2=0,0,1e6")
        self.write("bad.csv", "time,dp2.force\n0,1\n")
        refused("dp2.force", "--loads", "bad.csv")
        refused("nowhere.csv", "--loads", "nowhere.csv")
        error = self.sinew("simulate", "pulley", "--load", "grip=3", code=3).stderr
        self.assertIn("no fingers to grip with", error)


if __name__ == "__main__":
    unittest.main()
