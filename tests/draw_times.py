#!/usr/bin/env python3
"""Times the pictures of a window while a script turns the view or drags the value.

Usage: draw_times.py ISOSCOPE FILE ISO [--drag] [WORD]...   in a window of 1280x800 on the present DISPLAY; WORDs go to isoscope, such
                                                            as --draw compute

turn     the median of the times that the program says pictures took ("draw 0.31 ms"): OpenGL's clock, or the host's where the
         processor draws
--drag   also that of making the surfaces ("compute"), the sum of both, and how many full surfaces came in a second. An event
         comes every 4 ms. Handing buffers from CUDA to OpenGL takes the host time that neither median has

Where Xvfb is the display and a GPU draws, each picture goes through a socket: sysctl -w net.core.wmem_default=16777216 before both
start, or that is what is measured.

Prints percentiles 10, 50 and 90 in ms, and who drew, and why. It is no test, and not part of the tests."""
import argparse
import math
import os
import re
import subprocess
import tempfile

STEPS = 200   # events of a movement
FIRST = 5     # pictures that are left out: the first ones compile shaders, and measure who draws fastest
TURN = 0.02   # seconds between two events
DRAG = 0.004
REACH = 12    # pixels to either side of the value's mark


def play(words, lines, every):
    """The log of a window that plays these events."""
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "events.txt")
        with open(script, "w") as file:
            file.writelines(f"{i * every:.3f} {line}\n" for i, line in enumerate(lines))
        done = subprocess.run([*words, "--size", "1280x800", "--replay", script, "--verbose"], capture_output=True, text=True, timeout=300,
                              env={**os.environ, "XDG_STATE_HOME": folder})
    if done.returncode:
        raise SystemExit(done.stderr[-500:])
    return done.stderr


def widget(log, name):
    """Left, top, right and bottom."""
    return list(map(int, re.findall(rf"widget {name}: (\d+) (\d+) (\d+) (\d+)\n", log)[-1]))


def turning():
    return ["rest", "move 900 400", "press left",
            *(f"move {900 + 150 * math.sin(i / 10):.1f} {400 + 60 * math.sin(i / 14):.1f}" for i in range(STEPS)), "release left", "rest"]


def dragging(log):
    """From the mark of the value that the window opens with."""
    left, top, right, bottom = widget(log, "histogram")
    low, high, value = (float(n) for n in re.search(r"stats: (\S+) to (\S+), .*?\n(?:.*\n)*?.* iso (\S+?): ", log).groups())
    x, y = left + (right - left) * (value - low) / (high - low), (top + bottom) // 2
    return ["rest", f"move {x:.1f} {y}", "press left",
            *(f"move {x + REACH * math.sin(i / 8):.1f} {y}" for i in range(STEPS)), "release left", "rest"]


def tell(name, times):
    times = sorted(times)
    parts = [times[len(times) * p // 100] for p in (10, 50, 90)]
    print(f"{name:8} {len(times):4}   " + "  ".join(f"{ms:.3f}" for ms in parts))
    return parts[1]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    for name in ("program", "file", "iso"):
        parser.add_argument(name)
    parser.add_argument("--drag", action="store_true")
    args, more = parser.parse_known_args()
    words = [args.program, args.file, "--iso", args.iso, *more]
    log = play(words, dragging(play(words, ["rest"], 1)) if args.drag else turning(), DRAG if args.drag else TURN)
    full = [float(ms) for ms in re.findall(r" draw (\S+) ms, frame \S+ ms\n", log)][FIRST:]
    coarse = len(re.findall(r" draw \S+ ms, frame \S+ ms, coarse\n", log))
    made = [(float(at), float(ms)) for at, ms in re.findall(r"^ *(\S+) iso \S+: .* compute (\S+) ms", log, re.M)][FIRST:]
    if not full or (args.drag and len(made) < 2):
        raise SystemExit(f"too few full pictures: {len(full)}, and {coarse} coarse ones; this machine is busy, or too slow for them")
    median = tell("draw", full)
    if args.drag:
        computing = tell("compute", [ms for _, ms in made])
        print(f"compute and draw {computing + median:.3f} ms; {(len(made) - 1) / (made[-1][0] - made[0][0]):.1f} surfaces a second")
    print(f"{coarse} coarse pictures; {re.findall(r'raster [^ ]+ ms; (.*)', log)[-1:] or ['OpenGL']}")


if __name__ == "__main__":
    main()
