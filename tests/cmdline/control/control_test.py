# SPDX-License-Identifier: BSD-3-Clause
"""Clients of the control socket: what they may ask while others do, and what is left of them when they vanish."""
import contextlib
import json
import os
import pathlib
import resource
import signal
import socket
import subprocess

import pytest

from control_client import Client, accepted, listens, program, running, served
from limits import limit, until
from session import wait_until
from stats import fwd_total

pytestmark = pytest.mark.zcfwd
BYTES, LINE_BYTES, CLIENTS = 65536, 4096, 512


def exec_in(binary, home, *words, status=0, stop=None, folder=None):
    """The finished `zcfwd exec`; stop: a signal after what makes it true; folder: it is run in this one."""
    argv = [str(binary), "exec", *words]
    env = {**os.environ, "XDG_RUNTIME_DIR": str(home)}
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, encoding="utf-8", cwd=folder) as process:
        if stop:
            wait_until(stop, "what it shall be stopped in")
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=limit(40))
    assert process.returncode == status, (out, err)
    return out, err


def test_lines(binary, home):
    """Commands as lines, answered as objects; as text where the client has chosen it, for itself alone."""
    with served(binary, home) as (_, path), Client(path) as one, Client(path) as two:
        assert one.ask("show port stats 0")["ports"][0]["port"] == 0
        refused = one.ask("show prt stats 0")
        assert not refused["ok"] and refused["error"]["column"] == 6 and "prt" in refused["error"]["message"]
        assert one.ask("set output text")["ok"]
        one.send("show port summary all\n")
        assert one.lines.readline() == "Number of available ports: 2\n"
        assert two.ask("show port summary all")["ports"][1]["name"] == "net_null1"
        one.send("\n  \nset burst\n# a comment\n")
        for line in iter(one.lines.readline, ""):
            if "incomplete command" in line:
                break
        else:
            pytest.fail("no error")
        two.send("show port stats 0")
        two.socket.shutdown(socket.SHUT_WR)
        assert two.answer()["ports"][0]["port"] == 0, "the last line may lack its newline"
        assert two.ended()


def test_objects(binary, home):
    """Requests with an id: each line of the answer has it, and the end is told."""
    with served(binary, home) as (_, path), Client(path) as client:
        client.send('{"id": 7, "line": "show port stats 0"}\n{"id": "seven\\u00e9", "format": "text", "do": "run", "line": "shw"}\n')
        answer = client.answer()
        assert answer["id"] == 7 and answer["answer"]["ports"][0]["port"] == 0
        assert client.answer() == {"id": 7, "done": True, "ok": True}
        answers = [client.answer()]
        while not answers[-1].get("done"):
            answers.append(client.answer())
        assert {one["id"] for one in answers} == {"seven\u00e9"} and answers[-1]["ok"] is False
        assert "".join(one.get("text", "") for one in answers) == "Command not found\n"
        assert 'did you mean "show"' in "".join(one.get("failure", "") for one in answers)


@pytest.mark.parametrize("id_", ["x" * 31, '"' * 31, "\x01" * 31, "\u20ac" * 10])
def test_ids(binary, home, id_):
    """A string of 31 bytes comes back whole, however many of them JSON escapes."""
    with served(binary, home) as (_, path), Client(path) as client:
        client.send(json.dumps({"id": id_, "line": "show version"}) + "\n")
        assert [one["id"] for one in (client.answer(), client.answer())] == [id_, id_]
        refused = client.ask(json.dumps({"id": id_ + "x" * 5, "line": "show version"}))
        assert "the string is too long" in refused["answer"]["error"]["message"]


@pytest.mark.parametrize("request_, message", [
    ('{"id": 1, "version": 2, "line": "start"}', "version 2: expected 1"),
    ('{"id": 1, "lines": "start"}', 'member "lines": expected id, do, of, any, line, folder, format, terminal, events or version'),
    ('{"id": 1, "do": "jump"}', 'do "jump": expected "run", "cancel", "keys", "log", "offer" or "prompt"'),
    ('{"id": 1, "folder": "here", "line": "start"}', 'folder "here": expected an absolute path'),
    ('{"id": 1, "format": "xml"}', 'format "xml": expected "json" or "text"'),
    ('{"id": 1, "do": "cancel", "of": [1]}', "line 1, column 33: expected a number"),
    ('{"id": 1, "do": "cancel", "any": 1}', "line 1, column 34: expected true or false"),
    ('{"id": 1, "do": "cancel", "of": 7, "any": true}', 'expected "of", a command of this connection, or "any"'),
    ('{"id": 1, "line": "start", "of": 7}', '"of" and "any" are members of "do": "cancel"'),
    ('{"id": 1, "line": "start"', "line 1, column 26: expected , or }"),
    ('{"id": 1, "line": "a\\x"}', "line 1, column 23: unknown escape in the string"),
    ('{"id": 1, "line": "' + "x" * LINE_BYTES + '"}', "the string is too long"),
    ('{"id": [1]}', "line 1, column 8: expected a number"),
    ('{"id": 1e999}', "line 1, column 8: expected a number"),
    ('{"id": 0x10}', "line 1, column 8: expected a number"),
])
def test_bad_objects(binary, home, request_, message):
    with served(binary, home) as (_, path), Client(path) as client:
        refused = client.ask(request_)
        assert message in refused["answer"]["error"]["message"]
        assert client.answer() == {"id": refused["id"], "done": True, "ok": False}
        assert not running(client), "nothing was run"


@pytest.mark.parametrize("line, message", [
    (b"x" * LINE_BYTES + b"\n", "the line is longer than 4095 bytes"),
    (b"y" * 100000 + b"\n", "the line is longer than 4095 bytes"),
    (b"show\0port\n", "column 5: the line has a NUL byte"),
    (b"\xff\xfe\n", "unknown command"),
])
def test_bad_lines(binary, home, line, message):
    with served(binary, home) as (_, path), Client(path) as client:
        client.send(line)
        assert message in client.answer()["error"]["message"]
        assert client.ask("show port stats 0")["ok"], "it goes on behind the line"


def test_bad_lines_of_text(binary, home):
    """A client that has chosen text reads no objects, and each refusal has its place among the answers."""
    with served(binary, home) as (_, path), Client(path) as client:
        assert client.ask("set output text")["ok"]
        client.send(b"x" * LINE_BYTES + b"\nshow\0port\n" + b"y" * BYTES + b"\nshow version\n")
        lines = [client.lines.readline() for _ in range(4)]
        assert lines[:3] == ["the line is longer than 4095 bytes\n", "column 5: the line has a NUL byte\n", "the line is longer than 4095 bytes\n"]
        assert lines[3].startswith("zcfwd ")


@pytest.mark.parametrize("request_", [
    {"id": 1, "line": "watch show version every 10ms", "format": "text", "terminal": "80x24"},
    {"id": 1, "line": "record start /dev/null every 10", "events": True},
    {"id": 1, "line": "start for 1h", "events": True},
])
def test_long_line_beside_a_command(binary, home, request_):
    """It is refused when that command has ended, as other requests behind it."""
    with served(binary, home) as (_, path), Client(path) as client, Client(path) as other:
        client.send(json.dumps(request_) + "\n" + "x" * BYTES + "\nshow version\n")
        answers = [client.answer() for _ in range(4 if "watch" in request_["line"] else 1)]
        assert all(one["id"] == 1 and not one.get("done") for one in answers)
        wait_until(lambda: other.ask("record stop" if "record" in request_["line"] else "show version")["ok"], "another client's answer")
        if "start for" in request_["line"]:
            other.send('{"do": "cancel", "any": true}\n')
        if "watch" in request_["line"]:
            return
        for answer in iter(client.answer, {"id": 1, "done": True, "ok": True}):
            assert answer["id"] == 1
        assert "longer than 4095 bytes" in client.answer()["error"]["message"]
        assert client.answer()["version"]


def test_cut_line(binary, home):
    """Without its newline a line is run for a client that still reads, not for one that is gone: it may have been cut."""
    with served(binary, home) as (_, path), Client(path) as other:
        for _ in range(20):
            with Client(path) as gone:
                gone.send("start")
        assert not any(running(other) for _ in range(3))
        with Client(path) as waits:
            waits.send("start")
            waits.socket.shutdown(socket.SHUT_WR)
            assert waits.answer()["ok"] and running(other)


def test_endless_line(binary, home):
    """100 MB without a newline: one error, then the end of the connection; others are served."""
    with served(binary, home) as (_, path), Client(path) as client, Client(path) as other:
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            for _ in range(1600):
                client.send(b"z" * BYTES)
        assert other.ask("show port stats 0")["ok"]


def test_beside_a_command(binary, home):
    """While one waits in its command, others see what they ask for, and change nothing."""
    with served(binary, home) as (_, path), Client(path) as runs, Client(path) as other:
        runs.send("start for 1h\n")
        wait_until(lambda: running(other), "the run")
        refused = other.ask("set fwd mac")
        assert refused["error"] == {"message": 'busy: "start for 1h" runs; wait until it ends, or cancel it', "code": "EBUSY"}
        assert other.ask("show fwd stats all")["running"]
        assert other.ask("set output text")["ok"]
        other.send("show port summary all\n")
        assert other.lines.readline() == "Number of available ports: 2\n"
        other.send("set output json\nshow port stats 0\n")
        while not (line := other.lines.readline()).startswith("{"):
            assert line
        assert running(other)
        other.send('{"id": 3, "do": "cancel", "any": true}\n')
        assert other.answer() == {"id": 3, "done": True, "ok": True}
        assert runs.answer()["command"] == "start for 1h"
        assert not running(other) and other.ask("set fwd mac")["ok"]
        # Its own requests wait for its command; one that cancels does not.
        runs.send('{"id": 1, "line": "start for 1h"}\n')
        wait_until(lambda: running(other), "the second run")
        runs.send('{"id": 2, "do": "cancel"}\n')
        assert runs.answer() == {"id": 2, "done": True, "ok": True}
        assert runs.answer()["id"] == 1


@pytest.mark.parametrize("first", [0, 1])
def test_together(binary, home, first):
    """Requests that come at the same moment: one is a long command, and the other is answered meanwhile."""
    with served(binary, home) as (session, path), Client(path) as one, Client(path) as two:
        runs, looks = (one, two) if first else (two, one)
        assert one.ask("show port summary all")["ok"] and two.ask("show port summary all")["ok"]
        session.signal(signal.SIGSTOP)
        looks.send("show port summary all\n" * 3)
        runs.send("start for 1h\n")
        session.signal(signal.SIGCONT)
        assert all(looks.answer()["ok"] for _ in range(3))
        wait_until(lambda: running(looks), "the run")
        looks.send('{"do": "cancel", "any": true}\n')
        assert looks.answer()["done"] and runs.answer()["ok"]


def test_cancel_behind(binary, home):
    """A cancellation that comes with its command, and one between two turns of a command that repeats another one."""
    with served(binary, home) as (_, path), Client(path) as client, Client(path) as other:
        client.send('{"id": 1, "line": "start for 1h"}\n{"id": 2, "do": "cancel"}\n')
        assert {client.answer()["id"] for _ in range(3)} == {1, 2}
        client.send("watch show port summary all every 1h\n")
        assert client.answer()["command"] == "show port summary all"
        assert other.ask('{"do": "cancel", "any": true}')["done"]
        assert client.answer()["command"] == "watch show port summary all every 1h"
        client.send("watch start for 1h every 1h\n")
        wait_until(lambda: running(other), "the run")
        assert other.ask('{"do": "cancel", "any": true}')["done"]
        assert client.answer()["command"] == "start for 1h"
        assert client.answer()["command"] == "watch start for 1h every 1h"


def test_cancel_late(binary, home):
    """
    A cancellation that comes when its command has ended ends none that runs next, whoever gave that. Answers prove it without a wait: a
    command that was cancelled ends before the next request of a client is served.
    """
    late = ('{"id": 2, "do": "cancel", "of": 1}', '{"id": 3, "do": "cancel"}', '{"id": 4, "do": "cancel", "of": "one"}')
    with served(binary, home) as (_, path), Client(path) as client, Client(path) as other:
        assert client.ask('{"id": 1, "line": "show port summary all"}')["answer"]["ok"] and client.answer()["done"]
        other.send('{"id": 1, "line": "start for 1h"}\n')
        wait_until(lambda: running(client), "the run of the other one")
        for request in late:
            assert client.ask(request)["ok"]
            assert running(client), request
        assert other.ask('{"id": 2, "do": "cancel", "of": 1}') == {"id": 2, "done": True, "ok": True}
        assert other.answer()["answer"]["command"] == "start for 1h" and other.answer()["done"]
        # A run of its own, behind a command of its own.
        client.send('{"id": "one", "line": "show port summary all"}\n{"id": 5, "line": "start for 1h"}\n' + late[0] + "\n" + late[2] + "\n")
        assert [client.answer()["id"] for _ in range(4)] == ["one", "one", 2, 4]
        assert running(other)
        assert client.ask('{"id": 6, "do": "cancel", "of": 5}')["id"] == 6 and client.answer()["id"] == 5


def test_folder(binary, home):
    """Relative names of files are in the folder of who gives the command, also in its scripts and behind its filters; "~" and others are as ever."""
    own = home / "own"
    own.mkdir()
    (own / "script").write_text("save config saved\nshow port summary all > shown\nrecord start runs\nrecord stop\n", encoding="utf-8")
    with served(binary, home) as (session, path), Client(path) as plain:
        exec_in(binary, home, "load script", folder=own)
        assert {file.name for file in own.iterdir()} == {"script", "saved", "shown", "runs"}
        assert f"cannot read {own}/gone:" in exec_in(binary, home, "load gone", status=1, folder=own)[1]
        exec_in(binary, home, f"load {own}/script", folder=home)
        assert (home / "saved").exists(), "a script's own names are where it is run, not where it is"
        there = os.readlink(f"/proc/{session.pid}/cwd")
        assert not {"saved", "shown", "runs"} & set(os.listdir(there))
        assert "cannot read script:" in plain.ask("load script")["error"]["message"], "a line has no folder but the program's"
        asked = json.dumps({"id": 1, "do": "offer", "line": "load scr", "folder": str(own)})
        assert [one["word"] for one in plain.ask(asked)["offer"]["words"]] == ["script"] and plain.answer()["done"]
        long = json.dumps({"id": 2, "line": "load x", "folder": "/" + "x/" * 3000})
        assert "is too long" in plain.ask(long)["answer"]["error"]["message"] and plain.answer()["done"]


def lines_until_done(client, number):
    lines = []
    while not (lines and lines[-1].get("done") and lines[-1]["id"] == number):
        lines.append(client.answer())
    return lines


def test_record_events(binary, home):
    """
    A client that asks for the events of a recording gets them between the commands of others, until it ends: by anyone, by a cancellation,
    or because the client is gone.
    """
    def begin(client, name, number):
        client.send(json.dumps({"id": number, "events": True, "line": f"record start {home}/{name} every 100"}) + "\n")
        assert client.answer()["answer"]["ok"]

    with served(binary, home) as (_, path), Client(path) as follows, Client(path) as other:
        begin(follows, "one", 1)
        assert other.ask("start")["ok"], "others change what they like"
        first = follows.answer()
        assert first["id"] == 1 and first["event"]["name"] == "progress" and first["event"]["recording"]
        assert first["event"]["samples"]["file"] == f"{home}/one"
        assert other.ask("record stop")["ok"]
        *_, last, done = lines_until_done(follows, 1)
        assert last["event"]["name"] == "end" and last["event"]["recording"] is False and last["event"]["lines"] > 1 and done["ok"]
        begin(follows, "two", 2)
        follows.send('{"id": 3, "do": "cancel", "of": 2}\n')
        lines = [line for line in lines_until_done(follows, 2) if "event" not in line or line["event"]["name"] != "progress"]
        assert lines[0] == {"id": 3, "done": True, "ok": True} and lines[1]["event"]["name"] == "end" and lines[2]["ok"]
        assert other.ask("show record")["recording"] is False
        with Client(path) as gone:
            begin(gone, "three", 4)
            assert other.ask("show record")["recording"]
        wait_until(lambda: not other.ask("show record")["recording"], "the end of the recording")
        # Another one that began meanwhile is not theirs.
        begin(follows, "four", 5)
        other.send(f"record stop\nrecord start {home}/five\n")
        assert other.answer()["ok"] and other.answer()["ok"]
        lines = lines_until_done(follows, 5)
        assert not any(line.get("event", {}).get("name") == "end" for line in lines)
        assert other.ask("show record")["recording"] and other.ask("record stop")["ok"] and other.ask("stop")["ok"]


def test_record_ends_badly(binary, home):
    """A recording that cannot go on, here to a pipe without a reader: its client is told, with the reason."""
    os.mkfifo(home / "pipe")
    reader = os.open(home / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    with served(binary, home) as (_, path), Client(path) as follows, Client(path) as other:
        follows.send(json.dumps({"id": 1, "events": True, "line": f"record start {home}/pipe every 10"}) + "\n")
        assert follows.answer()["answer"]["ok"]
        os.close(reader)
        assert other.ask("start")["ok"]
        *_, last, done = lines_until_done(follows, 1)
        assert last["event"]["name"] == "end" and "Broken pipe" in last["event"]["stopped"] and done["ok"] is False
        assert other.ask("stop")["ok"]


def test_vanished(binary, home):
    """The command of a client that is gone ends as if it had been cancelled."""
    with served(binary, home) as (_, path), Client(path) as other:
        with Client(path) as gone:
            gone.send("start for 1h\n")
            wait_until(lambda: running(other), "the run")
        wait_until(lambda: not running(other), "the end of the run")
        assert other.ask("start")["ok"] and other.ask("stop")["ok"]


def test_shell_and_clients(binary, home):
    """The shell's command is one of several: it can be looked at and cancelled, and ^C is not needed for what a client has begun."""
    with program(binary, home, interactive=True) as session, Client(home / "zcfwd/one.sock") as client:
        assert client.ask("set fwd mac")["ok"]
        assert "mac" in session.cmd("show config fwd")
        assert f"{home}/gone" in client.ask(json.dumps({"line": "load gone", "folder": str(home)}))["answer"]["error"]["message"]
        assert client.answer()["done"]
        session.cmd("load gone")
        assert "cannot read gone:" in session.stderr(), "the folder of a client is not that of the shell"
        session.send("start for 1h\n")
        wait_until(lambda: running(client), "the run")
        assert client.ask("stop")["error"]["code"] == "EBUSY"
        assert client.ask('{"do": "cancel", "any": true}')["done"]
        session.expect(r"(?m)^(?:zcfwd|testpmd)> ")
        session.ok("start")
        wait_until(lambda: fwd_total(session)["RX-packets"] > 0, "packets")
        assert client.ask("stop")["ok"]
        session.ok("set fwd io")


@pytest.mark.parametrize("args", [(), ("--strict",)])
def test_quit(binary, home, args):
    with program(binary, home, *args, interactive=True) as session, Client(home / "zcfwd/one.sock") as client:
        client.send("quit\n")
        assert client.answer()["ok"]
        session.finish()
        assert client.ended()


def test_auto_start(binary, home):
    """Without a shell it forwards at once if it is told to. --stats-period has no place beside clients."""
    with served(binary, home, "--auto-start", "--stats-period=1") as (session, path), Client(path) as client:
        wait_until(lambda: running(client), "the run")
        assert "--stats-period is ignored with --control" in session.stderr()
        assert client.ask("stop")["ok"]


def test_signal(binary, home):
    with program(binary, home, ends=0) as session:
        path = home / "zcfwd/one.sock"
        wait_until(path.exists, "the socket", 90)
        with Client(path) as client:
            assert client.ask("start")["ok"]
            session.signal(signal.SIGTERM)
            session.finish()
        assert not path.exists()


def test_many_clients(binary, home):
    """More than it takes are told so; afterwards there is room again. Each gets its own answer."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4 * CLIENTS, hard), hard))
    try:
        with served(binary, home) as (_, path), contextlib.ExitStack() as all_of_them:
            clients = [all_of_them.enter_context(Client(path))]
            # With the second answer the client that only looked whether the program listens is forgotten.
            assert clients[0].ask("show port summary all")["ok"] and clients[0].ask("show port summary all")["ok"]
            clients += [all_of_them.enter_context(Client(path)) for _ in range(CLIENTS - 1)]
            for client in clients:
                client.send("show port summary all\n")
            assert all(client.answer()["ok"] for client in clients)
            with Client(path) as refused:
                assert refused.answer()["error"]["message"] == "the program has too many clients"
            assert exec_in(binary, home, "stop", status=1)[1] == "zcfwd: the program has too many clients\n"
            clients[0].close()
            wait_until(lambda: accepted(path), "room for another one")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_few_descriptors(binary, home):
    """A client for which there is no descriptor is told so; those that are there are served."""
    clients = []
    with served(binary, home) as (session, path), contextlib.ExitStack() as all_of_them:
        used = max(int(fd.name) for fd in pathlib.Path(f"/proc/{session.pid}/fd").iterdir())
        resource.prlimit(session.pid, resource.RLIMIT_NOFILE, (used + 3, used + 3))
        answers = []
        for _ in until(lambda: answers and not answers[-1]["ok"], "a refusal"):
            clients.append(all_of_them.enter_context(Client(path)))
            with contextlib.suppress(BrokenPipeError):
                clients[-1].send("show port summary all\n")
            answers.append(clients[-1].answer())
        assert answers[-1]["error"]["message"] == "the program has no file descriptor left"
        assert clients[0].ask("show port summary all")["ok"]
        clients[0].close()
        wait_until(lambda: accepted(path), "room for another one")


def test_short_clients(binary, home):
    """Clients that come and go while a command waits leave nothing behind."""
    with served(binary, home) as (session, path), Client(path) as runs:
        runs.send("start for 1h\n")
        for _ in range(2 * CLIENTS):
            assert accepted(path)
        assert len(list(pathlib.Path(f"/proc/{session.pid}/fd").iterdir())) < CLIENTS
        runs.send('{"do": "cancel"}\n')
        assert runs.answer()["done"]


def test_reads_nothing(binary, home):
    """A client that does not read its answers: no more of its requests run; it is given up when one answer has 64 MiB."""
    with served(binary, home) as (_, path), Client(path) as deaf, Client(path) as other:
        deaf.socket.settimeout(1)
        with pytest.raises(TimeoutError):
            for _ in until(lambda: False, "a full connection", 60):
                deaf.send("help all\n" * 100)
        assert other.ask("show port summary all")["ok"]
        with Client(path) as watches:
            watches.send("watch help all every 10ms\n")
            wait_until(lambda: other.ask("set fwd mac")["ok"] is False, "the command")
            wait_until(lambda: other.ask("set fwd mac")["ok"], "the end of the command", 60)


def test_names(binary, home):
    """A socket left by a dead process is replaced. One that is in use, a file and bad names are refused."""
    folder = home / "zcfwd"
    folder.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(folder / "one.sock"))
    assert "has ended without removing it" in exec_in(binary, home, "one", "start", status=1)[1]
    with served(binary, home) as (_, path):
        assert path.stat().st_mode & 0o777 == 0o600
        for address, message in ((f"unix:{path}", "another program listens at"), ("one", "another program listens at"),
                                 ("a/b", "expected unix:PATH, or a name"), ("x" * 65, "a name of up to 64 letters, digits"), ("unix:", "expected a path"),
                                 ("unix:/" + "x" * 200, "longer than 107 bytes"), (f"unix:{binary}", "is not a socket")):
            with program(binary, home, name=address, ends=1) as refused:
                refused.finish(ends=1)
                assert message in refused.stderr(), refused.stderr()
        assert accepted(path)


@pytest.mark.skipif(os.geteuid() != 0, reason="the folder of root")
@pytest.mark.parametrize("runtime, folder", [
    (None, "/run/zcfwd"),
    ("/run/user/0", "/run/zcfwd"),
    ("/run/user/1000", "/run/zcfwd"),
    ("/run/users", "/run/users/zcfwd"),
    ("here", "/run/zcfwd"),
])
def test_folder_of_root(binary, monkeypatch, runtime, folder):
    """A login has a folder that is removed with it, and services have none: root finds its programs and services by any login."""
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    if runtime:
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    done = subprocess.run([str(binary), "exec", "no-such-program", "show version"], capture_output=True, text=True, check=False, timeout=limit(40))
    assert done.stderr == f"zcfwd: {folder}/no-such-program.sock: No such file or directory\n"


def test_removed_socket(binary, home):
    """A program whose socket was removed leaves the one alone that another program has made since."""
    path = home / "zcfwd/one.sock"
    with program(binary, home) as first:
        wait_until(lambda: listens(path), "the socket", 90)
        path.unlink()
        with served(binary, home):
            first.signal(signal.SIGTERM)
            first.finish()
            assert listens(path)


def test_foreign_folder(binary, home):
    """A folder to which other users can write is refused, by the program and by zcfwd exec."""
    folder = home / "zcfwd"
    folder.mkdir(mode=0o700)
    folder.chmod(0o777)
    with program(binary, home, ends=1) as refused:
        refused.finish(ends=1)
        assert f"others can write to {folder}, or own it" in refused.stderr()
    assert "others can write to" in exec_in(binary, home, "one", "start", status=1)[1]


def test_exec(binary, home):
    """Text as in the shell, or objects; failures on stderr and in the status."""
    assert "no program with --control in" in exec_in(binary, home, "start", status=1)[1]
    with served(binary, home) as (_, path):
        assert exec_in(binary, home, "show port summary all")[0].startswith("Number of available ports: 2\n")
        assert json.loads(exec_in(binary, home, "--json", "one", "show port stats 1")[0])["ports"][0]["port"] == 1
        assert exec_in(binary, home, "x" * LINE_BYTES, status=1)[1] == "zcfwd: exec: the command is longer than 4095 bytes\n"
        out, err = exec_in(binary, home, "one", "shw port stats 1", status=1)
        assert out == "Command not found\n" and 'did you mean "show"' in err
        assert json.loads(exec_in(binary, home, "--json", "bad", status=1)[0])["ok"] is False
        assert "expected [--json|--events] [NAME] COMMAND" in exec_in(binary, home, status=1)[1]
        with Client(path) as client:
            out, _ = exec_in(binary, home, "start for 1h", stop=lambda: running(client))
            assert "Accumulated forward statistics" in out and not running(client)
            piped = f"'{binary}' exec 'watch show port summary all every 10ms' | head -n 1"
            subprocess.run(["sh", "-c", piped], env={**os.environ, "XDG_RUNTIME_DIR": str(home)}, check=True, timeout=limit(40), stderr=subprocess.DEVNULL)
            wait_until(lambda: client.ask("set fwd mac")["ok"], "the end of the command")
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(home / "zcfwd/dead.sock"))
        assert exec_in(binary, home, "show version")[0], "there is one program, and the socket of another one that was killed"
        with served(binary, home, name="two"):
            assert "2 programs in" in exec_in(binary, home, "start", status=1)[1]
            assert exec_in(binary, home, "two", "show port summary all")[0]
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(home / "zcfwd/late.sock"))
    assert exec_in(binary, home, "start", status=1)[1] == f"zcfwd: all programs in {home}/zcfwd have ended\n"


def test_poll_while_forwarding(binary, home):
    """Clients that ask all the time: every packet of the run is accounted for, and every client is answered."""
    with served(binary, home) as (_, path), contextlib.ExitStack() as all_of_them:
        clients = [all_of_them.enter_context(Client(path)) for _ in range(50)]
        assert clients[0].ask("start")["ok"]
        for _ in range(10):
            for client in clients:
                client.send("show port stats all\nshow fwd stats all\n")
            assert all(client.answer()["ok"] and client.answer()["running"] for client in clients)
        end = clients[1].ask("stop")
        assert end["ok"] and all(one["rx"] == one["tx"] + one["tx_dropped"] for one in end["streams"])
