#!/usr/bin/env python3
"""Translucent surfaces, in pictures and in the window (Y), parts left out, and the window's surface as a file (E).
Usage: test_sorted.py ISOSCOPE [VOLUME]; drive.py has more."""
import json
import os
import re
import struct

import drive
from drive import DRAWN, FULL, USAGE
from picture import Picture

PARTS = r"parts: (\d+) of (\d+) shown, (\d+) triangles, components \S+ ms"
ORDER = r"order of (\d+) triangles: gemv (\S+) ms, sort (\S+) ms, all \S+ ms(, coarse)?"


class Pictures(drive.ProgramTest):
    @classmethod
    def setUpClass(cls):
        """A ball of 64^3 voxels, brighter within the radius 24; without hard steps, for smooth normals."""
        super().setUpClass()
        cls.ball = "ball_64x64x64_uint8.raw"

        def value(x, y, z):
            r = ((x - 31.5) ** 2 + (y - 31.5) ** 2 + (z - 31.5) ** 2) ** 0.5
            return int(max(50, min(250, 150 + (24 - r) * 10)))
        with open(cls.path(cls.ball), "wb") as file:
            file.write(bytes(value(x, y, z) for z in range(64) for y in range(64) for x in range(64)))

    def picture(self, iso, *words):
        return self.render("ball.png", self.ball, "--iso", iso, *words, "--size", "160x120", "--azimuth", "0",
                           "--elevation", "0", "--backend", "cpu")

    def data(self, *words, iso="150"):
        with open(self.picture(iso, *words), "rb") as file:
            return file.read()

    def middle(self, iso, *words):
        """The mean colour of the 9 x 9 pixels in the middle."""
        picture = Picture(self.picture(iso, *words))
        pixels = [picture[picture.width // 2 + x, picture.height // 2 + y] for y in range(-4, 5) for x in range(-4, 5)]
        return [sum(colour) / len(pixels) for colour in zip(*pixels)]

    def test_colours_are_blended_from_back_to_front(self):
        """A ray through the middle of a ball meets the front from outside, then the back from inside. The picture shows
        front a + back a (1 - a) + background (1 - a)^2, which differs for the two orders because the inner faces are blue."""
        self.check_blending("150")
        self.check_blending("150", "--shading", "matcap")

    def test_caps_are_blended_from_back_to_front(self):
        """All voxels are inside: two caps, of which one faces away."""
        self.check_blending("10", "--close")

    def check_blending(self, iso, *words):
        background, front = self.middle("255"), self.middle(iso, *words)
        half = self.middle(iso, *words, "--opacity", "0.5")
        back = [4 * h - b - 2 * f for h, b, f in zip(half, background, front)]  # cannot be seen alone
        self.assertTrue(all(-8 <= c <= 263 for c in back), back)
        self.assertGreater(max(abs(f - b) for f, b in zip(front, back)), 30)
        self.assertTrue(back[2] > back[0] and front[0] > front[2], f"inner faces are blue, outer ones are not: {back}, {front}")
        self.assertLess(sum(back), sum(front), "inner faces are darker")
        for a in (0.1, 0.25, 0.4, 0.7, 0.9):
            got = self.middle(iso, *words, "--opacity", a)
            want = [f * a + b * a * (1 - a) + g * (1 - a) ** 2 for f, b, g in zip(front, back, background)]
            self.assertLess(max(abs(p - q) for p, q in zip(got, want)), 3, f"opacity {a}: {got}, not {want}")
        self.assertEqual(self.middle(iso, *words, "--opacity", "0"), background)
        self.assertEqual(self.data(*words, iso=iso), self.data(*words, "--opacity", "1", iso=iso))

    def test_the_same_picture_whoever_sorts(self):
        same = {self.data("--opacity", "0.3", *words) for words in
                ([], ["--threads", "1"], ["--threads", "5"], ["--rung", "sort=qsort"], ["--rung", "sort=merge"],
                 ["--rung", "gemv=loop"], ["--rung", "fused=none"])}
        self.assertEqual(len(same), 1)

    def test_parts_are_left_out(self):
        """A ball and a voxel in front of it, which does not move the camera. Without the voxel, the picture is that of the ball
        alone."""
        with open(self.path(self.ball), "rb") as file:
            voxels = bytearray(file.read())
        voxels[32 + 64 * (4 + 64 * 32)] = 250
        with open(self.path("dusty_64x64x64_uint8.raw"), "wb") as file:
            file.write(voxels)
        alone, self.ball = self.data(), "dusty_64x64x64_uint8.raw"
        self.assertNotEqual(self.data(), alone)
        for words in (["--keep", "1"], ["--min-size", "10%"], ["--min-size", "5"]):
            self.assertEqual(self.data(*words), alone, words)
            self.assertNotEqual(self.data(*words, "--opacity", "0.5"), alone)
        self.assertNotEqual(self.data("--keep", "2"), alone)

    def test_wrong_opacities_are_refused(self):
        for word in ("-0.1", "1.5", "half", "nan"):
            done = self.run_program("render", "--opacity", word)
            self.assertEqual(done.returncode, USAGE, word)
            self.assertIn("--opacity", done.stderr)


class Window(drive.WindowTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.volume = drive.volume or cls.synth("metaballs", 64)

    def test_translucent(self):
        window, first = self.open(self.volume)
        self.assertEqual(window.press("y", r"translucent on, opacity (\S+)")[1], "0.40")
        self.assertEqual(window.wait_for(ORDER)[1], first[2], "all triangles are sorted")
        since = window.drag("scene", 0.5, 0.7, 0.3)
        window.wait_for(ORDER, since)
        window.press("7", r"view [\s\S]*?" + ORDER)
        self.check_not_sorted(window, "click", 4)  # zooming

        other = window.press("equal", FULL)
        found = window.wait_for(ORDER, other.start())
        self.assertTrue(found[1] == other[2] or found[4], "another surface is sorted too")
        same = window.press("a", FULL)
        self.assertEqual(same.groups(), first.groups())
        window.wait_for(ORDER, same.start())
        window.press("F12", r"screenshot (\S+)")
        window.press("y", r"translucent off[\s\S]*?" + DRAWN)
        self.check_not_sorted(window, "key", "1")  # another view of an opaque surface
        window.quit()

    def check_not_sorted(self, window, *words):
        """Waits until the window is at rest, including sorts."""
        window.settle()
        since = window.mark()
        window.xdo(*words)
        window.wait_for(DRAWN, since)
        window.settle()
        self.assertNotIn("order of", window.log(since))

    def test_dust(self):
        volume = self.synth("vessels", 64, "dusty.nrrd")
        words = [volume, "--iso", "80.5", "--backend", "cpu"]
        whole = self.info(*words)
        window, first = self.open(*words)
        since = window.mark()
        window.click("measure", r"measured on")
        self.assertEqual(window.wait_for(PARTS, since).groups(),
                         (str(whole["part_count"]), str(whole["part_count"]), first[2]))
        since = window.drag("dust", 0.05, 0.8)
        window.settle()
        percent = float(window.says(r"dust (\S+) %", since)[-1])
        self.assertGreater(percent, 1)
        shown = window.says(PARTS, since)[-1]
        left = self.info(*words, "--min-size", f"{percent}%")
        self.assertEqual(shown, (str(left["part_count"]), str(whole["part_count"]), str(left["triangles"])))
        self.assertLess(left["part_count"], whole["part_count"])
        done = window.press("e", r"export (\S+): (\d+) triangles, (\d+) vertices")
        self.assertEqual((done[2], done[3]), (str(left["triangles"]), str(left["vertices"])))
        since = window.press("y", ORDER).start()
        self.assertEqual(window.says(ORDER, since)[-1][0], str(left["triangles"]), "what is left is sorted")
        since = window.press("equal", FULL).start()
        window.wait_for(PARTS, since)
        window.wait_for(ORDER, since)
        window.quit()

    def test_dust_in_any_unit(self):
        """The slider's text is a format with the unit of the file, which is no format."""
        with open(self.synth("sphere", 24), "rb") as file:
            content = file.read()
        with open(self.path("unit.nrrd"), "wb") as file:
            file.write(content.replace(b"\nendian:", b'\nunits: "%n%n%n" "%n%n%n" "%n%n%n"\nendian:', 1))
        self.assertEqual(self.info("unit.nrrd")["unit"], "%n%n%n")
        window, _ = self.open("unit.nrrd", "--min-size", "3")
        window.settle()
        window.click("dust", "dust", 0.5)
        window.quit()

    def test_export(self):
        window, first = self.open(self.volume)
        value, triangles, vertices = first.groups()
        name = os.path.splitext(os.path.basename(self.volume))[0]
        for path in (f"{name}_{float(value):.6g}.ply", f"{name}_{float(value):.6g}_1.ply"):  # unused names
            done = window.press("e", r"export (\S+): (\d+) triangles, (\d+) vertices, (\d+) bytes|isoscope: ")
            self.assertEqual((done[1], done[2]), (path, triangles))
            self.assertLessEqual(int(done[3]), int(vertices))
            with open(self.path(path), "rb") as file:
                data = file.read()
            self.assertIn(f"element vertex {done[3]}\n".encode(), data)
            self.assertEqual(len(data), int(done[4]))
        window.click("export format", "widget export as GLB: ")
        window.settle()  # a list that has just opened is still to find its place
        window.click("export as GLB", "")
        window.settle()
        done = window.click("write", r"export (\S+): (\d+) triangles, |isoscope: ")
        self.assertEqual((done[1], done[2]), (f"{name}_{float(value):.6g}.glb", triangles))
        with open(self.path(done[1]), "rb") as file:
            self.assertEqual(file.read(4), b"glTF")
        window.press("Insert", "surface 1 added at")  # which has a colour of its own
        window.settle()
        window.press("y", "translucent on, opacity 0.40")
        window.settle()
        window.press("e", rf"export {name}_\S+\.glb: ")
        (second,) = window.says(r"export (\S+\.glb): ", 0)[1:]
        with open(self.path(second), "rb") as file:
            data = file.read()
        other, material = json.loads(data[20:20 + struct.unpack_from("<I", data, 12)[0]])["materials"]
        self.assertTrue(other["pbrMetallicRoughness"]["baseColorFactor"][3] == 1 and "alphaMode" not in other, other)
        red, green, blue, opacity = material["pbrMetallicRoughness"]["baseColorFactor"]
        self.assertTrue(blue > green > red, material)
        self.assertTrue(abs(opacity - 0.4) < 1e-6 and material["alphaMode"] == "BLEND", material)
        window.press("Delete", "surface 1 removed")
        window.settle()
        window.press("equal", FULL)
        self.assertEqual(window.press("a", FULL)[2], triangles, "the surface is as before")
        window.quit()

    def test_an_open_list_takes_the_keys(self):
        """Arrows choose and Enter takes. Letters do nothing, and nothing behind the list follows."""
        window, _ = self.open(self.volume)
        window.click("export format", "widget export as PLY: ")
        window.settle()
        since = window.mark()
        window.xdo("key", "Down", "w", "Down", "Return")
        window.settle()
        self.assertFalse(window.says(r"wireframe|row \w+\n|fit\n|menu closed", since))
        window.press("e", r"export \S+\.obj: ")
        window.press("w", "wireframe on")
        window.quit()

    def test_the_end_waits_for_files(self):
        """A surface and a picture that are asked for just before the window is closed."""
        for key, done in (("e", r"export (\S+\.ply): "), ("ctrl+F12", r"screenshot (\S+)\n")):
            window, _ = self.open(self.volume)
            window.rest()
            window.xdo("key", "--delay", "1", key, "ctrl+q")
            window.ends(drive.OK)
            self.assertTrue(os.path.getsize(self.path(re.search(done, window.log())[1])))


if __name__ == "__main__":
    drive.main()
