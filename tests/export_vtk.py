"""Exports of a run held against its tables: export_vtk.py vtp|pvd|vtkhdf FILE TABLES EVERY.
vtp reads the files of a collection by code of its own, as the XML format of VTK says; pvd by VTK itself (needs python3-vtk9); vtkhdf checks
the file against the specification, version 2.0 (needs python3-h5py): VTK 9.1 of Debian 12 cannot read files with times."""
import array
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


def check_contacts(step, points, impulse, gap, status, residual):
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
        if residual[i] != float(row["residual"]):
            fail(f"step {step}, contact {i}: residual {residual[i]}, recorded is {row['residual']}")


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


TYPES = {"Float32": "f", "Float64": "d", "Int32": "i", "Int64": "q", "UInt8": "B"}


def read_vtp(name):
    """Points, cells and arrays at points of a .vtp file with its numbers appended raw."""
    with open(os.path.join(os.path.dirname(path), name), "rb") as file:
        data = file.read()
    head, rest = data.split(b'<AppendedData encoding="raw">', 1)
    raw = rest[rest.index(b"_") + 1:]
    if not raw.endswith(b"\n</AppendedData>\n</VTKFile>\n"):
        fail(f"{name}: the end is missing")
    root = xml.etree.ElementTree.fromstring(head + b"</VTKFile>")
    if (root.get("type"), root.get("byte_order"), root.get("header_type")) != ("PolyData", "LittleEndian", "UInt64"):
        fail(f"{name}: head {root.attrib}")
    piece = root.find("PolyData").find("Piece")

    def numbers(element):
        at = int(element.get("offset"))
        size = array.array("Q", raw[at:at + 8])[0]
        values = array.array(TYPES[element.get("type")], raw[at + 8:at + 8 + size])
        width = int(element.get("NumberOfComponents"))
        return [tuple(values[i:i + width]) for i in range(0, len(values), width)] if width > 1 else list(values)

    points = numbers(piece.find("Points").find("DataArray"))
    arrays = {e.get("Name"): numbers(e) for e in piece.find("PointData").findall("DataArray")}
    if len(points) != int(piece.get("NumberOfPoints")) or any(len(a) != len(points) for a in arrays.values()):
        fail(f"{name}: lengths of arrays at points")
    cells = {}
    for kind, wanted in (("Verts", "NumberOfVerts"), ("Polys", "NumberOfPolys")):
        group = piece.find(kind)
        lists = {e.get("Name"): numbers(e) for e in group.findall("DataArray")} if group is not None else {"offsets": [], "connectivity": []}
        ends, corners = lists["offsets"], lists["connectivity"]
        if len(ends) != int(piece.get(wanted) or 0) or any(a > b for a, b in zip(ends, ends[1:])) or (ends[-1] if ends else 0) != len(corners):
            fail(f"{name}: {kind}")
        if any(not 0 <= c < len(points) for c in corners):
            fail(f"{name}: a corner of {kind} that is no point")
        cells[kind] = len(ends)
    return points, cells["Verts"], cells["Polys"], arrays


def read_by_vtk(name):
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy

    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(os.path.join(os.path.dirname(path), name))
    reader.Update()
    if reader.GetErrorCode() != 0:
        fail(f"{name}: VTK says error {reader.GetErrorCode()}")
    data = reader.GetOutput()
    points = vtk_to_numpy(data.GetPoints().GetData()) if data.GetNumberOfPoints() > 0 else []
    arrays = {data.GetPointData().GetArrayName(i): vtk_to_numpy(data.GetPointData().GetArray(i)) for i in range(data.GetPointData().GetNumberOfArrays())}
    return points, data.GetNumberOfVerts(), data.GetNumberOfPolys(), arrays


def check_collection(read):
    sets = xml.etree.ElementTree.parse(path).getroot().find("Collection").findall("DataSet")
    if len(sets) != 2 * len(frames):
        fail(f"{len(sets)} files, expected {2 * len(frames)}")
    for k, frame in enumerate(frames):
        if float(sets[2 * k].get("timestep")) != float(frame["time"]):
            fail(f"time of frame {k}")
        points, _, polys, arrays = read(sets[2 * k].get("file"))
        if polys == 0:
            fail(f"no polygons in frame {k}")
        check_middles(frame["step"], points, arrays["body"])
        points, verts, _, arrays = read(sets[2 * k + 1].get("file"))
        if verts != len(points):
            fail(f"cells of frame {k}")
        if verts > 0:
            check_contacts(frame["step"], points, *(arrays[n] for n in ("impulse", "gap", "status", "residual")))


def check_vtp():
    check_collection(read_vtp)
    return "read as the XML format says"


def check_pvd():
    import vtk

    check_collection(read_by_vtk)
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
        check_contacts(frame["step"], xyz[touch], data["impulse"][touch], data["gap"][touch], data["status"][touch], data["residual"][touch])
        check_middles(frame["step"], xyz[~touch], data["body"][~touch])
    return "as the specification says"


said = {"vtp": check_vtp, "pvd": check_pvd, "vtkhdf": check_vtkhdf}[kind]()
print(f"{path}: {len(frames)} frames, {said}")
