# SPDX-License-Identifier: BSD-3-Clause
"""The report's section of latency: percentiles over time and over load, gaps between arrivals."""
import math

from . import compared, latency
from .chart import Axis, Chart, Panel
from .plots import SINCE, STREAMS_SHOWN, STYLES, Plot

CURVES = (("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("max", None))
RATE = "generate-rate"
BINS = 20  # per factor of ten
LEAST_US = 1e-3  # below the resolution of the histograms
TIME_TEXT = ("One-way latency of all queues in each interval. A percentile is drawn in intervals that have 100 packets above it. "
             "It includes the bias of the measurement and the time that packets were sent late.")
LOAD_TEXT = ("Latency of whole runs by the rate at which they sent. A run has a point for each percentile that has 100 packets above it. Runs that differ "
             "in more than the rate have lines of their own.")
GAPS_TEXT = ("Times between arrivals of packets that follow each other in a receive queue, in %d steps per factor of ten. Packets of one receive "
             "call arrive at the same time for the program: their share is in the legend, as gaps of 0." % BINS)


def _value(counts, share):
    return latency.most(counts) if share is None else latency.quantile(counts, share)


def duration(us, _=None):
    """Format a time with the unit that suits it."""
    for unit, size in (("s", 1e6), ("ms", 1e3), ("us", 1)):
        if us >= size * (1 - 1e-9):
            return "%g %s" % (us / size, unit)
    return "%g ns" % (us * 1e3)


def over_time(recording, run):
    """Plot percentiles of each interval of a run."""
    lines = latency.over_time(run.times)
    origin = recording.header["start"]["wall_ns"] / 1e9

    def draw(_):
        panel = Panel(Axis(SINCE, tight=True), Axis("one-way latency", scale="log", form=duration))
        for place, (name, share) in enumerate(CURVES):
            edges, heights = [], []
            for begin, end, counts in lines:
                value = _value(counts, share)
                if edges and begin - origin > edges[-1] + 0.002:
                    edges.append(begin - origin)
                    heights.append(float("nan"))
                edges += [end - origin] if edges else [begin - origin, end - origin]
                heights.append(float("nan") if value is None else value)
            if any(not math.isnan(height) for height in heights):
                panel.steps(edges, heights, place, dash=STYLES[place], label=name)
        return Chart([panel])
    return draw


def load_lines(found):
    """Return [(label, [(packets/s sent, figures of the latency of all queues)])] of runs with a log that differ only in their rate."""
    groups = {}
    for one in found:
        if one["latency"] and one["mean_mpps"]:
            settings = {name: value for name, value in one["settings"].items() if name != RATE}
            groups.setdefault(compared.said(settings) if settings else one["engine"], []).append((one["mean_mpps"] * 1e6, one["latency_all"]))
    return [(label, sorted(points, key=lambda point: point[0])) for label, points in groups.items() if len(points) > 1]


def over_load(lines):
    """Plot percentiles of runs by their rate. lines: of load_lines()."""
    def draw(_):
        panel = Panel(Axis("Mpps sent", 0), Axis("one-way latency", scale="log", form=duration), 150)
        for style, (label, points) in enumerate(lines):
            for place, name in enumerate(("p50", "p99", "p999", "max")):
                known = [(rate / 1e6, value[name]) for rate, value in points if value[name] is not None]
                if known:
                    panel.line(*zip(*known), place, dash=STYLES[style % len(STYLES)], mark="o",
                               label="%s%s" % (CURVES[place][0], ", " + label if len(lines) > 1 else ""))
        return Chart([panel])
    return draw


def bins(counts):
    """Return ([edges in us], [share of the gaps in percent]) of gaps above 0, and the share of gaps of 0."""
    n, found = sum(counts.values()), {}
    for cell, count in counts.items():
        if cell > 0:
            place = math.floor(BINS * math.log10(max(latency.lowest(cell) / 1e3, LEAST_US)) + 1e-9)
            found[place] = found.get(place, 0) + count
    places = range(min(found, default=0), max(found, default=0) + 1)
    edges = [10 ** (place / BINS) for place in [*places, places[-1] + 1]]
    return edges, [100 * found.get(place, 0) / max(n, 1) for place in places], 100 * counts.get(0, 0) / max(n, 1)


def gaps(run):
    """Plot the distribution of gaps of each receive queue."""
    queues = sorted({one.queue for one in run.times if one.kind == "gap"})

    def draw(_):
        panel = Panel(Axis("gap", scale="log", form=duration, tight=True), Axis("% of gaps", 0))
        for place, queue in enumerate(queues[:STREAMS_SHOWN]):
            edges, shares, zero = bins(latency.total(run.times, "gap", queue))
            panel.steps(edges, shares, place, dash=STYLES[place // 4 % 4], label="%s (%.1f %% are 0)" % (queue, zero))
        return Chart([panel])
    return draw


def plots(runs, labels, found, about):
    """Yield the plots of runs with a log. runs: [(recording, run)] with plots of their own; found: figures of all runs; about(pairs): lines
    about runs."""
    lines = load_lines(found)
    if lines:
        yield Plot("latency-load", "Latency over load", LOAD_TEXT, over_load(lines), about(runs))
    for place, (recording, run) in enumerate(runs, 1):
        if any(one.kind == "latency" for one in run.times):
            yield Plot("latency-%d" % place, "Latency over time: run %s" % labels[recording, run], TIME_TEXT, over_time(recording, run), about([(recording, run)]))
        if any(one.kind == "gap" for one in run.times):
            yield Plot("gaps-%d" % place, "Gaps between arrivals: run %s" % labels[recording, run], GAPS_TEXT, gaps(run), about([(recording, run)]))


def table(found, make, number):
    """Yield the table of latencies, gaps and lateness in us, if any run has a log. make, number: of the page."""
    rows = [(one["file"], one["run"], {"latency": "latency", "gap": "gap between arrivals", "late": "sent late"}.get(row["kind"], row["kind"]), row["queue"],
             number(row["n"]), *(number(row[name]) for name in latency.SHARES), number(row["max"]), number(row["zero"]))
            for one in found for row in one["latency"]]
    if rows:
        yield make(("file", "run", "time in us", "queue", "values", "p50", "p90", "p99", "p99.9", "p99.99", "max", "zeros"), rows, (0, 2, 3), "latency")
