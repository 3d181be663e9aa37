# SPDX-License-Identifier: BSD-3-Clause
"""Runs inside a network namespace: `peer.py VERB ...`; prints one line of JSON. Needs the standard library only."""
import fcntl
import hashlib
import json
import os
import pathlib
import random
import select
import socket
import struct
import sys
import time

SIOCETHTOOL = 0x8946
OFFLOADS = {"tx checksum": 0x17, "tso": 0x1F, "gso": 0x24, "gro": 0x2C, "sg": 0x19}
CHANCE = random.Random(int(os.environ.get("ZCFWD_TEST_SEED", "1")))
BLOCK = CHANCE.randbytes(1 << 20)
QUIET_S = 20  # no socket call waits longer


def offloads_off(device):
    """Without an offload the kernel sends whole packets with whole checksums, as a wire would carry them."""
    import array
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        for name, command in OFFLOADS.items():
            value = array.array("I", [command, 0])
            request = struct.pack("16sP", device.encode(), value.buffer_info()[0]) + bytes(16)
            try:
                fcntl.ioctl(s, SIOCETHTOOL, request)
            except OSError as e:
                raise SystemExit(f"{device}: {name}: {e}")
    return {}


def serve(address, port):
    """Take one connection, read to its end."""
    with socket.create_server((address, int(port)), family=family(address)) as server:
        server.settimeout(QUIET_S)
        connection, _ = server.accept()
        connection.settimeout(QUIET_S)
        digest, size = hashlib.sha256(), 0
        with connection:
            while data := connection.recv(1 << 18):
                digest.update(data)
                size += len(data)
    return {"sha256": digest.hexdigest(), "bytes": size}


def send(address, port, size):
    """Send that many bytes, in blocks that all differ; waits for the server to come up."""
    size, digest, number = int(size), hashlib.sha256(), 0
    with connect(address, int(port)) as connection:
        connection.settimeout(QUIET_S)
        while size > 0:
            data = (number.to_bytes(8, "big") + BLOCK)[:min(size, len(BLOCK))]
            connection.sendall(data)
            digest.update(data)
            size -= len(data)
            number += 1
    return {"sha256": digest.hexdigest()}


def connect(address, port):
    end = time.monotonic() + QUIET_S
    while True:
        try:
            return socket.create_connection((address, port), timeout=QUIET_S)
        except ConnectionRefusedError:
            if time.monotonic() > end:
                raise
            time.sleep(0.01)


def flood(address, port):
    """Send and receive whatever there is until the connection breaks or it is killed."""
    with connect(address, int(port)) as connection:
        connection.setblocking(False)
        try:
            while True:
                readable, writable, _ = select.select([connection], [connection], [], QUIET_S)
                if not readable and not writable or readable and not connection.recv(1 << 18):
                    break
                if writable:
                    connection.send(BLOCK)
        except OSError:
            pass
    return {}


def ping(address, count):
    """ICMP echo with a payload; returns how many of count were answered right."""
    count, answered = int(count), 0
    v6 = family(address) == socket.AF_INET6
    asked, told, head = (128, 129, 0) if v6 else (8, 0, 20)
    with socket.socket(family(address), socket.SOCK_RAW, socket.IPPROTO_ICMPV6 if v6 else socket.IPPROTO_ICMP) as s:
        s.settimeout(QUIET_S)
        for number in range(count):
            payload = CHANCE.randbytes(32 + 40 * number)
            s.sendto(echo(asked, number, payload), (address, 0))
            while True:
                answer = s.recv(1 << 16)[head:]
                if answer[0] == told and answer[4:8] == struct.pack("!HH", os.getpid() & 0xFFFF, number):
                    answered += answer[8:] == payload
                    break
    return {"answered": answered}


def echo(asked, number, payload):
    """The kernel makes the checksum of ICMPv6 anew."""
    header = struct.pack("!HH", os.getpid() & 0xFFFF, number)
    body = bytes([asked, 0, 0, 0]) + header + payload
    total = sum(struct.unpack(f"!{len(body) // 2}H", body))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return body[:2] + struct.pack("!H", ~total & 0xFFFF) + body[4:]


def last_hop(address, port, count):
    """That many datagrams which the next router may not pass on."""
    v6 = family(address) == socket.AF_INET6
    with socket.socket(family(address), socket.SOCK_DGRAM) as s:
        s.setsockopt(*((socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS) if v6 else (socket.IPPROTO_IP, socket.IP_TTL)), 1)
        for _ in range(int(count)):
            s.sendto(b"no further", (address, int(port)))
    return {}


def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def sysctl(*settings):
    os.environ.pop("HIDE_IPV6", None)  # on a host that only plays one without IPv6, the kernel's has to be off too
    for setting in settings:
        name, value = setting.split("=")
        path = pathlib.Path("/proc/sys") / name
        if path.exists():
            path.write_text(value, encoding="ascii")
    return {}


VERBS = {"offloads_off": offloads_off, "serve": serve, "send": send, "flood": flood, "ping": ping, "last_hop": last_hop, "sysctl": sysctl}

if __name__ == "__main__":
    print(json.dumps(VERBS[sys.argv[1]](*sys.argv[2:])))
