#!/usr/bin/env python3
"""Orientation and scale in the window: movements of the camera, gizmo, box and scale bar. Usage: test_scene.py ISOSCOPE;
drive.py has more."""
import time

import drive
from drive import DRAWN
from picture import Picture


class Scene(drive.WindowTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.volume = cls.synth("metaballs", 32)  # drawn in a few milliseconds, so that movements are smooth

    def open(self, *words, volume=None, size="1280x800"):
        window, first = super().open(volume or self.volume, *words, size=size)
        window.wait_for(DRAWN, first.end())
        window.settle()
        return window

    def scene(self, window):
        """The picture without the panel, and without what is written over the scene."""
        return Picture(self.path(window.press("ctrl+F12", r"screenshot (\S+)\n")[1]))

    def test_views_are_reached_smoothly(self):
        """Several drawings lead to the view, in a fifth of a second; then nothing is drawn any more."""
        window = self.open()
        begin = time.time()
        for key, says in (("7", "view 0 90"), ("3", "view 90 0"), ("1", "view 0 0")):
            moved = window.mark()
            window.press(key, says)
            self.assertGreaterEqual(len(window.says(DRAWN, moved)), 3, key)
        self.assertGreater(time.time() - begin, 0.6)
        window.settle()
        rested = window.mark()
        time.sleep(1)
        self.assertFalse(window.log(rested))
        since = window.mark()
        window.press("1", "view 0 0")
        window.xdo("key", "--delay", "1", "7", "f")  # one movement to both
        window.wait_for(r"view 0 90\n[^\n]*fit\n[\s\S]*" + DRAWN, since)
        window.quit()

    def test_what_is_asked_for_in_a_movement_is_reached(self):
        """The picture after two hasty keys is that after each had come to its end; a wheel ends a movement."""
        window = self.open()
        for key, says in (("3", "view 90 0"), ("f", "fit")):
            window.press(key, says)
        slow = self.scene(window)
        since = window.mark()
        window.press("7", "view 0 90")
        window.xdo("key", "--delay", "1", "3", "f")
        window.wait_for(r"view 90 0\n[^\n]*fit\n", since)
        self.assertEqual(self.scene(window).rows, slow.rows)
        window.point_at("scene")
        since = window.mark()
        window.xdo("key", "--delay", "1", "7", "click", "4")
        window.wait_for(DRAWN, since)
        window.settle()
        self.assertNotIn("view 0 90", window.log(since))
        window.quit()

    def test_perspective_and_orthographic(self):
        """The key and the switch do the same; `render` has the same picture."""
        window = self.open("--azimuth", "35", "--elevation", "20")
        perspective = self.scene(window)
        window.press("5", "orthographic on")
        window.press("f", "fit")
        parallel = self.scene(window)
        self.assertNotEqual(parallel.rows, perspective.rows)
        size = f"{parallel.width}x{parallel.height}"
        for words, picture in (((), perspective), (("--orthographic",), parallel)):
            made = Picture(self.render("r.png", self.volume, "--azimuth", "35", "--elevation", "20", "--size", size, *words))
            differ = sum(a != b for one, other in zip(made.rows, picture.rows) for a, b in zip(one, other))
            self.assertLess(differ, 0.01 * 3 * made.width * made.height, words)
        window.click("orthographic", "orthographic off", 0.2)
        window.quit()


if __name__ == "__main__":
    drive.main()
