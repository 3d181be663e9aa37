# SPDX-License-Identifier: BSD-3-Clause
"""What a hostile guest does: rings and messages that are wrong, each by its name, and random ones.

An act gets a VhostGuest: one of SENT and ROOM a connected one, one of SPOKEN one that has begun (begin()), and may find that the
backend hangs up.
"""
import os
import struct

import vhost_guest as v
from vhost_guest import NEXT, PAGE, RX, TABLE, TX, WRITE, Memory, descriptor

FRAME = bytes.fromhex("0200000000010200000000028874") + bytes(range(100, 186))
TCP = (bytes.fromhex("0200000000010200000000020800" "4500005600010000400600000a0000010a000002" "0400005000000001000000015010ffff00000000")
       + bytes(46))
OUTSIDE = Memory.BASE - (1 << 30)
HUGE = 0xffff_ffff


def end(guest):
    """The guest's address after its last byte."""
    return Memory.BASE + guest.memory.size


def frame(guest, **header):
    """A packet that is right, in the transmit area: (address, length)."""
    data = guest.header(**header) + FRAME
    return guest.place(data), len(data)


def sends(*parts):
    """One chain of (address, length, flags)."""
    return lambda guest: guest.rings[TX].chain(*(tuple(part(guest)) if callable(part) else part for part in parts))


def raw(flags, following, *, length=None, head=0):
    """The ring's own descriptor says this of what is next; the head may be no descriptor."""
    def act(guest):
        address, size = frame(guest)
        guest.rings[TX].describe(head % guest.size, address, size if length is None else length, flags, following)
        guest.rings[TX].offer(head)
    return act


def loop_of_two(guest):
    address, size = frame(guest)
    guest.rings[TX].describe(0, address, size, NEXT, 1)
    guest.rings[TX].describe(1, address, size, NEXT, 0)
    guest.rings[TX].offer(0)


def whole_ring(guest):
    """A chain of every descriptor, 64 KB each."""
    guest.rings[TX].chain(*[(guest.tx_buffers, 65535, 0)] * guest.size)


def table(*entries, length=None, at=None, ring=TX, flags=0):
    """An indirect table; each entry has (guest) -> bytes."""
    def act(guest):
        data = b"".join(entry(guest) for entry in entries)
        place = at(guest) if at else guest.free
        if at is None:
            guest.memory.put(place, data)
        guest.rings[ring].chain((place, len(data) if length is None else length, TABLE | flags))
    return act


def entry(flags=0, following=0, *, address=None, length=None):
    def make(guest):
        place, size = frame(guest)
        return descriptor(place if address is None else address(guest), size if length is None else length, flags, following)
    return make


def jumps(ring, by):
    def act(guest):
        guest.rings[ring].publish(guest.rings[ring].next + by if hasattr(guest.rings[ring], "next") else by)
    return act


def lies(packet=FRAME, **header):
    return lambda guest: guest.transmit(packet, **header)


# In the ring from which the backend reads.
SENT = {
    "an address outside memory": sends((OUTSIDE, 100, 0)),
    "an address of nothing": sends((0, 100, 0)),
    "the last byte and beyond": sends(lambda g: (end(g) - 1, 100, 0)),
    "the very end": sends(lambda g: (end(g), 100, 0)),
    "a page before memory": sends((Memory.BASE - PAGE, 2 * PAGE, 0)),
    "a header alone beyond the end": sends(lambda g: (end(g) - 4, 12, 0), lambda g: (*frame(g), 0)),
    "an address that wraps": sends(((1 << 64) - 16, 100, 0)),
    "4 GB less a byte": sends(lambda g: (frame(g)[0], HUGE, 0)),
    "chained 4 GB": sends(lambda g: (*frame(g), 0), (Memory.BASE, HUGE, 0), (Memory.BASE, HUGE, 0)),
    "no byte": sends((Memory.BASE, 0, 0)),
    "half a header": sends(lambda g: (frame(g)[0], 5, 0)),
    "a header alone": sends(lambda g: (frame(g)[0], v.NET_HEADER, 0)),
    "a header in bytes": sends(*[(lambda g, i=i: (frame(g)[0] + i, 1, 0)) for i in range(20)]),
    "to be written": sends(lambda g: (*frame(g), WRITE)),
    "one byte in 200 parts of none": sends(lambda g: (*frame(g), 0), *[(Memory.BASE, 0, 0)] * 200),
    "a loop of one": raw(NEXT, 0),
    "a loop of two": loop_of_two,
    "the whole ring, 16 MB": whole_ring,
    "next outside the ring": raw(NEXT, 0xffff),
    "next at the ring's size": raw(NEXT, 256),
    "a head outside the ring": raw(0, 0, head=0xffff),
    "a head at the ring's size": raw(0, 0, head=256),
    "unknown flags": raw(0xfff8 & ~(v.AVAIL | v.USED), 0),
    "a table outside memory": table(at=lambda g: OUTSIDE, length=64),
    "a table at the very end": table(at=lambda g: end(g) - 16, length=4096),
    "a table of 4 GB": table(entry(), length=HUGE),
    "a table of no entry": table(length=0),
    "a table of half an entry": table(entry(), length=8),
    "a table of 17 bytes": table(entry(), entry(), length=17),
    "a table in a table": table(entry(TABLE, address=lambda g: g.free, length=16)),
    "a table that loops": table(entry(NEXT, 0)),
    "a table whose next is outside": table(entry(NEXT, 999)),
    "a table with more than a ring": table(*[entry(NEXT, i + 1) for i in range(1000)], entry()),
    "a table and more behind it": table(entry(), flags=NEXT),
    "a table of addresses outside": table(entry(NEXT, 1), entry(address=lambda g: OUTSIDE)),
    "indices that jump": jumps(TX, 1000),
    "indices that go back": jumps(TX, -1),
    "half the numbers at once": jumps(TX, 32768),
    "segments of no byte": lies(TCP, flags=1, gso_type=1, csum_start=34, csum_offset=16),
    "segments of an unknown type": lies(TCP, flags=1, gso_type=0x7f, gso_size=100, csum_start=34, csum_offset=16),
    "segments without a checksum": lies(TCP, gso_type=1, gso_size=10),
    "segments of what is no TCP": lies(FRAME, flags=1, gso_type=1, gso_size=10, header_length=54, csum_start=34, csum_offset=16),
    "UDP fragments of what is no UDP": lies(TCP, flags=1, gso_type=3, gso_size=10, csum_start=34, csum_offset=6),
    "segments longer than the packet": lies(TCP, flags=1, gso_type=1, gso_size=0xffff, csum_start=34, csum_offset=16),
    "a header longer than the packet": lies(TCP, flags=1, gso_type=1, gso_size=100, header_length=0xffff, csum_start=34, csum_offset=16),
    "a checksum past the end": lies(TCP, flags=1, csum_start=0xffff, csum_offset=16),
    "a checksum's place past the end": lies(TCP, flags=1, csum_start=34, csum_offset=0xffff),
    "a checksum at the last byte": lies(TCP, flags=1, csum_start=len(TCP) - 1, csum_offset=0),
    "a checksum of one byte of a packet": lies(b"\x02", flags=1, csum_start=0, csum_offset=0),
    "TCP cut in its header": lies(TCP[:40], flags=1, gso_type=1, gso_size=8, csum_start=34, csum_offset=16),
    "IP whose header says 60 bytes": lies(TCP[:14] + b"\x4f" + TCP[15:40], flags=1, gso_type=1, gso_size=8, csum_start=74, csum_offset=16),
    "TCP whose header says none": lies(TCP[:46] + b"\x00" + TCP[47:], flags=1, gso_type=1, gso_size=8, csum_start=34, csum_offset=16),
    "all buffers": lies(FRAME, buffers=0xffff),
    "all bits of a header": lies(FRAME, flags=0xff, gso_type=0xff, header_length=0xffff, gso_size=0xffff, csum_start=0xffff,
                                 csum_offset=0xffff, buffers=0xffff),
}


def gives(*parts, times=1):
    """Room for packets: a chain of (address, length, flags), again and again."""
    def act(guest):
        for _ in range(times):
            guest.rings[RX].chain(*(part(guest) if callable(part) else part for part in parts))
    return act


def room_loop(guest):
    guest.rings[RX].describe(0, guest.rx_buffers, 4, NEXT | WRITE, 0)
    guest.rings[RX].offer(0)


def ring_at(index, desc=None, used=None, avail=None):
    """The ring elsewhere: functions of the guest give addresses."""
    def act(guest):
        ring = guest.rings[index]
        places = [place(guest) if place else own for place, own in ((desc, ring.desc), (used, ring.used), (avail, ring.avail))]
        guest.enable(index, 0)
        guest.set_ring_address(index, *map(guest.user, places))
        guest.enable(index)
        guest.give_buffers(32)
    return act


# In the ring to which the backend writes; packets come after each.
ROOM = {
    "room outside memory": gives((OUTSIDE, 2048, WRITE), times=40),
    "room at the very end": gives(lambda g: (end(g), 2048, WRITE), times=40),
    "room over the end": gives(lambda g: (end(g) - 16, 2048, WRITE), times=40),
    "room of 4 GB": gives((Memory.BASE + (1 << 20), HUGE, WRITE), times=40),
    "room at an address that wraps": gives(((1 << 64) - 16, 2048, WRITE), times=40),
    "room of no byte": gives(lambda g: (g.rx_buffers, 0, WRITE), times=40),
    "room for half a header": gives(lambda g: (g.rx_buffers, 5, WRITE), times=40),
    "room for a header": gives(lambda g: (g.rx_buffers, v.NET_HEADER, WRITE), times=40),
    "room that is to be read": gives(lambda g: (g.rx_buffers, 2048, 0), times=40),
    "too few buffers to merge": gives(lambda g: (g.rx_buffers, 20, WRITE), times=2),
    "a loop of room": room_loop,
    "a table of room, outside": table(at=lambda g: OUTSIDE, length=64, ring=RX),
    "a table of room, in a table": table(entry(TABLE | WRITE, address=lambda g: g.free, length=16), ring=RX),
    "a table of room, that loops": table(entry(NEXT | WRITE, 0, length=4), ring=RX),
    "a table of room, 4 GB": table(entry(WRITE), length=HUGE, ring=RX),
    "room in the ring itself": gives(lambda g: (g.rings[RX].desc, 4096, WRITE), times=40),
    "room in what was used": gives(lambda g: (g.rings[RX].used, 512, WRITE), times=40),
    "indices of room that jump": jumps(RX, 1000),
    "indices of room that go back": jumps(RX, -1),
    "a used ring where the descriptors are": ring_at(RX, used=lambda g: g.rings[RX].desc),
    "a used ring where the available ones are": ring_at(RX, used=lambda g: g.rings[RX].avail),
    "both rings in one place": ring_at(RX, *[lambda g: g.rings[TX].desc, lambda g: g.rings[TX].used, lambda g: g.rings[TX].avail]),
    "a ring at an odd address": ring_at(RX, desc=lambda g: g.rings[RX].desc + 1),
    "a used ring at an odd address": ring_at(RX, used=lambda g: g.rings[RX].used + 1),
    "a ring over the end": ring_at(RX, desc=lambda g: end(g) - 64),
    "a used ring over the end": ring_at(RX, used=lambda g: end(g) - 64),
    "an available ring over the end": ring_at(RX, avail=lambda g: end(g) - 6),
    "a ring outside memory": ring_at(RX, desc=lambda g: OUTSIDE),
}


def says(request, *words, fds=(), form=None, size=None, flags=v.VERSION):
    """A message with these words; fds are functions that open what goes with it."""
    def act(guest):
        with v.descriptors(*(make() for make in fds)) as open_fds:
            guest.send(request, struct.pack(form or "<" + "Q" * len(words), *words), open_fds, flags=flags, size=size)
    return act


def after(*acts):
    def act(guest):
        for each in acts:
            each(guest)
    return act


def runs(guest):
    """Rings that work, one packet through."""
    guest.start_rings().synchronise()
    guest.give_buffers()
    guest.transmit(FRAME)


class TooEarly(v.Gone):
    """The backend hung up before the act had done anything wrong."""


def running(guest):
    """Rings that work, before an act."""
    try:
        runs(guest)
    except v.Gone as gone:
        raise TooEarly(str(gone)) from None


def regions(*rows, fds=None, count=None):
    """Memory of these (guest address, size, user address, offset), each a file of its own that is as long as fds says."""
    def act(guest):
        files = []
        for size in fds if fds is not None else [row[1] + row[3] for row in rows]:
            files.append(os.memfd_create("region"))
            os.ftruncate(files[-1], size)
        with v.descriptors(*files) as open_fds:
            guest.set_memory(rows, open_fds, count)
    return act


def ring_number(number):
    return lambda guest: [guest.set_ring_number(index, number) for index in (RX, TX)]


def larger_at_the_end(guest):
    """Rings that end where memory does, made longer while they run."""
    for index, ring in enumerate(guest.rings):
        guest.rings[index] = type(ring)(guest.memory, end(guest) - ((index + 1) * 8192) & ~63, 256)
    running(guest)
    guest.synchronise()
    ring_number(32768)(guest)
    for index, by in ((TX, 5000), (RX, 32000)):
        jumps(index, by)(guest)
    guest.synchronise()


def restart(guest, index):
    """The ring as it was, but for its length."""
    ring = guest.rings[index]
    guest.set_ring_address(index, *map(guest.user, (ring.desc, ring.used, ring.avail)))
    guest.set_event(v.SET_VRING_CALL, index)
    guest.set_event(v.SET_VRING_KICK, index)
    guest.enable(index)


def longer_before_both(guest):
    """One ring runs at the end of memory, gets longer, and then the other comes."""
    for index, ring in enumerate(guest.rings):
        guest.rings[index] = type(ring)(guest.memory, end(guest) - ((index + 1) * 8192) & ~63, 256)
    guest.set_ring(RX, guest.rings[RX])
    guest.set_event(v.SET_VRING_CALL, RX)
    guest.set_event(v.SET_VRING_KICK, RX)
    guest.enable(RX)
    guest.set_ring_number(RX, 32768)
    guest.set_ring(TX, guest.rings[TX])
    guest.set_event(v.SET_VRING_CALL, TX)
    guest.set_event(v.SET_VRING_KICK, TX)
    guest.enable(TX)
    guest.synchronise()
    guest.rings[RX].publish(32000)


def with_features(features):
    return lambda guest: guest.set_features(features)


def start(guest):
    guest.start_rings().synchronise()


def cut(guest):
    """The connection ends in the middle of a message."""
    guest.socket.sendall(struct.pack("<III", v.SET_MEM_TABLE, v.VERSION, 72) + bytes(10))


def cut_header(guest):
    guest.socket.sendall(b"\x05\x00")


def memory_shrinks(guest):
    """Its file gets shorter for a while as the backend uses it."""
    running(guest)
    os.ftruncate(guest.memory.fd, 0)
    try:
        for _ in range(50):
            guest.synchronise()
    finally:
        guest.memory.renew()


def log_beyond(guest):
    """Changes are to be noted in a file that is too short, at an offset."""
    guest.features |= v.LOG_ALL
    guest.set_features(guest.features)
    size = PAGE
    fd = os.memfd_create("log")
    os.ftruncate(fd, 2 * size)
    with v.descriptors(fd):
        guest.ask(v.SET_LOG_BASE, struct.pack("<QQ", size, size), [fd])
    runs(guest)


def inflight(size, offset, queues, number, length=PAGE):
    def act(guest):
        guest.start_rings().synchronise()
        fd = os.memfd_create("inflight")
        os.ftruncate(fd, length)
        with v.descriptors(fd):
            guest.send(v.SET_INFLIGHT_FD, struct.pack("<QQHH4x", size, offset, queues, number), [fd])
    return act


MIB = 1 << 20
ANY = v.VhostGuest.FEATURES | v.PACKED
FD = (v.socket_pair_fd,)
A = Memory.BASE
U = Memory.USER
# In the protocol itself.
SPOKEN = {
    "an unknown message": says(200, 0),
    "message 0": says(0, 0),
    "the largest number of a message": says(HUGE, 0),
    "a version that is none": says(v.SET_OWNER, flags=3),
    "a body of 4 GB": says(v.SET_FEATURES, 0, size=HUGE),
    "a body larger than any": says(v.SET_MEM_TABLE, *[0] * 200),
    "no body": says(v.SET_MEM_TABLE),
    "half a body": says(v.SET_VRING_ADDR, 0, form="<I"),
    "a message cut": cut,
    "a header cut": cut_header,
    "features that were not offered": says(v.SET_FEATURES, (1 << 64) - 1),
    "no feature": after(says(v.SET_FEATURES, 0), start),
    "protocol features that were not offered": says(v.SET_PROTOCOL_FEATURES, (1 << 64) - 1),
    "memory of no region": regions(),
    "memory of 9 regions": regions(*[(A + i * MIB, MIB, U + i * MIB, 0) for i in range(9)], fds=[MIB] * 8),
    "more regions than files": regions((A, MIB, U, 0), (A + MIB, MIB, U + MIB, 0), fds=[MIB]),
    "more files than regions": regions((A, MIB, U, 0), fds=[MIB, MIB]),
    "4 G regions": regions((A, MIB, U, 0), count=HUGE),
    "a region of no byte": after(regions((A, 0, U, 0)), start),
    "a region of all bytes": regions((A, (1 << 64) - 1, U, 0), fds=[MIB]),
    "an offset that wraps": regions((A, MIB, U, (1 << 64) - PAGE), fds=[MIB]),
    "regions that overlap": after(regions((A, MIB, U, 0), (A + PAGE, MIB, U + PAGE, 0)), start),
    "an empty file": after(regions((A, MIB, U, 0), fds=[0]), start),
    "a file shorter than its region": after(regions((A, 8 * MIB, U, 0), fds=[PAGE]), start),
    "an offset past the file": after(regions((A, 8 * MIB, U, 64 * MIB), fds=[MIB]), start),
    "a file that is a socket": lambda g: says(v.SET_MEM_TABLE, 1, A, MIB, U, 0, fds=FD)(g),
    "memory that cannot be had while rings run": after(
        running, says(v.SET_MEM_TABLE, 1, A, 0, U, 0, fds=(lambda: os.memfd_create("region"),), flags=v.VERSION | v.NEED_REPLY),
        lambda g: g.give_buffers(), lambda g: g.synchronise(), lambda g: g.transmit(FRAME)),
    "memory that goes": after(running, regions()),
    "other memory while rings run": after(running, regions((A, MIB, U, 0)), lambda g: g.synchronise()),
    "memory that shrinks": memory_shrinks,
    "the owner resets while rings run": after(running, says(v.RESET_OWNER)),
    "a ring of none": after(ring_number(0), start),
    "a ring of 3": after(ring_number(3), start),
    "a ring of 65536": after(ring_number(65536), start),
    "a ring of 4 G": after(ring_number(HUGE), start),
    "a larger ring while it runs": after(running, ring_number(32768), lambda g: g.synchronise(), jumps(TX, 20000), jumps(RX, 20000)),
    "a larger ring than memory has room for": larger_at_the_end,
    "a longer ring before the other is there": longer_before_both,
    "a smaller ring while it runs": after(running, ring_number(16), lambda g: g.synchronise(), jumps(TX, 100), jumps(RX, 100)),
    "ring 127 of a port with one": says(v.SET_VRING_NUM, 127, 256, form="<II"),
    "ring 255": says(v.SET_VRING_NUM, 255, 256, form="<II"),
    "ring 4 G": says(v.SET_VRING_BASE, HUGE, 0, form="<II"),
    "the address of ring 4 G": says(v.SET_VRING_ADDR, HUGE, 0, 0, 0, 0, 0, form="<IIQQQQ"),
    "a kick without a file": says(v.SET_VRING_KICK, 0),
    "a kick for ring 255": says(v.SET_VRING_KICK, 255, fds=FD),
    "a base past the ring": after(lambda g: g.start_rings(), says(v.SET_VRING_BASE, 0, 60000, form="<II"), lambda g: g.synchronise(),
                                  lambda g: g.give_buffers(), lambda g: g.transmit(FRAME)),
    "rings before memory": lambda g: (regions()(g), g.start_rings().synchronise()),
    "rings enabled before they are": lambda g: (g.enable(0), g.enable(1), g.enable(100)),
    "a packed ring after a split one was made": after(ring_number(16), with_features(ANY), start),
    "features while rings run": after(running, with_features(v.VERSION_1), lambda g: g.synchronise(), lambda g: g.transmit(FRAME)),
    "packed while split rings run": after(running, with_features(ANY), lambda g: g.transmit(FRAME)),
    "a log at an offset": log_beyond,
    "a log of all bytes": says(v.SET_LOG_BASE, (1 << 64) - 1, 0, fds=FD),
    "a log without a file": says(v.SET_LOG_BASE, PAGE, 0),
    "inflight memory too short": inflight(PAGE, 0, 2, 32768),
    "inflight memory past its file": inflight(16 * MIB, 0, 2, 256),
    "inflight memory of no queue": inflight(PAGE, 0, 0, 256),
    "inflight memory of 65535 queues": inflight(PAGE, 0, 65535, 256),
    "inflight memory to be made for all": says(v.GET_INFLIGHT_FD, 0, 0, 65535, 65535, form="<QQHH4x"),
    "translations that nobody asked for": says(v.IOTLB_MSG, 0, MIB, U, 2 << 8 | 3, form="<QQQQ"),
    "an MTU of none": says(v.NET_SET_MTU, 0),
    "a RARP of nobody": says(v.SEND_RARP, 0),
    "an answer channel that is no socket": says(v.SET_SLAVE_REQ_FD, fds=FD),
    "rings that stop twice": lambda g: (running(g), [g.ask(v.GET_VRING_BASE, struct.pack("<II", i % 2, 0)) for i in range(4)]),
    "rings that go on without their length": lambda g: (running(g), [g.ask(v.GET_VRING_BASE, struct.pack("<II", i, 0)) for i in (RX, TX)],
                                                        [restart(g, i) for i in (RX, TX)], g.synchronise(), g.give_buffers(),
                                                        g.transmit(FRAME)),
    "rings that stop and go on": lambda g: (running(g), [g.ask(v.GET_VRING_BASE, struct.pack("<II", i, 0)) for i in (RX, TX)],
                                            g.start_rings().synchronise(), g.give_buffers()),
}


# Of these a random guest has some, and those that it must have.
OPTIONAL = (v.MRG_RXBUF, v.INDIRECT, v.EVENT_IDX, v.PACKED, v.CSUM, v.GUEST_CSUM, v.HOST_TSO4, v.HOST_UFO)


def random_features(dice):
    return v.VERSION_1 | v.PROTOCOL | sum(bit for bit in OPTIONAL if dice.random() < 0.5)


def random_address(guest, dice):
    return dice.choice((guest.tx_buffers, guest.rx_buffers, guest.free, Memory.BASE, end(guest), OUTSIDE, 0, (1 << 64) - 1,
                        *(ring.desc for ring in guest.rings), *(ring.used for ring in guest.rings))) + dice.choice((0, 0, 1, -1, 12, -16, 4096))


def random_length(dice):
    return dice.choice((0, 1, 11, 12, 13, 60, 1514, 2048, 65535, 65536, 1 << 20, 1 << 31, HUGE))


def random_chain(guest, dice):
    ring = dice.choice(guest.rings)
    parts = [(random_address(guest, dice), random_length(dice), dice.choice((0, 0, WRITE, WRITE, TABLE, TABLE | WRITE, NEXT)))
             for _ in range(dice.choice((1, 1, 2, 3, 30)))]
    ring.chain(*parts)


def random_bytes(guest, dice):
    """Anywhere in a ring."""
    ring = dice.choice(guest.rings)
    for _ in range(dice.randint(1, 8)):
        guest.memory.put(dice.randrange(ring.desc, ring.end), bytes([dice.choice((0, 1, 2, 4, 0x7f, 0x80, 0xff, dice.randrange(256)))]))


def random_packet(guest, dice):
    """Most of it right."""
    packet = bytearray(dice.choice((FRAME, TCP, TCP + bytes(1400))))
    for _ in range(dice.choice((0, 1, 4))):
        packet[dice.randrange(len(packet))] = dice.randrange(256)
    fields = {"flags": (0, 1, 2, 255), "gso_type": (0, 1, 3, 4, 5, 0x81, 255), "gso_size": (0, 1, 8, 1448, 65535),
              "header_length": (0, 54, 65535), "csum_start": (0, 34, 35, 65535), "csum_offset": (0, 6, 16, 65535)}
    guest.transmit(bytes(packet[:dice.choice((len(packet), len(packet), dice.randrange(1, len(packet))))]), dice.randrange(64),
                   **{name: dice.choice(values) for name, values in fields.items()})


def random_act(guest, dice):
    """One wrong thing, or a right one between them."""
    name = dice.choice((*SENT, *ROOM))
    dice.choice((random_chain, random_bytes, random_packet, random_packet, lambda g, d: g.give_buffers(d.randint(1, 64)),
                 lambda g, d: {**SENT, **ROOM}[name](g)))(guest, dice)


def random_message(guest, dice, unwanted):
    """One of the wrong ones, or any number with any body."""
    if dice.random() < 0.5:
        SPOKEN[dice.choice([name for name in SPOKEN if name not in unwanted])](guest)
        return
    fd = os.memfd_create("any")
    os.ftruncate(fd, dice.choice((0, PAGE, MIB)))
    words = [dice.choice((0, 1, 2, 256, PAGE, MIB, Memory.BASE, Memory.USER, 1 << 32, (1 << 64) - 1)) for _ in range(dice.randrange(6))]
    with v.descriptors(fd):
        guest.send(dice.randrange(0, 45), struct.pack("<" + "Q" * len(words), *words), [fd] * dice.choice((0, 1, 2)))
