#!/usr/bin/env python3
"""Does what docs/tutorial.md tells the reader to do.

    tools/make_tutorial.py FOLDER                writes the files of the page and runs its commands there
    tools/make_tutorial.py FOLDER --files        writes the files only
    tools/make_tutorial.py FOLDER --pictures     also makes the pictures of the page (chromium and node)

The page's blocks say what they are: `xml file=NAME` is a whole file, `xml into=NAME` goes before the last line of a file,
`into=NAME/GROUP` before the end of a group in it, and `console` has commands behind `$ ` and what they print. A comment
`<!-- picture: FILE ... -->` before a picture says what it is made from: a plot is copied, a page is rendered.
"""
import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(TOP, "docs", "tutorial.md")
BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.M | re.S)
PICTURE = re.compile(r"^<!-- picture: (\S+) ?(.*?) ?-->\n!\[[^\]]+\]\(([^)]+)\)$", re.M)


def steps(page):
    """The blocks of the page in order: ("file", name, text), ("into", name, text) and ("run", command, output lines)."""
    for kind, info, text in BLOCK.findall(page):
        if kind == "console":
            for piece in re.split(r"^\$ ", text, flags=re.M)[1:]:
                command, *output = piece.rstrip("\n").split("\n")
                yield "run", command, output
        elif info:
            how, name = info.split("=")
            yield how, name, text


def write(folder, how, name, text):
    name, _, group = name.partition("/")
    path = os.path.join(folder, name)
    if how == "into":
        with open(path) as file:
            whole = file.read()
        start = whole.index(f'<Group name="{group}"') if group else 0
        at = whole.index("  </Group>", start) if group else whole.rindex("</")
        text = whole[:at] + text + whole[at:]
    with open(path, "w") as file:
        file.write(text)


def run(folder, sinew, command):
    """What the command prints; ends the program where it fails."""
    words = shlex.split(command)
    assert words[0] == "sinew", command
    result = subprocess.run([sinew, *words[1:]], cwd=folder, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{command}\n{result.stdout}{result.stderr}")
    return result.stdout


def make_pictures(folder, page):
    for source, options, target in PICTURE.findall(page):
        target = os.path.join(TOP, "docs", target)
        if source.endswith(".png"):
            shutil.copyfile(os.path.join(folder, source), target)
            continue
        command = ["node", os.path.join(TOP, "tools", "render_picture.mjs"), os.path.join(folder, source), target,
                   *options.split(), "--size", "960x440", "--from", "0.3,0.2,1"]
        if "--zoom" not in options:
            command += ["--zoom", "0.58"]
        subprocess.run(command, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--files", action="store_true")
    parser.add_argument("--pictures", action="store_true")
    parser.add_argument("--sinew", default=shutil.which("sinew") or os.path.join(TOP, "build", "sinew"))
    options = parser.parse_args()
    options.sinew = os.path.abspath(options.sinew)
    os.makedirs(options.folder, exist_ok=True)
    with open(PAGE) as file:
        page = file.read()
    for what, name, text in steps(page):
        if what != "run":
            write(options.folder, what, name, text)
        elif not options.files:
            print(f"$ {name}")
            print(run(options.folder, options.sinew, name), end="")
    if options.pictures:
        make_pictures(options.folder, page)


if __name__ == "__main__":
    main()
