# SPDX-License-Identifier: BSD-3-Clause
"""The engine replay: what leaves the port is the capture file, byte for byte, in order and as often as asked; files and rates that cannot be are refused."""
import bz2
import gzip
import ipaddress
import lzma
import os
import pathlib
import re
import signal
import struct

import pytest
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6EchoRequest, IPv6, IPv6ExtHdrFragment, IPv6ExtHdrHopByHop, IPv6ExtHdrRouting
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether
from scapy.packet import Raw
from scapy.utils import PcapNgWriter, PcapWriter

from modelled import Modelled, each_device, needs_model_nic
from packets import HEADERS, diverse, ether, read_pcap, sized
from session import Session, SessionError, wait_until
from stats import mac_of

pytestmark = pytest.mark.zcfwd

US, NS = 0xA1B2C3D4, 0xA1B23C4D


def write_file(path, packets, *, order="<", magic=US, times=None, wire=None, link=1):
    """A pcap file of (bytes); times: nanoseconds; wire: lengths on the wire."""
    unit = 1000 if magic == US else 1
    with open(path, "wb") as f:
        f.write(struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 262144, link))
        for number, data in enumerate(packets):
            at = times[number] if times else 1_700_000_000_000_000_000 + number * 1000
            f.write(struct.pack(f"{order}IIII", at // 10**9, at % 10**9 // unit, len(data), wire[number] if wire else len(data)) + data)
    return path


def write_ng(path, packets, *, order="<", times=None, resolution=9, interfaces=((1, 0),), of=None, simple=False):
    """
    A pcapng file: a section, interfaces (link type, snapshot length) with that resolution, packets of the interfaces `of`.
    simple: without time, and as long as the first interface's snapshot length allows.
    """
    def block(kind, body):
        body += bytes(-len(body) % 4)
        size = 12 + len(body)
        return struct.pack(f"{order}II", kind, size) + body + struct.pack(f"{order}I", size)
    with open(path, "wb") as f:
        f.write(block(0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, -1)))
        for link, snap in interfaces:
            f.write(block(1, struct.pack(f"{order}HHIHHBxxxHH", link, 0, snap, 9, 1, resolution, 0, 0)))
        for number, data in enumerate(packets):
            if simple:
                f.write(block(3, struct.pack(f"{order}I", len(data)) + data[:interfaces[0][1] or None]))
                continue
            at = (times[number] if times else number * 1000) // 10 ** (9 - resolution)
            f.write(block(6, struct.pack(f"{order}IIIII", of[number] if of else 0, at >> 32, at & 0xFFFFFFFF, len(data), len(data)) + data))
    return path


def compressed(path, packets, write=write_file):
    path.write_bytes(gzip.compress(write(path, packets).read_bytes()))
    return path


def by_scapy(path, packets, writer=PcapWriter, **options):
    with writer(str(path), **options) as f:
        for number, data in enumerate(packets):
            frame = Ether(data)
            frame.time = 1_700_000_000 + number / 1000
            f.write(frame)
    return path


FORMATS = {
    "micro": write_file,
    "micro, big endian": lambda path, packets: write_file(path, packets, order=">"),
    "nano": lambda path, packets: write_file(path, packets, magic=NS),
    "nano, big endian": lambda path, packets: write_file(path, packets, order=">", magic=NS),
    "pcapng": lambda path, packets: write_ng(path, packets, resolution=6),
    "pcapng, nano": write_ng,
    "pcapng, big endian": lambda path, packets: write_ng(path, packets, order=">"),
    "pcapng without times": lambda path, packets: write_ng(path, packets, simple=True),
    "pcapng, interfaces that differ": lambda path, packets: write_ng(path, packets, interfaces=[(1, 96), (1, 0), (1, 65535)], of=[i % 3 for i in range(len(packets))]),
    "micro, gzip": compressed,
    "pcapng, gzip": lambda path, packets: compressed(path, packets, write_ng),
    "scapy's micro": by_scapy,
    "scapy's nano, big endian": lambda path, packets: by_scapy(path, packets, nano=True, endianness=">"),
    "scapy's pcapng": lambda path, packets: by_scapy(path, packets, PcapNgWriter),
}


class Files(Session):
    """Two ports that write what they send into files, out0 and out1; a queue each of `queues`."""

    def __init__(self, binary, tmp_path, args=(), queues=1, **options):
        self.folder = tmp_path
        (tmp_path / "none").write_bytes(struct.pack("<IHHiIII", US, 2, 4, 0, 0, 65535, 1))
        vdevs = []
        for i in (0, 1):
            rx = f",rx_pcap={tmp_path}/none" * queues
            tx = "".join(f",tx_pcap={tmp_path}/out{i}" + (f".{q}" if queues > 1 else "") for q in range(queues))
            vdevs.append(f"net_pcap{i}{rx}{tx}")
        super().__init__(binary, vdevs, ["--no-flush-rx", *args], **options)
        self.ok("set output json", "set fwd replay")

    def out(self, port=1, queue=""):
        return read_pcap(self.folder / f"out{port}{queue}")


def replay(session, *lines, start="start until done", whole=True):
    """Run with these settings; returns the answer, of which the law holds. The command fails if and only if not all packets were sent."""
    session.ok(*lines)
    answer = session.json(start)
    account = answer["summary"]
    assert answer["ok"] == (account["sent"] == account["asked"]), answer
    assert answer["ok"] or not whole, answer
    for s in answer["streams"]:
        assert s["rx"] + s["made"] == s["tx"] + s["tx_dropped"] + s["absorbed"], s
    return answer


def refused(session, line):
    """Return the message for a line that the program refuses: one line."""
    answer = session.json(line)
    assert not answer["ok"], answer
    assert "\n" not in answer["error"]["message"]
    return answer["error"]["message"]


def rows(session):
    return session.json_ok("show replay")["streams"]


@pytest.mark.rotates(4)
@pytest.mark.parametrize("kind", FORMATS)
def test_formats(binary, tmp_path, kind):
    """Every format, twice through: the port sends the file's bytes in the file's order."""
    packets = diverse()
    FORMATS[kind](tmp_path / "in", packets)
    with Files(binary, tmp_path) as session:
        answer = replay(session, f"set replay none port 1 {tmp_path}/in", "set replay-rate max", "set replay-times 2")
        assert [s["tx"] for s in answer["streams"]] == [2 * len(packets), 0]
        row = rows(session)[0]
        assert row["attached"] and row["done"] and (row["packets"], row["passes"], row["times"]) == (len(packets), 2, 2)
        assert row["bytes"] == sum(len(data) for data in packets) and row["file"] == f"{tmp_path}/in"
        session.quit()
    assert session.rc == 0  # every pool is full
    assert Files.out(session) == packets * 2
    assert not Files.out(session, 0)


def test_physical_addresses(binary, tmp_path):
    """Where devices use physical addresses, packets do not cross pages that are not contiguous: all of them are there."""
    packets = diverse()
    write_file(tmp_path / "in", packets)
    try:
        with Files(binary, tmp_path, eal=["--iova-mode=pa"]) as session:
            replay(session, f"set replay none port 1 {tmp_path}/in", "set replay-rate max", "set replay-times 2")
            session.quit()
    except SessionError as e:
        if "physical addresses are not available" not in str(e):
            raise
        pytest.skip("EAL refuses physical addresses where the kernel does not tell them")
    assert session.out() == packets * 2


@pytest.mark.rotates(3)
@pytest.mark.parametrize("times", [1, 7, 400])
def test_few_packets(binary, tmp_path, times):
    """Files shorter than a burst: each pass follows the one before."""
    for n in (1, 2, 3, 33):
        packets = diverse()[:n]
        folder = tmp_path / str(n)
        folder.mkdir()
        write_file(folder / "in", packets)
        with Files(binary, folder) as session:
            replay(session, f"set replay none port 1 {folder}/in", "set replay-rate max", f"set replay-times {times}")
            session.quit()
        assert session.out() == packets * times


def test_files_by_port(binary, tmp_path):
    """Each port has a file of its own, and the run ends with the longest one; a path in quotes may have blanks."""
    packets = diverse()
    write_file(tmp_path / "a b", packets[:50])
    write_file(tmp_path / "c", packets[50:70])
    with Files(binary, tmp_path) as session:
        replay(session, f'set replay "{tmp_path}/a b" port 0 {tmp_path}/c', "set replay-rate max", "set replay-times 100")
        session.quit()
    assert session.out(1) == packets[:50] * 100 and session.out(0) == packets[50:70] * 100


def flow_of(data):
    """The five-tuple, as far as the packet has one."""
    frame = Ether(data)
    ip = frame[IP] if IP in frame else frame[IPv6] if IPv6 in frame else None
    if ip is None:
        return None
    l4 = next((frame[kind] for kind in (TCP, UDP) if kind in frame), None)
    return (ip.src, ip.dst, l4 and (type(l4).__name__, l4.sport, l4.dport))


def test_queues(binary, tmp_path):
    """Queues and lcores divide the flows: each packet is sent once per pass, those of a flow by one queue and in order."""
    headers = [ether() / IP(src=f"10.0.{i % 7}.1", dst="10.1.0.1") / UDP(sport=i % 20, dport=7) for i in range(300)]
    headers += [ether() / IPv6(src=f"2001:db8::{i % 9}", dst="2001:db8:1::1") / TCP(sport=i % 5, dport=80) for i in range(200)]
    headers += [HEADERS["arp"]] * 5
    packets = [sized(header, 80 + i % 40, i) for i, header in enumerate(headers)]
    write_file(tmp_path / "in", packets)
    with Files(binary, tmp_path, ["--rxq=4", "--txq=4", "--nb-cores=2"], queues=4, lcores="0@0,1@0,2@1") as session:
        answer = replay(session, f"set replay none port 1 {tmp_path}/in", "set replay-rate max", "set replay-times 3")
        mine = {row["tx_queue"]: row["queue_packets"] for row in rows(session) if row["tx_port"] == 1}
        assert sum(mine.values()) == len(packets) and min(mine.values()) > 0
        assert sum(s["tx"] for s in answer["streams"]) == 3 * len(packets)
        session.quit()
    sent = [session.out(1, f".{q}") for q in range(4)]
    flows = [{flow_of(data) for data in queue} for queue in sent]
    assert sum(len(each) for each in flows) == len(set.union(*flows))
    for queue, own in zip(sent, flows):
        assert queue == [data for data in packets if flow_of(data) in own] * 3


def times_ns(path):
    """Time stamps of a pcap file that the port wrote, in ns."""
    data = pathlib.Path(path).read_bytes()
    unit = {US: 1000, NS: 1}[struct.unpack_from("<I", data)[0]]
    at, found = 24, []
    while at < len(data):
        seconds, part, caplen = struct.unpack_from("<III", data, at)
        found.append(seconds * 10**9 + part * unit)
        at += 16 + caplen
    return found


GAPS = [("recorded", 1), ("2x", 2), ("0.5x", 0.5), ("10x", 10)]


@pytest.mark.rotates(2)
@pytest.mark.parametrize("rate, faster", GAPS, ids=[row[0] for row in GAPS])
def test_gaps(binary, tmp_path, rate, faster):
    """No packet is earlier than its gap; whatever the lcore does, all are sent or counted, and the run lasts as long as the file."""
    times = [5 * 10**9 + at for at in (0, 1000, 2000, 10**6, 40 * 10**6, 40 * 10**6 + 1, 100 * 10**6)]
    packets = diverse()[:len(times)]
    write_file(tmp_path / "in", packets, magic=NS, times=times)
    with Files(binary, tmp_path) as session:
        answer = replay(session, f"set replay none port 1 {tmp_path}/in", f"set replay-rate {rate}", "set generate-late 1000000", "set replay-times 2")
        row = rows(session)[0]
        assert row["unsent"] == 0 and row["sent"] == 14
        # the gap between the passes is the mean one
        passes = [at - times[0] for at in times] + [at - times[0] + 100 * 10**6 * 7 // 6 for at in times]
        assert answer["summary"]["seconds"] >= passes[-1] / faster / 1e9
        session.quit()
    assert session.out() == packets * 2
    sent = times_ns(tmp_path / "out1")
    late = [at - due / faster for at, due in zip(sent, passes)]
    assert sent == sorted(sent)
    # The least late packet left when it was due; the clock of the file has microseconds.
    assert all(at - min(late) - due / faster >= -2000 for at, due in zip(sent, passes))


@pytest.mark.rotates(3)
@pytest.mark.parametrize("rate", ["2000", "1Mbps", "0.01%"])
def test_rates(binary, tmp_path, rate):
    """The rate is never exceeded, and what was not sent in time is counted: no packet is missing from the sum."""
    packets = diverse()[:100]
    write_file(tmp_path / "in", packets)
    with Files(binary, tmp_path) as session:
        answer = replay(session, f"set replay none port 1 {tmp_path}/in", f"set replay-rate {rate}", "set replay-times 5", whole=False)
        row = rows(session)[0]
        assert row["sent"] + row["unsent"] + row["tx_dropped"] == 500 and row["sent"] > 0 and row["done"]
        bits = 5 * sum(8 * (len(data) + 24) for data in packets)
        seconds = {"2000": 499 / 2000, "1Mbps": (bits - 8 * 1600) / 1e6, "0.01%": (bits - 8 * 1600) / 1e6}[rate]
        assert answer["summary"]["seconds"] >= seconds
        session.quit()


def test_ends(binary, tmp_path):
    """A run without a limit ends with the file. A run with a limit ends at the limit, if that is earlier."""
    packets = diverse()[:100]
    write_file(tmp_path / "in", packets)
    with Files(binary, tmp_path) as session:
        session.ok(f"set replay none port 1 {tmp_path}/in", "set replay-rate max", "start")
        wait_until(lambda: rows(session)[0]["done"], "the end of the file")
        session.json_ok("stop")
        assert rows(session)[0]["sent"] == 100
        for line, n in (("start for 3600s", 100), ("start for 7 packets", 7), ("start for 1000 packets", 100)):
            assert sum(s["tx"] for s in replay(session, start=line)["streams"]) == n
        answer = replay(session, "set replay-times 0", start="start for 1234 packets")
        assert sum(s["tx"] for s in answer["streams"]) == 1234 and not rows(session)[0]["done"]
        session.ok("set fwd io")
        assert "never ends a run" in refused(session, "start until done")
        session.quit()
    assert session.out() == packets * 2 + packets[:7] + packets + (packets * 13)[:1234]


def checked(data):
    """The frame; all of its checksums are those that scapy computes."""
    frame = Ether(data)
    again = frame.copy()
    layer = again
    while layer:
        for name in ("chksum", "cksum"):
            if name in getattr(layer, "fields", {}) and not (isinstance(layer, UDP) and layer.chksum == 0):
                layer.delfieldval(name)
        layer = layer.payload
    assert bytes(again) == data, (frame.show(dump=True), Ether(bytes(again)).show(dump=True))
    return frame


def mapped(address, prefix):
    net = ipaddress.ip_network(prefix)
    host = int(ipaddress.ip_address(address)) & int(net.hostmask)
    return str(net.network_address + host)


def to_rewrite():
    """Packets of every kind, with ever other addresses, among them those whose UDP checksum becomes 0."""
    packets = []
    for i in range(200):
        v4 = {"src": f"10.{i}.3.{i}", "dst": f"172.16.{i}.255"}
        v6 = {"src": f"2001:db8:{i}::{i:x}", "dst": f"fd00::{i}:ffff"}
        load = Raw(bytes((i * k) & 255 for k in range(1, 30 + i % 7)))
        packets += [
            ether() / IP(**v4, options=[b"\x94\x04\x00\x00"] * (i % 3)) / UDP(sport=i, dport=9) / load,
            ether() / IP(**v4) / UDP(sport=i, dport=9, chksum=0) / load,
            ether() / IP(**v4) / TCP(sport=i, flags="PA", seq=i << 20) / load,
            ether() / IP(**v4) / ICMP(id=i) / load,
            ether() / Dot1Q(vlan=i) / IP(**v4) / TCP(sport=i) / load,
            ether() / Dot1AD(vlan=4) / Dot1Q(vlan=i) / IPv6(**v6) / UDP(sport=i) / load,
            ether() / IPv6(**v6) / TCP(sport=i) / load,
            ether() / IPv6(**v6) / ICMPv6EchoRequest(id=i) / load,
            ether() / IPv6(**v6) / IPv6ExtHdrHopByHop() / UDP(sport=i) / load,
            ether() / ARP(op=1 + i % 2, psrc=v4["src"], pdst=v4["dst"]),
            ether(type=0x88B5) / load,
        ]
    return [bytes(packet) for packet in packets]


REWRITES = [
    "src 192.168.0.0/16",
    "dst 100.64.0.0/10 src 2001:db8:ffff::/48",
    "src 198.18.0.0/15 dst 10.0.0.0/8 src fd12:3450::/29 dst 2001:db8:aaaa:bbbb::/64",
    "src 1.2.3.4/32 dst 255.255.255.254/31 dst ::1/128",
    "src 128.0.0.0/1 dst 0.0.0.0/0",
]


@pytest.mark.rotates(5)
@pytest.mark.parametrize("words", REWRITES)
def test_rewrite(binary, tmp_path, words):
    """Prefixes are mapped, all other bytes but the checksums stay, and every checksum is right, as scapy judges."""
    packets = to_rewrite()
    write_file(tmp_path / "in", packets)
    parts = words.split()
    wanted = {(end, ipaddress.ip_network(prefix).version): prefix for end, prefix in zip(parts[::2], parts[1::2])}
    with Files(binary, tmp_path) as session:
        replay(session, f"set replay none port 1 {tmp_path}/in", "set replay-rate max", f"set replay-rewrite {words}", "set replay-times 2")
        session.quit()
    sent = session.out()
    assert len(sent) == 2 * len(packets) and sent[:len(packets)] == sent[len(packets):]
    for data, before in zip(sent, packets):
        frame, old = checked(data), Ether(before)
        for kind, version, fields in ((IP, 4, ("src", "dst")), (IPv6, 6, ("src", "dst")), (ARP, 4, ("psrc", "pdst"))):
            if kind not in frame:
                continue
            for end, field in zip(("src", "dst"), fields):
                prefix = wanted.get((end, version))
                assert getattr(frame[kind], field) == (mapped(getattr(old[kind], field), prefix) if prefix else getattr(old[kind], field))
                setattr(old[kind], field, getattr(frame[kind], field))
        for kind in (IP, TCP, UDP, ICMPv6EchoRequest):
            name = "cksum" if kind is ICMPv6EchoRequest else "chksum"
            if kind in old and getattr(old[kind], name) != 0:
                setattr(old[kind], name, getattr(frame[kind], name))
        assert bytes(old) == data


def test_rewrite_macs(binary, tmp_path):
    packets = [bytes(ether() / IP(src="10.0.0.1", dst="10.0.0.2") / UDP() / Raw(bytes(20)))] * 3
    write_file(tmp_path / "in", packets)
    with Files(binary, tmp_path) as session:
        session.ok("set output text")
        mac = mac_of(session, 1)
        session.ok("set output json")
        replay(session, f"set replay {tmp_path}/in", "set replay-rate max", "set replay-rewrite port 1 mac dst 1.1.1.0/24")
        session.quit()
    for data in session.out():
        frame = checked(data)
        assert (frame.src, frame.dst, frame[IP].dst) == (mac, "02:00:00:00:00:01", "1.1.1.2")
    assert session.out(0) == packets


def test_rewrite_pieces(binary, tmp_path):
    """Fragments give the datagram with a right checksum; what a source route or a truncated capture does not have is not changed."""
    load = Raw(bytes(range(200)) * 12)
    datagram = Ether(bytes(ether() / IP(src="10.1.2.3", dst="10.4.5.6", id=77) / UDP(sport=5, dport=6) / load))
    routed = Ether(bytes(ether() / IPv6(src="2001:db8::1", dst="2001:db8::2") / IPv6ExtHdrRouting(addresses=["2001:db8::9"]) / UDP() / Raw(bytes(9))))
    tail = Ether(bytes(ether() / IPv6(src="2001:db8::1", dst="2001:db8::2") / IPv6ExtHdrFragment(offset=100, nh=17) / Raw(bytes(64))))
    fragments = [ether() / piece for piece in IP(bytes(datagram[IP])).fragment(800)]
    cut = bytes(datagram)[:39]  # within the UDP header: the checksum is not there
    packets = [*(bytes(piece) for piece in fragments), bytes(routed), bytes(tail), cut]
    write_file(tmp_path / "in", packets, wire=[*(len(data) for data in packets[:-1]), len(datagram)])
    with Files(binary, tmp_path) as session:
        replay(session, f"set replay none port 1 {tmp_path}/in truncated", "set replay-rate max",
               "set replay-rewrite src 192.168.0.0/16 dst 172.16.0.0/12 src fd00::/16 dst fd01::/16")
        session.quit()
    sent = session.out()
    pieces = [Ether(data) for data in sent[:len(fragments)]]
    assert [piece[IP].frag for piece in pieces] == [0, 100, 200, 300]
    first = pieces[0].copy()
    first[IP].remove_payload()
    first[IP].flags, first[IP].chksum, first[IP].len = 0, None, None
    whole = checked(bytes(first / Raw(b"".join(bytes(piece[IP].payload) for piece in pieces))))
    assert all(checked(bytes(piece)[:34]) for piece in pieces)
    assert (whole[IP].src, whole[IP].dst, bytes(whole[Raw])) == ("192.168.2.3", "172.20.5.6", bytes(load))
    out, before = Ether(sent[-3]), routed
    assert (out[IPv6].src, out[IPv6].dst) == ("fd00:db8::1", "fd01:db8::2")
    # the checksum is over the final destination, which stays
    before[IPv6].src = "fd00:db8::1"
    del before[UDP].chksum
    assert out[UDP].chksum == Ether(bytes(before))[UDP].chksum
    assert sent[-2][54:] == packets[-2][54:] and Ether(sent[-2])[IPv6].dst == "fd01:db8::2"
    assert len(sent[-1]) == 39 and sent[-1][34:] == cut[34:] and Ether(sent[-1])[IP].src == "192.168.2.3"


GOOD = bytes(ether() / IP(src="10.0.0.1", dst="10.0.0.2") / UDP() / Raw(bytes(40)))


def bad_files(folder):
    """{name: (what makes the file, the settings beside it, what the line says)}"""
    backwards = [10**9, 3 * 10**9, 2 * 10**9]
    whole = write_file(folder / "whole", [GOOD] * 3).read_bytes()
    ng = write_ng(folder / "whole.ng", [GOOD] * 3).read_bytes()
    return {
        "missing": (lambda path: None, (), "No such file"),
        "a folder": (os.mkdir, (), "expected a regular file"),
        "a pipe": (os.mkfifo, (), "expected a regular file"),
        "empty": (lambda path: path.write_bytes(b""), (), "the file is empty"),
        "text": (lambda path: path.write_text("flows 3\n" * 50), (), "not a pcap or pcapng file"),
        "no packets": (lambda path: write_file(path, []), (), "no packets"),
        "cut in its first packet": (lambda path: path.write_bytes(whole[:24 + 16 + 9]), (), "before the first packet: truncated dump file"),
        "cut in the file's header": (lambda path: path.write_bytes(whole[:20]), (), "not a pcap or pcapng file"),
        "no interface": (lambda path: path.write_bytes(ng[:28] + ng[60:]), (), "before the first packet: packet 1 is of interface 0, which no interface block of its section describes"),
        "interfaces without Ethernet": (lambda path: write_ng(path, [GOOD] * 3, interfaces=[(113, 0), (101, 0)]), (),
                                        "the port can send none of its 3 packets: 3 of interfaces that are not Ethernet (interface 0: LINUX_SLL (113))"),
        "one interface without Ethernet": (lambda path: write_ng(path, [GOOD] * 3, interfaces=[(1, 0), (101, 0)], of=[0, 1, 0]), (),
                                           "1 of 3 packets are of interfaces that are not Ethernet; use \"skip\" after the file to leave them out: interface 1: RAW (101)"),
        "no time": (lambda path: write_ng(path, [GOOD] * 3, times=[0, 2**64 - 1, 0]), (), "packet 2: invalid time stamp"),
        "all skipped": (lambda path: write_file(path, [bytes(1515), bytes(16), bytes(9000)]), ("skip",),
                        "the port can send none of its 3 packets: 1 shorter than 17 bytes, 2 too long for the port"),
        "longer than any MTU": (lambda path: write_file(path, [GOOD, bytes(65536)]), (),
                                "packet 2 has 65536 bytes: no port can send more than 65535; use \"skip\" after the file to leave out such packets"),
        "xz": (lambda path: path.write_bytes(lzma.compress(whole)), (), "the file is compressed by xz: unpack it with \"unxz -k FILE\" first"),
        "bzip2": (lambda path: path.write_bytes(bz2.compress(whole)), (), "the file is compressed by bzip2: unpack it with \"bunzip2 -k FILE\" first"),
        "Linux cooked": (lambda path: write_file(path, [GOOD], link=113), (), "link type LINUX_SLL (113): expected Ethernet (EN10MB)"),
        "raw IP": (lambda path: write_file(path, [GOOD], link=101), (), "link type RAW (12): expected Ethernet"),
        "longer than the MTU": (lambda path: write_file(path, [GOOD, bytes(1515)]), (), "packet 2 has 1515 bytes: port 1 can send 1514, as its MTU is 1500"),
        "too short": (lambda path: write_file(path, [GOOD] * 4 + [GOOD[:16]]), (), "packet 5 has 16 bytes: expected at least 17"),
        "without its end": (lambda path: write_file(path, [GOOD] * 3, wire=[len(GOOD), 1500, 1514]), (),
                            "the end of 2 of 3 packets was not captured, first of packet 2: use \"truncated\""),
        "backwards": (lambda path: write_file(path, [GOOD] * 3, times=backwards), (), "packet 3 has an earlier time stamp than the packet before it"),
        "one time": (lambda path: write_file(path, [GOOD] * 3, times=[10**9] * 3), ("set replay-times 2",), "all packets have the same time stamp"),
        "one packet": (lambda path: write_file(path, [GOOD]), ("set replay-times 0",), "all packets have the same time stamp"),
        "above the link": (lambda path: write_file(path, [GOOD] * 3), ("set replay-rate 11Gbps",), "port 1 can send 11792453 at 10000 Mbit/s"),
        "packets above the link": (lambda path: write_file(path, [GOOD] * 3), ("set replay-rate 11.8Mpps",), "port 1 can send 11792453 at 10000 Mbit/s"),
        "scaled above the link": (lambda path: write_file(path, [GOOD] * 3), ("set replay-rate 100x",),
                                  "replay-rate 100x: 100000000 packets/s of 82.0 bytes on average: port 1 can send 11792453"),
        "too slow": (lambda path: write_file(path, [GOOD] * 3), ("set replay-rate 0.5bps",), "expected 0.001 to 1e+09 packets/s"),
        "bytes of the future": (lambda path: path.write_bytes(whole[:24] + struct.pack("<IIII", 1, 2, 0x7FFFFFFF, 0x7FFFFFFF) + GOOD), (), "before the first packet:"),
    }


def test_bad_files(binary, tmp_path):
    """One line names the file and what is wrong; the run before is kept, no memory is, and the next start works."""
    good = write_file(tmp_path / "good", [GOOD] * 10)
    with Session(binary, args=["--no-flush-rx"]) as session:
        session.ok("set output json", "set fwd replay", f"set replay {good}", "set replay-rate max")
        session.json_ok("start until done")
        for number, (name, (make, lines, said)) in enumerate(bad_files(tmp_path).items()):
            path = tmp_path / f"bad{number}"
            make(path)
            words = " skip" if "skip" in lines else ""
            session.ok("set replay-rate recorded", "set replay-times 1", *(line for line in lines if line != "skip"), f"set replay {good} port 1 {path}{words}")
            message = refused(session, "start")
            assert said in message and str(path) in message, (name, message)
            assert [row["sent"] for row in rows(session)] == [10, 10], name
            assert session.json_ok("show extmem")["extmem"] == [], name
            session.ok("set fwd io", "start", "stop", "set fwd replay", "set replay-rate max", "set replay-times 1", f"set replay {good}")
            session.json_ok("start until done")
        session.ok(f"set replay none port 0 {good}", "set replay-rate max")
        session.json_ok("start until done")
        assert [row.get("packets") for row in rows(session)] == [None, 10]


def part(data, n):
    return lambda path: path.write_bytes(data[:n])


def test_as_far_as_it_goes(binary, tmp_path):
    """A file that ends within a packet, or is damaged, is sent up to there; start and show replay say where, and why."""
    whole, ng = write_file(tmp_path / "whole", [GOOD] * 3).read_bytes(), write_ng(tmp_path / "whole.ng", [GOOD] * 3).read_bytes()
    packed = gzip.compress(write_file(tmp_path / "random", [GOOD + os.urandom(1400) for _ in range(40)]).read_bytes())
    one = 16 + len(GOOD)
    cases = {"in a packet": (part(whole, len(whole) - 9), 2, "truncated dump file"),
             "in a header": (part(whole, 24 + one + 7), 1, "truncated dump file"),
             "between packets": (part(whole, 24 + 2 * one), 2, None),
             "pcapng": (part(ng, len(ng) - 9), 2, "truncated"),
             "gzip": (part(packed, len(packed) // 2), range(10, 30), ""),
             "an impossible length": (lambda path: path.write_bytes(whole[:24 + one] + struct.pack("<IIII", 1, 2, 0x7FFFFFFF, 0x7FFFFFFF)), 1, "")}
    for number, (name, (make, n, why)) in enumerate(cases.items()):
        path = tmp_path / f"cut{number}"
        make(path)
        with Files(binary, tmp_path) as session:
            answer = replay(session, f"set replay none port 1 {path}", "set replay-rate max")
            row = rows(session)[0]
            assert row["packets"] == row["sent"] and row["packets"] in (n if isinstance(n, range) else [n]), (name, row)
            said = [text for text in answer.get("warnings", []) if "packets can be read" in text]
            if why is None:
                assert not said and row["unreadable"] == "" and row["readable"] == n, name
                continue
            assert len(said) == 1 and f"{path}: only its first {row['packets']} packets can be read: " in said[0] and why in said[0], (name, answer["warnings"])
            assert row["readable"] == row["packets"] and why in row["unreadable"]
            session.ok("set output text")
            assert f"\n  only its first {row['packets']} packets can be read: {row['unreadable']}\n" in session.cmd("show replay")


def test_wrong_checksum(binary, tmp_path):
    """All packets of a gzip file whose checksum is wrong are sent; start and show replay say that some may be damaged."""
    packets = [GOOD + bytes([i]) for i in range(8)]
    packed = bytearray(compressed(tmp_path / "in", packets).read_bytes())
    packed[-8] ^= 1
    (tmp_path / "in").write_bytes(packed)
    with Files(binary, tmp_path) as session:
        answer = replay(session, f"set replay none port 1 {tmp_path}/in", "set replay-rate max")
        said = "some of its 8 packets may be damaged: the checksum of its gzip data is wrong"
        assert f"Port 1: {tmp_path}/in: {said}" in answer["warnings"]
        assert rows(session)[0]["unreadable"] == "the checksum of its gzip data is wrong"
        session.ok("set output text")
        assert f"\n  {said}\n" in session.cmd("show replay")
        session.quit()
    assert Files.out(session) == packets


def test_numbers_of_the_file(binary, tmp_path):
    """A message counts packets as the file does, with those that are left out."""
    packets = [GOOD, GOOD[:9], GOOD, GOOD, GOOD]
    write_ng(tmp_path / "in", packets, times=[10**9, 2 * 10**9, 3 * 10**9, 4 * 10**9, 10**9], interfaces=[(1, 0), (113, 0)], of=[0, 0, 0, 1, 0])
    with Session(binary) as session:
        session.ok("set output json", "set fwd replay", f"set replay {tmp_path}/in skip")
        assert "packet 5 has an earlier time stamp" in refused(session, "start")


def test_skip(binary, tmp_path):
    """What the port cannot send is left out and counted by its reason; the rest is sent as it is, at its times."""
    packets = [GOOD + bytes([i]) for i in range(8)]
    mixed = [packets[0], b"", packets[1], GOOD[:16], bytes(1515), packets[2], packets[3], bytes(9000), packets[4]]
    wire = [len(data) for data in mixed]
    wire[6] += 1
    path = write_file(tmp_path / "mixed", mixed, wire=wire, times=[10**9 + i * 10**6 for i in range(len(mixed))])
    for words, sent, cut in (("skip", [0, 1, 2, 4], 1), ("skip truncated", [0, 1, 2, 3, 4], 0), ("truncated skip", [0, 1, 2, 3, 4], 0)):
        with Files(binary, tmp_path) as session:
            answer = replay(session, f"set replay none port 1 {path} {words}", "set replay-rate 2x")
            row = rows(session)[0]
            assert [row[f"skipped_{why}"] for why in ("short", "long", "cut", "foreign")] == [2, 2, cut, 0] and row["unreadable"] == "" and row["readable"] == len(mixed)
            assert row["packets"] == len(sent) and answer["seconds"] >= 0.004
            (said,) = [text for text in answer["warnings"] if "left out" in text]
            assert said == f"Port 1: {path}: packets left out: 2 shorter than 17 bytes, 2 too long for the port" + (", 1 without their end" if cut else "")
            session.ok("set output text")
            assert "\n  left out: " + said.split(": ", 3)[3] + "\n" in session.cmd("show replay")
            session.quit()
        assert Files.out(session) == [packets[i] for i in sent]


@pytest.mark.parametrize("order", "<>")
def test_interfaces(binary, tmp_path, order):
    """Packets of interfaces that are not Ethernet are left out, wherever in the file; lengths of snapshots are each interface's own."""
    packets = [GOOD + bytes([i]) for i in range(9)]
    write_ng(tmp_path / "a", packets, interfaces=[(113, 65535), (1, 96), (1, 0), (101, 0)], of=[0, 1, 2, 3, 1, 2, 0, 1, 2], order=order)
    write_ng(tmp_path / "b", packets, interfaces=[(1, 0), (12, 0)], of=[0, 1] * 4 + [0], order=order)
    write_ng(tmp_path / "c", [GOOD, GOOD[:60]], interfaces=[(1, 60)], order=order, simple=True)
    (tmp_path / "all").write_bytes(b"".join((tmp_path / name).read_bytes() for name in "abc"))
    with Files(binary, tmp_path) as session:
        answer = replay(session, f"set replay none port 1 {tmp_path}/all skip", "set replay-rate max")
        row = rows(session)[0]
        assert [row[f"skipped_{why}"] for why in ("short", "long", "cut", "foreign")] == [0, 0, 1, 7], row
        assert ("packets left out: 1 without their end, 7 of interfaces that are not Ethernet (interface 0: LINUX_SLL (113), "
                "interface 3: RAW (101), interface 1: ") in "".join(answer["warnings"])
        session.quit()
    assert Files.out(session) == [packets[i] for i in (1, 2, 4, 5, 7, 8, 0, 2, 4, 6, 8)] + [GOOD[:60]]


def test_times_after_2038(binary, tmp_path):
    """The seconds of pcap have no sign; a clock that passes 2106 begins again, which is an earlier time."""
    late = write_file(tmp_path / "late", [GOOD] * 3, times=[(2**32 - 2) * 10**9 + i * 10**8 for i in range(3)])
    wrapped = write_file(tmp_path / "wrapped", [GOOD] * 2, times=[(2**32 - 1) * 10**9, 0])
    with Files(binary, tmp_path) as session:
        answer = replay(session, f"set replay none port 1 {late}")
        assert 0.2 <= answer["seconds"] < 5
        session.ok(f"set replay none port 1 {wrapped}")
        assert "packet 2 has an earlier time stamp" in refused(session, "start")
        no_time = write_ng(tmp_path / "no", [GOOD] * 3, times=[0, 2**64 - 1, 0])
        assert replay(session, f"set replay none port 1 {no_time}", "set replay-rate 1000", "set generate-late 1000000")["ok"]


@pytest.mark.rotates(3)
@pytest.mark.parametrize("device", ["net_null0", "net_ring0", "net_pcap0,rx_pcap={0}/whole,tx_pcap={0}/out"])
def test_longer_than_the_mtu(binary, tmp_path, device):
    """The message names what each driver takes: the command, else the option."""
    device, jumbo = device.format(tmp_path), bytes(9014)
    write_file(tmp_path / "whole", [GOOD])
    load = ("set fwd replay", f"set replay {write_file(tmp_path / 'jumbo', [GOOD, jumbo])}", "set replay-rate max")
    with Session(binary, [device], ["--no-flush-rx"]) as session:
        session.ok("set output json", *load)
        message = refused(session, "start")
        assert "packet 2 has 9014 bytes: port 0 can send 1514, as its MTU is 1500; use " in message
        command, option = re.search('use "(.*)" or, if the driver refuses that, (.*); or shorter packets', message).groups()
        if session.json(command)["ok"]:
            assert session.json_ok("start until done")["summary"]["sent"] == 2
            assert device == "net_null0"
            return
    with Session(binary, [device], ["--no-flush-rx", option]) as session:
        session.ok("set output json", *load)
        assert session.json_ok("start until done")["summary"]["sent"] == 2


@pytest.mark.rotates(4)
@pytest.mark.parametrize("line, said", [
    ("set replay", "incomplete command"),
    ("set replay a b", 'column 14: unknown keyword "b": expected truncated, skip or port'),
    ("set replay truncated", 'unknown keyword "truncated": expected port, none or a file'),
    ("set replay a port", "incomplete command: expected a number 0..65535"),
    ("set replay a port x b", 'column 19: unexpected argument "x": expected a number 0..65535'),
    ("set replay a port 1", "incomplete command: expected none or a file"),
    ("set replay a port 1 port 2 b", 'column 21: unknown keyword "port": expected none or a file'),
    ("set replay-times -1", "-1"),
    ("set replay-rate fast", 'rate "fast": expected recorded, Nx, max'),
    ("set replay-rate 0x", 'rate "0x": expected'),
    ("set replay-rate 0", 'rate "0": expected'),
    ("set replay-rate 101%", 'rate "101%": expected'),
    ("set replay-rewrite macs", 'column 20: unknown keyword "macs"; did you mean "mac"?'),
    ("set replay-rewrite src", "incomplete command: expected a prefix such as"),
    ("set replay-rewrite src 10.0.0.0/33", 'column 24: "10.0.0.0/33": expected /0../32'),
    ("set replay-rewrite dst 10.0.0.1/8", "only zeros after the first 8 bits"),
    ("set replay-rewrite dst ten/8", "expected a prefix such as"),
])
def test_bad_lines(binary, line, said):
    with Session(binary) as session:
        session.ok("set output json")
        before = session.json_ok("show settings changed")
        assert said in refused(session, line)
        assert session.json_ok("show settings changed")["settings"] == before["settings"]


def test_file_that_is_not_there(binary, tmp_path):
    """The line is taken, since the file may come, and says so at once."""
    (tmp_path / "there").write_bytes(b"")
    with Session(binary) as session:
        session.cmd(f"set replay {tmp_path}/there port 1 {tmp_path}/absent")
        assert session.stderr().endswith(f"replay: {tmp_path}/absent: No such file or directory\n")
        before = len(session.stderr())
        session.cmd(f"set replay {tmp_path}/there port 1 none")
        assert len(session.stderr()) == before and "/there port 1 none" in session.cmd("show settings changed")


def test_no_file(binary):
    with Session(binary) as session:
        session.ok("set output json", "set fwd replay")
        assert 'no port has a file: use "set replay FILE"' in refused(session, "start")
        session.ok("set replay none port 1 none")
        assert "no port has a file" in refused(session, "start")


def test_no_such_port(binary, tmp_path):
    """A file for a port that does not exist is no file for no port; so are addresses."""
    good = write_file(tmp_path / "good", [GOOD])
    with Session(binary) as session:
        session.ok("set output json", "set fwd replay")
        for words in (f"port 7 {good}", f"{good} port 7 {good}"):
            session.ok(f"set replay {words}")
            assert refused(session, "start") == 'replay: port 7: no such port: expected one of "show port summary all"'
        session.ok(f"set replay none port 1 {good}", "set replay-rewrite port 1 mac port 9 mac")
        assert refused(session, "start") == 'replay-rewrite: port 9: no such port: expected one of "show port summary all"'
        session.ok("set replay-rewrite none")
        session.json_ok("start until done")


def test_mbufs_run_out(binary, tmp_path):
    """Few mbufs, and a ring without a reader: the sums are right, and the memory is freed once the ring is empty."""
    write_file(tmp_path / "in", [GOOD] * 100)
    with Session(binary, ["net_ring0"], ["--port-topology=loop", "--no-flush-rx"], pool="--total-num-mbufs=1100") as session:
        session.ok("set output json", "set fwd replay", f"set replay {tmp_path}/in", "set replay-rate 10kpps", "set replay-times 20")
        answer = replay(session, whole=False)
        assert "of 2000 packets: " in answer["error"]["message"]
        row, = rows(session)
        assert row["sent"] + row["unsent"] + row["tx_dropped"] == 2000 and row["sent"] <= 1023
        memory, = session.json_ok("show extmem")["extmem"]
        assert memory["name"] == "replay.1"
        assert "replay.1" in refused(session, "extmem delete replay.1")
        session.ok("set fwd rxonly")
        assert session.json_ok(f"start for {row['sent']} packets")["streams"][0]["rx"] == row["sent"]
        session.json_ok("extmem delete replay.1")
        assert session.json_ok("show extmem")["extmem"] == []


def test_run_after_run(binary, tmp_path):
    """Packets in Tx rings keep the memory of their run; that of finished ones goes."""
    with Session(binary, ["net_ring0"], ["--port-topology=loop", "--no-flush-rx"]) as session:
        session.ok("set output json", "set replay-rate max")
        sent = []
        for number in range(6):
            packets = [sized(HEADERS["ipv4 udp"], 100, number * 10 + i) for i in range(10)]
            write_file(tmp_path / "in", packets)
            sent += packets
            session.ok("set fwd replay", f"set replay {tmp_path}/in")
            replay(session)
            assert len(session.json_ok("show extmem")["extmem"]) == number % 3 + 1
            if number % 3 == 2:
                session.ok(f"capture start 0 file {tmp_path}/out{number} rx", "set fwd rxonly")
                session.json_ok("start for 30 packets")
                session.json_ok("capture stop all")
                assert read_pcap(tmp_path / f"out{number}") == sent[-30:]


@pytest.mark.rotates(2)
@needs_model_nic
@each_device
@pytest.mark.parametrize("fast_free", ["on", "off"])
def test_model_nic(binary, tmp_path, device, fast_free):
    """On a card's driver: attached, or copied where sent mbufs are freed unchecked. A full ring sends nothing twice and nothing out of order."""
    packets = diverse()
    write_file(tmp_path / "in", packets)
    with Modelled(binary, f"{device},rx=none;{device},rx=none,tx=pcap:{tmp_path}/out", tmp_path) as session:
        session.ok("port stop all", f"port config 0 tx_offload mbuf_fast_free {fast_free}", f"port config 1 tx_offload mbuf_fast_free {fast_free}",
                   "port start all", "set output json", "set fwd replay", f"set replay none port 1 {tmp_path}/in", "set replay-rate max", "set replay-times 20")
        answer = replay(session)
        assert [s["tx"] for s in answer["streams"]] == [20 * len(packets), 0]
        attached = rows(session)[0]["attached"]
        assert attached == (device == "82599" or fast_free == "off")
        assert ("replay copies packets instead of attaching them" in str(answer)) == (not attached)
        wait_until(lambda: session.report(1)["tx_packets"] == 20 * len(packets), "packets on the wire")
        session.quit()
    assert read_pcap(tmp_path / "out") == packets * 20


def test_pinned_pool(binary, tmp_path):
    """Mbufs that have external buffers get copies."""
    packets = diverse()
    write_file(tmp_path / "in", packets)
    with Files(binary, tmp_path, ["--mp-alloc=xbuf"]) as session:
        answer = replay(session, f"set replay none port 1 {tmp_path}/in", "set replay-rate max")
        assert not rows(session)[0]["attached"]
        assert "--mp-alloc" in str(answer)
        session.quit()
    assert session.out() == packets


@needs_model_nic
@pytest.mark.parametrize("fast_free", ["on", "off"])
def test_jumbo(binary, tmp_path, fast_free):
    """Frames longer than an mbuf are attached whole, a tagged one with its tag; where copies have to be sent they are refused."""
    packets = [sized(HEADERS["ipv4 udp"], size, size) for size in (9014, 60, 5000, 9014)]
    packets[3] = packets[3][:12] + b"\x81\x00\x00\x05" + packets[3][12:]
    write_file(tmp_path / "in", packets)
    with Modelled(binary, f"xl710,rx=none;xl710,rx=none,tx=pcap:{tmp_path}/out", tmp_path, ["--max-pkt-len=9018"]) as session:
        session.ok("port stop all", "port config mtu 1 9000", f"port config 1 tx_offload mbuf_fast_free {fast_free}", "port start all",
                   "set output json", "set fwd replay", f"set replay none port 1 {tmp_path}/in", "set replay-rate max", "set replay-times 3")
        if fast_free == "on":
            assert "packet 1 has 9014 bytes: expected at most 2048, the size of an mbuf, because port 1 sends copies" in refused(session, "start")
        else:
            replay(session)
            wait_until(lambda: session.report(1)["tx_packets"] == 12, "packets on the wire")
        session.quit()
    assert read_pcap(tmp_path / "out") == (packets * 3 if fast_free == "off" else [])


def regions(session):
    return [row["name"] for row in session.json_ok("show extmem")["extmem"]]


def in_memory(session, *lines):
    """How many regions a run with these settings has."""
    session.ok(*lines)
    session.json_ok("start")
    found = len(regions(session))
    session.json_ok("stop")
    return found


def test_ports_share_a_file(binary, tmp_path):
    """A file is in memory once for all ports that send the same bytes."""
    packets = diverse()
    write_file(tmp_path / "in", packets)
    write_file(tmp_path / "other", packets)
    with Files(binary, tmp_path) as session:
        session.ok("set replay-rate 100pps", "set replay-times 0")
        for words, rewrite, expected in (("{0}/in", "none", 1), ("{0}/in port 1 {0}/other", "none", 2), ("{0}/in", "src 10.1.0.0/16", 1),
                                         ("{0}/in", "src 10.1.0.0/16 port 1 dst 10.2.0.0/16", 2), ("{0}/in", "mac", 2),
                                         ("{0}/in port 1 {0}/in truncated", "none", 2), ("none port 1 {0}/in", "none", 1)):
            assert in_memory(session, f"set replay {words.format(tmp_path)}", f"set replay-rewrite {rewrite}") == expected, (words, rewrite)
        answer = replay(session, f"set replay {tmp_path}/in", "set replay-rate max", "set replay-times 3")
        assert [s["tx"] for s in answer["streams"]] == [3 * len(packets)] * 2
        assert [row["packets"] for row in rows(session)] == [len(packets)] * 2
        session.quit()
    for port in (0, 1):
        assert session.out(port)[-3 * len(packets):] == 3 * packets


def test_limits_of_a_port_that_shares(binary, tmp_path):
    """A port that can send less than the other one sends the same memory if the packets are short enough, else it has its own checks."""
    write_file(tmp_path / "in", diverse())
    with Session(binary) as session:
        session.ok("set output json", "set fwd replay", f"set replay {tmp_path}/in", "set replay-rate 100pps", "set replay-times 0")
        for mtus in ((1500, 1500), (1500, 9000), (9000, 1500)):
            session.ok("port stop all", *(f"port config mtu {port} {mtu}" for port, mtu in enumerate(mtus)), "port start all")
            assert in_memory(session) == 1, mtus
        for port, mtus in ((0, (1400, 1500)), (1, (1500, 1400))):
            session.ok("port stop all", *(f"port config mtu {number} {mtu}" for number, mtu in enumerate(mtus)), "port start all")
            assert f"port {port} can send 14" in refused(session, "start") and regions(session) == []


def test_queues_of_ports_that_share(binary, tmp_path):
    """The queues of each port divide the file, which all of them have in one memory."""
    packets = diverse()
    write_file(tmp_path / "in", packets)
    with Files(binary, tmp_path, ["--rxq=2", "--txq=2"], queues=2) as session:
        session.ok("set replay-rate 10pps", "set generate-late 1000000")
        assert in_memory(session, f"set replay {tmp_path}/in") == 1
        session.ok("set replay-rate max")
        assert len(replay(session)["streams"]) == 4
        session.quit()
    for port in (0, 1):
        sent = session.out(port, ".0") + session.out(port, ".1")
        assert sorted(set(sent)) == sorted(set(packets)) and len(packets) <= len(sent) < 2 * len(packets)


@pytest.mark.parametrize("line", ["start", "start for 10ms"])
def test_signal_while_a_file_is_read(binary, tmp_path, line):
    """A signal ends the command that reads a long file, not after it."""
    record = struct.pack("<IIII", 1, 0, 1000, 1000) + bytes(1000)
    with open(tmp_path / "in", "wb") as f:
        f.write(struct.pack("<IHHiIII", US, 2, 4, 0, 0, 262144, 1))
        for _ in range(200):
            f.write(record * 1000)
    with Session(binary) as session:
        session.ok("set fwd replay", f"set replay {tmp_path}/in")
        session.send(line + "\n")
        wait_until(lambda: str(tmp_path / "in") in opened(session.pid), "the file being read")
        session.signal(signal.SIGINT)
        session.finish()
        assert f"stopped by a signal while reading {tmp_path}/in" in session.stderr()


def opened(pid):
    """What the files of a process are."""
    names = []
    for fd in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            names.append(os.readlink(fd))
        except FileNotFoundError:
            continue
    return names
