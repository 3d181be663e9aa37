# SPDX-License-Identifier: BSD-3-Clause
"""Packets that the NIC splits: headers in mbufs, payload in external memory, on mock ports of ice."""
import re

import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1Q

from mocks import LACKS, Mock
from modelled import PATIENT
from packets import ether, read_pcap, sized, write_pcap
from session import wait_until
from stats import port_stats

pytestmark = [pytest.mark.zcfwd, pytest.mark.skipif(bool(LACKS), reason=f"mock ports are left out: {LACKS}")]
MULTI_SEGS = "--tx-offloads=0x8000"  # a port that has it need not restart, so no packet of the file is lost
SPLIT = "--rx-offloads=0x100000"
PACKETS = [bytes(sized(kind, size, size)) for size in (90, 500, 1400) for kind in (
    ether() / IP() / UDP(), ether() / IP() / TCP(options=[("NOP", None)] * 8), ether() / Dot1Q(vlan=5) / IP() / UDP(), ether() / IPv6() / UDP(), ether() / ARP())]


def in_use(session):
    """Mbufs in use of each pool by its name."""
    return {match[1]: int(match[2]) for match in re.finditer(r"(?m)^Pool (\S+): .*in use=(\d+)", session.cmd("show pool"))}


@pytest.mark.parametrize("headers", ["eth", "ipv4", "ipv4-udp", "ipv6-udp"])
@pytest.mark.parametrize("mode", ["io", "pinned"])
def test_content(binary, tmp_path, headers, mode):
    """What comes out is what came in, with such a header or not; with extbuf the payload is in its memory. No segment is empty."""
    write_pcap(tmp_path / "in", PACKETS * 100)
    ports = [f"ice,rx=pcap:{tmp_path}/in:1", f"ice,rx=none,tx=pcap:{tmp_path}/out"]
    engine = ["--forward-mode=io"] if mode == "io" else ["--forward-mode=extbuf", "--extbuf-mode=pinned"]
    with Mock(binary, ports, tmp_path, ["--mbuf-size=2176,2176", "--no-flush-rx", MULTI_SEGS, SPLIT, f"--rxhdrs={headers}", *engine]) as session:
        session.ok("set fwd io retry" if mode == "io" else "set fwd extbuf retry", PATIENT, "start")
        wait_until(lambda: port_stats(session, 1)["TX-packets"] == len(PACKETS) * 100, "all packets")
        session.ok("stop")
        used = in_use(session)
        first, usual = used.pop("mb_pool_0"), used.pop("mb_pool_0_1")
        behind = usual if mode == "io" else used["p_pinned.1"]
        assert used == ({} if mode == "io" else {"p_pinned.1": behind}) and (mode == "io" or usual == 0)
        # Each port's receive ring has pairs; a packet without the header has no mbuf for it.
        assert behind == first > 0 if headers == "eth" else behind > first > 0
        session.ok("port stop all")
        assert set(in_use(session).values()) == {0}
    assert read_pcap(tmp_path / "out") == PACKETS * 100


@pytest.mark.parametrize("headers", ["eth", "ipv4-udp"])
def test_rewritten(binary, tmp_path, headers):
    """Engines find the headers of packets that were not split too: each packet leaves with its addresses swapped."""
    write_pcap(tmp_path / "in", PACKETS * 100)
    ports = [f"ice,rx=pcap:{tmp_path}/in:1", f"ice,rx=none,tx=pcap:{tmp_path}/out"]
    with Mock(binary, ports, tmp_path, ["--mbuf-size=2176,2176", "--no-flush-rx", MULTI_SEGS, SPLIT, f"--rxhdrs={headers}"]) as session:
        session.ok("set fwd macswap retry", PATIENT, "start")
        wait_until(lambda: port_stats(session, 1)["TX-packets"] == len(PACKETS) * 100, "all packets")
        session.ok("stop", "port stop all")
        assert set(in_use(session).values()) == {0}
    assert read_pcap(tmp_path / "out") == [packet[6:12] + packet[:6] + packet[12:] for packet in PACKETS] * 100


def test_refused(binary, tmp_path):
    """More segments than the driver has, or no header: one line each, and the ports start again without."""
    with Mock(binary, "ice,rx=copy,flows=16", tmp_path, ["--mbuf-size=2176,2176"]) as session:
        session.ok("port stop all", "set rxhdrs eth,ipv4", "port config all rx_offload buffer_split on")
        session.cmd("port start all")
        assert "3 segments: driver net_ice of port 0 supports at most 2" in session.stderr()
        session.ok("set rxhdrs off")
        session.cmd("port start all")
        assert "split behind a header (rxhdrs)" in session.stderr()
        session.ok("port config all rx_offload buffer_split off", "port start all", "start", "stop")
