#!/bin/sh
# Compiles the library's kernels for other machines: 64-bit ARM and WebAssembly. Only the syntax and the headers are
# checked; nothing is linked or run. Files and threads of the host (src/io, src/author) are left out for WebAssembly.
set -u
cd "$(dirname "$0")/.." || exit 1
amd=$(dirname "$(find /usr/include /usr/local/include -name amd.h -path '*suitesparse*' 2>/dev/null | head -n 1)")
failed=0
count=0

try() { # target, include folder, file
    count=$((count + 1))
    clang --target="$1" $2 -std=gnu11 -Wall -Wextra -fsyntax-only -Iinclude -Isrc -idirafter "$amd" "$3" || {
        echo "does not compile for $1: $3"
        failed=$((failed + 1))
    }
}

for file in src/base/*.c src/math/*.c src/sparse/*.c src/opt/*.c src/geom/*.c src/image/*.c src/body/*.c src/tree/*.c src/strand/*.c \
    src/path/*.c src/skin/*.c src/flesh/*.c src/meshfree/*.c src/system/*.c src/model/*.c src/motion/*.c src/sim/*.c src/control/*.c; do
    [ -f "$file" ] || continue
    try aarch64-linux-gnu "-isystem /usr/aarch64-linux-gnu/include" "$file"
    case $file in src/motion/store.c) continue ;; esac # long motions lie in a file of the host
    try wasm32-wasi "-isystem /usr/include/wasm32-wasi" "$file"
done
echo "check_targets: $count compilations, $failed failed"
[ "$failed" = 0 ]
