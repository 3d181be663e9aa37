# SPDX-License-Identifier: BSD-3-Clause
"""ZCFWD_CHECK: a program that loses buffers, or frees them twice, says so and ends with 3; and how tests notice."""
import os
import re
import signal

import pytest
import zcfwd

from package import started
from session import KILLED, UNBALANCED, Session, SessionError, wait_until

pytestmark = pytest.mark.zcfwd
MODULE = os.environ.get("UNBALANCED_MODULE")
SAID = re.compile(r"Pool mb_pool_0: of (\d+) buffers (\d+) are missing, (\d+) were freed twice, and 0 do not belong to it \(driver (\w+)\)")


def dropping(binary, how, check="1", args=(), **options):
    """Drops bursts to full rings, each with that bug; returns the session, to be ended."""
    session = Session(binary, ["net_ring0", "net_ring1"], ["--no-flush-rx", *args],
                      env={"LD_PRELOAD": MODULE, "UNBALANCED": how, "ZCFWD_CHECK": check}, **options)
    session.ok("set fwd txonly", "start")
    wait_until(lambda: "TX-dropped: 0 " not in session.cmd("show fwd stats all").split("TX-total")[0], "drops")
    session.ok("stop")
    return session


@pytest.mark.parametrize("how, missing, twice", [("missing", True, False), ("twice", False, True), ("none", False, False)])
@pytest.mark.parametrize("ops", ["ring_mp_mc", "stack"])
def test_said(binary, ops, how, missing, twice):
    """What is there twice is there in the place of others where the driver has no room for more than the pool."""
    with dropping(binary, how, args=[f"--mbuf-pool-ops={ops}"], ends=UNBALANCED if missing or twice else 0) as session:
        session.quit()
        assert session.rc == (UNBALANCED if missing or twice else 0)
        said = SAID.findall(session.stderr())
        if not missing and not twice:
            assert said == []
            return
        (size, lost, doubled, driver), = said
        assert driver == ops and int(size) >= 8192
        assert int(doubled) > 0 if twice else int(lost) > 0 and int(doubled) == 0, said


def test_not_asked(binary):
    with dropping(binary, "missing", check="0") as session:
        assert session.quit()[1] == 0 and "Pool mb_pool_0: of" not in session.stderr()


def test_a_session_notices(binary):
    """At the end of the block, and when the test itself ends the program; not behind an error of the test's own."""
    with pytest.raises(SessionError, match="exit status 3, expected 0"), dropping(binary, "missing"):
        pass
    with pytest.raises(SessionError, match="exit status 3, expected 0"), dropping(binary, "missing") as session:
        session.quit()
    with pytest.raises(ZeroDivisionError), dropping(binary, "missing"):
        raise ZeroDivisionError
    with dropping(binary, "missing", ends=KILLED):
        pass
    with pytest.raises(SessionError, match="exit status -9, expected 0"), Session(binary) as session:
        os.kill(session.pid, signal.SIGKILL)


def test_a_session_of_the_package_notices(binary):
    with pytest.raises(zcfwd.Error, match=r"did not end as it should \(exit status 3\)"):
        with started(binary, ports=["net_ring0", "net_ring1"], options=["--no-flush-rx"], env={"LD_PRELOAD": MODULE, "UNBALANCED": "missing"}) as z:
            assert z.forward("txonly", seconds=0.1).refused > 0


def test_show_pool_says_double_free(binary):
    with dropping(binary, "twice", ends=UNBALANCED) as session:
        session.ok("set fwd rxonly", "start")
        wait_until(lambda: "  double free: " in session.cmd("show pool"), "more buffers than the pool has")
        session.ok("stop")
        assert re.search(r"available=(\d+), in use=0, .*\n  driver .*\n  double free: [1-9]\d* more buffers are available than the pool has\n",
                         session.cmd("show pool"))
        assert re.search(r"\n +double free: [1-9]\d* more available than the pool has\n", session.cmd("show mempool mb_pool_0"))


@pytest.mark.parametrize("lines", [("port detach 1",), ("port close 1",), ("port close 1", "port detach 1"), ("device detach net_ring1",)], ids=" then ".join)
def test_waiting_in_a_ring(binary, lines):
    """net_ring frees no packets that wait in its rings when its port is removed: they go back to their pool first."""
    with Session(binary, ["net_ring0", "net_ring1"]) as session:
        session.ok("start tx_first 1", "stop", "port stop 1", *lines)
