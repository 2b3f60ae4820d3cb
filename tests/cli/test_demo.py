"""sinew demo end to end: the files that the page shows are there, and it says so when the studio's page is not."""
import os
import re
import shutil
import unittest

from common import BUILD, Case


class Demo(Case):
    def linked(self, folder):
        with open(os.path.join(self.folder, folder, "index.html")) as file:
            text = file.read()
        links = set(re.findall(r'(?:href|src)="([^"#]+)"', text))
        for link in links:
            path = os.path.join(self.folder, folder, link)
            self.assertTrue(os.path.getsize(path) > 0, link)
        self.assertFalse([link for link in links if "://" in link])
        return text, links

    def test_one_motion(self):
        answer = self.json("demo", "hand", "-o", "there/results", "--motion", "fist")
        self.assertEqual([m["name"] for m in answer["motions"]], ["fist"])
        self.assertLess(answer["motions"][0]["mean_error_mm"], 0.004)
        self.assertGreater(answer["motions"][0]["max_bulge_mm"], 0)
        self.assertEqual(answer["index"], "there/results/index.html")
        text, links = self.linked("there/results")
        for ending in [".replay.xml", ".sto", ".report.txt", ".glb", ".skin.pc2", ".strands.pc2", ".activation.png", ".lines.png",
                       ".error.png"]:
            self.assertIn("fist" + ending, links)
        page = os.path.exists(os.path.join(BUILD, "studio", "studio.html"))
        self.assertEqual(answer["page"], page)
        self.assertEqual("fist.html" in links, page)
        self.assertEqual("make studio" in text, not page)

    def test_without_a_skin(self):
        answer = self.json("demo", "shoulder", "-o", "s", "--motion", "shrug")
        self.assertNotIn("max_bulge_mm", answer["motions"][0])
        text, links = self.linked("s")
        self.assertIn("shrug.strands.pc2", links)
        self.assertNotIn("bulge", text)
        self.assertNotIn("skin", text)

    def test_on_a_tree(self):
        """beckon turns the forearm, which this model holds still: that is left out of the page's target as well."""
        answer = self.json("demo", "hand-clinical", "-o", "c", "--motion", "beckon")
        self.assertLess(answer["motions"][0]["mean_error_rad"], 0.01)
        self.assertLess(answer["motions"][0]["worst_error_rad"], 0.3)
        self.assertNotIn("nan", self.linked("c")[0])

    def test_in_flesh(self):
        """demo.txt says which motions have a page in flesh, too."""
        shutil.copytree(os.path.join(BUILD, "models", "hand"), self.path("hand"))
        self.write("hand/motions/nudge.pose.csv", "time,wrist.flexion\n0,0\n0.1,3\n")
        self.write("hand/demo.txt", "nudge flesh # a tenth of a second\n")
        answer = self.json("demo", os.path.join("hand", "hand.muscle.xml"), "-o", "f")
        links = self.linked("f")[1]
        self.assertEqual("nudge.flesh.html" in links, answer["page"])

    def test_without_the_page(self):
        environment = dict(os.environ, SINEW_PAGE=self.path("nosuch.html"))
        result = self.sinew("demo", "-o", "d", "--motion", "point", env=environment)
        self.assertIn("make studio", result.stdout)
        self.assertIn("$ sinew track hand point -o d/point", result.stdout)
        text, links = self.linked("d")
        self.assertIn("make studio", text)
        self.assertNotIn("point.html", links)

    def test_bad_input(self):
        self.assertIn("neither a file nor the name of a model", self.sinew("demo", "foot", code=3).stderr)
        self.assertIn("moonwalk", self.sinew("demo", "--motion", "moonwalk", code=3).stderr)
        self.assertIn("shipped with the model", self.sinew("demo", "--motion", "../x", code=3).stderr)
        self.write("file", "")
        self.assertIn("cannot create the folder", self.sinew("demo", "-o", "file/below", code=1).stderr)


if __name__ == "__main__":
    unittest.main()
