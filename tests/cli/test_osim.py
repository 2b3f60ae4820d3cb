"""Models of OpenSim as arguments of the commands, and sinew convert into a folder."""
import os
import unittest

from common import SOURCE, Case

ARM = os.path.join(SOURCE, "tests", "io", "corpus", "osim", "arm4.osim")


def changed(old, new):
    with open(ARM) as file:
        return file.read().replace(old, new)


class Osim(Case):
    def test_every_command_takes_it(self):
        poses = self.write("bend.pose.csv", "time,flexion\n0,10\n1,40\n")
        for arguments in (["info", ARM, "--list"], ["check", ARM], ["hold", ARM, poses],
                          ["track", ARM, poses, "-o", self.path("bend")]):
            self.sinew(*arguments)
        self.sinew("plot", self.path("bend.replay.xml"), "-o", self.path("bend.svg"))
        said = self.sinew("info", ARM).stderr
        self.assertIn("8 things are left out or replaced", said)

    def test_convert_into_a_folder(self):
        result = self.json("convert", ARM, "arm")
        self.assertEqual((result["bodies"], result["coordinates"], result["muscles"]), (4, 5, 3))
        self.assertEqual(len(result["missing"]), 8)
        self.assertTrue(all(note["line"] > 0 and note["message"] for note in result["missing"]))
        self.assertEqual(sorted(os.listdir(self.path("arm"))), ["arm4.missing.txt", "arm4.muscle.xml", "arm4.scene.xml"])
        self.assertEqual(self.json("check", "arm/arm4.muscle.xml")["errors"], 0)

    def test_a_document_is_known_by_its_root(self):
        self.sinew("info", self.write("arm.xml", changed("", "")))

    def test_bad_files_say_where(self):
        bad = self.write("bad.osim", changed("<wrap_object>pulley", "<wrap_object>none"))
        said = self.sinew("info", bad, code=3).stderr
        self.assertRegex(said, r"bad\.osim:\d+:\d+: PathWrap \"w\": there is no wrap object \"none\"")


if __name__ == "__main__":
    unittest.main()
