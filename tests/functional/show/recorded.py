# SPDX-License-Identifier: BSD-3-Clause
"""Recordings as tests read them: line by line with two JSON parsers, and with zcfwd-report's reader."""
import json
import sqlite3
import sys
from collections import Counter

from conftest import ROOT

sys.path.insert(0, str(ROOT / "app/tools"))

from zcfwd_report import command, compared, figures, read, summary  # noqa: E402,F401

COUNTS = ("rx", "made", "tx", "tx_dropped", "absorbed", "tx_retried", "busy_cycles", "rx_bytes", "tx_bytes")
SQL = sqlite3.connect(":memory:")


def lines(path):
    """Every line as an object. A second parser, SQLite's, has to find the same in it."""
    found = []
    for text in path.read_text(encoding="utf-8").splitlines(keepends=True):
        assert text.endswith("\n"), f"cut short: {text!r}"
        line = json.loads(text)
        kind, run, rx = SQL.execute("select json_extract(?1, '$.type'), json_extract(?1, '$.run'), "
                                    "json_extract(?1, '$.streams[0].rx')", (text,)).fetchone()
        first = (line.get("streams") or [{}])[0]
        assert (kind, run, rx) == (line["type"], line.get("run"), first.get("rx")), text
        found.append(line)
    assert found[0]["type"] == "header" and found[0]["format"] == "zcfwd-record"
    return found


def of_type(found, kind, run=None):
    return [line for line in found if line["type"] == kind and run in (None, line["run"])]


def sums(intervals):
    """{stream: {count: packets}} over intervals."""
    total = {}
    for line in intervals:
        for one in line["streams"]:
            mine = total.setdefault(one["stream"], Counter())
            mine.update({name: one.get(name, 0) for name in COUNTS})  # left out: not counted
            mine.update(one["counters"])
    return total


def histogram(intervals, stream, key):
    found = Counter()
    for line in intervals:
        for one in line["streams"]:
            if one["stream"] == stream:
                found.update(dict(zip(one[key]["sizes"], one[key]["counts"])))
    return dict(found)


def polls(path):
    """{(run, stream): [[(tsc, cycles, rx, tx)], lost]} of a burst file."""
    found = {}
    _, parts = read.bursts(str(path))
    for part in parts:
        mine = found.setdefault((part.run, part.stream), [[], 0])
        mine[0] += part.polls
        mine[1] += part.lost
    return found
