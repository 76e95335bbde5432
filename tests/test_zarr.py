#!/usr/bin/env python3
"""Zarr on the command line: pack, and what reads it again; surfaces of a folder and of the flat file, byte for byte.
Usage: test_zarr.py ISOSCOPE"""
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest

import cli
from cli import CommandTest, FAILED, INPUT, OK, PROGRAM, SANITIZED, USAGE


class Zarr(CommandTest):
    def make(self, name="a_70x66x130_uint8.raw"):
        """An ellipsoid twice as long in z, in voxels: a sphere if voxels are half as long there."""
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
        """If there is memory for the volume but not for a chunk, it goes slab by slab, which needs more than this."""
        self.pack(self.make(), "-o", "a.zarr")
        done = self.run_program("info", "a.zarr", "--memory", "1M")
        self.assertEqual(done.returncode, FAILED, done)
        self.assertRegex(done.stderr, r"^isoscope: a\.zarr: slab by slab this takes .* but only 1\.0 MiB is allowed")

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
        self.assertIsNone(flat.pop("note"))
        for answer in flat, packed:
            answer.pop("file"), answer.pop("backend")
        self.assertEqual(flat, packed)
        self.assertEqual(self.info("a.zarr", "--level", "1")["dims"], [35, 33, 65])
        self.assertEqual(self.info("a.zarr", "--level", "2")["spacing"], [4, 8, 12])
        self.assertEqual(self.info("a.zarr/zarr.json")["dims"], [70, 66, 130])
        self.assertEqual(self.info("a.zarr/1")["dims"], [35, 33, 65])
        self.refuses(USAGE, "info", "a.zarr", "--level", "3", says=["0 to 2"])
        self.refuses(USAGE, "info", raw, "--level", "1", says=["only one"])

    def test_a_wrong_bit_in_a_chunk_is_told(self):
        """Any wrong bit is found by the checksum. zstd alone would accept many as other voxels."""
        self.pack(self.make(), "-o", "a.zarr")
        self.assertIn('"crc32c"', (self.folder / "a.zarr/0/zarr.json").read_text().split('"index_codecs"')[0])
        shard = self.folder / "a.zarr/0/c/0/0/0"
        good, draw = shard.read_bytes(), random.Random(1)
        index = 16 * 2 * 2 * 3 + 4  # 64 voxels a chunk along each axis; a checksum
        for at in [draw.randrange(len(good) - index) for _ in range(40)]:
            bad = bytearray(good)
            bad[at] ^= 1 << draw.randrange(8)
            shard.write_bytes(bad)
            self.refuses(INPUT, "info", "a.zarr", says=["checksum is wrong"])
        shard.write_bytes(good)
        self.info("a.zarr")

    def make_nrrd(self, space, vectors):
        """An ellipsoid with a bump on one side, so that no reflection or rotation of it is the same."""
        nx, ny, nz = 70, 41, 24
        data = bytes(max(0, 225 - int(12 * ((x / 2 - 16) ** 2 + (y - 18) ** 2 + (z - 11) ** 2) ** 0.5) + 30 * (x > 2 * y))
                     for z in range(nz) for y in range(ny) for x in range(nx))
        head = (f"NRRD0004\ntype: uint8\ndimension: 3\nsizes: {nx} {ny} {nz}\n{space}\nspace directions: {vectors}\n"
                "space origin: (-31.7,42.25,1009.1)\nencoding: raw\n\n")
        (self.folder / "a.nrrd").write_bytes(head.encode() + data)

    def test_directions_and_world_are_kept(self):
        others = ", and so elsewhere: OME-Zarr 0.5 has no directions of axes, which isoscope keeps in an attribute of its own"
        for space, vectors, seen in (("space: LPS", "(0.78,0,0) (0,-0.78,0) (0,0,6.5)", "mirrored"),
                                     ("space: RAS", "(0,-2,0) (0,0,3) (1.1,0,0)", "mirrored and turned"),
                                     ("space dimension: 3", "(2,0,0) (-1,1.7320508,0) (0.3,0.1,3)", "sheared"),
                                     ("space: scanner-xyz", "(0.6,0.8,0) (-0.8,0.6,0) (0,0,3)", "turned"),
                                     ("space: LPS", "(0.78,0,0) (0,0.78,0) (0,0,6.5)", None)):
            with self.subTest(vectors):
                shutil.rmtree(self.folder / "a.zarr", ignore_errors=True)
                self.make_nrrd(space, vectors)
                self.pack("a.nrrd", "-o", "a.zarr", says=seen and f"other programs will see it {seen}{others}")
                flat, packed, coarse = (self.info(*words, "--iso", "150")
                                        for words in (["a.nrrd"], ["a.zarr"], ["a.zarr", "--level", "1"]))
                self.check_coarse(flat, coarse)
                for answer in flat, packed:
                    answer.pop("file"), answer.pop("backend"), answer.pop("note", None)
                self.assertEqual(flat, packed)
                self.assertEqual(flat["world"], "file" if "-xyz" in space or "dimension" in space else "LPS")
                for name in "a.nrrd", "a.zarr":
                    done = self.run_program("extract", name, "--iso", "150", "--backend", "cpu", "-o", f"{name}.ply")
                    self.assertEqual(done.returncode, OK, done.stderr)
                self.assertEqual(*(self.folder.joinpath(f"{name}.ply").read_bytes() for name in ("a.nrrd", "a.zarr")))

    def test_units_are_kept(self):
        for unit, back, times in ("um", "um", 1), ("cm", "mm", 10), ("in", "mm", 25.4), ("km", "km", 1):
            with self.subTest(unit):
                shutil.rmtree(self.folder / "a.zarr", ignore_errors=True)
                self.make_nrrd("space dimension: 3\nspace units: " + " ".join([f'"{unit}"'] * 3), "(1,0,0) (0,1,0) (0,0,2)")
                self.pack("a.nrrd", "-o", "a.zarr")
                packed = self.info("a.zarr")
                self.assertEqual(packed["unit"], back)
                for step, flat in zip(packed["spacing"], (1, 1, 2)):
                    self.assertAlmostEqual(step, times * flat, 9)

    def check_coarse(self, fine, coarse):
        """The same surface at half the resolution, along the same axes."""
        self.assertEqual(coarse["direction"], [2 * step for step in fine["direction"]])
        self.assertEqual(coarse["world"], fine["world"])
        for row in range(3):
            steps = fine["direction"][3 * row:3 * row + 3]
            self.assertAlmostEqual(coarse["origin"][row], fine["origin"][row] + sum(steps) / 2, 9)
            reach = sum(map(abs, steps))
            for corner in "box_low", "box_high":
                self.assertLess(abs(coarse[corner][row] - fine[corner][row]), reach)
        self.assertLess(abs(coarse["volume"] / fine["volume"] - 1), 0.05)

    def test_an_attribute_of_directions_that_is_edited(self):
        """Distances are taken from OME's metadata. A broken attribute is refused."""
        self.make_nrrd("space: LPS", "(0,2,0) (-1,0,0) (0,0,4)")
        self.pack("a.nrrd", "-o", "a.zarr", says="other programs will see it turned, and so elsewhere: OME-Zarr 0.5 has no "
                  "directions of axes, which isoscope keeps in an attribute of its own")
        path = self.folder / "a.zarr" / "zarr.json"
        whole = path.read_text()
        meta = json.loads(whole)
        self.assertEqual(meta["attributes"]["isoscope"], {
            "space": "left-posterior-superior", "space directions": [[0, 2, 0], [-1, 0, 0], [0, 0, 4]],
            "space origin": [-31.7, 42.25, 1009.1]})
        for axis in meta["attributes"]["ome"]["multiscales"][0]["axes"]:
            axis["unit"] = "centimeter"
        meta["attributes"]["ome"]["multiscales"][0]["datasets"][0]["coordinateTransformations"][0]["scale"] = [3, 1, 2]
        path.write_text(json.dumps(meta))
        now = self.info("a.zarr")
        self.assertEqual((now["direction"], now["unit"]), ([0, -10, 0, 20, 0, 0, 0, 0, 30], "mm"))
        self.assertEqual(now["origin"], [-317, 422.5, 10091])
        for key, value, says in (("space directions", [[1, 0, 0], [0, 1, 0]], "'space directions' in its attribute 'isoscope' is not three"),
                                 ("space directions", [[1, 0, 0], [0, 1, 0], [1, 1, 0]], "that span a volume"),
                                 ("space directions", [[1, 0, 0], [0, 1, 0], [0, 0, "1"]], "three vectors"),
                                 ("space directions", [[1, 0, 0], [0, 1, 0], [0, 0, 0]], "three vectors"),
                                 ("space directions", [[1e300, 0, 0], [0, 1e300, 0], [0, 0, 1e300]], "three vectors"),
                                 ("space directions", None, "leave the attribute out"),
                                 ("space origin", [1, 2], "'space origin' in its attribute 'isoscope' is not three numbers"),
                                 ("space origin", None, "three numbers"), ("space origin", [1e200, 0, 0], "its origin"),
                                 ("space", "RAS", "'space' in its attribute 'isoscope' is not 'left-posterior-superior'"),
                                 ("space", 3, "left-posterior")):
            with self.subTest(value):
                meta = json.loads(whole)
                meta["attributes"]["isoscope"][key] = value
                path.write_text(json.dumps(meta))
                self.refuses(INPUT, "info", "a.zarr", says=["a.zarr: ", says])

    def test_a_transformation_that_lacks_a_number_is_ignored_and_named(self):
        self.make_nrrd("space: LPS", "(2,0,0) (0,3,0) (0,0,4)")
        self.pack("a.nrrd", "-o", "a.zarr")
        path = self.folder / "a.zarr" / "zarr.json"
        meta = json.loads(path.read_text())
        change = meta["attributes"]["ome"]["multiscales"][0]["datasets"][0]["coordinateTransformations"][0]
        del meta["attributes"]["isoscope"]
        self.assertEqual(change["scale"], [4, 3, 2])
        for wrong in [4, 3], [4, 3, 2, 1], [4, "3", 2], 4, None:
            with self.subTest(wrong):
                change["scale"] = wrong
                path.write_text(json.dumps(meta))
                done = self.run_program("info", "a.zarr", "--json")
                self.assertEqual(done.returncode, OK, done.stderr)
                self.assertEqual(json.loads(done.stdout)["spacing"], [1, 1, 1])
                self.assertIn("its 'scale' is ignored, because it is not a number for each of the 3 axes", done.stdout)

    def test_surfaces_are_those_of_the_flat_file(self):
        raw = self.make()
        self.pack(raw, "-o", "a.zarr")
        for words in [raw, "-o", "flat.ply"], ["a.zarr", "-o", "whole.ply"], ["a.zarr", "--memory", "500K", "-o", "refused.ply"]:
            done = self.run_program("extract", *words, "--iso", "100", "--backend", "cpu")
            self.assertEqual(done.returncode, FAILED if "refused.ply" in words else OK, done.stderr)
        self.assertIn("slab by slab", done.stderr)
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
        self.pack("a.zarr", "-o", "b.zarr", "--threads", "3", says="a.zarr: level 0 of 0 to 2")
        self.pack("a.zarr", "--level", "1", "-o", "c.zarr", says="a.zarr: level 1 of 0 to 2")
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
        self.assertEqual((done.returncode, "a.zarr: 10 of 400 chunks are not there" in done.stderr), (OK, True), done.stderr)
        said = "a.zarr: some of its chunks are not there and count as the fill value"
        self.pack("a.zarr", "-o", "b.zarr", says=said)
        words = "extract", "a.zarr", "--iso", "100", "-o", "slabs.pvtp"
        done = self.run_program(*words)
        self.assertEqual((done.returncode, done.stderr), (OK, f"isoscope: {said}\n"))
        done = self.run_program(*words, "--json")
        self.assertEqual((done.returncode, done.stderr), (OK, ""))
        self.assertEqual(f"a.zarr: {json.loads(done.stdout)['note']}", said)
        self.pack("b.zarr", "-o", "c.zarr", says="b.zarr: level 0 of 0 to 3")

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

    def test_too_many_voxels_name_the_file(self):
        """Also if only what they become is too large: of 1400000^3 values, 2 bytes each fit 63 bits, but not 4."""
        (self.folder / "huge.zarr").mkdir()
        for n, kind in ((1400000, "<f2"), (3000000, "|u1")):
            (self.folder / "huge.zarr/.zarray").write_text(json.dumps(
                {"zarr_format": 2, "shape": [n] * 3, "chunks": [64] * 3, "dtype": kind, "compressor": None, "fill_value": 0,
                 "order": "C", "filters": None}))
            self.refuses(INPUT, "info", "huge.zarr", says=["huge.zarr: ", "voxels are too many"])

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

    def interrupts_leave_nothing(self, size, *words):
        name = f"long_{size}x{size}x{size}_uint8.raw"
        with open(self.folder / name, "wb") as file:
            file.truncate(size ** 3)
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT:
            child = subprocess.Popen([PROGRAM, "pack", name, "-o", "a.zarr", *words], cwd=self.folder, stderr=subprocess.PIPE,
                                     text=True)
            while child.poll() is None and not list(self.folder.glob("a.zarr*/0/c/0/0/0")):
                time.sleep(0.01)
            child.send_signal(number)
            said = child.communicate(timeout=120)[1]
            self.assertEqual(child.returncode, FAILED)
            self.assertIn("cancelled; nothing was written", said)
            self.assertEqual(os.listdir(self.folder), [name])

    def test_an_interrupt_leaves_nothing(self):
        self.interrupts_leave_nothing(1024, "--memory", "200M")

    def test_an_interrupt_leaves_nothing_of_a_volume_in_memory(self):
        """Which other threads have loaded."""
        self.interrupts_leave_nothing(256, "--order", "zyx", "--threads", "2")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
