# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies, joints, strands, groups and constraints from plain objects; what comes out runs; removing leaves plain objects."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
from mathutils import Vector

import common
import scenes

common.enable()

from sinew import files, markers, model, primitives, properties, scene_export, scene_import, schema, validate


class Arm(common.Case):
    """Two bones with a tendon, made by hand."""

    def build(self):
        self.arm = scenes.arm()
        return self.arm

    def export(self, name="arm"):
        return scene_export.export_model(bpy.context, self.path(name), name)["muscle"]

    def test_arm_from_objects_is_a_model_that_runs(self):
        self.build()
        self.assertEqual(validate.check(bpy.context)[0], 0, [m.text for m in bpy.context.scene.sinew.messages])
        path = self.export()
        answer = common.sinew_json("simulate", path, "--time", "0.1", "--activation", "tendon=0.5", "-o", self.path("out"))
        self.assertFalse(answer.get("diverged", False))

    def test_arm_of_bones_is_the_same_model(self):
        self.build()
        first = files.read_muscle(self.export("objects"))
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        scenes.arm(bones=True)
        self.assertEqual(validate.check(bpy.context)[0], 0, [m.text for m in bpy.context.scene.sinew.messages])
        second = files.read_muscle(self.export("bones"))
        self.assertEqual([(e.tag, e.name) for e in first.children], [(e.tag, e.name) for e in second.children])

    def test_attributes_have_the_schema_s_defaults(self):
        self.build()
        kinds = {"STRAND": ("Strand", "strand"), "JOINT": ("Joint", "joint"), "BODY": ("RigidBody", "body")}
        guessed = {"radius", "length", "type", "pinned"}
        for thing in bpy.context.scene.objects:
            if thing.sinew.kind in kinds:
                tag, group = kinds[thing.sinew.kind]
                for found in properties.shown(tag):
                    if found["name"] not in guessed and found["type"] != "string":
                        value = properties.get(getattr(thing.sinew, group), found)
                        self.assertTrue(schema.is_default(dict(found, required=False), value), (thing.name, found["name"]))

    def test_centre_of_mass_is_guessed_and_movable(self):
        self.build()
        body = next(b for b in model.bodies(bpy.context.scene) if b.name == "lower")
        centre = body.settings.center_of_mass
        self.assertLess((centre.matrix_world.translation - Vector((0.15, 0, 0))).length, 1e-6)
        centre.location.y += 0.01
        bpy.context.view_layer.update()
        scene = files.read_scene(self.export().replace(".muscle.", ".scene."))
        node = next(n for n, _ in scene.walk() if n.name == centre.name)
        common.select(body.object)
        bpy.ops.sinew.guess_centre()
        self.assertLess((centre.matrix_world.translation - Vector((0.15, 0, 0))).length, 1e-6)
        self.assertGreater(max(abs(x) for x in node.get("translate")), 0.005)

    def test_markers_stay_on_their_strand(self):
        self.build()
        strand = bpy.data.objects["tendon"]
        marker = next(thing for thing in model.constraints(bpy.context.scene) if thing.sinew.kind == "SLIDING")

        def off():
            bpy.context.view_layer.update()
            path = markers.Path(strand)
            where, _ = path.at(marker.sinew.constraint.position)
            return (marker.matrix_world.translation - strand.matrix_world @ Vector(where)).length
        self.assertLess(off(), 1e-6)
        marker.sinew.constraint.position = 0.71
        self.assertLess(off(), 1e-6)
        strand.location.z += 0.1
        self.assertLess(off(), 1e-6)
        strand.data.splines[0].points[3].co.z += 0.05
        strand.data.update_tag()
        bpy.context.view_layer.update()
        self.assertLess(off(), 1e-6)

    def test_a_dragged_marker_slides_along_its_strand(self):
        self.build()
        marker = next(thing for thing in model.constraints(bpy.context.scene) if thing.sinew.kind == "SLIDING")
        before = marker.sinew.constraint.position
        common.select(marker)
        bpy.context.view_layer.update()
        marker.location += Vector((0.03, 0.02, 0.0))
        bpy.context.view_layer.update()
        bpy.context.view_layer.update()
        self.assertGreater(abs(marker.sinew.constraint.position - before), 0.02)
        where, _ = markers.Path(marker.sinew.constraint.strand).at(marker.sinew.constraint.position)
        self.assertLess((marker.location - Vector(where)).length, 1e-5)

    def test_colours(self):
        self.build()
        for thing in model.constraints(bpy.context.scene):
            self.assertEqual(tuple(thing.color)[:3], tuple(Vector(markers.COLORS[thing.sinew.kind])))

    def test_surface_strut_and_group(self):
        self.build()
        scene = bpy.context.scene
        bpy.ops.mesh.primitive_uv_sphere_add(radius=0.01, location=(0.0, 0, 0.03))
        ball = bpy.context.object
        second = scenes.curve("second", [(-0.1, 0.02, 0.03), (-0.02, 0.02, 0.03), (0.02, 0.02, 0.04), (0.1, 0.02, 0.03)])
        common.select(second)
        self.assertEqual(bpy.ops.sinew.make_strand(), {"FINISHED"})
        common.select(bpy.data.objects["tendon"], ball)
        self.assertEqual(bpy.ops.sinew.add_constraint(kind="SURFACE", position=0.5), {"FINISHED"})
        common.select(bpy.data.objects["tendon"], second)
        self.assertEqual(bpy.ops.sinew.add_constraint(kind="STRUT", position=0.4), {"FINISHED"})
        self.assertEqual(bpy.ops.sinew.make_group(name="muscle", type="sheet"), {"FINISHED"})
        muscle = files.read_muscle(self.export())
        by_type = {e.get("type"): e for e in muscle.children if e.tag == "Constraint"}
        self.assertEqual(by_type["surface"].get("attachment"), ball.name)
        self.assertEqual({by_type["strut"].get("strand"), by_type["strut"].get("attachment")}, {"tendon", "second"})
        group = next(e for e in muscle.children if e.tag == "MuscleGroup")
        self.assertEqual((group.name, group.get("strands"), group.get("type")), ("muscle", "tendon second", "sheet"))
        thing = model.of_kind(scene, "GROUP")[0]
        common.select(second, thing)
        self.assertEqual(bpy.ops.sinew.group_members(action="ADD"), {"CANCELLED"})
        self.assertEqual(bpy.ops.sinew.group_members(action="REMOVE"), {"FINISHED"})
        self.assertEqual([member.object.name for member in thing.sinew.group.members], ["second"])
        common.select(bpy.data.objects["tendon"], thing)
        self.assertEqual(bpy.ops.sinew.group_members(action="ADD"), {"FINISHED"})
        self.assertEqual([member.object.name for member in thing.sinew.group.members], ["second", "tendon"])

    def test_force_length_by_preset_curve_and_file(self):
        self.build()
        scene, strand = bpy.context.scene, bpy.data.objects["tendon"]
        with open(self.path("passive.csv"), "w") as file:
            file.write("stretch,force\n0.9,0\n1,0\n1.1,0.2\n1.2,1\n")
        curve = scene.sinew.force_lengths.add()
        curve.name, curve.Stretch, curve.Force = "bell", "0.5 0.8 1 1.2 1.5", "0 0.7 1 0.7 0"
        strand.sinew.strand.passive_fl, strand.sinew.strand.active_fl = self.path("passive.csv"), "bell"
        path = self.export()
        element = next(e for e in files.read_muscle(path).children if e.tag == "Strand")
        self.assertEqual((element.get("passive_fl"), element.get("active_fl")), ("passive.csv", "bell"))
        common.sinew("check", path)
        strand.sinew.strand.passive_fl = "hill-passive"
        common.sinew("check", self.export("preset"))
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        scene_import.import_model(bpy.context, path)
        common.sinew("check", self.export("again"))

    def test_shape(self):
        self.build()
        common.select(bpy.data.objects["lower"])
        self.assertEqual(bpy.ops.sinew.add_shape(shape="cylinder", radius=0.02), {"FINISHED"})
        scene = files.read_scene(self.export().replace(".muscle.", ".scene."))
        node, parent = next((n, p) for n, p in scene.walk() if n.tag == "Shape")
        self.assertEqual((node.get("shape"), parent.name), ("cylinder", "lower"))
        self.assertAlmostEqual(node.get("size")[0], 0.02, places=7)

    def test_nothing_fitting_is_refused_in_words(self):
        for name, given in (("make_body", {}), ("make_joint", {}), ("make_strand", {}), ("make_group", {}),
                            ("add_constraint", {"kind": "FIXED"}), ("add_constraint", {"kind": "STRUT"}), ("remove", {}),
                            ("guess_centre", {})):
            self.assertEqual(getattr(bpy.ops.sinew, name)(**given), {"CANCELLED"}, name)

    def test_messages_stand_on_their_objects(self):
        self.build()
        joint = next(iter(model.of_kind(bpy.context.scene, "JOINT")))
        strand = bpy.data.objects["tendon"]
        strand.sinew.strand.belly_start, strand.sinew.strand.belly_end = 0.9, 0.1
        errors, _ = validate.check(bpy.context)
        self.assertGreater(errors, 0)
        self.assertEqual([m.severity for m in strand.sinew.messages], ["error"])
        self.assertIn("belly", strand.sinew.messages[0].text)
        self.assertEqual(len(joint.sinew.messages), 0)
        self.assertEqual(bpy.ops.sinew.select_element(element='Strand "tendon"'), {"FINISHED"})
        self.assertEqual(bpy.context.object, strand)
        strand.sinew.strand.belly_start, strand.sinew.strand.belly_end = 0.0, 1.0
        self.assertEqual(validate.check(bpy.context)[0], 0)
        self.assertEqual(len(strand.sinew.messages), 0)


class Remove(common.Case):
    def test_strand_goes_with_its_constraints(self):
        scenes.arm()
        strand = bpy.data.objects["tendon"]
        points = [tuple(p.co) for p in strand.data.splines[0].points]
        common.select(strand)
        self.assertEqual(bpy.ops.sinew.remove(), {"FINISHED"})
        self.assertEqual(strand.sinew.kind, "NONE")
        self.assertEqual(points, [tuple(p.co) for p in strand.data.splines[0].points])
        self.assertEqual(model.constraints(bpy.context.scene), [])
        self.assertEqual(len(model.bodies(bpy.context.scene)), 2)

    def test_body_takes_its_centre_and_constraints(self):
        scenes.arm()
        body = bpy.data.objects["lower"]
        before = len(model.constraints(bpy.context.scene))
        common.select(body)
        self.assertEqual(bpy.ops.sinew.remove(), {"FINISHED"})
        self.assertNotIn("lower_center", bpy.data.objects)
        self.assertLess(len(model.constraints(bpy.context.scene)), before)
        self.assertEqual(body.type, "MESH")

    def test_everything(self):
        for bones in (False, True):
            bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
            scenes.arm(bones=bones)
            self.assertEqual(bpy.ops.sinew.remove(all=True), {"FINISHED"})
            self.assertEqual(model.bodies(bpy.context.scene), [])
            for thing in bpy.context.scene.objects:
                self.assertEqual(thing.sinew.kind, "NONE")
                self.assertFalse([key for key in thing.keys() if key.startswith("sinew_")], thing.name)

    def test_deleted_bodies_leave_broken_constraints_which_go(self):
        scenes.arm()
        bpy.data.objects.remove(bpy.data.objects["lower"])
        before = len(model.constraints(bpy.context.scene))
        self.assertEqual(bpy.ops.sinew.delete_broken(), {"FINISHED"})
        self.assertLess(len(model.constraints(bpy.context.scene)), before)
        for thing in model.constraints(bpy.context.scene):
            self.assertFalse(primitives.is_broken(thing))


if __name__ == "__main__":
    common.main()
