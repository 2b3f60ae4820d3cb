# SPDX-License-Identifier: GPL-3.0-or-later
"""Units, axes, scaled and rotated parents: the same arm in other clothes is the same model with the same motion."""
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
from mathutils import Euler, Matrix, Quaternion, Vector

import common
import scenes

common.enable()

from sinew import files, model, scene_export, scene_import, spaces

FRAMES = 12


def animate(bones):
    """The lower arm bends by 40 degrees and comes back."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    thing = bpy.data.objects["rig"].pose.bones["lower"] if bones else bpy.data.objects["lower"]
    thing.rotation_mode = "XYZ"
    for frame in range(1, FRAMES + 1):
        angle = math.radians(40) * math.sin(math.pi * (frame - 1) / (FRAMES - 1)) ** 2
        thing.rotation_euler = (0, 0, angle) if bones else (0, -angle, 0)
        thing.keyframe_insert("rotation_euler", frame=frame)


def clothe(matrix, unit=None):
    """Everything below an empty with this matrix, in a scene with another unit: nothing moves in metres."""
    scene = bpy.context.scene
    tops = [thing for thing in scene.objects if thing.parent is None]
    empty = bpy.data.objects.new("parent", None)
    scene.collection.objects.link(empty)
    empty.matrix_world = matrix
    for thing in tops:
        thing.parent = empty
        thing.matrix_parent_inverse = matrix.inverted()
    if unit:
        scene.unit_settings.system = "METRIC"
        scene.unit_settings.scale_length = unit
        top = bpy.data.objects.new("top", None)
        scene.collection.objects.link(top)
        empty.parent = top
        top.scale = (1 / unit,) * 3
    bpy.context.view_layer.update()


def world_points(root, name):
    """Points of a strand in metres in the world of the model."""
    frames = {}
    for node, parent in root.walk():
        if node is root:
            continue
        above = frames.get(parent.name, Matrix())
        frames[node.name] = above @ Matrix.LocRotScale(node.get("translate"), Quaternion(node.get("rotate")), node.get("scale"))
        if node.name == name:
            points = node.values.get("Points") or node.values.get("Vertices")
            unit = spaces.METRES[root.get("units")]
            return [unit * c for i in range(0, len(points), 3) 
                    for c in frames[name] @ Vector(points[i:i + 3])]
    raise AssertionError(name)


class Clothes(common.Case):
    def result(self, name):
        paths = scene_export.export_model(bpy.context, self.path(name), "arm")
        control = self.path(name + ".control.xml")
        scene_export.export_motion(bpy.context, control)
        return files.read_scene(paths["scene"]), files.read_motion(control), paths["muscle"]

    def assert_same(self, first, second, tolerance=1e-6, turn=None):
        scene_a, motion_a, _ = first
        scene_b, motion_b, _ = second
        for name in ("tendon",):
            self.assertLess(common.farthest(world_points(scene_a, name), world_points(scene_b, name)), tolerance)
        self.assertEqual(motion_a.names, motion_b.names)
        self.assertEqual(len(motion_a.times), FRAMES)
        for a, b in zip(motion_a.poses, motion_b.poses):
            for i in range(0, len(a), 7):
                self.assertLess(common.farthest(a[i:i + 3], b[i:i + 3]), tolerance)
                dot = abs(sum(p * q for p, q in zip(a[i + 3:i + 7], b[i + 3:i + 7])))
                self.assertLess(1 - dot, 1e-11)

    def test_moved_to(self):
        """The motion really bends the arm, and the bone stays in its joint."""
        for bones in (False, True):
            bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
            scenes.arm(bones)
            animate(bones)
            _, motion, _ = self.result(f"plain{bones}")
            i = motion.names.index("lower")
            middle = motion.poses[FRAMES // 2][7 * i:7 * i + 7]
            self.assertLess(max(abs(x) for x in middle[:3]), 1e-6)
            rest = motion.poses[0][7 * i + 3:7 * i + 7]
            turned = 2 * math.degrees(math.acos(min(1, abs(sum(a * b for a, b in zip(rest, middle[3:]))))))
            self.assertGreater(turned, 30)

    def test_centimetres_scaled_and_rotated_parents(self):
        odd = Matrix.LocRotScale((0.1, -0.2, 0.3), Euler((0.4, -0.7, 1.1)), (2.0, 2.0, 2.0))
        flat = Matrix.LocRotScale((0.1, -0.2, 0.3), Euler((0.4, -0.7, 1.1)), (2.0, 0.5, 1.5))
        for bones in (False, True):
            results = []
            for matrix, unit in ((None, None), (odd, None), (flat, None), (odd, 0.01), (Matrix(), 0.001)):
                bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
                scenes.arm(bones)
                animate(bones)
                if matrix is not None:
                    clothe(matrix, unit)
                results.append(self.result(f"clothes{bones}{len(results)}"))
            for other in results[1:]:
                self.assert_same(results[0], other)

    def test_units_and_axes_of_the_files(self):
        scenes.arm(True)
        animate(True)
        plain = self.result("plain")
        for units, up in (("cm", "z"), ("mm", "y"), ("in", "y"), ("m", "y")):
            settings = bpy.context.scene.sinew.space
            settings.units, settings.up = units, up
            scene, motion, muscle = self.result(units + up)
            self.assertEqual((scene.get("units"), scene.get("up")), (units, up))
            common.sinew("check", muscle)
            if up == "z":
                self.assert_same(plain, (scene, motion, muscle))
                continue
            for a, b in zip(plain[1].poses, motion.poses):
                for i in range(0, len(a), 7):
                    x, y, z = a[i:i + 3]
                    self.assertLess(common.farthest((x, z, -y), b[i:i + 3]), 1e-6)

    def track(self, result, name):
        _, _, muscle = result
        stem = self.path(name)
        common.sinew("track", muscle, self.path(name + ".control.xml"), "-o", stem)
        motion = files.read_motion(stem + ".replay.xml")
        i = motion.names.index("lower")
        return [pose[7 * i:7 * i + 3] for pose in motion.poses]

    def test_the_simulated_motion_is_the_same(self):
        """Plain, in centimetres below a scaled and rotated parent, and y-up: the same simulated motion."""
        found = []
        odd = Matrix.LocRotScale((0.1, -0.2, 0.3), Euler((0.4, -0.7, 1.1)), (2.0, 2.0, 2.0))
        for number, (matrix, up) in enumerate(((None, "z"), (odd, "z"), (None, "y"))):
            bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
            scenes.arm(True)
            animate(True)
            if matrix:
                clothe(matrix, 0.01)
            bpy.context.scene.sinew.space.up = up
            places = self.track(self.result(f"track{number}"), f"track{number}")
            found.append([(x, -z, y) if up == "y" else (x, y, z) for x, y, z in places])
        for other in found[1:]:
            self.assertEqual(len(found[0]), len(other))
            self.assertLess(max(math.dist(a, b) for a, b in zip(found[0], other)), 1e-5)


class Imported(common.Case):
    def test_a_model_in_a_scene_of_centimetres(self):
        """The hand comes in at its size in any scene, and goes out as it was."""
        path = os.path.join(common.BUILD, "models", "hand", "hand.muscle.xml")
        scene = bpy.context.scene
        scene.unit_settings.system, scene.unit_settings.scale_length = "METRIC", 0.01
        scene_import.import_model(bpy.context, path, "fist")
        bpy.context.view_layer.update()
        strand = bpy.data.objects["FDP2"]
        size = max(strand.dimensions)
        self.assertGreater(size, 20)
        out = scene_export.export_model(bpy.context, self.path("out"), "hand")
        given, found = files.read_scene(path.replace(".muscle.", ".scene.")), files.read_scene(out["scene"])
        self.assertEqual([n.values for n, _ in given.walk()], [n.values for n, _ in found.walk()])
        scene.frame_set(30)
        control = self.path("m.control.xml")
        scene_export.export_motion(bpy.context, control)
        common.sinew("convert", "fist", self.path("g.control.xml"), "--model", "hand", "--frame-rate", "24")
        a, b = files.read_motion(control), files.read_motion(self.path("g.control.xml"))
        for x, y in zip(a.poses, b.poses):
            for i, name in enumerate(a.names):
                k = b.names.index(name)
                self.assertLess(common.farthest(x[7 * i:7 * i + 3], y[7 * k:7 * k + 3]), 1e-6)

    def test_a_model_that_was_moved(self):
        """A root that the user has moved takes the model with it; deeper nodes keep their numbers."""
        path = os.path.join(common.BUILD, "models", "hand", "hand.muscle.xml")
        scene_import.import_model(bpy.context, path)
        root = model.of_kind(bpy.context.scene, "MODEL")[0]
        root.location = (0.5, 0, 0)
        bpy.context.view_layer.update()
        out = scene_export.export_model(bpy.context, self.path("out"), "hand")
        given, found = files.read_scene(path.replace(".muscle.", ".scene.")), files.read_scene(out["scene"])
        for name in ("FDP2", "EPL"):
            a, b = world_points(given, name), world_points(found, name)
            shifted = [x + (0.5 if i % 3 == 0 else 0) for i, x in enumerate(a)]
            self.assertLess(common.farthest(shifted, b), 1e-6)
        common.sinew("check", out["muscle"])


if __name__ == "__main__":
    common.main()
