# SPDX-License-Identifier: BSD-3-Clause
"""What a modelled XL710 does with a packet because its driver has asked for it: filters by MAC address and VLAN, hash functions, stripped tags."""
import re

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Dot1AD, Dot1Q, Ether
from scapy.utils import RawPcapReader

from modelled import RETRY, STOPPED, Modelled, needs_model_nic
from packets import IP4, PORTS, sized, write_pcap
from session import wait_until
from stats import port_stats

pytestmark = needs_model_nic

OWN, OTHER, MORE, GROUP, ALL = "02:4d:4e:00:00:00", "02:aa:00:00:00:01", "02:aa:00:00:00:02", "01:00:5e:00:00:05", "ff:ff:ff:ff:ff:ff"
TAGS = (None, 5, 6)
FRAMES = {(to, tag): sized(Ether(src="02:bb:00:00:00:01", dst=to) / (Dot1Q(vlan=tag) / IP(**IP4) if tag else IP(**IP4)) / UDP(**PORTS), 80, number)
          for number, (to, tag) in enumerate((to, tag) for to in (OWN, OTHER, MORE, GROUP, ALL) for tag in TAGS)}
QUIET = ("set promisc 0 off", "set allmulti 0 off")
VLAN_5 = ("vlan set filter on 0", "rx_vlan add 5 0")


def through(binary, tmp_path, packets, commands, args=()):
    """Packets into port 0, what leaves port 1, and what the first one's filters dropped. The commands come once the ports run."""
    write_pcap(tmp_path / "in", packets)
    with Modelled(binary, f"xl710,rx=pcap:{tmp_path}/in,filter;xl710,rx=none,tx=pcap:{tmp_path}/out", tmp_path, [STOPPED, *args]) as session:
        session.ask("/model_nic/pause,0,1")
        session.ok("port start all", *commands, *RETRY, "start")
        session.ask("/model_nic/pause,0,0")
        wait_until(lambda: sum(session.report(0)[name] for name in ("rx_packets", "rx_filtered")) == len(packets), "all packets")
        wait_until(lambda: session.report(1)["tx_packets"] == session.report(0)["rx_packets"], "all packets forwarded")
        dropped = session.report(0)["rx_filtered"]
        session.quit()
        assert session.rc == 0
    return [data for data, _ in RawPcapReader(str(tmp_path / "out"))], dropped


@pytest.mark.parametrize("commands, passes", [
    ((), lambda to, tag: True),
    (QUIET, lambda to, tag: to in (OWN, ALL)),
    (QUIET[:1], lambda to, tag: to in (OWN, ALL)),
    ((*QUIET, "set allmulti 0 on"), lambda to, tag: to in (OWN, ALL, GROUP)),
    ((*QUIET, f"mac_addr add 0 {OTHER}", f"mac_addr add 0 {MORE}"), lambda to, tag: to != GROUP),
    ((*QUIET, f"mac_addr add 0 {OTHER}", f"mac_addr add 0 {MORE}", f"mac_addr remove 0 {OTHER}"), lambda to, tag: to in (OWN, MORE, ALL)),
    ((*QUIET, f"mac_addr set 0 {OTHER}"), lambda to, tag: to in (OTHER, ALL)),
    ((*QUIET, *VLAN_5), lambda to, tag: to == ALL or (to == OWN and tag != 6)),
    ((*QUIET, *VLAN_5, "rx_vlan add 6 0", "rx_vlan rm 5 0"), lambda to, tag: to == ALL or (to == OWN and tag != 5)),
    ((*QUIET, *VLAN_5, f"mac_addr add 0 {OTHER}"), lambda to, tag: to == ALL or (to in (OWN, OTHER) and tag != 6)),
    ((*QUIET, *VLAN_5, "vlan set filter off 0"), lambda to, tag: to in (OWN, ALL)),
    ((*QUIET, *VLAN_5, "set promisc 0 on"), lambda to, tag: True),
    ((*QUIET, "port stop 0", "port start 0"), lambda to, tag: to in (OWN, ALL)),
], ids=lambda value: " ".join(value[2:]) or "-".join(value).replace(" ", "_") if isinstance(value, tuple) else "")
def test_mac_and_vlan(binary, tmp_path, commands, passes):
    """Each frame passes or is dropped and counted, as the driver was told."""
    out, dropped = through(binary, tmp_path, list(FRAMES.values()), commands)
    wanted = [data for (to, tag), data in FRAMES.items() if passes(to, tag)]
    assert [key for key, data in FRAMES.items() if data in out] == [key for key, data in FRAMES.items() if data in wanted]
    assert out == wanted and dropped == len(FRAMES) - len(wanted)


@pytest.mark.parametrize("device", ["xl710", "82599"])
def test_file_without_filters(binary, device, tmp_path):
    """Without the word all packets of a file arrive, from before the program has enabled promiscuous mode and with it off."""
    write_pcap(tmp_path / "in", list(FRAMES.values()))
    with Modelled(binary, f"{device},rx=pcap:{tmp_path}/in;{device},rx=none", tmp_path, [STOPPED]) as session:
        session.ok("set promisc all off", "port start all", "set promisc all off", "set fwd rxonly", "start")
        wait_until(lambda: session.report(0)["rx_packets"] == len(FRAMES), "all packets")
        assert session.report(0)["rx_filtered"] == 0
        session.quit()


def test_filters_of_a_wire(binary, tmp_path):
    """What another port sends passes the filters, too."""
    write_pcap(tmp_path / "in", list(FRAMES.values()))
    with Modelled(binary, f"xl710,mac={OWN},rx=wire:1;xl710,mac=02:4d:4e:00:00:07,rx=none;xl710,mac=02:4d:4e:00:00:08,rx=pcap:{tmp_path}/in", tmp_path,
                  [STOPPED, "--portlist=1,2"]) as session:
        session.ok("port start all", *QUIET, *RETRY, "start")
        wait_until(lambda: session.report(1)["tx_packets"] == len(FRAMES), "all packets sent")
        wait_until(lambda: sum(session.report(0)[name] for name in ("rx_packets", "rx_filtered")) == len(FRAMES), "all packets")
        assert session.report(0)["rx_packets"] == sum(to in (OWN, ALL) for to, _ in FRAMES)
        session.quit()


@pytest.mark.extended
def test_many_filters(binary, tmp_path):
    """Dozens of VLANs with several addresses: a filter for each pair."""
    vlans, macs = range(1, 60), [f"02:cc:00:00:00:{i:02x}" for i in range(8)]
    frames = {(mac, vlan): sized(Ether(dst=mac) / Dot1Q(vlan=vlan) / IP(**IP4) / UDP(**PORTS), 80, vlan) for mac in macs for vlan in (1, 30, 59, 60)}
    out, dropped = through(binary, tmp_path, list(frames.values()),
                           [*QUIET, "vlan set filter on 0", *(f"mac_addr add 0 {mac}" for mac in macs), *(f"rx_vlan add {vlan} 0" for vlan in vlans)])
    assert out == [data for (_, vlan), data in frames.items() if vlan != 60] and dropped == len(macs)


def flows():
    """UDP flows and their answers, one after the other."""
    number = 0
    for i in range(40):
        a, b, sport, dport = f"192.0.2.{i + 1}", f"198.51.100.{200 - 7 * i % 150}", 1000 + 17 * i % 400, 1100 + 29 * i % 300
        for src, dst, one, two in ((a, b, sport, dport), (b, a, dport, sport)):
            yield sized(Ether(src=f"02:00:00:00:00:{number:02x}", dst=OWN) / IP(src=src, dst=dst) / UDP(sport=one, dport=two), 80, i)
            number += 1


def dumped(session, packets):
    """The program's lines about so many packets, which a worker prints."""
    session.ok("set verbose 1", "set fwd rxonly")
    session.send("start\n")
    session.ask("/model_nic/pause,0,0")
    for _ in range(packets):
        session.expect(r"ol_flags: [^\n]*\n")
    session.send("stop\nquit\n")
    session.finish()
    return [line for line in session.transcript().splitlines() if "nb_segs" in line]


def hashes(binary, tmp_path, function):
    """The hash and the queue of each packet of flows(), as the verbose lines have them."""
    packets = list(flows())
    write_pcap(tmp_path / "in", packets)
    rule = f"flow create 0 ingress pattern eth / ipv4 / udp / end actions rss types ipv4-udp end queues end func {function} / end"
    with Modelled(binary, f"xl710,rx=pcap:{tmp_path}/in,filter;xl710,rx=none", tmp_path, [STOPPED, "--rxq=4", "--txq=4", "--rss-udp"]) as session:
        session.ask("/model_nic/pause,0,1")
        session.ok("port start all", "set promisc 0 off")
        assert "created" in session.cmd(rule)
        lines = dumped(session, len(packets))
    # Queues are polled one after the other; a packet's address says which one it is.
    found = {}
    for line in lines:
        value, queue = re.search(r"RSS hash=0x([0-9a-f]+) - RSS queue=0x([0-9a-f]+)", line).groups()
        found[re.search(r"src=(\S+)", line)[1].lower()] = int(value, 16), int(queue, 16)
    return [found[Ether(packet).src] for packet in packets]


def words_xor(packet):
    """The exclusive or of addresses and ports, in words of 4 bytes."""
    data = packet[26:38]
    return int.from_bytes(data[:4], "big") ^ int.from_bytes(data[4:8], "big") ^ int.from_bytes(data[8:], "big")


STRIP = ("vlan set strip on 0", "vlan set qinq_strip on 0")
PLAIN = sized(Ether(dst=OWN) / IP(**IP4) / UDP(**PORTS), 80, 1)


def tagged(*tags):
    """The plain frame with these tags after its addresses: EtherType and ID."""
    return PLAIN[:12] + b"".join(kind.to_bytes(2, "big") + vlan.to_bytes(2, "big") for kind, vlan in tags) + PLAIN[12:]


Q, S = 0x8100, 0x88A8
ARRIVING = [(), ((Q, 3),), ((Q, 3), (Q, 4)), ((S, 5),), ((S, 5), (Q, 4)), ((S, 5), (S, 6)), ((S, 5), (Q, 4), (Q, 7))]


@pytest.mark.parametrize("commands, left", [
    ((), ARRIVING),
    (STRIP[:1], [(), (), ((Q, 4),), ((S, 5),), ((S, 5), (Q, 4)), ((S, 5), (S, 6)), ((S, 5), (Q, 4), (Q, 7))]),
    (STRIP, [(), (), ((Q, 4),), (), (), ((S, 6),), ((Q, 7),)]),
    ((*STRIP, "vlan set qinq_strip off 0"), [(), (), ((Q, 4),), ((S, 5),), ((S, 5), (Q, 4)), ((S, 5), (S, 6)), ((S, 5), (Q, 4), (Q, 7))]),
    (("vlan set extend on 0", *STRIP), [(), (), (), ((S, 5),), ((S, 5), (Q, 4)), ((S, 5), (S, 6)), ((S, 5), (Q, 4), (Q, 7))]),
    (("vlan set extend on 0", "vlan set outer tpid 0x88a8 0", *STRIP), [(), (), ((Q, 4),), (), (), ((S, 6),), ((Q, 7),)]),
], ids=["none", "strip", "qinq", "off", "extend", "extend-88a8"])
def test_stripped_tags(binary, tmp_path, commands, left):
    """Tags that stay in a packet, for each kind of tags."""
    out, _ = through(binary, tmp_path, [tagged(*tags) for tags in ARRIVING], commands)
    assert [packet[:-64].hex() for packet in out] == [tagged(*tags)[:-64].hex() for tags in left]


def test_stripped_tags_counted(binary, tmp_path):
    """The driver's bytes are those of the wire."""
    write_pcap(tmp_path / "in", [tagged((S, 5), (Q, 4)), tagged((S, 6)), tagged((Q, 7)), PLAIN])
    with Modelled(binary, f"xl710,rx=pcap:{tmp_path}/in,filter;xl710,rx=none", tmp_path, [STOPPED]) as session:
        session.ask("/model_nic/pause,0,1")
        session.ok("port start all", *STRIP, "set fwd rxonly", "start")
        session.ask("/model_nic/pause,0,0")
        wait_until(lambda: session.report(0)["rx_packets"] == 4, "all packets")
        assert port_stats(session, 0)["RX-bytes"] == 4 * len(PLAIN) + 4 * (2 + 1 + 1)
        session.quit()


def test_stripped_tags_known(binary, tmp_path):
    """Both tags are in the mbuf, the outer one as such; a packet in a descriptor that had two before has its own. Only a port that was set up
    with extend reads both: other functions of the driver do not look at the second one."""
    packets = [*[tagged((S, 5), (Q, 4))] * 140, *[tagged((S, 6)), tagged((Q, 7)), PLAIN] * 10]
    write_pcap(tmp_path / "in", packets)
    with Modelled(binary, f"xl710,rx=pcap:{tmp_path}/in,filter;xl710,rx=none", tmp_path, [STOPPED, "--enable-hw-vlan-extend", "--rxd=128"]) as session:
        session.ask("/model_nic/pause,0,1")
        session.ok("port start all", "vlan set outer tpid 0x88a8 0", *STRIP)
        lines = dumped(session, len(packets))
    assert session.reports()[0]["rx_bytes"] == len(packets) * len(PLAIN)
    found = [re.findall(r"QinQ VLAN tci=0x\w+, VLAN tci outer=0x\w+|VLAN tci=0x\w+", line) for line in lines]
    assert found == [["QinQ VLAN tci=0x4, VLAN tci outer=0x5"]] * 140 + [["VLAN tci=0x6"], ["VLAN tci=0x7"], []] * 10


def test_symmetric_hash(binary, tmp_path):
    """Both directions of a flow have one hash and one queue; flows differ."""
    found = hashes(binary, tmp_path, "symmetric_toeplitz")
    assert len(found) == 80 and found[::2] == found[1::2]
    assert len({value for value, _ in found}) == 40 and len({queue for _, queue in found}) == 4


def test_simple_xor(binary, tmp_path):
    found = hashes(binary, tmp_path, "simple_xor")
    assert [value for value, _ in found] == [words_xor(packet) for packet in flows()]


@pytest.mark.extended
def test_toeplitz(binary, tmp_path):
    """The directions of a flow differ."""
    found = hashes(binary, tmp_path, "toeplitz")
    assert len(found) == 80 and len({value for value, _ in found}) == 80
