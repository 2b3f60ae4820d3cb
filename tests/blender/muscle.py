# SPDX-License-Identifier: GPL-3.0-or-later
"""A weight that hangs on one strand, and a spindle round the strand: what AutoStrands fills."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import bpy

from spindle import spindle

LENGTH, BELLY = 0.12, 0.015
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
    vertices, triangles = spindle(LENGTH, BELLY)
    data.from_pydata(vertices, [], triangles)
    thing = bpy.data.objects.new("belly_mesh", data)
    scene.collection.objects.link(thing)
    thing.matrix_world = root.matrix_world
    return thing


def select(*things):
    for thing in bpy.context.view_layer.objects:
        thing.select_set(thing in things)
