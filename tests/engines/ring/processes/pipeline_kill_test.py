# SPDX-License-Identifier: BSD-3-Clause
"""Worker processes killed at random moments, on modelled NICs that number what they send: what is missing is what was counted lost, no more."""
import contextlib
import os
import random
import signal
import time

import pytest
from conftest import SEED

from modelled import GOOD, Modelled
from pipelines import ROUTES, Pair, in_memory, json_of, law, pages, pipeline  # noqa: F401
from recycling import figures, pool_is_full
from session import wait_until

pytestmark = pytest.mark.zcfwd
RINGS = ["--rxd=1024", "--txd=1024", "--tx-offloads=0x0"]  # an automatic window begins with 512
BRIEF, LONG = 3, int(os.environ.get("SOAK_KILLS", "100"))
# Commands, and how many workers there are. Busy ones take longer for a packet than a NIC: their ring is never empty, so that they have a burst in hand.
WAYS = {
    "busy": (("set pipeline stage busy 200000",), 1),
    "macswap": (("set pipeline stage macswap",), 1),
    "l3fwd": (("set pipeline stage l3fwd", *ROUTES), 1),
    "two workers": (("set pipeline stage l3fwd", *ROUTES, "set pipeline spread flow"), 2),
    "shared rings": (("set pipeline stage l3fwd", *ROUTES, "set pipeline sync hts", "set pipeline spread flow"), 2),
    "window": (("set pipeline stage macswap", "set recycle on", "set recycle window 320"), 1),
    "automatic window": (("set pipeline stage macswap", "set pipeline spread flow", "set recycle on", "set recycle window auto"), 2),
}
each_way = pytest.mark.parametrize("way", WAYS)


def worker_packets(primary, pid):
    return sum(worker["packets"] for worker in pipeline(primary)["workers"] if worker["pid"] == pid)


def at_work(pair, worker):
    """The worker process has begun to move packets."""
    wait_until(lambda: any(row["pid"] == worker.pid for row in pipeline(pair.primary)["workers"]), "a place for the worker", 30)
    before = worker_packets(pair.primary, worker.pid)
    wait_until(lambda: worker_packets(pair.primary, worker.pid) > before + 1000, "packets moved by the worker", 30)


def quiet(primary):
    """No more comes, and all that came has gone through."""
    for port in (0, 1):
        primary.fault(port, "starve rx 3600000")

    def through():
        generated = sum(primary.report(port)["generated"] for port in (0, 1))
        streams = json_of(primary, "show fwd stats all")["streams"]
        return sum(stream["rx"] for stream in streams) == generated and \
            all(stream["rx"] + stream["made"] == stream["tx"] + stream["tx_dropped"] + stream["absorbed"] for stream in streams)
    wait_until(through, "all packets through", 60)


def kill(binary, folder, tmp_path, way, kills):
    """So many deaths. Returns packets that went through, packets lost, the seed. ZCFWD_TEST_SEED: the same again."""
    seed = SEED
    chance, (commands, places) = random.Random(seed), WAYS[way]
    commands = (f"set pipeline processes {places}", f"set pipeline mode {chance.choice(('copy', 'zc'))}", *commands, "set pipeline ring 256",
                "set burst 29", "start")
    with Pair(binary, folder, commands, args=("xl710,verify,flows=64*2", tmp_path, RINGS), kind=Modelled, mbufs=16384) as pair:
        with contextlib.ExitStack() as processes:
            def another():
                worker = processes.enter_context(pair.secondary())
                worker.ok("start")
                return worker
            workers = [another() for _ in range(places)]
            for worker in workers:
                at_work(pair, worker)
            for death in range(1, kills + 1):
                victim = workers.pop(chance.randrange(places))
                time.sleep(chance.uniform(0, .05))
                victim.signal(signal.SIGKILL)
                victim.finish()
                wait_until(lambda death=death: sum(row["deaths"] for row in pipeline(pair.primary)["workers"]) == death, f"death {death}, seed {seed}", 30)
                workers.append(another())
                at_work(pair, workers[-1])
            quiet(pair.primary)
            assert "window" not in way or all("window" in stream and stream["moved"] > 0 for stream in figures(pair.primary))
            pair.primary.ok("stop")
        streams = law(pair.primary)
        pool_is_full(pair.primary)
        pair.primary.quit()
        assert pair.primary.rc == 0
        reports = pair.primary.reports()
    lost = sum(stream["counters"]["lost_in_worker"] for stream in streams)
    assert not any(stream["counters"][name] for stream in streams for name in ("left_at_stop", "no_route", "malformed", "ring_full")), seed
    assert sum(report["missing"] for report in reports) == lost <= kills * 29, (reports, lost, seed)
    for report in reports:
        assert not any(report[what] for what in GOOD if what != "missing"), (report, seed)
    return sum(report["ok"] for report in reports), lost, seed


@each_way
def test_killed(binary, pages, tmp_path, way):  # noqa: F811
    _, lost, seed = kill(binary, pages, tmp_path, way, BRIEF)
    assert lost > 0 or way != "busy", seed


@pytest.mark.soak
@each_way
def test_killed_often(binary, pages, tmp_path, capsys, way):  # noqa: F811
    packets, lost, seed = kill(binary, pages, tmp_path, way, LONG)
    assert lost > 0 or way != "busy", seed
    with capsys.disabled():
        print(f"pipeline kills: {way}: {LONG} deaths, {packets} packets through, {lost} lost and counted, seed {seed}")
