#!/usr/bin/env python3
"""Recorded events: their format. And compares the picture at the end of a script with that of a window, or of `isoscope render`,
which got the same state at once. Usage: test_replay.py ISOSCOPE; replay.py and drive.py have more."""
import os
import pathlib
import re
import shutil
import subprocess
import time
import unittest

import drive
from drive import FULL, INPUT
from picture import Picture
from replay import FIT, REST, SCREENSHOT, ReplayTest, click, drag, move, tap

APART = 8  # of 255 that a colour may differ,
PART = 0.001  # but for this part of the pixels: one triangle more or less at an outline


def events_of(path):
    """The lines of a file of events, without their times."""
    with open(path) as file:
        return [line.split(" ", 1)[1] for line in file.read().splitlines()]


class PictureTest(ReplayTest):
    def check_alike(self, one, other):
        self.assertEqual((one.width, one.height), (other.width, other.height))
        apart = sum(max(abs(a - b) for a, b in zip(one[x, y], other[x, y])) > APART
                    for y in range(one.height) for x in range(one.width) if one[x, y] != other[x, y])
        self.assertLessEqual(apart, PART * one.width * one.height, "pixels that differ")


class Format(PictureTest):
    def test_bad_lines(self):
        """Each is reported in one sentence: where, what was found, what was expected. No window opens."""
        for line, says in {
            "rest": "line 2: found 'rest', expected the time in seconds",
            "0 mvoe 3 4": "line 2: found 'mvoe 3 4', expected one of move press release scroll key repeat lift char size drop "
                          "minimise restore rest",
            "0": "line 2: found the end, expected one of move",
            "0 move 3": "line 2: found '3', expected two numbers",
            "0 move nan 4": "line 2: found 'nan 4', expected two numbers",
            "0 press top": "line 2: found 'top', expected a button: left, right, middle, or 3 to 7",
            "0 press left shfit": "line 2: found 'shfit', expected what was held, like shift or shift+control",
            "0 key W": "line 2: found 'W', expected a key, like w, =, page-up, f12 or #261",
            "0 key #9999": "expected a key",
            "0 char ab": "line 2: found 'ab', expected a character, like w or U+0020",
            "0 char U+": "expected a character",
            "0 size 0 9": "line 2: found '0 9', expected width and height from 1 to 16384",
            "0 drop": "line 2: found the end, expected paths, with a tab between two",
            "0 rest now": "line 2: found 'now', expected nothing more",
        }.items():
            with open(self.path("bad.txt"), "w") as file:
                file.write(f"# a comment\n{line}\n0 rest\n")
            done = self.run_program(self.volume, "--replay", "bad.txt")
            self.assertEqual(done.returncode, INPUT, line)
            self.assertIn(says, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(self.run_program(self.volume, "--replay", "missing.txt").returncode, INPUT)

    def test_what_is_replayed_can_be_recorded(self):
        """Every kind of event, and every kind of argument."""
        lines = ["rest", "move 700.5 300", "press right shift+control", "release right", "press 4", "release 4",
                 "scroll 0 -1", "key page-up alt", "repeat page-up", "lift page-up", "key w", "char w", "lift w",
                 "char U+00E9", "char U+0020", "key #280", "lift #280", "key unknown", "lift unknown", "size 800 600",
                 r"drop none\t\\here", "drop a\tb", "minimise", "restore", "rest"]
        self.play(lines, "--record", "copy.txt")
        self.assertEqual(events_of(self.path("copy.txt")), lines)

    def test_what_was_recorded_can_be_replayed(self):
        """Recorded by hand, or rather by xdotool. The replay ends at the same value and view, without additional mouse events."""
        window, _ = self.open(self.volume, "--record", "hand.txt", size=self.size)
        window.rest()  # which is recorded: the events are played sooner than they came, and the panel has to be there
        window.drag_value(0.5)
        window.drag("scene", 0.4, 0.6, 0.3)
        window.xdo("click", 4, "click", 4, "click", 5)
        time.sleep(0.5)
        window.press("w", "wireframe on")
        window.settle()
        picture = Picture(self.path(window.press("ctrl+F12", r"screenshot (\S+)\n")[1]))
        value = window.says(FULL, 0)[-1]
        window.quit()
        events = events_of(self.path("hand.txt"))
        self.assertEqual(events[0], "size 900 600")
        for event in ("press left", "release left", "scroll 0 1", "scroll 0 -1", "key w", "char w", "rest"):
            self.assertIn(event, events)
        log, _ = self.play(events)
        self.assertEqual(re.findall(FULL, log)[-1], value)
        self.check_alike(picture, Picture(self.shot(log)))


class Remembered(ReplayTest):
    def left(self, folder):
        """Every file of the folder, and what is in it."""
        return {path: path.read_text() for path in pathlib.Path(folder).rglob("*") if path.is_file()}

    def test_a_replay_finds_and_leaves_nothing(self):
        """A window has left page, scale, theme, axis and the file's own state. The next window opens with these, a replay does
        not."""
        window, _ = self.open(self.volume, size=self.size)
        for key, says in (("m", "shading"), ("u", "up "), ("l", "page lab"), ("ctrl+t", "theme light"), ("ctrl+minus", "scale 0.9")):
            window.press(key, says)
        window.settle()
        window.quit()
        state = window.environment["XDG_STATE_HOME"]
        before = self.left(state)
        self.assertGreaterEqual(len(before), 5, before)
        script = self.write([*REST, *tap("w"), *REST, *SCREENSHOT])
        words = [drive.program, self.volume, "--size", self.size, "--replay", script, "--verbose",
                 "--rung", "fused=none"]  # whose mesh is the same every time

        def play(folder):
            done = subprocess.run(words, cwd=self.folder, env={**self.environment, "XDG_STATE_HOME": folder}, capture_output=True)
            self.assertEqual(done.returncode, drive.OK)
            log = done.stderr.decode()
            self.assertNotIn("as you left it", log)
            # Of all widgets but the box of work, which is there where loading takes long.
            return dict(re.findall(r"widget (?!work:)(.*): (.*)\n", log)), Picture(self.shot(log)).rows
        (places, picture), (fresh, other) = play(state), play(self.path("new"))
        self.assertEqual(places, fresh)
        self.assertTrue(picture == other, "the same picture")
        self.assertEqual(self.left(state), before)
        self.assertEqual(self.left(self.path("new")), {})
        window, _ = self.open(self.volume, size=self.size)
        window.wait_for("as you left it")
        window.quit()


class EndStates(PictureTest):
    """The same state gives the same picture, however it was reached."""

    def picture(self, lines, *words, volume=None):
        """The scene at the end, fitted into the window, and the log."""
        log, _ = self.play([*REST, *lines, *REST, *FIT, *SCREENSHOT], *words, volume=volume)
        path = self.shot(log)
        picture = Picture(path)
        if "KEEP" in os.environ:
            shutil.copy(path, os.path.join(os.environ["KEEP"], f"{self.id()}_{self.count}.png"))
        os.remove(path)
        surface = len(picture.find(lambda colour: colour[0] > colour[2]))
        self.assertGreater(surface, 0.005 * picture.width * picture.height, "a surface is seen")
        return picture, log

    def check(self, lines, *words, volume=None, before=()):
        """The script against a window with the words, and the volume; `before`: words for the script's window."""
        one, log = self.picture(lines, *before)
        other, _ = self.picture([], *words, volume=volume)
        self.check_alike(one, other)
        return log

    def test_value_drag(self):
        point = self.widgets()
        lines = [*REST, *drag(point("histogram", 0.2), point("histogram", 0.45))]
        _, log = self.picture(lines)
        value = re.findall(FULL, log)[-1][0]
        self.assertNotEqual(value, re.findall(FULL, log)[0][0])
        self.check(lines, "--iso", value)

    def test_a_value_drag_ends_where_it_is_let_go(self):
        """Also if the last part of the way and the release come in one poll of events, as when drawing takes long."""
        point = self.widgets()
        *way, last, release = drag(point("histogram", 0.2), point("histogram", 0.45), 4)
        ends = [re.findall(FULL, self.play([*REST, *way, last, end, *REST])[0])[-1] for end in (release, "+" + release)]
        self.assertEqual(*ends)

    def test_a_slider_ends_where_it_is_let_go(self):
        point = self.widgets()
        *way, last, release = drag(point("dust", 0.1), point("dust", 0.8), 4)
        logs = [self.play([*REST, *way, last, end, *REST])[0] for end in (release, "+" + release)]
        ends = [re.findall(r"step 1: dust (\S+)", log) for log in logs]
        self.assertRegex(ends[0][0], r"^\d+(\.\d{1,2})?%$", "the digits that are shown")
        self.assertEqual(*ends)

    def test_clicks_in_one_frame(self):
        """A click on a slider and one on a box in one poll of events, as when drawing takes long: each does what it does alone."""
        point = self.widgets()
        clicks = [*click(point("sigma", 0.3)), *click(point("slice x switch"))]
        logs = [self.play([*REST, lines[0], *(more + line for line in lines[1:]), *REST])[0]
                for lines, more in ((clicks, ""), (clicks, "+"))]
        for log in logs:
            self.assertEqual(log.count("slice x on"), 1, log)
        ends = [re.findall(r"smooth sigma (\S+):", log)[-1] for log in logs]
        self.assertEqual(*ends)

    def test_typing_in_one_frame(self):
        """A click with Control, which opens a field for text, and text with keys in between: each in one poll of events."""
        point = self.widgets()
        ctrl_click = ["key left-control", *click(point("sigma", 0.3), "control"), "lift left-control"]
        typed = [*tap("3"), "key left-control", *tap("a", "control"), "lift left-control", *tap("1"), *tap("."), *tap("5"),
                 *tap("5"), *tap("backspace"), *tap("backspace"), *tap("2"), "key left-control"]
        for more in ("", "+"):
            log = self.play([*REST, ctrl_click[0], *(more + line for line in ctrl_click[1:]), *REST, typed[0],
                             *(more + line for line in typed[1:]), *REST, "lift left-control", *tap("enter"), *REST])[0]
            self.assertIn("smooth sigma 1.2:", log)

    def test_keys_in_an_open_list(self):
        """All in one poll of events: each arrow counts, and Enter comes last."""
        point = self.widgets("--size", "900x800")
        keys = [*tap("down"), *tap("w"), *tap("down"), *tap("enter")]
        lines = [*REST, *click(point("export format")), *REST, keys[0], *("+" + key for key in keys[1:]), *REST, *tap("e"), *REST]
        self.assertRegex(self.play(lines, "--size", "900x800")[0], r"export \S+\.obj: ")

    def test_arrows_in_an_open_list_begin_at_the_present_entry(self):
        point = self.widgets("--size", "900x800")
        next_one = [*click(point("export format")), *REST, *tap("down"), *REST, *tap("enter"), *REST]
        self.assertRegex(self.play([*REST, *next_one, *next_one, *tap("e"), *REST], "--size", "900x800")[0], r"export \S+\.obj: ")

    def test_undo_at_once(self):
        """Undo of the first change, before it counts as a step: at the next poll of events, and at the same one."""
        for first in ("", "+"):
            one, log = self.picture([*tap("w"), first + tap("z", "control")[0], *tap("z", "control")[1:]])
            self.assertRegex(log, r"step 1: triangle edges on\n[\s\S]*undo to step 0: triangle edges off")
        self.check_alike(one, self.picture([])[0])

    def test_rungs(self):
        log = self.check([line for key in "nbcsogx" for line in (*tap(key), *REST)])
        self.assertEqual(len(re.findall(r"\d rung \S+=", log)), 7)

    def test_drop(self):
        other = self.synth("torus", 40, "other.nrrd")
        self.check([f"drop {other}"], volume=other)

    def test_drop_while_it_is_dragged(self):
        other = self.synth("torus", 40, "other.nrrd")
        lines = drag([700, 300], [760, 330])
        self.check([*lines[:20], f"drop {other}", *lines[20:]], volume=other)

    def test_a_slice_at_any_time(self):
        """Also during the first picture, which polls events but does not know of the slice yet. Each time there is one more
        event before."""
        for looks in range(16):
            self.play([*[move((300 + i, 300))[0] for i in range(looks)], *tap("4"), *REST])

    def test_slice_cut(self):
        """A slice is switched on, its near side cut away, and it is moved by the wheel with Control and by a key."""
        lines = [*tap("6"), *REST, *tap("6", "control"), *REST, *move([700, 300]), "key left-control control",
                 *["scroll 0 1"] * 3, "lift left-control", *REST, *tap("."), *REST]
        log = self.check(lines, "--slice", "z=27+")
        self.assertIn("slice z on", log)

    def test_sizes(self):
        """Also smaller than any picture, and with a drag in between, after which the view is fitted again anyway."""
        sizes = ["size 320 240", "rest", "size 40 30", "rest", "size 1 1", "rest", "size 1200 700", "rest", "size 900 600"]
        self.check(sizes)
        sizes.remove("rest")
        self.check([line for line in sizes if line != "rest"])

    def test_a_fitted_view_follows_the_size(self):
        """As a window shows it that has this size from the start. In a small one the panel is a line over the scene, of one row or
        more. Also the first time after a volume has come into a scene that was there before."""
        def view(lines, size, volume=None):
            log, _ = self.play([*REST, *lines, *tap("c", "control"), *REST], "--size", size, volume=volume)
            return re.search(r"copied .* (--target .*) --size", log)[1]
        other = self.synth("torus", 40, "other.nrrd")
        for lines, before, after, volume in (([], "480x360", "900x600", None), ([], "480x360", "320x360", None),
                                             (["size 480 360", *REST], "900x600", "900x600", None),
                                             (["size 480 360", *REST], "900x600", "320x360", None),
                                             ([f"drop {other}", *REST], "900x600", "600x600", other)):
            found = view([*lines, "size {} {}".format(*after.split("x")), *REST], before)
            self.assertEqual(found, view([], after, volume), (lines, before, after))

    def test_minimise(self):
        """There is no window manager to minimise the window, so xdotool does what one would do."""
        self.check(["minimise", *REST, "restore"])
        window, _ = self.open(self.volume, size=self.size)
        window.wait_for(drive.DRAWN)
        window.settle()
        found = window.press("ctrl+F12", r"screenshot (\S+)\n")
        one = Picture(self.path(found[1]))
        for act in ("windowunmap", "windowmap"):
            window.xdo("search", "--class", "isoscope", act)
            window.settle()
        window.xdo("search", "--class", "isoscope", "windowfocus")
        other = Picture(self.path(window.press("ctrl+F12", r"screenshot (\S+)\n")[1]))
        self.check_alike(one, other)
        window.quit()

    def test_as_render_draws_it(self):
        point = self.widgets()
        one, log = self.picture(drag(point("histogram", 0.2), point("histogram", 0.45)))
        path = self.render("r.png", self.volume, "--iso", re.findall(FULL, log)[-1][0], "--size", f"{one.width}x{one.height}")
        self.check_alike(one, Picture(path))

    def test_the_first_view_is_that_of_render(self):
        """Also with a rod that lies between the voxels of the coarse level. Compares where the surface ends."""
        volume, side = self.path("rod_144x144x144_uint8.raw"), 144  # more than 128^3: it has a coarse level from the start
        with open(volume, "wb") as file:
            for z in range(side):
                for y in range(side):
                    reach = 67 if y == z == 71 else 12 if max(abs(y - 71), abs(z - 71)) < 12 else 0
                    file.write((bytes(71 - reach) + bytes([200]) * 2 * reach).ljust(side, b"\0"))
        one, _ = self.picture([], "--iso", "100", volume=volume)
        other = Picture(self.render("r.png", volume, "--iso", "100", "--size", f"{one.width}x{one.height}"))
        ends = [[end(part) for part in zip(*picture.find(lambda colour: colour[0] > colour[2] + 20)) for end in (min, max)]
                for picture in (one, other)]
        self.assertLessEqual(max(abs(a - b) for a, b in zip(*ends)), 1, ends)

    def test_a_picture_waits_for_the_end_of_a_movement(self):
        """After a turn of the wheel, more are expected, and until then the view is drawn in haste. A picture waits for the end."""
        log, _ = self.play([*REST, *move([700, 300]), "scroll 0 1", *SCREENSHOT, *SCREENSHOT])
        self.check_alike(*(Picture(self.path(name)) for name in re.findall(r"screenshot (\S+)\n", log)))

    def test_a_wheel_ends_a_movement(self):
        """It turns in the same poll of events that begins the movement. If drawing takes long, there is no movement, and the
        view is there at once."""
        begin = [*REST, *move([700, 300]), "key 7", "+char 7"]
        self.assertIn("view 0 90", self.play([*begin, "lift 7", *REST])[0])
        before, reached, _ = self.play([*begin, "+scroll 0 1", "lift 7", *REST])[0].partition("view 0 90")
        if reached:
            self.assertNotIn(" draw ", before[before.rindex("at rest, 1 of"):], "the movement went on")

    def test_a_click_is_taken_where_it_was(self):
        """Even if the mouse has moved on when the picture shows what was clicked."""
        point = self.widgets()
        there, other = point("scene"), point("scene", 0.55, 0.55)
        still, gone = (self.play([*REST, *click(there), *more, *REST])[0] for more in ([], [f"+{move(other)[0]}"]))
        said = [re.search(r"probe surface: (voxel [^,]*)", log) for log in (still, gone)]
        self.assertTrue(all(said), "the surface is in the middle")
        self.assertEqual(said[0][1], said[1][1])

    def test_clicks(self):
        """A label that is closed again, and two steps of a button."""
        self.size = "900x800"  # which shows all of the panel
        point = self.widgets()
        lines = [*click(point("scene")), *REST, *tap("escape"), *REST, *click(point("up -y")), *REST, *click(point("up +x"))]
        log = self.check(lines, "--up", "+x")
        self.assertIn("probe surface", log)


class Idle(ReplayTest):
    """A window in which nothing changes draws nothing. The trace has a line per frame."""

    def open(self):
        window, _ = super().open(self.volume, "--trace", "trace.json", size=self.size)
        window.wait_for(drive.DRAWN)
        window.point_at("scene")
        window.settle()
        return window

    def frames(self):
        with open(self.path("trace.json")) as file:
            return file.read().count('"frame"')

    def test_at_rest(self):
        """Also with the mouse over a scene that stays as it is."""
        window = self.open()
        time.sleep(4.5)  # then the last notice has gone
        before = self.frames()
        self.assertGreater(before, 2)
        time.sleep(3)
        self.assertEqual(self.frames(), before)
        x, y = window.point("scene")
        window.xdo(*[word for i in range(200) for word in ("mousemove", x + i % 40, y, "sleep", 0.005)])
        self.assertEqual(self.frames(), before)
        window.quit()

    def test_a_caret(self):
        """It blinks every 0.3 s; in three seconds that is ten frames, and some may still follow the click."""
        window = self.open()
        window.click("value", "")
        window.settle()
        before = self.frames()
        time.sleep(3)
        self.assertTrue(1 < self.frames() - before < 20, self.frames() - before)
        window.quit()


@unittest.skipUnless(os.environ.get("QUESTIONS"), "QUESTIONS does not name the library made of questions.c")
class Questions(ReplayTest):
    def asked(self, steps):
        """The number of requests to the X server from start to end, with that many moves while a button is down."""
        at = self.widgets()
        lines = ["rest", *drag(at("histogram", 0.4), at("histogram", 0.5), steps), *drag(at("scene"), at("scene", 0.6), steps), "rest"]
        before = self.environment
        self.environment = {**before, "LD_PRELOAD": os.environ["QUESTIONS"]}
        try:
            return int(re.findall(r"questions: (\d+)\n", self.play(lines)[0])[-1])
        finally:
            self.environment = before

    def test_none_while_something_is_dragged(self):
        """The X server answers only when the last picture is shown, and the next surface or view would wait for that."""
        few, many = self.asked(10), self.asked(100)
        self.assertGreater(few, 0)
        self.assertLess(many - few, 45)  # of 180 moves more; the frames before and after differ by some


if __name__ == "__main__":
    drive.main()
