#!/usr/bin/env python3
"""Surfaces as files: reads them with independent readers and compares them with `info`, with each other, with a known
transform, and with the exact counts of real volumes. Usage: test_extract.py ISOSCOPE [FOLDER], where FOLDER may hold
manifest.json and the files that it names."""
import array
import json
import math
import os
import pathlib
import pty
import re
import resource
import signal
import struct
import subprocess
import sys
import time
import unittest

import cli
from cli import FAILED, INPUT, OK, USAGE
from surfaces import READ, area_and_volume, cross, dot, minus, open_sides, read, times

DATA = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else pathlib.Path("/nowhere")


class Extract(cli.CommandTest):
    def synth(self, field, size, name="v.nrrd"):
        self.assertEqual(self.run_program("synth", field, "--size", size, "-o", name).returncode, OK)
        return name

    def extract(self, name, out, *words):
        done = self.run_program("extract", name, "-o", out, "--json", *words)
        self.assertEqual(done.returncode, OK, done.stderr)
        return json.loads(done.stdout)

    def surface(self, name, out, *words):
        self.extract(name, out, *words)
        found = read(self.folder / out)
        return found.positions, found.normals, found.triangles

    def turned(self, name, directions, origin, to="turned.nrrd"):
        """The same voxels at another position in space. directions: one row per axis of the volume."""
        head, voxels = (self.folder / name).read_bytes().split(b"\n\n", 1)
        lines = [line for line in head.decode().splitlines() if not line.startswith(("space directions", "space origin"))]
        lines += ["space directions: " + " ".join(str(tuple(row)).replace(" ", "") for row in directions),
                  "space origin: " + str(tuple(origin)).replace(" ", "")]
        (self.folder / to).write_bytes("\n".join(lines).encode() + b"\n\n" + voxels)
        return to

    # ---- what is in the files --------------------------------------------------------------------------------------

    def against(self, positions, normals, triangles):
        """The share of corners whose normal points to the wrong side of the triangle. Where caps meet the surface, some do."""
        faces = ((t, cross(minus(positions[t[1]], positions[t[0]]), minus(positions[t[2]], positions[t[0]]))) for t in triangles)
        return sum(dot(normals[i], face) < 0 for t, face in faces for i in t) / (3 * len(triangles))

    def check_file(self, name, out, *words):
        """Checks counts, bytes, area, volume, and outward orientation."""
        told = self.extract(name, out, *words)
        info = json.loads(self.run_program("info", name, "--json", *words).stdout)
        found = read(self.folder / out)
        positions, normals, triangles = found.positions, found.normals, found.triangles
        self.assertEqual((told["triangles"], told["vertices"]), (info["triangles"], info["edge_vertices"] + info["interior_vertices"]))
        self.assertEqual(told["bytes"], (self.folder / out).stat().st_size)
        self.assertEqual(len(triangles), info["triangles"])
        self.assertEqual(len(positions), 3 * info["triangles"] if out.endswith("stl") else told["vertices"])
        self.assertEqual(len(normals), len(triangles) if out.endswith("stl") else len(positions))
        area, volume = area_and_volume(positions, triangles)
        self.assertLess(abs(area - info["area"]), 1e-5 * info["area"])
        if info["volume"] is not None:  # closed, not cut by the border
            self.assertLess(abs(volume - info["volume"]), 2e-5 * info["volume"])
        against = 0
        for t, corners in enumerate(triangles):
            p, q, r = (positions[i] for i in corners)
            face = cross(minus(q, p), minus(r, p))
            for n in [normals[t]] if out.endswith("stl") else [normals[i] for i in corners]:
                self.assertTrue(dot(n, n) == 0 or abs(dot(n, n) - 1) < 1e-6)
                against += dot(n, face) < 0
        return against / (3 * len(triangles))

    def test_every_format_says_what_info_says(self):
        for field, iso, wrong in (("sphere", 0.05, 0), ("torus", -0.1, 0), ("metaballs", 84.5, 0.01)):
            name = self.synth(field, "40x33x28")
            for ending in READ:
                against = self.check_file(name, f"out.{ending}", "--iso", iso)
                self.assertLessEqual(against, wrong, f"normals against triangles: {field}, {ending}")

    def test_caps_close_what_the_border_cuts(self):
        """Every edge has two triangles, by index or, in a soup, by position; caps have the normals of their planes."""
        name = self.synth("gyroid", "24x20x16")
        words = ["--iso", 0.1, "--close"]
        info = json.loads(self.run_program("info", name, "--json", *words).stdout)
        self.assertIsNotNone(info["volume"])
        self.assertIsNone(info["volume_note"])
        whole = json.loads(self.run_program("info", name, "--json", "--iso", -9, "--close").stdout)
        self.assertGreater(whole["area"], 0)  # all inside: the box
        inside = 0
        for voxels in (json.loads(self.run_program("info", name, "--json", "--iso", v, "--close").stdout)["volume"]
                       for v in (0.2, 0.1, 0)):  # the lower the value, the more is inside
            self.assertTrue(inside < voxels < whole["volume"])
            inside = voxels
        for ending in READ:
            told = self.extract(name, f"out.{ending}", *words)
            self.assertEqual(told["triangles"], info["triangles"])
            found = read(self.folder / f"out.{ending}")
            number = {p: i for i, p in enumerate(dict.fromkeys(found.positions))}
            corners = [[number[found.positions[i]] if ending == "stl" else i for i in t] for t in found.triangles]
            edges = {(t[k], t[(k + 1) % 3]) for t in corners for k in range(3)}
            self.assertEqual(len(edges), 3 * len(corners))
            self.assertEqual(edges, {(b, a) for a, b in edges})
            area, volume = area_and_volume(found.positions, found.triangles)
            self.assertLess(abs(area - info["area"]), 1e-5 * info["area"])
            self.assertLess(abs(volume - info["volume"]), 2e-5 * info["volume"])
        positions, normals, _ = self.surface(name, "out.ply", *words)
        low = [min(p[a] for p in positions) for a in range(3)]
        flat = [n for p, n in zip(positions, normals) if p[0] == low[0] and n == (-1, 0, 0)]
        self.assertGreater(len(flat), 50)
        self.refuses(USAGE, "extract", name, "-o", "x.ply", *words, "--exact-positions", says=["exact positions"])
        for more in (["--keep", 1], ["--min-size", 3]):  # files have shared vertices, whatever rung is asked for
            self.extract(name, "shared.ply", *words, *more)
            self.extract(name, "soup.ply", *words, *more, "--rung", "fused=none", "--rung", "generate=soup", "--backend", "cpu")
            self.assertEqual((self.folder / "soup.ply").read_bytes(), (self.folder / "shared.ply").read_bytes())

    def test_caps_close_a_pair(self):
        """In one file with the other, in any order, the lower surface of a pair at v and -v equals that of the negated voxels at v,
        turned inside out. In a file of its own it is closed as if alone."""
        name = self.synth("gyroid", "24x20x16")
        head, voxels = (self.folder / name).read_bytes().split(b"\n\n", 1)
        negated = array.array("f", voxels)
        for i, value in enumerate(negated):
            negated[i] = -value
        (self.folder / "negated.nrrd").write_bytes(head + b"\n\n" + negated.tobytes())
        want = self.surface("negated.nrrd", "want.ply", "--iso", 0.3, "--close")
        area, volume = area_and_volume(want[0], want[2])
        self.assertGreater(volume, 0)
        for out, values, pair in (("x.ply", "0.3,-0.3", True), ("y.ply", "-0.3,0.1,0.3", True), ("z.ply", "-0.3,-0.1", False),
                                  ("x_%.ply", "0.3,-0.3", False), ("y_%.ply", "-0.3,0.1,0.3", False)):
            self.assertEqual(self.run_program("extract", name, "-o", out, "--iso=" + values, "--close").returncode, OK)
            found = read(self.folder / out.replace("%", "-0.3"))
            triangles = found.triangles if "%" in out else found.part(min(found.values))
            self.assertEqual(open_sides(triangles), [])
            got = area_and_volume(found.positions, triangles)
            if not pair:  # closed round what lies above
                self.assertGreater(got[1], 1.2 * volume)
                continue
            self.assertLess(abs(got[0] - area), 1e-3 * area)  # ambiguous cells are split another way
            self.assertLess(abs(got[1] - volume), 1e-3 * volume)
            self.assertLess(self.against(found.positions, found.normals, triangles), 0.05)
        self.assertLess(self.against(*want), 0.05)

    def test_parts_are_left_out(self):
        """Files have the triangles of the parts that info lists, and only their vertices. Normals are unchanged."""
        name = self.synth("vessels", "48x40x36")
        whole = self.surface(name, "whole.ply", "--iso", 80.5)
        for words in (["--keep", 3], ["--keep", "largest"], ["--min-size", "20%"], ["--min-size", 9, "--keep", 2]):
            info = json.loads(self.run_program("info", name, "--iso", 80.5, "--json", *words).stdout)
            told = self.extract(name, "out.ply", "--iso", 80.5, *words)
            self.assertEqual((told["triangles"], told["vertices"]), (info["triangles"], info["vertices"]))
            self.assertEqual(told["triangles"] + told["left_out_triangles"], len(whole[2]))
            self.assertGreater(told["left_out_triangles"], 0)
            positions, normals, triangles = self.surface(name, "out.ply", "--iso", 80.5, *words)
            self.assertEqual(set(range(len(positions))), {corner for t in triangles for corner in t})
            self.assertLess(set(zip(positions, normals)), set(zip(whole[0], whole[1])))
            self.assertLess(abs(area_and_volume(positions, triangles)[0] - info["area"]), 1e-5 * info["area"])
            for a in range(3):
                self.assertAlmostEqual(min(p[a] for p in positions), info["box_low"][a], 4)
                self.assertAlmostEqual(max(p[a] for p in positions), info["box_high"][a], 4)
        self.extract(name, "all.ply", "--iso", 80.5, "--keep", 100000)
        self.assertEqual((self.folder / "all.ply").read_bytes(), (self.folder / "whole.ply").read_bytes())
        self.refuses(FAILED, "extract", name, "-o", "none.ply", "--iso", 80.5, "--min-size", 1000, says=["--min-size"])

    def test_minus_0_is_0(self):
        name = self.synth("sphere", "12x12x12")
        self.assertIn("iso 0,", self.run_program("extract", name, "-o", "x_%.ply", "--iso", "-0").stdout)
        self.assertTrue((self.folder / "x_0.ply").exists())
        self.assertIn('"iso": 0,', self.run_program("info", name, "--iso=-0", "--json").stdout)

    def test_a_value_whose_parts_are_all_left_out(self):
        name = self.synth("sphere", "24x20x16")
        for out in "out.ply", "out_%.ply":
            done = self.run_program("extract", name, "-o", out, "--iso", "0,0.5", "--min-size", 10)
            self.assertEqual((done.returncode, done.stderr),
                             (OK, "isoscope: every part of the surface at 0.5 is shorter than --min-size\n"))
            self.refuses(FAILED, "extract", name, "-o", out, "--iso", "0.5,9", "--min-size", 10, says=["--min-size"])

    def test_a_mirrored_and_sheared_space(self):
        """World = D voxel + o with left-handed D: D transforms positions, its inverse transpose normals; triangles are reversed."""
        name = self.synth("sphere", "24x20x16")
        columns = [[0.5, 0.125, 0], [0.25, -0.75, 0.25], [0, 0.5, 2]]  # of D
        origin = [-210.5, 33.25, 1000]
        matrix = [list(row) for row in zip(*columns)]
        inverse_transpose = [[-x for x in row] for row in
                             zip(*[cross(columns[(a + 1) % 3], columns[(a + 2) % 3]) for a in range(3)])]  # determinant < 0
        self.assertLess(dot(columns[0], cross(columns[1], columns[2])), 0)
        turned = self.turned(name, columns, origin)
        for ending in ("ply", "obj", "glb", "vtp"):
            plain = self.surface(name, f"plain.{ending}", "--iso", "0.05")
            world = self.surface(turned, f"world.{ending}", "--iso", "0.05")
            first = self.turned(name, [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 0], "first.nrrd")
            plain = self.surface(first, f"plain.{ending}", "--iso", "0.05")
            for p, q in zip(plain[0], world[0], strict=True):
                want = [a + b for a, b in zip(times(matrix, p), origin)]
                self.assertLess(max(map(abs, minus(want, q))), 1e-4, "a position")
            for p, q in zip(plain[1], world[1], strict=True):
                want = times(inverse_transpose, p)
                length = math.sqrt(dot(want, want))
                self.assertLess(max(abs(a / length - b) for a, b in zip(want, q)), 1e-3, "a normal")
            self.assertEqual([[a, c, b] for a, b, c in plain[2]], [list(t) for t in world[2]])
        for ending in READ:
            self.assertEqual(self.check_file(turned, f"check.{ending}", "--iso", "0.05"), 0)

    def far(self):
        """The sphere at the origin, and so far away that 32 bits hold only multiples of 0.5."""
        name = self.synth("sphere", 16)
        unit = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
        return self.turned(name, unit, [0, 0, 0], "near.nrrd"), self.turned(name, unit, [4e6, 0, -4e6], "far.nrrd")

    @unittest.skipIf(cli.COMMA, "a message")
    def test_far_from_the_origin(self):
        """Coordinates that need more than 32 bits: 64 bits or digits hold them. STL and GLB are centred, and say where."""
        near, far = self.far()
        here = self.surface(near, "near.obj", "--iso", "0.05")[0]
        for ending in ("obj", "ply", "vtp", "glb"):
            there = self.surface(far, f"far.{ending}", "--iso", "0.05")[0]
            for p, q in zip(here, there, strict=True):
                self.assertLess(max(map(abs, minus([p[0] + 4e6, p[1], p[2] - 4e6], q))), 3e-6, ending)
        centred = [q for t in self.surface(near, "near.stl", "--iso", "0.05")[0] for q in [minus(t, [7.5, 7.5, 7.5])]]
        for p, q in zip(centred, self.surface(far, "far.stl", "--iso", "0.05")[0], strict=True):
            self.assertLess(max(map(abs, minus(p, q))), 3e-6)
        for ending, end in (("stl", ""), ("glb", ", which its node adds")):
            done = self.run_program("extract", far, "-o", f"far.{ending}", "--iso", "0.05")
            self.assertRegex(done.stderr, rf"\Aisoscope: [^\n]*relative to 4000007\.5, 7\.5, -3999992\.5{end}\n\Z")
        for ending in ("ply", "obj", "vtp"):
            self.assertEqual(self.run_program("extract", far, "-o", f"far.{ending}", "--iso", "0.05").stderr, "")
            self.assertEqual(self.run_program("extract", near, "-o", f"near.{ending}", "--iso", "0.05").stderr, "")

    @unittest.skipIf(cli.COMMA, "not about numbers")
    def test_the_same_bytes_from_every_rung_and_thread_count(self):
        name = self.turned(self.synth("noise", "37x21x19"), [[0.5, 0.1, 0], [0.2, 0.75, 0.3], [0, -0.5, 2]], [1, 2, 3])
        want = None
        for words in ([], ["--threads", "1"], ["--threads", "5"], ["--rung", "fused=none"], ["--rung", "generate=soup"],
                      ["--rung", "classify=textbook"], ["--rung", "gemm=ijk"], ["--rung", "gemm=ikj"],
                      ["--rung", "gemm=blocked"]):
            for ending in READ:
                self.extract(name, f"out.{ending}", "--backend", "cpu", "--iso", "100", *words)
            got = [(self.folder / f"out.{ending}").read_bytes() for ending in READ]
            want = want or got
            self.assertTrue(got == want, words)

    def test_cuda_agrees(self):
        name = self.synth("vessels", 48)
        if self.run_program("info", name, "--backend", "cuda").returncode:
            self.skipTest("no CUDA backend here")
        self.extract(name, "cpu.ply", "--backend", "cpu", "--iso", "80.5")
        want = (self.folder / "cpu.ply").read_bytes()
        for words in ([], ["--rung", "fused=none"], ["--rung", "gemm=naive"], ["--rung", "gemm=fp16"]):
            told = self.extract(name, "cuda.ply", "--backend", "cuda", "--iso", "80.5", *words)
            self.assertEqual((self.folder / "cuda.ply").read_bytes(), want, words)
            self.assertEqual("fp16" in (told["note"] or ""), "gemm=fp16" in words)

    @unittest.skipIf(cli.COMMA, "not about numbers")
    def test_counts_of_real_volumes(self):
        if not (DATA / "manifest.json").exists():
            self.skipTest(f"no manifest.json in {DATA}")
        files = 0
        for entry in json.loads((DATA / "manifest.json").read_text()):
            if not entry["file"].endswith((".raw", ".nrrd", ".nhdr")) or entry["file"] == "Bucky.raw":
                continue
            for iso in entry["iso"]:
                if not iso["crossed_edges"]:
                    continue
                told = self.extract(DATA / entry["file"], "out.ply", "--iso", repr(iso["value"]), "--topology", "fixed")
                head = (self.folder / "out.ply").read_bytes()[:400].split(b"end_header")[0].decode()
                self.assertIn(f"element vertex {iso['crossed_edges']}\n", head, entry["file"])
                self.assertEqual(told["vertices"], iso["crossed_edges"])
                files += 1
        self.assertGreater(files, 5)

    # ---- what goes wrong -------------------------------------------------------------------------------------------

    def test_refusals(self):
        name = self.synth("sphere", 16)
        self.refuses(USAGE, "extract", name, says=["-o OUT.ply", "OUT.vtp or OUT.pvtp"])
        for out in ("out.xyz", "out", "-", "ply"):
            self.refuses(USAGE, "extract", name, "-o", out, says=[".ply, .stl, .obj, .glb, .vtp or .pvtp"])
        self.refuses(FAILED, "extract", name, "-o", "out.ply", "--iso", "1e9", says=["on both sides of 1e+09; nothing was written"])
        self.refuses(FAILED, "extract", name, "-o", "no/out.ply", "--iso", "0.05", says=["no/out.ply"])
        self.refuses(INPUT, "extract", "absent.nrrd", "-o", "out.ply", says=["absent.nrrd"])
        self.refuses(USAGE, "extract", name, "-o", "out.ply", "--rung", "gemm=absent", says=["gemm"])

    def test_a_full_disk_leaves_the_old_file(self):
        name = self.synth("sphere", 128)  # 2 MB of PLY
        (self.folder / "out.ply").write_text("old")

        def small_files():  # past the limit a signal comes, as of ulimit -f; ThreadSanitizer itself needs 512 KiB
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000000, 1000000))
        why = "" if cli.COMMA else "File too large"
        for words in [], ["--memory", "60M"]:
            self.refuses(FAILED, "extract", name, "-o", "out.ply", "--iso", "0.05", *words, says=[f"out.ply: cannot be written: {why}"],
                         preexec_fn=small_files)
        self.refuses(FAILED, "extract", name, "-o", "new.obj", "--iso", "0.05", says=["cannot be written"], preexec_fn=small_files)

    # ---- by slabs ------------------------------------------------------------------------------------------------------

    def sparse_volume(self, name, size, at, values):
        """The name of a volume of zeros, size x size x 8 size, with these values in the middle of some slices. Of floats, for every
        command counts all voxels, and few of them are many bytes."""
        head = f"NRRD0004\ntype: float\ndimension: 3\nsizes: {size} {size} {8 * size}\nencoding: raw\nendian: little\n\n".encode()
        with open(self.folder / name, "wb") as file:
            file.write(head)
            file.truncate(len(head) + 32 * size ** 3)
            for z in at:
                file.seek(len(head) + 4 * z * size ** 2 + 2 * size ** 2)
                file.write(struct.pack(f"<{len(values)}f", *values))
        return name

    def long_volume(self):
        """64 MiB, more than a slab takes, with little surface. Some values are below 0, so that there is a surface at the
        automatic value."""
        return self.sparse_volume("long.nrrd", 128, (5, 150, 1018), [i * 37 % 256 - 28 for i in range(1 << 12)])

    def test_slabs_give_the_same_bytes(self):
        name = self.long_volume()
        for ending in ("ply", "stl", "vtp"):
            whole = self.extract(name, f"whole.{ending}", "--iso", "100")
            slabs = self.extract(name, f"slabs.{ending}", "--iso", "100", "--memory", "60M")
            self.assertEqual([whole[key] for key in ("vertices", "triangles", "bytes")],
                             [slabs[key] for key in ("vertices", "triangles", "bytes")])
            self.assertEqual((self.folder / f"whole.{ending}").read_bytes(), (self.folder / f"slabs.{ending}").read_bytes())
        files = self.extract(name, "v%.ply", "--iso", "100,200", "--memory", "60M")["files"]
        self.assertEqual([file["file"] for file in files], ["v100.ply", "v200.ply"])
        self.assertEqual((self.folder / "v100.ply").read_bytes(), (self.folder / "whole.ply").read_bytes())
        self.refuses(FAILED, "extract", name, "-o", "none.ply", "--iso", "1e9", "--memory", "60M", says=["nothing was written"])

    def test_several_values_in_a_file_by_slabs(self):
        """One part after the other: bytes and answer are those of a surface made in memory. Values without a surface are left
        out."""
        name = self.long_volume()
        for values in ("100,200", "50,1e9,100", "1e9,60", "200,20,100,60,140"):
            for ending, threads in (("ply", 1), ("vtp", 3)):
                words = ["--iso", values, "--threads", threads]
                whole = self.extract(name, f"whole.{ending}", *words)
                slabs = self.extract(name, f"slabs.{ending}", *words, "--memory", "70M")
                self.assertEqual((self.folder / f"whole.{ending}").read_bytes(), (self.folder / f"slabs.{ending}").read_bytes())
                for key in whole:
                    if key not in ("file", "make_ms", "transform_ms", "write_ms", "backend"):
                        self.assertEqual(whole[key], slabs[key], key)
                self.assertRegex(slabs["backend"], "CPU|CUDA")
        self.refuses(FAILED, "extract", name, "-o", "none.ply", "--iso", "1e8,1e9", "--memory", "60M", says=["nothing was written"])
        many = ",".join(str(i) for i in range(20, 37))
        self.refuses(FAILED, "extract", name, "-o", "none.ply", "--iso", many, "--memory", "60M", says=["more than 16 values"])
        small = self.synth("noise", 64)  # fits, but not with both of its surfaces
        whole = self.extract(small, "whole.ply", "--iso", "100,120")
        self.extract(small, "slabs.ply", "--iso", "100,120", "--memory", "52M")
        self.assertEqual((self.folder / "whole.ply").read_bytes(), (self.folder / "slabs.ply").read_bytes())
        self.refuses(USAGE, "extract", small, "-o", "x.ply", "--iso", "100,120", "--part", "1/2", "--phase", "count",
                     says=["need a single process: put % in"])

    def test_info_is_the_same_by_slabs(self):
        """All numbers are the same except the parts, which are unknown, with the reason. Also if only the surface exceeds the
        memory."""
        noise = self.synth("noise", 128)
        for name, memory, iso in ((self.long_volume(), "60M", "100"), (self.long_volume(), "60M", "99.99%"), (noise, "70M", "100")):
            words = ["info", name, "--json", "--backend", "cpu", "--iso", iso]
            whole = json.loads(self.run_program(*words).stdout)
            done = self.run_program(*words, "--memory", memory)
            self.assertEqual((done.returncode, done.stderr), (OK, ""))
            slabs = json.loads(done.stdout)
            self.assertIn(f"but only {memory[:-1]}.0 MiB is allowed", slabs.pop("surface_note"))
            self.assertIsNone(slabs.pop("part_count"))
            self.assertIsNone(slabs.pop("parts"))
            self.assertIsNone(whole.pop("surface_note"))
            self.assertEqual(whole.pop("part_count"), len(whole.pop("parts")))
            self.assertIn("CPU", whole.pop("backend"))
            self.assertIn("CPU", slabs.pop("backend"))
            self.assertEqual(slabs, whole)
            self.assertGreater(slabs["area"], 0)
        done = self.run_program("info", name, "--json", "--memory", "1M")
        self.assertEqual(done.returncode, FAILED)
        self.assertRegex(done.stderr, r"\Aisoscope: [^\n]*slab by slab[^\n]*1\.0 MiB[^\n]*: give --memory \d+M, or more where the surface is large\n\Z")
        name = self.long_volume()
        for words in (["--smooth", 1], ["--iso", 100, "--close"], ["--iso", 100, "--keep", 1]):
            self.refuses(FAILED, "info", name, *words, "--memory", "60M", says=["64.0 MiB", "60.0 MiB", "only in memory"])
        done = self.run_program("info", name, "--iso", "1e9", "--memory", "60M")
        self.assertEqual(done.returncode, OK)
        self.assertIn("no surface", done.stderr)

    def test_verify_is_the_same_by_slabs(self):
        """All numbers and the verdict are the same. Also if only the surface exceeds the memory, and if the value must be found."""
        name, noise = self.long_volume(), self.synth("noise", 128)
        for name, memory, value in ((name, "60M", ["--iso", "100"]), (name, "60M", ["--iso", "99.99%"]), (name, "60M", []),
                                    (noise, "80M", ["--iso", "100", "--topology", "fixed"])):
            words = ["verify", name, "--json", "--backend", "cpu", *value]
            whole, slabs = self.run_program(*words), self.run_program(*words, "--memory", memory)
            self.assertEqual((slabs.returncode, slabs.stderr), (whole.returncode, whole.stderr))
            whole, slabs = json.loads(whole.stdout), json.loads(slabs.stdout)
            self.assertIn("CPU", whole.pop("backend"))
            self.assertIn("CPU", slabs.pop("backend"))
            self.assertEqual(slabs, whole)
            self.assertTrue(slabs["right"])
            self.assertGreater(slabs["triangles"], 0)
        name = self.long_volume()
        for words in (["--smooth", 1], ["--iso", 100, "--close"]):
            self.refuses(FAILED, "verify", name, *words, "--memory", "60M", says=["64.0 MiB", "60.0 MiB", "only in memory"])
        self.refuses(FAILED, "verify", name, "--iso", 100, "--memory", "40M", says=["slab by slab", "40.0 MiB"])
        self.refuses(USAGE, "verify", name, "--iso", 100, "--memory", "60M", "--rung", "fused=none", "--rung", "generate=soup",
                     says=["generate=soup", "verify"])

    @unittest.skipIf(cli.COMMA, "not about numbers")
    def test_a_surface_too_large_for_its_volume_is_made_by_slabs(self):
        name = self.synth("noise", 128)
        self.extract(name, "whole.stl", "--iso", "100")
        done = self.run_program("extract", name, "-o", "slabs.stl", "--iso", "100", "--memory", "70M")
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertEqual((self.folder / "whole.stl").read_bytes(), (self.folder / "slabs.stl").read_bytes())

    @unittest.skipIf(cli.COMMA, "not about numbers")
    def test_the_least_memory_is_told(self):
        """The message names what counting needs, then what the surface needs. That is enough, and 1 MiB less is not."""
        name = self.synth("noise", 128)
        words = ["extract", name, "-o", "least.stl", "--iso", "100", "--memory"]
        least = re.search(r"give --memory (\d+)M, or more where", self.run_program(*words, "1M").stderr)
        least = re.search(r"give --memory (\d+)M\n", self.run_program(*words, least[1] + "M").stderr)
        self.refuses(FAILED, *words, f"{int(least[1]) - 1}M", says=[f"give --memory {least[1]}M"])
        self.assertFalse((self.folder / "least.stl").exists())
        self.assertEqual(self.run_program(*words, least[1] + "M").returncode, OK)

    def test_what_slabs_cannot_do(self):
        name = self.long_volume()
        for words in (["-o", "out.obj", "--iso", "100"], ["-o", "out.ply"], ["-o", "out.ply", "--iso", "50%"],
                      ["-o", "out.ply", "--iso", "100", "--close"],
                      ["-o", "out.ply", "--iso", "100", "--decimate", "50%"], ["-o", "out.ply", "--iso", "100", "--keep", "1"],
                      ["-o", "out.ply", "--iso", "100", "--smooth", "1"], ["-o", "out.ply", "--iso", "100", "--smooth-mesh", "2"]):
            self.refuses(FAILED, "extract", name, *words, "--memory", "60M", says=["64.0 MiB", "60.0 MiB", "only in memory", "--memory"])
        self.refuses(FAILED, "extract", name, "-o", "out.ply", "--iso", "100", "--memory", "40M", says=["slab by slab", "40.0 MiB"])

    def keeps_to_what_it_asks_for(self, *command):
        """If the budget is too small, the command says which is enough, and stays within that one."""
        need, before = 1, set(self.folder.iterdir())
        for _ in range(4):  # with what is needed for the volume, then for smoothing it, then for its surface
            done, most = self.measured(*command, "--memory", f"{need}M")
            if done.returncode == OK:
                break
            self.assertEqual((done.returncode, done.stdout), (FAILED, ""), done.stderr)
            self.assertIn(f" {need}.0 MiB is allowed; slab by slab would need less, but ", done.stderr)
            self.assertEqual(set(self.folder.iterdir()), before)
            need = int(re.search(r": give --memory (\d+)M or more$", done.stderr)[1])
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertGreater(need, 1)
        self.assertLess(most, need + 24)  # and the program itself

    @unittest.skipIf(cli.COMMA, "not about numbers")
    def test_what_is_made_in_memory_stays_within_it(self):
        """If it needs more, nothing is written. The budget that the message names is enough."""
        large, small = self.synth("noise", 48 if cli.SANITIZED else 96), self.synth("noise", 32 if cli.SANITIZED else 80, "small.nrrd")
        for words in ([], ["--close"], ["--smooth", "1"], ["--smooth", "1", "--close"], ["--decimate", "50%"],
                      ["--smooth-mesh", "2"], ["--keep", "1"], ["--min-size", "1"], ["--iso", "100,120", "--close"]):
            value = [] if "--iso" in words else ["--iso", "110"]
            name = small if "--decimate" in words else large  # takes longest, and most memory
            command = ["extract", name, "-o", "x.ply" if words else "x.obj", *value, *words]
            self.keeps_to_what_it_asks_for(*command)
            (self.folder / "x.ply").unlink(missing_ok=True), (self.folder / "x.obj").unlink(missing_ok=True)

    @unittest.skipIf(cli.COMMA, "not about numbers")
    def test_what_is_told_in_memory_stays_within_it(self):
        name = self.synth("noise", 64 if cli.SANITIZED else 128)  # more than the first budget
        for words in (["info", "--smooth", "1"], ["info", "--iso", "110", "--smooth", "1"], ["info", "--iso", "110", "--close"],
                      ["info", "--iso", "110", "--keep", "1"], ["verify", "--iso", "110", "--close"],
                      ["verify", "--iso", "110", "--smooth", "1"], ["verify", "--smooth", "0.5", "--close"]):
            command = [words[0], name, *words[1:], "--backend", "cpu"]
            self.keeps_to_what_it_asks_for(*command)

    @unittest.skipIf(cli.COMMA, "not about numbers")
    def test_slabs_stay_within_their_memory(self):
        name = self.sparse_volume("large.nrrd", 256, range(1990, 2040), [200] * 12500)  # 512 MiB of nothing, and a block at the end
        for words in (["extract", name, "-o", "out.ply"], ["info", name], ["verify", name]):
            self.stays_within(132, *words, "--iso", "100", "--memory", "120M")

    @unittest.skipIf(cli.COMMA, "not about numbers")
    def test_a_large_volume_stays_in_its_file_though_it_would_fit(self):
        name = self.sparse_volume("large.nrrd", 256, range(1990, 2040), [200] * 12500)
        self.stays_within(132, "extract", name, "-o", "slabs.ply", "--iso", "100", "--backend", "cpu")
        answer = json.loads(self.run_program("extract", name, "-o", "slabs.ply", "--iso", "100", "--json").stdout)
        self.assertRegex(answer["backend"], "^CPU, [0-9]+ threads?; slab by slab|^CUDA")
        self.extract(name, "whole.ply", "--iso", "100", "--rung", "fused=none", "--backend", "cpu")  # rungs of one's choice: in memory
        self.assertEqual((self.folder / "slabs.ply").read_bytes(), (self.folder / "whole.ply").read_bytes())

    @unittest.skipIf(cli.COMMA, "not about numbers")
    def test_an_interruption_leaves_no_part_of_a_file(self):
        name = self.synth("noise", 128)
        self.extract(name, "whole.obj", "--iso", "100")
        whole = (self.folder / "whole.obj").stat().st_size
        self.interrupt(name, "out.obj", whole, ["v.nrrd", "whole.obj"])

    @unittest.skipIf(cli.COMMA, "not about numbers")
    def test_an_interruption_of_slabs_leaves_no_part_of_a_file(self):
        name = self.synth("noise", 128)
        self.extract(name, "whole.ply", "--iso", "100")
        self.interrupt(name, "out.ply", (self.folder / "whole.ply").stat().st_size, ["v.nrrd", "whole.ply"], "--memory", "70M")

    def interrupt(self, name, out, whole, others, *words):
        for wait in (0.05, 0.15, 0.3, 0.5):
            for stop in (signal.SIGINT, signal.SIGKILL):
                process = subprocess.Popen([cli.PROGRAM, "extract", name, "-o", out, "--iso", "100", *words], cwd=self.folder,
                                           stdout=subprocess.DEVNULL)
                time.sleep(wait)
                process.send_signal(stop)
                process.wait()
                left = {path.name: path.stat().st_size for path in self.folder.iterdir()}
                self.assertIn(left.pop(out, whole), (whole,))
                self.assertEqual(sorted(left), others)
                (self.folder / out).unlink(missing_ok=True)

    @unittest.skipIf(cli.COMMA, "not about numbers")
    def test_decimating_tells_how_far_it_is_and_can_be_interrupted(self):
        name = self.synth("noise", 64)  # 450,000 triangles: seconds, of which half a second passes in silence
        ours, theirs = pty.openpty()
        process = subprocess.Popen([cli.PROGRAM, "extract", name, "-o", "out.ply", "--iso", "100", "--decimate", "10%"],
                                   cwd=self.folder, stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        said = b""
        while said.count(b"making the surface") < 3:
            said += os.read(ours, 4096)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), -signal.SIGINT)
        os.close(ours)
        shares = [int(share) for share in re.findall(rb"surface +(\d+) %", said)]
        self.assertEqual(shares, sorted(shares))
        self.assertLess(shares[-1], 100)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["v.nrrd"])


unittest.main(argv=sys.argv[:1])
