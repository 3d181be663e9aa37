# SPDX-License-Identifier: BSD-3-Clause
"""Guests behind net_async_vhost and the engine vhost: packets whole and in order whoever copies, and guests that come and go."""
import signal

import pytest

from recorded import lines, of_type
from session import Session, wait_until
from telemetry import Telemetry
from vhost_peer import ENGINES, QUIET, RING, VHOST, Backend, Guest
from virtio_pair import VHOST_IN, VHOST_OUT, Chain, numbered

N = 250  # all fit into a ring: an lcore that retries does not look after the other end
FREED_TWICE = 1024  # net_virtio's mbufs when a packed ring goes; net_vhost shows the same
LONG = 4000  # bytes of a packet at most: some are copied by the CPU, some by the engine, some lie in two mbufs


def vhost_json(session):
    session.cmd("set output json")
    answer = session.json_ok("show vhost")
    session.cmd("set output text")
    return answer["ports"]


@pytest.mark.parametrize("engine", ["vhost", pytest.param("io", marks=pytest.mark.extended)])
def test_one_process(binary, tmp_path, engine):
    """A guest's port to another guest's, both ways, in every way of copying, changed between runs."""
    devices = [f"dma_skeleton{i}" for i in range(4)] + [f"dma_adaptive{i},dev=dma_skeleton{i},min_len=1024,min_len_nr=1024" for i in range(4)]

    def vhost(i, path):
        return f"net_async_vhost{i},iface={path},dmas=[txq0@dma_adaptive{i};rxq0@dma_adaptive{i + 2}]"
    with Chain(binary, tmp_path, numbered(N, longest=LONG), back=numbered(N, 7000, LONG), vhost=vhost, engines=devices,
               eal=QUIET) as session:
        session.open(f"{RING},mrg_rxbuf=1", f"{RING},packed_vq={int(engine == 'io')},mrg_rxbuf=1")
        for copy in ("adaptive", "cpu", "dma"):
            session.ok(f"set vhost {VHOST_IN} 0 copy {copy}", f"set vhost {VHOST_OUT} 0 copy {copy}")
            session.forward(engine)
            assert session.received() == session.sent
            for port in vhost_json(session):
                for queue in port["queues"]:
                    assert queue["copy"] == copy and (queue["dma_bytes"] > 0 or copy == "cpu"), queue
                    assert queue["in_flight"] == queue["drained"] == queue["refused"] == 0, queue
                    assert queue["packets"] > 0
        surplus = session.shut()
        assert 0 <= surplus <= (FREED_TWICE if engine == "io" else 0)
        assert session.quit()[1] == 0


def changing(session):
    """Who copies changes while packets flow."""
    for copy in ("cpu", "dma", "adaptive", "dma", "cpu", "adaptive"):
        session.ok(f"set vhost {VHOST} 0 copy {copy}")


@pytest.mark.parametrize("kind", ENGINES)
def test_two_processes(binary, tmp_path, kind):
    with Backend(binary, tmp_path, numbered(N, longest=LONG), kind) as backend, Guest(binary, backend.path) as guest:
        guest.loop()
        backend.await_guest()
        backend.all_there_and_back()
        queues = {queue["direction"]: queue for queue in backend.vhost()["queues"]}
        for queue in queues.values():
            assert queue["packets"] == N and queue["bytes"] == sum(map(len, backend.sent)), queue
            assert (queue["dma_bytes"] > 0) == (kind != "none") and (queue["cpu_bytes"] > 0) == (kind != "skeleton"), queue
        if kind == "adaptive":
            backend.all_there_and_back(between=lambda: changing(backend))
        backend.nothing_out()
        assert backend.quit()[1] == 0
        guest.cmd("stop")


def test_queues(binary, tmp_path):
    """Four queues, each with engines of its own; the guest answers on the queue where it was asked."""
    with Backend(binary, tmp_path, numbered(N, longest=LONG), "adaptive", queues=4) as backend:
        backend.ok("port stop all", "port config all rxq 1", "port config all txq 1", "port start all")
        with Guest(binary, backend.path, "mrg_rxbuf=1", queues=4) as guest:
            guest.loop()
            backend.await_guest()
            backend.all_there_and_back()
            guest.cmd("stop")


def test_guest_killed(binary, tmp_path):
    """With packets in flight both ways: the backend goes on, nothing is leaked, the next guest gets everything."""
    with Backend(binary, tmp_path, numbered(N, longest=LONG)) as backend:
        for kill in (True, False, True):
            with Guest(binary, backend.path) as guest:
                guest.loop()
                backend.await_guest()
                backend.ok("set fwd vhost", "start")
                wait_until(lambda: backend.vhost()["queues"][1]["packets"] > 0, "packets to the guest")
                guest.signal(signal.SIGKILL if kill else signal.SIGTERM)
                backend.await_guest(False)
                backend.ok("stop", "port stop 0", "port start 0", "clear port stats all")
        assert backend.vhost()["disconnects"] == 3
        with Guest(binary, backend.path) as guest:
            guest.loop()
            backend.await_guest()
            backend.all_there_and_back()
            guest.cmd("stop")
        backend.nothing_out()
        assert backend.quit()[1] == 0


@pytest.mark.extended
def test_backend_killed(binary, tmp_path):
    """The next one takes over the path that the first one left; a guest that listens is found again."""
    with Backend(binary, tmp_path, numbered(N)) as backend:
        backend.signal(signal.SIGKILL)
        backend.finish()
    with Backend(binary, tmp_path, numbered(N)) as backend, Guest(binary, backend.path) as guest:
        guest.loop()
        backend.await_guest()
        backend.signal(signal.SIGKILL)
        backend.finish()
        guest.cmd("stop")
        assert guest.quit()[1] == 0
        backend.path.unlink()
    with Backend(binary, tmp_path, numbered(N), devargs=",client=1") as first:
        with Guest(binary, first.path, "server=1,mrg_rxbuf=1") as guest:
            guest.loop()
            first.await_guest()
            first.all_there_and_back()
            first.signal(signal.SIGKILL)
            first.finish()
            with Backend(binary, tmp_path, numbered(N), devargs=",client=1") as second:
                second.await_guest()
                second.all_there_and_back()
                second.nothing_out()
            guest.cmd("stop")


@pytest.mark.extended
def test_client_connects_again(binary, tmp_path):
    """A port that connects: before anybody listens, and again to the next guest when one is killed under traffic or quits."""
    with Backend(binary, tmp_path, numbered(N, longest=LONG), devargs=",client=1") as backend:
        assert not backend.vhost()["connected"]
        for number, kill in enumerate((True, False, True)):
            with Guest(binary, backend.path, "server=1,mrg_rxbuf=1") as guest:
                guest.loop()
                backend.await_guest()
                backend.all_there_and_back()
                backend.ok("set fwd vhost", "start")
                wait_until(lambda: backend.vhost()["queues"][1]["packets"] > 0, "packets to the guest")
                guest.signal(signal.SIGKILL if kill else signal.SIGTERM)
                backend.await_guest(False)
                backend.ok("stop", "port stop 0", "port start 0", "clear port stats all")
            backend.path.unlink(missing_ok=True)
            assert (backend.vhost()["connects"], backend.vhost()["disconnects"]) == (number + 1, number + 1)
        backend.nothing_out()
        assert backend.quit()[1] == 0


def test_rows(binary, tmp_path):
    """Virtqueues in a recording, interval by interval, over telemetry and in show vhost: one set of rows, the same sums; so are DMA devices."""
    path = tmp_path / "run.jsonl"
    rows = ("packets", "bytes", "cpu_bytes", "dma_bytes", "drained", "refused", "csum")
    with Backend(binary, tmp_path, numbered(N, longest=LONG), telemetry=True) as backend, Guest(binary, backend.path) as guest, Telemetry(backend) as client:
        guest.loop()
        backend.await_guest()
        backend.ok(f"record start {path} every 5")
        backend.all_there_and_back()
        told = client.pages("/zcfwd/group,virtqueue", "members").values()
        backend.ok("record stop")
        shown = {queue["direction"]: queue for queue in backend.vhost()["queues"]}
        engines = client.pages("/zcfwd/dma", "dma").values()
        guest.cmd("stop")
    recorded = lines(path)
    (end,) = of_type(recorded, "end")
    found = {}
    for line in of_type(recorded, "interval"):
        for queue in line["groups"]["virtqueue"]:
            sums = found.setdefault((queue["stream"], queue["direction"]), dict.fromkeys(rows, 0))
            sums.update({row: sums[row] + queue[row] for row in rows})
    for queues in (told, end["groups"]["virtqueue"]):
        assert {(queue["stream"], queue["direction"]): {row: queue[row] for row in rows} for queue in queues} == found
    for (_, direction), sums in found.items():
        assert sums == {row: shown[direction][row] for row in rows} and sums["packets"] == N
        assert sums["cpu_bytes"] > 0 and sums["dma_bytes"] > 0
    copied = sum(engine["vchan0"][side] for engine in engines if engine["driver"] == "dma_adaptive" for side in ("cpu_bytes", "dma_bytes"))
    assert copied == sum(sums["cpu_bytes"] + sums["dma_bytes"] for sums in found.values())


BAD = {
    "iface=/dev/null": "/dev/null: exists and is not a socket",
    "iface=/none/s": "/none/s: no folder /none",
    "queues=2": "iface: expected the path of a socket",
    "iface={0}/s,queues=65": "queues: expected 1..64",
    "iface={0}/s,dmas=[txq1@dma_skeleton0]": "dmas: txq1@dma_skeleton0: expected a queue in 0..0",
    "iface={0}/s,dmas=txq0@dma_skeleton0": "expected [txq0@DEVICE;rxq0@DEVICE]",
}


def test_bad_arguments(binary, tmp_path):
    with Session(binary, ["dma_skeleton0"], eal=QUIET[:1]) as session:
        for devargs, why in BAD.items():
            before = len(session.stderr())
            session.cmd(f"port attach net_async_vhost0,{devargs.format(tmp_path)}")
            assert why in session.stderr()[before:], session.stderr()[before:]
        assert "no net_async_vhost port" in session.cmd("show vhost") + session.stderr()
        for dmas, why in {"txq0@dma_none": "no DMA device dma_none", "txq0@dma_skeleton0;rxq0@dma_skeleton0": "has 1 vchans"}.items():
            before = len(session.stderr())
            session.cmd(f"port attach net_async_vhost0,iface={tmp_path}/s,dmas=[{dmas}]")
            session.cmd("port start all")
            assert why in session.stderr()[before:], session.stderr()[before:]
            session.cmd("port close all")
            session.cmd("port detach 0")
        assert session.quit()[1] == 0
