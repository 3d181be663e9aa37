# SPDX-License-Identifier: BSD-3-Clause
"""Ports that get packets of several segments have multi_segs, whoever forgot it: with one line, and only as long as it is needed."""
import re

import pytest

from laws import check_law
from mocks import LACKS, Mock
from modelled import PATIENT, SEGMENTS, STOPPED, Modelled, needs_model_nic
from packets import read_pcap, write_pcap
from session import wait_until
from stats import port_stats
from virtio_pair import numbered

pytestmark = pytest.mark.zcfwd

N = 300
LONG = ["--enable-scatter", "--max-pkt-len=9100"]
ON = "Port {}: multi_segs enabled: port {} receives frames longer than its buffers (scatter)"
OFF = "Port {}: multi_segs disabled again: its packets have one segment"


def said(text):
    return [line.strip() for line in text.splitlines() if "multi_segs" in line]


def has_offload(session, port):
    return "MULTI_SEGS" in session.cmd(f"show port {port} tx_offload configuration")


def start(session):
    """Start; what it said about the offload."""
    before = len(session.stderr())
    answer = session.cmd("start")
    return said(answer + session.stderr()[before:])


def rig(binary, tmp_path, packets, args):
    """Port 0 receives the file again and again, port 1 writes what it sends, port 2 is idle."""
    write_pcap(tmp_path / "in", packets)
    return Modelled(binary, f"xl710,rx=pcap:{tmp_path}/in:100000;xl710,rx=none,tx=pcap:{tmp_path}/out;xl710,rx=none", tmp_path, [STOPPED, *args])


@needs_model_nic
@pytest.mark.parametrize("asked", [False, True])
def test_scatter(binary, tmp_path, asked):
    """Frames longer than an mbuf leave whole; the line names both ports; who set the offload sees none."""
    packets = numbered(N, longest=8000)
    with rig(binary, tmp_path, packets, [*LONG, *([SEGMENTS] if asked else [])]) as session:
        session.ok("set portlist 0,1", "set fwd io retry", PATIENT, "port start all")
        # Port 0 sends what port 1 receives, in several segments too.
        assert start(session) == ([] if asked else [ON.format(0, 1), ON.format(1, 0)])
        assert [has_offload(session, port) for port in range(3)] == [True, True, asked]
        wait_until(lambda: port_stats(session, 1)["TX-packets"] >= 3 * N, "all packets")
        session.ok("stop")
        assert start(session) == []
        session.ok("stop", "port stop all")
    assert set(read_pcap(tmp_path / "out")) == set(packets)


@needs_model_nic
def test_only_as_long(binary, tmp_path):
    """With frames that fit again the offload goes, unless the operator set it; a run that needs it not has no line."""
    with rig(binary, tmp_path, numbered(N, longest=1000), LONG) as session:
        session.ok("set portlist 0,1", "set fwd io", "port start all")
        session.ok("set fwd rxonly")
        assert start(session) == []
        session.ok("stop", "set fwd txonly")
        assert start(session) == []
        session.ok("stop", "set fwd io")
        assert len(start(session)) == 2
        session.ok("stop", "port stop all", "port config all max-pkt-len 1518", "port config 1 tx_offload multi_segs on", "port start all")
        assert start(session) == [OFF.format(0)]
        assert [has_offload(session, port) for port in range(3)] == [False, True, False]
        session.ok("stop")
        assert start(session) == []
        session.ok("stop")


@needs_model_nic
def test_who_may_get_them(binary, tmp_path):
    """An engine that routes may send them by any port of the run; one whose frames fit by none."""
    with rig(binary, tmp_path, numbered(N, longest=1000), ["--enable-scatter"]) as session:
        session.ok("route add 0.0.0.0/0 port 2", "set fwd l3fwd", "port start all")
        assert start(session) == []
        session.ok("stop", "port stop all", "port config all max-pkt-len 9100", "port start all")
        lines = start(session)
        assert [line.split(":")[0] for line in lines] == ["Port 0", "Port 1", "Port 2"], lines
        session.ok("stop")


def in_use(session):
    return int(re.search(r"in use (\d+)", session.cmd("show mempool"))[1])


@needs_model_nic
@pytest.mark.parametrize("lines, run, why", [
    (["set txpkts 100,40", "set fwd txonly"], "start for 20 ms", "engine txonly creates packets of several segments (txpkts)"),
    (["set txpkts 100,40", "set fwd io"], "start tx_first 1", "engine txonly creates packets of several segments (txpkts)"),
    (["set txpkts 40,24", "set txsplit on", "set fwd csum"], "start for 20 ms", "engine csum splits packets (txsplit)"),
    (["set port 0 gso on", "set fwd csum"], "start for 20 ms", "engine csum cuts packets into headers and payload (gso)"),
], ids=["txonly", "tx_first", "txsplit", "gso"])
def test_made(binary, tmp_path, lines, run, why):
    """Packets that engines make of several segments leave whole: no mbuf is lost in the driver."""
    with Modelled(binary, "xl710,flows=64*2", tmp_path, [STOPPED]) as session:
        session.ok(*lines, "port start all")
        before = len(session.stderr())
        answer = session.cmd(run)
        if "for" not in run:
            session.ok("stop")
        told = said(answer + session.stderr()[before:])
        assert told == [f"Port {port}: multi_segs enabled: {why}" for port in ([0] if "gso" in why else [0, 1])]
        session.ok("set txpkts 64", "set txsplit off", "set port 0 gso off", "port stop all")
        assert in_use(session) == 0
        session.ok("port start all")
        assert len(start(session)) == len(told)
        session.ok("stop")


@pytest.mark.skipif(bool(LACKS), reason=f"mock ports are left out: {LACKS}")
def test_split(binary, tmp_path):
    """A port that splits packets: the line says so, and recycling or direct are judged with the offload."""
    with Mock(binary, "ice,rx=copy,flows=16", tmp_path, ["--mbuf-size=2176,2176", "--rx-offloads=0x100000", "--rxhdrs=eth"]) as session:
        session.ok("set fwd io")
        assert start(session) == [f"Port {port}: multi_segs enabled: port {1 - port} splits packets (buffer_split)" for port in range(2)]
        wait_until(lambda: port_stats(session, 1)["TX-packets"] > 1000, "packets")
        session.cmd("set output json")
        check_law(session.json_ok("stop")["streams"])
