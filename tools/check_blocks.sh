#!/usr/bin/env bash
# Runs the blocks of a document that are marked as runnable: check_blocks.sh BUILD_DIR COMPILER DOCUMENT. A mark is the word "run" behind the
# language, and then a file name for those that are files:
#     ```sh run             commands, by bash, which end at the first one that fails
#     ```json run my.json   a scene: five steps of it are run
#     ```c run first.c      a program: compiled against the installed library without a warning, then run
#     ```cmake run NAME     and any other language: the file is written, for the blocks that follow
# All blocks of a document run in one new folder, in their order. In it `cairn` and `build/cairn` are the program that was built, and CMake and
# pkg-config find Cairn as if it were installed.
set -eu
build=$(cd "${1:?usage: check_blocks.sh BUILD_DIR COMPILER DOCUMENT}" && pwd)
compiler=${2:?} document=$(realpath "${3:?}")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir -p "$place/work/build" "$place/bin" "$place/blocks"
ln -s "$build/cairn" "$place/work/build/cairn"
ln -s "$build/cairn" "$place/bin/cairn"

# Each block becomes blocks/NUMBER.LINE.LANGUAGE.NAME.
awk -v folder="$place/blocks" '
/^```/ && !inside {
    inside = 1
    count = split(substr($0, 4), word, " ")
    if (count >= 2 && word[2] == "run") out = sprintf("%s/%03d.%d.%s.%s", folder, ++blocks, NR, word[1], count > 2 ? word[3] : "")
    if (out != "") printf "" >out
    next
}
/^```/ { inside = 0; if (out != "") close(out); out = ""; next }
out != "" { print >out }' "$document"
total=$(find "$place/blocks" -type f | wc -l)
[ "$total" -gt 0 ] || { echo "$(basename "$document") has no runnable blocks"; exit 1; }

if grep -qE '^```(c|cmake) run' "$document"; then
    cmake --install "$build" --prefix "$place/prefix" >/dev/null
    pc=$(dirname "$(find "$place/prefix" -name cairn.pc)")
    export PKG_CONFIG_PATH=$pc CMAKE_PREFIX_PATH=$place/prefix LD_LIBRARY_PATH=${pc%/pkgconfig} CC=$compiler
fi
export PATH=$place/bin:$PATH ASAN_OPTIONS=detect_leaks=0
cd "$place/work"
# What this machine cannot do is left out, and said.
drop=
if cairn run ball --until 0.01 --quiet --html page.html 2>&1 | grep -q 'no replay page'; then
    echo "this build has no replay page: cairn view and snapshot are left out"
    drop='s/ --html [^ ]*//; /cairn (view|snapshot) /d'
elif [ -z "${CHROMIUM:-}" ] && ! command -v chromium >/dev/null && ! command -v google-chrome >/dev/null; then
    echo "no Chromium here: cairn snapshot is left out"
    drop='/cairn snapshot /d'
fi
rm -f page.html

for block in "$place"/blocks/*; do
    IFS=. read -r _ line language name <<<"$(basename "$block")"
    case $language in
    sh) name=${name:-block.sh} ;;
    json) name=${name:-scene.json} ;;
    c) name=${name:-program.c} ;;
    esac
    case $language in
    sh) sed -E "$drop" "$block" >"$place/$name" ;;
    *) cp "$block" "$name" ;;
    esac
    code=0
    case $language in
    sh) timeout 300 bash -eu "$place/$name" >"$place/said" 2>&1 </dev/null || code=$? ;;
    json) timeout 300 cairn run "$name" --until "$(sed -n 's/.*"step": *\([0-9.e-]*\).*/\1/p' "$name" | awk '{ h = $1 } END { print 5 * (h > 0 ? h : 0.01) }')" >"$place/said" 2>&1 || code=$? ;;
    c) # shellcheck disable=SC2046
        { "$compiler" -std=c17 -Wall -Wextra -Werror "$name" -o "${name%.c}" $(pkg-config --cflags --libs cairn) -lm && timeout 300 "./${name%.c}"; } >"$place/said" 2>&1 || code=$?
        ;;
    esac
    if [ "$code" -ne 0 ]; then
        echo "$document:$line: this $language block ends with $code; it says:"
        tail -n 30 "$place/said"
        exit 1
    fi
done
echo "$total blocks run"
