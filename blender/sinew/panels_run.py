# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels of what is done with a model: simulate, bake, skin, fill."""

import bpy

from . import background, model, results
from .sidebar import Tab, columns, frame_range, menu, sliders, write


class Closed(Tab):
    bl_options = {"DEFAULT_CLOSED"}


class WithStrands(Closed):
    """Shown once there are strands."""

    @classmethod
    def poll(cls, context):
        return bool(model.strands(context.scene))


def _running(layout, context):
    """Progress and Cancel while the command runs; what it said last otherwise."""
    manager = context.window_manager
    work = background.current
    if work:
        row = layout.row(align=True)
        row.prop(manager, "sinew_progress", text=work.label, slider=True)
        row.operator("sinew.cancel", text="", icon="CANCEL")
        if work.note:
            write(layout, work.note, context)
    elif manager.sinew_message:
        write(layout, manager.sinew_message, context, "INFO")


class SINEW_PT_simulate(WithStrands, bpy.types.Panel):
    bl_label = "Simulate"
    bl_idname = "SINEW_PT_simulate"
    bl_order = 20

    def draw(self, context):
        layout = columns(self.layout)
        scene, settings = context.scene, context.scene.sinew_run
        frame_range(layout, scene.sinew)
        layout.prop(scene.sinew, "subframes", text="Samples")
        menu(layout, settings, "bones")
        layout.prop(settings, "loads")
        layout.operator("sinew.track", icon="PLAY")
        layout.operator("sinew.simulate", icon="FORCE_TURBULENCE")
        _running(layout, context)


class SINEW_PT_tracking(Closed, bpy.types.Panel):
    bl_label = "Tracking"
    bl_parent_id = "SINEW_PT_simulate"

    def draw(self, context):
        layout = columns(self.layout)
        settings = context.scene.sinew_run
        layout.prop(settings, "feedback")
        layout.prop(settings, "weight")
        layout.prop(settings, "smooth", text="Smooth")


class SINEW_PT_forward(Closed, bpy.types.Panel):
    bl_label = "Forward"
    bl_parent_id = "SINEW_PT_simulate"

    def draw(self, context):
        layout = columns(self.layout)
        layout.use_property_decorate = True
        scene, thing = context.scene, context.object
        layout.prop(scene.sinew_run, "gravity")
        layout.prop(scene.sinew_run, "settle")
        owner = thing if thing and thing.sinew.kind in ("STRAND", "GROUP") else None
        if owner and owner.sinew.kind == "STRAND":
            owner = results.group_of(scene, owner) or owner
        if owner:
            layout.prop(owner.sinew, "activation", text=model.name_of(owner), slider=True)
        else:
            write(layout, "Select a strand to set its activation", context)
        for function in scene.sinew.functions:
            layout.prop(function, "level", text=function.name, slider=True)


class SINEW_PT_bake(WithStrands, bpy.types.Panel):
    bl_label = "Bake"
    bl_idname = "SINEW_PT_bake"
    bl_order = 21

    def draw(self, context):
        layout = columns(self.layout)
        settings = context.scene.sinew_run
        menu(layout, settings, "strands")
        column = layout.column()
        column.use_property_split = False
        column.prop(settings, "activation")
        column.prop(settings, "bellies")
        row = column.row()
        row.active = settings.strands == "CURVES"
        row.prop(settings, "radius")
        layout.prop(context.scene.sinew, "replay")
        row = layout.row(align=True)
        row.operator("sinew.bake")
        row.operator("sinew.clear_bake")
        layout.operator("sinew.import_replay", icon="IMPORT")
        if settings.figures:
            write(layout, settings.figures, context)


class SINEW_PT_skin(WithStrands, bpy.types.Panel):
    bl_label = "Skin Strands"
    bl_idname = "SINEW_PT_skin"
    bl_order = 22

    def draw(self, context):
        layout = columns(self.layout)
        scene, settings = context.scene, context.scene.sinew_skin
        layout.prop(scene.sinew, "skin", text="Base mesh")
        menu(layout, settings, "follow", named=False)
        layout.prop(settings, "deformed", text="Deformed")
        menu(layout, settings, "source")
        base = scene.sinew.skin
        if base and settings.source == "COLOUR":
            layout.prop_search(settings, "attribute", base.data, "color_attributes", text="Attribute")
        elif base and settings.source == "GROUP":
            layout.prop_search(settings, "group", base, "vertex_groups", text="Group")
        column = layout.column(align=True)
        column.prop(scene.sinew.model, "skin_a", text="Height")
        column.prop(scene.sinew.model, "skin_b", text="Lateral")
        column.prop(scene.sinew.model, "skin_c", text="Normal")
        sliders(layout, settings, "prominence", "belly")
        frame_range(layout, settings)
        row = layout.row(align=True)
        row.use_property_split = False
        row.prop(settings, "preview", toggle=True, icon="HIDE_OFF")
        row.operator("sinew.skin_preview", text="", icon="FILE_REFRESH")
        row = layout.row(align=True)
        row.operator("sinew.skin_cache", icon="RENDER_ANIMATION")
        row.operator("sinew.skin_clear", text="", icon="X")
        if settings.figures:
            write(layout, settings.figures, context)


class SINEW_PT_autostrands(WithStrands, bpy.types.Panel):
    bl_label = "AutoStrands"
    bl_idname = "SINEW_PT_autostrands"
    bl_order = 15

    def draw(self, context):
        layout = columns(self.layout)
        settings = context.scene.sinew_fill
        fills = bool(background.current and background.current.kept.get("fill"))
        column = layout.column(align=True)
        for name in ("stiffness", "repulsion"):
            column.prop(settings, name)
        column.prop(settings, "control_points", text="Points")
        column = layout.column(align=True)
        column.enabled = not fills
        for name in ("duplicates", "samples", "group", "type"):
            column.prop(settings, name)
        column.prop(settings, "spread", text="Spread ends")
        if not settings.spread:
            column.prop(settings, "radius", text="Ends (mm)")
        if fills:
            row = layout.row(align=True)
            row.prop(settings, "pause", toggle=True, icon="PAUSE")
            row.operator("sinew.autostrands_finish", icon="CHECKMARK")
            row.operator("sinew.cancel", text="", icon="CANCEL")
            write(layout, background.current.note, context)
        else:
            layout.operator("sinew.autostrands", text="Fill the Selected Mesh", icon="CURVES")
            if settings.figures:
                write(layout, settings.figures, context)


CLASSES = (SINEW_PT_autostrands, SINEW_PT_simulate, SINEW_PT_tracking, SINEW_PT_forward, SINEW_PT_bake, SINEW_PT_skin)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
