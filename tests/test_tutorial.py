#!/usr/bin/env python3
"""Runs every command of docs/TUTORIAL.md and docs/EXERCISES.md as written, in order, in one folder. Each must succeed and print what
the page says, and make the pictures in assets/tutorial/. Windows close when they have come to rest.
Usage: test_tutorial.py ISOSCOPE SOURCE; drive.py has more."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import drive
from picture import Picture

SOURCE = pathlib.Path(sys.argv.pop(2)).resolve()
TEXT = (SOURCE / "docs/TUTORIAL.md").read_text()
RACES = 20  # tries until a race shows: its threads must meet, which they rarely do on a busy machine
ALIKE = 2  # mean difference of a colour, of 255: OpenGL drivers draw edges in their own ways


def commands(text):
    """Each command, with the output that the page shows."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


class Tutorial(drive.WindowTest):
    def setUp(self):
        """`isoscope` in the PATH; a window is given a script that closes it."""
        (pathlib.Path(self.folder) / "bin").mkdir(exist_ok=True)
        shutil.copytree(SOURCE / "data", self.path("data"), dirs_exist_ok=True)
        with open(self.path("rest.txt"), "w") as file:
            file.write("0 rest\n")
        with open(self.path("bin/isoscope"), "w") as file:
            file.write(f'#!/bin/sh\ncase "$1" in\n*.nrrd) exec "{drive.program}" "$@" --replay rest.txt ;;\n'
                       f'*) exec "{drive.program}" "$@" ;;\nesac\n')
        os.chmod(file.name, 0o700)
        self.environment = {**os.environ, **drive.NO_LEAKS, "DISPLAY": self.display, "HOME": self.folder,
                            "PATH": self.path("bin") + ":" + os.environ["PATH"]}

    def answer(self, command):
        return subprocess.run(["sh", "-c", command], cwd=self.folder, env=self.environment, capture_output=True, text=True)

    def answers(self, command, expected):
        for _ in range(RACES):
            done = self.answer(command)
            if "race.c is right" not in done.stdout:
                break
        if "race.c is right" in done.stdout and len(os.sched_getaffinity(0)) == 1:
            print("skipped: with one core, the threads of a race do not meet", flush=True)
            return
        if done.returncode == drive.NO_GL:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, drive.OK, f"{command}\n{done.stderr}")
        # "...": any lines; at the end of a line: any more of it
        pattern = "".join(r"(?:.*\n)*?" if line == "..." else
                          re.sub(r"(\\ )+", " +", re.escape(line.removesuffix("...").rstrip())) +
                          (r".*\n" if line.endswith("...") else r"\n")
                          for line in expected)
        if not command.split()[1].endswith(".nrrd"):  # a replay prints its figures
            self.assertRegex(done.stdout, rf"\A{pattern}\Z", command)

    def test_commands(self):
        self.assertGreater(len(commands(TEXT)), 15)
        for command, expected in commands(TEXT):
            self.answers(command, expected)
        self.pictures()

    def test_exercises(self):
        found = commands((SOURCE / "docs/EXERCISES.md").read_text())
        self.assertGreater(len(found), 10)
        for command, expected in found:
            self.answers(command, expected)

    def pictures(self):
        """Pictures made by a command equal what it makes now. The others exist."""
        shown = re.findall(r"!\[.+\]\(\.\./assets/tutorial/(.+)\)", TEXT)
        made = [name for name in shown if os.path.exists(self.path(name))]
        files = [SOURCE / "assets/tutorial" / name for name in shown]
        self.assertEqual(sorted(files), sorted((SOURCE / "assets/tutorial").iterdir()))
        self.assertGreaterEqual(len(made), 3)
        self.assertLess(sum(file.stat().st_size for file in files), 300_000, "a clone should stay small")
        for name in made:
            one, other = Picture(self.path(name)), Picture(SOURCE / "assets/tutorial" / name)
            self.assertEqual((one.width, one.height), (other.width, other.height))
            pairs = [(a, b) for y in range(one.height) for x in range(one.width) for a, b in zip(one[x, y], other[x, y])]
            self.assertLess(sum(abs(a - b) for a, b in pairs) / len(pairs), ALIKE, name)


if __name__ == "__main__":
    drive.main()
