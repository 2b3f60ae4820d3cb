"""sinew plot --what fascicles, sums and moment: pictures, tables, and that the sums are sums."""
import unittest

from common import Case
from test_plot import png_size


class Analysis(Case):
    """The finger, with the two heads of the first dorsal interosseus as one group."""

    @classmethod
    def model(cls, case):
        case.sinew("convert", "finger", "finger.muscle.xml")
        text = case.read("finger.muscle.xml")
        case.write("finger.muscle.xml", text.replace("</Muscle>", '<MuscleGroup name="DI1" strands="DI1_s DI1_d"/></Muscle>'))
        case.sinew("simulate", "finger.muscle.xml", "-o", "out", "--time", 0.3, "--activation", "DI1=0:0,0.1:0.3,0.3:0",
                   "--activation", "FDP2=0.05")

    def setUp(self):
        super().setUp()
        self.model(self)

    def plot(self, *arguments, **options):
        return self.json("plot", "out.replay.xml", *arguments, **options)

    def columns(self, name):
        names, rows = self.read_sto(name)
        return {n: [row[i] for row in rows] for i, n in enumerate(names)}

    def test_fascicles_of_a_group(self):
        answer = self.plot("--what", "fascicles", "--muscle", "DI1", "-o", "di.png")
        self.assertEqual((answer["strands"], answer["frames"]), (2, 16))
        with open(self.path("di.png"), "rb") as file:
            width, height = png_size(file.read())
        self.assertGreater(height, width)  # three plots one below the other
        self.plot("--what", "fascicles", "--muscle", "DI1", "--joint", "MCP.deviation", "-o", "di.sto")
        table, run = self.columns("di.sto"), self.columns("out.sto")
        self.assertEqual(table["time"], run["time"])
        for name in ["force_insertion/DI1_s", "length/DI1_d"]:
            self.assertEqual(table[name], run[name])
        for i in range(len(table["time"])):
            self.assertAlmostEqual(table["sum_force/DI1"][i],
                                   table["force_insertion/DI1_s"][i] + table["force_insertion/DI1_d"][i], 12)
            self.assertAlmostEqual(table["mean_length/DI1"][i], (table["length/DI1_s"][i] + table["length/DI1_d"][i]) / 2, 12)
            self.assertAlmostEqual(table["sum_moment/DI1"][i], table["moment/DI1_s"][i] + table["moment/DI1_d"][i], 12)
        self.assertGreater(max(table["sum_moment/DI1"]), 0.01)  # it abducts

    def test_moments_of_all_muscles(self):
        answer = self.plot("--what", "moment", "--joint", "DIP", "-o", "m.svg")
        self.assertEqual(answer["coordinate"], "DIP.0")
        self.assertGreater(answer["peaks"]["sum_moment/FDP2"], 0)
        self.assertIn("<svg", self.read("m.svg"))
        self.plot("--what", "moment", "--joint", "DIP.flexion", "-o", "m.csv")
        header = self.read("m.csv").splitlines()[0].split(",")
        self.assertIn("moment/FDP2", header)
        self.assertNotIn("moment/FDS2", header)  # which ends before this joint
        self.assertIn("sum_moment/all", header)

    def test_sums(self):
        self.plot("--what", "sums", "-o", "s.svg")
        answer = self.plot("--what", "sums", "--muscle", "DI1,FDP2", "-o", "s.png")
        self.assertEqual(set(answer["peaks"]), {"sum_force/DI1", "sum_force/FDP2"})

    def test_results_drive_again(self):
        self.plot("--what", "sums", "-o", "s.sto")
        error = self.sinew("simulate", "finger.muscle.xml", "--activations", "s.sto", code=3).stderr
        self.assertIn("no column is a muscle", error)

    def test_bad_input(self):
        def refused(message, *arguments, code=3):
            self.assertIn(message, self.sinew("plot", *arguments, code=code).stderr)
        refused("--joint JOINT is missing", "out.replay.xml", "--what", "moment", "-o", "a.png", code=2)
        refused("needs a replay", "out.sto", "--what", "sums", "-o", "a.png", code=2)
        refused("'toe'", "out.replay.xml", "--what", "moment", "--joint", "toe", "-o", "a.png")
        refused("'nobody'", "out.replay.xml", "--what", "sums", "--muscle", "nobody", "-o", "a.png")
        refused("none of the chosen strands crosses", "out.replay.xml", "--what", "moment", "--joint", "DIP", "--muscle", "DI1",
                "-o", "a.png")
        refused(".svg, .pdf or .png", "out.replay.xml", "-o", "a.sto", code=2)


if __name__ == "__main__":
    unittest.main()
