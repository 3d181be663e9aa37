# SPDX-License-Identifier: BSD-3-Clause
"""Output files of dma calibrate and dma measure (csv FILE): points by length, and the resulting thresholds."""
import csv
import os
from collections import namedtuple

from . import shape
from .shape import ReadError

COLUMNS = ["where", "memory", "bytes", "mode", "cycles_per_packet", "gbit_per_s"]
MODES = ("memcpy", "cpu", "dma", "adaptive")
BYTES_MOST = 65536
LINE_MOST = 4096

# Results for one place and kind of memory: lines is {mode: [(bytes, cycles)]} with ascending bytes; threshold is the length in bytes from
# which the DMA engine is cheaper, or None.
Panel = namedtuple("Panel", "where memory lines threshold")


def is_calibration(path):
    """Return whether a file starts like a calibration."""
    try:
        with open(path, "rb") as file:
            return file.readline(200).rstrip(b"\r\n") == ",".join(COLUMNS).encode("ascii")
    except OSError:
        return False


def threshold(lines):
    """Return the length from which the engine was always cheaper than the CPU; None if there is none."""
    cpu = dict(lines.get("cpu") or lines.get("memcpy", ()))
    found = None
    for length, cycles in reversed(lines.get("dma", ())):
        if length not in cpu or cycles >= cpu[length]:
            break
        found = length
    return found


def point(row):
    """Parse a row into (where, memory, mode, bytes, cycles); ValueError if it is not a point."""
    where, memory, length, mode, cycles, _ = row
    length, cycles = int(length), float(cycles)
    if mode not in MODES or not 0 < length <= BYTES_MOST or not 0 <= cycles < 1e12:
        raise ValueError("no point")
    return where, memory, mode, length, cycles


def panels(path):
    """Return the panels of a file, in file order; ReadError if it is damaged or empty."""
    found = {}
    try:
        with open(path, encoding="ascii", newline="") as file:
            for number, row in enumerate(csv.reader(line for _, line in shape.lines(file, LINE_MOST)), 1):
                if number == 1:
                    continue
                try:
                    where, memory, mode, length, cycles = point(row)
                except ValueError:
                    raise ReadError("%s:%d: not a calibration point" % (path, number)) from None
                found.setdefault((where, memory), {}).setdefault(mode, []).append((length, cycles))
    except (UnicodeDecodeError, csv.Error):
        raise ReadError("%s: damaged calibration file" % path) from None
    if not found:
        raise ReadError("%s: calibration file without points" % path)
    for lines in found.values():
        for line in lines.values():
            line.sort()
    return [Panel(where, memory, lines, threshold(lines)) for (where, memory), lines in found.items()]


def write(paths, folder):
    """Write NAME.png and NAME.svg for each file to the folder, which is created if missing. Returns their names."""
    from . import plots
    os.makedirs(folder, exist_ok=True)
    made = []
    for path in paths:
        drawn = plots.picture(plots.calibration(panels(path), os.path.basename(path)), plots.WIDE)
        base = os.path.join(folder, os.path.splitext(os.path.basename(path))[0])
        for kind in ("png", "svg"):
            if base + "." + kind in made:
                raise ReadError("%s: %s.%s is also the output of another file; use a separate directory for each" % (path, base, kind))
            with open(base + "." + kind, "wb") as file:
                file.write(drawn.drawn(plots.LIGHT, kind))
            made.append(base + "." + kind)
    return made
