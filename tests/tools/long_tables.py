"""Figures that take minutes to measure. Each section that figures.tsv calls long is measured again here, with the commands that the
page names, and every figure of its table is compared with what they print. `ctest -C Long -R tools.tables -V` runs all of it;
`tests/tools/long_tables.py TEXT` those sections whose name has this text (SINEW_BUILD and SINEW_SOURCE name the folders).

Figures may differ as in test_shown.py: by a tenth, or by two of the last digit shown."""
import array
import csv
import glob
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

BUILD = os.environ["SINEW_BUILD"]
SOURCE = os.environ["SINEW_SOURCE"]
sys.path.append(os.path.join(SOURCE, "tests", "tools"))
from test_docs import read
from test_figures import figures_in, held, program, rows, sections
from test_shown import NUMBER, same_number

SINEW = os.path.join(BUILD, "sinew")
HAND = ("beckon cylinder_grip finger_extension fist key_grip letter_a letter_l letter_s letter_v letter_y pinch point precision_pinch "
        "pronation spread thumb_circle thumbs_up typing wave wrist_circle").split()


def sinew(*words):
    """The JSON object that a command prints, or its lines where it prints none. Commands run in the test's own folder."""
    done = subprocess.run([SINEW, *map(str, words), *(["--quiet"] if "--json" in words else [])], capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"sinew {' '.join(map(str, words))}: {done.stdout[-500:]}{done.stderr[-500:]}")
    return json.loads(done.stdout.splitlines()[-1]) if "--json" in words else done.stdout


def table(path):
    """(names, rows of numbers) of a .sto file."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("endheader\n", 1)[1].splitlines()
    return lines[0].split("\t"), [list(map(float, line.split("\t"))) for line in lines[1:]]


def activations(path):
    """{muscle: levels over time} of a .sto file."""
    names, lines = table(path)
    return {name[11:]: [line[i] for line in lines] for i, name in enumerate(names) if name.startswith("activation/")}


def percent(value):
    return f"{100 * value:.2f}"


# ---- docs/sliding.md

def step_difference(model, motion, long, short):
    """(rms of the difference of activations over their rms, largest activation and its muscle, that of the short step, JSON of the long)."""
    said = sinew("track", model, motion, "--step", long, "-o", "long", "--json")
    sinew("track", model, motion, "--step", short, "-o", "short", "--json")
    a, b = activations("long.sto"), activations("short.sto")
    square = sum((x - y) ** 2 for name in a for x, y in zip(a[name], b[name]))
    whole = sum(y * y for name in b for y in b[name])
    most = max(a, key=lambda name: max(a[name]))
    return math.sqrt(square / whole), max(a[most]), most, max(map(max, b.values())), said


def the_hand():
    for motion in HAND:
        first = step_difference("hand", motion, 0.004, 0.001)
        share, most, name, other, said = step_difference("hand", motion, 0.007, 0.00175)
        last = step_difference("hand", motion, 0.01, 0.0025)
        yield motion, [None, None, percent(first[0]), f"{percent(share)} {most:.3f} {other:.3f}", percent(last[0]),
                       f"{said['rms_error_mm']:.5f} {said['worst_error_mm']:.4f}"]


def pose_file(path):
    """(comments, names, rows of numbers) of a file of poses."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    cells = [line.split(",") for line in lines if line and not line.startswith("#")]
    return cells[0], [list(map(float, row)) for row in cells[1:]]


def write_poses(path, names, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([",".join(names), *(",".join(map(repr, line)) for line in lines)]) + "\n")


def motion_path(name):
    return glob.glob(os.path.join(SOURCE, "models", "hand", "motions", name + ".*"))[0]


def active_insufficiency():
    names, lines = pose_file(motion_path("fist"))
    at = names.index("wrist.flexion")
    for row, angle in (("18 degrees extended, as shipped", None), ("0", 0), ("flexed by 30 degrees", 30), ("flexed by 60 degrees", 60)):
        write_poses("wrist.pose.csv", names, [line if angle is None else [*line[:at], angle, *line[at + 1:]] for line in lines])
        said = sinew("track", "hand", "wrist.pose.csv", "--step", 0.004, "-o", "wrist", "--json")
        yield row, [None, None, f"{said['max_activation']:.4f} {said['worst_error_mm']:.3f}"]


def places(path):
    """{body: its positions, one for each frame} of a replay."""
    root = xml.parse(path).getroot()
    names = [body.get("name") for body in root.findall("Body")]
    frames = [[list(map(float, line.split()))[:3] for line in frame.findtext("Bodies").strip().splitlines()] for frame in root.iter("Frame")]
    return {name: [frame[i] for frame in frames] for i, name in enumerate(names)}


def drift(seconds):
    """(largest displacement of a bone after the first second and at the end, mm; which bone) of a simulated replay at 50 frames a second."""
    moved = {name: [1000 * math.dist(at, path[0]) for at in path] for name, path in places("free.replay.xml").items()}
    worst = max(moved, key=lambda name: moved[name][-1])
    return max(path[50] for path in moved.values()), moved[worst][-1], worst, seconds


def held_poses():
    part = section("docs/sliding.md", "Poses that hold by themselves")
    for motion in [row[0] for row in rows(part)]:
        names, lines = pose_file(motion_path(motion))
        still = [(b[0] - a[0], b) for a, b in zip(lines, lines[1:]) if a[1:] == b[1:]]
        pose = max(still)[1] if still else lines[-1]
        write_poses("held.pose.csv", names, [[0.0, *pose[1:]], [1.0, *pose[1:]]])
        result = [None]
        for step in ([], ["--step", "0.004"]):
            sinew("track", "hand", "held.pose.csv", *step, "-o", "held", "--json")
            last = {name: levels[-1] for name, levels in activations("held.sto").items()}
            write_poses("held.csv", ["time", *last], [[0.0, *last.values()], [5.0, *last.values()]])
            sinew("simulate", "hand", "--pose", "held.pose.csv", "--activations", "held.csv", "--time", 5, *step, "-o", "free")
            first, end, _, _ = drift(5)
            result += [f"{first:.2f}", f"{end:.2f}", None] if not step else [f"{end:.2f}"]
        yield motion, result


def sliding():
    programs = held()["docs/sliding.md", "Measured"][2].split()
    printed = "\n".join(line for name in programs for line in program(name.replace(".", "_")))
    for row in rows(section("docs/sliding.md", "Measured")):
        yield row[0], [None, printed]


def summary(said):
    """What sinew info --moment-arms says below its table, up to the torques."""
    return re.search(r"(?ms)^\d+ pairs of strand.*?(?=^holding|\Z)", said)[0]


def the_shoulder():
    whole = [None, summary(sinew("info", "shoulder", "--moment-arms", "--joint", "GH"))]
    yield "published signs right", whole
    yield "pairs of strand and axis", whole
    yield "two ways to compute", whole
    yield "scapulohumeral rhythm", [None, "\n".join(program("kit_shoulder_functions"))]
    yield "dl/dv of a path", [None, "\n".join(program("path_cord"))]


def hand_fit():
    said = summary(sinew("info", "hand", "--moment-arms"))
    tight, sweep = ("\n".join(program(name)) for name in ("kit_hand_paths", "kit_hand_sweep"))
    for row, printed in (("moment arms graded", said), ("signs right", said), ("largest change of an arm", said), ("two ways to compute", said),
                         ("largest change with both", tight), ("arms of the tables", tight), ("arms about wrist", tight),
                         ("passive tension", sweep), ("simulated excursions", sweep)):
        yield row, [None, printed]


def branching_hood():
    subprocess.run(["cmake", "--build", BUILD, "--target", "hand-hood"], check=True, capture_output=True)
    for row, motion, words in (("finger_extension", "finger_extension", []), ("beckon", "beckon", []), ("typing", "typing", []),
                               ("pinch", "pinch", []), ("fist (to 1.2 s)", "fist", ["--end", "1.2"])):
        cells = [None]
        for model in ("hand", "hand-hood"):
            said = sinew("track", os.path.join(BUILD, "models", model, model + ".muscle.xml"), motion_path(motion), "-o", "out", *words, "--json")
            cells.append(f"{said['worst_error_mm']:.4f} {said['max_activation']:.3f}")
        yield row, cells
    said = program("kit_hand_hood")
    for muscle in ("ED2", "EI", "LU2"):
        arms = "\n".join(line for line in said if line.startswith(muscle + ","))
        yield muscle, [None, arms, arms]


PARTS = {"deltoid, clavicular": ("deltoid", 1, 5), "deltoid, acromial": ("deltoid", 6, 12), "deltoid, spinal": ("deltoid", 13, 18),
         "pectoralis major, clavicular": ("pectoralis_major", 1, 5), "pectoralis major, sternocostal": ("pectoralis_major", 6, 13),
         "pectoralis major, abdominal": ("pectoralis_major", 14, 16)}


def arms_of_part(said, part):
    """For each of the three axes: the mean arm of the strands of a part over the range of motion, and in the neutral pose."""
    name, first, last = PARTS.get(part, (part.replace(" ", "_"), 1, 99))
    for axis in ("flexion", "abduction", "medial_rotation"):
        found = [(float(mean), float(rest)) for strand, number, mean, rest in
                 re.findall(rf"(?m)^(\w+)_(\d+) GH\.{axis} +(\S+) +(\S+)", said) if strand == name and first <= int(number) <= last]
        yield " ".join(f"{sum(column) / len(found):.2f}" for column in zip(*found))


def shoulder_fit():
    said = sinew("info", "shoulder", "--moment-arms", "--joint", "GH")
    for row in ("signs right, pairs", "pairs of strand and axis", "two ways to compute"):
        yield row, [None, summary(said)]
    functions, tracking = program("kit_shoulder_functions"), program("control_shoulder_tracking")
    for row in rows(section("models/shoulder/README.md", "How well it fits")):
        if len(row) == 4:
            yield row[0], [None, *arms_of_part(said, row[0])]
        elif row[0].startswith(("scapula.", "humerus.")):
            yield row[0], [None] + 4 * [next(line for line in functions if line.startswith(row[0]))]
        elif len(row) == 5 and any(row[0] in line for line in tracking):
            yield row[0], [None] + 4 * [next(line for line in tracking if re.match(rf" *{row[0]}\b", line))]


# ---- the other pages

def flesh_line(name, *words):
    said = sinew("flesh", *words, "--report", name + ".csv", "--json")
    with open(name + ".csv", encoding="utf-8") as file:
        frames = list(csv.DictReader(file))
    newton, cg = ([int(frame[key]) for frame in frames] for key in ("newton", "cg"))
    text = (f"{len(frames)} frames, {said['tetrahedra']} tetrahedra, {said['unconverged_frames']} unsolved, {said['inverted']} inverted; "
            f"{said['least_j']:.4f}; {percent(said['volume_ratio_min'])} {percent(said['volume_ratio_max'])}; "
            f"{sum(newton) / len(newton):.2f} {sum(cg) / len(cg):.1f} {max(newton)}")
    return text, frames


CURL = "body curl.replay.xml -o curl.pc2 --tetrahedra 250000 --tolerance 0.05 --frame-rate 5 --frames 0:7 --section humerus_R@0.33".split()


def load_curl():
    sinew("track", "body", "curl", "-o", "curl", "--load", "radius_R=5kg", "--load", "radius_L=5kg", "--json")


def reliability():
    sinew("track", "hand", "fist", "-o", "fist", "--json")
    yield "closed fist", [None, flesh_line("fist", *"hand fist.replay.xml -o fist.pc2 --quality preview --frame-rate 24".split())[0]]
    yield "a hundred random poses", [None, "\n".join(program("flesh_poses"))]
    load_curl()
    yield "curl of the upper body", [None, flesh_line("curl", *CURL)[0]]
    for motion, file, rate in (("pectoral dance", "pectoral-dance", 2), ("breathing", "breathing", 1)):
        sinew("track", "body", file, "-o", "one", "--json")
        words = f"body one.replay.xml -o one.pc2 --tetrahedra 100000 --tolerance 0.05 --frame-rate {rate}".split()
        yield motion + " of the upper body", [None, flesh_line("one", *words)[0]]


def biceps():
    load_curl()
    for row, words in (("with muscles", []), ("`--muscle-stress 0`", ["--muscle-stress", "0"])):
        areas = [float(frame["section_cm2"]) for frame in flesh_line("curl", *CURL, *words)[1]]
        yield row, [None, f"{areas[0]:.3f}", f"{max(areas):.3f}", f"{max(areas) - areas[0]:.3f}"]


def unloaded_fist():
    result = {}
    for column, words in (("unloaded", []), ("loaded", ["--load", "grip=0:0/1:0/1.5:20"])):
        sinew("track", "hand", "fist", "-o", "fist", *words, "--json")
        names, lines = table("fist.sto")
        line = min(lines, key=lambda values: abs(values[0] - 1.8))
        result[column] = {name[11:]: value for name, value in zip(names, line) if name.startswith("activation/")}
    def strongest(levels):
        return ", ".join(f"{name} {levels[name]:.3f}" for name in sorted(levels, key=levels.get)[:-4:-1])
    yield "strongest", [None, *map(strongest, result.values())]
    for row, name in (("opponens OP", "OP"), ("FDP4", "FDP4"), ("FDP2", "FDP2")):
        yield row, [None, *(f"{levels[name]:.3f}" for levels in result.values())]


def sweep_share(model, motion, *words):
    said = sinew("sweep", model, motion, *words, "-o", "sweep-" + re.sub(r"\W+", "-", "-".join([model, motion, *words])), "--json")
    return f"{percent(said['share_below_0.03'])} of {said['active_muscles']}, 0.03; {said['diverged']} diverged"


def sweeps():
    for start, model, words in (("hand, fist, PCSA", "hand", "--vary pcsa=5% --draws 10"), ("hand, fist, constraints", "hand", "--vary via=0.3% --draws 10"),
                                ("clinical hand, fist, PCSA", "hand-clinical", "--vary pcsa=5% --draws 10"),
                                ("clinical hand, fist, points", "hand-clinical", "--vary via=3% --draws 10")):
        yield start, [None, sweep_share(model, "fist", *words.split())]
    yield "body, hold", [None, sweep_share("body", "hold", *"--vary pcsa=5% --draws 2 --end 0.2".split())]


def sensitivity():
    for motion in ("hold", "curl", "bow", "reach", "shrug", "turn-head"):
        pcsa = sweep_share("body", motion, *"--vary pcsa=5% --draws 10".split())
        yield f"`{motion}`", [None, pcsa, pcsa, sweep_share("body", motion, *"--vary via=3% --draws 10".split())]


def holding_still():
    for step, seconds in ((None, 60), (0.0035, 8), (0.002, 8)):
        write_poses("hold.pose.csv", ["time", "ulna_R_flex"], [[0.0, 0.0], [float(seconds), 0.0]])
        said = sinew("track", "body", "hold.pose.csv", "-o", "hold", "--replay", "bin", *(["--step", step] if step else []), "--json")
        yield f"{1000 * step:g} ms" if step else "6.9 ms", [None, str(seconds), f"{said['worst_error_rad']:.2g}", None, None]


def body_motions():
    for row in rows(section("docs/upper-body.md", "Motions")):
        said = sinew("track", "body", row[0].strip("`"), "-o", "out", "--replay", "bin", "--json")
        yield row[0], [None, None, f"{said['worst_error_rad']:.2g}", f"{said['unmet_torque']:.2g}", f"{said['max_activation']:.2f}", None]


def coactivation():
    done = subprocess.run([os.path.join(SOURCE, "tools", "body_coactivation"), SINEW, "out.svg"], capture_output=True, text=True, check=True)
    for row, line in zip(("at every step", "20 times", "10 times", "5 times"), done.stdout.splitlines()):
        yield row, [None, *line.replace("every step", "all").split()[1:]]


def soft_shoulder():
    part = section("docs/muscle-library.md", "The muscles of the shoulder")
    for row in rows(part):
        name = row[0].split()[0]
        said = sinew("library", "shoulder", "--muscle", name, *"--points 160 --activations 2 --most 3 --threads 1 --json -o one.library".split())
        one = said["muscles"][0]
        ends = " ".join(f"{axis[end] if axis['name'] == 'activation' else math.degrees(axis[end]):.3f}" for axis in one["axes"] for end in ("low", "high"))
        yield row[0], [str(one["vertices"]), None, f"{one['samples']}", f"{one['jump_mm']:.4f}", f"{one['step_mm']:.3f}",
                       f"{one['midpoint_rms_mm']:.3f} {one['midpoint_max_mm']:.3f}", f"{one['contact_depth_mm']:.3f}", f"{one['least_ratio']:.3f}", None, ends]


def fidelities():
    said = sinew("library", "spindle", "--muscle", "belly", *"--axis slide.0=3,-0.015,0.015 --metres --activations 2 --points 800 --compare --json".split())
    for row in said["rows"]:
        kinds = [row[kind] for kind in ("strands", "points", "elements", "flesh")]
        place = "0" if row["coordinate"] == 0 else f"{1000 * row['coordinate']:g} mm"
        yield f"{place}, {row['activation']:g}", [None, *(" ".join(f"{one[what]:.5f}" for one in kinds) for what in ("force", "bulge", "volume"))]


def cache_points(path):
    """Frames of a point cache (.pc2) as lists of coordinates in metres."""
    with open(path, "rb") as file:
        data = file.read()
    count, _, _, frames = struct.unpack("<iffi", data[16:32])
    values = array.array("f", data[32:32 + 12 * count * frames])
    return [values[3 * count * i:3 * count * (i + 1)] for i in range(frames)]


def larger_cells():
    load_curl()
    said, counts = [], []
    for name, words in (("uniform", []), ("larger", ["--cell-sizes", "3"])):
        words = f"body curl.replay.xml -o {name}.pc2 --spacing 9 --tolerance 0.05 --frame-rate 5 --frames 0:1 --threads 1".split() + words
        said.append(sinew("flesh", *words, "--report", name + ".csv", "--json"))
        with open(name + ".csv", encoding="utf-8") as file:
            frames = list(csv.DictReader(file))
        counts.append(" ".join(str(sum(int(frame[key]) for frame in frames)) for key in ("newton", "cg")))
    apart = sorted(1000 * math.dist(a[i:i + 3], b[i:i + 3]) for a, b in zip(cache_points("uniform.pc2"), cache_points("larger.pc2"))
                   for i in range(0, len(a), 3))
    tetrahedra = [f"{one:,}" for run in said for one in (run["tetrahedra"], *run["tetrahedra_of_size"])]
    yield "body 9 mm", [None, " ".join(tetrahedra), f"{sum(apart) / len(apart):.4f} {apart[int(0.99 * len(apart))]:.4f} {apart[-1]:.4f}",
                        " ".join(counts), " ".join(f"{run['bytes'] / 1e6:.0f}" for run in said)]


MEASURED = {
    ("docs/flesh.md", "Larger cells inside"): larger_cells,
    ("docs/flesh.md", "Reliability"): reliability,
    ("docs/flesh.md", "The biceps bulges"): biceps,
    ("docs/loads.md", "Why an unloaded fist shows an extensor and an interosseus"): unloaded_fist,
    ("docs/muscle-library.md", "The muscles of the shoulder"): soft_shoulder,
    ("docs/muscle-library.md", "Four fidelities side by side"): fidelities,
    ("docs/sliding.md", "Measured"): sliding,
    ("docs/sliding.md", "The hand"): the_hand,
    ("docs/sliding.md", "The shoulder"): the_shoulder,
    ("docs/sliding.md", "Force-velocity and active insufficiency"): active_insufficiency,
    ("docs/sliding.md", "Poses that hold by themselves"): held_poses,
    ("docs/sweep.md", "Figures"): sweeps,
    ("docs/upper-body.md", "Motions"): body_motions,
    ("docs/upper-body.md", "Holding still"): holding_still,
    ("docs/upper-body.md", "Coactivation"): coactivation,
    ("docs/upper-body.md", "Sensitivity"): sensitivity,
    ("models/hand/README.md", "How well it fits"): hand_fit,
    ("models/hand/README.md", "A branching hood, tried"): branching_hood,
    ("models/shoulder/README.md", "How well it fits"): shoulder_fit,
}


def section(page, name):
    return next(part for heading, part in sections(read(page)) if heading.lstrip("# ") == name)


class Tables(unittest.TestCase):
    def test_every_long_section_is_measured(self):
        """Some others are too, where tests hold only limits of what they show."""
        lines = held()
        self.assertEqual([key for key in MEASURED if key not in lines], [])
        self.assertEqual([key for key, line in lines.items() if line[0] == "long" and key not in MEASURED], [])

    def compare(self, page, name, measured):
        """Each figure of a cell against the numbers measured for this cell; None: not measured, figures of earlier versions and speeds."""
        lines, compared = list(rows(section(page, name))), 0
        for start, cells in measured:
            line = next(line for line in lines if line[0].startswith(start))
            print(f"{page}, {name}: {start}: {str(cells)[:200]}", flush=True)
            for cell, printed in zip(line, cells):
                for figure in figures_in(cell) if printed is not None else ():
                    with self.subTest(page=page, section=name, row=start, figure=figure):
                        found = [n.lstrip("+-") for n in NUMBER.findall(str(printed))]
                        self.assertTrue(any(same_number(figure, n) for n in found), f"shown: {cell}; measured: {str(printed)[-300:]}")
                    compared += 1
        self.assertGreater(compared, 2)

    def test_figures_are_those_measured_again(self):
        text = os.environ.get("SINEW_TABLES", "")
        for (page, name), measure in MEASURED.items():
            if text not in f"{page} {name}":
                continue
            with tempfile.TemporaryDirectory(prefix="sinew-tables-") as folder:
                os.chdir(folder)
                self.compare(page, name, measure())
                os.chdir(SOURCE)


if __name__ == "__main__":
    unittest.main()
