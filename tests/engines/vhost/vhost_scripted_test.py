# SPDX-License-Identifier: BSD-3-Clause
"""net_async_vhost over an engine that costs and hangs as the test says: the threshold that is found on packets, ports that end anyway."""
import pytest

from conftest import binary_path
from modelled import loadable
from packets import write_pcap
from session import Session, wait_until
from vhost_peer import QUIET, RING, Guest
from virtio_pair import eal_args, numbered, surplus

SCRIPTED = binary_path().parent / "tests/fixtures/dma_scripted_plugin.so"
NEVER = 2 ** 32 - 1  # a threshold
ROOMY = ["--mbuf-size=9500", "--txd=64"]  # a packet in one mbuf on either side; few sent packets that do not count
FEW = "--total-num-mbufs=4096"
STEADY = 20  # answers in a row: other thresholds are tried in between
FILE, VHOST = range(2)

pytestmark = pytest.mark.skipif(not SCRIPTED.exists(), reason="built without DPDK's source")


class Backend(Session):
    """The same packets from a file for ever to a guest, whose engine is scripted."""

    def __init__(self, binary, tmp_path, packets, engine, min_len, args=(), **options):
        self.path = tmp_path / "s"
        write_pcap(tmp_path / "in", packets)
        super().__init__(binary, [f"dma_scripted0,{engine}", f"dma_adaptive0,dev=dma_scripted0,min_len={min_len}",
                                  f"net_pcap0,rx_pcap={tmp_path}/in,tx_pcap={tmp_path}/out,infinite_rx=1",
                                  f"net_async_vhost0,iface={self.path},dmas=[txq0@dma_adaptive0;rxq0@dma_adaptive0]"],
                         ["--no-flush-rx", *args], eal=[*eal_args(), *QUIET, "-d", loadable(SCRIPTED)], **{"pool": FEW, **options})

    def shown(self):
        """The transmit queue of show vhost, and its channel of show dma."""
        self.cmd("set output json")
        port = self.json_ok("show vhost")["ports"][0]
        device = next(one for one in self.json_ok("show dma")["dma"] if one["name"] == "dma_adaptive0")
        self.cmd("set output text")
        queue = next(queue for queue in port["queues"] if queue["direction"] == "tx")
        return port, queue, device[f"vchan{queue['vchan']}"]


@pytest.mark.parametrize("engine, length, begin, right", [
    ("tells=1,cost=1000", 1500, 0, lambda bytes: bytes > 1500),  # an engine that costs far more than any copy
    ("tells=1", 9000, NEVER, lambda bytes: bytes <= 9000),  # one that costs nothing
], ids=["dear", "free"])
def test_auto(binary, tmp_path, engine, length, begin, right):
    """A threshold as wrong as can be moves to where it belongs, and what was set comes back."""
    packets = [bytes(12) + b"\x88\xb5" + bytes(length - 14)] * 64
    with Backend(binary, tmp_path, packets, engine, begin, ROOMY, lcores="0@0,1@1") as backend:
        with Session(binary, [f"net_virtio_user0,path={backend.path},{RING},mrg_rxbuf=1"], ["--no-flush-rx", "--port-topology=loop", *ROOMY],
                     eal=[*eal_args(), "--iova-mode=va"], pool=FEW, lcores="0@1,1@0") as guest:
            guest.ok("set fwd rxonly", "start")
            wait_until(lambda: backend.shown()[0]["connected"], "a guest", 30)
            assert backend.shown()[1]["min_len"] == begin
            backend.ok(f"set vhost {VHOST} 0 copy auto", "set fwd vhost", "start")

            def found():
                return all(right(queue["min_len"]) and right(channel["min_len_near"]) for _, queue, channel in (backend.shown() for _ in range(STEADY)))
            wait_until(found, "the right threshold", 120)
            assert backend.shown()[1]["copy"] == "auto"
            backend.ok("stop", f"set vhost {VHOST} 0 copy adaptive")
            assert backend.shown()[1]["min_len"] == backend.shown()[2]["min_len_near"] == begin
            guest.cmd("stop")
        assert backend.quit()[1] == 0


@pytest.mark.parametrize("ends", [("port stop all",), ("port stop all", "port close all"), ()], ids=["stop", "close", "quit"])
def test_engine_hangs(binary, tmp_path, ends):
    """Copies that never end: ports stop and close with their guest there. The engine is stopped, so its packets return to their pool."""
    packets = numbered(64, longest=200)
    with Backend(binary, tmp_path, packets, "stepped=1", 0, pool="--total-num-mbufs=8192") as backend, \
            Guest(binary, backend.path) as guest:
        guest.loop()
        wait_until(lambda: backend.shown()[0]["connected"], "a guest", 30)
        backend.ok("set fwd vhost", "start")
        wait_until(lambda: backend.shown()[1]["in_flight"] > 0, "copies in flight")
        backend.ok("stop")
        for line in ends:
            backend.ok(line)
        if ends:
            kept = 0 if "port close all" in ends else len(packets)  # by net_pcap, to send them again
            assert surplus(backend) == -kept
        guest.cmd("stop")
        assert backend.quit()[1] == 0
