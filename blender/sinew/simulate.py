# SPDX-License-Identifier: GPL-3.0-or-later
"""Track the animation, or simulate forward from keyed activations: export, run the command, bake."""

import csv
import os

import bpy
import numpy

from . import background, bake_bodies, bake, command, compat, model, prefs, replay as replays, results, scene_export

NEW = "-new"
ENDINGS = (".replay.xml", ".sto", ".report.txt")


def _folder(scene):
    """The folder of the model's files, made if it is not there."""
    path = model.folder(scene)
    os.makedirs(path, exist_ok=True)
    return path


def _write_model(context, folder, name):
    """Path of the muscle file."""
    if not model.strands(context.scene):
        raise scene_export.ExportFailed("The scene has no strands: make some from curves first")
    return scene_export.export_model(context, folder, name)["muscle"]


def _rate(scene):
    rate = bake.frames_per_second(scene)
    if not 1 <= rate <= 1000:
        raise scene_export.ExportFailed(f"{rate:g} frames a second: sinew needs 1 to 1000")
    return rate


def _count(strands):
    return "1 strand" if strands == 1 else f"{strands} strands"


def _loads(settings):
    """What the model has to carry, as words for the command."""
    return [word for load in settings.loads.split() for word in ("--load", load)]


class Simulation(background.Background):
    """What tracking and forward simulation share. The command writes under a name of its own (`NEW`), so that a run that
    fails or is cancelled leaves the last result as it is."""

    @classmethod
    def poll(cls, context):
        return background.current is None and bool(model.strands(context.scene))

    def start(self, context, words, stem, first, bones):
        run = command.Run(prefs.command_path(context), [*words, "-o", stem + NEW, "--json", "--progress", "json"])
        work = background.Work(self.label, run, context.scene)
        work.kept = {"first": first, "bones": bones, "stem": stem}
        return work

    def bake(self, context, work, result):
        """Bakes what the run has written and gives it its name."""
        scene, stem = work.find_scene(), work.kept["stem"]
        replay = replays.read(result["replay"])
        strands, frames = results.bake_replay(context, scene, replay, work.kept["first"], work.kept["bones"])
        for ending in ENDINGS:
            if os.path.exists(stem + NEW + ending):
                os.replace(stem + NEW + ending, stem + ending)
        path = stem + ENDINGS[0]
        scene.sinew.replay = bpy.path.relpath(path) if bpy.data.is_saved else path
        return strands, frames

    def clean(self, work):
        for ending in (*ENDINGS, ".resume"):
            try:
                os.remove(work.kept["stem"] + NEW + ending)
            except OSError:
                pass


# ---- activations over time ------------------------------------------------------------------------------------------


def _course(scene, owner, holder, path, frames):
    """Values of a property on every frame, from its F-curve; None: it is not keyed. holder: the ID that has the action."""
    data = holder.animation_data
    if data and data.action:
        for curve in compat.fcurves(holder, data.action):
            if curve.data_path == path:
                return numpy.array([curve.evaluate(float(frame)) for frame in frames])
    return None


def _is_driven(holder, path):
    data = holder.animation_data
    return bool(data and (any(d.data_path == path for d in data.drivers) or len(data.nla_tracks)))


def _sources(scene):
    """(column, ID, owner of the property, its name, data path) of everything that can be activated."""
    grouped = {member.object for group in model.of_kind(scene, "GROUP") for member in group.sinew.group.members}
    for thing in model.of_kind(scene, "STRAND", "GROUP"):
        if thing not in grouped:
            yield "muscle." + model.name_of(thing), thing, thing.sinew, "activation", "sinew.activation"
    for i, function in enumerate(scene.sinew.functions):
        yield "function." + function.name, scene, function, "level", f"sinew.functions[{i}].level"


def activation_table(context, scene, start, end):
    """(names, n x columns) of what is keyed or set above 0 over the frames."""
    frames = numpy.arange(start, end + 1)
    names, columns, driven = [], [], []
    for name, holder, owner, key, path in _sources(scene):
        if _is_driven(holder, path):
            driven.append((name, holder, path))
            continue
        values = _course(scene, owner, holder, path, frames)
        if values is None:
            values = numpy.full(len(frames), getattr(owner, key))
        if values.any():
            names.append(name)
            columns.append(numpy.clip(values, 0, 1))
    if driven:  # drivers and strips have to be looked at frame by frame
        rows = bake_bodies.sample(context, scene, frames, lambda graph: [
            holder.evaluated_get(graph).path_resolve(path) for _, holder, path in driven])
        names += [name for name, _, _ in driven]
        columns += [numpy.clip([row[i] for row in rows], 0, 1) for i in range(len(driven))]
    return names, numpy.array(columns).T.reshape(len(frames), len(names))


def write_activations(path, names, table, rate):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["time", *names])
        for i, row in enumerate(table.tolist()):
            writer.writerow([repr(i / rate), *map(repr, row)])


# ---- operators ------------------------------------------------------------------------------------------------------


class SINEW_OT_track(Simulation, bpy.types.Operator):
    """Find the activations that make the model follow the animation, simulate the strands, and bake them"""
    bl_idname = "sinew.track"
    bl_label = "Track the Animation"
    bl_options = {"REGISTER", "UNDO"}
    label = "Tracking"

    def begin(self, context):
        scene, settings = context.scene, context.scene.sinew_run
        prefs.command_path(context)  # before anything is written
        rate, name, folder = _rate(scene), scene.sinew.name, _folder(scene)
        start, end = model.frame_range(scene)
        motion = os.path.join(folder, name + ".control.xml")
        muscle = _write_model(context, folder, name)
        with bake_bodies.animators_motion(scene):
            scene_export.export_motion(context, motion, start, end, scene.sinew.subframes)
        words = ["track", muscle, motion, "--frame-rate", f"{rate:.9g}", "--weights",
                 f"{settings.weight:g},{settings.smooth:g}", "--feedback", f"{settings.feedback:g}"]
        words += _loads(settings)
        if settings.bones == "KEEP":
            words.append("--keep-input-motion")
        return self.start(context, words, os.path.join(folder, name), start, settings.bones == "SIMULATED")

    def take(self, context, work, result):
        strands, frames = self.bake(context, work, result)
        text = (f"{frames} frames of {_count(strands)}; the bones follow to {result['mean_error_mm']:.2g} mm on average, "
                f"{result['worst_error_mm']:.2g} mm at worst")
        clamped = result.get("clamped") or []
        if clamped:
            text += f"; {result['clamped_targets']} targets were outside the range of a joint"
        work.find_scene().sinew_run.figures = text
        return text


class SINEW_OT_simulate(Simulation, bpy.types.Operator):
    """Simulate forward from the activations and functions as they are keyed, and bake strands and bones"""
    bl_idname = "sinew.simulate"
    bl_label = "Simulate Forward"
    bl_options = {"REGISTER", "UNDO"}
    label = "Simulating"

    def begin(self, context):
        scene, settings = context.scene, context.scene.sinew_run
        prefs.command_path(context)  # before anything is written
        rate, name, folder = _rate(scene), scene.sinew.name, _folder(scene)
        start, end = model.frame_range(scene)
        if end <= start:
            raise scene_export.ExportFailed(f"The frame range {start} to {end} has no motion")
        muscle = _write_model(context, folder, name)
        names, table = activation_table(context, scene, start, end)
        words = ["simulate", muscle, "--frame-rate", f"{rate:.9g}", "--time", repr((end - start) / rate),
                 "--gravity-scale", f"{settings.gravity:g}"]
        if names:
            path = os.path.join(folder, name + ".activations.csv")
            write_activations(path, names, table, rate)
            words += ["--activations", path]
        words += _loads(settings)
        if not settings.settle:
            words.append("--no-settle")
        return self.start(context, words, os.path.join(folder, name + "-forward"), start, True)

    def take(self, context, work, result):
        strands, frames = self.bake(context, work, result)
        text = f"{frames} frames of {_count(strands)} simulated forward"
        work.find_scene().sinew_run.figures = text
        return text


CLASSES = (SINEW_OT_track, SINEW_OT_simulate)


def register():
    background.register()
    results.register()
    for found in CLASSES:
        bpy.utils.register_class(found)


def unregister():
    for found in reversed(CLASSES):
        bpy.utils.unregister_class(found)
    results.unregister()
    background.unregister()
