# SPDX-License-Identifier: BSD-3-Clause
"""Commands of devices and queues that have an effect: eBPF on a queue, RSS by its table, descriptors as a card wrote them."""
import re
import struct

import pytest

from elf import DROP, elf
from modelled import Modelled, dpdk_release, needs_model_nic
from session import TO_JSON, TO_TEXT, Session, wait_until

pytestmark = pytest.mark.zcfwd

TAKE = struct.pack("<BBhi", 0xB7, 0, 0, 1) + struct.pack("<BBhi", 0x95, 0, 0, 0)  # r0 = 1; exit


def in_json(session, line):
    """The answer to one line as JSON, in a session of text."""
    session.cmd(TO_JSON)
    answer = session.json(line)
    session.cmd(TO_TEXT)
    return answer


def per_queue(session, port):
    """Packets that streams of the port received in this run, by queue."""
    counts = {}
    for stream in in_json(session, "show fwd counters")["streams"]:
        if stream["rx_port"] == port:
            counts[stream["rx_queue"]] = counts.get(stream["rx_queue"], 0) + stream["rx"]
    return counts


def received(session, port):
    return sum(per_queue(session, port).values())


@pytest.mark.parametrize("flags", ["-", "J", "M", "JM"])
def test_bpf_filter(binary, tmp_path, flags):
    """A program that returns 0 drops all that the queue receives; one that returns 1, nothing; unloaded, all is as before."""
    (tmp_path / "drop.o").write_bytes(elf(DROP))
    (tmp_path / "take.o").write_bytes(elf(TAKE))
    with Session(binary) as session:
        assert session.cmd(f"bpf-load rx 0 0 {flags} {tmp_path}/drop.o") == "0:Success\n"
        session.ok("set fwd rxonly", "start")
        wait_until(lambda: received(session, 1) > 1000, "packets of the other port")
        assert received(session, 0) == 0
        session.cmd("stop")
        assert session.cmd(f"bpf-load rx 0 0 {flags} {tmp_path}/take.o") == "0:Success\n"
        session.ok("start")
        wait_until(lambda: received(session, 0) > 1000, "packets that the program lets through")
        session.cmd("stop")
        session.ok("bpf-unload rx 0 0", "start")
        wait_until(lambda: received(session, 0) > 1000, "packets without a program")
        session.cmd("stop")


def test_bpf_ends_with_its_port(binary, tmp_path):
    """A later port of the same number has no program."""
    (tmp_path / "drop.o").write_bytes(elf(DROP))
    with Session(binary) as session:
        session.cmd(f"bpf-load rx 0 0 - {tmp_path}/drop.o")
        for line in ("port stop 0", "port close 0", "port detach 0", "port attach net_null7", "port start 0", "set portlist 0,1", "set fwd rxonly"):
            session.cmd(line)
        session.ok("start")
        wait_until(lambda: received(session, 0) > 1000, "packets without a program")
        session.cmd("stop")


@needs_model_nic
@pytest.mark.parametrize("device,entries", [("xl710", 512), ("82599", 128)])
def test_rss_table_steers(binary, tmp_path, device, entries):
    """All entries of the table lead to queue 2: all flows come there."""
    args = ["--rxq=4", "--txq=4", "--rxd=128", "--forward-mode=rxonly", "--rss-udp"]
    with Modelled(binary, f"{device},flows=64,rx=copy", tmp_path, args) as session:
        session.ok("start")
        wait_until(lambda: received(session, 0) > 10000, "packets")
        session.cmd("stop")
        assert all(count > 0 for count in per_queue(session, 0).values()), "64 flows spread over four queues"
        for start in range(0, entries, 128):
            text = ",".join(f"({i},2)" for i in range(start, min(start + 128, entries)))
            session.cmd(f"port config 0 rss reta {text}")
        session.ok("start")
        wait_until(lambda: received(session, 0) > 100000, "packets")
        session.cmd("stop")
        counts = per_queue(session, 0)
        assert counts.pop(2) > 90000
        assert all(count <= 2 * 128 for count in counts.values()), f"{counts}: more than waited there before"


@needs_model_nic
@pytest.mark.parametrize("device,words", [("xl710", 8), ("82599", 4)])
def test_read_descriptors(binary, tmp_path, device, words):
    """Sent packets are seen in the ring: a descriptor that was used is not all zero."""
    with Modelled(binary, device, tmp_path, ["--forward-mode=macswap"]) as session:
        assert len(in_json(session, "read rxd 0 0 0")["words"]) == words
        session.ok("start")
        wait_until(lambda: session.count("TX-packets") > 5000, "packets sent")
        session.cmd("stop")
        used = in_json(session, "read txd 0 0 0")["words"]
        assert len(used) == 4
        assert set(used) != {"0x00000000"}


@pytest.mark.rotates(3)
@pytest.mark.parametrize("line,release", [
    ("show port 0 speed_lanes capabilities", "24.11"), ("show port 0 queue 0 rate", "26.07"), ("port config 0 txq 0 affinity 1", "23.03"),
    ("port 0 enable rx_good_packets", "25.03"), ("dump mbuf history all", "25.11"), ("dump mbuf pool history mb_pool_0", "25.11"),
    ("dump mbuf history 0x10", "25.11")])
def test_newer_releases(binary, line, release):
    """What DPDK here lacks is refused in one line that says which release has it."""
    here = tuple(map(int, dpdk_release().split(".")[:2]))
    with Session(binary) as session:
        answer = in_json(session, line)
        if here < tuple(map(int, release.split("."))):
            assert f"needs DPDK {release}, this is DPDK " in answer["error"]["message"]
        elif "mbuf history" in line or "pool history" in line:
            assert answer.get("mbuf_history") == "" or answer["error"]["message"] == "0x10: no mbuf at this address"
        else:
            assert not answer["ok"], "no device here can any of these"


@pytest.mark.parametrize("options,scattered", [("--mp-alloc=anon", False), ("--mp-alloc=anon --no-iova-contig", True)])
def test_no_iova_contig(binary, options, scattered):
    """The pool is made with DPDK's flag: its pages may lie anywhere for devices."""
    no_iova_contig = 0x20  # RTE_MEMPOOL_F_NO_IOVA_CONTIG
    with Session(binary, args=options.split()) as session:
        flags = int(re.search(r"flags=([0-9a-f]+)", session.cmd("dump mempool mb_pool_0"))[1], 16)
        assert bool(flags & no_iova_contig) == scattered


@needs_model_nic
@pytest.mark.parametrize("options,on", [((), False), (("--enable-rss",), True), (("--enable-rss", "--disable-rss"), False)])
def test_rss_of_one_queue(binary, tmp_path, options, on):
    with Modelled(binary, "82599", tmp_path, options) as session:
        assert ("RSS functions:" in session.cmd("show port 0 rss-hash")) == on


@needs_model_nic
@pytest.mark.parametrize("options,kept", [((), 0), (("--disable-flow-flush",), 1)])
def test_flow_rules_of_a_stopped_port(binary, tmp_path, options, kept):
    """Rules go when their port stops, unless --disable-flow-flush has them stay."""
    with Modelled(binary, "82599", tmp_path, options) as session:
        session.cmd("flow create 0 ingress pattern eth type is 0x88f7 / end actions queue index 0 / end")
        assert len(in_json(session, "flow list 0")["flows"]) == 1
        session.cmd("port stop 0")
        assert len(in_json(session, "flow list 0")["flows"]) == kept


def test_isolation_before_ports_start(binary):
    """A port whose driver cannot isolate it does not start, and says why."""
    with Session(binary, args=["--flow-isolate-all"]) as session:
        assert "Failed to apply isolated mode on port 0: " in session.stderr()
        session.cmd("port start 0")
        assert session.stderr().count("Failed to apply isolated mode on port 0: ") == 2


@pytest.mark.parametrize("mode", ["event", "iterator"])
def test_port_setup_on(binary, mode):
    """A port that port attach names is made ready either way."""
    with Session(binary) as session:
        session.ok(f"set port setup on {mode}")
        assert "Port 2 is attached. Now total ports is 3\n" in session.cmd("port attach net_null7")
        session.cmd("port start 2")
        assert in_json(session, "show port info 2")["ports"][0]["link_up"]
