#!/usr/bin/env python3
"""Makes the tables of models/body from the survey, one repair at a time.

    models/kit/body_tables.py [--check] [--report]

Reads models/body/survey/*.tsv (figures as they were collected: anthropometry, landmarks, joints, muscles) and writes bones.tsv,
coordinates.tsv, springs.tsv, muscles.tsv and points.tsv beside it. Every change of a figure is a function below that says why; the
column `changed` names it row by row. --check writes nothing and ends with 1 where a table on disk is not what would be
written; --report prints what the sweep over single coordinates finds.
"""
import math
import os
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "body")

STRESS = 0.3e6  # Pa: Lee, Sifakis and Terzopoulos 2009, section 3.3
DEGREE = math.pi / 180


def read(name):
    with open(os.path.join(FOLDER, "survey", name + ".tsv"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return [dict(zip(rows[0], row)) for row in rows[1:]]


def vector(row, names):
    return [float(row[name]) for name in names]


def number(value):
    return "%.9g" % value


def cell(values):
    return " ".join("%.9g" % (value + 0.0) for value in values)


def turned(axis, centre, angle, point):
    """Point turned about an axis through a centre."""
    d = [p - c for p, c in zip(point, centre)]
    cosine, sine, along = math.cos(angle), math.sin(angle), sum(u * x for u, x in zip(axis, d))
    cross = [axis[1] * d[2] - axis[2] * d[1], axis[2] * d[0] - axis[0] * d[2], axis[0] * d[1] - axis[1] * d[0]]
    return [c + x * cosine + y * sine + u * along * (1 - cosine) for c, x, y, u in zip(centre, d, cross, axis)]


class Body:
    """The survey's figures as numbers, with `changed` lists that repairs append to."""

    def __init__(self):
        self.bones, self.springs = read("bones"), read("springs")
        self.status = {row["key"]: row["status"] for row in read("sources")}
        self.joints = [self.joint(row) for row in read("joints")]
        self.muscles = [self.muscle(row) for row in read("muscles")]
        parent = {row["body"]: row["parent"] for row in self.bones}
        self.above = {}
        for body in parent:
            chain, at = set(), body
            while at in parent:
                chain.add(at)
                at = parent[at]
            self.above[body] = chain
        for row in self.springs:
            row["k"], row["c"], row["changed"] = float(row["k_N_per_m"]), float(row["c_Ns_per_m"]), []

    @staticmethod
    def joint(row):
        unit = vector(row, ("ax", "ay", "az"))
        length = math.sqrt(sum(u * u for u in unit))  # the survey rounds to five digits
        return {"name": row["name"], "kind": row["kind"], "parent": row["parent"], "child": row["child"],
                "region": row["region"], "driven": row["drive"] == "muscle", "axis": [u / length for u in unit],
                "centre": vector(row, ("cx", "cy", "cz")), "lower": float(row["min"]), "upper": float(row["max"]),
                "stiffness": float(row["stiffness"]), "damping": float(row["damping"]), "rest": 0.0,
                "source": row["source"], "note": row["note"], "changed": []}

    @staticmethod
    def muscle(row):
        points = [(row["origin_body"], vector(row, ("ox", "oy", "oz")))]
        if row["via"] != "-":
            for via in row["via"].split(";"):
                body, at = via.split(":")
                points.append((body, [float(x) for x in at.split(",")]))
        points.append((row["ins_body"], vector(row, ("ix", "iy", "iz"))))
        return {"name": row["id"], "part": row["region"], "muscle": row["table1_muscle"], "side": row["side"],
                "points": points, "pcsa": float(row["pcsa"]), "fibre": float(row["fibre_length"]),
                "source": row["source"], "changed": []}

    def grade(self, source):
        """A checked, B published but unchecked, C estimate; of several sources the worst."""
        grades = ["C" if key == "est" else "A" if self.status[key][0] in "RV" else "B" for key in source.split(";")]
        return max(grades)


def length_of(points):
    return sum(math.dist(a[1], b[1]) for a, b in zip(points, points[1:]))


def sweep(body, muscle, samples=41):
    """Lengths over each driven coordinate alone, the others neutral: yields (joint, angles, lengths)."""
    for joint in body.joints:
        moves = [joint["child"] in body.above[name] for name, _ in muscle["points"]]
        if not joint["driven"] or all(moves) or not any(moves):
            continue
        angles = [joint["lower"] + (joint["upper"] - joint["lower"]) * i / (samples - 1) for i in range(samples)]
        lengths = []
        for angle in angles:
            lengths.append(length_of([(name, turned(joint["axis"], joint["centre"], angle, at) if move else at)
                                      for move, (name, at) in zip(moves, muscle["points"])]))
        yield joint, angles, lengths


# The repairs. ---------------------------------------------------------------------------------------------------------

def spine_flexion_is_positive(body):
    """The survey counts extension of the spine as positive; motions and clinicians count flexion."""
    for joint in body.joints:
        if joint["name"].endswith("_FE"):
            joint["axis"] = [-u for u in joint["axis"]]
            joint["lower"], joint["upper"] = -joint["upper"], -joint["lower"]
            joint["note"] = joint["note"].replace("+ extension", "+ flexion")
            joint["changed"].append("sign")


def humerus_turns_about_itself(body):
    """The survey's axis of humeral rotation is vertical, the bone is tilted by 10.8 degrees: the elbow would swing."""
    centre = {joint["name"]: joint["centre"] for joint in body.joints}
    for side, sign in (("R", 1), ("L", -1)):
        shoulder, elbow = centre["humerus_%s_introt" % side], centre["ulna_%s_flex" % side]
        d = [sign * (s - e) for s, e in zip(shoulder, elbow)]
        size = math.sqrt(sum(x * x for x in d))
        for joint in body.joints:
            if joint["name"] == "humerus_%s_introt" % side:
                joint["axis"] = [x / size for x in d]
                joint["changed"].append("axis")


def ranges(body):
    """Abduction ends at 75 degrees: at 90 the axes of flexion and rotation coincide. The jaw opens by 14 degrees: beyond, the
    geniohyoid of a hyoid that does not sink turns over. Ribs sink by 4 degrees at most: beyond, the obliques fold."""
    for joint in body.joints:
        if joint["name"] in ("humerus_R_abd", "humerus_L_abd"):
            joint["upper"] = 74.9 * DEGREE
        elif joint["name"] == "mandible_open":
            joint["upper"] = 14 * DEGREE
        elif joint["name"].startswith("rib"):
            joint["lower"] = -4 * DEGREE
        else:
            continue
        joint["changed"].append("range")


def neck_turns_freely(body):
    """C2 to C7 resist turning with 66 N m/rad (Moroney 1988), measured outside the neutral zone; as a linear spring about
    neutral it saturates the neck in an ordinary look to the side. 0.15 of it stands for the zone."""
    for joint in body.joints:
        if joint["name"] in ["C%d_AR" % level for level in range(2, 8)]:
            joint["stiffness"] *= 0.15
            joint["changed"].append("stiffness")


def cage_damping(body):
    """With dampers of 2 ms times the stiffness (cartilage joints 50 ms) the passive joints of the cage are unstable under
    control; 20 times as much holds. The sternum alone would float: 5 kN/m to T3 stands for what lies behind it. Ribs that
    are perfect hinges let it roll sideways, and the girdles that hang on it then sway with a growth of 15 /s: 20 kN m/rad about
    the axis from back to front stands for the ribs' own resistance. Breathing does not use that turn."""
    for spring in body.springs:
        spring["c"] *= 20
        spring["changed"].append("damping")
    for joint in body.joints:
        if joint["name"].startswith("cc") or joint["name"].startswith("sternum"):
            joint["damping"] *= 20
            joint["changed"].append("damping")
        if joint["name"].startswith("sternum_t"):
            joint["stiffness"] = 5000.0
            joint["changed"].append("stiffness")
        if joint["name"] == "sternum_rx":
            joint["stiffness"] = 20000.0
            joint["changed"].append("stiffness")


def thyroid_is_passive(body):
    """Only a depressor, the sternothyroid, pulls at the thyroid (Table I lacks the thyrohyoid): nobody can hold it up. It
    is passive, and its spring rests where it carries the weight in the neutral pose. The spring is 8 N m/rad: with 0.5 the
    sternothyroids (together 1.5 N m) throw it against its stop, and while it knocks there the neck is lost in a bow."""
    for joint in body.joints:
        if joint["name"] == "thyroid_pitch":
            joint["driven"], joint["rest"] = False, 0.0045
            joint["stiffness"], joint["damping"] = 8.0, 0.16
            joint["changed"] += ["drive", "rest", "stiffness", "damping"]


def serratus_vias(body):
    """A via on the rib 20 mm from the blade lets the insertion pass it in protraction (43 mm of arm per degree): vias move
    60 % of the way to the origin, and 6 mm outwards, where the rib is. Slips 1 and 2 are steep nowhere and stay."""
    for muscle in body.muscles:
        if not muscle["name"].startswith("serratus_anterior") or muscle["name"].split("_")[2] in ("r1", "r2"):
            continue
        out = 0.006 if muscle["side"] == "R" else -0.006
        (_, origin), (name, via) = muscle["points"][0], muscle["points"][1]
        moved = [v + 0.6 * (o - v) for v, o in zip(via, origin)]
        muscle["points"][1] = (name, [moved[0], moved[1], moved[2] + out])
        muscle["changed"].append("via")


def stops(body):
    """Ranges end in one-sided springs: 20 times the joint's own stiffness, but at least what holds the part that hangs on
    it. Estimates."""
    for joint in body.joints:
        least = 5.0
        name = joint["name"]
        if name.split("_")[0] in ("humerus", "ulna", "clavscap"):
            least = 10000.0
        elif name.split("_")[0] in ("radius", "hand", "mandible") or name.startswith("rib"):
            least = 200.0
        if joint["kind"] == "trans":
            least = 20000.0
        joint["stop_stiffness"] = max(20 * joint["stiffness"], least)
        joint["stop_damping"] = 10 * joint["stop_stiffness"]  # s per unit of depth


def fibres_and_slack(body):
    """x_neutral: with fibres at their optimal length in the neutral pose, flexors of the straight elbow have 13 % of their
    force at 90 degrees. The middle of what single driven coordinates use is put at 1, within 0.7 to 1.4.
    slack_length: with slack at the neutral length passive forces reach 15 times the maximum. The longest length of the same
    sweep is strained by 0.12."""
    for muscle in body.muscles:
        neutral = length_of(muscle["points"])
        shortest = longest = neutral
        for _, _, lengths in sweep(body, muscle):
            shortest, longest = min(shortest, min(lengths)), max(longest, max(lengths))
        middle = 1 - ((shortest + longest) / 2 - neutral) / muscle["fibre"]
        muscle["neutral"], muscle["shortest"], muscle["longest"] = neutral, shortest, longest
        muscle["x_neutral"] = min(max(middle, 0.7), 1.4)
        muscle["slack"] = max(neutral, longest / 1.12)


REPAIRS = [spine_flexion_is_positive, humerus_turns_about_itself, ranges, neck_turns_freely, cage_damping,
           thyroid_is_passive, serratus_vias, stops, fibres_and_slack]

# The tables. ----------------------------------------------------------------------------------------------------------

FRAME = ("# Frame: x anterior, y up, z right; origin on the floor under the middle of the hip joints; standing, arms 11 degrees "
         "abducted; metres, kg, rad.\n# Written by models/kit/body_tables.py from survey/; grade: A checked, B published but "
         "unchecked, C estimate. references: survey/sources.tsv.\n")


def changed(row):
    return " ".join(row["changed"]) or "-"


def bones_table(body):
    lines = ["body\tparent\tpart\tcentre\tcom\tmass\tinertia\tsize\tnote\n"]
    for row in body.bones:
        lines.append("\t".join([row["body"], "-" if row["parent"] == "ground" else row["parent"], row["region"],
                                cell(vector(row, "xyz")), cell(vector(row, ("com_x", "com_y", "com_z"))), row["mass"],
                                cell(vector(row, ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"))),
                                cell(vector(row, ("d1", "d2", "d3"))), row["size_meaning"] +
                                ("; " + row["note"] if row["note"] else "")]) + "\n")
    return FRAME + "# inertia: xx yy zz xy xz yz about the centre of mass; the pelvis is the fixed root.\n" + "".join(lines)


def coordinates_table(body):
    lines = ["name\tkind\tparent\tchild\tpart\tdriven\taxis\tcentre\tlower\tupper\tstiffness\tdamping\trest\tstop_stiffness\t"
             "stop_damping\tsource\tgrade\tchanged\tnote\n"]
    for joint in body.joints:
        lines.append("\t".join([joint["name"], "slide" if joint["kind"] == "trans" else "turn", joint["parent"],
                                joint["child"], joint["region"], "yes" if joint["driven"] else "no",
                                " ".join("%.12g" % (u + 0.0) for u in joint["axis"]), cell(joint["centre"]),
                                number(joint["lower"]), number(joint["upper"]), number(joint["stiffness"]),
                                number(joint["damping"]), number(joint["rest"]), number(joint["stop_stiffness"]),
                                number(joint["stop_damping"]), joint["source"], body.grade(joint["source"]),
                                changed(joint), joint["note"] or "-"]) + "\n")
    return FRAME + ("# A row per degree of freedom; those of one joint compose in the order listed. Turns: rad, N m/rad, N m s/rad; "
                    "slides: m, N/m, N s/m.\n") + "".join(lines)


def springs_table(body):
    lines = ["name\tbody_a\tbody_b\tpoint\tk\tc\tsource\tgrade\tchanged\n"]
    for row in body.springs:
        lines.append("\t".join([row["spring"], row["body_a"], row["body_b"], cell(vector(row, "xyz")), number(row["k"]),
                                number(row["c"]), row["source"], body.grade(row["source"]), changed(row)]) + "\n")
    return FRAME + "# Springs of length zero between rib and cartilage: k N/m, c N s/m.\n" + "".join(lines)


def muscles_table(body):
    lines = ["name\tpart\tmuscle\tside\tpcsa\tmax_force\tfibre_length\tneutral_length\tx_neutral\tslack_length\tshortest\tlongest\t"
             "source\tgrade\tchanged\n"]
    for row in body.muscles:
        lines.append("\t".join([row["name"], row["part"], row["muscle"], row["side"], number(row["pcsa"]),
                                number(STRESS * row["pcsa"]), number(row["fibre"]), number(row["neutral"]),
                                number(row["x_neutral"]), number(row["slack"]), number(row["shortest"]),
                                number(row["longest"]), row["source"], body.grade(row["source"]), changed(row)]) + "\n")
    return FRAME + ("# pcsa m^2, max_force = 0.3 MPa x pcsa, lengths m. shortest, longest: over single driven coordinates, 41 steps over "
                    "each range, the others neutral.\n# x_neutral: fibre length over the optimal one in the neutral pose.\n") + "".join(lines)


def points_table(body):
    lines = ["muscle\tbody\tpoint\n"]
    for row in body.muscles:
        lines += ["%s\t%s\t%s\n" % (row["name"], name, cell(at)) for name, at in row["points"]]
    return FRAME + "# Paths from origin to insertion, straight between points.\n" + "".join(lines)


# Sections of the skin: the body that each belongs to is only named; the weights come from the distances to the bones.
# The slope of the trapezius: the lines of its upper part run straight from neck to acromion, outside the survey's narrow waist there.
SKIN_SLOPE = {"1.4500": 0.300, "1.4780": 0.215, "1.5000": 0.158, "1.5300": 0.128}
SKIN_BODY = {"torso_neck": "pelvis", "head": "skull", "arm_R": "humerus_R", "arm_L": "humerus_L"}


def skin_sections_table(_):
    """Horizontal superellipses of the survey, the right arm mirrored, as the skin builder reads them."""
    lines = ["# Cross-sections of the skin, from survey/skin_sections.tsv; the left arm is the right one mirrored. Written by models/kit/body_tables.py.",
             "# Units m, frame of the body. breadth along ex, depth along ez, exponent n of |2x/breadth|^n + |2z/depth|^n = 1.",
             "\t".join(("segment", "body", "station", "center", "ex", "ez", "breadth", "depth", "exponent", "arch", "edge", "source"))]
    rows = read("skin_sections")
    for segment in SKIN_BODY:
        left = segment == "arm_L"
        for k, row in enumerate(r for r in rows if r["loft"] == ("arm_R" if left else segment)):
            width = SKIN_SLOPE.get(row["y"], 0) if segment == "torso_neck" else 0
            z = -float(row["zc"]) if left else float(row["zc"])
            lines.append("\t".join((segment, SKIN_BODY[segment], "%s %d" % (segment, k), cell((float(row["xc"]), float(row["y"]), z)),
                                    "0 0 1", "1 0 0", number(width) if width else row["width_z"], row["depth_x"], row["exponent"], "0", "-", row["source"])))
    return "\n".join(lines) + "\n"


TABLES = {"bones": bones_table, "coordinates": coordinates_table, "springs": springs_table, "muscles": muscles_table,
          "points": points_table, "skin_sections": skin_sections_table}


def report(body):
    """Steepest change of each arm between neighbouring degrees, over single driven coordinates."""
    steep, pairs = [], 0
    for muscle in body.muscles:
        if muscle["side"] == "L":
            continue
        for joint, angles, lengths in sweep(body, muscle, samples=201):
            pairs += 1
            step = angles[1] - angles[0]
            arms = [(b - a) / step for a, b in zip(lengths, lengths[1:])]
            worst = max((abs(b - a) for a, b in zip(arms, arms[1:])), default=0) / (step / DEGREE)
            if worst > 0.010:
                steep.append((worst * 1000, muscle["name"], joint["name"]))
    print("%d of %d right-side pairs change by more than 10 mm per degree" % (len(steep), pairs))
    for item in sorted(steep, reverse=True):
        print("  %.1f mm/degree  %s  %s" % item)
    x = [muscle["x_neutral"] for muscle in body.muscles]
    print("x_neutral %.2f to %.2f; at a limit: %d" % (min(x), max(x), sum(v in (0.7, 1.4) for v in x)))
    print("slack beyond the neutral length: %d of %d" % (sum(m["slack"] > m["neutral"] for m in body.muscles), len(body.muscles)))


def main():
    body = Body()
    for repair in REPAIRS:
        repair(body)
    if "--report" in sys.argv:
        report(body)
        return 0
    stale = []
    for name, table in TABLES.items():
        path, text = os.path.join(FOLDER, name + ".tsv"), table(body)
        if "--check" in sys.argv:
            with open(path, encoding="utf-8") as file:
                stale += [name] if file.read() != text else []
            continue
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    for name in stale:
        print("models/body/%s.tsv is not what models/kit/body_tables.py writes: run it" % name)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
