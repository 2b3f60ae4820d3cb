"""sinew completion and sinew help --man: what they write is complete and the programs that read it take it."""
import json
import os
import re
import shutil
import subprocess
import unittest

import common


class Completion(common.Case):
    def bash(self, *words):
        """What bash offers for the last of the words."""
        line = " ".join(f"'{word}'" for word in words)
        script = (f"source sinew.bash; COMP_WORDS=(sinew {line}); COMP_CWORD={len(words)}; _sinew;"
                  "printf '%s\\n' \"${COMPREPLY[@]}\"; complete -p sinew")
        result = subprocess.run(["bash", "--norc", "-c", script], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        *offered, registered = result.stdout.splitlines()
        self.assertIn("-F _sinew", registered)
        return {word for word in offered if word}

    def commands(self):
        overview = self.sinew("help").stdout.split("usage:")[1].split("MODEL is")[0]
        return set(re.findall(r"(?m)^  ([a-z]+) ", overview))

    def options(self, command):
        text = self.sinew(command, "--help").stdout.split("options:")[1].split("example:")[0]
        return set(re.findall(r"(?m)^  (--?[a-z-]+)", text))

    @unittest.skipUnless(shutil.which("bash"), "no bash")
    def test_bash_offers_what_can_stand_there(self):
        with open(os.path.join(self.folder, "sinew.bash"), "w") as file:
            file.write(self.sinew("completion", "bash").stdout)
        for name in ("run.replay.xml", "other.txt"):
            with open(os.path.join(self.folder, name), "w"):
                pass
        self.assertEqual(self.bash(""), self.commands() | {"help"})
        self.assertEqual(self.bash("tra"), {"track"})
        for command in sorted(self.commands()):
            self.assertEqual(self.bash(command, "-"), self.options(command), command)
        self.assertEqual(self.bash("track", "--progress", ""), {"bar", "json", "none"})
        self.assertEqual(self.bash("track", "hand", "fist", "-o", "ru"), {"run.replay.xml"})
        self.assertEqual(self.bash("check", "pul"), {"pulley"})
        self.assertEqual(self.bash("check", "hand"), {"hand", "hand-clinical", "hand-left", "hand-synthetic", "hand-synthetic-x10",
                                                      "hand-paths", "hand-paths-x10"})
        self.assertEqual(self.bash("export", "run"), {"run.replay.xml"})
        self.assertEqual(self.bash("demo", "sho"), {"shoulder"})
        self.assertEqual(self.bash("help", "str"), {"strands", "strength"})

    def test_zsh_and_fish_have_every_option(self):
        for shell in ("zsh", "fish"):
            script = self.sinew("completion", shell).stdout
            path = os.path.join(self.folder, "script")
            with open(path, "w") as file:
                file.write(script)
            if shutil.which(shell):
                subprocess.run([shell, "-n", path], check=True)
            for command in self.commands():
                if shell == "zsh":
                    part = script.split(f"\n    {command})\n")[1].split(";;\n")[0]
                    found = set(re.findall(r"'\*(--?[a-z-]+)\[", part))
                else:
                    lines = re.findall(rf"seen_subcommand_from {command}' -([ls]) ([a-z-]+) ", script)
                    found = {("--" if kind == "l" else "-") + name for kind, name in lines}
                self.assertEqual(found, self.options(command), f"{shell} {command}")
            self.assertEqual(script.count('"') % 2, 0)
            self.assertEqual(script.count("'") % 2, 0)

    def test_wrong_use(self):
        self.assertIn("bash, zsh or fish", self.sinew("completion", "cmd", code=2).stderr)
        self.sinew("completion", code=2)
        answer = json.loads(self.sinew("completion", "fish", "--json").stdout)
        self.assertEqual(answer["script"], self.sinew("completion", "fish").stdout)

    @unittest.skipUnless(shutil.which("ninja") and os.path.exists(os.path.join(common.BUILD, "build.ninja")), "not built by ninja")
    def test_the_build_writes_them_after_the_models(self):
        inputs = subprocess.run(["ninja", "-C", common.BUILD, "-t", "query", "pages/sinew.bash"], capture_output=True, text=True,
                                check=True).stdout
        self.assertIn("model_hand_hand_muscle_xml", inputs)

    def test_manual_page(self):
        page = self.sinew("help", "--man").stdout
        for command in self.commands():
            part = page.split(f'.SS "sinew {command}')[1].split(".SS")[0].split(".SH")[0].replace("\\-", "-")
            common_options = {"--json", "--progress", "--quiet", "--threads", "--no-cache", "--help"}
            self.assertEqual(set(re.findall(r"(?m)^\\fB(--?[a-z-]+)\\fR", part)), self.options(command) - common_options, command)
        for line in page.splitlines():
            self.assertRegex(line, r"^(\.(\\\"|TH|SH|SS|PP|TP|B|I|RI|br|nf|fi|RS|RE)\b.*|\.\\\" .*|[^.'].*|)$")
        if shutil.which("man"):
            path = os.path.join(self.folder, "sinew.1")
            with open(path, "w") as file:
                file.write(page)
            result = subprocess.run(["man", "--warnings", "-l", path], capture_output=True, text=True,
                                    env=dict(os.environ, MANWIDTH="100", LC_ALL="C.UTF-8"))
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn("sinew track", result.stdout)


if __name__ == "__main__":
    unittest.main()
