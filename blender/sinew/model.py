# SPDX-License-Identifier: GPL-3.0-or-later
"""The model in a Blender scene: its bodies, strands and the rest, found by what the property groups say.

A model is everything in the scene that has a kind. A body is an object or a bone; `Body` hides which.

A bone's axes are the animator's: head at the joint, along the bone. The axes of its body in the files may be others;
the bone keeps the difference (`sinew_frame`, the body in the axes of the bone at rest; none: they are the same).
"""
import os

import bpy
from mathutils import Matrix

from . import properties

FRAME = "sinew_frame"  # on a bone: its body's axes seen from the bone, 16 numbers row by row
NODE = "sinew_node"  # on an object or bone: name of its scene node where that is not the element's name
REST = "sinew_rest"  # on a curve: x, y, z and radius of the control points before a bake


def name_of(owner):
    """Name of an element in the files."""
    return owner.sinew.name or owner.name


def node_of(owner):
    """Name of the scene node of an object or bone."""
    return owner.get(NODE) or name_of(owner)


class Body:
    """A rigid body: `owner` is the object or the bone (of the armature's data) that has its properties."""

    def __init__(self, thing, bone=""):
        self.object, self.bone = thing, bone

    def __eq__(self, other):
        return isinstance(other, Body) and self.object == other.object and self.bone == other.bone

    def __hash__(self):
        return hash((self.object.name, self.bone))

    @property
    def owner(self):
        return self.object.data.bones[self.bone] if self.bone else self.object

    @property
    def name(self):
        return name_of(self.owner)

    @property
    def settings(self):
        return self.owner.sinew.body

    @property
    def frame(self):
        """The body's axes seen from the bone or object."""
        numbers = self.owner.get(FRAME) if self.bone else None
        if numbers is None:
            return Matrix()
        return Matrix([list(numbers[i:i + 4]) for i in (0, 4, 8, 12)])

    def world(self, depsgraph):
        """The body's axes in Blender's world, as evaluated; may be scaled."""
        thing = self.object.evaluated_get(depsgraph)
        if not self.bone:
            return thing.matrix_world.copy()
        return thing.matrix_world @ thing.pose.bones[self.bone].matrix @ self.frame

    def rest_world(self, depsgraph):
        """The same with the armature at rest."""
        thing = self.object.evaluated_get(depsgraph)
        if not self.bone:
            return thing.matrix_world.copy()
        return thing.matrix_world @ self.owner.matrix_local @ self.frame

    def pose_matrix(self, world):
        """The matrix (in the armature's space) that a pose bone needs so that its body is there in the world."""
        return self.object.matrix_world.inverted() @ world @ self.frame.inverted()


def bodies(scene):
    """All bodies, in the order of the files."""
    found = []
    for thing in scene.objects:
        if thing.sinew.kind == "BODY":
            found.append(Body(thing))
        if thing.type == "ARMATURE":
            found += [Body(thing, bone.name) for bone in thing.data.bones if bone.sinew.kind == "BODY"]
    return sorted(found, key=lambda body: (body.owner.sinew.order, body.name))


def of_kind(scene, *kinds):
    """Objects of these kinds, in the order of the files."""
    found = [thing for thing in scene.objects if thing.sinew.kind in kinds]
    return sorted(found, key=lambda thing: (thing.sinew.order, name_of(thing)))


def strands(scene):
    return of_kind(scene, "STRAND")


def constraints(scene):
    return of_kind(scene, *properties.CONSTRAINTS)


def body_of(ref):
    """The body that a reference points at, or None: nothing, or no body any more."""
    thing = ref.object
    if not thing:
        return None
    if thing.type == "ARMATURE" and ref.bone:
        bone = thing.data.bones.get(ref.bone)
        return Body(thing, ref.bone) if bone and bone.sinew.kind == "BODY" else None
    return Body(thing) if thing.sinew.kind == "BODY" else None


def point_at(ref, body):
    """Makes a reference point at a body; None: at nothing."""
    ref.object = body.object if body else None
    ref.bone = body.bone if body else ""


def parent_body(thing):
    """The body that an object is part of: itself, or the nearest one above."""
    while thing:
        if thing.sinew.kind == "BODY":
            return Body(thing)
        if thing.parent and thing.parent_type == "BONE":
            bone = thing.parent.data.bones.get(thing.parent_bone)
            while bone:
                if bone.sinew.kind == "BODY":
                    return Body(thing.parent, bone.name)
                bone = bone.parent
        thing = thing.parent
    return None


def next_order(scene):
    """A place behind everything that is there."""
    orders = [thing.sinew.order for thing in scene.objects]
    orders += [bone.sinew.order for thing in scene.objects if thing.type == "ARMATURE" for bone in thing.data.bones]
    return max(orders, default=0) + 1


def frame_range(scene):
    """First and last frame of the shot."""
    settings = scene.sinew
    if settings.own_range:
        return settings.frame_start, settings.frame_end
    return scene.frame_start, scene.frame_end


def folder(scene):
    """The folder of the model's files: beside the .blend, or in Blender's temporary folder before it is saved."""
    path = scene.sinew.folder
    if path.startswith("//") and not bpy.data.filepath:
        return os.path.join(bpy.app.tempdir, path[2:] or "sinew")
    return bpy.path.abspath(path)
