"""Events for `isoscope --replay` (src/window/events.h): scripts made of lines, and windows that play them."""
import os
import re
import shutil
import subprocess

import drive

REST = ["rest"]


def tap(key, held=""):
    """A key pressed and released, and the character that it types, unless Control is held."""
    typed = [f"char {key}"] if len(key) == 1 and "control" not in held else []
    return [f"key {key} {held}", *typed, f"lift {key} {held}"]


def move(point):
    return ["move {} {}".format(*point)]


def click(point, held=""):
    return [*move(point), f"press left {held}", f"release left {held}"]


def drag(start, end, steps=40, button="left"):
    """A drag in even steps. The button is held for a moment at the end, so that nothing depends on time."""
    between = [move([a + (b - a) * i / steps for a, b in zip(start, end)])[0] for i in range(1, steps + 1)]
    return [*move(start), f"press {button}", *between, f"release {button}"]


SCREENSHOT = [*tap("f12", "control"), *REST]
FIT = [*tap("f"), *REST]


class ReplayTest(drive.WindowTest):
    """Plays scripts in windows of `size`, with `volume` unless told otherwise."""
    size = "900x600"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.volume = cls.synth("metaballs", 48)
        cls.environment = {**os.environ, **drive.NO_LEAKS, "DISPLAY": cls.display, "XDG_STATE_HOME": cls.path("state")}
        cls.count = 0
        cls.places = {}  # of widgets, by the program's words

    def write(self, lines):
        """Writes a script and returns its path. A line that begins with + comes in the same poll of events as the line before."""
        type(self).count += 1
        path, at = self.path(f"events_{self.count}.txt"), 0
        with open(path, "w") as file:
            for line in lines:
                at += not line.startswith("+")
                file.write(f"{at / 100} {line.lstrip('+')}\n")
        return path

    def play(self, lines, *words, volume=None, code=drive.OK, seconds=300):
        """Plays a script. Returns the log and what was printed. Nothing is remembered from earlier windows."""
        script = self.write(lines)
        shutil.rmtree(self.path("state"), ignore_errors=True)
        words = [drive.program, volume or self.volume, "--size", self.size, "--replay", script, "--verbose", *words,
                 *drive.more]
        try:
            done = subprocess.run(words, cwd=self.folder, env=self.environment, capture_output=True, timeout=seconds)
        except subprocess.TimeoutExpired as late:
            self.fail(f"the window still works after {seconds} s; last it said {late.stderr[-2000:].decode()}")
        log = done.stderr.decode(errors="replace")
        if done.returncode == drive.NO_GL and "OpenGL has reported" not in log:
            self.skipTest(log.strip())
        wrong = re.search(r"^.*(?:Sanitizer|runtime error).*$|^OpenGL: .*$", log, re.M)
        if wrong:
            self.fail(f"code {done.returncode}\n{log[max(0, wrong.start() - 2000):wrong.end() + 2000]}")
        self.assertEqual(done.returncode, code, log[-4000:])
        return log, done.stdout.decode()

    def widgets(self, *words):
        """Returns a function of a widget's name and parts that gives the middle of the widget or its part. It knows all names."""
        if words not in self.places:
            self.places[words] = dict(re.findall(r"widget (.+): (\d+ \d+ \d+ \d+)\n", self.play(REST, *words)[0]))
        found = self.places[words]

        def point(name, x=0.5, y=0.5):
            left, top, right, bottom = map(int, found[name].split())
            return [round(left + x * (right - 1 - left)), round(top + y * (bottom - 1 - top))]
        point.names = list(found)
        return point

    def shot(self, log):
        """The path of the last picture."""
        return self.path(re.findall(r"screenshot (\S+)\n", log)[-1])
