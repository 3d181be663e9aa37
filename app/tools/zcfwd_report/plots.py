# SPDX-License-Identifier: BSD-3-Clause
"""The plots, drawn with matplotlib, in light and dark and in wide and narrow variants."""
import io
import warnings
from collections import namedtuple

import matplotlib

matplotlib.use("svg")
warnings.filterwarnings("ignore", "Glyph .* missing")  # unknown characters of names are drawn as boxes
from matplotlib import pyplot  # noqa: E402
from matplotlib.colors import LinearSegmentedColormap, PowerNorm  # noqa: E402

from . import engines, figures  # noqa: E402
from .read import printable  # noqa: E402

# Colours of a scheme; lines are distinguishable for colour-blind readers and in greyscale.
Scheme = namedtuple("Scheme", "name ground ink faint lines heat")
LIGHT = Scheme("light", "#ffffff", "#1b1f24", "#d0d7de",
               ("#0b5fb0", "#c2410c", "#0f766e", "#9d1d64", "#6d5a00", "#4338ca", "#3f3f46", "#166534"),
               ("#ffffff", "#9ecae1", "#2171b5", "#08306b"))
DARK = Scheme("dark", "#14181d", "#e6edf3", "#39424c",
              ("#6cb2ff", "#ff9d66", "#4fd1c0", "#ff86c8", "#e3c94b", "#a5a1ff", "#c9cdd3", "#7fd88f"),
              ("#14181d", "#1d4f7c", "#4aa3e0", "#d6efff"))
STYLES = ("-", "--", "-.", ":")
WIDE, NARROW = 9.0, 4.4  # inches; text remains readable on pages of 1280 and 390 pixels
STREAMS_SHOWN = 8
POOLS_SHOWN = 16
SHADED = "an lcore had less than %.0f %% of its CPU" % (100 * figures.ENOUGH_CPU)
MARK_SHOWN = 20  # characters of a run's name above a curve: a longer name would leave the curve no room
Plot = namedtuple("Plot", "name title text draw")  # draw(figure, scheme, width)


def style(scheme):
    """Return matplotlib settings common to all plots."""
    return {
        "figure.facecolor": scheme.ground, "axes.facecolor": scheme.ground, "savefig.facecolor": scheme.ground,
        "text.color": scheme.ink, "axes.labelcolor": scheme.ink, "axes.edgecolor": scheme.faint,
        "xtick.color": scheme.ink, "ytick.color": scheme.ink, "grid.color": scheme.faint, "axes.grid": True,
        "axes.axisbelow": True, "grid.linewidth": 0.6, "axes.spines.top": False, "axes.spines.right": False,
        "font.size": 9, "axes.titlesize": 9, "axes.titleweight": "bold", "axes.titlelocation": "left",
        "legend.frameon": False, "legend.fontsize": 8, "svg.hashsalt": "zcfwd", "lines.linewidth": 1.4,
        "figure.constrained_layout.use": True, "text.parse_math": False, "axes.formatter.useoffset": False,
    }


def render(plot, scheme, width, kind, dpi=150):
    """Return the plot as bytes. kind: svg or png."""
    with pyplot.rc_context(style(scheme)):
        figure = pyplot.figure(figsize=(width, 3))
        try:
            plot.draw(figure, scheme, width)
            out = io.BytesIO()
            figure.savefig(out, format=kind, dpi=dpi, metadata={"Date": None} if kind == "svg" else None)
        finally:
            pyplot.close(figure)
    return out.getvalue()


def seconds(recording, mono_ns):
    """Return the seconds since the start of the recording."""
    return (mono_ns - recording.header["start"]["mono_ns"]) / figures.NS


def steps(axes, recording, lines, values, **how):
    """Draw each value over its interval; None and times without an interval are gaps."""
    edges, heights = [], []
    for line, value in zip(lines, values):
        begin = seconds(recording, line["mono_ns"] - line["dt_ns"])
        if edges and begin > edges[-1]:
            edges.append(begin)
            heights.append(float("nan"))
        edges += [seconds(recording, line["mono_ns"])] if edges else [begin, seconds(recording, line["mono_ns"])]
        heights.append(float("nan") if value is None else value)
    if heights:
        axes.stairs(heights, edges, baseline=None, **how)


def ceiling(values):
    """Return the upper limit of an axis, not dominated by a few intervals."""
    return 1.25 * max(figures.quantile(values, 0.95) or 1, 1e-9)


def _runs_in(axes, recording, scheme, marks=None):
    """Mark the start of each run, with its label. marks: {run number: label}."""
    for run in recording.runs:
        at = seconds(recording, run.begin["mono_ns"])
        axes.axvline(at, color=scheme.ink, linewidth=0.8, linestyle=":")
        if marks and run.number in marks:
            mark = marks[run.number]
            mark = mark if len(mark) <= MARK_SHOWN else mark[:MARK_SHOWN - 1] + "…"
            axes.annotate(mark, (at, 1), xycoords=("data", "axes fraction"), xytext=(0, 3), textcoords="offset points", fontsize=7,
                          va="bottom", rotation=90 if len(recording.runs) > 3 else 20)


def _shade(axes, recording, scheme, run, label):
    """Shade the intervals in which an lcore lacked its CPU. Returns whether there are any; the first of them has the label."""
    spans = []
    for line in filter(figures.lacks_cpu, run.intervals):
        begin, end = (seconds(recording, line["mono_ns"] - ns) for ns in (line["dt_ns"], 0))
        if spans and begin <= spans[-1][1]:
            begin = spans.pop()[0]
        spans.append((begin, end))
    for place, one in enumerate(spans):
        axes.axvspan(*one, color=scheme.ink, alpha=0.12, linewidth=0, zorder=0, label=label if place == 0 else None)
    return bool(spans)


def over_time(recording, marks):
    """Plot throughput and cycles per packet of all runs of a recording. marks: {run number: label}."""
    def draw(figure, scheme, width):
        figure.set_size_inches(width, 5.2)
        above, below = figure.subplots(2, 1, sharex=True)
        rates, costs = [], []
        shaded = False
        for run in recording.runs:
            _shade(below, recording, scheme, run, None)
            shaded |= _shade(above, recording, scheme, run, None if shaded else SHADED)
            lines, first = figures.whole(run, recording.header["every_ms"]), run is recording.runs[0]
            rates.append([figures.mpps(run, line) for line in lines])
            costs.append([figures.cycles_per_packet(run, [line]) for line in lines])
            steps(above, recording, lines, rates[-1], color=scheme.lines[0], linewidth=1.4, label="all streams" if first else None)
            if 1 < len(run.streams) <= STREAMS_SHOWN:
                for place, stream in enumerate(sorted(run.streams)):
                    # Each line is narrower than the one below it, so that equal lines remain visible.
                    steps(above, recording, lines, [figures.mpps(run, line, stream) for line in lines],
                          linewidth=0.8 + 3.2 * (len(run.streams) - 1 - place) / len(run.streams),
                          color=scheme.lines[(place + 1) % len(scheme.lines)], linestyle=STYLES[place // 4 % 2 + 1],
                          label="stream %d" % stream if first else None)
            steps(below, recording, lines, costs[-1], color=scheme.lines[1], linewidth=1.4)
        above.set(ylabel="Mpps")
        below.set(ylabel="cycles per packet", xlabel="seconds since the recording began")
        for axes, parts in ((above, rates), (below, costs)):
            axes.set_ylim(0, ceiling([value for part in parts for value in part if value is not None]))
            _runs_in(axes, recording, scheme, marks if axes is above else None)
        if shaded or above.get_legend_handles_labels()[0][1:]:
            above.legend(loc="upper center", bbox_to_anchor=(0.5, -0.04), ncols=3 if width == NARROW else 9)
    return draw


def _name(run, number):
    route = run.streams[number]
    return "stream %d: port %d.%d to %d.%d" % (number, route["rx_port"], route["rx_queue"], route["tx_port"], route["tx_queue"])


def distribution(run):
    """Plot the distribution of burst sizes of each stream."""
    def draw(figure, scheme, width):
        shown = sorted(run.streams)[:STREAMS_SHOWN]
        columns = 1 if width == NARROW or len(shown) == 1 else 2
        rows = -(-len(shown) // columns)
        figure.set_size_inches(width, 0.5 + 1.9 * rows)
        grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
        most = 1
        for place, number in enumerate(shown):
            axes = grid[place // columns][place % columns]
            for key, label, colour, shift in (("rx_bursts", "received", 0, -0.2), ("tx_bursts", "sent", 1, 0.2)):
                counts = figures.histogram(run.intervals, key, number)
                total = sum(n for size, n in counts.items() if size > 0)
                sizes = sorted(size for size in counts if size > 0)
                axes.bar([size + shift for size in sizes], [100 * counts[size] / max(total, 1) for size in sizes], 0.4,
                         color=scheme.lines[colour], label=label)
                most = max([most, *sizes])
            axes.set_title(_name(run, number), fontsize=8)
        for axes in grid.flat[len(shown):]:
            axes.set_visible(False)
        grid[0][0].set_xlim(0.2, most + 0.8)
        grid[0][0].legend(loc="upper left", ncols=2)
        figure.supxlabel("packets per burst", fontsize=9)
        figure.supylabel("% of bursts", fontsize=9)
    return draw


def _edges(recording, lines):
    """Return the edges of a heat map's columns, in seconds since the start of the recording."""
    return [seconds(recording, line["mono_ns"] - line["dt_ns"]) for line in lines] + [seconds(recording, lines[-1]["mono_ns"])]


def _mesh(axes, scheme, edges, heights, rows):
    """Draw a heat map. rows: shares in percent."""
    colours = LinearSegmentedColormap.from_list("heat", scheme.heat)
    axes.grid(False)
    return axes.pcolormesh(edges, heights, rows, cmap=colours, norm=PowerNorm(0.4, 0, 100), rasterized=True)


def _scale(figure, mesh, axes, width):
    bar = figure.colorbar(mesh, ax=axes, ticks=[0, 1, 5, 20, 50, 100], label="% of bursts" if width == WIDE else None)
    bar.outline.set_visible(False)


def heat(recording, run, key, what):
    """Plot burst sizes over time; each column is an interval."""
    def draw(figure, scheme, width):
        figure.set_size_inches(width, 3.2)
        axes = figure.subplots()
        columns = [dict(figures.histogram([line], key)) for line in run.intervals]
        most = max([1, *(size for column in columns for size in column)])
        step = max(1, -(-most // 64))
        rows = [[0.0] * len(columns) for _ in range(0, most, step)]
        for place, column in enumerate(columns):
            total = sum(n for size, n in column.items() if size > 0)
            for size, n in column.items():
                if size > 0:
                    rows[(size - 1) // step][place] += 100 * n / total if total else 0
        mesh = _mesh(axes, scheme, _edges(recording, run.intervals), [0.5 + step * i for i in range(len(rows) + 1)], rows)
        axes.set(xlabel="seconds since the recording began", ylabel="packets per burst", title=what)
        _scale(figure, mesh, axes, width)
    return draw


def pool_levels(recording, marks):
    """Plot the free share of each pool over time. marks: {run number: label}."""
    def draw(figure, scheme, width):
        figure.set_size_inches(width, 3)
        axes = figure.subplots()
        lines = [line for run in recording.runs for line in run.intervals]
        names = list(dict.fromkeys(pool["name"] for line in lines for pool in line["pools"]))
        for place, name in enumerate(names[:POOLS_SHOWN]):
            levels = [next((100 * pool["available"] / max(pool["size"], 1) for pool in line["pools"] if pool["name"] == name), None) for line in lines]
            steps(axes, recording, lines, levels, color=scheme.lines[place % len(scheme.lines)], linestyle=STYLES[place // 4 % 4], label=name)
        axes.set(xlabel="seconds since the recording began", ylabel="% free", ylim=(0, 105))
        _runs_in(axes, recording, scheme, marks)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.25), ncols=2 if width == NARROW else 5)
    return draw


def ring_levels(recording, run):
    """Plot the ring levels of a pipeline over time, to the workers and back."""
    def draw(figure, scheme, width):
        figure.set_size_inches(width, 4.6)
        lines = [line for line in run.intervals if engines.has_rings(line)]
        both = figure.subplots(2, 1, sharex=True)
        for axes, direction, title in ((both[0], "in", "Rings to the workers"), (both[1], "back", "Rings back")):
            columns = engines.fills(lines, direction)
            rows = [[100 * column[eighth] / max(sum(column), 1) for column in columns] for eighth in range(engines.EIGHTHS)]
            mesh = _mesh(axes, scheme, _edges(recording, lines), [eighth - 0.5 for eighth in range(engines.EIGHTHS + 1)], rows)
            axes.set(title=title, ylabel="eighths full")
            axes.set_yticks([0, 2, 4, 6, 8])
        both[1].set(xlabel="seconds since the recording began")
        _scale(figure, mesh, both, width)
    return draw


def comparison(pairs, every):
    """Draw box plots of the intervals of runs. pairs: [(label, run)]; every: the recordings' intervals in ms."""
    def draw(figure, scheme, width):
        figure.set_size_inches(width, (1.5 if width == NARROW else 1.2) + 0.38 * len(pairs) * (2 if width == NARROW else 1))
        both = figure.subplots(2, 1) if width == NARROW else figure.subplots(1, 2, sharey=True)
        lines = [figures.whole(run, ms) for (_, run), ms in zip(pairs, every)]
        rates = [[figures.mpps(run, line) for line in kept] for (_, run), kept in zip(pairs, lines)]
        costs = [[value for line in kept if (value := figures.cycles_per_packet(run, [line])) is not None]
                 for (_, run), kept in zip(pairs, lines)]
        ink = {"color": scheme.ink}
        for axes, values, label, colour in ((both[0], rates, "Mpps", 0), (both[1], costs, "cycles per packet", 1)):
            axes.boxplot(values, vert=False, whis=(5, 95), patch_artist=True, showfliers=False, widths=0.6,
                         boxprops={"facecolor": scheme.lines[colour], "edgecolor": scheme.ink, "alpha": 0.75},
                         medianprops={"color": scheme.ink, "linewidth": 2}, whiskerprops=ink, capprops=ink)
            axes.set_xlim(left=0)
            axes.set_xlabel(label)
            axes.set_yticks(range(1, len(pairs) + 1), [label for label, _ in pairs], fontsize=8)
            axes.grid(axis="y", visible=False)
        both[0].invert_yaxis()
        if width == NARROW:
            both[1].invert_yaxis()
    return draw


def compared(rows):
    """Plot medians of combinations with confidence intervals. rows: [(label, Mpps, cycles)] from compared.ranked(); cycles may be None."""
    def draw(figure, scheme, width):
        figure.set_size_inches(width, (1.5 if width == NARROW else 1.2) + 0.3 * len(rows) * (2 if width == NARROW else 1))
        both = figure.subplots(2, 1) if width == NARROW else figure.subplots(1, 2, sharey=True)
        for axes, place, label, colour in ((both[0], 1, "Mpps", 0), (both[1], 2, "cycles per packet", 1)):
            for height, row in enumerate(rows):
                if row[place]:
                    axes.plot([row[place]["low"], row[place]["high"]], [height, height], color=scheme.lines[colour], linewidth=2.5, alpha=0.6)
                    axes.plot([row[place]["median"]], [height], "o", color=scheme.lines[colour], markersize=5)
            axes.set_xlim(left=0)
            axes.set_xlabel(label)
            axes.set_ylim(len(rows) - 0.5, -0.5)
            axes.set_yticks(range(len(rows)), [row[0] for row in rows], fontsize=8)
            axes.grid(axis="y", visible=False)
    return draw


def calibration(panels):
    """Plot cycles per packet by length, with axes for each place and memory, and a mark at the threshold."""
    def draw(figure, scheme, width):
        axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for panel, one in zip(panels, axes):
            for place, (mode, line) in enumerate(panel.lines.items()):
                one.plot([length for length, _ in line], [cycles for _, cycles in line], label=mode,
                         color=scheme.lines[place], linestyle=STYLES[place])
            if panel.threshold is not None:
                one.axvline(panel.threshold, color=scheme.ink, linewidth=0.8, linestyle=":")
            one.set_title("%s, %s: %s" % (printable(panel.where), printable(panel.memory),
                                          "CPU at any length" if panel.threshold is None else "engine from %d bytes" % panel.threshold))
            one.set_xscale("log", base=2)
            one.set_yscale("log")
            one.set_xlabel("packet length in bytes")
        axes[0].set_ylabel("lcore cycles per packet")
        axes[0].legend()
    return Plot("calibration", "Calibration", "", draw)
