"""The colours of anatomy are the same in the page's C code, in the page itself and in Blender."""
import os
import re
import unittest

SOURCE = os.environ["SINEW_SOURCE"]


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


def numbers(text):
    return [float(x) for x in re.findall(r"\d+(?:\.\d+)?", text)]


class Palette(unittest.TestCase):
    def setUp(self):
        rows = re.findall(r'X\(\w+, "(\w+)", ([\d., ]+)\)', read("src", "page", "tissue.h"))
        self.color = {name: numbers(values) for name, values in rows}

    def test_the_page(self):
        line = re.search(r"const PALETTE: Palette = \{(.*)\};", read("studio", "src", "data.ts")).group(1)
        found = {name: numbers(values) for name, values in re.findall(r"(\w+): \[([^\]]*)\]", line)}
        self.assertEqual(set(found), {"muscle", "active", "tendon", "bone"})
        for name, color in found.items():
            self.assertEqual(color, self.color[name], name)

    def test_blender(self):
        muscle = re.search(r"^STRAND_COLOR = \(([^)]*)\)", read("blender", "sinew", "shapes.py"), re.M).group(1)
        active = re.search(r"^ACTIVE_COLOUR = \(([^)]*)\)", read("blender", "sinew", "bake.py"), re.M).group(1)
        self.assertEqual(numbers(muscle), self.color["muscle"])
        self.assertEqual(numbers(active), self.color["active"])


if __name__ == "__main__":
    unittest.main()
