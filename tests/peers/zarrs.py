#!/usr/bin/env python3
"""Zarr folders written by other libraries, read by isoscope: every voxel must be equal; and what `isoscope pack` writes, read and
validated by them. Not part of the tests. Usage: zarrs.py BUILD   BUILD: the folder with isoscope and dump_volume

It compares with what is installed for the Python that runs it: zarr 2 (pip install 'zarr<3'), or zarr 3, tensorstore, ome-zarr
and ome-zarr-models (pip install 'zarr>=3' tensorstore ome-zarr)."""
import importlib
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy

build = os.path.abspath(sys.argv[1])
folder = tempfile.mkdtemp(prefix="iso_zarrs_")
random = numpy.random.default_rng(5)
passed = failed = 0
TYPES = ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8", "?"]


def library(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"no {name} here: skipped")
        return None


def check(fine, what):
    global passed, failed
    passed += bool(fine)
    failed += not fine
    if not fine:
        print(f"FAILED {what}", flush=True)


def values(dtype, shape):
    if dtype == "?":
        return random.integers(0, 2, shape).astype(bool)
    small = random.integers(-100 if numpy.dtype(dtype).kind != "u" else 0, 101, shape)
    return small.astype(dtype)


def read(path, frame=0, component=0):
    done = subprocess.run([f"{build}/dump_volume", path, f"{folder}/dump", str(frame), str(component)], capture_output=True,
                          text=True)
    if done.returncode:
        return None, done.stderr.strip()
    said = json.loads(done.stdout)
    return numpy.fromfile(f"{folder}/dump", "f8").reshape(said["dims"][::-1]), said


def same(what, path, expected, frame=0, component=0):
    got, said = read(path, frame, component)
    check(got is not None and numpy.array_equal(got, expected.astype("f8")), f"{what}: {said}")
    shutil.rmtree(path)


# ---- written by others ------------------------------------------------------------------------------------------------------


def by_zarr_2(zarr):
    import numcodecs as n
    compressors = {"none": None, "zlib": n.Zlib(), "gzip": n.GZip(), "zstd": n.Zstd(3)}
    for name, shuffle in itertools.product(["lz4", "lz4hc", "zlib", "zstd", "blosclz"], [0, 1, 2]):
        compressors[f"blosc-{name}-{shuffle}"] = n.Blosc(name, 5, shuffle)
    path = f"{folder}/a.zarr"
    for (name, compressor), dtype in itertools.product(compressors.items(), ["u1", "<u2", ">i2", "<f4", ">f8"]):
        data = values(dtype, (13, 17, 19))
        z = zarr.open(path, "w", shape=data.shape, chunks=(5, 8, 16), dtype=dtype, compressor=compressor)
        z[:] = data
        same(f"zarr 2, {name}, {dtype}", path, data)
    for dtype, order, separator, end in itertools.product(TYPES, "CF", "./", "<>"):
        data = values(dtype, (9, 10, 11))
        kind = numpy.dtype(dtype).newbyteorder(end)
        z = zarr.open(path, "w", shape=data.shape, chunks=(4, 5, 6), dtype=kind, order=order, dimension_separator=separator)
        z[:] = data
        same(f"zarr 2, {kind}, {order}, '{separator}'", path, data)
    for dtype, fill in [("u1", 7), ("i2", -300), ("f4", float("nan")), ("f4", 1.5), ("f8", float("-inf")), ("u2", None)]:
        z = zarr.open(path, "w", shape=(8, 8, 8), chunks=(4, 4, 4), dtype=dtype, fill_value=fill)
        z[:4, :4, :4] = 3
        expected = z[:] if fill is not None else numpy.where(numpy.indices((8, 8, 8)).max(0) < 4, 3, 0)
        got, said = read(path)
        check(got is not None and numpy.array_equal(got, expected.astype("f8"), equal_nan=True), f"fill {fill}: {said}")
    data = values("u2", (2, 3, 7, 8, 9))
    zarr.open(path, "w", shape=data.shape, chunks=(1, 2, 4, 5, 6), dtype="u2")[:] = data
    for t, c in itertools.product(range(2), range(3)):
        got, said = read(path, t, c)
        check(got is not None and numpy.array_equal(got, data[t, c].astype("f8")), f"zarr 2, frame {t}, channel {c}: {said}")


def by_zarr_3(zarr):
    from zarr import codecs as c
    path = f"{folder}/a.zarr"
    chains = {"none": None, "zstd": c.ZstdCodec(level=3), "zstd sum": c.ZstdCodec(level=1, checksum=True), "gzip": c.GzipCodec(),
              "crc": c.Crc32cCodec(), "zstd crc": [c.ZstdCodec(), c.Crc32cCodec()], "crc gzip": [c.Crc32cCodec(), c.GzipCodec()]}
    for name, shuffle in itertools.product(["lz4", "lz4hc", "zlib", "zstd", "blosclz"], ["noshuffle", "shuffle", "bitshuffle"]):
        chains[f"blosc-{name}-{shuffle}"] = c.BloscCodec(cname=name, shuffle=shuffle, typesize=2)
    for (name, chain), shards, end in itertools.product(chains.items(), [None, (8, 16, 32)], ["little", "big"]):
        data = values("u2", (13, 17, 40))
        z = zarr.create_array(path, shape=data.shape, chunks=(4, 8, 16), shards=shards, dtype="u2", compressors=chain,
                              serializer=c.BytesCodec(endian=end))
        z[:] = data
        same(f"zarr 3, {name}, shards {shards}, {end}", path, data)
    for dtype, shards, key in itertools.product(TYPES, [None, (8, 10, 12)], ["/", "."]):
        data = values(dtype, (9, 10, 11))
        z = zarr.create_array(path, shape=data.shape, chunks=(4, 5, 6), shards=shards, dtype=numpy.dtype(dtype),
                              chunk_key_encoding={"name": "default", "separator": key})
        z[:] = data
        same(f"zarr 3, {dtype}, shards {shards}", path, data)
    data = values("f4", (6, 20, 30))
    for location, order in itertools.product(["start", "end"], [(0, 1, 2), (2, 0, 1)]):
        sharding = c.ShardingCodec(chunk_shape=(2, 5, 6), codecs=[c.TransposeCodec(order=order), c.BytesCodec(), c.ZstdCodec()],
                                   index_location=location)
        z = zarr.create_array(path, shape=data.shape, chunks=(6, 10, 12), dtype="f4", serializer=sharding, compressors=None)
        z[:] = data
        same(f"zarr 3, index at the {location}, {order}", path, data)
    z = zarr.create_array(path, shape=(8, 8, 8), chunks=(2, 2, 2), shards=(4, 4, 4), dtype="f4", fill_value=float("nan"))
    z[:2, :4, 3:5] = 3
    got, said = read(path)
    check(got is not None and numpy.array_equal(got, z[:].astype("f8"), equal_nan=True), f"zarr 3, missing chunks: {said}")
    shutil.rmtree(path)
    z = zarr.create_array(path, shape=(5, 6, 7), chunks=(2, 2, 2), dtype=">u2", zarr_format=2, fill_value=9)
    z[:3] = values("u2", (3, 6, 7))
    same("zarr 3, format 2", path, z[:])


def by_tensorstore(ts):
    path = f"{folder}/a.zarr"
    data = values("u2", (11, 23, 37))
    chains = {
        "blosc": [{"name": "bytes", "configuration": {"endian": "little"}},
                  {"name": "blosc", "configuration": {"cname": "lz4", "clevel": 5, "shuffle": "bitshuffle", "typesize": 2}}],
        "transposed": [{"name": "transpose", "configuration": {"order": [2, 1, 0]}},
                       {"name": "bytes", "configuration": {"endian": "big"}}, {"name": "gzip", "configuration": {"level": 5}}],
        "sharded": [{"name": "sharding_indexed", "configuration": {
            "chunk_shape": [4, 8, 8], "codecs": [{"name": "bytes", "configuration": {"endian": "little"}},
                                                 {"name": "zstd", "configuration": {"level": 3}}],
            "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]}}]}
    for name, codecs in chains.items():
        store = ts.open({"driver": "zarr3", "kvstore": {"driver": "file", "path": path}, "metadata": {
            "shape": data.shape, "data_type": "uint16", "codecs": codecs,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [8, 16, 16]}}}}, create=True).result()
        store[...] = data
        same(f"tensorstore, {name}", path, data)
    for compressor in [None, {"id": "blosc", "cname": "zstd", "clevel": 3, "shuffle": 2}, {"id": "zlib", "level": 3},
                       {"id": "zstd", "level": 3}]:
        store = ts.open({"driver": "zarr", "kvstore": {"driver": "file", "path": path}, "metadata": {
            "shape": data.shape, "dtype": "<u2", "chunks": [8, 16, 16], "compressor": compressor}}, create=True).result()
        store[...] = data
        same(f"tensorstore, format 2, {compressor}", path, data)


def by_ome_zarr(ome):
    import zarr
    from ome_zarr.format import FormatV04, FormatV05
    from ome_zarr.writer import write_image
    path = f"{folder}/a.zarr"
    data = values("u2", (2, 40, 50, 60))
    for fmt in FormatV04(), FormatV05():
        lengths, units = {"c": 1, "z": 4, "y": 2, "x": 3}, dict.fromkeys("zyx", "nanometer")
        group = zarr.open_group(path, mode="w", zarr_format=fmt.zarr_format)
        write_image(data, group, axes="czyx", fmt=fmt, scale=lengths, axes_units=units, storage_options={"chunks": (1, 16, 16, 16)})
        got, said = read(path, 0, 1)
        check(got is not None and numpy.array_equal(got, data[1].astype("f8")), f"ome-zarr {fmt.version}: {said}")
        check(got is not None and said["unit"] == "nm" and said["direction"][::4] == [3, 2, 4], f"ome-zarr geometry: {said}")
        shutil.rmtree(path)


# ---- written by isoscope ----------------------------------------------------------------------------------------------------


def levels_of(data):
    """Means of 2x2x2, of fewer at the ends; integers are rounded, halves upwards."""
    while True:
        yield data
        if max(data.shape) <= 64:
            return
        sums, count = 0, 0
        shape = [(n + 1) // 2 for n in data.shape]
        wide = data.astype("f4" if data.dtype.kind == "f" else "i8")
        sums, count = numpy.zeros(shape, wide.dtype), numpy.zeros(shape, "i8")
        for k, j, i in itertools.product(range(2), repeat=3):
            part = wide[k::2, j::2, i::2]
            into = tuple(slice(0, n) for n in part.shape)
            sums[into] += part
            count[into] += 1
        data = sums / count if data.dtype.kind == "f" else (2 * sums + count) // (2 * count)
        data = data.astype("f4" if data.dtype.kind == "f" else wide.dtype)


def packed():
    zarr, ts = library("zarr"), library("tensorstore")
    for dtype, shape in [("u1", (70, 130, 200)), ("i2", (33, 65, 129)), ("u2", (600, 64, 20)), ("f4", (20, 90, 530))]:
        data = values(dtype, shape) if dtype != "f4" else random.random(shape, "f4")
        raw, out = f"{folder}/v.raw", f"{folder}/v.zarr"
        data.tofile(raw)
        kind = {"u1": "uint8", "i2": "int16", "u2": "uint16", "f4": "float32"}[dtype]
        dims = "x".join(str(n) for n in shape[::-1])
        done = subprocess.run([f"{build}/isoscope", "pack", raw, "--dims", dims, "--type", kind, "--spacing", "0.5,0.25,2", "-o", out],
                              capture_output=True, text=True)
        check(done.returncode == 0, f"pack {kind}: {done.stderr}")
        group = zarr.open_group(out, mode="r")
        image = group.attrs["ome"]["multiscales"][0]
        for level, (dataset, expected) in enumerate(zip(image["datasets"], levels_of(data), strict=True)):
            got = group[dataset["path"]][:]
            close = numpy.array_equal(got, expected) if dtype != "f4" else numpy.allclose(got, expected, rtol=1e-5)
            check(got.dtype == data.dtype and close, f"zarr reads level {level} of {kind}")
            if ts:
                store = ts.open({"driver": "zarr3", "kvstore": {"driver": "file", "path": f"{out}/{dataset['path']}"}}).result()
                check(numpy.array_equal(store.read().result(), got), f"tensorstore reads level {level} of {kind}")
        if models := library("ome_zarr_models"):
            check(models.open_ome_zarr(group) is not None, f"ome-zarr-models validates {kind}")
        if library("ome_zarr"):
            from ome_zarr.io import parse_url
            from ome_zarr.reader import Reader
            nodes = list(Reader(parse_url(out))())
            check(nodes and numpy.array_equal(numpy.asarray(nodes[0].data[0]), data), f"ome-zarr reads {kind}")
        same(f"isoscope reads its own {kind}", out, data)


try:
    zarr = library("zarr")
    if zarr and zarr.__version__.startswith("2."):
        by_zarr_2(zarr)
    elif zarr:
        by_zarr_3(zarr)
        if library("tensorstore"):
            by_tensorstore(library("tensorstore"))
        if library("ome_zarr"):
            by_ome_zarr(library("ome_zarr"))
        packed()
finally:
    shutil.rmtree(folder)
print(f"zarrs: {passed} passed, {failed} failed")
sys.exit(failed > 0 or not passed)
