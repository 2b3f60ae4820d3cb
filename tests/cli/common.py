"""Runs the command of the build under test and reads what it wrote."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest

BUILD = os.environ["SINEW_BUILD"]
SOURCE = os.environ["SINEW_SOURCE"]
SINEW = os.path.join(BUILD, "sinew")
# What takes long and hangs on the model alone (settling, binding a skin) is done once for all tests of a build. Where a run must
# start from nothing: NO_CACHE. test_cache.py has folders of its own.
os.environ["XDG_CACHE_HOME"] = os.path.join(BUILD, "tests", "cache")
NO_CACHE = "/dev/null/none"


class Case(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="sinew-test-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def sinew(self, *arguments, code=0, program=SINEW, **options):
        options.setdefault("cwd", self.folder)
        result = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, **options)
        self.assertEqual(result.returncode, code, f"{arguments}\n{result.stdout}\n{result.stderr}")
        return result

    def json(self, *arguments, code=0, **options):
        """The object on the last line of stdout, which with --json is the only line."""
        result = self.sinew(*arguments, "--json", code=code, **options)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), 1, result.stdout)
        return json.loads(lines[-1])

    def read_sto(self, name):
        """(column names, rows of numbers) of an OpenSim table."""
        lines = self.read(name).splitlines()
        start = lines.index("endheader")
        header = dict(line.split("=", 1) for line in lines[:start] if "=" in line)
        names = lines[start + 1].split("\t")
        rows = [[float(x) for x in line.split("\t")] for line in lines[start + 2:]]
        self.assertEqual(int(header["nRows"]), len(rows))
        self.assertEqual(int(header["nColumns"]), len(names))
        for row in rows:
            self.assertEqual(len(row), len(names))
        return names, rows
