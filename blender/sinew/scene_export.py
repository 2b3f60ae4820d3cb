# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of a Blender scene as scene and muscle files, and the motion of a frame range as a control file.

What becomes a node: every body, joint, strand and attachment; meshes, curves and empties below a body; the skin; and
what was a node when it was imported. A node that nobody has moved is written with the numbers that it was read with.
Of any other, the points are written in the space of the body (or of the model) that it belongs to, so that scaled, rotated and
sheared parents cost nothing: bodies have no scale in the files.

Invariants:
1. Nothing of the user's scene is changed: frame and rest position are put back, also when something fails.
2. The model is written in the pose that it was drawn in (`pose_from`), never as a bake has left it.
"""
import math
import os
import shutil

import bpy
import numpy
from bpy.props import BoolProperty, IntProperty, StringProperty
from bpy_extras.io_utils import ExportHelper
from mathutils import Matrix

from . import bellies, files, lines, markers, model, properties, scene_import, shapes, spaces

SINGLE = numpy.float32


class ExportFailed(Exception):
    """Why nothing was written, in words for the user."""


class drawn_pose:
    """The scene in the pose that the model was drawn in, while the block runs."""

    def __init__(self, context):
        self.scene, self.layer = context.scene, context.view_layer
        self.frame = (self.scene.frame_current, self.scene.frame_subframe)
        self.armatures = {}

    def __enter__(self):
        settings = self.scene.sinew
        if settings.pose_from == "REST":
            for thing in {body.object for body in model.bodies(self.scene) if body.bone}:
                self.armatures[thing.data] = thing.data.pose_position
                thing.data.pose_position = "REST"
        if (settings.pose_frame, 0.0) != self.frame:
            self.scene.frame_set(settings.pose_frame)
        self.layer.update()

    def __exit__(self, *_):
        for data, position in self.armatures.items():
            data.pose_position = position
        if (self.scene.sinew.pose_frame, 0.0) != self.frame:
            self.scene.frame_set(self.frame[0], subframe=self.frame[1])
        self.layer.update()


class Node:
    """A node to be written. `world`: its frame in the model's space and units; `whole`: as it was read, so that its own
    numbers may be written."""

    def __init__(self, owner, name, tag):
        self.owner, self.name, self.tag = owner, name, tag
        self.parent = None
        self.world = Matrix()
        self.whole = False
        self.body = None
        self.points_from = None
        self.element = files.Element(tag, {"name": name})


# ---- what belongs to the model --------------------------------------------------------------------------------------


def _tag(thing):
    """The kind of node for an object."""
    if thing.sinew.node:
        return thing.sinew.node
    if thing.type == "MESH":
        return "Mesh"
    if thing.type == "CURVE":
        return "Curve"
    if thing.type == "SURFACE":
        return "Surface"
    if thing.sinew.kind == "BODY":
        return "Group"
    return "Locator"


def _belongs(thing, wanted):
    settings = thing.sinew
    if settings.kind in properties.CONSTRAINTS or settings.kind in ("MODEL", "GROUP") or thing.type == "ARMATURE":
        return False
    if settings.kind != "NONE" or settings.node or thing in wanted:
        return True
    return thing.type in ("MESH", "CURVE", "SURFACE") and model.parent_body(thing) is not None and not _is_skin(thing)


def _is_skin(thing):
    """A mesh that an armature deforms is no part of one bone."""
    return any(modifier.type == "ARMATURE" for modifier in thing.modifiers)


def _wanted(scene):
    """Objects that elements point at."""
    found = {body.settings.center_of_mass for body in model.bodies(scene)}
    found |= {thing.sinew.constraint.target for thing in model.constraints(scene)}
    found.add(scene.sinew.skin)
    return found - {None}


class Export:
    """One run."""

    def __init__(self, context, folder):
        self.context, self.scene, self.folder = context, context.scene, folder
        self.depsgraph = context.evaluated_depsgraph_get()
        self.to_model = spaces.model_from_world(self.scene)
        self.nodes = {}  # by object, or (armature, bone name)
        self.extra_files = []  # (name, function that writes it)
        root = next(iter(model.of_kind(self.scene, "MODEL")), None)
        self.root = root
        self.root_fits = bool(root) and _near(root.matrix_world, spaces.world_from_model(self.scene))


def _near(a, b):
    size = max(abs(x) for row in b for x in row) or 1.0
    return all(abs(x - y) <= 1e-6 * size for r, s in zip(a, b) for x, y in zip(r, s))


def _same(values, numbers):
    """Whether Blender's single-precision values are these doubles, rounded."""
    return len(values) == len(numbers) and bool(numpy.array_equal(
        numpy.asarray(values, dtype=SINGLE), numpy.asarray(numbers, dtype=SINGLE)))


def _collect(run):
    wanted = _wanted(run.scene)
    for body in model.bodies(run.scene):
        node = Node(body.owner, model.node_of(body.owner), "Group")
        node.body = body
        run.nodes[(body.object, body.bone) if body.bone else body.object] = node
    for thing in run.scene.objects:
        if thing not in run.nodes and _belongs(thing, wanted):
            run.nodes[thing] = Node(thing, model.node_of(thing), _tag(thing))
    taken = {}
    for node in run.nodes.values():
        if node.name in taken:
            raise ExportFailed(f"Two nodes are called {node.name}: rename {node.owner.name} or {taken[node.name]}")
        taken[node.name] = node.owner.name


def _parent(run, thing):
    """The node above an object: the nearest exported object or body bone."""
    while thing:
        if thing.parent and thing.parent_type == "BONE":
            bone = thing.parent.data.bones.get(thing.parent_bone)
            while bone:
                if (thing.parent, bone.name) in run.nodes:
                    return run.nodes[(thing.parent, bone.name)]
                bone = bone.parent
        thing = thing.parent
        if thing in run.nodes:
            return run.nodes[thing]
    return None


def _hierarchy(run):
    by_name = {node.name: node for node in run.nodes.values()}
    for key, node in run.nodes.items():
        if isinstance(key, tuple):
            source = node.owner.get(scene_import.SOURCE)
            node.parent = by_name.get(source["parent"]) if source else None
        else:
            node.parent = _parent(run, key)
        if node.body and node.parent and not node.owner.get(scene_import.SOURCE):
            node.parent = None  # bodies move by themselves


# ---- transforms -----------------------------------------------------------------------------------------------------


def _relative(thing):
    """The object in the space of its parent (the bone's head, where that is a bone), without evaluation: hidden objects
    are not evaluated."""
    if thing.parent and thing.parent_type == "BONE":
        bone = thing.parent.data.bones.get(thing.parent_bone)
        if bone:
            return Matrix.Translation((0, bone.length, 0)) @ thing.matrix_parent_inverse @ thing.matrix_basis
    return thing.matrix_parent_inverse @ thing.matrix_basis


def _world(run, thing):
    """The object in Blender's world, as evaluated; what is not evaluated, being hidden, by its parents."""
    shown = thing.evaluated_get(run.depsgraph)
    if shown.is_evaluated or not thing.parent:
        return shown.matrix_world.copy()
    above = _world(run, thing.parent)
    if thing.parent_type == "BONE" and thing.parent_bone in thing.parent.pose.bones:
        above = above @ thing.parent.evaluated_get(run.depsgraph).pose.bones[thing.parent_bone].matrix
    return above @ _relative(thing)


def require_shown(bodies, depsgraph):
    """Blender does not compute the motion of what is hidden in all viewports or in an excluded collection."""
    for body in bodies:
        if not body.object.evaluated_get(depsgraph).is_evaluated:
            raise ExportFailed(f"{body.object.name} is disabled in viewports or in an excluded collection, so that "
                               "Blender does not move it: show it in the outliner (the eye may hide it)")


def _rigid(matrix):
    place, turn, _ = matrix.decompose()
    return Matrix.LocRotScale(place, turn, None)


def _is_whole(run, key, node):
    """Whether a node is where it was when it was read, in the parent that it had."""
    source = node.owner.get(scene_import.SOURCE)
    if not source or source["parent"] != (node.parent.name if node.parent else ""):
        return False
    if isinstance(key, tuple):
        armature, bone = key[0], node.owner
        at_root = armature.parent == run.root and run.root_fits and _near(armature.matrix_local, Matrix())
        above = node.parent.whole if node.parent else True
        return at_root and above and _same([x for row in bone.matrix_local for x in row], source["matrix"])
    if node.parent is None and not (key.parent == run.root and run.root_fits):
        return False
    return (not key.constraints and key.rotation_mode == "QUATERNION"
            and _same(key.location, source["translate"]) and _same(key.rotation_quaternion, source["rotate"])
            and _same(key.scale, source["scale"])
            and _same([x for row in key.matrix_parent_inverse for x in row], source["inverse"]))


def _transform(run, key, node):
    """World frame and the transform that is written. Parents come first."""
    node.whole = _is_whole(run, key, node)
    if node.body:
        node.world = _rigid(run.to_model @ node.body.world(run.depsgraph))
    else:
        node.world = run.to_model @ _world(run, key)
    values = node.element.values
    if node.whole:
        source = node.owner[scene_import.SOURCE]
        for name in ("translate", "rotate", "scale"):
            values[name] = [float(x) for x in source[name]]
        return
    if node.tag in ("Mesh", "Curve", "Surface"):
        node.points_from = node.world  # the points are written in the parent's space
        node.world = node.parent.world.copy() if node.parent else Matrix()
        return
    node.world = _rigid(node.world)
    above = node.parent.world if node.parent else Matrix()
    place, turn, scale = (above.inverted() @ node.world).decompose()
    values["translate"], values["rotate"] = list(place), _unit(turn)
    if node.parent and max(abs(s - 1) for s in scale) > 1e-6:
        values["scale"] = list(scale)


def _depth(node):
    return 0 if node.parent is None else 1 + _depth(node.parent)


# ---- contents -------------------------------------------------------------------------------------------------------


def _points(node, data, local):
    """Points to be written: as they were read, if nobody has moved them, or from Blender."""
    kept = data.get(scene_import.POINTS)
    flat = [x for point in local for x in point]
    same = kept is not None and _same(flat, kept)
    if same and node.whole:
        return [float(x) for x in kept], True
    rows = numpy.reshape(numpy.asarray(kept if same else flat, dtype=float), (-1, 3))
    if not node.whole:
        above = node.parent.world if node.parent else Matrix()
        matrix = numpy.array(above.inverted() @ node.points_from, dtype=float)
        rows = rows @ matrix[:3, :3].T + matrix[:3, 3]
    return rows.ravel().tolist(), False


def _mirrored(node):
    above = node.parent.world if node.parent else Matrix()
    return not node.whole and (above.inverted() @ node.points_from).determinant() < 0


def _triangles(data):
    if all(len(polygon.vertices) == 3 for polygon in data.polygons):
        return [list(polygon.vertices) for polygon in data.polygons]
    data.calc_loop_triangles()
    return [list(triangle.vertices) for triangle in data.loop_triangles]


def _fill_mesh(run, key, node):
    data = key.data
    coordinates = numpy.empty(3 * len(data.vertices), dtype=SINGLE)
    data.vertices.foreach_get("co", coordinates)
    points, same = _points(node, data, coordinates.reshape(-1, 3).tolist())
    triangles = _triangles(data)
    if _mirrored(node):
        triangles = [row[::-1] for row in triangles]
    source = key.get(scene_import.FILE)
    if source is None:
        node.element.values.update(Vertices=points, Triangles=[i for row in triangles for i in row])
        return
    name = os.path.basename(source[0])
    node.element.values["file"] = name
    if same and os.path.exists(source[1]):
        run.extra_files.append((name, lambda path: _copy(source[1], path)))
    else:
        rows = numpy.reshape(points, (-1, 3)).tolist()
        name = node.element.values["file"] = os.path.splitext(name)[0] + ".ply"
        run.extra_files.append((name, lambda path: files.write_ply(path, rows, triangles)))


def _own_mesh(run, key, node):
    """A body that is a mesh object: the group is the body, and this is its mesh, in the body's space."""
    matrix = numpy.array(node.world.inverted() @ run.to_model @ _world(run, key), dtype=float)
    rows = numpy.array([tuple(vertex.co) for vertex in key.data.vertices], dtype=float).reshape(-1, 3)
    triangles = _triangles(key.data)
    if numpy.linalg.det(matrix[:3, :3]) < 0:
        triangles = [row[::-1] for row in triangles]
    return files.Element("Mesh", {"name": node.name + "_mesh", "Triangles": [i for row in triangles for i in row],
                                  "Vertices": (rows @ matrix[:3, :3].T + matrix[:3, 3]).ravel().tolist()})


def _copy(source, path):
    if os.path.exists(path) and os.path.samefile(source, path):
        return
    try:
        shutil.copyfile(source, path)
    except OSError as trouble:
        raise files.FileError(f"{path} cannot be written: {trouble.strerror}") from None


def drawn_points(thing):
    """Control points of a curve before any bake, in the space of the object."""
    points = shapes.spline_points(thing.data)
    kept = thing.data.get(model.REST)
    if kept is not None and len(kept) == 4 * len(points):
        return [tuple(kept[i:i + 3]) for i in range(0, len(kept), 4)]
    return points


def _fill_curve(_run, key, node):
    data = key.data
    if not len(data.splines):
        raise ExportFailed(f"{key.name} has no points")
    if len(data.splines) > 1:
        raise ExportFailed(f"{key.name} has {len(data.splines)} splines; a strand is one (Separate them in edit mode)")
    spline = data.splines[0]
    points = drawn_points(key)
    values, kept = node.element.values, key.get(scene_import.ATTRIBUTES) or {}
    knots = list(kept.get("Knots", []))
    if spline.type == "NURBS":
        values["degree"] = min(spline.order_u, len(points)) - 1
        values["closed"] = spline.use_cyclic_u
        if not spline.use_endpoint_u and not spline.use_cyclic_u and not knots:
            knots = [float(i) for i in range(len(points) + spline.order_u)]
        weights = [point.co[3] for point in spline.points]
        if any(weight != 1.0 for weight in weights):
            source = list(kept.get("Weights", []))
            values["Weights"] = source if _same(weights, source) else weights
    else:
        values["degree"], knots = 1, []  # the polygon; a strand is made NURBS when it is made a strand
    values["Points"], _ = _points(node, data, points)
    degree = values.get("degree", 3)
    if len(knots) == len(points) + (2 if values.get("closed") else 1) * degree + 1:
        values["Knots"] = [float(x) for x in knots]


def _fill_surface(_run, key, node):
    values, kept = node.element.values, key.get(scene_import.ATTRIBUTES) or {}
    if key.type == "MESH":
        for name in ("degree", "degree_v", "nu", "nv"):
            if name in kept:
                values[name] = int(kept[name])
        for name in ("closed", "closed_v"):
            values[name] = bool(kept.get(name))
        for name in ("Knots", "KnotsV", "Weights"):
            if name in kept:
                values[name] = [float(x) for x in kept[name]]
        local = [tuple(vertex.co) for vertex in key.data.vertices]
        if len(local) != values["nu"] * values["nv"]:
            raise ExportFailed(f"{key.name} has {len(local)} control points, not {values['nu']} x {values['nv']}")
    else:
        spline = key.data.splines[0]
        # Blender runs u fastest; in our files v does.
        values.update(degree=spline.order_v - 1, degree_v=spline.order_u - 1, closed=spline.use_cyclic_v,
                      closed_v=spline.use_cyclic_u, nu=spline.point_count_v, nv=spline.point_count_u)
        local = [tuple(point.co[:3]) for point in spline.points]
        for name, count, order, clamped, closed in (
                ("Knots", spline.point_count_v, spline.order_v, spline.use_endpoint_v, spline.use_cyclic_v),
                ("KnotsV", spline.point_count_u, spline.order_u, spline.use_endpoint_u, spline.use_cyclic_u)):
            if not clamped and not closed:
                values[name] = [float(i) for i in range(count + order)]
    values["Points"], _ = _points(node, key.data, local)


def _fill_shape(_run, key, node):
    for found in properties.shown("Shape"):
        node.element.values[found["name"]] = properties.get(key.sinew.shape, found)


FILL = {"Mesh": _fill_mesh, "Curve": _fill_curve, "Surface": _fill_surface, "Shape": _fill_shape}


def _fill_looks(key, node):
    values = node.element.values
    source = node.owner.get(scene_import.SOURCE)
    if isinstance(key, tuple):
        if source:
            values["color"] = [float(x) for x in source["color"]]
            values["visible"] = not source.get("hidden")
        return
    values["visible"] = not (key.hide_viewport or key.get(bellies.SHOWN))
    if source and (key.sinew.kind == "STRAND" or _same(key.color[:3], source["color"])):
        values["color"] = [float(x) for x in source["color"]]
    elif key.type in ("MESH", "SURFACE") and tuple(key.color[:3]) != (1.0, 1.0, 1.0):
        values["color"] = [min(max(float(c), 0.0), 1.0) for c in key.color[:3]]


def _scene_element(run):
    require_shown(model.bodies(run.scene), run.depsgraph)
    _collect(run)
    _hierarchy(run)
    root = files.Element("ModelerScene", _values(run.scene.sinew.space, "ModelerScene"))
    ordered = sorted(run.nodes.items(), key=lambda item: (_depth(item[1]), _node_order(item[1])))
    for key, node in ordered:
        _transform(run, key, node)
        if node.body and not node.body.bone and key.type == "MESH":
            node.element.children.append(_own_mesh(run, key, node))
        if node.tag in FILL:
            FILL[node.tag](run, key, node)
        _fill_looks(key, node)
        (node.parent.element if node.parent else root).children.append(node.element)
    return root


def _node_order(node):
    """As they were read; then what is new, bodies first."""
    source = node.owner.get(scene_import.SOURCE)
    if source:
        return (0, source["order"], node.name)
    return (1 if node.body else 2, node.owner.sinew.order, node.name)


# ---- muscles --------------------------------------------------------------------------------------------------------


def _values(group, tag):
    return {found["name"]: properties.get(group, found) for found in properties.shown(tag)}


def _element(owner, tag, group):
    element = files.Element(tag, {"name": model.name_of(owner), **_values(group, tag)})
    node = model.node_of(owner)
    if tag in ("RigidBody", "Joint", "Strand") and node != element.name:
        element.values["node"] = node
    return element


def _body_name(ref):
    body = model.body_of(ref)
    return body.name if body else "world"


def _attachment(thing):
    settings = thing.sinew.constraint
    if settings.target and thing.sinew.kind in ("SURFACE", "STRUT", "FIXED"):
        return model.node_of(settings.target) if thing.sinew.kind == "SURFACE" else model.name_of(settings.target)
    body = model.body_of(settings.body)
    return body.name if body else ""


def _strand(run, thing):
    """A strand; files of force-length curves that it names go into the folder of the model."""
    element = _element(thing, "Strand", thing.sinew.strand)
    curves = {item.name for item in run.scene.sinew.force_lengths}
    for name, presets in properties.PRESETS.items():
        value = element.values[name]
        path = bpy.path.abspath(value)
        if value and value not in presets and value not in curves and os.path.isfile(path):
            element.values[name] = os.path.basename(path)
            run.extra_files.append((element.values[name], lambda target, source=path: _copy(source, target)))
    return element


def _constraint(thing):
    settings = thing.sinew.constraint
    element = _element(thing, "Constraint", settings)
    element.values.update(type=thing.sinew.kind.lower(), attachment=_attachment(thing),
                          strand=model.name_of(settings.strand) if settings.strand else "")
    return element


def _muscle_element(run, scene_name):
    scene, settings = run.scene, run.scene.sinew
    root = files.Element("Muscle", {"scene": scene_name, **_values(settings.model, "Muscle")})
    if settings.model.own_gravity:
        found = properties.schema.attribute("Muscle", "gravity")
        root.values["gravity"] = properties.get(settings.model, dict(found, default=[0.0, 0.0, -9.81]))
    if settings.skin and settings.skin in run.nodes:
        root.values["skin"] = model.node_of(settings.skin)
    for body in model.bodies(scene):
        element = _element(body.owner, "RigidBody", body.settings)
        if body.settings.center_of_mass:
            element.values["center_of_mass"] = model.node_of(body.settings.center_of_mass)
        root.children.append(element)
    for thing in model.of_kind(scene, "JOINT"):
        element = _element(thing, "Joint", thing.sinew.joint)
        element.values.update(body_a=_body_name(thing.sinew.joint.body_a), body_b=_body_name(thing.sinew.joint.body_b))
        root.children.append(element)
    root.children += [_strand(run, thing) for thing in model.strands(scene)]
    for thing in model.of_kind(scene, "GROUP"):
        element = _element(thing, "MuscleGroup", thing.sinew.group)
        element.values["strands"] = " ".join(model.name_of(member.object) for member in thing.sinew.group.members
                                             if member.object)
        root.children.append(element)
    root.children += [_constraint(thing) for thing in model.constraints(scene)]
    root.children += lines.kept(run.root)
    root.children += [_force_length(run, item) for item in settings.force_lengths]
    root.children += [files.Element("Function", _text_values(item, "Function")) for item in settings.functions]
    return root


def _number_list(name, text):
    try:
        return [float(word) for word in text.split()]
    except ValueError:
        raise ExportFailed(f"{name}: {text[:40]!r} is not a list of numbers") from None


def _text_values(item, tag):
    """The values of an item that keeps numbers as text."""
    values = {}
    for found in properties.schema.attributes(tag):
        text = getattr(item, found["name"])
        values[found["name"]] = text if found["type"] == "string" else _number_list(item.name, text)
    return values


def _force_length(run, item):
    values = _text_values(item, "ForceLength")
    if item.file:
        path = bpy.path.abspath(item.file)
        values = {"name": item.name, "file": os.path.basename(path)}
        run.extra_files.append((values["file"], lambda target: _copy(path, target)))
    return files.Element("ForceLength", values)


# ---- the whole ------------------------------------------------------------------------------------------------------


def export_model(context, folder, name):
    """Writes NAME.scene.xml and NAME.muscle.xml, and the files that they name, into a folder. Returns their paths as a
    dict: scene, muscle. Raises ExportFailed or files.FileError."""
    with drawn_pose(context):
        run = Export(context, folder)
        scene = _scene_element(run)
        muscle = _muscle_element(run, name + ".scene.xml")
    paths = {"scene": os.path.join(folder, name + ".scene.xml"), "muscle": os.path.join(folder, name + ".muscle.xml")}
    files.write(paths["scene"], scene)
    files.write(paths["muscle"], muscle)
    for extra, write in run.extra_files:
        write(os.path.join(folder, extra))
    return paths


class _at_rest:
    """Modifiers that no body depends on stand still while the block runs: a skin takes longer than everything else."""

    def __init__(self, scene):
        used = {thing.parent for thing in scene.objects if thing.parent_type in ("VERTEX", "VERTEX_3")}
        self.muted = [modifier for thing in scene.objects if thing.type in ("MESH", "CURVE") and thing not in used
                      for modifier in thing.modifiers if modifier.show_viewport]

    def __enter__(self):
        for modifier in self.muted:
            modifier.show_viewport = False
        markers.paused = True

    def __exit__(self, *_):
        markers.paused = False
        for modifier in self.muted:
            modifier.show_viewport = True


def body_pose(to_metres, matrix):
    """Seven numbers of a control file from a matrix in Blender's world."""
    place, turn, _ = (to_metres @ matrix).decompose()
    return [*place, *_unit(turn)]


def _unit(turn):
    """A quaternion of length one in double precision."""
    size = math.sqrt(sum(x * x for x in turn))
    return [x / size for x in turn]


def export_motion(context, path, start=None, end=None, subframes=1):
    """Writes the motion of all bodies over a frame range, evaluated, `subframes` samples per frame. Time zero is the
    first frame. Returns the number of samples."""
    scene = context.scene
    if start is None or end is None:
        start, end = model.frame_range(scene)
    found = model.bodies(scene)
    if not found:
        raise ExportFailed("The scene has no bodies: make some from bones or objects first")
    if end <= start:
        raise ExportFailed(f"The frame range {start} to {end} has no motion")
    require_shown(found, context.evaluated_depsgraph_get())
    rate = scene.render.fps / scene.render.fps_base
    to_metres = spaces.model_from_world(scene, metres=True)
    before = (scene.frame_current, scene.frame_subframe)
    motion = files.Motion([body.name for body in found], [], [])
    try:
        with _at_rest(scene):
            for sample in range((end - start) * subframes + 1):
                whole, part = divmod(sample, subframes)
                scene.frame_set(start + whole, subframe=part / subframes)
                depsgraph = context.evaluated_depsgraph_get()
                motion.times.append(sample / subframes / rate)
                motion.poses.append([x for body in found for x in body_pose(to_metres, body.world(depsgraph))])
    finally:
        scene.frame_set(before[0], subframe=before[1])
    _join_signs(motion)
    files.write_control(path, scene.sinew.name, motion)
    return len(motion.times)


def _join_signs(motion):
    """Quaternions that do not jump to their negatives from frame to frame."""
    for last, pose in zip(motion.poses, motion.poses[1:]):
        for i in range(3, len(pose), 7):
            if sum(a * b for a, b in zip(last[i:i + 4], pose[i:i + 4])) < 0:
                pose[i:i + 4] = [-x for x in pose[i:i + 4]]


# ---- operators ------------------------------------------------------------------------------------------------------


class SINEW_OT_export_model(bpy.types.Operator, ExportHelper):
    """Write the model as scene and muscle files, with the motion of the frame range beside them"""
    bl_idname = "sinew.export_model"
    bl_label = "Export sinew Model"

    filename_ext = ".muscle.xml"
    filter_glob: StringProperty(default="*.muscle.xml", options={"HIDDEN"})
    motion: BoolProperty(name="Motion", default=True, description="Write the motion of the frame range as well")
    subframes: IntProperty(name="Samples per frame", default=1, min=1, max=20)

    @classmethod
    def poll(cls, context):
        return scene_import.has_model(context.scene)

    def execute(self, context):
        folder, name = os.path.split(self.filepath)
        name = name.split(".")[0] or context.scene.sinew.name
        try:
            export_model(context, folder, name)
            if self.motion and model.bodies(context.scene):
                export_motion(context, os.path.join(folder, name + ".control.xml"), subframes=self.subframes)
        except (ExportFailed, files.FileError) as trouble:
            self.report({"ERROR"}, str(trouble))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Wrote {name}.muscle.xml and {name}.scene.xml into {folder}")
        return {"FINISHED"}


CLASSES = (SINEW_OT_export_model,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
