"""Readers of surface files for tests. They are strict and use only the standard library. read(path) returns a Surface.

Each reader refuses what its format does not allow. GLB is checked against glTF 2.0 (Khronos, ISO/IEC 12113:2022): chunks,
alignment, views within the buffer and apart, accessors within their views, bounds, indices, unit normals, and the keys of
every object."""
import array
import json
import math
import pathlib
import re
import struct
import xml.etree.ElementTree


class Surface:
    """positions, normals (of vertices; STL: of facets), triangles, and the isovalue of each vertex, or None."""

    def __init__(self, positions, normals, triangles, values=None, unit=None):
        self.positions, self.normals, self.triangles = positions, normals, triangles
        self.values, self.unit = values, unit

    def part(self, value):
        """The triangles of one isovalue."""
        return [t for t in self.triangles if self.values[t[0]] == value]


def rows(numbers, n):
    return list(zip(*[iter(numbers)] * n))


def read_ply(path):
    head, body = pathlib.Path(path).read_bytes().split(b"end_header\n", 1)
    lines = head.decode().splitlines()
    assert lines[:2] == ["ply", "format binary_little_endian 1.0"], lines
    vertices, faces = (int(line.split()[2]) for line in lines if line.startswith("element"))
    properties = [line.split()[1:] for line in lines if line.startswith("property")]
    assert properties.pop() == ["list", "uchar", "uint", "vertex_indices"]
    names = [name for _, name in properties]
    assert names in (["x", "y", "z", "nx", "ny", "nz"], ["x", "y", "z", "nx", "ny", "nz", "isovalue"]), names
    record = struct.Struct("<" + "".join({"float": "f", "double": "d"}[kind] for kind, _ in properties))
    assert len(body) == record.size * vertices + 13 * faces, "the file is longer or shorter than it says"
    table = list(record.iter_unpack(body[:record.size * vertices]))
    face = list(struct.iter_unpack("<B3I", body[record.size * vertices:]))
    assert all(f[0] == 3 for f in face)
    unit = [line.split()[2] for line in lines if line.startswith("comment unit ")]
    return Surface([v[:3] for v in table], [v[3:6] for v in table], [f[1:] for f in face],
                   [v[6] for v in table] if "isovalue" in names else None, unit[0] if unit else "")


def read_stl(path):
    data = pathlib.Path(path).read_bytes()
    assert not data.startswith(b"solid")
    count, = struct.unpack_from("<I", data, 80)
    assert len(data) == 84 + 50 * count, "the file is longer or shorter than it says"
    positions, normals = [], []
    for n in struct.iter_unpack("<12fH", data[84:]):
        normals.append(n[:3])
        positions += [n[3:6], n[6:9], n[9:12]]
        assert n[12] == 0
    unit = re.search(rb", unit (\w+)", data[:80])
    return Surface(positions, normals, [(i, i + 1, i + 2) for i in range(0, 3 * count, 3)],
                   unit=unit[1].decode() if unit else "")


def read_obj(path):
    positions, normals, triangles, values, value = [], [], [], [], None
    lines = pathlib.Path(path).read_text().splitlines()
    for line in lines[1:]:
        word, *rest = line.split()
        if word == "f":
            pairs = [corner.split("//") for corner in rest]
            assert all(a == b for a, b in pairs) and len(pairs) == 3
            triangles.append(tuple(int(a) - 1 for a, _ in pairs))
        elif word == "o":
            assert rest[0].startswith("iso_")
            value = float(rest[0][4:])
        else:
            {"v": positions, "vn": normals}[word].append(tuple(map(float, rest)))
            values += [value] if word == "v" else []
    unit = re.fullmatch(r"# isoscope \S+?(?:, unit (\w+))?", lines[0])
    return Surface(positions, normals, triangles, values if value is not None else None, unit[1] or "")


# ---- GLB -------------------------------------------------------------------------------------------------------------------

KEYS = {  # those of glTF 2.0 that may appear here
    "asset": {"version", "generator"},
    "node": {"name", "matrix", "children", "mesh"},
    "primitive": {"attributes", "indices", "material", "mode"},
    "accessor": {"bufferView", "byteOffset", "componentType", "count", "type", "min", "max"},
    "view": {"buffer", "byteOffset", "byteLength", "target"},
}
COMPONENT = {5126: ("f", 4), 5125: ("I", 4)}
WIDTH = {"VEC3": 3, "SCALAR": 1}
METRES = {"km": 1e3, "m": 1, "in": 0.0254, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "nm": 1e-9, "A": 1e-10, "": 1}


def read_chunks(data):
    magic, version, length = struct.unpack_from("<III", data)
    assert (magic, version, length) == (0x46546C67, 2, len(data)), "header"
    size, kind = struct.unpack_from("<II", data, 12)
    assert kind == 0x4E4F534A and size % 4 == 0, "the JSON chunk"
    text = data[20:20 + size]
    assert not text.rstrip(b" ").endswith((b"\0", b"\n"))
    rest, kind = struct.unpack_from("<II", data, 20 + size)
    assert kind == 0x004E4942 and rest % 4 == 0 and 28 + size + rest == len(data), "the binary chunk"
    return json.loads(text), data[28 + size:]


def read_accessor(gltf, blob, index):
    accessor = gltf["accessors"][index]
    assert set(accessor) <= KEYS["accessor"]
    view = gltf["bufferViews"][accessor["bufferView"]]
    code, size = COMPONENT[accessor["componentType"]]
    width, count = WIDTH[accessor["type"]], accessor["count"]
    begin = view["byteOffset"] + accessor.get("byteOffset", 0)
    assert count >= 1 and begin % size == 0
    assert accessor.get("byteOffset", 0) + count * width * size <= view["byteLength"], "an accessor leaves its view"
    numbers = array.array(code, blob[begin:begin + count * width * size])
    return numbers.tolist() if width == 1 else rows(numbers, width)


def check_views(gltf, blob):
    assert gltf["buffers"] == [{"byteLength": len(blob)}]
    ends = 0
    for view in gltf["bufferViews"]:
        assert set(view) <= KEYS["view"] and view["buffer"] == 0
        assert view["byteOffset"] % 4 == 0 and view["byteLength"] >= 1
        assert view["byteOffset"] == ends, "views overlap or leave gaps"
        ends += view["byteLength"]
        assert view["target"] in (34962, 34963)
    assert ends == len(blob)


def check_matrix(matrix):
    """A matrix, by columns, must be scale, rotation and translation, without a reflection."""
    assert len(matrix) == 16 and [matrix[i] for i in (3, 7, 11, 15)] == [0, 0, 0, 1]
    columns = [matrix[4 * c:4 * c + 3] for c in range(3)]
    scale = math.hypot(*columns[0])
    assert scale > 0 and all(abs(math.hypot(*c) - scale) <= 1e-6 * scale for c in columns)
    assert all(abs(dot(columns[a], columns[b])) < 1e-9 * scale * scale for a, b in ((0, 1), (0, 2), (1, 2)))
    assert dot(columns[0], cross(columns[1], columns[2])) > 0, "a mirror"
    return scale, matrix[12:15]


def read_primitive(gltf, blob, primitive, surface, value):
    assert set(primitive) <= KEYS["primitive"] and primitive["mode"] == 4
    assert set(primitive["attributes"]) == {"POSITION", "NORMAL"}
    first = len(surface.positions)
    where, which = primitive["attributes"]["POSITION"], primitive["indices"]
    positions = read_accessor(gltf, blob, where)
    normals = read_accessor(gltf, blob, primitive["attributes"]["NORMAL"])
    indices = read_accessor(gltf, blob, which)
    assert len(normals) == len(positions) and len(indices) % 3 == 0
    assert max(indices) < len(positions), "an index is out of range"
    assert gltf["bufferViews"][gltf["accessors"][where]["bufferView"]]["target"] == 34962
    assert gltf["bufferViews"][gltf["accessors"][which]["bufferView"]]["target"] == 34963
    assert gltf["accessors"][where]["min"] == [min(axis) for axis in zip(*positions)], "min"
    assert gltf["accessors"][where]["max"] == [max(axis) for axis in zip(*positions)], "max"
    assert all(math.isfinite(x) for p in positions for x in p)
    assert all(abs(dot(n, n) - 1) < 1e-5 for n in normals), "a normal is not of length 1"
    material = gltf["materials"][primitive["material"]]["pbrMetallicRoughness"]
    assert len(material["baseColorFactor"]) == 4 and all(0 <= c <= 1 for c in material["baseColorFactor"])
    assert all(0 <= material[name] <= 1 for name in ("metallicFactor", "roughnessFactor"))
    surface.positions += positions
    surface.normals += normals
    surface.triangles += [tuple(first + i for i in t) for t in rows(indices, 3)]
    surface.values += [value] * len(positions)


def read_glb(path):
    """Reads a GLB file in its own axes and unit, with the node's translation added."""
    gltf, blob = read_chunks(pathlib.Path(path).read_bytes())
    assert set(gltf) == {"asset", "scene", "scenes", "nodes", "meshes", "materials", "accessors", "bufferViews", "buffers"}
    assert set(gltf["asset"]) <= KEYS["asset"] and gltf["asset"]["version"] == "2.0"
    assert gltf["scene"] == 0 and gltf["scenes"] == [{"nodes": [0]}]
    check_views(gltf, blob)
    assert all(set(node) <= KEYS["node"] for node in gltf["nodes"])
    world, *children = gltf["nodes"]
    scale, moved = check_matrix(world["matrix"])
    assert world["children"] == list(range(1, len(gltf["nodes"])))
    assert [node["mesh"] for node in children] == list(range(len(gltf["meshes"])))
    surface = Surface([], [], [], [])
    for mesh in gltf["meshes"]:
        primitive, = mesh["primitives"]
        surface.unit = mesh["extras"]["unit"]
        assert abs(METRES[surface.unit] - scale) < 1e-9 * scale, "the node scales to metres"
        read_primitive(gltf, blob, primitive, surface, mesh["extras"]["isovalue"])
    shift = (moved[0] / scale, -moved[2] / scale, moved[1] / scale)  # y of the scene is the world's z
    if any(shift):
        surface.positions = [tuple(p + s for p, s in zip(at, shift)) for at in surface.positions]
    if len(gltf["meshes"]) == 1:
        surface.values = None
    return surface


# ---- VTP -------------------------------------------------------------------------------------------------------------------


def read_vtp(path):
    data = pathlib.Path(path).read_bytes()
    begin = data.index(b'<AppendedData encoding="raw">\n_') + len(b'<AppendedData encoding="raw">\n_')
    end = data.rindex(b"\n</AppendedData>")
    root = xml.etree.ElementTree.fromstring(data[:begin] + data[end:])
    assert root.attrib == {"type": "PolyData", "version": "1.0", "byte_order": "LittleEndian", "header_type": "UInt64"}
    piece, = root.iter("Piece")
    vertices, faces = int(piece.get("NumberOfPoints")), int(piece.get("NumberOfPolys"))
    found, at = {}, 0
    for one in sorted(root.iter("DataArray"), key=lambda one: int(one.get("offset"))):
        assert int(one.get("offset")) == at, "arrays overlap or leave gaps"
        code = {"Float32": "f", "Float64": "d", "Int64": "q"}[one.get("type")]
        bytes_, = struct.unpack_from("<Q", data, begin + at)
        numbers = array.array(code, data[begin + at + 8:begin + at + 8 + bytes_])
        width = int(one.get("NumberOfComponents"))
        found[one.get("Name")] = rows(numbers, width) if width > 1 else numbers.tolist()
        at += 8 + bytes_
    assert begin + at == end, "the file is longer or shorter than it says"
    assert found["offsets"] == list(range(3, 3 * faces + 1, 3)) and len(found["Points"]) == vertices
    unit = re.search(rb"<!-- isoscope [^ ,]+(?:, unit (\w+))? -->", data[:200])
    return Surface(found["Points"], found["Normals"], rows(found["connectivity"], 3), found.get("isovalue"),
                   (unit[1] or b"").decode())


READ = {"ply": read_ply, "stl": read_stl, "obj": read_obj, "glb": read_glb, "vtp": read_vtp}


def read(path):
    surface = READ[str(path)[-3:]](path)
    vertices = len(surface.positions)
    assert all(0 <= i < vertices for t in surface.triangles for i in t)
    return surface


# ---- measures --------------------------------------------------------------------------------------------------------------


def minus(a, b):  # written out, like the next, because the tests call them millions of times
    return [a[0] - b[0], a[1] - b[1], a[2] - b[2]]


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def times(matrix, v):
    return [dot(row, v) for row in matrix]


def area_and_volume(positions, triangles):
    area = volume = 0
    middle = positions[triangles[0][0]]
    for a, b, c in triangles:
        p, q, r = (minus(positions[i], middle) for i in (a, b, c))
        normal = cross(minus(q, p), minus(r, p))
        area += math.sqrt(dot(normal, normal)) / 2
        volume += dot(p, cross(q, r)) / 6
    return area, volume


def open_sides(triangles):
    """Sides of triangles that no other triangle uses the other way round."""
    sides = {}
    for t in triangles:
        for k in range(3):
            side = t[k], t[(k + 1) % 3]
            sides[side] = sides.get(side, 0) + 1
    return [side for side, n in sides.items() if sides.get(side[::-1], 0) != n]


def repeated_sides(triangles):
    """Sides that more than one triangle uses the same way round: more than two triangles meet there."""
    seen, twice = set(), []
    for t in triangles:
        for k in range(3):
            side = t[k], t[(k + 1) % 3]
            twice += [side] if side in seen else []
            seen.add(side)
    return twice
