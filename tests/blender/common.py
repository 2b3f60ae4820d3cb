# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests inside Blender share. tools/run_tests blender starts each script in a Blender of its own."""
import array
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import bpy

BUILD = os.environ["SINEW_BUILD"]
SOURCE = os.environ["SINEW_SOURCE"]
SINEW = os.path.join(BUILD, "sinew")


def sinew(*arguments):
    """Runs the command; the text of its output."""
    result = subprocess.run([SINEW, *map(str, arguments)], capture_output=True, text=True)
    if result.returncode:
        raise AssertionError(f"sinew {arguments}: {result.returncode}\n{result.stdout}\n{result.stderr}")
    return result.stdout


def sinew_json(*arguments):
    return json.loads(sinew(*arguments, "--json").splitlines()[-1])


def points_of(mesh):
    """The vertices of a mesh, all coordinates in a row. Blender as Debian packs it has no numpy."""
    flat = array.array("f", bytes(12 * len(mesh.vertices)))
    mesh.vertices.foreach_get("co", flat)
    return flat


def farthest(a, b):
    """The largest difference of two rows of numbers."""
    assert len(a) == len(b), (len(a), len(b))
    return max(abs(x - y) for x, y in zip(a, b))


class Case(unittest.TestCase):
    """A test with a folder of its own and an empty file."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="sinew-test-")
        self.addCleanup(shutil.rmtree, self.folder)
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)

    def path(self, name):
        return os.path.join(self.folder, name)


def select(*objects):
    """Makes these the selection, the last one active."""
    for thing in bpy.context.view_layer.objects:
        thing.select_set(False)
    for thing in objects:
        thing.select_set(True)
    bpy.context.view_layer.objects.active = objects[-1]


def enable():
    """Enables the add-on that the runner has installed."""
    bpy.ops.preferences.addon_enable(module="sinew")


def main():
    """Runs the tests of the script; Blender ends with 1 when one fails."""
    program = unittest.main(module="__main__", argv=["blender"], verbosity=2, exit=False)
    sys.stdout.flush()
    sys.stderr.flush()
    sys.exit(0 if program.result.wasSuccessful() else 1)
