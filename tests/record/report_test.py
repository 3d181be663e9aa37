# SPDX-License-Identifier: BSD-3-Clause
"""zcfwd-report: numbers of a recording that is known by heart, a page that is whole."""
import json
import os
import re
import subprocess
import xml.dom.minidom

import pytest
from conftest import ROOT

from laws import open_session, run
from made_recordings import S, begin, burst_file, cells, header, interval, known, process, report
from recorded import figures, read
from reports import Page, fixture_drawn, fixture_drawn_once, fixture_sketch  # noqa: F401  pylint: disable=unused-import

pytestmark = pytest.mark.zcfwd


def make(tmp_path, *files):
    done = process(*files, "-o", tmp_path / "out")
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert done.stdout.strip() == str(tmp_path / "out" / "report.html")
    return Page(tmp_path / "out" / "report.html")


def test_numbers(sketch, tmp_path):
    page = sketch(known(tmp_path / "a.jsonl"))
    (one,) = json.loads(page.data)["runs"]
    assert one["packets"] == 6_320_000 and one["seconds"] == 3.01 and one["intervals"] == 4
    assert one["mpps"] == {"median": 2.0, "low": 1.5, "high": 2.5, "least": 1.0, "most": 3.0, "n": 3}
    assert one["cycles_per_packet"]["median"] == 10.0
    assert one["l2_gbps"] == pytest.approx(6.32e6 / 3.01 * 64 * 8 / 1e9) and one["line_share"] is None  # nobody told of links
    assert (one["lost"], one["offered"]) == (320_000 + 20, 6_640_000 + 20)
    bursts = (1_000_000 + 2_000_000 + 3_000_000) // 32
    assert one["rx_bursts"] == {"mean": pytest.approx((bursts * 32 + 640_000) / (bursts + 640_000)), "p50": 1, "p90": 32, "p99": 32,
                                "empty": 21, "bursts": bursts + 640_000 + 21}
    assert one["drops"] == {"tx_dropped": 320_000, "rx_missed": 20, "rx_errors": 0, "rx_nombuf": 4, "tx_errors": 0}
    assert one["least_available"] == ["p", 1, 100]
    (row,) = page.cells("runs")
    assert (row["run"], row["engine"], row["seconds"], row["packets"], row["Mpps"], row["median Mpps"], row["cycles/packet"], row["what differs"]) == (
        "1", "io", "3.01", "6 320 000", "2.10", "2.00", "10.0", "–")
    (row,) = page.cells("drops")
    assert (row["tx_dropped"], row["rx_missed"], row["rx_nombuf"], row["fewest free mbufs"]) == ("320 000", "20", "4", "p: 1 of 100")
    assert "notes" not in page.text.split("</style>")[1].split("<script")[0]


def ring(direction, packets, zc, **more):
    """A ring of stream 0 and worker 0."""
    sides = {f"{side}_{name}": n for side in ("put", "taken") for name, n in (("packets", packets), ("copy", 1), ("zc", zc), ("wraps", 2))}
    return {"direction": direction, "stream": 0, "worker": 0, "shared": 0, **sides, "put_full": 0, "taken_empty": 0, **more}


def test_engines(sketch, tmp_path):
    """Rings and workers of a pipeline, streams of extbuf: sums over intervals, cycles per packet, levels that were seen."""
    lines = [header(), begin(1, "ring_pipeline", 100), interval(1, 101, 1_000_000), interval(1, 102, 2_000_000), begin(2, "extbuf", 102),
             interval(2, 103, 1_000_000), {"type": "stop", "run": 0, "mono_ns": 104 * S}]
    for level, line in ((7, lines[2]), (40, lines[3])):
        line["groups"] = {
            "pipeline_io": [{"lcore": 1, "mode_in": "zc", "mode_back": "copy", "timed_rx": 0, "rx_cycles": 0, "timed_tx": 0, "tx_cycles": 0}],
            "pipeline_worker": [{"worker": 0, "lcore": 2, "packets": 320, "bursts": 10, "empty_polls": 3, "deaths": 0, "timed": 100,
                                 "cycles": 5000, "stage_cycles": 4000}],
            "pipeline_ring": [ring("in", 320, 9, put_full=4, taken_empty=3, level=level, fill=cells([[0, 5], [4, 5]])),
                              ring("back", 10, 0, shared=1, fill=cells([[8, 1]]))]}
    lines[5]["groups"] = {"extbuf": [{"stream": 0, "mode": "auto", "threshold": 192, "out": 77}]}
    lines[5]["streams"][0].update(counters={"copied": 5, "attached": 6})
    (tmp_path / "r").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    page = sketch(tmp_path / "r")
    (worker,) = page.cells("workers")
    assert [worker[name] for name in ("worker", "lcore", "packets", "packets/burst", "empty polls", "ring cycles/packet",
                                      "stage cycles/packet")] == ["0", "2", "640", "32.0", "6", "10.0", "40.0"]
    rings = [[row[name] for name in ("ring", "packets", "copied", "zero-copy", "full", "empty", "mean fill", "maximum packets")]
             for row in page.cells("rings")]
    assert rings == [["to worker", "640", "10.0 %", "90.0 %", "8", "6", "25.0 %", "40"],
                     ["back", "20", "100.0 %", "0.0 %", "0", "–", "100.0 %", "–"]]
    (stream,) = page.cells("external")
    assert [stream[name] for name in ("run", "mode", "copied if", "copied", "attached", "maximum buffers out")] == [
        "2", "auto", "below 192 bytes", "5", "6", "77"]
    assert page.heads[5:8] == ["Bursts", "Workers and rings", "External buffers"] and "Ring fill levels: run 1 ring_pipeline" in page.alts
    pipeline, none = [one["pipeline"] for one in json.loads(page.data)["runs"]]
    assert none is None and pipeline["modes"] == ["zc in, copy back"]


def test_pools(sketch, tmp_path):
    """Free mbufs of every pool over time; a pool that comes later begins later; nothing without pools."""
    lines = [header(), begin(1, "io", 100), *(interval(1, 101 + i, 1_000_000) for i in range(3))]
    lines[3]["pools"].append({"name": "late", "size": 0, "available": 0})
    (tmp_path / "r").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert "Free mbufs: r" in sketch(tmp_path / "r").alts
    for line in lines[2:]:
        line["pools"] = []
    (tmp_path / "r").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert "Mempools" not in sketch(tmp_path / "r").heads


def bench(**more):
    """An answer of bench mempool."""
    result = {"driver": "bucket", "cache": 0, "contiguous": False, "rate": 100.0, "p25": 90.5, "p75": 110}
    return {"command": "bench mempool samples 3", "ok": True, "block": 15, "element_bytes": 256, "why": "", "objects": 1023, "samples": 3, "cells": [
        {"lcores": 1, "get": 15, "put": 1, "keep": 30, "published": {"plain": 111.9, "contiguous": 122.9, "ratio": 1.098},
         "results": [result, {**result, "contiguous": True, "rate": 105.0}, {**result, "cache": 250}], "ratio": 1.05, "ratio_p25": 1.0, "ratio_p75": 1.1},
        {"lcores": 1, "get": 16, "put": 16, "keep": 32, "results": [{**result, "driver": "<ring>"}]}], "left_out": [4], "stopped": False, **more}


def test_bench_mempool(drawn_once, tmp_path):
    """The command's answer, in a session's output: a table beside the published figures, and plots; files of one kind only, and whole ones."""
    path = tmp_path / "bench"
    path.write_text("zcfwd 0.1.0\n{not json\n" + json.dumps(bench()) + "\n", encoding="utf-8")
    assert report(path, "-o", tmp_path / "out").returncode == 0
    page = Page(tmp_path / "out" / "report.html")
    rows = [[row[name] for name in ("get", "driver", "cache", "gets", "rate", "quartiles", "published", "ratio", "published ratio")]
            for row in page.cells("mempool")]
    assert rows == [["15", "bucket", "0", "plain", "100.0", "90.5–110.0", "111.9", "–", "–"],
                    ["15", "bucket", "0", "contiguous", "105.0", "90.5–110.0", "122.9", "1.050", "1.098"],
                    ["15", "bucket", "250", "plain", "100.0", "90.5–110.0", "–", "–", "–"],
                    ["16", "<ring>", "0", "plain", "100.0", "90.5–110.0", "–", "–", "–"]]
    assert page.alts == ["Gain of contiguous blocks", "1 lcore, without cache", "1 lcore, with a cache"] and "not measured with 4 lcores" in page.text
    assert json.loads(page.data)["benches"][0]["cells"] == bench()["cells"]
    mixed = report(path, known(tmp_path / "a"), "-o", tmp_path / "out")
    assert mixed.returncode == 1 and "expected files of one kind" in mixed.stderr


def rate(**more):
    """An answer of measure rate."""
    goal = {"goal": "ndr", "pps": 900.5, "l1_gbps": 0.001, "lower_pps": 900.5, "lower_within": 11, "lower_above": 0, "lower_confidence": 0.9995,
            "upper_pps": 1000, "upper_within": 0, "upper_above": 1, "upper_confidence": None, "verdict": "found"}
    latency = {f"{name}_us": None for name in ("p50", "p90", "p99", "p999", "p9999", "max")}
    size = {"size": "60", "mean_bytes": 60, "ports": 1, "min_pps": 10, "max_pps": 5000, "trial_seconds": 12.5, "stopped": False, "n_trials": 2, "trials": [
        {"trial": 1, "load_pps": 5000, "sent_pps": 4000, "seconds": 1, "effective_seconds": 1.2, "loss_percent": 82, "unsent_percent": 20},
        {"trial": 2, "load_pps": 900.5, "sent_pps": 900, "seconds": 1, "effective_seconds": 1.2, "loss_percent": 0, "unsent_percent": 0}],
        "goals": [goal, {**goal, "goal": "pdr", "pps": 0, "lower_pps": None, "upper_pps": None, "verdict": "<unfinished>"}],
        "latency": [{"percent": 0, "load_pps": 10, "loss_percent": 0, **latency, "p50_us": 1.5, "max_us": 9},
                    {"percent": 50, "load_pps": 450, "loss_percent": 0, **latency, "p50_us": 2.5, "p90_us": 7}]}
    return {"command": "measure rate", "ok": True, "sizes": [size, {**size, "size": "described", "mean_bytes": 100.25, "latency": []}], **more}


def test_rate(drawn_once, tmp_path):
    """The answer of measure rate: tables, and plots of loss and latency over load for each size."""
    path = tmp_path / "rate"
    path.write_text(json.dumps({"command": "measure rate goals x", "ok": False}) + "\n" + json.dumps(rate()) + "\n", encoding="utf-8")
    assert report(path, "-o", tmp_path / "out").returncode == 0
    page = Page(tmp_path / "out" / "report.html")
    rows = [[row[name] for name in ("size", "goal", "packets/s", "lower bound", "upper bound", "verdict")] for row in page.cells("rates")]
    assert rows[:2] == [["size 60", "ndr", "900", "900", "1000", "found"], ["size 60", "pdr", "0", "–", "–", "<unfinished>"]] and rows[2][0] == "100 bytes"
    assert [[row[name] for name in ("load", "p50", "p90", "p99", "max")] for row in page.cells("latency")] == [
        ["0 %", "1.500", "–", "–", "9.000"], ["50 %", "2.500", "7.000", "–", "–"]]
    assert page.alts == ["Rate without loss", "Loss over load: size 60", "Latency over load: size 60", "Loss over load: 100 bytes"]
    assert json.loads(page.data)["rates"][0]["sizes"] == rate()["sizes"]
    assert re.search(r'</h1>\n<p id="summary">([^<]*)</p>', page.text)[1] == (
        "Size 60: ndr 900 pps (found); pdr &lt;unfinished&gt;. 100 bytes: ndr 900 pps (found); pdr &lt;unfinished&gt;.") and "cpu-words" not in page.text
    other = tmp_path / "bench"
    other.write_text(json.dumps(bench()) + "\n", encoding="utf-8")
    assert "expected files of one kind" in report(path, other, "-o", tmp_path / "out").stderr


def test_rate_without_cpu(drawn_once, tmp_path):
    """The page says which trials lost their CPU and marks them, and repeats what the answer says about packets that were not sent for this reason."""
    answer = rate()
    first, second = answer["sizes"]
    first.update(lost_cpu="lcore 1 had its CPU for 59 % of trial 1 (7 preemptions)", trials=[
        {**first["trials"][0], "cpu_share": 0.594}, {**first["trials"][1], "cpu_share": 0.95}, {**first["trials"][1], "cpu_share": 0.9499},
        {**first["trials"][1], "cpu_share": None, "loss_percent": None}])
    second.update(lost_cpu=None, trials=[{**second["trials"][0], "cpu_share": 1}])
    path = tmp_path / "rate"
    path.write_text(json.dumps(answer) + "\n", encoding="utf-8")
    assert report(path, "-o", tmp_path / "out").returncode == 0
    assert re.search(r'<p id="cpu-words">([^<]*)</p>', Page(tmp_path / "out" / "report.html").text)[1] == (
        "Size 60: in 2 of 4 trials an lcore had less than 95 % of its CPU; the least was 59.4 % in trial 1. "
        "Size 60: packets were not sent in time, and lcore 1 had its CPU for 59 % of trial 1 (7 preemptions).")
    shown = [(tmp_path / "out" / f"loss-{number}.svg").read_text(encoding="utf-8") for number in (1, 2)]
    assert ["an lcore had less than 95 % of its CPU" in svg for svg in shown] == [True, False]
    assert all("<!-- engine measure; sending ports: 1, each 10 to 5000 packets/s; rate -->" in svg for svg in shown)


@pytest.mark.parametrize("other", ["<b>", None, [], {}, True, -1, 2**64, float("inf")], ids=repr)
@pytest.mark.parametrize("kind", [bench, rate])
def test_answer_with_any_value(drawn, tmp_path, monkeypatch, kind, other):
    """Another value in place of each member: a page, or one error that names the file."""
    from zcfwd_report import answers, mempool_page, page, rate_page  # pylint: disable=import-outside-toplevel
    monkeypatch.setattr(page, "picture", lambda plot, folder: plot.title)
    path = tmp_path / "r"
    for place in members(kind()):
        path.write_text(json.dumps(changed(kind(), place, other)) + "\n", encoding="utf-8")
        try:
            found = answers.answer(str(path))
            if found is not None:
                {"bench mempool": mempool_page, "measure rate": rate_page}[found["kind"]].write([found], str(tmp_path / "out"), "title")
        except read.ReadError as error:
            assert str(path) in str(error)


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


def written(path, *lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def one_run(number, engine, packets, end=None, **more):
    """Lines of a run of a second at 100 s and so on, which sends so many packets."""
    at = 100 + 2 * number
    return [begin(number, engine, at, **more), interval(number, at + 1, packets), {**interval(number, at + 1, packets, kind="end"), **(end or {})}]


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


def test_only_streams(sketch, tmp_path):
    """A recording of some streams says so; of all it says nothing."""
    page = sketch(written(tmp_path / "r", header(only_streams=[0, 3]), *one_run(1, "io", 1_000_000)))
    assert "<dt>streams</dt><dd>only 0, 3; " in page.text
    assert "<dt>streams</dt>" not in sketch(known(tmp_path / "a")).text


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


@pytest.mark.parametrize("speeds, share", [((40000, 40000), 0.5), ((40000, 0), 1.0), ((0xFFFFFFFF, 40000), 1.0), ((0, 0), None), ((None, None), None)])
def test_wire(sketch, tmp_path, speeds, share):
    """Gb/s without and with what a frame has on the wire beside it, and how much of the links that is; nothing where no speed is known."""
    ports = [{**header()["ports"][0], "port": port, **({} if speed is None else {"link_mbps": speed})} for port, speed in enumerate(speeds)]
    lines = [header(), *one_run(1, "io", 1, ports=ports), *one_run(2, "rxonly", 1, ports=ports, sends_packets=False)]
    for line in lines:  # two ports, each with 2.5 Mpps of 1000 bytes on the wire: 40 Gb/s
        if line["type"] == "begin":
            line["streams"] = [{"stream": port, "rx_port": port, "rx_queue": 0, "tx_port": 1 - port, "tx_queue": 0, "lcore": 1} for port in (0, 1)]
        elif line["type"] != "header":
            sends = line["run"] == 1
            line["streams"] = [{**line["streams"][0], "stream": port, "rx": 2_500_000, "tx": 2_500_000 * sends, "tx_dropped": 0} for port in (0, 1)]
            line["ports"] = [{"port": port, "rx_packets": 2_500_000, "rx_bytes": 2_500_000 * 976, "rx_missed": 100_000, "tx_packets": 2_500_000 * sends,
                              "tx_bytes": 2_500_000 * 976 * sends} for port in (0, 1)]
    page = sketch(written(tmp_path / "r", *lines))
    for row, one in zip(page.cells("runs"), json.loads(page.data)["runs"]):
        assert (row["Mpps"], row["packets"], row["L2 Gb/s"], row["L1 Gb/s"]) == ("5.00", "5 000 000", "39.0", "40.0")
        assert row["share of line rate"] == ("–" if share is None else f"{100 * share:.1f} %") and row["loss"] == f"{100 * 200_000 / 5_200_000:.4f} %"
        assert one["line_share"] == (share and pytest.approx(share))


def trial(round_, combination, comparison=1, names=("burst", "engine")):
    return {"comparison": comparison, "round": round_, "combination": combination, "names": list(names)}


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


def test_compared_for_real(sketch, binary, tmp_path):
    """The page has every run of the program's own answer, packet by packet, and the same rows: medians, intervals, ratios, and which runs count."""
    path = tmp_path / "r"
    with open_session(binary) as session:
        session.json_ok("set record-core-cycles on")
        session.json_ok(f"record start {path} every 5")
        answer = session.json_ok("compare engines=io,txonly burst=8,32 for 20ms runs 5")
        session.json_ok("record stop")
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
    assert [row["Mpps"] for row in page.cells("compared-table-1")] == [f"{told['packets_per_second'] / 1e6:.3f}" for told in answer["combinations"]]
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


def test_hardware(drawn_once, tmp_path):
    """Hardware counters per packet, lcore by lcore; the machine's memory requests by all lcores' packets, and a dash for what is not counted."""
    lines = [json.loads(line) for line in known(tmp_path / "a").read_text(encoding="utf-8").splitlines()]
    for line in lines:
        if line["type"] in ("interval", "end"):
            line["groups"] = {
                "hardware": [{"stream": 0, "lcore": 1, "packets": 100, "cycles": 5000, "instructions": 10000, "mc_requests": 400},
                             {"stream": 1, "lcore": 2, "packets": 300, "cycles": 9000, "instructions": 9000}],
                "pipeline_worker_hardware": [{"worker": 0, "lcore": 3, "packets": 0}]}
    (tmp_path / "a").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert report(tmp_path / "a", "-o", tmp_path / "o").returncode == 0
    first, second = Page(tmp_path / "o/report.html").cells("hardware")
    assert (first["lcore or worker"], first["packets"], first["cycles"], first["instructions"], first["IPC"]) == ("lcore 1", "400", "50.0", "100", "2.00")
    assert (second["lcore or worker"], second["cycles"], second["IPC"], second["l2 refills"], second["mc requests"]) == ("lcore 2", "30.0", "1.00", "–", "–")
    assert first["mc requests"] == "1.00"


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


def test_page_is_whole(drawn, tmp_path):
    """One file, every plot in it four times (light and dark, wide and narrow), and each plot beside it as PNG and SVG."""
    page = make(tmp_path, known(tmp_path / "a"), known(tmp_path / "b"))
    assert page.heads == ["zcfwd recording", "Runs", "Comparison", "Throughput and cycles over time", "Mempools", "Bursts", "Lost packets",
                          "Recording details"]
    plots = ["comparison", "time-1", "pools-1", "time-2", "pools-2", *(f"{kind}-{i}" for i in (1, 2) for kind in ("bursts", "heat"))]
    assert len(page.alts) == len(plots) and all(page.alts)
    assert len(page.links) == 4 * len(plots) and all(link.startswith("data:image/svg+xml;base64,") for link in page.links)
    assert page.text.count("prefers-color-scheme: dark") == 1 + 2 * len(plots)
    assert page.text.count("(max-width: 40rem)") == 1 + 2 * len(plots)
    assert re.search('<meta name="viewport" content="width=device-width', page.text)
    assert set(os.listdir(tmp_path / "out")) == {"report.html", *(f"{name}.{kind}" for name in plots for kind in ("png", "svg"))}
    for name in plots:
        assert (tmp_path / "out" / f"{name}.png").read_bytes().startswith(b"\x89PNG\r\n")
        assert "</svg>" in (tmp_path / "out" / f"{name}.svg").read_text(encoding="utf-8")[-20:]


def test_names_stay_text(sketch, tmp_path):
    page = sketch(known(tmp_path / "<b>&", "</script><i>"))
    assert page.cells("runs")[0]["engine"] == "</script><i>" and page.cells("runs")[0]["file"] == "<b>&"
    assert json.loads(page.data)["runs"][0]["engine"] == "</script><i>"


ODD = ("\ud800", "a\0b\x1b[2J\ufffe", "$\\foo$", "$x_$", "<!--<script>", "</script><script>alert(1)</script>", "\"'><img src=x>", "\u6f22\u5b57")


def test_odd_names(drawn_once, tmp_path):
    """Names that no text file, no plot or no page takes as they are, in every place that has one: a page that is whole."""
    lines = [header(machine={**header()["machine"], "host": ODD[0], "cpu": ODD[4]})]
    for number, odd in enumerate(ODD, 1):
        first = begin(number, odd, 100 * number)
        first["ports"] = [{**first["ports"][0], "name": odd, "driver": odd, "rx_path": odd}]
        lines += [first, interval(number, 100 * number + 1, 1_000_000), {"type": "set", "run": number, "name": odd, "value": odd}]
        lines[-2]["pools"][0]["name"] = odd
    text = "".join(json.dumps(line) + "\n" for line in lines)
    path = os.path.join(os.fsencode(tmp_path), b"bad\xff$x_$.jsonl")
    with open(path, "wb") as file:
        file.write(json.dumps(lines[0], ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n" + text.encode("ascii"))
    done = report(os.fsdecode(path), "-o", tmp_path / "out", "--title", ODD[4])
    assert done.returncode == 0 and not done.stderr, done.stderr
    page = Page(tmp_path / "out" / "report.html")
    assert [row["engine"] for row in page.cells("runs")] == [read.printable(odd) for odd in ODD]
    assert page.cells("runs")[0]["file"] == "bad\ufffd$x_$.jsonl"
    assert "<" not in page.data and [one["engine"] for one in json.loads(page.data)["runs"]] == [read.printable(odd) for odd in ODD]
    for plot in (tmp_path / "out").glob("*.svg"):
        xml.dom.minidom.parse(str(plot))


def members(value, place=()):
    """Where every member of an object is, at any depth."""
    for key, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*place, key)
        yield from members(one, (*place, key))


def changed(value, place, other):
    """The same object with another value there."""
    if not place:
        return other
    copy = value.copy()
    copy[place[0]] = changed(copy[place[0]], place[1:], other)
    return copy


@pytest.mark.parametrize("other", ["<b>", None, [], [1, 2], {}, {"a": [1]}, True, -1, 1.5, 2**64, 2**64 - 1], ids=repr)
def test_any_value_anywhere(drawn, tmp_path, monkeypatch, other):
    """Another value in place of each member of each line: a page, or one error that names the file. The largest number also has its place in pictures."""
    from zcfwd_report import page, plots  # pylint: disable=import-outside-toplevel
    monkeypatch.setattr(page, "picture", lambda plot, folder: (other == 2**64 - 1 and plots.picture(plot, plots.WIDE), plot.title)[1])
    lines = [header(), begin(1, "extbuf", 100, settings={"burst": 32, "x": 0}, sends_packets=True, compare=trial(1, 0)), interval(1, 101, 1_000_000),
             interval(1, 102, 0, kind="end"), {"type": "set", "run": 1, "mono_ns": 101 * S, "name": "x", "value": 1}]
    lines[3]["cut"] = False
    lines[1]["ports"][0]["link_mbps"] = 40000
    lines[2]["groups"] = {"extbuf": [{"stream": 0, "mode": "auto", "threshold": 192, "out": 77}],
                          "pipeline_io": [{"lcore": 1, "mode_in": "zc", "mode_back": "copy"}],
                          "pipeline_worker": [{"worker": 0, "lcore": 2, "packets": 320, "bursts": 10, "empty_polls": 3, "timed": 100, "cycles": 5000,
                                               "stage_cycles": 4000}],
                          "pipeline_ring": [ring("in", 320, 9, level=7, fill=cells([[0, 5], [4, 5]]))]}
    lines[2]["streams"][0].update(counters={"copied": 5, "attached": 6})
    path, made = tmp_path / "r", 0
    for number, line in enumerate(lines):
        for place in members(line):
            path.write_text("".join(json.dumps(one) + "\n" for one in [*lines[:number], changed(line, place, other), *lines[number + 1:]]),
                            encoding="utf-8")
            try:
                page.write([read.recording(str(path))], str(tmp_path / "out"), "title")
                made += 1
            except read.ReadError as error:
                assert str(path) in str(error)
    assert made > 100


def test_no_streams(sketch, tmp_path):
    """A run whose begin names no stream has no bursts to draw."""
    first, line = begin(1, "io", 100), interval(1, 101, 0)
    first["streams"] = line["streams"] = []
    (tmp_path / "r").write_text("".join(json.dumps(one) + "\n" for one in (header(), first, line)), encoding="utf-8")
    assert sketch(tmp_path / "r").cells("runs")[0]["packets"] == "0"


def test_rotated_and_cut(sketch, tmp_path):
    """Older files of the recording come first, those of another are left alone; what is damaged is said and left out."""
    lines = [header(), begin(1, "io", 100), interval(1, 101, 1_000_000)]
    for name, more in (("r.2", lines), ("r.1", lines[:2] + [interval(1, 102, 2_000_000)]),
                       ("r", lines[:2] + [interval(1, 103, 3_000_000)])):
        (tmp_path / name).write_text("".join(json.dumps(line) + "\n" for line in more), encoding="utf-8")
    other = [header(recording="other"), begin(1, "io", 90), interval(1, 91, 5_000_000)]
    (tmp_path / "r.3").write_text("".join(json.dumps(line) + "\n" for line in other), encoding="utf-8")
    with open(tmp_path / "r", "a", encoding="utf-8") as file:
        file.write('{"type": "interv')
    page = sketch(tmp_path / "r")
    (one,) = json.loads(page.data)["runs"]
    assert one["intervals"] == 3 and one["packets"] == 6_000_000 and not one["ended"]
    assert "line 4: truncated" in page.text and "no stop line" in page.text
    assert [line["mono_ns"] // S for line in read.recording(str(tmp_path / "r")).runs[0].intervals] == [101, 102, 103]


def test_extremes(sketch, tmp_path):
    """Numbers that no run has, as damage leaves them, and times that go back: a page all the same."""
    path, most = tmp_path / "r", 2**64 - 1
    lines = [header(), begin(1, "io", 100), interval(1, 103, 1_000_000), interval(1, 101, 0, dt=0, sizes=[[2**40, 1], [most, most]]),
             interval(1, 99, most), interval(1, 98, 0, dt=most, sizes=[])]
    lines[4]["ports"] = []
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    page = sketch(path)
    assert page.cells("runs")[0]["packets"].replace(" ", "") == str(1_000_000 + most)


def test_without_matplotlib(tmp_path):
    """Tables need nothing; a page says what to install."""
    (tmp_path / "lib" / "matplotlib").mkdir(parents=True)
    (tmp_path / "lib" / "matplotlib" / "__init__.py").write_text("raise ImportError('not here')\n", encoding="ascii")
    env = {"PYTHONPATH": str(tmp_path / "lib")}
    done = process(known(tmp_path / "a"), "-o", tmp_path / "out", env=env)
    assert done.returncode == 1 and "install python3-matplotlib" in done.stderr and done.stderr.count("\n") == 1
    assert process("--csv", burst_file(tmp_path / "r.bursts"), env=env).returncode == 0


@pytest.mark.parametrize("there, drawn, says", [
    ((), True, "run: build/zcfwd and app/tools/zcfwd-report: make install puts both on the PATH\n"),
    (("zcfwd",), False, "run: build/zcfwd and app/tools/zcfwd-report: make install puts both on the PATH; "
     "zcfwd-report wants python3-matplotlib for its plots: devtools/setup report\n"),
    (("zcfwd", "zcfwd-report"), False, "run: zcfwd-report wants python3-matplotlib for its plots: devtools/setup report\n"),
    (("zcfwd", "zcfwd-report"), True, "")])
def test_where(tmp_path, there, drawn, says):
    """What make run says when it is over: how program and report come on the PATH, and what the report lacks."""
    (tmp_path / "matplotlib").mkdir()
    (tmp_path / "matplotlib" / "__init__.py").write_text("" if drawn else "raise ImportError\n", encoding="ascii")
    for name in ("id", *there):
        (tmp_path / name).write_text("#!/bin/sh\necho 0\n", encoding="ascii")
        (tmp_path / name).chmod(0o755)
    done = subprocess.run(["/bin/sh", ROOT / "devtools/where", "build/zcfwd"], env={"PATH": str(tmp_path), "PYTHONPATH": str(tmp_path)},
                          capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", says)
    assert "\t@devtools/run $(BUILD)/zcfwd $(ARGS)\n\t@devtools/where $(BUILD)/zcfwd\n" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_real_recording(sketch, binary, tmp_path):
    path = tmp_path / "r"
    with open_session(binary) as session:
        session.json_ok(f"record start {path} every 5 bursts sampled 100")
        totals = {engine: run(session, engine) for engine in ("io", "txonly")}
        session.json_ok("record stop")
    page = sketch(path)
    found = {one["engine"]: one for one in json.loads(page.data)["runs"]}
    for engine, count in (("io", "rx"), ("txonly", "tx")):
        assert found[engine]["packets"] == sum(stream["tx"] for stream in totals[engine]["streams"])
        assert found[engine]["rx_bursts" if count == "rx" else "tx_bursts"]["p99"] == 32
        assert found[engine]["cycles_per_packet"]["median"] > 0
        assert found[engine]["kept_polls"] > 0
    done = report("--csv", tmp_path / "r.bursts")
    assert done.stdout.count("\n") == 1 + sum(one["kept_polls"] for one in found.values())


POINTS = "where,memory,bytes,mode,cycles_per_packet,gbit_per_s\n"


def points(path, cpu, dma, lengths=(64, 1024, 4096)):
    """A calibration: cycles by length, in hot memory; in cold memory the CPU is cheaper at all lengths."""
    rows = [(memory, length, mode, costs[i] if memory == "hot" else {"cpu": 1, "dma": 9}[mode])
            for memory in ("hot", "cold") for i, length in enumerate(lengths) for mode, costs in (("cpu", cpu), ("dma", dma))]
    path.write_text(POINTS + "".join(f"local,{memory},{length},{mode},{cost:.1f},1.00\n" for memory, length, mode, cost in rows), encoding="ascii")
    return path


@pytest.mark.parametrize("cpu, dma, says", [
    ((10, 100, 400), (60, 60, 60), "engine from 1024 bytes"),
    ((10, 100, 40), (60, 60, 60), "CPU at any length"),  # not from 1024 on: at 4096 it is dearer
    ((100, 100, 400), (60, 60, 60), "engine from 64 bytes"),
])
def test_calibration(tmp_path, cpu, dma, says):
    """One plot: both ways by length, and where the threshold is, by the rule that the program has."""
    done = report(points(tmp_path / "p.csv", cpu, dma), "-o", tmp_path / "out")
    assert done.returncode == 0 and done.stdout.split() == [str(tmp_path / "out/p.png"), str(tmp_path / "out/p.svg")], done.stderr
    assert (tmp_path / "out/p.png").read_bytes().startswith(b"\x89PNG")
    drawn = (tmp_path / "out/p.svg").read_text(encoding="utf-8")
    xml.dom.minidom.parseString(drawn)
    for text in ("local, hot: " + says, "local, cold: CPU at any length", "packet length in bytes", "cpu", "dma"):
        assert f"<!-- {text} -->" in drawn, text


@pytest.mark.parametrize("rows, why", [
    ("", "without points"), ("local,hot,64,dma,x,1\n", "p.csv:2: not a calibration point"), ("local,hot,64\n", "p.csv:2: not a calibration point"),
    ("local,hot,-1,dma,1,1\n", "p.csv:2: not a calibration point"), ("local,hot,64,dma,nan,1\n", "p.csv:2: not a calibration point"), ("local,hot,64,\xe4,1,1\n", "damaged"),
])
def test_bad_calibration(tmp_path, rows, why):
    (tmp_path / "p.csv").write_text(POINTS + rows, encoding="latin-1")
    done = report(tmp_path / "p.csv", "-o", tmp_path / "out")
    assert done.returncode == 1 and why in done.stderr and done.stderr.count("\n") == 1, done.stderr


def with_cpu(line, *lcores):
    """The interval, with (lcore, run, wait or None, loop) in ns."""
    line["groups"]["cpu"] = [{"lcore": lcore, "run_ns": ran, **({} if waited is None else {"wait_ns": waited, "preempted": 7}), "loop_ns": loop}
                             for lcore, ran, waited, loop in lcores]
    return line


def test_lost_cpu(sketch, tmp_path):
    """The page names the lcore that lost its CPU, right after what happened, and shades those intervals alone."""
    lines = [header(), begin(1, "io", 100),
             with_cpu(interval(1, 101, 1000), (1, S - S // 100, S // 100, S), (2, S, 0, S)),
             with_cpu(interval(1, 102, 1000), (1, S // 5, S - S // 5, S), (2, S, 0, S)),
             with_cpu(interval(1, 103, 1000), (1, 0, 0, S), (2, S // 2, None, S)),  # a wait that has not ended; a kernel that counts none
             with_cpu(interval(1, 103.9, 1000, S * 9 // 10), (1, 0, 0, 0), (2, 0, 0, 0)),  # after the loop
             {"type": "stop", "run": 0, "mono_ns": 104 * S}]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    page = sketch(path)
    (one,) = json.loads(page.data)["runs"]
    assert one["cpu_lacking"] == 2
    assert one["cpu"] == [{"lcore": 1, "run_ns": S - S // 100 + S // 5, "wait_ns": S // 100 + S - S // 5, "preempted": 28, "loop_ns": 3 * S,
                           "share": pytest.approx(1.19 / 2)},
                          {"lcore": 2, "run_ns": 5 * S // 2, "wait_ns": None, "preempted": None, "loop_ns": 3 * S, "share": pytest.approx(2.5 / 3)}]
    sentence = re.search(r"</h1>\n<p id=\"summary\">[^<]*</p>\n<p id=\"cpu-words\">([^<]*)</p>", page.text)[1]
    assert sentence == ("In 2 of 4 intervals an lcore had less than 95 % of its CPU; the plots over time shade these intervals. Run 1 of a.jsonl had the "
                        "least: lcore 1 had its CPU for 59.5 % of the run (28 preemptions).")
    assert [(row["lcore"], row["share of its CPU"], row["preemptions"]) for row in page.cells("cpu")] == [("1", "59.5 %", "28"), ("2", "83.3 %", "–")]
    assert "In shaded intervals" in page.text
    assert "an lcore had less than 95 % of its CPU" in (tmp_path / "out/time-1.svg").read_text(encoding="utf-8")
    assert [figures.lacks_cpu(line) for line in lines[2:6]] == [False, True, True, False]


@pytest.mark.parametrize("share, sentence", [(None, None), (1, "In each interval every lcore had at least 95 % of its CPU.")])
def test_cpu_not_lost(sketch, tmp_path, share, sentence):
    """Also of a recording that an older zcfwd wrote, without CPU times."""
    lines = [header(), begin(1, "io", 100), interval(1, 101, 1000), {"type": "stop", "run": 0, "mono_ns": 104 * S}]
    if share is not None:
        with_cpu(lines[2], (1, share * S, 0, S))
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    page = sketch(path)
    found = re.search(r"<p id=\"cpu-words\">([^<]*)</p>", page.text)
    assert (found and found[1]) == sentence
    assert ("cpu" in page.tables) == ("This recording has no CPU times" not in page.text) == (share is not None)
    assert "an lcore had less" not in (tmp_path / "out/time-1.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("member", [{"lcore": -1}, {"run_ns": 1.5}, {"loop_ns": "1"}, {"wait_ns": None}])
def test_damaged_cpu(sketch, tmp_path, member):
    """A line with such times is left out, and a note says so."""
    bad = with_cpu(interval(1, 101, 1000), (1, S, 0, S))
    bad["groups"]["cpu"][0].update(member)
    lines = [header(), begin(1, "io", 100), bad, interval(1, 102, 1000), {"type": "stop", "run": 0, "mono_ns": 104 * S}]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    page = sketch(path)
    assert "line 3: truncated or damaged, skipped" in page.text
    assert json.loads(page.data)["runs"][0]["intervals"] == 1
