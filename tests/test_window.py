#!/usr/bin/env python3
"""The real window, under Xvfb, driven by xdotool: slider, keys, screenshot, errors. What happens is read from the program's
own log. Usage: test_window.py ISOSCOPE [VOLUME]; exits 77 where Xvfb or xdotool is missing.

With DISPLAY_AS_IS=1 the window opens on the present DISPLAY, so that the same drive can be run on a GPU."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

program = os.path.abspath(sys.argv[1])
volume = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
as_is = os.environ.get("DISPLAY_AS_IS") == "1"
for tool in ["xdotool"] + ([] if as_is else ["Xvfb"]):
    if not shutil.which(tool):
        print(f"skipped: no {tool}")
        sys.exit(77)

folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
environment = dict(os.environ)
server = None
if not as_is:
    number = next(n for n in range(90, 200) if not os.path.exists(f"/tmp/.X11-unix/X{n}"))
    server = subprocess.Popen(["Xvfb", f":{number}", "-screen", "0", "1300x820x24"], stderr=subprocess.DEVNULL)
    environment["DISPLAY"] = f":{number}"
    for _ in range(100):
        if os.path.exists(f"/tmp/.X11-unix/X{number}"):
            break
        time.sleep(0.05)

passed = failed = 0


def check(fine, what):
    global passed, failed
    if fine:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {what}")


def xdo(*words):
    subprocess.run(["xdotool", *map(str, words)], env=environment, check=True, stdout=subprocess.DEVNULL)


def log():
    with open("log.txt", errors="replace") as file:
        return file.read()


def wait_for(pattern, since=0, seconds=30):
    """The first match of `pattern` in the log after `since`, or None."""
    end = time.time() + seconds
    while time.time() < end and window.poll() is None:
        found = re.compile(pattern).search(log(), since)
        if found:
            return found
        time.sleep(0.02)
    return re.compile(pattern).search(log(), since)


def same(before, after):
    """Value and triangles are the same; vertices too, unless the rung gives a soup: three per triangle."""
    return after and after[1] == before[1] and after[2] == before[2] and after[3] in (before[3], str(3 * int(before[2])))


def press(key, pattern, what=None):
    since = len(log())
    xdo("key", key)
    found = wait_for(pattern, since)
    check(found, what or f"key {key}: no '{pattern}' in the log")
    return found


if volume is None:
    volume = os.path.join(folder.name, "v.nrrd")
    subprocess.run([program, "synth", "metaballs", "--size", "48", "-o", volume], check=True, stdout=subprocess.DEVNULL)

words = [program, volume, "--verbose", "--size", "1280x800", *os.environ.get("ISOSCOPE_WORDS", "").split()]
with open("log.txt", "w") as err:
    window = subprocess.Popen(words, env=environment, stderr=err)
try:
    first = wait_for(r"iso (\S+): (\d+) triangles")
    if window.poll() == 4:
        print("skipped: " + log().strip())
        sys.exit(77)
    check(first and int(first[2]) > 0, "a first surface, at the automatic value")
    wait_for(r"draw ")
    time.sleep(0.3)

    # The histogram is at x 12..440, y 83..175 of the window: drag the value along it.
    since = len(log())
    xdo("mousemove", 100, 130, "mousedown", 1)
    for x in range(110, 340, 12):
        xdo("mousemove", x, 130)
        time.sleep(0.03)
    xdo("mouseup", 1)
    time.sleep(1)
    values = re.findall(r"iso (\S+): (\d+) triangles", log()[since:])
    check(len({value for value, _ in values}) >= 5, f"the slider: {len(values)} surfaces while dragging")
    check(len({count for _, count in values}) >= 3, "the slider: the surface changes with the value")
    xdo("mousemove", 900, 400)

    before = press("a", r"iso (\S+): (\d+) triangles, (\d+) vertices", "A: back to the automatic value")
    for key, stage in (("b", "bricks"), ("c", "classify"), ("s", "scan"), ("o", "compact"), ("g", "generate")):
        after = press(key, rf"rung {stage}=\S+[\s\S]*?iso (\S+): (\d+) triangles, (\d+) vertices")
        check(same(before, after), f"the same surface from every rung of {stage}")
    if "backend cuda" in log():
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
    check(shot and open(shot[1], "rb").read(8) == b"\x89PNG\r\n\x1a\n", "F12 writes a PNG")
    if shot and os.environ.get("KEEP"):
        shutil.copy(shot[1], os.environ["KEEP"])

    xdo("mousemove", 900, 400, "mousedown", 1, "mousemove", 960, 430, "mouseup", 1, "click", 4, "click", 5)
    xdo("key", "ctrl+q")
    for _ in range(100):
        if window.poll() is not None:
            break
        time.sleep(0.1)
    check(window.poll() == 0, f"Ctrl+Q ends the program with 0, not {window.poll()}")
    check("AddressSanitizer" not in log() and "runtime error" not in log(), "no sanitizer report")
    if as_is:
        print(log())
finally:
    if window.poll() is None:
        window.kill()
    if failed:
        print(log())
    if server:
        server.send_signal(signal.SIGTERM)
        server.wait()
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
