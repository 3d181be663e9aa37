# SPDX-License-Identifier: BSD-3-Clause
"""One connection to a control socket: a request, and the lines of its answer (doc/control.md)."""
from __future__ import annotations

import errno
import json
import os
import socket
import stat
import time
from collections.abc import Iterator
from typing import Any, Optional

from ._errors import CommandError, CommandTimeout, ConnectionLost, ProtocolError

REQUESTS = 1  # version of requests
SCHEMA = 1  # version of answers
LINE_BYTES_MAX = 4095
CANCEL_S = 10.0  # for the end of a command that was cancelled
LONG_S = 1e9  # of a timeout: more is too much for a socket
READ_BYTES = 1 << 16
SUFFIX = ".sock"
LOGINS = "/run/user/"  # folders of logins, which root's programs do not use


class Connection:
    """Thread: one at a time."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.last_id = 0
        self.buffer = bytearray()
        self.searched = 0  # bytes of the buffer that have no newline
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self.socket.connect(path)
        except OSError as error:
            self.socket.close()
            why = "the program has ended without removing it" if isinstance(error, ConnectionRefusedError) else error.strerror or error
            raise ConnectionLost(f"{path}: {why}") from error

    def close(self) -> None:
        self.socket.close()

    def send(self, members: dict[str, Any]) -> int:
        """Send a request; returns its id."""
        self.last_id += 1
        text = json.dumps({"id": self.last_id, **members}) + "\n"
        try:
            self.socket.settimeout(CANCEL_S)
            self.socket.sendall(text.encode())
        except BrokenPipeError:
            pass  # a program that refuses a client has closed the connection, and said why
        except OSError as error:
            raise ConnectionLost(f"{self.path}: {error.strerror or error}") from error
        return self.last_id

    def receive(self, deadline: Optional[float]) -> dict[str, Any]:
        """Wait for the next line. deadline: by time.monotonic(); TimeoutError if it comes first."""
        while (end := self.buffer.find(b"\n", self.searched)) < 0:
            self.searched = len(self.buffer)
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                raise TimeoutError
            self.socket.settimeout(None if left is None else min(left, LONG_S))
            try:
                more = self.socket.recv(READ_BYTES)
            except (ConnectionError, BrokenPipeError):
                more = b""
            if not more:
                raise ConnectionLost(f"{self.path}: the program closed the connection")
            self.buffer += more
        text = bytes(self.buffer[:end])
        del self.buffer[:end + 1]
        self.searched = 0
        return self.parse(text)

    def parse(self, text: bytes) -> dict[str, Any]:
        try:
            line = json.loads(text)
        except ValueError:
            line = None
        if not isinstance(line, dict):
            raise ProtocolError(f"{self.path}: expected an object, not {text[:200]!r}")
        if "id" not in line and "error" in line:
            raise ConnectionLost(f"{self.path}: {line['error'].get('message', 'the program refused the connection')}")
        return line


class Request:
    """
    A command that the program runs, and an iterator over the lines of its answer, "done" excluded. Whoever does not read to the end calls
    cancel(). done: the command has ended; ok: it succeeded. clean: no line of it is still to come.
    """

    def __init__(self, connection: Connection, line: str, form: str, events: bool, timeout: Optional[float]) -> None:
        check_line(line)
        self.connection = connection
        self.line = line
        self.timeout = timeout
        self.deadline = None if timeout is None else time.monotonic() + timeout
        self.done = self.ok = self.clean = False
        self.id = connection.send({"version": REQUESTS, "line": line, "format": form, **own_folder(), **({"events": True} if events else {})})

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self

    def __next__(self) -> dict[str, Any]:
        while not self.done:
            try:
                line = self.connection.receive(self.deadline)
            except TimeoutError:
                self.cancel()
                raise CommandTimeout(f"{self.line!r}: no end within {self.timeout:g} s; it was cancelled") from None
            except (ConnectionLost, ProtocolError):
                self.drop()
                raise
            if line.get("id") != self.id:
                continue
            if not line.get("done"):
                return line
            self.done = self.clean = True
            self.ok = line.get("ok") is True
        raise StopIteration

    def cancel(self) -> None:
        """
        End the command, and wait for that. A command that does not end in CANCEL_S loses its connection, which cancels it too; so does one
        whose answer cannot be read.
        """
        self.clean = False
        try:
            missing = {self.id, self.connection.send({"do": "cancel", "of": self.id})}
            deadline = time.monotonic() + CANCEL_S
            while missing:
                line = self.connection.receive(deadline)
                if line.get("done"):
                    missing.discard(line.get("id", 0))
            self.done = self.clean = True
        except (TimeoutError, ConnectionLost, ProtocolError):
            self.drop()

    def drop(self) -> None:
        """Give up the connection."""
        self.done = True
        self.connection.close()


def own_folder() -> dict[str, str]:
    """
    The member of a request with the folder in which relative names of files are; none if this process has no folder any more. What is not
    UTF-8 in it cannot be told: such names are not found there.
    """
    try:
        return {"folder": os.getcwdb().decode(errors="replace")}
    except FileNotFoundError:
        return {}


def check_line(line: str) -> None:
    """ValueError for what is not one command."""
    at = next((i for i, character in enumerate(line) if character in "\n\r\0"), None)
    if at is not None:
        raise ValueError(f"column {at + 1}: expected one line, without {line[at]!r}")
    if not line.strip() or line.lstrip().startswith("#"):
        raise ValueError(f"{line!r}: expected a command")
    if len(line.encode()) > LINE_BYTES_MAX:
        raise ValueError(f"the line has {len(line.encode())} bytes: expected at most {LINE_BYTES_MAX}")


def member_of(answer: dict[str, Any], name: str) -> dict[str, Any]:
    """A member that is an object; {}: there is none."""
    value = answer.get(name)
    return value if isinstance(value, dict) else {}


def checked(answer: dict[str, Any], command: str, failed: Optional[dict[str, Any]] = None) -> dict[str, Any]:
    """
    The answer of a command. CommandError if it failed, ProtocolError if it is of another schema. failed: the answer of the first command
    within it that failed: one of a script, or of watch. The program names the reason only there.
    """
    schema = answer.get("schema", SCHEMA)
    if schema != SCHEMA:
        raise ProtocolError(f"the program answers by schema {schema}, and this package reads {SCHEMA}: use the package that came with the program")
    if answer.get("ok") is not True:
        error = member_of(answer, "error")
        if failed is not None and member_of(failed, "error").get("code") == error.get("code"):
            raise CommandError(str(failed.get("command")), member_of(failed, "error"), answer)
        raise CommandError(command, error, answer)
    return answer


def socket_folder() -> str:
    """Where the sockets of names are: as the program has it."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/") and not (os.geteuid() == 0 and runtime.startswith(LOGINS)):
        return f"{runtime}/zcfwd"
    return "/run/zcfwd" if os.geteuid() == 0 else f"/tmp/zcfwd-{os.geteuid()}"


def check_folder(folder: str) -> None:
    """Refuse sockets that another user could have made."""
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode):
        raise ConnectionLost(f"{folder} is not a folder")
    if found.st_uid not in (os.geteuid(), 0) or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise ConnectionLost(f"others can write to {folder}, or own it")


def is_live(path: str) -> bool:
    """False if the program has ended without removing its socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
        one.setblocking(False)
        try:
            return one.connect_ex(path) != errno.ECONNREFUSED
        except OSError:  # the path is too long
            return True


def socket_path(name: Optional[str]) -> str:
    """The path of a name, of "unix:PATH" or of a path with a slash; None: that of the only program."""
    if name is not None and name.startswith("unix:"):
        return name[len("unix:"):]
    if name is not None and "/" in name:
        return name
    folder = socket_folder()
    if os.path.exists(folder):
        check_folder(folder)
    if name is not None:
        return f"{folder}/{name}{SUFFIX}"
    names = sorted(file[:-len(SUFFIX)] for file in os.listdir(folder) if file.endswith(SUFFIX)) if os.path.isdir(folder) else []
    if not names:
        raise ConnectionLost(f"no program with --control in {folder}")
    if len(names) > 1:
        names = [one for one in names if is_live(f"{folder}/{one}{SUFFIX}")]
    if not names:
        raise ConnectionLost(f"all programs in {folder} have ended")
    if len(names) > 1:
        raise ConnectionLost(f"{len(names)} programs in {folder}: expected the name of one: {' '.join(names)}")
    return f"{folder}/{names[0]}{SUFFIX}"
