# SPDX-License-Identifier: BSD-3-Clause
"""Queues that the operator stopped: no engine polls them or sends to them."""
import pytest
from scapy.layers.inet import IP, UDP

from modelled import Modelled, needs_model_nic
from packets import HEADERS, IP4, PORTS, ether, sized, write_pcap
from session import TO_JSON, wait_until

pytestmark = [pytest.mark.zcfwd, needs_model_nic, pytest.mark.usefixtures("of_the_table")]

ENOUGH = 3000
RECEIVERS, MAKERS, ROUTING = ("rxonly", "shared_rxq"), ("txonly", "generate", "replay"), ("l3fwd", "ring_pipeline")


class Rig(Modelled):
    """Two ports with two queues, each of which receives some of the flows."""

    def __init__(self, binary, tmp_path, devices="xl710,flows=16,rx=copy;xl710,flows=16,rx=copy", queues=2, txq=None):
        super().__init__(binary, devices, tmp_path, [f"--rxq={queues}", f"--txq={txq or queues}", "--rss-udp"], mbufs=16384)
        write_pcap(tmp_path / "capture", [sized(header, 60, 0) for header in HEADERS.values()])
        self.cmd(TO_JSON)
        for line in ("route add 0.0.0.0/0 port 1", "route add ::/0 port 1", "set pipeline stage l3fwd", "set generate flows 64",
                     f"set replay {tmp_path}/capture", "set replay-times 0", "set replay-rate max"):
            self.json_ok(line)

    def streams(self):
        return self.json_ok("show fwd stats all")["streams"]

    def moved(self):
        return sum(stream["rx"] + stream["made"] for stream in self.streams()) >= ENOUGH

    def sent_by(self, port):
        return next(each for each in self.json_ok(f"show port stats {port}")["ports"])["tx_packets"]

    def all_sent(self, streams, engine):
        """Until the cards have sent what a run left in their rings, which a clear would leave to the next run."""
        for port in (0, 1):
            sent = sum(stream["tx"] for stream in streams if stream["tx_port"] == port)
            wait_until(lambda p=port, n=sent: self.sent_by(p) == n, f"port {port} sending {sent} packets of {engine}")

    def forward(self, engine, *stopped):
        """One run with these queues stopped, such as "1 txq 1"; its streams after stop."""
        for queue in stopped:
            self.json_ok(f"port {queue} stop")
        self.json_ok("clear port stats all")
        self.json_ok(f"set fwd {engine}")
        self.json_ok("start")
        wait_until(self.moved, f"{ENOUGH} packets of {engine}", 30)
        streams = self.json("stop")["streams"]  # a run of measure without a wire has failed
        self.all_sent(streams, engine)
        for queue in stopped:
            self.json_ok(f"port {queue} start")
        return streams


def check(engine, streams, stopped):
    """Streams do nothing with a stopped queue, and nothing at all unless they can use the other by itself."""
    assert streams, engine
    for stream in streams:
        assert stream["rx"] + stream["made"] == stream["tx"] + stream["tx_dropped"] + stream["absorbed"], stream
        rx = f"{stream['rx_port']} rxq {stream['rx_queue']}" in stopped and engine not in MAKERS
        tx = f"{stream['tx_port']} txq {stream['tx_queue']}" in stopped and engine not in RECEIVERS
        assert not rx or stream["rx"] == 0, (engine, stream)
        assert not tx or stream["tx"] + stream["tx_dropped"] == 0, (engine, stream)
        assert engine in ROUTING or not (rx or tx), (engine, stream)


def test_dynamic_queue_conf(binary, tmp_path):
    """As DPDK's suite: packets for a stopped Tx queue are in no counter of a sender, and the port sends what the other streams did."""
    frames = [bytes(ether() / IP(**{**IP4, "dst": f"10.0.0.{i}"}) / UDP(**PORTS)) for i in range(1, 255)]
    write_pcap(tmp_path / "in", frames)
    with Rig(binary, tmp_path, f"xl710,rx=pcap:{tmp_path}/in:40;xl710,rx=none", queues=8) as session:
        for queue in (4, 6, 7):
            session.json_ok(f"port 1 txq {queue} stop")
        streams = session.forward("mac")
        assert {stream["tx_queue"] for stream in streams if stream["tx_port"] == 1} == {0, 1, 2, 3, 5}
        assert session.json_ok("show txq info 1 4")["state"] == "stopped"


def test_refused_while_forwarding(binary, tmp_path):
    """As in testpmd a queue is stopped and started between runs only; a refusal changes nothing."""
    with Rig(binary, tmp_path) as session:
        session.json_ok("set fwd io")
        session.json_ok("start")
        for queue in ("1 txq 1", "0 rxq 1"):
            assert session.json(f"port {queue} stop")["error"]["message"] == "Please stop forwarding first"
        before = {(stream["rx_port"], stream["rx_queue"]): stream["tx"] for stream in session.streams()}
        wait_until(lambda: all(stream["tx"] > before[stream["rx_port"], stream["rx_queue"]] for stream in session.streams()), "all streams sending")
        session.json_ok("stop")
        assert [session.json_ok(f"show {way} info 1 1")["state"] for way in ("rxq", "txq")] == ["started", "started"]


@pytest.mark.rotates(3)
@pytest.mark.parametrize("engine", ["io", *ROUTING])
def test_all_stopped(binary, tmp_path, engine):
    """A run in which no stream has its queues: it starts, does nothing, and the next one forwards again."""
    with Rig(binary, tmp_path, queues=1) as session:
        for way in ("rxq", "txq"):
            session.json_ok(f"port 0 {way} 0 stop")
            session.json_ok(f"port 1 {way} 0 stop")
        session.json_ok(f"set fwd {engine}")
        session.json_ok("start tx_first 1")
        session.json_ok("stop")
        session.json_ok("start for 20ms")
        assert all(stream["rx"] + stream["tx"] + stream["made"] == 0 for stream in session.streams())
        for way in ("rxq", "txq"):
            session.json_ok(f"port 0 {way} 0 start")
            session.json_ok(f"port 1 {way} 0 start")
        assert sum(stream["tx"] for stream in session.forward(engine)) > 0


@pytest.mark.rotates(2)
@pytest.mark.parametrize("recycle", ["off", "on"])
@pytest.mark.parametrize(("engine", "counter"), [("l3fwd", "no_tx_queue"), ("ring_pipeline", "no_route")])
def test_routes_to_a_stopped_queue(binary, tmp_path, engine, counter, recycle):
    """Its packets are dropped and counted, while others go on; a port that only sends still gets packets."""
    with Rig(binary, tmp_path, queues=1) as session:
        session.json_ok(f"set recycle {recycle}")
        streams = session.forward(engine, "1 txq 0")
        assert all(stream["rx"] > 0 and stream["tx"] == 0 and stream["counters"][counter] == stream["rx"] for stream in streams), streams
        streams = {stream["rx_port"]: stream for stream in session.forward(engine, "0 rxq 0")}
        assert streams[0]["rx"] == 0 and streams[0]["tx"] > 0 and streams[1]["rx"] > 0, streams


def test_mirror(binary, tmp_path):
    """A mirror uses no stopped queue."""
    with Rig(binary, tmp_path, queues=1, txq=2) as session:
        session.json_ok("port mirror 0 1")
        session.json_ok("set fwd io")
        session.json_ok("start for 10ms")
        session.json_ok("port 1 txq 1 stop")
        assert "lcore 1 can use none of them" in session.json("start")["error"]["message"]


def test_kept_over_restarts(binary, tmp_path):
    """start may restart ports, for another pool: what was stopped remains so, and what is set up anew while its port runs."""
    with Rig(binary, tmp_path) as session:
        session.json_ok("port 1 txq 1 stop")
        session.json_ok("set extbuf mode pinned")
        stopped = ("1 txq 1",)
        session.json_ok("set fwd extbuf")
        session.json_ok("start")
        wait_until(session.moved, "packets")
        streams = session.json_ok("stop")["streams"]
        session.all_sent(streams, "extbuf")
        check("extbuf", streams, stopped)
        assert session.json_ok("show txq info 1 1")["state"] == "stopped"
        session.json_ok("port 1 txq 1 setup")
        assert session.json_ok("show txq info 1 1")["state"] == "stopped"
        check("io", session.forward("io"), stopped)
