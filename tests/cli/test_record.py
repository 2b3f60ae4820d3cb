"""What a run leaves behind: the same columns for every command, nothing lost, nothing of others touched."""
import json
import os
import resource
import struct
import subprocess
import time
import unittest

from common import SINEW, SOURCE, Case

BEND = "time,PIP.flexion\n0,0\n0.3,30\n0.6,0\n"


class Columns(Case):
    """One recorder: whatever wrote a replay, every plot of it works."""

    def check(self, *command):
        self.sinew(*command, "-o", "out")
        names, rows = self.read_sto("out.sto")
        for prefix in ("activation", "force_origin", "force_insertion", "tension", "length", "coordinate"):
            self.assertTrue([n for n in names if n.startswith(prefix + "/")], prefix)
        for what in ("activation", "force", "tension", "length", "angle"):
            for source in ("out.replay.xml", "out.sto"):
                self.sinew("plot", source, "--what", what, "-o", f"{what}.svg")
                self.assertIn("<svg", self.read(f"{what}.svg"))
        return names, rows

    def test_track(self):
        self.write("bend.pose.csv", BEND)
        names, rows = self.check("track", "finger", "bend.pose.csv")
        flexion = [row[names.index("coordinate/PIP.0")] for row in rows]
        self.assertAlmostEqual(max(flexion), 0.5236, delta=0.02)  # the 30 degrees that were asked for
        for name in names:
            if name.startswith("tension/"):
                strand = name.split("/")[1]
                for row in rows:  # the mean of the pull at both ends, which are lengths of forces
                    ends = (row[names.index("force_origin/" + strand)] + row[names.index("force_insertion/" + strand)]) / 2
                    self.assertAlmostEqual(row[names.index(name)], ends, delta=1e-6 + 0.02 * ends)

    def test_simulate(self):
        one, _ = self.check("simulate", "finger", "--time", "0.2", "--activation", "FDP2=0.1")
        self.write("bend.pose.csv", BEND)
        self.sinew("track", "finger", "bend.pose.csv", "-o", "other", "--end", "0.1")
        self.assertEqual(one, self.read_sto("other.sto")[0])


class Journal(Case):
    """OUT.resume."""

    def setUp(self):
        super().setUp()
        self.write("long.pose.csv", "time,PIP.flexion\n0,0\n0.5,30\n600,0\n")

    def killed(self, *command, least=300000):
        """A run that was killed when its journal had reached a size."""
        process = subprocess.Popen([SINEW, *command], cwd=self.folder, stdout=subprocess.DEVNULL)
        journal = self.path("out.resume")
        while not os.path.exists(journal) or os.path.getsize(journal) < least:
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        process.kill()
        process.wait()

    def test_killed_run_continues_bit_for_bit(self):
        self.killed("track", "finger", "long.pose.csv", "-o", "out")
        self.assertEqual(sorted(os.listdir(self.folder)), ["long.pose.csv", "out.resume"])
        answer = self.json("track", "finger", "long.pose.csv", "-o", "out", "--resume", "--frames", ":200")
        self.assertGreater(answer["resumed"], 0)
        self.sinew("track", "finger", "long.pose.csv", "-o", "whole", "--frames", ":200")
        for ending in (".replay.xml", ".sto"):
            self.assertEqual(self.read("out" + ending), self.read("whole" + ending))

    def test_files_that_are_missing_are_completed(self):
        """Killed between its files: the journal is still there, so that the others follow."""
        self.killed("track", "finger", "long.pose.csv", "-o", "out")
        frames = self.json("track", "finger", "long.pose.csv", "-o", "out", "--resume", "--frames", ":99")["frames"]
        self.assertEqual(frames, 100)
        os.remove(self.path("out.sto"))
        again = self.json("track", "finger", "long.pose.csv", "-o", "out", "--resume", "--frames", ":99")
        self.assertEqual(len(self.read_sto("out.sto")[1]), 100)
        self.assertEqual(again["frames"], 100)

    def test_changed_settings_are_refused(self):
        self.killed("track", "finger", "long.pose.csv", "-o", "out", "--strength", "FDP2=0.9")
        with open(self.path("out.resume"), "rb") as file:
            before = file.read()
        for change, what in [([], "strength was FDP2=0.9, now full"), (["--strength", "FDP2=0.8"], "now FDP2=0.8"),
                             (["--strength", "FDP2=0.9", "--feedback", "10"], "feedback was 100"),
                             (["--strength", "FDP2=0.9", "--weights", "1,1"], "weights was"),
                             (["--strength", "FDP2=0.9", "--step", "0.001"], "step was")]:
            result = self.sinew("track", "finger", "long.pose.csv", "-o", "out", "--resume", *change, code=3)
            self.assertIn(what, result.stderr)
        self.write("long.pose.csv", "time,PIP.flexion\n0,0\n0.5,31\n600,0\n")
        result = self.sinew("track", "finger", "long.pose.csv", "-o", "out", "--resume", "--strength", "FDP2=0.9", code=3)
        self.assertIn("motion was", result.stderr)
        with open(self.path("out.resume"), "rb") as file:
            self.assertEqual(file.read(), before)

    def test_file_of_others_is_left_alone(self):
        for command in (["track", "finger", "long.pose.csv", "--frames", ":3"], ["simulate", "finger", "--time", "0.1"]):
            self.write("out.resume", "my notes\n")
            for resume in ([], ["--resume"]):
                result = self.sinew(*command, "-o", "out", *resume, code=3)
                self.assertIn("not written by sinew", result.stderr)
                self.assertEqual(self.read("out.resume"), "my notes\n")

    def test_killed_before_its_head_was_whole(self):
        """What a run leaves that was killed after each of its first writes: nothing, its mark, the settings behind it."""
        command = ["track", "finger", "long.pose.csv", "--frames", ":3", "-o", "out"]
        self.killed("track", "finger", "long.pose.csv", "-o", "out")
        with open(self.path("out.resume"), "rb") as file:
            whole = file.read()
        for left in (b"", whole[:16], whole[:16] + bytes(48) + whole[64:2000], whole[:16] + bytes(48) + whole[64:]):
            for resume in ([], ["--resume"]):
                with open(self.path("out.resume"), "wb") as file:
                    file.write(left)
                self.assertEqual(self.json(*command, *resume)["frames"], 4)
                self.assertFalse(os.path.exists(self.path("out.resume")))
                os.remove(self.path("out.replay.xml"))

    def test_one_run_at_a_time(self):
        process = subprocess.Popen([SINEW, "track", "finger", "long.pose.csv", "-o", "out"], cwd=self.folder)
        while not os.path.exists(self.path("out.resume")) or os.path.getsize(self.path("out.resume")) < 100000:
            time.sleep(0.02)
        for resume in ([], ["--resume"]):
            result = self.sinew("track", "finger", "long.pose.csv", "-o", "out", *resume, code=3)
            self.assertIn("another run is writing", result.stderr)
        process.kill()
        process.wait()

    def test_memory_does_not_grow_with_the_frames(self):
        def peak(seconds):
            process = subprocess.Popen([SINEW, "simulate", "pendulum", "--time", str(seconds), "--frame-rate", "1000", "-o", "out",
                                        "--step", "0.001"], cwd=self.folder, stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
            self.assertEqual(status, 0)
            return usage.ru_maxrss / 1024
        self.assertLess(peak(60) - peak(0.1), 5)  # MB; 60,000 frames


class Forms(Case):
    """Replays in any form, for every command."""

    def test_every_command_takes_every_form(self):
        self.write("bend.pose.csv", BEND)
        for form, ending in (("xml", ".replay.xml"), ("gz", ".replay.xml.gz"), ("bin", ".replay.bin")):
            self.sinew("track", "finger", "bend.pose.csv", "-o", form, "--replay", form)
            replay = form + ending
            self.assertEqual(self.json("info", replay)["frames"], 31)
            self.sinew("plot", replay, "--what", "tension", "-o", "a.svg")
            self.sinew("plot", replay, "--what", "error", "-o", "a.svg")
            self.sinew("export", replay, "--to", "csv", "-o", f"{form}.csv")
            self.sinew("export", replay, "--to", "glb", "-o", f"{form}.glb")
            self.sinew("convert", replay, f"{form}.control.xml.gz")
            self.sinew("track", "finger", f"{form}.control.xml.gz", "-o", "again", "--frames", ":2")
            self.sinew("track", "finger", replay, "-o", "again", "--frames", ":2")
        self.sinew("convert", "gz.replay.xml.gz", "back.replay.xml")
        self.assertEqual(self.read("back.replay.xml"), self.read("xml.replay.xml"))  # not a bit is lost
        small, large = (os.path.getsize(self.path(n)) for n in ("bin.replay.bin", "xml.replay.xml"))
        self.assertLess(10 * small, large)

    def test_skin_of_a_compact_replay(self):
        self.sinew("track", "hand", "fist", "-o", "h", "--end", "0.04")
        self.sinew("convert", "h.replay.xml", "h.replay.bin")
        for ending in ("xml", "bin"):
            self.sinew("skin", "hand", f"h.replay.{ending}", "-o", f"{ending}.pc2")
        with open(self.path("xml.pc2"), "rb") as a, open(self.path("bin.pc2"), "rb") as b:
            one, two = a.read(), b.read()
        self.assertEqual(len(one), len(two))
        apart = [abs(x - y) for (x,), (y,) in zip(struct.iter_unpack("<f", one[32:]), struct.iter_unpack("<f", two[32:]))]
        self.assertLess(sum(apart) / len(apart), 1e-6)
        # A point of the skin is raised by the tendon nearest to it, and where two are equally near a change of 0.1 um lets it
        # jump: a matter of the skin, not of the format, and so of few points (0.14 mm at most, 0.3 % of them, measured).
        self.assertLess(sum(x > 1e-6 for x in apart), 0.005 * len(apart))
        self.assertLess(max(apart), 3e-4)

    def test_reference_that_is_not_a_file_is_refused_at_once(self):
        self.sinew("convert", "finger", "m.muscle.xml")
        text = self.read("m.muscle.xml")
        for device in ("/dev/zero", "/dev/stdin"):
            self.write("bad.muscle.xml", text.replace("<Muscle ", f'<Muscle scene="{device}" ', 1))
            start = time.monotonic()
            result = self.sinew("check", "bad.muscle.xml", code=3, stdin=subprocess.DEVNULL)
            self.assertIn("not a regular file", result.stdout + result.stderr)
            self.assertLess(time.monotonic() - start, 2)


class Rates(Case):
    def test_device_that_has_no_end_is_refused_at_once(self):
        for name in ("z.contours.xml", "z.nii", "z.nrrd", "z.csv", "z.case.xml", "z.library"):
            os.symlink("/dev/zero", self.path(name))
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        for command in (["surface", "z.contours.xml", "-o", "a.obj"], ["simulate", "pulley", "--activations", "z.csv", "-o", "a"],
                        ["contours", "z.nii", "--seed", "1,1,1", "-o", "a.contours.xml"],
                        ["contours", "z.nrrd", "--seed", "1,1,1", "-o", "a.contours.xml"],
                        ["track", "finger", "z.csv", "-o", "a"], ["hold", "hand-clinical", "fist", "--case", "z.case.xml"]):
            said = self.sinew(*command, code=3).stderr
            self.assertTrue("not a regular file" in said or "neither a file" in said, (command, said))
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 4)

    def test_a_pipe_is_read(self):
        text = "time,rope\n0,0\n1,0.1\n"
        result = subprocess.run([SINEW, "simulate", "pulley", "--time", "0.02", "--activations", "/dev/stdin", "-o", "a"], input=text,
                                cwd=self.folder, text=True, capture_output=True)
        self.assertIn(result.returncode, (0, 3), result.stderr)
        self.assertNotIn("regular file", result.stderr)

    def test_last_frame_of_a_bvh(self):
        self.write("tip.bvhmap", "Tip PIP.flexion 0 0 1\n")
        for frame_time in ("0.0333333", "0.033333", "0.0083333", "0.008333"):
            frames = "\n".join("0 0 0 %g 0 0" % (0.3 * i) for i in range(31))
            self.write("a.bvh", "HIERARCHY\nROOT Base\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT Tip\n{\n"
                       "OFFSET 1 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 1 0 0\n}\n}\n}\nMOTION\n"
                       f"Frames: 31\nFrame Time: {frame_time}\n{frames}\n")
            answer = self.json("track", "finger", "a.bvh", "--bvh-map", "tip.bvhmap", "-o", "out")
            self.assertEqual(answer["frames"], 31, frame_time)


class Streams(Case):
    """Standard streams, names, marks, links."""

    def test_closed_streams(self):
        """What is meant for a stream that is closed must not end up in a file that took its number."""
        self.sinew("simulate", "pulley", "--time", "0.1", "-o", "fine")
        for closed in (">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-"):
            command = f"{SINEW} simulate pulley --time 0.1 -o out --progress json {closed}"
            code = subprocess.run(["sh", "-c", command], cwd=self.folder, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL).returncode
            self.assertEqual(code, 0, closed)
            for ending in (".replay.xml", ".sto"):
                self.assertEqual(self.read("out" + ending), self.read("fine" + ending), closed)

    def test_success_is_said_after_success(self):
        self.sinew("simulate", "pulley", "--time", "0.1", "-o", "fine")
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        for command in (["convert", "fine.replay.xml", "a.csv"], ["convert", "fine.replay.xml", "a.control.xml"],
                        ["export", "fine.replay.xml", "--to", "pc2", "-o", "a.pc2"],
                        ["export", "fine.replay.xml", "--to", "csv", "-o", "b.csv"],
                        ["plot", "fine.sto", "-o", "a.svg"], ["simulate", "pulley", "--time", "0.1", "-o", "out"],
                        ["convert", "finger", "m.muscle.xml"]):
            result = self.sinew(*command, code=1, preexec_fn=limit)
            self.assertEqual(result.stdout, "", command)

    def test_escape_bytes_do_not_reach_the_terminal(self):
        evil = "a\x1b[31m\x07\x9b"
        result = self.sinew("info", evil, code=3)
        self.assertNotRegex(result.stderr, "[\x1b\x07\x7f-\x9f]")
        result = self.sinew(evil, code=2)
        self.assertNotRegex(result.stderr, "[\x1b\x07\x7f-\x9f]")
        self.write("m.csv", "time,activation/a\x7fb\xc2\x9b31mc\n0,0\n1,1\n")
        result = self.sinew("plot", "m.csv", "--muscle", "nobody\x1b]0;title\x07", "-o", "a.svg", code=3)
        self.assertNotRegex(result.stderr, "[\x1b\x07\x7f-\x9f]")

    def test_json_is_utf8(self):
        result = subprocess.run([SINEW, "info", b"\xff\xfe\xc3(.replay.xml", "--json"], cwd=self.folder, capture_output=True)
        answer = json.loads(result.stdout.decode("utf-8"))  # fails where it is not
        self.assertIn("error", answer)
        result = subprocess.run([SINEW, "info", "é\x1b.replay.xml", "--json"], cwd=self.folder, capture_output=True)
        self.assertIn("é", json.loads(result.stdout.decode("utf-8"))["error"]["file"])

    def test_byte_order_marks(self):
        mark = "\ufeff"
        self.write("poses.pose.csv", mark + BEND)
        drawn = []
        for start in ("", mark):
            self.write("law.csv", start + "0.5,0\n1,1\n1.5,2\n")
            self.sinew("plot", "law.csv", "--what", "force-length", "-o", "law.svg")
            drawn.append(self.read("law.svg"))
        self.assertEqual(*drawn)
        self.sinew("track", "finger", "poses.pose.csv", "-o", "out", "--frames", ":2")
        with open(self.path("wide.pose.csv"), "w", encoding="utf-16") as file:
            file.write(BEND)
        self.assertIn("UTF-16", self.sinew("track", "finger", "wide.pose.csv", "-o", "out", code=3).stderr)

    def test_byte_order_marks_of_meshes(self):
        corners = "vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
        texts = {"a.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
                 "a.stl": f"solid x\nfacet normal 0 0 1\nouter loop\n{corners}endloop\nendfacet\nendsolid x\n",
                 "a.ply": "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
                          "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"}
        for name, text in texts.items():
            for start in ("", "\ufeff"):
                self.write(name, start + text)
                self.assertIn("3 vertices, 1 triangles", self.sinew("convert", name, "b.obj").stdout)
            with open(self.path(name), "w", encoding="utf-16") as file:
                file.write(text)
            self.assertIn("UTF-16", self.sinew("convert", name, "b.obj", code=3).stderr, name)

    def test_links(self):
        os.mkdir(self.path("real"))
        self.write("real/target.csv", "old\n")
        os.symlink("real/target.csv", self.path("a.csv"))
        self.sinew("simulate", "pulley", "--time", "0.1", "-o", "fine")
        self.sinew("convert", "fine.replay.xml", "a.csv")
        self.assertTrue(os.path.islink(self.path("a.csv")))  # the link stays, what it leads to is new
        self.assertTrue(self.read("real/target.csv").startswith("time,"))
        self.assertEqual(os.listdir(self.path("real")), ["target.csv"])
        os.symlink("nowhere/at/all.csv", self.path("b.csv"))
        self.assertIn("b.csv", self.sinew("convert", "fine.replay.xml", "b.csv", code=1).stderr)

    def test_output_that_is_an_input(self):
        self.sinew("simulate", "pulley", "--time", "0.1", "-o", "fine")
        os.link(self.path("fine.replay.xml"), self.path("same.replay.xml"))
        os.symlink("fine.replay.xml", self.path("link.replay.xml"))
        before = self.read("fine.replay.xml")
        for other in ("fine.replay.xml", "./fine.replay.xml", "same.replay.xml", "link.replay.xml"):
            result = self.sinew("convert", "fine.replay.xml", other, code=2)
            self.assertIn("its own input", result.stderr)
        self.write("levels.csv", "time,rope\n0,0\n1,0.1\n")
        os.rename(self.path("levels.csv"), self.path("out.sto"))
        self.assertIn("its own input", self.sinew("simulate", "pulley", "--activations", "out.sto", "-o", "out", code=2).stderr)
        self.assertEqual(self.read("fine.replay.xml"), before)

    def refused_and_untouched(self, words, name, *command):
        with open(self.path(name), "rb") as file:
            before = file.read()
        self.assertIn(words, self.sinew(*command, code=2).stderr)
        with open(self.path(name), "rb") as file:
            self.assertEqual(file.read(), before, command)

    def test_second_output_that_is_an_input(self):
        self.sinew("track", "hand", "fist", "-o", "h", "--end", "0.02")
        self.refused_and_untouched("its own input", "h.replay.xml", "flesh", "hand", "h.replay.xml", "-o", "a.pc2", "--report",
                                   "h.replay.xml")
        self.refused_and_untouched("its own input", "h.replay.xml", "skin", "hand", "h.replay.xml", "-o", "a.pc2",
                                   "--save-weights", "h.replay.xml")
        self.sinew("hold", "hand-clinical", "fist", "--cut", "FDP2", "--save-case", "a.case.xml")
        for command in (["hold"], ["explore"], ["compensate"]):
            self.refused_and_untouched("its own input", "a.case.xml", *command, "hand-clinical", "fist", "--case", "a.case.xml",
                                       "--cut", "FDP3", "--save-case", "./a.case.xml")
        said = self.sinew("flesh", "hand", "h.replay.xml", "-o", "a.pc2", "--report", "a.pc2", code=2).stderr
        self.assertIn("are the same file", said)

    def test_output_that_is_a_part_of_the_model(self):
        subprocess.run(["python3", os.path.join(SOURCE, "tools", "make_tutorial.py"), self.folder, "--files"], check=True,
                       stdout=subprocess.DEVNULL)
        fill = ("strands", "arm.muscle.xml", "--mesh", "brachialis_mesh", "--from", "brachialis", "--count", "3", "--group", "b")
        for name in ("arm.muscle.xml", "arm.scene.xml"):
            self.refused_and_untouched("its own input", name, "studio", "arm.muscle.xml", "--save", "../" + os.path.basename(self.folder) + "/" + name)
            self.refused_and_untouched("its own input", name, "studio", "arm.muscle.xml", "--save", name)
        self.refused_and_untouched("its own input", "brachialis.obj", "studio", "arm.muscle.xml", "--save", "brachialis.obj")
        self.refused_and_untouched("its own input", "arm.muscle.xml", *fill, "-o", "arm.muscle.xml")

    def test_output_beside_slices(self):
        seed = ",".join(map(str, self.json("phantom", "spindle", "--size", "64,48,20", "-o", "stack")["seed"]))
        command = ("contours", "stack", "--seed", seed, "-o", "a.contours.xml")
        for picture in ("stack/slice_000.png", "stack/new.png", "./stack/../stack/new.png"):
            self.refused_and_untouched("among the slices", "stack/slice_000.png", *command, "--picture", picture)
        self.refused_and_untouched("true contours", "stack.truth.contours.xml", "contours", "stack", "--seed", seed, "-o",
                                   "stack.truth.contours.xml")
        self.assertEqual(sorted(os.listdir(self.folder)), ["stack", "stack.truth.contours.xml"])

    def test_reader_that_goes_away(self):
        """A pipe that is closed does not cost the files."""
        process = subprocess.Popen([SINEW, "simulate", "pulley", "--time", "0.2", "-o", "out"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.close()
        process.stderr.close()
        self.assertEqual(process.wait(), 0)
        self.assertLessEqual({"out.replay.xml", "out.sto"}, set(os.listdir(self.folder)))


class Numerics(Case):
    def test_steps_that_are_too_long_are_divided(self):
        """At 0.1 s the rope of the crane tears unless steps are taken in pieces; then it goes as with short steps."""
        result = self.sinew("simulate", "crane", "--step", "0.1", "--time", "2", "-o", "long")
        self.assertRegex(result.stdout, r"\d+ of these steps were too long .* taken in up to \d+ pieces")
        self.sinew("simulate", "crane", "--time", "2", "-o", "short")
        names, rows = self.read_sto("long.sto")
        expected = dict(zip(names, self.read_sto("short.sto")[1][-1]))
        for name, value in zip(names, rows[-1]):
            if name.startswith(("tension/", "length/")):
                self.assertAlmostEqual(value, expected[name], delta=0.01 * expected[name], msg=name)

    def test_positions_beyond_reach(self):
        self.sinew("convert", "pulley", "p.muscle.xml")
        scene = self.read("p.scene.xml")
        self.assertIn('translate="0 -0.22 0"', scene)
        self.write("p.scene.xml", scene.replace('translate="0 -0.22 0"', 'translate="0 -2e6 0"'))
        result = self.sinew("check", "p.muscle.xml", code=3)
        self.assertIn("farther than 1e6 m", result.stdout + result.stderr)
        self.write("far.control.xml", '<Control version="1"><Body name="load"/><Frame time="0"><Bodies>0 0 3e6 1 0 0 0</Bodies>'
                   "</Frame></Control>")
        self.assertIn("beyond 1e+06 m", self.sinew("info", "far.control.xml", code=3).stderr)


if __name__ == "__main__":
    unittest.main()
