# SPDX-License-Identifier: BSD-3-Clause
"""A zcfwd that runs: commands, events and results; started, or attached to."""
from __future__ import annotations

import contextlib
import json
import os
import threading
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Optional, Union

from ._connection import Connection, Request, checked, socket_path
from ._errors import CommandError, CommandTimeout, ConnectionLost, Error, ProtocolError
from ._process import Process, eal_options, ended, find_program, port_options
from ._results import Comparison, Event, Json, Measured, Port, PortStats, Run, pick, section

START_S = 90.0
END_S = 30.0
ATTACH_S = 30.0  # a program that starts a card answers no client meanwhile
Values = Union[str, int, float, bool]


class Session:
    """
    A program that takes commands. Use it as a context manager: a program that start() started ends with the block, one that attach() found
    goes on.

    Thread: any. Each call has a connection of its own, so threads do not wait for each other here. The program runs one command after
    another; while one waits, others may show something, and what would change something fails with code EBUSY (doc/control.md). A forked
    child uses attach() instead: in it, each call is refused.

    version: of the program. dpdk: DPDK's. path: of the socket.
    """

    def __init__(self, path: str, process: Optional[Process] = None, timeout: float = ATTACH_S) -> None:
        self.path = path if process is None else process.socket_path
        self._process = process
        self._pid = os.getpid()
        self._lock = threading.RLock()  # of the three below; again in a thread whose garbage has a request
        self._idle: list[Connection] = []
        self._closing = self._closed = False
        if process is not None:
            self._abandon = weakref.finalize(self, process.abandon)  # also at the end of this process
        try:
            if process is not None:
                self._idle.append(process.connect(timeout))
            answer = self.command("show version", timeout=timeout)
        except BaseException:
            self._closing = self._closed = True
            if process is not None:
                self._abandon()
            raise
        self.version = section(answer, "version", str)
        self.dpdk = section(answer, "dpdk", str)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        if error is None:
            self.close()
            return
        with contextlib.suppress(Error):  # the block's own error is the one to report
            self.close()

    def __repr__(self) -> str:
        return f"<zcfwd {getattr(self, 'version', '?')} at {self.path}{', closed' if self._closed else ''}>"

    @property
    def pid(self) -> Optional[int]:
        """Of a program that start() started."""
        return None if self._process is None else self._process.child.pid

    @property
    def log(self) -> str:
        """What a program that start() started wrote to stderr: EAL's and drivers' messages; kept until close()."""
        return "" if self._process is None else self._process.log()

    # Connections

    def _take(self) -> Connection:
        if os.getpid() != self._pid:
            raise Error(f"this session belongs to process {self._pid}: use zcfwd.attach({self.path!r}) in a forked child")
        with self._lock:
            if self._closed:
                raise Error("the session is closed")
            if self._idle:
                return self._idle.pop()
        return Connection(self.path)

    def _give(self, connection: Connection, reusable: bool) -> None:
        with self._lock:
            if reusable and not self._closed:
                self._idle.append(connection)
                return
        connection.close()

    def _lost(self, error: ConnectionLost, line: str) -> ConnectionLost:
        """The error with what is known about the program's end."""
        if self._process is None:
            return ConnectionLost(f"{line!r}: {error}")
        status = self._process.wait(1.0)
        if status is None:
            return ConnectionLost(f"{line!r}: {error}", None, self.log)
        return ConnectionLost(f"{line!r}: the program is gone ({ended(status)}):\n{self._process.tail()}", status, self.log)

    # Commands

    def command(self, line: str, *, timeout: Optional[float] = None) -> Json:
        """
        Run a command; returns its answer (doc/json.md). timeout: seconds, None: no limit.

        Errors: CommandError the command failed; CommandTimeout; ConnectionLost; ProtocolError; ValueError a line that is not one command.
        ^C, or another exception in the wait, cancels the command.
        """
        answers = _Answers(line)
        with _Exchange(self, line, "json", timeout) as lines:
            for one in lines:
                if "command" in one.get("answer", ()):
                    answers.add(one["answer"])
        return answers.end()

    def text(self, line: str, *, timeout: Optional[float] = None) -> str:
        """Run a command; returns what an operator would see. A failure has its sentence as message. Errors: as command()."""
        text = failure = ""
        with _Exchange(self, line, "text", timeout) as lines:
            for one in lines:
                text += one.get("text", "")
                failure += one.get("failure", "")
        if not lines.request.ok:
            raise CommandError(line, {"message": (failure or text).strip() or "failed"}, {"text": text})
        return text

    def events(self, line: str, *, timeout: Optional[float] = None) -> Events:
        """
        Run a command; returns an iterator over its events, of which the last is the answer. The command ends early if the iterator is
        closed, as `with` does, or dropped. Errors, raised by the iterator: as command().
        """
        return Events(_Exchange(self, line, "json", timeout, events=True))

    def cancel(self) -> None:
        """End the command that runs in the program now, also one of another client. It then ends as by ^C; without one nothing happens."""
        connection = self._take()
        done = False
        try:
            own = connection.send({"do": "cancel", "any": True})
            deadline = time.monotonic() + ATTACH_S
            while not done:
                line = connection.receive(deadline)
                done = line.get("id") == own and bool(line.get("done"))
        except ConnectionLost as error:
            raise self._lost(error, "cancel") from error
        except TimeoutError:
            raise CommandTimeout(f"cancel: no answer within {ATTACH_S:g} s") from None
        finally:
            self._give(connection, done)

    # Results

    def forward(self, engine: Optional[str] = None, *, seconds: Optional[float] = None, packets: Optional[int] = None,
                timeout: Optional[float] = None) -> Run:
        """
        Forward for a time, or until so many packets were received; returns what became of them. engine: with its words, such as
        "io retry"; None: the current one. Errors: as command(); one that ends the run has the figures, Run.of(error.answer).
        """
        if (seconds is None) == (packets is None):
            raise ValueError("expected seconds= or packets=")
        self._engine(engine)
        length = f"{packets} packets" if packets is not None else milliseconds(seconds or 0)
        return Run.of(self.command(f"start for {length}", timeout=timeout))

    def start(self, engine: Optional[str] = None) -> None:
        """Begin to forward. Errors: as command()."""
        self._engine(engine)
        self.command("start")

    def stop(self) -> Run:
        """Stop forwarding; returns what became of the packets. Errors: as command()."""
        return Run.of(self.command("stop"))

    def _engine(self, engine: Optional[str]) -> None:
        if engine is not None:
            self.command(f"set fwd {engine}")

    def schema(self) -> Json:
        """The JSON Schema of answers, with its version."""
        return dict(json.loads(section(self.command("show schema"), "document", str)))

    def ports(self) -> list[Port]:
        return [pick(Port, one) for one in section(self.command("show port summary all"), "ports", list)]

    def port_stats(self) -> list[PortStats]:
        return [pick(PortStats, one) for one in section(self.command("show port stats all"), "ports", list)]

    def measured(self) -> list[Measured]:
        """What engine measure received in the last run, or until now. Errors: as command()."""
        return [pick(Measured, one) for one in section(self.command("show measure"), "streams", list)]

    def compare(self, lists: Mapping[str, Sequence[Values]], *, seconds: float, runs: int, timeout: Optional[float] = None) -> Comparison:
        """
        Run each combination of settings and engines, such as {"engines": ["io", "mac"], "burst": [8, 32]}, `runs` times for so many
        seconds; returns a table. Errors: as command(); TypeError a string instead of a list.
        """
        for name, values in lists.items():
            if isinstance(values, str):
                raise TypeError(f"{name}={values!r}: expected a list, such as [{values!r}]")
        words = " ".join(f"{name}={','.join(map(word, values))}" for name, values in lists.items())
        return Comparison(self.command(f"compare {words} for {milliseconds(seconds)} runs {runs}", timeout=timeout))

    # The end

    def quit(self, timeout: float = END_S) -> None:
        """End the program, also one that this session attached to. A command that runs is cancelled. timeout: seconds to wait. Errors: as command()."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                self.command("quit", timeout=max(0.1, deadline - time.monotonic()))
                return
            except CommandError as error:
                if error.code != "EBUSY" or time.monotonic() > deadline:
                    raise
            self.cancel()

    def close(self, timeout: float = END_S) -> None:
        """
        End the session, once. A program that start() started is told to quit, then ended by SIGTERM if it has not ended within so many
        seconds, then by SIGKILL; Error if its exit status is not 0.
        """
        with self._lock:
            if self._closing or os.getpid() != self._pid:
                return
            self._closing = True
        told = False
        try:
            if self._process is not None:
                with contextlib.suppress(Error):
                    self.quit(timeout)
                    told = True
        finally:
            self._end(timeout if told else 0)

    def _end(self, timeout: float) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
        if self._process is None:
            return
        self._abandon.detach()
        status = self._process.end(timeout)
        tail = self._process.tail()
        self._process.forget()
        if status != 0:
            raise Error(f"zcfwd did not end as it should ({'it still runs' if status is None else ended(status)}):\n{tail}")


class _Exchange(Iterator[Json]):
    """A request on a connection of its own: cancelled by close() unless it has ended. Thread: one at a time."""

    def __init__(self, session: Session, line: str, form: str, timeout: Optional[float], events: bool = False) -> None:
        self.closed = True  # until there is something to close
        self.session = session
        self.line = line
        try:
            self.connection = session._take()
            try:
                self.request = Request(self.connection, line, form, events, timeout)
            except BaseException:
                session._give(self.connection, False)
                raise
        except ConnectionLost as error:
            raise session._lost(error, line) from error
        self.closed = False

    def __next__(self) -> Json:
        try:
            return next(self.request)
        except ConnectionLost as error:
            raise self.session._lost(error, self.line) from error

    def __enter__(self) -> _Exchange:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        if self.closed or os.getpid() != self.session._pid:
            return
        self.closed = True
        try:
            if not self.request.done:
                self.request.cancel()
        finally:
            self.session._give(self.connection, self.request.clean)


class Events(Iterator[Event]):
    """Events of a command. answer: that of the command, once it has ended. Thread: one at a time."""

    def __init__(self, lines: _Exchange) -> None:
        self.answer: Optional[Json] = None
        self._lines = lines
        self._answers = _Answers(lines.line)
        self._waiting: list[Event] = []

    def __next__(self) -> Event:
        while not self._waiting:
            if self._lines.closed:
                raise StopIteration
            self._read()
        return self._waiting.pop(0)

    def _read(self) -> None:
        try:
            line = next(self._lines)
        except StopIteration:
            self._lines.close()
            self.answer = self._answers.end()
            self._waiting.append(Event("answer", self.answer))
            return
        except BaseException:
            self._lines.close()
            raise
        if "answer" in line:
            answer = line["answer"]
            self._answers.add(answer)
            if answer.get("command") != self._lines.line.strip():
                self._waiting.append(Event("answer" if "command" in answer else "message", answer))
        elif isinstance(line.get("event"), dict):
            self._waiting.append(Event(str(line["event"].get("name", "")), line["event"]))

    def __enter__(self) -> Events:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Cancel the command unless it has ended."""
        self._lines.close()


class _Answers:
    """The answers to a line, of which the last is its own. Kept are that, and the first one within it that failed."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.last: Optional[Json] = None
        self.failed: Optional[Json] = None

    def add(self, answer: Json) -> None:
        if self.failed is None and self.last is not None and self.last.get("ok") is False:
            self.failed = self.last
        self.last = answer

    def end(self) -> Json:
        if self.last is None:
            raise ProtocolError(f"{self.line!r}: the program gave no answer")
        return checked(self.last, self.line, self.failed)


def milliseconds(seconds: float) -> str:
    """A length of time as commands take it."""
    n = round(seconds * 1000)
    if n < 1:
        raise ValueError(f"{seconds!r} seconds: expected at least 0.001")
    return f"{n}ms"


def word(value: Values) -> str:
    """A value of a setting as commands take it."""
    return ("off", "on")[value] if isinstance(value, bool) else str(value)


def start(ports: Sequence[str] = ("net_null0", "net_null1"), *, options: Sequence[str] = (), eal: Sequence[str] = (), lcores: Optional[str] = None,
          memory_mib: int = 512, huge_pages: Optional[bool] = None, program: Optional[str] = None, env: Optional[Mapping[str, str]] = None,
          timeout: float = START_S) -> Session:
    """
    Start a program of our own, and wait until it takes commands.

    ports: PCI addresses such as "0000:01:00.0"; virtual devices such as "net_null0"; "model:xl710" for a NIC in software, with the words of
    --model. options: the program's (doc/options.md). eal: more of EAL's. lcores: as EAL's --lcores; None: all CPUs. huge_pages: None: for
    cards only. program: a path; None: $ZCFWD, or zcfwd in $PATH. env: more of its environment. timeout: seconds until it takes commands.

    Errors: StartError, which has what the program printed; ValueError a bad port, or the option --control. The program ends with this process.
    """
    for option in options:
        if option.partition("=")[0] == "--control":
            raise ValueError(f"option {option!r}: the session has a control socket of its own; attach() connects to others")
    found = find_program(program)
    of_ports, models = port_options(ports)
    argv = [found, *eal_options(ports, lcores, memory_mib, huge_pages), *of_ports, *eal]
    return Session("", Process(argv, [*models, *options], env), timeout)


def attach(name: Optional[str] = None, *, timeout: float = ATTACH_S) -> Session:
    """
    Connect to a program that runs with --control. name: its name, or the path of its socket with a slash; None: the only one. timeout: seconds
    until it answers. Errors: ConnectionLost there is none, or it is not the only one.
    """
    return Session(socket_path(name), None, timeout)
