# SPDX-License-Identifier: BSD-3-Clause
"""The line editor on a terminal, where editing.transcript cannot say it: widths, times, typing ahead, lines of other threads."""
import re
import socket
import time

import pytest

from conftest import ROOT
from session import PROMPT, Session, plain, wait_until

pytestmark = pytest.mark.zcfwd

CTRL_B, CTRL_U = "\x02", "\x15"


@pytest.fixture
def terminal(binary):
    with Session(binary, pty=True) as session:
        yield session


@pytest.mark.tap
def test_no_person(binary):
    """Programs get EAL's and testpmd's lines, and no others."""
    with Session(binary, ("net_null0", "net_tap0"), merge=True) as session:
        assert "EAL: Detected" in session.banner and session.banner.endswith("Done\n"), session.banner
        assert session.cmd("start").startswith("io packet forwarding - ports=2")
        assert "dropped" not in session.cmd("stop").split("\n")[0]
        assert not re.search(r"(?m)^ +\d+\.\d s: ", session.cmd("start for 1.2s"))


def test_line_per_second(terminal):
    """A line for each second of the run: what was received and sent in it, and dropped."""
    text = terminal.cmd("start for 3500ms")
    rows = [(float(at), *(float(n) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[unit] for n, unit in ((rx, rx_unit), (tx, tx_unit))), int(dropped))
            for at, rx, rx_unit, tx, tx_unit, dropped in
            re.findall(r"(?m)^ +(\d+\.\d) s: received ([\d.]+) ([kMG]?)pps, sent ([\d.]+) ([kMG]?)pps, dropped (\d+)$", text)]
    assert 1 <= len(rows) <= 3 and all(later[0] - row[0] >= 0.1 for row, later in zip(rows, rows[1:])), text
    total = int(re.search(r"all ports\++\n  RX-packets: (\d+)", text)[1])
    # Counters are read one after the other while lcores count: received and sent may differ.
    for what in (1, 2):
        in_rows = sum(row[what] * (row[0] - before) for row, before in zip(rows, [0, *(row[0] for row in rows)]))
        assert 0 < in_rows <= total * 1.1, text
    assert not any(row[3] for row in rows), text


def test_help_fits(binary):
    """No line of help is wider than a terminal of 80 columns, whatever it is about, and no word of a page is lost."""
    with Session(binary, pty=True) as terminal:
        terminal.child.setwinsize(50, 80)
        topics = re.findall(r"(?m)^    help (\w+) +: ", terminal.cmd("help"))
        assert "config" in topics and "all" in topics
        for line in ("help", *(f"help {topic}" for topic in topics if topic != "all"), "help io", "help burst", "help drops", "help pcap"):
            answer = terminal.cmd(line)
            assert max(map(len, answer.splitlines())) <= 80, answer
            assert len(answer) > 200 or " " in line
        settings = terminal.cmd("show settings")
        assert max(map(len, settings.splitlines())) <= 80 and "delay before each transmit retry burst-tx-retry" in " ".join(settings.split())
        for page in ("containers", "testing", "howto/install"):
            shown = terminal.cmd(f"help page {page}")
            assert shown.split() == (ROOT / f"doc/{page}.md").read_text(encoding="utf-8").split(), page
            assert max(map(len, shown.splitlines())) <= 80, page
    with Session(binary) as session:
        assert max(map(len, session.cmd("help drops").splitlines())) > 100  # a program's lines stay whole


def test_typing_ahead_shows_once(terminal):
    """A driver that does not wait for the prompt sees each line once, behind its prompt; also what it types while a command runs."""
    terminal.send("set burst 1\nset burst 2\n")
    terminal.expect("set to 2")
    terminal.send("start for 1300ms\n")
    terminal.expect("pps, dropped")
    terminal.send("set burst 3\n")
    terminal.expect("set to 3")
    text = plain(terminal.transcript())
    assert all(text.count(f"zcfwd> set burst {n}\nNumber of packets per burst set to {n}\n") == text.count(f"set burst {n}") == 1 for n in (1, 2)), text
    assert "\nzcfwd> set burst 3\nNumber of packets per burst set to 3" in text and text.count("set burst 3") == 1, text


def test_watch_redraws(binary):
    """From the upper left corner, once a second unless said otherwise; lines where the terminal knows no more."""
    with Session(binary, pty=True, env={"TERM": "xterm"}) as terminal:
        begin = time.monotonic()
        terminal.send("watch show config cores count 3\n")
        text = terminal.expect(PROMPT)
        assert 2 <= time.monotonic() - begin < 60 and text.count("\x1b[H\x1b[2J") == 3
        assert text.count("every 1 s: show config cores") == 3 and text.count("List of forwarding lcores:  1\n") == 3
    with Session(binary, pty=True) as terminal:
        assert terminal.cmd("watch show config cores every 0.1 count 2") == 2 * "List of forwarding lcores:  1\n"


@pytest.mark.parametrize("typed,left", [("set burst 1", 0), ("", 0), ("set burst 16", 1), ("show config cores #" + " x" * 160, 0)])
def test_log_line_of_another_thread(binary, tmp_path, typed, left):
    """It clears the line that is half typed and prints; then prompt, text and cursor are there again."""
    path = tmp_path / "v"
    with Session(binary, (f"net_vhost0,iface={path}", "net_null0"), pty=True, merge=True) as terminal:
        terminal.send("set burst 7\n")
        terminal.expect(PROMPT)
        terminal.send(typed + CTRL_B * left)
        for _ in typed.split():
            terminal.expect(r"[0-9a-z#]+")
        with socket.socket(socket.AF_UNIX) as guest:
            guest.connect(str(path))
            log = terminal.expect(r"\n(?:zcfwd> )+" + re.escape(typed[:10]))
        assert re.search(r"[\r\n]VHOST_CONFIG: .*new vhost user connection", log), log
        terminal.send(("" if left else "6") + "\n" if "burst" in typed else "\n")
        # More log lines may come, the guest's end among them, and each brings a prompt.
        terminal.expect(r"Number of packets per burst set to 16\r*\n" if "burst" in typed else PROMPT)


def test_log_line_elsewhere(binary, tmp_path):
    """A log that goes to a file has nothing of the line that is edited."""
    path = tmp_path / "v"
    with Session(binary, (f"net_vhost0,iface={path}", "net_null0"), pty=True) as terminal:
        terminal.send("set burst 1")
        terminal.expect("set burst 1")
        before = terminal.stderr()
        with socket.socket(socket.AF_UNIX) as guest:
            guest.connect(str(path))
            wait_until(lambda: "new device, handle is" in terminal.stderr(), "vhost's line")
        assert re.fullmatch(r"(?:VHOST_CONFIG: .*\n)+", terminal.stderr()[len(before):])
        terminal.send("6\n")
        assert terminal.expect(PROMPT).startswith("6\n")


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


@pytest.mark.needs("capture")
def test_usual_words_first(binary):
    """? begins with what people use, whatever topic it is of; each word is listed once."""
    with Session(binary, pty=True) as terminal:
        terminal.child.setwinsize(300, 80)
        terminal.send("\n?")
        terminal.expect("zcfwd> ")
        lines = [line.rstrip() for line in terminal.expect("zcfwd> ").splitlines() if line.strip()]
        terminal.send(CTRL_U)
        assert lines[0] == "most used:" and lines[1].startswith("  capture ")
        words = [line.split()[0] for line in lines if line.startswith("  ")]
        assert {"set", "show", "start", "stop", "top", "help", "quit"} < set(words[:15]) and len(words) == len(set(words))
