# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads *.replay.xml and *.control.xml into arrays, and writes replays. Needs numpy, not Blender.

A file is channels, then frames: blocks of numbers between fixed tags (docs/files.md). Expat hands out text in small
pieces, so the numbers are cut out by the tags and given to numpy at once: 15 MB take a third of a second.
"""

import os
import re
import warnings
import xml.etree.ElementTree as ElementTree

import numpy


class ReplayError(Exception):
    """A file that cannot be read, in words for the user."""


class Replay:
    """time: n; bodies: n x nbody x 7 (position, rotation w first); points: n x npoint x 3; scalars: n x nscalar.

    Metres and the model's axes, in the world."""

    def __init__(self, model, body_names, strand_names, strand_points, scalar_names, time, bodies, points, scalars):
        self.model = model
        self.body_names, self.strand_names, self.scalar_names = body_names, strand_names, scalar_names
        self.strand_points = strand_points
        self.time, self.bodies, self.points, self.scalars = time, bodies, points, scalars
        self._first = {}
        first = 0
        for name, count in zip(strand_names, strand_points):
            self._first[name] = (first, count)
            first += count
        self._body = {name: index for index, name in enumerate(body_names)}
        self._scalar = {name: index for index, name in enumerate(scalar_names)}

    @property
    def rate(self):
        """Frames a second; None if they are not evenly spaced."""
        if len(self.time) < 2:
            return None
        steps = numpy.diff(self.time)
        mean = (self.time[-1] - self.time[0]) / (len(self.time) - 1)
        return 1 / mean if numpy.abs(steps - mean).max() < 1e-3 * mean else None

    def strand(self, name):
        """n x points x 3, or None."""
        found = self._first.get(name)
        return self.points[:, found[0]:found[0] + found[1]] if found else None

    def body(self, name):
        """n x 7, or None."""
        index = self._body.get(name)
        return None if index is None else self.bodies[:, index]

    def scalar(self, name):
        """n, or None."""
        index = self._scalar.get(name)
        return None if index is None else self.scalars[:, index]


def _parse(text, path):
    """Numbers separated by blanks. numpy's reader of text is five times as fast as float() on each word, but stops in
    silence at what is no number; so it is asked whether it came to the end."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        try:
            return numpy.fromstring(text, dtype=numpy.float64, sep=" ")
        except (DeprecationWarning, ValueError):
            raise ReplayError(f"{path}: found something that is not a number") from None


def _numbers(text, tag, count, path):
    """All numbers between <tag> and </tag>, one row for each frame."""
    opening, closing = f"<{tag}>", f"</{tag}>"
    parts, at = [], text.find(opening)
    while at >= 0:
        end = text.find(closing, at)
        if end < 0:
            raise ReplayError(f"{path}: <{tag}> does not end: the file is truncated")
        parts.append(text[at + len(opening):end])
        at = text.find(opening, end)
    values = _parse(" ".join(parts), path)
    if not count:
        return values.reshape(len(parts), 0) if not values.size else None
    if values.size != count * len(parts):
        raise ReplayError(f"{path}: {values.size} numbers in <{tag}> of {len(parts)} frames, expected {count} in each")
    return values.reshape(len(parts), count)


def _head(text, path):
    """The root and its channels: what stands before the first frame, closed by hand."""
    at = text.find("<Frame")
    match = re.search(r"<(Replay|Control)\b", text[:at if at >= 0 else len(text)])
    if not match:
        raise ReplayError(f"{path}: neither a replay nor a control file")
    if not text.rstrip().endswith(f"</{match.group(1)}>"):
        raise ReplayError(f"{path}: the file is truncated")
    try:
        return ElementTree.fromstring(text[:at] + f"</{match.group(1)}>" if at >= 0 else text)
    except ElementTree.ParseError as trouble:
        raise ReplayError(f"{path}: {trouble}") from None


def read(path):
    """The Replay in a file. A control file is one without strands."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as trouble:
        raise ReplayError(f"{path}: {getattr(trouble, 'strerror', None) or trouble}") from None
    root = _head(text, path)
    names = {tag: [element.get("name", "") for element in root.findall(tag)] for tag in ("Body", "Strand", "Scalar")}
    strand_points = [int(element.get("points", 0)) for element in root.findall("Strand")]
    try:
        time = numpy.array(re.findall(r"<Frame\s+time=\"([^\"]*)\"", text), dtype=numpy.float64)
        bodies = _numbers(text, "Bodies", 7 * len(names["Body"]), path)
        points = _numbers(text, "Points", 3 * sum(strand_points), path)
        scalars = _numbers(text, "Scalars", len(names["Scalar"]), path)
    except ValueError as trouble:
        raise ReplayError(f"{path}: {trouble}") from None
    n = len(time)
    tables = []
    for values, shape in ((bodies, (n, -1, 7)), (points, (n, -1, 3)), (scalars, (n, -1))):
        if values is None or (values.size and len(values) != n):
            raise ReplayError(f"{path}: a frame lacks some of its channels")
        width = values.shape[1] if values.size else 0
        tables.append(values.reshape(shape) if width and n else numpy.empty((n, 0, shape[-1])[:len(shape)]))
    if not numpy.isfinite(time).all() or (numpy.diff(time) <= 0).any():
        raise ReplayError(f"{path}: the times of the frames do not increase")
    if not all(numpy.isfinite(table).all() for table in tables):
        raise ReplayError(f"{path}: a number is not finite")
    return Replay(root.get("model", ""), names["Body"], names["Strand"], strand_points, names["Scalar"], time, *tables)


def _block(tag, rows):
    lines = "\n".join(" ".join(map(repr, row)) for row in rows.tolist())
    return f"<{tag}>\n{lines}\n</{tag}>\n"


def write(path, replay):
    """Writes a Replay as a file that the command reads."""
    from xml.sax.saxutils import quoteattr
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        file.write(f'<Replay version="1" model={quoteattr(replay.model)}>\n')
        for name in replay.body_names:
            file.write(f"<Body name={quoteattr(name)}/>\n")
        for name, count in zip(replay.strand_names, replay.strand_points):
            file.write(f'<Strand name={quoteattr(name)} points="{count}"/>\n')
        for name in replay.scalar_names:
            file.write(f"<Scalar name={quoteattr(name)}/>\n")
        for frame, time in enumerate(replay.time.tolist()):
            file.write(f'<Frame time="{time!r}">\n')
            if replay.body_names:
                file.write(_block("Bodies", replay.bodies[frame]))
            if replay.strand_names:
                file.write(_block("Points", replay.points[frame]))
            if replay.scalar_names:
                file.write(_block("Scalars", replay.scalars[frame][:, None]))
            file.write("</Frame>\n")
        file.write("</Replay>\n")


# ---- point caches ---------------------------------------------------------------------------------------------------


def write_pc2(path, frames, start=0.0, sample=1.0):
    """frames: n x points x 3. Little-endian singles behind a header of 32 bytes."""
    frames = numpy.ascontiguousarray(frames, dtype="<f4")
    header = numpy.zeros(1, dtype=[("name", "S12"), ("version", "<i4"), ("points", "<i4"), ("start", "<f4"),
                                   ("sample", "<f4"), ("samples", "<i4")])
    header["name"], header["version"] = b"POINTCACHE2\0", 1
    header["points"], header["samples"] = frames.shape[1], frames.shape[0]
    header["start"], header["sample"] = start, sample
    try:  # beside its name: a disk that is full leaves the old cache as it is
        with open(path + ".part", "wb") as file:
            file.write(header.tobytes())
            file.write(frames.tobytes())
        os.replace(path + ".part", path)
    except OSError:
        if os.path.exists(path + ".part"):
            os.remove(path + ".part")
        raise


def read_pc2(path):
    """n x points x 3."""
    try:
        with open(path, "rb") as file:
            head, data = file.read(32), file.read()
    except OSError as trouble:
        raise ReplayError(f"{path}: {trouble.strerror or trouble}") from None
    if len(head) < 32 or head[:11] != b"POINTCACHE2":
        raise ReplayError(f"{path}: not a PC2 point cache")
    points, samples = (int(n) for n in numpy.frombuffer(head, "<i4")[[4, 7]])
    if points < 0 or samples < 0 or len(data) < 12 * points * samples:
        raise ReplayError(f"{path}: the point cache is truncated")
    return numpy.frombuffer(data, "<f4", 3 * points * samples).reshape(samples, points, 3)
