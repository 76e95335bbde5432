#!/usr/bin/env python3
"""ISOSCOPE_SHADERS: shaders come from a folder, and the window reloads saved files. A file that does not compile leaves the
old program and is reported once. Usage: test_shaders.py ISOSCOPE; drive.py has more."""
import os
import pathlib
import shutil
import time
import unittest.mock

import drive
from drive import DRAWN, NO_GL, OK
from picture import Picture

SHADERS = pathlib.Path(__file__).resolve().parent.parent / "shaders"
PLAIN = "// Of one colour.\n\nvec4 background(vec2 pixel) {{ return vec4({}, 1.0); }}\n"
TWO_LOOKS = 0.6  # seconds; the program looks for saved files every 0.25


class Folder:
    """A copy of the shaders for the program to use."""

    def setUp(self):
        self.volume = self.synth("sphere", 16)
        self.shaders = pathlib.Path(self.path("sources"))
        shutil.rmtree(self.shaders, ignore_errors=True)
        shutil.copytree(SHADERS, self.shaders)
        self.use(self.shaders)

    def use(self, folder):
        self.enterContext(unittest.mock.patch.dict(os.environ, ISOSCOPE_SHADERS=str(folder)))

    def save(self, name, text):
        (self.shaders / name).write_text(text)


class Render(Folder, drive.ProgramTest):
    def picture(self):
        return Picture(self.render("a.png", self.volume, "--size", "64x48"))

    def refuses(self, pattern):
        done = self.run_program("render", self.volume, "-o", "x.png")
        self.assertEqual((done.returncode, done.stdout), (NO_GL, ""))
        self.assertRegex(done.stderr, rf"(\A|\n)isoscope: [^\n]*{pattern}[^\n]*\n\Z")
        self.assertFalse(os.path.exists(self.path("x.png")))

    def test_a_copy_draws_the_same(self):
        copy = self.picture()
        self.use("")
        self.assertEqual(copy, self.picture())

    def test_a_file_replaces_the_program_s_own(self):
        self.picture()
        self.save("background.glsl", PLAIN.format("0.0, 1.0, 0.0"))
        picture = self.picture()
        self.assertEqual(picture[1, 1], (0, 255, 0))
        self.assertNotEqual(picture[32, 24], (0, 255, 0))

    def test_an_error_of_culling(self):
        """A compute shader for culling has an error. Without it, OpenGL draws the same picture."""
        before = self.picture()
        self.save("cull_test.comp", "#version 450 core\n\nnothing;\n")
        done = self.run_program("render", self.volume, "--size", "64x48", "--draw", "culled", "--verbose", "-o", "b.png")
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertRegex(done.stderr, r"drawing: OpenGL: .*/cull_test\.comp:3: ")
        self.assertEqual(before, Picture(self.path("b.png")))

    def test_errors(self):
        self.picture()
        self.save("background.glsl", PLAIN.format("nothing"))
        self.refuses(r"sources/background\.glsl:3: .*nothing")
        self.shaders.joinpath("background.glsl").write_text(PLAIN.format("0.0, 1.0, 0.0"))
        part = (SHADERS / "shade_light.glsl").read_text()  # compiled behind others: the message must name this file
        self.save("shade_light.glsl", part + "nothing;\n")
        self.refuses(rf"sources/shade_light\.glsl:{part.count(chr(10)) + 1}: ")
        self.save("shade_light.glsl", part)
        self.save("background.glsl", "/" * 70000)
        self.refuses(r"sources/background\.glsl has 65536 bytes or more")
        (self.shaders / "background.glsl").unlink()
        self.refuses(r"cannot read the shader .*sources/background\.glsl: No such file")
        self.use("absent")
        self.refuses(r"cannot read the shader absent/screen\.vert: No such file")


class Window(Folder, drive.WindowTest):
    def after(self, background, pattern):
        """Saves the file; returns the match in the log after it."""
        since = self.window.mark()
        self.save("background.glsl", PLAIN.format(background))
        return self.window.wait_for(pattern, since)

    def corner(self):
        return Picture(self.path(self.window.press("F12", r"screenshot (\S+)")[1]))[797, 2]

    def test_saving(self):
        window, _ = self.open(self.volume, "--backend", "cpu", size="800x600")
        window.wait_for(DRAWN)
        time.sleep(TWO_LOOKS)
        self.assertNotIn("shaders reloaded", window.log())
        self.after("1.0, 0.0, 1.0", rf"shaders reloaded\n[\s\S]*{DRAWN}")
        self.assertEqual(self.corner(), (255, 0, 255))
        self.after("nothing", r"isoscope: .*sources/background\.glsl:3: .*nothing")
        time.sleep(TWO_LOOKS)
        self.assertEqual(window.log().count("background.glsl:3:"), 1)
        self.assertEqual(self.corner(), (255, 0, 255))
        self.after("0.0, 1.0, 1.0", rf"shaders reloaded\n[\s\S]*{DRAWN}")
        self.assertEqual(self.corner(), (0, 255, 255))
        window.quit()


if __name__ == "__main__":
    drive.main()
