# SPDX-License-Identifier: BSD-3-Clause
"""The line editor on a terminal: prompt, completion, help, history, keys."""
import re
import socket
import time

import pytest

from session import PROMPT, Session, wait_until

pytestmark = pytest.mark.zcfwd

TAB, CTRL_B, CTRL_C, CTRL_D, CTRL_R, CTRL_U, UP = "\t", "\x02", "\x03", "\x04", "\x12", "\x15", "\x1b[A"


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


@pytest.mark.parametrize("typed,changed,help_line,helped", [
    pytest.param("set generate fl" + TAB + "4 pro" + TAB + "tc" + TAB, "generate  flows 4 proto tcp", "set generate src 10.0.0.0/24 ", ("random", "count", "size", "<return>"),
                 marks=pytest.mark.needs("measure")),
    pytest.param("set generate size ", None, "set generate size ", ("N:WEIGHT",), marks=pytest.mark.needs("measure")),
    pytest.param("set replay {0}/al" + TAB + "tr" + TAB + "po" + TAB + "0 no" + TAB, "replay  {0}/alone.pcap truncated port 0 none", "set replay a ", ("truncated", "skip", "port", "<return>"),
                 marks=pytest.mark.needs("replay")),
    pytest.param("set replay-rewrite ma" + TAB + "sr" + TAB + "10.0.0.0/8", "replay-rewrite  mac src 10.0.0.0/8", "set replay-rewrite dst ", ("a prefix such as",), marks=pytest.mark.needs("replay")),
    pytest.param("measure rate goals ndr:tr" + TAB + "soon", None, "measure rate goals ndr,pdr:", ("ndr,pdr:sum=", "ndr,pdr:loss="), marks=pytest.mark.needs("rate")),
])
def test_words_of_settings(terminal, tmp_path, typed, changed, help_line, helped):
    """TAB completes within the text of a setting or an argument, and ? lists what may follow."""
    (tmp_path / "alone.pcap").write_bytes(b"")
    terminal.send(help_line + "?")
    text = terminal.expect(re.escape(f"zcfwd> {help_line}") + "$")
    assert all(word in text for word in helped), text
    terminal.send(CTRL_U + typed.format(tmp_path) + "\n")
    text = terminal.expect(PROMPT)
    if changed is not None:
        settings = re.sub(" +", "  ", terminal.cmd("show settings changed"))
        assert re.sub(" +", "  ", changed.format(tmp_path)) in settings, (text, settings)


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


@pytest.mark.parametrize("line, complete", [
    *(pytest.param(*case, marks=pytest.mark.needs("flow")) for case in (
        ("flow create 0 ingress pattern ", False), ("flow create 0 ingress pattern eth / end actions ", False),
        ("flow create 0 ingress pattern eth / end actions drop / end ", True), ("add port meter policy 0 1 g_actions ", False))),
    *(pytest.param(*case, marks=pytest.mark.needs("compare")) for case in (("compare burst=8 ", True), ("compare ", False))),
    ("record start /tmp/", False), ("record start /tmp/x ", True),
])
def test_return_is_offered_where_the_line_may_end(terminal, line, complete):
    terminal.send(line + "?")
    text = terminal.expect(re.escape(f"zcfwd> {line}") + "$")
    assert ("<return>" in text) == complete, text
    terminal.send(CTRL_U + "\n")
    terminal.expect(PROMPT)


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
    """^C clears the line, as under testpmd; what forwards goes on, and what was typed is gone."""
    terminal.ok("start")
    for typed in ("half a li", ""):
        terminal.send(typed + CTRL_C)
        assert terminal.expect(PROMPT) in ("\n", typed + "\n")  # the terminal drops what was not read yet
    terminal.send(CTRL_R + "sta" + CTRL_C)
    terminal.expect(PROMPT)
    assert terminal.cmd("stop").endswith("Done.\n")
    assert terminal.quit()[1] == 0


def test_interrupt_key_ends_commands(terminal, tmp_path):
    """A running command, not the program; a script says where."""
    path = tmp_path / "script"
    path.write_text("set burst 8\nstart for 1000s\nset burst 9\n", encoding="ascii")
    for line, sign in (("start for 1000s", "pps, dropped"), ("start for 999999999999 packets", "pps, dropped"),
                       ("watch show config cores every 1000", "lcores:"), ("top every 0.1s", "0/0>1/0"), (f"load {path}", "pps, dropped")):
        terminal.send(line + "\n")
        terminal.expect(sign)
        terminal.send(CTRL_C)
        text = terminal.expect(PROMPT)
        assert ("Done." in text) == ("pps" in sign), text
    assert terminal.stderr().endswith(f"\n{path}:2: interrupted\n")
    assert "packets/burst=8\n" in terminal.cmd("show config rxtx")
    assert terminal.quit()[1] == 0


def test_line_that_ends_a_command(terminal):
    """What is typed to end watch or top is no command."""
    terminal.cmd("start for 1ms")
    for line, sign in (("watch show config cores every 1000", "lcores:"), ("top every 0.1s", "0/0>1/0")):
        terminal.send(line + "\n")
        terminal.expect(sign)
        terminal.send("set burst 9\n")
        terminal.expect(PROMPT)
        assert "packets/burst=32\n" in terminal.cmd("show config rxtx")
    assert terminal.quit()[1] == 0


def test_interrupt_key_in_a_command_file(binary, tmp_path):
    path = tmp_path / "script"
    path.write_text("start for 1000s\n", encoding="ascii")
    with Session(binary, pty=True, args=[f"--cmdline-file={path}"], interactive=False) as session:
        session.expect("pps, dropped")
        session.send(CTRL_C)
        session.finish(ends=1)
        assert session.stderr().endswith(f"{path}:1: interrupted\n")


@pytest.mark.parametrize("eal,detected", [((), False), (["--log-level=pmd.net.null:error"], False), (["--log-level", "pmd.net.null:error"], False),
                                          (["--log-level=lib.eal:info"], True), (["--log-level=info"], True)])
def test_first_screen(binary, eal, detected):
    """Above the first prompt: what there is and what to type next. What EAL detected is not there, unless asked for."""
    with Session(binary, pty=True, merge=True, eal=eal) as terminal:
        assert terminal.banner.endswith("Done\n2 ports (net_null), engine io. Try: start, top, stop, help.\n"), terminal.banner
        assert ("EAL: Detected" in terminal.banner) == detected


def test_first_screen_without_ports(binary):
    with Session(binary, (), pty=True) as terminal:
        assert terminal.banner.endswith("No ports: \"help cards\" explains how to bind a NIC; --vdev=net_null0 is a port without one.\n"), terminal.banner
        assert "# Set up network cards" in terminal.cmd("help cards | no-more")


@pytest.mark.tap
def test_no_person(binary):
    """Programs get EAL's and testpmd's lines, and no others."""
    with Session(binary, ("net_null0", "net_tap0"), merge=True) as session:
        assert "EAL: Detected" in session.banner and session.banner.endswith("Done\n"), session.banner
        assert session.cmd("start").startswith("io packet forwarding - ports=2")
        assert "dropped" not in session.cmd("stop").split("\n")[0]
        assert not re.search(r"(?m)^ +\d+\.\d s: ", session.cmd("start for 1.2s"))


def test_start_on_a_terminal(terminal):
    """The streams come after what is known of queues, so that a screen of 24 lines shows them; the lines are testpmd's."""
    text = terminal.cmd("start")
    last = text.splitlines()[-24:]
    assert any(line.startswith("io packet forwarding - ports=2") for line in last) and sum(line.startswith("  RX P=") for line in last) == 2, text
    assert text.index("nb forwarding cores=1") < text.index("io packet forwarding - ports=2")
    terminal.ok("stop", "set output json")
    assert "config" in terminal.json("start") and len(terminal.json("stop")["streams"]) == 2


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


@pytest.mark.needs("measure")
def test_help_fits(binary):
    """No line of help is wider than a terminal of 80 columns, whatever it is about."""
    with Session(binary, pty=True) as terminal:
        terminal.child.setwinsize(50, 80)
        topics = re.findall(r"(?m)^    help (\w+) +: ", terminal.cmd("help"))
        assert "config" in topics and "all" in topics
        for line in ("help", *(f"help {topic}" for topic in topics if topic != "all"), "help io", "help measure", "help burst", "help drops", "help pcap"):
            wide = [found for found in terminal.cmd(line).splitlines() if len(found) > 80]
            assert not wide, (line, wide)
    with Session(binary) as session:
        assert max(map(len, session.cmd("help drops").splitlines())) > 100  # a program's lines stay whole


def test_history_command(terminal):
    for burst in (16, 17):
        assert f"set to {burst}\n" in terminal.cmd(f"set burst {burst}")
    assert re.search(r"(?m)^ +1  set burst 16\n +2  set burst 17\n +3  history\n", terminal.cmd("history"))
    assert re.fullmatch(r" +3  history\n +4  history 2\n", terminal.cmd("history 2"))


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


def test_settings_wrap(binary):
    """A setting's help is below it on a terminal, and nothing of it is lost."""
    with Session(binary, pty=True) as terminal:
        terminal.child.setwinsize(300, 80)
        text = terminal.cmd("show settings")
        assert not [line for line in text.splitlines() if len(line) > 80]
        assert "delay before each transmit retry burst-tx-retry" in " ".join(text.split())


def test_help_wraps(binary):
    """At the terminal's width, and nothing of it is lost."""
    with Session(binary, pty=True) as terminal:
        terminal.child.setwinsize(50, 60)
        terminal.send("\nset pipeline ?")
        terminal.expect("zcfwd> set pipeline ")  # as typed
        text = terminal.expect("zcfwd> set pipeline ")  # below the help
        assert max(len(line) for line in text.splitlines()) < 60, text
        assert "<mode>" not in text and "by copy" not in text
        words = " ".join(text.split())
        assert "if the ring to a worker is full, wait = leave packets in the Rx queue, drop = receive and drop them" in words, text
        terminal.send(CTRL_U)
