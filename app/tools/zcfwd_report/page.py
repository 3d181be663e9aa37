# SPDX-License-Identifier: BSD-3-Clause
"""The report: one self-contained HTML file with explanations."""
import base64
import html
import json
import os

from . import compared, engines, figures, latency_page, plots, summary
from .plots import DARK, LIGHT, NARROW, WIDE, Plot
from .read import printable

SETTINGS_SHOWN = 3  # differing settings in a plot's label
VALUES_SHOWN = 4  # values of a condition in the lines below a plot's title
RUNS_SHOWN = 12  # runs with their own plots; the tables contain all runs
STYLE = """
:root { color-scheme: light dark; --ground: #fff; --ink: #1b1f24; --soft: #57606a; --faint: #d0d7de; --tint: #f6f8fa; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14181d; --ink: #e6edf3; --soft: #9aa5b1; --faint: #39424c; --tint: #1c2229; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 110rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 1rem 0 .25rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; border-bottom: 1px solid var(--faint); padding-bottom: .25rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; overflow-wrap: anywhere; }
#summary { color: var(--ink); font-size: 1.1rem; }
p, figcaption { color: var(--soft); margin: .25rem 0 .75rem; max-width: 48rem; }
figure { margin: 0 0 1.5rem; max-width: 68rem; }
figure img { display: block; width: 100%; height: auto; }
.scroll { overflow-x: auto; margin-bottom: 1rem; background:
  linear-gradient(to left, var(--ground) 50%, transparent) right / 3rem 100% no-repeat local,
  linear-gradient(to right, var(--ground) 50%, transparent) left / 3rem 100% no-repeat local,
  linear-gradient(to left, var(--faint), transparent) right / 1.2rem 100% no-repeat scroll,
  linear-gradient(to right, var(--faint), transparent) left / 1.2rem 100% no-repeat scroll; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { padding: .3rem .6rem .3rem 0; text-align: right; border-bottom: 1px solid var(--faint); white-space: nowrap; }
th { font-weight: 600; vertical-align: bottom; white-space: normal; }
td.word { white-space: normal; min-width: 4rem; max-width: 16rem; overflow-wrap: anywhere; }
th.word, td.word { text-align: left; }
.notes { background: var(--tint); border-left: 4px solid #c2410c; padding: .5rem 1rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; } }
"""


def number(value, digits=3):
    """Format a number with a sensible number of digits; a dash for None."""
    if value is None:
        return "–"
    if isinstance(value, int):
        return format(value, ",").replace(",", " ")
    return "%.*f" % (max(0, digits - len("%d" % abs(value))), value)


def percent(value):
    """Format a share in percent; a dash for None."""
    return "–" if value is None else "%.1f %%" % (100 * value)


def table(heads, rows, words, name):
    """Return an HTML table; words: the indices of text columns."""
    def cells(tag, values):
        return "".join("<%s%s>%s</%s>" % (tag, ' class="word"' if place in words else "", html.escape(str(value)), tag)
                       for place, value in enumerate(values))
    return '<div class="scroll" tabindex="0"><table id="%s"><thead><tr>%s</tr></thead><tbody>%s</tbody></table></div>' % (
        name, cells("th", heads), "".join("<tr>%s</tr>" % cells("td", row) for row in rows))


def data_uri(svg):
    """Return an SVG plot as a data URI."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg).decode("ascii")


def picture(plot, folder):
    """Write the plot to files, and return its HTML with variants for each colour scheme and width."""
    wide, narrow = (plots.picture(plot, inches) for inches in (WIDE, NARROW))
    svg = wide.drawn(LIGHT, "svg")
    for kind, content in (("svg", svg), ("png", wide.drawn(LIGHT, "png"))):
        with open(os.path.join(folder, "%s.%s" % (plot.name, kind)), "wb") as file:
            file.write(content)
    sources = "".join('<source media="%s" srcset="%s">' % (media, data_uri(drawn.drawn(scheme, "svg")))
                      for media, scheme, drawn in (
                          ("(max-width: 40rem) and (prefers-color-scheme: dark)", DARK, narrow),
                          ("(max-width: 40rem)", LIGHT, narrow), ("(prefers-color-scheme: dark)", DARK, wide)))
    return '<figure id="%s"><picture>%s<img src="%s" alt="%s"></picture><figcaption>%s</figcaption></figure>' % (
        plot.name, sources, data_uri(svg), html.escape(plot.title), html.escape(plot.text))


def several(values):
    """Return the different values, the first few of many, separated by commas."""
    values = list(dict.fromkeys(values))
    return ", ".join(values[:VALUES_SHOWN]) + " and %d more" % (len(values) - VALUES_SHOWN) * (len(values) > VALUES_SHOWN)


def about(pairs):
    """Return the lines below a plot's title: what ran, on which machine, and when. pairs: [(recording, run)] of the plot."""
    headers = [recording.header for recording, _ in pairs]
    ports = [port for _, run in pairs for port in run.begin["ports"]]
    bursts = [compared.word(run.begin["settings"]["burst"]) for _, run in pairs if "burst" in run.begin.get("settings", {})]
    return ("engine %s%s; ports %s (%s)" % (several(run.engine for _, run in pairs), bursts and "; burst " + several(bursts) or "",
                                             several(port["name"] for port in ports), several(port["driver"] for port in ports)),
            "%s; %s; zcfwd %s, %s" % (
                several("%s, %d cores (%s)" % (one["machine"]["cpu"], one["machine"]["cores"], one["machine"]["host"]) for one in headers),
                several(one["start"]["wall"] for one in headers), several(one["zcfwd"] for one in headers), several(one["dpdk"] for one in headers)))


def label_of(recordings, recording, run, settings):
    """Return a run's label in plots, with the differing settings if there is room."""
    own = "%d %s" % (run.number, run.engine)
    if settings:
        own += ", " + (compared.said(settings) if len(settings) <= SETTINGS_SHOWN else "%d settings differ" % len(settings))
    return own if len(recordings) == 1 else "%s: %s" % (recording.name, own)


def mark_of(run, settings):
    """Return a run's short label in plots over time: the compared values, or the engine and the differing settings."""
    if "compare" in run.begin:
        return "%d: %s" % (run.number, compared.said(compared.values(run)))
    return "%d: %s" % (run.number, ", ".join([run.engine] + [compared.said(settings)] * (0 < len(settings) <= SETTINGS_SHOWN)))


def compared_plot(rows):
    """Plot a comparison: Mpps, the ratio to the first combination, and cycles per packet if they were counted."""
    figures = [("Mpps", "mpps", None), ("ratio to the first", "ratio", 1), ("cycles per packet", "cycles_per_packet", None)]
    return plots.compared([compared.said(row["values"]) for row in rows],
                          [(title, [row[key] for row in rows], same) for title, key, same in figures if any(row[key] for row in rows)])


def all_plots(recordings, found, comparisons):
    """Yield (section, plot) in page order. found: the figures of compared.runs_of(), in the same order."""
    everything = compared.runs_of(recordings)
    labels = {(recording, run): label_of(recordings, recording, run, one["settings"]) for (recording, run), one in zip(everything, found)}
    runs = [(recording, run) for recording, run in everything if "compare" not in run.begin]
    for place, one in enumerate(comparisons, 1):
        if any(row["mpps"] for row in one["rows"]):
            yield "compared", Plot(
                "compared-%d" % place, "Comparison %d: %s" % (one["comparison"], one["file"]), "Each point is the median of a combination's runs, which "
                "were interleaved; the line through it is the confidence interval of the median. If two intervals do not overlap, the difference "
                "is larger than the run-to-run variation. So it is if the interval of a ratio does not reach the dotted line at 1.",
                compared_plot([row for row in one["rows"] if row["mpps"]]),
                about([(recording, run) for recording, run in everything if recording.name == one["file"] and
                       run.begin.get("compare", {}).get("comparison") == one["comparison"]]))
    if len(runs) > 1:
        yield "compare", Plot(
            "comparison", "Runs side by side", "Each box shows the quartiles of a run's intervals, the line in it their "
            "median, the whiskers the 5th and 95th percentiles. If two boxes do not overlap, the difference is larger than the variation "
            "within the runs; if they do, record more runs before you conclude that there is a difference.",
            plots.comparison([(labels[one], one[1]) for one in runs],
                             [recording.header["every_ms"] for recording, _ in runs]), about(runs))
    for place, recording in enumerate(recordings, 1):
        mine = about([pair for pair in everything if pair[0] is recording])
        marks = {run.number: mark_of(run, one["settings"]) for (owner, run), one in zip(everything, found) if owner is recording}
        if any(run.intervals for run in recording.runs):
            yield "time", Plot(
                "time-%d" % place, "Over time: %s" % recording.name, "Packets per second sent by all streams (received, if the engine never sends), and TSC cycles per "
                "packet (of all polls if record-core-cycles was on, otherwise of the timed ones), one step per interval. Dotted lines mark the start of "
                "each run. The axes leave out the highest values. " + ("In shaded intervals an lcore had less than %.0f %% of its CPU, as the "
                "kernel counted it." % (100 * figures.ENOUGH_CPU) if any(one["cpu"] for (owner, _), one in zip(everything, found) if owner is recording)
                                                               else "This recording has no CPU times of lcores."),
                plots.over_time(recording, marks), mine)
        if any(line["pools"] for run in recording.runs for line in run.intervals):
            yield "pools", Plot(
                "pools-%d" % place, "Free mbufs: %s" % recording.name, "Free mbufs of each pool at the end of each interval; mbufs in lcore caches count "
                "as free. At 0 % the port cannot receive (no free mbufs). A level that drops from run to run indicates an mbuf leak.",
                plots.pool_levels(recording, marks), mine)
    shown = [pair for pair in everything if pair[1].begin.get("compare", {"round": 1})["round"] == 1]
    for plot in latency_page.plots(shown[:RUNS_SHOWN], labels, alone(found), about):
        yield "latency", plot
    for place, (recording, run) in enumerate(shown[:RUNS_SHOWN], 1):
        label, mine = labels[recording, run], about([(recording, run)])
        if not run.streams:
            continue
        yield "bursts", Plot(
            "bursts-%d" % place, "Burst sizes by stream: run %s" % label, "Packets per receive call and per transmit "
            "call, without empty calls. Full bursts mean that packets waited for the core, small ones that "
            "the core waited for packets." + (" Only the first %d streams are shown." % plots.STREAMS_SHOWN
                                              if len(run.streams) > plots.STREAMS_SHOWN else ""),
            plots.distribution(run), mine)
        yield "bursts", Plot(
            "heat-%d" % place, "Burst sizes over time: run %s" % label, "Each column is an interval, each row a burst size. "
            "The darker a cell (in dark mode: the brighter), the more of the interval's calls had a burst of that size. "
            "Empty calls are excluded.",
            plots.heat(recording, run, "rx_bursts" if run.work == "rx" else "tx_bursts",
                       "Received" if run.work == "rx" else "Sent"), mine)
        if any(engines.has_rings(line) for line in run.intervals):
            yield "rings", Plot(
                "rings-%d" % place, "Ring fill levels: run %s" % label, "Each column is an interval, each row an eighth of a ring. "
                "The stronger the colour, the more of the interval's bursts left a ring that full. Full rings to the workers mean that "
                "the workers are the bottleneck, full rings back mean that the ports are.", plots.ring_levels(recording, run), mine)


def facts(recording):
    """Yield (name, text) of the header for display."""
    header = recording.header
    machine = header["machine"]
    yield "recorded", "%s, every %d ms%s" % (header["start"]["wall"], header["every_ms"], {
        0: "", 1: ", every poll recorded"}.get(header["bursts_every"], ", one of %d polls recorded" % header["bursts_every"]))
    if "only_streams" in header:
        yield "streams", "only %s; the figures exclude all other streams" % ", ".join(map(str, header["only_streams"]))
    yield "program", "zcfwd %s on %s" % (header["zcfwd"], header["dpdk"])
    yield "machine", "%s: %s, %d cores, TSC %.1f MHz, Linux %s" % (
        machine["host"], machine["cpu"], machine["cores"], header["tsc_hz"] / 1e6, machine["kernel"])
    for port in (recording.runs[0].begin if recording.runs else header)["ports"]:
        paths = [path for path in (port.get("rx_path"), port.get("tx_path")) if path]
        yield "port %d" % port["port"], "%s (%s)%s, %d Rx and %d Tx queues" % (
            port["name"], port["driver"], ", " + " / ".join(paths) if paths else "", port["rx_queues"], port["tx_queues"])
    for line in recording.sets:
        after = next((run.begin for run in recording.runs if run.begin["mono_ns"] >= line.get("mono_ns", 0)), {})
        names = after.get("compare", {"names": ()})["names"]
        if line["name"] not in names and not ("queues" in names and line["name"] in ("rxq", "txq")):  # omit those that a comparison set before each run
            yield "set", "%s %s%s%s" % (line["name"], json.dumps(line["value"]), " in run %d" % line["run"] if line["run"] else "",
                                           ", for the next start" if line.get("next_start") else "")


def loss_cell(one):
    """Format the loss of a run, or of all runs of a combination."""
    return "–" if one["loss"] is None else "%.4f %%" % (100 * one["loss"])


def wire_cells(one):
    """Return the cells for L2 and L1 Gb/s, share of line rate, and loss."""
    return number(one["l2_gbps"]), number(one["l1_gbps"]), percent(one["line_share"]), loss_cell(one)


def runs_tables(found):
    """Yield the tables of throughput, bursts and drops of all runs."""
    def names(one):
        return one["file"], one["run"], one["engine"]
    yield table(("file", "run", "engine", "what differs", "seconds", "packets", "Mpps", "median Mpps", "quartiles of Mpps", "L2 Gb/s", "L1 Gb/s",
                 "share of line rate", "loss", "cycles/packet", "quartiles of cycles", "recycled",
                 "working set KiB"),
                [(*names(one), compared.said(one["settings"]), number(one["seconds"]), number(one["packets"]), number(one["mean_mpps"]),
                  number(one["mpps"]["median"]), "%s–%s" % (number(one["mpps"]["low"]), number(one["mpps"]["high"])), *wire_cells(one),
                  number(one["cycles_per_packet"]["median"]), "%s–%s" % (
                      number(one["cycles_per_packet"]["low"]), number(one["cycles_per_packet"]["high"])),
                  percent(one["recycled"]), number(one["working_set"] and one["working_set"] >> 10)) for one in found], (0, 2, 3), "runs")
    yield table(("file", "run", "engine", "rx mean", "rx p50", "rx p90", "rx p99", "rx empty", "tx mean", "tx p50", "tx p90", "tx p99"),
                [(*names(one), number(one["rx_bursts"]["mean"]), *(number(one["rx_bursts"][p]) for p in ("p50", "p90", "p99")),
                  percent(one["rx_bursts"]["empty"] / one["rx_bursts"]["bursts"] if one["rx_bursts"]["bursts"] else None),
                  number(one["tx_bursts"]["mean"]), *(number(one["tx_bursts"][p]) for p in ("p50", "p90", "p99")))
                 for one in found], (0, 2), "bursts")
    reasons = dict.fromkeys(name for one in found for name in one["drops"])
    yield table(("file", "run", "engine", *reasons, "loss", "not sent in time", "fewest free mbufs", "polls kept", "polls lost"),
                [(*names(one), *(number(one["drops"].get(name)) for name in reasons), loss_cell(one), number(one["unsent"]),
                  "%s: %d of %d" % one["least_available"] if one["least_available"] else "–",
                  number(one["kept_polls"]), number(one["lost_polls"])) for one in found], (0, 2), "drops")


def cpu_words(found):
    """Return the sentences about lcores that lacked their CPU; empty: the recordings have no CPU times."""
    if not any(one["cpu"] for one in found):
        return ""
    enough = "%.0f %%" % (100 * figures.ENOUGH_CPU)
    lacking, intervals = (sum(one[name] for one in found if one["cpu"]) for name in ("cpu_lacking", "intervals"))
    if not lacking:
        return "In each interval every lcore had at least %s of its CPU." % enough
    least = min(((lcore["share"], one, lcore) for one in found for lcore in one["cpu"] if lcore["share"] is not None and one["cpu_lacking"]),
                key=lambda row: row[0])
    share, one, lcore = least
    return "In %d of %d intervals an lcore had less than %s of its CPU; the plots over time shade these intervals. Run %d of %s had the least: lcore %d had its CPU for %s of the run%s." % (
        lacking, intervals, enough, one["run"], one["file"], lcore["lcore"], percent(share),
        "" if lcore["preempted"] is None else " (%s preemptions)" % number(lcore["preempted"]))


def cpu_table(found):
    """Yield the table of the lcores' CPU times, if there are any."""
    def took(nanoseconds):
        return number(None if nanoseconds is None else nanoseconds / figures.NS)
    rows = [(one["file"], one["run"], one["engine"], lcore["lcore"], percent(lcore["share"]), took(lcore["run_ns"]), took(lcore["wait_ns"]),
             number(lcore["preempted"]), "%d of %d" % (one["cpu_lacking"], one["intervals"])) for one in found for lcore in one["cpu"]]
    if rows:
        yield table(("file", "run", "engine", "lcore", "share of its CPU", "seconds on its CPU", "seconds waiting for it", "preemptions",
                     "shaded intervals of the run"), rows, (0, 2), "cpu")


def pipeline_tables(found):
    """Yield the tables of workers and rings, if any run has them."""
    with_rings = [one for one in found if one["pipeline"]]
    if not with_rings:
        return
    yield table(("file", "run", "worker", "lcore", "packets", "packets/burst", "empty polls", "ring cycles/packet", "stage cycles/packet"),
                [(one["file"], one["run"], worker["worker"], worker.get("lcore", "–"), number(worker["packets"]),
                  number(worker["packets"] / worker["bursts"] if worker["bursts"] else None), number(worker["empty_polls"]),
                  number(worker["ring_cycles"]), number(worker["stage_cycles"]))
                 for one in with_rings for worker in one["pipeline"]["workers"]], (0,), "workers")
    yield table(("file", "run", "ring", "stream", "worker", "packets", "copied", "zero-copy", "full", "empty",
                 "mean fill", "maximum packets"),
                [(one["file"], one["run"], {"in": "to worker"}.get(ring["direction"], ring["direction"]), ring["stream"], ring["worker"],
                  number(ring["packets"]), *(percent(share) for share in shares(ring)), number(ring["full"]), number(ring["empty"]),
                  percent(ring["mean_fill"]), number(ring["most_level"]))
                 for one in with_rings for ring in one["pipeline"]["rings"]], (0, 2), "rings")


def shares(ring):
    """Return the shares of bursts put into a ring by copying and zero-copy."""
    bursts = ring["copy"] + ring["zc"]
    return [ring[name] / bursts if bursts else None for name in ("copy", "zc")]


def external_table(found):
    """Yield the table of extbuf's streams, if there are any."""
    rows = [(one["file"], one["run"], stream["stream"], stream["mode"],
             "–" if not stream["limited"] else "all" if stream["threshold"] is None else "below %d bytes" % stream["threshold"],
             number(stream["copied"]), number(stream["attached"]), number(stream["most_out"]))
            for one in found for stream in one["extbuf"]]
    if rows:
        yield table(("file", "run", "stream", "mode", "copied if", "copied", "attached", "maximum buffers out"), rows, (0, 3, 4), "external")


def hardware_table(found):
    """Yield the table of hardware counters per packet, if there are any."""
    rows = [(one["file"], one["run"], mine["who"], number(mine["packets"]), *(number(mine[name]) for name in engines.HARDWARE), number(mine["ipc"]))
            for one in found for mine in one["hardware"]]
    if rows:
        yield table(("file", "run", "lcore or worker", "packets", *(name.replace("_", " ") for name in engines.HARDWARE), "IPC"), rows, (0, 2), "hardware")


def hosts_table(recordings, found):
    """Return the table of totals by recording and over all, grouped by engine and differing settings except the machine."""
    def settings(one):
        return {name: value for name, value in one["settings"].items() if name != "machine"}

    def row(name, where, own, rate):
        return (name, where, own[0]["engine"], compared.said(settings(own[0])), number(len(own)), number(sum(one["packets"] for one in own)), number(rate),
                number(sum(value or 0 for one in own for value in one["drops"].values())))

    def rate(own):
        seconds = sum(one["seconds"] for one in own)
        return sum(one["packets"] for one in own) / seconds / 1e6 if seconds else 0
    rows, together = [], {}
    for recording in recordings:
        groups = {}
        for one in found:
            if one["file"] == recording.name:
                groups.setdefault((one["engine"], *settings(one).items()), []).append(one)
        for key, own in groups.items():
            rows.append(row(recording.name, recording.header["machine"]["host"], own, rate(own)))
            together.setdefault(key, []).append(own)
    rows += [row("all", "–", [one for own in parts for one in own], sum(map(rate, parts))) for parts in together.values()]
    return table(("name", "machine", "engine", "what differs", "runs", "packets", "Mpps", "dropped"), rows, (0, 1, 2, 3), "hosts")


def compare_table(groups):
    """Return the table that compares engines and differing settings by the medians of their runs."""
    first = groups[0]["mpps"]["median"]
    return table(("engine", "what differs", "runs", "Mpps", "min–max Mpps", "ratio to the first", "cycles/packet", "min–max cycles"),
                 [(one["engine"], compared.said(one["settings"]), one["runs"], number(one["mpps"]["median"]),
                   "%s–%s" % (number(one["mpps"]["least"]), number(one["mpps"]["most"])),
                   "%.3f" % (one["mpps"]["median"] / first) if first and one["mpps"]["median"] is not None else "–",
                   number(one["cycles_per_packet"]["median"]),
                   "%s–%s" % (number(one["cycles_per_packet"]["least"]), number(one["cycles_per_packet"]["most"])))
                  for one in groups], (0, 1), "engines")


def mpps(value):
    """Format Mpps as the command compare does; small ones with as many digits."""
    return "%.3f" % value if value >= 0.1 or not value else "%.3g" % value


def ranked_cells(ranked, form=number):
    """Return the cells for a median and its confidence interval."""
    if ranked is None:
        return "–", "–"
    return form(ranked["median"]), "%s–%s" % (form(ranked["low"]), form(ranked["high"])) if ranked["n"] > 1 else "–"


def middle(ranked):
    """Return the median, or None."""
    return ranked and ranked["median"]


def compared_table(one, place):
    """Return the table of a comparison, as shown by the command compare."""
    rows = [(*row["values"].values(), row["runs"], *ranked_cells(row["mpps"], mpps), *ranked_cells(row["ratio"], "{:.3f}".format),
             *ranked_cells(row["cycles_per_packet"], "{:.1f}".format), *wire_cells({**row, **{key: middle(row[key]) for key in ("l2_gbps", "l1_gbps", "line_share")}}))
            for row in one["rows"]]
    return table((*one["names"], "runs", "Mpps", "interval of Mpps", "ratio to the first", "interval of the ratio", "cycles/packet", "interval of cycles",
                  "L2 Gb/s", "L1 Gb/s", "share of line rate", "loss"), rows, range(len(one["names"])), "compared-table-%d" % place)


def lost_words(one):
    """Return a sentence for each combination in which an lcore lost its CPU, and for each whose packets were not all sent in time."""
    lost = ["%s: in %s an lcore lost its CPU; %s." % (
        compared.said(row["values"]), "one run" if row["lost_cpu"] == 1 else "%d runs" % row["lost_cpu"],
        "left out" if row["left_out"] else "too few others remain, so all count") for row in one["rows"] if row["lost_cpu"]]
    return " ".join(lost + ["%s: %d of %d packets were due and not sent." % (compared.said(row["values"]), row["unsent"], row["offered"] + row["unsent"])
                            for row in one["rows"] if row["unsent"]])


def compared_parts(comparisons, drawn):
    """Yield the comparisons, each with a table and a plot."""
    covers = {row["mpps"]["n"]: row["mpps"]["cover"] for one in comparisons for row in one["rows"] if row["mpps"] and row["mpps"]["n"] > 1}
    yield ("<h2>Comparisons</h2><p>Runs of the command compare. They were interleaved, so that drift affected all combinations equally. Numbers are "
           "medians of whole runs; the ratio to the first is the median of the ratios within each round. Intervals are confidence intervals for "
           "the median: %s.</p>" % (", ".join("%.1f %% with %d runs" % (100 * cover, n) for n, cover in sorted(covers.items())) or "none for a single run"))
    for place, one in enumerate(comparisons, 1):
        yield "<h3>%s, comparison %d</h3>" % (html.escape(one["file"]), one["comparison"]) + compared_table(one, place)
        if lost_words(one):
            yield "<p>%s</p>" % html.escape(lost_words(one))
    yield "".join(drawn)


def body(recordings, found, comparisons, folder, title, hosts, words):
    """Yield the parts of the page from top to bottom. words: its first sentences."""
    drawn = {"compared": [], "compare": [], "time": [], "pools": [], "latency": [], "bursts": [], "rings": []}
    for section, plot in all_plots(recordings, found, comparisons):
        drawn[section].append(picture(plot, folder))
    yield "<h1>%s</h1>" % html.escape(title)
    if words:
        yield '<p id="summary">%s</p>' % html.escape(words)
    if cpu_words(found):
        yield '<p id="cpu-words">%s</p>' % html.escape(cpu_words(found))
    yield ("<p>Throughput, burst sizes and cycles per packet of %s. Packets are the packets sent (received, if the engine never sends). "
           "Cycles are per received packet (per sent packet, if the engine creates packets). A burst is one call of a driver's receive or transmit function.</p>" %
           ("%d runs" % len(found) if len(found) > 1 else "one run"))
    notes = ["%s: %s" % (recording.name, note) for recording in recordings for note in recording.notes]
    notes += ["%s, run %d: %d polls were lost because the disk was too slow" % (one["file"], one["run"], one["lost_polls"])
              for one in found if one["lost_polls"]]
    if notes:
        yield '<div class="notes" id="notes">%s</div>' % "<br>".join(map(html.escape, notes))
    if hosts:
        yield "<h2>Hosts</h2><p>Mpps is the average over all runs of a recording. The sum is the joint rate of the hosts only if they ran at the same time.</p>" + hosts_table(recordings, found)
    if comparisons:
        yield "".join(compared_parts(comparisons, drawn["compared"]))
    yield ("<h2>Runs</h2><p>&quot;What differs&quot; lists the settings and other conditions that are not identical in all runs of this page. Mpps, Gb/s and "
           "loss are of the whole run. L2 counts frames without checksum, L1 adds checksum, preamble and gap; the line rate is that of the links "
           "on which the packets were sent (received, if the engine never sends). Medians and quartiles are over the run's intervals, without a much shorter last one.</p>")
    tables = list(runs_tables(found))
    yield tables[0]
    if drawn["compare"]:
        yield ("<h2>Comparison</h2><p>Runs with identical settings are pooled; the table shows the median, minimum and maximum of their medians. "
               "The ratio to the first is the Mpps divided by those of the first row.</p>") + compare_table(figures.compare(alone(found))) + "".join(drawn["compare"])
    yield "<h2>Throughput and cycles over time</h2>" + "".join(drawn["time"])
    times = "".join(cpu_table(found))
    if times:
        yield ("<h2>CPU time of lcores</h2><p>As the kernel counted it while the lcore was in its loop. The share is the time on the CPU, divided by the "
               "time on it and waiting for it. A busy-polling lcore needs its CPU all the time.</p>") + times
    if drawn["pools"]:
        yield "<h2>Mempools</h2>" + "".join(drawn["pools"])
    times = "".join(latency_page.table(found, table, number))
    if times:
        yield ("<h2>Latency</h2><p>From the histograms beside the recordings: one-way latency from due to received, gaps between arrivals of packets that follow "
               "each other, and from due to after the transmit call (sent late, which is part of the latency). Percentiles have three significant digits; a dash "
               "means that fewer than 100 values are above it.</p>") + times + "".join(drawn["latency"])
    yield "<h2>Bursts</h2><p>Mean and percentiles exclude empty bursts.</p>" + tables[1] + "".join(drawn["bursts"])
    rings = "".join(pipeline_tables(found))
    if rings:
        yield ("<h2>Workers and rings</h2><p>Cycles are shown if record-core-cycles was on; the plots above show the cycles of the I/O lcores. "
               "Bursts are put into a ring by copying or zero-copy. &quot;Full&quot; counts calls that found too little room in a ring, "
               "&quot;empty&quot; calls that found no packet. The mean fill is over the bursts put, the maximum over the ends of intervals.</p>"
               ) + rings + "".join(drawn["rings"])
    hardware = "".join(hardware_table(found))
    if hardware:
        yield "<h2>Hardware counters</h2><p>Per packet, without idle polls. Memory requests (mc requests) are those of the whole machine.</p>" + hardware
    buffers = "".join(external_table(found))
    if buffers:
        yield "<h2>External buffers</h2><p>Packets whose payload was copied, and packets whose payload was attached from the application's memory.</p>" + buffers
    reasons = {name: why for name, _, why in figures.DROPS}
    for recording, run in compared.runs_of(recordings):
        reasons.update({name: "%s %s" % (run.engine, row.get("help")) for name, row in figures.engine_drops(recording, run.engine).items()})
    yield "<h2>Lost packets</h2><p>Packets by reason: %s. The loss excludes rx_errors and rx_nombuf: such packets never arrived intact, or may have been received later.</p>" % html.escape(
        "; ".join("%s: %s" % reason for reason in reasons.items())) + tables[2]
    yield "<h2>Recording details</h2>"
    for recording in recordings:
        yield "<h3>%s</h3><dl>%s</dl>" % (html.escape(recording.name), "".join(
            "<dt>%s</dt><dd>%s</dd>" % (html.escape(name), html.escape(text)) for name, text in facts(recording)))


def alone(found):
    """Return the runs that do not belong to a comparison."""
    return [one for one in found if one["compare"] is None]


def write(recordings, folder, title, hosts=False):
    """Write report.html and the plots to the folder. hosts: add a table with the sum of the recordings. Returns the page's path."""
    found, comparisons = compared.figures_of(recordings)
    words = summary.of_page(compared.runs_of(recordings), found, comparisons)
    return write_parts(folder, printable(title), lambda: body(recordings, found, comparisons, folder, printable(title), hosts, words),
                       {"summary": words, "runs": found, "engines": figures.compare(alone(found)), "comparisons": comparisons})


def write_parts(folder, title, parts, numbers):
    """Write a page of these parts, with the numbers embedded as JSON. Returns its path."""
    os.makedirs(folder, exist_ok=True)
    data = json.dumps(numbers).replace("<", "\\u003c")
    path = os.path.join(folder, "report.html")
    with open(path, "w", encoding="utf-8") as file:
        file.write('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width='
                   'device-width, initial-scale=1"><title>%s</title><style>%s</style></head>\n<body><main>\n%s\n</main>\n'
                   '<script type="application/json" id="data">%s</script>\n</body></html>\n' % (
                       html.escape(title), STYLE, "\n".join(parts()), data))
    return path
