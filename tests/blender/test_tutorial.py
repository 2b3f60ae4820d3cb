# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/blender-tutorial.md: its steps are done in a Blender with a window, and what it names exists.

The pictures go to build/blender-tutorial. With SINEW_TUTORIAL_PICTURES=FOLDER they go there: docs/images has those of the page.
"""
import ast
import glob
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common
import window

common.enable()

from sinew import menus, properties, schema

DOCS = os.path.join(common.SOURCE, "docs")
PICTURES = os.path.abspath(os.path.join(common.SOURCE, os.environ.get("SINEW_TUTORIAL_PICTURES") or
                                        os.path.join(common.BUILD, "blender-tutorial")))
LARGEST = 150000  # bytes of a picture

SCRIPT = '''
def script():
    import tutorial_{part}
    yield from tutorial_{part}.steps(folder, found)
'''


def page():
    with open(os.path.join(DOCS, "blender-tutorial.md"), encoding="utf-8") as file:
        return file.read()


def pictures(part=""):
    return re.findall(rf"\]\(images/(blender-{part}[a-z0-9-]*\.png)\)", page())


def written():
    """Every text in the add-on's source, and the labels that it makes from the schema."""
    found = {properties.label(entry) for tag in ("RigidBody", "Joint", "Strand", "MuscleGroup", "Constraint")
             for entry in schema.attributes(tag)}
    for path in glob.glob(os.path.join(common.SOURCE, "blender", "sinew", "*.py")):
        with open(path, encoding="utf-8") as file:
            tree = ast.parse(file.read())
        found |= {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    found |= {name.capitalize() for name in schema.attribute("Joint", "type")["names"]}
    return found | {properties.KINDS[kind][0].split()[0] for kind in properties.CONSTRAINTS}


class Page(common.Case):
    def test_what_it_names_exists(self):
        texts = written()
        named = [" ".join(text.split()) for _, text in re.findall(r"(\*\*?)([^*]+)\1", page())]
        self.assertGreater(len(named), 25)
        self.assertEqual([text for text in named if text not in texts | {"sinew"}], [])

    def test_menu(self):
        labels = {label for _, label, _ in menus.SHIPPED}
        for label in re.findall(r"Add\s>\ssinew\s>\s(\w+)", page()):
            self.assertIn(label, labels)

    def test_its_pictures_exist_and_are_small(self):
        self.assertEqual(len(set(pictures())), 14)
        for name in pictures():
            self.assertLess(os.path.getsize(os.path.join(DOCS, "images", name)), LARGEST, name)
        committed = {os.path.basename(path) for path in glob.glob(os.path.join(DOCS, "images", "blender-*.png"))}
        self.assertEqual(committed, set(pictures()))


class Steps(common.Case):
    def run_part(self, part, names):
        found = window.run(self.folder, SCRIPT.format(part=part), size="1100x760", timeout=1200, events=True)
        os.makedirs(PICTURES, exist_ok=True)
        made = {os.path.basename(path) for path in glob.glob(self.path("blender-*.png"))}
        self.assertEqual(made, set(names))
        for name in names:
            self.assertLess(os.path.getsize(self.path(name)), LARGEST, name)
            shutil.copy(self.path(name), PICTURES)
        found.pop("text")
        print(part, found)
        return found

    def test_hand(self):
        """To rendered frames; the extensors of the index finger show while it is stretched, and not in a fist."""
        found = self.run_part("hand", pictures("hand") + pictures("render"))
        for motion in ("finger_extension", "fist"):
            self.assertIn("frames of 54 strands", found["tracked " + motion])
            self.assertIn("Skin of 3 frames", found["skinned " + motion])
        stretched, fist = (max(found["bulge " + motion].values()) for motion in ("finger_extension", "fist"))
        self.assertGreater(stretched, 0.5)
        self.assertGreater(stretched, 2 * fist)
        self.assertLessEqual({"Model", "Simulate", "Bake", "Skin Strands"}, set(found["panels"]))

    def test_arm(self):
        """To a strand that lifts the lower arm and is baked."""
        found = self.run_part("arm", pictures("arm"))
        self.assertEqual(len(found["constraints"]), 2)
        self.assertEqual(found["check"], "0 errors, 0 warnings")
        self.assertIn("48 frames of 1 strand", found["tracked"])
        self.assertLess(found["worst"], 1)
        self.assertGreater(found["keys"], 6)
        self.assertTrue(0.01 < found["activation"] < 1, found["activation"])


if __name__ == "__main__":
    common.main()
