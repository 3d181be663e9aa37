# SPDX-License-Identifier: BSD-3-Clause
"""Headers that OTG describes, as zcfwd sends them: byte by byte those of scapy, in the order of their values, for several sizes."""
import pytest
from otg import A, B, config, counting, ethernet, flow, header, udp_packet, value, values
from otg_packets import EQUAL, OUTER
from packets import read_pcap, write_pcap
from scapy.all import IP, TCP, UDP, Ether, IPv6, Raw
from session import Session
from zcfwd import Port
from zcfwd.otg._config import config_read

pytestmark = [pytest.mark.zcfwd, pytest.mark.needs("measure")]
PORTS = [Port(0, "net_pcap0", "net_pcap", A, True, 10000), Port(1, "net_pcap1", "net_pcap", B, True, 10000)]
FCS = 4


def sent(binary, tmp_path, flows, n):
    """What port 1 sends of flows in a run of n packets."""
    vdevs = []
    for i in (0, 1):
        write_pcap(tmp_path / f"in{i}", [])
        vdevs.append(f"net_pcap{i},rx_pcap={tmp_path}/in{i},tx_pcap={tmp_path}/out{i}")
    with Session(binary, vdevs, ["--no-flush-rx"]) as session:
        session.ok("set output json", "set fwd generate", "set generate-late 1000000")
        session.ok(*(one.line("on") for one in config_read(config(*flows), PORTS).flows))
        session.json_ok(f"start for {n} packets")
        session.quit()
    return read_pcap(tmp_path / "out1", n)


def whole(packet, data, length):
    """A packet of scapy with the payload that was sent."""
    return bytes(packet / Raw(data[length:]))


def test_bytes(binary, tmp_path):
    """Every header, with lengths and checksums for two sizes."""
    sizes = {"choice": "increment", "increment": {"start": 196, "end": 201, "step": 5}}
    flows = [flow(f"f{n}", packet=packet, tx="p2", rx=("p1",), pps=1000) for n, (packet, _) in enumerate(EQUAL.values())]
    for one in flows:
        one["size"] = sizes
    found = sent(binary, tmp_path, flows, 2 * len(flows))
    for name, (_, packet) in EQUAL.items():
        length = len(bytes(packet))
        for size in (196, 201):
            of_size = [data for data in found if len(data) == size - FCS]
            assert any(data == whole(packet, data, length) for data in of_size), (name, size)


def values_of(binary, tmp_path, packet, make, *, n=24, size=200, **more):
    """Send a flow and compare all packets with make(j)."""
    found = sent(binary, tmp_path, [flow(packet=packet, tx="p2", rx=("p1",), size=size, pps=100000, **more)], n)
    for j, data in enumerate(found):
        wanted = make(j)
        assert data == whole(wanted, data, len(bytes(wanted))), (j, Ether(data).show(dump=True))


def test_patterns(binary, tmp_path):
    """Packet j has value j of each field, modulo the number of its values, with the checksums for it."""
    packet = [ethernet(src=counting(A, "00:00:00:00:01:00", 3), dst=B),
              header("ipv4", src=values("1.1.1.1", "1.1.1.9"), dst=counting("2.0.0.2", "0.1.0.0", 5, "decrement"), identification=counting(7, 3, 4),
                     priority={"choice": "dscp", "dscp": {"phb": values(46, 10, 0), "ecn": values(1, 3)}}),
              header("tcp", src_port=counting(65534, 1, 4), dst_port=value(80), seq_num=counting(0xfffffff0, 16, 6), window=values(1, 2, 3, 4))]

    def make(j):
        dst = f"2.{(0 - j % 5) % 256}.0.2" if j % 5 == 0 else f"{1}.{256 - j % 5}.0.2"
        return (Ether(src=f"00:00:01:01:{1 + j % 3:02x}:01", dst=B)
                / IP(src=("1.1.1.1", "1.1.1.9")[j % 2], dst=dst, id=7 + 3 * (j % 4), tos=(46, 10, 0)[j % 3] << 2 | (1, 3)[j % 2])
                / TCP(sport=(65534 + j % 4) % 65536, dport=80, seq=(0xfffffff0 + 16 * (j % 6)) % (1 << 32), flags=0, window=1 + j % 4))
    values_of(binary, tmp_path, packet, make, n=130)


def test_patterns_ipv6(binary, tmp_path):
    """Steps in the upper half of an IPv6 address, a flow label."""
    packet = [ethernet(), header("ipv6", src=counting("2001:db8::1", "0:0:0:1::", 3), dst="2001:db8::2", flow_label=values(0xfffff, 5)),
              header("udp", src_port=counting(0, 1, 65536), dst_port=9)]

    def make(j):
        return (Ether(src=A, dst=B) / IPv6(src=f"2001:db8:0:{j % 3}::1", dst="2001:db8::2", fl=(0xfffff, 5)[j % 2], hlim=64)
                / UDP(sport=j % 65536, dport=9))
    values_of(binary, tmp_path, packet, make, n=60)


def test_checksum_zero(binary, tmp_path):
    """Among 65536 source ports one makes the sum 0."""
    found = sent(binary, tmp_path, [flow(packet=udp_packet(src_port=counting(0, 1, 65536)), tx="p2", rx=("p1",), size=64, pps=1000000)], 65536)
    sums = [data[40:42] for data in found]
    assert sums.count(b"\xff\xff") == 1 and b"\0\0" not in sums and len(set(sums)) == 65535


@pytest.mark.parametrize("asked", [{"choice": "custom", "custom": 0x1234}, {"choice": "custom", "custom": 0}, {"choice": "generated", "generated": "bad"}])
def test_checksums(binary, tmp_path, asked):
    """A custom checksum is sent as it is, with any values beside it; a bad one is wrong, and never that which means none."""
    packet = udp_packet(src_port=values(1, 2, 3), checksum=asked)
    for data in sent(binary, tmp_path, [flow(packet=packet, tx="p2", rx=("p1",), pps=100000)], 12):
        right = whole(Ether(src=A, dst=B) / IP(src="1.1.1.1", dst="1.1.1.2", id=0) / UDP(sport=int.from_bytes(data[34:36], "big"), dport=6000), data, 42)
        assert data[:40] == right[:40] and data[42:] == right[42:]
        if asked["choice"] == "custom":
            assert data[40:42] == asked["custom"].to_bytes(2, "big")
        else:
            assert data[40:42] not in (right[40:42], b"\0\0")


def test_checksum_of_header(binary, tmp_path):
    """A wrong checksum of IPv4 within a tunnel leaves that of the outer UDP right, which includes it."""
    bad = {"choice": "generated", "generated": "bad"}
    packet = [*OUTER, header("udp", src_port=4789, dst_port=4789), header("vxlan", vni=5), ethernet(),
              header("ipv4", src="9.9.9.9", dst="8.8.8.8", header_checksum=bad), header("udp", src_port=values(5, 6))]
    for data in sent(binary, tmp_path, [flow(packet=packet, tx="p2", rx=("p1",), size=300, pps=100000)], 6):
        outer = Ether(data)
        del outer[UDP].chksum
        assert bytes(outer)[:42] == data[:42], "the outer checksums are right"
        inner = Ether(data[50:])
        del inner[IP].chksum
        assert bytes(inner)[24:26] != data[74:76] and bytes(inner)[26:] == data[76:]


SIZES = [({"choice": "increment", "increment": {"start": 100, "end": 160, "step": 20}}, [100, 120, 140, 160]),
         ({"choice": "increment", "increment": {"start": 200, "end": 203}}, [200, 201, 202, 203])]


@pytest.mark.parametrize(("size", "wanted"), SIZES)
def test_sizes_in_order(binary, tmp_path, size, wanted):
    """Packet j has size j, whatever the number of headers."""
    one = flow(packet=udp_packet(src_port=values(1, 2, 3)), tx="p2", rx=("p1",), pps=100000)
    one["size"] = size
    found = sent(binary, tmp_path, [flow("other", tx="p2", rx=("p1",), packets=3, pps=1000000), one], 63)
    mine = [data for data in found if data[34:36] != (5000).to_bytes(2, "big")]
    assert [len(data) + FCS for data in mine] == [wanted[j % 4] for j in range(60)]
    assert [int.from_bytes(data[34:36], "big") for data in mine] == [1 + j % 3 for j in range(60)]


def test_weights(binary, tmp_path):
    """Sizes as often as their weights say."""
    one = flow(tx="p2", rx=("p1",), pps=100000)
    one["size"] = {"choice": "weight_pairs", "weight_pairs": {"choice": "custom", "custom": [{"size": 100, "weight": 1}, {"size": 200, "weight": 3}]}}
    lengths = [len(data) + FCS for data in sent(binary, tmp_path, [one], 40)]
    assert (lengths.count(100), lengths.count(200)) == (10, 30)
