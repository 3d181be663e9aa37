# SPDX-License-Identifier: BSD-3-Clause
"""The page of answers of bench mempool: a table beside the published figures, and plots of them."""
import html

from . import page
from .plots import Plot
from .read import printable


def cell_name(cell):
    """What is measured, in a word."""
    return "%d lcore%s, put %d, keep %d" % (cell["lcores"], "s" if cell["lcores"] > 1 else "", cell["put"], cell["keep"])


def rate_of(cell, driver, cache, contiguous):
    """The result of one variant; None: it was not measured."""
    for one in cell["results"]:
        if (one["driver"], one["cache"] > 0, one["contiguous"]) == (driver, cache, contiguous):
            return one
    return None


def drivers_of(bench):
    """Their names, in the order of the answer."""
    return list(dict.fromkeys(one["driver"] for cell in bench["cells"] for one in cell["results"]))


def ratios(bench):
    """Contiguous over plain, cell by cell, here and as published."""
    cells = [cell for cell in bench["cells"] if "ratio" in cell]

    def draw(figure, scheme, width):
        figure.set_size_inches(width, 1.2 + 0.34 * len(cells))
        axes = figure.subplots()
        for place, cell in enumerate(cells):
            axes.plot([cell["ratio_p25"], cell["ratio_p75"]], [place, place], color=scheme.lines[0], linewidth=2)
        axes.plot([cell["ratio"] for cell in cells], range(len(cells)), "o", color=scheme.lines[0], label="here, with quartiles")
        known = [(cell["published"]["ratio"], place) for place, cell in enumerate(cells) if "published" in cell]
        if known:
            axes.plot(*zip(*known), "D", color=scheme.lines[1], markersize=4, label="published")
        axes.axvline(1, color=scheme.ink, linewidth=0.8, linestyle=":")
        axes.set_yticks(range(len(cells)), [cell_name(cell) for cell in cells], fontsize=8)
        axes.set(xlabel="contiguous over plain")
        axes.invert_yaxis()
        axes.legend(loc="upper left", bbox_to_anchor=(0, -0.25 if width < 6 else -0.18), ncols=2)
    return draw


def rates(cells, cache):
    """Objects per second of all drivers, in one panel for each cell of so many lcores."""
    def draw(figure, scheme, width):
        names = drivers_of({"cells": cells})
        columns = 1 if width < 6 else 2
        rows = -(-len(cells) // columns)
        figure.set_size_inches(width, 0.6 + (0.5 + 0.22 * len(names)) * rows)
        grid = figure.subplots(rows, columns, squeeze=False)
        for place, cell in enumerate(cells):
            axes = grid[place // columns][place % columns]
            for contiguous, shift, colour in ((False, -0.2, 0), (True, 0.2, 1)):
                found = [(at, one) for at, name in enumerate(names) if (one := rate_of(cell, name, cache, contiguous))]
                axes.barh([at + shift for at, _ in found], [one["rate"] for _, one in found], 0.38, color=scheme.lines[colour])
            axes.set_yticks(range(len(names)), names, fontsize=7)
            axes.invert_yaxis()
            axes.set_title("get %d, put %d, keep %d" % (cell["get"], cell["put"], cell["keep"]), fontsize=8)
        for axes in grid.flat[len(cells):]:
            axes.set_visible(False)
        figure.supxlabel("millions of objects a second", fontsize=9)
    return draw


def plots_of(benches):
    """Every plot of the page."""
    for place, bench in enumerate(benches, 1):
        of = "" if len(benches) == 1 else ": " + bench["file"]
        if any("ratio" in cell for cell in bench["cells"]):
            yield Plot("ratio-%d" % place, "What contiguous blocks gain%s" % of, "Rates of contiguous gets over those of plain ones in the same sample, "
                       "driver bucket, no cache: medians and quartiles, beside the published ratios.", ratios(bench))
        for lcores in sorted({cell["lcores"] for cell in bench["cells"]}):
            cells = [cell for cell in bench["cells"] if cell["lcores"] == lcores]
            for cache, word in ((False, "without cache"), (True, "with a cache")):
                kept = [cell for cell in cells if any((one["cache"] > 0) == cache for one in cell["results"])]
                if kept:
                    yield Plot("rates-%d-%d-%s" % (place, lcores, "cached" if cache else "plain"), "%d lcore%s, %s%s" % (
                        lcores, "s" if lcores > 1 else "", word, of), "Medians: plain gets above, contiguous ones below. Bulks of %d are blocks, those of other sizes are not." % bench["block"],
                        rates(kept, cache))


def rows_of(bench):
    """A line of the table for each variant of each cell."""
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
    """The page from top to bottom."""
    yield "<h1>%s</h1>" % html.escape(title)
    yield "<p>Mempool drivers: each lcore gets bulks until it keeps so many objects, reads each, and puts them back. Millions of objects a second.</p>"
    for bench in benches:
        yield "<p>%s: blocks of %d, elements of %d bytes%s, pools of %d, %d samples%s.</p>" % (
            html.escape(bench["file"]), bench["block"], bench["element_bytes"], html.escape(bench["why"]), bench["objects"], bench["samples"],
            "; stopped by a signal" if bench["stopped"] else "")
    yield "".join(page.picture(one, folder) for one in plots_of(benches))
    yield "<h2>All figures</h2>" + page.table(
        ("file", "lcores", "get", "put", "keep", "driver", "cache", "gets", "rate", "quartiles", "published", "ratio", "published ratio"),
        [row for bench in benches for row in rows_of(bench)], (0, 5, 7), "mempool")
    for bench in benches:
        for lcores in bench["left_out"]:
            yield "<p>%s: left out: %d lcores, as there are fewer.</p>" % (html.escape(bench["file"]), lcores)


def write(benches, folder, title):
    """Write report.html and the plots into the folder. Returns the page's path."""
    title = printable(title)
    return page.write_parts(folder, title, lambda: body(benches, folder, title), {"benches": benches})
