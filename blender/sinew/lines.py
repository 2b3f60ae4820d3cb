# SPDX-License-Identifier: GPL-3.0-or-later
"""Models on a tree: their line muscles as one mesh that rides on the bones, and what of their files has no place in Blender.

Every point of a line muscle is fixed to a bone, so a ring of vertices around it, held by that bone alone, goes where the
simulation has it: the muscles play with the armature. Coordinates, springs, wraps and muscles are not edited here; they are
kept on the model's root as they were read, and written again.
"""
import json

import bpy
import numpy

from . import files, spaces

KEPT = "sinew_kept"  # on the root: elements without a place in Blender, as they were read
SIDES = 6


def keep(root, muscle):
    """Remembers the elements that have no objects."""
    rest = [[element.tag, element.values] for element in muscle.children if element.tag not in files.MUSCLE_TAGS]
    if rest:
        root[KEPT] = json.dumps(rest)


def kept(root):
    """Those elements, to be written."""
    text = root.get(KEPT) if root else None
    return [files.Element(tag, values) for tag, values in json.loads(text)] if text else []


def _across(along):
    """Two directions at right angles to each row and to each other, which turn as little as the line does."""
    sides = []
    side = numpy.eye(3)[numpy.argmin(numpy.abs(along[0]))]
    for direction in along:
        side = side - direction * (side @ direction)
        side = side / numpy.linalg.norm(side)
        sides.append((side, numpy.cross(direction, side)))
    return sides


def _rings(points, radius):
    """Vertices of the tube through points, SIDES around each."""
    steps = numpy.diff(points, axis=0)
    steps /= numpy.linalg.norm(steps, axis=1)[:, None]
    along = numpy.vstack([steps[:1], steps[1:] + steps[:-1], steps[-1:]])
    along /= numpy.maximum(numpy.linalg.norm(along, axis=1)[:, None], 1e-9)
    angles = numpy.arange(SIDES) * 2 * numpy.pi / SIDES
    return [point + radius * (numpy.cos(angle) * a + numpy.sin(angle) * b)
            for point, (a, b) in zip(points, _across(along)) for angle in angles]


def _faces(first, count):
    """Triangles and squares of a tube of `count` rings."""
    corners = [[first + SIDES * k + i for i in range(SIDES)] for k in range(count)]
    turned = [row[1:] + row[:1] for row in corners]
    walls = [(a, b, d, c) for k in range(count - 1)
             for a, b, c, d in zip(corners[k], turned[k], corners[k + 1], turned[k + 1])]
    return walls + [tuple(reversed(corners[0])), tuple(corners[-1])]


def draw(run):
    """The line muscles of an import as one object; None where there are none."""
    muscles = [element for element in run.muscle.children if element.tag == "LineMuscle"]
    if not muscles:
        return None
    metres = spaces.METRES[run.nodes.get("units")]
    vertices, faces, held = [], [], {}
    for muscle in muscles:
        points, first = numpy.reshape(muscle.get("Points"), (-1, 3)) / metres, len(vertices)
        vertices += _rings(points, muscle.get("radius") / metres)
        faces += _faces(first, len(points))
        for k, body in enumerate(muscle.get("bodies").split()):
            held.setdefault(body, []).extend(range(first + SIDES * k, first + SIDES * (k + 1)))
    data = bpy.data.meshes.new("muscles")
    data.from_pydata([row.tolist() for row in vertices], [], faces)
    thing = bpy.data.objects.new("muscles", data)
    run.made += [data, thing]
    run.collections["strands"].objects.link(thing)
    thing.parent = run.root
    for body, numbers in held.items():
        thing.vertex_groups.new(name=body).add(numbers, 1.0, "REPLACE")
    modifier = thing.modifiers.new("bones", "ARMATURE")
    modifier.object = run.armature
    return thing
