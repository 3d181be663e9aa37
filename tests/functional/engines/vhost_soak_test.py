# SPDX-License-Identifier: BSD-3-Clause
"""Guests that come, go and are killed with packets in flight both ways: nothing is leaked, and the next one gets everything."""
import os
import random
import signal

import pytest

from conftest import SEED
from session import wait_until
from vhost_peer import FILE, Backend, Guest
from virtio_pair import numbered

COPIES = ("cpu", "dma", "adaptive")
SMALL = ["--no-huge", "-m", "96"]  # librte_vhost maps every page of a guest when it comes


def sent(backend):
    return next(queue["packets"] for queue in backend.vhost()["queues"] if queue["direction"] == "tx")


def cycle(backend, guest, chance, way):
    """One guest: traffic until some of it is on its way, then the end of it."""
    backend.await_guest()
    enough = sent(backend) + chance.randrange(1, 200)
    backend.ok(f"set vhost 1 0 copy {chance.choice(COPIES)}", "start")
    wait_until(lambda: sent(backend) >= enough, "packets to the guest", 30)
    if way == "quit":
        guest.send("quit\n")
    else:
        guest.signal(signal.SIGKILL if way == "kill" else signal.SIGTERM)
    backend.await_guest(False)
    backend.ok("stop")
    queues = backend.vhost()["queues"]
    assert all(queue["in_flight"] == 0 for queue in queues), queues
    backend.ok(f"port stop {FILE}", f"port start {FILE}", "port stop 1", "port start 1", "clear port stats all")


def soak(binary, tmp_path, cycles, again=lambda number: None):
    seed = SEED
    chance = random.Random(seed)
    with Backend(binary, tmp_path, numbered(2000, longest=4000)) as backend:
        backend.ok("set fwd vhost")
        for number in range(cycles):
            way = ("kill", "quit", "term", "kill")[number % 4]
            with Guest(binary, backend.path, memory=SMALL) as guest:
                guest.loop()
                cycle(backend, guest, chance, way)
            again(number)
        assert backend.vhost()["disconnects"] == cycles, seed
        backend.nothing_out()
        assert backend.quit()[1] == 0, seed
    return seed


def test_a_few(binary, tmp_path):
    soak(binary, tmp_path, 8)


@pytest.mark.soak
def test_a_thousand(binary, tmp_path, capsys):
    def tell(number):
        if (number + 1) % 100 == 0:
            with capsys.disabled():
                print(f"vhost soak: {number + 1} guests")
    seed = soak(binary, tmp_path, int(os.environ.get("SOAK_CYCLES", "1000")), tell)
    with capsys.disabled():
        print(f"vhost soak: done, seed {seed}")
