# SPDX-License-Identifier: GPL-3.0-or-later
"""The elements and attributes of scene and muscle files, as `sinew info --schema` prints them (schema.json).

Written by `make docs`; a test compares the file with what the command prints. No part of the add-on names an
attribute's type, default, range, unit or meaning anywhere else. Needs no Blender.
"""
import json
import math
import os

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "schema.json"), encoding="utf-8") as _file:
    ELEMENTS = {element["tag"]: element for element in json.load(_file)["elements"]}

NODES = tuple(tag for tag, element in ELEMENTS.items() if element["node"])


def attributes(tag):
    """The attributes of an element, in order: dicts with name, type, unit, doc and, where they apply, default, min,
    max, names, width, required, above_min, child."""
    return ELEMENTS[tag]["attributes"]


def attribute(tag, name):
    for found in attributes(tag):
        if found["name"] == name:
            return found
    raise KeyError(f"{tag} has no attribute {name}")


def is_default(found, value):
    """Whether an attribute with this value may be left out of a file."""
    if found.get("required"):
        return False
    if found["type"] in ("string", "numbers", "ints"):
        return not value
    default = found["default"]
    if found["type"] == "vector":
        return all(map(_same, value, default))
    return _same(value, default) if found["type"] == "number" else value == default


def _same(a, b):
    """Equal as the command sees it: minus zero is not zero."""
    return b is not None and a == b and math.copysign(1, a) == math.copysign(1, b)
