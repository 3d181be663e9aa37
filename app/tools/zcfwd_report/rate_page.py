# SPDX-License-Identifier: BSD-3-Clause
"""The page for results of measure rate: the rates found, and for each size the loss and the latency over the load."""
import html

from . import page, summary
from .chart import Axis, Chart, Panel
from .figures import ENOUGH_CPU
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


def lacked_cpu(trial):
    """Return whether an lcore had less of its CPU than ENOUGH_CPU in a trial."""
    return trial.get("cpu_share") is not None and trial["cpu_share"] < ENOUGH_CPU


def unit_of(highest):
    """Return (packets per second of a unit, axis label) for rates up to this one."""
    unit, word = next(one for one in ((1e6, "million packets"), (1e3, "thousand packets"), (1, "packets")) if highest >= one[0] or one[0] == 1)
    return unit, "%s per second and port" % word


def rates(sizes):
    """Plot the rates of all sizes: a group per size, a bar per goal."""
    goals = list(dict.fromkeys(goal["goal"] for _, _, size in sizes for goal in size["goals"]))
    unit, words = unit_of(max(goal["pps"] for _, _, size in sizes for goal in size["goals"]))
    high = 0.8 / len(goals)

    def draw(_):
        panel = Panel(Axis(words, 0), Axis(names=[label for _, label, _ in sizes]), 10 + 20 * len(sizes) * len(goals))
        for number, name in enumerate(goals):
            found = [(place + (number - (len(goals) - 1) / 2) * high, goal["pps"] / unit) for place, (_, _, size) in enumerate(sizes)
                     for goal in size["goals"] if goal["goal"] == name]
            panel.boxes([(0, rate, middle - 0.45 * high, middle + 0.45 * high) for middle, rate in found], number, label=name)
        return Chart([panel])
    return draw


def losses(size):
    """Plot the loss of each trial over its load, and the bounds of each goal."""
    unit, words = unit_of(max(one["load_pps"] for one in size["trials"]))
    trials = [(one["load_pps"] / unit, one) for one in size["trials"] if one["loss_percent"] is not None]

    def draw(_):
        panel = Panel(Axis(words, scale="log"), Axis("loss in %", -0.001, 150, "symlog"), 170)
        panel.line(*zip(*((load, one["loss_percent"]) for load, one in trials)), 0, 0, mark="o", label="lost, or not sent")
        for key, shown, colour, label in (("unsent_percent", lambda one: one["unsent_percent"] > 0, 1, "of these not sent"),
                                          ("loss_percent", lacked_cpu, "ink", "an lcore had less than %.0f %% of its CPU" % (100 * ENOUGH_CPU))):
            found = [(load, one[key]) for load, one in trials if shown(one)]
            if found:
                panel.line(*zip(*found), colour, 0, mark="x" if key == "unsent_percent" else "D", label=label)
        for number, goal in enumerate(size["goals"], 2):
            for bound, dash in (("lower", "-"), ("upper", ":")):
                if goal[bound + "_pps"]:
                    panel.rules([goal[bound + "_pps"] / unit], number, dash, 1.2, "%s: %s bound" % (goal["goal"], bound))
        return Chart([panel])
    return draw


def latencies(size):
    """Plot percentiles of latency over the load."""
    unit, words = unit_of(max(row["load_pps"] for row in size["latency"]))

    def draw(_):
        panel = Panel(Axis(words, 0), Axis("one-way latency in µs", scale="log"), 150)
        for number, (key, label) in enumerate(LATENCIES):
            found = [(row["load_pps"] / unit, row[key]) for row in size["latency"] if row[key]]
            if found:
                panel.line(*zip(*found), number, dash=STYLES[number % len(STYLES)], mark="o", label=label)
        return Chart([panel])
    return draw


def plots_of(results):
    """Yield every plot of the page. The answers know neither machine nor date."""
    sizes = list(sizes_of(results))
    files = ", ".join(result["file"] for result in results)
    yield Plot("rates", "Rate without loss", "The rate that each goal found (conditional throughput at the lower bound).", rates(sizes),
               ("engine measure; sending ports: %s; %s" % (", ".join(map(str, dict.fromkeys(size["ports"] for _, _, size in sizes))), files),))
    for number, label, size in sizes:
        about = ("engine measure; sending ports: %d, each %.0f to %.0f packets/s; %s" % (size["ports"], size["min_pps"], size["max_pps"], files),)
        if size["trials"]:
            yield Plot("loss-%d" % number, "Loss over load: %s" % label, "Each point is a trial. Vertical lines: the bounds of each goal.", losses(size), about)
        if any(row[key] for row in size.get("latency", ()) for key, _ in LATENCIES):
            yield Plot("latency-%d" % number, "Latency over load: %s" % label,
                       "From when a packet was due until it was received, at shares of the last goal's rate. A percentile needs 100 packets above it.",
                       latencies(size), about)


def bound_cells(goal, name):
    """Return the rate, trials within the loss, and confidence of a bound."""
    pps, within, above, confidence = (goal["%s_%s" % (name, what)] for what in ("pps", "within", "above", "confidence"))
    if not pps:
        return "–", "–", "–"
    return "%.0f" % pps, "%d of %d" % (within, within + above), "–" if confidence is None else "%.4f" % confidence


def first_words(sizes):
    """Return the first sentences of the page: the rates found."""
    return " ".join("%s: %s." % (summary.capital(label), "; ".join(
        "%s %s" % (goal["goal"], "%s (%s)" % (summary.rate(goal["pps"] / 1e6), goal["verdict"]) if goal["pps"] else goal["verdict"])
        for goal in size["goals"])) for _, label, size in sizes)


def cpu_words(sizes):
    """Return the sentences about trials in which an lcore lost its CPU; empty: none did, or the answers do not know."""
    words = []
    for _, label, size in sizes:
        lacking = [(trial["cpu_share"], number) for number, trial in enumerate(size["trials"], 1) if lacked_cpu(trial)]
        if lacking:
            words.append("%s: in %d of %d trials an lcore had less than %.0f %% of its CPU; the least was %s in trial %d." % (
                summary.capital(label), len(lacking), len(size["trials"]), 100 * ENOUGH_CPU, page.percent(min(lacking)[0]), min(lacking)[1]))
        if size.get("lost_cpu"):
            words.append("%s: packets were not sent in time, and %s." % (summary.capital(label), size["lost_cpu"]))
    return " ".join(words)


def body(results, folder, title):
    """Yield the parts of the page from top to bottom."""
    sizes = list(sizes_of(results))
    yield "<h1>%s</h1>" % html.escape(title)
    yield '<p id="summary">%s</p>' % html.escape(first_words(sizes))
    if cpu_words(sizes):
        yield '<p id="cpu-words">%s</p>' % html.escape(cpu_words(sizes))
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
