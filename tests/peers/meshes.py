#!/usr/bin/env python3
"""Compares surface files with what other programs read from them: counts, area, volume, orientation, and whether a closed
surface is closed for them too.

    python3 tests/peers/meshes.py build/isoscope FOLDER [WORDS...]

FOLDER holds manifest.json and the volumes that it names, or volumes only; every value of the manifest is written in every
format, and read by every library that knows it. WORDS, such as --close, are options of the program for each of them. This is
not part of the tests. The libraries come from PyPI; one that is not
installed is left out and named:

    python3 -m venv /tmp/meshes && /tmp/meshes/bin/pip install numpy trimesh meshio vtk
    /tmp/meshes/bin/python tests/peers/meshes.py build/isoscope FOLDER
"""
import importlib
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

program, data, options = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:]
folder = tempfile.mkdtemp(prefix="isoscope-meshes-")
passed, failed, skipped = 0, 0, set()
WORDS = {"Bucky.raw": ["--dims", "32x32x32", "--type", "uint8"]}
READABLE = (".raw", ".nrrd", ".nhdr", ".ccp4", ".nii", ".nii.gz", ".mhd", ".mha", ".vti", ".vtk")
FORMATS = ("ply", "stl", "obj", "glb", "vtp")
METRES = {"m": 1, "mm": 1e-3, "um": 1e-6, "nm": 1e-9, "A": 1e-10}


def library(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        skipped.add(name)
        return None


trimesh, meshio, vtk = library("trimesh"), library("meshio"), library("vtk")

# ---- readers: positions, triangles, normals or None ---------------------------------------------------------------------------


def read_trimesh(path, scale):
    scene = trimesh.load(path, process=False)
    if not isinstance(scene, trimesh.Scene):
        return np.asarray(scene.vertices), np.asarray(scene.faces), None if path.endswith("stl") else np.asarray(scene.vertex_normals)
    positions, triangles, normals, first = [], [], [], 0
    for node in scene.graph.nodes_geometry:
        matrix, name = scene.graph[node]
        mesh = scene.geometry[name]
        turned = np.asarray(mesh.vertices) @ matrix[:3, :3].T + matrix[:3, 3]
        positions.append(np.stack([turned[:, 0], -turned[:, 2], turned[:, 1]], 1) / scale)
        normal = np.asarray(mesh.vertex_normals) @ matrix[:3, :3].T / scale
        normals.append(np.stack([normal[:, 0], -normal[:, 2], normal[:, 1]], 1))
        triangles.append(np.asarray(mesh.faces) + first)
        first += len(turned)
    return np.concatenate(positions), np.concatenate(triangles), np.concatenate(normals)


def read_meshio(path, _):
    mesh = meshio.read(path)
    normals = [mesh.point_data.get(name) for name in ("nx", "ny", "nz")]
    return mesh.points, mesh.cells_dict["triangle"], None if normals[0] is None else np.stack(normals, 1)


def read_vtk(path, _):
    from vtk.util.numpy_support import vtk_to_numpy
    reader = {"ply": vtk.vtkPLYReader, "stl": vtk.vtkSTLReader, "obj": vtk.vtkOBJReader, "vtp": vtk.vtkXMLPolyDataReader}[path[-3:]]()
    if path.endswith("stl"):
        reader.MergingOff()
    reader.SetFileName(path)
    reader.Update()
    mesh = reader.GetOutput()
    normals = mesh.GetPointData().GetNormals()
    return (vtk_to_numpy(mesh.GetPoints().GetData()).astype(float),
            vtk_to_numpy(mesh.GetPolys().GetConnectivityArray()).reshape(-1, 3), None if normals is None else vtk_to_numpy(normals))


READERS = [("trimesh", trimesh, read_trimesh, ("ply", "stl", "obj", "glb")), ("meshio", meshio, read_meshio, ("ply", "stl", "obj")),
           ("vtk", vtk, read_vtk, ("ply", "stl", "obj", "vtp"))]


# ---- comparing ---------------------------------------------------------------------------------------------------------------


def measure(positions, triangles):
    p = positions - positions.mean(0)
    a, b, c = (p[triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    return np.linalg.norm(normal, axis=1).sum() / 2, np.einsum("ij,ij->", a, np.cross(b, c)) / 6, normal


def open_sides(triangles):
    """Sides that no other triangle uses the other way round."""
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]).astype(np.int64)
    key, back = sides[:, 0] << 32 | sides[:, 1], sides[:, 1] << 32 | sides[:, 0]
    return np.count_nonzero(~np.isin(key, back))


def faults(told, info, ending, name, positions, triangles, normals):
    wrong = []
    area, volume, facets = measure(positions.astype(float), triangles)
    soup = ending == "stl"
    if len(triangles) != told["triangles"]:
        wrong.append(f"{len(triangles)} triangles, not {told['triangles']}")
    if len(positions) != told["vertices"] and not soup:
        wrong.append(f"{len(positions)} vertices, not {told['vertices']}")
    if not abs(area / info["area"] - 1) < 1e-5:
        wrong.append(f"area {area}, not {info['area']}")
    if info["volume"] is not None and not abs(volume - info["volume"]) < 1e-5 * abs(info["volume"]):
        wrong.append(f"volume {volume}, not {info['volume']}")
    if info["volume"] is not None and not soup and open_sides(triangles):
        wrong.append(f"{open_sides(triangles)} open sides")
    if name == "trimesh" and info["volume"] is not None and not soup and not trimesh.Trimesh(positions, triangles, process=False).is_watertight:
        wrong.append("not watertight")
    if normals is not None and not soup:
        if not np.abs(np.linalg.norm(normals, axis=1) - 1).max() < 1e-5:
            wrong.append("normals are not of length 1")
        if not (np.einsum("ij,ij->i", facets, normals[triangles].sum(1)) >= 0).mean() > 0.9:
            wrong.append("normals against triangles")
    return wrong


def run(*words):
    return subprocess.run([program, *words], capture_output=True, text=True)


def check(name, value, words):
    global passed, failed
    info = json.loads(run("info", os.path.join(data, name), f"--iso={value!r}", "--json", *words).stdout or "{}")
    if not info.get("triangles"):
        return
    if "--close" in words and info["volume"] is None:
        failed += 1
        print(f"FAILED {name} at {value}: --close leaves it open")
    for ending in FORMATS:
        path = os.path.join(folder, f"out.{ending}")
        done = run("extract", os.path.join(data, name), "-o", path, f"--iso={value!r}", "--json", *words)
        if done.returncode:
            failed += 1
            print(f"FAILED {name} at {value} as {ending}: {done.stderr.strip()}")
            continue
        told = json.loads(done.stdout)
        for library_name, module, reader, endings in READERS:
            if not module or ending not in endings:
                continue
            wrong = faults(told, info, ending, library_name, *reader(path, METRES.get(info["unit"], 1)))
            failed, passed = failed + bool(wrong), passed + (not wrong)
            if wrong:
                print(f"FAILED {name} at {value} as {ending} by {library_name}: {'; '.join(wrong)}", flush=True)
    print(f"{name} at {value}: {info['triangles']} triangles, {passed} passed, {failed} failed", flush=True)


def volumes():
    """Names in the folder, isovalues in real units, words that the program needs."""
    manifest = os.path.join(data, "manifest.json")
    if os.path.exists(manifest):
        for entry in json.load(open(manifest)):
            if entry["file"].endswith(READABLE):
                yield entry["file"], [entry["slope"] * iso["value"] for iso in entry["iso"]], WORDS.get(entry["file"], []) + options
        return
    for name in sorted(os.listdir(data)):
        info = json.loads(run("info", os.path.join(data, name), "--json").stdout or "{}")
        if info:
            yield name, [info["first_value"]], options


if __name__ == "__main__":
    for volume, values, extra in volumes():
        for one in values:
            check(volume, one, extra)
    for missing in sorted(skipped):
        print(f"skipped: {missing}")
    print(f"{passed} passed, {failed} failed; files in {folder}")
    sys.exit(failed > 0)
