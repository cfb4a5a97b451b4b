#!/usr/bin/env bash
# Checks who includes whom: check_layers.sh [ROOT]. One folder of src/ is one layer; a lower layer never includes a
# higher one, siblings never include each other, the command line sees the public headers only. Public headers count as
# the layer that gives them their types. HDF5 and zlib stay in io and view, AMD in linalg, and the judge
# never sees the projections that it judges.
set -u
cd "${1:-$(dirname "$0")/..}" || exit 1

awk '
BEGIN {
    # allowed[layer] names every layer that it may include, itself left out.
    allowed["base"] = ""
    allowed["math"] = "base"
    allowed["linalg"] = allowed["sets"] = allowed["collide"] = "base math"
    allowed["problem"] = "base math linalg sets"
    allowed["judge"] = "base linalg problem"
    allowed["certify"] = "base linalg problem judge"
    allowed["solve"] = allowed["problem"] " problem"
    allowed["rigid"] = allowed["fem"] = allowed["problem"] " problem collide"
    allowed["world"] = allowed["solve"] " solve collide rigid fem"
    allowed["io"] = allowed["world"] " world"
    allowed["view"] = allowed["io"] " io"
    allowed["cli"] = ""

    # Public headers: the layers that may include them are the owner and all above it. problem.h holds the
    # description of a set, so sets may read it.
    owner["base.h"] = "base"; owner["math.h"] = "math"; owner["problem.h"] = "sets"; owner["solver.h"] = "solve"
    owner["collide.h"] = "collide"; owner["world.h"] = "world"; owner["io.h"] = "io"; owner["scene.h"] = "io"; owner["cairn.h"] = "cli"
    owner["samples.h"] = "problem"; owner["rigid.h"] = "rigid"; owner["fem.h"] = "fem"
    owner["record.h"] = "io"; owner["view.h"] = "view"
}
function may(from, to) {
    return from == to || index(" " allowed[from] " ", " " to " ") > 0
}
function bad(why) {
    printf "%s:%d: %s: %s\n", FILENAME, FNR, why, $0
    faults++
}
FNR == 1 {
    files++
    layer = FILENAME
    public = sub(/^include\/cairn\//, "", layer)
    if (public) {
        if (!(layer in owner)) bad("a public header that tools/check_layers.sh does not know")
        layer = owner[layer]
    } else {
        sub(/^src\//, "", layer)
        if (layer !~ /\//) bad("a source file outside the layer folders")
        sub(/\/.*/, "", layer)
        if (!(layer in allowed)) bad("a layer that tools/check_layers.sh does not know")
    }
}
/^[ \t]*#[ \t]*include/ {
    name = $0
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", name)
    quoted = name ~ /^"/
    name = substr(name, 2)
    sub(/[">].*$/, "", name)

    if (public) {
        if (!quoted && name !~ /^std(bool|def|int)\.h$/ && !(layer == "math" && name == "math.h")) bad("a public header needs more than the standard types")
        else if (quoted && !(name in owner)) bad("a public header includes a private one")
        else if (quoted && layer != "cli" && !may(layer, owner[name])) bad("wrong order of public headers")
    } else if (name ~ /^cairn\//) {
        sub(/^cairn\//, "", name)
        if (!(name in owner)) bad("no such public header")
        else if (layer != "cli" && !may(layer, owner[name])) bad("layer " layer " may not see this public header")
    } else if (quoted) {
        if (name ~ /^\.\.\/[a-z]+\/[a-z0-9_]+\.h$/) {
            target = name
            sub(/^\.\.\//, "", target); sub(/\/.*/, "", target)
            if (!may(layer, target)) bad("layer " layer " may not include layer " target)
            if (layer == "judge" && target == "problem" && name !~ /\/(data|pieces|components|factor_mass|scales)\.h$/) bad("the judge reads the problem alone")
        } else if (name !~ /^[a-z0-9_]+\.h$/) bad("not of the form \"x.h\" or \"../layer/x.h\"")
    } else if (name ~ /^(hdf5|H5)/ && layer != "io" && layer != "view") bad("HDF5 belongs to io and view")
    else if (name ~ /^(amd|suitesparse)/ && layer != "linalg") bad("AMD belongs to linalg")
    else if (name == "zlib.h" && layer != "view" && layer != "io" && FILENAME !~ /cli\/page\.c$/) bad("zlib belongs to io and view")
}
END {
    printf "%d files, %d wrong includes\n", files, faults
    exit faults > 0 || files == 0
}' $(find include/cairn src -name '*.[ch]' | sort)
