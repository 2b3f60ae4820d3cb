#!/usr/bin/env python3
"""Draws OBJ files side by side as a PNG, in plain Python: depth buffer, one lamp, all in the scale of the first.

    build/sinew track body curl -o curl
    build/sinew flesh body curl.replay.xml -o curl.obj --frame-rate 8
    tools/draw_mesh.py docs/images/flesh-curl.png 300x460 curl.0000.obj curl.0011.obj

--lift MM BASE.obj colours every mesh by how far it stands out of BASE (red) or has sunk in (blue), at most at MM millimetres.
"""
import math
import struct
import sys
import zlib

BACKGROUND, SKIN = (244, 244, 242), (232, 182, 156)
OUT, IN = (230, 30, 20), (30, 70, 230)
SEEN_FROM = (0.8, 0.15, 0.56)  # y is up


def unit(v):
    length = math.sqrt(sum(x * x for x in v))
    return tuple(x / length for x in v) if length > 0 else (0, 0, 1)


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def read_obj(path):
    points, triangles = [], []
    with open(path, encoding="ascii") as file:
        for line in file:
            part = line.split()
            if part[:1] == ["v"]:
                points.append(tuple(float(x) for x in part[1:4]))
            elif part[:1] == ["f"]:
                triangles.append([int(x.split("/")[0]) - 1 for x in part[1:4]])
    return points, triangles


def normals(points, triangles):
    normal = [(0, 0, 0)] * len(points)
    for a, b, c in triangles:
        n = cross([q - p for p, q in zip(points[a], points[b])], [q - p for p, q in zip(points[a], points[c])])
        for i in (a, b, c):
            normal[i] = tuple(x + y for x, y in zip(normal[i], n))
    return [unit(n) for n in normal]


def colours(points, normal, lift):
    """Of every point: the skin's, towards red or blue by how far it is from its place in the base along its normal."""
    if not lift:
        return [SKIN] * len(points)
    most, base = lift
    parts = [max(-1, min(1, dot([a - b for a, b in zip(p, q)], n) / most)) for p, q, n in zip(points, base, normal)]
    return [tuple(s + abs(t) * (c - s) for s, c in zip(SKIN, OUT if t > 0 else IN)) for t in parts]


def fill(corner, colour, size, depth, pixels):
    """One triangle; corner: (x, y, depth), y down."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = corner
    area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    if area >= 0:  # seen from behind
        return
    for y in range(max(0, int(min(ay, by, cy))), min(size[1] - 1, int(max(ay, by, cy)) + 1) + 1):
        for x in range(max(0, int(min(ax, bx, cx))), min(size[0] - 1, int(max(ax, bx, cx)) + 1) + 1):
            u = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / area
            v = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / area
            z = az + u * (bz - az) + v * (cz - az)
            if u < 0 or v < 0 or u + v > 1 or depth.get((x, y), -math.inf) >= z:
                continue
            depth[x, y] = z
            pixels[x, y] = bytes(int(a + u * (b - a) + v * (c - a)) for a, b, c in zip(*colour))


def draw(mesh, axes, place, size, pixels, offset, lift):
    points, triangles = mesh
    right, up, ahead = axes
    flat = [place(dot(p, right), dot(p, up)) + (dot(p, ahead),) for p in points]
    lamp, normal = unit([a + 0.5 * u - 0.9 * r for r, u, a in zip(*axes)]), normals(points, triangles)
    lit = [tuple(part * (0.25 + 0.75 * max(0, dot(n, lamp))) for part in colour)
           for n, colour in zip(normal, colours(points, normal, lift))]
    depth, own = {}, {}
    for triangle in triangles:
        fill([flat[i] for i in triangle], [lit[i] for i in triangle], size, depth, own)
    for (x, y), colour in own.items():
        pixels[offset + x, y] = colour


def save_png(path, wide, high, pixels):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = b"".join(b"\0" + b"".join(pixels.get((x, y), bytes(BACKGROUND)) for x in range(wide)) for y in range(high))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def main():
    words, lift = sys.argv[1:], None
    if "--lift" in words[:-2]:
        at = words.index("--lift")
        lift = float(words[at + 1]) / 1e3, read_obj(words[at + 2])[0]
        del words[at:at + 3]
    if len(words) < 3:
        sys.exit(__doc__)
    size = tuple(int(x) for x in words[1].split("x"))
    meshes = [read_obj(path) for path in words[2:]]
    ahead = unit(SEEN_FROM)
    right = unit(cross((0, 1, 0), ahead))
    axes = (right, cross(ahead, right), ahead)
    xs, ys = ([dot(p, axis) for points, _ in meshes for p in points] for axis in axes[:2])
    scale = 0.94 * min(size[0] / (max(xs) - min(xs)), size[1] / (max(ys) - min(ys)))
    middle = (max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2
    pixels = {}
    for i, mesh in enumerate(meshes):
        draw(mesh, axes, lambda x, y: (size[0] / 2 + scale * (x - middle[0]), size[1] / 2 - scale * (y - middle[1])),
             size, pixels, i * size[0], lift)
    save_png(words[0], size[0] * len(meshes), size[1], pixels)


if __name__ == "__main__":
    main()
