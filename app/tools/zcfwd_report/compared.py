# SPDX-License-Identifier: BSD-3-Clause
"""Differences between runs, and results of the command compare. Standard library only."""
import math

from . import figures
from .figures import ENOUGH_CPU

LEVEL = 0.95  # confidence level of intervals
ENOUGH = 3  # runs of a combination that have to remain, to leave out others


def ranked(values):
    """Return {"median", "low", "high", "cover", "n"}, or None without values. low and high are order statistics: the narrowest symmetric
    confidence interval for the median with a level of at least 95 %, or minimum and maximum if there are too few values. cover: the
    actual confidence level."""
    n, values = len(values), sorted(values)
    if not n:
        return None
    outside, cover, below = 0, 0.0, 0.0
    for k in range((n + 1) // 2):
        below += math.comb(n, k) / 2 ** n
        if k and 1 - 2 * below < LEVEL:
            break
        outside, cover = k, max(0.0, 1 - 2 * below)
    return {"median": (values[(n - 1) // 2] + values[n // 2]) / 2, "low": values[outside], "high": values[n - 1 - outside], "cover": cover, "n": n}


def conditions(recording, run):
    """Return {name: value} of all conditions of a run: settings (with each value if changed during the run) and other choices."""
    found = {name: [value] for name, value in run.begin.get("settings", {}).items()}
    for line in recording.sets:
        if line["run"] == run.number and not line.get("next_start") and found.get(line["name"], [None])[-1] != line["value"]:
            found.setdefault(line["name"], []).append(line["value"])
    header, ports = recording.header, run.begin["ports"]
    found.update({
        "retry": [run.begin.get("retry")], "streams": [len(run.streams)], "lcores": [len({one.get("lcore") for one in run.begin["streams"]})],
        "ports": [" + ".join(port["driver"] for port in ports)], "receive functions": [" + ".join(port.get("rx_path") or "?" for port in ports)],
        "machine": [header["machine"]["host"]], "dpdk": [header["dpdk"]], "zcfwd": [header["zcfwd"]],
        "recorded every (ms)": [header["every_ms"]], "polls kept, one of": [header["bursts_every"]]})
    return {name: ", then ".join(map(word, values)) for name, values in found.items()}


def word(value):
    """Format a value as on the command line; a dash if it is unknown."""
    return "–" if value is None else {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


def differing(pairs):
    """Return for each (recording, run) the conditions that are not identical in all: [{name: value}], with the same order of names."""
    found = [conditions(*pair) for pair in pairs]
    names = list(dict.fromkeys(name for one in found for name in one))
    names = [name for name in names if len({one.get(name) for one in found}) > 1]
    return [{name: one.get(name, "–") for name in names} for one in found]


def said(settings):
    """Format the differing conditions of a run for a table cell or a label."""
    return ", ".join("%s %s" % (name, value) for name, value in settings.items()) or "–"


def is_whole(run):
    """Return whether a run of a comparison is complete."""
    return run.end is not None and not run.end.get("cut")


def values(run):
    """Return {name: value} of what was compared. Older recordings have no values beside the names."""
    told, settings = run.begin["compare"], run.begin.get("settings", {})
    if "values" in told:
        return dict(zip(told["names"], told["values"]))
    return {name: run.engine if name == "engine" else word(settings.get(name)) for name in told["names"]}


def lost_cpu(one):
    """Return whether an lcore lost its CPU in a run, by the run's figures."""
    return any(lcore["share"] is not None and lcore["share"] < ENOUGH_CPU for lcore in one["cpu"])


def counting(ones):
    """Return the runs that are in the medians, {round: figures}: without those that lost their CPU, if enough others remain."""
    kept = {number: one for number, one in ones.items() if not lost_cpu(one)}
    return kept if len(kept) >= ENOUGH and 2 * len(kept) >= len(ones) else ones


def _row(values, ones, first):
    """Return a table row. ones: {round: figures of the run}; first: the same for the combination that is the base of ratios."""
    def of(key):
        return ranked([value for one in ones.values() if (value := one[key]) is not None])
    lost, offered, unsent = (sum(one[key] or 0 for one in ones.values()) for key in ("lost", "offered", "unsent"))
    return {"values": values, "runs": len(ones), "mpps": of("mean_mpps"), "cycles_per_packet": of("mean_cycles"), "l2_gbps": of("l2_gbps"),
            "l1_gbps": of("l1_gbps"), "line_share": of("line_share"), "lost": lost, "offered": offered, "unsent": unsent, "loss": lost / offered if offered else None,
            "ratio": ranked([one["mean_mpps"] / first[number]["mean_mpps"] for number, one in ones.items()
                             if number in first and first[number]["mean_mpps"] and one["mean_mpps"] is not None])}


def comparisons(recording, stats):
    """Return the comparisons of a recording: [{"file", "comparison", "names", "rows"}], without incomplete runs. stats: {run number:
    figures.of_run()}."""
    found = {}
    for run in recording.runs:
        told = run.begin.get("compare")
        if told and run.intervals:
            mine = found.setdefault((told["comparison"], tuple(told["names"])), {})
            combination = mine.setdefault(told["combination"], (values(run), {}))
            if is_whole(run):
                combination[1][told["round"]] = stats[run.number]
    result = []
    for (number, names), combinations in found.items():
        ordered = [combinations[place] for place in sorted(combinations)]
        first = counting(next((ones for _, ones in ordered if ones), {}))
        result.append({"file": recording.name, "comparison": number, "names": list(names),
                       "rows": [{**_row(values, counting(ones), first), "lost_cpu": sum(map(lost_cpu, ones.values())),
                                 "left_out": len(ones) - len(counting(ones))} for values, ones in ordered]})
    return result


def runs_of(recordings):
    """Return all runs with at least one interval, as (recording, run)."""
    return [(recording, run) for recording in recordings for run in recording.runs if run.intervals]


def figures_of(recordings):
    """Return the figures of all runs of runs_of(), in the same order, with what differs between them, and the comparisons of all recordings."""
    pairs = runs_of(recordings)
    found = [{**figures.of_run(*pair), "settings": settings, "compare": pair[1].begin.get("compare")} for pair, settings in zip(pairs, differing(pairs))]
    return found, [one for recording in recordings for one in comparisons(
        recording, {run.number: stats for (owner, run), stats in zip(pairs, found) if owner is recording})]
