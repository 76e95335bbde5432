#!/usr/bin/env python3
"""Where commands write: never over what they read, never two files of one name, and only to writable places, which is checked
before the work. Usage: test_outputs.py ISOSCOPE"""
import os
import unittest

import cli
from cli import FAILED, INPUT, OK, USAGE
from picture import grey_png as png

WINDOW = cli.has_window()


class Outputs(cli.CommandTest):
    def files(self):
        return {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}

    def slices(self, name="sl"):
        (self.folder / name).mkdir()
        for z in range(4):
            (self.folder / name / f"s{z:02}.png").write_bytes(png(20 * z))
        return name

    def header(self):
        """A header, and its voxels in another file."""
        self.ramp("mm.raw")
        (self.folder / "mm.mhd").write_text("NDims = 3\nDimSize = 4 4 4\nElementType = MET_UCHAR\nElementDataFile = mm.raw\n")
        return "mm.mhd"

    def test_the_input_is_never_an_output(self):
        words = ["--dims", "4x4x4", "--type", "uint8", "--iso", 15]
        for name in ("v.ply", "v.png", "v.md"):
            self.ramp(name)
        os.link(self.folder / "v.ply", self.folder / "hard.ply")
        (self.folder / "soft.ply").symlink_to("v.ply")
        for out in ("v.ply", "./v.ply", "hard.ply", "soft.ply"):
            self.refuses(USAGE, "extract", "v.ply", *words, "-o", out, says=[out, "input file"])
        self.refuses(USAGE, "render", "v.png", *words, "-o", "v.png", says=["input file"])
        self.refuses(USAGE, "bench", "v.md", *words, "--save", "v.md", says=["input file"])
        for name in ("v.ply", "v.png", "v.md"):
            self.assertEqual((self.folder / name).read_bytes(), bytes(10 * (i % 4) for i in range(64)))

    def test_read_only_files_are_kept(self):
        keep = self.folder / "keep.ply"
        keep.write_text("mine")
        keep.chmod(0o444)
        self.refuses(FAILED, "extract", self.ramp(), "--iso", 15, "-o", "keep.ply", says=["keep.ply", "read-only"])
        self.assertEqual((keep.read_text(), keep.stat().st_mode & 0o777), ("mine", 0o444))

    def test_the_longest_names(self):
        """The name that a file has meanwhile is as long, or shorter."""
        name, longest = self.ramp(), 251 * "n" + ".ply"
        self.assertEqual(self.run_program("extract", name, "--iso", 15, "-o", longest).returncode, OK)
        self.assertEqual(sorted(os.listdir(self.folder)), sorted([name, longest]))
        self.refuses(FAILED, "extract", "absent.nrrd", "-o", "n" + longest, says=["File name too long"])  # before the work

    def test_save_takes_text_files_only(self):
        name = self.ramp()
        words = ["bench", name, "--runs", 5, "--save"]
        os.mkfifo(self.folder / "fifo.md")
        (self.folder / "volume.md").write_bytes(b"NRRD\0\1\2")
        (self.folder / "latin.md").write_bytes(b"caf\xe9\n")
        with open(self.folder / "large.md", "wb") as large:
            large.truncate((16 << 20) + 1)
        (self.folder / "locked.md").write_text("mine")
        (self.folder / "locked.md").chmod(0o444)
        before = {f.name: f.stat().st_size for f in self.folder.iterdir()}
        for file, says in (("fifo.md", "FIFO"), ("/dev/zero", "device"), ("volume.md", "not a text file"),
                           ("latin.md", "not a text file"), ("large.md", "too many"), ("locked.md", "read-only")):
            done = self.run_program(*words, file)
            self.assertEqual((done.returncode, done.stdout), (FAILED, ""), file)  # before anything is measured
            self.assertRegex(done.stderr, r"\Aisoscope: [^\n]+\n\Z")
            self.assertIn(file, done.stderr)
            self.assertIn(says, done.stderr)
        self.assertEqual({f.name: f.stat().st_size for f in self.folder.iterdir()}, before)
        (self.folder / "text.md").write_text("# caf\u00e9\n")
        self.assertEqual(self.run_program(*words, "text.md").returncode, OK)
        self.assertTrue((self.folder / "text.md").read_text().startswith("# caf\u00e9\n\n"))

    def test_the_files_of_a_header(self):
        os.symlink(self.folder / self.header(), self.folder / "link.mhd")
        os.link(self.folder / "mm.raw", self.folder / "hard.json")
        for name in ("mm.mhd", "./mm.mhd", "link.mhd"):
            for out in ("mm.raw", "./mm.raw", "hard.json"):
                self.refuses(USAGE, "extract", name, "--iso", 15, "-o", "s.ply", "--trace", out, says=[out, name, "is read from"])
        self.refuses(USAGE, "bench", "mm.mhd", "--save", "mm.raw", says=["mm.raw", "is read from"])
        if WINDOW:
            self.refuses(USAGE, "render", "mm.mhd", "--save-state", "mm.raw", "-o", "f.png", says=["mm.raw", "is read from"])
        done = self.run_program("extract", "mm.mhd", "--iso", 15, "-o", "s.ply")
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertEqual(self.run_program("extract", "mm.mhd", "--iso", 15, "-o", "s.ply").returncode, OK)  # again

    def test_the_file_that_describes_voxels(self):
        self.ramp("v.raw")
        (self.folder / "v.json").write_text('{"size": [4, 4, 4], "type": "uint8"}')
        self.refuses(USAGE, "extract", "v.raw", "--iso", 15, "-o", "s.ply", "--trace", "v.json", says=["v.json", "is read from"])
        (self.folder / "v.json").write_text("{}")  # it says nothing of voxels
        words = ["v.raw", "--dims", "4X4x4", "--type", "uint8", "--iso", 15, "-o", "s.ply", "--trace", "v.json"]
        self.assertEqual(self.run_program("extract", *words).returncode, OK)

    @unittest.skipUnless(WINDOW, "built without OpenGL")
    def test_a_folder_of_slices(self):
        folder = self.slices()
        os.symlink("sl", self.folder / "other")
        os.symlink("sl/new.png", self.folder / "points.png")
        self.refuses(USAGE, "render", folder, "-o", "sl/s02.png", says=["sl/s02.png", "is read from"])
        for out in ("sl/new.png", "other/new.PNG", "sl/../sl/new.png", "points.png"):
            self.refuses(USAGE, "render", folder, "-o", out, says=[out, "part of the input sl"])
        self.refuses(USAGE, "render", folder, "--turntable", 2, "-o", "sl/t%d.png", says=["part of the input"])
        os.symlink(self.folder / "away.png", self.folder / "sl" / "s04.png")
        (self.folder / "away.png").write_bytes(png(90))
        self.refuses(USAGE, "render", folder, "-o", "away.png", says=["is read from"])
        done = self.run_program("extract", folder, "--iso", 30, "-o", "sl/s.ply")  # no slice is called so
        self.assertEqual(done.returncode, OK, done.stderr)

    @unittest.skipUnless(WINDOW, "built without OpenGL")
    def test_the_default_picture_is_no_slice(self):
        self.folder /= self.slices()
        self.refuses(USAGE, "render", ".", says=["isoscope.png", "part of the input"])

    def test_zarr(self):
        self.assertEqual(self.run_program("pack", self.ramp(), "-o", "v.zarr").returncode, OK)
        for name in ("v.zarr", "v.zarr/zarr.json"):
            self.refuses(USAGE, "extract", name, "--iso", 15, "-o", "s.ply", "--trace", "v.zarr/zarr.json")
            self.refuses(USAGE, "extract", name, "--iso", 15, "-o", "v.zarr/s.ply", says=["v.zarr/s.ply", "part of the input"])
        self.assertEqual(self.run_program("extract", "v.zarr", "--iso", 15, "-o", "v.zarr.ply").returncode, OK)

    def test_dicom(self):
        """It does not matter whether the series could be read, so dcm2niix is not needed."""
        (self.folder / "scan").mkdir()
        for name in ("IM1", "IM2"):
            (self.folder / "scan" / name).write_bytes(bytes(128) + b"DICM" + bytes(200))
        for name in ("scan", "scan/IM1"):
            self.refuses(USAGE, "extract", name, "-o", "s.ply", "--trace", "scan/IM2", says=["scan/IM2", "is read from"])

    def test_two_outputs_of_one_name(self):
        name = self.ramp()
        os.symlink("f.ply", self.folder / "link.json")
        for trace in ("f.ply", "./f.ply", "link.json"):
            self.refuses(USAGE, "extract", name, "--iso", 15, "-o", "f.ply", "--trace", trace, says=[trace, "-o and --trace"])
        done = self.run_program("extract", name, "--iso", "15,25", "-o", "f%.ply", "--trace", "f25.ply")
        self.assertEqual((done.returncode, "-o and --trace" in done.stderr), (USAGE, True), done.stderr)
        self.refuses(USAGE, "ladder", "sum", "--bench", "--save", "x.html", "--report", "x.html", says=["--save and --report"])
        if WINDOW:
            self.refuses(USAGE, "render", name, "-o", "f.png", "--save-state", "f.png", says=["-o and --save-state"])
            self.refuses(USAGE, "render", name, "--save-state", "isoscope.png", says=["-o and --save-state"])

    def test_an_absent_input_is_told_as_that(self):
        self.refuses(INPUT, "extract", "absent.nrrd", "-o", "x.ply", says=["absent.nrrd"])
        self.refuses(INPUT, "extract", "absent.ply", "-o", "absent.ply", says=["absent.ply"])

    def test_what_cannot_be_written_is_found_before_the_work(self):
        """Nothing is read: the volume is no volume."""
        (self.folder / "no.nrrd").write_text("nothing")
        (self.folder / "dir.ply").mkdir()
        (self.folder / "dir.png").mkdir()
        (self.folder / "locked.ply").write_text("mine")
        (self.folder / "locked.ply").chmod(0o444)
        self.refuses(FAILED, "extract", "no.nrrd", "-o", "dir.ply", says=["dir.ply", "not a regular file"])
        self.refuses(FAILED, "extract", "no.nrrd", "-o", "locked.ply", says=["locked.ply", "read-only"])
        self.refuses(FAILED, "extract", "no.nrrd", "-o", "absent/x%.ply", says=["absent/x%.ply", "No such file"])
        self.refuses(FAILED, "bench", "no.nrrd", "--save", "absent/x.md", says=["absent/x.md", "No such file"])
        self.refuses(FAILED, "ladder", "scan", "--report", "absent/n.html", says=["absent/n.html", "No such file"])
        (self.folder / "link.zarr").symlink_to("nowhere")
        self.refuses(USAGE, "pack", "no.nrrd", "-o", "link.zarr", says=["link.zarr already exists"])
        self.refuses(FAILED, "pack", "no.nrrd", "-o", "absent/x.zarr", says=["absent/x.zarr", "No such file"])
        self.refuses(INPUT, "extract", "no.nrrd", "-o", "absent%/x.ply", says=["no.nrrd"])  # which folder, nobody knows yet
        if WINDOW:
            self.refuses(FAILED, "render", "no.nrrd", "-o", "dir.png", says=["dir.png", "not a regular file"])
            self.refuses(FAILED, "render", "no.nrrd", "-o", "x.png", "--save-state", "absent/x.state", says=["absent/x.state"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
