#!/usr/bin/env python3
"""Times isoscope from file to file by several processes, beside ParaView, and Dask with scikit-image, which do the same.

    python3 tests/peers/slabs.py BUILD [--runs 3] [--peers contour,edges,dask] [--ranks 1,2] [--memory 512M] [--chunk 256]
                                   [--save FILE.md] VOLUME=ISO ...

BUILD is the folder with isoscope and isoscope-mpi. VOLUME is RAW with its size and type in its name, or vessels:SIZE or another
field of `isoscope synth`, which is made here. Results are kept in docs/PEERS.md.

This is not part of the tests. What is not installed is left out and named:

    apt-get install paraview python3-paraview openmpi-bin
    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install numpy scikit-image dask
    /tmp/peers/bin/python tests/peers/slabs.py build vessels:1024=80.5

isoscope                  mpirun -n N isoscope-mpi extract, with normals, as PVTP and as PLY
ParaView                  mpirun -n N pvbatch: ImageReader, Contour with normals, SaveData as PVTP, uncompressed
ParaView, Flying Edges    the same with vtkFlyingEdges3D in a programmable filter, in place of Contour
Dask, scikit-image        two workers: chunks of a mapped file and one voxel more, marching_cubes with normals, a .npz each

Seconds are those of the whole command, from its start to its end. Without start: from the first call of the reader on, where
Python does the work. Each rank has one thread. The file was read once before, and the output goes to the same folder (--folder).
isoscope ends when its file is on the disk; what the others leave to be written is written between the runs. Peaks are the sum over
a command's processes, but mpirun, of the VmHWM that /proc tells, asked every 10 ms: resident memory, with shared pages counted for
each.

Triangles do not all agree. isoscope resolves ambiguous cells as the trilinear interpolant does, ParaView by a table of cases alone,
scikit-image by Lewiner's tests. Between ranks ParaView's Contour makes some triangles twice and marks them as ghosts; Flying Edges
in a programmable filter does not mark them, so they count.

In each round every program runs once before any runs again, so a disturbance of the machine hits all of them. Each is compared
with isoscope's PVTP by as many ranks; Dask with isoscope's PLY by two threads of one process.
"""
import argparse
import concurrent.futures
import datetime
import glob
import importlib.metadata
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

NUMPY = {"uint8": "uint8", "int16": "int16", "uint16": "uint16", "float32": "float32"}
PARAVIEW = {"uint8": "unsigned char", "int16": "short", "uint16": "unsigned short", "float32": "float"}
EDGES = """
from vtkmodules.vtkFiltersCore import vtkFlyingEdges3D
contour = vtkFlyingEdges3D()
contour.SetInputData(self.GetInputDataObject(0, 0))
contour.SetValue(0, {})
contour.ComputeNormalsOn()
contour.ComputeGradientsOff()
contour.ComputeScalarsOff()
contour.Update()
self.GetOutputDataObject(0).ShallowCopy(contour.GetOutput())
"""


def shape(path):
    """Voxels along x, y and z, and the type."""
    found = re.search(r"_(\d+)x(\d+)x(\d+)_(\w+)\.raw$", path)
    if not found or found.group(4) not in NUMPY:
        sys.exit(f"{path}: not a .raw with dims and type in its name, like v_64x64x64_uint8.raw")
    return [int(n) for n in found.groups()[:3]], found.group(4)


# ---- in processes of their own ---------------------------------------------------------------------------------------


def in_paraview(path, iso, out, filter_name):
    from paraview import simple
    start = time.perf_counter()
    dims, kind = shape(path)
    extent = [end for n in dims for end in (0, n - 1)]
    image = simple.ImageReader(FileNames=[path], DataScalarType=PARAVIEW[kind], DataByteOrder="LittleEndian", DataExtent=extent,
                               FileDimensionality=3)
    if filter_name == "contour":
        surface = simple.Contour(Input=image, ContourBy=["POINTS", "ImageFile"], Isosurfaces=[float(iso)], ComputeNormals=1,
                                 ComputeScalars=0, ComputeGradients=0)
    else:
        surface = simple.ProgrammableFilter(Input=image, OutputDataSetType="vtkPolyData", Script=EDGES.format(iso))
    simple.SaveData(out, proxy=surface, DataMode="Appended", EncodeAppendedData=0, CompressorType="None")
    print(json.dumps({"work": time.perf_counter() - start}))


def chunk_of(path, start, size):
    """Voxels of a chunk, with one more at its upper ends; zyx."""
    import numpy
    dims, kind = shape(path)
    voxels = numpy.memmap(path, NUMPY[kind], "c", shape=tuple(dims[::-1]))  # marching_cubes takes no floats that are read-only
    return voxels[tuple(slice(s, s + size + 1) for s in start)]


def piece(voxels, iso, start, out):
    """Makes and keeps the surface of a chunk: triangles, and seconds of marching_cubes."""
    import numpy
    from skimage.measure import marching_cubes
    if not voxels.min() < iso < voxels.max():
        return 0, 0.0, start
    begun = time.perf_counter()
    points, triangles, normals, _ = marching_cubes(voxels, iso)
    seconds = time.perf_counter() - begun
    numpy.savez(out, points=points + numpy.array(start, "f4"), triangles=triangles, normals=normals)
    return len(triangles), seconds, start


def in_dask(path, iso, out, size, scheduler):
    import dask
    import dask.array
    import numpy
    start = time.perf_counter()
    dims, kind = shape(path)
    size = int(size)

    def load(block_info=None):
        (z, *_), (y, *_), (x, *_) = block_info[None]["array-location"]
        return chunk_of(path, (z, y, x), size - 1)

    def make(voxels, start):
        return piece(voxels, float(iso), start, os.path.join(out, "_".join(map(str, start))))

    chunks = tuple(tuple(min(size, n - i) for i in range(0, n, size)) for n in dims[::-1])
    voxels = dask.array.map_blocks(load, chunks=chunks, dtype=NUMPY[kind], meta=numpy.empty((0, 0, 0), NUMPY[kind]))
    voxels = dask.array.overlap.overlap(voxels, depth=dict.fromkeys(range(3), (0, 1)), boundary="none")
    blocks = voxels.to_delayed()
    tasks = [dask.delayed(make)(blocks[i], tuple(int(n) * size for n in i)) for i in numpy.ndindex(blocks.shape)]
    found = dask.compute(*tasks, scheduler=scheduler, num_workers=2)
    most = max(found)
    print(json.dumps({"work": time.perf_counter() - start, "triangles": sum(f[0] for f in found),
                      "chunks": sum(f[0] > 0 for f in found), "of": len(found), "seconds": sum(f[1] for f in found), "most": most[2]}))


def in_skimage(path, iso, out):
    """One chunk, which is a file: seconds of marching_cubes alone, and with reading and writing."""
    start = time.perf_counter()
    count, seconds, _ = piece(chunk_of(path, (0, 0, 0), max(shape(path)[0])), float(iso), (0, 0, 0), out)
    print(json.dumps({"triangles": count, "alone": seconds, "all": time.perf_counter() - start}))


# ---- measuring -------------------------------------------------------------------------------------------------------


def children(pid):
    found = []
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        try:
            with open(path, encoding="ascii") as file:
                for child in file.read().split():
                    found += [child, *children(child)]
        except OSError:
            pass  # it has ended
    return found


def watch(process, peaks):
    while process.poll() is None:
        for pid in [str(process.pid), *children(process.pid)]:
            try:
                with open(f"/proc/{pid}/status", encoding="ascii") as file:
                    status = file.read()
            except OSError:
                continue
            peak = re.search(r"^VmHWM:\s*(\d+)", status, re.M)
            if status.startswith("Name:\tmpirun\n"):
                peaks.pop(pid, None)  # also a rank that is not yet one
            elif peak:  # else it has ended
                peaks[pid] = int(peak.group(1)) / 1024
        time.sleep(0.01)


def run(command):
    """Seconds, MiB and what it printed."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OMPI_MCA_btl": "self,vader", "HWLOC_COMPONENTS": "-gl"}
    environment.pop("DISPLAY", None)
    peaks = {}
    with tempfile.TemporaryFile("w+") as said, concurrent.futures.ThreadPoolExecutor() as pool:
        start = time.perf_counter()
        with subprocess.Popen(list(map(str, command)), stdout=said, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                              env=environment) as process:
            watching = pool.submit(watch, process, peaks)
            process.wait()
            seconds = time.perf_counter() - start
            watching.result()
        said.seek(0)
        text = said.read()
    if process.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{text}")
    return seconds, sum(peaks.values()), text


def mpirun(ranks):
    open_mpi = "Open MPI" in subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=True).stdout
    return ["mpirun", *["--oversubscribe", "--allow-run-as-root", "--bind-to", "none"] * open_mpi, "-n", ranks]


def triangles(folder):
    """Of all surfaces in a folder, and how many of them are ghosts, which another rank has as well."""
    count = ghosts = 0
    for path in glob.glob(f"{folder}/**/*.vtp", recursive=True) + glob.glob(f"{folder}/**/*.ply", recursive=True):
        with open(path, "rb") as file:
            head = file.read(1 << 16)
            found = re.search(rb'NumberOfPolys="(\d+)"|element face (\d+)', head)
            count += int(found.group(1) or found.group(2))
            ghost = re.search(rb'<CellData>\s*<DataArray type="UInt8" Name="vtkGhostType"[^>]*offset="(\d+)"', head)
            if ghost:
                begin = head.index(b"_", head.index(b"<AppendedData")) + 1
                file.seek(begin + int(ghost.group(1)))
                length = int.from_bytes(file.read(8), "little")
                ghosts += length - file.read(length).count(0)
    return count, ghosts


class Program:
    def __init__(self, title, ranks, command, like):
        self.title, self.ranks, self.command, self.like = title, ranks, command, like  # like: the program it is compared with
        self.times, self.peaks, self.work, self.text, self.found = [], [], [], "", None

    def go(self, folder):
        out = os.path.join(folder, "out")
        shutil.rmtree(out, ignore_errors=True)
        os.mkdir(out)
        os.sync()
        seconds, peak, self.text = run(self.command(out))
        self.times.append(seconds)
        self.peaks.append(peak)
        if self.like:
            self.work.append(self.said()["work"])
        self.found = triangles(out)
        shutil.rmtree(out)

    def said(self):
        return json.loads(self.text.strip().splitlines()[-1])


def version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def programs(options, path, iso):
    """What is installed, and what is not."""
    found, missing = [], []
    me = os.path.abspath(__file__)
    common = ["--iso", iso, "--backend", "cpu", "--memory", options.memory]
    words = [os.path.join(options.build, "isoscope-mpi"), "extract", path, *common, "--threads", "1", "-o"]
    paraview = shutil.which("pvbatch")
    if paraview:
        done = subprocess.run(["pvpython", "--version"], capture_output=True, text=True, check=False)
        paraview = re.sub(r"(?i)paraview version ", "", (done.stdout + done.stderr).strip())
    else:
        missing.append("ParaView (no pvbatch)")
    for ranks in options.ranks:
        for kind in ("pvtp", "ply"):
            found.append(Program(f"isoscope, {kind.upper()}", ranks,
                                 lambda out, r=ranks, k=kind: [*mpirun(r), *words, f"{out}/s.{k}"], None))
        ours = found[-2]
        for title, name in (("", "contour"), (", Flying Edges", "edges")) if paraview else ():
            if name not in options.peers:
                continue
            found.append(Program(f"ParaView {paraview}{title}", ranks,
                                 lambda out, r=ranks, n=name: [*mpirun(r), "pvbatch", me, "in_paraview", path, iso,
                                                               f"{out}/s.pvtp", n], ours))
    lacking = [name for name in ("numpy", "dask", "scikit-image") if not version(name)]
    if lacking:
        missing.append(f"Dask with scikit-image (no {', '.join(lacking)})")
    elif "dask" in options.peers:
        found.append(Program("isoscope, PLY, no MPI", "2 threads", lambda out: [
            os.path.join(options.build, "isoscope"), "extract", path, *common, "--threads", "2", "-o", f"{out}/s.ply"], None))
        ours = found[-1]
        for scheduler in options.dask:
            found.append(Program(f"Dask {version('dask')} and scikit-image {version('scikit-image')}", f"2 {scheduler}",
                                 lambda out, s=scheduler: [sys.executable, me, "in_dask", path, iso, out, options.chunk, s], ours))
    return found, missing


def one_chunk(options, path, iso, start, folder):
    """The chunk with the most triangles as a file of its own, by one thread: a row for each program."""
    voxels = chunk_of(path, start, options.chunk)
    name = os.path.join(folder, f"chunk_{'x'.join(str(n) for n in voxels.shape[::-1])}_{shape(path)[1]}.raw")
    voxels.tofile(name)
    isoscope, them, us = os.path.join(options.build, "isoscope"), [], []
    for _ in range(options.runs):
        them.append(json.loads(run([sys.executable, os.path.abspath(__file__), "in_skimage", name, iso,
                                    f"{folder}/chunk.npz"])[2]))
        bench = json.loads(run([isoscope, "bench", name, "--iso", iso, "--backend", "cpu", "--threads", "1", "--runs", "5",
                                "--json"])[2])
        seconds = run([isoscope, "extract", name, "--iso", iso, "--backend", "cpu", "--threads", "1", "-o",
                       f"{folder}/chunk.ply"])[0]
        us.append({"alone": bench["total"]["first_us"] / 1e6, "all": seconds, "triangles": bench["triangles"]})
    lines = ["", f"The chunk with the most triangles, {' x '.join(str(n) for n in voxels.shape[::-1])} voxels, by one thread. "
             "Alone: the surface of voxels in memory; isoscope: the first of a process, with building the bricks and allocating. "
             "From file to file: also reading and writing; isoscope: the whole command.", "",
             "| program | triangles | alone ms | / isoscope | from file to file ms | / isoscope |", "|---|--:|--:|--:|--:|--:|"]
    mine = {key: statistics.median(row[key] for row in us) for key in ("alone", "all")}
    for title, rows in (("isoscope, PLY", us), (f"scikit-image {version('scikit-image')}, .npz", them)):
        alone, whole = (statistics.median(row[key] for row in rows) for key in ("alone", "all"))
        lines.append(f"| {title} | {rows[0]['triangles']} | {1e3 * alone:.1f} | {alone / mine['alone']:.1f} | {1e3 * whole:.1f} | "
                     f"{whole / mine['all']:.1f} |")
    return lines


def measure(options, path, iso, folder):
    found, missing = programs(options, path, iso)
    with open(path, "rb") as file:
        while file.read(1 << 24):
            pass
    for turn in range(options.runs):
        for program in found:
            program.go(folder)
            print(f"{turn + 1}/{options.runs}: {program.title}, {program.ranks}: {program.times[-1]:.2f} s, "
                  f"{program.peaks[-1]:.0f} MiB", file=sys.stderr, flush=True)
    dims, kind = shape(path)
    small = os.path.join(folder, "small.nrrd")
    run([os.path.join(options.build, "isoscope"), "synth", "sphere", "--size", "32", "-o", small])
    context = json.loads(run([os.path.join(options.build, "isoscope"), "bench", small, "--iso", "0", "--backend", "cpu",
                              "--json"])[2])
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    mpi = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    lines = [f"`{os.path.basename(path)}`: {' x '.join(map(str, dims))} {kind}, isovalue {iso}, from file to file, 1 thread per rank.",
             f"{context['device']}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, {mpi}; isoscope commit "
             f"{context['commit']}, `--memory {options.memory}`, {date}; medians of {options.runs} interleaved rounds, normals on.", "",
             "| program | ranks | triangles | ghosts | s | min | without start s | peak MiB | s / isoscope | peak / isoscope |",
             "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"]
    notes = []
    for p in found:
        count, ghosts = p.found
        seconds, peak = statistics.median(p.times), statistics.median(p.peaks)
        said, work, ratio = {}, "-", "1.0 | 1.0"
        if p.like:
            said = p.said()
            work = f"{statistics.median(p.work):.2f}"
            ratio = f"{seconds / statistics.median(p.like.times):.1f} | {peak / statistics.median(p.like.peaks):.1f}"
        if "chunks" in said:
            count = said["triangles"]
            each = 1e3 * said["seconds"] / max(said["chunks"], 1)
            notes += ["", f"Dask, {p.ranks}: {said['of']} chunks of {options.chunk}^3, {said['chunks']} of them with surface; "
                          f"marching_cubes takes {said['seconds']:.2f} s of the two, {each:.1f} ms a chunk."]
        lines.append(f"| {p.title} | {p.ranks} | {count - ghosts} | {ghosts} | {seconds:.2f} | {min(p.times):.2f} | {work} | "
                     f"{peak:.0f} | {ratio} |")
    lines += notes
    most = [p.said()["most"] for p in found if p.like and "most" in p.said()]
    if most:
        lines += one_chunk(options, path, iso, most[0], folder)
    if missing:
        lines += ["", "Not installed: " + ", ".join(missing) + "."]
    return "\n".join(lines) + "\n"


def synth(options, name, size, folder):
    """A file of `isoscope synth`, without its header."""
    nrrd = os.path.join(folder, "synth.nrrd")
    run([os.path.join(options.build, "isoscope"), "synth", name, "--size", size, "-o", nrrd])
    with open(nrrd, "rb") as file:
        header = file.read(4096).split(b"\n\n")[0].decode("ascii")
        dims = "x".join(re.search(r"^sizes: (.*)$", header, re.M).group(1).split())
        kind = {"float": "float32"}.get(*[re.search(r"^type: (.*)$", header, re.M).group(1)] * 2)
        path = os.path.join(folder, f"{name}_{dims}_{kind}.raw")
        file.seek(len(header) + 2)
        with open(path, "wb") as raw:
            shutil.copyfileobj(file, raw, 1 << 24)
    os.remove(nrrd)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("volumes", nargs="*", default=["vessels:512=80.5"], metavar="VOLUME=ISO")
    parser.add_argument("--runs", type=int, default=3, help="interleaved rounds")
    parser.add_argument("--peers", default="contour,edges,dask", help="which of these")
    parser.add_argument("--ranks", default="1,2", help="how many, like 1,2")
    parser.add_argument("--memory", default="512M", help="what each rank of isoscope may take")
    parser.add_argument("--chunk", type=int, default=256, help="voxels along the edge of Dask's chunks")
    parser.add_argument("--dask", default="threads", help="its schedulers: processes, threads, or both with a comma")
    parser.add_argument("--folder", default=None, help="where files are made; default: the folder for temporary ones")
    parser.add_argument("--save", metavar="FILE.md", help="append the tables to this file")
    options = parser.parse_intermixed_args()
    options.build, options.dask = os.path.abspath(options.build), options.dask.split(",")
    options.ranks = [int(n) for n in options.ranks.split(",")]
    if not shutil.which("mpirun") or not os.path.exists(os.path.join(options.build, "isoscope-mpi")):
        sys.exit("no mpirun, or no isoscope-mpi: nothing is measured")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for volume in options.volumes:
            path, iso = volume.rsplit("=", 1)
            if not path.endswith(".raw"):
                path = synth(options, *path.split(":"), folder)
            text = measure(options, os.path.abspath(path), iso, folder)
            print(text, flush=True)
            if options.save:
                with open(options.save, "a", encoding="utf-8") as file:
                    file.write("\n" + text)


if __name__ == "__main__":
    inside = {f.__name__: f for f in (in_paraview, in_dask, in_skimage)}.get(sys.argv[1] if len(sys.argv) > 1 else "")
    inside(*sys.argv[2:]) if inside else main()
