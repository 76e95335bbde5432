#!/usr/bin/env python3
"""`bench` and `ladder`: answers, tables, pages and refusals. Usage: test_cli_bench.py ISOSCOPE; cli.py has more."""
import contextlib
import json
import os
import pathlib
import pty
import re
import shlex
import signal
import subprocess
import time
import unittest

import cli
from cli import FAILED, INPUT, OK, USAGE


def of_cores(allowed):
    """What a table of ranks says about processes that may run on only some of the machine's cores."""
    return f" and {allowed} of {os.cpu_count()} cores" if allowed < os.cpu_count() else ""


class Bench(cli.CommandTest):
    STAGES = ["bricks", "classify", "scan", "compact", "generate"]

    def bench(self, *words, environment={}):
        """Returns the answer in JSON from a few runs on the CPU. The tests check its content, not how fast it was."""
        done = self.run_program("bench", *words, "--backend", "cpu", "--runs", 5, "--json", environment=environment)
        self.assertEqual((done.returncode, done.stderr), (OK, ""))
        return json.loads(done.stdout)

    def ordered(self, times):
        self.assertGreaterEqual(times["min"], 0)
        self.assertGreaterEqual(times["median"], times["min"])
        self.assertGreaterEqual(times["p90"], times["median"])

    def test_threads_come_from_the_option_or_the_environment(self):
        name, environment = self.vessels(), {"OMP_NUM_THREADS": "3"}
        for words, threads in (((), 3), (("--threads", "1"), 1)):
            self.assertEqual(self.bench(name, "--iso", "60", *words, environment=environment)["threads"], threads)

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
        self.assertEqual(fused["total"]["device_us"], fused["stages"][-1]["device_us"], "one stage does it all")
        self.ordered(answer["total"]["wall_us"])
        # wall time includes waiting for the device
        self.assertGreaterEqual(answer["total"]["wall_us"]["min"], answer["total"]["device_us"]["min"])

    def test_bench_sweep(self):
        name = self.vessels()
        rows = self.bench(name, "--iso", "40:80:3")["sweep"]
        self.assertEqual([row["iso"] for row in rows], [40, 60, 80])
        self.assertEqual([row["iso"] for row in self.bench(name, "--iso", "80,40.5")["sweep"]], [80, 40.5])
        for row in rows:
            info = json.loads(self.run_program("info", name, "--iso", row["iso"], "--json").stdout)
            self.assertEqual((row["vertices"], row["triangles"]), (info["vertices"], info["triangles"]))
            self.ordered(row["device_us"])
            self.ordered(row["wall_us"])

    def test_bench_compares_all_rungs(self):
        rows = self.bench(self.vessels(), "--iso", "60", "--compare", "all")["compare"]
        text = self.run_program("--help", "rungs").stdout
        listed = [(words[0], rung) for words in map(str.split, text.split("textbook first")[1].splitlines())
                  if len(words) > 2 and words[1] == "cpu" for rung in words[2:]]
        self.assertGreater(len(listed), 10)
        self.assertEqual([(row["stage"], row["rung"] + "*" * row["default"]) for row in rows], listed)
        first = {}  # median of the first rung of each stage that runs
        for row in rows:
            lack = cli.lack(row["rung"])
            self.assertEqual((row["mesh"], row["why"]), ("skipped" if lack else "same", lack))
            if lack:
                continue
            self.ordered(row["change_us"])
            if (row["stage"], row["rung"]) == ("bricks", "none"):
                self.assertIsNone(row["device_us"]["median"])
                continue
            self.ordered(row["device_us"])
            median = row["device_us"]["median"]
            times = first.setdefault(row["stage"], median) / median
            self.assertAlmostEqual(row["times_textbook"], times, delta=1e-4 * times)  # both have 6 digits
        one = self.bench(self.vessels(), "--iso", "60", "--compare", "generate")["compare"]
        self.assertEqual({row["stage"] for row in one}, {"generate"})

    WAYS = ["opengl", "culled", "compute", "raster", "auto"]

    @unittest.skipUnless(cli.has_window(), "built without OpenGL")
    def test_bench_of_pictures(self):
        name = self.vessels()
        answer = self.bench(name, "--iso", "60", "--pictures", "--size", "200x100")
        self.assertEqual([row["way"] for row in answer["pictures"]], self.WAYS)
        self.assertEqual((answer["width"], answer["height"], answer["runs"]), (200, 100, 5))
        self.assertEqual(answer["triangles"], self.bench(name, "--iso", "60")["triangles"])
        self.assertTrue(answer["opengl"])
        for row in answer["pictures"]:
            self.ordered(row["wall_us"])
            self.assertGreater(row["wall_us"]["min"], 0)
            self.assertEqual(row["why"] is None, row["way"] != "auto", row)
        auto = self.bench("--iso", "80.5", "--pictures")["pictures"][-1]  # 393,264 triangles
        self.assertIn("measured here", auto["why"])
        done = self.run_program("bench", name, "--pictures", "--runs", 5, "--save", "t.md")
        self.assertIn("pictures of 1280 x 720 pixels, OpenGL on ", done.stdout)
        self.assertIn("| drawn by | median ms |", (self.folder / "t.md").read_text())

    @unittest.skipUnless(cli.has_window(), "built without OpenGL")
    def test_pictures_that_are_too_large(self):
        self.refuses(USAGE, "bench", self.vessels(), "--pictures", "--size", "1000000x10", says=["--size", "1000000x10"])

    @unittest.skipUnless(cli.has_window(), "built without OpenGL")
    def test_pictures_of_no_surface(self):
        """OpenGL draws the background. The other ways say why they do not draw."""
        done = self.run_program("bench", self.ramp(), "--iso", "1e6", "--pictures", "--runs", 5, "--json")
        self.assertEqual(done.returncode, OK)
        self.assertIn("no surface", done.stderr)
        for row in json.loads(done.stdout)["pictures"]:
            timed = row["way"] in ("opengl", "auto")
            self.assertEqual(row["wall_us"]["median"] is not None, timed, row)
            self.assertEqual("no opaque surface" in (row["why"] or ""), row["way"] != "opengl", row)

    def test_bench_counts_the_bytes_of_stages_that_ran(self):
        """A fused rung compared with the stages must not be charged for what the stages did before."""
        name = self.vessels()
        answer = self.bench(name, "--iso", "60", "--compare", "fused")
        self.assertEqual(answer["pipeline"], "staged and fused")
        bytes_of = {row["rung"]: row["bytes"] for row in answer["compare"]}
        for rung, pipeline in (("none", "staged"), ("rows", "fused")):
            alone = self.bench(name, "--iso", "60", "--rung", f"fused={rung}", "--pipeline", pipeline)
            self.assertEqual([row["rung"] for row in alone["stages"] if row["stage"] == "fused"], ["rows"] if pipeline == "fused" else [])
            alone = alone["total"]["bytes"]
            self.assertEqual(bytes_of[rung], alone, rung)
        self.assertLess(bytes_of["rows"], bytes_of["none"])

    def test_bench_tables(self):
        name = self.vessels()
        for words in ([], ["--compare", "all"], ["--iso", "40:80:3"]):
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

    def test_bench_of_a_file(self):
        """The file is made slab by slab, timed and removed. A file that exists already is kept."""
        name = self.vessels()
        before = self.files()
        done = self.run_program("bench", name, "--iso", "60", "-o", "x.stl", "--threads", "1")
        self.assertEqual((done.returncode, done.stderr), (OK, ""))
        for part in ("v.nrrd: 40 x 33 x 20 ", f"1 rank on 1 host, 1 thread{of_cores(len(os.sched_getaffinity(0)))} each", "STL slab by slab", "% of copy", "\n0 ", "\nall "):
            self.assertIn(part, done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 120)
        bound = self.run_program("bench", name, "--iso", "60", "-o", "x.ply", "--threads", "1",
                                 preexec_fn=lambda: os.sched_setaffinity(0, list(os.sched_getaffinity(0))[:1]))
        self.assertEqual((bound.returncode, bound.stderr), (OK, ""))
        self.assertIn(f"1 rank on 1 host, 1 thread{of_cores(1)} each: PLY", bound.stdout)
        cold = self.run_program("bench", name, "--iso", "60", "-o", "x.stl", "--cold")
        self.assertEqual((cold.returncode, cold.stderr), (OK, ""))
        self.assertIn("with no part of the file in memory", cold.stdout)
        self.assertIn("after the file was read once", done.stdout)
        self.assertEqual(self.files(), before)
        self.refuses(USAGE, "bench", name, "--cold", says=["--cold", "-o"])
        self.run_program("synth", "vessels", "--size", "16", "--gzip", "-o", "z.nrrd")
        self.refuses(USAGE, "bench", "z.nrrd", "--iso", "60", "-o", "x.ply", "--cold", says=["one uncompressed piece of a file"])
        (self.folder / "z.nrrd").unlink()
        (self.folder / "old.ply").write_text("old")
        (self.folder / "part.ply.parts").mkdir()
        for word, code, says in (("x.glb", USAGE, "other formats than"), ("x.pvtp", USAGE, "other formats than"),
                                 ("old.ply", USAGE, "old.ply already exists"), ("part.ply", USAGE, "part.ply.parts already exists"),
                                 ("x.png", USAGE, "must end in"), ("no/x.ply", FAILED, "no/x.ply")):
            self.refuses(code, "bench", name, "--iso", "60", "-o", word, says=[says])
        for words, says in (([], "--iso"), (["--iso", "60%"], "percentile"), (["--iso", "60", "--smooth", "1"], "--smooth"),
                            (["--iso", "60", "--runs", "9"], "--runs")):
            self.refuses(USAGE, "bench", name, *words, "-o", "x.ply", says=[says])
        self.refuses(USAGE, "bench", "-o", "x.ply", says=["needs a volume file"])
        self.refuses(FAILED, "bench", name, "--iso", "1e6", "-o", "x.ply", says=["no surface"])

    def test_an_interrupt_removes_the_file_of_a_bench(self):
        """Also when it is complete, and only the copies that it is compared with are made."""
        self.run_program("synth", "noise", "--size", "96", "-o", "n.nrrd")
        file, interrupted = self.folder / "x.stl", 0
        for stop in 3 * (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            child = subprocess.Popen([cli.PROGRAM, "bench", "n.nrrd", "--iso", "100", "-o", "x.stl"], cwd=self.folder,
                                     stdout=subprocess.DEVNULL)
            while child.poll() is None and not file.exists():
                time.sleep(0.001)
            child.send_signal(stop)
            interrupted += child.wait(120) == -stop
            self.assertEqual(os.listdir(self.folder), ["n.nrrd"])
        self.assertGreater(interrupted, 0)

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
        for words in (["--iso", "60"], ["--iso", "40:80:2"], ["--compare", "scan"]):
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
        done = self.run_program("bench", name, "--runs", 5, "--save", "open.md")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn("classify", done.stdout)
        self.assertRegex(done.stderr, r"\Aisoscope: [^\n]+\n\Z")
        self.assertIn("open.md", done.stderr)
        for file in ("absent-folder/x.md", "."):  # found before anything is measured
            self.refuses(FAILED, "bench", name, "--runs", 5, "--save", file, says=[file])
        self.assertEqual((self.folder / "open.md").read_text(), "<!-- bench -->\nno end\n")
        self.assertEqual(sorted(f.name for f in self.folder.iterdir()), ["open.md", "v.nrrd"])

    def test_bench_errors(self):
        name = self.ramp()
        self.refuses(USAGE, "bench", name, "--compare", "sort", says=["sort", *self.STAGES])
        for sweep in ("10:20", "10:20:1", "10:20:1001", "10:20:x", "10:nan:3", "10:20:3:", "a:20:3", "10-20-3", "10,", "10,20:30:4"):
            self.refuses(USAGE, "bench", name, "--iso", sweep, says=[sweep, "FROM:TO:COUNT"])
        for runs in ("0", "4", "-5", "10001", "many"):
            self.refuses(USAGE, "bench", name, "--runs", runs, says=["5 to 10000"])
        self.refuses(USAGE, "bench", name, "--pipeline", "unknown", says=["unknown", "staged"])
        self.refuses(USAGE, "bench", name, "--pipeline", "fused", "--rung", "bricks=none", says=["staged"])
        self.refuses(USAGE, "bench", name, "--compare", "scan", "--iso", "10:20:3", says=["--compare"])
        self.refuses(USAGE, "bench", name, "--pictures", "--iso", "10:20:3", says=["--pictures", "give one with --iso"])
        self.refuses(USAGE, "bench", name, "--pictures", "--compare", "scan", says=["--pictures", "--compare"])
        self.refuses(USAGE, "bench", name, "--pictures", "-o", "x.ply", says=["--pictures", "-o"])
        self.refuses(USAGE, "bench", name, "--size", "200x100", says=["--size", "--pictures"])
        self.refuses(USAGE, "bench", name, "--size", "200x100", "-o", "x.ply", says=["--size", "--pictures"])
        self.refuses(USAGE, "bench", name, "--pipeline", "fused", "--compare", "scan", says=["--pipeline", "--compare"])
        for pipeline, rung in (("fused", "none"), ("staged", "rows")):
            self.refuses(USAGE, "bench", name, "--pipeline", pipeline, "--rung", f"fused={rung}", says=[pipeline, rung])
        self.refuses(USAGE, "bench", name, "--rung", "scan=fastest", "--backend", "cpu", says=["fastest", "textbook"])
        self.refuses(USAGE, "bench", name, "--output", "x")
        self.refuses(INPUT, "bench", "absent.nrrd", says=["absent.nrrd"])


class Ladder(cli.CommandTest):
    def test_ladder_teaches(self):
        whole, contents = (self.run_program("ladder", *words).stdout for words in (["all"], []))
        rungs = json.loads(self.run_program("ladder", "all", "--json").stdout)["rungs"]
        self.assertLessEqual({"bricks", "scan", "sum", "copy", "transpose"}, {rung["op"] for rung in rungs})
        for rung in rungs:
            self.assertIn(rung["rung"], whole)
            self.assertIn(rung["idea"], whole)
            self.assertIn(rung["idea"], self.run_program("ladder", rung["op"]).stdout)
            self.assertIn(f"\n  {rung['op']} ", contents)
        for op in {(rung["op"], rung["backend"]) for rung in rungs}:
            mine = [rung for rung in rungs if (rung["op"], rung["backend"]) == op]
            self.assertEqual(sum(rung["default"] for rung in mine), op[1] != "opengl", op)

    def test_ladder_says_where_an_op_has_no_rungs(self):
        self.refuses(USAGE, "ladder", "banks", "--bench", "--backend", "cpu", says=["'banks'", "cpu backend"])
        done = self.run_program("ladder", "banks")
        self.assertEqual(done.returncode, OK)
        self.assertIn("ladder banks RUNG", done.stdout)

    def test_ladder_lists_the_rungs_of_a_backend(self):
        for backend, other in (("cpu", "cuda"), ("cuda", "cpu")):
            words = ["--backend", backend]
            text = self.run_program("ladder", "histogram", *words).stdout
            self.assertIn(f"\n  {backend}", text)
            self.assertNotIn(f"\n  {other}", text)
            for op in ("histogram", "all"):
                rungs = json.loads(self.run_program("ladder", op, "--json", *words).stdout)["rungs"]
                self.assertEqual({rung["backend"] for rung in rungs} - {"opengl"}, {backend})
            self.assertEqual("\nbanks: " in self.run_program("ladder", "all", *words).stdout, backend == "cuda")
        for words in ([], ["--json"]):
            self.refuses(USAGE, "ladder", "banks", "--backend", "cpu", *words, says=["'banks'", "that backend"])

    def test_ladder_shows_a_rung(self):
        done = self.run_program("ladder", "sum", "kahan", "--backend", "cpu")
        self.assertEqual((done.returncode, done.stderr), (OK, ""))
        for part in ("kernels/sum_cpu.c:", "Kahan 1965", "static int kahan("):
            self.assertIn(part, done.stdout)
        self.assertNotIn("lanes_of", done.stdout)
        self.refuses(USAGE, "ladder", "sum", "kahan", "--bench", says=["kahan"])
        self.refuses(USAGE, "ladder", "all", "kahan", says=["kahan"])

    def test_ladder_shows_rungs_on_cuda_in_any_build(self):
        rows = json.loads(self.run_program("ladder", "--json").stdout)["rungs"]
        cuda = [row for row in rows if row["backend"] == "cuda"]
        self.assertEqual({row["op"] for row in cuda}, {row["op"] for row in rows})
        self.assertTrue(all(row["built"] for row in rows if row not in cuda))
        mark = "" if cuda[0]["built"] else ", source only, not built here"
        for row in cuda:
            self.assertEqual((row["built"], row["source"] is None), (not mark, row["rung"] == "none"), row)
        text = self.run_program("ladder", "scan").stdout
        self.assertIn(f"\n  cuda{mark}\n   1 textbook ", text)
        self.assertIn(" lookback      * one pass", text)
        for words in (["--backend", "cuda"], []):
            done = self.run_program("ladder", "scan", "blelloch", *words)
            self.assertEqual((done.returncode, done.stderr), (OK, ""))
            self.assertRegex(done.stdout, r"\Ascan blelloch on cuda.*: up-sweep and down-sweep.*\n\nkernels/scan_cuda.cu:\d+\n")
            self.assertIn("__global__ ", done.stdout)
        on = re.findall(r"^sum kahan on (\w+)", self.run_program("ladder", "sum", "kahan").stdout, re.M)
        self.assertEqual(on, ["cpu", "cuda"] if mark else ["cuda", "cpu"], "what runs here comes first")
        self.refuses(USAGE, "ladder", "scan", "none", says=["textbook threads", "textbook blelloch padded inclusive lookback cub"])
        self.refuses(USAGE, "ladder", "banks", "none", "--backend", "cpu", says=["none on that backend"])

    def test_ladder_explains(self):
        done = self.run_program("ladder", "sum", "--explain", "--size", 4099, "--runs", 5, "--backend", "cpu")
        self.assertEqual((done.returncode, done.stderr), (OK, ""))
        for rung in ("textbook", "kahan", "lanes", "threads"):
            self.assertRegex(done.stdout, rf"\n\d\. {rung}: ")
        self.assertEqual(done.stdout.count("-> here "), 4)
        self.assertRegex(done.stdout, r"Fastest here: (textbook, the first rung|\w+, [\d.]+ times as fast as the first rung), at ")
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 130)
        self.refuses(USAGE, "ladder", "--explain", says=["--explain", "one op"])
        done = self.run_program("ladder", "fused", "--explain", "--size", 9, "--runs", 5, "--backend", "cpu")
        self.assertEqual(done.stdout.count("One pass over the active bricks"), 1)  # the rungs share this comment

    def test_ladder_checks_every_rung(self):
        rungs = [row for row in json.loads(self.run_program("ladder", "--json").stdout)["rungs"] if row["backend"] == "cpu"]
        for op in {row["op"] for row in rungs}:
            done = self.run_program("ladder", op, "--test", "--size", 33, "--backend", "cpu", "--json")
            self.assertEqual((done.returncode, done.stderr), (OK, ""))
            found = json.loads(done.stdout)["rungs"]
            guests = [row for row in found if row["backend"] == "opengl"]  # test_draw.py and test_draw_gl.c
            shown = ["opengl", "culled", "compute"] if op == "draw" and cli.has_window() else []
            self.assertEqual([row["rung"] for row in guests], shown)
            found = [row for row in found if row not in guests]
            self.assertEqual([row["rung"] for row in found], [row["rung"] for row in rungs if row["op"] == op])
            for row in found:
                lack = cli.lack(row["rung"])
                self.assertEqual((row["outcome"], row["why"], row["runs"], row["median_us"]),
                                 ("skipped" if lack else "right", lack, 0, None), row)

    def test_ladder_checks_many_cases(self):
        plain = self.run_program("ladder", "scan", "--test", "--backend", "cpu").stdout
        self.assertRegex(plain, r"\nrung +right +cases\n")
        self.assertRegex(plain, r"\ntextbook +✓ +26\n")
        self.assertIn(" in all these cases", plain)
        words = ["ladder", "scan", "--backend", "cpu", "--test"]
        for more, cases in ((["--json"], 26), (["--size", "1024", "--json"], None)):
            rows = json.loads(self.run_program(*words, *more).stdout)["rungs"]
            self.assertEqual([(row["outcome"], row["cases"]) for row in rows], [("right", cases)] * 2)
        for alone in (words, [*words[:-1], "--bench", "--runs", "5"]):
            self.assertIn(" at this size", self.run_program(*alone, "--size", "1024").stdout)
        stage = json.loads(self.run_program("ladder", "classify", "--test", "--backend", "cpu", "--json").stdout)["rungs"]
        self.assertEqual([(row["outcome"], row["cases"]) for row in stage], [("right", 287)] * 2)

    def test_ladder_takes_former_names(self):
        for former, op in (("squares", "marching_squares"), ("search", "lower_bound"), ("find", "find_equal"),
                           ("peak", "fma_peak"), ("add", "triad")):
            self.assertEqual(self.run_program("ladder", former, "--json").stdout, self.run_program("ladder", op, "--json").stdout)
            found = json.loads(self.run_program("ladder", former, "--test", "--size", 33, "--backend", "cpu", "--json").stdout)
            self.assertEqual({row["op"] for row in found["rungs"]}, {op})
        for former in ("squares=cells", "search=binary"):
            self.assertEqual(self.run_program("info", self.ramp(), "--backend", "cpu", "--rung", former).returncode, OK)

    def test_ladder_refuses_what_memory_cannot_hold(self):
        for op, size in (("gemm", 1 << 20), ("sum", 1 << 40), ("bricks", 1 << 16), ("gaussian", 1 << 40)):
            done = self.run_program("ladder", op, "--test", "--size", size, "--backend", "cpu")
            self.assertEqual((done.returncode, done.stderr), (OK, ""))  # an oversized input is no fault of a rung
            self.assertRegex(done.stdout, rf"\nskipped: {op} needs [0-9.]+ [GTPE]iB of host memory at this size, but only [0-9.]+ [GM]iB is free: choose a smaller --size")
            rows = json.loads(self.run_program("ladder", op, "--test", "--size", size, "--backend", "cpu", "--json").stdout)["rungs"]
            self.assertEqual({row["outcome"] for row in rows}, {"skipped"})

    def test_ladder_says_on_a_terminal_what_it_measures(self):
        ours, its = pty.openpty()
        done = subprocess.run([cli.PROGRAM, "ladder", "sum", "--test", "--size", "1000,2000", "--backend", "cpu"], stderr=its,
                              stdout=subprocess.PIPE, cwd=self.folder, text=True)
        os.close(its)
        shown = b""
        with open(ours, "rb", buffering=0) as terminal, contextlib.suppress(OSError):  # EIO: everything is read
            while part := terminal.read(4096):
                shown += part
        shown = shown.decode()
        self.assertEqual(done.returncode, OK)
        self.assertEqual(shown.split("\r\x1b[K"), ["", "1 of 2: sum, 1000 floats, cpu", "2 of 2: sum, 2000 floats, cpu", ""])
        self.assertNotIn("\x1b", done.stdout)

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
        for size in (1000, 4099):
            rows = [row for row in answer["rungs"] if row["size"] == size]
            for row in rows:
                times = rows[0]["median_us"] / row["median_us"]
                self.assertAlmostEqual(row["times_first"], times, delta=1e-4 * times)
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
        self.assertNotIn("http", page)  # the page needs no network
        self.assertNotIn("nan", page)

    def test_ladder_measures_more_than_rates(self):
        words = ["ladder", "latency", "--bench", "--size", 8192, "--runs", 5, "--backend", "cpu"]
        rows = {row["rung"]: row for row in json.loads(self.run_program(*words, "--json").stdout)["rungs"]}
        for row in rows.values():
            self.assertEqual((row["outcome"], row["measure"]), ("right", "ns per step"))
            self.assertEqual((row["gb_per_s"], row["percent_of_ceiling"]), (None, None))
            times = rows["register"]["measured"] / row["measured"]
            self.assertAlmostEqual(row["times_first"], times, delta=1e-2 * times)
        for rung, steps in (("register", 8192), ("memory", 512)):  # slow rungs do a part of the steps
            ns = 1e3 * rows[rung]["median_us"] / steps
            self.assertAlmostEqual(rows[rung]["measured"], ns, delta=1e-2 * ns)
        plain = self.run_program(*words, "--report", "page.html").stdout
        self.assertIn(" ns per step   x first\n", plain)
        self.assertNotIn(" % of ", plain.split("\n*  ")[0].split("rung ", 1)[1])
        page = (self.folder / "page.html").read_text()
        self.assertIn(">ns per step</th>", page)
        self.assertNotIn("nan", page.split("<details>")[0])
        self.assertIn("-> here ", self.run_program("ladder", "latency", "--explain", "--size", 8192, "--backend", "cpu").stdout)

    def test_ladder_takes_shapes(self):
        for op, shape, operations in (("gemm", (33, 17, 65), 2 * 33 * 17 * 65), ("gemv", (129, 7), 2 * 129 * 7)):
            words = ["ladder", op, "--bench", "--runs", 5, "--backend", "cpu", "--size", "x".join(map(str, shape))]
            for row in json.loads(self.run_program(*words, "--json").stdout)["rungs"]:
                self.assertEqual((row["shape"], row["size"], row["operations"]), (list(shape), shape[0], operations))
                self.assertEqual(row["outcome"], "right")
            self.assertIn(f"\n{' x '.join(map(str, shape))} rows and columns; ", self.run_program(*words).stdout)
        square = json.loads(self.run_program("ladder", "gemm", "--test", "--size", 33, "--backend", "cpu", "--json").stdout)
        self.assertEqual({str(row["shape"]) for row in square["rungs"]}, {"[]"})
        self.refuses(USAGE, "ladder", "gemm", "--bench", "--size", "8x8", says=["gemm", "MxNxK", "2 numbers"])
        self.refuses(USAGE, "ladder", "gemv", "--bench", "--size", "8x8x8", says=["gemv", "MxN"])
        self.refuses(USAGE, "ladder", "sum", "--bench", "--size", "8x8", says=["sum", "one number"])
        for size in ("8x", "8x8x8x8", "x8", "0x8", "8x8,9"):
            self.refuses(USAGE, "ladder", "gemm", "--bench", f"--size={size}", says=[size, "512x64x128"])

    def test_ladder_scales(self):
        """A range of sizes in equal steps of their logarithm, and a plot with a line per rung on the page."""
        answer = self.run_program("ladder", "sum", "--test", "--size", "1000:100000:5", "--backend", "cpu", "--json").stdout
        sizes = [row["size"] for row in json.loads(answer)["rungs"] if row["rung"] == "textbook"]
        self.assertEqual(sizes, [1000, 3162, 10000, 31623, 100000])
        few = json.loads(self.run_program("ladder", "sum", "--test", "--size", "1:4:16", "--backend", "cpu", "--json").stdout)
        self.assertEqual(sorted({row["size"] for row in few["rungs"]}), [1, 2, 3, 4])
        for size in ("10:5:3", "10:10:3", "10:20:1", "10:20:17", "10:20", "10:20:3:", "10,20:30:3"):
            self.refuses(USAGE, "ladder", "sum", "--bench", f"--size={size}", says=[size, "FROM:TO:COUNT"])
        self.refuses(USAGE, "ladder", "copy", "--bench", "--block=32:64:2", says=["32:64:2"])
        for words, lines in (("1000:4000:3", 4), ("1000,4000", 0)):  # two sizes make no curve
            self.run_program("ladder", "sum", "--report", "page.html", "--size", words, "--runs", 5, "--backend", "cpu")
            page = (self.folder / "page.html").read_text()
            self.assertEqual(page.count('<path class="line '), lines)
            self.assertNotIn("nan", page)
            self.assertNotIn("inf,", page)

    def test_the_roofline_shows_the_largest_size(self):
        """Which need not be the last. Small ones fit in a cache, which is no matter of the copy rate."""
        self.run_program("ladder", "sum", "--size", "3000000,10", "--runs", 5, "--backend", "cpu", "--report", "page.html")
        page = (self.folder / "page.html").read_text()
        shown = re.search(r'<svg class="roofline".*?<title>sum textbook: (\S+) ms', page, re.S)[1]
        table = page[page.index("<span>3000000 floats"):]
        self.assertEqual(re.search(r"<td>([\d.]+)</td>", table)[1], shown)
        self.assertIn("Of several sizes, the largest is shown.", page)

    def test_ladder_says_how_long_it_takes(self):
        rungs = len([row for row in json.loads(self.run_program("ladder", "--json").stdout)["rungs"] if row["backend"] != "opengl"])
        text = self.run_program("ladder").stdout
        counts = [tuple(map(int, row)) for row in re.findall(r" (\d+) +(\d+) +(\d+) min  ", text)]
        minutes = [read for cpu, cuda, read in counts if cpu + cuda]
        self.assertEqual(sum(cpu + cuda for cpu, cuda, read in counts), rungs)
        self.assertEqual(len(minutes), len({row["op"] for row in json.loads(self.run_program("ladder", "--json").stdout)["rungs"]}))
        self.assertTrue(all(1 <= n <= 120 for n in minutes), minutes)
        self.assertIn(f"\n{-(-sum(minutes) // 60)} hours to read {rungs} rungs, ", text)

    def test_ladder_tells_errors_and_predictions(self):
        words = ["--bench", "--runs", 5, "--backend", "cpu", "--json"]
        answer = json.loads(self.run_program("ladder", "sum", *words, "--size", 4099).stdout)
        for row in answer["rungs"]:  # random floats: the sum is rounded, but not by much
            self.assertTrue(0 < row["largest_error"] < 1e-6, row)
            self.assertEqual(row["kernels"], [])
            self.assertEqual(row["predicted_percent"], 100 if row["rung"] == "threads" else None)
        for row in json.loads(self.run_program("ladder", "scan", *words, "--size", 4099).stdout)["rungs"]:
            self.assertIsNone(row["largest_error"])  # whole numbers
            if row["rung"] == "threads":  # reads its input twice: 12 bytes where 8 must be moved
                self.assertAlmostEqual(row["predicted_percent"], 200 / 3, places=2)
        sort = [json.loads(self.run_program("ladder", "sort", *words, "--size", n).stdout)["rungs"][1] for n in (1024, 1025)]
        self.assertEqual([row["rung"] for row in sort], ["merge", "merge"])
        for row, passes in zip(sort, (10, 11)):  # each pass moves 16 bytes where 12 must be moved
            self.assertAlmostEqual(row["predicted_percent"], 75 / passes, places=2)
        plain = self.run_program("ladder", "sum", *words[:-1], "--size", 4099).stdout
        for word in (" error ", " predicted ", "largest"):
            self.assertIn(word, plain)
        self.assertNotIn(" error ", self.run_program("ladder", "copy", *words[:-1], "--size", 4099).stdout.split("*  ")[0])

    def test_profiling_names_what_there_is(self):
        """docs/PROFILING.md: options, rungs, files and kernels of its commands."""
        root = pathlib.Path(__file__).resolve().parent.parent
        kernels = "".join(file.read_text() for file in root.glob("kernels/*.cu*"))
        lines = [line for block in (root / "docs/PROFILING.md").read_text().split("```")[1::2] for line in block.splitlines()]
        commands = [shlex.split(line) for line in lines if " isoscope " in line]
        self.assertGreater(len(commands), 6)
        for words in commands:
            for name in words[words.index("-k") + 1].removeprefix("regex:").split("|") if "-k" in words else []:
                self.assertRegex(kernels, rf"__global__[^{{;]*\b{name}")
            command = words[words.index("isoscope") + 1:]
            known = self.run_program(command[0], "--help").stdout
            for word in command[1:]:
                if word.startswith("--"):
                    self.assertRegex(known, rf"{word}\b", command)
                elif word.endswith(".nrrd"):
                    self.assertTrue((root / word).is_file(), word)
                elif "=" in word:
                    self.assertRegex(kernels, rf'{{ {{ "{word.split("=")[1]}"', word)
            if command[0] == "ladder":
                self.assertEqual(self.run_program("ladder", command[1]).returncode, OK, command)

    def test_ladder_errors(self):
        self.refuses(USAGE, "ladder", "quicksort", says=["quicksort", "scan", "sum", "all"])
        self.refuses(USAGE, "ladder", "sum", "--test", "--bench", says=["--test"])
        self.refuses(USAGE, "ladder", "sum", "--test", "--explain", says=["--test"])
        self.refuses(USAGE, "ladder", "sum", "--size", 100, says=["--bench", "--explain"])
        self.refuses(USAGE, "ladder", "sum", "--runs", 5, says=["--bench"])
        self.refuses(USAGE, "ladder", "sum", "--test", "--runs", 5, says=["--runs", "--bench"])
        for words in (["--json"], ["--bench"], ["--report", "x.html"]):
            self.refuses(USAGE, "ladder", "sum", "--template", *words, says=["--template"])
        for size in ("0", "1,", "x", "-1", "1e3", ",".join(17 * "1"), str(1 << 41)):
            self.refuses(USAGE, "ladder", "sum", "--bench", f"--size={size}", says=[size, "whole numbers"])
        for block in ("33", "2048"):
            self.refuses(USAGE, "ladder", "copy", "--bench", "--block", block, says=[block, "multiple of 32 threads"])
        for mode in ("--bench", "--test", "--explain"):
            self.refuses(USAGE, "ladder", "copy", mode, "--block", 64, "--backend", "cpu", says=["--block", "runs on the CPU"])
        self.refuses(USAGE, "ladder", "scan", "--bench", "--block", 128, says=["scan", "--block", "tiles in shared memory"])
        for words in (["all"], []):
            self.refuses(USAGE, "ladder", *words, "--test", "--size", 33, says=["--size needs one op"])
        (self.folder / "closed").mkdir()
        done = self.run_program("ladder", "sum", "--report", "closed", "--size", 10, "--backend", "cpu", "--runs", 5)
        self.assertEqual(done.returncode, FAILED)
        self.assertIn("closed", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
