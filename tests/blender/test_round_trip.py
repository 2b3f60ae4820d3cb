# SPDX-License-Identifier: GPL-3.0-or-later
"""A shipped model goes into Blender and comes out as the same model: byte for byte in the command's normal form."""
import filecmp
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy

import common

common.enable()

from sinew import files, model, scene_export, scene_import, schema


def models():
    folder = os.path.join(common.BUILD, "models")
    return [name for name in ("hand", "hand-left", "shoulder", "body", "hand-clinical")
            if os.path.exists(os.path.join(folder, name, name + ".muscle.xml"))]


def shipped(name):
    return os.path.join(common.BUILD, "models", name, name + ".muscle.xml")


class Schema(common.Case):
    def test_is_that_of_the_command(self):
        with open(os.path.join(os.path.dirname(schema.__file__), "schema.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file), common.sinew_json("info", "--schema"), "run make docs")


class RoundTrip(common.Case):
    def normal(self, path, name):
        """The files of a model as the command writes them."""
        folder = self.path(name)
        os.makedirs(folder)
        skin = os.path.join(os.path.dirname(path), "skin.ply")
        if os.path.exists(skin):
            os.symlink(skin, os.path.join(folder, "skin.ply"))
        common.sinew("convert", path, os.path.join(folder, os.path.basename(path)))
        return folder

    def assert_same(self, first, second):
        a, b = self.normal(first, "first"), self.normal(second, "second")
        stem = os.path.basename(first)[:-len(".muscle.xml")]
        for name in (stem + ".muscle.xml", stem + ".scene.xml"):
            self.assertTrue(filecmp.cmp(os.path.join(a, name), os.path.join(b, name), shallow=False), name)

    def test_models(self):
        for name in models():
            with self.subTest(name):
                bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
                scene_import.import_model(bpy.context, shipped(name))
                out = scene_export.export_model(bpy.context, self.path("out-" + name), name)
                self.folder, keep = self.path("check-" + name), self.folder
                self.assert_same(shipped(name), out["muscle"])
                self.folder = keep

    def test_after_saving_and_loading(self):
        scene_import.import_model(bpy.context, shipped("hand"), "fist")
        path = self.path("hand.blend")
        bpy.ops.wm.save_as_mainfile(filepath=path)
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        bpy.ops.wm.open_mainfile(filepath=path)
        bpy.context.scene.frame_set(40)
        out = scene_export.export_model(bpy.context, self.path("out"), "hand")
        self.assertEqual(bpy.context.scene.frame_current, 40)
        self.assert_same(shipped("hand"), out["muscle"])

    def test_tracking_is_the_same(self):
        motion = self.path("fist.control.xml")
        common.sinew("convert", "fist", motion, "--model", "hand")
        scene_import.import_model(bpy.context, shipped("hand"))
        out = scene_export.export_model(bpy.context, self.path("out"), "hand")
        tables = []
        for number, path in enumerate(("hand", out["muscle"])):
            stem = self.path(f"track{number}")
            common.sinew("track", path, motion, "--start", "0.3", "--end", "0.8", "-o", stem)
            with open(stem + ".sto") as file:
                lines = file.read().split("endheader\n")[1].splitlines()
            names = lines[0].split("\t")
            columns = [i for i, name in enumerate(names) if name.startswith("activation/")]
            tables.append([[float(line.split("\t")[i]) for i in columns] for line in lines[1:]])
        self.assertEqual(len(tables[0]), len(tables[1]))
        self.assertGreater(max(map(max, tables[0])), 0.01)
        worst = max(common.farthest(a, b) for a, b in zip(*tables))
        self.assertLessEqual(worst, 1e-6)


class Motion(common.Case):
    def test_motion_comes_out_as_it_went_in(self):
        motion = self.path("fist.control.xml")
        common.sinew("convert", "fist", motion, "--model", "hand", "--frame-rate", "24")
        scene_import.import_model(bpy.context, shipped("hand"), motion)
        out = self.path("out.control.xml")
        given = files.read_motion(motion)
        scene_export.export_motion(bpy.context, out)
        found = files.read_motion(out)
        self.assertEqual(sorted(found.names), sorted(given.names))
        self.assertGreater(len(found.times), 60)
        for frame, (time, pose) in enumerate(zip(found.times, found.poses)):
            self.assertAlmostEqual(time, given.times[frame] - given.times[0], places=9)
            for i, name in enumerate(found.names):
                k = given.names.index(name)
                here, there = pose[7 * i:7 * i + 7], given.poses[frame][7 * k:7 * k + 7]
                self.assertLess(common.farthest(here[:3], there[:3]), 1e-6, (name, frame))
                other = [-x for x in there[3:]]
                self.assertLess(min(common.farthest(here[3:], q) for q in (there[3:], other)), 1e-6, (name, frame))


if __name__ == "__main__":
    common.main()
