# SPDX-License-Identifier: GPL-3.0-or-later
"""Baking arrays onto curves: every control point on every frame, and nothing left after clearing."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
import numpy

import common

sys.path.insert(0, os.path.join(common.SOURCE, "blender"))

from sinew import bake, replay


def make_strand(name, points, location=(0, 0, 0)):
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    curve.bevel_depth = 0.002
    spline = curve.splines.new("NURBS")
    spline.points.add(len(points) - 1)
    for place, point in zip(spline.points, points):
        place.co = (*point, 1)
    spline.order_u, spline.use_endpoint_u = 4, True
    thing = bpy.data.objects.new(name, curve)
    thing.location = location
    bpy.context.scene.collection.objects.link(thing)
    return thing


def motion(frames, points, seed=1):
    """A smooth motion of points about a line."""
    random = numpy.random.default_rng(seed)
    line = numpy.linspace((0, 0, 0), (0.3, 0.05, 0), points)
    phase, size = random.uniform(0, 6, (points, 3)), random.uniform(0.002, 0.02, (points, 3))
    return line + size * numpy.sin(phase + 0.2 * numpy.arange(frames)[:, None, None])


def snapshot():
    """All that a bake could leave behind."""
    things = {}
    for thing in bpy.data.objects:
        points, radii = bake.current_points(thing)
        things[thing.name] = (points.tobytes(), radii.tobytes(), tuple(thing.color), sorted(thing.keys()),
                              sorted(thing.data.keys()), len(thing.modifiers), thing.animation_data is None,
                              thing.data.animation_data is None)
    return things, sorted(action.name for action in bpy.data.actions)


class Points(common.Case):
    def setUp(self):
        super().setUp()
        self.frames = numpy.arange(1, 41)
        self.points = motion(40, 9)
        self.thing = make_strand("FDP2", self.points[0] + 0.001)
        bpy.context.view_layer.update()

    def shape(self, thing=None):
        graph = bpy.context.evaluated_depsgraph_get()
        shown = (thing or self.thing).evaluated_get(graph)
        mesh = shown.to_mesh()
        points = numpy.array(common.points_of(mesh))
        shown.to_mesh_clear()
        return points

    def test_curves_hold_every_point_on_every_frame(self):
        bake.bake_strand_curves(self.thing, self.frames, self.points)
        for number in self.frames:
            bpy.context.scene.frame_set(int(number))
            found, _ = bake.current_points(self.thing.evaluated_get(bpy.context.evaluated_depsgraph_get()))
            self.assertLess(numpy.abs(found - self.points[number - 1]).max(), 1e-6)

    def test_cache_gives_the_shape_of_the_curves(self):
        other = make_strand("other", self.points[0])
        bake.bake_strand_curves(self.thing, self.frames, self.points)
        bake.bake_strand_cache(other, self.frames, self.points, self.path("other.pc2"))
        self.assertLess(numpy.abs(replay.read_pc2(self.path("other.pc2")) - self.points).max(), 1e-6)
        for number in self.frames:
            bpy.context.scene.frame_set(int(number))
            self.assertLess(numpy.abs(self.shape() - self.shape(other)).max(), 1e-6)

    def test_cache_at_another_rate(self):
        """Samples half a frame apart from frame 10 on."""
        frames = 10 + 0.5 * numpy.arange(40)
        bake.bake_strand_cache(self.thing, frames, self.points, self.path("a.pc2"))
        other = make_strand("other", self.points[0])
        bake.bake_strand_curves(other, frames, self.points)
        for number in (10, 14, 20, 29):
            bpy.context.scene.frame_set(number)
            self.assertLess(numpy.abs(self.shape() - self.shape(other)).max(), 1e-6)

    def test_rest_is_the_shape_before_any_bake(self):
        before, radii = bake.current_points(self.thing)
        for seed in (1, 2):
            bake.bake_strand_curves(self.thing, self.frames, motion(40, 9, seed), numpy.tile(radii * 2, (40, 1)))
            bpy.context.scene.frame_set(20)
            points, kept = bake.rest_points(self.thing)
            self.assertTrue((points == before).all() and (kept == radii).all())

    def test_clear_leaves_nothing(self):
        self.thing.color = (0.2, 0.3, 0.4, 1)
        before = snapshot()
        levels = numpy.linspace(0, 1, 40)
        for again in range(2):  # the second bake goes over the first
            bake.bake_strand_curves(self.thing, self.frames, self.points, numpy.outer(1 + levels, numpy.ones(9)))
            bake.bake_activation(self.thing, self.frames, levels)
        bake.bake_strand_cache(self.thing, self.frames, self.points, self.path("a.pc2"))
        bpy.context.scene.frame_set(30)
        self.assertGreater(self.thing["activation"], 0.5)
        self.assertGreater(self.thing.color[0], 0.6)
        self.assertEqual(len(bpy.data.actions), 2)
        bake.clear_strand(self.thing)
        bpy.context.scene.frame_set(31)
        self.assertEqual(snapshot(), before)

    def test_keys_of_the_user_stay(self):
        self.thing.location.x = 1
        self.thing.keyframe_insert("location", frame=1)
        bake.bake_activation(self.thing, self.frames, numpy.linspace(0, 1, 40))
        self.assertEqual(len(self.thing.animation_data.action.fcurves), 3 + 4)
        bake.clear_strand(self.thing)
        self.assertEqual({c.data_path for c in self.thing.animation_data.action.fcurves}, {"location"})

    def test_wrong_number_of_points_is_refused(self):
        before = snapshot()
        with self.assertRaisesRegex(bake.BakeError, "9 control points, but 7 in the replay"):
            bake.bake_strand_curves(self.thing, self.frames, self.points[:, :7])
        self.assertEqual(snapshot(), before)

    def test_belly_keeps_its_volume(self):
        rest = numpy.linspace((0, 0, 0), (1, 0, 0), 11)
        half = rest[None] * 0.5
        radii = bake.belly_radii(half, rest, numpy.ones(11), 0.2, 0.7)
        self.assertTrue(numpy.allclose(radii[0, 2:8] ** 2 * 0.5, 1))
        self.assertTrue((radii[0, [0, 1, 8, 9, 10]] == 1).all())

    def test_quaternions_and_matrices_agree(self):
        random = numpy.random.default_rng(3)
        poses = random.normal(size=(50, 7))
        m = bake.pose_matrices(poses)
        self.assertTrue(numpy.allclose(m[:, :3, :3] @ m[:, :3, :3].transpose(0, 2, 1), numpy.eye(3)))
        self.assertTrue(numpy.allclose(numpy.linalg.det(m), 1))
        back = bake.pose_matrices(numpy.column_stack([poses[:, :3], bake.quaternions(m)]))
        self.assertTrue(numpy.allclose(back, m, atol=1e-6))


if __name__ == "__main__":
    common.main()
