# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender's glTF exporter writes of an animated armature is read as the motion that it was made of."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
from mathutils import Quaternion, Vector

import common

sys.path.append(os.path.join(common.SOURCE, "tests", "cli"))
from gltf_writer import read_bvh

BECKON = os.path.join(common.SOURCE, "models", "hand", "motions", "beckon.bvh")


def armature(joints):
    """Bones at the rest positions of the joints, each pointing to its first child."""
    data = bpy.data.armatures.new("rig")
    rig = bpy.data.objects.new("rig", data)
    bpy.context.scene.collection.objects.link(rig)
    common.select(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    heads = []
    for index, (name, parent, offset) in enumerate(joints):
        head = Vector(offset) / 100 + (heads[parent] if parent >= 0 else Vector())
        heads.append(head)
        bone = data.edit_bones.new(name)
        child = next((joint for joint in joints if joint[1] == index and Vector(joint[2]).length > 0), None)
        bone.head, bone.tail = head, head + (Vector(child[2]) / 100 if child else Vector((-0.02, 0.003, 0.001)))
        bone.roll = 0.3 * index
        if parent >= 0:
            bone.parent = data.edit_bones[joints[parent][0]]
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def animate(rig, joints, frames):
    for index, (name, _, _) in enumerate(joints):
        bone = rig.pose.bones[name]
        bone.rotation_mode = "QUATERNION"
        rest = bone.bone.matrix_local.to_quaternion()
        for frame, turns in enumerate(frames):
            bone.rotation_quaternion = rest.inverted() @ Quaternion(turns[index]) @ rest
            bone.keyframe_insert("rotation_quaternion", frame=frame)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 0, len(frames) - 1
    scene.render.fps = 30


def skin(rig, joints):
    mesh = bpy.data.meshes.new("skin")
    mesh.from_pydata([(i, j, 0) for i in range(len(joints)) for j in (0, 1)] + [(-1, 0, 0)], [],
                     [(0, 1, len(joints) * 2)])
    thing = bpy.data.objects.new("skin", mesh)
    bpy.context.scene.collection.objects.link(thing)
    thing.parent = rig
    thing.modifiers.new("rig", "ARMATURE").object = rig
    for index, (name, _, _) in enumerate(joints):
        thing.vertex_groups.new(name=name).add([2 * index, 2 * index + 1], 1.0, "REPLACE")
    thing.vertex_groups[0].add([2 * len(joints)], 1.0, "REPLACE")


class GltfMotion(common.Case):
    def angles(self, file):
        common.sinew("convert", file, self.path("out.pose.csv"), "--model", "hand")
        with open(self.path("out.pose.csv")) as table:
            names = table.readline().strip().split(",")
            return names, [[float(x) for x in line.split(",")] for line in table]

    def compare(self, skinned, **options):
        joints, frames, _ = read_bvh(BECKON)
        rig = armature(joints)
        animate(rig, joints, frames)
        if skinned:
            skin(rig, joints)
        bpy.context.scene.frame_set(len(frames) // 2)
        bpy.ops.export_scene.gltf(filepath=self.path("out"), **options)
        file = next(self.path(name) for name in os.listdir(self.folder) if name.endswith((".glb", ".gltf")))
        names, wanted = self.angles(BECKON)
        others, found = self.angles(file)
        self.assertEqual(names, others)
        self.assertEqual(len(wanted), len(found))
        worst = max(abs(a - b) for x, y in zip(wanted, found) for a, b in zip(x[1:], y[1:]))
        print(f"{options}, skinned: {skinned}: angles differ by at most {worst:.1e} degrees")
        self.assertLess(worst, 0.01)

    def test_skinned_binary(self):
        self.compare(True, export_format="GLB")

    def test_bones_alone_as_text(self):
        self.compare(False, export_format="GLTF_EMBEDDED")

    def test_text_with_a_file_of_data_posed_now(self):
        self.compare(True, export_format="GLTF_SEPARATE", export_current_frame=True)


if __name__ == "__main__":
    common.main()
