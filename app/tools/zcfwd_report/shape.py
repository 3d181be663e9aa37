# SPDX-License-Identifier: BSD-3-Clause
"""Read lines of bounded length, and check that lines of a recording have the required members; further members are ignored."""

from . import engines

U64 = 1 << 64


class ReadError(Exception):
    """The file is not a supported recording; the text contains file and reason."""


def lines(file, most):
    """Yield (number, line) of a file. Of a line that is longer than most only the begin is kept, without a newline."""
    number = 0
    while line := file.readline(most):
        rest, end = line, "\n" if isinstance(line, str) else b"\n"
        while rest and not rest.endswith(end):
            rest = file.readline(most)
        number += 1
        yield number, line


def count(value):
    """expected a number from 0 to 2^64 - 1"""
    return type(value) is int and 0 <= value < U64  # excludes bool


def text(value):
    """expected a string"""
    return isinstance(value, str)


def text_or_null(value):
    """expected a string or null"""
    return value is None or text(value)


def counters(value):
    """expected an object of numbers"""
    return isinstance(value, dict) and all(map(count, value.values()))


def rows(value):
    """expected an object for each name"""
    return isinstance(value, dict) and all(isinstance(row, dict) for row in value.values())


def truth(value):
    """expected true or false"""
    return isinstance(value, bool)


def word(value):
    """expected a number, true, false or a string"""
    return isinstance(value, (bool, int, float, str))


def words(value):
    """expected an object of numbers, booleans or strings"""
    return isinstance(value, dict) and all(map(word, value.values()))


def numbers(value):
    """expected an array of numbers"""
    return isinstance(value, list) and all(map(count, value))


def eighths(value):
    """expected an array of numbers from 0 to 8"""
    return numbers(value) and all(one <= 8 for one in value)


# dict: an object with at least these members; list: an array of such elements; function: see its docstring, the error message. "?": optional member.
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
    "?run_ns": count, "?loss": {"offered": count, "?lost": count},
    "pools": [{"name": text, "size": count, "available": count}],
    "groups": {
        "?recycle": [{"stream": count, "moved": count, "?working_set": count}], "?extbuf": [{"stream": count, "mode": text, "?threshold": count, "?out": count}],
        "?cpu": [{"lcore": count, "run_ns": count, "?wait_ns": count, "?preempted": count, "loop_ns": count}],
        "?hardware": [{"lcore": count, **COUNTED}], "?pipeline_worker_hardware": [{"worker": count, "?lcore": count, "?pid": count, **COUNTED}],
        "?pipeline_io": [{"lcore": count, "mode_in": text, "mode_back": text}],
        "?pipeline_worker": [{"worker": count, "packets": count, "bursts": count, "empty_polls": count, "timed": count, "cycles": count,
                              "stage_cycles": count}],
        "?pipeline_ring": [{"direction": text, "stream": count, "worker": count, "shared": word, **dict.fromkeys(RING, count),
                            "?level": count, "fill": {"sizes": eighths, "counts": numbers}}]},
}
LINES = {
    "header": {"recording": text, "zcfwd": text, "dpdk": text, "tsc_hz": count, "every_ms": count, "bursts_every": count, "?only_streams": numbers,
               "machine": {"host": text, "kernel": text, "cpu": text, "cores": count},
               "start": {"wall": text, "mono_ns": count, "tsc": count}, "ports": [PORT],
               "?schema": [{"table": text, "?engine": text, "rows": rows}]},
    "begin": {"run": count, "mono_ns": count, "late": truth, "engine": text, "makes_packets": truth, "?sends_packets": truth, "?retry": truth,
              "ports": [PORT], "?settings": words, "?compare": {"comparison": count, "round": count, "combination": count, "names": [text],
                                                                   "?values": [text]},
              "streams": [{"stream": count, "rx_port": count, "rx_queue": count, "tx_port": count, "tx_queue": count, "?lcore": count}],
              "groups": {"?pipeline": [{"mode": text, "stage": text, "ring_slots": count}]}},
    "interval": FIGURES,
    "end": FIGURES,
    "set": {"run": count, "?mono_ns": count, "name": text, "value": word, "?next_start": truth},
}


def rate(value):
    """expected a non-negative number"""
    return type(value) in (int, float) and 0 <= value < float("inf")


BENCH = {
    "block": count, "element_bytes": count, "why": text, "objects": count, "samples": count, "left_out": numbers, "stopped": truth,
    "cells": [{"lcores": count, "get": count, "put": count, "keep": count, "?ratio": rate, "?ratio_p25": rate, "?ratio_p75": rate,
               "?published": {"plain": rate, "contiguous": rate, "ratio": rate},
               "results": [{"driver": text, "cache": count, "contiguous": truth, "rate": rate, "p25": rate, "p75": rate}]}],
}


def check_bench(answer):
    """Check a result of bench mempool; ValueError if a member is missing or wrong."""
    _check(answer, BENCH, "bench mempool")
    if any("ratio" in cell and not {"ratio_p25", "ratio_p75"} <= set(cell) for cell in answer["cells"]):
        raise ValueError("bench mempool.cells: ratio without quartiles")
    if not any(cell["results"] for cell in answer["cells"]):
        raise ValueError("bench mempool.cells: nothing was measured")




def rate_or_null(value):
    """expected a non-negative number or null"""
    return value is None or rate(value)


BOUNDS = {"%s_%s" % (bound, name): kind for bound in ("lower", "upper")
          for name, kind in (("pps", rate_or_null), ("within", count), ("above", count), ("confidence", rate_or_null))}
LATENCIES = {"%s_us" % name: rate_or_null for name in ("p50", "p90", "p99", "p999", "p9999", "max")}
RATE = {"sizes": [{
    "size": text, "mean_bytes": rate, "ports": count, "min_pps": rate, "max_pps": rate, "trial_seconds": rate, "stopped": truth,
    "trials": [{"load_pps": rate, "sent_pps": rate, "seconds": rate, "loss_percent": rate_or_null, "unsent_percent": rate, "?cpu_share": rate_or_null}],
    "?lost_cpu": text_or_null, "goals": [{"goal": text, "pps": rate, "l1_gbps": rate, "verdict": text, **BOUNDS}],
    "?latency": [{"percent": count, "load_pps": rate, **LATENCIES}]}]}


def check_rate(answer):
    """Check a result of measure rate; ValueError if a member is missing or wrong."""
    _check(answer, RATE, "measure rate")
    if not answer["sizes"] or not all(size["trials"] and size["goals"] for size in answer["sizes"]):
        raise ValueError("measure rate.sizes: nothing was measured")


# The commands whose answers are read, and what checks them.
ANSWERS = {"bench mempool": check_bench, "measure rate": check_rate}


def check(line):
    """Check a line of a known type; ValueError, with the place, if a member is missing or wrong."""
    kind = line.get("type")
    if not isinstance(kind, str):
        raise ValueError("no type")
    _check(line, LINES.get(kind, {}), kind)
    if kind == "header" and (line["tsc_hz"] == 0 or line["every_ms"] == 0):
        raise ValueError("header: TSC frequency or interval is 0")


def _check(value, wanted, where):
    if callable(wanted):
        if not wanted(value):
            raise ValueError("%s: %s" % (where, wanted.__doc__))
    elif isinstance(wanted, list):
        if not isinstance(value, list):
            raise ValueError("%s: expected an array" % where)
        for one in value:
            _check(one, wanted[0], where)
    elif not isinstance(value, dict):
        raise ValueError("%s: expected an object" % where)
    else:
        for name, kind in wanted.items():
            name, may_lack = name.lstrip("?"), name.startswith("?")
            if name in value:
                _check(value[name], kind, "%s.%s" % (where, name))
            elif not may_lack:
                raise ValueError("%s: %s is missing" % (where, name))
