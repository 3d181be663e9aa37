# SPDX-License-Identifier: BSD-3-Clause
"""Read results of `bench mempool` with `set output json`."""
import json
import os

from . import shape
from .read import ReadError, printable

LINES_READ = 1000  # lines of a session's output to search for the result
LINE_MOST = 64 << 20


def answer(path):
    """Return the result in a file, which may be the output of a whole session; None if there is none."""
    with open(path, "rb") as file:
        for _ in range(LINES_READ):
            line = file.readline(LINE_MOST)
            if not line:
                return None
            try:
                found = printable(json.loads(line)) if line.lstrip().startswith(b"{") else None
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict) and isinstance(found.get("command"), str) and found["command"].startswith("bench mempool"):
                try:
                    shape.check_bench(found)
                except ValueError as error:
                    raise ReadError("%s: %s" % (path, error)) from None
                return {**found, "file": printable(os.path.basename(path))}
    return None
