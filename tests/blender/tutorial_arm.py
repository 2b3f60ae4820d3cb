# SPDX-License-Identifier: GPL-3.0-or-later
"""The second part of docs/blender-tutorial.md, step by step: an own rigged arm, to a first tendon that is baked."""
import os
import re

import bpy
from mathutils import Vector

import common
import scenes
import tutorial_view as view
from sinew import background, model

BICEPS = [(-0.27, 0, 0.025), (-0.2, 0, 0.045), (-0.12, 0, 0.05), (-0.04, 0, 0.05), (0.02, 0, 0.04), (0.05, 0, 0.02)]


def steps(folder, found):
    view.plain_view()
    sidebar = view.Sidebar()
    yield from sidebar.show()
    rig = own_arm()
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(folder, "arm.blend"))
    view.look((0, 0, 0.03), 0.9, (70, 0, 15))
    yield from bodies(folder, sidebar, rig)
    yield from strand(folder, found, sidebar, rig)
    yield from check(folder, found, sidebar)
    yield from track(folder, found, sidebar, rig)
    found["panels"] = sorted(sidebar.drawn)


def own_arm():
    """What the reader has: two bones, a mesh on each, and an animation of the elbow."""
    data = bpy.data.armatures.new("rig")
    rig = bpy.data.objects.new("rig", data)
    bpy.context.scene.collection.objects.link(rig)
    common.select(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    upper, lower = data.edit_bones.new("upper"), data.edit_bones.new("lower")
    upper.head, upper.tail = (-0.3, 0, 0), (0, 0, 0)
    lower.head, lower.tail = (0, 0, 0), (0.3, 0, 0)
    lower.parent = upper
    for bone in (upper, lower):
        bone.align_roll(Vector((0, -1, 0)))
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone, place in (("upper", (-0.3, 0, 0)), ("lower", (0, 0, 0))):
        mesh = scenes.box(bone + " mesh", (0.29, 0.03, 0.03), place)
        matrix = mesh.matrix_world.copy()
        matrix.translation = place
        mesh.parent, mesh.parent_type, mesh.parent_bone = rig, "BONE", bone
        mesh.color = (0.85, 0.8, 0.7, 1)
        bpy.context.view_layer.update()
        mesh.matrix_world = matrix
    data.display_type = "STICK"
    rig.show_in_front = True
    elbow = rig.pose.bones["lower"]
    elbow.rotation_mode = "XYZ"
    for frame, angle in ((1, 0), (8, 0), (40, 1.0), (48, 1.0)):
        elbow.rotation_euler.z = angle
        elbow.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_end = 48
    bpy.context.scene.frame_set(1)
    return rig


def bodies(folder, sidebar, rig):
    """In pose mode: Rigid Body, Joint; the upper arm is pinned."""
    common.select(rig)
    view.do(bpy.ops.object.mode_set, mode="POSE")
    view.do(bpy.ops.pose.select_all, action="SELECT")
    yield from sidebar.open("Make from Selection")
    yield from view.picture(folder, "blender-arm-1")
    view.do(bpy.ops.sinew.make_body)
    rig.data.bones.active = rig.data.bones["lower"]
    view.do(bpy.ops.sinew.make_joint, type="hinge")
    rig.data.bones["upper"].sinew.body.pinned = True
    rig.data.bones.active = rig.data.bones["upper"]
    yield from sidebar.open("Attributes")
    yield from view.picture(folder, "blender-arm-2")
    yield from sidebar.close()
    view.do(bpy.ops.object.mode_set, mode="OBJECT")


def strand(folder, found, sidebar, rig):
    """A curve becomes a strand, held at both ends."""
    biceps = scenes.curve("biceps", BICEPS)
    common.select(biceps)
    yield from sidebar.open("Make from Selection")
    view.do(bpy.ops.sinew.make_strand, radius=0.01)
    for bone, where in (("upper", "ORIGIN"), ("lower", "INSERTION")):
        rig.data.bones.active = rig.data.bones[bone]
        common.select(biceps, rig)
        view.do(bpy.ops.sinew.add_constraint, kind="FIXED", where=where)
    found["constraints"] = [thing.name for thing in model.constraints(bpy.context.scene)]
    yield from view.picture(folder, "blender-arm-3")
    common.select(biceps)


def check(folder, found, sidebar):
    yield from sidebar.open("Model")
    view.do(bpy.ops.sinew.validate)
    found["check"] = bpy.context.scene.sinew.check_result
    yield from sidebar.open("Check")
    yield from view.picture(folder, "blender-arm-4")


def track(folder, found, sidebar, rig):
    scene = bpy.context.scene
    yield from sidebar.open("Simulate")
    view.invoke(bpy.ops.sinew.track)
    yield from view.until(lambda: not background.current)
    scene.frame_set(44)
    found["tracked"] = bpy.context.window_manager.sinew_message
    found["worst"] = float(re.search(r"([-+.e0-9]+) mm at worst", found["tracked"]).group(1))  # mm
    biceps = bpy.data.objects["biceps"]
    found["keys"] = len(biceps.data.animation_data.action.fcurves) if biceps.data.animation_data else 0
    found["activation"] = biceps.get("activation", -1.0)
    yield from view.picture(folder, "blender-arm-5")
    yield from sidebar.open("Bake")
    yield from view.picture(folder, "blender-arm-6")
