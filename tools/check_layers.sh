#!/usr/bin/env bash
# Checks who includes whom: check_layers.sh [ROOT]. One folder of src/ is one layer; a lower layer never includes a
# higher one, siblings never include each other, the command line sees the public headers only. Public headers count as
# the layer that gives them their types. HDF5 and zlib stay in io and view, AMD in linalg, and the judge
# never sees the projections that it judges.
# Folders inside a layer: the table `within` says which other folders of its layer a folder sees; a folder without a
# row is refused, and its README.md says the same. A header *_data.h is the inside of one folder: only the folders in `readers` include it besides.
set -u
cd "${1:-$(dirname "$0")/..}" || exit 1

awk '
BEGIN {
    # allowed[layer] names every layer that it may include, itself left out.
    allowed["base"] = ""
    allowed["math"] = "base"
    allowed["linalg"] = allowed["sets"] = allowed["collide"] = "base math"
    allowed["problem"] = "base math linalg sets"
    allowed["samples"] = allowed["problem"] " problem"
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
    owner["samples.h"] = "samples"; owner["rigid.h"] = "rigid"; owner["fem.h"] = "fem"
    owner["record.h"] = "io"; owner["view.h"] = "view"

    # within[folder]: the other folders of its layer that a folder sees.
    within["base"] = within["sets"] = within["samples"] = within["judge"] = within["certify"] = ""
    within["rigid"] = within["fem/material"] = ""
    within["fem/element"] = "fem/material"
    within["fem/mesh"] = "fem/element"
    within["fem/part"] = "fem/element fem/material fem/mesh"
    within["world/model"] = "world/flexible"
    within["world/flexible"] = "world/island world/model"
    within["world/contact"] = within["world/island"] = within["world/step"] = "world/flexible world/model"
    within["linalg"] = within["linalg/factor/kernel"] = ""
    within["linalg/factor"] = "linalg/factor/kernel"
    within["problem"] = "problem/delassus"
    within["problem/delassus"] = within["problem/kkt"] = "problem"
    within["problem/analysis"] = "problem problem/delassus"
    within["solve/driver"] = ""
    within["solve/infeasible"] = "solve/driver"
    within["solve/sweep"] = "solve/driver solve/infeasible"
    within["solve/admm"] = "solve/driver solve/admm/rigid"
    within["solve/admm/rigid"] = "solve/driver solve/admm"
    within["solve/second_order"] = "solve/driver solve/infeasible solve/admm"
    within["solve/papers"] = "solve/driver solve/infeasible"
    within["solve/papers/mt"] = "solve/driver solve/papers"
    within["solve/papers/lemke"] = "solve/driver"
    within["solve/papers/akm"] = "solve/driver solve/infeasible solve/papers solve/admm/rigid"
    within["solve/auto"] = "solve/driver solve/infeasible solve/sweep solve/admm solve/admm/rigid solve/second_order"
    within["collide/broad"] = "collide/shape"
    within["collide/shape"] = "collide/broad"
    within["collide/narrow"] = "collide/shape"
    within["collide/mesh"] = within["collide/deformable"] = "collide/shape collide/broad collide/narrow"
    within["io/text"] = within["io/hdf5"] = ""
    within["io/problem_file"] = "io/text io/hdf5"
    within["io/mesh_file"] = within["io/scene"] = "io/text"
    within["io/record"] = "io/hdf5"
    within["view"] = ""
    within["view/page"] = within["view/export"] = "view"
    within["cli"] = "cli/bench"
    within["cli/commands"] = within["cli/run"] = within["cli/bench"] = "cli"

    # readers[header]: the folders, and those inside them, that include a *_data.h of another folder.
    readers["problem/problem_data.h"] = "problem samples judge solve"
    readers["world/model/world_data.h"] = "world io/scene io/record"
}
function sees(from, to) {
    return from == to || index(" " within[from] " ", " " to " ") > 0
}
function reads(folder, header,    part, i, n) {
    n = split(readers[header], part, " ")
    for (i = 1; i <= n; i++)
        if (index(folder "/", part[i] "/") == 1) return 1
    return 0
}
# An include of the file `target`, "layer/folder/name.h".
function check_private(target,    other, seen) {
    other = target
    sub(/\/.*/, "", other)
    seen = target
    sub(/\/[^\/]*$/, "", seen)
    if ((getline line < ("src/" target)) < 0) bad("there is no src/" target)
    close("src/" target)
    if (!may(layer, other)) bad("layer " layer " may not include layer " other)
    else if (layer == other && !sees(folder, seen)) bad("folder " folder " may not include folder " seen)
    if (target ~ /_data\.h$/ && seen != folder && !reads(folder, target)) bad(target " is the inside of " seen)
    if (layer == "judge" && other == "problem" && target !~ /\/(problem_data|mass_components|components|mass_factor|block_scales)\.h$/)
        bad("the judge reads the problem alone")
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
        folder = layer
        sub(/\/[^\/]*$/, "", folder)
        if (!(folder in within)) bad("a folder that tools/check_layers.sh does not know")
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
        if (name ~ /^[a-z]+\/([a-z0-9_]+\/)*[a-z0-9_]+\.h$/) check_private(name)
        else bad("not of the form \"layer/folder/name.h\"")
    } else if (name ~ /^(hdf5|H5)/ && layer != "io" && layer != "view") bad("HDF5 belongs to io and view")
    else if (name ~ /^(amd|suitesparse)/ && layer != "linalg") bad("AMD belongs to linalg")
    else if (name == "zlib.h" && layer != "view" && layer != "io" && FILENAME !~ /cli\/replay_page\.c$/) bad("zlib belongs to io and view")
}
# Each folder says in its README.md what it sees.
function check_readme(path, wanted,    text, line) {
    gsub(/ /, ", ", wanted)
    while ((getline line < path) > 0) text = text " " line
    close(path)
    if (index(text, " Sees in its layer: " (wanted == "" ? "nothing" : wanted) ".")) return
    printf "%s: missing, or it does not say: Sees in its layer: %s.\n", path, wanted == "" ? "nothing" : wanted
    faults++
}
END {
    for (folder in within) check_readme("src/" folder "/README.md", within[folder])
    printf "%d files, %d wrong includes\n", files, faults
    exit faults > 0 || files == 0
}' $(find include/cairn src -name '*.[ch]' | sort)
