# SPDX-License-Identifier: BSD-3-Clause
"""Packets that tests send through pcap files, and the files themselves."""
import struct

from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6EchoRequest, IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Raw

A, B = "02:aa:00:00:00:01", "02:bb:00:00:00:02"
IP4 = {"src": "192.0.2.1", "dst": "198.51.100.7"}
IP6 = {"src": "2001:db8::1", "dst": "2001:db8:1::7"}
PORTS = {"sport": 1234, "dport": 80}
SIZES = (60, 61, 64, 65, 127, 128, 129, 256, 511, 512, 577, 1024, 1279, 1500, 1513, 1514)


def ether(**fields):
    return Ether(**{"src": A, "dst": B, **fields})


HEADERS = {
    "ipv4 udp": ether() / IP(**IP4) / UDP(**PORTS),
    "ipv4 tcp": ether() / IP(**IP4) / TCP(**PORTS, seq=7, ack=9, flags="PA"),
    "ipv4 icmp": ether() / IP(**IP4) / ICMP(id=3, seq=4),
    "ipv4 options": ether() / IP(**IP4, options=[b"\x94\x04\x00\x00"]) / UDP(**PORTS),
    "ipv4 of unknown kind": ether() / IP(**IP4, proto=253),
    "ipv6 udp": ether() / IPv6(**IP6) / UDP(**PORTS),
    "ipv6 tcp": ether() / IPv6(**IP6) / TCP(**PORTS, flags="S"),
    "ipv6 icmp": ether() / IPv6(**IP6) / ICMPv6EchoRequest(id=3, seq=4),
    "vlan ipv4 udp": ether() / Dot1Q(vlan=5, prio=3) / IP(**IP4) / UDP(**PORTS),
    "vlan ipv6 tcp": ether() / Dot1Q(vlan=6) / IPv6(**IP6) / TCP(**PORTS),
    "arp": ether() / ARP(op=2, hwsrc=A, psrc=IP4["src"], hwdst=B, pdst=IP4["dst"]),
    "multicast": ether(dst="01:00:5e:00:00:fb") / IP(src=IP4["src"], dst="224.0.0.251") / UDP(sport=5353, dport=5353),
    "no ip": ether(type=0x88B5),
}


def sized(header, size, fill):
    """The header grown to a frame of that size, with lengths and checksums right."""
    room = size - len(header)
    payload = bytes((fill + i) & 0xFF for i in range(room))
    return bytes(header / Raw(payload)) if room > 0 else bytes(header)[:size]


def diverse():
    """Each kind in each size: a few hundred packets, all different."""
    return [sized(header, size, number) for number, size in enumerate(SIZES)
            for header in HEADERS.values() if len(header) <= size]


def write_pcap(path, packets):
    """By hand, like read_pcap(): scapy would parse each packet once more."""
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for number, data in enumerate(packets):
            f.write(struct.pack("<IIII", number, 0, len(data), len(data)) + data)


def read_pcap(path, most=None, cut=False):
    """The packets, or the first of them. cut: the file may have less of one than was sent."""
    with open(path, "rb") as f:
        data = f.read(24 + most * 2048) if most else f.read()
    offset, packets = 24, []
    while offset < len(data) and len(packets) != most:
        caplen, length = struct.unpack_from("<II", data, offset + 8)
        assert cut or caplen == length, f"{path}: packet {len(packets)} is cut"
        packets.append(data[offset + 16:offset + 16 + caplen])
        offset += 16 + caplen
    return packets
