"""What somebody new meets: every problem at once, names to choose from, angles that are not wrapped."""
import re
import unittest

from common import Case


class FirstHour(Case):
    def test_check_reports_every_bad_value(self):
        self.sinew("convert", "finger", "m.muscle.xml")
        text, wrong = self.read("m.muscle.xml"), iter(('radius="thick"', 'radius="0.001x"', 'radius="-"'))
        text = re.sub('radius="[^"]*"', lambda m: next(wrong, m[0]), text)
        text = text.replace("<Constraint ", '<Constraint colour="red" ', 1).replace('attachment="', 'attachment="zz', 1)
        self.write("m.muscle.xml", text)
        answer = self.json("check", "m.muscle.xml", code=3)
        said = [problem["message"] for problem in answer["problems"] if problem["severity"] == "error"]
        self.assertEqual(sum("radius is" in message for message in said), 3, said)
        self.assertEqual(sum("unknown attribute colour" in message for message in said), 1, said)
        self.assertEqual(answer["errors"], len(said))
        lines = [problem["line"] for problem in answer["problems"] if "radius is" in problem["message"]]
        self.assertEqual(len(set(lines)), 3)
        for command in (["simulate", "m.muscle.xml"], ["track", "m.muscle.xml", "x.bvh", "-o", "x"]):
            error = self.sinew(*command, code=3).stderr
            self.assertEqual(error.count("radius is"), 3)
        self.sinew("info", "m.muscle.xml", code=3)
        self.sinew("convert", "m.muscle.xml", "n.muscle.xml", code=3)

    def test_shipped_models_have_no_warnings(self):
        for model in ("hand", "hand-left", "hand-clinical"):  # shoulder and body: test_shoulder.py, test_body.py
            self.assertIn("0 errors, 0 warnings", self.sinew("check", model).stdout)

    def test_angles_beyond_half_a_turn_keep_their_side(self):
        self.write("far.pose.csv", "time,mcp2.flexion,mcp3.flexion\n0,0,0\n1,200,-190\n2,0,0\n")
        result = self.sinew("track", "hand", "far.pose.csv", "-o", "out", "--start", 0.9, "--end", 1)
        self.assertIn("mcp2.flexion reaches 200 degrees, held at 180", result.stderr)
        self.assertIn("mcp3.flexion reaches -190 degrees, held at -180", result.stderr)
        names, rows = self.read_sto("out.sto")
        self.assertGreater(rows[-1][names.index("coordinate/mcp2.0")], 1)  # at its upper end, not at the lower one
        self.assertLess(rows[-1][names.index("coordinate/mcp3.0")], 0)

    def test_help_lists_models_and_motions(self):
        text = self.sinew("help").stdout
        self.assertRegex(text, r"(?m)^  hand +beckon .*fist")
        self.assertRegex(text, r"(?m)^  shoulder +abduction")

    def test_info_lists_coordinates(self):
        self.assertRegex(self.sinew("info", "hand", "--list").stdout, r"(?m)^  mcp2.flexion +-30 to 90 degrees$")
        names = self.json("info", "hand")["coordinate_names"]
        self.assertEqual(len(names), 23)
        self.assertIn("wrist.radial_deviation", names)


if __name__ == "__main__":
    unittest.main()
