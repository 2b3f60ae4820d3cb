#!/bin/sh
# The demonstration: simulates small scenes and leaves replays and tables in a folder.
#   tools/demo.sh SINEW FOLDER
set -eu
sinew=$1
out=$2
mkdir -p "$out"
for scene in pulley crane finger; do
    echo "$scene:"
    "$sinew" simulate "$scene" -o "$out/$scene" --time 1 --json
done
echo "replays (*.replay.xml) and tables (*.sto) are in $out"
