"""A BVH file as glTF: the same skeleton and motion, in the forms that exporters give them."""
import base64
import json
import math
import re
import struct


def multiply(a, b):  # w x y z
    return (a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0])


def conjugate(q):
    return (q[0], -q[1], -q[2], -q[3])


def rotate(q, v):
    return multiply(multiply(q, (0, *v)), conjugate(q))[1:]


def turn(axis, degrees):
    half = math.radians(degrees) / 2
    return (math.cos(half), *(math.sin(half) if axis == k else 0 for k in "XYZ"))


def read_bvh(path):
    """[(name, parent, offset)], [[quaternion of each joint] of each frame], seconds a frame."""
    with open(path) as source:
        head, motion = source.read().split("MOTION")
    joints, channels, stack = [], [], []
    words = head.split()
    at = 0
    while at < len(words):
        word = words[at]
        if word in ("ROOT", "JOINT"):
            joints.append([words[at + 1], stack[-1] if stack else -1, None])
            channels.append([])
            opened = len(joints) - 1
            at += 1
        elif word == "End":
            opened = -2
        elif word == "{":
            stack.append(opened)
        elif word == "}":
            stack.pop()
        elif word == "OFFSET" and stack[-1] >= 0:
            joints[stack[-1]][2] = [float(x) for x in words[at + 1:at + 4]]
        elif word == "CHANNELS":
            channels[stack[-1]] = words[at + 2:at + 2 + int(words[at + 1])]
        at += 1
    lines = motion.strip().splitlines()
    step = float(re.search(r"Time:\s*(\S+)", lines[1])[1])
    frames = []
    for line in lines[2:]:
        values = iter(float(x) for x in line.split())
        frame = []
        for names in channels:
            q = (1.0, 0.0, 0.0, 0.0)
            for name in names:
                value = next(values)
                if name.endswith("rotation"):
                    q = multiply(q, turn(name[0], value))
            frame.append(q)
        frames.append(frame)
    return joints, frames, step


class Writer:
    """Makes the JSON and the binary part. rest: rest rotation of each joint in the scene (name -> w x y z)."""

    def __init__(self, bvh, rename=lambda name: name, rest=None, nodes_at_rest=True, skin=True, way="LINEAR",
                 kind="float", sparse=False):
        self.joints, self.frames, self.step = read_bvh(bvh)
        self.rename, self.way, self.kind, self.sparse = rename, way, kind, sparse
        self.rest = [(rest or {}).get(name, (1.0, 0.0, 0.0, 0.0)) for name, _, _ in self.joints]
        self.data = bytearray()
        self.views, self.accessors = [], []
        self.make(nodes_at_rest, skin)

    def view(self, data):
        self.data += bytes(-len(self.data) % 4)
        self.views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": len(data)})
        self.data += data
        return len(self.views) - 1

    def accessor(self, rows, form, component=5126, normalized=False, sparse=False):
        letter = {5126: "f", 5122: "h", 5120: "b"}[component]
        flat = [x for row in rows for x in row]
        result = {"componentType": component, "count": len(rows), "type": form}
        if normalized:
            result["normalized"] = True
        if sparse:  # every element listed apart, over zeros
            indices = self.view(struct.pack(f"<{len(rows)}H", *range(len(rows))))
            values = self.view(struct.pack(f"<{len(flat)}{letter}", *flat))
            result["sparse"] = {"count": len(rows), "indices": {"bufferView": indices, "componentType": 5123},
                                "values": {"bufferView": values}}
        else:
            result["bufferView"] = self.view(struct.pack(f"<{len(flat)}{letter}", *flat))
        self.accessors.append(result)
        return len(self.accessors) - 1

    def rest_of_parent(self, index):
        parent = self.joints[index][1]
        return self.rest[parent] if parent >= 0 else (1.0, 0.0, 0.0, 0.0)

    def local(self, index, q):
        """The turn of a BVH joint as the node's own: parent's rest^-1 x turn x rest."""
        return multiply(multiply(conjugate(self.rest_of_parent(index)), q), self.rest[index])

    def output(self, index):
        rows = []
        for frame in self.frames:
            w, x, y, z = self.local(index, frame[index])
            rows.append((x, y, z, w))
        if self.kind == "short":
            return self.accessor([[round(32767 * x) for x in row] for row in rows], "VEC4", 5122, True)
        if self.way == "CUBICSPLINE":
            rows = [part for row in rows for part in ((0, 0, 0, 0), row, (0, 0, 0, 0))]
        return self.accessor(rows, "VEC4", sparse=self.sparse)

    def node(self, index, at_rest):
        name, _, offset = self.joints[index]
        q = self.local(index, (1, 0, 0, 0) if at_rest else self.frames[len(self.frames) // 2][index])
        node = {"name": self.rename(name), "rotation": [q[1], q[2], q[3], q[0]],
                "translation": list(rotate(conjugate(self.rest_of_parent(index)), offset))}
        children = [i for i, joint in enumerate(self.joints) if joint[1] == index]
        if children:
            node["children"] = children
        return node

    def bind(self, index):
        """The inverse of the rest pose, by columns."""
        p, joint = [0.0, 0.0, 0.0], index
        while joint >= 0:
            p = [a + b for a, b in zip(p, self.joints[joint][2])]
            joint = self.joints[joint][1]
        back = conjugate(self.rest[index])
        columns = [rotate(back, axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
        last = [-x for x in rotate(back, p)]
        return [x for column in columns for x in (*column, 0.0)] + last + [1.0]

    def make(self, nodes_at_rest, skin):
        nodes = [self.node(i, nodes_at_rest) for i in range(len(self.joints))]
        times = self.accessor([(k * self.step,) for k in range(len(self.frames))], "SCALAR")
        samplers = [{"input": times, "output": self.output(i), "interpolation": self.way} for i in range(len(nodes))]
        channels = [{"sampler": i, "target": {"node": i, "path": "rotation"}} for i in range(len(nodes))]
        self.json = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": nodes,
                     "animations": [{"name": "beckon", "samplers": samplers, "channels": channels}],
                     "accessors": self.accessors, "bufferViews": self.views}
        if skin:
            matrices = self.accessor([self.bind(i) for i in range(len(nodes))], "MAT4")
            self.json["skins"] = [{"joints": list(range(len(nodes))), "inverseBindMatrices": matrices}]

    def glb(self):
        self.json["buffers"] = [{"byteLength": len(self.data)}]
        text = json.dumps(self.json).encode()
        text += b" " * (-len(text) % 4)
        data = bytes(self.data) + bytes(-len(self.data) % 4)
        size = 12 + 8 + len(text) + 8 + len(data)
        return (b"glTF" + struct.pack("<II", 2, size) + struct.pack("<I", len(text)) + b"JSON" + text +
                struct.pack("<I", len(data)) + b"BIN\0" + data)

    def gltf(self, uri=None):
        uri = uri or "data:application/octet-stream;base64," + base64.b64encode(bytes(self.data)).decode()
        self.json["buffers"] = [{"byteLength": len(self.data), "uri": uri}]
        return json.dumps(self.json, indent=1)
