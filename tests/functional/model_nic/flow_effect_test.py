# SPDX-License-Identifier: BSD-3-Clause
"""Flow rules at work: the driver writes them into a modelled NIC, and packets go where they say."""
import re

import pytest
from scapy.layers.inet import IP, TCP, UDP

from conftest import testpmd_path
from modelled import Modelled, needs_model_nic
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


def queues(binary, tmp_path, device, rules, after=()):
    """How many packets each queue of port 2 got, and how many its filters dropped. They come by the wire from port 1, which sends a file."""
    write_pcap(tmp_path / "in", [packet for n, packet in KINDS.values() for _ in range(n)])
    devices = f"{device},rx=pcap:{tmp_path}/in;{device},rx=none;{device},rx=wire:1"
    with Modelled(binary, devices, tmp_path, ["--rxq=4", "--txq=4", "--disable-rss", "--disable-link-check", "--port-topology=chained"]) as session:
        session.ok("set portlist 0,1")
        for number, rule in enumerate(rules):
            answer = session.cmd(f"flow create 2 ingress pattern {rule}")
            assert answer == f"Flow rule #{number} created\n", session.stderr()
        session.ok(*after)
        session.ok("set portlist 0,1,2", "set fwd io", "start")
        wait_until(lambda: session.report(2)["rx_packets"] + session.report(2)["rx_filtered"] == ALL, "all packets")
        given = session.report(2)["rx_packets"]
        wait_until(lambda: session.report(0)["tx_packets"] == given, "all packets forwarded")
        text = session.cmd("stop")
        found = {int(queue): int(n) for queue, n in re.findall(r"RX Port= 2/Queue= (\d+) .*\n  RX-packets: (\d+)", text)}
        if "RX Port= 2/Queue" not in text:  # one queue alone had packets
            found = {0: given}
        session.quit()
        return {queue: n for queue, n in found.items() if n}, session.reports()[2]["rx_filtered"]


def expected(places, dropped):
    """By queue; what no rule takes is in queue 0."""
    counts = {queue: sum(KINDS[kind][0] for kind in kinds) for queue, kinds in places.items()}
    return {**counts, 0: ALL - dropped - sum(counts.values())}, dropped


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


@pytest.mark.skipif(testpmd_path() is None, reason="dpdk-testpmd is not installed")
@pytest.mark.parametrize("case", ["82599, EtherType, SYN, five-tuples", "xl710, EtherType, flow director"])
def test_testpmd_steers_as_well(tmp_path, case):
    device, rules, places, dropped = CASES[case]
    assert queues(testpmd_path(), tmp_path, device, rules) == expected(places, dropped)
