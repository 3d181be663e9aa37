# SPDX-License-Identifier: BSD-3-Clause
"""zcfwd-otg without a program: the bytes of headers, the streams of flows, what is refused and how, and the tables of its page."""
import copy
import re

import pytest
from conftest import ROOT
from otg import A, B, config, counting, ethernet, flow, header, udp_packet, value, values
from scapy.all import ARP, GRE, ICMP, IP, TCP, UDP, VXLAN, Dot1Q, Ether, ICMPv6EchoRequest, IPv6, Raw
from scapy.contrib.gtp import GTP_U_Header
from scapy.contrib.mpls import MPLS
from zcfwd import Port
from zcfwd.otg._config import ABSENT, config_read
from zcfwd.otg._flows import FCS_BYTES, GOLDEN, IMIX, RATES
from zcfwd.otg._headers import HEADERS, headers_read, ones_sum, packet_head
from zcfwd.otg._server import ROUTES
from zcfwd.otg._values import Reader, Refused

pytestmark = pytest.mark.zcfwd
PORTS = [Port(0, "net_ring0", "net_ring", A, True, 10000), Port(1, "net_ring1", "net_ring", B, True, 10000)]
C, D = "02:00:00:00:00:03", "02:00:00:00:00:04"


def read(*flows, **more):
    return config_read(config(*flows, **more), PORTS)


def errors(body):
    with pytest.raises(Refused) as refused:
        config_read(body, PORTS)
    return refused.value.errors


def head(packet, number=0, size=196, inner_crc=False):
    return packet_head(headers_read(Reader(packet, "packet"), []), number, size, inner_crc)


# Packets of OTG, and what scapy makes of the same values. Behind them are zeros, whose sum is that of the probe.
OUTER = [ethernet(), header("ipv4", src="1.1.1.1", dst="1.1.1.2")]
EQUAL = {
    "udp": (udp_packet(), Ether(src=A, dst=B) / IP(src="1.1.1.1", dst="1.1.1.2", id=0) / UDP(sport=5000, dport=6000)),
    "udp bad": (udp_packet(checksum={"choice": "custom", "custom": 0x1234}),
                Ether(src=A, dst=B) / IP(src="1.1.1.1", dst="1.1.1.2", id=0) / UDP(sport=5000, dport=6000, chksum=0x1234)),
    "vlan tcp": ([ethernet(), header("vlan", id=100, priority=5, cfi=1), header("vlan", id=7),
                  header("ipv4", src="10.0.0.1", dst="10.0.0.2", identification=77, dont_fragment=1, time_to_live=9,
                         priority={"choice": "dscp", "dscp": {"phb": value(46), "ecn": value(3)}}),
                  header("tcp", src_port=1, dst_port=2, seq_num=0xdeadbeef, ack_num=5, ctl_syn=1, ctl_ack=1, ecn_echo=1, window=512)],
                 Ether(src=A, dst=B) / Dot1Q(vlan=100, prio=5, id=1) / Dot1Q(vlan=7)
                 / IP(src="10.0.0.1", dst="10.0.0.2", id=77, flags="DF", ttl=9, tos=46 << 2 | 3)
                 / TCP(sport=1, dport=2, seq=0xdeadbeef, ack=5, flags="SAE", window=512)),
    "ipv6 udp": ([ethernet(), header("ipv6", src="2000::1", dst="2000::2", traffic_class=3, flow_label=0xabcde, hop_limit=7),
                  header("udp", src_port=1, dst_port=2)],
                 Ether(src=A, dst=B) / IPv6(src="2000::1", dst="2000::2", tc=3, fl=0xabcde, hlim=7) / UDP(sport=1, dport=2)),
    "icmp": ([*OUTER, {"choice": "icmp", "icmp": {"choice": "echo", "echo": {"identifier": value(9), "sequence_number": value(4)}}}],
             Ether(src=A, dst=B) / IP(src="1.1.1.1", dst="1.1.1.2", id=0) / ICMP(id=9, seq=4)),
    "icmpv6": ([ethernet(), header("ipv6", src="2000::1", dst="2000::2"), {"choice": "icmpv6", "icmpv6": {"echo": {"identifier": value(9)}}}],
               Ether(src=A, dst=B) / IPv6(src="2000::1", dst="2000::2") / ICMPv6EchoRequest(id=9)),
    "arp": ([ethernet(dst="ff:ff:ff:ff:ff:ff"),
             header("arp", operation=2, sender_hardware_addr=A, sender_protocol_addr="1.1.1.1", target_protocol_addr="1.1.1.2")],
            Ether(src=A, dst="ff:ff:ff:ff:ff:ff") / ARP(op=2, hwsrc=A, psrc="1.1.1.1", hwdst="00:00:00:00:00:00", pdst="1.1.1.2")),
    "vxlan": ([*OUTER, header("udp", src_port=4789, dst_port=4789), header("vxlan", vni=1000), header("ethernet", src=C, dst=D),
               header("ipv6", src="::3", dst="::5"), header("tcp", src_port=80, dst_port=80)],
              Ether(src=A, dst=B) / IP(src="1.1.1.1", dst="1.1.1.2", id=0) / UDP(sport=4789, dport=4789) / VXLAN(vni=1000, flags=8) / Ether(src=C, dst=D)
              / IPv6(src="::3", dst="::5", hlim=64) / TCP(sport=80, dport=80, flags=0, window=0)),
    "gre": ([*OUTER, header("gre"), header("ipv4", src="9.9.9.9", dst="8.8.8.8"), header("udp")],
            Ether(src=A, dst=B) / IP(src="1.1.1.1", dst="1.1.1.2", id=0) / GRE() / IP(src="9.9.9.9", dst="8.8.8.8", id=0) / UDP(sport=0, dport=0)),
    "gtpv1": ([*OUTER, header("udp", src_port=1, dst_port=2152), header("gtpv1", teid=77, message_type=255), header("ipv4"), header("udp")],
              Ether(src=A, dst=B) / IP(src="1.1.1.1", dst="1.1.1.2", id=0) / UDP(sport=1, dport=2152) / GTP_U_Header(teid=77, gtp_type=255)
              / IP(src="0.0.0.0", dst="0.0.0.0", id=0) / UDP(sport=0, dport=0)),
    "mpls": ([ethernet(), header("mpls", label=5, traffic_class=1), header("mpls", label=6, time_to_live=3), *OUTER[1:], header("udp")],
             Ether(src=A, dst=B) / MPLS(label=5, cos=1, s=0, ttl=64) / MPLS(label=6, cos=0, s=1, ttl=3) / IP(src="1.1.1.1", dst="1.1.1.2", id=0)
             / UDP(sport=0, dport=0)),
    "pfcpause": ([header("pfcpause", src=A, class_enable_vector=8, pause_class_3=0xffff)],
                 Ether(src=A, dst="01:80:c2:00:00:01", type=0x8808) / Raw(bytes.fromhex("01010008" + "0000" * 3 + "ffff" + "0000" * 4))),
    "ethernetpause": ([header("ethernetpause", src=A, time=5)], Ether(src=A, dst="01:80:c2:00:00:01", type=0x8808) / Raw(bytes.fromhex("00010005"))),
    "custom": ([ethernet(), {"choice": "custom", "custom": {"bytes": "0x88 b5:01"}}], Ether(src=A, dst=B, type=0xffff) / Raw(bytes.fromhex("88b501"))),
}


@pytest.mark.parametrize("name", EQUAL)
def test_bytes(name):
    """Headers are those of scapy, byte by byte, with their lengths and checksums."""
    packet, wanted = EQUAL[name]
    length = len(wanted)
    wanted = bytes(wanted / Raw(bytes(196 - length)))
    assert head(packet).hex() == wanted[:length].hex()


def test_all_headers():
    assert {one["choice"] for packet, _ in EQUAL.values() for one in packet} == set(HEADERS)
    assert all(sum(field.bits for field in fields) % 8 == 0 for fields in HEADERS.values())


def test_checksums():
    """A bad one is wrong, and never that which means none; a sum of 0 is written as 0xffff by UDP."""
    good = head(udp_packet())
    bad = head(udp_packet(checksum={"choice": "generated", "generated": "bad"}))
    assert good[:-2] == bad[:-2] and good[-2:] != bad[-2:] != b"\0\0"
    zero = next(packet for packet in (udp_packet(src_port=n) for n in range(65536)) if head(packet)[-2:] == b"\xff\xff")
    assert ones_sum(head(zero)[34:] + head(zero)[26:34] + bytes([0, 17]) + (196 - 34).to_bytes(2, "big")) == 0xffff


def test_inner_crc():
    """With --inner-crc the headers within a tunnel leave 4 bytes out; the outer ones do not change."""
    packet = EQUAL["vxlan"][0]
    usual, other = head(packet), head(packet, inner_crc=True)
    assert int.from_bytes(usual[68:70], "big") == int.from_bytes(other[68:70], "big") + 4
    assert usual[:40] == other[:40] and usual[42:68] == other[42:68]


def raw_heads(one):
    """The headers of a flow's streams, in the order in which they are due: the program spreads streams by their place."""
    places = sorted(range(len(one.streams)), key=lambda place: place * GOLDEN % (1 << 32))
    return [bytes.fromhex(re.search(r"raw (\w+)", one.streams[place].words)[1]) for place in places]


@pytest.mark.parametrize(("pattern", "wanted"), [
    (value(7), [7]), (values(5000, 5010, 5020, 5030), [5000, 5010, 5020, 5030]), (counting(6000, 2, 10), list(range(6000, 6020, 2))),
    (counting(5000, 2, 10, "decrement"), list(range(5000, 4980, -2))), (counting(65534, 1, 4), [65534, 65535, 0, 1]),
    (counting(1, 1, 4, "decrement"), [1, 0, 65535, 65534]), ({"choice": "increment", "increment": {}}, [0])])
def test_patterns(pattern, wanted):
    """Packet j has value j modulo the number of values; streams are due in that order, and share packets and rate."""
    found = read(flow(packet=[*OUTER, header("tcp", src_port=pattern, dst_port=9)], packets=103)).flows[0]
    assert [int.from_bytes(one[34:36], "big") for one in raw_heads(found)] == wanted
    assert sum(one.count for one in found.streams) == 103 and sum(one.rate_share for one in found.streams) == pytest.approx(1)
    assert max(one.count for one in found.streams) - min(one.count for one in found.streams) <= 1


def test_patterns_together():
    """Fields go on together, each by its own number of values."""
    packet = [*OUTER, header("tcp", src_port=values(1, 2), dst_port=values(7, 8, 9))]
    found = raw_heads(read(flow(packet=packet)).flows[0])
    assert [(one[35], one[37]) for one in found] == [(1, 7), (2, 8), (1, 9), (2, 7), (1, 8), (2, 9)]
    few = read(flow(packet=packet, packets=2)).flows[0]
    assert [(one[35], one[37]) for one in raw_heads(few)] == [(1, 7), (2, 8)]


def test_random():
    """As many values as asked for, within the bounds, the same ones by the same seed."""
    def ports(seed):
        drawn = {"choice": "random", "random": {"min": 10, "max": 20, "seed": seed, "count": 6}}
        return [int.from_bytes(one[34:36], "big") for one in raw_heads(read(flow(packet=[*OUTER, header("tcp", src_port=drawn)])).flows[0])]
    assert ports(1) == ports(1) != ports(2) and len(ports(1)) == 6 and all(10 <= port <= 20 for port in ports(1))


def test_ranges():
    """UDP flows in which one field counts by 1 are one stream with that many flows."""
    [stream] = read(flow(packet=udp_packet(src_port=counting(1000, 1, 60000)))).flows[0].streams
    assert " sport 1000-60999 " in stream.words and stream.words.endswith("flows 60000 latency on") and "dport 6000" in stream.words
    packet = [header("ethernet", src=counting(A, "00:00:00:00:00:01", 4), dst=B), header("vlan", id=counting(1, 1, 2)),
              header("ipv6", src=counting("2001:db8::1", "::1", 8), dst="2001:db8::100"), header("udp", src_port=1, dst_port=2)]
    [stream] = read(flow(packet=packet)).flows[0].streams
    for words in (f"smac {A}-00:00:01:01:01:04", "vlan 1-2", "src 2001:db8::1-2001:db8::8", "flows 8"):
        assert words in stream.words
    for more in ({"src_port": counting(1, 2, 300)}, {"src_port": counting(1, 1, 300), "checksum": {"choice": "custom", "custom": 5}},
                 {"src_port": counting(1, 1, 300), "dst_port": counting(1, 1, 300)}):
        assert "300 different headers and 1 sizes: expected at most 256 together" in errors(config(flow(packet=udp_packet(**more))))[0]


SIZES = [
    ({"choice": "fixed", "fixed": 64}, "size 60", 64), (None, "size 60", 64), ({"choice": "random", "random": {"min": 64, "max": 1518}}, "size 60-1514", 791),
    ({"choice": "increment", "increment": {"start": 64, "end": 128, "step": 32}}, "size 60:1,92:1,124:1", 96),
    ({"choice": "weight_pairs", "weight_pairs": {"choice": "predefined", "predefined": "imix"}}, "size 60:7,566:4,1514:1", (64 * 7 + 570 * 4 + 1518) / 12),
    ({"choice": "weight_pairs", "weight_pairs": {"choice": "custom", "custom": [{"size": 100, "weight": 0.5}, {"size": 200, "weight": 1.5}]}},
     "size 96:1000,196:3000", 175),
]


@pytest.mark.parametrize(("size", "words", "mean"), SIZES)
def test_sizes(size, words, mean):
    one = flow()
    one["size"] = size
    found = read(one).flows[0]
    assert words in found.streams[0].words and found.size == pytest.approx(mean)


def test_sizes_of_headers():
    """With headers as bytes, each size has a stream, and the rate in bits is shared by bytes."""
    one = flow(packet=[*OUTER, header("tcp")], packets=12)
    one["size"] = SIZES[4][0]
    one["size"]["weight_pairs"] = {"choice": "custom", "custom": [{"size": 100, "weight": 1}, {"size": 200, "weight": 3}]}
    by_packets = read(one).flows[0]
    assert sorted((stream.rate_share, stream.count) for stream in by_packets.streams) == [(0.25, 3), (0.75, 9)]
    one["rate"] = {"choice": "mbps", "mbps": 100}
    assert sorted(stream.rate_share for stream in read(one).flows[0].streams) == pytest.approx([120 / 780, 660 / 780])
    del one["size"]
    assert "size 72 " in read(one).flows[0].streams[0].words, "without a size, the least one"


@pytest.mark.parametrize(("rate", "words"), [
    (None, "rate 1000pps"), ({"choice": "pps", "pps": "12345678901"}, "rate 12345678901pps"), ({"choice": "bps", "bps": 700}, "rate 700bps"),
    ({"choice": "kbps", "kbps": 3}, "rate 3000bps"), ({"choice": "mbps", "mbps": 2}, "rate 2000000bps"), ({"gbps": 4}, "rate 4000000000bps"),
    ({"choice": "percentage", "percentage": 12.5}, "rate 12.5%")])
def test_rates(rate, words):
    one = flow()
    one["rate"] = rate
    found = read(one).flows[0]
    assert f"{words} count" in found.line(found.streams[0], "on")
    assert set(RATES) == {"pps", "bps", "kbps", "mbps", "gbps", "percentage"}


def changed(path, new):
    """A configuration of two flows with a member of the first one, or of the configuration, replaced."""
    body = copy.deepcopy(config(flow(), flow("f2", tx="p2", rx=("p1",)), captures=[{"name": "c", "port_names": ["p2"]}],
                                layer1=[{"name": "l", "port_names": ["p1"], "speed": "speed_1_gbps"}]))
    at = body
    *names, last = re.findall(r"\w+", path)
    for name in names:
        at = at[int(name) if name.isdigit() else name]
    at[int(last) if last.isdigit() else last] = new
    return body


REFUSED = [
    ("ports[0].location", "9", "'9': there is no such port: expected one of \"0\" (net_ring0), \"1\" (net_ring1)"),
    ("ports[0].location", None, "missing: expected one of"), ("ports[1].location", "net_ring0", "is the port 'p1' already"),
    ("ports[1].name", "p1", "given twice"), ("ports", {}, None), ("ports", "p1", "expected a list, not 'p1'"),
    ("devices", [{"name": "d"}], "not supported: no protocols"), ("lags", [{}], "not supported: no aggregated links"),
    ("foo", 1, "not supported: expected ports"),
    ("captures[0].port_names", ["p3"], "'p3': there is no such port: expected 'p1' or 'p2'"), ("captures[0].format", "erf", "expected pcap or pcapng"),
    ("captures[0].filters", [{}], "not supported: all packets"), ("layer1[0].port_names", ["p9"], "'p9': there is no such port"),
    ("flows[0].name", 5, "expected a string, not 5"), ("flows[0].name", "f2", None), ("flows[0].foo", 1, "not supported: expected name"),
    ("flows[0].tx_rx.port.tx_name", "p7", "'p7': there is no such port: expected 'p1' or 'p2'"),
    ("flows[0].tx_rx.choice", "device", "device: not supported: expected port"), ("flows[0].tx_rx.port.rx_names", ["p7"], "'p7': there is no such port"),
    ("flows[0].packet", [], "missing: expected a list of headers"),
    ("flows[0].packet[2].choice", "snmpv2c", "snmpv2c: not supported: expected ethernet or vlan"),
    ("flows[0].packet[0]", header("ipv4"), "not supported as the first header"),
    ("flows[0].packet[2].udp.checksum", {"choice": "custom", "custom": 65536}, "0..65535"),
    ("flows[0].packet[2].udp.src_port", {"choice": "value", "value": 70000}, "expected a number 0..65535, not 70000"),
    ("flows[0].packet[2].udp.src_port", {"choice": "value", "value": True}, "expected a number 0..65535, not True"),
    ("flows[0].packet[2].udp.src_port.metric_tags", [{"name": "x"}], "no metrics by value"),
    ("flows[0].packet[2].udp.port", {}, None), ("flows[0].packet[2].udp.port", {"value": 1}, "not supported: expected src_port"),
    ("flows[0].packet[1].ipv4.src.value", "1.1.1", "'1.1.1': expected an IPv4 address"),
    ("flows[0].packet[0].ethernet.dst.value", "x", "expected a MAC address"),
    ("flows[0].packet[1].ipv4.options", [{"choice": "router_alert"}], "not supported"),
    ("flows[0].packet[1].ipv4.src", {"choice": "random", "random": {"min": "2.0.0.0", "max": "1.0.0.0"}}, "expected at least min"),
    ("flows[0].size.fixed", 63, "63 bytes: expected at least 64: the headers of 42 bytes"),
    ("flows[0].size", {"choice": "weight_pairs", "weight_pairs": {"predefined": "x"}}, "imix"),
    ("flows[0].size", {"choice": "random", "random": {"min": 200, "max": 100}}, "100: expected at least 200, the min"),
    ("flows[0].rate", {"choice": "pps", "pps": 0}, "expected a number 1.."), ("flows[0].rate", {"choice": "percentage", "percentage": 101}, "0..100"),
    ("flows[0].rate", {"choice": "percentage", "percentage": 0}, "0: expected more"),
    ("flows[0].duration", {"choice": "burst"}, "burst: not supported: expected continuous or fixed_packets or fixed_seconds"),
    ("flows[0].duration", {"choice": "continuous", "continuous": {"gap": 99}}, "not supported: expected 12"),
    ("flows[0].duration", {"choice": "continuous", "continuous": {"delay": {"choice": "bytes", "bytes": 5}}}, "not supported: expected 0"),
    ("flows[0].metrics.timestamps", True, "not supported: expected False"), ("flows[0].metrics.latency.mode", "x", "store_forward or cut_through"),
    ("flows[0].payload", {"choice": "fixed"}, "not supported: zcfwd's payload"),
    ("flows[0].packet[2]", header("tcp", src_port=values(*range(300))), "src_port.values: 300 different headers"),
]


@pytest.mark.parametrize(("path", "new", "message"), REFUSED)
def test_refused(path, new, message):
    """Each error has the path of the member, and what was expected."""
    body = changed(path, new)
    if message is None:
        if "udp" in path:
            assert config_read(body, PORTS)
        else:
            assert errors(body)
        return
    [error] = errors(body)
    assert message in error and error.startswith(path.rpartition(".")[0] or path), error


def test_refused_together():
    """Each flow adds its error."""
    body = changed("flows[0].size.fixed", 1)
    body["flows"][1]["rate"] = {"choice": "pps", "pps": 0}
    assert [error.partition(":")[0] for error in errors(body)] == ["flows[0].size.fixed", "flows[1].rate.pps"]
    assert errors([1]) == ["request: expected an object, not [1]"]
    many = config(*(flow(f"f{n}", packet=[*OUTER, header("tcp", src_port=values(*range(250)))]) for n in range(5)))
    assert errors(many) == ["flows: 1250 streams for flows whose headers change: expected at most 1024"]


def test_warnings():
    """What has no effect is told."""
    body = changed("flows[0].packet[0].ethernet.pfc_queue", {"choice": "value", "value": 3})
    body["options"] = {"port_options": {"location_preemption": True}}
    assert len(config_read(body, PORTS).warnings) == 3


def test_page():
    """The tables of the page have what the code has."""
    text = (ROOT / "doc/otg.md").read_text(encoding="utf-8")
    rows = [re.findall(r"`([^`]+)`", line.split("|")[1]) for line in text.splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in row}
    assert set(HEADERS) <= named and set(ABSENT) <= named
    requests = {(method, path) for path, methods in ROUTES.items() for method in methods}
    assert requests == {tuple(name.split()) for name in named if name.split()[0] in ("GET", "POST", "PATCH")}
    assert all(name in text for name in (*IMIX, *RATES)) and FCS_BYTES == 4


def paths(value_of, at=()):
    """Each place in a configuration."""
    inner = value_of.items() if isinstance(value_of, dict) else enumerate(value_of) if isinstance(value_of, list) else ()
    for name, one in inner:
        yield (*at, name)
        yield from paths(one, (*at, name))


ODD = [None, 5, -1, 1e300, "x", "", "9" * 30, True, [], [1], [[]], [None], {}, {"choice": "x"}, {"choice": 5}, {"choice": "value"}, {"choice": "values", "values": []},
       {"choice": "increment", "increment": {"count": 1 << 40}}, {"choice": "random", "random": {"count": 1 << 31}}, {"choice": "increment", "increment": 5}]


def test_odd_values():
    """Any value at any place is read or refused in one line each; nothing else is raised."""
    tunnel = flow("t", packet=EQUAL["vxlan"][0])
    tunnel["size"] = {"choice": "weight_pairs", "weight_pairs": {"choice": "custom", "custom": [{"size": 300, "weight": 1}, {"size": 400, "weight": 2}]}}
    tagged = flow("v", packet=[*EQUAL["vlan tcp"][0], {"choice": "custom", "custom": {"bytes": "00"}}])
    whole = config(flow(packet=udp_packet(src_port=counting(1, 1, 5))), tunnel, tagged, captures=[{"name": "c", "port_names": ["p2"], "packet_size": 5}],
                   layer1=[{"name": "l", "port_names": ["p1"]}], options={})
    assert len(config_read(whole, PORTS).flows) == 3
    read_well = refused = 0
    for path in paths(whole):
        for odd in ODD:
            body = copy.deepcopy(whole)
            at = body
            for name in path[:-1]:
                at = at[name]
            at[path[-1]] = odd
            try:
                config_read(body, PORTS)
                read_well += 1
            except Refused as error:
                refused += 1
                assert all(len(one) < 600 and "\n" not in one and ": " in one for one in error.errors), error.errors
    assert read_well > 100 and refused > 1000
