# SPDX-License-Identifier: BSD-3-Clause
"""The bias of engine measure: measured back to back, kept over runs, never subtracted; and how late packets are sent."""
import re

import pytest

from measuring import refused, results
from modelled import Modelled, needs_model_nic
from session import Session

QUANTILES = ("min_us", "p50_us", "p99_us")
RESTORED = ("set fwd io", "set generate-rate 7kpps", "set generate-gaps poisson")


def changed(session):
    settings = session.json_ok("show settings changed")
    return {key: value for key, value in settings.items() if key != "time"}, session.json_ok("show config fwd")["engine"]


@needs_model_nic
def test_bias(binary, tmp_path):
    """It is the latency of its own run, stays with later runs until it is cleared, and changes neither settings, engine nor results."""
    with Modelled(binary, "xl710,rx=wire:1,delay=200000;xl710,rx=wire:0,delay=300000", tmp_path, ["--rxd=4096"]) as session:
        session.ok("set output json", "set generate flows 4", "set generate-late 1000000", *RESTORED)
        before = changed(session)
        answer = session.json_ok("measure bias")
        assert changed(session) == before
        rows = results(session)  # a wire of 200 us, less what its clock differs from the TSC
        ports = {one["port"]: one for one in answer["ports"]}
        assert set(ports) == {0, 1} and all(answer[name] == sum(row[name] for row in rows) for name in ("lost", "unsent"))
        for row in rows:
            mine = ports[row["rx_port"]]
            assert {key: mine.get(key) for key in QUANTILES} == {key: row.get(key) for key in QUANTILES}
            assert mine["packets"] == row["unique"] > 5000 and mine["min_us"] >= (199, 299)[row["rx_port"]]
            assert row["bias"] == {key: value for key, value in mine.items() if key != "port"}
        session.ok("set fwd measure")
        session.json_ok("start for 2000 packets")
        for row in results(session):
            assert row["bias"] == {key: value for key, value in ports[row["rx_port"]].items() if key != "port"}
            assert row["unique"] < row["bias"]["packets"] and row["min_us"] >= (199, 299)[row["rx_port"]]
        session.ok("set output text")
        text = session.cmd("show measure")
        assert text.count("  bias in us, measured back to back (not subtracted): min ") == 2, text
        session.ok("measure bias clear", "set output json")
        assert all("bias" not in row for row in results(session))


@needs_model_nic
def test_not_connected(binary, tmp_path):
    """Without a packet that comes back there is an error, and the bias before it stays."""
    with Modelled(binary, "xl710,rx=wire:1;xl710,rx=none", tmp_path) as session:
        session.ok("set output json", "set generate port 0 flows 0")
        (kept,) = session.json_ok("measure bias")["ports"]  # port 1 sends to port 0
        assert kept["port"] == 0
        session.ok("set generate port 1 flows 0")
        answer = session.json("measure bias")
        assert not answer["ok"] and "no packet came back" in answer["error"]["message"]
        row, other = results(session)
        assert row["bias"]["measured"] == kept["measured"] and "bias" not in other


@needs_model_nic
def test_connected_otherwise(binary, tmp_path):
    """A port that gets no packet in a later measurement has no bias from an earlier one."""
    with Modelled(binary, "xl710,rx=wire:1;xl710,rx=wire:0", tmp_path) as session:
        session.ok("set output json")
        assert [port["port"] for port in session.json_ok("measure bias")["ports"]] == [0, 1]
        session.ok("set generate port 0 flows 0")
        (kept,) = session.json_ok("measure bias")["ports"]  # port 1 sends to port 0
        row, other = sorted(results(session), key=lambda row: row["rx_port"])
        assert kept["port"] == 0 and row["bias"]["measured"] == kept["measured"] and "bias" not in other


def test_refused(binary):
    """It is refused while forwarding and if a start fails: one line, no setting changes, and the next run works."""
    with Session(binary, ["net_ring0"], ["--port-topology=loop", "--no-flush-rx"]) as session:
        session.ok("set generate flows 3", "set generate-rate 5kpps", "set fwd io", "start")
        assert "Please stop forwarding first" in refused(session, "measure bias")
        session.ok("stop")
        before = session.cmd("show settings changed")
        session.ok("port stop 0")
        text = refused(session, "measure bias")
        assert "Not all ports were started" in text and len(text.strip().splitlines()) <= 2, text
        assert session.cmd("show settings changed") == before
        session.ok("port start 0", "start", "stop")
        figures = r"min \d+\.\d{3}, p50 \d+\.\d{3}(, p99 \d+\.\d{3})? of \d+ packets by the TSC at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
        assert re.fullmatch(rf"Port 0, bias in us: {figures}", session.cmd("measure bias").strip())


@pytest.mark.parametrize("gaps", ["even", "burst:32"])
def test_late(binary, gaps):
    """No packet is later on the receiving side than it was on the sending side: lateness is part of the latency."""
    with Session(binary, ["net_ring0"], ["--port-topology=loop", "--no-flush-rx"]) as session:
        session.ok("set output json", "set fwd measure", "set generate-rate 50kpps", f"set generate-gaps {gaps}", "set generate-late 1000000")
        session.json_ok("start for 30000 packets")
        (row,) = results(session)
        assert row["lost"] == 0 and row["unique"] == 30000
        for share in ("p50", "p99", "max"):
            assert 0 < row[f"late_{share}_us"] <= row[f"{share}_us"] * 1.001, row
