# SPDX-License-Identifier: GPL-3.0-or-later
"""Bellies that are meshes: they keep their shape at rest and their volume as strands shorten, follow a
baked replay, and are hidden again after clearing."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
import numpy

import common

common.enable()

from sinew import bake, bellies, model, results, scene_import


def spindle(length, radius, rings=24, around=12):
    """A closed mesh about the x axis: vertices, triangles."""
    vertices = [(0, 0, 0)]
    for i in range(1, rings):
        r = radius * numpy.sin(numpy.pi * i / rings)
        for k in range(around):
            a = 2 * numpy.pi * k / around
            vertices.append((length * i / rings, r * numpy.cos(a), r * numpy.sin(a)))
    vertices.append((length, 0, 0))
    faces = []
    last = len(vertices) - 1
    for k in range(around):
        n = (k + 1) % around
        faces.append((0, 1 + n, 1 + k))
        faces.append((last, last - around + k, last - around + n))
        for i in range(rings - 2):
            a, b = 1 + i * around + k, 1 + i * around + n
            faces += [(a, b, b + around), (a, b + around, a + around)]
    return numpy.array(vertices, dtype=float), numpy.array(faces)


def volume(vertices, faces):
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return abs(numpy.einsum("ij,ij->", a, numpy.cross(b, c)) / 6)


class Shapes(common.Case):
    def setUp(self):
        super().setUp()
        self.rest = numpy.linspace((-0.02, 0, 0), (0.22, 0, 0), 9)
        self.vertices, self.faces = spindle(0.2, 0.02)

    def test_drawn_shape_is_kept(self):
        found = bellies.shapes(self.vertices, self.rest, self.rest[None])[0]
        self.assertLess(numpy.abs(found - self.vertices).max(), 1e-9)

    def test_rigid_motion_moves_it_rigidly(self):
        turn = numpy.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])
        found = bellies.shapes(self.vertices, self.rest, (self.rest @ turn.T + 0.1)[None])[0]
        edges = self.faces[:, :2]
        before = numpy.linalg.norm(numpy.subtract(*self.vertices[edges.T]), axis=-1)
        after = numpy.linalg.norm(numpy.subtract(*found[edges.T]), axis=-1)
        self.assertLess(numpy.abs(before - after).max(), 1e-9)
        self.assertLess(numpy.abs(found[:, 1].max() - 0.3), 1e-9)

    def test_volume_stays_as_it_shortens(self):
        short = self.rest * (0.8, 1, 1)
        found = bellies.shapes(self.vertices, self.rest, short[None])[0]
        self.assertGreater(found[:, 1].max(), 1.1 * self.vertices[:, 1].max())
        self.assertLess(abs(volume(found, self.faces) / volume(self.vertices, self.faces) - 1), 0.02)

    def test_basis_sums_to_one_and_slopes_are_derivatives(self):
        weight, slope = bellies.basis(9)
        self.assertLess(numpy.abs(weight.sum(1) - 1).max(), 1e-9)
        difference = (weight[2:] - weight[:-2]) * (bellies.RINGS - 1) / 2
        self.assertLess(numpy.abs(slope[1:-1] - difference).max(), 0.05 * numpy.abs(slope).max())


class Hand(common.Case):
    def test_replay_moves_bellies(self):
        common.sinew("track", "hand", "fist", "-o", self.path("fist"), "--end", "0.6")
        scene_import.import_model(bpy.context, scene_import.shipped_model(bpy.context, "hand"), "fist")
        scene = bpy.context.scene
        pairs = bellies.of(scene)
        self.assertGreater(len(pairs), 50)
        drawn = {mesh.name: bellies._vertices(mesh.data) for _, mesh in pairs}
        self.assertEqual(bpy.ops.sinew.import_replay(filepath=self.path("fist.replay.xml")), {"FINISHED"})
        strand, mesh = next((s, m) for s, m in pairs if model.name_of(s) == "FDP3")
        self.assertFalse(mesh.hide_viewport or mesh.hide_render)
        scene.frame_set(scene.frame_start + 20)
        graph = bpy.context.evaluated_depsgraph_get()
        moved = bellies._vertices(mesh.evaluated_get(graph).data)
        away = numpy.linalg.norm(moved - drawn[mesh.name], axis=-1)
        self.assertTrue(numpy.isfinite(moved).all())
        self.assertGreater(away.max(), 2e-4)  # the flexors shorten
        self.assertLess(away.max(), 0.05)
        faces = numpy.array([tuple(p.vertices)[:3] for p in mesh.data.polygons])
        ratio = volume(moved, faces) / volume(drawn[mesh.name], faces)
        print(f"FDP3's belly at frame 20: moved {1e3 * away.max():.2f} mm, volume {ratio:.4f} of the drawn one")
        self.assertLess(abs(ratio - 1), 0.1)
        self.assertTrue(results.clear(scene))
        self.assertTrue(mesh.hide_viewport)
        self.assertNotIn(bellies.SHOWN, mesh)
        self.assertIsNone(mesh.modifiers.get(bake.MODIFIER))


if __name__ == "__main__":
    common.main()
