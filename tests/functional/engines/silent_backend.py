# SPDX-License-Identifier: BSD-3-Clause
"""A vhost-user backend that agrees to everything, never polls, and so wants to be notified of each buffer."""
import socket
import struct
import threading

from limits import limit

REPLY = 1 << 2 | 1  # flags of an answer: version 1
GET_FEATURES, SET_VRING_BASE, GET_VRING_BASE = 1, 10, 11
FEATURES = 1 << 32  # VERSION_1


class SilentBackend:
    """Listens on a socket while the block runs; one frontend."""

    def __init__(self, path):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(1)
        self.listener.settimeout(limit(60))
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.listener.close()

    def serve(self):
        try:
            peer, _ = self.listener.accept()
            peer.settimeout(limit(600))
            with peer:
                while header := peer.recv(12, socket.MSG_WAITALL):
                    request, _flags, size = struct.unpack("<III", header)
                    body = peer.recv(size, socket.MSG_WAITALL) if size else b""
                    if request == GET_FEATURES:
                        self.answer(peer, request, struct.pack("<Q", FEATURES))
                    elif request == GET_VRING_BASE:
                        self.answer(peer, request, body[:4] + bytes(4))
        except OSError:
            pass  # either side has gone

    @staticmethod
    def answer(peer, request, body):
        peer.sendall(struct.pack("<III", request, REPLY, len(body)) + body)
