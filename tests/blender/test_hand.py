# SPDX-License-Identifier: GPL-3.0-or-later
"""The hand, tracked and skinned over a few frames of its fist: bakes are what was simulated, the skin what the command gives."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
import numpy

import common
import shot
from sinew import model, scene_import


class Hand(shot.Take):
    def setUp(self):
        super().setUp()
        scene_import.import_model(bpy.context, scene_import.shipped_model(bpy.context, "hand"), "fist")
        self.take_scene()
        self.scene.sinew.folder = self.path("files")
        self.scene.frame_start, self.scene.frame_end = 13, 16  # closing; nothing touches yet: what Blender deforms is not parted
        self.base = self.scene.sinew.skin
        self.assertEqual(bpy.ops.sinew.track(), {"FINISHED"})

    def test_bakes_and_skin_are_exact(self):
        found = self.assert_baked(1e-6)
        self.assertEqual((len(found.time), len(model.strands(self.scene))), (4, 54))
        self.assertGreater(numpy.abs(found.points[-1] - found.points[0]).max(), 1e-3)
        expected, base = self.expected_skin()
        self.assertGreater(numpy.abs(expected - base).max(), 3e-4)  # tendons show
        for strands in ("CURVES", "CACHE"):
            self.settings.strands = strands
            self.assertEqual(bpy.ops.sinew.bake(), {"FINISHED"})
            self.assertEqual(bpy.ops.sinew.skin_cache(), {"FINISHED"})
            # the points of Blender's curves are single precision: a vertex on the edge of what a tendon reaches may go either way
            self.assert_skin(expected, 1e-5, apart=3)


if __name__ == "__main__":
    common.main()
