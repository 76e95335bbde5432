#!/usr/bin/env python3
"""--trace: the file is JSON, spans nest, every stage that ran has a span with its name in --rung, an interrupted run leaves complete
events, and a file that cannot be written is an error. Usage: test_trace.py ISOSCOPE"""
import collections
import json
import os
import signal
import subprocess
import time

import drive

STAGED = {"bricks", "classify", "scan", "compact", "generate"}
THREADS, CUDA, OPENGL = 1, 2, 3  # groups of tracks


class Trace(drive.ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.synth("metaballs", 32)

    def check_events(self, events):
        """Checks that events are well formed and the spans of a thread nest. Returns the complete events."""
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

    def load(self, name, ending=""):
        with open(self.path(name)) as file:
            return json.loads(file.read() + ending)

    def trace(self, *words):
        """Runs the command; returns its complete events and the names of their spans."""
        done = self.run_program(*words, "--backend", "cpu", "--trace", "t.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        events = self.check_events(self.load("t.json"))
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
            self.assertGreaterEqual(len(rungs[stage]), 5 + 3, stage)  # timed runs and warm-ups
        self.assertGreaterEqual(len(rungs["bricks"]), 5)
        self.assertEqual(set(rungs["scan"]), {"textbook"})
        _, names = self.trace("bench", "v.nrrd", "--pipeline", "fused", "--runs", "5")
        self.assertIn("fused", names)
        self.assertFalse(names & (STAGED - {"bricks"}))

    def test_render(self):
        self.render("v.png", "v.nrrd")  # or skips the test
        _, names = self.trace("render", "v.nrrd", "--slice", "x=9", "--opacity", "0.5", "--rung", "fused=none")
        self.assertLessEqual(STAGED | {"load", "marching_squares", "gemv", "sort", "draw", "read pixels", "write"}, names)

    def test_an_interrupted_run_leaves_whole_events(self):
        path = self.path("cut.json")
        process = subprocess.Popen([drive.program, "bench", "v.nrrd", "--runs", "10000", "--trace", path], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.time() + 60
        while time.time() < end and not (os.path.exists(path) and os.path.getsize(path) > 4000):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), -signal.SIGINT)
        self.assertGreater(len(self.check_events(self.load("cut.json", "]"))), 10)

    def test_what_is_printed_never_gets_into_it(self):
        """Even if standard output is closed, so that its number is free."""
        self.synth("noise", 24, "noise.nrrd")
        done = subprocess.run([drive.program, "info", "noise.nrrd", "--iso", "200", "--json", "--trace", "t.json"], cwd=self.folder,
                              stderr=subprocess.PIPE, text=True, preexec_fn=lambda: os.close(1))
        self.assertEqual((done.returncode, done.stderr), (1, "isoscope: cannot write to standard output\n"))
        self.check_events(self.load("t.json"))

    def test_a_trace_that_cannot_be_written(self):
        for path, why in ((self.folder, "directory"), ("/dev/full", "space"), ("absent/t.json", "No such file")):
            done = self.run_program("info", "v.nrrd", "--trace", str(path))
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, rf"\Aisoscope: cannot write the trace [^\n]*{why}[^\n]*\n\Z")
        self.assertEqual(self.run_program("info", "v.nrrd", "--trace", "./v.nrrd").returncode, 2)
        self.assertEqual(self.run_program("info", "v.nrrd").returncode, 0)  # the volume is intact
        done = self.run_program("info", "absent.nrrd", "--trace", "/dev/full")
        self.assertEqual(done.returncode, 3)  # the command's own error comes first
        self.assertRegex(done.stderr, r"\Aisoscope: [^\n]*absent\.nrrd[^\n]*\n\Z")


class Window(drive.WindowTest):
    check_events, load = Trace.check_events, Trace.load

    def test_threads(self):
        window, _ = self.open(self.synth("metaballs", 32), "--backend", "cpu", "--trace", "t.json")
        window.wait_for(drive.DRAWN)
        window.quit()
        events = self.load("t.json")
        threads = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
        tracks = collections.defaultdict(set)
        for event in self.check_events(events):
            tracks[event["pid"], threads[event["tid"]]].add(event["name"])
        self.assertIn("draw", tracks[THREADS, "main"])
        self.assertLessEqual({"job", "load", "reduce", "histogram", "bricks", "fused"}, tracks[THREADS, "worker"])
        self.assertEqual({"draw"}, tracks[OPENGL, "main"])


if __name__ == "__main__":
    drive.main()
