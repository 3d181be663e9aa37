# SPDX-License-Identifier: BSD-3-Clause
"""Mbuf recycling on modelled NICs: every packet intact, no buffer armed twice, all pools full again."""
import subprocess

import pytest

from modelled import PATIENT, STOPPED, Modelled, all_good, forward
from session import Session, wait_until


def dpdk_release():
    """Of the installed DPDK: "22.11.11"."""
    return subprocess.run(["pkg-config", "--modversion", "libdpdk"], check=True, capture_output=True, text=True).stdout.strip()


def figures(session):
    """show recycle as objects, one per stream."""
    session.cmd("set output json")
    streams = session.json_ok("show recycle")["streams"]
    session.cmd("set output text")
    return streams


def pools_are_full(session):
    session.ok("set output json")
    assert sum(pool["in_use"] for pool in session.json_ok("show pool")["pools"]) == 0
    session.cmd("set output text")


def pool_is_full(session):
    """With all ports stopped no mbuf is out."""
    session.ok("port stop all")
    pools_are_full(session)


def run_recycling(session, packets):
    """Forward that many; returns the figures of the run."""
    for line in ("set fwd recycle_mbufs retry", PATIENT, "start"):
        session.ok(line)
    wait_until(lambda: session.count("TX-packets") >= packets, f"{packets} packets sent", 60)
    streams = figures(session)
    session.cmd("stop")
    return streams


def all_recycled(streams):
    """Most of what was received came in mbufs that had been sent before; on a busy machine drivers often come first. recycle_* is exact."""
    for stream in streams:
        assert [pair["paired"] for pair in stream["pairs"]] == [True], stream
        assert stream["moved"] > 0.5 * stream["rx"] and stream["topped_up"] == stream["foreign"] == 0, stream


# xl710's functions by width; ixgbe has SSE ones only, the width is the shim's.
WIDTHS = [("xl710", 128), ("xl710", 256), ("xl710", 512), ("82599", 128), ("82599", 512), ("x540", 256)]
each_width = pytest.mark.parametrize("device, bits", WIDTHS)
each_device = pytest.mark.parametrize("device", ["xl710", "82599"])


@pytest.mark.parametrize("ring, rs", [(64, 32), (512, 32), (1024, 64), (4096, 32)])
@each_width
def test_rings(binary, tmp_path, device, bits, ring, rs):
    if ring == 64 and dpdk_release() >= "25.11":
        pytest.skip("since DPDK 25.11 vector functions arm 64 descriptors at a time and starve by themselves in a ring of 64")
    if device != "xl710":
        rs = 32  # ixgbe's vector function takes no other
    count = 50_000 if ring == 64 else 200_000  # where lcore and card share a CPU, a small ring lasts for a moment only
    with Modelled(binary, f"{device},verify,count={count},flows=16*2", tmp_path,
                  [f"--rxd={ring}", f"--txd={ring}", f"--txrst={rs}", f"--txfreet={rs}"],
                  eal=[f"--force-max-simd-bitwidth={bits}"]) as session:
        streams = run_recycling(session, 2 * count)
        if ring > 64 and rs == 32:
            all_recycled(streams)
        if ring > 64:  # from a small ring the driver itself may take everything first: recycle_xl710_* has it step by step
            assert all(stream["moved"] > 0 for stream in streams)
        pool_is_full(session)
        session.quit()
        all_good(session.reports(), count)


def test_two_drivers(binary, tmp_path):
    """What one driver has sent, the other receives into."""
    with Modelled(binary, "xl710,verify,count=200000,flows=16;82599,verify,count=200000,flows=16", tmp_path) as session:
        all_recycled(run_recycling(session, 400_000))
        pool_is_full(session)
        session.quit()
        all_good(session.reports(), 200_000)


@each_device
def test_queues_and_restart(binary, tmp_path, device):
    """Four queues; another engine, ring size and burst function in between."""
    with Modelled(binary, f"{device},flows=64*2", tmp_path, ["--rxq=4", "--txq=4", "--rss-udp"]) as session:
        for change in (("set fwd io",), ("port config all rxd 256",), ("port config mtu 0 4000", "port config mtu 1 4000"),
                       ("port config all rxq 2", "port config all txq 2")):
            session.ok("port stop all", *change, "port start all")
            all_recycled(run_recycling(session, session.count("TX-packets") + 400_000))
        pool_is_full(session)
        session.quit()
        assert session.rc == 0


@each_width
def test_zc_cache(binary, tmp_path, device, bits):
    """Through the lcore's mempool cache instead of from ring to ring."""
    with Modelled(binary, f"{device},verify,count=200000,flows=16*2", tmp_path, ["--recycle-mode=zc_cache", "--tx-offloads=0x0"],
                  eal=[f"--force-max-simd-bitwidth={bits}"]) as session:
        all_recycled(run_recycling(session, 400_000))
        pool_is_full(session)
        session.quit()
        all_good(session.reports(), 200_000)


BUCKET = ["--recycle-mode=contig", "--mbuf-pool-ops=bucket", "--mbcache=0", "--mbuf-size=1152", "--max-pkt-len=1000"]  # blocks of 3 without huge pages


@each_device
def test_contig(binary, tmp_path, device):
    """Out of contiguous blocks, over a restart and a change of the mode; what is left of a block goes back at the stop; without blocks it forwards as io."""
    with Modelled(binary, f"{device},verify,count=200000,flows=16*2", tmp_path, BUCKET) as session:
        session.ok("set fwd recycle_mbufs retry", PATIENT, "start")
        wait_until(lambda: session.count("TX-packets") > 50_000, "packets")
        session.ok("set recycle mode ring")
        wait_until(lambda: sum(stream["moved"] for stream in figures(session)) > 0, "recycled mbufs", 20)
        session.ok("set recycle mode contig", "stop")
        for stream in run_recycling(session, 400_000):
            assert stream["from_blocks"] > 0 and stream["moved"] == 0, stream
            assert stream["mode"] == "contig" and stream["pairs"][0]["tx_path"].endswith("of mb_pool_0"), stream
        pool_is_full(session)
        session.ok("set pool ops stack", "port start all", "start")
        assert "its driver, stack, has no contiguous blocks" in session.cmd("show recycle")
        session.ok("stop")
        session.quit()
        all_good(session.reports(), 200_000)


@pytest.mark.parametrize("ops", ["stack", "bucket"])
def test_two_pools(binary, tmp_path, ops):
    """Ports that receive into pools of two mempool drivers: each queue takes back its own mbufs and no others."""
    with Modelled(binary, "xl710,verify,count=200000,flows=16*2", tmp_path, [STOPPED]) as session:
        session.ok(f"port config 0 pool_ops {ops}", "port start all")
        session.ok("set fwd recycle_mbufs retry", PATIENT, "start")
        wait_until(lambda: all(stream["moved"] > 0 for stream in figures(session)), "recycled mbufs", 20)
        assert all(stream["foreign"] == 0 for stream in figures(session))
        session.ok("set recycle pair 0 0 0 0", "set recycle pair 1 0 1 0")
        wait_until(lambda: all(stream["foreign"] > 0 for stream in figures(session)), "mbufs of the other pool", 20)
        wait_until(lambda: session.count("TX-packets") >= 400_000, "400000 packets sent", 60)
        session.cmd("stop")
        pool_is_full(session)
        session.quit()
        all_good(session.reports(), 200_000)


@pytest.mark.parametrize("device, bits, option, reason", [
    ("xl710", 512, "--tx-offloads=0x1", "Scalar: keeps sent mbufs in chains"),
    ("82599", 512, "--tx-offloads=0x1", "Scalar: keeps sent mbufs in chains"),
    ("xl710", 512, "--recycle-mode=off", "recycling is off"),
    ("xl710", 512, "--recycle-mode=zc_cache", "gives whole batches to the mempool cache by itself"),
    ("xl710", 128, "--recycle-mode=zc_cache", "gives whole batches to the mempool cache by itself"),
])
def test_not_paired(binary, tmp_path, device, bits, option, reason):
    """What cannot be paired forwards as io, and show recycle says why."""
    with Modelled(binary, f"{device},verify,count=100000*2", tmp_path, [option], eal=[f"--force-max-simd-bitwidth={bits}"]) as session:
        for stream in run_recycling(session, 200_000):
            assert reason in stream["pairs"][0]["reason"]
        session.quit()
        all_good(session.reports(), 100_000)


@pytest.mark.parametrize("device, path", [("xl710", "Scalar Bulk Alloc"), ("82599", "Scalar")])
def test_scalar_refused(binary, tmp_path, device, path):
    if device == "82599" and dpdk_release() >= "25.11":
        path = "Scalar bulk alloc"  # it names its functions there
    with Modelled(binary, f"{device},verify,count=100000*2", tmp_path, eal=["--force-max-simd-bitwidth=64"]) as session:
        for stream in run_recycling(session, 200_000):
            assert f"{path}: refills its ring while it receives" in stream["pairs"][0]["reason"]
        session.quit()
        all_good(session.reports(), 100_000)


def test_other_driver(binary):
    """net_null has no rings to pair: io, with the reason."""
    with Session(binary) as session:
        session.ok("set fwd recycle_mbufs", "start")
        assert "driver net_null cannot be paired" in session.cmd("show recycle")
        session.ok("stop")


@each_device
def test_pairs_change_under_load(binary, tmp_path, device):
    """Modes and pairs change while packets flow; nothing is lost."""
    with Modelled(binary, f"{device},verify,count=2000000,flows=16*2", tmp_path) as session:
        for line in ("set fwd recycle_mbufs retry", PATIENT, "start"):
            session.ok(line)
        changes = ["set recycle pair 0 0 0 0", "set recycle pair 1 0 1 0", "set recycle mode off", "set recycle pair auto",
                   "set recycle mode zc_cache", "set recycle mode ring", "set recycle pair 0 0 0 0", "set recycle pair 0 0 1 0", "set recycle pair auto"]
        while session.count("TX-packets") < 4_000_000:
            session.ok(*changes)
        session.cmd("stop")
        pool_is_full(session)
        session.quit()
        all_good(session.reports(), 2_000_000)


@pytest.mark.parametrize("line, words", [
    ("set recycle mode on", ('"on"', "off, ring, zc_cache or contig")),
    ("set recycle pair 0 0 7 0", ("7",)),
    ("set recycle pair 0 9 1 0", ("no stream", "queue 9")),
    ("show recycle", ("recycle_mbufs",)),
])
def test_bad_input(binary, tmp_path, line, words):
    with Modelled(binary, "xl710*2", tmp_path) as session:
        session.ok(*([] if line == "show recycle" else ["set fwd recycle_mbufs", "start"]))
        answer = session.cmd(line) + session.stderr()
        assert all(word in answer for word in words), answer
        session.quit()
