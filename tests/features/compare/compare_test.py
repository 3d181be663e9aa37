# SPDX-License-Identifier: BSD-3-Clause
"""compare: which runs there are, with which ports, what the table makes of them, and that everything is as before afterwards."""
import math
import os
import re
import signal
import statistics

import pytest
import zcfwd

from modelled import Modelled, needs_model_nic
from neighbour import LCORES, neighbour
from packets import write_pcap
from package import answer_of, started
from recorded import lines, of_type
from session import PROMPT, Session, lcore_args, wait_until

pytestmark = pytest.mark.zcfwd
CTRL_C = "\x03"


@pytest.fixture(name="z")
def fixture_z(binary):
    with started(binary) as z:
        yield z


def chosen(ask):
    """What a start would take. ask: returns the answer of a command."""
    settings = {one["name"]: one["value"] for one in ask("show settings")["settings"]}
    return settings, [line for line in ask("show config fwd").items() if line[0] not in ("time", "command")]


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
def test_figures(z, runs):
    """Medians, intervals and ratios are those of the runs beside them; settings and engine are as before."""
    for line in ("set fwd macswap", "set burst 16", "set record-core-cycles on"):
        z.command(line)
    before = chosen(z.command)
    answer = z.command(f"compare burst=8,64 engines=io,mac for 10ms runs {runs}")
    assert chosen(z.command) == before
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
    with started(binary, lcores=lcore_args(LCORES)[1]) as z, neighbour():
        answer = wait_until(lambda: all_lost(z.command("compare burst=8 for 100ms runs 4")), "a comparison in which each run lost its CPU", 60)
        (row,) = answer["combinations"]
        assert row["runs"] == 4 and all(one["in_median"] for one in row["each"])
        wait_until(lambda: re.search(r"(?m)^  8     in 4 of 4 runs an lcore lost its CPU; too few others remain, so all count: lcore 1 had its CPU for \d+ % of run [1-4] \(",
                                     z.text("compare burst=8 for 100ms runs 4")), "its text", 60)


def all_lost(answer):
    return answer if all(one["cpu_share"] < 0.9 for one in answer["combinations"][0]["each"]) else None


def test_packets(z):
    """Runs of so many packets, exactly so where the engine makes them."""
    answer = z.command("compare engines=txonly,io for 3000packets runs 3")
    made, forwarded = answer["combinations"]
    assert answer["packets"] == 3000 and [one["packets"] for one in made["each"]] == [3000] * 3
    assert all(3000 <= one["packets"] <= 3000 + 2 * 32 for one in forwarded["each"])


def test_interleaved_and_recorded(z, tmp_path):
    """Rounds go from the first combination to the last and back; each begin line tells which it is, with settings that fit."""
    path = tmp_path / "r"
    z.command(f"record start {path} every 5")
    z.command("start for 5ms")
    for _ in range(2):
        z.command("compare burst=4,8 engines=mac,io for 10ms runs 3")
    z.command("record stop")
    plain, *begins = of_type(lines(path), "begin")
    assert "compare" not in plain and plain["sends_packets"] and len(begins) == 24
    expected = [(4, "mac"), (4, "io"), (8, "mac"), (8, "io")]
    for place, line in enumerate(begins):
        told = line["compare"]
        turn = place % 4 if place // 4 % 3 % 2 == 0 else 3 - place % 4
        assert told == {"comparison": 1 + place // 12, "round": 1 + place % 12 // 4, "combination": turn, "names": ["burst", "engine"],
                        "values": [str(expected[turn][0]), expected[turn][1]]}
        assert (line["settings"]["burst"], line["engine"]) == expected[turn]
    assert not any("cut" in line for line in of_type(lines(path), "end"))


def test_left_out(binary):
    """What cannot start is named with the reason; the others run, and ratios are to the first that does."""
    with started(binary, options=["--rxq=0", "--txq=1"]) as z:
        text = z.text("compare engines=io,txonly burst=8,16 for 5ms runs 2")
        assert len(re.findall(r"(?m)^  txonly (8 |16)    +2 ", text)) == 2, text
        assert len(re.findall(r"(?m)^  io     (8 |16)    left out: Either rxq or txq are 0, cannot use io fwd mode$", text)) == 2, text
        before = chosen(z.command)
        answer = z.command("compare engines=io,txonly burst=8,16 for 5ms runs 2")
        assert [row["runs"] for row in answer["combinations"]] == [0, 0, 2, 2] and answer["first"] == 2
        assert answer["combinations"][1]["left_out"] == "Either rxq or txq are 0, cannot use io fwd mode"
        assert answer["combinations"][2]["ratio"] == 1 and answer["combinations"][0]["ratio"] is None
        refused = answer_of(z, "compare engines=io,mac burst=8 for 5ms")
        assert not refused["ok"] and refused["error"]["message"] == "no combination can start: Either rxq or txq are 0, cannot use io fwd mode"
        assert chosen(z.command) == before


CARDS = "xl710,flows=64*2;82599,flows=64*2"


def rings(session):
    """What the ports' queues were set up with, and which of them are stopped."""
    return [session.json_ok(f"show {way} info {port} 0") for port in range(4) for way in ("rxq", "txq")]


def same(told):
    return [{key: value for key, value in one.items() if key not in ("time", "command")} for one in told]


@pytest.fixture(name="cards")
def fixture_cards(binary, tmp_path):
    with Modelled(binary, CARDS, tmp_path, lcores="(0-2)@0-1") as session:
        session.cmd("set output json")
        yield session


@needs_model_nic
def test_ports(cards, tmp_path):
    """Ports are restarted between runs: each run has the queues and rings of its combination, and afterwards ports are as before."""
    path = tmp_path / "r"
    for line in ("set portlist 0,1", "port stop all", "port config all txfreet 40", "port start all", "port stop 3"):
        cards.json_ok(line)
    before, queues = chosen(cards.json_ok), same(rings(cards))
    cards.json_ok(f"record start {path} every 5")
    answer = cards.json_ok("compare rxd=256,2048 queues=1,2 txfreet=driver,64 for 10ms runs 2")
    cards.json_ok("record stop")
    assert chosen(cards.json_ok) == before and same(rings(cards)) == queues
    assert "warnings" not in cards.json_ok("port start 3")  # that it is not stopped
    rows = [row["values"] for row in answer["combinations"]]
    assert rows == [{"rxd": rxd, "queues": n, "txfreet": word} for rxd in (256, 2048) for n in (1, 2) for word in ("driver", 64)]
    assert all(row["runs"] == 2 and row["left_out"] is None and row["warning"] is None for row in answer["combinations"])
    found = lines(path)
    begins, ends = of_type(found, "begin"), of_type(found, "end")
    assert len(begins) == len(ends) == 16
    for begin, end in zip(begins, ends):
        rxd, n, word = begin["compare"]["values"]
        assert begin["compare"]["names"] == ["rxd", "queues", "txfreet"] and begin["settings"]["txfreet"] == word
        assert len(begin["streams"]) == 2 * int(n) and [port["rx_queues"] for port in begin["ports"][:2]] == [int(n)] * 2
        used = sum(pool["size"] - pool["available"] for pool in end["pools"])
        # The rings of three started ports are full; a ring of 2048 would hold more than all of 256.
        assert used >= 3 * int(rxd) * int(n) and (used < 3 * 2048 or rxd == "2048"), (begin["compare"], used)


@needs_model_nic
def test_stopped_queue(binary, tmp_path):
    """A queue that was stopped is so in each run and afterwards."""
    path = tmp_path / "r"
    with Modelled(binary, "xl710,flows=64*2", tmp_path, ["--rxq=2", "--txq=2"]) as session:
        session.ok("port 0 rxq 1 stop", f"record start {path} every 5", "compare rxd=256,512 for 5ms runs 2", "start for 5ms", "record stop")
    assert [len(begin["streams"]) for begin in of_type(lines(path), "begin")] == [3] * 5


@needs_model_nic
def test_ports_left_out(binary, tmp_path):
    """Rings that the pool cannot fill: the combination is named, the others run, and the ports are started again."""
    with Modelled(binary, "xl710,flows=64*2", tmp_path, ["--rxd=128", "--txd=128"], mbufs=2000) as session:
        session.cmd("set output json")
        answer = session.json_ok("compare rxd=256,4096,128 for 5ms runs 2")
        first, large, last = answer["combinations"]
        assert (first["runs"], large["runs"], last["runs"]) == (2, 0, 2), answer
        assert large["left_out"].startswith("Fail to start port 0: its receive rings and those of started ports need 4096 buffers and pool "), large
        assert session.json_ok("start for 5ms")["engine"] == "io"
        answer = session.json_ok("compare rxd=1024,128 for 5ms runs 1")
        assert answer["combinations"][0]["left_out"].startswith("Fail to start port 1: its receive rings"), answer
        answer = session.json_ok("compare rxd=4096,128 engines=io,mac for 5ms runs 1")
        assert [(row["left_out"] or "ran")[:20] for row in answer["combinations"]] == ["Fail to start port 0"] * 2 + ["ran"] * 2, answer
        refused = session.json("compare rxd=4096 for 5ms runs 1")
        assert not refused["ok"] and refused["error"]["message"].startswith("no combination can start: Fail to start port 0")
        assert session.json_ok("start for 5ms")["engine"] == "io"
        answer = session.json_ok("compare rxd=768,128 for 5ms runs 1")
        assert answer["combinations"][0]["warning"].startswith("Pool mb_pool_0 has 2000 buffers; the receive rings of all ports need"), answer
        session.cmd("set output text")
        assert re.search(r"(?m)^  768 warning: Pool mb_pool_0 has 2000 buffers", session.cmd("compare rxd=768,128 for 5ms runs 1"))
        assert re.search(r"(?m)^  4096 left out: Fail to start port 0", session.cmd("compare rxd=4096,128 for 5ms runs 1"))


def test_port_fails(binary, tmp_path):
    """A port that starts no more: the error says so, and the runs before it are in the answer."""
    path = tmp_path / "in"
    write_pcap(path, [bytes(60)] * 10)
    with started(binary, ports=["net_null0", f"net_pcap0,rx_pcap={path},tx_pcap={tmp_path}/out"]) as z:
        with pytest.raises(zcfwd.CommandError, match="cannot start ports after the comparison: Fail to start port 1: ") as caught:
            with z.events("compare rxd=256,512 for 20ms runs 6") as events:
                for event in events:
                    if event.name == "progress" and event.data["run"] == 4:
                        path.unlink()
        rows = caught.value.answer["combinations"]
        assert [0 < row["runs"] < 6 for row in rows] == [True, True] and rows[0]["left_out"].startswith("Fail to start port 1"), rows


@needs_model_nic
def test_drivers_and_cores(cards, tmp_path):
    """A driver's runs have its ports, and a number of lcores that many."""
    path = tmp_path / "r"
    cards.json_ok("set portlist 2,0,3,1")
    before = chosen(cards.json_ok)
    cards.json_ok(f"record start {path} every 5")
    answer = cards.json_ok("compare drivers=net_i40e,net_ixgbe cores=1,2 for 10ms runs 2")
    cards.json_ok("record stop")
    assert chosen(cards.json_ok) == before
    assert [row["values"] for row in answer["combinations"]] == [{"driver": driver, "cores": n} for driver in ("net_i40e", "net_ixgbe") for n in (1, 2)]
    for begin in of_type(lines(path), "begin"):
        driver, n = begin["compare"]["values"]
        assert {one["rx_port"] for one in begin["streams"]} == ({0, 1} if driver == "net_i40e" else {2, 3})
        assert len({one["lcore"] for one in begin["streams"]}) == int(n)


@needs_model_nic
@pytest.mark.parametrize("words, column, word, message", [
    ("rxd=256,70000", 17, "70000", r"descriptors 70000: expected 0..65535 or .auto."),
    ("rxd=256,4097", 17, "4097", r"Fail: input rxd \(4097\) can't be greater than max_rxds \(4096\) of port 0"),
    ("burst=8 txd=auto,33", 26, "33", r"Fail: input txd \(33\) can't be less than min_txds \(64\) of port 0"),
    ("rxq=65", 13, "65", r"Fail: input rxq \(65\) can't be greater than max_rx_queues \(64\) of port 0"),
    ("queues=0", 16, "0", r"queues 0: expected 1..\d+"),
    ("queues=two", 16, "two", r"queues .two.: expected a number"),
    ("cores=1,3", 17, "3", r"cores 3: this program has 2 forwarding lcores: start it with more in -l"),
    ("cores=0", 15, "0", r"cores 0: expected 1..2"),
    ("drivers=net_i40e,mlx5", 26, "mlx5", r"unknown driver .mlx5.: expected net_i40e or net_ixgbe"),
    ("rxpt=256", 14, "256", r"threshold 256: expected 0..255 or .driver."),
    ("queues=1,2 rxq=1", 20, "rxq=1", r"this list and queues change the same setting.*"),
    ("rxq=1 queues=1,2", 15, "queues=1,2", r"this list and rxq change the same setting.*"),
    ("cores=1 cores=2", 17, "cores=2", r"this list is given twice.*"),
    ("mbuf-size=2048", 9, "mbuf-size", r"mbuf-size: cannot be compared, because it is set up once, when the program starts.*"),
])
def test_impossible_values(cards, words, column, word, message):
    """Refused with the place in the line, before anything runs or a port stops."""
    answer = cards.json(f"compare {words} for 100s")
    assert not answer["ok"] and re.fullmatch(r"(column \d+: )?" + message, answer["error"]["message"]), answer
    assert (answer["error"]["column"], answer["error"]["word"]) == (column, word), answer


@needs_model_nic
def test_ring_of_one_queue(cards):
    """A queue's own ring would be lost: the list is refused, with what to do."""
    for line in ("port stop all", "port config 0 rxq 0 ring_size 512", "port start all"):
        cards.json_ok(line)
    answer = cards.json("compare rxd=256,512 for 5ms")
    assert not answer["ok"] and "port 0 rxq 0 has a ring_size of its own" in answer["error"]["message"], answer
    assert cards.json_ok("compare txd=256,512 for 5ms runs 1")["combinations"][0]["runs"] == 1


@needs_model_nic
def test_key_with_ports(binary, tmp_path):
    """^C between restarts of ports: these are as before and started. The time left is on the line of progress."""
    with Modelled(binary, "xl710,flows=64*2", tmp_path, ["--rxd=128"], pty=True) as session:
        session.send("compare rxd=256,512 queues=1,2 for 200ms runs 500\n")
        session.expect(r"compare: run 1 of 2000, about 7 min left")
        session.expect(r"compare: run 4 of 2000, about \d+ min left")
        session.send(CTRL_C)
        text = session.expect(PROMPT)
        assert "Stopped by a signal" in text and re.search(r"(?m)^ +256 +1 +1 ", text), text
        assert re.search(r"Number of RXDs: 128\b", session.cmd("show rxq info 0 0"))
        assert "RX queue number: 1" in session.cmd("show config rxtx")
        session.ok("start", "stop")
        assert session.quit()[1] == 0


def test_events(z):
    """Who asks for events gets one before each run, with the time left; ports that restart print nothing between."""
    *events, last = z.events("compare rxd=128,256 for 20ms runs 3")
    assert [row["runs"] for row in last.data["combinations"]] == [3, 3], last
    assert [(one.name, one.data["run"], one.data["runs"]) for one in events] == [("progress", run, 6) for run in range(1, 7)]
    left = [one.data["seconds_left"] for one in events]
    assert left[0] == pytest.approx(6 * 0.02) and all(0 < one < 60 for one in left), left
    assert "messages" not in last.data and "warnings" not in last.data


def test_while_forwarding(z):
    z.start()
    answer = answer_of(z, "compare burst=8,16")
    assert not answer["ok"] and "stop forwarding first" in answer["error"]["message"]
    z.stop()


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


@pytest.mark.parametrize("columns", [20, 1])
def test_narrow(binary, columns):
    """The line of progress fits into a narrow terminal: one that wraps could not be overwritten."""
    with Session(binary, pty=True) as session:
        session.child.setwinsize(5, columns)
        session.send("compare burst=8,64 for 20ms runs 3\n")
        text = session.expect(PROMPT)
        parts = [one for one in text[:text.index("2 combinations")].split("\r") if not one.startswith("\n")][1:]
        assert len(parts) >= 6 and all(len(one) < columns for one in parts), parts
        assert columns == 1 or "compare: run 1 of 6" in parts, parts


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
                              ("compare recycle-layouts=table,ch", "recycle-layouts=table,check"), ("compare burst=8 fo", "for"),
                              ("compare que", "queues="), ("compare drivers=net_n", "drivers=net_null"), ("compare txfr", "txfreet=")):
            session.send(typed + "\t")
            session.expect(re.escape("compare " + wanted if "for" != wanted else "compare burst=8 for"))
            session.send("\x15")
