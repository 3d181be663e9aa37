# SPDX-License-Identifier: BSD-3-Clause
"""Waiting for links: the command, and what a run waits for before it counts."""
import pytest

from modelled import Modelled, each_device, needs_model_nic
from session import KILLED, PROMPT, Session, wait_until

RINGS = ("net_ring0", "net_ring1")  # their links can be set
CTRL_C = "\x03"
WAITING = "Waiting up to 9 s for the link of port"
DOWN = "Port 0: link is down\n"


def said(session, line, timeout=40):
    """What a command prints to stderr."""
    before = len(session.stderr())
    session.cmd(line, timeout)
    return session.stderr()[before:]


@pytest.mark.parametrize("line, error", [
    ("wait link all up 0.2", "port 0: link down after 0.2 s\n"),
    ("wait link all down 10ms", "port 1: link up after 0.01 s\n"),
    ("wait link 9 up", "Invalid port 9: expected 0 or 1\n"),
    ("wait link 0 up 5packets", '"5packets": expected a time up to 24h, such as 9s\n'),
    ("wait link 0 up 25h", '"25h": expected a time up to 24h, such as 9s\n'),
])
def test_not_so(binary, line, error):
    """Ports that are not as expected are named, others shown; the program goes on."""
    with Session(binary, RINGS) as session:
        session.ok("set link-down port 0", "wait link 0 down", "wait link 1 up 1ms")
        assert said(session, line) == error
        assert session.cmd("wait link 1 up") == "Port 1: link up, speed 10 Gbps\n"


def test_each_is_named(binary):
    with Session(binary, RINGS) as session:
        session.ok("set link-down port 0", "set link-down port 1")
        assert said(session, "wait link all up 1ms") == "port 0: link down after 0.001 s\nport 1: link down after 0.001 s\n"
        session.ok("port stop all")
        for state in ("up", "down"):  # neither can change
            assert said(session, f"wait link all {state} 1000s") == 'port 0 is stopped: use "port start 0"\nport 1 is stopped: use "port start 1"\n'
        session.ok("port close 1")
        assert said(session, "wait link 1 up") == "Invalid port 1: expected 0\n"


def test_json(binary):
    with Session(binary, RINGS) as session:
        session.ok("set link-down port 1")
        session.cmd("set output json")
        answer = session.json("wait link all up 50ms")
        assert answer["error"] == {"message": "port 1: link down after 0.05 s", "code": "ETIMEDOUT"}
        assert answer["ports"] == [{"port": 0, "link_up": True, "link_mbps": 10000}, {"port": 1, "link_up": False}]
        assert 0.05 <= answer["waited_s"] < 40
        assert session.json_ok("wait link 0 up")["waited_s"] < 0.01


def test_file_stops(binary, tmp_path):
    """A command file ends at the line; a configuration that is saved does not wait."""
    path, saved = tmp_path / "script", tmp_path / "saved"
    path.write_text("set link-down port 0\nwait link all up 10ms\nset burst 9\n", encoding="ascii")
    with Session(binary, RINGS) as session:
        assert f"{path}:2: port 0: link down after 0.01 s\n" in said(session, f"load {path}")
        assert "burst=9" not in session.cmd("show config rxtx")
        session.ok("wait link 1 up", f"save config {saved}")
        lines = saved.read_text("utf-8").splitlines()
        assert "set link-down port 0" in lines and "wait link 1 up" not in lines


def test_key(binary):
    """^C ends the command, not the program."""
    with Session(binary, RINGS, pty=True) as terminal:
        terminal.send("wait link 0 down 1000s\n")
        terminal.expect("1000s")
        terminal.send(CTRL_C)
        terminal.expect(PROMPT)
        wait_until(lambda: "port 0: link up after " in terminal.stderr(), "the error")
        assert terminal.stderr().endswith(" s: a signal came\n")
        assert terminal.cmd("wait link 0 up") == "Port 0: link up, speed 10 Gbps\n"


@needs_model_nic
@each_device
def test_cable(binary, tmp_path, device):
    """The command returns as soon as the cable is out, or in."""
    with Modelled(binary, f"{device}*2", tmp_path) as session:
        for state in ("down", "up"):
            session.send(f"wait link 0 {state} 39s\n")
            assert session.ask(f"/model_nic/link,0,{state}") == {"port": 0}
            assert f"Port 0: link {state}" in session.expect(PROMPT)
        assert session.cmd("wait link all up 10ms").count("link up, speed ") == 2


@pytest.mark.parametrize("line", ["start", "start for 10ms", "compare burst=8,32 for 10ms runs 1", "measure rate goals ndr:trial=0.1s:sum=0.1s sizes 64 from 1900 to 2000 latency 0"])
def test_run_names_ports_without_link(binary, line):
    """One line for each, and no wait for a link that was set down; with it no line."""
    with Session(binary, RINGS) as session:
        session.ok("set generate flows 1", "set link-down port 0")
        session.cmd("set output json")
        answer = session.json(line)
        assert DOWN.strip() in answer["warnings"] and not any("Waiting" in words for words in answer.get("messages", ()))
        if line == "start":
            session.json_ok("stop")
        session.json_ok("set link-up port 0")
        assert not any("link is down" in words for words in session.json(line).get("warnings", ()))


def test_no_wait_for_a_peer(binary, tmp_path):
    """A port made by software that never had a peer is not waited for."""
    memif = f"net_memif0,role=server,socket={tmp_path}/s,socket-abstract=no"
    with Session(binary, ["net_null0", memif], ["--no-flush-rx"], eal=["--iova-mode=va"]) as session:
        assert said(session, "start").count("Port 1: link is down\n") == 1 and WAITING not in session.stderr()
        session.ok("stop")


@needs_model_nic
def test_start_waits_after_a_restart(binary, tmp_path):
    """A port that had a link when it was stopped has one when packets are counted; a cable that is pulled later is not waited for."""
    with Modelled(binary, "xl710*2", tmp_path) as session:
        session.ok("port stop 0")
        session.ask("/model_nic/link,0,down")
        session.ok("port start 0")
        before = len(session.stderr())
        session.send("start\n")
        wait_until(lambda: f"{WAITING} 0\n" in session.stderr()[before:], "start waiting")
        session.ask("/model_nic/link,0,up")
        session.expect(PROMPT)
        assert "link is down" not in session.stderr()[before:]
        assert "Link status: up" in session.cmd("show port info 0")
        session.ok("stop")
        session.ask("/model_nic/link,0,down")
        session.ok("wait link 0 down")
        again = said(session, "start")
        assert DOWN in again and WAITING not in again
        session.ok("stop")


@needs_model_nic
@pytest.mark.parametrize("line", ["start", "compare burst=8,32 for 10ms runs 1", "measure rate"])
def test_wait_before_a_run_can_be_ended(binary, tmp_path, line):
    """^C ends the wait and the command; the next start does not wait for this link again, nor does any with link_check off."""
    with Modelled(binary, "xl710*2", tmp_path, pty=True) as terminal:
        for check in ("on", "off"):
            terminal.ok("wait link 0 up", "port stop 0")
            terminal.ask("/model_nic/link,0,down")
            terminal.ok("port start 0", f"set link_check {check}")
            before = len(terminal.stderr())
            if check == "on":
                terminal.send(line + "\n")
                wait_until(lambda before=before: WAITING in terminal.stderr()[before:], "the wait")
                terminal.send(CTRL_C)
                terminal.expect(PROMPT)
                assert terminal.stderr().endswith("a signal ended the wait for the link of port 0\n")
                assert "not started" in terminal.cmd("stop") + said(terminal, "stop")
                before = len(terminal.stderr())
            terminal.cmd("start")
            assert DOWN in terminal.stderr()[before:] and WAITING not in terminal.stderr()[before:]
            terminal.ok("stop", "set link_check on")
            terminal.ask("/model_nic/link,0,up")


@needs_model_nic
def test_start_waits_after_link_up(binary, tmp_path):
    """A link that was set up needs its time."""
    with Modelled(binary, "xl710*2", tmp_path) as session:
        session.ok("set link-down port 0")
        session.ask("/model_nic/link,0,down")
        session.ok("set link-up port 0")
        session.send("start\n")
        wait_until(lambda: f"{WAITING} 0\n" in session.stderr(), "start waiting")
        session.ask("/model_nic/link,0,up")
        session.expect(PROMPT)
        session.ok("stop")
        assert "link is down" not in session.stderr()


@needs_model_nic
def test_never_a_link(binary, tmp_path):
    """A card that is started without a cable is waited for once."""
    with Modelled(binary, "xl710*2", tmp_path, ["--disable-device-start"], pty=True) as terminal:
        terminal.ask("/model_nic/link,0,down")
        terminal.ok("port start all")
        terminal.send("start\n")
        wait_until(lambda: f"{WAITING} 0\n" in terminal.stderr(), "the wait for one of both")
        terminal.send(CTRL_C)
        terminal.expect(PROMPT)
        terminal.ok("port stop all", "port start all")
        again = said(terminal, "start")
        assert DOWN in again and WAITING not in again
        terminal.ok("stop")
