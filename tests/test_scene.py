#!/usr/bin/env python3
"""Orientation and scale in the window: camera movements, gizmo, box and scale bar; text over pictures.
Usage: test_scene.py ISOSCOPE; drive.py has more."""
import math
import struct
import time

import drive
from drive import DRAWN
from picture import Picture

TRIES = 20  # where a drawing takes long, a movement has fewer of them or is none
QUICK = 50  # ms: then a movement has several

CORNER = 68  # pixels from the middle of the gizmo to the sides of the scene: axes.c


class Scene(drive.WindowTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.volume = cls.synth("metaballs", 32)  # drawn in a few milliseconds, so that movements are smooth
        with open(cls.volume, "rb") as file:
            volume = file.read()
        cls.patient = cls.path("patient.nrrd")
        with open(cls.patient, "wb") as file:
            file.write(volume.replace(b"space dimension: 3\n", b'space: left-posterior-superior\nspace units: "mm" "mm" "mm"\n')
                       .replace(b"(1,0,0) (0,1,0) (0,0,1)", b"(0.5,0,0) (0,0.5,0) (0,0,0.5)"))

    def open(self, *words, volume=None, size=drive.SIZE):
        window, first = super().open(volume or self.volume, *words, size=size)
        window.wait_for(DRAWN, first.end())
        window.settle()
        return window

    def scene(self, window):
        """The picture without the panel, and without what the mouse is for."""
        return Picture(self.path(window.press("ctrl+F12", r"screenshot (\S+)\n")[1]))

    def test_views_are_reached_smoothly(self):
        """Several frames lead to the view. Then nothing more is drawn."""
        window = self.open(size="300x200")  # quickly drawn
        drawings, quick = [0] * 3, False
        for tries in range(TRIES):
            for i, (key, says) in enumerate((("7", "view 0 90"), ("3", "view 90 0"), ("1", "view 0 0"))):
                window.settle()  # a drawing that is stopped says nothing of how long the next one takes
                quick = quick or float(window.says(r"draw (\S+) ms, frame", 0)[-1]) < QUICK
                moved = window.mark()
                window.press(key, says)
                drawings[i] = max(drawings[i], len(window.says(DRAWN, moved)))
            if min(drawings) >= 2 or (tries >= 3 and not quick):
                break
        if quick:
            self.assertGreaterEqual(min(drawings), 2, drawings)
        else:
            print("a drawing takes too long here for movements")
        window.settle()
        rested = window.mark()
        time.sleep(1)
        self.assertEqual([line for line in window.log(rested).splitlines() if not line.endswith(" rest")], [])
        for _ in range(TRIES):  # two keys that come in the time of one movement are one movement
            window.press("1", "view 0 0")
            since = window.mark()
            window.xdo("key", "--delay", "1", "7", "f")
            window.wait_for(r"view 0 90\n[\s\S]*fit\n", since)
            if at_once := window.says(r"view 0 90\n[^\n]*fit\n", since):
                break
        self.assertTrue(at_once)
        window.quit()

    def test_what_is_asked_for_in_a_movement_is_reached(self):
        """The picture after two hasty keys is that after each had come to its end."""
        window = self.open()
        for key, says in (("3", "view 90 0"), ("f", "fit")):
            window.press(key, says)
        slow = self.scene(window)
        since = window.mark()
        window.press("7", "view 0 90")
        window.xdo("key", "--delay", "1", "3", "f")
        window.wait_for(r"view 90 0\n[\s\S]*fit\n", since)
        self.assertEqual(self.scene(window), slow)
        window.quit()

    def test_perspective_and_orthographic(self):
        """The key and the switch do the same; `render` has the same picture."""
        window = self.open("--azimuth", "35", "--elevation", "20")
        perspective = self.scene(window)
        window.press("5", "orthographic on")
        window.press("f", "fit")
        parallel = self.scene(window)
        self.assertNotEqual(parallel, perspective)
        size = f"{parallel.width}x{parallel.height}"
        for words, picture in (((), perspective), (("--orthographic",), parallel)):
            made = Picture(self.render("r.png", self.volume, "--azimuth", "35", "--elevation", "20", "--size", size, *words))
            differ = sum(a != b for one, other in zip(made.rows, picture.rows) for a, b in zip(one, other))
            self.assertLess(differ, 0.01 * 3 * made.width * made.height, words)
        window.click("orthographic", "orthographic off", 0.2)
        window.quit()


    def end_of_gizmo(self, window, x, y):
        """Clicks on the gizmo, at fractions of an arm from its middle. Returns what the log says."""
        left, top = window.point("scene", 1, 1)
        window.xdo("mousemove", left - CORNER + round(38 * x), top - CORNER - round(38 * y))
        since = window.mark()
        window.xdo("click", 1)
        return window.wait_for(r"gizmo (from [^\n]*)\n[\s\S]*view (\S+ \S+)", since).groups()

    def test_the_gizmo(self):
        """A click on an end shows the view from there, whichever axis is up. A click on the near end shows the opposite view. A
        click next to the gizmo is a click on the scene. Without the panel there is no gizmo. Where the mouse came from is irrelevant."""
        window = self.open("--azimuth", "0", "--elevation", "0")
        right, bottom = window.point("scene", 1, 1)
        window.xdo("mousemove", 200, 400)  # over the panel
        window.settle()
        since = window.mark()
        window.xdo("mousemove", right - CORNER + 38, bottom - CORNER, "click", 1)  # before a frame can be drawn
        window.wait_for(r"gizmo from \+x\n[\s\S]*view 90 0", since)
        window.press("1", "view 0 0")
        window.settle()
        for x, y, says in ((1, 0, ("from +x", "90 0")), (-1, 0, ("from -y", "0 0")), (0, 1, ("from +z", "0 90")),
                           (0, 0, ("from +z", "0 -90")), (0, 1, ("from -y", "0 0")), (0, 0, ("from -y", "180 0"))):
            self.assertEqual(self.end_of_gizmo(window, x, y), says)
        window.press("1", "view 0 0")
        window.click("up -y", r" up -y\n")
        window.settle()  # a click before the view has come to rest is one beside the gizmo's end
        self.assertEqual(self.end_of_gizmo(window, 0, 1), ("from -y", "0 90"))
        left, top = window.point("scene", 1, 1)
        window.press("p", "panel one line")
        window.press("p", "panel off")
        since = window.mark()
        window.xdo("mousemove", left - CORNER, top - CORNER, "click", 1)
        window.wait_for("probe nothing", since)
        window.quit()

    def span(self, window):
        """The first and the last column, and the first and the last row of the surface, as parts of the picture."""
        window.settle()
        picture = self.scene(window)
        xs, ys = zip(*picture.find(lambda c: c[0] > c[2] + 20))  # bone, on a ground that is blue
        return min(xs) / picture.width, max(xs) / picture.width, min(ys) / picture.height, max(ys) / picture.height

    def resize(self, window, width, height):
        since = window.mark()
        window.xdo("search", "--onlyvisible", "--name", "isoscope", "windowsize", width, height)
        window.wait_for(rf"widget scene: \d+ \d+ {width} {height}\n", since)

    def test_another_size_of_the_window(self):
        """What was seen stays in sight, and returns once there is room again, without a step to undo. For a fitted view and for a
        chosen one."""
        window = self.open(size="1280x800")
        for steps in range(2):
            before = self.span(window)
            self.resize(window, 660, 800)
            small = self.span(window)
            self.assertTrue(0.01 < small[0] and small[1] < 0.99, small)
            self.resize(window, 1280, 800)
            for a, b in zip(before, self.span(window)):
                self.assertAlmostEqual(a, b, delta=0.02)
            self.assertEqual(len(window.says(r"step \d+:", 0)), steps)
            if not steps:
                window.point_at("scene", 0.5, 0.5)
                window.xdo("click", 5)
                window.wait_for(r"step 1: view")
        window.quit()

    def test_the_gizmo_of_a_patient(self):
        """With z to the head and x to the left, a view from the front has the patient's left at the right."""
        window = self.open("--azimuth", "0", "--elevation", "0", volume=self.patient)
        for x, y, says in ((1, 0, "the patient's left (+x)"), (1, 0, "behind the patient (+y)"),
                           (0, 1, "the patient's head (+z)"), (0, -1, "behind the patient (+y)")):
            self.assertEqual(self.end_of_gizmo(window, x, y)[0], "from " + says)
        window.quit()

    def test_the_names_of_axes_lie_within_the_picture(self):
        """Also if an axis points to the picture's edge, like a patient's y seen from above."""
        for words, name in ((("--azimuth", "180"), "y"), (("--azimuth", "90"), "x")):
            picture = Picture(self.render("t.png", self.patient, *words, "--elevation", "90", "--size", "500x400",
                                          "--legend", "--box"))
            own = 1 if name == "y" else 0  # the axis is green, or red
            others = {0, 1, 2} - {own}
            rows = [y for x, y in picture.find(lambda c: all(c[own] > c[i] + 30 for i in others)) if x > 350 and y > 250]
            self.assertTrue(rows and max(rows) < 400 - 3, (name, max(rows, default=None)))

    def test_the_top_of_a_patient(self):
        """Seen from the top, the front is up: in a picture of a head, the nose."""
        window = self.open("--azimuth", "0", "--elevation", "0", volume=self.patient)
        window.press("7", "view 180 90")
        window.settle()
        self.assertEqual(self.end_of_gizmo(window, 0, 1)[0], "from in front of the patient (-y)")
        window.click("up -y", r" up -y\n")
        window.settle()
        window.press("7", "view 0 90")  # what is at the top is no head then
        window.quit()

    def test_the_gizmo_is_lit_under_the_mouse(self):
        window = self.open("--azimuth", "0", "--elevation", "0")
        right, bottom = window.point("scene", 1, 1)
        window.xdo("mousemove", 200, 400)  # over the panel, from where it jumps
        window.settle()
        colours = []
        for x, y in ((right - CORNER + 38, bottom - CORNER), (right - 300, bottom - CORNER)):
            window.xdo("mousemove", x, y)
            window.settle()
            picture = Picture(self.path(window.press("F12", r"screenshot (\S+)\n")[1]))
            colours.append(picture[right - CORNER + 38 - 6, bottom - CORNER])
            self.assertLess(min(self.scene(window)[x - window.point("scene", 0)[0], y]), 100, "pictures without the panel have none")
        self.assertGreater(min(colours[0]), 220, colours)
        self.assertTrue(colours[1][0] > 120 > colours[1][1], colours)
        window.quit()


    def test_the_scale_bar_measures_the_box(self):
        """From the front without perspective, the box of 15.5 mm is as wide as the bar says; in perspective its face is nearer
        than the centre, and so larger."""
        for words, says, low, high in (((), r"\d+ mm at the centre", 1.05, 1.4), (("--orthographic",), r"\d+ mm", 0.98, 1.02)):
            window = self.open("--azimuth", "0", "--elevation", "0", *words, volume=self.patient, size=drive.WIDE)
            window.press("v", r"box on\n[\s\S]*fit\n")
            window.settle()
            name = window.says(rf"widget (scale {says}): ", 0)[-1]
            bar = window.point(name, 1)[0] - window.point(name, 0)[0] + 1
            picture = self.scene(window)
            window.press("v", r"box off\n[\s\S]*fit\n")
            lines = picture.find(lambda colour: min(colour) > 125 and colour[2] > colour[0] + 8)
            columns = [x for x in range(picture.width) if sum(at[0] == x for at in lines) > 0.5 * picture.height]
            part = (columns[-1] - columns[0]) * float(name.split()[1]) / bar / 15.5
            self.assertTrue(low < part < high, (name, bar, columns))
            window.quit()

    def test_the_box_is_hidden_by_the_surface(self):
        """The edge that goes up from the farthest corner, in the middle, is bright without a surface and faint behind a ball."""
        ball = self.synth("sphere", 32, "ball.nrrd")
        contrast = []
        for iso in ("99", "0"):
            picture = Picture(self.render("b.png", ball, "--iso", iso, "--size", "401x401", "--azimuth", "45", "--elevation", "35.264",
                                          "--orthographic", "--box"))
            contrast.append(sum(picture[200, y][2] - picture[208, y][2] for y in range(150, 190)) / 40)
        self.assertGreater(contrast[0], 60)
        self.assertTrue(4 < contrast[1] < 0.4 * contrast[0], contrast)

    def test_the_switch_of_the_box(self):
        window = self.open("--box")
        window.wait_for(r"widget scale \S+ at the centre")
        window.click("box", "box off", 0.2)
        window.settle()
        window.click("box", "box on", 0.2)
        window.quit()

    def test_the_surface_is_fitted_below_the_line(self):
        """If the panel is a line over the scene, no part of the surface lies behind it. Without the line, F uses the whole
        scene."""
        def rows(picture):
            seen = [y for y in range(picture.height) for x in range(100, 540) if picture[x, y][0] > picture[x, y][2] + 20]
            return min(seen), max(seen)

        window = self.open("--iso", "0.5", volume=self.synth("sphere", 32, "sphere.nrrd"), size="640x400")
        window.wait_for(r" rest\n")
        foot = window.point("line", 0, 1)[1]
        top, bottom = rows(self.scene(window))
        self.assertGreater(foot, 15)
        self.assertGreater(top, foot)
        self.assertTrue(bottom < 399 and bottom - top > 0.7 * (400 - foot), (top, bottom))
        window.press("p", r"panel off")
        window.settle()
        window.press("f", r"fit[\s\S]*?" + DRAWN)
        window.settle()
        self.assertLess(rows(self.scene(window))[0], top - 10)
        window.quit()

    def test_a_picture_without_the_panel_says_what_colours_mean(self):
        """Pictures have the legend of `render --legend`, only once however many pictures are taken. The scene itself has none."""
        words = ("--color-by", "x", "--slice", "z=16", "--azimuth", "0", "--elevation", "0")
        window = self.open(*words, volume=self.patient)
        pictures = [self.scene(window), self.scene(window)]
        self.assertEqual(pictures[0], pictures[1])
        size = f"{pictures[0].width}x{pictures[0].height}"
        found = Picture(self.render("p.png", self.patient, *words, "--size", size, "--legend"))
        width, height = LEGEND
        for y in range(height):
            row = [(pictures[0][x, y], found[x, y]) for x in range(found.width - width, found.width)]
            self.assertLess(sum(a != b for a, b in row), 4, y)
        self.assertGreater(max(found[found.width - 40, y][0] for y in range(30, height)), 240, "numbers")
        window.quit()


LEGEND = 170, 200  # two bars at the upper right, with text of scale 1: MARGIN, HEIGHT of labels_legend.cpp
VIRIDIS = (68, 1, 84), (33, 145, 140), (253, 231, 37)  # first, middle and last colour


def far_from_zero(path, spread):
    """A volume of 16 values from 1000000 on, and its middle value. With twice the spread, only the numbers in a picture differ."""
    with open(path, "wb") as file:
        file.write(b"NRRD0004\ntype: float\ndimension: 3\nsizes: 16 16 16\nencoding: raw\nendian: little\n\n")
        file.write(struct.pack("<4096f", *(1000000 + spread * (i % 16) / 16 for i in range(4096))))
    return [path, "--iso", str(1000000 + spread * 8.5 / 16)]


class FarFromZero(drive.WindowTest):
    def shot(self, spread):
        """A picture of a window, and where its widgets are."""
        window, _ = self.open(*far_from_zero(self.path(f"far{spread}.nrrd"), spread))
        window.rest()
        picture = Picture(self.path(window.press("F12", r"screenshot (\S+)\n")[1]))
        window.quit()
        return picture, window

    def test_numbers_differ_where_values_do(self):
        """Ticks of the histogram, and the values of the slices' first and last colour."""
        (two, window), (four, _) = self.shot(2), self.shot(4)
        unlike = [(x, y) for y in range(two.height) for x in range(window.point("scene", 0)[0]) if two[x, y] != four[x, y]]
        foot, middle = window.point("histogram", 0, 1)[1], window.point("slice window")
        self.assertTrue(any(foot + 2 < y < foot + 14 for x, y in unlike), "the ticks are alike")
        self.assertTrue(any(abs(y - middle[1]) < 6 and x > middle[0] for x, y in unlike), "the last values are alike")


class Labels(drive.ProgramTest):
    """What `render --legend` writes over pictures."""
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ball = cls.synth("sphere", 32, "ball.nrrd")

    def both(self, *words, size="500x400"):
        return [Picture(self.render("l.png", self.ball, "--size", size, "--samples", "1", *words, *more))
                for more in ((), ("--legend",))]

    def changed(self, plain, labelled):
        return [(x, y) for y in range(plain.height) for x in range(plain.width) if plain[x, y] != labelled[x, y]]

    def test_nothing_is_written_where_colours_mean_nothing(self):
        plain, labelled = self.both("--color", "d55e00")
        self.assertEqual(plain, labelled)

    def test_a_bar_with_the_colours_of_the_map(self):
        """At the right, and nowhere else; its numbers follow the spacing of the volume."""
        texts = set()
        for spacing in ("1,1,1", "3,3,3"):
            plain, labelled = self.both("--color-by", "x", "--spacing", spacing)
            places = self.changed(plain, labelled)
            self.assertGreater(len(places), 5000)
            self.assertGreater(min(x for x, y in places), 500 - 110)
            self.assertLess(max(y for x, y in places), 230)
            left = min(x for x, y in places) + 6  # GAP
            middle = left + 7
            rows = [y for y in range(230) if max(labelled[middle, y]) - min(labelled[middle, y]) > 40 and
                    labelled[middle, y] == labelled[middle + 2, y] == labelled[middle - 2, y]]
            for y, want in ((rows[-3], VIRIDIS[0]), (rows[len(rows) // 2], VIRIDIS[1]), (rows[2], VIRIDIS[2])):
                self.assertLess(max(abs(a - b) for a, b in zip(labelled[middle, y], want)), 20, (y, labelled[middle, y]))
            self.assertGreater(len(rows), 150)
            texts.add(tuple((x - left, y) for x, y in places if min(labelled[x, y]) > 130 and x > left + 16))
        self.assertEqual(len(texts), 2, "the numbers are others")
        self.assertTrue(all(len(text) > 60 for text in texts))

    def test_slices_have_a_bar_of_their_own(self):
        one = self.changed(*self.both("--color-by", "x"))
        two = self.changed(*self.both("--color-by", "x", "--slice", "z=16"))
        slices = self.changed(*self.both("--slice", "z=16"))
        self.assertGreater(len(slices), 5000)
        self.assertGreater(len(two), len(one) + 4000)
        texts = set()
        for window in ("0,0.1", "-1,1"):
            _, labelled = self.both("--slice", "z=16", "--window", window)
            texts.add(tuple(labelled[x, y] for y in range(30, 220) for x in range(462, 490)))
        self.assertEqual(len(texts), 2, "the numbers are others")

    def test_the_box_has_numbers_a_scale_bar_and_axes(self):
        plain, labelled = self.both("--box", "--orthographic", "--azimuth", "0", "--elevation", "0")
        places = self.changed(plain, labelled)
        bar = [x for x, y in places if y == 400 - 15 and min(labelled[x, y]) > 200 and x < 250]
        lines = plain.find(lambda colour: min(colour) > 125 and colour[2] > colour[0] + 8)
        columns = [x for x in range(500) if sum(at[0] == x for at in lines) > 0.5 * 400]
        width = columns[-1] - columns[0]
        self.assertAlmostEqual(len(bar) / width * 31, 10, delta=0.4, msg="the largest round length that fits into 140 pixels")
        self.assertTrue([1 for x, y in places if x > 400 and y > 300], "axes")
        self.assertTrue([1 for x, y in places if 60 < x < 150 and 40 < y < 340], "numbers at the left edge")

    def test_the_legend_tells_values_apart(self):
        """Also where they are far from 0."""
        two, four = (Picture(self.render(f"far{spread}.png", *far_from_zero(self.path(f"far{spread}.nrrd"), spread), "--size",
                                         "500x400", "--slice", "z=8", "--legend")) for spread in (2, 4))
        self.assertTrue(any(two[x, y] != four[x, y] for x in range(500 - LEGEND[0] // 4, 500) for y in range(LEGEND[1])))

    def test_no_legend_of_one_value(self):
        """Five times the same number, or 0 where no voxel has a value, would say nothing."""
        for value in (7, math.nan):
            with open(self.path("alike.nrrd"), "wb") as file:
                file.write(b"NRRD0004\ntype: float\ndimension: 3\nsizes: 8 8 8\nencoding: raw\nendian: little\n\n")
                file.write(struct.pack("<f", value) * 512)
            words = [self.path("alike.nrrd"), "--size", "500x400", "--slice", "z=4"]
            self.assertTrue(Picture(self.render("a.png", *words)) == Picture(self.render("b.png", *words, "--legend")), value)

    def test_without_background_the_legend_stays(self):
        picture = Picture(self.render("t.png", self.ball, "--size", "500x400", "--color-by", "x", "--transparent", "--legend"))
        self.assertEqual(picture[5, 5][3], 0)
        self.assertGreater(picture[470, 20][3], 180)

    def test_small_pictures_have_small_letters(self):
        places = self.changed(*self.both("--color-by", "x", size="320x240"))
        self.assertGreater(len(places), 2000)
        self.assertLess(max(y for x, y in places), 170)
        for size in ("9x9", "40x2", "1x1"):  # letters of less than half a pixel
            self.both("--color-by", "x", "--box", size=size)


if __name__ == "__main__":
    drive.main()
