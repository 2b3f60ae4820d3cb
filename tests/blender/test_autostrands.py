# SPDX-License-Identifier: GPL-3.0-or-later
"""AutoStrands without a window: from selected strands and a mesh to strands of one group."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
import numpy

import common
import muscle
import shot
from sinew import autostrands, model, prefs, scene_export, scene_import, spaces


class AutoStrands(common.Case):
    maxDiff = None

    def setUp(self):
        super().setUp()
        prefs._found.clear()
        self.scene = bpy.context.scene
        scene_import.import_model(bpy.context, muscle.write(self.folder))
        self.root = model.of_kind(self.scene, "MODEL")[0]
        bpy.context.view_layer.update()
        self.mesh = muscle.add_mesh(self.scene, self.root)
        self.line = model.strands(self.scene)[0]
        self.settings = self.scene.sinew_fill
        self.settings.duplicates, self.settings.samples, self.settings.control_points = 8, 12, 8
        self.settings.group = "belly"
        muscle.select(self.line, self.mesh)
        bpy.context.view_layer.update()

    def fill(self):
        self.assertEqual(bpy.ops.sinew.autostrands(), {"FINISHED"})
        bpy.context.view_layer.update()
        return [thing for thing in model.strands(self.scene) if thing.sinew.strand.enabled]

    def test_strands_of_one_group(self):
        made = self.fill()
        self.assertEqual([model.name_of(thing) for thing in made], [f"belly_{i + 1}" for i in range(8)])
        group = model.of_kind(self.scene, "GROUP")
        self.assertEqual([model.name_of(thing) for thing in group], ["belly"])
        self.assertEqual([member.object for member in group[0].sinew.group.members], made)
        self.assertFalse(self.line.sinew.strand.enabled)
        self.assertEqual(self.scene.sinew.functions[0].muscles, "belly")
        attached = [thing for thing in model.constraints(self.scene) if thing.sinew.constraint.strand in made]
        self.assertEqual(len(attached), 16)
        self.assertEqual({model.body_of(thing.sinew.constraint.body).name for thing in attached}, {"frame", "weight"})
        self.assertEqual(sum(thing.sinew.strand.max_force for thing in made), 80)
        self.assertNotIn(autostrands.PREVIEW, bpy.data.objects)
        self.assertEqual(self.mesh.sinew.node, "")

    def test_points_are_those_of_the_command(self):
        """The command with the same files gives the same strands."""
        with autostrands.exported(self.mesh):
            path = scene_export.export_model(bpy.context, self.folder, "plain")["muscle"]
        common.sinew("strands", path, "--mesh", "belly_mesh", "--from", "line", "--count", 8, "--samples", 12,
                     "--control-points", 8, "--group", "belly", "-o", self.path("filled.muscle.xml"))
        filled = autostrands.Filled(self.path("filled.muscle.xml"))
        made = self.fill()
        wanted = {element.name: element for element in filled.elements["Strand"]}
        for thing in made:
            points = shot.strand_world(thing)
            self.assertLess(numpy.abs(points - filled.curve(wanted[model.name_of(thing)])).max(), 1e-6)
            self.assertLess(numpy.hypot(points[:, 0], points[:, 2]).max(), 0.0152)  # inside the spindle

    def test_the_filled_model_is_sound_and_moves(self):
        self.fill()
        path = scene_export.export_model(bpy.context, self.folder, "full")["muscle"]
        common.sinew("check", path)
        self.scene.sinew.folder = self.path("files")
        self.scene.frame_end = 6
        self.scene.sinew.functions[0].level = 0.5
        self.assertEqual(bpy.ops.sinew.simulate(), {"FINISHED"})
        thing = [t for t in model.strands(self.scene) if t.sinew.strand.enabled][0]
        self.scene.frame_set(6)
        self.assertAlmostEqual(thing["activation"], 0.5, 3)

    def test_two_strands(self):
        """Another strand beside the first: each has its own copies."""
        other = self.line.copy()
        other.data = self.line.data.copy()
        other.name = "line2"
        self.scene.collection.objects.link(other)
        other.sinew.name = ""
        other.location.x += 0.0015
        self.scene.sinew.functions.clear()
        muscle.select(self.line, other, self.mesh)
        bpy.context.view_layer.update()
        self.settings.duplicates = 4
        made = self.fill()
        self.assertEqual(len(made), 8)

    def test_selection_that_does_not_do(self):
        before = shot.snapshot()
        for things in ((), (self.mesh,), (self.line,)):
            muscle.select(*things)
            with self.assertRaisesRegex(RuntimeError, "Select one or more strands and the closed mesh"):
                bpy.ops.sinew.autostrands()
        self.assertEqual(shot.difference(before, shot.snapshot()), {})

    def test_open_mesh_and_strand_outside(self):
        """The command's words, and nothing has changed."""
        before = shot.snapshot()
        self.line.location.x += 0.05
        bpy.context.view_layer.update()
        with self.assertRaisesRegex(RuntimeError, "outside"):
            bpy.ops.sinew.autostrands()
        self.line.location.x -= 0.05
        bpy.context.view_layer.update()
        self.assertEqual(shot.difference(before, shot.snapshot()), {})
        vertices, triangles = muscle.spindle(muscle.LENGTH, muscle.BELLY)
        self.mesh.data.clear_geometry()
        self.mesh.data.from_pydata(vertices, [], triangles[1:])
        with self.assertRaisesRegex(RuntimeError, "open"):
            bpy.ops.sinew.autostrands()
        self.assertEqual(shot.difference(before, shot.snapshot()), {})
        self.assertEqual(self.mesh.sinew.node, "")

    def test_undo_save_reload(self):
        bpy.ops.ed.undo_push(message="before")
        before = shot.snapshot()
        self.fill()
        bpy.ops.ed.undo_push(message="AutoStrands")
        bpy.ops.ed.undo()
        self.assertEqual(shot.difference(before, shot.snapshot()), {})
        bpy.ops.ed.redo()
        after = shot.snapshot()
        bpy.ops.wm.save_as_mainfile(filepath=self.path("a.blend"))
        bpy.ops.wm.open_mainfile(filepath=self.path("a.blend"))
        self.assertEqual(shot.difference(after, shot.snapshot()), {})
        made = [thing for thing in model.strands(bpy.context.scene) if thing.sinew.strand.enabled]
        self.assertEqual(len(made), 8)


if __name__ == "__main__":
    common.main()
