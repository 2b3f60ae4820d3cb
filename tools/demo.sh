#!/bin/sh
# The demonstration: simulates small scenes and leaves replays, tables and a picture in a folder.
#   tools/demo.sh SINEW FOLDER
set -eu
sinew=$1
out=$2
tools=$(dirname "$0")
mkdir -p "$out"
echo "a muscle lifts a weight round a corner:"
"$sinew" simulate pulley -o "$out/pulley" --time 2 --activation rope=0.5 --ramp 0.5
echo "a hoist over two pulleys:"
"$sinew" simulate crane -o "$out/crane" --time 2 --activation hoist=0.5 --ramp 0.5
echo "an index finger closes:"
"$sinew" simulate finger -o "$out/finger" --time 0.8 --ramp 0.7 --activation FDP2=0.12 --activation FDS2=0.04 \
    --activation ED2=0.1 --activation EI=0.1 --activation LU2=0.1 --activation PI1=0.01 \
    --activation DI1_d=0.01 --activation DI1_s=0.01
if command -v python3 >/dev/null; then
    python3 "$tools/draw_replay.py" "$out/finger.replay.xml" "$out/finger.svg" --frames 2,14,24,39 --below 0.01 \
        --bone metacarpal=0.068,0.011 --bone proximal=0.040,0.010 --bone middle=0.021,0.008 --bone distal=0.017,0.006
    echo "picture: $out/finger.svg"
fi
echo "replays (*.replay.xml) and tables (*.sto) are in $out"
