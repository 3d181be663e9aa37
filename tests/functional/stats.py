# SPDX-License-Identifier: BSD-3-Clause
"""Reads testpmd's statistics text, which zcfwd prints too, into numbers."""
import re

NUMBER = re.compile(r"([RT]X-[a-z]+): +(\d+)")
HEADER = re.compile(r"-+ Forward statistics for port (\d+) +-+|#+ NIC statistics for port (\d+) +#+|\++ (Accumulated)")


def blocks(text):
    """{port number or 'total': {'RX-packets': n, ...}} of `show port stats`, `show fwd stats all` or `stop`."""
    found = {}
    current = None
    for line in text.splitlines():
        if header := HEADER.search(line):
            key = header.group(1) or header.group(2)
            current = found.setdefault(int(key) if key else "total", {})
        elif current is not None and not re.match(r"\s*[-+#]+$", line):
            current.update({name: int(value) for name, value in NUMBER.findall(line)})
        else:
            current = None
    return found


def port_stats(session, port):
    """The NIC counters of one port."""
    return blocks(session.cmd(f"show port stats {port}"))[port]


def fwd_total(session):
    """The accumulated forwarding counters of the run."""
    return blocks(session.cmd("show fwd stats all"))["total"]


def mac_of(session, port):
    return re.search(r"^MAC address: (\S+)$", session.cmd(f"show port info {port}"), re.M).group(1).lower()
