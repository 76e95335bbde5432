#!/usr/bin/env python3
"""What `render` makes besides one picture: films, pictures without background, pictures from states. Usage: test_films.py
ISOSCOPE"""
import math
import os

import drive
from drive import INPUT, USAGE, ProgramTest
from picture import Picture


class States(ProgramTest):
    """State files on the command line, without a window."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.volume = cls.synth("sphere", 20)

    def refused(self, text, *sentences, code=INPUT):
        with open(self.path("bad.state"), "w") as file:
            file.write(text)
        done = self.run_program("render", self.volume, "--load-state", "bad.state", "-o", "none.png")
        self.assertEqual(done.returncode, code, done.stderr)
        for sentence in sentences:
            self.assertIn(sentence, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertFalse(os.path.exists(self.path("none.png")))

    def test_bad_lines(self):
        head = "isoscope state 1\n"
        self.refused("", "expected the first line")
        self.refused("isoscope state 2\n", "expected the first line")
        self.refused(head + "iso = 1\n\n# a remark\niso 40\n", "line 5", "'iso 40'", "expected NAME = VALUE")
        self.refused(head + "iso = many\n", "line 2", "many", "a finite number")
        self.refused(head + "colour = red\n", "line 2", "'colour' is not a setting of a state file")
        self.refused(head + "box = 3\n", "line 2", "expected 'on'")
        self.refused(head + "iso = 1\nshading = red\n", "line 3", "red", "matcap")
        self.refused(head + "iso = 1\ndraw = red\n", "line 3", "red", "culled")
        self.refused(head + "slice-map = red\n", "line 2", "viridis")
        self.refused(head + "aspect = -1\n", "aspect = -1: expected a positive number")
        self.refused(head + "file = x\nseries = 1\ndims = red\n", "line 4", "red")
        self.refused(head + "iso = 1\nopacity = 0.5,0.6\n", "bad.state: --opacity has 2 entries for 1 of --iso")
        self.refused(head + "iso = 1\nhide = 3\n", "bad.state: --hide 3: there is 1 surface")
        self.refused(head + "iso = 1" + 70000 * " ", "less than 65536 bytes")
        self.refused(head + "iso = 1\n\0", "not a state file")
        for option in ("output", "trace", "save-state", "load-state", "memory", "data-anywhere"):
            self.refused(head + f"{option} = x\n", "line 2", "not a setting of a state file")

    def test_no_such_state(self):
        done = self.run_program("render", self.volume, "--load-state", "nowhere.state")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (INPUT, 1))
        with open(self.path("broken.state"), "w") as file:
            file.write("isoscope state 1\niso = many\n")
        for words in (("nowhere.state",), ("broken.state",), (self.volume, "broken.state"), ("--load-state", "broken.state")):
            done = self.run_program("render", *words, "-o", "none.png")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (INPUT, 1), words)

    def test_a_relative_volume_lies_beside_its_state(self):
        os.mkdir(self.path("moved"))
        os.rename(self.synth("sphere", 12, "beside.nrrd"), self.path("moved/beside.nrrd"))
        for name in ("beside.nrrd", "../moved/beside.nrrd"):
            with open(self.path("moved/x.state"), "w") as file:
                file.write(f"isoscope state 1\nfile = {name}\niso = 0.2\n")
            for state in (("moved/x.state",), ("--load-state", "./moved/x.state"), (self.path("moved/x.state"),)):
                self.render("beside.png", *state, "--size", "64x48")
        with open(self.path("moved/x.state"), "w") as file:
            file.write("isoscope state 1\nfile = moved/beside.nrrd\n")
        done = self.run_program("render", "moved/x.state", "-o", "none.png")
        self.assertEqual(done.returncode, INPUT)
        self.assertIn("moved/moved/beside.nrrd: no such file, but the state names it: if it was moved, say where it is", done.stderr)
        self.render("beside.png", "moved/x.state", "moved/beside.nrrd", "--size", "64x48")

    def test_an_angle_alone_keeps_the_other(self):
        def picture(*words):
            return Picture(self.render("view.png", self.volume, "--box", "--size", "64x48", *words))
        self.assertEqual(picture("--azimuth", "50"), picture("--azimuth", "50", "--elevation", "20"))
        self.assertEqual(picture("--elevation", "60"), picture("--elevation", "60", "--azimuth", "35"))
        self.assertEqual(picture("--elevation", "0"), picture("--azimuth", "35", "--elevation", "0"))
        self.assertNotEqual(picture("--azimuth", "50"), picture("--azimuth", "50", "--elevation", "0"))

    def test_options_after_it_win(self):
        self.render("one.png", self.volume, "--iso", "0.25", "--edges", "--azimuth", "10", "--save-state", "one.state")
        self.render("two.png", self.volume, "--load-state", "one.state", "--azimuth", "20", "--save-state", "two.state")
        with open(self.path("one.state")) as one, open(self.path("two.state")) as two:
            lines = one.read(), two.read()
        self.assertIn("iso = 0.25\n", lines[1])
        self.assertEqual(lines[0].replace("azimuth = 10\n", "azimuth = 20\n"), lines[1])

    def test_an_end_of_the_crop_box_that_is_left_out(self):
        """It is the volume's, not that of the state; other axes stay as they are."""
        self.render("one.png", self.volume, "--crop", "x=2:9,z=3:", "--save-state", "one.state")
        self.render("two.png", self.volume, "--load-state", "one.state", "--crop", "x=4:", "--save-state", "two.state")
        with open(self.path("two.state")) as file:
            self.assertIn("\ncrop = x=4:,z=3:\n", file.read())

    def test_it_names_its_volume(self):
        """It also says how the volume is read, which does not apply to another one. A state can also be given as FILE."""
        size = 9
        with open(self.path("ball.bin"), "wb") as file:
            for at in range(size ** 3):
                far = math.dist((at % size, at // size % size, at // size ** 2), (4, 4, 4))
                file.write(bytes([round(200 - 20 * far)]))
        ball = Picture(self.render("one.png", "ball.bin", "--dims", "9x9x9", "--type", "uint8", "--iso", "150", "--save-state",
                                   "raw.state"))
        with open(self.path("raw.state")) as file:
            text = file.read()
        self.assertIn(f"file = {os.path.realpath(self.path('ball.bin'))}\ndims = 9x9x9\ntype = uint8\n", text)
        for words, same in ((("--load-state", "raw.state"), True), (("raw.state",), True),
                            (("raw.state", "--azimuth", "50"), False), ((self.volume, "--load-state", "raw.state"), False),
                            (("--load-state", "raw.state", self.volume), False)):
            self.assertEqual(Picture(self.render("again.png", *words)) == ball, same, words)
        os.remove(self.path("ball.bin"))
        done = self.run_program("render", "raw.state", "-o", "none.png")
        self.assertEqual(done.returncode, INPUT, done.stderr)
        self.assertIn("ball.bin", done.stderr)

    def test_a_name_of_two_lines_sets_nothing(self):
        """The volume is left out then, which is said: the second line of its array's name would be a setting."""
        name = "one\nedges = on"
        os.mkdir(self.path("group.zarr"))
        with open(self.path("group.zarr/.zgroup"), "w") as file:
            file.write('{"zarr_format": 2}')
        self.synth("sphere", 20, "part.nrrd")
        self.assertEqual(self.run_program("pack", "part.nrrd", "-o", "part.zarr").returncode, 0)
        os.rename(self.path("part.zarr"), self.path(os.path.join("group.zarr", name)))
        done = self.run_program("render", "group.zarr", "--array", name, "--save-state", "odd.state", "-o", "one.png")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("odd.state does not name its volume", done.stderr)
        with open(self.path("odd.state")) as file:
            text = file.read()
        self.assertNotIn("edges", text)
        self.assertNotIn("file = ", text)

    def test_it_says_which_part_of_a_file(self):
        """Also number 0, if that differs from no number."""
        self.synth("torus", 80, "levels.nrrd")
        self.assertEqual(self.run_program("pack", "levels.nrrd", "-o", "levels.zarr").returncode, 0)
        with open(self.path("tail.bin"), "wb") as file:
            file.write(bytes(range(27)) + b"more")
        raw = ["--dims", "3x3x3", "--type", "uint8", "--offset", "0", "--iso", "12"]
        for words, line in ((["levels.zarr", "--level", "1"], "level = 1\n"), (["levels.zarr", "--level", "0"], "level = 0\n"),
                            (["tail.bin", *raw], "offset = 0\n")):
            one = Picture(self.render("one.png", *words, "--size", "64x48", "--save-state", "part.state"))
            with open(self.path("part.state")) as file:
                self.assertIn(line, file.read())
            self.assertEqual(Picture(self.render("two.png", "part.state", "--size", "64x48")), one, words)

    def test_it_gives_the_same_picture(self):
        """Also for what a window cannot set. --size overrides a state, wherever it stands."""
        words = ("--size", "90x70", "--samples", "1", "--legend", "--color-by", "gradient", "--transparent", "--topology",
                 "fixed", "--exact-positions", "--edges")
        draw = ("--draw", "opengl")  # auto takes what was the fastest this time, and pictures differ by roundings
        one = Picture(self.render("one.png", self.volume, *words, *draw, "--save-state", "all.state"))
        with open(self.path("all.state")) as file:
            lines = file.read()
        for line in ("size = 90x70", "samples = 1", "legend = on", "transparent = on", "topology = fixed",
                     "exact-positions = on"):
            self.assertIn(f"\n{line}\n", lines)
        self.assertEqual(Picture(self.render("two.png", "all.state", *draw, "--save-state", "again.state")), one)
        with open(self.path("again.state")) as file:
            self.assertEqual(file.read(), lines)
        for order in (("all.state", "--size", "60x50"), ("--size", "60x50", "all.state")):
            other = Picture(self.render("other.png", *order))
            self.assertEqual((other.width, other.height), (60, 50))
        self.refused("isoscope state 1\nsize = 0x5\n", "line 2", "size")

    def test_target_and_distance_go_together(self):
        for words in (("--target", "0,0,0"), ("--distance", "3")):
            done = self.run_program("render", self.volume, *words)
            self.assertEqual(done.returncode, USAGE)
            self.assertIn("need each other", done.stderr)
        for words in (("--target", "0,0"), ("--target", "0,0,0,0"), ("--distance", "0"), ("--distance", "nan"),
                      ("--knife", "0,0,0,1"), ("--knife", "1,0,0")):
            self.assertEqual(self.run_program("render", self.volume, *words).returncode, USAGE, words)


class Films(ProgramTest):
    """Series of pictures, and pictures without a background."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ball, cls.torus = cls.synth("sphere", 40, "ball.nrrd"), cls.synth("torus", 40, "ring.nrrd")

    def film(self, *words):
        done = self.run_program("render", *words, "--size", "120x90")
        if done.returncode == drive.NO_GL:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    @staticmethod
    def surface(picture):
        """Pixels of the surface, which is of a warm colour on a cold background."""
        return len(picture.find(lambda colour: colour[0] > colour[2]))

    def test_turntable(self):
        """Quarter turns of a torus: each picture is that of its azimuth, from the same distance, and all of it is in the frame."""
        text = self.film(self.torus, "--turntable", "4", "-o", "turn%02d.png", "--azimuth", "20", "--save-state", "turn.state")
        self.assertIn("4 pictures", text)
        self.assertRegex(text, r"ffmpeg .* -i turn%02d\.png .* turn\.mp4\n")
        self.assertFalse(os.path.exists(self.path("turn04.png")))
        with open(self.path("turn.state")) as file:
            rows = dict(line.strip().split(" = ") for line in file if " = " in line)
        for i in range(4):
            turned = Picture(self.path(f"turn{i:02}.png"))
            self.render("one.png", self.torus, "--azimuth", str(20 + 90 * i), "--target", rows["target"], "--distance",
                        rows["distance"], "--size", "120x90")
            self.assertEqual(turned, Picture(self.path("one.png")), i)
            border = [turned[x, y] for x in range(120) for y in (0, 89)] + [turned[x, y] for x in (0, 119) for y in range(90)]
            self.assertFalse([colour for colour in border if colour[0] > colour[2]])

    def test_a_turntable_frames_what_is_drawn(self):
        """What a crop box keeps fills the pictures of a turn as it fills a single one. The volume's box stays within them."""
        place = {}
        for film in ("", "--turntable"):
            name = f"turn{film}.state"
            words = ("--turntable", "2", "-o", "part%d.png") if film else ("-o", "part.png")
            self.film(self.torus, "--crop", "x=4:12,y=14:24", "--orthographic", "--elevation", "0", *words, "--save-state",
                      name)
            with open(self.path(name)) as file:
                place[film] = dict(line.strip().split(" = ") for line in file if " = " in line)
        for axis in range(2):
            one, turn = (float(place[film]["target"].split(",")[axis]) for film in ("", "--turntable"))
            self.assertAlmostEqual(one, turn, delta=0.1)
        self.assertLess(float(place["--turntable"]["distance"]), 1.2 * float(place[""]["distance"]))
        self.film(self.torus, "--turntable", "4", "--box", "--iso", "0.2", "--elevation", "0", "-o", "box%d.png")
        self.film(self.torus, "--turntable", "4", "--iso", "0.2", "--elevation", "0", "-o", "no%d.png", "--target", "0,0,0",
                  "--distance", "100")
        for i in range(4):
            drawn, empty = Picture(self.path(f"box{i}.png")), Picture(self.path(f"no{i}.png"))
            for x in range(120):
                for y in (0, 89):
                    self.assertEqual(drawn[x, y], empty[x, y], (i, x, y))

    def test_sweep(self):
        """A ball shrinks as the value grows, seen by a camera that stands still; each picture is that of its value."""
        text = self.film(self.ball, "--sweep", "-0.3:0.3:4", "-o", "value%d.png", "--save-state", "sweep.state")
        self.assertIn("4 pictures", text)
        with open(self.path("sweep.state")) as file:
            rows = dict(line.strip().split(" = ") for line in file if " = " in line)
        sizes = []
        for i, value in enumerate(("-0.3", "-0.1", "0.1", "0.3")):
            picture = Picture(self.path(f"value{i}.png"))
            sizes.append(self.surface(picture))
            self.render("one.png", self.ball, "--iso", value, "--target", rows["target"], "--distance", rows["distance"],
                        "--size", "120x90")
            self.assertEqual(picture, Picture(self.path("one.png")), value)
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertGreater(sizes[0], 1.2 * sizes[-1])

    def test_frames(self):
        """Boxes that grow with time: each picture is that of its frame, at the value and by the camera of the first."""
        n = 12
        with open(self.path("series.nrrd"), "wb") as file:
            file.write(f"NRRD0004\ntype: uint8\ndimension: 4\nsizes: {n} {n} {n} 4\nkinds: space space space time\n"
                       "encoding: raw\n\n".encode())
            for f in range(4):
                inside = range(n // 2 - 1 - f, n // 2 + 1 + f)
                file.write(bytes((150 + 20 * f) * (x in inside and y in inside and z in inside)
                                 for z in range(n) for y in range(n) for x in range(n)))
        for words in ((), ("--opacity", "0.5", "--slice", "x=6"), ("--close", "--smooth", "1", "--color-by", "x"),
                      ("--iso", "50,99%", "--color-by", "gradient")):
            text = self.film("series.nrrd", "--frame", "1", "--frames", "-o", "frame%d.png", "--save-state", "f.state", *words)
            self.assertIn("3 pictures", text)
            self.assertRegex(text, r"ffmpeg .* -i frame%d\.png .* frame\.mp4\n")
            with open(self.path("f.state")) as file:
                rows = dict(line.strip().split(" = ") for line in file if " = " in line)
            for i in range(3) if not words else ():
                self.render("one.png", "series.nrrd", "--frame", str(i + 1), "--iso", rows["iso"], "--target", rows["target"],
                            "--distance", rows["distance"], "--size", "120x90")
                self.assertEqual(Picture(self.path(f"frame{i}.png")), Picture(self.path("one.png")), i)
            shown = [Picture(self.path(f"frame{i}.png")).rows for i in range(3)]
            self.assertEqual(len({tuple(rows) for rows in shown}), 3, words)
        for words, sentence in ((("ball.nrrd",), "only one frame"), (("series.nrrd", "--turntable", "3"), "only one of them")):
            done = self.run_program("render", *words, "--frames", "-o", "%d.png")
            self.assertEqual(done.returncode, USAGE, done.stderr)
            self.assertIn(sentence, done.stderr)

    def test_frames_have_gradients_of_their_own(self):
        """A ball at 128, steeper on one side, and then the same mirrored: a film of both has the picture of each."""
        n, series = 24, []
        for side in (1, -1):
            for z in range(n):
                for y in range(n):
                    for x in range(n):
                        apart = math.dist((x, y, z), 3 * ((n - 1) / 2,))
                        steep = 4 + 8 * (x if side > 0 else n - 1 - x) / (n - 1)
                        series.append(max(0, min(255, round(128 + steep * (8 - apart)))))
        with open(self.path("sides.nrrd"), "wb") as file:
            file.write(f"NRRD0004\ntype: uint8\ndimension: 4\nsizes: {n} {n} {n} 2\nkinds: space space space time\n"
                       "encoding: raw\n\n".encode() + bytes(series))
        words = ("--iso", "128", "--color-by", "gradient", "--azimuth", "0", "--elevation", "0")
        self.film("sides.nrrd", "--frames", "-o", "side%d.png", *words)
        film = [Picture(self.path(f"side{i}.png")) for i in range(2)]
        for i in range(2):
            self.render("one.png", "sides.nrrd", "--frame", str(i), "--size", "120x90", *words)
            self.assertEqual(film[i], Picture(self.path("one.png")), i)
        self.assertNotEqual(*film)

    def test_films_of_translucent_capped_and_filtered_surfaces(self):
        for words in (("--opacity", "0.5"), ("--close",), ("--min-size", "10%"), ("--slice", "x=20"), ("--box",)):
            self.film(self.torus, "--turntable", "2", "-o", "a%d.png", *words)
            self.film(self.ball, "--sweep", "50%,70%", "-o", "b%d.png", *words)
            self.assertNotEqual(Picture(self.path("b0.png")), Picture(self.path("b1.png")), words)

    def test_names_of_films(self):
        for name in ("plain.png", "two%d%d.png", "%s.png", "%5d.png", "%.png", "%0d.png", "%010d.png"):
            done = self.run_program("render", self.ball, "--turntable", "2", "-o", name)
            self.assertEqual(done.returncode, USAGE, name)
            self.assertIn("placeholder for a number", done.stderr)
        for words in (("--turntable", "1"), ("--turntable", "x"), ("--sweep", "3"), ("--turntable", "2", "--sweep", "1,2"),
                      ("--iso", "1", "--sweep", "1,2")):
            self.assertEqual(self.run_program("render", self.ball, *words, "-o", "%d.png").returncode, USAGE, words)

    def test_transparent(self):
        """Laid over any colour, the picture is as if drawn on it: opaque at the ball, transparent beside it, partly so at its
        rim."""
        size = ("--size", "120x90", "--samples", "16")
        cut = Picture(self.render("cut.png", self.ball, "--transparent", *size))
        full = Picture(self.render("full.png", self.ball, *size))
        self.assertEqual(cut[60, 45][:3], full[60, 45])
        self.assertEqual((cut[60, 45][3], cut[2, 2][3], cut[117, 87][3]), (255, 0, 0))
        opacities = [cut[x, y][3] for x in range(120) for y in range(90)]
        part = [o for o in opacities if 20 < o < 235]
        self.assertTrue(20 < len(part) < 1000, len(part))
        self.assertAlmostEqual(sum(opacities) / 255, self.surface(full), delta=0.03 * self.surface(full))
        glass = Picture(self.render("glass.png", self.ball, "--transparent", "--opacity", "0.3", *size))
        self.assertTrue(40 < glass[60, 45][3] < 200, glass[60, 45])


if __name__ == "__main__":
    drive.main()
