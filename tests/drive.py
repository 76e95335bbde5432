"""What the tests that drive the real window share: a display, the window with its log, and the count of what was checked.

With DISPLAY_AS_IS=1 windows open on the present DISPLAY, so that the same drive can be run on a GPU; else under Xvfb."""
import contextlib
import os
import re
import shutil
import subprocess
import time

as_is = os.environ.get("DISPLAY_AS_IS") == "1"


class Checks:
    """check(fine, what): counts, and says what was not fine."""

    def __init__(self):
        self.passed = self.failed = 0

    def __call__(self, fine, what):
        if fine:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {what}", flush=True)

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed"


def missing_tool():
    """What has to be installed first, or None."""
    return next((tool for tool in ["xdotool"] + ([] if as_is else ["Xvfb"]) if not shutil.which(tool)), None)


@contextlib.contextmanager
def display():
    """The name of a display, for as long as the block runs."""
    if as_is:
        yield os.environ["DISPLAY"]
        return
    ready, told = os.pipe()  # the server takes a number that is free, and says which: tests run side by side
    server = subprocess.Popen(["Xvfb", "-displayfd", str(told), "-screen", "0", "1300x820x24"], pass_fds=[told],
                              stderr=subprocess.DEVNULL)
    os.close(told)
    try:
        with os.fdopen(ready) as answer:
            yield f":{answer.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


class Window:
    """A window, and what it writes to stderr: its log, in log.txt of `folder`, where it also runs."""

    def __init__(self, words, environment, folder):
        self.environment, self.path = environment, os.path.join(folder, "log.txt")
        with open(self.path, "w") as err:
            self.process = subprocess.Popen(words, env=environment, stderr=err, cwd=folder)

    def log(self):
        with open(self.path, errors="replace") as file:
            return file.read()

    def mark(self):
        return len(self.log())

    def is_open(self):
        return self.process.poll() is None

    def wait_for(self, pattern, since=0, seconds=30):
        """The first match of `pattern` in the log after `since`, or None."""
        end = time.time() + seconds
        while time.time() < end and self.is_open() and not re.compile(pattern).search(self.log(), since):
            time.sleep(0.01)
        return re.compile(pattern).search(self.log(), since)

    def xdo(self, *words):
        subprocess.run(["xdotool", *map(str, words)], env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def press(self, key, pattern, seconds=30):
        """Presses a key; what the log says after it."""
        since = self.mark()
        self.xdo("key", key)
        return self.wait_for(pattern, since, seconds)

    def wait_for_end(self, seconds):
        """The exit code; None: it did not end, and was stopped."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.stop()
            return None

    def stop(self):
        if self.is_open():
            self.process.kill()
            self.process.wait()

    def sanitizers_spoke(self):
        return bool(re.search(r"Sanitizer|runtime error", self.log()))
