#!/usr/bin/env python3
"""The command line of the test program `ops`. Usage: test_ops.py OPS"""
import subprocess
import sys
import unittest

USAGE = 2
program = sys.argv.pop(1)


def run(*words):
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=300)


class Ops(unittest.TestCase):
    def refuses(self, *words, says):
        done = run(*words)
        self.assertEqual(done.returncode, USAGE, done.stdout)
        for text in says:
            self.assertIn(text, done.stdout)

    def test_refuses_what_it_does_not_know(self):
        self.refuses("gpu", says=["'gpu'", "cpu cuda"])
        self.refuses("cpu", "nosuchop", says=["no op 'nosuchop'", "bricks", "marching_squares"])
        self.refuses("cpu", "sum", "nosuchrung", says=["no rung 'nosuchrung'", "textbook kahan lanes threads"])
        self.refuses("cpu", "sum", "kahan", "more", says=["usage: ops"])

    def test_runs_one_op_or_one_rung(self):
        whole = run("cpu", "fma_peak", "quick")
        self.assertEqual(whole.returncode, 0, whole.stdout)
        self.assertRegex(whole.stdout, r"fma_peak +textbook +45 cases\nfma_peak +lanes +45 cases\nfma_peak +threads +45 cases\n")
        self.assertRegex(whole.stdout, r"fma_peak +simd +45 cases\n")
        one = run("cpu", "peak", "lanes", "quick")  # the op's former name
        self.assertEqual([line for line in one.stdout.splitlines() if "cases" in line],
                         [line for line in whole.stdout.splitlines() if "lanes" in line])

    def test_says_what_it_does_not_test(self):
        self.assertRegex(run("cpu", "bricks", "none", "quick").stdout, r"bricks +none +skipped: keeps no ranges\n")


unittest.main()
