# SPDX-License-Identifier: BSD-3-Clause
"""zcfwd-otg without a program: the bytes of headers, the streams of flows, what is refused and how, and the tables of its page."""
import copy
import re

import pytest
from conftest import ROOT
from otg import A, B, config, counting, ethernet, flow, header, udp_packet, value, values
from otg_packets import EQUAL, OUTER
from zcfwd import Port
from zcfwd.otg._config import ABSENT, config_read
from zcfwd.otg._flows import FCS_BYTES, IMIX, RATES
from zcfwd.otg._headers import HEADERS
from zcfwd.otg._server import ROUTES
from zcfwd.otg._values import Refused

pytestmark = pytest.mark.zcfwd
PORTS = [Port(0, "net_ring0", "net_ring", A, True, 1000), Port(1, "net_ring1", "net_ring", B, True, 0)]


def read(*flows, **more):
    return config_read(config(*flows, **more), PORTS)


def errors(body, ports=PORTS):
    with pytest.raises(Refused) as refused:
        config_read(body, ports)
    return refused.value.errors


def stream(packet, **more):
    """The words of the stream of a flow."""
    return read(flow(packet=packet, **more)).flows[0].words


def test_all_headers():
    assert {one["choice"] for packet, _ in EQUAL.values() for one in packet} == set(HEADERS)
    assert all(sum(field.bits for field in fields) % 8 == 0 for fields in HEADERS.values())


def test_words():
    """A header is its bytes, without lengths and checksums, and the places of these."""
    words = stream(udp_packet())
    assert words.endswith(" lengths 16:14,38:34 sums ipv4@14,udp@34/14 flows 1 latency on") and " raw 000001010102000001010101080045000000" in words
    assert " sums ipv4@14 flows" in stream(udp_packet(checksum={"choice": "custom", "custom": 0x1234}))
    assert ",udp@34/14:wrong flows" in stream(udp_packet(checksum={"choice": "generated", "generated": "bad"}))
    bare = [ethernet(), {"choice": "custom", "custom": {"bytes": "4500"}}, header("udp")]
    assert " sums udp@16 flows" in stream(bare), "no IP header, no pseudo header"


def test_inner_crc():
    """With --inner-crc the headers within a tunnel leave 4 bytes out; the outer ones do not change."""
    def places(inner_crc):
        words = config_read(config(flow(packet=EQUAL["vxlan"][0], size=256)), PORTS, inner_crc).flows[0].words
        return re.search(r"lengths (\S+) sums (\S+) ", words).groups()
    assert places(False) == ("16:14,38:34,68:104", "ipv4@14,udp@34/14,tcp@104/64")
    assert places(True) == ("16:14,38:34,68:108", "ipv4@14,udp@34/14,tcp@104/64-4")


@pytest.mark.parametrize(("pattern", "wanted"), [
    (value(7), None), (values(5000, 5010, 5020, 5030), "34:16 5000,5010,5020,5030"), (counting(6000, 2, 10), "34:16 6000+2*10"),
    (counting(5000, 2, 10, "decrement"), "34:16 5000-2*10"), (counting(65534, 1, 4), "34:16 65534+1*4"), ({"choice": "increment", "increment": {}}, None)])
def test_patterns(pattern, wanted):
    """A field that changes has its place and its values; the flow as many packets that differ."""
    words = stream([*OUTER, header("tcp", src_port=pattern, dst_port=9)], packets=103)
    assert (f" vary {wanted} lengths" in words) if wanted else " vary " not in words
    assert words.endswith(f" flows {10 if '*10' in str(wanted) else 4 if wanted else 1} latency on")


def test_patterns_together():
    """Fields go on together, each by its own number of values; fewer packets need fewer headers."""
    packet = [*OUTER, header("tcp", src_port=values(1, 2), dst_port=values(7, 8, 9))]
    assert " vary 34:16 1,2 36:16 7,8,9 lengths" in stream(packet) and stream(packet).endswith(" flows 6 latency on")
    assert stream(packet, packets=2).endswith(" flows 2 latency on")


def test_places():
    """Fields of any width: the first bit within its byte, IPv6 addresses, labels, the two parts of IPv4's priority."""
    tagged = [ethernet(src=counting(A, "00:00:00:00:01:00", 3)), header("vlan", id=values(5, 6), priority=counting(0, 1, 8)),
              header("mpls", label=values(100, 200), traffic_class=values(1, 2)),
              header("ipv4", priority={"choice": "dscp", "dscp": {"phb": values(10, 46), "ecn": values(0, 1, 3)}})]
    vary = re.search(r" vary (.*) lengths", stream(tagged))[1]
    assert vary == "6:48 16843009+256*3 14:3 0+1*8 14.4:12 5,6 18:20 100,200 20.4:3 1,2 23:6 10,46 23.6:2 0,1,3"
    six = [ethernet(), header("ipv6", src=counting("2001:db8::1", "0:0:0:1::", 4), flow_label=values(1, 1048575))]
    assert " vary 14.12" not in stream(six)
    assert re.search(r" vary (.*) lengths", stream(six))[1] == "15.4:20 1,1048575 22:128 2001:db8::1+0:0:0:1::*4"


def test_random():
    """As many values as asked for, within the bounds, by the seed; seed 0 is another one each time."""
    def words(**drawn):
        return stream([*OUTER, header("tcp", src_port={"choice": "random", "random": drawn})])
    assert " vary 34:16 10-20 random 6 by 7 lengths" in words(min=10, max=20, seed=7, count=6) and "flows 6 " in words(count=6)
    assert words(seed=0, count=6) != words(seed=0, count=6) and " by 0 " not in words(seed=0, count=6)


def test_many():
    """The limits: packets until all values repeat, and the length of a command."""
    assert stream(udp_packet(src_port=counting(1000, 1, 60000))).endswith("flows 60000 latency on")
    assert stream(udp_packet(src_port=counting(1, 1, 1021), dst_port=counting(1, 1, 1024))).endswith(f"flows {1021 * 1024} latency on")
    packet = udp_packet(src_port=counting(1, 1, 1021), dst_port=counting(1, 1, 1031))
    assert errors(config(flow(packet=packet)))[0].startswith(
        f"flows[0].packet[2].udp.dst_port.increment: {1021 * 1031} packets until all values repeat: expected at most 1048576")
    assert stream(packet, packets=1000).endswith("flows 1000 latency on")
    [error] = errors(config(flow(packet=udp_packet(src_port=values(*range(10000, 11000))))))
    assert error.startswith("flows[0].packet[2].udp.src_port.values: 1000 values: expected fewer: the flow has 6") and error.endswith(" of 4000")
    body = config(*(flow(f"f{n}") for n in range(1025)))
    assert errors(body) == ["flows: 1025 flows: expected at most 1024"]


SIZES = [
    ({"choice": "fixed", "fixed": 64}, "60", 64), (None, "60", 64), ({"choice": "random", "random": {"min": 64, "max": 1518}}, "60-1514", 791),
    ({"choice": "increment", "increment": {"start": 64, "end": 130, "step": 32}}, "60+32*3", 96),
    ({"choice": "weight_pairs", "weight_pairs": {"choice": "predefined", "predefined": "imix"}}, "60:7,566:4,1514:1", (64 * 7 + 570 * 4 + 1518) / 12),
    ({"choice": "weight_pairs", "weight_pairs": {"choice": "custom", "custom": [{"size": 100, "weight": 0.5}, {"size": 200, "weight": 1.5}]}},
     "96:1000,196:3000", 175),
]


@pytest.mark.parametrize(("size", "words", "mean"), SIZES)
def test_sizes(size, words, mean):
    one = flow()
    one["size"] = size
    found = read(one).flows[0]
    assert f" size {words} port" in found.line("on") and found.size == pytest.approx(mean)
    del one["size"]
    one["packet"] = [*OUTER, header("tcp")]
    assert read(one).flows[0].size_words == "72", "without a size, the least one"


# Durations at 1 Gbit/s, 128 bytes with CRC: a byte takes 8 ns, a packet 1184 ns with preamble and gap.
DURATIONS = [
    ({"choice": "continuous", "continuous": {"delay": {"choice": "bytes", "bytes": 1000}}}, " delay 8000ns "),
    ({"choice": "fixed_packets", "fixed_packets": {"packets": 9, "delay": {"choice": "microseconds", "microseconds": 2.5}}}, " count 9 duration 0us delay 2500ns "),
    ({"choice": "fixed_seconds", "fixed_seconds": {"seconds": 2, "gap": 900}}, " count 0 duration 2000000us state"),
    ({"choice": "burst", "burst": {"bursts": 5, "packets": 4, "inter_burst_gap": {"choice": "nanoseconds", "nanoseconds": 50000}}}, " count 20 "),
    ({"choice": "burst", "burst": {"bursts": 5, "packets": 4, "inter_burst_gap": {"choice": "nanoseconds", "nanoseconds": 50000}}}, " gaps burst:4:41088ns "),
    ({"choice": "burst", "burst": {"packets": 3}}, " gaps burst:3:0ns "), ({"choice": "burst"}, " count 0 "),
]


@pytest.mark.parametrize(("duration", "words"), DURATIONS)
def test_durations(duration, words):
    """Delays and gaps in bytes are by the link; the pause behind a burst is its gap less the one that the rate makes."""
    one = flow(pps=100000, duration=duration)
    assert words in read(one).flows[0].line("on") + " "


@pytest.mark.parametrize(("rate", "words"), [
    (None, "rate 1000pps"), ({"choice": "pps", "pps": "12345678901"}, "rate 12345678901pps"), ({"choice": "bps", "bps": 700}, "rate 700bps"),
    ({"choice": "kbps", "kbps": 3}, "rate 3000bps"), ({"choice": "mbps", "mbps": 2}, "rate 2000000bps"), ({"gbps": 4}, "rate 4000000000bps"),
    ({"choice": "percentage", "percentage": 12.5}, "rate 12.5%")])
def test_rates(rate, words):
    one = flow()
    one["rate"] = rate
    found = read(one).flows[0]
    assert f"{words} count" in found.line("on")
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
    ("lags", [{}], "not supported: no aggregated links"),
    ("foo", 1, "not supported: expected ports"),
    ("captures[0].port_names", ["p3"], "'p3': there is no such port: expected 'p1' or 'p2'"), ("captures[0].format", "erf", "expected pcap or pcapng"),
    ("captures[0].port_names", ["p2", "p2"], "'p2': has a capture already: expected one for each port"),
    ("captures[0].filters", [{}], "not supported: all packets"), ("layer1[0].port_names", ["p9"], "'p9': there is no such port"),
    ("flows[0].name", 5, "expected a string, not 5"), ("flows[0].name", "f2", None), ("flows[0].foo", 1, "not supported: expected name"),
    ("flows[0].tx_rx.port.tx_name", "p7", "'p7': there is no such port: expected 'p1' or 'p2'"),
    ("flows[0].tx_rx.choice", "stream", "stream: not supported: expected port or device"),
    ("flows[0].tx_rx.choice", "device", None), ("flows[0].tx_rx.port.rx_names", ["p7"], "'p7': there is no such port"),
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
    ("flows[0].duration", {"choice": "never"}, "never: not supported: expected continuous or fixed_packets or fixed_seconds or burst"),
    ("flows[0].duration", {"choice": "continuous", "continuous": {"gap": 1 << 31}}, "bytes between packets: expected at most as many, or a lower rate"),
    ("flows[1].duration", {"choice": "continuous", "continuous": {"gap": 99}}, "99: the speed of the link of port 1 is unknown: expected at most 12"),
    ("flows[1].duration", {"choice": "continuous", "continuous": {"delay": {"choice": "bytes", "bytes": 5}}},
     "5: the speed of the link of port 1 is unknown: expected nanoseconds or microseconds"),
    ("flows[0].duration", {"choice": "burst", "burst": {"packets": 65536}}, "expected a number 1..65535, not 65536"),
    ("flows[0].duration", {"choice": "burst", "burst": {"inter_burst_gap": {"choice": "hours"}}}, "hours: not supported: expected bytes or nanoseconds"),
    ("flows[0].metrics.timestamps", True, "not supported: expected False"), ("flows[0].metrics.latency.mode", "x", "store_forward or cut_through"),
    ("flows[0].payload", {"choice": "fixed"}, "not supported: zcfwd's payload"),
    ("flows[0].packet[2]", header("tcp", src_port=values(*range(1025))), "src_port.values: 1025 values: expected at most 1024"),
    ("flows[0].packet[1]", header("ipv6", src={"choice": "random", "random": {}}), "src.random: expected at most 2^64 - 1 values from min on"),
    ("flows[0].size", {"choice": "increment", "increment": {"start": 64, "end": 9000}}, "increment: 8937 sizes: expected at most 4096"),
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


def test_no_ports():
    """zcfwd refused all devices: so there is no port to name."""
    assert "there is no such port: expected ports, but zcfwd has none" in errors(changed("flows[0].size.fixed", 64), [])[0]


def test_refused_together():
    """Each flow adds its error."""
    body = changed("flows[0].size.fixed", 1)
    body["flows"][1]["rate"] = {"choice": "pps", "pps": 0}
    assert [error.partition(":")[0] for error in errors(body)] == ["flows[0].size.fixed", "flows[1].rate.pps"]
    assert errors([1]) == ["request: expected an object, not [1]"]


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
