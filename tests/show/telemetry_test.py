# SPDX-License-Identifier: BSD-3-Clause
"""Telemetry: every answer is JSON within DPDK's size, its figures are the program's, and it comes at any time."""
import json
import os
import shutil
import subprocess
import threading

import pytest
from scapy.layers.inet import IP, UDP

from packets import ether, write_pcap
from session import Session, wait_until
from telemetry import Telemetry, socket_path

pytestmark = pytest.mark.zcfwd

RECORD = ("set record-burst-stats on", "set record-core-cycles on")
QUEUES = 100
STOCK = shutil.which("dpdk-telemetry.py")
ASKED = ("/zcfwd/streams", "/zcfwd/stream,0", "/zcfwd/stream,1", "/zcfwd/bursts,0", "/zcfwd/bursts,1,tx,1", "/zcfwd/config",
         "/zcfwd/engine", "/zcfwd/ports", "/zcfwd/pools", "/ethdev/list")
# In any order; each leaves the program able to do the others.
TURBULENCE = ("start", "set fwd mac", "clear fwd stats all", "set txpkts 64,128,256", "stop", "port stop all", "port config all rxq 2",
              "port config all txq 2", "port start all", "set fwd txonly", "start", "show fwd stats all", "stop", "set txpkts 64",
              "port attach net_null7", "port stop 2", "port close 2", "port detach 2", "set fwd io", "port stop all",
              "port config all rxq 1", "port config all txq 1", "port start all", "clear port stats all")


@pytest.fixture
def forwarder(binary):
    with Session(binary, telemetry=True) as session:
        yield session


def stopped(session):
    """Forward for a while and stop; streams as the program counted them."""
    session.ok(*RECORD, "start", "stop")
    session.cmd("set output json")
    counted = session.json_ok("show fwd counters")["streams"], session.json_ok("show fwd bursts")["streams"]
    session.cmd("set output text")
    return counted


def test_figures(forwarder):
    """Streams, one stream and its histogram say what the shell says."""
    counters, bursts = stopped(forwarder)
    with Telemetry(forwarder) as client:
        streams = client.ask("/zcfwd/streams")
        assert (streams["running"], streams["runs"], streams["engine"], streams["n_streams"]) == (0, 1, "io", 2)
        for i, wanted in enumerate(counters):
            got = streams["streams"][str(i)]
            assert {key: wanted[key] for key in got} == got and got["rx"] > 0 and got["busy_cycles"] > 0
            one = client.ask(f"/zcfwd/stream,{i}")
            assert {key: one[key] for key in got} == got and one["burst"] == 32
            assert one["pool"] == "mb_pool_0" and 0 < one["pool_available"] <= one["pool_size"] == 8192
            both = client.ask(f"/zcfwd/bursts,{i}")
            for way in ("rx_bursts", "tx_bursts"):
                assert both[way] == bursts[i][way] and both["recording"] == 1


def test_clear_changes_nothing(forwarder):
    """What scrapers read never goes back within a run."""
    counters, _ = stopped(forwarder)
    forwarder.ok("clear fwd stats all")
    with Telemetry(forwarder) as client:
        assert client.ask("/zcfwd/stream,0")["rx"] == counters[0]["rx"]


def test_engine_and_config(forwarder):
    with Telemetry(forwarder) as client:
        assert client.ask("/zcfwd/streams")["streams"] == {}
        assert client.ask("/zcfwd/engine")["engine"] == "io"
        forwarder.ok("set fwd csum", "start", "set fwd mac retry", "set burst 17", "set txpkts 64,100")
        engine = client.ask("/zcfwd/engine")
        assert (engine["engine"], engine["next"], engine["retry"], engine["running"]) == ("csum", "mac", 1, 1)
        assert "bad_ipcsum" in engine["counters"] and engine["n_streams"] == 2 and engine["cycles"] > 0
        config = client.ask("/zcfwd/config")
        assert config["settings"]["burst"] == 17 and config["settings"]["txpkts"] == "64,100" and config["pid"] == forwarder.pid
        assert config["settings"]["mp_alloc"] == "native" and config["dpdk"].startswith("DPDK ")
        forwarder.ok("stop")
        assert client.ask("/zcfwd/engine")["running"] == 0


def test_ports_and_pools(forwarder):
    with Telemetry(forwarder) as client:
        forwarder.ok("port stop 1")
        ports = client.ask("/zcfwd/ports")
        assert ports["n_ports"] == 2 and set(ports["ports"]) == {"0", "1"}
        assert [ports["ports"][p]["started"] for p in "01"] == [1, 0]
        assert ports["ports"]["0"]["driver"] == "net_null" and ports["ports"]["1"]["name"] == "net_null1"
        assert client.ask("/zcfwd/ports,1")["ports"].keys() == {"1"}
        pool = client.ask("/zcfwd/pools")["pools"]["mb_pool_0"]
        assert pool["size"] == 8192 and pool["low"] <= pool["minute_low"] <= pool["available"] <= pool["minute_high"] <= pool["high"] <= 8192
        assert f"buffer={client.ask('/zcfwd/pools')['pools']['mb_pool_0']['buffer_bytes']}," in forwarder.cmd("show pool")


@pytest.mark.parametrize("command", [
    "/zcfwd/stream", "/zcfwd/stream,", "/zcfwd/stream,2", "/zcfwd/stream,-1", "/zcfwd/stream,x", "/zcfwd/stream,0x0",
    "/zcfwd/stream,99999999999999999999", "/zcfwd/streams,3", "/zcfwd/bursts", "/zcfwd/bursts,0,up", "/zcfwd/bursts,0,rx,513",
    "/zcfwd/bursts,0,rxx", "/zcfwd/ports,x", "/zcfwd/ports,65536", "/zcfwd/nothing"])
def test_refused(forwarder, command):
    """What makes no sense is answered with null."""
    forwarder.ok("start", "stop")
    with Telemetry(forwarder) as client:
        assert client.ask(command) is None


def test_pages(binary):
    """More streams than one answer holds come page by page, each once; so do ports."""
    with Session(binary, args=[f"--rxq={QUEUES}", f"--txq={QUEUES}", "--burst=1"], telemetry=True) as session, \
            Telemetry(session) as client:
        session.ok("start", "stop")
        first = client.ask("/zcfwd/streams")
        assert first["n_streams"] == 2 * QUEUES and 20 < first["next"] < 2 * QUEUES
        streams = client.pages("/zcfwd/streams", "streams")
        assert set(streams) == {str(i) for i in range(2 * QUEUES)}
        assert {(s["rx_port"], s["rx_queue"]) for s in streams.values()} == {(p, q) for p in (0, 1) for q in range(QUEUES)}


def test_many_ports(binary):
    names = [f"net_null{i}" for i in range(32)]
    with Session(binary, names, telemetry=True) as session, Telemetry(session) as client:
        ports = client.pages("/zcfwd/ports", "ports")
        assert [ports[str(i)]["name"] for i in range(32)] == names
        session.ok("start", "stop")
        assert len(client.pages("/zcfwd/streams", "streams")) == 32


def read_while(session, asked, commands, times):
    """Three clients that ask all the while that the session runs the commands again and again."""
    failures, answers, done = [], [0] * 3, threading.Event()

    def read(which):
        try:
            with Telemetry(session) as client:
                while not done.is_set():
                    for command in asked:
                        client.ask(command)
                    answers[which] += 1
        except Exception as failure:  # pylint: disable=broad-except
            failures.append(failure)

    readers = [threading.Thread(target=read, args=(i,)) for i in range(len(answers))]
    for reader in readers:
        reader.start()
    try:
        for i in range(1, times + 1):
            session.ok(*commands)
            wait_until(lambda expected=i: failures or min(answers) >= expected, "answers for every reader")
    finally:
        done.set()
        for reader in readers:
            reader.join(60)
    assert not failures and not any(reader.is_alive() for reader in readers)


def test_streams_come_and_go(binary):
    """The longer it takes to free many streams, the sooner a reader would find one that is gone."""
    with Session(binary, args=["--rxq=40", "--txq=40", "--burst=1"], telemetry=True,
                 env={"MALLOC_PERTURB_": "173"}) as session:
        session.ok("start", "stop")
        read_while(session, ["/zcfwd/streams,40", "/zcfwd/stream,79"], ["start", "stop"], 10)


def test_port_stats_from_all_sides(binary, tmp_path):
    """The shell, a recording and three clients read the counters of the same ports, and the shell clears them."""
    with Session(binary, telemetry=True) as session:
        session.ok(f"record start {tmp_path}/r every 10", "start")
        read_while(session, ["/zcfwd/ports"], ["show port stats all", "show port xstats all", "clear port stats all", "clear port xstats all"], 20)
        session.ok("stop", "record stop")
        assert session.quit()[1] == 0


def test_while_everything_changes(forwarder):
    """Readers all the while that forwarding starts and stops, engines and ports change: each answer is whole."""
    forwarder.ok(*RECORD)
    read_while(forwarder, ASKED, TURBULENCE, 5)
    with Telemetry(forwarder) as client:
        assert client.ask("/zcfwd/engine")["runs"] == 10
    assert forwarder.quit()[1] == 0


def test_while_engines_change(binary):
    """The same with engines whose rings and buffers come and go with the run."""
    asked = ["/zcfwd/group,pipeline", "/zcfwd/group,pipeline_io", "/zcfwd/group,pipeline_worker", "/zcfwd/group,pipeline_ring,3", "/zcfwd/group,extbuf",
             "/zcfwd/group,recycle", "/zcfwd/stream,1"]
    with Session(binary, telemetry=True, lcores="0@0,1@0,2@1", env={"MALLOC_PERTURB_": "173"}) as session:
        session.ok("set pipeline io 1 workers 1,2", "set pipeline spread flow")
        read_while(session, asked, ["set fwd ring_pipeline", "start", "stop", "set fwd extbuf", "set extbuf mode attach", "start", "stop",
                                    "extmem delete extbuf.1", "set fwd recycle_mbufs", "start", "stop"], 10)
        assert session.quit()[1] == 0


def test_while_routes_and_pairs_change(binary, tmp_path):
    """The same while routes, pairs and modes change under a lcore that looks where its packets go."""
    asked = ["/zcfwd/group,recycle", "/zcfwd/streams", "/zcfwd/stream,1"]
    write_pcap(tmp_path / "in", [bytes(ether() / IP(src="192.0.2.1", dst="10.0.0.1") / UDP() / bytes(18))])
    with Session(binary, [f"net_pcap{i},rx_pcap={tmp_path}/in,infinite_rx=1" for i in (0, 1)], telemetry=True) as session:
        session.ok("set recycle on", "set fwd l3fwd", "route add 0.0.0.0/0 port 0", "start")
        read_while(session, asked, ["set recycle pair traffic", "route add 0.0.0.0/0 port 1", "show recycle", "set recycle mode cache", "route add 10.0.0.0/8 port 0",
                                    "set recycle pair auto", "show recycle", "set recycle mode ring", "route delete 10.0.0.0/8", "show fwd stats all"], 10)
        session.ok("stop")
        assert session.quit()[1] == 0


def test_show_telemetry(forwarder):
    """Where the socket is, also with a prefix of one's own."""
    answer = forwarder.cmd("show telemetry")
    assert f"Telemetry socket: {socket_path(forwarder)}\n" in answer and "/zcfwd/streams" in answer


def test_no_telemetry(binary):
    with Session(binary) as session:
        session.cmd("show telemetry")
        assert "no telemetry socket" in session.stderr()


def test_two_programs(binary):
    """Two programs without shared configuration and with one prefix: each tells its own socket."""
    with Session(binary, telemetry=True) as one:
        prefix = next(word for word in one.argv if word.startswith("--file-prefix"))
        shared = [] if "--in-memory" in one.argv else ["--no-shconf"]
        with Session(binary, telemetry=True, eal=[prefix, *shared], env={"RUNTIME_DIRECTORY": str(one.home)}) as two:
            one.cmd("set output json")
            two.cmd("set output json")
            paths = [session.json_ok("show telemetry")["socket"] for session in (one, two)]
    assert paths[1] == paths[0] + ":1"


@pytest.mark.skipif(STOCK is None, reason="dpdk-telemetry.py is not installed")
def test_stock_client(forwarder):
    """dpdk-telemetry.py lists the endpoints, explains them and reads them while forwarding."""
    prefix = next(word.split("=")[1] for word in forwarder.argv if word.startswith("--file-prefix"))
    forwarder.ok("start")
    rounds = ["/zcfwd/streams", "/zcfwd/bursts,0", "/zcfwd/engine"] * 50
    asked = ["/", "/help,/zcfwd/streams", "/zcfwd/streams", "/zcfwd/bursts,0", "/zcfwd/config", *rounds]
    done = subprocess.run([STOCK, "-f", prefix], input="\n".join([*asked, "quit"]), text=True, capture_output=True, timeout=60,
                          check=True, env={**os.environ, "RUNTIME_DIRECTORY": str(forwarder.home)})
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert {c for c in answers[0]["/"] if c.startswith("/zcfwd")} == {
        f"/zcfwd/{name}" for name in ("bursts", "config", "dma", "engine", "group", "pools", "ports", "schema", "stream", "streams")}
    assert "Parameters" in answers[1]["/help"]["/zcfwd/streams"]
    assert answers[2]["/zcfwd/streams"]["running"] == 1 and answers[3]["/zcfwd/bursts"]["stream"] == 0
    assert [list(answer) for answer in answers[5:]] == [[command.split(",")[0]] for command in rounds]
    received = [answer["/zcfwd/streams"]["streams"]["0"]["rx"] for answer in answers[5::3]]
    assert received == sorted(received)
    with Telemetry(forwarder) as asked:  # the lcore may have had no CPU for as long as that
        wait_until(lambda: asked.ask("/zcfwd/streams")["streams"]["0"]["rx"] > received[0], "packets received")
    forwarder.ok("stop")
