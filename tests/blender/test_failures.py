# SPDX-License-Identifier: GPL-3.0-or-later
"""What can go wrong with a run: a message is shown, and the scene is as it was."""
import os
import resource
import stat
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy

import common
import shot
from sinew import command, model, prefs, replay


class Failures(shot.Shot):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.use, "")

    def use(self, path):
        """Sets the command in the preferences."""
        bpy.context.preferences.addons["sinew"].preferences.command = path
        prefs._found.clear()

    def fake(self, body, version="0.1.0"):
        """A program that says it is sinew and otherwise does what the body says."""
        path = self.path("sinew")
        with open(path, "w") as file:
            file.write(f'#!/bin/sh\nif [ "$1" = --version ]; then echo "sinew {version}"; exit; fi\n{body}\n')
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        self.use(path)
        return path

    def check_refused(self, pattern, operator=None):
        """The operator fails with such a message and has changed nothing, in the scene or in what was written before."""
        before = shot.snapshot()
        message = ""
        try:
            self.assertEqual((operator or bpy.ops.sinew.track)(), {"CANCELLED"})
            message = bpy.context.window_manager.sinew_message
        except RuntimeError as trouble:
            message = str(trouble)
            self.assertIn(bpy.context.window_manager.sinew_message, message)
        self.assertRegex(message, pattern)
        self.assertNotIn("Traceback", message)
        self.assert_same(before, shot.snapshot())
        files = self.path("files")
        left = [name for name in os.listdir(files) if "-new" in name] if os.path.isdir(files) else []
        self.assertEqual(left, [])

    def test_command_is_missing(self):
        self.use(self.path("nowhere"))
        self.check_refused("There is no command .*nowhere.*preferences")
        self.check_refused("There is no command", bpy.ops.sinew.simulate)

    def test_command_goes_away(self):
        os.remove(self.fake(""))
        self.check_refused("There is no command")

    def test_wrong_version(self):
        self.fake("", "9.0.0")
        self.check_refused(r"has version 9\.0\.0; this add-on needs 0\.1\.0")

    def test_killed_in_the_middle(self):
        self.fake("echo '{\"stage\": \"track\", \"done\": 1, \"total\": 4}' >&2; kill -KILL $$")
        self.check_refused(r"was killed \(SIGKILL\)")

    def test_crash(self):
        self.fake('echo "sinew: about to fall" >&2; kill -SEGV $$')
        self.check_refused(r"crashed \(SIGSEGV\): about to fall")

    def test_says_nothing(self):
        self.fake("exit 0")
        self.check_refused("without a result")

    def test_disk_full_for_the_command(self):
        self.fake(f'ulimit -f 8; exec {common.SINEW} "$@"')
        self.check_refused("writ|too large|full")

    def test_disk_full_for_blender(self):
        """No file may grow over a kilobyte."""
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, limit[1]))
        try:
            self.check_refused("too large|cannot be written|full")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        self.assertEqual(bpy.ops.sinew.track(), {"FINISHED"})

    def test_disk_full_while_caches_are_written(self):
        bpy.ops.sinew.track()
        self.settings.strands = "CACHE"
        bpy.ops.sinew.bake()
        before = shot.snapshot()
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limit[1]))
        try:
            with self.assertRaisesRegex(RuntimeError, "too large"):
                bpy.ops.sinew.bake()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        self.assert_same(before, shot.snapshot())
        for thing in model.strands(self.scene):
            found = replay.read_pc2(bpy.path.abspath(thing.modifiers[0].filepath))
            self.assertEqual(len(found), 12)

    def test_folder_cannot_be_made(self):
        with open(self.path("file"), "w"):
            pass
        self.scene.sinew.folder = self.path("file/inside")
        self.check_refused("file/inside|Not a directory")

    def test_model_is_invalid(self):
        strand = model.strands(self.scene)[0]
        strand.sinew.strand.belly_start, strand.sinew.strand.belly_end = 0.9, 0.1
        self.check_refused("belly")
        self.check_refused("belly", bpy.ops.sinew.simulate)

    def test_nothing_to_follow(self):
        self.scene.frame_end = self.scene.frame_start
        self.check_refused("no motion")
        self.check_refused("no motion", bpy.ops.sinew.simulate)

    def test_cancelled(self):
        """In the middle of a run, as the Cancel button does it."""
        poll = command.Run.poll

        def cancelled(run):
            if run.fraction > 0:
                run.cancel()
            return poll(run)
        command.Run.poll = cancelled
        self.addCleanup(setattr, command.Run, "poll", poll)
        self.scene.frame_end = 2000
        self.check_refused("Cancelled")

    def test_earlier_result_stays(self):
        """After a run that went well, one that fails leaves the bake and its files alone."""
        bpy.ops.sinew.track()
        path = self.scene.sinew.replay
        with open(path, "rb") as file:
            before = file.read()
        self.fake("exit 1")
        self.check_refused("failed with code 1")
        with open(path, "rb") as file:
            self.assertEqual(file.read(), before)
        self.assert_baked()

    def test_replay_that_does_not_fit(self):
        bpy.ops.sinew.track()
        points = model.strands(self.scene)[3].data.splines[0].points
        before = shot.snapshot()
        points.add(1)
        bpy.context.view_layer.update()
        before = shot.snapshot()
        for operator in (bpy.ops.sinew.bake, lambda: bpy.ops.sinew.import_replay(filepath=self.scene.sinew.replay)):
            with self.assertRaisesRegex(RuntimeError, "control points, but .* in the replay"):
                operator()
            self.assert_same(before, shot.snapshot())

    def test_replays_that_are_none(self):
        bpy.ops.sinew.track()
        with open(self.scene.sinew.replay, encoding="utf-8") as file:
            text = file.read()
        cases = {"cut": (text[:len(text) // 2], "truncated"), "other": ("<a/>", "neither"), "empty": ("", "neither"),
                 "nan": (text.replace("<Points>\n", "<Points>\nnan ", 1), "numbers in <Points>"),
                 "word": (text.replace("<Points>\n", "<Points>\nhello ", 1), "not a number"),
                 "time": (text.replace('<Frame time="0.02">', '<Frame time="-1">'), "do not increase")}
        before = shot.snapshot()
        for name, (content, pattern) in cases.items():
            path = self.path(name + ".replay.xml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
            with self.assertRaisesRegex(RuntimeError, pattern, msg=name):
                bpy.ops.sinew.import_replay(filepath=path)
        with self.assertRaisesRegex(RuntimeError, "No such file"):
            bpy.ops.sinew.import_replay(filepath=self.path("nowhere.replay.xml"))
        self.assert_same(before, shot.snapshot())


if __name__ == "__main__":
    common.main()
