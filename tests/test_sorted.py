#!/usr/bin/env python3
"""Translucent surfaces, in pictures and in the window (Y), and the window's surface as a file (E). The window runs under Xvfb,
driven by xdotool; what happens is read from the program's own log, from pictures and from files.
Usage: test_sorted.py ISOSCOPE [VOLUME]; exits 77 where Xvfb or xdotool is missing.

With DISPLAY_AS_IS=1 the window opens on the present DISPLAY, so that the same drive can be run on a GPU."""
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
if drive.missing_tool():
    print(f"skipped: no {drive.missing_tool()}")
    sys.exit(77)
folder = tempfile.TemporaryDirectory()
volume = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else os.path.join(folder.name, "v.nrrd")
name = os.path.splitext(os.path.basename(volume))[0]
check = drive.Checks()
SURFACE = r"iso (\S+): (\d+) triangles, (\d+) vertices"



# ---- pictures ----------------------------------------------------------------------------------------------------------


def read_png(path):
    """Width, height, and rows of bytes, three a pixel: 8-bit RGB, not interlaced."""
    data, at, packed, width = open(path, "rb").read(), 8, b"", 0
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, *rest = struct.unpack(">IIBBBBB", body)
            assert rest == [8, 2, 0, 0, 0], rest
        packed += body if kind == b"IDAT" else b""
        at += 12 + size
    flat, rows, above = zlib.decompress(packed), [], bytes(3 * width)
    for y in range(height):
        kind, line = flat[y * (3 * width + 1)], bytearray(flat[y * (3 * width + 1) + 1:(y + 1) * (3 * width + 1)])
        for i in range(3 * width):
            a, b, c = line[i - 3] if i > 2 else 0, above[i], above[i - 3] if i > 2 else 0
            near = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            line[i] = line[i] + (0, a, b, (a + b) // 2, near)[kind] & 255
        rows.append(bytes(line))
        above = rows[-1]
    return width, height, rows


def middle(path):
    """The mean colour of the 9 x 9 pixels in the middle."""
    width, height, rows = read_png(path)
    pixels = [rows[height // 2 + y][3 * (width // 2 + x):][:3] for y in range(-4, 5) for x in range(-4, 5)]
    return [sum(p[i] for p in pixels) / len(pixels) for i in range(3)]


def render(name, *words):
    done = subprocess.run([program, "render", *map(str, words), "--size", "160x120", "--azimuth", "0", "--elevation", "0",
                           "--backend", "cpu", "-o", name], cwd=folder.name, capture_output=True, text=True,
                          env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))
    if done.returncode == 4:
        print("skipped: " + done.stderr.strip())
        sys.exit(77)
    check(done.returncode == 0, f"render {words}: {done.stderr}")
    return os.path.join(folder.name, name)


def ball(path, inside, outside):
    """64^3 voxels, brighter within the radius 24; without hard steps, so that normals are smooth."""
    def value(x, y, z):
        r = ((x - 31.5) ** 2 + (y - 31.5) ** 2 + (z - 31.5) ** 2) ** 0.5
        return int(max(outside, min(inside, (inside + outside) / 2 + (24 - r) * (inside - outside) / 20)))
    with open(os.path.join(folder.name, path), "wb") as file:
        file.write(bytes(value(x, y, z) for z in range(64) for y in range(64) for x in range(64)))
    return path


def test_pictures():
    """A ray through the middle of a ball meets its front, seen from outside, then its back, seen from inside. What shows is
    front a + back a (1 - a) + background (1 - a)^2, which tells the two orders apart, since the inner faces are blue."""
    name = ball("ball_64x64x64_uint8.raw", 250, 50)
    background = middle(render("nothing.png", name, "--iso", "255"))
    front = middle(render("front.png", name, "--iso", "150"))
    half = middle(render("half.png", name, "--iso", "150", "--opacity", "0.5"))
    back = [4 * h - b - 2 * f for h, b, f in zip(half, background, front)]  # the only colour that is not to be seen alone
    check(all(-8 <= c <= 263 for c in back), f"the back of a ball has a colour: {back}")
    check(max(abs(f - b) for f, b in zip(front, back)) > 30, "front and back differ")
    check(back[2] > back[0] and front[0] > front[2], f"inner faces are blue, outer ones are not: {back}, {front}")
    check(sum(back) < sum(front), "inner faces are darker")
    for a in (0.1, 0.25, 0.4, 0.7, 0.9):
        got = middle(render("some.png", name, "--iso", "150", "--opacity", a))
        want = [f * a + b * a * (1 - a) + g * (1 - a) ** 2 for f, b, g in zip(front, back, background)]
        wrong = max(abs(p - q) for p, q in zip(got, want))
        check(wrong < 3, f"opacity {a}: {got}, not {want}")
    check(middle(render("none.png", name, "--iso", "150", "--opacity", "0")) == background, "opacity 0 shows nothing")
    opaque = [open(render("one.png", name, "--iso", "150", *words), "rb").read() for words in ([], ["--opacity", "1"])]
    check(opaque[0] == opaque[1], "opacity 1 is opaque")
    same = {open(render("same.png", name, "--iso", "150", "--opacity", "0.3", *words), "rb").read() for words in
            ([], ["--threads", "1"], ["--threads", "5"], ["--rung", "sort=qsort"], ["--rung", "sort=merge"],
             ["--rung", "gemv=loop"], ["--rung", "fused=none"])}
    check(len(same) == 1, "the same picture whoever sorts")
    for word in ("-0.1", "1.5", "half", "nan"):
        done = subprocess.run([program, "render", "--opacity", word], cwd=folder.name, capture_output=True, text=True)
        check(done.returncode == 2 and "--opacity" in done.stderr, f"--opacity {word} is refused")


# ---- the window --------------------------------------------------------------------------------------------------------

ORDER = r"order of (\d+) triangles: gemv (\S+) ms, sort (\S+) ms, all \S+ ms(, coarse)?"


def settle(window):
    """Waits until the log is quiet; what it is then."""
    while True:
        before = window.mark()
        time.sleep(0.7)
        if window.mark() == before:
            return before


def test_translucent(window, first):
    on = window.press("y", r"translucent on, opacity (\S+)")
    check(on and on[1] == "0.40", "Y: translucent")
    found = window.wait_for(ORDER, on.start())
    check(found and found[1] == first[2], f"the triangles of the surface are sorted: {found and found[0]}")
    since = window.mark()
    window.xdo("mousemove", 900, 400, "mousedown", 1)
    for x in range(910, 1100, 10):
        window.xdo("mousemove", x, 420)
        time.sleep(0.02)
    window.xdo("mouseup", 1)
    check(window.wait_for(ORDER, since), "turning the view sorts them again")
    since = settle(window)
    window.xdo("mousemove", 900, 400, "click", 4)
    window.wait_for(r"draw ", since, 5)
    check(not re.search(r"order of", window.log()[since:]), "zooming does not")
    other = window.press("equal", SURFACE)
    found = window.wait_for(ORDER, other.start())
    check(found and (found[1] == other[2] or found[4]), "another surface is sorted too")
    same = window.press("a", SURFACE)
    check(same and same.groups() == first.groups(), "the counts are as before")
    window.wait_for(ORDER, same.start())
    shot = window.press("F12", r"screenshot (\S+)")
    check(shot, "a picture of it")
    off = window.press("y", r"translucent off")
    window.wait_for(r"draw ", off.start(), 5)
    since = settle(window)
    window.press("7", r"view ")
    window.wait_for(r"draw ", since, 5)
    check("order of" not in window.log()[since:], "an opaque surface is not sorted")


def test_export(window, first):
    value, triangles, vertices = first[1], first[2], first[3]
    for path in (f"{name}_{float(value):.6g}.ply", f"{name}_{float(value):.6g}_1.ply"):
        done = window.press("e", r"export (\S+): (\d+) triangles, (\d+) vertices, (\d+) bytes|isoscope: ")
        check(done and done[1] == path, f"E writes {path}, a name that is free: {done and done[0]}")
        check(done and done[2] == triangles and int(done[3]) <= int(vertices), "the file has the surface's counts")
        data = open(os.path.join(folder.name, path), "rb").read() if done else b""
        check(f"element vertex {done[3]}\n".encode() in data and len(data) == int(done[4]), "the file is whole")
    check(window.press("equal", SURFACE), "a new value after the file")
    same = window.press("a", SURFACE)
    check(same and same[2] == triangles, "the surface is as before")


def run(window):
    first = window.wait_for(SURFACE)
    if not window.is_open() and window.process.returncode == 4:
        print("skipped: " + window.log().strip())
        sys.exit(77)
    window.wait_for(r"draw ")
    test_export(window, first)
    test_translucent(window, first)
    window.xdo("key", "ctrl+q")
    code = window.wait_for_end(20)
    check(code == 0 and not window.sanitizers_spoke(), f"Ctrl+Q ends the program with 0, not {code}")


if len(sys.argv) < 3:
    subprocess.run([program, "synth", "metaballs", "--size", "64", "-o", volume], check=True, stdout=subprocess.DEVNULL)
words = [program, volume, "--verbose", "--size", "1280x800", *os.environ.get("ISOSCOPE_WORDS", "").split()]
test_pictures()
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
