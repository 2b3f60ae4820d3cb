# SPDX-License-Identifier: GPL-3.0-or-later
"""What `sinew check` says about the model, on the objects and bones that it says it about."""
import re
import tempfile

import bpy
from bpy.props import StringProperty

from . import command, compat, files, model, prefs, scene_export

ELEMENT = re.compile(r'(\w+) "(.*)"$')


def owners(scene):
    """Objects and bones by (element, name), as the check names them."""
    found = {("RigidBody", body.name): body.owner for body in model.bodies(scene)}
    kinds = {"JOINT": "Joint", "STRAND": "Strand", "GROUP": "MuscleGroup"}
    for kind, tag in kinds.items():
        found.update({(tag, model.name_of(thing)): thing for thing in model.of_kind(scene, kind)})
    found.update({("Constraint", model.name_of(thing)): thing for thing in model.constraints(scene)})
    for thing in scene.objects:
        found.setdefault(("Node", model.node_of(thing)), thing)
    return found


def clear(scene):
    """Takes the messages of the last check away."""
    scene.sinew.messages.clear()
    scene.sinew.check_result = ""
    for thing in scene.objects:
        thing.sinew.messages.clear()
        if thing.type == "ARMATURE":
            for bone in thing.data.bones:
                bone.sinew.messages.clear()


def _owner(found, element):
    match = ELEMENT.match(element or "")
    if not match:
        return None
    tag, name = match.groups()
    return found.get((tag, name)) or found.get(("Node", name))


def text_of(problem):
    remedy = problem.get("remedy")
    return problem["message"] + (f"; {remedy}" if remedy else "")


def ask(context):
    """The answer of the check for the model as it is."""
    path = prefs.command_path(context)
    with tempfile.TemporaryDirectory() as folder:
        muscle = scene_export.export_model(context, folder, "model")["muscle"]
        run = command.Run(path, ["check", muscle, "--json"])
        try:
            run.wait()
        except command.CommandError:
            if not (run.result and "problems" in run.result):
                raise
    return run.result


def check(context):
    """Asks the command and puts its messages where they belong. Returns (errors, warnings)."""
    scene = context.scene
    answer = ask(context)
    clear(scene)
    found = owners(scene)
    for problem in answer["problems"]:
        owner = _owner(found, problem.get("element"))
        for place in (scene.sinew, owner.sinew if owner else None):
            if place is None:
                continue
            item = place.messages.add()
            item.severity, item.text = problem["severity"], text_of(problem)
        scene.sinew.messages[-1].name = problem.get("element", "")
    scene.sinew.check_result = f"{answer['errors']} errors, {answer['warnings']} warnings"
    return answer["errors"], answer["warnings"]


class SINEW_OT_validate(bpy.types.Operator):
    """Check the model with the sinew command and show what it says"""
    bl_idname = "sinew.validate"
    bl_label = "Check Model"

    def execute(self, context):
        try:
            errors, warnings = check(context)
        except (command.CommandError, scene_export.ExportFailed, files.FileError) as trouble:
            clear(context.scene)
            context.scene.sinew.check_result = str(trouble)
            self.report({"ERROR"}, str(trouble))
            return {"CANCELLED"}
        first = context.scene.sinew.messages[0] if errors else None
        said = context.scene.sinew.check_result + (f". {first.name}: {first.text}" if first else "")
        self.report({"WARNING" if errors else "INFO"}, said)
        return {"FINISHED"}


class SINEW_OT_select_element(bpy.types.Operator):
    """Select the object or bone that a message is about"""
    bl_idname = "sinew.select_element"
    bl_label = "Select"
    bl_options = {"REGISTER", "UNDO"}

    element: StringProperty()

    def execute(self, context):
        owner = _owner(owners(context.scene), self.element)
        if owner is None:
            return {"CANCELLED"}
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        if isinstance(owner, bpy.types.Bone):
            thing = next(body.object for body in model.bodies(context.scene) if body.bone and body.owner == owner)
            thing.data.bones.active = owner
            owner = thing
        if owner.name in context.view_layer.objects:
            compat.select_only(context, [owner])
        return {"FINISHED"}


CLASSES = (SINEW_OT_validate, SINEW_OT_select_element)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
