"""Exports of a run held against its tables: export_vtk.py pvd RUN.pvd TABLES EVERY (needs VTK), or vtkhdf RUN.vtkhdf TABLES EVERY
(needs h5py). VTKHDF is checked against the specification, version 2.0: VTK 9.1 of Debian 12 cannot read files with times."""
import csv
import os
import sys
import xml.etree.ElementTree

kind, path, tables, every = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])


def table(name):
    with open(os.path.join(tables, name + ".csv"), newline="") as file:
        return list(csv.DictReader(file))


def fail(text):
    sys.exit(f"{path}: {text}")


frames = table("frames")[::every]
contacts = {}
for c in table("contacts"):
    contacts.setdefault(c["step"], []).append(c)
fixed = {i for i, b in enumerate(table("bodies")) if b["kind"] == "fixed"}


def near(a, b, tolerance):
    return abs(a - b) <= tolerance * (1.0 + abs(b))


def check_contacts(step, points, impulse, gap, status):
    rows = contacts.get(step, [])
    if len(points) != len(rows):
        fail(f"step {step}: {len(points)} contacts, recorded are {len(rows)}")
    for i, row in enumerate(rows):
        for k, name in enumerate(("x", "y", "z")):
            if not near(points[i][k], float(row[name]), 1e-6):
                fail(f"step {step}, contact {i}: at {points[i]}")
        for k, name in enumerate(("px", "py", "pz")):
            if impulse[i][k] != float(row[name]):
                fail(f"step {step}, contact {i}: impulse {impulse[i]}")
        if gap[i] != float(row["gap"]) or int(status[i]) != ("open", "stick", "slip").index(row["status"]):
            fail(f"step {step}, contact {i}: gap {gap[i]}, status {status[i]}")


def check_middles(step, points, body):
    """The mean of the corners of a box or ball is its position."""
    where = {}
    for b, p in zip(body, points):
        where.setdefault(int(b), []).append(p)
    for row in table("poses"):
        b = int(row["body"])
        if row["step"] != step or b in fixed:
            continue
        for k, name in enumerate(("x", "y", "z")):
            middle = 0.5 * (min(p[k] for p in where[b]) + max(p[k] for p in where[b]))
            if not near(middle, float(row[name]), 1e-4):
                fail(f"step {step}, body {b}: {middle}, recorded is {row[name]}")


def check_pvd():
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy

    def read(name):
        reader = vtk.vtkXMLPolyDataReader()
        reader.SetFileName(os.path.join(os.path.dirname(path), name))
        reader.Update()
        if reader.GetErrorCode() != 0:
            fail(f"{name}: VTK says error {reader.GetErrorCode()}")
        return reader.GetOutput()

    sets = xml.etree.ElementTree.parse(path).getroot().find("Collection").findall("DataSet")
    if len(sets) != 2 * len(frames):
        fail(f"{len(sets)} files, expected {2 * len(frames)}")
    for k, frame in enumerate(frames):
        bodies, touch = read(sets[2 * k].get("file")), read(sets[2 * k + 1].get("file"))
        if float(sets[2 * k].get("timestep")) != float(frame["time"]):
            fail(f"time of frame {k}")
        if bodies.GetNumberOfPolys() == 0 or touch.GetNumberOfVerts() != touch.GetNumberOfPoints():
            fail(f"cells of frame {k}")
        check_middles(frame["step"], vtk_to_numpy(bodies.GetPoints().GetData()), vtk_to_numpy(bodies.GetPointData().GetArray("body")))
        if touch.GetNumberOfPoints() > 0:
            data = {n: vtk_to_numpy(touch.GetPointData().GetArray(n)) for n in ("impulse", "gap", "status")}
            check_contacts(frame["step"], vtk_to_numpy(touch.GetPoints().GetData()), **data)
    return f"read by VTK {vtk.vtkVersion().GetVTKVersion()}"


def check_vtkhdf():
    import h5py
    import numpy

    file = h5py.File(path, "r")
    root = file["VTKHDF"]
    if list(root.attrs["Version"]) != [2, 0] or bytes(root.attrs["Type"]) != b"PolyData":
        fail("Version or Type")
    if h5py.h5a.open(root.id, b"Type").get_type().is_variable_str():
        fail("Type must have a fixed length")
    steps, n = root["Steps"], len(frames)
    if steps.attrs["NSteps"] != n:
        fail(f"NSteps is {steps.attrs['NSteps']}, expected {n}")
    names = ("Vertices", "Lines", "Polygons", "Strips")
    shapes = {"Values": (n,), "PartOffsets": (n,), "NumberOfParts": (n,), "PointOffsets": (n,), "CellOffsets": (n, 4), "ConnectivityIdOffsets": (n, 4)}
    for name, shape in shapes.items():
        if steps[name].shape != shape:
            fail(f"Steps/{name} has the shape {steps[name].shape}, expected {shape}")
    if not numpy.array_equal(steps["Values"][:], [float(f["time"]) for f in frames]):
        fail("times")
    points = root["NumberOfPoints"][:]
    total = int(points.sum())
    if root["Points"].shape != (total, 3):
        fail("Points do not fit NumberOfPoints")
    for name, data in root["PointData"].items():
        if data.shape[0] != total or steps["PointDataOffsets"][name].shape != (n,):
            fail(f"PointData/{name}")
    for t in names:
        cells, ids = root[t]["NumberOfCells"][:], root[t]["NumberOfConnectivityIds"][:]
        if len(cells) != n or len(root[t]["Offsets"]) != cells.sum() + n or len(root[t]["Connectivity"]) != ids.sum():
            fail(f"{t}: lengths")
    for k, frame in enumerate(frames):
        part, first = int(steps["PartOffsets"][k]), int(steps["PointOffsets"][k])
        many = int(points[part])
        here = slice(first, first + many)
        for c, t in enumerate(names):
            cells, ids = int(root[t]["NumberOfCells"][part]), int(root[t]["NumberOfConnectivityIds"][part])
            begin = int(steps["CellOffsets"][k][c]) + part
            offsets = root[t]["Offsets"][begin:begin + cells + 1]
            at = int(steps["ConnectivityIdOffsets"][k][c])
            index = root[t]["Connectivity"][at:at + ids]
            if offsets[0] != 0 or offsets[-1] != ids or (numpy.diff(offsets) < 0).any() or (ids and (index.min() < 0 or index.max() >= many)):
                fail(f"{t} of frame {k}")
        data = {name: root["PointData"][name][here] for name in root["PointData"]}
        if any(int(steps["PointDataOffsets"][name][k]) != first for name in data):
            fail(f"PointDataOffsets of frame {k}")
        xyz, touch = root["Points"][here], data["kind"] == 1
        check_contacts(frame["step"], xyz[touch], data["impulse"][touch], data["gap"][touch], data["status"][touch])
        check_middles(frame["step"], xyz[~touch], data["body"][~touch])
    return "as the specification says"


said = check_pvd() if kind == "pvd" else check_vtkhdf()
print(f"{path}: {len(frames)} frames, {said}")
