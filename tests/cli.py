"""Shared by the tests of the command line. A test's first argument is the program."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
SANITIZED = any(name in pathlib.Path(PROGRAM).read_bytes() for name in (b"__asan_init", b"__tsan_init"))  # no small rlimits
COMMA = "comma" in os.environ.get("LD_PRELOAD", "")  # test_locale.py: messages for people may follow the locale
OK, FAILED, USAGE, INPUT, NO_GL, NO_CUDA = range(6)


def commands():
    """The names of the commands, without the window's, as the help lists them."""
    text = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  isoscope ([a-z]+) .*\.\.\.", text, re.M)


def has_window():
    """Whether the program is built with OpenGL."""
    return "render" in commands()


AVX2 = {"avx2", "bmi1", "bmi2", "popcnt"}
AVX512 = {*(f"avx512{part}" for part in ("f", "bw", "dq", "vl", "vbmi", "_vbmi2", "_vpopcntdq")), "bmi2"}
NEEDED = {"avx2": (AVX2, "this processor lacks AVX2"),
          **dict.fromkeys(("avx512", "gather"), (AVX512, "this processor lacks AVX-512 as since Ice Lake and Zen 4"))}


def lack(rung):
    """Why a CPU rung of that name cannot run on this machine, in the program's words; None if it can."""
    has = set(re.search(r"^flags\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text() + "\nflags: ", re.M)[1].split())
    needs, why = NEEDED.get(rung, (set(), None))
    return None if needs <= has else why


class CommandTest(unittest.TestCase):
    """Runs the program in a temporary folder, a new one for each test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, *words, environment={}, **how):
        if words[0] in ("render", "doctor") or words[:2] == ("ladder", "draw") or "--pictures" in words:  # OpenGL drivers leak; they are unloaded before the search for leaks
            environment = {"ASAN_OPTIONS": "detect_leaks=0", **environment}
        return subprocess.run([PROGRAM, *map(str, words)], cwd=self.folder, capture_output=True, text=True, timeout=300,
                              env={**os.environ, **environment}, **how)

    def ends_with_its_program(self, stop, child, *words, environment):
        """A signal to the program alone ends it and the program that it waits for, whose process number is in the file
        `child`."""
        child.unlink(missing_ok=True)
        with subprocess.Popen([PROGRAM, *map(str, words)], cwd=self.folder, env={**os.environ, **environment},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
            end = time.monotonic() + 60
            while not (child.exists() and child.read_text().endswith("\n")):
                self.assertIsNone(program.poll())
                self.assertLess(time.monotonic(), end)
                time.sleep(0.01)
            program.send_signal(stop)
            said = program.communicate(timeout=60)
        self.assertEqual((program.returncode, said), (-stop, (b"", b"")))
        self.assertFalse(pathlib.Path(f"/proc/{child.read_text().strip()}").exists())

    def refuses(self, code, *words, says=(), **how):
        """The command fails with `code` and one line on stderr that contains `says`; no file changes."""
        before = self.files()
        done = self.run_program(*words, **how)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertRegex(done.stderr, r"\Aisoscope: [^\n]+\n\Z")
        for part in says:
            self.assertIn(part, done.stderr)
        self.assertEqual(self.files(), before)

    def says_that_it_has_no_opengl(self, program=PROGRAM, environment={}):
        """A build without OpenGL says in one sentence what to do; its help lists the remaining commands."""
        def run(*words):
            return subprocess.run([program, *words], cwd=self.folder, capture_output=True, text=True, timeout=60,
                                  env={**os.environ, **environment})
        (self.folder / "x.state").write_text("isoscope state 1\n")
        for words in ([], [self.ramp()], ["render", self.ramp(), "-o", "x.png", "--azimuth", "30"], ["x.state"],
                      ["render", "--load-state", "x.state"], ["render", "--help"], ["--help", "render"], ["--help", "keys"]):
            done = run(*words)
            self.assertEqual((done.returncode, done.stdout), (NO_GL, ""), words)
            self.assertRegex(done.stderr, r"\Aisoscope: [^\n]+ built without OpenGL[^\n]+ISO_WINDOW=ON[^\n]+GLFW[^\n]+\n\Z")
        self.assertEqual(run("rendr", "x").returncode, USAGE)
        text = run("--help").stdout
        self.assertIn("  isoscope extract [FILE]", text)
        self.assertNotRegex(text, r"isoscope \[FILE\]|isoscope render|--shading|keys")
        answer = json.loads(run("doctor", "--json").stdout)
        self.assertIn("built without OpenGL", answer["window"])
        self.assertIn("built without OpenGL", answer["offscreen"])
        self.assertNotIn("opengl", run("ladder", "draw").stdout)
        linked = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
        self.assertIn("libtiff", linked)
        self.assertNotRegex(linked, r"lib(E?GL|GLX|OpenGL|GLEW|GLU|glfw|X11|xcb|wayland|imgui)\b")

    def measured(self, *words):
        """Runs the command. Returns the result and its peak memory in MiB; 0 with sanitizers, which need more."""
        script = ("import resource, subprocess, sys; code = subprocess.run(sys.argv[1:]).returncode; "
                  "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(code)")
        done = subprocess.run([sys.executable, "-c", script, PROGRAM, *words], cwd=self.folder, capture_output=True, text=True)
        done.stdout, _, kibibytes = done.stdout.rstrip("\n").rpartition("\n")
        return done, 0 if SANITIZED else int(kibibytes) / 1024

    def stays_within(self, mebibytes, *words):
        """The command works, and its memory never exceeds so many MiB."""
        done, most = self.measured(*words)
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertLess(most, mebibytes)

    def files(self):
        return {path: path.is_file() and path.read_bytes() for path in self.folder.iterdir()}

    def ramp(self, name="ramp_4x4x4_uint8.raw"):
        """64 voxels, value = 10 * x."""
        (self.folder / name).write_bytes(bytes(10 * (i % 4) for i in range(64)))
        return name

    def vessels(self):
        """A volume with a surface in some bricks and none in others."""
        self.assertEqual(self.run_program("synth", "vessels", "--size", "40x33x20", "-o", "v.nrrd").returncode, OK)
        return "v.nrrd"
