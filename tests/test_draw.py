#!/usr/bin/env python3
"""Opaque surfaces drawn by the processor: the picture is OpenGL's, but for roundings. Usage: test_draw.py ISOSCOPE; drive.py has
more. test_draw_cuda.py runs the same by CUDA."""
import re

import drive
from drive import NO_GL, OK, USAGE
from picture import Picture

STEPS = 4       # of 255, by which colours may differ: normals of 12 bits, depths of 24 that occlusion compares
OTHERS = 0.002  # part of the pixels that may differ by more: edges within 1/256 of a pixel, and the outlines there
TOLD = 12       # of these pixels are printed if there are too many


def differences(one, other):
    """((x, y), most) for all pixels that are not alike: where, and how far apart the colours are."""
    return [((x, y), max(abs(a - b) for a, b in zip(one[x, y], other[x, y]))) for y in range(one.height)
            if one.rows[y] != other.rows[y] for x in range(one.width) if one[x, y] != other[x, y]]


class Draw(drive.ProgramTest):
    drawn = "raster: asked for"  # what the program says of --draw raster
    more = ("--backend", "cpu")  # words for all pictures

    @classmethod
    def setUpClass(cls):
        """Thin branches, many of them smaller than a pixel; the same in a mirrored world."""
        super().setUpClass()
        cls.branches = cls.synth("vessels", 96, "branches.nrrd")
        with open(cls.branches, "rb") as file:
            data = file.read()[-96 ** 3:]
        cls.mirrored = cls.path("mirrored.nrrd")
        with open(cls.mirrored, "wb") as file:
            file.write(b"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 96 96 96\nencoding: raw\nspace: right-anterior-superior\n"
                       b"space directions: (-1,0,0) (0,1,0) (0,0,1)\n\n" + data)

    def picture(self, way, volume, *words):
        """Also sets self.drawing: who drew, and why."""
        name = way + ".png"
        done = self.run_program("render", volume, "--draw", way, "--size", "480x360", "--verbose", *self.more, *words, "-o", name)
        if done.returncode == NO_GL:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, OK, done.stderr)
        self.drawing = re.search("drawing: (.*)", done.stderr)[1]
        return Picture(self.path(name))

    def both(self, *words, volume=None):
        return [self.picture(way, volume or self.branches, *words) for way in ("opengl", "raster")]

    def check_alike(self, *words, volume=None):
        one, other = self.both(*words, volume=volume)
        if self.drawn == Draw.drawn and "neither in host memory" in self.drawing:
            self.skipTest("OpenGL runs on a GPU")
        self.assertEqual(self.drawing, self.drawn, words)
        self.assertEqual((one.width, one.height), (other.width, other.height))
        found = differences(one, other)
        apart = [(at, one[at], other[at]) for at, most in found if most > STEPS]
        said = "{}: of {} x {} pixels {} are not alike, by {} at most; {} by more than {}".format(
            " ".join(words) or "plain", one.width, one.height, len(found), max((most for _, most in found), default=0), len(apart), STEPS)
        print(said, flush=True)
        self.assertLessEqual(len(apart), OTHERS * one.width * one.height, "\n".join(
            [said] + ["{}: {} by OpenGL, {} by raster".format(*pixel) for pixel in apart[:TOLD]]))

    def test_a_surface(self):
        self.check_alike()
        self.check_alike("--orthographic", "--samples", "1")
        self.check_alike("--keep", "largest")
        self.check_alike("--azimuth", "200", "--elevation", "-70", "--shading", "matcap")
        self.check_alike(volume=self.mirrored)

    def test_from_within(self):
        """Triangles reach behind the eye."""
        self.check_alike("--target", "0.1,0.1,0.1", "--distance", "0.2")

    def test_over_and_under_it(self):
        """What OpenGL draws besides: slices, glass, caps, the box."""
        self.check_alike("--slice", "x=48", "--box")
        self.check_alike("--iso", "60,120", "--opacity", "1,0.4")
        self.check_alike("--iso", "60,120", "--close")

    def test_what_only_opengl_draws(self):  # edges too, but lines of software OpenGL are not the same twice
        for words in (("--shading", "flat"), ("--crop", "x=20:70"), ("--opacity", "0.5")):
            one, other = self.both(*words)
            self.assertRegex(self.drawing, "^OpenGL: ", words)
            self.assertEqual(one, other, words)

    def test_a_small_surface_is_not_measured(self):
        small = self.synth("sphere", 24, "ball.nrrd")
        self.assertEqual(self.picture("auto", small), self.picture("opengl", small))

    def test_an_unknown_way(self):
        done = self.run_program("render", self.branches, "--draw", "cuda", "-o", "a.png")
        self.assertEqual(done.returncode, USAGE)
        self.assertIn("there are: auto opengl raster", done.stderr)


if __name__ == "__main__":
    drive.main()
