"""The upper body by the command: check and info."""
import os
import unittest
import xml.etree.ElementTree as xml

from common import Case


class Body(Case):
    def test_check_finds_nothing(self):
        self.assertIn("0 errors, 0 warnings", self.sinew("check", "body").stdout)

    def test_info_has_the_published_counts(self):
        answer = self.json("info", "body")
        self.assertEqual((answer["bodies"], answer["degrees_of_freedom"], answer["muscles"]), (68, 147, 814))
        self.assertEqual((answer["tree"]["driven"], answer["tree"]["springs"], answer["meshes"]), (116, 20, 68))

    def replay(self, name):
        root = xml.parse(os.path.join(self.folder, name)).getroot()
        scalars = [s.get("name") for s in root.iter("Scalar")]
        rows = [dict(zip(scalars, map(float, f.find("Scalars").text.split()))) for f in root.iter("Frame")]
        return root, rows

    def test_simulate_drops_it(self):
        answer = self.json("simulate", "body", "-o", "fall", "--time", "0.2")
        self.assertFalse(answer["diverged"])
        root, rows = self.replay("fall.replay.xml")
        self.assertEqual((len(list(root.iter("Body"))), len(list(root.iter("Strand")))), (68, 814))
        self.assertGreater(rows[-1]["coordinate/L5_FE"] - rows[0]["coordinate/L5_FE"], 0.005)  # the trunk bows
        self.json("simulate", "body", "-o", "pull", "--time", "0.2", "--activation", "brachialis_R=0.5")
        pulled = self.replay("pull.replay.xml")[1][-1]
        self.assertGreater(pulled["coordinate/ulna_R_flex"] - rows[-1]["coordinate/ulna_R_flex"], 0.05)
        self.assertGreater(pulled["tension/brachialis_R"], rows[-1]["tension/brachialis_R"] + 50)


if __name__ == "__main__":
    unittest.main()
