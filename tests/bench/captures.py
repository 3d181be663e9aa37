# SPDX-License-Identifier: BSD-3-Clause
# Packets that modelled ports give from files, and the routes of these packets.
import os

import frames

# Destinations of a port's packets, each with a route of its own.
DESTINATIONS = 16


def ping():
    """An echo request, which icmpecho answers."""
    icmp = bytearray.fromhex("0800 0000 0001 0001") + bytes(18)
    icmp[2:4] = frames.ones_sum(icmp)
    return frames.ipv4("198.18.0.2", "198.18.0.1", 1, icmp)


def routed(port):
    """A port's packets, one to each of its destinations."""
    return [frames.udp("192.0.2.1", "10.%d.%d.1" % (port, i), 0x1234, 80) for i in range(DESTINATIONS)]


# To which of two ports a port's destination i leads: to the other one; by turns to both, so that a burst is spread.
WAYS = {"crossing": lambda port, i: 1 - port, "spread": lambda port, i: i % 2}


def files(folder):
    """ping.pcap; in0.pcap and in1.pcap, what two ports receive; crossing and spread, their routes as `route load` wants them."""
    frames.write(os.path.join(folder, "ping.pcap"), [ping()])
    for port in (0, 1):
        frames.write(os.path.join(folder, "in%d.pcap" % port), routed(port))
    for name, way in WAYS.items():
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.writelines("10.%d.%d.0/24 %d\n" % (port, i, way(port, i)) for port in (0, 1) for i in range(DESTINATIONS))
