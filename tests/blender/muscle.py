# SPDX-License-Identifier: GPL-3.0-or-later
"""A weight that hangs on one strand, and a spindle round the strand: what AutoStrands fills."""
import math

import bpy

RINGS, ANGLES = 20, 16


def spindle(length=0.12, belly=0.015):
    """Vertices and triangles down the y axis, the ends 15 % as thick as the belly."""
    vertices = [(0, 0, 0)]
    for i in range(RINGS + 1):
        radius = belly * (0.15 + 0.85 * math.sin(math.pi * i / RINGS))
        for j in range(ANGLES):
            angle = 2 * math.pi * j / ANGLES
            vertices.append((radius * math.cos(angle), -length * i / RINGS, radius * math.sin(angle)))
    vertices.append((0, -length, 0))
    triangles = []
    for j in range(ANGLES):
        k = (j + 1) % ANGLES
        triangles.append((0, 1 + k, 1 + j))
        for i in range(RINGS):
            a, b = 1 + i * ANGLES, 1 + (i + 1) * ANGLES
            triangles += [(a + j, a + k, b + j), (a + k, b + k, b + j)]
        triangles.append((len(vertices) - 1, 1 + RINGS * ANGLES + j, 1 + RINGS * ANGLES + k))
    return vertices, triangles


SCENE = """<ModelerScene version="1">
  <Group name="frame"/>
  <Group name="weight" translate="0 -0.12 0"/>
  <Curve name="line"><Points>{points}</Points></Curve>
</ModelerScene>"""
MUSCLE = """<Muscle version="1">
  <RigidBody name="frame" pinned="true" mass_from="given" mass="1" inertia="0.001 0.001 0.001"/>
  <RigidBody name="weight" mass_from="given" mass="2" inertia="0.001 0.001 0.001"/>
  <Strand name="line" radius="0.01" max_force="80"/>
  <Constraint name="origin" strand="line" attachment="frame"/>
  <Constraint name="insertion" strand="line" position="1" attachment="weight"/>
  <Function name="weight.lift" muscles="line" levels="1"/>
</Muscle>"""


def write(folder):
    """Path of the model's muscle file."""
    points = " ".join(f"0 {-0.12 * i / 7!r} 0" for i in range(8))
    with open(f"{folder}/arm.scene.xml", "w") as file:
        file.write(SCENE.format(points=points))
    with open(f"{folder}/arm.muscle.xml", "w") as file:
        file.write(MUSCLE)
    return f"{folder}/arm.muscle.xml"


def add_mesh(scene, root):
    """The spindle as a mesh that Blender has made, in the space of the model."""
    data = bpy.data.meshes.new("belly_mesh")
    vertices, triangles = spindle()
    data.from_pydata(vertices, [], triangles)
    thing = bpy.data.objects.new("belly_mesh", data)
    scene.collection.objects.link(thing)
    thing.matrix_world = root.matrix_world
    return thing


def select(*things):
    for thing in bpy.context.view_layer.objects:
        thing.select_set(thing in things)
