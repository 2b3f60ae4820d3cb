# SPDX-License-Identifier: GPL-3.0-or-later
"""The skin of the finger over its tendons: base and deformed mesh, influence, cache and preview, against the command."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
import numpy

import common
import shot
from sinew import bake, capture, model, replay, scene_export, skin, spaces


def tube(scene, armature, rings=60, sides=24):
    """A closed sleeve about the finger, skinned to the nearest bones by Blender; a mesh that sinew knows nothing of."""
    matrix = spaces.world_from_model(scene, metres=True)
    points = numpy.concatenate([shot.strand_world(thing) for thing in model.strands(scene)])
    low, high = points.min(axis=0), points.max(axis=0)
    middle = (low + high) / 2
    ys = numpy.linspace(high[1] - 0.08, low[1] - 0.01, rings)
    vertices, faces = [], []
    for y in ys:
        near = points[numpy.abs(points[:, 1] - y) < 0.012]
        centre = near.mean(axis=0) if len(near) else middle
        reach = 0.9 * numpy.abs(near - centre)[:, [0, 2]].max() if len(near) else 0.01
        radius = max(0.006, reach)
        for k in range(sides):
            t = 2 * numpy.pi * k / sides
            vertices.append(matrix @ shot.Vector((centre[0] + radius * numpy.cos(t), y, centre[2] + radius * numpy.sin(t))))
    for i in range(rings - 1):
        for k in range(sides):
            a, b = i * sides + k, i * sides + (k + 1) % sides
            faces.append((a, b, b + sides, a + sides))
    faces.append(tuple(range(sides))[::-1])
    faces.append(tuple((rings - 1) * sides + k for k in range(sides)))
    data = bpy.data.meshes.new("skin")
    data.from_pydata([tuple(v) for v in vertices], [], faces)
    thing = bpy.data.objects.new("skin", data)
    scene.collection.objects.link(thing)
    for body in model.bodies(scene):
        thing.vertex_groups.new(name=body.bone)
    heads = {b.name: armature.matrix_world @ ((b.head_local + b.tail_local) / 2) for b in armature.data.bones}
    for vertex in data.vertices:
        nearest = min(heads, key=lambda name: (heads[name] - vertex.co).length)
        thing.vertex_groups[nearest].add([vertex.index], 1.0, "REPLACE")
    modifier = thing.modifiers.new("Armature", "ARMATURE")
    modifier.object = armature
    scene.sinew.skin = thing
    bpy.context.view_layer.update()
    return thing


class Skin(shot.Shot):
    def setUp(self):
        super().setUp()
        self.base = tube(self.scene, self.armature)
        self.assertEqual(bpy.ops.sinew.track(), {"FINISHED"})

    def test_cache_is_what_the_command_gives(self):
        expected, base = self.expected_skin()
        self.assertGreater(numpy.abs(expected - base).max(), 3e-4)  # tendons show
        self.assertEqual(bpy.ops.sinew.skin_cache(), {"FINISHED"})
        self.assert_skin(expected)
        self.assertTrue(self.base.hide_render)
        self.assertFalse(self.skin.deformed.hide_render)

    def test_strands_as_point_caches_give_the_same_skin(self):
        expected, _ = self.expected_skin()
        self.settings.strands = "CACHE"
        bpy.ops.sinew.bake()
        self.assertEqual(bpy.ops.sinew.skin_cache(), {"FINISHED"})
        self.assert_skin(expected)

    def test_preview_is_the_frame_of_the_cache(self):
        bpy.ops.sinew.skin_cache()
        cached = {}
        for number in (1, 7, 12):
            self.scene.frame_set(number)
            cached[number] = self.shown()
        for number in (1, 7, 12):
            self.scene.frame_set(number)
            self.assertEqual(bpy.ops.sinew.skin_preview(), {"FINISHED"})
            bpy.context.view_layer.update()
            self.assertLess(numpy.abs(self.shown() - cached[number]).max(), 2e-6)
        bpy.ops.sinew.skin_cache()  # plays again
        self.assertTrue(self.skin.deformed.modifiers[0].show_viewport)

    def test_prominence_and_shape(self):
        def highest():
            bpy.ops.sinew.skin_preview()
            return numpy.linalg.norm(capture.vertices(self.skin.deformed.data) - plain, axis=1).max()
        self.scene.frame_set(6)
        plain = self.plain()
        self.skin.belly = 0
        usual = highest()
        self.skin.prominence = 2
        self.assertAlmostEqual(highest() / usual, 2, 2)
        self.skin.prominence = 0
        self.assertLess(highest(), 1e-6)
        self.skin.prominence = 1
        self.scene.sinew.model.skin_a = 0.5
        self.assertAlmostEqual(highest() / usual, 0.5, 2)
        self.scene.sinew.model.skin_a = 1
        self.scene.sinew.model.skin_c = 0.0
        self.assertLess(highest(), usual)

    def plain(self):
        """The base in this frame, in the model's metres and axes."""
        to_model = capture.array(spaces.model_from_world(self.scene, metres=True))
        hidden = self.base.hide_get()
        self.base.hide_set(False)
        self.scene.frame_set(self.scene.frame_current)
        points = bake.apply_matrix(to_model @ capture.array(self.base.matrix_world), self.shown(self.base))
        self.base.hide_set(hidden)
        return points

    def moved(self):
        bpy.ops.sinew.skin_preview()
        return numpy.linalg.norm(capture.vertices(self.skin.deformed.data) - self.plain(), axis=1)

    def test_painted_influence(self):
        """Only what is red moves; half red moves half as far."""
        self.scene.frame_set(6)
        count, data = len(self.base.data.vertices), self.base.data
        self.skin.belly = 0
        for domain in ("POINT", "CORNER"):
            data.color_attributes.new("full " + domain, "FLOAT_COLOR", domain)
            layer = data.attributes["full " + domain].data
            layer.foreach_set("color", [1.0] * 4 * len(layer))
        self.skin.source, self.skin.attribute = "COLOUR", "full POINT"
        full = self.moved()
        self.skin.attribute = "full CORNER"
        self.assertLess(numpy.abs(self.moved() - full).max(), 1e-6)
        half = numpy.where(numpy.arange(count) < count // 2, 0.5, 0.0)
        data.color_attributes.new("half", "FLOAT_COLOR", "POINT")
        data.attributes["half"].data.foreach_set("color", numpy.column_stack([half, half * 0, half * 0 + 1, half]).ravel().astype(numpy.float32))
        self.skin.attribute = "half"
        self.assertTrue((capture.influence(self.base, "COLOUR", "half") == half).all())
        self.assertLess(numpy.abs(self.moved() - half * full).max(), 2e-6)
        group = self.base.vertex_groups.new(name="tendons")
        group.add(list(range(count // 2)), 0.5, "REPLACE")
        self.skin.source, self.skin.group = "GROUP", "tendons"
        self.assertLess(numpy.abs(self.moved() - half * full).max(), 2e-6)
        self.skin.group = "nothing"
        with self.assertRaisesRegex(RuntimeError, "no vertex group nothing"):
            bpy.ops.sinew.skin_preview()

    def test_subdivision_comes_behind_the_bulge(self):
        self.base.modifiers.new("finer", "SUBSURF").levels = 2
        bpy.ops.sinew.skin_cache()
        thing = self.skin.deformed
        self.assertEqual([m.type for m in thing.modifiers], ["MESH_CACHE", "SUBSURF"])
        self.assertEqual(thing.modifiers[1].levels, 2)
        self.assertEqual(len(thing.data.vertices), len(self.base.data.vertices))
        self.assertTrue(self.base.modifiers["finer"].show_viewport)
        self.assertGreater(len(self.shown()), 4 * len(thing.data.vertices))

    def test_own_range(self):
        expected, _ = self.expected_skin()
        self.skin.own_range, self.skin.frame_start, self.skin.frame_end = True, 4, 9
        bpy.ops.sinew.skin_cache()
        self.assertEqual(len(replay.read_pc2(self.skin.deformed.modifiers[0].filepath)), 6)
        for number in (4, 9):
            self.scene.frame_set(number)
            self.assertLess(numpy.abs(self.shown() - expected[number - 1]).max(), 1e-5)

    def test_edited_keys_count(self):
        """A tendon that the animator lifts by hand lifts the skin."""
        self.scene.frame_set(6)
        before = self.moved()
        thing = model.strands(self.scene)[-1]
        for curve in thing.data.animation_data.action.fcurves:
            if curve.data_path.endswith("co"):
                for key in curve.keyframe_points:
                    key.co.y += 0.001
                curve.update()
        self.scene.frame_set(6)
        self.assertGreater(numpy.abs(self.moved() - before).max(), 1e-5)

    def test_clear_leaves_nothing(self):
        before = shot.snapshot()
        meshes = len(bpy.data.meshes)
        bpy.ops.sinew.skin_cache()
        self.assertEqual(len(bpy.data.meshes), meshes + 1)
        self.assertEqual(bpy.ops.sinew.skin_clear(), {"FINISHED"})
        self.assertFalse(self.base.hide_render or self.base.hide_get())
        self.scene.frame_set(1)
        self.assert_same(before, shot.snapshot())

    def test_failures_change_nothing(self):
        before = shot.snapshot()
        self.skin.source, self.skin.attribute = "COLOUR", "nothing"
        with self.assertRaisesRegex(RuntimeError, "no colour attribute nothing"):
            bpy.ops.sinew.skin_cache()
        self.skin.source = "NEAR"
        self.skin.own_range, self.skin.frame_start, self.skin.frame_end = True, 9, 3
        with self.assertRaisesRegex(RuntimeError, "no frames"):
            bpy.ops.sinew.skin_cache()
        self.assert_same(before, shot.snapshot())

    def test_save_and_reload(self):
        bpy.ops.wm.save_as_mainfile(filepath=self.path("shot.blend"))
        self.scene.sinew.folder = "//files"
        bpy.ops.sinew.skin_cache()
        self.assertTrue(self.skin.deformed.modifiers[0].filepath.startswith("//"))
        self.scene.frame_set(8)
        seen = self.shown()
        bpy.ops.wm.save_mainfile()
        bpy.ops.wm.open_mainfile(filepath=self.path("shot.blend"))
        self.take_scene()
        self.scene.frame_set(8)
        self.assertTrue((self.shown() == seen).all())


if __name__ == "__main__":
    common.main()
