#!/usr/bin/env python3
"""What commands say of a volume and its surface besides numbers: the loader's notes, that there is no surface, where a part far
from the origin lies, how many voxels are inside if there are no cells. Usage: test_answers.py ISOSCOPE"""
import array
import json
import struct
import unittest

import cli
from cli import FAILED, OK

BYTE_ORDER = "no byte order given; little-endian assumed"


class Answers(cli.CommandTest):
    def box(self, name, *head, n=(12, 12, 12)):
        """A block of 40 within 10, inside all borders."""
        inside = [[2 <= i < n[a] - 3 for i in range(n[a])] for a in range(3)]
        voxels = bytes(40 if inside[0][x] and inside[1][y] and inside[2][z] else 10
                       for z in range(n[2]) for y in range(n[1]) for x in range(n[0]))
        lines = ["NRRD0004", "type: uint8", "dimension: 3", "sizes: " + " ".join(map(str, n)), "encoding: raw", *head]
        (self.folder / name).write_bytes("\n".join(lines).encode() + b"\n\n" + voxels)
        return name

    def raw16(self):
        """A RAW file of 16 bits whose name does not say the byte order."""
        name = "block_20x20x20_uint16.raw"
        voxels = array.array("H", (40 if all(5 < i < 14 for i in (x, y, z)) else 10
                                   for z in range(20) for y in range(20) for x in range(20)))
        (self.folder / name).write_bytes(voxels.tobytes())
        return name

    # ---- notes -------------------------------------------------------------------------------------------------------

    def test_notes_are_said_once(self):
        name = self.raw16()
        said = f"isoscope: {name}: {BYTE_ORDER}\n"
        commands = [("extract", "-o", "a.ply"), ("extract", "-o", "a_%.ply", "--iso", "20,30"), ("verify",), ("bench", "--runs", 5),
                    ("bench", "-o", "b.ply", "--iso", 25), ("pack", "-o", "a.zarr")]
        if cli.has_window():
            commands += [("render", "-o", "a.png", "--size", "32x32")]
        for command, *words in commands:
            done = self.run_program(command, name, *words)
            self.assertEqual((done.returncode, done.stderr.count(BYTE_ORDER)), (OK, 1), (command, done.stderr))
            self.assertIn(said, done.stderr)

    def test_notes_are_in_json(self):
        name = self.raw16()
        for command, *words in (("info",), ("extract", "-o", "a.ply"), ("verify",), ("bench", "--runs", 5),
                                ("bench", "-o", "b.ply", "--iso", 25)):
            done = self.run_program(command, name, "--json", *words)
            self.assertEqual((done.returncode, done.stderr), (OK, ""), command)
            self.assertEqual(json.loads(done.stdout)["note"], BYTE_ORDER, command)
        done = self.run_program("extract", name, "--json", "-o", "a_%.ply", "--iso", "20,30")
        self.assertEqual([one["note"] for one in json.loads(done.stdout)["files"]], [BYTE_ORDER] * 2)
        done = self.run_program("verify", self.box("box.nrrd"), "--json")
        self.assertEqual((done.stderr, json.loads(done.stdout)["note"]), ("", None))

    def test_notes_by_slabs(self):
        name = "ramp_256x256x512_uint16.raw"
        layer = array.array("H", (100 + i % 256 // 8 for i in range(256 * 256))).tobytes()
        (self.folder / name).write_bytes(layer * 512)
        for command, *words in (("extract", "-o", "a.ply"), ("verify",)):
            words += ["--iso", "110.5", "--memory", "60M"]
            done = self.run_program(command, name, *words)
            self.assertEqual((done.returncode, done.stderr.count(BYTE_ORDER)), (OK, 1), done.stderr)
            done = self.run_program(command, name, "--json", *words)
            self.assertEqual((done.returncode, done.stderr), (OK, ""))
            self.assertEqual(json.loads(done.stdout)["note"], BYTE_ORDER)

    def test_end_of_a_format_is_no_surplus(self):
        """The elements that end a VTI file after its raw values are not surplus bytes."""
        head = ('<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt32"><ImageData '
                'WholeExtent="0 7 0 7 0 7" Origin="0 0 0" Spacing="1 1 1"><Piece Extent="0 7 0 7 0 7"><PointData Scalars="p">'
                '<DataArray type="UInt8" Name="p" format="appended" offset="0"/></PointData></Piece></ImageData>\n'
                '<AppendedData encoding="raw">_').encode()
        (self.folder / "end.vti").write_bytes(head + struct.pack("<I", 512) + bytes(range(256)) * 2 +
                                              b"\n  </AppendedData>\n</VTKFile>\n")
        done = self.run_program("info", "end.vti", "--json")
        self.assertEqual((done.returncode, done.stderr, json.loads(done.stdout)["note"]), (OK, "", None))

    def test_parts_leave_the_note_to_the_last(self):
        name = self.raw16()
        words = ["extract", name, "-o", "a.ply", "--iso", "25"]
        steps = [["--part", f"{k}/2", "--phase", phase] for phase in ("count", "write") for k in (1, 2)]
        for step in steps:
            self.assertEqual(self.run_program(*words, *step).stderr, "")
        done = self.run_program(*words, "--part", "2", "--phase", "finish")
        self.assertEqual((done.returncode, done.stderr.count(BYTE_ORDER)), (OK, 1), done.stderr)

    def test_frames(self):
        """A film shows all frames, so no note says which one is shown."""
        self.box("series.nrrd")
        head, voxels = (self.folder / "series.nrrd").read_bytes().split(b"\n\n", 1)
        head = head.replace(b"dimension: 3", b"dimension: 4").replace(b"12 12 12", b"12 12 12 2") + b"\nkinds: domain domain domain time"
        (self.folder / "series.nrrd").write_bytes(head + b"\n\n" + voxels * 2)
        done = self.run_program("extract", "series.nrrd", "-o", "a.ply")
        self.assertIn("series.nrrd: frame 0 of 2, counted from 0\n", done.stderr)
        if cli.has_window():
            done = self.run_program("render", "series.nrrd", "-o", "f%d.png", "--frames", "--size", "32x32")
            self.assertEqual(done.returncode, OK, done.stderr)
            self.assertNotIn("frame 0", done.stderr)

    # ---- no surface --------------------------------------------------------------------------------------------------

    @unittest.skipIf(cli.COMMA, "a message")
    def test_verify_of_no_surface(self):
        """Nothing was checked, and no script may take that for a sound mesh."""
        name = self.box("box.nrrd")
        for words in ((), ("--json",), ("--backend", "cpu", "--rung", "fused=none")):
            self.refuses(FAILED, "verify", name, "--iso", "50", *words, says=["no surface: 50 lies outside", "10 to 40", "checked"])
        self.refuses(FAILED, "verify", name, "--iso", "10", says=["no surface", "10 or more"])
        flat = self.box("flat.nrrd", n=(12, 12, 1))
        self.refuses(FAILED, "verify", flat, "--iso", "20", says=["no surface", "no cells"])
        (self.folder / "large_256x256x1024_uint8.raw").write_bytes(bytes(range(1, 129)) * 2**19)
        self.refuses(FAILED, "verify", "large_256x256x1024_uint8.raw", "--iso", "200", "--memory", "60M", says=["outside", "1 to 128"])
        done = self.run_program("verify", name, "--iso", "5", "--close")  # caps all around
        self.assertEqual(done.returncode, OK, done.stderr)

    # ---- info --------------------------------------------------------------------------------------------------------

    def test_empty_surface_is_said(self):
        for value in ("-1", "99"):
            done = self.run_program("info", self.ramp(), "--iso", value)
            self.assertEqual(done.returncode, OK)
            self.assertIn("no surface", done.stderr)
            self.assertIn("0 to 30", done.stderr)

    def test_a_value_next_to_the_range_is_told_apart(self):
        """The largest float below 0.7 is less than 0.7; at that float itself there is a surface."""
        least = struct.unpack("<f", struct.pack("<f", 0.7))[0]
        values = [0.0, least] * 32
        (self.folder / "v_4x4x4_float32.raw").write_bytes(struct.pack("<64f", *values))
        done = self.run_program("info", "v_4x4x4_float32.raw", "--iso", "0.7")
        self.assertEqual(done.returncode, OK)
        self.assertIn("0.7 lies outside the values of the volume, 0 to 0.69999999", done.stderr)
        for iso in (repr(least), "0.69999998"):
            done = self.run_program("info", "v_4x4x4_float32.raw", "--iso", iso, "--json")
            self.assertEqual((done.stderr, json.loads(done.stdout)["voxels_inside"]), ("", 32))
        done = self.run_program("info", "v_4x4x4_float32.raw", "--iso", "-1e-9")
        self.assertIn("-1e-09 lies outside the values of the volume, 0 to 0.7", done.stderr)

    def test_parts_far_from_the_origin(self):
        far = self.box("far.nrrd", "space dimension: 3", "space directions: (0.001,0,0) (0,0.001,0) (0,0,0.001)",
                       "space origin: (500000,-500000,0)")
        text = self.run_program("info", far, "--iso", "25").stdout
        part = json.loads(self.run_program("info", far, "--iso", "25", "--json").stdout)["parts"][0]
        shown = [float(word) for word in text.splitlines()[-1].replace(" to ", " ").split()[3:]]
        for a in range(3):
            self.assertLess(abs(shown[2 * a] - part["low"][a]), 1e-5)
            self.assertLess(abs(shown[2 * a + 1] - part["high"][a]), 1e-5)
        near = self.run_program("info", self.box("near.nrrd"), "--iso", "25").stdout
        self.assertRegex(near.splitlines()[-1], r" 1\.5 to 8\.5 +1\.5 to 8\.5 +1\.5 to 8\.5$")

    def test_voxels_inside_without_cells(self):
        for n in ((12, 12, 1), (12, 1, 12), (1, 12, 12), (12, 1, 1)):
            voxels = bytes(i % 7 for i in range(n[0] * n[1] * n[2]))
            name = f"thin_{n[0]}x{n[1]}x{n[2]}_uint8.raw"
            (self.folder / name).write_bytes(voxels)
            for words in ((), ("--rung", "fused=none")):
                told = json.loads(self.run_program("info", name, "--iso", "3", "--json", *words).stdout)
                self.assertEqual((told["voxels_inside"], told["triangles"]), (sum(v >= 3 for v in voxels), 0), (name, words))
        name = "thin_1x4096x16384_uint8.raw"
        (self.folder / name).write_bytes(bytes(range(256)) * 2**18)
        done = self.run_program("info", name, "--iso", "128", "--json", "--memory", "60M")
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertEqual(json.loads(done.stdout)["voxels_inside"], 2**25)


unittest.main()
