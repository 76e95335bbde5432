#!/usr/bin/env python3
"""Smoothing in the window: by key, by slider, by option; cancelled by Esc, by another sigma and by quitting. Runs on
the CPU, which smooths in the worker. Usage: test_smooth.py ISOSCOPE; drive.py has more."""
import re

import drive
from drive import FULL


class Window(drive.WindowTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.small, cls.large = cls.synth("metaballs", 48, "small.nrrd"), cls.synth("metaballs", 112, "large.nrrd")

    def open(self, *words):
        return super().open(*words, "--iso", "84.5", "--backend", "cpu")

    def count(self, volume, *words):
        return self.info(volume, *words)["triangles"]

    def test_keys(self):
        window, first = self.open(self.small)
        triangles = {0: int(first[2])}
        for key, sigma in (("d", 0.5), ("d", 1), ("d", 1.5), ("shift+d", 1), ("shift+d", 0.5), ("shift+d", 0)):
            found = window.press(key, rf"smooth sigma {sigma}: [\s\S]*?stats: [\s\S]*?{FULL}")
            self.assertEqual(found[1], "84.5", "the value stays where it is")
            self.assertEqual(triangles.setdefault(sigma, int(found[2])), int(found[2]), f"sigma {sigma} again")
        self.assertEqual(len(set(triangles.values())), 4, triangles)
        for sigma, count in triangles.items():
            self.assertEqual(self.count(self.small, "--iso", "84.5", "--smooth", str(sigma)), count, f"sigma {sigma}")
        window.quit()

    def test_contours_are_made_again(self):
        window, _ = self.open(self.small)
        window.press("4", r"slices: \d+ \d+ \d+ segments")
        window.press("d", r"smooth sigma 0\.5: [\s\S]*?slices: \d+ \d+ \d+ segments")
        window.quit()

    def test_slider(self):
        """Smoothing follows the slider while the mouse is held: each place has a sigma of its own."""
        window, _ = self.open(self.small)
        window.settle()  # the panel stays where it is from now on
        since = window.mark()
        with window.held("sigma", 0.03):
            for place in (0.12, 0.21, 0.3, 0.39, 0.48):
                moved = window.mark()
                window.point_at("sigma", place)
                window.wait_for(r" sigma \S+\n", moved)
        window.wait_for(r"value released", since)
        asked = window.says(r" sigma (\S+)\n", since)
        self.assertGreater(len(set(asked)), 3)
        self.assertTrue(1.5 < float(asked[-1]) < 3.5, asked)
        window.wait_for(rf"smooth sigma {re.escape(asked[-1])}: [\s\S]*?{FULL}", since)
        window.quit()

    def test_option(self):
        window, first = self.open(self.small, "--smooth", "1.25")
        self.assertEqual(int(first[2]), self.count(self.small, "--smooth", "1.25", "--iso", "84.5"))
        self.assertEqual(window.press("b", rf"rung bricks=[\s\S]*?{FULL}")[2], first[2], "another rung")
        window.quit()

    def test_length_stays_one(self):
        """A sigma given as a length stays one, in voxels of each axis, with another sigma and after the file is read again."""
        words = ("--spacing", "1,1,2.5", "--smooth", "2mm")
        window, first = self.open(self.small, *words, "--watch")
        self.assertEqual(int(first[2]), self.count(self.small, *words, "--iso", "84.5"))
        self.assertNotEqual(int(first[2]), self.count(self.small, "--smooth", "2", "--iso", "84.5"))
        found = window.press("d", rf"smooth sigma 2.5: [\s\S]*?{FULL}")
        with open(self.small, "rb") as file:
            bytes_now = file.read()
        since = window.mark()
        with open(self.small, "wb") as file:  # the same again: later
            file.write(bytes_now)
        again = window.wait_for(rf"smooth sigma 2.5: [\s\S]*?{FULL}", since)
        self.assertEqual(again[2], found[2])
        self.assertEqual(int(found[2]), self.count(self.small, "--spacing", "1,1,2.5", "--smooth", "2.5mm", "--iso", "84.5"))
        window.quit()

    def test_cancel(self):
        """The textbook rung takes a minute on one core for a large sigma and is certainly still at work."""
        window, _ = self.open(self.large, "--rung", "gaussian=naive", "--threads", "1")
        since = window.mark()
        for _ in range(10):
            window.xdo("key", "d")
        window.wait_for(r"sigma 5\n[\s\S]*work: smoothing, frame [^\n]* \d+ %", since)
        self.assertNotIn("smooth sigma 5", window.log(since))
        window.press("w", r"wireframe on")  # the window responds meanwhile
        sigma = float(window.press("Escape", r"smooth stays at sigma (\S+)\n")[1])
        self.assertLess(sigma, 5)
        while sigma > 0:
            sigma -= 0.5
            window.press("shift+d", rf" sigma {sigma:g}\n")
        window.settle()  # a surface that comes later is that of the key
        window.press("equal", FULL)
        window.settle()
        found = window.press("minus", FULL)
        self.assertEqual(int(found[2]), self.count(self.large, "--iso", found[1]), "no smoothing is left")

        since = window.mark()
        for _ in range(10):
            window.xdo("key", "d")
        window.wait_for(r"sigma 5\n[\s\S]*work: smoothing", since)
        window.quit()


if __name__ == "__main__":
    drive.main()
