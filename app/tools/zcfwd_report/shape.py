# SPDX-License-Identifier: BSD-3-Clause
"""What lines of a recording must have before anything is made of them; more members than these are welcome."""

from . import engines

U64 = 1 << 64


def count(value):
    """want a number from 0 to 2^64 - 1"""
    return type(value) is int and 0 <= value < U64  # a truth value is no number


def text(value):
    """want a string"""
    return isinstance(value, str)


def text_or_null(value):
    """want a string or null"""
    return value is None or text(value)


def counters(value):
    """want numbers by name"""
    return isinstance(value, dict) and all(map(count, value.values()))


def rows(value):
    """expected an object for each name"""
    return isinstance(value, dict) and all(isinstance(row, dict) for row in value.values())


def truth(value):
    """want true or false"""
    return isinstance(value, bool)


def word(value):
    """want a number, true, false or a string"""
    return isinstance(value, (bool, int, float, str))


def words(value):
    """want numbers, truth values or strings by name"""
    return isinstance(value, dict) and all(map(word, value.values()))


def numbers(value):
    """want an array of numbers"""
    return isinstance(value, list) and all(map(count, value))


def eighths(value):
    """want an array of numbers from 0 to 8"""
    return numbers(value) and all(one <= 8 for one in value)


# A dict: an object with at least these members; a list: an array of such; a function: what it says. "?": the member may be missing.
PORT = {"port": count, "name": text, "driver": text, "?rx_path": text_or_null, "?tx_path": text_or_null, "rx_queues": count, "tx_queues": count,
        "?link_mbps": count}
CELLS = {"sizes": numbers, "counts": numbers}
RING = ("put_packets", "put_copy", "put_zc", "put_wraps", "put_full", "taken_packets", "taken_empty")
COUNTED = {"packets": count, **{"?" + name: count for name in engines.HARDWARE}}
FIGURES = {
    "run": count, "mono_ns": count, "dt_ns": count, "?cut": truth,
    "streams": [{"stream": count, "rx": count, "made": count, "tx": count, "tx_dropped": count, "absorbed": count,
                 "tx_retried": count, "?busy_cycles": count, "?rx_bytes": count, "?tx_bytes": count, "rx_bursts": CELLS, "tx_bursts": CELLS,
                 "timed": {"rx": count, "tx": count, "cycles": count, **CELLS}, "counters": counters,
                 "?kept_polls": count, "?lost_polls": count}],
    "ports": [{"port": count, **{"?" + name: count for name in (
        "rx_packets", "rx_bytes", "rx_missed", "rx_errors", "rx_nombuf", "tx_packets", "tx_bytes", "tx_errors")}}],
    "?loss": {"offered": count, "lost": count},
    "pools": [{"name": text, "size": count, "available": count}],
    "groups": {
        "?recycle": [{"stream": count, "moved": count}], "?extbuf": [{"stream": count, "mode": text, "?threshold": count, "?out": count}],
        "?hardware": [{"lcore": count, **COUNTED}], "?pipeline_worker_hardware": [{"worker": count, "?lcore": count, "?pid": count, **COUNTED}],
        "?pipeline_io": [{"lcore": count, "mode_in": text, "mode_back": text}],
        "?pipeline_worker": [{"worker": count, "packets": count, "bursts": count, "empty_polls": count, "timed": count, "cycles": count,
                              "stage_cycles": count}],
        "?pipeline_ring": [{"direction": text, "stream": count, "worker": count, "shared": word, **dict.fromkeys(RING, count),
                            "?put_hybrid": count, "?level": count, "fill": {"sizes": eighths, "counts": numbers}}]},
}
LINES = {
    "header": {"recording": text, "zcfwd": text, "dpdk": text, "tsc_hz": count, "every_ms": count, "bursts_every": count, "?only_streams": numbers,
               "machine": {"host": text, "kernel": text, "cpu": text, "cores": count},
               "start": {"wall": text, "mono_ns": count, "tsc": count}, "ports": [PORT],
               "?schema": [{"table": text, "?engine": text, "rows": rows}]},
    "begin": {"run": count, "mono_ns": count, "late": truth, "engine": text, "makes_packets": truth, "?sends_packets": truth, "?retry": truth,
              "ports": [PORT], "?settings": words, "?compare": {"comparison": count, "round": count, "combination": count, "names": [text]},
              "streams": [{"stream": count, "rx_port": count, "rx_queue": count, "tx_port": count, "tx_queue": count, "?lcore": count}],
              "groups": {"?pipeline": [{"mode": text, "stage": text, "ring_slots": count}]}},
    "interval": FIGURES,
    "end": FIGURES,
    "set": {"run": count, "?mono_ns": count, "name": text, "value": word, "?next_start": truth},
}


def rate(value):
    """want a number that is not negative"""
    return type(value) in (int, float) and 0 <= value < float("inf")


BENCH = {
    "block": count, "element_bytes": count, "why": text, "objects": count, "samples": count, "left_out": numbers, "stopped": truth,
    "cells": [{"lcores": count, "get": count, "put": count, "keep": count, "?ratio": rate, "?ratio_p25": rate, "?ratio_p75": rate,
               "?published": {"plain": rate, "contiguous": rate, "ratio": rate},
               "results": [{"driver": text, "cache": count, "contiguous": truth, "rate": rate, "p25": rate, "p75": rate}]}],
}


def check_bench(answer):
    """The same for an answer of bench mempool."""
    _check(answer, BENCH, "bench mempool")
    if any("ratio" in cell and not {"ratio_p25", "ratio_p75"} <= set(cell) for cell in answer["cells"]):
        raise ValueError("bench mempool.cells: a ratio without quartiles")
    if not any(cell["results"] for cell in answer["cells"]):
        raise ValueError("bench mempool.cells: nothing was measured")


def check(line):
    """ValueError, and where, for a line of a known kind that lacks something."""
    kind = line.get("type")
    if not isinstance(kind, str):
        raise ValueError("no type")
    _check(line, LINES.get(kind, {}), kind)
    if kind == "header" and (line["tsc_hz"] == 0 or line["every_ms"] == 0):
        raise ValueError("header: frequency or interval of 0")


def _check(value, wanted, where):
    if callable(wanted):
        if not wanted(value):
            raise ValueError("%s: %s" % (where, wanted.__doc__))
    elif isinstance(wanted, list):
        if not isinstance(value, list):
            raise ValueError("%s: want an array" % where)
        for one in value:
            _check(one, wanted[0], where)
    elif not isinstance(value, dict):
        raise ValueError("%s: want an object" % where)
    else:
        for name, kind in wanted.items():
            name, may_lack = name.lstrip("?"), name.startswith("?")
            if name in value:
                _check(value[name], kind, "%s.%s" % (where, name))
            elif not may_lack:
                raise ValueError("%s: no %s" % (where, name))
