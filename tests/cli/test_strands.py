"""sinew strands: a model with a muscle mesh and one strand becomes a model with a muscle group; anatomical functions."""
import json
import math
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from common import SINEW, Case
from spindle import ANGLES, MUSCLE, RINGS, spindle

def lines(rows):
    return "\n".join(" ".join(f"{x:.9g}" for x in row) for row in rows)


class Strands(Case):
    def model(self, open_end=False, shift=0):
        """A weight on a muscle 12 cm long, in centimetres."""
        vertices, triangles = spindle(12, 1.5)
        triangles = triangles[1:] if open_end else triangles
        points = [(shift, -12 * i / 7, 0) for i in range(8)]
        self.write("arm.scene.xml", f"""<ModelerScene version="1" units="cm">
  <Group name="frame"/>
  <Group name="weight" translate="0 -12 0"/>
  <Mesh name="belly_mesh">
    <Vertices>{lines(vertices)}</Vertices>
    <Triangles>{lines(triangles)}</Triangles>
  </Mesh>
  <Curve name="line"><Points>{lines(points)}</Points></Curve>
</ModelerScene>""")
        return self.write("arm.muscle.xml", MUSCLE)

    def fill(self, *more, code=0, model="arm.muscle.xml"):
        return self.sinew("strands", model, "--mesh", "belly_mesh", "--from", "line", "--count", 8, "--group", "belly",
                          "--samples", 12, "--control-points", 8, "-o", "full.muscle.xml", *more, code=code)

    def test_a_sheet_gets_struts_and_a_bundle_keeps_its_volume(self):
        self.model()
        self.fill("--sheet", "--struts", 3)
        self.assertIn('struts="3"', self.read("full.muscle.xml"))
        self.sinew("check", "full.muscle.xml")
        self.fill("--preserve")
        self.assertIn('preserve="true"', self.read("full.muscle.xml"))
        self.assertFalse(self.json("simulate", "full.muscle.xml", "--time", "0.2")["diverged"])
        self.assertIn("--sheet", self.fill("--struts", 3, code=2).stderr)
        self.assertIn("--struts", self.fill("--preserve", "--sheet", code=2).stderr)

    def test_it_says_when_the_strands_still_move(self):
        self.model()
        words = ["strands", "arm.muscle.xml", "--mesh", "belly_mesh", "--from", "line", "--count", 8, "-o", "full.muscle.xml"]
        result = self.sinew(*words, "--steps", 3)
        self.assertIn("still move after 3 steps", result.stderr)
        self.assertFalse(self.json(*words, "--steps", 3)["converged"])
        result = self.sinew(*words)
        self.assertNotIn("still move", result.stderr)
        self.assertTrue(self.json(*words)["converged"])

    def test_a_group_takes_the_place_of_the_strand(self):
        self.model()
        report = self.json("strands", "arm.muscle.xml", "--mesh", "belly_mesh", "--from", "line", "--count", 8, "--group",
                           "belly", "--samples", 12, "--control-points", 8, "-o", "full.muscle.xml")
        self.assertEqual(report["strands"], 8)
        self.assertLess(report["outside"], 0.2e-3)
        self.assertLess(report["spacing_variation"], 0.25)
        self.assertEqual(report["crossings"], 0)
        self.assertAlmostEqual(report["cross_section"], report["volume"] / report["fiber_length"], 9)
        # the volume of the mesh by the formula of a cone's frustum, polygons for circles
        radius = [0.015 * (0.15 + 0.85 * math.sin(math.pi * i / RINGS)) for i in range(RINGS + 1)]
        polygon = ANGLES / 2 * math.sin(2 * math.pi / ANGLES)
        volume = sum(polygon * 0.12 / RINGS * (a * a + a * b + b * b) / 3 for a, b in zip(radius, radius[1:]))
        self.assertAlmostEqual(report["volume"] / volume, 1, 2)
        self.sinew("check", "full.muscle.xml")
        text = self.read("full.muscle.xml")
        self.assertEqual(text.count('<Strand name="belly_'), 8)
        self.assertIn('max_force="10"', text)
        self.assertRegex(text, r'<Strand name="line"[^>]*enabled="false"')
        self.assertEqual(len([line for line in text.splitlines() if 'attachment="weight"' in line and "belly_" in line]), 8)
        self.assertIn('muscles="belly"', text)

    def test_functions_move_the_filled_model(self):
        self.model()
        self.fill()
        height = {}
        for level in (0, 1):
            self.sinew("simulate", "full.muscle.xml", "--function", f"weight.lift={level}", "--time", 0.2, "-o", f"at{level}")
            names, rows = self.read_sto(f"at{level}.sto")
            column = next(i for i, name in enumerate(names) if name.startswith("length/belly_1"))
            height[level] = rows[-1][column]
        self.assertLess(height[1], height[0] - 0.002)  # 80 N against 20 N: it shortens
        error = self.sinew("simulate", "full.muscle.xml", "--function", "weight.drop=1", code=3).stderr
        self.assertIn("weight.drop", error)
        self.assertIn("weight.lift", error)

    def test_bad_input_is_refused_with_place_and_remedy(self):
        self.model()
        base = ["strands", "arm.muscle.xml", "--count", 8, "-o", "full.muscle.xml"]
        self.assertIn("no mesh", self.sinew(*base, "--mesh", "line", "--from", "line", code=3).stderr)
        self.assertIn("no strand", self.sinew(*base, "--mesh", "belly_mesh", "--from", "lime", code=3).stderr)
        self.assertIn("choose another", self.sinew(*base, "--mesh", "belly_mesh", "--from", "line", "--group", "line",
                                                   code=3).stderr)
        self.assertIn("--from is missing", self.sinew(*base, "--mesh", "belly_mesh", code=2).stderr)
        self.model(open_end=True)
        self.assertIn("open", self.fill(code=3).stderr)
        self.model(shift=2)
        error = self.fill(code=3).stderr
        self.assertIn("outside the muscle mesh", error)
        self.assertIn("line", error)
        self.assertIn("move the strand", error)

    # -- live: objects out, objects in

    def live(self, *more):
        self.model()
        process = subprocess.Popen(
            [SINEW, "strands", "arm.muscle.xml", "--mesh", "belly_mesh", "--from", "line", "--count", "8", "--group", "belly",
             "--samples", "12", "--control-points", "8", "-o", "full.muscle.xml", "--live", "--pace", "0", *more],
            cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        for pipe in (process.stdin, process.stdout, process.stderr):
            self.addCleanup(pipe.close)
        return process

    def say(self, process, **line):
        process.stdin.write(json.dumps(line) + "\n")
        process.stdin.flush()

    def until(self, process, wanted):
        """Reads objects until one is as wanted; all of them."""
        seen = []
        while not seen or not wanted(seen[-1]):
            seen.append(json.loads(process.stdout.readline()))
        return seen

    def curves(self, name):
        """Control points of the new strands in a scene file, m."""
        found = re.findall(r'<Curve name="belly_\d+"[^>]*>\s*<Points>([^<]*)', self.read(name))
        return [float(x) / 100 for text in found for x in text.split()]

    def test_without_a_listener_live_is_the_plain_run(self):
        process = self.live()
        process.stdin.close()
        lines = [json.loads(line) for line in process.stdout]
        self.assertEqual(process.wait(), 0)
        self.assertEqual([line["step"] for line in lines[:-1]], list(range(len(lines) - 1)))
        self.assertEqual(lines[0]["inputs"], [0] * 8)
        self.assertEqual(len(lines[0]["points"]), 8 * 8 * 3)
        self.assertTrue(lines[-2]["converged"])
        self.assertEqual(lines[-1]["steps"], lines[-2]["step"])
        shown, scene = lines[-2]["points"], self.read("full.scene.xml")
        for a, b in zip(shown, self.curves("full.scene.xml")):
            self.assertAlmostEqual(a, b, 8)
        self.fill()
        self.assertEqual(self.read("full.scene.xml"), scene)

    def test_parameters_change_while_it_runs(self):
        process = self.live()
        first = self.until(process, lambda line: line["converged"])[-1]
        self.say(process, stiffness=500.0, control_points=6)
        later = self.until(process, lambda line: line["converged"])[-1]
        self.assertGreater(later["step"], first["step"])
        self.assertEqual(later["control_points"], 6)
        self.assertEqual(len(later["points"]), 8 * 6 * 3)
        self.say(process, finish=True)
        report = self.until(process, lambda line: "model" in line)[-1]
        self.assertEqual(process.wait(), 0)
        self.assertEqual(report["strands"], 8)
        for a, b in zip(later["points"], self.curves("full.scene.xml")):
            self.assertAlmostEqual(a, b, 8)
        self.sinew("check", "full.muscle.xml")

    def test_pause_finish_and_wrong_lines(self):
        process = self.live("--stiffness", "0")
        self.until(process, lambda line: line["step"] == 2)
        self.say(process, pause=True)
        for text in ("nonsense\n", '{"stiffness": "high"}\n', '{"stiffness": -1}\n', '{"colour": 1}\n', "x" * 9000 + "\n", "{}\n"):
            process.stdin.write(text)
        self.say(process, finish=True)
        lines = [json.loads(line) for line in process.stdout]
        self.assertEqual(process.wait(), 0)
        self.assertEqual(lines[-1]["strands"], 8)
        notes = process.stderr.read()
        for word in ("nonsense", "high", "stiffness", "colour"):
            self.assertIn(word, notes)

    def test_cancel_writes_nothing(self):
        process = self.live()
        self.until(process, lambda line: line["step"] == 1)
        self.say(process, cancel=True)
        lines = [json.loads(line) for line in process.stdout]
        self.assertEqual(process.wait(), 1)
        self.assertEqual(lines[-1]["error"]["status"], "SN_CANCELLED")
        with self.assertRaises(FileNotFoundError):
            self.read("full.muscle.xml")


if __name__ == "__main__":
    unittest.main()
