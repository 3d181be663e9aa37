# SPDX-License-Identifier: BSD-3-Clause
"""A guest of a modelled card: a client of vfio-user, and a driver of an 82599 in few lines."""
import mmap
import os
import select
import socket
import struct
import time

VERSION, DMA_MAP, DMA_UNMAP, DEVICE_INFO, REGION_INFO, IRQ_INFO, SET_IRQS, READ, WRITE, RESET = 1, 2, 3, 4, 5, 7, 8, 9, 10, 13
BAR0, CONFIG, MSI, MSIX = 0, 7, 1, 2
HEAD = "<HHIII"
ANSWER_S = 20


class Gone(Exception):
    """The other end has closed the connection."""


class Guest:
    """A connection; each method is a message and its answer. Errors come as OSError with the number that the answer has."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(ANSWER_S)
        self.socket.connect(str(path))
        self.sent = 0

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.socket.close()

    def send(self, command, body=b"", fds=(), flags=0, size=None):
        self.sent += 1
        head = struct.pack(HEAD, self.sent & 0xffff, command, 16 + len(body) if size is None else size, flags, 0)
        socket.send_fds(self.socket, [head + body], list(fds))

    def receive(self, n):
        data = b""
        while len(data) < n:
            try:
                part = self.socket.recv(n - len(data))
            except ConnectionResetError:
                part = b""
            if not part:
                raise Gone
            data += part
        return data

    def ask(self, command, body=b"", fds=()):
        self.send(command, body, fds)
        number, answered, size, flags, error = struct.unpack(HEAD, self.receive(16))
        body = self.receive(size - 16)
        assert (number, answered, flags & 0xf) == (self.sent & 0xffff, command, 1)
        if flags & 0x20:
            raise OSError(error, os.strerror(error))
        return body

    def hello(self, major=0):
        return self.ask(VERSION, struct.pack("<HH", major, 1) + b'{"capabilities": {}}\0')

    def read(self, offset, n=4, region=BAR0):
        body = self.ask(READ, struct.pack("<QII", offset, region, n))
        return int.from_bytes(body[16:], "little")

    def write(self, offset, value, n=4, region=BAR0):
        self.ask(WRITE, struct.pack("<QII", offset, region, n) + value.to_bytes(n, "little"))

    def map(self, fd, address, size, offset=0):
        self.ask(DMA_MAP, struct.pack("<IIQQQ", 32, 3, offset, address, size), [fd])

    def unmap(self, address, size):
        self.ask(DMA_UNMAP, struct.pack("<IIQQ", 24, 0, address, size))

    def interrupt(self, fd):
        """Signal this event at each interrupt."""
        self.ask(SET_IRQS, struct.pack("<IIIII", 20, 4 | 0x20, MSI, 0, 1), [fd])

    def vectors(self, first, events):
        """Signal these events for MSI-X vectors from first on; -1: none of them has one. An empty list switches MSI-X off."""
        fds = [event for event in events if event >= 0]
        self.ask(SET_IRQS, struct.pack("<IIIII", 20, 0x20 | (4 if events else 1), MSIX, first, len(events)), fds)


class Driver(Guest):
    """
    An 82599 with one ring each way, as a guest's driver sets it up: memory at ADDRESS, interrupts for both rings.

    The rings have SIZE descriptors; buffer i of a ring lies at its index.
    """

    ADDRESS, BYTES, SIZE, BUFFER = 0x10000000, 1 << 20, 64, 2048
    RX, TX, RX_DATA, TX_DATA = 0, 4096, 1 << 18, 1 << 19

    def __init__(self, path):
        super().__init__(path)
        self.hello()
        self.file = os.memfd_create("guest")
        os.ftruncate(self.file, self.BYTES)
        self.memory = mmap.mmap(self.file, self.BYTES)
        self.map(self.file, self.ADDRESS, self.BYTES)
        self.event = os.eventfd(0)
        self.interrupt(self.event)
        self.rx_next = self.tx_next = 0
        self.start()

    def __exit__(self, *exc):
        super().__exit__(*exc)
        self.memory.close()
        os.close(self.file)
        os.close(self.event)

    def start(self):
        for block, ring in ((0x1000, self.RX), (0x6000, self.TX)):
            self.write(block, self.ADDRESS + ring)
            self.write(block + 4, 0)
            self.write(block + 8, 16 * self.SIZE)
            self.write(block + 0x10, 0)
            self.write(block + 0x18, 0)
        self.write(0x2100, 2 | 1 << 25)  # buffers of 2 KiB, advanced descriptors
        self.write(0x900, 0x8080)  # both queues raise cause 0
        self.write(0x880, 1)
        self.write(0x1028, 1 << 25)
        self.write(0x6028, 1 << 25)
        self.write(0x3000, 1)
        self.write(0x4a80, 1)
        for i in range(self.SIZE):
            self.arm(i)
        self.write(0x1018, self.SIZE - 1)

    def arm(self, i):
        self.memory[self.RX + 16 * i:self.RX + 16 * i + 16] = struct.pack("<QQ", self.ADDRESS + self.RX_DATA + i * self.BUFFER, 0)

    def transmit(self, frame):
        i = self.tx_next
        at = self.TX_DATA + i * self.BUFFER
        self.memory[at:at + len(frame)] = frame
        command = 3 << 20 | 1 << 29 | 1 << 24 | 1 << 27 | len(frame)  # data, advanced, end of packet, report
        self.memory[self.TX + 16 * i:self.TX + 16 * i + 16] = struct.pack("<QQ", self.ADDRESS + at, command | len(frame) << 46)
        self.tx_next = (i + 1) % self.SIZE
        self.write(0x6018, self.tx_next)

    def flood(self, frame):
        """Send as many as the ring has room for."""
        if self.read(0x6010) != self.tx_next:
            return
        for i in range(self.SIZE):
            self.memory[self.TX_DATA + i * self.BUFFER:self.TX_DATA + i * self.BUFFER + len(frame)] = frame
            command = 3 << 20 | 1 << 29 | 1 << 24 | len(frame)
            self.memory[self.TX + 16 * i:self.TX + 16 * i + 16] = struct.pack("<QQ", self.ADDRESS + self.TX_DATA + i * self.BUFFER, command | len(frame) << 46)
        self.tx_next = (self.tx_next + self.SIZE - 1) % self.SIZE
        self.write(0x6018, self.tx_next)

    def take(self, timeout=ANSWER_S):
        """The next received frame; None: none came in time."""
        i, end = self.rx_next, time.monotonic() + timeout
        while True:
            _, second = struct.unpack_from("<QQ", self.memory, self.RX + 16 * i)
            if second & 1:
                break
            if time.monotonic() > end:
                return None
            time.sleep(0.001)
        at, length = self.RX_DATA + i * self.BUFFER, second >> 32 & 0xffff
        frame = self.memory[at:at + length]
        self.arm(i)
        self.rx_next = (i + 1) % self.SIZE
        self.write(0x1018, i)
        return frame

    def interrupts(self, timeout=ANSWER_S):
        """How many since the last call; waits for the first."""
        ready, _, _ = select.select([self.event], [], [], timeout)
        return os.eventfd_read(self.event) if ready else 0
