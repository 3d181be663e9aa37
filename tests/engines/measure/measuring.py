# SPDX-License-Identifier: BSD-3-Clause
"""Runs of the engine measure, and their results."""
import collections
import struct

PROBE = 18
Probe = collections.namedtuple("Probe", "flow mark sequence due")


def probe(data):
    """The fields at the end of a packet."""
    _, _, word, sequence, low, high = struct.unpack("<HHIIIH", data[-PROBE:])
    return Probe(word & 0xFFFFF, word >> 20, sequence, high << 32 | low)


def refused(session, line):
    """Return the message for a line that the program refuses."""
    before = len(session.stderr())
    return session.cmd(line) + session.stderr()[before:]


def results(session):
    return session.json_ok("show measure")["streams"]
