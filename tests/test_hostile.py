#!/usr/bin/env python3
"""Damaged and malicious files: each is read, or refused with a sentence, without a crash, a hang, a control character on the
terminal or more memory than allowed.

Usage: test_hostile.py ISOSCOPE LOAD_MANY FOLDER [full]   FOLDER: of real volumes, cut at random places; full: 1000 of each
The seeds are those of make_seeds.py: cut at every byte, with every number and word of their headers replaced."""
import bz2
import gzip
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import make_seeds

program, load_many, real = (os.path.abspath(word) for word in sys.argv[1:4])
FULL = "full" in sys.argv[4:]
SANITIZED = any(name in pathlib.Path(program).read_bytes() for name in (b"__asan_init", b"__tsan_init"))
OK, FAILED, USAGE, INPUT = range(4)
MEMORY, SECONDS = 256, 2  # MiB that a volume may take; a load
os.environ["OMP_NUM_THREADS"] = "1"  # volumes of a few voxels
NUMBERS = [b"-1", b"0", b"1e99", b"2147483648", b"9223372036854775808", b"nan", b""]
WORDS = [0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fc00000, 0x7f800000, 0xff7fffff]  # the latter: nan, inf, -max
CUT_AT_MOST = 1500  # bytes of a file from its start; every one of these cuts is tried
folder = pathlib.Path(tempfile.mkdtemp(prefix="iso_hostile_"))
passed = failed = skipped = 0


def check(fine, what):
    global passed, failed
    passed += bool(fine)
    failed += not fine
    if not fine and failed < 40:
        print(f"FAILED {what}", flush=True)


def skip(why):
    global skipped
    skipped += 1
    print(f"skipped: {why}", flush=True)


def limit():
    if not SANITIZED:  # which reserve terabytes
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


# ---- many files at once -------------------------------------------------------------------------------------------------


def judge(what, line, codes):
    code, ms, mib, said = re.fullmatch(r"(\d+) (\d+) (\d+) (.*)", line).groups()
    check(int(code) in codes or (int(code) == FAILED and "memory" in said), f"{what}: code {line}")
    check(int(ms) < 1000 * SECONDS or SANITIZED, f"{what}: {ms} ms")
    check(int(mib) < MEMORY + 200 or SANITIZED, f"{what}: {mib} MiB")
    check(int(code) == OK or len(said) > 10, f"{what}: said nothing")
    check(not re.search(r"[\x00-\x1f\x7f-\x9f]", said), f"{what}: a control character: {said!r}")


def load(cases, codes=(OK, INPUT)):
    """cases: {what: path}. Returns the codes. One process loads all files. After a crash, another one continues with the next
    file."""
    todo, found = list(cases.items()), {}
    while todo:
        words = "\n".join(str(path) for _, path in todo) + "\n"
        done = subprocess.run([load_many, str(MEMORY)], input=words.encode(), capture_output=True, preexec_fn=limit,
                              timeout=600)
        lines = done.stdout.decode("utf-8", "replace").split("\n")[:-1]
        for (what, _), line in zip(todo, lines):
            judge(what, line, codes)
            found[what] = int(line.split()[0])
        if len(lines) < len(todo):
            check(False, f"{todo[len(lines)][0]}: {done.returncode}, {done.stderr[-400:].decode(errors='replace')}")
        todo = todo[len(lines) + 1:]
    return found


# Files that other files name, and the files that are loaded to test their damage.
KEPT = {("raw", "d.raw.ini"): "d.raw", ("raw", "e.json"): "e.raw", ("nifti", "pair.hdr"): "pair.hdr", ("raw", "d.raw"): "d.raw",
        ("raw", "e.raw"): "e.raw"}


class Place:
    """A folder with the companions of a reader's seeds, and the seeds damaged in many ways. Those whose name matters have
    folders of their own."""

    def __init__(self, reader):
        self.folder = folder / reader
        self.reader, self.files = reader, make_seeds.SEEDS[reader]
        self.cases = {}
        self.add_companions(self.folder)

    def add_companions(self, place):
        place.mkdir()
        for name in make_seeds.COMPANIONS & self.files.keys():
            (place / name).write_bytes(self.files[name])

    def damage(self, name, what, data):
        if data == self.files[name]:
            return
        number = len(self.cases)
        opened = KEPT.get((self.reader, name))
        place = self.folder / str(number) if opened else self.folder
        if opened:
            self.add_companions(place)
            if opened != name:
                (place / opened).write_bytes(self.files[opened])
        if self.reader in make_seeds.FOLDERS:
            make_seeds.unpack(data, place / f"n{number}_{name}")
        else:
            (place / (name if opened else f"n{number}_{name}")).write_bytes(data)
        self.cases[f"{self.reader}/{name} {what}"] = place / (opened or f"n{number}_{name}")

    def load(self):
        found = load(self.cases)
        shutil.rmtree(self.folder)
        return found


def test_seeds():
    """Every seed must be a volume, or the other tests would test too little."""
    make_seeds.write(folder / "seeds")
    for reader in make_seeds.FOLDERS:
        for name, data in make_seeds.SEEDS[reader].items():
            (folder / "seeds" / reader / name).unlink()
            make_seeds.unpack(data, folder / "seeds" / reader / name)
    for reader, files in make_seeds.SEEDS.items():
        cases = {f"{reader}/{name}": folder / "seeds" / reader / name for name in files
                 if name not in make_seeds.COMPANIONS}
        for what, code in load(cases).items():
            check(code == OK, f"the seed {what} is refused")


def test_cuts():
    for reader, files in make_seeds.SEEDS.items():
        place = Place(reader)
        for name in files.keys() - make_seeds.COMPANIONS:
            for n in range(min(len(files[name]), CUT_AT_MOST)):
                place.damage(name, f"cut to {n}", files[name][:n])
        place.load()


def header(data):
    """The part of a file that is worth changing."""
    return data[:1100 if is_text(data) or FULL else 560]


def is_text(data):
    return b"\0" not in data[:200] and data[:1] != b"\x93"


def test_numbers():
    for reader, files in make_seeds.SEEDS.items():
        place = Place(reader)
        for name, data in files.items():
            if name in make_seeds.COMPANIONS and (reader, name) not in KEPT:
                continue
            if is_text(data) or reader == "npy":
                end = data.find(b"\n\n") if reader == "nrrd" else -1
                for match in re.finditer(rb"[-+]?\d[\d.]*(e[-+]?\d+)?", data[:end] if end > 0 else header(data)):
                    for number in NUMBERS:
                        place.damage(name, f"with {number!r} at {match.start()}",
                                     data[:match.start()] + number + data[match.end():])
            elif reader != "raw":  # which has no header
                for at in range(0, len(header(data)) - 3, 4):
                    for word in WORDS:
                        place.damage(name, f"with {word:#x} at {at}",
                                     data[:at] + word.to_bytes(4, "big" if "big" in name else "little") + data[at + 4:])
        place.load()


def test_words():
    """Control characters, percent signs and very long words in place of every word of a text header."""
    words = [b"\x1b[31m\x07", b"%n%s%s%n", b"x" * 5000, b"\xff\xfe\x00\x01", b"\xc2\x9b31m"]
    for reader, files in make_seeds.SEEDS.items():
        place = Place(reader)
        for name, data in files.items():
            if not is_text(data) or (name in make_seeds.COMPANIONS and (reader, name) not in KEPT):
                continue
            for match in list(re.finditer(rb"[^\s\"=<>:]+", header(data)))[:80]:
                for word in words:
                    place.damage(name, f"with {word[:8]!r} at {match.start()}",
                                 data[:match.start()] + word + data[match.end():])
        place.load()


# ---- data elsewhere -----------------------------------------------------------------------------------------------------

N = make_seeds.N
HEADERS = {  # name of a header, and its text for data in `name`
    "h.nhdr": lambda name: make_seeds.nrrd(f"data file: {name}\n"),
    "list.nhdr": lambda name: make_seeds.nrrd(f"data file: LIST 3\n{name}\n"),
    "h.mhd": lambda name: make_seeds.metaimage("", name),
    "h.dat": lambda name: make_seeds.QVIS["a.dat"].replace(b"a.raw", name.encode()).replace(b"USHORT", b"UCHAR"),
}


def test_places():
    place = folder / "places"
    (place / "in" / "folder").mkdir(parents=True)
    (place / "secret").write_bytes(bytes(N))
    inner = place / "in"
    (inner / "fine.raw").write_bytes(bytes(N))
    for link, target in (("out", "../secret"), ("loop", "loop"), ("up", ".."), ("zero", "/dev/zero"),
                         ("passwd", "/etc/passwd"), ("dangling", "nothing")):
        (inner / link).symlink_to(target)
    os.mkfifo(inner / "fifo")
    names = ["../secret", "/etc/passwd", "/dev/zero", str(place / "secret"), "out", "loop", "zero", "passwd", "up/secret",
             "dangling", "fifo", "folder", "folder/", ".", "..", "in/../../secret", "folder/../../secret", "%n%s", "%s%s%s",
             "%d", "%999999999d 1 2 1", "%n 1 2 1", "n" * 5000, "n/" * 2500, "\x1b[2J", "", "nothing", "file:///etc/passwd",
             "|cat /etc/passwd", "$(id)", "`id`", "~/secret", "fine.raw\\..\\secret", "//etc//passwd", "/proc/self/mem",
             "./../in/../secret"]
    cases = {}
    for header_name, text in HEADERS.items():
        for i, name in enumerate([header_name, f"./{header_name}", f"self{len(names)}", *names]):
            path = inner / f"{i}{header_name}"
            own = name.replace(header_name, path.name)
            path.write_bytes(text(own))
            cases[f"{header_name} with data in {own[:60]!r}"] = path
    found = load(cases, codes=(INPUT,))
    check(len(found) == len(cases), "all places")
    fine = {}
    for header_name, text in HEADERS.items():
        (inner / header_name).write_bytes(text("fine.raw"))
        fine[header_name] = inner / header_name
    check(set(load(fine, codes=(OK,)).values()) == {OK}, "a file in the folder of its header is read")


# ---- bombs --------------------------------------------------------------------------------------------------------------


def bombs():
    zeros = bytes(100 << 20)
    packed, packed_bz2 = gzip.compress(zeros, 9, mtime=0), bz2.compress(zeros)
    sizes, yard = "10000 10000 10000", "1000000 1000000 1"
    yield "100 MB in gzip.nrrd", make_seeds.nrrd("", packed, encoding="gzip")
    yield "100 MB in bzip2.nrrd", make_seeds.nrrd("", packed_bz2, encoding="bzip2")
    yield "100 MB of a gzip file.nrrd.gz", gzip.compress(make_seeds.nrrd("", make_seeds.BYTES) + zeros, mtime=0)
    yield "100 MB before a header.nrrd.gz", packed
    yield "1e12 in 24.nrrd", make_seeds.nrrd("", make_seeds.BYTES, sizes=sizes)
    yield "1e12 wide.nrrd", make_seeds.nrrd("", make_seeds.BYTES, sizes=yard)
    yield "1e12 in gzip.nrrd", make_seeds.nrrd("", packed, sizes=sizes, encoding="gzip")
    yield "1e12 in bzip2.nrrd", make_seeds.nrrd("", packed_bz2, sizes=sizes, encoding="bzip2")
    yield "1e12 in ascii.nrrd", make_seeds.nrrd("", make_seeds.numbers(int), sizes=sizes, encoding="ascii")
    yield "1e12 in a gzip file.nrrd.gz", gzip.compress(make_seeds.nrrd("", make_seeds.BYTES, sizes=sizes), mtime=0)
    yield "skip of 100 MB.nrrd", make_seeds.nrrd("byte skip: 104857600\n", packed, encoding="gzip")
    yield "1e12.nii", make_seeds.nifti1(make_seeds.BYTES, 2, 8, dims=(3, 10000, 10000, 10000, 1, 1, 1, 1))
    yield "1e12.nii.gz", gzip.compress(make_seeds.nifti1(make_seeds.BYTES, 2, 8, dims=(3, 10000, 10000, 10000, 1, 1, 1, 1)))
    yield "1e12.mha", make_seeds.metaimage("CompressedData = True\n", dims=sizes) + packed
    yield "1e12.npy", make_seeds.npy(make_seeds.BYTES, "|u1", (10000, 10000, 10000))
    yield "1e12.vti", make_seeds.VTI["zlib.vti"].replace(b"0 3 0 2 0 1", b"0 9999 0 9999 0 9999")
    yield "1e12.vtk", make_seeds.VTK["ascii.vtk"].replace(b"4 3 2", b"10000 10000 10000").replace(b"DATA 24", b"DATA 1000000000000")
    yield "1e12.dx", make_seeds.DX["a.dx"].replace(b"counts 4 3 2", b"counts 10000 10000 10000").replace(
        b"items 24", b"items 1000000000000")
    yield "1e6 axes.npy", make_seeds.npy(make_seeds.BYTES, "|u1", "(" + "1," * 1000000 + ")", version=2)
    yield "deep.vti", b"<VTKFile>" + b"<a>" * 200000
    yield "entities.vti", b'<!DOCTYPE a [<!ENTITY b "bbbbbbbbbbbbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;">]>' + \
        make_seeds.VTI["ascii.vti"]
    yield "many files.nhdr", make_seeds.nrrd("data file: x%d.raw 1 2000000000 1\n", sizes="1 1 2000000000")


def test_bombs():
    place = folder / "bombs"
    place.mkdir()
    cases = {}
    for name, data in bombs():
        (place / name).write_bytes(data)
        cases[name] = place / name
    for what, code in load(cases).items():
        check(code != OK or what.startswith("100 MB of a gzip"), f"{what} is read")


# ---- the command --------------------------------------------------------------------------------------------------------


def run(path, *words):
    start = time.time()
    done = subprocess.run([program, "info", str(path), "--backend", "cpu", "--threads", "1", *words], capture_output=True,
                          timeout=120, cwd=folder)
    took = time.time() - start
    out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    what = f"info {str(path)[:200]!r} {words}"
    check(done.returncode in (OK, INPUT) or (done.returncode == FAILED and "memory" in err), f"{what}: {done.returncode} {err}")
    check(not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", out + err), f"{what}: control characters: {out + err!r}")
    check(done.returncode == OK or (re.fullmatch(r"isoscope: [^\n]+\n", err) and not out), f"{what}: {out!r} {err!r}")
    check(took < SECONDS + 3 or SANITIZED, f"{what}: {took:.1f} s")  # of which starting may take a few on a busy machine
    return done.returncode, out


def test_command():
    """What load_many does not test: exit codes, one line on stderr, and what names and notes print on the terminal."""
    place = folder / "command"
    place.mkdir()
    evil = "\x1b]0;evil\x07\x1b[31m"
    plain = make_seeds.NRRD["raw.nrrd"]
    (place / f"{evil}.nrrd").write_bytes(plain)
    (place / f"{evil}.xyz").write_bytes(b"nothing")
    (place / os.fsdecode(b"\xff\xfe\x9b31m.nrrd")).write_bytes(plain)
    for i, fields in enumerate((f'kinds: {evil} space space\n', f'units: "{evil}" "{evil}" "{evil}"\n', f"space: {evil}\n",
                                f"data file: {evil}\n", f"byte skip: {evil}\n", f"{evil}: 1\n", f"{evil}\n")):
        (place / f"{i}.nrrd").write_bytes(make_seeds.nrrd(fields, make_seeds.BYTES))
    for path in sorted(place.iterdir()):
        for words in ([], ["--json"]):
            code, out = run(path, *words)
            if code == OK and words:
                json.loads(out)
    for path in (folder / "places" / "in" / "0h.nhdr", folder / "places" / "in" / "fifo", folder / "places" / "in", "/dev/zero",
                 folder / "bombs" / "1e12 in gzip.nrrd", folder / "bombs" / "deep.vti", "x" * 5000, ""):
        code, _ = run(path)
        check(code != OK, f"{str(path)[:100]} is read")


# ---- real files ---------------------------------------------------------------------------------------------------------


def load_cuts(path, cuts, until):
    """Loads the beginnings of a file, from the longest to the shortest: a copy is cut again and again."""
    copy = folder / path.name
    shutil.copyfile(path, copy)
    driver = subprocess.Popen([load_many, str(MEMORY)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=limit)
    for n in sorted(cuts, reverse=True):
        if time.time() > until:
            break
        os.truncate(copy, n)
        driver.stdin.write(f"{copy}\n".encode())
        driver.stdin.flush()
        line = driver.stdout.readline().decode("utf-8", "replace").rstrip("\n")
        if not line:
            check(False, f"{path.name} cut to {n}: {driver.wait()}")
            break
        judge(f"{path.name} cut to {n}", line, (OK, INPUT))
    driver.communicate()
    copy.unlink()


def test_real():
    """Cut at random places; short beginnings are as likely as long ones, since headers are at the start."""
    if not os.path.exists(os.path.join(real, "manifest.json")):
        return skip(f"no real volumes: no manifest.json in {real}")
    seed = random.SystemRandom().randrange(1 << 32)
    print(f"cuts of real files from seed {seed}")
    places = random.Random(seed)
    for path in sorted(pathlib.Path(real).rglob("*")):
        if path.is_file() and path.suffix not in (".md", ".json", ".py", ".txt"):
            size = path.stat().st_size
            cuts = {min(size - 1, int(2 ** places.uniform(0, size.bit_length()))) if places.random() < 0.5
                    else places.randrange(size) for _ in range(1000 if FULL else 100)}
            load_cuts(path, cuts, time.time() + (600 if FULL else 1))


try:
    for test in (test_seeds, test_cuts, test_numbers, test_words, test_places, test_bombs, test_command, test_real):
        start, before = time.time(), passed
        test()
        print(f"{test.__name__}: {passed - before} passed in {time.time() - start:.1f} s", flush=True)
finally:
    shutil.rmtree(folder)
print(f"test_hostile: {passed} passed, {failed} failed, {skipped} skipped")
sys.exit(failed > 0)
