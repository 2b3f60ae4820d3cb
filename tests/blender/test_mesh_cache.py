# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's Mesh Cache modifier reads the point caches that sinew writes.

The oracle is the OBJ sequence of the same frames, or the replay itself: text with all digits, which shares nothing with
the two binary formats but the points. Both caches hold single precision, so the numbers must agree to the last bit after
rounding to it."""
import array
import glob
import os
import sys
from xml.etree import ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy

import common


def read_obj(path):
    """(coordinates in a row, faces) of a triangle mesh."""
    vertices, faces = [], []
    with open(path) as file:
        for line in file:
            words = line.split()
            if words[:1] == ["v"]:
                vertices.extend(float(x) for x in words[1:4])
            elif words[:1] == ["f"]:
                faces.append([int(x.split("/")[0]) - 1 for x in words[1:4]])
    return array.array("f", vertices), faces


class MeshCache(common.Case):
    @classmethod
    def setUpClass(cls):
        cls.home = os.environ["HOME"]
        common.sinew("track", "hand", "fist", "--start", "0.5", "--end", "0.8", "-o", cls.there("out"))

    @classmethod
    def there(cls, name):
        return os.path.join(cls.home, name)

    def make_object(self, count, faces, path, file_format):
        mesh = bpy.data.meshes.new("points")
        mesh.from_pydata([(0, 0, 0)] * count, [], faces)
        thing = bpy.data.objects.new("points", mesh)
        bpy.context.scene.collection.objects.link(thing)
        cache = thing.modifiers.new("cache", "MESH_CACHE")
        cache.cache_format = file_format
        cache.filepath = path
        cache.frame_start = 1
        cache.forward_axis, cache.up_axis = "POS_Y", "POS_Z"
        return thing

    def check(self, path, file_format, frames, faces):
        thing = self.make_object(len(frames[0]) // 3, faces, path, file_format)
        for number, expected in enumerate(frames):
            bpy.context.scene.frame_set(number + 1)
            shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
            found = common.points_of(shown.data)
            self.assertEqual(len(found), len(expected))
            self.assertTrue(found == expected, f"{file_format}, frame {number}: {common.farthest(found, expected)}")

    def read_sequence(self, stem):
        paths = sorted(glob.glob(self.there(stem + ".*.obj")))
        faces = read_obj(paths[0])[1]
        return [read_obj(path)[0] for path in paths], faces

    def test_skin(self):
        for ending in ("pc2", "mdd", "obj"):
            common.sinew("skin", "hand", self.there("out.replay.xml"), "-o", self.there("skin." + ending))
        frames, faces = self.read_sequence("skin")
        self.assertGreater(len(frames), 10)
        self.assertGreater(common.farthest(frames[-1], frames[0]), 0.005)
        for ending in ("pc2", "mdd"):
            self.check(self.there("skin." + ending), ending.upper(), frames, faces)

    def test_flesh(self):
        for ending in ("pc2", "mdd", "obj"):
            common.sinew("export", self.there("out.replay.xml"), "--to", ending, "--flesh", "draft", "--muscles",
                         "--frame-rate", "10", "-o", self.there("flesh." + ending))
        frames, faces = self.read_sequence("flesh")
        self.assertGreater(len(frames), 3)
        self.assertGreater(common.farthest(frames[-1], frames[0]), 0.005)
        for ending in ("pc2", "mdd"):
            self.check(self.there("flesh." + ending), ending.upper(), frames, faces)

    def test_bones(self):
        for ending in ("pc2", "mdd", "obj"):
            self.export("bones", ending)
        frames, faces = self.read_sequence("bones")
        for ending in ("pc2", "mdd"):
            self.check(self.there("bones." + ending), ending.upper(), frames, faces)

    def test_strands(self):
        root = ElementTree.parse(self.there("out.replay.xml")).getroot()
        frames = [array.array("f", map(float, frame.findtext("Points").split())) for frame in root.iter("Frame")]
        for ending in ("pc2", "mdd"):
            self.export("strands", ending)
            self.check(self.there("strands." + ending), ending.upper(), frames, [])

    def export(self, what, ending):
        common.sinew("export", self.there("out.replay.xml"), "--to", ending, "--what", what, "-o",
                     self.there(f"{what}.{ending}"))


if __name__ == "__main__":
    common.main()
