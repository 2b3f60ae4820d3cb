#!/usr/bin/env python3
"""Compares whom the strand hand and the clinical hand use for the same motions.

    tools/compare_hands.py [MOTION ...]

Tracks each motion with both models, averages every activation over time, joins heads into the units of the clinical hand, and prints
Spearman's rank correlation over the units. SINEW names the program (build/sinew)."""
import os
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


def main():
    table = units()
    with tempfile.TemporaryDirectory(prefix="sinew-hands-") as folder:
        for motion in sys.argv[1:] or MOTIONS:
            out = {}
            for model in ("hand", "hand-clinical"):
                path = os.path.join(folder, f"{model}-{motion}")
                subprocess.run([SINEW, "track", model, motion, "-o", path, "--quiet"], check=True)
                out[model] = means(path + ".sto")
            strand, tree = out["hand"], out["hand-clinical"]
            both = [u for u in table if u in tree and all(s in strand for s in table[u])]
            a = [sum(strand[s] for s in table[u]) / len(table[u]) for u in both]
            b = [tree[u] for u in both]
            top = lambda v: " ".join(both[i] for i in sorted(range(len(both)), key=lambda i: -v[i])[:5])
            print(f"{motion}: Spearman {spearman(a, b):.2f} over {len(both)} units; strands: {top(a)}; tree: {top(b)}", flush=True)


if __name__ == "__main__":
    main()
