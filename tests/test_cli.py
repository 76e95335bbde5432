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
        for words in (["--help"], ["-h"], ["render", "--help"], ["info", "--help"], ["extract", "--help"], ["synth", "--help"],
                      ["bench", "--help"], ["ladder", "--help"], ["doctor", "--help"], ["--version"]):
            done = self.run_program(*words)
            self.assertEqual((done.returncode, done.stderr), (OK, ""))
            self.assertIn("isoscope", done.stdout)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), 120)

    def test_help_names_every_rung(self):
        text = self.run_program("info", "--help").stdout
        for word in ("bricks", "classify", "scan", "compact", "generate", "sort", "textbook", "*"):
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
        self.refuses(USAGE, "info", name, "--isoo=3", says=["unknown option --isoo:", "did you mean --iso"])
        self.refuses(USAGE, "info", name, "--runs=3", says=["--runs is not an option of"])
        self.refuses(USAGE, name, "--frobnicate", says=["see isoscope --help"])
        self.refuses(USAGE, "info", name, "--iso", says=["--iso needs a value"])
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
        self.refuses(USAGE, "info")
        self.refuses(USAGE, "render", name, "--size", "0x10")
        self.refuses(USAGE, "render", name, "--seed", "1")
        self.refuses(USAGE, "synth", "sphere")
        self.refuses(USAGE, "synth", "cube", "-o", "x.nrrd", says=["cube", "sphere"])
        self.refuses(USAGE, "synth", "sphere", "-o", "x.raw", says=[".nrrd"])

    def test_words_that_no_command_takes(self):
        self.refuses(USAGE, "doctor", "x", says=["doctor", "'x'"])
        self.refuses(USAGE, "doctor", "--", "x", says=["'x'"])
        self.refuses(USAGE, "ladder", "sum", "scan", says=["one OP", "'scan'"])
        self.refuses(USAGE, "synth", "sphere", "torus", "-o", "x.nrrd", says=["one NAME", "'torus'"])
        for command in ("info", "render", "extract", "bench"):
            self.refuses(USAGE, command, self.ramp(), "other.raw", says=["one FILE", "'other.raw'"])
        self.refuses(USAGE, self.ramp(), "other.raw", says=["one FILE", "'other.raw'"])

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
        answer = json.loads(self.run_program("info", name, "--json").stdout)
        self.assertEqual(answer["file"], f"{self.SHOWN}_4x4x4_uint8.raw")
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

    def test_the_input_is_never_an_output(self):
        words = ["--dims", "4x4x4", "--type", "uint8", "--iso", 15]
        for name in ("v.ply", "v.png", "v.md"):
            self.ramp(name)
        os.link(self.folder / "v.ply", self.folder / "hard.ply")
        (self.folder / "soft.ply").symlink_to("v.ply")
        for out in ("v.ply", "./v.ply", "hard.ply", "soft.ply"):
            self.refuses(USAGE, "extract", "v.ply", *words, "-o", out, says=[out, "input file"])
        self.refuses(USAGE, "render", "v.png", *words, "-o", "v.png", says=["input file"])
        self.refuses(USAGE, "bench", "v.md", *words, "--save", "v.md", says=["input file"])
        for name in ("v.ply", "v.png", "v.md"):
            self.assertEqual((self.folder / name).read_bytes(), bytes(10 * (i % 4) for i in range(64)))

    def test_names_must_end_as_the_format(self):
        for name in ("x.jpg", "x", "x.png.txt", "png"):
            self.refuses(USAGE, "render", self.ramp(), "-o", name, says=[name, ".png"])
        self.refuses(USAGE, "synth", "sphere", "-o", "nrrd", says=[".nrrd"])

    def test_read_only_files_are_kept(self):
        keep = self.folder / "keep.ply"
        keep.write_text("mine")
        keep.chmod(0o444)
        self.refuses(FAILED, "extract", self.ramp(), "--iso", 15, "-o", "keep.ply", says=["keep.ply", "read-only"])
        self.assertEqual((keep.read_text(), keep.stat().st_mode & 0o777), ("mine", 0o444))

    def test_save_takes_text_files_only(self):
        name = self.ramp()
        words = ["bench", name, "--runs", 5, "--save"]
        os.mkfifo(self.folder / "fifo.md")
        (self.folder / "volume.md").write_bytes(b"NRRD\0\1\2")
        (self.folder / "latin.md").write_bytes(b"caf\xe9\n")
        with open(self.folder / "large.md", "wb") as large:
            large.truncate((16 << 20) + 1)
        (self.folder / "locked.md").write_text("mine")
        (self.folder / "locked.md").chmod(0o444)
        before = {f.name: f.stat().st_size for f in self.folder.iterdir()}
        for file, says in (("fifo.md", "FIFO"), ("/dev/zero", "device"), ("volume.md", "not a text file"),
                           ("latin.md", "not a text file"), ("large.md", "too many"), ("locked.md", "read-only")):
            done = self.run_program(*words, file)
            self.assertEqual(done.returncode, FAILED, file)
            self.assertIn("classify", done.stdout)
            self.assertRegex(done.stderr, r"\Aisoscope: [^\n]+\n\Z")
            self.assertIn(file, done.stderr)
            self.assertIn(says, done.stderr)
        self.assertEqual({f.name: f.stat().st_size for f in self.folder.iterdir()}, before)
        (self.folder / "text.md").write_text("# caf\u00e9\n")
        self.assertEqual(self.run_program(*words, "text.md").returncode, OK)
        self.assertTrue((self.folder / "text.md").read_text().startswith("# caf\u00e9\n\n"))

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

    def test_a_soup_is_reported_as_one(self):
        words = [self.vessels(), "--iso", "60", "--json", "--backend", "cpu"]
        shared, soup = (json.loads(self.run_program("info", *words, "--rung", f"generate={rung}").stdout)
                        for rung in ("indexed", "soup"))
        self.assertEqual((shared["vertices"], soup["vertices"]), (shared["edge_vertices"], 3 * shared["triangles"]))
        for key in ("edge_vertices", "active_cells", "triangles"):
            self.assertEqual(soup[key], shared[key])
        self.assertAlmostEqual(soup["area"], shared["area"])
        timed = json.loads(self.run_program("bench", *words, "--runs", 5, "--rung", "generate=soup").stdout)
        self.assertEqual(timed["vertices"], soup["vertices"])

    def test_locale_does_not_matter(self):
        words = ["info", self.ramp(), "--iso", "15.5", "--json"]
        self.assertEqual(self.run_program(*words).stdout, self.run_program(*words, LC_ALL="de_DE.UTF-8").stdout)

    def test_empty_surface_is_said(self):
        for value in ("-1", "99"):
            done = self.run_program("info", self.ramp(), "--iso", value)
            self.assertEqual(done.returncode, OK)
            self.assertIn("no surface", done.stderr)
            self.assertIn("0 to 30", done.stderr)

    def test_a_value_next_to_the_range_is_told_apart(self):
        """0.7 is above the largest float below it, and the smallest float that is not below 0.7 has a surface."""
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

    # ---- bench -----------------------------------------------------------------------------------------------------

    STAGES = ["bricks", "classify", "scan", "compact", "generate"]

    def bench(self, *words):
        """The answer in JSON, by the CPU with few runs: what is tested is what is said, not how fast it was."""
        done = self.run_program("bench", *words, "--backend", "cpu", "--runs", 5, "--json")
        self.assertEqual((done.returncode, done.stderr), (OK, ""))
        return json.loads(done.stdout)

    def ordered(self, times, least=0):
        self.assertGreaterEqual(times["min"], least)
        self.assertGreaterEqual(times["median"], times["min"])
        self.assertGreaterEqual(times["p90"], times["median"])

    def vessels(self):
        """A volume with a surface in some bricks and none in others."""
        self.assertEqual(self.run_program("synth", "vessels", "--size", "40x33x20", "-o", "v.nrrd").returncode, OK)
        return "v.nrrd"

    def test_bench_json(self):
        name = self.vessels()
        answer = self.bench(name, "--iso", "60", "--threads", "1", "--rung", "scan=textbook", "--pipeline", "staged")
        info = json.loads(self.run_program("info", name, "--iso", "60", "--json").stdout)
        self.assertGreater(info["triangles"], 0)
        fused = self.bench(name, "--iso", "60", "--threads", "1")
        self.assertEqual(fused["pipeline"], "fused")
        for key in ("file", "dims", "type", "iso", "vertices", "triangles", "active_cells"):
            self.assertEqual(answer[key], info[key])
            self.assertEqual(fused[key], info[key])
        self.assertEqual((answer["backend"], answer["threads"], answer["pipeline"], answer["runs"]), ("cpu", 1, "staged", 5))
        self.assertRegex(answer["date"], r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")
        self.assertRegex(answer["commit"], r"\A([0-9a-f]{7,}\+?|unknown)\Z")
        self.assertTrue(answer["device"])
        self.assertGreater(answer["copy_rate_gb_per_s"], 0)
        self.assertEqual([stage["stage"] for stage in answer["stages"]], self.STAGES)
        self.assertEqual(answer["stages"][2]["rung"], "textbook")
        for work in answer["stages"] + [answer["total"]]:
            self.ordered(work["device_us"])
            self.assertGreater(work["bytes"], 0)
            rate = work["bytes"] / work["device_us"]["median"] / 1e3
            self.assertAlmostEqual(work["gb_per_s"], rate, delta=0.01 * rate + 0.001)
            self.assertAlmostEqual(work["percent_of_copy"], 100 * rate / answer["copy_rate_gb_per_s"],
                                   delta=0.01 * work["percent_of_copy"] + 0.01)
        self.assertEqual(answer["total"]["bytes"], sum(stage["bytes"] for stage in answer["stages"][1:]))
        self.ordered(answer["total"]["wall_us"])
        # the rest of the wall is waiting: it cannot be less than what it waits for
        self.assertGreaterEqual(answer["total"]["wall_us"]["min"], answer["total"]["device_us"]["min"])

    def test_bench_sweep(self):
        name = self.vessels()
        rows = self.bench(name, "--iso-sweep", "40:80:3")["sweep"]
        self.assertEqual([row["iso"] for row in rows], [40, 60, 80])
        for row in rows:
            info = json.loads(self.run_program("info", name, "--iso", row["iso"], "--json").stdout)
            self.assertEqual((row["vertices"], row["triangles"]), (info["vertices"], info["triangles"]))
            self.ordered(row["device_us"])
            self.ordered(row["wall_us"])

    def test_bench_compares_all_rungs(self):
        rows = self.bench(self.vessels(), "--iso", "60", "--compare", "all")["compare"]
        text = self.run_program("bench", "--help").stdout
        listed = [(words[0], rung) for words in map(str.split, text.split("textbook first")[1].splitlines())
                  if len(words) > 2 and words[1] == "cpu" for rung in words[2:]]
        self.assertGreater(len(listed), 10)
        self.assertEqual([(row["stage"], row["rung"] + "*" * row["default"]) for row in rows], listed)
        for row in rows:
            self.assertEqual((row["mesh"], row["why"]), ("same", None))
            self.ordered(row["change_us"])
            if (row["stage"], row["rung"]) == ("bricks", "none"):
                self.assertIsNone(row["device_us"]["median"])
                continue
            self.ordered(row["device_us"])
            if row["rung"] == "textbook":
                self.assertEqual(row["times_textbook"], 1)
            self.assertGreater(row["times_textbook"], 0)
        one = self.bench(self.vessels(), "--iso", "60", "--compare", "generate")["compare"]
        self.assertEqual({row["stage"] for row in one}, {"generate"})

    def test_bench_tables(self):
        name = self.vessels()
        for words in ([], ["--compare", "all"], ["--iso-sweep", "40:80:3"]):
            done = self.run_program("bench", name, "--runs", 5, *words)
            self.assertEqual((done.returncode, done.stderr), (OK, ""))
            self.assertIn("v.nrrd: 40 x 33 x 20 ", done.stdout)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), 120)
            for line in done.stdout.splitlines():
                self.assertEqual(line, line.rstrip())
        empty = self.run_program("bench", name, "--iso", "1e6", "--runs", 5)
        self.assertEqual(empty.returncode, OK)
        self.assertIn("no surface", empty.stderr)
        self.assertIn("256 x 256 x 256", self.run_program("bench", "--runs", 5, "--iso", "1e6").stdout)

    def test_bench_saves_a_table(self):
        name, file = self.vessels(), self.folder / "times.md"
        save = ["bench", name, "--runs", 5, "--save", file]
        for n in (1, 2):
            self.assertIn("times.md", self.run_program(*save).stdout)
            text = file.read_text()
            self.assertEqual([text.count(s) for s in ("# isoscope", "| stage | rung |", "v.nrrd")], [1, n, n])
        before = "# Mine\n\nA table, between `<!-- bench -->` lines:\n<!-- bench -->\n"
        after = "<!-- /bench -->\nand more\n<!-- bench -->\nmine\n<!-- /bench -->"
        file.write_text(before + "old\n" + after)
        file.chmod(0o640)
        for words in (["--iso", "60"], ["--iso-sweep", "40:80:2"], ["--compare", "scan"]):
            self.assertEqual(self.run_program(*save, *words).returncode, OK)
            text = file.read_text()
            self.assertTrue(text.startswith(before) and text.endswith(after), text)
            self.assertEqual(text.count("v.nrrd"), 1)
            self.assertIn("|--:|", text)
            self.assertNotIn("old", text)
        self.assertEqual(file.stat().st_mode & 0o777, 0o640)
        self.assertEqual(sorted(f.name for f in self.folder.iterdir()), ["times.md", "v.nrrd"])

    def test_bench_keeps_the_answer_where_it_cannot_save(self):
        name = self.vessels()
        (self.folder / "open.md").write_text("<!-- bench -->\nno end\n")
        for file in ("absent-folder/x.md", ".", "open.md"):
            done = self.run_program("bench", name, "--runs", 5, "--save", file)
            self.assertEqual(done.returncode, FAILED)
            self.assertIn("classify", done.stdout)
            self.assertRegex(done.stderr, r"\Aisoscope: [^\n]+\n\Z")
            self.assertIn(file, done.stderr)
        self.assertEqual((self.folder / "open.md").read_text(), "<!-- bench -->\nno end\n")
        self.assertEqual(sorted(f.name for f in self.folder.iterdir()), ["open.md", "v.nrrd"])

    def test_bench_errors(self):
        name = self.ramp()
        self.refuses(USAGE, "bench", name, "--compare", "sort", says=["sort", *self.STAGES])
        for sweep in ("10", "10:20", "10:20:1", "10:20:1001", "10:20:x", "10:nan:3", "10:20:3:", "a:20:3", "10-20-3"):
            self.refuses(USAGE, "bench", name, "--iso-sweep", sweep, says=[sweep, "FROM:TO:COUNT"])
        for runs in ("0", "4", "-5", "10001", "many"):
            self.refuses(USAGE, "bench", name, "--runs", runs, says=["5 to 10000"])
        self.refuses(USAGE, "bench", name, "--pipeline", "unknown", says=["unknown", "staged"])
        self.refuses(USAGE, "bench", name, "--pipeline", "fused", "--rung", "bricks=none", says=["staged"])
        self.refuses(USAGE, "bench", name, "--iso", "15", "--iso-sweep", "10:20:3", says=["--iso-sweep"])
        self.refuses(USAGE, "bench", name, "--compare", "scan", "--iso-sweep", "10:20:3", says=["--compare"])
        self.refuses(USAGE, "bench", name, "--rung", "scan=fastest", "--backend", "cpu", says=["fastest", "textbook"])
        self.refuses(USAGE, "bench", name, "--output", "x")
        self.refuses(INPUT, "bench", "absent.nrrd", says=["absent.nrrd"])

    # ---- ladder ----------------------------------------------------------------------------------------------------

    def test_ladder_teaches(self):
        whole = self.run_program("ladder").stdout
        rungs = json.loads(self.run_program("ladder", "all", "--json").stdout)["rungs"]
        self.assertLessEqual({"bricks", "scan", "sum", "copy", "transpose"}, {rung["op"] for rung in rungs})
        for rung in rungs:
            self.assertIn(rung["rung"], whole)
            self.assertIn(rung["idea"], whole)
            self.assertIn(rung["idea"], self.run_program("ladder", rung["op"]).stdout)
        for op in {(rung["op"], rung["backend"]) for rung in rungs}:
            mine = [rung for rung in rungs if (rung["op"], rung["backend"]) == op]
            self.assertEqual(sum(rung["default"] for rung in mine), 1, op)

    def test_ladder_checks_every_rung(self):
        rungs = [row for row in json.loads(self.run_program("ladder", "--json").stdout)["rungs"] if row["backend"] == "cpu"]
        for op in {row["op"] for row in rungs}:
            done = self.run_program("ladder", op, "--test", "--size", 33, "--backend", "cpu", "--json")
            self.assertEqual((done.returncode, done.stderr), (OK, ""))
            found = json.loads(done.stdout)["rungs"]
            self.assertEqual([row["rung"] for row in found], [row["rung"] for row in rungs if row["op"] == op])
            for row in found:
                self.assertEqual((row["outcome"], row["why"], row["runs"], row["median_us"]), ("right", None, 0, None), row)

    def test_ladder_takes_former_names(self):
        for former, op in (("squares", "marching_squares"), ("search", "lower_bound"), ("find", "find_equal"),
                           ("peak", "fma_peak")):
            self.assertEqual(self.run_program("ladder", former, "--json").stdout, self.run_program("ladder", op, "--json").stdout)
            found = json.loads(self.run_program("ladder", former, "--test", "--size", 33, "--backend", "cpu", "--json").stdout)
            self.assertEqual({row["op"] for row in found["rungs"]}, {op})
        for former in ("squares=cells", "search=binary"):
            self.assertEqual(self.run_program("info", self.ramp(), "--backend", "cpu", "--rung", former).returncode, OK)

    def test_ladder_refuses_what_memory_cannot_hold(self):
        for op, size in (("gemm", 1 << 20), ("sum", 1 << 40), ("bricks", 1 << 16), ("gaussian", 1 << 40)):
            done = self.run_program("ladder", op, "--test", "--size", size, "--backend", "cpu")
            self.assertEqual((done.returncode, done.stderr), (OK, ""))  # too large is no fault of a rung
            self.assertRegex(done.stdout, rf"\nskipped: {op} needs [0-9.]+ GiB of host memory at this size, and [0-9.]+ GiB are free: choose a smaller --size")
            rows = json.loads(self.run_program("ladder", op, "--test", "--size", size, "--backend", "cpu", "--json").stdout)["rungs"]
            self.assertEqual({row["outcome"] for row in rows}, {"skipped"})

    def test_ladder_times_rungs(self):
        done = self.run_program("ladder", "sum", "--bench", "--size", "1000,4099", "--runs", 5, "--backend", "cpu", "--json")
        answer = json.loads(done.stdout)
        self.assertGreater(answer["backends"][0]["copy_rate_gb_per_s"], 0)
        self.assertGreater(answer["backends"][0]["peak_gflop_per_s"], 0)
        self.assertEqual({row["size"] for row in answer["rungs"]}, {1000, 4099})
        self.assertEqual(answer["rungs"][0]["times_first"], 1)
        for row in answer["rungs"]:
            self.assertEqual((row["runs"], row["operations"], row["bytes"]), (5, row["size"], 4 * row["size"] + 4))
            self.assertGreater(row["median_us"], 0)
        plain = self.run_program("ladder", "sum", "--bench", "--size", 1000, "--runs", 5, "--backend", "cpu").stdout
        for word in ("textbook", "kahan", "% of copy", "x first", "✓"):
            self.assertIn(word, plain)

    def test_ladder_saves_tables_and_a_page(self):
        done = self.run_program("ladder", "transpose", "--size", 65, "--runs", 5, "--backend", "cpu", "--save", "t.md",
                                "--report", "page.html")
        self.assertEqual((done.returncode, done.stderr), (OK, ""))
        self.assertIn("| blocks | ✓ |", (self.folder / "t.md").read_text())
        page = (self.folder / "page.html").read_text()
        for word in ("<svg", "transpose", "blocks", "per byte", "prefers-color-scheme: dark", "</html>"):
            self.assertIn(word, page)
        self.assertNotIn("http", page)  # it needs no network
        self.assertNotIn("nan", page)

    def test_ladder_errors(self):
        self.refuses(USAGE, "ladder", "quicksort", says=["quicksort", "scan", "sum", "all"])
        self.refuses(USAGE, "ladder", "sum", "--test", "--bench", says=["--test"])
        self.refuses(USAGE, "ladder", "sum", "--size", 100, says=["--bench"])
        for size in ("0", "1,", "x", "-1", "1e3", ",".join(17 * "1"), str(1 << 41)):
            self.refuses(USAGE, "ladder", "sum", "--bench", f"--size={size}", says=[size, "whole numbers"])
        for block in ("33", "2048"):
            self.refuses(USAGE, "ladder", "copy", "--bench", "--block", block, says=[block, "whole warps"])
        self.refuses(USAGE, "ladder", "sum", "--bench", "--block", 128, says=["sum", "--block"])
        for words in (["all"], []):
            self.refuses(USAGE, "ladder", *words, "--test", "--size", 33, says=["--size needs one op"])
        (self.folder / "closed").mkdir()
        done = self.run_program("ladder", "sum", "--report", "closed", "--size", 10, "--backend", "cpu", "--runs", 5)
        self.assertEqual(done.returncode, FAILED)
        self.assertIn("closed", done.stderr)

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
