# SPDX-License-Identifier: GPL-3.0-or-later
"""Bellies with a mesh of their own that go with their strands.

Each vertex is bound to the ring of the strand that is nearest as drawn, by its place in the frame across that ring. The place is
stretched across as the strand shortens, so that the belly keeps its volume. src/page/belly_bind.c and studio/src/bellies.ts do the
same; here a baked replay becomes a point cache for each mesh.
"""

import numpy

from . import bake, bake_bodies, model, spaces

RINGS = 97
SHOWN = "sinew_belly_shown"  # on a mesh: a bake has made it visible


def of(scene):
    """Strands whose belly has a mesh in the scene: pairs of strand and mesh object."""
    meshes = {model.node_of(thing): thing for thing in scene.objects if thing.type == "MESH"}
    pairs = ((thing, meshes.get(thing.sinew.strand.belly_mesh)) for thing in model.strands(scene))
    return [(strand, mesh) for strand, mesh in pairs if mesh and len(bake.rest_points(strand)[1]) > 3]


def basis(npoint):
    """Weights of the control points of a clamped cubic B-spline at evenly spaced places, and their derivatives: RINGS x npoint."""
    knot = numpy.concatenate([numpy.zeros(3), numpy.linspace(0, 1, npoint - 2), numpy.ones(3)])
    u = numpy.clip(numpy.linspace(0, 1, RINGS), 0, 1 - 1e-12)[:, None]
    weight = ((u >= knot[:-1]) & (u < knot[1:])).astype(float)
    for degree in (1, 2, 3):
        lower, count = weight, len(knot) - degree - 1
        wide = [knot[i + degree] - knot[i] for i in range(count + 1)]
        share = [1 / w if w > 0 else 0.0 for w in wide]
        weight = numpy.empty((RINGS, count))
        slope = numpy.empty((RINGS, count))
        for i in range(count):
            weight[:, i] = ((u[:, 0] - knot[i]) * share[i] * lower[:, i]
                            + (knot[i + degree + 1] - u[:, 0]) * share[i + 1] * lower[:, i + 1])
            slope[:, i] = degree * (share[i] * lower[:, i] - share[i + 1] * lower[:, i + 1])
    return weight, slope


def _unit(v):
    return v / numpy.maximum(numpy.linalg.norm(v, axis=-1, keepdims=True), 1e-12)


def trace(points):
    """Centres and frames (side, other, along) of the rings for frames x npoint x 3 control points, and the lengths."""
    weight, slope = basis(points.shape[1])
    centre, along = weight @ points, _unit(slope @ points)
    side = numpy.empty_like(centre)
    t = along[:, 0]
    flat = (numpy.abs(t[:, 0]) < 0.7)[:, None]
    none = numpy.zeros(len(t))
    now = numpy.where(flat, numpy.column_stack([none, t[:, 2], -t[:, 1]]), numpy.column_stack([-t[:, 2], none, t[:, 0]]))
    for i in range(RINGS):  # turned as little as possible from ring to ring
        now = _unit(now - (now * along[:, i]).sum(-1, keepdims=True) * along[:, i])
        side[:, i] = now
    length = numpy.linalg.norm(numpy.diff(centre, axis=1), axis=-1).sum(-1)
    return centre, numpy.stack([side, numpy.cross(along, side), along], axis=2), length


def shapes(vertices, rest, points):
    """The mesh around a strand that was drawn with the control points `rest`: frames x vertices x 3 for frames x npoint x 3."""
    centre, frame, drawn = (found[0] for found in trace(rest[None]))
    away = numpy.linalg.norm(vertices[:, None] - centre[None], axis=-1)
    ring = away.argmin(axis=1)
    place = numpy.einsum("vij,vj->vi", frame[ring], vertices - centre[ring])
    centre, frame, length = trace(points)
    squeeze = numpy.sqrt(numpy.clip(drawn / numpy.maximum(length, 1e-12), 0.5, 2))
    scale = numpy.stack([squeeze, squeeze, numpy.ones_like(squeeze)], axis=-1)
    return centre[:, ring] + numpy.einsum("fvij,fvi->fvj", frame[:, ring], place[None] * scale[:, None])


def _vertices(mesh):
    flat = numpy.empty(3 * len(mesh.vertices), dtype=numpy.float32)
    mesh.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3).astype(float)


def motions(context, scene, frames, points_of):
    """Vertices of each belly on every frame in the space of its object: pairs. points_of: a strand's points in the model, metres."""
    axes = bake_bodies.array(spaces.world_from_model(scene, metres=True))
    found = [(strand, mesh, points_of(strand)) for strand, mesh in of(scene)]
    found = [entry for entry in found if entry[2] is not None]
    worlds = bake_bodies.world_matrices(context, scene, frames, [mesh for _, mesh, _ in found])
    done = []
    for strand, mesh, points in found:
        to_model = numpy.linalg.inv(axes)
        rest = bake.apply_matrix(to_model @ bake_bodies.array(strand.matrix_world), bake.rest_points(strand)[0])
        drawn = bake.apply_matrix(to_model @ bake_bodies.array(mesh.matrix_world), _vertices(mesh.data))
        moved = shapes(drawn, rest, points)
        done.append((mesh, bake.apply_matrix(numpy.linalg.inv(worlds[mesh]) @ axes, moved)))
    return done


def show(mesh, frames, path):
    """Plays a cache on a belly and makes it visible."""
    bake.add_strand_cache(mesh, frames, path)
    if mesh.hide_viewport:
        mesh[SHOWN] = True
        mesh.hide_viewport = mesh.hide_render = False
    for polygon in mesh.data.polygons:
        polygon.use_smooth = True


def clear(scene):
    """Takes every belly's cache off and hides what a bake has shown. Returns whether there was any."""
    baked = [thing for thing in scene.objects if thing.type == "MESH" and (SHOWN in thing or _plays(thing))]
    for thing in baked:
        for modifier in [m for m in thing.modifiers if m.type == "MESH_CACHE" and m.name == bake.MODIFIER]:
            thing.modifiers.remove(modifier)
        if SHOWN in thing:
            thing.hide_viewport = thing.hide_render = True
            del thing[SHOWN]
    return bool(baked)


def _plays(thing):
    modifier = thing.modifiers.get(bake.MODIFIER)
    return modifier is not None and modifier.type == "MESH_CACHE"
