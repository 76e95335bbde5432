#!/usr/bin/env python3
"""Makes matcap.png: a sphere of ivory-coloured clay under a large lamp, a cool fill light and a warm floor.

Nothing but the standard library, no randomness: the same picture on every machine.
Usage: make_matcap.py [matcap.png]
"""
import math
import struct
import sys
import zlib

SIZE = 256


def normalize(v):
    length = math.sqrt(sum(c * c for c in v))
    return tuple(c / length for c in v)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


LAMP, FILL, BACK = normalize((-0.45, 0.62, 0.64)), normalize((0.85, 0.15, 0.5)), normalize((0.55, 0.55, -0.62))
CLAY = (0.700, 0.585, 0.470)  # linear light


def shade(n):
    """Linear colour of the sphere where its normal is n; the viewer is at +z."""
    lamp = max((dot(n, LAMP) + 0.25) / 1.25, 0.0) ** 1.4  # wraps round the edge, as a large lamp does
    fill = max(dot(n, FILL), 0.0)
    back = max(dot(n, BACK) + 0.35, 0.0) * (1.0 - n[2]) ** 2
    up = 0.5 + 0.5 * n[1]
    half = normalize((LAMP[0], LAMP[1], LAMP[2] + 1.0))
    shine = max(dot(n, half), 0.0)
    edge = (1.0 - n[2]) ** 4
    out = []
    for c in range(3):
        sky, floor = (0.22, 0.25, 0.30)[c], (0.16, 0.10, 0.075)[c]
        light = lamp * (0.98, 0.94, 0.88)[c] + fill * (0.10, 0.13, 0.17)[c] + floor + (sky - floor) * up
        out.append(CLAY[c] * light * (1.0 - 0.45 * edge) + 0.09 * shine ** 18 + 0.05 * shine ** 90
                   + back * (0.30, 0.34, 0.40)[c])
    return out


def pixel(x, y):
    u, v = (x + 0.5) / SIZE * 2 - 1, 1 - (y + 0.5) / SIZE * 2
    u, v = u / 0.98, v / 0.98  # the shader looks up the inner 98 %, so that filtering never meets the border
    r = math.sqrt(u * u + v * v)
    if r > 1.0:  # outside the sphere: go on with its edge
        u, v = u / r, v / r
    n = (u, v, math.sqrt(max(0.0, 1.0 - u * u - v * v)))
    return bytes(min(255, int(255 * min(1.0, c) ** (1 / 2.2) + 0.5)) for c in shade(n))


def main():
    rows = b"".join(b"\0" + b"".join(pixel(x, y) for x in range(SIZE)) for y in range(SIZE))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 2, 0, 0, 0)
    with open(sys.argv[1] if len(sys.argv) > 1 else "matcap.png", "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9))
                   + chunk(b"IEND", b""))


if __name__ == "__main__":
    main()
