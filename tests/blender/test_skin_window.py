# SPDX-License-Identifier: GPL-3.0-or-later
"""With a window: the live preview of the skin, and AutoStrands watched, tuned, finished and cancelled."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common
import window

SKIN = '''
import numpy
import shot
from sinew import background, capture, model, skin
import test_skin
class Case:
    def path(self, name):
        return os.path.join(folder, name)
armature = shot.finger(Case())
scene = bpy.context.scene
base = test_skin.tube(scene, armature)
bpy.ops.sinew.track()
settings = scene.sinew_skin
def points():
    return capture.vertices(settings.deformed.data)
def script():
    scene.frame_set(1)
    settings.preview = True
    yield from until(lambda: skin.preview.asked == 1)
    first = points()
    settings.prominence = 3.0
    yield from until(lambda: skin.preview.asked >= 2 and not skin.preview.dirty and not skin.preview.run)
    found["prominence"] = float(numpy.abs(points() - first).max())
    asked = skin.preview.asked
    for _ in range(20):
        yield
    found["idle"] = skin.preview.asked - asked  # it does not call for itself
    scene.frame_set(9)
    yield from until(lambda: skin.preview.asked > asked and not skin.preview.dirty and not skin.preview.run)
    found["frame"] = float(numpy.abs(points() - first).max())
    scene.sinew.model.skin_a = 0.0
    settings.belly = 0.0
    yield from until(lambda: not skin.preview.dirty and not skin.preview.run)
    flat = points()
    found["height"] = float(numpy.abs(points() - first).max())
    settings.preview = False
    yield
    found["folder"] = skin.preview.folder is None
'''

FILL = '''
import muscle
import shot
from sinew import autostrands, background, model, scene_import
scene = bpy.context.scene
for thing in list(bpy.data.objects):
    bpy.data.objects.remove(thing)
scene_import.import_model(bpy.context, muscle.write(folder))
bpy.context.view_layer.update()
mesh = muscle.add_mesh(scene, model.of_kind(scene, "MODEL")[0])
settings = scene.sinew_fill
settings.duplicates, settings.samples, settings.control_points, settings.group = 8, 12, 8, "belly"
bpy.context.view_layer.update()
def pick():
    muscle.select(model.strands(scene)[0], mesh)
def shown():
    thing = bpy.data.objects.get(autostrands.PREVIEW)
    return [tuple(p.co) for s in thing.data.splines for p in s.points] if thing else []
def script():
    pick()
    before = shot.snapshot()
    found["answer"] = invoke(bpy.ops.sinew.autostrands)
    yield from until(lambda: len(shown()) == 64)
    first = shown()
    yield from until(lambda: background.current.note and "converged" in background.current.note)
    found["moved"] = max(abs(x - y) for a, b in zip(first, shown()) for x, y in zip(a, b))
    settings.control_points = 6
    settings.stiffness = 150.0
    yield from until(lambda: len(shown()) == 48)
    settings.pause = True
    for _ in range(6):
        yield
    held = background.current.note
    for _ in range(6):
        yield
    found["held"] = background.current.note == held
    bpy.ops.sinew.cancel()
    yield from until(lambda: not background.current)
    found["same"] = str(shot.difference(before, shot.snapshot()))
    pick()
    invoke(bpy.ops.sinew.autostrands)
    yield from until(lambda: len(shown()) > 0)
    bpy.ops.sinew.autostrands_finish()
    yield from until(lambda: not background.current)
    made = [t for t in model.strands(scene) if t.sinew.strand.enabled]
    found["made"], found["left"] = len(made), autostrands.PREVIEW in bpy.data.objects
    found["message"] = bpy.context.window_manager.sinew_message
'''


class Window(common.Case):
    def test_preview(self):
        found = window.run(self.folder, SKIN)
        self.assertGreater(found["prominence"], 2e-4)
        self.assertEqual(found["idle"], 0)
        self.assertGreater(found["frame"], 1e-3)
        self.assertTrue(found["folder"])

    def test_autostrands(self):
        found = window.run(self.folder, FILL)
        self.assertEqual(found["answer"], ["RUNNING_MODAL"])
        self.assertGreater(found["moved"], 1e-4)
        self.assertTrue(found["held"])
        self.assertEqual(found["same"], "{}")
        self.assertEqual((found["made"], found["left"]), (8, False))
        self.assertIn("8 strands after", found["message"])


if __name__ == "__main__":
    common.main()
