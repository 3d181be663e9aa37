# SPDX-License-Identifier: BSD-3-Clause
"""ring_pipeline: nothing lost but what is counted, order kept, whatever mode, sync, spread and lcores; full pools at the end."""

import pytest

from laws import TWO_WORKERS
from modelled import GOOD, PATHS, PATIENT, Modelled, all_good, dpdk_release, forward
from pipelines import PACKETS, json_of, law, pipeline
from recycling import pool_is_full, pools_are_full
from session import Session, wait_until

pytestmark = pytest.mark.zcfwd
MODES = ("copy", "zc", "auto", "compressed")
each_mode = pytest.mark.parametrize("mode", MODES)
SHARED = 2 * PACKETS  # two workers on one CPU have their turns meanwhile


def whole(session, packets, devices=2):
    """Every generated packet went through, in order; all rings and pools are as they were."""
    rings = pipeline(session)["rings"]
    for way in ("in", "back"):
        put = sum(ring["put"]["packets"] for ring in rings if ring["direction"] == way and "put" in ring)
        assert put == sum(ring["taken"]["packets"] for ring in rings if ring["direction"] == way and "taken" in ring) == packets * devices
    assert all(stream["rx"] == stream["tx"] for stream in law(session))
    pool_is_full(session)
    session.quit()
    assert session.rc == 0
    all_good(session.reports(), packets)


@pytest.mark.rotates(5)
@each_mode
@pytest.mark.parametrize("device, bits", PATHS)
def test_drivers(binary, tmp_path, device, mode, bits):
    """Scalar and vector functions on one lcore, rings so small that bursts which do not divide them wrap all the time."""
    if device == "82599" and bits == 64 and dpdk_release() >= "26.07":
        pytest.skip("net_ixgbe's scalar function loses mbufs when a port stops, since DPDK 26.07")
    with Modelled(binary, f"{device},verify,count={PACKETS},flows=16*2", tmp_path, bits=bits) as session:
        session.ok(f"set pipeline mode {mode}", "set pipeline ring 64", "set burst 40")
        forward(session, "ring_pipeline", 2 * PACKETS, leave=False)
        shown = pipeline(session)
        assert shown["mode"] == mode and shown["io"][0]["lcore"] == shown["workers"][0]["lcore"] == 1
        puts = [ring["put"] for ring in shown["rings"]]
        if mode == "copy":
            assert all(put["zc"] == 0 for put in puts)
        elif mode == "compressed":
            assert all(put["zc" if ring["direction"] == "in" else "copy"] == 0 for ring, put in zip(shown["rings"], puts))
            assert shown["io"][0]["mode_in"] == shown["io"][0]["mode_back"] == mode
        else:
            assert all(put["zc"] > 0 for put in puts)
            assert sum(put["wraps"] for put in puts) > 10
        whole(session, PACKETS)


@pytest.mark.rotates(4)
@each_mode
@pytest.mark.parametrize("stage", ["none", "l3fwd"])
def test_any(binary, tmp_path, mode, stage):
    """Two workers take bursts from one ring: each packet once, by whichever comes first; only order within a flow is not kept."""
    with Modelled(binary, f"xl710,verify,count={SHARED},flows=64*2", tmp_path, lcores="0@0,1@0,2@1,3@1") as session:
        session.ok(f"set pipeline mode {mode}", "set pipeline io 1 workers 2,3", "set pipeline sync hts", "set pipeline spread any", "set pipeline ring 64",
                   "set burst 29", f"set pipeline stage {stage}", "pipeline route add 198.18.0.0/15 port 1")
        session.ok("set fwd ring_pipeline retry", PATIENT, "start")
        wait_until(lambda: session.count("TX-packets") >= 2 * SHARED, "all packets sent", 60)
        session.ok("stop")
        shown = pipeline(session)
        rings = [ring for ring in shown["rings"] if ring["direction"] == "in"]
        assert shown["spread"] == "any" and [("put" in ring, ring["shared"]) for ring in rings] == 2 * [(True, False), (False, True)]
        assert [sum(ring["taken"]["packets"] for ring in rings[at:at + 2]) for at in (0, 2)] == [SHARED, SHARED]
        assert all(worker["packets"] > 0 for worker in shown["workers"])
        assert sum(stream["tx"] for stream in law(session)) == 2 * SHARED
        pool_is_full(session)
        session.quit()
        for report in session.reports():
            assert not any(report[word] for word in GOOD if word != "reordered"), report


def test_automatic(binary):
    """The forwarding lcores are divided: show config fwd says who does what before the start."""
    with Session(binary, lcores="0@0,(1,2,3,4)@1") as session:
        for cores, io, workers in ((1, [1], [1]), (2, [1], [2]), (3, [1], [2, 3]), (4, [1, 2], [3, 4])):
            session.ok("set fwd ring_pipeline", f"set nbcore {cores}")
            shown = json_of(session, "show config fwd")
            assert [row["lcore"] for row in shown["lcores"]] == io
            assert [row["lcore"] for row in shown["helpers"]] == workers
            assert shown["n_lcores"] == cores


def test_auto_decides(binary):
    """Every pair of modes is tried, one stays and is looked at again. Which one: ring_autotune, on a clock of its own."""
    with Session(binary, args=["--no-flush-rx"]) as session:
        session.ok("set fwd ring_pipeline", "set record-core-cycles on", "start")
        shown = wait_until(lambda: (s := pipeline(session)) and not s["io"][0]["measuring"] and s, "an end of measuring", 60)
        (io,) = shown["io"]
        assert len(io["measured"]) == 4
        (chosen,) = [way for way in io["measured"] if "of" not in way]
        wait_until(lambda: pipeline(session)["io"][0]["samples"] > io["samples"], "another sample", 60)
        assert all(way["dearer"] <= way["of"] for way in io["measured"] if way is not chosen)
        assert io["receive_cycles"] > 0 and io["transmit_cycles"] > 0
        assert shown["workers"][0]["ring_cycles"] > 0
        session.ok("stop")
        law(session)
        pools_are_full(session)


def test_stage_cycles(binary):
    """A stage that costs 3000 cycles is seen to cost them, where cycles are recorded."""
    with Session(binary) as session:
        session.ok("set fwd ring_pipeline", "set pipeline stage busy 3000", "set record-core-cycles on", "start")
        wait_until(lambda: pipeline(session)["workers"][0]["packets"] > 1000, "packets")
        assert pipeline(session)["workers"][0]["stage_cycles"] >= 3000
        session.ok("stop")


@pytest.mark.rotates(2)
@pytest.mark.parametrize("full", ["wait", "drop"])
def test_full_rings(binary, full):
    """A worker that is too slow: packets are left to the port, or dropped and counted."""
    with Session(binary, lcores=TWO_WORKERS) as session:
        session.ok("set fwd ring_pipeline", "set pipeline io 1 workers 2", "set pipeline stage busy 20000", "set pipeline ring 64",
                   f"set pipeline full {full}", "start")
        wait_until(lambda: sum(ring["put"]["full"] for ring in pipeline(session)["rings"]) > 100, "full rings")
        session.ok("stop")
        dropped = [stream["counters"]["ring_full"] for stream in law(session)]
        assert all(dropped) if full == "drop" else not any(dropped)
        ring = pipeline(session)["rings"][0]
        assert ring["fill"][8] > 0 and ring["taken"]["packets"] == ring["put"]["packets"]
        pools_are_full(session)


def test_l3fwd(binary, tmp_path):
    """Generated UDP goes by its destination, to the other port and back to the own one; all other addresses are no route."""
    routes = tmp_path / "routes"
    routes.write_text("# all there is\n0.0.0.0/0 0\n::/0 1 02:00:00:00:00:09\n", encoding="ascii")
    with Modelled(binary, f"xl710,count={PACKETS},flows=64*2", tmp_path, lcores="0@0,1@0,2@1") as session:
        session.ok("set pipeline stage l3fwd", f"pipeline routes load {routes}", "set pipeline io 1 workers 2")
        assert [r["prefix"] for r in json_of(session, "show pipeline routes")["routes"]] == ["0.0.0.0/0", "::/0"]
        session.ok("set fwd ring_pipeline retry", PATIENT, "start")
        wait_until(lambda: session.count("TX-packets") >= 2 * PACKETS, "all packets sent", 60)
        session.ok("stop")
        to_other, to_own = law(session)
        assert to_other["rx_port"] == 0 and to_other["counters"]["routed_out"] == to_other["rx"] == PACKETS
        assert to_own["counters"]["routed_in"] == to_own["made"] == PACKETS and to_own["tx"] == 2 * PACKETS
        session.ok("pipeline routes clear", "pipeline route add 1.2.3.4 port 0", "start")
        session.ok("stop")
        pool_is_full(session)
        session.quit()


def test_no_route(binary, tmp_path):
    with Modelled(binary, f"xl710,count={PACKETS}*2", tmp_path) as session:
        session.ok("set pipeline stage l3fwd", "pipeline route add 1.2.3.4 port 0", "set fwd ring_pipeline", "start")
        wait_until(lambda: all(s["counters"]["no_route"] == PACKETS for s in json_of(session, "show fwd stats all")["streams"]), "drops", 60)
        session.ok("stop")
        assert all(s["absorbed"] == PACKETS and s["tx"] == 0 for s in law(session))
        pool_is_full(session)


@pytest.mark.parametrize("start, words", [
    (("set pipeline io 1 workers 2",), ("lcore 2 is not enabled",)),
    (("set pipeline io 0 workers 1",), ("lcore 0", "main lcore")),
    (("set pipeline sync hts",), ("lcore 1 cannot do I/O and work",)),
    (("set pipeline io 1,1 workers 1",), ("lcore 1 is listed twice",)),
    (("set pipeline spread any",), ("pipeline-spread any", 'use "set pipeline sync hts"')),
])
def test_refused_lcores(binary, start, words):
    """One error; afterwards, with other words, it starts."""
    with Session(binary) as session:
        session.ok(*start, "set fwd ring_pipeline")
        answer = session.cmd("start") + session.stderr()
        assert all(word in answer for word in words), answer
        session.ok("set pipeline lcores auto", "set pipeline sync single", "set pipeline spread auto", "start", "stop")


def test_refused_pools(binary):
    """Words do not reach from one pool to another that lies far away: one error; with pointers it starts."""
    # Far from where mmap() puts anonymous memory, also beside the sanitizers' own.
    with Session(binary, eal=["--base-virtaddr=0x200000000000"], args=["--mp-alloc=anon"]) as session:
        session.ok("set fwd ring_pipeline", "set pipeline mode compressed", "start", "stop", "port mirror 0 1")
        answer = session.cmd("start") + session.stderr()
        assert "pipeline-mode compressed: packet pools span" in answer and "at most 32 are supported" in answer, answer
        session.ok("set pipeline mode zc", "start", "stop")


@pytest.mark.parametrize("text, words", [
    ("10.0.0.0/8 0\n10.0.0.0/33 0\n", ":2: column 1: \"10.0.0.0/33\": expected /0../32"),
    ("10.0.0.0/8 9\n", ":1: port 9 does not exist"),
    ("\n\n10.0.0.0/8\n", ":3: column 11: incomplete command: expected port or a number 0..65535"),
])
def test_refused_files(binary, tmp_path, text, words):
    path = tmp_path / "routes"
    path.write_text(text, encoding="ascii")
    with Session(binary) as session:
        session.ok("pipeline route add 10.1.0.0/16 port 1")
        assert f"{path}{words}" in session.cmd(f"pipeline routes load {path}") + session.stderr()
        assert len(json_of(session, "show pipeline routes")["routes"]) == 1
        session.ok("pipeline route del 10.1.0.0/16")
