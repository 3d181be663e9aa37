# SPDX-License-Identifier: BSD-3-Clause
"""Modelled cards in a guest's slot (guest=PATH): the messages of vfio-user, frames between a guest's driver and a port, guests that misbehave or leave."""
import errno
import os
import random
import select
import socket
import struct
import subprocess
import threading

import pytest
from guest_card import ANSWER_S, CONFIG, DEVICE_INFO, DMA_MAP, IRQ_INFO, MSI, READ, REGION_INFO, RESET, Driver, Gone, Guest
from modelled import LACKS, needs_model_nic
from session import Session, eal_args, ordinary_pages, wait_until
from stats import port_stats

pytestmark = [pytest.mark.zcfwd, needs_model_nic]
DETACHED = 16  # times that a card leaves while frames arrive


class Host(Session):
    """One port, a modelled card; at the other end of its wire a card for a guest, at self.path."""

    def __init__(self, binary, tmp_path, card="82599", port=None):
        if LACKS:
            pytest.skip(LACKS)
        self.path = tmp_path / "slot"
        super().__init__(binary, (), ["--model", f"{card},guest={self.path},rx=wire:1;{port or card},rx=wire:0"], memory=ordinary_pages(256))


def ports_of(host):
    return host.cmd("show port summary all").count("02:4D:4E:")


def words(body):
    return struct.unpack(f"<{len(body) // 4}I", body)


def fails(number, call, *arguments):
    with pytest.raises(OSError) as raised:
        call(*arguments)
    assert raised.value.errno == number


@pytest.mark.parametrize("card, device, bytes_of_bar, msix", [("82599", 0x10fb, 512 << 10, (64, 4, 16 << 10, 0x2000)),
                                                              ("xl710", 0x1583, 8 << 20, (129, 3, 32 << 10, 0x1000))])
def test_card(binary, tmp_path, card, device, bytes_of_bar, msix):
    """What a slot shows of a card, and what it refuses."""
    with Host(binary, tmp_path, card) as host:
        assert ports_of(host) == 1
        with Guest(host.path) as guest:
            assert b"capabilities" in guest.hello()
            assert words(guest.ask(DEVICE_INFO, bytes(16))) == (16, 3, 9, 5)
            sizes = [struct.unpack("<IIIIQQ", guest.ask(REGION_INFO, struct.pack("<IIIIQQ", 32, 0, i, 0, 0, 0)))[4] for i in range(9)]
            vectors, bar, bytes_of_msix, pending = msix
            assert sizes == [bytes_of_bar, *(bytes_of_msix * (i == bar) for i in range(1, 7)), 256, 0]
            assert [words(guest.ask(IRQ_INFO, struct.pack("<IIII", 16, 0, i, 0)))[3] for i in range(5)] == [0, 1, vectors, 0, 0]
            assert guest.read(0, region=CONFIG) == device << 16 | 0x8086
            assert guest.read(8, region=CONFIG) >> 8 == 0x020000
            # Its capabilities: one message-signalled interrupt, MSI-X, PCI Express.
            at, known = guest.read(0x34, 1, CONFIG), {}
            while at:
                known[guest.read(at, 1, CONFIG)] = at
                at = guest.read(at + 1, 1, CONFIG)
            assert list(known) == [5, 0x11, 0x10]
            at = known[0x11]
            assert (guest.read(at + 2, 2, CONFIG), guest.read(at + 4, 4, CONFIG), guest.read(at + 8, 4, CONFIG)) == (vectors - 1, bar, pending | bar)
            guest.write(at + 2, 0xffff, 2, CONFIG)
            assert guest.read(at + 2, 2, CONFIG) == 0xc000 | vectors - 1  # only the bits that switch it on and mask it
            # The BAR of its table is memory, 64-bit.
            assert guest.read(0x10 + 4 * bar, 4, CONFIG) == 4
            guest.write(16, 0x12345678, region=bar)
            assert guest.read(16, region=bar) == 0x12345678
            fails(errno.EINVAL, guest.read, bytes_of_msix, 4, bar)
            fails(errno.EINVAL, guest.vectors, vectors, [-1])
            guest.write(0, 0xffffffff, region=CONFIG)
            guest.write(4, 0x406, 2, CONFIG)
            assert guest.read(0, region=CONFIG) == device << 16 | 0x8086 and guest.read(4, 2, CONFIG) == 0x406
            fails(errno.EINVAL, guest.read, bytes_of_bar)
            fails(errno.EINVAL, guest.read, 2, 4)
            fails(errno.EINVAL, guest.read, 0, 16)
            fails(errno.EINVAL, guest.read, 254, 4, CONFIG)
            fails(errno.EINVAL, guest.read, 0, 4, 2)
            fails(errno.ENOTSUP, guest.ask, 99)
            fails(errno.EINVAL, guest.ask, DMA_MAP, bytes(8))
            fails(errno.EINVAL, guest.ask, REGION_INFO, struct.pack("<IIIIQQ", 32, 0, 9, 0, 0, 0))
            fails(errno.ENOTSUP, guest.hello, 1)
            guest.ask(RESET)
            assert guest.read(4, 2, CONFIG) == 0
        host.quit()
        assert host.rc == 0 and not host.path.exists()


def test_frames(binary, tmp_path):
    """Frames of a guest's driver come back from the engine, with interrupts; registers of doorbells too; counters of both ends agree."""
    frames = [bytes(random.Random(n).randbytes(60 + 53 * n)) for n in range(24)]
    with Host(binary, tmp_path) as host:
        host.ok("set fwd macswap", "start")
        with Driver(host.path) as guest:
            for frame in frames:
                guest.transmit(frame)
                assert guest.take() == frame[6:12] + frame[:6] + frame[12:]
            assert 1 <= guest.interrupts() <= 2 * len(frames)
            guest.write(0x888, 1)  # masked: no more
            guest.interrupts(0)
            guest.transmit(frames[0])
            assert guest.take() is not None and guest.interrupts(0.2) == 0
            guest.write(0x880, 1)  # what was due comes now
            assert guest.interrupts() == 1
            assert (guest.read(0x4074), guest.read(0x4080)) == (len(frames) + 1, len(frames) + 1)
        host.cmd("stop")
        assert f"RX-packets: {len(frames) + 1} " in host.cmd("show port stats 0")
        host.quit()
        assert host.rc == 0


def test_vectors(binary, tmp_path):
    """With MSI-X each queue has its own event, others none; without it, MSI again."""
    events = [os.eventfd(0) for _ in range(3)]

    def raised(*wanted):
        """True if the events with these numbers come, and no others have come by then."""
        for n in wanted:
            if not select.select([events[n]], [], [], ANSWER_S)[0]:
                return False
        come = [n for n, event in enumerate(events) if select.select([event], [], [], 0)[0]]
        for n in come:
            os.eventfd_read(events[n])
        return come == list(wanted)

    with Host(binary, tmp_path) as host:
        host.ok("set fwd macswap", "start")
        with Driver(host.path) as guest:
            guest.vectors(0, [-1])  # as QEMU begins
            guest.vectors(5, events[:2])
            guest.vectors(63, events[2:])
            guest.write(0x898, 1 << 4)
            guest.write(0x810, 0xffff)  # causes of queues are cleared as they are raised
            guest.write(0x900, 0x8685)  # received packets raise vector 5, sent ones 6
            guest.write(0xa00, 0xbf00)  # all other causes: 63
            guest.write(0xaa0, 0xffff)
            guest.write(0x880, 1 << 20)
            guest.transmit(bytes(60))
            assert guest.take() is not None
            assert raised(0, 1) and guest.interrupts(0) == 0
            guest.write(0x808, 1 << 20)
            assert raised(2) and guest.read(0x808) == 1 << 20
            guest.write(0x800, 1 << 20)
            guest.vectors(5, [-1])
            guest.write(0x808, 3 << 5)
            assert raised(1)
            guest.vectors(0, [])
            guest.write(0x808, 1 << 6)
            assert raised() and guest.interrupts() > 0
        host.quit()
        assert host.rc == 0
    for event in events:
        os.close(event)


def test_guests_come_and_go(binary, tmp_path):
    """One guest at a time; one that leaves in the middle, or says nonsense, ends for itself alone; the next has a card as after power on."""
    with Host(binary, tmp_path) as host:
        host.ok("set fwd txonly", "start")  # packets arrive all the time
        for n in range(3):
            with Driver(host.path) as guest:
                waiting = Guest(host.path)
                for _ in range(20):
                    guest.transmit(bytes(60))
                waiting.send(READ, struct.pack("<QII", 0, CONFIG, 4))
                if n == 0:
                    guest.unmap(guest.ADDRESS, guest.BYTES)  # with its rings in it: the card leaves them
                    guest.memory[:] = bytes(guest.BYTES)
                    guest.write(0x6018, 60)
                    assert guest.read(0) is not None
                    assert guest.memory[:] == bytes(guest.BYTES)
                elif n == 1:
                    guest.send(READ, b"", size=1 << 20)
                    with pytest.raises(Gone):
                        guest.receive(1)
            assert struct.unpack("<HHIII", waiting.receive(16))[4] == 0
            waiting.receive(20)
            assert waiting.read(0x1028) == 0  # the queues are off again
            waiting.send(READ, b"\0" * 3, size=17)  # half a message, and gone
            waiting.socket.close()
        host.cmd("stop")
        assert ports_of(host) == 1
        host.quit()
        assert host.rc == 0


@pytest.mark.parametrize("card", ["82599", "xl710"])
def test_detach_while_the_guest_sends(binary, tmp_path, card):
    """The port at the other end of a guest's wire is closed, detached and attached while the guest sends all the time."""
    ended = threading.Event()

    def send():
        while not ended.is_set():
            guest.flood(bytes(60))

    with Host(binary, tmp_path, port=card) as host, Driver(host.path) as guest:
        sender = threading.Thread(target=send)
        sender.start()
        try:
            for _ in range(DETACHED):
                host.ok("port stop 0", "clear port stats 0", "port start 0")
                wait_until(lambda: port_stats(host, 0)["RX-missed"] + port_stats(host, 0)["RX-packets"] > 0, "frames of the guest", 60)
                host.ok("port stop 0", "port close 0", "port detach 0", "port attach 0000:f0:01.0")
        finally:
            ended.set()
            sender.join(ANSWER_S)
        host.quit()
        assert host.rc == 0


def test_memory(binary, tmp_path):
    """A guest's memory lies at its own addresses: where the program has something, the answer says so, and the guest lives on."""
    with Host(binary, tmp_path) as host, Guest(host.path) as guest:
        guest.hello()
        file = os.memfd_create("guest")
        os.ftruncate(file, 1 << 20)
        fails(errno.EEXIST, guest.map, file, eal_address(host), 1 << 20)
        guest.map(file, 0, 1 << 20)  # the first 64 KiB stay out
        fails(errno.EEXIST, guest.map, file, 1 << 16, 1 << 16)
        guest.unmap(0, 1 << 20)
        for _ in range(50):
            guest.map(file, 1 << 19, 1 << 19)
            guest.unmap(1 << 19, 1 << 19)
        assert guest.read(0, region=CONFIG) & 0xffff == 0x8086
        os.close(file)


def eal_address(host):
    """Where EAL has memory."""
    with open(f"/proc/{host.pid}/maps", encoding="utf-8") as lines:
        return next(int(line.split("-")[0], 16) for line in lines if int(line.split("-")[0], 16) >= 1 << 32)


def refused(binary, path):
    """What the program says of such a path before it ends."""
    done = subprocess.run([binary, *eal_args(), "--", "--model", f"82599,guest={path}"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                          timeout=60)
    assert done.returncode != 0
    return done.stdout + done.stderr


def test_refused(binary, tmp_path):
    """A path that cannot be: one line, and no start. A socket that a dead process left is taken."""
    assert "port 0 82599: guest=/nowhere/slot: No such file or directory" in refused(binary, "/nowhere/slot")
    assert '"guest=": expected the path of a socket' in refused(binary, "")
    assert f'"guest={"x" * 120}"'[:80] in refused(binary, "x" * 120)
    with Host(binary, tmp_path) as first:
        assert f"guest={first.path}: Address already in use" in refused(binary, first.path)
        with Guest(first.path) as guest:
            assert guest.hello()
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "slot"))
    with Host(binary, tmp_path) as second, Guest(second.path) as guest:
        assert guest.hello()
