# SPDX-License-Identifier: BSD-3-Clause
"""The shell of a program that runs already, programs in the background, and what a long command tells while it runs."""
import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time

import pexpect
import pytest

from limits import limit, until
from session import Session, eal_args, one_prefix, plain, wait_until

pytestmark = pytest.mark.zcfwd
PROMPT, CTRL_C, CTRL_D, CTRL_U = "zcfwd> ", "\x03", "\x04", "\x15"
ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"  # the alternate screen


def environment(home, **more):
    return {**os.environ, "XDG_RUNTIME_DIR": str(home), "XDG_STATE_HOME": str(home), "TERM": "xterm", **more}


def ask(binary, home, *words, status=0):
    """What `zcfwd exec` prints."""
    done = subprocess.run([str(binary), "exec", *words], env=environment(home), capture_output=True, text=True, check=False, timeout=limit(60))
    assert done.returncode == status, done
    return done.stdout


@pytest.fixture
def lab(binary, home):
    """A program with a control socket and no shell."""
    with Session(binary, args=["--control", "lab"], env={"XDG_RUNTIME_DIR": str(home)}, interactive=False) as session:
        wait_until(lambda: (home / "zcfwd/lab.sock").exists(), "the socket", 90)
        yield session
        if session.rc is None:
            ask(binary, home, "quit")
            session.finish()


class Attached:
    """`zcfwd attach` on a terminal."""

    def __init__(self, binary, home):
        self.child = pexpect.spawn(str(binary), ["attach", "lab"], env=environment(home), encoding="utf-8", dimensions=(24, 132), timeout=limit(30))
        self.child.delaybeforesend = None
        self.expect(PROMPT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.close(force=True)

    def expect(self, what):
        """What came before it."""
        self.child.expect_exact(what)
        return plain(self.child.before)

    def cmd(self, line):
        self.child.send(line + "\n")
        self.expect("\n")
        return self.expect(PROMPT)

    def keys(self, keys):
        """One after the other, as a person types, who needs more than 10 ms for each."""
        for key in keys:
            time.sleep(0.03)
            self.child.send(key)
            self.child.expect(re.escape(key) if key != "\r" else r"\n")

    def ended(self):
        self.child.expect(pexpect.EOF)
        self.child.close()
        return self.child.exitstatus


@pytest.fixture
def attached(binary, home, lab):
    with Attached(binary, home) as terminal:
        yield terminal


def test_shell(binary, home, attached):
    """Lines, errors, completion of words and of what the program has, help, filters, history."""
    assert "net_null1" in attached.cmd("show port summary all")
    assert 'did you mean "show"' in attached.cmd("shw")
    attached.child.send("show por\t")
    attached.expect("t ")
    attached.child.send("summary all | incl\t")
    attached.expect("ude ")
    attached.child.send("null1\n")
    attached.expect("\n")
    assert re.search(r"net_null1", text := attached.expect(PROMPT)) and "net_null0" not in text
    attached.child.send("set fwd mac\t\t")
    attached.expect("macswap")
    attached.child.send(CTRL_U + "set fwd nothing ?")
    attached.expect('unknown engine "nothing"')
    attached.expect(PROMPT + "set fwd nothing ")
    attached.child.send(CTRL_U)
    assert "show port summary all" in attached.cmd("history").split("\n")[0]
    assert "set fwd mac" not in attached.cmd("history")
    assert (home / "zcfwd/history").read_text(encoding="utf-8").startswith("show port summary all\n")


def test_log(binary, home, attached):
    """What the program logs appears above the line that is edited, which is drawn again; behind a screen it waits for its end."""
    ask(binary, home, "set log pmd.net.null info")
    attached.child.send("show po")
    attached.expect("show po")
    ask(binary, home, "port attach net_null7")
    attached.expect("Initializing pmd_null for net_null7")
    attached.expect(PROMPT + "show po")
    attached.child.send("rt summary 1\n")
    assert "net_null1" in attached.expect(PROMPT)
    attached.child.send("top\n")
    attached.expect(ENTER)
    attached.expect("not started")
    ask(binary, home, "port attach net_null8")
    attached.child.send("q")
    assert "Initializing" not in attached.expect(LEAVE)
    attached.expect("Initializing pmd_null for net_null8")
    attached.expect(PROMPT)


def test_log_unread(binary, home, lab):
    """The log is sent to those who asked for it, from then on, with the id of their request."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(limit(30))
        client.connect(str(home / "zcfwd/lab.sock"))
        lines = client.makefile("rw", encoding="utf-8")
        for number, line in (("log", '"do": "log"'), ("level", '"line": "set log pmd.net.null info"'), ("attach", '"line": "port attach net_null7"')):
            lines.write(f'{{"id": "{number}", {line}}}\n')
        lines.flush()
        seen = []
        while not ({"id": "attach", "done": True, "ok": True} in seen and any("net_null7" in one.get("log", "") for one in seen)):
            seen.append(json.loads(lines.readline()))
        assert seen[0] == {"id": "log", "done": True, "ok": True}
        logged = [one for one in seen if "log" in one]
        assert all(one["id"] == "log" for one in logged) and "net_null7" in "".join(one["log"] for one in logged)
    assert "Initializing pmd_null for net_null7" in lab.stderr(), "the program's own log has it, too"


def test_screen(attached):
    """top draws for this terminal and takes its keys; a key ends watch; what is typed ahead of a prompt is kept for it."""
    attached.cmd("start")
    attached.child.send("top\n")
    attached.expect(ENTER)
    attached.expect("sorted by rx>")
    attached.expect("empty% lcore")
    attached.child.send("\t")
    attached.expect("ports,")
    attached.child.setwinsize(30, 80)
    attached.child.send("1")
    attached.expect(" >\x1b[0m")
    attached.child.send("q")
    attached.expect(LEAVE)
    attached.expect(PROMPT)
    attached.child.send("watch show port stats 0 every 1h\n")
    attached.expect("every 3600 s: show port stats 0")
    attached.expect("RX-packets")
    attached.child.send("\n")
    attached.expect(PROMPT)
    attached.cmd("stop")
    attached.child.send("start for 1500ms\nshow port summary 1\n")
    attached.expect("received")
    attached.expect(PROMPT)
    attached.expect("net_null1")


def test_looks_beside(binary, home, attached):
    """top and watch of two people go on while others start, stop and wait, and follow the runs; ^C, a key and the end of the terminal end them alone."""
    attached.child.send("top\n")
    attached.expect(ENTER)
    attached.expect("io not started")
    with Attached(binary, home) as other:
        other.child.send("watch show port summary 1 every 100ms\n")
        other.expect("net_null1")
        ask(binary, home, "start")
        attached.child.send("1")
        attached.expect("io forwards")
        attached.expect("0/0>1/0")
        ask(binary, home, "stop")
        attached.expect("io is stopped")
        with Attached(binary, home) as runs:
            runs.child.send("start for 1h\n")
            wait_until(lambda: '"running": true' in ask(binary, home, "--json", "show fwd stats all"), "the run")
            attached.expect("io forwards")
            other.expect("net_null1")
            other.child.send(CTRL_C)
            other.expect(PROMPT)
            other.child.send("top\n")
            other.expect("io forwards")
            assert "EBUSY" in ask(binary, home, "--json", "set fwd mac", status=1)
            runs.child.send(CTRL_C)
            runs.expect(PROMPT)
        ask(binary, home, "set fwd mac")
        ask(binary, home, "start")
        other.expect("mac forwards")
    attached.expect("mac forwards")
    attached.child.send("q")
    attached.expect(LEAVE)
    attached.expect(PROMPT)
    assert "mac" in attached.cmd("show config fwd")
    attached.child.send("watch show port summary 1 every 10ms count 3\n")
    attached.expect(PROMPT)
    ask(binary, home, "stop")


def test_looks_in_script(home, attached):
    """A script's top is one of its commands: the next one waits for its end."""
    (home / "looks").write_text("top\nshow port summary 1\n", encoding="utf-8")
    attached.child.send(f"load {home}/looks\n")
    attached.expect(ENTER)
    attached.expect("not started")
    attached.child.send("q")
    assert "net_null1" not in attached.expect(LEAVE)
    attached.expect("net_null1")
    attached.expect(PROMPT)


def test_looks_and_quit(binary, home, lab, attached):
    """The program ends while somebody looks: their screen is put back."""
    attached.child.send("top\n")
    attached.expect(ENTER)
    ask(binary, home, "quit")
    attached.expect(LEAVE)
    attached.child.expect("the program (has )?ended")
    lab.finish()


def test_pages(attached):
    """A long answer to a typed command stops after a screen, and is shown whole where the program's setting says so."""
    attached.keys("help all\r")
    attached.expect("space page")
    attached.child.send("q")
    attached.expect(PROMPT)
    attached.cmd("set pager off")
    attached.keys("help all\r")
    assert "space page" not in attached.expect(PROMPT)


def test_cancel(binary, home, attached):
    """^C ends the command alone; ^D and quit leave the program; so does a terminal that is closed, whose command ends."""
    attached.child.send("start for 1h\n")
    wait_until(lambda: '"running": true' in ask(binary, home, "--json", "show fwd stats all"), "the run")
    attached.child.send(CTRL_C)
    attached.expect(PROMPT)
    assert '"running": true' not in ask(binary, home, "--json", "show fwd stats all")
    attached.child.send(CTRL_D)
    assert attached.ended() == 0
    with Attached(binary, home) as terminal:
        terminal.child.send("quit\n")
        assert terminal.ended() == 0
    with Attached(binary, home) as terminal:
        terminal.child.send("start for 1h\n")
        wait_until(lambda: '"running": true' in ask(binary, home, "--json", "show fwd stats all"), "the run")
    wait_until(lambda: '"running": true' not in ask(binary, home, "--json", "show fwd stats all"), "the end of the run")


@pytest.mark.parametrize("busy", [False, True])
def test_program_ends(lab, attached, busy):
    """The program's end is told at once, also while nothing is asked."""
    if busy:
        attached.child.send("start for 1h\n")
        attached.expect("start for 1h")
    lab.signal(signal.SIGTERM)
    attached.child.expect("the program (has )?ended")
    assert attached.ended() == 1
    lab.finish()


@pytest.mark.parametrize("text, message", [
    ("show port summary 0\nquit\nshow port summary 1\n", ""),
    ("shw\nshow port summary 0\n", "did you mean"),
    ("x" * 10000 + "\nshow port summary 0\n", "the line is longer than 4095 bytes\n"),
    ("show\0version\nshow port summary 0\n", "column 5: the line has a NUL byte\n"),
], ids=["quit", "unknown", "long", "NUL"])
def test_piped(binary, home, lab, text, message):
    """Lines from a pipe, without prompts; it goes on behind one that fails, and says so at the end."""
    assert lab.rc is None
    done = subprocess.run([str(binary), "attach"], input=text, env=environment(home), capture_output=True, text=True, check=False, timeout=limit(60))
    assert done.returncode == bool(message) and PROMPT not in done.stdout
    assert "net_null0" in done.stdout and "net_null1" not in done.stdout and message in done.stderr and bool(done.stderr) == bool(message)


def test_long_line(attached):
    """One that was pasted does not end the shell."""
    attached.child.send("x" * 5000 + "\r")
    attached.expect("the line is longer than 4095 bytes")
    attached.expect(PROMPT)
    attached.child.send("show port summary 0\r")
    attached.expect("net_null0")


@pytest.mark.parametrize("words, message", [(["--all"], "attach: expected [NAME]"), (["lab", "lab"], "attach: expected [NAME]"), (["gone"], "gone.sock: No such file")])
def test_attach_refused(binary, home, words, message):
    done = subprocess.run([str(binary), "attach", *words], env=environment(home), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=limit(60))
    assert done.returncode == 1 and message in done.stderr


def test_events(binary, home, lab):
    """A line per second while a command runs, then its answer; only for those who ask for them."""
    assert lab.rc is None
    lines = [json.loads(line) for line in ask(binary, home, "--events", "start for 2500ms").splitlines()]
    *events, answer = lines
    assert answer["command"] == "start for 2500ms" and answer["ok"] and "name" not in answer
    assert 1 <= len(events) <= 2 and all(one["name"] == "progress" and one["rx_pps"] > 0 for one in events)
    assert [one["seconds"] for one in events] == sorted(one["seconds"] for one in events)
    assert len(ask(binary, home, "--json", "start for 1200ms").splitlines()) == 1
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(home / "zcfwd/lab.sock"))
        lines = client.makefile("rw", encoding="utf-8")
        lines.write('{"id": "a", "events": true, "line": "start for 1200ms"}\n{"id": 2, "events": 3, "line": "show port summary all"}\n')
        lines.flush()
        first = json.loads(lines.readline())
        assert first["id"] == "a" and first["event"]["name"] == "progress"
        assert json.loads(lines.readline())["answer"]["ok"]
        assert json.loads(lines.readline())["done"]
        assert "expected true or false" in json.loads(lines.readline())["answer"]["error"]["message"]


def test_offer(home, lab):
    """The words that may follow, as other editors can ask for them; and a terminal that is none."""
    assert lab.rc is None
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(home / "zcfwd/lab.sock"))
        lines = client.makefile("rw", encoding="utf-8")

        def answer(request):
            lines.write(json.dumps({"id": 1, **request}) + "\n")
            lines.flush()
            one = json.loads(lines.readline())
            assert json.loads(lines.readline())["done"]
            return one

        offer = answer({"do": "offer", "line": "show port sum"})["offer"]
        assert (offer["prefix"], offer["column"], offer["complete"], offer["filter"]) == ("sum", 11, False, False)
        assert [(one["word"], one["final"], one["hint"]) for one in offer["words"]] == [("summary", True, False)]
        offer = answer({"do": "offer", "line": "show port summary all | c"})["offer"]
        assert offer["filter"] and offer["column"] == 25 and [one["word"] for one in offer["words"]] == ["count"]
        assert 'unknown command "shw"' in answer({"do": "offer", "line": "shw por"})["offer"]["why"]
        assert answer({"do": "prompt"})["prompt"] == {"text": PROMPT, "pager": True}
        for terminal in ("80", "0x24", "80x24x", "80 x"):
            assert "expected COLUMNSxROWS" in answer({"line": "show port summary all", "terminal": terminal})["answer"]["error"]["message"]


def daemon(binary, home, *options, vdev="net_null0", **more):
    argv = [str(binary), *one_prefix(eal_args()), f"--vdev={vdev}", "--", "--no-mlockall", "--daemon", *options]
    return subprocess.run(argv, env=environment(home, **more), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=limit(120))


def gone(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
        return False
    return True


def test_daemon(binary, home):
    """It is ready when the command returns, has no terminal, logs beside its socket, tells a service manager, and ends cleanly by a signal."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(home / "notify"))
        manager.settimeout(limit(30))
        done = daemon(binary, home, "--control", "lab", "--auto-start", "--total-num-mbufs=4096", NOTIFY_SOCKET=str(home / "notify"))
        found = re.fullmatch(r"zcfwd: process (\d+), log (\S+)\n", done.stdout)
        assert done.returncode == 0 and found, done
        pid, log = int(found[1]), pathlib.Path(found[2])
        try:
            assert manager.recv(64) == b"READY=1"
            assert '"running": true' in ask(binary, home, "--json", "show fwd stats all")
            assert os.getsid(pid) == pid and os.readlink(f"/proc/{pid}/fd/0") == "/dev/null" and os.readlink(f"/proc/{pid}/fd/2") == str(log)
            assert log == home / "zcfwd/lab.log" and log.stat().st_mode & 0o777 == 0o600
            second = daemon(binary, home, "--control", "lab", "--total-num-mbufs=4096")
            assert second.returncode == 1 and "another program listens" in second.stderr and not second.stdout
            assert "Start automatic packet forwarding" not in second.stderr, "the log of the first is not its own"
        finally:
            os.kill(pid, signal.SIGTERM)
            until(lambda: gone(pid), "the end of the program", 60)
        assert manager.recv(64) == b"STOPPING=1"
        assert "Bye..." in log.read_text(encoding="utf-8") and not (home / "zcfwd/lab.sock").exists()


@pytest.mark.parametrize("options, vdev, message", [
    ([], "net_null0", "--daemon: expected --control too"),
    (["--control", "lab", "-i"], "net_null0", "--daemon has no terminal: not with -i"),
    (["--control", "a/b"], "net_null0", 'control "a/b": expected unix:PATH, or a name'),
    (["--control", "lab"], "net_nothing0", 'failed to parse device "net_nothing0"'),
    (["--control", "lab", "--burst=70000"], "net_null0", "burst"),
])
def test_daemon_refused(binary, home, options, vdev, message):
    """What is wrong is said by the command that was to start it."""
    done = daemon(binary, home, *options, vdev=vdev)
    assert done.returncode == 1 and message in done.stderr and not done.stdout
    assert not list(home.glob("zcfwd/*.sock"))


def test_unit(binary):
    """The unit for systemd is one that it understands."""
    unit = next(pathlib.Path(binary).parent.glob("**/zcfwd@.service"))
    text = unit.read_text(encoding="utf-8")
    assert "Type=notify" in text and "--control unix:/run/zcfwd/%i.sock" in text
    words = re.search(r"(?m)^ExecStart=(\S+)/zcfwd (.*)$", text)
    assert words and words[1].startswith("/")
