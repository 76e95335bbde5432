#!/usr/bin/env python3
"""Times how fast isoscope reads compressed Zarr, per core, beside zarr-python; and `isoscope pack` of a volume, whose result
ome-zarr, ome-zarr-models and zarr-python must read.

    python3 tests/peers/packs.py BUILD [--runs 3] [--size 512] [--pack vessels:3072] [--memory 2G] [--folder DIR] [--save FILE.md]

BUILD is the folder with isoscope. Without --pack only reading is timed. Results are kept in docs/PEERS.md.

This is not part of the tests. What is not installed is left out and named:

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install numpy 'zarr>=3' ome-zarr ome-zarr-models
    /tmp/peers/bin/python tests/peers/packs.py build

Reading: SIZE^3 of uint16 in chunks of 64^3: `isoscope synth vessels`, a byte per voxel, times 16 and with noise of as many bits as
the table says in the lowest. isoscope: the rate of the one thread that reads and decodes, while another makes the surface
(`isoscope bench -o`, 1 thread). zarr-python: all of the array into memory, by one thread. The files were read once before. GB/s are
those of voxels in memory.

Packing: seconds and peak as in slabs.py. It is judged by level 0 against the volume and the mean of 2x2x2 of level 0 against level 1,
in 40 drawn boxes of 96^3.
"""
import argparse
import datetime
import importlib
import json
import os
import platform
import re
import shutil
import statistics
import sys
import tempfile
import time

import slabs


def library(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def context(bench, runs):
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return (f"{bench['device']}, {os.cpu_count()} cores, {platform.system()} {platform.release()}; isoscope commit {bench['commit']}, "
            f"{date}; medians of {runs} interleaved rounds.")


# ---- reading ---------------------------------------------------------------------------------------------------------


def in_zarr(path):
    import numcodecs.blosc
    import zarr
    numcodecs.blosc.set_nthreads(1)
    zarr.config.set({"threading.max_workers": 1, "async.concurrency": 1})
    array = zarr.open_array(path, mode="r")
    start = time.perf_counter()
    voxels = array[:]
    print(json.dumps({"rate": voxels.nbytes / (time.perf_counter() - start) / 1e9}))


def reading(options, folder):
    import numpy
    import zarr
    n = options.size
    raw = slabs.synth(options, "vessels", str(n), folder)
    vessels = numpy.fromfile(raw, "u1").reshape(n, n, n)
    os.remove(raw)
    random = numpy.random.default_rng(7)
    rows, bench = [], {}
    for bits in (0, 8):
        data = vessels.astype("u2") * 16
        if bits:
            data += random.integers(0, 1 << bits, data.shape, "u2")
        for name, shuffle in (("lz4", "shuffle"), ("lz4", "bitshuffle"), ("zstd", "shuffle")):
            path, times = os.path.join(folder, "v.zarr"), {"isoscope": [], "zarr": []}
            codec = zarr.codecs.BloscCodec(cname=name, clevel=5, shuffle=shuffle, typesize=2)
            zarr.create_array(path, shape=data.shape, chunks=(64, 64, 64), dtype="u2", compressors=codec)[:] = data
            stored = sum(os.path.getsize(os.path.join(top, f)) for top, _, files in os.walk(path) for f in files)
            os.sync()
            for turn in range(options.runs + 1):  # the first round reads the files
                bench = json.loads(slabs.run([os.path.join(options.build, "isoscope"), "bench", path, "--iso", "3100.5", "--backend",
                                              "cpu", "--threads", "1", "--memory", "1G", "-o", f"{folder}/s.ply", "--json"])[2])
                them = json.loads(slabs.run([sys.executable, os.path.abspath(__file__), "in_zarr", path])[2])
                if turn:
                    times["isoscope"].append(bench["ranks"][0]["read_gb_per_s"])
                    times["zarr"].append(them["rate"])
            shutil.rmtree(path)
            mine, theirs = (statistics.median(rates) for rates in times.values())
            rows.append(f"| blosc-{name}, {shuffle} | {bits} | {data.nbytes / stored:.1f} | {mine:.2f} | {max(times['isoscope']):.2f} | "
                        f"{theirs:.2f} | {mine / theirs:.1f} |")
    return ["", f"Reading {n} x {n} x {n} uint16 from Zarr, chunks of 64^3, by one thread.", context(bench, options.runs), "",
            f"| codec | bits of noise | bytes / stored | isoscope GB/s | max | zarr-python {zarr.__version__} GB/s | isoscope / zarr-python |",
            "|---|--:|--:|--:|--:|--:|--:|", *rows]


# ---- packing ---------------------------------------------------------------------------------------------------------


def judge(volume, out):
    """What reads it, as cells of the table: a word each."""
    import numpy
    import zarr
    group = zarr.open_group(out, mode="r")
    levels = [group[d["path"]] for d in group.attrs["ome"]["multiscales"][0]["datasets"]]
    random, same = numpy.random.default_rng(3), 0
    for _ in range(40):
        z, y, x = (2 * int(random.integers(0, (n - 96) // 2)) for n in volume.shape)
        box = levels[0][z:z + 96, y:y + 96, x:x + 96]
        half = levels[1][z // 2:z // 2 + 48, y // 2:y // 2 + 48, x // 2:x // 2 + 48]
        sums = box.astype("u4").reshape(48, 2, 48, 2, 48, 2).sum((1, 3, 5))
        same += numpy.array_equal(box, volume[z:z + 96, y:y + 96, x:x + 96]) and numpy.array_equal(half, (sums + 4) // 8)
    said = [f"zarr {zarr.__version__}: {same} of 40 boxes equal"]
    if models := library("ome_zarr_models"):
        said.append("ome-zarr-models " + ("validates" if models.open_ome_zarr(group) is not None else "FAILS"))
    if library("ome_zarr"):
        from ome_zarr.io import parse_url
        from ome_zarr.reader import Reader
        nodes = list(Reader(parse_url(out))())
        fine = nodes and tuple(nodes[0].data[0].shape) == volume.shape
        last = numpy.asarray(nodes[0].data[-1]) if fine else None
        fine = fine and numpy.array_equal(last, levels[-1][:])
        said.append(f"ome-zarr {slabs.version('ome-zarr')} " + (f"reads {len(nodes[0].data)} levels" if fine else "FAILS"))
    missing = [name for name in ("ome_zarr_models", "ome_zarr") if not library(name)]
    return said + [f"{name} is not installed" for name in missing]


def packing(options, folder):
    import numpy
    name, size = options.pack.split(":")
    isoscope, path, out = os.path.join(options.build, "isoscope"), os.path.join(folder, "v.nrrd"), os.path.join(folder, "v.zarr")
    made = slabs.run([isoscope, "synth", name, "--size", size, "-o", path])[0]
    os.sync()
    seconds, peak, text = slabs.run([isoscope, "pack", path, "--memory", options.memory, "-o", out])
    with open(path, "rb") as file:
        header = file.read(4096).split(b"\n\n")[0].decode("ascii")
    dims = [int(n) for n in re.search(r"^sizes: (.*)$", header, re.M).group(1).split()]
    if "type: uint8" not in header:
        sys.exit(f"{options.pack}: not of uint8, and nothing else is judged here")
    volume = numpy.memmap(path, "u1", "r", len(header) + 2, tuple(dims[::-1]))
    said = judge(volume, out)
    del volume
    stored = int(re.search(r"(\d+) bytes in", text).group(1))
    n = dims[0] * dims[1] * dims[2]
    small = os.path.join(folder, "small.nrrd")
    slabs.run([isoscope, "synth", "sphere", "--size", "32", "-o", small])
    bench = json.loads(slabs.run([isoscope, "bench", small, "--iso", "0", "--backend", "cpu", "--json"])[2])
    return ["", f"`isoscope pack` of {name}, {' x '.join(map(str, dims))} uint8, {n / 2 ** 30:.1f} GiB, made in {made:.0f} s: "
            f"`--memory {options.memory}`, one run.", context(bench, 1).replace("; medians of 1 interleaved rounds", ""), "",
            "| s | GB/s | peak MiB | bytes stored | judged by |", "|--:|--:|--:|--:|---|",
            f"| {seconds:.1f} | {n / seconds / 1e9:.2f} | {peak:.0f} | {stored} | {'; '.join(said)} |"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--runs", type=int, default=3, help="interleaved rounds of reading")
    parser.add_argument("--size", type=int, default=512, help="voxels along the edge of what is read; 0: nothing is")
    parser.add_argument("--pack", metavar="FIELD:SIZE", help="a volume of isoscope synth to pack, of uint8")
    parser.add_argument("--memory", default="2G", help="of packing")
    parser.add_argument("--folder", default=None, help="where files are made; default: the folder for temporary ones")
    parser.add_argument("--save", metavar="FILE.md", help="append the tables to this file")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    if not library("zarr") or not library("numpy"):
        sys.exit("no zarr 3 or no numpy here: nothing is measured")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        lines = (reading(options, folder) if options.size else []) + (packing(options, folder) if options.pack else [])
    text = "\n".join(lines) + "\n"
    print(text, flush=True)
    if options.save:
        with open(options.save, "a", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    in_zarr(sys.argv[2]) if sys.argv[1:2] == ["in_zarr"] else main()
