"""make install into an empty folder: the command works from there, and a program builds against what was installed."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = os.environ["SINEW_BUILD"]
SOURCE = os.environ["SINEW_SOURCE"]


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.prefix = tempfile.mkdtemp(prefix="sinew-install-")
        cls.addClassCleanup(shutil.rmtree, cls.prefix)
        result = run(["cmake", "--install", BUILD, "--prefix", cls.prefix])
        assert result.returncode == 0, result.stderr

    def find(self, name):
        for folder, _, files in os.walk(self.prefix):
            if name in files:
                return os.path.join(folder, name)
        self.fail(f"{name} was not installed")

    def environment(self):
        lib = os.path.dirname(self.find("sinew.pc")).rsplit(os.sep, 1)[0]
        return dict(os.environ, LD_LIBRARY_PATH=lib, PKG_CONFIG_PATH=os.path.join(lib, "pkgconfig"))

    def sinew(self, *arguments):
        result = run([os.path.join(self.prefix, "bin", "sinew"), *arguments], cwd=self.prefix)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_what_is_there(self):
        for name in ["sinew", "libsinew.a", "libsinew.so", "sinew.pc", "sinew.h", "sim.h"]:
            self.find(name)
        for folder, folders, files in os.walk(os.path.join(SOURCE, "models")):
            folders[:] = [name for name in folders if name != "kit"]  # programs of the build
            for name in files:
                if name.endswith(".cmake"):
                    continue
                self.assertTrue(os.path.exists(os.path.join(self.prefix, "share", "sinew", os.path.relpath(
                    os.path.join(folder, name), SOURCE))), name)

    def test_no_path_of_the_build_is_inside(self):
        for name in ("sinew", "libsinew.so"):
            loaded = run(["strings", "-d", os.path.realpath(self.find(name))]).stdout  # debugging information left out
            for place in (BUILD, SOURCE):
                self.assertNotIn(place + os.sep, loaded, name)

    def test_documentation_and_completions(self):
        for path in ("share/man/man1/sinew.1", "share/bash-completion/completions/sinew", "share/zsh/site-functions/_sinew",
                     "share/fish/vendor_completions.d/sinew.fish", "share/doc/sinew/NOTICE", "share/doc/sinew/LICENSE",
                     "share/doc/sinew/docs/tutorial.md", "share/doc/sinew/examples/pendulum.c"):
            self.assertGreater(os.path.getsize(os.path.join(self.prefix, path)), 500, path)

    def test_uninstall_leaves_what_others_put_there(self):
        with tempfile.TemporaryDirectory(prefix="sinew-uninstall-") as prefix:
            own, others = os.path.join(prefix, "share", "sinew", "mine.txt"), os.path.join(prefix, "bin", "other")
            self.assertEqual(run(["cmake", "--install", BUILD, "--prefix", prefix]).returncode, 0)
            for path in (own, others):
                with open(path, "w", encoding="utf-8"):
                    pass
            result = run([os.path.join(SOURCE, "tools", "uninstall"), BUILD, prefix])
            self.assertEqual(result.returncode, 0, result.stderr)
            left = [os.path.join(folder, name) for folder, _, files in os.walk(prefix) for name in files]
            self.assertEqual(sorted(left), sorted([own, others]))
            self.assertFalse(os.path.exists(os.path.join(prefix, "include", "sinew")))

    def test_command_runs_from_its_new_place(self):
        self.assertIn("0 errors", self.sinew("check", "pulley"))
        self.sinew("simulate", "pulley", "-o", "lift", "--time", "0.1")
        self.assertTrue(os.path.exists(os.path.join(self.prefix, "lift.replay.xml")))

    def test_shipped_models_are_found(self):
        models = os.path.join(SOURCE, "models")
        for name in os.listdir(models) if os.path.isdir(models) else []:
            if os.path.exists(os.path.join(models, name, name + ".muscle.xml")):
                self.assertIn("strands", self.sinew("info", name))

    def test_shipped_models_are_installed_as_built(self):
        for name in ("hand", "hand-left", "shoulder"):
            self.assertTrue(os.path.exists(os.path.join(self.prefix, "share", "sinew", "models", name,
                                                        name + ".muscle.xml")), name)

    def test_python_finds_library_and_models(self):
        python = next((p for p in (sys.executable, "/usr/bin/python3")
                       if run([p, "-c", "import numpy"]).returncode == 0), None)
        self.assertIsNotNone(python, "numpy is missing: make deps installs python3-numpy")
        environment = dict(os.environ, PYTHONPATH=os.path.join(self.prefix, "share", "sinew", "python"))
        code = ("import sinew; model = sinew.load('shoulder'); print(sinew._library.sn._name); "
                "print(model.state(skip_settle=True)['strand.tension'].shape[0])")
        result = run([python, "-c", code], env=environment, cwd=self.prefix)
        self.assertEqual(result.returncode, 0, result.stderr)
        library, count = result.stdout.split()
        self.assertTrue(os.path.realpath(library).startswith(os.path.realpath(self.prefix)), library)
        self.assertEqual(int(count), 132)

    def test_program_builds_against_it(self):
        flags = run(["pkg-config", "--cflags", "--libs", "sinew"], env=self.environment())
        self.assertEqual(flags.returncode, 0, flags.stderr)
        program = os.path.join(self.prefix, "tensions")
        source = os.path.join(SOURCE, "examples", "tensions.c")
        result = run(["cc", source, *flags.stdout.split(), "-o", program])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.sinew("convert", "pulley", "p.muscle.xml")
        result = run([program, "p.muscle.xml"], cwd=self.prefix, env=self.environment())
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("rope", result.stdout)


if __name__ == "__main__":
    unittest.main()
