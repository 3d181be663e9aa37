#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Draws cycles per packet over the size of the ring, a curve per variant and a panel per file of kept samples:
rings_plot.py PREFIX OUT.png FILE.csv... PREFIX: begin of the cases, such as "xl710/512bit"; only those with fast free and hot caches.
"""
import csv
import pathlib
import re
import statistics
import sys
from collections import defaultdict

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "app/tools"))
from zcfwd_report.plots import LIGHT, WIDE, Plot, render  # noqa: E402

NAMES = {"io": "io", "recycle_mbufs": "recycling", "recycle_mbufs,recycle-window=512": "window of 512",
         "direct": "direct without slots",  # before it had slots
         "direct,direct-slots=off": "direct without slots", "direct,direct-slots=on": "direct with slots"}


def medians(path, prefix):
    """(title, {variant: {ring: median of the processes' medians}}) of a file."""
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    [cpu] = [line.removeprefix("# cpu: ").split(",")[0] for line in lines if line.startswith("# cpu: ")]
    values = defaultdict(lambda: defaultdict(list))
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        found = re.fullmatch(re.escape(prefix) + r"/ring(\d+)/fast-free/working-set/hot", row["case"])
        if found:
            values[row["variant"]][int(found[1])].append(float(row["value"]))
    return cpu, {variant: {ring: statistics.median(some) for ring, some in sorted(rings.items())} for variant, rings in values.items()}


def plot(panels):
    def draw(figure, scheme, _width):
        all_axes = figure.subplots(1, len(panels), squeeze=False)[0]
        for place, (axes, (title, curves)) in enumerate(zip(all_axes, panels)):
            for (variant, curve), colour, mark in zip(curves.items(), scheme.lines, "osD^v"):
                axes.plot(range(len(curve)), curve.values(), marker=mark, markersize=4, color=colour, label=NAMES[variant])
                axes.set_xticks(range(len(curve)), curve)
            axes.set_title(title)
            axes.set_xlabel("descriptors of each ring")
            axes.set_ylim(0, 1.05 * max(max(curve.values()) for curve in curves.values()))
            if place == 0:
                axes.set_ylabel("TSC cycles per packet")
                axes.legend()
    return Plot("rings", "cycles over ring size", "", draw)


def main():
    if len(sys.argv) < 4:
        raise SystemExit(__doc__.strip())
    prefix, out, *files = sys.argv[1:]
    panels = [medians(path, prefix) for path in files]
    for path, (_, curves) in zip(files, panels):
        if not curves:
            raise SystemExit(f"rings_plot: {path}: no cases of {prefix}/ring*/fast-free/working-set/hot")
    pathlib.Path(out).write_bytes(render(plot(panels), LIGHT, WIDE, "png"))


if __name__ == "__main__":
    main()
