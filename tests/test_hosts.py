#!/usr/bin/env python3
"""isoscope-mpi on two simulated hosts: network namespaces, each with a name and an address of its own, joined by a cable (veth). A
script that enters the second one replaces ssh; all ranks use TCP. Files must have the bytes of one process. Then a rank of the
second host is killed, or its disk fails, or the whole second host goes down.

Usage: test_hosts.py [ISOSCOPE ISOSCOPE_MPI ISOSCOPE_MPI_FAULTS]. FAULTS_MOST=N: at most N places per kind (default 3). Skipped (77)
without Open MPI, or where no namespaces can be made (root makes them, and others where user namespaces are allowed)."""
import os
import shutil
import subprocess
import sys

INSIDE = "ISO_TEST_HOSTS"
NAMES, ADDRESSES = ("isoscope-one", "isoscope-two"), ("10.79.0.1", "10.79.0.2")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def enter():
    """Starts again as the first host, in namespaces of its own. They end with it, and with them all processes in them."""
    for tool in ("ip", "unshare", "nsenter"):
        if not shutil.which(tool):
            skip(f"two hosts take namespaces, and there is no '{tool}' here")
    private = ["--net", "--uts", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    for user in ([], ["--user", "--map-root-user"]):
        try_out = ["ip", "link", "add", "cable0", "type", "veth", "peer", "name", "cable1"]
        done = subprocess.run(["unshare", *user, *private, *try_out], capture_output=True, text=True)
        if not done.returncode:
            os.environ[INSIDE] = "1"
            os.execvp("unshare", ["unshare", *user, *private, sys.executable, *sys.argv])
    skip(f"no namespaces can be made here: {done.stderr.strip()}")


if INSIDE not in os.environ:
    enter()
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)  # without which mpirun starts nothing at all

import json
import pathlib
import re
import signal
import tempfile
import time
import unittest

import ranks
from ranks import FAILED, INPUT, OK, SHAPES

if not ranks.OPEN_MPI:
    skip("two hosts are made for Open MPI, and mpirun is another's")
MOST = int(os.environ.get("FAULTS_MOST", "3"))


def run(*words):
    subprocess.run(words, check=True)


def begin_host(i, inside):
    """Gives a host a name, and its end of the cable an address. inside: words that run a command there."""
    run(*inside, "hostname", NAMES[i])
    run(*inside, "ip", "link", "set", "lo", "up")
    run(*inside, "ip", "addr", "add", f"{ADDRESSES[i]}/24", "dev", f"cable{i}")
    run(*inside, "ip", "link", "set", f"cable{i}", "up")


def make_hosts(folder):
    """Returns the second host's process, with which it ends, and the script that replaces ssh."""
    (folder / "hosts").write_text("".join(f"{a} {n}\n" for a, n in zip(ADDRESSES, NAMES)) + "127.0.0.1 localhost\n")
    run("mount", "--bind", folder / "hosts", "/etc/hosts")
    second = subprocess.Popen(["unshare", "--net", "--uts", "sh", "-c", "echo; exec sleep infinity"], stdout=subprocess.PIPE,
                              start_new_session=True)
    second.stdout.readline()
    run("ip", "link", "add", "cable0", "type", "veth", "peer", "name", "cable1", "netns", str(second.pid))
    inside = ["nsenter", "--target", str(second.pid), "--net", "--uts"]
    begin_host(0, [])
    begin_host(1, inside)
    agent = folder / "agent"  # called as ssh is: options, host, command
    agent.write_text(f'#!/bin/sh\nwhile [ "${{1#-}}" != "$1" ]; do shift; done\n[ "$1" = {NAMES[1]} ] || exit 255\nshift\n'
                     f'exec {" ".join(inside)} sh -c "$*"\n')
    agent.chmod(0o755)
    return second, agent


def setUpModule():
    folder = pathlib.Path(tempfile.mkdtemp())
    unittest.addModuleCleanup(shutil.rmtree, folder, ignore_errors=True)
    second, agent = make_hosts(folder)
    unittest.addModuleCleanup(second.communicate)
    unittest.addModuleCleanup(second.kill)
    Hosts.launcher = [*ranks.MPIRUN, "--mca", "plm_rsh_agent", agent]
    for layer in ("oob", "btl"):
        Hosts.launcher += ["--mca", f"{layer}_tcp_if_include", "10.79.0.0/24"]
    # Processes of other namespaces may have the same numbers: no common folder for mpirun's own files.
    Hosts.environment = {**ranks.ENVIRONMENT, "OMPI_MCA_btl": "self,tcp", "OMPI_MCA_mpi_yield_when_idle": "1", "TMPDIR": str(folder)}


def sent():
    """Bytes that have left the first host."""
    return int(re.search(r"cable0: *(?:\d+ +){8}(\d+)", pathlib.Path("/proc/net/dev").read_text())[1])


class Hosts(ranks.RanksTest):
    hosts = NAMES

    def test_the_bytes_of_one_process(self):
        cases = (("uint8", 0, "ply", 2), ("float32", 1, "ply", 5), ("int16", 1, "stl", 3), ("uint16", 2, "vtp", 4))
        for kind, shape, ending, n in cases:
            name = self.write(kind, SHAPES[shape])
            self.assertEqual(self.run_program("extract", name, "--iso", "5", "-o", f"one.{ending}").returncode, OK)
            before = sent()
            words = ["extract", name, "--iso", "5", "-o", f"many.{ending}", "--memory", "52M", "--threads", "1"]
            done = self.mpirun(words, n)
            self.assertEqual(done.returncode, OK, done)
            self.assertEqual(done.stdout.count("wrote"), 1, done)
            self.assertTrue(self.same(f"one.{ending}", f"many.{ending}"), f"{name} by {n} ranks on two hosts")
            self.assertGreater(sent() - before, 1000)
        self.assertFalse(list(self.folder.glob("*.parts")))

    def test_info_of_one_process(self):
        words = ["info", self.write("float32", SHAPES[1]), "--iso", "5", "--json", "--threads", "1"]
        one, many = (json.loads(done.stdout) for done in (self.run_program(*words), self.mpirun([*words, "--memory", "52M"], 4)))
        for key in ("part_count", "parts", "backend", "surface_note"):
            one.pop(key, None), many.pop(key, None)
        self.assertEqual(repr(one), repr(many))

    def test_bench_tells_hosts_apart(self):
        done = self.mpirun(["bench", self.write("uint8", SHAPES[1]), "--iso", "5", "-o", "new.ply", "--threads", "1", "--json"], 3)
        self.assertEqual(done.returncode, OK, done)
        answer = json.loads(done.stdout)
        self.assertEqual((answer["hosts"], [row["host"] for row in answer["ranks"]]), (2, [*NAMES, NAMES[0]]))

    # ---- faults -----------------------------------------------------------------------------------------------------------

    def begin(self):
        """A volume, its surface by one process, an old file where the other will be; returns the words that make it."""
        name = self.write("uint8", SHAPES[1])
        self.run_program("extract", name, "--iso", "5", "-o", "one.ply")
        (self.folder / "out.ply").write_text("old")
        return ["extract", name, "--iso", "5", "-o", "out.ply", "--memory", "52M", "--threads", "1"]

    def goes_on(self, words, what):
        """The target is as it was; the same command makes it."""
        self.assertEqual((self.folder / "out.ply").read_text(), "old", what)
        done = self.mpirun(words, 3)
        self.assertEqual(done.returncode, OK, f"{what}; again: {done}")
        self.assertTrue(self.same("out.ply", "one.ply"), what)
        self.assertFalse((self.folder / "out.ply.parts").exists(), what)

    def test_a_rank_that_fails_there(self):
        """Rank 1 is the one on the second host."""
        words = self.begin()
        self.assertEqual(self.mpirun(words, ranks=["", "", ""]).returncode, OK)
        self.assertTrue(self.same("out.ply", "one.ply"))
        calls, longest, runs = self.calls(3)[1], 0, 0
        for kind in ("kill", "disk"):
            total = int(calls[kind])
            for n in range(1, total + 1, max(1, -(-total // MOST))):
                (self.folder / "out.ply").write_text("old")
                start = time.monotonic()
                done = self.mpirun(words, ranks=["", f"{kind}:{n}", ""])
                longest, runs = max(longest, time.monotonic() - start), runs + 1
                what = f"{kind}:{n} of {total}: {done}"
                if kind == "kill":
                    self.assertEqual(done.returncode, 128 + signal.SIGKILL, what)
                    self.assertTrue(re.search(rf"rank 1 .*on node {NAMES[1]} .*on signal 9", done.stderr, re.S), what)
                else:
                    self.assertIn(done.returncode, (FAILED, INPUT), what)
                    self.assertEqual(len(done.said), 1, what)
                    self.assertRegex(done.said[0], rf"^isoscope: rank 1 on {NAMES[1]}: ", what)
                self.goes_on(words, what)
        print(f"{runs} runs with a rank that failed on the second host; the longest took {longest:.1f} s", file=sys.stderr)

    def test_a_host_that_goes_down(self):
        """The rank there is killed, and with it the daemon that started it."""
        words = self.begin()
        start = time.monotonic()
        done = self.mpirun(words, ranks=["", "kill:9", ""], script='"$@"; [ $? != 137 ] || kill -9 $PPID')
        print(f"without the second host all ended after {time.monotonic() - start:.1f} s", file=sys.stderr)
        self.assertNotEqual(done.returncode, OK, done)
        self.assertRegex(done.stderr, "lost communication with a remote daemon", done)
        self.assertIn(NAMES[1], done.stderr, done)
        self.goes_on(words, done)


if __name__ == "__main__":
    unittest.main()
