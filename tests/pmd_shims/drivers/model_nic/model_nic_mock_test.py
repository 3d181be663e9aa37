# SPDX-License-Identifier: BSD-3-Clause
"""Mock ports: the drivers' own receive and transmit functions over queues that no probe made; every packet accounted for."""
import shutil

import pytest
from conftest import cpu_has

from mocks import LACKS, Mock
from modelled import GOOD, MOCK, PATIENT, all_good, dpdk_release, forward
from session import Session, wait_until

pytestmark = pytest.mark.skipif(LACKS != "", reason=f"mock ports are left out: {LACKS}")

JUMBO = ["--max-pkt-len=4000", "--enable-scatter", "--tx-offloads=0x8000"]


NAMED = dpdk_release() >= "25.07"  # iavf says since then which functions it chose


def forwards(binary, tmp_path, words, args=(), *, engine="io", packets=200_000, paths=None, **options):
    """Verified packets through two ports on these paths: none lost, changed, or armed twice; the driver counts them all."""
    if "512" in words and not cpu_has("avx512bw"):
        pytest.skip("this CPU has no AVX512")
    with Mock(binary, f"{words},verify,count={packets}", tmp_path, args, **options) as session:
        assert paths is None or session.paths() == paths
        text = forward(session, engine, 2 * packets)
        all_good(session.reports(), packets)
        assert session.received == 2 * packets
    return text


@pytest.mark.rotates(4)
@pytest.mark.parametrize("words, args, paths", [
    ("mlx5", [], ("Vector SSE", "Enhanced MPW + Fast Free")),
    ("mlx5,rx_path=scalar,tx_path=single", [], ("Scalar", "No MPW + Fast Free")),
    ("mlx5,zip=hash,size=60-1514,inline=200", [], ("Vector SSE", "Enhanced MPW + INLINE + METADATA + Fast Free")),
    ("mlx5,zip=l34,tx_path=legacy", [], ("Vector SSE", "Legacy MPW + Fast Free")),
    ("mlx5,zip=l34,rx_path=scalar,tx_path=legacy,inline=200", [], ("Scalar", "Legacy MPW + INLINE + Fast Free")),
    ("mlx5,size=60-3000,inline=960,tx_path=single", JUMBO,
     ("Scalar", "No MPW + MULTI + TSO + INLINE + METADATA")),
    ("i40e", [], ("Vector AVX2", "Vector AVX2")),
    ("i40e,rx_path=sse,tx_path=sse,size=60-1514", [], ("Vector SSE", "Vector SSE")),
    ("i40e,rx_path=avx512,tx_path=avx512", [], ("Vector AVX512", "Vector AVX512")),
    ("i40e,rx_path=bulk,tx_path=simple", [], ("Scalar Bulk Alloc", "Scalar Simple")),
    ("i40e,rx_path=scalar,tx_path=full", [], ("Scalar", "Scalar")),
    ("i40e,size=60-3000", JUMBO,
     ("Vector AVX2 Scattered", "Scalar")),
    ("i40e,rx_path=scalar,size=60-3000", JUMBO,
     ("Scalar Scattered", "Scalar")),
    ("ice", [], ("Vector AVX2", "Vector AVX2")),
    ("ice,rx_path=sse,tx_path=sse,size=60-1514", [], ("Vector SSE", "Vector SSE")),
    ("ice,rx_path=bulk,tx_path=simple", [], ("Scalar Bulk Alloc", "Scalar Simple")),
    ("ice,rx_path=scalar,tx_path=full", [], ("Scalar", "Scalar")),
    ("ice,size=60-3000", JUMBO, ("Vector AVX2 Scattered", "Scalar")),
    ("iavf,size=60-1514", [], ("Vector AVX2", "Vector AVX2") if NAMED else ()),
    ("iavf,rx_path=bulk,tx_path=full", [], ("Scalar Bulk Alloc", "Scalar") if NAMED else ()),
    ("ixgbe", [], ("Vector SSE", "Vector SSE")),
    ("ixgbe_vf,size=60-1514", [], ("Vector SSE", "Vector SSE")),
    ("ixgbe,rx_path=bulk,tx_path=simple,size=60-1514", [], ("Scalar bulk alloc", "Scalar simple")),
    ("ixgbe,rx_path=scalar,tx_path=full", [], ("Scalar", "Scalar")),
    ("ixgbe,size=60-3000", JUMBO, ("Vector SSE scattered", "Scalar")),
    ("ixgbe,rx_path=bulk,size=60-3000", JUMBO, ("Scalar LRO bulk alloc", "Scalar")),
    ("ixgbe,rx_path=scalar,size=60-3000", JUMBO, ("Scalar LRO single alloc", "Scalar")),
])
def test_paths(binary, tmp_path, words, args, paths):
    if "AVX2" in str(paths) and not (cpu_has("avx2") and cpu_has("avx512f")):  # the driver needs both
        pytest.skip("the driver chooses no AVX2 on this CPU")
    if "rx_path=sse" in words and dpdk_release() >= "26.03":
        pytest.skip("Intel's drivers have no SSE functions since DPDK 26.03")
    forwards(binary, tmp_path, words, args, paths=paths)


@pytest.mark.rotates(3)
@pytest.mark.parametrize("words", ["mlx5", "i40e", "ixgbe"])
def test_mac(binary, tmp_path, words):
    """An engine that writes into packets, sizes mixed."""
    forwards(binary, tmp_path, f"{words},size=imix", engine="mac")


@pytest.mark.rotates(3)
@pytest.mark.parametrize("words, queues", [("mlx5", 16), ("i40e", 4), ("ixgbe", 4)])
def test_queues(binary, tmp_path, words, queues):
    args = [f"--rxq={queues}", f"--txq={queues}", "--rxd=256", "--txd=256"]
    text = forwards(binary, tmp_path, f"{words},flows=256", args)
    assert text.count("Forward Stats for RX Port= 0/Queue=") == queues


# Vector functions give up what they cannot refill and go on with less; the others need what transmit rings hold, and some.
@pytest.mark.parametrize("words, spare", [("mlx5", 40), ("i40e,tx_path=full", 40), *(pytest.param(*row, marks=pytest.mark.extended) for row in (
    ("mlx5,rx_path=scalar", 160), ("i40e,rx_path=bulk,tx_path=full", 160), ("i40e,rx_path=scalar,tx_path=full", 160), ("ixgbe,tx_path=full", 40)))])
def test_starved(binary, tmp_path, words, spare):
    """Hardly more buffers than receive rings hold: receiving fails because there are none left and goes on; nothing is lost."""
    args = ["--rxd=512", "--txd=64", "--mbcache=0", "--burst=64"]
    with Mock(binary, f"{words},verify,count=50000", tmp_path, args, mbufs=2 * 512 + spare) as session:
        forward(session, "io", 100_000)
        all_good(session.reports(), 50_000)
    assert session.starved > 0


def test_testpmd(testpmd, tmp_path):
    """The plugin needs nothing of zcfwd."""
    forwards(testpmd, tmp_path, "mlx5")


@pytest.mark.rotates(3)
@pytest.mark.parametrize("words, steps", [
    ("mlx5,inline=200", [("tx_offload multi_segs on", "+ MULTI"), ("tx_offload vlan_insert on", "+ VLAN"),
                         ("tx_offload udp_cksum on", "+ CSUM"), ("tx_offload multi_segs off", "MPW + SWP")]),
    ("i40e", [("tx_offload multi_segs on", "Scalar"), ("tx_offload multi_segs off", "Vector"),
              ("tx_offload mbuf_fast_free off", "Vector")]),
    ("ixgbe", [("tx_offload multi_segs on", "Scalar"), ("tx_offload multi_segs off", "Vector")]),
])
def test_restart(binary, tmp_path, words, steps):
    """Each time with another function: what was under way when a port stopped is all that is missing, and buffers stay known."""
    with Mock(binary, f"{words},verify", tmp_path) as session:
        session.ok("set fwd io retry", PATIENT)
        for step, path in [("", ""), *steps]:
            session.ok("port stop all")
            if step:
                session.ok(f"port config 0 {step}", f"port config 1 {step}")
            session.ok("port start all")
            assert path in session.paths()[1]
            before = session.count("TX-packets")
            session.ok("start")
            wait_until(lambda: session.count("TX-packets") > before + 50_000, f"packets after {step!r}", 30)
            session.ok("stop")
        session.quit()
        for report in session.reports():
            assert {name: report[name] for name in GOOD if name != "missing" and report[name]} == {}, report
            assert report["missing"] <= 2 * 512 * (len(steps) + 1)


def test_detach(binary, tmp_path):
    """A port that comes back with another driver."""
    with Mock(binary, ["mlx5", "mlx5"], tmp_path) as session:
        session.ok("port stop all", "port close 0", "port detach 0",
                   "port attach net_mock0,driver=i40e,rx_path=bulk,tx_path=simple", "port start all")
        assert session.paths() == ("Scalar Bulk Alloc", "Scalar Simple")
        session.ok("set fwd io retry", PATIENT, "start")
        wait_until(lambda: session.count("TX-packets") > 20_000, "packets", 20)
        session.ok("stop")
        session.quit()
        assert session.rc == 0
        assert [report["device"] for report in session.reports()] == ["i40e", "mlx5"]


@pytest.mark.rotates(2)
@pytest.mark.parametrize("words, wanted", [
    ("driver=mlx4", ("mlx4", "mlx5, i40e, ice, iavf, ixgbe or ixgbe_vf")),
    ("size=60", ("size=60", "driver=")),
    ("driver=mlx5,rx_path=bulk", ("rx_path=bulk", "vector, scalar")),
    ("driver=i40e,tx_path=fast", ("tx_path=fast", "sse, avx2, avx512")),
    ("driver=i40e,zip=hash", ("zip=hash", "mlx5")),
    ("driver=mlx5,inline=5", ("inline=5", "18..960")),
    ("driver=mlx5,size=1", ("size=1", "60..9724")),
    ("driver=mlx5,queues=17", ("queues=17", "1..16")),
])
def test_bad_words(binary, words, wanted):
    with Session(binary, [f"net_mock0,{words}", "net_mock1,driver=mlx5,rx=wire:0"], interactive=False,
                 eal=["-d", MOCK, "--iova-mode=va"]) as session:
        session.finish(ends=1)
        complaints = [line for line in session.stderr().splitlines() if line.startswith("net_mock")]
    assert len(complaints) == 1, complaints
    assert all(word in complaints[0] for word in wanted), complaints


@pytest.mark.extended
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="no valgrind, which stands for a CPU without AVX512")
@pytest.mark.parametrize("words", ["rx_path=avx2", "tx_path=avx512"])
def test_cpu_lacks(binary, words):
    """A path that the CPU has not is refused: the driver would take a lesser one without a word."""
    with Session(binary, [f"net_mock0,driver=i40e,{words}"], interactive=False, wrapper=("valgrind", "--quiet", "--tool=none"),
                 eal=["-d", MOCK, "--iova-mode=va"]) as session:
        session.eof()  # it ends, whatever it thinks of the words
        session.finish(ends=1)
        complaints = [line for line in session.stderr().splitlines() if line.startswith("net_mock")]
    assert len(complaints) == 1 and f'"{words}": driver=i40e: this CPU has no AVX' in complaints[0], complaints
