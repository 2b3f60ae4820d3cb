"""The docs say what the code does: generated pages are fresh, links lead somewhere, the tree map is the tree."""
import json
import os
import re
import subprocess
import unittest

BUILD = os.environ["SINEW_BUILD"]
SOURCE = os.environ["SINEW_SOURCE"]


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


def pages():
    for top in ("", "docs", "models"):
        for folder, _, files in os.walk(os.path.join(SOURCE, top)) if top else [(SOURCE, [], os.listdir(SOURCE))]:
            for name in files:
                if name.endswith(".md"):
                    yield os.path.relpath(os.path.join(folder, name), SOURCE)


class Docs(unittest.TestCase):
    def test_page_of_commands_is_fresh(self):
        result = subprocess.run([os.path.join(BUILD, "sinew"), "help", "--markdown"], capture_output=True, text=True)
        self.assertEqual(result.stdout, read("docs", "commands.md"), "run make docs")

    def test_schema_of_the_addon_is_fresh(self):
        result = subprocess.run([os.path.join(BUILD, "sinew"), "info", "--schema", "--json"], capture_output=True, text=True)
        self.assertEqual(json.loads(result.stdout), json.loads(read("blender", "sinew", "schema.json")), "run make docs")

    def test_page_of_figures_is_what_the_tool_writes(self):
        with open(os.path.join(SOURCE, "tools", "measure"), encoding="utf-8") as file:
            tool = {"__name__": "measure", "__file__": os.path.join(SOURCE, "tools", "measure")}
            exec(compile(file.read(), "tools/measure", "exec"), tool)
        store = json.loads(read("docs", "measured.json"))
        self.assertEqual(tool["page"](store), read("docs", "measured.md"), "run tools/measure --page")
        for _, parts in tool["SECTIONS"]:
            for part in parts:
                self.assertIn(part.name, store, "run tools/measure " + part.name)

    def test_links_lead_somewhere(self):
        for page in pages():
            text = re.sub(r"```.*?```", "", read(page), flags=re.S)
            for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
                if "://" in link or link.startswith("mailto:"):
                    continue
                target = os.path.join(SOURCE, os.path.dirname(page), link)
                self.assertTrue(os.path.exists(target), f"{page} links to {link}")

    def test_table_of_contents_has_every_page(self):
        contents = read("docs", "README.md")
        for page in pages():
            if page.startswith("docs" + os.sep) and os.path.basename(page) != "README.md":
                self.assertTrue(f"({os.path.relpath(page, 'docs')})" in contents, f"docs/README.md lacks {page}")

    def test_api_page_names_every_public_header(self):
        text = read("docs", "api.md")
        for name in sorted(os.listdir(os.path.join(SOURCE, "include", "sinew"))):
            self.assertTrue(f"sinew/{name}" in text, f"the table in docs/api.md lacks sinew/{name}")

    def test_exported_functions_are_those_of_the_public_headers(self):
        table = subprocess.run(["nm", "-D", "--defined-only", os.path.join(BUILD, "libsinew.so")], capture_output=True, text=True)
        exported = set(re.findall(r" T (\w+)$", table.stdout, re.M))
        folder = os.path.join("include", "sinew")
        declared = set()
        for name in os.listdir(os.path.join(SOURCE, folder)):
            declared |= set(re.findall(r"SN_API [^;(]*?\b(sn_\w+)\(", read(folder, name)))
        self.assertGreater(len(declared), 100)
        self.assertEqual(exported ^ declared, set())

    def test_one_header_includes_all_others(self):
        names = set(os.listdir(os.path.join(SOURCE, "include", "sinew"))) - {"sinew.h"}
        self.assertEqual(set(re.findall(r'"sinew/(\w+\.h)"', read("include", "sinew", "sinew.h"))), names)

    def test_what_pages_call_exists(self):
        """Functions and types of the library that a page names are in the public headers; the page about the inside
        may name what other headers have."""
        def words(folder):
            found = [os.path.join(root, name) for root, _, names in os.walk(os.path.join(SOURCE, folder)) for name in names]
            return set(re.findall(r"\w+", " ".join(read(path) for path in found if path.endswith(".h"))))
        public = words(os.path.join("include", "sinew")) | {"sn_add"}
        inside = public | words("src")
        for page in pages():
            known = inside if os.path.basename(page) == "architecture.md" else public
            for name in re.findall(r"\b(?:sn_[a-z0-9_]*[a-z0-9]|sn[A-Z]\w+)\b(?!\*)", read(page)):
                self.assertTrue(name in known, f"{page} names {name}")

    def test_tree_map_has_every_folder(self):
        text = read("README.md")
        tracked = subprocess.run(["git", "ls-files"], cwd=SOURCE, capture_output=True, text=True).stdout.split()
        folders = {path.split("/")[0] for path in tracked if "/" in path and not path.startswith(".")}
        folders |= {"/".join(path.split("/")[:2]) for path in tracked if path.startswith("src/")}
        for folder in sorted(folders - {"src"}):
            self.assertTrue(folder + "/" in text, f"the tree in README.md lacks {folder}/")

    def test_pages_name_no_place_of_one_machine(self):
        for page in pages():
            self.assertNotRegex(read(page), r"/(?:home|root|work)/", page)


if __name__ == "__main__":
    unittest.main()
