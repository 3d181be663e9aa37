# SPDX-License-Identifier: BSD-3-Clause
"""Many ports, queues and lcores, on any machine: each stream once and on its lcore, each packet in the account, quick answers, limits with their names."""
import pathlib
import re

import pytest

from limits import limit
from modelled import GOOD, PATIENT, TURNS, Modelled, needs_model_nic
from recorded import lines, of_type, sums
from session import Session, ordinary_pages, wait_until

PORTS, QUEUES, LCORES = 32, 32, 64
MOST_LCORES, MOST_QUEUES = 128, 1024
# One lcore after another ends its run, so 64 of them on one CPU are no slower than one.
RUN = "start for 20ms"
# CPU time of the main lcore: 10 to 70 ms here. A walk over all pairs of streams, or all queues of ports that never run dry, takes seconds.
QUICK_S = 0.5
NULLS = [f"net_null{number}" for number in range(PORTS)]

pytestmark = pytest.mark.zcfwd


def many(binary, ports, queues, lcores, *args):
    """A forwarder with this number of ports, queues and lcores. All lcores share the CPUs."""
    return Session(binary, vdevs=NULLS[:ports], args=[f"--rxq={queues}", f"--txq={queues}", f"--nb-cores={lcores}", *args],
                   lcores=f"0@0,(1-{lcores})@(0-1)", memory=ordinary_pages(512), pool="--total-num-mbufs=60000")


@pytest.fixture(scope="module", name="large")
def fixture_large(binary):
    with many(binary, PORTS, QUEUES, LCORES) as session:
        yield session


def expected_streams(ports, queues, lcores):
    """(lcore, rx port, rx queue, tx port, tx queue) of paired ports, by queue, then port; the last lcores get what division leaves."""
    streams = [(port, queue, port ^ 1, queue) for queue in range(queues) for port in range(ports)]
    lcores = min(lcores, len(streams))
    each, more = divmod(len(streams), lcores)
    owners = [lcore for lcore in range(1, lcores + 1) for _ in range(each + (lcore > lcores - more))]
    return [(lcore, *stream) for lcore, stream in zip(owners, streams)]


def planned(config):
    """The streams of `show config fwd`; each is on the sockets of its ports."""
    sockets = {}
    for lcore in config["lcores"]:
        assert lcore["n_streams"] == len(lcore["streams"])
        for stream in lcore["streams"]:
            for way in ("rx", "tx"):
                assert sockets.setdefault(stream[way + "_port"], stream[way + "_socket"]) == stream[way + "_socket"]
            assert stream["peer"] == f"02:00:00:00:00:{stream['tx_port']:02X}"
    return [(lcore["lcore"], *(stream[name] for name in ("rx_port", "rx_queue", "tx_port", "tx_queue"))) for lcore in config["lcores"] for stream in lcore["streams"]]


def counted(stream):
    return tuple(stream[name] for name in ("lcore", "rx_port", "rx_queue", "tx_port", "tx_queue"))


def in_json(session, *commands):
    """The objects of these commands."""
    session.cmd("set output json")
    answers = [session.json_ok(command) for command in commands]
    session.cmd("set output text")
    return answers


def balanced(answer, streams):
    """Each stream is there once, has received, and its packets are in the account, none twice."""
    assert [counted(stream) for stream in answer["streams"]] == streams
    assert all(stream["rx"] > 0 and stream["rx"] == stream["tx"] + stream["tx_dropped"] for stream in answer["streams"])
    received, account = sum(stream["rx"] for stream in answer["streams"]), answer["summary"]
    assert received == account["offered"] == account["sent"] + account["refused"] and account["tx_errors"] == account["dropped"] == 0
    assert account["verdict"] is None
    return received


def test_plan(large):
    """Each queue of each port is a stream once; text and JSON have the same ones."""
    (config,) = in_json(large, "show config fwd")
    assert (config["n_ports"], config["n_lcores"], config["n_streams"]) == (PORTS, LCORES, PORTS * QUEUES)
    assert planned(config) == expected_streams(PORTS, QUEUES, LCORES)
    shown, lcore = [], 0
    for line in large.cmd("show config fwd").splitlines():
        if owner := re.match(r"Logical Core (\d+) \(socket \d+\) forwards packets on 16 streams:", line):
            lcore = int(owner[1])
        elif stream := re.match(r"  RX P=(\d+)/Q=(\d+) \(socket \d+\) -> TX P=(\d+)/Q=(\d+) ", line):
            shown.append((lcore, *map(int, stream.groups())))
    assert shown == planned(config)


def test_run(large):
    """net_null counts its first 16 queues, as DPDK does for testpmd: a line says so, and no packet is called lost."""
    large.ok(RUN)
    (answer,) = in_json(large, "show fwd stats all")
    balanced(answer, expected_streams(PORTS, QUEUES, LCORES))
    assert [port["port"] for port in answer["ports"]] == list(range(PORTS))
    assert {one["lcore"] for one in answer["summary"]["cpu"]} == set(range(1, LCORES + 1))
    covered = sum(stream["rx"] for stream in answer["streams"] if stream["rx_queue"] < 16)
    if answer["total"]["rx_packets"] == covered:  # other releases count all queues
        assert "Port 0 and others: driver net_null counts the packets of 16 queues only; " in large.stderr()


def cpu_s(session):
    """CPU time that the main lcore has used."""
    return int(pathlib.Path(f"/proc/{session.pid}/task/{session.pid}/schedstat").read_text(encoding="ascii").split()[0]) / 1e9


@pytest.mark.parametrize("command", [
    "show config fwd", RUN, "show fwd stats all", "show fwd bursts", "show port summary all", "show port stats all", "show port info all",
    "show port xstats all", "show config rxtx", "top count 1 every 100ms", "clear fwd stats all", "explain drops"])
def test_quick(large, command):
    """The main lcore walks over all streams once: no command takes longer because of pairs of them."""
    if not pathlib.Path("/proc/self/schedstat").exists():
        pytest.skip("the kernel does not count the CPU time of threads in ns (CONFIG_SCHED_INFO)")
    before = cpu_s(large)
    large.cmd(command, limit(30))
    assert cpu_s(large) - before < QUICK_S


def test_port_pages(large):
    """Answers about ports have each port once."""
    summary, stats, info = in_json(large, "show port summary all", "show port stats all", "show port info all")
    for answer in (summary, stats, info):
        assert [port["port"] for port in answer["ports"]] == list(range(PORTS))
    assert summary["n_ports"] == PORTS and {port["name"] for port in summary["ports"]} == set(NULLS)


def test_record(large, tmp_path):
    """A recording has each stream and each packet."""
    path = tmp_path / "record"
    large.ok(f"record start {path} every 10", RUN, "record stop")
    (answer,) = in_json(large, "show fwd stats all")
    (end,) = of_type(lines(path), "end")
    total = sums([end])
    assert len(total) == PORTS * QUEUES
    assert [total[number]["rx"] for number in range(PORTS * QUEUES)] == [stream["rx"] for stream in answer["streams"]]


def test_top(large):
    """The page of streams has all of them."""
    sample = in_json(large, "top count 1 every 100ms")[0]["samples"][0]
    assert len(sample["streams"]) == PORTS * QUEUES


def test_most_queues(binary):
    """ethdev's limit of queues on two ports; `port config` goes there too, and no further."""
    with many(binary, 2, 1, 2) as session:
        session.ok("port stop all", f"port config all rxq {MOST_QUEUES}", f"port config all txq {MOST_QUEUES}", "port start all", RUN)
        config, answer = in_json(session, "show config fwd", "show fwd stats all")
        streams = expected_streams(2, MOST_QUEUES, 2)
        assert planned(config) == streams
        assert [counted(stream) for stream in answer["streams"]] == streams
        session.ok("port stop all")
        session.cmd(f"port config all rxq {MOST_QUEUES + 1}")
        assert f"can't be greater than max_rx_queues ({MOST_QUEUES}) of port 0" in session.stderr()


def test_most_lcores(binary):
    with many(binary, PORTS, 4, MOST_LCORES - 1) as session:
        (config,) = in_json(session, "show config fwd")
        assert config["n_lcores"] == MOST_LCORES - 1
        assert planned(config) == expected_streams(PORTS, 4, MOST_LCORES - 1)


def refusal(binary, **how):
    """What the program says that does not start."""
    with Session(binary, interactive=False, ends=1, **how) as session:
        session.finish()
        return session.stderr()


def test_limits_named(binary):
    """What DPDK was built for ends what is asked: the error has the limit, the value and what helps."""
    assert "rxq 1025: expected 0..1024 queues, the limit of this DPDK is RTE_MAX_QUEUES_PER_PORT; use more ports" in refusal(binary, args=["--rxq=1025"])
    assert ("lcore 128: expected 0..127, the limit of this DPDK is RTE_MAX_LCORE (128); give a CPU a lower lcore number, --lcores LCORE@CPU"
            in refusal(binary, lcores="0@0,(1-128)@0"))
    with Session(binary, vdevs=[*NULLS, "net_null32", "net_null33"]) as session:
        full = "all 32 ports exist, the limit of this DPDK is RTE_MAX_ETHPORTS; detach a port"
        assert f"net_null32 has no port, nor have others after it: {full}" in session.stderr()
        session.cmd("port attach net_null40")
        assert f"Failed to attach port net_null40: {full}" in session.stderr()
        session.ok("port stop 3", "port close 3", "port detach 3", "port attach net_null40")


@needs_model_nic
def test_modelled_queues(binary, tmp_path):
    """64 queues of an XL710: its table leads to each eight times, each gets packets, also recycled and without mbufs, and no buffer is in two places."""
    queues = 64
    with Modelled(binary, "xl710,verify,flows=1024*2", tmp_path, [f"--rxq={queues}", f"--txq={queues}", "--rss-udp", "--rxd=64", "--txd=64"]) as session:
        masks = ",".join(["0xffffffffffffffff"] * 8)
        (table,) = in_json(session, f"show port 0 rss reta 512 ({masks})")
        assert [table["reta"].count({"hash_index": index, "queue": index % queues}) for index in range(512)] == [1] * 512
        for way in TURNS:
            session.ok(*way, PATIENT, "start")
            wait_until(lambda: every_queue(session, queues), f"packets on all queues after {way}", 60)
            session.cmd("stop")
            (answer,) = in_json(session, "show fwd stats all")
            balanced(answer, expected_streams(2, queues, 1))
        session.quit()
        for report in session.reports():
            faults = {name: report[name] for name in GOOD if name != "missing"}  # a stop leaves packets in the rings
            assert faults == dict.fromkeys(faults, 0), report


def every_queue(session, queues):
    """Whether all streams have received."""
    (answer,) = in_json(session, "show fwd stats all")
    return len(answer["streams"]) == 2 * queues and all(stream["rx"] > 0 for stream in answer["streams"])
