# SPDX-License-Identifier: BSD-3-Clause
"""Virtual functions of QEMU's igb: net_e1000_igb drives the card, net_e1000_igb_vf its functions, which talk through the card's mailbox."""
import os
import re
import signal

import pytest

from cards import Cards, frames_of, swapped
from laws import check_law
from modelled import needs_model_nic
from qemu_runs import GONE_S, run
from session import wait_until

pytestmark = [pytest.mark.zcfwd, needs_model_nic]


class Functions(Cards):
    """A session on an igb, whose cable the test has, and functions of it as the ports from 1 on."""

    def __init__(self, binary, tmp_path, count, args=(), **options):
        super().__init__(binary, "igb", tmp_path, args, models=";".join([f"igb,rx=socket:{tmp_path}/0", *["igbvf,pf=0"] * count]), link=False, **options)
        self.links("up", range(count + 1))

    def mac(self, port):
        return bytes.fromhex(re.search(r"MAC address: ([0-9A-F:]+)", self.cmd(f"show port info {port}"))[1].replace(":", ""))


def to(mac, frame):
    return mac + frame[6:]


def test_functions(binary, tmp_path):
    """
    Each frame reaches the function whose address it has, and frames of a function reach the cable. The card gets frames for unknown addresses, but none for
    its own: ethdev sets that again after the start, and net_e1000_igb then maps it to the first function.
    """
    with Functions(binary, tmp_path, 2, ["--port-topology=loop"]) as session:
        assert [row["driver"] for row in session.asked_json("show port info all")["ports"]] == ["net_e1000_igb", "net_e1000_igb_vf", "net_e1000_igb_vf"]
        macs = [session.mac(port) for port in range(3)]
        assert len(set(macs)) == 3
        session.ok("set fwd macswap", "start")
        frames = frames_of(6, 51)
        for frame in frames:
            for mac in (*macs, bytes.fromhex("020000000077")):
                session.put(0, to(mac, frame))
                assert session.take(0) == swapped(to(mac, frame))
        wait_until(lambda: [(s["rx"], s["tx"]) for s in session.streams()] == [(6, 6), (12, 12), (6, 6)], "the counts of what the cable carried")
        session.cmd("stop")
        check_law(session.streams())
        session.quit()
        assert session.rc == 0


@pytest.mark.extended
def test_card_dies(binary, tmp_path):
    """A card that is gone takes its functions with it. It has to come back before them."""
    with Functions(binary, tmp_path, 1, merge=True) as session:
        session.ok("set fwd io", "start")
        os.kill(session.qemu_of(0), signal.SIGKILL)
        for port in (0, 1):
            session.expect(f"zcfwd: port {port}: its card was removed")
        said = session.cmd("", GONE_S)
        assert said.count("Device is detached") == 2, said
        assert "its card, port 0, is not there" in session.cmd("port attach 0000:f0:01.0")
        session.ok("port attach 0000:f0:00.0", "port attach 0000:f0:01.0", "port start all")
        session.links("up")


REFUSED = {
    "igb;igbvf": '"igbvf": expected pf=PORT, the port of an igb before it',
    "igb;igbvf,pf=1": '"pf=1": expected pf=PORT, the port of an igb before it',
    "igbvf,pf=1;igb": '"pf=1": expected pf=PORT, the port of an igb before it',
    "e1000e;igbvf,pf=0": '"pf=0": expected pf=PORT, the port of an igb before it',
    "igb;igbvf,pf=0,mac=02:00:00:00:00:01": '"pf=0,mac=02:00:00:00:00:01": expected pf=PORT, the port of an igb before it',
    "igb;igbvf,rx=none": '"rx=none": expected pf=PORT, the port of an igb before it',
    "igb;igbvf,pf=0*8": '"pf=0": expected at most 7 of one card',
}


@pytest.mark.parametrize("models", REFUSED)
def test_bad_words(models):
    done = run(models)
    assert done.returncode != 0 and REFUSED[models] in done.stderr, done.stderr
