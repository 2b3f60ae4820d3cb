"""Motion of other programs: their names, what they lack, another rest pose, and a mapping to begin with."""
import re
import unittest

from common import SOURCE, Case

BECKON = f"{SOURCE}/models/hand/motions/beckon.bvh"
DIGIT = {"Thumb": 1, "Index": 2, "Middle": 3, "Ring": 4, "Pinky": 5}


def rokoko(name):
    found = re.fullmatch(r"RightHand(Thumb|Index|Middle|Ring|Pinky)([123])", name)
    if not found:
        return name
    words = ("Metacarpal", "Proximal", "Distal") if found[1] == "Thumb" else ("Proximal", "Medial", "Distal")
    return f"RightFinger{DIGIT[found[1]]}{words[int(found[2]) - 1]}"


def xsens(name):
    found = re.fullmatch(r"RightHand(Thumb|Index|Middle|Ring|Pinky)([123])", name)
    if not found:
        return name
    ordinal = ("First", "Second", "Third", "Fourth", "Fifth")[DIGIT[found[1]] - 1]
    words = ("MC", "PP", "DP") if found[1] == "Thumb" else ("PP", "MP", "DP")
    return f"Right{ordinal}{words[int(found[2]) - 1]}"


def rigify(name):
    found = re.fullmatch(r"RightHand(Thumb|Index|Middle|Ring|Pinky)([123])", name)
    if found:
        return f"DEF-{'' if found[1] == 'Thumb' else 'f_'}{found[1].lower()}.0{found[2]}.R"
    return {"RightForeArm": "DEF-forearm.R", "RightHand": "DEF-hand.R", "RightArm": "DEF-upper_arm.R"}.get(name, name)


def cmu(name):
    found = re.fullmatch(r"RightHand(Thumb|Index|Middle|Ring|Pinky)([123])", name)
    if found:
        return f"r{'Mid' if found[1] == 'Middle' else found[1]}{found[2]}"
    return {"RightForeArm": "rForeArm", "RightHand": "rHand", "RightArm": "rShldr"}.get(name, name)


NAMES = {"mixamo": lambda name: "mixamorig:" + name, "rokoko": rokoko, "xsens": xsens, "rigify": rigify, "cmu": cmu}


class Bvh(Case):
    def renamed(self, rename, file):
        with open(BECKON) as source:
            text = source.read()
        return self.write(file, re.sub(r"(?m)^(\s*(?:ROOT|JOINT) )(\S+)", lambda m: m[1] + rename(m[2]), text))

    def bodies(self, motion, *options, code=0):
        answer = self.json("convert", motion, "out.control.xml", "--model", "hand", *options, code=code)
        return answer, self.read("out.control.xml") if code == 0 else ""

    def test_names_of_other_programs_give_the_same_motion(self):
        _, wanted = self.bodies(BECKON)
        for program, rename in NAMES.items():
            answer, found = self.bodies(self.renamed(rename, program + ".bvh"))
            self.assertEqual(answer["coordinates_found"], answer["coordinates_wanted"], program)
            self.assertEqual(found, wanted, program)

    def test_what_is_missing_rests_and_is_named(self):
        motion = self.renamed(lambda name: name.replace("Thumb", "Nail").replace("ForeArm", "Stick"), "part.bvh")
        result = self.sinew("convert", motion, "out.control.xml", "--model", "hand")
        self.assertIn("held at rest: prosup.pronation, cmc1.flexion", result.stderr + result.stdout)
        self.assertIn("unused joints of the file: ", result.stderr)
        answer = self.json("track", "hand", motion, "-o", "out", "--end", 0.1)
        self.assertEqual(answer["coordinates_found"], 18)

    def test_strange_names_are_listed_and_a_map_can_be_filled_in(self):
        motion = self.renamed(lambda name: name.replace("Right", "Arm_").replace("Index", "Zeigefinger") + "_x", "odd.bvh")
        error = self.sinew("track", "hand", motion, "-o", "out", code=3).stderr
        self.assertIn("Arm_ForeArm_x", error)
        self.assertIn(".bvhmap", error)
        text = self.sinew("convert", motion, "my.bvhmap", "--model", "hand").stdout
        self.assertIn("0 of 23 coordinates", text)
        filled = []
        with open(f"{SOURCE}/models/hand/hand.bvhmap") as source:
            own = {line.split()[1]: line.split()[0] for line in source if line.strip() and line[0] != "#"}
        for line in self.read("my.bvhmap").splitlines():
            found = re.match(r"# JOINT +(\S+) (.*)", line)
            if found:
                joint = own[found[1]].replace("Right", "Arm_").replace("Index", "Zeigefinger") + "_x"
                line = f"{joint} {found[1]} {found[2]}"
            filled.append(line)
        self.write("my.bvhmap", "\n".join(filled))
        _, wanted = self.bodies(BECKON)
        answer, found = self.bodies(motion, "--bvh-map", "my.bvhmap")
        self.assertEqual(answer["coordinates_found"], 23)
        self.assertEqual(len(found), len(wanted))

    def test_a_file_that_rests_otherwise(self):
        """The same bones with z up: x, y, z become x, -z, y in offsets and in the axes of the turns."""
        with open(BECKON) as source:
            text = source.read()
        text = re.sub(r"OFFSET (\S+) (\S+) (\S+)", lambda m: f"OFFSET {m[1]} {-float(m[3]):g} {m[2]}", text)
        # A turn about y becomes one about z; one about z becomes one about -y.
        head, motion = text.split("MOTION")
        head = head.replace("Yrotation", "%").replace("Zrotation", "Yrotation").replace("%", "Zrotation")
        lines = motion.strip().splitlines()
        order = re.findall(r"(\w)(position|rotation)", head)
        rows = []
        for line in lines[2:]:
            numbers = [float(x) for x in line.split()]
            rows.append(" ".join(repr(-x if axis == "Y" and kind == "rotation" else x)
                                 for x, (axis, kind) in zip(numbers, order)))
        self.write("up.bvh", head + "MOTION\n" + "\n".join(lines[:2] + rows) + "\n")
        self.bodies(BECKON)
        said = self.sinew("convert", "up.bvh", "up.control.xml", "--model", "hand").stdout
        self.assertIn("its axes were rotated", said)
        a, b = self.poses("out.control.xml"), self.poses("up.control.xml")
        self.assertEqual(len(a), len(b))
        self.assertLess(max(abs(x - y) for x, y in zip(a, b)), 1e-6)

    def poses(self, file):
        return [float(x) for x in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", self.read(file).split("Frame", 1)[1])]


if __name__ == "__main__":
    unittest.main()
