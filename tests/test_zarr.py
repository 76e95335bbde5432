#!/usr/bin/env python3
"""Zarr on the command line: pack, and what reads it again; surfaces of a folder and of the flat file, byte for byte.
Usage: test_zarr.py ISOSCOPE"""
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
import unittest

import cli
from cli import CommandTest, FAILED, INPUT, OK, PROGRAM, SANITIZED, USAGE


class Zarr(CommandTest):
    def make(self, name="a_70x66x130_uint8.raw"):
        """A sphere, but for its units."""
        nx, ny, nz = 70, 66, 130
        data = bytes(max(0, 255 - 4 * int(((x - 33) ** 2 + (y - 30) ** 2 + (z / 2 - 30) ** 2) ** 0.5 * 2))
                     for z in range(nz) for y in range(ny) for x in range(nx))
        (self.folder / name).write_bytes(data)
        return name

    def pack(self, *words, says=None):
        done = self.run_program("pack", *words)
        self.assertEqual((done.returncode, done.stderr), (OK, f"isoscope: {says}\n" if says else ""))
        return done.stdout

    def info(self, *words):
        done = self.run_program("info", *words, "--json", "--backend", "cpu")
        self.assertEqual(done.returncode, OK, done.stderr)
        return json.loads(done.stdout)

    def test_memory_for_the_volume_but_for_no_chunk(self):
        """Then it goes slab by slab, which takes more than this."""
        self.pack(self.make(), "-o", "a.zarr")
        done = self.run_program("info", "a.zarr", "--memory", "1M")
        self.assertEqual(done.returncode, FAILED, done)
        self.assertRegex(done.stderr, r"^isoscope: a\.zarr: even slab by slab this takes .* and 1\.0 MiB are allowed")

    def test_what_does_not_fit_has_coarser_levels_or_gets_them(self):
        self.pack(self.make(), "-o", "a.zarr")  # 600 kB at its finest level
        for words, says in ((["a.zarr/0"], "make a copy that has coarser levels: isoscope pack FILE -o COPY.zarr"),
                            (["a.zarr", "--level", "0"], "choose a coarser --level")) * cli.has_window():
            self.refuses(FAILED, "render", *words, "--memory", "500K", "-o", "x.png", says=[says])

    def test_what_is_packed_is_the_volume(self):
        raw = self.make()
        said = self.pack(raw, "--spacing", "1,2,3", "-o", "a.zarr")
        self.assertRegex(said, r"^wrote a\.zarr: 70 x 66 x 130 uint8, 3 levels, \d+ bytes in 3 files\n$")
        flat, packed = self.info(raw, "--spacing", "1,2,3", "--iso", "100"), self.info("a.zarr", "--iso", "100")
        self.assertIn("level 0 of 0 to 2", packed.pop("note"))
        for answer in flat, packed:
            answer.pop("file"), answer.pop("backend")
        self.assertEqual(flat, packed)
        self.assertEqual(self.info("a.zarr", "--level", "1")["dims"], [35, 33, 65])
        self.assertEqual(self.info("a.zarr", "--level", "2")["spacing"], [4, 8, 12])
        self.assertEqual(self.info("a.zarr/zarr.json")["dims"], [70, 66, 130])
        self.assertEqual(self.info("a.zarr/1")["dims"], [35, 33, 65])
        self.refuses(USAGE, "info", "a.zarr", "--level", "3", says=["0 to 2"])
        self.refuses(USAGE, "info", raw, "--level", "1", says=["only one"])

    def test_surfaces_are_those_of_the_flat_file(self):
        raw = self.make()
        self.pack(raw, "-o", "a.zarr")
        for words in [raw, "-o", "flat.ply"], ["a.zarr", "-o", "whole.ply"], ["a.zarr", "--memory", "500K", "-o", "refused.ply"]:
            done = self.run_program("extract", *words, "--iso", "100", "--backend", "cpu")
            self.assertEqual(done.returncode, FAILED if "refused.ply" in words else OK, done.stderr)
        self.assertIn("even slab by slab", done.stderr)
        done = self.run_program("extract", "a.zarr", "--memory", "60M", "--iso", "100", "--backend", "auto", "-o", "slabs.ply")
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertEqual(self.folder.joinpath("flat.ply").read_bytes(), self.folder.joinpath("whole.ply").read_bytes())
        self.assertEqual(self.folder.joinpath("flat.ply").read_bytes(), self.folder.joinpath("slabs.ply").read_bytes())
        coarse = self.run_program("extract", "a.zarr", "--level", "1", "--iso", "100", "--backend", "cpu", "-o", "coarse.ply")
        self.assertEqual(coarse.returncode, OK)
        self.assertLess(self.folder.joinpath("coarse.ply").stat().st_size, self.folder.joinpath("flat.ply").stat().st_size / 3)

    def test_packing_again_gives_the_same(self):
        raw = self.make()
        self.pack(raw, "-o", "a.zarr")
        self.pack("a.zarr", "-o", "b.zarr", "--threads", "3", says="level 0 of 0 to 2")
        self.pack("a.zarr", "--level", "1", "-o", "c.zarr", says="level 1 of 0 to 2")
        done = subprocess.run(["diff", "-r", "a.zarr/0", "b.zarr/0"], cwd=self.folder)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.info("c.zarr")["dims"], [35, 33, 65])

    def test_missing_chunks_are_told(self):
        """Chunks of one slice by a plain writer, so that some can be lost without the others."""
        place = self.folder / "a.zarr"
        place.mkdir()
        (place / ".zarray").write_text(json.dumps({
            "zarr_format": 2, "shape": [400, 64, 64], "chunks": [1, 64, 64], "dtype": "|u1", "order": "C", "fill_value": 0,
            "filters": None, "compressor": None}))
        for z in range(0, 390):
            (place / f"{z}.0.0").write_bytes(bytes([z // 2]) * 4096)
        self.assertIn("10 of 400 chunks are not there", self.info("a.zarr")["note"])
        done = self.run_program("extract", "a.zarr", "--iso", "100", "--backend", "cpu", "-o", "whole.ply")
        self.assertEqual((done.returncode, "some of its chunks are not there" in done.stderr), (OK, True), done.stderr)
        said = "a.zarr: some of its chunks are not there and count as the fill value"
        self.pack("a.zarr", "-o", "b.zarr", says=said)
        self.pack("b.zarr", "-o", "c.zarr", says="level 0 of 0 to 3")

    def test_what_is_refused(self):
        raw = self.make()
        self.refuses(USAGE, "pack", says=["needs a file"])
        self.refuses(USAGE, "pack", raw, says=["-o OUT.zarr"])
        self.refuses(USAGE, "pack", raw, "-o", "a.nrrd", says=["must end in .zarr"])
        self.refuses(USAGE, "pack", raw, "--iso", "5", "-o", "a.zarr", says=["not an option"])
        self.refuses(INPUT, "pack", "none.nrrd", "-o", "a.zarr", says=["no such file"])
        self.refuses(FAILED, "pack", raw, "-o", "a.zarr", "--memory", "1M", says=["even band by band", "give --memory"])
        self.refuses(FAILED, "pack", raw, "-o", f"{raw}/a.zarr", says=["a.zarr: cannot be written: Not a directory"])
        self.refuses(FAILED, "pack", raw, "-o", "a" * 300 + ".zarr", says=["cannot be written: File name too long"])
        (self.folder / "a.zarr").mkdir()
        self.refuses(USAGE, "pack", raw, "-o", "a.zarr", says=["already", "another name"])

    def test_errors_of_writing_name_the_folder(self):
        (self.folder / "noise_128x128x128_uint8.raw").write_bytes(random.Random(1).randbytes(1 << 21))
        for most, what in (1000000, "a chunk"), (100, "its metadata"):
            if not SANITIZED or most > 1 << 19:  # which write files of their own
                self.refuses(FAILED, "pack", "noise_128x128x128_uint8.raw", "-o", "a.zarr",
                             says=[f"a.zarr: {what} cannot be written: File too large"],
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))

    def test_a_signal_that_is_ignored_does_not_end_it(self):
        with open(self.folder / "long_512x512x512_uint8.raw", "wb") as file:
            file.truncate(1 << 27)
        child = subprocess.Popen([PROGRAM, "pack", "long_512x512x512_uint8.raw", "-o", "a.zarr", "--memory", "200M"], cwd=self.folder,
                                 stdout=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        while child.poll() is None and not list(self.folder.glob("a.zarr*/0/c/0/0/0")):
            time.sleep(0.01)
        child.send_signal(signal.SIGHUP)
        self.assertEqual(child.wait(120), OK)

    def test_an_interrupt_leaves_nothing(self):
        with open(self.folder / "long_1024x1024x1024_uint8.raw", "wb") as file:
            file.truncate(1 << 30)
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT:
            child = subprocess.Popen([PROGRAM, "pack", "long_1024x1024x1024_uint8.raw", "-o", "a.zarr", "--memory", "200M"],
                                     cwd=self.folder, stderr=subprocess.PIPE, text=True)
            while child.poll() is None and not list(self.folder.glob("a.zarr*/0/c/0/0/0")):
                time.sleep(0.01)
            child.send_signal(number)
            said = child.communicate(timeout=120)[1]
            self.assertEqual(child.returncode, FAILED)
            self.assertIn("cancelled; nothing was written", said)
            self.assertEqual(os.listdir(self.folder), ["long_1024x1024x1024_uint8.raw"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
