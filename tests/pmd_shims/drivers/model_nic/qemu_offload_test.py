# SPDX-License-Identifier: BSD-3-Clause
"""What QEMU's cards compute themselves: checksums, segments, VLAN tags, lengths, descriptors, counters, filters and RSS."""
import re

import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import Ether

from cards import Cards, addressed, counted, frames_of, qemu_release
from laws import check_law
from modelled import needs_model_nic
from session import wait_until

pytestmark = [pytest.mark.zcfwd, needs_model_nic, pytest.mark.extended]
INTEL = ("e1000e", "igb")
SUMMING = (*INTEL, "vmxnet3")
TAG = bytes.fromhex("81000123")
each_sum = pytest.mark.parametrize("card", SUMMING)


def packet(proto, payload, number=0):
    """A frame whose checksums are all wrong, and what it should be."""
    made = Ether(src="02:00:00:00:00:08", dst="02:00:00:00:00:09") / IP(src=f"10.0.0.{number + 1}", dst="10.0.1.1") / proto(sport=1000 + number, dport=9) / payload
    right = bytes(made)
    made[IP].chksum, made[proto].chksum = 0x1234, 0x5678
    return bytes(made), right


def stopped(session, *lines):
    session.ok("port stop all", *lines, "port start all")
    session.links("up")


@each_sum
@pytest.mark.parametrize("kinds", [("ip",), ("ip", "udp", "tcp")])
def test_checksums(binary, tmp_path, card, kinds):
    """Wrong sums come in, right ones go out; those that the card does not compute are computed by the engine."""
    with Cards(binary, card, tmp_path) as session:
        known = [kind for kind in kinds if card != "vmxnet3" or kind != "ip"]  # which has no offload for IPv4's
        stopped(session, *(f"csum set {kind} hw {port}" for kind in known for port in (0, 1)))
        session.ok("set fwd csum", "start")
        # Of shorter ones QEMU sums the padding, too, and changes their length.
        for number, size in enumerate((18, 19, 700, 1001, 1460)):
            for proto in (UDP, TCP):
                wrong, right = packet(proto, (bytes(range(1, 256)) * 6)[:size], number)
                session.put(0, wrong)
                got = session.take(1)
                assert got[12:] == right[12:], f"{proto.__name__} {size}: {got.hex()} for {right.hex()}"
        session.cmd("stop")
        check_law(session.streams())


@pytest.mark.parametrize("card", ["virtio-pci", "virtio-pci,packed"])
def test_checksums_refused(binary, tmp_path, card):
    """QEMU offers the offload only if the other end of the cable takes packets without a sum; the engine computes it."""
    with Cards(binary, card, tmp_path, merge=True) as session:
        session.ok("port stop all")
        assert "UDP checksum offload is sw" in session.cmd("csum set udp hw 0")
        assert "TSO is not supported by port 0" in session.cmd("tso set 500 0")
        session.ok("port start all", "set fwd csum", "start")
        session.links("up")
        wrong, right = packet(UDP, b"payload" * 20)
        session.put(0, wrong)
        assert session.take(1)[12:] == right[12:]


@pytest.mark.parametrize("card", ["igb"])
def test_segments(binary, tmp_path, card):
    """A TCP packet leaves in segments, each with its sequence number, lengths and sums."""
    payload = bytes(range(250)) * 5
    with Cards(binary, card, tmp_path, ["--tx-offloads=0x8000"]) as session:
        stopped(session, *(f"{line} {port}" for port in (0, 1) for line in ("csum set ip hw", "csum set tcp hw", "tso set 300")))
        session.ok("set fwd csum", "start")
        session.put(0, packet(TCP, payload)[0])
        got = [Ether(session.take(1)) for _ in range(5)]
        assert session.silent(1)
        assert b"".join(bytes(one[TCP].payload)[:300] for one in got)[:len(payload)] == payload
        assert [one[TCP].seq for one in got] == [at * 300 for at in range(5)]
        for one in got:
            ip, tcp = one[IP].chksum, one[TCP].chksum
            del one[IP].chksum, one[TCP].chksum
            assert (ip, tcp) == (Ether(bytes(one))[IP].chksum, Ether(bytes(one))[TCP].chksum)


@pytest.mark.parametrize("card, engine, strip", [("igb", "mac", False), ("vmxnet3", "mac", False), ("e1000e", "mac", True), ("virtio-pci", "csum", False)])
def test_vlan_insert(binary, tmp_path, card, engine, strip):
    """The card writes the tag; net_e1000_em asks for it only while it strips, and net_virtio writes it itself in engines that prepare packets."""
    frame = frames_of(1, 51)[0]
    with Cards(binary, card, tmp_path) as session:
        stopped(session, "tx_vlan set 1 291", *(["vlan set strip on 1"] if strip else []))
        session.ok(f"set fwd {engine}", "start")
        session.put(0, frame)
        got = session.take(1)
        assert got[12:16] == TAG and got[16:16 + len(frame) - 12] == frame[12:], got.hex()
        session.cmd("stop")
        stopped(session, "tx_vlan reset 1")
        session.ok("start")
        session.put(0, frame)
        assert session.take(1)[12:] == frame[12:]


def test_vlan_insert_lacks(binary, tmp_path):
    """The fault of net_e1000_em: without stripping it sends the packet without the tag that was asked for."""
    frame = frames_of(1, 52)[0]
    with Cards(binary, "e1000e", tmp_path) as session:
        stopped(session, "tx_vlan set 1 291")
        session.ok("set fwd mac", "start")
        session.put(0, frame)
        assert session.take(1) == addressed(frame, 1)


@pytest.mark.parametrize("card", ["e1000e", "igb", "vmxnet3"])
def test_descriptors(binary, tmp_path, card):
    """The driver reads from the ring how many frames wait; net_vmxnet3 does not read single descriptors."""
    frames = frames_of(8, 53)
    with Cards(binary, card, tmp_path, ["--no-flush-rx"]) as session:
        for frame in frames:
            session.put(0, frame)
        wait_until(lambda: "Used desc count = 8" in session.cmd("show port 0 rxq 0 desc used count"), "8 descriptors used")
        if card != "vmxnet3":
            assert "Desc status = DONE" in session.cmd("show port 0 rxq 0 desc 7 status")
            assert "Desc status = AVAILABLE" in session.cmd("show port 0 rxq 0 desc 8 status")
        session.ok("set fwd io", "start")
        assert [session.take(1) for _ in frames] == frames
        session.cmd("stop")
        assert "Used desc count = 0" in session.cmd("show port 0 rxq 0 desc used count")


# Bytes that a card counts beside those of each frame, received and sent: e1000e counts the CRC, of sent ones that of newer QEMUs than 7.
CRC = {"e1000e": (4, 4 if qemu_release() > 7 else 0), "igb": (0, 0), "vmxnet3": (0, 0), "virtio-pci": (0, 0)}


@pytest.mark.parametrize("card", CRC)
def test_counters(binary, tmp_path, card):
    """Packets and bytes are those of the cable; so are the extended counters by size that a driver has."""
    frames = frames_of(20, 54, 64)
    with Cards(binary, card, tmp_path) as session:
        session.ok("clear port stats all", "clear port xstats all", "set fwd io", "start")
        session.exchange(frames)
        wait_until(lambda: counted(session, 1) == (20, 20), "20 packets counted")
        said = session.cmd("show port stats 0")
        for way, crc in zip("RT", CRC[card], strict=True):
            assert int(re.search(rf"{way}X-bytes: +(\d+)", said)[1]) == sum(map(len, frames)) + crc * len(frames), said
        found = dict(re.findall(r"^(\w+): (\d+)$", session.cmd("show port xstats 0"), re.M))
        assert int(found["rx_good_packets"]) == int(found["tx_good_packets"]) == 20
        by_size = {name: int(value) for name, value in found.items() if re.fullmatch(r"rx(_q0)?_size_.*_packets", name)}
        assert card in ("e1000e", "vmxnet3") or sum(by_size.values()) == 20, by_size


@pytest.mark.parametrize("card", INTEL)
def test_mtu(binary, tmp_path, card):
    """A card drops what is longer than its MTU, and takes it once the MTU is raised; pieces of a buffer each become one packet."""
    short, long = frames_of(2, 55, 1000, 3000)
    with Cards(binary, card, tmp_path, ["--tx-offloads=0x8000", "--enable-scatter"]) as session:
        session.ok("set fwd io", "start")
        session.put(0, long)
        session.put(0, short)
        assert session.take(1) == short
        session.cmd("stop")
        stopped(session, *(f"port config mtu {port} 3000" for port in (0, 1)))
        session.ok("start")
        for frame in (short, long):
            session.put(0, frame)
            assert session.take(1) == frame


def queues_of(session, frames):
    """Forward frames from port 0; how many each of its queues received."""
    session.ok("start")
    for frame in frames:
        session.put(0, frame)
        assert session.take(1) == frame
    session.cmd("stop")
    return {stream["rx_queue"]: stream["rx"] for stream in session.streams() if stream["rx_port"] == 0}


FOUR = ["--rxq=4", "--txq=4"]
RULES = {
    "ipv4 src is 10.0.0.1 dst is 10.0.1.1 / udp src is 1000 dst is 9": packet(UDP, b"x" * 80)[1],
    "eth type is 0x88f7": bytes.fromhex("02000000000902000000000888f7") + bytes(60),
}


@pytest.mark.parametrize("pattern", RULES)
def test_rules(binary, tmp_path, pattern):
    """The driver accepts rules and writes the card's filters. QEMU 10's card does not look at them, so each packet arrives once, in any queue."""
    with Cards(binary, "igb", tmp_path, FOUR) as session:
        session.ok("set fwd io")
        assert "Flow rule #0 created" in session.cmd(f"flow create 0 ingress pattern {'' if pattern.startswith('eth') else 'eth / '}{pattern} / end actions queue index 3 / end")
        assert "QUEUE" in session.cmd("flow list 0")
        assert sum(queues_of(session, [RULES[pattern]] * 4).values()) == 4
        session.ok("flow flush 0")
        assert "QUEUE" not in session.cmd("flow list 0")


def test_reta(binary, tmp_path):
    """All entries of the table for one queue: the packets of all flows arrive there."""
    frames = frames_of(16, 56, 80, 200)
    with Cards(binary, "igb", tmp_path, FOUR) as session:
        session.ok("set fwd io")
        assert sum(n > 0 for n in queues_of(session, frames).values()) > 1
        for queue in (2, 1):
            entries = ",".join(f"({entry},{queue})" for entry in range(128))
            session.ok(f"port config 0 rss reta {entries}")
            assert queues_of(session, frames) == {number: 16 * (number == queue) for number in range(4)}
