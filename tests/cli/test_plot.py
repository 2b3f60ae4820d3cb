"""sinew plot end to end: what is in the pictures, and what it says when it cannot draw them."""
import os
import re
import struct
import unittest
import zlib

from common import Case


def png_size(data):
    """Width, height; the pixels must unpack."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, pixels, size = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            size = struct.unpack(">II", body[:8])
        if kind == b"IDAT":
            pixels += body
        at += 12 + length
    assert len(zlib.decompress(pixels)) > size[0] * size[1]
    return size


class PlotCase(Case):
    def setUp(self):
        super().setUp()
        self.write("bend.pose.csv", "time,PIP.flexion\n0,0\n0.2,30\n")
        self.sinew("track", "finger", "bend.pose.csv", "-o", "out", "--frame-rate", "25")

    def png(self, name):
        with open(self.path(name), "rb") as file:
            return png_size(file.read())


class Plot(PlotCase):
    def test_lines_of_all(self):
        answer = self.json("plot", "out.replay.xml", "-o", "a.png")
        self.assertEqual((answer["what"], answer["kind"], answer["frames"]), ("activation", "lines", 6))
        self.assertEqual(len(answer["channels"]), 8)
        self.assertGreaterEqual(self.png("a.png")[0], 720)

    def test_svg_draws_a_line_for_each(self):
        self.sinew("plot", "out.replay.xml", "--muscle", "FDP2", "--muscle", "FDS*", "-o", "a.svg")
        text = self.read("a.svg")
        self.assertIn("<svg", text)
        self.assertGreaterEqual(len(re.findall("<path", text)), 2)

    def test_table_and_replay_give_the_same_picture(self):
        self.sinew("plot", "out.replay.xml", "--what", "length", "-o", "a.svg")
        self.sinew("plot", "out.sto", "--what", "length", "-o", "b.svg")
        self.assertEqual(self.read("a.svg"), self.read("b.svg"))

    def test_chosen_ones(self):
        answer = self.json("plot", "out.sto", "--what", "force", "--muscle", "FDP2,FDS2", "-o", "a.png")
        self.assertEqual(answer["channels"], ["FDP2", "FDS2"])
        answer = self.json("plot", "out.sto", "--top", "3", "-o", "a.png")
        names, rows = self.read_sto("out.sto")
        peaks = {n[11:]: max(r[i] for r in rows) for i, n in enumerate(names) if n.startswith("activation/")}
        self.assertEqual(set(answer["channels"]), set(sorted(peaks, key=peaks.get)[-3:]))

    def test_heat_map(self):
        self.assertEqual(self.json("plot", "out.sto", "--heat", "-o", "a.png")["kind"], "heat")
        self.sinew("simulate", "hand-synthetic", "-o", "h", "--time", "0.05")
        answer = self.json("plot", "h.replay.xml", "--what", "tension", "-o", "h.png")
        self.assertEqual((answer["kind"], len(answer["channels"])), ("heat", 54))
        width, height = self.png("h.png")
        self.assertGreater(height, width)  # 54 names one below the other

    def test_tracking_error(self):
        report = self.json("track", "finger", "bend.pose.csv", "-o", "again")
        answer = self.json("plot", "again.replay.xml", "--what", "error", "--motion", "bend.pose.csv", "-o", "e.png")
        self.assertEqual(answer["channels"], ["worst", "mean"])
        self.assertAlmostEqual(answer["worst_mm"], report["worst_error_mm"], delta=1e-5 * report["worst_error_mm"] + 1e-6)
        self.png("e.png")

    def test_the_motion_is_found_in_the_report(self):
        self.sinew("plot", "out.replay.xml", "--what", "error", "--motion", "bend.pose.csv", "-o", "a.svg")
        self.sinew("plot", "out.replay.xml", "--what", "error", "-o", "b.svg")
        self.assertEqual(self.read("a.svg"), self.read("b.svg"))
        os.mkdir(self.path("below"))  # seen from another folder it lies beside the replay
        self.sinew("plot", "../out.replay.xml", "--what", "error", "--title", "out: distance of the bones from the motion",
                   "-o", "c.svg", cwd=self.path("below"))
        self.assertEqual(self.read("a.svg"), self.read("below/c.svg"))

    def test_moment_arms_with_the_published_range(self):
        answer = self.json("plot", "finger", "--what", "moment-arms", "--joint", "DIP", "-o", "arms.svg")
        self.assertIn("FDP2", answer["channels"])
        self.assertEqual((answer["coordinate"], answer["bands"]), ("DIP.0", 0))
        self.write("arms.tsv", "muscle\tjoint\tmotion\tmean\tlo\thi\tgrade\nFDP2\tDIP\tflexion\t0.005\t0.004\t0.006\tA\n")
        answer = self.json("plot", "finger", "--what", "moment-arms", "--joint", "DIP.flexion", "--muscle", "FDP2",
                           "--compare", "arms.tsv", "-o", "arms.png")
        self.assertEqual((answer["channels"], answer["bands"]), (["FDP2"], 1))
        self.png("arms.png")

    def test_published_ranges_that_overlap_are_drawn_apart(self):
        head = "muscle\tjoint\tmotion\tmean\tlo\thi\tgrade\n"
        row = "%s\tPIP\tflexion\t%g\t%g\t%g\tA\n"
        def panels(second):
            self.write("arms.tsv", head + row % ("FDP2", 0.005, 0.004, 0.006) + row % (("FDS2",) + second))
            return self.json("plot", "finger", "--what", "moment-arms", "--joint", "PIP", "--muscle", "FD?2",
                             "--compare", "arms.tsv", "-o", "arms.png")["panels"]
        self.assertEqual(panels((0.0055, 0.005, 0.007)), 2)
        self.assertEqual(panels((0.0075, 0.007, 0.008)), 1)

    def test_the_end_of_the_scale_can_be_given(self):
        self.sinew("plot", "out.sto", "-o", "a.svg")
        self.sinew("plot", "out.sto", "-o", "b.svg", "--max", "1")
        self.assertNotEqual(self.read("a.svg"), self.read("b.svg"))
        self.sinew("plot", "out.sto", "-o", "c.svg", "--what", "length", "--heat")


class Bad(PlotCase):
    def refused(self, message, *arguments, code=3):
        before = sorted(os.listdir(self.folder))
        answer = self.json("plot", *arguments, code=code)["error"]
        self.assertIn(message, " ".join(str(v) for v in answer.values()))
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_wrong_usage(self):
        self.refused("-o FILE is missing", "out.sto", code=2)
        self.refused(".svg, .pdf or .png", "out.sto", "-o", "a.gif", code=2)
        os.remove(self.path("out.report.txt"))
        self.refused("--motion MOTION is missing", "out.replay.xml", "--what", "error", "-o", "a.png", code=2)
        self.refused("--joint JOINT is missing", "finger", "--what", "moment-arms", "-o", "a.png", code=2)
        self.refused("one of activation|", "out.sto", "--what", "weight", "-o", "a.png", code=2)

    def test_bad_input(self):
        self.refused("'nobody'", "out.sto", "--muscle", "nobody", "-o", "a.png")
        self.refused("nosuch.sto", "nosuch.sto", "-o", "a.png")
        self.refused("volume/", "out.sto", "--what", "volume", "-o", "a.png")
        self.refused("'PIP.yaw'", "finger", "--what", "moment-arms", "--joint", "PIP.yaw", "-o", "a.png")
        self.refused("--max", "out.sto", "-o", "a.png", "--max", "-1", code=2)
        self.refused("'toe'", "finger", "--what", "moment-arms", "--joint", "toe", "-o", "a.png")
        self.write("bad.csv", "time,activation/x\n0,1\n0,2\n")
        self.refused("bad.csv", "bad.csv", "-o", "a.png")
        self.write("other.pose.csv", "time,toe.flexion\n0,0\n1,1\n")
        self.refused("toe.flexion", "out.replay.xml", "--what", "error", "--motion", "other.pose.csv", "-o", "a.png")


if __name__ == "__main__":
    unittest.main()
