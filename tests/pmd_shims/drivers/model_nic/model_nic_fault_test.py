# SPDX-License-Identifier: BSD-3-Clause
"""Faults of modelled NICs: survived, counted, and said by zcfwd and by the driver."""
import os
import random
import re
import time

import pytest

from conftest import SEED
from mocks import LACKS
from modelled import GOOD, MOCK, RETRY, SEGMENTS, STOPPED, Modelled, all_good, each_device, moved, sent
from plugin import dpdk_release
from session import wait_until
from stats import blocks, port_stats


def test_link(binary, tmp_path):
    """The cable is out for a while: zcfwd says both changes, and the state."""
    with Modelled(binary, "xl710,verify,flows=16*2", tmp_path) as session:
        session.ok(*RETRY, "start")
        moved(session, 0)

        def told():
            """Without asking for the state: who does takes the change from the driver, which then has no event."""
            session.cmd("show port stats 0")
            return session.transcript().count("Port 0: link state change event")

        session.fault(0, "link down 1500")
        wait_until(lambda: told() == 1, "the first event", 20)
        assert "Link status: down" in session.cmd("show port info 0")
        wait_until(lambda: told() == 2, "the second event", 20)
        assert "Link status: up" in session.cmd("show port info 0")
        moved(session, 0)
        session.ok("stop")
        session.quit()
        report = session.reports()[0]
    assert (report["link_changes"], report["faults"], report["faults_link"]) == (2, 1, 1)


@each_device
def test_stall(binary, device, tmp_path):
    """Nothing that is posted gets sent: rings fill, zcfwd drops and counts; then all goes on."""
    with Modelled(binary, f"{device}*2", tmp_path) as session:
        session.ok("start")
        moved(session, 1, "TX-packets")
        dropped = blocks(session.cmd("show fwd stats all"))[1]["TX-dropped"]
        session.fault(1, "stall tx 3000")
        wait_until(lambda: session.report(1)["faults_stall"] == 1, "the stall")
        stalled = session.report(1)["tx_packets"]
        wait_until(lambda: blocks(session.cmd("show fwd stats all"))[1]["TX-dropped"] > dropped + 10_000, "packets dropped")
        wait_until(lambda: session.report(1)["tx_packets"] > stalled, "packets sent again")
        session.ok("stop")
        for stream in re.split("(?m)^RX Port=", session.cmd("show fwd counters"))[1:]:
            rx, tx, dropped = (int(re.search(rf"(?m)^ +(\d+) +{word}$", stream)[1]) for word in ("rx", "tx", "tx_dropped"))
            assert rx == tx + dropped
        session.quit()
        assert session.reports()[1]["faults_stall"] == session.reports()[1]["faults"] == 1


@each_device
def test_starve(binary, device, tmp_path):
    """Nothing reaches the driver, while a source with a rate goes on: missed, as zcfwd says too."""
    with Modelled(binary, f"{device},rate=100000;{device},rx=none", tmp_path) as session:
        session.ok("start")
        moved(session, 0)
        session.fault(0, "starve rx 300")
        wait_until(lambda: port_stats(session, 0)["RX-missed"] > 10_000, "packets missed")
        moved(session, 0)
        session.ok("stop", "port stop all")
        session.quit()
        report = session.reports()[0]
    assert report["rx_missed"] >= 10_000 and report["faults_starve"] == 1


@each_device
def test_errors(binary, device, tmp_path):
    """MAC errors and packets that are too long: both are errors of the port."""
    with Modelled(binary, f"{device},rate=10000;{device},rx=none", tmp_path) as session:
        session.ok("start")
        session.fault(0, "error 100")
        wait_until(lambda: port_stats(session, 0)["RX-errors"] == 100, "100 errors")
        session.fault(0, "oversize 50")
        wait_until(lambda: port_stats(session, 0)["RX-errors"] == 150, "150 errors")
        moved(session, 0)
        assert port_stats(session, 0)["RX-errors"] == 150
        session.ok("stop")
        session.quit()
        report = session.reports()[0]
    assert (report["rx_errors"], report["rx_oversize"], report["faults"]) == (100, 50, 2)


@pytest.mark.parametrize("device, longest", [("xl710", 9018), ("82599", 9010)])  # net_i40e leaves room for two tags
def test_jumbo_fault(binary, device, longest, tmp_path):
    """Packets of several descriptors among short ones: all verified, and the driver's bytes show them."""
    with Modelled(binary, f"{device},verify,count=50000*2", tmp_path, [STOPPED, SEGMENTS]) as session:
        assert "larger MTU" in session.ask("/model_nic/fault,0,jumbo 5")["error"]
        session.ok("port config mtu 0 9000", "port config mtu 1 9000", "port start all")
        session.fault(0, "jumbo 200")
        session.ok(*RETRY, "start")
        sent(session, 1, 50_200)
        sent(session, 0, 50_000)
        assert port_stats(session, 1)["TX-bytes"] == 50_000 * 60 + 200 * longest
        session.ok("stop")
        session.quit()
        reports = session.reports()
    for report, other in zip(reports, reports[::-1]):
        assert {name: report[name] for name in GOOD} == dict.fromkeys(GOOD, 0)
        assert report["ok"] == other["generated"]
    assert [report["generated"] for report in reports] == [50_200, 50_000]


def test_reset(binary, tmp_path):
    """The card resets itself: net_i40e says so and does no more; the application resets the port."""
    with Modelled(binary, "xl710,verify*2", tmp_path, eal=["--log-level=pmd.net.i40e.driver:info"]) as session:
        session.ok("start")
        moved(session, 0)
        session.fault(0, "reset")
        wait_until(lambda: "global reset requested" in session.stderr() + session.transcript(), "the driver's word")

        def silent():
            received = session.report(0)["rx_packets"]
            moved(session, 1)
            return session.report(0)["rx_packets"] == received

        wait_until(silent, "packets on port 1 alone", 20)
        session.cmd("stop")
        session.cmd("port stop all", 60)
        session.cmd("port reset 0", 60)
        session.ok("port start all", "start")
        moved(session, 0)
        moved(session, 1)
        session.ok("stop")
        session.quit()
        assert session.rc == 0
        report = session.reports()[0]
    assert report["faults_reset"] == 1 and report["corrupted"] == report["duplicated"] == report["foreign"] == 0


@each_device
def test_plan(binary, device, tmp_path):
    """Faults after so many packets; those that lose nothing lose nothing."""
    plan = "fault=stall tx 20@1000,fault=link down 30@5000,fault=error 10@20000,fault=starve rx 20@50000,fault=oversize 3@70000"
    with Modelled(binary, f"{device},verify,count=100000,{plan}*2", tmp_path) as session:
        session.ok(*RETRY, "start")
        for port in (0, 1):
            sent(session, port, 100_000)
        session.ok("stop")
        session.quit()
        reports = session.reports()
    all_good(reports, 100_000)
    for report in reports:
        assert (report["faults"], report["rx_errors"], report["rx_oversize"], report["link_changes"]) == (5, 10, 3, 2)


def test_words_of_faults(binary, tmp_path):
    with Modelled(binary, "xl710", tmp_path) as session:
        for words in ("", "link down", "link down 0", "stall tx 1x", "stall rx 5", "error -1", "error 1 2", "reset 1", "Reset"):
            answer = session.ask(f"/model_nic/fault,0,{words}")
            assert answer["error"].startswith("expected link down MS, "), words
        assert "expected a port" in session.ask("/model_nic/fault,1,reset")["error"]
        assert session.report(0)["faults"] == 0


def test_pool_exhaustion(binary, tmp_path):
    """
    Stalled Tx rings hold so many mbufs that Rx finds none; afterwards all goes on, and nothing is in a packet that was not sent there. With
    SSE: net_i40e's AVX functions clear four descriptors when the pool is empty and look at eight.
    """
    with Modelled(binary, "xl710,verify,flows=4*2", tmp_path, ["--rxd=512", "--txd=1024", "--mbcache=32"],
                  bits=128, mbufs=2400) as session:
        session.ok("start")
        moved(session, 0)
        for _ in range(3):
            before = session.count("RX-nombuf")
            for port in (0, 1):
                session.fault(port, "stall tx 300")
            wait_until(lambda: session.count("RX-nombuf") > before, "an empty pool", 20)
            for port in (0, 1):
                stalled = session.report(port)["tx_packets"]
                wait_until(lambda: session.report(port)["tx_packets"] > stalled, "packets sent again", 20)
                moved(session, port)
        session.ok("stop")
        session.quit()
        for report in session.reports():
            bad = {name: report[name] for name in GOOD if name != "missing"}
            assert bad == dict.fromkeys(bad, 0)
            assert report["ok"] > 0


@pytest.mark.parametrize("mbufs,bits,warned", [(2400, 256, True), (2400, 128, False), (32768, 256, False)])
def test_pool_too_small_for_avx(binary, tmp_path, mbufs, bits, warned):
    """Rings and caches can empty the pool, and what net_i40e's AVX functions do then is said."""
    with Modelled(binary, "xl710*2", tmp_path, ["--rxd=512", "--txd=1024", "--mbcache=32"],
                  bits=bits, mbufs=mbufs) as session:
        session.ok("start", "stop")
        assert session.stderr().count("returns packets twice when pool mb_pool_0 is empty") == 2 * warned


@pytest.mark.skipif(LACKS != "", reason=f"mock ports are left out: {LACKS}")
@pytest.mark.skipif(dpdk_release() >= "26.03", reason="since DPDK 26.03 such rings are refused")
@pytest.mark.parametrize("driver, first", [("ice", "22.11"), ("i40e", "25.07")])
@pytest.mark.parametrize("ring", [64, 128])
def test_ring_that_is_never_refilled(binary, tmp_path, driver, first, ring):
    """Functions that arm 64 descriptors when more are free: `start` says so, and one ring of packets is all that comes."""
    ports = [f"net_mock{i},driver={driver},flows=16" for i in range(2)]
    with Modelled(binary, "", tmp_path, [f"--rxd={ring}", "--txd=256"], plugin=MOCK, vdevs=ports) as session:
        stops = ring == 64 and dpdk_release() >= first
        session.ok("set fwd rxonly", "start")
        assert session.stderr().count("driver bug: receive queue 0 with 64 descriptors is never refilled") == 2 * stops
        wait_until(lambda: session.count("RX-packets") >= (126 if stops else 1000), "packets", 20)
        session.ok("stop")
        assert (session.count("RX-packets") == 126) == stops
        session.quit()


@pytest.mark.soak
@each_device
def test_soak(binary, device, tmp_path, capsys):
    """100 million verified packets, or SOAK_PACKETS, with faults at random moments; ZCFWD_TEST_SEED makes the same faults again."""
    total = int(os.environ.get("SOAK_PACKETS", "100000000"))
    seed = SEED
    chance = random.Random(seed)
    with capsys.disabled():
        print(f"model_nic soak: seed {seed}")
    kinds = {"link down": 200, "stall tx": 300, "starve rx": 300, "error": 1000, "oversize": 1000, "jumbo": 1000}
    given, expected = dict.fromkeys(kinds, 0), [total // 2] * 2
    devices = f"{device},verify,count={total // 2},flows=64,size=60-300*2"
    with Modelled(binary, devices, tmp_path, [STOPPED, SEGMENTS, "--rxq=2", "--txq=2", "--rss-udp"]) as session:
        session.ok("port config mtu 0 9000", "port config mtu 1 9000", "port start all", *RETRY, "start")
        end = time.monotonic() + 3600
        while not all(session.report(port)["generated"] >= total // 2 for port in (0, 1)):
            assert time.monotonic() < end
            kind, port = chance.choice(list(kinds)), chance.randrange(2)
            amount = chance.randint(1, kinds[kind])
            session.fault(port, f"{kind} {amount}")
            given[kind] += 1
            expected[port] += amount if kind == "jumbo" else 0
            time.sleep(chance.uniform(0, 1))
        for port in (0, 1):
            wait_until(lambda: session.report(port)["generated"] == expected[port] and not session.report(port)["missing"],
                       "all back", 60)
        session.ok("stop")
        session.quit()
        assert session.rc == 0
        reports = session.reports()
    for report in reports:
        assert {name: report[name] for name in GOOD} == dict.fromkeys(GOOD, 0), seed
    assert [report["generated"] for report in reports] == expected
    assert sum(report["ok"] for report in reports) == sum(report["generated"] for report in reports)
    assert sum(report["faults"] for report in reports) == sum(given.values())
    assert all(sum(report["faults_" + kind.split()[0]] for report in reports) == n for kind, n in given.items())
