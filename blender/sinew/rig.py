# SPDX-License-Identifier: GPL-3.0-or-later
"""The armature of an imported model: a bone for each body, and a motion as an action on it.

A bone's head is at the joint to its parent, it points to the joints of its children, and its z axis is the first axis
of the joint, so that an animator bends a finger by turning about one axis. Numbers are doubles here (numpy); Blender
rounds them when they are put in.
"""
import bpy
import numpy
from mathutils import Matrix, Vector

from . import compat, model


def rigid(translate, rotate):
    """4 x 4 from a position and a quaternion, w first."""
    w, x, y, z = numpy.asarray(rotate, dtype=float) / numpy.linalg.norm(rotate)
    m = numpy.eye(4)
    m[:3, :3] = ((1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
                 (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
                 (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)))
    m[:3, 3] = translate
    return m


def matrix_of(node):
    """The transform of a node in its parent."""
    return rigid(node.get("translate"), node.get("rotate")) @ numpy.diag([*node.get("scale"), 1.0])


def array(matrix):
    return numpy.array([list(row) for row in matrix], dtype=float)


class Plan:
    """Where a bone goes: frame of its body, parent, joint (all in the model's space, at rest)."""

    def __init__(self, name, frame):
        self.name, self.frame = name, frame
        self.parent = None
        self.joint = None  # frame of the joint to the parent
        self.centre = None  # centre of mass
        self.ends = []  # joints of the children
        self.slides = False  # along the joint as well


def make_plans(bodies, joints, frames, centres):
    """A plan for each body, in an order that has parents first. `frames`: by node name; `centres`: by body name."""
    plans = {}
    for body in bodies:
        plans[body.name] = Plan(body.name, frames[body.get("node") or body.name])
        plans[body.name].centre = centres.get(body.name)
    for joint in joints:
        child, parent = plans.get(joint.get("body_b")), plans.get(joint.get("body_a"))
        frame = frames.get(joint.get("node") or joint.name)
        if not child or frame is None:
            continue
        if child.joint is None and not (parent and _is_above(plans, child, parent)):
            child.joint, child.parent = frame, parent.name if parent else None
        if parent:
            parent.ends.append(frame[:3, 3])
    return _parents_first(plans)


def grow(order, coordinates, metres):
    """The same plans with the parents and joints of a tree: the first coordinate of a body says where its joint is, and its
    axis becomes z. `metres`: a unit of the scene."""
    plans = {plan.name: plan for plan in order}
    for coordinate in coordinates:
        child, parent = plans.get(coordinate.get("body")), plans.get(coordinate.get("parent"))
        if coordinate.get("type") == "slide" and child:
            child.slides = True
        if not child or child.joint is not None:
            continue
        child.joint, child.parent = _about(coordinate.get("axis"), coordinate.get("center"), metres), parent and parent.name
        if parent:
            parent.ends.append(child.joint[:3, 3])
    return _parents_first(plans)


def _about(axis, centre, metres):
    """A frame whose z is this axis."""
    frame = numpy.eye(4)
    z = numpy.asarray(axis, dtype=float) / numpy.linalg.norm(axis)
    x = numpy.cross(numpy.eye(3)[numpy.argmin(numpy.abs(z))], z)
    frame[:3, 0], frame[:3, 2] = x / numpy.linalg.norm(x), z
    frame[:3, 1] = numpy.cross(z, frame[:3, 0])
    frame[:3, 3] = numpy.asarray(centre, dtype=float) / metres
    return frame


def _parents_first(plans):
    order = []

    def add(plan):
        if plan in order:
            return
        if plan.parent:
            add(plans[plan.parent])
        order.append(plan)
    for plan in plans.values():
        add(plan)
    return order


def _is_above(plans, candidate, plan):
    """Whether candidate is plan or one of its parents: making it a child would close a loop."""
    while plan:
        if plan is candidate:
            return True
        plan = plans.get(plan.parent)
    return False


def _head_and_tail(plan, size):
    head = plan.joint[:3, 3] if plan.joint is not None else plan.frame[:3, 3]
    if plan.ends:
        tail = numpy.mean(plan.ends, axis=0)
    elif plan.centre is not None:
        tail = head + 2 * (plan.centre - head)
    else:
        tail = head
    if numpy.linalg.norm(tail - head) < 1e-2 * size:
        tail = head + plan.frame[:3, 1] / numpy.linalg.norm(plan.frame[:3, 1]) * 0.1 * size
    return head, tail


def make_armature(context, name, plans, root, collection):
    """The armature with a bone for each plan; each bone keeps the axes of its body."""
    armature = bpy.data.armatures.new(name)
    thing = bpy.data.objects.new(name, armature)
    collection.objects.link(thing)
    thing.parent = root
    thing.show_in_front = True
    armature.display_type = "STICK"
    places = [plan.frame[:3, 3] for plan in plans] or [numpy.zeros(3)]
    size = max(float(numpy.ptp(places, axis=0).max()), 1e-3)
    compat.select_only(context, [thing])
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        for plan in plans:
            bone = armature.edit_bones.new(plan.name)
            head, tail = _head_and_tail(plan, size)
            bone.head, bone.tail = Vector(head), Vector(tail)
            axes = plan.joint if plan.joint is not None else plan.frame
            bone.align_roll(Vector(axes[:3, 2]))
            if plan.parent:
                bone.parent = armature.edit_bones[plan.parent]
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
    for plan in plans:
        bone = armature.bones[plan.name]
        frame = numpy.linalg.inv(array(bone.matrix_local)) @ plan.frame
        bone[model.FRAME] = frame.ravel().tolist()
        pose = thing.pose.bones[plan.name]
        pose.rotation_mode = "QUATERNION"
        if plan.joint is not None and not plan.slides:
            pose.lock_location = (True, True, True)
    return thing


def lock_hinge(pose):
    """Leaves a hinge its one axis."""
    pose.lock_rotation = (True, True, False)


# ---- motion ---------------------------------------------------------------------------------------------------------


def _quaternions(matrices):
    """Rotations w first, without jumps of sign from frame to frame."""
    found = []
    for matrix in matrices:
        q = Matrix(matrix[:3, :3].tolist()).to_quaternion()
        if found and q.dot(found[-1]) < 0:
            q.negate()
        found.append(q)
    return numpy.array([list(q) for q in found])


def _bases(thing, poses):
    """matrix_basis of each bone and frame from the poses (armature space) of the bones. Bones without one rest."""
    bases = {}
    for bone in thing.data.bones:
        if bone.name not in poses:
            continue
        rest = array(bone.matrix_local)
        above = bone.parent
        if above is None:
            bases[bone.name] = [numpy.linalg.inv(rest) @ pose for pose in poses[bone.name]]
            continue
        offset = numpy.linalg.inv(rest) @ array(above.matrix_local)
        parents = poses.get(above.name) or [array(above.matrix_local)] * len(poses[bone.name])
        bases[bone.name] = [offset @ numpy.linalg.inv(parent) @ pose
                            for parent, pose in zip(parents, poses[bone.name])]
    return bases


def add_curve(curves, path, index, group, frames, values):
    curve = curves.new(path, index=index)
    if group and hasattr(curve, "group"):
        curve.group = group
    keys = curve.keyframe_points
    keys.add(len(frames))
    pairs = numpy.empty(2 * len(frames), dtype=numpy.float32)
    pairs[0::2], pairs[1::2] = frames, values
    keys.foreach_set("co", pairs)
    curve.update()


def make_action(context, thing, motion, name, first):
    """Puts a motion of bodies (metres, model's axes) on the bones of an imported armature, from frame `first` on.
    Returns the action and the last frame."""
    scene = context.scene
    rate = scene.render.fps / scene.render.fps_base
    frames = [first + (time - motion.times[0]) * rate for time in motion.times]
    frames = [round(f) if abs(f - round(f)) < 1e-3 else f for f in frames]
    unit = {"m": 1.0, "cm": 100.0, "mm": 1000.0, "in": 1 / 0.0254}[scene.sinew.space.units]
    poses = {}
    for i, body in enumerate(motion.names):
        bone = next((b for b in thing.data.bones if b.sinew.kind == "BODY" and model.name_of(b) == body), None)
        if bone is None:
            continue
        back = numpy.linalg.inv(numpy.array(bone.get(model.FRAME, numpy.eye(4).ravel()), dtype=float).reshape(4, 4))
        poses[bone.name] = [rigid(numpy.multiply(row[7 * i:7 * i + 3], unit), row[7 * i + 3:7 * i + 7]) @ back
                            for row in motion.poses]
    action = bpy.data.actions.new(name)
    compat.assign_action(thing, action)
    curves = compat.fcurves(thing, action)
    for bone, matrices in _bases(thing, poses).items():
        path = f'pose.bones["{bpy.utils.escape_identifier(bone)}"].'
        group = action.groups.new(bone) if hasattr(action, "groups") else None
        for axis in range(3):
            add_curve(curves, path + "location", axis, group, frames, [m[axis, 3] for m in matrices])
        rotations = _quaternions(matrices)
        for axis in range(4):
            add_curve(curves, path + "rotation_quaternion", axis, group, frames, rotations[:, axis])
    return action, frames[-1] if frames else first
