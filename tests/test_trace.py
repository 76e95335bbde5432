#!/usr/bin/env python3
"""--trace: the file is JSON, spans nest, every stage that ran is there under its name in --rung, an interrupted run leaves whole
events, and a file that cannot be written is an error. Usage: test_trace.py ISOSCOPE"""
import collections
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import drive

PROGRAM = os.path.abspath(sys.argv.pop(1))
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}  # OpenGL drivers leak
STAGED = {"bricks", "classify", "scan", "compact", "generate"}
THREADS = 1  # the group of tracks that spans are on


class Trace(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.assertEqual(self.run_program("synth", "metaballs", "--size", "32", "-o", "v.nrrd").returncode, 0)

    def run_program(self, *words):
        return subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, timeout=120, env=ENVIRONMENT)

    def check_events(self, events):
        """Every event is well formed, and the spans of a thread nest. Returns the complete events."""
        spans = collections.defaultdict(list)
        for event in events:
            self.assertIn(event["ph"], ("M", "X"))
            if event["ph"] == "X":
                begin, duration = round(event["ts"] * 1000), round(event["dur"] * 1000)  # whole nanoseconds
                self.assertGreaterEqual(begin, 0)
                self.assertGreaterEqual(duration, 0)
                if event["pid"] == THREADS:
                    spans[event["tid"]].append((begin, begin + duration, event["name"]))
        for found in spans.values():
            open_spans = []
            for begin, end, name in sorted(found, key=lambda span: (span[0], -span[1])):
                while open_spans and open_spans[-1] <= begin:
                    open_spans.pop()
                self.assertTrue(not open_spans or end <= open_spans[-1], f"{name} outlasts the span that it began in")
                open_spans.append(end)
        return [event for event in events if event["ph"] == "X"]

    def trace(self, *words):
        """Runs the command; its complete events, and the names of the spans among them."""
        done = self.run_program(*words, "--backend", "cpu", "--trace", "t.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        events = self.check_events(json.loads((self.folder / "t.json").read_text()))
        return events, {event["name"] for event in events}

    def test_commands(self):
        _, names = self.trace("info", "v.nrrd", "--iso", "50%", "--smooth", "1")
        self.assertLessEqual({"load", "gaussian", "reduce", "histogram", "lower_bound", "bricks", "fused"}, names)
        _, names = self.trace("extract", "v.nrrd", "-o", "v.ply")
        self.assertLessEqual({"load", "fused", "gemm", "write"}, names)

    def test_bench_has_every_run_and_its_rung(self):
        events, _ = self.trace("bench", "v.nrrd", "--pipeline", "staged", "--runs", "5", "--rung", "scan=textbook")
        rungs = {stage: [e["args"]["rung"] for e in events if e["name"] == stage] for stage in STAGED}
        for stage in STAGED - {"bricks"}:
            self.assertGreaterEqual(len(rungs[stage]), 5 + 3, stage)  # runs that count, and runs to warm up
        self.assertGreaterEqual(len(rungs["bricks"]), 5)
        self.assertEqual(set(rungs["scan"]), {"textbook"})
        _, names = self.trace("bench", "v.nrrd", "--pipeline", "fused", "--runs", "5")
        self.assertIn("fused", names)
        self.assertFalse(names & (STAGED - {"bricks"}))

    def test_render(self):
        done = self.run_program("render", "v.nrrd")
        if done.returncode == 4:
            self.skipTest(done.stderr)
        _, names = self.trace("render", "v.nrrd", "--slice", "x=9", "--opacity", "0.5", "--rung", "fused=none")
        self.assertLessEqual(STAGED | {"load", "marching_squares", "gemv", "sort", "draw", "read pixels", "write"}, names)

    def test_an_interrupted_run_leaves_whole_events(self):
        path = self.folder / "t.json"
        process = subprocess.Popen([PROGRAM, "bench", "v.nrrd", "--runs", "10000", "--trace", path], env=ENVIRONMENT,
                                   cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.time() + 60
        while time.time() < end and not (path.exists() and path.stat().st_size > 4000):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), -signal.SIGINT)
        self.assertGreater(len(self.check_events(json.loads(path.read_text() + "]"))), 10)

    def test_a_trace_that_cannot_be_written(self):
        for path, why in ((self.folder, "directory"), ("/dev/full", "space"), ("absent/t.json", "No such file")):
            done = self.run_program("info", "v.nrrd", "--trace", str(path))
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, rf"\Aisoscope: cannot write the trace [^\n]*{why}[^\n]*\n\Z")
        done = self.run_program("info", "absent.nrrd", "--trace", "/dev/full")
        self.assertEqual(done.returncode, 3)  # what the command says comes first
        self.assertRegex(done.stderr, r"\Aisoscope: [^\n]*absent\.nrrd[^\n]*\n\Z")

    def test_window(self):
        if drive.missing_tool():
            self.skipTest(f"no {drive.missing_tool()}")
        with drive.display() as display:
            window = drive.Window([PROGRAM, "v.nrrd", "--backend", "cpu", "--verbose", "--trace", "t.json"],
                                  {**ENVIRONMENT, "DISPLAY": display}, self.folder)
            self.addCleanup(window.stop)
            drawn = window.wait_for(r"draw ")
            if not drawn and window.process.returncode == 4:
                self.skipTest(window.log())
            self.assertTrue(drawn, window.log())
            window.xdo("key", "ctrl+q")
            self.assertEqual(window.wait_for_end(60), 0, window.log())
        events = json.loads((self.folder / "t.json").read_text())
        threads = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
        tracks = collections.defaultdict(set)
        for event in self.check_events(events):
            tracks[event["pid"], threads[event["tid"]]].add(event["name"])
        self.assertLessEqual({"draw"}, tracks[THREADS, "main"])
        self.assertLessEqual({"job", "load", "reduce", "histogram", "bricks", "fused"}, tracks[THREADS, "worker"])
        self.assertEqual({"draw"}, tracks[3, "main"])  # OpenGL's own time


unittest.main()
