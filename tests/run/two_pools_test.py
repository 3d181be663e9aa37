# SPDX-License-Identifier: BSD-3-Clause
"""Packets of two pools: no Tx ring with mbuf_fast_free ever holds both, so each pool gets all its buffers back."""
import pytest

from laws import check_law, stats
from modelled import Modelled, needs_model_nic
from session import TO_JSON, wait_until

pytestmark = [pytest.mark.zcfwd, pytest.mark.usefixtures("of_the_table")]

ROUTING = ("l3fwd", "ring_pipeline")
ENOUGH = 3000  # packets: more than the rings have places
ODD = "start for 333packets"  # no whole number of batches, so that the next batch has packets of both runs
OFF, ON, EMPTIED = "mbuf_fast_free disabled: packets of pools", "mbuf_fast_free enabled again", "restarted to empty its queue"
FROM_TWO_POOLS = ("port stop all", "port config 0 pool_ops stack", "port start all")


def rig(binary, tmp_path, device, ports=2, args=(), mbufs=8192, **options):
    session = Modelled(binary, ";".join([f"{device},flows=16,rx=copy"] * ports), tmp_path, args, mbufs=mbufs, **options)
    session.cmd(TO_JSON)
    for line in ("route add 0.0.0.0/0 port 1", "set pipeline stage l3fwd"):
        session.json_ok(line)
    return session


def ran(session):
    return sum(stream["rx"] + stream["made"] for stream in stats(session)["streams"]) >= ENOUGH


def run(session, engine):
    """One run of the engine; what start said about the offload, by port."""
    session.json_ok(f"set fwd {engine}")
    answer = session.json_ok("start")
    wait_until(lambda: ran(session), f"{ENOUGH} packets of {engine}", 30)
    check_law(session.json("stop")["streams"])  # a run of measure without a wire has failed
    return said(answer)


def said(answer):
    lines = [line for line in answer.get("warnings", []) if any(words in line for words in (OFF, ON, EMPTIED))]
    return {int(line.split()[1].rstrip(":")): line.strip() for line in lines}


def has_offload(session, port):
    return "MBUF_FAST_FREE" in session.cmd(f"show port {port} tx_offload configuration")


def whole(session, engine):
    """With all ports stopped, each pool has all its buffers, and no others."""
    session.json_ok("port stop all")
    for pool in session.json_ok("show pool")["pools"]:
        assert (pool["available"], pool["in_use"]) == (pool["size"], 0), (engine, pool)


@needs_model_nic
def test_the_line_and_the_way_back(binary, tmp_path):
    """Ports that get packets of both pools lose the offload, with a line; when a run needs it not, they have it again; the operator's word counts."""
    with rig(binary, tmp_path, "xl710", ports=3) as session:
        for line in FROM_TWO_POOLS:
            session.json_ok(line)
        line = f"Port {{}}: {OFF} mb_pool_0_stack and mb_pool_0 reach its queue 0"
        assert run(session, "l3fwd") == {port: line.format(port) for port in range(3)}
        assert run(session, "l3fwd") == {}  # they lack it already
        assert not any(has_offload(session, port) for port in range(3))
        assert run(session, "io") == {port: f"Port {port}: {ON}: each queue sends packets of one pool" for port in range(3)}
        assert all(has_offload(session, port) for port in range(3))
        assert run(session, "l3fwd").keys() == {0, 1, 2}
        session.json_ok("port stop all")
        session.json_ok("port config 0 tx_offload mbuf_fast_free off")
        session.json_ok("port start all")
        assert run(session, "io").keys() == {1, 2}  # not what the operator switched off
        assert not has_offload(session, 0)
        session.json_ok("port stop all")
        session.json_ok("port config 0 tx_offload mbuf_fast_free on")
        session.json_ok("port start all")
        assert run(session, "l3fwd").keys() == {0, 1, 2}


@pytest.mark.rotates(2)
@needs_model_nic
@pytest.mark.parametrize(("mode", "args", "emptied"), [("auto", (), {1}), ("copy", (), {1}), ("pinned", (), set()), ("pinned", ("--mp-alloc=xbuf",), set())])
def test_extbuf(binary, tmp_path, mode, args, emptied):
    """
    Sends mbufs of its lcore's pool alone, or with mode pinned those that it received: the ports keep the offload, and do not restart. The
    next run empties a ring with others. After the pool in external memory the ports have restarted anyway, and with xbuf nothing changes.
    """
    with rig(binary, tmp_path, "xl710", args=args) as session:
        for line in (*FROM_TWO_POOLS, f"set extbuf mode {mode}"):
            session.json_ok(line)
        assert run(session, "extbuf") == {}
        assert all(has_offload(session, port) for port in range(2))
        lines = run(session, "io")  # port 0 sends packets of mb_pool_0, port 1 of the other
        assert lines.keys() == emptied, lines
        assert all(f"{EMPTIED} 0: packets of pool mb_pool_0 may be in it" in line for line in lines.values()), lines
        whole(session, "io")


@needs_model_nic
def test_packets_of_an_earlier_run(binary, tmp_path):
    """A port restarts if its ring may hold packets of another pool; a queue that was stopped stays so."""
    with rig(binary, tmp_path, "xl710", args=["--rxq=2", "--txq=2", "--rss-udp"]) as session:
        for line in FROM_TWO_POOLS:
            session.json_ok(line)
        session.json_ok("set fwd txonly")
        session.json_ok(ODD)
        session.json_ok("port 1 rxq 1 stop")
        held = f"Port 1: {EMPTIED} 0: packets of pool mb_pool_0 may be in it, and mbuf_fast_free allows no packets of pool mb_pool_0_stack behind them"
        assert run(session, "io") == {1: held}
        assert session.json_ok("show rxq info 1 1")["state"] == "stopped"
        assert run(session, "mac") == {}
        assert run(session, "txonly").keys() == {1}
        whole(session, "txonly")


@needs_model_nic
def test_tx_first(binary, tmp_path):
    """Its packets come from the lcore's pool, those of the run behind them from the port's."""
    with rig(binary, tmp_path, "xl710") as session:
        for line in (*FROM_TWO_POOLS, "set burst 21", "set fwd io"):
            session.json_ok(line)
        answer = session.json_ok("start tx_first 1")
        assert said(answer) == {1: f"Port 1: {OFF} mb_pool_0_stack and mb_pool_0 reach its queue 0"}
        wait_until(lambda: ran(session), "packets", 30)
        session.json_ok("stop")
        whole(session, "io")


@needs_model_nic
def test_mirror(binary, tmp_path):
    """Clones and copies are of a pool of their own: a queue that sent other packets is emptied first, and afterwards too."""
    with rig(binary, tmp_path, "xl710", ports=3, mbufs=16384) as session:
        session.json_ok("set portlist 0,1")
        assert run(session, "io") == {}
        session.json_ok("set portlist 0,2")
        session.json_ok("port mirror 0 1")
        lines = run(session, "io")
        assert lines.keys() == {1} and f"{EMPTIED} 0: packets of pool mb_pool_0 may be in it" in lines[1], lines
        assert run(session, "io") == {}
        session.json_ok("port mirror 0 off")
        session.json_ok("set portlist 0,1")
        lines = run(session, "io")
        assert lines.keys() == {1} and f"{EMPTIED} 0: packets of pool mirror may be in it" in lines[1], lines
        whole(session, "io")


@needs_model_nic
@pytest.mark.parametrize("engine", ROUTING)
def test_lcores_by_themselves(binary, tmp_path, engine):
    """l3fwd exchanges packets within an lcore only: with a port of each pool on its own lcore, both keep the offload."""
    with rig(binary, tmp_path, "xl710", args=["--nb-cores=2", "--port-topology=loop"], lcores="0@0,1@0,2@1") as session:
        for line in FROM_TWO_POOLS:
            session.json_ok(line)
        assert run(session, engine).keys() == (set() if engine == "l3fwd" else {0, 1})
        whole(session, engine)
