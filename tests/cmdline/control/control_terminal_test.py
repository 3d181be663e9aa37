# SPDX-License-Identifier: BSD-3-Clause
"""The terminal of a program beside its clients: the pictures and answers that somebody looks at there hold back no one."""
import fcntl
import struct
import termios
import time

import pytest

from control_client import Client, program
from session import wait_until

pytestmark = pytest.mark.zcfwd


@pytest.mark.parametrize("line, key", [("top", "q"), ("watch show port summary 1 every 100ms", "\n")])
def test_shell_looks(binary, home, line, key):
    """The shell's own top and watch of a command that shows something hold back no one; the program's end, too, leaves the screen as it was."""
    with program(binary, home, interactive=True, pty=True) as session, Client(home / "zcfwd/one.sock") as client:
        for end in (key, None):
            session.send(line + "\n")
            session.expect(r"io not started" if line == "top" and end else "net_null1|sorted by")
            assert client.ask("set fwd mac")["ok"] and client.ask("start")["ok"]
            session.expect(r"mac forwards" if line == "top" else "net_null1")
            assert client.ask("stop")["ok"] and client.ask("set fwd io")["ok"]
            if end:
                session.send(end)
                session.expect(r"(?:zcfwd|testpmd)> ")
                assert "net_null1" in session.cmd("show port summary all")
        assert client.ask("quit")["ok"]
        session.finish()


def test_pager(binary, home):
    """A long answer that somebody reads at the shell's terminal holds back no one; it ends with the program."""
    with program(binary, home, interactive=True, pty=True) as session, Client(home / "zcfwd/one.sock") as client:
        for end in ("q", None):
            # A person's line: its last key comes alone.
            session.send("help show")
            session.expect("help show")
            time.sleep(0.1)
            session.send("\r")
            session.expect("space page")
            assert client.ask("set fwd mac")["ok"] and client.ask("start")["ok"] and client.ask("stop")["ok"]
            if end:
                session.send(end)
                session.expect(r"(?:zcfwd|testpmd)> ")
                assert "mac" in session.cmd("show config fwd")
        assert client.ask("quit")["ok"]
        session.finish()


def unread(session):
    """Bytes that wait in the terminal, without those that the kernel has not passed on yet."""
    return struct.unpack("i", fcntl.ioctl(session.child.child_fd, termios.FIONREAD, bytes(4)))[0]


def answered_for(client, turns):
    for _ in range(turns):
        assert client.ask("show port summary all")["ok"]
        time.sleep(0.1)


@pytest.mark.parametrize("line", ["top every 100ms", "watch show port info all every 50ms"])
def test_terminal_takes_no_more(binary, home, line):
    """A terminal that is not read takes a part of a picture. Clients are answered all the same, and the rest comes when it is read again."""
    with program(binary, home, interactive=True, pty=True) as session, Client(home / "zcfwd/one.sock") as client:
        assert client.ask("start")["ok"]
        session.send(line + "\n")
        wait_until(lambda: unread(session) > 4000, "a full terminal")
        answered_for(client, 20)
        assert client.ask("stop")["ok"]
        session.send("q\n")
        session.expect(r"(?:zcfwd|testpmd)> $")
        assert "net_null1" in session.cmd("show port summary all")
        # One that was stopped, at the program's end.
        session.send(line + "\n")
        session.expect("net_null1|sorted by")
        session.send("\x13")
        answered_for(client, 20)
        session.send("\x11")
        assert client.ask("quit")["ok"]
        session.finish()
