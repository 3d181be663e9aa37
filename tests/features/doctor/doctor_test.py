# SPDX-License-Identifier: BSD-3-Clause
"""The command doctor on this host: what it finds agrees with the files of the kernel, and it changes none."""
import os
import pathlib
import re

import pytest

from neighbour import LCORES, neighbour
from session import TO_JSON, TO_TEXT, Session, ordinary_pages, wait_until

pytestmark = pytest.mark.zcfwd
CHECKS = {"own CPU", "isolated CPUs", "timer tick", "hyperthreads", "frequency", "idle states", "huge pages", "NUMA", "interrupts", "autogroup",
          "stolen time", "CPU quota", "rings", "clocks",
          "ports", "cards", "VFIO", "PCI Express", "PF of VF", "node pages", "DDP package", "link", "flow control", "frame size", "queues", "firmware"}
PORTS = ("net_null0", "net_null1")


def findings(session):
    session.ok(TO_JSON)
    return {one["check"]: one for one in session.json("doctor")["checks"]}


def with_verdict(answer, verdict):
    """The number of checks with such a finding: some checks have several, of several cards."""
    return len({one["check"] for one in answer["checks"] if one["verdict"] == verdict})


def test_answer(binary):
    with Session(binary, PORTS, memory=ordinary_pages(256)) as session:
        session.ok(TO_JSON)
        answer = session.json("doctor")
        assert {one["check"] for one in answer["checks"]} == CHECKS
        for one in answer["checks"]:
            assert one["verdict"] in ("ok", "spoils", "unknown", "fails", "warning") and one["found"] and one["source"], one
            assert one["verdict"] == "warning" or ("change" in one) == (one["verdict"] in ("spoils", "fails")), one
        assert answer["spoils"] == with_verdict(answer, "spoils") and answer["fails"] == with_verdict(answer, "fails")
        session.ok(TO_TEXT)
        text = session.cmd("doctor")
    assert re.findall(r"(?m)^  (\S.{13}) (?:ok|spoils|unknown|fails|warning) ", text) == [f"{one['check']:14}" for one in answer["checks"]]
    assert text.count("change: ") == sum("change" in one for one in answer["checks"])
    assert text.count("source: ") == sum(one["verdict"] not in ("ok", "unknown") for one in answer["checks"])
    assert f"{answer['spoils']} of {len(CHECKS)} checks found what spoils tails or rates\n" in text


def test_lcores(binary):
    """What it says is of the lcores that forward, on the CPUs that they may use: of a set without CPU 0 the first."""
    cpu = min(os.sched_getaffinity(0))
    with Session(binary, PORTS, memory=ordinary_pages(256), lcores="0@0,1@0") as session:
        assert findings(session)["own CPU"]["found"] in (f"lcore 1 shares CPU {cpu} with the control thread", f"lcore 1 shares CPU {cpu} with another lcore")
        assert findings(session)["huge pages"]["verdict"] == "spoils"


def test_lost_cpu(binary):
    """A process that nobody expects on an lcore's CPU is found by what the kernel counted; a clear forgets it."""
    with Session(binary, PORTS, memory=ordinary_pages(256), lcores=LCORES) as session:
        session.ok("start")
        with neighbour():
            wait_until(lambda: re.match(r"lcore 1 had its CPU for [0-8]?\d % of this run \(\d+ preemptions?\)", findings(session)["own CPU"]["found"]),
                       "the lost CPU", 60)
        session.json_ok("stop")
        one = findings(session)["own CPU"]
        assert one["verdict"] == "spoils" and "% of the last run (" in one["found"] and one["change"]
        assert findings(session)["own CPU"] == one  # it is over: nothing changes any more
        session.json_ok("clear fwd stats all")
        assert "run" not in findings(session)["own CPU"]["found"]


def test_kernel(binary):
    autogroup = pathlib.Path("/proc/sys/kernel/sched_autogroup_enabled")
    with Session(binary, PORTS, memory=ordinary_pages(256)) as session:
        found = findings(session)
    on = autogroup.exists() and autogroup.read_text(encoding="ascii").strip() == "1"
    assert found["autogroup"]["verdict"] == ("spoils" if on else "ok")
    governed = pathlib.Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").exists()
    assert (found["frequency"]["verdict"] == "unknown") != governed
