# SPDX-License-Identifier: BSD-3-Clause
"""zcfwd-report on answers of commands: bench mempool, measure rate, and the points of a calibration of DMA."""
import json
import re
import xml.dom.minidom

import pytest

from made_recordings import changed, known, members, report, written
from recorded import read
from reports import Page, fixture_drawn, fixture_drawn_once  # noqa: F401  pylint: disable=unused-import

pytestmark = pytest.mark.zcfwd


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
    written(path, {"command": "measure rate goals x", "ok": False}, rate())
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
    written(other, bench())
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
    written(path, answer)
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
        written(path, changed(kind(), place, other))
        try:
            found = answers.answer(str(path))
            if found is not None:
                {"bench mempool": mempool_page, "measure rate": rate_page}[found["kind"]].write([found], str(tmp_path / "out"), "title")
        except read.ReadError as error:
            assert str(path) in str(error)


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
