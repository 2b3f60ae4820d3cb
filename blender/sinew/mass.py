# SPDX-License-Identifier: GPL-3.0-or-later
"""A guess at where the mass of a body is and how large it is, from the meshes that move with it."""
import bmesh
from mathutils import Matrix, Vector

from . import model


def meshes_of(scene, body):
    """Mesh objects that move with a body and with none below it."""
    return [thing for thing in scene.objects if thing.type == "MESH" and model.parent_body(thing) == body
            and not any(modifier.type == "ARMATURE" for modifier in thing.modifiers)]


def _volume_and_centre(data, matrix):
    """Signed volume and centre of a mesh by the tetrahedra over its triangles."""
    mesh = bmesh.new()
    mesh.from_mesh(data)
    bmesh.ops.triangulate(mesh, faces=mesh.faces[:])
    volume, moment = 0.0, Vector((0, 0, 0))
    for face in mesh.faces:
        a, b, c = (matrix @ vertex.co for vertex in face.verts)
        part = a.dot(b.cross(c)) / 6
        volume += part
        moment += part * (a + b + c) / 4
    mesh.free()
    return volume, moment


def _corners(things):
    return [thing.matrix_world @ Vector(corner) for thing in things for corner in thing.bound_box]


def centre(scene, body, depsgraph):
    """A place in the world: centre of the closed meshes, else middle of their box, else of the bone, else origin."""
    things = meshes_of(scene, body)
    volume, moment = 0.0, Vector((0, 0, 0))
    for thing in things:
        part, times = _volume_and_centre(thing.data, thing.matrix_world)
        volume, moment = volume + abs(part), moment + (times if part >= 0 else -times)
    corners = _corners(things)
    if corners:
        low = Vector(map(min, zip(*corners)))
        high = Vector(map(max, zip(*corners)))
        place = moment / volume if volume > 0 else None
        inside = place and all(a <= x <= b for a, x, b in zip(low, place, high))
        return place if inside else (low + high) / 2
    if body.bone:
        bone = body.owner
        return body.object.matrix_world @ ((bone.head_local + bone.tail_local) / 2)
    return body.world(depsgraph).translation


def cylinder(scene, body, depsgraph):
    """(radius, length) of a cylinder around a body, in Blender's units; None without a shape."""
    frame = body.world(depsgraph)
    to_body = Matrix.LocRotScale(*frame.decompose()[:2], None).inverted()
    corners = [to_body @ corner for corner in _corners(meshes_of(scene, body))]
    if not corners:
        return (0.1 * body.owner.length, body.owner.length) if body.bone else None
    sides = sorted(max(axis) - min(axis) for axis in zip(*corners))
    return max((sides[0] + sides[1]) / 4, 1e-6), max(sides[2], 1e-6)
