#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Draws cycles per packet over the size of the ring, a curve per variant and a panel per file of kept samples:
rings_plot.py PREFIX OUT.png FILE.csv... PREFIX: begin of the cases, such as "xl710/512bit"; only those with fast free and hot caches.
"""
import pathlib
import re
import statistics
import sys
from collections import defaultdict

import results

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "app/tools"))
from zcfwd_report.chart import Axis, Chart, Panel  # noqa: E402
from zcfwd_report.plots import LIGHT, WIDE, Plot, picture  # noqa: E402

NAMES = {"io": "io", "recycle_mbufs": "recycling", "recycle_mbufs,recycle-window=512": "window of 512",
         "direct": "direct without slots",  # before it had slots
         "direct,direct-slots=off": "direct without slots", "direct,direct-slots=on": "direct with slots"}


def medians(path, prefix):
    """(title, {variant: {ring: median of the processes' medians}}) of a file."""
    facts, samples = results.read(path)
    values = defaultdict(lambda: defaultdict(list))
    for one in samples:
        found = re.fullmatch(re.escape(prefix) + r"/ring(\d+)/fast-free/working-set/hot", one.case)
        if found:
            values[one.variant][int(found[1])].append(one.value)
    return facts["cpu"].split(",")[0], {variant: {ring: statistics.median(some) for ring, some in sorted(rings.items())} for variant, rings in values.items()}


def plot(panels):
    def draw(_width):
        y, found = Axis("TSC cycles per packet", 0), []
        for title, curves in panels:
            rings = sorted({ring for curve in curves.values() for ring in curve})
            panel = Panel(Axis("descriptors of each ring", ticks=[(place, str(ring)) for place, ring in enumerate(rings)]), y, 200, title)
            for colour, ((variant, curve), mark) in enumerate(zip(curves.items(), "oDxoDx")):
                panel.line([rings.index(ring) for ring in curve], list(curve.values()), colour, mark=mark, label=NAMES[variant])
            found.append(panel)
        return Chart(found, len(found))
    return Plot("rings", "Cycles over ring size", "", draw)


def main():
    if len(sys.argv) < 4:
        raise SystemExit(__doc__.strip())
    prefix, out, *files = sys.argv[1:]
    panels = [medians(path, prefix) for path in files]
    for path, (_, curves) in zip(files, panels):
        if not curves:
            raise SystemExit(f"rings_plot: {path}: no cases of {prefix}/ring*/fast-free/working-set/hot")
    pathlib.Path(out).write_bytes(picture(plot(panels), WIDE).drawn(LIGHT, "png"))


if __name__ == "__main__":
    main()
