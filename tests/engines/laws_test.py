# SPDX-License-Identifier: BSD-3-Clause
"""The law of a stopped stream, rx + made == tx + tx_dropped + absorbed, where a run has a number of packets, is cleared, or tries again."""
import pytest

from laws import MOVES, TWO_WORKERS, check_law, drain, in_use, open_session, run, stats
from session import wait_until

pytestmark = pytest.mark.zcfwd


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
