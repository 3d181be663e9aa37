# SPDX-License-Identifier: BSD-3-Clause
"""Read answers of commands with `set output json`: `bench mempool`, `measure rate`."""
import os

from . import shape
from .read import ReadError, parse, printable

LINES_READ = 1000  # lines of a session's output to search for the result
LINE_MOST = 64 << 20


def answer(path):
    """Return the first result in a file, which may be the output of a whole session; None if there is none. Its member kind is the command."""
    with open(path, "rb") as file:
        for _ in range(LINES_READ):
            line = file.readline(LINE_MOST)
            if not line:
                return None
            try:
                found = parse(line) if line.lstrip().startswith(b"{") else None
            except (ValueError, RecursionError):
                continue
            command = found.get("command") if isinstance(found, dict) else None
            kind = next((kind for kind in shape.ANSWERS if isinstance(command, str) and command.startswith(kind)), None)
            if kind and found.get("ok") is True:
                try:
                    shape.ANSWERS[kind](found)
                except ValueError as error:
                    raise ReadError("%s: %s" % (path, error)) from None
                return {**found, "kind": kind, "file": printable(os.path.basename(path))}
    return None
