# SPDX-License-Identifier: BSD-3-Clause
"""Virtio ports whose vhost backends are in the same process, and packets through them."""
import pathlib
import re
import tempfile

from conftest import cpu_has
from packets import read_pcap, write_pcap
from session import Session, wait_until
from stats import port_stats

WIDE = cpu_has("avx512f")
PATIENT = "set burst tx delay 20 retry 60000"
# Receive functions, then more transmit functions: device arguments of virtio-user.
SPLIT = "mrg_rxbuf=0,in_order=0,vectorized=1"
PACKED = "mrg_rxbuf=0,packed_vq=1,vectorized=1"
PCAP_IN, VHOST_IN, VHOST_OUT, PCAP_OUT, VIRTIO_IN, VIRTIO_OUT = range(6)


def numbered(n, first=0, longest=1400):
    """Packets that tell their number, of all sizes in turn."""
    return [bytes.fromhex("0200000000010200000000028874") + number.to_bytes(4, "big") +
            bytes((number + i) & 0xff for i in range(46 + number * 37 % (longest - 64)))
            for number in range(first, first + n)]


def eal_args(log="lib.vhost*:critical"):
    """For ordinary pages, which are one file in any case."""
    return [f"--log-level={log}", "--log-level=pmd.net.virtio*:critical",
            *(["--force-max-simd-bitwidth=512"] if WIDE else [])]


def attach(session, number, path, devargs):
    answer = session.cmd(f"port attach net_virtio_user{number},path={path},mac=02:00:00:00:01:0{number},{devargs}")
    assert "is attached" in answer, answer + session.stderr()


def linked(session, ports):
    """The backends have taken over their queues."""
    def up():
        found = dict(re.findall(r"(?m)^(\d+) .* (up|down) ", session.cmd("show port summary all")))
        return all(found[str(port)] == "up" for port in ports)
    wait_until(up, f"links of {ports} up", 30)


def recycled(session):
    """show recycle, one object per stream."""
    session.cmd("set output json")
    streams = session.json_ok("show recycle")["streams"]
    session.cmd("set output text")
    return streams


def figures(session):
    """The same by receiving port, of ports with one queue."""
    return {stream["rx_port"]: stream for stream in recycled(session)}


def surplus(session):
    """Mbufs in the pool beyond its size: negative when some are out, positive when some are in twice. show pool hides the latter."""
    size = int(re.search(r"size=(\d+)", session.cmd("show pool")).group(1))
    ring = int(re.search(r" used=(\d+)", session.cmd("dump_ring MP_mb_pool_0")).group(1))
    caches = re.findall(r"total_cache_count=(\d+)", session.cmd("dump_mempool mb_pool_0"))  # none with --mbcache=0
    return ring + sum(map(int, caches)) - size


class Chain(Session):
    """A file, vhost, virtio, virtio, vhost, a file: packets go through two virtio devices, each forwarding to the next port.

    Ports are numbered as above; the virtio ones come with open(). back: packets in the other file, for the other direction.
    vhost: the backends' devices, of a number and a path. engines: devices that come first.
    """

    def __init__(self, binary, tmp_path, packets, args=(), *, back=(), pool="--total-num-mbufs=8192",
                 vhost="net_vhost{},iface={}".format, engines=(), eal=()):
        self.folder = tempfile.TemporaryDirectory(prefix="zcs")  # DPDK 25.11 attaches devices of at most 127 bytes
        self.sockets = [pathlib.Path(self.folder.name) / name for name in ("in", "out")]
        self.sent = {PCAP_OUT: packets, PCAP_IN: list(back)}  # by the port where they come out
        self.files = {PCAP_OUT: tmp_path / "out", PCAP_IN: tmp_path / "back_out"}
        write_pcap(tmp_path / "in", packets)
        write_pcap(tmp_path / "back_in", back)
        super().__init__(binary, [*engines, f"net_pcap0,rx_pcap={tmp_path}/in,tx_pcap={self.files[PCAP_IN]}",
                                  *(vhost(i, path) for i, path in enumerate(self.sockets)),
                                  f"net_pcap1,rx_pcap={tmp_path}/back_in,tx_pcap={self.files[PCAP_OUT]}"],
                         ["--no-flush-rx", *args], eal=[*eal_args(), *eal], pool=pool)

    def open(self, first, second):
        for number, devargs in enumerate((first, second)):
            attach(self, number, self.sockets[number], devargs)
        self.ok("port start all")
        linked(self, (VHOST_IN, VHOST_OUT))

    def forward(self, engine="recycle_mbufs", between=lambda: None):
        """All packets once; returns the figures of the run."""
        self.ok(f"set fwd {engine} retry", PATIENT, "start")
        between()
        for port, packets in self.sent.items():
            wait_until(lambda port=port, packets=packets: port_stats(self, port)["TX-packets"] >= len(packets), f"all sent by port {port}", 60)
        streams = figures(self) if engine == "recycle_mbufs" else None
        self.cmd("stop")
        return streams

    def received(self):
        """What came out since the last call, by port; the files begin anew."""
        for port in self.files:
            self.cmd(f"port stop {port}")
        packets = {port: read_pcap(path) for port, path in self.files.items()}
        for port in self.files:
            self.cmd(f"port start {port}")
        self.cmd("clear port stats all")
        return packets

    def shut(self):
        """Close the virtio ports; returns surplus()."""
        for port in (VIRTIO_IN, VIRTIO_OUT):
            self.cmd(f"port stop {port}")
            self.cmd(f"port close {port}")
            self.cmd(f"port detach {port}")
        return surplus(self)
