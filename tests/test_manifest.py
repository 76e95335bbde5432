#!/usr/bin/env python3
"""Real volumes: the counts of `info` must equal those of an independent reader, to the last cell, on every backend.
Usage: test_manifest.py ISOSCOPE FOLDER   where FOLDER holds manifest.json and the files that it names; exits with 77 without it."""
import json
import os
import struct
import subprocess
import sys

program, folder = sys.argv[1], sys.argv[2]
manifest = os.path.join(folder, "manifest.json")
if not os.path.exists(manifest):
    print(f"skipped: no manifest.json in {folder}")
    sys.exit(77)

NEEDS_WORDS = {  # files without this information
    "Bucky.raw": ["--dims", "32x32x32", "--type", "uint8"],
}
OTHERWISE = {  # what the manifest says of it as a RAW file, in the order of the file
    "3pqr.ccp4": {"dims": [100, 69, 59], "spacing": [0.958533, 0.958533, 0.915467]},
}
READABLE = (".raw", ".nrrd", ".nhdr", ".ccp4", ".nii", ".nii.gz", ".mhd", ".mha", ".vti", ".vtk")


def rounded(value):
    """As a voxel holds it."""
    return struct.unpack("f", struct.pack("f", value))[0]


def info(path, *words):
    done = subprocess.run([program, "info", path, "--json", *words], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr.strip()}


backends = ["cpu"]
if subprocess.run([program, "info", os.path.join(folder, "Bucky.raw"), *NEEDS_WORDS["Bucky.raw"], "--backend", "cuda"],
                  capture_output=True).returncode == 0:
    backends.append("cuda")
else:
    print("skipped: no CUDA backend here, so the CPU alone is checked")

passed = failed = skipped = 0
for entry in json.load(open(manifest)):
    name = entry["file"]
    if not name.endswith(READABLE):
        skipped += 1
        continue
    entry.update(OTHERWISE.get(name, {}))
    files = [name]
    if name == "cases/BallBinary30x30x30.nrrd":  # the same ball in other formats
        files += [f"cases/BallBinary30x30x30{end}" for end in (".nhdr", "_gz.nrrd", "_byteskip_minus_one.nhdr")]
    slope = entry["slope"]  # the manifest speaks of stored values, info of real ones
    for file in files:
        for iso in entry["iso"]:
            for backend in backends:
                got = info(os.path.join(folder, file), "--iso", repr(slope * iso["value"]), "--backend", backend,
                           *NEEDS_WORDS.get(file, []))
                want = {"dims": entry["dims"][:3], "min": slope * rounded(entry["min"]), "max": slope * rounded(entry["max"]),
                        "nan_count": entry["nan"],
                        "voxels_inside": iso["voxels_inside"], "active_cells": iso["active_cells"],
                        "edge_vertices": iso["crossed_edges"]}
                wrong = {k: (got.get(k), v) for k, v in want.items() if got.get(k) != v}
                if "spacing" in got and any(abs(a - b) > 1e-4 * b for a, b in zip(got["spacing"], entry["spacing"])):
                    wrong["spacing"] = (got["spacing"], entry["spacing"])
                if wrong or "error" in got:
                    failed += 1
                    print(f"FAILED {file} at {iso['value']} on {backend}: {got.get('error', wrong)}")
                else:
                    passed += 1
                    print(f"{file} at {iso['value']} on {backend}: {got['active_cells']} active cells, "
                          f"{got['edge_vertices']} edge vertices")
refused = info(os.path.join(folder, "cases/badtype.nhdr"))
if "int128" in refused.get("error", ""):
    passed += 1
else:
    failed += 1
    print(f"FAILED badtype.nhdr was not refused by the name of its type: {refused}")
print(f"{passed} passed, {failed} failed, {skipped} skipped (formats that are not read)")
sys.exit(failed > 0)
