#!/usr/bin/env bash
# The command line itself: help, versions, wrong options, wrong numbers, files that are none. Needs no test data.
set -eu
. "$(dirname "$0")/cli_common.inc"

expect 0 --version
says out "cairn "
expect 0 --help
says out "usage: cairn COMMAND"
expect 2
says err "usage: cairn COMMAND"
for command in solve check compare bench info methods convert demo generate run scenes view plot snapshot export; do
    expect 0 "$command" --help
    says out "usage: cairn $command"
    says out "examples:"
    silent err
    run --help
    says out "  $command "
done

expect 2 slove
says err "did you mean 'solve'?"
expect 2 frobnicate
says err "unknown command 'frobnicate'"

# operands
expect 2 solve
says err "FILE..."
expect 2 check a b c
says err "too many operands"
expect 2 compare a b
says err "too few operands"
expect 2 convert a
expect 2 info
expect 2 methods padmm admm

# options
expect 2 solve x --tll 1e-8
says err "unknown option '--tll'; did you mean '--tol'?"
silent out
expect 2 solve x --quite-another-thing
says err "unknown option '--quite-another-thing'"
expect 2 solve x -t
expect 2 solve x --tol
says err "--tol needs a value"
expect 2 solve x --out --json
says err "--out needs a value"
expect 2 solve x --json=yes
says err "--json takes no value"
for value in 1e-8x x '' 0 -1 2 nan inf 1e-8,5; do
    expect 2 solve x "--tol=$value"
    says err "--tol expects"
done
for value in 0 -3 1.5 99999999999999999999 10k ''; do
    expect 2 solve x "--max-iter=$value"
    says err "--max-iter expects"
done
expect 2 solve x --time-limit -1
expect 2 solve x --threads 0
expect 2 solve x --threads 65
expect 2 solve x --law coulom
says err "--law expects coulomb|associated"
expect 2 solve x --method padm
says err "did you mean 'padmm'?"
expect 2 methods pamdm
says err "did you mean 'padmm'?"
expect 2 solve x --opt rho
says err "KEY=VALUE"
expect 2 solve x --opt roh=1
says err "rho"
expect 2 solve x --opt rho=abc
expect 2 solve x --opt =1
expect 2 convert a b --to elsewhere
says err "global|local"
expect 2 solve x y --trace t.csv
says err "--trace takes one problem"
expect 2 solve x y --out "$place/no_such_directory"
says err "--out must be an existing directory"
expect 2 solve a/x b/x --out "$place"
says err "two problems are named x"

# files that cannot be read
: >"$place/empty"
echo "this is no problem" >"$place/text"
printf '\211HDF\r\n\032\n' >"$place/cut.hdf5"
mkdir "$place/folder"
for command in solve check info; do
    for file in nothing_here empty text cut.hdf5 folder; do
        expect 3 "$command" "$place/$file"
        says err "cairn: "
        says err "$file"
    done
done
expect 3 convert "$place/nothing_here" "$place/out.hdf5"
expect 3 compare "$place/empty" "$place/empty" "$place/empty"
expect 3 solve -- --strange-name
says err "--strange-name"

# errors as JSON: one object each on standard output, the message on standard error too
expect 3 solve "$place/empty" "$place/folder" --json
json_lines 2
says out '"error": '
says out '"status": '
says err "cairn: "
weird="$place/a\"b\\c
d"$'\t\xff'
expect 3 solve "$weird" --json
json_lines 1

# methods
expect 0 methods
says out "padmm"
expect 0 methods padmm
says out "rho"
expect 0 methods --json
json_lines "$(wc -l <"$place/out")"
expect 0 methods admm --json
json_lines 1
says out '"settings": ['

# standard output that cannot be written is not silent
if [ -w /dev/full ]; then
    code=0
    "$CAIRN" methods >/dev/full 2>"$place/err" || code=$?
    if [ "$code" -eq 3 ]; then pass; else fail "exit code $code, expected 3 for a full device"; fi
fi
# completion of the shell asks the program: commands, scenes, options, choices
complete_to() { # expected word, then the words typed; the last one is completed
    local said
    said=$(bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cairn; echo " ${COMPREPLY[*]} "' \
        - "$(dirname "$0")/../../tools/completion.bash" "$CAIRN" "${@:2}")
    if [[ $said == *" $1 "* ]]; then pass; else fail "completion of '${*:2}' gives$said, expected $1"; fi
}
complete_to view vi
complete_to wall run wa
complete_to --dump-failed run wall --dump
complete_to vtkhdf export x.h5 --to v
complete_to padmm solve x.hdf5 --method pa
finish
