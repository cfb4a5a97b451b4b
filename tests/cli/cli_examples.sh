#!/usr/bin/env bash
# Every example that `cairn --help` and `cairn COMMAND --help` show is run, in a folder that has the files they name. Completion of the shell knows every
# command and every option that the help lists.
set -eu
. "$(dirname "$0")/cli_common.inc"
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$place/bin" "$place/work/problems"
ln -s "$CAIRN" "$place/bin/cairn"
ln -s /bin/true "$place/bin/xdg-open" # nobody is at the screen
PATH=$place/bin:$PATH
cd "$place/work"

# The files that examples speak of.
cairn generate cairn stones=14 --out problem.hdf5 >/dev/null
cairn generate chain --out problems/chain.hdf5 >/dev/null
cairn generate stack spheres=4 place=2 heavy=20 --out problems/stack.hdf5 >/dev/null
for name in solved first second; do cairn solve problem.hdf5 --out $name.hdf5 >/dev/null; done
cairn solve problem.hdf5 --trace trace.csv >/dev/null
printf '2\n1\n0\n2\n2\n2\t2\n2.0 0.0\n 1.0e+00 3.\n-1 5e-1\n0.25\n' >problem.dat
cairn scenes dominoes >my.json
cairn run my.json --set count=5 --until 1.3 --out run.h5 --quiet >/dev/null
echo '{"kind": "run", "program": "siconos", "problem": "stack", "method": "nsgs", "law": "coulomb", "tolerance": 1e-4, "seconds": 0.01, "certificate": {"relative": 1e-5}}' >siconos.jsonl
page=yes
cairn view run.h5 -o page.html >"$place/out" 2>&1 || page=no
browser=no
if [ $page = yes ] && { [ -n "${CHROMIUM:-}" ] || command -v chromium >/dev/null || command -v google-chrome >/dev/null; }; then browser=yes; fi

commands=$(cairn --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(wc -w <<<"$commands")" -ge 15 ] || fail "cairn --help lists too few commands"
counted=0
examples() { # help text on standard input
    sed -n '/^examples:/,$s/^  \(cairn .*\)/\1/p'
}
try() { # one example
    case $1 in
    *--html* | *"cairn view"*) [ $page = yes ] || { echo "skipped, no replay page: $1"; return 0; } ;;
    *"cairn snapshot"*) [ $browser = yes ] || { echo "skipped, no browser: $1"; return 0; } ;;
    esac
    counted=$((counted + 1))
    if timeout 120 bash -eu -c "$1" >"$place/out" 2>"$place/err" </dev/null; then pass; else fail "the example ends with $?: $1"; fi
}
for command in "" $commands; do
    # shellcheck disable=SC2086
    list=$(cairn $command --help | examples)
    [ -n "$list" ] || fail "cairn $command --help has no examples"
    while IFS= read -r example; do try "$example"; done <<<"$list"
done
[ "$(cairn 2>&1 | examples)" = "$(cairn --help | examples)" ] || fail "cairn without arguments shows no examples"
echo "$counted examples run"

# Options that the documents name: `cairn COMMAND ... --option` in running text, and lines of blocks that begin with it.
named=0
while IFS=: read -r document line; do
    command=$(sed -E 's/^(build\/)?cairn ([a-z]+).*/\2/' <<<"$line")
    grep -qw -- "$command" <<<"$commands" || continue
    help=$(cairn "$command" --help)
    for option in $(grep -oE '(^| )--?[a-zA-Z][a-z-]*' <<<"${line%% #*}" | tr -d ' '); do
        named=$((named + 1))
        grep -qE -- "^  $option( |$)" <<<"$help" || [ "$option" = -o ] || fail "$document: cairn $command has no option $option: $line"
    done
done < <(cd "$root" && grep -oE '(`|^ *)(build/)?cairn [a-z]+ [^`|]*' README.md docs/*.md | sed -E 's/:[` ]*/:/')
[ "$named" -ge 100 ] || fail "only $named options were found in the documents"
echo "$named options named in the documents"

# Completion.
complete_words() { # words typed; the last one is completed
    bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cairn; printf "%s\n" "${COMPREPLY[@]}"' - "$root/tools/completion.bash" cairn "$@"
}
known=0
for command in $commands; do
    complete_words "" | grep -qx "$command" || fail "completion does not know cairn $command"
    offered=$(complete_words "$command" -)
    # Options as the help lists them: lines that begin with one, two spaces in.
    for option in $(cairn "$command" --help | sed -n '/^options:/,/^examples:/s/^  \(--*[a-zA-Z][a-z-]*\).*/\1/p'); do
        known=$((known + 1))
        if grep -qx -e "$option" <<<"$offered"; then pass; else fail "completion of cairn $command does not know $option"; fi
    done
done
[ "$known" -ge 90 ] || fail "only $known options were found in the help"
offers() { # expected word, then the words typed
    if complete_words "${@:2}" | grep -qx -e "$1"; then pass; else fail "completion of '${*:2}' does not offer $1"; fi
}
offers stack-pull generate stack-p
offers spheres= generate stack sphe
offers padmm bench x --methods pa
offers coulomb run wall --law c
offers convergence plot x.csv --what c
offers dominoes run dom
offers height= run brick --set h
offers rho= solve x.hdf5 --method padmm --opt rh
finish
