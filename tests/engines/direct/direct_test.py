# SPDX-License-Identifier: BSD-3-Clause
"""Engine direct on modelled NICs: every packet intact without mbufs, all accounted for, all pools full again."""

import itertools
import random
import re

import pytest
from conftest import SEED
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether

from laws import check_law
from mocks import LACKS, Mock
from modelled import GOOD, PATIENT, STOPPED, Modelled, all_good, each_device, needs_model_nic
from packets import ether, read_pcap, sized, write_pcap
from recycling import all_through, all_through_but, named, pool_is_full, run_direct
from routed import MAC, ROUTES, check_routed, destinations, next_hop
from session import Session, wait_until
from stats import mac_of

pytestmark = [needs_model_nic, pytest.mark.usefixtures("of_the_table")]


needs_mock = pytest.mark.skipif(LACKS != "", reason=f"mock ports are left out: {LACKS}")


def all_whole(session):
    """All that came was sent, each packet whole, and each mbuf is in its pool."""
    all_through(session)
    session.ok("stop")
    pool_is_full(session)
    session.quit()
    for report in session.reports():
        assert {name: report[name] for name in GOOD} == dict.fromkeys(GOOD, 0), report


@pytest.mark.rotates(2)
@pytest.mark.parametrize("card", ["xl710", "82599", pytest.param("ice", marks=needs_mock), pytest.param("mlx5", marks=needs_mock)])
def test_jumbo(binary, tmp_path, card):
    """Frames up to 9000 bytes in one buffer each: whole, and counted byte by byte."""
    words, args = f"{card},verify,count=20000,size=60-9000", ["--mbuf-size=9344", "--max-pkt-len=9018"]
    modelled = Mock(binary, words, tmp_path, args, mbufs=8192) if card in ("ice", "mlx5") else Modelled(binary, f"{words}*2", tmp_path, args, mbufs=8192)
    with modelled as session:
        session.ok("set record-bytes on")
        run_direct(session, 40_000)
        session.cmd("set output json")
        streams = session.json_ok("show fwd counters")["streams"]
        session.cmd("set output text")
        pool_is_full(session)
        session.quit()
        reports = session.reports()
        all_good(reports, 20_000)
    for one, report in zip(streams, reports):
        assert one["rx_bytes"] == one["tx_bytes"] == report["rx_bytes"] > 20_000 * 4000, (one, report)


@pytest.mark.rotates(2)
@each_device
def test_accounting(binary, tmp_path, device):
    """Packets, bytes, bursts and cycles are counted as for io."""
    with Modelled(binary, f"{device},verify,count=50000,size=200*2", tmp_path, [STOPPED]) as session:
        session.ok("set record-bytes on", "set record-burst-stats on", "set record-core-cycles on", "port start all", "set output json", "set fwd direct", "start")
        wait_until(lambda: session.report(0)["tx_packets"] + session.report(1)["tx_packets"] == 100_000, "all packets", 60)
        session.json_ok("stop")
        for one in session.json_ok("show fwd counters")["streams"]:
            assert one["rx"] == one["tx"] == 50_000 and one["rx_bytes"] == one["tx_bytes"] == 50_000 * 200, one
            assert one["tx_dropped"] == one["absorbed"] == 0 and one["busy_cycles"] > 0, one
        session.cmd("set output text")
        session.quit()
        all_good(session.reports(), 50_000)


@pytest.mark.rotates(3)
@pytest.mark.parametrize("rewrite", ["off", "mac", "macswap"])
@each_device
def test_rewrite(binary, tmp_path, device, rewrite):
    """The bytes are those that io, mac and macswap send."""
    engine = {"off": "io"}.get(rewrite, rewrite)
    packets = [bytes(ether() / bytes(range(46 + i))) for i in range(40)] + [bytes(Ether(src=f"02:00:00:00:00:{i:02x}", dst="02:00:00:00:01:00") / bytes(60)) for i in range(40)]
    write_pcap(tmp_path / "in.pcap", packets)
    sent = {}
    for name in ("direct", engine):
        out = tmp_path / f"{name}.pcap"
        with Modelled(binary, f"{device},rx=pcap:{tmp_path}/in.pcap:1;{device},rx=none,tx=pcap:{out}", tmp_path, [STOPPED]) as session:
            session.ok(f"set direct-rewrite {rewrite}", f"set fwd {name}", "port start all", "start")
            wait_until(lambda: session.count("TX-packets") >= 80, "packets sent", 20)
            session.ok("stop", "port stop all")
            session.quit()
        sent[name] = read_pcap(out)
    assert len(sent["direct"]) == 80 and sent["direct"] == sent[engine]


@pytest.mark.rotates(2)
@each_device
def test_errors(binary, tmp_path, device):
    """Packets with a MAC error are dropped and counted; a burst of nothing else is no sent burst."""
    with Modelled(binary, f"{device},verify,rate=100000*2", tmp_path) as session:
        session.ok("set record-burst-stats on", "set fwd direct", "start")
        session.fault(0, "error 1000")
        session.fault(1, "oversize 100")
        wait_until(lambda: named(session)["rx_errors"] == 1000, "errors counted")
        all_through_but(session, 1000)
        session.ok("stop")
        counts = named(session)
        assert counts["absorbed"] == counts["rx_errors"] == 1000 and counts["rx"] == counts["tx"] + 1000, counts
        sizes = re.findall(r"(?m)^ +(\d+) +(\d+) +[\d.]+% +(\d+) +[\d.]+%", session.cmd("show fwd bursts"))
        assert sum(int(size) * int(sent) for size, _, sent in sizes) == counts["tx"], sizes
        assert {sent for size, _, sent in sizes if size == "0"} == {"0"}, sizes
        pool_is_full(session)
        session.quit()
        for report in session.reports():
            assert {name: report[name] for name in GOOD if name != "missing"} == {name: 0 for name in GOOD if name != "missing"}, report


@needs_mock
def test_mlx5_errors(binary, tmp_path):
    """Packets with an error are dropped by the driver, which counts them; then it goes on without mbufs."""
    with Mock(binary, "mlx5,verify,rate=100000", tmp_path) as session:
        session.ok("set fwd direct", "start")
        session.fault(0, "error 1000")
        wait_until(lambda: session.count("RX-errors") == 1000, "errors counted")
        mbufs = named(session)["by_mbufs"]
        wait_until(lambda: named(session)["rx"] > mbufs + 100_000, "packets without mbufs")
        all_through_but(session, 1000)
        session.ok("stop")
        counts = named(session)
        assert counts["rx"] == counts["tx"] and counts["absorbed"] == counts["rx_errors"] == 0, counts
        pool_is_full(session)
        session.quit()
        for report in session.reports():
            assert {name: report[name] for name in GOOD if name != "missing"} == {name: 0 for name in GOOD if name != "missing"}, report


@pytest.mark.rotates(2)
@needs_mock
@pytest.mark.parametrize("words, reason", [
    ("mlx5,zip=hash", "may be compressed: use the device argument rxq_cqe_comp_en=0"),
    ("mlx5,inline=200", "copies packets into elements: use the device argument txq_inline_max=0"),
    ("mlx5,tx_path=legacy", "unsupported transmit function: expected a vector function, for mlx5_pci Enhanced MPW or No MPW"),
    ("mlx5,rx_path=scalar", "refills its ring while it receives"),
    ("mlx5", "routing without mbufs is not supported with driver mlx5_pci: use engine l3fwd"),
])
def test_mlx5_refused(binary, tmp_path, words, reason):
    with Mock(binary, words, tmp_path) as session:
        session.ok(*(["set direct-rewrite l3fwd", "route add 0.0.0.0/0 port 1"] if "l3fwd" in reason else []), "set fwd direct")
        said = len(session.stderr())
        assert reason in session.cmd("start") + session.stderr()[said:]
        session.ok("set fwd io", "start", "stop")


@pytest.mark.needs("capture")
def test_capture_begins(binary, tmp_path):
    """A capture during the run gets its packets: they are forwarded with mbufs until it ends."""
    with Modelled(binary, "xl710,verify,flows=16*2", tmp_path) as session:
        session.ok("set fwd direct retry", PATIENT, "start", f"capture start 0 file {tmp_path}/out.pcap")
        wait_until(lambda: named(session)["by_mbufs"] > 1000, "packets with mbufs")
        session.ok("capture stop 0")
        mbufs = named(session)["by_mbufs"]
        wait_until(lambda: named(session)["rx"] > mbufs + 1_000_000, "packets without mbufs")
        assert named(session)["by_mbufs"] < mbufs + 100_000
        all_whole(session)
    assert len(read_pcap(tmp_path / "out.pcap")) > 0


@pytest.mark.rotates(2)
@pytest.mark.parametrize("devices, options, bits, lines, reason", [
    ("xl710*2", "--enable-rx-cksum", None, (), "Rx offload"),
    ("xl710*2", "--tx-offloads=0x1", None, (), "Tx offload VLAN_INSERT needs mbufs"),
    ("xl710*2", "", 64, (), "refills its ring while it receives"),
    ("82599*2", "--txrst=16 --txfreet=16", None, (), "keeps sent mbufs in chains"),
    ("xl710*2", "", None, ("port stop all", "port config mtu 0 4000", "port start all"), "may need several buffers"),
    ("82599*2", "", None, ("port stop all", "port config mtu 0 4000", "port start all"), "may need several buffers"),
    ("xl710*2", "--latencystats=0", None, (), "need mbufs: end them first"),
    ("xl710*2", "", None, ("set verbose 1",), "need mbufs: end them first"),
    ("xl710*2", "", None, ("capture start 0 file /dev/null overwrite",), "need mbufs: end them first"),
    ("xl710*3", "", None, ("set portlist 0,1", "port mirror 0 2"), "forwards without mbufs, which mirrors need"),
])
def test_refused(binary, tmp_path, devices, options, bits, lines, reason):
    """One line with the reason, and other engines run."""
    with Modelled(binary, devices, tmp_path, options.split(), bits=bits) as session:
        session.ok(*lines, "set fwd direct")
        said = len(session.stderr())
        answer = session.cmd("start")
        complaint = session.stderr()[said:].strip()
        assert reason in answer + complaint and len(complaint.splitlines()) == 1, (answer, complaint)
        session.cmd("port mirror 0 off")
        session.ok("set fwd io", "start", "stop")


def test_other_driver(binary):
    with Session(binary) as session:
        session.ok("set fwd direct")
        assert "driver net_null: expected net_i40e, net_ice, net_ixgbe, mlx5_pci or net_virtio" in session.cmd("start") + session.stderr()
        session.ok("set recycle on")


def streams_of(session):
    session.cmd("set output json")
    streams = session.json_ok("show fwd stats all")["streams"]
    session.cmd("set output text")
    check_law(streams)
    return streams


def routed(binary, tmp_path, device, routes, lookup, sent, hop=next_hop):
    """What comes in by three ports, pairs of packet and port, leaves by these ports, byte by byte as scapy says, in its order; packets without one have no route."""
    (tmp_path / "routes").write_text(routes, encoding="ascii")
    for port, packets in enumerate(sent):
        write_pcap(tmp_path / f"in{port}", [data for data, _ in packets])
    cards = ";".join(f"{device},rx=pcap:{tmp_path}/in{i}:1,tx=pcap:{tmp_path}/out{i}" for i in range(3))
    with Modelled(binary, cards, tmp_path, [STOPPED]) as session:
        session.ok(f"route load {tmp_path}/routes", f"set l3fwd lookup {lookup}", "set direct-rewrite l3fwd", "set fwd direct retry", PATIENT, "port start all", "start")
        macs = [mac_of(session, i) for i in range(3)]
        wait_until(lambda: named(session)["rx"] == sum(map(len, sent)), "all received")  # the cards count what is still in their rings
        session.ok("stop")
        streams = streams_of(session)
        pool_is_full(session)
        session.quit()
    assert [stream["counters"]["no_route"] for stream in streams] == [sum(port is None for _, port in packets) for packets in sent]
    assert not any(stream["counters"][name] for stream in streams for name in ("malformed", "expired", "by_mbufs")), streams
    check_routed(tmp_path, sent, macs, hop)


@pytest.mark.rotates(2)
@pytest.mark.parametrize("lookup", ["fib", "lpm"])
@each_device
def test_routes(binary, tmp_path, device, lookup):
    """The longest prefix decides."""
    routed(binary, tmp_path, device, ROUTES, lookup, [destinations(i) for i in range(3)])


@pytest.mark.rotates(2)
@each_device
def test_five_tuples(binary, tmp_path, device):
    """The five-tuple decides, also where only one field differs; a default route is no route for the rest."""
    chance, sent = random.Random(SEED), []
    ways = {key: chance.choice((0, 1, 2, None)) for net, host in (("192.0.2.", "198.51.100."), ("2001:db8::", "2001:db8:1::"))
            for key in itertools.product((f"{net}1", f"{net}2"), (f"{host}7", f"{host}8"), (1000, 1001), (80, 81), ("udp", "tcp"))}
    for _ in range(3):
        keys = chance.choices([*ways], k=400)
        sent.append([(sized(ether() / (IPv6 if ":" in src else IP)(src=src, dst=dst) / {"udp": UDP, "tcp": TCP}[proto](sport=sport, dport=dport),
                            chance.choice((80, 81, 128, 1514)), i), ways[src, dst, sport, dport, proto])
                     for i, (src, dst, sport, dport, proto) in enumerate(keys)])
    routes = "".join(f"{' '.join(map(str, key))} {port} {MAC if port == 1 else ''}\n" for key, port in ways.items() if port is not None)
    routed(binary, tmp_path, device, f"0.0.0.0/0 1\n::/0 1\n{routes}", "em", sent, lambda data, port: MAC if port == 1 else f"02:00:00:00:00:0{port}")


def warnings_of(session):
    """Start; the lines about lcores without a Tx queue, apart from the rest."""
    said = len(session.stderr())
    return re.findall(r"(?m)^.*has no Tx queue.*$", session.cmd("start") + session.stderr()[said:])


@pytest.mark.rotates(2)
@each_device
def test_lcore_without_queue(binary, tmp_path, device):
    """Each start prints a line about an lcore that has no Tx queue on a port to which a route leads; packets routed there are counted."""
    with Modelled(binary, f"{device},rx=copy,count=20000*2", tmp_path, [STOPPED], lcores="0@0,1@0,2@1") as session:
        session.ok("set nbcore 2", "route add 0.0.0.0/0 port 1", f"route add 198.18.0.0/16 port 1 mac {MAC}", "set direct-rewrite l3fwd", "set fwd direct retry", PATIENT)
        lines = ["direct: lcore 2 has no Tx queue on port 1 and drops packets routed there (no_tx_queue); use as many queues as lcores"]
        session.ok("port start all")
        assert warnings_of(session) == lines
        wait_until(lambda: named(session)["rx"] == 40_000, "all received", 60)
        session.ok("stop")
        streams = streams_of(session)
        assert [(one["tx"], one["counters"]["no_tx_queue"]) for one in streams] == [(20_000, 0), (0, 20_000)], streams
        assert warnings_of(session) == lines
        session.ok("stop", "port stop all", "port config all rxq 2", "port config all txq 2", "port start all")
        assert warnings_of(session) == []
        session.ok("stop")
        pool_is_full(session)


def test_routes_refused(binary, tmp_path):
    """A route to a port that does not forward: one line, and other rewriting still works."""
    with Modelled(binary, "xl710*3", tmp_path) as session:
        session.ok("set portlist 0,1", "route add 10.1.0.0/16 port 2", "set direct-rewrite l3fwd", "set fwd direct")
        said = session.cmd("start") + session.stderr()
        assert "a route leads to port 2, which is not a forwarding port" in said, said
        session.ok("set direct-rewrite mac", "start", "stop")
        pool_is_full(session)
