# SPDX-License-Identifier: GPL-3.0-or-later
"""A replay on the scene: strands, activations and bones at once, and off again.

Settings of a bake are in Scene.sinew_run. `bake_replay` checks the whole replay against the scene before it changes
anything; `clear` takes off whatever any bake has put on.
"""

import os
import time

import bpy
import numpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty
from bpy_extras.io_utils import ImportHelper

from . import background, bake, bake_bodies, bellies, model, replay as replays, spaces


class SinewPG_Run(bpy.types.PropertyGroup):
    """How to simulate and what to do with the result."""
    strands: EnumProperty(name="Strands as", items=[
        ("CURVES", "F-curves", "Keys on the control points, which can be edited"),
        ("CACHE", "Point cache", "A PC2 file for each strand, small and fast")])
    bones: EnumProperty(name="Bones", items=[
        ("KEEP", "Keep my motion", "The bones stay exactly on the animator's motion"),
        ("SIMULATED", "Take the simulated", "The bones take the motion that the muscles achieve")])
    activation: BoolProperty(name="Activations", default=True,
                             description="Activations as custom properties, and as the colour of the strands")
    radius: BoolProperty(name="Bellies thicken", default=True,
                         description="Bellies keep their volume: they grow thicker as they shorten (F-curves only)")
    bellies: BoolProperty(name="Bellies as meshes", default=True,
                          description="Show the bellies that have a mesh and let them move with their strands, as point caches")
    gravity: FloatProperty(name="Gravity", default=1.0, min=0, max=10, description="Multiplies gravity in a forward simulation")
    settle: BoolProperty(name="Settle first", default=True,
                         description="Let the model come to rest before a forward simulation begins")
    weight: FloatProperty(name="Effort", default=1e-5, min=0, max=1, precision=6,
                          description="Cost of activation, relative to following the motion")
    smooth: FloatProperty(name="Smoothness", default=1e-2, min=0, max=100, precision=4,
                          description="Cost of a change of activation, relative to following the motion")
    feedback: FloatProperty(name="Feedback", default=100, min=0, max=1000,
                            description="How fast an error is corrected, in 1/s")
    loads: StringProperty(name="Loads", description="Forces that the model has to carry, with spaces between: grip=10 is an "
                          "object that presses every digit with 10 N, hand=2kg a weight, dp2@tip=0,0,5 a force in newtons")
    first: IntProperty(name="First frame", default=1, description="Frame of the scene at which the replay begins")
    figures: StringProperty(description="Figures of the last run")


# ---- onto the scene -------------------------------------------------------------------------------------------------


def group_of(scene, strand):
    """The muscle group that a strand belongs to, or None."""
    for thing in model.of_kind(scene, "GROUP"):
        if any(member.object == strand for member in thing.sinew.group.members):
            return thing
    return None


def _muscles(scene):
    """Name of the muscle of each strand: its group's, or its own."""
    names = {thing: model.name_of(thing) for thing in model.strands(scene)}
    for group in model.of_kind(scene, "GROUP"):
        for member in group.sinew.group.members:
            if member.object in names:
                names[member.object] = model.name_of(group)
    return names


def matched(scene, replay):
    """Strands of the scene that the replay has, with their points. BakeError: none, or changed since."""
    found = []
    for thing in model.strands(scene):
        points = replay.strand(model.name_of(thing))
        if points is not None:
            bake.check_strand(thing, points)
            found.append((thing, points))
    if not found:
        raise bake.BakeError("The replay has no strand of this scene")
    return found


def local_points(context, scene, frames, found):
    """The points of each strand in the space of its object."""
    axes = bake_bodies.array(spaces.world_from_model(scene, metres=True))
    worlds = bake_bodies.world_matrices(context, scene, frames, [thing for thing, _ in found])
    return [(thing, bake.apply_matrix(numpy.linalg.inv(worlds[thing]) @ axes, points)) for thing, points in found]


def cache_path(scene, thing):
    """Where the cache of an object goes, as Blender writes it: relative to a saved file."""
    folder = os.path.join(model.folder(scene), "cache")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, bake.file_name(model.name_of(thing)) + ".pc2")
    return bpy.path.relpath(path) if bpy.data.is_saved else path


def _bake_curves(thing, frames, points, settings):
    rest, radii = bake.rest_points(thing)
    strand = thing.sinew.strand
    thick = None
    if settings.radius and strand.belly_end > strand.belly_start:
        thick = bake.belly_radii(points, rest, radii, strand.belly_start, strand.belly_end)
    bake.bake_strand_curves(thing, frames, points, thick)


def _check(replay, settings):
    if not len(replay.time):
        raise bake.BakeError("The replay has no frames")
    if settings.strands == "CACHE" and len(replay.time) > 1 and not replay.rate:
        raise bake.BakeError("The frames of the replay are not evenly spaced: bake it as F-curves")


def _bake_bellies(context, scene, replay, frames, found):
    """Bellies that are meshes play point caches, whatever the strands are baked as. Not where frames are unevenly spaced."""
    if len(frames) > 1 and not replay.rate:
        return
    for mesh, vertices in bellies.motions(context, scene, frames, dict(found).get):
        path = cache_path(scene, mesh)
        replays.write_pc2(bpy.path.abspath(path), vertices)
        bellies.show(mesh, frames, path)


def bake_replay(context, scene, replay, first, bones):
    """Puts a replay on the scene, in place of any that is there. bones: whether bodies take the simulated motion.
    Returns the number of strands and frames."""
    settings = scene.sinew_run
    _check(replay, settings)
    frames = bake.frame_numbers(replay, scene, first)
    found = matched(scene, replay)
    muscles = _muscles(scene)
    local = None
    if all(bake_bodies.is_static(thing) for thing, _ in found):
        local = local_points(context, scene, frames, found)
        if settings.strands == "CACHE":
            _write_caches(scene, local)  # what can fail comes before what changes the scene
    clear(scene)
    if bones:
        bake_bodies.bake_bodies(context, scene, replay, frames)
    if local is None:  # strands on something that moves, which may have got another motion just now
        local = local_points(context, scene, frames, found)
        if settings.strands == "CACHE":
            _write_caches(scene, local)
    for thing, points in local:
        if settings.strands == "CACHE":
            bake.add_strand_cache(thing, frames, cache_path(scene, thing))
        else:
            _bake_curves(thing, frames, points, settings)
        levels = replay.scalar("activation/" + muscles[thing]) if settings.activation else None
        if levels is not None:
            bake.bake_activation(thing, frames, levels)
    if settings.bellies:
        _bake_bellies(context, scene, replay, frames, found)
    settings.first = first
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
    return len(found), len(frames)


def _write_caches(scene, local):
    for thing, points in local:
        replays.write_pc2(bpy.path.abspath(cache_path(scene, thing)), points)


def clear(scene):
    """Takes off everything that a bake has put on the scene. Returns whether there was anything."""
    baked = [thing for thing in model.strands(scene) if is_baked(thing)]
    bodies = [thing for thing in scene.objects if bake_bodies.BEFORE in thing]
    for thing in baked:
        bake.clear_strand(thing)
    bake_bodies.clear_bodies(scene)
    shown = bellies.clear(scene)
    return bool(baked or bodies or shown)


def is_baked(thing):
    return (bake.REST in thing.data or bake.REST in thing or bake.ACTIVATION in thing
            or any(m.type == "MESH_CACHE" and m.name.startswith(bake.MODIFIER) for m in thing.modifiers))


# ---- operators ------------------------------------------------------------------------------------------------------


class _Bakes:
    """What the operators share that bake a file."""

    def bake(self, context, path):
        scene = context.scene
        started = time.monotonic()
        try:
            replay = replays.read(bpy.path.abspath(path))
            strands, frames = bake_replay(context, scene, replay, self.first, self.bones == "SIMULATED")
        except background.TROUBLE as trouble:
            self.report({"ERROR"}, background.text_of(trouble))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Baked {strands} strands over {frames} frames in {time.monotonic() - started:.1f} s")
        return {"FINISHED"}


class SINEW_OT_bake(_Bakes, bpy.types.Operator):
    """Bake the last result again, with the settings as they are now"""
    bl_idname = "sinew.bake"
    bl_label = "Bake Again"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return bool(context.scene.sinew.replay)

    def execute(self, context):
        self.first, self.bones = context.scene.sinew_run.first, context.scene.sinew_run.bones
        return self.bake(context, context.scene.sinew.replay)


class SINEW_OT_import_replay(_Bakes, bpy.types.Operator, ImportHelper):
    """Bake a replay from a file onto the strands and bones of the scene that have the same names"""
    bl_idname = "sinew.import_replay"
    bl_label = "Import Replay"
    bl_options = {"REGISTER", "UNDO"}

    filename_ext = ".xml"
    filter_glob: StringProperty(default="*.replay.xml", options={"HIDDEN"})
    first: IntProperty(name="First frame", default=1, description="Frame at which the replay begins")
    bones: EnumProperty(name="Bones", items=[
        ("KEEP", "Keep my motion", "Only strands are baked"),
        ("SIMULATED", "Take the simulated", "The bones take the motion of the replay")], default="SIMULATED")

    @classmethod
    def poll(cls, context):
        return bool(model.strands(context.scene))

    def execute(self, context):
        outcome = self.bake(context, self.filepath)
        if outcome == {"FINISHED"}:
            context.scene.sinew.replay = self.filepath
        return outcome


class SINEW_OT_clear_bake(bpy.types.Operator):
    """Remove everything that a bake has added to strands and bones"""
    bl_idname = "sinew.clear_bake"
    bl_label = "Clear"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        if not clear(context.scene):
            self.report({"INFO"}, "Nothing is baked")
            return {"CANCELLED"}
        context.view_layer.update()
        return {"FINISHED"}


CLASSES = (SinewPG_Run, SINEW_OT_bake, SINEW_OT_import_replay, SINEW_OT_clear_bake)


def register():
    for found in CLASSES:
        bpy.utils.register_class(found)
    bpy.types.Scene.sinew_run = PointerProperty(type=SinewPG_Run)


def unregister():
    del bpy.types.Scene.sinew_run
    for found in reversed(CLASSES):
        bpy.utils.unregister_class(found)
