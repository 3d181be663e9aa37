# SPDX-License-Identifier: BSD-3-Clause
"""Workers in other processes: come and go, killed at any moment; what was in their hands is counted, the rest flows."""
import concurrent.futures
import os
import pathlib
import random
import signal

import pytest
from conftest import SEED

from kernel_path import ADDRESS, Path
from modelled import Modelled, all_good
from netns import Namespaces, entering, ip
from pipelines import PACKETS, ROUTES, Pair, children, in_memory, law, more, moved, numbers, pages, pipeline, process_of  # noqa: F401
from recycling import pool_is_full, pools_are_full
from session import Session, SessionError, wait_until
from telemetry import Telemetry

pytestmark = pytest.mark.zcfwd
modes = pytest.mark.parametrize("mode", [pytest.param("copy", marks=pytest.mark.extended), "zc", pytest.param("compressed", marks=pytest.mark.extended)])
KILLS = int(os.environ.get("ZCFWD_KILLS", "12"))


def settled(primary):
    """After KILLS deaths: each may have lost most of a burst, and nothing else is missing."""
    streams = law(primary)
    assert sum(stream["counters"]["lost_in_worker"] for stream in streams) <= KILLS * 29
    assert not any(stream["counters"]["left_at_stop"] for stream in streams)
    pools_are_full(primary)


def vacant(primary):
    wait_until(lambda: all(worker["pid"] == 0 for worker in pipeline(primary)["workers"]), "an empty place", 10)


@pytest.mark.rotates(3)
@pytest.mark.parametrize("mode", ["copy", "zc", "compressed"])
def test_come_and_go(binary, pages, mode):
    """A worker process starts, stops, starts again, ends; the primary stops and starts under it; all without a loss."""
    with Pair(binary, pages, ("set pipeline processes 1", f"set pipeline mode {mode}", "set pipeline stage macswap", "start"),
              args=(("net_null0", "net_null1"),)) as pair:
        for _ in range(2):
            with pair.working() as worker:
                more(pair.primary)
                assert pipeline(worker)["workers"][0]["packets"] > 0
                worker.ok("stop")
                vacant(pair.primary)
                worker.ok("start")
                more(pair.primary)
                pair.primary.ok("stop")
                assert not any(stream["counters"]["left_at_stop"] for stream in law(pair.primary))
                pools_are_full(pair.primary)
                pair.primary.ok("start")
                more(pair.primary)
                worker.quit()
                assert worker.rc == 0
            vacant(pair.primary)
        pair.primary.ok("stop")
        assert not any(stream["counters"]["lost_in_worker"] for stream in law(pair.primary))
        pools_are_full(pair.primary)


@modes
def test_any_killed(binary, pages, mode):
    """Two processes take bursts from one ring; whichever is killed, the other goes on, and what is missing was in the dead one's hands."""
    chance = random.Random(f"{SEED} {mode}")
    commands = ("set pipeline processes 2", "set pipeline spread any", "set pipeline sync hts", f"set pipeline mode {mode}", "set pipeline ring 64", "set burst 29", "start")
    with Pair(binary, pages, commands, args=(("net_null0", "net_null1"),)) as pair, pair.working():
        for kill in range(1, KILLS + 1):
            with pair.working() as worker:
                target = moved(pair.primary) + chance.randrange(20_000)
                wait_until(lambda: moved(pair.primary) >= target, "packets", 30)
                worker.signal(signal.SIGKILL)
                wait_until(lambda: sum(row["deaths"] for row in pipeline(pair.primary)["workers"]) == kill, "a death", 30)
            more(pair.primary)
        pair.primary.ok("stop")
        settled(pair.primary)


def test_telemetry_stays(binary, pages):
    """When a worker process ends, the primary's endpoints answer as before."""
    with Pair(binary, pages, ["set pipeline processes 1"], telemetry=True) as pair, Telemetry(pair.primary) as client:
        before = client.ask("/zcfwd/config")
        with pair.secondary() as worker:
            worker.quit()
        assert before and client.ask("/zcfwd/config") == before


@pytest.mark.extended
def test_auto_decides(binary, pages):
    """Mode auto measures every pair of modes with a worker in another process, and keeps one. Which one: ring_autotune, on a clock of its own."""
    with Pair(binary, pages, ("set pipeline processes 1", "set pipeline mode auto", "start"), args=(("net_null0", "net_null1"),)) as pair, pair.working():
        shown = wait_until(lambda: (s := pipeline(pair.primary)) and not s["io"][0]["measuring"] and s, "a decision", 60)
        (io,) = shown["io"]
        assert shown["mode"] == "auto" and io["samples"] >= 401 and ["of" in way for way in io["measured"]].count(False) == 1 and len(io["measured"]) == 4
        pair.primary.ok("stop")
        law(pair.primary)


@pytest.mark.rotates(2)
@pytest.mark.parametrize("sync", ["single", "hts"])
@pytest.mark.parametrize("stage", ["none", "l3fwd"])
def test_two_processes(binary, pages, tmp_path, sync, stage):
    """Two workers, flows shared out between them: all comes back, in order, be the rings back their own or one for both."""
    commands = ("set pipeline processes 2", "set pipeline spread flow", f"set pipeline sync {sync}", f"set pipeline stage {stage}", *ROUTES, "start")
    with Pair(binary, pages, commands, args=(f"xl710,verify,count={PACKETS},flows=64*2", tmp_path), kind=Modelled) as pair:
        with pair.working(), pair.working():
            wait_until(lambda: pair.primary.count("TX-packets") >= 2 * PACKETS, "all packets sent", 60)
            shown = pipeline(pair.primary)
            assert len({worker["pid"] for worker in shown["workers"]}) == 2 and shown["shared_rings"] == (sync == "hts")
            assert all(worker["packets"] > PACKETS / 4 for worker in shown["workers"])
            pair.primary.ok("stop")
        streams = law(pair.primary)
        assert [stream["counters"]["routed_out"] for stream in streams] == ([0, PACKETS] if stage == "l3fwd" else [0, 0])
        pool_is_full(pair.primary)
        pair.primary.quit()
        all_good(pair.primary.reports(), PACKETS)


@modes
def test_killed(binary, pages, mode):
    """kill -9 at random moments: what is missing was in its hands, at most a burst each time; the law holds, all packets come back."""
    chance = random.Random(f"{SEED} {mode}")
    with Pair(binary, pages, ("set pipeline processes 1", f"set pipeline mode {mode}", "set pipeline ring 64", "set burst 29", "start"),
              args=(("net_null0", "net_null1"),)) as pair:
        for kill in range(1, KILLS + 1):
            with pair.working() as worker:
                target = moved(pair.primary) + chance.randrange(20_000)
                wait_until(lambda: moved(pair.primary) >= target, "packets", 30)
                worker.signal(signal.SIGKILL)
                wait_until(lambda: pipeline(pair.primary)["workers"][0]["deaths"] == kill, "a death", 30)
            assert pipeline(pair.primary)["workers"][0]["pid"] == 0
        with pair.working():
            more(pair.primary)
            pair.primary.ok("stop")
        settled(pair.primary)


@pytest.mark.extended
@pytest.mark.netns
@pytest.mark.tap
def test_kernel_traffic(binary, pages):
    """The kernel's own TCP over taps, while workers die: all bytes arrive; of frames, those that a worker had in hand are missing."""
    taps = [f"zp{os.getpid() % 100000}{i}" for i in ADDRESS]
    with Namespaces(3) as names, \
            Pair(binary, pages, ("set pipeline processes 1", "set pipeline mode zc"), args=([f"net_tap{i},iface={taps[i]}" for i in ADDRESS],),
                 wrapper=entering(names[2])) as pair, concurrent.futures.ThreadPoolExecutor() as beside:
        for i in ADDRESS:
            ip("-n", names[2], "link", "set", taps[i], "netns", names[i])
        path = Path(pair.primary, names, taps, exact=True)
        path.bring_up()
        pair.primary.ok("start")
        before = path.settled()
        for ends in ((0,), (1,), (0, 1)):
            with pair.working() as worker:
                path.ping(0)
                transfer = beside.submit(path.transfer, *ends)
                more(pair.primary)
                worker.signal(signal.SIGKILL)
                vacant(pair.primary)
                assert not transfer.done()
            with pair.working():
                transfer.result(120)
        with pair.working():
            after = path.settled()
            pair.primary.ok("stop")
        streams = law(pair.primary)
        assert not any(stream["counters"]["left_at_stop"] for stream in streams)
        moved = [[b - a for a, b in zip(*rows)] for rows in zip(before, after)]
        for end in ADDRESS:
            kernel_sent, _, got, missed, _ = moved[end]
            _, kernel_got, _, _, sent = moved[1 - end]
            gone = sum(stream["absorbed"] + stream["tx_dropped"] for stream in streams if stream["rx_port"] == end)
            assert got + missed == kernel_sent and sent == kernel_got == got - gone, (moved, streams)
        pair.primary.ok("port stop all", "port close all")  # net_tap keeps its mbufs until then
        pools_are_full(pair.primary)


# As in a container: each process is number 1 of a PID namespace of its own, and sees no other.
CONTAINED = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--ipc", "--uts")


@pytest.mark.netns
@pytest.mark.parametrize("inside", [*(pytest.param(side, marks=pytest.mark.extended) for side in ("worker", "primary")), "both"])
def test_containers(binary, pages, inside):
    """Processes that cannot see each other's pids: work, stopped ones keep their slots, killed ones lose them, the primary's end is seen."""
    primary, worker = (CONTAINED if inside in (which, "both") else () for which in ("primary", "worker"))
    with Pair(binary, pages, ("set pipeline processes 2", "set pipeline spread queue", "set pipeline full drop", "start"),
              args=(("net_null0", "net_null1"),), wrapper=primary) as pair:
        with pair.working(wrapper=worker) as one, pair.working(wrapper=worker) as other:
            more(pair.primary)
            if worker:  # where EAL cannot tell two apart, the second has gone on under another pid
                assert pipeline(pair.primary)["workers"][0]["pid"] == 1
            stopped = process_of(one)
            os.kill(stopped, signal.SIGSTOP)
            for _ in range(50):
                assert pair.taken() == 2
            os.kill(stopped, signal.SIGCONT)
            more(pair.primary)
            one.signal(signal.SIGKILL)
            wait_until(lambda: pair.taken() == 1, "a free slot", 20)
            more(pair.primary)
            with pair.working(wrapper=worker) as second:
                more(pair.primary)
                second.signal(signal.SIGKILL)
            assert "ended" not in other.stderr()
            wait_until(lambda: sorted(row["deaths"] for row in pipeline(pair.primary)["workers"]) == [0, 2], "two deaths", 20)
            pair.primary.ok("stop")
            streams = law(pair.primary)
            assert sum(stream["counters"]["lost_in_worker"] for stream in streams) <= 2 * 32
            pools_are_full(pair.primary)
            pair.primary.ok("start")
            more(pair.primary)
            pair.primary.signal(signal.SIGKILL)
            wait_until(lambda: "the primary process has ended" in other.stderr(), "a word", 20)


@pytest.mark.extended
@pytest.mark.netns
def test_containers_end(binary, pages):
    """A container's end is a signal to its number 1, also where that one has gone on under another pid: both end in order, nothing is lost."""
    with Pair(binary, pages, ("set pipeline processes 2", "set pipeline spread queue", "set pipeline full drop", "start")) as pair:
        with pair.working(wrapper=CONTAINED), pair.working(wrapper=CONTAINED) as other:
            more(pair.primary)
            (first,) = children(other.pid)
            assert numbers(first)[-1] == 1
            os.kill(first, signal.SIGTERM)
            text, rc = other.finish()
            assert rc == 0 and text.rstrip().endswith("Bye..."), text
            assert pair.taken() == 1
            more(pair.primary)
        pair.primary.ok("stop")
        law(pair.primary)
        pools_are_full(pair.primary)


# Rows without an example, of those that ask what a run is, and rows that would reach for the primary's devices.
MORE_LINES = ("start for 10 packets", "start tx_first", "show fwd bursts", "show fwd counters", "show recycle", "show extbuf", "show pipeline",
              "top count 1", "record start {} bursts all", "show record", "record stop", "set link-down port 0", "port detach 0",
              "device detach net_null0", "device detach bus=vdev,name=net_null1", "port close all", "port config all rss all", "set default")


def test_every_command(binary, pages, tmp_path):
    """A secondary at work answers whatever it is asked; the primary forwards on, its devices untouched."""
    with Pair(binary, pages, ("set pipeline processes 1", "start"), args=(("net_null0", "net_null1"),)) as pair, pair.working() as worker:
        worker.cmd("set output json")
        rows = worker.json_ok("help all")["commands"]
        assert len(rows) > 100
        refused = {}
        for line in [row["example"] for row in rows if "example" in row] + [line.format(tmp_path / "r.jsonl") for line in MORE_LINES]:
            if line.startswith(("set output", "watch")):
                continue  # the mode this test reads; one object per repetition
            worker.json("start")
            answer = worker.json(line)
            refused[line] = "" if answer["ok"] else answer["error"]["message"]
        assert "use \"start for SECONDS\"" in refused["start for 10 packets"]
        for line in refused:
            if line.startswith(("port attach", "device detach")):
                assert "the primary process" in refused[line], line
        assert pair.primary.cmd("show port summary all").startswith("Number of available ports: 2\n")
        worker.json("start")
        more(pair.primary)


def refusal(pair, **options):
    """What a secondary says that does not come up."""
    with pytest.raises(SessionError) as caught, pair.secondary(**options):
        pass
    return str(caught.value)


def test_refused(binary, pages, tmp_path):
    """Another version, other ports, nobody there: one clear error, and the primary forwards on."""
    other = tmp_path / "zcfwd"
    other.write_bytes(pathlib.Path(binary).read_bytes().replace(b"0.1.0\0", b"0.1.9\0"))
    other.chmod(0o755)
    with Pair(binary, pages, ("set pipeline processes 1", "start"), args=(("net_null0", "net_null1"),)) as pair:
        said = refusal(pair, binary=other)
        assert "zcfwd: the primary process is zcfwd 0.1.0" in said and "but this version is required: zcfwd 0.1.9" in said
        assert "zcfwd: net_null7 is not a port of the primary process" in refusal(pair, vdevs=["net_null7"])
        assert "zcfwd: 0000:99:00.0 is not a port of the primary process" in refusal(pair, eal=["-a", "0000:99:00.0"])
        with pair.working():
            more(pair.primary)
        pair.primary.ok("stop")
        pair.primary.quit()
        assert "zcfwd: the primary process has ended" in refusal(pair)


def test_too_many_lcores(binary, pages):
    """More lcores than worker slots: refused where no slot could ever come free, else they wait and say so."""
    with Pair(binary, pages, ("set pipeline processes 1", "start"), args=(("net_null0", "net_null1"),)) as pair:
        with pair.working(), pair.secondary(lcores="0@0,2@1,3@1") as spare:
            more(pair.primary)
            spare.ok("set nbcore 2")
            assert "2 lcores as workers: expected at most 1" in spare.cmd("start") + spare.stderr()
            spare.ok("set nbcore 1")
            assert "1 of them wait for a free worker slot" in spare.cmd("start")
            more(pair.primary)
            assert pipeline(pair.primary)["workers"][0]["pid"] != spare.pid
            spare.ok("stop")
        pair.primary.ok("stop")


@pytest.mark.rotates(2)
@pytest.mark.parametrize("sync", ["single", "hts"])
def test_orphan(binary, pages, sync):
    """The primary ends, in order or killed: one line, its workers stop, start is refused, and the process can leave."""
    for end in ("quit", "kill"):
        commands = ("set pipeline processes 1", f"set pipeline sync {sync}", "start")
        with Pair(binary, pages, commands, args=(("net_null0", "net_null1"),)) as pair, pair.working() as worker:
            more(pair.primary)
            if end == "kill":
                pair.primary.signal(signal.SIGKILL)
            else:
                pair.primary.quit()
            wait_until(lambda: "the primary process has ended" in worker.stderr(), "a word", 20)
            worker.cmd("stop")
            assert worker.stderr().count("has ended") == 1
            assert "the primary process has ended; quit" in worker.cmd("start") + worker.stderr()
            worker.quit()
            assert worker.rc == 0


def test_no_primary(binary, pages):
    with pytest.raises(SessionError) as caught, \
            Session(binary, (), pool=None, memory=["--huge-dir", pages], eal=["--proc-type=secondary", f"--file-prefix=zctn{os.getpid()}"]):
        pass
    assert str(caught.value).count("zcfwd: EAL initialisation failed") == 1


def test_refused_memory(binary):
    """Memory that is not shared."""
    with Session(binary) as session:
        session.ok("set fwd ring_pipeline", "set pipeline processes 1")
        assert "shares no memory" in session.cmd("start") + session.stderr()
