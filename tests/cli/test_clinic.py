"""sinew clinic: the clinical page as one file, with every case solved for every pose."""
import base64
import gzip
import json
import os
import re
import struct
import unittest

from common import Case


class Clinic(Case):
    def data(self, name):
        """The head of the container in a page."""
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            text = re.search(r'<script id="sinew-data"[^>]*>([^<]*)</script>', file.read()).group(1)
        raw = gzip.decompress(base64.b64decode(text))
        length = struct.unpack_from("<I", raw, 8)[0]
        return json.loads(raw[16 : 16 + length])

    def test_answers_in_the_file_are_those_of_hold(self):
        told = self.json("clinic", "hand-clinical", "--nerve", "ulnar-high", "--cut", "FDP2", "-o", "page.html")
        head = self.data("page.html")
        clinic = head["clinic"]
        self.assertEqual(told["cases"], 2)
        self.assertEqual([c["name"] for c in clinic["cases"]], ["nerve ulnar-high", "cut FDP2"])
        self.assertEqual(clinic["poses"][0]["name"], "flat")
        fist = [p["name"] for p in clinic["poses"]].index("fist")
        answer = clinic["cases"][1]["answers"][fist]
        held = self.json("hold", "hand-clinical", "fist", "--cut", "FDP2")
        self.assertEqual(answer["case"]["verdict"], held["verdict"])
        self.assertAlmostEqual(answer["case"]["unmet"], held["largest_unmet_mNm"], delta=0.01 + 0.01 * held["largest_unmet_mNm"])
        self.assertAlmostEqual(answer["case"]["nearest"]["error"], held["nearest"]["error_deg"], delta=0.5)
        self.assertEqual(answer["healthy"]["verdict"], self.json("hold", "hand-clinical", "fist")["verdict"])
        self.assertEqual(len(answer["case"]["activation"]), len(head["muscles"]))
        self.assertEqual(len(answer["case"]["force"]), len(head["lines"]))
        compensators = {c["unit"] for c in answer["compensators"]}
        listed = self.json("compensate", "hand-clinical", "fist", "--cut", "FDP2")
        self.assertTrue(compensators <= {u["unit"] for u in listed["must"] + listed["may"]})

    def test_motion_and_posture(self):
        self.sinew("clinic", "hand-clinical", "--nerve", "radial", "--motion", "wave", "--posture", "palm-down", "-o", "page.html")
        clinic = self.data("page.html")["clinic"]
        times = [p["time"] for p in clinic["poses"] if p["name"] == "wave in motion"]
        self.assertGreater(len(times), 10)
        self.assertEqual(times, sorted(times))
        self.assertEqual(clinic["posture"], "palm-down")
        self.assertEqual(len(clinic["cases"][0]["answers"]), len(clinic["poses"]))

    def test_usual_cases(self):
        self.assertEqual(self.json("clinic", "hand-clinical", "-o", "page.html")["cases"], 5)

    def test_what_cannot_be(self):
        for words, code, said in (
            (("hand-clinical",), 2, "-o FILE.html"),
            (("finger", "-o", "x.html"), 3, "not a model on a tree"),
            (("hand-clinical", "--nerve", "ulnr", "-o", "x.html"), 3, "ulnr"),
            (("hand-clinical", "--case", "none.case.xml", "-o", "x.html"), 3, "none.case.xml"),
            (("hand-clinical", "--motion", "fits", "-o", "x.html"), 3, "fits"),
            (("hand-clinical", *(["--cut", "FDP2"] * 9), "-o", "x.html"), 2, "at most 8"),
        ):
            result = self.sinew("clinic", *words, code=code)
            self.assertIn(said, result.stderr)
            self.assertFalse(os.path.exists(os.path.join(self.folder, "x.html")))


if __name__ == "__main__":
    unittest.main()
