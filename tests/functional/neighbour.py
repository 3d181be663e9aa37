# SPDX-License-Identifier: BSD-3-Clause
"""A process that takes CPU time from an lcore."""
import contextlib
import os
import subprocess
import sys

from session import die_with_parent

CPU = max(os.sched_getaffinity(0))
LCORES = f"0@{min(os.sched_getaffinity(0))},1@{CPU}"  # lcore 1 on the CPU of the neighbour


@contextlib.contextmanager
def neighbour():
    """Spin on CPU while the block runs."""
    def begin():
        die_with_parent()
        os.sched_setaffinity(0, {CPU})
    # pylint: disable-next=subprocess-popen-preexec-fn
    with subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=begin) as child:
        try:
            yield
        finally:
            child.kill()
            child.wait(timeout=60)
