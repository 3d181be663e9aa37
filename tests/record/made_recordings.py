# SPDX-License-Identifier: BSD-3-Clause
"""Recordings and burst files that tests write themselves, and zcfwd-report on files."""
import contextlib
import io
import json
import os
import struct
import subprocess
import sys

from conftest import ROOT
from recorded import command

REPORT = ROOT / "app/tools/zcfwd-report"
S = 1_000_000_000


def process(*words, env=None):
    return subprocess.run([sys.executable, str(REPORT), *map(str, words)], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **(env or {})}, check=False)


def report(*words):
    """As process(), without a Python and a matplotlib of its own."""
    out, errors = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        status = command.main(list(map(str, words)))
    return subprocess.CompletedProcess(words, status, *(file.buffer.getvalue().decode("utf-8", "surrogateescape") for file in (out, errors)))


def header(**more):
    port = {"port": 0, "name": "net_x", "driver": "net_x", "rx_path": "Vector AVX2", "tx_path": None, "rx_queues": 1, "tx_queues": 1}
    return {"type": "header", "format": "zcfwd-record", "version": 2, "recording": "1-1", "zcfwd": "0.1.0", "dpdk": "DPDK 22.11.11",
            "machine": {"host": "h", "kernel": "6", "architecture": "x86_64", "cpu": "C", "cores": 2}, "tsc_hz": 2_000_000_000,
            "start": {"wall": "2026-01-02T03:04:05Z", "wall_ns": 1, "mono_ns": 100 * S, "tsc": 5000}, "every_ms": 1000,
            "bursts_every": 0, "lcores": [], "ports": [port], "engine": "io", "settings": {}, **more}


def begin(number, engine, at, makes=False, **more):
    return {"type": "begin", "run": number, "mono_ns": at * S, "late": False, "engine": engine, "makes_packets": makes, "retry": False,
            "streams": [{"stream": 0, "rx_port": 0, "rx_queue": 0, "tx_port": 0, "tx_queue": 0, "lcore": 1}],
            "ports": header()["ports"], "settings": {}, "groups": {}, **more}


def cells(pairs):
    """A histogram as recordings have it."""
    return {"sizes": [size for size, _ in pairs], "counts": [n for _, n in pairs]}


def interval(number, at, rx, dt=S, tx=None, sizes=None, kind="interval"):
    """One stream; every timed packet cost ten cycles."""
    tx = rx if tx is None else tx
    sizes = sizes or [[0, 7], [32, rx // 32]]
    return {"type": kind, "run": number, "mono_ns": int(at * S), "dt_ns": int(dt), "streams": [
        {"stream": 0, "rx": rx, "made": 0, "tx": tx, "tx_dropped": rx - tx, "absorbed": 0, "tx_retried": 0,
         "rx_bursts": cells(sizes), "tx_bursts": cells([[32, tx // 32]]),
         "timed": {"polls": 2, "rx": 64, "tx": 64, "cycles": 640, **cells([[320, 2]])}, "counters": {},
         "kept_polls": 0, "lost_polls": 0}],
        "ports": [{"port": 0, "rx_packets": rx, "rx_bytes": 64 * rx, "rx_missed": 5, "rx_errors": 0, "rx_nombuf": 1,
                   "tx_packets": tx, "tx_bytes": 64 * tx, "tx_errors": 0}],
        "pools": [{"name": "p", "size": 100, "available": int(at) % 100}], "groups": {}}


def written(path, *lines):
    """A file of these lines."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def one_run(number, engine, packets, end=None, **more):
    """Lines of a run of a second at 100 s and so on, which sends so many packets."""
    at = 100 + 2 * number
    return [begin(number, engine, at, **more), interval(number, at + 1, packets), {**interval(number, at + 1, packets, kind="end"), **(end or {})}]


def with_cpu(line, *lcores):
    """The interval, with (lcore, run, wait or None, loop) in ns."""
    line["groups"]["cpu"] = [{"lcore": lcore, "run_ns": ran, **({} if waited is None else {"wait_ns": waited, "preempted": 7}), "loop_ns": loop}
                             for lcore, ran, waited, loop in lcores]
    return line


def trial(round_, combination, comparison=1, names=("burst", "engine")):
    """What a run of a comparison has as compare."""
    return {"comparison": comparison, "round": round_, "combination": combination, "names": list(names)}


def known(path, engine="io", rates=(1_000_000, 2_000_000, 3_000_000)):
    """Three whole intervals and one of 10 ms at the end, which must not count as a rate."""
    lines = [header(), begin(1, engine, 100)]
    lines += [interval(1, 101 + i, rate) for i, rate in enumerate(rates)]
    lines += [interval(1, 103.01, 640_000, S // 100, 320_000, [[1, 640_000]])]
    lines += [interval(1, 103.01, 0, kind="end"), {"type": "news", "of": "later versions"}, {"type": "stop", "run": 0, "mono_ns": 104 * S}]
    return written(path, *lines)


def burst_file(path, polls=((6000, 20, 3, 4), (7000, 21, 5, 0))):
    def chunk(kind, payload, lost=0):
        payload += b" " * (-len(payload) % 16)
        return struct.pack("<4sHHIIQQ", b"chnk", kind, 9 if kind == 3 else 0, 1, len(payload), lost, 0) + payload
    path.write_bytes(struct.pack("<8sII", b"ZCFWDBST", 1, 32) + b"{}" + b" " * 14 + chunk(1, json.dumps(header()).encode() + b"\n") +
                     chunk(77, b"of later versions") + chunk(3, b"".join(struct.pack("<QIHH", *poll) for poll in polls), 2))
    return path


def members(value, place=()):
    """Where every member of an object is, at any depth."""
    for key, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*place, key)
        yield from members(one, (*place, key))


def changed(value, place, other):
    """The same object with another value there."""
    if not place:
        return other
    copy = value.copy()
    copy[place[0]] = changed(copy[place[0]], place[1:], other)
    return copy
