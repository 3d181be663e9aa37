# SPDX-License-Identifier: BSD-3-Clause
"""The page for results of bench mempool: a table with the published figures, and plots."""
import html

from . import page
from .chart import Axis, Chart, Panel
from .plots import NARROW, ROW, Plot
from .read import printable


def cell_name(cell):
    """Return a short name of the measurement."""
    return "%d lcore%s, put %d, keep %d" % (cell["lcores"], "s" if cell["lcores"] > 1 else "", cell["put"], cell["keep"])


def rate_of(cell, driver, cache, contiguous):
    """Return the result of one variant; None if it was not measured."""
    for one in cell["results"]:
        if (one["driver"], one["cache"] > 0, one["contiguous"]) == (driver, cache, contiguous):
            return one
    return None


def drivers_of(bench):
    """Return the names of the drivers, in the order of the result."""
    return list(dict.fromkeys(one["driver"] for cell in bench["cells"] for one in cell["results"]))


def ratios(bench):
    """Plot the ratio of contiguous to plain gets by cell, measured and published."""
    cells = [cell for cell in bench["cells"] if "ratio" in cell]

    def draw(_):
        panel = Panel(Axis("rate of contiguous gets / rate of plain gets"), Axis(names=list(map(cell_name, cells))), ROW * len(cells))
        for place, cell in enumerate(cells):
            panel.line([cell["ratio_p25"], cell["ratio_p75"]], [place, place], 0, 2.0)
        panel.line([cell["ratio"] for cell in cells], range(len(cells)), 0, 0, mark="o", label="measured, with quartiles")
        known = [(cell["published"]["ratio"], place) for place, cell in enumerate(cells) if "published" in cell]
        if known:
            panel.line(*zip(*known), 1, 0, mark="D", label="published")
        panel.rules([1])
        return Chart([panel])
    return draw


def rates(cells, cache):
    """Plot the objects per second of all drivers, with a panel for each cell."""
    names = drivers_of({"cells": cells})

    def draw(inches):
        panels = []
        for cell in cells:
            panels.append(Panel(Axis("millions of objects per second", 0), Axis(names=names), 16 * len(names),
                                "get %d, put %d, keep %d" % (cell["get"], cell["put"], cell["keep"])))
            for contiguous, shift, colour, label in ((False, -0.2, 0, "plain gets"), (True, 0.2, 1, "contiguous gets")):
                found = [(at + shift, one["rate"]) for at, name in enumerate(names) if (one := rate_of(cell, name, cache, contiguous))]
                panels[-1].boxes([(0, rate, at - 0.19, at + 0.19) for at, rate in found], colour, label=label)
        return Chart(panels, 1 if inches == NARROW else 2)
    return draw


def conditions(bench):
    """Return how a benchmark was made."""
    return "blocks of %d, elements of %d bytes%s, pools of %d, %d samples%s" % (
        bench["block"], bench["element_bytes"], bench["why"], bench["objects"], bench["samples"], "; stopped by a signal" if bench["stopped"] else "")


def plots_of(benches):
    """Yield every plot of the page. The answers know neither machine nor date."""
    for place, bench in enumerate(benches, 1):
        of = "" if len(benches) == 1 else ": " + bench["file"]
        about = ("%s; %s" % (conditions(bench), bench["file"]),)
        if any("ratio" in cell for cell in bench["cells"]):
            yield Plot("ratio-%d" % place, "Gain of contiguous blocks%s" % of, "Rate of contiguous gets divided by the rate of plain gets in the same "
                       "sample (driver bucket, no cache): medians and quartiles, next to the published ratios.", ratios(bench), about)
        for lcores in sorted({cell["lcores"] for cell in bench["cells"]}):
            cells = [cell for cell in bench["cells"] if cell["lcores"] == lcores]
            for cache, word in ((False, "without cache"), (True, "with a cache")):
                kept = [cell for cell in cells if any((one["cache"] > 0) == cache for one in cell["results"])]
                if kept:
                    yield Plot("rates-%d-%d-%s" % (place, lcores, "cached" if cache else "plain"), "%d lcore%s, %s%s" % (
                        lcores, "s" if lcores > 1 else "", word, of), "Medians. Bulks of %d are whole blocks, other sizes are not." % bench["block"],
                        rates(kept, cache), about)


def rows_of(bench):
    """Yield a table row for each variant of each cell."""
    for cell in bench["cells"]:
        for one in cell["results"]:
            known = cell.get("published", {}) if one["driver"] == "bucket" and one["cache"] == 0 else {}
            published = known.get("contiguous" if one["contiguous"] else "plain")
            yield (bench["file"], cell["lcores"], cell["get"], cell["put"], cell["keep"], one["driver"], one["cache"],
                   "contiguous" if one["contiguous"] else "plain", "%.1f" % one["rate"], "%.1f–%.1f" % (one["p25"], one["p75"]),
                   "%.1f" % published if published else "–",
                   "%.3f" % cell["ratio"] if "ratio" in cell and known and one["contiguous"] else "–",
                   "%.3f" % known["ratio"] if known and one["contiguous"] else "–")


def body(benches, folder, title):
    """Yield the parts of the page from top to bottom."""
    yield "<h1>%s</h1>" % html.escape(title)
    yield "<p>Benchmark of mempool drivers: each lcore gets bulks until it holds &quot;keep&quot; objects, reads each object, and puts all back. Rates are millions of objects per second.</p>"
    for bench in benches:
        yield "<p>%s: %s.</p>" % (html.escape(bench["file"]), html.escape(conditions(bench)))
    yield "".join(page.picture(one, folder) for one in plots_of(benches))
    yield "<h2>All figures</h2>" + page.table(
        ("file", "lcores", "get", "put", "keep", "driver", "cache", "gets", "rate", "quartiles", "published", "ratio", "published ratio"),
        [row for bench in benches for row in rows_of(bench)], (0, 5, 7), "mempool")
    for bench in benches:
        for lcores in bench["left_out"]:
            yield "<p>%s: not measured with %d lcores, the machine has fewer.</p>" % (html.escape(bench["file"]), lcores)


def write(benches, folder, title):
    """Write report.html and the plots into the folder. Returns the page's path."""
    title = printable(title)
    return page.write_parts(folder, title, lambda: body(benches, folder, title), {"benches": benches})
