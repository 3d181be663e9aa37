# SPDX-License-Identifier: BSD-3-Clause
"""The engines generate and measure: packets as described, judged by scapy; loss, order and damage as injected."""
import collections
import os
import re

import pytest
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6EchoRequest, IPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.layers.vxlan import VXLAN

from measuring import probe, refused, results
from modelled import Modelled, each_device, needs_model_nic
from netns import Namespaces, bridge, counters, entering
from packets import read_pcap, write_pcap
from session import Session, wait_until


def sent(binary, tmp_path, words, n, commands=(), args=()):
    """The packets that engine generate sends on port 1: exactly n, ports 0 and 1 together."""
    vdevs = []
    for i in (0, 1):
        write_pcap(tmp_path / f"in{i}", [])
        vdevs.append(f"net_pcap{i},rx_pcap={tmp_path}/in{i},tx_pcap={tmp_path}/out{i}")
    with Session(binary, vdevs, ["--no-flush-rx", *args]) as session:
        session.ok("set output json", "set fwd generate", f"set generate {words} port 0 flows 0", *commands)
        answer = session.json_ok(f"start for {n} packets")
        assert sum(stream["tx"] for stream in answer["streams"]) == n
        session.quit()
    assert not read_pcap(tmp_path / "out0")
    return read_pcap(tmp_path / "out1")


def check_sums(frame):
    """Lengths and checksums are those that scapy computes."""
    again = frame.copy()
    layer = again
    while layer:
        for name in ("chksum", "cksum", "len", "plen"):
            if name in getattr(layer, "fields", {}) and not (isinstance(layer, UDP) and layer.chksum == 0 and name == "chksum"):
                layer.delfieldval(name)
        layer = layer.payload
    assert bytes(again) == bytes(frame), (frame.show(dump=True), Ether(bytes(again)).show(dump=True))


def tuple_of(frame):
    layers = []
    layer = frame
    while layer:
        layers.append(layer)
        layer = layer.payload
    ip = [layer for layer in layers if isinstance(layer, (IP, IPv6))][-1]
    l4 = ip.payload
    ports = (l4.sport, l4.dport) if isinstance(l4, (UDP, TCP)) else ()
    return (ip.src, ip.dst, type(l4).__name__, *ports)


DESCRIBED = [
    ("flows 1", 60, lambda f: f[IP].src == "198.18.0.1" and f[UDP].sport == 1024),
    ("flows 7 size 60-1514", None, lambda f: f[UDP].dport == 9),
    ("flows 16 src 10.0.0.0/28 dst 10.1.0.9 dscp 46 ttl 3", 60, lambda f: f[IP].tos == 46 << 2 and f[IP].ttl == 3),
    ("flows 100 proto tcp size 72-90 sport 1024-2047 random", None, lambda f: f[TCP].flags == "A" and 1024 <= f[TCP].sport <= 2047),
    ("flows 10 proto icmp size 101", 101, lambda f: f[ICMP].type == 8),
    ("flows 50 src 2001:db8::/96 random size 81-150", None, lambda f: f[IPv6].hlim == 64),
    ("flows 50 dst 2001:db8::5:0/112 proto tcp size 93-160 dscp 10", None, lambda f: f[IPv6].tc == 40),
    ("flows 50 dst 2001:db8::5:0/112 proto icmp size 90", 90, lambda f: ICMPv6EchoRequest in f),
    ("flows 8 vlan 100-107 size 64", 64, lambda f: 100 <= f[Dot1Q].vlan <= 107 and f.type == 0x8100),
    ("flows 8 vlan 7 qinq 9 size 68-80", None, lambda f: f.type == 0x88A8 and f.payload.vlan == 9 and f.payload.payload.vlan == 7),
    ("flows 8 vxlan 77 size 111-200", None, lambda f: f[VXLAN].vni == 77 and f[UDP].dport == 4789 and f[UDP].chksum == 0),
    ("flows 8 vxlan 5 src 2001:db8::/96 random outer-dst 2001:db8:9::9 size 200", 200, lambda f: f[IPv6].dst == "2001:db8:9::9"),
    ("flows 4 smac 02:00:00:00:01:00-02:00:00:00:01:03 dmac 02:00:00:00:02:00", 60, lambda f: f.src.startswith("02:00:00:00:01:0") and f.dst == "02:00:00:00:02:00"),
]


@pytest.mark.rotates(3)
@pytest.mark.parametrize("words, size, also", DESCRIBED, ids=[row[0] for row in DESCRIBED])
def test_described(binary, tmp_path, words, size, also):
    """Exactly the described flows in turn, with sequence numbers; every length and checksum is right."""
    flows = int(words.split()[1])
    n = 3 * flows + 40
    packets = sent(binary, tmp_path, words, n)
    assert len(packets) == n
    by_flow = collections.defaultdict(set)
    for number, data in enumerate(packets):
        frame, this = Ether(data), probe(data)
        assert (this.flow, this.sequence) == (number % flows, number // flows)
        assert size is None or len(data) == size
        assert also is None or also(frame), frame.show(dump=True)
        by_flow[this.flow].add(tuple_of(frame))
        check_sums(frame)
    assert len(by_flow) == flows and all(len(tuples) == 1 for tuples in by_flow.values())
    assert len(set.union(*by_flow.values())) == flows
    dues = [probe(data).due for data in packets]
    assert dues == sorted(dues)


def test_sizes(binary, tmp_path):
    """Each size comes as often as described, in every flow."""
    packets = sent(binary, tmp_path, "flows 5 size imix", 12 * 5 * 3)
    sizes = collections.Counter((probe(data).flow, len(data)) for data in packets)
    assert sizes == {(flow, size): 3 * n for flow in range(5) for size, n in ((60, 7), (590, 4), (1514, 1))}


@pytest.mark.parametrize("gaps", ["even", "burst:16"])
def test_gaps(binary, tmp_path, gaps):
    """Packets are due at equal times, whatever the lcore does: a packet that is not sent in time is counted, and the schedule goes on."""
    rate = 100_000
    packets = sent(binary, tmp_path, "flows 1", 4000, [f"set generate-rate {rate}", f"set generate-gaps {gaps}"])
    dues = [probe(data).due for data in packets]
    steps = [later - before for before, later in zip(dues, dues[1:])]
    each = 16 if gaps == "burst:16" else 1
    gap = min(step for step in steps if step > 2)
    assert all(abs(step - round(step / gap) * gap) <= round(step / gap) + 1 for step in steps)
    if each > 1:
        assert collections.Counter(step > 2 for step in steps)[False] >= len(steps) * 14 // 16


def test_queues(binary, tmp_path):
    """Flows and rate are those of the port: queues and lcores share them."""
    with Session(binary, args=["--rxq=3", "--txq=3", "--nb-cores=2"], lcores="0@0,1@0,2@1") as session:
        session.ok("set output json", "set fwd generate", "set generate flows 7", "set generate-rate 60000", "set generate-late 1000000")
        answer = session.json_ok("start for 1s")
        for port in (0, 1):
            streams = [s for s in answer["streams"] if s["tx_port"] == port]
            due = sum(s["tx"] + s["tx_dropped"] + s["counters"]["unsent"] for s in streams)
            assert 0 < due <= 60000 * answer["summary"]["seconds"] + 3 * 32
        session.ok("set generate flows 2")
        answer = session.json_ok("start for 100ms")
        assert [s["made"] > 0 for s in answer["streams"]].count(True) == 4


def test_flows_of_queues(binary, tmp_path):
    """Each queue of a port sends flows of its own; together they are those that are described."""
    write_pcap(tmp_path / "in", [])
    vdevs = [f"net_pcap{i}" + "".join(f",rx_pcap={tmp_path}/in,tx_pcap={tmp_path}/out{i}.{queue}" for queue in range(3)) for i in (0, 1)]
    with Session(binary, vdevs, ["--no-flush-rx", "--rxq=3", "--txq=3", "--nb-cores=1"]) as session:
        session.ok("set output json", "set fwd generate", "set generate flows 8 src 10.0.0.0/29 port 0 flows 0")
        session.json_ok("start for 800 packets")
        session.quit()
    sources = [{Ether(data)[IP].src for data in read_pcap(tmp_path / f"out1.{queue}")} for queue in range(3)]
    assert sources == [{f"10.0.0.{n}" for n in flows} for flows in (range(2), range(2, 5), range(5, 8))]


@pytest.mark.parametrize("engine", ["generate", "measure"])
def test_nothing_to_send(binary, engine):
    """A run of a number of packets is refused if no port sends; a timed one is not."""
    with Session(binary, ["net_ring0", "net_ring1"]) as session:
        session.ok("set output json", f"set fwd {engine}", "set generate flows 0")
        assert "no port sends" in session.json("start for 10 packets")["error"]["message"]
        session.json_ok("start for 50ms")
        session.ok("set generate port 1 flows 3")
        assert sum(stream["tx"] for stream in session.json_ok("start for 10 packets")["streams"]) == 10


def quiet(rows):
    return all(row[name] == 0 for row in rows for name in ("duplicated", "reordered", "too_old", "damaged", "foreign", "clock_errors"))


def check_lost(session, rows):
    """The loss is what the cards missed. A preempted lcore may send more packets at once than a ring takes."""
    for port in (0, 1):  # a row is of its receiving port; the other one sends there
        missed = session.report(port)["rx_missed"]
        assert sum(row["lost"] for row in rows if row["tx_port"] != port) == missed, rows
        assert sum(row["unique"] for row in rows if row["rx_port"] == port) == session.report(port)["rx_packets"]


BACK_TO_BACK = "{0},rx=wire:1;{0},rx=wire:0"


@pytest.mark.rotates(3)
@needs_model_nic
@each_device
@pytest.mark.parametrize("words", ["flows 1", "flows 300 size imix proto udp", "flows 20 src ::1 size 100-1500"])
def test_back_to_back(binary, tmp_path, device, words):
    """Every packet arrives once, in order and intact, in each flow; the cards' own count of missed packets is the loss."""
    with Modelled(binary, BACK_TO_BACK.format(device), tmp_path) as session:
        session.ok("set output json", "set fwd measure retry", "set burst tx delay 100 retry 60000", f"set generate {words}",
                   "set generate-rate 20kpps", "set generate-late 1000000")
        session.json_ok("start for 20000 packets")
        rows = results(session)
        assert sum(row["sent"] for row in rows) == 20000
        check_lost(session, rows)
        assert quiet(rows), rows
        assert all(0 < row["min_us"] <= row["p50_us"] <= row["p90_us"] <= row["max_us"] * 1.001 for row in rows), rows
        assert all(row["p999_us"] is None for row in rows)  # too few packets
        flows = session.json_ok("show measure flows")["flows"]
        assert len(flows) == 2 * int(words.split()[1])
        for what in ("sent", "unique", "lost"):
            assert sum(flow[what] for flow in flows) == sum(row[what] for row in rows), what
        assert all(flow["sent"] == flow["unique"] + flow["lost"] and "p50_us" not in flow for flow in flows)


@needs_model_nic
def test_latency_by_flow(binary, tmp_path):
    """A histogram per flow: of a flow that is alone in its stream it is the stream's; too few packets have no percentile."""
    with Modelled(binary, BACK_TO_BACK.format("xl710"), tmp_path, ["--rxd=4096"]) as session:
        session.ok("set output json", "set fwd measure retry", "set burst tx delay 100 retry 60000", "set generate flows 1 port 0 flows 20",
                   "set generate-rate 20kpps", "set generate-late 1000000", "set measure-flow-latency on")
        session.json_ok("start for 20000 packets")
        flows = session.json_ok("show measure flows")["flows"]
        alone, = [flow for flow in flows if flow["port"] == 1]
        others = [flow for flow in flows if flow["port"] == 0]
        row = next(row for row in results(session) if row["rx_port"] == 0)
        assert [alone[name] for name in ("p50_us", "p90_us", "p99_us")] == [row[name] for name in ("p50_us", "p90_us", "p99_us")] and alone["p90_us"] > 0
        assert len(others) == 20 and all(flow["p50_us"] > 0 and flow["p99_us"] is None and flow["unique"] > 200 for flow in others), others
        session.ok("set output text")
        assert re.search(r"jitter us +p50 us +p90 us", session.cmd("show measure flows"))
        session.ok("set output json", "set generate flows 20000")
        assert "measure-flow-latency: no memory for 40000 histograms of 204800 bytes per stream" in refused(session, "start")
        session.ok("set generate flows 2", "start", "stop")


@needs_model_nic
def test_queues_back_to_back(binary, tmp_path):
    """Four queues and two lcores: a flow may come in on another lcore than sends it."""
    with Modelled(binary, BACK_TO_BACK.format("xl710"), tmp_path, ["--rxq=4", "--txq=4", "--nb-cores=2"], lcores="0@0,(1-2)@1") as session:
        session.ok("set output json", "set fwd measure retry", "set burst tx delay 100 retry 60000", "set generate flows 100 sport 1-60000 random",
                   "set generate-rate 20kpps", "set generate-late 1000000")
        session.json_ok("start for 20000 packets")
        rows = results(session)
        assert sum(row["sent"] for row in rows) == 20000
        check_lost(session, rows)
        assert quiet(rows), rows


@needs_model_nic
@each_device
def test_loss(binary, tmp_path, device):
    """A card receives nothing for a while: the loss equals the packets that it missed."""
    with Modelled(binary, BACK_TO_BACK.format(device), tmp_path) as session:
        session.ok("set output json", "set fwd measure", "set generate flows 10", "set generate-rate 20kpps", "set generate-late 1000000", "start")
        wait_until(lambda: all(row["unique"] > 1000 for row in results(session)), "packets")
        session.fault(0, "starve rx 200")
        wait_until(lambda: session.report(0)["rx_missed"] > 100, "lost packets")
        before = results(session)[0]["unique"]
        assert all(row["lost"] is None for row in results(session))
        wait_until(lambda: results(session)[0]["unique"] > before + 1000, "packets after the loss")
        session.json_ok("stop")
        rows = results(session)
        assert session.report(0)["rx_missed"] > 0
        check_lost(session, rows)
        assert quiet(rows)


def test_full_ring(binary):
    """Packets that the port refuses are not sent: their sequence numbers are used again, and nothing is lost."""
    with Session(binary, ["net_ring0", "net_ring1"], ["--port-topology=chained", "--no-flush-rx", "--nb-cores=2"], lcores="0@0,1@0,2@1") as session:
        session.ok("set output json", "set fwd measure", "set generate flows 7 size imix", "start")
        wait_until(lambda: all(s["tx_dropped"] > 1000 for s in session.json_ok("show fwd stats all")["streams"]), "full rings")
        streams = session.json_ok("stop")["streams"]
        rows = results(session)
        assert all(row["tx_dropped"] == s["tx_dropped"] > 0 for row, s in zip(rows, streams))
        assert sum(row["sent"] for row in rows) == sum(row["unique"] for row in rows) > 0
        assert sum(row["lost"] for row in rows) == 0 and quiet(rows), rows
        assert all(flow["lost"] == 0 for flow in session.json_ok("show measure flows")["flows"])


@needs_model_nic
def test_packets_of_the_run_before(binary, tmp_path):
    """What arrives when its run has ended is too old in the next one, and neither foreign nor a fault of that."""
    with Modelled(binary, "xl710,rx=wire:1,delay=500000000;xl710,rx=none", tmp_path, ["--rxd=4096"]) as session:
        session.ok("set output json", "set fwd measure retry", "set burst tx delay 100 retry 60000", "set generate flows 3 port 0 flows 0",
                   "set generate-rate 5kpps", "set measure-drain 0", "set generate-late 1000000")
        session.json("start for 100 packets")
        sent, = (row["sent"] for row in results(session) if row["sent"] > 0)
        session.ok("set measure-drain 5000")
        session.json_ok("start for 200 packets")
        got = next(row for row in results(session) if row["rx_port"] == 0)
        assert sent == 100 and (got["too_old"], got["foreign"], got["damaged"], got["unique"]) == (100, 0, 0, 200), got


# What the wire to port 0 does, and the counts that have to be the same.
IMPAIRED = [
    ("loss=10", {"wire_lost": 2000}, {"lost": 2000}),
    ("loss=7,duplicate=13", {}, {}),
    ("duplicate=10", {"wire_duplicated": 2000}, {"duplicated": 2000}),
    ("reorder=99", {}, {"farthest": 3}),  # 202, less those that none followed for 10 ms, as the lcore was preempted
    ("corrupt=10", {"wire_corrupted": 2000}, {"lost": 2000}),
    ("loss=11,duplicate=13,reorder=17,corrupt=19,seed=5", {}, {}),
    ("loss=11,duplicate=13,reorder=17,corrupt=19,delay=200000,jitter=50000", {}, {}),
]


@pytest.mark.rotates(5)
@needs_model_nic
@each_device
@pytest.mark.parametrize("words, by_wire, measured", IMPAIRED, ids=[row[0] for row in IMPAIRED])
def test_impaired_wire(binary, tmp_path, device, words, by_wire, measured):
    """The measured counts equal the counts of the wire."""
    # The ring takes all that can be under way while the lcore is preempted: no packet is lost but on the wire.
    with Modelled(binary, f"{device},rx=wire:1,{words};{device},rx=none", tmp_path, ["--rxd=4096"]) as session:
        session.ok("set output json", "set fwd measure retry", "set burst tx delay 100 retry 60000", "set generate flows 1 size 60-200 port 0 flows 0",
                   "set generate-rate 10kpps", "set measure-drain 1000")  # the card's thread may be preempted for long
        session.json_ok("start for 20000 packets")
        row = next(row for row in results(session) if row["sent"] > 0)
        got = next(row for row in results(session) if row["rx_port"] == 0)
        wire = session.report(0)
        assert row["sent"] == 20000 and wire["rx_missed"] == 0
        assert {name: wire[name] for name in by_wire} == by_wire
        assert {name: {**got, "lost": row["lost"]}[name] for name in measured} == measured
        assert row["lost"] == wire["wire_lost"] + wire["wire_corrupted"]
        assert got["duplicated"] == wire["wire_duplicated"] and got["reordered"] == wire["wire_reordered"]
        assert got["damaged"] + got["foreign"] == wire["wire_corrupted"]
        assert ("reorder" in words) == (wire["wire_reordered"] > 0)
        assert got["clock_errors"] == got["too_old"] == 0
        if "delay" in words:
            assert got["min_us"] >= 199  # the wire has another clock than the TSC


@needs_model_nic
def test_foreign(binary, tmp_path):
    """Packets of another source, and of an earlier run, are counted as foreign."""
    with Modelled(binary, "xl710,rate=20000,flows=4;xl710,rx=none", tmp_path) as session:
        session.ok("set output json", "set fwd measure", "set generate flows 0", "start")
        wait_until(lambda: results(session)[0]["foreign"] > 1000, "foreign packets")
        session.json_ok("stop")
        row = results(session)[0]
        assert row["unique"] == row["sent"] == row["lost"] == row["damaged"] == 0
    with Session(binary, ["net_ring0"], ["--port-topology=loop", "--no-flush-rx"]) as session:
        session.ok("set output json", "set fwd generate")
        session.json_ok("start for 500 packets")
        session.ok("set fwd measure")
        assert session.json("start for 500 packets")["error"]["message"].startswith("engine measure sent 500 packets and received 500 packets of another source: ")
        row, = results(session)
        assert row["foreign"] == 500 and row["unique"] == 500 and row["lost"] == 0, row


@needs_model_nic
@pytest.mark.parametrize("lines, said", [
    (["set generate-rate 60Mpps"], "port 1 can send 59523810 packets/s of 60.0 bytes at 40000 Mbit/s"),
    (["set generate-rate 41Gbps"], "port 1 can send"),
    (["set generate size 1519"], "expected at most 1514 bytes for the MTU of port 1, which is 1500"),
    (["set generate size 3000"], "the size of an mbuf"),
    (["set generate flows 1000000 src 10.0.0.0/8"], "too many flows on all ports"),
    (["set generate flows 3 port 99 flows 4"], 'port 99: no such port: expected one of "show port summary all"'),
    (["set generate-rate 0.0001bps"], "expected 0.001 to 1e+09 packets/s"),
])
def test_refused_at_start(binary, tmp_path, lines, said):
    """One line; nothing is half configured: another engine runs at once."""
    with Modelled(binary, "xl710*2", tmp_path) as session:
        session.ok("set fwd measure", *lines)
        assert said in refused(session, "start")
        session.ok("set fwd io", "start", "stop")


@pytest.mark.netns
@pytest.mark.tap
def test_kernel_bridge(binary):
    """The kernel's bridge between two taps: what it dropped is lost, and each flow arrives in order."""
    taps = [f"zm{os.getpid() % 100000}{i}" for i in (0, 1)]
    with Namespaces(1) as (name,), Session(binary, [f"net_tap{i},iface={tap}" for i, tap in enumerate(taps)], ["--no-flush-rx"], wrapper=entering(name)) as session:
        bridge(name, taps)
        before = [counters(name, tap) for tap in taps]
        session.ok("set output json", "set fwd measure retry", "set burst tx delay 100 retry 60000", "set generate flows 16 proto tcp size 72-1514",
                   "set generate-rate 5kpps", "set generate-late 1000000")
        session.json_ok("start for 10000 packets", 60)
        rows = results(session)
        assert sum(row["sent"] for row in rows) == 10000
        for port, tap in enumerate(taps):
            dropped = counters(name, tap)["tx"]["dropped"] - before[port]["tx"]["dropped"]
            assert sum(row["lost"] for row in rows if row["tx_port"] != port) == dropped, rows
        assert all(row[what] == 0 for row in rows for what in ("duplicated", "reordered", "too_old", "damaged", "clock_errors")), rows
        assert all(row["unique"] > 0 and row["min_us"] > 0 for row in rows), rows
