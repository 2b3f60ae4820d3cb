"""tools/check_layers: the tree is clean, and a deliberate breach of each kind is found."""
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ["SINEW_SOURCE"]


def check(root):
    command = [sys.executable, os.path.join(SOURCE, "tools", "check_layers"), root]
    return subprocess.run(command, capture_output=True, text=True)


class Layers(unittest.TestCase):
    def tree(self, files):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for path, text in files.items():
            full = os.path.join(folder.name, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w") as file:
                file.write(text)
        return folder.name

    def expect_breach(self, path, include, reason):
        result = check(self.tree({path: f"/* head */\n\n#include {include}\n"}))
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn(f"{path}:3: ", result.stdout)
        self.assertIn(reason, result.stdout)

    def test_the_tree_is_clean(self):
        result = check(SOURCE)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_upward_include(self):
        self.expect_breach("src/math/vec.c", '"sim/state.h"', "math lies below sim")

    def test_upward_public_include(self):
        self.expect_breach("src/strand/strand.c", '"sinew/sim.h"', "strand lies below sim")

    def test_strangers(self):
        self.expect_breach("src/body/body.c", '"strand/strand.h"', "do not know each other")

    def test_command_reaches_into_the_library(self):
        self.expect_breach("src/cli/main.c", '"base/alloc.h"', "public headers and own/ only")

    def test_header_for_programs(self):
        self.expect_breach("examples/a.c", '"io/own/journal.h"', "public headers only")
        self.expect_breach("src/io/own/journal.h", '"base/alloc.h"', "others of its kind")
        self.expect_breach("src/sim/step.c", '"io/own/journal.h"', "sim lies below io")

    def test_example_reaches_into_the_library(self):
        self.expect_breach("examples/a.c", "<math/vec.h>", "public headers only")

    def test_public_header_includes_a_private_one(self):
        self.expect_breach("include/sinew/sim.h", '"math/vec.h"', "only public ones")

    def test_relative_include(self):
        self.expect_breach("src/math/vec.c", '"../sim/state.h"', "math lies below sim")
        self.expect_breach("src/body/body.c", '"../strand/strand.h"', "do not know each other")

    def test_strangers_in_every_layer(self):
        for one, other in (("sparse", "geom"), ("model", "motion"), ("analysis", "record"), ("author", "io"),
                           ("plot", "page")):
            self.expect_breach(f"src/{one}/a.c", f'"{other}/b.h"', "do not know each other")

    def test_what_a_header_passes_on(self):
        """control may know plant.h, but what plant.h drags in is known to control too."""
        result = check(self.tree({
            "src/math/a.c": '#include "math/a.h"\n', "src/math/a.h": '#include "base/b.h"\n',
            "src/base/b.h": '#include "sim/state.h"\n', "src/sim/state.h": "",
        }))
        self.assertEqual(result.returncode, 1)
        self.assertIn("src/math/a.c:1: math/a.h passes on src/sim/state.h (through src/base/b.h)", result.stdout)

    def test_public_header_with_a_needless_include(self):
        files = {"include/sinew/base.h": "typedef int snStatus;\n", "include/sinew/mesh.h": "typedef struct snMesh snMesh;\n",
                 "include/sinew/skin.h": '#include "sinew/base.h"\n#include "sinew/mesh.h"\nsnStatus sn_skin(void);\n'}
        result = check(self.tree(files))
        self.assertEqual(result.returncode, 1)
        self.assertIn("include/sinew/skin.h:2: includes sinew/mesh.h but uses nothing of it", result.stdout)
        files["include/sinew/skin.h"] = files["include/sinew/skin.h"].replace("(void)", "(snMesh *mesh)")
        self.assertEqual(check(self.tree(files)).returncode, 0)

    def test_kit(self):
        self.expect_breach("models/kit/hand/hand.c", '"sim/state.h"', "public headers and own")

    def test_unknown_module(self):
        self.expect_breach("src/magic/magic.c", '"math/vec.h"', "not in the list")

    def test_allowed(self):
        result = check(self.tree({
            "src/sim/step.c": '#include "math/law.h"\n#include "sinew/sim.h"\n#include "sim/state.h"\n#include <amd.h>\n',
            "src/cli/main.c": '#include "io/own/journal.h"\n#include "sinew/sinew.h"\n#include "cli.h"\n#include "scenes.h"\n',
            "src/cli/cli.h": "#include <stdio.h>\n",
        }))
        self.assertEqual(result.returncode, 0, result.stdout)


if __name__ == "__main__":
    unittest.main()
