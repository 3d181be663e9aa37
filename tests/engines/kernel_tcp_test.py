# SPDX-License-Identifier: BSD-3-Clause
"""The kernel's own TCP through the forwarder, over AF_PACKET on veth pairs and over taps: bytes and counters agree."""
import os

import pytest

from kernel_path import ADDRESS, SIZE, Path
from netns import Namespaces, entering, ip
from session import Session

pytestmark = pytest.mark.netns


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
