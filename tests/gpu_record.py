#!/usr/bin/env python3
"""Records that the GPU code was tested: runs the GPU tests on a machine with a GPU and writes docs/GPU.md.

Usage: gpu_record.py BUILD [TEST]...  runs the tests of that build folder labelled gpu, and with a DISPLAY on that GPU those
                                labelled opengl; BUILD may have been carried here from another machine, and needs no ctest.
                                DISPLAYS=":7 :8 :9": windows on several, side by side. TEST: only these; what a record of the
                                same code says of others stays
       gpu_record.py --check    compares the code with the record; exits with 77 if it changed or there is no record"""
import concurrent.futures
import datetime
import glob
import hashlib
import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "GPU.md")
SKIPPED = 77
NOT_RUN = ("not run", "", 0)  # result, counts, seconds of a test that is still to come


# ---- what was tested ----------------------------------------------------------------------------------------------------


def code_of(path):
    """A C file without comments and white space: prose and layout do not count."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r'("(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')|/\*.*?\*/|//[^\n]*', r"\1", file.read(), flags=re.S)
    return re.sub(r"\s+", "", text)


def hash_files():
    """{path: hash} of kernels/ and the files in src/ that use a backend, or that judge what a rung computes."""
    hashes = {}
    for path in sorted(glob.glob(f"{ROOT}/kernels/*") + glob.glob(f"{ROOT}/src/*/*.[ch]")):
        code = code_of(path)
        judges = re.search(r"/src/ladder/(op\w*|draw_truth|mesh_check)\.[ch]$", path)
        if "/kernels/" in path or judges or re.search(r"cuda[A-Z]\w*\(|structexec\b|ops->\w+\(", code):
            hashes[os.path.relpath(path, ROOT)] = hashlib.sha256(code.encode()).hexdigest()[:12]
    return hashes


def hash_all(hashes):
    return hashlib.sha256(json.dumps(hashes, sort_keys=True).encode()).hexdigest()[:16]


def check():
    """Prints the state of the record; returns the exit code."""
    if not os.path.exists(PAGE):
        print("NOTICE: there is no docs/GPU.md: run tests/gpu_record.py on a machine with a GPU")
        return SKIPPED
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    then = dict(re.findall(r"^([0-9a-f]{12}) (\S+)$", text, re.M))
    then, now = {path: code for code, path in then.items()}, hash_files()
    changed = sorted(path for path in then.keys() | now.keys() if then.get(path) != now.get(path))
    if not changed:
        print(f"docs/GPU.md is of this code ({hash_all(now)})")
        return 0
    print(f"NOTICE: docs/GPU.md is out of date: {len(changed)} of {len(now)} files have changed since\n  "
          + "\n  ".join(changed) + "\nrun tests/gpu_record.py on a machine with a GPU")
    return SKIPPED


# ---- the tests ----------------------------------------------------------------------------------------------------------


def move(word, moved):
    """The word with its folder replaced by the local one."""
    return next((here + word[len(there):] for there, here in moved if word.startswith(there)), word)


def read_tests(build, root=ROOT):
    """[(name, labels, whether it runs alone, words, environment)] of a build folder, with local paths, the longest first."""
    with open(os.path.join(build, "CTestTestfile.cmake"), encoding="utf-8") as file:
        text = file.read()
    moved = [(re.search(rf"^# {what} directory: (.*)$", text, re.M)[1], here)
             for what, here in (("Build", build), ("Source", root))]  # the build folder may be inside the source folder
    tests, cost = [], {}
    for name, words in re.findall(r"^add_test\(\[=\[(\w+)\]=\] (.*)\)$", text, re.M):
        properties = re.search(rf"^set_tests_properties\(\[=\[{name}\]=\] PROPERTIES (.*)\)$", text, re.M)[1]
        labels = re.search(r'LABELS "([^"]*)"', properties)
        environment = re.search(r'ENVIRONMENT "([^"]*)"', properties)
        said = re.search(r'COST "([^"]*)"', properties)
        cost[name] = float(said[1]) if said else 0
        words = [move(word, moved) for word in re.findall(r'"([^"]*)"', words)]
        if os.path.basename(words[0]).startswith("python"):
            words[0] = sys.executable
        tests.append((name, labels[1].split(";") if labels else [], "RUN_SERIAL" in properties, words,
                      dict(item.split("=", 1) for item in environment[1].split(";")) if environment else {}))
    return sorted(tests, key=lambda test: -cost[test[0]])


def run_test(words, environment):
    """(result, counts, seconds)"""
    start = time.time()
    try:
        done = subprocess.run(words, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=1200)
        code, said = done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        code, said = "a hang", ""
    seconds = time.time() - start
    counted = re.findall(r"\d+ passed, \d+ failed(?:, \d+ skipped)?|(?<=Ran )\d+ tests", said)
    skipped = re.search(r"^(?:OK|FAILED) \(.*\bskipped=(\d+)", said, re.M)  # of unittest
    if counted and skipped:
        counted.append(f"{counted[-1]}, {skipped[1]} skipped")
    if code not in (0, SKIPPED):
        print(said[-4000:], flush=True)
    result = {0: "passed", SKIPPED: "skipped"}.get(code, f"FAILED ({code})")
    why = re.search(r"skipped: (.*)", said) if code == SKIPPED else None
    return result, counted[-1] if counted else why[1] if why else "", seconds


# ---- the page -----------------------------------------------------------------------------------------------------------


def describe(build):
    """Device, driver and commit, as the program's benchmark reports them."""
    program = os.path.join(build, "isoscope")
    with tempfile.TemporaryDirectory() as folder:
        volume = os.path.join(folder, "v.nrrd")
        subprocess.run([program, "synth", "metaballs", "--size", "32", "-o", volume], check=True, stdout=subprocess.DEVNULL)
        done = subprocess.run([program, "bench", volume, "--backend", "cuda", "--runs", "5", "--json"],
                              stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit("no record was written")
    return json.loads(done.stdout)


def write_page(machine, rows, hashes):
    lines = ["# Tested on a GPU", "",
             "CI has no GPU. This page is the last run of the tests that need one, written by `tests/gpu_record.py`; `ctest -R",
             "gpu_record` says what has changed since.", "",
             f"- device: {machine['device']}", f"- driver: {machine['driver']}",
             f"- date: {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC",
             f"- commit: {machine['commit']}", f"- code: {hash_all(hashes)} ({len(hashes)} files, below)", "",
             "| test | result | counted | seconds |", "|---|---|---|---:|"]
    lines += [f"| {name} | {result} | {counted} | {seconds:.1f} |" for name, result, counted, seconds in rows]
    lines += ["", "<!-- The code that was tested: SHA-256 of each file without comments and white space."]
    lines += [f"{code} {path}" for path, code in hashes.items()]
    os.makedirs(os.path.dirname(PAGE), exist_ok=True)
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n-->\n")


def read_rows(hashes):
    """[(name, result, counts, seconds)] of a record of the same code."""
    if not os.path.exists(PAGE):
        return []
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    if f"- code: {hash_all(hashes)} " not in text:
        return []
    rows = re.findall(r"^\| (\w+) \| (.*?) \| (.*?) \| ([\d.]+) \|$", text, re.M)
    return [(name, result, counted, float(seconds)) for name, result, counted, seconds in rows]


def record(build, only):
    """Tests that run alone come first; the others run on all displays, side by side. Returns the exit code."""
    machine, hashes = describe(build), hash_files()
    rows = [row for row in read_rows(hashes) if only and row[0] not in only]
    names = (os.environ.get("DISPLAYS") or os.environ.get("DISPLAY", "")).split()
    displays = queue.SimpleQueue()
    for name in names or [None]:
        displays.put(name)

    def run_on_display(test):
        name, _, _, words, environment = test
        display = displays.get()
        shown = {"DISPLAY": display, "DISPLAY_AS_IS": "1"} if display else {}
        row = (name, *run_test(words, {**environment, **shown}))
        displays.put(display)
        print("{}: {} ({}), {:.1f} s".format(*row), flush=True)
        rows.remove((name, *NOT_RUN))
        rows.append(row)
        write_page(machine, rows, hashes)  # after each test: an interrupted run leaves a partial page

    tests = [test for test in read_tests(build)
             if ("gpu" in test[1] or "opengl" in test[1] and names) and (not only or test[0] in only)]
    tests.sort(key=lambda test: "gpu" not in test[1])  # an interrupted run at least has those of the kernels
    rows += [(test[0], *NOT_RUN) for test in tests]
    for test in tests:
        if test[2]:
            run_on_display(test)
    with concurrent.futures.ThreadPoolExecutor(max(1, len(names))) as pool:
        list(pool.map(run_on_display, [test for test in tests if not test[2]]))
    if not names:
        print("no DISPLAY: the window was not tested")
    return int(not rows or any(result != "passed" for _, result, _, _ in rows))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(check() if sys.argv[1] == "--check" else record(os.path.abspath(sys.argv[1]), sys.argv[2:]))
