# SPDX-License-Identifier: GPL-3.0-or-later
"""What the scene shows on given frames, for the command: strands, bodies and the base mesh, in the model's metres and axes.

Strands are taken as they are shown, not as they were simulated: keys that an animator has edited count.
"""

import numpy

from . import bake, bake_bodies, model, replay as replays, spaces

# Modifiers that move vertices and make none. Those of any other kind are left out of a base.
MOVING = {"ARMATURE", "CAST", "CORRECTIVE_SMOOTH", "CURVE", "DISPLACE", "HOOK", "LAPLACIANDEFORM", "LAPLACIANSMOOTH",
          "LATTICE", "MESH_CACHE", "MESH_DEFORM", "SHRINKWRAP", "SIMPLE_DEFORM", "SMOOTH", "SOFT_BODY", "CLOTH",
          "SURFACE_DEFORM", "WARP", "WAVE"}


def array(matrix):
    return numpy.array([list(row) for row in matrix], dtype=float)


def vertices(mesh):
    flat = numpy.empty(3 * len(mesh.vertices), dtype=numpy.float32)
    mesh.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3).astype(float)


class Base:
    """A mesh as its moving modifiers show it. While the block runs, modifiers that make vertices are off, and an object that
    is switched off in viewports is on: it would not be evaluated. (One that is hidden by its eye is.)"""

    def __init__(self, thing, layer):
        self.thing, self.layer = thing, layer
        self.off = []

    def __enter__(self):
        self.hidden = self.thing.hide_viewport
        if self.hidden:
            self.thing.hide_viewport = False
        for modifier in self.thing.modifiers:
            if modifier.type not in MOVING and modifier.show_viewport:
                modifier.show_viewport = False
                self.off.append(modifier)
        if self.hidden or self.off:
            self.thing.update_tag()
            self.layer.update()
        return self

    def __exit__(self, *_):
        for modifier in self.off:
            modifier.show_viewport = True
        if self.hidden:
            self.thing.hide_viewport = True

    def points(self, depsgraph, to_model):
        shown = self.thing.evaluated_get(depsgraph)
        mesh = shown.to_mesh()
        try:
            found = vertices(mesh)
        finally:
            shown.to_mesh_clear()
        if len(found) != len(self.thing.data.vertices):
            raise bake.BakeError(f"The modifiers of {self.thing.name} change the number of its vertices")
        return bake.apply_matrix(to_model @ array(shown.matrix_world), found)


class Strands:
    """The enabled strands of a scene, on any frame."""

    def __init__(self, scene):
        self.things = [thing for thing in model.strands(scene) if thing.sinew.strand.enabled]
        self.names = [model.name_of(thing) for thing in self.things]
        self.counts = [len(bake.spline_of(thing).points) for thing in self.things]
        self.caches = {thing: bake.cache_of(thing) for thing in self.things}

    def local(self, thing, depsgraph, frame):
        cache = self.caches[thing]
        return bake.cached_points(cache, frame) if cache else bake.current_points(thing.evaluated_get(depsgraph))[0]

    def points(self, depsgraph, frame, to_model):
        rows = [bake.apply_matrix(to_model @ array(thing.evaluated_get(depsgraph).matrix_world),
                                  self.local(thing, depsgraph, frame)) for thing in self.things]
        return numpy.concatenate(rows) if rows else numpy.empty((0, 3))


class Capture:
    """A replay and a base (n x vertices x 3, or None) put together frame by frame."""

    def __init__(self, scene, base=None):
        self.scene, self.base = scene, base
        self.to_model = array(spaces.model_from_world(scene, metres=True))
        self.strands, self.bodies = Strands(scene), model.bodies(scene)
        self.frames, self.poses, self.points, self.shapes = [], [], [], []

    def take(self, depsgraph, frame):
        """The frame that the scene shows now."""
        self.frames.append(frame)
        self.points.append(self.strands.points(depsgraph, frame, self.to_model))
        matrix = spaces.model_from_world(self.scene, metres=True)
        row = []
        for body in self.bodies:
            place, turn, _ = (matrix @ body.world(depsgraph)).decompose()
            row.append([*place, *turn.normalized()])
        self.poses.append(row)
        if self.base:
            self.shapes.append(self.base.points(depsgraph, self.to_model))

    def take_range(self, context, start, end):
        def look(depsgraph):
            self.take(depsgraph, self.scene.frame_current)
        bake_bodies.sample(context, self.scene, range(start, end + 1), look)

    def replay(self):
        rate = bake.frames_per_second(self.scene)
        time = (numpy.array(self.frames, dtype=float) - self.frames[0]) / rate
        n = len(self.frames)
        return replays.Replay(self.scene.sinew.name, [body.name for body in self.bodies], self.strands.names,
                              self.strands.counts, [], time, numpy.array(self.poses).reshape(n, -1, 7),
                              numpy.array(self.points), numpy.empty((n, 0)))


# ---- influence ------------------------------------------------------------------------------------------------------


def influence(thing, source, name):
    """A number from 0 to 1 for each vertex: red of a colour attribute, or a vertex group. None: by nearness."""
    if source == "NEAR":
        return None
    data = thing.data
    if source == "GROUP":
        group = thing.vertex_groups.get(name)
        if not group:
            raise bake.BakeError(f"{thing.name} has no vertex group {name or '(none is named)'}")
        found = numpy.zeros(len(data.vertices))
        for vertex in data.vertices:
            for entry in vertex.groups:
                if entry.group == group.index:
                    found[vertex.index] = entry.weight
        return numpy.clip(found, 0, 1)
    layer = data.attributes.get(name) if name else data.color_attributes.active_color
    if not layer or layer.data_type not in ("FLOAT_COLOR", "BYTE_COLOR"):
        raise bake.BakeError(f"{thing.name} has no colour attribute {name}".rstrip())
    flat = numpy.empty(4 * len(layer.data), dtype=numpy.float32)
    layer.data.foreach_get("color", flat)
    red = flat[0::4].astype(float)
    if layer.domain == "CORNER":  # the mean of the corners that meet in a vertex
        corner = numpy.empty(len(data.loops), dtype=numpy.int32)
        data.loops.foreach_get("vertex_index", corner)
        count = numpy.bincount(corner, minlength=len(data.vertices))
        red = numpy.bincount(corner, red, minlength=len(data.vertices)) / numpy.maximum(count, 1)
    return numpy.clip(red, 0, 1)


def write_influence(path, values):
    with open(path, "w", encoding="utf-8") as file:
        file.write("# influence of tendons, a line for each vertex\n" + "\n".join(map(repr, values.tolist())) + "\n")
