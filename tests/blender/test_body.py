# SPDX-License-Identifier: GPL-3.0-or-later
"""The upper body: 68 bones and 814 line muscles come in, and a motion that was tracked plays on both."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import time

import bpy
import numpy

import common
import shot
from sinew import lines, model, replay, scene_import


class Body(shot.Take):
    def setUp(self):
        super().setUp()
        stem = self.path("curl")
        common.sinew("track", "body", "curl", "-o", stem, "--end", "1")
        began = time.process_time()
        scene_import.import_model(bpy.context, scene_import.shipped_model(bpy.context, "body"), stem + ".replay.xml")
        print(f"imported in {time.process_time() - began:.1f} s of processor time")
        self.take_scene()
        self.taken = replay.read(stem + ".replay.xml")

    def muscles(self):
        """Middles of the rings of all muscles, as evaluated, in the model's metres and axes."""
        thing = bpy.data.objects["muscles"]
        shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
        corners = numpy.empty(3 * len(shown.data.vertices), dtype=numpy.float32)
        shown.data.vertices.foreach_get("co", corners)
        to_model = numpy.array(shot.spaces.model_from_world(self.scene, metres=True) @ shown.matrix_world)
        return corners.reshape(-1, lines.SIDES, 3).mean(axis=1) @ to_model[:3, :3].T + to_model[:3, 3]

    def test_bones_and_muscles_play(self):
        bodies = model.bodies(self.scene)
        self.assertEqual((len(bodies), len(self.taken.strand_names)), (68, 814))
        bones = bodies[0].object.data.bones
        self.assertEqual(bones["L4"].parent.name, "L5")
        self.assertEqual(bones["hand_R"].parent.name, "radius_R")
        self.assertEqual((self.scene.frame_start, self.scene.frame_end), (1, len(self.taken.time)))
        began, moved = time.process_time(), 0
        for frame in (1, 13, len(self.taken.time)):
            self.scene.frame_set(frame)
            for body in bodies:
                off = shot.body_world(body)[:3] - self.taken.body(body.name)[frame - 1][:3]
                self.assertLess(numpy.abs(off).max(), 2e-6, (body.name, frame))
            found, points = self.muscles(), self.taken.points[frame - 1]
            self.assertLess(numpy.abs(found - points).max(), 2e-6, frame)
            moved = max(moved, numpy.abs(points - self.taken.points[0]).max())
        self.assertGreater(moved, 0.02)
        print(f"{(time.process_time() - began) / 3:.2f} s of processor time for a frame, with what is compared")


if __name__ == "__main__":
    common.main()
