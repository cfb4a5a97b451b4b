#!/usr/bin/env bash
# Checks the symbols of the built libraries: check_symbols.sh BUILD_DIR [ROOT].
#   static: every global symbol starts with cairn_; no mutable globals; nothing prints, exits or aborts; only
#           src/base/context.c and src/base/allocator.c take memory from the system.
#   shared: exported symbols are exactly the functions declared CAIRN_API in the public headers.
set -u
build=${1:?usage: check_symbols.sh BUILD_DIR [ROOT]}
root=${2:-$(dirname "$0")/..}
archive=$build/libcairn.a
shared=$build/libcairn.so
status=0

complain() {
    printf '%s:\n' "$1"
    sed 's/^/    /' <<<"$2"
    status=1
}
expect_none() {
    [ -z "$2" ] || complain "$1" "$2"
}

for file in "$archive" "$shared"; do
    [ -f "$file" ] || { echo "not built: $file"; exit 1; }
done

expect_none "global symbols without the prefix cairn_" \
    "$(nm -g --defined-only "$archive" | awk 'NF == 3 && $3 !~ /^cairn_/ { print $3 }')"
expect_none "mutable globals (put them in the context)" \
    "$(objdump -t "$archive" | awk '/file format/ { f = $1 }
        / O \.(data|bss|tdata|tbss|data\.local|bss\.local)[ \t]/ || /\*COM\*/ { print f, $NF }')"
expect_none "the library prints, exits or aborts" \
    "$(nm -A -u "$archive" | grep -wE 'printf|vprintf|__printf_chk|puts|putchar|perror|stdout|stderr|exit|_exit|quick_exit|abort')"
expect_none "memory taken past cairn_alloc" \
    "$(nm -A -u "$archive" | grep -wE 'malloc|calloc|realloc|free|aligned_alloc|posix_memalign|strdup|strndup' | grep -vE ':(context|allocator)\.c\.o:')"

declared=$(for header in "$root"/include/cairn/*.h; do
    sed -e 's|//.*||' -e '/^[ \t]*#/d' "$header" | tr '\n' ' ' | sed -e 's|/\*|\x01|g; s|\*/|\x02|g; s|\x01[^\x02]*\x02||g'
done | grep -o 'CAIRN_API[^;(]*(' | sed 's/[ (]*$//; s/.*[ *]//' | sort)
exported=$(nm -D --defined-only "$shared" | awk '{ print $3 }' | sort)
expect_none "declared CAIRN_API but not exported" "$(comm -23 <(echo "$declared") <(echo "$exported"))"
expect_none "exported but not declared CAIRN_API" "$(comm -13 <(echo "$declared") <(echo "$exported"))"

echo "$(wc -l <<<"$exported") exported symbols, $(nm -g --defined-only "$archive" | grep -c ' [A-Z] ') global in the archive"
exit $status
