# SPDX-License-Identifier: BSD-3-Clause
"""Files in, files out: the engines that compute, csum and icmpecho."""
import pytest
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Raw

from packets import A, B, IP4, IP6, PORTS, ether, sized
from pcaps import PEER, Replay

FLOWS = {
    "ipv4 udp": ether() / IP(**IP4) / UDP(**PORTS),
    "ipv4 tcp": ether() / IP(**IP4) / TCP(**PORTS),
    "ipv4 tcp options": ether() / IP(**IP4) / TCP(**PORTS, options=[("MSS", 1460), ("NOP", None)]),
    "ipv6 udp": ether() / IPv6(**IP6) / UDP(**PORTS),
    "ipv6 tcp": ether() / IPv6(**IP6) / TCP(**PORTS),
    "vlan ipv4 tcp": ether() / Dot1Q(vlan=9) / IP(**IP4) / TCP(**PORTS),
    "vlan ipv6 udp": ether() / Dot1Q(vlan=9) / IPv6(**IP6) / UDP(**PORTS),
}


def spoiled(good, layer):
    """The packet with this layer's checksum wrong."""
    frame = Ether(good)
    field = "cksum" if layer is None else "chksum"
    setattr(frame[layer], field, getattr(frame[layer], field) ^ 0x5A5A)
    return bytes(frame)


def test_csum_mends_checksums(binary, tmp_path):
    good, bad = [], []
    for header in FLOWS.values():
        for size in (90, 91, 333, 1514):
            packet = sized(header, size, size & 0xFF)
            for layer in (IP, TCP, UDP):
                if layer in header:
                    good.append(packet)
                    bad.append(spoiled(packet, layer))
    replay = Replay(binary, tmp_path, "csum", (bad, []))
    assert replay.out[0] == []
    assert len(replay.out[1]) == len(good)
    for number, (wanted, got) in enumerate(zip(good, replay.out[1])):
        frame = Ether(wanted)
        frame.src, frame.dst = replay.mac[1], PEER.format(1)
        assert got == bytes(frame), f"packet {number}: {frame.summary()}"


def test_csum_leaves_udp_without_checksum(binary, tmp_path):
    packet = ether() / IP(**IP4) / UDP(**PORTS, chksum=0) / Raw(b"x" * 40)
    replay = Replay(binary, tmp_path, "csum", ([bytes(packet)], []))
    assert Ether(replay.out[1][0])[UDP].chksum == 0


def arp_request():
    nobody = "00:00:00:00:00:00"
    return ether(dst="ff:ff:ff:ff:ff:ff") / ARP(op=1, hwsrc=A, psrc=IP4["src"], hwdst=nobody, pdst=IP4["dst"])


def arp_answer(mac):
    return ether(src=mac, dst=A) / ARP(op=2, hwsrc=mac, psrc=IP4["dst"], hwdst=A, pdst=IP4["src"])


def ping(payload, **fields):
    return ether(**fields) / IP(**IP4, ttl=9) / ICMP(type=8, id=3, seq=4) / Raw(payload)


def pong(payload):
    return ether(src=B, dst=A) / IP(src=IP4["dst"], dst=IP4["src"], ttl=9) / ICMP(type=0, id=3, seq=4) / Raw(payload)


DROPPED = {
    "an arp answer": arp_answer(B),
    "udp": FLOWS["ipv4 udp"],
    "ipv6": FLOWS["ipv6 udp"],
    "an echo answer": pong(b"y" * 20),
    "tcp": FLOWS["ipv4 tcp"],
}


@pytest.mark.parametrize("port", [0, 1])
def test_icmpecho_answers(binary, tmp_path, port):
    """Answers leave by the port that the question came in by; all else is dropped."""
    payloads = [b"", b"a", b"ab" * 50, bytes(range(256)) * 5]
    questions = [bytes(p) for p in [arp_request(), *map(ping, payloads), *DROPPED.values(), arp_request()]]
    packets = [[], []]
    packets[port] = questions
    replay = Replay(binary, tmp_path, "icmpecho", packets)
    assert replay.out[1 - port] == []
    wanted = [arp_answer(replay.mac[port]), *map(pong, payloads), arp_answer(replay.mac[port])]
    assert [Ether(p).summary() for p in replay.out[port]] == [Ether(bytes(p)).summary() for p in wanted]
    assert replay.out[port] == [bytes(p) for p in wanted]
