# SPDX-License-Identifier: BSD-3-Clause
"""zcfwd as a traffic generator of DPDK's test suite (doc/fleet/dts-zcfwd.patch), between two interfaces that are connected to each other."""
import contextlib
import os
import re
import sys
import types

import pytest
import yaml
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.inet6 import ICMPv6EchoRequest, ICMPv6ND_NS, IPv6
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether
from scapy.packet import Raw, raw

import dts_parts
from conftest import ROOT, binary_path
from netns import Namespaces, entering, ip
from session import USUAL_LCORES, lcore_args, wait_until

pytestmark = [pytest.mark.zcfwd, pytest.mark.netns]
PACKAGE = ROOT / "cmdline/python"
NAMES = "send0", "send1"
SOON = 0.3  # seconds without a packet that end a capture


class Bed:
    """A node whose two ports are the ends of a veth."""

    def __init__(self, module, space, python=(sys.executable, "-q")):
        self.module = module
        self.node = types.SimpleNamespace(name="TG", config=types.SimpleNamespace(os=dts_parts.OS.linux), shells=[], python=[*entering(space), *python])
        self.topology = dts_parts.Topology(NAMES)

    @contextlib.contextmanager
    def made(self, kind, **members):
        own = {"ports": "kernel", "program": str(binary_path()), "python_path": PACKAGE, "lcores": lcore_args(USUAL_LCORES)[1],
               "options": ["--no-mlockall"], **members}
        generator = getattr(self.module, kind)(self.node, dts_parts.configured(**own))
        try:
            generator.setup(self.topology)
            yield generator
        finally:
            for shell in self.node.shells:
                shell.close()

    def capture(self, generator, packets, **filters):
        """What arrives, as bytes."""
        config = dts_parts.PacketFilteringConfig(**filters)
        return list(map(raw, generator._send_packets_and_capture(packets, *self.topology.tg_ports, config, SOON)))


@pytest.fixture(scope="module")
def bed(tmp_path_factory):
    with dts_parts.generators(tmp_path_factory.mktemp("node")) as module, Namespaces(1) as (space,):
        ip("-n", space, "link", "add", NAMES[0], "mtu", "9700", "type", "veth", "peer", "name", NAMES[1], "mtu", "9700")
        for name in NAMES:
            ip("-n", space, "link", "set", name, "up")
        yield Bed(module, space)


@pytest.fixture(scope="module")
def capturing(bed):
    with bed.made("ZcfwdCapturingTrafficGenerator") as generator:
        yield generator


def frame(*layers):
    packet = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
    for layer in layers:
        packet /= layer
    return packet


def test_packets_arrive_as_they_were_made(bed, capturing):
    """
    All of them, in order, byte for byte: one that is short for a wire, tags, a jumbo frame, and more than a burst. Not many more: the kernel's ring
    of net_pcap has 8 blocks, each for a millisecond, and where both programs share a CPU, the receiver may be without it for 10.
    """
    packets = [frame(Raw(b"abcd")), frame(Dot1Q(vlan=7), IP(), UDP(), Raw(b"x" * 30)), frame(Dot1AD(vlan=5), Dot1Q(vlan=7), IP(), UDP()),
               frame(IP(), UDP(), Raw(b"y" * 9000)),
               *(frame(IP(), UDP(sport=number), Raw(bytes(20))) for number in range(40))]
    assert bed.capture(capturing, packets) == list(map(raw, packets))
    assert bed.topology.bound == [("tg", "kernel")]


def test_captures_do_not_mix(bed, capturing):
    """What was sent without a capture, and what an earlier capture had, is in none."""
    one, two = frame(IP(), UDP(sport=1), Raw(bytes(20))), frame(IP(), UDP(sport=2), Raw(bytes(20)))
    assert bed.capture(capturing, [one]) == [raw(one)]
    capturing._send_packets([one] * 10, bed.topology.tg_port_egress)
    assert bed.capture(capturing, [two]) == [raw(two)]
    assert bed.capture(capturing, []) == []


def test_filters(bed, capturing):
    """Each filter leaves out its own packets and no others."""
    kinds = {"no_arp": [frame(ARP())], "no_lldp": [Ether(type=0x88CC) / Raw(bytes(46))],
             "no_icmp": [frame(IP(), ICMP()), frame(IPv6(), ICMPv6EchoRequest()), frame(Dot1Q(vlan=7), IPv6(), ICMPv6ND_NS())]}
    packets = [packet for group in kinds.values() for packet in group] + [frame(IP(), UDP()), frame(IPv6(), UDP())]
    assert bed.capture(capturing, packets) == list(map(raw, packets[-2:]))
    for name, group in kinds.items():
        rest = [packet for packet in packets[:-2] if packet not in group] + packets[-2:]
        assert bed.capture(capturing, packets, **{**dict.fromkeys(kinds, False), name: True}) == list(map(raw, rest)), name


def test_capture_waits_for_late_packets(bed, monkeypatch):
    """It ends when none has come for the duration, counted from the last one, by a clock that moves only while it sleeps."""
    clock, seen = [100.0], iter([0, 0, 3, 3, 4])
    monkeypatch.setattr(bed.module, "time", types.SimpleNamespace(monotonic=lambda: clock[0], sleep=lambda s: clock.__setitem__(0, clock[0] + s)))
    last = [0]

    def command(_program, line, _member):
        assert line == "show capture"
        last[0] = next(seen, last[0])
        return last[0]
    generator = bed.module.ZcfwdCapturingTrafficGenerator(bed.node, dts_parts.configured())
    monkeypatch.setattr(generator, "_command", command)
    generator._wait_for_silence("receive", 0.25)
    assert last == [4] and clock[0] == pytest.approx(100 + 4 * 0.1 + 0.3)


def test_refused_packets_are_named(bed, capturing):
    """Both programs go on: the next packets arrive."""
    with pytest.raises(dts_parts.InteractiveCommandExecutionError, match="packet 2 has 14 bytes: expected at least 17"):
        bed.capture(capturing, [frame(IP(), UDP()), frame()])
    assert bed.capture(capturing, [frame(IP(), UDP())]) == [raw(frame(IP(), UDP()))]


def test_performance(bed):
    """Both ports send, at the rate, packets of the size, and what returns is counted."""
    with bed.made("ZcfwdPerformanceTrafficGenerator") as generator:
        for packet, mpps in ((frame(IP(src="1.2.3.4", dst="192.18.1.0"), Raw(b"x" * 30)), 0.002), (frame(IP(), UDP(), Raw(b"x" * 1400)), None)):
            found = generator.calculate_traffic_and_stats(packet, 0.5, mpps)
            assert found.frame_size == len(packet) and found.tx_bps == pytest.approx(found.tx_pps * len(packet) * 8)
            assert found.rx_bps == pytest.approx(found.rx_pps * len(packet) * 8)
            if mpps is not None:
                assert found.tx_pps <= 2 * mpps * 1e6 * 1.01
            streams = generator._shell.ask("[(stream.rx_port, stream.sent, stream.unique) for stream in performance.measured()]")
            assert [row[0] for row in streams] == [0, 1] and all(0 < unique <= sent for _, sent, unique in streams)
            sent, unique = (sum(row[place] for row in streams) for place in (1, 2))
            assert found.rx_pps / found.tx_pps == pytest.approx(unique / sent)


def test_performance_figures(bed, monkeypatch):
    """Received are those that came back intact; rates are by the run's own time."""
    generator = bed.module.ZcfwdPerformanceTrafficGenerator(bed.node, dts_parts.configured())
    asked = []
    monkeypatch.setattr(generator, "_command", lambda _program, line: asked.append(line))
    answers = {"performance.stop().seconds": 2.0, "sum(stream.sent for stream in performance.measured())": 300,
               "sum(stream.unique for stream in performance.measured())": 200}
    generator._shell = types.SimpleNamespace(ask=answers.__getitem__)
    found = generator.calculate_traffic_and_stats(frame(IP(), UDP(), Raw(bytes(58))), 0, 3)
    assert (found.tx_pps, found.tx_bps, found.rx_pps, found.rx_bps, found.frame_size) == (150, 120_000, 100, 80_000, 100)
    head = raw(frame(IP(), UDP(), Raw(bytes(58))))[:82].hex()  # all but what identifies a packet
    assert asked == [f"set generate raw {head} size 100", "set generate-rate 3Mpps", "start"]


def test_programs_end(bed):
    """With the generator, and with its shell if that is killed."""
    def pids(generator):
        return [generator._shell.ask(f"{name}.pid") for name in generator._programs]

    with bed.made("ZcfwdCapturingTrafficGenerator") as generator:
        closed = pids(generator)
        generator.close()
        assert [pid for pid in closed if os.path.exists(f"/proc/{pid}")] == []
    with bed.made("ZcfwdCapturingTrafficGenerator") as generator:
        left = pids(generator)
        assert len(left) == 2
    wait_until(lambda: not [pid for pid in left if os.path.exists(f"/proc/{pid}")], "the end of the programs", 60)


@pytest.mark.parametrize("members, said", [
    ({"python_path": "/nowhere"}, "Node TG has no Python package zcfwd: install python3-zcfwd, or set python_path"),
    ({"program": "/nowhere/zcfwd"}, "no program /nowhere/zcfwd"),
    ({"options": ["--nosuch"]}, "--nosuch"),
])
def test_what_is_missing_is_said(bed, members, said):
    with pytest.raises((dts_parts.ConfigurationError, dts_parts.InteractiveCommandExecutionError), match=said):
        with bed.made("ZcfwdCapturingTrafficGenerator", **members):
            pass


@pytest.mark.parametrize("members, started", [
    ({}, {"ports": ["0000:01:00.0", "0000:01:00.1"], "options": []}),
    ({"lcores": "0,2", "program": "/opt/zcfwd", "options": ["--rxq=2"]},
     {"ports": ["0000:01:00.0", "0000:01:00.1"], "options": ["--rxq=2"], "lcores": "0,2", "program": "/opt/zcfwd"}),
    ({"ports": "kernel", "options": ["--rxq=2"]},
     {"ports": ["net_af_packet0,iface=a,blocksz=16384,framesz=16384", "net_af_packet1,iface=b,blocksz=16384,framesz=16384"],
      "options": ["--mbuf-size=16640", "--total-num-mbufs=4096", "--rxq=2"]}),
], ids=["cards", "all members", "interfaces"])
def test_arguments(bed, members, started):
    """What a program is started with: cards by their addresses, and nothing that the configuration does not say."""
    generator = bed.module.ZcfwdPerformanceTrafficGenerator(bed.node, dts_parts.configured(**members))
    asked = []
    generator._shell = types.SimpleNamespace(ask=asked.append)
    generator._start("performance", [types.SimpleNamespace(name=name, pci=f"0000:01:00.{number}", logical_name=name) for number, name in enumerate("ab")])
    assert asked == [f"(performance := zcfwd.start(**{started!r})).version"] and generator._programs == ["performance"]


def test_one_link(bed):
    """Two programs cannot share a card."""
    one = Bed(bed.module, bed.node.python[-3].rpartition("/")[2])
    one.topology.type = dts_parts.LinkTopology.ONE_LINK
    with pytest.raises(dts_parts.ConfigurationError, match="use two links, or ports: kernel"):
        with one.made("ZcfwdCapturingTrafficGenerator", ports="dpdk"):
            pass


def test_page():
    """The page's configurations and its table have the members that the patch gives DTS, and no others."""
    page = (ROOT / "doc/dts.md").read_text(encoding="utf-8").partition("## What it does")[0]
    config = re.search(r"(?s)\+class ZcfwdTrafficGeneratorConfig\(.*?\n\+class ", dts_parts.PATCH.read_text(encoding="utf-8"))[0]
    members = set(re.findall(r"(?m)^\+    (\w+): ", config))
    assert set(re.findall(r"(?m)^\| `(\w+)` \|", page)) | {"type"} == members == set(vars(dts_parts.configured())) | {"type"}
    used = [block for text in re.findall(r"(?ms)^```yaml\n(.*?)^```", page) for block in yaml.safe_load(text).values() if isinstance(block, dict)]
    assert len(used) == 2 and all(set(block) <= members and block["type"] == "ZCFWD" and isinstance(block["lcores"], str) for block in used)
