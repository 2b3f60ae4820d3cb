# SPDX-License-Identifier: GPL-3.0-or-later
"""How long baking and exporting take: prints a line for each. Run by hand, as the tests are:

    tools/run_tests blender bench

The figures asked for: 54 strands of 12 points over 240 frames in under 1 s as F-curves and under 0.2 s as point caches;
the export of a shot of 240 frames of the hand in under 3 s. Of each the best of three counts: other work on the machine
only ever adds to a time."""
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
import numpy

import common

common.enable()

from sinew import bake, bake_bodies, results, scene_export, scene_import

STRANDS, POINTS, FRAMES = 54, 12, 240


def best(action, times=3):
    found = []
    for _ in range(times):
        started = time.perf_counter()
        action()
        found.append(time.perf_counter() - started)
    return min(found)


def make_strands():
    things = []
    for i in range(STRANDS):
        curve = bpy.data.curves.new(f"strand {i}", "CURVE")
        curve.dimensions = "3D"
        spline = curve.splines.new("NURBS")
        spline.points.add(POINTS - 1)
        spline.order_u, spline.use_endpoint_u = 4, True
        thing = bpy.data.objects.new(curve.name, curve)
        bpy.context.scene.collection.objects.link(thing)
        things.append(thing)
    return things


def bench_bakes(folder):
    things, frames = make_strands(), numpy.arange(1, FRAMES + 1)
    random = numpy.random.default_rng(1)
    points = random.normal(size=(STRANDS, FRAMES, POINTS, 3))

    def curves():
        for thing, rows in zip(things, points):
            bake.bake_strand_curves(thing, frames, rows)

    def caches():
        for i, (thing, rows) in enumerate(zip(things, points)):
            bake.bake_strand_cache(thing, frames, rows, os.path.join(folder, f"{i}.pc2"))

    def clear():
        for thing in things:
            bake.clear_strand(thing)
    size = f"{STRANDS} x {POINTS} points x {FRAMES} frames"
    print(f"bake as F-curves, {size}: {best(curves):.3f} s (asked for: 1 s)")
    clear()
    print(f"bake as point caches, {size}: {best(caches):.3f} s (asked for: 0.2 s)")
    clear()


def bench_export(folder):
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene_import.import_model(bpy.context, scene_import.shipped_model(bpy.context, "hand"), "fist")
    scene.frame_end = FRAMES

    def export():
        scene_export.export_model(bpy.context, folder, "hand")
        with bake_bodies.animators_motion(scene):
            scene_export.export_motion(bpy.context, os.path.join(folder, "hand.control.xml"), 1, FRAMES)
    print(f"export of the hand and {FRAMES} frames of motion: {best(export):.2f} s (asked for: 3 s)")
    scene.sinew.folder = folder
    scene.frame_end = 24
    bpy.ops.sinew.track()
    scene.frame_end = FRAMES
    print(f"the same with baked strands: {best(export, 1):.2f} s")
    replay = results.replays.read(scene.sinew.replay)

    def again():
        results.bake_replay(bpy.context, scene, replay, 1, False)
    print(f"bake of the hand as F-curves, {replay.points.shape[1]} points x {len(replay.time)} frames: {best(again):.2f} s")


class Bench(common.Case):
    def test_bench(self):
        bench_bakes(self.folder)
        bench_export(self.folder)


if __name__ == "__main__":
    common.main()
