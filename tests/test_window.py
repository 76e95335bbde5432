#!/usr/bin/env python3
"""The real window: slider, keys, screenshots, sizes. Usage: test_window.py ISOSCOPE [VOLUME]; drive.py has more."""
import json
import os
import re
import shutil
import struct
import subprocess
import time
import unittest
from unittest import mock

import drive
from drive import DRAWN, FULL
from picture import Picture


class Window(drive.WindowTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.volume = drive.volume or cls.synth("metaballs", 48)

    def open(self, *words, **options):
        window, first = super().open(self.volume, *words, **options)
        return window

    def test_slider(self):
        window = self.open()
        window.wait_for(DRAWN)
        values = window.says(FULL, window.drag_by_steps("histogram", [0.2, 0.3, 0.4, 0.5, 0.6, 0.75], FULL))
        self.assertGreaterEqual(len({value for value, _, _ in values}), 5, values)
        self.assertGreaterEqual(len({triangles for _, triangles, _ in values}), 3, values)
        window.quit()

    def test_every_rung_makes_the_same_surface(self):
        window = self.open()
        value, triangles, vertices = window.wait_for(FULL).groups()
        soup = str(3 * int(triangles))  # three vertices per triangle
        keys = {"b": "bricks", "c": "classify", "s": "scan", "o": "compact", "g": "generate", "x": "fused", "n": "all"}
        for key, stage in keys.items():
            for _ in range(2):
                after = window.press(key, rf"rung {stage}=\S+[\s\S]*?{FULL}")
                self.assertEqual(after.groups()[:2], (value, triangles), stage)
                self.assertIn(after[3], (vertices, soup), stage)
        window.quit()

    def test_keys(self):
        window = self.open()
        window.press("equal", FULL)
        for key, says in (("a", FULL), ("m", "shading matcap"), ("shift+m", "shading light"), ("w", "wireframe on"),
                          ("w", "wireframe off"), ("j", "caps on"), ("j", "caps off"), ("7", "view "),
                          ("f", "fit"), ("p", "panel one line"), ("p", "panel off"), ("p", "panel full")):
            window.press(key, says)
        window.quit()

    def test_mouse_on_the_scene(self):
        window = self.open()
        window.wait_for(DRAWN)
        since = window.drag("scene", 0.4, 0.6, 0.3)
        window.wait_for(DRAWN, since)
        surface = []  # pixels; its outside is of a warm colour, the background of a cold one
        for button in (4, 5, 5):  # wheel up: nearer
            since = window.mark()
            window.xdo("click", button)
            window.wait_for(DRAWN, since)
            scene = Picture(self.path(window.press("ctrl+F12", r"screenshot (\S+)\n")[1]))
            surface.append(len(scene.find(lambda colour: colour[0] > colour[2])))
        self.assertGreater(surface[0], 1.05 * surface[1])
        self.assertGreater(surface[1], 1.05 * surface[2])
        self.assertGreater(surface[2], 1000, surface)
        window.quit()

    @unittest.skipUnless(os.environ.get("DENSE"), "DENSE does not name the library made of dense.c")
    def test_a_dense_display(self):
        """Where a screen unit is two pixels wide, panel and scene share the window, and the mouse is where it is shown."""
        with mock.patch.dict(os.environ, LD_PRELOAD=os.environ["DENSE"]):
            window = self.open("--ui-scale", "1", size="640x400")  # 1280 x 800 pixels
        window.settle()
        left, top, right, bottom = map(int, re.findall(r"widget scene: (\d+) (\d+) (\d+) (\d+)\n", window.log())[-1])
        self.assertEqual((top, right, bottom), (0, 1280, 800))
        low, high = (float(v) for v in window.wait_for(r"stats: (\S+) to (\S+),").groups())
        for part in (0.25, 0.75):
            since = window.mark()
            with window.held("histogram", part):
                window.wait_for("value held", since)
            window.wait_for("value released", since)
            value = float(window.says(r"\d tooltip (\S+)\n", since)[-1])
            self.assertAlmostEqual((value - low) / (high - low), part, delta=0.02)
        name = window.press("F12", r"screenshot (\S+)\n")[1]
        picture = Picture(self.path(name))
        self.assertEqual((picture.width, picture.height), (1280, 800))
        panel, scene = picture[5, 795], picture[1275, 100]
        self.assertLess(max(panel), 45, "the panel reaches to the foot")
        self.assertGreater(max(scene), max(panel), "the scene is beside it")
        window.quit()

    def pictures(self):
        return [name for name in os.listdir(self.folder) if name.endswith(".png")]

    def test_enlarged_picture(self):
        """It is four times as wide and high as the scene, and the same on average. If cancelled, it leaves no file, and the
        scene as it was."""
        enlarge = ("key", "--delay", "1", "ctrl+shift+p", "4", "space", *"times", "Return")
        window = self.open(size="900x600")
        window.wait_for(DRAWN)
        small = Picture(self.path(window.press("ctrl+F12", r"screenshot (\S+)\n")[1]))
        since = window.mark()
        window.xdo(*enlarge)
        name = window.wait_for(r"screenshot (\S+)\n", since, 300)[1]
        large = Picture(self.path(name))
        self.assertEqual((large.width, large.height), (4 * small.width, 4 * small.height))
        off = []
        for x, y in ((x, y) for y in range(0, small.height, 7) for x in range(0, small.width, 7)):
            blocks = [large[4 * x + i, 4 * y + k] for i in range(4) for k in range(4)]
            off += [abs(sum(block[c] for block in blocks) / 16 - small[x, y][c]) for c in range(3)]
        self.assertLess(sum(off) / len(off), 2)  # of 255: occlusion has other directions at each pixel
        since = window.mark()
        window.xdo("key", "--delay", "1", "ctrl+shift+p", *"panel", "space", *"and", "space", *"backg", "Return")
        cut = Picture(self.path(window.wait_for(r"screenshot (\S+)\n", since)[1]))
        self.assertEqual((cut.width, cut.height, cut.channels), (small.width, small.height, 4))
        self.assertEqual({cut[1, 1][3], cut[cut.width - 2, 1][3]}, {0})
        self.assertIn(255, {cut[x, cut.height // 2][3] for x in range(cut.width)})
        since, before = window.mark(), self.pictures()
        window.xdo(*enlarge, "Escape")
        self.assertTrue(window.wait_for("picture: cancelled", since))
        again = Picture(self.path(window.press("ctrl+F12", r"screenshot (\S+)\n")[1]))
        self.assertEqual(again, small)
        self.assertEqual(len(self.pictures()), len(before) + 1)
        since = window.mark()
        window.xdo(*enlarge)
        while not self.is_titled(window, "of a picture") and not window.says("screenshot", since):
            time.sleep(0.01)  # until it is being drawn
        window.quit()
        self.assertTrue(window.says("screenshot", since), "the window waits for the picture")
        self.assertEqual(len(self.pictures()), len(before) + 2)

    def is_titled(self, window, name):
        search = ["xdotool", "search", "--name", name]
        return subprocess.run(search, env=window.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    def test_a_picture_is_no_slice(self):
        """The window was started in the folder whose slices it shows, where a picture would become a slice."""
        image = self.open(size="900x600")
        name = self.path(image.press("ctrl+F12", r"screenshot (\S+)\n")[1])
        image.quit()
        for i in range(2):
            shutil.copy(name, self.path(f"s{i}.png"))
            self.addCleanup(os.remove, self.path(f"s{i}.png"))
        for file in os.listdir(self.folder):  # the pictures of other tests have other sizes
            if file.endswith(".png") and file not in ("s0.png", "s1.png"):
                os.remove(self.path(file))
        window, before = self.start("."), sorted(os.listdir(self.folder))
        window.rest()  # a fast GPU draws the empty scene before there is a volume
        window.press("ctrl+F12", "part of the volume")
        self.assertEqual([file for file in sorted(os.listdir(self.folder)) if file.endswith(".png")],
                         [file for file in before if file.endswith(".png")])
        window.quit()

    def test_picture(self):
        window = self.open(size=drive.WIDE)
        path = self.path(window.press("F12", r"screenshot (\S+)\n")[1])
        picture = Picture(path)
        self.assertEqual((picture.width, picture.height), (1280, 800))
        self.assertGreater(len({picture[x, 400] for x in range(1280)}), 10)
        if "KEEP" in os.environ:
            shutil.copy(path, os.environ["KEEP"])
        scene = Picture(self.path(window.press("ctrl+F12", r"screenshot (\S+)\n")[1]))
        left, top = window.point("scene", 0, 0)
        self.assertEqual((scene.width, scene.height), (1280 - left, 800 - top))
        window.quit()

    def test_a_fine_drag_tells_the_value_that_it_sets(self):
        """With Shift the value moves a tenth as far as the mouse. The shown value is that one, not the one under the mouse."""
        window = self.open()
        window.click("histogram", FULL, 0.4)
        window.settle()
        begin = float(window.says(FULL, 0)[-1][0])
        window.point_at("histogram", 0.8)
        window.wait_for(r"tooltip \S+\n")
        window.settle()
        under = float(window.says(r"tooltip (\S+)\n", 0)[-1])
        window.point_at("histogram", 0.4)
        window.settle()  # the way there is none of the drag
        window.xdo("keydown", "shift")
        since = window.mark()
        with window.held("histogram", 0.4):
            window.wait_for(r"value held", since)
            window.settle()
            since = window.mark()
            window.point_at("histogram", 0.8)
            window.wait_for(FULL, since)
            window.settle()
            told, made = window.says(r"tooltip (\S+)\n", since)[-1], float(window.says(FULL, since)[-1][0])
        window.xdo("keyup", "shift")
        self.assertEqual(told, f"{made:.5g}")
        self.assertAlmostEqual((made - begin) / (under - begin), 0.1, delta=0.05)
        window.quit()

    def test_values_that_differ_little_have_digits_for_it(self):
        """The panel's values, here those of a pair, the value under the mouse, and what is said about colours."""
        path = self.path("pressure.nrrd")
        with open(path, "wb") as file:
            file.write(b"NRRD0004\ntype: float\ndimension: 3\nsizes: 9 9 9\nencoding: raw\nendian: little\nspace dimension: 3\n"
                       b"space directions: (1,0,0) (0,1,0) (0,0,1)\nspace origin: (500000.25,4649776.5,0)\n\n")
            file.write(struct.pack("<729f", *(101325 + i / 729 for i in range(729))))
        window, _ = super().open(path, "--iso", "101325.25")
        window.press("shift+Insert", r"widget pair \+101325\.25:[\s\S]*step 1: surface at -101325\.25 added\n")
        window.point_at("histogram", 0.6)
        window.wait_for(r"tooltip 101325\.[56]\d*\n")
        window.press("minus", r"step 2: value 101325\.24\d*,-101325\.24\d*\n")
        window.click("tint", "widget tint y: ")
        window.click("tint y", r"tint y from 4649776\.5 to 4649784\.5\n")
        window.drag_by_steps("slice window", (0.2, 0.24), r"slice window 101325\.\d+ 10132[56]\.?\d*\n")
        window.quit()

    def test_a_slider_that_is_held_has_no_tooltip(self):
        """A tooltip would cover what is watched. Next to the panel, level with a held slider, the scene is as if the mouse were
        elsewhere."""
        window = self.open()
        window.press("2", r"slice x on at \d+[\s\S]*?" + DRAWN)
        def beside():
            window.settle()
            picture = Picture(self.path(window.press("F12", r"screenshot (\S+)\n")[1]))
            left, y = window.point("scene", 0)[0], window.point("slice x slider")[1]
            return [picture[x, y] for x in range(left + 8, left + 28)]  # where there is no surface, whose samples would differ
        window.point_at("scene", 0.9, 0.5)
        bare = beside()
        window.point_at("slice x slider")
        self.assertNotEqual(beside(), bare)
        with window.held("slice x slider"):
            self.assertEqual(beside(), bare)
        window.quit()

    def test_the_histogram_is_lit_above_the_value(self):
        window = self.open()
        window.wait_for(DRAWN)
        (left, top), (right, bottom) = window.point("histogram", 0, 0), window.point("histogram", 1, 1)
        for part in (0.3, 0.7):
            window.click("histogram", FULL, part)
            picture = Picture(self.path(window.press("F12", r"screenshot (\S+)\n")[1]))
            lit, dark = ({x for x in range(left, right + 1) for y in range(top, bottom + 1) if picture[x, y] == colour}
                         for colour in ((222, 200, 164), (84, 98, 116)))
            line = window.point("histogram", part)[0]
            self.assertTrue(lit and min(lit) >= line - 2, (part, line, sorted(lit)))
            self.assertTrue(dark and max(dark) <= line + 2, (part, line, sorted(dark)))
        window.quit()

    def test_the_help_has_present_values(self):
        """Another value changes two lines of the green column: the value and the percentage below it."""
        window = self.open()
        pictures = []
        for _ in range(2):
            window.press("h", "help on")
            window.settle()
            pictures.append(Picture(self.path(window.press("F12", r"screenshot (\S+)\n")[1])))
            window.press("h", "help off")
            window.press("equal", FULL)

        def green(picture, x, y):
            red, green, blue = picture[x, y]
            return green > 100 and green > red + 25 and green > blue + 10
        one, other = pictures
        left, top, right, bottom = self.place(window, "help")
        rows = [y for y in range(top, bottom) if any(green(one, x, y) != green(other, x, y) for x in range(left, right))]
        lines = [y for y, above in zip(rows, [-9] + rows) if y - above > 4]
        self.assertEqual(len(lines), 2, rows)
        window.quit()

    def type_value(self, window, text, pattern, widget="value"):
        since = window.mark()
        window.click(widget, "")
        window.settle()
        window.xdo("key", "ctrl+a")
        window.xdo("type", text)
        window.xdo("key", "Return")
        return window.wait_for(pattern, since)

    def value(self, window, since):
        """The value of the last full surface since then, when all has come to rest."""
        window.wait_for(FULL, since)
        window.settle()
        return float(window.says(FULL, since)[-1][0])

    def test_automatic_values(self):
        """A gives the automatic value first, then others, and starts again. A double click on the histogram also gives it."""
        window = self.open("--iso", "31")
        values = [float(window.press("a", FULL)[1])]
        while len(values) < 8 and values[-1] not in values[:-1]:
            values.append(float(window.press("a", FULL)[1]))
        self.assertGreaterEqual(len(set(values)), 3, values)
        self.assertEqual(values[0], values[-1], "once round")
        window.press("equal", FULL)
        for _ in range(10):  # on a slow machine two clicks may be too long apart for a double one, or come in one frame
            since = window.mark()
            window.xdo("mousemove", *window.point("histogram", 0.9), "click", "--repeat", 2, "--delay", 80, 1)
            value = self.value(window, since)
            if value == values[0]:
                break
            window.press("equal", FULL)  # or a click at the same place would change nothing
            window.settle()
        self.assertEqual(value, values[0])
        window.quit()

    def test_steps_end_with_the_range(self):
        window = self.open()
        low, high = map(float, window.wait_for(r"stats: (\S+) to (\S+),").groups())
        for key, end in (("plus", high), ("underscore", low)):
            since = window.mark()
            window.xdo("key", *[key] * 15)
            self.assertEqual(self.value(window, since), end)
        window.quit()

    def test_wheel_on_the_histogram(self):
        """It steps the value; with Control it zooms, so that it and a click move the value by less."""
        window = self.open("--iso", "100")
        window.wait_for(DRAWN)
        low, high = map(float, window.wait_for(r"stats: (\S+) to (\S+),").groups())
        since = window.mark()
        window.point_at("histogram")
        window.xdo("click", 4)
        step = self.value(window, since) - 100
        self.assertAlmostEqual(step, 0.01 * (high - low), delta=0.001 * (high - low))
        for words in ("keydown", "ctrl"), *[("click", 4)] * 8, ("keyup", "ctrl"):  # in frames of their own
            before = window.mark()
            window.xdo(*words)
            window.wait_for(r" rest\n", before)
        window.wait_for("widget histogram all")
        since = window.mark()
        window.xdo("click", 4)
        self.assertLess(self.value(window, since) - 100 - step, 0.3 * step)
        ends = []
        for x in (0.01, 0.99):
            since = window.mark()
            window.click("histogram", FULL, x)
            ends.append(self.value(window, since))
        self.assertLess(ends[1] - ends[0], 0.3 * (high - low))
        since = window.mark()
        window.click("histogram all", "")
        window.settle()
        window.click("histogram", FULL, 0.99)
        self.assertGreater(self.value(window, since), low + 0.9 * (high - low))
        window.quit()

    def test_card(self):
        """A stage's card shows what its rung does; it steps through the ladder, shows the code, and Esc closes it."""
        window = self.open()
        window.press("l", "page lab")
        window.wait_for("widget section Stages")
        window.settle()
        window.click("stage classify", "card classify")
        window.settle()
        window.click("card forward", r"rung classify=\S+")
        window.settle()  # the card is as large as its text
        before = self.place(window, "card")
        window.click("card code", r"widget card: ")
        window.settle()
        after = self.place(window, "card")
        self.assertGreater(after[3] - after[1], before[3] - before[1] + 50)
        window.click("card close", "card closed")
        window.click("stage scan", "card scan")
        window.press("Escape", "card closed")
        window.press("l", "page view")  # which the next window has again
        window.quit()

    def test_each_page_scrolls_by_itself(self):
        window = self.open(size="900x500")
        window.settle()
        window.point_at("section Surface")
        for _ in range(20):
            window.xdo("click", 5)
        window.settle()
        top = self.place(window, "section Surface")[1]
        self.assertLess(top, self.place(window, "tab view")[1])
        window.press("l", "widget section Stages")
        window.settle()
        self.assertGreater(self.place(window, "section Stages")[1], self.place(window, "tab lab")[3])
        window.press("l", "page view")
        window.settle()
        self.assertEqual(self.place(window, "section Surface")[1], top)
        window.quit()

    def test_all_of_the_panel_is_within_it(self):
        """Also beside a scroll bar, which takes room from it, and at another scale."""
        values = "60%,70%,80%,90%"
        for words, size in (((), "1280x800"), (("--ui-scale", "2"), "2560x1440")):
            window = self.open("--iso", values, "--crop", "x=2:", *words, size=size)
            window.settle()
            left, _, right, _ = self.place(window, "section Surface")
            self.assertLess(right, self.place(window, "histogram")[2] - 8, "there is a scroll bar")
            for name in ("surface 0 remove", "measure", "slice x cut", "crop x to", "slice window all", "edges", "box"):
                place = self.place(window, name)
                self.assertTrue(left - 1 <= place[0] and place[2] <= right, (name, place, right))
            window.quit()

    def test_what_stored_values_are_multiplied_by(self):
        """The slope of a NIfTI file is shown in the panel and in info."""
        head = bytearray(352)
        for form, at, *values in (("<i", 0, 348), ("<4h", 40, 3, 8, 8, 8), ("<2h", 70, 2, 8), ("<4f", 76, 1, 1, 1, 1),
                                  ("<3f", 108, 352, 1653, -0.5), ("4s", 344, b"n+1\0")):
            struct.pack_into(form, head, at, *values)
        self.volume = self.path("scaled.nii")
        with open(self.volume, "wb") as file:
            file.write(head + bytes(i % 251 for i in range(512)))
        told = json.loads(self.run_program("info", self.volume, "--json").stdout)
        self.assertEqual((told["slope"], told["intercept"], told["max"]), (1653, -0.5, 250 * 1653 - 0.5))
        self.assertNotIn("slope", self.run_program("info", "--synth", "torus", "--size", "8").stdout)
        window = self.open()
        self.assertIsNotNone(window.wait_for(r"widget value = 1653 x stored - 0\.5: "))
        window.quit()

    def test_messages_leave_the_panel_in_sight(self):
        """In a window too narrow for both, where the panel is a line over the scene or lies over a part of it."""
        os.makedirs(self.path("two"))
        self.volume = shutil.copy(self.volume, self.path("two/z.nrrd"))
        with open(self.path("two/a.nrrd"), "w") as file:
            file.write("NRRD0004\n")
        window = self.open(size="640x400")
        window.press("Prior", r"widget error: ")
        window.settle()
        self.assertGreaterEqual(self.place(window, "error")[1], self.place(window, "line")[3])
        window.press("p", "panel off")
        window.press("p", "panel full over the scene")
        window.settle()
        self.assertGreaterEqual(self.place(window, "error")[0], self.place(window, "histogram")[2])
        window.quit()

    def test_page_shows_the_panel(self):
        """If the panel is a line or off, opening a page shows the panel."""
        window = self.open()
        window.press("p", "panel one line")
        window.press("p", "panel off")
        since = window.mark()
        window.press("l", r"page lab\n.*panel full\n")
        window.wait_for("widget section Stages", since)
        since = window.mark()
        window.press("l", "page view")
        window.settle()
        self.assertFalse(window.says("panel ", since), "it is there already")
        window.quit()

    def test_pages(self):
        """L and the tabs change the page, which the next window has again; rung keys work on both; the footer stays."""
        window = self.open()
        window.wait_for("widget section Slices")
        window.press("x", "rung fused")
        window.press("l", "page lab")
        window.wait_for("widget section Stages")
        window.press("x", "rung fused")
        self.assertLess(self.place(window, "hints")[3], 800)
        window.quit()
        window = self.open()
        window.wait_for("widget section Stages")
        window.settle()  # a panel that has just opened is still to find its place
        window.click("tab view", "page view")
        window.wait_for("widget section Slices")
        window.settle()
        below = self.place(window, "section Look")[1]
        window.click("section Slices", r"widget section Look", 0.5)
        window.settle()
        self.assertLess(self.place(window, "section Look")[1], below - 30, "Slices are folded")
        window.quit()

    def test_a_percentage_that_no_value_has(self):
        path = self.path("zeros_20x20x20_uint8.raw")
        with open(path, "wb") as file:
            file.write(bytes(6000) + bytes(range(1, 201)) * 10)  # three quarters are 0
        window, _ = super().open(path, "--iso", "50")
        found = self.type_value(window, "30", rf" 75 % are below, not 30 %\n[\s\S]*{FULL}", "percent")
        self.assertAlmostEqual(float(found[1]), 0.2, 6)
        since = window.mark()
        self.type_value(window, "80", FULL, "percent")
        window.settle()
        self.assertFalse(window.says("are below, not", since))
        window.quit()

    def test_typed_values(self):
        """Also taps that are shorter than a frame, percentages, and a comma for the dot."""
        window = self.open()
        window.wait_for(DRAWN)
        for i in range(5):
            window.click("value", "")
            window.settle()  # the field has the keyboard
            window.xdo("key", "--delay", "1", "1", str(i + 1), "period", "5", "Return")  # all in about one frame
            window.wait_for(rf"iso 1{i + 1}\.5: ")
        self.type_value(window, "12,25", r"iso 12\.25: ")
        low = float(self.type_value(window, "50%", FULL)[1])
        high = float(self.type_value(window, "95 %", FULL)[1])
        self.assertLess(low, high)
        self.type_value(window, "95,5", FULL, "percent")
        since = window.mark()
        self.type_value(window, "much", "notice: 'much' is ")
        self.type_value(window, "95,5x", "notice: '95[.,]5x' is ", "percent")
        self.type_value(window, "101%", "notice: '101%' is ")
        self.type_value(window, "100,1", "notice: '100[.,]1' is ", "percent")
        before = window.mark()
        window.click("sigma", "", modifier="ctrl")
        window.settle()
        window.xdo("type", "q")  # no letter of a number, which Dear ImGui drops
        window.wait_for("notice: a field for a number takes", before)
        window.xdo("key", "Escape")
        window.settle()
        self.assertFalse(window.says(FULL, since), "nothing was set")
        window.quit()

    def test_a_tooltip_covers_no_row(self):
        """There is a tooltip, but in the panel only the control under the mouse changes, not its row or its neighbours."""
        window = self.open()
        window.rest()
        left, top, right, bottom = self.place(window, "measure")
        pictures = []
        for at in ("scene", "measure"):
            window.point_at(at)
            window.settle()
            pictures.append(Picture(self.path(window.press("F12", r"screenshot (\S+)\n")[1])))
        plain, hovered = pictures
        edge = self.place(window, "scene")[0]
        self.assertTrue(any(plain[x, y] != hovered[x, y] for x in range(edge, edge + 200) for y in range(top, bottom)))
        changed = [(x, y) for x in range(edge) for y in range(top - 100, bottom + 100) if plain[x, y] != hovered[x, y]]
        self.assertFalse([at for at in changed if not (left <= at[0] <= right and top <= at[1] <= bottom)])
        window.quit()

    def test_a_caret_costs_little(self):
        """An open text field blinks; it does not draw as fast as it can. After some seconds the caret stands still."""
        window = self.open()
        window.wait_for(DRAWN)
        window.rest()  # before, pictures would be drawn meanwhile
        window.click("value", "")
        window.settle()
        before = self.ticks(window)
        time.sleep(4)
        self.assertLess(self.ticks(window) - before, 0.5 * 4 * os.sysconf("SC_CLK_TCK"), "half a core")
        time.sleep(3)
        before = self.ticks(window)
        time.sleep(3)
        self.assertLessEqual(self.ticks(window) - before, 1, "nothing is drawn")
        window.quit()

    def test_a_mouse_that_rests_on_nothing_costs_little(self):
        """Over the scene nothing looks different while the mouse moves, so nothing is drawn: a frame takes 20 ms."""
        window = self.open()
        window.point_at("scene")
        window.rest()
        x, y = window.point("scene")
        words = [word for i in range(200) for word in ("mousemove", x + i % 40, y, "sleep", 0.01)]
        before = self.ticks(window)
        window.xdo(*words)
        self.assertLess(self.ticks(window) - before, 0.5 * 2 * os.sysconf("SC_CLK_TCK"), "half a core")
        window.quit()

    def ticks(self, window):
        """Processor time of the program so far."""
        with open(f"/proc/{window.process.pid}/stat") as file:
            return sum(map(int, file.read().rpartition(")")[2].split()[11:13]))

    def test_the_label_goes_with_its_surface(self):
        window = self.open("--smooth", "0.5")
        for key in ("equal", "d"):
            window.rest()  # the scene lies elsewhere until the panel is there
            window.click("scene", "probe surface")
            window.press(key, "probe gone")
        window.press("6", "slice z on")
        window.quit()

    def test_keys_of_other_alphabets(self):
        """A Cyrillic layout has other letters. Keys are those at the same place on a US keyboard."""
        if drive.as_is or not shutil.which("setxkbmap"):
            self.skipTest("no setxkbmap, or somebody's own keyboard")
        window = self.open()
        window.wait_for(DRAWN)
        subprocess.run(["setxkbmap", "ru"], env=window.environment, check=True)
        self.addCleanup(subprocess.run, ["setxkbmap", "us"], env=window.environment)
        for key, says in (("Cyrillic_tse", "wireframe on"), ("1", "view 0 0"), ("Cyrillic_che", "rung fused")):
            window.press(key, says)
        window.xdo("key", "ctrl+Cyrillic_shorti")
        window.ends(drive.OK)

    def hold(self, window, key, until):
        """Holds a key for twice the server's repeat delay of 660 ms, or until the log matches."""
        since = window.mark()
        window.xdo("keydown", key)
        if until:
            window.wait_for(until, since)
        else:
            time.sleep(1.3)
        window.xdo("keyup", key)
        window.press("7", "view ")  # all events before this one have been handled
        return since

    def test_held_keys_repeat_only_where_they_step(self):
        window = self.open()
        self.hold(window, "equal", rf"({FULL}[\s\S]*){{4}}")
        self.hold(window, "bracketright", r"(percent [\s\S]*){4}")
        for key, says in (("w", "wireframe "), ("F12", "screenshot "), ("F11", "full screen ")):
            window.settle()
            since = self.hold(window, key, None)
            window.wait_for(says, since)  # a picture may come after all events
            window.settle()
            self.assertEqual(len(window.says(says, since)), 1, key)
        window.quit()

    def place(self, window, widget):
        return *window.point(widget, 0, 0), *window.point(widget, 1, 1)

    def check_narrow(self, *words, size):
        """If panel and scene do not fit side by side, the panel is a line, or on demand lies over the scene."""
        window = self.open(*words, size=size)
        width, height = map(int, size.split("x"))
        window.wait_for(DRAWN)
        picture = Picture(self.path(window.press("ctrl+F12", r"screenshot (\S+)\n")[1]))
        self.assertEqual((picture.width, picture.height), (width, height))
        window.press("p", r"panel off")
        window.press("p", r"panel full over the scene")
        window.wait_for(r"widget histogram")
        window.settle()
        left, _, right, _ = self.place(window, "histogram")
        self.assertTrue(0 <= left < right < width, (left, right))
        self.assertEqual(len(window.says(r"widget scene", 0)), 1, "the scene keeps its place")
        window.click("histogram", FULL, 0.7)
        window.press("p", r"panel one line")
        window.quit()

    def test_the_window_grows_with_its_text(self):
        window = self.open("--ui-scale", "3", size=None)
        picture = Picture(self.path(window.press("F12", r"screenshot (\S+)\n")[1]))
        self.assertGreater(picture.width, 1280)
        self.assertGreater(picture.height, 800)
        window.quit()

    def test_a_panel_wider_than_the_window(self):
        self.check_narrow("--ui-scale", "2.5", size="1120x800")

    def test_a_window_as_narrow_as_the_panel(self):
        self.check_narrow(size="440x600")

    def test_the_help_lies_in_the_window(self):
        for size, scale in (("1280x800", "1"), ("640x400", "1"), ("400x300", "2")):
            window = self.open("--ui-scale", scale, size=size)
            width, height = map(int, size.split("x"))
            window.press("h", r"widget help:")
            window.settle()
            left, top, right, bottom = self.place(window, "help")
            self.assertTrue(0 <= left and 0 <= top and right < width and bottom < height, (left, top, right, bottom))
            self.assertLessEqual(abs(left - (width - right)), 4, "it stands in the middle of the window")
            if size == "1280x800": self.assertLess(bottom - top, height - 16, "all of it is in sight: it does not scroll")
            window.press("h", "help off")
            window.quit()

    def test_the_help_finds_keys(self):
        window = self.open()
        window.press("h", r"widget help:")
        window.settle()
        (_, top, _, bottom), field = self.place(window, "help"), self.place(window, "help filter")
        window.xdo("key", "slash")
        window.settle()
        window.xdo("type", "opacity")  # with letters that are keys
        window.settle("Shift_L")
        _, above, _, below = self.place(window, "help")
        self.assertLess(below - above, 0.3 * (bottom - top), "few rows are left")
        self.assertEqual(self.place(window, "help filter")[1], field[1], "the field stays where it is")
        window.xdo("type", "zzz")
        window.settle("Shift_L")
        self.assertGreater(below - above, self.place(window, "help")[3] - above, "what the palette calls translucent was found")
        self.assertFalse(window.says(r" rung | panel one|translucent", 0))
        window.xdo("key", "Escape")  # leaves the field
        window.settle()
        window.press("Escape", "help off")
        window.quit()

    def test_what_is_held_is_released_when_the_panel_goes(self):
        window = self.open()
        for widget, what in (("histogram", "value"), ("sigma", "value"), ("slice y slider", "slice")):
            since = window.mark()
            with window.held(widget):
                window.wait_for(rf"{what} held", since)
                window.press("p", rf"{what} released")
            window.press("p", "panel off")
            window.press("p", "panel full")
            window.settle()  # a panel takes no press before it has been drawn
        window.quit()


if __name__ == "__main__":
    drive.main()
