"""sinew library: a library of the scene spindle, its report and its file, and what is refused."""
import json
import os
import signal
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

    def test_interrupted_and_resumed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s.library")
            # the second muscle takes a second: the signal must come before its end
            how = ["--points", "600", "--activations", "3", "--axis", "SC.1=9,0,20", "--most", "9", "--no-contact", "--json"]
            words = ["library", "shoulder", "--muscle", "subclavius", "--muscle", "trapezius_upper", *how, "-o", path]
            process = subprocess.Popen([SINEW, *words, "--progress", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       text=True)
            stages = []
            for line in process.stderr: # the first muscle is finished when the second one begins
                stages.append(json.loads(line))
                if stages[-1]["stage"].startswith("trapezius_upper"):
                    process.send_signal(signal.SIGINT)
                    break
            errors = process.communicate(timeout=240)[1]
            self.assertEqual(process.returncode, 1, errors)
            parts = [s["done"] / s["total"] for s in stages]
            self.assertEqual(parts, sorted(parts))
            self.assertTrue(0.5 <= parts[-1] < 1, parts)
            with open(path, "rb") as file:
                first = file.read()
            self.assertEqual(struct.unpack_from("<I", first, 8)[0], 1)
            self.assertEqual(first[12:22], b"subclavius")
            done = run(*words, "--quiet", "--resume")
            self.assertEqual(done.returncode, 0, done.stderr)
            report = json.loads(done.stdout)
            self.assertEqual([m["name"] for m in report["muscles"]], ["subclavius", "trapezius_upper"])
            alone = run("library", "shoulder", "--muscle", "trapezius_upper", *how, "--quiet", "-o", os.path.join(folder, "alone.library"))
            self.assertEqual(report["solves"], json.loads(alone.stdout)["solves"])  # of the second muscle only
            with open(path, "rb") as file:
                self.assertIn(first[12:], file.read())

    def test_parts_of_the_shoulder_in_one_file(self):
        """One of the shoulder's thinnest muscles and a small one; what cannot be made is named; the file plays."""
        with tempfile.TemporaryDirectory() as folder:
            path, cache = os.path.join(folder, "s.library"), os.path.join(folder, "m.pc2")
            done = run("library", "shoulder", "--muscle", "latissimus_dorsi", "--muscle", "nobody", "--muscle", "subclavius",
                       "--points", "160", "--activations", "1", "--axis", "SC.1=2,0,5", "--most", "2", "--no-contact",
                       "--json", "-o", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            report = json.loads(done.stdout.splitlines()[-1])
            self.assertEqual([m["name"] for m in report["muscles"]], ["latissimus_dorsi", "subclavius"])
            self.assertEqual(report["left_out"], ["nobody"])
            self.assertIn('left out nobody: the model has no muscle group "nobody"', done.stderr)
            replay = os.path.join(folder, "run")
            self.assertEqual(run("simulate", "shoulder", "--time", "0.02", "-o", replay, "--quiet").returncode, 0)
            done = run("export", replay + ".replay.xml", "--library", path, "-o", cache, "--json", "--quiet")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["points"], sum(m["vertices"] for m in report["muscles"]))
            page = os.path.join(folder, "page.html")
            done = run("studio", "shoulder", replay + ".replay.xml", "--library", path, "--save", page)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater(os.path.getsize(page), 100000)

    def test_three_fidelities(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "c.svg")
            words = ("library", "spindle", "--muscle", "belly", "--axis", "slide.0=2,-0.01,0.01", "--metres", "--points", "150",
                     "--activations", "2", "--compare", "--quiet")
            done = run(*words, "--json", "--plot", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            report = json.loads(done.stdout)
            self.assertEqual(report["axis"], "slide.0")
            self.assertEqual([(round(r["coordinate"], 4), r["activation"]) for r in report["rows"]],
                             [(-0.01, 0.1), (-0.01, 1), (0.01, 0.1), (0.01, 1)])
            for row in report["rows"]:
                for kind in ("strands", "points", "elements"):
                    self.assertTrue(row[kind]["converged"], (kind, row))
                    self.assertAlmostEqual(row[kind]["volume"], 1, delta=0.01)
                    # it keeps its volume: what is 1/15 shorter is about as much thicker
                    self.assertAlmostEqual(row[kind]["bulge"], 1 - row["coordinate"] / 0.15, delta=0.06)
            for kind in ("strands", "points", "elements"):
                rest, full = report["rows"][0][kind]["force"], report["rows"][1][kind]["force"]
                self.assertGreater(full, 5 * rest)
                self.assertAlmostEqual(full, 80, delta=25)
            self.assertLess(report["points_section_off"], 0.03)
            self.assertLess(report["strands_section_off"], 0.1)
            with open(path) as file:
                self.assertIn("<svg", file.read())
            self.assertEqual(run("library", "spindle", "--compare").returncode, 2)

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
