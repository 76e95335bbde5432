#!/usr/bin/env python3
"""DICOM: how isoscope calls dcm2niix and what it makes of the result; first with a fake dcm2niix, then with the real one.
Usage: test_dicom.py ISOSCOPE"""
import json
import os
import pathlib
import shutil
import signal
import struct
import tempfile
import unittest

from cli import FAILED, INPUT, OK, USAGE, CommandTest

REAL = shutil.which("dcm2niix")

# Writes down how it was called, then does what FAKE says.
FAKE = """#!/bin/sh
{ for word in "$@"; do printf '%s\\n' "$word"; done; } > "$RECORD"
if read line; then echo "something to read" >> "$RECORD"; fi
while [ "$1" != -o ]; do [ "$1" = -s ] && alone=$2; shift; done
out=$2
stat -c %a "$out" >> "$RECORD"
printf '%s\n' "$SAYS"
case "$FAKE" in
error) echo "Chris Rorden's dcm2niiX"; echo "Error: Unable to find any DICOM images"; echo "the end"; exit 2 ;;
unread) echo "Warning: Unsupported transfer syntax '1.2.3'"; echo "No valid DICOM images were found"; exit 2 ;;
signal) kill -SEGV $$ ;;
hang) echo part > "$out/1.nii"; mkdir "$out/more"; echo part > "$out/more/1.nii"; echo $$ > "$RECORD.child"; exec sleep 300 ;;
broken) echo nonsense > "$out/1.nii" ;;
code) cp "$MADE/3.nii" "$out/"; exit 8 ;;
slice) if [ "$alone" = y ]; then cp "$MADE/5.nii" "$out/"; else cp "$MADE"/*.nii "$out/"; fi ;;
*) cp "$MADE"/*.nii "$out/" ;;
esac
"""


def nifti(slices, value):
    """A NIfTI-1 file of 5 x 4 x slices bytes, all of this value but one; straight axes of 0.5, 0.25 and 2 mm."""
    header = bytearray(352)
    struct.pack_into("<i", header, 0, 348)
    struct.pack_into("<8h", header, 40, 3, 5, 4, slices, 1, 1, 1, 1)
    struct.pack_into("<2h", header, 70, 2, 8)
    struct.pack_into("<8f", header, 76, 1, 0.5, 0.25, 2, 1, 1, 1, 1)
    struct.pack_into("<3f", header, 108, 352, 1, 0)
    header[123] = 2
    header[344:348] = b"n+1\0"
    return bytes(header) + bytes([value]) * (20 * slices - 1) + b"\0"


def element(group, number, kind, value):
    """A data element of explicit VR, little-endian."""
    value = value.encode() if isinstance(value, str) else value
    value += b"" if len(value) % 2 == 0 else b"\0" if kind in ("UI", "OB") else b" "
    head = struct.pack("<HH2s", group, number, kind.encode())
    return head + (struct.pack("<HI", 0, len(value)) if kind in ("OB", "OW") else struct.pack("<H", len(value))) + value


def slice_of_ct(series, number, position, orientation, spacing, rows, columns, values, time="120000", uid=None):
    """A CT image of signed 16-bit values, rescaled by 2 x - 1000."""
    uid = uid or f"1.2.826.0.1.3680043.2.1125.{series}"
    short = lambda value: struct.pack("<H", value)
    meta = element(2, 0x01, "OB", b"\0\1") + element(2, 0x02, "UI", "1.2.840.10008.5.1.4.1.1.2") + \
        element(2, 0x03, "UI", f"{uid}.{number}") + element(2, 0x10, "UI", "1.2.840.10008.1.2.1") + \
        element(2, 0x12, "UI", "1.2.3.4")
    body = [
        element(8, 0x08, "CS", "ORIGINAL\\PRIMARY\\AXIAL"), element(8, 0x16, "UI", "1.2.840.10008.5.1.4.1.1.2"),
        element(8, 0x18, "UI", f"{uid}.{number}"), element(8, 0x20, "DA", "20200101"), element(8, 0x30, "TM", time),
        element(8, 0x60, "CS", "CT"), element(0x10, 0x10, "PN", "Nobody"), element(0x10, 0x20, "LO", "1"),
        element(0x18, 0x50, "DS", "2"), element(0x18, 0x5100, "CS", "HFS"), element(0x20, 0x0D, "UI", "1.2.3.4.0"),
        element(0x20, 0x0E, "UI", uid), element(0x20, 0x10, "SH", "1"), element(0x20, 0x11, "IS", str(series)),
        element(0x20, 0x12, "IS", "1"), element(0x20, 0x13, "IS", str(number)),
        element(0x20, 0x32, "DS", "\\".join(map(str, position))), element(0x20, 0x37, "DS", "\\".join(map(str, orientation))),
        element(0x20, 0x52, "UI", "1.2.3.5"), element(0x28, 0x02, "US", short(1)), element(0x28, 0x04, "CS", "MONOCHROME2"),
        element(0x28, 0x10, "US", short(rows)), element(0x28, 0x11, "US", short(columns)),
        element(0x28, 0x30, "DS", f"{spacing[1]}\\{spacing[0]}"), element(0x28, 0x100, "US", short(16)),
        element(0x28, 0x101, "US", short(16)), element(0x28, 0x102, "US", short(15)), element(0x28, 0x103, "US", short(1)),
        element(0x28, 0x1052, "DS", "-1000"), element(0x28, 0x1053, "DS", "2"),
        element(0x7FE0, 0x10, "OW", struct.pack(f"<{rows * columns}h", *values)),
    ]
    return bytes(128) + b"DICM" + element(2, 0, "UL", struct.pack("<I", len(meta))) + meta + b"".join(body)


class Pretended(CommandTest):
    def setUp(self):
        super().setUp()
        self.other = tempfile.TemporaryDirectory()  # so that the program's files are not in the folder of the test
        self.addCleanup(self.other.cleanup)
        place = lambda name: os.path.join(self.other.name, name)
        for name in ("bin", "tmp", "made"):
            os.mkdir(place(name))
        with open(place("bin/dcm2niix"), "w") as file:
            file.write(FAKE)
        os.chmod(place("bin/dcm2niix"), 0o700)
        for name, slices in (("2", 5), ("3", 4), ("3_Tilt_1", 3), ("5", 1)):
            with open(place(f"made/{name}.nii"), "wb") as file:
                file.write(nifti(slices, 10 * int(name[0])))
        self.record = place("record")
        self.tmp = place("tmp")
        self.environment = {"PATH": f"{place('bin')}:/usr/bin:/bin", "TMPDIR": self.tmp, "MADE": place("made"),
                            "RECORD": self.record, "FAKE": "", "SAYS": ""}
        self.scans = self.folder / "scan; touch 'pwned' $(touch pwned)"
        self.scans.mkdir()
        (self.scans / "IM 1").write_bytes(bytes(128) + b"DICM" + bytes(20))

    def info(self, *words, fake=""):
        done = self.run_program("info", *words, "--json", environment={**self.environment, "FAKE": fake})
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertEqual(os.listdir(self.tmp), [])
        return json.loads(done.stdout)

    def words(self):
        with open(self.record) as file:
            return file.read().splitlines()

    def test_folder(self):
        found = self.info(self.scans)
        self.assertEqual((found["dims"], found["max"], found["spacing"]), ([5, 4, 5], 20, [0.5, 0.25, 2]))
        self.assertIn("converted by dcm2niix; 2 of the series 2, 3, 3_Tilt_1, 5", found["note"])
        words = self.words()
        self.assertEqual(words[-2], os.path.realpath(self.scans))
        self.assertEqual(words[-1], "700")
        self.assertEqual(os.path.dirname(words[words.index("-o") + 1]), self.tmp)
        self.assertEqual(words[words.index("-s") + 1], "n")
        self.assertEqual(os.listdir(self.folder), [self.scans.name])

    def test_folder_of_folders(self):
        deep = self.folder / "study" / "a" / "b"
        deep.mkdir(parents=True)
        (deep / "IM1").write_bytes(bytes(128) + b"DICM" + bytes(20))
        self.assertEqual(self.info("study")["dims"], [5, 4, 5])
        self.assertEqual(self.info("study", "--series", "5")["dims"], [5, 4, 1])

    def test_series(self):
        found = self.info(self.scans, "--series", "3")
        self.assertEqual((found["dims"], found["max"]), ([5, 4, 4], 30))
        self.assertIn("3, one of 2 volumes of series 3; --series takes 2, 3, 3_Tilt_1, 5", found["note"])
        self.assertEqual(self.info(self.scans, "--series", "3_Tilt_1")["dims"], [5, 4, 3])
        for series in ("4", "33", "x\x1b[31m"):
            self.refuses(USAGE, "info", self.scans, "--series", series, environment=self.environment,
                         says=["no series", "2, 3, 3_Tilt_1, 5"])

    def make(self, name, slices, value):
        with open(os.path.join(self.other.name, "made", f"{name}.nii"), "wb") as file:
            file.write(nifti(slices, value))

    def test_parts_of_a_series(self):
        self.make("3a", 7, 31)
        self.make("3b", 2, 32)
        found = self.info(self.scans)
        self.assertEqual((found["dims"], found["max"]), ([5, 4, 7], 31))
        self.assertIn("3a, one of 4 volumes of series 3; --series takes 2, 3, 3_Tilt_1, 3a, 3b, 5", found["note"])
        for name, slices, value in (("3", 4, 30), ("3a", 7, 31), ("3b", 2, 32)):
            found = self.info(self.scans, "--series", name)
            self.assertEqual((found["dims"], found["max"]), ([5, 4, slices], value))
        for i in range(100):
            self.make(f"{i + 100}", 1, i)
        self.assertIn(" 116 and 83 more", self.info(self.scans)["note"])
        self.refuses(USAGE, "info", self.scans, "--series", "4", environment=self.environment, says=["2, 3, 3_Tilt_1", "more"])

    def test_unequal_distances(self):
        self.make("3_Eq_1", 3, 33)
        self.make("2_Eq_1", 4, 22)
        self.environment["SAYS"] = "Warning: Interslice distance varies\nConvert 9 DICOM as /a (b)/2 (5x4x5x1)\n" \
            "Warning: Missing images? 2\nConvert 4 DICOM as /a/3 (5x4x4x1)"
        for words, size, value, says in (((), 4, 22, "resampled by dcm2niix at equal distances (--series 2.nii: as scanned)"),
                                         (("--series", "2"), 4, 22, "dcm2niix warns: Interslice distance varies"),
                                         (("--series", "2.nii"), 5, 20, "dcm2niix warns: Interslice distance varies"),
                                         (("--series", "3"), 3, 33, "dcm2niix warns: Missing images? 2"),
                                         (("--series", "3_Tilt_1"), 3, 30, "3_Tilt_1")):
            found = self.info(self.scans, *words)
            self.assertEqual((found["dims"], found["max"]), ([5, 4, size], value))
            self.assertIn(says, found["note"])
        self.assertNotIn("dcm2niix warns", self.info(self.scans, "--series", "5")["note"])

    def test_file(self):
        found = self.info(self.scans / "IM 1")
        self.assertEqual(found["dims"], [5, 4, 5])  # the file has frames of its own
        self.assertEqual(self.words()[-2], os.path.realpath(self.scans / "IM 1"))
        found = self.info(self.scans / "IM 1", fake="slice")  # a slice of series 5
        self.assertEqual((found["dims"], found["max"]), ([5, 4, 1], 50))
        self.assertEqual(self.words()[-2], os.path.realpath(self.scans))

    def test_previews(self):
        for i in range(2):
            (self.scans / f"preview{i}.jpg").write_bytes(b"\xff\xd8\xff")
        self.assertIn("pictures beside it ignored", self.info(self.scans)["note"])
        (self.scans / "IM 1").unlink()
        self.refuses(INPUT, "info", self.scans, environment=self.environment, says=["preview0.jpg"])

    def test_without_a_magic(self):
        (self.scans / "IM 1").unlink()
        (self.scans / "IM1.dcm").write_bytes(b"\x08\0\x05\0" + bytes(200))
        self.assertEqual(self.info(self.scans)["dims"], [5, 4, 5])
        for head in (b"\x09\0\x05\0", b"\x08\0\x05\1"):
            (self.scans / "IM1.dcm").write_bytes(head + bytes(200))
            self.refuses(INPUT, "info", self.scans, environment=self.environment, says=["no slices in this folder"])

    def test_dose(self):
        dose = bytes(128) + b"DICM" + bytes(20) + b"UI\x1e\x001.2.840.10008.5.1.4.1.1.481.2\0"
        (self.scans / "RD").write_bytes(dose)
        self.refuses(INPUT, "info", self.scans / "RD", environment=self.environment, says=["RT dose", "NRRD"])
        self.assertIn("the folder has RT dose, too", self.info(self.scans)["note"])
        (self.scans / "IM 1").unlink()
        self.refuses(INPUT, "info", self.scans, environment=self.environment, says=["RT dose", "NRRD"])
        (self.scans / "RD").write_bytes(dose[:-1] + b"1")  # another class
        self.info(self.scans)

    def test_link(self):
        (self.folder / "-link").symlink_to(self.scans)
        self.assertEqual(self.info("./-link")["dims"], [5, 4, 5])
        self.assertEqual(self.words()[-2], os.path.realpath(self.scans))

    def test_failures(self):
        for fake, code, says in (("error", INPUT, ["exit code 2", "Error: Unable to find any DICOM images"]),
                                 ("unread", INPUT, ["Unsupported transfer syntax '1.2.3'"]),
                                 ("signal", FAILED, ["killed by signal 11"]), ("broken", INPUT, ["1.nii"])):
            self.refuses(code, "info", self.scans, environment={**self.environment, "FAKE": fake}, says=says)
            self.assertEqual(os.listdir(self.tmp), [])
        self.assertIn("exit code 8: a part may be missing", self.info(self.scans, fake="code")["note"])

    def test_started_without_interest_in_children(self):
        """A program that ignores SIGCHLD hands that on to those that it starts."""
        done = self.run_program("info", self.scans, environment=self.environment,
                                preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assertEqual((done.returncode, done.stderr), (OK, ""))

    def test_interrupted(self):
        """No patient data is left behind, and no process keeps running."""
        for stop in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.ends_with_its_program(stop, pathlib.Path(f"{self.record}.child"), "info", self.scans,
                                       environment={**self.environment, "FAKE": "hang"})
            self.assertEqual(os.listdir(self.tmp), [])

    def test_absent(self):
        self.environment["PATH"] = self.tmp
        self.refuses(FAILED, "info", self.scans, environment=self.environment,
                     says=["dcm2niix, which is not installed", "sudo apt install dcm2niix"])

    def test_no_temporary_folder(self):
        self.environment["TMPDIR"] = os.path.join(self.tmp, "absent")
        self.refuses(FAILED, "info", self.scans, environment=self.environment, says=["cannot make a temporary folder", "absent"])

    def test_surface_in_pieces(self):
        """Each process converts for itself; the new time of what it gets does not make it another job."""
        environment = {**self.environment, "OMP_NUM_THREADS": "2"}
        for scan in (self.scans, self.scans / "IM 1"):
            for words in ([], *(["--part", f"{k}/2", "--phase", phase] for phase in ("count", "write") for k in (1, 2)),
                          ["--part", "2", "--phase", "finish"]):
                done = self.run_program("extract", scan, "--iso", "15", "-o", "out.pvtp", *words, environment=environment)
                self.assertEqual(done.returncode, OK, done.stderr)
                self.assertEqual(os.listdir(self.tmp), [])
            self.assertIn("PVTP, iso 15, 1 triangle", done.stdout)

    def test_contradiction(self):
        self.refuses(USAGE, "info", self.scans, "--type", "uint8", environment=self.environment, says=["this is DICOM"])


@unittest.skipUnless(REAL, "dcm2niix is not installed")
class Real(CommandTest):
    """Series of slices with 5 columns and 6 rows, at 0.25 mm along a row and 0.5 mm along a column; slices 2 mm apart."""

    def write(self, series, slices, orientation=(1, 0, 0, 0, 1, 0), normal=(0, 0, 1), without=(), second=0, name="", **tags):
        """`without`: numbers of slices that are missing; `second`: seconds between the times of slices, or what makes
        one's time of its number."""
        time = second if callable(second) else lambda i: second * i
        folder = self.folder / "dicom"
        folder.mkdir(exist_ok=True)
        for i in sorted(set(range(slices)) - set(without)):
            position = [-10 + 2 * i * normal[0], -20 + 2 * i * normal[1], 30 + 2 * i * normal[2]]
            values = [1000 * series + 100 * i + j for j in range(30)]
            (folder / f"{name or series}_{slices - i}").write_bytes(  # the order of the names is not that of the slices
                slice_of_ct(series, i + 1, position, orientation, (0.25, 0.5), 6, 5, values, f"{120000 + time(i)}", **tags))
        return folder

    def info(self, *words):
        done = self.run_program("info", *words, "--json")
        self.assertEqual(done.returncode, OK, done.stderr)
        return json.loads(done.stdout)

    def agrees(self, found, series, slices):
        self.assertEqual(found["dims"], [5, 6, slices])
        for a, b in zip(found["spacing"], (0.25, 0.5, 2)):
            self.assertAlmostEqual(a, b, places=4)
        self.assertEqual((found["min"], found["max"]), (2 * 1000 * series - 1000, 2 * (1000 * series + 100 * (slices - 1) + 29) - 1000))
        self.assertIn("converted by dcm2niix", found["note"])

    def test_series(self):
        folder = self.write(2, 4)
        found = self.info(folder)
        self.agrees(found, 2, 4)
        # LPS, and dcm2niix stores rows from the last to the first
        for a, b in zip(found["origin"], (-10, -20 + 5 * 0.5, 30)):
            self.assertAlmostEqual(a, b, places=4)
        self.write(3, 5)
        self.agrees(self.info(folder), 3, 5)
        self.agrees(self.info(folder, "--series", "2"), 2, 4)
        self.agrees(self.info(folder / "2_1"), 2, 4)  # the series of one of its files

    def test_oblique(self):
        self.agrees(self.info(self.write(7, 4, (0.8, 0, 0.6, 0, 1, 0), (-0.6, 0, 0.8))), 7, 4)

    def test_split(self):
        # dcm2niix makes a volume of each slice whose time differs, and runs out of letters at the 27th
        for series, slices in ((2, 4), (3, 40)):
            found = self.info(self.write(series, slices, second=1))
            self.agrees(found, series, slices)
            self.assertIn(f"joined from {slices} volumes", found["note"])
            self.agrees(self.info("dicom", "--series", str(series)), series, slices)
        self.agrees(self.info("dicom/2_1"), 2, 4)
        oblique = self.write(7, 50, (0.8, 0, 0.6, 0, 1, 0), (-0.6, 0, 0.8), second=1)
        self.agrees(self.info(oblique), 7, 50)

    def test_split_with_a_gap(self):
        """Slices keep their places. Each missing slice is replaced by the nearest one."""
        self.agrees(found := self.info(self.write(2, 5, second=1, without=[2])), 2, 5)
        self.assertIn("joined from 4 volumes, whose slices follow one another; 1 of its 5 slices is missing: the nearest "
                      "one stands in", found["note"])
        self.agrees(found := self.info(self.write(3, 8, second=1, without=[3, 4])), 3, 8)
        self.assertIn("2 of its 8 slices are missing", found["note"])
        self.write(4, 9, second=1, without=range(2, 8))  # more are missing than there are
        self.assertEqual(self.info("dicom", "--series", "4")["dims"], [5, 6, 1])

    def test_a_gap_in_a_part(self):
        """dcm2niix closes the gap within that part, so a slice is lost at its end."""
        folder = self.write(2, 9, second=lambda i: i // 5, without=[2])
        for words in ([folder], [folder, "--series", "2"], [folder / "2_1"], [folder / "2_9"]):
            self.agrees(found := self.info(*words), 2, 9)
            self.assertIn("joined from 2 volumes, whose slices follow one another; 1 of them resampled by dcm2niix at "
                          "equal distances; 1 of its 9 slices is missing", found["note"])

    def test_gap(self):
        found = self.info(self.write(2, 9, without=[4]))
        self.assertIn("resampled by dcm2niix at equal distances (--series 2.nii: as scanned); dcm2niix warns: Interslice "
                      "distance varies", found["note"])
        self.assertEqual(found["dims"], [5, 6, 8])
        self.assertAlmostEqual(found["spacing"][2], 2, places=4)
        self.assertAlmostEqual(found["max"], 2 * (2000 + 700 + 29) - 1000, delta=1)
        self.assertIn("Missing images", found["note"])
        self.assertEqual(self.info("dicom", "--series", "2.nii")["max"], 2 * (2000 + 800 + 29) - 1000)

    def test_same_number(self):
        self.write(2, 4)
        folder = self.folder / "dicom"
        for path in list(folder.iterdir()):
            path.rename(folder / f"a{path.name}")
        # of the same place and number, but another series
        self.write(2, 4, name="b", uid="1.2.3", orientation=(0, 1, 0, 0, 0, 1), normal=(1, 0, 0))
        for name, direction in (("a2_1", 0.25), ("b_1", 0)):
            self.assertAlmostEqual(self.info(folder / name)["direction"][0], direction, places=4)
        found = [self.info(folder, "--series", name) for name in ("2", "2a")]
        for volume in found:
            self.assertIn("one of 2 volumes of series 2; --series takes 2, 2a", volume["note"])
        self.assertNotEqual(found[0]["direction"], found[1]["direction"])

    def test_without_preamble(self):
        folder = self.write(2, 4)
        for path in list(folder.iterdir()):
            content = path.read_bytes()
            (folder / f"{path.name}.dcm").write_bytes(content[content.index(struct.pack("<HH2s", 8, 8, b"CS")):])
            path.unlink()
        self.agrees(self.info(folder), 2, 4)
        self.agrees(self.info(folder / "2_1.dcm"), 2, 4)

    def test_nothing(self):
        self.write(2, 2)
        for path in (self.folder / "dicom").iterdir():
            path.write_bytes(path.read_bytes()[:140])
        self.refuses(INPUT, "info", "dicom", says=["dcm2niix made no volume"])


if __name__ == "__main__":
    if not REAL:
        print("skipped: the real dcm2niix is not installed")
    unittest.main()
