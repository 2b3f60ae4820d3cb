# SPDX-License-Identifier: GPL-3.0-or-later
"""AutoStrands: fills a closed mesh with strands that run as the selected ones, watched while they spread.

`sinew strands --live` relaxes them and prints each step; a preview curve shows it. Parameters go to the command as they
are changed. When it ends, the model that it has written says what the new strands are: attributes, attachments, group.

Invariants:
1. Until the command has ended well there is only the preview; a failure or Cancel removes it, and the scene is as before.
2. The mesh takes part in the export while the command is started, and is a plain mesh again afterwards.
"""

import os
import shutil
import tempfile

import bpy
import numpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

from . import (background, bake, bake_bodies, command, files, markers, model, prefs, properties, rig, scene_export,
               scene_import, shapes, spaces)

PREVIEW = "sinew autostrands"


def _send(group, _context):
    work = background.current
    if work and work.kept.get("fill"):
        work.run.send({"stiffness": group.stiffness, "repulsion": group.repulsion, "control_points": group.control_points,
                       "pause": group.pause})


class SinewPG_Fill(bpy.types.PropertyGroup):
    """How to fill a muscle. The first four may be changed while it runs."""
    stiffness: FloatProperty(name="Stiffness", default=10, min=0, max=1e6, soft_max=200, update=_send,
                             description="How strongly strands straighten")
    repulsion: FloatProperty(name="Repulsion", default=1, min=1e-6, max=1e6, soft_min=0.05, soft_max=10, update=_send,
                             description="How strongly strands keep away from their neighbours")
    control_points: IntProperty(name="Control points", default=12, min=4, max=64, update=_send,
                                description="Of each finished strand")
    pause: BoolProperty(name="Pause", update=_send, description="Hold the strands as they are")
    duplicates: IntProperty(name="Per strand", default=10, min=1, max=1000,
                            description="Strands that are made for each selected one")
    samples: IntProperty(name="Samples", default=24, min=4, max=512, description="Points of a strand while it relaxes")
    group: StringProperty(name="Group", description="Name of the muscle group; empty: the mesh's name")
    type: EnumProperty(name="Type", items=[("VOLUMETRIC", "Volumetric", "A muscle with a belly"),
                                           ("SHEET", "Sheet", "A broad thin muscle")])
    spread: BoolProperty(name="Spread attachments", default=True,
                         description="Spread the ends over the whole section of the mesh; otherwise within the radius")
    radius: FloatProperty(name="Attachment radius (mm)", default=5, min=0, max=1000,
                          description="Keep the ends this close to those of the selected strand; 0: share them")
    figures: StringProperty(description="Figures of the last fill")


# ---- selection ------------------------------------------------------------------------------------------------------


def selected(context):
    """(strands, mesh) that are selected. BakeError: what is missing."""
    strands = [thing for thing in context.selected_objects if thing.sinew.kind == "STRAND"]
    meshes = [thing for thing in context.selected_objects
              if thing.type == "MESH" and thing.sinew.kind not in properties.CONSTRAINTS]
    if not strands or len(meshes) != 1:
        raise bake.BakeError("Select one or more strands and the closed mesh that encloses them")
    return strands, meshes[0]


class exported:
    """A mesh that belongs to the model while the block runs."""

    def __init__(self, mesh):
        self.mesh, self.node = mesh, mesh.sinew.node

    def __enter__(self):
        self.mesh.sinew.node = self.node or "Mesh"

    def __exit__(self, *_):
        self.mesh.sinew.node = self.node


# ---- preview --------------------------------------------------------------------------------------------------------


def preview_of(scene):
    thing = bpy.data.objects.get(PREVIEW)
    if thing:
        return thing
    data = bpy.data.curves.new(PREVIEW, "CURVE")
    data.dimensions = "3D"
    thing = bpy.data.objects.new(PREVIEW, data)
    scene.collection.objects.link(thing)
    thing.color = (*shapes.STRAND_COLOR, 1.0)
    thing.show_in_front = True
    thing.matrix_world = spaces.world_from_model(scene, metres=True)
    return thing


def show(scene, step):
    """A step of the command as splines of one curve."""
    thing = preview_of(scene)
    count, per = step["strands"], step["control_points"]
    points = numpy.reshape(step["points"], (count, per, 3))
    splines = thing.data.splines
    if len(splines) != count or len(splines[0].points) != per:
        splines.clear()
        for _ in range(count):
            spline = splines.new("NURBS")
            spline.points.add(per - 1)
            spline.order_u, spline.use_endpoint_u, spline.resolution_u = 4, True, 4
    flat = numpy.ones((count, per, 4), dtype=numpy.float32)
    flat[:, :, :3] = points
    for spline, row in zip(splines, flat):
        spline.points.foreach_set("co", row.ravel())
    if count:
        lengths = numpy.linalg.norm(numpy.diff(points, axis=1), axis=2).sum(axis=1)
        thing.data.bevel_depth = float(lengths.mean()) * 0.003
    thing.data.update_tag()


def remove_preview():
    thing = bpy.data.objects.get(PREVIEW)
    if thing:
        data = thing.data
        bpy.data.objects.remove(thing)
        if not data.users:
            bpy.data.curves.remove(data)


# ---- the result -----------------------------------------------------------------------------------------------------


class Filled:
    """The model that the command has written."""

    def __init__(self, path):
        muscle = files.read_muscle(path)
        nodes = files.read_scene(files.scene_beside(path, muscle))
        self.elements = {tag: [e for e in muscle.children if e.tag == tag] for tag in files.MUSCLE_TAGS}
        self.frames, self.points = {}, {}
        for node, parent in nodes.walk():
            if node is not nodes:
                above = self.frames[parent.name] if parent is not nodes else numpy.eye(4)
                self.frames[node.name] = above @ rig.matrix_of(node)
                if node.tag == "Curve":
                    self.points[node.name] = numpy.reshape(node.values.get("Points", []), (-1, 3))

    def curve(self, strand):
        """Control points of a strand in the model's space and units."""
        node = strand.get("node") or strand.name
        return bake.apply_matrix(self.frames[node], self.points[node])


def _add_strand(scene, filled, element, beside, order):
    """A strand beside the one that it was made from, in the same place of the hierarchy."""
    data = bpy.data.curves.new(element.name, "CURVE")
    data.dimensions = "3D"
    thing = bpy.data.objects.new(element.name, data)
    for collection in beside.users_collection:
        collection.objects.link(thing)
    thing.parent, thing.parent_type, thing.parent_bone = beside.parent, beside.parent_type, beside.parent_bone
    thing.matrix_parent_inverse = beside.matrix_parent_inverse
    thing.rotation_mode = beside.rotation_mode
    thing.matrix_basis = beside.matrix_basis
    back = numpy.linalg.inv(bake_bodies.array(beside.matrix_world)) @ bake_bodies.array(spaces.world_from_model(scene))
    points = bake.apply_matrix(back, filled.curve(element)).tolist()
    shapes.set_spline(data, points, [1.0] * len(points), 3, False)
    thing.sinew.kind, thing.sinew.order = "STRAND", order
    if thing.name != element.name:
        thing.sinew.name = element.name
    scene_import.fill(thing.sinew.strand, "Strand", element)
    shapes.show_strand(thing)
    return thing


def _add_constraint(scene, element, strand, order, holder):
    thing = markers.new_marker(scene, element.name, element.get("type").upper(), strand, holder)
    thing.sinew.order = order
    if thing.name != element.name:
        thing.sinew.name = element.name
    settings = thing.sinew.constraint
    scene_import.fill(settings, "Constraint", element)
    settings.strand = strand
    other = element.get("attachment")
    body = next((body for body in model.bodies(scene) if body.name == other), None)
    if body and thing.sinew.kind in ("FIXED", "SLIDING"):
        model.point_at(settings.body, body)
    else:
        settings.target = next((found for found in scene.objects if found.sinew.kind not in properties.CONSTRAINTS
                                and other in (model.node_of(found), model.name_of(found))), None)
    return thing


def _holder(scene, inputs):
    """The collection of the inputs' markers."""
    for thing in model.constraints(scene):
        if thing.sinew.constraint.strand in inputs and thing.users_collection:
            return thing.users_collection[0]
    return inputs[0].users_collection[0]


def _add_group(scene, element, strands, beside, order):
    thing = next((found for found in model.of_kind(scene, "GROUP") if model.name_of(found) == element.name), None)
    if not thing:
        thing = bpy.data.objects.new(element.name, None)
        for collection in beside.users_collection:
            collection.objects.link(thing)
        thing.empty_display_size = 0.02 / spaces.unit(scene)
        thing.sinew.kind, thing.sinew.order = "GROUP", order
        if thing.name != element.name:
            thing.sinew.name = element.name
    scene_import.fill(thing.sinew.group, "MuscleGroup", element)
    thing.sinew.group.members.clear()
    for strand in strands:
        thing.sinew.group.members.add().object = strand
    return thing


def _retire(scene, inputs, filled):
    """The inputs take no part any more; groups and functions go on as the command has written them."""
    names = {model.name_of(thing): thing for thing in model.strands(scene)}
    for thing in inputs:
        thing.sinew.strand.enabled = False
    for thing in model.constraints(scene):
        settings = thing.sinew.constraint
        if settings.strand in inputs or settings.target in inputs:
            settings.enabled = False
    groups = {element.name: element for element in filled.elements["MuscleGroup"]}
    for thing in model.of_kind(scene, "GROUP"):
        element = groups.get(model.name_of(thing))
        if not element:
            bpy.data.objects.remove(thing)  # it had inputs only
            continue
        thing.sinew.group.members.clear()
        for name in element.get("strands").split():
            if name in names:
                thing.sinew.group.members.add().object = names[name]
    for element in filled.elements["Function"]:
        for item in scene.sinew.functions:
            if item.name == element.name:
                item.muscles = element.get("muscles")


def add_result(scene, path, inputs):
    """Makes the strands of a filled model. inputs: the strands that they were made from. Returns the new ones."""
    filled = Filled(path)
    there = {model.name_of(thing) for thing in model.strands(scene)}
    order, made = model.next_order(scene), {}
    by_name = {model.name_of(thing): thing for thing in inputs}
    new = [element for element in filled.elements["Strand"] if element.name not in there]
    group = next((g for g in filled.elements["MuscleGroup"] if new and new[0].name in g.get("strands").split()), None)
    beside = list(by_name.values())
    source = _sources(filled, new, by_name)
    for element in new:
        made[element.name] = _add_strand(scene, filled, element, source.get(element.name, beside[0]), order)
        order += 1
    holder = _holder(scene, inputs)
    for element in filled.elements["Constraint"]:
        if element.get("strand") in made:
            _add_constraint(scene, element, made[element.get("strand")], order, holder)
            order += 1
    _retire(scene, inputs, filled)
    if group:
        _add_group(scene, group, list(made.values()), beside[0], order)
    markers.update_all(scene, set(made.values()))
    return list(made.values())


def _sources(filled, new, by_name):
    """The input of each new strand, by the names of its constraints: NEW.OLD."""
    found = {}
    old = {c.name: c.get("strand") for c in filled.elements["Constraint"]}
    for constraint in filled.elements["Constraint"]:
        name = constraint.get("strand")
        before = constraint.name[len(name) + 1:] if constraint.name.startswith(name + ".") else ""
        if old.get(before) in by_name:
            found[name] = by_name[old[before]]
    return found


# ---- operators ------------------------------------------------------------------------------------------------------


class SINEW_OT_autostrands(background.Background, bpy.types.Operator):
    """Fill the selected mesh with strands that run as the selected ones; Finish keeps them"""
    bl_idname = "sinew.autostrands"
    bl_label = "AutoStrands"
    bl_options = {"REGISTER", "UNDO"}
    interval = 0.04

    @classmethod
    def poll(cls, context):
        return background.current is None and context.mode == "OBJECT" and bool(model.strands(context.scene))

    def begin(self, context):
        scene, settings = context.scene, context.scene.sinew_fill
        program = prefs.command_path(context)
        strands, mesh = selected(context)
        settings.pause = False
        folder = tempfile.mkdtemp(prefix="sinew-fill-")
        out = os.path.join(folder, "filled.muscle.xml")
        try:
            with exported(mesh):
                muscle = scene_export.export_model(context, folder, "model")["muscle"]
            words = ["strands", muscle, "--mesh", model.node_of(mesh), "-o", out, "--live"]
            for thing in strands:
                words += ["--from", model.name_of(thing)]
            words += ["--count", settings.duplicates * len(strands), "--samples", settings.samples, "--control-points",
                      min(settings.control_points, settings.samples), "--stiffness", f"{settings.stiffness:.9g}",
                      "--repulsion", f"{settings.repulsion:.9g}"]
            if settings.group:
                words += ["--group", settings.group]
            if settings.type == "SHEET":
                words.append("--sheet")
            if not settings.spread:
                words += ["--attachment-radius", f"{settings.radius:.9g}"]
            talk = not bpy.app.background  # without a window nobody tunes: it ends when it has converged
            run = command.Run(program, [*words, "--progress", "json"], talk=talk)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        work = background.Work("AutoStrands", run, scene)
        work.kept = {"fill": True, "folder": folder, "out": out, "strands": [thing.name for thing in strands]}
        return work

    def watch(self, _context, work):
        steps = [item for item in work.run.take_objects() if "points" in item]
        waiting = work.kept.setdefault("waiting", [])
        waiting += steps
        if waiting and work.run.running:
            # A Blender that was busy does not jump to the end: what has come meanwhile is shown in a dozen pictures.
            # Held, it shows where the strands are, since that is what Finish keeps.
            scene = bpy.data.scenes.get(work.scene)
            held = scene and scene.sinew_fill.pause
            passed = len(waiting) if held else 1 + (len(waiting) - 1) // 12
            step = waiting[passed - 1]
            del waiting[:passed]
            if scene:
                show(scene, step)
            state = "converged" if step["converged"] else f"moves {step['moved'] or 0:.3f} of the spacing"
            work.note = f"AutoStrands: step {step['step']}, {state}"
        work.kept["steps"] = work.kept.get("steps", 0) + len(steps)

    def take(self, _context, work, result):
        scene = work.find_scene()
        inputs = [scene.objects.get(name) for name in work.kept["strands"]]
        if None in inputs:
            raise bake.BakeError("A strand to fill from no longer exists")
        made = add_result(scene, work.kept["out"], inputs)
        self.clean(work)
        text = (f"{len(made)} strands after {result['steps']} steps; spacing {1e3 * result['spacing']:.2f} mm, "
                f"variation {result['spacing_variation']:.2f}; at most {1e3 * result['outside']:.2f} mm outside")
        scene.sinew_fill.figures = text
        return text

    def clean(self, work):
        remove_preview()
        shutil.rmtree(work.kept["folder"], ignore_errors=True)


class SINEW_OT_autostrands_finish(bpy.types.Operator):
    """End the relaxation and keep the strands as they are"""
    bl_idname = "sinew.autostrands_finish"
    bl_label = "Finish"

    @classmethod
    def poll(cls, _context):
        return bool(background.current and background.current.kept.get("fill"))

    def execute(self, _context):
        background.current.run.send({"finish": True})
        return {"FINISHED"}


CLASSES = (SinewPG_Fill, SINEW_OT_autostrands, SINEW_OT_autostrands_finish)


def register():
    for found in CLASSES:
        bpy.utils.register_class(found)
    bpy.types.Scene.sinew_fill = PointerProperty(type=SinewPG_Fill)


def unregister():
    del bpy.types.Scene.sinew_fill
    for found in reversed(CLASSES):
        bpy.utils.unregister_class(found)
