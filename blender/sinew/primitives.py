# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns what is selected into bodies, joints, strands, groups and constraints, and back
[Kaufman 2008, appendix A.3, A.5].

Each operator says what it made or why it made nothing, and changes only what it names. In pose mode the selected
bones are meant, otherwise the selected objects; where a body is asked for, an active armature stands for its
active bone.
"""
import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, StringProperty
from mathutils import Matrix, Vector

from . import markers, mass, model, properties, scene_import, shapes, spaces

CENTRE = "sinew_centre"  # on an empty that was made as a centre of mass


class Refused(Exception):
    """Why an operator does nothing, in words for the user."""


class Primitive:
    """An operator whose work is `make`, which returns what to say."""
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        if not scene_import.has_model(context.scene):
            context.scene.sinew.space.up = "z"  # what is made here has Blender's axes in the files too
        try:
            said = self.make(context)
        except Refused as why:
            self.report({"WARNING"}, str(why))
            return {"CANCELLED"}
        self.report({"INFO"}, said)
        return {"FINISHED"}


def plural(count, word):
    return f"{count} {word}" if count == 1 else f"{count} {word}s" if word != "body" else f"{count} bodies"


def selected_bones(context):
    """(armature object, bone) of the selected pose bones."""
    return [(pose.id_data, pose.bone) for pose in context.selected_pose_bones or []]


def selected_strands(context):
    return [thing for thing in context.selected_objects if thing.sinew.kind == "STRAND"]


def active_body(context):
    """The body that the active object or bone is, or None."""
    thing = context.object
    if not thing:
        return None
    if thing.type == "ARMATURE":
        bone = thing.data.bones.active
        return model.Body(thing, bone.name) if bone and bone.sinew.kind == "BODY" else None
    return model.Body(thing) if thing.sinew.kind == "BODY" else None


def selected_bodies(context):
    """Bodies among the selected objects and bones, the active one last."""
    found = [model.Body(thing, bone.name) for thing, bone in selected_bones(context) if bone.sinew.kind == "BODY"]
    if context.mode != "POSE":
        found = [model.Body(thing) for thing in context.selected_objects if thing.sinew.kind == "BODY"]
        for thing in context.selected_objects:
            if thing.type == "ARMATURE" and thing != context.object:
                bone = thing.data.bones.active
                if bone and bone.sinew.kind == "BODY":
                    found.append(model.Body(thing, bone.name))
    last = active_body(context)
    if last in found:
        found.remove(last)
    return found + [last] if last and (last.bone or last.object.select_get()) else found


def attach(thing, body, matrix):
    """Makes an object a child of a body at a place in the world."""
    if body and body.bone:
        thing.parent, thing.parent_type, thing.parent_bone = body.object, "BONE", body.bone
    elif body:
        thing.parent = body.object
    bpy.context.view_layer.update()
    thing.matrix_world = matrix


def link_beside(context, thing, other):
    """Puts an object into the collection of another."""
    collection = other.users_collection[0] if other and other.users_collection else context.scene.collection
    collection.objects.link(thing)


def unit_length(scene, metres):
    """A length in Blender's units."""
    return metres / spaces.blender_unit(scene)


# ---- bodies ---------------------------------------------------------------------------------------------------------


def place_centre(context, body):
    """The empty at the centre of mass, at a guessed place."""
    depsgraph = context.evaluated_depsgraph_get()
    place = mass.centre(context.scene, body, depsgraph)
    thing = body.settings.center_of_mass
    if not thing:
        thing = bpy.data.objects.new(body.name + "_center", None)
        link_beside(context, thing, body.object)
        thing.empty_display_type = "SPHERE"
        thing.empty_display_size = unit_length(context.scene, 0.004)
        thing[CENTRE] = 1
        body.settings.center_of_mass = thing
    attach(thing, body, Matrix.Translation(place))
    return thing


def make_body(context, body):
    owner = body.owner
    owner.sinew.kind = "BODY"
    owner.sinew.order = model.next_order(context.scene)
    context.view_layer.update()
    size = mass.cylinder(context.scene, body, context.evaluated_depsgraph_get())
    if size:
        metres = spaces.blender_unit(context.scene)
        body.settings.radius, body.settings.length = size[0] * metres, size[1] * metres
    place_centre(context, body)


class SINEW_OT_make_body(Primitive, bpy.types.Operator):
    """Make the selected objects, or bones in pose mode, rigid bodies, with an estimated centre of mass"""
    bl_idname = "sinew.make_body"
    bl_label = "Rigid Body"

    def make(self, context):
        if context.mode == "POSE":
            found = [model.Body(thing, bone.name) for thing, bone in selected_bones(context)
                     if bone.sinew.kind != "BODY"]
        else:
            found = [model.Body(thing) for thing in context.selected_objects
                     if thing.sinew.kind == "NONE" and thing.type in ("MESH", "EMPTY") and CENTRE not in thing]
        if not found:
            raise Refused("Select meshes or empties, or bones in pose mode, that are not part of the model yet")
        for body in found:  # all of them first: what hangs on another body is not part of the shape that is guessed
            body.owner.sinew.kind = "BODY"
        for body in found:
            make_body(context, body)
        return plural(len(found), "body")


class SINEW_OT_guess_centre(Primitive, bpy.types.Operator):
    """Compute the centre of mass of the selected bodies from their meshes"""
    bl_idname = "sinew.guess_centre"
    bl_label = "Guess Centre of Mass"

    def make(self, context):
        found = selected_bodies(context)
        if not found:
            raise Refused("Select rigid bodies")
        for body in found:
            place_centre(context, body)
        return f"Centre of mass of {plural(len(found), 'body')}"


# ---- joints ---------------------------------------------------------------------------------------------------------


def make_joint(context, thing, first, second):
    thing.sinew.kind = "JOINT"
    thing.sinew.order = model.next_order(context.scene)
    model.point_at(thing.sinew.joint.body_a, first)
    model.point_at(thing.sinew.joint.body_b, second)


def joint_frame(body, depsgraph):
    """Where a body that hangs on another turns: at the head of a bone with z across it, else at the origin."""
    if body.bone:
        matrix = body.object.matrix_world @ body.owner.matrix_local
    else:
        matrix = body.world(depsgraph)
    return Matrix.LocRotScale(*matrix.decompose()[:2], None)


def new_joint(context, first, second):
    name = f"{second.name}_joint"
    thing = bpy.data.objects.new(name, None)
    link_beside(context, thing, second.object)
    thing.empty_display_type = "ARROWS"
    thing.empty_display_size = unit_length(context.scene, 0.01)
    matrix = joint_frame(second, context.evaluated_depsgraph_get())
    attach(thing, first or second, matrix)
    make_joint(context, thing, first, second)
    return thing


class SINEW_OT_make_joint(Primitive, bpy.types.Operator):
    """Connect two bodies. Select both, then an empty that shows where; without it, and for bones, the joint is at the
    origin of the second body. Bones in pose mode are connected with their parents"""
    bl_idname = "sinew.make_joint"
    bl_label = "Joint"

    type: EnumProperty(name="Type", items=[(name, name.capitalize(), "") for name in
                                           properties.schema.attribute("Joint", "type")["names"]])

    def make(self, context):
        made = self.bones(context) if context.mode == "POSE" else [self.objects(context)]
        for thing in made:
            thing.sinew.joint.type = self.type
        return plural(len(made), "joint")

    def bones(self, context):
        made = []
        for body in selected_bodies(context):
            above = body.owner.parent
            while above and above.sinew.kind != "BODY":
                above = above.parent
            if above:
                made.append(new_joint(context, model.Body(body.object, above.name), body))
        if not made:
            raise Refused("Select bones that are bodies and whose parents are bodies too")
        return made

    def objects(self, context):
        found = selected_bodies(context)
        thing = context.object
        if len(found) != 2:
            raise Refused(f"Select two bodies, and last the empty that becomes the joint; {len(found)} are selected")
        if thing and thing.select_get() and thing.sinew.kind == "NONE" and thing.type != "ARMATURE":
            make_joint(context, thing, *found)
            return thing
        return new_joint(context, *found)


# ---- strands and groups ---------------------------------------------------------------------------------------------


def as_nurbs(thing):
    """The curve as one cubic NURBS spline, clamped at its ends."""
    data = thing.data
    if len(data.splines) != 1:
        raise Refused(f"{thing.name} has {len(data.splines)} splines; a strand is one: separate them in edit mode")
    spline = data.splines[0]
    if spline.use_cyclic_u:
        raise Refused(f"{thing.name} is closed; a strand has two ends")
    if spline.type == "NURBS" and len(spline.points) >= 4:
        spline.order_u, spline.use_endpoint_u = 4, True
        return
    points = shapes.spline_points(data)
    if spline.type == "BEZIER":
        points = _bezier_control(spline)
    while len(points) < 4:
        middles = [tuple((x + y) / 2 for x, y in zip(a, b)) for a, b in zip(points, points[1:])]
        points = [p for pair in zip(points, middles) for p in pair] + points[-1:]
    resolution = spline.resolution_u
    shapes.set_spline(data, points, [1.0] * len(points), 3, False)
    data.splines[0].resolution_u = resolution


def _bezier_control(spline):
    """Control points for a B-spline that runs along a Bezier curve: its ends and the handles between."""
    found = spline.bezier_points
    points = [tuple(found[0].co)]
    for a, b in zip(found, found[1:]):
        points += [tuple(a.handle_right), tuple(b.handle_left)]
    return points + [tuple(found[-1].co)]


class SINEW_OT_make_strand(Primitive, bpy.types.Operator):
    """Make the selected curves strands: muscles, tendons or ligaments"""
    bl_idname = "sinew.make_strand"
    bl_label = "Strand"

    passive_fl: StringProperty(name="Passive force-length",
                               description="Preset, curve of the model or file; empty: linear")
    active_fl: StringProperty(name="Active force-length",
                              description="Preset, curve of the model or file; empty: shift")
    radius: FloatProperty(name="Radius (m)", default=0.0, min=0.0, precision=4,
                          description="0: the thickness that the curve has, else 2 mm")

    def make(self, context):
        found = [thing for thing in context.selected_objects if thing.type == "CURVE" and thing.sinew.kind == "NONE"]
        if not found:
            raise Refused("Select curves that are not strands yet")
        for thing in found:
            as_nurbs(thing)
        for thing in found:
            self.make_one(context, thing)
        return plural(len(found), "strand")

    def make_one(self, context, thing):
        settings = thing.sinew.strand
        thing.sinew.kind = "STRAND"
        thing.sinew.order = model.next_order(context.scene)
        thick = thing.data.bevel_depth * spaces.blender_unit(context.scene)
        settings.radius = self.radius or thick or 0.002
        settings.passive_fl, settings.active_fl = self.passive_fl, self.active_fl
        if " " in model.name_of(thing):
            thing.sinew.name = thing.name.replace(" ", "_")
        shapes.show_strand(thing)


class SINEW_OT_make_group(Primitive, bpy.types.Operator):
    """Put the selected strands into a muscle group: they activate together"""
    bl_idname = "sinew.make_group"
    bl_label = "Muscle Group"

    name: StringProperty(name="Name", default="muscle")
    type: EnumProperty(name="Type", items=[(name, name.capitalize(), "") for name in
                                           properties.schema.attribute("MuscleGroup", "type")["names"]])

    def make(self, context):
        found = selected_strands(context)
        if not found:
            raise Refused("Select strands")
        thing = bpy.data.objects.new(self.name, None)
        link_beside(context, thing, found[0])
        thing.location = sum((strand.matrix_world.translation for strand in found), Vector()) / len(found)
        thing.empty_display_size = unit_length(context.scene, 0.02)
        thing.sinew.kind = "GROUP"
        thing.sinew.order = model.next_order(context.scene)
        thing.sinew.group.type = self.type
        for strand in sorted(found, key=lambda strand: (strand.sinew.order, strand.name)):
            thing.sinew.group.members.add().object = strand
        return f"{thing.name}: {plural(len(found), 'strand')}"


class SINEW_OT_group_members(Primitive, bpy.types.Operator):
    """Add the selected strands to the active muscle group, or take its active strand out"""
    bl_idname = "sinew.group_members"
    bl_label = "Members"

    action: EnumProperty(items=[("ADD", "Add", ""), ("REMOVE", "Remove", "")])

    def make(self, context):
        thing = context.object
        if not thing or thing.sinew.kind != "GROUP":
            raise Refused("The active object must be a muscle group")
        group = thing.sinew.group
        if self.action == "REMOVE":
            if not group.members:
                raise Refused(f"{thing.name} has no strands")
            group.members.remove(min(group.active_member, len(group.members) - 1))
            group.active_member = max(0, min(group.active_member, len(group.members) - 1))
        else:
            there = {member.object for member in group.members}
            added = [strand for strand in selected_strands(context) if strand not in there]
            if not added:
                raise Refused("Select strands that are not in the group yet, and the group last")
            for strand in added:
                group.members.add().object = strand
        return f"{thing.name}: {plural(len(group.members), 'strand')}"


# ---- constraints ----------------------------------------------------------------------------------------------------


class SINEW_OT_add_constraint(Primitive, bpy.types.Operator):
    """Constrain the selected strands: fixed or sliding on the active body (or strand), along the active surface, or
    with struts from each to the next"""
    bl_idname = "sinew.add_constraint"
    bl_label = "Constraint"

    kind: EnumProperty(name="Kind", items=[(kind, properties.KINDS[kind][0], properties.KINDS[kind][1])
                                           for kind in properties.CONSTRAINTS])
    where: EnumProperty(name="Where", items=[
        ("POSITION", "Position", "At the position given"),
        ("CURSOR", "3D cursor", "At the point of the strand nearest to the 3D cursor"),
        ("ORIGIN", "Origin", "At the first point of the strand"),
        ("INSERTION", "Insertion", "At the last point of the strand")])
    position: FloatProperty(name="Position", default=0.5, min=0, max=1,
                            description="Fraction of the strand's parameter")

    def make(self, context):
        strands = selected_strands(context)
        if self.kind == "STRUT":
            pairs = list(zip(strands, strands[1:]))
            if not pairs:
                raise Refused("Select two or more neighbouring strands")
            made = [self.add(context, a, None, b) for a, b in pairs]
        else:
            body, target = self.attachment(context)
            strands = [strand for strand in strands if strand != target]
            if not strands:
                raise Refused("Select the strands first, and last what they are attached to")
            made = [self.add(context, strand, body, target) for strand in strands]
        return plural(len(made), properties.KINDS[self.kind][0].lower())

    def attachment(self, context):
        """(body, other object) that the active object stands for."""
        thing, body = context.object, active_body(context)
        if self.kind == "SURFACE":
            if thing and thing.sinew.kind != "STRAND" and thing.type in ("MESH", "SURFACE"):
                return None, thing
            raise Refused("The active object must be a surface: a closed mesh, a NURBS surface or a shape")
        if body:
            return body, None
        if self.kind == "FIXED" and thing and thing.sinew.kind == "STRAND" and len(selected_strands(context)) > 1:
            return None, thing
        raise Refused("The active object must be a rigid body, or an armature whose active bone is one")

    def add(self, context, strand, body, target):
        number = sum(1 for found in model.constraints(context.scene) if found.sinew.constraint.strand == strand) + 1
        thing = markers.new_marker(context.scene, f"{strand.name}.{self.kind.lower()}{number}", self.kind, strand,
                                   strand.users_collection[0])
        thing.sinew.order = model.next_order(context.scene)
        settings = thing.sinew.constraint
        settings.target = target
        model.point_at(settings.body, body)
        settings.position = self.fraction(context, strand)
        markers.update(thing)
        return thing

    def fraction(self, context, strand):
        if self.where == "CURSOR":
            return markers.Path(strand).nearest(strand.matrix_world.inverted() @ context.scene.cursor.location)
        return {"ORIGIN": 0.0, "INSERTION": 1.0}.get(self.where, self.position)


class SINEW_OT_add_shape(Primitive, bpy.types.Operator):
    """Add a shape for strands to lie on at the 3D cursor, as part of the active body"""
    bl_idname = "sinew.add_shape"
    bl_label = "Shape"

    shape: EnumProperty(name="Shape", items=[(name, name.capitalize(), "") for name in
                                             properties.schema.attribute("Shape", "shape")["names"]],
                        default="cylinder")
    radius: FloatProperty(name="Size (m)", default=0.01, min=1e-4, precision=4)

    def make(self, context):
        body, scene = active_body(context), context.scene
        data = bpy.data.meshes.new(self.shape)
        thing = bpy.data.objects.new(f"{body.name}_{self.shape}" if body else self.shape, data)
        link_beside(context, thing, body.object if body else None)
        thing.sinew.node = "Shape"
        thing.sinew.order = model.next_order(scene)
        size = self.radius / spaces.unit(scene)
        thing.sinew.shape.shape = self.shape
        thing.sinew.shape.size = (size, 4 * size, size) if self.shape == "cylinder" else (size, size, size)
        thing.display_type = "WIRE"
        scale = spaces.unit(scene) / spaces.blender_unit(scene)
        attach(thing, body, Matrix.LocRotScale(scene.cursor.location, None, (scale,) * 3))
        return thing.name


# ---- removing -------------------------------------------------------------------------------------------------------


def is_broken(thing):
    """Whether a constraint lacks its strand or what it is attached to."""
    settings = thing.sinew.constraint
    if not settings.strand or settings.strand.sinew.kind != "STRAND":
        return True
    if thing.sinew.kind == "SURFACE":
        return settings.target is None
    if settings.target:
        return settings.target.sinew.kind != "STRAND"
    return thing.sinew.kind == "STRUT" or model.body_of(settings.body) is None


def delete_broken(scene):
    """Deletes constraints that lack something, and takes gone strands out of groups. Returns how many were deleted."""
    broken = [thing for thing in model.constraints(scene) if is_broken(thing)]
    for thing in broken:
        bpy.data.objects.remove(thing)
    for thing in model.of_kind(scene, "GROUP"):
        members = thing.sinew.group.members
        for i in reversed(range(len(members))):
            if not members[i].object or members[i].object.sinew.kind != "STRAND":
                members.remove(i)
    return len(broken)


def make_plain(owner):
    """Takes all that is ours off an object or bone."""
    settings = owner.sinew
    if settings.kind == "BODY":
        centre = settings.body.center_of_mass
        if centre and CENTRE in centre:
            bpy.data.objects.remove(centre)
    for name in (model.FRAME, model.NODE, scene_import.SOURCE, scene_import.ATTRIBUTES, scene_import.FILE):
        if name in owner:
            del owner[name]
    data = getattr(owner, "data", None)
    if data is not None and scene_import.POINTS in data:
        del data[scene_import.POINTS]
    owner.property_unset("sinew")


class SINEW_OT_remove(Primitive, bpy.types.Operator):
    """Turn the selected bodies, joints, strands and groups back into plain Blender objects and bones; delete selected
    constraints and those that break"""
    bl_idname = "sinew.remove"
    bl_label = "Remove from Model"

    all: BoolProperty(name="Everything", description="The whole model, not only what is selected")

    def make(self, context):
        owners = self.owners(context)
        if not owners:
            raise Refused("Nothing of the model is selected")
        removed = 0
        for owner in owners:
            if isinstance(owner, bpy.types.Object) and owner.sinew.kind in properties.CONSTRAINTS:
                bpy.data.objects.remove(owner)
                removed += 1
            else:
                make_plain(owner)
        removed += delete_broken(context.scene)
        return f"{len(owners)} removed from the model, {plural(removed, 'constraint')} deleted"

    def owners(self, context):
        scene = context.scene
        if self.all:
            found = [thing for thing in scene.objects if thing.sinew.kind != "NONE" or thing.sinew.node]
            return found + [body.owner for body in model.bodies(scene) if body.bone]
        if context.mode == "POSE":
            return [bone for _, bone in selected_bones(context) if bone.sinew.kind != "NONE"]
        return [thing for thing in context.selected_objects if thing.sinew.kind != "NONE" or thing.sinew.node]


class SINEW_OT_delete_broken(Primitive, bpy.types.Operator):
    """Delete constraints whose strand, body or surface is gone"""
    bl_idname = "sinew.delete_broken"
    bl_label = "Delete Broken Constraints"

    def make(self, context):
        return f"{plural(delete_broken(context.scene), 'constraint')} deleted"


class SINEW_OT_list_edit(bpy.types.Operator):
    """Add an item to a list of the model, or remove the active one"""
    bl_idname = "sinew.list_edit"
    bl_label = "Edit List"
    bl_options = {"REGISTER", "UNDO"}

    collection: EnumProperty(items=[("force_lengths", "Force-length curves", ""), ("functions", "Functions", "")])
    action: EnumProperty(items=[("ADD", "Add", ""), ("REMOVE", "Remove", "")])

    def execute(self, context):
        settings = context.scene.sinew
        items = getattr(settings, self.collection)
        active = "active_" + self.collection[:-1]
        if self.action == "ADD":
            items.add().name = f"{self.collection[:-1]}{len(items)}"
            setattr(settings, active, len(items) - 1)
        elif items:
            items.remove(min(getattr(settings, active), len(items) - 1))
            setattr(settings, active, max(0, min(getattr(settings, active), len(items) - 1)))
        return {"FINISHED"}


CLASSES = (SINEW_OT_make_body, SINEW_OT_guess_centre, SINEW_OT_make_joint, SINEW_OT_make_strand, SINEW_OT_make_group,
           SINEW_OT_group_members, SINEW_OT_add_constraint, SINEW_OT_add_shape, SINEW_OT_remove, SINEW_OT_delete_broken,
           SINEW_OT_list_edit)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
