"""sinew skin end to end: the point cache that it writes, weights and influence from files, and what it refuses."""
import os
import struct
import unittest

from common import BUILD, Case

KEYS = ["frames", "vertices", "ms_per_frame", "volume_ratio_min", "volume_ratio_max", "max_bulge_mm"]


class SkinCase(Case):
    replay = None  # tracked once

    def setUp(self):
        super().setUp()
        if not SkinCase.replay:
            self.sinew("track", "hand", "fist", "-o", "out", "--frames", "50:54")
            SkinCase.replay = self.read("out.replay.xml")
        for name in os.listdir(self.folder):
            os.remove(self.path(name))
        self.write("out.replay.xml", SkinCase.replay)

    def skin(self, *arguments):
        return self.json("skin", "hand", "out.replay.xml", "-o", "out.pc2", *arguments)

    def cache(self, name="out.pc2"):
        """Frames of (x, y, z) per vertex."""
        with open(self.path(name), "rb") as file:
            data = file.read()
        _, _, count, _, _, frames = struct.unpack("<12siiffi", data[:32])
        self.assertEqual(len(data), 32 + 12 * count * frames)
        return [list(struct.iter_unpack("<3f", data[32 + 12 * count * f:32 + 12 * count * (f + 1)])) for f in range(frames)]


def furthest(a, b):
    return max(sum((p - q) ** 2 for p, q in zip(u, v)) for u, v in zip(a, b)) ** 0.5


class Skin(SkinCase):
    def test_cache_and_figures(self):
        answer = self.skin()
        for key in KEYS:
            self.assertIn(key, answer)
        frames = self.cache()
        self.assertEqual((answer["frames"], answer["vertices"]), (len(frames), len(frames[0])))
        self.assertEqual(answer["frames"], 5)
        self.assertGreater(answer["vertices"], 9000)
        self.assertTrue(0.95 < answer["volume_ratio_min"] <= answer["volume_ratio_max"] < 1.05, answer)
        self.assertGreater(answer["max_bulge_mm"], 0.05)
        self.assertGreater(furthest(frames[0], frames[-1]), 1e-3)  # the fist is closing

    def test_prominence_is_what_moves_the_skin(self):
        # the fingers do not touch yet: skin that is pushed out of other skin moves further than its tendons raise it
        self.sinew("track", "hand", "fist", "-o", "out", "--frames", "28:32")
        with_tendons = self.skin("--belly", "0")["max_bulge_mm"]
        raised = self.cache()
        self.assertEqual(self.skin("--belly", "0", "--prominence", "0")["max_bulge_mm"], 0)
        plain = self.cache()
        self.assertAlmostEqual(1000 * furthest(raised[2], plain[2]), with_tendons, delta=0.2 * with_tendons)

    def test_a_base_from_elsewhere_is_raised_in_the_same_way(self):
        # the fingers do not touch yet: a base from elsewhere is not parted where skin meets skin
        self.sinew("track", "hand", "fist", "-o", "out", "--frames", "28:32")
        self.skin()
        whole = self.cache()
        self.skin("--prominence", "0")
        os.rename(self.path("out.pc2"), self.path("base.pc2"))
        answer = self.skin("--base", "base.pc2")
        raised = self.cache()
        for f in range(5):
            apart = [sum((p - q) ** 2 for p, q in zip(u, v)) ** 0.5 for u, v in zip(raised[f], whole[f])]
            self.assertLess(sorted(apart)[int(0.99 * len(apart))], 2e-6)
        self.assertGreater(answer["max_bulge_mm"], 0.05)
        self.assertEqual(self.skin("--base", "base.pc2", "--height", "0", "--belly", "0")["max_bulge_mm"], 0)
        wide = self.skin("--belly", "0", "--base", "base.pc2", "--lateral", "9", "--depth", "8")["max_bulge_mm"]
        self.assertGreater(wide, self.skin("--belly", "0", "--base", "base.pc2", "--lateral", "3", "--depth", "1")["max_bulge_mm"])
        error = self.sinew("skin", "hand", "out.replay.xml", "-o", "x.pc2", "--base", "base.pc2", "--frames", "1:2", code=3)
        self.assertIn("5 frames, but there are 2", error.stderr)

    def test_some_frames(self):
        self.skin()
        whole = self.cache()
        self.assertEqual(self.skin("--frames", "1:3")["frames"], 3)
        self.assertEqual(self.cache(), whole[1:4])
        self.skin("--frames", ":1")
        self.assertEqual(len(self.cache()), 2)
        self.assertEqual(self.skin("--frames", "4:4")["frames"], 1)
        for wrong, code in (("3:1", 3), ("0:9", 3), ("1", 2), ("1:b", 2)):
            self.sinew("skin", "hand", "out.replay.xml", "-o", "x.pc2", "--frames", wrong, code=code)

    def test_blending(self):
        self.skin("--linear", "--prominence", "0", "--belly", "0")
        linear = self.cache()
        self.skin("--dual-quaternion", "--prominence", "0", "--belly", "0")
        apart = furthest(linear[0], self.cache()[0])
        self.assertTrue(1e-5 < apart < 0.02, apart)

    def test_weights_written_and_read_give_the_same_skin(self):
        self.skin("--save-weights", "w.csv")
        first = self.cache()
        lines = [line for line in self.read("w.csv").splitlines() if not line.startswith("#")]
        self.assertEqual(len(lines), len(first[0]))
        for line in lines[::500]:
            words = line.split(",")
            self.assertLessEqual(len(words), 8)
            self.assertAlmostEqual(sum(map(float, words[1::2])), 1, delta=1e-5)
        self.skin("--weights", "w.csv")
        self.assertLess(furthest(first[3], self.cache()[3]), 1e-5)

    def test_influence_from_a_table_and_from_colours(self):
        count = self.skin()["vertices"]
        self.write("none.csv", "0\n" * count)
        self.assertEqual(self.skin("--influence", "none.csv", "--belly", "0")["max_bulge_mm"], 0)
        painted = self.skin("--influence", os.path.join(BUILD, "models", "hand", "skin.ply"))
        self.assertGreater(painted["max_bulge_mm"], 0.05)

    def test_other_formats_and_rates(self):
        answer = self.json("skin", "hand", "out.replay.xml", "-o", "out.mdd", "--frame-rate", "24")
        self.assertEqual(answer["frames"], 2)
        said = self.sinew("skin", "hand", "out.replay.xml", "-o", "s.obj", "--frame-rate", "24").stdout
        self.assertIn("wrote s.0001.obj to s.0002.obj", said)
        lines = self.read("s.0002.obj").splitlines()
        self.assertEqual(sum(line.startswith("v ") for line in lines), answer["vertices"])
        self.assertEqual(sum(line.startswith("f ") for line in lines), answer["triangles"])

    def test_export_writes_the_same_skin(self):
        self.skin()
        self.assertEqual(self.json("export", "out.replay.xml", "-o", "again.pc2")["what"], "skin")
        with open(self.path("out.pc2"), "rb") as a, open(self.path("again.pc2"), "rb") as b:
            self.assertEqual(a.read(), b.read())


class Bad(SkinCase):
    def refused(self, message, *arguments, code=3):
        before = sorted(os.listdir(self.folder))
        answer = self.json("skin", *arguments, code=code)["error"]
        self.assertIn(message, " ".join(str(v) for v in answer.values()))
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_wrong_usage(self):
        self.refused("-o OUT is missing", "hand", "out.replay.xml", code=2)
        self.refused(".pc2, .mdd or .obj", "hand", "out.replay.xml", "-o", "a.glb", code=2)
        self.refused("cannot be combined", "hand", "out.replay.xml", "-o", "a.pc2", "--linear", "--dual-quaternion", code=2)

    def test_bad_input(self):
        self.sinew("simulate", "finger", "-o", "f", "--time", "0.02")
        self.refused("names no skin", "finger", "f.replay.xml", "-o", "a.pc2")
        self.refused("no body", "hand", "f.replay.xml", "-o", "a.pc2")
        self.refused("is not a mesh", "hand", "out.replay.xml", "-o", "a.pc2", "--mesh", "nosuch")
        self.refused("nosuch.csv", "hand", "out.replay.xml", "-o", "a.pc2", "--weights", "nosuch.csv")
        self.write("few.csv", "1\n0.5\n")
        self.refused("few.csv", "hand", "out.replay.xml", "-o", "a.pc2", "--influence", "few.csv")
        self.write("wrong.csv", "radius,2\n")
        self.refused("wrong.csv", "hand", "out.replay.xml", "-o", "a.pc2", "--weights", "wrong.csv")


if __name__ == "__main__":
    unittest.main()
