#!/usr/bin/env python3
"""Habits of the desktop in the window: the palette. Usage: test_habits.py ISOSCOPE"""
import drive
from drive import DRAWN, FULL, WindowTest
from picture import Picture


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

    # ---- undo ----------------------------------------------------------------------------------------------------------

    def test_undo_of_everything(self):
        """A step each for value, smoothing, look, slices, cuts, up and view; undone one by one and done again."""
        window = self.open()
        first = window.says(FULL, 0)[-1][0]
        steps = [("equal", FULL, "value "), ("d", "sigma 0.5", "smoothing 0.5"), ("m", "shading matcap", "shading matcap"),
                 ("w", "wireframe on", "triangle edges on"), ("y", "translucent on", "opacity 0.4"), ("j", "caps on", "caps on"),
                 ("2", "slice x on", "slices x=19"), ("ctrl+2", "slice x cuts", r"slices x=19[+-]"),
                 ("k", "knife on", "cut across the view"), ("v", "box on", "box on"), ("u", r"up \+y", r"up \+y"),
                 ("x", "rung fused", "rung fused="), ("3", "view 90 0", "view")]
        for i, (key, says, step) in enumerate(steps):
            since = window.mark()
            window.press(key, says)
            window.wait_for(rf"step {i + 1}: {step}", since)
        window.settle()
        shot = self.scene(window)
        for i in reversed(range(len(steps))):
            window.press("ctrl+z", rf"undo to step {i}: ")
        window.wait_for(DRAWN)
        window.settle()
        since = window.mark()
        window.press("ctrl+z", "")
        window.settle()
        self.assertFalse(window.says(r"undo to|redo to|step \d+:", since), "nothing is left to undo, and undoing is no step")
        self.assertEqual(window.says(FULL, 0)[-1][0], first)
        for i in range(len(steps)):
            window.press("ctrl+y" if i % 2 else "ctrl+shift+z", rf"redo to step {i + 1}: ")
        window.settle()
        self.assertEqual(shot.rows, self.scene(window).rows)
        window.press("ctrl+z", "undo to")
        window.press("w", "wireframe off")
        window.wait_for(rf"step {len(steps)}: triangle edges off")
        since = window.mark()
        window.press("ctrl+y", "")
        window.settle()
        self.assertFalse(window.says("redo to", since), "what was undone is gone once something else is set")
        window.quit()

    def scene(self, window):
        return Picture(self.path(window.press("ctrl+F12", r"screenshot (\S+)\n")[1]))

    def test_a_movement_is_one_step(self):
        """A drag of the value, a drag of the view, a run of the wheel and a key pressed quickly are a step each."""
        window = self.open()
        since = window.drag_value(0.8)
        window.wait_for("step 1: value", since)
        since = window.drag("scene", 0.4, 0.6, 0.5)
        window.wait_for("step 2: view", since)
        window.xdo("click", "--repeat", 6, "--delay", 30, 4)
        window.wait_for("step 3: view", since)
        window.xdo("key", "--delay", 30, *["equal"] * 5)
        window.wait_for("step 4: value", since)
        window.settle()
        self.assertEqual(len(window.says(r"step \d+:", 0)), 4)
        values = [value for value, _, _ in window.says(FULL, 0)]
        since = window.mark()
        window.press("ctrl+z", "undo to step 3: value")
        window.settle()
        self.assertNotEqual(values[-1], window.says(r"iso (\S+):", since)[-1])
        window.quit()


if __name__ == "__main__":
    drive.main()
