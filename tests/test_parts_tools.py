#!/usr/bin/env python3
"""The examples of docs/PARTS.md, run as written by the installed tools; and what the command line says about parts.

Usage: test_parts_tools.py ISOSCOPE SOURCE"""
import fcntl
import importlib.util
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(2))

import cli
from cli import FAILED, OK, USAGE

# A queue that runs what it is given at once: sbatch [--array=1-N] --wrap COMMAND.
SBATCH = """#!/bin/sh
for word; do
    case $word in --array=1-*) n=${word#--array=1-} ;; esac
    command=$word
done
for SLURM_ARRAY_TASK_ID in $(seq "${n:-1}" | sort -R); do
    export SLURM_ARRAY_TASK_ID
    sh -c "$command" >/dev/null || exit 1
done
echo 17
"""


class Parts(cli.CommandTest):
    def setUp(self):
        super().setUp()
        self.assertEqual(self.run_program("synth", "noise", "--size", "40", "-o", "v.nrrd").returncode, OK)
        self.assertEqual(self.run_program("extract", "v.nrrd", "--iso", "100", "-o", "whole.ply").returncode, OK)
        tools = self.folder / "bin"
        tools.mkdir()
        (tools / "isoscope").symlink_to(cli.PROGRAM)
        self.path = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}

    def example(self, title, name):
        text = (SOURCE / "docs" / "PARTS.md").read_text()
        (self.folder / name).write_text(re.search(rf"^### {title}\n\n```\w+\n(.*?)^```", text, re.M | re.S)[1])

    def check(self, *words, out="out.ply"):
        done = subprocess.run(words, cwd=self.folder, env=self.path, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual((self.folder / out).read_bytes(), (self.folder / "whole.ply").read_bytes())
        self.assertFalse((self.folder / f"{out}.parts").exists())
        return done

    def odd_file(self):
        """A file whose name breaks if a shell splits or expands it."""
        name = "it's a \"$HOME\" `ü`; #.nrrd"
        (self.folder / "v.nrrd").rename(self.folder / name)
        return name

    def test_xargs(self):
        self.example("xargs", "parts.sh")
        self.check("sh", "parts.sh", "v.nrrd", "100", "out.ply", "5")

    def test_chunks_of_a_folder(self):
        self.assertEqual(self.run_program("pack", "v.nrrd", "-o", "v.zarr").returncode, OK)
        self.example("xargs", "parts.sh")
        self.check("sh", "parts.sh", "v.zarr", "100", "out.ply", "3")

    def test_make(self):
        self.example("make", "Makefile")
        if not shutil.which("make"):
            self.skipTest("there is no make")
        self.check("make", "-j", "3", "FILE=v.nrrd", "VALUE=100", "OUT=out.ply", "N=5")

    @unittest.skipUnless(shutil.which("make"), "there is no make")
    def test_make_makes_what_is_complete_once(self):
        self.example("make", "Makefile")
        file = self.odd_file().replace("$", "$$")  # make's own sign
        words = "make", "-j", "3", f"FILE={file}", "VALUE=100", "OUT=it's out.ply", "N=3"
        self.assertIn("count", self.check(*words, out="it's out.ply").stdout)
        self.assertNotIn("extract", self.check(*words, out="it's out.ply").stdout)
        os.utime(self.folder / file.replace("$$", "$"), ns=(2**62, 2**62))
        self.assertIn("count", self.check(*words, out="it's out.ply").stdout)

    def test_slurm_by_a_stand_in(self):
        self.example("Slurm", "slurm.sh")
        sbatch = self.folder / "bin" / "sbatch"
        sbatch.write_text(SBATCH)
        sbatch.chmod(sbatch.stat().st_mode | stat.S_IXUSR)
        self.check("sh", "slurm.sh", "v.nrrd", "100", "out.ply", "5")
        self.check("sh", "slurm.sh", self.odd_file(), "100", "it's out.ply", "2", out="it's out.ply")

    def test_dask(self):
        self.example("Dask", "parts.py")
        compile((self.folder / "parts.py").read_text(), "parts.py", "exec")
        if not importlib.util.find_spec("distributed"):
            self.skipTest("there is no dask.distributed")
        self.check(sys.executable, "parts.py", "v.nrrd", "100", "out.ply", "5")

    def part(self, part, phase, *more, out="out.ply"):
        return ["extract", "v.nrrd", "--iso", "100", "-o", out, "--part", part, "--phase", phase, *more]

    def test_refusals(self):
        for words, says in ((["--part", "3/8"], "need each other"), (["--phase", "count"], "need each other"),
                            (["--part", "8", "--phase", "write"], "which one"), (["--part", "9/8", "--phase", "count"], "3/8"),
                            (["--part", "0/8", "--phase", "count"], "3/8"), (["--part", "1/8", "--phase", "all"], "finish"),
                            (["--part", "1/8", "--phase", "count", "--close"], "--close is possible only in memory")):
            self.refuses(USAGE, "extract", "v.nrrd", "--iso", "100", "-o", "out.ply", *words, says=[says])
        self.refuses(USAGE, *self.part("1/2", "count", out="out.obj"), says=["PLY, STL, VTP and PVTP"])
        self.refuses(USAGE, "extract", "v.nrrd", "-o", "out.ply", "--part", "1/2", "--phase", "count", says=["--iso"])
        self.refuses(FAILED, *self.part("1/2", "write"), says=["no part of out.ply has been counted"])

    def test_what_is_run_again_after_the_end(self):
        """Once the folder is gone, it is unknown where out.ply came from: it may be old, with nothing counted yet."""
        self.example("xargs", "parts.sh")
        self.check("sh", "parts.sh", "v.nrrd", "100", "out.ply", "2")
        for phase in "write", "finish":
            self.refuses(FAILED, *self.part("1/2", phase),
                         says=["out.ply.parts does not exist, but out.ply does: if it was finished before, nothing is left to do"])

    def test_a_part_that_another_process_has(self):
        """A process that was just killed is waited for. One that still works is named."""
        self.assertEqual(self.run_program(*self.part("1/2", "count")).returncode, OK)
        with open(self.folder / "out.ply.parts" / "count.1", "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.refuses(FAILED, *self.part("1/2", "count"), says=["count.1: another process is working on this part: wait for it"])
            child = subprocess.Popen([cli.PROGRAM, *self.part("1/2", "count")], cwd=self.folder, stdout=subprocess.DEVNULL)
            with self.assertRaises(subprocess.TimeoutExpired):
                child.wait(0.7)
        self.assertEqual(child.wait(60), OK)

    def test_missing_parts_are_named(self):
        for k in (1, 2, 4):
            done = self.run_program(*self.part(f"{k}/5", "count"))
            self.assertRegex(done.stdout, rf"^counted part {k} of 5: iso 100, \d+ triangles")
        done = self.run_program(*self.part("1/5", "write"))
        self.assertEqual((done.returncode, done.stderr), (FAILED, "isoscope: parts 3 and 5 of 5 have not been counted: "
                                                                  "run --part 3/5 --phase count\n"))
        for k in (3, 5):
            self.assertEqual(self.run_program(*self.part(f"{k}/5", "count")).returncode, OK)
        for there, part in ((0, 1), (1, 2)):  # the first part makes the file
            done = self.run_program(*self.part("5", "finish"))
            self.assertEqual(done.returncode, FAILED)
            self.assertRegex(done.stderr, rf"^isoscope: parts {part}.* of 5 have not been written: run --part {part}/5 --phase write$")
            self.assertEqual(self.run_program(*self.part(f"{there + 1}/5", "write")).returncode, OK)

    def test_several_values_and_none(self):
        for phase in ("count", "write", "finish"):
            for k in (2, 1) if phase != "finish" else (2,):
                done = self.run_program("extract", "v.nrrd", "--iso", "100,1e9,120", "-o", "v%.stl", "--part", f"{k}/2", "--phase",
                                        phase, "--json")
                self.assertEqual(done.returncode, OK, done.stderr)
        self.assertFalse(list(self.folder.glob("*.parts")))
        for value in (100, 120):
            self.run_program("extract", "v.nrrd", "--iso", value, "-o", "one.stl")
            self.assertEqual((self.folder / "one.stl").read_bytes(), (self.folder / f"v{value}.stl").read_bytes())

    def test_a_link_is_written_through(self):
        (self.folder / "there").mkdir()
        (self.folder / "out.ply").symlink_to("there/real.ply")
        self.example("xargs", "parts.sh")
        self.check("sh", "parts.sh", "v.nrrd", "100", "out.ply", "3")
        self.assertTrue((self.folder / "out.ply").is_symlink())

    def test_a_program_without_mpi_refuses_to_be_many(self):
        for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", "PMIX_RANK"):
            self.refuses(USAGE, "info", "v.nrrd", says=[f"{name}=4", "isoscope-mpi"], environment={name: "4"})
            self.assertEqual(self.run_program("info", "v.nrrd", environment={name: "0"}).returncode, OK)
        done = self.run_program(*self.part("1/2", "count"), environment={"PMI_SIZE": "4"})
        self.assertEqual(done.returncode, OK, done.stderr)


if __name__ == "__main__":
    unittest.main()
