#!/usr/bin/env python3
"""Smoothing in the window: by key, by slider, by option; cancelled by Esc, by another sigma and by quitting. Under Xvfb, driven
by xdotool, on the CPU, where the worker does it. What happens is read from the program's own log.

Usage: test_smooth.py ISOSCOPE; exits 77 where Xvfb or xdotool is missing."""
import json
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
check = drive.Checks()
more = os.environ.get("ISOSCOPE_WORDS", "").split()
small, large = os.path.join(folder.name, "small.nrrd"), os.path.join(folder.name, "large.nrrd")
SURFACE = r"iso (\S+): (\d+) triangles"


def open_window(display, *words):
    environment = dict(os.environ, DISPLAY=display, ASAN_OPTIONS="detect_leaks=0")
    window = drive.Window([program, *words, "--verbose", "--backend", "cpu", "--size", "1280x800", *more], environment,
                          folder.name)
    first = window.wait_for(SURFACE, 0, 120)
    check(first, f"a first surface with {words}")
    window.wait_for(r"draw ")
    return window, first


def end(window, what):
    window.xdo("key", "ctrl+q")
    code = window.wait_for_end(120)
    check(code == 0 and not window.sanitizers_spoke(), f"{what}: ends with {code}\n{window.log()}")


def counted(*words):
    out = subprocess.run([program, "info", *words, "--json", "--backend", "cpu"], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(out)


def test_keys(display):
    window, first = open_window(display, small, "--iso", "84.5")
    triangles = {0: int(first[2])}
    for key, sigma in (("d", 0.5), ("d", 1), ("d", 1.5), ("shift+d", 1), ("shift+d", 0.5), ("shift+d", 0)):
        found = window.press(key, rf"smooth sigma {sigma}: [\s\S]*?stats: [\s\S]*?{SURFACE}")
        check(found, f"{key}: sigma {sigma}, then the statistics, then the surface")
        if found:
            check(found[1] == "84.5", f"the value stays where it is, not at {found[1]}")
            check(triangles.setdefault(sigma, int(found[2])) == int(found[2]), f"the same surface at sigma {sigma} again")
    line = r"slices: \d+ (\d+) \d+ segments"
    before = window.press("4", line)
    after = window.press("d", rf"smooth sigma 0\.5: [\s\S]*?{line}")
    check(before and after, f"the contour on a slice is made anew: {before} {after}")
    window.press("4", r"slice y off")
    window.press("shift+d", rf"smooth sigma 0: [\s\S]*?{SURFACE}")
    check(len(set(triangles.values())) == 4, f"each sigma has a surface of its own: {triangles}")
    for sigma, count in triangles.items():
        info = counted(small, "--iso", "84.5", "--smooth", str(sigma))
        check(info["smooth"] == sigma and info["triangles"] == count, f"info counts the same at sigma {sigma}")

    since = window.mark()  # the slider lies at x 62..440, y 206
    window.xdo("mousemove", 70, 206, "mousedown", 1)
    for x in range(80, 240, 10):
        window.xdo("mousemove", x, 206)
        time.sleep(0.03)
    window.xdo("mouseup", 1)
    check(window.wait_for(r"value released", since), "the slider is let go")
    asked = re.findall(r" sigma (\S+)\n", window.log()[since:])
    check(len(asked) > 3 and 1.5 < float(asked[-1]) < 3.5, f"the slider: {asked}")
    check(window.wait_for(rf"smooth sigma {re.escape(asked[-1])}: [\s\S]*?{SURFACE}", since), "the last one is made")
    window.xdo("mousemove", 900, 400)
    end(window, "keys and slider")


def test_option(display):
    info = counted(small, "--smooth", "1.25", "--iso", "84.5")
    window, first = open_window(display, small, "--smooth", "1.25", "--iso", "84.5")
    check(first and int(first[2]) == info["triangles"], "--smooth in the window gives what info counts")
    check(window.press("b", rf"rung bricks=[\s\S]*?{SURFACE}")[2] == first[2], "it stays when a rung is changed")
    end(window, "--smooth")


def test_cancel(display):
    """The textbook's rung takes minutes for a large sigma, so that it is always caught at work."""
    window, first = open_window(display, large, "--iso", "84.5", "--rung", "gaussian=naive")
    since = window.mark()
    for _ in range(10):
        window.xdo("key", "d")
    check(window.wait_for(r"sigma 5\n[\s\S]*work: smoothing, frame [^\n]* \d+ %", since, 120), "it says how far it is")
    check(not re.search(r"smooth sigma 5", window.log()[since:]), "it was caught at work")
    window.xdo("key", "w")
    check(window.wait_for(r"wireframe on", since), "the window answers meanwhile")
    found = window.press("Escape", r"smooth stays at sigma (\S+)", 60)
    check(found, "Esc cancels")
    sigma = float(found[1]) if found else 0
    check(sigma < 5, f"what was there stays: sigma {sigma}")
    for _ in range(round(sigma / 0.5)):
        window.xdo("key", "shift+d")
    time.sleep(0.5)
    found = window.press("equal", SURFACE, 120)
    found = window.press("minus", rf"{SURFACE}", 120)
    info = counted(large, "--iso", found[1])
    check(int(found[2]) == info["triangles"], f"back at no smoothing: {found[2]} triangles, not {info['triangles']}")

    since = window.mark()
    for _ in range(10):
        window.xdo("key", "d")
    window.wait_for(r"sigma 5\n[\s\S]*work: smoothing", since, 120)
    end(window, "quitting while it smooths")


subprocess.run([program, "synth", "metaballs", "--size", "48", "-o", small, *more], check=True, stdout=subprocess.DEVNULL)
subprocess.run([program, "synth", "metaballs", "--size", "112", "-o", large, *more], check=True, stdout=subprocess.DEVNULL)
with drive.display() as display:
    test_keys(display)
    test_option(display)
    test_cancel(display)
print(check)
sys.exit(check.failed > 0)
