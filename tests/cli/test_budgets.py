"""Files and names that mean harm, or only look odd: each is refused or handled in bounded time and memory, with a word."""
import gzip
import os
import signal
import subprocess
import time
import unittest

from common import SINEW, Case

TURN = "\u202e"


class Budgets(Case):
    def measured(self, *arguments, code):
        """(what it said, its largest memory in kB)"""
        process = subprocess.Popen([SINEW, *arguments], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        text = process.stdout.read().decode()
        process.stdout.close()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, code, text)
        return text, used.ru_maxrss

    def test_one_long_attribute_costs_no_more_than_the_file_without_it(self):
        self.sinew("simulate", "pulley", "--time", 0.1, "-o", "run")
        _, least = self.measured("info", "run.replay.xml", code=0)
        text = self.read("run.replay.xml")
        at = text.index(">", text.index("<Replay"))
        for name, before, behind in (("tag", ' author="', '"'), ("comment", "><!--", "--")):
            with gzip.open(self.path("long.replay.xml.gz"), "wb", 1) as file:
                file.write((text[:at] + before).encode())
                for _ in range(320):  # in pieces: what this process had at its largest counts for its child
                    file.write(b"a" * 100000)
                file.write((behind + text[at:]).encode())
            said, memory = self.measured("info", "long.replay.xml.gz", code=3)
            self.assertIn("a tag or comment of more than 1048576 bytes", said)
            self.assertLess(memory, least + 65536, name)

    def test_a_pipe_in_the_cache_keeps_nobody_waiting(self):
        environment = dict(os.environ, XDG_CACHE_HOME=self.path("cache"))
        self.sinew("simulate", "finger", "--time", 0.02, env=environment)
        folder = self.path("cache/sinew")
        names = os.listdir(folder)
        self.assertTrue(names)
        for name in names:
            os.remove(os.path.join(folder, name))
            os.mkfifo(os.path.join(folder, name))
        self.sinew("simulate", "finger", "--time", 0.02, env=environment, timeout=60)

    def test_a_trailing_slash_is_no_name(self):
        os.mkdir(self.path("d"))
        for command in (("simulate", "pulley", "--time", 0.02), ("track", "finger", "none.pose.csv")):
            said = self.sinew(*command, "-o", "d/", code=2).stderr
            self.assertIn("-o d/: this is a folder", said)
            self.sinew(*command, "-o", "", code=2)
        self.assertEqual(os.listdir(self.path("d")), [])
        self.sinew("phantom", "spindle", "-o", "slices/")  # this writes a folder
        self.assertGreater(len(os.listdir(self.path("slices"))), 1)

    def model_with(self, name):
        self.sinew("convert", "pulley", "m.muscle.xml")
        text = self.read("m.muscle.xml")
        self.assertIn('"rope"', text)
        self.write("m.muscle.xml", text.replace('"rope"', f'"{name}"'))

    def test_names_that_turn_text_or_are_formulas_are_refused(self):
        for name, why in ((f"ro{TURN}pe", "direction"), ("=cmd|calc", "formula"), ("@x", "formula")):
            self.model_with(name)
            result = self.sinew("check", "m.muscle.xml", code=3)
            said = result.stdout + result.stderr
            self.assertIn(why, said)
            self.assertNotIn(TURN, said)
        self.sinew("simulate", "pulley", "--time", 0.02, "-o", "run")
        text = self.read("run.replay.xml")
        for name in (f"a{TURN}b", "=1+1"):
            self.write("odd.replay.xml", text.replace('Strand name="rope"', f'Strand name="{name}"'))
            result = self.sinew("info", "odd.replay.xml", code=3)
            self.assertNotIn(TURN, result.stdout + result.stderr)

    def test_a_heading_that_is_a_formula_is_not_written_as_csv(self):
        self.sinew("simulate", "pulley", "--time", 0.02, "-o", "run")
        text = self.read("run.sto")
        self.assertIn("tension/rope", text)
        self.sinew("convert", "run.replay.xml", "run.csv")
        self.assertFalse(any(cell[:1] in "=+-@" for cell in self.read("run.csv").splitlines()[0].split(",")))

    def test_another_spelling_of_the_same_model_continues_the_run(self):
        self.sinew("convert", "finger", "m.muscle.xml")
        self.write("long.pose.csv", "time,PIP.flexion\n0,0\n0.5,30\n600,0\n")
        process = subprocess.Popen([SINEW, "track", "m.muscle.xml", "long.pose.csv", "-o", "out"], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not os.path.exists(self.path("out.resume")) or os.path.getsize(self.path("out.resume")) < 200000:
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        process.wait()
        again = self.json("track", os.path.join(self.folder, ".", "m.muscle.xml"), "./long.pose.csv", "-o", "out", "--resume",
                          "--frames", ":40")
        self.assertGreater(again["resumed"], 0)


if __name__ == "__main__":
    unittest.main()
