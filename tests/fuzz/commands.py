#!/usr/bin/env python3
"""Whole commands on broken files and odd numbers: a mutating fuzzer over the program that people run.

    tests/fuzz/commands.py SINEW [--seconds 20] [--seed 1] [--keep FOLDER]

Each case takes a command, a few good files that the program itself wrote, changes bytes, numbers, lines, attributes or
options at random, and runs it. The same seed gives the same cases. A case fails when the program
  - dies of a signal, or a sanitizer speaks up;
  - ends with a code that is not 0 to 3, or with another than 0 and not a word;
  - takes more than 20 s of processor time or 2 GB;
  - ends with 0 and has written "nan" or "inf" into a table.
A failing case is kept, with the command that repeats it. It ends with 1 if any failed. tools/run_tests builds the program
with sanitizers and runs this for 20 s in CI, for as long as every other fuzz target in make fuzz."""
import argparse
import gzip
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

PROCESSOR_SECONDS, MEMORY_KB = 20, 2 * 1024 * 1024
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ODD = ["0", "-0", "-1", "1", "2", "nan", "inf", "-inf", "1e308", "-1e308", "1e-308", "1e400", "2147483648", "-2147483649",
       "9223372036854775808", "0x10", "", " ", "1.5.2", "1,5", "0.1e", "∞", "65536", "1e6", "1e-9", "\u202e1"]
ODD_NAMES = ["", " ", "../up", "a/b", "=1+1", "\u202ename", "n" * 5000, "&amp;", "rope", "world", "\x01", "-o", "--help"]
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
# FILE:what is a good file of this kind, changed; NUM:low:high a number, now and then an odd one; OUT a name to write.
COMMANDS = [
    ("check", "FILE:muscle"), ("info", "FILE:muscle"), ("info", "FILE:replay"), ("info", "FILE:muscle", "--list"),
    ("simulate", "FILE:muscle", "--time", "NUM:0.01:0.1", "-o", "OUT"),
    ("simulate", "FILE:muscle", "--time", "NUM:0.01:0.1", "--step", "NUM:0.0005:0.01", "--activation", "WORD=NUM:0:1"),
    ("simulate", "pulley", "--time", "NUM:0.01:0.1", "--activations", "FILE:sto", "-o", "OUT"),
    ("simulate", "finger", "--time", "NUM:0.01:0.1", "--load", "WORD=NUM:0:9,NUM:0:9,NUM:0:9", "-o", "OUT"),
    ("simulate", "pulley", "--time", "NUM:0.01:0.1", "--loads", "FILE:csv"),
    ("simulate", "crane", "--time", "0.1", "--frame-rate", "NUM:10:100", "--gravity-scale", "NUM:0:2", "-o", "OUT"),
    ("track", "FILE:muscle", "FILE:replay", "-o", "OUT"), ("track", "finger", "FILE:replay", "-o", "OUT"),
    ("convert", "FILE:replay", "OUT.sto"), ("convert", "FILE:replay", "OUT.csv", "--only", "WORD"),
    ("convert", "FILE:replay", "OUT.replay.bin"), ("convert", "FILE:muscle", "OUT.muscle.xml"),
    ("convert", "FILE:muscle", "OUT.muscle.xml", "--mirror", "y"), ("convert", "FILE:obj", "OUT.ply"),
    ("convert", "FILE:ply", "OUT.stl"), ("convert", "FILE:stl", "OUT.obj"),
    ("convert", "FILE:bvh", "OUT.control.xml", "--model", "finger"), ("convert", "FILE:glb", "OUT.pose.csv", "--model", "finger"),
    ("export", "FILE:replay", "--to", "csv", "-o", "OUT.csv"), ("export", "FILE:replay", "--to", "glb", "-o", "OUT.glb"),
    ("plot", "FILE:replay", "-o", "OUT.svg"), ("plot", "FILE:sto", "-o", "OUT.png"),
    ("contours", "FILE:pgm", "--seed", "NUM:0:9,NUM:0:9,NUM:0:3", "-o", "OUT.contours.xml"),
]
CORPUS = {"obj": ("tests/fuzz/corpus/obj", ""), "ply": ("tests/fuzz/corpus/ply", ""), "stl": ("tests/fuzz/corpus/stl", ""),
          "bvh": ("tests/fuzz/corpus/bvh", ".bvh"), "glb": ("tests/fuzz/corpus/gltf", ".glb")}


def run(command, folder, environment):
    """(code, stdout and stderr, seconds of processor, most kB) of a command."""
    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS + 2))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=said,
                                   stderr=subprocess.STDOUT, preexec_fn=limits)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read(1 << 20).decode(errors="replace")
    return process.returncode, text, used.ru_utime + used.ru_stime, used.ru_maxrss


def make_seeds(sinew, folder, environment):
    """Good files by kind: a list of lists of names; the first is what a command is given, the others lie beside it."""
    def write(*arguments):
        code, text, _, _ = run([sinew, *arguments, "--quiet"], folder, environment)
        if code != 0:
            raise SystemExit(f"a good file could not be made: {arguments}\n{text}")
    seeds = {kind: [] for kind in ("muscle", "replay", "sto", "csv", "pgm", *CORPUS)}
    for scene in ("pendulum", "pulley", "crane", "finger", "spindle"):
        write("convert", scene, f"{scene}.muscle.xml")
        seeds["muscle"].append([f"{scene}.muscle.xml", f"{scene}.scene.xml"])
        write("simulate", scene, "--time", "0.06", "-o", scene)
        seeds["replay"].append([f"{scene}.replay.xml"])
        seeds["sto"].append([f"{scene}.sto"])
        write("convert", f"{scene}.replay.xml", f"{scene}.csv")
        seeds["csv"].append([f"{scene}.csv"])
    for ending in ("replay.bin", "replay.xml.gz"):
        write("convert", "finger.replay.xml", f"other.{ending}")
        seeds["replay"].append([f"other.{ending}"])
    for kind, (place, ending) in CORPUS.items():
        for name in sorted(os.listdir(os.path.join(SOURCE, place))):
            if name.endswith(ending):
                target = name if name.endswith("." + kind) else f"{name}.{kind}"
                shutil.copy(os.path.join(SOURCE, place, name), os.path.join(folder, target))
                seeds[kind].append([target])
    with open(os.path.join(folder, "slice.pgm"), "wb") as file:
        file.write(b"P5 8 8 255\n" + bytes(200 if 2 < x < 6 and 2 < y < 6 else 20 for y in range(8) for x in range(8)))
    seeds["pgm"].append(["slice.pgm"])
    return seeds


class Mutator:
    """Changes files and options; everything comes from one generator of random numbers."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def bytes(self, data):
        r = self.random
        if not data:
            return b"\0"
        at, length = r.randrange(len(data)), r.choice((1, 1, 2, 8, 64, 1024))
        kind = r.randrange(5)
        if kind == 0:
            return data[:at] + bytes([data[at] ^ (1 << r.randrange(8))]) + data[at + 1:]
        if kind == 1:
            return data[:at] + data[at + length:]
        if kind == 2:
            return data[:at] + data[at:at + length] * r.choice((2, 3, 50)) + data[at + length:]
        if kind == 3:
            return data[:at] + bytes(r.randrange(256) for _ in range(length)) + data[at + length:]
        return data[:at]

    def number(self, text):
        places = list(NUMBER.finditer(text))
        if not places:
            return text
        place = self.random.choice(places)
        return text[:place.start()] + self.random.choice(ODD) + text[place.end():]

    def line(self, text):
        r, lines = self.random, text.splitlines(keepends=True)
        if len(lines) < 2:
            return text
        a, b = r.randrange(len(lines)), r.randrange(len(lines))
        kind = r.randrange(4)
        if kind == 0:
            lines[a], lines[b] = lines[b], lines[a]
        elif kind == 1:
            del lines[a]
        elif kind == 2:
            lines.insert(b, lines[a] * r.choice((1, 1, 300)))
        else:
            lines = lines[:a]
        return "".join(lines)

    def attribute(self, text):
        r, places = self.random, list(re.finditer(r'(\w+)="([^"]*)"', text))
        if not places:
            return self.line(text)
        a, b = r.choice(places), r.choice(places)
        value = r.choice([b.group(2), r.choice(ODD_NAMES), r.choice(ODD), a.group(2) * r.choice((2, 400))])
        name = r.choice([a.group(1)] * 4 + [b.group(1)])
        return f'{text[:a.start()]}{name}="{value}"{text[a.end():]}'

    def content(self, data):
        for _ in range(self.random.choice((0, 1, 1, 1, 2, 4))):
            try:
                text = data.decode()
            except UnicodeDecodeError:
                data = self.bytes(data)
                continue
            change = self.random.choice((self.number, self.number, self.attribute, self.attribute, self.line, None))
            data = change(text).encode() if change else self.bytes(data)
        return data

    def file(self, source, target):
        with open(source, "rb") as file:
            data = file.read()
        if source.endswith(".gz") and self.random.random() < 0.7:
            data = gzip.compress(self.content(gzip.decompress(data)), 1)
        else:
            data = self.content(data)
        with open(target, "wb") as file:
            file.write(data)

    def option(self, text):
        def number(match):
            low, high = float(match.group(1)), float(match.group(2))
            odd = self.random.random() < 0.15
            return self.random.choice(ODD).replace("1e6", "7") if odd else f"{self.random.uniform(low, high):.5g}"
        text = re.sub(r"NUM:([\d.]+):([\d.]+)", number, text)
        return text.replace("WORD", self.random.choice(["rope", "FDP2", "dp", "tension/", "hoist", *ODD_NAMES[:6]]))


def complaint(code, text, seconds, memory, folder):
    """What is wrong with how a command ended; None: nothing."""
    if "Sanitizer" in text or "runtime error:" in text:
        return "a sanitizer spoke up"
    if seconds >= PROCESSOR_SECONDS:
        return f"{seconds:.0f} s of processor time"
    if code not in (0, 1, 2, 3):
        return f"it ended with {code}"
    if memory > MEMORY_KB:
        return f"{memory // 1024} MB"
    if code != 0 and not text.strip():
        return f"it ended with {code} and not a word"
    for name in os.listdir(folder) if code == 0 else ():
        if name.startswith("out") and name.endswith((".sto", ".csv")):
            with open(os.path.join(folder, name), errors="replace") as file:
                if re.search(r"[\t,](nan|-nan|inf|-inf)[\t,\n]", file.read()):
                    return f"exit code 0, but {name} contains nan or inf"
    return None


def one(sinew, mutator, seeds, seeds_folder, folder, environment):
    """A case: (arguments, what is wrong or None, code, what it said)."""
    arguments = []
    for word in mutator.random.choice(COMMANDS):
        if word.startswith("FILE:"):
            names = mutator.random.choice(seeds[word[5:]])
            changed = mutator.random.randrange(len(names))
            for i, name in enumerate(names):
                source, target = os.path.join(seeds_folder, name), os.path.join(folder, name)
                if i == changed:
                    mutator.file(source, target)
                else:
                    shutil.copy(source, target)
            arguments.append(names[0])
        else:
            arguments.append(mutator.option(word.replace("OUT", "out")))
    if any("\0" in word for word in arguments):
        return arguments, None, 0, ""
    code, text, seconds, memory = run([sinew, *arguments], folder, environment)
    return arguments, complaint(code, text, seconds, memory, folder), code, text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sinew")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--cases", type=int, default=0, help="stop after so many; 0: only time counts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", default="found-commands", help="folder for cases that fail")
    options = parser.parse_args()
    sinew, failed, count, codes = os.path.abspath(options.sinew), 0, 0, {}
    with tempfile.TemporaryDirectory(prefix="sinew-fuzz-") as home:
        environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(home, "cache"), TMPDIR=home,
                           ASAN_OPTIONS="allocator_may_return_null=1", UBSAN_OPTIONS="print_stacktrace=1",
                           LSAN_OPTIONS=f"suppressions={SOURCE}/tests/leaks.txt:print_suppressions=0")
        seeds_folder = os.path.join(home, "seeds")
        os.mkdir(seeds_folder)
        seeds = make_seeds(sinew, seeds_folder, environment)
        began = time.monotonic()
        while time.monotonic() - began < options.seconds and count != (options.cases or -1):
            folder = os.path.join(home, "case")
            os.mkdir(folder)
            arguments, wrong, code, text = one(sinew, Mutator((options.seed << 32) + count), seeds, seeds_folder, folder,
                                               environment)
            codes[code] = codes.get(code, 0) + 1
            if wrong:
                failed += 1
                kept = os.path.join(options.keep, f"case-{options.seed}-{count}")
                shutil.rmtree(kept, ignore_errors=True)
                shutil.copytree(folder, kept)
                print(f"FAILED {wrong}\n  in {kept}: sinew {' '.join(map(repr, arguments))}\n{text[-3000:]}", flush=True)
            shutil.rmtree(folder)
            count += 1
    ended = ", ".join(f"{number} with {code}" for code, number in sorted(codes.items()))
    print(f"{count} commands on changed files: {ended}; {failed} failed")
    print(f"stat::number_of_executed_units: {count}")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
