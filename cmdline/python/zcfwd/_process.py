# SPDX-License-Identifier: BSD-3-Clause
"""A zcfwd process of our own: its command line, its private socket, its end."""
from __future__ import annotations

import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import Optional

from ._connection import Connection
from ._errors import ConnectionLost, StartError

PCI = re.compile(r"(?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]$")
MODEL = "model:"
PATH_BYTES_MAX = 107  # of the address of a socket
TAIL_LINES = 12
STEPS_S = (10.0, 5.0)  # for the end of the program after SIGTERM, and after SIGKILL
PAUSE_S = 0.02


def find_program(program: Optional[str]) -> str:
    """The program that is asked for, that of $ZCFWD, or zcfwd of $PATH. StartError if it is not there."""
    name = program or os.environ.get("ZCFWD") or "zcfwd"
    found = shutil.which(name)
    if found is None:
        source = "" if program else " (from $ZCFWD)" if os.environ.get("ZCFWD") else " in $PATH"
        raise StartError(f"no program {name}{source}: install zcfwd, or give program=")
    return os.path.abspath(found)


def port_options(ports: Sequence[str]) -> tuple[list[str], list[str]]:
    """EAL's options for these ports, and the program's."""
    if isinstance(ports, str):
        raise TypeError(f"ports={ports!r}: expected a list, such as [{ports!r}]")
    eal, options = [], []
    for port in ports:
        if port.startswith(MODEL) and len(port) > len(MODEL):
            options.append(f"--model={port[len(MODEL):]}")
        elif PCI.match(port):
            eal += ["-a", port]
        elif re.match(r"(net|dma|crypto|event)_\w+", port):
            eal.append(f"--vdev={port}")
        else:
            raise ValueError(f"port {port!r}: expected a PCI address, a virtual device such as \"net_null0\", or \"model:xl710\"")
    if not any(PCI.match(port) for port in ports):
        eal.append("--no-pci")
    return eal, options


def eal_options(ports: Sequence[str], lcores: Optional[str], memory_mib: int, huge_pages: Optional[bool]) -> list[str]:
    cards = any(PCI.match(port) for port in ports)
    words = ["--in-memory"] if huge_pages or (huge_pages is None and cards) else ["--no-huge", "--no-shconf"]
    words += ["-m", str(memory_mib)] + ([] if cards else ["--iova-mode=va"])
    cpus = sorted(os.sched_getaffinity(0))
    if lcores is None and len(cpus) == 1:
        lcores = f"(0-1)@{cpus[0]}"  # the control thread and a worker need two lcores
    return words + ([] if lcores is None else [f"--lcores={lcores}"])


class Process:
    """A program that listens at a socket in a private folder. Thread: any; wait() and end() one at a time."""

    def __init__(self, argv: Sequence[str], options: Sequence[str], env: Optional[Mapping[str, str]]) -> None:
        self.pid_of_owner = os.getpid()
        self.folder = private_folder()
        self.socket_path = os.path.join(self.folder, "control")
        self.log_path = os.path.join(self.folder, "log")
        # It keeps -i, so that it ends with its input, when this process is killed.
        self.argv = [*argv, "--", "-i", f"--control=unix:{self.socket_path}", *options]
        try:
            with open(self.log_path, "wb") as log:
                # A session of its own: ^C at the terminal is for this process, which cancels the command.
                self.child = subprocess.Popen(self.argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=log,
                                              env={**os.environ, **(env or {})}, start_new_session=True)
        except OSError as error:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise StartError(f"{self.argv[0]}: {error.strerror}") from error

    def log(self) -> str:
        """What the program wrote to stderr: EAL's and drivers' messages, and its own that are of no command."""
        try:
            return pathlib.Path(self.log_path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def tail(self) -> str:
        return "\n".join(self.log().rstrip().splitlines()[-TAIL_LINES:])

    def connect(self, timeout: float) -> Connection:
        """The first connection. StartError, with what the program printed, if it ends or if the seconds are over."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                return Connection(self.socket_path)
            except ConnectionLost:
                status = self.child.poll()
                if status is not None:
                    raise StartError(f"zcfwd did not start ({ended(status)}):\n{self.tail()}", status, self.log()) from None
                if time.monotonic() > deadline:
                    raise StartError(f"zcfwd did not start within {timeout:g} s:\n{self.tail()}", None, self.log()) from None
            time.sleep(PAUSE_S)

    def wait(self, timeout: float) -> Optional[int]:
        """The exit status; None if the program still runs after these seconds."""
        try:
            return self.child.wait(timeout)
        except subprocess.TimeoutExpired:
            return None

    def end(self, timeout: float) -> Optional[int]:
        """Wait for the end, then ask by SIGTERM, then by SIGKILL. Returns the exit status. In a forked child it does nothing."""
        if os.getpid() != self.pid_of_owner:
            return None
        status = self.wait(timeout)
        for number, seconds in zip((signal.SIGTERM, signal.SIGKILL), STEPS_S):
            if status is None:
                self.child.send_signal(number)
                status = self.wait(seconds)
        if self.child.stdin is not None:
            self.child.stdin.close()
        return status

    def abandon(self) -> None:
        """End the program and remove its folder, once the last session with it is closed."""
        self.end(0)
        self.forget()

    def forget(self) -> None:
        """Remove the private folder."""
        if os.getpid() == self.pid_of_owner:
            shutil.rmtree(self.folder, ignore_errors=True)


def private_folder() -> str:
    """A new folder of mode 0700 whose path leaves room for a socket."""
    folder = tempfile.mkdtemp(prefix="zcfwd-")
    if len(folder.encode()) + len("/control") > PATH_BYTES_MAX:
        os.rmdir(folder)
        folder = tempfile.mkdtemp(prefix="zcfwd-", dir="/tmp")
    return folder


def ended(status: int) -> str:
    """An exit status in words."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"ended by signal {-status}"
