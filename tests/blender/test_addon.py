# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on as a whole: installed from its zip, enabled and disabled without traces, preferences, failing imports."""
import glob
import os
import re
import sys
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy

import common

common.enable()

import sinew
from sinew import command, files, markers, model, prefs, scene_export, scene_import

HAND = os.path.join(common.BUILD, "models", "hand", "hand.muscle.xml")


def traces():
    """What an add-on may leave behind."""
    handlers = sum(len(getattr(bpy.app.handlers, name)) for name in dir(bpy.app.handlers)
                   if isinstance(getattr(bpy.app.handlers, name), list))
    classes = sorted(name for name in dir(bpy.types) if name.lower().startswith("sinew"))
    return handlers, classes, [hasattr(kind, "sinew") for kind in (bpy.types.Object, bpy.types.Bone, bpy.types.Scene)]


class Package(common.Case):
    def test_zip_has_the_add_on_and_nothing_else(self):
        with zipfile.ZipFile(os.path.join(common.BUILD, "sinew-blender.zip")) as archive:
            names = archive.namelist()
            licence = archive.read("sinew/COPYING").decode("utf-8").strip()
        self.assertTrue(all(name.startswith("sinew/") for name in names))
        self.assertIn("sinew/__init__.py", names)
        self.assertIn("sinew/blender_manifest.toml", names)
        self.assertIn("sinew/schema.json", names)
        self.assertFalse([name for name in names if "__pycache__" in name])
        self.assertTrue(licence.startswith("GNU GENERAL PUBLIC LICENSE"))
        self.assertIn("END OF TERMS AND CONDITIONS", licence)

    def test_every_file_names_its_licence(self):
        for path in glob.glob(os.path.join(common.SOURCE, "blender", "sinew", "*.py")) + glob.glob(
                os.path.join(common.SOURCE, "tests", "blender", "*.py")):
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.readline(), "# SPDX-License-Identifier: GPL-3.0-or-later\n", path)

    def test_one_version(self):
        with open(os.path.join(common.SOURCE, "blender", "sinew", "blender_manifest.toml"), encoding="utf-8") as file:
            manifest = re.search(r'^version = "(.*)"', file.read(), re.M).group(1)
        self.assertEqual(manifest, ".".join(map(str, sinew.bl_info["version"])))

    def test_modules_import_each_other_relatively(self):
        """An extension of Blender 4.2 and later is no top-level package."""
        for path in glob.glob(os.path.join(common.SOURCE, "blender", "sinew", "*.py")):
            with open(path, encoding="utf-8") as file:
                self.assertNotRegex(file.read(), r"(?m)^\s*(?:import sinew|from sinew)\b", path)

    def test_enable_and_disable(self):
        with_it = traces()
        bpy.ops.preferences.addon_disable(module="sinew")
        without = traces()
        self.assertEqual((without[1], without[2]), ([], [False] * 3))
        for _ in range(2):
            bpy.ops.preferences.addon_enable(module="sinew")
            self.assertEqual(traces(), with_it)
            bpy.ops.preferences.addon_disable(module="sinew")
            self.assertEqual(traces(), without)
        bpy.ops.preferences.addon_enable(module="sinew")


class Preferences(common.Case):
    def setUp(self):
        super().setUp()
        self.settings = bpy.context.preferences.addons["sinew"].preferences
        self.addCleanup(setattr, self.settings, "command", "")
        self.addCleanup(os.environ.__setitem__, "SINEW", common.SINEW)

    def test_found_by_environment_and_preference(self):
        self.assertEqual(prefs.command_path(bpy.context), common.SINEW)
        os.environ["SINEW"] = "/nowhere/sinew"
        self.settings.command = common.SINEW
        self.assertEqual(prefs.command_path(bpy.context), common.SINEW)
        self.assertEqual(bpy.ops.sinew.check_command(), {"FINISHED"})

    def test_what_is_wrong_is_said(self):
        self.settings.command = self.path("sinew")
        for text, words in ((None, "no command"), ("#!/bin/sh\necho sinew 9.0.0\n", "9.0.0"),
                            ("#!/bin/sh\necho hello\n", "not the sinew command")):
            if text:
                with open(self.settings.command, "w") as file:
                    file.write(text)
                os.chmod(self.settings.command, 0o755)
            prefs._found.clear()
            with self.assertRaisesRegex(command.CommandError, words):
                prefs.command_path(bpy.context)
            with self.assertRaisesRegex(RuntimeError, words):
                bpy.ops.sinew.check_command()


class Hidden(common.Case):
    def test_what_is_hidden(self):
        """The eye changes nothing; a body that Blender does not evaluate is refused rather than written standing still."""
        scene_import.import_model(bpy.context, HAND, "fist")
        scene = bpy.context.scene
        scene.frame_end = 20

        def motion():
            scene_export.export_motion(bpy.context, self.path("m.control.xml"))
            return files.read_motion(self.path("m.control.xml")).poses
        shown = motion()
        for thing in scene.objects:
            thing.hide_set(True)
        self.assertEqual(motion(), shown)
        out = scene_export.export_model(bpy.context, self.path("out"), "hand")["scene"]
        given = files.read_scene(HAND.replace(".muscle.", ".scene."))
        self.assertEqual([n.values for n, _ in files.read_scene(out).walk()], [n.values for n, _ in given.walk()])
        bpy.data.objects["hand rig"].hide_viewport = True  # its children are shown, so that Blender moves it all the same
        self.assertEqual(motion(), shown)
        for thing in scene.objects:
            thing.hide_viewport = True
        for write in (motion, lambda: scene_export.export_model(bpy.context, self.path("out"), "hand")):
            with self.assertRaisesRegex(scene_export.ExportFailed, "hand rig"):
                write()


class Imports(common.Case):
    def state(self):
        return {name: len(getattr(bpy.data, name)) for name in ("objects", "meshes", "curves", "armatures", "actions",
                                                                 "collections")}

    def assert_unchanged(self, before):
        self.assertEqual(self.state(), before)
        self.assertFalse(scene_import.has_model(bpy.context.scene))
        self.assertEqual(len(bpy.context.scene.sinew.force_lengths), 0)

    def copy(self, change_muscle=lambda text: text, change_scene=lambda text: text):
        for name, change in (("hand.muscle.xml", change_muscle), ("hand.scene.xml", change_scene)):
            with open(os.path.join(os.path.dirname(HAND), name), encoding="utf-8") as file:
                text = change(file.read())
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(text)
        if not os.path.exists(self.path("skin.ply")):
            os.symlink(os.path.join(os.path.dirname(HAND), "skin.ply"), self.path("skin.ply"))
        return self.path("hand.muscle.xml")

    def test_bad_files_leave_the_scene_as_it_was(self):
        before = self.state()
        cases = [
            (lambda text: text[:len(text) // 2], lambda text: text),
            (lambda text: text.replace('node="', 'nodes="').replace("pinned=", "pined="), lambda text: text),
            (lambda text: text, lambda text: text.replace('<Curve name="FDP3"', '<Curve name="FDP0"')),
            (lambda text: text, lambda text: text.replace('<Group name="radius"', '<Group name="r"')),
            (lambda text: text.replace('strand="FDP2"', 'strand="none"'), lambda text: text),
            (lambda text: '<!DOCTYPE a [<!ENTITY b "c">]>' + text.split("?>", 1)[1], lambda text: text),
        ]
        for number, (muscle, scene) in enumerate(cases):
            with self.subTest(number):
                with self.assertRaises((files.FileError, scene_import.ImportFailed)):
                    scene_import.import_model(bpy.context, self.copy(muscle, scene))
                self.assert_unchanged(before)

    def test_missing_motion_leaves_the_scene_as_it_was(self):
        before = self.state()
        with self.assertRaises(command.CommandError):
            scene_import.import_model(bpy.context, HAND, "no_such_motion")
        self.assert_unchanged(before)

    def test_a_second_model_is_refused(self):
        scene_import.import_model(bpy.context, HAND)
        before = self.state()
        with self.assertRaisesRegex(scene_import.ImportFailed, "already"):
            scene_import.import_model(bpy.context, HAND)
        self.assertEqual(self.state(), before)

    def test_what_a_complete_hand_has(self):
        self.assertEqual(bpy.ops.sinew.add_model(model="hand", motion="fist"), {"FINISHED"})
        scene = bpy.context.scene
        info = common.sinew_json("info", "hand")
        self.assertEqual(len(model.bodies(scene)), info["bodies"])
        self.assertEqual([thing.name for thing in model.strands(scene)], info["strand_names"])
        self.assertEqual(len(model.constraints(scene)), sum(info["constraints"].values()))
        skin = scene.sinew.skin
        for vertex in list(skin.data.vertices)[::97]:
            weights = [item.weight for item in vertex.groups]
            self.assertTrue(1 <= len(weights) <= 4)
            self.assertAlmostEqual(sum(weights), 1, places=4)
        self.assertEqual({group.name for group in skin.vertex_groups} - {body.bone for body in model.bodies(scene)}, set())
        tip = bpy.data.objects["hand rig"].pose.bones["dp2"]
        scene.frame_set(scene.frame_start)
        start = tip.matrix.translation.copy()
        scene.frame_set((scene.frame_start + scene.frame_end) // 2)
        self.assertGreater((tip.matrix.translation - start).length, 0.04)

    def test_markers_lie_on_the_strands_of_the_hand(self):
        scene_import.import_model(bpy.context, HAND)
        bpy.context.view_layer.update()
        for thing in model.constraints(bpy.context.scene)[::7]:
            path = markers.Path(thing.sinew.constraint.strand)
            where, _ = path.at(thing.sinew.constraint.position)
            self.assertLess(common.farthest(thing.location, where), 1e-7)


if __name__ == "__main__":
    common.main()
