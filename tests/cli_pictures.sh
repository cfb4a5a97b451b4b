#!/usr/bin/env bash
# `cairn export` to ParaView, VTKHDF and glTF, `cairn plot`, `cairn snapshot`: files held against the recording by other programs where
# they are installed (python3-vtk9, python3-h5py, Node.js with web/node_modules, Chromium); the parts without are skipped and say so.
set -eu
. "$(dirname "$0")/cli_common.inc"
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$place"
python=python3
[ ! -x /usr/bin/python3 ] || python=/usr/bin/python3

expect 0 run wall --set walls=1 --set rows=3 --set columns=3 --until 0.3 --out run.h5 --quiet
expect 0 export run.h5 --to csv -o tables
expect 0 export run.h5 --to pvd --every 3
says out "run.pvd: a collection for ParaView"
expect 0 export run.h5 --to vtkhdf --every 3
expect 0 export run.h5 --to gltf --every 3
says out "run.glb: a binary glTF file"
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
check_with csv "reading .vtp" "$python" "$root/tests/export_vtk.py" vtp run.pvd tables 3
check_with vtk "reading .pvd by VTK" "$python" "$root/tests/export_vtk.py" pvd run.pvd tables 3
check_with h5py "VTKHDF against the specification" "$python" "$root/tests/export_vtk.py" vtkhdf run.vtkhdf tables 3
if command -v node >/dev/null && [ -d "$root/web/node_modules/gltf-validator" ]; then
    if (cd "$root/web" && node tests/gltf.mjs "$place/run.glb" "$place/tables/poses.csv" 3) >said 2>&1; then cat said && pass; else fail "$(cat said)"; fi
else
    echo "skipped: .glb in three.js (Node.js or web/node_modules is missing)"
fi
expect 2 export run.h5 --to csv -o tables --every 2
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
if [ "$(grep -c "<path fill='none'" energy.svg)" = 5 ]; then pass; else fail "energy.svg does not hold five lines"; fi
if grep -q ">tolerance<" certificate.svg; then pass; else fail "certificate.svg has no line for the tolerance"; fi
# one look: the lines of plots and profiles have the colours of the pages
for k in 0 1 2 3 4 5 6 7; do
    colour=$(sed -n "s/.*--c$k: \(#[0-9a-f]*\);.*/\1/p" "$root/web/src/look.css" | head -n 1)
    for file in plot_svg bench_svg; do
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
