#!/bin/sh
# Finds what is missing to build and test sinew and installs it.
#
#   tools/install_deps.sh [--check] GROUP...     groups: build test wasm page browser blender fresh package habits coverage slurm (default: build)
#
# On Debian and Ubuntu it uses apt-get (through sudo where the user is not root), says what it installs and
# installs nothing when everything is there. On any other system it names the packages and stops with 1.
# --check only names what is missing.
set -u

only_check=no
groups=
for argument in "$@"; do
    case $argument in
    --check) only_check=yes ;;
    build | test | wasm | page | browser | blender | fresh | package | habits | coverage | slurm) groups="$groups $argument" ;;
    *) echo "install_deps.sh: unknown argument $argument (groups: build test wasm page browser blender fresh package habits coverage slurm)" >&2; exit 2 ;;
    esac
done
groups=${groups:-build}

# What each group needs, as kind:probe:Debian package. kind is tool (found on the PATH), header (found in an
# include folder), library_file (found in a library folder), wasm_runtime (clang finds it) or path. The package after a slash is taken where the archive has it and left out elsewhere.
needs_build="
tool:gcc:gcc header:stdlib.h:libc6-dev tool:make:make tool:cmake:cmake tool:ninja:ninja-build
tool:pkg-config:pkg-config header:expat.h:libexpat1-dev header:zlib.h:zlib1g-dev header:png.h:libpng-dev header:suitesparse/amd.h:libsuitesparse-dev
header:cairo/cairo.h:libcairo2-dev library_file:liblbfgsb.so:/liblbfgsb-dev"
needs_test="
header:cmocka.h:libcmocka-dev tool:python3:python3 tool:clang:clang tool:strace:strace
path:/usr/lib/python3/dist-packages/numpy:python3-numpy
header:mujoco/mujoco.h:/libmujoco-dev
library:libclang_rt.asan-x86_64.a:/libclang-rt-dev
path:/usr/aarch64-linux-gnu/include/stdlib.h:/libc6-dev-arm64-cross
path:/usr/include/wasm32-wasi/stdlib.h:/wasi-libc"
# The simulation core for browsers: clang's own target, with its C library, its linker and its runtime.
needs_wasm="tool:clang:clang tool:wasm-ld:lld path:/usr/include/wasm32-wasi/stdlib.h:wasi-libc
wasm_runtime:builtins:libclang-rt-dev-wasm32"
needs_page="tool:node:nodejs tool:npm:npm"
# The shell does half the work of the whole browser; where the archive has none, chromium serves.
needs_browser="tool:chromium:chromium tool:chromium-headless-shell:/chromium-headless-shell"
# Blender draws its windows through OpenGL in software on a display that exists in memory only. Blender's own builds
# bring numpy along; that of Debian takes the system's and does not ask for it.
needs_blender="tool:blender:blender tool:python3:python3 tool:Xvfb:xvfb tool:xauth:xauth
path:/usr/lib/python3/dist-packages/numpy:python3-numpy
library_file:dri/swrast_dri.so:/libgl1-mesa-dri"
# For make deb, make test-habits, and tools/try_fresh_machine, which makes a bare Debian in a folder.
needs_package="tool:dpkg-shlibdeps:dpkg-dev tool:file:file tool:strip:binutils"
needs_habits="tool:clang-format:clang-format tool:clang-tidy:clang-tidy tool:git:git"
needs_coverage="tool:gcovr:gcovr"
needs_fresh="tool:mmdebstrap:mmdebstrap tool:git:git"
# A single-node Slurm that the test of sinew sweep starts for itself; without it that test is left out.
needs_slurm="path:/usr/sbin/slurmctld:slurmctld path:/usr/sbin/slurmd:slurmd path:/usr/sbin/munged:munge tool:sbatch:slurm-client"

has_header() {
    for folder in /usr/include /usr/include/*-linux-gnu* /usr/local/include /opt/homebrew/include; do
        [ -f "$folder/$1" ] && return 0
    done
    return 1
}

# The runtime of clang's sanitizers: ask clang whether it can link with them.
has_runtime() {
    command -v clang >/dev/null || return 1
    [ -f "$(clang -print-file-name="$1" 2>/dev/null)" ] && return 0
    [ -n "$(find "$(clang -print-resource-dir)" -name 'libclang_rt.asan*.a' 2>/dev/null | head -n 1)" ]
}

has_wasm_runtime() {
    command -v clang >/dev/null && [ -f "$(clang --target=wasm32-wasi -print-libgcc-file-name 2>/dev/null)" ]
}

has_library_file() {
    for folder in /usr/lib /usr/lib/*-linux-gnu* /usr/lib64; do
        [ -e "$folder/$1" ] && return 0
    done
    return 1
}

missing=
for group in $groups; do
    eval "needs=\$needs_$group"
    for need in $needs; do
        kind=${need%%:*}
        rest=${need#*:}
        probe=${rest%%:*}
        package=${rest#*:}
        case $kind in
        tool) command -v "$probe" >/dev/null 2>&1 ;;
        header) has_header "$probe" ;;
        path) [ -e "$probe" ] ;;
        library) has_runtime "$probe" ;;
        wasm_runtime) has_wasm_runtime ;;
        library_file) has_library_file "$probe" ;;
        esac || missing="$missing $package"
    done
done
[ -z "$missing" ] && exit 0

names=$(echo "$missing" | tr -d / | tr -s ' ')
if [ "$only_check" = yes ]; then
    echo "missing:$names"
    exit 1
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "sinew needs these packages, named as Debian names them:$names" >&2
    echo "This system has no apt-get: install them with its own package manager and run the command again." >&2
    exit 1
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "sinew needs these packages:$names" >&2
        echo "Install them as root: apt-get install --no-install-recommends$names" >&2
        exit 1
    fi
    as_root=sudo
fi

echo "installing:$names"
$as_root apt-get update -qq || echo "apt-get update failed; trying with the lists that are there" >&2
required=
optional=
for package in $missing; do
    case $package in
    /*) apt-cache show "${package#/}" >/dev/null 2>&1 && optional="$optional ${package#/}" ;;
    *) required="$required $package" ;;
    esac
done

# $1: packages, as one word
install() {
    [ -z "$1" ] && return 0
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $1 >/dev/null || {
        echo "apt-get could not install:$1" >&2
        return 1
    }
    echo "installed:$1"
}
install "$required$optional" && exit 0
[ -z "$optional" ] && exit 1
echo "trying without:$optional" >&2
install "$required"
