#!/usr/bin/env python3
"""The user's own rungs: compiled, checked in a separate process, timed. Usage: test_mine.py ISOSCOPE; cli.py has more."""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest

import cli
from cli import FAILED, INPUT, NO_CUDA, OK, USAGE

NVCC = shutil.which("nvcc") or os.path.exists("/usr/local/cuda/bin/nvcc")
HANG = "    for (volatile int i = 0;; i++) { }\n"


class RungTest(cli.CommandTest):
    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache"
        self.cache.mkdir()

    def run_program(self, *words, environment={}, **how):
        own = {"XDG_CACHE_HOME": str(self.cache), "MESA_SHADER_CACHE_DISABLE": "true"}  # where OpenGL draws, too
        return super().run_program(*words, environment={**own, **environment}, **how)

    def tearDown(self):
        self.assertEqual(list(self.cache.iterdir()), [])  # whatever happened, nothing stays behind

    def template(self, op, *words):
        done = self.run_program("ladder", op, "--template", *words)
        self.assertEqual((done.returncode, done.stderr), (OK, ""))
        return done.stdout

    def write(self, text, name="my.c"):
        (self.folder / name).write_text(text)
        return name

    def is_right(self, op, name, *words):
        done = self.run_program("ladder", op, "--rung-file", name, "--test", *words)
        self.assertEqual((done.returncode, done.stderr), (OK, ""))
        self.assertRegex(done.stdout, rf"\A{re.escape(name)} is right: \d+ cases\n")
        self.assertRegex(done.stdout, r"\nmine +✓")


@unittest.skipUnless(any(map(shutil.which, ("cc", "gcc", "clang"))), "no C compiler")
class OnTheCpu(RungTest):
    def classify(self, *changes, name="my.c"):
        """The template of classify with some text replaced."""
        text = self.template("classify")
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new, 1)
        return self.write(text, name)

    def begins(self, code):
        """The rung with code that runs first."""
        return self.classify(("    (void)x;\n", "    (void)x;\n" + code), ('#include "own_rung.h"', '#include "own_rung.h"\n#include <stdio.h>'
                                                                                      "\n#include <stdlib.h>"))

    def test_a_right_one_is_timed_beside_the_others(self):
        name = self.classify()
        done = self.run_program("ladder", "classify", "--rung-file", name, "--size", 33, "--runs", 5, "--json")
        self.assertEqual((done.returncode, done.stderr), (OK, ""))
        rungs = json.loads(done.stdout)["rungs"]
        self.assertEqual({(rung["op"], rung["backend"]) for rung in rungs}, {("classify", "cpu")})
        self.assertEqual([rung["rung"] for rung in rungs], ["textbook", "rows", "mine"])
        self.assertEqual({rung["outcome"] for rung in rungs}, {"right"})
        self.assertGreater(rungs[-1]["median_us"], 0)
        done = self.run_program("ladder", "classify", "--rung-file", name, "--size", 33, "--test")
        self.assertRegex(done.stdout, r"\Amy\.c is right: \d{3} cases\n")
        self.assertNotIn("median", done.stdout)

    def test_every_template_is_right(self):
        """All ops whose textbook rung is short. The program contains what a template includes."""
        rungs = json.loads(self.run_program("ladder", "--json").stdout)["rungs"]
        ops = {row["op"] for row in rungs if row["backend"] == "cpu"}
        self.refuses(FAILED, "ladder", "fused", "--template", says=["fused", "short enough"])
        self.refuses(USAGE, "ladder", "banks", "--template", "--backend", "cpu", says="add --backend cuda")
        for op in sorted(ops - {"fused"}):
            with self.subTest(op=op):
                name = self.write(self.template(op), op + ".c")
                self.is_right(op, name, "--size", 33)

    def test_a_wrong_one_says_where(self):
        name = self.classify(("= s->triangles;", "= s->triangles + (s->triangles == 3);"))
        self.refuses(FAILED, "ladder", "classify", "--rung-file", name,
                     says=["my.c is wrong at ", "uint8, ", "the number of triangles of strip ", " is 4, not 3"])

    def test_what_was_not_written_is_said(self):
        name = self.classify(("out->inside[i] = state == BRICK_INSIDE;", ""), ("out->inside[i] = in;", ""))
        self.refuses(FAILED, "ladder", "classify", "--rung-file", name, says=["the inside word of strip 0", "4294967295, as before the run"])

    def test_one_that_is_right_by_luck_at_first(self):
        """As one with a race: the size that is timed is checked again."""
        text = self.template("histogram")
        late = "    static int calls;\n    if (grid->nx == 70 && ++calls == 3) desc->counts[0]++;\n    return 0;\n}\n\nISO_MINE"
        self.assertIn("    return 0;\n}\n\nISO_MINE", text)
        name = self.write(text.replace("    return 0;\n}\n\nISO_MINE", late))
        self.refuses(FAILED, "ladder", "histogram", "--rung-file", name, "--size", 70,
                     says=["my.c is wrong at 70 voxels along each axis", "bin 0 holds"])

    def test_one_that_crashes_at_one_of_the_sizes(self):
        """All sizes that are timed run in the other process first."""
        late = "    if (n == 3000) __builtin_trap();\n    float sum = 0;\n"
        text = self.template("sum")
        self.assertIn("    float sum = 0;\n", text)
        name = self.write(text.replace("    float sum = 0;\n", late, 1))
        for sizes in ("3000,4000", "4000,3000", "1000:9000:3"):
            self.refuses(FAILED, "ladder", "sum", "--rung-file", name, "--size", sizes, "--runs", 5, says=["my.c crashed at 3000 floats"])
        self.is_right("sum", name, "--size", "2999,4000")

    def test_the_steps_of_the_manual(self):
        """What the manual's section tells the reader to type and to change, word by word."""
        text = (pathlib.Path(__file__).resolve().parent.parent / "docs/MANUAL.md").read_text()
        walk = text.split("### A rung of your own\n")[1].split("\n## ")[0]
        for line in ("PATH=$PWD/build:$PATH ", "isoscope ladder classify --template > my.c ", "isoscope ladder classify --rung-file my.c "):
            self.assertIn(f"\n{line}", walk)
        pragma, wrong = re.search(r"put\s`(#pragma [^`]*)`\sbefore\sthe\sloop\sover\s`(y)`", walk).groups()
        right, = re.search(r"before\sthe\sloop\sover\s`(z)`", walk).groups()
        name = self.classify((f"for (size_t {wrong} = 0;", f"\n{pragma}\nfor (size_t {wrong} = 0;"))
        many = {"environment": {"OMP_NUM_THREADS": "4"}}  # they race for one number on any machine
        self.refuses(FAILED, "ladder", "classify", "--rung-file", name, "--test", says=["my.c is wrong at"], **many)
        self.classify((f"for (size_t {right} = 0;", f"\n{pragma}\nfor (size_t {right} = 0;"))
        self.is_right("classify", name)

    def test_writing_elsewhere_is_wrong(self):
        name = self.begins("    out->inside[out->count] = 7;\n")
        self.refuses(FAILED, "ladder", "classify", "--rung-file", name, says=["my.c is wrong at 2x2x2", "outside an output of "])

    def test_a_crash_is_one_sentence(self):
        name = self.begins('    printf("so far\\n");\n    abort();\n')
        done = self.run_program("ladder", "classify", "--rung-file", name)
        self.assertEqual((done.returncode, done.stdout), (FAILED, ""))
        self.assertRegex(done.stderr, r"\Aso far\nisoscope: my\.c crashed at 2x2x2 uint8, [^\n]*: Aborted\n\Z")

    def test_what_it_printed_last_is_seen(self):
        name = self.begins('    for (int i = 1; i <= 9999; i++) printf("step %d\\n", i);\n    abort();\n')
        lines = self.run_program("ladder", "classify", "--rung-file", name).stderr.splitlines()
        self.assertTrue(lines[0].startswith("..."))
        self.assertEqual(lines[1:-1], [f"step {i}" for i in range(10001 - len(lines[:-1]), 10000)])
        self.assertIn("my.c crashed at 2x2x2", lines[-1])

    def test_what_it_prints_is_a_message(self):
        """Also what it prints while it is timed: the answer stays JSON."""
        name = self.begins('    printf("so far\\n");\n')
        done = self.run_program("ladder", "classify", "--rung-file", name, "--size", 9, "--runs", 5, "--json")
        self.assertEqual((done.returncode, set(done.stderr.splitlines())), (OK, {"so far"}))
        self.assertEqual(json.loads(done.stdout)["rungs"][-1]["outcome"], "right")

    def test_threads_are_as_many_as_asked_for(self):
        """Also where the rung leaves their number to OpenMP, as in the tutorial. The cases before have their own numbers."""
        count = "    int threads = 0;\n#pragma omp parallel reduction(+ : threads)\n    threads++;\n    printf(\"%d threads\\n\", threads);\n"
        for threads in (1, 3):
            done = self.run_program("ladder", "classify", "--rung-file", self.begins(count), "--size", 9, "--runs", 5, "--threads", threads)
            self.assertEqual(done.returncode, OK, done.stderr)
            self.assertEqual(done.stderr.splitlines()[-1], f"{threads} threads")

    def test_an_end_of_its_own(self):
        self.refuses(FAILED, "ladder", "classify", "--rung-file", self.begins("    exit(0);\n"),
                     says=["my.c ended its process at 2x2x2", "exit code 0"])

    def test_what_hangs_is_stopped(self):
        self.refuses(FAILED, "ladder", "classify", "--rung-file", self.begins(HANG), environment={"ISOSCOPE_RUNG_SECONDS": "0.5"},
                     says=["my.c was stopped at 2x2x2", "more than 0.5 s", "ISOSCOPE_RUNG_SECONDS"])

    def test_a_limit_that_is_none(self):
        name = self.classify()
        for limit in ("60s", "0", "-1", "nan"):
            self.refuses(USAGE, "ladder", "classify", "--rung-file", name, environment={"ISOSCOPE_RUNG_SECONDS": limit},
                         says=[f"ISOSCOPE_RUNG_SECONDS={limit}: ", "number of seconds"])

    def words_of(self, process):
        """A process's words, from /proc. Nothing if it has ended, as compilers do."""
        try:
            return pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            return b""

    def test_what_hangs_ends_with_the_program(self):
        """When the waiting process is killed, the checking process ends, too: both right after its start and once the rung hangs.
        Only its folder stays."""
        words = [cli.PROGRAM, "ladder", "classify", "--rung-file", self.begins(HANG)]
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.cache)}
        for hangs in (False, True):
            with subprocess.Popen(words, cwd=self.folder, env=environment) as program:
                child, end = None, time.monotonic() + 60
                while not child and time.monotonic() < end:
                    children = pathlib.Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text().split()
                    child = next((one for one in children if b"--mine-child" in self.words_of(one)), None)
                    time.sleep(0.001)
                self.assertTrue(child)
                while hangs and not any(b"2x2x2" in path.read_bytes() for path in self.cache.glob("isoscope*/report")):
                    self.assertLess(time.monotonic(), end)
                    time.sleep(0.01)
                program.send_signal(signal.SIGKILL)
                program.wait()
                end = time.monotonic() + 60
                while pathlib.Path(f"/proc/{child}").exists() and time.monotonic() < end:
                    time.sleep(0.01)
            self.assertFalse(pathlib.Path(f"/proc/{child}").exists())
            shutil.rmtree(self.cache)
            self.cache.mkdir()

    def test_an_interrupt_takes_the_compiler_along(self):
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / "cc").write_text('#!/bin/sh\necho $$ > "$RECORD"\nexec sleep 300\n')
        (programs / "cc").chmod(0o700)
        self.ends_with_its_program(signal.SIGINT, self.folder / "child", "ladder", "classify", "--rung-file", self.classify(),
                                   environment={"XDG_CACHE_HOME": str(self.cache), "PATH": f"{programs}:/usr/bin:/bin",
                                                "RECORD": str(self.folder / "child")})

    def test_an_interrupt_takes_the_check_along(self):
        """Its folder is removed as well, with a folder that it contains by then."""
        self.ends_with_its_program(signal.SIGINT, self.folder / "child", "ladder", "classify", "--rung-file",
                                   self.begins(f'    FILE *file = fopen("{self.folder}/child", "w");\n'
                                               '    extern int getpid(void);\n    fprintf(file, "%d\\n", getpid()), fclose(file);\n' + HANG),
                                   environment={"XDG_CACHE_HOME": str(self.cache)})

    def test_errors_of_the_compiler(self):
        name = self.classify(("size_t i = z * g->ny * g->nx;\n", "size_t i = nothing;\n"))
        done = self.run_program("ladder", "classify", "--rung-file", name)
        self.assertEqual((done.returncode, done.stdout), (FAILED, ""))
        lines = done.stderr.splitlines()
        self.assertRegex(lines[-1], r"\Aisoscope: my\.c does not compile: my\.c:\d+:\d+: error: .*nothing")
        self.assertGreater(len(lines), 2)  # all that it said

    def test_what_is_missing_is_found_before_it_runs(self):
        name = self.classify(("    (void)x;\n", "    extern void elsewhere(void);\n    elsewhere();\n"))
        done = self.run_program("ladder", "classify", "--rung-file", name)
        self.assertRegex(done.stderr.splitlines()[-1], r"\Aisoscope: my\.c does not compile: .*elsewhere")

    def test_a_file_without_a_rung(self):
        text = re.sub(r"ISO_MINE.*;\n", "", self.template("classify"))
        self.refuses(FAILED, "ladder", "classify", "--rung-file", self.write(text), says=["my.c", "ISO_MINE(OP)", "--template"])

    def test_a_rung_of_another_op(self):
        name = self.write(self.template("sum"))
        self.refuses(USAGE, "ladder", "classify", "--rung-file", name, says=["a rung of sum", "ladder sum --rung-file my.c"])

    def test_a_width_that_no_stage_takes(self):
        name = self.classify((", textbook, 1 };", ", textbook, 7 };"))
        self.refuses(FAILED, "ladder", "classify", "--rung-file", name,
                     says=["my.c", "no test case of classify suits it: it makes strips of neither 1 nor 32 voxels"])

    def test_without_a_compiler(self):
        self.refuses(FAILED, "ladder", "classify", "--rung-file", self.classify(), environment={"PATH": "/nowhere"},
                     says=["my.c", "cc, gcc or clang"])

    def test_a_disk_that_fills_up_while_a_header_is_written(self):
        def limit():  # a file takes some of its bytes, as on a disk that is nearly full
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

        self.refuses(FAILED, "ladder", "classify", "--rung-file", self.classify(), preexec_fn=limit,
                     says=["cannot be written: File too large"])

    def test_words(self):
        name = self.classify()
        self.write("", "my.cu")
        for words in (["--rung-file", name], ["all", "--rung-file", name], ["classify", "rows", "--rung-file", name],
                      ["--template"], ["all", "--contract"]):
            self.refuses(USAGE, "ladder", *words, says=["one op"])
        for words in (["--template", "--contract"], ["--template", "--rung-file", name], ["--contract", "--rung-file", name]):
            self.refuses(USAGE, "ladder", "classify", *words, says=[words[0], "leave out the other options"])
        self.refuses(USAGE, "ladder", "classify", "--rung-file", "my.txt", says=[".c", ".cu"])
        self.refuses(INPUT, "ladder", "classify", "--rung-file", "no.c", says=["no.c", "no such file"])
        (self.folder / "folder.c").mkdir()
        os.mkfifo(self.folder / "pipe.c")
        for odd in ("folder.c", "pipe.c"):
            self.refuses(INPUT, "ladder", "classify", "--rung-file", odd, says=[odd, "expected a regular file"])
        self.refuses(USAGE, "ladder", "classify", "--rung-file", name, "--backend", "cuda", says=["a rung for cpu"])
        self.refuses(USAGE, "ladder", "classify", "--rung-file", "my.cu", "--backend", "cpu", says=["a rung for cuda"])
        (self.folder / "-o.c").write_text((self.folder / name).read_text())  # no option of the compiler
        self.is_right("classify", "-o.c", "--size", 33)

    def test_no_shell_sees_the_name(self):
        name = self.classify(name="a b; touch x $(touch y) `touch z`.c")
        self.is_right("classify", name, "--size", 33)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {name, "cache"})

    @unittest.skipUnless(cli.has_window(), "built without OpenGL")
    def test_states_do_not_carry_it(self):
        self.classify()
        (self.folder / "s.txt").write_text("isoscope state 1\nrung-file = my.c\n")
        self.refuses(cli.INPUT, "render", self.ramp(), "--load-state", "s.txt", "-o", "x.png", says=["rung-file"])

    def test_the_contract_is_all_that_a_file_includes(self):
        done = self.run_program("ladder", "classify", "--contract")
        self.assertEqual((done.returncode, done.stderr), (OK, ""))
        for part in ("==> kernels/classify.h <==", "struct classify_rung {", "==> kernels/strips.h <==", "struct exec {",
                     "==> kernels/own_rung.h <=="):
            self.assertEqual(done.stdout.count(part), 1, part)

    def test_the_contract_has_what_templates_include(self):
        for backend, ops in (("cpu", ("classify", "generate", "gemv", "draw")), ("cuda", ("classify", "scan", "generate", "gemm"))):
            for op in ops:
                included = re.findall(r'^#include "(\S+)"$', self.template(op, "--backend", backend), re.M)
                contract = self.run_program("ladder", op, "--contract", "--backend", backend).stdout
                self.assertGreaterEqual(len(included), 2)
                for header in included:
                    self.assertEqual(contract.count(f"==> kernels/{header} <=="), 1, (op, backend, header))
                self.assertEqual(re.findall("==> (.*) <==", contract)[-1], "kernels/own_kernel.h")


@unittest.skipUnless(NVCC, "no nvcc")
class WithoutAGpu(RungTest):
    """Without a GPU, rungs are still compiled, also by builds without CUDA."""

    def tried(self, text, **environment):
        name = self.write(text, "s.cu")
        return self.run_program("ladder", "scan", "--rung-file", name, "--test",
                                environment={"CUDA_VISIBLE_DEVICES": "", **environment})

    def test_it_is_compiled(self):
        text = self.template("scan", "--backend", "cuda")
        done = self.tried(text)
        self.assertEqual((done.returncode, done.stdout), (NO_CUDA, ""))
        self.assertRegex(done.stderr, r"\Aisoscope: s\.cu compiles, but was not run: \S.*\n\Z")
        done = self.tried(text.replace("<<<", "<<", 1))
        self.assertEqual((done.returncode, done.stdout), (FAILED, ""))
        self.assertRegex(done.stderr.splitlines()[-1], r"\Aisoscope: s\.cu does not compile: s\.cu\(\d+\): error: ")

    def test_what_nvcc_does_not_compile(self):
        """A single kernel becomes a library, which needs a GPU."""
        done = self.tried((pathlib.Path(__file__).parent / "mine" / "copy.cu").read_text())
        self.assertEqual(done.returncode, NO_CUDA)
        self.assertIn("s.cu is a rung for CUDA, but CUDA cannot be used: ", done.stderr)


class OnCuda(RungTest):
    """tests/mine/ has a kernel for each op that takes a single one."""

    def setUp(self):
        super().setUp()
        if self.run_program("ladder", "copy", "--test", "--size", 33, "--backend", "cuda").returncode == NO_CUDA:
            self.skipTest("no CUDA")

    def kernel(self, op, old="", new=""):
        text = (pathlib.Path(__file__).parent / "mine" / f"{op}.cu").read_text()
        self.assertIn(old, text)
        return self.write(text.replace(old, new, 1), op + ".cu")

    def test_kernels_are_right(self):
        for path in sorted((pathlib.Path(__file__).parent / "mine").glob("*.cu")):
            with self.subTest(op=path.stem):
                name = self.kernel(path.stem)
                done = self.run_program("ladder", path.stem, "--rung-file", name, "--test")
                if "libnvrtc" in done.stderr:
                    self.skipTest(done.stderr)
                self.is_right(path.stem, name)

    def test_a_wrong_kernel(self):
        name = self.kernel("copy", "to[i] = from[i]", "to[i] = from[i] + (i == 5)")
        self.refuses(FAILED, "ladder", "copy", "--rung-file", name, says=["copy.cu is wrong at ", "number 5 is "])

    def test_a_kernel_that_loses_the_gpu(self):
        name = self.kernel("copy", "to[i] = from[i]", "to[i] = from[i + ((size_t)1 << 44)]")
        done = self.run_program("ladder", "copy", "--rung-file", name)
        self.assertRegex(done.stderr, r"\Aisoscope: copy\.cu failed at [^\n]*illegal[^\n]*\n\Z")

    def test_a_kernel_that_hangs(self):
        name = self.kernel("copy", "if (i < n)", "for (volatile int k = 0;; k = 1) { }\n    if (i < n)")
        self.refuses(FAILED, "ladder", "copy", "--rung-file", name, environment={"ISOSCOPE_RUNG_SECONDS": "3"},
                     says=["copy.cu was stopped at ", "more than 3 s"])

    def test_a_kernel_that_does_not_compile(self):
        done = self.run_program("ladder", "copy", "--rung-file", self.kernel("copy", "from[i]", "nothing[i]"))
        self.assertEqual(done.returncode, FAILED)
        self.assertRegex(done.stderr.splitlines()[-1], r"\Aisoscope: copy\.cu does not compile: copy\.cu\(\d+\): error: .*nothing")

    @unittest.skipUnless(NVCC, "no nvcc")
    def test_templates_are_right(self):
        for op in ("classify", "compact", "copy", "gaussian", "gemm", "reduce", "scan"):
            with self.subTest(op=op):
                self.is_right(op, self.write(self.template(op, "--backend", "cuda"), op + ".cu"))


if __name__ == "__main__":
    unittest.main()
