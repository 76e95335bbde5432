#!/usr/bin/env python3
"""Cuts, and the caps that close what they open: in pictures of `render`, with shaders that distinguish caps, outer and inner faces,
and in the window, by keys, grips and wheel. Usage: test_cut.py ISOSCOPE; drive.py has more."""
import math
import os
import re
import struct

import drive
from drive import DRAWN, USAGE
from picture import Picture
from test_look import BLACK, DISTANCE, HEAD, Measured
from test_several import make_ball
from test_slices import PROBE, is_line

SIZE, RADIUS = 64, 0.8 * 31.5  # of the sphere's volume and of the sphere, voxels
MIDDLE = (SIZE - 1) / 2
DOUBLE_CLICK = 300  # ms: most time between its clicks for Dear ImGui, which sees a press and a release once a frame each
# Caps on cuts green, outer faces white, inner faces red, over black.
KINDS = HEAD + """uint seen_at(ivec2 pixel);
bool seen_cap(uint seen);
bool seen_outside(uint seen);
vec4 shaded(vec2 pixel)
{
    uint seen = seen_at(ivec2(pixel));
    return seen_cap(seen) ? vec4(0.0, 1.0, 0.0, 1.0) : seen_outside(seen) ? vec4(1.0) : vec4(1.0, 0.0, 0.0, 1.0);
}
"""
CAP, OUTER, INNER, NOTHING = (0, 255, 0), (255, 255, 255), (255, 0, 0), (0, 0, 0)
RIGHT = ("--azimuth", "90", "--elevation", "0")  # from where x is largest


def make_lobes(path):
    """A float volume of 32 x 24 x 16 voxels: a lobe at the right, and one of the opposite sign at the left, cut by the border below."""
    def lobe(x, y, z):
        return math.exp(-((x - 23) ** 2 + (y - 11.5) ** 2 + (z - 2) ** 2) / 40)
    with open(path, "wb") as file:
        file.write(b"".join(struct.pack("<f", lobe(x, y, z) - lobe(31 - x, y, z))
                            for z in range(16) for y in range(24) for x in range(32)))


def make_parts(path):
    """A volume of 32 voxels along each axis, uint8, whose lower border in y cuts half a shell and two balls open; a third is whole."""
    def ball(radius, *at):
        return lambda *place: radius - math.dist(place, at)
    outer, cavity = ball(10, 13, 0, 16), ball(6, 13, 0, 16)
    balls = ball(3.6, 27, 0, 27), ball(1.6, 27, 0, 6), ball(3.2, 13, 22, 16)
    with open(path, "wb") as file:
        file.write(bytes(round(max(0, min(255, 128 + 16 * max(min(outer(x, y, z), -cavity(x, y, z)), *(b(x, y, z) for b in balls)))))
                         for z in range(32) for y in range(32) for x in range(32)))


def count(picture, colour):
    return sum(picture[x, y] == colour for y in range(picture.height) for x in range(picture.width))


class Render(Measured, drive.ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sphere = cls.synth("sphere", SIZE)

    def bytes(self, name, value):
        """A volume of 32 voxels along each axis, of a function of the voxel."""
        path = self.path(f"{name}_32x32x32_uint8.raw")
        with open(path, "wb") as file:
            file.write(bytes(value(x, y, z) for z in range(32) for y in range(32) for x in range(32)))
        return path

    def kinds(self, *words, size="401x401"):
        """A picture of what is a cap, an outer face, an inner face."""
        with self.use(shade_glsl=KINDS, background_glsl=BLACK):
            return Picture(self.render("kinds.png", *words, "--samples", "1", "--size", size))

    def test_the_cap_of_a_sphere_is_the_disc_within_its_contour(self):
        """Compares the cap with the contour of a slice in the same plane: a circle by marching squares, which is independent of caps.
        The box keeps the camera in place. In both projections, in the middle and off it."""
        for words in (("--orthographic",), ()):
            for place in (31, 20):
                common = [self.sphere, "--iso", "0", "--box", *RIGHT, *words]
                disc = self.kinds(*common, "--crop", f"x=:{place}")
                line = Picture(self.render("line.png", *common, "--slice", f"x={place}", "--opacity", "0", "--samples", "1", "--size",
                                           "401x401", "--slice-map", "viridis")).find(is_line)
                radius = sum(math.hypot(x - 200, y - 200) for x, y in line) / len(line)
                caps = count(disc, CAP)
                self.assertGreater(radius, 80)
                self.assertAlmostEqual(math.sqrt(caps / math.pi), radius, delta=1, msg=(words, place))
                for x, y in disc.find(lambda colour: colour == CAP):
                    self.assertLess(math.hypot(x - 200, y - 200), radius + 1.5)
                self.assertEqual(count(disc, INNER), 0)

    def test_a_cap_lies_in_its_plane(self):
        """Checked by depth, seen square: the distance is the same everywhere, and caps of two planes are as far apart as the
        planes."""
        far = []
        for place in (20, 36.5):
            with self.use(shade_glsl=DISTANCE, background_glsl=BLACK):
                picture = Picture(self.render("depth.png", self.sphere, "--iso", "0", "--box", "--orthographic", *RIGHT, "--crop",
                                              f"x=:{place}", "--samples", "1", "--size", "201x201"))
            steps = [256 * picture[x, y][0] + picture[x, y][1] for x in range(80, 121) for y in range(80, 121)]
            self.assertLess(max(steps) - min(steps), 3)
            far.append(steps[0])
        voxels = (far[1] - far[0]) / 65535 * 2.1 * math.sqrt(3) * MIDDLE
        self.assertAlmostEqual(voxels, 16.5, delta=0.02)

    def test_a_box_in_the_material_is_solid(self):
        """Only caps are seen. From a corner they form a regular hexagon with sqrt 3 times the area of a side."""
        words = [self.sphere, "--iso", "0", "--orthographic", "--crop", "x=24:40,y=24:40,z=24:40"]
        side = self.kinds(*words, "--azimuth", "0", "--elevation", "0")
        hexagon = self.kinds(*words, "--azimuth", "45", "--elevation", "35.2644")
        for picture in (side, hexagon):
            self.assertEqual((count(picture, OUTER), count(picture, INNER)), (0, 0))
        edge = math.sqrt(count(side, CAP))
        self.assertGreater(edge, 300)
        self.assertEqual(len({x for x, y in side.find(lambda colour: colour == CAP)}), round(edge))
        height = len({y for x, y in hexagon.find(lambda colour: colour == CAP)})
        self.assertAlmostEqual(count(hexagon, CAP) / height ** 2, 3 * math.sqrt(3) / 8, delta=0.01)

    def test_a_crop_box_leaves_out_what_lies_beyond(self):
        """Outer faces of the sphere within the box stay as they were; slices end at the box."""
        whole = self.kinds(self.sphere, "--iso", "0", "--box", "--azimuth", "0", "--elevation", "0", "--orthographic")
        part = self.kinds(self.sphere, "--iso", "0", "--box", "--azimuth", "0", "--elevation", "0", "--orthographic", "--crop",
                          "x=31.5:,z=31.5:")
        for y in range(0, 401, 8):
            for x in range(0, 401, 8):
                if (kind := part[x, y]) in (CAP, OUTER, INNER, NOTHING) and min(abs(x - 200), abs(y - 200)) > 1:
                    self.assertEqual(kind, whole[x, y] if x > 200 and y < 200 else NOTHING)
        self.assertEqual((count(part, CAP), count(part, INNER)), (0, 0), "the cuts are seen from their edges")
        slices = [self.sphere, "--iso", "99", "--slice", "y=31", "--slice-map", "viridis", "--azimuth", "0", "--elevation", "0",
                  "--box", "--orthographic", "--size", "401x401", "--samples", "1"]
        def wide(*words):
            columns = {x for x, y in Picture(self.render("s.png", *slices, *words)).find(lambda c: max(c) - min(c) > 60)}
            return min(columns), max(columns)
        low, high = wide()
        scale = (high - low) / (SIZE - 1)
        self.assertAlmostEqual(wide("--crop", "x=10:40")[0], low + 10 * scale, delta=1.5)
        self.assertAlmostEqual(wide("--crop", "x=10:40")[1], low + 40 * scale, delta=1.5)

    def test_a_hollow_stays_hollow(self):
        """A hollow sphere: its cap is a ring, through which the far half of the inner surface is seen."""
        shell = self.bytes("shell", lambda x, y, z: 200 if 6 < math.dist((x, y, z), (15.5, 15.5, 15.5)) < 12 else 0)
        picture = self.kinds(shell, "--iso", "100", "--crop", "x=:16", *RIGHT, "--box", "--orthographic")
        self.assertEqual(picture[200, 200], OUTER)
        self.assertEqual(count(picture, INNER), 0)
        ring = [math.hypot(x - 200, y - 200) for x, y in picture.find(lambda colour: colour == CAP)]
        self.assertAlmostEqual(min(ring) / max(ring), 6 / 12, delta=0.06)

    def test_an_open_border_stays_open(self):
        """Half of the volume is material and reaches the border. There are caps on the cut, whatever lies behind it, and on the border
        only if asked for."""
        half = self.bytes("half", lambda x, y, z: 8 * z)
        words = [half, "--iso", "124", "--orthographic", "--crop", "x=:20"]
        cut = self.kinds(*words, *RIGHT)
        self.assertGreater(count(cut, CAP), 3000)
        self.assertEqual((count(cut, INNER), count(cut, OUTER)), (0, 0))
        for close in ((), ("--close",)):
            left = self.kinds(*words, "--azimuth", "-90", "--elevation", "20", *close)
            self.assertEqual(count(left, OUTER) > 3000, bool(close))
            self.assertEqual(count(left, INNER) > 1000, not close)
            self.assertEqual(count(left, CAP) > 1000, not close, "from within one sees the far side of the cap")
        whole = self.kinds(half, "--iso", "124", *RIGHT, "--close")
        self.assertEqual(count(whole, CAP), 0, "where nothing is cut, caps on the border are as the surface")
        self.assertGreater(count(whole, OUTER), 3000)
        capped, bare = (glass(self, half, "--iso", "124", "--color", "aaaaaa", "--opacity", "0.5", *RIGHT, "--crop", "x=:20", *more)
                        for more in ((), ("--open-cuts",)))
        self.assertLess(max(bare[100, 60]), 8, "one looks along the surface")
        self.assertGreater(min(capped[100, 60]), 50, "the border ends the material, and is not seen")

    def test_caps_on_the_border_close_mirrored_pairs(self):
        """Two lobes of opposite sign, cut by the lower border and seen from below. Both halves of the picture are alike: with and
        without caps, with a cut through both, and translucent."""
        path = self.path("lobes.raw")
        make_lobes(path)
        common = [path, "--dims", "32,24,16", "--type", "float32", "--iso", "0.3,-0.3", "--orthographic", "--azimuth", "0", "--elevation",
                  "-40", "--box", "--color", f"{word(GREEN)},{word(GREEN)}"]
        kinds = {close + crop: self.kinds(*common, *filter(None, (close,)), *(("--crop", "y=12:") if crop else ()))
                 for close in ("", "--close") for crop in ("", "crop")}
        for name, picture in kinds.items():
            covered = picture.find(lambda colour: colour != NOTHING)
            self.assertGreater(len(covered), 5000)
            differ = sum(picture[x, y] != picture[400 - x, y] for x, y in covered)
            self.assertLess(differ, 0.02 * len(covered), name)
            inner = count(picture, INNER)
            self.assertTrue(inner < 0.002 * len(covered) if "close" in name else inner > 1000, (name, inner))
            self.assertEqual(count(picture, CAP) > 1000, "crop" in name)
        for more in ((), ("--close",), ("--close", "--crop", "y=12:")):
            picture = glass(self, *common, "--opacity", "0.5", *more)
            covered = picture.find(lambda colour: max(colour) > 20)
            self.assertGreater(len(covered), 1000)
            differ = sum(max(abs(a - b) for a, b in zip(picture[x, y], picture[200 - x, y])) > 4 for x, y in covered)
            self.assertLess(differ, 0.04 * len(covered), more)

    def test_caps_close_the_parts_that_are_left(self):
        """There are as many triangles of caps as in the file, and none is seen from inside. The shell is one part only with its
        cap."""
        path = self.path("parts_32x32x32_uint8.raw")
        make_parts(path)
        common = path, "--iso", "128", "--azimuth", "25", "--elevation", "25"
        for words in (("--keep", "largest"), ("--min-size", "6"), ("--min-size", "90%"), ("--keep", "all")):
            open_faces = count(self.kinds(*common, *words), INNER)
            self.assertGreater(open_faces, 3000, words)
            picture = self.kinds(*common, *words, "--close")
            self.assertLess(count(picture, INNER), 0.01 * open_faces, words)
            self.assertGreater(count(picture, OUTER), open_faces, words)
            file = self.run_program("extract", path, "--iso", "128", "--close", *words, "-o", "parts.stl")
            drawn = self.run_program("render", *common, "--close", *words, "--size", "20x20", "-o", "parts.png")
            self.assertEqual(*(re.search(r"(\d+) triangles", told.stdout)[1] for told in (file, drawn)), words)

    def test_a_box_can_be_left_out(self):
        """The whole volume is inside, so the closed surface is a box, 20 long. Pictures leave it out when files do."""
        path = self.path("box_11x9x7_uint8.raw")
        with open(path, "wb") as file:
            file.write(bytes([9]) * 11 * 9 * 7)
        common = path, "--iso", "5", "--spacing", "2,1,1", "--close"
        for words, there in (((), True), (("--min-size", "20"), True), (("--min-size", "20.001"), False),
                             (("--min-size", "100%"), True), (("--keep", "1"), True)):
            drawn = self.run_program("render", *common, *words, "--size", "20x20", "-o", "box.png")
            self.assertEqual(" 0 triangles" not in drawn.stdout, there, words)
            file = self.run_program("extract", *common, *words, "-o", "box.stl")
            self.assertEqual(file.returncode == 0, there, words)

    def test_speckles(self):
        """Inner faces seen next to outlines would be drawn as caps. A cut that opens nothing must show none."""
        for volume, iso in ((self.sphere, "0"), (self.synth("vessels", 96, "branches.nrrd"), "0.5"),
                            (self.synth("gyroid", 64, "gyroid.nrrd"), "0.9")):
            info = self.info(volume, "--iso", iso)
            self.assertGreater(info["triangles"], 0)
            picture = self.kinds(volume, "--iso", iso, "--crop", "x=0.5:", "--azimuth", "30", "--close", size="800x600")
            outer, caps = count(picture, OUTER), count(picture, CAP)
            self.assertGreater(outer, 4000)
            self.assertLessEqual(caps, 0 if volume == self.sphere else 0.0005 * outer, (volume, outer))

    def test_wrong_boxes_are_refused(self):
        for word, says in (("x=64:", "voxels 0 to 63 along x"), ("y=-1:9", "voxels 0 to 63 along y"), ("z=9:9", "from low to high"),
                           ("z=20:10", "from low to high"), ("x", "x=20:100"), ("x=1", "x=20:100"), ("x=:", "x=20:100"),
                           ("w=1:2", "x=20:100"), ("x=1:2,", "x=20:100"), ("x=nan:2", "x=20:100"), ("x=1:2y=1:2", "x=20:100")):
            done = self.run_program("render", self.sphere, "--iso", "0", "--crop", word, "-o", "refused.png")
            self.assertEqual(done.returncode, USAGE, word)
            self.assertRegex(done.stderr, r"\Aisoscope: [^\n]+\n\Z")
            self.assertIn(says, done.stderr)
            self.assertFalse(os.path.exists(self.path("refused.png")))


# Colours as they are asked for, without light, and in place of the shading's own.
PAINT = """bool has_paint();
vec3 paint(bool outside);
vec3 shade(vec3 normal, vec3 eye, bool outside, float open, float rim) { return pow(paint(true), vec3(1.0 / 2.2)); }
"""
RED, BLUE, GREEN, GREY = (200, 40, 0), (0, 80, 240), (0, 200, 120), (150, 150, 150)
LIGHT = 0.78  # part of it that a cap keeps: shaders/seen.glsl


def over(front, opacity, behind):
    return [opacity * f + (1 - opacity) * b for f, b in zip(front, behind)]


def darker(colour):
    return [LIGHT * c for c in colour]


def word(colour):
    return "%02x%02x%02x" % colour


def glass(test, *words):
    with test.use(shade_light_glsl=PAINT, background_glsl=BLACK):
        return Picture(test.render("glass.png", *words, "--box", "--orthographic", "--samples", "1", "--size", "201x201"))


class Glass(Measured, drive.ProgramTest):
    """Caps of translucent surfaces, in colours without light, so that a pixel's colour follows from the order of its layers. Seen
    square, so that every layer in the middle has its surface's opacity."""
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ball = cls.path("ball_48x48x48_float32.raw")
        make_ball(cls.ball)

    def glass(self, *words):
        return glass(self, *words)

    def near(self, got, want, why):
        self.assertLess(max(abs(p - q) for p, q in zip(got, want)), 2.5, (why, got, want))

    def halves(self, *words):
        return [self.glass(self.ball, "--crop", "x=:23.5", *RIGHT, *words, *more) for more in ((), ("--open-cuts",))]

    def test_nested_caps_lie_over_all_behind_the_cut(self):
        """A ball in a ball, halved and seen square: within the inner one its cap, over that of the outer one, over what is seen of
        the open halves; in the ring between only the outer one's; beyond, nothing new. In any order of the values."""
        a, b = 0.4, 0.6
        both = (("-0.4", a, RED), ("0.4", b, BLUE))
        for surfaces in (both, both[::-1]):
            isos, opacities, colours = (",".join(str(s[i]) if i < 2 else word(s[i]) for s in surfaces) for i in range(3))
            isos = isos.replace("-0.4", "-0.4001")  # a pair at -v and v would be another picture
            capped, bare = self.halves("--iso", isos, "--opacity", opacities, "--color", colours)
            rings = [0, 0]
            for y in range(0, 201):
                for x in range(0, 201):
                    behind = bare[x, y]
                    outer = over(darker(RED), a, behind)
                    inner = over(darker(BLUE), b, outer)
                    off = [max(abs(p - q) for p, q in zip(capped[x, y], want)) for want in (behind, outer, inner)]
                    self.assertLess(min(off), 3, (x, y, capped[x, y], behind, outer, inner))
                    rings = [rings[0] + (off[1] < 3 or off[2] < 3), rings[1] + (off[2] < 3)]
            self.assertGreater(rings[1], 200)
            self.assertAlmostEqual(math.sqrt(rings[1] / rings[0]), 0.6 / 1.4, delta=0.03, msg="radii of the balls")
            back = over(BLUE, b, over(RED, a, (0, 0, 0)))
            self.near(capped[100, 100], over(darker(BLUE), b, over(darker(RED), a, back)), "the middle")

    def test_caps_behind_come_first(self):
        """From the other side the cut lies behind both balls."""
        picture = self.glass(self.ball, "--crop", "x=:23.5", "--azimuth", "-90", "--elevation", "0", "--iso", "-0.3,0.4", "--opacity",
                             "0.4,0.6", "--color", f"{word(RED)},{word(BLUE)}")
        caps = over(darker(BLUE), 0.6, over(darker(RED), 0.4, (0, 0, 0)))
        self.near(picture[100, 100], over(RED, 0.4, over(BLUE, 0.6, caps)), "caps, inner front, outer front")

    def test_a_layer_of_glass_has_two_caps(self):
        """A layer between two cuts, seen through both: far caps come first."""
        picture = self.glass(self.ball, "--crop", "x=20:27", *RIGHT, "--iso", "0", "--opacity", "0.5", "--color", word(GREEN))
        self.near(picture[100, 100], over(darker(GREEN), 0.5, over(darker(GREEN), 0.5, (0, 0, 0))), "two caps, no face")

    def test_opaque_caps_among_translucent_ones(self):
        """An outer surface does not cover the cap of an inner one, but the inner covers that of the outer."""
        words = ("--iso", "-0.3,0.4", "--color", f"{word(RED)},{word(BLUE)}", "--opacity")
        capped, _ = self.halves(*words, "0.4,1")
        alone, _ = self.halves("--iso", "0.4", "--color", word(BLUE))
        self.near(capped[100, 100], alone[100, 100], "the inner one is opaque")
        capped, _ = self.halves(*words, "1,0.6")
        alone, _ = self.halves("--iso", "-0.3", "--color", word(RED))
        self.near(capped[100, 100], over(darker(BLUE), 0.6, alone[100, 100]), "the outer one is opaque")

    def test_caps_of_mirrored_pairs(self):
        """Two wells of opposite sign, each in a wider one: the surfaces at -v and -2 v enclose what is below them."""
        path = self.path("wells_32x32x32_float32.raw")

        def well(x, y, z, middle):
            return math.exp(-((x - 15.5) ** 2 + (y - middle) ** 2 + (z - 15.5) ** 2) / 18)
        with open(path, "wb") as file:
            file.write(b"".join(struct.pack("<f", well(x, y, z, 22) - well(x, y, z, 9))
                                for z in range(32) for y in range(32) for x in range(32)))
        colours = f"{word(RED)},{word(BLUE)},{word(GREEN)},{word(GREY)}"
        for opacity in ("0.5", "1"):
            common = [path, "--crop", "x=:15.5", *RIGHT, "--iso", "0.3,-0.3,0.7,-0.7", "--color", colours, "--opacity", opacity]
            capped, bare = self.glass(*common), self.glass(*common, "--open-cuts")
            found = {}
            for y in range(201):
                for x in range(201):
                    for name, layers in (("+", (RED, GREEN)), ("-", (BLUE, GREY)), ("wide +", (RED,)), ("wide -", (BLUE,))):
                        want = bare[x, y]
                        for layer in layers:
                            want = over(darker(layer), float(opacity), want)
                        if max(abs(p - q) for p, q in zip(capped[x, y], want)) < 2.5:
                            found.setdefault(name, []).append(x)
                            break
            for name in "+", "-", "wide +", "wide -":
                self.assertGreater(len(found.get(name, [])), 60, (opacity, name, {k: len(v) for k, v in found.items()}))
            self.assertAlmostEqual(len(found["+"]), len(found["-"]), delta=12)
            self.assertAlmostEqual(len(found["wide +"]), len(found["wide -"]), delta=24)
            self.assertTrue(max(found["-"]) < min(found["+"]) or max(found["+"]) < min(found["-"]), "they lie apart")

    def test_cuts_that_open_nothing_change_nothing(self):
        """Each face is counted exactly once, so no pixel next to an outline can pass for material."""
        for volume, iso in ((self.ball, "0"), (self.synth("vessels", 96, "branches.nrrd"), "0.5")):
            capped, bare = (self.glass(volume, "--iso", iso, "--opacity", "0.5", "--crop", "x=0.5:", "--azimuth", "30", "--keep",
                                       "largest", *more) for more in ((), ("--open-cuts",)))
            self.assertEqual(capped, bare, volume)


class Window(drive.WindowTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sphere = cls.synth("sphere", SIZE)

    def setUp(self):
        """The sphere from the front, in its crop box, which fills 0.92 of the height."""
        self.cut, first = self.open(self.sphere, "--iso", "0", "--azimuth", "0", "--elevation", "0", "--orthographic", "--crop", "x=0:",
                                    size=drive.WIDE)
        self.cut.wait_for(DRAWN, first.end())
        self.cut.settle()
        left, top = self.cut.point("scene", 0, 0)
        right, bottom = self.cut.point("scene", 1, 1)
        self.middle = (left + right + 1) / 2, (top + bottom + 1) / 2
        self.scale = 0.92 * (bottom + 1 - top) / (SIZE - 1)  # pixels for a voxel

    def at(self, x, y):
        """A pixel, by voxels to the right and upwards of the middle."""
        return round(self.middle[0] + x * self.scale), round(self.middle[1] - y * self.scale)

    def drag(self, start, dx, dy, *held):
        """Drags by pixels, in small moves; the log's position before."""
        since = self.cut.mark()
        for word in held:
            self.cut.xdo("keydown", word)
        self.cut.xdo("mousemove", *start, "mousedown", 1)
        for part in range(1, 11):
            self.cut.xdo("mousemove", start[0] + round(dx * part / 10), start[1] + round(dy * part / 10))
        self.cut.xdo("mouseup", 1)
        for word in held:
            self.cut.xdo("keyup", word)
        self.cut.settle()
        return since

    def last(self, pattern, since):
        places = self.cut.says(pattern, since)
        self.assertTrue(places, pattern)
        return float(places[-1])

    def scene(self):
        return Picture(self.path(self.cut.press("ctrl+F12", r"screenshot (\S+)\n")[1]))

    def test_a_grip_moves_its_side(self):
        """A grip moves as far as the mouse, with Shift a tenth of that, but not beyond the other side or the volume."""
        right = self.at(MIDDLE, 0)
        moved = self.last(r"crop x to (\S+)", self.drag(right, -100, 0))
        self.assertAlmostEqual(moved, 63 - 100 / self.scale, delta=0.15)
        finer = self.last(r"crop x to (\S+)", self.drag(self.at(moved - MIDDLE, 0), -100, 7, "shift"))
        self.assertAlmostEqual(finer, moved - 10 / self.scale, delta=0.15)
        top = self.last(r"crop z to (\S+)", self.drag(self.at((finer - 63) / 2, MIDDLE), 30, 80))
        self.assertAlmostEqual(top, 63 - 80 / self.scale, delta=0.15)
        self.assertEqual(self.last(r"crop x to (\S+)", self.drag(self.at(finer - MIDDLE, (top - 63) / 2), 300, 0)), 63)
        self.assertEqual(self.last(r"crop x from (\S+)", self.drag(self.at(-MIDDLE, (top - 63) / 2), 2 * MIDDLE * self.scale, 0)), 62)
        self.cut.quit()

    def test_beside_the_grips_the_view_turns(self):
        """And pressing a grip without moving it is a click on the scene."""
        right = self.at(MIDDLE, 0)
        since = self.drag((right[0] - 40, right[1] + 40), 60, 0)
        self.assertNotIn("crop", self.cut.log(since))
        self.cut.press("1", r"view 0 0[\s\S]*?" + DRAWN)
        self.cut.settle()
        since = self.cut.mark()
        self.cut.xdo("mousemove", *right, "click", 1)
        self.cut.wait_for("probe nothing", since)
        self.assertNotIn("crop", self.cut.log(since))
        self.cut.press("p", "panel one line")
        self.cut.press("p", "panel off")
        self.cut.settle()
        self.assertNotIn("crop", self.cut.log(self.drag(self.at(MIDDLE, 0), -60, 0)), "without a panel there are no grips")
        self.cut.quit()

    def test_grips_are_lit_under_the_mouse(self):
        x, y = self.at(MIDDLE, 0)
        colours = []
        for place in ((x, y), (x - 120, y - 120)):
            self.cut.xdo("mousemove", place[0] - 60, place[1])  # it may have been over the panel
            self.cut.settle()
            self.cut.xdo("mousemove", *place)
            self.cut.settle()
            colours.append(Picture(self.path(self.cut.press("F12", r"screenshot (\S+)\n")[1]))[x, y])
        self.assertGreater(min(colours[0]), 240, colours)
        self.assertLess(colours[1][2], 160, colours)
        self.cut.quit()

    def test_the_cut_across_the_view(self):
        """It goes through the middle, where its cap lies: the value there is the sphere's largest. A drag of its grip upwards
        moves it away; the wheel with Control by a voxel, with Shift by a tenth."""
        window = self.cut
        window.press("ctrl+k", r"crop off[\s\S]*?" + DRAWN)
        window.press("k", r"knife on[\s\S]*?" + DRAWN)
        window.settle()
        window.xdo("mousemove", *self.at(3, 4))
        since = window.mark()
        window.xdo("click", 1)
        found = window.wait_for(PROBE, since)
        self.assertEqual(found[1], "cut")
        place = float(found[3])
        self.assertAlmostEqual(place, MIDDLE, delta=0.6)  # of a box of whole voxels around the sphere
        self.assertAlmostEqual(float(found[8]), 0.8 - math.hypot(3, 4, place - MIDDLE) / 31.5, delta=0.01)
        self.assertAlmostEqual(self.last(r"knife at (\S+)", self.drag(self.at(0, 0), 0, -90)), place + 90 / self.scale, delta=0.2)
        window.wait_for("probe gone", since)
        since = window.mark()
        window.xdo("mousemove", *self.at(-10, 10), "keydown", "ctrl", "click", 4, "keydown", "shift", "click", 5, "click", 5, "keyup",
                   "shift", "keyup", "ctrl")
        window.wait_for(r"(knife at [\s\S]*){3}", since)
        places = [float(place) for place in window.says(r"knife at (\S+)", since)]
        for got, want in zip([b - a for a, b in zip(places, places[1:])], (-0.1, -0.1)):
            self.assertAlmostEqual(got, want, delta=2e-3)
        window.quit()

    def test_caps_by_key_and_box(self):
        """Without caps one sees the inside, which is blue; with them there is none of it."""
        window = self.cut
        window.press("k", r"knife on[\s\S]*?" + DRAWN)
        window.settle()
        def at_middle():
            picture = self.scene()
            return picture[picture.width // 2 + 20, picture.height // 2 + 20]
        capped = at_middle()
        self.assertGreater(capped[0], capped[2] + 15)
        window.press("ctrl+j", r"cut caps off[\s\S]*?" + DRAWN)
        self.assertGreater(at_middle()[2], at_middle()[0] + 15)
        window.click("cut caps", r"cut caps on[\s\S]*?" + DRAWN, 0.1)
        self.assertEqual(at_middle(), capped)
        window.press("y", r"translucent on[\s\S]*?" + DRAWN)
        window.settle()
        glass = at_middle()
        self.assertNotEqual(glass, capped)
        window.press("ctrl+j", r"cut caps off[\s\S]*?" + DRAWN)
        window.settle()
        self.assertGreater(max(abs(a - b) for a, b in zip(at_middle(), glass)), 8, "the cap of glass is seen")
        window.quit()

    def test_caps_of_a_pair_follow_what_is_shown(self):
        """By symmetry, both lobes have the same number of cap triangles. Alone, the lower one encloses what is above it."""
        self.cut.quit()
        path = self.path("lobes_32x24x16_float32.raw")
        make_lobes(path)
        window, _ = self.open(path, "--iso", "0.3,-0.3", "--close", size=drive.WIDE)
        window.wait_for(r"iso -0.3: [\s\S]*? rest\n")
        window.settle()
        both = window.says(r"caps: (\d+) triangles", 0)
        self.assertEqual(len(set(both)), 1, both)
        file = self.run_program("extract", path, "--iso", "0.3,-0.3", "--close", "-o", self.path("pair.ply"))
        self.assertEqual(file.returncode, drive.OK, file.stderr)
        window.press("Tab", r"surface 1 of 2, value -0.3")
        window.settle()
        with open(self.path(window.press("e", r"export (\S+ply): ")[1]), "rb") as made, \
                open(self.path("pair.ply"), "rb") as wanted:
            self.assertTrue(made.read() == wanted.read(), "files of the window are those of extract")
        window.press("Tab", r"surface 0 of 2, value 0.3")
        window.settle()
        hidden = window.press("i", r"surface 0 hidden[\s\S]*?caps: (\d+) triangles")[1]
        self.assertGreater(int(hidden), 10 * int(both[0]))
        window.settle()
        self.assertEqual(window.press("i", r"surface 0 shown[\s\S]*?caps: (\d+) triangles")[1], both[0])
        window.quit()

    def test_caps_of_what_is_left_follow_the_slider(self):
        """While dust is hidden the surface is closed as the file is; opened, it has other parts."""
        self.cut.quit()
        path = self.path("parts_32x32x32_uint8.raw")
        make_parts(path)
        window, _ = self.open(path, "--iso", "128", "--close", size=drive.WIDE)
        whole = int(window.wait_for(r"caps: (\d+) triangles")[1])
        window.settle()
        since = window.drag("dust", 0.05, 0.85)
        window.settle()
        percent = window.says(r"dust (\S+) %", since)[-1]
        kept, parts, triangles = window.says(r"parts: (\d+) of (\d+) shown, (\d+) triangles", since)[-1]
        caps = window.says(r"caps: (\d+) triangles", since)[-1]
        self.assertTrue(0 < int(kept) < int(parts) == 4, (kept, parts))
        self.assertTrue(0 < int(caps) < whole, (caps, whole))
        file = self.run_program("extract", path, "--iso", "128", "--close", "--min-size", percent + "%", "-o", "left.stl")
        self.assertIn(f" {triangles} triangles", file.stdout)
        window.press("j", r"caps off[\s\S]*?parts: \d+ of 5 shown")
        window.settle()
        window.press("j", rf"caps on[\s\S]*?parts: {kept} of 4 shown, {triangles} triangles[\s\S]*?caps: {caps} triangles")
        window.quit()

    def test_a_box_that_is_left_out_has_no_caps(self):
        self.cut.quit()
        path = self.path("box_11x9x7_uint8.raw")
        with open(path, "wb") as file:
            file.write(bytes([9]) * 11 * 9 * 7)
        for size, there in (("10", True), ("10.5", False)):
            window, _ = self.open(path, "--iso", "5", "--close", "--min-size", size, size=drive.WIDE)
            window.settle()
            self.assertEqual(bool(window.says(r"caps: (\d+) triangles", 0)), there, size)
            window.quit()

    def test_a_cut_takes_the_value(self):
        window = self.cut
        window.press("k", r"knife on[\s\S]*?" + DRAWN)
        window.settle()
        window.xdo("keydown", "ctrl", "mousemove", *self.at(12, 5), "click", 1, "keyup", "ctrl")
        found = window.wait_for(r"iso (0\.3\S*): \d+ triangles")
        self.assertAlmostEqual(float(found[1]), 0.8 - 13 / 31.5, delta=0.01)
        window.quit()

    def test_the_panel_of_the_crop_box(self):
        """Sliders move sides, a double click on one brings its side back; the switch keeps them."""
        window = self.cut
        since = window.drag("crop y from", 0.1, 0.5)
        window.wait_for("slice released", since)
        self.assertGreater(self.last(r"crop y from (\S+)", since), 10)
        for says in ("off", "on"):
            window.settle()
            window.click("crop switch", rf"crop {says}[\s\S]*?" + DRAWN, 0.2)
        window.settle()
        window.point_at("crop y from", 0.4)
        since = window.mark()
        for pause in (60, 120, 180, 240) * 3:  # a busy machine may see two clicks in one frame, or too far apart
            window.xdo("click", "--repeat", 2, "--delay", pause, 1)
            window.settle()
            if window.says(r"crop y from 0\n", since):
                break
        else:
            frames = [float(ms) for ms in window.says(r"frame (\S+) ms", since)]
            self.assertGreater(2 * min(frames, default=0), DOUBLE_CLICK, "no double click brings the side back")
            print("a frame takes too long here for a double click")
        window.press("ctrl+k", "crop off")
        window.quit()


if __name__ == "__main__":
    drive.main()
