# SPDX-License-Identifier: BSD-3-Clause
"""Bonding ports: made, filled, forwarding, taken apart; testpmd's answers."""
import re

import pytest

from session import Session, wait_until
from stats import port_stats

NULLS = ("net_null0", "net_null1", "net_null2")

LINES = """create bonded device 1 0
show bonding config 3
add bonding slave 0 3
add bonding slave 1 3
show bonding config 3
set bonding primary 1 3
set bonding mode 2 3
set bonding balance_xmit_policy 3 l34
set bonding mon_period 3 200
set bonding mac_addr 3 02:00:00:00:00:99
show bonding config 3
port start 3
set bonding mode 0 3
set bonding lacp dedicated_queues 3 enable
show bonding config 3
show bonding lacp info 3
port stop 0
port stop 3
set bonding mode 4 3
set bonding agg_mode 3 count
set bonding lacp dedicated_queues 3 disable
show bonding config 3
show bonding lacp info 3
remove bonding slave 0 3
show bonding config 3
set bonding primary 0 3
set bonding balance_xmit_policy 3 l4""".splitlines()


def answers(binary):
    with Session(binary, vdevs=NULLS, merge=True) as session:
        session.cmd("port stop all")
        said = [session.cmd(line) for line in LINES]
    # testpmd begins what it complains of with a tab, and names a MAC address by chance
    return [re.sub(r"^(Bad arguments\n)(?s:.*)", r"\1", re.sub(r"^\t ?(?=[BFE]\w+ed |Error|Bonding mode is|IEEE802.3 port 3 has)", "", text, flags=re.M))
            for text in said]


def test_answers(binary, testpmd):
    theirs, ours = answers(testpmd), answers(binary)
    different = [(line, one, two) for line, one, two in zip(LINES, theirs, ours) if sorted(one.splitlines()) != sorted(two.splitlines())]
    assert different == []


def shown(session, line):
    session.cmd("set output json")
    answer = session.json_ok(line)
    session.cmd("set output text")
    return answer


def bonded(session, mode):
    """Ports 0 and 1 below port 3, everything started."""
    for line in ("port stop all", f"create bonding device {mode} 0", "add bonding member 0 3", "add bonding member 1 3", "port start all"):
        session.cmd(line)
    return session


@pytest.mark.zcfwd
@pytest.mark.parametrize("mode, sends", [(0, (True, True)), (1, (True, False)), (2, (True, True)), (3, (True, True))])
def test_forwarding(mode, sends, binary):
    """Port 2 and the bonding port forward to each other; members send as the mode says, and nobody else polls them."""
    with bonded(Session(binary, vdevs=NULLS, args=["--no-flush-rx"]), mode) as session:
        assert "ports=2" in session.cmd("show config fwd")
        session.ok("set fwd io retry", "start")
        wait_until(lambda: port_stats(session, 3)["TX-packets"] > 100_000, "packets sent by the bonding port", 30)
        session.cmd("stop")
        sent = [port_stats(session, port)["TX-packets"] for port in (0, 1)]
        # all packets of net_null are the same: balance chooses one member for them
        assert sorted(n > 0 for n in sent) == [False, True] if mode == 2 else tuple(n > 0 for n in sent) == sends, sent
        if mode != 3:
            assert sum(sent) == port_stats(session, 3)["TX-packets"]


@pytest.mark.zcfwd
def test_members(binary):
    """A member starts and stops with the bonding port, leaves forwarding and comes back; the last of it at quit."""
    with bonded(Session(binary, vdevs=NULLS, merge=True), 1) as session:
        assert "Please remove port 0 from bonded device." in session.cmd("port stop 0")
        assert shown(session, "show bonding config 3")["members"] == [0, 1]
        assert "port 0: a bonding port polls its queues" in session.cmd("set portlist 0,2")
        assert "not a bonding port" in session.cmd("add bonding slave 2 0")
        session.cmd("remove bonding member 0 3")
        assert shown(session, "show bonding config 3")["members"] == [1]
        session.cmd("port stop all")
        session.cmd("port start all")
        text = session.cmd("show config fwd")
        assert "P=0/Q=0" in text and "P=1/Q=0" not in text
        session.cmd("port stop all")
        session.cmd("port close all")
        assert session.quit()[1] == 0


@pytest.mark.zcfwd
def test_quit(binary):
    with bonded(Session(binary, vdevs=NULLS, merge=True), 4) as session:
        session.cmd("start")
        text, rc = session.quit()
        assert rc == 0 and text.count("is closed") == 4
