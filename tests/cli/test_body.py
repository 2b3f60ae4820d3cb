"""The upper body by the command: check, info, simulate, track."""
import math
import os
import re
import subprocess
import time
import struct
import unittest
import xml.etree.ElementTree as xml

from common import BUILD, SINEW, Case


class Body(Case):
    def test_check_finds_nothing(self):
        self.assertIn("0 errors, 0 warnings", self.sinew("check", "body").stdout)

    def test_info_has_the_published_counts(self):
        answer = self.json("info", "body")
        self.assertEqual((answer["bodies"], answer["degrees_of_freedom"], answer["muscles"]), (68, 147, 814))
        self.assertEqual((answer["tree"]["driven"], answer["tree"]["springs"], answer["meshes"]), (96, 20, 69))  # 68 bones and the skin

    def rows(self, name):
        """The table of a run, a dictionary for each frame."""
        lines = self.read(name + ".sto").splitlines()
        begin = lines.index("endheader") + 1
        names = lines[begin].split("\t")
        return [dict(zip(names, map(float, line.split("\t")))) for line in lines[begin + 1 :]]

    def test_simulate_drops_it(self):
        answer = self.json("simulate", "body", "-o", "fall", "--time", "0.12")
        self.assertFalse(answer["diverged"])
        root, rows = xml.parse(self.path("fall.replay.xml")).getroot(), self.rows("fall")
        self.assertEqual((len(list(root.iter("Body"))), len(list(root.iter("Strand")))), (68, 814))
        self.assertGreater(rows[-1]["coordinate/L5_FE"] - rows[0]["coordinate/L5_FE"], 0.001)  # the trunk bows
        self.json("simulate", "body", "-o", "pull", "--time", "0.12", "--activation", "brachialis_R=0.5")
        pulled = self.rows("pull")[-1]
        self.assertGreater(pulled["coordinate/ulna_R_flex"] - rows[-1]["coordinate/ulna_R_flex"], 0.05)
        self.assertGreater(pulled["tension/brachialis_R"], rows[-1]["tension/brachialis_R"] + 50)

    def test_functions_do_what_they_are_called(self):
        """Against the fall without any: the coordinates of a function go its way."""
        ways = {"elbow_#.flexion": "+ulna_#_flex", "elbow_#.extension": "-ulna_#_flex", "forearm_#.pronation": "+radius_#_pron",
                "forearm_#.supination": "-radius_#_pron", "wrist_#.flexion": "+hand_#_flex", "wrist_#.extension": "-hand_#_flex",
                "shoulder_#.abduction": "+humerus_#_abd", "girdle_#.elevation": "+clavscap_#_elevate",
                "pectorals_#": "+clavscap_#_protract"}
        expected = {name.replace("#", side): way.replace("#", side) for name, way in ways.items() for side in "RL"}
        expected |= {"breathing.in": "+rib5_R_insp", "breathing.out": "-rib5_R_insp", "trunk.flexion": "+L3_FE",
                     "trunk.extension": "-L3_FE", "neck.flexion": "+C5_FE", "neck.extension": "-C5_FE", "jaw.closing": "-mandible_open"}
        said = self.sinew("info", "body", "--list").stdout
        self.assertEqual({line.split()[1].rstrip(":") for line in said.splitlines() if line.startswith("function ")}, set(expected))
        pose = self.path("bent.pose.csv")  # jaw open, elbows and wrists off their stops
        with open(pose, "w") as file:
            file.write("time,mandible_open,ulna_R_flex,ulna_L_flex\n0,8,40,40\n")
        run = ["simulate", "body", "--pose", pose, "--time", "0.07", "--quiet"]
        self.sinew(*run, "-o", "fall")
        fall = self.rows("fall")[-1]
        for name, way in expected.items():
            self.sinew(*run, "-o", "pull", "--function", f"{name}=0.5")
            change = self.rows("pull")[-1]["coordinate/" + way[1:]] - fall["coordinate/" + way[1:]]
            self.assertGreater(change if way[0] == "+" else -change, 1e-4, (name, way, change))

    def test_a_function_tightens_muscles_of_a_pose_that_is_held(self):
        self.sinew("track", "body", "hold", "-o", "held", "--end", "0.5", "--function", "pectorals_R=0.2")
        end = self.rows("held")[-1]
        self.assertGreater(end["activation/pectoralis_major_st2_R"], end["activation/pectoralis_major_st2_L"] + 0.05)
        self.assertLess(abs(end["coordinate/humerus_R_flex"]), 0.01)

    def test_what_tracking_writes(self):
        answer = self.json("track", "body", "curl", "-o", "out", "--end", "1.4")
        rows = self.rows("out")
        self.assertEqual(len(rows), answer["frames"])
        end = rows[-1]
        self.assertAlmostEqual(end["coordinate/ulna_R_flex"], math.pi / 2, delta=0.02)
        self.assertGreater(end["activation/brachialis_R"], 0.01)
        self.assertGreater(end["tension/brachialis_R"], 10)
        self.assertTrue(all(0 <= v <= 1 for k, v in end.items() if k.startswith("activation/")))
        for path in (answer["table"], answer["report"]):
            self.assertGreater(os.path.getsize(os.path.join(self.folder, path)), 1000)
        self.assertIn("heat map", self.sinew("plot", "out.replay.xml", "-o", "heat.svg").stdout)

    def test_loads_and_sensors(self):
        """A load that is felt late makes the elbow sag more."""
        sag = []
        for sensor in ([], ["--sensor", "20"], ["--sensor", "5"]):
            answer = self.json("track", "body", "dumbbell", "-o", "out", "--replay", "bin", "--end", "1.8", *sensor)
            sag.append(answer["worst_error_rad"])
        self.assertLess(sag[0], 0.005)
        self.assertTrue(sag[0] < sag[1] < sag[2], sag)
        answer = self.json("track", "body", "hold", "-o", "out", "--replay", "bin", "--load", "hand_R=0:0kg/0.5:0kg/0.51:1kg")
        self.assertLess(answer["worst_error_rad"], 0.001)

    def test_a_kilogram_in_the_hand_is_held(self):
        """At the hand, not at the forearm, and by the flexors of the elbow."""
        self.write("level.pose.csv", "time,ulna_R_flex,radius_R_pron\n0,90,-70\n1,90,-70\n")
        answer = self.json("track", "body", "level.pose.csv", "-o", "out", "--replay", "bin", "--load", "hand_R=1kg")
        self.assertLess(answer["worst_error_rad"], 0.001)
        self.assertLess(answer["max_activation"], 0.4)
        end = {name[len("activation/"):]: value for name, value in self.rows("out")[-1].items() if name.startswith("activation/")}
        first = sorted((name for name in end if name.endswith("_R")), key=lambda name: -end[name])[:8]
        self.assertIn("biceps_long_R", first)

    def test_what_a_muscle_costs_decides_who_works(self):
        """Ten times the effort: the others take over."""
        model = os.path.join(BUILD, "models", "body")
        for name in ("body.scene.xml", "skin.ply"):
            os.symlink(os.path.join(model, name), self.path(name))
        with open(os.path.join(model, "body.muscle.xml"), encoding="utf-8") as file:
            text = file.read()
        dear, count = re.subn(r'(<LineMuscle name="brachialis_R"[^>]* effort=")([^"]*)"', lambda m: f'{m[1]}{10 * float(m[2]):g}"', text)
        self.assertEqual(count, 1)
        self.write("dear.muscle.xml", dear)
        self.write("level.pose.csv", "time,ulna_R_flex\n0,90\n0.3,90\n")
        level = []
        for which in ("body", "dear.muscle.xml"):
            self.sinew("track", which, "level.pose.csv", "-o", "out", "--replay", "bin")
            end = self.rows("out")[-1]
            level.append((end["activation/brachialis_R"], end["activation/biceps_short_R"]))
        self.assertLess(level[1][0], 0.3 * level[0][0])
        self.assertGreater(level[1][1], level[0][1])

    def test_standing_still_is_easy(self):
        """Nobody strains who stands: muscles of back and neck work a little, those of jaw and hyoid hardly."""
        self.json("track", "body", "hold", "-o", "out", "--replay", "bin")
        end = {name[len("activation/"):]: value for name, value in self.rows("out")[-1].items() if name.startswith("activation/")}
        self.assertEqual(len(end), 814)
        self.assertLess(max(end.values()), 0.15)
        self.assertLess(sum(end.values()) / len(end), 0.015)
        self.assertLess(max(v for k, v in end.items() if "hyoid" in k or k.startswith("masseter")), 0.05)
        self.assertRegex(max(end, key=end.get), "^(semispinalis|longissimus|iliocostalis|multifidus|spinalis|splenius|trapezius)")

    def test_pectorals_dance(self):
        self.json("track", "body", "pectoral-dance", "-o", "out", "--end", "0.6", "--replay", "bin")
        rows = self.rows("out")
        right = [row["activation/pectoralis_major_st1_R"] for row in rows]
        left = [row["activation/pectoralis_major_st1_L"] for row in rows]
        self.assertGreater(max(right), 0.08)  # 0.1 is asked for
        self.assertLess(max(left), 0.03)

    def test_breathing_on_top(self):
        self.json("track", "body", "hold", "-o", "out", "--breathing", "1:2", "--replay", "bin")
        ribs = [row["coordinate/rib6_R_insp"] for row in self.rows("out")]
        self.assertGreater(max(ribs) - ribs[0], 0.5 * math.radians(1))  # ribs yield: they go most of the way
        self.assertLess(max(ribs), math.radians(1.1))
        self.assertAlmostEqual(ribs[-1], ribs[0], delta=0.002)

    def test_coactivation_works_harder(self):
        def effort(*options):
            self.json("track", "body", "curl", "-o", "out", "--replay", "bin", "--end", "0.4", *options)
            row = self.rows("out")[-1]
            return sum(v for k, v in row.items() if k.startswith("activation/") and k.endswith("_R"))

        self.assertGreater(effort("--coactivation", "arm_R=2"), effort() + 0.2)

    def interrupt(self, *arguments):
        """Kills a run as soon as it has kept something."""
        run = subprocess.Popen([SINEW, *arguments, "--quiet"], cwd=self.folder)
        journal = os.path.join(self.folder, "part.resume")
        while run.poll() is None and not (os.path.exists(journal) and os.path.getsize(journal) > 1000000):
            time.sleep(0.005)
        run.kill()
        run.wait()

    def test_an_interrupted_run_goes_on_bit_for_bit(self):
        self.json("track", "body", "curl", "-o", "whole", "--end", "0.6")
        with open(os.path.join(self.folder, "whole.replay.xml"), "rb") as file:
            whole = file.read()
        self.interrupt("track", "body", "curl", "-o", "part", "--end", "0.6")
        answer = self.json("track", "body", "curl", "-o", "part", "--end", "0.6", "--resume")
        self.assertGreater(answer["resumed"], 0)
        with open(os.path.join(self.folder, "part.replay.xml"), "rb") as file:
            self.assertEqual(file.read(), whole)

    def test_resume_of_another_motion_of_that_name_is_refused(self):
        keys = "time,ulna_R_flex\n0,0\n0.6,{}\n"
        self.write("lift.pose.csv", keys.format(20))
        command = ("track", "body", "lift.pose.csv", "-o", "part")
        self.interrupt(*command)
        self.write("lift.pose.csv", keys.format(21))
        said = self.sinew(*command, "--resume", code=3).stderr
        self.assertIn("motion was lift.pose.csv", said)
        self.write("lift.pose.csv", keys.format(20))
        self.assertGreater(self.json(*command, "--resume")["resumed"], 0)

    def test_bench_prints_its_parts(self):
        answer = self.json("bench", "--rung", "body", "--seconds", "0.3")
        self.assertEqual(sorted(answer["stage_us"]), ["inverse", "program", "step", "torques"])
        self.assertAlmostEqual(sum(answer["stage_us"].values()), 1e3 * answer["control_step_ms_mean"], delta=1)
        self.assertGreaterEqual(answer["control_step_ms_worst"], answer["control_step_ms_mean"])
        self.assertGreater(answer["real_time_factor"], 0.1)

    def test_the_hand_can_be_steered_too(self):
        answer = self.json("track", "hand-clinical", "pinch", "-o", "out", "--method", "body")
        self.assertLess(answer["mean_error_rad"], 0.02)

    def test_bad_input_is_named(self):
        def refused(code, words, *arguments):
            self.assertIn(words, self.sinew(*arguments, code=code).stderr)

        refused(3, "no part called", "track", "body", "hold", "-o", "x", "--coactivation", "leg=1")
        refused(2, "--load needs BODY=2kg", "track", "body", "hold", "-o", "x", "--load", "hand_R")
        refused(3, "no body 'foot'", "track", "body", "hold", "-o", "x", "--load", "foot=1")
        refused(2, "--breathing needs", "track", "body", "hold", "-o", "x", "--breathing", "deep")
        refused(2, "--fatigue does not work with", "track", "body", "hold", "-o", "x", "--fatigue")
        refused(2, "--sensor does not work with --method torque; --method body does it", "track", "hand-clinical", "fist", "-o", "x", "--sensor", "5")
        refused(3, "neither a file nor the name of a motion", "track", "body", "dance", "-o", "x")
        for column, words in (("elbow_R_flex", "no coordinate called"), ("sternum_rx", "is passive"),
                              ("load.foot", "no body called"), ("activation.glutaeus", "no muscle called")):
            with open(os.path.join(self.folder, "bad.pose.csv"), "w", encoding="utf-8") as file:
                file.write(f"time,{column}\n0,0\n1,0\n")
            refused(3, words, "track", "body", "bad.pose.csv", "-o", "x")



class Skin(Case):
    """The skin from sections: closed, around the bones, and moved by them."""

    def test_it_is_closed_and_bows(self):
        self.sinew("track", "body", "bow", "-o", "bow", "--replay", "bin", "--frame-rate", "2", "--end", "1.6")
        answer = self.json("skin", "body", "bow.replay.bin", "-o", "bow.pc2")
        self.assertGreater(answer["vertices"], 5000)
        with open(self.path("bow.pc2"), "rb") as file:
            data = file.read()
        count, frames = struct.unpack("<i", data[16:20])[0], struct.unpack("<i", data[28:32])[0]
        self.assertEqual(count, answer["vertices"])
        value = struct.unpack("<%df" % (3 * count * frames), data[32:])
        first, last = value[:3 * count], value[-3 * count:]
        top = max(range(count), key=lambda v: first[3 * v + 1])
        self.assertLess(abs(first[3 * top + 1] - 1.753), 0.02)  # the stature of the survey
        moved = [last[3 * top + k] - first[3 * top + k] for k in range(3)]
        self.assertGreater(moved[0], 0.1)  # the head goes forward
        self.assertLess(moved[1], -0.01)
        bottom = min(range(count), key=lambda v: first[3 * v + 1] + 9 * (abs(first[3 * v + 2]) > 0.15))
        self.assertLess(max(abs(last[3 * bottom + k] - first[3 * bottom + k]) for k in range(3)), 0.01)  # the pelvis stays


if __name__ == "__main__":
    unittest.main()
