"""Plots as PDF, their size and font; fibre length and velocity."""
import re
import shutil
import subprocess
import unittest

from common import Case


class Style(Case):
    def setUp(self):
        super().setUp()
        self.sinew("simulate", "finger", "-o", "out", "--time", 0.2, "--activation", "FDP2=0:0,0.2:0.4")

    def plot(self, *arguments, **options):
        return self.json("plot", "out.replay.xml", *arguments, **options)

    def test_pdf_has_the_size_that_was_asked_for(self):
        self.plot("-o", "a.pdf", "--width", 510, "--height", 300)
        with open(self.path("a.pdf"), "rb") as file:
            data = file.read()
        self.assertTrue(data.startswith(b"%PDF-"))
        self.assertTrue(data.rstrip().endswith(b"%%EOF"))
        box = [float(x) for x in re.search(rb"/MediaBox \[ ?([^\]]+)\]", data)[1].split()]
        self.assertAlmostEqual(box[2], 510, delta=1)
        self.assertGreaterEqual(box[3], 299)

    def test_larger_text_in_the_same_width(self):
        def shape(name, *options):
            self.plot("-o", name, "--muscle", "FDP2", *options)
            text = self.read(name)
            return [float(x) for x in re.search(r'<svg[^>]*width="([\d.]+)[^"]*" height="([\d.]+)', text).groups()]
        small, large = shape("a.svg", "--width", 500), shape("b.svg", "--width", 500, "--font-size", 18, "--font", "serif")
        self.assertAlmostEqual(small[0], 500, delta=1)
        self.assertAlmostEqual(large[0], 500, delta=1)
        self.assertGreater(large[1], 1.3 * small[1])  # the room that text needs grows with it
        self.assertNotEqual(self.read("a.svg"), self.read("b.svg"))

    def test_a_font_that_is_not_installed_is_named(self):
        for font, note in (("No Such Letters", "the font 'No Such Letters' is not installed; "), ("DejaVu Sans", None), ("serif", None)):
            said = self.sinew("plot", "out.replay.xml", "-o", "font.svg", "--muscle", "FDP2", "--font", font).stderr
            if note:
                self.assertIn(note, said)
            elif font == "serif" or self.installed(font):
                self.assertNotIn("not installed", said)

    @staticmethod
    def installed(font):
        fonts = shutil.which("fc-list")
        return fonts and subprocess.run([fonts, font], capture_output=True, text=True).stdout

    def test_fibres_are_the_belly_and_its_rate(self):
        """A belly whose tendons hardly stretch shortens as its strand does."""
        for what in "fibre-length", "fibre-velocity":
            answer = self.plot("--what", what, "--muscle", "FDP2", "-o", what + ".svg")
            self.assertEqual(answer["channels"], ["FDP2"])
            self.assertIn("fibre", answer["what"])
        self.assertGreater(len(self.plot("--what", "fibre-length", "-o", "all.pdf")["channels"]), 4)
        self.assertIn("need the replay", self.sinew("plot", "out.sto", "--what", "fibre-length", "-o", "x.svg", code=3).stderr)

    def test_wrong_endings_and_sizes_are_refused(self):
        self.assertIn(".pdf", self.sinew("plot", "out.replay.xml", "-o", "a.eps", code=2).stderr)
        self.sinew("plot", "out.replay.xml", "-o", "a.pdf", "--width", 3, code=2)


if __name__ == "__main__":
    unittest.main()
