# SPDX-License-Identifier: BSD-3-Clause
"""Files in, files out: every engine that rewrites packets, checked byte by byte."""
import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether

from packets import IP4, PORTS, diverse, ether, sized, write_pcap
from pcaps import PEER, Replay
from session import Session, wait_until
from stats import port_stats

OWN_PEER = "02:11:22:33:44:55"
JUMBO = sized(ether() / IP(**IP4) / UDP(**PORTS), 9000, 1)
PACKETS = diverse()


def swap(layer, one, other):
    first, second = getattr(layer, one), getattr(layer, other)
    setattr(layer, one, second)
    setattr(layer, other, first)


def same(data, _replay, _port):
    return data


def mac(data, replay, port):
    """The source becomes the sending port, the destination the port's peer."""
    frame = Ether(data)
    frame.src, frame.dst = replay.mac[port], OWN_PEER if port == 1 else PEER.format(port)
    return bytes(frame)


def macswap(data, _replay, _port):
    frame = Ether(data)
    swap(frame, "src", "dst")
    return bytes(frame)


def five_tuple_swap(data, _replay, _port):
    """Sums do not change when their terms change places, so checksums stay."""
    frame = Ether(data)
    swap(frame, "src", "dst")
    inner = frame.payload.payload if Dot1Q in frame else frame.payload
    if isinstance(inner, (IP, IPv6)):
        swap(inner, "src", "dst")
        if isinstance(inner.payload, (UDP, TCP)):
            swap(inner.payload, "sport", "dport")
    return bytes(frame)


@pytest.mark.parametrize("engine,expected", [
    ("io", same), ("mac", mac), ("macswap", macswap), ("5tswap", five_tuple_swap), ("noisy", same),
    ("io retry", same), ("macswap retry", macswap)])
def test_rewrite(binary, tmp_path, engine, expected):
    forth = [*PACKETS, JUMBO] if engine == "io" else PACKETS
    replay = Replay(binary, tmp_path, engine, (forth, list(reversed(PACKETS))), [f"set eth-peer 1 {OWN_PEER}"])
    for port, sent in ((1, forth), (0, list(reversed(PACKETS)))):
        got = replay.out[port]
        assert len(got) == len(sent), f"port {port}"
        for number, (data, result) in enumerate(zip(sent, got)):
            wanted = expected(data, replay, port)
            assert result == wanted, f"port {port}, packet {number}: {Ether(data).summary()}"


@pytest.mark.parametrize("burst", [1, 7, 64, 512])
def test_order_at_any_burst(binary, tmp_path, burst):
    replay = Replay(binary, tmp_path, "io", (PACKETS, []), [f"set burst {burst}"])
    assert replay.out == [[], PACKETS]


@pytest.mark.parametrize("args,total", [((), 2), (("--port-topology=loop",), 2), (("--port-topology=chained",), 2)])
def test_counters_are_exact(binary, tmp_path, args, total):
    replay = Replay(binary, tmp_path, "io", (PACKETS, PACKETS), args=args)
    assert replay.out == [PACKETS] * total
    count = total * len(PACKETS)
    assert f"RX-packets: {count:<14} RX-dropped: 0             RX-total: {count}\n" in replay.report
    assert f"TX-packets: {count:<14} TX-dropped: 0             TX-total: {count}\n" in replay.report


@pytest.mark.parametrize("engine", ["rxonly"])
def test_absorbed(binary, tmp_path, engine):
    assert Replay(binary, tmp_path, engine, (PACKETS, [])).out == [[], []]


@pytest.mark.zcfwd
def test_infinite_rx(binary, tmp_path):
    """It takes an mbuf per packet of the file; a message about a smaller pool names the option that helps, and it does."""
    write_pcap(tmp_path / "in", PACKETS * 40)
    device = [f"net_pcap0,rx_pcap={tmp_path}/in,infinite_rx=1,tx_pcap=/dev/null"]
    with Session(binary, device, pool="--total-num-mbufs=1025", merge=True) as session:
        assert "Invalid argument; infinite_rx takes an mbuf for each packet of the file: use a larger --total-num-mbufs\n" in session.banner
    with Session(binary, device, pool="--total-num-mbufs=8192") as session:
        session.ok("start")
        wait_until(lambda: port_stats(session, 0)["RX-packets"] > 40 * len(PACKETS), "more packets than the file has")
        session.ok("stop")
