# SPDX-License-Identifier: BSD-3-Clause
"""Histograms of times beside a recording (FILE.hlog): read, added up, percentiles. Standard library only."""
import base64
import os
import re
import struct
import zlib
from collections import Counter, namedtuple

from .shape import ReadError, lines

SUFFIX = ".hlog"
FORMAT = "#[Histogram log format version 1.3]"
COOKIE, COOKIE_COMPRESSED = 0x1C849313, 0x1C849314
HEAD = struct.Struct(">IIIIQQd")
HALF = 1024  # cells for each power of two, with three significant digits
DIGITS = 3
SECONDS = re.compile(r"[0-9]{1,12}(\.[0-9]{1,9})?")
COUNT = re.compile("[0-9]{1,10}")
LINE = re.compile(r"Tag=([^, ]+),([0-9]{1,12}\.[0-9]{1,9}),([0-9]{1,12}\.[0-9]{1,9}),[0-9]{1,20}\.[0-9]{1,9},(\S+)")
LINE_MOST = 2 << 20  # maximum length of a line: a histogram with all cells has some 800 kB
RECORDING, START, RUN = (re.compile(r"#\[%s: ([^], ]+)" % name) for name in ("Recording", "StartTime", "Run"))
MOST_CELLS = 64 * HALF
PLAIN_MOST = HEAD.size + 9 * MOST_CELLS  # bytes of a histogram
BEYOND = 100  # values above a percentile that it needs
SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999, "p9999": 0.9999}

# Times are in seconds since 1970; counts: {cell: values}; queue: "port0.queue0".
Interval = namedtuple("Interval", "begin end queue kind counts")


def lowest(cell):
    """Return the lowest value of a cell in ns; the next cell's minus 1 is the highest."""
    power = max(cell // HALF - 1, 0)
    return (cell - HALF * power) << power


def _numbers(data):
    """Yield numbers in ZigZag LEB128: seven bits a byte, eight in the ninth. ValueError if the last one is incomplete."""
    value = shift = 0
    for byte in data:
        value |= (byte if shift == 56 else byte & 0x7F) << shift
        if shift < 56 and byte >= 0x80:
            shift += 7
            continue
        yield value >> 1 ^ -(value & 1)
        value = shift = 0
    if shift:
        raise ValueError("incomplete number")


def decode(text):
    """Return {cell: values} of a histogram in HdrHistogram's compressed encoding, version 2. ValueError."""
    try:
        packed = base64.b64decode(text, validate=True)
        cookie, length = struct.unpack(">II", packed[:8])
        unpacker = zlib.decompressobj()
        plain = unpacker.decompress(packed[8:8 + length], PLAIN_MOST)
        if not unpacker.eof:
            raise ValueError("incomplete, or too many cells")
        inner, length, offset, digits, unit, _, _ = HEAD.unpack(plain[:HEAD.size])
    except (struct.error, zlib.error) as error:
        raise ValueError(str(error)) from None
    if (cookie, inner, offset, digits, unit) != (COOKIE_COMPRESSED, COOKIE, 0, DIGITS, 1) or length != len(plain) - HEAD.size:
        raise ValueError("another encoding")
    found, cell = Counter(), 0
    for number in _numbers(plain[HEAD.size:]):
        if number > 0:
            found[cell] = number
        cell += max(1, -number)
        if cell > MOST_CELLS:
            raise ValueError("too many cells")
    return found


def is_log(path):
    """Return whether the file starts like a log of histograms."""
    if not os.path.isfile(path):  # a pipe would wait for its writer
        return False
    try:
        with open(path, "rb") as file:
            return file.read(len(FORMAT)) == FORMAT.encode("ascii")
    except OSError:
        return False


def identity(path):
    """Return the name of the recording that a log belongs to; None if it is no log."""
    if not is_log(path):
        return None
    with open(path, encoding="utf-8", errors="replace") as file:
        for _, line in lines(file, LINE_MOST):
            if not line.startswith(("#", '"')):
                return None
            if match := RECORDING.match(line):
                return match[1]
    return None


def _header(pattern, form, line, where):
    """Return the value of a header line; None if it is another one. ReadError if it has not the form."""
    match = pattern.match(line)
    if match and not form.fullmatch(match[1]):
        raise ReadError("%s: \"%s\": expected %s" % (where, match[1][:40], "a number of at most 10 digits" if form is COUNT else "seconds since 1970"))
    return match and match[1]


def _read(path, runs, notes):
    """Add the intervals of one file to runs, {number: [Interval]}."""
    damaged, run, start = [], 0, 0.0
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, line in lines(file, LINE_MOST):
            if line.startswith("#"):
                where = "%s:%d" % (path, number)
                run = int(_header(RUN, COUNT, line, where) or run)
                start = float(_header(START, SECONDS, line, where) or start)
            elif not line.startswith('"'):
                match = LINE.fullmatch(line.rstrip("\n"))
                try:
                    counts = decode(match[4]) if match and line.endswith("\n") else None
                except ValueError:
                    counts = None
                if counts is None:
                    damaged.append(number)
                    continue
                queue, _, kind = match[1].rpartition(".")
                begin = start + float(match[2])
                runs.setdefault(run, []).append(Interval(begin, begin + float(match[3]), queue, kind, counts))
    if damaged:
        notes.append("%s, line%s %s: truncated or damaged, skipped" % (path, "s" * (len(damaged) > 1), ", ".join(map(str, damaged[:3]))))


def beside(path, recording, notes):
    """Return {run number: [Interval]} of the log beside a recording, with its older files; empty if there is none. recording: its name."""
    newest, found = path + SUFFIX, {}
    if not os.path.exists(newest):
        return found
    if not os.path.isfile(newest):
        raise ReadError("%s: expected a regular file" % newest)
    if identity(newest) != recording:
        notes.append("%s: belongs to another recording, ignored" % newest)
        return found
    files = [newest]
    for number in range(1, 10000):
        older = "%s.%d" % (newest, number)
        if identity(older) != recording:
            break
        files.insert(0, older)
    for file in files:
        _read(file, found, notes)
    return found


def total(intervals, kind, queue=None):
    """Return {cell: values} of all intervals of a kind: latency, gap or late."""
    found = Counter()
    for one in intervals:
        if one.kind == kind and queue in (None, one.queue):
            found.update(one.counts)
    return found


def quantile(counts, share):
    """Return the highest value of the cell that a share of the values does not exceed, in us; None if too few values are above it."""
    n, seen = sum(counts.values()), 0
    if not n or n * (1 - share) < BEYOND - 1e-6:
        return None
    for cell in sorted(counts):
        seen += counts[cell]
        if seen >= share * n * (1 - 1e-12):
            return (lowest(cell + 1) - 1) / 1e3
    return None


def most(counts):
    """Return the highest value in us; None without values."""
    return (lowest(max(counts) + 1) - 1) / 1e3 if counts else None


def percentiles(counts):
    """Return {"p50": us or None, ..., "max": us, "n": values}."""
    return {**{name: quantile(counts, share) for name, share in SHARES.items()}, "max": most(counts), "n": sum(counts.values())}


def over_time(intervals, kind="latency"):
    """Return [(begin, end, {cell: values})] of all queues together, in the order of time."""
    found = {}
    for one in intervals:
        if one.kind == kind:
            found.setdefault((one.begin, one.end), Counter()).update(one.counts)
    return [(*when, found[when]) for when in sorted(found)]


def of_run(run):
    """Return the figures of a run by queue and kind: [{"queue", "kind", "p50", ..., "max", "n", "zero"}]; empty without a log."""
    queues = dict.fromkeys((one.queue, one.kind) for one in run.times)
    return [{"queue": queue, "kind": kind, **percentiles(counts), "zero": counts.get(0, 0)}
            for queue, kind in sorted(queues) for counts in (total(run.times, kind, queue),)]
