# SPDX-License-Identifier: BSD-3-Clause
"""Mbuf recycling between virtio-user and vhost-user: every packet intact and in order, all pools full again."""
import pytest

from packets import read_pcap, write_pcap
from session import Session, wait_until
from silent_backend import SilentBackend
from stats import port_stats
from virtio_pair import (PACKED, PATIENT, PCAP_IN, PCAP_OUT, SPLIT, VHOST_IN, VHOST_OUT, VIRTIO_IN, VIRTIO_OUT, WIDE, Chain,
                         attach, eal_args, figures, linked, numbered, recycled, surplus)

pytestmark = pytest.mark.usefixtures("of_the_table")
N = 6400  # 25 times round the rings; a multiple of the batches, so that nothing is left over
TX = {
    "split standard": "mrg_rxbuf=0,in_order=0",
    "split in-order": "mrg_rxbuf=0",
    "packed in-order": "packed_vq=1,mrg_rxbuf=0",
    **({"packed vectorised": "packed_vq=1,mrg_rxbuf=0,vectorized=1"} if WIDE else {}),
}
# When a packed queue that received by the vector function is closed, net_virtio frees once more what was received and not yet replaced.
FREED_TWICE = 64


@pytest.mark.parametrize("devargs, path", [(SPLIT, "split vectorised"), pytest.param(
    PACKED, "packed vectorised", marks=pytest.mark.skipif(not WIDE, reason="needs AVX-512"))], ids=["split", "packed"])
def test_paths(binary, tmp_path, devargs, path):
    """One receive function, all transmit functions after each other in one process: each is bound anew."""
    with Chain(binary, tmp_path, numbered(N), ["--rxfreet=64", "--txfreet=192"]) as session:
        for tx_path, tx_devargs in TX.items():
            session.open(devargs, tx_devargs)
            session.forward("io")  # so that the next run finds other mbufs in the places where it arms
            session.received()
            stream = session.forward()[VIRTIO_IN]
            pair = stream["pairs"][0]
            assert pair["paired"] and pair["rx_path"] == f"net_virtio_user {path}" and pair["tx_path"] == f"net_virtio_user {tx_path}", pair
            assert stream["rx"] == N and stream["moved"] > N / 2 and stream["topped_up"] == stream["foreign"] == stream["shared"] == 0, stream
            assert session.received() == session.sent
            assert 0 <= session.shut() <= (FREED_TWICE if path.startswith("packed") else 0)
        assert session.quit()[1] == 0


def test_cache(binary, tmp_path):
    """Into the lcore's mempool cache instead of from ring to ring."""
    with Chain(binary, tmp_path, numbered(N), ["--recycle-mode=cache"]) as session:
        session.open(SPLIT, SPLIT)
        assert session.forward()[VIRTIO_IN]["moved"] > N / 2
        assert session.received() == session.sent and session.shut() == 0


REFUSED = {
    "mrg_rxbuf=0,in_order=0": "split standard: refills its ring while it receives",
    "in_order=0": "split mergeable: refills its ring while it receives",
    "mrg_rxbuf=0": "split in-order: refills its ring while it receives",
    "packed_vq=1,mrg_rxbuf=0": "packed standard: refills its ring while it receives",
    "packed_vq=1": "packed mergeable: refills its ring while it receives",
    **({PACKED: "packed vectorised: refills 32 slots while it receives, which leaves too few: use rx_free_thresh"} if WIDE else {}),
}


@pytest.mark.extended
def test_refused(binary, tmp_path):
    """Paths that leave nothing to arm forward as io does, and show recycle says why."""
    with Chain(binary, tmp_path, numbered(N)) as session:
        for devargs, reason in REFUSED.items():
            session.open(devargs, devargs)
            stream = session.forward()[VIRTIO_IN]
            assert reason in stream["pairs"][0]["reason"], stream
            assert stream["moved"] == 0 and session.received() == session.sent
            assert 0 <= session.shut() <= (FREED_TWICE if devargs == PACKED else 0)


def test_transmit_refused(binary, tmp_path):
    """Out of order, net_virtio loses track of packed rings by itself as soon as packets take several descriptors; with vectors it is fast to free."""
    refused = {
        "packed_vq=1,mrg_rxbuf=0,in_order=0": "packed standard: confuses packets of several segments",
        **({PACKED: "packed vectorised: frees sent mbufs itself once 32 are in flight"} if WIDE else {}),
    }
    with Chain(binary, tmp_path, numbered(N)) as session:
        for devargs, reason in refused.items():
            session.open(SPLIT, devargs)
            stream = session.forward()[VIRTIO_IN]
            assert reason in stream["pairs"][0]["reason"], stream
            assert stream["moved"] == 0 and session.received() == session.sent
            assert 0 <= session.shut() <= (FREED_TWICE if devargs == PACKED else 0)


def test_small_ring(binary, tmp_path):
    """No packets: the driver itself cannot send more than once round such a ring."""
    with Chain(binary, tmp_path, numbered(1)) as session:
        session.open(f"{SPLIT},queue_size=32", f"{SPLIT},queue_size=32")
        session.ok("set fwd recycle_mbufs", "start")
        assert "32 receive descriptors: expected at least 64" in figures(session)[VIRTIO_IN]["pairs"][0]["reason"]
        session.ok("stop")


def test_silent_backend(binary, tmp_path):
    """Nobody but the driver can notify a backend."""
    with SilentBackend(tmp_path / "sock"), \
            Session(binary, (f"net_virtio_user0,path={tmp_path}/sock,{SPLIT}",), ["--port-topology=loop"], eal=eal_args()) as session:
        session.ok("set fwd recycle_mbufs", "start")
        assert "its backend does not poll but needs notifications" in figures(session)[0]["pairs"][0]["reason"]
        session.ok("stop")


@pytest.mark.parametrize("size", [64, 1024])
def test_ring_sizes(binary, tmp_path, size):
    with Chain(binary, tmp_path, numbered(N)) as session:
        session.open(f"{SPLIT},queue_size={size}", f"{SPLIT},queue_size={size}")
        assert session.forward()[VIRTIO_IN]["moved"] > (N - size) / 2
        assert session.received() == session.sent and session.shut() == 0


@pytest.mark.extended
def test_restarts(binary, tmp_path):
    """Stopped and started with other engines and receive functions: bound anew each time, or not."""
    with Chain(binary, tmp_path, numbered(N)) as session:
        session.open(SPLIT, SPLIT)
        for offload, paired in (("off", True), ("on", False), ("off", False)):  # net_virtio does not go back to its vector function
            session.ok(f"port stop {VIRTIO_IN}", f"port config {VIRTIO_IN} rx_offload udp_cksum {offload}", f"port start {VIRTIO_IN}")
            linked(session, (VHOST_IN, VHOST_OUT))
            session.forward("io")
            assert session.received() == session.sent
            pair = session.forward()[VIRTIO_IN]["pairs"][0]
            assert pair["paired"] == paired, pair
            assert session.received() == session.sent
        assert session.shut() == 0


def test_changes_under_load(binary, tmp_path):
    """Modes and pairs change while packets flow; nothing is lost."""
    packets = numbered(3 * N)
    changes = [f"set recycle pair {VIRTIO_IN} 0 {VIRTIO_IN} 0", "set recycle mode off", "set recycle pair auto", "set recycle mode cache",
               f"set recycle pair {VIRTIO_OUT} 0 {VIRTIO_OUT} 0", "set recycle mode ring", "set recycle pair auto"]
    with Chain(binary, tmp_path, packets) as session:
        session.open(SPLIT, SPLIT)
        assert session.forward(between=lambda: session.ok(*changes * 3))[VIRTIO_IN]["moved"] > 0
        assert session.received() == session.sent and session.shut() == 0


def test_pool_exhausted(binary, tmp_path):
    """Fewer mbufs than the rings take: the file's reader drops, what passes is intact and in order, and all mbufs come back."""
    packets = numbered(3 * N)
    with Chain(binary, tmp_path, packets, ["--mbcache=0"], pool="--total-num-mbufs=1100") as session:
        session.open(f"{SPLIT},queue_size=512", f"{SPLIT},queue_size=512")
        session.ok("set fwd recycle_mbufs retry", PATIENT, "start")
        wait_until(lambda: sum(port_stats(session, PCAP_IN)[name] for name in ("RX-packets", "RX-nombuf")) >= len(packets), "all packets read", 30)
        passed = port_stats(session, PCAP_IN)["RX-packets"]
        wait_until(lambda: port_stats(session, PCAP_OUT)["TX-packets"] >= passed, "all packets sent", 30)
        assert figures(session)[VIRTIO_IN]["moved"] > 0
        session.cmd("stop")
        left = iter(packets)
        received = session.received()[PCAP_OUT]
        assert len(received) == passed and all(packet in left for packet in received)
        assert session.shut() == 0


# The vector function of packed rings believes that the mbufs of its first fill are as new: it comes first, or alone.
@pytest.mark.parametrize("devargs, txs", [(SPLIT, list(reversed(TX.values()))), pytest.param(
    PACKED, [PACKED], marks=pytest.mark.skipif(not WIDE, reason="needs AVX-512"))], ids=["split", "packed"])
def test_segments(binary, tmp_path, devargs, txs):
    """Sent packets of up to eight mbufs, in one, two or more descriptors: one takes a place in the receive ring, the others go to the pool."""
    with Chain(binary, tmp_path, numbered(N // 4), ["--rxfreet=64", "--txfreet=768", "--rxd=1024"], back=numbered(N // 4, longest=16000),
               pool="--total-num-mbufs=24576") as session:
        for tx_devargs in txs:
            session.open(*(f"{each},queue_size=1024" for each in (devargs, tx_devargs)))  # a burst of the longest in chains
            session.ok(f"set portlist {PCAP_IN},{VHOST_IN},{PCAP_OUT},{VIRTIO_OUT},{VHOST_OUT},{VIRTIO_IN}",
                       f"set recycle pair {VIRTIO_IN} 0 {VIRTIO_OUT} 0")
            stream = session.forward()[VIRTIO_IN]
            assert stream["moved"] > 0 and stream["freed"] > 0 and stream["shared"] == stream["foreign"] == 0, stream
            assert session.received() == session.sent
            assert 0 <= session.shut() <= (0 if devargs == SPLIT else 2 * FREED_TWICE)


@pytest.mark.extended
def test_two_processes(binary, tmp_path):
    """Backends in another process, two queues; the ports that recycle are stopped and started in between.

    Whether anything is moved is the machine's: where the processes wait for each other, the driver is first.
    """
    half = [numbered(N, first) for first in (0, N)]
    for i, packets in enumerate(half):
        write_pcap(tmp_path / f"in{i}", packets)
    files = ["".join(f",{end}={tmp_path}/{name}{i}" for i in (0, 1)) for end, name in (("rx_pcap", "in"), ("tx_pcap", "out"))]
    backends = [f"net_pcap0{files[0]}", *(f"net_vhost{i},iface={tmp_path}/sock{i},queues=2" for i in (0, 1)), f"net_pcap1{files[1]}"]
    devices = [f"net_virtio_user{i},path={tmp_path}/sock{i},queues=2,{SPLIT}" for i in (0, 1)]
    queues = ["--rxq=2", "--txq=2"]
    with Session(binary, backends, ["--no-flush-rx", *queues], lcores="0@1,1@0", eal=eal_args()) as near, \
            Session(binary, devices, queues, lcores="0@0,1@1", eal=eal_args()) as far:
        for _ in range(2):
            linked(near, (1, 2))
            far.ok("set fwd recycle_mbufs retry", PATIENT, "start")
            near.ok("set fwd io retry", PATIENT, "start")
            wait_until(lambda: port_stats(near, 3)["TX-packets"] >= 2 * N, "all packets sent", 30)
            streams = [stream for stream in recycled(far) if stream["rx_port"] == 0]
            assert [(stream["rx"], [pair["paired"] for pair in stream["pairs"]]) for stream in streams] == 2 * [(N, [True])], streams
            near.cmd("stop")
            far.cmd("stop")
            for line in ("port stop 0", "port stop 3"):
                near.cmd(line)
            assert [read_pcap(tmp_path / f"out{i}") for i in (0, 1)] == half
            for line in ("port start 0", "port start 3", "clear port stats all"):
                near.cmd(line)
            far.ok("port stop all", "port start all")
        far.ok("port stop all", "port close all")
        assert surplus(far) == 0
