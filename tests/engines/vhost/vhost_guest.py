# SPDX-License-Identifier: BSD-3-Clause
"""A guest without a machine: speaks vhost-user to a vhost port and lays the rings by hand, right or as wrong as a test wants.

Source: the vhost-user protocol as QEMU's documentation has it; virtio 1.2, sections 2.6 to 2.8 and 5.1.6.
"""
import array
import contextlib
import fcntl
import mmap
import os
import socket
import struct
import termios

PAGE = 4096
VERSION, NEED_REPLY = 1, 8
(GET_FEATURES, SET_FEATURES, SET_OWNER, RESET_OWNER, SET_MEM_TABLE, SET_LOG_BASE, SET_LOG_FD, SET_VRING_NUM, SET_VRING_ADDR,
 SET_VRING_BASE, GET_VRING_BASE, SET_VRING_KICK, SET_VRING_CALL, SET_VRING_ERR, GET_PROTOCOL_FEATURES, SET_PROTOCOL_FEATURES,
 GET_QUEUE_NUM, SET_VRING_ENABLE, SEND_RARP, NET_SET_MTU, SET_SLAVE_REQ_FD, IOTLB_MSG) = range(1, 23)
GET_INFLIGHT_FD, SET_INFLIGHT_FD = 31, 32
CSUM, GUEST_CSUM, HOST_TSO4, HOST_TSO6, HOST_UFO, MRG_RXBUF = (1 << bit for bit in (0, 1, 11, 12, 14, 15))
LOG_ALL, INDIRECT, EVENT_IDX, PROTOCOL, VERSION_1, IOMMU, PACKED = (1 << bit for bit in (26, 28, 29, 30, 32, 33, 34))
REPLY_ACK = 1 << 3
NEXT, WRITE, TABLE = 1, 2, 4  # flags of a descriptor
AVAIL, USED = 1 << 7, 1 << 15  # those of a packed ring have these, too
NET_HEADER = 12
RX, TX = 0, 1  # the two rings of a queue pair, as the guest sees them
PATIENCE_S = 20


class Gone(AssertionError):
    """The backend has closed the connection."""


class Memory:
    """A guest's memory in a file: guard bytes, the memory, guard bytes up to the end of its last page."""
    BASE = 0x1_0000_0000  # where the guest has it
    USER = 0x7000_0000_0000  # where a process that ran the guest would have it
    GUARD = 0xA5

    def __init__(self, size=8 << 20):
        self.size = size - PAGE // 2
        self.fd = os.memfd_create("guest")
        self.length = PAGE + size
        os.ftruncate(self.fd, self.length)
        self.bytes = mmap.mmap(self.fd, self.length)
        self.renew()

    def renew(self):
        """As long as in the beginning, guards written."""
        os.ftruncate(self.fd, self.length)
        for start, end in self.guards():
            self.bytes[start:end] = bytes([self.GUARD]) * (end - start)

    def guards(self):
        return (0, PAGE), (PAGE + self.size, self.length)

    def check(self):
        for start, end in self.guards():
            assert self.bytes[start:end] == bytes([self.GUARD]) * (end - start), "written outside the guest's memory"

    def region(self):
        """As SET_MEM_TABLE has it: guest address, size, user address, offset in the file."""
        return self.BASE, self.size, self.USER, PAGE

    def put(self, address, data):
        at = address - self.BASE + PAGE
        self.bytes[at:at + len(data)] = data

    def get(self, address, size):
        at = address - self.BASE + PAGE
        return self.bytes[at:at + size]

    def u16(self, address):
        return struct.unpack("<H", self.get(address, 2))[0]

    def close(self):
        self.bytes.close()
        os.close(self.fd)


class SplitRing:
    """Descriptors, what is available, what was used. Addresses are the guest's."""

    def __init__(self, memory, base, size):
        self.memory, self.size = memory, size
        self.desc, self.avail = base, base + 16 * size
        self.used = self.avail + 6 + 2 * size + 63 & ~63
        self.end = self.used + 6 + 8 * size
        self.head = self.next = self.taken = 0
        memory.put(base, bytes(self.end - base))

    def describe(self, number, address, length, flags=0, following=0):
        self.memory.put(self.desc + 16 * number, descriptor(address, length, flags, following))

    def offer(self, *heads):
        for head in heads:
            self.memory.put(self.avail + 4 + self.next % self.size * 2, struct.pack("<H", head & 0xffff))
            self.next += 1
        self.publish(self.next)

    def publish(self, index):
        self.next = index
        self.memory.put(self.avail + 2, struct.pack("<H", index & 0xffff))

    def chain(self, *parts):
        """(address, length, flags) each; one packet's."""
        first = self.head
        for number, (address, length, flags) in enumerate(parts):
            last = number == len(parts) - 1
            self.head = (self.head + 1) % self.size
            self.describe((first + number) % self.size, address, length, flags | (0 if last else NEXT), self.head)
        self.offer(first)

    def all_used(self):
        return self.memory.u16(self.used + 2) == self.next & 0xffff

    def taken_next(self):
        """(head, length) of the next buffer that the backend gave back, or None."""
        if self.memory.u16(self.used + 2) == self.taken & 0xffff:
            return None
        at = self.used + 4 + self.taken % self.size * 8
        self.taken += 1
        return struct.unpack("<II", self.memory.get(at, 8))


class PackedRing:
    """One array for both sides. Only in-order use."""

    def __init__(self, memory, base, size):
        self.memory, self.size = memory, size
        self.desc, self.avail = base, base + 16 * size
        self.used = self.avail + 4
        self.end = self.used + 4
        self.head, self.wrap, self.taken, self.taken_wrap = 0, True, 0, True
        memory.put(base, bytes(self.end - base))

    def flags(self):
        return AVAIL if self.wrap else USED

    def describe(self, number, address, length, flags=0, following=0):
        self.memory.put(self.desc + 16 * number, struct.pack("<QIHH", address & (1 << 64) - 1, length, following & 0xffff, flags | self.flags()))

    def offer(self, *_heads):
        """What is described is offered."""

    def publish(self, index):
        self.head = index % self.size

    def chain(self, *parts):
        places = []
        for number, (address, length, flags) in enumerate(parts):
            last = number == len(parts) - 1
            places.append((self.head, struct.pack("<QIHH", address & (1 << 64) - 1, length, self.head, flags | (0 if last else NEXT) | self.flags())))
            self.head += 1
            if self.head == self.size:
                self.head, self.wrap = 0, not self.wrap
        for place, data in reversed(places):  # the first one makes the chain theirs
            self.memory.put(self.desc + 16 * place, data)
        self.offered = places[-1][0]

    def all_used(self):
        flags = self.memory.u16(self.desc + 16 * self.offered + 14)
        return bool(flags & AVAIL) == bool(flags & USED)

    def taken_next(self):
        at = self.desc + 16 * self.taken
        flags = self.memory.u16(at + 14)
        if not bool(flags & AVAIL) == bool(flags & USED) == self.taken_wrap:
            return None
        _, length, identifier, _ = struct.unpack("<QIHH", self.memory.get(at, 16))
        self.taken += 1
        if self.taken == self.size:
            self.taken, self.taken_wrap = 0, not self.taken_wrap
        return identifier, length


def descriptor(address, length, flags=0, following=0):
    return struct.pack("<QIHH", address & (1 << 64) - 1, length & 0xffffffff, flags, following & 0xffff)


class VhostGuest:
    """The frontend of a vhost port that listens on a socket. connect() does what a guest does that means well."""
    FEATURES = VERSION_1 | MRG_RXBUF | PROTOCOL | INDIRECT
    BUFFER = 2048

    def __init__(self, path, *, features=FEATURES, size=256, memory=None):
        self.memory = memory or Memory()
        self.features, self.size = features, size
        self.told = 0  # messages that were sent
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE_S)
        self.socket.connect(str(path))
        kind = PackedRing if features & PACKED else SplitRing
        self.rings, base = [], Memory.BASE
        for _ in (RX, TX):
            self.rings.append(kind(self.memory, base, size))
            base = self.rings[-1].end + PAGE & -PAGE
        self.rx_buffers, self.tx_buffers = base, base + self.BUFFER * size
        self.free = self.tx_buffers + (1 << 20)  # up to the end of memory

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def close(self):
        self.socket.close()
        self.memory.check()
        self.memory.close()

    # Messages

    def send(self, request, body=b"", fds=(), *, flags=VERSION, size=None):
        """size: what the header says, where that is not the truth."""
        data = struct.pack("<III", request, flags, len(body) if size is None else size) + body
        beside = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
        try:
            self.socket.sendmsg([data], beside)
            self.told += 1
        except (BrokenPipeError, ConnectionResetError) as e:
            raise Gone(f"message {request}: {e}") from None

    def unread(self):
        """Bytes of messages that the backend has not read; a backend that hangs up throws them away."""
        return struct.unpack("i", fcntl.ioctl(self.socket, termios.TIOCOUTQ, bytes(4)))[0]

    def receive(self):
        """The body of the next answer."""
        try:
            head = self.socket.recv(12, socket.MSG_WAITALL)
            if len(head) < 12:
                raise Gone("no answer")
            size = struct.unpack("<III", head)[2]
            return self.socket.recv(size, socket.MSG_WAITALL) if size else b""
        except ConnectionResetError as e:
            raise Gone(str(e)) from None

    def ask(self, request, body=b"", fds=()):
        self.send(request, body, fds)
        return self.receive()

    def set_features(self, features):
        self.send(SET_FEATURES, struct.pack("<Q", features))

    def set_memory(self, regions, fds, count=None):
        body = struct.pack("<II", len(regions) if count is None else count, 0) + b"".join(struct.pack("<QQQQ", *r) for r in regions)
        self.send(SET_MEM_TABLE, body, fds)

    def set_ring_number(self, index, number):
        self.send(SET_VRING_NUM, struct.pack("<II", index, number))

    def set_ring_address(self, index, desc, used, avail, flags=0, log=0):
        self.send(SET_VRING_ADDR, struct.pack("<IIQQQQ", index, flags, desc, used, avail, log))

    def user(self, address):
        return address - Memory.BASE + Memory.USER

    def set_ring(self, index, ring):
        self.set_ring_number(index, ring.size)
        self.send(SET_VRING_BASE, struct.pack("<II", index, 1 << 15 if self.features & PACKED else 0))
        self.set_ring_address(index, *map(self.user, (ring.desc, ring.used, ring.avail)))

    def set_event(self, request, index):
        fd = os.eventfd(0)
        self.send(request, struct.pack("<Q", index), [fd])
        os.close(fd)

    def enable(self, index, on=1):
        self.send(SET_VRING_ENABLE, struct.pack("<II", index, on))

    def begin(self):
        """Features agreed on, memory shared."""
        offered = struct.unpack("<Q", self.ask(GET_FEATURES))[0]
        self.features &= offered
        if self.features & PROTOCOL:
            self.ask(GET_PROTOCOL_FEATURES)
            self.send(SET_PROTOCOL_FEATURES, struct.pack("<Q", REPLY_ACK))
        self.send(SET_OWNER)
        self.set_features(self.features)
        self.set_memory([self.memory.region()], [self.memory.fd])
        return self

    def start_rings(self):
        for index, ring in enumerate(self.rings):
            self.set_ring(index, ring)
            self.set_event(SET_VRING_CALL, index)
            self.set_event(SET_VRING_KICK, index)
        for index in range(len(self.rings)):
            self.enable(index)
        return self

    def synchronise(self):
        """All messages before have been worked on."""
        return self.ask(GET_FEATURES)

    def connect(self):
        self.begin().start_rings().synchronise()
        return self

    # Packets

    def give_buffers(self, count=None):
        """Room for received packets."""
        for number in range(count or self.size // 2):
            self.rings[RX].chain((self.rx_buffers + number * self.BUFFER, self.BUFFER, WRITE))

    def header(self, flags=0, gso_type=0, header_length=0, gso_size=0, csum_start=0, csum_offset=0, buffers=0):
        return struct.pack("<BBHHHHH", flags, gso_type, header_length, gso_size, csum_start, csum_offset, buffers)

    def place(self, data, number=0):
        """In a transmit buffer; returns its address."""
        address = self.tx_buffers + number * self.BUFFER
        self.memory.put(address, data)
        return address

    def transmit(self, packet, number=0, **header):
        data = self.header(**header) + packet
        self.rings[TX].chain((self.place(data, number), len(data), 0))

    def received(self):
        """Packets that have come since, whole in one buffer each."""
        packets = []
        while taken := self.rings[RX].taken_next():
            head, length = taken
            at = self.rx_buffers + head % self.size * self.BUFFER
            packets.append(self.memory.get(at, length)[NET_HEADER:])
        return packets


def socket_pair_fd():
    """A descriptor that no memory is behind."""
    a, b = socket.socketpair()
    b.close()
    return a.detach()


@contextlib.contextmanager
def descriptors(*fds):
    """Closed here after they were sent."""
    try:
        yield list(fds)
    finally:
        for fd in fds:
            os.close(fd)
