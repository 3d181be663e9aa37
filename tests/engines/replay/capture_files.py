# SPDX-License-Identifier: BSD-3-Clause
"""Capture files that tests write, and a program that replays them."""
import gzip
import struct

from scapy.layers.inet import IP, UDP
from scapy.packet import Raw

from packets import ether, read_pcap
from session import Session

US, NS = 0xA1B2C3D4, 0xA1B23C4D
GOOD = bytes(ether() / IP(src="10.0.0.1", dst="10.0.0.2") / UDP() / Raw(bytes(40)))


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
