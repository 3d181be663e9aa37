# SPDX-License-Identifier: BSD-3-Clause
"""Capture files that other programs change while replay reads or sends them: no signal kills the program, and one line names the file and says what happened."""
import gzip
import json
import os
import shlex

import pytest

from capture_files import GOOD, Files, refused, replay, rows, write_file, write_ng
from session import wait_until

CHANGING = os.environ.get("CHANGING_FILE_MODULE")
pytestmark = pytest.mark.zcfwd
needs_changes = pytest.mark.skipif(not CHANGING, reason="the stand-in for read(2) is not built")

# It is read twice, 64 KiB at a time, and once more to see that it ends. Random bytes stay long under gzip.
N = 400
PACKETS = [GOOD + number.to_bytes(4, "big") + os.urandom(700) for number in range(N)]
WRITERS = {"pcap": write_file, "pcapng": write_ng, "gzip": lambda path, packets: gzipped(write_file(path, packets))}
EARLY, LATE = 3, 8  # reads in the middle of the first reading, and of the second one


def gzipped(path):
    path.write_bytes(gzip.compress(path.read_bytes(), 1))
    return path


def commands(path, new, eighth=1):
    """How another program changes the file; overwritten: 8 bytes after this eighth of it."""
    size, at = path.stat().st_size, shlex.quote(str(path))
    return {"truncated": f"truncate -s {size // 4} {at}", "emptied": f": > {at}", "removed": f"rm {at}", "replaced": f"mv {new} {at}",
            "overwritten": f"dd if=/dev/zero of={at} bs=1 seek={size // 8 * eighth} count=8 conv=notrunc status=none",
            "rewritten": f"cat {new} > {at}", "grows": f"cat {new} >> {at}"}


# What is said at a change in the middle of the first reading, in which case the file may be sent as far as it was read, and of the second one.
SAID = {"truncated": ("became shorter while it was read", "was overwritten while it was read"),
        "emptied": ("was overwritten while it was read", "was overwritten while it was read"),
        "removed": ("the file was removed while it was read", None),
        "replaced": ("the file was replaced by another one while it was read", None),
        "overwritten": ("was overwritten while it was read", "was overwritten while it was read"),
        "rewritten": ("was overwritten while it was read", "was overwritten while it was read"),
        "grows": (None, None)}


@pytest.mark.rotates(6)
@needs_changes
@pytest.mark.parametrize("at", [EARLY, LATE])
@pytest.mark.parametrize("how", SAID)
@pytest.mark.parametrize("kind", WRITERS)
def test_changes_while_it_is_read(binary, tmp_path, kind, how, at):
    """Refused, or sent as far as it was read, with the reason; the next start with a good file sends all of it, and no mbuf is lost."""
    path, good = WRITERS[kind](tmp_path / "in", PACKETS), write_file(tmp_path / "good", PACKETS[:9])
    new = WRITERS[kind](tmp_path / "new", [bytes(reversed(packet)) for packet in PACKETS])
    said = SAID[how][at == LATE]
    env = {"LD_PRELOAD": CHANGING, "CHANGING_FILE": str(path), "CHANGING_BY": commands(path, new, 1 if at == EARLY else 7)[how], "CHANGING_AT": str(at)}
    with Files(binary, tmp_path, env=env) as session:
        session.ok(f"set replay none port 1 {path}", "set replay-rate max")
        answer = session.json("start until done")
        if answer["ok"]:
            row = rows(session)[0]
            assert row["sent"] == row["packets"] == answer["summary"]["sent"] <= N
            assert row["packets"] == N or said and said in row["unreadable"], row
            sent = row["packets"]
        else:
            message = answer["error"]["message"]
            assert said and said in message and message.count(str(path)) == 1 and "\n" not in message, answer
            assert session.json_ok("show extmem")["extmem"] == []
            sent = 0
        replay(session, f"set replay none port 1 {good}")
        session.quit()
    assert session.out() == PACKETS[:sent] + PACKETS[:9]


@pytest.mark.parametrize("how", ["truncated", "emptied", "removed", "replaced", "rewritten", "grows"])
def test_changes_while_it_is_sent(binary, tmp_path, how):
    """The file is in memory by then: all of its packets are sent as they were, however it changes."""
    path, new = write_file(tmp_path / "in", PACKETS[:100]), write_file(tmp_path / "new", [bytes(reversed(packet)) for packet in PACKETS])
    with Files(binary, tmp_path) as session:
        session.ok(f"set replay none port 1 {path}", "set replay-rate 1000", "set replay-times 3")
        session.json_ok("start")
        wait_until(lambda: rows(session)[0]["sent"] > 10, "the first packets")
        assert os.system(commands(path, new)[how]) == 0
        wait_until(lambda: rows(session)[0]["done"], "the last packet")
        session.json_ok("stop")
        row = rows(session)[0]
        assert row["sent"] + row["unsent"] == 300 and row["tx_dropped"] == 0, row
        session.quit()
    out = session.out()
    assert len(out) == row["sent"] and set(out) <= set(PACKETS[:100])
    assert row["unsent"] > 0 or out == PACKETS[:100] * 3


@needs_changes
def test_signal_in_a_cut_file(binary, tmp_path):
    """A signal while a file changes ends the command, not the program's accounts."""
    path = write_file(tmp_path / "in", PACKETS)
    env = {"LD_PRELOAD": CHANGING, "CHANGING_FILE": str(path), "CHANGING_AT": str(EARLY),
           "CHANGING_BY": f"truncate -s 100 {shlex.quote(str(path))}; kill -TERM $PPID"}
    with Files(binary, tmp_path, env=env) as session:
        session.ok(f"set replay {path}", "set replay-rate max")
        session.send("start\n")
        message = json.loads(session.finish()[0].splitlines()[0])["error"]["message"]
        # The signal is taken by a thread, which may be later than the end of the file.
        assert f"stopped by a signal while reading {path}" in message or f"{path}: the file was overwritten" in message, message
