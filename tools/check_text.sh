#!/usr/bin/env bash
# Checks the words of the repository: no notes to self, no host names of package registries (a build must not depend on
# one by name), every `make x` that the documents promise is a target, every relative link leads somewhere, every file, test and bench that they name exists.
# The forbidden words are written with a gap so that this file does not find itself.
set -u
cd "${1:-$(dirname "$0")/..}" || exit 1
status=0

files() {
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files -z -co --exclude-standard
    else
        find . -type f -not -path './build/*' -not -path './.git/*' -print0
    fi
}
forbid() { # what, extended regular expression with gaps
    local hits
    hits=$(files | xargs -0 grep -nIE "${2//_/}" 2>/dev/null)
    if [ -n "$hits" ]; then
        printf '%s:\n%s\n' "$1" "$hits"
        status=1
    fi
}

forbid "notes to self" '\b(TO_DO|FIX_ME|X_XX)\b'
forbid "host names of package registries" \
    '(py_pi|pythonhos_ted|npm_js|yarn_pkg|crat_es|anacon_da|rubyge_ms|maven_central|deb\.deb_ian|archive\.ubun_tu|ghc_r|quay_)\.(org|com|io|net)|reg_istry\.[a-z]|docker\.i_o'

targets=$(sed -n 's/^\([a-z0-9-]*\):.*##.*/\1/p' Makefile)
for document in *.md docs/*.md; do
    [ -f "$document" ] || continue
    # Commands: `make x` in backquotes, or a line of a fenced block that begins with make.
    for target in $(awk '/^```/ { fenced = !fenced } fenced && /^ *(\$ )?make / { sub(/^ *(\$ )?/, ""); print }
                         !fenced { while (match($0, /`make [a-z0-9-]+/)) { print substr($0, RSTART + 1, RLENGTH - 1)
                                                                       $0 = substr($0, RSTART + RLENGTH) } }' "$document" |
        sed 's/#.*//' | tr ' ' '\n' | grep -E '^[a-z][a-z0-9-]*$' | grep -v '^make$' | sort -u); do
        grep -qx "$target" <<<"$targets" || { echo "$document: make $target is no target"; status=1; }
    done
    # Files of the repository in backquotes (patterns are allowed, <name> and ... stand for something), tests and benches.
    for path in $(grep -oE '`(src|tests|tools|bench|include|web|scenes|cmake|docs)/[^` ]*`' "$document" | tr -d '`' | sed 's/:.*//' | grep -vE '[<>]|\.\.\.|…' | sort -u); do
        compgen -G "$(sed 's/{[^}]*}/*/g' <<<"$path")" >/dev/null || { echo "$document: there is no $path"; status=1; }
    done
    for name in $(grep -oE '\btest_(base|cli|collide|fem|io|linalg|problem|sets|solve|view|world)_[a-z0-9_]+' "$document" | sort -u); do
        [ -n "$(find tests -name "$name*")" ] || { echo "$document: there is no test $name"; status=1; }
    done
    for name in $(grep -oE 'build/bench/[a-z0-9_]+' "$document" | sed 's/.*\///' | sort -u); do
        compgen -G "bench/*/$name.c" >/dev/null || { echo "$document: there is no bench $name"; status=1; }
    done
    # Relative links.
    for link in $(grep -oE '\]\([^) ]+\)' "$document" | sed 's/^](//; s/)$//; s/#.*//' | grep -vE '^$|^[a-z]+:'); do
        [ -e "$(dirname "$document")/$link" ] || { echo "$document: $link does not exist"; status=1; }
    done
done

[ $status -eq 0 ] && echo "words, commands and links are in order"
exit $status
