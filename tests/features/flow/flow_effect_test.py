# SPDX-License-Identifier: BSD-3-Clause
"""Flow rules at work: the driver writes them into a modelled NIC, and packets go where they say."""
import collections
import functools
import operator
import re
import socket
import struct

import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import Dot1Q

from conftest import testpmd_path
from modelled import Modelled, needs_model_nic
from plugin import dpdk_release
from packets import ether, sized, write_pcap
from session import wait_until

pytestmark = needs_model_nic

# What is sent: a name for each kind, and how many of it.
KINDS = {
    "type": (7, sized(ether(type=0x88B5), 64, 1)),
    "syn": (5, sized(ether() / IP(src="10.0.0.1", dst="10.0.0.2") / TCP(sport=1, dport=2, flags="S"), 80, 2)),
    "acked": (6, sized(ether() / IP(src="10.0.0.1", dst="10.0.0.2") / TCP(sport=1, dport=2, flags="SA"), 80, 3)),
    "one": (11, sized(ether() / IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=100, dport=1000), 80, 4)),
    "two": (13, sized(ether() / IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=100, dport=1001), 80, 5)),
    "net": (17, sized(ether() / IP(src="10.0.7.1", dst="10.0.0.2") / UDP(sport=100, dport=1001), 80, 6)),
}
ALL = sum(n for n, _ in KINDS.values())
TYPE = "eth type is 0x88b5 / end actions queue index {} / end"
TYPE_DROPS = "eth type is 0x88b5 / end actions drop / end"
SYN = "eth / ipv4 / tcp flags spec 0x02 flags mask 0x02 / end actions queue index {} / end"
TUPLE = "eth / ipv4 src is 10.0.0.1 dst is 10.0.0.2 proto is 17 / udp src is 100 dst is {} / end actions queue index {} / end"
DIRECTED = "eth / ipv4 src is 10.0.0.1 dst is 10.0.0.2 / udp src is 100 dst is {} / end actions queue index {} / end"
NET = "eth / ipv4 src spec 10.0.7.0 src mask 255.255.255.0 / udp src is 100 / end actions queue index {} / end"
DROP_NET = "eth / ipv4 src spec 10.0.7.0 src mask 255.255.255.0 / end actions drop / end"
TCP_PAIR = "eth / ipv4 src is 10.0.0.1 dst is 10.0.0.2 / tcp src is 1 dst is 2 / end actions drop / end"
# RSS: flows of three sources, and a key that no driver has by itself.
FLOWS = [(protocol, f"198.18.{source}.1", sport) for protocol in (UDP, TCP) for source in (1, 5, 9) for sport in range(1000, 1016)]
KEY = bytes(range(3, 55))
ORDER = "1 2 3" if dpdk_release() >= "26.07" else "3 2 1"  # of queues
ANY = "end actions rss types {} end key_len 40 key {} queues {} end / end"
OF_UDP = "eth / ipv4 / udp / end actions rss types ipv4-udp {} end key_len 52 key {} queues end / end"
# Device, rules, which kinds go to which queue, how many packets are dropped.
CASES = {
    "82599, no rule": ("82599", [], {}, 0),
    "82599, EtherType, SYN, five-tuples": ("82599", [TUPLE.format(1000, 1), TUPLE.format(1001, 2), TYPE.format(3), SYN.format(2)],
                                           {1: ["one"], 2: ["two", "syn"], 3: ["type"]}, 0),
    "82599, flow director": ("82599", [NET.format(3)], {3: ["net"]}, 0),
    "82599, flow director drops": ("82599", [DROP_NET], {}, KINDS["net"][0]),
    "xl710, EtherType, flow director": ("xl710", [DIRECTED.format(1000, 1), TYPE.format(3), DIRECTED.format(1001, 2)],
                                        {1: ["one"], 2: ["two"], 3: ["type"]}, 0),
    "xl710, both drop": ("xl710", [TCP_PAIR, TYPE_DROPS], {}, sum(KINDS[kind][0] for kind in ("syn", "acked", "type"))),
}


def queues(binary, tmp_path, device, rules, after=(), packets=None, stalled_ms=0):
    """
    How many packets each queue of port 2 got, and how many its filters dropped. They come by the wire from port 1, which sends a file.
    stalled_ms: for so long the cards do not look at their Tx rings, when the rules are made.
    """
    packets = packets or [packet for n, packet in KINDS.values() for _ in range(n)]
    write_pcap(tmp_path / "in", packets)
    devices = f"{device},rx=pcap:{tmp_path}/in;{device},rx=none;{device},rx=wire:1"
    with Modelled(binary, devices, tmp_path, ["--rxq=4", "--txq=4", "--disable-rss", "--disable-link-check", "--port-topology=chained"]) as session:
        session.ok("set portlist 0,1")
        for port in range(3 if stalled_ms else 0):
            session.fault(port, f"stall tx {stalled_ms}")
        for number, rule in enumerate(rules):
            answer = session.cmd(f"flow create 2 ingress pattern {rule}")
            assert answer == f"Flow rule #{number} created\n", session.stderr()
        session.ok(*after)
        session.ok("set portlist 0,1,2", "set fwd io", "start")
        wait_until(lambda: session.report(2)["rx_packets"] + session.report(2)["rx_filtered"] == len(packets), "all packets")
        given = session.report(2)["rx_packets"]
        wait_until(lambda: session.report(0)["tx_packets"] == given, "all packets forwarded")
        text = session.cmd("stop")
        found = {int(queue): int(n) for queue, n in re.findall(r"RX Port= 2/Queue= (\d+) .*\n  RX-packets: (\d+)", text)}
        assert sum(found.values()) == given, text
        session.quit()
        return {queue: n for queue, n in found.items() if n}, session.reports()[2]["rx_filtered"]


def expected(places, dropped):
    """By queue; what no rule takes is in queue 0."""
    counts = {queue: sum(KINDS[kind][0] for kind in kinds) for queue, kinds in places.items()}
    return {**counts, 0: ALL - dropped - sum(counts.values())}, dropped


@pytest.mark.rotates(2)
@pytest.mark.parametrize("case", CASES)
def test_rules_decide(binary, tmp_path, case):
    device, rules, places, dropped = CASES[case]
    assert queues(binary, tmp_path, device, rules) == expected(places, dropped)


@pytest.mark.parametrize("device, rules", [
    ("82599", [TYPE.format(3), SYN.format(2), NET.format(1), TUPLE.format(1000, 1)]),
    ("xl710", [TYPE.format(3), TCP_PAIR, DIRECTED.format(1001, 2), DIRECTED.format(1000, 1)]),
])
def test_rules_that_went_decide_nothing(binary, tmp_path, device, rules):
    assert queues(binary, tmp_path, device, rules, ["flow destroy 2 rule 2", "flow destroy 2 rule 0", "flow flush 2"]) == expected({}, 0)


def test_rules_that_went_before_the_card_had_them(binary, tmp_path):
    """net_i40e does not wait until its card has taken a rule; a flush comes after it nevertheless."""
    assert queues(binary, tmp_path, "xl710", [DIRECTED.format(1001, 2), DIRECTED.format(1000, 1)], ["flow flush 2"], stalled_ms=2000) == expected({}, 0)


@pytest.mark.parametrize("action, places, dropped", [("drop", {}, 9), ("queue index 2", {2: 9}, 0)])
def test_a_vlan_decides(binary, tmp_path, action, places, dropped):
    """net_i40e compares the tag of packets that are not IP."""
    packets = [sized(ether() / Dot1Q(vlan=vlan, type=0x88B5), 64, vlan) for vlan in (5,) * 9 + (6,) * 4]
    assert queues(binary, tmp_path, "xl710", [f"eth / vlan tci is 5 / end actions {action} / end"], packets=packets) == ({0: 4, **places}, dropped)


@pytest.mark.skipif(testpmd_path() is None, reason="dpdk-testpmd is not installed")
@pytest.mark.parametrize("case", ["82599, EtherType, SYN, five-tuples", "xl710, EtherType, flow director"])
def test_testpmd_steers_as_well(tmp_path, case):
    device, rules, places, dropped = CASES[case]
    assert queues(testpmd_path(), tmp_path, device, rules) == expected(places, dropped)


def toeplitz(key, data):
    """As "Verifying the RSS Hash Calculation" of Microsoft has it."""
    bits = int.from_bytes(key, "big")
    places = (at for at in range(len(data) * 8) if data[at // 8] >> (7 - at % 8) & 1)
    return functools.reduce(operator.xor, (bits >> (len(key) * 8 - 32 - at) & 0xffffffff for at in places), 0)


def spread(key, chosen, table, hashed):
    """What each queue gets: chosen are the bytes that count, by their place in addresses and ports; flows of other protocols go to queue 0."""
    counts = collections.Counter()
    for protocol, source, sport in FLOWS:
        fields = socket.inet_aton(source) + socket.inet_aton("198.19.0.2") + struct.pack(">HH", sport, 80)
        counts[table[toeplitz(key, fields[chosen]) % 128 % len(table)] if protocol in hashed else 0] += 1
    return dict(counts)


@pytest.mark.rotates(2)
@pytest.mark.parametrize("device, rule, chosen, table, hashed", [
    ("xl710", OF_UDP.format("", KEY.hex()), slice(0, 12), range(4), (UDP,)),
    ("xl710", OF_UDP.format("l3-src-only", KEY.hex()), slice(0, 4), range(4), (UDP,)),
    ("xl710", OF_UDP.format("l4-src-only", KEY.hex()), slice(8, 10), range(4), (UDP,)),
    ("82599", ANY.format("ipv4", KEY[:40].hex(), "1 3"), slice(0, 8), (1, 3), (UDP, TCP)),
    # Since 26.07 drivers of Intel expect queues in ascending order.
    ("82599", ANY.format("ipv4-udp", KEY[:40].hex(), ORDER), slice(0, 12), tuple(map(int, ORDER.split())), (UDP,)),
], ids=["xl710", "xl710, sources only", "xl710, source ports only", "82599, two queues", "82599, UDP's ports"])
def test_rss(binary, tmp_path, device, rule, chosen, table, hashed):
    """A rule's key, types and queues decide as the hash by the book does; without the rule all goes to queue 0."""
    packets = [sized(ether() / IP(src=source, dst="198.19.0.2") / protocol(sport=sport, dport=80), 80, 7) for protocol, source, sport in FLOWS]
    assert queues(binary, tmp_path, device, [rule], packets=packets) == (spread(KEY, chosen, table, hashed), 0)
    assert queues(binary, tmp_path, device, [rule], ["flow destroy 2 rule 0"], packets) == ({0: len(packets)}, 0)
