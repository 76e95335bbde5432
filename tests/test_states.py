#!/usr/bin/env python3
"""Random changes of settings by palette, keys, mouse and panel: states, undo and copied commands give the same pictures.
STATES_SEEDS: like "1 2 3" or "1-100", which takes a quarter of an hour.
Usage: test_states.py ISOSCOPE TEST_PALETTE; replay.py and drive.py have more."""
import collections
import os
import random
import re
import shlex
import subprocess
import sys

import drive
from picture import Picture
from replay import REST, SCREENSHOT, ReplayTest, click, drag, move, tap


lister = None  # set at the end


def numbers(text):
    """ "1 2 5-7" """
    pairs = [(word.split("-") * 2)[:2] for word in text.split()]
    return [i for first, last in pairs for i in range(int(first), int(last) + 1)]


SEEDS = numbers(os.environ.get("STATES_SEEDS", "1-6"))
APART, PART = 8, 0.001  # as test_habits.py has them: of 255; of the pixels
# What sets nothing of the picture, changes its size, or needs another file. All other actions take part, also those to come.
OTHERS = re.compile("quit|open a file|volume of the folder|panel|text and controls|help|palette|full screen|picture|cancel|redo|"
                    "write the surface|save the state|play the frames|next frame|previous frame|with CUDA")
# Parts of the panel that stand still while it has one surface: those above its list, and the list.
PLAIN = re.compile(r"(shading|up|slice [xyz]|knife|crop|cut|box|caps|edges|orthographic|fit|auto|add|dust|sigma|histogram|surface 0) ?"
                   r"(?!.*(colour|scale|window|map)).*")
SAVE, COPY, ESCAPE = ([*tap(key, held), *REST] for key, held in (("s", "control"), ("c", "control"), ("escape", "")))


def at_once(events):
    """All in one poll of events, as from fast typing."""
    return [events[0], *("+" + event for event in events[1:])]


def palette(title):
    """Runs the action that this title finds."""
    letters = [f"char {c}" if c != " " else "char U+0020" for c in title[:60]]
    return at_once([*tap("p", "control+shift"), *letters, *tap("enter")])


class States(ReplayTest):
    size = "900x800"  # which shows all of the panel

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        words = [lister, "list"]
        cls.titles = [title for title in subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
                      if not OTHERS.search(title)]
        with open(cls.synth("vessels", 36, "flat.nrrd"), "rb") as file:
            content = file.read()
        flat = content.replace(b"(1,0,0) (0,1,0) (0,0,1)", b"(1,0,0) (0,1,0) (0,0,2)")
        assert flat != content
        with open(cls.path("flat.nrrd"), "wb") as file:
            file.write(flat)
        cls.volumes = [cls.path("flat.nrrd"), cls.synth("torus", 32, "signs.nrrd"), cls.synth("noise", 20, "dust.nrrd")]
        cls.counts = collections.Counter()

    @classmethod
    def tearDownClass(cls):
        ran = set(cls.counts)
        print(f"{sum(cls.counts.values())} actions, {len(ran)} of {len(cls.titles)} entries of the palette; "
              f"not run: {sorted(set(cls.titles) - ran) or 'none'}", flush=True)
        super().tearDownClass()

    # ---- a series ------------------------------------------------------------------------------------------------------

    def from_palette(self, draw):
        return palette(draw.choice(self.titles))

    def on_panel(self, draw):
        """A click somewhere on a control, or a drag along it. If something else is there by then, that gets the events."""
        name = draw.choice(self.controls)
        x, other = draw.uniform(0.05, 0.95), draw.uniform(0.05, 0.95)
        if draw.random() < 0.5:
            return click(self.point(name, x))
        return drag(self.point(name, x), self.point(name, other), 5)

    def in_scene(self, draw):
        """A turn, a move, or a turn of the wheel, which with Control moves slices and cuts."""
        place = [self.point("scene", *(draw.uniform(0.1, 0.9) for _ in "xy")) for _ in range(2)]
        wheel = draw.choice(["scroll 0 1", "scroll 0 -1"])
        return draw.choice([drag(*place, 5), drag(*place, 5, "right"), [*move(place[0]), wheel, wheel],
                            [*move(place[0]), "key left-control control", wheel, "lift left-control"]])

    def series(self, seed):
        draw = random.Random(seed)
        ways = draw.choices([self.from_palette, self.on_panel, self.in_scene], [6, 3, 1], k=draw.randint(6, 14))
        start = draw.choice([[], [], ["--smooth", "1.1mm"], ["--iso", "60%,80%", "--keep", "all,2"],
                             ["--iso", "90%", "--crop", "x=3:20"]])
        return draw.choice(self.volumes), start, [line for way in ways for line in (*way(draw), *REST, *ESCAPE)], len(ways)

    # ---- what must be alike --------------------------------------------------------------------------------------------

    def check_alike(self, one, other, what):
        with open(self.path(one), "rb") as a, open(self.path(other), "rb") as b:
            if a.read() == b.read():
                return  # in a hundredth of the time
        one, other = (Picture(self.path(path)) for path in (one, other))
        self.assertEqual((one.width, one.height), (other.width, other.height), what)
        pairs = zip(b"".join(one.rows), b"".join(other.rows))
        off = sum(abs(a - b) > APART for a, b in pairs)
        self.assertLessEqual(off, PART * one.width * one.height, f"bytes that differ: {what}")

    def check_same_file(self, one, other, what):
        with open(self.path(one)) as a, open(self.path(other)) as b:
            self.assertEqual(a.read(), b.read(), what)

    def saved(self, log, places):
        """The picture and the state at each place of the script that writes them."""
        parts = re.split(r"copied isoscope .*\n", log)
        self.assertEqual(len(parts), places + 1, "a command is copied at each place")
        return [(re.findall(r"screenshot (\S+)\n", part)[-1], re.findall(r"\d state (\S+)\n", part)[-1]) for part in parts[:-1]]

    def run_command(self, text):
        words = shlex.split(text)
        done = self.run_program(*words[1:])
        self.assertEqual(done.returncode, drive.OK, f"{text}\n{done.stderr}")
        return re.search(r"wrote (\S+):", done.stdout)[1]

    def check_series(self, seed):
        volume, start, lines, count = self.series(seed)
        stop = [*SCREENSHOT, *SAVE, *COPY]
        keys = [tap(key, "control") * (count + 2) for key in "zy"]  # each drawn, or all at once
        again = [line for key in keys for line in (*(key if seed % 2 else at_once(key)), *REST, *stop)]
        log, _ = self.play([*REST, *stop, *lines, *stop, *again], *start, volume=volume)
        if "KEEP" in os.environ:
            with open(os.path.join(os.environ["KEEP"], f"states_{seed}.log"), "w") as file:
                file.write(log)
        for title in re.findall(r"palette runs '(.*)'", log):
            self.counts[title] += 1
        first, last, undone, redone = self.saved(log, 4)
        self.check_alike(first[0], undone[0], "the first and the one after undo")
        self.check_same_file(first[1], undone[1], "the first state and the one after undo")
        self.check_alike(last[0], redone[0], "the last and the one after redo")
        self.check_same_file(last[1], redone[1], "the last state and the one after redo")
        other, _ = self.play([*REST, *stop], "--load-state", last[1], "--save-state", "closed.state", volume=volume)
        (loaded, state), = self.saved(other, 1)
        self.check_alike(last[0], loaded, "the last and that of its state")
        self.check_same_file(last[1], state, "a state and what was loaded from it")
        self.check_same_file(state, "closed.state", "Ctrl+S and --save-state")
        command = re.findall(r"copied (isoscope .*)\n", log)[1]
        self.check_alike(last[0], self.run_command(command), f"the last and that of {command}")
        of_state = self.run_command(f"isoscope render {last[1]} -o state.png")
        self.check_alike(last[0], of_state, "the last and what render makes of its state")
        return len(re.findall(r"\d step \d+:", log))

    def test_what_is_switched_off_is_no_step(self):
        """Rungs that make a soup show all parts. That may become known when the rungs are a step already: no step of its own,
        from which undo would return to it for ever. If it is known before, it does not name the step."""
        keys = [line for key in "zy" for line in (*tap(key, "control"), *REST)]
        for size in 250, 40:  # a soup that takes longer than a step, and one that does not
            volume = self.synth("noise", size, f"noise_{size}.nrrd")
            log, _ = self.play([*REST, *palette("all stages and side ops"), *REST, *keys], "--keep", "2", "--iso", "98%", volume=volume)
            print("the soup was", "in time" if re.search(r"generate=soup(?s:.*)\d step 1: ", log) else "late", flush=True)
            self.assertEqual(re.findall(r"\d step \d+: (\S+)", log), ["rung"], log)
            self.assertEqual(re.findall(r"(undo|redo) to step (\d): (\S+)", log), [("undo", "0", "rung"), ("redo", "1", "rung")])

    def test_slices_without_a_surface(self):
        """Their colours need the range of the values, which may be known after the first picture; nothing else draws it again."""
        volume = self.synth("noise", 250, "large.nrrd")
        words = ["--iso", "100", "--hide", "1", "--slice", "x=15", "--target", "0,0,0", "--distance", "4", "--rung",
                 "reduce=textbook"]  # which takes long
        log, _ = self.play([*REST, *SCREENSHOT], *words, volume=volume)
        shown = re.findall(r"screenshot (\S+)\n", log)[-1]
        size = Picture(self.path(shown))
        words += ["--legend", "--size", f"{size.width}x{size.height}"]
        done = self.run_program("render", volume, *words, "-o", "render.png")
        self.assertEqual(done.returncode, drive.OK, done.stderr)
        self.check_alike(shown, self.path("render.png"), "the window and render")

    def test_a_split_scene_is_the_same_picture(self):
        """A and B make the same surface; its caps belong to one of them."""
        words, volume = ["--close", "--smooth", "1.5mm", "--shading", "jade"], self.volumes[2]
        logs = [self.play([*REST, *lines, *SCREENSHOT], *words, volume=volume)[0] for lines in ([], [*palette("rungs: split"), *REST])]
        self.assertIn("rival B", logs[1])
        self.check_alike(*(re.findall(r"screenshot (\S+)\n", log)[-1] for log in logs), "the whole scene and the split one")

    def test_series(self):
        self.point = self.widgets()
        self.controls = [name for name in self.point.names if PLAIN.fullmatch(name)]
        self.assertGreater(len(self.controls), 30)
        for seed in SEEDS:
            with self.subTest(seed=seed):
                print(f"seed {seed}: {self.check_series(seed)} steps", flush=True)


if __name__ == "__main__":
    lister = os.path.abspath(sys.argv.pop(2))
    drive.main()
