# SPDX-License-Identifier: BSD-3-Clause
# Frames of IPv4 that the benches make by themselves, and the files that hold them.
import socket


def ones_sum(octets):
    """The checksum of the Internet protocols."""
    total = sum(int.from_bytes(octets[at:at + 2], "big") for at in range(0, len(octets), 2))
    return (0xffff - total % 0xffff).to_bytes(2, "big")


def ipv4(source, destination, protocol, payload):
    """With 26 bytes of payload 64, counting the checksum of Ethernet."""
    head = bytearray.fromhex("4500 0000 0000 0000 40") + bytes((protocol, 0, 0)) + socket.inet_aton(source) + socket.inet_aton(destination)
    head[2:4] = (len(head) + len(payload)).to_bytes(2, "big")
    head[10:12] = ones_sum(head)
    return bytes.fromhex("020000000001 020000000002 0800") + bytes(head) + bytes(payload)


def udp(source, destination, sport, dport):
    """64 bytes, without a checksum of UDP."""
    return ipv4(source, destination, 17, b"".join(word.to_bytes(2, "big") for word in (sport, dport, 26, 0)) + bytes(18))


def write(path, frames):
    """A pcap file."""
    with open(path, "wb") as file:
        words = [0xa1b2c3d4, 2 | 4 << 16, 0, 0, 65535, 1]
        file.write(b"".join(word.to_bytes(4, "little") for word in words))
        for frame in frames:
            file.write(b"".join(word.to_bytes(4, "little") for word in (0, 0, len(frame), len(frame))) + frame)
