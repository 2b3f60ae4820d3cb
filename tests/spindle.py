"""A muscle as simple as can be, for tests of filling one with strands."""
import math

RINGS, ANGLES = 20, 16
# A weight that hangs on one strand: the muscle file; a scene with "frame", "weight" and the curve "line" belongs to it.
MUSCLE = """<Muscle version="1">
  <RigidBody name="frame" pinned="true" mass_from="given" mass="1" inertia="0.001 0.001 0.001"/>
  <RigidBody name="weight" mass_from="given" mass="2" inertia="0.001 0.001 0.001"/>
  <Strand name="line" radius="0.01" max_force="80"/>
  <Constraint name="origin" strand="line" attachment="frame"/>
  <Constraint name="insertion" strand="line" position="1" attachment="weight"/>
  <Function name="weight.lift" muscles="line" levels="1"/>
</Muscle>"""


def spindle(length, belly):
    """Vertices and triangles of a closed spindle down the y axis, its ends 15 % as thick as its belly."""
    vertices = [(0, 0, 0)]
    for i in range(RINGS + 1):
        radius = belly * (0.15 + 0.85 * math.sin(math.pi * i / RINGS))
        for j in range(ANGLES):
            angle = 2 * math.pi * j / ANGLES
            vertices.append((radius * math.cos(angle), -length * i / RINGS, radius * math.sin(angle)))
    vertices.append((0, -length, 0))
    triangles = []
    for j in range(ANGLES):
        k = (j + 1) % ANGLES
        triangles.append((0, 1 + k, 1 + j))
        for i in range(RINGS):
            a, b = 1 + i * ANGLES, 1 + (i + 1) * ANGLES
            triangles += [(a + j, a + k, b + j), (a + k, b + k, b + j)]
        triangles.append((len(vertices) - 1, 1 + RINGS * ANGLES + j, 1 + RINGS * ANGLES + k))
    return vertices, triangles
