"""The cache of what depends only on the model: the same bytes with and without, damage is noticed, --no-cache."""
import os
import statistics
import time
import unittest

from common import Case


class Cache(Case):
    def setUp(self):
        super().setUp()
        self.environment = dict(os.environ, XDG_CACHE_HOME=self.path("cache"))

    def run_it(self, *arguments, **options):
        return self.sinew(*arguments, env=self.environment, **options)

    def files(self):
        folder = self.path("cache/sinew")
        return sorted(os.path.join(folder, name) for name in os.listdir(folder)) if os.path.isdir(folder) else []

    def bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def seconds(self, *arguments):
        """Processor time of the program and of the system."""
        before = os.times()
        self.run_it(*arguments)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    def median(self, *arguments):
        return statistics.median(self.seconds(*arguments) for _ in range(9))

    def test_skin_is_the_same_and_faster(self):
        self.run_it("track", "hand", "fist", "-o", "m", "--end", 0.04, "--no-cache", "--replay", "bin")
        self.assertEqual(self.files(), [])
        spent = {}
        for name, extra in (("plain", ["--no-cache"]), ("first", []), ("second", [])):
            spent[name] = self.seconds("skin", "hand", "m.replay.bin", "-o", name + ".pc2", "--threads", 1, *extra)
            self.assertEqual(len(self.files()), 0 if name == "plain" else 1)
        self.assertEqual(self.bytes("plain.pc2"), self.bytes("first.pc2"))
        self.assertEqual(self.bytes("plain.pc2"), self.bytes("second.pc2"))
        again = self.median("skin", "hand", "m.replay.bin", "-o", "second.pc2", "--threads", 1)
        print(f"skin of the hand: {spent['first']:.2f} s of processor time at first, {again:.2f} s the second time")
        self.assertLess(again, 0.2 * spent["first"])

    def test_settled_state_is_the_same(self):
        for name, extra in (("plain", ["--no-cache"]), ("first", []), ("second", [])):
            self.run_it("track", "hand", "fist", "-o", name, "--end", 0.1, *extra)
            self.run_it("simulate", "hand", "-o", name + "-sim", "--time", 0.02, *extra)
        for ending in (".sto", ".replay.xml"):
            for run in ("", "-sim"):
                self.assertEqual(self.bytes("plain" + run + ending), self.bytes("first" + run + ending))
                self.assertEqual(self.bytes("plain" + run + ending), self.bytes("second" + run + ending))
        self.assertEqual(len(self.files()), 1)
        again = self.median("track", "hand", "fist", "-o", "again", "--end", 0.04, "--threads", 1)
        print(f"tracking the hand: {again:.2f} s of processor time")

    def test_damage_is_noticed(self):
        self.run_it("simulate", "finger", "-o", "plain", "--time", 0.02)
        (file,) = self.files()
        with open(file, "rb") as cached:
            whole = cached.read()
        middle = len(whole) // 2
        for damaged in (b"", whole[:20], whole[:-1], whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1:],
                        b"x" * 100, whole + b"x"):
            with open(file, "wb") as cached:
                cached.write(damaged)
            self.run_it("simulate", "finger", "-o", "again", "--time", 0.02)
            self.assertEqual(self.bytes("plain.sto"), self.bytes("again.sto"))
            with open(file, "rb") as cached:
                self.assertEqual(cached.read(), whole)  # and mended

    def test_another_model_or_step_has_its_own(self):
        self.run_it("simulate", "finger", "--time", 0.01)
        self.run_it("simulate", "finger", "--time", 0.01, "--step", 0.001)
        self.run_it("simulate", "pulley", "--time", 0.01)
        self.assertEqual(len(self.files()), 3)
        self.sinew("convert", "finger", "m.muscle.xml")
        text = self.read("m.muscle.xml")
        self.run_it("simulate", "m.muscle.xml", "--time", 0.01)
        count = len(self.files())
        self.write("m.muscle.xml", text.replace('max_force="', 'max_force="1', 1))
        self.run_it("simulate", "m.muscle.xml", "--time", 0.01)
        self.assertEqual(len(self.files()), count + 1)

    def test_no_folder_is_no_trouble(self):
        self.environment["XDG_CACHE_HOME"] = "/dev/null/nowhere"
        self.run_it("simulate", "pulley", "--time", 0.01)
        del self.environment["XDG_CACHE_HOME"]
        self.environment.pop("HOME", None)
        self.run_it("simulate", "pulley", "--time", 0.01)

    def test_there_are_never_too_many(self):
        os.makedirs(self.path("cache/sinew"))
        for i in range(80):
            name = self.write(f"cache/sinew/old-{i}.bin", "x")
            os.utime(name, (time.time() - 1000 - i, time.time() - 1000 - i))
        for step in range(4):
            self.run_it("simulate", "pulley", "--time", 0.01, "--step", 0.001 + 0.0001 * step)
        left = [os.path.basename(name) for name in self.files()]
        self.assertLessEqual(len(left), 64)
        self.assertEqual(sum(name.startswith("settled") for name in left), 4)


if __name__ == "__main__":
    unittest.main()
