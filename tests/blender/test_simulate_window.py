# SPDX-License-Identifier: GPL-3.0-or-later
"""With a window: runs go on while Blender stays usable, show progress, are cancelled, and end in a bake."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common
import window

FINGER = '''
import shot, signal
from sinew import background, model, prefs
class Case:
    def path(self, name):
        return os.path.join(folder, name)
armature = shot.finger(Case(), frames=FRAMES)
scene = bpy.context.scene
def begun(least=0):
    """Waits until Blender shows progress. Meanwhile the command runs in short slices, and is held in the end, since it
    could be done before a slow Blender has drawn its window once; goes_on() lets it run."""
    while bpy.context.window_manager.sinew_progress <= least:
        os.kill(background.current.run.pid, signal.SIGCONT)
        time.sleep(0.04)
        os.kill(background.current.run.pid, signal.SIGSTOP)
        yield
        yield
def goes_on():
    os.kill(background.current.run.pid, signal.SIGCONT)
'''


class Window(common.Case):
    def run_script(self, script, frames=12):
        return window.run(self.folder, FINGER.replace("FRAMES", str(frames)) + script)

    def test_track_in_the_background(self):
        """Blender draws and takes edits while the command runs; then the strands are baked."""
        found = self.run_script('''
def script():
    found["answer"] = invoke(bpy.ops.sinew.track)
    yield from begun(0.1)
    scene.collection.objects.link(bpy.data.objects.new("edit", None))  # the user works on
    bpy.ops.ed.undo_push(message="edit")
    yield
    found["progress"] = bpy.context.window_manager.sinew_progress
    goes_on()
    yield from until(lambda: not background.current)
    found["message"] = bpy.context.window_manager.sinew_message
    found["baked"] = sum(1 for t in model.strands(scene) if t.data.animation_data)
    found["edit"] = "edit" in scene.objects
    found["replay"] = os.path.exists(scene.sinew.replay)
''', frames=900)
        self.assertEqual(found["answer"], ["RUNNING_MODAL"])
        self.assertTrue(0.1 < found["progress"] < 1, found["progress"])
        self.assertEqual((found["baked"], found["edit"], found["replay"]), (8, True, True))
        self.assertIn("900 frames of 8 strands", found["message"])

    def test_cancel_and_undo(self):
        found = self.run_script('''
def script():
    before = shot.snapshot()
    invoke(bpy.ops.sinew.track)
    yield from begun()
    found["again"] = list(bpy.ops.sinew.track.poll() for _ in (1,))
    run = background.current.run
    bpy.ops.sinew.cancel()
    os.kill(run.pid, signal.SIGCONT)
    yield from until(lambda: not background.current)
    found["message"] = bpy.context.window_manager.sinew_message
    found["same"] = shot.difference(before, shot.snapshot()) == {}
    found["left"] = [n for n in os.listdir(os.path.join(folder, "files")) if "-new" in n]
    scene.frame_end = 12
    bpy.ops.ed.undo_push(message="before")
    before = shot.snapshot()
    invoke(bpy.ops.sinew.track)
    yield from until(lambda: not background.current)
    yield
    found["baked"] = shot.difference(before, shot.snapshot()) != {}
    with bpy.context.temp_override(**override()):
        bpy.ops.ed.undo()
    yield
    after = shot.snapshot()
    found["undone"] = shot.difference(before, after) == {}
    if not found["undone"]:
        found["difference"] = str(shot.difference(before, after))[:2000]
''', frames=2000)
        self.assertEqual(found["message"], "Cancelled")
        self.assertTrue(found["same"])
        self.assertEqual((found["left"], found["again"]), ([], [False]))
        self.assertTrue(found["baked"])
        self.assertTrue(found["undone"], found.get("difference"))

    def test_killed_by_another_file(self):
        """Loading a file ends the run and nobody takes its result."""
        found = self.run_script('''
def script():
    invoke(bpy.ops.sinew.track)
    yield from begun()
    run = background.current.run
    goes_on()
    bpy.ops.wm.read_homefile(use_empty=True)
    yield
    found["current"], found["running"] = background.current is None, run.running
    for _ in range(10):
        yield
''', frames=2000)
        self.assertTrue(found["current"])
        self.assertFalse(found["running"])

    def test_killed_command(self):
        found = self.run_script('''
def script():
    found["expects errors"] = True
    before = shot.snapshot()
    invoke(bpy.ops.sinew.track)
    yield from begun()
    os.kill(background.current.run.pid, signal.SIGKILL)
    yield from until(lambda: not background.current)
    found["message"] = bpy.context.window_manager.sinew_message
    found["same"] = shot.difference(before, shot.snapshot()) == {}
''', frames=2000)
        self.assertIn("was killed (SIGKILL)", found["message"])
        self.assertTrue(found["same"])


if __name__ == "__main__":
    common.main()
