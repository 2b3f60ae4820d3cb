"""The installer of dependencies on machines that lack things, the verbs of the Makefile."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.environ["SINEW_SOURCE"]
TOOLS = ["gcc", "make", "cmake", "ninja", "pkg-config", "python3", "clang", "strace", "node", "npm", "chromium",
         "chromium-headless-shell"]
BASICS = ["sh", "tr", "find", "head", "id", "env", "cat", "ls"]


class Dependencies(unittest.TestCase):
    """A machine is a PATH with links to what it has. Headers are those of the machine that runs the test."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.bin = holder.name
        self.log = os.path.join(self.bin, "apt.log")
        for name in BASICS:
            os.symlink(shutil.which(name), os.path.join(self.bin, name))

    def has(self, *names):
        for name in names:
            self.script(name, "exit 0")
        if "clang" in names:  # answers where its runtime is
            self.script("clang", 'case $1 in -print-file-name=*) echo /dev/null/none ;; -print-resource-dir) echo "%s" ;; esac'
                        % self.bin)
            self.script("libclang_rt.asan-test.a", "exit 0")

    def script(self, name, text):
        path = os.path.join(self.bin, name)
        with open(path, "w") as file:
            file.write("#!/bin/sh\n" + text + "\n")
        os.chmod(path, 0o755)

    def apt(self, code=0):
        self.script("apt-get", f'echo "$@" >>{self.log}; exit {code}')
        self.script("apt-cache", "exit 0")
        self.script("sudo", 'exec "$@"')

    def install(self, *groups):
        script = os.path.join(SOURCE, "tools", "install_deps.sh")
        return subprocess.run(["sh", script, *groups], env={"PATH": self.bin}, capture_output=True, text=True)

    def test_nothing_is_done_when_all_is_there(self):
        self.has(*TOOLS)
        self.apt(code=1)
        result = self.install("build", "test", "page", "browser")
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        self.assertFalse(os.path.exists(self.log))

    def test_what_is_missing_is_named_and_installed(self):
        self.has(*[name for name in TOOLS if name not in ("ninja", "cmake")])
        self.apt()
        result = self.install("build", "test")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("installing: cmake ninja-build", result.stdout)
        with open(self.log) as file:
            line = file.read().splitlines()[-1]
        self.assertIn("--no-install-recommends cmake ninja-build", line)

    def test_a_failed_install_fails(self):
        self.has(*TOOLS[1:])
        self.apt(code=1)
        result = self.install("build")
        self.assertEqual(result.returncode, 1)
        self.assertIn("could not install", result.stderr)

    def test_what_is_optional_may_fail(self):
        self.has(*[name for name in TOOLS if name not in ("npm", "chromium-headless-shell")])
        self.script("apt-get", f'echo "$@" >>{self.log}; case "$*" in *headless*) exit 1 ;; esac')
        self.script("apt-cache", "exit 0")
        self.script("sudo", 'exec "$@"')
        result = self.install("page", "browser")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("trying without: chromium-headless-shell", result.stderr)
        self.assertIn("installed: npm", result.stdout)

    def test_another_system_gets_the_names(self):
        self.has("gcc")
        result = self.install("build")
        self.assertEqual(result.returncode, 1)
        self.assertIn("ninja-build", result.stderr)
        self.assertIn("package manager", result.stderr)

    def test_check_only_names(self):
        self.has(*TOOLS[1:])
        self.apt()
        result = self.install("--check", "build")
        self.assertEqual((result.returncode, result.stdout), (1, "missing: gcc\n"))
        self.assertFalse(os.path.exists(self.log))

    def test_unknown_group(self):
        self.assertEqual(self.install("everything").returncode, 2)


class Scripts(unittest.TestCase):
    def test_every_verb_has_its_line_of_help(self):
        text = subprocess.run(["make", "-s", "help"], cwd=SOURCE, capture_output=True, text=True).stdout
        for verb in ["all", "demo", "test", "test-quick", "test-full", "test-habits", "test-blender", "bench", "fuzz", "docs", "install", "uninstall", "deb", "test-page", "format", "clean"]:
            self.assertRegex(text, rf"(?m)^make {verb} +\w")

    def test_make_keeps_what_the_folder_was_configured_with(self):
        """make, and all that begins with it (docs, install), in a project with our presets and nothing to compile."""
        with tempfile.TemporaryDirectory() as folder:
            for name in ("Makefile", "CMakePresets.json"):
                shutil.copy(os.path.join(SOURCE, name), folder)
            with open(os.path.join(folder, "CMakeLists.txt"), "w") as file:
                file.write('cmake_minimum_required(VERSION 3.22)\nproject(small NONE)\noption(SINEW_TESTS "tests" OFF)\n'
                           'option(SINEW_PLOTS "plots" ON)\n')

            def configured(*command):
                subprocess.run(command, cwd=folder, check=True, capture_output=True)
                with open(os.path.join(folder, "build", "CMakeCache.txt")) as file:
                    return re.findall(r"(?m)^SINEW_(?:TESTS|PLOTS):\w+=(\w+)$", file.read())
            self.assertEqual(configured("make", "all"), ["ON", "OFF"])
            self.assertEqual(configured("cmake", "--preset", "test", "-DSINEW_PLOTS=OFF"), ["OFF", "ON"])
            self.assertEqual(configured("make", "all"), ["OFF", "ON"])
            self.assertEqual(configured("cmake", "--preset", "release", "-DSINEW_TESTS=OFF"), ["OFF", "OFF"])

    def test_ci_adds_up_its_parts(self):
        """.ci/run among parts that only say what they would: counts add up, a part that dies without a count fails."""
        for blender, fresh, suite, habits, last, code in (
                ("echo 3 passed, 0 failed", "exit 0", "echo 10 passed, 0 failed", "echo 2 passed, 0 failed",
                 "19 passed, 0 failed", 0),
                ("echo 3 passed, 1 failed; exit 1", "echo try_fresh_machine: skipped, because", "echo 10 passed, 0 failed",
                 "echo 1 passed, 1 failed", "16 passed, 2 failed", 1),
                ("exit 1", "exit 1", "echo 10 passed, 0 failed; exit 2", "exit 1", "12 passed, 5 failed", 1)):
            with tempfile.TemporaryDirectory() as folder:
                os.makedirs(os.path.join(folder, ".ci"))
                os.makedirs(os.path.join(folder, "tools"))
                shutil.copy(os.path.join(SOURCE, ".ci", "run"), os.path.join(folder, ".ci", "run"))
                # the package is tried on a fresh machine too
                rules = {"test-blender": blender, "test": suite, "site": "true", "deb": "true", "test-habits": habits}
                with open(os.path.join(folder, "Makefile"), "w") as file:
                    file.write("".join(f"{name}:\n\t@{rule}\n" for name, rule in rules.items()))
                for name, text in (("install_deps.sh", "exit 0"), ("try_fresh_machine", fresh)):
                    path = os.path.join(folder, "tools", name)
                    with open(path, "w") as file:
                        file.write(f"#!/bin/sh\n{text}\n")
                    os.chmod(path, 0o755)
                result = subprocess.run([os.path.join(folder, ".ci", "run")], capture_output=True, text=True)
                self.assertEqual((result.stdout.splitlines()[-1], result.returncode != 0), (last, code != 0), result.stdout)

    def test_a_fresh_machine_is_skipped_where_it_cannot_be_made(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("bash", "id", "dirname", "env"):
                os.symlink(shutil.which(name), os.path.join(folder, name))
            result = subprocess.run([os.path.join(SOURCE, "tools", "try_fresh_machine"), "demo"], env={"PATH": folder},
                                    capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("try_fresh_machine: skipped, ", result.stdout)

    def test_no_file_is_too_long(self):
        """Files stay under 1000 lines; the readers of the code are people."""
        tracked = subprocess.run(["git", "ls-files", "*.c", "*.h", "*.py", "*.ts"], cwd=SOURCE, capture_output=True,
                                 text=True).stdout.split()
        for path in tracked:
            with open(os.path.join(SOURCE, path), errors="replace") as file:
                self.assertLess(sum(1 for _ in file), 1000, path)


if __name__ == "__main__":
    unittest.main()
