"""Motion of other programs: their names, what they lack, another rest pose, and a mapping to begin with."""
import os
import re
import shutil
import unittest

from common import BUILD, SOURCE, Case

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
        self.assertIn("held at rest: cmc1.flexion, cmc1.palmar_abduction, mcp1.flexion, ip1.flexion", result.stderr)
        self.assertIn("unused joints of the file: ", result.stderr)
        self.assertRegex(result.stdout, r"(?m)^mc1 +none of its own$")
        answer = self.json("track", "hand", motion, "-o", "out", "--end", 0.1)
        self.assertEqual(answer["coordinates_found"], 19)  # what the hand hangs on is taken for the forearm

    def test_strange_names_are_listed_and_a_map_can_be_filled_in(self):
        motion = self.renamed(lambda name: name.replace("Right", "Arm_").replace("Index", "Zeigefinger") + "_x", "odd.bvh")
        error = self.sinew("track", "hand", motion, "-o", "out", code=3).stderr
        self.assertIn("Arm_ForeArm_x", error)
        self.assertIn(".bvhmap", error)
        text = self.sinew("convert", motion, "my.bvhmap", "--model", "hand").stdout
        self.assertIn("0 of 31 lines", text)
        self.assertIn("the mapping has no lines", self.sinew("track", "hand", motion, "-o", "out", "--bvh-map", "my.bvhmap",
                                                             code=3).stderr)
        with open(f"{SOURCE}/models/hand/hand.bvhmap") as source:
            own = [line.split() for line in source if line.strip() and line[0] != "#"]
        filled = []
        for line in self.read("my.bvhmap").splitlines():
            if re.match(r"# \w+ +JOINT", line):
                words = own.pop(0)
                two = words[0] in ("aim", "across", "rest")
                for name in words[1:3] if two else words[1:2]:
                    line = line.replace("JOINT", name.replace("Right", "Arm_").replace("Index", "Zeigefinger") + "_x", 1)
                line = line[2:].split("(")[0]
            filled.append("# " + line if "Hips" in line or "LeftArm" in line else line)
        self.write("my.bvhmap", "\n".join(filled))
        self.bodies(BECKON)
        wanted = self.poses("out.control.xml")
        answer, _ = self.bodies(motion, "--bvh-map", "my.bvhmap")
        self.assertEqual(answer["coordinates_found"], 23)
        self.assertLess(max(abs(x - y) for x, y in zip(wanted, self.poses("out.control.xml"))), 1e-5)

    def test_the_starter_map_works_for_every_model(self):
        arms = self.skeleton()
        for model in ("body", "shoulder", "hand", "hand-left", "hand-clinical"):
            found = self.json("convert", arms, "a.pose.csv", "--model", model)
            self.sinew("convert", arms, "my.bvhmap", "--model", model)
            again = self.json("convert", arms, "b.pose.csv", "--model", model, "--bvh-map", "my.bvhmap")
            self.assertEqual(self.read("a.pose.csv"), self.read("b.pose.csv"), model)
            self.assertGreater(found["coordinates_found"], 0)
            self.assertEqual(found["coordinates_found"], again["coordinates_found"], model)

    def test_a_model_without_a_mapping(self):
        shutil.copytree(f"{BUILD}/models/shoulder", self.path("own"))
        os.remove(self.path("own/shoulder.bvhmap"))
        arms = self.skeleton()
        error = self.sinew("convert", arms, "a.pose.csv", "--model", "own/shoulder.muscle.xml", code=3).stderr
        self.assertIn("my.bvhmap", error)
        self.sinew("convert", arms, "my.bvhmap", "--model", "own/shoulder.muscle.xml")
        text = self.read("my.bvhmap").replace("# base   JOINT thorax", "base Chest thorax")
        text = text.replace("# anchor JOINT humerus", "anchor RightArm humerus")
        self.write("my.bvhmap", text)
        answer = self.json("convert", arms, "a.pose.csv", "--model", "own/shoulder.muscle.xml", "--bvh-map", "my.bvhmap")
        self.assertEqual([j["matched"] for j in answer["joints"]], ["RightArm"])
        self.write("bad.bvhmap", "base Chest thorax\nturn RightArm elbow\n")
        error = self.sinew("convert", arms, "a.pose.csv", "--model", "shoulder", "--bvh-map", "bad.bvhmap", code=3).stderr
        self.assertIn("bad.bvhmap:2", error)
        self.assertIn('no body "elbow"', error)
        self.write("bad.bvhmap", "turn RightArm humerus\n")
        error = self.sinew("convert", arms, "a.pose.csv", "--model", "shoulder", "--bvh-map", "bad.bvhmap", code=3).stderr
        self.assertIn("no base", error)

    def skeleton(self):
        """A T-pose of a few joints; the right arm comes down by 40 degrees, its hand turns by -30, the head by 200."""
        joints = [("Hips", None, "0 90 0"), ("Spine", "Hips", "0 10 0"), ("Chest", "Spine", "0 25 0"),
                  ("Neck", "Chest", "0 20 0"), ("Head", "Neck", "0 10 0")]
        for side, sign in (("Right", -1), ("Left", 1)):
            joints += [(side + "Shoulder", "Chest", f"{3 * sign} 15 0"), (side + "Arm", side + "Shoulder", f"{14 * sign} 0 0"),
                       (side + "ForeArm", side + "Arm", f"{28 * sign} 0 0"), (side + "Hand", side + "ForeArm", f"{25 * sign} 0 0")]
        text = "HIERARCHY\n"

        def put(name, offset, depth):
            nonlocal text
            kind = "JOINT" if depth else "ROOT"
            order.append(name)
            text += f"{kind} {name}\n{{\nOFFSET {offset}\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
            below = [j for j in joints if j[1] == name]
            for j in below:
                put(j[0], j[2], depth + 1)
            text += "" if below else "End Site\n{\nOFFSET 0 1 0\n}\n"
            text += "}\n"

        order = []
        put("Hips", "0 90 0", 0)
        text += "MOTION\nFrames: 11\nFrame Time: 0.1\n"
        for f in range(11):
            row = {"RightArm": f"{4 * f} 0 0", "RightHand": f"0 {-3 * f} 0", "Head": f"0 0 {20 * f}"}
            text += " ".join(row.get(name, "0 0 0") for name in order) + "\n"
        return self.write("arms.bvh", text)

    def test_what_is_discarded_is_said(self):
        arms = self.skeleton()
        answer = self.json("convert", arms, "a.pose.csv", "--model", "body")
        joint = {j["body"]: j for j in answer["joints"]}
        self.assertEqual(joint["hand_R"]["matched"], "RightHand")
        self.assertLess(joint["hand_R"]["discarded_deg_worst"], 1)
        self.assertGreater(joint["skull"]["discarded_deg_worst"], 60)  # a head does not turn round
        self.assertGreater(joint["skull"]["clamped_deg"], 5)
        said = self.sinew("convert", arms, "a.pose.csv", "--model", "body")
        self.assertIn("skull (Head of the file): rotation of", said.stderr)
        self.assertRegex(said.stdout, r"(?m)^hand_R +RightHand +0\.\d rms")
        rows = [line.split(",") for line in self.read("a.pose.csv").splitlines() if line[0] != "#"]
        last = dict(zip(rows[0], map(float, rows[-1])))
        self.assertAlmostEqual(last["radius_R_pron"], -30, delta=6)  # its axis is not quite the bone's
        self.assertTrue(all(abs(float(x)) < 180 for row in rows[1:] for x in row))
        said = self.sinew("track", "body", arms, "-o", "out", "--end", 0.02)
        self.assertIn("skull (Head of the file): rotation of", said.stderr)

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
