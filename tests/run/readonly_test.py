# SPDX-License-Identifier: BSD-3-Clause
"""Every engine receives packets with read-only data, from a ring whose mbufs point into a sealed file, and sends what it sends for copies of them."""
import struct

import pytest
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.l2 import ARP, GRE
from scapy.layers.vxlan import VXLAN

from every_engine import COMMANDS, DEFAULTS, ENGINES, FAKE, values
from packets import HEADERS, IP4, PORTS, ether, read_pcap, sized, write_pcap
from session import Session, wait_until

pytestmark = pytest.mark.zcfwd

SLICE = 512
TUNNELLED = ether(type=0x800) / IP(**IP4) / UDP(**PORTS)
FRAMES = [sized(header, SLICE, number) for number, header in enumerate([
    *HEADERS.values(),
    ether() / ARP(op=1, psrc=IP4["src"], pdst=IP4["dst"]),
    ether() / IP(**IP4) / UDP(sport=9, dport=4789) / VXLAN(vni=7) / TUNNELLED,
    ether() / IP(**IP4) / GRE() / IP(**IP4) / UDP(**PORTS),
    ether() / IP(**{**IP4, "ttl": 1}) / ICMP(id=5, seq=6),
    ether(type=0x88F7) / struct.pack(">BB", 0, 2),
])]
FED = 1023  # what the ring takes: many mbufs at a time share each frame

# Commands that are no settings of the engine, each a way to run it: what to do before, and after.
WAYS = {
    "csum": [([f"csum {what} on 1"], [f"csum {what} off 1"]) for what in ("parse-tunnel", "mac-swap")] + [
        (["csum parse-tunnel on 1", "set gso segsz 300", "set port 1 gso on"], ["csum parse-tunnel off 1", "set gso segsz 1514", "set port 1 gso off"]),
        (["set port 0 gro on"], ["set port 0 gro off"]), (["set port 0 gro on", "set gro flush 3"], ["set port 0 gro off", "set gro flush 1"])],
}
# What an engine needs to have an effect.
BASE = {"noisy": {"noisy-forward-mode": "5tswap", "noisy-lkup-memory": 1}, "ring_pipeline": {"pipeline-stage": "macswap"},
        "replay": {"replay": "{folder}/capture", "replay-times": 0, "replay-rate": "max"}}
# Engines that these ports do not suit: the line with which start refuses.
REFUSED = {"ieee1588": "does not support PTP time stamps", "direct": "expected net_i40e, net_ice"}
# Engines that create what they send: not of what they receive.
MAKERS = ("flowgen", "txonly", "generate", "measure", "replay")
# Engines that change nothing, and drop packets while others are in work: now these, now those.
DROPS = ("gpu",)


def all_through(streams):
    """What waited in the ring was received, or the engine receives nothing and has created packets."""
    rx, made = (sum(stream[name] for stream in streams) for name in ("rx", "made"))
    return rx >= FED or (made > 0 and rx == 0)


class Rig(Session):
    """Port 0 is a ring that the packets wait in, port 1 sends to nowhere."""

    def __init__(self, binary, tmp_path):
        self.folder = tmp_path
        (tmp_path / "frames").write_bytes(b"".join(FRAMES))
        write_pcap(tmp_path / "capture", FRAMES)
        super().__init__(binary, ["net_ring0", "net_null1,no-rx=1"], ["--nb-cores=2"], lcores="0@0,1@0,2@1",
                         env={"LD_LIBRARY_PATH": str(FAKE)})
        self.ok("port stop 0", "port config 0 tx_offload multi_segs on", "port start 0")
        self.ok(f"extmem create app type file {tmp_path}/frames size 0", "extmem create own type anon size 8M", "route add 0.0.0.0/0 port 1", "route add ::/0 port 1")
        self.cmd("set output json")

    def setting(self, name, value):
        self.json_ok(f"{COMMANDS[name]} {value}")

    def feed(self, storage):
        """Fill the ring with the file's frames, by reference or as copies."""
        feeder = {"extbuf-mode": "storage", "extbuf-slice": SLICE, "extbuf-memory": "app", "extbuf-shinfo": "shared", "extbuf-split": "off",
                  "extbuf-verify": "off", "extbuf-storage": storage}
        for name, value in feeder.items():
            self.setting(name, value)
        for line in ("set flush_rx on", "set portlist 0", "set fwd extbuf", "start"):
            self.json_ok(line)
        wait_until(lambda: all(stream["tx_dropped"] > 0 for stream in self.json_ok("show fwd stats all")["streams"]), "a full ring")
        assert [stream["tx"] for stream in self.json_ok("stop")["streams"]] == [FED]
        for name in feeder:
            self.setting(name, "own" if name == "extbuf-memory" else DEFAULTS[name])
        for line in ("set flush_rx off", "set portlist 0,1"):
            self.json_ok(line)

    def forward(self, engine, storage, settings, before, after):
        """What the engine sends, by port; its streams; else the line with which it was refused."""
        self.feed(storage)
        for port in (0, 1):
            self.json_ok(f"capture start {port} file {self.folder}/out{port} overwrite tx")
        for name, value in settings.items():
            self.setting(name, value)
        for line in (*before, f"set fwd {engine}"):
            self.json_ok(line)
        answer = self.json("start")
        if answer["ok"]:
            wait_until(lambda: all_through(self.json_ok("show fwd stats all")["streams"]), f"all packets through {engine} {settings}", 30)
            answer = self.json_ok("stop")
        for name in settings:
            self.setting(name, DEFAULTS.get(name, ""))
        for line in ("capture stop all", *after):
            self.json_ok(line)
        if not answer["ok"]:
            return answer["error"]["message"]
        return [read_pcap(f"{self.folder}/out{port}") for port in (0, 1)], answer["streams"]

    def compare(self, engine, settings, before=(), after=()):
        """The engine sends the same of shared data as of copies. Returns how many packets were copied for that, or the refusal."""
        copies = self.forward(engine, "copy", settings, before, after)
        shared = self.forward(engine, "attach", settings, before, after)
        if isinstance(copies, str) or isinstance(shared, str):
            assert copies == shared, (engine, settings)
            return copies
        (expected, _), (sent, streams) = copies, shared
        if engine == "ring_pipeline":  # workers beside each other
            expected, sent = [sorted(packets) for packets in expected], [sorted(packets) for packets in sent]
        makes = engine in MAKERS or settings.get("extbuf-mode") == "storage"
        assert makes or engine in DROPS or sent == expected, (engine, settings, before)
        changed = {frame for packets in sent for frame in packets} - set(FRAMES)
        assert sum(stream["readonly_dropped"] for stream in streams) == 0, streams
        copied = sum(stream["readonly_copied"] for stream in streams)
        assert makes or not changed or (copied > 0 and engine not in DROPS), (engine, settings, before)
        return copied

    def all_back(self):
        for line in ("set flush_rx on", "set fwd io", "start for 1ms"):
            self.json_ok(line)
        assert {memory["name"]: memory["buffers_out"] for memory in self.json_ok("show extmem")["extmem"]}["app"] == 0
        for line in ("stop", "port stop all"):
            self.json(line)
        assert sum(pool["in_use"] for pool in self.json_ok("show pool")["pools"]) == 0


@pytest.mark.rotates(4)
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine(binary, tmp_path, engine):
    """Each setting at each value, one at a time."""
    with Rig(binary, tmp_path) as session:
        base, copied = {name: str(value).format(folder=tmp_path) for name, value in BASE.get(engine, {}).items()}, []
        ways = [(base, (), ())]
        ways += [({**base, name: value}, (), ()) for name in ENGINES[engine] if name in COMMANDS for value in values(name)]
        ways += [(base, before, after) for before, after in WAYS.get(engine, ())]
        for settings, before, after in ways:
            copied.append(session.compare(engine, settings, before, after))
        if engine in REFUSED:
            assert all(REFUSED[engine] in line for line in copied), copied
        else:
            assert isinstance(copied[0], int), copied[0]
        session.all_back()
