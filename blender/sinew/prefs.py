# SPDX-License-Identifier: GPL-3.0-or-later
"""Preferences of the add-on: where the sinew command is, and whether it fits."""
import os

import bpy
from bpy.props import StringProperty

from . import command

_found = {}  # preferred path: (path or None, message); asked again by the button


class SinewPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    command: StringProperty(name="sinew command", subtype="FILE_PATH",
                            description="The sinew program; empty: the one of the environment variable SINEW, of the "
                                        "PATH or beside this add-on")

    def draw(self, context):
        layout = self.layout
        layout.prop(self, "command")
        path, message = look(context)
        row = layout.row()
        row.label(text=message, icon="CHECKMARK" if path else "ERROR")
        row.operator("sinew.check_command", icon="FILE_REFRESH")


def preferred(context):
    """What the user or the environment names; empty: nothing."""
    addon = context.preferences.addons.get(__package__)
    chosen = addon.preferences.command if addon and addon.preferences else ""
    return bpy.path.abspath(chosen) if chosen else os.environ.get("SINEW", "")


def look(context):
    """(path, message): the path is None where none fits. Remembered, because it starts a process."""
    key = preferred(context)
    if key not in _found:
        try:
            path = command.find(key)
            _found[key] = path, f"{path}, version " + ".".join(map(str, command.version(path)))
        except command.CommandError as trouble:
            _found[key] = None, str(trouble)
    return _found[key]


def command_path(context):
    """Path of the command. Raises command.CommandError with what is wrong and what to do."""
    path, message = look(context)
    if path and os.path.exists(path):
        return path
    _found.clear()
    path, message = look(context)
    if not path:
        raise command.CommandError(message)
    return path


class SINEW_OT_check_command(bpy.types.Operator):
    """Look for the sinew command again and ask for its version"""
    bl_idname = "sinew.check_command"
    bl_label = "Check"

    def execute(self, context):
        _found.clear()
        path, message = look(context)
        self.report({"INFO"} if path else {"ERROR"}, message)
        return {"FINISHED"} if path else {"CANCELLED"}


CLASSES = (SinewPreferences, SINEW_OT_check_command)


def register():
    for found in CLASSES:
        bpy.utils.register_class(found)


def unregister():
    _found.clear()
    for found in reversed(CLASSES):
        bpy.utils.unregister_class(found)
