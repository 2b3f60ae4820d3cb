"""Building for use asks for nothing of the tests, and one folder switches between both."""
import os
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.environ["SINEW_SOURCE"]
BUILD = os.environ["SINEW_BUILD"]


class Options(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="sinew-configure-")
        self.addCleanup(shutil.rmtree, self.folder)

    def configure(self, *options):
        """Configures; the text of what it said. Nothing is built."""
        command = ["cmake", "-S", SOURCE, "-B", self.folder, "-G", "Ninja", *options]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(result.returncode, 0, result.stdout)
        with open(os.path.join(self.folder, "build.ninja"), encoding="utf-8") as file:
            self.plan = file.read()
        return result.stdout

    def test_tests_are_off_by_default_and_can_be_turned_on_and_off(self):
        # A find that fails ends a configuration that needs it: what the tests alone need is made to be missing.
        hidden = ["-DCMOCKA_LIBRARY=CMOCKA_LIBRARY-NOTFOUND", "-DPYTHON3=PYTHON3-NOTFOUND", "-DCHROMIUM=CHROMIUM-NOTFOUND"]
        self.configure(*hidden)
        self.assertNotIn("cmocka", self.plan)
        self.assertNotIn("tests/test_", self.plan)
        self.assertIn("build sinew: ", self.plan)
        self.configure("-DSINEW_TESTS=ON")
        self.assertIn("tests/test_base_parallel", self.plan)
        self.configure("-DSINEW_TESTS=OFF")
        self.assertNotIn("tests/test_base_parallel", self.plan)

    def test_plots_are_optional(self):
        said = self.configure("-DSINEW_PLOTS=OFF")
        self.assertIn("Plots are left out", said)
        self.assertNotIn("cairo", self.plan.replace("src/plot", ""))
        self.assertIn("src/plot/absent.c", self.plan)
        self.assertNotIn("src/plot/lines.c", self.plan)
        with open(os.path.join(self.folder, "sinew.pc"), encoding="utf-8") as file:
            self.assertNotIn("cairo", file.read())
        self.configure("-DSINEW_PLOTS=ON")
        self.assertNotIn("src/plot/absent.c", self.plan)
        self.assertIn("src/plot/lines.c", self.plan)


class Places(unittest.TestCase):
    def run_from(self, folder, name, models):
        return subprocess.run([os.path.join(BUILD, "tests", name)], cwd=folder, env={**os.environ, "SINEW_MODELS": models},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def test_programs_write_into_their_build_folder(self):
        with tempfile.TemporaryDirectory(prefix="sinew-elsewhere-") as folder:
            for name in ("test_page_glb", "test_io_mesh", "test_image_stack"):
                result = self.run_from(folder, name, "")
                self.assertEqual(result.returncode, 0, result.stdout)
            self.assertEqual(os.listdir(folder), [])
        self.assertTrue(os.path.exists(os.path.join(BUILD, "tests", "glb_morphed.glb")))

    def test_models_are_found_by_a_relative_name(self):
        with tempfile.TemporaryDirectory(prefix="sinew-elsewhere-") as folder:
            self.assertEqual(self.run_from(folder, "test_control_load", "mine").returncode, 0)  # there is none yet
            os.makedirs(os.path.join(folder, "mine", "hand"))
            with open(os.path.join(folder, "mine", "hand", "hand.muscle.xml"), "w", encoding="utf-8") as file:
                file.write("not a model")
            self.assertNotEqual(self.run_from(folder, "test_control_load", "mine").returncode, 0)


if __name__ == "__main__":
    unittest.main()
