# SPDX-License-Identifier: GPL-3.0-or-later
"""The command as a process: found, missing, of the wrong version, failing, crashing, killed, cancelled, full disk."""
import os
import signal
import stat
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common

sys.path.insert(0, os.path.join(common.SOURCE, "blender"))

from sinew import command


class Command(common.Case):
    def fake(self, body, version="0.1.0"):
        """A program that says it is sinew and does what the body says in any other case."""
        path = self.path("sinew")
        with open(path, "w") as file:
            file.write(f'#!/bin/sh\nif [ "$1" = --version ]; then echo "sinew {version}"; exit; fi\n{body}\n')
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def failure(self, path, *arguments):
        with self.assertRaises(command.CommandError) as caught:
            command.run(path, arguments)
        return str(caught.exception)

    # -- finding

    def test_finds_what_the_preference_names(self):
        self.assertEqual(command.find(common.SINEW), common.SINEW)
        self.assertEqual(command.find(os.path.dirname(common.SINEW)), common.SINEW)

    def test_missing(self):
        with self.assertRaisesRegex(command.CommandError, "There is no command .*nowhere.*preferences"):
            command.find(self.path("nowhere"))

    def test_not_a_program(self):
        path = self.path("text")
        with open(path, "w") as file:
            file.write("hello")
        with self.assertRaisesRegex(command.CommandError, "not a program that may be run"):
            command.find(path)
        os.chmod(path, 0o755)
        with self.assertRaisesRegex(command.CommandError, "cannot be run"):
            command.find(path)

    def test_another_program(self):
        with self.assertRaisesRegex(command.CommandError, "is not the sinew command"):
            command.find("/bin/true")

    def test_wrong_version(self):
        for version in ("0.0.9", "7.2.0"):
            with self.assertRaisesRegex(command.CommandError, rf"has version {version}; this add-on needs 0\.1\.0"):
                command.find(self.fake("", version))
        self.assertTrue(command.find(self.fake("", "0.9.1")))

    # -- running

    def test_result_and_progress(self):
        seen = []
        result = command.run(common.SINEW, ["simulate", "pulley", "--time", "1", "-o", self.path("out")],
                             on_progress=lambda run: seen.append(run.fraction))
        self.assertTrue(os.path.exists(self.path("out.replay.xml")))
        self.assertIn("steps", " ".join(result))
        self.assertTrue(all(0 <= part <= 1 for part in seen))

    def test_bad_input_says_what_and_where(self):
        with open(self.path("bad.muscle.xml"), "w") as file:
            file.write('<Muscle version="1"><Strand name="a" density="-3"/></Muscle>')
        text = self.failure(common.SINEW, "simulate", self.path("bad.muscle.xml"))
        self.assertIn("density", text)

    def test_error_without_an_object(self):
        text = self.failure(self.fake('echo "sinew: the moon is full" >&2; exit 1'))
        self.assertEqual(text, "The sinew command failed with code 1: the moon is full")

    def test_no_result(self):
        self.assertIn("without a result", self.failure(self.fake("exit 0")))

    def test_garbage_is_passed_over(self):
        body = 'echo "{not json"; echo "{}" >&2; printf "\\377\\376\\n"; echo "[1]"; echo "{\\"fine\\": 1}"'
        self.assertEqual(command.run(self.fake(body), []), {"fine": 1})

    def test_crash(self):
        self.assertIn("crashed (SIGSEGV)", self.failure(self.fake("kill -SEGV $$")))

    def test_killed_in_the_middle(self):
        run = command.Run(self.fake("echo '{\"stage\": \"track\", \"done\": 1, \"total\": 4}' >&2; sleep 60"), [])
        while run.poll() and run.fraction == 0:
            time.sleep(0.01)
        self.assertEqual(run.fraction, 0.25)
        os.killpg(run.pid, signal.SIGKILL)  # the shell and its sleep
        with self.assertRaisesRegex(command.CommandError, r"was killed \(SIGKILL\)"):
            run.wait()

    def test_cancel_stops_the_command(self):
        run = command.Run(common.SINEW, ["simulate", "sheet", "--time", "1000", "--json", "--progress", "json"])
        with self.assertRaises(command.Cancelled):
            run.wait(on_progress=lambda r: r.fraction > 0)
        self.assertFalse(run.running)

    def test_cancel_kills_what_does_not_listen(self):
        run = command.Run(self.fake("trap '' INT TERM; exec 1>&- 2>&-; while :; do sleep 0.1; done"), [])
        old, command.GRACE = command.GRACE, 0.2
        try:
            with self.assertRaises(command.Cancelled):
                run.wait(on_progress=lambda r: True)
        finally:
            command.GRACE = old
        self.assertFalse(run.running)

    def test_closed_when_the_caller_fails(self):
        run = command.Run(self.fake("exec sleep 60"), [])
        with self.assertRaises(ZeroDivisionError):
            run.wait(on_progress=lambda r: 1 / 0)
        self.assertFalse(run._process.poll() is None)

    def test_full_disk(self):
        """Nothing can be written: the file may not grow over a kilobyte."""
        body = f'ulimit -f 2; exec {common.SINEW} "$@"'
        text = self.failure(self.fake(body), "simulate", "pulley", "--time", "1", "-o", self.path("out"))
        self.assertRegex(text, "writ|File too large|full")
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("out")], [])

    def test_talking(self):
        run = command.Run(self.fake('read a; echo "$a"; read b; echo "$b"'), [], talk=True)
        self.assertTrue(run.send({"one": 1}))
        self.assertTrue(run.send({"two": [2, 3]}))
        self.assertEqual(run.wait(), {"two": [2, 3]})
        self.assertEqual(run.take_objects(), [{"one": 1}, {"two": [2, 3]}])
        self.assertFalse(run.send({}))


if __name__ == "__main__":
    common.main()
