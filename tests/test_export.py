#!/usr/bin/env python3
"""Surface files: several values, normals, units, smoothing and fewer triangles.
Usage: test_export.py ISOSCOPE"""
import array
import fractions
import itertools
import json
import math
import unittest

import cli
from cli import FAILED, OK, USAGE
from surfaces import READ, area_and_volume, cross, dot, minus, open_sides, read, repeated_sides, times

INDEXED = [ending for ending in READ if ending != "stl"]


def angle(a, b):
    """Degrees between two directions, exact for small ones too."""
    c = cross(a, b)
    return math.degrees(math.atan2(math.sqrt(dot(c, c)), dot(a, b)))


class Export(cli.CommandTest):
    def volume(self, name, n, value, *head, kind="float"):
        """Writes value(x, y, z) as NRRD. n: voxels along each axis."""
        code = {"float": "f", "uint8": "B"}[kind]
        voxels = array.array(code, (value(x, y, z) for z, y, x in itertools.product(*map(range, n[::-1]))))
        lines = ["NRRD0004", f"type: {kind}", "dimension: 3", "sizes: " + " ".join(map(str, n)), "encoding: raw",
                 "endian: little", *head]
        (self.folder / name).write_bytes("\n".join(lines).encode() + b"\n\n" + voxels.tobytes())
        return name

    def ball(self, n=20, name="ball.nrrd", *head):
        middle = (n - 1) / 2
        return self.volume(name, [n] * 3, lambda *p: -math.dist(p, [middle] * 3), *head)

    def extract(self, name, out, *words):
        done = self.run_program("extract", name, "-o", out, "--json", *words)
        self.assertEqual(done.returncode, OK, done.stderr)
        return json.loads(done.stdout)

    def surface(self, name, out, *words):
        self.extract(name, out, *words)
        return read(self.folder / out)

    # ---- several values ----------------------------------------------------------------------------------------------

    def test_several_values_in_one_file(self):
        name = self.ball()
        alone = {v: self.extract(name, "one.ply", f"--iso={v}") for v in (-3, -5, -7.5)}
        for ending in INDEXED:
            told = self.extract(name, f"all.{ending}", "--iso=-3,-5,-7.5")
            self.assertEqual([(s["iso"], s["vertices"], s["triangles"]) for s in told["surfaces"]],
                             [(v, one["vertices"], one["triangles"]) for v, one in alone.items()])
            self.assertEqual(told["triangles"], sum(one["triangles"] for one in alone.values()))
            found = read(self.folder / f"all.{ending}")
            self.assertEqual(sorted(set(found.values)), [-7.5, -5, -3], ending)
            for v, one in alone.items():
                part = found.part(v)
                self.assertEqual(len(part), one["triangles"])
                self.assertTrue(all(found.values[i] == v for t in part for i in t), "a triangle joins two surfaces")
                self.assertEqual(open_sides(part), [])
                self.assertLess(abs(area_and_volume(found.positions, part)[1] / (4 / 3 * math.pi * -v ** 3) - 1), 0.1)

    def test_a_range_of_values_and_percentiles(self):
        name = self.ball()
        told = self.extract(name, "range.vtp", "--iso=-8:-2:4")
        self.assertEqual([s["iso"] for s in told["surfaces"]], [-8, -6, -4, -2])
        told = self.extract(name, "percent.vtp", "--iso", "60%,90%")
        for share, got in zip((60, 90), told["surfaces"], strict=True):
            info = json.loads(self.run_program("info", name, "--iso", f"{share}%", "--json").stdout)
            self.assertEqual((got["iso"], got["triangles"]), (info["iso"], info["triangles"]))
        info = json.loads(self.run_program("info", name, "--json").stdout)
        told = self.extract(name, "deviations.vtp", "--iso=-1sd,0.5sd")
        for deviations, got in zip((-1, 0.5), told["surfaces"], strict=True):
            self.assertAlmostEqual(got["iso"], info["mean"] + deviations * info["stddev"], delta=1e-12 * info["stddev"])
        told = self.extract(name, "percents.vtp", "--iso", "60%:90%:3")
        self.assertEqual(len(told["surfaces"]), 3)
        for wrong in ("1,", ",1", "1,,2", "1:2", "1:2:1", "1:2:1001", "1%:2:3", "1sd:2:3", "1s", "sd", "1%sd", "101%", "1,2:3:4", "nan", "1:2:3:4", "1;2", ""):
            self.refuses(USAGE, "extract", name, "-o", "out.ply", f"--iso={wrong}", says=["FROM:TO:COUNT"])

    def test_a_file_per_value(self):
        name = self.ball()
        for ending in READ:
            told = self.extract(name, f"part_%.{ending}", "--iso=-3,-5.25")["files"]
            self.assertEqual([one["file"] for one in told], [f"part_-3.{ending}", f"part_-5.25.{ending}"])
            for one in told:
                self.extract(name, f"same.{ending}", f"--iso={one['iso']}")
                self.assertEqual((self.folder / one["file"]).read_bytes(), (self.folder / f"same.{ending}").read_bytes())
        self.assertEqual(self.extract(name, "%.%.ply", "--iso=-3")["file"], "-3.-3.ply")
        before = sorted(self.folder.iterdir())
        self.refuses(USAGE, "extract", name, "-o", "%.ply", "--iso=-3.00000000001,-3.00000000002", says=["-3.ply", "two isovalues"])
        self.refuses(USAGE, "extract", name, "-o", "out.stl", "--iso=-3,-5", says=["surface_%.stl"])
        self.assertEqual(sorted(self.folder.iterdir()), before)

    @unittest.skipIf(cli.COMMA, "a message")
    def test_values_without_a_surface_are_left_out(self):
        name = self.ball()
        done = self.run_program("extract", name, "-o", "out.vtp", "--iso=-3,5")
        self.assertEqual(done.returncode, OK)
        self.assertIn("both sides of 5", done.stderr)
        self.assertIsNone(read(self.folder / "out.vtp").values)
        self.refuses(FAILED, "extract", name, "-o", "none.vtp", "--iso=5,6", says=["any of 2 isovalues"])
        self.assertFalse((self.folder / "none.vtp").exists())

    # ---- normals -----------------------------------------------------------------------------------------------------

    def test_normals_of_a_sphere(self):
        """The error is of second order: 0.0051 degrees with 129 voxels. The 10-bit normals used for drawing would be off by
        0.09."""
        self.run_program("synth", "sphere", "--size", "129", "-o", "sphere.nrrd")
        found = self.surface("sphere.nrrd", "sphere.ply", "--iso", "0.05")
        worst = max(angle(minus(p, [64] * 3), n) for p, n in zip(found.positions, found.normals))
        self.assertLess(worst, 0.006)

    def test_normals_of_a_quadric_are_exact_up_to_the_border(self):
        """Differences of second order are exact for squares, and linear between voxels; what is left is the rounding of the
        positions. The axes are oblique, and left-handed."""
        form = [[0.9, 0.2, -0.1], [0.2, -0.4, 0.3], [-0.1, 0.3, 0.7]]  # a hyperboloid, which the border cuts
        columns = [[0.5, 0.125, 0], [0.25, -0.75, 0.25], [0, 0.5, 2]]
        name = self.volume("quadric.nrrd", [14, 12, 11], lambda *p: -dot(minus(p, [6, 5, 4]), times(form, minus(p, [6, 5, 4]))),
                           "space dimension: 3", "space directions: " + " ".join(str(tuple(c)).replace(" ", "") for c in columns),
                           "space origin: (10,-20,30)")
        inverse_transpose = [list(row) for row in zip(*[cross(columns[(a + 1) % 3], columns[(a + 2) % 3]) for a in range(3)])]
        determinant = dot(columns[0], cross(columns[1], columns[2]))
        self.assertLess(determinant, 0)
        for ending in INDEXED:
            found = self.surface(name, f"out.{ending}", "--iso=-4")
            self.assertGreater(len(open_sides(found.triangles)), 50, "the border cuts it")
            for p, n in zip(found.positions, found.normals):
                world = minus(p, [10, -20, 30])
                voxel = [x / determinant for x in times(list(zip(*inverse_transpose)), world)]  # the inverse
                outward = times(form, minus(voxel, [6, 5, 4]))
                self.assertLess(angle([-x for x in times(inverse_transpose, outward)], n), 0.001)

    def test_normals_of_a_smoothed_volume(self):
        """A ramp with a pattern that smoothing removes: the smoothed normals point along x, those of the volume do not."""
        name = self.volume("ramp.nrrd", [24] * 3, lambda x, y, z: 10 * x + 8 * ((x + y + z) % 3), kind="uint8")
        worst = {}
        for words in ((), ("--smooth", "3")):
            found = self.surface(name, "out.ply", "--iso", "120", *words)
            worst[words] = max(angle([-1, 0, 0], n) for p, n in zip(found.positions, found.normals)
                               if all(6 < c < 17 for c in p[1:]))
        self.assertGreater(worst[()], 10)
        self.assertLess(worst["--smooth", "3"], 0.1)

    def test_normals_where_all_differences_cancel(self):
        name = self.volume("layers.nrrd", [9] * 3, lambda x, y, z: x % 2, kind="uint8")
        found = self.surface(name, "out.glb", "--iso", "0.5")
        for p, n in zip(found.positions, found.normals):
            if 1 < p[0] < 7:  # voxel coordinates: x falls from odd voxels
                down = -1 if int(p[0]) % 2 == 0 else 1
                self.assertLess(angle(n, [down, 0, 0]), 1e-3)

    # ---- coordinates -------------------------------------------------------------------------------------------------

    def test_no_triangle_without_area(self):
        """Where voxels equal the isovalue, vertices of several edges nearly coincide. A file still keeps them apart, also far from
        the origin and with flat or oblique voxels. With --exact-positions they coincide."""
        steps = itertools.cycle([0, 1, 0, 2, 1, 1, 0, 2, 2, 1, 0])
        spaces = {"plain": ["spacings: 1 1 1"],
                  "flat": ["spacings: 0.7 0.7 6.5"],
                  "far": ["space dimension: 3", "space directions: (0.4,0,0) (0,0.4,0) (0,0,0.4)", "space origin: (-250.3,1e5,3e3)"],
                  "turned": ["space dimension: 3", "space directions: (0.36,0.48,0.8) (-0.8,0.6,0) (-0.48,-0.64,0.6)",
                             "space origin: (-123.4,56.7,89.1)"]}
        for space, head in spaces.items():
            name = self.volume(f"{space}.nrrd", [12, 11, 9], lambda x, y, z: next(steps), *head, kind="uint8")
            for ending in READ:
                found = self.surface(name, f"{space}.{ending}", "--iso", "1")
                flat = [t for t in found.triangles if not any(self.normal(found, t))]
                self.assertEqual(len(flat), 0, f"{space}, {ending}, of {len(found.triangles)}")
        exact = self.surface("plain.nrrd", "exact.ply", "--iso", "1", "--exact-positions")
        self.assertGreater(sum(not any(self.normal(exact, t)) for t in exact.triangles), 50)

    @staticmethod
    def normal(found, triangle):
        p, q, r = ([fractions.Fraction(x) for x in found.positions[i]] for i in triangle)
        return cross(minus(q, p), minus(r, p))

    # ---- units -------------------------------------------------------------------------------------------------------

    def test_units(self):
        axes = ["space dimension: 3", "space directions: (0.5,0,0) (0,0.5,0) (0,0,0.5)"]
        for unit in ("km", "in", "mm", "um"):
            name = self.ball(12, f"{unit}.nrrd", *axes, "space units: " + " ".join([f'"{unit}"'] * 3))
            for ending in READ:  # the reader of GLB compares the node's scale
                self.assertEqual(self.surface(name, f"{unit}.{ending}", "--iso=-4").unit, unit)
        strange = self.ball(12, "strange.nrrd", *axes, 'space units: "--><" "--><" "--><"')
        for ending in READ:
            self.assertEqual(self.surface(strange, f"strange.{ending}", "--iso=-4").unit, "")

    # ---- fewer triangles, smoother ones --------------------------------------------------------------------------------

    def test_decimate_to_a_share(self):
        name = self.ball(32)
        full = self.extract(name, "full.ply", "--iso=-12.3")
        volume = area_and_volume(*[getattr(read(self.folder / "full.ply"), part) for part in ("positions", "triangles")])[1]
        for share, lost in ((50, 0.005), (25, 0.02), (5, 0.06)):  # a polyhedron within the ball
            for ending in READ:
                told = self.extract(name, f"few.{ending}", "--iso=-12.3", "--decimate", f"{share}%")
                found = read(self.folder / f"few.{ending}")
                self.assertEqual(len(found.triangles), told["triangles"])
                self.assertLessEqual(told["triangles"], full["triangles"] * share / 100)
                self.assertGreater(told["triangles"], full["triangles"] * share / 100 * 0.9)
                self.assertLess(abs(area_and_volume(found.positions, found.triangles)[1] / volume - 1), lost)
                if ending == "stl":
                    continue
                self.assertEqual(open_sides(found.triangles) + repeated_sides(found.triangles), [])
                self.assertEqual(sorted({i for t in found.triangles for i in t}), list(range(len(found.positions))), "unused vertices")
                self.assertEqual(len(found.positions), told["vertices"])
                for t in found.triangles:  # of a ball: none may be folded over, though one may stand upright
                    p, q, r = (found.positions[i] for i in t)
                    normal = cross(minus(q, p), minus(r, p))
                    self.assertGreater(dot(normal, normal), 0)
                    self.assertGreater(dot(normal, minus(p, [15.5] * 3)), -1e-4)
                for p, n in zip(found.positions, found.normals):
                    self.assertLess(angle(minus(p, [15.5] * 3), n), 25)

    def test_decimate_to_an_error(self):
        """In world units: voxels a tenth apart have a tenth of the error."""
        name = self.ball(32)
        small = self.ball(32, "small.nrrd", "spacings: 0.1 0.1 0.1")
        last = None
        for error in (0.02, 0.1, 0.5):
            told = self.extract(name, "few.ply", "--iso=-12.3", "--decimate", error)
            self.assertTrue(0 < told["error"] <= error, told["error"])
            self.assertLess(told["triangles"], last or 1e9)
            last = told["triangles"]
            found = read(self.folder / "few.ply")
            for t in found.triangles:  # quadrics estimate the mean error of planes, not the largest distance
                middle = [sum(found.positions[i][a] for i in t) / 3 - 15.5 for a in range(3)]
                self.assertLess(abs(math.hypot(*middle) - 12.3), 3 * error + 0.02)
            same = self.extract(small, "small.ply", "--iso=-12.3", "--decimate", error / 10)
            self.assertLess(abs(same["triangles"] / told["triangles"] - 1), 0.1)
            self.assertLess(abs(same["error"] / told["error"] * 10 - 1), 0.05)

    def test_decimate_without_its_sign(self):
        """25 instead of 25% means an error of 25 voxels, which leaves almost nothing. The program says so."""
        self.ball(32)
        for much, says in ((25, True), ("25%", False), (0.1, False)):
            done = self.run_program("extract", "ball.nrrd", "--iso=-12.3", "--decimate", much, "-o", "few.ply")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("write --decimate 25%" in done.stderr, says, done.stderr)

    @unittest.skipIf(cli.COMMA, "a message")
    def test_decimate_that_stops_early_is_said(self):
        """If no more edges can be collapsed, more triangles are left than asked for. The answer says so, with the error."""
        name = self.ball(12)
        self.run_program("synth", "vessels", "--size", "32", "-o", "vessels.nrrd")
        says = "more than 0.1% of the triangles are left"
        for volume, iso, format in ((name, "-4.3", "few.ply"), ("vessels.nrrd", "60.5", "few.ply"), (name, "-4.3,-2.3", "few.ply")):
            words = ["extract", volume, f"--iso={iso}", "-o", format, "--decimate"]
            done = self.run_program(*words, "0.1%")
            self.assertEqual((done.returncode, done.stderr.count(says)), (OK, 1), done.stderr)
            self.assertRegex(done.stdout, r", RMS error [0-9.]+, ")
            done = self.run_program(*words, "0.1%", "--json")
            self.assertEqual((done.returncode, done.stderr), (OK, ""))
            self.assertIn(says, json.loads(done.stdout)["note"])
            done = self.run_program(*words, "50%", "--json")
            self.assertEqual((done.stderr, json.loads(done.stdout)["note"]), ("", None))

    # ---- caps of several files -----------------------------------------------------------------------------------------

    def test_a_file_of_its_own_is_closed_as_if_alone(self):
        """The lower surface of a pair at v and -v is turned inside out only in a file that also has the other one."""
        name = self.volume("wave.nrrd", [10, 9, 8], lambda x, y, z: 4 * math.sin(x) + 3 * math.cos(y + z))
        for v in (-2, 2):
            self.extract(name, f"alone_{v}.ply", f"--iso={v}", "--close")
        for values in ("2,-2", "-2,2", "-2:2:5"):
            self.extract(name, "each_%.ply", f"--iso={values}", "--close")
            for v in (-2, 2):
                self.assertEqual((self.folder / f"each_{v}.ply").read_bytes(), (self.folder / f"alone_{v}.ply").read_bytes(), values)
        both = self.surface(name, "both.ply", "--iso=2,-2", "--close")
        alone = read(self.folder / "alone_-2.ply")
        volumes = [area_and_volume(s.positions, s.part(-2) if s is both else s.triangles)[1] for s in (both, alone)]
        self.assertAlmostEqual(sum(volumes), 9 * 8 * 7, places=3)  # what is below, and what is above

    def test_decimate_keeps_the_topology(self):
        """Thin vessels, loops and specks: closed, two triangles at each edge, as many pieces and handles as before."""
        self.run_program("synth", "vessels", "--size", "32", "-o", "vessels.nrrd")
        for words in (("--iso", "60.5"), ("--iso", "20.5", "--smooth-mesh", "3")):
            whole = self.surface("vessels.nrrd", "whole.ply", *words)
            for share in ("60%", "20%", "1%"):
                few = self.surface("vessels.nrrd", "few.ply", "--decimate", share, *words)
                self.assertLess(len(few.triangles), len(whole.triangles))
                self.assertEqual(len(open_sides(few.triangles)), len(open_sides(whole.triangles)))
                self.assertEqual(repeated_sides(few.triangles), [])
                self.assertEqual(len({frozenset(t) for t in few.triangles}), len(few.triangles), "a triangle is there twice")
                self.assertEqual(self.topology(few), self.topology(whole))
                self.assertTrue(all(any(self.normal(few, t)) for t in few.triangles), "a triangle has no area")

    @staticmethod
    def topology(found):
        """Pieces, and vertices - edges + triangles."""
        parent = list(range(len(found.positions)))

        def root(i):
            while parent[i] != i:
                parent[i] = i = parent[parent[i]]
            return i
        edges = {frozenset((t[k], t[k - 1])) for t in found.triangles for k in range(3)}
        for a, b in edges:
            parent[root(a)] = root(b)
        return sum(parent[i] == i for i in range(len(parent))), len(parent) - len(edges) + len(found.triangles)

    def test_borders_stay(self):
        """A ball that the border cuts open, smoothed and decimated: the rim keeps its vertices, in place."""
        name = self.volume("cut.nrrd", [24, 24, 12], lambda *p: -math.dist(p, [11.5, 11.5, 3.2]))

        def rim(found):
            return sorted({found.positions[i] for side in open_sides(found.triangles) for i in side})
        whole = rim(self.surface(name, "whole.ply", "--iso=-8"))
        self.assertGreater(len(whole), 30)
        self.assertEqual(rim(self.surface(name, "smooth.ply", "--iso=-8", "--smooth-mesh", "30")), whole)
        self.assertEqual(rim(self.surface(name, "few.ply", "--iso=-8", "--decimate", "30%")), whole)

    def test_smooth_mesh_does_not_shrink(self):
        """A rough ball becomes smooth, its volume and its triangles stay."""
        noise = itertools.cycle([0.31, -0.42, 0.17, -0.05, 0.44, -0.23, 0.08, -0.37, 0.26, -0.19, 0.12])
        name = self.volume("rough.nrrd", [30] * 3, lambda *p: -math.dist(p, [14.5] * 3) + next(noise))
        before = self.surface(name, "before.ply", "--iso=-10.2")
        rough = sum(abs(math.dist(p, [14.5] * 3) - 10.2) for p in before.positions) / len(before.positions)
        volume = area_and_volume(before.positions, before.triangles)[1]
        for rounds, left in ((5, 0.6), (20, 0.4), (100, 0.25)):
            after = self.surface(name, "after.ply", "--iso=-10.2", "--smooth-mesh", rounds)
            self.assertEqual(after.triangles, before.triangles)
            self.assertLess(abs(area_and_volume(after.positions, after.triangles)[1] / volume - 1), 0.01)
            mean = sum(math.dist(p, [14.5] * 3) for p in after.positions) / len(after.positions)
            self.assertLess(sum(abs(math.dist(p, [14.5] * 3) - mean) for p in after.positions) / len(after.positions), left * rough)

    def test_smooth_mesh_keeps_thin_pieces(self):
        """Balls of half a voxel and of four voxels would vanish and shrink if the lost volume were not restored. Each keeps its volume."""
        name = self.volume("two.nrrd", [24, 14, 14], lambda *p: max(0.6 - math.dist(p, [18.1, 6.9, 7.2]), 4.2 - math.dist(p, [7.1] * 3)))
        before, after = self.surface(name, "before.ply", "--iso=0"), self.surface(name, "after.ply", "--iso=0", "--smooth-mesh", "40")
        for wanted in (True, False):
            volumes = [area_and_volume(s.positions, [t for t in s.triangles if (s.positions[t[0]][0] > 14) == wanted])[1]
                       for s in (before, after)]
            self.assertGreater(volumes[0], 0.1)
            self.assertLess(abs(volumes[1] / volumes[0] - 1), 0.001)

    def test_refusals(self):
        name = self.ball(8)
        for wrong in ("0", "-1", "0%", "101%", "x", "10%%", "nan", ""):
            self.refuses(USAGE, "extract", name, "-o", "out.ply", f"--decimate={wrong}", says=["like 25%"])
        for wrong in ("0", "-1", "1001", "2.5", "x"):
            self.refuses(USAGE, "extract", name, "-o", "out.ply", f"--smooth-mesh={wrong}", says=["from 1 to 1000"])


unittest.main()
