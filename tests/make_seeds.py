#!/usr/bin/env python3
"""Small valid files of every format that isoscope reads: the fuzzers change them, and test_hostile.py damages them.
Usage: make_seeds.py FOLDER   writes FOLDER/READER/NAME, where READER is that of fuzz_load.c."""
import base64
import bz2
import gzip
import json
import os
import re
import struct
import sys
import zlib

NX, NY, NZ = 4, 3, 2  # all different, and a cell along each axis
N = NX * NY * NZ
BYTES = bytes(range(3, 3 + 5 * N, 5))


def shorts(order="<", scale=37):
    return struct.pack(f"{order}{N}h", *(scale * i - 300 for i in range(N)))


def floats(order="<"):
    return struct.pack(f"{order}{N}f", *(0.25 * i - 1 for i in range(N)))


def numbers(kind=float):
    return " ".join(str(kind(i * 3 - 7)) for i in range(N)).encode()


# ---- NRRD ---------------------------------------------------------------------------------------------------------------


def nrrd(fields, data=b"", sizes=f"{NX} {NY} {NZ}", kind="uint8", encoding="raw"):
    head = f"NRRD0004\ntype: {kind}\ndimension: {len(sizes.split())}\nsizes: {sizes}\nencoding: {encoding}\n{fields}"
    return head.encode() + (b"\n" + data if data else b"")


OBLIQUE = "space: right-anterior-superior\nspace directions: (0,2,0) (-3,0,0) (0,0.5,4)\nspace origin: (1,-2.5,3)\n"

NRRD = {
    "raw.nrrd": nrrd("spacings: 1 2 -4\n", BYTES),
    "big.nrrd": nrrd("endian: big\n" + OBLIQUE, shorts(">"), kind="short"),
    "gzip.nrrd": nrrd("", gzip.compress(BYTES, mtime=0), encoding="gzip"),
    "bzip2.nrrd": nrrd("endian: little\nbyte skip: 2\n", bz2.compress(b".." + floats()), kind="float", encoding="bz2"),
    "ascii.nrrd": nrrd("axis mins: 0 1 2\naxis maxs: 3 4 5\ncenters: node cell node\nunits: \"mm\" \"mm\" \"mm\"\n",
                       numbers() + b"\n", kind="double", encoding="ascii"),
    "hex.nrrd": nrrd("line skip: 1\n", b"a line\n" + BYTES.hex().encode(), encoding="hex"),
    "kinds.nrrd": nrrd("kinds: vector space space space list\nspacings: nan 1 2 3 nan\nendian: little\n", 2 * 3 * shorts(),
                       sizes=f"3 {NX} {NY} {NZ} 2", kind="int16"),
    "time.nrrd": nrrd("space: LPST\nspace directions: (1,0,0,0) (0,1,0,0) (0,0,1,0) (0,0,0,2)\nspace origin: (1,2,3,4)\n"
                      "kinds: space space space time\n", BYTES + BYTES, sizes=f"{NX} {NY} {NZ} 2"),
    "crlf.nrrd": nrrd("key:=value\n# comment\n").replace(b"\n", b"\r\n") + b"\r\n" + BYTES,
    "beside.nhdr": nrrd("data file: beside.raw\nbyte skip: -1\n"),
    "beside.raw": b"......" + BYTES,
    "list.nhdr": nrrd("data file: LIST\nslice1.raw\nslice2.raw\n"),
    "pattern.nhdr": nrrd("data file: slice%d.raw 1 2 1 2\n"),
    "slice1.raw": BYTES[:NX * NY],
    "slice2.raw": BYTES[NX * NY:],
}

# ---- RAW ----------------------------------------------------------------------------------------------------------------

RAW = {
    f"a_{NX}x{NY}x{NZ}_uint8.raw": BYTES,
    f"b_{NX}x{NY}x{NZ}_int16_be.raw": shorts(">"),
    f"c_{NX}x{NY}x{NZ}.raw": floats(),
    "d.raw": BYTES,
    "d.raw.ini": f"dimx:{NX}\ndimy:{NY}\ndimz:{NZ}\nskip:0\nformat:UInt8\n".encode(),
    "e.raw": shorts(),
    "e.json": json.dumps({"name": "e", "type": "int16", "size": [NX, NY, NZ], "spacing": [1, 2, 3]}).encode(),
}

# ---- NIfTI --------------------------------------------------------------------------------------------------------------


def nifti1(data, datatype, bits, order="<", offset=352, magic=b"n+1\0", dims=(3, NX, NY, NZ, 1, 1, 1, 1)):
    head = struct.pack(f"{order}i36x8h3f4h8f3fhBB4f2i", 348, *dims, 0, 0, 0, 0, datatype, bits, 0, 1, 1, 2, 3, 1, 1, 1, 1,
                       offset, 2, 1, 0, 0, 10, 0, 0, 0, 0, 0, 0)
    head += b"description".ljust(80, b"\0") + bytes(24)
    head += struct.pack(f"{order}2h6f12f", 1, 1, 0, 0, 0, 5, 6, 7, 1, 0, 0, 5, 0, 2, 0, 6, 0, 0, 3, 7)
    head += b"name".ljust(16, b"\0") + magic
    return head + bytes(max(0, offset - 348)) + data


def nifti2(data, datatype, bits, order="<"):
    head = struct.pack(f"{order}i8shh8q3d8dq", 540, b"n+2\0\r\n\x1a\n", datatype, bits, 3, NX, NY, NZ, 1, 1, 1, 1, 0, 0, 0, 1,
                       1, 2, 3, 1, 1, 1, 1, 544)
    head += struct.pack(f"{order}6d2q", 2, 1, 0, 0, 0, 0, 0, 0) + bytes(104)
    head += struct.pack(f"{order}2i6d12d3i", 1, 1, 0, 0, 0, 5, 6, 7, 1, 0, 0, 5, 0, 2, 0, 6, 0, 0, 3, 7, 0, 10, 0)
    head += b"name".ljust(16, b"\0") + b"\0" + bytes(15)
    return head.ljust(544, b"\0") + data


NIFTI = {
    "little.nii": nifti1(shorts(), 4, 16),
    "big.nii": nifti1(floats(">"), 16, 32, ">"),
    "frames.nii": nifti1(BYTES + BYTES, 2, 8, dims=(4, NX, NY, NZ, 2, 1, 1, 1)),
    "two.nii": nifti2(shorts(), 4, 16),
    "packed.nii.gz": gzip.compress(nifti1(BYTES, 2, 8), mtime=0),
    "pair.hdr": nifti1(b"", 2, 8, offset=0, magic=b"ni1\0"),
    "pair.img": BYTES,
}

# ---- MetaImage, QVis ----------------------------------------------------------------------------------------------------


def metaimage(fields, data="LOCAL", kind="MET_UCHAR", dims=f"{NX} {NY} {NZ}"):
    return (f"ObjectType = Image\nNDims = {len(dims.split())}\nDimSize = {dims}\nElementType = {kind}\n{fields}"
            f"ElementDataFile = {data}\n").encode()


METAIMAGE = {
    "local.mha": metaimage("ElementSpacing = 1 2 3\nOffset = -1.5 0 2\nTransformMatrix = 0 1 0 -1 0 0 0 0 1\n") + BYTES,
    "msb.mha": metaimage("BinaryDataByteOrderMSB = True\n", kind="MET_SHORT") + shorts(">"),
    "packed.mha": metaimage("CompressedData = True\n") + zlib.compress(BYTES),
    "text.mha": metaimage("BinaryData = False\n", kind="MET_FLOAT") + numbers() + b"\n",
    "channels.mha": metaimage("ElementNumberOfChannels = 3\n") + 3 * BYTES,
    "beside.mhd": metaimage("HeaderSize = -1\n", "beside.raw"),
    "beside.raw": b"......" + BYTES,
    "list.mhd": metaimage("", "LIST\nslice1.raw\nslice2.raw"),
    "pattern.mhd": metaimage("", "slice%d.raw 1 2 1"),
    "slice1.raw": BYTES[:NX * NY],
    "slice2.raw": BYTES[NX * NY:],
}

QVIS = {
    "a.dat": f"ObjectFileName: a.raw\nTaggedFileName: ---\nResolution: {NX} {NY} {NZ}\nSliceThickness: 1 2 3\n"
             "Format: USHORT\nNbrTags: 0\nObjectType: TEXTURE_VOLUME_OBJECT\nGridType: EQUIDISTANT\n".encode(),
    "a.raw": struct.pack(f"<{N}H", *range(N)),
}

# ---- MRC, NumPy ---------------------------------------------------------------------------------------------------------


def mrc(data, mode, order="<", axes=(1, 2, 3), extended=b""):
    head = struct.pack(f"{order}10i6f3i3f2i", NX, NY, NZ, mode, 0, 0, 0, NX, NY, NZ, 4, 6, 6, 90, 90, 90, *axes, 0, 1, 0.5, 1,
                       len(extended))
    head += bytes(8) + b"    " + struct.pack(f"{order}i", 20140) + bytes(84) + struct.pack(f"{order}3f", 0, 0, 0)
    head += b"MAP " + (b"\x44\x44\0\0" if order == "<" else b"\x11\x11\0\0") + struct.pack(f"{order}fi", 0.1, 1)
    return head.ljust(1024, b" ") + extended + data


def npy(data, descr, shape, fortran=False, version=1):
    text = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    text = text.ljust((-11 - len(text)) % 64 + len(text)) + "\n"
    return b"\x93NUMPY" + bytes((version, 0)) + struct.pack("<H" if version == 1 else "<I", len(text)) + text.encode() + data


MRC = {
    "float.mrc": mrc(floats(), 2),
    "big.mrc": mrc(shorts(">"), 1, ">", extended=bytes(80)),
    "order.mrc": mrc(BYTES, 0, axes=(3, 1, 2)),
}

NPY = {
    "c.npy": npy(floats(), "<f4", (NZ, NY, NX)),
    "fortran.npy": npy(shorts(">"), ">i2", (NX, NY, NZ), True),
    "frames.npy": npy(BYTES + BYTES, "|u1", (2, NZ, NY, NX), version=2),
}

# ---- VTK, CUBE, DX ------------------------------------------------------------------------------------------------------


def vti(array, inside=b"", appended=b"", extra=""):
    extent = f"0 {NX - 1} 0 {NY - 1} 0 {NZ - 1}"
    return (f'<?xml version="1.0"?>\n<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" '
            f'header_type="UInt32"{extra}>\n<ImageData WholeExtent="{extent}" Origin="1 2 3" Spacing="1 2 3">\n'
            f'<Piece Extent="{extent}"><PointData Scalars="v"><DataArray Name="v" {array}>').encode() + inside + \
        b"</DataArray></PointData></Piece></ImageData>\n" + appended + b"</VTKFile>\n"


def blocks(data, size=32):
    parts = [zlib.compress(data[i:i + size]) for i in range(0, len(data), size)]
    table = struct.pack(f"<{3 + len(parts)}I", len(parts), size, len(data) % size, *map(len, parts))
    return base64.b64encode(table) + base64.b64encode(b"".join(parts))


LENGTH = struct.pack("<I", N)
VTI = {
    "ascii.vti": vti('type="Float32" format="ascii"', numbers()),
    "inline.vti": vti('type="UInt8" format="binary"', base64.b64encode(LENGTH + BYTES)),
    "zlib.vti": vti('type="Int16" format="binary"', blocks(shorts()), extra=' compressor="vtkZLibDataCompressor"'),
    "raw.vti": vti('type="UInt8" format="appended" offset="0"',
                   appended=b'<AppendedData encoding="raw">_' + LENGTH + BYTES + b"</AppendedData>"),
    "base64.vti": vti('type="UInt8" format="appended" offset="0"', appended=b'<AppendedData encoding="base64">_' +
                      base64.b64encode(LENGTH + BYTES) + b"</AppendedData>"),
}

VTK_GRID = f"DATASET STRUCTURED_POINTS\nDIMENSIONS {NX} {NY} {NZ}\nORIGIN 1 2 3\nSPACING 1 2 3\nPOINT_DATA {N}\n"
VTK = {
    "ascii.vtk": f"# vtk DataFile Version 3.0\ntitle\nASCII\n{VTK_GRID}SCALARS v float 1\nLOOKUP_TABLE default\n".encode() +
                 numbers() + b"\n",
    "binary.vtk": f"# vtk DataFile Version 4.2\ntitle\nBINARY\n{VTK_GRID}FIELD data 2\na 1 1 int\n".encode() + b"abcd\n" +
                  f"v 1 {N} short\n".encode() + shorts(">") + b"\n",
}

CUBE = {
    "a.cube": (f"title\nsecond line\n 1 0.0 0.0 0.0\n {NX} 1.0 0.0 0.0\n {NY} 0.0 2.0 0.0\n {NZ} 0.0 0.0 3.0\n"
               " 8 8.0 0.0 0.0 0.0\n").encode() + numbers() + b"\n",
    "orbitals.cube": (f"title\nsecond line\n -1 0.0 0.0 0.0\n {-NX} 1.0 0.0 0.0\n {-NY} 0.0 2.0 0.0\n {-NZ} 0.0 0.0 3.0\n"
                      " 8 8.0 0.0 0.0 0.0\n 2 5 6\n").encode() + numbers() + b"\n" + numbers() + b"\n",
}

DX = {
    "a.dx": (f"# comment\nobject 1 class gridpositions counts {NX} {NY} {NZ}\norigin 1 2 3\ndelta 1 0 0\ndelta 0 2 0\n"
             f"delta 0 0 3\nobject 2 class gridconnections counts {NX} {NY} {NZ}\n"
             f"object 3 class array type double rank 0 items {N} data follows\n").encode() + numbers() +
            b"\nattribute \"dep\" string \"positions\"\n",
}

# ---- TIFF, pictures -----------------------------------------------------------------------------------------------------


def tiff(order="<", data=BYTES, bits=8, description=b"", packed=False, n=NZ):
    """n pages. Tags: size, bits, compression, colour, description, strip, rows, bytes, sample format."""
    pages = [data[i * len(data) // n:(i + 1) * len(data) // n] for i in range(n)]
    out = struct.pack(f"{order}2sHI", b"II" if order == "<" else b"MM", 42, 0)
    link = 4
    for page in pages:
        page = zlib.compress(page) if packed else page
        text = description + b"\0" * (5 - min(4, len(description))) if description else b""
        at, out = len(out), out + page + text + b"\0" * ((len(page) + len(text)) % 2)
        short, long = 3, 4
        tags = [(256, short, 1, NX), (257, short, 1, NY), (258, short, 1, bits), (259, short, 1, 8 if packed else 1),
                (262, short, 1, 1)]
        tags += [(270, 2, len(text), at + len(page))] if text else []
        tags += [(273, long, 1, at), (277, short, 1, 1), (278, short, 1, NY), (279, long, 1, len(page)),
                 (339, short, 1, 2 if bits == 16 else 1)]
        out = out[:link] + struct.pack(f"{order}I", len(out)) + out[link + 4:]
        out += struct.pack(f"{order}H", len(tags))
        for tag, kind, count, value in tags:
            out += struct.pack(f"{order}HHI", tag, kind, count)
            out += struct.pack(f"{order}HH", value, 0) if kind == short else struct.pack(f"{order}I", value)
        link = len(out)
        out += bytes(4)
    return out


TIFF = {
    "plain.tif": tiff(),
    "big.tif": tiff(">", shorts(">"), 16),
    "packed.tif": tiff("<", shorts(), 16, packed=True),
    "bits.tif": tiff("<", bytes(i * 37 % 256 for i in range((NX + 7) // 8 * NY * NZ)), 1),
    "shaped.tif": tiff(description=b'{"shape": [2, %d, %d], "axes": "TYX"}' % (NY, NX)),
    "imagej.tif": tiff(description=b"ImageJ=1.52\nimages=2\nslices=2\nspacing=3\nunit=um\n"),
}

# ---- folders, each as one file: "=== NAME" before each of its own --------------------------------------------------------


def archive(files):
    return b"\n".join(b"=== " + name.encode() + b"\n" + data for name, data in files.items())


def png(data, bits=8, colour=0):
    def chunk(kind, inside):
        return struct.pack(">I", len(inside)) + kind + inside + struct.pack(">I", zlib.crc32(kind + inside))

    rows = b"".join(b"\0" + data[i * len(data) // NY:(i + 1) * len(data) // NY] for i in range(NY))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", NX, NY, bits, colour, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


JPEG = base64.b64decode(  # 4 x 3 grey values
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////"
    "wAALCAADAAQBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAf/EABYQAQEBAAAAAAAAAAAAAAAAAAEAUf/aAAgBAQAAPwBAy//Z")
HALVES = BYTES[:NX * NY], BYTES[NX * NY:]

SLICES = {
    "grey": archive({f"s{i}.png": png(half) for i, half in enumerate(HALVES)}),
    "colour": archive({f"s{i}.png": png(6 * half, 16, 2) for i, half in enumerate(HALVES)}),
    "jpeg": archive({"s1.jpg": JPEG, "s3.jpeg": JPEG, "notes": b"not a slice"}),
    "pages": archive({f"{i}.tif": tiff(data=half, n=1) for i, half in enumerate(HALVES)}),
    "packed": archive({f"{i}.tif": tiff(">", 2 * half, 16, b"ImageJ=1.52\nspacing=3\nunit=um\n", True, n=1)
                       for i, half in enumerate(HALVES)}),
}

# ---- Zarr ---------------------------------------------------------------------------------------------------------------

BLOSC = base64.b64decode(  # ramp() by LZ4, its bytes shuffled
    "AgEhAgAEAAAABAAA2QAAABQAAACxAAAA8TQACRIbJC0EDQkSGyQtBA0WEhskLQQNFh8bJC0EDRYfKCQtBA0WHygxLQQNFh8oMQgEDRYfKDEIEQ0WHygxCBEa"
    "CRIbIwACRgAPOAAXAz8AHyM4ACUBhQBSGiMsGySaAAGFAA+oAAgEcAAEOAADPwAfAzgAJQJ+ACADDDQBAFQAAPwAAFQAAg4AD3AABwAcAAA4AAM/AB8VOAAl"
    "AkYALxUecAAdBDgAgBojLAMMFR4nDAAAAB8AAQD/6FAAAAAAAA==")
ZSTD = base64.b64decode(
    "KLUv/WAAA4UEAILEDREwxdgBAInHz1EXmfxHCDtnygUUYoR3IUZ4HzHC+8oI76skvK/y4H2Vx9xXeUwxNGigR40SFdo5IOCl4Z1017FOuutYJ7rrWCfddayT"
    "7nSsk+461kl3HetEdx3rpLuOddKdjnXSXcc66a5jneiuY51017FOutOxTkZ3gY6bbG5OWSe761gn3a2OjW7XAQ==")


def ramp(order="<"):
    return struct.pack(f"{order}512H", *((x + y + z) * 9 % 50 for z in range(8) for y in range(8) for x in range(8)))


def zarray(dtype="<u2", compressor=None, order="C", fill=0, shape=(8, 8, 8), chunks=(8, 8, 8)):
    return json.dumps({"zarr_format": 2, "shape": shape, "chunks": chunks, "dtype": dtype, "order": order,
                       "fill_value": fill, "filters": None, "compressor": compressor and {"id": compressor}}).encode()


def zarr_json(codecs, chunk=(8, 8, 8)):
    return json.dumps({"zarr_format": 3, "node_type": "array", "shape": [8, 8, 8], "data_type": "uint16",
                       "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk}},
                       "chunk_key_encoding": {"name": "default"}, "fill_value": 0, "codecs": codecs}).encode()


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return struct.pack("<I", crc ^ 0xffffffff)


def shard(chunk):
    index = struct.pack("<4Q", 0, len(chunk), 2 ** 64 - 1, 2 ** 64 - 1)
    return chunk + index + crc32c(index)


LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
SHARDING = {"name": "sharding_indexed", "configuration": {
    "chunk_shape": [8, 8, 8], "codecs": [LITTLE, {"name": "zstd"}], "index_codecs": [LITTLE, {"name": "crc32c"}]}}
IMAGE = {"multiscales": [{"version": "0.4", "axes": [{"name": n, "type": "space", "unit": "micrometer"} for n in "zyx"],
                          "datasets": [{"path": str(level), "coordinateTransformations": [
                              {"type": "scale", "scale": [2, 1, 1]}]} for level in range(2)]}]}

TURNED = {"zarr_format": 3, "node_type": "group", "attributes": {
    "ome": {"version": "0.5", "multiscales": [{"axes": IMAGE["multiscales"][0]["axes"], "datasets": [
        {"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [3, 1, 2]}]}]}]},
    "isoscope": {"space": "left-posterior-superior", "space directions": [[0, 2, 0], [-1, 0, 0], [0, 0.5, 3]],
                 "space origin": [10, -20, 30]}}}

ZARR = {
    "plain": archive({".zarray": zarray(), "0.0.0": ramp()}),
    "blosc": archive({".zarray": zarray(compressor="blosc"), "0.0.0": BLOSC}),
    "zlib": archive({".zarray": zarray(">u2", "zlib", "F", 3), "0.0.0": zlib.compress(ramp(">"))}),
    "missing": archive({".zarray": zarray("<f4", fill="NaN", chunks=(4, 8, 8)), "1.0.0": ramp()}),
    "gzip": archive({"zarr.json": zarr_json([LITTLE, {"name": "gzip"}, {"name": "crc32c"}]),
                           "c/0/0/0": (lambda z: z + crc32c(z))(gzip.compress(ramp(), mtime=0))}),
    "zstd": archive({"zarr.json": zarr_json([LITTLE, {"name": "zstd"}]), "c/0/0/0": ZSTD}),
    "shard": archive({"zarr.json": zarr_json([SHARDING], (16, 8, 8)), "c/0/0/0": shard(ZSTD)}),
    "ome": archive({".zattrs": json.dumps(IMAGE).encode(), "0/.zarray": zarray(), "0/0.0.0": ramp(),
                          "1/.zarray": zarray("|u1", shape=(2, 2, 2), chunks=(2, 2, 2)), "1/0.0.0": bytes(range(8))}),
    "turned": archive({"zarr.json": json.dumps(TURNED).encode(), "0/zarr.json": zarr_json([LITTLE, {"name": "zstd"}]),
                             "0/c/0/0/0": ZSTD}),
}


def unpack(data, folder):
    """Writes the files of an archive. Names that lead out of the folder are for the reader to refuse, not for this."""
    os.makedirs(folder)
    for section in (b"\n" + data).split(b"\n=== ")[1:]:
        name, _, content = section.partition(b"\n")
        if re.fullmatch(rb"[\w.]{1,20}(/[\w.]{1,20}){0,4}", name) and b".." not in name:
            path = os.path.join(folder, name.decode())
            try:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as file:
                    file.write(content)
            except OSError:  # a file where a folder should be
                pass


SEEDS = {"nrrd": NRRD, "raw": RAW, "nifti": NIFTI, "metaimage": METAIMAGE, "qvis": QVIS,
         "mrc": MRC, "npy": NPY, "vti": VTI, "vtk": VTK, "cube": CUBE, "dx": DX,
         "tiff": TIFF, "slices": SLICES, "zarr": ZARR}
FOLDERS = {"slices", "zarr"}  # of which each seed is an archive


def with_parts(header, name, files, *parts):
    return archive({name: files[header], **{part: files[part] for part in parts}})


PARTS = {  # archives of a file that the fuzzers open, and those that it names
    "nrrd_parts": {
        "beside": with_parts("beside.nhdr", "a.nhdr", NRRD, "beside.raw"),
        "list": with_parts("list.nhdr", "a.nhdr", NRRD, "slice1.raw", "slice2.raw"),
        "pattern": with_parts("pattern.nhdr", "a.nhdr", NRRD, "slice1.raw", "slice2.raw"),
        "gzip": archive({"a.nhdr": nrrd("data file: LIST\np/1.gz\np/2.gz\n", encoding="gzip"),
                         **{f"p/{i + 1}.gz": gzip.compress(half, mtime=0) for i, half in enumerate(HALVES)}}),
        "inside": archive({"a.nhdr": NRRD["big.nrrd"]}),
    },
    "metaimage_parts": {
        "beside": with_parts("beside.mhd", "a.mhd", METAIMAGE, "beside.raw"),
        "list": with_parts("list.mhd", "a.mhd", METAIMAGE, "slice1.raw", "slice2.raw"),
        "pattern": with_parts("pattern.mhd", "a.mhd", METAIMAGE, "slice1.raw", "slice2.raw"),
    },
    "nifti_parts": {"pair": archive({"a.hdr": NIFTI["pair.hdr"], "a.img": NIFTI["pair.img"]})},
    "raw_parts": {
        "ini": archive({"a.raw": RAW["d.raw"], "a.raw.ini": RAW["d.raw.ini"]}),
        "json": archive({"a.raw": RAW["e.raw"], "a.json": RAW["e.json"]}),
    },
}
COMPANIONS = {"beside.raw", "slice1.raw", "slice2.raw", "a.raw", "d.raw.ini", "e.json", "pair.img"}  # no volumes alone


def write(folder):
    for reader, files in {**SEEDS, **PARTS}.items():
        os.makedirs(os.path.join(folder, reader), exist_ok=True)
        for name, data in files.items():
            with open(os.path.join(folder, reader, name), "wb") as file:
                file.write(data)


if __name__ == "__main__":
    write(sys.argv[1])
