# SPDX-License-Identifier: BSD-3-Clause
"""Limits of waits. Each ends before meson ends the whole file (TEST_LIMIT_S), so that a test that hangs fails alone and names what it waited for."""
import os
import select
import time

STALL_S = 60  # a CPU of a virtual machine may stop for this long; added to each wait, but never beyond the file's limit
REPORT_S = 20  # of the file's limit: to fail, to tear down, to report
# devtools/asan and devtools/cross multiply meson's limits.
END = time.monotonic() + float(os.environ.get("TEST_LIMIT_S", "inf")) * float(os.environ.get("TIMEOUT_MULTIPLIER", "1"))


def limit(seconds):
    """The limit of a wait that takes this long at most on a busy machine."""
    return max(1.0, min(seconds + STALL_S, END - REPORT_S - time.monotonic()))


def until(condition, what, seconds=10.0):
    """For loops that act until condition() is true: for _ in until(...). Yields before each action; fails at the limit."""
    total = limit(seconds)
    end = time.monotonic() + total
    while not condition():
        assert time.monotonic() < end, f"{total:.0f} s passed without: {what}"
        yield


def line_of(pipe, what, seconds=30.0):
    """The next line that a process writes into its pipe; empty at the pipe's end. Nothing behind the line is read."""
    total, line = limit(seconds), b""
    end = time.monotonic() + total
    while not line.endswith(b"\n"):
        assert select.select([pipe], [], [], max(0.0, end - time.monotonic()))[0], f"{total:.0f} s passed without: {what}"
        byte = os.read(pipe.fileno(), 1)
        if not byte:
            break
        line += byte
    return line.decode()
