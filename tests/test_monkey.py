#!/usr/bin/env python3
"""Random events in the real window: it neither crashes nor hangs, and OpenGL reports no errors. Faults found this way are kept here
as scripts. MONKEY_EVENTS: how many per seed; MONKEY_SEEDS: like "1 2 3".
Usage: test_monkey.py ISOSCOPE; replay.py and drive.py have more."""
import os
import random
import re

import drive
from replay import REST, ReplayTest

EVENTS = int(os.environ.get("MONKEY_EVENTS", "1000"))
SEEDS = list(map(int, os.environ.get("MONKEY_SEEDS", "1 2 3").split()))
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-=[],./;'`"
NAMED = ("space escape enter tab backspace insert delete right left down up page-up page-down home end left-shift left-control "
         "left-alt right-shift right-control f1 f2 f3 f4 f11 f12 #161 #320 #335").split()
HELD = ["", "", "", "shift", "control", "shift+control", "alt"]
SIZES = [(1, 1), (40, 30), (320, 240), (460, 300), (640, 480), (900, 600), (1280, 800)]


class Monkey(ReplayTest):
    size = "640x480"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.volume = cls.synth("vessels", 40)
        cls.files = [cls.volume, cls.synth("noise", 24, "noise.nrrd"), cls.path("none.nrrd"), cls.folder]
        for name, content in (("bad.nrrd", b"NRRD0004\ntype: uint8\n"), ("RAW.raw", bytes(range(64)) * 8)):
            with open(cls.path(name), "wb") as file:
                file.write(content)
            cls.files.append(cls.path(name))

    def kinds(self):
        """All kinds of events, as the program lists them."""
        with open(self.path("kinds.txt"), "w") as file:
            file.write("0 ?\n")
        said = self.run_program(self.volume, "--replay", "kinds.txt").stderr
        return re.search(r"expected one of (.*)", said)[1].split()

    def place(self, draw):
        return f"{draw.randint(-9, 650)} {draw.randint(-9, 490)}"

    def key(self, draw):
        """A key that does not quit."""
        key, held = draw.choice([*LETTERS, *NAMED]), draw.choice(HELD)
        return key + (f" {held}" if held and not (key == "q" and "control" in held) else "")

    def button(self, draw):
        return draw.choice(["left", "left", "left", "right", "middle", "4"]) + " " + draw.choice(HELD)

    def arguments(self, draw, kind):
        return {"move": self.place, "press": self.button, "release": self.button,
                "scroll": lambda draw: f"{draw.randint(-1, 1)} {draw.randint(-4, 4)}",
                "key": self.key, "repeat": self.key, "lift": self.key,
                "char": lambda draw: draw.choice([*LETTERS.upper(), *LETTERS, "{", "}", "+", "_", "%", "U+0020", "U+0416"]),
                "size": lambda draw: "{} {}".format(*draw.choice(SIZES)),
                "drop": lambda draw: "\t".join(draw.sample(self.files, draw.choice([1, 1, 2]))),
                "minimise": lambda draw: "", "restore": lambda draw: "", "rest": lambda draw: ""}[kind](draw)

    def events(self, seed):
        draw, often = random.Random(seed), {"move": 12, "press": 5, "release": 5, "key": 4, "char": 8, "scroll": 3}
        kinds = self.kinds()
        chosen = draw.choices(kinds, [often.get(kind, 1) for kind in kinds], k=EVENTS)
        return [f"{kind} {self.arguments(draw, kind)}".rstrip() for kind in chosen]

    def test_random_events(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                lines = self.events(seed)
                self.assertGreaterEqual(len(set(line.split()[0] for line in lines)), min(13, EVENTS // 50))
                _, said = self.play(lines)
                print(f"seed {seed}, {len(lines)} events: {said.strip()}", flush=True)


class Found(ReplayTest):
    """Faults that random events have found."""

    def test_sizes_while_it_is_drawn(self):
        """The picture of the previous size is shown until there is a new one. It was once dropped."""
        sizes = [f"size {500 + 20 * i} {400 + 10 * i}" for i in range(8)]
        lines = [line for size in sizes for line in (size, "char 1", "char 7", "char 3")]
        log, _ = self.play([*REST, *lines, *REST], volume=self.synth("noise", 64, "noise.nrrd"))
        if not drive.as_is:  # a GPU has drawn it before the next event
            self.assertIn("drawing stopped", log)

    def test_a_window_smaller_than_its_boxes(self):
        """Some boxes stick out at the left and at the top. Once, their negative coordinates were shifted, as the sanitizer's
        build found."""
        for size in ("size 320 240", "size 40 30", "size 1 1"):
            self.play([*REST, size, *REST, *[line for key in "hhllppp6k" for line in (f"char {key}", *REST)]])

    def test_rungs_of_a_backend_that_is_not_there(self):
        """A backend and its rungs were once chosen before it was known that the backend is not available."""
        for keys in ("tn", "tx", "tb", "nt", "tnt"):
            first, *others = [f"char {key}" for key in keys]
            log, _ = self.play([*REST, first, *[f"+{other}" for other in others], *REST, "char =", *REST])
            self.assertGreater(len(re.findall(drive.FULL, log)), 1)

    def test_a_slice_without_the_surface_that_was_drawn_last(self):
        """Its vertex array was what slices were drawn with, and had gone with it. So they were not drawn while the view was turned."""
        moves = [f"move {600 + 6 * i} {300 + 4 * i}" for i in range(8)]
        lines = [*REST, moves[0], "press left", *moves[1:4], "key delete", "lift delete", *moves[4:], "release left", *REST]
        log, _ = self.play(lines, "--size", "900x800", "--iso", "60%,80%", "--opacity", "0.3,1", "--slice", "y=8",
                           volume=self.synth("metaballs", 48, "balls.nrrd"))
        self.assertRegex(log, r"step 1: .*removed")


if __name__ == "__main__":
    drive.main()
