# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulated motion on bones and objects, in an action of its own.

Invariants:
1. The animator's action is not touched: a copy takes its place, in which the curves of the bodies are exchanged. `clear`
   puts the old one back; until then the armature or object keeps a reference to it (`BEFORE`), so that it is saved.
2. Channels that the animator has not keyed come back too (`PLACE`).
3. Constraints on bones that are baked are muted and remembered (`MUTED`): they would overrule the motion.
"""

import bpy
import numpy

from . import bake, compat, markers, model, spaces

BEFORE = "sinew_before"  # on an object: its action before the bake; 0: it had none
MUTED = "sinew_muted"  # on an object: names of constraints that the bake has muted
PLACE = "sinew_place"  # on an object: where it, or its bones, stood before the bake
IDENTITY = numpy.eye(4)


def array(matrix):
    return numpy.array([list(row) for row in matrix], dtype=float)


# ---- what moves -----------------------------------------------------------------------------------------------------

TRANSFORM = ("location", "rotation", "scale", "delta_")


def is_static(thing):
    """Whether an object's place in the world does not depend on the frame, as far as can be told without looking."""
    while thing:
        if len(thing.constraints) or (thing.parent and thing.parent_type != "OBJECT"):
            return False
        data = thing.animation_data
        if data:
            if len(data.nla_tracks) or any(d.data_path.startswith(TRANSFORM) for d in data.drivers):
                return False
            if data.action and any(curve.data_path.startswith(TRANSFORM)
                                   for curve in compat.fcurves(thing, data.action)):
                return False
        thing = thing.parent
    return True


def sample(context, scene, frames, wanted):
    """wanted(depsgraph) on every frame, as a list; the frame is put back."""
    before = (scene.frame_current, scene.frame_subframe)
    found = []
    markers.paused = True  # they are not looked at, and take longer than the rest
    try:
        for frame in frames:
            whole = int(numpy.floor(frame))
            scene.frame_set(whole, subframe=float(frame - whole))
            found.append(wanted(context.evaluated_depsgraph_get()))
    finally:
        markers.paused = False
        scene.frame_set(before[0], subframe=before[1])
    return found


def world_matrices(context, scene, frames, things):
    """Matrices of objects on every frame: n x 4 x 4 each, or 4 x 4 where it does not move. By object."""
    still = {thing: array(thing.matrix_world) for thing in things if is_static(thing)}
    moving = [thing for thing in things if thing not in still]
    if moving:
        rows = sample(context, scene, frames, lambda graph: [array(thing.evaluated_get(graph).matrix_world)
                                                             for thing in moving])
        for i, thing in enumerate(moving):
            still[thing] = numpy.array([row[i] for row in rows])
    return still


# ---- simulated poses ------------------------------------------------------------------------------------------------


def simulated_worlds(scene, replay, bodies, rest):
    """The bodies' axes in Blender's world on every frame, with the scale that they have at rest: by body."""
    axes = array(spaces.world_from_model(scene, metres=True))
    turn = axes[:3, :3] / numpy.cbrt(numpy.linalg.det(axes[:3, :3]))
    found = {}
    for body in bodies:
        poses = replay.body(body.name)
        if poses is None:
            continue
        local = bake.pose_matrices(poses)
        scale = numpy.array(rest[body].to_scale())
        world = numpy.tile(IDENTITY, (len(local), 1, 1))
        world[:, :3, :3] = (turn @ local[:, :3, :3]) * scale
        world[:, :3, 3] = local[:, :3, 3] @ axes[:3, :3].T + axes[:3, 3]
        found[body] = world
    return found


def _bone_poses(armature, worlds, seen):
    """Pose matrices (armature space) of all bones that are bodies or lie between bodies; seen: by bone, as animated."""
    count = len(next(iter(worlds.values())))
    back = numpy.linalg.inv(seen["world"])
    poses = {}
    for bone in armature.data.bones:  # parents come first
        body = model.Body(armature, bone.name)
        if body in worlds:
            poses[bone.name] = back @ worlds[body] @ numpy.linalg.inv(array(body.frame))
        elif bone.parent and bone.parent.name in poses:
            offset = numpy.linalg.inv(seen[bone.parent.name]) @ seen[bone.name]
            poses[bone.name] = poses[bone.parent.name] @ offset
        else:
            poses[bone.name] = numpy.broadcast_to(seen[bone.name], (count, 4, 4))
    return poses


def _needs_looking(armature, bodies):
    """Whether poses of bones that are no bodies, or the armature itself, move under bodies."""
    names = {body.bone for body in bodies if body.object == armature}
    above = {armature.data.bones[name].parent for name in names} - {None}
    return not is_static(armature) or any(bone.name not in names for bone in above)


def _look(context, scene, armature, frames, bodies):
    """World matrix and pose of every bone as animated: arrays of n x 4 x 4, or at rest where that is enough."""
    bones = [bone.name for bone in armature.data.bones]
    if not _needs_looking(armature, bodies):
        seen = {name: array(armature.data.bones[name].matrix_local) for name in bones}
        seen["world"] = array(armature.matrix_world)
        return seen

    def poses(graph):
        thing = armature.evaluated_get(graph)
        return [array(thing.matrix_world)] + [array(thing.pose.bones[name].matrix) for name in bones]
    rows = sample(context, scene, frames, poses)
    seen = {name: numpy.array([row[i + 1] for row in rows]) for i, name in enumerate(bones)}
    seen["world"] = numpy.array([row[0] for row in rows])
    return seen


def _basis(armature, name, poses):
    """matrix_basis of a bone on every frame."""
    bone = armature.data.bones[name]
    rest = numpy.linalg.inv(array(bone.matrix_local))
    if bone.parent is None:
        return rest @ poses[name]
    return rest @ array(bone.parent.matrix_local) @ numpy.linalg.inv(poses[bone.parent.name]) @ poses[name]


# ---- actions --------------------------------------------------------------------------------------------------------


CHANNELS = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle")


def _movers(thing):
    """What moves, by name: the object itself, or the bones that are bodies."""
    if thing.type != "ARMATURE" or thing.sinew.kind == "BODY":
        return {"": thing}
    return {pose.name: pose for pose in thing.pose.bones if pose.bone.sinew.kind == "BODY"}


def _own_action(thing):
    """An action for simulated motion in place of the animator's, which is kept."""
    thing[PLACE] = _places(thing)
    data = thing.animation_data or thing.animation_data_create()
    old = data.action
    thing[BEFORE] = old if old else 0
    action = old.copy() if old else bpy.data.actions.new(thing.name)
    action.name = f"{old.name if old else thing.name} simulated"
    action[bake.ACTION] = True
    action.use_fake_user = False
    compat.assign_action(thing, action)
    return action


def _rotation_channels(owner, path, matrices):
    """(path, index, values) of the rotation in the mode that the owner has."""
    rotations = bake.quaternions(matrices)
    mode = owner.rotation_mode
    if mode == "QUATERNION":
        return [(path + "rotation_quaternion", axis, rotations[:, axis]) for axis in range(4)]
    from mathutils import Quaternion
    if mode == "AXIS_ANGLE":
        turns = [Quaternion(q).to_axis_angle() for q in rotations]
        rows = numpy.array([[angle, *axis] for axis, angle in turns])
        return [(path + "rotation_axis_angle", axis, rows[:, axis]) for axis in range(4)]
    rows, last = [], None
    for q in rotations:
        last = Quaternion(q).to_euler(mode, last) if last else Quaternion(q).to_euler(mode)
        rows.append(list(last))
    return [(path + "rotation_euler", axis, [row[axis] for row in rows]) for axis in range(3)]


def _channels(owner, path, matrices):
    channels = [(path + "location", axis, matrices[:, axis, 3]) for axis in range(3)]
    return channels + _rotation_channels(owner, path, matrices)


def _put(thing, frames, channels):
    """Exchanges the curves of these channels in the object's action."""
    paths = {path for path, _, _ in channels}
    curves = compat.fcurves(thing, thing.animation_data.action)
    for curve in [curve for curve in curves if curve.data_path in paths]:
        curves.remove(curve)
    bake.add_curves(thing, thing.name, frames, channels)


def _mute(thing, constraints, name):
    muted = list(thing.get(MUTED, []))
    for constraint in constraints:
        if not constraint.mute:
            constraint.mute = True
            muted.append(f"{name}\n{constraint.name}")
    if muted:
        thing[MUTED] = muted


def _bake_armature(context, scene, armature, frames, worlds, bodies):
    seen = _look(context, scene, armature, frames, bodies)
    poses = _bone_poses(armature, worlds, seen)
    _own_action(armature)
    channels = []
    for body in bodies:
        if body.object == armature and body in worlds:
            bone = armature.pose.bones[body.bone]
            path = f'pose.bones["{bpy.utils.escape_identifier(body.bone)}"].'
            channels += _channels(bone, path, _basis(armature, body.bone, poses))
            _mute(armature, bone.constraints, body.bone)
    _put(armature, frames, channels)


def _bake_object(context, scene, thing, frames, world):
    basis = world
    if thing.parent:
        above = world_matrices(context, scene, frames, [thing.parent])[thing.parent]
        if thing.parent_type == "BONE":
            above = above @ _parent_bone(context, scene, thing, frames)
        basis = numpy.linalg.inv(above @ array(thing.matrix_parent_inverse)) @ world
    _own_action(thing)
    _mute(thing, thing.constraints, "")
    _put(thing, frames, _channels(thing, "", basis))


def _parent_bone(context, scene, thing, frames):
    """The tail of the bone that an object hangs on, in the armature's space."""
    tail = numpy.eye(4)
    tail[1, 3] = thing.parent.data.bones[thing.parent_bone].length
    rows = sample(context, scene, frames, lambda graph: array(
        thing.parent.evaluated_get(graph).pose.bones[thing.parent_bone].matrix))
    return numpy.array(rows) @ tail


def _depth(thing):
    return 0 if thing.parent is None else 1 + _depth(thing.parent)


def bake_bodies(context, scene, replay, frames):
    """Puts the simulated motion on all bodies. Returns how many moved."""
    bodies = [body for body in model.bodies(scene) if replay.body(body.name) is not None]
    graph = context.evaluated_depsgraph_get()
    worlds = simulated_worlds(scene, replay, bodies, {body: body.world(graph) for body in bodies})
    for armature in {body.object for body in bodies if body.bone}:
        _bake_armature(context, scene, armature, frames, worlds, bodies)
    for body in sorted((body for body in bodies if not body.bone), key=lambda body: _depth(body.object)):
        _bake_object(context, scene, body.object, frames, worlds[body])
    return len(worlds)


# ---- back again -----------------------------------------------------------------------------------------------------


def clear_bodies(scene):
    """The animator's actions and constraints as they were."""
    for thing in scene.objects:
        if BEFORE not in thing:
            continue
        before = thing[BEFORE]
        ours = thing.animation_data.action if thing.animation_data else None
        if before:
            compat.assign_action(thing, before)
        elif thing.animation_data:
            thing.animation_data.action = None
        del thing[BEFORE]
        if ours and ours.get(bake.ACTION) and not ours.users:
            bpy.data.actions.remove(ours)
        data = thing.animation_data
        if data and not data.action and not len(data.drivers) and not len(data.nla_tracks):
            thing.animation_data_clear()
        _set_muted(thing, False)
        _put_back(thing, thing.get(PLACE) or {})
        for name in (MUTED, PLACE):
            if name in thing:
                del thing[name]


def _set_muted(thing, mute):
    for entry in list(thing.get(MUTED, [])):
        bone, name = entry.split("\n", 1)
        holder = thing.pose.bones.get(bone) if bone else thing
        constraint = holder.constraints.get(name) if holder else None
        if constraint:
            constraint.mute = mute


def _places(thing):
    return {name: {channel: list(getattr(mover, channel)) for channel in CHANNELS}
            for name, mover in _movers(thing).items()}


def _put_back(thing, places):
    movers = _movers(thing)
    for name, channels in places.items():
        if name in movers:
            for channel, values in channels.items():
                setattr(movers[name], channel, list(values))


class animators_motion:
    """While the block runs, the bodies have the animator's motion again: what is to be followed is never a result. Baked
    strands hold still meanwhile: thousands of F-curves that nobody looks at take longer than all the rest."""

    def __init__(self, scene):
        self.things = [thing for thing in scene.objects if BEFORE in thing and thing.animation_data]
        self.strands = [thing.data for thing in model.strands(scene) if bake.REST in thing.data
                        and thing.data.animation_data and thing.data.animation_data.action]
        self.kept, self.held = {}, {}

    def __enter__(self):
        for data in self.strands:
            self.held[data] = data.animation_data.action
            data.animation_data.action = None
        for thing in self.things:
            self.kept[thing] = (thing.animation_data.action, _places(thing))
            _set_muted(thing, False)
            _put_back(thing, thing.get(PLACE) or {})
            if thing[BEFORE]:
                compat.assign_action(thing, thing[BEFORE])
            else:
                thing.animation_data.action = None

    def __exit__(self, *_):
        for data, action in self.held.items():
            compat.assign_action(data, action)
        for thing, (action, places) in self.kept.items():
            _set_muted(thing, True)
            _put_back(thing, places)
            if action:
                compat.assign_action(thing, action)
