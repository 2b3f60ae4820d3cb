#!/usr/bin/env python3
"""Makes the tables of models/body from the survey, one repair at a time.

    models/kit/body_tables.py [--check] [--report]

Reads models/body/survey/*.tsv (figures as they were collected: anthropometry, landmarks, joints, muscles) and writes bones.tsv,
coordinates.tsv, springs.tsv, muscles.tsv and points.tsv beside it. Every change of a figure is a function below that says why; the
column `changed` names it row by row. --check writes nothing and ends with 1 where a table on disk is not what would be
written; --report prints what the sweep over single coordinates finds.
"""
import fnmatch
import math
import os
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "body")

STRESS = 50.8e4  # Pa: the one tension behind survey/strengths.tsv
DEGREE = math.pi / 180
PASSIVE = 0.3  # of the passive law at full active force: see fibres_and_slack
DEAR = {"geniohyoid": 10, "mylohyoid": 10, "stylohyoid": 10, "sternohyoid": 10,
        "sternothyroid": 10, "omohyoid": 10}
ARM = ("humerus", "ulna", "radius", "hand")


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
        self.find_above()
        for row in self.springs:
            row["k"], row["c"], row["changed"] = float(row["k_N_per_m"]), float(row["c_Ns_per_m"]), []

    def find_above(self):
        """For every body the bodies between it and the ground, with itself."""
        parent = {row["body"]: row["parent"] for row in self.bones}
        self.above = {}
        for body in parent:
            chain, at = set(), body
            while at in parent:
                chain.add(at)
                at = parent[at]
            self.above[body] = chain

    @staticmethod
    def joint(row):
        unit = vector(row, ("ax", "ay", "az"))
        length = math.sqrt(sum(u * u for u in unit))  # the survey rounds to five digits
        return {"name": row["name"], "kind": row["kind"], "parent": row["parent"], "child": row["child"],
                "region": row["region"], "driven": "yes" if row["drive"] == "muscle" else "no", "swept": row["drive"] == "muscle", "axis": [u / length for u in unit],
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
    """Lengths over each coordinate alone that motions move, the others neutral: yields (joint, angles, lengths)."""
    for joint in body.joints:
        moves = [joint["child"] in body.above[name] for name, _ in muscle["points"]]
        if not joint["swept"] or all(moves) or not any(moves):
            continue
        angles = [joint["lower"] + (joint["upper"] - joint["lower"]) * i / (samples - 1) for i in range(samples)]
        lengths = []
        for angle in angles:
            lengths.append(length_of([(name, turned(joint["axis"], joint["centre"], angle, at) if move else at)
                                      for move, (name, at) in zip(moves, muscle["points"])]))
        yield joint, angles, lengths


# The repairs. ---------------------------------------------------------------------------------------------------------

def strengths(body):
    """The survey's areas are published forces divided by tensions between 45 and 140 N/cm2, multiplied by 30 N/cm2: the arm had a
    fifth of its strength. The lines of a muscle share the force of survey/strengths.tsv in proportion to those areas, and the area of
    the table is that of living muscle."""
    rows, lines = read("strengths"), {}
    for muscle in body.muscles:
        name = muscle["name"][:-2]
        row = next((k for k, r in enumerate(rows) if any(fnmatch.fnmatchcase(name, p) for p in r["lines"].split())), None)
        if row is None:
            raise SystemExit("survey/strengths.tsv has no row for %s" % muscle["name"])
        lines.setdefault((row, muscle["side"]), []).append(muscle)
    for (row, _), group in lines.items():
        if len(group) != int(rows[row]["count"]):
            raise SystemExit("survey/strengths.tsv: %s has %d lines, not %s" % (rows[row]["lines"], len(group), rows[row]["count"]))
        total = sum(muscle["pcsa"] for muscle in group)
        for muscle in group:
            muscle["strength"] = "%s, %s" % (rows[row]["muscle"], rows[row]["part"])
            muscle["pcsa"] *= float(rows[row]["force"]) / STRESS / total
            muscle["changed"].append("strength")


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
            joint["driven"], joint["swept"], joint["rest"] = "no", False, 0.0045
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


def anterior_deltoid_via(body):
    """The survey's via turns with the humerus, so that the flexion arm is lost as the arm rises. On the girdle, before the head of the
    humerus, it gives 29, 39 and 26 mm at 0, 45 and 90 degrees of flexion."""
    for muscle in body.muscles:
        if muscle["name"].startswith("deltoid_anterior"):
            side = muscle["side"]
            muscle["points"][1] = ("clavscap_" + side, [0.022, 1.415, 0.178 if side == "R" else -0.178])
            muscle["changed"].append("via")


def girdle_on_the_thorax(body):
    """Clavicle and scapula hang on the sternum in the survey, which only cartilage holds: intercostals and serratus then strain to carry the
    arms. In life the thorax carries them, by the scapula that lies on it. They turn about the same point of the sternum, but with T3, from
    which the sternum strays by millimetres."""
    for row in body.bones:
        if row["body"].startswith("clavscap"):
            row["parent"] = "T3"
    for joint in body.joints:
        if joint["name"].startswith("clavscap"):
            joint["parent"] = "T3"
            joint["changed"].append("parent")
    body.find_above()


def weight_on(body, joint):
    """Torque (of a slide: force) of the weight of all that hangs on a joint, in the neutral pose."""
    total = 0.0
    for row in body.bones:
        if joint["child"] in body.above[row["body"]]:
            pull = [0.0, -9.81 * float(row["mass"]), 0.0]
            if joint["kind"] != "trans":
                d = [a - c for a, c in zip(vector(row, ("com_x", "com_y", "com_z")), joint["centre"])]
                pull = [d[1] * pull[2] - d[2] * pull[1], d[2] * pull[0] - d[0] * pull[2], d[0] * pull[1] - d[1] * pull[0]]
            total += sum(u * f for u, f in zip(joint["axis"], pull))
    return total


def tissue_carries_the_drawn_pose(body):
    """With springs at rest in the drawn pose every vertebra, rib and girdle has to be held up by muscles, one by one and exactly, which nobody
    does who stands still. Springs rest where they carry the weight, as ligaments and discs do: ribs, cartilage and sternum all of it (ribs with
    at least 3 N m/rad); trunk 0.8 of it, with at most 3 degrees; girdle 0.8 of it, with 20 N m/rad for what the thorax carries. The
    neck and the arms carry themselves by muscles. Fitted to quiet standing; estimates."""
    for joint in body.joints:
        name = joint["name"]
        cage, girdle = name.startswith(("rib", "cc", "sternum")), name.startswith("clavscap") and name.endswith("elevate")
        trunk = name[0] in "TL" and name[1].isdigit()
        neck = name.startswith(("C", "skull")) and name.endswith("_FE")
        least = 3.0 if name.startswith("rib") else 20.0 if girdle else 0.0
        if joint["stiffness"] < least:
            joint["stiffness"] = least
            joint["changed"].append("stiffness")
        if not (cage or girdle or trunk or neck) or joint["stiffness"] == 0:
            continue
        rest = -(1.0 if cage else 0.5 if neck else 0.8) * weight_on(body, joint) / joint["stiffness"]
        most = 3 * DEGREE if trunk else math.inf
        if abs(rest) > 1e-9:
            joint["rest"] = min(max(rest, -most), most)
            joint["changed"].append("rest")


def ribs_yield(body):
    """Muscles that hold each rib exactly where it is drawn strain against each other: a breath of 2 degrees took intercostals to 1. Ribs are
    passive like the cartilage they end in; a motion that names them is followed as far as muscles get there cheaply."""
    for joint in body.joints:
        if joint["name"].startswith("rib"):
            joint["driven"], joint["damping"] = "yields", 0.3
            joint["changed"] += ["drive", "damping"]


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


def moves_with(name):
    """Coordinates that one movement uses together: all levels of the spine in a plane, the joints of an arm."""
    return name.split("_")[1] if name.endswith(("_FE", "_LB", "_AR")) else "arm" if name.split("_")[0] in ARM else name


def fibres_and_slack(body):
    """x_neutral: with fibres at their optimal length in the neutral pose, flexors of the straight elbow have 13 % of their
    force at 90 degrees. The middle of what single driven coordinates use is put at 1, within 0.7 to 1.4.
    slack_length: passive force begins where a whole movement (moves_with), each of its coordinates at the end of its range that stretches
    the muscle most, strains it by 0.12. From single coordinates alone, five lumbar levels that bend at once pulled the trunk back with 72 N m
    at 25 degrees, twice what gravity does there.
    passive: at that strain a muscle pulls with PASSIVE times 0.84 of its active force."""
    for muscle in body.muscles:
        neutral = length_of(muscle["points"])
        shortest = longest = neutral
        whole = {}
        for joint, _, lengths in sweep(body, muscle):
            shortest, longest = min(shortest, min(lengths)), max(longest, max(lengths))
            plane = moves_with(joint["name"])
            whole[plane] = whole.get(plane, 0) + max(lengths) - neutral
        middle = 1 - ((shortest + longest) / 2 - neutral) / muscle["fibre"]
        muscle["neutral"], muscle["shortest"], muscle["longest"] = neutral, shortest, longest
        muscle["x_neutral"] = min(max(middle, 0.7), 1.4)
        muscle["stretched"] = neutral + max(whole.values(), default=0)
        muscle["slack"] = max(neutral, muscle["stretched"] / 1.12)


def efforts(body):
    """With the same cost for every line, one of 2 N and one of 700 N work alike hard, and the muscle that is drawn as many lines is
    preferred to one that is drawn as one. The cost of a squared activation goes with the square root of the area, times DEAR where
    muscles have another task. Fitted to who works in quiet standing."""
    mean = sum(muscle["pcsa"] for muscle in body.muscles) / len(body.muscles)
    for muscle in body.muscles:
        dear = next((times for start, times in DEAR.items() if muscle["name"].startswith(start)), 1)
        muscle["effort"] = dear * math.sqrt(muscle["pcsa"] / mean)


REPAIRS = [strengths, spine_flexion_is_positive, humerus_turns_about_itself, ranges, neck_turns_freely, cage_damping,
           thyroid_is_passive, serratus_vias, anterior_deltoid_via, girdle_on_the_thorax,
           tissue_carries_the_drawn_pose, ribs_yield, stops, fibres_and_slack, efforts]

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
                                joint["child"], joint["region"], joint["driven"],
                                " ".join("%.12g" % (u + 0.0) for u in joint["axis"]), cell(joint["centre"]),
                                number(joint["lower"]), number(joint["upper"]), number(joint["stiffness"]),
                                number(joint["damping"]), number(joint["rest"]), number(joint["stop_stiffness"]),
                                number(joint["stop_damping"]), joint["source"], body.grade(joint["source"]),
                                changed(joint), joint["note"] or "-"]) + "\n")
    return FRAME + ("# A row per degree of freedom; those of one joint compose in the order listed. driven: by muscles (yes), passive (no), or passive but moved by "
                    "muscles as far as costs little where a motion names it (yields). Turns: rad, N m/rad, N m s/rad; "
                    "slides: m, N/m, N s/m.\n") + "".join(lines)


def springs_table(body):
    lines = ["name\tbody_a\tbody_b\tpoint\tk\tc\tsource\tgrade\tchanged\n"]
    for row in body.springs:
        lines.append("\t".join([row["spring"], row["body_a"], row["body_b"], cell(vector(row, "xyz")), number(row["k"]),
                                number(row["c"]), row["source"], body.grade(row["source"]), changed(row)]) + "\n")
    return FRAME + "# Springs of length zero between rib and cartilage: k N/m, c N s/m.\n" + "".join(lines)


def muscles_table(body):
    lines = ["name\tpart\tmuscle\tside\tpcsa\tmax_force\tfibre_length\tneutral_length\tx_neutral\tslack_length\tpassive\teffort\tshortest\tlongest\t"
             "strength\tsource\tgrade\tchanged\n"]
    for row in body.muscles:
        lines.append("\t".join([row["name"], row["part"], row["muscle"], row["side"], number(row["pcsa"]),
                                number(STRESS * row["pcsa"]), number(row["fibre"]), number(row["neutral"]),
                                number(row["x_neutral"]), number(row["slack"]), number(PASSIVE), "%.4g" % row["effort"], number(row["shortest"]),
                                number(row["longest"]), row["strength"], row["source"], body.grade(row["source"]), changed(row)]) + "\n")
    return FRAME + ("# pcsa m^2 of living muscle, max_force = 50.8 N/cm2 x pcsa: the line's share of its row of survey/strengths.tsv, named in the column "
                    "strength. Lengths m. shortest, longest: over single driven coordinates, 41 steps over "
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
