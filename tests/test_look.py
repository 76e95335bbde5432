#!/usr/bin/env python3
"""The picture: outlines, occlusion, smooth edges, and what covers what. Through ISOSCOPE_SHADERS, shaders that measure replace
those that shade. Usage: test_look.py ISOSCOPE; drive.py has more."""
import os
import pathlib
import shutil
import unittest.mock

import drive
from drive import USAGE
from picture import Picture

SHADERS = pathlib.Path(__file__).resolve().parent.parent / "shaders"
HEAD = "layout(location = 2) uniform bool occluded;\n"
BLACK = "vec4 background(vec2 pixel) { return vec4(0.0, 0.0, 0.0, 1.0); }\n"
WHITE = HEAD + "vec4 shaded(vec2 pixel) { return vec4(1.0); }\n"
# From the far end of the box, in halves of its diagonal: 256 steps in green for each in red. The background is black.
DISTANCE = HEAD + """float distance_at(ivec2 pixel);
float farthest();
vec4 shaded(vec2 pixel)
{
    float steps = floor((farthest() - distance_at(ivec2(pixel))) / 2.1 * 65535.0);
    return vec4(floor(steps / 256.0) / 255.0, mod(steps, 256.0) / 255.0, 1.0, 1.0);
}
"""
OPEN = "vec3 shade(vec3 normal, vec3 eye, bool outside, float open, float rim) { return vec3(open); }\n"
SIDES = ("vec3 shade(vec3 normal, vec3 eye, bool outside, float open, float rim)"
         " { return outside ? vec3(1.0) : vec3(1.0, 0.0, 0.0); }\n")
JUMP = 0.02 * 2 / 3 ** 0.5  # 2 % of the side of a cube whose half diagonal is 1
STEP = 0.15


def luminance(colour):
    return 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2]


class Measured:
    def use(self, **texts):
        """Uses the program's shaders except for these, given by name, with _ for the dot."""
        folder = pathlib.Path(self.path("sources"))
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(SHADERS, folder)
        for name, text in texts.items():
            file = folder / "{}.{}".format(*name.rsplit("_", 1))
            self.assertTrue(file.exists(), file)
            file.write_text(text)
        return unittest.mock.patch.dict(os.environ, ISOSCOPE_SHADERS=str(folder))


class Look(Measured, drive.ProgramTest):
    @classmethod
    def setUpClass(cls):
        """Thin branches before each other, two pixels wide and more; a ball; both of a size that Python reads in seconds."""
        super().setUpClass()
        cls.branches = cls.synth("vessels", 96, "branches.nrrd")
        cls.ball = cls.synth("sphere", 48, "ball.nrrd")

    def picture(self, volume, *words, size="480x360"):
        return Picture(self.render("a.png", volume, "--size", size, *words))

    def extent(self, picture):
        """First and last column and row of the surface, which is warmer than the background."""
        seen = picture.find(lambda colour: colour[0] > colour[2])
        return [(min(part), max(part)) for part in zip(*seen)]

    def test_a_lopsided_surface_fills_the_middle(self):
        """An oblique rod in a corner of its volume, from any side. Its box is larger than the rod."""
        path, size = self.path("rod_40x40x40_uint8.raw"), 40
        with open(path, "wb") as file:
            file.write(bytes(200 * (max(abs(x - z), abs(y - z), 8 - z, z - 30) < 2) for z in range(size) for y in range(size)
                             for x in range(size)))
        for words in ((), ("--orthographic",)):
            for angles in (("35", "20"), ("200", "-60"), ("0", "90")):
                picture = self.picture(path, "--iso", "100", "--azimuth", angles[0], "--elevation", angles[1], *words)
                ends = self.extent(picture)
                parts = [(last - first) / size for (first, last), size in zip(ends, (picture.width, picture.height))]
                tight = parts.index(max(parts))
                size = (picture.width, picture.height)[tight]
                self.assertTrue(0.84 < parts[tight] < 0.93, (angles, words, ends))  # 0.92, less the half voxel that is added
                self.assertLess(abs(sum(ends[tight]) + 1 - size), 0.03 * size, (angles, words, ends))

    def test_orthographic_depths_are_those_of_a_ball(self):
        """Checks how much farther away a ball is at about 0.5 and 0.8 radii from its middle. In perspective the ratios differ."""
        for words, fits in ((("--orthographic",), True), ((), False)):
            with self.use(shade_glsl=DISTANCE, background_glsl=BLACK):
                codes = self.picture(self.ball, "--iso", "0", "--samples", "1", *words, size="301x301")
            row = [256 * codes[x, 150][0] + codes[x, 150][1] if codes[x, 150][2] else None for x in range(301)]
            inside = [x for x in range(301) if row[x]]
            radius = (inside[-1] - inside[0] + 1) / 2
            steps = [round(part * radius) for part in (0.5, 0.8)]
            near, far = (row[150] - row[150 + step] for step in steps)
            want = [1 - (1 - (step / radius) ** 2) ** 0.5 for step in steps]
            self.assertEqual(abs(far / near - want[1] / want[0]) < 0.035, fits, (near, far, want))

    def test_the_eye_of_parallel_lines_of_sight(self):
        """The middle of a ball faces the eye in both projections, so that it has the same colour, also through glass."""
        for words in (("--shading", "matcap"), ("--shading", "x-ray", "--opacity", "0.5"), ("--shading", "flat")):
            one, other = (self.picture(self.ball, "--iso", "0", *words, *more, size="161x161")[80, 80]
                          for more in ((), ("--orthographic",)))
            for a, b in zip(one, other):
                self.assertLessEqual(abs(a - b), 6, (words, one, other))

    def jumps(self):
        """Pairs of neighbours that differ by JUMP in distance."""
        with self.use(shade_glsl=DISTANCE, background_glsl=BLACK):
            codes = self.picture(self.branches, "--samples", "1")
        far = 9 * 65535  # the background
        rows = [[row[i] * 256 + row[i + 1] if row[i + 2] else -far for i in range(0, len(row), 3)] for row in codes.rows]
        for y, row in enumerate(rows[:-1]):
            for x in range(codes.width - 1):
                for there in ((x + 1, y), (x, y + 1)):
                    if abs(row[x] - rows[there[1]][there[0]]) * 2.1 / 65535 > JUMP:
                        yield (x, y), there, min(row[x], rows[there[1]][there[0]]) < 0

    def test_luminance_steps_where_depth_jumps(self):
        picture = self.picture(self.branches, "--samples", "1")
        steps = {False: [], True: []}
        for one, other, background in self.jumps():
            a, b = luminance(picture[one]), luminance(picture[other])
            steps[background].append(abs(a - b) >= STEP * max(a, b))
        for background, seen in steps.items():
            print(f"{'to the background' if background else 'between surfaces'}: {len(seen)} jumps, seen {sum(seen) / len(seen):.3f}")
            self.assertGreater(len(seen), 500)
            self.assertGreaterEqual(sum(seen) / len(seen), 0.8)

    def test_nothing_is_lost_in_black(self):
        with self.use(background_glsl=BLACK, shade_glsl=WHITE):
            mask = self.picture(self.branches, "--samples", "1")
        picture = self.picture(self.branches, "--samples", "1")
        inside = mask.find(lambda colour: colour[0] == 255)
        dark = [at for at in inside if luminance(picture[at]) < 20]
        self.assertGreater(len(inside), 10000)
        self.assertLess(len(dark), len(inside) / 1000)

    def test_occlusion(self):
        """A ball does not shade itself. Branches shade each other, but not everywhere, and never fully."""
        shares = []
        for volume in (self.ball, self.branches):
            with self.use(shade_light_glsl=OPEN, background_glsl=BLACK):
                picture = self.picture(volume, "--samples", "1")
            inner = [picture[x, y][0] for y in range(2, 358) for x in range(2, 478)
                     if all(picture[x + i, y + j][0] for i, j in ((-2, 0), (2, 0), (0, -2), (0, 2)))]
            self.assertGreater(len(inner), 5000)
            shares.append(sum(value < 160 for value in inner) / len(inner))
        print("less than 63 % open:", shares)
        self.assertLess(shares[0], 0.01)
        self.assertGreater(shares[1], 0.1)
        self.assertLess(shares[1], 0.6)

    def test_samples_smooth_edges(self):
        """The mean of the samples is close to the covered part of each pixel, as counted in a picture 4 x 4 times as large."""
        with self.use(shade_glsl=WHITE, background_glsl=BLACK):
            fine = self.picture(self.ball, "--samples", "1", size="640x480")
            coarse = {n: self.picture(self.ball, "--samples", n, size="160x120") for n in (1, 4, 16)}
        covered = {}
        for y in range(120):
            for x in range(160):
                sum_ = sum(fine[4 * x + i, 4 * y + j][0] for i in range(4) for j in range(4))
                if 0 < sum_ < 16 * 255:
                    covered[x, y] = sum_ / 16
        self.assertGreater(len(covered), 150)
        errors = {n: sum(abs(picture[at][0] - want) for at, want in covered.items()) / len(covered)
                  for n, picture in coarse.items()}
        print("mean error at edges:", errors)
        self.assertEqual({colour[0] for colour in map(coarse[1].__getitem__, covered)}, {0, 255})
        self.assertLess(errors[4], 0.5 * errors[1])
        self.assertLess(errors[16], 0.2 * errors[1])

    def test_wrong_samples_are_refused(self):
        for word in ("0", "65", "-1", "many", "1.5"):
            done = self.run_program("render", self.ball, "--samples", word, "-o", "x.png")
            self.assertEqual(done.returncode, USAGE, word)
            self.assertIn("--samples", done.stderr)

    def test_slices_and_glass_cover_what_is_behind(self):
        """From the front, a slice near the eye hides the ball, translucent or not. A slice behind it shows only through a
        translucent ball."""
        def middle(*words):
            return self.picture(self.ball, "--iso", "0", "--azimuth", "0", "--elevation", "0", *words, size="101x101")[50, 50]
        glass = ("--opacity", "0.5")
        nothing = ("--opacity", "0")
        for index, front in ((2, True), (45, False)):
            cut = ("--slice", f"y={index}")
            plane = middle(*cut, *nothing)
            self.assertNotEqual(plane, middle(*nothing))
            self.assertEqual(middle(*cut) == plane, front)
            self.assertEqual(middle(*cut, *glass) == plane, front)
            if not front:
                self.assertLess(max(abs(a - b) for a, b in zip(middle(*cut), middle())), 8)  # the camera stands elsewhere
                self.assertNotEqual(middle(*cut, *glass), middle(*glass))

    def test_caps_leave_no_inner_face_to_be_seen(self):
        """From outside, a closed surface shows only outer faces; except where a cap ends, where both may be equally far."""
        volume = self.synth("gyroid", 32, "gyroid.nrrd")
        with self.use(shade_light_glsl=SIDES, background_glsl=BLACK):
            for words, inner in (((), True), (("--close",), False)):
                picture = self.picture(volume, "--iso", "0.1", "--samples", "1", *words)
                self.assertGreater(len(picture.find(lambda colour: colour == (255, 255, 255))), 20000)
                found = len(picture.find(lambda colour: colour[0] == 255 and colour[1] < 255))
                self.assertTrue(found > 5000 if inner else found < 5, f"{found} pixels of inner faces with {words}")

    def test_every_mode_shades_the_same_pixels(self):
        pictures = {mode: self.picture(self.ball, "--shading", mode, "--samples", "1", size="101x101")
                    for mode in ("light", "matcap", "jade", "x-ray", "normals", "flat")}
        empty = self.picture(self.ball, "--iso", "99", "--samples", "1", size="101x101")
        self.assertEqual(len({str(picture.rows) for picture in pictures.values()}), 6)
        for mode, picture in pictures.items():
            self.assertEqual(picture[2, 2], empty[2, 2], mode)
            self.assertGreater(max(abs(a - b) for a, b in zip(picture[50, 50], empty[50, 50])), 10, mode)


class Window(Measured, drive.WindowTest):
    def greys(self, *words):
        """Pixels of a window's picture, of a white ball on black, that are neither black nor white."""
        with self.use(shade_glsl=WHITE, background_glsl=BLACK):
            window, _ = self.open(self.synth("sphere", 24), "--iso", "0", *words)
            path = self.path(window.press("ctrl+F12", r"screenshot (\S+)\n")[1])
            window.quit()
        return len(Picture(path).find(lambda colour: 8 < colour[0] < 247))

    def test_pictures_have_smooth_edges(self):
        self.assertEqual(self.greys("--samples", "1"), 0)
        self.assertGreater(self.greys(), 300)

    def test_the_first_view_is_filled(self):
        """A ball takes 0.92 of the height, less a coarse voxel. Fitting its box would give only 0.6."""
        window, _ = self.open(self.synth("sphere", 80, "ball.nrrd"), size=drive.WIDE)
        window.wait_for(drive.DRAWN)
        scene = Picture(self.path(window.press("ctrl+F12", r"screenshot (\S+)\n")[1]))
        rows = {y for _, y in scene.find(lambda colour: colour[0] > colour[2])}
        part = (max(rows) - min(rows)) / scene.height
        self.assertTrue(0.8 < part < 0.95, (part, min(rows), max(rows)))
        window.quit()

    def test_buttons_of_the_look(self):
        window, _ = self.open(self.synth("metaballs", 48))
        for name in ("-y", "+x", "+z"):
            window.click("up " + name.replace("+", r"\+"), "up " + name.replace("+", r"\+"))
        window.click("shading matcap", "shading matcap")
        window.click("edges", "wireframe on")
        window.click("caps", "caps on")
        window.click("fit", "fit")
        window.click("picture", r"screenshot \S+")
        window.click("write", r"export \S+")
        window.quit()


if __name__ == "__main__":
    drive.main()
