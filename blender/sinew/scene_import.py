# SPDX-License-Identifier: GPL-3.0-or-later
"""A model as Blender objects: armature, bone meshes, strands, constraint markers, skin, motion.

Invariants:
1. A node of the scene is an object with the node's own transform, below the object or bone of its parent; a body's
   group is a bone. A root object (kind MODEL) turns the model's axes and units into Blender's.
2. What Blender keeps in single precision - transforms, points, vertices - is kept beside it as it was read
   (`sinew_source`, `sinew_points`), so that what nobody has moved is written as it was.
3. A failure leaves the scene as it was: files are read before anything is made, and what was made is removed.
"""
import os
import tempfile

import bpy
import numpy
from bpy.props import StringProperty
from bpy_extras.io_utils import ImportHelper
from mathutils import Matrix

from . import command, compat, files, lines, markers, model, prefs, properties, rig, shapes, spaces

SOURCE = "sinew_source"  # on an object or bone: its transform and colour as they were read
POINTS = "sinew_points"  # on a mesh or curve: its coordinates as they were read
ATTRIBUTES = "sinew_attributes"  # on an object: what Blender's curves and meshes cannot hold
MUSCLE = (0.62, 0.2, 0.17)  # colour of line muscles
FILE = "sinew_file"  # on an object: mesh file as the scene names it, and where it was found


class ImportFailed(Exception):
    """Why nothing was imported, in words for the user."""


class Import:
    """One run: what was read, and what was made of it."""

    def __init__(self, context, path):
        self.context, self.scene, self.path = context, context.scene, path
        self.muscle = files.read_muscle(path)
        self.scene_path = files.scene_beside(path, self.muscle)
        self.nodes = files.read_scene(self.scene_path)
        self.elements = {tag: [e for e in self.muscle.children if e.tag == tag] for tag in files.MUSCLE_TAGS}
        self.by_name = {node.name: node for node, _ in self.nodes.walk() if node is not self.nodes}
        self.order = {name: number for number, name in enumerate(self.by_name)}
        self.parents = {node.name: parent for node, parent in self.nodes.walk() if node is not self.nodes}
        self.body_nodes = {body.get("node") or body.name: body for body in self.elements["RigidBody"]}
        self.meshes = {node.name: self.read_mesh(node) for node in self.by_name.values() if node.tag == "Mesh"}
        self.frames = {}
        self.made = []  # datablocks, to be removed when something fails
        self.objects = {}  # by node name
        self.strands, self.bodies, self.result = {}, {}, {}
        self.root = self.armature = self.collection = None
        self.collections = {}

    def read_mesh(self, node):
        """(vertices, faces, colours) of a mesh node."""
        name = node.values.get("file")
        if not name:
            points, corners = node.values.get("Vertices", []), node.values.get("Triangles", [])
            return (numpy.reshape(points, (-1, 3)).tolist(), numpy.reshape(corners, (-1, 3)).astype(int).tolist(), None)
        path = os.path.join(os.path.dirname(self.scene_path), name)
        if path.lower().endswith(".ply"):
            try:
                return files.read_ply(path)
            except files.FileError:
                pass  # another kind of PLY: let the command turn it into ours
        with tempfile.TemporaryDirectory() as folder:
            other = os.path.join(folder, "mesh.ply")
            command.run(prefs.command_path(self.context), ["convert", path, other])
            return files.read_ply(other)

    def compute_frames(self):
        """Rest frames of all nodes in the model's space."""
        for node, parent in self.nodes.walk():
            if node is self.nodes:
                continue
            above = self.frames[parent.name] if parent is not self.nodes else numpy.eye(4)
            self.frames[node.name] = above @ rig.matrix_of(node)

    def new_collection(self, name, parent):
        collection = bpy.data.collections.new(name)
        parent.children.link(collection)
        self.made.append(collection)
        return collection

    def undo(self):
        """Removes what was made."""
        stores = {"Object": bpy.data.objects, "Collection": bpy.data.collections, "Mesh": bpy.data.meshes,
                  "Curve": bpy.data.curves, "SurfaceCurve": bpy.data.curves, "Armature": bpy.data.armatures,
                  "Action": bpy.data.actions}
        for block in reversed(self.made):
            try:
                stores[block.bl_rna.identifier].remove(block)
            except ReferenceError:
                pass
        for store in (bpy.data.meshes, bpy.data.materials):
            for block in [block for block in store if block.name.startswith("sinew ") and not block.users]:
                store.remove(block)


# ---- nodes ----------------------------------------------------------------------------------------------------------


def _material(color):
    name = "sinew {:.2f} {:.2f} {:.2f}".format(*color)
    found = bpy.data.materials.get(name)
    if not found:
        found = bpy.data.materials.new(name)
        found.diffuse_color = (*color, 1.0)
        found.use_nodes = True
        shader = found.node_tree.nodes.get("Principled BSDF")
        if shader:
            shader.inputs["Base Color"].default_value = (*color, 1.0)
            shader.inputs["Roughness"].default_value = 0.5
    return found


def _mesh_data(run, node):
    vertices, faces, colours = run.meshes[node.name]
    data = bpy.data.meshes.new(node.name)
    data.from_pydata(vertices, [], faces)
    compat.smooth_faces(data)
    data[POINTS] = [float(x) for vertex in vertices for x in vertex]
    if colours:
        layer = data.color_attributes.new("influence", "FLOAT_COLOR", "POINT")
        layer.data.foreach_set("color", [c for colour in colours for c in (*colour, 1.0)])
    return data


def _curve_data(node):
    data = bpy.data.curves.new(node.name, "CURVE")
    data.dimensions = "3D"
    points = numpy.reshape(node.values.get("Points", []), (-1, 3))
    weights = node.values.get("Weights") or [1.0] * len(points)
    shapes.set_spline(data, points, weights, node.get("degree"), node.get("closed"))
    data[POINTS] = points.ravel().tolist()
    return data


def _surface_data(node):
    data = shapes.cage(node.name, node.values, node.get("closed"), node.get("closed_v"))
    data[POINTS] = list(node.values.get("Points", []))
    return data


def _data_for(run, node):
    if node.tag == "Mesh":
        return _mesh_data(run, node)
    if node.tag == "Curve":
        return _curve_data(node)
    if node.tag == "Surface":
        return _surface_data(node)
    if node.tag == "Shape":
        return shapes.shape_mesh(node.name, node.get("shape"), node.get("size"))
    return None


def _keep_source(owner, node, parent, order):
    source = {key: list(node.get(key)) for key in ("translate", "rotate", "scale", "color")}
    source["parent"], source["order"] = parent, order
    owner[SOURCE] = source


def _keep_attributes(thing, node):
    kept = {}
    for name in ("degree", "degree_v", "nu", "nv"):
        if name in node.values:
            kept[name] = node.values[name]
    for name in ("closed", "closed_v"):
        if node.values.get(name):
            kept[name] = 1
    for name in ("Knots", "KnotsV", "Weights"):
        if node.values.get(name):
            kept[name] = list(node.values[name])
    if kept:
        thing[ATTRIBUTES] = kept
    if node.values.get("file"):
        thing[FILE] = [node.values["file"], os.path.join(os.path.dirname(os.path.abspath(thing["sinew_from"])),
                                                         node.values["file"])]


def _place(run, thing, node):
    """Parent and transform."""
    parent = run.parents[node.name]
    above = parent.name if parent is not run.nodes else ""
    if above in run.body_nodes:
        bone = run.armature.data.bones[run.body_nodes[above].name]
        thing.parent, thing.parent_type, thing.parent_bone = run.armature, "BONE", bone.name
        frame = Matrix(numpy.reshape(bone[model.FRAME], (4, 4)).tolist())
        thing.matrix_parent_inverse = Matrix.Translation((0, -bone.length, 0)) @ frame
    else:
        thing.parent = run.objects[above] if above else run.root
    thing.location = node.get("translate")
    thing.rotation_mode = "QUATERNION"
    thing.rotation_quaternion = node.get("rotate")
    thing.scale = node.get("scale")
    _keep_source(thing, node, above, run.order[node.name])
    thing[SOURCE]["inverse"] = [x for row in thing.matrix_parent_inverse for x in row]


def _collection_of(run, node):
    if node.tag == "Curve":
        return run.collections["strands"]
    if node.tag in ("Surface", "Shape"):
        return run.collections["surfaces"]
    if node.tag == "Locator" or node.tag == "Group":
        return run.collections["joints"]
    if node.name == run.muscle.values.get("skin"):
        return run.collection
    return run.collections["bones"]


def _make_object(run, node):
    data = _data_for(run, node)
    thing = bpy.data.objects.new(node.name, data)
    run.made += [block for block in (data, thing) if block]
    _collection_of(run, node).objects.link(thing)
    thing["sinew_from"] = run.scene_path
    thing.sinew.node = node.tag
    thing.sinew.order = len(run.objects) + 1
    if thing.name != node.name:
        thing.sinew.name = node.name
    _place(run, thing, node)
    _keep_attributes(thing, node)
    del thing["sinew_from"]
    color = node.get("color")
    thing.color = (*color, 1.0)
    if data is None:
        thing.empty_display_type = "ARROWS" if node.tag == "Locator" else "PLAIN_AXES"
        thing.empty_display_size = 0.01 / spaces.METRES[run.nodes.get("units")]
    elif node.tag != "Curve":
        data.materials.append(_material(color))
    if node.tag == "Surface":
        shapes.show_cage(thing)
    if node.tag == "Shape":
        thing.sinew.shape.shape = node.get("shape")
        properties.put(thing.sinew.shape, "size", node.get("size"))
        thing.display_type = "WIRE"
    if not node.get("visible"):
        thing.hide_viewport = thing.hide_render = True
    run.objects[node.name] = thing


# ---- elements -------------------------------------------------------------------------------------------------------


def fill(group, tag, element):
    """Copies the attributes of an element into its group."""
    properties.reset(group)
    for found in properties.shown(tag):
        if found["name"] in element.values:
            properties.put(group, found["name"], element.values[found["name"]])


def _name(owner, element, node_name):
    if owner.name != element.name:
        owner.sinew.name = element.name
    if node_name != element.name:
        owner[model.NODE] = node_name


def _add_bodies(run):
    for order, body in enumerate(run.elements["RigidBody"]):
        bone = run.armature.data.bones[body.name]
        node_name = body.get("node") or body.name
        node = run.by_name[node_name]
        bone.sinew.kind, bone.sinew.order = "BODY", order + 1
        _name(bone, body, node_name)
        fill(bone.sinew.body, "RigidBody", body)
        parent = run.parents[node_name]
        _keep_source(bone, node, parent.name if parent is not run.nodes else "", run.order[node_name])
        bone[SOURCE]["matrix"] = [x for row in bone.matrix_local for x in row]
        if not node.get("visible"):
            bone[SOURCE]["hidden"] = 1
        run.bodies[body.name] = model.Body(run.armature, bone.name)


def _add_centres(run):
    for body in run.elements["RigidBody"]:
        centre = run.objects.get(body.get("center_of_mass"))
        if centre:
            run.bodies[body.name].settings.center_of_mass = centre
            centre.empty_display_type = "SPHERE"
            centre.empty_display_size *= 0.3


def _add_joints(run):
    taken = set()
    for order, joint in enumerate(run.elements["Joint"]):
        node_name = joint.get("node") or joint.name
        thing = run.objects.get(node_name)
        if thing is None or node_name in taken or thing.type != "EMPTY":
            thing = _extra_locator(run, joint.name, node_name)
        taken.add(node_name)
        thing.sinew.kind, thing.sinew.order = "JOINT", order + 1
        _name(thing, joint, model.node_of(thing) if thing.sinew.node == "" else node_name)
        fill(thing.sinew.joint, "Joint", joint)
        for key in ("body_a", "body_b"):
            model.point_at(getattr(thing.sinew.joint, key), run.bodies.get(joint.get(key)))
        pose = run.armature.pose.bones.get(joint.get("body_b"))
        if joint.get("type") == "hinge" and pose:
            rig.lock_hinge(pose)


def _extra_locator(run, name, node_name):
    """A joint whose frame is a node that stands for something else gets an empty of its own there."""
    thing = bpy.data.objects.new(name, None)
    run.made.append(thing)
    run.collections["joints"].objects.link(thing)
    thing.parent = run.root
    thing.rotation_mode = "QUATERNION"
    frame = Matrix(run.frames[node_name].tolist())
    thing.location, thing.rotation_quaternion, _ = frame.decompose()
    thing.empty_display_type = "ARROWS"
    thing.empty_display_size = 0.01 / spaces.METRES[run.nodes.get("units")]
    return thing


def _add_strands(run):
    for order, strand in enumerate(run.elements["Strand"]):
        node_name = strand.get("node") or strand.name
        thing = run.objects.get(node_name)
        if thing is None or thing.type != "CURVE":
            raise ImportFailed(f"Strand {strand.name}: there is no curve {node_name} in the scene")
        thing.sinew.kind, thing.sinew.order = "STRAND", order + 1
        _name(thing, strand, node_name)
        fill(thing.sinew.strand, "Strand", strand)
        _find_curve_files(run, thing.sinew.strand)
        shapes.show_strand(thing)
        run.strands[strand.name] = thing


def _find_curve_files(run, settings):
    """A force-length file is named relative to the muscle file; Blender's files lie elsewhere."""
    names = {curve.name for curve in run.elements["ForceLength"]}
    for key, presets in properties.PRESETS.items():
        value = getattr(settings, key)
        path = os.path.join(os.path.dirname(os.path.abspath(run.path)), value)
        if value and value not in names and value not in presets and os.path.isfile(path):
            setattr(settings, key, path)


def _add_groups(run):
    for order, group in enumerate(run.elements["MuscleGroup"]):
        thing = bpy.data.objects.new(group.name, None)
        run.made.append(thing)
        run.collections["strands"].objects.link(thing)
        thing.parent = run.root
        thing.empty_display_size = 0.02 / spaces.METRES[run.nodes.get("units")]
        thing.sinew.kind, thing.sinew.order = "GROUP", order + 1
        _name(thing, group, group.name)
        fill(thing.sinew.group, "MuscleGroup", group)
        for name in group.get("strands").split():
            if name in run.strands:
                thing.sinew.group.members.add().object = run.strands[name]
        run.result[group.name] = thing


def _add_constraints(run):
    for order, found in enumerate(run.elements["Constraint"]):
        strand = run.strands.get(found.get("strand"))
        if not strand:
            raise ImportFailed(f"Constraint {found.name}: there is no strand {found.get('strand')}")
        thing = markers.new_marker(run.scene, found.name, found.get("type").upper(), strand,
                                   run.collections["constraints"])
        run.made.append(thing)
        thing.sinew.order = order + 1
        _name(thing, found, found.name)
        settings = thing.sinew.constraint
        fill(settings, "Constraint", found)
        settings.strand = strand
        other = found.get("attachment")
        kind = found.get("type")
        if kind in ("fixed", "sliding") and other in run.bodies:
            model.point_at(settings.body, run.bodies[other])
        elif kind in ("fixed", "strut"):
            settings.target = run.strands.get(other)
        else:
            settings.target = run.objects.get(other)
        run.result[found.name] = thing


def _add_lines(run):
    lines.keep(run.root, run.muscle)
    thing = lines.draw(run)
    if thing:
        thing.data.materials.append(_material(MUSCLE))
        compat.smooth_faces(thing.data)
        run.objects.setdefault(thing.name, thing)


def _add_model(run):
    settings = run.scene.sinew
    fill(settings.model, "Muscle", run.muscle)
    gravity = run.muscle.values.get("gravity")
    settings.model.own_gravity = gravity is not None
    if gravity is not None:
        properties.put(settings.model, "gravity", gravity)
    settings.skin = run.objects.get(run.muscle.values.get("skin", ""))
    for curve in run.elements["ForceLength"]:
        item = settings.force_lengths.add()
        fill_text(item, curve)
        if item.file:
            item.file = os.path.join(os.path.dirname(run.path), item.file)
    for function in run.elements["Function"]:
        fill_text(settings.functions.add(), function)


def fill_text(item, element):
    """Copies an element into an item that keeps numbers as text."""
    for name, value in element.values.items():
        setattr(item, name, value if isinstance(value, str) else " ".join(map(files.number, value)))


# ---- the whole ------------------------------------------------------------------------------------------------------


def _make_root(run):
    name = os.path.basename(run.path).replace(".muscle.xml", "")
    run.collection = run.new_collection(name, run.scene.collection)
    for part in ("bones", "joints", "strands", "constraints", "surfaces"):
        run.collections[part] = run.new_collection(f"{name} {part}", run.collection)
    run.root = bpy.data.objects.new(name, None)
    run.made.append(run.root)
    run.collection.objects.link(run.root)
    run.root.sinew.kind = "MODEL"
    run.root.rotation_mode = "QUATERNION"
    run.root.empty_display_size = 0.05 / spaces.METRES[run.nodes.get("units")]
    matrix = spaces.world_from_model(run.scene)
    run.root.location, run.root.rotation_quaternion, run.root.scale = matrix.decompose()


def _make_rig(run):
    centres = {}
    for body in run.elements["RigidBody"]:
        frame = run.frames.get(body.get("center_of_mass"))
        if frame is not None:
            centres[body.name] = frame[:3, 3]
        if (body.get("node") or body.name) not in run.by_name:
            raise ImportFailed(f"Body {body.name}: the scene has no node {body.get('node') or body.name}")
    plans = rig.make_plans(run.elements["RigidBody"], run.elements["Joint"], run.frames, centres)
    tree = [element for element in run.muscle.children if element.tag == "Coordinate"]
    if tree:
        plans = rig.grow(plans, tree, spaces.METRES[run.nodes.get("units")])
    run.armature = rig.make_armature(run.context, run.root.name + " rig", plans, run.root, run.collection)
    run.made += [run.armature.data, run.armature]


def _build(run):
    settings = run.scene.sinew
    fill(settings.space, "ModelerScene", run.nodes)
    run.compute_frames()
    _make_root(run)
    _make_rig(run)
    for node, _ in run.nodes.walk():
        if node is not run.nodes and node.name not in run.body_nodes:
            _make_object(run, node)
    _add_bodies(run)
    _add_centres(run)
    _add_joints(run)
    _add_strands(run)
    _add_groups(run)
    _add_constraints(run)
    _add_lines(run)
    _add_model(run)
    settings.name = run.root.name
    markers.update_all(run.scene)
    run.result.update(run.objects)
    run.result[run.armature.name] = run.armature


def has_model(scene):
    return any(thing.sinew.kind != "NONE" for thing in scene.objects) or bool(model.bodies(scene))


def import_model(context, muscle_path, motion=None, weights=False):
    """Brings a model into the scene. `motion`: name of a shipped motion or a motion file that becomes an action.
    `weights`: asks the command for the bone weights of the skin, which takes some seconds.
    Returns the objects by name. Raises ImportFailed, files.FileError or command.CommandError, and then leaves the scene
    as it was."""
    if has_model(context.scene):
        raise ImportFailed("This scene has a sinew model already; make a new scene for another (Scene > New)")
    if context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    run = Import(context, muscle_path)
    try:
        _build(run)
        if weights and context.scene.sinew.skin:
            add_weights(run)
        if motion:
            add_motion(context, run.armature, muscle_path, motion)
    except Exception:
        run.undo()
        _forget(context.scene)
        raise
    compat.select_only(context, [run.armature])
    return run.result


def _forget(scene):
    """The settings of the scene without a model."""
    settings = scene.sinew
    properties.reset(settings.model)
    properties.reset(settings.space)
    settings.force_lengths.clear()
    settings.functions.clear()
    settings.skin = None
    settings.property_unset("name")


def add_weights(run):
    """Vertex groups of the skin and an Armature modifier, from the weights that the command computes."""
    skin = run.scene.sinew.skin
    with tempfile.TemporaryDirectory() as folder:
        program, rest = prefs.command_path(run.context), os.path.join(folder, "rest")
        table = os.path.join(folder, "weights.csv")
        command.run(program, ["simulate", run.path, "--no-settle", "--time", "0.001", "-o", rest])
        command.run(program, ["skin", run.path, rest + ".replay.xml", "--save-weights", table, "-o", rest + ".pc2"])
        with open(table, encoding="utf-8") as file:
            rows = [line.strip().split(",") for line in file if not line.startswith("#")]
    groups = {}
    for vertex, row in enumerate(rows):
        for body, weight in zip(row[0::2], row[1::2]):
            groups.setdefault(body, []).append((vertex, float(weight)))
    for body, weights in groups.items():
        group = skin.vertex_groups.new(name=run.bodies[body].bone)
        for vertex, weight in weights:
            group.add([vertex], weight, "REPLACE")
    modifier = skin.modifiers.new("Armature", "ARMATURE")
    modifier.object = run.armature
    modifier.use_deform_preserve_volume = True


def add_motion(context, armature, muscle_path, motion):
    """A motion as the action of the armature; the scene's frames become those of the motion."""
    scene = context.scene
    if motion.endswith((".control.xml", ".replay.xml")):
        found = files.read_motion(motion)
    else:
        rate = scene.render.fps / scene.render.fps_base
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "motion.control.xml")
            command.run(prefs.command_path(context), ["convert", motion, path, "--model", muscle_path, "--frame-rate",
                         str(max(rate, 10))])
            found = files.read_motion(path)
    name = os.path.basename(motion).split(".")[0]
    _, last = rig.make_action(context, armature, found, name, scene.frame_start)
    scene.frame_end = max(scene.frame_start, int(last))
    scene.sinew.motion = motion
    scene.frame_set(scene.frame_start)


def shipped_model(context, name):
    """Path of a shipped model."""
    return command.run(prefs.command_path(context), ["info", name])["path"]


# ---- operators ------------------------------------------------------------------------------------------------------


def _import(operator, context, path, motion):
    try:
        found = import_model(context, path, motion or None, weights=True)
    except (ImportFailed, files.FileError, command.CommandError) as trouble:
        operator.report({"ERROR"}, str(trouble))
        return {"CANCELLED"}
    operator.report({"INFO"}, f"{context.scene.sinew.name}: {len(found)} objects")
    return {"FINISHED"}


def motions_of(path):
    """Names of the motions that lie beside a model."""
    folder = os.path.join(os.path.dirname(path), "motions")
    return sorted({name.split(".")[0] for name in os.listdir(folder)}) if os.path.isdir(folder) else []


def _search_motions(operator, context, text):
    try:
        return [name for name in motions_of(shipped_model(context, operator.model)) if text.lower() in name]
    except command.CommandError:
        return []


class SINEW_OT_add_model(bpy.types.Operator):
    """Add a shipped model complete: armature, bones, strands, constraints, skin and a motion"""
    bl_idname = "sinew.add_model"
    bl_label = "Add Model"
    bl_options = {"REGISTER", "UNDO"}

    model: StringProperty(name="Model", default="hand", options={"HIDDEN"})
    motion: StringProperty(name="Motion", default="", search=_search_motions,
                           description="Shipped motion to animate the armature with; empty: none")

    def invoke(self, context, _event):
        found = _search_motions(self, context, "")
        self.motion = "fist" if "fist" in found else found[0] if found else ""
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context):
        try:
            path = shipped_model(context, self.model)
        except command.CommandError as trouble:
            self.report({"ERROR"}, str(trouble))
            return {"CANCELLED"}
        return _import(self, context, path, self.motion)


class SINEW_OT_import_model(bpy.types.Operator, ImportHelper):
    """Import a model from its muscle file"""
    bl_idname = "sinew.import_model"
    bl_label = "Import sinew Model"
    bl_options = {"REGISTER", "UNDO"}

    filename_ext = ".xml"
    filter_glob: StringProperty(default="*.muscle.xml", options={"HIDDEN"})
    motion: StringProperty(name="Motion", default="",
                           description="Name of a motion of the model, or a file; empty: none")

    def execute(self, context):
        return _import(self, context, self.filepath, self.motion)


class SINEW_OT_import_motion(bpy.types.Operator, ImportHelper):
    """Put a motion (control or replay file, key poses, BVH, glTF) on the model's armature as an action"""
    bl_idname = "sinew.import_motion"
    bl_label = "Import Motion"
    bl_options = {"REGISTER", "UNDO"}

    filename_ext = ".xml"
    filter_glob: StringProperty(default="*.control.xml;*.replay.xml;*.pose.csv;*.bvh;*.glb;*.gltf", options={"HIDDEN"})

    @classmethod
    def poll(cls, context):
        return bool(model.bodies(context.scene))

    def execute(self, context):
        from . import scene_export
        armature = next((body.object for body in model.bodies(context.scene) if body.bone), None)
        if not armature:
            self.report({"ERROR"}, "No bone of an armature is a body")
            return {"CANCELLED"}
        try:
            with tempfile.TemporaryDirectory() as folder:
                path = scene_export.export_model(context, folder, "model")["muscle"]
                add_motion(context, armature, path, self.filepath)
        except (files.FileError, command.CommandError, scene_export.ExportFailed) as trouble:
            self.report({"ERROR"}, str(trouble))
            return {"CANCELLED"}
        return {"FINISHED"}


CLASSES = (SINEW_OT_add_model, SINEW_OT_import_model, SINEW_OT_import_motion)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
