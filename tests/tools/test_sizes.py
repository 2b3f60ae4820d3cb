"""tools/check_sizes: the tree is clean, and a breach of each kind is found."""
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ["SINEW_SOURCE"]


def check(root):
    return subprocess.run([sys.executable, os.path.join(SOURCE, "tools", "check_sizes"), root], capture_output=True, text=True)


class Sizes(unittest.TestCase):
    def expect(self, path, text, reason):
        with tempfile.TemporaryDirectory() as folder:
            full = os.path.join(folder, path)
            os.makedirs(os.path.dirname(full))
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
            result = check(folder)
        self.assertEqual(result.returncode, 1 if reason else 0, result.stdout)
        self.assertIn(reason or "0 breaches", result.stdout)

    def test_the_tree_is_clean(self):
        result = check(SOURCE)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_long_function(self):
        self.expect("src/a/a.c", "int f(void)\n{\n" + "    g();\n" * 57 + "}\n", None)
        self.expect("src/a/a.c", "int f(int a,\n      int b)\n{\n" + "    g();\n" * 57 + "}\n", "a.c:1: f has 61 lines")

    def test_long_file(self):
        self.expect("tests/a.c", "/* A table. */\n" + "int a;\n" * 500, "501 lines")
        self.expect("tests/a.c", "/* A table. One file, because it is one table. */\n" + "int a;\n" * 500, None)

    def test_def_without_a_size(self):
        self.expect("include/sinew/a.h", "typedef struct snDef {\n    int a;\n} snDef;\n", None)
        self.expect("include/sinew/a.h", "typedef struct snADef {\n    int a;\n} snADef;\n", "snADef does not begin")
        self.expect("include/sinew/a.h", "typedef struct snADef {\n    size_t size;\n} snADef;\n", None)


if __name__ == "__main__":
    unittest.main()
