#!/usr/bin/env python3
"""The window while it works, on the CPU. A coarse surface follows the drag, and the full one comes after it. A new value, Esc and
quitting cancel work. A file is read while the window draws. Checks what happened and in which order; rates and times are only
printed. LIVE_SIZE: voxels along an axis.
Usage: test_live.py ISOSCOPE [VOLUME]; drive.py has more."""
import bz2
import os
import random
import re

import drive
from drive import DRAWN, FAILED, FULL, OK
from picture import Picture

COARSE = r"coarse 1/\d+ at (\S+): (\d+) triangles"


def events(log):
    """(seconds, what) of all surfaces, and of the value being held and released."""
    return [(float(m[1]), m[2]) for m in re.finditer(r"^ *(\d+\.\d+) (coarse|iso|value held|value released)", log, re.M)]


class Surfaces(drive.WindowTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.volume = drive.volume or cls.synth("metaballs", int(os.environ.get("LIVE_SIZE", "384")))

    def open(self):
        window, _ = super().open(self.volume, "--backend", "cpu")
        window.wait_for(FULL + r"[\s\S]*?" + DRAWN)
        return window

    def check_drag(self, window):
        since = window.drag_by_steps("histogram", [0.2 + 0.05 * i for i in range(12)], rf"{COARSE}|{FULL}")
        if not window.says(COARSE, since):
            self.skipTest("full surfaces follow the hand here: nothing is coarse")
        window.wait_for(r"value released[\s\S]*? rest\n", since)  # the full surface may have come before, while the hand rested
        log = window.log(since)
        at = dict((what, t) for t, what in reversed(events(log)) if "value" in what)
        during = [t for t, what in events(log) if "value" not in what and t <= at["value released"]]
        after = [t for t, what in events(log) if what == "iso" and t > at["value released"]]
        self.assertGreater(len(during), 1, "surfaces follow the drag")
        values = re.findall(r"(?:coarse 1/\d+ at|iso) (\S+): \d+ triangles", log)
        self.assertEqual(re.findall(FULL, log)[-1][0], values[-1], "the full surface ends at the last value")
        coarse_ends = re.findall(COARSE, log)[-1][0] == values[-1]
        self.assertTrue(coarse_ends or not after, "so does the coarse one, unless full ones have followed the hand by then")
        print(f"{len(during) / (at['value released'] - at['value held']):.1f} surfaces a second, the full one "
              f"{1000 * (after[0] - at['value released']) if after else 0:.0f} ms after release", flush=True)

    def test_drag(self):
        window = self.open()
        self.check_drag(window)
        window.press("minus", FULL)  # or the next drag would end at a surface that is there already
        self.check_drag(window)
        since = window.drag("scene", 0.5, 0.6, 0.3)
        window.wait_for(DRAWN, since)
        window.quit()

    def test_slow_work(self):
        """The textbook's rungs are slow enough to be caught at work."""
        window = self.open()
        window.press("n", COARSE + r"[\s\S]*work: making the full surface")  # after the statistics, by textbook rungs too
        window.press("equal", r"surface cancelled[\s\S]*" + FULL)  # by a new value

        since = window.mark()
        if window.press("equal", FULL + "|work: making the full surface")[0].startswith("work"):
            window.xdo("key", "F12")
            window.xdo("key", "Escape")
            window.wait_for("(" + FULL + r"|surface cancelled)[\s\S]*screenshot ", since)  # which waits no longer
            since = window.mark()
            window.press("w", r"wireframe on[\s\S]*" + DRAWN)
            self.assertFalse(window.says(FULL, since), "what was cancelled stays so")
        else:
            print("a full surface is made too quickly here for Esc to be tried")
        window.press("equal", COARSE)
        window.quit()

    def test_values_that_are_being_counted(self):
        """While values are counted, the panel says so. It offers no key for what comes by itself, and shows no value that is
        not yet known."""
        window = self.start(self.volume, "--backend", "cpu", "--rung", "reduce=textbook", "--rung", "histogram=textbook")
        window.wait_for(r"widget no values yet")
        since = window.mark()
        window.wait_for(FULL)
        before = window.log()[:since]
        self.assertNotIn("widget no values:", before)
        self.assertNotIn("widget slice window:", before)
        window.wait_for(r"widget slice window:")
        window.quit()


class Drawing(drive.WindowTest):
    """A surface of millions of triangles, for which software OpenGL takes seconds."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.volume = cls.synth("noise", 96)

    def test_events_come_in_while_it_is_drawn(self):
        window, _ = self.open(self.volume, "--backend", "cpu")
        draw = window.wait_for(r"iso [\s\S]*draw (\S+) ms, frame [\d.]+ ms\n")
        if float(draw[1]) < 500:
            self.skipTest("it is drawn too quickly here to be interrupted")
        since = window.mark()
        window.xdo("key", "--delay", 120, "7", "l", "1")  # another view, the panel, again another view
        first = window.wait_for(r"view 0 90[\s\S]*page lab[\s\S]*view 0 0\n", since)
        self.assertNotIn("draw ", first[0], "both came before the first drawing could end")
        window.wait_for(r"drawing stopped after[\s\S]*?draw ", first.end())
        since = window.mark()
        window.xdo("key", "--delay", 120, "7", "l")
        window.wait_for(r"page view[\s\S]*?draw ", since)
        self.assertFalse(window.says("drawing stopped", since), "the panel stops nothing")
        window.quit()

    def test_a_picture_waits_for_the_fit(self):
        """While a file is written, the surface's bounds cannot be computed. The picture waits until they can."""
        window, _ = self.open(self.volume, "--backend", "cpu", size="640x480")
        window.wait_for(DRAWN)
        window.settle()
        window.press("3", "view 90 0")
        window.settle()
        since = window.mark()
        window.xdo("key", "--delay", "1", "e", "f", "ctrl+F12")
        early = Picture(self.path(window.wait_for(r"screenshot (\S+)\n", since)[1]))
        window.wait_for(r"export \S+: ", since)
        window.settle()
        late = Picture(self.path(window.press("ctrl+F12", r"screenshot (\S+)\n")[1]))
        self.assertEqual(early, late)
        window.quit()

    def test_steps_before_the_values_are_counted(self):
        """There is no value to step from, nor a number that could be said of it."""
        slow = ("--rung", "reduce=textbook", "--rung", "histogram=textbook")
        window = self.start(self.volume, "--backend", "cpu", *slow, "--size", "640x480")
        if not drive.Window.wait_for(window, r"load ") and window.process.returncode == drive.NO_GL:
            self.skipTest(window.log().strip())
        window.xdo("key", "--delay", "5", *["bracketright"] * 40)
        window.wait_for(FULL)
        window.settle()
        self.assertFalse(window.says("below nan", 0))
        window.press("bracketright", r"below [\d.]+, ")
        window.quit()

    def test_quitting_while_it_is_drawn(self):
        window, _ = self.open(self.volume, "--backend", "cpu")
        window.wait_for(DRAWN)
        window.xdo("key", "--delay", 120, "7", "ctrl+q")
        window.ends(OK)


class Loading(drive.WindowTest):
    @classmethod
    def setUpClass(cls):
        """A bzip2 NRRD that takes longer to unpack than the first frame takes to draw: streams of noise of 16 values."""
        super().setUpClass()
        cls.packed, n = cls.path("packed.nrrd"), 440
        stream = bz2.compress(bytes(random.Random(1).choices(range(16), k=n * n)))
        with open(cls.packed, "wb") as file:
            file.write(f"NRRD0004\ntype: uint8\ndimension: 3\nsizes: {n} {n} {n}\nencoding: bzip2\n\n".encode())
            for _ in range(n):
                file.write(stream)

    def start(self):
        window = super().start(self.packed, "--iso", "1000", "--backend", "cpu", "--size", "1280x800")
        if not drive.Window.wait_for(window, r"work: loading", 0, 120) and window.process.returncode == drive.NO_GL:
            self.skipTest(window.log().strip())
        window.wait_for(r"work: loading")
        return window

    def test_the_window_answers_while_it_loads(self):
        window = self.start()
        key = window.press("p", r"panel one line")
        loaded = window.wait_for(r"load packed\.nrrd: ([^\n]*)", 0, 300)
        self.assertLess(key.start(), loaded.start())
        frames = [float(ms) for ms in re.findall(r"work: loading, frame (\S+) ms", window.log()[:loaded.start()])]
        window.wait_for(FULL)
        self.check_ticks(window.log())
        print(f"loading: {len(frames)} frames drawn, the longest {max(frames):.0f} ms; {loaded[1]}", flush=True)
        window.quit()

    def check_ticks(self, log):
        """Progress is soon shown again, however long the scene took to draw before."""
        ticks = re.findall(r"^ *(\S+) work: loading, frame (\S+) ms|^ *(\S+) load packed", log, re.M)
        (at, frame, _), (after, before, loaded) = ticks[:2]
        wait = float(after or loaded) - float(at) - float(before or 0) / 1000
        if float(frame) > 200:  # else it is drawn too quickly here to be told apart
            self.assertLess(wait, float(frame) / 1000)

    def test_escape(self):
        window = self.start()
        window.press("Escape", r"cancelled")
        window.xdo("key", "ctrl+q")  # the window waits for another file
        window.ends(FAILED)
        self.assertNotIn("load packed", window.log(), "it was not read to the end")

    def test_quitting(self):
        window = self.start()
        window.xdo("key", "ctrl+q")
        window.ends(OK)
        self.assertNotIn("load packed", window.log(), "it was not read to the end")


if __name__ == "__main__":
    drive.main()
