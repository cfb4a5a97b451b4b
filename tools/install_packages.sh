#!/usr/bin/env bash
# Installs the packages that the build needs and the system lacks: install_packages.sh [--checks]. With --checks also
# clang-format, which one check uses; without it that check is skipped. Quick and silent when nothing is missing.
# Debian, Ubuntu: apt-get, with sudo when not root. Elsewhere it only says what is needed.
set -u
cd "$(dirname "$0")/.." || exit 1

have_tool() {
    command -v "$1" >/dev/null 2>&1
}

# Is a header known to the compiler, in one of the places Cairn looks at?
have_header() {
    local dir
    for dir in "${@:2}"; do
        printf '#include <%s>\n' "$1" | cc -E -I"$dir" - >/dev/null 2>&1 && return 0
    done
    return 1
}

recent_cmake() {
    have_tool cmake && [ "$(printf '3.25\n%s\n' "$(cmake --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')" | sort -V | head -n 1)" = 3.25 ]
}

needed=()   # without these nothing is built
optional=() # these only make more checks possible
have_tool cc && have_header stdio.h /usr/include || needed+=(gcc libc6-dev)
have_tool cmake || needed+=(cmake)
have_tool pkg-config || needed+=(pkg-config)
have_tool cc && have_header hdf5.h /usr/include/hdf5/serial /usr/include || needed+=(libhdf5-dev)
have_tool cc && have_header amd.h /usr/include/suitesparse /usr/include || needed+=(libsuitesparse-dev)
# One attempt only: a machine without network must not wait for it at every run.
tried=build/.clang-format-not-available
if [ "${1:-}" = --checks ] && [ ! -e "$tried" ]; then
    have_tool clang-format || optional+=(clang-format)
fi

if [ ${#needed[@]} -gt 0 ] || { [ ${#optional[@]} -gt 0 ] && have_tool apt-get; }; then
    if ! have_tool apt-get; then
        echo "Please install with your system's package manager (names are those of Debian): ${needed[*]}" >&2
        exit 1
    fi
    root=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! have_tool sudo; then
            if [ ${#needed[@]} -eq 0 ]; then exit 0; fi
            echo "Not root and no sudo. Please run as root: apt-get install ${needed[*]}" >&2
            exit 1
        fi
        root=(sudo)
    fi
    apt() { "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@"; }
    apt_install() { apt install -y --no-install-recommends "$@" </dev/null >/dev/null; }
    # The lists may be old or empty: refresh them once, when the first attempt fails.
    install_all() { apt_install "$@" 2>/dev/null || { apt update && apt_install "$@"; }; }

    if [ ${#needed[@]} -gt 0 ]; then
        echo "== packages: installing ${needed[*]}"
        if ! install_all "${needed[@]}"; then
            echo "apt-get could not install: ${needed[*]}" >&2
            exit 1
        fi
    fi
    if [ ${#optional[@]} -gt 0 ]; then
        echo "== packages: installing ${optional[*]} (optional)"
        install_all "${optional[@]}" || { mkdir -p build && touch "$tried"; echo "   not available; its check is skipped"; }
    fi
fi

if ! recent_cmake; then
    echo "CMake 3.25 or later is needed; found: $(cmake --version 2>/dev/null | head -n 1)" >&2
    exit 1
fi
