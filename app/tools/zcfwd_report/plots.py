# SPDX-License-Identifier: BSD-3-Clause
"""The plots of recordings, in light and dark and in wide and narrow variants."""
import itertools
from collections import namedtuple

from . import engines, figures
from .chart import Axis, Chart, Panel, Picture
from .read import printable

# Colours of a scheme; lines are distinguishable for colour-blind readers and in greyscale.
class Scheme(namedtuple("Scheme", "name ground ink soft faint lines heat")):
    """The colours of a light or a dark page."""

    def colours(self):
        """Return all of them but those of heat maps, in the same order for each scheme."""
        return self.ground, self.ink, self.soft, self.faint, *self.lines


LIGHT = Scheme("light", "#ffffff", "#1b1f24", "#57606a", "#d0d7de",
               ("#0b5fb0", "#c2410c", "#0f766e", "#9d1d64", "#6d5a00", "#4338ca", "#3f3f46", "#166534"),
               ("#ffffff", "#9ecae1", "#2171b5", "#08306b"))
DARK = Scheme("dark", "#14181d", "#e6edf3", "#9aa5b1", "#39424c",
              ("#6cb2ff", "#ff9d66", "#4fd1c0", "#ff86c8", "#e3c94b", "#a5a1ff", "#c9cdd3", "#7fd88f"),
              ("#14181d", "#1d4f7c", "#4aa3e0", "#d6efff"))
STYLES = ("-", "--", "-.", ":")
WIDE, NARROW = 9.0, 4.4  # inches; text remains readable on pages of 1280 and 390 pixels
STREAMS_SHOWN = 8
POOLS_SHOWN = 16
ROWS_MOST = 64  # rows of a heat map
ROW = 23  # points: the height of a row with a name
SHADED = "an lcore had less than %.0f %% of its CPU" % (100 * figures.ENOUGH_CPU)
MARK_SHOWN = 20  # characters of a run's name above a curve: a longer name would leave the curve no room
SINCE = "seconds since the recording began"
# text: the caption; about: lines below the title, in the picture; draw(inches): makes the chart.
Plot = namedtuple("Plot", "name title text draw about", defaults=((),))


def picture(plot, inches):
    """Return the picture of a plot with this width."""
    return Picture(plot.title, plot.about, plot.draw(inches), inches)


def seconds(recording, mono_ns):
    """Return the seconds since the start of the recording."""
    return (mono_ns - recording.header["start"]["mono_ns"]) / figures.NS


def steps(recording, parts):
    """Return (edges, heights) of values over their intervals; None and times without an interval are gaps. parts: [(lines, values)] of runs."""
    edges, heights = [], []
    for line, value in itertools.chain.from_iterable(zip(*part) for part in parts):
        begin = seconds(recording, line["mono_ns"] - line["dt_ns"])
        if edges and begin > edges[-1]:
            edges.append(begin)
            heights.append(float("nan"))
        edges += [seconds(recording, line["mono_ns"])] if edges else [begin, seconds(recording, line["mono_ns"])]
        heights.append(float("nan") if value is None else value)
    return edges, heights


def ceiling(values):
    """Return the upper limit of an axis, not dominated by a few intervals."""
    return 1.25 * max(figures.quantile(values, 0.95) or 1, 1e-9)


def runs_in(panel, recording, marks=None):
    """Mark the start of each run, with its label. marks: {run number: label}."""
    panel.rules([seconds(recording, run.begin["mono_ns"]) for run in recording.runs])
    for run in recording.runs if marks else ():
        mark = marks.get(run.number, "")
        panel.notes.append((seconds(recording, run.begin["mono_ns"]), mark if len(mark) <= MARK_SHOWN else mark[:MARK_SHOWN - 1] + "…"))


def shaded(recording):
    """Return the boxes of the intervals in which an lcore lacked its CPU."""
    spans = []
    for line in filter(figures.lacks_cpu, (line for run in recording.runs for line in run.intervals)):
        begin, end = (seconds(recording, line["mono_ns"] - ns) for ns in (line["dt_ns"], 0))
        if spans and begin <= spans[-1][1]:
            begin = spans.pop()[0]
        spans.append((begin, end))
    return [(begin, end, None, None) for begin, end in spans]


def over_time(recording, marks):
    """Plot throughput and cycles per packet of all runs of a recording. marks: {run number: label}."""
    lines = [(run, figures.whole(run, recording.header["every_ms"])) for run in recording.runs]
    rates, costs = ([(kept, [figure(run, line) for line in kept]) for run, kept in lines]
                    for figure in (figures.mpps, lambda run, line: figures.cycles_per_packet(run, [line])))
    several = [(run, kept) for run, kept in lines if 1 < len(run.streams) <= STREAMS_SHOWN]
    spans = shaded(recording)

    def draw(_):
        x = Axis(SINCE, tight=True)
        above, below = (Panel(x, Axis(label, 0, ceiling([value for _, values in parts for value in values if value is not None])))
                        for label, parts in (("Mpps", rates), ("cycles per packet", costs)))
        for panel in (above, below):
            panel.boxes(spans, "ink", 0.12, label=SHADED if panel is above else None)
        above.steps(*steps(recording, rates), 0, label="all streams" if several else None)
        most = max((len(run.streams) for run, _ in several), default=0)
        for place in range(most):
            # Each line is narrower than the one below it, so that equal lines remain visible.
            mine = [(kept, [figures.mpps(run, line, sorted(run.streams)[place]) for line in kept]) for run, kept in several if place < len(run.streams)]
            number = next(sorted(run.streams)[place] for run, _ in several if place < len(run.streams))
            above.steps(*steps(recording, mine), place + 1, width=0.8 + 3.2 * (most - 1 - place) / most, dash=STYLES[place // 4 % 2 + 1],
                        label="stream %d" % number)
        below.steps(*steps(recording, costs), 1)
        runs_in(above, recording, marks)
        runs_in(below, recording)
        return Chart([above, below])
    return draw


def _name(run, number):
    route = run.streams[number]
    return "stream %d: port %d.%d to %d.%d" % (number, route["rx_port"], route["rx_queue"], route["tx_port"], route["tx_queue"])


def distribution(run):
    """Plot the distribution of burst sizes of each stream."""
    shown = sorted(run.streams)[:STREAMS_SHOWN]
    counts = {(key, number): figures.histogram(run.intervals, key, number) for number in shown for key in ("rx_bursts", "tx_bursts")}

    def draw(inches):
        x, y = Axis("packets per burst", 0.2, max([1, *(size for mine in counts.values() for size in mine)]) + 0.8), Axis("% of bursts", 0)
        panels = [Panel(x, y, 100, _name(run, number)) for number in shown]
        for number, panel in zip(shown, panels):
            for key, label, colour, shift in (("rx_bursts", "received", 0, -0.2), ("tx_bursts", "sent", 1, 0.2)):
                total = max(sum(n for size, n in counts[key, number].items() if size > 0), 1)
                panel.boxes([(size + shift - 0.2, size + shift + 0.2, 0, 100 * n / total) for size, n in sorted(counts[key, number].items()) if size > 0],
                            colour, label=label)
        return Chart(panels, 1 if inches == NARROW or len(shown) == 1 else 2)
    return draw


def _edges(recording, lines):
    """Return the edges of a heat map's columns, in seconds since the start of the recording."""
    return [seconds(recording, line["mono_ns"] - line["dt_ns"]) for line in lines] + [seconds(recording, lines[-1]["mono_ns"])]


def heat(recording, run, key, what):
    """Plot burst sizes over time; each column is an interval."""
    columns = [figures.histogram([line], key) for line in run.intervals]
    most = max([1, *(size for column in columns for size in column)])
    step = max(1, -(-most // ROWS_MOST))
    rows = [[0.0] * len(columns) for _ in range(0, most, step)]
    for place, column in enumerate(columns):
        total = sum(n for size, n in column.items() if size > 0)
        for size, n in column.items():
            if size > 0:
                rows[(size - 1) // step][place] += 100 * n / total if total else 0

    def draw(_):
        panel = Panel(Axis(SINCE, tight=True), Axis("packets per burst", tight=True), 150, what)
        panel.heat(_edges(recording, run.intervals), [0.5 + step * i for i in range(len(rows) + 1)], rows)
        return Chart([panel])
    return draw


def pool_levels(recording, marks):
    """Plot the free share of each pool over time. marks: {run number: label}."""
    lines = [line for run in recording.runs for line in run.intervals]
    names = list(dict.fromkeys(pool["name"] for line in lines for pool in line["pools"]))

    def draw(_):
        panel = Panel(Axis(SINCE, tight=True), Axis("% free", 0, 105))
        for place, name in enumerate(names[:POOLS_SHOWN]):
            levels = [next((100 * pool["available"] / max(pool["size"], 1) for pool in line["pools"] if pool["name"] == name), None) for line in lines]
            panel.steps(*steps(recording, [(lines, levels)]), place, dash=STYLES[place // 4 % 4], label=name)
        runs_in(panel, recording, marks)
        return Chart([panel])
    return draw


def ring_levels(recording, run):
    """Plot the ring levels of a pipeline over time, to the workers and back."""
    lines = [line for line in run.intervals if engines.has_rings(line)]

    def draw(_):
        x, panels = Axis(SINCE, tight=True), []
        for direction, title in (("in", "Rings to the workers"), ("back", "Rings back")):
            columns = engines.fills(lines, direction)
            panels.append(Panel(x, Axis("eighths full", tight=True, ticks=[(eighth, str(eighth)) for eighth in (0, 2, 4, 6, 8)]), 110, title))
            panels[-1].heat(_edges(recording, lines), [eighth - 0.5 for eighth in range(engines.EIGHTHS + 1)],
                            [[100 * column[eighth] / max(sum(column), 1) for column in columns] for eighth in range(engines.EIGHTHS)])
        return Chart(panels)
    return draw


def _sides(names, inches, labels=("Mpps", "cycles per packet")):
    """Return panels with a row for each name: below each other if narrow, otherwise beside each other with the same names."""
    y = Axis(names=names)
    return Chart([Panel(Axis(label, 0), y, ROW * len(names)) for label in labels], 1 if inches == NARROW else len(labels))


def comparison(pairs, every):
    """Draw box plots of the intervals of runs. pairs: [(label, run)]; every: the recordings' intervals in ms."""
    lines = [figures.whole(run, ms) for (_, run), ms in zip(pairs, every)]
    rates = [[figures.mpps(run, line) for line in kept] for (_, run), kept in zip(pairs, lines)]
    costs = [[value for line in kept if (value := figures.cycles_per_packet(run, [line])) is not None] for (_, run), kept in zip(pairs, lines)]

    def draw(inches):
        chart = _sides([label for label, _ in pairs], inches)
        for colour, (panel, values) in enumerate(zip(chart.panels, (rates, costs))):
            for row, mine in enumerate(values):
                if not mine:
                    continue
                least, low, median, high, most = (figures.quantile(mine, q) for q in (0.05, 0.25, 0.5, 0.75, 0.95))
                for begin, end in ((least, low), (high, most)):
                    panel.line([begin, end], [row, row], "ink", 1.0)
                for end in (least, most):
                    panel.line([end, end], [row - 0.15, row + 0.15], "ink", 1.0)
                panel.boxes([(low, high, row - 0.3, row + 0.3)], colour, 0.75, "ink")
                panel.line([median, median], [row - 0.3, row + 0.3], "ink", 2.0)
        return chart
    return draw


def compared(labels, figures):
    """Plot medians of combinations with confidence intervals, one panel for each figure. figures: [(title, [compared.ranked() or None for each label],
    the value at which nothing differs, or None)]."""
    def draw(inches):
        y = Axis(names=labels)
        panels = [Panel(Axis(title, 0 if same is None else None), y, ROW * len(labels)) for title, _, same in figures]
        for colour, (panel, (_, values, same)) in enumerate(zip(panels, figures)):
            if same is not None:
                panel.rules([same])
            for height, ranked in enumerate(values):
                if ranked:
                    panel.line([ranked["low"], ranked["high"]], [height, height], colour, 2.5, alpha=0.6)
                    panel.line([ranked["median"]], [height], colour, 0, mark="o")
        return Chart(panels, 1 if inches == NARROW else len(panels))
    return draw


def calibration(panels, name):
    """Plot cycles per packet by length, with axes for each place and memory, and a mark at the threshold. name: of the file, which knows neither machine
    nor date."""
    def draw(_):
        y, found = Axis("lcore cycles per packet", scale="log"), []
        for panel in panels:
            one = Panel(Axis("packet length in bytes", scale="log", base=2), y, 160, "%s, %s: %s" % (
                printable(panel.where), printable(panel.memory), "CPU at any length" if panel.threshold is None else "engine from %d bytes" % panel.threshold))
            for place, (mode, line) in enumerate(panel.lines.items()):
                one.line(*zip(*line), place, dash=STYLES[place], label=mode)
            if panel.threshold is not None:
                one.rules([panel.threshold])
            found.append(one)
        return Chart(found, len(found))
    return Plot("calibration", "Calibration", "", draw, (printable(name),))
