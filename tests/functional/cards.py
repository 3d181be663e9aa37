# SPDX-License-Identifier: BSD-3-Clause
"""Cards of QEMU under the program, and sockets of the test as the cables to them."""
import contextlib
import functools
import pathlib
import random
import re
import shutil
import socket
import subprocess

import pytest
from limits import limit
from modelled import LACKS
from session import TO_JSON, TO_TEXT, Session, wait_until
from stats import port_stats
from telemetry import Telemetry

QEMU = "qemu-system-x86_64"
# The model, the driver that takes it, and the first QEMU with the card.
CARDS = {"e1000e": ("net_e1000_em", 7), "e1000": ("net_e1000_em", 7), "igb": ("net_e1000_igb", 8), "vmxnet3": ("net_vmxnet3", 7),
         "virtio-pci": ("net_virtio", 7), "virtio-pci,packed": ("net_virtio", 7)}
# e1000 reads its EEPROM bit by bit, thousands of registers: half a minute on a busy machine.
each_card = pytest.mark.parametrize("card", [pytest.param(card, marks=pytest.mark.extended) if card == "e1000" else card for card in CARDS])
LINK_S = 10  # autonegotiation takes a second of the card's clock


@functools.cache
def qemu_release():
    """The release's first number; 0 without QEMU."""
    if shutil.which(QEMU) is None:
        return 0
    said = subprocess.run([QEMU, "--version"], capture_output=True, text=True, check=True, timeout=60).stdout
    return int(re.search(r"version (\d+)", said)[1])


class Cards(Session):
    """
    A session on two cards of one model, each with a cable to the test: put() and take(). card: the model, with keys if any. wired: both on
    one cable instead.
    """

    def __init__(self, binary, card, tmp_path, args=(), *, wired=False, link=True, models=None, **options):
        if LACKS:
            pytest.skip(LACKS)
        name, first = card.split(",")[0], CARDS[card.split(",")[0]][1]
        if qemu_release() < first:
            pytest.skip(f"{name} came with QEMU {first}" if qemu_release() else f"no {QEMU}")
        self.cables, self.paths = [], [str(tmp_path / f"{port}") for port in (0, 1)]
        for path in [] if wired else self.paths:
            self.cables.append(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
            self.cables[-1].bind(path)
        ends = [f"{card},rx=wire:{1 - port}" if wired else f"{card},rx=socket:{path}" for port, path in enumerate(self.paths)]
        super().__init__(binary, (), ["--model", ";".join(ends) if models is None else models, *args], telemetry=True, **options)
        if link:
            self.links("up")

    def links(self, state, ports=(0, 1)):
        for port in ports:
            wait_until(lambda port=port: f"Link status: {state}" in self.cmd(f"show port info {port}"), f"port {port} {state}", LINK_S)

    def ask_link(self, port, state):
        """Pull or plug the cable of a card; telemetry's answer."""
        with Telemetry(self) as asked:
            return asked.ask(f"/model_nic/link,{port},{state}")

    def qemu_of(self, port):
        """The process whose card a port is: its last MAC address byte is the port."""
        for path in pathlib.Path(f"/proc/{self.pid}/task").glob("*/children"):
            for pid in path.read_text(encoding="ascii").split():
                if f"mac=02:4d:4e:00:00:{port:02x}".encode() in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes():
                    return int(pid)
        raise AssertionError(f"no QEMU of port {port}")

    def asked_json(self, line):
        """The answer to one line in JSON."""
        self.cmd(TO_JSON)
        found = self.json_ok(line)
        self.cmd(TO_TEXT)
        return found

    def streams(self):
        """What the run's streams counted."""
        return self.asked_json("show fwd stats all")["streams"]

    def put(self, port, frame):
        """Send a frame to a card; QEMU takes them one by one."""
        self.cables[port].settimeout(limit(20))
        self.cables[port].sendto(frame, f"{self.paths[port]}.card")

    def take(self, port, timeout=20):
        """The next frame that a card has sent."""
        self.cables[port].settimeout(limit(timeout))
        return self.cables[port].recv(65536)

    def silent(self, port):
        """No frame has come."""
        self.cables[port].settimeout(0.2)
        with contextlib.suppress(TimeoutError):
            return self.cables[port].recv(65536) == b""
        return True

    def exchange(self, frames, change=lambda frame: frame, window=8):
        """Send frames to both cards, a few at a time; each comes out at the other one, in order, as change() or addressed() makes it."""
        for at in range(0, len(frames), window):
            part = frames[at:at + window]
            for port in (0, 1):
                for frame in part:
                    self.put(port, frame)
            for port in (1, 0):
                for frame in part:
                    got, expected = self.take(port), addressed(frame, port) if change is addressed else change(frame)
                    assert got == expected, f"port {port}, frame {frames.index(frame)}: {got.hex()} for {frame.hex()}"

    def close(self):
        super().close()
        for cable in self.cables:
            cable.close()


def frames_of(count, seed, least=60, most=1514, to="02:00:00:00:00:09"):
    """UDP frames of all lengths with random payload."""
    dice = random.Random(seed)
    from scapy.layers.inet import IP, UDP  # noqa: PLC0415 - takes a second
    from scapy.layers.l2 import Ether  # noqa: PLC0415
    made = []
    for number in range(count):
        size = (least, most)[number] if number < 2 else dice.randint(least, most)
        head = Ether(src="02:00:00:00:00:08", dst=to) / IP(src=f"10.0.0.{number % 250}", dst="10.0.1.1") / UDP(sport=number, dport=9)
        made.append(bytes(head / dice.randbytes(size - len(head))))
    return made


def swapped(frame):
    """What engine macswap makes of a frame."""
    return frame[6:12] + frame[:6] + frame[12:]


def addressed(frame, port):
    """What engine mac makes of a frame that leaves this port."""
    return bytes.fromhex(f"02000000000{port}024d4e0000{port:02x}") + frame[12:]


def counted(session, port):
    """The driver's and the card's counts of packets that came and went."""
    stats = port_stats(session, port)
    return stats["RX-packets"], stats["TX-packets"]
