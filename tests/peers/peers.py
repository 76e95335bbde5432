#!/usr/bin/env python3
"""Times isoscope against other isosurface programs on the CPU: the same bytes, interleaved in one run.

    python3 tests/peers/peers.py build/isoscope [--threads 2] [--runs 15] [--save FILE.md] [VOLUME=ISO ...]

VOLUME is NRRD, or RAW with its size and type in its name, or sphere:SIZE. The sphere is made here, uint8: 255 in the middle,
down to 0 at the corners; 127.5 gives a sphere. Results are kept in docs/PEERS.md.

This is not part of the tests. The peers come from PyPI; a peer that is not installed is left out and named:

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install numpy vtk scikit-image PyMCubes
    /tmp/peers/bin/python tests/peers/peers.py build/isoscope bonsai_256x256x256_uint8.raw=40.5

All programs get the same voxels, the same isovalue (between integers, where all count alike), the same number of threads,
and normals if they can compute them.

warm  The same filter runs again and again, on another isovalue and back, and keeps its output's memory as far as it can.
      isoscope: the median of a process's runs with kept buffers.
cold  A new filter object, or the plain function. isoscope: the first surface of a process, with building the bricks and
      allocating.

In each round every program runs once before any runs again, so a disturbance of the machine hits all of them.
"""
import argparse
import datetime
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
import zlib

import numpy

TYPES = {"uint8": numpy.uint8, "uchar": numpy.uint8, "unsigned char": numpy.uint8, "int16": numpy.int16,
         "short": numpy.int16, "uint16": numpy.uint16, "ushort": numpy.uint16, "float": numpy.float32}


def load(path):
    """The voxels as (z, y, x)."""
    if path.endswith(".nrrd"):
        with open(path, "rb") as file:
            header, data = file.read().split(b"\n\n", 1)
        field = dict(re.findall(r"^([\w ]+): (.*)$", header.decode("ascii", "replace"), re.M))
        if field["encoding"].strip() in ("gzip", "gz"):
            data = zlib.decompress(data, 31)
        elif field["encoding"].strip() != "raw":
            sys.exit(f"{path}: encoding {field['encoding']}, and this script reads raw and gzip only")
        dims = [int(n) for n in field["sizes"].split()]
        return numpy.frombuffer(data, TYPES[field["type"].strip()]).reshape(dims[::-1])
    found = re.search(r"_(\d+)x(\d+)x(\d+)_(\w+)\.raw$", path)
    if not found:
        sys.exit(f"{path}: neither .nrrd nor a .raw with dims and type in its name, like v_64x64x64_uint8.raw")
    dims = [int(n) for n in found.groups()[:3]]
    return numpy.fromfile(path, TYPES[found.group(4)]).reshape(dims[::-1])


def sphere(folder, n):
    """A file of n^3 uint8, written slice by slice."""
    path = os.path.join(folder, f"sphere_{n}x{n}x{n}_uint8.raw")
    square = (2 * numpy.arange(n, dtype=numpy.float32) / (n - 1) - 1) ** 2
    with open(path, "wb") as file:
        for z in range(n):
            distance = numpy.sqrt(square[z] + square[:, None] + square[None, :])
            file.write((255 * (1 - distance / numpy.sqrt(3))).round().astype(numpy.uint8).tobytes())
    return path


# ---- peers: each gives run(iso) -> triangles, warm or cold ------------------------------------------------------------

def vtk_peer(name, threads):
    import vtk
    from vtk.util.numpy_support import numpy_to_vtk

    def make(voxels):
        if threads > 1 and not any(map(vtk.vtkSMPTools.SetBackend, ("STDThread", "TBB"))):
            sys.exit("this VTK has no threads: give --threads 1")
        vtk.vtkSMPTools.Initialize(threads)
        image = vtk.vtkImageData()
        image.SetDimensions(*voxels.shape[::-1])
        image.GetPointData().SetScalars(numpy_to_vtk(voxels.ravel()))
        kept = []

        def build():
            contour = getattr(vtk, name)()
            contour.SetInputData(image)
            contour.ComputeNormalsOn()
            contour.ComputeGradientsOff()
            contour.ComputeScalarsOff()
            return contour

        def run(iso, warm):
            contour = kept[0] if warm and kept else build()
            if warm and not kept:
                kept.append(contour)
            contour.SetValue(0, iso)
            contour.Modified()
            start = time.perf_counter()
            contour.Update()
            return time.perf_counter() - start, contour.GetOutput().GetNumberOfPolys()
        return run
    return f"{name} {vtk.vtkVersion.GetVTKVersion()}", make


def skimage_peer(_):
    import skimage
    from skimage.measure import marching_cubes

    def make(voxels):
        def run(iso, _):
            start = time.perf_counter()
            faces = marching_cubes(voxels, iso)[1]
            return time.perf_counter() - start, len(faces)
        return run
    return f"scikit-image {skimage.__version__}, 1 thread", make


def mcubes_peer(_):
    import mcubes

    def make(voxels):
        def run(iso, _):
            start = time.perf_counter()
            triangles = mcubes.marching_cubes(voxels, iso)[1]
            return time.perf_counter() - start, len(triangles)
        return run
    return "PyMCubes, 1 thread, no normals", make


PEERS = {"vtkFlyingEdges3D": lambda threads: vtk_peer("vtkFlyingEdges3D", threads),
         "vtkMarchingCubes": lambda threads: vtk_peer("vtkMarchingCubes", threads),
         "scikit-image": skimage_peer, "PyMCubes": mcubes_peer}
SLOW = ("vtkMarchingCubes", "scikit-image", "PyMCubes")  # above 512^3 only the fastest peer is asked


def bench(program, path, iso, threads, runs):
    command = [program, "bench", path, "--iso", str(iso), "--backend", "cpu", "--threads", str(threads), "--runs", str(runs),
               "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


# ---- one volume ------------------------------------------------------------------------------------------------------

def measure(program, path, iso, threads, rounds):
    voxels = load(path)
    peers, missing = {}, []
    for name, find in PEERS.items():
        if voxels.size > 512 ** 3 and name in SLOW:
            continue
        try:
            title, make = find(threads)
            peers[title] = make(voxels)
        except ImportError as error:
            missing.append(f"{name} ({error})")
    times = {title: {"warm": [], "cold": []} for title in peers}
    triangles, ours = {}, {"warm": [], "cold": []}
    for turn in range(rounds + 1):  # the first round warms up
        answer = bench(program, path, iso, threads, 5)
        if turn:
            ours["warm"].append(answer["total"]["wall_us"]["median"] / 1e6)
            ours["cold"].append(answer["total"]["first_us"] / 1e6)
        for title, run in peers.items():
            for kind in ("cold", "warm"):
                run(iso + 1, True) if kind == "warm" and "vtk" in title else None  # as while dragging
                seconds, triangles[title] = run(iso, kind == "warm")
                if turn:
                    times[title][kind].append(seconds)
    return answer, ours, times, triangles, missing


def table(path, iso, threads, rounds, result):
    answer, ours, times, triangles, missing = result
    mine = statistics.median(ours["warm"])
    commit, date = answer["commit"], datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    dims = " x ".join(str(int(n)) for n in answer["dims"])
    lines = [f"`{os.path.basename(path)}`: {dims} {answer['type']}, isovalue {iso}, {threads} thread{'s' * (threads > 1)}.",
             f"{answer['device']}, {os.cpu_count()} cores, {platform.system()} {platform.release()}; isoscope commit {commit}, "
             f"{date}; medians of {rounds} interleaved rounds, normals on.", "",
             "| program | triangles | warm ms | min | cold ms | warm / isoscope |", "|---|--:|--:|--:|--:|--:|",
             f"| isoscope, fused | {answer['triangles']} | {1e3 * mine:.2f} | {1e3 * min(ours['warm']):.2f} | "
             f"{1e3 * statistics.median(ours['cold']):.2f} | 1.00 |"]
    for title, kinds in times.items():
        warm, cold = statistics.median(kinds["warm"]), statistics.median(kinds["cold"])
        lines.append(f"| {title} | {triangles[title]} | {1e3 * warm:.2f} | {1e3 * min(kinds['warm']):.2f} | {1e3 * cold:.2f} | "
                     f"{warm / mine:.2f} |")
    if missing:
        lines += ["", "Not installed: " + ", ".join(missing) + "."]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("volumes", nargs="*", default=["sphere:256=127.5"], metavar="VOLUME=ISO")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--runs", type=int, default=15, help="interleaved rounds, at least 15")
    parser.add_argument("--save", metavar="FILE.md", help="append the tables to this file")
    options = parser.parse_intermixed_args()
    if options.runs < 15:
        parser.error(f"--runs {options.runs}: at least 15, for a median that means something")
    with tempfile.TemporaryDirectory() as folder:
        for volume in options.volumes:
            path, iso = volume.rsplit("=", 1)
            if path.startswith("sphere:"):
                path = sphere(folder, int(path.split(":")[1]))
            text = table(path, float(iso), options.threads, options.runs,
                         measure(options.program, path, float(iso), options.threads, options.runs))
            print(text, flush=True)
            if options.save:
                with open(options.save, "a", encoding="utf-8") as file:
                    file.write("\n" + text)


if __name__ == "__main__":
    main()
