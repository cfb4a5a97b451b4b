#!/usr/bin/env bash
# Installs the packages that the build needs and the system lacks: install_packages.sh [--page|--checks]. With --page also
# what makes the replay page; with --checks also what only some checks use, which are skipped without it. Quick and silent when nothing is missing.
# Debian, Ubuntu: apt-get, with sudo when not root. Elsewhere it only says what is needed.
set -u
cd "$(dirname "$0")/.." || exit 1
tried=build/.optional-packages-not-available # one attempt only: without network nobody should wait at every run

have_tool() {
    command -v "$1" >/dev/null 2>&1
}

# Does the compiler find a header, in the places where CMake will look: NAME SUBFOLDER?
have_header() {
    local prefix prefixes
    IFS=: read -ra prefixes <<<"/usr:/usr/local:/opt/homebrew:${CMAKE_PREFIX_PATH:-}"
    for prefix in "${prefixes[@]}"; do
        printf '#include <%s>\n' "$1" | cc -E -I"$prefix/include/$2" -I"$prefix/include" - >/dev/null 2>&1 && return 0
    done
    return 1
}

recent_cmake() {
    local found
    found=$(cmake --version 2>/dev/null | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')
    [ -n "$found" ] && [ "$(printf '3.25\n%s\n' "$found" | sort -V | head -n 1)" = 3.25 ]
}

needed=()
optional=()
have_tool cc && have_header stdio.h . || needed+=(gcc libc6-dev)
have_tool cmake || needed+=(cmake)
have_tool cc && have_header hdf5.h hdf5/serial || needed+=(libhdf5-dev)
have_tool cc && have_header amd.h suitesparse || needed+=(libsuitesparse-dev)
have_tool cc && have_header zlib.h . || needed+=(zlib1g-dev)
if [ "${1:-}" = --checks ] && [ ! -e $tried ]; then
    have_tool pkg-config || optional+=(pkg-config)
    have_tool clang-format || optional+=(clang-format)
    have_tool chromium || have_tool google-chrome || optional+=(chromium)
    /usr/bin/python3 -c "import h5py" 2>/dev/null || optional+=(python3-h5py)
    /usr/bin/python3 -c "import vtk" 2>/dev/null || optional+=(python3-vtk9)
fi
if [ -n "${1:-}" ] && [ ! -e $tried ]; then
    have_tool node && have_tool npm || optional+=(nodejs npm)
fi

root=()
if [ "$(id -u)" -ne 0 ]; then
    root=(sudo)
fi
apt() {
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@" </dev/null
}
# The lists may be old or empty: they are refreshed when the first attempt fails.
install_all() {
    echo "== packages: installing $*"
    apt install -y --no-install-recommends "$@" >/dev/null 2>&1 ||
        { apt update && apt install -y --no-install-recommends "$@" >/dev/null; }
}
can_install() {
    have_tool apt-get && { [ ${#root[@]} -eq 0 ] || have_tool sudo; }
}

if [ ${#needed[@]} -gt 0 ]; then
    if ! can_install || ! install_all "${needed[@]}"; then
        echo "Cairn needs what these packages of Debian hold; please install them: ${needed[*]}" >&2
        exit 1
    fi
fi
if [ ${#optional[@]} -gt 0 ] && can_install && ! install_all "${optional[@]}"; then
    echo "   not available; what uses them is left out"
    mkdir -p build && touch $tried
fi
if ! recent_cmake; then
    echo "Cairn needs CMake 3.25 or later; this is: $(cmake --version | head -n 1)" >&2
    exit 1
fi
