#!/usr/bin/env python3
"""Draws frames of a replay side by side as an SVG, seen along an axis of the world.

    tools/draw_replay.py REPLAY.xml OUT.svg [--frames 0,10,20] [--along x|y|z] [--bone BODY=LENGTH,WIDTH]...

Strands are coloured from blue (slack) to red (the largest tension of the run) and drawn over the bones, which are
bars of the given length (m) along the y axis of their body.
"""
import argparse
import math
import xml.etree.ElementTree as xml

HEIGHT = 420.0
MARGIN = 24.0


def rotate(q, v):
    w, x, y, z = q
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2],
            v[2] + w * t[2] + x * t[1] - y * t[0]]


def curve(points, samples=6):
    """Points on the clamped uniform cubic B-spline of the control points."""
    n = len(points)
    knot = [0.0] * 4 + [i / (n - 3) for i in range(1, n - 3)] + [1.0] * 4
    out = []
    for i in range(samples * (n - 3) + 1):
        s = min(i / (samples * (n - 3)), 1 - 1e-12)
        span = int(s * (n - 3))
        d = [list(points[span + j]) for j in range(4)]
        for level in range(1, 4):
            for j in range(3, level - 1, -1):
                a, b = knot[span + j], knot[span + j + 4 - level]
                t = (s - a) / (b - a)
                d[j] = [(1 - t) * p + t * q for p, q in zip(d[j - 1], d[j])]
        out.append(d[3])
    return out


class Replay:
    def __init__(self, path):
        root = xml.parse(path).getroot()
        self.bodies = [e.get("name") for e in root.findall("Body")]
        self.strands = [(e.get("name"), int(e.get("points"))) for e in root.findall("Strand")]
        self.scalars = [e.get("name") for e in root.findall("Scalar")]
        self.frames = [self.read(frame) for frame in root.iter("Frame")]

    @staticmethod
    def numbers(frame, tag):
        element = frame.find(tag)
        return [float(x) for x in element.text.split()] if element is not None and element.text else []

    def read(self, frame):
        pose, point, scalar = (self.numbers(frame, tag) for tag in ("Bodies", "Points", "Scalars"))
        bodies = {name: (pose[7 * i:7 * i + 3], pose[7 * i + 3:7 * i + 7]) for i, name in enumerate(self.bodies)}
        strands, at = {}, 0
        for name, count in self.strands:
            strands[name] = [point[at + 3 * k:at + 3 * k + 3] for k in range(count)]
            at += 3 * count
        return float(frame.get("time")), bodies, strands, dict(zip(self.scalars, scalar))


def colour(fraction):
    """Blue over grey to red: a scale that colour-blind people can read."""
    low, middle, high = (33, 102, 172), (150, 150, 150), (178, 24, 43)
    a, b, t = (low, middle, 2 * fraction) if fraction < 0.5 else (middle, high, 2 * fraction - 1)
    return "#%02x%02x%02x" % tuple(round(p + t * (q - p)) for p, q in zip(a, b))


def frame_shapes(frame, bones, project, top):
    """(bars, lines) of one frame in scene units."""
    _, bodies, strands, scalars = frame
    bars = []
    for name, (length, width) in bones.items():
        position, turn = bodies[name]
        half = rotate(turn, [0, length / 2, 0])
        bars.append(([project([p + h for p, h in zip(position, half)]), project([p - h for p, h in zip(position, half)])],
                     width))
    lines = []
    for name, points in strands.items():
        tension = scalars.get("tension/" + name, 0)
        lines.append(([project(p) for p in curve(points)], colour(min(1, math.sqrt(max(0, tension) / top)))))
    return bars, lines


def polyline(points, place, style):
    text = " ".join("%.1f,%.1f" % place(p) for p in points)
    return f'<polyline points="{text}" fill="none" stroke-linecap="round" stroke-linejoin="round" {style}/>'


def draw(replay, frames, axis, bones, out, below):
    a, b = {"x": (2, 1), "y": (0, 2), "z": (0, 1)}[axis]

    def project(p):
        return p[a], p[b]

    top = max((value for frame in replay.frames for name, value in frame[3].items() if name.startswith("tension/")),
              default=1) or 1
    shapes = [frame_shapes(replay.frames[i], bones, project, top) for i in frames]
    seen = [p for bars, lines in shapes for line, _ in bars + lines for p in line if p[1] <= below]
    low = [min(p[k] for p in seen) for k in (0, 1)]
    high = [max(p[k] for p in seen) for k in (0, 1)]
    scale = (HEIGHT - 2 * MARGIN - 20) / (high[1] - low[1])
    panel = scale * (high[0] - low[0]) + 2 * MARGIN
    width = panel * len(frames)
    text = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {HEIGHT:.0f}" width="{width:.0f}" '
            f'height="{HEIGHT:.0f}" font-family="sans-serif" font-size="14">',
            f'<rect width="{width:.0f}" height="{HEIGHT:.0f}" fill="#ffffff"/>']
    for k, (bars, lines) in enumerate(shapes):
        def place(p, left=k * panel + MARGIN):
            return left + scale * (p[0] - low[0]), MARGIN + scale * (high[1] - p[1])

        text.append(f'<svg x="{k * panel:.1f}" y="0" width="{panel:.1f}" height="{HEIGHT:.0f}" '
                    f'viewBox="{k * panel:.1f} 0 {panel:.1f} {HEIGHT:.0f}">')
        text += [polyline(line, place, f'stroke="#e3d9c6" stroke-width="{scale * size:.1f}"') for line, size in bars]
        text += [polyline(line, place, f'stroke="{paint}" stroke-width="2.5"') for line, paint in lines]
        text.append(f'<text x="{k * panel + MARGIN:.0f}" y="{HEIGHT - 10:.0f}" fill="#333333">'
                    f'{replay.frames[frames[k]][0]:.2f} s</text></svg>')
    text.append("</svg>")
    with open(out, "w") as file:
        file.write("\n".join(text) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("replay")
    parser.add_argument("out")
    parser.add_argument("--frames", default="0")
    parser.add_argument("--along", choices="xyz", default="x")
    parser.add_argument("--bone", action="append", default=[])
    parser.add_argument("--below", type=float, default=math.inf, help="show only what lies below this height (m)")
    options = parser.parse_args()
    bones = {}
    for bone in options.bone:
        name, size = bone.split("=")
        bones[name] = tuple(float(x) for x in size.split(","))
    replay = Replay(options.replay)
    frames = [int(x) % len(replay.frames) for x in options.frames.split(",")]
    draw(replay, frames, options.along, bones, options.out, options.below)


if __name__ == "__main__":
    main()
