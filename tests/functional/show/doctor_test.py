# SPDX-License-Identifier: BSD-3-Clause
"""The command doctor on this host: what it finds agrees with the files of the kernel, and it changes none."""
import os
import pathlib
import re

import pytest

from session import TO_JSON, TO_TEXT, Session, ordinary_pages

pytestmark = pytest.mark.zcfwd
CHECKS = {"own CPU", "isolated CPUs", "timer tick", "hyperthreads", "frequency", "idle states", "huge pages", "NUMA", "interrupts", "autogroup",
          "stolen time", "CPU quota", "rings", "clocks"}
PORTS = ("net_null0", "net_null1")


def findings(session):
    session.ok(TO_JSON)
    return {one["check"]: one for one in session.json("doctor")["checks"]}


def test_answer(binary):
    with Session(binary, PORTS, memory=ordinary_pages(256)) as session:
        session.ok(TO_JSON)
        answer = session.json("doctor")
        assert {one["check"] for one in answer["checks"]} == CHECKS and len(answer["checks"]) == len(CHECKS)
        for one in answer["checks"]:
            assert one["verdict"] in ("ok", "spoils", "unknown") and ("change" in one) == (one["verdict"] == "spoils"), one
        assert answer["spoils"] == sum(one["verdict"] == "spoils" for one in answer["checks"])
        session.ok(TO_TEXT)
        text = session.cmd("doctor")
    assert re.findall(r"(?m)^  (\S.{13}) (?:ok|spoils|unknown) ", text) == [f"{one['check']:14}" for one in answer["checks"]]
    assert text.count("change: ") == answer["spoils"]
    assert f"{answer['spoils']} of {len(CHECKS)} checks found what spoils tails or rates\n" in text


def test_lcores(binary):
    """What it says is of the lcores that forward, on the CPUs that they may use: of a set without CPU 0 the first."""
    cpu = min(os.sched_getaffinity(0))
    with Session(binary, PORTS, memory=ordinary_pages(256), lcores="0@0,1@0") as session:
        assert findings(session)["own CPU"]["found"] in (f"lcore 1 shares CPU {cpu} with the control thread", f"lcore 1 shares CPU {cpu} with another lcore")
        assert findings(session)["huge pages"]["verdict"] == "spoils"


def test_kernel(binary):
    autogroup = pathlib.Path("/proc/sys/kernel/sched_autogroup_enabled")
    with Session(binary, PORTS, memory=ordinary_pages(256)) as session:
        found = findings(session)
    on = autogroup.exists() and autogroup.read_text(encoding="ascii").strip() == "1"
    assert found["autogroup"]["verdict"] == ("spoils" if on else "ok")
    governed = pathlib.Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").exists()
    assert (found["frequency"]["verdict"] == "unknown") != governed
