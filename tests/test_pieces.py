#!/usr/bin/env python3
"""PVTP: the pieces, one after the other, are the triangles of the whole surface, corner by corner, with bit-identical positions and
normals. A list never names pieces of another surface. Also read with VTK if it is installed.

Usage: test_pieces.py ISOSCOPE [ISOSCOPE_MPI]"""
import gzip
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree

MPI = os.path.abspath(sys.argv.pop(2)) if len(sys.argv) > 2 and os.path.exists(sys.argv[2]) else None

import cli
import picture
import surfaces
from cli import FAILED, OK, USAGE


class Pieces(cli.CommandTest):
    def setUp(self):
        super().setUp()
        self.assertEqual(self.run_program("synth", "noise", "--size", "33x21x44", "-o", "v.nrrd").returncode, OK)
        self.extract("whole.vtp")
        self.whole = surfaces.read_vtp(self.folder / "whole.vtp")

    def extract(self, out, *words, iso="100", file="v.nrrd"):
        done = self.run_program("extract", file, "--iso", iso, "-o", out, *words)
        self.assertEqual(done.returncode, OK, done.stderr)
        return done

    def corners(self, surface):
        return [(*surface.positions[i], *surface.normals[i]) for face in surface.triangles for i in face]

    def voxels(self):
        return (self.folder / "v.nrrd").read_bytes().split(b"\n\n", 1)[1]

    def names(self, path):
        root = xml.etree.ElementTree.parse(self.folder / path).getroot()
        self.assertEqual((root.get("type"), [one.get("type") for one in root.iter("PDataArray")]), ("PPolyData", ["Float32"] * 2))
        return [one.get("Source") for one in root.iter("Piece")]

    def check(self, path, least):
        names, found, vertices = self.names(path), [], 0
        self.assertGreaterEqual(len(names), least)
        for name in names:
            piece = surfaces.read_vtp(self.folder / name)
            self.assertEqual(sorted({i for face in piece.triangles for i in face}), list(range(len(piece.positions))))  # none unused
            found += self.corners(piece)
            vertices += len(piece.positions)
        self.assertEqual(found, self.corners(self.whole))
        self.assertGreater(vertices, len(self.whole.positions) if least > 1 else len(self.whole.positions) - 1)

    def test_a_name_too_long_for_its_folder_is_refused_at_once(self):
        """Not once the surface is known, which nothing has here."""
        for letters, reason in ((246, "no surface"), (247, "File name too long")):
            done = self.run_program("extract", "v.nrrd", "--iso", "1e6", "-o", "n" * letters + ".pvtp")
            self.assertEqual(done.returncode, FAILED)
            self.assertIn(reason, done.stderr)
        self.extract("n" * 246 + ".pvtp")

    def test_of_one_process(self):
        done = self.extract("out.pvtp", "--memory", "50M")
        self.assertIn("wrote out.pvtp: PVTP, iso 100, %d triangles, %d vertices" % (len(self.whole.triangles), len(self.whole.positions)),
                      done.stdout)
        self.check("out.pvtp", 2)
        self.extract("one.pvtp")
        self.check("one.pvtp", 1)

    def test_of_parts(self):
        for phase in ("count", "write", "finish"):
            for k in (3, 1, 2, 4) if phase != "finish" else (4,):
                self.extract("out.pvtp", "--part", f"{k}/4", "--phase", phase)
        self.check("out.pvtp", 4)
        self.assertFalse((self.folder / "out.pvtp.parts").exists())

    @unittest.skipUnless(MPI and shutil.which("mpirun"), "there is no MPI")
    def test_of_ranks(self):
        env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "ASAN_OPTIONS": "detect_leaks=0",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "HWLOC_COMPONENTS": "-gl"}
        env.pop("DISPLAY", None)
        done = subprocess.run(["mpirun", "-n", "3", MPI, "extract", "v.nrrd", "--iso", "100", "-o", "out.pvtp"], cwd=self.folder,
                              env=env, capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, OK, done)
        self.check("out.pvtp", 3)

    def test_another_surface_leaves_the_pieces_of_the_list(self):
        self.extract("out.pvtp", "--memory", "50M")
        names = self.names("out.pvtp")
        before = {name: (self.folder / name).read_bytes() for name in names}
        self.extract("out.pvtp", "--memory", "50M", iso="120")
        self.assertFalse(set(names) & set(self.names("out.pvtp")))
        self.assertEqual({name: (self.folder / name).read_bytes() for name in names}, before)

    def test_of_voxels_that_are_read_in_order(self):
        header = (self.folder / "v.nrrd").read_bytes().split(b"encoding", 1)[0]
        size = len(self.voxels()) // 44
        for k in range(44):
            (self.folder / f"{k}.bin").write_bytes(self.voxels()[k * size:(k + 1) * size])
        (self.folder / "slices.nhdr").write_bytes(header + b"encoding: raw\ndata file: %d.bin 0 43 1\n")
        (self.folder / "z.nrrd").write_bytes(header + b"encoding: gzip\n\n" + gzip.compress(self.voxels(), 1))
        for name in ("slices.nhdr", "z.nrrd"):
            self.extract("out.pvtp", "--memory", "50M", file=name)
            self.check("out.pvtp", 2)

    def test_of_a_folder_of_slices(self):
        folder = self.folder / "slices"
        folder.mkdir()
        for k in range(20):
            (folder / f"{k}.png").write_bytes(picture.grey_png(10 * k))
        self.extract("whole.vtp", "--memory", "1G", file="slices")
        self.whole = surfaces.read_vtp(self.folder / "whole.vtp")
        self.extract("out.pvtp", file="slices")
        self.check("out.pvtp", 1)

    def test_another_component_or_time_is_another_surface(self):
        two = b"".join(bytes([v, 255 - v]) for v in self.voxels())
        header = b"NRRD0004\ntype: uint8\ndimension: 4\nsizes: 2 33 21 44\nkinds: vector space space space\nencoding: gzip\n\n"
        found = []
        for component, changed in ((0, 0), (1, 0), (1, 1)):
            (self.folder / "z.nrrd").write_bytes(header + gzip.compress(two[:-1] + bytes([changed]), 1))
            self.extract("out.pvtp", "--component", str(component), file="z.nrrd")
            found.append(self.names("out.pvtp")[0])
        self.assertEqual(len(set(found)), 3, found)

    def pieces(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.glob("out_*/*"))

    def test_other_slabs_leave_none_of_those_before(self):
        (self.folder / "out.pvtp").symlink_to("linked.pvtp")
        for memory in ("50M", "1G", "50M"):
            self.extract("out.pvtp", "--memory", memory)
            self.check("out.pvtp", 1 if memory == "1G" else 2)
            found = sorted(str(path.relative_to(self.folder)) for path in self.folder.glob("linked_*/*"))
            self.assertEqual(found, self.names("out.pvtp"))
            folder, = self.folder.glob("linked_*")
            for name in ("notes.txt", "1-2.vtp", "00000001-00000002.vtp.bak", "00000001-00000002"):  # not ours
                (folder / name).write_text("kept")
            for name in ("00000001-00000002.vtp", "100000000-100000044.vtp"):  # as a killed run leaves them
                (folder / name).write_text("stale")
            self.extract("out.pvtp", "--memory", memory)
            self.assertEqual(len(list(folder.glob("*"))), len(found) + 4)
            shutil.rmtree(folder)

    def test_a_failed_run_removes_what_it_has_made(self):
        (self.folder / "out.pvtp").write_text("old")
        (self.folder / "out.pvtp").chmod(0o444)  # which is found when the list is written
        before = self.files()
        self.refuses(FAILED, "extract", "v.nrrd", "--iso", "100", "-o", "out.pvtp", "--memory", "50M", says=["read-only"])
        self.assertEqual(self.files(), before)
        (self.folder / "out.pvtp").unlink()
        self.extract("out.pvtp", "--memory", "50M")
        names = self.pieces()
        (self.folder / "out.pvtp").chmod(0o444)
        for memory in ("50M", "1G"):  # the same pieces, another
            self.refuses(FAILED, "extract", "v.nrrd", "--iso", "100", "-o", "out.pvtp", "--memory", memory, says=["read-only"])
            self.assertEqual(self.pieces(), names)
            self.check("out.pvtp", 2)

    def interrupt(self, is_time):
        """Extracts in many slabs, and sends a signal when it is time. Returns whether the signal came before the end."""
        process = subprocess.Popen([cli.PROGRAM, "extract", "w.nrrd", "--iso", "100", "-o", "out.pvtp", "--memory", "60M"],
                                   cwd=self.folder, stdout=subprocess.DEVNULL)
        while process.poll() is None and not is_time():
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        return process.wait() == -signal.SIGINT

    def test_of_what_is_read_slice_by_slice(self):
        """Compressed voxels, in the header's file or beside it."""
        self.assertEqual(self.run_program("synth", "noise", "--size", "33x21x44", "--gzip", "-o", "z.nrrd").returncode, OK)
        head, _, voxels = (self.folder / "z.nrrd").read_bytes().partition(b"\n\n")
        (self.folder / "apart.nhdr").write_bytes(head + b"\ndata file: voxels.gz\n")
        (self.folder / "voxels.gz").write_bytes(voxels)
        for name in ("z.nrrd", "apart.nhdr"):
            done = self.run_program("extract", name, "--iso", "100", "-o", "z.pvtp")
            self.assertEqual(done.returncode, OK, done)
            self.check("z.pvtp", 1)

    def test_an_interrupted_run_removes_what_it_has_made(self):
        """But neither earlier pieces nor files from elsewhere."""
        self.assertEqual(self.run_program("synth", "noise", "--size", "64x64x256", "-o", "w.nrrd").returncode, OK)
        before, interrupted = self.files(), 0
        for count in (1, 2, 3):
            if self.interrupt(lambda: len(self.pieces()) >= count):
                self.assertEqual(self.files(), before)
                interrupted += 1
            else:
                self.assertEqual(self.names("out.pvtp"), self.pieces())
                shutil.rmtree(next(self.folder.glob("out_*")))
                (self.folder / "out.pvtp").unlink()
        self.assertGreater(interrupted, 0)
        self.assertFalse(self.interrupt(lambda: False))  # which is complete
        first = self.folder / self.pieces()[0]
        first.unlink()
        first.with_name("notes.txt").write_text("kept")
        left = self.pieces()
        if self.interrupt(first.exists):
            self.assertEqual(self.pieces(), left)

    def test_names_that_xml_escapes(self):
        self.extract('a&b<"c".pvtp')
        self.check('a&b<"c".pvtp', 1)
        self.extract('a\tb\nc\rd\u00e9\U0001f600.pvtp')
        self.check('a\tb\nc\rd\u00e9\U0001f600.pvtp', 1)

    def test_names_that_xml_cannot_hold(self):
        for name in (b"a\x01.pvtp", b"a\xff.pvtp", b"a\xed\xa0\x80.pvtp", b"a\xef\xbf\xbf.pvtp", b"a\x1b[31m.pvtp", b"a\xc3.pvtp"):
            for words in ([], ["--part", "1/2", "--phase", "count"]):
                self.refuses(USAGE, "extract", "v.nrrd", "--iso", "100", "-o", os.fsdecode(name), *words,
                             says=["a PVTP file is XML, which cannot hold this name"])
        os.mkdir(self.folder / os.fsdecode(b"\xff"))  # of the folder the list says nothing
        self.extract(os.fsdecode(b"\xff/out.pvtp"))

    def test_refusals(self):
        self.refuses(USAGE, "extract", "v.nrrd", "--iso", "100", "--close", "-o", "out.pvtp", says=["--close is possible only in memory"])
        self.refuses(FAILED, "extract", "v.nrrd", "--iso", "1e9", "-o", "out.pvtp", says=["no surface"])
        for phase, k in (("count", 1), ("count", 2), ("write", 1), ("write", 2)):
            self.extract("out.pvtp", "--part", f"{k}/2", "--phase", phase)
        folder, = self.folder.glob("out_*")
        next(folder.iterdir()).unlink()
        done = self.run_program("extract", "v.nrrd", "--iso", "100", "-o", "out.pvtp", "--part", "2", "--phase", "finish")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn("cannot be read", done.stderr)
        self.assertFalse((self.folder / "out.pvtp").exists())

    @unittest.skipUnless(importlib.util.find_spec("vtkmodules"), "there is no VTK")
    def test_vtk_reads_it(self):
        from vtkmodules.vtkIOXML import vtkXMLPPolyDataReader
        self.extract("out.pvtp", "--memory", "50M")
        reader = vtkXMLPPolyDataReader()
        reader.SetFileName(str(self.folder / "out.pvtp"))
        reader.Update()
        self.assertEqual(reader.GetOutput().GetNumberOfPolys(), len(self.whole.triangles))


if __name__ == "__main__":
    unittest.main()
