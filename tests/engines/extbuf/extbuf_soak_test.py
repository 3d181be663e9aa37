# SPDX-License-Identifier: BSD-3-Clause
"""External buffers for long: verified packets in every mode while runs, engines and faults come and go; and the same briefly."""
import hashlib
import os
import random
import time

import pytest
from conftest import SEED

from extbuf_runs import MODES, counters, memories, nothing_out
from modelled import GOOD, PATIENT, Modelled
from session import wait_until

PACKETS = int(os.environ.get("SOAK_PACKETS", "100000000"))
BRIEF = 300_000
FAULTS = {"stall tx": 300, "starve rx": 300}
BITS = [128, 512]
long = pytest.mark.soak


def change(session, chance, mode):
    """A stop with buffers on their way, another engine in between, a fault; then on as before."""
    what = chance.randrange(6)
    if what == 0 or (what == 1 and mode == "pinned"):  # another engine makes ports receive elsewhere, which empties their rings
        session.ok("stop", "set fwd extbuf retry", "start")
    elif what == 1:
        session.ok("stop", "set fwd io retry", "start", "stop", "set fwd extbuf retry", "start")
    elif what == 2:
        session.ok("stop", f"set extbuf-shinfo {chance.choice(('private', 'shared', 'tail'))}", "start")
    else:
        kind = chance.choice(list(FAULTS))
        session.fault(chance.randrange(2), f"{kind} {chance.randint(1, FAULTS[kind])}")


def forward(binary, tmp_path, mode, bits, packets, mirrored=False):
    """So many packets, whole and in order, each buffer back once, whatever happens meanwhile. ZCFWD_TEST_SEED: the same again."""
    seed = SEED
    chance, end = random.Random(seed), time.monotonic() + 7200
    devices = f"xl710,verify,count={packets // 2},flows=64,size=64-1500*2" + (";xl710,rx=none" if mirrored else "")
    with Modelled(binary, devices, tmp_path, ["--forward-mode=extbuf", f"--extbuf-mode={mode}", "--tx-offloads=0"],
                  bits=bits) as session:
        session.ok(*(["set portlist 0,1", "port mirror 0 2", "port mirror 1 2"] if mirrored else []), "set fwd extbuf retry", PATIENT, "start")
        while any(session.report(port)["generated"] < packets // 2 for port in (0, 1)):
            assert time.monotonic() < end, seed
            change(session, chance, mode)
            time.sleep(chance.uniform(0, .5))
        for port in (0, 1):
            wait_until(lambda port=port: session.report(port)["missing"] == 0, f"all of port {port} back, seed {seed}", 60)
        session.ok("stop")
        nothing_out(session)
        session.quit()
        assert session.rc == 0
        reports = session.reports()
    # A mirror's packets are those of others, and come later than these.
    for report in reports[:2]:
        bad = {what: report[what] for what in GOOD if report[what] != 0 and not (mirrored and what in ("duplicated", "reordered"))}
        assert not bad and report["generated"] == packets // 2, (bad, seed)
    return seed


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


@pytest.mark.parametrize("mode", MODES)
def test_brief(binary, tmp_path, mode):
    forward(binary, tmp_path, mode, 256, BRIEF)


def test_brief_mirrored(binary, tmp_path):
    forward(binary, tmp_path, "pinned", 256, BRIEF, mirrored=True)


@pytest.mark.parametrize("how, shinfo", [("attach", "private"), ("attach", "shared"), ("copy", "private")])
def test_brief_storage(binary, tmp_path, how, shinfo):
    store(binary, tmp_path, how, shinfo, BRIEF)


@long
@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("mode", MODES)
def test_long(binary, tmp_path, capsys, mode, bits):
    seed = forward(binary, tmp_path, mode, bits, PACKETS)
    with capsys.disabled():
        print(f"extbuf soak: {mode}, {bits} bits: {PACKETS} packets, seed {seed}")


@long
def test_long_mirrored(binary, tmp_path, capsys):
    seed = forward(binary, tmp_path, "pinned", 256, PACKETS, mirrored=True)
    with capsys.disabled():
        print(f"extbuf soak: pinned, both ports mirrored: {PACKETS} packets, seed {seed}")


@long
@pytest.mark.parametrize("how, shinfo", [("attach", "private"), ("attach", "shared"), ("copy", "private")])
def test_long_storage(binary, tmp_path, capsys, how, shinfo):
    store(binary, tmp_path, how, shinfo, PACKETS)
    with capsys.disabled():
        print(f"extbuf soak: storage, {how}, {shinfo}: {PACKETS} packets")
