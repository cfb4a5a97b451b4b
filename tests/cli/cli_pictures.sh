#!/usr/bin/env bash
# `cairn export` to ParaView, VTKHDF and glTF, `cairn plot`, `cairn snapshot`: files held against the recording by other programs where
# they are installed (python3-vtk9, python3-h5py, Node.js with web/node_modules, Chromium); the parts without are skipped and say so.
set -eu
. "$(dirname "$0")/cli_common.inc"
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$place"
python=python3
[ ! -x /usr/bin/python3 ] || python=/usr/bin/python3

check_with() { # module, what, command...
    if ! "$python" -c "import $1" 2>/dev/null; then
        echo "skipped: $2 ($1 is not installed)"
    elif "${@:3}" >said 2>&1; then
        cat said
        pass
    else
        fail "$(cat said)"
    fi
}
check_exports() { # name of the recording, every
    expect 0 export "$1.h5" --to csv -o "$1-tables"
    expect 0 export "$1.h5" --to pvd --every "$2"
    says out "$1.pvd: a collection for ParaView"
    expect 0 export "$1.h5" --to vtkhdf --every "$2"
    expect 0 export "$1.h5" --to gltf --every "$2"
    says out "$1.glb: a binary glTF file"
    check_with csv "reading .vtp and .vtu" "$python" "$root/tests/cli/export_vtk.py" vtp "$1.pvd" "$1-tables" "$2"
    check_with vtk "reading .vtp and .vtu by VTK: python3-vtk9" "$python" "$root/tests/cli/export_vtk.py" pvd "$1.pvd" "$1-tables" "$2"
    check_with h5py "VTKHDF against the specification" "$python" "$root/tests/cli/export_vtk.py" vtkhdf "$1.vtkhdf" "$1-tables" "$2"
    if command -v node >/dev/null && [ -d "$root/web/node_modules/gltf-validator" ]; then
        if (cd "$root/web" && node tests/gltf.mjs "$place/$1.glb" "$place/$1-tables" "$2") >said 2>&1; then cat said && pass; else fail "$(cat said)"; fi
    else
        echo "skipped: .glb in three.js (Node.js or web/node_modules is missing)"
    fi
}

expect 0 run wall --set walls=1 --set rows=3 --set columns=3 --until 0.3 --out run.h5 --quiet
check_exports run 3
# every element once: tetrahedra of four and ten nodes, bricks, beams
cat >soft.json <<'END'
{"step": 0.01, "bodies": [{"name": "floor", "shape": {"plane": {}}}, {"name": "ball", "shape": {"sphere": {"radius": 0.1}}, "position": [0, 0, 0.35]}],
 "flexible": [{"name": "block", "mesh": {"box": {"edge": [0.3, 0.3, 0.2], "cells": [2, 2, 1], "element": "tet4"}}, "elastic": {"E": 1e5, "density": 500}, "position": [0, 0, 0.1]},
  {"name": "fine", "mesh": {"box": {"edge": [0.2, 0.2, 0.2], "cells": [1, 1, 1], "element": "tet10"}}, "elastic": {"E": 1e5}, "position": [1, 0, 0.12], "angular_velocity": [0, 3, 9]},
  {"name": "brick", "mesh": {"box": {"edge": [0.2, 0.2, 0.2], "cells": [2, 1, 1], "element": "hex8"}}, "elastic": {"E": 1e5}, "position": [0, 1, 0.12]},
  {"name": "rope", "mesh": {"line": {"points": [[0, 0, 0], [0.6, 0, 0]], "cells": 4}}, "elastic": {"E": 1e7, "radius": 0.02}, "position": [1, 1, 1],
   "hold": [{"box": [[0, 0, 0], [0, 0, 0]]}]}]}
END
expect 0 run soft.json --until 0.3 --stress --out soft.h5 --quiet
check_exports soft 2
# recordings of version 2 hold no elements: skins and beams are written; wrong numbers are refused
if "$python" -c "import h5py" 2>/dev/null; then
    cp soft.h5 old.h5
    cp soft.h5 bad.h5
    "$python" - <<'END'
import h5py
with h5py.File("old.h5", "a") as f:
    f.attrs["version"] = f.attrs["version"].dtype.type(2)
    for name in ("element_first", "element_count", "element_kind", "element_node"):
        del f["flexible"][name]
with h5py.File("bad.h5", "a") as f:
    f["flexible/element_node"][3, 1] = 12345
END
    expect 0 export old.h5 --to pvd --every 10
    expect 0 export old.h5 --to gltf --every 10
    if grep -aq 'NumberOfPoints="18" NumberOfCells="32"' old/part-0-000000.vtu; then pass; else
        fail "old/part-0-000000.vtu does not hold the 32 triangles of a block"
    fi
    expect 3 export bad.h5 --to pvd
    says err "/flexible/element_node: a number out of range"
fi
expect 0 run soft.json --step 0.001 --until 0.2 --out long.h5 --quiet
expect 0 export long.h5 --to gltf
says out "flexible parts have 128 shapes for 201 frames"
expect 0 export run.h5 --to csv -o run-tables --every 2
expect 2 export run.h5 --to obj
expect 3 export run.h5 --to pvd -o run.vtp
says err "ends in .pvd"
expect 3 export run.h5 --to gltf -o /no/such/folder/x.glb
expect 3 export run.h5 --to vtkhdf -o /no/such/folder/x.vtkhdf
says err "/no/such/folder/x.vtkhdf: cannot be written"
expect 3 export run.h5 --to gltf --from 5 --until 6
says err "no frame of the recording's 16 lies from 5 s to 6 s"

# plots: every value of the recording is in the picture, as lines; wrong combinations are refused
for what in energy certificate contacts; do
    expect 0 plot run.h5 --what $what -o $what.svg
    says out "16 values"
    if grep -q "<svg " $what.svg && tail -n 1 $what.svg | grep -q "</svg>"; then pass; else fail "$what.svg is not complete"; fi
done
if [ "$(grep -c "<path fill='none'" energy.svg)" = 6 ]; then pass; else fail "energy.svg does not hold six lines"; fi
if grep -q ">tolerance<" certificate.svg; then pass; else fail "certificate.svg has no line for the tolerance"; fi
# one look: the lines of plots and profiles have the colours of the pages
for k in 0 1 2 3 4 5 6 7; do
    colour=$(sed -n "s/.*--c$k: \(#[0-9a-f]*\);.*/\1/p" "$root/web/src/look.css" | head -n 1)
    for file in plot_svg bench/bench_svg; do
        if sed -n "/colours\[/,/;/p" "$root/src/cli/$file.c" | grep -o '#[0-9a-f]*' | sed -n "$((k + 1))p" | grep -qx "$colour"; then pass; else
            fail "colour $k of $file.c is not $colour of look.css"
        fi
    done
done
expect 0 generate stack -o p.hdf5
expect 0 solve p.hdf5 --method padmm --trace trace.csv
expect 0 plot trace.csv -o trace.svg
says out "Convergence"
expect 2 plot run.h5 --what convergence
expect 2 plot trace.csv --what energy
expect 3 plot p.hdf5 --what energy
printf 'a,b\n1,2\n' >other.csv
expect 3 plot other.csv
says err "other.csv:1: no trace of cairn solve --trace"
head -n 1 trace.csv >empty.csv
expect 3 plot empty.csv
says err "empty.csv: the trace holds no iteration"

# snapshots, without a browser at least a clear message
CHROMIUM=/no/such/browser expect 1 snapshot run.h5
says err "a snapshot is drawn by Chromium, which was not found"
expect 2 snapshot
finish
