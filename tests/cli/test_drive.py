"""Functions and activations over time, from options and from files."""
import re
import unittest

from common import Case


class Drive(Case):
    """The pulley: one muscle, rope, made to serve two functions."""

    def setUp(self):
        super().setUp()
        self.sinew("convert", "pulley", "lift.muscle.xml")
        text = self.read("lift.muscle.xml")
        functions = ('<Function name="lift" muscles="rope" levels="0.8"/>\n'
                     '<Function name="jerk" muscles="rope" levels="0 0.5 0" times="0.1 0.2 0.3"/>\n')
        self.write("lift.muscle.xml", text.replace("</Muscle>", functions + "</Muscle>"))

    def simulate(self, *arguments, **options):
        return self.json("simulate", "lift.muscle.xml", "-o", "out", *arguments, **options)

    def column(self, name, file="out.sto"):
        names, rows = self.read_sto(file)
        return [(row[0], row[names.index(name)]) for row in rows]

    def refused(self, message, *arguments, code=3):
        error = self.sinew("simulate", "lift.muscle.xml", *arguments, code=code).stderr
        self.assertIn(message, error)
        return error

    def test_levels_over_time_from_the_option(self):
        self.simulate("--function", "lift=0:0,0.1:1,0.3:0", "--time", 0.4)
        for time, level in self.column("activation/rope")[1:]:
            wanted = 8 * time if time < 0.1 else max(0, 4 * (0.3 - time))
            self.assertAlmostEqual(level, wanted, 9)

    def test_functions_of_the_model_over_time_and_their_sum(self):
        answer = self.simulate("--function", "lift=0.5", "--function", "jerk=1", "--activation", "rope=0.25", "--time", 0.4)
        for time, level in self.column("activation/rope")[1:]:
            jerk = max(0, 0.5 - 5 * abs(time - 0.2))
            self.assertAlmostEqual(level, min(1, 0.65 + jerk), 9)
        self.assertEqual(answer["clamped_muscles"], ["rope"])
        text = self.sinew("simulate", "lift.muscle.xml", "--function", "lift=1", "--function", "jerk=1", "--time", 0.4).stdout
        self.assertRegex(text, r"note: the levels add up to 1.3 for rope at 0.2 s; it was limited to 1")

    def test_a_file_and_the_table_of_a_run_drive_it(self):
        self.write("levels.csv", "time,function.lift,rope\n0,0,0\n0.2,1,0.1\n0.4,0,0.2\n")
        answer = self.simulate("--activations", "levels.csv")
        self.assertAlmostEqual(answer["simulated_s"], 0.4, 9)  # to the end of the file
        for time, level in self.column("activation/rope")[1:]:
            self.assertAlmostEqual(level, 0.8 * (1 - abs(time - 0.2) / 0.2) + 0.5 * time, 9)
        wanted = self.column("length/rope")
        self.json("simulate", "lift.muscle.xml", "-o", "again", "--activations", "out.sto")
        for (_, a), (_, b) in zip(wanted, self.column("length/rope", "again.sto")):
            self.assertAlmostEqual(a, b, delta=2e-4)  # the table has every fifth step only

    def test_released_it_comes_back_to_rest(self):
        self.simulate("--function", "lift=0:0,0.2:0.8,0.4:0.8,0.6:0", "--time", 3)
        length = [value for _, value in self.column("length/rope")]
        self.assertGreater(length[0] - min(length), 0.003)
        self.assertAlmostEqual(length[-1], length[0], delta=1e-4)

    def test_bad_names_and_levels_are_refused(self):
        error = self.refused("no function 'lit'", "--function", "lit=1")
        self.assertIn("lift jerk", error)
        self.assertIn("did you mean 'lift'", error)
        self.refused("did you mean 'rope'", "--activation", "ropes=1")
        self.refused("out of range", "--function", "lift=0:0,1:1.1", code=2)
        self.refused("do not increase", "--function", "lift=0:0,0:1", code=2)
        for wrong in ["lift", "lift=", "lift=a", "lift=0:", "lift=0:1,", "lift=0:1;1:0", "lift=:1", "lift=1,0", "=1"]:
            self.refused("needs NAME=LEVEL", "--function", wrong, code=2)
        self.write("levels.csv", "time,rope\n0,0\n0.2,1.5\n")
        self.assertRegex(self.refused("expected 0 to 1", "--activations", "levels.csv"), r"levels.csv:3: ")
        self.write("levels.csv", "time,rope,roe\n0,0,0\n")
        self.assertRegex(self.refused("did you mean 'rope'", "--activations", "levels.csv"), r"levels.csv")
        self.write("levels.csv", "time,rope\n0,nan\n")
        self.refused("finite", "--activations", "levels.csv")
        self.refused("nosuch.csv", "--activations", "nosuch.csv")
        text = re.sub('times="0.1 0.2 0.3"', 'times="0.1 0.3 0.2"', self.read("lift.muscle.xml"))
        self.write("lift.muscle.xml", text)
        self.refused("does not come after", "--function", "jerk=1")


if __name__ == "__main__":
    unittest.main()
