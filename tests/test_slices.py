#!/usr/bin/env python3
"""Slices, contours, probing and percentiles: in pictures of `render`, in which the contour of a sphere must be a circle, and
in the window. Usage: test_slices.py ISOSCOPE; drive.py has more."""
import math
import os
import re
import statistics
import struct

import drive
from drive import DRAWN, USAGE
from picture import Picture

PROBE = r"probe (surface|cut|border|slice \w): voxel (\S+) (\S+) (\S+), at (\S+) (\S+) (\S+) [^\n,]*, value (\S+)"


def is_line(c):
    """Whether it is the contour's white, which neither the surface nor viridis has."""
    return min(c) > 228


def luminance(c):
    """Of sRGB, by WCAG 2.1."""
    return sum(part * (v / 3294.6 if v <= 10 else ((v / 255 + 0.055) / 1.055) ** 2.4)
               for part, v in zip((0.2126, 0.7152, 0.0722), c))


def is_map(c):
    """A colour of viridis; all of them are more saturated than the surface, its inside and the background."""
    return max(c) - min(c) > 60


class Render(drive.ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sphere = cls.synth("sphere", 64)

    def test_the_contour_is_a_circle_along_the_cut(self):
        words = [self.sphere, "--iso", "0", "--elevation", "90", "--azimuth", "0", "--size", "400x400"]
        self.assertFalse(Picture(self.render("plain.png", *words)).find(is_line))
        picture = Picture(self.render("slice.png", *words, "--slice", "z=48", "--slice-map", "viridis"))
        line = picture.find(is_line)
        angles = {int(36 * (math.atan2(y - 199.5, x - 199.5) / math.tau + 0.5)) % 36 for x, y in line}
        radii = [math.hypot(x - 199.5, y - 199.5) for x, y in line]
        self.assertGreater(len(line), 300)
        self.assertEqual(len(angles), 36)  # a full circle
        radius = sum(radii) / len(radii)
        self.assertGreater(radius, 60)
        self.assertLess(max(radii) - min(radii), 6)

        def around(off):
            for k in range(24):
                angle = (k + 0.5) / 24 * math.tau
                x, y = (radius + off) * math.cos(angle), (radius + off) * math.sin(angle)
                yield picture[round(199.5 + x), round(199.5 + y)]

        self.assertTrue(all(is_map(c) for c in around(5)), "beyond the contour there is the plane")
        self.assertTrue(all(not is_map(c) and min(c) > 60 for c in around(-5)), "within it there is the surface")

    def test_the_contour_stands_out_on_every_map(self):
        """Each side of the line has an edge that is darker by more than 3 to 1 (WCAG 2.1, for graphics), whatever is behind it.
        Tested with a thick contour of a sphere cut in its middle, seen from above."""
        for name in ("grey", "viridis", "cividis"):
            picture = Picture(self.render("slice.png", self.sphere, "--iso", "0.4", "--elevation", "90", "--size", "800x800",
                                          "--slice", "z=32+", "--slice-map", name, "--window", "-0.4,0.5"))
            row = [picture[x, 400] for x in range(picture.width)]
            white = [x for x, c in enumerate(row) if is_line(c)]
            ends = [x for x in white if x - 1 not in white], [x for x in white if x + 1 not in white]
            lines = [ends for ends in zip(*ends) if ends[1] - ends[0] < 6]  # grey has white itself, in the middle
            sides = [(x, step) for ends in lines for x, step in zip(ends, (-1, 1))]
            self.assertEqual(len(sides), 4, "the row crosses the circle twice")
            for x, step in sides:
                edge = min(luminance(row[x + step * i]) for i in range(1, 4))
                self.assertGreater((luminance(row[x]) + 0.05) / (edge + 0.05), 3, name)

    def test_three_planes(self):
        path = self.render("all.png", self.sphere, "--iso", "0", "--slice", "x=20,y=31", "--slice", "z=40",
                           "--slice-map", "viridis", "--size", "200x160")
        self.assertGreater(len(Picture(path).find(is_line)), 60)

    def test_colours_lie_on_their_voxels_within_a_frame(self):
        """Values rise by 100 from voxel to voxel; the middle one, at the middle of the picture, has viridis' middle colour."""
        path = self.path("ramp_3x3x3_uint8.raw")
        with open(path, "wb") as file:
            file.write(bytes(100 * (i % 3) for i in range(3 ** 3)))
        picture = Picture(self.render("ramp.png", path, "--iso", "300", "--slice", "z=1", "--elevation", "90", "--azimuth", "0",
                                      "--size", "103x103", "--slice-map", "viridis"))
        for got, want in zip(picture[51, 51], (33, 144, 140)):
            self.assertLessEqual(abs(got - want), 4)

        def to_frame(x, y):
            return math.dist(picture[x, y], (158, 168, 184))

        inner = [y for y in range(103) if math.dist(picture[51, y], picture[51, 51]) < 4]
        low, high = min(inner), max(inner)
        for edge, inside in (((51, low - 1), (51, low)), ((51, high + 1), (51, high)), ((low - 1, 51), (low, 51)),
                             ((high + 1, 51), (high, 51))):
            self.assertLess(to_frame(*edge), 0.6 * to_frame(*inside), f"a frame at {edge}")

    def middle(self, *words, azimuth="90"):
        """The colour in the middle of a picture of the sphere from the right."""
        return Picture(self.render("middle.png", self.sphere, "--iso", "0", "--azimuth", azimuth, "--elevation", "0",
                                   "--slice-map", "viridis", "--size", "101x101", *words))[50, 50]

    def test_a_slice_hides_what_lies_on_one_side(self):
        """Half of the sphere is before the plane, half behind it."""
        for azimuth, nearer, farther in (("90", "x=32+", "x=32-"), ("-90", "x=32-", "x=32+")):
            plane = self.middle("--slice", "x=32", "--opacity", "0", azimuth=azimuth)
            self.assertTrue(is_map(plane))
            for words in ((), ("--opacity", "0.5"), ("--shading", "flat")):
                self.assertEqual(self.middle("--slice", nearer, *words, azimuth=azimuth), plane, words)
                for slice in (farther, "x=32"):
                    self.assertNotEqual(self.middle("--slice", slice, *words, azimuth=azimuth), plane, words)

    def test_slices_hide_parts_of_each_other(self):
        """From above, a plane and its contour end where another one cuts them."""
        words = [self.sphere, "--iso", "0", "--elevation", "90", "--azimuth", "0", "--size", "201x201", "--opacity", "0",
                 "--slice-map", "viridis", "--samples", "1"]
        for cut, low, high in (("x=32", 20, 180), ("x=32+", 20, 105), ("x=32-", 96, 180)):
            picture = Picture(self.render("two.png", *words, "--slice", f"{cut},z=40"))
            for what in is_line, is_map:
                columns = {x for x, y in picture.find(what)}
                if cut == "x=32":
                    self.assertTrue(min(columns) < 80 and max(columns) > 120, (cut, what, min(columns), max(columns)))
                else:
                    self.assertTrue(low <= min(columns) and max(columns) <= high, (cut, what, min(columns), max(columns)))
                    self.assertGreater(len(columns), 20)

    def test_window_and_colours(self):
        """The middle of three values is 100."""
        path = self.path("steps_3x3x3_uint8.raw")
        with open(path, "wb") as file:
            file.write(bytes(100 * (i % 3) for i in range(3 ** 3)))
        for words, want in (((), (128, 128, 128)), (("--window", "0,80"), (255, 255, 255)), (("--window", "120,200"), (0, 0, 0)),
                            (("--window", "50,250"), (64, 64, 64)), (("--window=-300,500",), (128, 128, 128)),
                            (("--slice-map", "cividis"), (124, 123, 120)),
                            (("--slice-map", "cividis", "--window", "0,80"), (254, 232, 56))):
            picture = Picture(self.render("steps.png", path, "--iso", "300", "--slice", "z=1", "--elevation", "90",
                                          "--azimuth", "0", "--size", "101x101", *words))
            for got, wanted in zip(picture[50, 50], want):
                self.assertLessEqual(abs(got - wanted), 2, words)

    def test_wrong_colours_are_refused(self):
        for words, says in ((("--window", "5"), "-160,240"), (("--window", "5,5"), "-160,240"), (("--window", "nan,5"), "-160,240"),
                            (("--window", "1,2,3"), "-160,240"), (("--slice-map", "rainbow"), "grey viridis cividis")):
            done = self.run_program("render", self.sphere, "--iso", "0", *words, "-o", "refused.png")
            self.assertEqual(done.returncode, USAGE, words)
            self.assertIn(says, done.stderr)

    def test_a_mirrored_sphere_looks_the_same(self):
        """Left-handed directions turn triangles and normals around; the light must not notice."""
        with open(self.sphere, "rb") as file:
            volume = file.read()
        mirrored = volume.replace(b"(1,0,0) (0,1,0) (0,0,1)", b"(-1,0,0) (0,1,0) (0,0,1)")
        self.assertNotEqual(volume, mirrored)
        with open(self.path("mirrored.nrrd"), "wb") as file:
            file.write(mirrored)
        pictures = [Picture(self.render(name + ".png", path, "--iso", "0", "--size", "101x101"))
                    for name, path in (("as_it_is", self.sphere), ("mirror", self.path("mirrored.nrrd")))]
        for x, y in ((50, 50), (35, 50), (65, 50), (50, 35), (50, 65)):
            for one, other in zip(pictures[0][x, y], pictures[1][x, y]):
                self.assertLessEqual(abs(one - other), 3, (x, y))

    def test_wrong_slices_are_refused(self):
        for word, says in (("y=64", "voxels 0 to 63 along y"), ("w=1", "x=128"), ("x=1,", "x=128"), ("x=-1", "x=128"),
                           ("x", "x=128"), ("x=1+-", "x=128+"), ("x=1*", "x=128+")):
            done = self.run_program("render", self.sphere, "--iso", "0", "--slice", word, "-o", "refused.png")
            self.assertEqual(done.returncode, USAGE, word)
            self.assertRegex(done.stderr, r"\Aisoscope: [^\n]+\n\Z")
            self.assertIn(says, done.stderr)
            self.assertFalse(os.path.exists(self.path("refused.png")))


class Percent(drive.ProgramTest):
    def test_values_as_percentiles(self):
        path = self.path("ramp_10x10x10_uint8.raw")
        with open(path, "wb") as file:
            file.write(bytes(range(100)) * 10)  # each value ten times
        for percent, inside in (("0%", 1000), ("20%", 800), ("95%", 50), ("99%", 10), ("100%", 10)):
            self.assertEqual(self.info(path, "--iso", percent)["voxels_inside"], inside, percent)
        for wrong in ("101%", "-1%", "%", "5%%", "nan%"):
            done = self.run_program("info", path, "--iso", wrong)
            self.assertEqual(done.returncode, USAGE, wrong)
            self.assertIn("percentile from 0% to 100%", done.stderr)

    def test_values_in_standard_deviations(self):
        path = self.path("ramp_10x10x10_uint8.raw")
        with open(path, "wb") as file:
            file.write(bytes(range(100)) * 10)  # mean 49.5, standard deviation 28.866
        for deviations, inside in (("0sd", 500), ("1sd", 210), ("-1sd", 790), ("1e0sd", 210), ("9sd", 0)):
            self.assertEqual(self.info(path, f"--iso={deviations}")["voxels_inside"], inside, deviations)


class Pixel(drive.WindowTest):
    GREEN = (0.004, 0.176, 0.322, 0.447, 0.565, 0.678, 0.784, 0.863, 0.906)  # of viridis, over the range of the values

    def setUp(self):
        """A plane that fills the scene, seen from above, with nothing else."""
        size = 64
        path = self.path("crests_64x64x64_uint8.raw")
        with open(path, "wb") as file:
            file.write(bytes(120 * (x % 2) + 120 * (y % 2) for z in range(size) for y in range(size) for x in range(size)))
        self.plane, first = self.open(path, "--iso", "300", "--slice", "z=32", "--elevation", "90", "--azimuth", "0",
                                      "--slice-map", "viridis", "--samples", "1",  # the mean of several is not the value in the middle of a pixel
                                      size=drive.WIDE)
        self.plane.wait_for(DRAWN, first.end())  # before, the camera is not where it will be

    def test_a_click_reads_the_pixel_under_it(self):
        """Values rise and fall by half their range from voxel to voxel, about ten pixels apart. So neighbouring pixels differ in
        colour by ten steps of 255, except on both sides of a crest, where they may be equal."""
        window = self.plane
        picture = Picture(self.path(window.press("ctrl+F12", r"screenshot (\S+)\n")[1]))
        left, top = window.point("scene", 0, 0)
        for at in ((0.5, 0.5), (0.42, 0.31), (0.58, 0.75), (0.37, 0.64), (0.61, 0.23)):
            found = window.click("scene", PROBE, *at)
            position = 8 * float(found[8]) / 240
            low = min(int(position), 7)
            green = 255 * (self.GREEN[low] + (self.GREEN[low + 1] - self.GREEN[low]) * (position - low))
            x, y = window.point("scene", *at)
            self.assertAlmostEqual(picture[x - left, y - top][1], green, delta=3, msg=f"{at}: {found[0]}")
        window.quit()

    def test_the_wheel_keeps_what_is_under_the_cursor(self):
        window, at = self.plane, (0.4, 0.3)
        before = window.click("scene", PROBE, *at)
        for button in (4, 4, 5):
            since = window.mark()
            window.xdo("click", button)
            window.wait_for(DRAWN, since)
        after = window.click("scene", PROBE, *at)
        for axis in (2, 3):  # a pixel; the wrong way it would be voxels
            self.assertAlmostEqual(float(after[axis]), float(before[axis]), delta=0.1, msg=(before[0], after[0]))
        window.quit()


class Window(drive.WindowTest):
    SIZE = 48

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.volume = cls.synth("metaballs", cls.SIZE)
        with open(cls.volume, "rb") as file:
            cls.voxels = file.read()[-cls.SIZE ** 3:]

    def setUp(self):
        self.drawn, first = self.open(self.volume)
        self.drawn.rest()  # the scene is where it stays: the panel comes after the first picture, and moves it
        self.iso = first[1]

    def interpolated(self, p):
        """The trilinear value at p."""
        low = [min(int(q), self.SIZE - 2) for q in p]
        value = 0
        for corner in range(8):
            at, weight = [], 1
            for a in range(3):
                bit = corner >> a & 1
                at.append(low[a] + bit)
                weight *= p[a] - low[a] if bit else 1 - (p[a] - low[a])
            value += weight * self.voxels[(at[2] * self.SIZE + at[1]) * self.SIZE + at[0]]
        return value

    def probe(self, window, x, y):
        """Clicks on the scene. Returns the object, voxel and value there, and checks the value."""
        found = window.click("scene", PROBE, x, y)
        voxel, value = [float(found[i]) for i in (2, 3, 4)], float(found[8])
        self.assertAlmostEqual(self.interpolated(voxel), value, delta=0.1, msg=found[0])
        return found[1], voxel, value

    def numbers_and_thumb(self, window, widget):
        """The columns of a slider's number, and those of its thumb."""
        (left, top), (right, bottom) = window.point(widget, 0, 0), window.point(widget, 1, 1)
        picture = Picture(self.path(window.press("F12", r"screenshot (\S+)\n")[1]))
        thumb, number = set(), set()
        for x in range(left, right):
            for red, _, blue in (picture[x, y] for y in range(top, bottom)):
                if red > blue + 40:
                    thumb.add(x)
                elif blue > 150:
                    number.add(x)
        self.assertTrue(thumb and number, (thumb, number))
        return number, thumb

    def test_the_number_of_a_slider_stands_clear_of_its_thumb(self):
        window = self.drawn
        for x in range(14, 34, 3):
            window.click("slice x slider", "slice x ", x / 47)
            window.point_at("scene")
            window.settle()
            number, thumb = self.numbers_and_thumb(window, "slice x slider")
            self.assertTrue(max(number) < min(thumb) or max(thumb) < min(number), (x, number, thumb))
        window.click("dust", "", 0.5)  # of which the text is long
        window.point_at("scene")
        window.settle()
        number, thumb = self.numbers_and_thumb(window, "dust")
        self.assertTrue(max(number) < min(thumb) or max(thumb) < min(number), (number, thumb))
        window.quit()

    def line_pixels(self, window):
        return Picture(self.path(window.press("ctrl+F12", r"screenshot (\S+)\n")[1])).find(is_line)

    def test_a_click_finds_the_surface(self):
        window = self.drawn
        what, _, value = self.probe(window, 0.52, 0.52)
        self.assertEqual(what, "surface")
        self.assertAlmostEqual(value, float(self.iso), delta=4)
        window.click("scene", "probe nothing", 0.02, 0.02)
        window.quit()

    def test_a_position_says_its_unit_and_frame(self):
        self.drawn.quit()
        lines = ["NRRD0004", "type: uint8", "dimension: 3", f"sizes: {self.SIZE} {self.SIZE} {self.SIZE}", "encoding: raw",
                 "space directions: (2,0,0) (0,2,0) (0,0,2)", "space origin: (5,7,9)"]
        for name, more, frame in (("patient", ["space: RAS"], "mm LPS"),
                                  ("other", ["space dimension: 3", 'space units: "um" "um" "um"'], "um in the file's frame")):
            with open(self.path(f"{name}.nrrd"), "wb") as file:
                file.write(("\n".join(lines[:1] + more + lines[1:]) + "\n\n").encode() + self.voxels)
            window, _ = self.open(self.path(f"{name}.nrrd"), "--iso", self.iso)
            window.rest()
            found = window.click("scene", PROBE.replace("[^\\n,]*", "([^\\n,]*)"), 0.52, 0.52)
            signs = (-1, -1, 1) if name == "patient" else (1, 1, 1)
            for voxel, at, sign, origin in zip(found.groups()[1:4], found.groups()[4:7], signs, (5, 7, 9)):
                self.assertAlmostEqual(float(at), sign * (origin + 2 * float(voxel)), delta=0.01)
            self.assertEqual(found[8], frame)
            window.quit()

    def test_a_map_of_density_has_standard_deviations(self):
        """They stand beside its value, and can be typed. Volumes of other formats have none."""
        self.assertFalse(self.drawn.says("widget deviations", 0))
        self.drawn.quit()
        n, path = self.SIZE, self.path("map.mrc")
        head = struct.pack("<10i6f3i", n, n, n, 2, 0, 0, 0, n, n, n, n, n, n, 90, 90, 90, 1, 2, 3).ljust(208, b"\0")
        with open(path, "wb") as file:
            file.write((head + b"MAP \x44\x44\0\0").ljust(1024, b"\0") + struct.pack(f"<{n ** 3}f", *self.voxels))
        mean, deviation = statistics.fmean(self.voxels), statistics.pstdev(self.voxels)
        window, _ = self.open(path, "--iso", "120")
        window.wait_for(rf"widget deviations {(120 - mean) / deviation:.3g} sd: ")
        window.rest()
        window.click("value", "")
        window.settle()
        window.xdo("type", "0,5 sd")
        since = window.mark()
        window.xdo("key", "Return")
        self.assertAlmostEqual(float(window.wait_for(drive.FULL, since)[1]), mean + 0.5 * deviation, delta=1e-4)
        window.wait_for("widget deviations 0.5 sd: ", since)
        window.quit()

    def test_contours_are_lines(self):
        window = self.drawn
        for key, axis in (("2", "x"), ("4", "y"), ("6", "z")):
            window.press(key, rf"slice {axis} on at 23[\s\S]*?slices: [^\n]* segments at {re.escape(self.iso)}, "
                              r"marching_squares=\w+ ")
        self.assertGreater(len(self.line_pixels(window)), 200)
        for key, axis in (("2", "x"), ("4", "y"), ("6", "z")):
            window.press(key, rf"slice {axis} off[\s\S]*?{DRAWN}")
        self.assertFalse(self.line_pixels(window))
        since = window.mark()
        window.xdo("key", "period")
        window.press("w", r"wireframe on[\s\S]*?" + DRAWN)
        self.assertNotIn("slices:", window.log(since), "no slice is on: none is moved")
        window.quit()

    def test_slices_move_and_are_probed(self):
        window = self.drawn
        window.press("3", r"view 90 0")  # from the right, a plane at the right end hides everything else
        window.press("2", r"slice x on at 23")
        for key, at in (("period", 24), ("comma", 23), ("shift+period", 33), ("shift+comma", 23), ("shift+period", 33),
                        ("shift+period", 43), ("shift+period", 47)):
            window.press(key, rf"slice x on at {at}[\s\S]*?slices: ")
        window.press("shift+period", r"slice x on at 47")
        window.press("f", r"fit[\s\S]*?" + DRAWN)
        for x, y in ((0.3, 0.375), (0.5, 0.5), (0.66, 0.65)):
            what, voxel, _ = self.probe(window, x, y)
            self.assertEqual((what, voxel[0]), ("slice x", self.SIZE - 1))

        # Ctrl+click takes the value of the slice unless the slice is hidden.
        for key, at in (("shift+comma", 37), ("shift+comma", 27), ("period", 28)):
            window.press(key, rf"slice x on at {at}[\s\S]*?slices: [\s\S]*?{DRAWN}")
        for x, y in ((0.5, 0.5), (0.3, 0.375), (0.66, 0.65), (0.42, 0.31), (0.58, 0.75), (0.23, 0.8)):
            found = re.match(PROBE, window.click("scene", r"probe [^\n]*", x, y, "ctrl")[0])
            if found and found[1] == "slice x" and abs(float(found[8]) - float(self.iso)) > 1:
                window.wait_for(rf"segments at {re.escape(found[8])}")
                break
        else:
            self.fail("no slice is to be seen")
        window.quit()

    def test_percent_keys(self):
        window = self.drawn
        values = [float(window.press(key, r"percent (\S+) below (\S+), search=")[2])
                  for key in ("bracketright", "bracketright", "braceright", "bracketleft", "braceleft")]
        self.assertTrue(values[0] < values[1] < values[2] > values[3] > values[4], values)
        window.quit()

    def test_panel(self):
        window = self.drawn
        window.click("slice y switch", r"slice y on at 23", 0.2)
        follows = r"slice y on at (\d+)[\s\S]*?slices: 0 \d+ 0 segments"
        since = window.drag_by_steps("slice y slider", (0.5, 0.6, 0.7, 0.8, 0.9), follows)
        moves = window.says(follows, since)
        self.assertGreater(len(set(moves)), 3, moves)
        window.quit()

    def test_clicks_find_only_what_is_not_hidden(self):
        """From the front, clicks find what lies behind the parts that are cut away."""
        window, at = self.drawn, (0.52, 0.52)
        window.press("1", r"view 0 0[\s\S]*?" + DRAWN)
        _, front, _ = self.probe(window, *at)
        window.press("k", r"knife on[\s\S]*?probe gone[\s\S]*?" + DRAWN)  # the label would be on nothing
        _, back, _ = self.probe(window, *at)
        self.assertGreater(back[1], front[1] + 2)

        window.point_at("scene", *at)
        since = window.mark()
        window.xdo("keydown", "ctrl", "click", 4, "click", 4, "click", 5, "keyup", "ctrl")
        window.wait_for(r"(knife at [\s\S]*){3}", since)
        places = [float(place) for place in window.says(r"knife at (\S+)", since)]
        self.assertEqual([places[1] - places[0], places[2] - places[1]], [1, -1])
        window.press("k", r"knife off[\s\S]*?" + DRAWN)
        self.assertAlmostEqual(self.probe(window, *at)[1][1], front[1], delta=0.1)

        # A slice hides the near side, then the far one, then none.
        self.assertEqual(window.press("ctrl+4", r"slice y cuts (\w+) 23[\s\S]*?probe gone[\s\S]*?" + DRAWN)[1], "below")
        self.assertIsNotNone(window.wait_for("widget slice y hide <: "))  # and no minus, which would be a number's
        self.assertEqual(self.probe(window, *at)[0], "slice y")
        self.assertEqual(window.press("ctrl+4", r"slice y cuts (\w+) 23[\s\S]*?" + DRAWN)[1], "above")
        what, voxel, _ = self.probe(window, *at)
        self.assertEqual(what, "surface")
        self.assertAlmostEqual(voxel[1], front[1], delta=0.1)
        window.press("ctrl+4", r"slice y cuts nothing[\s\S]*?" + DRAWN)
        since = window.mark()
        window.xdo("keydown", "ctrl", "click", 4, "keyup", "ctrl")
        window.wait_for("slice y on at 24", since)
        window.quit()

    def gold_pixels(self, window):
        """Of the ruler, in the scene."""
        left = window.point("scene", 0, 0)[0]
        picture = Picture(self.path(window.press("F12", r"screenshot (\S+)\n")[1]))
        return [p for p in picture.find(lambda c: math.dist(c, (240, 196, 120)) < 12) if p[0] >= left]

    def test_the_ruler(self):
        self.drawn.quit()
        window, _ = self.open(self.volume, "--spacing", "1,2,3", "--samples", "1")  # the same depth at each click
        window.settle()  # the scene lies beside the panel then
        at = ((0.5, 0.5), (0.53, 0.47), (0.48, 0.54))
        points = []
        for place in at:
            found = window.click("scene", PROBE, *place)
            points.append([float(found[i]) for i in (5, 6, 7)])
            self.assertAlmostEqual(points[-1][2], 3 * float(found[4]), delta=1e-2)
        window.settle()  # Esc would cancel work first
        window.press("Escape", "")
        self.assertFalse(self.gold_pixels(window))
        lengths = []
        for place, point, says in zip(at, points, ("", r"ruler length (\S+)\n", r"ruler length (\S+), angle (\S+)\n")):
            found = window.click("scene", r"ruler point \d: at (\S+) (\S+) (\S+)\n[^\n]*?" + says, *place, "shift")
            for got, want in zip(found.groups(), point):
                self.assertAlmostEqual(float(got), want, delta=1e-3)
            lengths += found.groups()[3:]
        first, second, angle = map(float, lengths)
        self.assertAlmostEqual(first, math.dist(*points[:2]), delta=2e-3)
        self.assertAlmostEqual(second, math.dist(*points[1:]), delta=2e-3)
        third = math.dist(points[0], points[2])
        self.assertAlmostEqual(math.cos(math.radians(angle)), (first ** 2 + second ** 2 - third ** 2) / (2 * first * second),
                               delta=1e-3)
        self.assertGreater(len(self.gold_pixels(window)), 40)
        window.press("Escape", "ruler gone")
        self.assertFalse(self.gold_pixels(window))
        window.quit()

    def test_the_label_leaves_the_ruler_in_sight(self):
        """It stands below the clicked point, or at another side of it if it would hide a point or a length."""
        window = self.drawn
        window.click("scene", PROBE)
        window.settle()
        self.assertGreater(window.point("probe", 0, 0)[1], window.point("scene")[1])
        ends = (0.49, 0.51), (0.56, 0.55)
        for place in ends:
            window.click("scene", r"ruler point \d: at ", *place, "shift")
        window.settle()
        (left, top), (right, bottom) = window.point("probe", 0, 0), window.point("probe", 1, 1)
        at = [window.point("scene", *place) for place in ends]
        for x, y in (*at, [sum(two) / 2 for two in zip(*at)]):
            self.assertFalse(left <= x <= right and top <= y <= bottom, (x, y, left, top, right, bottom))
        window.quit()

    def type_number(self, window, widget, text, at):
        window.click(widget, "", at, modifier="ctrl")
        window.settle()
        window.xdo("key", "ctrl+a")
        window.settle("Shift_L")
        window.xdo("type", text)
        window.settle("Shift_L")

    def test_the_ruler_leaves_the_colour_bar_in_sight(self):
        """A length that would be hidden by the bar is written beside it."""
        window = self.drawn
        window.press("2", "slice x on")
        window.press("3", "view ")
        window.settle()
        window.point_at("scene")
        for _ in range(4):
            window.xdo("click", 4)
            window.settle()
        since = window.mark()
        for place, says in ((0.65, r"ruler point \d: at "), (0.97, r"ruler length \S+\n")):
            self.assertIsNotNone(window.click("scene", says, place, 0.15, "shift"))
        self.assertIsNotNone(window.wait_for(r"widget ruler [\d.]+[^:]*: ", since))
        label, legend = r"ruler [\d.]+[^:]*", window.point("legend", 0, 0)
        self.assertGreater(window.point(label)[1], legend[1])
        self.assertLess(window.point(label)[1], window.point("legend", 1, 1)[1])
        self.assertLess(window.point(label, 1)[0], legend[0])
        window.quit()

    def test_panel_of_cuts_and_colours(self):
        window = self.drawn
        window.click("slice z cut", r"slice z cuts below 23|slice z cuts above 23")
        window.click("knife switch", r"knife on[\s\S]*?widget knife slider", 0.2)
        since = window.drag_by_steps("knife slider", (0.5, 0.65, 0.8), r"knife at \S+")
        places = window.says(r"knife at (\S+)", since)
        self.assertGreater(len(set(places)), 1, places)
        since = window.drag_by_steps("slice window", (0.2, 0.3, 0.4), r"slice window \S+ \S+\n")
        low, high = window.says(r"slice window (\S+) (\S+)\n", since)[-1]
        self.assertGreater(float(low), 10)
        window.click("slice window all", "slice window all\n")
        for text, at in (("500", 0.2), ("0", 0.7)):  # turned round: nothing is set, and it is said why, once
            since = window.mark()
            self.type_number(window, "slice window", text, at)
            window.press("Return", r"no slice window \S+ \S+\n", 30)
            window.settle()
            self.assertEqual(len(window.says(r"slice window \S+ \S+\n", since)), 1, "the one that is refused")
        since = window.mark()
        self.type_number(window, "slice window", "0", 0.7)
        window.xdo("key", "Escape")
        window.settle()
        self.type_number(window, "slice window", "150", 0.7)
        window.press("Return", r"slice window \S+ 150\n", 30)
        self.assertEqual(window.says(r"slice window \S+ (\S+)\n", since)[-1], "150")
        window.settle()
        self.assertFalse(window.says("no slice window", since), "taken back, or grown to a good one")
        window.click("slice window all", "slice window all\n")
        window.click("slice map", "widget slice map cividis: ")
        window.click("slice map cividis", "slice map cividis\n")
        window.quit()

    def test_contours_follow_the_value(self):
        window = self.drawn
        window.press("4", r"slice y on at 23[\s\S]*?slices: ")
        since = window.drag_by_steps("histogram", (0.2, 0.3, 0.4, 0.5, 0.6, 0.75), r"segments at \S+,")
        window.press("7", r"view [\s\S]*?" + DRAWN)
        window.settle()  # the last value has its contours, too
        contours = window.says(r"segments at (\S+),", since)
        self.assertGreater(len(contours), 4)
        window.wait_for(rf"iso {re.escape(contours[-1])}: ", since)
        window.quit()


if __name__ == "__main__":
    drive.main()
