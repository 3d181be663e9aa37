# SPDX-License-Identifier: BSD-3-Clause
"""Further statistics of engines: lcores and rings of pipelines, external buffers, hardware counters. Standard library only."""

EIGHTHS = 9  # ring levels in eighths: 0 is less than one eighth, 8 is full
# Rows of hardware counters; some are missing on some machines.
HARDWARE = ("cycles", "instructions", "stalled_frontend", "stalled_backend", "l1d_refills", "l1d_writebacks", "l2_refills", "l2_writebacks",
            "l3_refills", "mc_requests")


def _sums(parts, names):
    return {name: sum(part[name] for part in parts) for name in names}


def _each(cycles, packets):
    return cycles / packets if packets else None


def _fill(rings):
    """Return the number of bursts by ring level after them: a list of EIGHTHS numbers."""
    found = dict.fromkeys(range(EIGHTHS), 0)
    for ring in rings:
        for eighth, n in zip(ring["fill"]["sizes"], ring["fill"]["counts"]):
            found[eighth] += n
    return [found[eighth] for eighth in range(EIGHTHS)]


def has_rings(line):
    """Return whether an interval belongs to a pipeline."""
    return "pipeline_ring" in line["groups"]


def fills(lines, direction):
    """Return for each interval of a pipeline the bursts by level of the rings in a direction."""
    return [_fill(ring for ring in line["groups"]["pipeline_ring"] if ring["direction"] == direction) for line in lines if has_rings(line)]


def _worker(parts):
    found = _sums(parts, ("packets", "bursts", "empty_polls", "timed", "cycles", "stage_cycles"))
    return {**{name: parts[0][name] for name in ("worker", "lcore", "pid") if name in parts[0]},
            **{name: found[name] for name in ("packets", "bursts", "empty_polls")},
            "ring_cycles": _each(found["cycles"] - found["stage_cycles"], found["timed"]),
            "stage_cycles": _each(found["stage_cycles"], found["timed"])}


def _ring(parts):
    put = _sums(parts, ["put_" + name for name in ("packets", "copy", "zc", "wraps", "full")])
    # Older recordings have a separate mode, zero-copy except for bursts that wrap: count it as zero-copy.
    levels = [ring["level"] for ring in parts if "level" in ring]
    after = _fill(parts)
    return {**{name: parts[0][name] for name in ("direction", "stream", "worker")}, **{name[len("put_"):]: n for name, n in put.items()},
            "empty": None if parts[0]["shared"] else sum(ring["taken_empty"] for ring in parts),
            "mean_fill": sum(eighth * n for eighth, n in enumerate(after)) / 8 / sum(after) if any(after) else None,
            "most_level": max(levels, default=None)}


def _grouped(lines, part, key):
    found = {}
    for line in lines:
        for one in line["groups"].get(part, []):
            found.setdefault(key(one), []).append(one)
    return found.values()


def pipeline(run):
    """Return the statistics of a run's pipeline; None if it has none."""
    lines = [line for line in run.intervals if has_rings(line)]
    if not lines:
        return None
    return {"modes": sorted({"%s in, %s back" % (io["mode_in"], io["mode_back"]) for io in lines[-1]["groups"]["pipeline_io"]}),
            "workers": [_worker(parts) for parts in _grouped(lines, "pipeline_worker", lambda one: one["worker"])],
            "rings": [_ring(parts) for parts in _grouped(lines, "pipeline_ring", lambda one: (one["direction"], one["stream"], one["worker"]))]}


def hardware(run):
    """Return hardware counters per packet by lcore: [{"who", "packets", "ipc", NAME: value or None}], empty if not recorded."""
    found = []
    for part, who in (("hardware", "lcore"), ("pipeline_worker_hardware", "worker")):
        for parts in _grouped(run.intervals, part, lambda one: one[who]):
            packets = sum(one["packets"] for one in parts)
            if not packets:
                continue
            mine = {name: sum(one.get(name, 0) for one in parts) / packets if any(name in one for one in parts) else None for name in HARDWARE}
            if mine["mc_requests"] is not None:  # counted for the whole machine: divide by the packets of all lcores
                mine["mc_requests"] *= packets / sum(one["packets"] for line in run.intervals for one in line["groups"].get(part, []))
            ipc = mine["instructions"] / mine["cycles"] if mine["cycles"] and mine["instructions"] is not None else None
            found.append({"who": "%s %d" % (who, parts[0][who]), "packets": packets, "ipc": ipc, **mine})
    return found


def external(run):
    """Return the external buffer statistics of streams: [{"stream", "mode", ...}], empty for other engines."""
    found = {}
    for line in run.intervals:
        counters = {one["stream"]: one["counters"] for one in line["streams"]}
        for one in line["groups"].get("extbuf", []):
            mine = found.setdefault(one["stream"], {"stream": one["stream"], "copied": 0, "attached": 0, "most_out": None})
            mine.update(mode=one["mode"], threshold=one.get("threshold"), limited="out" in one)
            for name in ("copied", "attached"):
                mine[name] += counters.get(one["stream"], {}).get(name, 0)
            if "out" in one:
                mine["most_out"] = max(mine["most_out"] or 0, one["out"])
    return list(found.values())
