"""Every command with its memory running out at any moment: it says so, ends with 1, leaves nothing half done and frees
what it had."""
import os
import re
import subprocess
import unittest

from common import BUILD, Case

PROGRAM = os.path.join(BUILD, "tests", "sinew_failing")
POINTS = int(os.environ.get("SINEW_FAIL_POINTS", "16"))  # moments for each command


class NoMemory(Case):
    def run_failing(self, command, after=None):
        environment = dict(os.environ)
        environment.pop("SINEW_FAIL_AFTER", None)
        if after is not None:
            environment["SINEW_FAIL_AFTER"] = str(after)
        result = subprocess.run([PROGRAM, *command], cwd=self.folder, env=environment, capture_output=True, text=True,
                                timeout=100)
        counts = re.search(r"allocations (\d+) left (\d+)", result.stderr)
        self.assertIsNotNone(counts, (command, after, result.returncode, result.stderr[-400:]))  # it did not crash
        return result, int(counts[1]), int(counts[2])

    def check(self, *command):
        before = set(os.listdir(self.folder))
        result, count, left = self.run_failing(command)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(left, 0, command)
        for name in set(os.listdir(self.folder)) - before:
            os.remove(self.path(name))
        moments = {0, 1, 2, 3, count - 1, count - 2} | {count * i // POINTS for i in range(POINTS)}
        moments |= {count * i * i // POINTS ** 2 for i in range(POINTS)}
        refused = 0
        for after in sorted(n for n in moments if 0 <= n < count):
            result, _, left = self.run_failing(command, after)
            self.assertEqual(left, 0, (command, after))
            if result.returncode == 0:  # what failed was not needed, such as a note
                for name in set(os.listdir(self.folder)) - before:
                    os.remove(self.path(name))
                continue
            refused += 1
            self.assertEqual(result.returncode, 1, (command, after, result.stderr))
            self.assertIn("out of memory", result.stderr, (command, after))
            remains = {name for name in set(os.listdir(self.folder)) - before if not name.endswith(".resume")}
            complete = {name for name in remains if os.path.getsize(self.path(name)) > 0}
            self.assertEqual(remains, complete, (command, after))
            for name in set(os.listdir(self.folder)) - before:
                os.remove(self.path(name))
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
        global POINTS
        points, POINTS = POINTS, 4
        try:
            self.check("skin", "hand", "h.replay.xml", "-o", "o.pc2")
        finally:
            POINTS = points


if __name__ == "__main__":
    unittest.main()
