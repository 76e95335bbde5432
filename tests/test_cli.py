#!/usr/bin/env python3
"""The command line for people and for programs: answers, messages, exit codes, and no files left behind.
Usage: test_cli.py ISOSCOPE; cli.py has more."""
import gzip
import json
import math
import os
import pathlib
import resource
import shlex
import struct
import subprocess
import unittest

import cli
from cli import FAILED, INPUT, NO_CUDA, NO_GL, OK, USAGE

WINDOW = cli.has_window()
COMMANDS = [""] * WINDOW + cli.commands()  # "": the window's


class CommandLine(cli.CommandTest):
    # ---- help ------------------------------------------------------------------------------------------------------

    def test_help_and_version_go_to_stdout(self):
        for words in (["--help"], ["-h"], ["--help", "rungs"], ["--version"], *([name, "--help"] for name in cli.commands())):
            done = self.run_program(*words)
            self.assertEqual((done.returncode, done.stderr), (OK, ""))
            self.assertIn("isoscope", done.stdout)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), 120)

    def test_help_has_a_page_per_subject(self):
        """No command repeats the rungs and keys, and each page can be reached from the first."""
        for command in COMMANDS:
            text = self.run_program(*[command] * bool(command), "--help").stdout
            self.assertNotIn("textbook rows", text)
            self.assertNotIn("next, previous rung", text)
            self.assertEqual(self.run_program("--help", *[command] * bool(command)).stdout, text)
        self.assertIn("Usage: isoscope info", self.run_program("info", "--help", "render").stdout)
        self.assertEqual(self.run_program("help").stdout, self.run_program("--help").stdout)
        self.assertEqual(self.run_program("help", "render").stdout, self.run_program("render", "--help").stdout)
        self.assertEqual(self.run_program("version").stdout, self.run_program("--version").stdout)
        self.assertEqual("--version" in self.run_program("--help").stdout, cli.has_window(), "it is among the window's options")
        for words in (["--help", "nothing"], ["help", "nothing"]):
            self.refuses(USAGE, *words, says=["there is no help on 'nothing': isoscope --help COMMAND"])

    def test_examples_are_right(self):
        """Each command has examples, and the program understands them. With --help appended they are parsed but do nothing."""
        for command in COMMANDS:
            text = self.run_program(*[command] * bool(command), "--help").stdout
            lines = text.split("Examples:\n", 1)[1].split("\n\n", 1)[0].splitlines()
            self.assertGreaterEqual(len(lines), 2)
            for line in lines:
                words = shlex.split(line.strip().split("  ")[0])
                self.assertEqual(words[0], "isoscope")
                self.assertEqual(words[1:2] == [command] or not command, True, line)
                done = self.run_program(*words[1:], "--help")
                self.assertEqual((done.returncode, done.stderr), (OK, ""), line)

    def test_help_names_every_rung(self):
        text = self.run_program("--help", "rungs").stdout
        for word in ("bricks", "classify", "scan", "compact", "generate", "sort", "textbook", "*"):
            self.assertIn(word, text)

    @unittest.skipUnless(WINDOW, "built without OpenGL")
    def test_the_manual_lists_the_keys(self):
        """docs/MANUAL.md has a row for each key in --help keys, in the same words."""
        manual = (pathlib.Path(__file__).parent.parent / "docs/MANUAL.md").read_text()
        rows = self.run_program("--help", "keys").stdout.splitlines()[1:]
        self.assertGreater(len(rows), 20)
        for row in rows:
            name, does = row[2:30].strip(), row[31:]
            self.assertIn(f"| {name} | {does} |", manual)

    # ---- usage errors ----------------------------------------------------------------------------------------------

    def test_wrong_options(self):
        name = self.ramp()
        self.refuses(USAGE, "info", name, "--isoo", "3", says=["--isoo", "did you mean --iso"])
        self.refuses(USAGE, "info", name, "--isovalue", "3", says=["unknown option --isovalue: did you mean --iso?"])
        self.refuses(USAGE, "info", name, "-iso", "3", says=["unknown option -iso: did you mean --iso?"])
        self.refuses(USAGE, "bench", name, "-n5", says=["unknown option -n5: put a space between -n and 5"])
        self.refuses(USAGE, "info", name, "-n5", says=["unknown option -n5: see isoscope info --help"])
        self.refuses(USAGE, "info", name, "--isoo=3", says=["unknown option --isoo:", "did you mean --iso"])
        self.refuses(USAGE, "info", name, "--runs=3", says=["--runs is not an option of"])
        self.refuses(USAGE, name, "--frobnicate", says=["see isoscope --help"])
        self.refuses(USAGE, "info", name, "--iso", says=["--iso needs a value"])
        for words in (["--keep", "2"], ["--min-size", "3"], ["--close"], ["--topology", "fixed"], ["--exact-positions"]):
            self.refuses(USAGE, "info", name, *words, says=[words[0], "--iso"])
        self.refuses(USAGE, "info", name, "--iso", "nan", says=["nan"])
        self.refuses(USAGE, "info", name, "--iso", "3,5", says=["3,5"])
        self.refuses(USAGE, "info", name, "--iso=inf")
        self.refuses(USAGE, "info", name, "--json=1")
        self.refuses(USAGE, "info", name, "--backend", "opencl", says=["auto, cpu or cuda"])
        self.refuses(USAGE, "info", name, "--threads", "0")
        self.refuses(USAGE, "info", name, "--rung", "scan")
        self.refuses(USAGE, "info", name, "--rung", "scan=fastest", "--backend", "cpu", says=["fastest", "textbook", "threads"])
        self.refuses(USAGE, "info", name, "--order", "zxy", says=["xyz or zyx"])
        self.refuses(USAGE, "info", name, "other.raw")
        self.refuses(USAGE, "rendr", name, says=["unknown command 'rendr'", "did you mean render"])
        for words in ((), (name,)):
            self.refuses(USAGE, "--backend", "cpu", "info", *words, says=["'info' comes after an option", "isoscope info ..."])
        self.refuses(USAGE, name, "-z", says=["unknown option -z: see isoscope --help"])
        self.refuses(USAGE, "info")
        self.refuses(USAGE, "render", name, "--size", "0x10")
        for scale in ("0.4", "9", "-1", "wide"):
            self.refuses(USAGE, name, "--ui-scale", scale, says=[scale, "0.5 to 8"])
        self.refuses(USAGE, "render", name, "--seed", "1")
        for words in (["--slice", "x=1+,x=2"], ["--crop", "x=1:2,y=1:2,x=:3"]):
            self.refuses(USAGE, "render", name, *words, says=[words[1], "per axis"])
        self.refuses(USAGE, "synth", "sphere")
        self.refuses(USAGE, "synth", "cube", "-o", "x.nrrd", says=["cube", "sphere"])
        self.refuses(USAGE, "synth", "sphere", "-o", "x.raw", says=[".nrrd"])

    def test_what_a_file_has_one_of(self):
        for name in (self.ramp(), self.vessels()):
            for words in (["--array", "x"], ["--series", 7], ["--frame", 1], ["--component", 1], ["--level", 1]):
                self.refuses(USAGE, "info", name, *words, says=[f"{words[0]} {words[1]}: the file has only one"])
        self.assertEqual(self.run_program("pack", "v.nrrd", "-o", "v.zarr/").returncode, OK)  # as a shell completes it
        (self.folder / "v.nrrd.gz").write_bytes(gzip.compress((self.folder / "v.nrrd").read_bytes()))
        self.refuses(USAGE, "info", "v.nrrd.gz", "--array", "x", says=["v.nrrd.gz: --array x"])
        self.refuses(USAGE, "info", "v.zarr", "--series", 7, says=["--series 7: the file has only one"])
        self.assertEqual(self.run_program("info", "v.zarr", "--array", "0").returncode, OK)

    def test_dims_with_a_capital_x(self):
        self.ramp("v.bin")
        self.assertEqual(self.run_program("info", "v.bin", "--dims", "4X4X4", "--type", "uint8").returncode, OK)
        for wrong in ("4X4", "4X4X", "4", "4X4X4X4", "4Y4Y4"):
            self.refuses(USAGE, "info", "v.bin", "--dims", wrong, "--type", "uint8", says=[wrong, "like 256x256x128"])

    def test_words_that_no_command_takes(self):
        self.refuses(USAGE, "doctor", "x", says=["doctor", "'x'"])
        self.refuses(USAGE, "doctor", "--", "x", says=["'x'"])
        self.refuses(USAGE, "ladder", "sum", "scan", says=["no rung", "'scan'", "textbook"])
        self.refuses(USAGE, "ladder", "sum", "textbook", "x", says=["one OP", "'x'"])
        self.refuses(USAGE, "synth", "sphere", "torus", "-o", "x.nrrd", says=["one NAME", "'torus'"])
        for command in ("info", "render", "extract", "bench"):
            self.refuses(USAGE, command, self.ramp(), "other.raw", says=["one FILE", "'other.raw'"])
        self.refuses(USAGE, self.ramp(), "other.raw", says=["one FILE", "PageDown", "'other.raw'"])

    # ---- what files and command lines may contain ------------------------------------------------------------------

    ODD = "a\x1b]0;title\a\x7f\udc9b2J\udcff\u009b"  # OSC, BEL, DEL, a lone 0x9b, 0xff, and CSI as one character of C1
    SHOWN = "a\\x1b]0;title\\x07\\x7f\ufffd2J\ufffd\\x9b"

    def harmless(self, text):
        self.assertNotRegex(text, r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")

    def test_control_characters_are_shown(self):
        name = self.ramp(f"{self.ODD}_4x4x4_uint8.raw")
        plain = self.run_program("info", name)
        self.assertEqual(plain.returncode, OK, plain.stderr)
        self.assertIn(self.SHOWN, plain.stdout)
        self.harmless(plain.stdout)
        for command in ("info", "verify", "bench"):
            plain = self.run_program(command, name, "--iso", 15)
            self.assertIn(self.SHOWN, plain.stdout, command)
            self.harmless(plain.stdout)
            answer = json.loads(self.run_program(command, name, "--iso", 15, "--json").stdout)
            self.assertEqual(answer["file"], "a\x1b]0;title\a\x7f\ufffd2J\ufffd\u009b_4x4x4_uint8.raw")
        (self.folder / "a\tb.raw").write_bytes(bytes(64))
        answer = json.loads(self.run_program("info", "a\tb.raw", "--dims", "4x4x4", "--type", "uint8", "--json").stdout)
        self.assertTrue((self.folder / answer["file"]).exists())
        self.assertEqual(self.run_program("pack", name, "-o", "x.zarr").returncode, OK)
        self.harmless((self.folder / "x.zarr/zarr.json").read_text().replace("\n", ""))
        out = f"{self.ODD}.ply"
        done = self.run_program("extract", name, "--iso", 15, "-o", out)
        self.assertEqual(done.returncode, OK)
        self.assertIn(f"wrote {self.SHOWN}.ply", done.stdout)
        self.harmless(done.stdout)
        done = self.run_program("extract", name, "--iso", 15, "-o", out, "--json")
        self.harmless(done.stdout)
        self.assertEqual(json.loads(done.stdout)["file"], "a\x1b]0;title\a\x7f\ufffd2J\ufffd\u009b.ply")
        for words in (["info", self.ODD], ["info", self.ramp(), f"--{self.ODD}"], ["info", self.ramp(), "--iso", self.ODD],
                      ["info", self.ramp(), "--rung", f"scan={self.ODD}"], ["ladder", self.ODD], ["doctor", self.ODD],
                      ["synth", self.ODD, "-o", "x.nrrd"], ["bench", self.ramp(), "--pipeline", self.ODD]):
            done = self.run_program(*words)
            self.assertIn(done.returncode, (USAGE, INPUT))
            self.assertIn(self.SHOWN, done.stderr)
            self.harmless(done.stderr)
        done = self.run_program("bench", self.ramp(), "--runs", 5, "--save", f"{self.ODD}.md")
        self.assertIn(f"saved in {self.SHOWN}.md", done.stdout)

    def test_control_characters_in_headers_are_shown(self):
        header = "NRRD0004\ntype: \x1b[31m\udc9b\ndimension: 3\nsizes: 4 4 4\nencoding: raw\n\n"
        (self.folder / "x.nrrd").write_bytes(os.fsencode(header) + bytes(64))
        done = self.run_program("info", "x.nrrd")
        self.assertEqual(done.returncode, INPUT)
        self.assertIn("\\x1b[31m", done.stderr)
        self.harmless(done.stderr)

    # ---- where results go ------------------------------------------------------------------------------------------

    def test_small_stacks_are_refused(self):
        words = ["info", self.ramp(), "--iso", 15, "--threads", 4]
        for name, size in (("OMP_STACKSIZE", "16k"), ("OMP_STACKSIZE", " 63 "), ("OMP_STACKSIZE", "16384 B"),
                           ("GOMP_STACKSIZE", "16K")):
            self.refuses(USAGE, *words, environment={name: size}, says=[f"{name}={size} ", "64k or more"])
        for size in ("64k", "1 M", "65536b", "1g", "", "small", "16kk", "16x"):  # OpenMP ignores what it does not understand
            self.assertEqual(self.run_program(*words, environment={"OMP_STACKSIZE": size}).returncode, OK, size)

    def test_more_threads_than_there_can_be_are_refused(self):
        words = ["info", self.ramp(), "--iso", 15]
        for number in ("1025", "100000", "100000,2", "2147483647"):
            self.refuses(USAGE, *words, environment={"OMP_NUM_THREADS": number}, says=[f"OMP_NUM_THREADS={number}: ", "1024"])
        self.assertEqual(self.run_program(*words, "--threads", 2, environment={"OMP_NUM_THREADS": "100000"}).returncode, OK)
        self.assertEqual(self.run_program(*words, environment={"OMP_NUM_THREADS": "3"}).returncode, OK)

    def test_the_root_has_a_name(self):
        self.refuses(INPUT, "info", "/", says=["isoscope: /: "])

    @unittest.skipUnless(WINDOW, "built without OpenGL")
    @unittest.skipIf(cli.SANITIZED, "sanitizers need more memory than the limit")
    def test_opengl_needs_address_space(self):
        """Too little address space: software OpenGL once ended the process with a message of its own, or with none."""
        def few_addresses():
            resource.setrlimit(resource.RLIMIT_AS, (512 << 20, 512 << 20))

        self.ramp()
        for words, code in ((["render", "ramp_4x4x4_uint8.raw", "-o", "x.png"], NO_GL), (["doctor"], OK)):
            done = self.run_program(*words, preexec_fn=few_addresses)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn("512.0 MiB are allowed: raise the limit (ulimit -v)", done.stderr + done.stdout)
        self.assertFalse((self.folder / "x.png").exists())

    @unittest.skipIf(cli.SANITIZED, "sanitizers need more memory than the limit")
    def test_info_counts_without_memory_for_the_mesh(self):
        """Noise of 128^3 voxels: the volume takes 2 MB, the mesh 120 MB, and the strips for the stages 2 MB."""
        self.assertEqual(self.run_program("synth", "noise", "--size", "128", "-o", "n.nrrd").returncode, OK)

        def small_memory():
            resource.setrlimit(resource.RLIMIT_DATA, (100 << 20, 100 << 20))
        for rung in ([], ["--rung", "classify=textbook"], ["--rung", "fused=none"]):
            words = ["info", "n.nrrd", "--iso", "127.5", "--json", "--backend", "cpu", "--threads", "2", *rung]
            whole, counted = self.run_program(*words), self.run_program(*words, preexec_fn=small_memory)
            self.assertEqual((counted.returncode, counted.stderr), (OK, ""))
            whole, counted = json.loads(whole.stdout), json.loads(counted.stdout)
            self.assertIn("area and volume unknown: not enough memory for the mesh", counted.pop("surface_note"))
            self.assertGreater(whole["area"], 1e6)
            whole.pop("surface_note")
            unknown = ("area", "volume", "box_low", "box_high", "part_count", "parts", "volume_note")
            self.assertEqual(counted, {**whole, **dict.fromkeys(unknown)})

    def blocks(self):
        """Four blocks of ones in zeros, 1, 2, 3 and 5 voxels long along x; the last touches the border."""
        voxels = bytearray(24 * 8 * 8)
        for first, length in ((2, 1), (5, 2), (10, 3), (19, 5)):
            for x in range(first, first + length):
                voxels[x + 24 * (4 + 8 * 4)] = 1
        (self.folder / "b_24x8x8_uint8.raw").write_bytes(voxels)
        return "b_24x8x8_uint8.raw"

    def test_smooth_in_mm_reaches_as_far_along_each_axis(self):
        """One voxel of 1000 in zeros: after smoothing the largest value is 1000 times the middle weight of each axis."""
        def middle(sigma):
            return 1 / sum(math.exp(-0.5 * (i / sigma) ** 2) for i in range(-math.ceil(3 * sigma), math.ceil(3 * sigma) + 1))

        voxels = [0] * 13 ** 3
        voxels[len(voxels) // 2] = 1000
        for unit, mm, name, own in (("", 1, "mm", 1), ("mm", 1, "mm", 1), ("um", 1e-3, "um", 1e-3), ("A", 1e-7, "A", 1e-7),
                                    ("cm", 10, "cm", 10)):
            units = f'space units: "{unit}" "{unit}" "{unit}"\n' if unit else ""
            head = ("NRRD0004\ntype: ushort\ndimension: 3\nspace dimension: 3\nsizes: 13 13 13\nencoding: raw\nendian: little\n"
                    f"space directions: (0.5,0,0) (0,1,0) (0,0,2)\n{units}\n")
            (self.folder / "v.nrrd").write_bytes(head.encode() + struct.pack("<2197H", *voxels))
            answer = json.loads(self.run_program("info", "v.nrrd", "--smooth", f"{0.8 * mm:g}mm", "--json").stdout)
            self.assertAlmostEqual(answer["max"], 1000 * middle(1.6) * middle(0.8) * middle(0.4), delta=0.01, msg=unit)
            self.assertAlmostEqual(answer["smooth"], 1.6, 5)
            answer = json.loads(self.run_program("info", "v.nrrd", "--smooth", "1.6", "--json").stdout)
            self.assertAlmostEqual(answer["max"], 1000 * middle(1.6) ** 3, delta=0.01)
            self.refuses(USAGE, "info", "v.nrrd", "--smooth", f"{2.6 * mm:g}mm",
                         says=[f"--smooth {2.6 * mm / own:g}{name}:", "at most 5", f"choose {2.5 * mm / own:g}{name} "])
            for length in (f"{0.8 * mm / own:g}{name}", f"{0.8 * mm * 1e6:g}nm"):  # in the file's unit, and in another
                again = json.loads(self.run_program("info", "v.nrrd", "--smooth", length, "--json").stdout)
                self.assertAlmostEqual(again["smooth"], 1.6, 5, length)
        for wrong in ("-1mm", "nanmm", "1.5px", "1.5pixel", "mm", "1mmm", "6"):
            self.refuses(USAGE, "info", "v.nrrd", "--smooth", wrong, says=[wrong, "like 1.5mm"])

    def test_info_lists_parts(self):
        """The isovalue is half way to zero: the part of a row of n voxels is n long, and octahedral ends add 1/2 at each side."""
        words = ["info", self.blocks(), "--iso", 0.5, "--spacing", "2,1,1"]
        answer = json.loads(self.run_program(*words, "--json").stdout)
        self.assertEqual(answer["part_count"], 4)
        boxes = [(part["low"], part["high"]) for part in answer["parts"]]
        self.assertEqual(boxes, [([37, 3.5, 3.5], [46, 4.5, 4.5]), ([19, 3.5, 3.5], [25, 4.5, 4.5]),
                                 ([9, 3.5, 3.5], [13, 4.5, 4.5]), ([3, 3.5, 3.5], [5, 4.5, 4.5])])
        self.assertEqual([part["size"] for part in answer["parts"]], [9, 6, 4, 2])
        self.assertIsNone(answer["parts"][0]["volume"])  # it is open, the others are not
        for part, between in zip(answer["parts"][1:], (2, 1, 0)):  # octahedron: 1/6 voxel, a prism of area 1/2 between
            self.assertAlmostEqual(part["volume"], 2 * (1 / 6 + between / 2), 6)
        self.assertIsNone(answer["volume"])
        self.assertIn("open", answer["volume_note"])
        for name in ("area", "triangles", "vertices"):
            self.assertAlmostEqual(sum(part[name] for part in answer["parts"]), answer[name], 9)
        plain = self.run_program(*words).stdout.splitlines()
        self.assertEqual([line.split()[2] == "-" for line in plain[-4:]], [True, False, False, False])
        self.assertTrue(plain[-4].split()[3:6] == ["37", "to", "46"], plain[-4])

    def test_spacing_keeps_the_limits_of_files(self):
        for spacing, says in (("1e-300,1e300,1e-200", "1e-300 along x"), ("1,1e16,1", "1e+16 along y"), ("1,1,9e-16", "9e-16 along z")):
            self.refuses(USAGE, "info", self.blocks(), "--iso", 0.5, "--spacing", spacing, says=[says, "1e-15 to 1e+15"])
        self.assertEqual(self.run_program("info", self.blocks(), "--iso", 0.5, "--spacing", "1e-15,1e15,1").returncode, OK)

    def test_one_thing_is_no_plural(self):
        cores = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(cores)})
        self.addCleanup(os.sched_setaffinity, 0, cores)
        told = json.loads(self.run_program("info", self.blocks(), "--json", "--backend", "cpu").stdout)["backend"]
        os.sched_setaffinity(0, cores)
        self.assertEqual(told, "CPU, 1 thread, as asked")
        self.assertEqual(self.run_program("synth", "sphere", "--size", "4", "-o", "s.nrrd").returncode, OK)
        data = (self.folder / "s.nrrd").read_bytes()
        for rest, note in ((b"x", "1 byte after"), (b"xy", "2 bytes after")):
            (self.folder / "more.nrrd").write_bytes(data + rest)
            self.assertIn(note + " the voxels ignored", json.loads(self.run_program("info", "more.nrrd", "--json").stdout)["note"])
        for size, says in ((65, "1 byte is left over"), (66, "2 bytes are left over"), (1, "found 1 byte,"), (2, "found 2 bytes,")):
            (self.folder / "a.raw").write_bytes(bytes(size))
            self.refuses(INPUT, "info", "a.raw", "--dims", "4x4x4", "--type", "uint8", says=[says])
        corner = bytes([9] + 63 * [0])  # cut off by a single triangle
        (self.folder / "corner_4x4x4_uint8.raw").write_bytes(corner)
        done = self.run_program("extract", "corner_4x4x4_uint8.raw", "--iso", 5, "-o", "one.ply")
        self.assertIn(" 1 triangle, 3 vertices", done.stdout)

    def test_parts_are_left_out(self):
        words = ["info", self.blocks(), "--iso", 0.5, "--spacing", "2,1,1", "--json"]
        for option, sizes in (("--keep=largest", [9]), ("--keep=2", [9, 6]), ("--min-size=4", [9, 6, 4]),
                              ("--min-size=4.001", [9, 6]), ("--min-size=45%", [9, 6]), ("--min-size=44%", [9, 6, 4]),
                              ("--min-size=100%", [9]), ("--min-size=0", [9, 6, 4, 2]), ("--keep=99", [9, 6, 4, 2]),
                              ("--min-size=10", [])):
            answer = json.loads(self.run_program(*words, option).stdout)
            self.assertEqual([part["size"] for part in answer["parts"]], sizes, option)
            self.assertEqual(answer["triangles"], sum(part["triangles"] for part in answer["parts"]))
        every = "isoscope: every part of the surface at 0.5 is shorter than --min-size\n"
        for more, why in (([], ""), (["--min-size=10"], every), (["--close", "--min-size=50"], every),
                          (["--iso=9", "--min-size=10"], "isoscope: no surface: 9 lies outside the values of the volume, 0 to 1\n"),
                          (["--iso=0", "--close", "--min-size=50"], every.replace("0.5", "0"))):
            self.assertEqual(self.run_program(*words, *more).stderr, why, more)
        for option in ("--keep=0", "--keep=most", "--keep=-1", "--min-size=-1", "--min-size=101%", "--min-size=2mm",
                       "--min-size=nan"):
            self.refuses(USAGE, *words, option, says=[option.split("=")[1]])
        self.refuses(USAGE, *words, "--keep=1", "--rung", "fused=none", "--rung", "generate=soup", "--backend", "cpu",
                     says=["generate=soup", "no parts"])

    def test_a_soup_is_not_closed(self):
        """Caps share vertices, but a soup does not. So it would not look closed, and have as many parts as triangles."""
        self.assertEqual(self.run_program("synth", "gyroid", "--size", "16", "-o", "g.nrrd").returncode, OK)
        words = ["--iso", 0.1, "--close", "--rung", "fused=none", "--rung", "generate=soup", "--backend", "cpu"]
        for more in ([], ["--keep=1"], ["--min-size=5"]):
            self.refuses(USAGE, "info", "g.nrrd", *words, *more, says=["generate=soup", "caps"])

    def test_the_many_are_not_all_printed(self):
        self.assertEqual(self.run_program("synth", "noise", "--size", "16", "-o", "n.nrrd").returncode, OK)
        words = ["info", "n.nrrd", "--iso", 240]
        count = json.loads(self.run_program(*words, "--json").stdout)["part_count"]
        self.assertGreater(count, 40)
        lines = self.run_program(*words).stdout.splitlines()
        self.assertEqual(lines[-1], f"and {count - 20} more")

    def test_names_must_end_as_the_format(self):
        for name in ("x.jpg", "x", "x.png.txt", "png") * WINDOW:
            self.refuses(USAGE, "render", self.ramp(), "-o", name, says=[name, ".png"])
        self.refuses(USAGE, "synth", "sphere", "-o", "nrrd", says=[".nrrd"])

    # ---- bad files -------------------------------------------------------------------------------------------------

    def test_bad_files(self):
        self.refuses(INPUT, "info", "absent.nrrd", says=["absent.nrrd"])
        self.refuses(INPUT, "info", ".", says=["folder"])
        self.refuses(INPUT, "info", "/dev/null")
        (self.folder / "empty_4x4x4_uint8.raw").write_bytes(b"")
        self.refuses(INPUT, "info", "empty_4x4x4_uint8.raw")
        (self.folder / "note.txt").write_text("hello")
        self.refuses(INPUT, "info", "note.txt")
        (self.folder / "unnamed.raw").write_bytes(bytes(64))
        self.refuses(INPUT, "info", "unnamed.raw", says=["64 bytes", "--dims 4x4x4 --type uint8"])

    def test_truncated_raw_says_found_and_expected(self):
        (self.folder / "cut_4x4x4_uint16.raw").write_bytes(bytes(100))
        for words in (["info"], *[["render", "-o", "cut.png"]] * WINDOW):
            self.refuses(INPUT, *words, "cut_4x4x4_uint16.raw", says=["100", "128"])

    def test_dims_that_overflow(self):
        name = self.ramp()
        for dims in ("4294967296x4294967296x4294967296", "2097152x2097152x4194304", "18446744073709551615x2x2"):
            self.refuses(INPUT, "info", name, "--dims", dims, "--type", "float32")

    def test_nrrd_headers(self):
        def header(*fields):
            (self.folder / "x.nrrd").write_bytes(("NRRD0004\n" + "\n".join(fields) + "\n\n").encode() + bytes(64))
            return "x.nrrd"
        good = ["type: uint8", "dimension: 3", "sizes: 4 4 4", "encoding: raw"]
        self.assertEqual(self.run_program("info", header(*good)).returncode, OK)
        self.refuses(INPUT, "info", header("type: int128", *good[1:]), says=["int128"])
        self.refuses(INPUT, "info", header(*good[:3], "encoding: zip"), says=["zip"])
        self.refuses(INPUT, "info", header(*good[:3], "encoding: zstd"), says=["zstd"])
        self.refuses(INPUT, "info", header(*good[:2], "sizes: 4 4 5", good[3]))
        self.refuses(INPUT, "info", header(*good[:2], "sizes: 4 4 -4", good[3]))
        self.refuses(INPUT, "info", header(*good[:2], "sizes: 4294967296 4294967296 4294967296", good[3]))
        self.refuses(INPUT, "info", header(*good, "data file: ../x.raw"))
        self.refuses(INPUT, "info", header(*good, "data file: %n%s%d.raw 0 1 1"))

    # ---- answers ---------------------------------------------------------------------------------------------------

    def test_info_json(self):
        done = self.run_program("info", self.ramp(), "--iso", "15", "--json", "--spacing", "1,2,0.5")
        self.assertEqual((done.returncode, done.stderr), (OK, ""))
        answer = json.loads(done.stdout)
        self.assertEqual(answer["dims"], [4, 4, 4])
        self.assertEqual(answer["type"], "uint8")
        self.assertEqual(answer["spacing"], [1, 2, 0.5])
        self.assertEqual((answer["min"], answer["max"], answer["mean"], answer["nan_count"]), (0, 30, 15, 0))
        # the plane x = 1.5: 3x3 cells of 2 triangles, 16 edges; area 3 * 2 by 3 * 0.5
        self.assertEqual((answer["voxels_inside"], answer["active_cells"], answer["edge_vertices"]), (32, 9, 16))
        self.assertEqual((answer["vertices"], answer["triangles"], answer["interior_vertices"]), (16, 18, 0))
        self.assertAlmostEqual(answer["area"], 9)
        self.assertIsNone(answer["volume"])

    def test_smooth(self):
        answers = [json.loads(self.run_program("info", self.ramp(), "--iso", "15", "--json", "--smooth", sigma).stdout)
                   for sigma in ("0", "1")]
        plain = json.loads(self.run_program("info", self.ramp(), "--iso", "15", "--json").stdout)
        self.assertEqual(answers[0], plain)
        smooth = answers[1]
        self.assertEqual((plain["smooth"], smooth["smooth"], smooth["type"]), (0, 1, "uint8"))
        self.assertAlmostEqual(smooth["mean"], 15, 4)  # symmetry keeps the plane x = 1.5
        self.assertAlmostEqual(smooth["area"], 9, 3)
        self.assertTrue(0 < smooth["min"] < 10 and 20 < smooth["max"] < 30, smooth)
        bench = self.run_program("bench", self.ramp(), "--iso", "15", "--runs", "5", "--smooth", "1", "--json")
        self.assertEqual((bench.returncode, json.loads(bench.stdout)["smooth"]), (OK, 1))
        done = self.run_program("extract", self.ramp(), "--iso", "15", "--smooth", "1", "-o", "s.ply", "--json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["triangles"]), (OK, smooth["triangles"]))
        for sigma in ("-1", "5.1", "nan", "much"):
            self.refuses(USAGE, "info", self.ramp(), "--smooth", sigma, says=[sigma, "0 (off) to 5"])
        self.refuses(USAGE, "synth", "noise", "-o", "x.nrrd", "--smooth", "1")

    def test_order_of_axes(self):
        x, y, z = 5, 4, 3
        value = lambda i, j, k: 40 * i + 7 * j * k
        (self.folder / "a.raw").write_bytes(bytes(value(i, j, k) for k in range(z) for j in range(y) for i in range(x)))
        (self.folder / "b.raw").write_bytes(bytes(value(i, j, k) for i in range(x) for j in range(y) for k in range(z)))
        words = ["--dims", "5x4x3", "--type", "uint8", "--spacing", "1,2,4", "--iso", "70", "--json"]
        answers = [json.loads(self.run_program("info", *file, *words).stdout)
                   for file in (["a.raw"], ["a.raw", "--order", "xyz"], ["b.raw", "--order=zyx"], ["b.raw"])]
        for answer in answers:
            answer.pop("file")
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(answers[0], answers[2])
        self.assertNotEqual(answers[0], answers[3])

    def test_order_is_for_files_without_one(self):
        header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2, 2), }".ljust(117) + b"\n"
        (self.folder / "a.npy").write_bytes(b"\x93NUMPY\x01\x00" + bytes([len(header), 0]) + header + bytes(range(8)))
        self.assertEqual(json.loads(self.run_program("info", "a.npy", "--json").stdout)["dims"], [2, 2, 2])
        self.refuses(USAGE, "info", "a.npy", "--order", "zyx", says=["--order", "NumPy"])

    def test_verify_compares_mesh_and_voxels(self):
        name = self.ramp()  # the surface is a plane: a disc that ends at the border
        done = self.run_program("verify", name, "--iso", 15.5)
        self.assertEqual((done.returncode, done.stderr), (OK, ""))
        self.assertRegex(done.stdout, r"border loops +1 +1\n")
        self.assertIn("right: the mesh is sound and matches the voxels", done.stdout)
        for rung in ([], ["--rung", "fused=none"], ["--smooth", "0.5"]):
            done = self.run_program("verify", name, "--iso", 15.5, "--json", *rung)
            self.assertEqual((done.returncode, done.stderr), (OK, ""))
            answer = json.loads(done.stdout)
            self.assertEqual(answer["mesh"], answer["voxels"])
            self.assertEqual((answer["mesh"]["components"], answer["mesh"]["euler_characteristic"]), (1, 1))
            self.assertEqual((answer["right"], answer["wrong"]), (True, None))
            self.assertEqual({**answer["faults"], "triangles_without_area": 0}, dict.fromkeys(answer["faults"], 0))
        done = self.run_program("verify", name, "--iso", 15.5, "--json", "--close")
        answer = json.loads(done.stdout)
        self.assertEqual((done.returncode, answer["mesh"]), (OK, answer["voxels"]))
        self.assertEqual((answer["mesh"]["border_loops"], answer["mesh"]["euler_characteristic"]), (0, 2))
        self.refuses(FAILED, "verify", name, "--iso", 1000, says=["no surface"])
        self.refuses(USAGE, "verify", name, "--rung", "fused=none", "--rung", "generate=soup",
                     says=["generate=soup", "shared vertices"])

    def test_a_soup_is_reported_as_one(self):
        words = [self.vessels(), "--iso", "60", "--json", "--backend", "cpu"]
        shared, soup = (json.loads(self.run_program("info", *words, "--rung", f"generate={rung}").stdout)
                        for rung in ("indexed", "soup"))
        self.assertEqual(shared["vertices"], shared["edge_vertices"] + shared["interior_vertices"])
        self.assertEqual(soup["vertices"], 3 * shared["triangles"])
        for key in ("edge_vertices", "active_cells", "triangles"):
            self.assertEqual(soup[key], shared[key])
        self.assertAlmostEqual(soup["area"], shared["area"])
        timed = json.loads(self.run_program("bench", *words, "--runs", 5, "--rung", "generate=soup").stdout)
        self.assertEqual(timed["vertices"], soup["vertices"])

    def test_locale_does_not_matter(self):
        words = ["info", self.ramp(), "--iso", "15.5", "--json"]
        self.assertEqual(self.run_program(*words).stdout, self.run_program(*words, environment={"LC_ALL": "de_DE.UTF-8"}).stdout)

    def test_one_hot_voxel_leaves_percentiles_and_the_automatic_value(self):
        values = [i * 7919 % 4096 / 8 for i in range(4096)]
        values[1234] = 1e7
        (self.folder / "hot_16x16x16_float32.raw").write_bytes(struct.pack("<4096f", *values))
        for percent in (5, 50, 95):
            done = self.run_program("info", "hot_16x16x16_float32.raw", "--iso", f"{percent}%", "--json")
            self.assertAlmostEqual(json.loads(done.stdout)["iso"], 5.12 * percent, delta=0.5)
        done = self.run_program("info", "hot_16x16x16_float32.raw", "--json")
        self.assertAlmostEqual(json.loads(done.stdout)["first_value"], 256, delta=5)

    @unittest.skipIf(cli.COMMA, "a message")
    def test_thin_volumes_have_no_surface(self):
        (self.folder / "thin_1x8x8_uint8.raw").write_bytes(bytes(i % 2 for i in range(64)))
        done = self.run_program("info", "thin_1x8x8_uint8.raw", "--iso", "0.5", "--json")
        self.assertEqual(done.returncode, OK)
        answer = json.loads(done.stdout)
        self.assertEqual([answer[name] for name in ("triangles", "box_low", "box_high", "part_count", "parts", "volume_note",
                                                    "surface_note")], [0, None, None, 0, [], None, None])
        self.assertIn("no cells", done.stderr)

    def test_nan_voxels_are_counted(self):
        values = [float(i) for i in range(62)] + [float("nan"), float("inf")]
        (self.folder / "odd_4x4x4_float32.raw").write_bytes(struct.pack("<64f", *values))
        answer = json.loads(self.run_program("info", "odd_4x4x4_float32.raw", "--iso", "30", "--json").stdout)
        self.assertEqual((answer["nan_count"], answer["infinite_count"], answer["max"]), (1, 1, 61))

    def test_cuda_asked_for_and_absent(self):
        doctor = json.loads(self.run_program("doctor", "--json").stdout)
        if "no CUDA" in doctor["cuda"] or "without CUDA" in doctor["cuda"]:
            self.refuses(NO_CUDA, "info", self.ramp(), "--backend", "cuda")
        else:
            self.assertEqual(self.run_program("info", self.ramp(), "--backend", "cuda").returncode, OK)

    # ---- synth -----------------------------------------------------------------------------------------------------

    def test_synth_fields_are_repeatable(self):
        for name in ("sphere", "torus", "gyroid", "marschner-lobb", "metaballs", "vessels", "noise"):
            first, second = f"{name}.nrrd", f"{name}-again.nrrd"
            self.assertEqual(self.run_program("synth", name, "--size", "20x17x33", "-o", first, "--threads", 1).returncode, OK)
            self.assertEqual(self.run_program("synth", name, "--size", "20x17x33", "-o", second, "-z").returncode, OK)
            answers = [json.loads(self.run_program("info", f, "--json").stdout) for f in (first, second)]
            for answer in answers:
                del answer["file"]
            self.assertEqual(answers[0], answers[1])
            self.assertEqual(answers[0]["dims"], [20, 17, 33])
            self.assertLess(answers[0]["min"], answers[0]["max"])

    def test_synth_needs_no_memory_for_the_volume(self):
        """A volume of 256 MiB, made 64 MiB at a time."""
        self.stays_within(100, "synth", "noise", "--size", "512x512x1024", "-o", "v.nrrd")
        head, voxels = (self.folder / "v.nrrd").read_bytes().split(b"\n\n", 1)
        self.assertIn(b"sizes: 512 512 1024\n", head)
        self.assertEqual(len(voxels), 1 << 28)
        self.assertEqual(self.run_program("synth", "noise", "--size", "512x512x2", "-o", "w.nrrd").returncode, OK)
        self.assertEqual((self.folder / "w.nrrd").read_bytes().split(b"\n\n", 1)[1], voxels[:1 << 19])  # hashes of positions

    def test_synth_makes_volumes_with_cells(self):
        """A surface lies between voxels, so one voxel along an axis is too few. Sizes that are too large are printed in a
        suitable unit."""
        for size in ("1", "0", "64x64x1", "1x64x64"):
            self.refuses(USAGE, "synth", "sphere", "--size", size, "-o", "x.nrrd", says=[size, "at least 2 along each axis"])
        self.assertEqual(self.run_program("synth", "sphere", "--size", "2", "-o", "x.nrrd").returncode, OK)
        self.refuses(FAILED, "synth", "sphere", "--size", "1000000", "-o", "x.nrrd", says=["3.6 TiB needed", "iB free"])
        self.refuses(FAILED, "synth", "sphere", "--size", "1000x1000x100000000", "-o", "x.nrrd", says=["x.nrrd", "cannot be written"])

    def test_synth_does_not_touch_the_old_file_when_it_cannot_write(self):
        self.refuses(FAILED, "synth", "sphere", "--size", "8", "-o", "absent-folder/x.nrrd", says=["absent-folder"])

    # ---- render ----------------------------------------------------------------------------------------------------

    def test_render_writes_a_picture(self):
        done = self.run_program("render", self.ramp(), "--iso", "15", "-o", "a.png", "--size", "64x48")
        if done.returncode == NO_GL:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, OK, done.stderr)
        picture = (self.folder / "a.png").read_bytes()
        self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">II", picture[16:24]), (64, 48))
        self.assertIn("a.png", done.stdout)
        empty = self.run_program("render", self.ramp(), "--iso", "99", "-o", "b.png", "--size", "64x48")
        self.assertEqual(empty.returncode, OK)
        self.assertIn("no surface", empty.stderr)
        self.refuses(FAILED, "render", self.ramp(), "--iso", "15", "-o", "absent-folder/x.png")
        self.refuses(USAGE, "render", self.ramp(), "--iso", "15", "-o", "c.png", "--shading", "toon", says=["matcap"])
        self.refuses(USAGE, "render", self.ramp(), "--iso", "15", "-o", "c.jpg", says=["c.jpg", "end in .png"])

    @unittest.skipUnless(WINDOW, "built without OpenGL")
    def test_window_without_display(self):
        environment = {k: v for k, v in os.environ.items() if k != "DISPLAY"} | {"ASAN_OPTIONS": "detect_leaks=0"}
        done = subprocess.run([cli.PROGRAM, self.ramp()], cwd=self.folder, capture_output=True, text=True, timeout=60,
                              env=environment)
        self.assertEqual(done.returncode, NO_GL)
        self.assertIn("isoscope render", done.stderr)
        for words, code, says in ((["absent.nrrd"], INPUT, "absent.nrrd"), (["sub/absent"], INPUT, "sub/absent"),
                                  (["bogus"], INPUT, "no such file or command"),
                                  (["rendr"], INPUT, "did you mean isoscope render"),
                                  (["absent.state"], INPUT, "absent.state: cannot read the state file")):
            done = subprocess.run([cli.PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, timeout=60, env=environment)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (code, 1), done.stderr)
            self.assertIn(says, done.stderr)

    @unittest.skipIf(WINDOW, "built with OpenGL")
    def test_without_opengl(self):
        self.says_that_it_has_no_opengl()

    def test_doctor(self):
        text = self.run_program("doctor", "--json").stdout
        answer = json.loads(text)
        self.assertNotIn("\\u", text)
        for key in ("version", "cpu", "cuda", "cuda_driver", "window", "offscreen", "offscreen_tried", "cpu_memory"):
            self.assertIn(key, answer)
        self.assertEqual("built without CUDA" in answer["cuda_driver"], answer["cuda"] == "built without CUDA")
        self.assertRegex(self.run_program("doctor").stdout, r"\nprocessor\n(  \w+ +\S.*\n)+")
        if "no CUDA" not in answer["cuda"] and "without CUDA" not in answer["cuda"]:
            for key in ("compute_capability", "multiprocessors", "shared_bytes_per_block_optin", "l2_bytes", "memory_gb_per_s"):
                self.assertGreater(answer["cuda_" + key], 0, key)

    def test_doctor_finds_mpirun(self):
        """Also at the end of a long PATH, as modules make it on clusters."""
        program = self.folder / "bin" / "mpirun"
        program.parent.mkdir()
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        folders = [*(f"/nowhere/{i:050}" for i in range(100)), str(program.parent)]
        answer = json.loads(self.run_program("doctor", "--json", environment={"PATH": ":".join(folders)}).stdout)
        self.assertEqual(answer["mpi_launcher"], str(program))


if __name__ == "__main__":
    unittest.main(verbosity=1)
