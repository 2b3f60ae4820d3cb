"""sinew flesh end to end: the point cache that it writes, its report, resuming, and what it refuses."""
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import unittest

from common import BUILD, SINEW, Case

KEYS = ["frames", "seconds", "frame_s_mean", "volume_ratio_min", "volume_ratio_max", "inverted", "unconverged_frames"]
SMALL = ["--spacing", "9.5"]


class Flesh(Case):
    def setUp(self):
        super().setUp()
        self.sinew("track", "hand", "fist", "-o", "out", "--frames", "20:23")

    def flesh(self, *arguments, to="out.pc2", **options):
        return self.json("flesh", "hand", "out.replay.xml", "-o", to, *SMALL, *arguments, **options)

    def cache(self, name="out.pc2"):
        with open(self.path(name), "rb") as file:
            data = file.read()
        _, _, count, _, _, frames = struct.unpack("<12siiffi", data[:32])
        self.assertEqual(len(data), 32 + 12 * count * frames)
        return count, frames, data[32:]

    def test_cache_report_and_resume(self):
        answer = self.flesh("--report", "out.csv", "--frames", "0:2")
        for key in KEYS:
            self.assertIn(key, answer)
        count, frames, data = self.cache()
        self.assertEqual((answer["frames"], answer["points"]), (frames, count))
        self.assertEqual((frames, answer["inverted"], answer["unconverged_frames"]), (3, 0, 0))
        self.assertLess(abs(answer["volume_ratio_min"] - 1), 0.01)
        rows = self.read("out.csv").splitlines()
        self.assertEqual(len(rows), 4)
        self.assertTrue(rows[0].startswith("frame,time_s,newton"))
        # what is there stays as it is, the rest follows
        answer = self.flesh("--report", "out.csv", "--resume")
        self.assertEqual((answer["frames"], answer["frames_kept"]), (4, 3))
        count, frames, longer = self.cache()
        self.assertEqual(frames, 4)
        self.assertEqual(longer[:len(data)], data)
        self.assertEqual(len(self.read("out.csv").splitlines()), 5)

    def stopped(self, number, frames, to):
        """Ends a run by a signal when so many frames are done."""
        process = subprocess.Popen([SINEW, "flesh", "hand", "out.replay.xml", "-o", to, *SMALL, "--progress", "json"],
                                   cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in process.stderr:
            if '"flesh"' in line and json.loads(line)["done"] >= frames:
                break
        process.send_signal(number)
        process.stderr.close()
        process.wait()

    def test_resume_is_bit_for_bit(self):
        self.flesh(to="whole.pc2")
        for number in (signal.SIGKILL, signal.SIGTERM):
            self.stopped(number, 2, "out.pc2")
            self.assertTrue(os.path.exists(self.path("out.pc2.resume")))
            refused = self.sinew("flesh", "hand", "out.replay.xml", "-o", "out.pc2", *SMALL, "--stiffness", "2", "--resume", code=3)
            self.assertIn("stiffness was not given, now 2", refused.stderr)
            answer = self.flesh("--resume")
            self.assertGreaterEqual(answer["frames_kept"], 2)
            self.assertLess(answer["frames_kept"], 4)
            self.assertEqual(self.cache(), self.cache("whole.pc2"))
            self.assertFalse(os.path.exists(self.path("out.pc2.resume")))

    def test_line_muscles_have_bellies(self):
        """Bellies grow around the lines of a model on a tree, with about the volume that its muscles have."""
        self.sinew("track", "hand-clinical", "fist", "-o", "lines")
        answer = self.json("flesh", "hand-clinical", "lines.replay.xml", "-o", "lines.pc2", *SMALL, "--frames", "0:0")
        with open(os.path.join(BUILD, "models", "hand-clinical", "hand-clinical.muscle.xml")) as file:
            muscles = re.findall(r'<LineMuscle[^>]* max_force="([^"]*)" fiber_length="([^"]*)"', file.read())
        self.assertGreaterEqual(len(muscles), 47)  # some are donors of transfers, kept for later
        volume = sum(2 * 1e3 * float(force) / 0.3e6 * float(length) for force, length in muscles)  # twice that of the fibres
        self.assertEqual((answer["muscles_outside"], answer["unconverged_frames"]), (0, 0))
        print(f"muscle {answer['muscle_l']:.3f} of {volume:.3f} l")
        self.assertGreater(answer["muscle_l"], 0.4 * volume)  # bellies that overlap share their volume
        self.assertLess(answer["muscle_l"], 1.1 * volume)

    def test_section(self):
        answer = self.flesh("--frames", "0:1", "--section", "pp3@0.4", "--report", "s.csv")
        self.assertGreater(answer["section_cm2_first"], 1)
        rows = [row.split(",") for row in self.read("s.csv").splitlines()]
        self.assertEqual(rows[0][-1], "section_cm2")
        self.assertAlmostEqual(max(float(row[-1]) for row in rows[1:]), answer["section_cm2_most"], places=2)
        self.assertLess(answer["section_cm2_most"] / answer["section_cm2_first"], 1.3)
        run = ["flesh", "hand", "out.replay.xml", "-o", "s.pc2", *SMALL, "--section"]
        self.assertIn("no bone", self.sinew(*run, "nothing", code=3).stderr)
        self.assertIn("0 to 1", self.sinew(*run, "pp3@2", code=2).stderr)

    def test_muscles_deform_too(self):
        """The meshes of muscles follow the skin's points, and they move."""
        def points(name):
            return [[float(x) for x in line.split()[1:4]] for line in self.read(name).splitlines() if line.startswith("v ")]

        skin = self.flesh("--frames", "0:0")["points"]
        both = self.flesh("--frames", "0:0", "--muscles", "--surface", "drawn.obj", to="both.obj")["points"]
        drawn, now = points("drawn.obj"), points("both.0001.obj")
        self.assertGreater(both, skin)
        self.assertEqual((len(drawn), len(now)), (both, both))
        self.assertGreater(max(abs(a - b) for p, q in zip(drawn[skin:], now[skin:]) for a, b in zip(p, q)), 1e-4)

    def test_parts_of_the_body_do_not_pass_through_each_other(self):
        """A forearm laid on the belly, on a model whose skin has more parts than bits: they go in without contact only."""
        with open(self.path("fold.pose.csv"), "w") as file:
            file.write("time,humerus_R_introt,humerus_R_flex,ulna_R_flex\n0,0,0,0\n1,50,5,85\n")
        self.sinew("convert", "fold.pose.csv", "fold.control.xml", "--model", "body")
        run = ["flesh", "body", "fold.control.xml", "-o", "fold.pc2", "--quality", "draft", "--frame-rate", "8"]
        through = self.json(*run, "--no-contact")
        answer = self.json(*run)
        print(f"deepest {through['deepest_mm']:.1f} mm without contact, {answer['deepest_mm']:.2f} mm with")
        self.assertEqual(through["contacts"], 0)
        self.assertGreater(through["deepest_mm"], 20)
        self.assertGreater(answer["contacts"], 50)
        self.assertLess(answer["deepest_mm"], 0.4 * through["deepest_mm"])
        self.assertEqual((answer["inverted"], answer["unconverged_frames"]), (0, 0))
        self.assertEqual(answer["muscles_outside"], 0)
        self.assertGreater(answer["muscles_thin"], 0)  # between the vertebrae of the neck, in cells of 30 mm
        self.assertIn("thinner than the cells", self.sinew(*run, "--frames", "0:0").stderr)
        self.assertIn("no closed mesh of a muscle", self.sinew(*run, "--muscles", code=3).stderr)

    def damaged(self, change):
        """The hand with another skin: change(vertices, faces) of raw records, three doubles and a count with three numbers."""
        folder = self.path("damaged")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(os.path.join(BUILD, "models", "hand"), folder)
        with open(os.path.join(folder, "skin.ply"), "rb") as file:
            head, body = file.read().split(b"end_header\n", 1)
        count, number = (int(re.search(rb"element %s (\d+)" % kind, head)[1]) for kind in (b"vertex", b"face"))
        size = (len(body) - 13 * number) // count
        vertices = [bytearray(body[size * i:size * (i + 1)]) for i in range(count)]
        faces = [body[size * count + 13 * i:size * count + 13 * (i + 1)] for i in range(number)]
        faces = change(vertices, faces) or faces
        head = re.sub(rb"element face \d+", b"element face %d" % len(faces), head)
        with open(os.path.join(folder, "skin.ply"), "wb") as file:
            file.write(head + b"end_header\n" + b"".join(vertices) + b"".join(faces))
        return self.sinew("flesh", os.path.join(folder, "hand.muscle.xml"), "out.replay.xml", "-o", "bad.pc2", *SMALL, code=3)

    def test_bad_surfaces_are_refused(self):
        def turned(vertices, faces):
            return [f[:1] + f[1:5] + f[9:13] + f[5:9] for f in faces]

        def moved(to):
            def move(vertices, faces):
                for v in vertices:
                    v[:24] = struct.pack("<3d", *to(*struct.unpack("<3d", v[:24])))
            return move

        self.assertRegex(self.damaged(lambda v, f: f[:-1]).stderr, "open|hole|edge")
        self.assertRegex(self.damaged(turned).stderr, "inward|inside out|turn")
        self.assertIn("crosses itself", self.damaged(moved(lambda x, y, z: (x, y, -z if y < -0.15 else z))).stderr)
        self.assertIn("no bone lies inside", self.damaged(moved(lambda x, y, z: (x + 5, y, z))).stderr)
        self.assertFalse(os.path.exists(self.path("bad.pc2")))

    def obj_points(self, name):
        lines = self.read(name).splitlines()
        return [float(x) for line in lines if line.startswith("v ") for x in line.split()[1:4]]

    def test_every_point_cache_takes_it(self):
        """One flesh in three formats, the same points in all; tests/web and tests/studio read the GLB and the page."""
        self.json("flesh", "hand", "out.replay.xml", "-o", "out.pc2", "--quality", "draft")
        for ending in ("pc2", "mdd", "obj"):
            answer = self.json("export", "out.replay.xml", "--to", ending, "--flesh", "draft", "-o", f"other.{ending}")
            self.assertEqual((answer["what"], answer["frames"]), ("skin", 4))
        count, frames, data = self.cache("other.pc2")
        self.assertEqual((count, frames, data), self.cache())  # as sinew flesh writes it
        with open(self.path("other.mdd"), "rb") as file:
            mdd = file.read()
        self.assertEqual(struct.unpack(">ii", mdd[:8]), (frames, count))
        big = struct.unpack(f">{3 * count * frames}f", mdd[8 + 4 * frames:])
        little = struct.unpack(f"<{3 * count * frames}f", data)
        self.assertEqual(big, little)
        for k in range(frames):
            points = self.obj_points(f"other.{k + 1:04d}.obj")
            self.assertEqual(len(points), 3 * count)
            self.assertLess(max(abs(x - y) for x, y in zip(points, little[3 * count * k:])), 1e-6)
        last = little[3 * count * (frames - 1):]
        self.assertGreater(max(abs(x - y) for x, y in zip(little, last)), 1e-3)  # it moves

    def test_muscles_are_exported_too(self):
        self.sinew("export", "out.replay.xml", "--to", "obj", "--flesh", "draft", "--frame-rate", "10", "-o", "skin.obj")
        self.sinew("export", "out.replay.xml", "--to", "obj", "--flesh", "draft", "--frame-rate", "10", "--muscles", "-o", "both.obj")
        skin, both = self.obj_points("skin.0001.obj"), self.obj_points("both.0001.obj")
        self.assertGreater(len(both), len(skin))
        self.assertEqual(both[:len(skin)], skin)
        self.assertIn("needs --flesh", self.sinew("export", "out.replay.xml", "--to", "obj", "--muscles", code=2).stderr)

    def test_larger_cells_inside(self):
        """Fewer tetrahedra for the same spacing, the same skin within a tenth of a millimetre; a run of them is continued."""
        run = ["flesh", "hand", "out.replay.xml", "--spacing", "6", "--quality", "preview"]
        uniform = self.json(*run, "-o", "uniform.pc2", "--frames", "0:0")
        self.assertEqual(uniform["tetrahedra_of_size"], [uniform["tetrahedra"], 0, 0])
        mixed = self.json(*run, "-o", "mixed.pc2", "--cell-sizes", "3", "--frames", "0:0", "--muscles")
        few = mixed["tetrahedra_of_size"]
        self.assertEqual(sum(few), mixed["tetrahedra"])
        self.assertGreater(few[1], 0)
        self.assertEqual(few[0] + 8 * few[1] + 64 * few[2], uniform["tetrahedra"])
        self.assertEqual((mixed["inverted"], mixed["unconverged_frames"]), (0, 0))
        count, _, one = self.cache("uniform.pc2")
        _, _, other = self.cache("mixed.pc2")
        a, b = (struct.unpack(f"<{3 * count}f", data[:12 * count]) for data in (one, other))
        apart = max(abs(x - y) for x, y in zip(a, b))
        print(f"{mixed['tetrahedra']} of {uniform['tetrahedra']} tetrahedra, skin {1e3 * apart:.3f} mm apart")
        self.assertLess(apart, 1e-4)
        longer = self.json(*run, "-o", "mixed.pc2", "--cell-sizes", "3", "--frames", "0:1", "--muscles", "--resume")
        self.assertEqual((longer["frames"], longer["frames_kept"], longer["tetrahedra_of_size"]), (2, 1, few))
        self.assertEqual(self.cache("mixed.pc2")[2][:len(other)], other)
        refused = self.sinew(*run, "-o", "mixed.pc2", "--cell-sizes", "4", code=2)
        self.assertIn("cell-sizes", refused.stderr)
    def test_bench(self):
        """The rung says what a frame takes and how far it is from a tight solution."""
        answer = self.json("bench", "--rung", "flesh", "--motion", "fist", "--tetrahedra", "8000", "--threads", "1")
        (row,) = answer["flesh"]
        keys = "tetrahedra frame_s preview_frame_s frame_cpu_s newton cg threads max_error_mm volume_ratio bytes".split()
        for key in keys:
            self.assertGreater(row[key], 0, key)
        self.assertEqual((row["motion"], row["threads"], row["inverted"], row["unconverged"]), ("fist", 1, 0, 0))
        self.assertLess(row["max_error_mm"], 0.01)
        self.assertLess(row["preview_max_error_mm"], 0.05)
        self.assertIn("curl and fist", self.sinew("bench", "--rung", "flesh", "--motion", "wave", code=2).stderr)
        self.assertIn("needs --rung flesh", self.sinew("bench", "--tetrahedra", "8000", code=2).stderr)

    def test_wrong_input(self):
        self.sinew("flesh", "hand", "out.replay.xml", "-o", "out.xyz", code=2)
        self.sinew("flesh", "hand", "out.replay.xml", code=2)
        self.sinew("flesh", "shoulder", "out.replay.xml", "-o", "out.pc2", code=3)
        self.sinew("flesh", "hand", "out.replay.xml", "-o", "out.pc2", "--mesh", "nothing", code=3)
        coarse = self.sinew("flesh", "hand", "out.replay.xml", "-o", "out.pc2", "--spacing", "14", code=3)
        part = re.search(r'the flesh around "(\w+)" is only [\d.]+ mm thick', coarse.stderr)
        enough = re.search(r"use a spacing of at most ([\d.]+) mm", coarse.stderr)
        self.assertRegex(part[1], "dp|mp|pp")  # a phalanx
        self.sinew("flesh", "hand", "out.replay.xml", "-o", "out.pc2", "--spacing", enough[1], "--frames", "0:0")
        fine = self.sinew("flesh", "hand", "out.replay.xml", "-o", "out.pc2", "--spacing", "0.02", code=3)
        needed, there = re.search(r"needs about ([\d.]+) GB; this machine has ([\d.]+) GB", fine.stderr).groups()
        self.assertGreater(float(needed), 0.9 * float(there))
        self.assertGreater(float(re.search(r"use a spacing of ([\d.]+) mm or more", fine.stderr)[1]), 0.02)
        self.assertFalse(os.path.exists(self.path("out.pc2.resume")))


if __name__ == "__main__":
    unittest.main()
