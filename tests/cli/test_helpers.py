"""What helps while building a model: masses, mirroring, going back to plain nodes, force-length curves."""
import math
import os
import re
import unittest

from common import Case

BOX = """<ModelerScene version="1" units="cm">
  <Group name="brick" translate="0 50 0">
    <Mesh name="brick_mesh" translate="3 0 0">
      <Vertices>-2 -1 -3  2 -1 -3  2 1 -3  -2 1 -3  -2 -1 3  2 -1 3  2 1 3  -2 1 3</Vertices>
      <Triangles>0 3 2 0 2 1 4 5 6 4 6 7 0 1 5 0 5 4 2 3 7 2 7 6 0 4 7 0 7 3 1 2 6 1 6 5</Triangles>
    </Mesh>
  </Group>
  <Group name="rod"/>
  <Group name="base"/>
  <Locator name="hinge" translate="0 50 0"/>
  <Locator name="hinge2" translate="0 10 0"/>
  <Curve name="cord"><Points>0 0 0  1 15 0  1 35 0  3 50 0</Points></Curve>
  <Curve name="rope"><Points>0 0 1  1 15 1  1 35 1  3 50 1</Points></Curve>
</ModelerScene>
"""
MUSCLE = """<Muscle version="1" scene="box.scene.xml">
  <RigidBody name="brick" density="2000"/>
  <RigidBody name="rod" mass_from="cylinder" radius="0.02" length="0.3" density="1500"/>
  <RigidBody name="base" pinned="true"/>
  <Joint name="hinge" type="hinge" body_a="base" body_b="brick" stiffness="5 0 0" damping="0.2 0 0"/>
  <Joint name="hinge2" type="hinge" body_a="base" body_b="rod" stiffness="5 0 0" damping="0.2 0 0"/>
  <Strand name="cord" radius="0.004" passive_fl="toe"/>
  <Strand name="rope" radius="0.004" active_fl="hill-active"/>
  <MuscleGroup name="both" strands="cord rope"/>
  <Constraint name="cord.a" strand="cord" position="0" attachment="base"/>
  <Constraint name="cord.b" strand="cord" position="1" attachment="brick"/>
  <Constraint name="rope.a" strand="rope" position="0" attachment="base"/>
  <Constraint name="rope.b" strand="rope" position="1" attachment="brick"/>
  <ForceLength name="toe"><Stretch>0.9 1 1.1 1.3</Stretch><Force>0 0 0.1 1</Force></ForceLength>
  <Function name="pull" muscles="both" levels="0.5"/>
</Muscle>
"""


class Helpers(Case):
    def setUp(self):
        super().setUp()
        self.write("box.scene.xml", BOX)
        self.write("box.muscle.xml", MUSCLE)

    def test_masses_from_meshes_and_as_a_cylinder(self):
        bodies = {b["body"]: b for b in self.json("info", "box.muscle.xml", "--mass")["masses"]}
        brick, rod = bodies["brick"], bodies["rod"]
        mass = 2000 * 0.04 * 0.02 * 0.06
        self.assertAlmostEqual(brick["mass"], mass, delta=1e-10)
        for a, b in zip(brick["center"], [0.03, 0, 0]):
            self.assertAlmostEqual(a, b, delta=1e-10)
        wanted = [mass / 12 * (a * a + b * b) for a, b in [(0.02, 0.06), (0.04, 0.06), (0.04, 0.02)]]
        for k in range(9):
            self.assertAlmostEqual(brick["inertia"][k], wanted[k // 4] if k % 4 == 0 else 0, delta=1e-10)
        self.assertEqual((brick["from"], rod["from"]), ("meshes", "cylinder"))
        mass = 1500 * math.pi * 0.02 ** 2 * 0.3
        self.assertAlmostEqual(rod["mass"], mass, delta=1e-10)
        self.assertAlmostEqual(rod["inertia"][4], mass * 0.02 ** 2 / 2, delta=1e-10)
        self.assertAlmostEqual(rod["inertia"][0], mass * (3 * 0.02 ** 2 + 0.3 ** 2) / 12, delta=1e-10)
        self.assertIn("centre of mass", self.sinew("info", "box.muscle.xml", "--mass").stdout)

    def test_mirrored_twice_is_the_same_and_moves_the_same(self):
        before = self.read("box.scene.xml")
        self.sinew("convert", "box.muscle.xml", "one.muscle.xml")
        self.sinew("convert", "box.muscle.xml", "left.muscle.xml", "--mirror", "x")
        self.sinew("convert", "left.muscle.xml", "two.muscle.xml", "--mirror", "x")
        self.assertEqual(self.read("box.scene.xml"), before)  # the scene that was read is not written over
        tables = []
        for name in ("one", "left", "two"):
            self.sinew("simulate", f"{name}.muscle.xml", "-o", name, "--time", 0.3, "--function", "pull=1")
            names, rows = self.read_sto(f"{name}.sto")
            tables.append([row[names.index("coordinate/hinge.0")] for row in rows])
        self.assertGreater(max(abs(v) for v in tables[0]), 0.01)
        for a, b, c in zip(*tables):
            self.assertAlmostEqual(a, b, delta=1e-6)
            self.assertAlmostEqual(a, c, delta=1e-6)
        places = [[float(x) for x in body.split()] for name in ("one", "left", "two")
                  for body in [re.search(r"<Bodies>\s*(.*?)\s*</Bodies>", self.read(f"{name}.replay.xml"), re.S).group(1)]]
        for i in (0, 7, 14):  # x of each body changes its sign, and back
            self.assertAlmostEqual(places[0][i], -places[1][i], delta=1e-9)
            self.assertAlmostEqual(places[0][i], places[2][i], delta=1e-9)

    def test_primitives_become_plain_nodes(self):
        answer = self.json("convert", "box.muscle.xml", "less.muscle.xml", "--plain", "rope rod")
        self.assertEqual((answer["bodies"], answer["strands"]), (2, 1))
        text = self.read("less.muscle.xml")
        for gone in ["rope", 'name="rod"', "hinge2"]:
            self.assertNotIn(gone, text)
        self.assertIn('strands="cord"', text)
        self.assertIn('<Curve name="rope"', self.read("less.scene.xml"))
        self.sinew("check", "less.muscle.xml")
        self.sinew("convert", "box.muscle.xml", "none.muscle.xml", "--plain", "cord,rope")
        text = self.read("none.muscle.xml")
        for gone in ["MuscleGroup", "<Function", "<Constraint", "<Strand"]:
            self.assertNotIn(gone, text)
        self.sinew("check", "none.muscle.xml")
        self.assertIn("nobody", self.sinew("convert", "box.muscle.xml", "x.muscle.xml", "--plain", "nobody", code=3).stderr)
        self.assertNotIn("x.muscle.xml", os.listdir(self.folder))

    def test_a_scene_alone(self):
        self.assertEqual(self.json("convert", "box.muscle.xml", "plain.scene.xml")["nodes"], 8)
        self.assertNotIn("plain.muscle.xml", os.listdir(self.folder))
        self.assertIn('<Curve name="cord"', self.read("plain.scene.xml"))
        self.assertEqual(self.json("info", "plain.scene.xml")["strands"], 0)

    def test_force_length_curves(self):
        answer = self.json("plot", "box.muscle.xml", "--what", "force-length", "-o", "laws.svg")
        self.assertEqual(answer["channels"], ["toe", "shift", "linear", "hill-active"])
        answer = self.json("plot", "hill-active,hill-passive,quadratic-active", "--what", "force-length", "-o", "laws.png")
        self.assertEqual(len(answer["channels"]), 3)
        self.write("mine.csv", "# a curve\nstretch,force\n0.8,0\n1,0\n1.2,0.3\n1.4,1\n")
        self.assertEqual(self.json("plot", "mine.csv", "--what", "force-length", "-o", "mine.svg")["channels"], ["mine.csv"])
        self.write("bad.csv", "stretch,force\n1,0\n0.9,0\n")
        self.assertIn("does not come after", self.sinew("plot", "bad.csv", "--what", "force-length", "-o", "x.svg", code=3).stderr)
        self.write("worse.csv", "1,0\n1.1,x\n")
        self.assertIn("worse.csv:2", self.sinew("plot", "worse.csv", "--what", "force-length", "-o", "x.svg", code=3).stderr)


if __name__ == "__main__":
    unittest.main()
