# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves, control cages and marker meshes: how nodes look in Blender, and points on a strand.

A surface of the scene becomes the mesh of its control points with a Subdivision Surface modifier: for cubic surfaces
that shows the surface itself but for its clamped rims, and its points stay editable. Blender's own NURBS surfaces
cannot hold knots.
"""
import math

import bmesh
import bpy

STRAND_COLOR = (0.56, 0.18, 0.16)  # muscle: the palette of src/page/tissue.h
STRAND_MATERIAL = "sinew strand"
SIDES = 24


# ---- curves ---------------------------------------------------------------------------------------------------------


def set_spline(data, points, weights, degree, closed):
    """One NURBS spline with these control points, clamped at its ends unless closed."""
    data.splines.clear()
    spline = data.splines.new("NURBS")
    spline.points.add(len(points) - 1)
    spline.points.foreach_set("co", [x for point, weight in zip(points, weights) for x in (*point, weight)])
    spline.use_cyclic_u = bool(closed)
    spline.use_endpoint_u = not closed
    spline.order_u = degree + 1
    spline.resolution_u = 6


def spline_points(data):
    """Control points of the first spline, in the space of the object."""
    spline = data.splines[0]
    if spline.type == "BEZIER":
        return [tuple(point.co) for point in spline.bezier_points]
    return [tuple(point.co[:3]) for point in spline.points]


def clamped_knots(count, degree):
    inner = count - degree
    return [0.0] * degree + [i / inner for i in range(inner + 1)] + [1.0] * degree


def knots_of(thing, count):
    """Knots of a strand's curve: those that it was read with, if they still fit, else clamped uniform."""
    attributes = thing.get("sinew_attributes") or {}
    degree = int(attributes.get("degree", 3))
    knots = list(attributes.get("Knots", []))
    degree = min(degree, count - 1)
    return (knots if len(knots) == count + degree + 1 else clamped_knots(count, degree)), degree


def _basis(knots, degree, count, u):
    """(first control point, weights) at parameter u."""
    span = degree
    while span < count - 1 and u >= knots[span + 1]:
        span += 1
    weights = [1.0]
    for k in range(1, degree + 1):
        row = [0.0] * (k + 1)
        for i, weight in enumerate(weights):
            low, high = knots[span - k + 1 + i], knots[span + 1 + i]
            share = (u - low) / (high - low) if high > low else 0.0
            row[i] += (1 - share) * weight
            row[i + 1] += share * weight
        weights = row
    return span - degree, weights


def _sum(points, first, weights):
    return tuple(sum(w * points[first + i][axis] for i, w in enumerate(weights)) for axis in range(3))


def point_on(points, knots, degree, fraction):
    """The point at a fraction of the parameter, and the direction there."""
    low, high = knots[degree], knots[len(points)]
    here = low + (high - low) * min(max(fraction, 0.0), 1.0)
    first, weights = _basis(knots, degree, len(points), here)
    place = _sum(points, first, weights)
    step = 1e-3 * (high - low)
    a = _sum(points, *_basis(knots, degree, len(points), max(low, here - step)))
    b = _sum(points, *_basis(knots, degree, len(points), min(high, here + step)))
    return place, tuple(y - x for x, y in zip(a, b))


def nearest_fraction(points, knots, degree, place, samples=400):
    """Fraction of the parameter whose point is nearest to a place."""
    def distance(fraction):
        return math.dist(point_on(points, knots, degree, fraction)[0], place)
    best = min(range(samples + 1), key=lambda i: distance(i / samples)) / samples
    low, high = max(0.0, best - 1 / samples), min(1.0, best + 1 / samples)
    for _ in range(40):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if distance(a) < distance(b) else (a, high)
    return (low + high) / 2


def strand_material():
    """Shows the object's colour, which a bake animates with the activation."""
    found = bpy.data.materials.get(STRAND_MATERIAL)
    if not found:
        found = bpy.data.materials.new(STRAND_MATERIAL)
        found.diffuse_color = (*STRAND_COLOR, 1.0)
        found.use_nodes = True
        tree = found.node_tree
        shader = tree.nodes.get("Principled BSDF")
        info = tree.nodes.new("ShaderNodeObjectInfo")
        if shader:
            tree.links.new(info.outputs["Color"], shader.inputs["Base Color"])
            shader.inputs["Roughness"].default_value = 0.4
    return found


def show_strand(thing):
    """Thickness and colour of a strand's curve."""
    from . import spaces
    data = thing.data
    scene = next((scene for scene in bpy.data.scenes if thing.name in scene.objects), None)
    unit = spaces.unit(scene) if scene else 1.0
    data.bevel_depth = thing.sinew.strand.radius / unit
    data.bevel_resolution = 2
    data.use_fill_caps = True
    if not data.materials:
        data.materials.append(strand_material())
        thing.color = (*STRAND_COLOR, 1.0)


# ---- surfaces -------------------------------------------------------------------------------------------------------


def cage(name, values, closed_u, closed_v):
    """Mesh of the control points of a surface, v fastest."""
    nu, nv, points = values["nu"], values["nv"], values.get("Points", [])
    faces = []
    for i in range(nu if closed_u else nu - 1):
        for j in range(nv if closed_v else nv - 1):
            k, m = (i + 1) % nu, (j + 1) % nv
            faces.append((i * nv + j, k * nv + j, k * nv + m, i * nv + m))
    data = bpy.data.meshes.new(name)
    data.from_pydata([points[i:i + 3] for i in range(0, len(points), 3)], [], faces)
    return data


def show_cage(thing):
    modifier = thing.modifiers.new("surface", "SUBSURF")
    modifier.levels = modifier.render_levels = 2
    modifier.boundary_smooth = "PRESERVE_CORNERS"
    thing.display_type = "WIRE"


def _fill_shape(mesh, shape, size):
    if shape == "plane":
        bmesh.ops.create_grid(mesh, x_segments=4, y_segments=4, size=size[0])
    elif shape == "cylinder":
        bmesh.ops.create_cone(mesh, cap_ends=False, segments=SIDES, radius1=size[0], radius2=size[0], depth=size[1])
    else:
        bmesh.ops.create_uvsphere(mesh, u_segments=SIDES, v_segments=SIDES // 2, radius=1.0)
        scale = (size[0],) * 3 if shape == "sphere" else size
        bmesh.ops.scale(mesh, vec=scale, verts=mesh.verts)


def set_shape(data, shape, size):
    mesh = bmesh.new()
    _fill_shape(mesh, shape, size)
    mesh.to_mesh(data)
    mesh.free()


def shape_mesh(name, shape, size):
    """A plane, sphere, cylinder or ellipsoid as a mesh to look at."""
    data = bpy.data.meshes.new(name)
    set_shape(data, shape, size)
    return data


# ---- markers --------------------------------------------------------------------------------------------------------


def _ring(mesh, radius, thickness):
    rows = []
    for i in range(SIDES // 2):
        turn = 4 * math.pi * i / SIDES
        rows.append([mesh.verts.new(((radius + thickness * math.cos(t)) * math.cos(turn),
                                     (radius + thickness * math.cos(t)) * math.sin(turn), thickness * math.sin(t)))
                     for t in (math.pi * k / 3 for k in range(6))])
    for i, row in enumerate(rows):
        other = rows[(i + 1) % len(rows)]
        for k in range(6):
            mesh.faces.new((row[k], other[k], other[(k + 1) % 6], row[(k + 1) % 6]))


def marker_mesh(kind, color):
    """The mesh that all markers of a kind share: about 2 wide, z along the strand."""
    name = f"sinew marker {kind.lower()}"
    found = bpy.data.meshes.get(name)
    if found:
        return found
    mesh = bmesh.new()
    if kind == "FIXED":
        bmesh.ops.create_cube(mesh, size=2.0)
    elif kind == "SLIDING":
        _ring(mesh, 1.2, 0.35)
    elif kind == "SURFACE":
        bmesh.ops.create_cone(mesh, cap_ends=True, segments=12, radius1=1.6, radius2=1.6, depth=0.5)
    else:
        bmesh.ops.create_icosphere(mesh, subdivisions=1, radius=1.4)
    found = bpy.data.meshes.new(name)
    mesh.to_mesh(found)
    mesh.free()
    material = bpy.data.materials.get(name) or bpy.data.materials.new(name)
    material.diffuse_color = (*color, 1.0)
    found.materials.append(material)
    return found
