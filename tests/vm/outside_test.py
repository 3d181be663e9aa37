# SPDX-License-Identifier: BSD-3-Clause
"""A host's e1000e cards, and what stands at the other end of their wires: frames of the test, a device that loses and damages, and the kernel."""
import json
import random
import re
import select
import threading

import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import Ether

from cards import CARDS, qemu_release
from guest import COMMAND_S, HARDWARE, Program, archive
from host import MODULES, ON_BOARD, OWN_BUS, Cable, Host, Nic, Shell

pytestmark = pytest.mark.zcfwd
PORTS = (0, 1)
CARD, IGB = "e1000e", "igb"
DRIVERS = ("net_virtio", "net_e1000", "mempool_ring", "bus_pci")
KERNELS = (*MODULES[:-1], "pps_core", "ptp", CARD, "dca", "i2c-algo-bit", IGB)
OWN = "-i --total-num-mbufs=8192"
HUB = "hubport,hubid=0"
NEAR, FAR = "10.79.0.1", "10.79.0.2"  # the kernel's address, and one that only the program answers for
FRAMES = 120
SENT = 400  # packets of engine measure, of each port


@pytest.fixture(scope="module")
def program(binary):
    return Program(binary, DRIVERS)


@pytest.fixture(scope="module")
def lab(tmp_path_factory, program):
    """Two e1000e, and two igb if QEMU has them, with cables to the test; two virtio cards connected to each other, of which the kernel keeps the first."""
    folder = tmp_path_factory.mktemp("cables")
    models = [CARD, *([IGB] if qemu_release() >= CARDS[IGB][1] else [])]
    cables = {model: [Cable(folder, f"{model}{port}") for port in PORTS] for model in models}
    # The virtual functions of an igb take the next slots.
    nics = {model: [Nic(model, cable.wire, OWN_BUS if model == IGB else ON_BOARD) for cable in cables[model]] for model in models}
    ends = [Nic("virtio-net-pci", HUB) for _ in range(2)]
    with Host(archive(tmp_path_factory, KERNELS, program.files, HARDWARE), [*sum(nics.values(), []), *ends], flavour=HARDWARE) as guest:
        guest.cables, guest.cards = cables, {model: [nic.address for nic in nics[model]] for model in models}
        guest.near, guest.far = (nic.address for nic in ends)
        guest.boot().users()
        for model, cards in guest.cards.items():
            for card in cards:
                assert guest.driver(card) == model
                guest.bind(card, "vfio-pci")
        guest.bind(guest.far, "vfio-pci")
        guest.reserve_pages()
        yield guest


@pytest.fixture(params=[CARD, IGB])
def model(request, lab):
    if request.param not in lab.cards:
        pytest.skip(f"{request.param} came with QEMU {CARDS[request.param][1]}")
    return request.param


def on(guest, program, cards, cables=()):
    """Returns once the links are up: a card negotiates for a second."""
    shell = Shell(guest, program.line("-l 0,1 --in-memory" + "".join(f" -a {card}" for card in cards), OWN))
    shell.cmd("wait link all up 30s")
    for cable in cables:
        cable.drain()
    return shell


def frames(seed):
    """UDP frames of all lengths with random payload."""
    dice = random.Random(seed)
    made = []
    for number in range(FRAMES):
        size = (60, 1514)[number] if number < 2 else dice.randint(60, 1514)
        head = Ether(src="02:00:00:00:00:08", dst="02:00:00:00:00:07") / IP(src=f"10.0.0.{number}", dst="10.0.1.1") / UDP(sport=number, dport=9)
        made.append(bytes(head / dice.randbytes(size - len(head))))
    return made


def swapped(frame):
    return frame[6:12] + frame[:6] + frame[12:]


@pytest.mark.parametrize(("engine", "changed"), [("io", bytes), ("macswap", swapped)])
def test_content(lab, program, model, engine, changed):
    """Frames of all lengths that come in at one card go out at the other, whole and in order; the counts are those of the test."""
    cables = lab.cables[model]
    with on(lab, program, lab.cards[model], cables) as shell:
        shell.cmd("clear port stats all", f"set fwd {engine}", "start")
        sent = [frames(f"{engine} {port}") for port in PORTS]
        for at in range(0, FRAMES, 8):
            for port, cable in enumerate(cables):
                for frame in sent[port][at:at + 8]:
                    cable.put(frame)
            for port, cable in enumerate(cables):
                for frame in sent[1 - port][at:at + 8]:
                    assert cable.take() == changed(frame)
        assert all(cable.silent() for cable in cables)
        shell.cmd("stop")
        for port in PORTS:
            said = shell.cmd(f"show port stats {port}")
            assert re.search(rf"RX-packets: {FRAMES} .*\n.*\n.*\n +TX-packets: {FRAMES} ", said), said
            # e1000e counts the checksum of frames that it receives.
            assert f"RX-bytes:  {sum(map(len, sent[port])) + (4 * FRAMES if model == CARD else 0)}\n" in said, said


class Device(threading.Thread):
    """What stands between two ports: it passes frames on, from each cable to the other, and does a wrong to some of them."""

    def __init__(self, cables):
        super().__init__(daemon=True)
        self.cables, self.over = cables, threading.Event()
        self.passed = [0, 0]  # from the port
        self.wrongs = {"lost": 0, "duplicated": 0, "damaged": 0}

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exc):
        self.over.set()
        self.join(timeout=COMMAND_S)

    def run(self):
        while not self.over.is_set():
            for port, cable in enumerate(self.cables):
                if not select.select([cable.socket], [], [], 0.01)[0]:
                    continue
                frame = cable.take()
                if frame[12:14] == b"\x08\x00":
                    self.passed[port] += 1
                    self.onward(self.passed[port], frame, self.cables[1 - port])

    def onward(self, number, frame, cable):
        if number % 20 == 7:
            self.wrongs["lost"] += 1
            return
        if number % 50 == 9:
            self.wrongs["damaged"] += 1
            frame = frame[:50] + bytes([frame[50] ^ 0x10]) + frame[51:]
        elif number % 25 == 11:
            self.wrongs["duplicated"] += 1
            cable.put(frame)
        cable.put(frame)


def test_measure(lab, program):
    """Engine measure counts each loss, duplicate and damage that the device between the ports has done."""
    with on(lab, program, lab.cards[CARD], lab.cables[CARD]) as shell, Device(lab.cables[CARD]) as device:
        shell.cmd("set fwd measure", "set generate flows 8 size 100-1000", "set generate-rate 200", "set measure-drain 3000", "set generate-late 1000000")
        shell.cmd(f"start for {SENT} packets", timeout=120)
        streams = shell.json("show measure")["streams"]
        total = {name: sum(stream[name] for stream in streams) for name in ("sent", "lost", "duplicated", "damaged", "reordered", "unsent", "foreign")}
        assert total["sent"] == sum(device.passed), (total, device.passed)
        assert total["lost"] == device.wrongs["lost"] + device.wrongs["damaged"], (total, device.wrongs)
        assert (total["duplicated"], total["damaged"]) == (device.wrongs["duplicated"], device.wrongs["damaged"]), (total, device.wrongs)
        assert total["reordered"] == total["foreign"] == 0 and min(device.wrongs.values()) > 5, (total, device.wrongs)


def test_generate(lab, program):
    """The described packets, and no others, leave each card: flows, sizes, addresses, and right checksums."""
    with on(lab, program, lab.cards[CARD], lab.cables[CARD]) as shell:
        shell.cmd("set fwd generate", "set generate flows 4 size 72:1,594:1 proto tcp src 10.1.0.1 dst 10.2.0.9 sport 2000-2003 dport 80 ttl 9",
                  "set generate-rate 500", "clear port stats all")
        shell.cmd("start for 200 packets", timeout=120)
        counted = [int(re.search(r"TX-packets: (\d+)", shell.cmd(f"show port stats {port}"))[1]) for port in PORTS]
        for port, cable in enumerate(lab.cables[CARD]):
            got = [cable.take() for _ in range(counted[port])]
            assert cable.silent() and got
            assert {len(frame) for frame in got} == {72, 594}
            for frame in got:
                packet = Ether(frame)
                assert (packet[IP].src, packet[IP].dst, packet[IP].ttl, packet[TCP].dport) == ("10.1.0.1", "10.2.0.9", 9, 80)
                fresh = Ether(frame)
                del fresh[IP].chksum, fresh[TCP].chksum
                assert bytes(fresh) == frame
            assert {Ether(frame)[TCP].sport for frame in got} == {2000, 2001, 2002, 2003}


def test_kernel(lab, program):
    """The program answers the guest's kernel over the wire: address resolution and echo. Then it sends back what it gets."""
    name = lab.sh(f"ls /sys/bus/pci/devices/{lab.near}/virtio*/net").strip()
    lab.sh(f"ip addr add {NEAR}/24 dev {name}; ip link set {name} up")
    with on(lab, program, [lab.far]) as shell:
        shell.cmd("set fwd icmpecho", "start")
        said = shell.beside(f"ping -c 5 -s 1000 -A {FAR}")
        assert "5 packets transmitted, 5 packets received" in said, said
        # Now its own request comes back to the kernel, which answers it.
        shell.beside(f"arp -s {FAR} 02:00:00:00:00:09")
        shell.cmd("stop", "set fwd 5tswap", "start")
        said = shell.beside(f"ping -c 5 -s 1000 -A {FAR}")
        assert "5 packets transmitted, 5 packets received" in said, said
        shell.cmd("stop")
        streams = shell.json("show fwd stats all")["streams"]
        assert streams[0]["rx"] == streams[0]["tx"] >= 10, streams


def test_record(lab, program):
    """A run on the cards in a file: its intervals add up to what the test sent."""
    with on(lab, program, lab.cards[CARD], lab.cables[CARD]) as shell:
        shell.cmd("set fwd macswap", "record start /tmp/run.jsonl every 100", "start")
        for frame in frames("record"):
            lab.cables[CARD][0].put(frame)
            assert lab.cables[CARD][1].take() == swapped(frame)
        shell.cmd("stop", "record stop")
        rows = [json.loads(row) for row in shell.beside("cat /tmp/run.jsonl").splitlines() if row.startswith("{")]
        parts, end = [row for row in rows if row["type"] == "interval"], next(row for row in rows if row["type"] == "end")
        assert [stream["rx"] for stream in end["streams"]] == [FRAMES, 0], end
        assert sum(row["streams"][0]["rx"] for row in parts) == sum(row["streams"][0]["tx"] for row in parts) == FRAMES, parts


def test_back_to_the_kernel(lab, model):
    """Its driver has the card again, and sends by the cable."""
    for card, cable in zip(lab.cards[model], lab.cables[model]):
        lab.give_back(card)
        assert lab.driver(card) == model
        cable.drain()
        name = lab.sh(f"ls /sys/bus/pci/devices/{card}/net").strip()
        lab.sh(f"ip link set {name} up; ip addr add 10.80.0.1/24 dev {name}; for i in $(seq 20); do [ $(cat /sys/class/net/{name}/carrier) = 0 ] || break; sleep 1; done")
        lab.sh("ping -c 1 -W 1 10.80.0.2 >/dev/null || true")
        assert Ether(cable.take()).type == 0x0806
        lab.sh(f"ip addr flush dev {name}; ip link set {name} down")
