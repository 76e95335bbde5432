"""Reads the program's PNG files, and makes small ones."""
import struct
import zlib


def grey_png(shade):
    """A picture of 4x4 grey pixels."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes((shade + x) % 256 for x in range(4)) for _ in range(4))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class Picture:
    """width, height, and picture[x, y]: (red, green, blue), with opacity where the file has it. Takes 8-bit RGB and RGBA without
    interlacing."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        assert data[:8] == b"\x89PNG\r\n\x1a\n", path
        at, packed = 8, b""
        while at < len(data):
            size, kind = struct.unpack_from(">I4s", data, at)
            body = data[at + 8:at + 8 + size]
            if kind == b"IHDR":
                self.width, self.height, *rest = struct.unpack(">IIBBBBB", body)
                assert rest in ([8, 2, 0, 0, 0], [8, 6, 0, 0, 0]), rest
                self.channels = 3 if rest[1] == 2 else 4
            packed += body if kind == b"IDAT" else b""
            at += 12 + size
        self.rows = self._unfilter(zlib.decompress(packed), self.channels * self.width)

    def _unfilter(self, flat, n):
        step = self.channels
        rows, above = [], bytes(n)
        for y in range(self.height):
            kind, line = flat[y * (n + 1)], bytearray(flat[y * (n + 1) + 1:(y + 1) * (n + 1)])
            self._add(kind, line, above, step)
            rows.append(bytes(line))
            above = line
        return rows

    @staticmethod
    def _add(kind, line, above, step):
        """Adds to the differences of a line what they were taken from. Each kind has its own loop, because pictures have
        millions of pixels."""
        before = line  # the pixels to the left, once they are done; none at first
        if kind == 1:
            for i in range(step, len(line)):
                line[i] = line[i] + before[i - step] & 255
        elif kind == 2:
            line[:] = bytes(v + b & 255 for v, b in zip(line, above))
        elif kind == 3:
            for i in range(len(line)):
                line[i] = line[i] + ((before[i - step] if i >= step else 0) + above[i] >> 1) & 255
        elif kind == 4:
            line[:step] = bytes(v + b & 255 for v, b in zip(line[:step], above))
            for i in range(step, len(line)):
                a, b, c = before[i - step], above[i], above[i - step]
                p, q = b - c, a - c
                r = abs(p + q)
                p, q = abs(p), abs(q)
                line[i] = line[i] + (a if p <= q and p <= r else b if q <= r else c) & 255

    def __eq__(self, other):
        """Compares pictures as a whole. For lists of rows, assertEqual() would spend minutes listing all differences."""
        return self.channels == other.channels and self.rows == other.rows

    def __getitem__(self, at):
        x, y = at
        return tuple(self.rows[y][self.channels * x:self.channels * (x + 1)])

    def find(self, wanted):
        """The (x, y) of all pixels whose colour is `wanted`, a function."""
        return [(x, y) for y in range(self.height) for x in range(self.width) if wanted(self[x, y])]
