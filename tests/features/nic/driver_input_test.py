# SPDX-License-Identifier: BSD-3-Clause
"""Files and bytes of a line that a driver's own function takes: whatever they are, the program answers and goes on.

FUZZ_SECONDS=300 ZCFWD_TEST_SEED=1 in the environment: so long, from that seed on; without FUZZ_SECONDS a fixed number of each. A
failure names seed and file.
"""
import os
import random
import struct
import time

import pytest
from conftest import SEED

from elf import DROP, elf
from modelled import STOPPED, Modelled, needs_model_nic

pytestmark = [pytest.mark.zcfwd, needs_model_nic]
SECONDS = float(os.environ.get("FUZZ_SECONDS", "0"))
ROUNDS = 150  # of each command
METADATA, NOTES, PROFILE = 1, 2, 0x11
MMIO, AQ, PROTOCOLS, PCTYPES, PTYPES = 0x800, 0x801, 0x80000002, 0x80000003, 0x80000004


def named(text):
    return text.encode().ljust(32, b"\0")


def segment(kind, name, body):
    return struct.pack("<I4BI", kind, 1, 0, 0, 0, 44 + len(body)) + named(name) + body


def section(kind, body):
    return struct.pack("<HHIII", 1, 16 + len(body), kind, 16, len(body)) + body


def record(kind, data):
    """Of a table: as many 16-byte records as the data needs."""
    n = (4 + len(data) + 15) // 16
    return (struct.pack("<BBH", 0, kind, n) + data).ljust(16 * n, b"\0")


def package():
    """A profile with a section of each kind, as Intel's tools lay them out; it changes nothing that the model has."""
    sections = [section(MMIO, bytes(24)), section(AQ, struct.pack("<HH16sH", 0x0001, 0, bytes(16), 0).ljust(24, b"\0")),
                section(PROTOCOLS, record(1, b"\x0aGTPU\0") + record(1, b"\x0bGTPC\0")),
                section(PCTYPES, record(2, bytes([22, 10, 11, 255, 255, 255, 255]))),
                section(PTYPES, record(3, bytes([166, 10, 255, 255, 255, 255, 255])) + record(3, bytes(20)))]
    head = struct.pack("<4B", 1, 0, 0, 0) + named("profile") + struct.pack("<III", 1, 0x80861583, 0)
    table = struct.pack("<II", 0, len(sections))  # no words to skip
    at = 44 + len(head) + len(table) + 4 * len(sections)
    offsets = b""
    for one in sections:
        offsets += struct.pack("<I", at)
        at += len(one)
    segments = [segment(METADATA, "metadata", struct.pack("<4BI", 1, 2, 3, 4, 0x80000001) + named("package")),
                segment(NOTES, "notes", b"what it is for\0\0"),
                segment(PROFILE, "profile", head + table + offsets + b"".join(sections))]
    at, offsets = 8 + 4 * len(segments), b""
    for one in segments:
        offsets += struct.pack("<I", at)
        at += len(one)
    return struct.pack("<4BI", 1, 0, 0, 0, len(segments)) + offsets + b"".join(segments)


FRAME = bytes(range(12)) + b"\x08\x00" + bytes(46)
FLEX = b'{"next_header": {"field_base": 32}, "sample_data": [{"field_width": 32}], "input_link": [{"item": "eth"}]}'
# Where a command's bytes come from: a line, and a file that fits it.
COMMANDS = {
    "ddp add 0 {}": package(),
    "ddp add 0 {},{}.out": package(),
    "ddp del 0 {}": package(),
    "ddp get info {}": package(),
    "bpf-load rx 0 0 - {}": elf(DROP),
    "bpf-load tx 1 0 JM {}": elf(DROP),
    "flow_director_filter 0 mode raw add flow ipv4-udp drop queue 0 fd_id 1 packet {}": FRAME,
    "flow flex_item create 0 0 {}": FLEX,
}


def spoilt(good, dice):
    """The file cut, with bytes or numbers changed, or all of it random."""
    data = bytearray(good)
    way = dice.randrange(4)
    if way == 0:
        return bytes(data[:dice.randrange(1, len(data) + 1)])
    if way == 1:
        return dice.randbytes(dice.choice((1, 8, 300, 5000)))
    for _ in range(dice.randrange(1, 4)):
        if way == 2:
            data[dice.randrange(len(data))] = dice.randrange(256)
        else:
            at = dice.randrange(len(data) // 4) * 4
            data[at:at + 4] = struct.pack("<I", dice.choice((0, 1, 0xffff, 0x10000, 0x7fffffff, 0xffffffff, len(data), dice.randrange(1 << 32))))
    return bytes(data)


def test_a_package(binary, tmp_path):
    """A whole one is shown, and refused by the card, not by the check."""
    path = tmp_path / "whole"
    path.write_bytes(package())
    with Modelled(binary, "xl710*2", tmp_path, [STOPPED]) as session:
        text = session.cmd(f"ddp get info {path}")
        for part in ("Global Package name:   package", "i40e Profile name:     profile", "what it is for", "8086:1583", "GTPU", "22: GTPU GTPC", "166: GTPU"):
            assert part in text, text
        for cut in range(1, len(package())):
            path.write_bytes(package()[:cut])
            before = len(session.stderr())
            assert "Package" not in session.cmd(f"ddp get info {path}") and "not a DDP package" in session.stderr()[before:], cut
        path.write_bytes(package())
        session.ok("port stop all")
        before = len(session.stderr())
        session.cmd(f"ddp add 0 {path}")
        assert "not a DDP package" not in session.stderr()[before:]


def test_hostile_files(binary, tmp_path):
    end, seed = time.monotonic() + SECONDS, SEED
    with Modelled(binary, "xl710*2", tmp_path, [STOPPED]) as session:
        session.ok("port stop all")
        while True:
            for line, good in COMMANDS.items():
                for i in range(ROUNDS):
                    dice = random.Random(f"{seed} {line} {i}")
                    path = tmp_path / "file"
                    path.write_bytes(spoilt(good, dice))
                    try:
                        session.cmd(line.replace("{}", str(path)))
                    except AssertionError as failure:
                        raise AssertionError(f"ZCFWD_TEST_SEED={seed}, {line}, round {i}: {path.read_bytes().hex()}") from failure
            seed += 1
            if time.monotonic() > end:
                break
        assert session.quit()[1] == 0
