# SPDX-License-Identifier: BSD-3-Clause
"""What engines know beyond their counters, in recordings and over telemetry: pipelines ring by ring, external buffers stream by stream."""
import json
import signal
import time

import pytest

from extbuf_runs import NO_FAST_FREE
from laws import TWO_WORKERS, stats
from modelled import PATIENT, Modelled, all_good, sent
from pipelines import Pair, in_memory, more, pages, pipeline  # noqa: F401
from recorded import lines, of_type, read
from session import Session, wait_until
from telemetry import Telemetry

pytestmark = pytest.mark.zcfwd
PUT, TAKEN = ("packets", "copy", "zc", "wraps", "full"), ("packets", "copy", "zc", "wraps", "empty")
EIGHTHS = 9
WORKER = ("packets", "bursts", "empty_polls", "deaths", "timed", "cycles", "stage_cycles")
IO = ("timed_rx", "rx_cycles", "timed_tx", "tx_cycles")


def whole_lines(path):
    """Of a recording that goes on."""
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def added(parts, names):
    return {name: sum(part[name] for part in parts) for name in names}


def ring_sums(intervals):
    """{(direction, stream, worker): (put, taken or None, fill)} over intervals."""
    found = {}
    for line in intervals:
        for ring in line["groups"]["pipeline_ring"]:
            found.setdefault((ring["direction"], ring["stream"], ring["worker"]), []).append(ring)
    return {key: (side(rings, "put", PUT), None if rings[0]["shared"] else side(rings, "taken", TAKEN),
                  [sum(dict(zip(ring["fill"]["sizes"], ring["fill"]["counts"])).get(eighth, 0) for ring in rings) for eighth in range(EIGHTHS)])
            for key, rings in found.items()}


def side(rings, which, names):
    return {name: sum(ring[f"{which}_{name}"] for ring in rings) for name in names}


def shown_rings(pipeline, streams):
    """The same of show pipeline, which names rings by their queues."""
    found = {}
    for ring in pipeline["rings"]:
        way = "rx" if ring["direction"] == "in" else "tx"
        (stream,) = (number for number, one in enumerate(streams)
                     if (one[f"{way}_port"], one[f"{way}_queue"]) == (ring["port"], ring["queue"]))
        found[ring["direction"], stream, ring["worker"]] = (
            {name: ring["put"][name] for name in PUT},
            {name: ring["taken"][name] for name in TAKEN} if "taken" in ring else None, ring["fill"])
    return found


@pytest.mark.parametrize("words", [
    ("set pipeline mode zc", "set pipeline ring 64", "set burst 40"),
    ("set pipeline mode copy", "set pipeline io 1 workers 2", "set pipeline stage busy 300"),
    ("set pipeline mode zc", "set pipeline io 1 workers 1,2", "set pipeline spread flow"),
    ("set pipeline mode auto", "set pipeline io 1 workers 2,3", "set pipeline sync hts", "set pipeline spread flow"),
], ids=["one lcore", "two lcores", "one of two is both", "shared rings"])
def test_pipeline(binary, tmp_path, words):
    """Interval by interval, in the run's totals, by show pipeline and over telemetry: the same rings, workers and I/O lcores."""
    path = tmp_path / "r"
    with Session(binary, lcores="0@0,1@0,2@1,3@1", telemetry=True) as session, Telemetry(session) as client:
        session.ok("set fwd ring_pipeline", "set record-core-cycles on", *words, f"record start {path} every 5", "start")
        wait_until(lambda: client.ask("/zcfwd/stream,0")["rx"] > 50_000 and len(of_type(whole_lines(path), "interval")) > 1, "packets and intervals", 30)
        session.ok("stop")
        session.cmd("set output json")
        shown, streams = session.json_ok("show pipeline"), stats(session)["streams"]
        session.json_ok("record stop")
        told = {what: client.pages(f"/zcfwd/group,pipeline_{what}", "members") for what in ("io", "worker", "ring")}
        (summary,) = client.pages("/zcfwd/group,pipeline", "members").values()
    found = lines(path)
    (begin,), intervals, (end,) = (of_type(found, kind) for kind in ("begin", "interval", "end"))
    sums = ring_sums(intervals)
    assert len(intervals) > 1 and sums == ring_sums([end]) == shown_rings(shown, streams)
    assert sum(sums[key][0]["packets"] for key in sums if key[0] == "in") == sum(stream["rx"] for stream in streams) > 0
    assert ring_sums([{"groups": {"pipeline_ring": told["ring"].values()}}]) == sums
    assert all(ring["level"] == 0 for ring in end["groups"]["pipeline_ring"] if "level" in ring)
    assert all(0 <= ring["level"] < shown["ring_slots"] for line in intervals for ring in line["groups"]["pipeline_ring"] if "level" in ring)
    for number, worker in enumerate(shown["workers"]):
        total = added([line["groups"]["pipeline_worker"][number] for line in intervals], WORKER)
        assert total == {name: end["groups"]["pipeline_worker"][number][name] for name in WORKER}
        assert total == {name: told["worker"][str(number)][name] for name in WORKER}
        assert (total["packets"], total["bursts"], total["empty_polls"]) == tuple(worker[name] for name in ("packets", "bursts", "empty_polls"))
        if total["timed"]:
            assert worker["stage_cycles"] == pytest.approx(total["stage_cycles"] / total["timed"], abs=0.01)
            assert worker["ring_cycles"] == pytest.approx((total["cycles"] - total["stage_cycles"]) / total["timed"], abs=0.01)
        assert end["groups"]["pipeline_worker"][number]["lcore"] == worker["lcore"] == begin["groups"]["pipeline_worker"][number]["lcore"]
    for number, io in enumerate(shown["io"]):
        total = added([line["groups"]["pipeline_io"][number] for line in intervals], IO)
        assert total == {name: end["groups"]["pipeline_io"][number][name] for name in IO} == {name: told["io"][str(number)][name] for name in IO}
        assert io["receive_cycles"] == pytest.approx(total["rx_cycles"] / total["timed_rx"], abs=0.01)
        assert [end["groups"]["pipeline_io"][number][name] for name in ("lcore", "mode_in", "mode_back")] == [
            io[name] for name in ("lcore", "mode_in", "mode_back")]
    assert sum(one["timed"] for one in end["groups"]["pipeline_worker"]) > 0
    names = ("mode", "stage", "spread", "ring_slots", "full_waits", "shared_rings")
    assert [shown[name] for name in names] == [begin["groups"]["pipeline"][0][name] for name in names] == [summary[name] for name in names]
    assert (summary["n_io"], summary["n_workers"], summary["n_rings"]) == (len(shown["io"]), len(shown["workers"]), len(shown["rings"]))
    assert not read.recording(str(path)).notes


def test_pipeline_of_other_processes(binary, tmp_path, pages):
    """Workers that are other processes: who had the place, and who died in it."""
    path = tmp_path / "r"
    with Pair(binary, pages, ("set pipeline processes 2", f"record start {path} every 5", "start")) as pair:
        for kill in (True, False):
            with pair.working() as session:
                pid = session.pid
                more(pair.primary)
                if kill:
                    session.signal(signal.SIGKILL)
                    wait_until(lambda: sum(worker["deaths"] for worker in pipeline(pair.primary)["workers"]) == 1, "a death", 20)
                else:
                    wait_until(lambda: any(worker["pid"] == pid for worker in of_type(whole_lines(path), "interval")[-1]["groups"]["pipeline_worker"]),
                               "the process in the recording")
                    session.ok("stop")
        pair.primary.ok("stop")
        shown = pipeline(pair.primary)
        pair.primary.ok("record stop")
    found = lines(path)
    (begin,), intervals, (end,) = (of_type(found, kind) for kind in ("begin", "interval", "end"))
    assert begin["groups"]["pipeline"][0]["other_processes"] and len(begin["groups"]["pipeline_worker"]) == 2
    assert all("lcore" not in worker for worker in begin["groups"]["pipeline_worker"])
    for number, worker in enumerate(shown["workers"]):
        total = added([line["groups"]["pipeline_worker"][number] for line in intervals], WORKER)
        assert total == {name: end["groups"]["pipeline_worker"][number][name] for name in WORKER}
        assert [total[name] for name in ("packets", "bursts", "deaths")] == [worker[name] for name in ("packets", "bursts", "deaths")]
    assert pid in {worker["pid"] for line in intervals for worker in line["groups"]["pipeline_worker"]}
    assert {worker["pid"] for worker in end["groups"]["pipeline_worker"]} == {0}


def test_pipeline_of_some_streams(binary, tmp_path):
    """Begun amid a run, of one stream: its rings alone, counted from there; the figures of another engine have none."""
    path = tmp_path / "r"
    with Modelled(binary, "xl710*2", tmp_path, lcores=TWO_WORKERS) as session:
        def at_rest():
            """The port's packets so far if all of them went through the rings, else 0."""
            rings = [one for one in session.ask("/zcfwd/group,pipeline_ring")["members"].values() if one["stream"] == 1]
            counts = {session.report(1)["rx_packets"], session.ask("/zcfwd/stream,1")["rx"], *(one[f"{side}_packets"] for one in rings for side in ("put", "taken"))}
            return counts.pop() if len(counts) == 1 else 0

        session.ok("set fwd ring_pipeline", "set pipeline io 1 workers 2", "start")
        wait_until(lambda: session.ask("/zcfwd/stream,1")["rx"] > 10_000, "packets")
        # Counters are read one by one while lcores count: those of a burst in progress differ. Recording begins while the port is silent.
        session.fault(1, "link down 60000")
        wait_until(lambda: session.report(1)["link_changes"] and (before := at_rest()) and not time.sleep(0.1) and before == at_rest(), "silence")
        before = at_rest()
        session.ok(f"record start {path} every 5 streams 1")
        wait_until(lambda: len(whole_lines(path)) > 3, "lines")
        assert at_rest() == before
        session.fault(1, "link down 1")
        wait_until(lambda: session.ask("/zcfwd/stream,1")["rx"] > before + 10_000, "more packets")
        session.ok("stop")
        total = session.ask("/zcfwd/stream,1")["rx"]
        session.ok("set fwd io", "start", "stop", "record stop")
        assert session.ask("/zcfwd/group,pipeline") is None and session.ask("/zcfwd/group,pipeline_ring") is None
    found = lines(path)
    ends = of_type(found, "end")
    assert {ring["stream"] for line in of_type(found, "interval", 1) for ring in line["groups"]["pipeline_ring"]} == {1}
    put, taken, fill = ring_sums(of_type(found, "interval", 1))["in", 1, 0]
    assert taken["packets"] == put["packets"] == ends[0]["streams"][0]["rx"] == total - before
    assert sum(fill) == put["copy"] + put["zc"] > 0
    assert set(ends[1]["groups"]) == set(of_type(found, "begin")[1]["groups"]) == {"cpu"}  # those of every engine


@pytest.mark.parametrize("question", ["/zcfwd/group,pipeline_io,1", "/zcfwd/group,pipeline_ring,x", "/zcfwd/group,pipeline_worker,-1", "/zcfwd/group,pipeline_ring,4",
                                      "/zcfwd/group,recycle"])
def test_pipeline_refused(binary, question):
    with Session(binary, telemetry=True) as session, Telemetry(session) as client:
        session.ok("set fwd ring_pipeline", "start")
        assert client.ask(question) is None and client.ask(",".join(question.split(",")[:2]).replace("recycle", "pipeline"))
        session.ok("stop")


def test_many_rings(binary):
    """More rings than one answer holds come page by page, each once."""
    with Session(binary, args=["--rxq=12", "--txq=12"], lcores="0@0,(1-4)@1", telemetry=True) as session, Telemetry(session) as client:
        session.ok("set fwd ring_pipeline", "set pipeline io 1 workers 2,3,4", "set pipeline spread flow", "start")
        first = client.ask("/zcfwd/group,pipeline_ring")
        assert 0 < first["next"] < 144
        rings = client.pages("/zcfwd/group,pipeline_ring", "members")
        session.ok("stop")
        assert {(ring["direction"], ring["stream"], ring["worker"]) for ring in rings.values()} == {
            (way, stream, worker) for way in ("in", "back") for stream in range(24) for worker in range(3)}


@pytest.mark.parametrize("mode, words", [
    ("attach", ()), ("auto", ("--extbuf-threshold=100",)), ("auto", ("--extbuf-threshold=0",)), ("copy", ()), ("pinned", ())])
def test_extbuf(binary, tmp_path, mode, words):
    """What show extbuf decided is in the begin line; copied, attached and buffers out are in every interval."""
    path = tmp_path / "r"
    with Modelled(binary, "xl710,verify,count=30000,size=64-1000*2", tmp_path,
                  [NO_FAST_FREE, "--forward-mode=extbuf", f"--extbuf-mode={mode}", *words], mbufs=16384) as session:
        session.ok(f"record start {path} every 2", "set fwd extbuf retry", PATIENT, "start")
        for port in (0, 1):
            sent(session, port, 30_000)
        told = session.ask("/zcfwd/group,extbuf")["members"]
        session.cmd("stop")
        session.cmd("set output json")
        shown = session.json_ok("show extbuf")["streams"]
        total = stats(session)["streams"]
        memories = {one["name"]: one for one in session.json_ok("show extmem")["extmem"]}
        session.json_ok("record stop")
        session.cmd("set output text")
        session.quit()
    found = lines(path)
    (begin,), intervals, (end,) = (of_type(found, kind) for kind in ("begin", "interval", "end"))
    for number, one in enumerate(shown):
        first, last = begin["groups"]["extbuf"][number], end["groups"]["extbuf"][number]
        assert first["mode"] == last["mode"] == told[str(number)]["mode"] == one["mode"] == mode and first["stream"] == number
        if mode == "pinned":
            assert first["pool"] == one["pool"] == begin["streams"][number]["rx_pool"] and set(last) == {"stream", "mode", "pool"}
            continue
        assert [first[name] for name in ("memory", "n", "bytes", "shinfo", "split")] == [
            one[name] for name in ("memory", "n", "bytes", "shinfo", "split")]
        counters = {name: sum(line["streams"][number]["counters"][name] for line in intervals) for name in total[number]["counters"]}
        assert counters == end["streams"][number]["counters"] == total[number]["counters"]
        assert counters["copied"] + counters["attached"] == 30_000
        assert first.get("threshold") == last.get("threshold") == {"attach": 0, "copy": None}.get(mode, one.get("threshold"))
        if mode == "auto":
            assert first["autotuned"] == one["autotuned"] == (words[0].endswith("=0"))
        out = [line["groups"]["extbuf"][number]["out"] for line in intervals]
        assert max(out) <= first["n"] and (max(out) > 32 if counters["attached"] else out[-1] == 0), out
    if mode == "pinned":
        (pool,) = [one for one in end["pools"] if one["name"] == begin["streams"][0]["rx_pool"]]
        assert 0 < pool["available"] < pool["size"]
    else:
        assert sum(one["out"] for one in end["groups"]["extbuf"]) == memories[begin["groups"]["extbuf"][0]["memory"]]["buffers_out"]
    assert not read.recording(str(path)).notes
    all_good(session.reports(), 30_000)


def test_recycled_over_telemetry(binary, tmp_path):
    with Modelled(binary, "xl710,count=20000*2", tmp_path) as session:
        session.ok("set fwd recycle_mbufs retry", PATIENT, "start")
        for port in (0, 1):
            sent(session, port, 20_000)
        session.cmd("stop")
        session.cmd("set output json")
        for number, one in enumerate(session.json_ok("show recycle")["streams"]):
            told = session.ask("/zcfwd/group,recycle")["members"][str(number)]
            assert told == {"stream": number} | {name: one[name] for name in ("moved", "topped_up", "shared", "foreign", "freed", "from_blocks", "contig_gets", "blocks", "blocks_cached", "inlined")} and told["moved"] > 0
        session.cmd("set output text")


def test_pool_that_went(binary):
    """A start that fails leaves the last run's figures, but not the pool that it received into, which may be gone."""
    with Session(binary, telemetry=True) as session, Telemetry(session) as client:
        session.ok("set extbuf mode pinned", "set fwd extbuf", "start", "stop")
        assert client.ask("/zcfwd/stream,0")["pool"] == "p_pinned.1"
        session.ok("set pipeline io 1 workers 2", "set fwd ring_pipeline")
        session.cmd("start")
        assert "lcore 2 is not enabled" in session.stderr()
        session.ok("extmem delete pinned.1", "top every 100ms count 1")
        told = client.ask("/zcfwd/stream,0")
        assert told["engine"] == "extbuf" and "pool" not in told
        assert client.ask("/zcfwd/group,extbuf")["members"]["0"]["pool"] == "p_pinned.1"
