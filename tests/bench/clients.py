# SPDX-License-Identifier: BSD-3-Clause
# What clients of the control socket cost forwarding: none, and 100 that ask for the port's counters, in turn in one process.
"""
control/clients/100: one lcore forwards between two net_null ports by engine io. In mode `each second` every client asks once per second, in mode `always` it
asks again as soon as it is answered. A sample is a slice of a second per mode; the cost is nanoseconds per packet, by the counters of port 1.
"""
import contextlib
import json
import os
import selectors
import socket
import subprocess
import threading
import time

import modes
from forwarder import NICE, before_exec

MODES = ("none", "each second", "always")
CLIENTS, SLICE_S, WARM_S, SAMPLES, LEAST = 100, 1.0, 0.5, 15, 3
LINE = b"show port stats all\n"


def make_cases(_quick):
    yield modes.Case(f"control/clients/{CLIENTS}", ("control", f"{CLIENTS} clients"), MODES, lambda setup, _lockstep: measure(setup))


class Clients(threading.Thread):
    """Connections that ask: each again after pause_s, or after its answer; None: they are silent. A context manager."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.pause_s, self.ends, self.answers = None, False, 0
        self.selector = selectors.DefaultSelector()
        for _ in range(CLIENTS):
            one = socket.socket(socket.AF_UNIX)
            one.settimeout(modes.TIMEOUT_S)
            one.connect(path)
            self.selector.register(one, selectors.EVENT_READ, {"due": 0.0, "asked": False})

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ends = True
        self.join(timeout=modes.TIMEOUT_S)
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()

    def run(self):
        with contextlib.suppress(OSError):  # as the program: the other tasks of this machine are not asked
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
        while not self.ends:
            for key, _ in self.selector.select(0.002):
                if key.fileobj.recv(1 << 20).endswith(b"\n"):
                    key.data["asked"] = False
                    self.answers += 1
            now = time.monotonic()
            for place, key in enumerate(self.selector.get_map().values()):
                if self.pause_s is None or key.data["asked"] or now < key.data["due"]:
                    continue
                key.fileobj.sendall(LINE)
                # From half of the pause to one and a half, so that they do not ask together.
                key.data.update(asked=True, due=now + self.pause_s * (0.5 + place / CLIENTS))


class Asker:
    """The connection of the measurement itself."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rw", encoding="utf-8")

    def ask(self, line):
        self.lines.write(line + "\n")
        self.lines.flush()
        answer = json.loads(self.lines.readline())
        if not answer["ok"]:
            raise ValueError(answer["error"]["message"])
        return answer

    def sent(self):
        """(moment, packets that port 1 has sent)."""
        return time.monotonic_ns(), self.ask("show port stats 1")["ports"][0]["tx_packets"]


@contextlib.contextmanager
def program(setup, path):
    argv = modes.command_line(setup.binary["a"], ",".join("%d@%d" % pair for pair in enumerate(setup.cores)), setup,
                              ["--vdev=net_null0", "--vdev=net_null1"], [f"--control=unix:{path}"])
    argv.remove("-i")
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=before_exec) as process:
        try:
            begin = time.monotonic()
            while not os.path.exists(path):
                if process.poll() is not None or time.monotonic() - begin > modes.TIMEOUT_S:
                    raise ValueError("the program did not listen")
                time.sleep(0.01)
            yield
        finally:
            process.terminate()


def measure(setup):
    """{mode: [ns per packet of each slice]}."""
    found, path = {mode: [] for mode in MODES}, os.path.join(setup.folder, "clients.sock")
    with program(setup, path), Clients(path) as clients:
        asker = Asker(path)
        asker.ask("start")
        for _ in range(modes.samples(setup, SAMPLES, LEAST)):
            for mode, clients.pause_s in zip(MODES, (None, 1.0, 0.0)):
                time.sleep(WARM_S)
                answers, (begin, first) = clients.answers, asker.sent()
                time.sleep(SLICE_S)
                end, last = asker.sent()
                found[mode].append((end - begin) / max(last - first, 1))
                if (clients.answers > answers) != (mode != "none"):
                    raise ValueError(f"{clients.answers - answers} answers in mode {mode}")
    return found
