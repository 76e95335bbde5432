#!/usr/bin/env python3
"""Takes a picture of each part of the window, and puts them onto one sheet, to be looked at after changes of panel or shaders.

Usage: tour.py ISOSCOPE SHEET.png [FILE...] [--only NAME,...] [--columns N] [--width PIXELS] [--keep FOLDER]
       FILE: volumes in place of the one that the program makes; --only: the stops whose names begin so; --width: of a tile,
       a whole fraction of the pictures'; --keep: where the pictures stay, at their full size. It tests nothing."""
import argparse
import contextlib
import gzip
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

import drive
from picture import Picture
from replay import REST, click, drag, move, tap

BACK, INK = (20, 23, 28), (240, 196, 120)
LABEL = 16  # pixels above a tile

# ---- stops --------------------------------------------------------------------------------------------------------------


def at(widget, x=0.5, y=0.5, held="", act=click):
    """A step that needs to know where a widget is by then."""
    return lambda place: [*(act(place(widget, x, y), held) if act is click else act(place(widget, x, y))), *REST]


def keys(*names):
    """Each "key" or "key held"."""
    return [line for name in names for line in (*tap(*name.split()), *REST)]


def text(letters):
    return [f"char {letter}" for letter in letters.replace(" ", "_")] + REST


def wheel(place, times, held=""):
    """Over a point."""
    return [*(tap_line for tap_line in ([f"key left-{held} {held}"] if held else [])), *move(place), *["scroll 0 1"] * times,
            *([f"lift left-{held}"] if held else []), *REST]


SEVERAL = ["--iso", "{some},{more},{most}", "--opacity", "0.3,0.5,1"]
CUT = ["--crop", "x=:{half0},y={third1}:"]

# name, words of the command line, steps: events, or functions of the places of widgets that yield events
STOPS = [
    ("first picture", [], []),
    ("empty window", ["{raw}"], [at("import cancel")]),
    ("import of a raw file", ["{raw}"], []),
    ("progress of loading", ["{slow}"], None),
    ("error", [], ["drop {damaged}", *REST]),
    ("lab page", [], keys("l")),
    ("lab stage by stage", ["--rung", "fused=none"], [keys("l"), at("section Machine")]),
    ("stage card", [], [keys("l"), at("stage fused")]),
    ("help", [], keys("h")),
    ("help finds", [], [keys("/"), text("slice")]),
    ("palette", [], [tap("p", "control+shift"), REST, text("slice")]),
    ("histogram zoom", [], [lambda place: wheel(place("histogram", 0.4), 6, "control")]),
    ("smoothed", ["--smooth", "1.5"], []),
    ("four surfaces", ["--iso", "{some},{more},{most},{top}", "--opacity", "0.2,0.4,0.7,1"], []),
    ("several opaque", ["--iso", "{more},{most}", *CUT], []),
    ("mirrored pair", ["{signed}", "--iso", "0.2"], keys("insert shift", "f")),
    ("translucent", ["--opacity", "0.4"], []),
    ("tint by gradient", ["--color-by", "gradient"], []),
    ("tint by z diverging", ["--color-by", "z", "--color-map", "diverging"], []),
    ("slices", [], keys("2", "4", "6")),
    ("slice map cividis", ["--slice-map", "cividis"], [keys("2", "4", "6"), at("slice map")]),
    ("slice cut", [], keys("4", "4 control")),
    ("knife with caps", [], [keys("k"), lambda place: wheel(place("scene"), 3, "control")]),
    ("crop box and grips", CUT, []),
    ("grip under the mouse", CUT, [at("scene", 0.681, 0.495, act=move)]),
    ("open cuts", [*CUT, "--open-cuts"], []),
    ("ruler and angle", [], [keys("4"), *(at("scene", x, y, "shift") for x, y in ((0.35, 0.62), (0.5, 0.35), (0.7, 0.5)))]),
    ("lab race", [], keys("l", "r shift")),
    ("lab pinned times", [], keys("l", "b control", "n")),
    ("lab split picture", ["--rung", "fused=none"], keys("l", "b control", "n", "r control")),
    ("rung of your own", ["--rung-file", "{mine}", "--rung", "fused=none"], [keys("l"), at("stage classify")]),
    ("error in your rung", ["--rung-file", "{broken}", "--rung", "fused=none"], keys("l")),
    ("lab gemm", [], [*keys("l", "g control", "up"), at("stage gemm")]),
    ("probe label", [], [keys("4"), at("scene", 0.5, 0.5)]),
    ("up is x", ["--up", "+x"], []),
    ("from the top", [], keys("7")),
    ("gizmo under the mouse", [], [lambda place: move(place.gizmo())]),
    ("box and scale bar", ["--box"], []),
    ("orthographic box", ["--box", "--orthographic"], []),
    *((f"shading {mode}", ["--shading", mode], []) for mode in ("matcap", "jade", "x-ray", "normals", "flat")),
    ("edges", ["--edges"], []),
    ("open at the border", ["{open}", "--iso", "0.1"], []),
    ("closed by caps", ["{open}", "--iso", "0.1", "--close"], []),
    ("dust hidden and measured", ["--min-size", "20%"], [at("measure")]),
    ("export formats", [], [at("export format")]),
    ("light theme", ["--theme", "light", "--box", "--color-by", "gradient"], []),
    ("light lab", ["--theme", "light"], keys("l")),
    ("light help", ["--theme", "light"], keys("h")),
    ("light label", ["--theme", "light", *CUT], [keys("4"), at("scene", 0.5, 0.5)]),
    ("light error", ["--theme", "light"], ["drop {damaged}", *REST]),
    ("small", ["--size", "640x400"], []),
    ("small panel", ["--size", "640x400"], keys("p", "p")),
    ("small help", ["--size", "640x400"], keys("h")),
    ("small palette", ["--size", "640x400"], [tap("p", "control+shift")]),
    ("small box legend", ["--size", "640x400", "--box", "--color-by", "gradient"], []),
    ("small import", ["{raw}", "--size", "640x400"], []),
    ("small error", ["--size", "640x400"], ["drop {damaged}", *REST]),
    ("large", ["--size", "2560x1440", "--ui-scale", "2", *SEVERAL], []),
    ("large crop", ["--size", "2560x1440", "--ui-scale", "2", "--box", "--color-by", "gradient", *CUT], []),
    ("large lab", ["--size", "2560x1440", "--ui-scale", "2"], [keys("l"), at("stage fused")]),
    ("large help", ["--size", "2560x1440", "--ui-scale", "2"], keys("h")),
    ("large import", ["{raw}", "--size", "2560x1440", "--ui-scale", "2"], []),
]


class Places:
    """Where a part of a widget is, by the log."""

    def __init__(self, log):
        self.found = dict(re.findall(r"widget (.+): (-?\d+ -?\d+ -?\d+ -?\d+)\n", log))

    def __call__(self, name, x=0.5, y=0.5):
        if name not in self.found:
            sys.exit(f"no widget '{name}' among {', '.join(self.found)}")
        left, top, right, bottom = map(int, self.found[name].split())
        return [round(left + x * (right - 1 - left)), round(top + y * (bottom - 1 - top))]

    def gizmo(self):
        """Its end of z at the first view, at scale 1."""
        right, bottom = self("scene", 1, 1)
        return [right - 59, bottom - 95]


class Tour:
    def __init__(self, folder, environment):
        self.folder, self.count = folder, 0
        self.environment = {**os.environ, **drive.NO_LEAKS, **environment, "XDG_STATE_HOME": os.path.join(folder, "state"),
                            "XDG_CONFIG_HOME": os.path.join(folder, "config")}

    def path(self, name):
        return os.path.join(self.folder, name)

    def program(self, *words):
        return subprocess.run([drive.program, *words], cwd=self.folder, check=True, stdout=subprocess.PIPE, text=True).stdout

    def synth(self, field, size):
        self.program("synth", field, "--size", str(size), "-o", f"{field}.nrrd")
        return self.path(f"{field}.nrrd")

    def make_files(self):
        """What the stops open beside the volume."""
        names = {"signed": self.synth("torus", 64), "open": self.synth("gyroid", 48), "raw": self.path("scan.raw"),
                 "slow": self.path("slow.nrrd.gz"), "damaged": self.path("damaged.nrrd")}
        with open(self.synth("metaballs", 96), "rb") as file:
            body = file.read().partition(b"\n\n")[2][:96 * 96 * 64 * 4]
        with open(names["raw"], "wb") as file:
            file.write(body)
        with open(names["damaged"], "w") as file:
            file.write("NRRD0004\ntype: uint8\ndimension: 3\nsizes: 64 64\nencoding: raw\n\n")
        with gzip.open(names["slow"], "wb", 1) as file:
            file.write(b"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 900 900 900\nencoding: raw\n\n")
            for _ in range(900):
                file.write(bytes(810000))
        cuda = not subprocess.run([drive.program, "info", names["signed"], "--backend", "cuda"], capture_output=True).returncode
        text = self.program("ladder", "classify", "--template", "--backend", "cuda" if cuda else "cpu")
        end = "cu" if cuda else "c"
        for name, body in (("mine", text), ("broken", text.replace("size_t i", "size_t 1i", 1))):
            names[name] = self.path(f"{name}.{end}")
            with open(names[name], "w") as file:
                file.write(body)
        return names

    def describe(self, volume):
        """Values and places that words of stops name."""
        facts = json.loads(self.program("info", volume, "--json", "--backend", "cpu"))
        names = {f"half{a}": facts["dims"][a] // 2 for a in range(3)}
        names.update({f"third{a}": facts["dims"][a] // 3 for a in range(3)})
        return {**names, "some": "96%", "more": "97.5%", "most": "98.5%", "top": "99.5%"}

    def play(self, lines, words):
        """The log of a window that plays the events."""
        script = self.path("events.txt")
        with open(script, "w") as file:
            file.writelines(f"{i / 100} {line}\n" for i, line in enumerate(lines))
        shutil.rmtree(self.path("state"), ignore_errors=True)
        done = subprocess.run([drive.program, *words, "--replay", script, "--verbose", *drive.more], cwd=self.folder,
                              env=self.environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, timeout=600)
        return done.stderr.decode(errors="replace")

    def watch(self, words):
        """The log of a window that is photographed while it loads, and then closed."""
        window = drive.Window([drive.program, *words, "--verbose", *drive.more], self.environment, self.folder)
        window.wait_for("widget no file|window", 0, 1)
        subprocess.run(["sleep", "1"], check=True)
        window.press("F12", r"screenshot \S+\n", 10)
        log = window.log()
        window.stop()
        return log

    def stop(self, volume, words, steps, names):
        """The path of the picture."""
        words = [word.format(**names) for word in words]
        words = (words if words and os.path.exists(words[0]) else [volume, *words])
        words += [] if "--size" in words else ["--size", "1280x800"]
        words += [] if "--theme" in words else ["--theme", "dark"]
        if steps is None:
            log = self.watch(words)
        else:
            script = [*REST]
            for step in steps:
                lines = step(Places(self.play(script, words))) if callable(step) else [step] if isinstance(step, str) else step
                script += [line.format(**names) if line.startswith("drop") else line for line in lines]
            log = self.play([*script, *REST, *tap("f12"), *REST], words)
        found = re.findall(r"screenshot (\S+)\n", log)
        if not found:
            sys.exit(f"no picture; the log ends in:\n{log[-3000:]}")
        return self.path(found[-1])


# ---- the sheet ----------------------------------------------------------------------------------------------------------

# Five columns of a glyph each, the lowest bit on top.
GLYPHS = {
    "a": "2054545478", "b": "7f48444438", "c": "3844444420", "d": "384444487f", "e": "3854545418", "f": "087e090102",
    "g": "0c5252523e", "h": "7f08040478", "i": "00447d4000", "j": "2040443d00", "k": "7f10284400", "l": "00417f4000",
    "m": "7c04180478", "n": "7c08040478", "o": "3844444438", "p": "7c14141408", "q": "081414187c", "r": "7c08040408",
    "s": "4854545420", "t": "043f444020", "u": "3c4040207c", "v": "1c2040201c", "w": "3c4030403c", "x": "4428102844",
    "y": "0c5050503c", "z": "4464544c44", "0": "3e5149453e", "1": "00427f4000", "2": "4261514946", "3": "2141454b31",
    "4": "1814127f10", "5": "2745454539", "6": "3c4a494930", "7": "0171090503", "8": "3649494936", "9": "064949291e",
    ".": "0060600000", "-": "0808080808", "_": "4040404040", ":": "0036360000"}


def shrink(picture, width):
    """Rows of the picture at that width, each pixel the mean of a square of others. Cut off where it does not divide."""
    part, n = max(1, picture.width // width), picture.channels
    area, rows = part * part, []
    for top in range(0, picture.height - part + 1, part):
        sums = list(map(sum, zip(*picture.rows[top:top + part])))
        row = bytearray(3 * (picture.width // part))
        for c in range(3):
            channel = sums[c::n]
            row[c::3] = bytes(sum(group) // area for group in zip(*(channel[i::part] for i in range(part))))
        rows.append(bytes(row))
    return rows


def label(name, width):
    """Rows of a line of text."""
    rows = [bytearray(bytes(BACK) * width) for _ in range(LABEL)]
    for i, letter in enumerate(name.lower()):
        for column, bits in enumerate(bytes.fromhex(GLYPHS.get(letter, "0000000000"))):
            x = 2 + 6 * i + column
            for y in range(7):
                if bits >> y & 1 and x < width:
                    rows[5 + y][3 * x:3 * x + 3] = bytes(INK)
    return rows


def lay_out(tiles, columns):
    """Rows of a sheet of tiles: (name, rows) each. As high as the highest of its line."""
    wide, sheet = max(len(rows[0]) // 3 for _, rows in tiles), []
    for first in range(0, len(tiles), columns):
        line = tiles[first:first + columns]
        high = max(len(rows) for _, rows in line)
        blank = bytes(BACK) * wide
        parts = [label(name, wide) + [row + blank[len(row):] for row in rows] + [blank] * (high - len(rows))
                 for name, rows in line]
        parts += [[blank] * (LABEL + high)] * (columns - len(line))
        sheet += [b"".join(part[y] + bytes(BACK) * 4 for part in parts) for y in range(LABEL + high)]
    return sheet


def write_png(path, rows):
    """Each row as differences to the pixel before or the row above, whichever are smaller."""
    packer, packed, above = zlib.compressobj(9), b"", bytes(len(rows[0]))
    for row in rows:
        kinds = (bytes((a - b) & 255 for a, b in zip(row, other)) for other in (bytes(3) + row[:-3], above))
        kind, line = min(enumerate(kinds, 1), key=lambda k: sum(min(v, 256 - v) for v in k[1]))
        packed += packer.compress(bytes([kind]) + line)
        above = row
    packed += packer.flush()
    head = struct.pack(">IIBBBBB", len(rows[0]) // 3, len(rows), 8, 2, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for kind, body in ((b"IHDR", head), (b"IDAT", packed), (b"IEND", b"")):
            file.write(struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("sheet")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--only", default="")
    parser.add_argument("--columns", type=int, default=6)
    parser.add_argument("--width", type=int, default=320)
    parser.add_argument("--keep")
    words = parser.parse_args()
    drive.program = os.path.abspath(words.program)
    if drive.missing_tool():
        sys.exit(f"no {drive.missing_tool()}")
    wanted, tiles = tuple(words.only.split(",")), []
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        tour = Tour(folder, {"DISPLAY": stack.enter_context(drive.display("2600x1500"))})
        made = tour.make_files()
        for volume in map(os.path.abspath, words.files or [tour.synth("vessels", 128)]):
            names = {**made, **tour.describe(volume)}
            before = f"{os.path.basename(volume).split('.')[0]}: " if len(words.files) > 1 else ""
            for name, options, steps in STOPS:
                if not name.startswith(wanted):
                    continue
                print(before + name, flush=True)
                path = tour.stop(volume, options, steps, names)
                if words.keep:
                    os.makedirs(words.keep, exist_ok=True)
                    shutil.copy(path, os.path.join(words.keep, f"{before}{name}.png".replace(": ", "_").replace(" ", "_")))
                if words.sheet != "-":
                    tiles.append((before + name, shrink(Picture(path), words.width)))
    if tiles:
        write_png(words.sheet, lay_out(tiles, words.columns))


if __name__ == "__main__":
    main()
