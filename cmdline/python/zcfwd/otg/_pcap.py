# SPDX-License-Identifier: BSD-3-Clause
"""
Captures as OTG has them: with the CRC of each packet, since OTG's sizes have it. The program's captures end before it, as NICs remove it, so it
is computed here. A packet that was cut gets none.
"""
from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO

NANOSECONDS = 0xa1b23c4d
MICROSECONDS = 0xa1b2c3d4
ETHERNET = 1
SNAPLEN = 262144
IF_TSRESOL, IF_FCSLEN = 9, 13


def packets(source: BinaryIO) -> Iterator[tuple[int, int, bytes]]:
    """Time in ns, length on the wire with CRC, and bytes of each packet of one of the program's captures."""
    head = source.read(24)
    if len(head) < 24:
        return
    if struct.unpack("<I", head[:4])[0] != NANOSECONDS:
        raise ValueError("not a capture with nanoseconds")
    while len(record := source.read(16)) == 16:
        seconds, nanoseconds, kept, length = struct.unpack("<IIII", record)
        data = source.read(kept)
        if len(data) < kept:
            return
        if kept == length:
            data += struct.pack("<I", zlib.crc32(data))
        yield seconds * 10 ** 9 + nanoseconds, length + 4, data


def pcap(source: BinaryIO, target: BinaryIO) -> None:
    """As a pcap file with microseconds, which every reader knows."""
    target.write(struct.pack("<IHHiIII", MICROSECONDS, 2, 4, 0, 0, SNAPLEN, ETHERNET))
    for time, length, data in packets(source):
        target.write(struct.pack("<IIII", time // 10 ** 9, time % 10 ** 9 // 1000, len(data), length) + data)


def block(kind: int, body: bytes) -> bytes:
    body += bytes(-len(body) % 4)
    size = len(body) + 12
    return struct.pack("<II", kind, size) + body + struct.pack("<I", size)


def pcapng(source: BinaryIO, target: BinaryIO) -> None:
    """As a pcapng file with nanoseconds."""
    options = struct.pack("<HHB3xHHB3xHH", IF_TSRESOL, 1, 9, IF_FCSLEN, 1, 4, 0, 0)
    target.write(block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1)))
    target.write(block(1, struct.pack("<HHI", ETHERNET, 0, SNAPLEN) + options))
    for time, length, data in packets(source):
        target.write(block(6, struct.pack("<IIIII", 0, time >> 32, time & 0xffffffff, len(data), length) + data))
