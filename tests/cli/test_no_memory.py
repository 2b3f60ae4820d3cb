"""Every command with its memory running out at any moment: it says so, ends with 1, leaves nothing half done and frees
what it had."""
import os
import re
import shutil
import subprocess
import unittest

from common import BUILD, NO_CACHE, SOURCE, Case

PROGRAM = os.path.join(BUILD, "tests", "sinew_failing")
POINTS = int(os.environ.get("SINEW_FAIL_POINTS", "16"))  # moments for each command


class NoMemory(Case):
    def run_failing(self, command, after=None):
        environment = dict(os.environ, XDG_CACHE_HOME=NO_CACHE)  # the same allocations every time
        environment.pop("SINEW_FAIL_AFTER", None)
        if after is not None:
            environment["SINEW_FAIL_AFTER"] = str(after)
        result = subprocess.run([PROGRAM, *command], cwd=self.folder, env=environment, capture_output=True, text=True,
                                timeout=300)
        counts = re.search(r"allocations (\d+) left (\d+)", result.stderr)
        self.assertIsNotNone(counts, (command, after, result.returncode, result.stderr[-400:]))  # it did not crash
        return result, int(counts[1]), int(counts[2])

    def everything(self):
        return [os.path.relpath(os.path.join(place, name), self.folder)
                for place, _, names in os.walk(self.folder) for name in names]

    def clean(self, before):
        for name in set(os.listdir(self.folder)) - before:
            if os.path.isdir(self.path(name)):
                shutil.rmtree(self.path(name))
            else:
                os.remove(self.path(name))

    def few(self, points, *command):
        """The same with fewer moments: for what takes long."""
        global POINTS
        all_points, POINTS = POINTS, points
        try:
            self.check(*command)
        finally:
            POINTS = all_points

    def check(self, *command):
        before = set(os.listdir(self.folder))
        result, count, left = self.run_failing(command)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(left, 0, command)
        self.clean(before)
        moments = {0, 1, 2, 3, count - 1, count - 2} | {count * i // POINTS for i in range(POINTS)}
        moments |= {count * i * i // POINTS ** 2 for i in range(POINTS)}
        refused = 0
        for after in sorted(n for n in moments if 0 <= n < count):
            result, _, left = self.run_failing(command, after)
            self.assertEqual(left, 0, (command, after))
            if result.returncode == 0:  # what failed was not needed, such as a note
                self.clean(before)
                continue
            refused += 1
            self.assertEqual(result.returncode, 1, (command, after, result.stderr))
            self.assertIn("out of memory", result.stderr, (command, after))
            empty = [name for name in self.everything() if not name.endswith((".resume", ".log")) and
                     os.path.getsize(self.path(name)) == 0]
            self.assertEqual(empty, [], (command, after))
            self.clean(before)
        self.assertGreater(refused, len(moments) // 3, command)

    def setUp(self):
        super().setUp()
        self.write("bend.pose.csv", "time,PIP.flexion\n0,0\n0.1,10\n")

    def test_commands(self):
        self.sinew("simulate", "finger", "--time", "0.1", "-o", "in")
        self.sinew("convert", "finger", "m.muscle.xml")
        self.write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 1\nf 1 2 4 3\n")
        for command in (["check", "m.muscle.xml"], ["info", "m.muscle.xml", "--list"], ["info", "in.replay.xml"],
                        ["simulate", "m.muscle.xml", "--time", "0.05", "-o", "out"],
                        ["track", "m.muscle.xml", "bend.pose.csv", "-o", "out"],
                        ["convert", "m.muscle.xml", "o.muscle.xml"], ["convert", "a.obj", "b.ply"],
                        ["convert", "in.replay.xml", "o.replay.bin"], ["convert", "in.replay.xml", "o.csv"],
                        ["export", "in.replay.xml", "--to", "glb", "-o", "o.glb"],
                        ["export", "in.replay.xml", "--to", "pc2", "--what", "strands", "-o", "o.pc2"],
                        ["plot", "in.sto", "-o", "o.svg"]):
            with self.subTest(command=command):
                self.check(*command)

    def test_skin(self):
        self.sinew("track", "hand", "fist", "-o", "h", "--end", "0.02")
        self.few(4, "skin", "hand", "h.replay.xml", "-o", "o.pc2")

    def test_flesh(self):
        self.sinew("track", "hand", "fist", "-o", "h", "--frames", "20:20")
        quick = ("--spacing", "10", "--no-contact", "--no-gravity", "--muscle-stress", "0", "--tolerance", "10")
        self.few(2, "flesh", "hand", "h.replay.xml", *quick, "-o", "o.pc2")

    def test_body(self):
        self.few(3, "track", "body", "hold", "--end", "0.05", "-o", "t")

    def test_strands(self):
        subprocess.run(["python3", os.path.join(SOURCE, "tools", "make_tutorial.py"), self.folder, "--files"], check=True,
                       stdout=subprocess.DEVNULL)
        self.few(6, "strands", "arm.muscle.xml", "--mesh", "brachialis_mesh", "--from", "brachialis", "--count", "6", "--group",
                 "brachialis_filled", "-o", "full.muscle.xml")

    def test_studio(self):
        self.write("page.html", '<script id="sinew-data" type="application/octet-stream"></script>')
        os.environ["SINEW_PAGE"] = self.path("page.html")
        self.addCleanup(os.environ.pop, "SINEW_PAGE")
        self.few(6, "studio", "finger", "--port", "0", "--timeout", "0.05")
        self.few(6, "studio", "finger", "--save", "saved.html")

    def test_slices(self):
        small = ("--size", "96,72,24", "--alone")
        seed = ",".join(map(str, self.json("phantom", "spindle", *small, "-o", "stack")["seed"]))
        self.few(6, "phantom", "spindle", *small, "-o", "made")
        self.few(6, "contours", "stack", "--seed", seed, "-o", "a.contours.xml", "--picture", "a.png")
        self.sinew("contours", "stack", "--seed", seed, "-o", "m.contours.xml")
        self.few(6, "surface", "m.contours.xml", "-o", "m.obj", "--points", "p.csv", "--count", "60")

    def test_clinical(self):
        self.write("pinch.pose.csv", "time,mcp2.flexion\n0,0\n0.1,20\n")
        self.few(4, "hold", "hand-clinical", "pinch.pose.csv", "--cut", "FDP2", "--save-case", "a.case.xml")
        self.few(4, "compensate", "hand-clinical", "pinch.pose.csv", "--cut", "FDP2", "-o", "c")
        self.few(3, "explore", "hand-clinical", "pinch.pose.csv", "--each", "nerve")
        self.few(3, "track", "hand-clinical", "pinch.pose.csv", "-o", "t")
        self.few(6, "strength", "body")
        self.few(3, "clinic", "hand-clinical", "--cut", "FDP2", "-o", "page.html")

    def test_library(self):
        self.few(4, "library", "spindle", "--muscle", "belly", "--axis", "slide.0=2,-0.01,0.01", "--metres", "--points", "60",
                 "--activations", "1", "--most", "2", "--no-contact", "-o", "a.library")

    def test_motions(self):
        self.write("pull.pose.csv", "time,PIP.flexion\n0,0\n0.1,10\n")
        self.sinew("convert", "finger", "m.muscle.xml")
        self.few(6, "motions", "m.muscle.xml", "--add", "pull.pose.csv")

    def test_demo(self):
        self.few(1, "demo", "shoulder", "--motion", "shrug", "-o", "d")

    def test_bench(self):
        self.few(6, "bench", "--rung", "pendulum")

    def test_sweep(self):
        """What fails in the process that starts the draws; the draws are runs of track."""
        self.few(6, "sweep", "finger", "bend.pose.csv", "--vary", "pcsa=5%", "--draws", "1", "-o", "s")


if __name__ == "__main__":
    unittest.main()
