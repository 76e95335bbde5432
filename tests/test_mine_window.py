#!/usr/bin/env python3
"""--rung-file in the window: right, wrong, broken and saved again. Usage: test_mine_window.py ISOSCOPE; drive.py has more."""
import os
import pathlib
import shutil
import unittest
import unittest.mock

import drive
from drive import FULL, USAGE
from picture import Picture

USES = FULL + r"[^\n]* classify={} "


@unittest.skipUnless(any(map(shutil.which, ("cc", "gcc", "clang"))), "no C compiler")
class Window(drive.WindowTest):
    def setUp(self):
        self.cache = pathlib.Path(self.path("cache"))
        self.cache.mkdir(exist_ok=True)
        self.enterContext(unittest.mock.patch.dict(os.environ, XDG_CACHE_HOME=str(self.cache)))
        self.template = self.run_program("ladder", "classify", "--template").stdout
        self.file = pathlib.Path(self.path("my.c"))

    def tearDown(self):
        self.assertEqual(list(self.cache.glob("isoscope*")), [])

    def change(self, old, new):
        self.assertIn(old, self.template)
        return self.template.replace(old, new, 1)

    def after(self, text, pattern):
        """Saves the file; returns the match in the log after it."""
        since = self.window.mark()
        self.file.write_text(text)
        return self.window.wait_for(pattern, since)

    def picture(self):
        return Picture(self.path(self.window.press("F12", r"screenshot (\S+)\n")[1]))

    def test_saving(self):
        self.file.write_text(self.template)
        volume = self.synth("sphere", 24)
        window, _ = self.open(volume, "--backend", "cpu", "--rung-file", self.file)
        triangles = window.wait_for(USES.format("mine"))[2]
        self.assertEqual(int(triangles), self.info(volume, "--iso", window.wait_for(FULL)[1])["triangles"])

        for text, pattern in (
            (self.change("size_t i = z * g->ny * g->nx;", "size_t i = nothing;"), r"isoscope: my\.c does not compile: \S*my\.c:\d+:\d+: error: "),
            (self.change("(void)x;", "__builtin_trap();"), r"isoscope: my\.c crashed at 2x2x2 [^\n]*: Illegal instruction"),
            (self.change("= s->triangles;", "= s->triangles + 1;"), r"isoscope: my\.c is wrong at 2x2x2 "),
            (self.run_program("ladder", "sum", "--template").stdout, r"isoscope: my\.c is a rung of sum, which is not a stage")):
            self.after(text, pattern)
            window.settle()
            since = window.mark()  # what was right before goes on
            window.xdo("key", "equal")
            window.wait_for(USES.format("mine"), since)

        self.assertRegex(window.log(), r"widget mine: \d+")
        self.after(self.change("(void)x;", "(void)x, (void)0;"), rf"my\.c: right in \d+ cases[\s\S]*{USES.format('mine')}")
        window.press("ctrl+s", r"state (\S+\.state)\n")
        (state,) = pathlib.Path(self.folder).glob("*.state")
        self.assertNotRegex(state.read_text(), r"mine|my\.c")
        window.press("ctrl+z", FULL)  # the value, then the rung itself
        window.settle()
        window.quit()

    def test_it_is_checked_with_as_many_threads_as_are_asked_for(self):
        """At its usual size, as in `ladder`."""
        for threads, pattern in (("3", r"my\.c: right in \d+ cases"), ("2", r"isoscope: my\.c crashed at [^\n]*: Illegal instruction")):
            self.file.write_text(self.change("(void)x;", "if (grid->nz > 60 && x->threads != 3) __builtin_trap();"))
            window, _ = self.open(self.synth("sphere", 24), "--backend", "cpu", "--threads", threads, "--rung-file", self.file)
            window.wait_for(pattern)
            window.quit()

    def test_escape_closes_the_message(self):
        """Before what lies behind it, and until the next version that does not compile."""
        self.file.write_text(self.template + "bad\n")
        window, _ = self.open(self.synth("sphere", 24), "--backend", "cpu", "--rung-file", self.file)
        window.wait_for(r"isoscope: my\.c does not compile")
        window.rest()
        window.press("l", "page lab")
        window.wait_for("widget stage classify")
        window.settle()
        window.click("stage classify", "card classify")
        window.settle()
        before, (left, top), (right, bottom) = self.picture(), window.point("mine", 0, 0), window.point("mine", 1, 1)
        since = window.mark()
        window.press("Escape", r"rung file my\.c: message closed")
        window.settle()
        after, inside = self.picture(), [(x, y) for x in range(left, right) for y in range(top, bottom)]
        self.assertGreater(sum(after[at] != before[at] for at in inside), 0.9 * len(inside))
        self.assertFalse(window.says("card closed", since))
        window.press("Escape", "card closed")
        self.assertEqual(len(window.says("message closed", since)), 1)
        self.after(self.template + "worse\n", r"isoscope: my\.c does not compile")
        window.press("Escape", "message closed")
        self.after(self.template, rf"my\.c: right in \d+ cases[\s\S]*{USES.format('mine')}")
        window.quit()

    def test_closing_does_not_wait(self):
        """The window does not wait for a rung that hangs, whose time limit is longer than the test."""
        self.enterContext(unittest.mock.patch.dict(os.environ, ISOSCOPE_RUNG_SECONDS="1000"))
        self.file.write_text(self.change("(void)x;", "for (volatile int i = 0;; i++) { }"))
        window, _ = self.open(self.synth("sphere", 24), "--backend", "cpu", "--rung-file", self.file)
        window.wait_for("my.c: compiled and checked")
        window.settle()
        window.quit()

    def test_a_file_that_cannot_be_a_rung(self):
        window = self.start("--rung-file", "my.txt")
        if window.wait_for_end(120) == drive.NO_GL:
            self.skipTest(window.log())
        self.assertEqual(window.process.returncode, USAGE)
        self.assertIn("expected a .c file", window.log())


if __name__ == "__main__":
    drive.main()
