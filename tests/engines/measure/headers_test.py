# SPDX-License-Identifier: BSD-3-Clause
"""Headers of described traffic, byte by byte as scapy builds them: tunnels, labels, segments, ECN, RoCEv2, ARP, pauses, headers as typed."""
import pytest
from scapy.contrib.gtp import GTP_U_Header
from scapy.contrib.mac_control import MACControlClassBasedFlowControl
from scapy.contrib.mpls import MPLS
from scapy.contrib.roce import BTH
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6, IPv6ExtHdrSegmentRouting
from scapy.layers.l2 import ARP, GRE, Dot1Q, Ether
from scapy.layers.vxlan import VXLAN
from scapy.packet import Raw

from packets import read_pcap, write_pcap
from session import Session

SMAC, DMAC, PEER = "02:00:00:00:00:0a", "02:00:00:00:00:0b", "198.19.0.1"
MACS = f"smac {SMAC} dmac {DMAC}"
ETHER = Ether(src=SMAC, dst=DMAC)
OUTER = IP(src="198.18.1.1", dst="198.18.1.2", id=0, ttl=64)
OUTER6 = {"src": "2001:db8:2::1", "hlim": 64}
INNER = IP(src="198.18.0.1", dst=PEER, id=0) / UDP(sport=1024, dport=9)
INNER6 = IPv6(src="2001:db8::1", dst="2001:db8:1::1") / TCP(sport=1024, dport=9, flags="A", window=65535)
PAUSE_BYTES = 34
PATH = ["2001:db8:9::1", "2001:db8:9::2", "2001:db8:9::3"]


def outer_udp(port):
    return UDP(sport=0, dport=port, chksum=0)


# Words, and the packet without its payload. The outer source port is of the flow: taken from the packet.
HEADERS = {
    "gre": ("gre size 100", ETHER / OUTER.copy() / GRE(proto=0x800) / INNER),
    "gre, IPv6 in it": ("gre size 130 src 2001:db8::1 proto tcp", ETHER / OUTER.copy() / GRE(proto=0x86DD) / INNER6),
    "gtpu": ("gtpu 305419896 size 100-140", ETHER / OUTER.copy() / outer_udp(2152) / GTP_U_Header(teid=0x12345678, gtp_type=255) / INNER),
    "gtpu over IPv6": ("gtpu 7 size 140 outer-dst 2001:db8:2::2", ETHER / IPv6(**OUTER6, dst="2001:db8:2::2") / outer_udp(2152) / GTP_U_Header(teid=7, gtp_type=255) / INNER),
    "vxlan": ("vxlan 77 size 120", ETHER / OUTER.copy() / outer_udp(4789) / VXLAN(vni=77, flags=8) / ETHER / INNER),
    "mpls": ("mpls 16,1048575 size 90", ETHER / MPLS(label=16, s=0, ttl=64) / MPLS(label=1048575, s=1, ttl=64) / INNER),
    "mpls, vlan": ("mpls 100 vlan 5 ttl 9 src 2001:db8::1 size 130 proto tcp",
                   ETHER / Dot1Q(vlan=5, type=0x8847) / MPLS(label=100, s=1, ttl=9) / IPv6(src="2001:db8::1", dst="2001:db8:1::1", hlim=9)
                   / TCP(sport=1024, dport=9, flags="A", window=65535)),
    "srv6": (f"srv6 {','.join(PATH)} size 200",
             ETHER / IPv6(**OUTER6, dst=PATH[0], nh=43) / IPv6ExtHdrSegmentRouting(nh=4, addresses=PATH[::-1], segleft=2, lastentry=2) / INNER),
    "srv6, IPv6 in it": (f"srv6 {PATH[0]} size 200 src 2001:db8::1 proto tcp",
                         ETHER / IPv6(**OUTER6, dst=PATH[0], nh=43) / IPv6ExtHdrSegmentRouting(nh=41, addresses=PATH[:1], segleft=0, lastentry=0) / INNER6),
    "ecn": ("ecn 3 dscp 46 size 70", ETHER / IP(src="198.18.0.1", dst=PEER, id=0, tos=46 << 2 | 3) / UDP(sport=1024, dport=9)),
    "ecn, IPv6": ("ecn 2 dscp 10 size 90 src 2001:db8::1", ETHER / IPv6(src="2001:db8::1", dst="2001:db8:1::1", tc=10 << 2 | 2) / UDP(sport=1024, dport=9)),
    "arp": ("proto arp src 10.0.0.1 dst 10.0.0.9 size 60", ETHER / ARP(hwsrc=SMAC, psrc="10.0.0.1", hwdst="00:00:00:00:00:00", pdst="10.0.0.9", op=1)),
    "pfcpause": ("proto pfcpause pfc-classes 137 pfc-quanta 1000 size 64",
                 Ether(src=SMAC, dst=DMAC, type=0x8808)
                 / MACControlClassBasedFlowControl(c0_enabled=1, c3_enabled=1, c7_enabled=1, c0_pause_time=1000, c3_pause_time=1000, c7_pause_time=1000)),
}


def first_sent(binary, tmp_path, words, n=8):
    vdevs = []
    for i in (0, 1):
        write_pcap(tmp_path / f"in{i}", [])
        vdevs.append(f"net_pcap{i},rx_pcap={tmp_path}/in{i},tx_pcap={tmp_path}/out{i}")
    with Session(binary, vdevs, ["--no-flush-rx"]) as session:
        session.ok("set output json", "set fwd generate", f"set generate stream a port 1 {words}")
        session.json_ok(f"start for {n} packets")
        session.quit()
    return read_pcap(tmp_path / "out1", n)


@pytest.mark.rotates(5)
@pytest.mark.parametrize("name", HEADERS)
def test_headers(binary, tmp_path, name):
    """Every byte, with lengths and checksums of each packet's size, is what scapy makes of the description."""
    words, header = HEADERS[name]
    for data in first_sent(binary, tmp_path, f"{words} {MACS}"):
        expected = header.copy()
        payload = data[len(bytes(expected)):]
        if UDP in expected and expected[UDP].dport in (2152, 4789):
            at = bytes(expected[UDP])
            start = bytes(expected).index(at)
            expected[UDP].sport = int.from_bytes(data[start:start + 2], "big")
            assert expected[UDP].sport >= 49152
        if MACControlClassBasedFlowControl in expected:  # scapy pads it
            assert data[:PAUSE_BYTES] == bytes(expected)[:PAUSE_BYTES]
            continue
        expected = bytes(expected / Raw(payload))
        assert data == expected, (Ether(data).show(dump=True), Ether(expected).show(dump=True))


def test_rocev2(binary, tmp_path):
    """RoCEv2: UDP with a base transport header; the probe has the place of the invariant CRC, and the checksum of UDP is right."""
    for data in first_sent(binary, tmp_path, f"proto rocev2 qp 74565 ecn 2 size 100 {MACS}"):
        bth = BTH(opcode=4, pkey=0xFFFF, dqpn=74565, icrc=0)
        expected = ETHER / IP(src="198.18.0.1", dst=PEER, id=0, tos=2) / UDP(sport=1024, dport=4791)
        assert data == bytes(expected / Raw(bytes(bth)[:12] + data[54:]))


def test_raw(binary, tmp_path):
    """A header as it was typed, and nothing of the program but the payload."""
    head = bytes.fromhex("ffffffffffff02000000000188b50102030405")
    for data in first_sent(binary, tmp_path, f"raw {head.hex()} size 77"):
        assert data[:len(head)] == head and len(data) == 77


def test_pause_goes_to_its_group(binary, tmp_path):
    """Without dmac, a pause goes to the address that the standard has for it."""
    for data in first_sent(binary, tmp_path, "proto pfcpause"):
        assert data[:6] == bytes.fromhex("0180c2000001") and len(data) == 60


@pytest.mark.parametrize("words", ["gre", "gtpu 5 size 100-200", f"srv6 {PATH[0]}", "mpls 5,6", "proto rocev2", "proto arp", "proto pfcpause", "raw ffffffffffff02000000000188b5"])
def test_measured(binary, words):
    """Packets with any header come back whole and are known again."""
    with Session(binary, ["net_ring0"], ["--port-topology=loop", "--no-flush-rx"]) as session:
        session.ok("set output json", "set fwd measure", f"set generate stream a port 0 rate 20kpps {words}")
        session.json_ok("start for 500 packets")
        row, = session.json_ok("show generate streams")["streams"]
        assert (row["sent"], row["unique"], row["lost"]) == (500, 500, 0)
