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
from made_recordings import begin, burst_file, header, interval, known, report
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
    damaged = tmp_path / "damaged"
    damaged.write_bytes(bursts.read_bytes().replace(b'"type"', b"type"))
    for words, why in (([tmp_path / "none"], "No such file"), ([text], "first line is not JSON"), ([empty], "empty recording"),
                       ([void], "the file is empty"), ([tmp_path], "Is a directory"), ([bare], "damaged header: header: zcfwd is missing"),
                       ([newer], "unsupported format version 3, expected 2"), ([bursts], "a burst file"),
                       (["--csv", empty], "not a zcfwd burst file"), (["--csv", broken], "no chunk header at byte 32"), (["--csv", damaged], "damaged")):
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
