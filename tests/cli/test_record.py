"""What a run leaves behind: the same columns for every command, nothing lost, nothing of others touched."""
import os
import subprocess
import time
import unittest

from common import SINEW, Case

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


if __name__ == "__main__":
    unittest.main()
