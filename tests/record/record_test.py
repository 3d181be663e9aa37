# SPDX-License-Identifier: BSD-3-Clause
"""Recording in the real program: sums and histograms against its own figures, known bursts, and ends of all kinds."""
import contextlib
import json
import os
import signal
import subprocess
import threading
import time

import pytest

from laws import MOVES, open_session, run, stats
from limits import limit
from modelled import PATIENT, Modelled, all_good
from neighbour import LCORES, neighbour
from recorded import COUNTS, figures, histogram, lines, of_type, polls, read, sums
from session import Session, wait_until
from stats import blocks

pytestmark = pytest.mark.zcfwd
PORT_COUNTS = ("rx_packets", "rx_errors", "tx_packets")
STEP = os.environ.get("CLOCK_STEP", "")


def grown(path, count):
    """Wait until the file has so many lines."""
    wait_until(lambda: path.exists() and path.read_bytes().count(b"\n") >= count, f"{count} lines in {path}")


def busy(counts):
    return sum(n for size, n in counts.items() if size > 0)


def shown(session):
    """show fwd bursts as {stream: {"rx": histogram, "tx": histogram}}, empty where none was counted."""
    return [{way: dict(zip(counted["sizes"], counted["counts"])) if (counted := stream[way + "_bursts"]) else {} for way in ("rx", "tx")}
            for stream in session.json_ok("show fwd bursts")["streams"]]


@pytest.mark.rotates(4)
@pytest.mark.parametrize("engine", [name for name in MOVES if name not in ("5tswap", "mac")])
def test_sums(binary, tmp_path, engine):
    """What the intervals add up to is what the program shows, by stream, by port, by size of burst."""
    path = tmp_path / "r"
    with open_session(binary, args=["--record-burst-stats", "--record-core-cycles"]) as session:
        session.json_ok(f"record start {path} every 5")
        last = run(session, engine)
        shares = shown(session)
        session.json_ok("record stop")
        found = lines(path)
    intervals, (end,) = of_type(found, "interval"), of_type(found, "end")
    total = sums(intervals)
    assert total == sums([end])
    for number, stream in enumerate(last["streams"]):
        assert {name: total[number][name] for name in COUNTS} == {name: stream[name] or 0 for name in COUNTS}
        assert {name: total[number][name] for name in stream["counters"]} == stream["counters"]
        for way in ("rx", "tx"):
            assert histogram(intervals, number, way + "_bursts") == shares[number][way] == histogram(
                [end], number, way + "_bursts")
    for port in last["ports"]:
        for line in intervals[1:]:
            assert port["port"] in [one["port"] for one in line["ports"]]
        for name in PORT_COUNTS:
            assert port[name] == sum(one[name] for line in intervals for one in line["ports"] if one["port"] == port["port"])
    assert sum(line["dt_ns"] for line in intervals) == end["dt_ns"] == end["mono_ns"] - of_type(found, "begin")[0]["mono_ns"]
    mine = read.recording(str(path))
    assert not mine.notes and [one.engine for one in mine.runs] == [engine]
    assert {number: {name: one[name] for name in COUNTS} for number, one in figures.stream_totals(mine.runs[0]).items()} == {
        number: {name: counts[name] for name in COUNTS} for number, counts in total.items()}


def test_lost_cpu(binary, tmp_path):
    """A neighbour on an lcore's CPU is found in the intervals in which it was there, and the intervals add up to the run."""
    path = tmp_path / "r"
    with Session(binary, lcores=LCORES) as session:
        session.cmd("set output json")
        session.json_ok(f"record start {path} every 20")
        session.json_ok("start")
        grown(path, 4)
        with neighbour():
            wait_until(lambda: sum(map(figures.lacks_cpu, written(path))) >= 10, "ten intervals without the CPU")
        session.json_end()
        session.json_ok("record stop")
    found = lines(path)
    intervals, (end,) = of_type(found, "interval"), of_type(found, "end")
    (whole,) = figures.cpu([end])
    assert whole == figures.cpu(intervals)[0] and whole["lcore"] == 1
    (lost,) = figures.cpu([line for line in intervals if figures.lacks_cpu(line)])
    assert lost["share"] < 0.9 and whole["share"] < 1
    assert whole["loop_ns"] <= end["dt_ns"]


def written(path):
    """The complete intervals of a recording that goes on."""
    return [line for line in map(json.loads, path.read_text(encoding="utf-8").splitlines(keepends=True)[:-1]) if line["type"] == "interval"]


def test_header(binary, tmp_path):
    """What somebody will ask years later: who made it, where, on which ports, with which settings, by which clocks."""
    path, before = tmp_path / "r", time.time_ns()
    with Session(binary, args=["--burst=17", "--rxq=2", "--txq=2"], eal=["--force-max-simd-bitwidth=128"]) as session:
        session.ok("set fwd macswap", "port stop 1", f"record start {path} every 250 bursts sampled 9 streams 1")
        session.cmd("set output json")
        settings = {one["name"]: str(one["value"]) for one in session.json_ok("show settings")["settings"]}
        session.json_ok("record stop")
        version = subprocess.run([str(binary), "--version"], capture_output=True, text=True, check=True, timeout=60).stdout
    header, stop = lines(path)
    system = os.uname()
    assert f"zcfwd {header['zcfwd']}, {header['dpdk']}" in version and header["max_simd_bits"] == 128 and header["version"] == 2
    assert {name: header["machine"][name] for name in ("host", "kernel", "architecture", "cores")} == {
        "host": system.nodename, "kernel": system.release, "architecture": system.machine, "cores": os.sysconf("SC_NPROCESSORS_ONLN")}
    assert (header["every_ms"], header["bursts_every"], header["only_streams"], header["engine"]) == (250, 9, [1], "macswap")
    start = header["start"]
    assert before <= start["wall_ns"] <= time.time_ns() and header["tsc_hz"] > 1e6 and start["tsc"] > 0
    assert start["wall"] == time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(start["wall_ns"] // 10**9))
    assert start["mono_ns"] < stop["mono_ns"] <= time.monotonic_ns()
    assert [(lcore["lcore"], lcore["main"]) for lcore in header["lcores"]] == [(0, True), (1, False)]
    assert [(port["name"], port["driver"], port["started"], port["rx_queues"], port["tx_queues"], "rx_path" in port)
            for port in header["ports"]] == [("net_null0", "net_null", True, 2, 2, True), ("net_null1", "net_null", False, 2, 2, False)]
    words = {name: ("off", "on")[value] if isinstance(value, bool) else str(value) for name, value in header["settings"].items()}
    assert words == settings and header["settings"]["burst"] == 17


def test_known_bursts(binary, tmp_path):
    """A ring of 1023 places filled by hundreds and emptied by 64s: every burst is known, in sizes and in order."""
    path = tmp_path / "r"
    with open_session(binary, ["net_ring0"]) as session:
        session.json_ok(f"record start {path} every 1000 bursts all")
        session.json_ok("set burst 100")
        session.json_ok("set txpkts 60,40")
        session.json_ok("set record-bytes on")
        run(session, "txonly", moves=("tx_dropped",))
        session.json_ok("set burst 64")
        session.json_ok("set fwd rxonly")
        session.json_ok("start")
        wait_until(lambda: stats(session)["streams"][0]["rx"] == 1023, "an empty ring")
        session.json_end()
        session.json_ok("record stop")
    found = lines(path)
    sent = histogram(of_type(found, "interval", 1), 0, "tx_bursts")
    assert {size: n for size, n in sent.items() if size > 0} == {100: 10, 23: 1}
    received = histogram(of_type(found, "interval", 2), 0, "rx_bursts")
    assert {size: n for size, n in received.items() if size > 0} == {64: 15, 63: 1}
    ((sender,),) = (end["streams"] for end in of_type(found, "end", 1))
    assert sender["tx_dropped"] > 0 and (sender["rx_bytes"], sender["tx_bytes"]) == (0, 1023 * 100)
    (end,) = of_type(found, "end", 2)
    assert (end["streams"][0]["rx_bytes"], end["streams"][0]["tx_bytes"]) == (1023 * 100, 0)
    assert [end["streams"][0]["rx_bursts"][name] for name in ("packets", "p50", "p90", "p99")] == [1023, 64, 64, 64]
    assert end["streams"][0]["timed"]["polls"] == end["streams"][0]["kept_polls"] == 16
    single = polls(tmp_path / "r.bursts")
    kept, lost = single[2, 0]
    assert [(rx, tx) for _, _, rx, tx in kept] == [(64, 0)] * 15 + [(63, 0)] and lost == 0
    assert [tx for _, _, _, tx in single[1, 0][0]][:12] == [100] * 10 + [23, 0]
    begins = [tsc for tsc, _, _, _ in kept]
    assert begins == sorted(begins) and all(0 < cycles for _, cycles, _, _ in kept)
    assert end["streams"][0]["timed"]["cycles"] == sum(cycles for _, cycles, _, _ in kept)


@pytest.mark.parametrize("every", [1, 7])
def test_flood_of_turns(binary, tmp_path, every):
    """More polls than a disk takes: each is kept or counted as lost, and what was kept adds up."""
    path = tmp_path / "r"
    words = "bursts all" if every == 1 else f"bursts sampled {every}"
    with open_session(binary) as session:
        session.json_ok(f"record start {path} every 10 {words}")
        session.json_ok("start")
        wait_until(lambda: min(one["rx"] for one in stats(session)["streams"]) > 1_000_000, "packets")
        session.json_end()
        last = stats(session)["streams"]
        answer = session.json_ok("show record")
        session.json_ok("record stop")
    found = lines(path)
    (end,) = of_type(found, "end")
    single = polls(tmp_path / "r.bursts")
    for number, stream in enumerate(last):
        kept, lost = single[1, number]
        one = end["streams"][number]
        assert (one["kept_polls"], one["lost_polls"]) == (len(kept), lost)
        assert len(kept) + lost == -(-busy(histogram([end], number, "rx_bursts")) // every)
        assert one["timed"]["polls"] == len(kept)
        assert one["timed"]["rx"] == sum(rx for _, _, rx, _ in kept)
        if lost == 0 and every == 1:
            assert sum(rx for _, _, rx, _ in kept) == stream["rx"]
            assert sum(tx for _, _, _, tx in kept) == stream["tx"]
    assert answer["kept_polls"] == sum(len(kept) for kept, _ in single.values())
    assert answer["lost_polls"] == sum(lost for _, lost in single.values())


def test_slow_disk(binary, tmp_path):
    """Little is taken of what is written: forwarding goes on, and what finds no room is counted, each poll once."""
    path, pipe, taken, forwarded = tmp_path / "r", tmp_path / "r.bursts", [], threading.Event()
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    def drain():
        """A page ten times a second, as a recording ends when nothing is read for a second; then the rest."""
        while not forwarded.wait(0.1):
            with contextlib.suppress(BlockingIOError):
                taken.append(os.read(reader, 4096))
        os.set_blocking(reader, True)
        taken.extend(iter(lambda: os.read(reader, 1 << 20), b""))

    with open_session(binary) as session:
        session.json_ok("set fwd io")
        session.json_ok(f"record start {path} every 3600000 bursts all")
        session.json_ok("start")
        thread = threading.Thread(target=drain)
        thread.start()
        try:
            wait_until(lambda: min(one["rx"] for one in stats(session)["streams"]) > 32 * 200_000, "forwarding goes on", 60)
        finally:
            forwarded.set()
        session.json_end()
        session.json_ok("record stop")
        thread.join(limit(20))
        os.close(reader)
    (tmp_path / "all").write_bytes(b"".join(taken))
    (end,) = of_type(lines(path), "end")
    single = polls(tmp_path / "all")
    for number, one in enumerate(end["streams"]):
        kept, lost = single[1, number]
        assert len(kept) + lost == busy(histogram([end], number, "rx_bursts")) and lost > 10_000 and len(kept) >= 65_536
        assert (one["kept_polls"], one["lost_polls"]) == (len(kept), lost)


def test_runs_and_settings(binary, tmp_path):
    """One recording over several runs: what changed between and during them is in it; cleared statistics change nothing."""
    path = tmp_path / "r"
    with open_session(binary) as session:
        session.json_ok(f"record start {path} every 20")
        first = run(session, "io")
        session.json_ok("set burst 16")
        session.json_ok("set fwd macswap retry")
        session.json_ok("start")
        session.json_ok("set record-core-cycles on")
        for what in ("fwd stats", "port stats", "port xstats"):
            wait_until(lambda: stats(session)["total"]["rx_packets"], "packets")
            session.json_ok(f"clear {what} all")
        grown(path, 20)
        session.json_end()
        session.json_ok("record stop")
    found = lines(path)
    begins, ends = of_type(found, "begin"), of_type(found, "end")
    assert [(line["run"], line["engine"], line["retry"], line["settings"]["burst"], line["late"]) for line in begins] == [
        (1, "io", False, 32, False), (2, "macswap", True, 16, False)]
    assert [(line["run"], line["name"], line["value"]) for line in of_type(found, "set")] == [
        (0, "burst", 16), (2, "record-core-cycles", True)]
    assert sums(of_type(found, "interval", 1))[0]["rx"] == first["streams"][0]["rx"]
    for line in ends:
        for one in line["streams"]:
            assert one["rx"] + one["made"] == one["tx"] + one["tx_dropped"] + one["absorbed"]
    assert sums(of_type(found, "interval", 2)) == sums(ends[1:])
    assert all(port["rx_packets"] < 1 << 60 for line in found for port in line.get("ports", []) if "rx_packets" in port)
    assert set(histogram(of_type(found, "interval", 2), 0, "rx_bursts")) <= {0, 16}
    assert found[-1]["type"] == "stop"


def test_while_running(binary, tmp_path):
    """Begun and ended amid a run, of one stream: the others know nothing of it, and afterwards none does."""
    path = tmp_path / "r"
    with open_session(binary) as session:
        session.json_ok("set fwd io")
        session.json_ok("start")
        refused = session.json(f"record start {path} streams 0,2")
        assert not refused["ok"] and "expected 0..1" in refused["error"]["message"] and not path.exists()
        session.json_ok(f"record start {path} every 10 bursts all streams 1")
        again = session.json(f"record start {path}2")
        assert not again["ok"] and "already" in again["error"]["message"]
        grown(path, 10)
        wait_until(lambda: busy(shown(session)[1]["rx"]) > 0, "bursts of stream 1")
        session.json_ok("record stop")
        before = shown(session)
        assert before[0] == {"rx": {}, "tx": {}} and busy(before[1]["rx"]) > 0
        moved = stats(session)["total"]["rx_packets"]
        wait_until(lambda: stats(session)["total"]["rx_packets"] > moved + 100_000, "forwarding goes on")
        assert shown(session) == before or busy(shown(session)[1]["rx"]) <= busy(before[1]["rx"]) + 1
        session.json_end()
    found = lines(path)
    assert found[1]["late"] is True and [one["stream"] for one in found[1]["streams"]] == [1]
    assert all([one["stream"] for one in line["streams"]] == [1] for line in of_type(found, "interval"))
    assert {stream for _, stream in polls(tmp_path / "r.bursts")} == {1}


def test_killed(binary, tmp_path):
    """Whatever was written by then is whole."""
    path = tmp_path / "r"
    with Session(binary, args=[f"--record={path}", "--record-every=5", "--record-polls=100"]) as session:
        session.ok("start")
        grown(path, 30)
        wait_until(lambda: (tmp_path / "r.bursts").stat().st_size > 100_000, "polls")
        session.signal(signal.SIGKILL)
        session.child.proc.wait(20)
        found = lines(path)
        single = polls(tmp_path / "r.bursts")
    assert len(of_type(found, "interval")) >= 28 and not of_type(found, "stop")
    assert min(len(kept) for kept, _ in single.values()) > 1000
    mine = read.recording(str(path))
    assert len(mine.notes) == 1 and "interrupted" in mine.notes[0]
    # As a crash of the machine might leave it: a line and a chunk cut in the middle.
    path.write_bytes(path.read_bytes()[:-100])
    assert any("truncated" in note for note in read.recording(str(path)).notes)
    whole = (tmp_path / "r.bursts").read_bytes()
    (tmp_path / "r.bursts").write_bytes(whole[:-24])
    assert sum(len(kept) for kept, _ in polls(tmp_path / "r.bursts").values()) >= sum(len(kept) for kept, _ in single.values()) - 2


@pytest.mark.parametrize("words", ["every 1", "every 1000 bursts all"], ids=["samples", "bursts"])
def test_full_disk(binary, tmp_path, small_disk, words):
    """One message, whole files, forwarding goes on, and the next recording is as good as any."""
    disk = small_disk("512k")  # room for a few chunks of 128 KiB
    with open_session(binary) as session:
        session.json_ok("set fwd io")
        session.json_ok(f"record start {disk}/r {words}")
        session.json_ok("start")
        wait_until(lambda: "recording stopped" in session.stderr(), "a message")
        answer = session.json_ok("show record")
        assert not answer["recording"] and "No space left on device" in answer["stopped"]
        before = stats(session)["total"]["rx_packets"]
        wait_until(lambda: stats(session)["total"]["rx_packets"] > before, "forwarding goes on")
        session.json_end()
        ended = session.json("record stop")
        assert not ended["ok"] and "No space left on device" in ended["error"]["message"]
        assert session.stderr().count("recording stopped") == 1
        session.json_ok(f"record start {tmp_path}/next every 5")
        run(session, "io")
        session.json_ok("record stop")
    assert lines(disk / "r")[1]["type"] == "begin"
    if "bursts" in words:
        assert sum(len(kept) for kept, _ in polls(disk / "r.bursts").values()) > 1000
    else:
        assert len(of_type(lines(disk / "r"), "interval")) > 10
    assert of_type(lines(tmp_path / "next"), "end")


def test_rotation(binary, tmp_path):
    """FILE is the newest, FILE.1 the one before; each begins with header and run, and nothing is missing between them."""
    path = tmp_path / "r"
    with open_session(binary, args=["--record-size=1", "--record-files=2"]) as session:
        session.json_ok("set fwd io")
        session.json_ok(f"record start {path} every 1 bursts sampled 20")
        session.json_ok("start")
        wait_until(lambda: session.json_ok("show record")["samples"]["files"] >= 4, "four files", 60)
        wait_until(lambda: session.json_ok("show record")["bursts"]["files"] >= 2, "two burst files", 60)
        session.json_end()
        session.json_ok("record stop")
    assert not (tmp_path / "r.3").exists() and not (tmp_path / "r.bursts.3").exists()
    before = None
    for name in ("r.2", "r.1", "r"):
        assert (tmp_path / name).stat().st_size <= 1 << 20
        found = lines(tmp_path / name)
        assert [line["type"] for line in found[:2]] == ["header", "begin"]
        for line in of_type(found, "interval"):
            assert before is None or line["mono_ns"] - line["dt_ns"] == before
            before = line["mono_ns"]
    mine = read.recording(str(path))
    assert len(mine.runs) == 1 and mine.stopped and len(mine.notes) == 1 and "rotation deleted" in mine.notes[0]
    header = read.burst_header(str(tmp_path / "r.bursts.1"))
    assert header == mine.header
    kept, _ = polls(tmp_path / "r.bursts")[1, 0]
    assert [one[0] for one in kept] == sorted(one[0] for one in kept)


@pytest.mark.skipif(not STEP, reason="the clock's stand-in is not built")
def test_clock_steps(binary, tmp_path):
    """The wall clock jumps back an hour with every look at it; intervals do not care."""
    path = tmp_path / "r"
    with Session(binary, env={"LD_PRELOAD": STEP}) as session:
        session.ok(f"record start {path} every 20", "start")
        grown(path, 12)
        session.ok("stop", "record stop", f"record start {path}2", "record stop")
    found = lines(path)
    *whole, _ = of_type(found, "interval")
    for number, line in enumerate(whole, 1):
        assert 0 < line["dt_ns"] < 60e9 and line["mono_ns"] - found[1]["mono_ns"] >= 20_000_000 * number
    first, second = found[0]["start"], lines(tmp_path / "r2")[0]["start"]
    assert second["wall_ns"] < first["wall_ns"] and second["mono_ns"] > first["mono_ns"]


@pytest.mark.parametrize("device", ["xl710"])
def test_recycling(binary, tmp_path, device):
    """Mbufs that came back, while pairs are replaced under the recorder; the drivers' burst functions by name."""
    path = tmp_path / "r"
    with Modelled(binary, f"{device},verify,count=200000,flows=16*2", tmp_path) as session:
        session.ok(f"record start {path} every 1 bursts all", "set fwd recycle_mbufs retry", PATIENT, "start")
        for i in range(20):
            session.ok(f"set recycle mode {('off', 'cache', 'ring')[i % 3]}")
        wait_until(lambda: session.count("TX-packets") >= 400_000, "all packets", 60)
        said = blocks(session.cmd("stop"))
        session.cmd("set output json")
        streams = session.json_ok("show recycle")["streams"]
        session.json_ok("record stop")
        session.cmd("set output text")
        session.quit()
    all_good(session.reports(), 200_000)
    found = lines(path)
    (end,) = of_type(found, "end")
    names = ("moved", "topped_up", "shared", "foreign", "freed", "from_blocks", "contig_gets", "blocks", "blocks_cached", "inlined")
    for number, stream in enumerate(streams):
        total = {name: sum(line["groups"]["recycle"][number][name] for line in of_type(found, "interval")) for name in names}
        assert {"stream": number, **total} == end["groups"]["recycle"][number] == {"stream": number, **{name: stream[name] for name in names}}
        kept, lost = polls(tmp_path / "r.bursts")[1, number]
        assert end["streams"][number]["rx"] == 200_000
        assert sum(rx for _, _, rx, _ in kept) == 200_000 or lost > 0
        counts = histogram([end], number, "rx_bursts")
        assert sum(size * n for size, n in counts.items()) == 200_000
    begin = of_type(found, "begin")[0]
    assert all("Vector" in stream["rx_path"] for stream in begin["streams"])
    assert [port["driver"] for port in begin["ports"]] == ["net_i40e"] * 2
    # The generators began when their ports did, before the run.
    for port in end["ports"]:
        assert (port["rx_packets"], port["tx_packets"]) == tuple(said[port["port"]][f"{way}-packets"] for way in ("RX", "TX"))
        assert port["rx_packets"] <= port["tx_packets"] == 200_000 and port["tx_bytes"] == 200_000 * 60


def test_refusals(binary, tmp_path):
    with open_session(binary) as session:
        for line, why in (("record stop", "no recording is active"),
                          ("record start /nonexistent/r", "/nonexistent/r"), (f"record start {tmp_path}", str(tmp_path)),
                          (f"record start {tmp_path}/r every 0", "1..3600000"),
                          (f"record start {tmp_path}/r bursts sampled 0", "1..4294967295"),
                          ("record start /dev/null bursts all", "not a regular file"),
                          ("record start /dev/full", "No space left")):
            answer = session.json(line)
            assert not answer["ok"] and why in str(answer["error"]), answer
        assert not (tmp_path / "r").exists()
        session.json_ok(f"record start {tmp_path}/r")
        session.json_ok("record stop")
        assert [line["type"] for line in lines(tmp_path / "r")] == ["header", "stop"]


def test_option_refused(binary):
    with Session(binary, args=["--record=/nonexistent/r"], interactive=False) as session:
        session.finish(ends=1)
        assert "--record: cannot write /nonexistent/r" in session.stderr()
