"""Kills runs at random moments with SIGKILL and continues them: every result must be that of a run that was left alone,
and nothing may be left over.

SINEW_KILLS sets how many kills are made in all (20); SINEW_KILL_SEED the moments."""
import os
import random
import shutil
import signal
import subprocess
import time
import unittest

from common import SINEW, Case

KILLS = int(os.environ.get("SINEW_KILLS", "20"))
SEED = int(os.environ.get("SINEW_KILL_SEED", "1"))


class Kill(Case):
    def contents(self, names):
        result = {}
        for name in names:
            with open(self.path(name), "rb") as file:
                result[name] = file.read()
        return result

    def everything(self):
        """Files in the folder and those below it."""
        return [os.path.relpath(os.path.join(place, name), self.folder)
                for place, _, names in os.walk(self.folder) for name in names]

    def running(self):
        """Processes that were left over."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{pid}/cwd") == os.path.realpath(self.folder):
                    found.append(pid)
            except OSError:
                pass
        return found

    def whole(self, arguments, out):
        """A run that is left alone, and how long it took."""
        start = time.monotonic()
        self.sinew(*arguments, "-o", out)
        return time.monotonic() - start

    def killed(self, arguments, seconds):
        """Whether the run was still there to be killed."""
        process = subprocess.Popen([SINEW, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=seconds)
            return False
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            return True

    def check(self, arguments, names, kills, resume=True, ending=""):
        """names: what a run called out leaves behind. ending: of what -o gives."""
        chance = random.Random(SEED * 1000 + len(arguments))
        seconds = self.whole(arguments, "whole" + ending)
        wanted = self.contents([name.replace("out", "whole", 1) for name in names])
        made = continued = 0
        while made < kills:
            for name in os.listdir(self.folder):
                if name == "out":
                    shutil.rmtree(self.path(name))
                elif name.startswith("out"):
                    os.remove(self.path(name))
            again = list(arguments) + ["-o", "out" + ending]
            for attempt in range(3):  # the same run may be killed more than once
                made += self.killed(again, chance.uniform(0, 1.1) * seconds)
                if resume and "--resume" not in again:
                    again.append("--resume")
                if made >= kills:
                    break
            result = self.sinew(*again)
            continued += "continued after" in result.stdout
            for name, text in self.contents(names).items():
                there = wanted[name.replace("out", "whole", 1)]
                if name.endswith(".report.txt"):  # but for how long it took
                    text, there = (b"\n".join(line for line in x.split(b"\n") if not line.startswith(b"computed"))
                                   for x in (text, there))
                self.assertEqual(text, there, f"{name} after {made} kills")
            orphans = [name for name in self.everything() if name.startswith("out") and name not in names]
            self.assertEqual([name for name in orphans if not name.endswith((".json", ".log", "sweep.txt"))], [])
            self.assertEqual(self.running(), [])
        print(f"{arguments[0]}: {made} kills, {continued} runs continued", flush=True)
        return continued

    def test_track(self):
        self.write("bend.pose.csv", "time,PIP.flexion\n0,0\n1,30\n4,0\n")
        kills = KILLS - 5 * (KILLS // 10) - KILLS // 4
        self.check(["track", "finger", "bend.pose.csv"], ["out.replay.xml", "out.sto", "out.report.txt"], kills)

    def test_track_clinical(self):
        self.check(["track", "hand-clinical", "pinch", "--nerve", "ulnar-low", "--fatigue", "--repeat", "2"],
                   ["out.replay.xml", "out.sto", "out.report.txt"], KILLS // 10)

    def test_track_body(self):
        self.check(["track", "body", "nod", "--method", "body", "--end", "0.4"], ["out.replay.xml", "out.sto", "out.report.txt"],
                   KILLS // 10)

    def test_simulate(self):
        self.check(["simulate", "finger", "--time", "4", "--activation", "FDP2=0:0,1:0.2,2:0.05", "--frame-rate", "100"],
                   ["out.replay.xml", "out.sto"], KILLS // 4)

    def test_skin(self):
        self.sinew("track", "hand", "fist", "-o", "hand", "--end", "0.1")
        self.check(["skin", "hand", "hand.replay.xml"], ["out.pc2"], KILLS // 10, resume=False, ending=".pc2")

    def test_flesh(self):
        self.sinew("track", "hand", "fist", "-o", "hand", "--frames", "20:23")
        self.check(["flesh", "hand", "hand.replay.xml", "--spacing", "9.5"], ["out.pc2"], KILLS // 10, ending=".pc2")

    def test_sweep(self):
        self.write("bend.pose.csv", "time,PIP.flexion\n0,0\n0.5,30\n2,0\n")
        names = ["out/sweep.tsv", "out/muscles.tsv", "out/histogram.svg"]
        names += [f"out/000{k}.{ending}" for k in range(4) for ending in ("sto", "replay.bin", "report.txt")]
        self.check(["sweep", "finger", "bend.pose.csv", "--vary", "pcsa=5%", "--vary", "via=0.5%", "--draws", "3"], names,
                   KILLS // 10)


if __name__ == "__main__":
    unittest.main()
