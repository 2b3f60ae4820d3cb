"""docs/tutorial.md does what it says: its files are sound, its commands print what it shows, its pictures are there."""
import os
import re
import struct
import sys
import tempfile
import unittest

SOURCE = os.environ["SINEW_SOURCE"]
SINEW = os.path.join(os.environ["SINEW_BUILD"], "sinew")
sys.path.insert(0, os.path.join(SOURCE, "tools"))
import make_tutorial  # noqa: E402

NUMBER = re.compile(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?")
# What the worst constraint is depends on the last bits.
CULPRIT = re.compile(r'mm, (joint|constraint) ".*"')


def shape(line):
    return CULPRIT.sub("mm, CULPRIT", NUMBER.sub("N", line))


def png_size(path):
    with open(path, "rb") as file:
        head = file.read(24)
    assert head[:8] == b"\x89PNG\r\n\x1a\n", path
    return struct.unpack(">II", head[16:24])


class Tutorial(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(make_tutorial.PAGE) as file:
            cls.page = file.read()
        cls.temporary = tempfile.TemporaryDirectory(prefix="sinew-tutorial-")
        cls.folder = cls.temporary.name
        cls.commands = []
        for what, name, text in make_tutorial.steps(cls.page):
            if what == "run":
                cls.commands.append((name, text, make_tutorial.run(cls.folder, SINEW, name)))
            else:
                make_tutorial.write(cls.folder, what, name, text)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def column(self, file, name):
        with open(os.path.join(self.folder, file)) as table:
            lines = table.read().splitlines()
        head = lines.index("endheader") + 1
        at = lines[head].split("\t").index(name)
        return [(float(line.split("\t")[0]), float(line.split("\t")[at])) for line in lines[head + 1:]]

    def angle(self, file, time):
        return min(self.column(file, "coordinate/elbow.0"), key=lambda row: abs(row[0] - time))[1] * 180 / 3.14159265

    def test_commands_print_what_the_page_shows(self):
        self.assertGreaterEqual(len(self.commands), 12)
        for command, shown, printed in self.commands:
            self.assertEqual([shape(line) for line in shown], [shape(line) for line in printed.splitlines()], command)

    def test_every_kind_of_step_is_there(self):
        kinds = {what for what, _, _ in make_tutorial.steps(self.page)}
        self.assertEqual(kinds, {"file", "into", "run"})

    def test_the_arm_moves_as_told(self):
        self.assertAlmostEqual(self.angle("fall.sto", 1), -80, delta=0.5)  # on its stop
        self.assertGreater(self.angle("curl.sto", 1), 20)
        self.assertLess(self.angle("curl.sto", 2.4), -20)  # let down again
        self.assertGreater(self.angle("arm.sto", 0.9), 20)
        self.assertAlmostEqual(self.angle("arm.sto", 2.4), -80, delta=1)
        self.assertGreater(self.angle("full.sto", 1), 20)

    def test_pictures_exist_and_are_of_these_plots(self):
        pictures = make_tutorial.PICTURE.findall(self.page)
        self.assertEqual(len(pictures), self.page.count("!["))
        self.assertGreaterEqual(len(pictures), 6)
        for source, _, target in pictures:
            path = os.path.join(SOURCE, "docs", target)
            size = png_size(path)
            self.assertLess(os.path.getsize(path), 300_000, target)
            self.assertTrue(os.path.exists(os.path.join(self.folder, source)), source)
            if source.endswith(".png"):
                self.assertEqual(size, png_size(os.path.join(self.folder, source)), "make it again: tools/make_tutorial.py")


if __name__ == "__main__":
    unittest.main()
