# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels of what is done with a model: simulate, bake, skin, fill."""

import textwrap

import bpy

from . import background, model, results


class _Panel:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "sinew"
    bl_options = {"DEFAULT_CLOSED"}


def _columns(layout):
    layout.use_property_split = True
    layout.use_property_decorate = False
    return layout


def text(layout, words, width, icon="NONE"):
    """Words that are too long for a line, on several."""
    column = layout.column(align=True)
    column.scale_y = 0.8
    for i, line in enumerate(textwrap.wrap(words, width)):
        column.label(text=line, icon=icon if i == 0 else "NONE")


def _width(context):
    """Letters that fit into a line of the sidebar."""
    return max(24, int(context.region.width / (7.2 * context.preferences.system.ui_scale)) - 4)


def _running(layout, context):
    """Progress and Cancel while the command runs; what it said last otherwise."""
    manager = context.window_manager
    work = background.current
    if work:
        row = layout.row(align=True)
        row.prop(manager, "sinew_progress", text=work.label, slider=True)
        row.operator("sinew.cancel", text="", icon="CANCEL")
        if work.note:
            text(layout, work.note, _width(context))
    elif manager.sinew_message:
        text(layout, manager.sinew_message, _width(context), "INFO")


class SINEW_PT_simulate(_Panel, bpy.types.Panel):
    bl_label = "Simulate"
    bl_idname = "SINEW_PT_simulate"
    bl_order = 20

    @classmethod
    def poll(cls, context):
        return bool(model.strands(context.scene))

    def draw(self, context):
        layout = _columns(self.layout)
        scene, settings = context.scene, context.scene.sinew_run
        layout.prop(scene.sinew, "own_range")
        if scene.sinew.own_range:
            column = layout.column(align=True)
            column.prop(scene.sinew, "frame_start")
            column.prop(scene.sinew, "frame_end", text="Last")
        layout.prop(scene.sinew, "subframes", text="Samples")
        layout.prop(settings, "bones")
        layout.operator("sinew.track", icon="PLAY")
        layout.operator("sinew.simulate", icon="FORCE_TURBULENCE")
        _running(layout, context)


class SINEW_PT_tracking(_Panel, bpy.types.Panel):
    bl_label = "Tracking"
    bl_parent_id = "SINEW_PT_simulate"

    def draw(self, context):
        layout = _columns(self.layout)
        for name in ("feedback", "weight", "smooth"):
            layout.prop(context.scene.sinew_run, name)


class SINEW_PT_forward(_Panel, bpy.types.Panel):
    bl_label = "Forward"
    bl_parent_id = "SINEW_PT_simulate"

    def draw(self, context):
        layout = _columns(self.layout)
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
            layout.label(text="Select a strand to set its activation")
        for function in scene.sinew.functions:
            layout.prop(function, "level", text=function.name, slider=True)


class SINEW_PT_bake(_Panel, bpy.types.Panel):
    bl_label = "Bake"
    bl_idname = "SINEW_PT_bake"
    bl_order = 21

    @classmethod
    def poll(cls, context):
        return bool(model.strands(context.scene))

    def draw(self, context):
        layout = _columns(self.layout)
        settings = context.scene.sinew_run
        layout.prop(settings, "strands")
        column = layout.column()
        column.prop(settings, "activation")
        row = column.row()
        row.active = settings.strands == "CURVES"
        row.prop(settings, "radius")
        layout.prop(context.scene.sinew, "replay")
        row = layout.row(align=True)
        row.operator("sinew.bake")
        row.operator("sinew.clear_bake")
        layout.operator("sinew.import_replay", icon="IMPORT")
        if settings.figures:
            text(layout, settings.figures, _width(context))


class SINEW_PT_skin(_Panel, bpy.types.Panel):
    bl_label = "Skin Strands"
    bl_idname = "SINEW_PT_skin"
    bl_order = 22

    @classmethod
    def poll(cls, context):
        return bool(model.strands(context.scene))

    def draw(self, context):
        layout = _columns(self.layout)
        scene, settings = context.scene, context.scene.sinew_skin
        layout.prop(scene.sinew, "skin", text="Base mesh")
        layout.prop(settings, "deformed", text="Deformed")
        layout.prop(settings, "follow")
        layout.prop(settings, "source")
        base = scene.sinew.skin
        if base and settings.source == "COLOUR":
            layout.prop_search(settings, "attribute", base.data, "color_attributes", text="Attribute")
        elif base and settings.source == "GROUP":
            layout.prop_search(settings, "group", base, "vertex_groups", text="Group")
        column = layout.column(align=True)
        column.prop(scene.sinew.model, "skin_a", text="Height")
        column.prop(scene.sinew.model, "skin_b", text="Lateral (m)")
        column.prop(scene.sinew.model, "skin_c", text="Normal (m)")
        column = layout.column(align=True)
        column.prop(settings, "prominence", slider=True)
        column.prop(settings, "belly", slider=True)
        layout.prop(settings, "own_range")
        if settings.own_range:
            column = layout.column(align=True)
            column.prop(settings, "frame_start")
            column.prop(settings, "frame_end", text="Last")
        row = layout.row(align=True)
        row.use_property_split = False
        row.prop(settings, "preview", toggle=True, icon="HIDE_OFF")
        row.operator("sinew.skin_preview", text="", icon="FILE_REFRESH")
        row = layout.row(align=True)
        row.operator("sinew.skin_cache", icon="RENDER_ANIMATION")
        row.operator("sinew.skin_clear", text="", icon="X")
        if settings.figures:
            text(layout, settings.figures, _width(context))


class SINEW_PT_autostrands(_Panel, bpy.types.Panel):
    bl_label = "AutoStrands"
    bl_idname = "SINEW_PT_autostrands"
    bl_order = 15

    @classmethod
    def poll(cls, context):
        return bool(model.strands(context.scene))

    def draw(self, context):
        layout = _columns(self.layout)
        settings = context.scene.sinew_fill
        fills = bool(background.current and background.current.kept.get("fill"))
        column = layout.column(align=True)
        for name in ("stiffness", "repulsion", "control_points"):
            column.prop(settings, name)
        column = layout.column(align=True)
        column.enabled = not fills
        for name in ("duplicates", "samples", "group", "type", "spread"):
            column.prop(settings, name)
        if not settings.spread:
            column.prop(settings, "radius")
        if fills:
            row = layout.row(align=True)
            row.prop(settings, "pause", toggle=True, icon="PAUSE")
            row.operator("sinew.autostrands_finish", icon="CHECKMARK")
            row.operator("sinew.cancel", text="", icon="CANCEL")
            text(layout, background.current.note, _width(context))
        else:
            layout.operator("sinew.autostrands", text="Fill the Selected Mesh", icon="CURVES")
            if settings.figures:
                text(layout, settings.figures, _width(context))


CLASSES = (SINEW_PT_autostrands, SINEW_PT_simulate, SINEW_PT_tracking, SINEW_PT_forward, SINEW_PT_bake, SINEW_PT_skin)


def register():
    for found in CLASSES:
        bpy.utils.register_class(found)


def unregister():
    for found in reversed(CLASSES):
        bpy.utils.unregister_class(found)
