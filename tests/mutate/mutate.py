#!/usr/bin/env python3
"""Mutation testing: puts one bug at a time into a copy of the source, builds it, and sees whether a test fails.

Usage: mutate.py [OPTION]...      writes docs/MUTATION.md
  --drawn N      bugs drawn by fixed operators, besides those of chosen.py (32)
  --seed N       of the places drawn (1)
  --only REGEX   only bugs whose number, file or text matches; nothing is written
  --list         prints the bugs and stops
  --scratch DIR  keeps the copy and its build there for the next time
  --minutes N    stops before a bug when so much time has passed; the page says what was left out

A bug is a snippet of code in one file and what stands there instead. chosen.py has those written by hand, cover.py the tests
that meet a file, of which quick ones run first, and equivalent.py bugs that change nothing that anybody could see. A bug counts as caught
by the first test that fails on it; one that only ran out of time says so. Tests run as `nobody` where this runs as root, with
limits on memory and file size: a bug may do anything."""
import argparse
import datetime
import fnmatch
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import chosen  # noqa: E402
import cover  # noqa: E402
import equivalent  # noqa: E402
import gpu_record  # noqa: E402

BUILD = ["cmake", "--build", "build", "--parallel", str(min(2, os.cpu_count() or 1)), "--target"]
MEMORY, FILE_SIZE = 8 << 30, 2 << 30
SHORTEST_LIMIT, TIMES_SLOWER = 30, 5  # seconds for a test, and times what it takes on sound code


class Bug:
    """A place in a file and what to put there."""

    def __init__(self, path, start, end, text, why, drawn=False):
        self.path, self.start, self.end, self.text, self.why, self.drawn = path, start, end, text, why, drawn
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            self.source = file.read()
        self.line = self.source.count("\n", 0, start) + 1
        begin, stop = self.source.rfind("\n", 0, start) + 1, self.source.find("\n", end)
        self.before = squeeze(self.source[begin:stop])
        self.after = squeeze(self.source[begin:start] + text + self.source[end:stop])
        self.result, self.caught = "", False

    def __str__(self):
        return f"{self.path}:{self.line}: {self.before}  ->  {self.after}   ({self.why})"

    def apply(self, scratch):
        write(os.path.join(scratch, self.path), self.source[:self.start] + self.text + self.source[self.end:])

    def undo(self, scratch):
        write(os.path.join(scratch, self.path), self.source)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def squeeze(text):
    return re.sub(r"\s+", " ", text).strip()


# ---- chosen bugs --------------------------------------------------------------------------------------------------------


def tracked_files():
    done = subprocess.run(["git", "-C", ROOT, "ls-files"], check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.split("\n")[:-1]


def find_chosen(files):
    """(bugs, complaints): each snippet must stand in exactly one place of the files that its pattern names. White space
    does not count, so that a new layout changes nothing."""
    bugs, complaints = [], []
    for pattern, snippet, text, why in chosen.BUGS:
        tokens = re.findall(r"\w+|[^\w\s]", snippet)
        expression = re.escape(tokens[0])
        for last, token in zip(tokens, tokens[1:]):
            expression += (r"\s+" if last[-1:].isalnum() and token[:1].isalnum() else r"\s*") + re.escape(token)
        found = []
        for path in fnmatch.filter(files, pattern):
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                found += [(path, match.start(), match.end()) for match in re.finditer(expression, file.read())]
        if len(found) == 1:
            bugs.append(Bug(*found[0], text, why))
        else:
            complaints.append(f"{pattern}: {snippet!r} is there {len(found)} times, not once ({why})")
    return bugs, complaints


# ---- drawn bugs ---------------------------------------------------------------------------------------------------------

# (what, expression, replacements by the matched text; a function where it depends on the text)
OPERATORS = [
    ("comparison", r"(?<=\s)(<=|>=|==|!=|<|>)(?=\s)", {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}),
    ("logic", r"(?<=\s)(&&|\|\|)(?=\s)", {"&&": "||", "||": "&&"}),
    ("off by one", r"(?<=[\w)\]] )[+-] 1\b(?!\.)", {"+ 1": "+ 2", "- 1": "- 0"}),
    ("sign", r"(?<=[\w)\]] )[+-](?= [\w(*])", {"+": "-", "-": "+"}),
    ("constant", r"(?<![\w.])\d+(\.\d+)?f?\b(?![.\w])", lambda text: re.sub(r"[\d.]+", lambda n: change_number(n[0]), text)),
    ("dropped call", r"(?m)^ +\w+\([^;{}]*\);$", lambda text: re.match(" *", text)[0] + ";"),
]
FOLDERS = ["src/core/*", "src/live/*", "src/look/*", "src/view/*", "src/window/*", "src/ladder/*", "src/cli/*", "kernels/*", "shaders/*"]
ONLY_CUDA = ["*.cu", "*.cuh", "*cuda*", "*cublas*", "*nvtx.c", "*.md"]


def change_number(text):
    return str(int(text) + 1) if text.isdigit() else repr(float(text) * 2 or 1.0)


def hide(match):
    return re.sub(r"[^\n]", " ", match[0])


def code_only(text):
    """The text with comments, literals and directives blanked; as long as before."""
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\])*\'', hide, text, flags=re.S)
    return re.sub(r"(?m)^\s*#.*(\\\n.*)*$|\bassert\(.*\);", hide, text)


def draw(files, count, seed):
    """Bugs at places drawn from a fixed sequence: folders in turn, in them every file by its length, then an operator."""
    sequence, bugs, taken = random.Random(seed), [], set()
    while len(bugs) < count:
        folder = FOLDERS[len(bugs) % len(FOLDERS)]
        names = [path for path in fnmatch.filter(files, folder) if not any(fnmatch.fnmatch(path, p) for p in ONLY_CUDA)]
        sources = {}
        for path in sorted(names):
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                sources[path] = code_only(file.read())
        path = sequence.choices(list(sources), [len(text.split()) for text in sources.values()])[0]
        what, expression, to = sequence.choice(OPERATORS)
        places = list(re.finditer(expression, sources[path]))
        if not places:
            continue
        match = sequence.choice(places)
        text = to[match[0]] if isinstance(to, dict) else to(match[0])
        if (path, match.start()) not in taken and text != match[0]:
            taken.add((path, match.start()))
            bugs.append(Bug(path, match.start(), match.end(), text, what, True))
    return bugs


# ---- running ------------------------------------------------------------------------------------------------------------


def copy_tree(files, scratch):
    """Brings the copy up to date without touching what has not changed, so that little is built anew."""
    for folder, folders, names in os.walk(scratch):
        if folder == scratch and "build" in folders:
            folders.remove("build")
        for name in names:
            if os.path.relpath(os.path.join(folder, name), scratch) not in files:
                os.remove(os.path.join(folder, name))
    for path in files:
        to = os.path.join(scratch, path)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        with open(os.path.join(ROOT, path), "rb") as file:
            data = file.read()
        if not os.path.exists(to) or open(to, "rb").read() != data:
            with open(to, "wb") as file:
                file.write(data)
            shutil.copymode(os.path.join(ROOT, path), to)


def build(scratch, targets):
    """What the compiler said, or None if all was well."""
    done = subprocess.run(BUILD + targets, cwd=scratch, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout[-3000:] if done.returncode else None


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run_test(words, environment, home, seconds):
    """The exit code, "no end", and the seconds it took. Whatever the test started is ended with it."""
    start = time.time()
    user = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}
    process = subprocess.Popen(words, cwd=home, env={**os.environ, **environment, "HOME": home, "TMPDIR": home},
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                               start_new_session=True, preexec_fn=limit, **user)
    try:
        code = process.wait(seconds)
    except subprocess.TimeoutExpired:
        code = "no end"
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    return code, time.time() - start


class Tests:
    """Those of the copy's build by name: ctest's, with more words or without; `ops OP` is one op alone."""

    def __init__(self, scratch):
        tests = gpu_record.read_tests(os.path.join(scratch, "build"), scratch)
        python = shutil.which("python3", path="/usr/bin") or sys.executable  # one in root's home is not everybody's
        self.words = {name: ([python if word == sys.executable else word for word in words], environment)
                      for name, _, words, environment in tests}
        self.scratch, self.seconds = scratch, {}
        self.programs = sorted({os.path.basename(word) for words, _ in self.words.values() for word in words
                                if word.startswith(scratch + "/build/")})

    def find(self, name):
        name, *more = name.replace("ops ", "ops_cpu ").split()
        if name not in self.words:
            sys.exit(f"cover.py names {name}, which is no test")
        words, environment = self.words[name]
        return words + more, environment

    def run(self, name, seconds):
        home = tempfile.mkdtemp(prefix="mutate-")
        os.chmod(home, 0o777)
        try:
            words, environment = self.find(name)
            return run_test(words, environment, home, seconds)
        finally:
            shutil.rmtree(home, ignore_errors=True)

    def measure(self, names):
        """Runs each on sound code: it must pass there, and what it takes sets its limit later."""
        for name in names:
            code, self.seconds[name] = self.run(name, 600)
            print(f"sound: {name}: {code}, {self.seconds[name]:.1f} s", flush=True)
            if code:
                sys.exit(f"{name} does not pass without a bug: {code}")


def tests_of(path):
    """Names of the tests that meet a file, by the first pattern that matches."""
    return next((names for pattern, names in cover.COVER if fnmatch.fnmatch(path, pattern)), None)


def meet(bug, scratch, tests):
    """Sets what became of the bug; False where it does not build."""
    bug.apply(scratch)
    try:
        said = build(scratch, tests.programs)
        if said:
            bug.result = "does not build"
            return bug.drawn or sys.exit(f"{bug} does not build:\n{said}")
        for name in sorted(tests_of(bug.path), key=tests.seconds.get):
            code, _ = tests.run(name, max(SHORTEST_LIMIT, TIMES_SLOWER * tests.seconds[name]))
            if code not in (0, gpu_record.SKIPPED):
                bug.caught = True
                bug.result = f"{name}, which did not end" if code == "no end" else name
                return True
        reason = equivalent.REASONS.get((bug.path, bug.before, bug.after))
        bug.result = f"equivalent: {reason}" if reason else "**survived** " + ", ".join(tests_of(bug.path))
        return True
    finally:
        bug.undo(scratch)


# ---- the page -----------------------------------------------------------------------------------------------------------


def cell(text):
    return "`` " + text.replace("|", "\\|") + " ``"


def write_page(path, bugs, left, options, minutes):
    equal = [bug for bug in bugs if bug.result.startswith("equivalent")]
    lost = [bug for bug in bugs if not bug.caught and bug not in equal]
    commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--exclude=*", "--dirty=+"], stdout=subprocess.PIPE,
                            text=True).stdout.strip()
    lines = ["# Mutation testing", "",
             "Which bugs the tests find, and which they miss. Each line is one bug, put into a copy of the source, and the first",
             "test that failed on it. `tests/mutate/mutate.py` writes this page; its head explains how.", "",
             f"- commit: {commit}", f"- date: {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC",
             f"- bugs: {sum(not bug.drawn for bug in bugs)} chosen, {sum(bug.drawn for bug in bugs)} drawn from seed {options.seed}"
             + (f"; {left} more were left out for want of time" if left else ""),
             f"- caught: {sum(bug.caught for bug in bugs)}; survived: {len(lost)}; equivalent: {len(equal)}",
             f"- time: {minutes:.0f} minutes", ""]
    for drawn, title in ((False, "Chosen"), (True, "Drawn")):
        lines += [f"## {title}", "", "| file | code | with the bug | why or how | caught by |", "|---|---|---|---|---|"]
        lines += [f"| {bug.path} | {cell(bug.before)} | {cell(bug.after)} | {bug.why} | {bug.result} |"
                  for bug in bugs if bug.drawn == drawn] + [""]
    write(path, "\n".join(lines))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    for name, kind, default in (("drawn", int, 32), ("seed", int, 1), ("only", str, None), ("scratch", str, None),
                                ("minutes", float, 1e9)):
        parser.add_argument(f"--{name}", type=kind, default=default)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()

    files = tracked_files()
    bugs, complaints = find_chosen(files)
    bugs += draw(files, options.drawn, options.seed)
    complaints += [f"{bug.path}: no line of cover.py names its tests" for bug in bugs if not tests_of(bug.path)]
    numbered = [(number, bug) for number, bug in enumerate(bugs, 1)
                if not options.only or re.search(options.only, f"#{number} {bug}")]
    if options.list:
        for number, bug in numbered:
            print(f"#{number} {bug}")
    for complaint in complaints:
        print(f"FAILED {complaint}")
    if complaints or options.list:
        return int(bool(complaints))

    start = time.time()
    scratch = os.path.abspath(options.scratch or tempfile.mkdtemp(prefix="mutate-tree-"))
    os.makedirs(scratch, exist_ok=True)
    os.chmod(scratch, 0o755)
    print(f"{len(numbered)} bugs, seed {options.seed}, in {scratch}", flush=True)
    copy_tree(files, scratch)
    flags = "-O2 -g0"  # with assertions
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    subprocess.run(["cmake", "-S", ".", "-B", "build", *generator, "-DISO_CUDA=OFF", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                    f"-DCMAKE_C_FLAGS_RELWITHDEBINFO={flags}", f"-DCMAKE_CXX_FLAGS_RELWITHDEBINFO={flags}"],
                   cwd=scratch, check=True, stdout=subprocess.DEVNULL)
    tests = Tests(scratch)
    said = build(scratch, tests.programs)
    if said:
        sys.exit(said)
    tests.measure(dict.fromkeys(name for _, bug in numbered for name in tests_of(bug.path)))

    met = []
    for number, bug in numbered:
        if time.time() - start > 60 * options.minutes:
            break
        meet(bug, scratch, tests)
        met.append(bug)
        print(f"#{number} {bug}\n    {bug.result}", flush=True)
    if not options.only:
        write_page(os.path.join(ROOT, "docs", "MUTATION.md"), met, len(numbered) - len(met), options,
                   (time.time() - start) / 60)
    if not options.scratch:
        shutil.rmtree(scratch)
    print(f"{sum(bug.caught for bug in met)} of {len(met)} caught, {(time.time() - start) / 60:.1f} minutes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
