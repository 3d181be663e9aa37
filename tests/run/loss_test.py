# SPDX-License-Identifier: BSD-3-Clause
"""Loss: what ports and engines dropped, and nothing else; one number in the line of a run, JSON, recording, report, telemetry, explain drops."""
import os
import re

import pytest

from answered import numbers
from laws import check_law
from modelled import Modelled, needs_model_nic
from packets import diverse, write_pcap
from recorded import figures, lines, of_type, read
from session import Session, wait_until
from telemetry import Telemetry

pytestmark = pytest.mark.zcfwd

N = 1000
SINKS = ("rxonly", "icmpecho", "flowgen", "shared_rxq")


def pcaps(tmp_path, packets):
    """Two ports that get these packets once each after every port start."""
    write_pcap(tmp_path / "in", packets)
    return [f"net_pcap{i},rx_pcap={tmp_path}/in,tx_pcap={tmp_path}/out{i}" for i in range(2)]


def again(session):
    """The packets come once more."""
    session.ok("port stop all", "port start all")


def forwarded(session, n):
    """One run over n packets; the answer of stop."""
    session.ok("set output json")
    session.json_ok("start")
    wait_until(lambda: sum(one["rx"] for one in session.json_ok("show fwd stats all")["streams"]) == n, "all received")
    answer = session.json_ok("stop")
    check_law(answer["streams"])
    return answer


def lost_of(answer):
    return answer["summary"]["lost"], answer["summary"]["offered"]


def test_transmit_errors(binary):
    """The total of all ports has the ports' transmit errors, and the account has each of them once."""
    with Session(binary, env={"LD_PRELOAD": os.environ["TX_ERRORS_MODULE"]}) as session:
        session.ok("set output json")
        session.json_ok("start for 10000 packets")
        answer = session.json_ok("show fwd stats all")
        told = session.json_ok("explain drops")
    errors, summary = [one["tx_errors"] for one in answer["ports"]], answer["summary"]
    assert min(errors) > 0 and [one["tx_dropped"] for one in answer["ports"]] == errors
    assert answer["total"]["tx_dropped"] == summary["tx_errors"] == summary["lost"] == sum(errors)
    n = sum(one["tx"] for one in answer["streams"])
    assert summary["offered"] == summary["asked"] == summary["sent"] + summary["tx_errors"] == n >= 10_000
    assert [cause["packets"] for cause in told["causes"] if cause["cause"] == "tx_errors"] == errors
    assert summary["verdict"].startswith(f"{sum(errors)} of {n} packets were lost ({sum(errors)} not sent by ports that had accepted them)")


def test_packets_that_a_driver_loses(binary):
    """The one cause is named if a port has accepted more packets than it reports and than its rings can hold."""
    with Session(binary, env={"LD_PRELOAD": os.environ["TX_ERRORS_MODULE"], "TX_ERRORS_HIDDEN": "1"}) as session:
        session.ok("set output json")
        verdict = session.json_ok("start for 100000 packets")["summary"]["verdict"]
    assert re.fullmatch(r"(?:lcore .*; )?port 0 accepted (\d+) packets and counted (\d+) as sent: its driver lost the others; port 1 accepted .*", verdict), verdict


def test_one_number_everywhere(binary, tmp_path):
    """All packets that l3fwd drops without a route is loss, wherever a loss is shown."""
    vdevs = pcaps(tmp_path, diverse()[:N])
    n = 2 * len(diverse()[:N])
    with Session(binary, vdevs, ["--no-flush-rx"], telemetry=True) as session:
        session.ok("route add 10.0.0.0/8 port 0", "set fwd l3fwd", f"record start {tmp_path}/r.jsonl every 20")
        answer = forwarded(session, n)
        assert lost_of(answer) == (n, n) and answer["summary"]["loss_fraction"] == 1
        told = session.json_ok("explain drops")
        assert (told["lost"], told["offered"]) == (n, n) and sum(cause["packets"] for cause in told["causes"]) == n
        assert {"no_route"} <= {cause["cause"] for cause in told["causes"]} <= {"no_route", "malformed", "expired"}
        with Telemetry(session) as telemetry:
            engine = telemetry.ask("/zcfwd/engine")
            assert (engine["lost"], engine["offered"]) == (n, n)
        session.cmd("set output text")
        text = session.cmd("explain drops")
        assert re.search(r"(?m)^Engine l3fwd: \d+ packets dropped: no matching route$", text)
        assert text.endswith(f"Lost in this run: {n} of {n} packets (100.0000 %)\n")
        again(session)
        text = session.cmd("start for 200ms")
        assert numbers(text)[6] == 100
        session.ok("record stop")
    (end, *_) = of_type(lines(tmp_path / "r.jsonl"), "end")
    assert end["loss"].items() >= {"asked": n, "offered": n, "lost": n, "dropped": n, "sent": 0}.items()
    recording = read.recording(str(tmp_path / "r.jsonl"))
    one = figures.of_run(recording, recording.runs[0])
    assert (one["lost"], one["offered"], one["loss"]) == (n, n, 1)
    assert sum(one["drops"].values()) == n and one["drops"]["no_route"] == sum(
        cause["packets"] for cause in told["causes"] if cause["cause"] == "no_route")


@pytest.mark.rotates(3)
@pytest.mark.parametrize("setup", [
    ("set fwd io",), ("set fwd csum",), ("set fwd noisy", "set noisy-tx-sw-buffer-size 64"), ("set fwd extbuf", "set extbuf mode copy"),
    ("set fwd extbuf", "set extbuf mode attach", "set extbuf-slice 512"),
    ("route add 192.0.2.0/24 port 0", "route add 198.51.100.0/24 port 1", "set fwd l3fwd"),
    ("route add 192.0.2.0/24 port 0", "route add 198.51.100.0/24 port 0", "set fwd ring_pipeline", "set pipeline stage l3fwd")],
    ids=lambda setup: " ".join(setup[-2:]))
def test_what_did_not_leave_is_lost(binary, tmp_path, setup):
    """An engine that sends what it receives: lost is what came and was not sent, no matter by which of its counters."""
    packets = diverse()
    with Session(binary, pcaps(tmp_path, packets), ["--no-flush-rx"], lcores="0@0,1@0,2@1", memory=["--no-huge", "-m", "256"]) as session:
        session.ok(*setup)
        answer = forwarded(session, 2 * len(packets))
        sent = sum(one["tx"] for one in answer["streams"])
        assert lost_of(answer) == (2 * len(packets) - sent, 2 * len(packets))
        told = session.json_ok("explain drops")
        assert sum(cause["packets"] for cause in told["causes"]) == told["lost"] == 2 * len(packets) - sent
        if setup[-1] != "set fwd io":
            session.json_ok("set fwd io")


@pytest.mark.parametrize("engine", SINKS)
def test_sinks_lose_nothing(binary, tmp_path, engine):
    """What an engine takes out on purpose is no loss."""
    packets = diverse()
    with Session(binary, pcaps(tmp_path, packets), ["--no-flush-rx"]) as session:
        session.ok(f"set fwd {engine}")
        answer = forwarded(session, 2 * len(packets))
        assert sum(one["absorbed"] for one in answer["streams"]) > 0
        lost = sum(one["tx_dropped"] for one in answer["streams"])
        assert lost_of(answer)[0] == lost and (lost == 0 or engine == "flowgen")


@needs_model_nic
def test_nothing_is_missed_where_nobody_receives(binary, tmp_path):
    """Ports drop what comes while txonly sends: it never asked for it."""
    with Modelled(binary, "xl710,flows=64,rate=1000000*2", tmp_path) as session:
        session.ok("set fwd txonly")
        session.cmd("set output json")
        session.json_ok("start")
        wait_until(lambda: sum(port["rx_missed"] for port in session.json_ok("show fwd stats all")["ports"]) > 0, "missed packets")
        answer = session.json_ok("stop")
        assert answer["summary"]["lost"] == sum(one["tx_dropped"] for one in answer["streams"]) + sum(port["tx_errors"] for port in answer["ports"])
        assert answer["summary"]["offered"] == sum(one["made"] for one in answer["streams"])


@pytest.mark.parametrize("flush", ["on", "off"])
def test_flushed_packets_are_said(binary, tmp_path, flush):
    """flush_rx discards what waits before a start; the start says how much, and so does explain drops."""
    packets = diverse()
    with Session(binary, pcaps(tmp_path, packets)) as session:
        session.ok(f"set flush_rx {flush}")
        before = len(session.stderr())
        session.cmd("start for 100ms")
        line = f'flush_rx discarded {2 * len(packets)} packets that waited in receive queues; "set flush_rx off" keeps them\n'
        assert (line in session.stderr()[before:]) == (flush == "on")
        text = session.cmd("explain drops")
        assert ("No packet was lost" in text) == (flush == "off")
        assert text.count(f": {len(packets)} packets discarded before the run, because flush_rx") == (2 if flush == "on" else 0)
        session.cmd("set output json")
        assert session.json_ok("start for 10ms")["start"]["flushed"] == 0  # of this start, not of the one before
