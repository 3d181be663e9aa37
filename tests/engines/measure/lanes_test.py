# SPDX-License-Identifier: BSD-3-Clause
"""Named generate streams from end to end: rates beside each other, ends, changes while they run, loss and latency of each, and what is refused."""
import collections
import statistics

import pytest

from measuring import probe, refused
from modelled import Modelled, needs_model_nic
from packets import read_pcap, write_pcap
from session import Session, wait_until

STREAM = "set generate stream"
PATIENT = "set generate-late 1000000"  # a preempted lcore sends everything later


def shown(session):
    """Each stream's figures by name, and the sums."""
    answer = session.json_ok("show generate streams")
    return {row["name"]: row for row in answer["streams"]}, answer["total"]


def due(row):
    return row["sent"] + row["unsent"] + row["tx_dropped"]


def test_packets(binary, tmp_path):
    """What goes out is what each stream describes, as often as its count says; ports without a stream send nothing."""
    vdevs = []
    for i in (0, 1):
        write_pcap(tmp_path / f"in{i}", [])
        vdevs.append(f"net_pcap{i},rx_pcap={tmp_path}/in{i},tx_pcap={tmp_path}/out{i}")
    with Session(binary, vdevs, ["--no-flush-rx"]) as session:
        session.ok("set output json", "set fwd generate", PATIENT, f"{STREAM} a port 1 rate 20kpps count 600 size 100 flows 3 vlan 5",
                   f"{STREAM} b port 1 rate 10kpps count 240 size imix", f"{STREAM} c port 1 count 50 size 300 proto tcp",
                   f"{STREAM} d port 1 state off", "start")
        wait_until(lambda: all(shown(session)[0][name]["state"] == "done" for name in "abc"), "the end of the streams")
        answer = session.json_ok("stop")
        rows, total = shown(session)
        session.quit()
    assert {name: (row["state"], row["sent"]) for name, row in rows.items()} == {"a": ("done", 600), "b": ("done", 240), "c": ("done", 50), "d": ("off", 0)}
    assert total["sent"] == sum(stream["tx"] for stream in answer["streams"]) == 890
    assert not read_pcap(tmp_path / "out0")
    packets = read_pcap(tmp_path / "out1")
    tagged = [data for data in packets if data[12:16] == bytes.fromhex("81000005")]
    assert [(len(data), probe(data).sequence) for data in tagged] == [(100, n // 3) for n in range(600)]
    assert sum(data[23] == 6 and len(data) == 300 for data in packets if data not in tagged) == 50
    sizes = collections.Counter(len(data) for data in packets)
    assert (sizes[60], sizes[590], sizes[1514]) == (140, 80, 20)


def test_rates(binary):
    """256 streams of four queues: what was due of each is its rate, whoever had the CPU, and the sums are those of the port."""
    with Session(binary, args=["--rxq=2", "--txq=2"]) as session:
        session.ok("set output json", "set fwd generate", *[f"{STREAM} s{i} port {i % 2} rate {1000 + 5 * i} size {64 + i} flows 4" for i in range(256)])
        answer = session.json_ok("start for 1s")
        rows, total = shown(session)
        assert all(rows[f"s{i}"]["asked_pps"] == 1000 + 5 * i for i in range(256))
        for port, queue in ((0, 0), (0, 1), (1, 0), (1, 1)):
            mine = [row for row in rows.values() if (row["port"], row["queue"]) == (port, queue)]
            # The streams of a queue begin when its lcore first polls: later than the run where others have its CPU.
            seconds = statistics.median(due(row) / row["asked_pps"] for row in mine)
            assert answer["summary"]["seconds"] - 0.5 < seconds < answer["summary"]["seconds"] + 0.01
            # Packets of the last millisecond may be under way yet: generate-late.
            assert all(abs(due(row) - row["asked_pps"] * seconds) <= 0.005 * row["asked_pps"] + 2 for row in mine), mine
        assert total["sent"] == sum(stream["tx"] for stream in answer["streams"])
        assert total["unsent"] == sum(stream["counters"]["unsent"] for stream in answer["streams"])
        assert collections.Counter((row["port"], row["queue"]) for row in rows.values()) == {(port, queue): 64 for port in (0, 1) for queue in (0, 1)}


@needs_model_nic
def test_measured(binary, tmp_path):
    """A thin stream beside a load: loss and latency of each; sizes and rates change meanwhile, and no packet seems damaged."""
    with Modelled(binary, "xl710,rx=wire:1;xl710,rx=wire:0,loss=10", tmp_path, ["--rxd=4096"]) as session:
        session.ok("set output json", "set fwd measure retry", "set burst tx delay 100 retry 60000", "set measure-drain 1000", PATIENT,
                   f"{STREAM} thin port 0 rate 1kpps flows 1024 latency on", f"{STREAM} load port 0 rate 10kpps size 200 flows 5",
                   f"{STREAM} back port 1 rate 2kpps size imix", "start")
        wait_until(lambda: shown(session)[0]["load"]["unique"] > 2000, "packets")
        assert shown(session)[0]["load"]["lost"] is None
        session.ok(f"{STREAM} load size 64-300 rate 5kpps", f"{STREAM} back state off", f"{STREAM} thin rate 2kpps")
        rows = shown(session)[0]
        assert rows["load"]["asked_pps"] == 5000 and rows["back"]["state"] == "off"
        wait_until(lambda: shown(session)[0]["thin"]["unique"] > 1500 and shown(session)[0]["load"]["sent"] > rows["load"]["sent"] + 2000, "more packets")
        session.ok(f"{STREAM} load size 128")
        before = shown(session)[0]["load"]["sent"]
        wait_until(lambda: shown(session)[0]["load"]["sent"] > before + 500, "packets of the last size")
        answer = session.json_ok("stop")
        rows, total = shown(session)
        counters = collections.Counter()
        for stream in answer["streams"]:
            counters.update(stream["counters"])
        wire = session.report(1)["wire_lost"]
        flows = session.json_ok("show measure flows")["flows"]
    assert counters["damaged"] == counters["foreign"] == counters["too_old"] == 0, counters
    assert rows["back"]["lost"] == 0 and rows["thin"]["lost"] + rows["load"]["lost"] == wire == total["lost"] > 0
    assert total["sent"] == sum(stream["tx"] for stream in answer["streams"])
    assert total["unique"] == counters["unique"] == total["sent"] - total["lost"]
    assert 0 < rows["thin"]["min_us"] <= rows["thin"]["p50_us"] <= rows["thin"]["p90_us"] <= rows["thin"]["max_us"] * 1.001
    assert rows["load"]["p50_us"] is None and rows["load"]["mean_us"] > 0
    assert sum(row["sent"] for row in flows) == total["sent"] and sum(row["lost"] for row in flows) == wire
    assert len(flows) == 1024 + 5 + 1


REFUSED = [
    ("a rate 5", "EINVAL", 'generate stream a: new: expected "port N"'),
    ("a port 7 rate 5", "ENODEV", "port 7: no such port"),
    ("a port 0 rate 5zpps", "EINVAL", 'rate "5zpps": expected max'),
    ("a port 0 rate 5 rate 6", "EINVAL", "rate: given twice"),
    ("a port 0 size 59", "ERANGE", "size 59: expected at least 60 bytes"),
    ("a/b port 0", "EINVAL", 'stream name "a/b"'),
    ("all port 0", "EINVAL", 'stream name "all"'),
]


def test_refused(binary):
    """A bad line names its word, and leaves the streams as they were."""
    with Session(binary) as session:
        session.ok("set output json")
        assert session.json("show generate streams")["error"]["code"] == "ENOENT"
        for line, code, said in REFUSED:
            error = session.json(f"{STREAM} {line}")["error"]
            assert error["code"] == code and said in error["message"] and error["column"] >= 20, error
        assert session.json("clear generate stream a")["error"]["code"] == "ENOENT"
        assert "set generate stream NAME WORDS" in session.json(STREAM)["error"]["message"]
        session.ok(f"{STREAM} a port 0 rate 101Gbps", "set fwd generate")
        if not session.json("start")["ok"]:  # where the port has a speed
            assert session.json("show generate streams")["ok"]
        session.json("stop")
        session.ok(f"{STREAM} a rate 5kpps", "start")
        for line, said in (("b port 0", "b: new: Please stop"), ("a dst 1.2.3.4", "a: dst: Please stop"), ("a port 1", "a: port: Please stop")):
            error = session.json(f"{STREAM} {line}")["error"]
            assert error["code"] == "EBUSY" and said in error["message"], error
        assert session.json("clear generate stream all")["error"]["code"] == "EBUSY"
        assert list(shown(session)[0]) == ["a"]
        session.json_ok("stop")
        session.ok(f"{STREAM} a count 5")
        assert "might never end" in session.json("start for 100 packets")["error"]["message"]


def test_trials(binary):
    """What chooses the rate itself says that it cannot beside streams with their own."""
    with Session(binary) as session:
        session.ok(f"{STREAM} a port 0")
        for line in ("measure bias", "measure rate"):
            assert "clear generate stream all" in refused(session, line)
        session.ok("clear generate stream all", "set output json", "set fwd generate", "set generate-rate 5kpps")
        assert session.json_ok("start for 200ms")["total"]["tx_packets"] > 0


def test_saved(binary, tmp_path):
    """save config writes the streams as they are after all changes, and load reads them."""
    lines = ["a port 0 rate 5kpps size 60:7,590:4 src 10.0.0.0/24 random flows 9", "b port 1 gaps burst:8 duration 10s state off", "a rate 7kpps gaps poisson"]
    with Session(binary) as session:
        session.ok(*[f"{STREAM} {line}" for line in lines], f"{STREAM} gone port 0", "clear generate stream gone", f"save config {tmp_path}/saved")
    written = (tmp_path / "saved").read_text(encoding="utf-8")
    assert written.count(STREAM) == 2
    with Session(binary) as session:
        session.ok(f"load {tmp_path}/saved", "set output json")
        words = [row["words"] for row in session.json_ok("show generate streams")["streams"]]
    assert words == ["port 0 rate 7kpps size 60:7,590:4 src 10.0.0.0/24 random flows 9 gaps poisson", "port 1 gaps burst:8 duration 10s state off"]


@pytest.mark.parametrize("engine", ["generate", "measure"])
def test_again(binary, engine):
    """Figures are those of the last run; a start that is refused leaves them, and a deleted stream is gone."""
    with Session(binary, ["net_ring0", "net_ring1"]) as session:
        session.ok("set output json", f"set fwd {engine}", PATIENT, f"{STREAM} a port 0 rate 1kpps count 100", f"{STREAM} b port 1 rate 1kpps count 50", "start")
        for _ in range(2):
            wait_until(lambda: [row["state"] for row in shown(session)[0].values()] == ["done", "done"], "the end of both streams")
            session.json_ok("stop")
            session.ok("start")
        session.json_ok("stop")
        session.ok(f"{STREAM} b size 2000")
        sent = {name: row["sent"] for name, row in shown(session)[0].items()}
        assert "size 2000" in session.json("start")["error"]["message"]
        assert {name: row["sent"] for name, row in shown(session)[0].items()} == sent
        session.ok("clear generate stream b", f"{STREAM} c port 1 rate 1kpps")
        rows = shown(session)[0]
        assert list(rows) == ["a", "c"] and rows["a"]["sent"] == sent["a"] and "sent" not in rows["c"]
        session.json_ok("start for 100ms")
        assert shown(session)[0]["c"]["sent"] > 0
