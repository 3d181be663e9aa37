# SPDX-License-Identifier: BSD-3-Clause
# The engine l3fwd (A) beside DPDK's example l3fwd (B) on modelled XL710: same routes, same packets, same offloads. The example with the
# lines of devtools/foreign (A) beside the example as it is (B).
"""
Both live at the same time and stand still but for their slices. Their cards are stepped behind every 512 packets that they receive, by stepper.c, which is preloaded into both: what a card does is not timed,
and a sample is the median over the batches of a slice. So Mpps are those of an lcore that always finds full bursts: its clock over cycles per packet. Prefixes are of 24 bits, every eighth of a large table
of 28; packets go to addresses drawn at random once. The example is built so that gcc does not take its loops for cold (devtools/foreign), and waits for full bursts as long as the engine is told to.
"""
import functools
import json
import os
import random
import signal
import socket
import subprocess
import time

import example
import frames
from forwarder import Forwarder, ForwarderError
from modes import plugin_of
from rig import Slice, measure_fresh

PORTS = (0, 1)
PEERS = ["02:00:00:00:00:b%d" % port for port in PORTS]
LOOKUPS = ("fib", "lpm", "em")
# Routes, and the ports that those lead to which packets take.
TABLES = {"16-routes": (16, PORTS), "1000-routes": (1000, PORTS), "one-port": (16, PORTS[1:])}
DEVICES = {"xl710": ("xl710", "xl710"), "82599": ("82599", "82599"), "both": ("xl710", "82599"), "ice": ("ice", "ice"), "mlx5": ("mlx5", "mlx5")}
MOCKS = ("ice", "mlx5") # mock ports
QUICK_DEVICES = ("xl710", "both")  # those with a published row
PACKETS = 4096  # in the file that each card sends for ever
RUNS = 8        # process pairs, at most: tables take their time to make
DRAIN_US = 100     # as the example has it
LONGEST = 1 << 16  # answer of telemetry
UP = b"entering main loop"


def make_names(quick):
    """l3fwd/LOOKUP/TABLE, l3fwd/recycled/lpm/DEVICES"""
    return ["l3fwd/%s/%s" % (lookup, table) for lookup in LOOKUPS for table in list(TABLES)[:1 if quick else None]] + [
        "l3fwd/recycled/lpm/%s" % devices for devices in (QUICK_DEVICES if quick else DEVICES)]


def routes_of(lookup, n):
    """As example.py has them, half of them to each port."""
    if lookup == "em":
        return [("198.18.%d.%d" % (i >> 8, i & 255), "198.19.0.1", 1024 + i, 9, 17, i % 2) for i in range(n)]
    return [("10.%d.%d.0/%d" % (i >> 8, i & 255, 28 if n > 256 and i % 8 == 7 else 24), i % 2) for i in range(n)]


def packet(draw, route):
    """One that takes this route."""
    if len(route) > 2:
        return frames.udp(*route[:4])
    net = route[0].rpartition(".")[0]
    return frames.udp("192.0.2.%d" % draw.randrange(1, 255), "%s.%d" % (net, draw.randrange(1, 15)), draw.randrange(1024, 65536), 9)


class Example(Forwarder):
    """It has no prompt: it is up when its lcore polls, and a signal ends it."""

    def _at_prompt(self, text):
        return UP in text

    def close(self):
        self.process.send_signal(signal.SIGINT)
        return super().close()


class Cards:
    """One of the two, still but for its slices."""

    def __init__(self, side, name, setup, programs):
        """side: "a" or "b"; name: of the case. Raises ForwarderError or OSError with nothing left running."""
        self.dut, self.telemetry = None, None
        *recycled, lookup, last = name.split("/")[1:]
        n, ways = TABLES["16-routes" if recycled else last]
        devices, program = DEVICES[last if recycled else "xl710"], "zcfwd" if side == "a" and not recycled else "recycled" if side == "a" else "example"
        mock = devices[0] in MOCKS
        routes, draw, name, path = routes_of(lookup, n), random.Random(1), "%s-%s" % (setup.run_id, side), os.path.join(setup.folder, "l3fwd.pcap")
        used = [route for route in routes if route[-1] in ways]
        frames.write(path, [packet(draw, draw.choice(used)) for _ in range(PACKETS)])
        ports = ["--vdev=net_mock%d,driver=%s,rx=pcap:%s:0" % (i, devices[i], path) for i in PORTS] if mock else []
        memory = ["--in-memory"] if setup.hugepages else ["--no-huge", "--no-shconf", "-m", "1000"]
        argv = ["env", "MODEL_NIC=" + ("" if mock else ";".join("%s,rx=pcap:%s:0" % (device, path) for device in devices)), "MODEL_NIC_MODE=step", "LD_PRELOAD=" + programs["stepper"],
                "LD_LIBRARY_PATH=" + example.library_folder(programs["zcfwd"]), programs[program], "--lcores=0@%d,1@%d" % setup.cores,
                *memory, "--no-pci", "-d", programs["mock" if mock else "plugin"], *ports, "--iova-mode=va", "--file-prefix=" + name, "--"]
        try:
            if program == "zcfwd":
                self.dut = Forwarder([*argv, "-i", "--no-mlockall", "--no-flush-rx", "--total-num-mbufs=8192", "--rxd=1024", "--txd=1024", "--enable-rx-cksum"])
                for line in [*example.commands(setup.folder, lookup, routes, PEERS), "set l3fwd drain %d" % DRAIN_US, "start"]:
                    self.dut.command(line)
            else:
                self.dut = Example([*argv, *example.options(setup.folder, lookup, routes, PEERS)])
            self.telemetry = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            self.telemetry.settimeout(5)
            self.telemetry.connect(os.path.join(setup.folder, "dpdk", name, "dpdk_telemetry.v2"))
            self.telemetry.recv(LONGEST)
        except (ForwarderError, OSError):
            self.close()
            raise
        self.dut.freeze(True)

    def close(self):
        if self.telemetry:
            self.telemetry.close()
        if self.dut:
            self.dut.close()

    def slice(self, _count, seconds):
        """As a rig does: what the batches of so many seconds say."""
        self.dut.freeze(False)
        try:
            self._ask()
            time.sleep(seconds)
            told = self._ask()
        finally:
            self.dut.freeze(True)
        rate = 1000 * told["hz"] / told["millicycles"] if told["batches"] else 0
        return Slice(rate, seconds, told["packets"], told["packets"], 0, 0, [round(rate)])

    def _ask(self):
        self.telemetry.send(b"/stepper/cost")
        return json.loads(self.telemetry.recv(LONGEST))["/stepper/cost"]


def bench(rows, setup, lockstep, failures, progress):
    """All process pairs of all cases, in turn; a case that fails so many times is left out of the rest."""
    try:
        recycled = [row for row in rows if "/recycled/" in row.name]
        programs = {"zcfwd": setup.binary["a"], "example": example.build(setup.folder) if rows else None,
                    "recycled": example.build(os.path.join(setup.folder, "recycled"), setup.binary["a"]) if recycled else None,
                    "plugin": plugin_of(lockstep), "mock": plugin_of(lockstep, "tests/model_nic/mock/mock.so"),
                    "stepper": example.build_stepper(setup.folder) if rows else None}
    except (OSError, subprocess.SubprocessError) as error:
        for row in rows:
            row.failures.append(str(error))
        return
    for turn in range(min(setup.runs, RUNS) if rows else 0):
        for row in rows:
            if len(row.failures) < failures:
                measure_fresh(row, functools.partial(Cards, name=row.name, setup=setup, programs=programs), "tx", setup, turn)
        progress("l3fwd %d/%d" % (turn + 1, min(setup.runs, RUNS)))
