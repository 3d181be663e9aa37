# SPDX-License-Identifier: BSD-3-Clause
"""The life of ports: attach, start, stop, close, detach, queues, descriptors; forwarding works after each step."""
import re

import pytest

from modelled import Modelled, needs_model_nic
from session import Session, wait_until
from stats import blocks

TWO_WORKERS = "0@0,1@0,2@1"
STREAM = re.compile(r"RX P=(\d+)/Q=(\d+) \(socket \d+\) -> TX P=(\d+)/Q=(\d+)")
STREAM_STATS = re.compile(r"RX Port=\s*(\d+)/Queue=\s*(\d+) -> TX Port=\s*(\d+)/Queue=\s*(\d+)")


def streams(text):
    """The (rx port, rx queue, tx port, tx queue) lines of `show config fwd`, in order."""
    return [tuple(map(int, row)) for row in STREAM.findall(text)]


def ports_in(session):
    return [int(n) for n in re.findall(r"^(\d+) +[0-9A-F]{2}:", session.cmd("show port summary all"), re.M)]


def forwards(session, ports):
    """A run moves packets on all these ports, and on no other."""
    session.ok("start")

    def moved():
        rows = blocks(session.cmd("show fwd stats all"))
        return set(rows) - {"total"} == set(ports) and all(row["RX-packets"] for row in rows.values())
    wait_until(moved, f"packets on ports {ports}")
    text = session.cmd("stop")
    assert text.endswith("Done.\n")
    return text


def test_attach_and_detach(binary):
    with Session(binary) as session:
        forwards(session, [0, 1])
        for i in (2, 3):
            answer = session.cmd(f"port attach net_null{i}")
            assert f"Port {i} is attached. Now total ports is {i + 1}\nDone\n" in answer
        session.ok("port start all", "set portlist 0,1,2,3")
        forwards(session, [0, 1, 2, 3])
        for i in (3, 2):
            session.ok(f"port stop {i}")
            answer = session.cmd(f"port detach {i}")
            assert f"Device is detached\nNow total ports is {i}\nDone\n" in answer
        assert ports_in(session) == [0, 1]
        session.ok("set portlist 0,1")
        forwards(session, [0, 1])


def test_counters_of_a_reused_number(binary):
    """A newcomer's counters begin where its device does, whoever had the number before."""
    with Session(binary) as session:
        forwards(session, [0, 1])
        session.ok("port stop 1", "port detach 1", "port attach net_null7", "port start 1", "set portlist 0,1")
        session.cmd("set output json")
        found = {port["port"]: port for port in session.json_ok("show fwd stats all")["ports"]}
        assert all(found[1][name] == 0 for name in ("rx_packets", "rx_bytes", "tx_packets", "rx_total", "tx_total")), found[1]


def test_again_and_again(binary):
    with Session(binary) as session:
        for _ in range(20):
            session.ok("port attach net_null7", "port start 2", "set portlist 0,1,2", "start", "stop",
                       "set portlist 0,1", "port stop 2", "port detach 2")
            assert ports_in(session) == [0, 1]
        forwards(session, [0, 1])


def test_from_no_ports_at_all(binary):
    with Session(binary, []) as session:
        session.ok("port attach net_null0", "port attach net_null1", "port start all", "set portlist 0,1")
        forwards(session, [0, 1])


def test_start_needs_started_ports(binary):
    with Session(binary, merge=True) as session:
        session.ok("port stop 1")
        assert session.cmd("start") == 'Not all ports were started: use "port start 1"\n'
        session.ok("port start 1")
        forwards(session, [0, 1])


def test_running_ports_are_safe(binary):
    """While forwarding runs, what would pull a port away is refused and the run goes on."""
    with Session(binary, merge=True) as session:
        session.ok("start")
        for line in ("port stop 0", "port stop all", "port close 1", "port detach 0", "port reset 0",
                     "port config all rxq 2", "set portlist 0", "set nbcore 1", "set corelist 1"):
            before = blocks(session.cmd("show fwd stats all"))["total"]["RX-packets"]
            assert re.search("(?i)please|not stopped", session.cmd(line)), line
            wait_until(lambda: blocks(session.cmd("show fwd stats all"))["total"]["RX-packets"] > before, line)
        session.ok("stop")
        forwards(session, [0, 1])


@pytest.mark.parametrize("cores", [1, 2])
def test_queues(binary, cores):
    with Session(binary, args=[f"--nb-cores={cores}"], lcores=TWO_WORKERS) as session:
        for queues in (1, 2, 5, 1):
            session.ok("port stop all", f"port config all rxq {queues}", f"port config all txq {queues}",
                       "port start all")
            info = session.cmd("show port info 0")
            assert f"Current number of RX queues: {queues}\n" in info
            assert f"Current number of TX queues: {queues}\n" in info
            wanted = {(port, q, 1 - port, q) for port in (0, 1) for q in range(queues)}
            config = session.cmd("show config fwd")
            assert set(streams(config)) == wanted
            assert config.count("forwards packets on") == min(cores, len(wanted))
            session.ok("start")
            if queues > 1:
                def all_moved():
                    found = STREAM_STATS.findall(session.cmd("show fwd stats all"))
                    return {tuple(map(int, row)) for row in found} == wanted
                wait_until(all_moved, f"packets on each of {len(wanted)} streams")
            session.ok("stop")


def test_descriptors(binary):
    with Session(binary) as session:
        session.ok("port stop all", "port config all rxd 256", "port config all txd 1024", "port start all")
        text = session.cmd("show config rxtx")
        assert text.count("RX desc=256 ") == 2 and text.count("TX desc=1024 ") == 2
        forwards(session, [0, 1])


def test_mtu(binary):
    with Session(binary) as session:
        session.ok("port config mtu 0 1400")
        assert "MTU: 1400\n" in session.cmd("show port info 0")
        assert "MTU: 1500\n" in session.cmd("show port info 1")
        forwards(session, [0, 1])


def test_promiscuous_and_allmulticast(binary):
    with Session(binary, ["net_ring0", "net_ring1"]) as session:
        for name, word in (("promisc", "Promiscuous mode"), ("allmulti", "Allmulticast mode")):
            for which, state in (("all", "off"), ("0", "on"), ("all", "on"), ("1", "off")):
                session.ok(f"set {name} {which} {state}")
                shown = {"on": "enabled", "off": "disabled"}[state]
                for port in (0, 1) if which == "all" else (int(which),):
                    assert f"{word}: {shown}\n" in session.cmd(f"show port info {port}"), (name, which, state)


def test_mac_addresses(binary):
    with Session(binary, merge=True) as session:
        session.ok("mac_addr set 0 02:00:00:00:10:01")
        assert "MAC address: 02:00:00:00:10:01\n" in session.cmd("show port info 0")
        assert session.cmd("show port 0 macs") == "Number of MAC address added: 1\n  02:00:00:00:10:01\n"
        session.ok("port stop 0", "port start 0")
        assert "MAC address: 02:00:00:00:10:01\n" in session.cmd("show port info 0")


def topology(kind, ports):
    """Where each port of the list sends to."""
    n = len(ports)
    if kind == "loop":
        return {p: p for p in ports}
    if kind == "chained":
        return {p: ports[(i + 1) % n] for i, p in enumerate(ports)}
    return {p: ports[i ^ 1] if i ^ 1 < n else p for i, p in enumerate(ports)}


@pytest.mark.parametrize("kind", ["paired", "chained", "loop"])
def test_topology_and_port_order(binary, kind):
    vdevs = [f"net_null{i}" for i in range(4)]
    with Session(binary, vdevs, [f"--port-topology={kind}"]) as session:
        for ports in ([0, 1, 2, 3], [3, 1, 0, 2], [2, 0], [1, 2, 3], [2]):
            session.ok(f"set portlist {','.join(map(str, ports))}")
            got = streams(session.cmd("show config fwd"))
            assert [row[0] for row in got] == ports
            assert {row[0]: row[2] for row in got} == topology(kind, ports), ports
            forwards(session, ports)


def test_masks(binary):
    with Session(binary, [f"net_null{i}" for i in range(4)], ["--nb-cores=2"], lcores=TWO_WORKERS) as session:
        for mask, ports in (("0x3", [0, 1]), ("12", [2, 3]), ("0xf", [0, 1, 2, 3])):
            session.ok(f"set portmask {mask}")
            assert [row[0] for row in streams(session.cmd("show config fwd"))] == ports
            forwards(session, ports)
        for line, cores in (("set coremask 0x2", "1"), ("set coremask 0x4", "2"), ("set corelist 2,1", "2  1"),
                            ("set corelist 1,2", "1  2")):
            session.ok(line)
            assert session.cmd("show config cores") == f"List of forwarding lcores:  {cores}\n"
            forwards(session, [0, 1, 2, 3])


def test_many_cores_many_streams(binary):
    """Streams are dealt out to the lcores evenly, each to one."""
    with Session(binary, args=["--nb-cores=3", "--rxq=4", "--txq=4"], lcores="0@0,1@0,2@1,3@1") as session:
        text = session.cmd("show config fwd")
        counts = [int(n) for n in re.findall(r"forwards packets on (\d+) streams", text)]
        assert len(counts) == 3 and sum(counts) == 8 and max(counts) - min(counts) <= 1
        assert len(set(streams(text))) == 8
        forwards(session, [0, 1])


@pytest.mark.zcfwd
def test_what_crashes_testpmd(binary):
    """`set nbcore 0` ends testpmd, other lines leave it forwarding nothing; here they are errors."""
    with Session(binary) as session:
        for line in ("set nbcore 0", "set burst 0", "set nbport 0", "set portmask 8"):
            before = session.stderr()
            assert session.cmd(line) == "", line
            assert len(session.stderr()) > len(before), line
            forwards(session, [0, 1])


XL710 = "xl710,flows=64*2"


def refused(session, line):
    """What a command says that is refused."""
    before = len(session.stderr())
    answer = session.cmd(line)
    return answer + session.stderr()[before:]


@needs_model_nic
def test_rss_before_the_ports_start(binary, tmp_path):
    """With more queues than before, RSS is on from the next start on: its types may be set first, as last."""
    with Modelled(binary, XL710, tmp_path) as session:
        error = refused(session, "port config all rss udp")
        assert 'RSS is off: stop the ports and use "port config all rxq N" first.' in error
        session.ok("port stop all", "port config all rxq 4", "port config all txq 4", "port config all rss udp", "port start all")
        assert {queue for _, queue, _, _ in STREAM_STATS.findall(forwards(session, [0, 1]))} == {"0", "1", "2", "3"}


@needs_model_nic
def test_descriptors_that_no_driver_takes(binary, tmp_path):
    with Modelled(binary, XL710, tmp_path) as session:
        session.ok("port stop all")
        for line in ("port config all rxd 77", "port config all txd 77", "port config 1 rxq 0 ring_size 100"):
            assert "is not a multiple of 32, which port " in refused(session, line), line
        session.ok("port config all rxd 96", "port start all")
        forwards(session, [0, 1])


@needs_model_nic
def test_rings_larger_than_their_pool(binary, tmp_path):
    """The command that raises them says how many buffers are missing; a start takes none and says so too."""
    with Modelled(binary, XL710, tmp_path, mbufs=8192) as session:
        session.ok("port stop all", "port config all rxd 4096")
        assert session.stderr().count("Pool mb_pool_0 has 8192 buffers; the receive rings of all ports need 8192 and the lcores' caches up to ") == 1
        assert re.search(r": (\d+) are missing\. Use fewer queues or descriptors, or restart with --total-num-mbufs=\d+ or more\.\n", session.stderr())
        session.ok("port config 0 dcb vt off 4 pfc off")
        assert "need 524288 and" in session.stderr()
        error = refused(session, "port start all")
        assert "Fail to start port 0: " in error and "need 262144 buffers and pool mb_pool_0 has 8192: 253952 are missing." in error
        assert "available=8192, in use=0" in session.cmd("show pool")
        session.ok("port config 0 dcb vt off 4 pfc off keep-qnum")
