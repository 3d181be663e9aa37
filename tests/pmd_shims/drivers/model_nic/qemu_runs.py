# SPDX-License-Identifier: BSD-3-Clause
"""Runs on cards of QEMU."""
import os
import re
import subprocess

from conftest import binary_path
from session import eal_args

GONE_S = 5  # to close a port whose card is gone
REMOVED = re.escape('zcfwd: port 1: its card was removed: it neither receives nor sends; "stop" releases it')


def run(models, eal=(), env=None):
    argv = [str(binary_path()), *eal_args(), *eal, "--", "-i", "--no-mlockall", "--model", models]
    return subprocess.run(argv, input="quit\n", capture_output=True, text=True, timeout=90, check=False, env={**os.environ, **(env or {})})
