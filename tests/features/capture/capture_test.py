# SPDX-License-Identifier: BSD-3-Clause
"""Capture: the file has what passed the port, byte for byte, and nothing is lost without being counted."""
import os
import pathlib
import re
import struct
import subprocess
import time

import pytest
from limits import until
from packets import IP4, PORTS, diverse, ether, read_pcap, sized, write_pcap
from scapy.layers.inet import IP, UDP
from session import Session, wait_until
from stats import port_stats

pytestmark = pytest.mark.zcfwd

NANOSECONDS = 0xA1B23C4D
PACKETS = diverse()
JUMBO = [sized(ether() / IP(**IP4) / UDP(**PORTS), size, size) for size in (2048, 2049, 4000, 4097, 6001, 9000)]
FLOOD = ("net_null0", "net_null1")


class Replay(Session):
    """Packets into port 0, forwarded to port 1, which has the same ones to receive."""

    def __init__(self, binary, tmp_path, packets, args=()):
        self.n = len(packets)
        write_pcap(tmp_path / "in", packets)
        vdevs = [f"net_pcap{i},rx_pcap={tmp_path}/in,tx_pcap={tmp_path}/out{i}" for i in (0, 1)]
        super().__init__(binary, vdevs, ["--no-flush-rx", *args])

    def forward(self):
        self.ok("start")
        for port in (0, 1):
            wait_until(lambda p=port: port_stats(self, p)["TX-packets"] == self.n, f"all packets sent by port {port}")
        self.ok("stop")


def shown(session, port=0):
    """`show capture` of one port, as numbers and words."""
    session.cmd("set output json")
    captures = session.json_ok("show capture")["captures"]
    session.cmd("set output text")
    return next(c for c in captures if c["port"] == port)


def stopped(session, port=0):
    """The capture's figures after its end, whose law they obey."""
    session.ok(f"capture stop {port}")
    return lawful(session, port)


def ended(session, port=0):
    """Wait for a capture that ends by itself, which is said before a prompt."""
    wait_until(lambda: re.search(rf"^Capture of port {port} .*: ended$", session.cmd("show capture"), re.M), "the capture's end")


def lawful(session, port=0):
    figures = shown(session, port)
    assert not figures["running"]
    assert figures["seen"] == figures["filtered"] + figures["dropped"] + figures["written"], figures
    return figures


def records(path):
    """(seconds, nanoseconds, length, bytes) of every packet; the file must end with a whole one."""
    data = pathlib.Path(path).read_bytes()
    magic, major, minor, zone, sigfigs, _, link = struct.unpack_from("<IHHiIII", data)
    assert (magic, major, minor, zone, sigfigs, link) == (NANOSECONDS, 2, 4, 0, 0, 1)
    found, at = [], 24
    while at < len(data):
        seconds, nanoseconds, kept, length = struct.unpack_from("<IIII", data, at)
        assert nanoseconds < 1000000000 and kept <= length and at + 16 + kept <= len(data)
        found.append((seconds, nanoseconds, length, data[at + 16:at + 16 + kept]))
        at += 16 + kept
    return found


def cut_packets(path, snaplen):
    """How many packets a file has that are all cut to snaplen: millions are too many to look at."""
    packets, rest = divmod(pathlib.Path(path).stat().st_size - 24, 16 + snaplen)
    assert rest == 0
    return packets


def tcpdump(source, *words, to=None):
    """tcpdump reads a file without complaint; returns what it printed."""
    done = subprocess.run(["tcpdump", "-n", "-r", str(source), *(["-w", str(to)] if to else []), *words],
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and "truncated" not in done.stderr, done.stderr
    return done.stdout


@pytest.mark.parametrize("ways", ["rx", "tx", "both"])
def test_byte_for_byte(binary, tmp_path, ways):
    """What port 0 received, what it sent, in order, with the time of day."""
    path = tmp_path / "c.pcap"
    begin = time.time()
    with Replay(binary, tmp_path, PACKETS) as session:
        session.ok("set fwd macswap", f"capture start 0 file {path} {ways}")
        session.forward()
        assert f"Capture of port 0 ({ways}) to {path}: running\n" in session.cmd("show capture")
        figures = stopped(session)
        assert session.quit()[1] == 0
    assert figures["ways"] == ways
    captured = records(path)
    sent = read_pcap(tmp_path / "out0")
    expected = {"rx": PACKETS, "tx": sent, "both": PACKETS + sent}[ways]
    assert figures["written"] == len(captured) == len(expected)
    assert (figures["filtered"], figures["dropped"]) == (0, 0)
    assert [r[2] for r in captured] == [len(r[3]) for r in captured]
    got = [r[3] for r in captured]
    assert got == expected if ways != "both" else sorted(got) == sorted(expected)
    times = [s + ns / 1e9 for s, ns, _, _ in captured]
    assert times == sorted(times) and begin - 1 <= times[0] and times[-1] <= time.time() + 1
    assert len(tcpdump(path).splitlines()) >= len(captured)


def test_end_in_a_script(binary, tmp_path):
    """Between a script's lines nobody ends captures; one that has all it wants does not run."""
    (tmp_path / "script").write_text(f"capture start 0 file {tmp_path}/c.pcap rx max 100\nstart for 1s\nshow capture\n", encoding="ascii")
    with Session(binary, FLOOD) as session:
        answer = session.cmd(f"load {tmp_path}/script")
        assert re.search(r"^Capture of port 0 .*: ended$", answer, re.M) and re.search(r"^  100 +written$", answer, re.M), answer


# About as long as a line may be: libpcap's optimiser would work on it for many seconds.
LONG = " or ".join(f"port {n}" for n in [*range(4000, 4290), 80])


@pytest.mark.rotates(3)
@pytest.mark.parametrize("expression", [
    "udp", "tcp port 80 or icmp6", "vlan 5", "not ip", "arp", "greater 577", "ip[8] = 64 and len < 100", "udp and ether[100] & 3 = 1",
    "ether multicast", "host 192.0.2.1 and not udp", LONG], ids=lambda expression: expression[:40])
def test_filter(binary, tmp_path, expression):
    """The filter keeps what tcpdump keeps of the same packets."""
    with Replay(binary, tmp_path, PACKETS) as session:
        session.ok(f'capture start 0 file {tmp_path}/c.pcap rx filter "{expression}"')
        session.forward()
        figures = stopped(session)
    tcpdump(tmp_path / "in", expression, to=tmp_path / "oracle")
    expected = read_pcap(tmp_path / "oracle")
    assert 0 < len(expected) < len(PACKETS)
    assert [r[3] for r in records(tmp_path / "c.pcap")] == expected
    assert figures["seen"] == len(PACKETS) and figures["written"] == len(expected) and figures["filter"] == expression


def test_segments(binary, tmp_path):
    """Packets in several buffers are whole, and the filter sees the last of their bytes."""
    last = JUMBO[-1][-1]
    with Replay(binary, tmp_path, JUMBO) as session:
        session.ok(f"capture start 0 file {tmp_path}/all.pcap rx",
                   f'capture start 1 file {tmp_path}/some.pcap rx filter "ether[{len(JUMBO[-1]) - 1}] = {last}"')
        session.forward()
        assert stopped(session, 0)["written"] == len(JUMBO) and stopped(session, 1)["written"] == 1
    assert [r[3] for r in records(tmp_path / "all.pcap")] == JUMBO
    assert [r[3] for r in records(tmp_path / "some.pcap")] == [JUMBO[-1]]


def test_max_and_snaplen(binary, tmp_path):
    """It ends by itself behind so many packets, with one message, and keeps so many bytes of each."""
    with Replay(binary, tmp_path, PACKETS) as session:
        session.ok(f"capture start 0 file {tmp_path}/c.pcap rx filter udp max 7 snaplen 61", "start")
        ended(session)
        figures = lawful(session)
        session.ok("stop")
        assert session.transcript().count("Capture of port 0: 7 packets written to") == 1
        assert "Capture of port 0 has ended already: " in session.cmd("capture stop all")
        assert "port 0 is not captured" in failure(session, "capture stop 0")
    tcpdump(tmp_path / "in", "udp", to=tmp_path / "oracle")
    udp = read_pcap(tmp_path / "oracle")[:7]
    assert [(r[2], r[3]) for r in records(tmp_path / "c.pcap")] == [(len(p), p[:61]) for p in udp]
    assert (figures["written"], figures["dropped"]) == (7, 0) and figures["filtered"] == PACKETS.index(udp[-1]) + 1 - 7


def failure(session, line):
    """What a refused command says."""
    before = len(session.stderr())
    session.cmd(line)
    return wait_until(lambda: session.stderr()[before:], f"{line} is refused")


@pytest.mark.rotates(3)
@pytest.mark.parametrize("words,answer", [
    ("0 file {tmp}/x filter \"udp prt 53\"", "filter \"udp prt 53\": can't parse filter expression: syntax error"),
    ("0 file {tmp}/x filter \"host\"", "syntax error"),
    ("0 file {tmp}/none/x", "cannot write {tmp}/none/x: No such file or directory"),
    ("0 file {tmp}", "cannot write {tmp}: Is a directory"),
    ("0 file /dev/full", "cannot write /dev/full: No space left on device"),
])
def test_refused(binary, tmp_path, words, answer):
    """A refused command leaves no file and no capture behind."""
    with Session(binary) as session:
        assert answer.format(tmp=tmp_path) in failure(session, "capture start " + words.format(tmp=tmp_path))
        assert session.cmd("show capture") == "" and not (tmp_path / "x").exists()


def test_busy(binary, tmp_path):
    """One capture per port, one capture per file; what is captured goes on."""
    with Session(binary) as session:
        session.ok(f"capture start 0 file {tmp_path}/x")
        assert "port 0 is captured to" in failure(session, f"capture start 0 file {tmp_path}/y")
        assert "another capture or recording writes it" in failure(session, f"capture start 1 file {tmp_path}/../{tmp_path.name}/x")
        assert shown(session)["running"] and not (tmp_path / "y").exists()
        session.ok("capture stop all")
        assert "no port is captured" in failure(session, "capture stop all")
        os.mkfifo(tmp_path / "pipe")
        assert "cannot write" in failure(session, f"capture start 0 file {tmp_path}/pipe")


def flooded(session, packets):
    """Forward at least so many, and stop; packets that port 0 received."""
    session.ok(f"start for {packets}packets")
    return received_by(session)


def received_by(session):
    """Packets that port 0 received in the last run."""
    session.cmd("set output json")
    streams = session.json_ok("show fwd counters")["streams"]
    session.cmd("set output text")
    return next(s["rx"] for s in streams if s["rx_port"] == 0)


def test_flood(binary, tmp_path):
    """Too much for the disk: forwarding goes on, each packet is written, filtered out or counted as dropped."""
    with Session(binary, FLOOD, ["--no-flush-rx"]) as session:
        session.ok("set capture-buffer 262144", f"capture start 0 file {tmp_path}/c.pcap rx snaplen 20",
                   'capture start 1 file /dev/null tx filter "ip"')
        received = flooded(session, 2000000)
        for _ in until(lambda: shown(session)["dropped"] > 0, "a packet that the writer of the file was too slow for"):
            received += flooded(session, 2000000)
        figures, others = stopped(session, 0), stopped(session, 1)
        assert figures["seen"] == received == others["seen"] and figures["dropped"] > 0 and figures["written"] > 0
        assert others["filtered"] == received  # net_null's packets are zeros
    assert cut_packets(tmp_path / "c.pcap", 20) == figures["written"]


def test_start_and_stop_while_forwarding(binary, tmp_path):
    """Taps come and go under running workers; each capture is whole, and nothing of it stays."""
    with Session(binary, FLOOD, ["--nb-cores=2", "--no-flush-rx"], lcores="(0-2)@(0-1)") as session:
        session.ok("start")
        for i in range(20):
            session.ok(f"capture start 0 file {tmp_path}/{i}.pcap both max 1000000000 snaplen 16",
                       f"capture start 1 file {tmp_path}/other.pcap overwrite max 500 snaplen 30")
            ended(session, 1)
            wait_until(lambda: shown(session)["written"] > 0, "something captured")
            figures = stopped(session)
            assert figures["seen"] > 0 and cut_packets(tmp_path / f"{i}.pcap", 16) == figures["written"]
            (tmp_path / f"{i}.pcap").unlink()
            assert lawful(session, 1)["written"] == len(records(tmp_path / "other.pcap")) == 500
        session.ok("stop")
        assert session.quit()[1] == 0


def test_ports_come_and_go(binary, tmp_path):
    """A capture outlives stops and sees queues that come later; it ends, complete, with close and detach."""
    with Session(binary, FLOOD, ["--no-flush-rx"]) as session:
        session.ok(f"capture start 0 file {tmp_path}/c.pcap rx snaplen 20")
        seen = flooded(session, 1000)
        session.ok("port stop all", "port config all rxq 3", "port config all txq 3", "port start all", "set burst 1")
        session.ok("start for 100packets")
        session.cmd("set output json")
        streams = session.json_ok("show fwd counters")["streams"]
        session.cmd("set output text")
        seen += sum(s["rx"] for s in streams if s["rx_port"] == 0)
        assert len([s for s in streams if s["rx_port"] == 0 and s["rx"] > 0]) == 3
        session.ok("port stop all", "port config all rxq 1", "port config all txq 1", "port start all")
        seen += flooded(session, 1000)
        session.ok("port stop all")
        assert "packets written to" in session.cmd("port close 0")
        assert lawful(session)["seen"] == seen
        session.ok("port attach net_null8", "port start 0", f"capture start 0 file {tmp_path}/d.pcap", "port stop 0")
        assert "0 packets written to" in session.cmd("port detach 0")
        assert lawful(session)["seen"] == 0
        session.ok("port attach net_null7", "port start all", "start for 10000packets")
        assert session.quit()[1] == 0
    assert len(records(tmp_path / "c.pcap")) > 0


def test_fewer_queues(binary, tmp_path):
    """A tap on a queue that the port has lost cannot be taken off: it stays, closed, when the queue comes back."""
    with Session(binary, FLOOD, ["--rxq=2", "--txq=2", "--no-flush-rx"]) as session:
        session.ok(f"capture start 0 file {tmp_path}/c.pcap")
        for queues in (1, 2):
            session.ok("port stop all", f"port config all rxq {queues}", f"port config all txq {queues}", "port start all")
            if queues == 1:
                stopped(session)
        session.ok("start for 10000packets", f"capture start 0 file {tmp_path}/d.pcap snaplen 20")
        received = flooded_all(session)
        assert stopped(session)["seen"] == received
        assert session.quit()[1] == 0


def flooded_all(session):
    """Forward some; packets that passed port 0 both ways."""
    session.ok("start for 10000packets")
    session.cmd("set output json")
    streams = session.json_ok("show fwd counters")["streams"]
    session.cmd("set output text")
    return sum(s["rx"] for s in streams if s["rx_port"] == 0) + sum(s["tx"] + s["tx_dropped"] for s in streams if s["tx_port"] == 0)


def test_quit_completes_the_file(binary, tmp_path):
    """Leaving with a capture on: what was seen is in the file."""
    with Replay(binary, tmp_path, PACKETS) as session:
        session.ok(f"capture start 0 file {tmp_path}/c.pcap rx")
        session.forward()
        text, rc = session.quit()
        assert rc == 0 and f"Capture of port 0: {len(PACKETS)} packets written to" in text
    assert [r[3] for r in records(tmp_path / "c.pcap")] == PACKETS


def test_full_disk(binary, small_disk):
    """One message, the file ends with a whole packet, forwarding and the law go on."""
    disk = small_disk("512k")
    with Session(binary, FLOOD, ["--no-flush-rx"]) as session:
        session.ok(f"capture start 0 file {disk}/c.pcap rx", "start for 300000packets")
        ended(session)  # before an answer in JSON, which would have the message as a member
        received = received_by(session)
        assert lawful(session)["failure"] == "No space left on device"
        assert len(re.findall(r"Capture of port 0 ended early", session.stderr())) == 1
        assert flooded(session, 1000) > 0
        figures = lawful(session)
        assert figures["seen"] <= received and figures["written"] == len(records(disk / "c.pcap")) > 1000
        tcpdump(disk / "c.pcap", to=os.devnull)
        assert session.quit()[1] == 0
