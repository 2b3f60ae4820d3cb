"""sinew library: a library of the scene spindle, its report and its file, and what is refused."""
import json
import os
import struct
import subprocess
import tempfile
import unittest

SINEW = os.path.join(os.environ["SINEW_BUILD"], "sinew")


def run(*words):
    return subprocess.run([SINEW, *words], capture_output=True, text=True, timeout=240)


class Library(unittest.TestCase):
    def test_spindle(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s.library")
            done = run("library", "spindle", "--muscle", "belly", "--axis", "slide.0=3,-0.01,0.01", "--metres",
                       "--points", "120", "--activations", "2", "--most", "3", "--json", "--quiet", "-o", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            report = json.loads(done.stdout)
            muscle = report["muscles"][0]
            self.assertEqual(muscle["samples"], 6)
            self.assertLess(report["largest_jump_mm"], 5)
            self.assertGreater(muscle["least_volume"], 0.98)
            with open(path, "rb") as file:
                data = file.read()
            self.assertEqual(data[:6], b"SNLIB1")
            self.assertEqual(struct.unpack_from("<I", data, 8)[0], 1)
            self.assertEqual(data[12:17], b"belly")

    def test_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s.library")
            self.assertEqual(run("library", "spindle").returncode, 2)
            self.assertEqual(run("library", "spindle", "--axis", "slide.0", "-o", path).returncode, 2)
            done = run("library", "spindle", "--muscle", "nobody", "-o", path)
            self.assertEqual(done.returncode, 3)
            self.assertIn("nobody", done.stderr)
            self.assertFalse(os.path.exists(path))


if __name__ == "__main__":
    unittest.main()
