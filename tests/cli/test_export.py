"""sinew export end to end: every format is read back here by code that is not the writer's."""
import os
import re
import struct
import unittest
import xml.etree.ElementTree as xml

from common import BUILD, Case


class ExportCase(Case):
    def setUp(self):
        super().setUp()
        self.write("bend.pose.csv", "time,PIP.flexion\n0,0\n0.2,30\n")
        self.sinew("track", "finger", "bend.pose.csv", "-o", "out", "--frame-rate", "25")
        root = xml.parse(self.path("out.replay.xml")).getroot()
        self.points = []  # per frame, all control points in a row
        for frame in root.iter("Frame"):
            numbers = " ".join(e.text for e in frame.iter() if e.tag == "Strands" or e.tag == "Points")
            self.points.append([float(x) for x in numbers.split()])

    def bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def near(self, a, b):
        self.assertEqual(len(a), len(b))
        for x, y in zip(a, b):
            self.assertAlmostEqual(x, y, delta=1e-6)


class Caches(ExportCase):
    def test_pc2_holds_the_control_points(self):
        answer = self.json("export", "out.replay.xml", "--to", "pc2")
        data = self.bytes("out.pc2")
        magic, version, count, start, rate, frames = struct.unpack("<12siiffi", data[:32])
        self.assertEqual((magic.rstrip(b"\0"), version, frames), (b"POINTCACHE2", 1, 6))
        self.assertEqual((answer["frames"], answer["points"], answer["what"]), (frames, count, "strands"))
        self.assertEqual(len(data), 32 + 12 * count * frames)
        self.assertEqual(answer["bytes"], len(data))
        for frame in range(frames):
            values = struct.unpack_from(f"<{3 * count}f", data, 32 + 12 * count * frame)
            self.near(values, self.points[frame])

    def test_mdd_holds_the_same(self):
        self.json("export", "out.replay.xml", "-o", "here.mdd")  # the ending says the format
        data = self.bytes("here.mdd")
        frames, count = struct.unpack(">ii", data[:8])
        times = struct.unpack_from(f">{frames}f", data, 8)
        self.near(times, [i / 25 for i in range(6)])
        values = struct.unpack_from(f">{3 * count}f", data, 8 + 4 * frames + 12 * count * 5)
        self.near(values, self.points[5])

    def test_other_frame_rate(self):
        answer = self.json("export", "out.replay.xml", "--to", "pc2", "--frame-rate", "50")
        self.assertEqual((answer["frames"], answer["frame_rate"]), (11, 50))
        data = self.bytes("out.pc2")
        count = answer["points"]
        values = struct.unpack_from(f"<{3 * count}f", data, 32 + 12 * count * 10)
        self.near(values, self.points[5])

    def test_obj_sequence_of_the_bones_of_the_hand(self):
        self.sinew("track", "hand", "fist", "-o", "fist", "--frames", ":2")
        answer = self.json("export", "fist.replay.xml", "--to", "obj", "--what", "bones")
        files = sorted(f for f in os.listdir(self.folder) if f.endswith(".obj"))
        self.assertEqual(files, ["fist.0001.obj", "fist.0002.obj", "fist.0003.obj"])
        lines = self.read(files[2]).splitlines()
        vertices = [line for line in lines if line.startswith("v ")]
        corners = [int(c.split("/")[0]) for line in lines if line.startswith("f ") for c in line.split()[1:]]
        self.assertEqual(len(vertices), answer["points"])
        self.assertEqual((min(corners), max(corners)), (1, len(vertices)))
        # bone meshes move with their bodies: frame 1 and 3 have the same triangles, other places
        self.assertEqual([l for l in self.read(files[0]).splitlines() if l.startswith("f ")],
                         [l for l in lines if l.startswith("f ")])


class Scenes(ExportCase):
    def test_glb_is_well_formed(self):
        answer = self.json("export", "out.replay.xml", "--to", "glb")
        data = self.bytes("out.glb")
        magic, version, length, json_length, kind = struct.unpack("<4sII I4s", data[:20])
        self.assertEqual((magic, version, length, kind), (b"glTF", 2, len(data), b"JSON"))
        self.assertEqual(answer["bytes"], length)
        text = data[20:20 + json_length].decode()
        for word in ['"animations"', "FDP2", "distal", '"targets"']:
            self.assertIn(word, text)

    @unittest.skipUnless(os.path.exists(os.path.join(BUILD, "studio", "studio.html")), "the page is not built")
    def test_html_is_one_file(self):
        answer = self.json("export", "out.replay.xml", "--to", "html", "--motion", "bend.pose.csv")
        text = self.read("out.html")
        self.assertEqual(answer["bytes"], len(text.encode()))
        self.assertTrue(text.lstrip().lower().startswith("<!doctype html>"))
        self.assertFalse(re.search(r'(src|href)="(https?:)?//', text))

    def test_html_without_the_page_says_so(self):
        environment = dict(os.environ, SINEW_PAGE=self.path("nosuch.html"))
        result = self.sinew("export", "out.replay.xml", "--to", "html", code=3, env=environment)
        self.assertIn("nosuch.html", result.stderr)
        self.assertNotIn("out.html", os.listdir(self.folder))
        # before anything else is looked at, so also before minutes of flesh are computed
        result = self.sinew("export", "out.replay.xml", "--to", "html", "--motion", "none.csv", code=3, env=environment)
        self.assertIn("nosuch.html", result.stderr)


class Tables(ExportCase):
    def test_csv_and_sto(self):
        self.sinew("export", "out.replay.xml", "--to", "csv", "-o", "act.csv", "--only", "activation/")
        lines = self.read("act.csv").splitlines()
        self.assertEqual(len(lines), 7)
        self.assertTrue(all(n.startswith("activation/") for n in lines[0].split(",")[1:]))
        before = self.read_sto("out.sto")
        self.sinew("export", "out.replay.xml", "-o", "again.sto")
        self.assertEqual(self.read_sto("again.sto"), before)


class Bad(ExportCase):
    def refused(self, message, *arguments, code=3):
        before = sorted(os.listdir(self.folder))
        answer = self.json("export", *arguments, code=code)["error"]
        self.assertIn(message, " ".join(str(v) for v in answer.values()))
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_wrong_usage(self):
        self.refused("--to FORMAT is missing", "out.replay.xml", code=2)
        self.refused("does not end in .pc2", "out.replay.xml", "--to", "pc2", "-o", "a.mdd", code=2)
        self.refused("one of pc2|mdd", "out.replay.xml", "--to", "fbx", code=2)
        self.refused("no triangles", "out.replay.xml", "--to", "obj", "--what", "strands", code=2)
        self.refused("no folder", "out.replay.xml", "--to", "pc2", "-o", "no/where.pc2", code=1)

    def test_bad_input(self):
        self.refused("nosuch.replay.xml", "nosuch.replay.xml", "--to", "pc2")
        self.refused("no body", "out.replay.xml", "--to", "glb", "--model", "pulley")
        self.refused("nosuch", "out.replay.xml", "--to", "glb", "--model", "nosuch")
        self.refused("have no meshes", "out.replay.xml", "--to", "pc2", "--what", "bones")
        text = self.read("out.replay.xml")
        self.write("nameless.replay.xml", text.replace('model="finger"', 'model=""'))
        self.refused("give --model MODEL", "nameless.replay.xml", "--to", "glb")
        self.write("cut.replay.xml", text[:len(text) // 2])
        self.refused("cut.replay.xml", "cut.replay.xml", "--to", "csv")

    def test_model_beside_the_replay(self):
        os.mkdir(self.path("there"))
        self.sinew("convert", "finger", "there/mine.muscle.xml")
        self.sinew("track", "mine.muscle.xml", "../bend.pose.csv", "-o", "mine", "--end", "0.04", cwd=self.path("there"))
        self.assertEqual(self.json("export", "there/mine.replay.xml", "--to", "pc2")["frames"], 3)


if __name__ == "__main__":
    unittest.main()
