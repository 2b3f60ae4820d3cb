"""What is on the disk after a cut: the calls that a command makes are recorded (strace), and from their order follows what
may be there after the power has gone, in every order in which a file system may write. Four rules keep each such state
whole:
  1. a file gets its final name only after all of it is on the disk,
  2. the folder is on the disk after that, before the command ends and calls the result complete,
  3. a journal goes only after that,
  4. nothing is written into a file that has its final name, but for a journal, which checks each of its records."""
import os
import re
import shutil
import subprocess
import unittest

from common import NO_CACHE, SINEW, Case

CALLS = "fcntl,write,pwrite64,writev,ftruncate,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink"
JOURNAL = re.compile(r"\.(resume|journal)(/|$)")
SCRATCH = re.compile(r"\.(part|log)$|\.json\.part$")


class Disk:
    """Reads a record and keeps, by file and folder, what is not on the disk yet."""

    def __init__(self, folder):
        self.folder = folder
        self.dirty = set()  # files with bytes that are not on the disk
        self.unsafe = {}  # folder: names in it that are not on the disk
        self.final = set()  # files with their final names
        self.broken = []  # rules that were broken, in words
        self.named = 0
        self.held = {}  # nameless files by process and descriptor

    def mine(self, path):
        return path.startswith(self.folder + "/") and not SCRATCH.search(path)

    def wrote(self, path):
        if path in self.final and not JOURNAL.search(path):
            self.broken.append(f"written under its final name: {path}")
        self.dirty.add(path)

    def name(self, old, new):
        if old in self.dirty:
            self.broken.append(f"named before it was on the disk: {new}")
            self.dirty.discard(old)
        if self.mine(new):
            self.named += 1
            self.final.add(new)
            self.unsafe.setdefault(os.path.dirname(new), set()).add(new)

    def synced(self, path):
        self.dirty.discard(path)
        self.unsafe.pop(path, None)

    def call(self, name, arguments, result, process=0):
        paths = [os.path.normpath(os.path.join(self.folder, path)) for path in re.findall(r'"([^"]*)"', arguments)]
        held = re.match(r"\d+<([^>]*)>", arguments)
        held = held and re.sub(r" \(deleted\)$|\(deleted\)$", "", held.group(1))
        if name in ("write", "pwrite64", "writev", "ftruncate") and held and held.startswith(self.folder + "/"):
            self.wrote(held)
        elif name in ("fsync", "fdatasync") and held:
            self.synced(held)
        elif name.startswith("rename"):
            self.name(paths[0], paths[-1])
        elif name == "fcntl" and held and "F_DUPFD" in arguments:
            self.held[process, result] = held
        elif name == "linkat" and "/proc/self/fd/" in arguments:
            # a nameless file gets a name beside its final one, and is renamed then
            if self.held.get((process, os.path.basename(paths[0]))) in self.dirty:
                self.broken.append(f"named before it was on the disk: {paths[1]}")
        elif name == "unlink":
            if JOURNAL.search(paths[0]) and any(self.unsafe.values()):
                self.broken.append(f"gone before the results were on the disk: {paths[0]}")
            self.final.discard(paths[0])
            self.dirty.discard(paths[0])
            for names in self.unsafe.values():
                names.discard(paths[0])

    def ended(self):
        for names in self.unsafe.values():
            self.broken += [f"its folder is not on the disk: {path}" for path in sorted(names)]
        self.broken += [f"never waited for: {path}" for path in sorted(self.dirty & self.final)
                        if not JOURNAL.search(path)]


@unittest.skipUnless(shutil.which("strace"), "strace is not installed")
class DiskOrder(Case):
    def record(self, *arguments):
        log = self.path("calls.part")
        environment = dict(os.environ, XDG_CACHE_HOME=NO_CACHE)
        run = subprocess.run(["strace", "-f", "-y", "-s", "300", "-e", "trace=" + CALLS, "-o", log, SINEW,
                              *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, env=environment)
        self.assertEqual(run.returncode, 0, run.stderr)
        disk = Disk(os.path.realpath(self.folder))
        waiting = {}
        with open(log) as file:
            for line in file:
                process, _, text = line.partition(" ")
                text = text.strip()
                if text.endswith("<unfinished ...>"):
                    waiting[process] = text[:-len("<unfinished ...>")]
                    continue
                again = re.match(r"<\.\.\. \w+ resumed>", text)
                if again:
                    text = waiting.pop(process, "") + text[again.end():]
                call = re.match(r"(\w+)\((.*)\)\s+= (-?\d+)", text)
                if call and not call.group(3).startswith("-"):
                    disk.call(*call.groups(), process)
        disk.ended()
        return disk

    def check(self, least, *arguments):
        disk = self.record(*arguments)
        self.assertEqual(disk.broken, [], "\n".join(disk.broken))
        self.assertGreaterEqual(disk.named, least, "the record shows no results: are calls read right?")

    def test_track(self):
        self.check(1, "track", "hand-clinical", "fist", "-o", "run")

    def test_sweep(self):
        self.check(3, "sweep", "hand-clinical", "fist", "--vary", "pcsa=5%", "--draws", "2", "-o", "sweep")

    def test_a_motion_made(self):
        self.sinew("track", "hand-clinical", "fist", "-o", "run")
        self.check(1, "plot", "run.replay.xml", "-o", "plot.svg")

    def test_rules_are_seen_to_be_broken(self):
        disk = Disk("/d")
        disk.call("write", '3</d/a.1.part2>, "x", 1', "1")
        disk.call("fcntl", "4</d/#7 (deleted)>, F_DUPFD_CLOEXEC, 3", "5")
        disk.call("write", '4</d/#7 (deleted)>, "x", 1', "1")
        disk.call("linkat", 'AT_FDCWD, "/proc/self/fd/5", AT_FDCWD, "/d/b", AT_SYMLINK_FOLLOW', "0")
        disk.call("rename", '"/d/a.1.part2", "/d/a"', "0")
        disk.call("unlink", '"/d/run.resume"', "0")
        disk.call("write", '3</d/a>, "x", 1', "1")
        disk.ended()
        self.assertEqual([words.split(":")[0] for words in disk.broken],
                         ["named before it was on the disk", "named before it was on the disk",
                          "gone before the results were on the disk", "written under its final name",
                          "its folder is not on the disk", "never waited for"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
