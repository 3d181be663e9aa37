# SPDX-License-Identifier: BSD-3-Clause
"""Figures of runs: rates, cycles, histograms, medians and quartiles. Standard library only."""
from collections import Counter

from . import engines, latency

NS = 1e9
NOT_COUNTED = ("stream", "kept_polls", "lost_polls")  # numbers of a stream that are not summed over intervals
DROPS = (("tx_dropped", "streams", "the Tx ring was full"), ("rx_missed", "ports", "no Rx descriptor was free"),
         ("rx_errors", "ports", "damaged on the wire"), ("rx_nombuf", "ports", "the mempool was empty"),
         ("tx_errors", "ports", "the driver could not send them"))
IN_LOSS = ("tx_dropped", "rx_missed", "tx_errors")  # drops that are part of the loss
L1_BYTES = 4 + 8 + 12  # bytes of a frame on the wire that ports do not count: checksum, preamble, gap
NO_SPEED = 0xFFFFFFFF  # link speed unknown
ENOUGH_CPU = 0.95  # share of its CPU below which an lcore is named
ENOUGH = 0.5  # minimum length relative to the recording's interval: rates of shorter ones are not meaningful


def quantile(values, q):
    """Return a quantile, with linear interpolation between the closest ranks; None without values."""
    ranked = sorted(values)
    if not ranked:
        return None
    place = q * (len(ranked) - 1)
    below = int(place)
    above = min(below + 1, len(ranked) - 1)
    return ranked[below] + (ranked[above] - ranked[below]) * (place - below)


def spread(values):
    """Return {"median", "low", "high", "least", "most", "n"}; low and high are the quartiles."""
    return {"median": quantile(values, 0.5), "low": quantile(values, 0.25), "high": quantile(values, 0.75),
            "least": min(values, default=None), "most": max(values, default=None), "n": len(values)}


def whole(run, every_ms):
    """Return the intervals that are long enough for a meaningful rate, or all if none is."""
    return [line for line in run.intervals if line["dt_ns"] >= ENOUGH * every_ms * 1e6] or run.intervals


def mpps(run, line, stream=None):
    """Return the Mpps of one interval: packets sent, or received if the engine never sends."""
    count = sum(one[run.moved] for one in line["streams"] if stream in (None, one["stream"]))
    return count / max(line["dt_ns"], 1) * NS / 1e6


def _port_sum(run, name, ports):
    return sum(port.get(name, 0) for line in run.intervals for port in line["ports"] if port["port"] in ports)


def wire(run, pps):
    """Return {"l2_gbps", "l1_gbps", "line_share", "lost", "offered", "unsent"} of a whole run with pps packets per second, from bytes and links of the
    sending ports (receiving ports if the engine never sends). None: the ports do not report it."""
    receive = {stream["rx_port"] for stream in run.streams.values()}
    count = {stream["tx_port"] for stream in run.streams.values()} if run.sends else receive
    size, packets = (_port_sum(run, ("tx_" if run.sends else "rx_") + name, count) for name in ("bytes", "packets"))
    speeds = [port.get("link_mbps", 0) for port in run.begin["ports"] if port["port"] in count]
    line = sum(speed for speed in speeds if speed != NO_SPEED) / 1e3
    l2 = pps * 8 * size / packets / 1e9 if size and packets and pps is not None else None
    l1 = None if l2 is None else l2 + pps * 8 * L1_BYTES / 1e9
    return {"l2_gbps": l2, "l1_gbps": l1, "line_share": l1 / line if l1 is not None and line else None,
            **whole_loss(run)}


def whole_ns(run):
    """Return the length of a run as its line Run: has it; of older recordings, and those that began late, that of all intervals."""
    own = run.end.get("run_ns") if run.end and not run.begin["late"] else None
    return own or sum(line["dt_ns"] for line in run.intervals)


def whole_loss(run):
    """Return {"lost", "offered", "unsent"} of a run. Of engine measure its end alone knows what was lost; None: not recorded."""
    lines = [loss_of(run, interval) for interval in run.intervals]
    offered, unsent = (sum(line.get(key, 0) for line in lines) for key in ("offered", "unsent"))
    if all("lost" in line for line in lines):
        return {"lost": sum(line["lost"] for line in lines), "offered": offered, "unsent": unsent}
    end = run.end.get("loss", {}) if run.end else {}
    return {"lost": end.get("lost"), "offered": end.get("offered", offered), "unsent": unsent}


def loss_of(run, line):
    """Return {"lost", "offered"} of an interval; computed for older recordings, which lack it, without packets dropped by engines."""
    if "loss" in line:
        return line["loss"]
    receive, ports = {stream["rx_port"] for stream in run.streams.values()}, line["ports"]
    missed = sum(port.get("rx_missed", 0) for port in ports if port["port"] in receive)
    streams, used = line["streams"], receive | {stream["tx_port"] for stream in run.streams.values()}
    return {"lost": sum(one["tx_dropped"] for one in streams) + missed + sum(port.get("tx_errors", 0) for port in ports if port["port"] in used),
            "offered": sum(one["rx"] + one["made"] for one in streams) + missed}


def cycles_per_packet(run, lines):
    """Return the cycles per packet: of all non-empty polls if record-core-cycles was on, as in the shell, otherwise of the polls timed for the
    recording. None if there were no packets, or if no poll with packets ended: an lcore may lose its CPU within one for a whole interval."""
    streams = [stream for line in lines for stream in line["streams"]]
    counted = [one for one in streams if one.get("busy_cycles") is not None]
    cycles, of = ("busy_cycles", counted) if counted else ("cycles", [one["timed"] for one in streams])
    packets, spent = sum(one[run.work] for one in of), sum(one[cycles] for one in of)
    return spent / packets if packets and spent else None


def histogram(lines, key, stream=None):
    """Return a Counter of burst sizes (key rx_bursts or tx_bursts) or of cycles (timed) over all lines."""
    found = Counter()
    for line in lines:
        for one in line["streams"]:
            if stream in (None, one["stream"]):
                found.update(dict(zip(one[key]["sizes"], one[key]["counts"])))
    return found


def percentile(counts, q):
    """Return the q quantile of the sizes of non-empty bursts; None without any."""
    total, seen = sum(n for size, n in counts.items() if size > 0), 0
    for size in sorted(size for size in counts if size > 0):
        seen += counts[size]
        if seen >= q * total:
            return size
    return None


def mean_size(counts):
    """Return the packets per non-empty burst; None without any."""
    bursts = sum(n for size, n in counts.items() if size > 0)
    return sum(size * n for size, n in counts.items()) / bursts if bursts else None


def engine_drops(recording, engine):
    """Return {name: row of the recording's schema} for the engine's counters of lost packets."""
    return {name: row for table in recording.header.get("schema", ()) if table["table"] == "counters" and table.get("engine") == engine
            for name, row in table["rows"].items() if row.get("drop")}


def drops(recording, run):
    """Return {reason: packets lost}; each packet is counted once."""
    found = {name: sum(one.get(name, 0) for line in run.intervals for one in line[where]) for name, where, _ in DROPS}
    for name, row in engine_drops(recording, run.engine).items():
        found[name] = sum(one["counters"].get(name, 0) for line in run.intervals for one in line["streams"])
        if row.get("within") in found:
            found[row["within"]] -= found[name]
    way = run.end.get("loss", {}).get("lost_on_the_way") if run.end else None
    if way:
        found["lost_on_the_way"] = way
    return found


def stream_totals(run):
    """Return the sums over all intervals, by stream and counter."""
    found = {number: Counter() for number in run.streams}
    for line in run.intervals:
        for one in line["streams"]:
            found[one["stream"]].update({name: n for name, n in one.items() if isinstance(n, int) and name not in NOT_COUNTED})
    return found


def cpu_share(count):
    """Return the share of its CPU that an lcore had, as the program computes it; None: it was not in its loop."""
    asked = count["run_ns"] + count["wait_ns"] if "wait_ns" in count else count["loop_ns"]
    asked = asked or count["loop_ns"]
    return min(count["run_ns"] / asked, 1) if asked else None


def cpu(lines):
    """Return the CPU time of each lcore over all lines: [{"lcore", "run_ns", "wait_ns", "preempted", "loop_ns", "share"}], empty for older
    recordings. None: the kernel did not count it, or the lcore was not in its loop."""
    lcores = {}
    for line in lines:
        for one in line["groups"].get("cpu", ()):
            lcores.setdefault(one["lcore"], []).append(one)
    found = []
    for lcore, ones in sorted(lcores.items()):
        sums = {name: sum(one[name] for one in ones) for name in ("run_ns", "wait_ns", "preempted", "loop_ns") if all(name in one for one in ones)}
        found.append({"lcore": lcore, "wait_ns": None, "preempted": None, **sums, "share": cpu_share(sums)})
    return found


def lacks_cpu(line):
    """Return whether an lcore had less of its CPU than ENOUGH_CPU in an interval."""
    return any((share := cpu_share(one)) is not None and share < ENOUGH_CPU for one in line["groups"].get("cpu", ()))


def recycled(lines):
    """Return the share of packets received in recycled mbufs; None if the engine does not recycle."""
    lines = [line for line in lines if "recycle" in line["groups"]]
    received = sum(stream["rx"] for line in lines for stream in line["streams"])
    return sum(one["moved"] for line in lines for one in line["groups"]["recycle"]) / received if received else None


def working_set(lines):
    """Return the most bytes of mbufs that circulated at the end of an interval, over all streams; None without a window."""
    sums = [sum(one["working_set"] for one in line["groups"].get("recycle", []) if "working_set" in one) for line in lines]
    return max(sums, default=0) or None


def least_available(lines):
    """Return (pool, mbufs, size) for the lowest pool level; None without pools."""
    levels = [(pool["available"] / max(pool["size"], 1), pool) for line in lines for pool in line["pools"]]
    if not levels:
        return None
    pool = min(levels, key=lambda level: level[0])[1]
    return pool["name"], pool["available"], pool["size"]


def of_run(recording, run):
    """Return all figures of one run, as shown on the page and in its data."""
    lines, counted = run.intervals, whole(run, recording.header["every_ms"])
    took, packets = whole_ns(run) / NS, sum(one[run.moved] for line in lines for one in line["streams"])
    wired = wire(run, packets / took if took else None)
    rx, tx = histogram(lines, "rx_bursts"), histogram(lines, "tx_bursts")
    return {
        "file": recording.name, "run": run.number, "engine": run.engine, "late": run.begin["late"],
        "ended": run.end is not None, "seconds": took, "intervals": len(lines),
        "packets": packets, "counts": run.moved, "mean_mpps": packets / took / 1e6 if took else None,
        "mpps": spread([mpps(run, line) for line in counted]),
        **wired, "loss": wired["lost"] / wired["offered"] if wired["offered"] and wired["lost"] is not None else None, "mean_cycles": cycles_per_packet(run, lines),
        "cycles_per_packet": spread([value for line in counted if (value := cycles_per_packet(run, [line])) is not None]),
        "rx_bursts": {"mean": mean_size(rx), "p50": percentile(rx, 0.5), "p90": percentile(rx, 0.9),
                      "p99": percentile(rx, 0.99), "empty": rx.get(0, 0), "bursts": sum(rx.values())},
        "tx_bursts": {"mean": mean_size(tx), "p50": percentile(tx, 0.5), "p90": percentile(tx, 0.9),
                      "p99": percentile(tx, 0.99), "empty": tx.get(0, 0), "bursts": sum(tx.values())},
        "drops": drops(recording, run), "recycled": recycled(lines), "working_set": working_set(lines), "least_available": least_available(lines),
        "cpu": cpu(lines), "cpu_lacking": sum(map(lacks_cpu, lines)),
        "streams": stream_totals(run), "pipeline": engines.pipeline(run), "extbuf": engines.external(run), "hardware": engines.hardware(run),
        "latency": latency.of_run(run), "latency_all": latency.percentiles(latency.total(run.times, "latency")),
        "kept_polls": sum(one.get("kept_polls", 0) for one in run.end["streams"]) if run.end else None,
        "lost_polls": sum(one.get("lost_polls", 0) for one in run.end["streams"]) if run.end else None,
    }


def compare(found):
    """Pool runs with identical engine and settings: [{"engine", "settings", "runs", "files", "mpps", "cycles_per_packet"}], with the spread
    of the runs' medians, in order of appearance."""
    groups = {}
    for one in found:
        groups.setdefault((one["engine"], *one["settings"].items()), []).append(one)
    return [{"engine": runs[0]["engine"], "settings": runs[0]["settings"], "runs": len(runs),
             "files": list(dict.fromkeys(one["file"] for one in runs)), **{key: spread([one[key]["median"] for one in runs if one[key]["median"] is not None]) for key in ("mpps", "cycles_per_packet")}}
            for runs in groups.values()]
