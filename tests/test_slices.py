#!/usr/bin/env python3
"""Slices, contours, probing and percentiles: a picture by `render`, whose contour must be a circle that runs along the cut
of a sphere, and the real window, under Xvfb, driven by xdotool. What happens is read from the program's own log and from
its pictures. Usage: test_slices.py ISOSCOPE; exits 77 where nothing can run."""
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import time
import zlib

import drive

program = os.path.abspath(sys.argv[1])
folder = tempfile.TemporaryDirectory()
check = drive.Checks()
NO_GL, USAGE = 4, 2
FULL = r"iso (\S+): (\d+) triangles"
PROBE = r"probe (surface|slice \w): voxel (\S+) (\S+) (\S+), at (\S+) (\S+) (\S+), value (\S+)"


# ---- pictures -----------------------------------------------------------------------------------------------------------


def read_png(path):
    """Rows of (r, g, b), of an 8-bit PNG without interlacing."""
    data = open(path, "rb").read()
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
        elif kind == b"IDAT":
            packed += body
        at += 12 + size
    assert depth == 8 and colour in (2, 6)
    n = 3 if colour == 2 else 4
    raw, rows, last = zlib.decompress(packed), [], bytearray(width * n)
    for y in range(height):
        kind, row = raw[y * (width * n + 1)], bytearray(raw[y * (width * n + 1) + 1:(y + 1) * (width * n + 1)])
        for i in range(width * n):
            a, b, c = row[i - n] if i >= n else 0, last[i], last[i - n] if i >= n else 0
            p = a + b - c
            paeth = a if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c) else b if abs(p - b) <= abs(p - c) else c
            row[i] = (row[i] + (0, a, b, (a + b) // 2, paeth)[kind]) & 255
        rows.append([tuple(row[i:i + 3]) for i in range(0, width * n, n)])
        last = row
    return rows


def is_line(c):
    """The contour's red, which neither the surface nor the map has."""
    return c[0] > 200 and c[1] < 110 and c[2] < 110


def line_pixels(rows):
    return [(x, y) for y, row in enumerate(rows) for x, c in enumerate(row) if is_line(c)]


def is_map(c):
    """A colour of viridis; all of them are more saturated than the surface, its inside and the background."""
    return max(c) - min(c) > 60


# ---- render -------------------------------------------------------------------------------------------------------------


def render(name, *words):
    path = os.path.join(folder.name, name)
    done = subprocess.run([program, "render", *words, "-o", path], capture_output=True, text=True)
    if done.returncode == NO_GL:
        print("skipped: " + done.stderr.strip())
        sys.exit(77)
    return done, path


def test_render():
    sphere = os.path.join(folder.name, "sphere.nrrd")
    subprocess.run([program, "synth", "sphere", "--size", "64", "-o", sphere], check=True, stdout=subprocess.DEVNULL)
    words = [sphere, "--iso", "0", "--elevation", "90", "--azimuth", "0", "--size", "400x400"]
    done, path = render("plain.png", *words)
    check(done.returncode == 0 and not line_pixels(read_png(path)), "no slice, no line: " + done.stderr)
    done, path = render("slice.png", *words, "--slice", "z=48")
    check(done.returncode == 0, "render --slice: " + done.stderr)
    rows = read_png(path)
    pixels = line_pixels(rows)
    angles = {int(36 * (math.atan2(y - 199.5, x - 199.5) / math.tau + 0.5)) % 36 for x, y in pixels}
    radii = [math.hypot(x - 199.5, y - 199.5) for x, y in pixels] or [0]
    radius = sum(radii) / len(radii)
    check(len(pixels) > 300 and len(angles) == 36, f"the contour goes all round: {len(pixels)} pixels, {len(angles)} angles")
    check(radius > 60 and max(radii) - min(radii) < 6, f"it is a circle: {min(radii):.1f} to {max(radii):.1f} pixels")

    # It runs along the cut: the plane begins beyond it, the surface within it.
    def around(off):
        for k in range(24):
            angle = (k + 0.5) / 24 * math.tau
            yield rows[round(199.5 + (radius + off) * math.sin(angle))][round(199.5 + (radius + off) * math.cos(angle))]

    check(all(is_map(c) for c in around(5)), "beyond the contour there is the plane")
    check(all(not is_map(c) and min(c) > 60 for c in around(-5)), "within it there is the surface")

    done, path = render("all.png", sphere, "--iso", "0", "--slice", "x=20,y=31", "--slice", "z=40", "--size", "200x160")
    check(done.returncode == 0 and len(line_pixels(read_png(path))) > 60, "three planes: " + done.stderr)
    for words, says in ((["--slice", "y=64"], "voxels 0 to 63 along y"), (["--slice", "w=1"], "x=128"),
                        (["--slice", "x=1,"], "x=128"), (["--slice", "x=-1"], "x=128"), (["--slice", "x"], "x=128")):
        done, path = render("refused.png", sphere, "--iso", "0", *words)
        check(done.returncode == USAGE and re.fullmatch(r"isoscope: [^\n]+\n", done.stderr) and says in done.stderr and
              not os.path.exists(path), f"{words} is refused: {done.returncode} {done.stderr}")


def test_percent():
    path = os.path.join(folder.name, "ramp_10x10x10_uint8.raw")
    with open(path, "wb") as file:
        file.write(bytes(range(100)) * 10)  # each value ten times

    def info(iso):
        return subprocess.run([program, "info", path, "--iso", iso], capture_output=True, text=True)

    for percent, inside in (("0%", 1000), ("20%", 800), ("95%", 50), ("99%", 10), ("100%", 0)):
        done = info(percent)
        found = re.search(r"voxels_inside\s+(\d+)", done.stdout)
        check(found and int(found[1]) == inside, f"--iso {percent}: {done.stdout} {done.stderr}")
    for wrong in ("101%", "-1%", "%", "5%%", "nan%"):
        done = info(wrong)
        check(done.returncode == USAGE and "percentile from 0% to 100%" in done.stderr, f"--iso {wrong}: {done.stderr}")


# ---- the window ---------------------------------------------------------------------------------------------------------

SIZE = 48


def interpolated(voxels, p):
    """Trilinear, of uint8 voxels."""
    low = [min(int(q), SIZE - 2) for q in p]
    value = 0
    for corner in range(8):
        at, weight = [], 1
        for a in range(3):
            bit = corner >> a & 1
            at.append(low[a] + bit)
            weight *= p[a] - low[a] if bit else 1 - (p[a] - low[a])
        value += weight * voxels[(at[2] * SIZE + at[1]) * SIZE + at[0]]
    return value


def run(window, voxels):
    def press(key, pattern):
        found = window.press(key, pattern)
        check(found, f"key {key}: no '{pattern}' in the log")
        return found

    def click(x, y, pattern, *modifier):
        since = window.mark()
        for word in modifier:
            window.xdo("keydown", word)
        window.xdo("mousemove", x, y, "click", 1)
        for word in modifier:
            window.xdo("keyup", word)
        found = window.wait_for(pattern, since, 10)
        check(found, f"click at {x}, {y}: no '{pattern}' in the log")
        return found

    def picture():
        shot = press("F12", r"screenshot (\S+)")
        time.sleep(0.5)
        return line_pixels(read_png(os.path.join(folder.name, shot[1]))) if shot else []

    first = window.wait_for(FULL)
    if not window.is_open() and window.process.returncode == NO_GL:
        print("skipped: " + window.log().strip())
        sys.exit(77)
    iso = float(first[1])
    window.wait_for(r"draw ")
    time.sleep(0.3)

    # The scene is right of the panel, 452 pixels wide: its middle is at 866, 400. Balls lie there.
    found = click(880, 420, PROBE)
    if found:
        p, value = [float(found[i]) for i in (2, 3, 4)], float(found[8])
        check(found[1] == "surface" and abs(value - iso) < 4, f"a click on the surface finds its value {iso}: {found[0]}")
        check(abs(interpolated(voxels, p) - value) < 0.1, f"the value is the voxels': {interpolated(voxels, p)}, {found[0]}")
    click(470, 20, r"probe nothing")

    for key, axis in (("2", "x"), ("4", "y"), ("6", "z")):
        press(key, rf"slice {axis} on at 23[\s\S]*?slices: [^\n]* segments at {re.escape(first[1])}, marching_squares=\w+ ")
    check(len(picture()) > 200, "three slices: their contours are red lines")
    for key in ("2", "4", "6"):
        press(key, r"slice \w off")
    window.wait_for(r"slice z off[\s\S]*draw ")
    check(not picture(), "no slices: no red lines")
    since = window.mark()
    window.xdo("key", "period")
    time.sleep(0.5)
    check("slices:" not in window.log()[since:], "no slice is on: none is moved")

    # From the right, a plane that is moved to the right end hides all else.
    press("3", r"view 90 0")
    press("2", r"slice x on at 23")
    press("period", r"slice x on at 24[\s\S]*?slices: ")
    press("comma", r"slice x on at 23[\s\S]*?slices: ")
    press("shift+period", r"slice x on at 33[\s\S]*?slices: ")
    press("shift+comma", r"slice x on at 23[\s\S]*?slices: ")
    for _ in range(3):
        window.xdo("key", "shift+period")
    window.wait_for(r"slice x on at 47[\s\S]*?draw ")
    press("shift+period", r"slice x on at 47")
    press("f", r"fit[\s\S]*?draw ")
    for x, y in ((700, 300), (866, 400), (1000, 520)):
        found = click(x, y, PROBE)
        if found:
            p = [float(found[i]) for i in (2, 3, 4)]
            check(found[1] == "slice x" and p[0] == SIZE - 1, f"a click on the slice: {found[0]}")
            check(abs(interpolated(voxels, p) - float(found[8])) < 0.1, f"its value is the voxels': {found[0]}")
    for _ in range(2):
        window.xdo("key", "shift+comma")
    window.wait_for(r"slice x on at 27[\s\S]*?slices: ")
    press("period", r"slice x on at 28[\s\S]*?draw ")

    # Ctrl+click takes the value of the slice, where that is not hidden.
    for x, y in ((866, 400), (700, 300), (1000, 520), (800, 250), (930, 600), (640, 640)):
        found = click(x, y, r"probe [^\n]*", "ctrl")
        found = found and re.match(PROBE, found[0])
        if found and found[1] == "slice x" and abs(float(found[8]) - iso) > 1:
            check(window.wait_for(rf"segments at {re.escape(found[8])}"), f"Ctrl+click: the value is {found[8]}")
            break
    else:
        check(False, "a slice is to be seen somewhere")

    # Percent: both ways, coarse and fine; each value is further on.
    values = [float(press(key, r"percent (\S+) below (\S+), search=")[2])
              for key in ("bracketright", "bracketright", "braceright", "bracketleft", "braceleft")]
    check(values[0] < values[1] < values[2] > values[3] > values[4], f"the percent keys: {values}")

    # In the panel: the rows of the slices are at y 265, 286, 307; the switch at x 34, the slider at x 75 to 325.
    press("2", r"slice x off")
    since = window.mark()
    window.xdo("mousemove", 34, 286, "click", 1)
    check(window.wait_for(r"slice y on at 23", since), "the panel's switch")
    since = window.mark()
    window.xdo("mousemove", 200, 286, "mousedown", 1)
    for x in range(210, 300, 10):
        window.xdo("mousemove", x, 286)
        time.sleep(0.05)
    window.xdo("mouseup", 1)
    time.sleep(0.5)
    moves = re.findall(r"slice y on at (\d+)[\s\S]*?slices: 0 \d+ 0 segments", window.log()[since:])
    check(len(set(moves)) > 3, f"the panel's slider: {moves}")

    # Dragging the value: the contour follows each.
    since = window.mark()
    window.xdo("mousemove", 100, 130, "mousedown", 1)
    for x in range(110, 300, 20):
        window.xdo("mousemove", x, 130)
        time.sleep(0.05)
    window.xdo("mouseup", 1)
    time.sleep(1)
    log = window.log()[since:]
    contours, surfaces = re.findall(r"segments at (\S+),", log), re.findall(FULL, log)
    check(len(contours) > 4 and surfaces and contours[-1] == surfaces[-1][0], f"the contour follows: {contours} {surfaces}")
    press("Escape", "")
    window.xdo("key", "ctrl+q")
    code = window.wait_for_end(10)
    check(code == 0, f"Ctrl+Q ends the program with 0, not {code}")
    check(not window.sanitizers_spoke(), "no sanitizer report")


def test_window():
    if drive.missing_tool():
        print(f"skipped: no {drive.missing_tool()}")
        return
    volume = os.path.join(folder.name, "v.nrrd")
    subprocess.run([program, "synth", "metaballs", "--size", str(SIZE), "-o", volume], check=True, stdout=subprocess.DEVNULL)
    voxels = open(volume, "rb").read()[-SIZE ** 3:]
    words = [program, volume, "--verbose", "--size", "1280x800", *os.environ.get("ISOSCOPE_WORDS", "").split()]
    with drive.display() as display:
        window = drive.Window(words, dict(os.environ, DISPLAY=display), folder.name)
        try:
            run(window, voxels)
        finally:
            window.stop()
            if check.failed:
                print(window.log())


test_render()
test_percent()
test_window()
print(check)
sys.exit(check.failed > 0)
