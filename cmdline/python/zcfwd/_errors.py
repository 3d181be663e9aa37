# SPDX-License-Identifier: BSD-3-Clause
"""What goes wrong: the exceptions of this package."""
from __future__ import annotations

from typing import Any, Optional, Union


class Error(Exception):
    """Any failure that this package reports."""


class StartError(Error):
    """The program could not be started. status: its exit status, negative for a signal, None if it never ran or did not end. log: what it printed."""

    def __init__(self, message: str, status: Optional[int] = None, log: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.log = log


class CommandError(Error):
    """
    A command failed. The members are those of "error" in the program's answer (doc/json.md).

    command: the line, or the one that failed of a script or of watch. code: the name of the errno value, or its number if it has no name.
    column: of the wrong word in the command, from 1. word: the wrong word. expected: what was expected there. where: FILE:LINE of a script.
    answer: the whole answer to the line; a run that ended with an error has its figures there (Run.of()).
    """

    def __init__(self, command: str, error: dict[str, Any], answer: dict[str, Any]) -> None:
        self.message = str(error.get("message", "the program gave no reason"))
        where = f" at {error['where']}" if error.get("where") else ""
        super().__init__(f"{command!r}{where}: {self.message}" if command else self.message)
        self.command = command
        self.code: Union[str, int, None] = error.get("code")
        self.verdict: Optional[str] = error.get("verdict")
        self.column: Optional[int] = error.get("column")
        self.word: Optional[str] = error.get("word")
        self.expected: Optional[str] = error.get("expected")
        self.where: Optional[str] = error.get("where")
        self.answer = answer


class CommandTimeout(Error, TimeoutError):
    """A command did not end in time. It was cancelled."""


class ConnectionLost(Error, ConnectionError):
    """The program ended, or closed the connection. status: the exit status of a program that start() started, negative for a signal."""

    def __init__(self, message: str, status: Optional[int] = None, log: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.log = log


class ProtocolError(Error):
    """The program's answer is not what this version of the package reads."""
