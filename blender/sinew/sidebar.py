# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panels of the sidebar share: the tab, columns, texts of several lines, a range of frames."""
import textwrap


class Tab:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "sinew"


def columns(layout):
    """Names on the left, values on the right."""
    layout.use_property_split = True
    layout.use_property_decorate = False
    return layout


def wide(context):
    """Letters that fit into a line of the sidebar."""
    return max(24, int(context.region.width / (7.2 * context.preferences.system.ui_scale)) - 4)


def write(layout, text, context, icon="NONE"):
    """A text that is too long for a line, on several."""
    column = layout.column(align=True)
    column.scale_y = 0.8
    letters = wide(context) - (4 if icon != "NONE" else 0)
    for number, line in enumerate(textwrap.wrap(text, letters) or [""]):
        column.label(text=line, icon=icon if number == 0 else "BLANK1" if icon != "NONE" else "NONE")


def menu(layout, settings, name, named=True):
    """A menu over the whole width, its name above: half of it would cut the choices off."""
    column = layout.column(align=True)
    column.use_property_split = False
    if named:
        column.label(text=settings.bl_rna.properties[name].name)
    column.prop(settings, name, text="")


def sliders(layout, settings, *names):
    """Sliders over the whole width, with their names inside."""
    column = layout.column(align=True)
    column.use_property_split = False
    for name in names:
        column.prop(settings, name, slider=True)


def frame_range(layout, settings):
    """First and last frame, where a range of its own is asked for."""
    layout.prop(settings, "own_range")
    if settings.own_range:
        column = layout.column(align=True)
        column.prop(settings, "frame_start")
        column.prop(settings, "frame_end", text="Last")
