# SPDX-License-Identifier: GPL-3.0-or-later
"""A small shot for tests: the finger, imported and moved, and what a bake could leave behind."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
import numpy

import common

common.enable()

from mathutils import Vector

from sinew import bake, capture, model, prefs, properties, replay, scene_export, scene_import, spaces


def finger(case, frames=12, keyed=True):
    """Brings in the finger; its last bones bend. Returns the armature."""
    path = case.path("finger.muscle.xml")
    if not os.path.exists(path):
        common.sinew("convert", "finger", path)
    scene = bpy.context.scene
    scene.render.fps = 50
    scene_import.import_model(bpy.context, path)
    scene.sinew.folder = case.path("files")
    scene.frame_start, scene.frame_end = 1, frames
    armature = next(body.object for body in model.bodies(scene) if body.bone)
    if keyed:
        bend(armature, frames)
    scene.frame_set(1)
    return armature


def bend(armature, frames, angle=0.35):
    """Keys on the bones of all joints, from rest to bent."""
    for pose in armature.pose.bones:
        if pose.parent:
            pose.keyframe_insert("rotation_quaternion", frame=1)
            pose.rotation_quaternion = (numpy.cos(angle / 2), 0, 0, numpy.sin(angle / 2))
            pose.keyframe_insert("rotation_quaternion", frame=frames)


def replay_of(scene):
    return replay.read(bpy.path.abspath(scene.sinew.replay))


def strand_world(thing):
    """Control points in the model's metres and axes, as evaluated; from F-curves."""
    graph = bpy.context.evaluated_depsgraph_get()
    shown = thing.evaluated_get(graph)
    points, _ = bake.current_points(shown)
    matrix = spaces.model_from_world(bpy.context.scene, metres=True) @ shown.matrix_world
    return bake.apply_matrix(numpy.array(matrix, dtype=float), points)


def body_world(body):
    """4 x 4 of a body in the model's metres and axes, without scale."""
    graph = bpy.context.evaluated_depsgraph_get()
    matrix = spaces.model_from_world(bpy.context.scene, metres=True) @ body.world(graph)
    place, turn, _ = matrix.decompose()
    return numpy.array([*place, *turn])


def snapshot():
    """All that a run or a bake could change or leave behind, as something that can be compared."""
    scene = bpy.context.scene
    found = {"actions": sorted((a.name, a.users, a.use_fake_user, len(a.fcurves)) for a in bpy.data.actions),
             "frame": (scene.frame_current, scene.frame_start, scene.frame_end), "replay": scene.sinew.replay,
             "counts": {name: len(getattr(bpy.data, name)) for name in
                        ("objects", "meshes", "curves", "armatures", "materials", "collections", "scenes")}}
    for thing in scene.objects:
        if thing.sinew.kind in properties.CONSTRAINTS:
            continue  # markers follow their strands
        row = [tuple(round(x, 6) for line in thing.matrix_world for x in line), tuple(thing.color),
               sorted(key for key in thing.keys() if key != "sinew"),
               [(m.type, m.name) for m in thing.modifiers], [(c.name, c.mute) for c in thing.constraints],
               thing.animation_data and thing.animation_data.action and thing.animation_data.action.name]
        if thing.type == "CURVE":
            points, radii = bake.current_points(thing)
            row += [points.tobytes(), radii.tobytes(), sorted(thing.data.keys()), thing.data.animation_data is None]
        if thing.type == "ARMATURE":
            row += [tuple(round(x, 5) for pose in thing.pose.bones for line in pose.matrix_basis for x in line)]
        found[thing.name] = row
    return found


def difference(a, b):
    """What differs, for messages."""
    return {key: (a.get(key), b.get(key)) for key in {*a, *b} if a.get(key) != b.get(key)}


class Take(common.Case):
    """A test with a model that moves in the scene: what is baked, and its skin."""
    maxDiff = None

    def setUp(self):
        super().setUp()
        prefs._found.clear()

    def take_scene(self):
        self.scene = bpy.context.scene
        self.settings, self.skin = self.scene.sinew_run, self.scene.sinew_skin

    def frames(self):
        return range(self.scene.frame_start, self.scene.frame_end + 1)

    def assert_same(self, before, after):
        self.assertEqual(difference(before, after), {})

    def assert_baked(self, tolerance=1e-6):
        """The strands are where the replay says, on every frame."""
        found = replay_of(self.scene)
        worst = 0
        for i in range(len(found.time)):
            self.scene.frame_set(self.scene.frame_start + i)
            for thing in model.strands(self.scene):
                points = found.strand(model.name_of(thing))[i]
                worst = max(worst, numpy.abs(strand_world(thing) - points).max())
        self.assertLess(worst, tolerance)
        return found

    # ---- the skin: self.base is its mesh

    def shown(self, thing=None):
        graph = bpy.context.evaluated_depsgraph_get()
        return capture.vertices((thing or self.skin.deformed).evaluated_get(graph).data)

    def expected_skin(self, *more):
        """What the command gives for the same strands and the base as Blender shows it, frame by frame, and that base."""
        folder = self.path("by hand")
        os.makedirs(folder, exist_ok=True)
        path = scene_export.export_model(bpy.context, folder, "model")["muscle"]
        to_model = capture.array(spaces.model_from_world(self.scene, metres=True))
        shapes = []
        for number in self.frames():
            self.scene.frame_set(number)
            shapes.append(bake.apply_matrix(to_model @ capture.array(self.base.matrix_world), self.shown(self.base)))
        replay.write_pc2(os.path.join(folder, "base.pc2"), numpy.array(shapes))
        common.sinew("skin", path, bpy.path.abspath(self.scene.sinew.replay), "-o", os.path.join(folder, "out.pc2"), "--base",
                     os.path.join(folder, "base.pc2"), *more)
        return replay.read_pc2(os.path.join(folder, "out.pc2")), numpy.array(shapes)

    def assert_skin(self, expected, tolerance=1e-5, apart=0):
        """The deformed mesh is where the command put it, on every frame, but for so many vertices (0.2 mm at most)."""
        for number, shape in zip(self.frames(), expected):
            self.scene.frame_set(number)
            off = numpy.abs(self.shown() - shape).max(axis=1)
            self.assertLessEqual((off >= tolerance).sum(), apart, f"frame {number}: {off.max()}")
            self.assertLess(off.max(), 2e-4 if apart else tolerance)


class Shot(Take):
    """A test with the finger in the scene."""

    def setUp(self):
        super().setUp()
        self.armature = finger(self)
        self.take_scene()
