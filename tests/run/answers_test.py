# SPDX-License-Identifier: BSD-3-Clause
"""What a run's answer adds to testpmd's: a line, a summary, where packets were lost; and JSON that programs can rely on."""
import datetime
import json
import re

import pytest

from answered import numbers
from modelled import Modelled, dpdk_release, needs_model_nic
from session import Session, wait_until
from stats import blocks, port_stats

pytestmark = pytest.mark.zcfwd

RING = 1023  # packets that a net_ring takes


def check_sums(summary, ports, frame):
    """From the numbers that the ports gave, beside it in the same answer."""
    assert summary["packets_per_second"] == pytest.approx(summary["packets"] / summary["seconds"])
    assert summary["l2_bits_per_second"] == pytest.approx(8 * frame * summary["packets_per_second"])
    assert summary["l1_bits_per_second"] == pytest.approx(8 * (frame + 24) * summary["packets_per_second"])
    assert summary["line_rate_fraction"] == pytest.approx(summary["l1_bits_per_second"] / 80e9)
    assert summary["lost"] == sum(port["rx_missed"] + port["tx_dropped"] for port in ports)
    assert summary["loss_fraction"] == pytest.approx(summary["lost"] / summary["offered"])


@needs_model_nic
def test_summary(binary, tmp_path):
    """Two ports of 40 Gb/s; every packet has 60 bytes without its checksum."""
    with Modelled(binary, "xl710,flows=64*2", tmp_path) as session:
        session.ok("set fwd mac", "set record-core-cycles on")
        text = session.cmd("start for 300ms")
        seconds, packets, mpps, l2, l1, share, loss, cycles = numbers(text)
        assert seconds >= 0.3 and packets >= blocks(text)["total"]["TX-packets"] > 0 and text.endswith("\n\nDone.\n")
        assert mpps == pytest.approx(packets / seconds / 1e6, rel=1e-2) and l2 < l1 and share == pytest.approx(l1 / 80 * 100, abs=0.051)  # of two roundings
        assert cycles > 1 and 0 <= loss <= 100
        session.cmd("set output json")
        answer = session.json_ok("start for 200ms")
        frame = answer["ports"][0]["tx_bytes"] / answer["ports"][0]["tx_packets"]
        check_sums(answer["summary"], answer["ports"], frame)
        assert answer["summary"]["cycles_per_packet"] == answer["total"]["cycles_per_packet"]


def test_line_where_nobody_parses(binary):
    """stop is testpmd's unless asked; start for is ours."""
    with Session(binary) as session:
        session.ok("start")
        assert "Run:" not in session.cmd("show fwd stats all") + session.cmd("stop")
        rates = numbers(session.cmd("start for 50ms"))[3:6]
        assert (rates == [None] * 3) == (dpdk_release() < "25.07")  # net_null counted no bytes before
        session.ok("set run-summary on", "start")
        assert "Run:" not in session.cmd("show fwd stats all")
        assert numbers(session.cmd("stop"))[7] is None
        session.ok("set fwd rxonly", "set record-core-cycles on")
        text = session.cmd("start for 50ms")
        assert numbers(text)[1] == blocks(text)["total"]["RX-packets"] and numbers(text)[7] > 0


def test_cycles_of_their_own_part(binary):
    """Counted from the middle of the run on, they are divided by the packets of that part."""
    with Session(binary) as session:
        session.ok("start", "watch show config cores every 0.3 count 2", "set record-core-cycles on",
                   "watch show config cores every 0.1 count 2")
        session.cmd("set output json")
        answer = session.json_ok("stop")
        cycles = sum(stream["busy_cycles"] for stream in answer["streams"])
        assert answer["summary"]["cycles_per_packet"] > 2 * cycles / answer["summary"]["packets"]
        # Packets after the count ended have no cycles: no figure is better than a wrong one.
        session.json_ok("start")
        session.json_ok("set record-core-cycles off")
        answer = session.json_ok("stop")
        assert answer["streams"][0]["busy_cycles"] > 0 and answer["summary"]["cycles_per_packet"] is None


def test_drops_are_explained(binary):
    """Rings that nobody empties take 1023 packets each."""
    with Session(binary, vdevs=("net_ring0", "net_ring1")) as session:
        session.cmd("explain drops")
        assert session.stderr().endswith("no statistics: forwarding was never started\n")
        session.ok("set fwd txonly", "start")
        wait_until(lambda: all(blocks(session.cmd("show fwd stats all"))[port]["TX-dropped"] > 0 for port in (0, 1)), "full rings")
        session.ok("stop")
        text = session.cmd("explain drops")
        assert len(re.findall(r"(?m)^Port [01]: \d+ packets refused by the port: link is up, speed 10 Gbps.*retry", text)) == 2, text
        session.cmd("set output json")
        causes = session.json_ok("explain drops")["causes"]
        assert [(cause["port"], cause["cause"]) for cause in causes] == [(0, "tx_dropped"), (1, "tx_dropped")]
        stats = session.json_ok("show fwd stats all")
        assert [cause["packets"] for cause in causes] == [port["tx_dropped"] for port in stats["ports"]]
        session.json_ok("set fwd rxonly")
        assert session.json_ok("start for 50ms")["start"]["flushed"] == 2 * RING
        answer = session.json_ok("explain drops")
        assert [(cause["port"], cause["cause"], cause["packets"]) for cause in answer["causes"]] == [(0, "flushed", RING), (1, "flushed", RING)]
        assert (answer["lost"], answer["offered"]) == (0, 0)
        assert session.json_ok("start for 50ms")["start"]["flushed"] == 0
        answer = session.json_ok("explain drops")
        assert answer["causes"] == [] and answer["messages"] == ["No packet was lost in this run"]


@needs_model_nic
@pytest.mark.parametrize("queues", [1, 4])
def test_missed_packets_are_explained(binary, tmp_path, queues):
    """A card that gives nothing to its driver for a while, though packets come. All queues of a port are busy for no longer than their lcore."""
    with Modelled(binary, "xl710,flows=64,rate=1000000*2", tmp_path, [f"--rxq={queues}", f"--txq={queues}", "--nb-cores=1"]) as session:
        session.ok("set record-core-cycles on", "start")
        session.fault(0, "starve rx 200")
        wait_until(lambda: port_stats(session, 0)["RX-missed"] > 0, "missed packets")
        session.ok("set run-summary on")
        assert numbers(session.cmd("stop"))[6] > 0
        text = session.cmd("explain drops")
        found = re.search(r"(?m)^Port 0: \d+ packets missed because no Rx descriptor was free: lcore \d+ was busy (\d+) % of the time; "
                          r"(use more lcores|lcore \d+ had its CPU for \d+ % .*; give the lcore a CPU)", text)
        assert found and int(found[1]) <= 100, text


@needs_model_nic
def test_empty_pools_are_explained(binary, tmp_path):
    """Buffers that an engine keeps are nobody's to receive into."""
    with Modelled(binary, "82599,flows=64*2", tmp_path, ["--mbcache=0"], mbufs=2500) as session:
        session.ok("set fwd noisy", "set noisy-tx-sw-buffer-size 2000", "start for 200ms")
        text = session.cmd("explain drops")
        assert re.search(r"(?m)^Port \d: \d+ receive failures because the pool was empty: pool mb_pool_0 now has \d+ of 2500 mbufs free", text), text


def members(value, path=""):
    """Every member of objects and arrays: its path, key, siblings, value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield path, key, value, inner
            yield from members(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from members(inner, path + "[]")


def test_json_says_each_thing_once(binary):
    """No key that was taken already, a time in each answer, and no warning where nothing is wrong."""
    with Session(binary, args=["--output=json"], interactive=False) as session:
        session.send("\n")
        assert '"warnings"' not in session.finish()[0]
    with Session(binary) as session:
        session.cmd("set output json")
        for line in ("start", "set fwd mac", "show fwd stats all", "show config fwd", "show config rxtx", "stop", "start for 10ms",
                     "help io", "help burst", "show settings changed", "explain drops", "show port info all"):
            session.send(line + "\n")
            answer = json.loads(session.expect(r"\r*\n"))
            assert answer["ok"] and answer["command"] == line and "warnings" not in answer, answer
            assert abs(datetime.datetime.fromisoformat(answer["time"].replace("Z", "+00:00")).timestamp() - datetime.datetime.now().timestamp()) < 3600
            doubled = [(path, key) for path, key, siblings, _ in members(answer)
                       if re.fullmatch(r".*_[2-9]", key) and key[:-2] in siblings]
            assert not doubled, (line, doubled)


SHOWN = ("show port info all", "show port stats all", "show port xstats all", "show port summary all", "show config rxtx", "show config fwd", "show config cores",
         "show fwd stats all", "show fwd bursts", "show fwd counters", "show pool", "show mempool", "show settings", "show record", "show recycle", "show route",
         "show rxq info 0 0", "show txq info 0 0", "show port 0 macs", "show port 0 rx_offload capabilities", "show port cap all", "flow list 0",
         "explain drops", "help all", "help burst", "help mbcache", "compare burst=8,16 engines=io,txonly for 5ms runs 2")


def odd(line, answer):
    """Keys that are numbered where an array should be, and numbers that are strings; a release is no number."""
    for path, key, siblings, value in members(answer):
        if re.search(r"_\d+$", key):
            yield line, path, key
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str) and re.fullmatch(r"-?\d+(\.\d+)?", one) and key != "needs" and siblings.get("takes_effect") is None:
                yield line, path, key, one
        if key == "value" and "min" in siblings and not isinstance(value, int):
            yield line, path, key, value


def found_odd(session):
    session.cmd("set output json")
    rows = [row["example"] for row in session.json_ok("help all")["commands"] if "example" in row]
    assert len(rows) > 100
    found = []
    for line in [*(row for row in rows if re.match("(show|help|flow|dump|explain|list|get|read|mempool)", row)), *SHOWN, "set record-core-cycles on",
                 "set record-burst-stats on", "set recycle on", "start for 20ms", *SHOWN, "set fwd ring_pipeline", "start for 20ms", *SHOWN,
                 "set fwd extbuf", "start for 20ms", *SHOWN]:
        found += odd(line, session.json(line))
    return found


def test_json_has_arrays_and_numbers(binary):
    """What all commands that show something answer, before a run and after several."""
    with Session(binary) as session:
        assert found_odd(session) == []


@needs_model_nic
def test_json_of_a_card_has_arrays_and_numbers(binary, tmp_path):
    """The same of a driver that knows more."""
    with Modelled(binary, "xl710,flows=64*2", tmp_path) as session:
        assert found_odd(session) == []


def test_what_was_not_counted(binary):
    """Null in JSON, a dash in text, and never 0; counted and none came is 0."""
    with Session(binary) as session:
        session.ok("set fwd rxonly", "start", "stop")
        text = session.cmd("show fwd counters")
        assert all(re.search(rf"(?m)^  - +{name}$", text) for name in ("busy_cycles", "rx_bytes", "tx_bytes")), text
        session.cmd("set output json")
        for stream in session.json_ok("show fwd counters")["streams"]:
            assert stream["busy_cycles"] is stream["rx_bytes"] is stream["tx_bytes"] is None
        for stream in session.json_ok("show fwd bursts")["streams"]:
            assert stream["rx_bursts"] is stream["tx_bursts"] is None
        for line in ("set record-core-cycles on", "set record-bytes on", "set record-burst-stats on", "start"):
            session.json_ok(line)
        wait_until(lambda: all(one["rx"] for one in session.json_ok("show fwd stats all")["streams"]), "packets")
        for stream in session.json_ok("stop")["streams"]:
            assert stream["busy_cycles"] > 0 and stream["rx_bytes"] > 0 and stream["tx_bytes"] == 0
        for stream in session.json_ok("show fwd bursts")["streams"]:
            assert stream["rx_bursts"]["p50"] > 0 and stream["tx_bursts"]["p50"] is None
        first, second = (session.json_ok("show port stats 0")["ports"][0] for _ in range(2))
        assert first["rx_pps"] is first["tx_bps"] is None and second["rx_pps"] == second["tx_bps"] == 0


def test_nothing_yet_is_no_failure(binary):
    """What there is nothing of yet is shown as none, so that a script goes on."""
    with Session(binary) as session:
        session.cmd("set output json")
        assert session.json_ok("show record")["recording"] is False
        assert session.json_ok("show recycle")["streams"] == [] and session.json_ok("show metrics")["ports"] == []
        session.json_ok("start")
        assert session.json_ok("show recycle")["messages"] == ['io ran without recycling: use "set recycle on" before "start"']


def test_one_result(binary):
    """One line says what a run came to, with what was received and sent; a terminal has no second one."""
    with Session(binary, pty=True) as session:
        text = session.cmd("start for 700ms")
        assert len(re.findall(r"Run: [0-9.]+ s, \d+ packets received, \d+ sent, [0-9.]+ [kM]?pps", text)) == 1, text
        last = text[text.rindex("received,"):]
        assert re.search("[kM]?pps", last) and not re.search(r"\d\.\d{6} s", text), text
        session.ok("set fwd txonly")
        assert re.search(r"Run: [0-9.]+ s, \d+ packets sent, ", session.cmd("start for 50ms"))
        session.ok("set txtimes 1000,10", "start for 50ms")
        assert session.stderr().count("txtimes has no effect on 2 of 2 streams: their ports do not support send-on-timestamp\n") == 1


@needs_model_nic
def test_packets_in_rings_are_not_missing(binary, tmp_path):
    """Packets that a card had received before the start are sent, but not received, by the totals: nothing is missing."""
    with Modelled(binary, "xl710,flows=64,rate=1000000*2", tmp_path) as session:
        wait_until(lambda: port_stats(session, 0)["RX-packets"] > 100, "packets in the ring")
        before = len(session.stderr())
        session.ok("set fwd io", "start")
        wait_until(lambda: blocks(session.cmd("show fwd stats all"))["total"]["TX-packets"] > 10_000, "packets")
        session.cmd("stop")
        assert not re.search(r"(?m)^Ports counted|^Verdict: .*counted", session.stderr()[before:])


@needs_model_nic
def test_frozen_at_the_stop(binary, tmp_path):
    """A port goes on counting after a run; its figures in the run's answers do not change any more."""
    with Modelled(binary, "xl710,flows=64,rate=1000000*2", tmp_path) as session:
        session.cmd("set output json")
        answer = session.json_ok("start for 100ms")
        port = session.json_ok("show port stats 0")["ports"][0]
        wait_until(lambda: session.json_ok("show port stats 0")["ports"][0]["rx_missed"] > port["rx_missed"] + 1000, "missed packets")
        later, told = session.json_ok("show fwd stats all"), session.json_ok("explain drops")
        assert [later[key] for key in ("ports", "total", "summary")] == [answer[key] for key in ("ports", "total", "summary")]
        assert all(told[key] == answer["summary"][key] for key in ("asked", "offered", "missed", "lost"))
        session.json_ok("clear fwd stats all")
        assert all(port[key] == 0 for port in session.json_ok("show fwd stats all")["ports"] for key in ("rx_packets", "rx_missed", "tx_packets"))
