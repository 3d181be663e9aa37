# SPDX-License-Identifier: BSD-3-Clause
"""The same lines to dpdk-testpmd and zcfwd on the same ports: what each said, stderr among it, line by line."""
import re

from modelled import Modelled, needs_model_nic
from session import Session

VERDICT = re.compile(r"^(Bad arguments|Command not found|Ambiguous command)$", re.M)
LOG = re.compile(r"^\w+\(\): .*\n", re.M)  # a driver's
POINTER = re.compile(r"cause: 0x[0-9a-f]+")


def plain(answer):
    """Without what differs from run to run, and without why zcfwd refuses a line that both refuse."""
    verdict = VERDICT.search(answer)
    return verdict.group() + "\n" if verdict else LOG.sub("", POINTER.sub("cause: (pointer)", answer))


def said(session, lines):
    return [plain(session.cmd(line)) for line in lines]


def on_null(binary, lines, **options):
    with Session(binary, merge=True, **options) as session:
        return said(session, lines)


def on_modelled(binary, devices, lines, tmp_path, args=(), **options):
    with Modelled(binary, devices, tmp_path, args, merge=True, **options) as session:
        return said(session, lines)


def differences(lines, theirs, ours, known=()):
    """[(line, testpmd's answer, zcfwd's)], but for known: [(line, what zcfwd says, as a regular expression)]."""
    found = []
    for line, one, two in zip(lines, theirs, ours, strict=True):
        if one == two or any(re.fullmatch(pattern, line) and re.search(wanted, two, re.M) for pattern, wanted in known):
            continue
        found.append((line, one, two))
    return found


__all__ = ["differences", "needs_model_nic", "on_modelled", "on_null", "plain"]
