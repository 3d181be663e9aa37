# SPDX-License-Identifier: BSD-3-Clause
"""Frames of many kinds, the odd ones too, in a pcap file."""
import random
import struct


def ip4(rng, l4):
    options = rng.choice((b"", b"", b"\x01" * 40))
    fragment = rng.choice((0, 0, 0x2000, 100, 0x4000))
    proto = rng.choice((1, 6, 17, 132))
    head = struct.pack(">BBHHHBBH8s", 0x45 + len(options) // 4, 0, 20 + len(options) + len(l4), 1, fragment, 64, proto, 0, rng.randbytes(8))
    return b"\x08\x00" + head + options + l4


def ip6(rng, l4):
    return b"\x86\xdd" + struct.pack(">IHBB32s", 0x60000000, len(l4), rng.choice((6, 17, 44)), 64, rng.randbytes(32)) + l4


def frame(rng, most):
    tags = b"".join(struct.pack(">HH", rng.choice((0x8100, 0x88A8)), rng.randrange(4096)) for _ in range(rng.choice((0, 0, 0, 1, 2, 8, 9))))
    l4 = rng.randbytes(rng.choice((3, 8, 9, 26, 108, 777, 1400, 1401, most)))
    l3 = rng.choice((ip4, ip4, ip4, ip6, lambda r, b: b"\x08\x06" + b, lambda r, b: b"\x08\x00" + r.randbytes(1) + b[:30]))(rng, l4)
    return (rng.randbytes(12) + tags + l3)[:most]


def write(path, n, most=1514, seed=1):
    rng = random.Random(seed)
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for number in range(n):
            data = frame(rng, most)
            f.write(struct.pack("<IIII", number, 0, len(data), len(data)) + data)
