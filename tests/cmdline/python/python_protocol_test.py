# SPDX-License-Identifier: BSD-3-Clause
"""The Python package with programs of another version, or that answer what no program answers: a server that plays them."""
import contextlib
import json
import os
import pathlib
import socket
import tempfile
import threading

import pytest
import zcfwd
from limits import limit
from session import wait_until

pytestmark = pytest.mark.zcfwd
VERSION = {"version": "9.9", "dpdk": "DPDK 99.11.0"}


def answer(line, **members):
    return {"command": line, "ok": True, "time": "", "schema": 1, **members}


class Server:
    """Answers each request with the objects, or the bytes, that play(request) gives. None: it closes the connection."""

    def __init__(self, play, version=None):
        self.folder = tempfile.TemporaryDirectory(prefix="zct")
        self.path = f"{self.folder.name}/s"
        self.play = play
        self.version = version or answer("show version", **VERSION)
        self.requests = []
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(self.path)
        self.socket.listen()
        self.socket.settimeout(limit(60))
        self.clients = []
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        self.folder.cleanup()

    def accept(self):
        with contextlib.suppress(OSError):  # the socket's time limit, or its end
            for client, _ in iter(self.socket.accept, None):
                self.clients.append(client)
                threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client, contextlib.suppress(OSError):
            for line in client.makefile("rb"):
                request = json.loads(line)
                self.requests.append(request)
                for part in self.parts(request):
                    if part is None:
                        client.shutdown(socket.SHUT_RDWR)
                        return
                    client.sendall(part if isinstance(part, bytes) else json.dumps({"id": request["id"], **part}).encode() + b"\n")

    def parts(self, request):
        done = {"done": True, "ok": True}
        if request.get("do") == "cancel":
            return [done]
        if request["line"] == "show version":
            return [{"answer": self.version}, done]
        return self.play(request)


@contextlib.contextmanager
def attached(*parts):
    with Server(lambda _: parts) as server, zcfwd.attach(server.path, timeout=limit(10)) as z:
        yield server, z


DONE, FAILED = {"done": True, "ok": True}, {"done": True, "ok": False}


def test_other_schema():
    """Answers of another version are refused at once, with what to do."""
    with Server(None, {**answer("show version", **VERSION), "schema": 2}) as server:
        with pytest.raises(zcfwd.ProtocolError, match="answers by schema 2, and this package reads 1: use the package that came with the program"):
            zcfwd.attach(server.path)


def test_other_requests():
    """A program that does not take requests of this version says so."""
    refused = {"command": "", "ok": False, "error": {"message": "version 1: expected 2", "code": "EPROTO"}}
    with attached({"answer": refused}, FAILED) as (server, z):
        with pytest.raises(zcfwd.CommandError, match="version 1: expected 2") as failed:
            z.command("stop")
        assert failed.value.code == "EPROTO" and server.requests[-1] == {"id": 2, "version": 1, "line": "stop", "format": "json", "folder": os.getcwd()}


@pytest.mark.parametrize("parts, error, message", [
    ((b"no JSON\n",), zcfwd.ProtocolError, "expected an object, not b'no JSON'"),
    ((b"[1]\n",), zcfwd.ProtocolError, "expected an object"),
    ((b"\xff\xfe\n",), zcfwd.ProtocolError, "expected an object"),
    ((DONE,), zcfwd.ProtocolError, "'stop': the program gave no answer"),
    ((b'{"id": ', None), zcfwd.ConnectionLost, "'stop': .*the program closed the connection"),
    ((b'{"command": "", "ok": false, "error": {"message": "the program has too many clients"}}\n', None), zcfwd.ConnectionLost, "too many clients"),
    (({"answer": {"command": "stop", "ok": False}}, FAILED), zcfwd.CommandError, "the program gave no reason"),
    (({"answer": answer("stop")}, DONE), zcfwd.ProtocolError, "'stop' has no summary"),
])
def test_bad_answers(parts, error, message):
    with attached(*parts) as (_, z):
        with pytest.raises(error, match=message):
            z.stop()


def test_after_a_bad_answer():
    """The connection with the bad answer is not used again, and the next one is."""
    plays = iter([[b"no JSON\n"], [{"answer": answer("start")}, DONE]])
    with Server(lambda _: next(plays)) as server, zcfwd.attach(server.path) as z:
        with pytest.raises(zcfwd.ProtocolError):
            z.command("start")
        assert z.command("start")["ok"] and len(server.clients) == 2


def test_foreign_lines():
    """Lines of other requests, unknown members and answers in pieces change nothing."""
    pieces = json.dumps({"id": 2, "answer": answer("stop", x=["\u00e9"])}, ensure_ascii=False).encode() + b"\n"
    with attached({"id": 77, "done": True, "ok": False}, {"id": "2", "answer": {}}, {"news": 1}, *(bytes([byte]) for byte in pieces), DONE) as (_, z):
        assert z.command("stop")["x"] == ["\u00e9"]


def test_events():
    """Each kind of line between a request and its end, in the order in which they came."""
    state = {"name": "progress", "left_s": 3}
    with attached({"event": state}, {"answer": {"messages": ["Port 0: link is up"]}}, {"answer": answer("show port info 0")},
                  {"event": {"name": "progress", "left_s": 1}}, {"answer": answer("start for 3s")}, DONE) as (_, z):
        events = z.events("start for 3s")
        assert [event.name for event in events] == ["progress", "message", "answer", "progress", "answer"]
        assert events.answer["command"] == "start for 3s"
        assert next(z.events("start for 3s")).data == state
        assert z.command("start for 3s")["command"] == "start for 3s", "command() passes over events"


def test_closed_early():
    """The command of an iterator that is closed is cancelled, on its own connection, which is used again after both have ended."""
    ends = threading.Event()

    def play(request):
        yield {"event": {"name": "progress"}}
        ends.wait(limit(20))
        yield {"answer": answer(request["line"])}
        yield DONE
    with Server(play) as server, zcfwd.attach(server.path) as z:
        with z.events("start for 3s") as events:
            assert next(events).name == "progress"
            threading.Timer(0.2, ends.set).start()
        assert server.requests[-1] == {"id": 3, "do": "cancel", "of": 2} and events.answer is None
        assert next(events, None) is None and z.command("start")["ok"] and len(server.clients) == 1


def test_cancel_is_not_heard(monkeypatch):
    """A program that does not end a command in time loses the connection, which ends it."""
    monkeypatch.setattr("zcfwd._connection.CANCEL_S", 0.2)
    hangs = threading.Event()
    with Server(lambda _: iter(lambda: hangs.wait(limit(20)) and None, 0)) as server, zcfwd.attach(server.path) as z:
        with pytest.raises(zcfwd.CommandTimeout, match="no end within 0.1 s"):
            z.command("start for 3s", timeout=0.1)
        hangs.set()
        assert not z._idle
    wait_until(lambda: not pathlib.Path(server.path).exists(), "the end of the server")


def test_large_answer():
    """64 MiB of one answer, in a time that grows with its length alone."""
    text = "x" * (1 << 26)
    with attached({"answer": answer("dump", text=text)}, DONE) as (_, z):
        assert len(z.command("dump", timeout=limit(40))["text"]) == len(text)
