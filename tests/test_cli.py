#!/usr/bin/env python3
"""The command line as a person and as a program meet it: answers, sentences, exit codes, and nothing left behind.
Usage: test_cli.py ISOSCOPE"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
OK, FAILED, USAGE, INPUT, NO_GL, NO_CUDA = range(6)


class CommandLine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, *words, **environment):
        if words[0] in ("render", "doctor"):  # OpenGL drivers leak, and are gone again when leaks are looked for
            environment["ASAN_OPTIONS"] = "detect_leaks=0"
        return subprocess.run([PROGRAM, *map(str, words)], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              env={**os.environ, **environment})

    def refuses(self, code, *words, says=()):
        """The command fails with that code and one sentence on stderr, and writes nothing at all."""
        before = sorted(self.folder.iterdir())
        done = self.run_program(*words)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Aisoscope: [^\n]+\n\Z")
        for part in says:
            self.assertIn(part, done.stderr)
        self.assertEqual(sorted(self.folder.iterdir()), before)

    def ramp(self, name="ramp_4x4x4_uint8.raw"):
        """64 voxels, value = 10 * x."""
        (self.folder / name).write_bytes(bytes(10 * (i % 4) for i in range(64)))
        return name

    # ---- help ------------------------------------------------------------------------------------------------------

    def test_help_and_version_go_to_stdout(self):
        for words in (["--help"], ["-h"], ["render", "--help"], ["info", "--help"], ["synth", "--help"],
                      ["doctor", "--help"], ["--version"]):
            done = self.run_program(*words)
            self.assertEqual((done.returncode, done.stderr), (OK, ""))
            self.assertIn("isoscope", done.stdout)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), 120)

    def test_help_names_every_rung(self):
        text = self.run_program("info", "--help").stdout
        for word in ("bricks", "classify", "scan", "compact", "generate", "textbook", "*"):
            self.assertIn(word, text)

    def test_readme_lists_the_keys(self):
        """README.md has a row for each key that --help has, in the same words."""
        readme = (pathlib.Path(__file__).parent.parent / "README.md").read_text()
        text = self.run_program("--help").stdout
        rows = text.split("Keys in the window", 1)[1].split("\n\n", 1)[0].splitlines()[1:]
        self.assertGreater(len(rows), 20)
        for row in rows:
            name, does = row[2:30].strip(), row[31:]
            self.assertIn(f"| {name} | {does} |", readme)

    # ---- usage errors ----------------------------------------------------------------------------------------------

    def test_wrong_options(self):
        name = self.ramp()
        self.refuses(USAGE, "info", name, "--isoo", "3", says=["--isoo", "did you mean --iso"])
        self.refuses(USAGE, "info", name, "--iso", says=["--iso needs a value"])
        self.refuses(USAGE, "info", name, "--iso", "nan", says=["nan"])
        self.refuses(USAGE, "info", name, "--iso", "3,5", says=["3,5"])
        self.refuses(USAGE, "info", name, "--iso=inf")
        self.refuses(USAGE, "info", name, "--json=1")
        self.refuses(USAGE, "info", name, "--backend", "opencl", says=["auto, cpu or cuda"])
        self.refuses(USAGE, "info", name, "--threads", "0")
        self.refuses(USAGE, "info", name, "--rung", "scan")
        self.refuses(USAGE, "info", name, "--rung", "scan=fastest", "--backend", "cpu", says=["fastest", "textbook", "threads"])
        self.refuses(USAGE, "info", name, "other.raw")
        self.refuses(USAGE, "info")
        self.refuses(USAGE, "render", name, "--size", "0x10")
        self.refuses(USAGE, "render", name, "--seed", "1")
        self.refuses(USAGE, "synth", "sphere")
        self.refuses(USAGE, "synth", "cube", "-o", "x.nrrd", says=["cube", "sphere"])
        self.refuses(USAGE, "synth", "sphere", "-o", "x.raw", says=[".nrrd"])

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
        self.refuses(INPUT, "info", "cut_4x4x4_uint16.raw", says=["100", "128"])
        self.refuses(INPUT, "render", "cut_4x4x4_uint16.raw", "-o", "cut.png", says=["100", "128"])

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
        self.refuses(INPUT, "info", header(*good[:3], "encoding: hex"), says=["hex"])
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

    def test_locale_does_not_matter(self):
        words = ["info", self.ramp(), "--iso", "15.5", "--json"]
        self.assertEqual(self.run_program(*words).stdout, self.run_program(*words, LC_ALL="de_DE.UTF-8").stdout)

    def test_empty_surface_is_said(self):
        for value in ("-1", "99"):
            done = self.run_program("info", self.ramp(), "--iso", value)
            self.assertEqual(done.returncode, OK)
            self.assertIn("no surface", done.stderr)
            self.assertIn("0 to 30", done.stderr)

    def test_thin_volumes_have_no_surface(self):
        (self.folder / "thin_1x8x8_uint8.raw").write_bytes(bytes(i % 2 for i in range(64)))
        done = self.run_program("info", "thin_1x8x8_uint8.raw", "--iso", "0.5", "--json")
        self.assertEqual(done.returncode, OK)
        self.assertEqual(json.loads(done.stdout)["triangles"], 0)
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

    def test_window_without_display(self):
        environment = {k: v for k, v in os.environ.items() if k != "DISPLAY"} | {"ASAN_OPTIONS": "detect_leaks=0"}
        done = subprocess.run([PROGRAM, self.ramp()], cwd=self.folder, capture_output=True, text=True, timeout=60,
                              env=environment)
        self.assertEqual(done.returncode, NO_GL)
        self.assertIn("isoscope render", done.stderr)

    def test_doctor(self):
        answer = json.loads(self.run_program("doctor", "--json").stdout)
        for key in ("version", "cpu", "cuda", "window", "offscreen", "offscreen_tried"):
            self.assertIn(key, answer)


if __name__ == "__main__":
    unittest.main(verbosity=1)
