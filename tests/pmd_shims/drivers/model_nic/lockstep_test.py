# SPDX-License-Identifier: BSD-3-Clause
"""The measuring program: it forwards every packet, says what it measured in JSON, and leaves out what must not count. No times."""
import json
import os
import re

import pytest

from conftest import binary_path
from modelled import PLUGIN, needs_model_nic
from session import Session

pytestmark = needs_model_nic
needs_two_cpus = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")

PROGRAM = binary_path().parent / "tests/bench/lockstep"
VERIFY = "xl710,verify,flows=16*2"


def lockstep(devices, tmp_path, args=(), mode="step"):
    """The program at its prompt; both lcores on one CPU, the model's thread, if any, on another."""
    cpus = sorted(os.sched_getaffinity(0))
    return Session(PROGRAM, (), ["--no-flush-rx", "--rxd=512", "--txd=512", *args], lcores=f"(0,1)@{cpus[-1]}",
                   eal=["-d", PLUGIN, "--iova-mode=va", "--log-level=pmd.net.i40e:error"], pool="--total-num-mbufs=16384",
                   env={"MODEL_NIC": devices, "MODEL_NIC_MODE": mode, "MODEL_NIC_CPU": str(cpus[0]),
                        "MODEL_NIC_REPORT": str(tmp_path / "report.json")})


def measured(session, line, variants):
    """The answer to a measuring command, as an object whose form is right."""
    answer = session.json_ok(f"{line} {' '.join(variants)}", 120)
    assert [one["variant"] for one in answer["variants"]] == list(variants)
    assert answer["variants"][0]["ratio"] == answer["variants"][0]["ratio_all"] == 1
    assert answer["core"] > 0 and isinstance(answer["crowded"], bool)
    for one in answer["variants"]:
        assert one["batches"] > 0 and 0 < one["p5"] <= one["median"] <= one["p90"], one
        assert 0 < one["ratio_low"] <= one["ratio"] <= one["ratio_high"] or one["pairs"] == one["ratio"] == 0, one
        # Without a batch on a shared core nothing is added.
        assert one["median_all"] > 0 and one["ratio_all"] > 0 and (one["shared"] or one["median_all"] == one["median"]), one
    return answer


def test_every_packet(tmp_path):
    """Verified packets through engines that take turns: all come back whole, in what the program and the NICs say."""
    verified = 0
    with lockstep(VERIFY, tmp_path) as session:
        session.ok("set output json")
        for evict, variants in ((0, ("io", "recycle_mbufs", "recycle_mbufs,recycle-mode=cache")), (64, ("mac", "recycle_mbufs,recycle-rewrite=mac"))):
            packets = measured(session, f"lockstep evict {evict} rounds 4 samples 3", variants)["packets"]
            assert packets["received"] == packets["sent"] == packets["verified"] >= 3 * 20 * 4 * 2 * 32, packets
            assert packets["dropped"] == packets["absorbed"] == 0, packets
            verified = packets["verified"]
        for one in measured(session, "lockstep mean evict 0 rounds 4 samples 2", ("io",))["variants"]:
            assert one["starved"] == one["tx_full"] == 0, one
        session.quit()
        assert session.rc == 0
    ports = json.loads((tmp_path / "report.json").read_text(encoding="ascii"))["ports"]
    assert verified > 0 and sum(port["ok"] for port in ports) > 0
    for port in ports:
        assert port["corrupted"] == port["duplicated"] == port["foreign"] == port["armed_twice"] == 0, port


def test_absorbed(tmp_path):
    """What an engine takes out is accounted for, too."""
    with lockstep(VERIFY, tmp_path) as session:
        session.ok("set output json")
        packets = measured(session, "lockstep evict 0 rounds 4 samples 2", ("io", "rxonly"))["packets"]
        assert packets["verified"] == packets["sent"] > 0 and packets["absorbed"] > 0
        assert packets["received"] == packets["sent"] + packets["absorbed"]


@pytest.mark.parametrize("args, words", [
    (("--rxd=128",), "found less than a full burst"),
    (("--txd=64",), "a Tx ring was full"),
])
def test_does_not_count(tmp_path, args, words):
    """More rounds than the rings hold: said, and no figure comes of it; the packets still add up."""
    with lockstep(VERIFY, tmp_path, args) as session:
        session.ok("set output json")
        answer = session.json("lockstep evict 0 rounds 8 samples 2 io", 120)
        assert not answer["ok"] and "variants" not in answer
        text = answer["error"]["message"]
        assert "no batch counts" in text and words in text and " 0 " + words not in text, text
        assert measured(session, "lockstep evict 0 rounds 1 samples 2", ("io",))


@pytest.mark.parametrize("variant, made", [("io", False), ("mac,burst=16", False), ("txonly", True), ("flowgen", True)])
def test_count(tmp_path, variant, made):
    """For profilers: a fixed number of packets, all accounted for; the key of what they are counted with."""
    packets = 3 * 4 * 2 * (16 if "16" in variant else 32)
    with lockstep("xl710*2", tmp_path) as session:
        session.ok("set output json")
        answers = [session.json_ok(f"lockstep count rounds 4 warm 16 batches 3 {variant}", 120) for _ in range(2)]
    assert [one["counted"] for one in answers] == [packets] * 2
    for one in answers:
        assert one["packets"]["sent"] > packets and (made or one["packets"]["received"] == one["packets"]["sent"]), one
    assert set(answers[0]["key"]) == {"compiler", "dpdk", "libc"}


def test_settings_are_put_back(tmp_path):
    """A variant's settings are its own."""
    with lockstep("xl710*2", tmp_path) as session:
        session.ok("set output json")
        before = session.json_ok("show settings")
        measured(session, "lockstep evict 0 rounds 1 samples 2",
                 ("recycle_mbufs,recycle-mode=off,burst=16", "io,record-burst-stats=on", "io,burst=8"))
        assert session.json_ok("show settings") == before


@pytest.mark.parametrize("mode, line, words", [
    ("step", "lockstep evict 0 rounds 1 samples 1 oi", ('"oi"', "ENGINE[,SETTING=VALUE]")),
    ("step", "lockstep evict 0 rounds 1 samples 1 io,burst", ('"burst"', "SETTING=VALUE")),
    ("step", "lockstep evict 0 rounds 1 samples 1 io,bursts=3", ('"bursts"', "no such setting")),
    ("step", "lockstep evict 0 rounds 1 samples 1 io io,burst=0", ("burst", "1..512")),
    ("step", "lockstep evict 0 rounds 1 samples 1 io,rxd=128", ("rxd", "a process of its own")),
    ("step", "lockstep evict 0 rounds 1 samples 1 io txonly", ('"txonly"', "makes no packets")),
    ("step", "lockstep evict 0 rounds 1 samples 1 io io io io io io io io io", ("at most 8",)),
    ("step", "lockstep count rounds 64 warm 0 batches 1 io", ("less than a full burst",)),
    ("step", "lockstep count rounds 1 warm 0 batches 1 oi", ('"oi"', "ENGINE[,SETTING=VALUE]")),
    ("thread", "lockstep count rounds 1 warm 0 batches 1 io", ("MODEL_NIC_MODE=thread", "expected step")),
    pytest.param("step", "two-cores slice 5 limit 9999 rounds 1 samples 1 io", ("MODEL_NIC_MODE=step", "expected thread"), marks=needs_two_cpus),
    ("thread", "lockstep evict 0 rounds 1 samples 1 io", ("MODEL_NIC_MODE=thread", "expected step")),
])
def test_bad_input(tmp_path, mode, line, words):
    with lockstep("xl710*2", tmp_path, mode=mode) as session:
        answer = session.cmd(line) + session.stderr()
        assert all(word in answer for word in words), answer


def test_no_nics():
    with Session(PROGRAM) as session:
        session.cmd("lockstep evict 0 rounds 1 samples 1 io")
        assert "no modelled NICs" in session.stderr()


@needs_two_cpus
def test_two_cores(tmp_path):
    """Beside the model's thread: nothing is lost but what the program says; CPUs that are too far apart yield no figures."""
    with lockstep(VERIFY, tmp_path, mode="thread") as session:
        session.ok("set output json")
        answer = measured(session, "two-cores slice 20 limit 1000000000 rounds 16 samples 2", ("io", "recycle_mbufs"))
        packets = answer["packets"]
        assert packets["received"] == packets["sent"] + packets["dropped"] and packets["verified"] == packets["sent"] > 0
        assert answer["round_trip_before_ns"] > 0 and answer["round_trip_after_ns"] > 0 and answer["discarded"] == 0  # whoever takes a CPU meanwhile
        answer = session.json("two-cores slice 20 limit 1 rounds 16 samples 2 io", 120)
        assert not answer["ok"] and "too far apart" in answer["error"]["message"]


def test_mempools_on_a_terminal():
    """A bar goes from nothing to nearly all, and is wiped before each cell is shown; on a pipe there is none."""
    with Session(PROGRAM, pty=True) as session:
        answer = session.cmd("bench mempool samples 3 objects 1023 driver bucket", 120)
        bars = re.findall(r"bench mempool \[(#* *)\] +(\d+) %", answer)
        assert bars[0] == (" " * 30, "0") and bars[-1][0].startswith("#" * 28) and {len(bar) for bar, _ in bars} == {30}
        assert [int(done) for _, done in bars] == sorted(int(done) for _, done in bars)


def test_mempools():
    with Session(PROGRAM) as session:
        session.ok("set output json")
        answer = session.json_ok("bench mempool samples 3 objects 1023 driver bucket")
        cells = answer["cells"]
        assert [(c["lcores"], c["get"], c["put"], c["keep"]) for c in cells] == [
            (lcores, get, put, keep) for lcores in (1, 2) for get in (15, 16) for put in (1, get) for keep in (2 * get, 4 * get)]
        assert answer["left_out"] == [4] and answer["block"] == 15
        for cell in cells:
            aligned = cell["get"] == 15
            assert ("published" in cell) == aligned and ("ratio" in cell) == aligned
            assert [r["contiguous"] for r in cell["results"]] == ([False, True] if aligned else [False]) * 2
            assert all(0 < r["p25"] <= r["rate"] <= r["p75"] for r in cell["results"])
        assert session.json("bench mempool samples 3 objects 1023 driver nobody")["ok"] is False
        session.json_ok("start")
        assert "stop forwarding" in session.json("bench mempool")["error"]["message"]
