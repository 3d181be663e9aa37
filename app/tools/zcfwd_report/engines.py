"""Numbers of the engines that tell more than counters: pipelines lcore by lcore and ring by ring, external buffers. Standard library only."""

EIGHTHS = 9  # 0 is less than one, 8 is full


def _sums(parts, names):
    return {name: sum(part[name] for part in parts) for name in names}


def _each(cycles, packets):
    return cycles / packets if packets else None


def fills(lines, direction):
    """Bursts by how full, in eighths, the rings of a direction were after them: per line a list of EIGHTHS numbers."""
    return [[sum(ring["fill"][eighth] for ring in line["pipeline"]["rings"] if ring["direction"] == direction)
             for eighth in range(EIGHTHS)] for line in lines if "pipeline" in line]


def _worker(parts):
    found = _sums(parts, ("packets", "bursts", "idle_turns", "timed", "cycles", "stage_cycles"))
    return {**{name: parts[0][name] for name in ("worker", "lcore", "pid") if name in parts[0]},
            **{name: found[name] for name in ("packets", "bursts", "idle_turns")},
            "ring_cycles": _each(found["cycles"] - found["stage_cycles"], found["timed"]),
            "stage_cycles": _each(found["stage_cycles"], found["timed"])}


def _ring(parts):
    put = _sums([ring["put"] for ring in parts], ("packets", "copy", "zc", "hybrid", "wraps", "full"))
    taken = [ring["taken"] for ring in parts if "taken" in ring]
    levels = [ring["level"] for ring in parts if "level" in ring]
    after = [sum(ring["fill"][eighth] for ring in parts) for eighth in range(EIGHTHS)]
    return {**{name: parts[0][name] for name in ("direction", "stream", "worker")}, **put,
            "empty": sum(side["empty"] for side in taken) if taken else None,
            "mean_fill": sum(eighth * n for eighth, n in enumerate(after)) / 8 / sum(after) if any(after) else None,
            "most_level": max(levels, default=None)}


def _grouped(lines, part, key):
    found = {}
    for line in lines:
        for one in line["pipeline"][part]:
            found.setdefault(key(one), []).append(one)
    return found.values()


def pipeline(run):
    """What a pipeline did in a run; None: the run had none."""
    lines = [line for line in run.intervals if "pipeline" in line]
    if not lines:
        return None
    return {"modes": sorted({"%s in, %s back" % (io["mode_in"], io["mode_back"]) for io in lines[-1]["pipeline"]["io"]}),
            "workers": [_worker(parts) for parts in _grouped(lines, "workers", lambda one: one["worker"])],
            "rings": [_ring(parts) for parts in _grouped(lines, "rings", lambda one: (one["direction"], one["stream"], one["worker"]))]}


def external(run):
    """What streams of a run did with external buffers: [{"stream", "mode", ...}], empty for other engines."""
    found = {}
    for line in run.intervals:
        for one in line["streams"]:
            if "extbuf" in one:
                mine = found.setdefault(one["stream"], {"stream": one["stream"], "copied": 0, "attached": 0, "most_out": None})
                mine.update(mode=one["extbuf"]["mode"], threshold=one["extbuf"].get("threshold"), limited="threshold" in one["extbuf"])
                for name in ("copied", "attached"):
                    mine[name] += one["counters"].get(name, 0)
                if "out" in one["extbuf"]:
                    mine["most_out"] = max(mine["most_out"] or 0, one["extbuf"]["out"])
    return list(found.values())
