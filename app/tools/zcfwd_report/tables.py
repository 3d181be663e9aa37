# SPDX-License-Identifier: BSD-3-Clause
"""Tables in CSV: the polls of a burst file, the intervals of a recording. Standard library only."""
import csv

from . import figures, latency, read

POLLS = ("run", "stream", "seconds", "tsc", "cycles", "rx", "tx")
# Columns of an interval, and those of each of its streams, ports and lcores, which are named stream0_rx_pps and so on.
INTERVAL = ("run", "engine", "seconds", "dt_ns", "pps", "lost", "offered", "loss_fraction", "cycles_per_packet", "cpu_share")
STREAM = {"rx_pps": "rx", "made_pps": "made", "tx_pps": "tx", "tx_dropped_pps": "tx_dropped", "absorbed_pps": "absorbed"}
PORT = {"rx_pps": "rx_packets", "tx_pps": "tx_packets", "rx_missed_pps": "rx_missed", "rx_nombuf_pps": "rx_nombuf", "tx_errors_pps": "tx_errors"}


def rows_of_polls(path, notes):
    """Yield the rows of a burst file, with seconds since the start of the recording."""
    header, found = read.bursts(path, notes)
    start, hz, lost = header["start"]["tsc"], header["tsc_hz"], 0
    yield POLLS
    for part in found:
        lost += part.lost
        for tsc, cycles, rx, tx in part.polls:
            yield part.run, part.stream, "%.9f" % ((tsc - start) / hz), tsc, cycles, rx, tx
    if lost:
        notes.append("%s: %d polls were lost during the recording" % (path, lost))


def cell(value):
    """Format a number that was computed; empty: unknown."""
    return "" if value is None else "%.9g" % value if isinstance(value, float) else value


def rates(prefix, count, names, ns):
    """Return {column: packets per second} of a stream or a port."""
    return {"%s_%s" % (prefix, column): count[name] * figures.NS / max(ns, 1) for column, name in names.items() if name in count}


def interval(recording, run, line):
    """Return {column: value} of an interval."""
    lost = figures.loss_of(run, line)
    shares = {"lcore%d_cpu_share" % one["lcore"]: one["share"] for one in figures.cpu([line])}
    found = {"run": run.number, "engine": run.engine, "seconds": "%.9f" % ((line["mono_ns"] - recording.header["start"]["mono_ns"]) / figures.NS),
             "dt_ns": line["dt_ns"], "pps": figures.mpps(run, line) * 1e6, "lost": lost.get("lost"), "offered": lost.get("offered"),
             "loss_fraction": lost["lost"] / lost["offered"] if lost.get("offered") and "lost" in lost else None,
             "cycles_per_packet": figures.cycles_per_packet(run, [line]),
             "cpu_share": min((share for share in shares.values() if share is not None), default=None)}
    for one in line["streams"]:
        name = "stream%d" % one["stream"]
        found.update(rates(name, one, STREAM, line["dt_ns"]))
        found[name + "_cycles_per_packet"] = figures.cycles_per_packet(run, [{"streams": [one]}])
    for one in line["ports"]:
        found.update(rates("port%d" % one["port"], one, PORT, line["dt_ns"]))
    return {**found, **shares}


def rows_of_intervals(path, notes):
    """Yield the rows of a recording: an interval each, with the time of its end in seconds since the start of the recording."""
    recording = read.recording(path)
    notes += recording.notes
    found = [interval(recording, run, line) for run in recording.runs for line in run.intervals]
    if not found:
        raise read.ReadError("%s: empty recording, it has no intervals" % path)
    parts = [name for part in ("stream", "port", "lcore") for one in found for name in one if name.startswith(part)]
    columns = [*INTERVAL, *dict.fromkeys(parts)]
    yield columns
    yield from ([cell(one.get(name)) for name in columns] for one in found)


def begun(path, notes):
    """Return (columns, rows) of the table of a file, or raise ReadError. notes: list to which errors are appended, also while rows are read."""
    if latency.is_log(path):
        raise read.ReadError("%s: a log of histograms; use the recording beside it" % path)
    rows = rows_of_polls(path, notes) if read.is_bursts(path) else rows_of_intervals(path, notes)
    return next(rows), rows


def write(file, columns, rows):
    """Write a table of begun()."""
    table = csv.writer(file, lineterminator="\n")
    table.writerow(columns)
    table.writerows(rows)
