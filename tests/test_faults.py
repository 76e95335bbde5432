#!/usr/bin/env python3
"""Out of memory, no OpenGL or no GPU, at every single call: isoscope_faults (see faults.h) fails the n-th call, for n = 1, 2, ...
until nothing fails any more. The program must report an error and leave no partial file, and the window must keep running.

Usage: test_faults.py ISOSCOPE_FAULTS [commands|window|pretended|cuda]...; pretended is cuda without a GPU, where kernels do
nothing. Without a word: all but cuda. Exits 77 where nothing can run. With DISPLAY_AS_IS=1 windows open on the present
DISPLAY. FAULTS_MOST=N: at most N places per case."""
import concurrent.futures
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

import drive


class Checks:
    """check(fine, what): counts checks and prints `what` of the failed ones."""

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


program = os.path.abspath(sys.argv[1])
parts = sys.argv[2:] or ["commands", "window", "pretended"]
base = ""  # of ISO_FAULT in all runs
most = int(os.environ.get("FAULTS_MOST", "0"))
workers = min(8, os.cpu_count() or 1)
folder = tempfile.TemporaryDirectory()
volume = os.path.join(folder.name, "v.nrrd")
skipped = 0
check = Checks()
OK, FAILED, USAGE, INPUT, NO_GL, NO_CUDA = range(6)
SLICE_CALLS = 11  # of OpenGL that can fail, for two programs, a texture and a contour
ONE_LINE = r"\Aisoscope: [^\n]+\n\Z"


def skip(why):
    global skipped
    skipped += 1
    print(f"skipped: {why}", flush=True)


def environment(fault, count):
    """OpenGL drivers leak, and are unloaded before leaks are looked for."""
    return {**os.environ, "XDG_STATE_HOME": tempfile.mkdtemp(dir=folder.name), "ISO_FAULT": f"{base} {fault}".strip(), "ISO_FAULT_COUNT": count,
            **({} if fault else {"ISO_FAULT_CALLERS": f"{count}.callers"}), "ASAN_OPTIONS": "detect_leaks=0"}


def counts(path):
    with open(path) as file:
        return {name: int(n) for name, n in (line.split() for line in file)}


def callers(path):
    """(kind, number, callers) of the calls that were the first or the last with these callers."""
    with open(path) as file:
        return [(kind, int(number), stack) for kind, number, stack in map(str.split, file)]


class Run:
    """One command in a temporary folder, with one fault. Leaks are errors, except in commands that open OpenGL."""

    def __init__(self, words, fault=""):
        place = tempfile.mkdtemp(dir=folder.name)
        self.words, self.fault = words, fault
        env = environment(fault, os.path.join(folder.name, os.path.basename(place) + ".count"))
        if words[0] != "render":
            env["ASAN_OPTIONS"] = "detect_leaks=1"
        try:
            done = subprocess.run([program, *words], cwd=place, env=env, capture_output=True, text=True, timeout=120)
            self.code, self.out = done.returncode, done.stdout
            self.err = re.sub(r"^OpenGL: .*\n", "", done.stderr, flags=re.M)  # lines of debug builds
        except subprocess.TimeoutExpired:
            self.code, self.out, self.err = "a hang", "", ""
        self.files = sorted(os.listdir(place))
        self.picture = open(os.path.join(place, "isoscope.png"), "rb").read() if "isoscope.png" in self.files else None
        self.counts = counts(env["ISO_FAULT_COUNT"]) if os.path.exists(env["ISO_FAULT_COUNT"]) else {}
        self.callers = [] if fault else callers(env["ISO_FAULT_CALLERS"])
        shutil.rmtree(place)

    def __str__(self):
        return f"{' '.join(self.words)} with {self.fault or 'no fault'}: code {self.code}, {self.err.strip()[-600:]!r}"


def answer(run):
    """The output of a command without what changes from run to run: the order of a fused mesh, and so some pixels; and what
    drew, which is OpenGL if the processor cannot."""
    if run.words[0] == "render":
        same = "cpu" in run.words and "raster" not in run.words
        return [re.findall(r"\d+ triangles", run.out)] + ([run.picture] if same else [])
    if run.words[0] != "info":
        return None
    found = json.loads(run.out)
    # Backends add numbers in different orders: sums differ in their last digits.
    return {name: float(f"{value:.9g}") if isinstance(value, float) else value
            for name, value in found.items() if name != "backend"}


def unmeasured(run, clean):
    """Whether the answer is that of `info` without memory for the mesh or its parts: all counts, and what is unknown, with the
    reason."""
    if run.words[0] != "info":
        return False
    found, want = answer(run), answer(clean)
    unknown = ["parts", "part_count"]
    if found.get("area") is None:
        unknown += ["area", "volume", "box_low", "box_high", "volume_note"]
    want.update(dict.fromkeys(unknown), surface_note=found.get("surface_note"))
    return re.search("no memory|not enough memory", found.get("surface_note") or "") is not None and found == want


def judge(run, clean, codes, also=None):
    """Checks that the command is right or refuses: one sentence, a documented exit code, no file written."""
    if run.code == OK:
        same = answer(run) in (answer(clean), also) or unmeasured(run, clean)
        fine = run.files == clean.files and same and all(
            line.startswith("isoscope: ") for line in run.err.splitlines())
    else:
        fine = run.code in codes and re.search(ONE_LINE, run.err.split("\n", run.err.count("\n") - 1)[-1]) \
            and "Sanitizer" not in run.err and not run.out and not run.files \
            and sum(" goes on" not in line and "going on" not in line for line in run.err.splitlines()) == 1
    check(fine, str(run))


def at_most(places):
    """All, or at most `most` of them."""
    return places[::max(1, -(-len(places) // most)) if most else 1]


def places(kind, total, plus):
    """1, 2, ... total, or at most `most` of them."""
    return at_most([f"{kind}:{n}{plus}" for n in range(1, total + 1)])


tried = set()


def new_places(kind):
    """For each(): the very last call, and the first and the last call with each stack of callers that was not tested in another case
    of the same command; at most `most`. A stack that comes again, in a loop or with other options, has the same things to undo."""
    def find(clean):
        found = [(n, (clean.words[0], kind, stack)) for one, n, stack in clean.callers if one == kind]
        found = at_most([(n, key) for n, key in found if key not in tried or n == clean.counts[kind]])
        tried.update(key for _, key in found)
        return [f"{kind}:{n}" for n, _ in found]
    return find


def each(words, faults, codes, clean=None, also=None):
    clean = clean or Run(words)
    check(clean.code == OK, str(clean))
    start = time.time()
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        runs = list(pool.map(lambda fault: Run(words, fault), faults(clean)))
    for run in runs:
        judge(run, clean, codes, also)
    if os.environ.get("FAULTS_TIMES"):
        print(f"{time.time() - start:6.1f} s  {len(runs)} runs of {' '.join(words)}", flush=True)
    return runs


def onward(runs):
    """Faults after which all later calls fail, too. At places where a single fault was survived, they test what is done next. At
    every fourth of the other places, they test only freeing and reporting."""
    survived = [run for run in runs if run.code == OK]
    ended = [run for run in runs if run.code != OK]
    return [run.fault + "+" for run in survived + ended[::4]]


# ---- commands on the CPU ------------------------------------------------------------------------------------------------


def long_volume():
    """64 MiB, more than a slab takes, of which little is on the disk: a few voxels at both ends and in between. Of floats, because
    every run counts all voxels twice."""
    path = os.path.join(folder.name, "long.nrrd")
    head = b"NRRD0004\ntype: float\ndimension: 3\nsizes: 128 128 1024\nencoding: raw\nendian: little\n\n"
    with open(path, "wb") as file:
        file.write(head)
        file.truncate(len(head) + (1 << 26))
        for at in (5, 150, 1018):
            file.seek(len(head) + (at << 16))
            file.write(struct.pack("<1024f", *(i * 37 % 256 for i in range(1024))))
    return path


def test_commands():
    packed = os.path.join(folder.name, "packed.nrrd")
    subprocess.run([program, "synth", "metaballs", "--size", "32", "--gzip", "-o", packed], check=True,
                   stdout=subprocess.DEVNULL)
    with open(os.path.join(folder.name, "z_8x8x8_uint8.raw"), "wb") as reversed_file:
        reversed_file.write(bytes(i % 256 for i in range(512)))
    bench = ["bench", volume, "--iso", "84.5", "--runs", "5", "--threads", "1"]
    cases = [(["info", volume, "--iso", "84.5", "--json"], ["malloc"], [FAILED]),
             (["info", volume, "--iso", "84.5", "--smooth", "1", "--json"], ["malloc"], [FAILED]),
             (["info", packed, "--json"], ["malloc"], [FAILED]),
             (["info", reversed_file.name, "--order", "zyx", "--json"], ["malloc"], [FAILED]),
             (["synth", "metaballs", "--size", "16", "--gzip", "-o", "made.nrrd"], ["malloc"], [FAILED]),
             (["synth", "vessels", "--size", "16", "-o", "made.nrrd"], ["malloc"], [FAILED]),
             (["extract", volume, "--iso", "84.5", "-o", "made.obj"], ["malloc"], [FAILED]),
             (["extract", volume, "--iso", "84.5,90%", "--smooth-mesh", "2", "--decimate", "50%", "-o", "made.glb"], ["malloc"],
              [FAILED]),
             (bench + ["--save", "made.md"], ["malloc"], [FAILED]),
             (bench + ["--compare", "all"], ["malloc"], [FAILED]),
             (["render", volume, "--iso", "84.5", "--size", "64x48"], ["malloc", "gl"], [FAILED, NO_GL]),
             (["render", volume, "--iso", "84.5", "--size", "64x48", "--opacity", "0.4"], ["malloc", "gl"], [FAILED, NO_GL]),
             (["render", volume, "--iso", "84.5", "--size", "64x48", "--crop", "x=:15"], ["malloc", "gl"], [FAILED, NO_GL]),
             (["render", volume, "--iso", "84.5", "--size", "64x48", "--draw", "raster"], ["malloc", "gl"], [FAILED, NO_GL]),
             (["render", volume, "--iso", "84.5", "--size", "64x48", "--draw", "culled"], ["gl"], [FAILED, NO_GL]),
             (["render", volume, "--iso", "60,84.5", "--size", "64x48", "--opacity", "0.4", "--color-by", "gradient"],
              ["malloc", "gl"], [FAILED, NO_GL])]
    for words, kinds, codes in cases:
        words = words + (["--backend", "cpu"] if words[0] != "synth" else [])
        for kind in kinds:
            runs = each(words, new_places(kind), codes)
            if words[0] != "bench":
                each(words, lambda clean: onward(runs), codes)
    slabs = [long_volume(), "--iso", "100", "--memory", "60M", "--backend", "cpu"]
    for kind in ("malloc", "disk"):
        each(["extract", *slabs, "-o", "made.vtp"], new_places(kind), [FAILED, INPUT])
    each(["verify", *slabs], lambda clean: new_places("malloc")(clean)[::8], [FAILED])  # 64 MiB, cell by cell
    subprocess.run([program, "synth", "metaballs", "--size", "70", "-o", packed], check=True, stdout=subprocess.DEVNULL)
    zarr = os.path.join(folder.name, "packed.zarr")
    subprocess.run([program, "pack", packed, "-o", zarr], check=True, stdout=subprocess.DEVNULL)
    for words in ["pack", packed, "-o", "made.zarr", "--threads", "1"], ["info", zarr, "--json", "--backend", "cpu", "--threads", "1"]:
        for kind in ("malloc", "disk"):
            each(words, new_places(kind), [FAILED, INPUT])


def test_folder():
    """When a folder cannot be synchronised, the new file is already in its place, and the message says so."""
    slabs = ["extract", long_volume(), "--iso", "100", "--memory", "60M", "--backend", "cpu", "-o", "made.ply"]
    for words in ["synth", "metaballs", "--size", "16", "-o", "made.nrrd"], ["extract", volume, "--iso", "84.5", "-o", "made.obj"], slabs:
        run = Run(words, "folder:1")
        check(run.code == FAILED and re.search(ONE_LINE, run.err) and not run.out and run.files == words[-1:] and
              f"{words[-1]}: written, but its folder could not be synchronised" in run.err and "Input/output" in run.err, str(run))
    pack = ["pack", volume, "-o", "made.zarr"]
    total = Run(pack, "folder:100").counts["folder"]
    check(total == 2, f"{pack} synchronises {total} folders, where its own and the one around it are expected")
    for place in range(1, total + 1):
        run = Run(pack, f"folder:{place}")
        says = "written, but its folder could not be synchronised" if place == total else "cannot be written"
        check(run.code == FAILED and re.search(ONE_LINE, run.err) and f"made.zarr: {says}" in run.err and
              run.files == (["made.zarr"] if place == total else []), f"{run} leaves {run.files}")
    pieces = [*slabs[:-1], "made.pvtp"]
    total = Run(pieces, "folder:100").counts["folder"]
    for place in range(1, total + 1):
        run = Run(pieces, f"folder:{place}")
        left = [re.sub(r"_[0-9a-f]{8}$", "_", name) for name in run.files]
        check(run.code == FAILED and re.search(ONE_LINE, run.err) and left == (["made.pvtp", "made_"] if place == total else []),
              f"{run} leaves {run.files}")


def test_signals():
    """If a file must have a name from the start, a signal that ends the program at any call removes it. After SIGKILL it stays."""
    whole = ["extract", volume, "--iso", "84.5", "-o", "made.obj"]
    slabs = ["extract", long_volume(), "--iso", "100,120", "--memory", "60M", "--backend", "cpu", "-o", "made_%.ply"]
    for words in whole, slabs:
        fine = Run(words, "named=1")
        check(fine.code == OK and len(fine.files) == (1 if words is whole else 2), str(fine))
        left = 0
        for place in range(1, fine.counts["kill"] + 1, 1 + fine.counts["kill"] // 10):
            for stop in ((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[place % 3], signal.SIGKILL):
                run = Run(words, f"named=1 signal={int(stop)} kill:{place}")
                unfinished = [name for name in run.files if re.fullmatch(r"made.*\.\d+-\d+\.tmp", name)]
                left += len(unfinished)
                check(run.code == -stop and set(run.files) - set(unfinished) <= set(fine.files) and
                      (stop == signal.SIGKILL or not unfinished), f"{run} leaves {run.files}")
        check(left > 0, f"{words[-1]}: a file that has a name was expected after SIGKILL")


def test_signals_of_pieces():
    """A signal at any call leaves the list with all its pieces, or nothing."""
    words = ["extract", long_volume(), "--iso", "100", "--memory", "60M", "--backend", "cpu", "-o", "made.pvtp"]
    fine = Run(words, "named=1")
    for place in range(1, fine.counts["kill"] + 1):
        run = Run(words, f"named=1 signal={int(signal.SIGINT)} kill:{place}")
        check(run.code == -signal.SIGINT and run.files in ([], fine.files) and len(fine.files) == 2, f"{run} leaves {run.files}")


# ---- the window ---------------------------------------------------------------------------------------------------------


class Window(drive.Window):
    """A session: open, other values, other rungs, the other backend, quit."""

    def __init__(self, display, fault, words=(), file=None, base_too=True):
        env = environment(fault, os.path.join(folder.name, "window.count"))
        env["DISPLAY"] = display
        if not base_too:
            env["ISO_FAULT"] = fault
        self.fault = fault
        always = ["--iso", "84.5", "--verbose", "--size", "680x480"]
        super().__init__([program, file or volume, *always, *words], env, folder.name)

    def drive(self):
        """The fault, or None."""
        if not self.wait_for(r" load |isoscope: "):
            return self.end_early()
        time.sleep(0.1)
        if not self.is_open():
            return self.end_early()
        if not self.wait_for(r" load ", 0, 1):
            return self.end_empty()
        surface = r"iso \S+: [1-9]\d* triangles"
        if not self.press("w", r"wireframe on"):
            return "does not answer keys" if self.is_open() else self.end_early()  # the program was still ending
        if not self.press("2", r"slices: \d|isoscope: "):
            return "no slice and no sentence after 2"
        self.point_at("scene", 0.6, 0.5)
        self.xdo("click", 1)
        on = self.press("y", r"translucent on")
        if not on:
            return "does not answer y"
        self.wait_for(r"order of [1-9]|isoscope: ", on.start(), 1)  # neither where there is no surface
        if not self.press("e", r"export \S+: [1-9]\d* triangles|export: no surface|isoscope: ") and self.is_open():
            return "no file and no sentence after e"
        for key in ("minus", "d", "n", "n"):
            found = self.press(key, surface + "|isoscope: ")
            if not found and self.is_open():
                return f"no surface and no sentence after {key}"
            if found and found.group().startswith("isoscope: "):  # a surface may follow, which is not that of the next key
                self.wait_for(" rest\n", found.end(), 5)
        for _ in range(2):
            self.press("t", r"backend \S+: |isoscope: ", 0.2)
        if not self.fault.endswith("+") and not any(self.press("equal", surface, 3) for _ in range(3)):
            return "no surface after the fault is over"
        if not self.press("F12", r"screenshot (\S+)|isoscope: "):
            return "no picture and no sentence after F12"
        self.xdo("key", "ctrl+q")
        code = self.wait_for_end(20)
        return None if code == OK else "does not quit" if code is None else f"quits with {code}"

    def end_empty(self):
        """The volume could not be read. The window says so and waits for another one."""
        if not self.press("p", r"panel one line"):
            return "does not answer keys without a volume" if self.is_open() else self.end_early()
        self.xdo("key", "ctrl+q")
        code = self.wait_for_end(20)
        return None if code == FAILED else f"an empty window quits with {code}"

    def end_early(self):
        code = self.wait_for_end(5)
        if code is None:
            return "hangs at the start"
        lines = [line for line in self.log().splitlines() if line.startswith("isoscope: ")]
        return None if code in (FAILED, NO_GL) and len(lines) == 1 else f"ends at the start with {code}"

    def check(self, words=""):
        try:
            wrong = self.drive()
        except subprocess.CalledProcessError:
            wrong = "xdotool failed"
        finally:
            self.stop()
        if not wrong and self.sanitizers_spoke():
            wrong = "a sanitizer report"
        check(not wrong, f"window with {self.fault}: {wrong}\n{self.log()}" if wrong else "")
        return self.log()


class SliceWindow(Window):
    """A session with a slice. If it cannot be drawn, the window says so, and it can be switched on and moved later."""

    def drive(self):
        if not self.wait_for(r"iso \S+: [1-9]\d* triangles[\s\S]*?draw "):
            return "no surface"
        for _ in range(2):
            shown = self.press("2", r"slice x on at 15\n[\s\S]*?draw ")
            if not shown:
                return "no slice and no sentence after 2"
            if "slices off" not in shown[0]:
                break
        else:
            return "no slice after the fault is over"
        for at in (25, 31, 31):  # of 32 voxels, from the middle
            if not self.press("shift+period", rf"slice x on at {at}\n[\s\S]*?draw ", 10):
                return f"the slice does not move to {at}"
        self.xdo("key", "ctrl+q")
        return None if self.wait_for_end(20) == OK else "does not quit"


def with_display(run):
    if drive.missing_tool():
        return skip(f"no {drive.missing_tool()}")
    with drive.display() as display:
        run(display)


def window_counts(display, words=(), kind=Window):
    """Number of calls in a session without faults; None: no window can open here."""
    window = kind(display, "", words)
    log = window.check()
    if window.process.returncode == NO_GL:
        return skip(log.strip())
    return counts(window.environment["ISO_FAULT_COUNT"])


def some(total, n):
    return sorted({1 + i * (total - 1) // max(1, n - 1) for i in range(n)})


def test_window(display):
    clean = window_counts(display, ["--backend", "cpu"])
    for kind in ("malloc", "gl") if clean else ():
        for n in some(clean[kind], most or 8):
            Window(display, f"{kind}:{n}", ["--backend", "cpu"]).check()
        for n in some(clean[kind], 4)[1:]:
            Window(display, f"{kind}:{n}+", ["--backend", "cpu"]).check()
    # Drawing by the processor fetches the mesh again for each picture. If a picture has several samples, the machine's speed decides
    # when the previous one is dropped.
    words = ["--backend", "cpu", "--draw", "opengl", "--samples", "1"]
    sliced = clean and window_counts(display, words, SliceWindow)
    for n in range(sliced["gl"] - SLICE_CALLS, sliced["gl"]) if clean else ():
        log = SliceWindow(display, f"gl:{n + 1}", words).check()
        check("isoscope: " in log, f"gl:{n + 1} is a call for the slice\n{log}")


# ---- CUDA ---------------------------------------------------------------------------------------------------------------


def test_pretended():
    global base, most
    base, before, most = "pretended=1000000", most, most or 4
    if test_cuda():
        test_launches()
        with_display(test_slow_upload)
    base, most = "", before


def test_cuda():
    """Whether CUDA is available."""
    version = subprocess.run([program, "--version"], env=environment("", os.devnull), capture_output=True, text=True).stdout
    why = re.search(r"^cuda\s+not here: (.*)", version, re.M)
    if why:
        skip("no CUDA: " + why[1])
        return False
    info = ["info", volume, "--iso", "84.5", "--json"]
    render = ["render", volume, "--iso", "84.5", "--size", "64x48"]
    rungs = ["--rung", "classify=textbook", "--rung", "scan=textbook", "--rung", "fused=none"]
    expected = {words[0]: answer(Run(words + ["--backend", "cpu"])) for words in (info, render)}
    expected["render"] = expected["render"][:1]
    test_sides(info)

    # Unless CUDA is requested by name, the command succeeds.
    for words in (info, render, info + rungs, render + ["--staging"], render + rungs, render + ["--draw", "raster"]):
        clean = Run(words)
        check(clean.code == OK and (base or answer(clean) == expected[words[0]]), str(clean))
        for kind, plus in (("cuda", ""), ("cuda", "+"), ("lost", "")):
            each(words, lambda clean: places(kind, clean.counts["cuda"], plus), [], clean, expected[words[0]])
    bench = ["bench", volume, "--iso", "84.5", "--runs", "5"]
    for words in (info, render, bench, bench + ["--rung", "fused=ordered"]):
        words = words + ["--backend", "cuda"]
        clean = Run(words)
        for kind, plus in (("cuda", ""), ("lost", "")):
            each(words, lambda clean: places(kind, clean.counts["cuda"], plus), [FAILED, NO_CUDA], clean)

    for fault in ("cudaGetDeviceCount=35", "cudaGetDeviceCount=100", "cudaFuncGetAttributes=209", "cudaSetDevice=101"):
        run = Run(info, fault)
        check(run.code == OK and answer(run) == expected["info"] and "CPU" in json.loads(run.out)["backend"], str(run))
        run = Run(info + ["--backend", "cuda"], fault)
        check(run.code == NO_CUDA and re.search(ONE_LINE, run.err), str(run))
    for fault, way in (("cudaGraphicsGLRegisterBuffer=304", "staged"), ("cudaGraphicsMapResources=304", "staged"),
                       ("cudaHostAlloc=2", "shared|mapped"), ("cudaMalloc=2", "mapped")):
        run = Run(render + ["--verbose"], fault)
        check(run.code == OK and re.search(rf"mesh: ({way})", run.err), str(run))
    shared = "mesh: shared" in Run(render + ["--verbose"]).err
    for fault, way in (("", "raster on CUDA: asked for"), ("cudaGraphicsMapResources=304", "raster: asked for|OpenGL: ")) if shared else ():
        run = Run(render + ["--draw", "raster", "--verbose"], fault)
        check(run.code == OK and re.search(rf"drawing: ({way})", run.err), str(run))
    for n in range(1, 1 if base else 7):  # a real error that no later call survives
        for words, codes in ((info, []), (render, []), (info + ["--backend", "cuda"], [FAILED])):
            judge(Run(words, f"astray:{n}"), Run(words), codes, expected[words[0]])
    if base:
        test_short_memory([(info, 0), (info + rungs, 0), (render, 0), (info + ["--backend", "cuda"], FAILED)], expected)
    with_display(test_cuda_window)
    return True


def test_launches():
    """Recorded launches, on a simulated GPU whose kernels do nothing. Only a copy by the driver is right, and it is one kernel."""
    words = ["ladder", "copy", "--bench", "--backend", "cuda", "--size", "4099", "--runs", "5", "--json"]
    names = ["cudaStreamBeginCapture", "cudaStreamEndCapture", "cudaGraphGetNodes", "cudaGraphNodeGetType",
             "cudaGraphKernelNodeGetParams", "cudaGraphDestroy", "cudaFuncGetName", "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags"]
    for name in [None] + names:
        run = Run(words, f"{name}=1" if name else "")
        check(run.code == FAILED and re.search(ONE_LINE, run.err), str(run))
        row = [row for row in json.loads(run.out)["rungs"] if row["rung"] == "memcpy"][0]
        found = [(kernel["kernel"], kernel["threads"]) for kernel in row["kernels"]]
        want = [("?" if name == "cudaFuncGetName" else "pretend", 128)]
        check(found == (want if name in (None, "cudaFuncGetName", "cudaGraphDestroy") else []) and row["median_us"] > 0, f"{run}: {found}")


def near(a, b):
    """Backends round differently in smoothing, so a voxel may lie on the other side of the value."""
    if isinstance(b, dict):
        return a.keys() == b.keys() and all(near(a[name], b[name]) for name in b)
    if isinstance(b, list):
        return len(a) == len(b) and all(map(near, a, b))
    return abs(a - b) <= 1e-3 * abs(b) if isinstance(b, (int, float)) else a == b


def test_sides(info):
    """Smoothing, also by CUDA's textures, and uploading from each kind of host memory."""
    smooth = info + ["--smooth", "1"]
    smoothed, plain = (answer(Run(words + ["--backend", "cpu"])) for words in (smooth, info))
    for words, expected in ((smooth, smoothed), (smooth + ["--rung", "gaussian=texture"], smoothed),
                            (info + ["--rung", "upload=textbook"], plain), (info + ["--rung", "upload=staged"], plain),
                            (info + ["--rung", "upload=prefetch"], plain)):
        clean = Run(words)
        check(clean.code == OK and (base or near(answer(clean), expected)), str(clean))
        codes = [] if words == smooth else [USAGE]  # where CUDA does not open, the CPU does not know the rung
        for kind in ("cuda", "lost"):
            each(words, lambda clean: places(kind, clean.counts["cuda"], ""), codes, clean, expected)
    for words in (smooth, info + ["--rung", "upload=staged"]):
        each(words + ["--backend", "cuda"], lambda clean: places("cuda", clean.counts["cuda"], ""), [FAILED, NO_CUDA])


def test_short_memory(cases, expected):
    """A GPU with 8 KiB, 12 KiB, ... until everything fits. The program uses less memory, or continues on the CPU."""
    global base
    before, said = base, ""
    for words, code in cases:
        clean, kib = Run(words), 8
        while kib < 10000:
            base = f"pretended={kib}"
            run = Run(words)
            judge(run, clean, [code], expected[words[0]])
            kib, said = kib * 3 // 2, said + run.err
        base = before
    for text in ("going on with fused=none", "going on with classify=", "going on with bricks=none", "the CPU goes on"):
        check(text in said, f"with too little memory, something is {text}:\n{said}")


def test_cuda_window(display):
    clean = window_counts(display)
    if not clean:
        return
    Window(display, "", ["--draw", "raster"]).check()
    for n in some(clean["cuda"], most or 12):
        log = Window(display, f"lost:{n}").check()
        check("the CPU goes on" in log or "backend cpu" in log, f"lost:{n}: the CPU goes on\n{log}")
    for fault in [f"cuda:{n}" for n in some(clean["cuda"], most or 12)] + ["cudaMalloc=2", "cudaHostAlloc=2",
                  "cudaGraphicsGLRegisterBuffer=304", "cudaGraphicsMapResources=304", "cudaGetDeviceCount=35"]:
        Window(display, fault).check()
    for n in () if base else (1, 3, 5, 8, 12):
        log = Window(display, f"astray:{n}").check()
        check("the CPU goes on" in log, f"astray:{n}: the CPU goes on\n{log}")
    for kib in (8, 40, 100, 800, 3000) if base else ():
        Window(display, f"pretended={kib}", base_too=False).check()


def test_slow_upload(display):
    """With a slow bus the window keeps drawing, shows progress, and can cancel the upload. It spends at most a tenth of the time on
    progress, so if OpenGL is slow, only a long upload shows any."""
    path = os.path.join(folder.name, "zeros_448x448x448_uint8.raw")
    with open(path, "wb") as file:
        file.truncate(448 ** 3)
    for key, code, what, slow in (("Escape", FAILED, "Esc", 1000), ("ctrl+q", OK, "quitting", 1000), ("", OK, "waiting", 100)):
        window = Window(display, f"slow={slow}", ["--iso", "80"], path)
        if key:
            check(window.wait_for(r"work: uploading, frame \S+ ms, [1-9]\d* %"), f"{what}: it says how far it is\n{window.log()}")
        else:
            check(window.wait_for(r"upload depth4: 89\.9 MB, [\s\S]*draw "), f"the volume arrives\n{window.log()}")
        window.xdo("key", key or "ctrl+q")
        if key == "Escape" and window.wait_for(r"isoscope: uploading was cancelled"):
            window.xdo("key", "ctrl+q")  # the window waits for another file
        ended = window.wait_for_end(20)
        check(ended == code and not window.sanitizers_spoke(), f"{what} while uploading: ends with {ended}\n{window.log()}")
        check(not key or "upload depth4" not in window.log(), f"{what}: it was not uploaded to the end")


# ---- all ----------------------------------------------------------------------------------------------------------------

subprocess.run([program, "synth", "metaballs", "--size", "32", "-o", volume], check=True, stdout=subprocess.DEVNULL)
for part in parts:
    start = time.time()
    {"commands": lambda: (test_folder(), test_signals(), test_signals_of_pieces(), test_commands()),
     "window": lambda: with_display(test_window), "pretended": test_pretended, "cuda": test_cuda}[part]()
    print(f"{part}: {time.time() - start:.1f} s", flush=True)
print(check)
sys.exit(1 if check.failed else 77 if skipped and skipped == len(parts) else 0)
