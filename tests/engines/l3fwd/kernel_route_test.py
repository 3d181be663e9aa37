# SPDX-License-Identifier: BSD-3-Clause
"""l3fwd as the router between two subnets of the kernel's, over taps: pings, TCP both ways, and packets without a hop left."""
import json
import os

import pytest

from netns import Namespaces, entering, has_ipv6, inside, ip, result, start
from session import Session, wait_until

pytestmark = [pytest.mark.netns, pytest.mark.tap, pytest.mark.zcfwd]
SIZE = 20_000_000
EXPIRING = 7
ROUTER_MAC = "02:00:00:00:00:fe"  # zcfwd answers no question for addresses: the kernel is told
# The subnets of both ends; .1 is the kernel's address, .254 the router's.
SUBNETS = {"ipv4": ("10.77.0.{}/24", "10.78.0.{}/24"), "ipv6": ("fd00:77::{}/64", "fd00:78::{}/64")}
ENDS = (0, 1)


def address(subnet, host):
    return subnet.format(host).split("/")[0]


def bring_up(name, device, subnet):
    """The kernel's end of a subnet, with the router as its way to all others."""
    inside(name, "offloads_off", device)
    if ":" in subnet:
        inside(name, "sysctl", f"net/ipv6/conf/{device}/disable_ipv6=0")
    ip("-n", name, "addr", "add", subnet.format(1), "dev", device, *(["nodad"] if ":" in subnet else []))
    ip("-n", name, "link", "set", device, "up")
    ip("-n", name, "neigh", "add", address(subnet, 254), "lladdr", ROUTER_MAC, "dev", device)
    ip("-n", name, *(["-6"] if ":" in subnet else []), "route", "add", "default", "via", address(subnet, 254), "dev", device)


def expired(session):
    session.cmd("set output json")
    answer = session.json_ok("show fwd stats all")
    session.cmd("set output text")
    return sum(stream["counters"]["expired"] for stream in answer["streams"])


@pytest.mark.parametrize("kind", SUBNETS)
@pytest.mark.parametrize("lookup", ["fib", "lpm"])
def test_between_subnets(binary, kind, lookup):
    if kind == "ipv6" and not has_ipv6():
        pytest.skip("this kernel has no IPv6")
    devices, subnets = [f"zr{os.getpid() % 100000}{end}" for end in ENDS], SUBNETS[kind]
    with Namespaces(3) as names, Session(binary, [f"net_tap{end},iface={devices[end]}" for end in ENDS], wrapper=entering(names[2])) as session:
        for end in ENDS:
            ip("-n", names[2], "link", "set", devices[end], "netns", names[end])
            bring_up(names[end], devices[end], subnets[end])
            there = json.loads(ip("-n", names[end], "-j", "link", "show", "dev", devices[end]))[0]["address"]
            session.ok(f"route add {subnets[end].format(0)} port {end} mac {there}")
        session.ok(f"set l3fwd lookup {lookup}", "set fwd l3fwd", "start")
        for end in ENDS:
            assert inside(names[end], "ping", address(subnets[1 - end], 1), 5)["answered"] == 5
        for end in ENDS:
            server = start(names[1 - end], "serve", address(subnets[1 - end], 1), 5001)
            sender = start(names[end], "send", address(subnets[1 - end], 1), 5001, SIZE)
            sent, got = result(sender), result(server)
            assert got == {"sha256": sent["sha256"], "bytes": SIZE}
        before = expired(session)
        inside(names[0], "last_hop", address(subnets[1], 1), 9, EXPIRING)
        wait_until(lambda: expired(session) >= before + EXPIRING, "packets without a hop left")
        # The kernel's own reports of multicast groups have none left either.
        assert kind == "ipv6" or expired(session) == before + EXPIRING
        session.ok("stop")
        _, status = session.quit()
        assert status == 0
