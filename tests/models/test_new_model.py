"""A new model is a new folder: a finger under another name, with words of its own for its joints, is found, checked,
tracked, shown, exported and measured, and the build finds its folder, with no other file changed."""
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.environ["SINEW_SOURCE"], "tests", "cli"))
from common import BUILD, SINEW, SOURCE, Case

CURL = "time,base.curl,base.sway,knuckle.curl\n0,0,0,0\n0.2,20,3,25\n0.4,0,0,0\n"


class NewModel(Case):
    """models/toe below a folder of our own."""

    def setUp(self):
        super().setUp()
        self.home = os.path.join(self.folder, "models", "toe")
        os.makedirs(os.path.join(self.home, "motions"))
        self.sinew("convert", "finger", os.path.join(self.home, "toe.muscle.xml"))
        path = os.path.join(self.home, "toe.muscle.xml")
        with open(path) as file:
            text = file.read()
        for old, new in (('"MCP"', '"base"'), ('"PIP"', '"knuckle"'), ("flexion deviation", "inward_curl side_sway"),
                         ('motions="flexion"', 'motions="curl"')):
            self.assertIn(old, text)
            text = text.replace(old, new)
        with open(path, "w") as file:
            file.write(text)
        path = os.path.join(self.home, "toe.scene.xml")
        with open(path) as file:
            text = file.read().replace('"MCP"', '"base"').replace('"PIP"', '"knuckle"')
        with open(path, "w") as file:
            file.write(text)
        with open(os.path.join(self.home, "motions", "curl.pose.csv"), "w") as file:
            file.write(CURL)
        self.environment = dict(os.environ, SINEW_MODELS=os.path.join(self.folder, "models"))

    def run_toe(self, *arguments, **options):
        return self.json(*arguments, env=self.environment, **options)

    def test_every_command_knows_it(self):
        self.assertEqual(self.run_toe("check", "toe")["errors"], 0)
        self.assertEqual(self.run_toe("info", "toe")["joints"], 3)
        tracked = self.run_toe("track", "toe", "curl", "-o", "out")
        self.assertLess(tracked["mean_error_mm"], 0.5)
        self.run_toe("export", "out.replay.xml", "--to", "glb")
        with open(self.path("out.glb"), "rb") as file:
            self.assertEqual(file.read(4), b"glTF")
        self.run_toe("export", "out.replay.xml", "--to", "pc2", "--what", "strands")
        self.run_toe("plot", "out.replay.xml", "-o", "out.svg")
        self.run_toe("plot", "toe", "--what", "moment-arms", "--joint", "base.sway", "-o", "arms.svg")
        self.assertIn("base.side_sway", self.sinew("info", "toe", "--moment-arms", env=self.environment).stdout)
        measured = self.run_toe("bench", "--rung", "toe", "--motion", "curl", "--seconds", "0.05")
        self.assertEqual(measured["rungs"][0]["name"], "toe")
        if os.path.exists(os.path.join(BUILD, "studio", "studio.html")):
            self.run_toe("export", "out.replay.xml", "--to", "html")
            self.assertGreater(os.path.getsize(self.path("out.html")), 100000)
            self.run_toe("studio", "toe", "out.replay.xml", "--save", "studio.html")
            self.assertGreater(os.path.getsize(self.path("studio.html")), 100000)

    def test_it_has_a_demonstration(self):
        answer = self.run_toe("demo", "toe", "-o", "shown")
        self.assertEqual([motion["name"] for motion in answer["motions"]], ["curl"])
        self.assertTrue(os.path.getsize(self.path("shown/curl.glb")) > 0)
        with open(os.path.join(self.home, "motions", "away.pose.csv"), "w") as file:
            file.write(CURL)
        with open(os.path.join(self.home, "demo.txt"), "w") as file:
            file.write("# the better one\ncurl\n")
        answer = self.run_toe("demo", "toe", "-o", "shown2")
        self.assertEqual([motion["name"] for motion in answer["motions"]], ["curl"])

    def test_its_words_are_its_own(self):
        self.write("old.pose.csv", CURL.replace("base.curl", "base.flexion"))
        result = self.sinew("track", "toe", "old.pose.csv", "-o", "x", code=3, env=self.environment)
        self.assertIn("base.flexion", result.stderr)
        unknown = self.sinew("check", "heel", code=3, env=self.environment).stderr
        self.assertIn("toe", unknown)

    def test_the_build_finds_the_folder(self):
        """The project's own rules for models, with this folder beside the kit and no list of names anywhere."""
        shutil.copy(os.path.join(SOURCE, "models", "models.cmake"), os.path.join(self.folder, "models"))
        os.symlink(os.path.join(SOURCE, "models", "kit"), os.path.join(self.folder, "models", "kit"))
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.22)\nproject(trial LANGUAGES C)\n"
                   "add_library(sinew_static INTERFACE)\ninclude(models/models.cmake)\n")
        subprocess.run(["cmake", "-G", "Ninja", "-S", self.folder, "-B", self.path("build")], check=True,
                       capture_output=True, text=True)
        built = os.path.join(self.folder, "build", "models")
        for name in ("toe.muscle.xml", "toe.scene.xml", "motions/curl.pose.csv"):
            self.assertTrue(os.path.exists(os.path.join(built, "toe", name)), name)
        environment = dict(os.environ, SINEW_MODELS=built)
        self.assertEqual(self.json("check", "toe", env=environment)["errors"], 0)

    def test_no_other_file_knows_a_model(self):
        """What reads models and motions names no part of an anatomy. bvh_names.c is the vocabulary of other programs'
        skeletons, which is about their files and not about a model."""
        words = ("wrist", "cmc1", "mcp2", "prosup", "humerus", "scapula")
        for top in ("src/io", "src/motion", "src/model"):
            for folder, _, files in os.walk(os.path.join(SOURCE, top)):
                for name in set(files) - {"bvh_names.c"}:
                    with open(os.path.join(folder, name)) as file:
                        text = file.read()
                    found = [word for word in words if word in text]
                    self.assertFalse(found, os.path.join(folder, name))


if __name__ == "__main__":
    unittest.main()
