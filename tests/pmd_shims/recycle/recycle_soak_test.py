# SPDX-License-Identifier: BSD-3-Clause
"""Recycling for long where worlds have no ports: virtio, chains of mbufs, routes that flip, with changes at random moments."""
import os
import random
import time

import pytest
from conftest import SEED
from scapy.layers.inet import IP, TCP

from mocks import LACKS
from modelled import GOOD, MOCK, PATIENT, SEGMENTS, VHOST, Modelled
from packets import IP4, ether, write_pcap
from recycling import ENGINES, all_through, figures, pools_are_full, starve
from session import wait_until
from stats import port_stats

PACKETS = int(os.environ.get("SOAK_PACKETS", "100000000"))
MANY = int(os.environ.get("SOAK_PACKETS", "1000000000"))  # of windows
CHANGES = ("set recycle mode ring", "set recycle mode off", "set recycle mode cache", "set recycle mode ring", "set recycle pair auto",
           "set recycle pair 0 0 0 0", "set recycle pair 1 0 1 0", "set recycle pair traffic", "set recycle pair 0 0 1 0", "set recycle pair auto")
FAULTS = {"stall tx": 300, "starve rx": 300}
VIRTIO = (("in_order=0,vectorized=1", ()), ("packed_vq=1,in_order=1,vectorized=1", ("--rxfreet=64", "--txfreet=768")))
RINGS = ["--rxd=512", "--txd=1024"]


def recycled(session):
    return sum(stream["moved"] for stream in figures(session))


def change(session, chance, faults, engines=("recycle_mbufs", *ENGINES), lines=CHANGES):
    what = chance.randrange(8)
    if what == 0:  # an engine that recycles, at times after one that does not
        session.ok("stop", *chance.choice(((), ("set recycle off", "set fwd io retry", "start", "stop", "set recycle on"))),
                   f"set fwd {chance.choice(engines)} retry", "start")
    elif what < 3:
        kind = chance.choice(faults)
        session.fault(chance.randrange(2), f"{kind} {chance.randint(1, FAULTS[kind])}")
    else:
        session.ok(chance.choice(lines))


def soak(session, capsys, name, *, packets=PACKETS, ports=2, engine="recycle_mbufs", change=change, moves=recycled, faults=tuple(FAULTS), good=GOOD):
    """All that was generated comes back whole, no buffer is armed twice, and each mbuf is in its pool. ZCFWD_TEST_SEED: the same again."""
    seed = SEED
    chance, end, moved = random.Random(seed), time.monotonic() + max(3600, packets // 100_000), 0
    session.ok("set recycle on", f"set fwd {engine} retry", PATIENT, "start")
    while any(session.report(port)["generated"] < packets // ports for port in range(ports)):
        assert time.monotonic() < end, seed
        moved += moves(session)
        change(session, chance, faults)
        time.sleep(chance.uniform(0, .5))
    for port in range(ports):
        wait_until(lambda: session.report(port)["missing"] == 0, f"all of port {port} back, seed {seed}", 60)
    session.ok("stop")
    session.ok("port stop all", "port close all")  # net_virtio keeps its mbufs until then
    pools_are_full(session)
    session.quit()
    assert session.rc == 0 and moved > 0, seed
    for report in session.reports():
        assert {what: report[what] for what in good} == dict.fromkeys(good, 0), seed
        assert report["generated"] == packets // ports, seed
    with capsys.disabled():
        print(f"recycle soak: {name}: {packets} packets, seed {seed}")


def in_runs():
    """TCP flows of which 1 to 16 segments follow each other."""
    return [bytes(ether() / IP(**IP4, id=run * start + i) / TCP(sport=1000 + run, dport=2000, seq=40 * (run * start + i), ack=1, flags="A") / (b"x" * 40))
            for start in range(64) for run in range(1, 17) for i in range(run)]


@pytest.mark.soak
@pytest.mark.skipif(LACKS != "", reason=f"mock ports are left out: {LACKS}")
@pytest.mark.parametrize("words", ["", ",zip=hash"])
def test_chains(binary, tmp_path, capsys, words):
    """GRO makes chains of 1 to 16 segments, which net_mlx5's functions send while pairs and modes change."""
    write_pcap(tmp_path / "in", in_runs())
    chance, end, moved = random.Random(SEED), time.monotonic() + 3600, 0
    ports = [f"net_mock{port},driver=mlx5,rx=pcap:{tmp_path}/in:0{words}" for port in (0, 1)]
    with Modelled(binary, "", tmp_path, [*RINGS, SEGMENTS], plugin=MOCK, vdevs=ports) as session:
        session.ok("set port 0 gro on", "set port 1 gro on", "set fwd csum retry", "set recycle on", PATIENT, "start")
        while sum(port_stats(session, port)["RX-packets"] for port in (0, 1)) < PACKETS:
            assert time.monotonic() < end, SEED
            moved += sum(stream["moved"] for stream in figures(session))
            change(session, chance, tuple(FAULTS), engines=("csum",))
            time.sleep(chance.uniform(0, .5))
        session.ok("stop", "port stop all")
        pools_are_full(session)
        counted = [port_stats(session, port) for port in (0, 1)]
    assert moved > 0, SEED
    assert sum(port["TX-packets"] for port in counted) < sum(port["RX-packets"] for port in counted) / 2, "GRO made no chains"
    with capsys.disabled():
        print(f"recycle soak: chains{words}: {PACKETS} packets, seed {SEED}")


@pytest.mark.soak
@pytest.mark.parametrize("window", ["off", "192", "auto"])
@pytest.mark.parametrize("ring, args", VIRTIO)
def test_virtio(binary, tmp_path, monkeypatch, capsys, ring, args, window):
    packets, lines = (PACKETS, ()) if window == "off" else (MANY, (f"--recycle-window={window}",))
    monkeypatch.setenv("VHOST_NIC", str(tmp_path))
    ports = [f"net_virtio_user{i},path={tmp_path}/{i},queue_size=1024,mrg_rxbuf=0,{ring}" for i in (0, 1)]
    with Modelled(binary, f"virtio,verify,count={packets // 2},flows=64,size=60-300*2", tmp_path, ["--rxd=1024", "--txd=1024", *args, *lines],
                  eal=["--force-max-simd-bitwidth=512"], plugin=VHOST, vdevs=ports) as session:
        # A full packed ring makes net_virtio's vectors lose packets by themselves: no stalls there.
        soak(session, capsys, f"virtio {ring}, window {window}", packets=packets, faults=("starve rx",) if "packed" in ring else tuple(FAULTS))


FLOWS = 64
L3FWD_CHANGES = ("set recycle mode ring", "set recycle mode off", "set recycle mode cache", "set recycle mode ring",
                 "set recycle pair auto", "set recycle pair 0 0 0 0", "set recycle pair 0 0 2 0", "set recycle pair 1 0 0 0", "set recycle pair 2 0 1 0")


def routes(tmp_path, way):
    """A file: everything to one of three ports, five-tuples to all three, by turns."""
    path = tmp_path / f"routes{way}"
    path.write_text(f"198.18.0.0/15 {way}\n" + "".join(
        f"198.18.0.{flow} 198.19.0.1 {0x4000 + flow} 4661 udp {(flow + way) % 3}\n" for flow in range(FLOWS)), encoding="ascii")
    return path


def restart(session, port, reset):
    """A port, with nothing under way. reset: after its card did one by itself."""
    all_through(session, 3)
    session.ok("stop")
    if reset:
        session.fault(port, "reset")
        time.sleep(.2)  # it is announced, and comes 100 ms later
        starve(session, 3600000, 3)
        session.cmd(f"port stop {port}", 60)  # net_i40e logs that its card does not answer
        session.cmd(f"port reset {port}", 60)
    else:
        session.ok(f"port stop {port}")
    session.ok(f"port start {port}")
    # net_ixgbe may need seconds; nothing is sent before, and nobody waits for ever for a full Tx ring.
    wait_until(lambda: "Link status: up" in session.cmd(f"show port info {port}"), "the link", 60)
    session.ok("start")
    starve(session, 1, 3)


@pytest.mark.soak
@pytest.mark.parametrize("devices, bits, in_order", [("xl710 xl710 xl710", 256, False), ("xl710 82599 xl710", 512, False), ("xl710 82599 x540", 128, True)])
def test_l3fwd(binary, tmp_path, capsys, devices, bits, in_order):
    """Routes flip and ports restart as well; in_order: nothing is under way when routes flip, so that no flow may overtake itself."""
    files = [routes(tmp_path, way) for way in range(3)]

    def l3fwd_change(session, chance, faults):
        what = chance.randrange(20)
        if what == 0:
            port = chance.randrange(3)
            restart(session, port, reset=devices.split()[port] == "xl710" and chance.random() < .3)
        elif what < 3:
            kind = chance.choice(faults)
            session.fault(chance.randrange(3), f"{kind} {chance.randint(1, FAULTS[kind])}")
        elif what < 10:
            if in_order:
                all_through(session, 3)
            if what == 3:
                session.ok("stop", f"set l3fwd lookup {chance.choice(('fib', 'lpm', 'em'))}", "start")
            else:
                session.ok(f"route load {chance.choice(files)}")
            if in_order:
                starve(session, 1, 3)
        else:
            session.ok(chance.choice((*L3FWD_CHANGES, *["set recycle pair traffic"] * len(L3FWD_CHANGES))))

    words = ";".join(f"{device},verify,count={PACKETS // 3},flows={FLOWS},size=60-300" for device in devices.split())
    with Modelled(binary, words, tmp_path, RINGS, bits=bits) as session:
        session.ok(f"route load {files[0]}", "set recycle pair traffic")
        soak(session, capsys, f"l3fwd {devices} {bits}", ports=3, engine="l3fwd", change=l3fwd_change,
             good=[what for what in GOOD if in_order or what != "reordered"])
