"""The upper body by the command: check and info."""
import unittest

from common import Case


class Body(Case):
    def test_check_finds_nothing(self):
        self.assertIn("0 errors, 0 warnings", self.sinew("check", "body").stdout)

    def test_info_has_the_published_counts(self):
        answer = self.json("info", "body")
        self.assertEqual((answer["bodies"], answer["degrees_of_freedom"], answer["muscles"]), (68, 147, 814))
        self.assertEqual((answer["tree"]["driven"], answer["tree"]["springs"], answer["meshes"]), (116, 20, 68))

    def test_simulate_says_that_it_cannot(self):
        self.assertIn("use sinew track", self.sinew("simulate", "body", "-o", "out", "--time", "0.1", code=3).stderr)


if __name__ == "__main__":
    unittest.main()
