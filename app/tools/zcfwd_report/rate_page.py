# SPDX-License-Identifier: BSD-3-Clause
"""The page for results of measure rate: the rates found, and for each size the loss and the latency over the load."""
import html

from matplotlib.ticker import FuncFormatter

from . import page
from .plots import STYLES, Plot
from .read import printable

LATENCIES = (("p50_us", "p50"), ("p90_us", "p90"), ("p99_us", "p99"), ("p999_us", "p99.9"), ("p9999_us", "p99.99"), ("max_us", "max"))


def sizes_of(results):
    """Yield (number, label, size) of all sizes of all files."""
    number = 0
    for result in results:
        for size in result["sizes"]:
            number += 1
            label = "%.0f bytes" % size["mean_bytes"] if size["size"] == "described" else "size " + size["size"]
            yield number, label if len(results) == 1 else "%s, %s" % (result["file"], label), size


def unit_of(highest):
    """Return (packets per second of a unit, axis label) for rates up to this one."""
    unit, word = next(one for one in ((1e6, "million packets"), (1e3, "thousand packets"), (1, "packets")) if highest >= one[0] or one[0] == 1)
    return unit, "%s per second and port" % word


def plain_ticks(axis):
    """Label the ticks of a logarithmic axis with plain numbers."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: "%g" % value))
    axis.set_minor_formatter(FuncFormatter(lambda value, _: "%g" % value if ("%e" % value)[:2] in ("2.", "5.") else ""))


def rates(sizes):
    """Plot the rates of all sizes: a group per size, a bar per goal."""
    def draw(figure, scheme, width):
        goals = list(dict.fromkeys(goal["goal"] for _, _, size in sizes for goal in size["goals"]))
        unit, words = unit_of(max(goal["pps"] for _, _, size in sizes for goal in size["goals"]))
        figure.set_size_inches(width, 1.2 + 0.3 * len(sizes) * len(goals))
        axes = figure.subplots()
        high = 0.8 / len(goals)
        for place, (_, _, size) in enumerate(sizes):
            for goal in size["goals"]:
                number = goals.index(goal["goal"])
                axes.barh(place + (number - (len(goals) - 1) / 2) * high, goal["pps"] / unit, high * 0.9,
                          color=scheme.lines[number % len(scheme.lines)], label=goal["goal"] if place == 0 else None)
        axes.set_yticks(range(len(sizes)), [label for _, label, _ in sizes], fontsize=8)
        axes.set(xlabel=words)
        axes.invert_yaxis()
        axes.legend(loc="upper left", bbox_to_anchor=(0, -0.2))
    return draw


def losses(size):
    """Plot the loss of each trial over its load, and the bounds of each goal."""
    def draw(figure, scheme, width):
        figure.set_size_inches(width, 3.2 + 0.2 * len(size["goals"]))
        axes = figure.subplots()
        unit, words = unit_of(max(one["load_pps"] for one in size["trials"]))
        for key, mark, label in (("loss_percent", "o", "lost, or not sent"), ("unsent_percent", "x", "of these not sent")):
            found = [(one["load_pps"] / unit, one[key]) for one in size["trials"] if key == "loss_percent" or one[key] > 0]
            if found:
                axes.plot(*zip(*found), mark, color=scheme.lines[mark == "x"], markersize=4, label=label)
        for number, goal in enumerate(size["goals"], 2):
            for bound, line in (("lower", "-"), ("upper", ":")):
                if goal[bound + "_pps"]:
                    axes.axvline(goal[bound + "_pps"] / unit, color=scheme.lines[number % len(scheme.lines)], linewidth=1.2,
                                 linestyle=line, label="%s: %s bound" % (goal["goal"], bound))
        axes.set_xscale("log")
        axes.set_yscale("symlog", linthresh=0.01)
        axes.set(xlabel=words, ylabel="loss in %", ylim=(-0.001, 150))
        plain_ticks(axes.xaxis)
        plain_ticks(axes.yaxis)
        axes.legend(loc="upper left", bbox_to_anchor=(0, -0.2))
    return draw


def latencies(size):
    """Plot percentiles of latency over the load."""
    def draw(figure, scheme, width):
        figure.set_size_inches(width, 3.2)
        axes = figure.subplots()
        unit, words = unit_of(max(row["load_pps"] for row in size["latency"]))
        for number, (key, label) in enumerate(LATENCIES):
            found = [(row["load_pps"] / unit, row[key]) for row in size["latency"] if row[key]]
            if found:
                axes.plot(*zip(*found), STYLES[number % len(STYLES)], marker="o", markersize=4, color=scheme.lines[number % len(scheme.lines)], label=label)
        axes.set_yscale("log")
        axes.set(xlabel=words, ylabel="one-way latency in µs")
        plain_ticks(axes.yaxis)
        axes.legend(loc="upper left", bbox_to_anchor=(0, -0.2), ncols=3 if width < 6 else 6)
    return draw


def plots_of(results):
    """Yield every plot of the page."""
    sizes = list(sizes_of(results))
    yield Plot("rates", "Rate without loss", "The rate that each goal found (conditional throughput at the lower bound).", rates(sizes))
    for number, label, size in sizes:
        if size["trials"]:
            yield Plot("loss-%d" % number, "Loss over load: %s" % label, "Each point is a trial. Vertical lines: the bounds of each goal.", losses(size))
        if any(row[key] for row in size.get("latency", ()) for key, _ in LATENCIES):
            yield Plot("latency-%d" % number, "Latency over load: %s" % label,
                       "From when a packet was due until it was received, at shares of the last goal's rate. A percentile needs 100 packets above it.", latencies(size))


def bound_cells(goal, name):
    """Return the rate, trials within the loss, and confidence of a bound."""
    pps, within, above, confidence = (goal["%s_%s" % (name, what)] for what in ("pps", "within", "above", "confidence"))
    if not pps:
        return "–", "–", "–"
    return "%.0f" % pps, "%d of %d" % (within, within + above), "–" if confidence is None else "%.4f" % confidence


def body(results, folder, title):
    """Yield the parts of the page from top to bottom."""
    sizes = list(sizes_of(results))
    yield "<h1>%s</h1>" % html.escape(title)
    yield ("<p>Multiple Loss Ratio search (RFC 9971). Rates are packets per second and sending port. Loss includes packets that the sender could not send. "
           "The confidence in a bound assumes independent trials.</p>")
    yield "<h2>Rates</h2>" + page.table(
        ("size", "ports", "goal", "packets/s", "Gbit/s", "lower bound", "trials within", "confidence", "upper bound", "trials within", "confidence", "verdict"),
        [(label, size["ports"], goal["goal"], "%.0f" % goal["pps"], "%.3f" % goal["l1_gbps"], *bound_cells(goal, "lower"), *bound_cells(goal, "upper"), goal["verdict"])
         for _, label, size in sizes for goal in size["goals"]], (0, 2, 11), "rates")
    rows = [(label, "%d %%" % row["percent"], "%.0f" % row["load_pps"], *("%.3f" % row[key] if row[key] else "–" for key, _ in LATENCIES))
            for _, label, size in sizes for row in size.get("latency", ())]
    if rows:
        yield "<h2>Latency in µs</h2>" + page.table(("size", "load", "packets/s", *(label for _, label in LATENCIES)), rows, (0,), "latency")
    yield "".join(page.picture(one, folder) for one in plots_of(results))
    for _, label, size in sizes:
        yield "<p>%s: %d trials of %.1f s in sum%s.</p>" % (
            html.escape(label), len(size["trials"]), size["trial_seconds"], "; stopped by a signal" if size["stopped"] else "")


def write(results, folder, title):
    """Write report.html and the plots into the folder. Returns the page's path."""
    title = printable(title)
    return page.write_parts(folder, title, lambda: body(results, folder, title), {"rates": results})
