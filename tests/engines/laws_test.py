# SPDX-License-Identifier: BSD-3-Clause
"""The law of every stopped stream, rx + made == tx + tx_dropped + absorbed, and full pools, over all engines."""
import pytest

from every_engine import FAKE
from laws import MOVES, ON_LOOPS, RETRY, TWO_WORKERS, check_law, drain, in_use, open_session, run, stats
from modelled import Modelled, needs_model_nic
from session import Session, wait_until

pytestmark = pytest.mark.zcfwd

TOPOLOGIES = ("paired", "chained", "loop")


@pytest.mark.rotates(3)
@pytest.mark.parametrize("queues", [1, 2])
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_null(binary, topology, queues):
    args = [f"--port-topology={topology}", f"--rxq={queues}", f"--txq={queues}", f"--nb-cores={queues}"]
    with open_session(binary, args=args, lcores=TWO_WORKERS) as session:
        for engine in MOVES:
            last = run(session, engine)
            assert len(last["streams"]) == 2 * queues
            assert in_use(session) == 0, engine
            if "absorbed" in MOVES[engine] and "made" not in MOVES[engine]:
                assert all(s["tx"] == 0 and s["absorbed"] == s["rx"] for s in last["streams"])
        for engine in RETRY:
            run(session, engine, retry=True)
            assert in_use(session) == 0, engine


@pytest.mark.parametrize("mode", ["in-place", "copy"])
def test_gpu(binary, monkeypatch, mode):
    """On the stand-in, by every topology; batches that are under way at the stop end first."""
    monkeypatch.setenv("LD_LIBRARY_PATH", str(FAKE))
    for topology in TOPOLOGIES:
        with open_session(binary, args=[f"--port-topology={topology}", "--rxq=2", "--txq=2", "--nb-cores=2"], lcores=TWO_WORKERS) as session:
            session.json_ok(f"set gpu mode {mode}")
            for retry in (False, True):
                run(session, "gpu", moves=("rx", "tx"), retry=retry)


@needs_model_nic
def test_ieee1588(binary, tmp_path):
    """On ports with a clock; packets of the generator are no PTP."""
    with Modelled(binary, "82599*2", tmp_path) as session:
        session.cmd("set output json")
        for _ in range(3):
            run(session, "ieee1588", moves=("rx", "absorbed"))


def test_so_many_packets(binary):
    """An engine that makes packets sends exactly so many; one that receives, a burst per stream more at most."""
    with open_session(binary, args=["--rxq=2", "--txq=2", "--nb-cores=2"], lcores=TWO_WORKERS) as session:
        for engine in (*MOVES, "recycle_mbufs", "ring_pipeline"):
            session.json_ok(f"set fwd {engine}")
            for n in (1, 1000):
                last = session.json_end(f"start for {n} packets")
                done = sum(s["tx" if "made" in MOVES.get(engine, ()) else "rx"] for s in last["streams"])
                assert n <= done <= n + ("made" not in MOVES.get(engine, ())) * 4 * 32, (engine, n)
                total, seconds = last["total"], last["seconds"]
                assert [total["rx_pps"], total["tx_pps"]] == pytest.approx([total["rx_packets"] / seconds, total["tx_packets"] / seconds], rel=1e-3)
                check_law(last["streams"])
                assert in_use(session) == 0, engine


@pytest.mark.rotates(3)
@pytest.mark.parametrize("queues", [1, 2])
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_ring(binary, topology, queues):
    """Loopback rings keep what they were given; one rxonly run at the end drains them, and nothing is missing."""
    args = [f"--port-topology={topology}", f"--rxq={queues}", f"--txq={queues}", f"--nb-cores={queues}"]
    with open_session(binary, ["net_ring0", "net_ring1"], args, lcores=TWO_WORKERS) as session:
        for retry, engines in ((False, MOVES), (True, RETRY)):
            for engine in engines:
                run(session, engine, "start tx_first", ON_LOOPS[engine], retry)
        drain(session)


def test_port_counters_agree_with_streams(binary):
    """On net_null nobody but the streams sends or receives."""
    with open_session(binary, args=["--rxq=2", "--txq=2"]) as session:
        for engine in ("io", "macswap", "flowgen", "rxonly", "txonly"):
            last = run(session, engine)
            for port in last["ports"]:
                streams = last["streams"]
                assert port["rx_packets"] == sum(s["rx"] for s in streams if s["rx_port"] == port["port"])
                assert port["tx_packets"] == sum(s["tx"] for s in streams if s["tx_port"] == port["port"])
                assert port["rx_total"] == port["rx_packets"] + port["rx_missed"]
                assert port["tx_total"] == port["tx_packets"] + port["tx_dropped"]
            for key in ("rx_packets", "tx_packets", "rx_total", "tx_total", "tx_dropped"):
                assert last["total"][key] == sum(port[key] for port in last["ports"])


def test_clear_is_a_baseline(binary):
    """Clearing while packets pass loses none of them: counters start from zero and the law holds for what follows."""
    with open_session(binary) as session:
        session.json_ok("set fwd io")
        session.json_ok("start")
        for _ in range(20):
            wait_until(lambda: stats(session)["total"]["rx_packets"], "packets")
            session.json_ok("clear fwd stats all")
        # The program checks the law by counters that nothing clears; what is shown may begin between rx and tx of a burst.
        session.json_end()
        session.json_ok("clear fwd stats all")
        last = stats(session)
        assert len(last["streams"]) == 2
        for s in last["streams"]:
            assert not any(s[name] for name in ("rx", "tx", "made", "tx_dropped", "absorbed")), s
        run(session, "io")


def test_retry_tries_again(binary):
    """Against full rings: without retry each packet is offered once, with it tx_retried counts further calls."""
    with open_session(binary, ["net_ring0", "net_ring1"]) as session:
        for retry in (False, True):
            last = run(session, "txonly", moves=("tx_dropped",), retry=retry)
            assert [s["tx_retried"] > 0 for s in last["streams"]] == [retry, retry]
        drain(session)


def test_many_switches(binary):
    engines = list(MOVES)
    with open_session(binary) as session:
        for i in range(200):
            session.json_ok(f"set fwd {engines[i % len(engines)]}")
            session.json_ok("start")
            session.json_end()
            check_law(stats(session)["streams"])
        assert in_use(session) == 0


def test_default_flush(binary):
    """With the flush before start, as users run it."""
    with Session(binary) as session:
        session.cmd("set output json")
        for engine in ("io", "txonly", "rxonly"):
            run(session, engine)
            assert in_use(session) == 0


def test_noisy_gives_back_what_it_holds(binary):
    args = ["--noisy-tx-sw-buffer-size=512", "--noisy-tx-sw-buffer-flushtime=1000", "--noisy-lkup-memory=1",
            "--noisy-lkup-num-reads=3", "--noisy-lkup-num-writes=2"]
    with open_session(binary, args=args) as session:
        for _ in range(5):
            run(session, "noisy")
            assert in_use(session) == 0


@pytest.mark.rotates(3)
@pytest.mark.parametrize("engine", ["txonly", "flowgen", "io"])
def test_exhausted_pool_leaks_nothing(binary, engine):
    """Two rings can hold more than the whole pool: makers and receivers run dry, then everything comes back."""
    args = ["--total-num-mbufs=1200", "--mbcache=0"]
    with open_session(binary, ["net_ring0", "net_ring1", "net_null0"], args, pool=None) as session:
        size = sum(pool["size"] for pool in session.json_ok("show pool")["pools"])
        session.json_ok("set portlist 0,1")
        session.json_ok("set fwd txonly")
        session.json_ok("start")
        wait_until(lambda: in_use(session) > size - 64, "a dry pool")
        session.json_end()
        check_law(stats(session)["streams"])
        session.json_ok("set portlist 0,1,2")
        last = run(session, engine, moves=())
        assert in_use(session) <= size
        check_law(last["streams"])
        session.json_ok("set portlist 0,1")
        drain(session)
        session.json_ok("set portlist 0,1,2")
        run(session, engine, "start tx_first", ("tx",))


@pytest.mark.soak
def test_soak(binary):
    """Thousands of short runs; for a night, not for every change."""
    engines = list(MOVES)
    with open_session(binary, args=["--rxq=2", "--txq=2", "--nb-cores=2"], lcores=TWO_WORKERS) as session:
        for i in range(10_000):
            run(session, engines[i % len(engines)], retry=i % 3 == 0 and engines[i % len(engines)] in RETRY)
            assert in_use(session) == 0
