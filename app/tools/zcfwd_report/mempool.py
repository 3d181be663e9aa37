# SPDX-License-Identifier: BSD-3-Clause
"""Answers of `bench mempool` under `set output json`, as they lie on the disk."""
import json
import os

from . import shape
from .read import ReadError, printable

LINES_READ = 1000  # of a session's output, before its answer
LINE_MOST = 64 << 20


def answer(path):
    """The answer in a file, which may be the output of a whole session; None: there is none."""
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
