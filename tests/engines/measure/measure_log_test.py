# SPDX-License-Identifier: BSD-3-Clause
"""Logs of latency in HdrHistogram's format: every packet is in one interval of one histogram, whatever ends the log."""
import base64
import collections
import re
import struct
import subprocess
import zlib

from measuring import refused, results
from modelled import Modelled, needs_model_nic
from recorded import figures, lines, of_type, read
from session import Session, wait_until

COOKIE, COOKIE_COMPRESSED = 0x1C849313, 0x1C849314
HEAD = ["#[Histogram log format version 1.3]", "#[Written by zcfwd ", "#[Recording: ", "#[StartTime: ", '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"']
Line = collections.namedtuple("Line", "run tag start length max counts")
RING = ["net_ring0"], ["--port-topology=loop", "--no-flush-rx"]


def value(cell):
    """The lowest value of a cell: 2048 cells of width 1, then 1024 for each power of two."""
    power = max(cell // 1024 - 1, 0)
    return (cell - 1024 * power) << power


def decode(text):
    """{cell: count} of a histogram, by the description in HdrHistogram's V2 encoding."""
    packed = base64.b64decode(text, validate=True)
    cookie, length = struct.unpack(">II", packed[:8])
    assert cookie == COOKIE_COMPRESSED and length == len(packed) - 8
    plain = zlib.decompress(packed[8:])
    cookie, length, offset, digits, lowest, highest, ratio = struct.unpack(">IIIIQQd", plain[:40])
    assert (cookie, length, offset, digits, lowest, highest, ratio) == (COOKIE, len(plain) - 40, 0, 3, 1, (1 << 34) - 1, 1.0)
    counts, cell, at = {}, 0, 40
    while at < len(plain):
        number = 0
        for shift in range(0, 63, 7):
            byte, at = plain[at], at + 1
            number |= (byte if shift == 56 else byte & 0x7F) << shift
            if byte < 0x80:
                break
        number = number >> 1 ^ -(number & 1)
        if number < 0:
            cell -= number
        else:
            counts.update({cell: number} if number else {})
            cell += 1
    assert cell == max(counts, default=0) + 1, "cells after the last one in use"
    return counts


def log(path):
    """The lines of a log, whose head is as it has to be."""
    found, run = [], 0
    texts = path.read_text(encoding="ascii").splitlines()
    assert all(text.startswith(head) for text, head in zip(texts, HEAD)) and re.fullmatch(r"#\[StartTime: \d+\.\d{3} \(seconds since epoch\), \S+\]", texts[3])
    for text in texts[len(HEAD):]:
        if text.startswith("#"):
            run = int(re.fullmatch(r"#\[Run: (\d+), engine \w+\]", text)[1])
            continue
        tag, start, length, most, code = re.fullmatch(r"Tag=([a-z0-9.]+),(\d+\.\d{3}),(\d+\.\d{3}),(\d+\.\d{6}),(\S+)", text).groups()
        counts = decode(code)
        assert round(float(most) * 1e6) == value(max(counts) + 1) - 1
        found.append(Line(run, tag, float(start), float(length), float(most), counts))
    return found


def total(found, tag):
    """The sum of a tag's intervals, which follow each other."""
    counts, end = collections.Counter(), 0
    for line in found:
        if line.tag == tag:
            assert line.start >= end - 0.0005
            end = line.start + line.length
            counts.update(line.counts)
    return counts


def quantile(counts, share):
    """The highest value of the cell in which at least that share has been counted."""
    wanted, seen = share * counts.total(), 0
    for cell in sorted(counts):
        seen += counts[cell]
        if seen >= wanted * (1 - 1e-12):
            return value(cell + 1) - 1
    return None


def check(rows, found):
    """The intervals of a run add up to what the streams counted: none of their packets is missing, or in two intervals."""
    for row in rows:
        latency, gaps = (total(found, f"port{row['rx_port']}.queue{row['rx_queue']}.{name}") for name in ("latency", "gap"))
        late = total(found, f"port{row['tx_port']}.queue{row['tx_queue']}.late")
        received = sum(row[name] for name in ("unique", "duplicated", "too_old", "damaged", "foreign"))
        assert latency.total() == row["unique"] - row["clock_errors"]
        assert gaps.total() == max(received - 1, 0) and gaps[0] == row["together"]
        assert late.total() == row["sent"]
        for key, share, counts in (("p50_us", 0.5, latency), ("p90_us", 0.9, latency), ("p99_us", 0.99, latency), ("gap_p50_us", 0.5, gaps),
                                   ("gap_p99_us", 0.99, gaps), ("gap_max_us", 1, gaps), ("late_p50_us", 0.5, late), ("late_max_us", 1, late)):
            if row[key] is not None:
                assert round(row[key] * 1000) == quantile(counts, share), key
        if gaps:
            mine = [line for line in found if line.tag == f"port{row['rx_port']}.queue{row['rx_queue']}.gap"]
            seconds = sum(value(cell) * n for cell, n in gaps.items()) / 1e9  # from the first arrival to the last one
            assert mine[-1].start - mine[0].start - mine[0].length - 0.01 <= seconds * 1.001 and seconds <= mine[-1].start + mine[-1].length - mine[0].start + 0.01
        if latency:
            assert value(max(latency)) <= round(row["max_us"] * 1000) < value(max(latency) + 1)
            assert value(min(latency)) <= round(row["min_us"] * 1000) < value(min(latency) + 1)


@needs_model_nic
def test_intervals(binary, tmp_path):
    """A wire that loses, duplicates and damages: of two runs, each packet is once in the log."""
    path = tmp_path / "r"
    with Modelled(binary, "xl710,rx=wire:1,loss=11,duplicate=13,corrupt=19,delay=100000,jitter=50000;xl710,rx=wire:0", tmp_path, ["--rxd=4096"]) as session:
        session.ok("set output json", "set fwd measure retry", "set burst tx delay 100 retry 60000", "set generate flows 5 size 60-200",
                   "set generate-rate 20kpps")
        session.json_ok(f"record start {path} every 100 latency")
        kept = []
        for _ in range(2):
            session.json_ok("start for 20000 packets")
            kept.append(results(session))
        shown = session.json_ok("show record")
        session.json_ok("record stop")
    found = log(tmp_path / "r.hlog")
    assert shown["latency_lines"] == len(found) and shown["latency"]["files"] == 1
    for number, rows in enumerate(kept, 1):
        mine = [line for line in found if line.run == number]
        assert len({line.start for line in mine}) >= 5 and {line.tag for line in mine} == {
            f"port{port}.queue0.{name}" for port in (0, 1) for name in ("latency", "gap", "late")}
        check(rows, mine)
        assert any(row["duplicated"] > 0 for row in rows) and any(row["damaged"] + row["foreign"] > 0 for row in rows)
        (end,) = of_type(lines(path), "end", number)
        for row, group in zip(rows, end["groups"]["measure_times"]):
            assert {name: group[name] for name in ("gap_max", "late_max")} == {name: round(row[f"{name}_us"] * 1000) for name in ("gap_max", "late_max")}
            assert group["together"] == row["together"]
    check_report(path, kept)


def check_report(path, kept):
    """zcfwd-report has the same figures as show measure. kept: rows of each run."""
    mine = read.recording(str(path))
    assert mine.notes == [] and len(mine.runs) == len(kept)
    for run, rows in zip(mine.runs, kept):
        times = {(one["queue"], one["kind"]): one for one in figures.of_run(mine, run)["latency"]}
        for row in rows:
            latency, late = times[f"port{row['rx_port']}.queue0", "latency"], times[f"port{row['tx_port']}.queue0", "late"]
            assert {name: row.get(f"{name}_us") for name in ("p50", "p90", "p99", "p999")} == {name: latency[name] for name in ("p50", "p90", "p99", "p999")}
            assert (row["unique"], row["sent"], row["late_max_us"]) == (latency["n"], late["n"], late["max"])


def test_full_ring(binary, tmp_path):
    """Packets that the port refuses are not in the log."""
    with Session(binary, ["net_ring0", "net_ring1"], ["--port-topology=chained", "--no-flush-rx", "--nb-cores=2"], lcores="0@0,1@0,2@1") as session:
        session.ok("set output json", "set fwd measure", f"record start {tmp_path}/r latency", "start")
        wait_until(lambda: all(s["tx_dropped"] > 1000 for s in session.json_ok("show fwd stats all")["streams"]), "full rings")
        session.json_ok("stop")
        rows = results(session)
        session.json_ok("record stop")
    assert all(row["tx_dropped"] > 0 for row in rows)
    check(rows, log(tmp_path / "r.hlog"))


def test_begun_late(binary, tmp_path):
    """A log that begins during a run, of one stream of two, has what came from then on; the next run is whole, and an engine without times has no lines."""
    with Session(binary, ["net_ring0", "net_ring1"], ["--port-topology=loop", "--no-flush-rx", "--record-latency"]) as session:
        session.ok("set output json", "set fwd measure", "set generate-rate 10kpps", "start")
        wait_until(lambda: results(session)[1]["unique"] > 1000, "packets before the log")
        session.json_ok(f"record start {tmp_path}/r every 50 streams 1")
        before = results(session)[1]["unique"]
        wait_until(lambda: results(session)[1]["unique"] > before + 1000, "packets in the log")
        session.json_ok("stop")
        row = results(session)[1]
        session.json_ok("start for 3000 packets")
        rows = results(session)
        session.ok("set fwd io")
        session.json_ok("start for 100ms")
        session.json_ok("record stop")
    found = log(tmp_path / "r.hlog")
    assert {line.tag for line in found} == {f"port1.queue0.{name}" for name in ("latency", "gap", "late")}
    assert {line.run for line in found} == {1, 2} and "#[Run: 3, engine io]" in (tmp_path / "r.hlog").read_text()
    part = total([line for line in found if line.run == 1], "port1.queue0.latency").total()
    assert row["unique"] - before <= part < row["unique"] - 900
    check(rows[1:], [line for line in found if line.run == 2])


def test_rotation(binary, tmp_path):
    """Each file begins with the head and the run, and together they have every packet."""
    with Session(binary, *RING, lcores="0@0,1@1") as session:
        session.ok("set output json", "set fwd measure", "set generate-rate 100kpps", "set generate-gaps poisson", "set record-size 1", "set record-files 9")
        session.json_ok(f"record start {tmp_path}/r every 1 latency")
        session.json_ok("start")
        wait_until(lambda: session.json_ok("show record")["latency"]["files"] >= 3, "three files", 120)
        session.json_ok("stop")
        rows = results(session)
        files = session.json_ok("show record")["latency"]["files"]
        session.json_ok("record stop")
    names = [f"r.hlog.{n}" for n in range(files - 1, 0, -1)] + ["r.hlog"]
    assert all((tmp_path / name).read_text().splitlines()[5] == "#[Run: 1, engine measure]" for name in names)
    check(rows, [line for name in names for line in log(tmp_path / name)])


def test_refused(binary, tmp_path):
    """A log that exists, a device, a folder that does not exist: one line, and no file is made."""
    (tmp_path / "r.hlog").write_text("mine")
    with Session(binary, *RING) as session:
        for path, said in ((tmp_path / "r", "r.hlog"), ("/dev/null", "recording latency requires one"), (tmp_path / "no/r", "No such file or directory")):
            text = refused(session, f"record start {path} latency")
            assert said in text and len(text.strip().splitlines()) <= 2, text
        assert not (tmp_path / "r").exists() and (tmp_path / "r.hlog").read_text() == "mine"
        assert "no recording yet" in session.cmd("show record")
        session.ok(f"record start {tmp_path}/r overwrite latency", "record stop")
        assert log(tmp_path / "r.hlog") == []


def test_full_disk(binary, tmp_path, small_disk):
    """The disk of the log alone is full: one message, whole lines, and the measurement goes on."""
    disk = small_disk("128k")
    for path in (disk / "log", tmp_path / "r.hlog"):
        path.touch()
    subprocess.run(["mount", "--bind", disk / "log", tmp_path / "r.hlog"], check=True, timeout=60)  # a link is refused
    try:
        full_disk(binary, tmp_path)
    finally:
        subprocess.run(["umount", tmp_path / "r.hlog"], check=True, timeout=60)
    assert len(log(disk / "log")) > 3


def full_disk(binary, tmp_path):
    with Session(binary, *RING) as session:
        session.ok("set output json", "set fwd measure", "set generate-rate 20kpps", "set generate-gaps poisson")
        session.json_ok(f"record start {tmp_path}/r every 5 latency")
        session.json_ok("start")
        wait_until(lambda: "recording stopped" in session.stderr(), "a message")
        before = results(session)[0]["unique"]
        wait_until(lambda: results(session)[0]["unique"] > before + 100, "packets after it")
        session.json_ok("stop")
        row, = results(session)
        assert row["lost"] == row["clock_errors"] == 0 and row["unique"] == row["sent"]
        ended = session.json("record stop")
        assert "No space left on device" in ended["error"]["message"] and "r.hlog" in ended["error"]["message"]
        assert session.stderr().count("recording stopped") == 1
