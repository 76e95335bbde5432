#!/usr/bin/env python3
"""The lab page of the window: times of frames, rows and their rungs, pinned times, Markdown, the log of times.
Usage: test_lab.py ISOSCOPE; drive.py has more."""
import csv
import math
import os
import re
import shutil

import drive
from drive import DRAWN, FULL
from picture import Picture

SIDE = ["upload", "reduce", "histogram", "lower_bound", "gaussian", "marching_squares", "gemv", "sort", "components", "gemm"]


class Lab(drive.WindowTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.volume = cls.synth("metaballs", 48)

    def open(self, *words, **options):
        """A window that shows the lab page."""
        window, _ = super().open(self.volume, "--backend", "cpu", *words, **options)
        window.wait_for(DRAWN)
        if window.wait_for("widget section (Stages|Surface)")[1] == "Surface":  # a page is remembered
            window.press("l", "page lab")
        window.wait_for("widget row line")
        return window

    def place(self, window, name):
        return [int(n) for n in window.says(rf"widget {name}: (\d+) (\d+) (\d+) (\d+)\n", 0)[-1]]

    # ---- rows ----------------------------------------------------------------------------------------------------------

    def test_side_ops_are_always_listed(self):
        """Also before any of them has run. Arrow keys go through all rows and step the rungs; the chosen row is in sight."""
        window = self.open()
        window.settle()
        for name in SIDE[1:3]:
            self.place(window, f"stage {name}")
        window.press("Up", "row gemm")
        window.settle()
        left, top, right, bottom = self.place(window, "stage gemm")
        self.assertLess(bottom, self.place(window, "hints")[1], "the chosen row is above the footer")
        for name in reversed(SIDE[:-1]):
            window.press("Up", f"row {name}\n")
        for name in SIDE[1:3]:  # they run again at once, with the other rung
            window.press("Down", f"row {name}\n")
            other = window.press("Right", rf"rung {name}=(\S+)")[1]
            back = window.press("Left", rf"rung {name}=(\S+)")[1]
            self.assertNotEqual(other, back)
        window.quit()

    def test_textbook_flips_side_ops(self):
        window = self.open()
        window.press("n", rf"rung all=textbook[\s\S]*?{FULL}")
        window.settle()
        text = self.copied(window)
        self.assertRegex(text, r"\| reduce \| textbook \|")
        self.assertRegex(text, r"\| histogram \| textbook \|")
        self.assertRegex(text, r"\| scan \| textbook \|")
        self.assertNotRegex(text, r"\| fused \|")
        window.press("ctrl+z", rf"rung|{FULL}")
        window.settle()
        self.assertNotRegex(self.copied(window), "textbook")  # undo takes back all of it
        window.quit()

    # ---- times ---------------------------------------------------------------------------------------------------------

    def copied(self, window):
        since = window.mark()
        window.xdo("key", "ctrl+m")
        window.wait_for(r"copied times\n[\s\S]*\| frame \|.*\n", since)
        return window.log(since)

    def runs(self, window, row):
        return int(re.search(rf"\| {row} \| \S* ?\| (\d+) \|", self.copied(window))[1])

    def test_pause(self):
        """When paused, the shown times do not change while the value moves. Afterwards they are current."""
        window = self.open()
        window.press("equal", FULL)
        window.settle()
        before = self.runs(window, "fused")
        window.press("ctrl+p", "times paused")
        for _ in range(3):
            window.press("equal", FULL)
        window.settle()
        self.assertEqual(self.runs(window, "fused"), before)
        window.press("ctrl+p", "times go on")
        self.assertEqual(self.runs(window, "fused"), before + 3)
        window.quit()

    def test_pin(self):
        window = self.open()
        window.settle()
        self.assertNotIn("pinned", self.copied(window))
        before = re.search(r"\| compute \|.*\|\n", self.copied(window))[0].split("|")[5].strip()
        window.click("action pin", "times pinned")
        window.press("n", rf"rung all=textbook[\s\S]*?{FULL}")
        window.settle()
        cells = [cell.strip() for cell in re.search(r"\| compute \|.*\|\n", self.copied(window))[0].split("|")]
        median, pinned, gain = float(cells[5]), float(cells[12]), float(cells[13])
        self.assertAlmostEqual(gain / (pinned / median), 1, delta=0.002)  # each of the three has four digits
        self.assertEqual(cells[12], before)
        window.click("action unpin", "times no longer pinned")
        self.assertNotIn("pinned", self.copied(window).split("\n", 1)[1])
        window.quit()

    def test_log(self):
        """A row for each time. There are as many frames as the window says it drew, and the parts add up to each frame."""
        window = self.open()
        window.settle()
        window.click("action log", r"times logged in (\S.*\.csv)")
        path = self.path(window.says(r"times logged in (\S.*\.csv)", 0)[-1])
        before = self.runs(window, "frame")
        for _ in range(3):
            window.press("equal", FULL)
            window.settle()
        frames = self.runs(window, "frame")
        window.click("action end log", "times no longer logged")
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        ms = {}
        for row in rows:
            ms.setdefault(row["what"], []).append(float(row["ms"]))
        self.assertEqual(len(ms["frame"]), frames)
        self.assertGreaterEqual(frames - before, 3)
        parts = [ms[name] for name in ms if name.startswith("frame.")]
        self.assertEqual(len(parts), 6)
        whole = [sum(times) for times in zip(*parts)][-3:]
        for part, frame in zip(whole, ms["frame"][-3:]):
            self.assertAlmostEqual(part, frame, delta=1e-6 * frame)
        self.assertEqual({row["rung"] for row in rows if row["what"] == "frame"}, {""})
        self.assertEqual(len({row["isovalue"] for row in rows}), 4)
        os.remove(path)
        window.quit()

    # ---- two sets of rungs ---------------------------------------------------------------------------------------------

    def test_flip(self):
        """R switches between two sets of rungs, with the same surface. Changes to one set stay there."""
        window = self.open()
        window.settle()
        value, triangles, _ = window.wait_for(FULL).groups()
        for side, says in (("B", r"classify=textbook"), ("A", r"fused=simd|fused=\w+")):
            after = window.press("r", rf"sets flipped: {side}[\s\S]*?{FULL}.*rungs.*(?:{says})")
            self.assertEqual(after.groups()[:2], (value, triangles))
        window.press("b", rf"rung bricks=(\S+)[\s\S]*?{FULL}")
        window.press("r", rf"sets flipped: B, A bricks=\S+, B all textbook[\s\S]*?{FULL}")
        window.press("r", rf"sets flipped: A, A bricks=\S+, B all textbook[\s\S]*?{FULL}")
        window.quit()

    def rested(self, window, value):
        """Waits until both sides have made that value, each alone."""
        window.wait_for(rf"rival A: iso {re.escape(value)}, compute \S+ ms\n")
        window.settle()
        rivals = window.says(r"rival A: iso (\S+), compute \S+ ms(, both at once)?", 0)
        self.assertEqual(rivals[-1], (value, ""))

    def test_race(self):
        """The textbook is on the left, and makes its mesh for each value. At rest both are timed alone, and the picture is the same as
        without the race."""
        window = self.open("--samples", "1")
        window.settle()
        value = window.wait_for(FULL)[1]
        before = Picture(self.path(window.press("ctrl+F12", r"screenshot (\S+)\n")[1]))
        window.press("shift+r", rf"sets race: B, A all textbook, B all fastest[\s\S]*?rival A: iso {re.escape(value)},")
        self.rested(window, value)
        after = Picture(self.path(window.press("ctrl+F12", r"screenshot (\S+)\n")[1]))
        other = [(x, y) for x, y in before.find(lambda _: True) if before[x, y] != after[x, y]]
        self.assertLess(len(other), 0.001 * before.width * before.height, other[:5])
        since = window.drag_value()
        window.wait_for("rival A: iso", since)
        window.settle()
        self.rested(window, window.says(FULL, since)[-1][0])
        values = [float(value) for value in window.says(r"present B: iso (\S+), compute", 0)]
        self.assertTrue(values and not any(map(math.isnan, values)))  # also while it is made again, to be timed alone
        window.press("shift+r", "split off")
        window.quit()

    def test_a_card_leaves_the_labels_of_halves_in_sight(self):
        window = self.open()
        window.settle()
        window.click("stage classify", "card classify")
        window.settle()
        alone = window.point("card", 0, 0)[1]
        window.press("shift+r", r"sets race[\s\S]*?widget half B:")
        window.settle()
        foot = max(window.point(f"half {side}", 1, 1)[1] for side in "AB")
        self.assertTrue(alone < foot < window.point("card", 0, 0)[1])
        self.assertLess(window.point("card", 1, 1)[1], 800)
        window.press("shift+r", "split off")
        window.settle()
        self.assertEqual(window.point("card", 0, 0)[1], alone)
        window.quit()

    def test_the_rival_goes_with_the_volume(self):
        """Smoothing, undo, another backend's rungs or another file free the voxels that the rival reads."""
        folder = self.path("two")
        os.makedirs(folder)
        for name in "ab":
            shutil.copy(self.volume, os.path.join(folder, f"{name}.nrrd"))
        window, first = super().open(os.path.join(folder, "a.nrrd"), "--backend", "cpu", size="640x400")
        window.press("ctrl+r", "sets split: A, A all fastest, B all textbook")
        window.wait_for(rf"rival B: iso {re.escape(first[1])},")
        for key in ("d", "d", "shift+d", "ctrl+z"):
            since = window.mark()
            window.press(key, r"smooth sigma")
            window.wait_for("rival B: iso", since)
            window.settle()  # a step of undo is what was changed before a rest
        for key in ("d", "equal", "d", "shift+d", "shift+d", "equal"):
            window.xdo("key", key)  # without waiting for any
        loaded = window.press("Next", r"load b\.nrrd: ")
        window.wait_for("rival B: iso", loaded.end())
        window.press("i", "split off")  # there is nothing to be seen of either
        window.press("i", "surface 0 shown")
        window.press("ctrl+r", "sets split")
        window.press("y", "split off")  # what is translucent is sorted, and not split
        since = window.mark()
        window.xdo("key", "ctrl+r")
        window.settle()
        self.assertFalse(window.says("sets split", since))
        window.quit()

    def test_vertices_by_gemm(self):
        """Each rung gives the same picture as OpenGL, again for each view and value; not for translucent surfaces."""
        window = self.open("--samples", "1")
        window.press("7", "view ")
        window.settle()
        before = Picture(self.path(window.press("ctrl+F12", r"screenshot (\S+)\n")[1]))
        first = window.press("ctrl+g", r"vertices by gemm[\s\S]*?turned (\d+) vertices: gemm=(\S+) ")
        self.assertEqual(first[1], window.says(FULL, 0)[-1][2])
        window.press("Up", "row gemm")
        rungs = {first[2]}
        while True:
            window.settle()
            after = Picture(self.path(window.press("ctrl+F12", r"screenshot (\S+)\n")[1]))
            other = [(x, y) for x, y in before.find(lambda _: True) if before[x, y] != after[x, y]]
            self.assertLess(len(other), 0.002 * before.width * before.height, sorted(rungs))
            rung = window.press("Right", r"rung gemm=\S+[\s\S]*?turned \d+ vertices: gemm=(\S+) ")[1]
            if rung in rungs:
                break
            rungs.add(rung)
        self.assertGreater(len(rungs), 2)
        window.press("1", r"turned \d+ vertices")
        again = window.press("equal", rf"{FULL}[\s\S]*?turned (\d+) vertices")
        self.assertEqual(again[3], again[4])
        window.settle()
        since = window.mark()
        window.press("y", "translucent")
        window.press("7", "view")
        window.settle()
        self.assertFalse(window.says("turned", since))
        window.press("ctrl+g", "vertices by OpenGL")
        window.quit()

    def test_all_of_the_page_is_within_the_panel(self):
        for words, size in (((), "1280x800"), (("--ui-scale", "2"), "2560x1440")):
            window = self.open(*words, size=size)
            window.press("equal", FULL)
            window.settle()
            left, _, right, _ = self.place(window, "section Stages")
            for name in ("bar frame", "action log", "row line", "spark frame"):
                place = self.place(window, name)
                self.assertTrue(left - 1 <= place[0] and place[2] <= right, (name, place, right))
            window.quit()


if __name__ == "__main__":
    drive.main()
