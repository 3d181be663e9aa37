# SPDX-License-Identifier: BSD-3-Clause
"""Rows of cards of `make lab` with the real program: a second process sends to the port under test, over a cable of the kernel."""
import contextlib
import os
from types import SimpleNamespace

import pytest

import nic
from netns import Namespaces, entering, ip

CABLE = {"near": "zclab0", "far": "zclab1"}
LOAD = 5000

pytestmark = [pytest.mark.zcfwd, pytest.mark.netns]


@pytest.mark.parametrize("row, engine", [("nic/recycle/fast-free/cycles", "l3fwd"), ("nic/pipeline/vector/cycles", "ring_pipeline"), ("nic/extbuf/cycles", "extbuf")])
def test_source(binary, tmp_path, monkeypatch, row, engine):
    """What the source sends has a route, comes at the load that was asked for, and is forwarded by the engine of the row. A port that cannot recycle has no figure of it."""
    asked = []

    class Prompt(nic.Prompt):
        def ask(self, line):
            answer = super().ask(line)
            asked.append((line, answer))
            return answer

    with Namespaces(1) as (name,):
        ip("-n", name, "link", "add", CABLE["near"], "type", "veth", "peer", "name", CABLE["far"])
        for end in CABLE.values():
            ip("-n", name, "link", "set", end, "up")

        def card_line(setup, lcores, addresses, eal, app):
            """In place of a card: an end of the cable."""
            (end,) = addresses
            port = f"--vdev=net_af_packet0,iface={CABLE[end]}"
            setup = SimpleNamespace(hugepages=False, run_id=f"lab{tmp_path.name}{end}")
            return [*entering(name), *nic.modes.command_line(str(binary), lcores, setup, [port, *eal], app)]

        monkeypatch.setattr(nic, "card_line", card_line)
        monkeypatch.setattr(nic, "Prompt", Prompt)
        cpus = sorted(os.sched_getaffinity(0))
        setup = SimpleNamespace(cores=(cpus[0], cpus[-1]), cpus=set(cpus), trial=False, runs=7, load=LOAD, equal=4, nic=["near"], source=["far"])
        case = next(case for case in nic.make_cases(setup.nic) if case.name == row)
        with pytest.raises(ValueError, match="port 0: driver net_af_packet cannot be paired") if engine == "l3fwd" else contextlib.nullcontext():
            found = case.measure(setup, "")
    shown = [answer for line, answer in asked if line == "show fwd stats all"]
    assert {answer["engine"] for answer in shown} == {engine}
    if engine == "l3fwd":
        return
    assert all(len(costs) == 7 and min(costs) > 0 for costs in found.values())
    assert LOAD / 2000 < float(case.note.split()[0]) * 1000 < LOAD / 500, case.note
