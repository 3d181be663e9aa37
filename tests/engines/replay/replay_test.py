# SPDX-License-Identifier: BSD-3-Clause
"""The engine replay: what leaves the port is the capture file, byte for byte, in order, at its times and as often as asked, or rewritten as asked."""
import ipaddress
import pathlib
import struct

import pytest
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6EchoRequest, IPv6, IPv6ExtHdrFragment, IPv6ExtHdrHopByHop, IPv6ExtHdrRouting
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether
from scapy.packet import Raw
from scapy.utils import PcapNgWriter, PcapWriter

from capture_files import GOOD, NS, US, Files, compressed, refused, replay, rows, write_file, write_ng
from modelled import Modelled, each_device, needs_model_nic
from packets import HEADERS, diverse, ether, read_pcap, sized
from session import Session, SessionError, wait_until
from stats import mac_of

pytestmark = pytest.mark.zcfwd


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


@pytest.mark.needs("capture")
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
