"""Helpers of the window tests: a display, windows with their logs and widgets, and base classes for unittest.

Windows open under Xvfb, driven by xdotool. What happens is read from the program's log, which also says where its widgets
are. DISPLAY_AS_IS=1 opens them on the present DISPLAY instead, to run the same tests on a GPU; ISOSCOPE_WORDS holds more
words for the program. With STALLED=1 the program is stopped while keys and mouse are used, so that events come in together
as on a slow machine."""
import contextlib
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

as_is = os.environ.get("DISPLAY_AS_IS") == "1"
more = os.environ.get("ISOSCOPE_WORDS", "").split()
stalled = os.environ.get("STALLED") == "1"
program = volume = None  # set by main()
OK, FAILED, USAGE, INPUT, NO_GL, NO_CUDA = range(6)
FULL, DRAWN = r"iso (\S+): (\d+) triangles, (\d+) vertices", r"draw [^\n]* ms"
QUIET, SLOW = 3, 15  # seconds: longer than any delay of the program; longer than all samples of a picture on a slow machine
SIZE, WIDE = "900x800", "1280x800"  # room for all of the panel and a scene beside it; and one that is wider than high
NO_LEAKS = {"ASAN_OPTIONS": "detect_leaks=0"}  # OpenGL drivers leak; they are unloaded before the search for leaks


def main():
    """Runs the script's tests: SCRIPT ISOSCOPE [VOLUME] [unittest's words]. Exits with 77 if all were skipped."""
    global program, volume
    program = os.path.abspath(sys.argv.pop(1))
    if len(sys.argv) > 1 and os.path.isfile(sys.argv[1]):
        volume = os.path.abspath(sys.argv.pop(1))
    result = unittest.main(exit=False, verbosity=2).result
    skipped = result.skipped and result.testsRun <= len(result.skipped)
    sys.exit(1 if not result.wasSuccessful() else 77 if skipped else 0)


def missing_tool():
    """The name of a missing tool, or None."""
    return next((tool for tool in ["xdotool"] + ([] if as_is else ["Xvfb"]) if not shutil.which(tool)), None)


@contextlib.contextmanager
def display(size="1300x820"):
    """The name of a display that lives as long as the block."""
    if as_is:  # one test at a time: windows on one display would take each other's keys
        name = f"isoscope-{os.getuid()}-{os.environ['DISPLAY'].replace('/', '_')}"
        with open(os.path.join(tempfile.gettempdir(), name), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield os.environ["DISPLAY"]
        return
    ready, told = os.pipe()  # the server picks a free number and reports it: tests run in parallel
    server = subprocess.Popen(["Xvfb", "-displayfd", str(told), "-screen", "0", f"{size}x24",
                               "-noreset"],  # a reset after the last client could drop a client that comes early
                              pass_fds=[told], stderr=subprocess.DEVNULL)
    os.close(told)
    try:
        with os.fdopen(ready) as answer:
            yield f":{answer.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


class Window:
    """A window that runs in `folder`, with its stderr in log.txt."""

    def __init__(self, words, environment, folder):
        self.environment, self.path = environment, os.path.join(folder, "log.txt")
        with open(self.path, "w") as err:
            self.process = subprocess.Popen(words, env=environment, stderr=err, cwd=folder)

    # ---- the log -------------------------------------------------------------------------------------------------------

    def log(self, since=0):
        with open(self.path, errors="replace") as file:
            return file.read()[since:]

    def mark(self):
        return len(self.log())

    def wait_for(self, pattern, since=0, seconds=30):
        """The first match of `pattern` in the log after `since`, or None."""
        end = time.time() + seconds
        while time.time() < end and self.is_open() and not re.compile(pattern).search(self.log(), since):
            time.sleep(0.01)
        return re.compile(pattern).search(self.log(), since)

    def sanitizers_spoke(self):
        return bool(re.search(r"Sanitizer|runtime error", self.log()))

    # ---- keys and mouse ------------------------------------------------------------------------------------------------

    def xdo(self, *words):
        if stalled:
            self.process.send_signal(signal.SIGSTOP)
        try:
            subprocess.run(["xdotool", *map(str, words)], env=self.environment, check=True, stdout=subprocess.DEVNULL)
        finally:
            if stalled:
                self.process.send_signal(signal.SIGCONT)

    def press(self, key, pattern, seconds=120):
        """Presses a key; returns the match in the log after it."""
        since = self.mark()
        self.xdo("key", key)
        return self.wait_for(pattern, since, seconds)

    def point(self, widget, x=0.5, y=0.5):
        """A pixel of a widget, from 0, 0 (upper left) to 1, 1 (lower right). "scene" is the picture next to the panel;
        `isoscope --verbose` names the others."""
        line = rf"widget {widget}: (\d+) (\d+) (\d+) (\d+)\n"
        self.wait_for(line)
        left, top, right, bottom = map(int, re.findall(line, self.log())[-1])
        return round(left + x * (right - 1 - left)), round(top + y * (bottom - 1 - top))

    def point_at(self, widget, x=0.5, y=0.5):
        self.xdo("mousemove", *self.point(widget, x, y))

    def click(self, widget, pattern, x=0.5, y=0.5, modifier=None):
        """Clicks on a widget; returns the match in the log after it."""
        since = self.mark()
        words = ["mousemove", *self.point(widget, x, y), "click", 1]
        self.xdo(*(["keydown", modifier, *words, "keyup", modifier] if modifier else words))
        return self.wait_for(pattern, since)

    @contextlib.contextmanager
    def held(self, widget, x=0.5, y=0.5):
        """Holds the left button on the widget during the block."""
        self.xdo("mousemove", *self.point(widget, x, y), "mousedown", 1)
        try:
            yield
        finally:
            self.xdo("mouseup", 1)  # the next test uses the same display

    def drag(self, widget, x_from, x_to, seconds=1.5):
        """Drags along the widget in many small moves, on a slow machine at least to x_to; returns the log's position before the drag."""
        since = self.mark()
        with self.held(widget, x_from):
            start = time.time()
            while (part := (time.time() - start) / seconds) < 1:
                self.point_at(widget, x_from + part * (x_to - x_from))
                time.sleep(0.01)  # the speed of a hand
            self.point_at(widget, x_to)
        return since

    def drag_by_steps(self, widget, places, pattern):
        """Drags a slider, the histogram or a number from place to place along the widget. Waits for the pattern at each place but the
        first, however long drawing takes, and releases the button. Returns the log's position before the drag."""
        since = self.mark()
        with self.held(widget, places[0]):
            self.wait_for(r"(value|slice) held", since)
            for place in places[1:]:
                before = self.mark()
                self.point_at(widget, place)
                self.wait_for(pattern, before)
        self.wait_for(r"(value|slice) released", since)
        return since

    def drag_value(self, seconds=1.5):
        """Drags the value along its histogram and releases it. Returns the log's position before the drag."""
        since = self.drag("histogram", 0.2, 0.75, seconds)
        self.wait_for(r"value released", since)
        return since

    # ---- the end -------------------------------------------------------------------------------------------------------

    def is_open(self):
        return self.process.poll() is None

    def wait_for_end(self, seconds):
        """The exit code; None if the program had to be killed."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.stop()
            return None

    def stop(self):
        if self.is_open():
            self.process.kill()
            self.process.wait()


class TestedWindow(Window):
    """A window that fails its test if the log lacks an expected line or the exit code is unexpected."""

    def __init__(self, test, words):
        self.test = test
        environment = {**os.environ, **NO_LEAKS, "DISPLAY": test.display, "XDG_STATE_HOME": test.path(f"state {test.id()}")}
        super().__init__([program, *words, "--verbose", *more], environment, test.folder)

    def wait_for(self, pattern, since=0, seconds=120):
        found = super().wait_for(pattern, since, seconds)
        self.test.assertTrue(found, f"no '{pattern}' in the log")
        return found

    def says(self, pattern, since):
        """The log so far."""
        return re.findall(pattern, self.log(since))

    def settle(self, modifier="Control_L"):
        """Waits until the program has handled and drawn everything that was sent to it, and reports that it rests. Presses and releases
        Control, which does nothing, and waits for such a report after each. The first may belong to something earlier, the second
        cannot. If text was typed before, Control in the same frame would turn letters into commands."""
        for word in ("keydown", "keyup"):
            since = self.mark()
            self.xdo(word, modifier)
            self._wait_for_rest(since)

    def _wait_for_rest(self, since):
        """Waits for the report that the window rests. A window that never reports it, such as one without a volume, must be
        quiet for long."""
        quiet, before, start = 0, None, time.time()
        while self.is_open() and not (log := self.log())[since:].endswith(" rest\n"):
            may_rest = " load " in log and not log.endswith(" rest\n")
            if quiet > (SLOW if may_rest else QUIET):
                return
            time.sleep(0.02)
            if before != len(log):
                before, start = len(log), time.time()
            quiet = time.time() - start

    def ends(self, code):
        self.test.assertEqual(self.wait_for_end(120), code)
        self.test.assertFalse(self.sanitizers_spoke())

    def quit(self):
        self.xdo("key", "ctrl+q")
        self.ends(OK)

    def rest(self):
        """Waits until there is nothing left to do: pictures are finished, and the machine's copy rate is known."""
        self.wait_for(r" rest\n")
        self.settle()


class ProgramTest(unittest.TestCase):
    """Runs the program in a temporary folder."""

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory())

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def run_program(cls, *words):
        return subprocess.run([program, *map(str, words)], cwd=cls.folder, capture_output=True, text=True,
                              env={**os.environ, **NO_LEAKS})

    @classmethod
    def synth(cls, field, size, name="v.nrrd"):
        """The path of a new volume."""
        subprocess.run([program, "synth", field, "--size", str(size), "-o", cls.path(name)], check=True,
                       stdout=subprocess.DEVNULL)
        return cls.path(name)

    def info(self, *words):
        done = self.run_program("info", *words, "--json", "--backend", "cpu")
        self.assertEqual(done.returncode, OK, done.stderr)
        return json.loads(done.stdout)

    def render(self, name, *words):
        """The path of a new picture. Skips the test without OpenGL."""
        done = self.run_program("render", *words, "-o", name)
        if done.returncode == NO_GL:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, OK, done.stderr)
        return self.path(name)


class WindowTest(ProgramTest):
    """Opens windows and stops them after each test. Prints the log if the test failed."""

    @classmethod
    def setUpClass(cls):
        if missing_tool():
            raise unittest.SkipTest(f"no {missing_tool()}")
        super().setUpClass()
        cls.display = cls.enterClassContext(display())

    def run(self, result=None):
        self.window = None
        bad = len(result.failures) + len(result.errors)
        super().run(result)
        if self.window and (as_is or len(result.failures) + len(result.errors) > bad):
            print(self.window.log(), file=sys.stderr, flush=True)

    def start(self, *words):
        """A window whose program has just started."""
        self.window = TestedWindow(self, words)
        self.addCleanup(self.window.stop)
        return self.window

    def open(self, *words, size=SIZE):  # software OpenGL takes time for each pixel
        """A window that shows its first surface, and the match of FULL."""
        window = self.start(*words, *(["--size", size] if size else []))
        if not Window.wait_for(window, FULL, 0, 120) and window.process.returncode == NO_GL:
            self.skipTest(window.log().strip())
        first = window.wait_for(FULL)
        return window, first
