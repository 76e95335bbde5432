#!/usr/bin/env python3
"""Pictures drawn in tiles, because OpenGL says that it draws no larger ones (faults.h: side). They equal those drawn at once, up to
rounding. Usage: test_tiled.py ISOSCOPE_FAULTS."""
import os
import pty
import re
import signal
import subprocess
import unittest

import cli
from cli import FAILED, OK
from picture import Picture

SIDE = 256      # of a tile: nine to twelve in a picture
STEPS = 2       # of 255, by which colours may differ: places of vertices are rounded in the tile, not in the picture
OTHERS = 0.001  # part of the pixels that may differ by more: edges within 1/256 of a pixel, and the outlines there


class Tiled(cli.CommandTest):
    def setUp(self):
        """Thin branches, so that outlines and occlusion are everywhere, far and near."""
        super().setUp()
        self.assertEqual(self.run_program("synth", "vessels", "--size", "64", "-o", "v.nrrd").returncode, OK)

    def calls(self, name, *words, side=None):
        """Draws a picture; returns how often OpenGL made something."""
        fault = {"ISO_FAULT": f"side={side}" if side else "", "ISO_FAULT_COUNT": str(self.folder / "count")}
        done = self.run_program("render", "v.nrrd", *words, "-o", name, environment=fault)
        if done.returncode == cli.NO_GL:
            self.skipTest("no usable OpenGL")
        self.assertEqual((done.returncode, done.stderr), (OK, ""))
        return int(re.search(r"^gl (\d+)", (self.folder / "count").read_text(), re.M)[1])

    def check_alike(self, *words, size="487x365", side=SIDE):
        at_once = self.calls("a.png", *words, "--size", size)
        self.assertGreater(self.calls("b.png", *words, "--size", size, side=side), at_once + 10, "it was drawn at once")
        one, other = (Picture(self.folder / name) for name in ("a.png", "b.png"))
        self.assertEqual((one.width, one.height, one.channels), (other.width, other.height, other.channels))
        self.assertGreater(len({one[x, one.height // 2] for x in range(one.width)}), 10, "there is nothing to be seen")
        apart = [(x, y) for y in range(one.height) if one.rows[y] != other.rows[y] for x in range(one.width)
                 if max(abs(a - b) for a, b in zip(one[x, y], other[x, y])) > STEPS]
        self.assertLessEqual(len(apart), OTHERS * one.width * one.height, (words, size, apart[:20]))

    def test_looks(self):
        """Background, occlusion, outlines, samples, fog; parallel lines of sight; an eye so near that occlusion reaches farthest."""
        self.check_alike()
        self.check_alike("--orthographic", "--samples", "1", "--shading", "matcap")
        self.check_alike("--target", "0.1,0.1,0.1", "--distance", "0.3")

    def test_no_background(self):
        self.check_alike("--transparent")
        self.assertEqual(Picture(self.folder / "b.png").channels, 4)

    def test_on_the_processor(self):
        self.check_alike("--draw", "raster")

    def test_over_and_under_it(self):
        """Lines whose width is a part of the picture's, glass, caps, colours by place, text."""
        self.check_alike("--slice", "x=32", "--box")
        self.check_alike("--iso", "60,120", "--opacity", "1,0.4")
        self.check_alike("--crop", "x=20:40", "--color-by", "gradient")
        self.check_alike("--box", "--legend", "--color-by", "gradient", "--transparent")
        self.check_alike("--iso", "60", "--close", "--shading", "flat")

    def test_sizes(self):
        """A strip of one column or row of tiles; last tiles that are narrow; sides of odd length, of which occlusion has half."""
        for size in ("200x701", "701x200", "513x385", "257x258", "600x600"):
            self.check_alike("--samples", "2", size=size)
        self.check_alike("--samples", "2", size="333x217", side=199)

    def test_what_is_too_large(self):
        self.refuses(FAILED, "render", "v.nrrd", "--size", "900x900", "-o", "a.png", environment={"ISO_FAULT": "side=64"},
                     says=["pixels away", "draws 64 at once", "smaller --size"])
        self.refuses(cli.USAGE, "render", "v.nrrd", "--size", "1000001x10", "-o", "a.png", says=["at most 1000000 each"])
        self.refuses(cli.USAGE, "v.nrrd", "--size", "16385x10", says=["at most 16384"])

    def test_progress_and_interrupt(self):
        """A picture that takes more than half a second shows progress, and leaves nothing if it is interrupted."""
        before = self.files()
        words = [cli.PROGRAM, "render", "v.nrrd", "--size", "4000x4000", "-o", "a.png"]
        terminal, its_own = pty.openpty()
        process = subprocess.Popen(words, cwd=self.folder, stderr=its_own, stdout=subprocess.DEVNULL,
                                   env={**os.environ, "ISO_FAULT": "side=2000"})
        os.close(its_own)
        told = b""
        with os.fdopen(terminal, "rb", buffering=0) as file:
            while not re.search(rb"render +[1-9]\d* %", told):
                told += file.read(100)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(60), -signal.SIGINT)
        self.assertEqual(self.files(), before)


if __name__ == "__main__":
    unittest.main(verbosity=2)
