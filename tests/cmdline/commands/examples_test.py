# SPDX-License-Identifier: BSD-3-Clause
"""Every command's example runs, given by a client; every setting takes the value its manual shows."""
import pytest

from package import answer_of, started

pytestmark = pytest.mark.zcfwd


def calm(session):
    """An example may have started forwarding or stopped the ports: the next one begins as the first did."""
    for line in ("stop", "port start all", "set default"):
        answer_of(session, line)


def test_examples(binary):
    failed = []
    with started(binary) as session:
        examples = [row["example"] for row in session.command("help all")["commands"] if "example" in row]
        assert len(examples) > 100
        for line in examples:
            if line.startswith("watch"):
                continue  # it does not end
            if line.startswith("set pool"):
                session.command("port stop all")  # pools are made anew only while nobody has buffers
            answer = answer_of(session, line)
            if not answer["ok"]:
                failed.append((line, answer["error"]["message"]))
            calm(session)
    assert failed == []
