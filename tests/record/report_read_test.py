# SPDX-License-Identifier: BSD-3-Clause
"""zcfwd-report's reader: files that are cut or damaged anywhere, tables of polls, clear refusals."""
import csv
import itertools
import json
import os
import random
import time

import pytest

from conftest import SEED
from made_recordings import S, begin, burst_file, header, interval, known, report
from recorded import figures, read

pytestmark = pytest.mark.zcfwd


def test_csv(tmp_path):
    path = burst_file(tmp_path / "r.bursts")
    done = report("--csv", path)
    assert done.returncode == 0 and "2 polls were lost" in done.stderr
    assert list(csv.reader(done.stdout.splitlines())) == [
        ["run", "stream", "seconds", "tsc", "cycles", "rx", "tx"], ["1", "9", "0.000000500", "6000", "20", "3", "4"],
        ["1", "9", "0.000001000", "7000", "21", "5", "0"]]
    assert report("--csv", path, "-o", tmp_path / "tables").returncode == 0
    assert (tmp_path / "tables" / "r.bursts.csv").read_text(encoding="ascii") == done.stdout
    (tmp_path / "other").mkdir()
    done = report("--csv", "-o", tmp_path / "both", path, burst_file(tmp_path / "other" / "r.bursts"))
    assert done.returncode == 1 and "also the output file of" in done.stderr and not (tmp_path / "both").exists()


def test_csv_of_intervals(tmp_path):
    """A row for each interval of each run: of all, of each stream, port and lcore; what a run does not have is empty."""
    lines = [header(), begin(1, "io", 100), interval(1, 101, 1_000_000), interval(1, 101.5, 640_000, S // 2, 320_000), begin(2, "measure", 103),
             interval(2, 104, 64, tx=0), {"type": "stop", "run": 0, "mono_ns": 104 * S}]
    lines[2]["groups"] = {"cpu": [{"lcore": 1, "run_ns": S, "wait_ns": 0, "preempted": 0, "loop_ns": S},
                                  {"lcore": 3, "run_ns": S // 4, "wait_ns": S // 4, "preempted": 1, "loop_ns": S}]}
    lines[2]["streams"][0]["busy_cycles"] = 20_000_000
    lines[3]["loss"] = {"offered": 1000, "lost": 250}
    lines[5]["loss"] = {"offered": 64}  # what is on the way is not lost yet
    lines[5]["ports"][0]["port"] = 7
    (tmp_path / "r").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    done = report("--csv", tmp_path / "r")
    assert done.returncode == 0 and not done.stderr
    rows = list(csv.reader(done.stdout.splitlines()))
    of = [f"{side}_pps" for side in ("rx", "tx", "rx_missed", "rx_nombuf", "tx_errors")]
    assert rows[0] == ["run", "engine", "seconds", "dt_ns", "pps", "lost", "offered", "loss_fraction", "cycles_per_packet", "cpu_share",
                       *(f"stream0_{name}" for name in ("rx_pps", "made_pps", "tx_pps", "tx_dropped_pps", "absorbed_pps", "cycles_per_packet")),
                       *(f"port{port}_{name}" for port in (0, 7) for name in of), "lcore1_cpu_share", "lcore3_cpu_share"]
    assert rows[1:] == [
        ["1", "io", "1.000000000", "1000000000", "1000000", "5", "1000005", "4.999975e-06", "20", "0.5", "1000000", "0", "1000000", "0", "0", "20",
         "1000000", "1000000", "5", "1", "0", "", "", "", "", "", "1", "0.5"],
        ["1", "io", "1.500000000", "500000000", "640000", "250", "1000", "0.25", "10", "", "1280000", "0", "640000", "640000", "0", "10",
         "1280000", "640000", "10", "2", "0", *[""] * 7],
        ["2", "measure", "4.000000000", "1000000000", "0", "", "64", "", "10", "", "64", "0", "0", "64", "0", "10",
         "", "", "", "", "", "64", "0", "5", "1", "0", "", ""]]
    bursts = burst_file(tmp_path / "r.bursts")
    assert report("--csv", tmp_path / "r", bursts, "-o", tmp_path / "t").returncode == 0
    assert (tmp_path / "t/r.csv").read_text(encoding="utf-8") == done.stdout and (tmp_path / "t/r.bursts.csv").exists()
    with open(tmp_path / "r", "a", encoding="utf-8") as file:
        file.write('{"type": "interv')
    cut = report("--csv", tmp_path / "r")
    assert cut.returncode == 0 and cut.stdout == done.stdout and "line 8: truncated or damaged, skipped" in cut.stderr


def test_refusals(tmp_path):
    text = tmp_path / "text"
    text.write_text("hello\n", encoding="utf-8")
    empty = tmp_path / "empty"
    empty.write_text(json.dumps(header()) + "\n", encoding="utf-8")
    newer = tmp_path / "newer"
    newer.write_text(json.dumps(header(version=3)) + "\n", encoding="utf-8")
    (void := tmp_path / "void").touch()
    (bare := tmp_path / "bare").write_text('{"type": "header", "format": "zcfwd-record", "version": 2, "recording": "1"}\n', encoding="utf-8")
    bursts = burst_file(tmp_path / "bursts")
    broken = tmp_path / "broken"
    broken.write_bytes(bursts.read_bytes()[:32] + b"x" * 100)
    (log := tmp_path / "log").write_text("#[Histogram log format version 1.3]\n", encoding="ascii")
    damaged = tmp_path / "damaged"
    damaged.write_bytes(bursts.read_bytes().replace(b'"type"', b"type"))
    for words, why in (([tmp_path / "none"], "No such file"), ([text], "first line is not JSON"), ([empty], "empty recording"),
                       ([void], "the file is empty"), ([tmp_path], "Is a directory"), ([bare], "damaged header: header: zcfwd is missing"),
                       ([newer], "unsupported format version 3, expected 2"), ([bursts], "a burst file"),
                       (["--csv", empty], "empty recording, it has no intervals"), (["--csv", text], "first line is not JSON"), (["--csv", tmp_path / "none"], "No such file"),
                       (["--csv", tmp_path], "Is a directory"), (["--csv", newer], "unsupported format version 3"), (["--csv", bursts, log], "a log of histograms"),
                       (["--csv", broken], "no chunk header at byte 32"), (["--csv", damaged], "damaged")):
        done = report(*words, "-o", tmp_path / "out")
        assert done.returncode == 1 and done.stderr.startswith("zcfwd-report: ") and why in done.stderr, done
        assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out" / "report.html").exists()


def whole_of(path):
    """Everything that a page shows of a recording, without its plots."""
    recording = read.recording(str(path))
    return recording, [figures.of_run(recording, run) for run in recording.runs if run.intervals]


def test_cut_anywhere(tmp_path):
    """A file that ends after any of its bytes: what is whole is read and the cut is said, or one error tells that there is no header."""
    text = known(tmp_path / "a").read_bytes()
    ends = [place + 1 for place, byte in enumerate(text) if byte == 0x0A]
    path = tmp_path / "cut"
    for size in range(0, len(text) + 1, 7):
        path.write_bytes(text[:size])
        if size < ends[0] - 1:
            with pytest.raises(read.ReadError) as failure:
                whole_of(path)
            assert str(path) in str(failure.value)
            continue
        recording, _ = whole_of(path)
        done = sum(end <= size + 1 for end in ends)  # a newline more or less makes no difference
        assert len(recording.runs[0].intervals if recording.runs else []) == max(0, min(4, done - 2)), size
        assert any("truncated" in note for note in recording.notes) == (size not in ends and size + 1 not in ends), size


def test_damaged_anywhere(tmp_path):
    """Bytes that changed: the line is left out with a note, or the rest of it is taken for what it says; no file makes the program fall over."""
    text = known(tmp_path / "a").read_bytes()
    path, chance, left = tmp_path / "damaged", random.Random(SEED), 0
    end = time.monotonic() + float(os.environ.get("FUZZ_SECONDS", "0"))
    for i in itertools.takewhile(lambda i: i < 600 or time.monotonic() < end, itertools.count()):
        broken = bytearray(text)
        for _ in range(1 + i % 3):
            broken[chance.randrange(len(broken))] = chance.choice(b'\x00\xff\n"{}[]:,-0e9 ') if i % 2 else chance.randrange(256)
        path.write_bytes(broken)
        try:
            recording, _ = whole_of(path)
            left += any("skipped" in note for note in recording.notes)
        except read.ReadError as error:
            assert str(path) in str(error)
    assert left > 100


@pytest.mark.parametrize("line, left", [
    ("7", True), ("null", True), ("[]", True), ("{}", True), ('{"type": []}', True), ('{"type": "interval"}', True), ("[" * 100_000, True),
    ('{"type": "news"}', False), ('{"type": "set", "run": 1, "mono_ns": 1, "name": "burst", "value": 7}', False),
    ('{"type": "begin", "run": 2}', True)], ids=lambda value: str(value)[:24])
def test_odd_lines(tmp_path, line, left):
    path = known(tmp_path / "a")
    text = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*text[:3], line, *text[3:], ""]), encoding="utf-8")
    recording, (one,) = whole_of(path)
    assert recording.notes == ([f"{path}, line 4: truncated or damaged, skipped"] if left else []) and one["packets"] == 6_320_000


def test_interval_without_begin(tmp_path):
    """Figures of a run whose begin line was lost are not taken for another run's."""
    path = tmp_path / "r"
    lines = [header(), begin(1, "io", 100), interval(1, 101, 1_000_000), interval(2, 103, 5_000_000)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    recording, (one,) = whole_of(path)
    assert one["packets"] == 1_000_000 and "line 4" in recording.notes[0]


def test_cut_bursts(tmp_path):
    """A burst file that ends anywhere gives the polls that are whole, and says where it was cut."""
    text = burst_file(tmp_path / "r.bursts").read_bytes()
    path = tmp_path / "cut"
    for size in range(len(text)):
        path.write_bytes(text[:size])
        notes = []
        try:
            _, found = read.bursts(str(path), notes)
            polls = [poll for part in found for poll in part.polls]
        except read.ReadError as error:
            assert str(path) in str(error) and size < len(text) - 128
            continue
        at = size - (len(text) - 32)
        assert len(polls) == max(0, at // 16) and (not notes) == (size in (len(text) - 64, len(text) - 128)), (size, notes)
    done = report("--csv", path)
    assert done.returncode == 0 and done.stdout.count("\n") == 2 and "truncated in the chunk at byte" in done.stderr
