#!/usr/bin/env python3
"""Habits of the desktop in the window: the palette, undo, states. Usage: test_habits.py ISOSCOPE"""
import os
import re
import shutil
import subprocess
import tempfile

import drive
from drive import DRAWN, FULL, WindowTest
from picture import Picture, grey_png


class Habits(WindowTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.volume = cls.synth("metaballs", 40)

    def open(self, *words, **options):
        window, _ = super().open(self.volume, *words, **options)
        window.wait_for(DRAWN)
        return window

    def test_keys_without_what_they_need(self):
        """They say what is missing, change nothing, and work once it is there."""
        window = self.open()
        for key, why in (("comma", "no slice is on"), ("ctrl+z", "there is nothing to undo"), ("ctrl+y", "there is nothing to redo"),
                         ("space", "this volume has only one frame")):
            window.press(key, f"not now: {why}")
        window.settle()
        since = window.mark()
        window.press("2", "slice x on")
        window.press("comma", r"slices: \d+ 0 0 segments")
        self.assertEqual(window.says("not now", since), [])
        window.quit()

    # ---- palette -------------------------------------------------------------------------------------------------------

    def palette(self, window, *keys):
        """Opens the palette and presses keys, all at once. What is typed before it is drawn counts, too."""
        window.xdo("key", "--delay", "1", "ctrl+shift+p", *keys)

    def test_palette(self):
        window = self.open()
        self.palette(window, *"triangle", "space", *"edg", "Return")
        window.wait_for("wireframe on")
        self.palette(window, *"jade", "Return")
        window.wait_for("shading jade")
        self.palette(window, *"distance", "Return")
        window.wait_for("palette runs 'measure a length, distance or angle'")
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
        """Value, smoothing, look, slices, cuts, up, rung and view are a step each. They are undone one by one and redone."""
        window = self.open()
        first = window.says(FULL, 0)[-1][0]
        steps = [("equal", FULL, "value "), ("d", "sigma 0.5", "smoothing 0.5"), ("m", "shading matcap", "shading matcap"),
                 ("w", "wireframe on", "triangle edges on"), ("y", "translucent on", "opacity 0.4"), ("j", "caps on", "caps on"),
                 ("2", "slice x on", "slices x=19"), ("ctrl+2", "slice x cuts", r"slices x=19[+-]"),
                 ("k", "knife on", "cut across the view"), ("v", "box on", "box on"), ("u", r"up \+y", r"up \+y"),
                 ("x", "rung fused", "rung fused="), ("ctrl+d", "draw opengl", "drawing by opengl"), ("3", "view 90 0", "view")]
        for i, (key, says, step) in enumerate(steps):
            since = window.mark()
            window.press(key, says)
            window.wait_for(rf"step {i + 1}: {step}", since)
        window.settle()
        shot = self.scene(window)
        for i in reversed(range(len(steps))):
            window.press("ctrl+z", rf"undo to step {i}: ")
        window.settle()
        since = window.mark()
        window.press("ctrl+z", "")
        window.settle()
        self.assertFalse(window.says(r"undo to|redo to|step \d+:", since), "nothing is left to undo, and undoing is no step")
        self.assertEqual(window.says(FULL, 0)[-1][0], first)
        for i in range(len(steps)):
            window.press("ctrl+y" if i % 2 else "ctrl+shift+z", rf"redo to step {i + 1}: ")
        window.settle()
        self.assertEqual(shot, self.scene(window))
        window.press("ctrl+z", "undo to")
        window.press("w", "wireframe off")
        window.wait_for(rf"step {len(steps)}: triangle edges off")
        since = window.mark()
        window.press("ctrl+y", "")
        window.settle()
        self.assertFalse(window.says("redo to", since), "what was undone is gone once something else is set")
        window.quit()

    def test_a_fit_that_waits_is_part_of_its_step(self):
        """While a file is written, the surface's bounds cannot be computed. One key is one step nevertheless."""
        window, _ = WindowTest.open(self, self.synth("noise", 96, "noise.nrrd"), size="640x480")
        window.settle()
        window.xdo("key", "--delay", "1", "e", "v")
        window.wait_for(r"export \S+: ")
        window.settle()
        self.assertEqual(len(window.says(r"step \d+:", 0)), 1)
        window.quit()

    def scene(self, window):
        return Picture(self.path(window.press("ctrl+F12", r"screenshot (\S+)\n")[1]))

    def test_a_movement_is_one_step(self):
        """A drag of the value, a drag of the view, a run of the wheel and a key pressed quickly are a step each."""
        window = self.open()
        window.settle()  # the panel stays where it is from now on
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
        self.assertNotEqual(values[-1], window.wait_for(FULL, since)[1])
        window.quit()

    # ---- states --------------------------------------------------------------------------------------------------------

    CHANGES = [("equal", "step 1: value"), ("d", r"step 2: smoothing 0\.5"), ("shift+m", "step 3: shading flat"),
               ("w", "step 4: triangle edges"), ("6", "step 5: slices"), ("ctrl+6", "step 6: slices"), ("v", "step 7: box"),
               ("u", "step 8: up"), ("5", "step 9: orthographic")]

    def change(self, window):
        """Changes a bit of everything; returns a picture of the scene."""
        for key, says in self.CHANGES:
            window.press(key, says)
        since = window.drag("scene", 0.4, 0.55, 0.3)
        window.wait_for("step 10: view", since)
        window.point_at("scene", 0.3, 0.3)
        window.xdo("click", "--repeat", 2, 4)
        window.wait_for("step 11: view", since)
        window.press("k", "step 12: cut")
        window.settle()
        return self.scene(window)

    def assert_alike(self, one, other):
        """The same picture up to rounding: in one of a thousand pixels, the edge of a triangle may fall to the other side."""
        self.assertEqual((one.width, one.height), (other.width, other.height))
        pairs = zip(b"".join(one.rows), b"".join(other.rows))
        off = sum(abs(a - b) > 8 for a, b in pairs)
        self.assertLessEqual(off, one.width * one.height / 1000)

    def run_command(self, text):
        """Runs a copied command by a shell, as a person would paste it; returns the picture."""
        words = text.replace("isoscope ", f"'{drive.program}' ", 1)
        done = subprocess.run(["sh", "-c", words], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, **drive.NO_LEAKS})
        self.assertEqual(done.returncode, 0, done.stderr)
        return Picture(self.path(re.search(r"wrote (\S+):", done.stdout)[1]))

    def test_the_copied_command_gives_the_same_picture(self):
        path = self.path("it's.nrrd")
        shutil.copy(self.volume, path)
        window, _ = WindowTest.open(self, path)
        window.wait_for(DRAWN)
        plain = self.scene(window)
        self.assert_alike(plain, self.run_command(window.press("ctrl+c", r"copied (.*)\n")[1]))
        shot = self.change(window)
        command = window.press("ctrl+c", r"copied (.*)\n")[1]
        self.assert_alike(shot, self.run_command(command))
        self.assertGreater(sum(a != b for a, b in zip(b"".join(shot.rows), b"".join(plain.rows))), 10000)
        window.quit()

    def test_a_state_file_gives_the_same_picture(self):
        """Written by Ctrl+S and by --save-state, read by render and by a new window."""
        window = self.open("--save-state", "closed.state")
        shot = self.change(window)
        saved = window.press("ctrl+s", r"state (\S+\.state)\n")[1]
        window.quit()
        with open(self.path(saved)) as one, open(self.path("closed.state")) as other:
            self.assertEqual(one.read(), other.read())
        size = f"{shot.width}x{shot.height}"
        self.assert_alike(shot, Picture(self.render("loaded.png", self.volume, "--load-state", saved, "--size", size, "--legend",
                                                    "--save-state", "again.state")))
        with open(self.path(saved)) as one, open(self.path("again.state")) as other:
            self.assertEqual(one.read(), other.read())
        window = self.open("--load-state", saved)
        window.settle()
        self.assert_alike(shot, self.scene(window))
        window.quit()

    def test_a_state_is_opened_like_a_file(self):
        """A damaged one changes nothing and says why."""
        window = self.open()
        fresh, shot = self.scene(window), self.change(window)
        saved = window.press("ctrl+s", r"state (\S+\.state)\n")[1]
        window.quit()
        with open(self.path(saved)) as file, open(self.path("bad.state"), "w") as bad:
            bad.write(file.read() + "colour = red\n")
        window = self.open_with(self.with_path(f"echo '{self.path(saved)}'"))
        window.settle()
        window.press("ctrl+z", "undo to step 0")
        window.settle()
        window.press("ctrl+o", r"step 1: [\s\S]*load state")
        window.settle()
        self.assert_alike(shot, self.scene(window))
        window.press("ctrl+z", "undo to step 0")
        window.press("shift+u", r"up \+z")  # the other was remembered by itself
        window.quit()
        window = self.open_with(self.with_path(f"echo '{self.path('bad.state')}'"))
        window.settle()
        window.press("ctrl+o", r"isoscope: .*bad\.state, line \d+: 'colour' is not a setting of a state file\n")
        window.press("Escape", "")
        window.settle()
        self.assert_alike(fresh, self.scene(window))
        window.quit()

    def test_files_are_shown_as_they_were_left(self):
        other = self.synth("torus", 24, "ring.nrrd")
        window = self.open()
        window.press("u", "step 1: up")  # which is remembered by itself, and so part of what is fresh
        window.settle()
        fresh = self.scene(window)
        window.press("ctrl+z", "undo to step 0")
        shot = self.change(window)
        window.quit()
        window = self.open()
        window.wait_for("as you left it")
        window.settle()
        self.assert_alike(shot, self.scene(window))
        window.press("ctrl+z", "undo to step 0")
        window.settle()
        self.assert_alike(fresh, self.scene(window))
        window.press("ctrl+y", "redo to step 1")
        since = window.mark()
        window.press("Prior", r"load ring\.nrrd")  # another file has a state of its own
        window.wait_for(FULL, since)
        window.settle()
        window.press("m", "shading ")
        window.settle()
        since = window.mark()
        window.press("Next", "as you left it")
        window.settle()
        self.assert_alike(shot, self.scene(window))
        window.quit()
        os.utime(self.volume)  # another file by that name begins afresh
        window = self.open()
        window.settle()
        self.assertFalse(window.says("as you left it", 0))
        window.quit()
        window = self.open("--iso", "100")  # and so does one whose picture the command line describes
        window.press("m", "step 1: shading")
        window.quit()
        window = self.open("--iso", "100")
        window.settle()
        self.assertFalse(window.says("as you left it", 0))
        window.quit()

    def test_components_are_shown_as_they_were_left(self):
        """Each by itself: the values of one may lie outside those of another."""
        path = self.path("components.nrrd")
        with open(path, "wb") as file:
            file.write(b"NRRD0004\ntype: uint8\ndimension: 4\nsizes: 2 8 8 8\nkinds: vector domain domain domain\nencoding: raw\n\n")
            file.write(bytes(value for i in range(512) for value in (i % 8, 200 + i % 8)))
        window, _ = WindowTest.open(self, path, "--component", "1")
        window.press("equal", r"step 1: value")
        window.quit()
        window, first = WindowTest.open(self, path)
        self.assertGreater(int(first[2]), 0)
        window.settle()
        self.assertFalse(window.says("as you left it", 0))
        window.quit()
        window, _ = WindowTest.open(self, path, "--component", "1")
        window.wait_for("as you left it")
        window.quit()

    def test_a_narrower_window_shows_as_much(self):
        """A narrower window shows as much of the width of the last view, a wider one as much of its height."""
        def distance(window):
            window.settle()
            copied = window.press("ctrl+c", r"copied isoscope render [^\n]*")[0]
            width, height = map(int, re.search(r"--size (\d+)x(\d+)", copied).groups())
            return float(re.search(r"--distance (\S+)", copied)[1]), width / height

        window = self.open(size=drive.WIDE)
        window.settle()
        window.point_at("scene")
        window.xdo("click", 4)  # zoomed in
        window.wait_for(r"step 1: view")
        left, wide = distance(window)
        window.quit()
        window = self.open(size="1000x800")
        window.wait_for("as you left it")
        now, narrow = distance(window)
        self.assertLess(narrow, wide - 0.2)
        self.assertAlmostEqual(now / left, wide / narrow, delta=1e-6)
        window.quit()
        window = self.open(size=drive.WIDE)
        window.wait_for("as you left it")
        self.assertAlmostEqual(distance(window)[0], now, delta=1e-6 * now)
        window.quit()

    def test_escape_closes_a_list_first(self):
        """Escape closes nothing behind the list; the next Escape does."""
        window = self.open()
        window.settle()
        window.click("export format", r"widget export as PLY")
        window.settle()
        window.press("Escape", r"menu closed")
        window.settle()
        since = window.mark()
        window.xdo("key", "Escape")
        window.settle()
        self.assertFalse(window.says("menu closed", since))
        window.quit()

    def test_slices_stand_in_the_middle_of_a_file_that_was_left_without(self):
        window = self.open()
        window.press("m", "step 1: shading")
        window.quit()
        window = self.open()
        window.wait_for("as you left it")
        window.settle()
        self.assertNotEqual(window.press("2", r"slice x on at (\d+)")[1], "0")
        window.quit()

    # ---- text fields ----------------------------------------------------------------------------------------------------

    def type_and_leave(self, window, text, pattern, widget="value", to="section Surface", modifier=None):
        """Types into the field and leaves it by a click elsewhere."""
        window.click(widget, "", modifier=modifier)
        window.settle()
        window.xdo("key", "ctrl+a")
        window.settle("Shift_L")
        window.xdo("type", text)
        window.settle("Shift_L")
        since = window.mark()
        window.click(to, pattern)
        window.settle()
        return since

    def test_a_field_that_is_left_takes_its_text(self):
        """By a click on a widget drawn before or after it, by a click on the scene, or by Tab, but not by Esc. Invalid text is
        reported."""
        window = self.open()
        window.rest()
        self.type_and_leave(window, "12.5", r"iso 12\.5: ")
        self.type_and_leave(window, "13,5", r"iso 13\.5: ", to="scene")
        self.type_and_leave(window, "14.5", r"iso 14\.5: ", to="percent")
        self.type_and_leave(window, "95", FULL, widget="percent", to="value")
        self.type_and_leave(window, "90", FULL, widget="percent", to="scene")
        window.click("value", "")
        window.settle()
        window.xdo("type", "15.5")
        window.settle("Shift_L")
        window.press("Tab", r"iso 15\.5: ")
        window.xdo("key", "Escape")
        window.settle()
        since = self.type_and_leave(window, "much", "notice: 'much' is ")
        self.type_and_leave(window, "1-2", "notice: '1-2' is ", widget="percent")
        self.type_and_leave(window, "-", "notice: '-' is ", widget="sigma", modifier="ctrl")
        window.click("value", "")
        window.settle()
        window.xdo("type", "16.5")
        window.settle("Shift_L")
        window.xdo("key", "Escape")
        window.settle()
        window.click("section Surface", "")
        window.settle()
        self.assertFalse(window.says(FULL, since), "nothing was set")
        self.type_and_leave(window, "3", "", widget="slice x slider", modifier="ctrl")
        window.press("2", r"slice x on at 3\n")
        window.quit()

    # ---- opening -------------------------------------------------------------------------------------------------------

    def with_path(self, script, name="zenity"):
        """A PATH whose only program is `name`, which runs the script and records its arguments. script None: a PATH without a
        program."""
        folder = tempfile.mkdtemp(dir=self.folder)
        if script is not None:
            with open(os.path.join(folder, name), "w") as file:
                file.write(f"#!/bin/sh\nfor word; do echo \"$word\" >> '{folder}/words'; done\n{script}\n")
            os.chmod(file.name, 0o700)
        return folder

    def open_with(self, folder):
        """A window that finds programs in this folder only."""
        kept = os.environ["PATH"]
        os.environ["PATH"] = folder
        try:
            window = self.start(self.volume, "--size", "900x800")
        finally:
            os.environ["PATH"] = kept
        window.environment = {**window.environment, "PATH": kept}  # for xdotool
        window.wait_for(DRAWN)
        return window

    def test_open_by_the_desktop(self):
        chosen = os.path.join(self.folder, "other one")
        os.makedirs(chosen, exist_ok=True)
        shutil.copy(self.synth("torus", 24, "ring.nrrd"), os.path.join(chosen, "t\u00f6rus.nrrd"))
        for name in ("zenity", "kdialog"):
            folder = self.with_path(f"echo '{chosen}/t\u00f6rus.nrrd'; echo no theme >&2", name)
            window = self.open_with(folder)
            window.press("ctrl+o", r"load t\S+rus\.nrrd: 24x")
            with open(os.path.join(folder, "words")) as file:
                self.assertIn(self.folder + "/", file.read().splitlines()[-1])
            window.quit()

    def test_open_is_cancelled(self):
        window = self.open_with(self.with_path("exit 1"))
        window.press("ctrl+o", "dialog cancelled")
        window.quit()
        window = self.open_with(self.with_path("exec /bin/sleep 60"))
        window.press("ctrl+o", r"dialog /.*/zenity")
        window.press("w", "wireframe on")  # it does not wait
        window.quit()  # nor here

    def test_open_by_a_list(self):
        """If there is no dialog, or it cannot be shown."""
        inner = os.path.join(self.folder, "inner")
        os.makedirs(inner, exist_ok=True)
        shutil.copy(self.synth("torus", 24, "ring.nrrd"), inner)
        for script in (None, "exit 9"):
            window = self.open_with(self.with_path(script))
            window.press("ctrl+o", rf"browse {self.folder}\n")
            window.wait_for("widget browse cancel")
            window.settle()
            window.click("browse inner", rf"browse {inner}\n")
            window.settle()
            window.click("browse up", rf"browse {self.folder}\n")
            window.settle()
            since = window.mark()
            window.press("Escape", "")
            window.settle()
            window.press("w", "wireframe ")
            window.click("open", rf"browse {self.folder}\n")
            window.settle()
            window.click("browse inner", rf"browse {inner}\n")
            window.settle()
            window.click(r"browse ring\.nrrd", r"load ring\.nrrd: 24x")
            self.assertFalse(window.says("isoscope:|probe", since), "clicks do not reach what is behind the list")
            window.quit()

    def test_a_folder_is_opened_where_it_is_a_volume(self):
        """The list has a button for that only in a folder with slices."""
        os.makedirs(self.path("scans/slices"))
        for z in range(4):
            with open(self.path(f"scans/slices/{z}.png"), "wb") as file:
                file.write(grey_png(16 * z))
        window = self.open_with(self.with_path(None))
        window.press("ctrl+o", rf"browse {self.folder}\n")
        window.wait_for("widget browse cancel")
        window.settle()
        self.assertFalse(window.says("widget browse whole", 0))
        for inner in ("scans", "slices"):
            window.click(f"browse {inner}", rf"browse /.*{inner}\n")
            window.settle()
        window.click("browse whole", "load slices: 4x4x4")
        window.quit()

    def test_a_zarr_folder_is_a_volume(self):
        """In the list, and by the dialog, which chooses a file in it."""
        ring = self.synth("torus", 24, "ring.nrrd")
        zarr = os.path.join(self.folder, "ring.zarr")
        if not os.path.exists(zarr):
            self.assertEqual(self.run_program("pack", ring, "-o", zarr).returncode, 0)
        window = self.open_with(self.with_path(None))
        window.press("ctrl+o", rf"browse {self.folder}\n")
        window.wait_for("widget browse cancel")
        window.settle()
        window.click(r"browse ring\.zarr", r"load ring\.zarr: 24x")
        window.quit()
        window = self.open_with(self.with_path(f"echo {zarr}/zarr.json"))
        window.press("ctrl+o", r"load ring\.zarr: 24x")
        window.quit()

    # ---- series in time ------------------------------------------------------------------------------------------------

    def series(self, frames=3, n=12):
        """A volume whose frame f is a box of 2 f + 2 voxels along each side, of value 200."""
        path = self.path("series.nrrd")
        with open(path, "wb") as file:
            file.write(f"NRRD0004\ntype: uint8\ndimension: 4\nsizes: {n} {n} {n} {frames}\nkinds: space space space time\n"
                       "encoding: raw\n\n".encode())
            for f in range(frames):
                inside = range(n // 2 - 1 - f, n // 2 + 1 + f)
                file.write(bytes(200 * (x in inside and y in inside and z in inside)
                                 for z in range(n) for y in range(n) for x in range(n)))
        return path

    def test_frames(self):
        """Stepping and playing wrap around. Value, view and slice stay, and undo still works on them."""
        window, first = WindowTest.open(self, self.series(), "--iso", "90")
        window.press("equal", "step 1: value")
        window.press("2", "step 2: slices")
        window.press("period", "step 3: slices x=6")
        window.press("3", "step 4: view")
        value, counts = window.says(FULL, 0)[-1][0], [int(first[2])]
        for frame in (1, 2, 0, 2):
            after = window.press("ctrl+Prior" if counts[2:] and frame == 2 else "ctrl+Next", rf"frame {frame}\n[\s\S]*?{FULL}")
            self.assertEqual(after[1], value)
            counts.append(int(after[2]))
        self.assertTrue(counts[0] < counts[1] < counts[2] and counts[3] == counts[0] and counts[4] == counts[2], counts)
        window.settle()
        self.assertEqual(window.says(r"step (\d+):", 0)[-1], "4", "another frame is no step")
        self.assertIn("--frame 2", window.press("ctrl+c", r"copied (.*)\n")[1])
        window.press("ctrl+z", "undo to step 3: view")
        since = window.mark()
        window.press("space", "play on")
        window.wait_for(r"frame 0\n[\s\S]*frame 1\n[\s\S]*frame 2\n[\s\S]*frame 0\n", since)
        window.press("space", "play off")
        window.settle()
        since = window.mark()
        window.settle()
        self.assertFalse(window.says(r"frame \d+\n", since))
        frame = int(window.says(r"frame (\d+)\n", 0)[-1])
        window.click("next frame", rf"frame {(frame + 1) % 3}\n")
        window.click("previous frame", rf"frame {frame}\n[\s\S]*?{FULL}")
        for key, name in (("ctrl+s", rf"state series_frame{frame}\.state\n"), ("ctrl+F12", rf"screenshot series_frame{frame}\.png\n"),
                          ("e", rf"export series_frame{frame}_\S+\.ply: ")):
            window.press(key, name)
        window.click("play", "play on")
        window.click("play", "play off")
        window.quit()

    def test_one_frame(self):
        window = self.open()
        since = window.mark()
        window.xdo("key", "space", "ctrl+Next")
        window.settle()
        self.assertFalse(window.says(r"frame \d+\n|play|load ", since))
        window.quit()

    # ---- looks of the panel --------------------------------------------------------------------------------------------

    def histogram_width(self, window):
        (left, _), (right, _) = window.point("histogram", 0, 0), window.point("histogram", 1, 1)
        return right - left

    def test_scale(self):
        """Keys enlarge the text at once and in the next window. An option takes precedence."""
        window = self.open(size=drive.WIDE)
        window.settle()
        before, since = self.histogram_width(window), window.mark()
        for _ in range(5):
            window.press("ctrl+equal", "scale 1")
        window.wait_for("widget histogram:", since)
        window.settle()
        self.assertAlmostEqual(self.histogram_width(window) / before, 1.5, delta=0.05)
        window.press("ctrl+minus", r"scale 1\.4\n")
        window.quit()
        window = self.open(size=drive.WIDE)
        window.settle()
        self.assertAlmostEqual(self.histogram_width(window) / before, 1.4, delta=0.05)
        since = window.mark()
        window.press("ctrl+0", r"scale 1\n")
        window.wait_for("widget histogram:", since)
        window.settle()
        self.assertEqual(self.histogram_width(window), before)
        window.press("ctrl+equal", "scale 1.1")
        window.quit()
        window = self.open("--ui-scale", "1", size=drive.WIDE)
        window.settle()
        self.assertEqual(self.histogram_width(window), before)
        window.quit()

    def background(self, window):
        """The commonest colour of the panel's lower half."""
        picture = Picture(self.path(window.press("F12", r"screenshot (\S+)\n")[1]))
        colours = [picture[x, y] for x in range(0, 440, 4) for y in range(400, 800, 4)]
        return max(set(colours), key=colours.count)

    def test_theme(self):
        window = self.open()
        dark = self.background(window)
        window.press("ctrl+t", "theme light")
        window.settle()
        light = self.background(window)
        self.assertTrue(max(dark) < 60 and min(light) > 200, (dark, light))
        window.quit()
        for words, colour in (([], light), (["--theme", "dark"], dark)):
            window = self.open(*words)
            self.assertEqual(self.background(window), colour)
            window.quit()


if __name__ == "__main__":
    drive.main()
