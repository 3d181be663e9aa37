"""The stock net_i40e on modelled NICs: every packet accounted for, whoever forwards."""
import json

import pytest

from conftest import binary_path
from session import Session, wait_until

PLUGIN = str(binary_path().parent / "tests/model_nic/model_nic.so")
# A full Tx ring is no reason to drop here: the generator does not wait for the wire.
PATIENT = "set burst tx delay 20 retry 60000"
GOOD = ("corrupted", "duplicated", "reordered", "foreign", "missing", "armed_twice", "armed_in_tx", "sent_while_armed")


class Modelled(Session):
    """A session on modelled NICs; reports() after quit()."""

    def __init__(self, binary, devices, tmp_path, args=(), eal=()):
        self.report_path = tmp_path / "report.json"
        super().__init__(binary, (), ["--no-flush-rx", *args],
                         eal=["-d", PLUGIN, "--iova-mode=va", "--log-level=pmd.net.i40e:error", *eal],
                         env={"MODEL_NIC": devices, "MODEL_NIC_REPORT": str(self.report_path)},
                         pool="--total-num-mbufs=32768")

    def reports(self):
        return json.loads(self.report_path.read_text(encoding="ascii"))["ports"]

    def count(self, what):
        """A counter of all ports together, as the drivers have it."""
        text = self.cmd("show port stats all")
        return sum(int(part.split()[0]) for part in text.split(what + ":")[1:])


def forward(session, engine, packets):
    """Forward until that many packets, all ports together, were sent."""
    for line in (f"set fwd {engine} retry", PATIENT, "start"):
        session.cmd(line)
    wait_until(lambda: session.count("TX-packets") >= packets, f"{packets} packets sent", 60)
    text = session.cmd("stop")
    session.quit()
    return text


def all_good(reports, packets):
    for report in reports:
        assert {name: report[name] for name in GOOD} == dict.fromkeys(GOOD, 0), report
        assert report["generated"] == report["rx_packets"] == packets, report
    assert sum(report["ok"] for report in reports) == packets * len(reports)


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
