#!/bin/sh
# Writes the pages of docs/ that come from tables in the code. A test fails when they are out of date.
#   tools/make_docs.sh SINEW
set -eu
folder=$(dirname "$0")/../docs
mkdir -p "$folder"
"$1" help --markdown >"$folder/commands.md"
"$(dirname "$1")/reference" >"$folder/reference.md"
"$1" info --schema --json | python3 -m json.tool >"$folder/../blender/sinew/schema.json"
