# SPDX-License-Identifier: BSD-3-Clause
"""DMA engines at the shell: what is there, what copies cost, thresholds, placements; software engines alone."""
import csv
import os
import signal
import time

import pytest
from conftest import binary_path
from modelled import loadable
from session import Session, ordinary_pages
from telemetry import Telemetry

pytestmark = pytest.mark.zcfwd
EAL = ("--iova-mode=va",)
ENGINE = "dma_skeleton,lcore=0"
ADAPTIVE = "dma_adaptive0,dev=dma_skeleton"
SCRIPTED = binary_path().parent / "tests/fixtures/dma_scripted_plugin.so"
GIVE_UP_S = 2  # of an engine that does nothing
QUICK = ("set dma-samples 1", "set dma-lengths 64,4096", "set dma-cold 1")
PORTS = ("net_null0", "net_null1")


@pytest.fixture(scope="module")
def plain(binary):
    """An engine by itself."""
    with Session(binary, vdevs=(ENGINE, *PORTS), eal=EAL) as s:
        s.ok(*QUICK)
        s.cmd("set output json")
        yield s


@pytest.fixture(scope="module")
def adaptive(binary):
    with Session(binary, vdevs=(ENGINE, ADAPTIVE, *PORTS), eal=EAL, telemetry=True) as s:
        if "dma_adaptive0" not in s.cmd("show dma"):
            pytest.skip("dma_adaptive is not built here")
        s.ok(*QUICK)
        s.cmd("set output json")
        yield s


def device(session, name):
    return next(one for one in session.json_ok("show dma")["dma"] if one["name"] == name)


def thresholds(session):
    return device(session, "dma_adaptive0")["vchan0"]["min_len_near"]


def test_show(adaptive):
    engine, over = device(adaptive, "dma_skeleton"), device(adaptive, "dma_adaptive0")
    assert (engine["driver"], engine["used_by"]) == ("dma_skeleton", "dma_adaptive0")
    assert (over["driver"], over["over"], over["used_by"]) == ("dma_adaptive", "dma_skeleton", None)


def test_no_devices(binary):
    with Session(binary) as s:
        assert "No DMA device; add one" in s.cmd("show dma")
        s.cmd("set output json")
        assert s.json_ok("show dma")["dma"] == []
        assert "no DMA device dma0: none available" in s.json("dma calibrate dma0")["error"]["message"]
        assert s.json("dma calibrate dma0")["error"]["code"] == "ENODEV"


def test_calibrate_plain(plain):
    """An engine without dma_adaptive: the CPU's copies against its own."""
    answer = plain.json_ok("dma calibrate dma_skeleton")
    points = {(one["where"], one["memory"], one["bytes"], one["mode"]): one for one in answer["points"]}
    assert set(points) == {("local", memory, n, mode) for memory in ("hot", "cold") for n in (64, 4096) for mode in ("memcpy", "dma")}
    assert all(one["cycles"] > 0 and one["gbit"] > 0 for one in points.values())
    assert answer["min_len"]["near"] in (0, 4096, 2 ** 32 - 1)
    assert "far" not in answer["min_len"] and any("far: not measured" in text for text in answer["messages"])
    assert device(plain, "dma_skeleton")["vchan0"]["errors"] == 0


def test_calibrate_applies(adaptive):
    """Thresholds change when told to, and only then; afterwards the device is what it was."""
    before = thresholds(adaptive)
    answer = adaptive.json_ok("dma calibrate dma_adaptive0")
    assert {one["mode"] for one in answer["points"]} == {"memcpy", "cpu", "dma"}
    assert thresholds(adaptive) == before == 2048
    near = adaptive.json_ok("dma calibrate dma_adaptive0 apply")["min_len"]["near"]
    assert thresholds(adaptive) == near
    copied = device(adaptive, "dma_adaptive0")["vchan0"]
    assert copied["cpu_copies"] > 0 and copied["dma_copies"] > 0 and copied["errors"] == 0


def test_measure(adaptive):
    """All ways side by side, in pieces, with an engine that answers late; thresholds are as before."""
    before = thresholds(adaptive)
    for line in ("set dma-segment 2048", "set dma-delay 2000"):
        adaptive.json_ok(line)
    answer = adaptive.json_ok("dma measure dma_adaptive0")
    assert {one["mode"] for one in answer["points"]} == {"memcpy", "cpu", "dma", "adaptive"}
    assert "min_len" not in answer and thresholds(adaptive) == before
    for line in ("set dma-segment 0", "set dma-delay 0"):
        adaptive.json_ok(line)


def test_csv(plain, tmp_path):
    path = tmp_path / "points.csv"
    answer = plain.json_ok(f"dma calibrate dma_skeleton csv {path}")
    with open(path, encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(answer["points"]) == 8
    assert list(rows[0]) == ["where", "memory", "bytes", "mode", "cycles_per_packet", "gbit_per_s"]
    assert [(row["mode"], int(row["bytes"])) for row in rows] == [(one["mode"], one["bytes"]) for one in answer["points"]]


@pytest.mark.rotates(4)
@pytest.mark.parametrize("line,word", [
    ("dma calibrate nothing", "no DMA device nothing: available: dma_skeleton"),
    ("dma calibrate dma_skeleton", "dma_skeleton is used by dma_adaptive0"),
    ("dma calibrate dma_skeleton apply", "dma_skeleton has no thresholds"),
    ("dma calibrate dma_adaptive0 csv /nowhere/points.csv", "/nowhere/points.csv"),
])
def test_bad(adaptive, line, word):
    before = thresholds(adaptive), adaptive.json_ok("show settings")["settings"]
    answer = adaptive.json(line)
    assert not answer["ok"] and word in answer["error"]["message"] + answer["error"].get("expected", ""), answer
    assert (thresholds(adaptive), adaptive.json_ok("show settings")["settings"]) == before


@pytest.mark.parametrize("setting,word", [
    ("dma-ring 32768", "dma_skeleton supports"),
    ("dma-cold 4096", "no memory for 4096 MiB"),
])
def test_bad_at_start(plain, setting, word):
    """What the device or the machine has not: told, and the next one works."""
    name = setting.split()[0]
    was = next(one["value"] for one in plain.json_ok("show settings")["settings"] if one["name"] == name)
    plain.json_ok(f"set {setting}")
    answer = plain.json("dma measure dma_skeleton")
    plain.json_ok(f"set {name} {was}")
    assert not answer["ok"] and word in answer["error"]["message"], answer
    plain.json_ok("dma measure dma_skeleton")


def test_pieces_need_room(plain):
    plain.json_ok("set dma-segment 64")
    answer = plain.json("dma measure dma_skeleton")
    assert "too small for 32 packets of 4096 bytes in segments of 64" in answer["error"]["message"]
    plain.json_ok("set dma-segment 0")


def test_forwarding_comes_first(plain):
    """All lcores forward: there is none to measure on."""
    plain.json_ok("start")
    answer = plain.json("dma calibrate dma_skeleton")
    plain.json_ok("stop")
    assert not answer["ok"] and "stop forwarding first" in answer["error"]["message"]
    plain.json_ok("dma calibrate dma_skeleton")


def test_port_has_it(binary, tmp_path):
    """A device that a port has started; calibrated before, the port goes by its thresholds."""
    port = f"net_async_vhost0,iface={tmp_path}/s,queues=1,dmas=[txq0@dma_adaptive0]"
    with Session(binary, vdevs=(ENGINE, ADAPTIVE, *PORTS), eal=EAL) as s:
        if "dma_adaptive0" not in s.cmd("show dma"):
            pytest.skip("dma_adaptive is not built here")
        s.ok(*QUICK)
        s.cmd("set output json")
        s.json_ok("dma calibrate dma_adaptive0 apply")
        near = thresholds(s)
        s.json_ok(f"port attach {port}")
        s.json_ok("port start 2")
        answer = s.json("dma calibrate dma_adaptive0 apply")
        assert not answer["ok"] and "calibrate before the port that uses it starts" in answer["error"]["message"]
        assert device(s, "dma_adaptive0")["used_by"] == "port 2" and thresholds(s) == near
        tx = next(one for one in s.json_ok("show vhost")["ports"][0]["queues"] if one["direction"] == "tx")
        assert tx["min_len"] == near
        assert s.json_ok("set vhost 2 0 copy auto")["ok"]
        assert s.json("set vhost 2 0 copy sometimes")["ok"] is False
        places = s.json_ok("show dma placement")["placement"]
        assert {one["port"] for one in places} == {2}  # ports with guests alone
        for line in ("port stop 2", "port close 2", "port detach 2", "dma calibrate dma_adaptive0 apply"):
            s.json_ok(line)


def test_interrupt(binary):
    """A signal ends a long calibration, and the program."""
    with Session(binary, vdevs=(ENGINE, *PORTS), eal=EAL, pty=True, memory=ordinary_pages(256)) as s:
        s.cmd("set dma-samples 101")
        s.cmd("set dma-cold 64")
        s.send("dma calibrate dma_skeleton\n")
        s.expect(r"local +\d+ %")
        s.signal(signal.SIGINT)
        _, status = s.finish()
        assert status == 0 and "interrupted" in s.stderr()


def test_engine_hangs(binary):
    """An engine that never says that it is done: told, and the program goes on."""
    if not SCRIPTED.exists():
        pytest.skip("built without DPDK's source")
    with Session(binary, vdevs=("dma_scripted0,stepped=1", *PORTS), eal=(*EAL, "-d", loadable(SCRIPTED))) as s:
        s.ok(*QUICK)
        s.cmd("set output json")
        assert "copies timed out" in s.json("dma measure dma_scripted0")["error"]["message"]
        assert device(s, "dma_scripted0")["vchan0"]["completed"] == 0


def test_machine_stands_still(binary):
    """Longer than an engine may take: it has not hung, nobody had a CPU."""
    with Session(binary, vdevs=(ENGINE, *PORTS), eal=EAL, pty=True) as s:
        s.ok("set dma-samples 15", "set dma-lengths 64,4096", "set dma-cold 1")
        s.send("dma measure dma_skeleton\n")
        for _ in range(2):
            s.expect(r"local +\d+ %")
            s.signal(signal.SIGSTOP)
            time.sleep(GIVE_UP_S + 0.5)
            s.signal(signal.SIGCONT)
        s.expect("local, hot memory: cycles per packet")


TWO_NODES = """node 0
node 1
distance 0 1 21
lcores 1-2 node 0
lcores 5-6 node 1
engine dma0 node 0 channels 2
port 0 node 1 load 1000 length 4096
port 1 node 0 load 1000 length 4096
"""


def test_placement(plain, tmp_path):
    """Of this machine; of one with two nodes, from a file; a bad file is refused and changes nothing."""
    answer = plain.json_ok("show dma placement")
    places = answer["placement"]
    assert [(one["port"], one["direction"]) for one in places] == [(0, "rx"), (0, "tx"), (1, "rx"), (1, "tx")]
    assert [one["engine"] for one in places if "engine" in one] == ["dma_skeleton"]
    assert {one["reason"] for one in places} == {"all on node 0", "all channels are in use: the CPU copies"}
    assert 0 < answer["cost"] < answer["cost_cpu"]
    path, bad = tmp_path / "topology", tmp_path / "bad"
    path.write_text(TWO_NODES, encoding="ascii")
    bad.write_text(TWO_NODES + "engine dma0\n", encoding="ascii")
    plain.json_ok(f"set dma-topology {path}")
    answer = plain.json_ok("show dma placement")
    # Port 1 has the engine's node: port 0, which comes first, does not take its channels.
    assert [(one["direction"], one.get("engine"), one["lcore_node"], one["pool_node"], one["remote"]) for one in answer["placement"][2:]] == [
        ("rx", "dma0", 0, 0, False), ("tx", "dma0", 0, 0, False)]
    assert [(one.get("engine"), one["lcore_node"], one["reason"]) for one in answer["placement"][:2]] == [
        (None, 1, "all channels are in use: the CPU copies")] * 2
    assert "warnings" not in answer
    path.write_text(TWO_NODES.replace("port 1 node 0 load 1000 length 4096\n", ""), encoding="ascii")
    answer = plain.json_ok("show dma placement")  # far, but with long copies cheaper than the CPU
    assert answer["warnings"] == [
        f"port 0 queue 0 {way} is remote: engine on node 0, lcore on node 0, buffers on node 0, port on node 1: node 1 has no engine"
        for way in ("rx", "tx")]
    refused = plain.json(f"set dma-topology {bad}")
    assert f"{bad}:9: engine dma0 is defined twice" in refused["error"]["message"]
    os.unlink(path)
    assert str(path) in plain.json("show dma placement")["error"]["message"]
    plain.json_ok("set default")


def test_telemetry(adaptive):
    shown = {one["name"]: one for one in adaptive.json_ok("show dma")["dma"]}
    with Telemetry(adaptive) as client:
        told = {one["name"]: one for one in client.pages("/zcfwd/dma", "dma").values()}
        tables = {one["table"]: one for one in client.pages("/zcfwd/schema", "tables").values()}
    assert told["dma_adaptive0"]["vchan0"] == shown["dma_adaptive0"]["vchan0"]
    assert set(told["dma_adaptive0"]["vchan0"]) == set(tables["dma_adaptive"]["rows"])
    assert tables["dma_engine"]["of"] == "vchan"
