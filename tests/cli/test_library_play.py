"""A library made from the scene spindle and played: point caches, GLB, a page, and a skin that its muscle lifts."""
import json
import math
import os
import struct

from common import Case, unittest


def sleeve(radius, low, high, around=24, along=24):
    """Vertices and triangles of a closed tube about the y axis."""
    vertices = [(radius * math.cos(2 * math.pi * i / around), low + (high - low) * k / along,
                 radius * math.sin(2 * math.pi * i / around)) for k in range(along + 1) for i in range(around)]
    triangles = []
    for k in range(along):
        for i in range(around):
            a, b = k * around + i, k * around + (i + 1) % around
            triangles += [(a, a + around, b), (b, a + around, b + around)]
    first, last = len(vertices), len(vertices) + 1
    vertices += [(0, low, 0), (0, high, 0)]
    for i in range(around):
        j, top = (i + 1) % around, along * around
        triangles += [(first, i, j), (last, top + j, top + i)]
    return vertices, triangles


class Play(Case):
    def setUp(self):
        super().setUp()
        self.sinew("convert", "spindle", "s.muscle.xml")
        vertices, triangles = sleeve(0.022, -0.15, 0.0)
        flat = lambda rows: " ".join(f"{x:.6g}" for row in rows for x in row)
        mesh = f'  <Mesh name="sleeve"><Vertices>{flat(vertices)}</Vertices><Triangles>{flat(triangles)}</Triangles></Mesh>\n'
        self.write("s.scene.xml", self.read("s.scene.xml").replace("</ModelerScene>", mesh + "</ModelerScene>"))
        self.rest = vertices
        self.sinew("library", "s.muscle.xml", "--muscle", "belly", "--axis", "slide.0=3,-0.01,0.01", "--metres", "--points",
                   "120", "--activations", "2", "--most", "3", "--quiet", "-o", "s.library")
        self.sinew("simulate", "s.muscle.xml", "--activation", "belly=0:0.1,0.3:0.9", "--time", "0.06", "-o", "run",
                   "--quiet")

    def cache(self, name):
        with open(self.path(name), "rb") as file:
            data = file.read()
        count, frames = struct.unpack_from("<i", data, 16)[0], struct.unpack_from("<i", data, 28)[0]
        value = struct.unpack_from(f"<{3 * count * frames}f", data, 32)
        self.assertTrue(all(map(math.isfinite, value)))
        return [[value[3 * (f * count + i):3 * (f * count + i) + 3] for i in range(count)] for f in range(frames)]

    @staticmethod
    def widest(frame, low=-0.1, high=-0.05):
        return max(math.hypot(p[0], p[2]) for p in frame if low < p[1] < high)

    def test_points_and_scenes(self):
        made = self.json("export", "run.replay.xml", "--model", "s.muscle.xml", "--library", "s.library", "-o", "m.pc2")
        frames = self.cache("m.pc2")
        self.assertEqual(len(frames), made["frames"])
        # the muscle contracts: shorter and thicker
        self.assertGreater(self.widest(frames[-1]), 1.02 * self.widest(frames[0]))
        self.sinew("export", "run.replay.xml", "--model", "s.muscle.xml", "--library", "s.library", "-o", "m.glb")
        with open(self.path("m.glb"), "rb") as file:
            data = file.read()
        head = json.loads(data[20:20 + struct.unpack_from("<I", data, 12)[0]])
        shapes = [p.get("targets", []) for m in head["meshes"] for p in m["primitives"]
                  if head["accessors"][p["attributes"]["POSITION"]]["count"] == len(frames[0])]
        self.assertTrue(any(shapes), "no shapes of the muscle in the GLB")

    def test_pages(self):
        for words in (("export", "run.replay.xml", "--model", "s.muscle.xml", "--to", "html", "-o"),
                      ("studio", "s.muscle.xml", "run.replay.xml", "--save")):
            self.sinew(*words, "p.html", "--library", "s.library")
            page = self.read("p.html")
            self.assertIn("<html", page)
            plain = os.path.getsize(self.path("p.html"))
            self.sinew(*words, "q.html")
            self.assertGreater(plain, os.path.getsize(self.path("q.html")) + 10000)

    def test_skin_is_lifted(self):
        words = ("skin", "s.muscle.xml", "run.replay.xml", "--mesh", "sleeve", "--prominence", "0")
        self.sinew(*words, "--belly", "0", "-o", "plain.pc2")
        self.sinew(*words, "--library", "s.library", "-o", "soft.pc2")
        plain, soft = self.cache("plain.pc2")[-1], self.cache("soft.pc2")[-1]
        middle = [i for i, p in enumerate(self.rest) if -0.09 < p[1] < -0.06 and p[0] ** 2 + p[2] ** 2 > 1e-4]
        lift = [math.hypot(soft[i][0], soft[i][2]) - math.hypot(plain[i][0], plain[i][2]) for i in middle]
        self.assertGreater(min(lift), 1e-4)
        self.assertLess(max(lift), 1e-2)
        # what the muscle surface itself gains there bounds it
        self.sinew("export", "run.replay.xml", "--model", "s.muscle.xml", "--library", "s.library", "-o", "m.pc2")
        frames = self.cache("m.pc2")
        self.assertLess(max(lift), 1.5 * (self.widest(frames[-1]) - self.widest(frames[0])) + 1e-3)

    def test_refused(self):
        self.write("bad.library", "nothing")
        for words in (("skin", "s.muscle.xml", "run.replay.xml", "--mesh", "sleeve", "-o", "x.pc2"),
                      ("export", "run.replay.xml", "--model", "s.muscle.xml", "-o", "x.glb"),
                      ("studio", "s.muscle.xml", "run.replay.xml", "--save", "x.html")):
            self.assertIn("bad.library", self.sinew(*words, "--library", "bad.library", code=3).stderr)
        self.sinew("skin", "s.muscle.xml", "run.replay.xml", "--mesh", "sleeve", "-o", "x.pc2", "--library", "s.library",
                   "--base", "b.pc2", code=2)


if __name__ == "__main__":
    unittest.main()
