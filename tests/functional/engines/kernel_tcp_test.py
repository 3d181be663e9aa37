# SPDX-License-Identifier: BSD-3-Clause
"""The kernel's own TCP through the forwarder, over AF_PACKET on veth pairs and over taps: bytes and counters agree."""
import os

import pytest

from netns import Namespaces, counters, entering, inside, ip, result, start
from session import Session, wait_until
from stats import port_stats

SIZE = 100_000_000
ADDRESS = {0: "10.77.0.1", 1: "10.77.0.2"}
PORTS = (5001, 5002)
pytestmark = pytest.mark.netns


class Path:
    """Two namespaces, the forwarder between them; devices[i] in names[i] is the far end of the forwarder's port i."""

    def __init__(self, session, names, devices, exact):
        self.session, self.names, self.devices = session, names, devices
        self.exact = exact  # AF_PACKET does not say how many packets found its ring full; a tap does

    def bring_up(self):
        for end in ADDRESS:
            name, device = self.names[end], self.devices[end]
            inside(name, "offloads_off", device)
            ip("-n", name, "addr", "add", f"{ADDRESS[end]}/24", "dev", device)
            ip("-n", name, "link", "set", device, "up")

    def ping(self, end, count=5):
        assert inside(self.names[end], "ping", ADDRESS[1 - end], count)["answered"] == count

    def transfer(self, *ends):
        """SIZE bytes from each of these ends at once."""
        pairs = []
        for end in ends:
            server = start(self.names[1 - end], "serve", ADDRESS[1 - end], PORTS[end])
            pairs.append((server, start(self.names[end], "send", ADDRESS[1 - end], PORTS[end], SIZE)))
        for server, sender in pairs:
            sent, got = result(sender), result(server)
            assert got["bytes"] == SIZE
            assert got["sha256"] == sent["sha256"]

    def snapshot(self):
        """(kernel sent, kernel got, forwarder got, forwarder missed, forwarder sent) for each end."""
        rows = []
        for end in ADDRESS:
            kernel = counters(self.names[end], self.devices[end])
            port = port_stats(self.session, end)
            rows.append((kernel["tx"]["packets"], kernel["rx"]["packets"] + kernel["rx"]["dropped"],
                         port["RX-packets"], port["RX-missed"], port["TX-packets"]))
        return rows

    def settled(self):
        """The counters once two looks in a row agree: everything has arrived or is lost."""
        last = [None]

        def same():
            now, before = self.snapshot(), last[0]
            last[0] = now
            return now if now == before else None
        return wait_until(same, "counters that stand still")


@pytest.fixture(params=[("af_packet", "io"), ("tap", "io"), ("tap", "ring_pipeline")], ids="-".join)
def path(request, binary):
    kind, engine = request.param
    if kind == "tap":
        request.getfixturevalue("needs_tap")
    serial = f"{os.getpid() % 100000}"
    with Namespaces(3) as names:
        near = [f"zf{serial}{i}" for i in ADDRESS]
        if kind == "af_packet":
            far = [f"zv{serial}{i}" for i in ADDRESS]
            for i in ADDRESS:
                ip("link", "add", near[i], "netns", names[2], "type", "veth", "peer", "name", far[i], "netns", names[i])
                ip("-n", names[2], "link", "set", near[i], "up", "promisc", "on")
                ip("-n", names[i], "link", "set", far[i], "up")
            vdevs = [f"net_af_packet{i},iface={near[i]},framecnt=1024" for i in ADDRESS]
        else:
            far = near
            vdevs = [f"net_tap{i},iface={near[i]}" for i in ADDRESS]
        with Session(binary, vdevs, wrapper=entering(names[2])) as session:
            if kind == "tap":
                for i in ADDRESS:
                    ip("-n", names[2], "link", "set", near[i], "netns", names[i])
            path = Path(session, names, far, exact=kind == "tap")
            path.bring_up()
            session.ok(f"set fwd {engine}", "start")
            yield path
            text, rc = session.quit()
            assert rc == 0 and "Bye..." in text


@pytest.mark.rotates(3)
def test_ping_and_tcp(path):
    before = path.settled()
    path.ping(0)
    path.ping(1)
    path.transfer(0)
    path.transfer(1)
    path.transfer(0, 1)
    after = path.settled()
    moved = [[b - a for a, b in zip(*rows)] for rows in zip(before, after)]
    for end in ADDRESS:
        kernel_sent, _, got, missed, _ = moved[end]
        _, kernel_got, _, _, sent = moved[1 - end]
        assert got + missed <= kernel_sent, moved
        assert got + missed == kernel_sent or not path.exact, moved
        assert sent == kernel_got, moved
        assert sent <= got, moved
        assert got > 2 * SIZE / 1500, moved
