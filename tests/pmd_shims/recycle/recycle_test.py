# SPDX-License-Identifier: BSD-3-Clause
"""Mbuf recycling on modelled NICs: every packet intact, no buffer armed twice, all pools full again."""

import mmap
import signal

import pytest
from conftest import cpu_has
from scapy.layers.inet import ICMP, IP, UDP

from mocks import LACKS
from modelled import GOOD, MOCK, PATIENT, STOPPED, VHOST, Modelled, all_good, dpdk_release
from packets import IP4, PORTS, ether, write_pcap
from recycling import ENGINES, all_through, figures, pool_is_full, pools_are_full
from session import Session, wait_until
from stats import port_stats


OTHERS = ("txonly", "rxonly", "flowgen", "shared_rxq", "extbuf")
HOLDS = ("--noisy-tx-sw-buffer-size=100", "--noisy-tx-sw-buffer-flushtime=1")  # noisy keeps that many of each stream, for a while


def run_recycling(session, packets, engine="recycle_mbufs"):
    """Forward that many; returns the figures of the run."""
    session.ok(*(() if engine == "recycle_mbufs" else ("set recycle on",)))
    for line in (f"set fwd {engine} retry", PATIENT, "start"):
        session.ok(line)
    wait_until(lambda: session.count("TX-packets") >= packets, f"{packets} packets sent", 60)
    streams = figures(session)
    session.cmd("stop")
    return streams


def recycled(streams):
    """
    Each stream is paired, and mbufs that it sent were received into again. How many depends on who comes first, the pair or the driver,
    and so on the load of the machine: recycle_* counts them on cards that move when the test says so.
    """
    for stream in streams:
        assert [pair["paired"] for pair in stream["pairs"]] == [True], stream
        assert stream["moved"] > 0 and stream["topped_up"] == stream["foreign"] == 0, stream


each_device = pytest.mark.parametrize("device", ["xl710", "82599"])


@pytest.mark.rotates(3)
@pytest.mark.skipif(LACKS != "", reason=f"mock ports are left out: {LACKS}")
@pytest.mark.parametrize("driver", ["i40e", "ixgbe", "mlx5"])
def test_virtio_and_another(binary, tmp_path, monkeypatch, driver):
    """Each port sends what it receives, to the plugin that verifies it; the mbufs that it has sent feed the other's ring."""
    monkeypatch.setenv("VHOST_NIC", str(tmp_path))
    ports = [f"net_mock0,driver={driver},verify,flows=16",  # no end: virtio's device begins later
             f"net_virtio_user0,path={tmp_path}/0,queue_size=512,mrg_rxbuf=0,in_order=0,vectorized=1"]
    with Modelled(binary, "virtio,verify,count=300000,flows=16", tmp_path, ["--rxd=512", "--txd=512", "--tx-offloads=0x0", "--port-topology=loop"],
                  eal=["-d", VHOST], plugin=MOCK, vdevs=ports) as session:
        session.ok("set fwd recycle_mbufs retry", PATIENT, "set recycle pair 0 0 1 0", "set recycle pair 1 0 0 0", "start")
        # Since 25.11 Intel's rings take 64 at a time; virtio hands out 32.
        refused = driver != "mlx5" and dpdk_release() >= "25.11"
        wait_until(lambda: port_stats(session, 1)["TX-packets"] >= 300_000 and all(stream["moved"] > 0 for stream in figures(session)[refused:]), "virtio's packets, and recycled mbufs", 60)
        for stream in figures(session):
            [pair] = stream["pairs"]
            assert pair["tx_port"] != stream["rx_port"] and pair["paired"] == (not refused or stream["rx_port"] == 1), stream
        session.cmd("stop")
        session.ok("port stop all", "port close all")  # net_virtio keeps its mbufs until then
        pools_are_full(session)
        session.quit()
        assert session.rc == 0
        all_good(session.reports(), 300_000)


BUCKET = ["--recycle-mode=contig", "--mbuf-pool-ops=bucket", "--mbcache=0", "--mbuf-size=1152", "--max-pkt-len=1000"]  # blocks of 3 without huge pages


def with_no_blocks(session):
    """All packets are through, all mbufs back; then it runs with a pool that has no blocks."""
    all_through(session)
    session.ok("stop")
    pool_is_full(session)
    session.ok("set pool ops stack", "port start all", "start")


def end(session):
    """Quit; the cards found no fault."""
    session.ok("stop")
    session.quit()
    for report in session.reports():
        assert {name: report[name] for name in GOOD} == dict.fromkeys(GOOD, 0), report


@pytest.mark.rotates(2)
@each_device
def test_contig(binary, tmp_path, device):
    """Out of contiguous blocks, over a restart and a change of the mode; what is left of a block goes back at the stop; without blocks it forwards as io."""
    with Modelled(binary, f"{device},verify,flows=16*2", tmp_path, BUCKET) as session:
        session.ok("set fwd recycle_mbufs retry", PATIENT)
        for _ in range(2):
            session.ok("start")
            wait_until(lambda: all(stream["from_blocks"] > 0 for stream in figures(session)), "mbufs of blocks", 20)
            for stream in figures(session):
                assert stream["moved"] == 0 and stream["mode"] == "contig" and stream["pairs"][0]["tx_path"].endswith("of mb_pool_0"), stream
            session.ok("set recycle mode ring")
            wait_until(lambda: all(stream["moved"] > 0 for stream in figures(session)), "recycled mbufs", 20)
            session.ok("set recycle mode contig", "stop")
        session.ok("start")
        with_no_blocks(session)
        assert "its driver, stack, has no contiguous blocks" in session.cmd("show recycle")
        end(session)


@pytest.mark.rotates(2)
@each_device
def test_contig_auto(binary, tmp_path, device):
    """Both ways to refill are measured and one of them is used from then on, whatever is cheaper here; packets are whole, and blocks go back at the stop."""
    with Modelled(binary, f"{device},verify,flows=16*2", tmp_path, [*BUCKET, "--recycle-mode=contig_auto"]) as session:
        session.ok("set fwd recycle_mbufs retry", PATIENT, "start")
        wait_until(lambda: not any(stream["measuring"] for stream in figures(session)), "decisions", 120)
        for stream in figures(session):
            assert stream["mode"] == "contig_auto" and stream["samples"] >= 401 and stream["moved"] == 0 and stream["from_blocks"] > 0, stream
            assert [one["refill"] for one in stream["measured"]] == ["driver", "blocks"] and all(one["cycles"] > 0 for one in stream["measured"]), stream
            assert [("dearer" in one) for one in stream["measured"]] == [stream["refill"] != way for way in ("driver", "blocks")], stream
        text = session.cmd("show recycle")
        assert "mode contig_auto" in text and ", measured\n" in text and "refill by blocks: " in text, text
        with_no_blocks(session)
        assert all(not stream["pairs"][0]["paired"] and stream["measured"] == [] for stream in figures(session))
        end(session)


@pytest.mark.rotates(3)
@pytest.mark.parametrize("ops, own", [("stack", True), ("bucket", True), ("bucket", False)])
def test_two_pools(binary, tmp_path, ops, own):
    """Ports that receive into pools of two mempool drivers: each queue takes back its own mbufs and no others."""
    with Modelled(binary, "xl710,verify,count=50000,flows=16*2", tmp_path, [STOPPED]) as session:
        session.ok(f"port config 0 pool_ops {ops}", *([] if own else ["set recycle pair 0 0 0 0", "set recycle pair 1 0 1 0"]), "port start all")
        session.ok("set fwd recycle_mbufs retry", PATIENT, "start")
        wait_until(lambda: session.count("TX-packets") >= 100_000, "100000 packets sent", 60)
        for stream in figures(session):
            assert (stream["moved"] > 0, stream["foreign"] > 0) == (own, not own), stream
        session.cmd("stop")
        pool_is_full(session)
        session.quit()
        all_good(session.reports(), 50_000)


@pytest.mark.rotates(2)
@pytest.mark.parametrize("device, bits, option, reason", [
    ("xl710", None, "--tx-offloads=0x1", "Scalar: keeps sent mbufs in chains"),
    ("82599", None, "--tx-offloads=0x1", "Scalar: keeps sent mbufs in chains"),
    ("xl710", None, "--recycle-mode=off", "recycling is off"),
    ("xl710", 512, "--recycle-mode=cache", "returns whole batches to the mempool cache itself"),
    ("xl710", None, "--recycle-mode=cache --mbcache=0", "has no cache to go through"),
])
def test_not_paired(binary, tmp_path, device, bits, option, reason):
    """What cannot be paired forwards as io, and show recycle says why."""
    with Modelled(binary, f"{device},verify,count=20000*2", tmp_path, option.split(), bits=bits) as session:
        for stream in run_recycling(session, 40_000):
            assert reason in stream["pairs"][0]["reason"]
        session.quit()
        all_good(session.reports(), 20_000)


@pytest.mark.parametrize("device, path", [("xl710", "Scalar Bulk Alloc"), ("82599", "Scalar")])
def test_scalar_refused(binary, tmp_path, device, path):
    if device == "82599" and dpdk_release() >= "25.11":
        path = "Scalar bulk alloc"  # it names its functions there
    with Modelled(binary, f"{device},verify,count=100000*2", tmp_path, bits=64) as session:
        for stream in run_recycling(session, 200_000):
            assert f"{path}: refills its ring while it receives" in stream["pairs"][0]["reason"]
        session.quit()
        all_good(session.reports(), 100_000)


NEWER = dpdk_release() >= "25.07"  # Intel's drivers share their queues


@pytest.mark.rotates(2)
@pytest.mark.skipif(LACKS != "", reason=f"mock ports are left out: {LACKS}")
@pytest.mark.parametrize("words, reason", [
    ("ice,tx_path=full", "Scalar: keeps sent mbufs in chains"),
    ("ice,tx_path=avx512", None if NEWER else "Vector AVX512: driver bug up to DPDK 24.11: frees the wrong mbufs when the port stops"),
    ("iavf", None if NEWER else "net_iavf of this DPDK does not say which"),
    ("iavf,rx_path=sse", "Vector SSE: refills 64 slots when more than 32 are free: use rx_free_thresh 64" if NEWER else "net_iavf of this DPDK does not say which"),
])
def test_mock_refused(binary, tmp_path, words, reason):
    """Drivers beside: where the rules do not hold, packets go on through the pool."""
    if "avx512" in words and not cpu_has("avx512bw"):
        pytest.skip("this CPU has no AVX512")
    if "iavf,rx_path=sse" == words and dpdk_release() >= "26.03":
        pytest.skip("iavf has no SSE functions there")
    ports = [f"net_mock{i},driver={words},verify,count=50000" for i in range(2)]
    with Modelled(binary, "", tmp_path, ["--tx-offloads=0x0"], plugin=MOCK, vdevs=ports) as session:
        if words == "iavf,rx_path=sse" and NEWER:  # not even without recycling does the driver receive more than its ring holds
            session.ok("set fwd recycle_mbufs", "start")
            assert all(reason in pair["reason"] for stream in figures(session) for pair in stream["pairs"])
            session.cmd("stop")
            session.quit()
            for report in session.reports():
                assert {name: report[name] for name in GOOD if name != "missing"} == {name: 0 for name in GOOD if name != "missing"}, report
            return
        for stream in run_recycling(session, 100_000):
            [pair] = stream["pairs"]
            assert (reason or "") in pair.get("reason", "") and pair["paired"] == (stream["moved"] > 0) == (reason is None), stream
        if "avx512" in words and not NEWER:
            all_good([session.report(port) for port in range(2)], 50_000)
            session.signal(signal.SIGKILL)  # the driver frees wrong mbufs when its port stops
            return
        session.quit()
        all_good(session.reports(), 50_000)


@pytest.mark.rotates(3)
@pytest.mark.skipif(LACKS != "", reason=f"mock ports are left out: {LACKS}")
@pytest.mark.parametrize("words, args, inlined", [
    ("inline=200", (), True),
    ("inline=200,size=1500", (), False),  # too long for a descriptor
    ("flows=64", ("--rxq=8", "--txq=8", "--rxd=256", "--txd=256"), True),  # the driver's default from 8 Tx queues on
    ("flows=64", ("--rxq=4", "--txq=4", "--rxd=256", "--txd=256"), False),
])
@pytest.mark.usefixtures("of_the_table")
def test_inlined(binary, tmp_path, words, args, inlined):
    """Packets that mlx5 copies into descriptors leave no mbuf to move: start and show recycle report it, and each is counted once."""
    ports = [f"net_mock{i},driver=mlx5,verify,count=50000,{words}" for i in range(2)]
    with Modelled(binary, "", tmp_path, ["--tx-offloads=0x0", *args], plugin=MOCK, vdevs=ports) as session:
        session.ok("set fwd recycle_mbufs retry", PATIENT)
        answer = session.cmd("start") + session.stderr()
        hint = "use the device argument txq_inline_max=0"
        warns = "inline=" in words or "--txq=8" in args
        assert [f"Port {port}: short packets are not recycled" in answer and hint in answer for port in (0, 1)] == [warns] * 2, answer
        wait_until(lambda: session.count("TX-packets") >= 100_000, "all packets sent", 60)
        session.cmd("stop")
        text, streams = session.cmd("show recycle"), figures(session)
        assert text.count(hint) == (len(streams) if warns else 0), text
        for stream in streams:
            [pair] = stream["pairs"]
            assert pair["paired"] and (hint in pair.get("reason", "")) == warns
            assert pair["not_movable"] == stream["shared"] + stream["foreign"] + stream["inlined"], stream
            assert stream["shared"] == stream["foreign"] == 0
            # The last burst is sent after the pair looked for the last time.
            assert stream["rx"] - 32 <= stream["inlined"] <= stream["rx"] if inlined else stream["inlined"] == 0, stream
            assert (stream["moved"] > 0) == (not inlined), stream
        pool_is_full(session)
        session.quit()
        all_good(session.reports(), 50_000)


@pytest.mark.skipif(LACKS != "", reason=f"mock ports are left out: {LACKS}")
def test_regions(binary, tmp_path):
    """A pool in several memory regions: mlx5's elements get the key of each buffer, which the mock port checks; engine direct refuses it by name."""
    ports = [f"net_mock{i},driver=mlx5,verify,count=30000,flows=16" for i in range(2)]
    with Modelled(binary, "", tmp_path, ["--tx-offloads=0x0", "--mp-alloc=xbuf"], plugin=MOCK, vdevs=ports) as session:
        for stream in run_recycling(session, 60_000):
            assert stream["moved"] > 0 and [pair["paired"] for pair in stream["pairs"]] == [True], stream
        assert session.cmd("show port xstats all").count("mock_bad_keys: 0") == 2
        session.cmd("set fwd direct")
        assert "memory regions with different keys: use a single region" in session.cmd("start") + session.stderr()
        pool_is_full(session)
        session.quit()
        all_good(session.reports(), 30_000)


@pytest.mark.skipif(LACKS != "", reason=f"mock ports are left out: {LACKS}")
@pytest.mark.parametrize("size", [3072, 4096, 4160])
def test_external_buffers_and_pages(binary, tmp_path, size):
    """mlx5 maps only the pages in which an external buffer begins: the last of a zone ends in its page, and longer buffers are refused."""
    ports = [f"net_mock{i},driver=mlx5,verify,count=300000,flows=16" for i in range(2)]
    options = ["--tx-offloads=0x0", "--mp-alloc=xbuf", f"--mbuf-size={size}"]
    with Modelled(binary, "", tmp_path, options, plugin=MOCK, vdevs=ports) as session:
        if size > mmap.PAGESIZE:
            answer = session.cmd("port start all") + session.stderr()
            assert f"port 0 (mlx5_pci): buffers of {size} bytes are longer than pages of {mmap.PAGESIZE}, and the driver maps only pages" in answer
            return
        run_recycling(session, 600_000)
        assert session.cmd("show port xstats all").count("mock_bad_keys: 0") == 2
        pool_is_full(session)
        session.quit()
        all_good(session.reports(), 300_000)


@pytest.mark.skipif(LACKS != "", reason=f"mock ports are left out: {LACKS}")
@pytest.mark.usefixtures("of_the_table")
def test_inlined_once(binary, tmp_path):
    """A Tx queue that feeds two Rx queues: what its driver copied is counted for one of them, also after a restart."""
    ports = [f"net_mock{i},driver=mlx5,flows=16,inline=200,rx=copy" for i in range(2)]
    with Modelled(binary, "", tmp_path, ["--tx-offloads=0x0"], plugin=MOCK, vdevs=ports) as session:
        session.ok("route add 198.19.0.0/16 port 1", "set fwd l3fwd retry", PATIENT, "set recycle on", "set recycle pair traffic")
        for _ in range(2):
            session.ok("start")
            wait_until(lambda: sum(stream["inlined"] for stream in figures(session)) > 5000 and all(len(stream["pairs"]) == 2 for stream in figures(session)), "copied packets", 60)
            session.ok("stop")
            streams = figures(session)
            received, inlined = (sum(stream[name] for stream in streams) for name in ("rx", "inlined"))
            assert received - 2 * 64 <= inlined <= received, streams
            session.ok("port stop all", "port start all")
        session.quit()


def test_other_driver(binary):
    """net_null has no rings to pair: io, with the reason."""
    with Session(binary) as session:
        session.ok("set fwd recycle_mbufs", "start")
        assert "driver net_null cannot be paired" in session.cmd("show recycle")
        session.ok("stop")


@pytest.mark.rotates(3)
@pytest.mark.parametrize("engine", ENGINES)
def test_engines(binary, tmp_path, engine):
    """Any engine that sends what it receives recycles when told to; noisy holds 100 packets of each stream back."""
    with Modelled(binary, "xl710,verify,count=100000,flows=16*2", tmp_path, ["--tx-offloads=0x0", *HOLDS]) as session:
        recycled(run_recycling(session, 200_000, engine))
        assert [one["moved"] > 0 for one in (session.ask("/zcfwd/group,recycle")["members"]).values()] == [True, True]
        session.ok("set recycle off", "start")
        assert f"{engine} ran without recycling" in session.cmd("show recycle") + session.stderr()
        assert session.ask("/zcfwd/group,recycle") is None
        session.cmd("stop")
        pool_is_full(session)
        session.quit()
        all_good(session.reports(), 100_000)


@pytest.mark.rotates(3)
@pytest.mark.parametrize("requests", [0, 1, 3])
def test_answers_recycle(binary, tmp_path, requests):
    """icmpecho answers by the port that it received from, and its answers are recycled; what it absorbs comes from the pool."""
    write_pcap(tmp_path / "in.pcap", [bytes(ether() / IP(**IP4) / (ICMP(id=i) if i < requests else UDP(**PORTS)) / bytes(40)) for i in range(3)])
    with Modelled(binary, f"xl710,rx=pcap:{tmp_path}/in.pcap:0*2", tmp_path) as session:
        session.ok("set recycle on", "set fwd icmpecho", "start")
        wait_until(lambda: all(session.report(port)["rx_packets"] > 10_000 for port in (0, 1)), "packets", 60)
        if requests:
            wait_until(lambda: all(one["moved"] > 0 for one in figures(session)), "recycled answers", 60)
        found = figures(session)
        assert [(one["rx_port"], one["pairs"][0]["tx_port"], one["moved"] > 0) for one in found] == [(0, 0, requests > 0), (1, 1, requests > 0)], found
        session.cmd("stop")
        assert (session.count("TX-packets") > 0) == (requests > 0)
        pool_is_full(session)
        session.quit()


@pytest.mark.rotates(2)
@pytest.mark.parametrize("engine", OTHERS)
def test_engines_that_cannot(binary, engine):
    """They say so in one line, and run."""
    with Session(binary, lcores="0@0,(1-2)@1") as session:
        session.ok("set recycle on", f"set fwd {engine}")
        assert session.cmd("start").count(f"{engine} forwards without recycling") == 1
        assert f"{engine} does not recycle" in session.cmd("show recycle") + session.stderr()
        session.cmd("stop")
        session.ok("set recycle off")
        assert "recycling" not in session.cmd("start")
        session.cmd("stop")


@pytest.mark.rotates(2)
@pytest.mark.parametrize("line, words", [
    ("set recycle maybe", ('"maybe"',)),
    ("set recycle mode on", ('"on"', "ring, cache, contig, off or contig_auto")),
    ("set recycle pair 0 0 7 0", ("7",)),
    ("set recycle pair 0 9 1 0", ("no stream", "queue 9")),
    ("set recycle pair 0 0 0 0", ("lcore 1 receives from", "lcore 2 transmits to", "the same lcore")),
    ("set recycle pair elsewhere", ('"elsewhere"',)),
])
def test_bad_input(binary, tmp_path, line, words):
    """One line, and everything as before; each port is received from by a lcore of its own here."""
    with Modelled(binary, "xl710*2", tmp_path, ["--nb-cores=2"], lcores="0@0,(1-2)@1") as session:
        session.ok("set recycle on", "set fwd macswap", "start")
        before = [[(pair["tx_port"], pair["tx_queue"], pair["paired"]) for pair in stream["pairs"]] for stream in figures(session)]
        said = len(session.stderr())
        answer = session.cmd(line)
        complaint = session.stderr()[said:].strip()
        assert all(word in answer + complaint for word in words), (answer, complaint)
        assert len(complaint.splitlines()) == 1, complaint
        assert before == [[(pair["tx_port"], pair["tx_queue"], pair["paired"]) for pair in stream["pairs"]] for stream in figures(session)]
        session.ok("stop", "start", "stop")
        session.quit()


def test_show_before_anything(binary):
    with Session(binary) as session:
        assert "recycle_mbufs" in session.cmd("show recycle") + session.stderr()


def test_closed_port(binary, tmp_path):
    """Pairs that were named for a port which is gone are refused at the start, in one line."""
    with Modelled(binary, "xl710*3", tmp_path) as session:
        session.ok("set recycle on", "set recycle pair 0 0 2 0", "port stop 2", "port close 2")
        answer = session.cmd("start") + session.stderr()
        assert "no stream transmits to port 2 queue 0" in answer
        assert "port 2" in session.cmd("set recycle pair 0 0 2 0") + session.stderr()
        session.ok("set recycle pair auto", "start")
        assert [[pair["paired"] for pair in one["pairs"]] for one in figures(session)] == [[True], [True]]
        session.ok("stop")
        session.quit()
