#!/usr/bin/env python3
"""The window while it works: a coarse surface follows the drag and the full one comes after it, work is cancelled by a new
value, by Esc and by quitting, and a file is read while the window draws. Under Xvfb, driven by xdotool, on the CPU. What is
asserted is what happened and in which order; rates and times are only printed.

Usage: test_live.py ISOSCOPE [VOLUME]; exits 77 where Xvfb or xdotool is missing. ISOSCOPE_WORDS: more words for the
program."""
import gzip
import os
import random
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
volume = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else os.path.join(folder.name, "metaballs.nrrd")
more = os.environ.get("ISOSCOPE_WORDS", "").split()
SIZE = int(os.environ.get("LIVE_SIZE", "384"))
check = drive.Checks()
FULL, COARSE = r"iso (\S+): (\d+) triangles", r"coarse 1/\d+ at (\S+): (\d+) triangles"


class Window(drive.Window):
    def __init__(self, *words):
        super().__init__([program, *words, "--verbose", "--backend", "cpu", "--size", "1280x800", *more], environment,
                         folder.name)

    def wait_for(self, pattern, since=0, seconds=120):
        return super().wait_for(pattern, since, seconds)

    def end(self, code, what):
        """Waits for the end, and looks for what the sanitizers say."""
        ended = self.wait_for_end(120)
        check(ended == code and not self.sanitizers_spoke(), f"{what}: ends with {ended}\n{self.log()}")


def events(log):
    """(seconds, what) of all surfaces, and of the value being held and released."""
    return [(float(m[1]), m[2]) for m in re.finditer(r"^ *(\d+\.\d+) (coarse|iso|value held|value released)", log, re.M)]


def drag(window, seconds):
    """Along the histogram, which is at x 12..440, y 83..175. The log of it, and how far it got."""
    since, end, x = window.mark(), time.time() + seconds, 100
    window.xdo("mousemove", x, 130, "mousedown", 1)
    while time.time() < end:
        x = 100 + (x - 97) % 240
        window.xdo("mousemove", x, 130)
        time.sleep(0.01)
    window.xdo("mouseup", 1)
    return since


def test_drag():
    window = Window(volume)
    check(window.wait_for(FULL), "a first surface")
    window.wait_for(r"draw ", window.mark(), 2)
    for turn in ("first", "second"):
        since = drag(window, 3)
        window.wait_for(r"value released", since)
        if not re.search(COARSE, window.log()[since:]):
            print("full surfaces follow the hand here: nothing coarse can be tried")
            window.xdo("key", "ctrl+q")
            window.end(0, "quitting")
            return
        check(window.wait_for(r"value released[\s\S]*?" + FULL, since), f"the {turn} drag: the full surface after release")
        log = window.log()[since:]
        times = dict((what, t) for t, what in reversed(events(log)) if "value" in what)
        during = [t for t, what in events(log) if "value" not in what and t <= times.get("value released", 0)]
        check(len(during) > 1, f"the {turn} drag: surfaces follow it")
        after = [t for t, what in events(log) if what == "iso" and t > times["value released"]]
        coarse = [m[1] for m in re.finditer(COARSE, log)]
        full = [m[1] for m in re.finditer(FULL, log)]
        check(coarse and full and coarse[-1] == full[-1], "the last full surface is of the last value")
        held = times["value released"] - times["value held"]
        print(f"{turn} drag: {len(during) / held:.1f} surfaces a second, the full one "
              f"{1000 * (after[0] - times['value released']):.0f} ms after release", flush=True)

    since = window.mark()
    window.xdo("mousemove", 900, 400, "mousedown", 1, "mousemove", 930, 410)
    window.wait_for(r"draw ", since, 5)
    window.xdo("mousemove", 960, 420, "mouseup", 1)
    check(window.wait_for(r"draw [^\n]*ms\n", since), "the view turns")
    time.sleep(0.5)
    test_slow_work(window)


def test_slow_work(window):
    """The textbook's rungs are slow enough to be caught at work: by a new value, by Esc, and by the end of the program."""
    since = window.mark()
    window.xdo("key", "n")
    check(window.wait_for(COARSE, since), "a coarse surface until the full one is there")
    window.xdo("key", "equal")
    check(window.wait_for(r"surface cancelled[\s\S]*" + FULL, since), "a new value cancels the old work")

    since = window.mark()
    window.xdo("key", "equal")
    if window.wait_for(FULL + "|work: making the full surface", since)[0].startswith("work"):
        window.xdo("key", "F12")
        window.xdo("key", "Escape")
        done = window.wait_for("(" + FULL + r"|surface cancelled)[\s\S]*screenshot ", since)
        check(done, "Esc cancels; the picture waits no longer")
        since = window.mark()
        window.xdo("key", "w")
        window.wait_for(r"wireframe on[\s\S]*draw ", since)
        check(not re.search(FULL, window.log()[since:]), "what was cancelled stays so")
    else:
        print("a full surface is made too quickly here for Esc to be tried")
    since = window.mark()
    window.xdo("key", "minus")
    check(window.wait_for(COARSE, since), "a coarse surface at once")
    window.xdo("key", "ctrl+q")
    window.end(0, "quitting during work")


def pack_noise(path, n):
    """A gzip NRRD that takes long to unpack: members of noise of 16 values, one after the other."""
    noise = random.Random(1)
    member = gzip.compress(bytes(noise.choices(range(16), k=n * n)), 6)
    with open(path, "wb") as file:
        file.write(f"NRRD0004\ntype: uint8\ndimension: 3\nsizes: {n} {n} {n}\nencoding: gzip\n\n".encode())
        for _ in range(n):
            file.write(member)


def test_load():
    path = os.path.join(folder.name, "packed.nrrd")
    pack_noise(path, 640)
    window = Window(path, "--iso", "1000")
    check(window.wait_for(r"work: loading"), "loading says how far it is")
    window.xdo("key", "p")
    check(window.wait_for(r"panel one line") and window.is_open(), "the window answers while it loads")
    loaded = window.wait_for(r"load packed\.nrrd: ([^\n]*)")
    frames = re.findall(r"work: loading, frame (\S+) ms", window.log()[:loaded.start()] if loaded else "")
    check(loaded and window.log().find("panel one line") < loaded.start(), "a key is answered before the file is read")
    check(window.wait_for(FULL), "the volume is there")
    print(f"loading: {len(frames)} frames drawn, the longest {max(map(float, frames)):.0f} ms; {loaded and loaded[1]}")
    window.xdo("key", "ctrl+q")
    window.end(0, "quitting")

    for key, code, what in (("Escape", 1, "Esc while a file is read"), ("ctrl+q", 0, "quitting while a file is read")):
        window = Window(path, "--iso", "1000")
        window.wait_for(r"work: loading")
        window.xdo("key", key)
        window.end(code, what)
        check("load packed" not in window.log(), what + ": it was not read to the end")


if len(sys.argv) < 3:
    subprocess.run([program, "synth", "metaballs", "--size", str(SIZE), "-o", volume, *more], check=True,
                   stdout=subprocess.DEVNULL)
with drive.display() as display:
    # OpenGL drivers leak, and are gone again when leaks are looked for.
    environment = dict(os.environ, DISPLAY=display, ASAN_OPTIONS="detect_leaks=0")
    test_drag()
    test_load()
print(check)
sys.exit(check.failed > 0)
