# SPDX-License-Identifier: BSD-3-Clause
"""A backend with guests' ports and a guest that sends back what it gets, in two processes."""
import itertools

from packets import read_pcap, write_pcap
from session import Session, wait_until
from stats import port_stats
from virtio_pair import PATIENT, eal_args, surplus

FILE, VHOST = range(2)  # the backend's ports
QUIET = ("--iova-mode=va", "--log-level=pmd.net.async_vhost:critical", "--log-level=lib.dmadev:critical")
RING = "queue_size=1024"  # all packets of a test: nobody waits for room while others wait for him
ENGINES = {"none": "", "skeleton": "dma_skeleton", "adaptive": "dma_adaptive"}


def engines(kind, queues=1):
    """DMA devices for both directions of so many queues, and the device argument that names them."""
    if not ENGINES[kind]:
        return [], ""
    n = range(2 * queues)
    devices = [f"dma_skeleton{i}" for i in n] + [f"dma_adaptive{i},dev=dma_skeleton{i},min_len=1024,min_len_nr=1024"
                                                 for i in n if kind == "adaptive"]
    named = ";".join(f"{'tr'[i % 2]}xq{i // 2}@{ENGINES[kind]}{i}" for i in n)
    return devices, f",dmas=[{named}]"


class Backend(Session):
    """Port 0 is a pair of files, port 1 a guest's; what the first receives the guest gets, and the other way round."""

    def __init__(self, binary, tmp_path, packets, kind="adaptive", devargs="", args=(), queues=1, **options):
        self.path, self.sent = tmp_path / "guest.sock", packets
        self.file = tmp_path / "back"
        write_pcap(tmp_path / "in", packets)
        devices, dmas = engines(kind, queues)
        self.again = itertools.count(1)
        super().__init__(binary, [*devices, f"net_pcap0,rx_pcap={tmp_path}/in,tx_pcap={self.file}",
                                  f"net_async_vhost0,iface={self.path},queues={queues}{devargs}{dmas}"],
                         ["--no-flush-rx", *args], eal=[*eal_args(), *QUIET], **options)

    def vhost(self):
        """show vhost: the guest's port."""
        self.cmd("set output json")
        port = self.json_ok("show vhost")["ports"][0]
        self.cmd("set output text")
        return port

    def await_guest(self, connected=True):
        wait_until(lambda: self.vhost()["connected"] == connected, f"guest connected: {connected}", 30)

    def all_there_and_back(self, engine="vhost", between=lambda: None):
        """Every packet to the guest and back, whole and in order."""
        self.ok(f"set fwd {engine} retry", PATIENT, "start")
        between()
        wait_until(lambda: port_stats(self, FILE)["TX-packets"] >= len(self.sent), "all back from the guest", 60)
        self.ok("stop", "port stop 0")
        assert read_pcap(self.file) == self.sent
        self.ok("port start 0", "clear port stats all")

    def nothing_out(self):
        """All mbufs are in the pool once the ports are stopped."""
        self.ok("port stop all")
        assert all(queue["in_flight"] == 0 for queue in self.vhost()["queues"])
        assert surplus(self) == 0


class Guest(Session):
    """A guest with one device, that sends back on it what it receives."""

    def __init__(self, binary, path, devargs="mrg_rxbuf=1", queues=1, memory=None, args=(), **options):
        super().__init__(binary, [f"net_virtio_user0,path={path},queues={queues},{RING},{devargs}"],
                         ["--no-flush-rx", "--port-topology=loop", f"--rxq={queues}", f"--txq={queues}", *args],
                         eal=["--iova-mode=va"], memory=memory, **options)

    def loop(self, patient=PATIENT):
        """patient: how long it retries before it drops a packet."""
        self.ok("set fwd io retry", patient, "start")
