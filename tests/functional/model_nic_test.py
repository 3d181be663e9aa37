"""The stock net_i40e on modelled NICs: every packet accounted for, whoever forwards."""
import pytest

from modelled import PLUGIN, Modelled, all_good, forward
from session import Session, wait_until


@pytest.mark.parametrize("engine", ["io", "mac"])
def test_ten_million(binary, tmp_path, engine):
    with Modelled(binary, "xl710,verify,count=5000000,flows=16*2", tmp_path) as session:
        assert "net_i40e" in session.cmd("show port info 0")
        forward(session, engine, 10_000_000)
        all_good(session.reports(), 5_000_000)


@pytest.mark.parametrize("bits", [64, 128, 256, 512])
def test_widths(binary, tmp_path, bits):
    with Modelled(binary, "xl710,verify,count=500000,size=60-1514*2", tmp_path,
                  eal=[f"--force-max-simd-bitwidth={bits}"]) as session:
        forward(session, "macswap", 1_000_000)
        all_good(session.reports(), 500_000)


def test_testpmd(testpmd, tmp_path):
    """The plugin needs nothing of zcfwd."""
    with Modelled(testpmd, "xl710,verify,count=1000000*2", tmp_path) as session:
        forward(session, "io", 2_000_000)
        all_good(session.reports(), 1_000_000)


@pytest.mark.parametrize("queues", [4, 16])
def test_queues(binary, tmp_path, queues):
    """RSS spreads the flows: each of a few queues gets packets, none is lost between them. An XL710 hashes UDP only when told so."""
    with Modelled(binary, "xl710,verify,count=400000,flows=256*2", tmp_path,
                  [f"--rxq={queues}", f"--txq={queues}", "--rss-udp", "--rxd=256", "--txd=256"]) as session:
        text = forward(session, "io", 800_000)
        all_good(session.reports(), 400_000)
    assert text.count("Forward Stats for RX Port= 0/Queue=") == queues


def test_wire(binary, tmp_path):
    """Two ports wired to each other: what one sends, the other receives, and nothing is made up on the way."""
    with Modelled(binary, "xl710,rx=wire:1;xl710,rx=wire:0", tmp_path) as session:
        session.ok("set fwd txonly", "start", "stop", "set fwd io retry")
        session.quit()
        reports = session.reports()
    for one, other in (reports, reports[::-1]):
        assert one["tx_packets"] > 0
        assert one["tx_packets"] == other["rx_packets"] + other["rx_missed"] + other["rx_oversize"]


def test_oversize(binary, tmp_path):
    """Longer than the driver accepts: not given, counted; the driver saw none of it."""
    with Modelled(binary, "xl710,size=3000*2", tmp_path) as session:
        session.ok("start")
        session.ok("stop")
        assert session.count("RX-packets") == 0
        session.quit()
        assert all(report["rx_oversize"] > 0 and report["rx_packets"] == 0 for report in session.reports())


def test_life(binary, tmp_path):
    """Stop, start, MTU, queues, reset, detach and attach, with traffic in between."""
    with Modelled(binary, "xl710*2", tmp_path) as session:
        for change in (("port config mtu 0 3000",), ("port config all rxq 2", "port config all txq 2"),
                       ("port reset 0",), ("port close 1", "port detach 1", "port attach 0000:f0:01.0")):
            session.ok("port stop all", *change)
            session.ok("port start all")
            before = session.count("TX-packets")
            session.ok("start")
            wait_until(lambda: session.count("TX-packets") > before + 10_000, f"packets after {change}", 20)
            session.ok("stop")
        session.quit()
        assert session.rc == 0


@pytest.mark.parametrize("devices, words", [
    ("xl71", ("xl71", "want xl710")),
    ("xl710,queues=17", ("queues=17", "1..16")),
    ("xl710,rx=wire:1", ("wire:1",)),
    ("xl710,rx=pcap:/nowhere", ("pcap",)),
    ("xl710,size=1", ("size=1",)),
])
def test_bad_configuration(binary, tmp_path, devices, words):
    with Session(binary, (), interactive=False, eal=["-d", PLUGIN], env={"MODEL_NIC": devices}) as session:
        session.child.wait()
        complaints = [line for line in session.stderr().splitlines() if line.startswith("model_nic:")]
    assert len(complaints) == 1
    assert all(word in complaints[0] for word in words), complaints
