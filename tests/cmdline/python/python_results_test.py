# SPDX-License-Identifier: BSD-3-Clause
"""The Python package: what commands, runs, measurements and comparisons return, and what a wrong one says."""
import dataclasses
import json
import os
import pathlib
import socket
import threading

import pytest
import zcfwd
from conftest import ROOT
from package import running, started
from session import wait_until

pytestmark = pytest.mark.zcfwd
RINGS = {"ports": ["net_ring0", "net_ring1"]}


def test_forward(binary):
    """A run by time and one by packets; what is in the object is what the answer has."""
    with started(binary) as z:
        assert z.version and z.dpdk.startswith("DPDK ") and z.pid and "EAL: " in z.log
        z.command("set record-core-cycles on")
        run = z.forward("mac", seconds=0.2)
        assert run.engine == "mac" and run.seconds >= 0.2 and run.packets > 0 and run.lost == 0 and run.drops == {}
        assert run.mpps == run.packets_per_second / 1e6 and run.cycles_per_packet > 0 and 0 < run.cpu_share <= 1.5
        assert sum(one.tx for one in run.streams) == run.packets == run.answer["summary"]["packets"]
        assert [one.port for one in run.ports] == [0, 1] and sum(one.tx_packets for one in run.ports) == run.packets
        assert z.forward(packets=1000).received >= 1000
        z.start("io")
        assert running(z)
        wait_until(lambda: z.port_stats()[0].rx_packets > 0, "packets")
        stopped = z.stop()
        assert stopped.engine == "io" and not running(z)
        assert [(one.name, one.driver, one.port) for one in z.ports()] == [("net_null0", "net_null", 0), ("net_null1", "net_null", 1)]
        assert z.text("show port summary all").startswith("Number of available ports: 2\n")


@pytest.mark.skipif(os.environ.get("MODEL_NIC_LACKS", "") != "", reason=os.environ.get("MODEL_NIC_LACKS", ""))
def test_modelled(binary):
    """Two NICs in software; what their wires do not take is a drop with its reason."""
    with started(binary, ports=["model:xl710,flows=64"] * 2, memory_mib=256) as z:
        assert [port.driver for port in z.ports()] == ["net_i40e"] * 2 and all(port.link_mbps == 40000 for port in z.ports())
        run = z.forward("mac", packets=10000)
        assert run.received >= 10000 and sum(run.drops.values()) == run.lost and (run.verdict is None or str(run.lost) in run.verdict or "CPU" in run.verdict)


@pytest.mark.needs("measure")
def test_measured(binary):
    """Latency of packets that come back; a run that fails has its figures in the error."""
    with started(binary, **RINGS) as z:
        z.command("set generate-rate 2kpps")
        run = z.forward("measure", packets=200)
        streams = z.measured()
        assert len(streams) == 2 and sum(one.sent for one in streams) == run.sent and run.lost_on_the_way == run.lost == 0
        assert all(one.unique > 0 and 0 <= one.min_us <= one.mean_us <= one.max_us and one.clock == "TSC" for one in streams)
    with started(binary) as z:
        with pytest.raises(zcfwd.CommandError) as failed:
            z.forward("measure", seconds=0.1)  # these ports receive what nobody sent
        assert failed.value.code == "EPROTO" and zcfwd.Run.of(failed.value.answer).received > 0


@pytest.mark.needs("compare")
def test_compare(binary):
    """A list of rows with the same columns, which is what pandas takes; and of single runs."""
    with started(binary) as z:
        table = z.compare({"engines": ["io", "mac"], "burst": [8, 32]}, seconds=0.02, runs=2)
        assert isinstance(table, list) and all(type(row) is dict and row.keys() == table[0].keys() for row in table)
        assert [(row["engine"], row["burst"]) for row in table] == [("io", 8), ("io", 32), ("mac", 8), ("mac", 32)]
        assert all(row["packets_per_second"] > 0 and not isinstance(value, (dict, list)) for row in table for value in row.values())
        assert len(table.each) == 8 and {row["round"] for row in table.each} == {1, 2} and table.answer["runs"] == 2
        with pytest.raises(zcfwd.CommandError) as failed:
            z.compare({"brst": [8]}, seconds=0.02, runs=2)
        assert failed.value.column == len("compare ") + 1 and "brst" in failed.value.message
        with pytest.raises(TypeError, match=r"engines='io': expected a list, such as \['io'\]"):
            z.compare({"engines": "io"}, seconds=0.02, runs=2)


def test_schema(binary):
    """What the program prints is what the page beside json.md has, and of the version that the package reads."""
    with started(binary) as z:
        schema = z.schema()
        assert schema["version"] == z.command("show version")["schema"] == 1 and z.text("show schema").endswith("}\n")
        assert set(schema["required"]) <= set(schema["properties"]) and "rx_missed" in schema["$defs"]["port"]["properties"]
        if not os.environ.get("WITHOUT"):
            assert schema == json.loads((ROOT / "doc/answer.schema.json").read_text(encoding="utf-8"))


def test_command_errors(binary):
    """Each member of the error, in JSON and in text; the session goes on."""
    with started(binary) as z:
        with pytest.raises(zcfwd.CommandError) as failed:
            z.command("show prt stats 0")
        error = failed.value
        assert (error.command, error.column, error.word, error.code, error.verdict) == ("show prt stats 0", 6, "prt", "EINVAL", "Bad arguments")
        assert 'did you mean "port"' in error.message and str(error) == f"'show prt stats 0': {error.message}" and error.answer["ok"] is False
        with pytest.raises(zcfwd.CommandError, match='did you mean "show"'):
            z.text("shw")
        with pytest.raises(zcfwd.CommandError, match="engine") as failed:
            z.forward("no_engine", seconds=1)
        assert failed.value.word == "no_engine"
        for line, message in (("start\nstop", r"column 6: expected one line, without '\\n'"), ("show\0", "column 5"), (" ", "expected a command"),
                              ("# start", "expected a command"), ("x" * 4096, "4096 bytes: expected at most 4095")):
            with pytest.raises(ValueError, match=message):
                z.command(line)
        for arguments in ({}, {"seconds": 1, "packets": 1}, {"seconds": 0}, {"seconds": 0.0001}):
            with pytest.raises(ValueError, match="expected"):
                z.forward(**arguments)
        with pytest.raises(zcfwd.CommandError):
            z.forward(packets=-1)
        with pytest.raises(zcfwd.CommandError) as failed:
            z.stop()
        assert failed.value.command == "stop"
        assert z.ports()


def test_errors_within(binary, tmp_path):
    """What failed in a script, one within another, or in watch, is named as if it had been the line."""
    (tmp_path / "inner").write_text("show version\nset burst many\n", encoding="utf-8")
    (tmp_path / "outer").write_text(f"load {tmp_path}/inner\n", encoding="utf-8")
    with started(binary) as z:
        bad = ("set burst many", 11, "many", f"{tmp_path}/inner:2")
        for line, members in ((f"load {tmp_path}/inner", bad), (f"load {tmp_path}/outer", bad),
                              ("watch show port stats 99", ("show port stats 99", None, None, None))):
            for run in (z.command, lambda line: list(z.events(line))):
                with pytest.raises(zcfwd.CommandError, match='"many" is not a number|Invalid port 99') as failed:
                    run(line)
                error = failed.value
                assert (error.command, error.column, error.word, error.where) == members
                assert error.answer["command"] == line and (error.where or "") in str(error)
        with pytest.raises(zcfwd.CommandError, match="cannot read") as failed:
            z.command(f"load {tmp_path}/none")
        assert failed.value.command == f"load {tmp_path}/none" and failed.value.code == "ENOENT"


def test_odd_folder(binary, tmp_path, monkeypatch):
    """In a folder whose name is not UTF-8 all commands work but those that name a file in it."""
    folder = os.fsencode(tmp_path) + b"/\xff"
    os.mkdir(folder)
    with started(binary) as z:
        monkeypatch.chdir(os.fsdecode(folder))
        assert z.ports() and z.text("show version")
        with pytest.raises(zcfwd.CommandError, match="\ufffd/script: No such file"):
            z.command("load script")


def test_events(binary):
    """Answers within a command come as they are printed; the last one is the command's. Who leaves early cancels it."""
    with started(binary) as z:
        names = []
        with z.events("watch show port summary all every 10ms") as events:
            for event in events:
                names.append((event.name, event.data["command"]))
                if len(names) == 3:
                    break
        assert names == [("answer", "show port summary all")] * 3 and events.answer is None
        z.command("set fwd mac")
        events = z.events("start for 50ms")
        last = list(events)[-1]
        assert last.name == "answer" and last.data is events.answer and zcfwd.Run.of(last.data).packets > 0
        assert not list(events)
        with z.events("start for 1h") as events:
            progress = next(events)
            assert progress.name == "progress" and progress.data["seconds"] >= 1 and progress.data["rx_pps"] > 0
        assert not running(z)
        dropped = z.events("start for 1h")
        wait_until(lambda: running(z), "the second run")
        del dropped
        assert not running(z)
        with pytest.raises(zcfwd.CommandError, match="unknown command"):
            list(z.events("strt for 1h"))
        list(z.events("start for 10ms"))
        assert len(z._idle) <= 2, "connections are used again"


def test_threads(binary):
    """A long command in a thread: others look, change nothing, and cancel it. Many threads get their own answers."""
    with started(binary) as z:
        runs = []
        long = threading.Thread(target=lambda: runs.append(z.forward("mac", seconds=3600)))
        long.start()
        wait_until(lambda: running(z), "the run")
        assert z.port_stats()[0].port == 0
        with pytest.raises(zcfwd.CommandError, match='busy: "start for 3600000ms" runs') as failed:
            z.command("set fwd io")
        assert failed.value.code == "EBUSY"
        z.cancel()
        long.join(timeout=60)
        assert runs[0].packets > 0 and not running(z)
        wrong = []

        def ask(number):
            for _ in range(20):
                if z.command(f"show port stats {number % 2}")["ports"][0]["port"] != number % 2:
                    wrong.append(number)
        threads = [threading.Thread(target=ask, args=(number,)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
        assert not wrong and len(z._idle) <= 17


@pytest.fixture
def names(tmp_path_factory, monkeypatch):
    """A folder of sockets of its own, by a short path."""
    folder = pathlib.Path(os.path.realpath(tmp_path_factory.mktemp("n")))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder / "zcfwd"


@pytest.mark.skipif(os.geteuid() != 0, reason="the folder of root")
@pytest.mark.parametrize("runtime, folder", [("/run/user/0", "/run/zcfwd"), ("/run/users", "/run/users/zcfwd"), ("here", "/run/zcfwd")])
def test_folder_of_root(monkeypatch, runtime, folder):
    """As the program has it: not in the folder of a login."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    with pytest.raises(zcfwd.ConnectionLost, match=f": {folder}/no-such-program.sock: No such file"):
        zcfwd.attach("no-such-program")


def test_attach(binary, names):
    """By name, by path, or the only one. The program goes on without the session; quit ends it, also within a command."""
    with pytest.raises(zcfwd.ConnectionLost, match=f"no program with --control in {names}"):
        zcfwd.attach()
    with pytest.raises(zcfwd.ConnectionLost, match="one.sock: No such file"):
        zcfwd.attach("one")
    with pytest.raises(zcfwd.ConnectionLost, match="path too long"):
        zcfwd.attach("x" * 200)
    names.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(names / "one.sock"))
    with pytest.raises(zcfwd.ConnectionLost, match="has ended without removing it"):
        zcfwd.attach("one")
    (names / "one.sock").unlink()
    with started(binary) as z:
        os.symlink(z.path, names / "one.sock")
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(names / "dead.sock"))
        for name in (None, "one", f"unix:{z.path}", z.path):
            with zcfwd.attach(name) as other:
                assert other.version == z.version and other.pid is None and other.log == ""
            with pytest.raises(zcfwd.Error, match="the session is closed"):
                other.ports()
        os.symlink(z.path, names / "two.sock")
        with pytest.raises(zcfwd.ConnectionLost, match="2 programs in .*: expected the name of one: one two"):
            zcfwd.attach()
        names.chmod(0o777)
        with pytest.raises(zcfwd.ConnectionLost, match="others can write to"):
            zcfwd.attach("one")
        names.chmod(0o700)
        with zcfwd.attach("one") as other, z.events("start for 1h"):
            wait_until(lambda: running(other), "the run")
            other.quit()
        with pytest.raises(zcfwd.ConnectionLost, match="the program is gone|No such file"):
            zcfwd.attach("one")


def test_members():
    """A newer program has more members, which are left out; one that lacks a member that must be there is named."""
    answer = {"command": "stop", "engine": "io", "streams": [], "ports": [{"port": 0, "new": 1}],
              "summary": {"seconds": 1.0, "packets": 5, "received": 5, "refused": 2, "missed": 0, "new": [], "cpu": None}}
    run = zcfwd.Run.of(answer)
    assert run.drops == {"refused": 2} and run.mpps is None and run.cpu_share is None and run.ports[0].rx_packets is None
    assert dataclasses.replace(run, packets_per_second=2e6).mpps == 2
    del answer["summary"]["received"]
    with pytest.raises(zcfwd.ProtocolError, match="no received: expected one for Run"):
        zcfwd.Run.of(answer)
    with pytest.raises(zcfwd.ProtocolError, match="'show version' has no summary"):
        zcfwd.Run.of({"command": "show version"})
