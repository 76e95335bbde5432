#!/usr/bin/env python3
"""ISOSCOPE_SHADERS: shaders come from a folder, and the window takes a file that is saved; one that does not compile leaves the
old program, and is reported once. Usage: test_shaders.py ISOSCOPE; skips what OpenGL, Xvfb or xdotool is missing for."""
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

import drive

PROGRAM = os.path.abspath(sys.argv.pop(1))
SHADERS = pathlib.Path(__file__).resolve().parent.parent / "shaders"
PLAIN = "#version 450 core\nlayout(location = 0) out vec4 colour;\nvoid main() {{ colour = vec4({}, 1.0); }}\n"


def pixel(path, x, y):
    """(r, g, b) of a PNG as isoscope writes them: 8 bits, RGB."""
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height = struct.unpack(">II", data[at + 8:at + 16])
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += 12 + length
    rows, above = zlib.decompress(packed), bytes(3 * width)
    for line in range(y + 1):
        start = line * (1 + 3 * width)
        kind, row = rows[start], bytearray(rows[start + 1:start + 1 + 3 * width])
        for i in range(3 * width):
            a, b, c = row[i - 3] if i >= 3 else 0, above[i], above[i - 3] if i >= 3 else 0
            paeth = min((a, b, c), key=lambda v: abs(a + b - c - v))
            row[i] = (row[i] + (0, a, b, (a + b) // 2, paeth)[kind]) & 255
        above = row
    return tuple(above[3 * x:3 * x + 3])


class Shaders(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.shaders = self.folder / "sources"
        shutil.copytree(SHADERS, self.shaders)
        self.environment = {**os.environ, "ISOSCOPE_SHADERS": str(self.shaders), "ASAN_OPTIONS": "detect_leaks=0"}
        subprocess.run([PROGRAM, "synth", "sphere", "--size", "16", "-o", "v.nrrd"], cwd=self.folder, check=True,
                       stdout=subprocess.DEVNULL)

    def render(self, output):
        return subprocess.run([PROGRAM, "render", "v.nrrd", "--size", "64x48", "-o", output], cwd=self.folder,
                              env=self.environment, capture_output=True, text=True, timeout=60)

    def save(self, name, text):
        (self.shaders / name).write_text(text)

    def test_render(self):
        done = self.render("a.png")
        if done.returncode == 4 and "shader" not in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        del self.environment["ISOSCOPE_SHADERS"]
        self.assertEqual(self.render("b.png").returncode, 0)
        self.assertEqual((self.folder / "a.png").read_bytes(), (self.folder / "b.png").read_bytes())
        self.environment["ISOSCOPE_SHADERS"] = str(self.shaders)
        self.save("background.frag", PLAIN.format("0.0, 1.0, 0.0"))
        self.assertEqual(self.render("c.png").returncode, 0)
        self.assertEqual(pixel(self.folder / "c.png", 1, 1), (0, 255, 0))
        self.assertNotEqual(pixel(self.folder / "c.png", 32, 24), (0, 255, 0))

    def refuses(self, pattern):
        done = self.render("x.png")
        self.assertEqual((done.returncode, done.stdout), (4, ""))
        self.assertRegex(done.stderr, rf"\Aisoscope: [^\n]*{pattern}[^\n]*\n\Z")
        self.assertFalse((self.folder / "x.png").exists())

    def test_errors(self):
        if self.render("a.png").returncode == 4:
            self.skipTest("no OpenGL")
        self.save("background.frag", PLAIN.format("nothing"))
        self.refuses(r"sources/background\.frag:3: .*nothing")
        self.save("background.frag", "/" * 70000)
        self.refuses(r"sources/background\.frag has 65536 bytes or more")
        (self.shaders / "background.frag").unlink()
        self.refuses(r"cannot read the shader .*sources/background\.frag: No such file")
        self.environment["ISOSCOPE_SHADERS"] = "absent"
        self.refuses(r"cannot read the shader absent/background\.vert: No such file")

    def test_window(self):
        if drive.missing_tool():
            self.skipTest(f"no {drive.missing_tool()}")
        with drive.display() as display:
            self.environment["DISPLAY"] = display
            window = drive.Window([PROGRAM, "v.nrrd", "--backend", "cpu", "--verbose", "--size", "800x600"], self.environment,
                                  self.folder)
            self.addCleanup(window.stop)
            if not window.wait_for(r"draw ") and window.process.returncode == 4:
                self.skipTest(window.log())
            self.drive(window)
            window.xdo("key", "ctrl+q")
            self.assertEqual(window.wait_for_end(60), 0, window.log())

    def drive(self, window):
        def after(change, pattern):
            since = window.mark()
            change()
            found = window.wait_for(pattern, since)
            self.assertTrue(found, f"no '{pattern}' in the log:\n{window.log()}")
            return found

        def corner():
            shot = self.folder / after(lambda: window.xdo("key", "F12"), r"screenshot (\S+)")[1]
            return pixel(shot, 797, 2)

        time.sleep(0.6)  # two looks for saved files
        self.assertNotIn("shaders reloaded", window.log())
        after(lambda: self.save("background.frag", PLAIN.format("1.0, 0.0, 1.0")), r"shaders reloaded\n[\s\S]*draw ")
        self.assertEqual(corner(), (255, 0, 255))
        after(lambda: self.save("background.frag", PLAIN.format("nothing")), r"isoscope: .*sources/background\.frag:3: .*nothing")
        time.sleep(0.6)
        self.assertEqual(window.log().count("background.frag:3:"), 1, window.log())
        self.assertEqual(corner(), (255, 0, 255))
        after(lambda: self.save("background.frag", PLAIN.format("0.0, 1.0, 1.0")), r"shaders reloaded\n[\s\S]*draw ")
        self.assertEqual(corner(), (0, 255, 255))


unittest.main()
