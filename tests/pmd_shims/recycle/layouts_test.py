# SPDX-License-Identifier: BSD-3-Clause
"""What recycling believes of drivers' private queues: by the table of releases, by what a queue does, by a file of rows."""
import functools
import importlib.machinery
import os
import pathlib
import re
import subprocess
import sys

import pytest

from modelled import PATIENT, Modelled, dpdk_release
from plugin import dpdk_series
from recycling import figures, pool_is_full
from session import wait_until

ROOT = pathlib.Path(__file__).resolve().parents[3]
SOURCE = os.environ.get("DPDK_SOURCE", "")
needs_source = pytest.mark.skipif(SOURCE == "", reason="the drivers' source is not there")


def once(read):
    """As rows_of() of devtools/layouts: the compiler reads all headers for it, so for each configuration once."""
    kept = functools.cache(lambda source, configuration: read(source, dict(configuration)))
    return lambda source, configuration: kept(source, tuple(configuration.items()))


LAYOUTS = importlib.machinery.SourceFileLoader("layouts", str(ROOT / "devtools/layouts")).load_module()
LAYOUTS.rows_of = once(LAYOUTS.rows_of)


@pytest.fixture(name="layouts")
def fixture_layouts(monkeypatch, capsys):
    """devtools/layouts with these words: (status, output)."""
    def layouts(*words):
        monkeypatch.setattr(sys, "argv", ["layouts", *words])
        return LAYOUTS.main(), capsys.readouterr().out
    return layouts


@pytest.fixture(name="rows")
def fixture_rows(layouts):
    """For the DPDK that is installed, whose source may be of another release of the series."""
    def rows():
        status, text = layouts(SOURCE)
        assert status == 0
        return re.sub(r"(?m)^(\w+) \S+", rf"\1 {dpdk_release()}", text)
    return rows


def run(binary, tmp_path, args=(), packets=20_000):
    """Forward so many and recycle; returns what show recycle says in words and in JSON."""
    with Modelled(binary, "xl710,verify,flows=16*2", tmp_path, args) as session:
        for line in ("set fwd recycle_mbufs retry", PATIENT, "start"):
            session.ok(line)
        wait_until(lambda: session.count("TX-packets") >= packets, f"{packets} packets sent", 60)
        text, streams = session.cmd("show recycle"), figures(session)
        session.cmd("stop")
        pool_is_full(session)
        session.quit()
    return text, [pair for stream in streams for pair in stream["pairs"]], streams


@needs_source
def test_table_is_what_the_headers_say(layouts):
    status, text = layouts("--check", SOURCE)
    assert status == 0, text
    assert re.search(r"^layouts: \d+ of 24 tables of DPDK .* compared$", text, re.M), text


@needs_source
def test_another_header_is_told(layouts, tmp_path, monkeypatch):
    header = tmp_path / "layout_rows.h"
    header.write_text(LAYOUTS.HEADER.read_text().replace(".rearm_start = ", ".rearm_start = 1"))
    monkeypatch.setattr(LAYOUTS, "HEADER", header)
    status, text = layouts("--check", SOURCE)
    assert status == 1
    for lines in (64, 128):
        assert f"layouts: i40e_rx rearm_start, cache lines of {lines} bytes: layout_rows.h has 1" in text


def trusted():
    """The newest release of each series that was run; others are proved."""
    lines = (ROOT / "pmd_shims/recycle/layout_rows.h").read_text(encoding="ascii")
    return [tuple(map(int, release)) for release in re.findall(r"\tS\((\d+), (\d+), (\d+), \d+,", lines)]


def test_by_table(binary, tmp_path):
    text, pairs, streams = run(binary, tmp_path)
    running = dpdk_series()
    by = "table" if any(running[:2] == newest[:2] and running <= newest for newest in trusted()) else "check"
    assert {(pair["rx_layout"], pair["proof"]) for pair in pairs} == {(by, "proved")}
    assert ("layouts by" in text) == (by == "check")
    assert all(stream["moved"] > 0 for stream in streams)


def test_newer_release(binary, tmp_path, monkeypatch):
    newer = "DPDK {}.{:02}.99".format(*dpdk_series())
    monkeypatch.setenv("LD_PRELOAD", os.environ["ANOTHER_RELEASE"], prepend=":")
    monkeypatch.setenv("RELEASE", newer)
    text, pairs, streams = run(binary, tmp_path)
    assert {(pair["rx_layout"], pair["tx_layout"], pair["proof"]) for pair in pairs} == {("check", "check", "proved")}
    assert ", layouts by check\n" in text
    assert all(stream["moved"] > 0 for stream in streams)
    text, pairs, streams = run(binary, tmp_path, ["--recycle-layouts=table"])
    assert f"{newer} is newer than the table of layouts, and only the table may be used" in text
    assert [pair["paired"] for pair in pairs] == [False, False]


@needs_source
def test_file(rows, binary, tmp_path):
    file = tmp_path / "rows"
    file.write_text(rows())
    text, pairs, streams = run(binary, tmp_path, [f"--shim-layouts={file}"])
    assert {(pair["rx_layout"], pair["proof"]) for pair in pairs} == {("file", "proved")}
    assert ", layouts by file\n" in text
    assert all(stream["moved"] > 0 for stream in streams)


@needs_source
def test_wrong_file_is_refuted(rows, binary, tmp_path):
    """Two fields that take turns: what the queues do tells, packets go on, nothing is moved."""
    file = tmp_path / "rows"
    right = rows()
    tail, start = (re.search(rf"^i40e_rx .* {field}=(\d+)", right, re.M)[1] for field in ("tail", "rearm_start"))
    file.write_text(re.sub(rf"(?m)^(i40e_rx .* tail=){tail}( .* rearm_start=){start}", rf"\g<1>{start}\g<2>{tail}", right))
    text, pairs, streams = run(binary, tmp_path, [f"--shim-layouts={file}"])
    assert {pair["proof"] for pair in pairs} == {"refuted"}, text
    assert "layouts by file: wrong layout for these queues, mbufs go to the pool" in text
    assert all(stream["moved"] == 0 for stream in streams)


def test_bad_file(binary, tmp_path):
    run = subprocess.run([binary, "--no-huge", "-m", "64", "--no-pci", "--no-shconf", "--vdev=net_null0", "--", f"--shim-layouts={tmp_path}/rows"],
                         capture_output=True, text=True, timeout=60)
    assert run.returncode != 0
    assert "rows: No such file or directory" in run.stderr + run.stdout
