# SPDX-License-Identifier: BSD-3-Clause
"""Mempool drivers: chosen, changed while ports are stopped, shown, refused; engines on them."""
import os
import re
import shutil
import subprocess

import pytest

from laws import TWO_WORKERS, drain, in_use, open_session, run
from session import lcore_args, wait_until

pytestmark = pytest.mark.zcfwd

SHARED = ("ring_mp_mc", "ring_mt_hts", "ring_mt_rts", "stack", "lf_stack", "bucket")


def pool_of(session):
    return session.json_ok("show mempool mb_pool_0")["mempools"][0]


def test_set_while_ports_are_stopped(binary):
    with open_session(binary) as session:
        assert pool_of(session)["driver"] == "ring_mp_mc"
        refused = session.json("set pool ops stack")
        assert "stop all ports" in refused["error"]["message"]
        session.json_ok("port stop all")
        for ops in SHARED:
            session.json_ok(f"set pool ops {ops}")
            session.json_ok("port start all")
            run(session, "txonly")
            pool = pool_of(session)
            assert (pool["driver"], pool["in_use"]) == (ops, 0) and pool["size"] >= 8192
            assert pool["cached"] == sum(lcore["cached"] for lcore in pool["lcores"]) > 0
            session.json_ok("port stop all")
        session.json_ok("set pool cache 0")
        assert pool_of(session)["cache_size"] == 0
        unknown = session.json("set pool ops dpaa")
        assert "ring_mt_hts" in unknown["error"]["message"] and pool_of(session)["driver"] == "bucket"
        assert session.json("show mempool nobody")["ok"] is False


def test_reason_of_the_driver(binary):
    """Null and ring ports prefer none; what the user chose, in zcfwd's words or in EAL's, wins and is named."""
    def shown(session):
        pool, = session.json_ok("show pool")["pools"]
        mempool = pool_of(session)
        assert (mempool["driver"], mempool["driver_reason"]) == (pool["driver"], pool["driver_reason"])
        return pool["driver"], pool["driver_reason"]

    usual = "ring_mp_mc", "default: no port prefers a mempool driver"
    with open_session(binary) as session:
        assert shown(session) == usual
        session.json_ok("port stop all")
        session.json_ok("set pool ops stack")
        assert shown(session) == ("stack", "set by the user")
        session.json_ok("set pool ops default")
        assert shown(session) == usual
    with open_session(binary, eal=["--mbuf-pool-ops-name=stack"]) as session:
        assert shown(session) == ("stack", "set by --mbuf-pool-ops-name")


def test_level_over_time(binary):
    """A timer sees a pool that was nearly empty for a moment when nobody asked; clear forgets it, another driver has no past."""
    with open_session(binary, ["net_ring0", "net_ring1"]) as session:
        def seen():
            session.json_ok("set fwd txonly")
            session.json_end("start for 300 ms")
            drain(session)
            return pool_of(session)["low"] < 8192
        wait_until(seen, "a level that was seen while packets were in rings")
        pool = pool_of(session)
        assert 0 <= pool["low"] == pool["minute_low"] < pool["available"] == pool["high"] == pool["minute_high"] == 8192
        assert pool["low"] == min(s["low"] for s in pool["seconds"]) and pool["high"] == max(s["high"] for s in pool["seconds"])
        assert [s["ago_s"] for s in pool["seconds"]] == sorted({s["ago_s"] for s in pool["seconds"]}) and pool["seconds"][0]["ago_s"] == 0
        session.json_ok("clear mempool")
        pool = pool_of(session)
        assert pool["low"] == pool["high"] == 8192 and len(pool["seconds"]) == 1
        run(session, "txonly")
        assert pool_of(session)["low"] < 8192
        drain(session)
        for command in ("port stop all", "set pool ops stack", "port start all"):
            session.json_ok(command)
        pool = pool_of(session)
        assert (pool["driver"], pool["low"], pool["high"]) == ("stack", pool["size"], pool["size"])
        session.cmd("set output text")
        assert len(re.findall(r"over time +available 8192\.\.8192, in the last minute 8192\.\.8192\n +lowest per 5 s, oldest first:( 8192)+\n",
                              session.cmd("watch show mempool mb_pool_0 every 0.01 count 3"))) == 3


def test_blocks_of_one(binary):
    """Without huge pages a bucket is one small page, of which a usual buffer takes most: said, and engines forward as ever."""
    with open_session(binary, args=["--mbuf-pool-ops=bucket", "--mbcache=0"]) as session:
        for engine in ("txonly", "io"):
            run(session, engine)
            assert in_use(session) == 0
        assert pool_of(session)["block"] == 1
        session.cmd("set output text")
        assert re.search(r"(?m)^  blocks +of 1: without huge pages a bucket is one small page$", session.cmd("show mempool mb_pool_0"))


def test_cache_is_never_larger_than_the_pool(binary):
    """The smallest pool holds the largest cache; what is larger than that is refused, and pools stay as they were."""
    with open_session(binary, args=["--total-num-mbufs=1025", "--mbcache=512"], pool=None) as session:
        run(session, "txonly")
        session.json_ok("port stop all")
        assert "0..512" in session.json("set pool cache 513")["error"]["message"]
        pool = pool_of(session)
        assert (pool["size"], pool["cache_size"], pool["in_use"]) == (1025, 512, 0)


def dpdk_test(ops, command, tmp_path):
    """DPDK's own tests, without huge pages, in which memory is that of the pages that are written to."""
    program = shutil.which("dpdk-test")
    if program is None:
        pytest.skip("no dpdk-test here: install the package dpdk-dev")
    argv = [program, "--no-huge", "-m", "4096", *lcore_args("0-1"), "--no-pci", "--no-telemetry", f"--file-prefix=zct{os.getpid()}_{ops}",
            f"--mbuf-pool-ops-name={ops}"]
    child = subprocess.Popen(["stdbuf", "-oL", *argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             env={**os.environ, "RUNTIME_DIRECTORY": str(tmp_path)}, encoding="utf-8", errors="replace")
    child.stdin.write(f"{command}\nquit\n")
    child.stdin.flush()
    return child


@pytest.mark.extended
@pytest.mark.parametrize("ops", ["ring_mp_mc", "bucket"])
def test_dpdks_own(ops, tmp_path):
    """mempool_autotest: of bucket one case fails, that of a pool which is not for devices; zcfwd makes none."""
    with dpdk_test(ops, "mempool_autotest", tmp_path) as child:
        text = child.communicate(timeout=200)[0]
    failed = re.findall(r"Test assert (\w+) line \d+ failed: ([^\n]*)", text)
    assert failed == ([] if ops == "ring_mp_mc" else [
        ("test_mempool_flag_non_io_set_when_no_iova_contig_set", "Failed to populate mempool: Success")]), text[-2000:]
    assert ("Test OK" in text, "Test Failed" in text) == (not failed, bool(failed)), text[-2000:]


@pytest.mark.soak
@pytest.mark.parametrize("ops", ["ring_mp_mc", "bucket"])
def test_dpdks_own_rates(ops, tmp_path):
    """The first rows of mempool_perf_autotest: all take an hour."""
    rows = []
    with dpdk_test(ops, "mempool_perf_autotest", tmp_path) as child:
        for line in child.stdout:
            rows += re.findall(r"n_get_bulk=(\d+) n_put_bulk=(\d+) n_keep=(\d+) .*rate_persec=(\d+)", line)
            if len(rows) == 12 or "Test Failed" in line:
                break
        child.kill()
    assert len(rows) == 12 and all(int(rate) > 0 for *_, rate in rows), rows


def test_one_lcore_alone(binary):
    """A ring without a guard loses mbufs when two lcores share it."""
    with open_session(binary, args=["--mbuf-pool-ops=ring_sp_sc", "--nb-cores=2"], lcores=TWO_WORKERS) as session:
        assert "supports only one lcore" in session.json("start")["error"]["message"]
        session.json_ok("set nbcore 1")
        run(session, "io")
        assert in_use(session) == 0


def pools_of(session):
    return {pool["name"]: pool for pool in session.json_ok("show pool")["pools"]}


def test_queue_with_a_driver_of_its_own(binary):
    """One queue receives into a pool of another mempool driver; all pools made anew, it has it again; without a guard it is for one lcore."""
    with open_session(binary, args=["--rxq=2", "--txq=2", "--nb-cores=2"], lcores=TWO_WORKERS) as session:
        session.json_ok("port stop all")
        session.json_ok("port config 0 rxq 1 pool_ops stack")
        for cache in (64, 0):
            session.json_ok(f"set pool cache {cache}")
            assert list(pools_of(session)) == ["mb_pool_0"]
            session.json_ok("port start all")
            run(session, "io")
            assert {name: (pool["driver"], pool["cache"], pool["in_use"]) for name, pool in pools_of(session).items()} == {
                "mb_pool_0": ("ring_mp_mc", cache, 0), "mb_pool_0_stack": ("stack", cache, 0)}
            session.json_ok("port stop all")
        session.json_ok("port config 0 rxq 1 pool_ops ring_sp_sc")
        session.json_ok("port start all")
        assert "supports only one lcore" in session.json("start")["error"]["message"]
        session.json_ok("set nbcore 1")
        run(session, "io")
        assert sum(pool["in_use"] for pool in pools_of(session).values()) == 0


def test_another_lcore_has_all(binary):
    """Buckets stay with the lcore that had them; another gets none, and is told of how to go on."""
    args = ["--mbuf-pool-ops=bucket", "--mbcache=0"]
    with open_session(binary, ["net_ring0", "net_ring1"], args, lcores=TWO_WORKERS, pool="--total-num-mbufs=1500") as session:
        session.json_ok("set corelist 1")
        session.json_ok("set fwd txonly")
        session.json_ok("start")
        wait_until(lambda: in_use(session) == pool_of(session)["size"], "an empty pool")
        session.json_end()
        drain(session)
        session.json_ok("set corelist 2")
        session.json_ok("set fwd txonly")
        warned = session.json_ok("start")
        assert any("lcore 2 gets no buffers although" in line for line in warned["warnings"]), warned
        session.json_end()
        session.json_ok("port stop all")
        session.json_ok("set pool ops bucket")
        session.json_ok("port start all")
        assert "warnings" not in session.json_ok("start")
        wait_until(lambda: in_use(session) > 0, "buffers in use")
        session.json_end()
        drain(session)
