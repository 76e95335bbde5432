#!/usr/bin/env python3
"""Boxes over the scene: the help, the list of files, the box for RAW files. Usage: test_boxes.py ISOSCOPE; drive.py has
more."""
import os
import shutil
from unittest import mock

import drive
from picture import Picture

SMALL = "800x600"
AT = r"help at (\d+) of (\d+)\n"


class Boxes(drive.WindowTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sphere = cls.synth("sphere", 24, "a.nrrd")
        cls.synth("torus", 24, "b.nrrd")
        os.mkdir(cls.path("programs"))  # a desktop without a dialog for files
        os.symlink(shutil.which("xdotool"), cls.path("programs/xdotool"))

    def drawn(self, *words, **more):
        window, _ = self.open(*words, **more)
        window.rest()
        return window

    def with_list(self, *words, **more):
        """A window on a desktop where our own list stands in for a dialog for files."""
        with mock.patch.dict(os.environ, PATH=self.path("programs")):
            return self.drawn(*words, **more)

    def help_at(self, window, key):
        """How far the help is scrolled after a key, and how far it can be."""
        found = window.press(key, AT)
        window.settle()
        return int(found[1]), int(found[2])

    def test_keys_scroll_the_help(self):
        """While it is open, they do nothing behind it."""
        window = self.drawn(self.sphere, size=SMALL)
        window.press("F1", r"widget help:")
        window.settle()
        since = window.mark()
        page, end = self.help_at(window, "Next")
        self.assertTrue(100 < page < end, (page, end))
        self.assertEqual(self.help_at(window, "End"), (end, end))
        self.assertEqual(self.help_at(window, "Next"), (end, end))
        row, _ = self.help_at(window, "Up")
        self.assertTrue(0 < end - row < 50, (row, end))
        self.assertEqual(self.help_at(window, "Down"), (end, end))
        self.assertEqual(self.help_at(window, "Prior"), (end - page, end))
        self.assertEqual(self.help_at(window, "Home"), (0, end))
        window.press("slash", "")
        window.settle()  # the filter's field has the keyboard
        window.xdo("key", "End")  # which moves its caret
        self.assertEqual(self.help_at(window, "Next"), (page, end))
        self.assertFalse(window.says(r"load |open |card|rung|fit |not now", since))
        window.xdo("key", "Escape")  # leaves the field
        window.settle()
        window.press("Escape", "help off")
        window.press("Next", r"load b\.nrrd")
        window.quit()

    def test_a_box_takes_the_place_of_the_help(self):
        """The keys are its then; help that is opened above a box has them until it is closed."""
        window = self.with_list(self.sphere, size=SMALL)
        window.press("F1", r"widget help:")
        window.press("ctrl+o", r"browse /")
        self.assertTrue(window.says("help off", 0))
        window.settle()
        window.press("F1", "help on")
        window.settle()
        self.help_at(window, "Next")
        window.press("Escape", "help off")
        window.settle()
        window.press("b", r"browse finds 'b'")
        window.press("Return", r"load b\.nrrd")
        window.quit()

    def asked(self, *words, **more):
        """A window with the box for a RAW file of 64^3 voxels, whose name has no shape."""
        os.makedirs(self.path("raws"), exist_ok=True)
        with open(self.path("raws/cube.raw"), "wb") as file:
            file.write(bytes(range(256)) * 1024)
        window = self.start(self.path("raws/cube.raw"), *words, "--size", more.get("size", SMALL))
        if not drive.Window.wait_for(window, "widget import open") and window.process.returncode == drive.NO_GL:
            self.skipTest(window.log())
        window.settle()
        return window

    def test_arrows_are_the_fields(self):
        """Where a field has the keyboard, they move its caret; they neither choose rungs nor open other files."""
        window = self.drawn(self.sphere)
        window.click("value", "")
        window.settle()
        window.xdo("key", "ctrl+a")
        window.settle("Shift_L")
        since = window.mark()
        for key in ("1", "Left", "Right", "Up", "Down", "Next", "Prior", "End"):
            window.xdo("key", key)
            window.settle("Shift_L")
        self.assertFalse(window.says(r"(?:rung|row|load|open) ", since), window.log(since))
        window.quit()

    def test_enter_takes_a_type_from_its_list(self):
        """A second Enter opens the file."""
        window = self.asked()
        since = window.mark()
        window.click("import type uint8", "widget import types:")
        window.xdo("key", "Down")
        window.press("Return", r"widget import type int8:")
        window.settle()
        self.assertFalse(window.says("open |load ", since))
        window.press("Return", r"load cube\.raw: 64x64x64 int8")
        window.quit()

    def test_the_buttons_of_the_raw_box_are_in_sight(self):
        """Its picture gets smaller, and what is above the buttons scrolls, but they stay."""
        for size in (SMALL, "500x300"):
            window = self.asked("--ui-scale", "2", size=size)
            for name in ("import", "import cancel", "import open"):
                left, top, right, bottom = *window.point(name, 0, 0), *window.point(name, 1, 1)
                width, height = map(int, size.split("x"))
                self.assertTrue(0 <= left < right < width and 0 <= top < bottom < height, (size, name, top, bottom))
            window.click("import open", r"load cube\.raw: 64x64x64")
            window.quit()

    def test_no_tooltip_lies_over_a_box(self):
        """The mouse rests on a control, or on nothing, while a key opens the box."""
        window = self.with_list(self.sphere, size=SMALL)
        for key in ("F1", "ctrl+shift+p", "ctrl+o"):
            pictures = []
            for at in ("hints", "measure"):
                window.point_at(at)
                window.settle()
                window.press(key, "help on|palette on|browse /")
                window.settle()
                pictures.append(Picture(self.path(window.press("F12", r"screenshot (\S+)\n")[1])))
                window.xdo("key", "Escape")
                window.settle()
            without, resting = pictures
            edge = window.point("scene", 0, 0)[0]
            self.assertTrue(all(without[x, y] == resting[x, y] for x in range(edge, 800) for y in range(500)), key)
        window.quit()


if __name__ == "__main__":
    drive.main()
