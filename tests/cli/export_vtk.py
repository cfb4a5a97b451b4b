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
flexible = os.path.exists(os.path.join(tables, "parts.csv"))
parts = table("parts") if flexible else []
stressed = False
start, nodes, elements = {}, {}, {}
if flexible:
    for row in table("nodes"):
        x = tuple(float(row[c]) for c in ("x", "y", "z"))
        start.setdefault(int(row["node"]), x)
        nodes.setdefault(row["step"], {})[int(row["node"])] = (x, tuple(float(row[c]) for c in ("vx", "vy", "vz")), float(row["mises"] or 0))
        stressed = stressed or row["mises"] != ""
    for row in table("elements"):
        corners = [int(row[f"node_{k}"]) for k in range(1, 11) if row[f"node_{k}"] != ""]
        elements.setdefault(int(row["part"]), []).append((row["kind"], corners))
CELLS = {"tet4": (10, 4), "tet10": (24, 10), "hex8": (12, 8), "beam2": (3, 2)}  # VTK's numbers
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
        if gap[i] != float(row["gap"]) or int(status[i]) != ("open", "stick", "slip", "crush").index(row["status"]):
            fail(f"step {step}, contact {i}: gap {gap[i]}, status {status[i]}")
        if residual[i] != float(row["residual"]):
            fail(f"step {step}, contact {i}: residual {residual[i]}, recorded is {row['residual']}")


soft = {int(p["body"]) for p in parts}


def check_part(step, part, xyz, displacement, velocity, mises, types, cells, tolerance):
    """Nodes of a part where the table has them, in its order, and its elements as cells over them (numbers of nodes from 0)."""
    first, many = int(part["node_first"]), int(part["nodes"])
    if len(xyz) != many:
        fail(f"step {step}, part {part['part']}: {len(xyz)} nodes, recorded are {many}")
    for i in range(many):
        x, v, stress = nodes[step][first + i]
        for k in range(3):
            if not near(xyz[i][k], x[k], tolerance) or not near(velocity[i][k], v[k], tolerance) or not near(displacement[i][k], x[k] - start[first + i][k], tolerance):
                fail(f"step {step}, node {first + i}: {xyz[i]}, {velocity[i]}, {displacement[i]}, recorded are {x}, {v}")
        if stressed and not near(mises[i], stress, tolerance):
            fail(f"step {step}, node {first + i}: stress {mises[i]}, recorded is {stress}")
    wanted = elements[int(part["part"])]
    if len(cells) != len(wanted):
        fail(f"step {step}, part {part['part']}: {len(cells)} cells, recorded are {len(wanted)} elements")
    for e, (kind, corners) in enumerate(wanted):
        if int(types[e]) != CELLS[kind][0] or len(cells[e]) != CELLS[kind][1] or [int(c) + first for c in cells[e]] != corners:
            fail(f"step {step}, part {part['part']}, element {e}: cell {int(types[e])} of {list(cells[e])}, recorded is {kind} of {corners}")


def check_middles(step, points, body):
    """The mean of the corners of a box or ball is its position."""
    where = {}
    for b, p in zip(body, points):
        where.setdefault(int(b), []).append(p)
    for row in table("poses"):
        b = int(row["body"])
        if row["step"] != step or b in fixed or b in soft:
            continue
        for k, name in enumerate(("x", "y", "z")):
            middle = 0.5 * (min(p[k] for p in where[b]) + max(p[k] for p in where[b]))
            if not near(middle, float(row[name]), 1e-4):
                fail(f"step {step}, body {b}: {middle}, recorded is {row[name]}")


TYPES = {"Float32": "f", "Float64": "d", "Int32": "i", "Int64": "q", "UInt8": "B"}


def split(ends, corners):
    """Cells from a list of corners and where each ends."""
    return [corners[a:b] for a, b in zip([0, *ends[:-1]], ends)]


def read_raw(name, wanted):
    """The piece of an XML file with its numbers appended raw, and a function that reads an array."""
    with open(os.path.join(os.path.dirname(path), name), "rb") as file:
        data = file.read()
    head, rest = data.split(b'<AppendedData encoding="raw">', 1)
    raw = rest[rest.index(b"_") + 1:]
    if not raw.endswith(b"\n</AppendedData>\n</VTKFile>\n"):
        fail(f"{name}: the end is missing")
    root = xml.etree.ElementTree.fromstring(head + b"</VTKFile>")
    if (root.get("type"), root.get("byte_order"), root.get("header_type")) != (wanted, "LittleEndian", "UInt64"):
        fail(f"{name}: head {root.attrib}")
    piece = root.find(wanted).find("Piece")

    def numbers(element):
        at = int(element.get("offset"))
        size = array.array("Q", raw[at:at + 8])[0]
        values = array.array(TYPES[element.get("type")], raw[at + 8:at + 8 + size])
        width = int(element.get("NumberOfComponents"))
        return [tuple(values[i:i + width]) for i in range(0, len(values), width)] if width > 1 else list(values)

    return piece, numbers


def read_vtp(name):
    """Points, cells and arrays at points of a .vtp file."""
    piece, numbers = read_raw(name, "PolyData")
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


def read_vtu(name):
    """Points, arrays at points, types and cells of a .vtu file."""
    piece, numbers = read_raw(name, "UnstructuredGrid")
    points = numbers(piece.find("Points").find("DataArray"))
    arrays = {e.get("Name"): numbers(e) for e in piece.find("PointData").findall("DataArray")}
    cells = {e.get("Name"): numbers(e) for e in piece.find("Cells").findall("DataArray")}
    radius = numbers(piece.find("CellData").find("DataArray"))
    count = int(piece.get("NumberOfCells"))
    if len(points) != int(piece.get("NumberOfPoints")) or any(len(a) != len(points) for a in arrays.values()):
        fail(f"{name}: lengths of arrays at points")
    if any(len(a) != count for a in (cells["offsets"], cells["types"], radius)) or cells["offsets"][-1] != len(cells["connectivity"]):
        fail(f"{name}: lengths of arrays of cells")
    return points, arrays, cells["types"], split(cells["offsets"], cells["connectivity"]), radius


def read_vtu_by_vtk(name):
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy

    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(os.path.join(os.path.dirname(path), name))
    reader.Update()
    if reader.GetErrorCode() != 0:
        fail(f"{name}: VTK says error {reader.GetErrorCode()}")
    data = reader.GetOutput()
    arrays = {data.GetPointData().GetArrayName(i): vtk_to_numpy(data.GetPointData().GetArray(i)) for i in range(data.GetPointData().GetNumberOfArrays())}
    cells = [[data.GetCell(i).GetPointId(k) for k in range(data.GetCell(i).GetNumberOfPoints())] for i in range(data.GetNumberOfCells())]
    sizes = vtk.vtkCellSizeFilter()  # an element that is inside out has a volume below 0
    sizes.SetInputData(data)
    sizes.Update()
    for i in range(data.GetNumberOfCells()):
        measure = "Length" if data.GetCellType(i) == 3 else "Volume"
        if sizes.GetOutput().GetCellData().GetArray(measure).GetValue(i) <= 0:
            fail(f"{name}: cell {i} has no {measure}")
    types = [data.GetCellType(i) for i in range(data.GetNumberOfCells())]
    return vtk_to_numpy(data.GetPoints().GetData()), arrays, types, cells, vtk_to_numpy(data.GetCellData().GetArray("radius"))


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


def check_collection(read, read_grid):
    sets = xml.etree.ElementTree.parse(path).getroot().find("Collection").findall("DataSet")
    each = 2 + len(parts)
    if len(sets) != each * len(frames):
        fail(f"{len(sets)} files, expected {each * len(frames)}")
    for k, frame in enumerate(frames):
        here = sets[each * k:each * (k + 1)]
        if any(float(s.get("timestep")) != float(frame["time"]) for s in here) or [int(s.get("part")) for s in here] != list(range(each)):
            fail(f"times and parts of frame {k}")
        for part, entry in zip(parts, here[2:]):
            points, arrays, types, cells, radius = read_grid(entry.get("file"))
            check_part(frame["step"], part, points, arrays["displacement"], arrays["velocity"], arrays.get("mises"), types, cells, 0)
            if any((r > 0) != (int(t) == 3) for r, t in zip(radius, types)):
                fail(f"{entry.get('file')}: radii")
            if any(not near(s, sum(c * c for c in v) ** 0.5, 1e-12) for s, v in zip(arrays["speed"], arrays["velocity"])):
                fail(f"{entry.get('file')}: speeds")
        points, _, polys, arrays = read(here[0].get("file"))
        if polys == 0:
            fail(f"no polygons in frame {k}")
        check_middles(frame["step"], points, arrays["body"])
        points, verts, _, arrays = read(here[1].get("file"))
        if verts != len(points):
            fail(f"cells of frame {k}")
        if verts > 0:
            check_contacts(frame["step"], points, *(arrays[n] for n in ("impulse", "gap", "status", "residual")))


def check_vtp():
    check_collection(read_vtp, read_vtu)
    return "read as the XML format says"


def check_pvd():
    import vtk

    check_collection(read_by_vtk, read_vtu_by_vtk)
    return f"read by VTK {vtk.vtkVersion().GetVTKVersion()}"


def check_vtkhdf():
    import h5py
    import numpy

    file = h5py.File(path, "r")
    root = file["VTKHDF"]
    if list(root.attrs["Version"]) != [2, 0] or bytes(root.attrs["Type"]) != b"UnstructuredGrid":
        fail("Version or Type")
    if h5py.h5a.open(root.id, b"Type").get_type().is_variable_str():
        fail("Type must have a fixed length")
    steps, n = root["Steps"], len(frames)
    if steps.attrs["NSteps"] != n:
        fail(f"NSteps is {steps.attrs['NSteps']}, expected {n}")
    shapes = {"Values": (n,), "PartOffsets": (n,), "NumberOfParts": (n,), "PointOffsets": (n,), "CellOffsets": (n, 1), "ConnectivityIdOffsets": (n, 1)}
    for name, shape in shapes.items():
        if steps[name].shape != shape:
            fail(f"Steps/{name} has the shape {steps[name].shape}, expected {shape}")
    if not numpy.array_equal(steps["Values"][:], [float(f["time"]) for f in frames]):
        fail("times")
    points, cells, ids = (root[name][:] for name in ("NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds"))
    total = int(points.sum())
    if root["Points"].shape != (total, 3) or any(len(x) != n for x in (points, cells, ids)):
        fail("Points do not fit NumberOfPoints")
    for name, data in root["PointData"].items():
        if data.shape[0] != total or steps["PointDataOffsets"][name].shape != (n,):
            fail(f"PointData/{name}")
    if len(root["Types"]) != cells.sum() or len(root["Offsets"]) != cells.sum() + n or len(root["Connectivity"]) != ids.sum():
        fail("lengths of Types, Offsets, Connectivity")
    if root["Types"].dtype != numpy.uint8:
        fail("Types are not unsigned bytes")
    for k, frame in enumerate(frames):
        part, first, cell = int(steps["PartOffsets"][k]), int(steps["PointOffsets"][k]), int(steps["CellOffsets"][k][0])
        many = int(points[part])
        here = slice(first, first + many)
        offsets = root["Offsets"][cell + part:cell + part + int(cells[part]) + 1]
        at = int(steps["ConnectivityIdOffsets"][k][0])
        index, types = root["Connectivity"][at:at + int(ids[part])], root["Types"][cell:cell + int(cells[part])]
        if offsets[0] != 0 or offsets[-1] != ids[part] or (numpy.diff(offsets) <= 0).any() or index.min() < 0 or index.max() >= many:
            fail(f"cells of frame {k}")
        data = {name: root["PointData"][name][here] for name in root["PointData"]}
        if any(int(steps["PointDataOffsets"][name][k]) != first for name in data):
            fail(f"PointDataOffsets of frame {k}")
        xyz, kinds = root["Points"][here], data["kind"]
        touch = kinds == 1
        check_contacts(frame["step"], xyz[touch], data["impulse"][touch], data["gap"][touch], data["status"][touch], data["residual"][touch])
        check_middles(frame["step"], xyz[kinds == 0], data["body"][kinds == 0])
        all_cells = split(list(offsets[1:]), index)
        if any(len({int(kinds[c]) for c in corners}) != 1 for corners in all_cells) or (types == 1).sum() != touch.sum():
            fail(f"frame {k}: cells between bodies, contacts and parts")
        for p in parts:
            mine = numpy.flatnonzero((kinds == 2) & (data["body"] == int(p["body"])))
            own = [i for i, corners in enumerate(all_cells) if corners[0] in mine]
            check_part(frame["step"], p, xyz[mine], data["displacement"][mine], data["velocity"][mine], data["mises"][mine], types[own],
                       [all_cells[i] - mine[0] for i in own], 1e-6)
    return "as the specification says"


said = {"vtp": check_vtp, "pvd": check_pvd, "vtkhdf": check_vtkhdf}[kind]()
print(f"{path}: {len(frames)} frames, {len(parts)} flexible parts, {said}")
