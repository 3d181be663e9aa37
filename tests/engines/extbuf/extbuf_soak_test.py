# SPDX-License-Identifier: BSD-3-Clause
"""A file sent from external memory for long, and briefly: each packet verified by its receiver, the memory as it was."""
import hashlib
import os
import random

import pytest
from conftest import SEED

from extbuf_runs import counters, memories, nothing_out
from modelled import Modelled
from session import wait_until

PACKETS = int(os.environ.get("SOAK_PACKETS", "100000000"))
BRIEF = 300_000
long = pytest.mark.soak


def region(session, name):
    """The bytes of memory of type file as the program has them."""
    with open(f"/proc/{session.pid}/maps", encoding="ascii") as maps:
        first, last = next(line.split()[0].split("-") for line in maps if f"memfd:{name}" in line)
    with open(f"/proc/{session.pid}/mem", "rb") as memory:
        memory.seek(int(first, 16))
        return hashlib.sha256(memory.read(int(last, 16) - int(first, 16))).hexdigest()


def store(binary, tmp_path, how, shinfo, packets):
    """So many packets from a file, each checked by who receives it; the memory is as it was."""
    path = tmp_path / "movie"
    path.write_bytes(random.Random(SEED).randbytes(3_000_000))
    with Modelled(binary, "xl710,rx=wire:1;xl710,rx=wire:0", tmp_path, ["--tx-offloads=0x8000"], mbufs=16384) as session:
        session.ok(f"extmem create movie type file {path} size 0", "set extbuf-memory movie", "set extbuf mode storage", f"set extbuf-storage {how}",
                   f"set extbuf-shinfo {shinfo}", "set extbuf-split on", "set extbuf-verify on", "set extbuf-slice 1400", "set fwd extbuf")
        before, verified = region(session, "movie"), 0
        while verified < packets:
            session.ok("start")
            wait_until(lambda: (done := sum(stream["verified"] for stream in counters(session))) > packets / 4 or verified + done >= packets,
                       "packets verified", 3600)
            session.cmd("stop")
            verified += sum(stream["verified"] for stream in counters(session))
            assert sum(stream["corrupt"] for stream in counters(session)) == 0
        assert region(session, "movie") == before
        nothing_out(session)
        assert memories(session)["movie"]["buffers_out"] == 0
        session.ok("extmem delete movie")
        session.quit()
        assert session.rc == 0


@pytest.mark.parametrize("how, shinfo", [("attach", "private"), ("attach", "shared"), ("copy", "private")])
def test_brief_storage(binary, tmp_path, how, shinfo):
    store(binary, tmp_path, how, shinfo, BRIEF)


@long
@pytest.mark.parametrize("how, shinfo", [("attach", "private"), ("attach", "shared"), ("copy", "private")])
def test_long_storage(binary, tmp_path, capsys, how, shinfo):
    store(binary, tmp_path, how, shinfo, PACKETS)
    with capsys.disabled():
        print(f"extbuf soak: storage, {how}, {shinfo}: {PACKETS} packets")
