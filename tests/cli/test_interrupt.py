"""Ctrl-C and SIGTERM end any work at once, and nothing of ordinary size takes long."""
import math
import os
import random
import re
import resource
import signal
import subprocess
import time
import unittest

from common import BUILD, SINEW, SOURCE, Case


PAGE = unittest.skipUnless(os.path.exists(os.path.join(BUILD, "studio", "studio.html")), "the page is not built")
TICKS = os.sysconf("SC_CLK_TCK")


def used(process):
    """Processor time of a running process so far, s."""
    with open(f"/proc/{process.pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def used_by_children():
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    return use.ru_utime + use.ru_stime


class Interrupt(Case):
    def stopped(self, *command, after=0.4, number=signal.SIGINT):
        """Seconds from the signal to the end, of the clock or of the processor, whichever are fewer: a busy machine delays
        anybody. The command must still be at work when the signal comes, after so much time of the processor."""
        before = used_by_children()
        process = subprocess.Popen([SINEW, *command], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while (worked := used(process)) < after and process.poll() is None:
            time.sleep(0.002)
        self.assertIsNone(process.poll(), f"{command} ended before it could be stopped")
        start = time.monotonic()
        process.send_signal(number)
        out, errors = process.communicate(timeout=60)
        seconds = min(time.monotonic() - start, used_by_children() - before - worked)
        self.assertEqual(process.returncode, 1, (command, errors))
        self.assertIn("stopped", errors)
        return seconds, out

    def check(self, *command, after=0.4):
        before = set(os.listdir(self.folder))
        for number in (signal.SIGINT, signal.SIGTERM):
            self.assertLess(self.stopped(*command, after=after, number=number)[0], 0.5, (command, number))
        self.assertEqual(set(os.listdir(self.folder)), before)

    def write_large_mesh(self, name, n):
        with open(self.path(name), "w") as file:
            for i in range(n):
                for j in range(n):
                    file.write(f"v {i} {j} 0\n")
            for i in range(n - 1):
                for j in range(n - 1):
                    a = i * n + j + 1
                    file.write(f"f {a} {a + 1} {a + n + 1} {a + n}\n")

    def test_reading_a_mesh(self):
        self.write_large_mesh("large.obj", 1500)
        self.check("convert", "large.obj", "small.ply", after=0.3)

    def test_settling(self):
        self.sinew("convert", "hand-synthetic-x10", "slow.muscle.xml")
        self.write("slow.muscle.xml", re.sub(r'settle="[^"]*"', 'settle="20"', self.read("slow.muscle.xml"), count=1))
        self.check("simulate", "slow.muscle.xml", "--time", "0.01", "-o", "out", after=1.0)

    def test_binding_the_skin(self):
        self.sinew("track", "hand", "fist", "-o", "h", "--end", "0.02")
        self.check("skin", "hand", "h.replay.xml", "-o", "a.pc2", "--no-cache", after=0.2)

    @PAGE
    def test_exporting_a_page(self):
        self.sinew("track", "hand", "fist", "-o", "h", "--end", "0.4")
        self.check("export", "h.replay.xml", "--to", "html", "-o", "a.html", after=0.1)

    def test_slices(self):
        self.check("phantom", "heads", "--size", "512,512,100", "-o", "big")
        seed = ",".join(map(str, self.json("phantom", "spindle", "-o", "stack")["seed"]))
        self.check("contours", "stack", "--seed", seed, "-o", "a.contours.xml", after=0.3)
        self.sinew("contours", "stack", "--seed", seed, "-o", "m.contours.xml")
        self.check("surface", "m.contours.xml", "--edge", "1", "-o", "m.obj", after=0.5)

    @PAGE
    def test_clinical(self):
        self.check("clinic", "hand-clinical", "--motion", "wave", "--motion", "fist", "-o", "page.html", after=0.2)
        self.check("explore", "hand-clinical", "fist", "--frame-rate", "200", "--each", "transfer", "--to", "ED", after=0.2)

    def test_shapes(self):
        subprocess.run(["python3", os.path.join(SOURCE, "tools", "make_tutorial.py"), self.folder, "--files"], check=True,
                       stdout=subprocess.DEVNULL)
        fill = ("strands", "arm.muscle.xml", "--mesh", "brachialis_mesh", "--from", "brachialis", "--group", "filled")
        self.check(*fill, "--count", "60", "-o", "many.muscle.xml", after=0.3)
        self.sinew(*fill, "--count", "6", "-o", "full.muscle.xml")
        self.check("library", "full.muscle.xml", "--muscle", "filled", "--mesh", "brachialis_mesh", "--axis", "elbow.0=3", "-o",
                   "a.library", after=0.5)

    def test_what_is_finished_on_a_tree_is_kept(self):
        self.stopped("track", "hand-clinical", "fist", "--method", "step", "--repeat", "100", "-o", "out", after=0.5)
        whole = self.json("track", "hand-clinical", "fist", "--method", "step", "--repeat", "2", "-o", "whole")
        kept = self.json("info", "out.replay.xml")["frames"]
        self.assertGreater(kept, 0)
        rows, all_rows = self.read_sto("out.sto")[1], self.read_sto("whole.sto")[1]
        self.assertEqual(len(rows), kept)
        self.assertEqual(rows[:whole["frames"]], all_rows[:kept])

    def test_json_stays_json(self):
        self.write_large_mesh("large.obj", 1500)
        _, out = self.stopped("convert", "large.obj", "small.ply", "--json", after=0.3)
        self.assertIn("SN_CANCELLED", out)


class Large(Case):
    """Seconds for what used to take minutes."""

    def timed(self, seconds, *command, code=0):
        start = time.monotonic()
        result = self.sinew(*command, code=code, timeout=10 * seconds)
        self.assertLess(time.monotonic() - start, seconds, command)
        return result

    def test_checking_many_bodies(self):
        count = 100000
        with open(self.path("many.scene.xml"), "w") as file:
            file.write('<?xml version="1.0"?>\n<ModelerScene version="1">\n')
            for i in range(count):
                file.write(f'<Group name="b{i}" translate="{i} 0 0"><Group name="j{i}"/></Group>\n')
            file.write("</ModelerScene>\n")
        with open(self.path("many.muscle.xml"), "w") as file:
            file.write('<?xml version="1.0"?>\n<Muscle version="1">\n')
            for i in range(count):
                file.write(f'<RigidBody name="b{i}" mass="1" mass_from="given" inertia="1 1 1"/>\n')
            for i in range(1, count):
                file.write(f'<Joint name="j{i}" type="hinge" body_a="b{i - 1}" body_b="b{i}"/>\n')
            file.write("</Muscle>\n")
        self.timed(20, "check", "many.muscle.xml")

    def test_polygon_of_many_corners(self):
        n = 10000
        chance = random.Random(1)
        with open(self.path("comb.obj"), "w") as file:
            for i in range(n):
                angle, r = 2 * math.pi * i / n, 1 if i % 2 else 0.2 + 0.6 * chance.random()
                file.write(f"v {r * math.cos(angle)} {r * math.sin(angle)} 0\n")
            file.write("f " + " ".join(str(i + 1) for i in range(n)) + "\n")
        self.timed(15, "convert", "comb.obj", "comb.ply")

    def test_spiral_of_many_corners(self):
        n = 5000
        turn = [40 * math.pi * i / n for i in range(n)]
        points = [((1 + t) * math.cos(t), (1 + t) * math.sin(t)) for t in reversed(turn)]
        points += [((1.5 + t) * math.cos(t), (1.5 + t) * math.sin(t)) for t in turn]
        with open(self.path("spiral.obj"), "w") as file:
            file.writelines(f"v {x} {y} 0\n" for x, y in points)
            file.write("f " + " ".join(str(i + 1) for i in range(2 * n)) + "\n")
        self.timed(15, "convert", "spiral.obj", "spiral.ply")

    def test_step_that_never_ends(self):
        self.sinew("convert", "pulley", "p.muscle.xml")
        text = self.read("p.muscle.xml")
        for step in ("1e-300", "1e-9", "0.5"):
            self.write("bad.muscle.xml", text.replace("<Muscle ", f'<Muscle step="{step}" ', 1))
            self.write("bad.scene.xml", self.read("p.scene.xml"))
            result = self.timed(10, "check", "bad.muscle.xml", code=3)
            self.assertIn("step", result.stdout + result.stderr)

    def test_plots_of_any_values(self):
        for rows in ("0,0\n1,-1.7e308\n2,-1\n", "0,1e15\n1,1000000000000000.25\n", "0,5e-324\n1,0\n", "0,1.7e308\n1,-1.7e308\n"):
            self.write("a.csv", "time,tension/a\n" + rows)
            self.timed(10, "plot", "a.csv", "--what", "tension", "-o", "a.svg")


if __name__ == "__main__":
    unittest.main()
