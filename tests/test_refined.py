#!/usr/bin/env python3
"""A volume that does not fit in memory: what is in view has finer voxels when the window rests. While anything moves, the full
surface of the voxels in memory is shown. Usage: test_refined.py ISOSCOPE"""
import os
import unittest

import drive

REFINED = r"refined (level (\d) of 0 to (\d)[^:\n]*): (\d+) triangles, (\d+) blocks, (\d+) read, \d+ left, (\d+) made[^\n]*\n"
SEEN = REFINED.replace("refined ", "refined what is seen, ")
LACKS = r"refined nothing: [^\n]*finer voxels in view need --cache \d+M\n"
NO_MORE = r"refined no more: (\d+) blocks, (\d+) read[^\n]*\n"  # where coarser voxels have no surface


class Refined(drive.WindowTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.balls = cls.synth("metaballs", 300, "balls.nrrd")  # 25.7 MiB

    def start_thinned(self, *words):
        """A window that holds every 3rd voxel: 100 x 100 x 100 in 5 MiB."""
        window, first = self.open(self.balls, "--iso", "96.5", "--memory", "5M", *words)
        window.wait_for(r"every 3rd voxel only")
        return window, first

    def check_pictures(self, *commands):
        pictures = []
        for words in commands:
            done = self.run_program("render", *words, "--iso", "96.5", "--size", "200x150", "--backend", "cpu", "-o", "places.png")
            if done.returncode == drive.NO_GL:
                self.skipTest(done.stderr)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(self.path("places.png"), "rb") as file:
                pictures.append(file.read())
        self.assertEqual(*pictures)

    def test_places_count_voxels_of_the_finest_level(self):
        """Whichever level fits, unless --level names one. Voxel i of level 1 is the mean of 2i and 2i + 1 along each axis."""
        image = self.path("places.zarr")
        self.assertEqual(self.run_program("pack", self.balls, "-o", image).returncode, drive.OK)
        self.check_pictures([image, "--memory", "5M", "--slice", "x=150,z=30+", "--crop", "y=30.5:240.5", "--knife", "1,1,0,151"],
                            [image, "--level", "1", "--slice", "x=75,z=15+", "--crop", "y=15:120", "--knife", "1,1,0,75"])
        for words, last in ((["--memory", "5M"], 299), (["--level", "1"], 149)):
            said = self.run_program("render", image, *words, "--slice", "x=300", "-o", "no.png").stderr
            self.assertIn(f"voxels 0 to {last} along x", said)

        window, _ = self.open(image, "--iso", "96.5", "--memory", "5M", "--slice", "x=150", "--crop", "y=30.5:240.5", "--knife", "1,0,0,20.5")
        copied = window.press("ctrl+c", r"copied (.*)\n")[1]
        self.assertIn(" --slice x=150 --knife 1,0,0,20.5 --crop x=0:299,y=30.5:240.5,z=0:299 ", copied)
        window.press("period", r"slice x on at 152\n")
        window.press("ctrl+z", r"undo to step 0: slices x=150\n")
        window.quit()

    def test_places_count_voxels_of_the_file(self):
        """In commands and in the window, of which every 3rd is there. The picture is that of a file with these voxels alone."""
        with open(self.balls, "rb") as file:
            head, _, voxels = file.read().partition(b"\n\n")
        rows = [voxels[300 * (y + 300 * z):][:300:3] for z in range(0, 300, 3) for y in range(0, 300, 3)]
        thin = self.path("thin.nrrd")
        with open(thin, "wb") as file:
            file.write(b"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 100 100 100\nspacings: 3 3 3\nencoding: raw\n\n" + b"".join(rows))
        self.check_pictures([self.balls, "--memory", "5M", "--slice", "x=151,z=29+", "--crop", "y=30:240", "--knife", "1,1,0,150"],
                            [thin, "--slice", "x=50,z=10+", "--crop", "y=10:80", "--knife", "1,1,0,50"])
        self.assertIn("voxels 0 to 299", self.run_program("render", self.balls, "--memory", "5M", "--slice", "x=300", "-o", "no.png").stderr)

        window, _ = self.start_thinned("--slice", "x=151", "--crop", "y=30:240.5", "--knife", "1,0,0,20")
        self.assertIn(" --slice x=150 --knife 1,0,0,20 --crop x=0:299,y=30:240.5,z=0:299 ", window.press("ctrl+c", r"copied (.*)\n")[1])
        window.press("period", r"slice x on at 153\n")
        window.press("ctrl+z", r"undo to step 0: slices x=150\n")
        window.quit()

    def test_rest_and_movement(self):
        window, first = self.start_thinned("--cache", "200M")
        found = window.wait_for(REFINED)
        whole = int(self.info(self.balls, "--iso", "96.5")["triangles"])
        self.assertEqual(found[2], "0")  # 100 voxels along a picture of 800 pixels: all of them
        self.assertEqual(int(found[4]), whole)
        self.assertEqual(found[7], found[5])
        self.assertTrue(0 < int(found[6]) <= int(found[5]), found[0])  # what the row says to be empty is not kept
        self.assertGreater(whole, 4 * int(first[2]))
        more = window.wait_for(NO_MORE)
        self.assertLessEqual(int(more[2]), int(more[1]))
        known = int(found[5]) + int(more[1])
        self.assertLessEqual(known, 27)
        window.settle()
        since = window.drag("scene", 0.4, 0.6, 0.3)
        again = window.wait_for(REFINED, since)
        self.assertEqual(int(again[4]), whole)
        self.assertLessEqual(int(again[6]), 27 - known)  # from the cache, but for corners that were not in view
        self.assertLess(int(again[5]), known)  # some have no surface, as is known now
        self.assertLess(int(again[7]), int(again[5]))  # the others are in the mesh
        window.settle()
        since = window.drag("scene", 0.6, 0.4, 0.3)
        back = window.wait_for(REFINED, since)
        self.assertEqual((back[4], back[7]), (again[4], "0"))
        window.settle()
        since = window.mark()
        window.drag_by_steps("histogram", (0.3, 0.5, 0.6), r"iso (\S+): \d+ triangles|coarse 1/")
        other = window.wait_for(REFINED, since)
        self.assertLessEqual(int(other[6]), 27 - known + int(more[1]))  # those without surface are not kept
        self.assertEqual(int(other[4]), int(self.info(self.balls, "--iso", window.says(r"iso (\S+): \d+ tri", since)[-1])
                                            ["triangles"]))
        window.quit()

    def test_pyramid(self):
        """For a Zarr image, the level that fits is shown without thinning, and finer levels refine it."""
        image = self.path("balls.zarr")
        self.assertEqual(self.run_program("pack", self.balls, "-o", image).returncode, drive.OK)
        window, first = self.open(image, "--iso", "96.5", "--memory", "5M", "--cache", "200M")
        window.wait_for(r"load balls\.zarr: 150x150x150 uint8[^\n]*level 1 of 0 to \d: the finest, 300 x 300 x 300, exceeds")
        found = window.wait_for(REFINED)
        self.assertEqual(found[1], "level 0 of 0 to 1")
        self.assertEqual(int(found[4]), int(self.info(self.balls, "--iso", "96.5")["triangles"]))
        self.assertGreater(int(found[4]), 3 * int(first[2]))
        window.settle()
        since = window.drag("scene", 0.4, 0.6, 0.3)
        self.assertEqual(window.wait_for(REFINED, since)[4], found[4])
        window.quit()

    def test_small_parts(self):
        """Parts that thinned voxels miss are found after everything else is refined."""
        n, path = 300, self.path("parts_300x300x300_uint8.raw")
        with open(path, "wb") as file:
            file.truncate(n ** 3)
            for x, y, size in ((20, 20, 70), (140, 140, 90), (202, 61, 2)):  # the last lies between every 3rd voxel
                for row in range(size * size):
                    file.seek(((y + row // size) * n + y + row % size) * n + x)
                    file.write(b"\xff" * size)
        window, _ = self.open(path, "--iso", "127", "--memory", "5M", "--cache", "200M")
        first = window.wait_for(SEEN)  # two sides of the cubes
        second = window.wait_for(REFINED, first.end())
        whole = int(self.info(path, "--iso", "127")["triangles"])
        self.assertEqual(int(second[4]), whole)
        self.assertEqual(int(first[4]), whole - int(self.small_part()))
        self.assertGreater(int(second[6]), 0)  # those that were left
        window.settle()
        self.assertFalse(window.says(REFINED, second.end()))
        window.quit()
        window, _ = self.open(path, "--iso", "127", "--memory", "5M", "--cache", "200M", "--slice", "x=60+")
        self.assertGreaterEqual(int(window.wait_for(REFINED)[4]), int(first[4]))
        self.assertFalse(window.says(SEEN, 0))  # where something is cut away, nothing counts as hidden
        window.quit()

    def small_part(self):
        """Triangles of 2 x 2 x 2 voxels alone."""
        path = self.path("part_6x6x6_uint8.raw")
        with open(path, "wb") as file:
            file.write(bytes(255 * all(2 <= a < 4 for a in (x, y, z)) for z in range(6) for y in range(6) for x in range(6)))
        return self.info(path, "--iso", "127")["triangles"]

    def zoom(self, window):
        """Zooms into the middle of the picture. Returns the log's position before."""
        since = window.mark()
        window.point_at("scene")
        window.xdo("click", "--repeat", 30, "--delay", 5, 4)
        return since

    def test_size_of_the_cache(self):
        """What does not fit in the cache is refined less or not at all. After a zoom, what is in view fits again."""
        window, _ = self.start_thinned("--cache", "3M")
        window.wait_for(LACKS)
        window.settle()
        self.assertFalse(window.says(REFINED, 0))
        window.quit()
        window, _ = self.start_thinned("--cache", "24M")
        found = window.wait_for(REFINED)
        self.assertEqual(found[2], "1")
        self.assertRegex(found[0], r"finer voxels in view need --cache \d+M\n")
        window.settle()
        found = window.wait_for(REFINED, self.zoom(window))
        self.assertEqual(found[2], "0")
        self.assertLess(int(found[5]), 9)
        window.quit()

    def test_what_is_not_refined(self):
        window, _ = self.start_thinned("--cache", "200M")
        window.wait_for(REFINED)
        window.settle()
        since = window.click("caps", r"caps on").end()
        window.settle()
        self.assertFalse(window.says(REFINED, since))
        window.click("caps", r"caps off")
        window.settle()
        self.assertFalse(window.says(REFINED, since))  # it is still there
        window.quit()

    def test_cut_off(self):
        """If a file has lost its end, the window says so and keeps the surface of the voxels in memory."""
        path = self.synth("metaballs", 200, "cut.nrrd")
        window, _ = self.open(path, "--iso", "96.5", "--memory", "1M", "--cache", "8M")
        self.assertEqual(window.wait_for(REFINED)[2], "1")
        window.settle()
        os.truncate(path, 1000)
        since = self.zoom(window)
        window.wait_for(r"cut\.nrrd: the file has become shorter while it was read", since)
        window.wait_for(r"refined nothing: [^\n]*shorter", since)
        window.settle()
        window.quit()


if __name__ == "__main__":
    drive.main()
