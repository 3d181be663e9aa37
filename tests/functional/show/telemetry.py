# SPDX-License-Identifier: BSD-3-Clause
"""A client of DPDK's telemetry socket that takes every answer apart: its size, its JSON, the command it answers."""
import json
import socket

from session import SessionError

PATIENCE_S = 40


class Telemetry:
    """Use as a context manager; ask("/COMMAND,PARAMETERS") gives the answer, None for null."""

    def __init__(self, session):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.connect(socket_path(session))  # with a time limit, a full backlog would be a failure
        self.socket.settimeout(PATIENCE_S)
        self.limit = json.loads(self.socket.recv(65536))["max_output_len"]

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def close(self):
        self.socket.close()

    def ask(self, command):
        self.socket.send(command.encode("ascii"))
        text = self.socket.recv(self.limit * 2)
        if not text:
            raise SessionError(f"{command}: the program closed the socket")
        assert len(text) <= self.limit, f"{command}: {len(text)} bytes"
        answer = json.loads(text, object_pairs_hook=without_twins)
        assert list(answer) == [command.split(",")[0]]
        return answer[command.split(",")[0]]

    def pages(self, command, key):
        """All members of the object key, page by page."""
        found, first = {}, 0
        while True:
            answer = self.ask(f"{command},{first}")
            assert answer[key], f"{command},{first}: an empty page"
            assert not set(answer[key]) & set(found)
            found.update(answer[key])
            if "next" not in answer:
                return found
            assert answer["next"] > first
            first = answer["next"]


def socket_path(session):
    return str(next(session.home.rglob("dpdk_telemetry.v2*")))


def without_twins(pairs):
    """An object's members; a name that stands twice would lose a value."""
    assert len({name for name, _ in pairs}) == len(pairs), pairs
    return dict(pairs)
