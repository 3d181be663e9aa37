# SPDX-License-Identifier: BSD-3-Clause
"""Runs that go wrong, each in its own way: what the verdict says, that each packet is in one row of the account, and the exit status."""
import os
import re
import signal

import pytest
import zcfwd

from laws import ROWS, check_account
from modelled import Modelled, needs_model_nic
from package import answer_of, started
from packets import diverse, write_pcap
from recorded import figures, read
from session import Session, run, wait_until
from telemetry import Telemetry

pytestmark = pytest.mark.zcfwd

RINGS = ["net_ring0", "net_ring1"]
WIRE = "xl710,rx=wire:1{0};xl710,rx=wire:0{0}"
CPU = r"(?:; lcore \d+ had its CPU for \d+ % of the run(?: \(\d+ preemptions?\))?)?"  # on a busy machine


def one_run(session, *lines, start="start for 100ms", sent=None, measures=False):
    """Run for a time, or until so many packets were sent. Returns the last answer, in JSON. `explain drops` repeats its account."""
    session.ok("set output json", *lines)
    if sent is None:
        answer = session.json(start)
    else:
        session.json_ok("start")
        wait_until(lambda: sum(s["tx"] for s in session.json_ok("show fwd stats all")["streams"]) >= sent, f"{sent} packets")
        answer = session.json("stop")
    check_account(answer["summary"], measures)
    told = session.json_ok("explain drops")
    assert {row: told[row] for row in ROWS} == {row: answer["summary"][row] for row in ROWS}
    return answer


def says(answer, pattern):
    verdict = answer["summary"]["verdict"]
    assert re.fullmatch(pattern + CPU, verdict), verdict


def test_nothing_went_wrong(binary, tmp_path):
    write_pcap(tmp_path / "in", diverse())
    with Session(binary, [f"net_pcap0,rx_pcap={tmp_path}/in,tx_pcap={tmp_path}/out"], ["--no-flush-rx", "--port-topology=loop"]) as session:
        answer = one_run(session, "set fwd io", start=f"start for {len(diverse())} packets")
        assert answer["ok"] and answer["summary"]["verdict"] is None
        assert answer["summary"]["sent"] == answer["summary"]["asked"] == len(diverse()) and answer["summary"]["lost"] == 0


@pytest.mark.needs("measure")
def test_rate_not_reached(binary):
    """With generate-late 0 nearly every packet is too late."""
    with Session(binary, ["net_ring0"], ["--port-topology=loop"]) as session:
        answer = one_run(session, "set fwd generate", "set generate-rate 1kpps", "set generate-late 0", start="start for 300ms")
        account = answer["summary"]
        says(answer, rf"asked [\d.]+ k?pps, sent [\d.]+ k?pps; {account['unsent']} of {account['asked']} packets were due and not sent")
        assert account["unsent"] > 0 and account["lost"] == 0 and 0 < account["asked"] <= 1000 * account["seconds"] + 1


@pytest.mark.needs("measure")
def test_rows_of_a_run_in_text(binary):
    with Session(binary, ["net_ring0"], ["--port-topology=loop"]) as session:
        session.ok("set fwd generate", "set generate-rate 1kpps", "set generate-late 0")
        text = session.cmd("start for 300ms")
        assert re.search(r"(?m)^  Run: 0\.3\d\d s, \d+ packets sent, [\d.]+ pps, .*loss 0\.0000 %", text), text
        assert re.search(r"(?m)^Verdict: asked [\d.]+ k?pps, sent [\d.]+ k?pps; \d+ of \d+ packets were due and not sent", session.stderr())
        assert re.search(r"(?m)^Engine generate: \d+ packets were due and not sent in time", session.cmd("explain drops"))


@pytest.mark.needs("replay")
@pytest.mark.parametrize("late, ends", [("", 0), ("set generate-late 0\n", 1)], ids=["late but sent", "left out"])
def test_replay_in_a_script(binary, tmp_path, late, ends):
    """Packets of recorded times are sent however late they are; a replay that leaves some out fails a script."""
    packets = diverse()
    write_pcap(tmp_path / "in", packets)  # a second apart
    (tmp_path / "script").write_text(f"set fwd replay\nset replay {tmp_path}/in\nset replay-rate 10000x\n{late}start until done\nset burst 7\n", encoding="ascii")
    done = run(binary, "", vdevs=["net_null0"], args=["--port-topology=loop", f"--cmdline-file={tmp_path}/script"], ends=ends)
    assert ("set to 7" in done.stdout) == (ends == 0)
    n = len(packets)
    failed = re.search(rf"script:{5 if late else 4}: engine replay sent (\d+) of {n} packets: (\d+) were not sent in time, 0 were refused by ports", done.stderr)
    assert bool(failed) == (ends == 1), done.stderr
    assert not failed or sum(map(int, failed.groups())) == n


def test_refused(binary):
    with Session(binary, ["net_ring0"], ["--port-topology=loop"]) as session:
        answer = one_run(session, "set fwd txonly")
        account = answer["summary"]
        says(answer, rf"{account['refused']} of {account['offered']} packets were lost \({account['refused']} refused by ports\)")
        assert account["lost"] == account["refused"] > 0


@needs_model_nic
@pytest.mark.parametrize("devices, lines, row, words", [
    ("xl710,flows=4,rate=100000;xl710,rx=none", ("set fwd io",), "missed", "missed by ports"),
    ("xl710,rx=pcap:{0}/in;xl710,rx=none", ("route add 192.0.2.0/24 port 1", "set fwd l3fwd"), "dropped", "dropped by the engine")],
    ids=["missed", "dropped"])
def test_lost(binary, tmp_path, devices, lines, row, words):
    write_pcap(tmp_path / "in", diverse())
    with Modelled(binary, devices.format(tmp_path), tmp_path, ["--disable-device-start"] if "pcap" in devices else []) as session:
        session.ok("set output json", *lines)
        if "pcap" in devices:
            session.json_ok("port start all")
        session.json_ok("start")
        if row == "missed":
            session.fault(0, "starve rx 200")
        wait_until(lambda: session.json_ok("explain drops")[row] > 0, f"packets {words}")
        answer = session.json_ok("stop")
        account = answer["summary"]
        check_account(account)
        assert account["lost"] >= account[row] > 0
        assert f"{account['lost']} of {account['offered']} packets were lost (" in account["verdict"] and f"{account[row]} {words}" in account["verdict"]


@pytest.mark.needs("measure")
@needs_model_nic
def test_lost_on_the_way(binary, tmp_path):
    """A wire that loses every fourth packet: each sink says so."""
    with Modelled(binary, WIRE.format(",loss=4"), tmp_path) as session:
        answer = one_run(session, "set fwd measure", "set generate-rate 20kpps", start="start for 1000 packets", measures=True)
        account = answer["summary"]
        lost = sum(row["lost"] for row in session.json_ok("show measure")["streams"])
        assert answer["ok"] and account["sent"] == 1000 and account["lost"] == lost >= 248
        assert f"{lost} of 1000 packets were lost (" in account["verdict"] and f"{account['lost_on_the_way']} lost on the way)" in account["verdict"]
        with Telemetry(session) as telemetry:
            assert telemetry.ask("/zcfwd/engine")["lost"] == lost


@pytest.mark.needs("measure")
@needs_model_nic
def test_without_a_wire(binary, tmp_path):
    """The generator of a modelled card sends its own packets: a result of engine measure is none."""
    with Modelled(binary, "xl710,flows=64*2", tmp_path) as session:
        answer = one_run(session, "set fwd measure", "set generate-rate 20kpps", measures=True)
        assert not answer["ok"] and "the run is not valid" in answer["summary"]["verdict"]
        assert re.match(r"engine measure sent \d+ packets and received \d+ (packets of another source|of them): ", answer["error"]["message"])
        rows = session.json_ok("show measure")["streams"]
        assert all(row["lost"] is None or row["lost"] <= row["sent"] for row in rows)


@pytest.mark.needs("measure")
def test_packets_that_return_twice(binary):
    """More intact packets than were sent: two streams receive each of them, so nothing is known about a loss."""
    with started(binary, ports=RINGS) as z:
        for line in ("port mirror 1 0", "set fwd measure", "set generate-rate 10kpps", "set generate port 0 flows 0 port 1 flows 4"):
            z.command(line)
        answer = answer_of(z, "start for 200 packets")
        check_account(answer["summary"], True)
        assert answer["summary"]["lost"] is None and answer["summary"]["loss_fraction"] is None
        assert re.match(r"engine measure sent 200 packets and received 400 of them: ", answer["error"]["message"]), answer["error"]


def test_cut(binary):
    """A signal ends a run of a number of packets early: it failed."""
    with Session(binary) as session:
        session.send("start for 1000000000000 packets\n")
        session.expect("TX RS bit threshold=0")
        os.kill(session.pid, signal.SIGINT)
        session.expect("Done\\.")
        wait_until(lambda: re.search(r"(?m)^engine io received \d+ of 1000000000000 packets, then a signal ended the run", session.stderr()), "the error")


@pytest.mark.needs("measure")
def test_refused_start_changes_nothing(binary):
    """The statistics of the last run, and what its ports counted, are those from before the refused start. No mbuf stays with its streams."""
    with started(binary, memory_mib=512) as z:
        assert z.forward("io", seconds=0.05).received > 0
        before = z.command("show fwd stats all")
        z.command("set generate flows 600000 src 10.0.0.0/8 random")
        with pytest.raises(zcfwd.CommandError, match="too many flows"):
            z.start("measure")
        after = z.command("show fwd stats all")
        for answer in (before, after):
            del answer["settings"], answer["time"]
        assert after == before
        assert sum(pool["in_use"] for pool in z.command("show pool")["pools"]) == 0
        z.forward("io", seconds=0.01)


def test_bytes_of_tx_first(binary):
    """What start tx_first sends is in every counter of the run, its bytes too."""
    with started(binary, ports=RINGS, options=["--record-bytes", "--record-burst-stats"]) as z:
        z.command("start tx_first 10")
        wait_until(lambda: min(s["rx"] for s in z.command("show fwd stats all")["streams"]) >= 320, "packets")
        for stream in z.command("stop")["streams"]:
            assert stream["made"] == 320 and stream["tx_bytes"] == 64 * stream["tx"] and stream["rx_bytes"] == 64 * stream["rx"]
        bursts = z.command("show fwd bursts")["streams"]
        assert all(row["tx_bursts"]["packets"] == s["tx"] for row, s in zip(bursts, z.command("show fwd stats all")["streams"]))


def test_named_counters_of_tx_first(binary):
    """The counters of the engine's own, too, if it is the one that sends first."""
    with started(binary, ports=RINGS, options=["--txtimes=100,100", "--forward-mode=txonly"]) as z:
        z.command("start tx_first 10")
        assert all(stream.counters["untimed"] == stream.made >= 320 for stream in z.stop().streams)


@pytest.mark.needs("measure")
@needs_model_nic
def test_recorded(binary, tmp_path):
    """The report has the account of a run of engine measure, and the length that the run's line has."""
    with Modelled(binary, WIRE.format(",loss=4"), tmp_path) as session:
        session.ok(f"record start {tmp_path}/r.jsonl every 20")
        account = one_run(session, "set fwd measure", "set generate-rate 20kpps", "set generate-late 0", sent=16, measures=True)["summary"]
        session.json_ok("record stop")
    recording = read.recording(str(tmp_path / "r.jsonl"))
    one = figures.of_run(recording, recording.runs[0])
    assert {row: one[row] for row in ("offered", "unsent", "lost")} == {row: account[row] for row in ("offered", "unsent", "lost")}
    assert account["lost"] > 0 and account["unsent"] > 0 and one["loss"] == account["loss_fraction"]
    assert one["drops"]["lost_on_the_way"] == account["lost_on_the_way"]
    assert one["seconds"] == pytest.approx(account["seconds"], abs=1e-6)


@pytest.mark.needs("compare")
@pytest.mark.needs("measure")
def test_compared(binary):
    with Session(binary, ["net_ring0"], ["--port-topology=loop"]) as session:
        session.ok("set generate-rate 1kpps", "set generate-late 0")
        text = session.cmd("compare engines=generate for 50ms runs 2")
        assert re.search(r"(?m)^ *generate \d+ of \d+ packets were due and not sent$", text), text
