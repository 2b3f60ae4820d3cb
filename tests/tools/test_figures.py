"""Figures in the pages come from somewhere, and are those that the programs print.

1. Every test, program, script and make target that a page names exists.
2. Every section of a page with a table of figures names what prints them: a command, a test or a script, or a published source.
   figures.tsv says of each section what holds its figures: a program that is run here, tests with limits, or only a command.
3. Every sinew command that a page names has that name and those options.
4. Quick programs run again: what docs/measured.md shows of them, and what other pages say that they print.
5. Files whose size a page gives are written again.

Numbers may differ as in test_shown.py: by a tenth, or by two of the last digit shown. Speeds, which depend on the machine, and residuals
below 1e-6, which are rounding errors, are not compared. Programs that take longer than a few seconds are not run here: each
has limits of its own and fails beyond them."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

BUILD = os.environ["SINEW_BUILD"]
SOURCE = os.environ["SINEW_SOURCE"]
sys.path.append(os.path.join(SOURCE, "tests", "tools"))
from test_docs import pages, read
from test_shown import NUMBER, same_line, same_number

QUICK = ("strand_setup strand_force sim_rows sim_analytic sim_routing sim_groups sim_sheet sim_cone sim_conservation body_body "
         "control_follow opt_boxqp control_inverse kit_hand_bellies kit_bone_shapes").split()
SPEED = re.compile(r"\d+(?:\.\d+)?(?= ?(?:ms|us|s|steps/s|frames/s|times)\b)")
SOURCES = re.compile(r"`[^`]*\b(?:sinew \w+|build/\w+|ctest |tools/|bench/|tests/|make \w+|test_\w+)[^`]*`|tests? `[\w.]+`|measured\.md"
                     r"|(?m:^    (?:\$ )?(?:build/)?sinew \w)|\[\w[^\]]* \d{4}\]|\(\w[^)]* \d{4}\)")
# Pages whose tables hold settings and formats, not measured figures.
SETTINGS = {os.path.join("docs", name + ".md") for name in ("files", "reference", "commands", "dependencies")}


def program(name):
    """What a unit test prints, without what its framework adds."""
    if name not in program.said:
        run = subprocess.run([os.path.join(BUILD, "tests", "test_" + name)], cwd=BUILD, capture_output=True, text=True)
        if run.returncode:
            raise AssertionError(f"test_{name} ended with {run.returncode}: {run.stdout[-300:]}{run.stderr[-300:]}")
        program.said[name] = [line.rstrip() for line in (run.stdout + run.stderr).splitlines() if not re.match(r"\[|\s*$", line)]
    return program.said[name]


program.said = {}


def measure_tool():
    tool = {"__name__": "measure", "__file__": os.path.join(SOURCE, "tools", "measure")}
    exec(compile(read("tools", "measure"), "tools/measure", "exec"), tool)
    return tool


def sections(text):
    """(heading, text) of the sections of a page, without blocks of code."""
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    parts = re.split(r"(?m)^(#+ .*)$", text)
    yield "", parts[0]
    yield from zip(parts[1::2], parts[2::2])


def rows(text):
    """Cells of the rows of tables, without headings and rules."""
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if line.startswith("|") and not re.match(r"\|[\s:|-]+$", line) and not (i + 1 < len(lines) and re.match(r"\|[\s:|-]+$", lines[i + 1])):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def is_figure(cell):
    """A number with a fraction or a unit, outside of code."""
    return re.search(r"\d\.\d|\d ?(?:mm|ms|s|MB|kB|N|deg|cm3|Hz)\b|\d ?%", re.sub(r"`[^`]*`", "", cell))


def held():
    """Lines of figures.tsv: {(page, section): (how, columns, by)}."""
    table = {}
    for line in read("tests", "tools", "figures.tsv").splitlines():
        if not line.startswith("#"):
            page, section, how, columns, by = line.split("\t")
            assert (page, section) not in table, f"figures.tsv has two lines for {page}, {section}"
            table[page, section] = how, columns, by
    return table


def figures_in(text):
    """Figures in a cell. Left out: code, speeds, rounding errors, and what stands in brackets, which are figures of others, older
    ones and notes."""
    text = re.sub(r"`[^`]*`|\([^)]*\)|\*\*", "", text)
    return [figure.lstrip("+-") for figure in NUMBER.findall(SPEED.sub("", text)) if abs(float(figure)) >= 1e-6]


def figures_of(part, columns):
    """(row, figure) of the table cells in columns such as 1 or 1-5."""
    first, _, last = columns.partition("-")
    for row in rows(part):
        for figure in figures_in(" ".join(row[int(first):int(last or first) + 1])):
            yield row[0], figure


def commands_of(text):
    """Commands in code within the text, as (name, options)."""
    for command in re.findall(r"`(?:build/)?sinew ([a-z]+(?: [^`]*)?)`", text):
        name = command.split()[0]
        yield name, re.findall(r"(?<![\w-])--([a-z][a-z-]+)", re.split(r" && | \| |; ", command)[0])


def comparable(line):
    """The line with "..." where a number depends on the machine or is a rounding error."""
    line = SPEED.sub("...", line)
    return NUMBER.sub(lambda n: "..." if 0 < abs(float(n[0])) < 1e-6 else n[0], line)


class Figures(unittest.TestCase):
    def test_what_pages_name_exists(self):
        listed = subprocess.run(["ctest", "-N", "-C", "Long"], cwd=BUILD, capture_output=True, text=True).stdout
        tests = re.findall(r"Test +#\d+: (\S+)", listed)
        self.assertGreater(len(tests), 100)
        programs = {name.replace(".", "_", 1) for name in tests}
        targets = re.findall(r"(?m)^([a-z][\w-]*):", read("Makefile"))
        def named(page):
            text = read(page)
            for name in re.findall(r"build/tests/test_(\w+)", text):
                yield "build/tests/test_" + name, name in programs
            for name in re.findall(r"\btests? `([a-z]+\.[\w.]+)`", text):
                yield name, name in tests
            for pattern in re.findall(r"ctest [^`\n]*-R '?([\w.|()$^-]+)", text):
                yield pattern, pattern == "^NAME$" or any(re.search(pattern, name) for name in tests)
            # capitals stand for a name
            for path in re.findall(r"`((?:tools|tests|bench|models|examples|src|studio|blender)/[\w./-]+)[` ]", text):
                yield path, re.search("[A-Z]{4}", path) or os.path.exists(os.path.join(SOURCE, path))
            for target in re.findall(r"`make ([a-z][\w-]+)`", text):
                yield "make " + target, target in targets

        for page in pages():
            for what, there in named(page):
                with self.subTest(page=page):
                    self.assertTrue(there, f"{page} names {what}")

    def test_tables_of_figures_name_their_source(self):
        for page in sorted(set(pages()) - SETTINGS):
            for heading, part in sections(read(page)):
                figures = [row for row in rows(part) if any(map(is_figure, row)) and not row[0].startswith("`--")]
                with self.subTest(page=page, section=heading):
                    self.assertTrue(len(figures) < 2 or SOURCES.search(part), f"nothing says what prints {figures[:1]}")

    def test_every_section_with_figures_is_accounted_for(self):
        listed = subprocess.run(["ctest", "-N", "-C", "Long"], cwd=BUILD, capture_output=True, text=True).stdout
        tests = set(re.findall(r"Test +#\d+: (\S+)", listed))
        table, there = held(), set()
        for page in sorted(set(pages()) - SETTINGS - {os.path.join("docs", "measured.md")}):
            for heading, part in sections(read(page)):
                if any(any(map(is_figure, row)) for row in rows(part) if not row[0].startswith("`--")):
                    there.add((page, heading.lstrip("# ")))
        self.assertEqual(sorted(there - set(table)), [], "sections with figures that tests/tools/figures.tsv does not have")
        self.assertEqual(sorted(set(table) - there), [], "lines of tests/tools/figures.tsv for sections without figures")
        for (page, section), (how, columns, by) in table.items():
            with self.subTest(page=page, section=section):
                self.assertIn(how, ("compared", "row", "limits", "speed", "long", "counted", "tried", "published", "others"))
                if how in ("compared", "row", "limits"):
                    self.assertEqual([name for name in by.split() if name not in tests], [], "no such tests")
                elif by.startswith("ctest "):
                    self.assertTrue(any(re.search(by.split("-R ")[1].split()[0], name) for name in tests), by)
                elif not by.startswith(("sinew ", "make ", "[")):
                    self.assertTrue(os.path.exists(os.path.join(SOURCE, by)), by)

    def test_commands_have_the_options_that_pages_name(self):
        sinew, options = os.path.join(BUILD, "sinew"), {}
        overview = subprocess.run([sinew, "help"], capture_output=True, text=True).stdout
        names = set(re.findall(r"(?m)^  ([a-z]+) ", overview.split("usage:")[1].split("MODEL is")[0])) | {"help", "version"}
        texts = [(page, read(page)) for page in pages()]
        texts.append(("figures.tsv", "\n".join(f"`{by}`" for _, _, by in held().values())))
        for page, text in texts:
            for name, given in commands_of(text):
                with self.subTest(page=page, command=name):
                    self.assertIn(name, names)
                    if given and name not in options:
                        said = subprocess.run([sinew, name, "--help"], capture_output=True, text=True).stdout
                        options[name] = set(re.findall(r"--([a-z][a-z-]+)", said)) | {"markdown", "man"}
                    self.assertEqual([one for one in given if one not in options[name]], [])

    def test_sections_agree_with_the_programs_that_hold_them(self):
        """Each figure of the section's tables is among the numbers that its programs print."""
        compared = 0
        for (page, section), (how, columns, by) in held().items():
            if how != "compared":
                continue
            printed = [n.lstrip("+-") for name in by.split() for n in NUMBER.findall("\n".join(program(name.replace(".", "_"))))]
            part = next(part for heading, part in sections(read(page)) if heading.lstrip("# ") == section)
            for row, figure in figures_of(part, columns):
                with self.subTest(page=page, row=row, figure=figure):
                    self.assertTrue(any(same_number(figure, number) for number in printed), f"not printed by {by}")
                    compared += 1
        self.assertGreater(compared, 50)

    def test_quick_programs_print_what_the_page_of_figures_shows(self):
        tool, store = measure_tool(), json.loads(read("docs", "measured.json"))
        parts = {part.name: part for _, group in tool["SECTIONS"] for part in group}
        compared = 0
        for name in QUICK:
            if name not in parts:
                continue
            printed = [line for line in program(name) if not tool["NOISE"].match(line) and re.search(parts[name].keep, line)]
            shown = [line for line in store[name]["lines"]]
            with self.subTest(part=name):
                self.assertEqual(len(shown), len(printed), f"tools/measure {name}")
                for one, other in zip(shown, printed):
                    self.assertTrue(same_line(comparable(one), other, False), f"shown:   {one}\nprinted: {other}\nrun tools/measure {name}")
                    compared += 1
        self.assertGreater(compared, 40)

    def test_rows_that_name_a_quick_program_agree_with_it(self):
        """Each figure of such a row is among the numbers that the program prints."""
        compared = 0
        for page in sorted(set(pages()) - {os.path.join("docs", "measured.md")}):
            last = None
            for cells in rows(read(page)):
                named = re.search(r"build/tests/test_(\w+)", cells[-1])
                name = named[1] if named else last if "the same" in cells[-1] else None
                last = name
                if name not in QUICK or len(cells) < 3:
                    continue
                printed = NUMBER.findall("\n".join(program(name)))
                for figure in NUMBER.findall(re.sub(r"`[^`]*`", "", " ".join(cells[1:-1]))):
                    with self.subTest(page=page, row=cells[0], figure=figure):
                        self.assertTrue(any(same_number(figure, number) for number in printed), f"test_{name} does not print {figure}")
                        compared += 1
        self.assertGreater(compared, 5)

    def test_files_have_the_sizes_that_pages_give(self):
        """Megabytes in docs/looks.md beside `sinew export fist.replay.xml --to FORMAT`, for the first motion that the row names."""
        sinew = os.path.join(BUILD, "sinew")
        sizes = {form: float(re.search(r"[\d.]+", cells[1])[0]) for cells in rows(read("docs", "looks.md"))
                 for form in re.findall(r"sinew export fist\.replay\.xml --to (\w+)", cells[-1])}
        self.assertEqual(sorted(sizes), ["glb", "html"])
        with tempfile.TemporaryDirectory(prefix="sinew-figures-") as folder:
            subprocess.run([sinew, "track", "hand", "fist", "-o", "fist", "--quiet"], cwd=folder, check=True)
            for form, shown in sizes.items():
                subprocess.run([sinew, "export", "fist.replay.xml", "--to", form, "--quiet"], cwd=folder, check=True)
                size = os.path.getsize(os.path.join(folder, "fist." + form)) / 1e6
                self.assertAlmostEqual(size, shown, delta=0.05 * shown + 0.05, msg=f"docs/looks.md says {shown} MB, fist.{form} has {size:.2f}")
                self.assertLess(size, 10, "animated strands under 10 MB")


class Comparison(unittest.TestCase):
    """The rules themselves."""

    def test_speeds_and_rounding_errors_are_left_out(self):
        self.assertEqual(comparable("57 points, 299 ms; off by 0.033 mm, 7.8e-10"), "57 points, ... ms; off by 0.033 mm, ...")
        self.assertTrue(same_line(comparable("arc: mass 7.8e-10, 3.5 mm"), "arc: mass 1.2e-12, 3.5 mm", False))
        self.assertFalse(same_line(comparable("arc: mass 7.8e-10, 3.5 mm"), "arc: mass 7.8e-10, 4.5 mm", False))

    def test_rows_and_figures(self):
        table = "| a | b |\n|---|---|\n| one | 2.5 mm |\n| two | `0.5 mm` |\n"
        self.assertEqual(list(rows(table)), [["one", "2.5 mm"], ["two", "`0.5 mm`"]])
        self.assertTrue(is_figure("2.5 mm") and is_figure("8 %") and not is_figure("`0.5 mm`") and not is_figure("two"))
        self.assertEqual(list(figures_of(table + "| three | -1.5 (2.5), 3e-9 m, **4** of `7` |\n", "1")), [("one", "2.5"), ("three", "1.5"), ("three", "4")])
        self.assertEqual(list(commands_of("`sinew track hand x --end 2 && sinew foo --bar` and `sinew help`")), [("track", ["end"]), ("help", [])])
        self.assertTrue(SOURCES.search("`sinew info hand`") and SOURCES.search("test `web.glb`") and not SOURCES.search("as we saw"))


if __name__ == "__main__":
    unittest.main()
