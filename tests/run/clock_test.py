# SPDX-License-Identifier: BSD-3-Clause
"""One frequency of the TSC in the whole program, whatever DPDK takes it for: all reports agree with the kernel's clock."""
import json
import os
import time

import pytest

from session import Session
from telemetry import Telemetry

FALSE = os.environ.get("FALSE_TSC_MODULE")
pytestmark = [pytest.mark.zcfwd, pytest.mark.skipif(not FALSE, reason="the stand-in for DPDK's frequency is not built")]

SECONDS = 1.0
SAID = "by the kernel's clock, DPDK expects "


class Bracket:
    """The kernel's clock before and after something that the program times from one command to another."""

    def __init__(self):
        self.at = []

    def around(self, call):
        before = time.monotonic()
        answer = call()
        self.at.append((before, time.monotonic()))
        return answer

    def holds(self, seconds):
        """Between the first command and the last one; the kernel's two clocks may differ by as much as NTP steers one."""
        (first, first_end), (last, last_end) = self.at[0], self.at[-1]
        return (last - first_end) * 0.999 <= seconds <= (last_end - first) * 1.001


def opened(binary, factor):
    return Session(binary, env={"LD_PRELOAD": FALSE, "FALSE_TSC": factor}, telemetry=True)


@pytest.mark.parametrize("factor", ["1.25", "0.8"])
def test_all_agree(binary, tmp_path, factor):
    """DPDK is wrong by a quarter: statistics, summaries, top, recordings and telemetry are right."""
    path, ports, run = tmp_path / "r", Bracket(), Bracket()
    with opened(binary, factor) as session:
        session.ok("set output json", "set fwd txonly", f"record start {path} every 100")
        run.around(lambda: session.json_ok("start"))
        ports.around(lambda: session.json_ok("show port stats 0"))
        time.sleep(SECONDS)
        at_top = Bracket()
        at_top.around(lambda: None)
        top = session.json_ok("top every 200ms count 2")["samples"]
        at_top.around(lambda: None)
        shown = ports.around(lambda: session.json_ok("show port stats 0"))["ports"][0]
        with Telemetry(session) as client:
            hz = client.ask("/zcfwd/engine")["tsc_hz"]
        stopped = run.around(lambda: session.json_ok("stop"))
        session.json_ok("record stop")
        session.leave()
        said = [line for line in session.err_path.read_text().splitlines() if SAID in line]
    assert len(said) == 1 and f"take {float(factor):.2f} times as long" in said[0], said
    assert ports.holds(shown["interval_s"]), (ports.at, shown["interval_s"])
    assert run.holds(stopped["summary"]["seconds"]), (run.at, stopped["summary"])
    # It sleeps by the kernel's clock between two samples.
    assert all(sample["interval_s"] >= 0.2 * 0.999 for sample in top) and top[-1]["time_s"] <= at_top.at[-1][1] - at_top.at[0][0]
    total = stopped["total"]
    assert total["tx_pps"] * stopped["summary"]["seconds"] == pytest.approx(total["tx_packets"], rel=1e-6)
    header, *found = [json.loads(line) for line in path.read_text().splitlines()]
    assert header["tsc_hz"] == hz
    # What the recording says of the whole run, by the TSC, and its intervals, by the kernel's clock.
    end = next(line for line in found if line["type"] == "end")
    assert end["run_ns"] / 1e9 == pytest.approx(stopped["summary"]["seconds"], rel=1e-6)


def test_timed_run(binary):
    """A run of a given length has it by the kernel's clock."""
    bracket = Bracket()
    with opened(binary, "0.5") as session:
        session.ok("set output json")
        bracket.around(lambda: None)
        seconds = session.json_ok("start for 500ms")["summary"]["seconds"]
        bracket.around(lambda: None)
    elapsed = bracket.at[-1][1] - bracket.at[0][0]
    assert 0.5 * 0.999 <= seconds <= elapsed, (seconds, elapsed)


def test_right(binary):
    """Where both agree, nothing is said."""
    with opened(binary, "1") as session:
        session.leave()
        assert "MHz" not in session.err_path.read_text()
