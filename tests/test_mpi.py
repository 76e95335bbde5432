#!/usr/bin/env python3
"""isoscope-mpi with 1 to 8 ranks on this machine. Files have the bytes of one process, for every type, odd shapes, thick and thin
slabs. An error of one rank is one sentence, with rank and host. Ranks are killed, or their disk fails, at calls throughout the
work.

Usage: test_mpi.py [ISOSCOPE ISOSCOPE_MPI ISOSCOPE_MPI_FAULTS]. Without programs, or without mpirun: skipped (77). FAULTS_MOST=N: at
most N places per rank and kind (default 3). MPI_TABLE=1 compares every shape by all ranks, and prints what."""
import array
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import time
import unittest

import ranks
from ranks import FAILED, INPUT, MPI, OK, OPEN_MPI, PROGRAM, SHAPES, TYPES, USAGE

MOST = int(os.environ.get("FAULTS_MOST", "3"))
TABLE = os.environ.get("MPI_TABLE")
RANKS = (1, 2, 3, 5, 8)
FORMATS = ("ply", "stl", "vtp")
MEMORY = ("52M", "64M", "1G")  # thin slabs, thick ones, one


class Mpi(ranks.RanksTest):
    def test_no_host_needs_opengl(self):
        self.says_that_it_has_no_opengl(MPI, {"ASAN_OPTIONS": "detect_leaks=0"})  # MPI's own
        alone = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
        self.assertEqual("libGL.so" in alone, ranks.cli.has_window())

    # ---- the same bytes ---------------------------------------------------------------------------------------------------

    def test_the_bytes_of_one_process(self):
        turn = 0
        for kind in TYPES:
            for i, shape in enumerate(SHAPES):
                name = self.write(kind, shape)
                for ranks in RANKS if TABLE else RANKS[i::3]:
                    ending, memory = FORMATS[turn % 3], MEMORY[turn // 3 % 3]
                    turn += 1
                    value = ("5", "4.5")[turn % 2]
                    self.assertEqual(self.run_program("extract", name, "--iso", value, "-o", f"one.{ending}").returncode, OK)
                    words = ["extract", name, "--iso", value, "-o", f"many.{ending}", "--memory", memory, "--threads", "1"]
                    done = self.mpirun(words, ranks)
                    self.assertEqual(done.returncode, OK, done)
                    self.assertTrue(self.same(f"one.{ending}", f"many.{ending}"), f"{name} by {ranks} ranks")
                    self.assertEqual(done.stdout.count("wrote"), 1, done)
                    if TABLE:
                        print(f"{kind:8} {'x'.join(map(str, shape)):10} {ending} {memory:4} {ranks} ranks: same "
                              f"{(self.folder / f'one.{ending}').stat().st_size} bytes", flush=True)
        self.assertFalse(list(self.folder.glob("*.parts")))

    def test_threads_of_a_rank_come_from_the_environment(self):
        name = self.write("uint8", SHAPES[0])
        done = self.mpirun(["bench", name, "--iso", "5", "--runs", "5", "--json"], script='export OMP_NUM_THREADS=3; exec "$@"')
        self.assertEqual(done.returncode, OK, done)
        self.assertEqual([row["threads"] for row in json.loads(done.stdout)["ranks"]], [3, 3])

    def test_one_rank_says_the_note(self):
        name = self.write("uint16", SHAPES[0])
        for words in (["extract", "-o", "a.ply"], ["bench", "-o", "b.ply"], ["bench", "--runs", "5"]):
            done = self.mpirun([words[0], name, "--iso", "4.5", "--threads", "1", *words[1:]], 2)
            self.assertEqual((done.returncode, done.said), (OK, [f"isoscope: {name}: no byte order given; little-endian assumed"]))

    def test_one_rank_says_that_chunks_are_missing(self):
        place = self.folder / "a.zarr"
        place.mkdir()
        (place / ".zarray").write_text(json.dumps({"zarr_format": 2, "shape": [64, 8, 8], "chunks": [1, 8, 8], "dtype": "|u1",
                                                   "order": "C", "fill_value": 0, "filters": None, "compressor": None}))
        for z in range(0, 64, 2):
            (place / f"{z}.0.0").write_bytes(bytes([9]) * 64)
        done = self.mpirun(["extract", "a.zarr", "--iso", "4.5", "-o", "a.ply", "--threads", "1"], 3)
        self.assertEqual((done.returncode, done.said),
                         (OK, ["isoscope: a.zarr: some of its chunks are not there and count as the fill value"]), done)

    def test_chunks_of_a_folder(self):
        name = self.write("uint8", SHAPES[0])
        self.assertEqual(self.run_program("pack", name, "-o", "v.zarr").returncode, OK)
        self.assertEqual(self.run_program("extract", "v.zarr", "--iso", "4.5", "-o", "one.ply").returncode, OK)
        done = self.mpirun(["extract", "v.zarr", "--iso", "4.5", "-o", "many.ply", "--threads", "1"], 2)
        self.assertEqual(done.returncode, OK, done)
        self.assertTrue(self.same("one.ply", "many.ply"))

    def test_several_values(self):
        name = self.write("uint8", SHAPES[1])
        done = self.mpirun(["extract", name, "--iso", "3,100,6", "-o", "many_%.ply", "--json"], 3)
        self.assertEqual(done.returncode, OK, done)
        for value in (3, 6):
            self.run_program("extract", name, "--iso", value, "-o", "one.ply")
            self.assertTrue(self.same("one.ply", f"many_{value}.ply"))
        self.assertEqual(len(re.findall("100", done.stderr)), 1, done)  # "no surface", once

    def distances(self):
        """The field of a sphere, whose first value is 0 because it bends little where it crosses: four chunks of statistics and a
        part of one, none of which ends with a layer of bricks, and some NaN."""
        n, values = (41, 37, 87), array.array("f")
        for i in range(n[0] * n[1] * n[2]):
            x, y, z = i % 41 - 19.2, i // 41 % 37 - 18.1, i // (41 * 37) - 44.3
            values.append(float("nan") if i % 977 == 5 else 15.5 - (x * x + y * y + z * z) ** 0.5)
        (self.folder / "field_41x37x87_float32.raw").write_bytes(values.tobytes())
        return "field_41x37x87_float32.raw"

    def numbers(self, text):
        """What both print: all lines but those about parts, which ranks do not find, and about the threads of a single process."""
        return [line for line in text.splitlines() if not re.match(r' *"?(part|parts|surface_note|backend|part_count)"?\b', line)]

    def test_info_of_one_process(self):
        """The output is that of one process, to the last character, as text and as JSON, however slices are shared out. Also with more
        ranks than layers."""
        volumes = [(self.distances(), "0.25")] + [(self.write(kind, SHAPES[i % 3]), "4.5") for i, kind in enumerate(TYPES)]
        for i, (name, value) in enumerate(volumes):
            for ranks in RANKS if TABLE or not i else RANKS[i % 3::3]:
                for words in (["--iso", "70%", "--json"], ["--iso", value], ["--json"], ["--iso", "1e9"])[:2 if i else 4]:
                    words = ["info", name, *words, "--threads", "1"]
                    one = self.run_program(*words)
                    many = self.mpirun([*words, "--memory", MEMORY[i % 3]], ranks)
                    self.assertEqual((one.returncode, many.returncode), (OK, OK), many)
                    if "--json" in words:
                        one, many = (json.loads(done.stdout) for done in (one, many))
                        for key in ("part_count", "parts", "backend", "surface_note"):
                            one.pop(key, None), many.pop(key, None)
                        self.assertEqual(repr(one), repr(many), f"{words} by {ranks} ranks")
                        continue
                    self.assertEqual(many.stderr.count("no surface"), value not in words)
                    one, many = (re.sub(r"\n\n.*", "", done.stdout, flags=re.S) for done in (one, many))
                    self.assertEqual(self.numbers(one), self.numbers(many), f"{words} by {ranks} ranks")
        self.assertEqual(json.loads(self.run_program("info", self.distances(), "--json").stdout)["first_value"], 0)

    # ---- where the time goes ----------------------------------------------------------------------------------------------

    def test_bench(self):
        """Bytes, voxels and counts are right, times add up to the wall, and nothing is left."""
        name = self.write("uint16", SHAPES[1])
        surface = json.loads(self.run_program("extract", name, "--iso", "5", "-o", "one.ply", "--json").stdout)
        records = (self.folder / "one.ply").read_bytes()
        records = len(records) - records.index(b"end_header\n") - len(b"end_header\n")
        (self.folder / "one.ply").unlink()
        voxels = SHAPES[1][0] * SHAPES[1][1] * SHAPES[1][2]
        before = self.files()
        for ranks, words in ((1, ["-o", "new.ply"]), (2, ["-o", "other.ply"]), (3, ["-o", "new.ply"])):
            words = ["bench", name, "--iso", "5", "--threads", "1", "--memory", "52M", "--json", *words]
            done = self.mpirun(words, ranks)
            self.assertEqual(done.returncode, OK, done)
            self.assertEqual(self.files(), before)
            answer = json.loads(done.stdout)
            rows = answer["ranks"]
            self.assertEqual((len(rows), answer["hosts"]), (ranks, 1))
            self.assertEqual([answer[key] for key in ("vertices", "triangles", "format", "iso")],
                             [surface[key] for key in ("vertices", "triangles", "format", "iso")])
            self.assertEqual(sum(row["voxels"] for row in rows), voxels)
            self.assertEqual(sum(row["written_bytes"] for row in rows), records)
            self.assertGreaterEqual(sum(row["read_bytes"] for row in rows), 2 * voxels)
            for row in rows:
                self.assertEqual(row["threads"], 1)
                self.assertIn(row["cores"], range(1, os.cpu_count() + 1))
                self.assertAlmostEqual(row["wall_s"], sum(row[key] for key in ("compute_s", "write_s", "wait_s")), delta=1e-4)
                self.assertAlmostEqual(row["wait_s"], row["wait_for_slices_s"] + row["wait_for_ranks_s"], delta=1e-4)
                self.assertGreater(min(row[key] for key in ("read_gb_per_s", "write_percent_of_copy", "percent_of_copy")), 0)
            self.assertEqual(answer["all"]["wall_s"], max(row["wall_s"] for row in rows))
            self.assertGreater(min(row["cpu_s"] for row in rows), 0)
            self.assertAlmostEqual(answer["all"]["cpu_s"], sum(row["cpu_s"] for row in rows), delta=1e-4)
        done = self.mpirun(["bench", name, "--iso", "5", "-o", "new.ply", "--save", "table.md"], 2)
        self.assertEqual((done.returncode, done.stdout.count("\nall ")), (OK, 2), done)  # a row, and what it means
        self.assertIn("2 ranks on 1 host", (self.folder / "table.md").read_text())
        self.assertEqual(set(self.files()) - set(before), {self.folder / "table.md"})

    def test_bench_in_memory(self):
        """The shares are those of one surface, whichever rung is timed and however slices are divided. A run ends with its
        slowest rank."""
        for shape, ranks, words in ((SHAPES[1], 2, []), (SHAPES[1], 3, ["--rung", "fused=none"]), (SHAPES[0], 5, []), (SHAPES[2], 2, [])):
            name = self.write("uint8", shape)
            surface = json.loads(self.run_program("info", name, "--iso", "5", "--json").stdout)
            done = self.mpirun(["bench", name, "--iso", "5", "--threads", "1", "--runs", "7", "--json", *words], ranks)
            self.assertEqual(done.returncode, OK, done)
            answer = json.loads(done.stdout)
            rows, last = answer["ranks"], answer["all"]
            self.assertEqual([answer[key] for key in ("vertices", "triangles", "iso", "runs", "pipeline")],
                             [surface["vertices"], surface["triangles"], 5, 7, "staged" if words else "fused"])
            self.assertEqual((len(rows), [row["gpu"] for row in rows]), (ranks, [None] * ranks))
            for key, all in (("voxels", shape[0] * shape[1] * shape[2]), ("triangles", surface["triangles"])):
                self.assertEqual((sum(row[key] for row in rows), last[key]), (all, all))
            self.assertGreater(min(row["voxels"] for row in rows), 0)
            for key in ("median_us", "min_us", "p90_us"):
                self.assertGreaterEqual(last[key], max(row[key] for row in rows))
            self.assertGreater(min(row["min_us"] for row in rows), 0)
        before = set(self.files())
        done = self.mpirun(["bench", name, "--iso", "5", "--save", "table.md"], 2)
        self.assertEqual((done.returncode, done.stdout.count("\nall ")), (OK, 2), done)
        self.assertIn("each rank its share in memory", (self.folder / "table.md").read_text())
        self.assertEqual(set(self.files()) - before, {self.folder / "table.md"})

    # ---- what is said -----------------------------------------------------------------------------------------------------

    def test_one_sentence(self):
        name, flat = self.write("uint8", SHAPES[1]), self.write("uint8", SHAPES[2])
        (self.folder / "old.ply").write_text("old")
        (self.folder / "v.nrrd.gz").write_bytes(gzip.compress(b"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 2\n"
                                                              b"encoding: raw\n\n" + bytes(8)))
        before = self.files()
        for words, code, says in ((["info", "v.nrrd.gz"], USAGE, "isoscope pack FILE -o"),
                                  (["extract", "nix.nrrd", "--iso", "5", "-o", "out.ply"], INPUT, "no such file"),
                                  (["extract", name, "--iso", "5", "-o", "out.ply", "--close"], USAGE, "--close is possible only in memory"),
                                  (["extract", name, "--iso", "500", "-o", "out.ply"], FAILED, "no surface"),
                                  (["extract", name, "--iso", "5,6", "-o", "out.ply"], USAGE, "need a single process: put % in"),
                                  (["extract", name, "--iso", "5", "-o", "out.ply", "--memory", "10M"], FAILED, "slab by slab"),
                                  (["extract", name, "--iso", "5", "-o", "out.ply", "--part", "1/2", "--phase", "count"], USAGE,
                                   "leave it out under mpirun"),
                                  (["verify", name], USAGE, "runs in one process"),
                                  (["info", "nix.nrrd"], INPUT, "no such file"), (["info"], USAGE, "needs a file"),
                                  (["info", name, "--iso", "5", "--close"], USAGE, "--close is possible only in memory"),
                                  (["info", name, "--memory", "10M"], FAILED, "slab by slab"),
                                  (["bench", name, "--iso", "5", "-o", name], USAGE, "this is the input file"),
                                  (["bench", name, "--iso", "5", "-o", "old.ply"], USAGE, "old.ply already exists"),
                                  (["bench", name, "-o", "out.ply"], USAGE, "give one with --iso"),
                                  (["bench", name, "--iso", "5", "--compare", "all"], USAGE, "--compare times stages"),
                                  (["bench", name, "--iso", "500"], FAILED, "no surface"),
                                  (["bench", name, "--iso", "5", "-o", "out.ply", "--memory", "10M"], FAILED, "slab by slab"),
                                  (["bench", name, "--iso", "5", "--memory", "1K"], FAILED, "a rank's share needs"),
                                  (["bench", name, "--iso", "5%"], USAGE, "finding a percentile or a standard deviation is possible only in memory"),
                                  (["bench", name, "--iso", "5", "--rung", "fused=none", "--rung", "generate=soup"], USAGE, "triangles that share no vertices"),
                                  (["bench", flat, "--iso", "5"], USAGE, "3 ranks cannot share 5 slices: use at most 2 ranks"),
                                  (["bench"], USAGE, "bench needs a file under mpirun"), (["extract", "--oops"], USAGE, "unknown option")):
            done = self.mpirun(words, 3)
            self.assertEqual((done.returncode, len(done.said), done.stdout), (code, 1, ""), done)
            self.assertIn(says, done.said[0])
            self.assertNotRegex(done.said[0], r"rank \d")  # all of them say it
        self.assertEqual(self.files(), before)

    def test_ranks_that_fail_for_different_reasons(self):
        """All ranks fail. The printed sentence is the first one's, with its rank and host."""
        name = self.write("uint8", SHAPES[0])
        stack = 'export OMP_STACKSIZE=$((${OMPI_COMM_WORLD_RANK:-$PMI_RANK} + 3))k; exec "$@"'
        done = self.mpirun(["info", name], 3, script=stack)
        self.assertEqual((done.returncode, len(done.said)), (USAGE, 1), done)
        self.assertRegex(done.said[0], r"^isoscope: rank 0 on \S+: OMP_STACKSIZE=3k gives")
        done = self.mpirun(["info", name], 3, script='export OMP_STACKSIZE=3k; exec "$@"')
        self.assertEqual((done.returncode, len(done.said)), (USAGE, 1), done)
        self.assertRegex(done.said[0], r"^isoscope: OMP_STACKSIZE=3k gives")

    def test_the_program_without_mpi_refuses(self):
        if not OPEN_MPI:
            self.skipTest("other launchers tell their processes less")
        done = self.mpirun(["info", self.write("uint8", SHAPES[0])], 2, program=ranks.PROGRAM)
        self.assertEqual(done.returncode, USAGE, done)
        self.assertIn("OMPI_COMM_WORLD_SIZE=2", done.said[0])
        done = self.mpirun(["info", self.write("uint8", SHAPES[0])], 2, program=ranks.PROGRAM,
                           script='export ISOSCOPE_ALONE=1; exec "$@"')
        self.assertEqual((done.returncode, done.stdout.count("dims ")), (OK, 2), done)

    def test_a_launcher_that_this_mpi_does_not_see(self):
        """Refused, because each process would make the whole file. Parts run alone on purpose. mpirun's own count overrides
        Slurm's."""
        name = self.write("uint8", SHAPES[0])
        words = ["extract", name, "--iso", "5", "-o", "out.ply"]
        strange = {"PMI_SIZE": "4", "PMI_RANK": "2"}, {"SLURM_STEP_NUM_TASKS": "8"}, {"PMIX_RANK": "3"}
        alone = {"SLURM_STEP_NUM_TASKS": "1"}, {"OMPI_COMM_WORLD_SIZE": "1", "SLURM_STEP_NUM_TASKS": "2"}
        for program, sees in ((MPI, "this MPI sees one: was isoscope-mpi built"), (ranks.PROGRAM, "this program works alone")):
            for variables in strange + alone:
                (self.folder / "out.ply").unlink(missing_ok=True)
                run = {"cwd": self.folder, "capture_output": True, "text": True, "env": {**self.environment, **variables}}
                done = subprocess.run([program, *words], **run)
                if variables in alone:
                    self.assertEqual(done.returncode, OK, done)
                    continue
                self.assertEqual((done.returncode, done.stderr.count("\n"), done.stdout), (USAGE, 1, ""), done)
                first = next(iter(variables))
                self.assertIn(f"started together ({first}={variables[first]}), but {sees}", done.stderr)
                self.assertFalse((self.folder / "out.ply").exists())
                done = subprocess.run([program, *words, "--part", "1/2", "--phase", "count"], **run)
                self.assertEqual(done.returncode, OK, done)
                shutil.rmtree(self.folder / "out.ply.parts")
                run["env"]["ISOSCOPE_ALONE"] = "1"  # each has work of its own; isoscope-mpi is for nothing but one work
                done = subprocess.run([program, *words], **run)
                self.assertEqual(done.returncode, USAGE if program == MPI else OK, done)

    def test_another_number_of_ranks_is_refused_after_a_crash(self):
        name = self.write("uint8", SHAPES[1])
        words = ["extract", name, "--iso", "5", "-o", "out.ply", "--memory", "52M", "--threads", "1"]
        self.assertNotEqual(self.mpirun(words, ranks=["", "kill:20"]).returncode, OK)
        done = self.mpirun(words, 3)
        self.assertEqual((done.returncode, len(done.said)), (USAGE, 1), done)
        self.assertIn("begun with '2 parts', but this command is '3 parts'", done.said[0])

    # ---- faults -----------------------------------------------------------------------------------------------------------

    def test_ranks_that_fail(self):
        name = self.write("uint8", SHAPES[1])
        words = ["extract", name, "--iso", "5", "-o", "out.ply", "--memory", "52M", "--threads", "1"]
        self.run_program("extract", name, "--iso", "5", "-o", "one.ply")
        self.assertEqual(self.mpirun(words, ranks=["", "", ""]).returncode, OK)
        counts = self.calls(3)
        longest = runs = 0
        for rank in range(3):
            for kind in ("kill", "disk"):
                total = int(counts[rank][kind])
                for n in range(1, total + 1, max(1, -(-total // MOST))):
                    (self.folder / "out.ply").write_text("old")
                    start = time.monotonic()
                    done = self.mpirun(words, ranks=[f"{kind}:{n}" if i == rank else "" for i in range(3)])
                    longest, runs = max(longest, time.monotonic() - start), runs + 1
                    what = f"{kind}:{n} of {total} on rank {rank}: {done}"
                    if kind == "disk" and done.returncode:
                        self.assertIn(done.returncode, (FAILED, INPUT), what)
                        self.assertEqual(len(done.said), 1, what)
                        self.assertRegex(done.said[0], rf"^isoscope: rank {rank} on \S+: ", what)
                        self.assertEqual((self.folder / "out.ply").read_text(), "old", what)
                    if done.returncode and not self.same("out.ply", "one.ply"):
                        self.assertEqual((self.folder / "out.ply").read_text(), "old", what)
                    done = self.mpirun(words, 3)
                    self.assertEqual(done.returncode, OK, f"{what}; again: {done}")
                    self.assertTrue(self.same("out.ply", "one.ply"), what)
                    self.assertFalse((self.folder / "out.ply.parts").exists(), what)
        print(f"{runs} runs with a rank that failed; the longest took {longest:.1f} s", file=sys.stderr)

    def test_ranks_that_fail_at_what_only_tells(self):
        """If a rank fails, info and bench print no answer but one sentence, or, if it is killed, MPI's message. They leave no
        surface."""
        name = self.write("uint8", SHAPES[1])
        for words in (["info", name, "--iso", "5"], ["bench", name, "--iso", "5", "-o", "new.ply"]):
            words += ["--memory", "52M", "--threads", "1"]
            self.assertEqual(self.mpirun(words, ranks=["", "", ""]).returncode, OK)
            counts = self.calls(3)
            before = set(self.files())
            for rank in range(3):
                for kind in ("kill", "disk"):
                    total = int(counts[rank][kind])
                    self.assertGreater(total, 1)
                    for n in range(1, total + 1, max(1, -(-total // min(MOST, 2)))):
                        done = self.mpirun(words, ranks=[f"{kind}:{n}" if i == rank else "" for i in range(3)])
                        what = f"{words[0]}, {kind}:{n} of {total} on rank {rank}: {done}"
                        self.assertFalse((self.folder / "new.ply").exists(), what)
                        if kind == "kill":
                            self.assertNotIn(done.returncode, (OK, FAILED, USAGE, INPUT), what)
                            self.assertTrue(not OPEN_MPI or done.returncode == 137, what)
                            self.assertTrue(not OPEN_MPI or re.search(rf"rank {rank} .*on signal 9", done.stderr, re.S), what)
                            if (self.folder / "new.ply.parts").exists():
                                again = self.mpirun(words, 3)
                                self.assertEqual((again.returncode, len(again.said)), (USAGE, 1), again)
                                self.assertIn("new.ply.parts already exists", again.said[0])
                                self.assertIn("delete it", again.said[0])
                            self.assertEqual((done.stdout.count("voxels"), done.said), (0, []), what)
                            shutil.rmtree(self.folder / "new.ply.parts", ignore_errors=True)
                        elif done.returncode:  # what is not needed may fail
                            self.assertIn(done.returncode, (FAILED, INPUT), what)
                            self.assertEqual(len(done.said), 1, what)
                            self.assertRegex(done.said[0], rf"^isoscope: rank {rank} on \S+: ", what)
                        self.assertEqual(set(self.files()), before, what)


if __name__ == "__main__":
    unittest.main()
