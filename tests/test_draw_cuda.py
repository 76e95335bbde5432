#!/usr/bin/env python3
"""Opaque surfaces drawn by CUDA into OpenGL's buffers: the picture equals OpenGL's up to rounding. Usage: test_draw_cuda.py ISOSCOPE.
Skipped, with the reason, if CUDA and OpenGL cannot share a mesh: without a GPU, or if OpenGL is software."""
import json
import re
import unittest

import drive
import test_draw
from drive import DRAWN, OK


def need_sharing(test_class):
    """Skips the tests where CUDA and OpenGL share no mesh."""
    small = test_class.synth("vessels", 32, "small.nrrd")
    done = test_class.run_program("render", small, "--size", "64x48", "--verbose", "--backend", "cuda", "-o", "first.png")
    if done.returncode in (drive.NO_CUDA, drive.NO_GL) or (done.returncode == OK and "mesh: shared" not in done.stderr):
        raise unittest.SkipTest("CUDA does not share a mesh with OpenGL here: " + done.stderr.strip())
    assert done.returncode == OK, done.stderr


class DrawCuda(test_draw.Draw):
    drawn = "raster on CUDA: asked for"
    more = ("--backend", "cuda", "--rung", "fused=none")  # whose mesh is the same every time

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        need_sharing(cls)

    def test_other_sizes(self):
        """Rows of any length; depth and seen buffers at any distance from each other; many samples."""
        for size in ("479x361", "1x1", "1283x717"):
            self.check_some("--size", size)
        self.check_alike("--samples", "16")

    def check_some(self, *words):
        """Like check_alike, for pictures so small that one pixel is more than the part OTHERS."""
        one, other = self.both(*words)
        self.assertEqual(self.drawing, self.drawn)
        apart = [at for at, most in test_draw.differences(one, other) if most > test_draw.STEPS]
        self.assertLessEqual(len(apart), 1 + test_draw.OTHERS * one.width * one.height, (words, apart[:test_draw.TOLD]))

    def test_several_surfaces(self):
        """The second mesh is drawn over the first."""
        self.check_alike("--iso", "60,120")
        self.check_alike("--iso", "60,90,120", "--close")

    def test_a_fused_mesh(self):
        """Triangles in no order."""
        self.more = ("--backend", "cuda", "--rung", "fused=brick")
        self.check_alike()

    def test_auto(self):
        """What was measured to be faster draws."""
        self.picture("auto", self.branches)
        found = re.fullmatch(r"(.+): measured here, \d+ triangles take ([\d.]+) ms by raster, ([\d.]+) by compute, ([\d.]+) by OpenGL",
                             self.drawing)
        self.assertTrue(found, self.drawing)
        times = dict(zip(("raster on CUDA", "compute", "OpenGL"), map(float, found.groups()[1:])))
        self.assertEqual(times[found[1]], min(times.values()))  # as they are printed


class ComputeCuda(DrawCuda):
    """The same by OpenGL's compute shaders, of a mesh that CUDA writes."""
    way = "compute"
    drawn = "compute: asked for"


class AutoCuda(drive.WindowTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        need_sharing(cls)

    def test_a_new_mesh_stays_with_cuda(self):
        """If compute shaders are fastest, they draw a mesh that stays, and CUDA draws the mesh that it has just made."""
        window, _ = self.open(self.synth("vessels", 512), "--backend", "cuda")  # millions of triangles
        window.rest()
        window.press("1", DRAWN)
        window.settle()
        if not window.says("compute: measured here", 0):
            self.skipTest("compute shaders are not the fastest here: " + ", ".join(window.says(r"raster [\d.]+ ms; (.*)", 0)))
        since = window.drag_value()
        window.press("3", DRAWN)
        window.settle()
        who = window.says(r"raster [\d.]+ ms; (.*?): (CUDA has just made|measured)", since)
        self.assertIn(("raster on CUDA", "CUDA has just made"), who)
        self.assertEqual(who[-1], ("compute", "measured"))

    def test_bench_of_pictures(self):
        """All ways draw. auto must know the size of the first surface to measure it."""
        done = self.run_program("bench", "--backend", "cuda", "--iso", "80.5", "--pictures", "--runs", 5, "--json")
        self.assertEqual((done.returncode, done.stderr), (OK, ""))
        for row in json.loads(done.stdout)["pictures"]:
            self.assertIsNotNone(row["wall_us"]["median"], row)
            self.assertEqual("measured here" in (row["why"] or ""), row["way"] == "auto", row)


if __name__ == "__main__":
    drive.main()
