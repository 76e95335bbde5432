#!/usr/bin/env python3
"""Several surfaces of one volume, in pictures and in the window. Usage: test_several.py ISOSCOPE; drive.py has more."""
import json
import math
import os
import re
import struct

import drive
from drive import FULL, USAGE
from picture import Picture
from test_look import Measured

PAINT = """bool has_paint();
vec3 paint(bool outside);
vec3 shade(vec3 normal, vec3 eye, bool outside, float open, float rim)
{
    return has_paint() ? pow(paint(true), vec3(1.0 / 2.2)) : vec3(0.0);
}
"""
PLAIN = """layout(location = 2) uniform bool occluded;
vec3 shade(vec3 normal, vec3 eye, bool outside, float open, float rim);
vec4 shaded(vec2 pixel) { return vec4(shade(vec3(0.0), vec3(0.0), true, 1.0, 0.0), 1.0); }
"""
PROBE = r"probe (surface|cut|border|slice y): voxel \S+ (\S+) [^\n]*, value (\S+)(?: of surface (\d))?\n"
ADDED = r"surface (\d) added at (\S+?)(, mirrored)?\n"
RED, BLUE = (0xD5, 0x5E, 0x00), (0x00, 0x72, 0xB2)


def make_ball(path, size=48):
    """A float volume that falls from 1 in the middle to -1: radii of surfaces are known, and there are values at +v and -v."""
    middle = (size - 1) / 2

    def value(x, y, z):
        return 1 - ((x - middle) ** 2 + (y - middle) ** 2 + (z - middle) ** 2) ** 0.5 / (middle / 2)
    with open(path, "wb") as file:
        file.write(b"".join(struct.pack("<f", value(x, y, z)) for z in range(size) for y in range(size) for x in range(size)))


class Pictures(Measured, drive.ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ball = "ball_48x48x48_float32.raw"
        make_ball(cls.path(cls.ball))

    def middle(self, *words, azimuth="0"):
        """The mean colour of the 5 x 5 pixels in the middle, of one sample: without a slice, x-ray or light."""
        picture = Picture(self.render("a.png", self.ball, *words, "--size", "120x120", "--azimuth", azimuth, "--elevation",
                                      "0", "--backend", "cpu", "--box"))  # which keeps the camera where it is
        pixels = [picture[picture.width // 2 + x, picture.height // 2 + y] for y in range(-2, 3) for x in range(-2, 3)]
        return [sum(colour) / len(pixels) for colour in zip(*pixels)]

    def test_nested_translucent_surfaces_are_blended_in_order(self):
        """A ray through the middle meets the front of the outer ball, that of the inner, and the backs of the inner and the outer.
        Each layer's colour is found from pictures of one surface alone. The picture of both must be these four layers, one over
        the other, from any side, and in any order of the values."""
        outer, inner, a, b = "-0.5", "0.5", 0.3, 0.6
        for azimuth in ("0", "90", "180", "270"):
            behind = self.middle("--iso", "5", azimuth=azimuth)
            layer = {iso: self.layers(iso, color, behind, azimuth) for iso, color in ((outer, "d55e00"), (inner, "0072b2"))}
            want = behind
            for iso, side, opacity in ((outer, 1, a), (inner, 1, b), (inner, 0, b), (outer, 0, a)):
                want = [c * opacity + w * (1 - opacity) for c, w in zip(layer[iso][side], want)]
            for isos, opacities, colors in ((f"{outer},{inner}", f"{a},{b}", "d55e00,0072b2"),
                                            (f"{inner},{outer}", f"{b},{a}", "0072b2,d55e00")):
                # 0.0001 apart from each other: a pair at -v and v would be another picture
                isos = isos.replace("-0.5", "-0.5001")
                got = self.middle("--iso", isos, "--opacity", opacities, "--color", colors, azimuth=azimuth)
                self.assertLess(max(abs(p - q) for p, q in zip(got, want)), 3, (azimuth, isos, got, want))
                wrong = behind
                for iso, opacity in ((inner, b), (outer, a)):  # one surface behind the other
                    for side in (1, 0):
                        wrong = [c * opacity + w * (1 - opacity) for c, w in zip(layer[iso][side], wrong)]
                self.assertGreater(max(abs(p - q) for p, q in zip(got, wrong)), 6, "the orders would not be told apart")

    def layers(self, iso, color, behind, azimuth):
        """Colours of the front and the back of one ball, as they are before they are blended."""
        words = ("--iso", iso, "--color", color)
        solid = self.middle(*words, "--opacity", "0.9999", azimuth=azimuth)  # glass is shaded without occlusion
        half = self.middle(*words, "--opacity", "0.5", azimuth=azimuth)
        return solid, [4 * h - 2 * s - b for h, s, b in zip(half, solid, behind)]

    def test_an_opaque_one_hides_and_is_seen_through_glass(self):
        inner, outer = self.middle("--iso", "0.5", "--color", "0072b2"), self.middle("--iso", "-0.2", "--color", "d55e00")
        both = self.middle("--iso", "-0.2,0.5", "--color", "d55e00,0072b2")
        self.assertLess(max(abs(p - q) for p, q in zip(both, outer)), 2, "the outer one hides the inner")
        glass = self.middle("--iso", "-0.2,0.5", "--color", "d55e00,0072b2", "--opacity", "0,1")
        self.assertLess(max(abs(p - q) for p, q in zip(glass, inner)), 2)
        half = self.middle("--iso", "-0.2,0.5", "--color", "d55e00,0072b2", "--opacity", "0.4,1")
        front = self.middle("--iso", "-0.2", "--color", "d55e00", "--opacity", "0.9999")
        want = [0.4 * f + 0.6 * i for f, i in zip(front, inner)]
        self.assertLess(max(abs(p - q) for p, q in zip(half, want)), 3)

    def test_the_colour_is_as_asked_for(self):
        """The lit colour has the hue of the one that was asked for."""
        for name, (red, green, blue) in (("d55e00", RED), ("#0072B2", BLUE)):
            got = self.middle("--iso", "0", "--color", name)
            self.assertEqual(max(range(3), key=lambda c: got[c]), max(range(3), key=lambda c: (red, green, blue)[c]), got)
        self.assertNotEqual(self.middle("--iso", "0"), self.middle("--iso", "0", "--color", "d55e00"))

    def test_a_pair_shows_its_outer_sides(self):
        """Alone, the surface at -v encloses what is above it. In a pair, the lower surface is drawn inside out."""
        alone = self.middle("--iso", "-0.5", "--color", "0072b2")
        pair = self.middle("--iso", "-0.5,0.5", "--color", "0072b2,0072b2")
        self.assertGreater(sum(alone) - sum(pair), 40, "an outer face is brighter than an inner one")

    def test_the_same_triangles_as_alone(self):
        words = ("render", self.ball, "--backend", "cpu", "-o", "b.png", "--size", "50x40", "--iso")
        counts = [int(self.run_program(*words, iso).stdout.split(" triangles")[0].split()[-1]) for iso in ("0.1", "0.3")]
        both = self.run_program(*words, "0.1,0.3").stdout
        self.assertIn("iso 0.1,0.3, ", both)
        self.assertIn(f" {sum(counts)} triangles", both)
        ranged = self.run_program(*words, "0.1:0.4:4").stdout
        self.assertIn("iso 0.1,0.2,0.3,0.4, ", ranged)

    def test_colours_by_a_quantity(self):
        """Shaders that show the colour alone: along x the map goes from one end of the volume to the other; the gradient of the ball
        is the same everywhere, and in a volume with twice the spacing half of it. Also through glass."""
        words = ("--iso", "-0.4", "--color-map", "grey", "--box", "--azimuth", "0", "--elevation", "0", "--orthographic",
                 "--samples", "1", "--size", "200x200")
        for glass in ((), ("--opacity", "0.9999")):
            with self.use(shade_light_glsl=PAINT, shade_glsl=PLAIN):
                picture = Picture(self.render("a.png", self.ball, *words, "--color-by", "x", *glass))
                row = [picture[x, 100][0] for x in range(50, 151, 10)]
                steps = [b - a for a, b in zip(row, row[1:])]
                self.assertLess(abs(row[5] - 127), 4, row)  # the middle
                self.assertLess(max(steps) - min(steps), 4, steps)
                self.assertGreater(min(steps), 8, "x grows to the right")
                up = Picture(self.render("a.png", self.ball, *words, "--color-by", "z", *glass))
                self.assertGreater(up[100, 60][0], up[100, 140][0] + 60, "z grows upwards")
                flat = Picture(self.render("a.png", self.ball, *words, "--color-by", "gradient", *glass))
                seen = [flat[x, y][0] for x in range(76, 125, 4) for y in range(76, 125, 4)]
                self.assertLess(max(seen) - min(seen), 8)
                self.assertGreater(min(seen), 240, "all is as steep as most are")
        said = [float(self.run_program("render", self.ball, "--color-by", "gradient", "--size", "20x20", "-o", "c.png", *more).stdout
                      .split("from 0 to ")[1]) for more in ((), ("--spacing", "2,2,2"))]
        self.assertLess(abs(said[0] - 1 / 11.75), 0.003, said)
        self.assertAlmostEqual(said[0], 2 * said[1], 5)

    def test_caps_of_nested_surfaces_lie_in_one_plane(self):
        """Two balls, halved by the crop box and seen straight on: the cap of the inner one, within a ring of the outer one's. The
        same in any order of the values, from both sides, and flat: all of a cap has one colour."""
        for azimuth, crop in (("0", "y=23.5:"), ("180", "y=:23.5")):
            for isos, colors in (("-0.4,0.4", "d55e00,0072b2"), ("0.4,-0.4001", "0072b2,d55e00")):
                isos = isos.replace("-0.4,", "-0.4001,")  # no pair
                picture = Picture(self.render("a.png", self.ball, "--iso", isos, "--color", colors, "--crop", crop, "--azimuth",
                                              azimuth, "--elevation", "0", "--size", "201x201", "--box", "--orthographic"))
                row = [picture[x, 104] for x in range(201)]
                blue = [x for x, c in enumerate(row) if c[2] > c[0] + 60]
                red = [x for x, c in enumerate(row) if c[0] > c[2] + 60]
                # Radii of 0.6 and 1.4 times 11.75 voxels.
                self.assertAlmostEqual((max(red) - min(red)) / (max(blue) - min(blue)), 14 / 6, delta=0.12)
                self.assertEqual(blue, list(range(blue[0], blue[-1] + 1)), "nothing of the outer one lies over the inner")
                self.assertTrue(min(red) < blue[0] and blue[-1] < max(red))
                self.assertEqual(len({row[x] for x in blue[3:-3]}), 1, "flat")

    def test_open_cuts_and_hidden_surfaces(self):
        half = "--crop", "y=23.5:"
        whole, hidden = (self.middle("--iso", "-0.4,0.4", *half, *more) for more in ((), ("--hide", "2")))
        alone = self.middle("--iso", "-0.4", *half)
        self.assertEqual(hidden, alone)
        self.assertGreater(max(abs(p - q) for p, q in zip(whole, alone)), 40)
        inner = self.middle("--iso", "-0.4,0.4", *half, "--open-cuts")
        self.assertGreater(max(abs(p - q) for p, q in zip(whole, inner)), 3, "an inner face in place of the cap")
        self.assertEqual(self.middle("--iso", "0", "--hide", "1"), self.middle("--iso", "5"), "the background")

    def test_a_state_has_all_of_it(self):
        """A state of several surfaces gives the same picture again, and is written identically again."""
        for words in (("--iso", "-0.4,0,0.4", "--color", "auto,009e73,0072b2", "--opacity", "0.3,0.5,1", "--hide", "2"),
                      ("--iso", "-0.4,0.4", "--crop", "y=20.5:,x=:30", "--color-by", "z", "--color-map", "cividis"),
                      ("--iso", "0", "--color", "d55e00", "--crop", "z=3.25:40", "--open-cuts", "--opacity", "0.25")):
            one = self.render("one.png", self.ball, *words, "--size", "80x60", "--save-state", "one.state")
            two = self.render("two.png", self.ball, "--load-state", "one.state", "--size", "80x60", "--save-state", "two.state")
            with open(self.path("one.state")) as first, open(self.path("two.state")) as second:
                text = first.read()
                self.assertEqual(text, second.read())
            for name, value in zip(words[::2], words[1::2]):
                if name not in ("--open-cuts", "--crop"):
                    self.assertIn(f"{name[2:]} = {value}\n", text)
            with open(one, "rb") as first, open(two, "rb") as second:
                self.assertEqual(first.read(), second.read(), words)

    def test_wrong_lists_are_refused(self):
        for words in (("--iso", "1,2,3,4,5"), ("--iso", "1,,2"), ("--iso", "1,2", "--opacity", "0.1,0.2,0.3"),
                      ("--iso", "1,2", "--color", "red"), ("--color", "0072b"), ("--opacity", "0.5,0.6"),
                      ("--opacity", "0.5,1.1", "--iso", "1,2"), ("--color-by", "w"), ("--color-map", "rainbow"),
                      ("--iso", "1,2", "--hide", "3"), ("--hide", "0"), ("--hide", "1,"), ("--color", "autos"),
                      ("--keep", "1,2"), ("--iso", "1,2", "--keep", "all,0"), ("--keep", "larg"), ("--keep", "all,"),
                      ("--iso", "1,2", "--min-size", "1,2,3"), ("--min-size", "1,-2"), ("--min-size", "101%"), ("--min-size", "1,")):
            done = self.run_program("render", self.ball, *words)
            self.assertEqual(done.returncode, USAGE, words)
            self.assertIn(words[-1] if words[0] in ("--color-by", "--color-map") else words[0] if words[0] == "--opacity" else
                          words[-2], done.stderr)
            self.assertFalse(os.path.exists(self.path("isoscope.png")))


class Window(drive.WindowTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ball = cls.path("ball_48x48x48_float32.raw")
        make_ball(cls.ball)

    def added(self, window, key, mirrored):
        since = window.mark()
        found = window.press(key, ADDED)
        self.assertEqual(bool(found[3]), mirrored)
        self.assertEqual(window.wait_for(FULL, since)[1], found[2])
        return found

    def test_a_cut_across_the_view_goes_through_what_is_shown(self):
        """Not through a hidden first surface, which here is around both of two balls."""
        path = self.path("balls_64x24x24_uint8.raw")
        def value(*at):
            return max(high * (math.dist(at, (x, 12, 12)) < 6) for high, x in ((100, 12), (200, 48)))
        with open(path, "wb") as file:
            file.write(bytes(value(x, y, z) for z in range(24) for y in range(24) for x in range(64)))
        window, _ = self.open(path, "--iso", "50,150", "--azimuth", "90", "--elevation", "0")
        window.settle()
        window.press("i", "surface 0 hidden")
        window.settle()
        window.press("k", "knife on")
        name = window.press("ctrl+s", r"state (\S+\.state)\n")[1]
        with open(self.path(name)) as file:
            normal, _, _, offset = map(float, re.search(r"\nknife = (\S+)", file.read())[1].split(","))
        self.assertAlmostEqual(offset / normal, 48, delta=1)  # bounds are of whole bricks, here of 32 voxels along x
        window.quit()

    def test_percentiles(self):
        """Each surface has its percentile, although the values are counted after the volume is loaded."""
        window, _ = self.open(self.ball, "--iso", "50%,90%,60%")
        window.wait_for(rf"({FULL}[\s\S]*){{3}}")
        window.settle()
        values = sorted({float(found[0]) for found in window.says(FULL, 0)})
        wanted = [self.info(self.ball, "--iso", f"{part}%")["iso"] for part in (50, 60, 90)]
        self.assertEqual(len(values), 3, values)
        for value, want in zip(values, wanted):
            self.assertAlmostEqual(value, want, delta=1e-6)
        window.quit()

    def test_add_hide_and_remove(self):
        window, first = self.open(self.ball, "--iso", "0.25")
        self.assertEqual(first[1], "0.25")
        other = self.added(window, "Insert", False)
        self.assertNotEqual(other[2], "0.25")
        self.assertEqual(other[1], "1")
        window.press("equal", FULL)  # of the new one, which is active
        window.press("Tab", r"surface 0 of 2, value 0.25\n")
        self.assertGreater(float(window.press("equal", FULL)[1]), 0.25)
        window.press("i", r"surface 0 hidden")
        window.settle()
        since = window.mark()
        window.press("i", r"surface 0 shown")
        window.settle()
        self.assertFalse(window.says(FULL, since), "it was kept")
        window.press("Delete", r"surface 0 removed")
        since = window.mark()
        window.press("Delete", "")
        window.settle()
        self.assertIsNone(re.search(r"surface \d removed", window.log(since)), "the last one stays")
        window.press("e", r"export (\S+): (\d+) triangles")
        window.quit()

    def test_a_file_of_those_that_are_shown(self):
        """A format that holds several surfaces gets all shown ones, with the bytes of extract and their own looks. Others get
        the active one."""
        words = [self.ball, "--iso", "0.25,-0.2,0.4", "--color", "auto,ff0000,0000ff", "--opacity", "1,1,0.5"]
        window, _ = self.open(*words)
        window.press("Tab", "surface 1 of 3")
        window.press("i", "surface 1 hidden")
        window.settle()

        def written():
            window.settle()
            return self.path(window.press("e", r"export (\S+): (\d+) triangles")[1])

        def choose(name):
            window.click("export format", rf"widget export as {name}: ")
            window.settle()
            window.click(f"export as {name}", "")
            window.settle()

        with open(written(), "rb") as made:
            content = made.read()
        self.run_program("extract", self.ball, "--iso", "0.25,0.4", "-o", "wanted.ply")
        with open(self.path("wanted.ply"), "rb") as wanted:
            self.assertTrue(content == wanted.read())
        choose("GLB")
        with open(written(), "rb") as made:
            content = made.read()
        size, = struct.unpack_from("<I", content, 12)
        scene = json.loads(content[20:20 + size])
        self.assertEqual([mesh["extras"]["isovalue"] for mesh in scene["meshes"]], [0.25, 0.4])
        colours = [material["pbrMetallicRoughness"]["baseColorFactor"] for material in scene["materials"]]
        self.assertEqual((colours[0][3], colours[1]), (1, [0, 0, 1, 0.5]))
        choose("STL")
        name = written()  # hidden, but it is what keys speak of
        self.assertIn("_-0.2", os.path.basename(name))
        choose("PLY")
        window.click("surface 0 shown", r"surface 0 hidden")
        self.assertTrue(written().endswith("_0.4.ply"), "the only one that is shown")
        window.quit()

    def test_what_is_said_of_an_empty_surface(self):
        """Once a hidden one has another value, for which it is not made, nobody knows whether it is empty."""
        window, _ = self.open(self.ball, "--iso", "1e6")
        window.settle()
        left, top = map(int, window.says(r"widget empty: (\d+) (\d+) \d+ \d+\n", 0)[-1])

        def is_said():
            window.settle()
            picture = Picture(self.path(window.press("F12", r"screenshot (\S+)\n")[1]))
            return abs(picture[left + 3, top + 3][0] - picture[left + 3, top - 3][0]) > 8  # the box is darker than the scene
        self.assertTrue(is_said())
        window.press("i", "surface 0 hidden")
        self.assertTrue(is_said())
        window.press("a", "step [^\n]*value")
        self.assertFalse(is_said())
        window.quit()

    def test_a_mirrored_pair_moves_together(self):
        window, _ = self.open(self.ball, "--iso", "0.25")
        since = window.mark()
        self.assertEqual(self.added(window, "shift+Insert", True)[2], "-0.25")
        for name in (r"\+0\.25", "-0\\.25"):  # with their signs, and no plus-minus
            self.assertIsNotNone(window.wait_for(rf"widget pair {name}: ", since), name)
        since = window.mark()
        window.press("underscore", FULL + r"[\s\S]*?" + FULL)
        values = {float(found[0]) for found in window.says(FULL, since)}
        self.assertEqual(len(values), 2)
        self.assertAlmostEqual(sum(values), 0)
        since = window.drag_value()
        window.settle()
        window.wait_for(r"iso (\S+): [\s\S]*?iso (\S+): ", since)
        last = [float(found[0]) for found in window.says(FULL, since)[-2:]]
        self.assertAlmostEqual(sum(last), 0)
        window.quit()

    def test_a_pair_by_the_option(self):
        window, _ = self.open(self.ball, "--iso", "0.25,-0.25,0.5", "--pair", "2:1")
        window.wait_for(drive.DRAWN)
        window.settle()
        since = window.mark()
        window.press("underscore", r"step 1: value")
        window.settle()
        window.press("ctrl+s", r"state \S+\.state\n")
        saved = window.says(r"state (\S+)\n", since)[-1]
        window.quit()
        with open(self.path(saved)) as file:
            lines = dict(line.strip().split(" = ") for line in file if " = " in line)
        one, other, third = map(float, lines["iso"].split(","))
        self.assertEqual((one + other, third, lines["pair"]), (0, 0.5, "1:2"))
        self.assertNotEqual(one, 0.25)

    def test_rows_and_bars(self):
        window, _ = self.open(self.ball, "--iso", "-0.25,0.5", "--opacity", "0.4")
        window.wait_for(rf"({FULL}[\s\S]*){{2}}order of ")
        window.settle()
        both = {found[0]: int(found[1]) for found in window.says(FULL, 0)}
        self.assertEqual(int(window.says(r"order of (\d+) triangles", 0)[-1]), sum(both.values()), "one order of both")
        window.click("surface 1", r"surface 1 of 2, value 0.5\n")
        window.click("surface 0 shown", r"surface 0 hidden")
        window.settle()
        self.assertEqual(int(window.says(r"order of (\d+) triangles", 0)[-1]), both["0.5"])
        window.click("surface 0 shown", r"surface 0 shown")
        window.click("surface 1 opacity", r"surface 1 opacity (\S+)", x=0.8)
        window.click("add surface", ADDED)
        window.settle()
        since = window.mark()
        window.click("surface 2 remove", r"surface 2 removed")
        window.wait_for(r"widget add mirrored: ", since)  # it has moved
        window.settle()
        window.click("add mirrored", ADDED)
        window.settle()
        window.press("6", r"slices: 0 0 \d+ segments at -0.25")
        window.settle()
        window.press("F12", r"screenshot (\S+)")
        window.quit()

    def test_undo_and_copy(self):
        """Another surface, its opacity, hiding it, the crop box and open cuts are a step each. The copied command has all of
        them."""
        window, _ = self.open(self.ball, "--iso", "0.25")
        window.settle()
        steps = []

        def step(what, key, pattern):
            since = window.mark()
            window.press(key, pattern)
            steps.append(what)
            window.wait_for(rf"step {len(steps)}: {what}", since)

        step(r"surface at \S+ added\n", "Insert", ADDED)
        step(r"opacity 1,", "y", "translucent on")
        step(r"hidden 2\n", "i", "surface 1 hidden")
        step(r"crop box x=0:47", "ctrl+k", "crop on")
        step(r"open cuts on\n", "ctrl+j", "cut caps off")
        since = window.mark()
        window.press("ctrl+c", r"copied isoscope render")
        copied = window.says(r"copied (isoscope render .*)\n", since)[0]
        for part in ("--iso 0.25,", "--hide 2", "--crop x=0:47,y=0:47,z=0:47", "--open-cuts"):
            self.assertIn(part, copied)
        for i in range(len(steps) - 1, -1, -1):
            window.press("ctrl+z", rf"undo to step {i}: ")
            window.settle()
        since = window.mark()
        window.press("ctrl+z", "")
        window.settle()
        self.assertNotIn("undo to", window.log(since), "nothing is left")
        window.press("ctrl+y", r"redo to step 1: surface at \S+ added")
        window.settle()
        window.press("Tab", r"surface 0 of 2")  # the one that is back was chosen
        window.press("Tab", r"surface 1 of 2")
        window.press("Delete", r"surface 1 removed")
        window.settle()
        window.press("ctrl+z", r"undo to step 1: surface at \S+ added")
        window.settle()
        window.press("Tab", r"surface 0 of 2")
        window.press("equal", r"step 2: value \S+,\S+\n")
        value = window.says(r"step 2: value (\S+),", 0)[-1]
        self.assertLess(len(value), 9, "as people read it, not all digits")
        window.quit()

    def test_colours_by_a_quantity(self):
        window, _ = self.open(self.ball, "--iso", "0.25")
        window.click("tint", "widget tint gradient: ")
        window.settle()
        self.assertLess(abs(float(window.click("tint gradient", r"tint gradient from 0 to (\S+)")[1]) - 1 / 11.75), 0.003)
        window.settle()
        window.click("tint map", "widget tint map diverging: ")
        window.settle()
        window.click("tint map diverging", r"tint map diverging\n")
        window.settle()
        window.press("F12", r"screenshot (\S+)")
        window.quit()

    def probe(self, window, x, wanted, y=None, value=None, **more):
        """Clicks on the middle, x scene heights to its right: what is there, its distance from the front and its value."""
        left, top = window.point("scene", 0, 0)
        right, foot = window.point("scene", 1, 1)
        found = window.click("scene", PROBE, 0.5 + x * (foot - top) / (right - left), **more)
        self.assertEqual((found[1], found[4] and int(found[4])), wanted, found[0])
        for number, want in ((2, y), (3, value)):
            if want is not None:
                self.assertAlmostEqual(float(found[number]), want, delta=0.3 if number == 2 else 0.03, msg=found[0])
        return found[3]

    def front(self, *words):
        """A window that looks along y at two balls, the outer one of glass. Radii: 1.4 and 0.6 times 11.75 voxels."""
        window, _ = self.open(self.ball, "--iso", "-0.4001,0.4", "--azimuth", "0", "--elevation", "0", "--orthographic", *words,
                              size=drive.WIDE)
        window.wait_for(r"iso -0.4001: ")
        window.wait_for(r"iso 0.4: [\s\S]*? rest\n")
        return window

    def test_clicks_meet_glass(self):
        """The front-most surface takes the click, also a translucent one, but not one that is invisible, hidden or cut away."""
        outer, inner = ("surface", 0), ("surface", 1)
        window = self.front("--opacity", "0.3,1")
        self.probe(window, 0, outer, 23.5 - 16.45, -0.4)
        self.probe(window, 0.33, outer, value=-0.4)  # nothing is behind it but glass
        point = window.click("scene", r"ruler point 1: at \S+ (\S+) ", modifier="shift")
        self.assertAlmostEqual(float(point[1]), 23.5 - 16.45, delta=0.3)
        window.press("Escape", "")
        window.press("i", "surface 0 hidden")
        window.settle()
        self.probe(window, 0, inner, 23.5 - 7.05, 0.4)
        window.click("scene", "probe nothing", 0.5 + 0.33 * 0.9)
        window.press("i", "surface 0 shown")
        window.settle()
        window.press("4", r"slice y on at 23[\s\S]*?slices: ")
        window.settle()
        self.probe(window, 0.33, outer, value=-0.4)  # glass lies before the slice
        window.press("ctrl+4", "slice y cuts below")
        window.settle()
        self.probe(window, 0.33, ("slice y", None), 23)
        window.quit()

    def test_clicks_pass_what_is_not_seen(self):
        window = self.front("--opacity", "0,0.5")
        self.probe(window, 0, ("surface", 1), 23.5 - 7.05, 0.4)
        window.quit()

    def test_clicks_meet_caps_of_glass(self):
        for opacity in ("0.3,1", "1,0.3", "0.3"):
            window = self.front("--opacity", opacity, "--crop", "y=23.5:")
            self.probe(window, 0, ("cut", 1), 23.5)
            self.probe(window, 0.2, ("cut", 0), 23.5)
            window.press("ctrl+j", "cut caps off")
            window.settle()
            self.probe(window, 0, ("surface", 1), 23.5 + 7.05, 0.4)
            window.press("ctrl+j", "cut caps on")
            window.settle()
            value = self.probe(window, 0.2, ("cut", 0), 23.5, modifier="ctrl")
            self.assertTrue(-0.4 < float(value) < 0.4, value)
            window.wait_for(rf"iso {re.escape(value)}: ")
            window.quit()

    def test_clicks_meet_caps_on_the_border(self):
        """The border cuts the outer ball, of radius 29.4 voxels. Its cap lies within it, where values are higher than its own; an
        opaque one as well as glass, and also where a cut lies elsewhere."""
        for words in ((), ("--opacity", "0.3"), ("--crop", "x=4:43")):
            window, _ = self.open(self.ball, "--iso", "-1.5,0.4", "--azimuth", "0", "--elevation", "0", "--orthographic", "--close",
                                  *words, size=drive.WIDE)
            window.wait_for(r"iso 0.4: [\s\S]*? rest\n")
            self.probe(window, 0, ("border", 0), 0, -1)
            window.press("j", r"probe gone[\s\S]*?caps off|caps off[\s\S]*?probe gone")
            window.settle()
            self.probe(window, 0, ("surface", 1), 23.5 - 7.05, 0.4)
            window.press("j", "caps on")
            window.settle()
            value = self.probe(window, 0.2, ("border", 0), 0, modifier="ctrl")
            self.assertTrue(-1.5 < float(value) < -1.05, value)
            window.wait_for(rf"iso {re.escape(value)}: ")
            window.quit()


if __name__ == "__main__":
    drive.main()
