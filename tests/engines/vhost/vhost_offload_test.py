# SPDX-License-Identifier: BSD-3-Clause
"""TSO and checksums between guests: passed on whole to one that takes them, cut and summed in software for others."""
import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from packets import read_pcap, write_pcap
from session import Session, wait_until
from stats import port_stats
from vhost_peer import QUIET, RING, engines
from virtio_pair import PATIENT, eal_args

N = 24
SEGMENT = 1400  # bytes of payload
HEADERS = 54
PCAP_MOST = 9000  # net_pcap writes no more of a packet than some 9700 bytes
FILE_IN, FROM, TO, FILE_OUT = range(4)


def payload(number, length):
    return bytes((number * 31 + i * 7 + (i >> 8)) & 0xff for i in range(length))


def long_ones(first=0, lengths=(60000, 9000, 1000, 30001)):
    """TCP packets of up to 60 KB, of one connection, and some UDP ones."""
    sequence, frames = 1000, []
    for number in range(first, first + N):
        data = payload(number, lengths[number % len(lengths)])
        head = Ether(src="02:aa:00:00:00:01", dst="02:bb:00:00:00:02") / IP(src="192.0.2.1", dst="198.51.100.7", id=number)
        l4 = UDP(sport=5, dport=9) if number % 6 == 5 else TCP(sport=1234, dport=80, seq=sequence, ack=9, flags="A")
        data = data[:1200] if number % 6 == 5 else data
        sequence += 0 if number % 6 == 5 else len(data)
        frames.append(bytes(head / l4 / Raw(data)))
    return frames


def sound(frame):
    """The same bytes with all checksums made anew."""
    packet = Ether(frame)
    for layer in (IP, TCP, UDP):
        if layer in packet:
            del packet[layer].chksum
    return bytes(packet)


class Backend(Session):
    def __init__(self, binary, tmp_path, kind, tso):
        self.paths = [tmp_path / name for name in ("from", "to")]
        devices, _ = engines(kind, 2)
        dmas = [f",dmas=[txq0@dma_{kind}{i};rxq0@dma_{kind}{i + 2}]" if devices else "" for i in (0, 1)]
        super().__init__(binary, [*devices, *(f"net_async_vhost{i},iface={path},tso={tso}{dmas[i]}" for i, path in enumerate(self.paths))],
                         ["--no-flush-rx"], eal=[*eal_args(), *QUIET])

    def features(self):
        self.cmd("set output json")
        ports = self.json_ok("show vhost")["ports"]
        self.cmd("set output text")
        return [set(port["features"]) for port in ports]

    def counters(self):
        self.cmd("set output json")
        streams = self.json_ok("show fwd stats all")["streams"]
        self.cmd("set output text")
        return streams[0] | streams[0].get("counters", {})


class Guests(Session):
    """Both guests: a file goes out by one, what the other receives goes into a file."""

    def __init__(self, binary, tmp_path, paths):
        vdevs = [f"net_pcap0,rx_pcap={tmp_path}/in,tx_pcap={tmp_path}/in_back",
                 *(f"net_virtio_user{i},path={path},{RING},mrg_rxbuf=1" for i, path in enumerate(paths)),
                 f"net_pcap1,rx_pcap={tmp_path}/none,tx_pcap={tmp_path}/out"]
        super().__init__(binary, vdevs, ["--no-flush-rx", "--disable-device-start"], eal=[*eal_args(), "--iova-mode=va"],
                         pool="--total-num-mbufs=16384")

    def configure(self, tso, takes):
        self.ok(*(f"port config {FROM} tx_offload {what} on" for what in ("tcp_cksum", "udp_cksum", "multi_segs")))
        self.ok(f"port config {TO} rx_offload tcp_cksum on")
        if tso:
            self.ok(f"port config {FROM} tx_offload tcp_tso on", f"tso set {SEGMENT} {FROM}")
        if takes:
            self.ok(f"port config {TO} rx_offload tcp_lro on")
        self.ok(f"csum set tcp hw {FROM}", f"csum set udp hw {FROM}", *(f"csum mac-swap off {port}" for port in (FROM, FILE_OUT)), "port start all", "set fwd csum retry",
                PATIENT)


def flow(frames):
    """The payload of TCP in the order of its sequence numbers, which must be that of the packets, and the UDP packets."""
    data, other, expected = b"", [], 1000
    for frame in frames:
        packet = Ether(frame)
        if UDP in packet:
            other.append(frame)
            continue
        assert packet[TCP].seq == expected, (packet[TCP].seq, expected)
        rest = bytes(packet[TCP].payload)[:packet[IP].len - 40]
        data, expected = data + rest, expected + len(rest)
    return data, other


@pytest.mark.parametrize("kind", ["none", "adaptive"])
@pytest.mark.parametrize("takes", [True, False], ids=["taken", "cut"])
def test_tso(binary, tmp_path, kind, takes):
    frames = long_ones()
    write_pcap(tmp_path / "in", frames)
    write_pcap(tmp_path / "none", [])
    with Backend(binary, tmp_path, kind, 1) as backend, Guests(binary, tmp_path, backend.paths) as guests:
        guests.configure(True, takes)
        wait_until(lambda: "host_tso4" in backend.features()[0] and ("guest_tso4" in backend.features()[1]) == takes, "features", 30)
        backend.ok("set fwd vhost retry", PATIENT, "start")
        guests.ok("start")
        if takes:
            wait_until(lambda: port_stats(guests, FILE_OUT)["TX-packets"] >= N, "everything out", 60)
        else:
            wait_until(lambda: port_stats(guests, FILE_OUT)["TX-bytes"] >= sum(map(len, frames)), "everything out", 60)
            wait_until(lambda: port_stats(guests, TO)["RX-packets"] == port_stats(guests, FILE_OUT)["TX-packets"], "the last of it", 60)
        guests.cmd("stop")
        backend.ok("stop")
        counters = backend.counters()
        guests.ok("port stop all")
        got = read_pcap(tmp_path / "out", cut=takes)
    assert (counters["segments_passed"] > 0) == takes and (counters["cut"] > 0) == (not takes) and counters["cut_failed"] == 0, counters
    if takes:
        assert len(got) == N and all(frame.startswith(part) and len(part) >= min(len(frame), PCAP_MOST) for part, frame in zip(got, frames))
    else:
        assert flow(got) == flow(frames)
        assert all(sound(frame) == frame and len(frame) <= HEADERS + SEGMENT for frame in got)


def test_checksum(binary, tmp_path):
    """No segmentation: a guest that asks for checksums, and one that gets them made."""
    frames = long_ones(lengths=(1400, 60, 1000, 301))
    write_pcap(tmp_path / "in", frames)
    write_pcap(tmp_path / "none", [])
    for engine in ("vhost", "io"):
        with Backend(binary, tmp_path, "none", 0) as backend, Guests(binary, tmp_path, backend.paths) as guests:
            guests.configure(False, False)
            wait_until(lambda: "csum" in backend.features()[0] and backend.features()[1], "features", 30)
            assert not {"host_tso4", "guest_tso4", "host_ufo"} & set().union(*backend.features())
            backend.ok(f"set fwd {engine} retry", PATIENT, "start")
            guests.ok("start")
            wait_until(lambda: port_stats(guests, FILE_OUT)["TX-packets"] >= N, "everything out", 60)
            guests.cmd("stop")
            backend.ok("stop")
            if engine == "vhost":
                counters = backend.counters()
                assert counters["csum_passed"] + counters["csum_made"] == N, counters
            guests.ok("port stop all")
            assert read_pcap(tmp_path / "out") == frames
