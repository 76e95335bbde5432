#!/usr/bin/env python3
"""Installed files: the program runs from its new place, and the manual page, the completions, the desktop's menu entry and the
MIME types are complete and valid. Uses tools that check them if these are installed.
Usage: test_install.py ISOSCOPE CMAKE BUILD; cli.py has more."""
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import cli
from cli import INPUT, NO_GL, OK, USAGE

BUILD, CMAKE = os.path.abspath(sys.argv.pop()), sys.argv.pop()
SOURCE = pathlib.Path(__file__).resolve().parent.parent
ID = "invalid.isoscope.isoscope"
COMMANDS = cli.commands()
WINDOW = cli.has_window()
MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"


def needs(tool):
    return unittest.skipUnless(shutil.which(tool), f"no {tool}")


needs_window = unittest.skipUnless(WINDOW, "built without OpenGL")


class Installed(cli.CommandTest):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        done = subprocess.run([CMAKE, "--install", BUILD, "--prefix", "/usr"], env={**os.environ, "DESTDIR": folder},
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        cls.usr = pathlib.Path(folder) / "usr"
        cls.program = cls.usr / "bin/isoscope"
        cls.page = gzip.open(cls.usr / "share/man/man1/isoscope.1.gz", "rt").read()

    def sound(self, *words, **how):
        done = subprocess.run([*map(str, words)], capture_output=True, text=True, cwd=self.folder, **how)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def test_program_runs_from_its_place(self):
        self.sound(self.program, "synth", "metaballs", "--size", 24, "-o", "v.nrrd")
        done = subprocess.run([self.program, "render", "v.nrrd", "--size", "64x48"], cwd=self.folder, capture_output=True,
                              text=True, env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
        if done.returncode == NO_GL:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertEqual((self.folder / "isoscope.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_every_test_is_described(self):
        """docs/testing.md has a row for each test of this build."""
        names = re.findall(r"Test +#\d+: (\w+)", self.sound(pathlib.Path(CMAKE).parent / "ctest", "-N", "--test-dir", BUILD))
        rows = re.findall(r"^\| (`.*?) \|", (SOURCE / "docs/testing.md").read_text(), re.M)
        told = {name for row in rows for name in re.findall(r"`(\w+)`", row)} | {"seeds", "faults_cuda"}  # below the tables
        told |= {name for name in names if name.startswith("read_") and "read_X" in told}
        self.assertGreater(len(names), 50)
        self.assertEqual([name for name in names if not {name, re.sub("_(cpu|cuda)$", "", name)} & told], [])

    def test_links_of_the_documents(self):
        """Relative links lead to files and headings that exist."""
        text = {path: re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S)
                for path in [*SOURCE.glob("*.md"), *SOURCE.glob("docs/*.md"), SOURCE / "data/README.md"]}
        heads = {path: {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in re.findall(r"^#+ (.*)", lines, re.M)}
                 for path, lines in text.items()}
        links = [(path, *re.fullmatch(r"([^#]*)#?(.*)", link).groups()) for path, lines in text.items()
                 for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", lines)]
        self.assertGreater(len(links), 100)
        for path, file, head in links:
            target = (path.parent / file).resolve() if file else path
            self.assertTrue(target.exists() and (not head or head in heads[target]), f"{path.name}: {file}#{head}")

    def test_what_debian_expects(self):
        for name in ("copyright", "changelog.gz", "changelog.Debian.gz"):
            self.assertTrue((self.usr / "share/doc/isoscope" / name).is_file(), name)
        log = gzip.open(self.usr / "share/doc/isoscope/changelog.gz", "rt").read()
        self.assertEqual(log, (SOURCE / "CHANGELOG.md").read_text())
        licence = (SOURCE / "LICENSE").read_text().split("\n\n", 2)[2]
        words = (self.usr / "share/doc/isoscope/copyright").read_text().replace("\n .\n", "\n").split()
        self.assertEqual(words[-len(licence.split()):], licence.split())

    def test_documents_link_to_what_is_there(self):
        documents, links = self.usr / "share/doc/isoscope", 0
        for page in documents.rglob("*.md"):
            for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)):
                if not re.match(r"#|https?:", link):
                    self.assertTrue((page.parent / link.split("#")[0]).exists(), f"{page.name}: {link}")
                    links += 1
        self.assertGreater(links, 40)
        for link in self.usr.rglob("*"):
            self.assertTrue(link.exists(), link)
        folder = re.search(r"\nPREFIX/(.*)\n", self.bare())[1]
        self.assertIn("docs/PARTS.md", self.bare().split(folder)[1])
        self.assertTrue((self.usr / folder / "docs/PARTS.md").exists())

    def test_the_manifest_lists_all_files(self):
        """So that they can be removed as the manual says."""
        prefix = self.folder / "a b"
        self.sound(CMAKE, "--install", BUILD, "--prefix", prefix)
        installed = {str(path) for path in prefix.rglob("*") if path.is_symlink() or not path.is_dir()}
        self.assertGreater(len(installed), 40)
        self.assertEqual(set((pathlib.Path(BUILD) / "install_manifest.txt").read_text().splitlines()), installed)
        words = re.search(r"^`(xargs .*) < build/install_manifest.txt`", (SOURCE / "docs/MANUAL.md").read_text(), re.M)[1]
        with open(pathlib.Path(BUILD) / "install_manifest.txt") as manifest:
            self.sound("sh", "-c", words, stdin=manifest)
        self.assertEqual([path for path in prefix.rglob("*") if not path.is_dir()], [])

    def test_versions_agree(self):
        """The version of the project() line is in the program, in all installed files, and at the top of the changelog with a
        date."""
        version = re.search(r"^project\(isoscope VERSION (\S+) ", (SOURCE / "CMakeLists.txt").read_text(), re.M)[1]
        self.assertEqual(self.run_program("--version").stdout.splitlines()[0], f"isoscope {version}")
        doctor = self.run_program("doctor", "--json", environment={"DISPLAY": ""})
        self.assertEqual(json.loads(doctor.stdout)["version"], version)
        self.assertRegex(self.page, rf"\.TH .*\bisoscope {re.escape(version)}\b")
        debian = gzip.open(self.usr / "share/doc/isoscope/changelog.Debian.gz", "rt").read()
        self.assertEqual(re.match(r"isoscope \((.*?)-", debian)[1], version)
        self.assertIn(f'CPACK_PACKAGE_VERSION "{version}"', (pathlib.Path(BUILD) / "CPackConfig.cmake").read_text())
        newest, day = re.search(r"^## ([^,]*), (.*)$", (SOURCE / "CHANGELOG.md").read_text(), re.M).groups()
        self.assertEqual(newest, version)
        self.assertRegex(day, r"^\d{4}-\d\d-\d\d$")
        if not WINDOW:
            return
        release = xml.etree.ElementTree.parse(self.usr / f"share/metainfo/{ID}.metainfo.xml").find("releases/release")
        self.assertEqual((release.get("version"), release.get("date")), (version, day))

    # ---- the manual page -----------------------------------------------------------------------------------------------

    def bare(self):
        """The page without fonts and escapes."""
        text = re.sub(r"\\f[BIR]", "", self.page).replace("\\-", "-").replace("\\(ti", "~").replace("\\(aq", "'")
        return text.replace("\\(ha", "^").replace("\\&", "")

    def test_page_has_all_that_help_has(self):
        page = self.bare()
        self.assertLessEqual({"extract", "synth", "doctor"}, set(COMMANDS))
        for command in [[]] * WINDOW + [[c] for c in COMMANDS]:
            text = self.run_program(*command, "--help").stdout
            options = re.findall(r"^ +(?:-\w, )?(--[a-z-]+) ?(\S*)  ", text, re.M)
            self.assertGreater(len(options), 1)
            for name, argument in options:
                self.assertRegex(page, rf"\n(-\w, )?{name}(\n| {re.escape(argument)}\n| \[)", command)
            for row in re.findall(r"^  (isoscope .*?)  +(.*)$", text.split("Examples:\n")[1], re.M):
                self.assertIn("\n".join(row), page)
        for row in self.run_program("--help", "keys").stdout.splitlines()[1:]:  # none without a window
            self.assertIn(f"\n{row[2:30].strip()}\n{row[31:]}\n", page)
        for number in range(7):
            self.assertRegex(page.split(".SH EXIT STATUS")[1], rf"\n{number}\n\w+")

    def test_page_has_every_variable(self):
        found = set()
        for path in (SOURCE / "src").glob("*/*.c"):
            found |= set(re.findall(r'getenv\("(\w+)"\)', path.read_text()))
        found |= set(re.findall(r'^    \{ "(\w+)", \d', (SOURCE / "src/open/launcher.c").read_text(), re.M))
        self.assertIn("SLURM_STEP_NUM_TASKS", found)
        self.assertGreater(len(found), 5)
        section = self.bare().split(".SH ENVIRONMENT")[1].split(".SH")[0]
        for name in found:
            self.assertRegex(section, rf"\b{name}\b")

    @needs("man")
    def test_page_has_no_warnings_of_man(self):
        (self.folder / "isoscope.1").write_text(self.page)
        text = self.sound("man", "--warnings", "-E", "UTF-8", "-l", "isoscope.1", env={**os.environ, "MANWIDTH": "80"})
        self.assertIn("EXIT STATUS", text)

    @needs("mandoc")
    def test_page_has_no_warnings_of_mandoc(self):
        (self.folder / "isoscope.1").write_text(self.page)
        self.assertEqual(self.sound("mandoc", "-T", "lint", "-W", "warning", "isoscope.1"), "")

    # ---- completions ---------------------------------------------------------------------------------------------------

    def bash(self, line):
        """What bash offers behind `line`."""
        script = 'source "$1"; COMP_LINE=$2 COMP_POINT=${#2}; _isoscope; (( ${#COMPREPLY[@]} )) && printf "%s\\n" "${COMPREPLY[@]}"; :'
        completion = self.usr / "share/bash-completion/completions/isoscope"
        return self.sound("bash", "--norc", "-c", script, "bash", completion, line).splitlines()

    def test_bash_completes(self):
        self.assertEqual(self.bash("isoscope re"), ["render"] * WINDOW)
        self.assertEqual(sorted(self.bash("isoscope ")), sorted(COMMANDS))
        self.assertEqual(self.bash("isoscope verify --backend "), ["auto", "cpu", "cuda"])
        self.assertEqual(self.bash("isoscope v.nrrd -b c"), ["cpu", "cuda"])
        self.assertEqual(self.bash("isoscope info v.nrrd --topo"), ["--topology"])
        self.assertEqual(self.bash("isoscope synth ma"), ["marschner-lobb"])
        self.assertEqual(self.bash("isoscope ladder find"), ["find_equal"])
        self.assertEqual(self.bash("isoscope synth --wat"), [])  # an option of the window
        self.assertEqual(self.bash("isoscope --wat"), ["--watch"] * WINDOW)
        self.assertEqual(self.bash("isoscope doctor "), [])
        self.assertEqual(self.bash("isoscope info --iso "), [])
        self.assertEqual(self.bash("isoscope --backend=cu"), ["cuda"])  # bash splits words at =
        self.assertEqual(self.bash("isoscope verify --rung scan=te"), ["textbook"])
        self.assertEqual(self.bash("isoscope verify --rung=scan=te"), ["textbook"])
        self.assertEqual(self.bash("isoscope --help ru"), ["rungs"])
        self.assertEqual(self.bash("isoscope ladder sum ka"), ["kahan"])
        rungs = json.loads(self.run_program("ladder", "all", "--json").stdout)["rungs"]
        for op in {rung["op"] for rung in rungs}:
            named = {rung["rung"] for rung in rungs if rung["op"] == op and rung["backend"] != "opengl"}
            self.assertLessEqual(named, set(self.bash(f"isoscope ladder {op} ")), op)  # a build may lack some

    def test_bash_offers_files(self):
        for name in ("a b.nrrd", "abc.nrrd", "other.raw"):
            (self.folder / name).touch()
        self.assertEqual(sorted(self.bash("isoscope ab")), ["abc.nrrd"])
        self.assertIn("a b.nrrd", self.bash("isoscope a"))
        self.assertEqual(self.bash("isoscope info a"), [])  # readline's own completion, of files

    def test_choices_are_understood(self):
        """Every value that bash offers is one that the program takes."""
        taken = 0
        for command in [""] * WINDOW + COMMANDS:
            text = self.run_program(*[command] * bool(command), "--help").stdout
            for name, argument in re.findall(r"^ +(?:-\w, )?(--[a-z-]+) (\S+)  ", text, re.M):
                for word in [] if name == "--help" else self.bash(f"isoscope {command} {name} "):
                    word = word if name != "--rung" or "=" in word else f"scan={word}"
                    done = self.run_program(*[command] * bool(command), name, word, "--help")
                    self.assertEqual((done.returncode, done.stderr), (OK, ""), f"{command} {name} {word}")
                    taken += 1
        self.assertGreater(taken, 100)

    def test_the_name_for_mpi_leads_to_the_same(self):
        if 'isoscope-mpi"' not in (pathlib.Path(BUILD) / "cmake_install.cmake").read_text():
            self.skipTest("no MPI")
        version = self.sound(self.usr / "bin/isoscope-mpi", "--version", env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})  # MPI's own
        self.assertEqual(version, self.sound(self.program, "--version"))
        page = gzip.open(self.usr / "share/man/man1/isoscope-mpi.1.gz", "rt").read()
        self.assertEqual(page, self.page)
        self.assertRegex(self.bare(), r"mpirun -n \d+ isoscope-mpi extract")
        completion = self.usr / "share/bash-completion/completions/isoscope-mpi"
        self.assertRegex(completion.read_text(), r"complete .* isoscope isoscope-mpi\n")
        self.assertIn("#compdef isoscope isoscope-mpi\n", (self.usr / "share/zsh/site-functions/_isoscope").read_text())
        for name in ("copyright", "changelog.gz", "changelog.Debian.gz"):
            self.assertTrue((self.usr / "share/doc/isoscope-mpi" / name).is_file(), name)

    @needs("zsh")
    def test_zsh_reads_its_completion(self):
        self.sound("zsh", "-n", self.usr / "share/zsh/site-functions/_isoscope")

    def test_debian_has_a_folder_of_its_own_for_zsh(self):
        self.assertFalse((self.usr / "share/zsh/vendor-completions").exists())
        self.sound(CMAKE, "--install", BUILD, "--prefix", "/usr", "--component", "isoscope",
                   env={**os.environ, "DESTDIR": str(self.folder)})
        self.assertTrue((self.folder / "usr/share/zsh/vendor-completions/_isoscope").is_file())
        self.assertFalse((self.folder / "usr/share/zsh/site-functions").exists())

    @needs("fish")
    def test_fish_completes(self):
        def fish(line):
            script = f'for f in {self.usr}/share/fish/vendor_completions.d/*.fish; source $f; end; complete -C "{line}"'
            text = self.sound("fish", "--no-config", "-c", script, env={**os.environ, "HOME": str(self.folder)})
            return [row.split("\t")[0] for row in text.splitlines()]
        self.assertEqual(fish("isoscope verify --backend "), ["auto", "cpu", "cuda"])
        self.assertEqual(fish("isoscope synth ma"), ["marschner-lobb"])
        self.assertEqual(fish("isoscope info --topo"), ["--topology"])
        self.assertEqual(fish("isoscope synth --wat"), [])
        self.assertEqual(fish("isoscope ladder find"), ["find_equal"])
        self.assertEqual(fish("isoscope ladder sum ka"), ["kahan"])
        self.assertEqual(fish("isoscope ladder sum find"), [])
        if (self.usr / "bin/isoscope-mpi").exists():
            self.assertEqual(fish("isoscope-mpi synth ma"), ["marschner-lobb"])
        self.assertEqual(sorted(fish("isoscope ")), sorted(COMMANDS))

    # ---- the desktop ---------------------------------------------------------------------------------------------------

    @needs_window
    def test_mime_types_are_formats(self):
        """A damaged file with each of the names is refused by its format's reader, not as an unknown format."""
        tree = xml.etree.ElementTree.parse(self.usr / "share/mime/packages/isoscope.xml")
        types = {row.get("type") for row in tree.iter(f"{MIME}mime-type")}
        names = [glob.get("pattern").replace("*", "v") for glob in tree.iter(f"{MIME}glob")]
        self.assertGreater(len(names), 10)
        unknown = self.refusal("v.unknown")
        for name in names:
            self.assertNotEqual(self.refusal(name).replace(name, "v.unknown"), unknown)
        entry = (self.usr / f"share/applications/{ID}.desktop").read_text()
        listed = set(re.search(r"^MimeType=(.*);$", entry, re.M)[1].split(";"))
        self.assertEqual(listed - types, {"application/dicom", "image/tiff"})  # those that shared-mime-info has
        self.assertEqual(types - listed, set())

    def refusal(self, name):
        (self.folder / name).write_bytes(gzip.compress(b"nothing") if name.endswith(".gz") else b"nothing")
        done = self.run_program("info", name)
        self.assertEqual(done.returncode, INPUT, done.stderr)
        return done.stderr

    @needs_window
    def test_entry_starts_the_program(self):
        """Every Exec line of the entry is a command line that the program understands."""
        entry = (self.usr / f"share/applications/{ID}.desktop").read_text()
        lines = re.findall(r"^Exec=isoscope(.*)$", entry, re.M)
        self.assertGreater(len(lines), 1)
        for line in lines:
            done = self.run_program(*line.replace("%f", "v.nrrd").split(), "--help")
            self.assertEqual((done.returncode, done.stderr), (OK, ""))
        self.assertEqual(self.run_program("v.nrrd", "--no-such", "--help").returncode, USAGE)
        for size in ("48x48", "256x256"):
            picture = (self.usr / f"share/icons/hicolor/{size}/apps/isoscope.png").read_bytes()
            self.assertEqual("{}x{}".format(*(int.from_bytes(picture[at:at + 4], "big") for at in (16, 20))), size)

    @needs_window
    @needs("desktop-file-validate")
    def test_entry_is_valid(self):
        self.assertEqual(self.sound("desktop-file-validate", self.usr / f"share/applications/{ID}.desktop"), "")

    @needs_window
    @needs("appstreamcli")
    def test_metainfo_is_valid(self):
        self.sound("appstreamcli", "validate", "--no-net", self.usr / f"share/metainfo/{ID}.metainfo.xml")


if __name__ == "__main__":
    unittest.main(verbosity=1)
