#!/usr/bin/env python3
"""What commands say of a volume and its surface beyond their numbers: where a part lies far from the origin, voxels inside where
there are no cells. Usage: test_answers.py ISOSCOPE"""
import json
import unittest

import cli
from cli import OK


class Answers(cli.CommandTest):
    def box(self, name, *head, n=(12, 12, 12)):
        """A block of 40 within 10, inside all borders."""
        inside = [[2 <= i < n[a] - 3 for i in range(n[a])] for a in range(3)]
        voxels = bytes(40 if inside[0][x] and inside[1][y] and inside[2][z] else 10
                       for z in range(n[2]) for y in range(n[1]) for x in range(n[0]))
        lines = ["NRRD0004", "type: uint8", "dimension: 3", "sizes: " + " ".join(map(str, n)), "encoding: raw", *head]
        (self.folder / name).write_bytes("\n".join(lines).encode() + b"\n\n" + voxels)
        return name

    # ---- info --------------------------------------------------------------------------------------------------------

    def test_parts_far_from_the_origin(self):
        far = self.box("far.nrrd", "space dimension: 3", "space directions: (0.001,0,0) (0,0.001,0) (0,0,0.001)",
                       "space origin: (500000,-500000,0)")
        text = self.run_program("info", far, "--iso", "25").stdout
        part = json.loads(self.run_program("info", far, "--iso", "25", "--json").stdout)["parts"][0]
        shown = [float(word) for word in text.splitlines()[-1].replace(" to ", " ").split()[3:]]
        for a in range(3):
            self.assertLess(abs(shown[2 * a] - part["low"][a]), 1e-5)
            self.assertLess(abs(shown[2 * a + 1] - part["high"][a]), 1e-5)
        near = self.run_program("info", self.box("near.nrrd"), "--iso", "25").stdout
        self.assertRegex(near.splitlines()[-1], r" 1\.5 to 8\.5 +1\.5 to 8\.5 +1\.5 to 8\.5$")

    def test_voxels_inside_without_cells(self):
        for n in ((12, 12, 1), (12, 1, 12), (1, 12, 12), (12, 1, 1)):
            voxels = bytes(i % 7 for i in range(n[0] * n[1] * n[2]))
            name = f"thin_{n[0]}x{n[1]}x{n[2]}_uint8.raw"
            (self.folder / name).write_bytes(voxels)
            for words in ((), ("--rung", "fused=none")):
                told = json.loads(self.run_program("info", name, "--iso", "3", "--json", *words).stdout)
                self.assertEqual((told["voxels_inside"], told["triangles"]), (sum(v >= 3 for v in voxels), 0), (name, words))
        name = "thin_1x4096x16384_uint8.raw"
        (self.folder / name).write_bytes(bytes(range(256)) * 2**18)
        done = self.run_program("info", name, "--iso", "128", "--json", "--memory", "60M")
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertEqual(json.loads(done.stdout)["voxels_inside"], 2**25)


unittest.main()
