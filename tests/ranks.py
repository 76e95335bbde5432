"""Shared by the tests of isoscope-mpi. Their arguments are isoscope, isoscope-mpi, and isoscope-mpi with faults (faults.h). Without
these, or if mpirun starts nothing, a test is skipped (77)."""
import array
import os
import random
import re
import shutil
import subprocess
import sys

if len(sys.argv) < 4 or not shutil.which("mpirun"):
    print("skipped: there is no MPI (libopenmpi-dev or libmpich-dev), or no mpirun")
    sys.exit(77)
MPI, FAULTS = (os.path.abspath(sys.argv.pop(2)) for _ in range(2))

import cli
from cli import FAILED, INPUT, NO_CUDA, OK, PROGRAM, USAGE

OPEN_MPI = "Open MPI" in subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
MPIRUN = ["mpirun"] + (["--oversubscribe", "--allow-run-as-root"] if OPEN_MPI else [])
TRIAL = subprocess.run([*MPIRUN, "-n", "2", "true"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
if TRIAL.returncode:
    print(f"skipped: mpirun starts no process here: {TRIAL.stderr}")
    sys.exit(77)
TYPES = {"uint8": "B", "int8": "b", "uint16": "H", "int16": "h", "float32": "f"}
SHAPES = ((33, 9, 47), (64, 31, 130), (17, 40, 5))
ENVIRONMENT = {**os.environ, "OMP_WAIT_POLICY": "passive", "OMPI_MCA_btl": "self,vader",
               "ASAN_OPTIONS": "detect_leaks=0",  # MPI's own
               "HWLOC_COMPONENTS": "-gl"}  # it looks for GPUs on displays :0 to :9; a closed display ends the rank
ENVIRONMENT.pop("DISPLAY", None)  # and mpirun on this one


class RanksTest(cli.CommandTest):
    launcher = MPIRUN
    hosts = ()  # rank i runs on host i % n of them, if there are any
    environment = ENVIRONMENT

    def context(self, i, fault, words):
        """The words for mpirun about a rank that has a host or a fault of its own."""
        place = ["--host", self.hosts[i % len(self.hosts)]] if self.hosts else []
        program = [] if fault is None else ["env", f"ISO_FAULT={fault}", f"ISO_FAULT_COUNT=count.{i}"]
        return [":"] * (i > 0) + ["-n", "1", *place, *program, *words]

    def mpirun(self, words, n=2, ranks=None, program=MPI, script='exec "$@"'):
        """Runs the words with n ranks. ranks: instead of n, a fault for each rank. Each rank writes its messages to a file of its own,
        because mpirun forwards only a part of them when a rank fails at once. script: what the shell of a rank does with the words."""
        words = ["sh", "-c", f"{{ {script}; }} 2>said.$$", "sh", FAULTS if ranks else program, *map(str, words)]
        command = [*self.launcher, "-n", str(n), *words]
        if ranks or self.hosts:
            faults = ranks or [None] * n
            command = [*self.launcher, *(word for i, fault in enumerate(faults) for word in self.context(i, fault, words))]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120, env=self.environment)
        files = sorted(self.folder.glob("said.*"))
        done.stderr += "".join(file.read_text() for file in files)
        for file in files:
            file.unlink()
        done.said = re.findall(r"^isoscope: .*$", done.stderr, re.M)
        return done

    def same(self, a, b):
        return (self.folder / a).read_bytes() == (self.folder / b).read_bytes()

    def write(self, kind, shape):
        """Values 0 to 9, many of them the isovalue; of floats some are NaN."""
        numbers = random.Random(f"{kind} {shape}")
        n = shape[0] * shape[1] * shape[2]
        values = array.array(TYPES[kind], (numbers.randrange(10) for _ in range(n)))
        if kind == "float32":
            values = array.array("f", (v + numbers.choice((0, 0.25, 0.7)) if v < 9 else float("nan") for v in values))
        name = f"v_{'x'.join(map(str, shape))}_{kind}.raw"
        (self.folder / name).write_bytes(values.tobytes())
        return name

    def calls(self, ranks):
        """For each rank of the last run with faults: how often it came to a place for a fault, by kind."""
        return [dict(line.split() for line in (self.folder / f"count.{i}").read_text().splitlines()) for i in range(ranks)]
