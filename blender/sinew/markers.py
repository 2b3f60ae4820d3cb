# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraint markers: small meshes that stay on their strand, in the colours of [Sueda 2008], figure 3.

A marker is a child of its strand, so that it goes where the strand goes. Its place along the strand follows from the
attribute `position`; when a user drags it, the attribute follows from its place. Both meet in `update`: a marker that
is where its position says is left alone, so that no update calls for another.
"""
import bpy
from bpy.app.handlers import persistent
from mathutils import Vector

from . import bake, model, properties, replay as replays, shapes, spaces

COLORS = {"FIXED": (0.0, 0.72, 0.83), "SLIDING": (0.18, 0.66, 0.31), "SURFACE": (0.50, 0.0, 0.13),
          "STRUT": (1.0, 0.69, 0.0)}
paused = False  # while many frames are stepped through
NEAR = 1e-5  # of the strand's size: closer than this is "where it should be"


def new_marker(scene, name, kind, strand, collection):
    """An object for a constraint of this kind on a strand."""
    thing = bpy.data.objects.new(name, shapes.marker_mesh(kind, COLORS[kind]))
    collection.objects.link(thing)
    thing.parent = strand
    thing.hide_render = True
    thing.color = (*COLORS[kind], 1.0)
    thing.sinew.kind = kind
    thing.sinew.constraint.strand = strand
    thing.rotation_mode = "QUATERNION"
    thing.lock_rotation = thing.lock_scale = (True, True, True)
    resize(scene, thing)
    return thing


def resize(scene, thing):
    strand = thing.sinew.constraint.strand
    radius = strand.sinew.strand.radius / spaces.unit(scene) if strand else 0.001
    thing.scale = (1.25 * radius * scene.sinew.marker_size,) * 3


def shown_points(strand, data):
    """Control points as they are shown: those of a point cache stand in its file, not in Blender's data."""
    points, cache = shapes.spline_points(data), bake.cache_of(strand)
    if cache:
        try:
            cached = bake.cached_points(cache, bpy.context.scene.frame_current_final)
        except replays.ReplayError:
            return points  # as Blender shows it then
        if len(cached) == len(points):
            return [tuple(point) for point in cached.tolist()]
    return points


class Path:
    """The curve of a strand, for many points on it."""

    def __init__(self, strand, data=None):
        self.points = shown_points(strand, data or strand.data)
        self.knots, self.degree = shapes.knots_of(strand, len(self.points))

    def at(self, fraction):
        return shapes.point_on(self.points, self.knots, self.degree, fraction)

    def nearest(self, place):
        return shapes.nearest_fraction(self.points, self.knots, self.degree, place)


def place(thing, path):
    """Puts a marker where its position says."""
    where, along = path.at(properties.get(thing.sinew.constraint, _POSITION))
    turn = Vector(along).to_track_quat("Z", "Y") if any(along) else None
    if (thing.location - Vector(where)).length > 1e-7 * (1 + Vector(where).length):
        thing.location = where
    if turn and abs(abs(thing.rotation_quaternion.dot(turn)) - 1) > 1e-6:
        thing.rotation_quaternion = turn


_POSITION = properties.schema.attribute("Constraint", "position")


def is_whole(thing):
    strand = thing.sinew.constraint.strand
    return bool(strand and strand.type == "CURVE" and len(strand.data.splines)
                and len(shapes.spline_points(strand.data)) > 1)


def update(thing):
    """After an edit of its attributes."""
    if thing.sinew.kind not in properties.CONSTRAINTS or not is_whole(thing):
        return
    if thing.parent != thing.sinew.constraint.strand:
        thing.parent = thing.sinew.constraint.strand
    place(thing, Path(thing.sinew.constraint.strand))


def update_all(scene, only=None, data_of=None):
    """Puts the markers of all strands, or of some, in place."""
    by_strand = {}
    for thing in scene.objects:
        if thing.sinew.kind in properties.CONSTRAINTS and is_whole(thing):
            by_strand.setdefault(thing.sinew.constraint.strand, []).append(thing)
    for strand, things in by_strand.items():
        if only is None or strand in only:
            path = Path(strand, data_of(strand) if data_of else None)
            for thing in things:
                place(thing, path)


def _slide(thing):
    """A marker that was dragged goes to the nearest point of its strand."""
    path = Path(thing.sinew.constraint.strand)
    where = Vector(path.at(thing.sinew.constraint.position)[0])
    size = max((Vector(point) - where).length for point in path.points)
    if (thing.location - where).length <= NEAR * size:
        return
    thing.sinew.constraint.position = path.nearest(thing.location)


# ---- handlers -------------------------------------------------------------------------------------------------------


@persistent
def _on_change(scene, depsgraph):
    moved, dragged = set(), []
    for change in depsgraph.updates:
        thing = change.id.original
        if not isinstance(thing, bpy.types.Object):
            continue
        if thing.sinew.kind == "STRAND" and change.is_updated_geometry:
            moved.add(thing)
        elif thing.sinew.kind in properties.CONSTRAINTS and change.is_updated_transform and thing.select_get():
            dragged.append(thing)
    if moved:
        update_all(scene, moved)
    for thing in dragged:
        if is_whole(thing) and thing.sinew.constraint.strand not in moved:
            _slide(thing)


@persistent
def _on_frame(scene, depsgraph):
    """Baked strands move their control points, by F-curves or by a point cache."""
    if paused:
        return
    baked = {thing for thing in model.strands(scene)
             if (thing.data.animation_data and thing.data.animation_data.action) or bake.cache_of(thing)}
    if baked:
        update_all(scene, baked, lambda strand: strand.evaluated_get(depsgraph).data)


def _resize_all(scene):
    for thing in model.constraints(scene):
        resize(scene, thing)


def _show_strand(thing):
    if isinstance(thing, bpy.types.Object) and thing.sinew.kind == "STRAND":
        shapes.show_strand(thing)
        for scene in thing.users_scene:
            for marker in model.constraints(scene):
                if marker.sinew.constraint.strand == thing:
                    resize(scene, marker)


def _show_shape(thing):
    if thing.sinew.node == "Shape":
        shapes.set_shape(thing.data, thing.sinew.shape.shape, tuple(thing.sinew.shape.size))


HANDLERS = ((bpy.app.handlers.depsgraph_update_post, _on_change), (bpy.app.handlers.frame_change_post, _on_frame))


def register():
    properties.HOOKS[("Constraint", "position")] = update
    properties.HOOKS[("Strand", "radius")] = _show_strand
    properties.HOOKS[("Shape", "size")] = properties.HOOKS[("Shape", "shape")] = _show_shape
    properties.HOOKS["marker_size"] = _resize_all
    for handlers, function in HANDLERS:
        handlers.append(function)


def unregister():
    for handlers, function in HANDLERS:
        if function in handlers:
            handlers.remove(function)
    properties.HOOKS.clear()
