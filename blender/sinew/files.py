# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads and writes the files of sinew: scene, muscle and control (docs/files.md), and the meshes that a scene names.

Needs no Blender. What may stand in an element comes from the schema; numbers are written with as few digits as read
back to the same double, so that reading and writing a file loses nothing. Documents with entities are refused.
"""
import os
import struct
import tempfile
import xml.etree.ElementTree as ElementTree
from xml.parsers import expat

from . import schema

MUSCLE_TAGS = ("RigidBody", "Joint", "Strand", "MuscleGroup", "Constraint", "ForceLength", "Function")


class FileError(Exception):
    """A file that cannot be read or written, in words for the user."""


class Element:
    """An element: `values` has every attribute and array that was given, by name."""

    def __init__(self, tag, values=None, children=None):
        self.tag = tag
        self.values = values if values is not None else {}
        self.children = children if children is not None else []

    @property
    def name(self):
        return self.values.get("name", "")

    def get(self, name):
        """A value, or its default."""
        if name in self.values:
            return self.values[name]
        return schema.attribute(self.tag, name).get("default", "")

    def walk(self, parent=None):
        """(element, parent) of this and everything below, parents first."""
        yield self, parent
        for child in self.children:
            yield from child.walk(self)


# ---- reading --------------------------------------------------------------------------------------------------------


def _parse(path):
    """The root of an XML document. Declarations of entities are refused: our files have none."""
    builder = ElementTree.TreeBuilder()
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def refuse(*_):
        raise FileError(f"{path}: entities are not allowed")
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler, parser.EndElementHandler = builder.start, builder.end
    parser.CharacterDataHandler = builder.data
    try:
        with open(path, "rb") as file:
            parser.ParseFile(file)
    except OSError as trouble:
        raise FileError(f"{path} cannot be read: {trouble.strerror}") from None
    except expat.ExpatError as trouble:
        raise FileError(f"{path}: {trouble}") from None
    return builder.close()


def _value(found, text):
    kind = found["type"]
    if kind == "bool":
        return {"true": True, "false": False}[text]
    if kind == "int":
        return int(text)
    if kind == "number":
        return float(text)
    if kind == "ints":
        return [int(word) for word in text.split()]
    if kind in ("vector", "numbers"):
        values = [float(word) for word in text.split()]
        if kind == "vector" and len(values) != found["width"]:
            raise ValueError
        return values
    if kind == "enum" and text not in found["names"]:
        raise ValueError
    return text


def _element(path, xml):
    """An element with its values, and its children that are no arrays."""
    if xml.tag not in schema.ELEMENTS:
        raise FileError(f"{path}: unknown element {xml.tag}")
    known = {found["name"]: found for found in schema.attributes(xml.tag)}
    result = Element(xml.tag)
    given = [(name, text, False) for name, text in xml.items() if name != "version"]
    given += [(child.tag, child.text or "", True) for child in xml if known.get(child.tag, {}).get("child")]
    for name, text, child in given:
        found = known.get(name)
        if not found or bool(found.get("child")) != child:
            raise FileError(f"{path}: {xml.tag} {xml.get('name', '')} has an unknown attribute {name}")
        try:
            result.values[name] = _value(found, text)
        except (ValueError, KeyError):
            raise FileError(f"{path}: {xml.tag} {xml.get('name', '')}: {name} cannot be {text[:40]!r}") from None
    result.children = [_element(path, child) for child in xml if not known.get(child.tag, {}).get("child")]
    return result


def _read(path, tag):
    xml = _parse(path)
    if xml.tag != tag:
        raise FileError(f"{path}: the root is {xml.tag}, expected {tag}")
    if xml.get("version") != "1":
        raise FileError(f"{path}: version {xml.get('version')} is unknown to this add-on")
    return _element(path, xml)


def read_scene(path):
    """The root of a scene; its children are the nodes."""
    return _read(path, "ModelerScene")


def read_muscle(path):
    """The root of a muscle file; its children are the elements."""
    return _read(path, "Muscle")


def scene_beside(path, muscle):
    """Path of the scene that a muscle file belongs to."""
    name = muscle.values.get("scene") or os.path.basename(path).replace(".muscle.xml", "") + ".scene.xml"
    return os.path.join(os.path.dirname(path), name)


class Motion:
    """Poses of bodies over time. `poses` has for each frame seven numbers per body: position (m), rotation w first."""

    def __init__(self, names, times, poses):
        self.names, self.times, self.poses = names, times, poses


def read_motion(path):
    """The bodies of a control or replay file."""
    xml = _parse(path)
    if xml.tag not in ("Control", "Replay"):
        raise FileError(f"{path}: the root is {xml.tag}, expected Control or Replay")
    names = [body.get("name") for body in xml.iter("Body")]
    times, poses = [], []
    try:
        for frame in xml.iter("Frame"):
            times.append(float(frame.get("time")))
            poses.append([float(word) for word in (frame.findtext("Bodies") or "").split()])
            if len(poses[-1]) != 7 * len(names):
                raise ValueError
    except (TypeError, ValueError):
        raise FileError(f"{path}: frame {len(times)} does not have seven numbers for each body") from None
    return Motion(names, times, poses)


# ---- writing --------------------------------------------------------------------------------------------------------


def number(value):
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


def _numbers(values):
    return " ".join(map(number, values))


def _escape(text):
    for plain, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("\t", "&#9;"),
                          ("\n", "&#10;")):
        text = text.replace(plain, entity)
    return text


def _text(found, value):
    kind = found["type"]
    if kind == "bool":
        return "true" if value else "false"
    if kind in ("vector", "numbers"):
        return _numbers(value)
    if kind == "number":
        return number(value)
    return str(value) if kind == "int" else _escape(value)


def _write_array(out, found, values, indent):
    width = found["width"] if found["width"] > 1 else 12
    out.append(f"{indent}<{found['name']}>\n")
    say = _numbers if found["type"] == "numbers" else (lambda row: " ".join(map(str, row)))
    for start in range(0, len(values), width):
        out.append(f"{indent}  {say(values[start:start + width])}\n")
    out.append(f"{indent}</{found['name']}>\n")


def _write_element(out, element, depth):
    indent, values = "  " * depth, element.values
    out.append(f"{indent}<{element.tag}" + ("" if depth else ' version="1"'))
    arrays = []
    for found in schema.attributes(element.tag):
        value = values.get(found["name"])
        if value is None or schema.is_default(found, value):
            continue
        if found.get("child"):
            arrays.append((found, value))
        else:
            out.append(f' {found["name"]}="{_text(found, value)}"')
    if not arrays and not element.children and depth:
        out.append("/>\n")
        return
    out.append(">\n")
    for found, value in arrays:
        _write_array(out, found, value, indent + "  ")
    for child in element.children:
        _write_element(out, child, depth + 1)
    out.append(f"{indent}</{element.tag}>\n")


def save(path, pieces):
    """Writes text or bytes beside the path and renames it, so that no file is ever half there."""
    folder = os.path.dirname(os.path.abspath(path))
    beside = None
    try:
        os.makedirs(folder, exist_ok=True)
        handle, beside = tempfile.mkstemp(dir=folder, prefix=os.path.basename(path) + ".", suffix=".part")
        with os.fdopen(handle, "wb") as file:
            for piece in pieces:
                file.write(piece.encode("utf-8") if isinstance(piece, str) else piece)
        os.chmod(beside, 0o644)
        os.replace(beside, path)
    except OSError as trouble:
        if beside and os.path.exists(beside):
            os.remove(beside)
        raise FileError(f"{path} cannot be written: {trouble.strerror}") from None


def write(path, root):
    """Writes a scene or muscle file."""
    out = ['<?xml version="1.0" encoding="UTF-8"?>\n']
    _write_element(out, root, 0)
    save(path, out)


def write_control(path, model, motion):
    """Writes the motion of bodies."""
    out = ['<?xml version="1.0" encoding="UTF-8"?>\n', f'<Control version="1" model="{_escape(model)}">\n']
    out += [f'<Body name="{_escape(name)}"/>\n' for name in motion.names]
    for time, pose in zip(motion.times, motion.poses):
        rows = "".join(_numbers(pose[i:i + 7]) + "\n" for i in range(0, len(pose), 7))
        out.append(f'<Frame time="{number(time)}">\n<Bodies>\n{rows}</Bodies>\n</Frame>\n')
    out.append("</Control>\n")
    save(path, out)


# ---- meshes ---------------------------------------------------------------------------------------------------------

_PLY_TYPES = {"char": "b", "int8": "b", "uchar": "B", "uint8": "B", "short": "h", "int16": "h", "ushort": "H",
              "uint16": "H", "int": "i", "int32": "i", "uint": "I", "uint32": "I", "float": "f", "float32": "f",
              "double": "d", "float64": "d"}


def _ply_header(path, file):
    """[(name, count, [(property, type or list types)])] of a binary little-endian PLY."""
    elements = []
    if file.readline().strip() != b"ply":
        raise FileError(f"{path} is not a PLY file")
    for line in iter(file.readline, b""):
        words = line.decode("ascii", "replace").split()
        if words[:1] == ["format"] and words[1] != "binary_little_endian":
            raise FileError(f"{path}: only binary little-endian PLY is read here")
        if words[:1] == ["element"]:
            elements.append((words[1], int(words[2]), []))
        if words[:1] == ["property"]:
            kinds = [_PLY_TYPES[word] for word in words[1:-1] if word != "list"]
            elements[-1][2].append((words[-1], kinds))
        if words[:1] == ["end_header"]:
            return elements
    raise FileError(f"{path}: the header has no end")


def _ply_faces(file, count, properties):
    faces = []
    for _ in range(count):
        for name, kinds in properties:
            length = struct.unpack("<" + kinds[0], file.read(struct.calcsize(kinds[0])))[0] if len(kinds) > 1 else 1
            kind = f"<{length}{kinds[-1]}"
            row = struct.unpack(kind, file.read(struct.calcsize(kind)))
            if len(kinds) > 1 and name in ("vertex_indices", "vertex_index"):
                faces.append(row)
    return faces


def read_ply(path):
    """(vertices, faces, colours or None) of a binary little-endian PLY; colours from 0 to 1."""
    vertices, faces, colours = [], [], None
    try:
        with open(path, "rb") as file:
            for name, count, properties in _ply_header(path, file):
                if name == "face":
                    faces = _ply_faces(file, count, properties)
                    continue
                row = struct.Struct("<" + "".join(kinds[0] for _, kinds in properties))
                rows = list(row.iter_unpack(file.read(row.size * count)))
                names = [key for key, _ in properties]
                if name == "vertex":
                    x = names.index("x")
                    vertices = [found[x:x + 3] for found in rows]
                    if "red" in names:
                        red = names.index("red")
                        colours = [tuple(c / 255 for c in found[red:red + 3]) for found in rows]
    except OSError as trouble:
        raise FileError(f"{path} cannot be read: {trouble.strerror}") from None
    except (struct.error, ValueError, KeyError, IndexError):
        raise FileError(f"{path} is not a PLY file that can be read") from None
    return vertices, faces, colours


def write_ply(path, vertices, triangles, colours=None):
    """Writes a binary little-endian PLY with doubles."""
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(vertices)}\n"
    head += "".join(f"property double {axis}\n" for axis in "xyz")
    if colours:
        head += "".join(f"property uchar {name}\n" for name in ("red", "green", "blue"))
    head += f"element face {len(triangles)}\nproperty list uchar int vertex_indices\nend_header\n"
    body = bytearray(head.encode("ascii"))
    for i, vertex in enumerate(vertices):
        body += struct.pack("<3d", *vertex)
        if colours:
            body += bytes(max(0, min(255, round(255 * c))) for c in colours[i][:3])
    for triangle in triangles:
        body += struct.pack("<B3i", 3, *triangle)
    save(path, [bytes(body)])
