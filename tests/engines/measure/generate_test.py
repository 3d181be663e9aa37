# SPDX-License-Identifier: BSD-3-Clause
"""What txonly and flowgen put on the wire, read back from a pcap file."""
import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from packets import read_pcap, write_pcap
from session import Session, wait_until
from stats import mac_of, port_stats

ENOUGH = 2000


def generate(binary, tmp_path, engine, args=(), commands=()):
    """The first packets that port 1 sent, and the addresses a stream to port 1 has; the ports receive nothing."""
    vdevs = []
    for i in (0, 1):
        write_pcap(tmp_path / f"in{i}", [])
        vdevs.append(f"net_pcap{i},rx_pcap={tmp_path}/in{i},tx_pcap={tmp_path}/out{i}")
    with Session(binary, vdevs, ["--no-flush-rx", *args]) as session:
        macs = mac_of(session, 1), "02:00:00:00:00:01"
        session.ok(*commands, f"set fwd {engine}", "start")
        wait_until(lambda: port_stats(session, 1)["TX-packets"] >= ENOUGH, "enough packets")
        session.ok("stop")
        session.quit()
    return [Ether(data) for data in read_pcap(tmp_path / "out1", ENOUGH)], macs


def check(frame, macs, src, dst, sport, dport, size):
    assert (frame.src, frame.dst) == macs
    assert (frame[IP].src, frame[IP].dst) == (src, dst)
    assert (frame[UDP].sport, frame[UDP].dport) == (sport, dport)
    assert len(frame) == size
    assert frame[IP].len == size - 14
    assert frame[UDP].len == size - 34
    good = Ether(bytes(frame))
    del good[IP].chksum
    assert frame[IP].chksum == Ether(bytes(good))[IP].chksum


TXONLY = [
    ((), ("198.18.0.1", "198.18.0.2", 9, 9, 64)),
    (("--txpkts=64,64,128",), ("198.18.0.1", "198.18.0.2", 9, 9, 256)),
    (("--tx-ip=10.0.0.1,10.0.0.2", "--tx-udp=7,8"), ("10.0.0.1", "10.0.0.2", 7, 8, 64)),
]


@pytest.mark.parametrize("args,wanted", TXONLY)
def test_txonly(binary, tmp_path, args, wanted):
    frames, macs = generate(binary, tmp_path, "txonly", args)
    for frame in frames[:200]:
        check(frame, macs, *wanted)


def test_txpkts_at_the_prompt(binary, tmp_path):
    frames, macs = generate(binary, tmp_path, "txonly", commands=["set txpkts 100,50"])
    for frame in frames[:50]:
        check(frame, macs, "198.18.0.1", "198.18.0.2", 9, 9, 150)


@pytest.mark.parametrize("flows", [4, 1000])
def test_flowgen_goes_round_its_flows(binary, tmp_path, flows):
    """One stream: those of one lcore share the round. Addresses are flowgen's own, as in testpmd."""
    frames, _ = generate(binary, tmp_path, "flowgen", [f"--flowgen-flows={flows}", "--portmask=2"])
    order = [frame[IP].dst for frame in frames]
    assert order[:flows] == [f"10.253.{i >> 8}.{i & 255}" for i in range(flows)]
    assert order[:flows] == order[flows:2 * flows]
    for frame in frames[:flows]:
        check(frame, ("00:01:02:03:04:00", "00:01:02:03:04:01"), "10.254.0.0", frame[IP].dst, 1000, 1001, 60)


def test_rate(binary):
    """The rate is that of a port, however many queues share it, and is never exceeded; a preempted lcore sends less."""
    with Session(binary, args=["--rxq=3", "--txq=3"]) as session:
        session.ok("set fwd txonly", "set txonly rate 20000", "set output json")
        answer = session.json_ok("start for 1s")
        for port in answer["ports"]:
            assert 0 < port["tx_packets"] <= 20000 * answer["summary"]["seconds"] + 3 * 32
        session.ok("set txonly rate 0")
        assert session.json_ok("start for 300ms")["summary"]["packets_per_second"] > 1e6
