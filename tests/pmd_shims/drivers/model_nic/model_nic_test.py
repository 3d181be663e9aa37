# SPDX-License-Identifier: BSD-3-Clause
"""The stock drivers on modelled NICs: every packet accounted for, whoever forwards."""
import pytest

from modelled import PLUGIN, RETRY, STOPPED, Modelled, all_good, forward, needs_model_nic, sent
from session import Session, wait_until

pytestmark = needs_model_nic

DRIVERS = {"xl710": "net_i40e", "82599": "net_ixgbe", "x540": "net_ixgbe"}
each_device = pytest.mark.parametrize("device", DRIVERS)


@pytest.mark.rotates(3)
@pytest.mark.parametrize("packets", [100_000, pytest.param(5_000_000, marks=pytest.mark.soak)])
@pytest.mark.parametrize("device, engine", [("xl710", "io"), ("82599", "mac"), ("x540", "io")])
def test_many(binary, tmp_path, device, engine, packets):
    with Modelled(binary, f"{device},verify,count={packets},flows=16*2", tmp_path) as session:
        assert DRIVERS[device] in session.cmd("show port info 0")
        forward(session, engine, 2 * packets)
        all_good(session.reports(), packets)


@pytest.mark.extended
@pytest.mark.parametrize("device, engine", [("xl710", "mac"), ("82599", "io"), ("x540", "mac")])
def test_sizes(binary, tmp_path, device, engine):
    """Other engines, packets of all sizes; the driver counts what the NIC gave and took, to the byte."""
    with Modelled(binary, f"{device},verify,count=50000,size=60-1514*2", tmp_path) as session:
        forward(session, engine, 100_000, leave=False)
        counts = {what: session.count(what) for what in ("RX-packets", "RX-bytes", "TX-packets", "TX-bytes", "RX-errors", "RX-missed")}
        session.quit()
        reports = session.reports()
        all_good(reports, 50_000)
    assert counts == {**{what: sum(report[what.lower().replace("-", "_")] for report in reports)
                         for what in ("RX-packets", "RX-bytes", "TX-packets", "TX-bytes")}, "RX-errors": 0, "RX-missed": 0}


@pytest.mark.rotates(3)
@pytest.mark.parametrize("device, bits", [*(("xl710", bits) for bits in (64, 128, 256, 512)), ("82599", 64), ("82599", 128), ("x540", 64)])
def test_widths(binary, tmp_path, device, bits):
    with Modelled(binary, f"{device},verify,count=50000,size=60-1514*2", tmp_path,
                  bits=bits) as session:
        forward(session, "macswap", 100_000)
        all_good(session.reports(), 50_000)


@pytest.mark.rotates(3)
@each_device
def test_scattered(binary, tmp_path, device):
    """Packets longer than a buffer, in as many descriptors as it takes."""
    with Modelled(binary, f"{device},verify,count=20000,size=60-4500*2", tmp_path,
                  ["--max-pkt-len=4600", "--tx-offloads=0x8000"]) as session:
        forward(session, "io", 40_000)
        all_good(session.reports(), 20_000)


@pytest.mark.extended
@each_device
def test_testpmd(testpmd, tmp_path, device):
    """The plugin needs nothing of zcfwd."""
    with Modelled(testpmd, f"{device},verify,count=50000*2", tmp_path) as session:
        forward(session, "io", 100_000)
        all_good(session.reports(), 50_000)


@pytest.mark.extended
@pytest.mark.parametrize("device, queues", [("xl710", 4), ("xl710", 16), ("xl710", 64), ("82599", 16), ("x540", 4)])
def test_queues(binary, tmp_path, device, queues):
    """RSS spreads the flows: each of a few queues gets packets, none is lost between them. UDP is hashed only when told so."""
    ring = min(256, 4096 // queues)  # the pool has more buffers than all rings
    with Modelled(binary, f"{device},verify,count=100000,flows=256*2", tmp_path,
                  [f"--rxq={queues}", f"--txq={queues}", "--rss-udp", f"--rxd={max(ring, 128)}", f"--txd={ring}"]) as session:
        text = forward(session, "io", 200_000)
        all_good(session.reports(), 100_000)
    assert text.count("Forward Stats for RX Port= 0/Queue=") == queues


@pytest.mark.rotates(3)
@each_device
def test_wire(binary, tmp_path, device):
    """Two ports wired to each other: what one sends, the other receives or misses, and the drivers say the same of it."""
    with Modelled(binary, f"{device},rx=wire:1;{device},rx=wire:0", tmp_path) as session:
        session.ok("set fwd txonly", "start", "stop", "set fwd io retry")
        counts = []

        def arrived():
            counts[:] = (session.count(what) for what in ("TX-packets", "RX-packets", "RX-missed"))
            return counts[0] > 0 and counts[0] == counts[1] + counts[2]

        wait_until(arrived, "all that was sent received or missed", 20)
        session.quit()
        reports = session.reports()
    for one, other in (reports, reports[::-1]):
        assert one["tx_packets"] > 0
        assert one["tx_packets"] == other["rx_packets"] + other["rx_missed"] + other["rx_oversize"]
    assert counts == [sum(report[what] for report in reports) for what in ("tx_packets", "rx_packets", "rx_missed")]


def wire_sent(session, packets):
    """Wait until each packet of port 0's wire was received or missed."""
    def accounted():
        report = session.report(0)
        return report["wire_packets"] == report["rx_packets"] + report["rx_missed"] == packets
    wait_until(accounted, f"{packets} packets received or missed", 60)


def bursts_through(session, packets):
    """Forward what the wire of port 0 sends until port 1 has sent what arrived. Returns the report of port 0."""
    session.ok(*RETRY, "port start all", "start")
    wire_sent(session, packets)
    sent(session, 1, session.report(0)["rx_packets"], 20)
    report = session.report(0)
    assert report["latency_packets"] == report["rx_packets"] == session.report(1)["tx_packets"], report
    assert (session.count("RX-packets"), session.count("RX-missed")) == (report["rx_packets"], report["rx_missed"])
    return report


@pytest.mark.rotates(3)
@each_device
def test_bursts_nobody_receives(binary, tmp_path, device):
    """The wire does not wait: armed descriptors get packets, all others are missed."""
    with Modelled(binary, f"{device},burst=64,rate=1000000,count=20000,flows=4;{device},rx=none", tmp_path, ["--rxd=256", "--txd=256"]) as session:
        wire_sent(session, 20_000)
        report = session.report(0)
        assert [report[what] for what in ("wire_bursts", "rx_packets", "rx_missed")] == [20_000 // 64, 255, 20_000 - 255]
        assert [session.count(what) for what in ("RX-packets", "RX-missed")] == [255, 20_000 - 255]


@pytest.mark.rotates(3)
@pytest.mark.parametrize("device, words", [("xl710", "burst=4096"), ("xl710", "burst=1-2047,gap=random,seed=3"), ("82599", "burst=1-2047,gap=random")])
def test_bursts_too_fast(binary, tmp_path, device, words):
    """A ring of 128 descriptors, which are armed 32 or 64 at a time: all packets are received or missed, and each received one has a latency."""
    with Modelled(binary, f"{device},{words},line=40G,rate=5000000,count=1000000;{device},rx=none", tmp_path, [STOPPED, "--rxd=128", "--txd=1024"]) as session:
        report = bursts_through(session, 1_000_000)
        assert report["rx_missed"] > 0
        assert 0 < report["latency_p50_ns"] <= report["latency_p99_ns"] <= report["latency_p999_ns"] <= report["latency_max_ns"]
        assert session.ask("/model_nic/reset,0") == {"port": 0}
        assert session.report(0)["latency_packets"] == session.report(0)["latency_max_ns"] == 0


@pytest.mark.parametrize("device, gap", [("xl710", "steady"), ("82599", "random")])
def test_bursts_lose_nothing(binary, tmp_path, device, gap):
    """Bursts smaller than the ring, so slow that an lcore may be away for 100 ms."""
    with Modelled(binary, f"{device},burst=8-56,gap={gap},rate=10000,line=20000,count=3000;{device},rx=none", tmp_path,
                  [STOPPED, "--rxd=4096", "--txd=1024"]) as session:
        assert bursts_through(session, 3_000)["rx_missed"] == 0


def test_bursts_verified(binary, tmp_path):
    """On two queues, both ways; verified packets have no stamp."""
    with Modelled(binary, "xl710,burst=8-64,gap=random,rate=50000,line=100000,verify,count=10000,flows=16*2", tmp_path,
                  [STOPPED, "--rxd=4096", "--txd=4096", "--rxq=2", "--txq=2", "--rss-udp"]) as session:
        session.ok("port start all")
        forward(session, "io", 20_000)
        all_good(session.reports(), 10_000)
        assert all(report["wire_packets"] == 10_000 and report["latency_packets"] == 0 for report in session.reports())


@pytest.mark.rotates(3)
@each_device
def test_oversize(binary, tmp_path, device):
    """Longer than the driver accepts: not given, counted; the driver saw none of it."""
    with Modelled(binary, f"{device},size=3000*2", tmp_path) as session:
        session.ok("start")
        session.ok("stop")
        assert session.count("RX-packets") == 0
        session.quit()
        assert all(report["rx_oversize"] > 0 and report["rx_packets"] == 0 for report in session.reports())


@pytest.mark.rotates(3)
@each_device
def test_life(binary, tmp_path, device):
    """Stop, start, MTU, queues, reset, detach and attach, with traffic in between."""
    with Modelled(binary, f"{device}*2", tmp_path) as session:
        for change in (("port config mtu 0 3000",), ("port config all rxq 2", "port config all txq 2"),
                       ("port reset 0",), ("port close 1", "port detach 1", "port attach 0000:f0:01.0")):
            session.ok("port stop all", *change)
            session.ok("port start all")
            forward_more(session, change)
        session.quit()
        assert session.rc == 0


def forward_more(session, why):
    before = session.count("TX-packets")
    session.ok("start")
    wait_until(lambda: session.count("TX-packets") > before + 10_000, f"packets after {why}", 20)
    session.ok("stop")


@pytest.mark.rotates(3)
@each_device
def test_queue_stop(binary, tmp_path, device):
    """One queue of a started port off and on again, then the other; buffers go to and fro with it."""
    with Modelled(binary, f"{device},verify,flows=16*2", tmp_path, ["--rxq=2", "--txq=2", "--rss-udp"]) as session:
        for queue in ("rxq 0", "txq 0", "rxq 1", "txq 1"):
            forward_more(session, "the start")
            session.ok(f"port 0 {queue} stop", f"port 0 {queue} start")
        forward_more(session, "all queues")
        session.ok("port stop all")
        session.quit()
        for report in session.reports():
            assert {what: report[what] for what in ("corrupted", "duplicated", "foreign", "armed_twice", "armed_in_tx", "sent_while_armed")} \
                == dict.fromkeys(("corrupted", "duplicated", "foreign", "armed_twice", "armed_in_tx", "sent_while_armed"), 0), report


@pytest.mark.parametrize("device", ["xl710", "82599"])
def test_link(binary, tmp_path, device):
    """The cable pulled and plugged: an interrupt tells the driver. ixgbe looks again 4 s later only."""
    with Modelled(binary, f"{device}*2", tmp_path) as session:
        for state in ("down", "up"):
            assert session.ask(f"/model_nic/link,0,{state}") == {"port": 0}
            wait_until(lambda: f"Link status: {state}" in session.cmd("show port info 0"), f"link {state}", 20)
        assert "Link status: up" in session.cmd("show port info 1")
        forward_more(session, "link up")
        session.quit()
        assert [report["link_changes"] for report in session.reports()] == [2, 0]


@pytest.mark.rotates(2)
@pytest.mark.parametrize("devices, words", [
    ("xl71", ("xl71", "expected xl710")),
    ("xl710,queues=65", ("queues=65", "1..64")), ("82599,queues=17", ("queues=17", "1..16")),
    ("xl710,rx=wire:1", ("wire:1",)),
    ("xl710,rx=pcap:/nowhere", ("pcap",)),
    ("xl710,size=1", ("size=1",)),
])
def test_bad_configuration(binary, tmp_path, devices, words):
    with Session(binary, (), interactive=False, eal=["-d", PLUGIN], env={"MODEL_NIC": devices}) as session:
        session.finish(ends=1)
        complaints = [line for line in session.stderr().splitlines() if line.startswith("model_nic:")]
    assert len(complaints) == 1
    assert all(word in complaints[0] for word in words), complaints
