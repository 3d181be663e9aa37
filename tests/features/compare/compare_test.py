# SPDX-License-Identifier: BSD-3-Clause
"""compare: which runs there are, what the table makes of them, and that everything is as before afterwards."""
import math
import os
import re
import signal
import statistics

import pytest

from neighbour import LCORES, neighbour
from recorded import lines, of_type
from session import PROMPT, Session, wait_until

pytestmark = pytest.mark.zcfwd
CTRL_C = "\x03"


@pytest.fixture(name="session")
def fixture_session(binary):
    with Session(binary) as session:
        session.cmd("set output json")
        yield session


def chosen(session):
    """What a start would take."""
    settings = {one["name"]: one["value"] for one in session.json_ok("show settings")["settings"]}
    return settings, [line for line in session.json_ok("show config fwd").items() if line[0] not in ("time", "command")]


def interval(values):
    """Median and the narrowest ranks that hold it with 95 %, or least and most; and what they hold it with."""
    n, ranked = len(values), sorted(values)
    hold = [1 - 2 * sum(math.comb(n, i) for i in range(k)) / 2 ** n for k in range(1, n // 2 + 1)]
    k = max([place for place, share in enumerate(hold) if share >= 0.95], default=0)
    return statistics.median(values), ranked[k], ranked[n - 1 - k], hold[k]


def check_row(row, first):
    """The figures of a row, from its runs."""
    kept, base = ([one for one in which["each"] if one["in_median"]] for which in (row, first))
    lost = [one for one in row["each"] if one["cpu_share"] is not None and one["cpu_share"] < 0.95]
    leave = len(row["each"]) - len(lost) >= 3 and 2 * len(lost) <= len(row["each"])
    assert kept == [one for one in row["each"] if not (leave and one in lost)] and row["runs"] == len(kept)
    for key in ("packets_per_second", "cycles_per_packet"):
        found = interval([one[key] for one in kept])
        assert [row[key + part] for part in ("", "_low", "_high")] == pytest.approx(found[:3]), key
        assert row["interval_probability"] == pytest.approx(found[3])
    rates = [{one["round"]: one["packets_per_second"] for one in which} for which in (kept, base)]
    both = [number for number in rates[0] if number in rates[1]]
    assert row["ratio_runs"] == len(both)
    found = interval([rates[0][number] / rates[1][number] for number in both]) if both else (None,) * 3
    assert [row["ratio" + part] for part in ("", "_low", "_high")] == pytest.approx(found[:3])
    for one in row["each"]:
        assert one["packets_per_second"] == pytest.approx(one["packets"] / one["seconds"])
    assert (row["lost"], row["offered"]) == tuple(sum(one[key] for one in kept) for key in ("lost", "offered"))
    assert row["loss_fraction"] == row["lost"] / row["offered"]


@pytest.mark.parametrize("runs", [2, 6, 9])
def test_figures(session, runs):
    """Medians, intervals and ratios are those of the runs beside them; settings and engine are as before."""
    for line in ("set fwd macswap", "set burst 16", "set record-core-cycles on"):
        session.json_ok(line)
    before = chosen(session)
    answer = session.json_ok(f"compare burst=8,64 engines=io,mac for 10ms runs {runs}")
    assert chosen(session) == before
    assert (answer["runs"], answer["milliseconds"], answer["first"], answer["stopped"]) == (runs, 10, 0, False)
    rows = answer["combinations"]
    assert [row["values"] for row in rows] == [{"burst": burst, "engine": engine} for burst in (8, 64) for engine in ("io", "mac")]
    for row in rows:
        assert [one["round"] for one in row["each"]] == list(range(1, runs + 1))
        assert all(one["seconds"] >= 0.01 and one["packets"] > 0 for one in row["each"]) and row["left_out"] is None
        check_row(row, rows[0])
    assert (rows[0]["ratio"], rows[0]["ratio_low"], rows[0]["ratio_high"]) == (1, 1, 1)


def test_text(binary):
    """A row for each combination; what the intervals are is said below."""
    with Session(binary) as session:
        text = session.cmd("compare burst=8,32 flush_rx=on for 5 ms runs 6")
        assert text.startswith("2 combinations, 6 runs of each, 5 ms, interleaved\n  burst flush_rx  runs       Mpps [interval]")
        # A ratio is of the rounds in which both combinations count: of none there is none, of one no interval.
        rows = re.findall(r"(?m)^  (8 |32)    on           [3-6] +(\d+\.\d{3}) \[(\d+\.\d{3}), (\d+\.\d{3})\] +- +0\.0000 +(?:\d+\.\d{3} (?:\[\d+\.\d{3}, \d+\.\d{3}\])?|- )$", text)
        assert [row[0].strip() for row in rows] == ["8", "32"] and all(float(low) <= float(mid) <= float(high) for _, mid, low, high in rows), text
        covers, *lost = text[text.index("  [low, high]"):].splitlines()
        assert re.fullmatch(r"  \[low, high\] is a confidence interval for the median: [0-9.]+ % with [3-6] runs(, [0-9.]+ % with [2-5] runs)*", covers), text
        assert all(re.fullmatch(r"  (8 |32)    on       in [1-6] of 6 runs an lcore lost its CPU; (they are left out|too few others remain, so all count): "
                                r"lcore \d+ had its CPU for \d+ % of run [1-6] \(\d+ preemptions?\)", line) for line in lost), text
        assert "[" not in session.cmd("compare burst=8 for 5ms runs 1").split("\n", 2)[2]


def test_lost_cpu(binary):
    """Runs beside a process on the lcore's CPU are named; so many are not left out."""
    with Session(binary, lcores=LCORES) as session, neighbour():
        session.ok("set output json")
        answer = wait_until(lambda: all_lost(session.json_ok("compare burst=8 for 100ms runs 4")), "a comparison in which each run lost its CPU", 60)
        (row,) = answer["combinations"]
        assert row["runs"] == 4 and all(one["in_median"] for one in row["each"])
        session.cmd("set output text")
        wait_until(lambda: re.search(r"(?m)^  8     in 4 of 4 runs an lcore lost its CPU; too few others remain, so all count: lcore 1 had its CPU for \d+ % of run [1-4] \(",
                                     session.cmd("compare burst=8 for 100ms runs 4")), "its text", 60)


def all_lost(answer):
    return answer if all(one["cpu_share"] < 0.9 for one in answer["combinations"][0]["each"]) else None


def test_packets(session):
    """Runs of so many packets, exactly so where the engine makes them."""
    answer = session.json_ok("compare engines=txonly,io for 3000packets runs 3")
    made, forwarded = answer["combinations"]
    assert answer["packets"] == 3000 and [one["packets"] for one in made["each"]] == [3000] * 3
    assert all(3000 <= one["packets"] <= 3000 + 2 * 32 for one in forwarded["each"])


def test_interleaved_and_recorded(session, tmp_path):
    """Rounds go from the first combination to the last and back; each begin line tells which it is, with settings that fit."""
    path = tmp_path / "r"
    session.json_ok(f"record start {path} every 5")
    session.json_ok("start for 5ms")
    for _ in range(2):
        session.json_ok("compare burst=4,8 engines=mac,io for 10ms runs 3")
    session.json_ok("record stop")
    plain, *begins = of_type(lines(path), "begin")
    assert "compare" not in plain and plain["sends_packets"] and len(begins) == 24
    expected = [(4, "mac"), (4, "io"), (8, "mac"), (8, "io")]
    for place, line in enumerate(begins):
        told = line["compare"]
        turn = place % 4 if place // 4 % 3 % 2 == 0 else 3 - place % 4
        assert told == {"comparison": 1 + place // 12, "round": 1 + place % 12 // 4, "combination": turn, "names": ["burst", "engine"]}
        assert (line["settings"]["burst"], line["engine"]) == expected[turn]
    assert not any("cut" in line for line in of_type(lines(path), "end"))


def test_left_out(binary):
    """What cannot start is named with the reason; the others run, and ratios are to the first that does."""
    with Session(binary, args=["--rxq=0", "--txq=1"]) as session:
        text = session.cmd("compare engines=io,txonly burst=8,16 for 5ms runs 2")
        assert len(re.findall(r"(?m)^  txonly (8 |16)    +2 ", text)) == 2, text
        assert len(re.findall(r"(?m)^  io     (8 |16)    left out: Either rxq or txq are 0, cannot use io fwd mode$", text)) == 2, text
        session.cmd("set output json")
        before = chosen(session)
        answer = session.json_ok("compare engines=io,txonly burst=8,16 for 5ms runs 2")
        assert [row["runs"] for row in answer["combinations"]] == [0, 0, 2, 2] and answer["first"] == 2
        assert answer["combinations"][1]["left_out"] == "Either rxq or txq are 0, cannot use io fwd mode"
        assert answer["combinations"][2]["ratio"] == 1 and answer["combinations"][0]["ratio"] is None
        refused = session.json("compare engines=io,mac burst=8 for 5ms")
        assert not refused["ok"] and refused["error"]["message"] == "no combination can start: Either rxq or txq are 0, cannot use io fwd mode"
        assert chosen(session) == before


def test_while_forwarding(session):
    session.json_ok("start")
    answer = session.json("compare burst=8,16")
    assert not answer["ok"] and "stop forwarding first" in answer["error"]["message"]
    session.json_ok("stop")


def test_key(binary, tmp_path):
    """^C ends it: the run under way counts for nothing and is marked in the recording, everything is as before."""
    path = tmp_path / "r"
    with Session(binary, pty=True) as session:
        session.ok("set burst 16", "set fwd macswap", f"record start {path}")
        session.send("compare burst=8,64 engines=io for 200ms runs 500\n")
        session.expect("run 4 of 1000")
        session.send(CTRL_C)
        text = session.expect(PROMPT)
        assert "Stopped by a signal" in text and re.search(r"(?m)^ +8 +io +[12] ", text) and re.search(r"(?m)^ +64 +io +[12] ", text), text
        assert "macswap packet forwarding packets/burst=16" in session.cmd("show config rxtx")
        session.ok("record stop", "start", "stop")
        assert session.quit()[1] == 0
    ends = of_type(lines(path), "end")
    assert 3 < len(ends) < 10 and [line.get("cut", False) for line in ends] == [False] * (len(ends) - 1) + [True]


def test_signal(binary):
    """A signal that is no key ends the comparison and then the program, in order."""
    with Session(binary) as session:
        session.ok("start for 1ms")
        session.send("compare burst=8,64 for 100packets runs 5\ncompare burst=8,64 for 1000s\n")
        session.expect("interleaved")
        session.expect("for 1000s")  # its echo: it begins now
        os.kill(session.pid, signal.SIGTERM)
        text, status = session.finish()
        assert "Stopped by a signal" in text and text.rstrip().endswith("Bye...") and status == 0, text


def test_completion(binary):
    """Lists by their names, values of choices and engines, then how long and how often."""
    with Session(binary, pty=True) as session:
        for typed, wanted in (("compare flu", "flush_rx="), ("compare engines=io,macs", "engines=io,macswap"),
                              ("compare recycle-layouts=table,ch", "recycle-layouts=table,check"), ("compare burst=8 fo", "for")):
            session.send(typed + "\t")
            session.expect(re.escape("compare " + wanted if "for" != wanted else "compare burst=8 for"))
            session.send("\x15")
