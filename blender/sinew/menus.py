# SPDX-License-Identifier: GPL-3.0-or-later
"""Add > sinew, and the entries of File > Import and Export."""
import bpy

SHIPPED = (("hand", "Hand", "VIEW_PAN"), ("hand-left", "Left Hand", "VIEW_PAN"),
           ("shoulder", "Shoulder", "ARMATURE_DATA"))


class SINEW_MT_add(bpy.types.Menu):
    bl_idname = "SINEW_MT_add"
    bl_label = "sinew"

    def draw(self, _context):
        layout = self.layout
        layout.operator_context = "INVOKE_DEFAULT"
        for name, label, icon in SHIPPED:
            layout.operator("sinew.add_model", text=label, icon=icon).model = name
        layout.separator()
        layout.operator("sinew.import_model", text="Model File...", icon="IMPORT")
        if hasattr(bpy.types, "SINEW_OT_import_replay"):
            layout.operator("sinew.import_replay", text="Replay...", icon="PLAY")


def draw_add(self, _context):
    self.layout.menu("SINEW_MT_add", icon="FORCE_MAGNETIC")


def draw_import(self, _context):
    self.layout.operator("sinew.import_model", text="sinew Model (.muscle.xml)")


def draw_export(self, _context):
    self.layout.operator("sinew.export_model", text="sinew Model (.muscle.xml)")


PLACES = (("VIEW3D_MT_add", draw_add), ("TOPBAR_MT_file_import", draw_import), ("TOPBAR_MT_file_export", draw_export))


def register():
    bpy.utils.register_class(SINEW_MT_add)
    for menu, draw in PLACES:
        getattr(bpy.types, menu).append(draw)


def unregister():
    for menu, draw in PLACES:
        getattr(bpy.types, menu).remove(draw)
    bpy.utils.unregister_class(SINEW_MT_add)
