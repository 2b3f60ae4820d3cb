"""The examples run, give the right physics, and stay short."""
import glob
import math
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

BUILD = os.environ["SINEW_BUILD"]
SOURCE = os.environ["SINEW_SOURCE"]


class Examples(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def run_in(self, *command):
        environment = dict(os.environ, PYTHONPATH=os.path.join(BUILD, "python"))
        result = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, env=environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def example(self, name):
        return os.path.join(BUILD, "examples", name)

    def make_pulley(self):
        self.run_in(os.path.join(BUILD, "sinew"), "convert", "pulley", "p.muscle.xml")

    def test_c_examples_are_under_a_hundred_lines(self):
        names = [name for name in os.listdir(os.path.join(SOURCE, "examples")) if name.endswith(".c")]
        self.assertGreaterEqual(len(names), 2)
        for name in names:
            with open(os.path.join(SOURCE, "examples", name)) as file:
                self.assertLess(len(file.readlines()), 100, name)

    def test_c_examples_compile_as_c_plus_plus(self):
        compiler = next((name for name in ("g++", "clang++", "c++") if shutil.which(name)), None)
        if not compiler:
            self.skipTest("no C++ compiler")
        for path in sorted(glob.glob(os.path.join(SOURCE, "examples", "*.c"))):
            self.run_in(compiler, "-x", "c++", "-std=c++11", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only",
                        "-I" + os.path.join(SOURCE, "include"), path)

    def test_pendulum_swings_on_its_cord(self):
        text = self.run_in(self.example("pendulum"), "out.replay.xml")
        places = [line.split("(")[1].rstrip(")").split(", ") for line in text.splitlines()]
        places = [(float(x), float(y)) for x, y in places]
        for x, y in places:
            self.assertAlmostEqual(math.hypot(x, y), 0.3, delta=0.01)
        self.assertLess(min(x for x, _ in places), -0.2)
        self.assertEqual(xml.parse(os.path.join(self.folder, "out.replay.xml")).getroot().tag, "Replay")

    def test_tensions_of_the_pulley(self):
        self.make_pulley()
        lines = self.run_in(self.example("tensions"), "p.muscle.xml", "0").splitlines()
        name, tension, length = lines[1].split()
        self.assertEqual(name, "rope")
        self.assertAlmostEqual(float(tension), 9.81, delta=0.3)
        self.assertAlmostEqual(float(length), 400, delta=5)

    def test_python_plots_a_tension(self):
        self.make_pulley()
        script = os.path.join(SOURCE, "examples", "tension.py")
        python = next((p for p in (sys.executable, "/usr/bin/python3")
                       if subprocess.run([p, "-c", "import numpy"], capture_output=True).returncode == 0), None)
        self.assertIsNotNone(python, "numpy is missing: make deps installs python3-numpy")
        text = self.run_in(python, script, "p.muscle.xml", "rope", "rope.svg", "0")
        self.assertAlmostEqual(float(text.split("tension ")[1].split()[0]), 9.81, delta=0.3)
        root = xml.parse(os.path.join(self.folder, "rope.svg")).getroot()
        self.assertTrue(root.tag.endswith("svg"))


if __name__ == "__main__":
    unittest.main()
