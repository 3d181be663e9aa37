# SPDX-License-Identifier: BSD-3-Clause
"""What a guest leaves to its device and a port has not: TCP on IPv6 is cut into segments, UDP into fragments, in software."""
import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from packets import read_pcap, write_pcap
from session import Session, wait_until
from stats import port_stats
from vhost_guest import CSUM, HOST_TSO4, HOST_TSO6, HOST_UFO, VhostGuest
from vhost_peer import QUIET, engines

FEATURES = VhostGuest.FEATURES | CSUM | HOST_TSO4 | HOST_TSO6 | HOST_UFO
NEEDS_CSUM, GSO_UDP, GSO_TCP6 = 1, 3, 4  # of virtio_net_hdr: flags, gso_type
SIZE = 1400  # bytes of payload, of IP's in a fragment
WIRE = 1514
GUEST, FILE = range(2)


def payload(length):
    return bytes((i * 7 + (i >> 8)) & 0xff for i in range(length))


def summed(packet):
    """The same packet with all checksums made anew."""
    packet = Ether(bytes(packet))
    for layer in (IP, TCP, UDP):
        if layer in packet:
            del packet[layer].chksum
    return bytes(packet)


@pytest.fixture(params=["none", "adaptive"])
def sent(request, binary, tmp_path):
    """A function: a guest sends a packet with this header, then plain ones; what comes out of a file's port, and the engine's counters."""
    write_pcap(tmp_path / "none", [])
    devices, dmas = engines(request.param)
    with Session(binary, [*devices, f"net_async_vhost0,iface={tmp_path}/s,tso=1,ufo=1{dmas}",
                          f"net_pcap0,rx_pcap={tmp_path}/none,tx_pcap={tmp_path}/out"], ["--no-flush-rx"], eal=QUIET) as session:
        session.ok("set fwd vhost", "start")

        def send(packet, out, *plain, **header):
            with VhostGuest(tmp_path / "s", features=FEATURES) as guest:
                guest.connect()
                assert guest.features & (HOST_UFO | HOST_TSO6) == HOST_UFO | HOST_TSO6
                guest.transmit(bytes(packet), **header)
                for frame in plain:
                    guest.transmit(frame, 100)
                wait_until(lambda: port_stats(session, FILE)["TX-packets"] >= out, f"{out} packets out", 30)
            session.ok("stop", "port stop all")
            session.cmd("set output json")
            counters = session.json_ok("show fwd stats all")["streams"][0]
            return read_pcap(tmp_path / "out"), counters | counters.get("counters", {})
        yield send


@pytest.mark.parametrize("length", [SIZE * 14 + 1, SIZE * 3])
def test_tcp_on_ipv6(sent, length):
    """Sequence numbers go on; FIN and PSH are the last segment's, CWR the first one's; every checksum is right."""
    data, first = payload(length), 0xffffff00  # sequence numbers wrap
    head = Ether(src="02:aa:00:00:00:01", dst="02:bb:00:00:00:02") / IPv6(src="2001:db8::1", dst="2001:db8::2") / \
        TCP(sport=1234, dport=80, seq=first, ack=9, flags="FPAC", chksum=0x1234)
    n = -(-length // SIZE)
    frames, counters = sent(head / Raw(data), n, flags=NEEDS_CSUM, gso_type=GSO_TCP6, header_length=74, gso_size=SIZE, csum_start=54, csum_offset=16)
    assert (counters["cut"], counters["cut_failed"]) == (1, 0)
    got = b""
    for number, frame in enumerate(frames):
        packet = Ether(frame)
        assert summed(packet) == frame and len(frame) <= WIRE
        assert packet[TCP].seq == (first + len(got)) & 0xffffffff
        assert packet[TCP].flags == "A" + ("FP" if number == n - 1 else "") + ("C" if number == 0 else "")
        got += bytes(packet[TCP].payload)[:packet[IPv6].plen - 20]
    assert got == data


@pytest.mark.parametrize("length", [20001, SIZE * 3 - 8])
def test_udp_on_ipv4(sent, length):
    """A datagram becomes fragments that make it again, with the checksum of all of it."""
    whole = Ether(src="02:aa:00:00:00:01", dst="02:bb:00:00:00:02") / IP(src="192.0.2.1", dst="198.51.100.7", id=77) / \
        UDP(sport=5, dport=9) / Raw(payload(length))
    right = Ether(bytes(whole))
    whole[UDP].chksum = 0x1234
    n = -(-(length + 8) // SIZE)
    frames, counters = sent(whole, n, flags=NEEDS_CSUM, gso_type=GSO_UDP, header_length=42, gso_size=SIZE, csum_start=34, csum_offset=6)
    assert (counters["cut"], counters["cut_failed"]) == (1, 0)
    datagram, at = b"", 0
    for number, frame in enumerate(frames):
        ip = Ether(frame)[IP]
        rest = bytes(ip.payload)[:ip.len - 20]
        assert len(frame) <= WIRE and (ip.id, ip.frag * 8, ip.flags == "MF") == (77, at, number < n - 1)
        without = ip.copy()
        del without.chksum
        assert IP(bytes(without)).chksum == ip.chksum
        datagram, at = datagram + rest, at + len(rest)
    assert datagram == bytes(right[IP].payload)


def test_fragments_of_the_guest(sent):
    """What a guest has cut by itself stays as it is, checksum and all."""
    fragment = Ether(src="02:aa:00:00:00:01", dst="02:bb:00:00:00:02") / IP(src="192.0.2.1", dst="198.51.100.7", id=7, flags="MF") / \
        UDP(sport=5, dport=9, len=3008, chksum=0x1234) / Raw(payload(1000))
    frames, counters = sent(fragment, 1)
    assert frames == [bytes(fragment)] and counters["cut"] == 0


def test_udp_on_ipv6(sent):
    """Nobody can cut that: it is counted, and the next packet goes out."""
    whole = Ether(src="02:aa:00:00:00:01", dst="02:bb:00:00:00:02") / IPv6(src="2001:db8::1", dst="2001:db8::2") / UDP(sport=5, dport=9) / \
        Raw(payload(9000))
    plain = bytes(Ether(src="02:aa:00:00:00:01", dst="02:bb:00:00:00:02") / IP(src="192.0.2.1", dst="198.51.100.7") / UDP(sport=5, dport=9) / Raw(payload(50)))
    frames, counters = sent(whole, 1, plain, flags=NEEDS_CSUM, gso_type=GSO_UDP, header_length=62, gso_size=SIZE, csum_start=54, csum_offset=6)
    assert frames == [plain] and (counters["cut"], counters["cut_failed"]) == (0, 1)
