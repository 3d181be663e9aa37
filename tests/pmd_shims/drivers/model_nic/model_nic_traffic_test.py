# SPDX-License-Identifier: BSD-3-Clause
"""Traffic of modelled NICs: files, rates, what a NIC does to packets on their way."""
import re
import struct
import subprocess
import time

import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Raw
from scapy.utils import RawPcapReader

from modelled import PATIENT, PLUGIN, RETRY, SEGMENTS, STOPPED, Modelled, all_good, each_device, needs_model_nic, sent
from packets import IP4, IP6, PORTS, diverse, ether, sized, write_pcap
from session import Session, wait_until
from stats import port_stats

pytestmark = needs_model_nic

PACKETS = diverse()


def write_nano(path, packets):
    """Nanoseconds, the other byte order."""
    with open(path, "wb") as f:
        f.write(struct.pack(">IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
        for number, data in enumerate(packets):
            f.write(struct.pack(">IIII", number, 999_999_999, len(data), len(data)) + data)


def file_of(path):
    """The packets as scapy reads them; tcpdump finds as many."""
    packets = [data for data, _ in RawPcapReader(str(path))]
    seen = subprocess.run(["tcpdump", "-nr", str(path), "--count"], capture_output=True, text=True, check=True, timeout=60)
    assert seen.stdout.split()[0] == str(len(packets)), seen
    return packets


def through(binary, device, tmp_path, packets, commands=(), args=(), keys=("", ""), engine="io"):
    """Packets into port 0 from a file, out of port 1 into one. Returns those and what stop said. Commands: of stopped ports."""
    write_pcap(tmp_path / "in", packets)
    devices = f"{device},rx=pcap:{tmp_path}/in{keys[0]};{device},rx=none,tx=pcap:{tmp_path}/out{keys[1]}"
    with Modelled(binary, devices, tmp_path, [STOPPED, *args]) as session:
        session.ok(*commands, "port start all", f"set fwd {engine} retry", PATIENT, "start")
        wait_until(lambda: sum(session.report(0)[c] for c in ("rx_packets", "rx_oversize")) == len(packets), "all of in")
        sent(session, 1, session.report(0)["rx_packets"])
        text = session.cmd("stop")
        session.quit()
        assert session.rc == 0
    return file_of(tmp_path / "out"), text


@pytest.mark.parametrize("write", [write_pcap, write_nano])
def test_files(binary, tmp_path, write):
    """In and out at once, both ways, the second file three times over."""
    packets = [PACKETS, PACKETS[::-1][:100]]
    for i in (0, 1):
        write(tmp_path / f"in{i}", packets[i])
    devices = ";".join(f"xl710,rx=pcap:{tmp_path}/in{i}:{1 + 2 * i},tx=pcap:{tmp_path}/out{i}" for i in (0, 1))
    with Modelled(binary, devices, tmp_path) as session:
        session.ok(*RETRY, "start")
        sent(session, 1, len(packets[0]))
        sent(session, 0, 3 * len(packets[1]))
        session.ok("stop", "port stop all", "port close 1", "port detach 1")
        assert file_of(tmp_path / "out1") == packets[0]  # the program still runs
        assert session.count("TX-packets") == 3 * len(packets[1])
        session.quit()
        assert session.rc == 0
    assert file_of(tmp_path / "out0") == packets[1] * 3


def test_file_of_long_packets(binary, tmp_path):
    """What the driver does not accept is counted, by the NIC and by the driver; the rest arrives."""
    long = [sized(ether() / IP(**IP4) / UDP(**PORTS), size, 7) for size in (1600, 3000, 9000)]
    packets = [part for i, packet in enumerate(PACKETS[:30]) for part in (packet, long[i % 3])]
    write_pcap(tmp_path / "in", packets)
    with Modelled(binary, f"xl710,rx=pcap:{tmp_path}/in;xl710,tx=pcap:{tmp_path}/out,rx=none", tmp_path) as session:
        session.ok(*RETRY, "start")
        sent(session, 1, 30)
        assert port_stats(session, 0)["RX-packets"] == port_stats(session, 0)["RX-errors"] == 30
        session.quit()
        assert session.reports()[0]["rx_oversize"] == 30
    assert file_of(tmp_path / "out") == PACKETS[:30]


def test_file_as_far_as_it_goes(binary, tmp_path):
    """A file that was cut is received up to there, without packets that are none; lines say so."""
    write_pcap(tmp_path / "in", [PACKETS[0], b"bit", *PACKETS[1:20], bytes(20000), PACKETS[20]])
    (tmp_path / "in").write_bytes((tmp_path / "in").read_bytes()[:-9])
    with Modelled(binary, f"xl710,rx=pcap:{tmp_path}/in;xl710,rx=none,tx=pcap:{tmp_path}/out", tmp_path) as session:
        session.ok(*RETRY, "start")
        sent(session, 1, 20)
        said = [line for line in session.stderr().splitlines() if line.startswith("model_nic:")]
        session.quit()
    assert file_of(tmp_path / "out") == PACKETS[:20]
    assert said[0] == f"model_nic: rx=pcap:{tmp_path}/in: 2 packets left out: 14..16384 bytes expected"
    assert said[1].startswith(f"model_nic: rx=pcap:{tmp_path}/in: only its first 22 packets can be read: truncated dump file"), said


def test_file_on_queues(binary, tmp_path):
    """RSS spreads a file over queues as it does other arrivals; each flow stays in order."""
    packets = [sized(ether() / IP(src=f"192.0.2.{i % 50}", dst=IP4["dst"]) / UDP(sport=i % 50, dport=9), 64 + i % 200, i)
               for i in range(2000)]
    write_pcap(tmp_path / "in", packets)
    with Modelled(binary, f"xl710,rx=pcap:{tmp_path}/in;xl710,rx=none,tx=pcap:{tmp_path}/out", tmp_path,
                  ["--rxq=4", "--txq=4", "--rss-udp"]) as session:
        session.ok(*RETRY, "start")
        sent(session, 1, len(packets))
        text = session.cmd("stop")
        session.quit()
    queues = re.findall(r"RX Port= 0/Queue= *(\d+).*?RX-packets: (\d+)", text, re.S)
    assert len(queues) == 4 and sum(int(n) for _, n in queues) == len(packets) and all(int(n) > 0 for _, n in queues)
    out = file_of(tmp_path / "out")
    assert sorted(out) == sorted(packets)
    for flow in range(50):
        assert [p for p in out if p[29] == flow] == [p for p in packets if p[29] == flow]


@pytest.mark.parametrize("content, keys, words", [
    (None, "rx=pcap:FILE", ("FILE", "No such file")),
    (b"garbage, and more of it, to the end", "rx=pcap:FILE", ("FILE", "unknown file format")),
    (b"", "rx=pcap:FILE", ("FILE", "truncated")),
    (struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101), "rx=pcap:FILE", ("FILE", "expected Ethernet")),
    (struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1), "rx=pcap:FILE", ("FILE", "no packets")),
    (struct.pack("<IHHiIIIIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1, 0, 0, 60, 60) + b"cut", "rx=pcap:FILE",
     ("FILE", "packet 1", "truncated")),
    (struct.pack("<IHHiIIIIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1, 0, 0, 3, 3) + b"bit", "rx=pcap:FILE",
     ("packet 1", "3 bytes", "14..16384")),
    (None, "tx=pcap:/nowhere/FILE", ("/nowhere/FILE", "No such file")),
    (None, "tx=pcap:FILE*2", ("port 1", "FILE", "port 0 already writes it")),
    (None, "fault=stall rx 5@1", ("stall rx 5", "expected", "stall tx MS")),
    (None, "fault=error 0@1", ("error 0", "error N")),
    (None, "fault=reset 5@1", ("reset 5", "or reset")),
    (None, "rate=2000000000", ("rate=2000000000", "1000000000")),
], ids=lambda value: value if isinstance(value, str) else "")
def test_bad_words(binary, tmp_path, content, keys, words):
    path = str(tmp_path / "file")
    if content is not None:
        (tmp_path / "file").write_bytes(content)
    with Session(binary, (), interactive=False, eal=["-d", PLUGIN],
                 env={"MODEL_NIC": "xl710," + keys.replace("/FILE", "/file").replace("FILE", path)}) as session:
        session.finish(ends=1)
        complaints = [line for line in session.stderr().splitlines() if line.startswith("model_nic:")]
    assert len(complaints) == 1
    for word in words:
        assert word.replace("/FILE", "/file").replace("FILE", path) in complaints[0]


def test_rate(binary, tmp_path):
    """Never more than the rate since the start, and every queue has its share. What is due when: model_nic_source, on a clock of its own."""
    rate = 50_000
    begin = time.monotonic()
    with Modelled(binary, f"xl710,rate={rate},flows=64*2", tmp_path, ["--rxq=2", "--txq=2", "--rss-udp"]) as session:
        session.ok("start")
        for port in (0, 1):
            wait_until(lambda p=port: session.report(p)["rx_packets"] >= 2 * rate, f"2 s of packets on port {port}", 30)
            assert session.report(port)["rx_packets"] <= rate * (time.monotonic() - begin)
        text = session.cmd("stop")
    assert len(re.findall(r"Queue= *\d", text)) >= 4


@pytest.mark.parametrize("strip", ["on", "off"])
@each_device
def test_vlan(binary, device, tmp_path, strip):
    """Tags of generated packets, and those that the NIC puts in; verified beyond."""
    with Modelled(binary, f"{device},vlan=77,verify,count=1000;{device},rx=none,verify,tx=pcap:{tmp_path}/out", tmp_path,
                  ["--enable-hw-vlan-strip"] if strip == "on" else []) as session:
        session.ok(*RETRY, "start")
        sent(session, 1, 1000)
        assert port_stats(session, 0)["RX-bytes"] == 1000 * 64
        session.ok("stop")
        session.quit()
        reports = session.reports()
    assert reports[1]["ok"] == 1000 and reports[0]["missing"] == 0
    out = [Ether(packet) for packet in file_of(tmp_path / "out")]
    assert all((Dot1Q in packet) == (strip == "off") for packet in out)
    assert strip == "on" or all(packet[Dot1Q].vlan == 77 for packet in out)


@each_device
def test_captured_tags(binary, device, tmp_path):
    """A capture has the frames of the wire: tags that the NIC took off, and those that it puts in; filters see them too."""
    packets = [sized(ether() / Dot1Q(vlan=vlan, prio=vlan % 8) / IP(**IP4) / UDP(**PORTS), 100 + vlan % 9, vlan) for vlan in (0, 5, 77, 0xFFF)]
    write_pcap(tmp_path / "in", packets)
    wire = f"{device},rx=pcap:{tmp_path}/in;{device},rx=none,tx=pcap:{tmp_path}/out"
    with Modelled(binary, wire, tmp_path, [STOPPED, "--enable-hw-vlan-strip"]) as session:
        session.ok("tx_vlan set 1 200", "set fwd mac", "port start all", f"capture start 0 file {tmp_path}/rx rx",
                   f"capture start 1 file {tmp_path}/tx tx filter \"vlan 200\" snaplen 100", "start")
        sent(session, 1, len(packets))
        session.ok("stop", "capture stop all")
        session.quit()
    assert file_of(tmp_path / "rx") == packets
    out = file_of(tmp_path / "out")
    assert [Ether(packet)[Dot1Q].vlan for packet in out] == [200] * len(packets)
    assert file_of(tmp_path / "tx") == [packet[:100] for packet in out]


def test_captured_qinq(binary, tmp_path):
    """Both tags of QinQ, of which the driver has neither in the packet: the outer one first."""
    packet = sized(ether() / IP(**IP4) / UDP(**PORTS), 100, 1)
    write_pcap(tmp_path / "in", [packet] * 3)
    with Modelled(binary, f"xl710,rx=pcap:{tmp_path}/in;xl710,rx=none", tmp_path, [STOPPED]) as session:
        session.ok("vlan set extend on 1", "tx_vlan set 1 5 6", "set fwd mac", "port start all",
                   f"capture start 1 file {tmp_path}/out tx filter \"vlan 6 and vlan 5\"", "start")
        sent(session, 1, 3)
        session.ok("stop", "capture stop all")
        session.quit()
    assert [sent_packet[12:] for sent_packet in file_of(tmp_path / "out")] == [bytes.fromhex("88a8 0006 8100 0005") + packet[12:]] * 3


# net_ixgbe believes no 82599 that calls a UDP sum wrong: that card says so of packets without one.
each_checker = pytest.mark.parametrize("device, bad_udp", [("xl710", 1), ("x540", 1), ("82599", 0)])


@each_checker
def test_bad_sums(binary, device, bad_udp, tmp_path):
    """Every 4th with a wrong IPv4 sum, every 5th with a wrong UDP sum, every 10th with an error: csum counts what the NIC found."""
    with Modelled(binary, f"{device},count=1000,badl3=4,badl4=5,error=10;{device},rx=none,tx=pcap:{tmp_path}/out", tmp_path,
                  ["--enable-rx-cksum"]) as session:
        session.ok("set fwd csum retry", PATIENT, "start")
        sent(session, 1, 1000)
        text = session.cmd("stop")
        assert port_stats(session, 0)["RX-errors"] == 100
        session.quit()
    assert f"Bad-ipcsum: 250 Bad-l4csum: {200 * bad_udp} " in re.sub(" +", " ", text)
    assert all(data[12:] == checked(data)[12:] for data in file_of(tmp_path / "out"))  # mended by csum


def checked(data):
    """The packet with every checksum that it has as scapy makes it."""
    packet = Ether(data)
    for layer, field in ((IP, "chksum"), (UDP, "chksum"), (TCP, "chksum")):
        if layer in packet and getattr(packet[layer], field) != 0:
            delattr(packet[layer], field)
    return bytes(packet)


HARDWARE = tuple(f"csum set {what} hw 1" for what in ("ip", "udp", "tcp"))


@each_device
def test_csum(binary, device, tmp_path):
    """Checksums left to the NIC are right in the file, by an independent reader."""
    wrong = []
    for data in PACKETS:
        packet = Ether(data)
        if IP in packet:
            packet[IP].chksum ^= 0x1234
        for layer in (UDP, TCP):
            if layer in packet:
                packet[layer].chksum ^= 0x4321
        wrong.append(bytes(packet))
    out, _ = through(binary, device, tmp_path, wrong, HARDWARE, ["--enable-rx-cksum"], engine="csum")
    macs = slice(12, None)
    assert [p[macs] for p in out] == [checked(data)[macs] for data in PACKETS]


@each_checker
def test_csum_on_a_wire(binary, device, bad_udp, tmp_path):
    """Generated into 0, csum to 1, by wire into 2, csum to 3: the NIC finds wrong sums at 0 and none at 2, which is told only of true ones."""
    devices = f"{device},count=20000,verify,badl3=4,badl4=5;{device},rx=none;{device},rx=wire:1;{device},rx=none,verify"
    # A wire waits for nobody: what stands in port 1's Tx ring has to fit port 2's Rx ring.
    with Modelled(binary, devices, tmp_path, [STOPPED, "--enable-rx-cksum", "--rxd=1024", "--txd=128"]) as session:
        session.ok(*HARDWARE, "port start all", "set fwd csum retry", PATIENT, "start")
        sent(session, 3, 20_000)
        text = re.sub(" +", " ", session.cmd("stop"))
        session.quit()
        reports = session.reports()
    assert re.findall(r"Bad-ipcsum: (\d+) Bad-l4csum: (\d+)", text) == [("5000", str(4000 * bad_udp)), *[("0", "0")] * 3]
    assert (reports[2]["rx_packets"], reports[2]["rx_missed"], reports[3]["ok"], reports[0]["missing"]) == (20_000, 0, 20_000, 0)


def tcp(ip, payload, **fields):
    return ether() / ip / TCP(**PORTS, seq=0xFFFFFF00, ack=9, **fields) / Raw(bytes(i * 7 & 0xFF for i in range(payload)))


def segments(packet, size):
    """What TSO has to make of it, by scapy."""
    data, parts = bytes(packet[TCP].payload), []
    for at in range(0, len(data), size):
        part = packet.copy()
        last = at + size >= len(data)
        part[TCP].payload = Raw(data[at:at + size])
        part[TCP].seq = (packet[TCP].seq + at) % (1 << 32)
        flags = "".join(f for f in str(packet[TCP].flags) if (last or f not in "FP") and (at == 0 or f != "C"))
        part[TCP].flags = flags
        if IP in part:
            part[IP].id = (packet[IP].id + at // size) % (1 << 16)
            del part[IP].len, part[IP].chksum
        else:
            del part[IPv6].plen
        del part[TCP].chksum
        parts.append(bytes(part))
    return parts


@each_device
def test_tso(binary, device, tmp_path):
    packets = [tcp(ip, payload, flags=flags) for ip in (IP(**IP4, id=0xFFFE), IPv6(**IP6))
               for payload, flags in ((3000, "PA"), (1000, "PA"), (8000, "FPAEC"), (2001, "A"))]
    packets = [Ether(bytes(packet)) for packet in packets]
    out, _ = through(binary, device, tmp_path, [bytes(packet) for packet in packets],
                     ("port config mtu 0 9000", "port config mtu 1 9000", *HARDWARE, "tso set 1000 1"), [SEGMENTS], engine="csum")
    assert [p[12:] for p in out] == [p.ljust(60, b"\0")[12:] for packet in packets for p in segments(packet, 1000)]


@each_device
def test_padding(binary, device, tmp_path):
    """Frames shorter than 60 bytes leave with zeros up to that length: into a file, and on a wire, where the receiver counts them."""
    packets = [bytes(sized(ether() / IP(**IP4) / UDP(**PORTS), 42 + n, n)) for n in range(22)] + [bytes(ether())]
    write_pcap(tmp_path / "in", packets)
    devices = f"{device},rx=pcap:{tmp_path}/in;{device},rx=none,tx=pcap:{tmp_path}/out;{device},rx=wire:1;{device},rx=none"
    with Modelled(binary, devices, tmp_path, [STOPPED]) as session:
        session.ok("set portlist 0,1", "port start all", *RETRY, "start")
        wait_until(lambda: session.report(2)["rx_packets"] == len(packets), "all of in at the end of the wire")
        session.ok("stop")
        stats = port_stats(session, 1), port_stats(session, 2)
        session.quit()
    wanted = [packet.ljust(60, b"\0") for packet in packets]
    assert file_of(tmp_path / "out") == wanted
    assert [s[what] for s, what in zip(stats, ("TX-bytes", "RX-bytes"))] == [sum(map(len, packets)), sum(map(len, wanted))]


@each_device
def test_jumbo_frames(binary, device, tmp_path):
    """9000 bytes in five buffers each, verified, among all other sizes."""
    with Modelled(binary, f"{device},size=60-9000,verify,count=20000*2", tmp_path, [STOPPED, SEGMENTS, "--txd=4096"]) as session:
        session.ok("port config mtu 0 9000", "port config mtu 1 9000", "port start all", *RETRY, "start")
        for port in (0, 1):
            sent(session, port, 20_000)
        session.ok("stop")
        session.quit()
        all_good(session.reports(), 20_000)


def test_jumbo_file(binary, tmp_path):
    packets = [sized(ether() / IP(**IP4) / UDP(**PORTS), size, size) for size in range(60, 9000, 67)]
    out, _ = through(binary, "xl710", tmp_path, packets, ("port config mtu 0 9000", "port config mtu 1 9000"), [SEGMENTS])
    assert out == packets
