#!/usr/bin/env python3
"""The real window: slider, keys, screenshots, sizes. Usage: test_window.py ISOSCOPE [VOLUME]; drive.py has more."""
import os
import re
import shutil
import time

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
        values = window.says(FULL, window.drag_value())
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
                          ("w", "wireframe off"), ("7", "view "), ("f", "fit"), ("p", "panel one line"), ("p", "panel off"),
                          ("p", "panel full")):
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

    def test_picture(self):
        window = self.open()
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
            window.xdo("key", "h")
            window.settle()
            pictures.append(Picture(self.path(window.press("F12", r"screenshot (\S+)\n")[1])))
            window.xdo("key", "h")
            window.press("equal", FULL)

        def green(picture, x, y):
            red, green, blue = picture[x, y]
            return green > red + 25 and green > blue + 10
        one, other = pictures
        rows = [y for y in range(one.height) if any(green(one, x, y) != green(other, x, y) for x in range(one.width))]
        lines = [y for y, above in zip(rows, [-9] + rows) if y - above > 4]
        self.assertEqual(len(lines), 2, rows)
        window.quit()

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
            since = self.hold(window, key, None)
            self.assertEqual(len(window.says(says, since)), 1, key)
        window.quit()

    def check_without_a_scene(self, *words, size):
        """A panel that fills the window does not stop loading; the scene appears when the panel is hidden."""
        window = self.open(*words, size=size)
        picture = Picture(self.path(window.press("F12", r"screenshot (\S+)\n")[1]))
        left, top, right, bottom = map(int, re.findall(r"widget scene: (\d+) (\d+) (\d+) (\d+)\n", window.log())[-1])
        self.assertEqual((picture.width, picture.height), (right, bottom))
        self.assertEqual(left, right)
        self.assertGreater(len({picture[x, y] for x in range(right) for y in range(100)}), 10)  # text
        self.assertFalse(window.says(DRAWN, re.search(FULL, window.log()).end()))
        window.press("equal", FULL)
        window.press("ctrl+F12", "no scene")
        since = window.mark()
        window.press("p", r"panel one line[\s\S]*widget scene: 0 ")
        window.wait_for(DRAWN, since)
        window.quit()
        return right, bottom

    def test_the_window_grows_with_its_text(self):
        window = self.open("--ui-scale", "3", size=None)
        picture = Picture(self.path(window.press("F12", r"screenshot (\S+)\n")[1]))
        self.assertGreater(picture.width, 1280)
        self.assertGreater(picture.height, 800)
        window.quit()

    def test_a_panel_wider_than_the_window(self):
        self.assertEqual(self.check_without_a_scene("--ui-scale", "3", size="1280x800"), (1280, 800))

    def test_a_window_as_narrow_as_the_panel(self):
        self.assertEqual(self.check_without_a_scene(size="400x300"), (400, 300))

    def test_what_is_held_is_released_when_the_panel_goes(self):
        window = self.open()
        for widget, what in (("histogram", "value"), ("sigma", "value"), ("slice y slider", "slice")):
            since = window.mark()
            with window.held(widget):
                window.wait_for(rf"{what} held", since)
                window.press("p", rf"{what} released")
            window.press("p", "panel off")
            window.press("p", "panel full")
        window.quit()


if __name__ == "__main__":
    drive.main()
