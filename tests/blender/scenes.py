# SPDX-License-Identifier: GPL-3.0-or-later
"""Small models that the tests build in Blender with the operators a user has."""
import bpy

import common


def box(name, size, place, parent=None):
    """A box mesh with its origin at its left end: x from 0 to the size."""
    x, y, z = size[0], size[1] / 2, size[2] / 2
    corners = [(a, b, c) for a in (0, x) for b in (-y, y) for c in (-z, z)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    data = bpy.data.meshes.new(name)
    data.from_pydata(corners, [], faces)
    thing = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(thing)
    thing.location = place
    thing.parent = parent
    return thing


def curve(name, points, kind="NURBS"):
    data = bpy.data.curves.new(name, "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new(kind)
    spline.points.add(len(points) - 1)
    for point, place in zip(spline.points, points):
        point.co = (*place, 1.0)
    thing = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def done(result):
    assert result == {"FINISHED"}, result


def _armature():
    data = bpy.data.armatures.new("rig")
    thing = bpy.data.objects.new("rig", data)
    bpy.context.scene.collection.objects.link(thing)
    common.select(thing)
    bpy.ops.object.mode_set(mode="EDIT")
    upper = data.edit_bones.new("upper")
    upper.head, upper.tail = (-0.3, 0, 0), (0, 0, 0)
    lower = data.edit_bones.new("lower")
    lower.head, lower.tail = (0, 0, 0), (0.3, 0, 0)
    lower.parent = upper
    bpy.ops.object.mode_set(mode="OBJECT")
    return thing


def _bone_bodies(rig):
    for name, place in (("upper_mesh", (-0.3, 0, 0)), ("lower_mesh", (0, 0, 0))):
        mesh = box(name, (0.3, 0.03, 0.03), place)
        bone = name[:5]
        matrix = mesh.matrix_world.copy()
        matrix.translation = place
        mesh.parent, mesh.parent_type, mesh.parent_bone = rig, "BONE", bone
        bpy.context.view_layer.update()
        mesh.matrix_world = matrix
    bpy.context.view_layer.update()
    common.select(rig)
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="SELECT")
    done(bpy.ops.sinew.make_body())
    rig.data.bones.active = rig.data.bones["lower"]
    done(bpy.ops.sinew.make_joint(type="hinge"))
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.data.bones["upper"].sinew.body.pinned = True


def _object_bodies():
    upper = box("upper", (0.3, 0.03, 0.03), (-0.3, 0, 0))
    lower = box("lower", (0.3, 0.03, 0.03), (0, 0, 0))
    bpy.context.view_layer.update()
    common.select(upper, lower)
    done(bpy.ops.sinew.make_body())
    joint = bpy.data.objects.new("lower_joint", None)
    bpy.context.scene.collection.objects.link(joint)
    joint.rotation_euler = (1.5707963267948966, 0, 0)
    common.select(upper, lower, joint)
    done(bpy.ops.sinew.make_joint(type="hinge"))
    upper.sinew.body.pinned = True


def arm(bones=False):
    """An upper arm that is held, a lower arm on a hinge, and a tendon over both with a pulley."""
    rig = _armature() if bones else None
    if bones:
        _bone_bodies(rig)
    else:
        _object_bodies()
    tendon = curve("tendon", [(-0.25, 0, 0.03), (-0.15, 0, 0.04), (-0.05, 0, 0.05), (0.0, 0, 0.05), (0.05, 0, 0.04),
                              (0.1, 0, 0.02)])
    common.select(tendon)
    done(bpy.ops.sinew.make_strand(radius=0.003))
    for body, kind, where, position in (("upper", "FIXED", "ORIGIN", 0), ("upper", "SLIDING", "POSITION", 0.55),
                                        ("lower", "FIXED", "INSERTION", 1)):
        if bones:
            rig.data.bones.active = rig.data.bones[body]
        common.select(tendon, rig if bones else bpy.data.objects[body])
        done(bpy.ops.sinew.add_constraint(kind=kind, where=where, position=position))
    bpy.context.view_layer.update()
    return rig
