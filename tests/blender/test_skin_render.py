# SPDX-License-Identifier: GPL-3.0-or-later
"""The hand rendered without a display: the extensor tendon of a stretched finger stands out, in a fist none does.

The pictures are left in build/blender-shots for people to look at; the test measures the skin that they show."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
import numpy

import common
import shot
from mathutils import Vector
from sinew import bake, capture, model, scene_import, spaces

SHOTS = os.path.join(common.BUILD, "blender-shots")
RATE = 25


def strand(name):
    return next(thing for thing in model.strands(bpy.context.scene) if model.name_of(thing) == name)


def light(scene, where, target, energy):
    data = bpy.data.lights.new("light", "AREA")
    data.energy, data.size = energy, 0.05
    thing = bpy.data.objects.new("light", data)
    scene.collection.objects.link(thing)
    thing.location = where
    thing.rotation_euler = (target - where).to_track_quat("-Z", "Y").to_euler()


def render(scene, skin, name):
    """A picture of the back of the hand, lit from the side."""
    os.makedirs(SHOTS, exist_ok=True)
    matrix = spaces.world_from_model(scene, metres=True)
    back = numpy.array([p for p in shot.strand_world(strand("ED3")) if -0.08 < p[1] < -0.01]).mean(axis=0)
    palm = numpy.array([p for p in shot.strand_world(strand("FDP3")) if -0.08 < p[1] < -0.01]).mean(axis=0)
    target, dorsal = matrix @ Vector(back), (matrix @ Vector(back) - matrix @ Vector(palm)).normalized()
    side = dorsal.cross(matrix.to_3x3() @ Vector((0, 1, 0))).normalized()
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    scene.camera, camera.data.lens, camera.data.clip_start = camera, 85, 0.01
    camera.location = target + 0.45 * dorsal
    camera.rotation_euler = (target - camera.location).to_track_quat("-Z", "Y").to_euler()
    light(scene, target + 0.12 * dorsal + 0.4 * side, target, 1.6)
    light(scene, target + 0.5 * dorsal - 0.3 * side, target, 0.4)
    for thing in scene.objects:
        if thing.type in ("MESH", "CURVE") and thing != skin:
            thing.hide_render = True
    scene.render.engine, scene.cycles.samples = "CYCLES", 16
    scene.cycles.use_denoising = False
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 420, 480, 100
    scene.render.filepath = os.path.join(SHOTS, name + ".png")
    bpy.ops.render.render(write_still=True)
    return scene.render.filepath


class Render(common.Case):
    def ridges(self, motion, seconds, follow):
        """Mean height of the skin over each extensor on the back of the hand, m, and a picture."""
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        scene = bpy.context.scene
        scene.render.fps = RATE
        scene_import.import_model(bpy.context, scene_import.shipped_model(bpy.context, "hand"), motion,
                                  weights=follow == "RIG")
        settings, last = scene.sinew_skin, round(1 + RATE * seconds)
        scene.sinew.folder = self.path(motion + follow)
        scene.sinew.own_range, scene.sinew.frame_start, scene.sinew.frame_end = True, last - 5, last
        self.assertEqual(bpy.ops.sinew.track(), {"FINISHED"})
        settings.follow, settings.belly = follow, 0.0
        settings.own_range, settings.frame_start, settings.frame_end = True, last - 1, last
        shapes = []
        for prominence in (0.0, 1.0):
            settings.prominence = prominence
            self.assertEqual(bpy.ops.sinew.skin_cache(), {"FINISHED"})
            scene.frame_set(last)
            graph = bpy.context.evaluated_depsgraph_get()
            shapes.append(capture.vertices(settings.deformed.evaluated_get(graph).data))
        raised = numpy.linalg.norm(shapes[1] - shapes[0], axis=1)
        found = {}
        for name in ("ED2", "ED3", "ED4"):
            thing = strand(name)
            rest = bake.apply_matrix(capture.array(spaces.model_from_world(scene, metres=True) @ thing.matrix_world),
                                     bake.rest_points(thing)[0])
            here = shot.strand_world(thing)[(rest[:, 1] > -0.07) & (rest[:, 1] < -0.035)]
            found[name] = float(numpy.mean([raised[numpy.linalg.norm(shapes[0] - p, axis=1) < 0.006].max(initial=0)
                                            for p in here]))
        path = render(scene, settings.deformed, f"{motion}-{follow.lower()}")
        self.assertGreater(os.path.getsize(path), 20000)
        return found

    def test_extension_shows_and_a_fist_hides_the_extensors(self):
        for follow in ("SINEW", "RIG"):
            stretched = self.ridges("finger_extension", 2.55, follow)  # the middle finger
            fist = self.ridges("fist", 1.7, follow)
            print(f"{follow}: ridges in mm, middle finger stretched "
                  f"{ {k: round(1e3 * v, 2) for k, v in stretched.items()} }, fist "
                  f"{ {k: round(1e3 * v, 2) for k, v in fist.items()} }")
            self.assertGreater(stretched["ED3"], 0.5e-3)
            self.assertGreater(stretched["ED3"], 2 * fist["ED3"])


if __name__ == "__main__":
    common.main()
