"""NOTICE names what is linked and bundled, with its licence; licence texts are whole; packages run on the oldest Node."""
import hashlib
import json
import os
import re
import subprocess
import unittest

BUILD = os.environ["SINEW_BUILD"]
SOURCE = os.environ["SINEW_SOURCE"]
OLDEST_NODE = (18, 13)  # of Debian 12 as it was released


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


def section(heading):
    """{name: licence} of the lines below a heading of NOTICE."""
    block = read("NOTICE").split(heading)[1].split("\n\n")[1]
    rows = {}
    for line in block.splitlines():
        names, licence, _ = re.split(r"  +", line.strip(), maxsplit=2)
        rows.update({name.strip(): licence for name in names.split(",")})
    return rows


def needed(program):
    text = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
    return {re.sub(r"\.so.*", "", name) for name in re.findall(r"NEEDED.*\[(.*)\]", text)} - {"ld-linux-x86-64"}


class Notice(unittest.TestCase):
    def test_libraries(self):
        linked = needed(os.path.join(BUILD, "sinew")) | needed(os.path.join(BUILD, "libsinew.so")) - {"libsinew"}
        self.assertIn("libexpat", linked)
        listed = section("Linked dynamically")
        self.assertEqual(linked - set(listed), set(), "NOTICE lacks these libraries")
        self.assertEqual(set(listed) - linked - {"libcairo"}, set(), "NOTICE names libraries that are not linked")
        for name, licence in listed.items():
            self.assertNotRegex(licence, r"(?<![L])GPL", name)

    def test_packages_in_the_page(self):
        path = os.path.join(BUILD, "studio", "bundled.json")
        if not os.path.exists(path):
            self.skipTest("the page is not built")
        with open(path, encoding="utf-8") as file:
            bundled = {row["name"]: row["license"] for row in json.load(file)}
        self.assertIn("three", bundled)
        self.assertEqual(bundled, section("Bundled into the page"))

    def test_bill_of_materials(self):
        with open(os.path.join(BUILD, "sinew.cdx.json"), encoding="utf-8") as file:
            bill = json.load(file)
        found = {row["name"]: row["licenses"][0]["expression"] for row in bill["components"]}
        linked = needed(os.path.join(BUILD, "libsinew.so")) - {"libc", "libm"}  # the system's own
        expected = {name: licence for name, licence in section("Linked dynamically").items() if name in linked}
        expected.update(section("Bundled into the page"))
        self.assertEqual(found, expected)
        for row in bill["components"]:
            self.assertRegex(row["version"], r"^\d+(\.\d+)+$", row["name"])

    def test_install_scripts_of_packages_do_not_run(self):
        self.assertIn("ignore-scripts=true", read("studio", ".npmrc").splitlines())

    def test_tools_from_npm(self):
        text = read("NOTICE").split("Used to build and test")[1].split("\n\n")[0].lower()
        for name in json.loads(read("studio", "package.json"))["devDependencies"]:
            self.assertIn(name.lower(), text)

    def test_licence_texts_are_whole(self):
        for path, digest in ((("LICENSE",), "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"),
                             (("blender", "sinew", "COPYING"), "3972dc9744f6499f0f9b2dbf76696f2ae7ad8af9b23dde66d6af86c9dfb36986")):
            self.assertEqual(hashlib.sha256(read(*path).encode()).hexdigest(), digest, path)


class Packages(unittest.TestCase):
    def setUp(self):
        self.lock = json.loads(read("studio", "package-lock.json"))["packages"]

    def test_they_run_on_the_node_of_debian(self):
        for name, package in self.lock.items():
            wants = package.get("engines", {}).get("node")
            if wants is None:
                continue
            least = re.fullmatch(r">= ?(\d+)(?:\.(\d+))?(?:\.\d+)?", wants)
            self.assertTrue(least, f"{name}: {wants}")
            self.assertLessEqual((int(least[1]), int(least[2] or 0)), OLDEST_NODE, name)

    def test_lock_names_no_registry(self):
        self.assertNotIn("resolved", read("studio", "package-lock.json"))
        self.assertNotIn("://", read("studio", "package-lock.json"))
        for name, package in self.lock.items():
            self.assertTrue(not name or package.get("integrity", "").startswith("sha512-"), name)


if __name__ == "__main__":
    unittest.main()
