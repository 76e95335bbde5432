#!/usr/bin/env python3
"""The window: the surface as a file (E). Under Xvfb, driven by xdotool; what happens is read from the program's own log and
from the files. Usage: test_sorted.py ISOSCOPE [VOLUME]; exits 77 where Xvfb or xdotool is missing.

With DISPLAY_AS_IS=1 the window opens on the present DISPLAY, so that the same drive can be run on a GPU."""
import os
import re
import subprocess
import sys
import tempfile
import time

import drive

program = os.path.abspath(sys.argv[1])
if drive.missing_tool():
    print(f"skipped: no {drive.missing_tool()}")
    sys.exit(77)
folder = tempfile.TemporaryDirectory()
volume = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else os.path.join(folder.name, "v.nrrd")
name = os.path.splitext(os.path.basename(volume))[0]
check = drive.Checks()
SURFACE = r"iso (\S+): (\d+) triangles, (\d+) vertices"


def test_export(window, first):
    value, triangles, vertices = first[1], first[2], first[3]
    for path in (f"{name}_{float(value):.6g}.ply", f"{name}_{float(value):.6g}_1.ply"):
        done = window.press("e", r"export (\S+): (\d+) triangles, (\d+) vertices, (\d+) bytes|isoscope: ")
        check(done and done[1] == path, f"E writes {path}, a name that is free: {done and done[0]}")
        check(done and done[2] == triangles and int(done[3]) <= int(vertices), "the file has the surface's counts")
        data = open(os.path.join(folder.name, path), "rb").read() if done else b""
        check(f"element vertex {done[3]}\n".encode() in data and len(data) == int(done[4]), "the file is whole")
    window.xdo("key", "equal")
    check(window.wait_for(SURFACE, window.mark()), "a new value after the file")
    same = window.press("a", SURFACE)
    check(same and same[2] == triangles, "the surface is as before")


def run(window):
    first = window.wait_for(SURFACE)
    if not window.is_open() and window.process.returncode == 4:
        print("skipped: " + window.log().strip())
        sys.exit(77)
    window.wait_for(r"draw ")
    test_export(window, first)
    window.xdo("key", "ctrl+q")
    code = window.wait_for_end(20)
    check(code == 0 and not window.sanitizers_spoke(), f"Ctrl+Q ends the program with 0, not {code}")


if len(sys.argv) < 3:
    subprocess.run([program, "synth", "metaballs", "--size", "64", "-o", volume], check=True, stdout=subprocess.DEVNULL)
words = [program, volume, "--verbose", "--size", "1280x800", *os.environ.get("ISOSCOPE_WORDS", "").split()]
with drive.display() as display:
    # OpenGL drivers leak, and are gone again when leaks are looked for.
    window = drive.Window(words, dict(os.environ, DISPLAY=display, ASAN_OPTIONS="detect_leaks=0"), folder.name)
    try:
        run(window)
    finally:
        window.stop()
        if check.failed or drive.as_is:
            print(window.log())
print(check)
sys.exit(check.failed > 0)
