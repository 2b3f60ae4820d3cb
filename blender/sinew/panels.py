# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar tab: the model, what to make of the selection, attributes of the active thing, messages, lists.

Attributes are drawn from the schema; which of them concern a kind of constraint is all that stands here.
"""
import bpy

from . import model, prefs, properties, scene_import
from .sidebar import Tab, columns, write

ICONS = {"BODY": "BONE_DATA", "JOINT": "CONSTRAINT_BONE", "STRAND": "CURVE_NCURVE", "GROUP": "GROUP", "FIXED": "PINNED",
         "SLIDING": "DRIVER_DISTANCE", "SURFACE": "SURFACE_NSURFACE", "STRUT": "FIXED_SIZE", "MODEL": "EMPTY_AXIS"}

# Attributes of a constraint that a kind has no use for are not shown.
ONLY = {"equality": ("SURFACE",), "side": ("SURFACE",), "lateral": ("SURFACE",), "offset": ("SURFACE",),
        "mode": ("STRUT",), "length": ("STRUT",), "kp": ("STRUT",), "kd": ("STRUT",),
        "attachment_position": ("FIXED", "STRUT"), "junction": ("FIXED",)}

# Long lists are divided by headings; the rest comes before the first.
SECTIONS = {"Strand": {"density": "Matter", "passive_scale": "Force, scaled by", "passive_fl": "Force-length law",
                       "radius": "Shape", "stiffness": "Elasticity", "belly_start": "Belly", "rest_scale": "Rest length"}}

# What stands in a panel where the whole name would be cut off; headings say the rest, the tip says all.
SHORT = {"active_fl": "Active", "active_scale": "Active", "attachment_position": "On target", "belly_end": "End",
         "belly_rest_scale": "Of belly", "belly_start": "Start", "compliance": "Softness", "inertia_products": "Products",
         "kd": "Damper Kd", "kp": "Spring Kp", "mass_damping": "Drag", "passive_fl": "Passive", "passive_scale": "Passive",
         "swing_center": "Cone axis", "tendon_stiffness": "Of tendon"}


def draw_attributes(layout, group, tag, hide=()):
    column = columns(layout).column(align=True)
    for found in properties.shown(tag):
        if found["name"] in hide:
            continue
        heading = SECTIONS.get(tag, {}).get(found["name"])
        if heading:
            layout.label(text=heading)
            column = layout.column(align=True)
        column.prop(group, found["name"], text=SHORT.get(found["name"], properties.label(found)))


def draw_body_ref(layout, ref, text, world=True):
    column = layout.column(align=True)
    column.prop(ref, "object", text=text)
    if ref.object and ref.object.type == "ARMATURE":
        column.prop_search(ref, "bone", ref.object.data, "bones", text="Bone")
    elif not ref.object and world:
        column.label(text="held in space")


def draw_messages(layout, context, settings):
    for item in settings.messages:
        box = layout.box()
        write(box, item.text, context, "ERROR" if item.severity == "error" else "INFO")


class SINEW_PT_model(Tab, bpy.types.Panel):
    bl_label = "Model"
    bl_order = 0

    def draw(self, context):
        layout, settings = self.layout, context.scene.sinew
        path, message = prefs.look(context)
        if not path:
            box = layout.box()
            box.alert = True
            write(box, message, context, "ERROR")
            box.operator("preferences.addon_show", text="Preferences", icon="PREFERENCES").module = __package__
        if not scene_import.has_model(context.scene):
            write(layout, "Add a shipped model, or make bodies and strands from what is selected.", context)
            layout.menu("SINEW_MT_add", text="Add Model", icon="ADD")
            return
        found = context.scene.objects
        strands = sum(thing.sinew.kind == "STRAND" for thing in found)
        markers = sum(thing.sinew.kind in properties.CONSTRAINTS for thing in found)
        write(layout, f"{len(model.bodies(context.scene))} bodies, {strands} strands, {markers} constraints", context)
        column = layout.column(align=True)
        column.prop(settings, "name")
        column.prop(settings, "folder")
        column.prop(settings, "skin")
        row = layout.row(align=True)
        row.operator("sinew.validate", text="Check", icon="CHECKMARK")
        row.operator("sinew.export_model", text="Export", icon="EXPORT")
        layout.operator("sinew.import_motion", icon="IMPORT")


class SINEW_PT_settings(Tab, bpy.types.Panel):
    bl_label = "Settings"
    bl_parent_id = "SINEW_PT_model"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, settings = columns(self.layout), context.scene.sinew
        column = layout.column(align=True)
        column.prop(settings.space, "units")
        column.prop(settings.space, "up")
        column = layout.column(align=True)
        column.prop(settings, "pose_from")
        column.prop(settings, "pose_frame", text="Frame")
        column = layout.column(align=True)
        column.prop(settings.model, "own_gravity")
        if settings.model.own_gravity:
            column.prop(settings.model, "gravity")
        draw_attributes(layout, settings.model, "Muscle")
        layout.prop(settings, "marker_size")


class SINEW_PT_make(Tab, bpy.types.Panel):
    bl_label = "Make from Selection"
    bl_order = 1

    def draw(self, context):
        layout = self.layout
        column = layout.column(align=True)
        row = column.row(align=True)
        row.operator("sinew.make_body", icon=ICONS["BODY"])
        row.operator("sinew.make_joint", icon=ICONS["JOINT"])
        row = column.row(align=True)
        row.operator("sinew.make_strand", icon=ICONS["STRAND"])
        row.operator("sinew.make_group", text="Group", icon=ICONS["GROUP"])
        column = layout.column(align=True)
        for pair in (("FIXED", "SLIDING"), ("SURFACE", "STRUT")):
            row = column.row(align=True)
            for kind in pair:
                label = properties.KINDS[kind][0].split()[0]
                row.operator("sinew.add_constraint", text=label, icon=ICONS[kind]).kind = kind
        column = layout.column(align=True)
        column.operator("sinew.add_shape", icon="MESH_CYLINDER")
        column.operator("sinew.guess_centre", icon="PIVOT_BOUNDBOX")
        column = layout.column(align=True)
        column.operator("sinew.remove", icon="X")
        column.operator("sinew.delete_broken", icon="TRASH")


def active_owner(context):
    """What the attributes are shown of: the active bone of an armature, or the active object."""
    thing = context.object
    if thing and thing.type == "ARMATURE" and thing.data.bones.active:
        return thing.data.bones.active
    return thing


class SINEW_PT_element(Tab, bpy.types.Panel):
    bl_label = "Attributes"
    bl_order = 2

    @classmethod
    def poll(cls, context):
        owner = active_owner(context)
        return owner is not None and (owner.sinew.kind != "NONE" or getattr(owner.sinew, "node", "") == "Shape")

    def draw(self, context):
        layout, owner = self.layout, active_owner(context)
        settings = owner.sinew
        kind = settings.kind
        what = properties.KINDS[kind][0] if kind != "NONE" else "Shape"
        layout.label(text=what, icon=ICONS.get(kind, "MESH_CYLINDER"))
        column = layout.column(align=True)
        column.label(text=model.name_of(owner))
        column.prop(settings, "name", text="", icon="FILE_TEXT")
        draw_messages(layout, context, settings)
        draw = getattr(self, "draw_" + kind.lower(), None)
        if kind in properties.CONSTRAINTS:
            self.draw_constraint(layout, owner)
        elif draw:
            draw(layout, owner)
        if getattr(settings, "node", "") == "Shape":
            draw_attributes(layout, settings.shape, "Shape")

    def draw_body(self, layout, owner):
        body = owner.sinew.body
        column = layout.column(align=True)
        column.prop(body, "center_of_mass", text="Centre")
        column.operator("sinew.guess_centre", icon="PIVOT_BOUNDBOX")
        draw_attributes(layout, body, "RigidBody")

    def draw_joint(self, layout, owner):
        joint = owner.sinew.joint
        draw_body_ref(layout, joint.body_a, "Body A")
        draw_body_ref(layout, joint.body_b, "Body B")
        hide = () if joint.limited else ("lower", "upper")
        draw_attributes(layout, joint, "Joint", hide)

    def draw_strand(self, layout, owner):
        layout.prop(owner.sinew, "activation", slider=True)
        draw_attributes(layout, owner.sinew.strand, "Strand")

    def draw_group(self, layout, owner):
        group = owner.sinew.group
        layout.prop(owner.sinew, "activation", slider=True)
        draw_attributes(layout, group, "MuscleGroup")
        layout.label(text=f"{len(group.members)} strands")
        row = layout.row()
        row.template_list("SINEW_UL_members", "", group, "members", group, "active_member", rows=3)
        column = row.column(align=True)
        column.operator("sinew.group_members", text="", icon="ADD").action = "ADD"
        column.operator("sinew.group_members", text="", icon="REMOVE").action = "REMOVE"

    def draw_constraint(self, layout, owner):
        settings, kind = owner.sinew.constraint, owner.sinew.kind
        layout.prop(settings, "position", slider=True)
        column = columns(layout.column())
        column.prop(settings, "strand")
        if kind in ("SURFACE", "STRUT"):
            column.prop(settings, "target", text="Target")
        else:
            draw_body_ref(column, settings.body, "Body", world=False)
            if kind == "FIXED":
                column.prop(settings, "target", text="or strand")
        hide = ["position"] + [name for name, kinds in ONLY.items() if kind not in kinds]
        draw_attributes(layout, settings, "Constraint", hide)


class SINEW_UL_members(bpy.types.UIList):
    def draw_item(self, _context, layout, _data, item, _icon, _active_data, _active_name):
        layout.prop(item, "object", text="", emboss=False)


class SINEW_UL_functions(bpy.types.UIList):
    def draw_item(self, _context, layout, _data, item, _icon, _active_data, _active_name):
        row = layout.row(align=True)
        row.prop(item, "name", text="", emboss=False)
        row.prop(item, "level", text="", slider=True)


class SINEW_PT_messages(Tab, bpy.types.Panel):
    bl_label = "Check"
    bl_order = 3

    @classmethod
    def poll(cls, context):
        return bool(context.scene.sinew.check_result)

    def draw(self, context):
        layout, settings = self.layout, context.scene.sinew
        write(layout, settings.check_result, context, "INFO" if settings.messages else "CHECKMARK")
        for item in list(settings.messages)[:30]:
            box = layout.box()
            row = box.row()
            row.label(text=item.name, icon="ERROR" if item.severity == "error" else "INFO")
            row.operator("sinew.select_element", text="", icon="RESTRICT_SELECT_OFF").element = item.name
            write(box, item.text, context)
        if len(settings.messages) > 30:
            layout.label(text=f"and {len(settings.messages) - 30} more")


class ListPanel(Tab):
    """A collection of the scene's settings, and the attributes of the item that is chosen."""
    bl_options = {"DEFAULT_CLOSED"}
    listing = "UI_UL_list"

    def draw(self, context):
        settings, name, active = context.scene.sinew, self.collection, "active_" + self.collection[:-1]
        row = self.layout.row()
        row.template_list(self.listing, name, settings, name, settings, active, rows=3)
        column = row.column(align=True)
        for action in ("ADD", "REMOVE"):
            button = column.operator("sinew.list_edit", text="", icon=action)
            button.collection, button.action = name, action
        items, index = getattr(settings, name), getattr(settings, active)
        if 0 <= index < len(items):
            column = self.layout.column(align=True)
            for found in properties.schema.attributes(self.tag):
                column.prop(items[index], found["name"])


class SINEW_PT_functions(ListPanel, bpy.types.Panel):
    bl_label = "Functions"
    bl_order = 8
    collection, tag, listing = "functions", "Function", "SINEW_UL_functions"


class SINEW_PT_force_lengths(ListPanel, bpy.types.Panel):
    bl_label = "Force-Length Curves"
    bl_order = 9
    collection, tag = "force_lengths", "ForceLength"


CLASSES = (SINEW_UL_members, SINEW_UL_functions, SINEW_PT_model, SINEW_PT_settings, SINEW_PT_make, SINEW_PT_element,
           SINEW_PT_messages, SINEW_PT_functions, SINEW_PT_force_lengths)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
