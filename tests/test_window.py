#!/usr/bin/env python3
"""The real window, under Xvfb, driven by xdotool: slider, keys, screenshot, errors. What happens is read from the program's
own log. Usage: test_window.py ISOSCOPE [VOLUME]; exits 77 where Xvfb or xdotool is missing.

With DISPLAY_AS_IS=1 the window opens on the present DISPLAY, so that the same drive can be run on a GPU."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import drive

program = os.path.abspath(sys.argv[1])
volume = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
if drive.missing_tool():
    print(f"skipped: no {drive.missing_tool()}")
    sys.exit(77)
folder = tempfile.TemporaryDirectory()
check = drive.Checks()


def same(before, after):
    """Value and triangles are the same; vertices too, unless the rung gives a soup: three per triangle."""
    return after and after[1] == before[1] and after[2] == before[2] and after[3] in (before[3], str(3 * int(before[2])))


def run(window):
    def press(key, pattern, what=None):
        found = window.press(key, pattern)
        check(found, what or f"key {key}: no '{pattern}' in the log")
        return found

    first = window.wait_for(r"iso (\S+): (\d+) triangles")
    if not window.is_open() and window.process.returncode == 4:
        print("skipped: " + window.log().strip())
        sys.exit(77)
    check(first and int(first[2]) > 0, "a first surface, at the automatic value")
    window.wait_for(r"draw ")
    time.sleep(0.3)

    # The histogram is at x 12..440, y 83..175 of the window: drag the value along it.
    since = window.mark()
    window.xdo("mousemove", 100, 130, "mousedown", 1)
    for x in range(110, 340, 12):
        window.xdo("mousemove", x, 130)
        time.sleep(0.03)
    window.xdo("mouseup", 1)
    time.sleep(1)
    values = re.findall(r"iso (\S+): (\d+) triangles", window.log()[since:])
    check(len({value for value, _ in values}) >= 5, f"the slider: {len(values)} surfaces while dragging")
    check(len({count for _, count in values}) >= 3, "the slider: the surface changes with the value")
    window.xdo("mousemove", 900, 400)

    before = press("a", r"iso (\S+): (\d+) triangles, (\d+) vertices", "A: back to the automatic value")
    for key, stage in (("b", "bricks"), ("c", "classify"), ("s", "scan"), ("o", "compact"), ("g", "generate")):
        after = press(key, rf"rung {stage}=\S+[\s\S]*?iso (\S+): (\d+) triangles, (\d+) vertices")
        check(same(before, after), f"the same surface from every rung of {stage}")
    for _ in range(2):
        after = press("x", r"rung fused=\S+[\s\S]*?iso (\S+): (\d+) triangles, (\d+) vertices")
        check(same(before, after), "the same surface fused and by stages")
    for _ in range(2):
        after = press("n", r"rung all=\S+[\s\S]*?iso (\S+): (\d+) triangles, (\d+) vertices")
        check(same(before, after), "the same surface from textbook and fastest rungs")
    press("equal", r"iso \S+: \d+ triangles")
    press("m", r"shading matcap")
    press("m", r"shading light")
    press("w", r"wireframe on")
    press("w", r"wireframe off")
    press("7", r"view ")
    press("f", r"fit")
    press("p", r"panel one line")
    press("p", r"panel off")
    press("p", r"panel full")

    shot = press("F12", r"screenshot (\S+)")
    time.sleep(0.5)
    picture = shot and os.path.join(folder.name, shot[1])
    check(shot and open(picture, "rb").read(8) == b"\x89PNG\r\n\x1a\n", "F12 writes a PNG")
    if shot and os.environ.get("KEEP"):
        shutil.copy(picture, os.environ["KEEP"])

    window.xdo("mousemove", 900, 400, "mousedown", 1, "mousemove", 960, 430, "mouseup", 1, "click", 4, "click", 5)
    window.xdo("key", "ctrl+q")
    code = window.wait_for_end(10)
    check(code == 0, f"Ctrl+Q ends the program with 0, not {code}")
    check(not window.sanitizers_spoke(), "no sanitizer report")


if volume is None:
    volume = os.path.join(folder.name, "v.nrrd")
    subprocess.run([program, "synth", "metaballs", "--size", "48", "-o", volume], check=True, stdout=subprocess.DEVNULL)
words = [program, volume, "--verbose", "--size", "1280x800", *os.environ.get("ISOSCOPE_WORDS", "").split()]
with drive.display() as display:
    window = drive.Window(words, dict(os.environ, DISPLAY=display), folder.name)
    try:
        run(window)
    finally:
        window.stop()
        if check.failed or drive.as_is:
            print(window.log())
print(check)
sys.exit(check.failed > 0)
