# SPDX-License-Identifier: BSD-3-Clause
# Packets that modelled ports give from files, and the routes of these packets.
import os

# Destinations of a port's packets, each with a route of its own.
DESTINATIONS = 16


def write(path, frames):
    """A capture of these frames."""
    with open(path, "wb") as file:
        file.write(b"".join(word.to_bytes(4, "little") for word in (0xa1b2c3d4, 2 | 4 << 16, 0, 0, 65535, 1)))
        for frame in frames:
            file.write(b"".join(word.to_bytes(4, "little") for word in (0, 0, len(frame), len(frame))) + frame)


def ones_sum(octets):
    total = sum(int.from_bytes(octets[at:at + 2], "big") for at in range(0, len(octets), 2))
    return (0xffff - total % 0xffff).to_bytes(2, "big")


def frame(source, destination, protocol, payload):
    """60 bytes of IPv4; payload: of 26."""
    ip = bytearray.fromhex("4500002e 00000000 4000 0000") + bytes(map(int, (source + "." + destination).split(".")))
    ip[9] = protocol
    ip[10:12] = ones_sum(ip)
    return bytes.fromhex("020000000001 020000000002 0800") + ip + payload


def ping():
    """An echo request, which icmpecho answers."""
    icmp = bytearray.fromhex("0800 0000 0001 0001") + bytes(18)
    icmp[2:4] = ones_sum(icmp)
    return frame("198.18.0.2", "198.18.0.1", 1, icmp)


def routed(port):
    """A port's packets, one to each of its destinations."""
    return [frame("192.0.2.1", "10.%d.%d.1" % (port, i), 17, bytes.fromhex("1234 0050 001a 0000") + bytes(18)) for i in range(DESTINATIONS)]


# To which of two ports a port's destination i leads: to the other one; by turns to both, so that a burst is spread.
WAYS = {"crossing": lambda port, i: 1 - port, "spread": lambda port, i: i % 2}


def files(folder):
    """ping.pcap; in0.pcap and in1.pcap, what two ports receive; crossing and spread, their routes as `route load` wants them."""
    write(os.path.join(folder, "ping.pcap"), [ping()])
    for port in (0, 1):
        write(os.path.join(folder, "in%d.pcap" % port), routed(port))
    for name, way in WAYS.items():
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.writelines("10.%d.%d.0/24 %d\n" % (port, i, way(port, i)) for port in (0, 1) for i in range(DESTINATIONS))
