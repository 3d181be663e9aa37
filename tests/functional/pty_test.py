# SPDX-License-Identifier: BSD-3-Clause
"""The line editor on a terminal: prompt, completion, help, history, keys."""
import re

import pytest

from session import PROMPT, Session

pytestmark = pytest.mark.zcfwd

TAB, CTRL_C, CTRL_D, CTRL_R, CTRL_U, UP = "\t", "\x03", "\x04", "\x12", "\x15", "\x1b[A"


@pytest.fixture
def terminal(binary):
    with Session(binary, pty=True) as session:
        yield session


def test_prompt_and_echo(terminal):
    """An empty line gives the prompt again; a command is echoed once, then answered."""
    for _ in range(3):
        terminal.send("\n")
        assert terminal.expect(PROMPT).strip() == ""
    terminal.send("show config cores\n")
    assert terminal.expect(PROMPT) == "show config cores\nList of forwarding lcores:  1\n"


@pytest.mark.parametrize("typed,answer", [
    ("show conf" + TAB + "core" + TAB, "List of forwarding lcores:  1\n"),
    ("sh" + TAB + "por" + TAB + "su" + TAB + "al" + TAB, "Number of available ports: 2\n"),
    ("set fwd macs" + TAB, "Set macswap packet forwarding mode\n"),
    ("set fwd rxo" + TAB, "Set rxonly packet forwarding mode\n"),
])
def test_tab_completes(terminal, typed, answer):
    terminal.send(typed + "\n")
    assert answer in terminal.expect(PROMPT)


def test_tab_lists(terminal):
    terminal.send("set fwd mac" + TAB + TAB)
    terminal.expect("macswap")
    terminal.send("\n")
    terminal.expect(PROMPT)
    terminal.send("show port " + TAB + TAB)
    text = terminal.expect("xstats")
    assert "info" in text and "stats" in text
    terminal.send(CTRL_U + "\n")
    terminal.expect(PROMPT)


def test_question_mark_helps(terminal):
    """Help for the next word, then the line is there again to go on with."""
    terminal.send("set burst ?")
    text = terminal.expect(r"zcfwd> set burst $")
    assert "<n>" in text and "number" in text
    terminal.send("16\n")
    assert "Number of packets per burst set to 16\n" in terminal.expect(PROMPT)
    terminal.send("set fwd ?")
    text = terminal.expect(r"zcfwd> set fwd $")
    assert all(name in text for name in ("io", "macswap", "csum", "5tswap"))
    terminal.send("io\n")
    assert "Set io packet forwarding mode\n" in terminal.expect(PROMPT)


def test_history(terminal):
    terminal.cmd("set burst 16")
    terminal.cmd("set burst 17")
    terminal.send(UP + UP + "\n")
    assert "set to 16\n" in terminal.expect(PROMPT)
    terminal.send(CTRL_R + "burst 17")
    terminal.send("\n")
    assert "set to 17\n" in terminal.expect(PROMPT)


def test_history_is_kept(binary, tmp_path):
    env = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    with Session(binary, pty=True, env=env) as session:
        session.cmd("set burst 23")
        assert session.quit()[1] == 0
    with Session(binary, pty=True, env=env) as session:
        session.send(UP)
        session.expect("quit")
        session.send(UP + "\n")
        assert "set to 23\n" in session.expect(PROMPT)
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(kept) == 1 and "set burst 23" in kept[0].read_text(encoding="utf-8").replace("\\040", " ")


def test_no_history_file_from_a_pipe(binary, tmp_path):
    env = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    with Session(binary, env=env) as session:
        session.cmd("set burst 23")
        session.quit()
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_interrupt_key(terminal):
    """^C is SIGINT: forwarding stops with its summary and the program ends."""
    terminal.ok("start")
    terminal.send("half a li" + CTRL_C)
    text, rc = terminal.finish()
    assert rc == 0 and "Accumulated forward statistics" in text and text.rstrip().endswith("Bye...")


def test_end_of_file_key(terminal):
    """^D on an empty line quits."""
    terminal.send(CTRL_D)
    text, rc = terminal.finish()
    assert rc == 0 and text.rstrip().endswith("Bye...")


def test_long_line_wraps(terminal):
    """A line longer than the terminal is one command."""
    line = "show config cores #" + " x" * 200
    terminal.send(line + "\n")
    assert terminal.expect(PROMPT).endswith("List of forwarding lcores:  1\n")


def test_help(terminal):
    text = terminal.cmd("help")
    topics = ["control", "display", "config", "ports"]
    assert all(topic in text for topic in topics)
    for topic in topics:
        assert len(terminal.cmd(f"help {topic}")) > 200, topic
    assert "show port" in terminal.cmd("help display")


def test_short_lines_have_no_escapes(binary):
    """Line readers (expect, paramiko) see text: no escape sequence while no key of the editor is used."""
    for term in ("vt100", "xterm", "linux", "dumb"):
        with Session(binary, pty=True, env={"TERM": term}) as session:
            session.cmd("show config cores")
            session.quit()
            found = re.findall(r"\x1b.{0,6}", session.transcript())
            assert not found, (term, found)


@pytest.mark.parametrize("columns,charset,full", [(140, "C.UTF-8", "█" * 34), (100, "C", "#" * 14), (80, "C.UTF-8", ""), (250, "C.UTF-8", "█" * 39)])
def test_bursts_are_drawn(binary, columns, charset, full):
    """Bars as long as the terminal has room; none on a narrow one."""
    with Session(binary, pty=True, env={"LC_ALL": charset}) as terminal:
        terminal.child.setwinsize(50, columns)
        terminal.ok("set record-burst-stats on", "start", "stop")
        rows = [line for line in terminal.cmd("show fwd bursts").splitlines() if re.match(r" +32 ", line)]
        assert len(rows) == 2
        for row in rows:
            assert len(row) <= columns and (row.endswith(f"% {full} {full}") if full else row.endswith("%"))
