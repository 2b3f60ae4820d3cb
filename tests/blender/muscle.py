# SPDX-License-Identifier: GPL-3.0-or-later
"""A weight that hangs on one strand, and a spindle round the strand: what AutoStrands fills."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import bpy

from spindle import MUSCLE, spindle

LENGTH, BELLY = 0.12, 0.015
SCENE = """<ModelerScene version="1">
  <Group name="frame"/>
  <Group name="weight" translate="0 -0.12 0"/>
  <Curve name="line"><Points>{points}</Points></Curve>
</ModelerScene>"""


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
