#!/usr/bin/env bash
# cairn generate, compare, convert and info on generated problems, in every form and format; files that are damaged. With published FCLIB files beside
# the repository also on some of them.
set -euo pipefail
. "$(dirname "$0")/cli_common.inc"
make small.hdf5 stack spheres=30 place=20
make second.hdf5 cairn stones=14
make large.hdf5 cairn
small=$place/small.hdf5
second=$place/second.hdf5
large=$place/large.hdf5

# two methods agree in u
two_methods() { # FILE, for which it leaves a.hdf5 and b.hdf5
    expect 0 solve "$1" --tol 1e-9 --out "$place/a.hdf5"
    expect 0 solve "$1" --tol 1e-9 --method admm --max-iter 100000 --out "$place/b.hdf5"
    expect 0 compare "$1" "$place/a.hdf5" "$place/b.hdf5"
    says out "gamma need not be unique"
    expect 0 compare "$1" "$place/a.hdf5" "$place/b.hdf5" --json
    json_lines 1
    says out '"kinetic_energy": {'
    below "$(number relative)" 1e-6 && pass || fail "two methods differ in u by $(number relative)"
    expect 0 compare "$1" "$place/a.hdf5" "$place/a.hdf5" --json
    [ "$(number relative)" = 0 ] && pass || fail "a solution differs from itself"
}
# the file itself as one side: it stores u only
stored_u() { # FILE that stores u alone, another answer
    expect 0 compare "$1" "$1" "$2"
    says out "not stored"
    expect 0 compare "$1" "$1" "$2" --json
    below "$(number relative)" 1e-3 && pass || fail "stored u is far from the answer"
}
two_methods "$second"
edit velocities "$place/b.hdf5" "$place/only_u.hdf5"
stored_u "$place/only_u.hdf5" "$place/a.hdf5"
expect 3 compare "$second" "$place/a.hdf5" "$large"
expect 3 compare "$small" "$place/a.hdf5" "$place/b.hdf5"
says err "contacts differ"

# global to local: the same u
forms() { # FILE and its contacts; a.hdf5 is its answer
    expect 0 convert "$1" "$place/local.hdf5" --to local
    says out "local form, $2 contacts"
    expect 0 info "$place/local.hdf5" --json
    says out '"form": "local"'
    says out "\"n\": 0, \"m\": $((3 * $2))"
    expect 0 solve "$place/local.hdf5" --tol 1e-9 --out "$place/c.hdf5" --max-iter 100000
    expect 0 convert "$place/a.hdf5" "$place/a_local.hdf5" --to local # keeps u and r, drops v
    expect 0 check "$place/a_local.hdf5"
    expect 0 compare "$place/local.hdf5" "$place/a_local.hdf5" "$place/c.hdf5" --json
    below "$(number relative)" 1e-6 && pass || fail "global and local forms differ in u by $(number relative)"
    # local to global is impossible
    expect 1 convert "$place/local.hdf5" "$place/global.hdf5" --to global
    says err "cannot be made global"
    [ ! -e "$place/global.hdf5" ] && pass || fail "a refused conversion left a file"
    expect 0 convert "$place/local.hdf5" "$place/given.hdf5"
    says out "local form"
    # the same form: nothing is lost
    expect 0 convert "$1" "$place/copy.hdf5"
    expect 0 solve "$place/copy.hdf5" --tol 1e-6
    expect 3 convert "$1" "$place/no/such/folder/x.hdf5"
}
forms "$second" 116

# Siconos text to FCLIB: one contact, W = 2I, q = (-1, 0, 0): r = (0.5, 0, 0)
printf '3\n1\n0\n3 3\n3 3\n2 0 0\n0 2 0\n0 0 2\n-1 0 0\n0.3\n' >"$place/one.dat"
expect 0 convert "$place/one.dat" "$place/one.hdf5"
says out "1 contacts"
expect 0 solve "$place/one.hdf5" --out "$place/one_solved.hdf5"
expect 0 check "$place/one_solved.hdf5"
# with an answer behind it: judged, a place to start from, kept by a conversion
{ cat "$place/one.dat" && printf '1\n0.5 0 0\n0 0 0\n'; } >"$place/answered.dat"
expect 0 check "$place/answered.dat"
expect 0 check "$place/one.hdf5" "$place/answered.dat"
expect 0 solve "$place/answered.dat" --warm-start guess
silent err
expect 0 convert "$place/answered.dat" "$place/answered.hdf5"
expect 0 check "$place/answered.hdf5"
{ cat "$place/one.dat" && printf '0\n0.7 0 0\n'; } >"$place/wrong.dat"
expect 1 check "$place/wrong.dat"
expect 3 check "$place/one.dat"
says err "no answer behind the problem, expected a reaction"
{ cat "$place/one.dat" && printf '1\n0.5 0\n'; } >"$place/short.dat"
expect 0 solve "$place/short.dat"
says err "line 11: 3 numbers behind the problem, the first 1, were left out"
expect 0 info "$place/short.dat" --json
json_lines 1
says out '"note": "line 11: 3 numbers'

# every sample: the same u in both forms (with the associated law it is unique), the same numbers after text and FCLIB. HDF5 stores the time in its
# files: they cannot be compared byte by byte
list_samples
for name in $samples; do
    file=$place/$name.hdf5
    case $name in
    manufactured) # holds a function
        expect 1 generate "$name" --out "$file"
        says err "no file can hold"
        [ ! -e "$file" ] && pass || fail "a refused sample left a file"
        continue
        ;;
    pile) make "$name.hdf5" "$name" spheres=60 ;;
    spheres) make "$name.hdf5" "$name" spheres=27 ;;
    cairn) make "$name.hdf5" "$name" stones=30 ;;
    *) make "$name.hdf5" "$name" ;;
    esac
    says out "$name"
    contacts=$(sed -n 's/.* bodies, \([0-9]*\) contacts, .*/\1/p' "$place/out")
    rows=$(sed -n 's/.* contacts, \([0-9]*\) equality rows.*/\1/p' "$place/out")
    known=$(grep -c "with the known solution" "$place/out" || true)
    expect 0 generate --list "$name"
    says out "$name: "
    expect 0 info "$file" --json
    json_lines 1
    says out "\"contacts\": $contacts"
    says out '"form": "global"'
    # what is known is right, and stored nowhere else
    if [ "$known" -eq 1 ]; then expect 0 check "$file"; else expect 3 check "$file"; fi
    expect 0 convert "$file" "$place/local.hdf5" --to local
    expect 0 solve "$file" --law associated --tol 1e-9 --out "$place/a.hdf5"
    expect 0 solve "$place/local.hdf5" --law associated --tol 1e-9 --max-iter 100000 --out "$place/c.hdf5"
    expect 0 convert "$place/a.hdf5" "$place/a_local.hdf5" --to local
    expect 0 compare "$place/local.hdf5" "$place/a_local.hdf5" "$place/c.hdf5" --law associated --json
    below "$(number difference)" 1e-5 && pass || fail "$name: the forms differ in u by $(number difference) m/s"
    [ "$rows" -eq 0 ] || continue # text holds contacts alone
    for form in "$file" "$place/local.hdf5"; do
        edit text "$form" "$place/words.dat"
        expect 0 convert "$place/words.dat" "$place/from_text.hdf5"
        says out "$contacts contacts"
        edit text "$place/from_text.hdf5" "$place/again.dat"
        cmp -s "$place/words.dat" "$place/again.dat" && pass || fail "$name: $form changes on its way through text"
        expect 0 convert "$form" "$place/again.hdf5"
        edit text "$place/again.hdf5" "$place/again.dat"
        cmp -s "$place/words.dat" "$place/again.dat" && pass || fail "$name: $form changes when it is read and written"
        run solve "$form" --tol 1e-6 --json
        before=$(number natural_map)
        run solve "$place/words.dat" --tol 1e-6 --json
        [ -n "$before" ] && [ "$before" = "$(number natural_map)" ] && pass ||
            fail "$name: the text of $form gives another answer: $(number natural_map), before $before"
    done
done

# files that are damaged: refused by name, by every command, and nothing is left
edit text "$place/local.hdf5" "$place/whole.dat"
size=$(wc -c <"$second")
for bytes in 0 7 40 96 1000 $((size / 2)) $((size - 8)) $((size - 1)); do
    head -c "$bytes" "$second" >"$place/cut.hdf5"
    for command in info solve check; do
        expect 3 "$command" "$place/cut.hdf5" --json
        json_lines 1
        says out '"error": '
        says err "cut.hdf5"
    done
    expect 3 convert "$place/cut.hdf5" "$place/made.hdf5"
    [ ! -e "$place/made.hdf5" ] && pass || fail "a damaged file of $bytes bytes was converted"
    expect 3 compare "$place/cut.hdf5" "$place/a.hdf5" "$place/a.hdf5"
    expect 3 compare "$second" "$second" "$place/cut.hdf5"
done
lines=$(wc -l <"$place/whole.dat")
for kept in 1 2 3 5 $((lines / 2)) $((lines - 1)); do
    head -n "$kept" "$place/whole.dat" >"$place/cut.dat"
    expect 3 convert "$place/cut.dat" "$place/made.hdf5"
    says err "cut.dat"
done
sed '$s/.*/nan/' "$place/whole.dat" >"$place/cut.dat"
expect 3 info "$place/cut.dat"
says err "finite"
cat "$place/whole.dat" "$place/one.dat" >"$place/cut.dat"
expect 0 solve "$place/cut.dat" --json
json_lines 1
says err "were left out"
[ ! -e "$place/made.hdf5" ] && pass || fail "damaged text was converted"

# info
expect 0 info "$small"
says out "n = 186 velocities, m = 93 rows"
says out "rank           93 of 93 rows"
says out "what to expect"
silent err
expect 0 info "$large" --json
json_lines 1
says out '"rank": 330'
says out '"matrix": "diagonal"'
# W and M that are not symmetric
printf '3\n1\n0\n3 3\n3 3\n2 0.5 0\n0 2 0\n0 0 2\n-1 0 0\n0.3\n' >"$place/skew.dat"
printf '3\n1\n0\n3 3\n3 3\n2 0.5 0\n0.4 2 0\n0 0 1\n0\n3 3\n3 3\n1 0 0\n0 1 0\n0 0 1\n-1 0 0\n0 0 0\n0.3\n' >"$place/elastic.dat"
expect 0 info "$place/skew.dat" "$place/elastic.dat" --json
json_lines 2
[ "$(grep -c '"symmetric": false' "$place/out")" -eq 2 ] && pass || fail "two matrices are not symmetric"
says out '"rank": 3'
expect 0 info "$place/elastic.dat"
says out "not symmetric"
edit rolling "$second" "$place/rolling.hdf5"
expect 3 info "$small" "$place/rolling.hdf5" --json
json_lines 2
says err "rolling friction"

# what others wrote: vectors they stored, matrices of finite elements, packed and unsymmetric
if published; then
    given=$others/LMGC_100_PR_PerioBox-i00361-60-03000.hdf5
    other=$stacks/Box_Stacks-i0122-73-2.hdf5
    two_methods "$other"
    stored_u "$other" "$place/a.hdf5"
    expect 3 compare "$other" "$place/a.hdf5" "$given"
    expect 3 compare "$stacks/Box_Stacks-i0035-31-0.hdf5" "$place/a.hdf5" "$place/b.hdf5"
    says err "contacts differ"
    forms "$other" 73
    expect 0 convert "$given" "$place/given.hdf5"
    says out "local form"
    expect 0 info "$stacks/Box_Stacks-i0035-31-0.hdf5"
    says out "n = 450 velocities, m = 93 rows"
    says out "rank           93 of 93 rows"
    says out "what to expect"
    silent err
    expect 0 info "$stacks/Box_Stacks-i1000-548-40.hdf5" --json
    json_lines 1
    says out '"rank": 449'
    says out '"matrix": "diagonal"'
    expect 0 info "$given" "$others/CubeH8.hdf5" --json
    json_lines 2
    says out '"symmetric": false'
    says out '"rank": 72'
    expect 3 info "$small" "$others/Chute-ndof-768-nc-4-3.hdf5" --json
    json_lines 2
fi
finish
