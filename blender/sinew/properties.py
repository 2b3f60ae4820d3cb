# SPDX-License-Identifier: GPL-3.0-or-later
"""What an object, a bone or the scene means to sinew: property groups made from the schema.

Invariants:
1. An attribute of the schema is a property of the same name in the group of its element; no default, range or
   description is typed here. What names another element in a file is a pointer here, so that renaming breaks nothing.
2. Numbers of a file are stored as doubles (see `put`), though Blender shows and edits them in single precision: an
   attribute that nobody touched is written with all the digits that it was read with.
3. `kind` says what a thing is; its attributes stand in the group of that kind and stay there when the kind changes.
"""
import bpy
from bpy.props import (BoolProperty, CollectionProperty, EnumProperty, FloatProperty, FloatVectorProperty, IntProperty,
                       PointerProperty, StringProperty)

from . import compat, schema

# kind: label, description, element of a muscle file, name of the group with the attributes
KINDS = {
    "NONE": ("Nothing", "A plain Blender object", None, None),
    "BODY": ("Rigid body", "A bone that moves as one", "RigidBody", "body"),
    "JOINT": ("Joint", "Connects two bodies at the origin of this object", "Joint", "joint"),
    "STRAND": ("Strand", "A muscle, tendon or ligament along this curve", "Strand", "strand"),
    "GROUP": ("Muscle group", "Strands of one muscle, which activate together", "MuscleGroup", "group"),
    "FIXED": ("Fixed constraint", "Holds a point of a strand on a body or another strand", "Constraint", "constraint"),
    "SLIDING": ("Sliding constraint", "A strand slides through a point of a body", "Constraint", "constraint"),
    "SURFACE": ("Surface constraint", "Keeps a strand on or beside a surface", "Constraint", "constraint"),
    "STRUT": ("Strut", "Keeps two strands apart", "Constraint", "constraint"),
    "MODEL": ("Model", "The axes and units of an imported model", None, None),
}
CONSTRAINTS = ("FIXED", "SLIDING", "SURFACE", "STRUT")
KIND_ITEMS = [(kind, row[0], row[1], number) for number, (kind, row) in enumerate(KINDS.items())]

# What is a pointer, the owner itself, or written anew each time, and so is no plain property.
LEFT_OUT = {
    "RigidBody": ("name", "node", "center_of_mass"),
    "Joint": ("name", "node", "body_a", "body_b"),
    "Strand": ("name", "node"),
    "MuscleGroup": ("name", "strands"),
    "Constraint": ("name", "type", "strand", "attachment"),
    "Muscle": ("scene", "skin", "gravity"),
    "ModelerScene": (),
    "Shape": tuple(a["name"] for a in schema.attributes("Locator")),
}

PRESETS = {"passive_fl": ("linear", "hill-passive"),
           "active_fl": ("shift", "hill-active", "quadratic-active", "constant")}

# (tag, attribute): function of the owner that follows an edit. Filled by the modules that show the attribute.
HOOKS = {}


def shown(tag):
    """The attributes of an element that are plain properties, in the order of the schema."""
    return [found for found in schema.attributes(tag) if found["name"] not in LEFT_OUT[tag] and not found.get("child")]


WORDS = {"fl": "force-length", "kp": "spring (Kp)", "kd": "damper (Kd)"}


def label(found):
    """The name of an attribute in words. The sidebar is narrow: its unit stands in the tip."""
    words = [WORDS.get(word, word) for word in found["name"].split("_")]
    text = " ".join(words)
    return text[:1].upper() + text[1:]


def tip(found):
    text = found["doc"].rstrip(".")
    return f"{text} [{found['unit']}]" if found["unit"] else text


def _updater(tag, name):
    def update(group, _context):
        hook = HOOKS.get((tag, name))
        if hook:
            hook(group.id_data)
    return update


def _search_curves(_group, context, text):
    """Force-length laws that a strand may name: presets of the command and curves of the model."""
    names = [preset for presets in PRESETS.values() for preset in presets]
    names += [curve.name for curve in context.scene.sinew.force_lengths]
    return [name for name in names if text.lower() in name.lower()]


def _property(tag, found):
    kind = found["type"]
    given = {"name": label(found), "description": tip(found), "update": _updater(tag, found["name"])}
    if kind in ("number", "vector", "int"):
        given.update({key: found[key] for key in ("min", "max") if key in found})
    if kind == "bool":
        return BoolProperty(default=found["default"], **given)
    if kind == "int":
        return IntProperty(default=found["default"], **given)
    if kind == "number":
        digits = 6 if 0 < abs(found["default"]) < 1e-3 else 4
        return FloatProperty(default=found["default"], precision=digits, step=1, **given)
    if kind == "vector":
        return FloatVectorProperty(default=found["default"], size=found["width"], precision=4, step=1, **given)
    if kind == "enum":
        items = [(name, name.capitalize(), "") for name in found["names"]]
        return EnumProperty(items=items, default=found.get("default", found["names"][0]), **given)
    if found["name"] in PRESETS:
        return StringProperty(search=_search_curves, search_options={"SUGGESTION"}, **given)
    return StringProperty(**given)


def _group_class(tag, extra=None):
    annotations = dict(extra or {})
    annotations.update({found["name"]: _property(tag, found) for found in shown(tag)})
    return type("SinewPG_" + tag, (bpy.types.PropertyGroup,), {"__annotations__": annotations,
                                                              "__doc__": schema.ELEMENTS[tag]["doc"]})


# ---- values ---------------------------------------------------------------------------------------------------------


def put(group, name, value):
    """Sets an attribute with all its digits."""
    if isinstance(value, float):
        compat.stored(group)[name] = value
    elif isinstance(value, (tuple, list)):
        compat.stored(group)[name] = [float(x) for x in value]
    else:
        setattr(group, name, value)


def get(group, found):
    """An attribute as a file has it: bool, int, float, list of floats or str."""
    name, kind = found["name"], found["type"]
    if kind not in ("number", "vector"):
        return getattr(group, name)
    values = compat.stored(group)
    if name not in values:
        return found["default"]
    return float(values[name]) if kind == "number" else [float(x) for x in values[name]]


def reset(group):
    """All attributes back to their defaults."""
    for name in list(compat.stored(group).keys()):
        group.property_unset(name)


# ---- groups ---------------------------------------------------------------------------------------------------------


def _is_body_object(_group, thing):
    return thing.type == "ARMATURE" or thing.sinew.kind == "BODY"


def _is_strand(_group, thing):
    return thing.sinew.kind == "STRAND"


class SinewPG_BodyRef(bpy.types.PropertyGroup):
    """A body: an object, or a bone of an armature. None: the world."""
    object: PointerProperty(type=bpy.types.Object, name="Body", description="A rigid body, or the armature of one; "
                            "empty: held in space", poll=_is_body_object)
    bone: StringProperty(name="Bone", description="The bone that is the body, where the body is a bone")


class SinewPG_Member(bpy.types.PropertyGroup):
    """A strand of a muscle group."""
    object: PointerProperty(type=bpy.types.Object, name="Strand", poll=_is_strand)


class SinewPG_Message(bpy.types.PropertyGroup):
    """What the check says about an element."""
    severity: StringProperty()
    text: StringProperty()


def _text_group(tag, extra):
    """An element whose numbers are kept as text, so that they keep their digits."""
    names = {}
    for found in schema.attributes(tag):
        given = {"name": label(found), "description": tip(found)}
        if found["name"] == "file":
            given["subtype"] = "FILE_PATH"
        names[found["name"]] = StringProperty(**given)
    return type("SinewPG_" + tag, (bpy.types.PropertyGroup,), {"__annotations__": {**names, **extra},
                                                              "__doc__": schema.ELEMENTS[tag]["doc"]})


SinewPG_ForceLength = _text_group("ForceLength", {})
SinewPG_Function = _text_group("Function", {
    "level": FloatProperty(name="Level", min=0, max=1, description="How far the function is turned on; may be keyed")})
SinewPG_RigidBody = _group_class("RigidBody", {
    "center_of_mass": PointerProperty(type=bpy.types.Object, name="Centre of mass",
                                      description="Empty at the centre of mass; without it from the meshes")})
SinewPG_Joint = _group_class("Joint", {
    "body_a": PointerProperty(type=SinewPG_BodyRef), "body_b": PointerProperty(type=SinewPG_BodyRef)})
SinewPG_Strand = _group_class("Strand")
SinewPG_MuscleGroup = _group_class("MuscleGroup", {"members": CollectionProperty(type=SinewPG_Member),
                                                   "active_member": IntProperty()})
SinewPG_Constraint = _group_class("Constraint", {
    "strand": PointerProperty(type=bpy.types.Object, name="Strand", description="The strand that is constrained",
                              poll=_is_strand),
    "body": PointerProperty(type=SinewPG_BodyRef),
    "target": PointerProperty(type=bpy.types.Object, name="Attached to", description="Surface or strand that it is "
                              "attached to, if not a body")})
SinewPG_Shape = _group_class("Shape")
SinewPG_Muscle = _group_class("Muscle", {
    "own_gravity": BoolProperty(name="Own gravity", description="Gravity other than 9.81 downwards"),
    "gravity": FloatVectorProperty(name="Gravity (m/s^2)", size=3, default=(0, 0, -9.81),
                                   description="In the axes of the model")})
SinewPG_ModelerScene = _group_class("ModelerScene")


class SinewPG_Object(bpy.types.PropertyGroup):
    """What an object is."""
    kind: EnumProperty(name="Kind", items=KIND_ITEMS, description="What the object is to sinew")
    name: StringProperty(name="Name", description="Name in the files; empty: the object's own")
    node: StringProperty(name="Node", description="Kind of scene node that an imported object was")
    order: IntProperty(description="Order among its kind in the files")
    activation: FloatProperty(name="Activation", min=0, max=1,
                              description="Activation for a forward simulation; may be keyed")
    body: PointerProperty(type=SinewPG_RigidBody)
    joint: PointerProperty(type=SinewPG_Joint)
    strand: PointerProperty(type=SinewPG_Strand)
    group: PointerProperty(type=SinewPG_MuscleGroup)
    constraint: PointerProperty(type=SinewPG_Constraint)
    shape: PointerProperty(type=SinewPG_Shape)
    messages: CollectionProperty(type=SinewPG_Message)


class SinewPG_Bone(bpy.types.PropertyGroup):
    """What a bone is: a body, or nothing."""
    kind: EnumProperty(name="Kind", items=KIND_ITEMS[:2], description="What the bone is to sinew")
    name: StringProperty(name="Name", description="Name in the files; empty: the bone's own")
    order: IntProperty(description="Order among the bodies in the files")
    body: PointerProperty(type=SinewPG_RigidBody)
    messages: CollectionProperty(type=SinewPG_Message)


class SinewPG_Scene(bpy.types.PropertyGroup):
    """Settings of the model as a whole, and of what is done with it."""
    name: StringProperty(name="Name", default="model", description="Names the files of the model")
    folder: StringProperty(name="Folder", subtype="DIR_PATH", default="//sinew",
                           description="Where the model, the motion and the results are written")
    model: PointerProperty(type=SinewPG_Muscle)
    space: PointerProperty(type=SinewPG_ModelerScene)
    skin: PointerProperty(type=bpy.types.Object, name="Skin", description="Mesh that is the skin of the model",
                          poll=lambda _group, thing: thing.type == "MESH")
    pose_from: EnumProperty(name="Drawn in", items=[
        ("REST", "Rest pose", "Strands were drawn on the armature's rest pose"),
        ("FRAME", "Frame", "Strands were drawn on the pose of a frame")],
        description="Pose that the model is written in")
    pose_frame: IntProperty(name="Frame", default=1, description="Frame that shows the model as drawn")
    motion: StringProperty(name="Motion", description="Shipped motion that the animation came from, if any")
    replay: StringProperty(name="Replay", subtype="FILE_PATH", description="What was simulated last")
    own_range: BoolProperty(name="Own range", description="Use frames other than those of the scene")
    frame_start: IntProperty(name="First frame", default=1)
    frame_end: IntProperty(name="Last frame", default=250)
    subframes: IntProperty(name="Samples per frame", default=1, min=1, max=20,
                           description="How often the motion is sampled between one frame and the next")
    force_lengths: CollectionProperty(type=SinewPG_ForceLength)
    active_force_length: IntProperty()
    functions: CollectionProperty(type=SinewPG_Function)
    active_function: IntProperty()
    messages: CollectionProperty(type=SinewPG_Message)
    check_result: StringProperty(description="Sum of the last check")
    marker_size: FloatProperty(name="Marker size", default=1.0, min=0.05, max=20,
                               description="Size of the constraint markers",
                               update=lambda group, _context: HOOKS["marker_size"](group.id_data))


CLASSES = (SinewPG_BodyRef, SinewPG_Member, SinewPG_Message, SinewPG_ForceLength, SinewPG_Function, SinewPG_RigidBody,
           SinewPG_Joint, SinewPG_Strand, SinewPG_MuscleGroup, SinewPG_Constraint, SinewPG_Shape, SinewPG_Muscle,
           SinewPG_ModelerScene, SinewPG_Object, SinewPG_Bone, SinewPG_Scene)


def register():
    for found in CLASSES:
        bpy.utils.register_class(found)
    bpy.types.Object.sinew = PointerProperty(type=SinewPG_Object)
    bpy.types.Bone.sinew = PointerProperty(type=SinewPG_Bone)
    bpy.types.Scene.sinew = PointerProperty(type=SinewPG_Scene)


def unregister():
    del bpy.types.Scene.sinew, bpy.types.Bone.sinew, bpy.types.Object.sinew
    for found in reversed(CLASSES):
        bpy.utils.unregister_class(found)
