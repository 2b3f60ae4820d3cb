"""The table of textbook signs: every verdict as docs/clinical.md has it, one value by another way, and tables that are wrong."""
import os
import re
import unittest

from common import SOURCE, Case

MODEL = "hand-clinical"
HEADING = "sign\tcase\tquestion\tmeasure\tagainst\tcomparison\tthreshold\tunit\tfitted\tsource\treason\n"


def published():
    """The rows of the page: name -> (demanded, found, right)."""
    with open(os.path.join(SOURCE, "docs", "clinical.md"), encoding="utf-8") as file:
        section = file.read().split("### Signs\n")[1].split("\n### ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("| ")]
    return section, {row[0]: row[1:] for row in rows if len(row) == 4 and row[0] != "sign"}


class Signs(Case):
    def test_every_sign_is_as_published(self):
        told = self.json("signs", MODEL)
        section, rows = published()
        self.assertEqual(sorted(rows), sorted(sign["name"] for sign in told["signs"]))
        self.assertGreaterEqual(len(told["signs"]), 30)
        for sign in told["signs"]:
            demanded, found, right = rows[sign["name"]]
            with self.subTest(sign=sign["name"]):
                self.assertEqual(demanded, f"{sign['comparison']} {sign['threshold']:g} {sign['unit']}")
                self.assertAlmostEqual(float(found), sign["value"], delta=max(0.3, 0.02 * abs(sign["value"])))
                self.assertEqual(right, ("fitted" if sign["fitted"] else "yes") if sign["right"] else "**no**")
                self.assertEqual(sign["right"], sign["value"] > sign["threshold"] if sign["comparison"] == ">" else sign["value"] < sign["threshold"])
                self.assertTrue(sign["source"])
                if not sign["right"]:  # the reason is published
                    self.assertGreater(len(sign["reason"]), 20)
                    self.assertIn(f"- **{sign['name']}**: {sign['reason']}", section)
        counts = re.search(r"asks the model for (\d+) textbook signs and prints this table: (\d+) are right, (\d+) of them fitted", section)
        self.assertEqual([int(count) for count in counts.groups()], [told["asked"], told["right"], told["right_fitted"]])
        self.assertEqual(told["right"], sum(sign["right"] for sign in told["signs"]))

    def test_a_value_by_another_command(self):
        sign = self.json("signs", MODEL, "--sign", "high lesion claws less than a low one, ring")["signs"][0]
        high, low = (self.json("rest", MODEL, "--nerve", nerve)["pose_deg"] for nerve in ("ulnar-high", "ulnar-low"))
        bent = lambda pose: pose["pip4.flexion"] + pose["dip4.flexion"]
        self.assertAlmostEqual(sign["value"], bent(high) - bent(low), delta=1e-6)
        sign = self.json("signs", MODEL, "--sign", "little finger PIP bends")["signs"][0]
        self.write("flat.pose.csv", "time,pip5.flexion\n0,0\n")
        near = self.json("hold", MODEL, "flat.pose.csv", "--nerve", "ulnar-low", "--nearest")["nearest"]["pose_deg"]
        self.assertAlmostEqual(sign["value"], near["pip5.flexion"], delta=0.05)

    def ask(self, row, code=0):
        self.write("own.tsv", "# a table\n" + HEADING + row + "\n")
        return self.sinew("signs", MODEL, "--table", "own.tsv", code=code)

    def test_a_row_adds_a_sign(self):
        out = self.ask("mine\tcut=FDP2-3 fuse=pip2=0\ttry thumb-up dip2=50\tdip2\tminus healthy\t<\t-20\tdeg\t-\tme\t-").stdout
        self.assertRegex(out, r"right +-\d+\.\d < -20 deg  mine")
        self.assertIn("1 of 1 right, 0 of them fitted", out)
        missed = self.ask("mine\t-\trest\tmcp3.deviation\t-\t>\t30\tdeg\t-\tme\tfingers lie straight").stdout
        self.assertIn("MISSED", missed)
        self.assertIn("fingers lie straight", missed)

    def test_what_is_wrong_is_named(self):
        good = ["mine", "nerve=ulnar-low", "rest", "pip5", "-", ">", "5", "deg", "-", "me", "-"]
        for column, cell, words in ((1, "nerve=ulna-low", "ulnar-low"), (1, "nerv=ulnar-low", "not a change of a case"), (1, "cut=FDP22", "did you mean FDP2"),
                                    (1, "strength=FPL", "not a change of a case"), (2, "lie", "begins with rest, try or hold"), (2, "try pip9=0", "no coordinate"),
                                    (2, "try palm-sideways", "neither a posture nor an angle"), (2, "try pip5=x", "neither a posture nor an angle"),
                                    (3, "pip9", "no coordinate"), (3, "activation FPX", "no unit"), (4, "over healthy", "neither minus CASE"),
                                    (5, "=", "neither < nor >"), (6, "five", "not a number"), (6, "nan", "not a number"), (0, "a\tb", "too few or too many cells")):
            row = list(good)
            row[column] = cell
            with self.subTest(cell=cell):
                error = self.ask("\t".join(row), code=3).stderr
                self.assertIn("own.tsv:3", error)
                self.assertIn(words, error)
        self.write("empty.tsv", HEADING)
        self.assertIn("no signs", self.sinew("signs", MODEL, "--table", "empty.tsv", code=3).stderr)
        self.assertIn("unexpected column", self.sinew("signs", MODEL, "--table", self.write("other.tsv", HEADING.replace("case", "cases")), code=3).stderr)
        self.assertIn("cannot read the table", self.sinew("signs", MODEL, "--table", "none.tsv", code=3).stderr)
        self.assertIn('did you mean "claw', self.sinew("signs", MODEL, "--sign", "clawing", code=3).stderr)


if __name__ == "__main__":
    unittest.main()
