"""sinew phantom, contours, surface: from slice images to a muscle of a model that is filled with strands and made soft."""
import os
import re
import struct
import unittest
import zlib

from common import Case

SMALL = ["--size", "96,72,40", "--spacing", "1,1,7.5"]


def read_png(data):
    """Columns, rows, rows of bytes of a PNG without interlacing whose filter is undone here."""
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            columns, rows, depth, color = struct.unpack(">IIBB", body[:10])
        if kind == b"IDAT":
            packed += body
        at += size + 12
    raw = zlib.decompress(packed)
    wide = columns * (depth // 8) * (3 if color == 2 else 1)
    return columns, rows, depth, color, len(raw) == rows * (wide + 1)


class Slices(Case):
    def phantom(self, kind, *more, out="stack"):
        return self.json("phantom", kind, *SMALL, "-o", out, *more)

    def grow(self, stack, seed, out="m.contours.xml", *more):
        return self.json("contours", stack, "--seed", ",".join(map(str, seed)), "-o", out, *more)

    def path(self, name):
        return os.path.join(self.folder, name)

    def bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def mesh(self, name):
        vertices, triangles = [], []
        for line in self.read(name).splitlines():
            word = line.split()
            if word[0] == "v":
                vertices.append([float(x) for x in word[1:4]])
            elif word[0] == "f":
                triangles.append([int(x) - 1 for x in word[1:4]])
        return vertices, triangles

    def volume(self, vertices, triangles):
        total = 0
        for a, b, c in triangles:
            (ax, ay, az), (bx, by, bz), (cx, cy, cz) = vertices[a], vertices[b], vertices[c]
            total += ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
        return total / 6

    def assert_closed(self, triangles):
        edges = {}
        for t in triangles:
            for i in range(3):
                edge = (t[i], t[(i + 1) % 3])
                self.assertNotIn(edge, edges)  # each direction once: manifold and oriented
                edges[edge] = True
        for a, b in edges:
            self.assertIn((b, a), edges)

    def test_from_slices_to_a_closed_mesh(self):
        made = self.phantom("branching", "--noise", 10, "--alone")
        names = sorted(os.listdir(self.path("stack")))
        self.assertEqual(len([n for n in names if n.endswith(".png")]), 40)
        columns, rows, depth, color, whole = read_png(self.bytes("stack/slice_020.png"))
        self.assertEqual((columns, rows, depth, color, whole), (96, 72, 16, 0, True))
        found = self.grow("stack", made["seed"], "m.contours.xml", "--picture", "overlay.png")
        self.assertGreaterEqual(found["dice"], 0.97)
        self.assertEqual(found["leaking"], 0)
        self.assertEqual(len(found["slice_dice"]), 40)
        self.assertEqual(read_png(self.bytes("overlay.png"))[2:], (8, 2, True))
        surface = self.json("surface", "m.contours.xml", "-o", "m.obj", "--points", "inside.csv", "--count", 1200)
        vertices, triangles = self.mesh("m.obj")
        self.assert_closed(triangles)
        self.assertAlmostEqual(self.volume(vertices, triangles) / surface["volume"], 1, 6)
        self.assertLess(abs(surface["volume"] / made["volume"] - 1), 0.03)
        rows = [[float(x) for x in line.split(",")] for line in self.read("inside.csv").splitlines()[1:]]
        self.assertEqual(len(rows), 1200)
        self.assertAlmostEqual(sum(r[3] for r in rows) / surface["volume"], 1, 6)

    def test_every_form_of_a_stack_gives_the_same(self):
        dice = {}
        for out, more in (("a.nii.gz", []), ("b.nrrd", []), ("c", []), ("d", ["--format", "pgm"])):
            made = self.phantom("spindle", *more, out=out)
            stem = out.split(".")[0]
            self.assertTrue(os.path.exists(self.path(stem + ".truth.contours.xml")))
            dice[out] = self.grow(out, made["seed"], stem + ".contours.xml")["dice"]
        self.assertAlmostEqual(dice["a.nii.gz"], dice["b.nrrd"], 9)
        self.assertAlmostEqual(dice["c"], dice["d"], 9)
        self.assertAlmostEqual(dice["a.nii.gz"], dice["c"], 2)  # whole numbers in the slices

    def test_corrections_by_hand(self):
        made = self.phantom("spindle", "--noise", 10)
        self.grow("stack", made["seed"])
        truth = self.read("stack.truth.contours.xml")
        slice_of = lambda text, k: re.search(rf'    <Slice number="{k}" .*?</Slice>\n', text, re.S)
        text, drawn = self.read("m.contours.xml"), slice_of(truth, 20).group().replace('state="grown"', 'state="hand"')
        self.write("m.contours.xml", text.replace(slice_of(text, 20).group(), drawn))
        # the seed is in the file
        again = self.json("contours", "stack", "-o", "m.contours.xml", "--wall", "0,0,5,5,3")
        self.assertEqual(again["hand_slices"], [20])
        self.assertGreater(again["slice_dice"][20], 0.9999)
        self.assertIn("<Wall", self.read("m.contours.xml"))
        # a second muscle in the same file leaves the first one alone
        self.grow("stack", made["seed"], "m.contours.xml", "--muscle", "other")
        self.assertEqual(self.read("m.contours.xml").count("<Muscle "), 2)
        self.assertIn('state="hand"', self.read("m.contours.xml"))
        fresh = self.grow("stack", made["seed"], "m.contours.xml", "--fresh")
        self.assertEqual(fresh["hand_slices"], [])

    def test_lost_slices_are_bridged(self):
        made = self.phantom("bent", "--gaps", 2, "--alone")
        found = self.grow("stack", made["seed"])
        self.assertEqual(len(found["bridged_slices"]), 2)
        self.assertGreaterEqual(found["dice"], 0.97)

    def test_bad_input_is_refused_with_place_and_remedy(self):
        made = self.phantom("spindle", "--alone")
        base = ["contours", "stack", "-o", "m.contours.xml"]
        self.assertIn("--seed", self.sinew(*base, code=2).stderr)
        self.assertIn("3 numbers", self.sinew(*base, "--seed", "1,2", code=2).stderr)
        self.assertIn("outside the stack", self.sinew(*base, "--seed", "1,2,99", code=3).stderr)
        self.assertIn("no such", self.sinew("contours", "nowhere", "-o", "m.contours.xml", "--seed", "1,2,3", code=3).stderr)
        os.remove(self.path("stack/stack.txt"))
        error = self.sinew(*base, "--seed", "48,36,20", code=3).stderr
        self.assertIn("spacing", error)
        self.assertIn("--spacing", error)
        self.json(*base, "--seed", ",".join(map(str, made["seed"])), "--spacing", "1,1,7.5")
        error = self.sinew("contours", "stack", "-o", "m.contours.xml", "--spacing", "1,1,5", code=3).stderr
        self.assertIn("another stack", error)
        text = self.read("m.contours.xml")
        self.write("bad.contours.xml", re.sub(r"<Loop>.*?</Loop>", "<Loop>10 10 20 20 20 10 10 20</Loop>", text, count=1,
                                              flags=re.S))
        error = self.sinew("surface", "bad.contours.xml", "-o", "m.obj", code=3).stderr
        self.assertRegex(error, r"bad\.contours\.xml:\d+:\d+")
        self.assertIn("crosses", error)
        self.assertIn("no muscle biceps", self.sinew("surface", "m.contours.xml", "--muscle", "biceps", "-o", "m.obj",
                                                     code=3).stderr)
        self.assertIn(".muscle.xml", self.sinew("surface", "m.contours.xml", "--into", "spindle", "-o", "m.obj", code=2).stderr)

    # -- a muscle of a model

    def arm(self):
        self.write("arm.scene.xml", """<ModelerScene version="1" units="cm">
  <Group name="frame"/>
  <Group name="weight" translate="0 -24 0"/>
  <Locator name="slide" translate="0 -24 0" rotate="0.70710678118654752 0 0 -0.70710678118654752"/>
</ModelerScene>""")
        return self.write("arm.muscle.xml", """<Muscle version="1">
  <RigidBody name="frame" pinned="true" mass_from="given" mass="1" inertia="0.001 0.001 0.001"/>
  <RigidBody name="weight" mass_from="given" mass="2" inertia="0.001 0.001 0.001"/>
  <Joint name="slide" type="prismatic" body_a="frame" body_b="weight" limited="true" lower="-0.02 0 0" upper="0.02 0 0"/>
</Muscle>""")

    def test_a_scanned_muscle_becomes_strands_and_a_library(self):
        made = self.phantom("spindle", "--alone")
        self.grow("stack", made["seed"], "m.contours.xml", "--muscle", "biceps")
        again = self.json("contours", "stack", "-o", "m.contours.xml")
        self.assertEqual(again["muscle"], "biceps", "the only muscle of the file is meant")
        self.grow("stack", made["seed"], "two.contours.xml", "--muscle", "biceps")
        self.grow("stack", made["seed"], "two.contours.xml", "--muscle", "triceps")
        self.assertIn("has 2 muscles: choose one, such as --muscle biceps", self.sinew("contours", "stack", "-o", "two.contours.xml", code=2).stderr)
        self.arm()
        self.json("surface", "m.contours.xml", "--into", "arm.muscle.xml", "--origin", "frame:0,0,0", "--insertion",
                  "weight:0,-240,0", "--edge", 6, "-o", "one.muscle.xml")
        self.sinew("check", "one.muscle.xml")
        text = self.read("one.muscle.xml")
        self.assertIn('<Strand name="biceps"', text)
        self.assertIn('attachment="weight"', text)
        filled = self.json("strands", "one.muscle.xml", "--mesh", "biceps_muscle", "--from", "biceps", "--count", 6, "--group",
                           "biceps_group", "--samples", 12, "--control-points", 8, "-o", "full.muscle.xml")
        self.assertEqual(filled["strands"], 6)
        self.assertLess(filled["outside"], 1e-3)
        self.sinew("check", "full.muscle.xml")
        run = self.json("simulate", "full.muscle.xml", "--time", "0.05", "-o", "run")
        self.assertFalse(run["diverged"])
        soft = self.json("library", "full.muscle.xml", "--muscle", "biceps_group", "--mesh", "biceps_muscle", "--axis",
                         "slide.0=2,-0.01,0.01", "--metres", "--points", 100, "--activations", 2, "--most", 2, "--no-contact",
                         "-o", "biceps.library")
        self.assertEqual(soft["muscles"][0]["samples"], 4)
        self.assertGreater(soft["muscles"][0]["least_volume"], 0.95)
        bad = self.sinew("surface", "m.contours.xml", "--into", "arm.muscle.xml", "--origin", "frame", "--insertion", "wait",
                         "-o", "two.muscle.xml", code=3).stderr
        self.assertIn('no body "wait"', bad)


if __name__ == "__main__":
    unittest.main()
