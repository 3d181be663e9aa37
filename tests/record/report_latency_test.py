# SPDX-License-Identifier: BSD-3-Clause
"""zcfwd-report's section of latency: percentiles of a log that is known by heart, over time and over load; gaps; damaged logs."""
import base64
import json
import os
import struct
import subprocess
import zlib

import pytest
from conftest import ROOT

from limits import limit
from made_recordings import S, begin, header, interval, process
from recorded import figures, read
from reports import fixture_drawn, fixture_drawn_once, fixture_sketch  # noqa: F401  pylint: disable=unused-import

pytestmark = pytest.mark.zcfwd


def number(value):
    """ZigZag LEB128."""
    value = value << 1 if value >= 0 else -value * 2 - 1
    found = bytearray()
    while value > 0x7F and len(found) < 8:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(found) + bytes([value])


def cell(ns):
    power = max(ns.bit_length() - 11, 0)
    return 1024 * power + (ns >> power)


def encode(counts):
    """A histogram of {ns: values}."""
    cells, payload, at = {cell(ns): n for ns, n in counts.items()}, b"", 0
    for where in sorted(cells):
        if where > at:
            payload += number(at - where) if where - at > 1 else number(0)
        payload += number(cells[where])
        at = where + 1
    plain = struct.pack(">IIIIQQd", 0x1C849313, len(payload), 0, 3, 1, (1 << 34) - 1, 1.0) + payload
    packed = zlib.compress(plain)
    return base64.b64encode(struct.pack(">II", 0x1C849314, len(packed)) + packed).decode()


def head(recording="1-1", run=None):
    return ("#[Histogram log format version 1.3]\n#[Written by zcfwd 0.1.0]\n"
            f"#[Recording: {recording}]\n#[StartTime: 0.500 (seconds since epoch), 1970-01-01T00:00:00Z]\n"
            '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"\n' + (f"#[Run: {run}, engine measure]\n" if run else ""))


def line(tag, start, counts, length=1.0):
    return f"Tag={tag},{start:.3f},{length:.3f},1.000000,{encode(counts)}\n"


def recording(path, log, rates=(1_000_000,)):
    """A recording of a run of 2 s for each rate, at that rate, with a log beside it."""
    texts, at = [header()], 101
    for run, rate in enumerate(rates, 1):
        texts += [begin(run, "measure", at, True, settings={"generate-rate": str(rate)}), interval(run, at + 1, rate), interval(run, at + 2, rate),
                  interval(run, at + 2, 2 * rate, 2 * S, kind="end")]
        at += 3
    path.write_text("".join(json.dumps(text) + "\n" for text in [*texts, {"type": "stop", "run": 0, "mono_ns": at * S}]))
    path.with_name(path.name + ".hlog").write_text(log)
    return path


# 2000 values of 5 us, 200 of 30 us, 100 of 1 ms: the 90th percentile is 30 us, and no higher one has 100 values above it but p95.
FIRST, SECOND = {5000: 1000, 30_000: 200}, {5000: 1000, 1_000_000: 100}
KNOWN = (head(run=1) + line("port0.queue0.latency", 0.5, FIRST) + line("port0.queue0.gap", 0.5, {0: 600, 1000: 200, 1_000_000: 200}) +
         line("port1.queue0.latency", 1.5, SECOND) + line("port1.queue0.late", 1.5, {50: 1100}))


def top(ns):
    """The end of a value's cell, in us."""
    power = max(ns.bit_length() - 11, 0)
    return ((((ns >> power) + 1) << power) - 1) / 1e3


def test_numbers(sketch, tmp_path):
    """Of each queue and of both together; percentiles that too few values are above are dashes."""
    page = sketch(recording(tmp_path / "a", KNOWN))
    (one,) = json.loads(page.data)["runs"]
    rows = {(row["queue"], row["kind"]): row for row in one["latency"]}
    assert set(rows) == {("port0.queue0", "latency"), ("port0.queue0", "gap"), ("port1.queue0", "latency"), ("port1.queue0", "late")}
    first, second = rows["port0.queue0", "latency"], rows["port1.queue0", "latency"]
    assert (first["n"], first["p50"], first["p90"], first["p99"], first["max"]) == (1200, top(5000), top(30_000), None, top(30_000))
    assert (second["n"], second["p50"], second["p90"], second["max"]) == (1100, top(5000), top(5000), top(1_000_000))
    assert one["latency_all"] == {"p50": top(5000), "p90": top(30_000), "p99": None, "p999": None, "p9999": None, "max": top(1_000_000), "n": 2300}
    assert rows["port0.queue0", "gap"]["zero"] == 600
    cells = page.cells("latency")
    assert [(row["time in us"], row["queue"], row["values"]) for row in cells] == [
        ("gap between arrivals", "port0.queue0", "1 000"), ("latency", "port0.queue0", "1 200"), ("sent late", "port1.queue0", "1 100"),
        ("latency", "port1.queue0", "1 100")]
    assert (cells[1]["p50"], cells[1]["p99"]) == ("5.00", "–")
    assert "Latency" in page.heads and "Latency over load" not in page.alts
    assert {"Latency over time: run 1 measure", "Gaps between arrivals: run 1 measure"} <= set(page.alts)


def test_over_time(drawn, tmp_path):
    """A value per interval, where the recording's plots have it; a gap where nothing arrived."""
    from zcfwd_report import latency, latency_page  # pylint: disable=import-outside-toplevel
    log = KNOWN + line("port0.queue0.latency", 4.5, {7: 100})
    mine = read.recording(str(recording(tmp_path / "a", log)))
    (run,) = mine.runs
    times = latency.over_time(run.times)
    assert [(begin, end, sum(counts.values())) for begin, end, counts in times] == [(1.0, 2.0, 1200), (2.0, 3.0, 1100), (5.0, 6.0, 100)]
    assert [latency.quantile(counts, 0.5) for _, _, counts in times] == [top(5000), top(5000), None]
    (panel,) = latency_page.over_time(mine, run)(9.0).panels
    assert [label for label, _ in panel.labels()] == ["p50", "max"]
    edges, heights = panel.drawn[-1][1:3]
    assert list(edges) == pytest.approx([1, 2, 2, 3, 3, 5, 5, 6], abs=1e-6)  # the header's wall clock is 1 ns
    assert list(heights[:4]) == [top(30_000)] * 2 + [top(1_000_000)] * 2 and all(height != height for height in heights[4:6])


def test_over_load(sketch, tmp_path):
    """Runs that differ in their rate are points of one line, in the order of the rate; others have a line of their own."""
    log = "".join(head(run=number) + line("port0.queue0.latency", 3 * number, {1000 * number: 1000}) for number in (1, 2, 3))
    path = recording(tmp_path / "a", log, (300_000, 100_000, 200_000))
    page = sketch(path)
    assert page.alts.count("Latency over load") == 1
    from zcfwd_report import latency_page  # pylint: disable=import-outside-toplevel
    found = json.loads(page.data)["runs"]
    ((label, points),) = latency_page.load_lines(found)
    assert label == "measure" and [(round(rate), value["p50"]) for rate, value in points] == [
        (100_000, top(2000)), (200_000, top(3000)), (300_000, top(1000))]
    assert latency_page.load_lines(found[:1]) == []
    found[0]["settings"]["burst"] = "8"
    found[1]["settings"]["burst"] = found[2]["settings"]["burst"] = "32"
    assert [(label, len(points)) for label, points in latency_page.load_lines(found)] == [("burst 32", 2)]


def test_gaps(drawn):
    """Shares of all gaps, with those of 0 apart; each factor of ten has 20 steps."""
    from zcfwd_report import latency_page  # pylint: disable=import-outside-toplevel
    edges, shares, zero = latency_page.bins({0: 600, cell(1000): 200, cell(1_000_000): 200})
    assert zero == 60 and sum(shares) == pytest.approx(40) and len(shares) == 3 * 20 and (shares[0], shares[-1]) == (20, 20)
    assert edges[0] == pytest.approx(1) and edges[-1] == pytest.approx(1000)
    assert latency_page.bins({})[1:] == ([0], 0) and latency_page.bins({0: 5})[2] == 100
    assert [latency_page.duration(us) for us in (0.001, 0.1, 1, 250, 1000, 1e6)] == ["1 ns", "100 ns", "1 us", "250 us", "1 ms", "1 s"]


def test_rotated(tmp_path):
    """Older files of the same recording come first."""
    path = recording(tmp_path / "a", head(run=1) + line("port0.queue0.latency", 3, {1: 5}))
    (tmp_path / "a.hlog.1").write_text(head(run=1) + line("port0.queue0.latency", 2, {1: 7}))
    (tmp_path / "a.hlog.2").write_text(head("9-9", run=1) + line("port0.queue0.latency", 1, {1: 9}))
    (run,) = read.recording(str(path)).runs
    assert [(one.begin, one.counts) for one in run.times] == [(2.5, {1: 7}), (3.5, {1: 5})]


GOOD = line("port0.queue0.latency", 1, {9: 5})
BAD = [
    GOOD[:-30], GOOD.replace(",HIST", ",HISX"), GOOD.rstrip("\n"), "nonsense\n", "Tag=a.latency,1.0,1.0,1.0,HISTFAAAA\n",
    f"Tag=a.latency,1.0,1.0,1.0,{base64.b64encode(struct.pack('>II', 0x1C849314, 3) + b'abc').decode()}\n",
    f"Tag=a.latency,1.0,1.0,1.0,{base64.b64encode(struct.pack('>II', 0x1C849314, 30) + zlib.compress(struct.pack('>IIIIQQd', 0x1C849313, 1, 0, 3, 1, 9, 1.0) + b'%c' % 0x80)).decode()}\n",
    f"Tag=a.latency,1.0,1.0,1.0,{base64.b64encode(struct.pack('>II', 0x1C849314, 99) + zlib.compress(struct.pack('>IIIIQQd', 0x1C849313, 5, 0, 3, 1, 9, 1.0) + number(-(1 << 32)))).decode()}\n",
]


@pytest.mark.parametrize("bad", BAD, ids=range(len(BAD)))
def test_damaged(tmp_path, bad):
    """A line that is cut or changed is left out with a note; the others count."""
    path = recording(tmp_path / "a", head(run=1) + GOOD + bad)
    mine = read.recording(str(path))
    assert [one.counts for one in mine.runs[0].times] == [{9: 5}]
    assert mine.notes == [f"{path}.hlog, line 8: truncated or damaged, skipped"]


def test_other_recording(tmp_path):
    """A log of another recording is not read; a recording without one has no latency; a log alone is refused in one line."""
    path = recording(tmp_path / "a", head("2-2", 1) + GOOD)
    mine = read.recording(str(path))
    assert mine.runs[0].times == [] and mine.notes == [f"{path}.hlog: belongs to another recording, ignored"]
    (tmp_path / "a.hlog").unlink()
    mine = read.recording(str(path))
    assert mine.notes == [] and figures.of_run(mine, mine.runs[0])["latency"] == []
    recording(tmp_path / "a", KNOWN)
    done = process(tmp_path / "a.hlog", "-o", tmp_path / "out")
    assert done.returncode == 1 and done.stderr == f"zcfwd-report: {tmp_path}/a.hlog: a log of histograms; use the recording beside it\n"


DIGITS = "9" * 5000
BAD_HEADS = {
    "no number": ("0.500 (seconds", "abc (seconds", 4, '"abc": expected seconds since 1970'),
    "not a number": ("0.500 (seconds", "nan (seconds", 4, '"nan": expected seconds since 1970'),
    "without end": ("0.500 (seconds", "inf (seconds", 4, '"inf": expected seconds since 1970'),
    "below 0": ("0.500 (seconds", "-1.5 (seconds", 4, '"-1.5": expected seconds since 1970'),
    "power": ("0.500 (seconds", "1e999 (seconds", 4, '"1e999": expected seconds since 1970'),
    "many digits of a second": ("0.500 (seconds", f"{DIGITS} (seconds", 4, f'"{DIGITS[:40]}": expected seconds since 1970'),
    "many digits of a run": ("[Run: 1,", f"[Run: {DIGITS},", 6, f'"{DIGITS[:40]}": expected a number of at most 10 digits'),
    "digits of another script": ("[Run: 1,", "[Run: \N{ARABIC-INDIC DIGIT ONE},", 6, '"\N{ARABIC-INDIC DIGIT ONE}": expected a number of at most 10 digits'),
    "run without number": ("[Run: 1,", "[Run: x,", 6, '"x": expected a number of at most 10 digits'),
}


def report(tmp_path, path):
    return subprocess.run([ROOT / "app/tools/zcfwd-report", "-o", tmp_path / "out", path], capture_output=True, text=True, check=False, timeout=limit(60))


@pytest.mark.parametrize("case", BAD_HEADS)
def test_bad_heads(tmp_path, case):
    """A log whose begin cannot be used is refused in one line that names the line and the word."""
    old, new, number, said = BAD_HEADS[case]
    path = recording(tmp_path / "a", KNOWN.replace(old, new))
    done = report(tmp_path, path)
    assert done.returncode == 1 and done.stderr == f"zcfwd-report: {path}.hlog:{number}: {said}\n"


def test_bad_lines_of_logs(tmp_path):
    """Lines of another form, of any length, and histograms that unpack to more than there are cells: skipped with a note."""
    bomb = base64.b64encode(struct.pack(">II", 0x1C849314, 1 << 30) + zlib.compress(bytes(1 << 24))).decode()
    bad = (f"Tag=port0.queue0.latency,{DIGITS}.5,1.000,1.000000,{encode(FIRST)}\n", f"Tag=port0.queue0.latency,0.5,{DIGITS}.0,1.000000,{encode(FIRST)}\n",
           f"Tag=port0.queue0.latency,nan,1.000,1.000000,{encode(FIRST)}\n", f"Tag=port0.queue0.latency,0.500,1.000,1.000000,{bomb}\n",
           line("port0.queue0.latency", 0.5, FIRST)[:-1] + "A" * (3 << 20) + "\n")
    mine = read.recording(str(recording(tmp_path / "a", KNOWN + "".join(bad))))
    assert [note for note in mine.notes if ".hlog, lines 11, 12, 13: truncated or damaged" in note] and len(mine.runs[0].times) == 4


def test_numbers_without_bounds(tmp_path):
    """Numbers of a recording that no counter can have are damage, not a failure of the arithmetic."""
    path = recording(tmp_path / "a", KNOWN)
    good = path.read_text()
    for word in (DIGITS, "1e999", "NaN", "-Infinity", "1" * 400):
        path.write_text(good + '{"type": "set", "run": 1, "name": "burst", "value": %s}\n' % word)
        mine = read.recording(str(path))
        assert not mine.sets and any("truncated or damaged" in note for note in mine.notes), word


def test_pipes_and_devices(tmp_path):
    """What is no regular file is refused, also beside a recording; nothing waits."""
    path = recording(tmp_path / "a", KNOWN)
    pipe = tmp_path / "a.hlog"
    pipe.unlink()
    os.mkfifo(pipe)
    for file, named in ((path, pipe), (pipe, pipe), ("/dev/zero", "/dev/zero")):
        done = report(tmp_path, file)
        assert done.returncode == 1 and done.stderr == f"zcfwd-report: {named}: expected a regular file\n"
