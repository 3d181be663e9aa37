# SPDX-License-Identifier: BSD-3-Clause
"""zcfwd-report on several runs: what tells them apart, what is pooled, hosts added up, and comparisons, whose figures are those of the shell."""
import json
import re

import pytest

from made_recordings import S, begin, header, interval, known, one_run, report, trial, with_cpu, written
from package import started
from recorded import read
from reports import Page, fixture_drawn, fixture_drawn_once, fixture_sketch  # noqa: F401  pylint: disable=unused-import

pytestmark = pytest.mark.zcfwd


def test_comparison(sketch, tmp_path):
    files = [known(tmp_path / "a", "io", (1_000_000,) * 3), known(tmp_path / "b", "io", (3_000_000,) * 3),
             known(tmp_path / "c", "recycle_mbufs", (4_000_000,) * 3)]
    page = sketch(*files)
    rows = {row["engine"]: row for row in page.cells("engines")}
    assert (rows["io"]["runs"], rows["io"]["Mpps"], rows["io"]["min–max Mpps"], rows["io"]["min–max cycles"]) == ("2", "2.00", "1.00–3.00", "10.0–10.0")
    assert rows["recycle_mbufs"]["ratio to the first"] == "2.000"
    engines = json.loads(page.data)["engines"]
    assert engines[0]["mpps"]["low"] == 1.5 and engines[0]["mpps"]["most"] == 3.0 and [one["settings"] for one in engines] == [{}, {}]
    assert [row["file"] for row in page.cells("runs")] == ["a", "b", "c"]


def test_what_differs(sketch, tmp_path):
    """Runs are told apart by each setting that is not the same in all, also one that changed within a run, and are never pooled across."""
    lines = [header()]
    for number, (burst, packets) in enumerate(((8, 1_000_000), (32, 3_000_000), (8, 2_000_000), (32, 4_000_000), (8, 9_000_000)), 1):
        lines += one_run(number, "io", packets, settings={"burst": burst, "recycle": False, "mode": "x"})
    lines.insert(-2, {"type": "set", "run": 5, "mono_ns": 110 * S + 5, "name": "recycle", "value": True})
    page = sketch(written(tmp_path / "r", *lines))
    assert [row["what differs"] for row in page.cells("runs")] == [f"burst {burst}, recycle {on}" for burst, on in (
        (8, "off"), (32, "off"), (8, "off"), (32, "off"), (8, "off, then on"))]
    assert [(row["what differs"], row["runs"], row["Mpps"], row["ratio to the first"]) for row in page.cells("engines")] == [
        ("burst 8, recycle off", "2", "1.50", "1.000"), ("burst 32, recycle off", "2", "3.50", "2.333"), ("burst 8, recycle off, then on", "1", "9.00", "6.000")]
    assert "Burst sizes by stream: run 2 io, burst 32, recycle off" in page.alts and "mode" not in page.cells("runs")[0]["what differs"]


def test_what_differs_beside_settings(sketch, tmp_path):
    """Machines, releases, drivers, streams, retry and how it was recorded tell runs apart as settings do."""
    other = header(machine={**header()["machine"], "host": "other"}, dpdk="DPDK 25.11.0", every_ms=500)
    first = begin(1, "io", 100, retry=True)
    first["ports"] = [{**first["ports"][0], "driver": "net_y", "rx_path": None}]
    page = sketch(known(tmp_path / "a"), written(tmp_path / "b", other, first, interval(1, 101, 1_000_000)))
    told = [dict(part.rsplit(" ", 1) for part in row["what differs"].replace("DPDK ", "").split(", ")) for row in page.cells("runs")]
    assert told == [{"retry": "off", "ports": "net_x", "receive functions Vector": "AVX2", "machine": "h", "dpdk": "22.11.11", "recorded every (ms)": "1000"},
                    {"retry": "on", "ports": "net_y", "receive functions": "?", "machine": "other", "dpdk": "25.11.0", "recorded every (ms)": "500"}]
    assert len(page.cells("engines")) == 2


def test_hosts_apart(sketch, tmp_path, monkeypatch):
    """What is added up over hosts is of one engine with the same settings."""
    from zcfwd_report import page as pages  # pylint: disable=import-outside-toplevel
    files = []
    for place, name in enumerate(("a", "b")):
        machine = {**header()["machine"], "host": name}
        files.append(written(tmp_path / name, header(machine=machine), *one_run(1, "io", (1 + place) * 1_000_000, settings={"burst": 8}),
                             *one_run(2, "io", (3 + place) * 1_000_000, settings={"burst": 32}), *one_run(3, "mac", 7_000_000, settings={"burst": 32})))
    write = pages.write
    monkeypatch.setattr(pages, "write", lambda recordings, folder, title: write(recordings, folder, title, True))
    page = sketch(*files)
    assert [(row["name"], row["engine"], row["what differs"], row["Mpps"]) for row in page.cells("hosts")] == [
        ("a", "io", "burst 8", "1.00"), ("a", "io", "burst 32", "3.00"), ("a", "mac", "burst 32", "7.00"),
        ("b", "io", "burst 8", "2.00"), ("b", "io", "burst 32", "4.00"), ("b", "mac", "burst 32", "7.00"),
        ("all", "io", "burst 8", "3.00"), ("all", "io", "burst 32", "7.00"), ("all", "mac", "burst 32", "14.0")]


def test_hosts(drawn_once, tmp_path):
    """NAME=FILE: each by its name, and a table that adds them up; a file whose name has a sign in it is a file."""
    a, b = known(tmp_path / "a", "io", (1_000_000,) * 3), known(tmp_path / "b=c", "io", (3_000_000,) * 3)
    assert report(f"lab1={a}", f"lab2={b}", "-o", tmp_path / "o").returncode == 0
    page = Page(tmp_path / "o/report.html")
    rows = {row["name"]: row for row in page.cells("hosts")}
    assert list(rows) == ["lab1", "lab2", "all"] and rows["lab1"]["machine"] == "h"
    assert [float(row["Mpps"]) for row in rows.values()] == pytest.approx([3.32 / 3.01, 9.32 / 3.01, 12.64 / 3.01], rel=0.01)
    assert rows["all"]["runs"] == "2" and [row["file"] for row in page.cells("runs")] == ["lab1", "lab2"]
    assert report(a, b, "-o", tmp_path / "o").returncode == 0
    page = Page(tmp_path / "o/report.html")
    assert [row["file"] for row in page.cells("runs")] == ["a", "b=c"] and 'id="hosts"' not in page.text
    done = report(f"x={a}", f"x={b}", "-o", tmp_path / "o")
    assert done.returncode == 1 and done.stderr == "zcfwd-report: x: two recordings have this name; use different names\n"
    done = report("x=/nowhere", "-o", tmp_path / "o")
    assert done.returncode == 1 and "No such file or directory: '/nowhere'" in done.stderr


def test_compared(sketch, tmp_path):
    """The runs of a comparison: medians, ranks, ratios round by round, though the machine slows down; cut ones and other runs are not in it."""
    lines, number = [header()], 0
    for round_ in range(1, 8):
        for combination, (burst, engine, rate) in enumerate(((8, "io", 1_000_000), (32, "io", 1_500_000), (32, "mac", 800_000))):
            number += 1
            lines += one_run(number, engine, rate // (1 if round_ < 4 else 2), {"cut": True} if round_ == 7 and combination == 2 else None,
                             settings={"burst": burst, "y": 1}, compare=trial(round_, combination))
            lines.insert(-3, {"type": "set", "run": 0, "mono_ns": (100 + 2 * number) * S - 5, "name": "burst", "value": burst})
    lines += one_run(30, "io", 5_000_000, settings={"burst": 16, "y": 1})
    lines.insert(-3, {"type": "set", "run": 0, "mono_ns": 159 * S, "name": "burst", "value": 16})
    lines += one_run(31, "rxonly", 2_000_000, settings={"burst": 16, "y": 1}, compare=trial(1, 0, 2, ["engine"]))
    page = sketch(written(tmp_path / "r", *lines))
    rows = [[row[name] for name in ("burst", "engine", "runs", "Mpps", "interval of Mpps", "ratio to the first", "interval of the ratio", "cycles/packet")]
            for row in page.cells("compared-table-1")]
    assert rows == [["8", "io", "7", "0.500", "0.500–1.000", "1.000", "1.000–1.000", "10.0"],
                    ["32", "io", "7", "0.750", "0.750–1.500", "1.500", "1.500–1.500", "10.0"],
                    ["32", "mac", "6", "0.600", "0.400–0.800", "0.800", "0.800–0.800", "10.0"]]
    (other,) = page.cells("compared-table-2")
    assert (other["engine"], other["runs"], other["interval of Mpps"]) == ("rxonly", "1", "–")
    assert "96.9 % with 6 runs, 98.4 % with 7 runs" in page.text and "Comparison 1: r" in page.alts
    assert [row["what differs"] for row in page.cells("runs")][:2] == ["burst 8", "burst 32"] and len(page.cells("runs")) == 23
    assert page.text.count("<dt>set</dt>") == 1  # those of the comparison are in its table
    data = json.loads(page.data)
    assert [one["ratio"]["n"] for one in data["comparisons"][0]["rows"]] == [7, 7, 6]
    assert [(one["engine"], one["settings"], one["runs"]) for one in data["engines"]] == [("io", {"burst": "16"}, 1)]


def test_compared_values(sketch, tmp_path):
    """What no setting has, such as the driver, is in the recording; the sets of queues are the comparison's. Ratio and interval are in the plot."""
    lines, number = [header()], 0
    for round_ in range(1, 7):
        for combination, (queues, driver) in enumerate(((1, "net_i40e"), (2, "net_ixgbe"))):
            number += 1
            lines += one_run(number, "io", 1_000_000 * queues, settings={"rxq": queues, "txq": queues},
                             compare={**trial(round_, combination, names=["queues", "driver"]), "values": [str(queues), driver]})
            lines.insert(-3, {"type": "set", "run": 0, "mono_ns": (100 + 2 * number) * S - 5, "name": "rxq", "value": queues})
    page = sketch(written(tmp_path / "r", *lines))
    assert [[row[name] for name in ("queues", "driver", "ratio to the first", "interval of the ratio")] for row in page.cells("compared-table-1")] == [
        ["1", "net_i40e", "1.000", "1.000–1.000"], ["2", "net_ixgbe", "2.000", "2.000–2.000"]]
    assert "<dt>set</dt>" not in page.text
    plot = (tmp_path / "out/compared-1.svg").read_text(encoding="utf-8")
    assert all(f"<!-- {title} -->" in plot for title in ("Mpps", "ratio to the first", "queues 2, driver net_ixgbe"))


@pytest.mark.parametrize("lost, counted, words", [
    (0, 6, None), (2, 4, "burst 8, engine io: in 2 runs an lcore lost its CPU; left out."),
    (1, 5, "burst 8, engine io: in one run an lcore lost its CPU; left out."),
    (4, 6, "burst 8, engine io: in 4 runs an lcore lost its CPU; too few others remain, so all count.")])
def test_compared_without_cpu(sketch, tmp_path, lost, counted, words):
    """Runs of a comparison that lost their CPU are named, and left out as by the command."""
    lines = [header()]
    for round_ in range(1, 7):
        for combination, burst in enumerate((8, 32)):
            run_ = one_run(2 * round_ + combination, "io", 500_000 if round_ <= lost and burst == 8 else 1_000_000, settings={"burst": burst, "y": 1},
                           compare=trial(round_, combination))
            for line in run_:
                if line["type"] == "interval":
                    with_cpu(line, (1, *((S // 2, S // 2) if round_ <= lost and burst == 8 else (S, 0)), S))
            lines += run_
    page = sketch(written(tmp_path / "r", *lines))
    first, second = json.loads(page.data)["comparisons"][0]["rows"]
    assert (first["runs"], first["lost_cpu"], first["left_out"], first["mpps"]["n"]) == (counted, lost, 6 - counted, counted)
    assert (second["runs"], second["lost_cpu"], second["ratio"]["n"]) == (6, 0, counted)
    assert first["mpps"]["low"] == (0.5 if lost and counted == 6 else 1)
    assert words in page.text if words else "lost its CPU;" not in page.text


def test_poll_over_intervals(sketch, tmp_path):
    """An lcore that lost its CPU within a poll has packets in one interval, and their cycles in the next: both count for the run."""
    lines = [header(), begin(1, "io", 100), interval(1, 101, 1_000_000), interval(1, 102, 1_000_000), interval(1, 103, 0)]
    for line, cycles in zip(lines[2:], (20_000_000, 0, 10_000_000)):
        line["streams"][0]["busy_cycles"] = cycles
    (run,) = json.loads(sketch(written(tmp_path / "r", *lines)).data)["runs"]
    assert run["mean_cycles"] == 15 and run["cycles_per_packet"]["n"] == 1 and run["cycles_per_packet"]["median"] == 20


def test_compared_for_real(sketch, binary, tmp_path):
    """The page has every run of the program's own answer, packet by packet, and the same rows: medians, intervals, ratios, and which runs count."""
    path = tmp_path / "r"
    with started(binary) as session:
        session.command("set record-core-cycles on")
        session.command(f"record start {path} every 5")
        answer = session.compare({"engines": ["io", "txonly"], "burst": [8, 32]}, seconds=0.02, runs=5).answer
        session.command("record stop")
    page = sketch(path)
    data = json.loads(page.data)
    (one,) = data["comparisons"]
    assert one["names"] == ["engine", "burst"] and len(one["rows"]) == len(answer["combinations"]) == 4
    for place, (row, told) in enumerate(zip(one["rows"], answer["combinations"])):
        assert row["values"] == {name: str(value) for name, value in told["values"].items()} and row["runs"] == told["runs"]
        mine = {run["compare"]["round"]: run["packets"] for run in data["runs"] if run["compare"]["combination"] == place}
        assert mine == {run["round"]: run["packets"] for run in told["each"]} and len(mine) == 5
        assert row["left_out"] == sum(not run["in_median"] for run in told["each"])
        assert (row["lost"], row["offered"], row["unsent"]) == (told["lost"], told["offered"], told["unsent"])
        # Cycles of every poll, and not of those that the recording timed. A run's length is recorded in whole nanoseconds.
        for key, name, unit in (("mpps", "packets_per_second", 1e6), ("cycles_per_packet", "cycles_per_packet", 1), ("ratio", "ratio", 1)):
            assert [row[key][of] * unit for of in ("median", "low", "high")] == pytest.approx([told[name + of] for of in ("", "_low", "_high")], rel=1e-6)
        assert (row["mpps"]["cover"], row["mpps"]["n"], row["ratio"]["n"]) == (told["interval_probability"], told["runs"], told["ratio_runs"])
    # Where a length of whole nanoseconds makes a difference, three decimals may be rounded to either side.
    shown = [row["Mpps"] for row in page.cells("compared-table-1")]
    assert list(map(float, shown)) == pytest.approx([told["packets_per_second"] / 1e6 for told in answer["combinations"]], abs=0.0006)
    assert all(re.fullmatch(r"\d+\.\d{3}", one) for one in shown), shown
    from zcfwd_report import page as made  # pylint: disable=import-outside-toplevel
    recording = read.recording(str(path))
    assert made.mark_of(recording.runs[1], {}) == "2: engine io, burst 32"


def test_compared_not_sent(sketch, tmp_path):
    """Packets of a combination that were due and not sent, as in the shell's answer."""
    lines = [header()]
    for number, unsent in enumerate((0, 7), 1):
        lines += one_run(number, "io", 1_000_000, settings={"burst": 8 * number, "y": 1}, compare=trial(1, number - 1, names=["burst"]))
        lines[-2]["loss"] = {"offered": 1_000_000, "lost": 0, "unsent": unsent}
    page = sketch(written(tmp_path / "r", *lines))
    assert "<p>burst 16: 7 of 1000007 packets were due and not sent.</p>" in page.text
    assert [row["unsent"] for row in json.loads(page.data)["comparisons"][0]["rows"]] == [0, 7]


# The cases of tests/features/compare/compare_stats_test.c, where the shell's own statistics have the same results: combination 0 never starts, combination 2 is
# 1.5 times as fast as combination 1, and after the third of seven rounds both are half as fast.
@pytest.mark.parametrize("shares, cut, runs, mpps, ratio", [
    ({}, (), 7, (4, 4, 8), (7, 7)),
    (dict.fromkeys(range(7), 0.95), (), 7, (4, 4, 8), (7, 7)),
    (dict.fromkeys(range(3), 0.949), (), 4, (4, 4, 4), (4, 4)),
    (dict.fromkeys(range(4), 0.949), (), 7, (4, 4, 8), (7, 7)),  # too few would remain
    ({}, ((2, 5),), 7, (4, 4, 8), (7, 6)),
    ({3: 0.5, 2: 0.5}, ((1, 4), (1, 5), (1, 6)), 4, (8, 4, 8), (4, 4)),  # half of four would remain, which is fewer than three
    ({3: 0.5, 5: 0.5}, ((1, 4), (1, 5), (1, 6)), 3, (8, 8, 8), (3, 3)),  # a cut run is neither lost nor among the others
])
def test_compared_as_in_the_shell(sketch, tmp_path, shares, cut, runs, mpps, ratio):
    lines = [header()]
    for round_ in range(7):
        for combination, speed in ((1, 8), (2, 12)):
            mine = one_run(2 * round_ + combination, "io", speed * 1_000_000 // (1 if round_ < 3 else 2), {"run_ns": S, "cut": (combination, round_) in cut},
                           settings={"burst": 8 * combination}, compare=trial(round_ + 1, combination, 1, ["burst"]))
            ran = round(1000 * shares.get(round_, 1)) * S // 1000 if combination == 1 else S
            lines += [mine[0], with_cpu(mine[1], (1, ran, S - ran, S)), mine[2]]
    first, second = json.loads(sketch(written(tmp_path / "r", *lines)).data)["comparisons"][0]["rows"]
    assert (first["runs"], *(first["mpps"][name] for name in ("median", "low", "high"))) == (runs, *mpps)
    assert (first["ratio"]["n"], second["ratio"]["n"]) == ratio and {second["ratio"][name] for name in ("median", "low", "high")} == {1.5}
    assert first["mpps"]["cover"] == {7: 0.984375, 4: 0.875, 3: 0.75}[runs] and second["runs"] == 7 - sum(combination == 2 for combination, _ in cut)
