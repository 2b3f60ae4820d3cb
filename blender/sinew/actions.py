# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the F-curves of a datablock are: in the action up to Blender 4.3, in the slot of a layered action since 4.4."""

import bpy


def assign_action(datablock, action):
    """Gives a datablock an action; a layered one gets a slot for it."""
    data = datablock.animation_data or datablock.animation_data_create()
    data.action = action
    if hasattr(data, "action_slot") and data.action_slot is None and hasattr(action, "slots"):
        for slot in action.slots:
            if slot.target_id_type in (datablock.id_type, "UNSPECIFIED"):
                data.action_slot = slot
                return
        data.action_slot = action.slots.new(id_type=datablock.id_type, name=datablock.name)


def fcurves(datablock, action):
    """The F-curves of the action that move this datablock."""
    if bpy.app.version < (4, 4, 0) or not hasattr(action, "layers"):
        return action.fcurves
    layer = action.layers[0] if len(action.layers) else action.layers.new("Layer")
    strip = layer.strips[0] if len(layer.strips) else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(datablock.animation_data.action_slot, ensure=True).fcurves


def describe_property(thing, name, text, low, high):
    """Description and range of a custom property, for its slider."""
    thing.id_properties_ui(name).update(description=text, min=low, max=high, soft_min=low, soft_max=high)
