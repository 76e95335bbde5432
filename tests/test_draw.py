#!/usr/bin/env python3
"""Opaque surfaces drawn by the processor: the picture equals OpenGL's up to rounding. Drawn by OpenGL without the hidden parts: the
picture is the same. Also tests OpenGL's rows in `ladder draw`. test_draw_cuda.py runs the first tests with CUDA.
Usage: test_draw.py ISOSCOPE; drive.py has more."""
import json
import os
import re
import subprocess

import drive
from drive import DRAWN, NO_GL, OK, USAGE
from picture import Picture
from test_slices import PROBE

STEPS = 4       # of 255, by which colours may differ: normals of 12 bits, depths of 24 that occlusion compares
OTHERS = 0.002  # part of the pixels that may differ by more: edges within 1/256 of a pixel, and the outlines there
TIES = 2e-5     # part of the pixels where triangles of both rounds of culling may lie at the very same depth
TOLD = 12       # of these pixels are printed if there are too many
NOTICE = 500    # row below which the window of 600 says who draws
CROWD = 64      # voxels along each axis of the volume of which a wall hides most


def differences(one, other):
    """((x, y), most) for all pixels that differ: where, and by how much."""
    return [((x, y), max(abs(a - b) for a, b in zip(one[x, y], other[x, y]))) for y in range(one.height)
            if one.rows[y] != other.rows[y] for x in range(one.width) if one[x, y] != other[x, y]]


class Pictures(drive.ProgramTest):
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


class Draw(Pictures):
    way = "raster"
    drawn = "raster: asked for"  # what the program says of it

    def both(self, *words, volume=None):
        return [self.picture(way, volume or self.branches, *words) for way in ("opengl", self.way)]

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
            [said] + [f"{at}: {one} by OpenGL, {other} by {self.way}" for at, one, other in apart[:TOLD]]))

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
        self.assertIn("expected one of: auto opengl culled compute raster", done.stderr)


class Compute(Draw):
    """The same by OpenGL's compute shaders."""
    way = "compute"
    drawn = "compute: asked for"

    def test_several_surfaces(self):
        """The second is drawn over the first, and hides none of it at the same depth."""
        self.check_alike("--iso", "60,120")
        self.check_alike("--iso", "90,90")

    def test_sizes(self):
        """Rows of any length."""
        for size in ("479x361", "1283x717"):
            self.check_alike("--size", size)

    def test_what_shading_reads(self):
        """The whole picture is computed: background, occlusion, colours of every kind."""
        self.check_alike("--transparent", "--samples", "1")
        self.check_alike("--shading", "x-ray")
        self.check_alike("--color-by", "z", "--color-map", "viridis")
        self.check_alike("--color-by", "gradient")


class ComputeWindow(drive.WindowTest):
    def test_clicks(self):
        """They find depth and surface where compute shaders left them, and also once a slice is drawn over them."""
        ball = self.synth("sphere", 48, "ball.nrrd")
        for words in ((), ("--slice", "y=24")):
            probes = []
            for way in ("opengl", "compute"):
                window, _ = self.open(ball, "--iso", "0", "--backend", "cpu", "--draw", way, *words)
                window.rest()
                probes.append([window.click("scene", PROBE, *at) for at in ((0.5, 0.45), (0.55, 0.6))])
                self.assertEqual("; compute: asked for" in window.log(), way == "compute")
                window.quit()
            for one, other in zip(*probes):
                self.assertEqual(one[1], other[1])
                for axis in (2, 3, 4):  # voxels; depths may differ in the last bit
                    self.assertAlmostEqual(float(one[axis]), float(other[axis]), delta=0.002, msg=(one[0], other[0]))


def crowd():
    """A volume of many small balls behind a wall, which lies at y = 3."""
    balls = bytearray(CROWD ** 3)
    for z in range(CROWD):
        for y in range(CROWD):
            for x in range(CROWD):
                apart = sum((v % 8 - 4) ** 2 for v in (x, y, z))
                wall = 2 <= y <= 4 and 1 < x < CROWD - 2 and 1 < z < CROWD - 2
                balls[(z * CROWD + y) * CROWD + x] = 200 if wall else max(0, 200 - 12 * apart) if y > 8 else 0
    return f"NRRD0004\ntype: uint8\ndimension: 3\nsizes: {CROWD} {CROWD} {CROWD}\nencoding: raw\n\n".encode() + bytes(balls)


class Culled(Pictures):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.crowd = cls.path("crowd.nrrd")
        with open(cls.crowd, "wb") as file:
            file.write(crowd())

    def check_same(self, one, other, words=(), most=TIES):
        found = differences(one, other)
        self.assertEqual((one.width, one.height), (other.width, other.height))
        self.assertLessEqual(len(found), most * one.width * one.height, (words, found[:TOLD]))

    def check(self, *words, volume=None, most=TIES):
        """Compares with OpenGL's picture: at most this part of the pixels may differ. Returns the part of the triangles that
        was drawn last."""
        one, other = [self.picture(way, volume or self.branches, *words) for way in ("opengl", "culled")]
        self.check_same(one, other, words, most)
        said = re.fullmatch(r"culled: asked for; (\d+) of (\d+) triangles were drawn", self.drawing)
        self.assertTrue(said, (words, self.drawing))
        print(" ".join(words) or "plain", said[0], flush=True)
        return int(said[1]) / int(said[2])

    def test_the_same_pixels(self):
        self.check()
        self.check("--orthographic", "--samples", "2")
        self.check("--azimuth", "200", "--elevation", "-70", "--shading", "flat")
        self.check("--keep", "largest", "--size", "479x361")
        self.check("--size", "1x1")
        self.check(volume=self.mirrored)

    def test_what_else_is_drawn(self):
        """Slices, glass, caps, the box, and several surfaces."""
        self.check("--slice", "x=48", "--box", most=OTHERS)  # lines of software OpenGL are not the same twice
        self.check("--iso", "60,120", "--opacity", "1,0.4")
        self.check("--iso", "60,90,120", "--close")
        self.check("--iso", "60,120", "--crop", "x=20:70", "--close")

    def test_outside_the_view(self):
        """For the first picture it is not yet known what is hidden."""
        self.assertEqual(self.check("--samples", "1"), 1)
        within = self.check("--target", "0.1,0.1,0.1", "--distance", "0.2", "--samples", "1")
        self.assertLess(within, 0.7)
        self.assertGreater(within, 0)
        self.check("--target", "0.1,0.1,0.1", "--distance", "0.2")
        self.assertEqual(self.check("--target", "8,8,0", "--distance", "0.2", "--samples", "1"), 0)

    def test_what_is_cut_away(self):
        self.assertLess(self.check("--crop", "x=20:40", "--samples", "1"), 0.5)
        self.assertLess(self.check("--slice", "y=30+", "--samples", "1"), 0.5)

    def test_behind_a_wall(self):
        before, behind = [self.check("--azimuth", azimuth, "--elevation", "0", volume=self.crowd) for azimuth in ("0", "180")]
        self.assertLess(min(before, behind), 0.3)
        self.assertGreater(max(before, behind), 0.4)

    def test_jumps(self):
        """Triangles hidden in one view are seen in the next."""
        for volume in self.branches, self.crowd:
            for samples in "1", "3":
                films = []
                for way in "opengl", "culled":
                    done = self.run_program("render", volume, "--draw", way, "--size", "480x360", "--turntable", "4", "--elevation",
                                            "10", "--samples", samples, *self.more, "-o", way + "%d.png")
                    if done.returncode == NO_GL:
                        self.skipTest(done.stderr.strip())
                    self.assertEqual(done.returncode, OK, done.stderr)
                    films.append([Picture(self.path(f"{way}{i}.png")) for i in range(4)])
                for one, other in zip(*films):
                    self.check_same(one, other, (volume, samples))

    def test_nothing_to_draw(self):
        self.picture("culled", self.branches, "--iso", "255")
        self.assertEqual(self.drawing, "OpenGL: no opaque surface")
        self.picture("culled", self.branches, "--opacity", "0.5")
        self.assertEqual(self.drawing, "OpenGL: no opaque surface")


class CulledWindow(drive.WindowTest):
    def test_it_turns(self):
        """The view jumps. The picture is the same in all ways of drawing."""
        volume = self.path("crowd.nrrd")
        with open(volume, "wb") as file:
            file.write(crowd())
        window, _ = self.open(volume, "--backend", "cpu", "--draw", "opengl", size="800x600")
        window.rest()
        pictures = {}
        for way in ("opengl", "culled"):
            for key in ("1", "3"):
                window.press(key, DRAWN)
                window.settle()
                pictures[way, key] = Picture(self.path(window.press("F12", r"screenshot (\S+)")[1]))
            if way == "opengl":
                window.press("ctrl+d", "draw culled")
        self.assertRegex(window.log(), r"drawing: culled: asked for; \d+ of \d+ triangles were drawn")
        left = window.point("scene", 0)[0]
        for key in ("1", "3"):
            found = differences(pictures["opengl", key], pictures["culled", key])
            scene = [pixel for pixel in found if pixel[0][0] > left and pixel[0][1] < NOTICE]
            self.assertLessEqual(len(scene), TIES * 800 * 600, (key, scene[:TOLD]))
        self.assertGreater(len(differences(pictures["culled", "1"], pictures["culled", "3"])), 1000)
        window.quit()


class Ladder(drive.ProgramTest):
    """OpenGL next to the rungs of kernels/. test_draw_gl.c tests every case, and the check itself."""
    rungs = ["opengl", "culled", "compute"]

    def ladder(self, *words, **environment):
        done = subprocess.run([drive.program, "ladder", "draw", *words], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, **drive.NO_LEAKS, **environment})
        self.assertEqual((done.returncode, done.stderr), (OK, ""))
        return done.stdout

    def rows(self, *words, **environment):
        rows = json.loads(self.ladder(*words, "--json", **environment))["rungs"]
        return rows, [row for row in rows if row["backend"] == "opengl"]

    def measured(self, *words):
        """The same, where there is OpenGL."""
        rows, ours = self.rows("--backend", "cpu", "--size", "20", *words)
        self.assertEqual([row["rung"] for row in ours], self.rungs)
        if "no OpenGL" in (ours[0]["why"] or ""):
            self.skipTest(ours[0]["why"])
        return rows, ours

    def test_lists_and_teaches(self):
        self.assertRegex(self.ladder(), r"\n  opengl\n   1 opengl +all triangles.*\n   2 culled +by cells")
        _, ours = self.rows()
        self.assertEqual([(row["rung"], row["source"]) for row in ours],
                         [("opengl", "shaders/mesh.vert"), ("culled", "shaders/cull_cells.comp"),
                          ("compute", "shaders/raster_small.comp")])
        self.assertIn("shaders/cull_test.comp:1\n", self.ladder("culled"))
        self.assertIn(" opengl culled compute", self.run_program("ladder", "draw", "quick").stderr)

    def test_checks(self):
        for row in self.measured("--test")[1]:
            self.assertEqual((row["outcome"], row["why"], row["runs"], row["median_us"]), ("right", None, 0, None), row)
            self.assertIn("OpenGL on ", row["device"])

    def test_times(self):
        rows, ours = self.measured("--bench", "--runs", "5")
        for row in ours:
            self.assertEqual((row["outcome"], row["runs"], row["operations"]), ("right", 5, rows[0]["operations"]), row)
            self.assertGreater(row["median_us"], 0)
            self.assertIsNone(row["percent_of_ceiling"])  # the roof is another device's
            self.assertAlmostEqual(row["times_first"], rows[0]["median_us"] / row["median_us"], delta=1e-3 * row["times_first"])
        told = self.ladder("--backend", "cpu", "--size", "20", "--runs", "5", "--explain")
        self.assertRegex(told, r"\n7\. opengl: .*\n   -> here [\d.]+ ms; ")  # without a percentage, too
        said = self.ladder("--backend", "cpu", "--size", "20", "--runs", "5", "--save", "draw.md", "--report", "draw.html")
        self.assertIn(f"\n{', '.join(self.rungs)}: {ours[0]['device']}\n", said)
        for name, row in (("draw.md", "| {} | ✓ |"), ("draw.html", '<span class="name">{}</span> <span class="good">')):
            with open(self.path(name), encoding="utf-8") as file:
                text = file.read()
            for rung in self.rungs:
                self.assertIn(row.format(rung), text)
            self.assertNotIn("nan", text.split("<details>")[0])

    def test_says_why_it_is_absent(self):
        rows, ours = self.rows("--test", "--backend", "cpu", "--size", "20", __EGL_VENDOR_LIBRARY_DIRS=self.path("none"),
                               __EGL_VENDOR_LIBRARY_FILENAMES=self.path("none"))
        for row in ours:
            self.assertEqual((row["outcome"], row["device"]), ("skipped", None))
            self.assertIn("no OpenGL 4.5 without a display", row["why"])
        self.assertEqual({row["outcome"] for row in rows[:-2]} - {"skipped"}, {"right"})


if __name__ == "__main__":
    drive.main()
