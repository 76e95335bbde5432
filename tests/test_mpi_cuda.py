#!/usr/bin/env python3
"""Slabs on CUDA: isoscope-mpi with several ranks, which take one GPU of their host each in turn, and parts without MPI. As long as
the volume's axes are those of the world, the bytes are those of one process on the CPU. If not, both are never mixed.

Usage: test_mpi_cuda.py [ISOSCOPE ISOSCOPE_MPI ISOSCOPE_MPI_FAULTS]. Without CUDA or MPI: skipped (77)."""
import json
import subprocess
import sys
import tempfile
import unittest

import ranks
from ranks import NO_CUDA, OK, SHAPES, TYPES, USAGE

CUDA = ["--backend", "cuda"]


def skip_without_gpu():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([ranks.PROGRAM, "synth", "gyroid", "--size", "8", "-o", "v.nrrd"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
        done = subprocess.run([ranks.PROGRAM, "info", "v.nrrd", *CUDA], cwd=folder, capture_output=True, text=True)
    if done.returncode == NO_CUDA:
        print(f"skipped: {done.stderr.strip()}")
        sys.exit(77)


class Gpus(ranks.RanksTest):
    def test_the_bytes_of_the_cpu(self):
        turn = 0
        for kind in TYPES:
            for shape in SHAPES:
                name, ending, n = self.write(kind, shape), ("ply", "stl", "vtp")[turn % 3], (2, 1, 3, 5)[turn % 4]
                value, memory = ("5", "4.5")[turn % 2], ("52M", "64M", "1G")[turn // 3 % 3]
                turn += 1
                made = self.run_program("extract", name, "--iso", value, "-o", f"one.{ending}", "--backend", "cpu")
                self.assertEqual(made.returncode, OK, made)
                words = ["extract", name, "--iso", value, "-o", f"many.{ending}", "--memory", memory, "--json", *CUDA]
                done = self.mpirun(words, n)
                self.assertEqual(done.returncode, OK, done)
                self.assertIn("CUDA on ", json.loads(done.stdout)["backend"])
                self.assertTrue(self.same(f"one.{ending}", f"many.{ending}"), f"{name} by {n} ranks")
        self.assertFalse(list(self.folder.glob("*.parts")))

    def test_parts(self):
        """One of the parts is made on the CPU, which makes no difference here."""
        name = self.write("uint16", SHAPES[1])
        self.assertEqual(self.run_program("extract", name, "--iso", "5", "-o", "one.ply", "--backend", "cpu").returncode, OK)
        for phase, parts in (("count", ("1/3", "2/3", "3/3")), ("write", ("3/3", "1/3", "2/3")), ("finish", ("3",))):
            for part in parts:
                words = ["extract", name, "--iso", "5", "-o", "many.ply", "--memory", "64M", "--part", part, "--phase", phase]
                done = self.run_program(*words, *(CUDA if part != "2/3" else ["--backend", "cpu"]))
                self.assertEqual(done.returncode, OK, done)
        self.assertTrue(self.same("one.ply", "many.ply"))

    def test_several_values(self):
        name = self.write("uint8", SHAPES[1])
        self.assertEqual(self.mpirun(["extract", name, "--iso", "3,6", "-o", "many_%.ply", *CUDA], 2).returncode, OK)
        for value in (3, 6):
            self.run_program("extract", name, "--iso", value, "-o", "one.ply", "--backend", "cpu")
            self.assertTrue(self.same("one.ply", f"many_{value}.ply"))

    def test_bench(self):
        done = self.mpirun(["bench", self.write("uint8", SHAPES[1]), "--iso", "5", "-o", "new.ply", "--json", *CUDA], 2)
        self.assertEqual(done.returncode, OK, done)
        answer = json.loads(done.stdout)
        self.assertEqual((answer["backend"], len(answer["ranks"])), ("cuda", 2))

    def test_bench_in_memory(self):
        name = self.write("uint8", SHAPES[1])
        surface = json.loads(self.run_program("info", name, "--iso", "5", "--json", "--backend", "cpu").stdout)
        for rung in ("fused=brick", "fused=ordered", "fused=none"):
            done = self.mpirun(["bench", name, "--iso", "5", "--rung", rung, "--json", *CUDA], 2)
            self.assertEqual(done.returncode, OK, done)
            answer = json.loads(done.stdout)
            self.assertEqual([answer[key] for key in ("backend", "vertices", "triangles")],
                             ["cuda", surface["vertices"], surface["triangles"]])
            self.assertGreaterEqual(min(row["gpu"] for row in answer["ranks"]), 0)

    def test_oblique_axes_are_not_mixed(self):
        """A rank is killed, and the other backend does not continue its work."""
        head = ("NRRD0004\ntype: uint8\ndimension: 3\nsizes: 64 31 130\nencoding: raw\nspace: left-posterior-superior\n"
                "space directions: (1,0.3,0) (0,1,0.1) (0.2,0,1)\n\n")
        voxels = (self.folder / self.write("uint8", SHAPES[1])).read_bytes()
        (self.folder / "oblique.nrrd").write_bytes(head.encode() + voxels)
        words = ["extract", "oblique.nrrd", "--iso", "5", "-o", "out.ply", "--memory", "52M"]
        self.assertNotEqual(self.mpirun([*words, *CUDA], ranks=["", "kill:20"]).returncode, OK)
        done = self.mpirun([*words, "--backend", "cpu"], 2)
        self.assertEqual((done.returncode, len(done.said)), (USAGE, 1), done)
        self.assertIn("coordinates by cuda", done.said[0])
        self.assertEqual(self.mpirun([*words, *CUDA], 2).returncode, OK)


if __name__ == "__main__":
    skip_without_gpu()
    unittest.main()
