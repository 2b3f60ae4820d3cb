# SPDX-License-Identifier: GPL-3.0-or-later
"""The only place where versions of Blender differ. Run with 3.4; what concerns later versions follows their release
notes.

What differs:
- 4.1 took away Mesh.use_auto_smooth and calc_normals.
- 4.4 brought actions with layers and slots; 5.0 took away Action.fcurves.
- 5.0 keeps the values of registered properties apart from custom properties: group["name"] no longer finds them.
"""
import bpy


def stored(group):
    """The values of a property group by name, as stored. A number that was put in as a double stays one."""
    if hasattr(group, "bl_system_properties_get"):
        return group.bl_system_properties_get(do_create=True)
    return group


def assign_action(owner, action):
    """Gives a datablock an action; a layered one gets a slot for it."""
    data = owner.animation_data or owner.animation_data_create()
    data.action = action
    if hasattr(data, "action_slot") and data.action_slot is None and hasattr(action, "slots"):
        for slot in action.slots:
            if slot.target_id_type in (owner.id_type, "UNSPECIFIED"):
                data.action_slot = slot
                return
        data.action_slot = action.slots.new(id_type=owner.id_type, name=owner.name)


def fcurves(owner, action):
    """The F-curves of the action that move this datablock."""
    if bpy.app.version < (4, 4, 0) or not hasattr(action, "layers"):
        return action.fcurves
    layer = action.layers[0] if len(action.layers) else action.layers.new("Layer")
    strip = layer.strips[0] if len(layer.strips) else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(owner.animation_data.action_slot, ensure=True).fcurves


def describe_property(thing, name, text, low, high):
    """Description and range of a custom property, for its slider."""
    thing.id_properties_ui(name).update(description=text, min=low, max=high, soft_min=low, soft_max=high)


def smooth_faces(mesh):
    """Shades all faces of a mesh smooth."""
    mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))


def select_only(context, objects, active=None):
    """Makes these objects the selection."""
    for thing in context.view_layer.objects:
        if thing.select_get():
            thing.select_set(False)
    for thing in objects:
        thing.select_set(True)
    if active or objects:
        context.view_layer.objects.active = active or objects[-1]
