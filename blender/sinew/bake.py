# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts what was simulated onto curves, objects and bones, and takes it off again.

Strands become F-curves, which an animator can edit, or a PC2 point cache on the NURBS curve, which is small and fast.

Invariants:
1. Everything that a bake adds is found again by its data path or name (`POINT_PATH`, `COLOUR_PATHS`, `MODIFIER`), so that
   `clear` takes off all of it and nothing else: keys that the user made on the same object stay.
2. The shape, radii and colour that a strand had before its first bake are kept on it (`REST`) and come back with `clear`.
   `rest_points` gives that shape at any time: what is exported is never a baked pose.
3. A bake checks everything before it touches anything.
"""

import functools
import os
import re

import bpy
import numpy

from . import compat, replay as replays

MODIFIER = "sinew bake"
REST = "sinew_rest"  # on the curve: coordinates and radii before the first bake
ACTION = "sinew_bake"  # on an action that a bake has made
ACTIVATION = "activation"  # custom property of a strand's object
POINT_PATH = re.compile(r"splines\[\d+\]\.points\[\d+\]\.(co|radius)$")
COLOUR_PATHS = ("color", f'["{ACTIVATION}"]')
ACTIVE_COLOUR = (1.00, 0.72, 0.28)  # muscle at work: the palette of src/page/tissue.h
LINEAR = 1  # number of the interpolation in Blender's files


class BakeError(Exception):
    """Why nothing was baked, in words for the user."""


# ---- frames ---------------------------------------------------------------------------------------------------------


def frames_per_second(scene):
    return scene.render.fps / scene.render.fps_base


def frame_numbers(replay, scene, start):
    """The scene's frame for each frame of the replay; whole numbers where they are meant to be."""
    frames = start + (replay.time - replay.time[0]) * frames_per_second(scene)
    near = numpy.round(frames)
    return numpy.where(numpy.abs(frames - near) < 1e-3, near, frames)


def apply_matrix(matrix, points):
    """points: ... x 3, matrix: 4 x 4 or one for each of the first index."""
    m = numpy.asarray(matrix, dtype=float)
    if m.ndim == 2:
        return points @ m[:3, :3].T + m[:3, 3]
    return numpy.einsum("nij,npj->npi", m[:, :3, :3], points) + m[:, None, :3, 3]


# ---- F-curves -------------------------------------------------------------------------------------------------------


def _take_action(datablock, name):
    """The action of a datablock; a new one, marked as ours, where there is none."""
    data = datablock.animation_data or datablock.animation_data_create()
    if not data.action:
        action = bpy.data.actions.new(name)
        action[ACTION] = True
        compat.assign_action(datablock, action)
    return data.action


def add_curves(datablock, name, frames, channels):
    """channels: (data path, index, values) each. F-curves with a key on every frame, straight in between."""
    curves = compat.fcurves(datablock, _take_action(datablock, name))
    pairs = numpy.empty(2 * len(frames), dtype=numpy.float32)
    pairs[0::2] = frames
    straight = numpy.full(len(frames), LINEAR, dtype=numpy.int32)
    for path, index, values in channels:
        curve = curves.new(path, index=index)
        keys = curve.keyframe_points
        keys.add(len(frames))
        pairs[1::2] = values
        keys.foreach_set("co", pairs)
        keys.foreach_set("interpolation", straight)
        curve.update()


def remove_curves(datablock, ours):
    """Takes off the F-curves whose data path is ours; an action that a bake made and that is empty goes too."""
    data = datablock.animation_data
    if not data or not data.action:
        return
    action = data.action
    curves = compat.fcurves(datablock, action)
    for curve in [curve for curve in curves if ours(curve.data_path)]:
        curves.remove(curve)
    if action.get(ACTION) and not len(curves):
        data.action = None
        if not action.users:
            bpy.data.actions.remove(action)
    if not data.action and not len(data.drivers) and not len(data.nla_tracks):
        datablock.animation_data_clear()


# ---- strands --------------------------------------------------------------------------------------------------------


def spline_of(thing):
    if thing.type != "CURVE" or not len(thing.data.splines):
        raise BakeError(f"{thing.name} has no curve")
    return thing.data.splines[0]


def current_points(thing):
    """Control points as they are now, points x 3, and radii."""
    points = spline_of(thing).points
    flat, radii = numpy.empty(4 * len(points), dtype=numpy.float32), numpy.empty(len(points), dtype=numpy.float32)
    points.foreach_get("co", flat)
    points.foreach_get("radius", radii)
    return flat.reshape(-1, 4)[:, :3].astype(float), radii.astype(float)


def rest_points(thing):
    """Control points before any bake, in the space of the object: what the model is."""
    points, radii = current_points(thing)
    kept = thing.data.get(REST)
    if kept is None or len(kept) != 4 * len(radii):
        return points, radii
    kept = numpy.array(kept, dtype=float).reshape(-1, 4)
    return kept[:, :3], kept[:, 3]


def _keep_rest(thing):
    points, radii = rest_points(thing)
    thing.data[REST] = numpy.column_stack([points, radii]).ravel().tolist()
    return points, radii


def _set_points(thing, points, radii):
    place = spline_of(thing).points
    flat = numpy.empty(4 * len(place), dtype=numpy.float32)
    place.foreach_get("co", flat)
    table = flat.reshape(-1, 4)
    table[:, :3] = points
    place.foreach_set("co", flat)
    place.foreach_set("radius", numpy.asarray(radii, dtype=numpy.float32))
    thing.data.update_tag()


def belly_radii(points, rest, radii, start, end):
    """Radii of the control points while the belly, from start to end of the strand, keeps its volume: n x points."""
    n = rest.shape[0]
    place = numpy.linspace(0, 1, n)
    inside = (place > start - 1e-9) & (place < end + 1e-9)
    factor = numpy.ones((points.shape[0], n))
    if end > start and inside.sum() > 1:
        def length(p):
            return numpy.linalg.norm(numpy.diff(p[..., inside, :], axis=-2), axis=-1).sum(-1)
        now = numpy.maximum(length(points), 1e-9)
        factor[:, inside] = numpy.clip(numpy.sqrt(length(rest) / now), 0.5, 2.0)[:, None]
    return factor * radii


def clear_strand(thing):
    """Takes off everything that a bake has put on a strand."""
    data = thing.data
    for modifier in [m for m in thing.modifiers if m.type == "MESH_CACHE" and m.name.startswith(MODIFIER)]:
        thing.modifiers.remove(modifier)
    remove_curves(data, lambda path: POINT_PATH.match(path))
    remove_curves(thing, lambda path: path in COLOUR_PATHS)
    kept = data.get(REST)
    if kept is not None:
        if len(kept) == 4 * len(spline_of(thing).points):
            table = numpy.array(kept, dtype=float).reshape(-1, 4)
            _set_points(thing, table[:, :3], table[:, 3])
        del data[REST]
    if ACTIVATION in thing:
        del thing[ACTIVATION]
    colour = thing.get(REST)
    if colour is not None:
        thing.color = list(colour)
        del thing[REST]


def check_strand(thing, points):
    count = len(spline_of(thing).points)
    if points.shape[1] != count:
        raise BakeError(f"{thing.name} has {count} control points, but {points.shape[1]} in the replay: "
                        "simulate again after changing a strand")


def bake_strand_curves(thing, frames, points, radii=None):
    """points: n x points x 3 in the space of the object. Editable F-curves on the control points."""
    check_strand(thing, points)
    _keep_rest(thing)
    remove_curves(thing.data, lambda path: POINT_PATH.match(path))
    channels = [(f"splines[0].points[{i}].co", axis, points[:, i, axis])
                for i in range(points.shape[1]) for axis in range(3)]
    if radii is not None:
        moving = numpy.ptp(radii, axis=0) > 1e-4
        channels += [(f"splines[0].points[{i}].radius", 0, radii[:, i]) for i in numpy.flatnonzero(moving)]
    add_curves(thing.data, f"{thing.name} strand", frames, channels)


def bake_strand_cache(thing, frames, points, path):
    """points as above, into a PC2 file that a Mesh Cache modifier plays. Frames must be evenly spaced."""
    check_strand(thing, points)
    replays.write_pc2(bpy.path.abspath(path), points)
    add_strand_cache(thing, frames, path)


def add_strand_cache(thing, frames, path):
    """The modifier alone, for a file that is there."""
    step = (frames[-1] - frames[0]) / (len(frames) - 1) if len(frames) > 1 else 1.0
    add_cache_modifier(thing, path, frames[0], step)


def add_cache_modifier(thing, path, start, step=1.0, name=MODIFIER):
    """A Mesh Cache that plays a PC2 whose samples are `step` frames apart, from frame `start`. Comes first."""
    modifier = thing.modifiers.get(name) or thing.modifiers.new(name, "MESH_CACHE")
    modifier.cache_format = "PC2"
    modifier.filepath = path
    modifier.interpolation = "LINEAR"
    modifier.play_mode, modifier.time_mode = "SCENE", "FRAME"
    modifier.frame_start, modifier.frame_scale = start / step, 1.0 / step  # sample = scale * frame - start
    modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"
    modifier.flip_axis = set()
    if thing.type == "CURVE":
        modifier.use_apply_on_spline = True
    return modifier


def cache_of(thing):
    """The modifier that plays a strand's point cache, or None."""
    for modifier in thing.modifiers:
        if modifier.type == "MESH_CACHE" and modifier.name.startswith(MODIFIER) and modifier.show_viewport:
            return modifier
    return None


@functools.lru_cache(maxsize=256)
def _samples(path, _state):
    return replays.read_pc2(path)


def cached_points(modifier, frame):
    """Control points as a strand's point cache gives them for a frame. ReplayError: the file is gone or broken."""
    path = bpy.path.abspath(modifier.filepath)
    state = os.stat(path) if os.path.exists(path) else None
    samples = _samples(path, state and (state.st_mtime_ns, state.st_size))  # read again when it was written again
    at = min(max(modifier.frame_scale * frame - modifier.frame_start, 0.0), len(samples) - 1.0)
    low = int(at)
    high = min(low + 1, len(samples) - 1)
    return samples[low] + (at - low) * (samples[high].astype(float) - samples[low])


def bake_activation(thing, frames, levels):
    """The activation as a custom property and as the object's colour, from its own to red."""
    if thing.get(REST) is None:
        thing[REST] = list(thing.color)
    colour = numpy.array(thing[REST], dtype=float)
    thing[ACTIVATION] = float(levels[0])
    compat.describe_property(thing, ACTIVATION, "Activation of the muscle, from 0 to 1", 0.0, 1.0)
    remove_curves(thing, lambda path: path in COLOUR_PATHS)
    share = numpy.sqrt(numpy.clip(levels, 0, 1))  # small activations show too
    channels = [(COLOUR_PATHS[1], 0, levels)]
    for axis in range(3):
        channels.append(("color", axis, colour[axis] + (ACTIVE_COLOUR[axis] - colour[axis]) * share))
    add_curves(thing, f"{thing.name} activation", frames, channels)


# ---- bones ----------------------------------------------------------------------------------------------------------


def pose_matrices(poses):
    """n x 7 (position, quaternion w first) to n x 4 x 4."""
    q = poses[:, 3:] / numpy.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
    w, x, y, z = q.T
    m = numpy.zeros((len(poses), 4, 4))
    m[:, 0, 0], m[:, 0, 1], m[:, 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)
    m[:, 1, 0], m[:, 1, 1], m[:, 1, 2] = 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)
    m[:, 2, 0], m[:, 2, 1], m[:, 2, 2] = 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)
    m[:, :3, 3], m[:, 3, 3] = poses[:, :3], 1
    return m


def quaternions(m):
    """n x 4 x 4 rotations to n x 4, w first, without jumps of sign from frame to frame."""
    from mathutils import Matrix
    q = numpy.array([Matrix(matrix[:3, :3].tolist()).to_quaternion()[:] for matrix in m])
    for i in range(1, len(q)):
        if q[i] @ q[i - 1] < 0:
            q[i] = -q[i]
    return q


def file_name(name):
    """A name of an object as a name of a file."""
    return re.sub(r"[^\w.-]", "_", name) or "_"
