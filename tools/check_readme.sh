#!/usr/bin/env bash
# Runs what the README shows: the C program is compiled against the built library, the commands are run as they stand.
#     check_readme.sh BUILD_DIR [COMPILER]
set -eu
build=$(cd "${1:?usage: check_readme.sh BUILD_DIR [COMPILER]}" && pwd)
compiler=${2:-cc}
root=$(cd "$(dirname "$0")/.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

cmake --install "$build" --prefix "$place/prefix" >/dev/null
pc=$(dirname "$(find "$place/prefix" -name cairn.pc)")
awk '/^```c$/ {inside = 1; next} /^```$/ {inside = 0} inside' "$root/README.md" >"$place/first.c"
test -s "$place/first.c" || { echo "README.md has no C program"; exit 1; }
# shellcheck disable=SC2046
"$compiler" -std=c17 -Wall -Wextra -Werror "$place/first.c" -o "$place/first" \
    $(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs cairn) -Wl,-rpath,"$(dirname "$pc")"
ASAN_OPTIONS=detect_leaks=0 "$place/first"

cd "$place"
mkdir build
ln -s "$build/cairn" build/cairn
grep '^build/cairn ' "$root/README.md" | sed 's/ *#.*//' >commands.sh
if "$build/cairn" run ball --until 0.01 --quiet --html page.html 2>&1 | grep -q 'no replay page'; then
    echo "this build has no replay page: commands are run without --html"
    sed -i 's/ --html [^ ]*//' commands.sh
fi
test "$(wc -l <commands.sh)" -ge 3 || { echo "README.md shows too few commands"; exit 1; }
bash -eu commands.sh
