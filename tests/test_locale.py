#!/usr/bin/env python3
"""Runs tests again under a locale that writes 0,5 for 0.5, with setlocale called: numbers in files and on the command line must
keep their points. Every seed of make_seeds.py must give the same volume with and without the locale.
Usage: test_locale.py ISOSCOPE COMMA NAME=COMMAND...   COMMA: the library made of comma.c; COMMAND: its words, separated by |.
Exits with 77 where the locale cannot be made."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import make_seeds

program, comma = map(os.path.abspath, sys.argv[1:3])
tests = sys.argv[3:]
if not shutil.which("localedef"):
    print("skipped: no localedef, which makes the locale")
    sys.exit(77)
failed = seeds = 0


def info(path, environment):
    done = subprocess.run([program, "info", path, "--json", "--iso", "1.5", "--backend", "cpu"], env=environment,
                          capture_output=True, text=True)
    return done.returncode, done.stdout


with tempfile.TemporaryDirectory() as folder:
    made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", os.path.join(folder, "de_DE.UTF-8")],
                          capture_output=True, text=True)
    if not os.path.isdir(os.path.join(folder, "de_DE.UTF-8")):
        print(f"skipped: localedef: {made.stderr.strip() or 'made nothing'} (package locales)")
        sys.exit(77)
    german = {**os.environ, "LOCPATH": folder, "LC_ALL": "de_DE.UTF-8", "LD_PRELOAD": comma}
    for environment, fine in ((german, True), ({**german, "LC_ALL": "C"}, False)):
        if (subprocess.run(["true"], env=environment).returncode == 0) != fine:
            print(f"FAILED the library does not see LC_ALL={environment['LC_ALL']}")
            sys.exit(1)
    make_seeds.write(os.path.join(folder, "seeds"))
    for reader, files in make_seeds.SEEDS.items():
        for name in files.keys() - make_seeds.COMPANIONS:
            path = os.path.join(folder, "seeds", reader, name)
            if reader in make_seeds.FOLDERS:  # each in one file
                os.unlink(path)
                make_seeds.unpack(files[name], pathlib.Path(path))
            pointed, with_comma = info(path, {**os.environ, "LC_ALL": "C"}), info(path, german)
            seeds += 1
            if pointed != with_comma or pointed[0]:
                failed += 1
                print(f"FAILED {reader}/{name}: {with_comma}, but without the comma {pointed}")
    page = os.path.join(folder, "page.html")
    subprocess.run([program, "ladder", "sum", "--report", page, "--size", "1000", "--backend", "cpu", "--runs", "5"], env=german,
                   stdout=subprocess.DEVNULL, check=True)
    with open(page, encoding="utf-8") as file:
        commas = re.findall(r'(?:x|y|x1|x2|y1|y2|cx|cy|width|d)="[^"]*\d,\d[^"]*"', file.read())
    if commas:
        failed += 1
        print(f"FAILED the page of a ladder has {commas[0]}")
    # Parts of a file, made by machines of two locales, belong together; states, too, are the same in both.
    volume = os.path.join(folder, "v.nrrd")
    subprocess.run([program, "synth", "vessels", "--size", "32", "-o", volume], check=True, stdout=subprocess.DEVNULL)
    for environment, words in (({**os.environ, "LC_ALL": "C"}, ["1/2", "--phase", "count"]), (german, ["2/2", "--phase", "count"]),
                               (german, ["1/2", "--phase", "write"]), ({**os.environ, "LC_ALL": "C"}, ["2/2", "--phase", "write"]),
                               (german, ["1/2", "--phase", "finish"])):
        done = subprocess.run([program, "extract", volume, "--spacing", "0.5,0.25,0.1", "--iso", "60.5", "-o", os.path.join(folder, "v.ply"),
                               "--backend", "cpu", "--part", *words], env=environment, capture_output=True, text=True)
        if done.returncode:
            failed += 1
            print(f"FAILED --part {' '.join(words)} under LC_ALL={environment['LC_ALL']}: {done.stderr}")
            break
    states = {}
    for name, environment in (("C", {**os.environ, "LC_ALL": "C"}), ("german", german)):
        path = os.path.join(folder, f"{name}.state")
        done = subprocess.run([program, "render", volume, "--iso", "60.5", "--smooth", "0.7", "--opacity", "0.5", "--crop", "x=2.5:20.5",
                               "--min-size", "1.5", "--azimuth", "12.5", "--size", "32x32", "--backend", "cpu", "--save-state", path,
                               "-o", os.path.join(folder, "v.png")], env=environment, capture_output=True, text=True)
        if done.returncode == 4:
            print("skipped: states: no OpenGL")
            break
        states[name] = pathlib.Path(path).read_text() if done.returncode == 0 else done.stderr
        if done.returncode or "0.7" not in states[name] or states[name] != states["C"]:
            failed += 1
            print(f"FAILED the state under {name}: {states[name]}")
    for test in tests:
        name, command = test.split("=", 1)
        done = subprocess.run(command.split("|"), env=german, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(f"{name}: {(done.stdout.strip().splitlines() or [''])[-1]}", flush=True)
        if done.returncode not in (0, 77):
            failed += 1
            print(f"FAILED {name}:\n{done.stdout[-4000:]}")
print(f"test_locale: {len(tests) + seeds - failed} passed, {failed} failed")
sys.exit(failed > 0)
