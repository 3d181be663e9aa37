# SPDX-License-Identifier: BSD-3-Clause
"""Engine direct on layouts that were never run with this release of DPDK: packets have mbufs until the queues have agreed."""
import os
import re
import subprocess

import pytest
from conftest import ROOT, cpu_has
from scapy.layers.inet import IP, UDP

from mocks import LACKS, Mock
from modelled import GOOD, VHOST, Modelled, dpdk_release, needs_model_nic
from plugin import dpdk_series
from packets import ether, write_pcap
from recycling import named, pool_is_full, pools_are_full
from session import wait_until
from virtio_pair import PACKED, SPLIT, WIDE

pytestmark = needs_model_nic
SOURCE = os.environ.get("DPDK_SOURCE", "")
needs_source = pytest.mark.skipif(SOURCE == "", reason="the drivers' source is not there")
KINDS = {"split": SPLIT, **({"packed": PACKED} if WIDE else {})}
PROOFS = 16
PACKETS = 100_000


@pytest.fixture(name="newer")
def fixture_newer(monkeypatch):
    """DPDK says that it is a release of its series that the table does not know. Returns its name."""
    monkeypatch.setenv("LD_PRELOAD", os.environ["ANOTHER_RELEASE"], prepend=":")
    monkeypatch.setenv("RELEASE", "DPDK {}.{:02}.99".format(*dpdk_series()))
    return os.environ["RELEASE"]


@pytest.fixture(name="rows", scope="module")
def fixture_rows():
    """A file's rows for the DPDK that is installed, whose source may be of another release of the series."""
    text = subprocess.run([ROOT / "devtools/layouts", SOURCE], capture_output=True, text=True, check=True, timeout=120).stdout
    return re.sub(r"(?m)^(\w+) \S+", rf"\1 {dpdk_release()}", text)


def forwards(session, packets):
    """A run of engine direct; returns what start and stop said."""
    said = session.cmd("set fwd direct") + session.cmd("start")
    wait_until(lambda: session.count("TX-packets") >= packets, f"{packets} packets sent", 60)
    return said


def proved(session, said, by):
    """Both streams moved by mbufs what the proof needs, and the rest without."""
    assert re.search(rf"direct: layouts of \S*{by}", said), said
    counts = named(session)
    # An answer of both streams: each needs as many bursts as states, and few more on modelled ports.
    assert 2 * PROOFS <= counts["by_mbufs"] < counts["rx"] / 4, counts


def ends(session, said=""):
    """After stop, which says so: the account is complete, each mbuf is in its pool, and no packet was harmed; the source waits for nobody."""
    text = session.cmd("stop")
    assert said in text and ("direct: " in text) == (said != ""), text
    pool_is_full(session)
    session.quit()
    assert session.rc == 0
    harmed = [name for name in GOOD if name != "missing"]
    for report in session.reports():
        assert {name: report[name] for name in harmed} == dict.fromkeys(harmed, 0), report


@pytest.mark.parametrize("device", ["xl710", "82599", "x540"])
def test_newer_release(binary, tmp_path, newer, device):
    with Modelled(binary, f"{device},verify,flows=16*2", tmp_path, merge=True) as session:
        said = forwards(session, PACKETS)
        proved(session, said, "DPDK")
        assert f"were not run with {newer}" in said
        ends(session)


def test_too_few_packets(binary, tmp_path, newer):
    with Modelled(binary, "xl710,verify,count=100,flows=16*2", tmp_path, merge=True) as session:
        forwards(session, 200)
        ends(session, "too few packets to prove the layouts: they had mbufs")


@pytest.mark.rotates(2)
@pytest.mark.skipif(LACKS != "", reason=f"mock ports are left out: {LACKS}")
@pytest.mark.parametrize("driver", ["i40e", "ice,rx_path=avx2", "mlx5", "mlx5,tx_path=single"])
def test_mock_ports(binary, tmp_path, newer, driver):
    if "avx2" in driver and not (cpu_has("avx2") and cpu_has("avx512f")):  # the driver needs both
        pytest.skip("the driver chooses no AVX2 on this CPU")
    with Mock(binary, f"{driver},verify,flows=16", tmp_path, merge=True) as session:
        proved(session, forwards(session, PACKETS), "DPDK")
        session.ok("stop")
        pool_is_full(session)


@pytest.mark.parametrize("kind", KINDS)
def test_virtio(binary, tmp_path, monkeypatch, newer, kind):
    monkeypatch.setenv("VHOST_NIC", str(tmp_path))
    ports = [f"net_virtio_user{i},path={tmp_path}/{i},queue_size=512,{KINDS[kind]}" for i in range(2)]
    with Modelled(binary, "virtio,verify,flows=16*2", tmp_path, ["--rxfreet=64", "--txfreet=384", "--rxd=512", "--txd=512", "--tx-offloads=0x0"],
                  eal=["--force-max-simd-bitwidth=512"], plugin=VHOST, vdevs=ports, merge=True) as session:
        proved(session, forwards(session, PACKETS), "DPDK")
        session.ok("stop", "port stop all", "port close all")
        pools_are_full(session)


@pytest.mark.parametrize("ways", [2, 1])
def test_routes(binary, tmp_path, newer, ways):
    """Each queue of the lcore is proved before a packet is routed without an mbuf: where nothing is ever sent to one port, none is."""
    write_pcap(tmp_path / "in", [bytes(ether() / IP(src="192.0.2.1", dst=f"10.{i % ways}.0.1", ttl=64) / UDP(sport=i, dport=7) / bytes(18)) for i in range(64)])
    with Modelled(binary, f"xl710,rx=pcap:{tmp_path}/in:0*2", tmp_path, merge=True) as session:
        session.ok("route add 10.0.0.0/16 port 0", "route add 10.1.0.0/16 port 1", "set direct-rewrite l3fwd")
        said = forwards(session, PACKETS)
        if ways == 1:
            counts = named(session)
            assert counts["by_mbufs"] == counts["rx"] > 0, counts
            assert "too few packets to prove the layouts" in session.cmd("stop")
        else:
            proved(session, said, "DPDK")
            session.ok("stop")
        pool_is_full(session)


def test_tables_only(binary, tmp_path, newer):
    with Modelled(binary, "xl710,flows=16*2", tmp_path, ["--recycle-layouts=table"], merge=True) as session:
        session.ok("set fwd direct")
        assert f"{newer} is newer than the table of layouts, and only the table may be used" in session.cmd("start")


@needs_source
@pytest.mark.parametrize("change", [None, "ring_iova"], ids=["as-built", "other"])
def test_file(binary, tmp_path, monkeypatch, rows, change):
    """Rows of a file. In one, a field that nothing reads lies elsewhere, so that the functions for any layout run."""
    if change:
        rows = re.sub(rf"(?m)^(i40e_.x .* {change}=)\d+", r"\g<1>9000", rows)
    (tmp_path / "rows").write_text(rows)
    monkeypatch.chdir(tmp_path)
    with Modelled(binary, "xl710,verify,flows=16*2", tmp_path, ["--shim-layouts=rows"], merge=True) as session:
        proved(session, forwards(session, PACKETS), "rows")
        ends(session)


@needs_source
@pytest.mark.parametrize("table, one, other", [("i40e_rx", "tail", "rearm_start"), ("i40e_tx", "tail", "free"), ("i40e_tx", "next_done", "next_rs")])
def test_wrong_file(binary, tmp_path, monkeypatch, rows, table, one, other):
    """Two fields that take turns: the queues contradict, and each packet is forwarded, with an mbuf."""
    places = {field: re.search(rf"(?m)^{table} .* {field}=(\d+)", rows)[1] for field in (one, other)}
    rows = re.sub(rf"(?m)^({table} .*)", lambda row: re.sub(rf" ({one}|{other})=\d+", lambda field: f" {field[1]}={places[other if field[1] == one else one]}", row[1]), rows)
    (tmp_path / "rows").write_text(rows)
    monkeypatch.chdir(tmp_path)
    with Modelled(binary, "xl710,verify,flows=16*2", tmp_path, ["--shim-layouts=rows"], merge=True) as session:
        session.ok("set fwd direct")
        said = session.cmd("start")
        if "is not laid out as in" in said:  # seen at once
            return
        wait_until(lambda: session.count("TX-packets") >= PACKETS // 2, "packets sent", 60)
        counts = named(session)
        assert counts["by_mbufs"] == counts["rx"] > 0, counts
        ends(session, "a queue is not laid out as in rows: its packets had mbufs")
