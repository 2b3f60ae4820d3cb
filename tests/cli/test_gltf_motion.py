"""glTF animations as motion: the same angles as from the BVH that they were made of, whatever the form of the file."""
import math
import os
import re
import unittest

from common import Case
from gltf_writer import Writer
from test_bvh import BECKON, NAMES

WORDS = {"Thumb": ("metacarpal", "phalanx-proximal", "phalanx-distal")}


def webxr(name):
    found = re.fullmatch(r"RightHand(Thumb|Index|Middle|Ring|Pinky)([123])", name)
    if not found:
        return {"RightHand": "wrist"}.get(name, name)
    words = WORDS.get(found[1], ("phalanx-proximal", "phalanx-intermediate", "phalanx-distal"))
    finger = "" if found[1] == "Thumb" else "-finger"
    return f"{found[1].lower()}{finger}-{words[int(found[2]) - 1]}"


def unreal(name):
    found = re.fullmatch(r"RightHand(Thumb|Index|Middle|Ring|Pinky)([123])", name)
    if found:
        return f"{found[1].lower()}_0{found[2]}_r"
    return {"RightForeArm": "lowerarm_r", "RightHand": "hand_r"}.get(name, name)


def unity(name):
    found = re.fullmatch(r"RightHand(Thumb|Index|Middle|Ring|Pinky)([123])", name)
    if found:
        finger = "Little" if found[1] == "Pinky" else found[1]
        return f"Right {finger} {('Proximal', 'Intermediate', 'Distal')[int(found[2]) - 1]}"
    return {"RightForeArm": "RightLowerArm"}.get(name, name)


def odd_turns(file):
    """A rest rotation for every joint, all different."""
    turns = {}
    with open(file) as source:
        for i, name in enumerate(re.findall(r"(?m)^\s*(?:ROOT|JOINT) (\S+)", source.read())):
            q = [math.cos(i + 1.0), math.sin(2.0 * i), math.cos(3.0 * i), math.sin(5.0 * i + 1)]
            n = math.sqrt(sum(x * x for x in q))
            turns[name] = tuple(x / n for x in q)
    return turns


class GltfMotion(Case):
    @classmethod
    def angles(cls, text):
        rows = [[float(x) for x in line.split(",")] for line in text.splitlines()[1:]]
        return text.splitlines()[0].split(","), rows

    def wanted(self):
        self.sinew("convert", BECKON, "bvh.pose.csv", "--model", "hand")
        return self.angles(self.read("bvh.pose.csv"))

    def put(self, name, data):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        return name

    def compare(self, file, tolerance, what):
        """Largest difference of an angle, rad."""
        names, rows = self.wanted()
        answer = self.json("convert", file, "gltf.pose.csv", "--model", "hand")
        self.assertEqual(answer["coordinates_found"], answer["coordinates_wanted"], what)
        found, other = self.angles(self.read("gltf.pose.csv"))
        self.assertEqual(found, names, what)
        self.assertEqual(len(other), len(rows), what)
        worst = max(abs(a - b) for x, y in zip(rows, other) for a, b in zip(x[1:], y[1:])) * math.pi / 180
        late = max(abs(x[0] - y[0]) for x, y in zip(rows, other))
        print(f"{what}: angles differ by at most {worst:.1e} rad, times by {late:.1e} s")
        self.assertLess(worst, tolerance, what)
        self.assertLess(late, 1e-5, what)
        return worst

    def test_every_form_gives_the_angles_of_the_bvh(self):
        odd = odd_turns(BECKON)
        forms = {"plain": {}, "nodes turned at rest": {"rest": odd, "skin": False}, "bind matrices": {"rest": odd},
                 "nodes hold a frame": {"rest": odd, "nodes_at_rest": False}, "sparse": {"sparse": True},
                 "step": {"way": "STEP"}, "cubic": {"way": "CUBICSPLINE"}}
        for what, form in forms.items():
            self.compare(self.put("a.glb", Writer(BECKON, **form).glb()), 3e-6, what)
        self.compare(self.put("a.glb", Writer(BECKON, kind="short").glb()), 1e-4, "16 bits")

    def test_text_with_its_data_within_and_beside(self):
        writer = Writer(BECKON)
        self.compare(self.put("within.gltf", writer.gltf()), 1e-6, "data within")
        self.put("my data.bin", bytes(writer.data))
        self.compare(self.put("beside.gltf", writer.gltf("my%20data.bin")), 1e-6, "data beside")

    def test_names_of_other_programs(self):
        for program, rename in {**NAMES, "unreal": unreal, "unity": unity}.items():
            self.compare(self.put("a.glb", Writer(BECKON, rename=rename).glb()), 1e-6, program)
        self.put("hand.glb", Writer(BECKON, rename=webxr).glb())
        self.compare("hand.glb", 1e-6, "webxr")

    def test_a_file_that_rests_otherwise_is_turned(self):
        """z up: a node above all that turns the whole, as exporters write it, and the skin bound in its own axes."""
        writer = Writer(BECKON, skin=False)
        half = math.sqrt(0.5)
        writer.json["nodes"].append({"name": "Armature", "rotation": [half, 0, 0, half], "children": [0], "scale": [0.01] * 3})
        self.compare(self.put("a.glb", writer.glb()), 1e-6, "z up")
        said = self.sinew("convert", "a.glb", "b.pose.csv", "--model", "hand").stdout
        self.assertIn("its axes were rotated", said)

    def test_sparse_keys_are_filled_in(self):
        """Two keys a second apart: a finger bends evenly between them."""
        half = math.radians(60) / 2
        writer = Writer(BECKON)
        names = [node["name"] for node in writer.json["nodes"]]
        rows = [(0, 0, 0, 1), (0, 0, math.sin(half), math.cos(half))]
        sampler = {"input": writer.accessor([(0.5,), (1.5,)], "SCALAR"), "output": writer.accessor(rows, "VEC4")}
        channel = {"sampler": 0, "target": {"node": names.index("RightHandMiddle1"), "path": "rotation"}}
        writer.json["animations"] = [{"samplers": [sampler], "channels": [channel]}]
        self.put("two.glb", writer.glb())
        self.sinew("convert", "two.glb", "two.pose.csv", "--model", "hand")
        names, rows = self.angles(self.read("two.pose.csv"))
        column = names.index("mcp3.flexion")
        self.assertEqual(len(rows), 61)
        for row in rows:
            self.assertAlmostEqual(row[column], 60 * row[0], delta=0.05)

    def test_one_animation_of_several(self):
        writer = Writer(BECKON)
        still = {"name": "still", "samplers": [{"input": writer.accessor([(0.0,)], "SCALAR"),
                                                "output": writer.accessor([(0, 0, 0, 1)], "VEC4")}],
                 "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}]}
        writer.json["animations"].insert(0, still)
        self.put("two.glb", writer.glb())
        self.compare("two.glb#beckon", 1e-6, "the second animation")
        self.sinew("convert", "two.glb", "first.pose.csv", "--model", "hand")
        self.assertEqual(len(self.angles(self.read("first.pose.csv"))[1]), 1)
        error = self.sinew("convert", "two.glb#wave", "x.pose.csv", "--model", "hand", code=3).stderr
        self.assertIn('no animation "wave"', error)
        self.assertIn("it has still, beckon", error)

    def test_track_follows_it_and_says_what_it_holds(self):
        rename = lambda name: name.replace("Thumb", "Nail").replace("ForeArm", "Stick")
        self.put("wave.glb", Writer(BECKON, rename=rename).glb())
        result = self.sinew("track", "hand", "wave.glb", "-o", "out", "--end", 0.1)
        self.assertIn("held at rest: cmc1.flexion, cmc1.palmar_abduction", result.stderr + result.stdout)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "out.replay.xml")))
        text = self.sinew("convert", "wave.glb", "my.bvhmap", "--model", "hand").stdout
        self.assertIn("24 of 31 lines", text)
        self.assertIn("RightHandNail1", self.read("my.bvhmap"))

    def test_damage_is_named_with_its_place(self):
        def broken(change):
            writer = Writer(BECKON)
            change(writer.json)
            self.put("bad.gltf", writer.gltf())
            return self.sinew("convert", "bad.gltf", "x.pose.csv", "--model", "hand", code=3).stderr

        def ring(j):
            j["nodes"][0].setdefault("children", [])
            j["nodes"][len(j["nodes"]) - 1]["children"] = [0]

        cases = {
            "a descendant of itself": ring,
            "nodes[3]: children[0] is not a node": lambda j: j["nodes"][3].update(children=[999]),
            "lie beyond the buffer": lambda j: j["bufferViews"][1].update(byteOffset=10 ** 9),
            "lie beyond bufferViews[1]": lambda j: j["accessors"][1].update(count=5000),
            "unknown interpolation \"BEZIER\"": lambda j: j["animations"][0]["samplers"][0].update(interpolation="BEZIER"),
            "no animation of the file turns a joint": lambda j: j.pop("animations"),
            "asset.version is missing or not 2.x": lambda j: j.update(asset={"version": "1.0"}),
            "there is no samplers[400]": lambda j: j["animations"][0]["channels"][0].update(sampler=400),
            "type is SCALAR, expected VEC4": lambda j: j["animations"][0]["samplers"][0].update(output=0),
            "EXT_meshopt_compression": lambda j: j["bufferViews"][1].update(extensions={"EXT_meshopt_compression": {}}),
        }
        for message, change in cases.items():
            self.assertIn(message, broken(change))
        glb = Writer(BECKON).glb()
        self.put("cut.glb", glb[:len(glb) // 2])
        error = self.sinew("convert", "cut.glb", "x.pose.csv", "--model", "hand", code=3).stderr
        self.assertIn("shorter than its header says", error)
        self.put("bad.gltf", '{"asset": {"version": "2.0"},\n "nodes": [1, 2,]}')
        error = self.sinew("convert", "bad.gltf", "x.pose.csv", "--model", "hand", code=3).stderr
        self.assertIn("bad.gltf:2:17", error)
        self.put("far.gltf", Writer(BECKON).gltf("https://example.org/a.bin"))
        self.assertIn("on the network", self.sinew("convert", "far.gltf", "x.pose.csv", "--model", "hand", code=3).stderr)
        os.mkfifo(os.path.join(self.folder, "pipe.bin"))
        self.put("pipe.gltf", Writer(BECKON).gltf("pipe.bin"))
        self.sinew("convert", "pipe.gltf", "x.pose.csv", "--model", "hand", code=3)


if __name__ == "__main__":
    unittest.main()
