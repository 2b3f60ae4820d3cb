"""Line muscles in what a run leaves behind: polylines of the length that the replay names, in every exporter."""
import math
import os
import unittest
import xml.etree.ElementTree as xml

from common import Case


class Lines(Case):
    def test_polylines_are_as_long_as_the_muscles(self):
        self.json("track", "hand-clinical", "pinch", "-o", "out")
        root = xml.parse(os.path.join(self.folder, "out.replay.xml")).getroot()
        strands = [(s.get("name"), int(s.get("points"))) for s in root.iter("Strand")]
        scalars = [s.get("name") for s in root.iter("Scalar")]
        self.assertEqual(len(strands), 47)
        off = 0
        for frame in list(root.iter("Frame"))[::10]:
            point = [float(x) for x in frame.find("Points").text.split()]
            value = dict(zip(scalars, [float(x) for x in frame.find("Scalars").text.split()]))
            for name, count in strands:
                corner = [point[3 * i : 3 * i + 3] for i in range(count)]
                del point[: 3 * count]
                drawn = sum(math.dist(a, b) for a, b in zip(corner, corner[1:]))
                off = max(off, abs(drawn - value["length/" + name]) / drawn)
                self.assertLessEqual(drawn, value["length/" + name] + 1e-9)
                self.assertGreaterEqual(value["tension/" + name], 0)
        self.assertLess(off, 5e-3)  # chords of wraps

    def test_every_exporter_takes_them(self):
        self.json("track", "hand-clinical", "pinch", "-o", "out")
        for kind in ("html", "glb"):
            self.sinew("export", "out.replay.xml", "--to", kind, "-o", "out." + kind)
            self.assertGreater(os.path.getsize(os.path.join(self.folder, "out." + kind)), 100000)
        with open(os.path.join(self.folder, "out.glb"), "rb") as file:
            self.assertIn(b'"FDP2', file.read())


if __name__ == "__main__":
    unittest.main()
