#!/usr/bin/env python3
"""Compares whom the strand hand and the clinical hand use for the same motions.

    tools/compare_hands.py [--alike] [MOTION ...]

Tracks each motion with both models, averages every activation over time, joins heads into the units of the clinical hand, and prints
Spearman's rank correlation over the units. --alike takes from the clinical hand what the strand hand does not have: stops that a joint may
lean on, and one activation for the two heads of a muscle. SINEW names the program (build/sinew)."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

MOTIONS = ["fist", "pinch", "point", "spread", "wave"]
SINEW = os.environ.get("SINEW", "build/sinew")
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def units():
    """Strands of each unit."""
    with open(os.path.join(ROOT, "models/hand-clinical/units.tsv"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return {row[0]: row[1].split() for row in rows[1:]}


def means(path):
    """Mean activation of each muscle in a .sto file."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("endheader"):
                break
        names = next(file).split()
        rows = [[float(x) for x in line.split()] for line in file]
    wanted = [(i, n.split("/", 1)[1]) for i, n in enumerate(names) if n.startswith("activation/")]
    return {n: sum(r[i] for r in rows) / len(rows) for i, n in wanted}


def ranks(values):
    order = sorted(range(len(values)), key=lambda i: values[i])
    rank = [0.0] * len(values)
    i = 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
            j += 1
        for k in order[i : j + 1]:
            rank[k] = (i + j) / 2
        i = j + 1
    return rank


def spearman(a, b):
    a, b = ranks(a), ranks(b)
    n = len(a)
    ma, mb = sum(a) / n, sum(b) / n
    cov = sum((x - ma) * (y - mb) for x, y in zip(a, b))
    return cov / (sum((x - ma) ** 2 for x in a) * sum((y - mb) ** 2 for y in b)) ** 0.5


def without_stops_and_shared_heads(folder, table):
    """The clinical hand with stops of no stiffness, each head a unit of its own."""
    source = os.path.join(os.path.dirname(SINEW), "models", "hand-clinical")
    shutil.copy(os.path.join(source, "hand-clinical.scene.xml"), folder)
    with open(os.path.join(source, "hand-clinical.muscle.xml"), encoding="utf-8") as file:
        text = re.sub(r' stop_stiffness="[^"]*"', "", file.read())
    text = text.replace("<Coordinate ", '<Coordinate stop_stiffness="0" ')
    for heads in (h for h in table.values() if len(h) > 1):
        for head in heads:
            text, n = re.subn(rf'(<LineMuscle name="{head}"[^>]*?) unit="[^"]*"', r"\1", text)
            assert n == 1, f"{head} has no unit"
    path = os.path.join(folder, "alike.muscle.xml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def main():
    table = units()
    alike = "--alike" in sys.argv
    motions = [m for m in sys.argv[1:] if m != "--alike"] or MOTIONS
    with tempfile.TemporaryDirectory(prefix="sinew-hands-") as folder:
        clinical = without_stops_and_shared_heads(folder, table) if alike else "hand-clinical"
        for motion in motions:
            out = {}
            for name, model in (("strands", "hand"), ("tree", clinical)):
                path = os.path.join(folder, f"{name}-{motion}")
                keys = os.path.join(ROOT, "models/hand/motions", motion + ".pose.csv")
                subprocess.run([SINEW, "track", model, keys, "-o", path, "--quiet"], check=True)
                out[name] = means(path + ".sto")
            strand, tree = out["strands"], out["tree"]
            mean = lambda found, unit: found[unit] if unit in found else sum(found[s] for s in table[unit]) / len(table[unit])
            both = list(table)
            a = [mean(strand, u) for u in both]
            b = [mean(tree, u) for u in both]
            top = lambda v: " ".join(both[i] for i in sorted(range(len(both)), key=lambda i: -v[i])[:5])
            print(f"{motion}: Spearman {spearman(a, b):.2f} over {len(both)} units; strands: {top(a)}; tree: {top(b)}", flush=True)


if __name__ == "__main__":
    main()
