# SPDX-License-Identifier: BSD-3-Clause
"""Recycling for long: verified packets while pairs, modes, engines and faults come and go at random moments."""
import os
import random
import time

import pytest

from model_nic_mock_test import LACKS
from modelled import GOOD, MOCK, PATIENT, VHOST, Modelled
from recycle_test import ENGINES, WIDTHS, figures, pools_are_full
from session import wait_until

PACKETS = int(os.environ.get("SOAK_PACKETS", "100000000"))
CHANGES = ("set recycle mode ring", "set recycle mode zc_cache", "set recycle mode off", "set recycle mode ring", "set recycle pair auto",
           "set recycle pair 0 0 0 0", "set recycle pair 1 0 1 0", "set recycle pair traffic", "set recycle pair 0 0 1 0", "set recycle pair auto")
FAULTS = {"stall tx": 300, "starve rx": 300}
MOCKS = ("mlx5", "mlx5,zip=hash", "ixgbe,tx_path=simple", "i40e,tx_path=simple")


def change(session, chance, faults, engines):
    what = chance.randrange(8)
    if what == 0:  # an engine that recycles, at times after one that does not
        session.ok("stop", *chance.choice(((), ("set recycle off", "set fwd io retry", "start", "stop", "set recycle on"))),
                   f"set fwd {chance.choice(engines)} retry", "start")
    elif what < 3:
        kind = chance.choice(faults)
        session.fault(chance.randrange(2), f"{kind} {chance.randint(1, FAULTS[kind])}")
    else:
        session.ok(chance.choice(CHANGES))


def soak(session, capsys, name, faults=tuple(FAULTS), engines=("recycle_mbufs", *ENGINES)):
    """All that was generated comes back whole, no buffer is armed twice, and each mbuf is in its pool. SOAK_SEED: the same again."""
    seed = int(os.environ.get("SOAK_SEED", random.randrange(1 << 32)))
    chance, end, moved = random.Random(seed), time.monotonic() + 3600, 0
    session.ok("set recycle on", "set fwd recycle_mbufs retry", PATIENT, "start")
    while any(session.report(port)["generated"] < PACKETS // 2 for port in (0, 1)):
        assert time.monotonic() < end, seed
        moved += sum(stream["moved"] for stream in figures(session))
        change(session, chance, faults, engines)
        time.sleep(chance.uniform(0, .5))
    for port in (0, 1):
        wait_until(lambda: session.report(port)["missing"] == 0, f"all of port {port} back, seed {seed}", 60)
    session.ok("stop")
    session.ok("port stop all", "port close all")  # net_virtio keeps its mbufs until then
    pools_are_full(session)
    session.quit()
    assert session.rc == 0 and moved > 0, seed
    for report in session.reports():
        assert {what: report[what] for what in GOOD} == dict.fromkeys(GOOD, 0), seed
        assert report["generated"] == PACKETS // 2, seed
    with capsys.disabled():
        print(f"recycle soak: {name}: {PACKETS} packets, seed {seed}")


@pytest.mark.soak
@pytest.mark.parametrize("device, bits", WIDTHS)
def test_modelled(binary, tmp_path, capsys, device, bits):
    with Modelled(binary, f"{device},verify,count={PACKETS // 2},flows=64,size=60-300*2", tmp_path, ["--rxd=512", "--txd=1024"],
                  eal=[f"--force-max-simd-bitwidth={bits}"]) as session:
        soak(session, capsys, f"{device} {bits}")


@pytest.mark.soak
@pytest.mark.skipif(LACKS != "", reason=f"mock ports are left out: {LACKS}")
@pytest.mark.parametrize("words", MOCKS)
def test_mock(binary, tmp_path, capsys, words):
    ports = [f"net_mock{i},driver={words},verify,count={PACKETS // 2},flows=64,size=60-300" for i in (0, 1)]
    with Modelled(binary, "", tmp_path, ["--rxd=512", "--txd=1024"], plugin=MOCK, vdevs=ports) as session:
        soak(session, capsys, f"mock {words}")


@pytest.mark.soak
@pytest.mark.parametrize("ring, args", [("in_order=0,vectorized=1", ()), ("packed_vq=1,in_order=1,vectorized=1", ("--rxfreet=64", "--txfreet=768"))])
def test_virtio(binary, tmp_path, monkeypatch, capsys, ring, args):
    monkeypatch.setenv("VHOST_NIC", str(tmp_path))
    ports = [f"net_virtio_user{i},path={tmp_path}/{i},queue_size=1024,mrg_rxbuf=0,{ring}" for i in (0, 1)]
    with Modelled(binary, f"virtio,verify,count={PACKETS // 2},flows=64,size=60-300*2", tmp_path, ["--rxd=1024", "--txd=1024", *args],
                  eal=["--single-file-segments", "--force-max-simd-bitwidth=512"], plugin=VHOST, vdevs=ports) as session:
        # A full packed ring makes net_virtio's vectors lose packets by themselves: no stalls there.
        soak(session, capsys, f"virtio {ring}", faults=("starve rx",) if "packed" in ring else tuple(FAULTS))
