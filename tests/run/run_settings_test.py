# SPDX-License-Identifier: BSD-3-Clause
"""A run goes by the settings that it was started with: a value that waits for the next start says so, and names no run."""
import re

import pytest

from conftest import ROOT
from recorded import lines, of_type, read
from session import Session, wait_until
from telemetry import Telemetry

pytestmark = pytest.mark.zcfwd

WAITS = re.compile(r"(?m)^([\w-]+) takes effect at the next start$")
# Settings with a command of their own; the table of commands does not say when they act.
OWN = {"set burst 64": {"burst"}, "set burst tx delay 2 retry 3": {"burst-tx-delay", "burst-tx-retry"},
       "set pipeline io 1 workers 1": {"pipeline-io", "pipeline-workers"}, "set pipeline stage busy 50": {"pipeline-busy", "pipeline-stage"}}


def commands():
    """{example: when it takes effect} of every command that is made of a setting."""
    text = (ROOT / "doc/commands.md").read_text(encoding="utf-8").replace("\n  ", " ")
    return {example: when for when, example in re.findall(r"(?m)^- `set .*; takes effect ([a-z ]+) \(example: `(set [^`]*)`\)$", text)}


def said(session, line):
    """(names of the settings that wait, everything on stderr)."""
    before = len(session.stderr())
    session.cmd(line)
    errors = session.stderr()[before:]
    return set(WAITS.findall(errors)), errors


@pytest.mark.needs()
def test_each_setting(binary):
    """While forwarding, a setting acts, or is refused, or says that it waits. New ones are found by the table of commands."""
    found, session = commands(), Session(binary)
    assert len(found) > 80 and set(found.values()) == {"now", "next start", "next port start"}
    with session:
        session.cmd("set output json")
        names = {one["name"]: one["takes_effect"] for one in session.json_ok("show settings")["settings"]}
        session.json_ok("set output text")
        session.ok("start")
        for line, when in found.items():
            waits, errors = said(session, line)
            if when == "next start":
                assert len(waits) == 1 and names[waits.pop()] == when, (line, errors)
            elif when == "next port start":
                assert not waits and "Please stop forwarding first" in errors, (line, errors)
            else:
                assert not waits, (line, errors)
        for line, those in OWN.items():
            assert said(session, line)[0] == those, line
        session.ok("stop")
        assert not said(session, "set burst 32")[0]


def test_set_burst_says_it_after_testpmds_line(binary):
    with Session(binary, merge=True) as session:
        session.ok("start")
        assert session.cmd("set burst 64") == "Number of packets per burst set to 64\nburst takes effect at the next start\n"


def test_a_run_carries_its_settings(binary, tmp_path):
    """Bursts of 32 to the end, whatever was set meanwhile: in the recording, the report, JSON, telemetry."""
    from zcfwd_report import compared  # pylint: disable=import-outside-toplevel
    with Session(binary, telemetry=True) as session:
        session.ok("set txonly-flows 7", f"record start {tmp_path}/r.jsonl every 20", "start", "set burst 8", "set record-bytes on")
        wait_until(lambda: "record-bytes" in (tmp_path / "r.jsonl").read_text(encoding="utf-8"), "a line")
        session.cmd("set output json")
        assert session.json_ok("show fwd stats all")["settings"] == {"txonly-flows": 7, "total-num-mbufs": 8192, "record-bytes": True}
        with Telemetry(session) as telemetry:
            config = telemetry.ask("/zcfwd/config")
            assert config["settings"]["burst"] == 8 and config["run_settings"] == {"burst": 32}
        session.json_ok("stop")
        session.json_ok("start")
        assert session.json_ok("stop")["settings"]["burst"] == 8
        for line in ("record stop", "start", "set burst 64", f"record start {tmp_path}/late.jsonl every 20", "stop", "record stop"):
            session.json_ok(line)
    found = lines(tmp_path / "r.jsonl")
    assert [line["settings"]["burst"] for line in of_type(found, "begin")] == [32, 8]
    assert {(line["name"], line["next_start"]) for line in of_type(found, "set")} == {("burst", True), ("record-bytes", False)}
    recording = read.recording(str(tmp_path / "r.jsonl"))
    told = [compared.conditions(recording, run) for run in recording.runs]
    assert [one["burst"] for one in told] == ["32", "8"] and told[0]["record-bytes"] == "off, then on"
    assert of_type(lines(tmp_path / "late.jsonl"), "begin")[0]["settings"]["burst"] == 8
