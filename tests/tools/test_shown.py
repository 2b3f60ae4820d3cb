"""Every sinew command that README, docs, the models' pages and --help show is run, and prints what is shown there.

Numbers may differ by a tenth, or by two of the last digit shown; "..." stands for anything. A command that several pages show is run
once; all run in one folder, in the order in which a reader meets them. docs/tutorial.md and docs/commands.md, which is the
help, have tests of their own; docs/measured.md is written by tools/measure; docs/import.md needs a download, and
tests/cli/test_osim.py runs its commands on a model of our own."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = os.environ["SINEW_BUILD"]
SOURCE = os.environ["SINEW_SOURCE"]
sys.path.append(os.path.join(SOURCE, "tests", "cli"))
from gltf_writer import Writer
COMMAND = re.compile(r"^(?:\$ )?(?:build/)?(sinew [a-z].*)$")
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
OWN_TESTS = {"tutorial.md", "commands.md", "measured.md", "import.md"}
# Their own tests run these: they take long, or need the files of the tutorial.
ELSEWHERE = re.compile(r"^sinew (demo|bench(?! --rung pendulum)|strands arm\.muscle\.xml|flesh|library shoulder|studio shoulder run)\b")
TIMES = re.compile(r"^sinew bench\b")  # prints times only: the shape is compared


def blocks(text):
    """The blocks of code of a page, as lists of lines."""
    block, fenced = [], False
    for line in text.splitlines() + [""]:
        if line.startswith("```"):
            fenced = not fenced
            line = ""
        if (fenced and line) or line.startswith("    "):
            block.append(line.strip())
        elif block:
            yield block
            block = []


def steps(text):
    """(command, lines that it is said to print) of a page."""
    for block in blocks(text):
        command, shown = None, []
        lines = iter(block)
        for line in lines:
            match = COMMAND.match(line)
            if match or line.startswith(("$ ", "make", "python", "tools/", "cmake", "source ")):
                if command:
                    yield command, shown
                command, shown = match and match[1], []
                while command and command.endswith("\\"):
                    command = command[:-1] + next(lines)
                if command:
                    command = re.sub(r"\s+#.*", "", command).strip()
            elif command and not line.startswith("#"):
                shown.append(line)
        if command:
            yield command, shown


def same_number(shown, printed):
    a, b = float(shown), float(printed)
    digits = len(shown.split("e")[0].partition(".")[2])
    return abs(a - b) <= max(0.1 * abs(a), 2.001 * 10.0 ** -digits if "e" not in shown else 0)


def same_line(shown, printed, shape_only):
    """Whether a line is what is shown: text alike, numbers near, ... anything."""
    pattern, numbers = "", []
    for part in re.split(r"(\.\.\.|" + NUMBER.pattern + ")", re.sub(r"\s+", " ", shown)):
        if part == "...":
            pattern += ".*?"
        elif NUMBER.fullmatch(part):
            pattern += "(" + NUMBER.pattern + ")"
            numbers.append(part)
        else:
            pattern += re.escape(part)
    found = re.fullmatch(pattern, re.sub(r"\s+", " ", printed.strip()))
    return bool(found) and (shape_only or all(map(same_number, numbers, found.groups())))


def same(shown, printed, shape_only=False):
    """Whether the lines shown are those printed; a line ... stands for any number of them."""
    if not shown:
        return not printed
    if shown[0] == "...":
        return any(same(shown[1:], printed[i:], shape_only) for i in range(len(printed) + 1))
    return bool(printed) and same_line(shown[0], printed[0], shape_only) and same(shown[1:], printed[1:], shape_only)


class Shown(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="sinew-shown-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        beckon = os.path.join(SOURCE, "models", "hand", "motions", "beckon.bvh")
        shutil.copy(beckon, os.path.join(cls.folder, "shot.bvh"))
        with open(os.path.join(cls.folder, "wave.glb"), "wb") as file:
            file.write(Writer(beckon).glb())
        cls.output = {}

    def run_once(self, command):
        if command in self.output:
            return self.output[command]
        line = command
        if command.startswith("sinew studio") and "--timeout" not in command:
            line += " --timeout 0.1"
        for folder in re.findall(r"[>] ?(~?[\w./-]*)/", command):
            os.makedirs(folder.replace("~", self.folder), exist_ok=True)
        environment = dict(os.environ, HOME=self.folder, PATH=BUILD + os.pathsep + os.environ["PATH"])
        result = subprocess.run(["sh", "-c", line], cwd=self.folder, env=environment, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, f"{command}\n{result.stderr}")
        self.output[command] = [text.rstrip() for text in result.stdout.splitlines() if text.strip()]
        return self.output[command]

    def check(self, page, text):
        count = 0
        for command, shown in steps(text):
            if ELSEWHERE.match(command):
                continue
            with self.subTest(page=page, command=command):
                printed = self.run_once(command)
                shown = [line for line in shown if line]
                if shown:
                    self.assertTrue(same(shown, printed, bool(TIMES.match(command))),
                                    "{}: {}\nshown:\n{}\nprinted:\n{}".format(page, command, "\n".join(shown), "\n".join(printed)))
            count += 1
        return count

    def write_files(self, text):
        """Files that a page asks its reader to write: blocks that begin with ``` and file=NAME."""
        for name, content in re.findall(r"(?ms)^```\w* file=([\w.-]+)$\n(.*?)^```$", text):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(content)

    def test_1_help(self):
        overview = subprocess.run([os.path.join(BUILD, "sinew"), "help"], capture_output=True, text=True).stdout
        names = re.findall(r"(?m)^  ([a-z]+) ", overview.split("usage:")[1].split("MODEL is")[0])
        first = ["simulate", "track"]  # others read what these write
        count = 0
        for name in first + [name for name in names if name not in first + ["demo"]]:
            text = subprocess.run([os.path.join(BUILD, "sinew"), name, "--help"], capture_output=True, text=True).stdout
            example = "\n".join("  " + line for line in text.split("example:")[1].splitlines())
            count += self.check(f"sinew {name} --help", example)
        self.assertGreaterEqual(count, 10)

    def test_2_pages(self):
        pages = ["README.md", "docs/getting-started.md"]
        pages += sorted(set(os.path.relpath(path, SOURCE) for folder in ("docs", "models/*")
                            for path in glob.glob(os.path.join(SOURCE, folder, "*.md"))) - set(pages))
        count = 0
        for page in pages:
            if os.path.basename(page) in OWN_TESTS:
                continue
            with open(os.path.join(SOURCE, page), encoding="utf-8") as file:
                text = file.read()
            self.write_files(text)
            count += self.check(page, text)
        self.assertGreaterEqual(count, 20)


class Comparison(unittest.TestCase):
    """The comparison itself: what passes and what does not."""

    def test_numbers_and_dots(self):
        self.assertTrue(same(["a 1.00 mm, 26 frames"], ["a 1.02 mm, 26 frames"]))
        self.assertFalse(same(["a 1.00 mm"], ["a 1.20 mm"]))
        self.assertFalse(same(["a 1.00 mm"], ["b 1.00 mm"]))
        self.assertFalse(same(["26 frames"], ["31 frames"]))
        self.assertTrue(same(["simulated in ... s: ... times"], ["simulated in 0.2 s: 4 times"]))
        self.assertTrue(same(["one", "...", "end"], ["one", "two", "three", "end"]))
        self.assertFalse(same(["one", "end"], ["one", "two", "end"]))
        self.assertFalse(same(["one"], []))

    def test_steps_of_a_page(self):
        page = "text\n\n    $ build/sinew check a \\\n        --json   # why\n    0 errors\n    $ make\n    done\n\nmore sinew check b\n"
        self.assertEqual(list(steps(page)), [("sinew check a --json", ["0 errors"])])


if __name__ == "__main__":
    unittest.main()
