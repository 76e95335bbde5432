#!/usr/bin/env python3
"""Habits of the desktop in the window: the palette. Usage: test_habits.py ISOSCOPE"""
import drive
from drive import DRAWN, FULL, WindowTest


class Habits(WindowTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.volume = cls.synth("metaballs", 40)

    def open(self, *words, **options):
        window, _ = super().open(self.volume, *words, **options)
        window.wait_for(DRAWN)
        return window

    # ---- palette -------------------------------------------------------------------------------------------------------

    def palette(self, window, *keys):
        """Opens the palette and presses keys, all in one go: what is typed before it is drawn counts, too."""
        window.xdo("key", "--delay", "1", "ctrl+shift+p", *keys)

    def test_palette(self):
        window = self.open()
        self.palette(window, *"triangle", "space", *"edg", "Return")
        window.wait_for("wireframe on")
        self.palette(window, *"jade", "Return")
        window.wait_for("shading jade")
        self.palette(window, *"vftr", "Return")
        window.wait_for("view 90 0")
        since = window.mark()
        self.palette(window, *"wq", "BackSpace", "BackSpace", *"next", "space", *"shad", "Return")
        window.wait_for("palette runs 'next shading mode'", since)
        self.assertFalse(window.says(r"wireframe|palette runs 'q", since), "letters are no keys while words are typed")
        window.quit()

    def test_palette_arrows_and_mouse(self):
        window = self.open()
        since = window.mark()
        self.palette(window, *"shading", "space", *"mode", "Down", "Up", "Up", "Return")
        window.wait_for("palette runs 'previous shading mode'", since)  # the last of two
        self.palette(window, *"shading:", "space")
        window.settle()
        window.click("palette 1", "palette runs 'shading: matcap'")
        since = window.mark()
        window.press("ctrl+shift+p", "palette on")
        window.press("Escape", "palette off")
        window.press("w", "wireframe on")
        self.assertFalse(window.says("palette runs", since))
        window.quit()

    def test_palette_says_why_not(self):
        window = self.open()
        since = window.mark()
        self.palette(window, *"slices", "space", *"up", "space", *"ten", "Return")
        window.settle()
        self.assertFalse(window.says("palette runs", since))
        window.press("Escape", "palette off")
        window.press("2", "slice x on")
        self.palette(window, *"slices", "space", *"up", "space", *"ten", "Return")
        window.wait_for("slice x on at 29", since)
        window.quit()


if __name__ == "__main__":
    drive.main()
