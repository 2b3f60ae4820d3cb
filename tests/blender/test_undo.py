# SPDX-License-Identifier: GPL-3.0-or-later
"""Save, load and undo after every operator: nothing is lost, nothing points at what is gone."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy

import common
import scenes

common.enable()

from sinew import model, primitives, properties, scene_export


def describe():
    """Everything that the add-on knows, as plain values."""
    scene = bpy.context.scene
    found = {}
    owners = [(thing.name, thing) for thing in scene.objects]
    owners += [(body.bone, body.owner) for body in model.bodies(scene) if body.bone]
    for name, owner in owners:
        kind = owner.sinew.kind
        if kind == "NONE":
            found[name] = kind
            continue
        tag, group = properties.KINDS[kind][2:]
        row = [kind, owner.sinew.name, owner.sinew.order]
        if tag:
            values = getattr(owner.sinew, group)
            row += [properties.get(values, item) for item in properties.shown(tag)]
            row += [getattr(getattr(values, key, None), "name", None) for key in ("strand", "target", "center_of_mass")]
            row += [(ref.object.name if ref.object else None, ref.bone) for ref in
                    (getattr(values, key, None) for key in ("body", "body_a", "body_b")) if ref is not None]
            row += [item.object.name if item.object else None for item in getattr(values, "members", [])]
        found[name] = row
    settings = scene.sinew
    found[None] = [settings.name, [item.name for item in settings.functions], [item.name for item in settings.force_lengths],
                   settings.skin.name if settings.skin else None]
    return found


def reload(path):
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)


def thing(name):
    return bpy.data.objects[name]


def prepare(bones):
    """An arm, and things that further operators work on. The functions return nothing that undo would make stale."""
    scenes.arm(bones)
    scenes.curve("second", [(-0.1, 0.02, 0.03), (-0.02, 0.02, 0.03), (0.02, 0.02, 0.04), (0.1, 0.02, 0.03)])
    scenes.box("ball", (0.02, 0.02, 0.02), (0, 0, 0.02))
    scenes.box("extra", (0.1, 0.02, 0.02), (0.3, 0, 0))
    bpy.context.view_layer.update()


STEPS = [
    ("make_body", lambda: common.select(thing("extra")), {}),
    ("make_joint", lambda: common.select(thing("extra"), thing("lower")), {"type": "ball"}),
    ("make_strand", lambda: common.select(thing("second")), {"passive_fl": "hill-passive"}),
    ("make_group", lambda: common.select(thing("second"), thing("tendon")), {"name": "both"}),
    ("add_constraint", lambda: common.select(thing("second"), thing("lower")), {"kind": "FIXED", "where": "ORIGIN"}),
    ("add_constraint", lambda: common.select(thing("second"), thing("extra")), {"kind": "SLIDING"}),
    ("add_constraint", lambda: common.select(thing("second"), thing("ball")), {"kind": "SURFACE"}),
    ("add_constraint", lambda: common.select(thing("second"), thing("tendon")), {"kind": "STRUT"}),
    ("add_shape", lambda: common.select(thing("lower")), {}),
    ("guess_centre", lambda: common.select(thing("lower")), {}),
    ("list_edit", lambda: None, {"collection": "functions", "action": "ADD"}),
    ("list_edit", lambda: None, {"collection": "force_lengths", "action": "ADD"}),
    ("list_edit", lambda: None, {"collection": "functions", "action": "REMOVE"}),
    ("delete_broken", lambda: None, {}),
    ("remove", lambda: common.select(thing("second")), {}),
    ("remove", lambda: common.select(thing("lower")), {}),
    ("remove", lambda: None, {"all": True}),
]


class Undo(common.Case):
    def run_step(self, name, select, given):
        select()
        bpy.ops.ed.undo_push(message="before " + name)
        before = describe()
        self.assertEqual(getattr(bpy.ops.sinew, name)(**given), {"FINISHED"}, name)
        bpy.ops.ed.undo_push(message=name)
        bpy.context.view_layer.update()
        return before, describe()

    def test_undo_and_redo(self):
        prepare(False)
        for name, select, given in STEPS:
            with self.subTest(name):
                before, after = self.run_step(name, select, given)
                self.assertEqual(bpy.ops.ed.undo(), {"FINISHED"})
                bpy.context.view_layer.update()
                self.assertEqual(describe(), before, "undo of " + name)
                self.assertEqual(bpy.ops.ed.redo(), {"FINISHED"})
                bpy.context.view_layer.update()
                self.assertEqual(describe(), after, "redo of " + name)
                for marker in model.constraints(bpy.context.scene):
                    self.assertFalse(primitives.is_broken(marker), marker.name)

    def test_save_and_load(self):
        prepare(False)
        for number, (name, select, given) in enumerate(STEPS):
            with self.subTest(name):
                select()
                self.assertEqual(getattr(bpy.ops.sinew, name)(**given), {"FINISHED"})
                bpy.context.view_layer.update()
                before = describe()
                reload(self.path(f"{number}.blend"))
                self.assertEqual(describe(), before)
                scene_export.export_model(bpy.context, self.path(str(number)), "m")

    def test_a_bone_rig_is_saved_and_loaded(self):
        scenes.arm(True)
        before = describe()
        reload(self.path("rig.blend"))
        self.assertEqual(describe(), before)

    def test_adding_a_model_is_undone(self):
        bpy.ops.ed.undo_push(message="empty")
        self.assertEqual(bpy.ops.sinew.add_model(model="hand", motion=""), {"FINISHED"})
        bpy.ops.ed.undo_push(message="hand")
        bpy.context.view_layer.update()
        after = describe()
        self.assertGreater(len(after), 400)
        bpy.ops.ed.undo()
        self.assertEqual(len(bpy.context.scene.objects), 0)
        bpy.ops.ed.redo()
        self.assertEqual(describe(), after)


if __name__ == "__main__":
    common.main()
