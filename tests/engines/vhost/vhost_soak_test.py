# SPDX-License-Identifier: BSD-3-Clause
"""Guests that come, go and are killed with packets in flight both ways: nothing is leaked, and the next one gets everything."""
import os
import random
import signal

import pytest
from conftest import SEED

from recycling import figures
from session import wait_until
from vhost_peer import FILE, Backend, Guest
from virtio_pair import numbered

COPIES = ("cpu", "dma", "adaptive")
SMALL = ["--no-huge", "-m", "96"]  # librte_vhost maps every page of a guest when it comes
# What a guest needs to recycle, and its packets then: one buffer each.
VECTORS = {"devargs": "mrg_rxbuf=0,in_order=0,vectorized=1", "args": ["--rxd=1024", "--txd=1024", "--tx-offloads=0x0"]}
WHOLE = 1400


def sent(backend):
    return next(queue["packets"] for queue in backend.vhost()["queues"] if queue["direction"] == "tx")


def cycle(backend, guest, chance, way, window=None):
    """One guest: traffic until some of it is on its way, then the end of it."""
    backend.await_guest()
    enough = sent(backend) + chance.randrange(1, 200) + (800 if window else 0)
    backend.ok(f"set vhost 1 0 copy {chance.choice(COPIES)}", "start")
    wait_until(lambda: sent(backend) >= enough, "packets to the guest", 30)
    if window:
        wait_until(lambda: all("window" in stream and stream["moved"] > 0 for stream in figures(guest)), "recycled mbufs in the guest", 30)
    if way == "quit":
        guest.send("quit\n")
    else:
        guest.signal(signal.SIGKILL if way == "kill" else signal.SIGTERM)
    backend.await_guest(False)
    backend.ok("stop")
    queues = backend.vhost()["queues"]
    assert all(queue["in_flight"] == 0 for queue in queues), queues
    backend.ok(f"port stop {FILE}", f"port start {FILE}", "port stop 1", "port start 1", "clear port stats all")


def soak(binary, tmp_path, cycles, again=lambda number: None, window=None):
    """window: guests recycle with such a window; None: they do not recycle."""
    seed = SEED
    chance = random.Random(seed)
    with Backend(binary, tmp_path, numbered(2000, longest=4000 if window is None else WHOLE)) as backend:
        backend.ok("set fwd vhost")
        for number in range(cycles):
            way = ("kill", "quit", "term", "kill")[number % 4]
            with Guest(binary, backend.path, memory=SMALL, **(VECTORS if window else {})) as guest:
                if window:
                    guest.ok(f"set recycle window {window}", "set recycle on")
                guest.loop()
                cycle(backend, guest, chance, way, window)
            again(number)
        assert backend.vhost()["disconnects"] == cycles, seed
        backend.nothing_out()
        assert backend.quit()[1] == 0, seed
    return seed


@pytest.mark.parametrize("window", [None, "192"])
def test_a_few(binary, tmp_path, window):
    soak(binary, tmp_path, 8, window=window)


@pytest.mark.soak
@pytest.mark.parametrize("window", [None, "192"])
def test_a_thousand(binary, tmp_path, capsys, window):
    def tell(number):
        if (number + 1) % 100 == 0:
            with capsys.disabled():
                print(f"vhost soak: {number + 1} guests")
    seed = soak(binary, tmp_path, int(os.environ.get("SOAK_CYCLES", "1000")), tell, window)
    with capsys.disabled():
        print(f"vhost soak: done, seed {seed}")
