# SPDX-License-Identifier: BSD-3-Clause
"""Hardware counters over a made-up CPU whose events run on with the thread's time, each at a rate of its own: who counts, when, and where it is told."""
import json
import os
import re
import signal

import pytest

from laws import TWO_WORKERS
from modelled import Modelled
from pipelines import Pair, in_memory, json_of, pages, pipeline  # noqa: F401
from recorded import lines, of_type
from session import Session, wait_until
from telemetry import Telemetry

TICKS = os.environ.get("PERF_TICKS", "")
pytestmark = [pytest.mark.zcfwd, pytest.mark.skipif(not TICKS, reason="the made-up CPU is not built")]
# Events per 1000 cycles. Those that the kernel names are the source's own.
RATES = {"instructions": 2000, "stalled_frontend": 4, "stalled_backend": 8, "l1d_refills": 16, "l1d_writebacks": 32, "l2_refills": 64,
         "l2_writebacks": 128, "l3_refills": 256}
EVENTS = ",".join(f"{name}=r{rate:x}" for name, rate in {**RATES, "mc_requests": 512}.items() if name != "instructions")
ON = (f"set hw-counters {EVENTS}", "set record-hw-counters on")


def session(binary, **options):
    return Session(binary, env={"LD_PRELOAD": TICKS}, **options)


def proportions(counted, mc=False):
    """Each counter in proportion to cycles, as the source has it: all are of the same windows."""
    assert counted["cycles"] > 0 and ("mc_requests" in counted) == mc
    for name, rate in RATES.items():
        assert counted[name] / counted["cycles"] == pytest.approx(rate / 1000, rel=0.001), name


@pytest.mark.parametrize("engine", ["io", "mac", "macswap", "5tswap", "rxonly", "txonly", "flowgen", "csum", "noisy", "icmpecho", "shared_rxq", "l3fwd",
                                    "extbuf", "ring_pipeline"])
def test_engines(binary, engine):
    """Every engine has them, in JSON and in a line, when they are switched on and not before."""
    with session(binary) as s:
        assert "hardware" not in json_of(s, "show fwd stats all")
        s.ok(*ON, *(["set noisy-tx-sw-buffer-size 64"] if engine == "noisy" else []), f"set fwd {engine}", "start")
        (found,) = wait_until(lambda: (h := json_of(s, "show fwd stats all")["hardware"]) and h[0]["packets"] > 20_000 and h, "counts", 20)
        proportions(found, mc=True)
        assert found["lcore"] == 1 and found["packets"] > 0 and found["ipc"] == pytest.approx(2, rel=0.001)
        said = s.cmd("stop")
        assert re.search(r"\n  Hardware counters/packet, lcore 1: cycles [\d.]+, instructions [\d.]+, stalled frontend .*, memory requests [\d.]+, IPC [123]\.", said)


def bursts_of(s):
    return [stream["rx_bursts"] for stream in json_of(s, "show fwd bursts")["streams"]]


def test_idle_polls(binary, tmp_path, monkeypatch):
    """What an lcore does while nothing comes is not counted."""
    monkeypatch.setenv("LD_PRELOAD", TICKS, prepend=":")
    with Modelled(binary, "xl710,count=100000,flows=16*2", tmp_path) as s:
        s.ok(*ON, "set fwd rxonly", "set record-burst-stats on", "start")
        wait_until(lambda: s.count("RX-packets") >= 200_000, "all packets", 60)
        polls = sum(burst["bursts"] for burst in bursts_of(s))
        wait_until(lambda: sum(burst["bursts"] for burst in bursts_of(s)) > polls + 4, "polls after the last packets, so that they are counted")
        before = json_of(s, "show fwd stats all")
        (first,) = before["hardware"]
        wait_until(lambda: json_of(s, "show fwd stats all")["seconds"] > before["seconds"] + 0.5, "half a second")
        (then,) = json_of(s, "show fwd stats all")["hardware"]
        assert {**then, "mc_requests": 0} == {**first, "mc_requests": 0} and first["packets"] > 10_000
        assert then["mc_requests"] > first["mc_requests"]  # the machine's: it does other things too
        s.ok("stop")


def test_recording_and_telemetry(binary, tmp_path):
    """Intervals add up to the totals, which telemetry tells too; rows have names, units and help."""
    path = tmp_path / "r"
    with session(binary, telemetry=True) as s, Telemetry(s) as client:
        s.ok(*ON, f"record start {path} every 5", "start")
        wait_until(lambda: client.pages("/zcfwd/group,hardware", "members")["0"]["packets"] > 50_000, "packets", 30)
        s.ok("stop")
        (told,) = client.pages("/zcfwd/group,hardware", "members").values()
        s.ok("record stop")
        schema = client.pages("/zcfwd/schema", "tables").values()
    found = lines(path)
    (end,), intervals = of_type(found, "end"), of_type(found, "interval")
    (total,) = end["groups"]["hardware"]
    for name in ("packets", "cycles", *RATES):
        # The first intervals may end before the lcore knows what the machine has.
        assert sum(line["groups"]["hardware"][0].get(name, 0) for line in intervals) == total[name] == told[name]
    proportions({name: total[name] for name in ("cycles", *RATES)})
    (rows,) = (table["rows"] for table in schema if table["table"] == "hardware")
    assert set(rows) == {"packets", "cycles", "mc_requests", *RATES} and rows["l2_refills"]["unit"] == "events"


def test_clear(binary):
    """Counts begin where they were cleared."""
    with session(binary) as s:
        s.ok(*ON, "start")
        before = wait_until(lambda: json_of(s, "show fwd stats all")["hardware"], "counts")[0]["packets"]
        wait_until(lambda: json_of(s, "show fwd stats all")["hardware"][0]["packets"] > 3 * before, "more")
        s.ok("stop", "clear fwd stats all")
        assert json_of(s, "show fwd stats all")["hardware"] == []


def test_workers(binary):
    """Lcores that own no stream count for themselves."""
    with session(binary, lcores=TWO_WORKERS, telemetry=True) as s, Telemetry(s) as client:
        s.ok(*ON, "set fwd ring_pipeline", "set pipeline io 1 workers 2", "start")
        shown = wait_until(lambda: (p := pipeline(s)) and p["workers"][0]["packets"] > 500_000 and p, "packets", 30)
        proportions(shown["workers"][0]["hardware"])
        proportions(shown["io"][0]["hardware"])
        s.ok("stop")
        (worker,) = client.pages("/zcfwd/group,pipeline_worker_hardware", "members").values()
        proportions(worker)
        assert worker["packets"] > 0 and worker["lcore"] == 2


def test_other_process(binary, pages):  # noqa: F811
    """A worker in another process counts there; the primary shows it, also of one that came after a dead one."""
    with Pair(binary, pages, [*ON, "set pipeline processes 1"], env={"LD_PRELOAD": TICKS}) as pair:
        pair.primary.ok("start")
        before = 0
        for killed in (True, False):
            with pair.secondary(env={"LD_PRELOAD": TICKS}) as worker:
                worker.ok("start")
                shown = wait_until(lambda: (w := pipeline(pair.primary)["workers"][0]) and w["packets"] > before + 2_000_000 and "hardware" in w and w,
                                   "counts", 30)
                proportions(shown["hardware"])
                before = shown["packets"]
                if killed:
                    worker.signal(signal.SIGKILL)
                    wait_until(lambda: pipeline(pair.primary)["workers"][0]["deaths"] == 1, "its death")
        pair.primary.ok("stop")


def test_none(binary):
    """A CPU that counts nothing: one line says so, and forwarding goes on."""
    nothing = ",".join(f"{name}=rffff" for name in ("cycles", *RATES))
    with session(binary, merge=True) as s:
        assert "no hardware counters are available to this process: perf_event_open: No such file or directory" in \
            (s.cmd(f"set hw-counters {nothing}"), s.cmd("set record-hw-counters on"))[1]
        s.ok("start")
        wait_until(lambda: json_of(s, "show fwd stats all")["total"]["rx_packets"] > 1000, "packets")
        assert "\n  Hardware counters: nothing counted\n" in s.cmd("stop")


def test_kernel(binary):
    """The kernel's own source of the thread's CPU time: what it says fits to the time that forwarding took."""
    with Session(binary, merge=True) as s:
        s.ok("set hw-counters cycles=task-clock,instructions=task-clock")
        if "no hardware counters" in s.cmd("set record-hw-counters on"):
            pytest.skip("the kernel lets this process count nothing")
        s.ok("start")
        wait_until(lambda: (json_of(s, "show fwd stats all")["hardware"] or [{"packets": 0}])[0]["packets"] > 1_000_000, "packets")
        s.ok("stop")
        stats = json_of(s, "show fwd stats all")
        (found,) = stats["hardware"]
        assert found["cycles"] == pytest.approx(found["instructions"], rel=0.05)
        assert 0 < found["cycles"] * found["packets"] < stats["seconds"] * 1e9
        assert json.dumps(stats)
