#!/usr/bin/env bash
# Installs the built library to a temporary folder and uses it from outside: check_install.sh BUILD_DIR [COMPILER].
# A small program is built through CMake and through pkg-config, against the shared and the static library, and run.
set -eu
build=$(cd "${1:?usage: check_install.sh BUILD_DIR [COMPILER]}" && pwd)
compiler=${2:-cc}
root=$(cd "$(dirname "$0")/.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
prefix=$place/prefix
unset DESTDIR MAKEFLAGS MAKELEVEL

cmake --install "$build" --prefix "$prefix" >/dev/null
libdir=$(dirname "$(find "$prefix" -name libcairn.a)")
for header in "$root"/include/cairn/*.h; do
    test -f "$prefix/include/cairn/$(basename "$header")"
done
find "$prefix" -name LICENSE | grep -q .
version=$(sed -n 's/#define CAIRN_VERSION_[A-Z]* //p' "$root/include/cairn/base.h" | paste -sd.)

mkdir "$place/user"
cd "$place/user"
cat >user.c <<'END'
#include <cairn/cairn.h>
#include <stdio.h>

int main(void) {
    cairn_context *context = NULL;
    if (cairn_context_create(NULL, &context) != CAIRN_OK)
        return 1;
    cairn_file file;
    cairn_status status = cairn_file_read(context, "/does/not/exist.hdf5", &file);
    bool refused = status == CAIRN_ERROR_IO && cairn_error_message(context)[0] != '\0';
    cairn_context_destroy(context);
    printf("%s\n", cairn_version());
    return refused && cairn_method_count() > 0 ? 0 : 1;
}
END
cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES C)
find_package(Cairn ${version%.*} REQUIRED)
add_executable(with_shared user.c)
target_link_libraries(with_shared PRIVATE Cairn::cairn)
add_executable(with_static user.c)
target_link_libraries(with_static PRIVATE Cairn::cairn_static)
END

expect() { # program: it must run and print the version
    local said
    said=$(LD_LIBRARY_PATH=$libdir "./$1")
    [ "$said" = "$version" ] || { echo "$1 said '$said', expected '$version'"; exit 1; }
    echo "$1: $said"
}

cmake -S . -B build -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$compiler" >cmake.log 2>&1 || { cat cmake.log; exit 1; }
cmake --build build >cmake.log 2>&1 || { cat cmake.log; exit 1; }
expect build/with_shared
expect build/with_static
test ! -e "$build/cairn" || "$prefix/bin/cairn" --version

# As a part of another project: its kind of build stays, and nothing is built that it did not ask for.
mkdir part
cat >part/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(outer LANGUAGES C)
add_subdirectory($root cairn EXCLUDE_FROM_ALL)
add_executable(outer ../user.c)
target_link_libraries(outer PRIVATE Cairn::cairn_static)
if(TARGET cairn_cli)
    message(FATAL_ERROR "the program is part of a project that did not ask for it")
endif()
END
cmake -S part -B part/build -DCMAKE_C_COMPILER="$compiler" >cmake.log 2>&1 || { cat cmake.log; exit 1; }
grep -q '^CMAKE_BUILD_TYPE:STRING=$' part/build/CMakeCache.txt || { echo "Cairn chose the kind of build of the outer project"; exit 1; }
grep -q '^CAIRN_PAGE:BOOL=OFF' part/build/CMakeCache.txt || { echo "the replay page is on in an outer project"; exit 1; }
cmake -S part -B part/build -DCAIRN_PROGRAM=ON 2>&1 | grep -q "the program is part" || { echo "CAIRN_PROGRAM does not bring the program"; exit 1; }

if ! command -v pkg-config >/dev/null; then
    echo "skipped: pkg-config is not installed"
    exit 77
fi
export PKG_CONFIG_PATH=$libdir/pkgconfig
[ "$(pkg-config --modversion cairn)" = "$version" ]
# shellcheck disable=SC2046
"$compiler" user.c -o pc_shared $(pkg-config --cflags --libs cairn)
expect pc_shared
# shellcheck disable=SC2046
"$compiler" user.c -o pc_static $(pkg-config --cflags cairn) $(pkg-config --static --libs cairn | sed 's/-lcairn\b/-l:libcairn.a/')
expect pc_static
! ldd pc_static | grep -q libcairn
ldd pc_shared | grep -q "libcairn.so.${version%.*}"
