# SPDX-License-Identifier: BSD-3-Clause
"""Engines generate and measure, and the wires of modelled cards, beside independent programs: iperf3, tcpdump, tcpreplay, and the kernel's netem."""
import json
import os
import re
import shutil
import subprocess

import netem
import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from measuring import probe, results
from modelled import Modelled, needs_model_nic
from netns import Namespaces, counters, entering, inside, ip
from packets import read_pcap, write_pcap
from session import Session, die_with_parent, wait_until

pytestmark = [pytest.mark.netns, pytest.mark.zcfwd]
RING = 100  # packets
ADDRESSES = ("10.79.0.1", "10.79.0.2")
TCPDUMP_DROPPED = re.compile(r"(\d+) packets? dropped by kernel")


def needs(program):
    """Skip the test if a program is not installed."""
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")


def snmp(name, protocol, counter):
    """A counter of the kernel's network stack in a namespace."""
    text = subprocess.run([*entering(name), "cat", "/proc/net/snmp"], capture_output=True, text=True, check=True, timeout=20).stdout
    words, values = (line.split()[1:] for line in text.splitlines() if line.startswith(protocol + ": "))
    return int(dict(zip(words, values))[counter])


def launched(name, *words):
    """A program in a namespace; the caller ends it."""
    return subprocess.Popen([*entering(name), *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=die_with_parent)


def ended(process, timeout=60):
    """(stdout, stderr) of a program that has ended with status 0."""
    try:
        said = process.communicate(timeout=timeout)
    finally:
        process.kill()
        process.wait(20)
    assert process.returncode == 0, (process.args, *said)
    return said


def tap_names():
    return [f"zp{os.getpid() % 100000}{end}" for end in (0, 1)]


def listening(name, port):
    """Whether a TCP server listens in a namespace."""
    text = subprocess.run([*entering(name), "cat", "/proc/net/tcp"], capture_output=True, text=True, check=True, timeout=20).stdout
    return f":{port:04X} 00000000:0000 0A" in text


@needs_model_nic
@needs("iperf3")
@pytest.mark.tap
def test_iperf3(binary, tmp_path):
    """iperf3 sends UDP from a tap through two modelled cards, whose wire loses every 97th packet, to another tap: its own loss is that of the wire."""
    taps = tap_names()
    with Namespaces(3) as names, \
            Modelled(binary, "xl710,rx=wire:1;xl710,rx=wire:0,loss=97", tmp_path, ["--rxd=4096", "--txd=4096", "--no-flush-rx"],
                     vdevs=[f"net_tap{end},iface={tap}" for end, tap in enumerate(taps)], wrapper=entering(names[2])) as session:
        for end, (name, tap) in enumerate(zip(names, taps)):
            ip("-n", names[2], "link", "set", tap, "netns", name)
            inside(name, "offloads_off", tap)
            ip("-n", name, "addr", "add", ADDRESSES[end] + "/24", "dev", tap)
            ip("-n", name, "link", "set", tap, "up")
        # Ports 0 and 1 are the cards. Tap, card, wire, card, tap:
        session.ok("set output json", "set portlist 2,0,1,3", "set fwd io retry", "set burst tx delay 100 retry 60000", "start")
        server = launched(names[1], "iperf3", "--server", "--one-off", "--bind", ADDRESSES[1])
        wait_until(lambda: listening(names[1], 5201), "the server of iperf3")
        before = {what: [snmp(name, "Udp", what) for name in names[:2]] for what in ("OutDatagrams", "InDatagrams")}
        sum_ = json.loads(ended(launched(names[0], "iperf3", "--client", ADDRESSES[1], "--udp", "--bitrate", "8M", "--length", "500", "--time", "3", "--json"))[0])["end"]["sum_received"]
        ended(server)
        sent, got = (snmp(name, "Udp", what) - before[what][end] for end, (name, what) in enumerate(zip(names, ("OutDatagrams", "InDatagrams"))))
        # The first datagram opens the connection, and is not part of the test. When the test ends, the server stops counting: the last ones are neither received nor lost,
        # though it may still read some.
        assert sum_["lost_packets"] > 0 and sum_["packets"] <= sent - 1
        assert 0 <= got - 1 - (sum_["packets"] - sum_["lost_packets"]) <= sent - 1 - sum_["packets"], (sum_, sent, got)

        def lost():
            """All packets, those of TCP and ARP too: what the kernel gave to the first tap, less what the second tap gave to the kernel."""
            return counters(names[0], taps[0])["tx"]["packets"] - counters(names[1], taps[1])["rx"]["packets"]

        wait_until(lambda: lost() == session.report(1)["wire_lost"], "the last packets")
        lost_in_all = session.report(1)["wire_lost"]
        session.json_ok("stop")
        assert session.report(0)["rx_missed"] == session.report(1)["rx_missed"] == 0
        assert sum(stream["tx_dropped"] for stream in session.json_ok("show fwd stats all")["streams"]) == 0
        assert lost_in_all == counters(names[0], taps[0])["tx"]["packets"] // 97
        # iperf3 knows nothing of the others, which it did not count.
        assert 0 <= lost_in_all - sum_["lost_packets"] <= counters(names[0], taps[0])["tx"]["packets"] - sum_["packets"]


@needs("tcpdump")
@pytest.mark.tap
@pytest.mark.parametrize("words, rate", [("flows 8 size 60-1514", 5000), ("flows 5 proto udp src 2001:db8::/96 random size 81-300", 5000)])
def test_tcpdump(binary, tmp_path, words, rate):
    """tcpdump receives what generate sends to a tap: each packet, in order, with checksums that tcpdump finds right, and due at equal times."""
    tap, n, path = tap_names()[0], 4000, tmp_path / "seen"
    with Namespaces(1) as (name,), Session(binary, [f"net_tap0,iface={tap}"], ["--no-flush-rx", "--port-topology=loop"], wrapper=entering(name)) as session:
        inside(name, "offloads_off", tap)
        ip("-n", name, "link", "set", tap, "up")
        tcpdump = launched(name, "tcpdump", "-i", tap, "-Q", "in", "-w", path, "-U", "-B", "32768", "--immediate-mode", "udp")
        wait_until(lambda: path.exists() and path.stat().st_size >= 24, "tcpdump")
        session.ok("set output json", "set fwd generate retry", "set burst tx delay 100 retry 60000", f"set generate {words}", f"set generate-rate {rate}",
                   "set generate-late 1000000")
        before = counters(name, tap)["rx"]["packets"]
        answer = session.json_ok(f"start for {n} packets")
        assert sum(stream["tx"] for stream in answer["streams"]) == n
        assert counters(name, tap)["rx"]["packets"] - before == n
        wait_until(lambda: path.stat().st_size >= 24 + n * (16 + 60), "packets in tcpdump's file")
        tcpdump.terminate()
        _, said = ended(tcpdump)
        assert TCPDUMP_DROPPED.search(said)[1] == "0", said
    packets = read_pcap(path)
    flows = int(words.split()[1])
    assert [(probe(one).flow, probe(one).sequence) for one in packets] == [(i % flows, i // flows) for i in range(n)]
    judged = subprocess.run(["tcpdump", "-vv", "-n", "-r", path], capture_output=True, text=True, check=True, timeout=60).stdout
    assert judged.count("udp sum ok") == n and "bad" not in judged
    dues = [probe(one).due for one in packets]
    gaps = [later - before for before, later in zip(dues, dues[1:])]
    assert max(gaps) - min(gaps) <= 1, (min(gaps), max(gaps))


@needs("tcpreplay")
@pytest.mark.tap
def test_tcpreplay(binary, tmp_path):
    """tcpreplay sends a file to a tap: rxonly receives exactly its packets, and measure counts each of them as foreign."""
    tap, n = tap_names()[0], 3000
    # At least as many zeros as a probe has bytes: what else it would take for a probe may look like one of the run.
    write_pcap(tmp_path / "file", [bytes(Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=i) /
                                         bytes(18 + i % 1382)) for i in range(n)])
    with Namespaces(1) as (name,), Session(binary, [f"net_tap0,iface={tap}"], ["--no-flush-rx", "--port-topology=loop"], wrapper=entering(name)) as session:
        ip("-n", name, "link", "set", tap, "up")
        session.ok("set output json", "set generate flows 0")

        def received(engine):
            """Packets of tcpreplay that the engine received: all that the kernel gave to the tap."""
            session.ok(f"set fwd {engine}", "start")
            before = counters(name, tap)["tx"]
            said = ended(launched(name, "tcpreplay", "-i", tap, "--pps=5000", tmp_path / "file"))[0]
            assert re.search(r"Successful packets: +(\d+)", said)[1] == str(n), said

            def tx(what):
                return counters(name, tap)["tx"][what] - before[what]

            # The kernel counts a packet when the port reads it. tcpreplay 4.5 closes its socket while the last ones are in its ring.
            wait_until(lambda: n - RING <= tx("packets") + tx("dropped") <= n, "the kernel's count of tcpreplay's packets")
            wait_until(lambda: sum(s["rx"] for s in session.json_ok("show fwd stats all")["streams"]) == tx("packets"), "the packets of tcpreplay")
            session.json_ok("stop")
            assert tx("packets") + tx("dropped") <= n
            return tx("packets")

        received("rxonly")
        got = received("measure")
        row, = results(session)
        assert row["foreign"] == got and all(row[what] == 0 for what in ("sent", "unique", "lost", "damaged", "duplicated", "reordered", "too_old")), row


@pytest.mark.parametrize("words, holds", netem.ROWS, ids=netem.IDS)
def test_netem(binary, words, holds):
    """The kernel's netem between two ports: the measured counts are those of its qdisc. tests/vm has the same with the kernel of a guest."""
    with Namespaces(1) as (name,):
        for line in netem.LINKS:
            ip("-n", name, *line.split())
        inside(name, "offloads_off", netem.LINEAR)
        done = subprocess.run([*entering(name), "tc", "qdisc", "add", "dev", netem.QDISC_ON, "root", "netem", "limit", "100000", *words.split()],
                              capture_output=True, text=True, timeout=20, check=False)
        if "qdisc kind is unknown" in done.stderr:
            pytest.skip("this kernel has no netem")
        assert done.returncode == 0, done.stderr
        with Session(binary, netem.PORTS, ["--no-flush-rx"], wrapper=entering(name)) as session:
            session.ok(*netem.LINES)
            session.json_ok(f"start for {netem.SENT} packets")
            rows = results(session)
        tc = subprocess.run([*entering(name), "tc", "-s", "-j", "qdisc", "show", "dev", netem.QDISC_ON], capture_output=True, text=True, check=True, timeout=20).stdout
        snmp = subprocess.run([*entering(name), "cat", "/proc/net/snmp"], capture_output=True, text=True, check=True, timeout=20).stdout
        netem.check(rows, json.loads(tc), netem.fragments(snmp), holds)
