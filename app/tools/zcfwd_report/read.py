# SPDX-License-Identifier: BSD-3-Clause
"""Read recordings: JSON lines including older files, and burst files in chunks."""
import functools
import json
import os
import re
import struct
from collections import namedtuple

from . import latency, shape
from .shape import ReadError

VERSION = 2  # format version of recordings
BURSTS_VERSION = 1
HEADER_MOST = 64 << 20  # maximum length of a header, of any other line and of a chunk in bytes
DIGITS_MOST = 20  # of an integer with its sign
MAGIC = b"ZCFWDBST"
HEAD = struct.Struct("<8sII")
CHUNK = struct.Struct("<4sHHIIQQ")
POLL = struct.Struct("<QIHH")
HEADER, BEGIN, POLLS = 1, 2, 3
ODD = re.compile("[\0-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")  # not allowed in pages, plots or terminals

# polls: [(tsc, cycles, rx, tx)] of one stream in one run, in chronological order; lost: polls lost since its previous Polls.
Polls = namedtuple("Polls", "run stream polls lost")


def printable(value):
    """Replace unprintable characters in a string, or in all strings of an object."""
    if isinstance(value, str):
        return ODD.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, list):
        return [printable(one) for one in value]
    if isinstance(value, dict):
        return {printable(name): printable(one) for name, one in value.items()}
    return value


def whole(text):
    """Parse an integer of JSON."""
    if len(text) > DIGITS_MOST:
        raise ValueError("integer of %d digits" % len(text))
    return int(text)


def real(text):
    """Parse a number of JSON with a fraction or an exponent, or one of Python's constants."""
    value = float(text)
    if not -float("inf") < value < float("inf"):
        raise ValueError("no number: %s" % text[:40])
    return value


def parse(line):
    """Parse a line of JSON (bytes). Errors: ValueError, RecursionError."""
    value = json.loads(line, parse_int=whole, parse_float=real, parse_constant=real)
    return value if line.isascii() and b"\\" not in line else printable(value)


class Run:
    """A run of a recording: its begin line, its intervals, and its end line or None."""

    def __init__(self, begin):
        self.begin = begin
        self.number = begin["run"]
        self.engine = begin["engine"]
        self.work = "tx" if begin["makes_packets"] else "rx"  # the counter of packets that the engine processes
        self.intervals = []
        self.end = None
        self.times = []  # latency.Interval, of the log beside the recording
        self.streams = {stream["stream"]: stream for stream in begin["streams"]}

    @functools.cached_property
    def sends(self):
        """Whether the engine sends; for older recordings, whether it did send."""
        told = self.begin.get("sends_packets")
        return told if told is not None else any(one["tx"] or one["tx_dropped"] for line in self.intervals for one in line["streams"])

    @property
    def moved(self):
        """The counter for throughput: packets sent, or received if the engine never sends."""
        return "tx" if self.sends else "rx"

    def add(self, line):
        """Add an interval or end line."""
        if line["type"] == "end":
            self.end = line
        else:
            self.intervals.append(line)


class Recording:
    """A recording from all its files: header, runs, changed settings, and notes about errors."""

    def __init__(self, path, name=None):
        self.path = path
        self.name = printable(name or os.path.basename(path))
        self.header = None
        self.runs = []
        self.sets = []
        self.stopped = False
        self.notes = []

    def add(self, line):
        """Add a line; lines of unknown types are ignored. ValueError if it is not a valid line."""
        if not isinstance(line, dict):
            raise ValueError("no object")
        kind = line.get("type")
        shape.check(line)
        if kind == "header":
            self.header = self.header or line
        elif kind == "begin":
            if not any(run.number == line["run"] for run in self.runs):  # repeated in each later file
                self.runs.append(Run(line))
        elif kind in ("interval", "end"):
            self.run_of(line).add(line)
        elif kind == "set":
            self.sets.append(line)
        elif kind == "stop":
            self.stopped = True

    def run_of(self, line):
        """Return the run of a line; ValueError if its begin line is missing."""
        for run in self.runs:
            if run.number == line["run"] and all(one["stream"] in run.streams for one in line["streams"]):
                return run
        raise ValueError("of no run that began")


def header_check(header, path, where):
    """Check and return the header of a recording, or raise ReadError."""
    if not isinstance(header, dict) or header.get("type") != "header" or header.get("format") != "zcfwd-record":
        raise ReadError("%s: not a zcfwd recording: %s is not a header" % (path, where))
    if header.get("version") != VERSION:
        raise ReadError("%s: unsupported format version %s, expected %d" % (path, header.get("version"), VERSION))
    try:
        shape.check(header)
    except ValueError as error:
        raise ReadError("%s: damaged header: %s" % (path, error)) from None
    return header


def header_of(path):
    """Read the header of a recording; ReadError if there is none."""
    try:
        with open(path, "rb") as file:
            first = file.readline(HEADER_MOST)
    except OSError as error:
        raise ReadError("%s: %s" % (path, error.strerror)) from None
    if not first:
        raise ReadError("%s: not a zcfwd recording: the file is empty" % path)
    try:
        header = parse(first)
    except (ValueError, RecursionError):
        raise ReadError("%s: not a zcfwd recording: its first line is not JSON" % path) from None
    return header_check(header, path, "its first line")


def parts(path, wanted, identity):
    """Return the files of a recording, oldest first: FILE.2, FILE.1, ... that belong to it, then path itself."""
    found = [path]
    for number in range(1, 10000):
        older = "%s.%d" % (path, number)
        try:
            if not os.path.isfile(older) or identity(older) != wanted:
                break
        except ReadError:
            break
        found.insert(0, older)
    return found


def recording(path, name=None):
    """Read a recording with its older files. Damaged lines are skipped with a note. name: label instead of the file name."""
    found, header = Recording(path, name), header_of(path)
    for part in parts(path, header["recording"], lambda older: header_of(older)["recording"]):
        left = []
        with open(part, "rb") as file:
            for number, line in shape.lines(file, HEADER_MOST):
                try:
                    found.add(parse(line))
                except (ValueError, RecursionError, AttributeError, TypeError, KeyError):
                    left.append(number)
        if left:
            found.notes.append("%s, line%s %s: truncated or damaged, skipped" % (
                printable(part), "s" * (len(left) > 1), ", ".join(map(str, left[:3])) + " and %d more" % (len(left) - 3) * (len(left) > 3)))
    times = latency.beside(path, header["recording"], found.notes)
    for run in found.runs:
        run.times = times.get(run.number, [])
    if not found.stopped:
        found.notes.append("no stop line: the recording is still running or was interrupted")
    for run in found.runs:
        first = run.intervals[0] if run.intervals else None
        if first and first["mono_ns"] - first["dt_ns"] > run.begin["mono_ns"]:
            found.notes.append("run %d: its first intervals were in files that rotation deleted" % run.number)
    return found


def chunks(path, notes=None):
    """Yield (kind, stream, run, lost, payload) of each chunk of a burst file; the payload of a truncated last chunk is shorter, with a note."""
    notes = [] if notes is None else notes
    try:
        file = open(path, "rb")
    except OSError as error:
        raise ReadError("%s: %s" % (path, error.strerror)) from None
    with file:
        head = file.read(HEAD.size)
        if len(head) < HEAD.size or HEAD.unpack(head)[0] != MAGIC:
            raise ReadError("%s: not a zcfwd burst file" % path)
        _, version, size = HEAD.unpack(head)
        if version != BURSTS_VERSION:
            raise ReadError("%s: unsupported format version %d, expected %d" % (path, version, BURSTS_VERSION))
        file.seek(size)
        while len(head := file.read(CHUNK.size)) == CHUNK.size:
            magic, kind, stream, run, size, lost, _ = CHUNK.unpack(head)
            if magic != b"chnk":
                raise ReadError("%s: no chunk header at byte %d" % (path, file.tell() - CHUNK.size))
            if size > HEADER_MOST:
                raise ReadError("%s: chunk of %d bytes at byte %d, expected at most %d" % (path, size, file.tell() - CHUNK.size, HEADER_MOST))
            payload = file.read(size)
            if len(payload) < size:
                notes.append("%s: truncated in the chunk at byte %d" % (path, file.tell() - len(payload) - CHUNK.size))
            yield kind, stream, run, lost, payload
        if head:
            notes.append("%s: truncated at byte %d" % (path, file.tell() - len(head)))


def burst_header(path):
    """Return the recording's header line from a burst file."""
    for kind, _, _, _, payload in chunks(path):
        if kind == HEADER:
            try:
                header = parse(payload)
            except (ValueError, RecursionError):
                raise ReadError("%s: damaged header" % path) from None
            return header_check(header, path, "its first chunk")
    raise ReadError("%s: burst file without header" % path)


def bursts(path, notes=None):
    """Return (header line, generator of Polls) of a burst file with its older files. notes: list to which errors are appended."""
    header = burst_header(path)

    def walk():
        for part in parts(path, header["recording"], lambda older: burst_header(older)["recording"]):
            for kind, stream, run, lost, payload in chunks(part, notes):
                if kind == POLLS:
                    whole = len(payload) // POLL.size * POLL.size
                    yield Polls(run, stream, list(POLL.iter_unpack(payload[:whole])), lost)
    return header, walk()


def is_bursts(path):
    """Return whether the file starts like a burst file."""
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise ReadError("%s: %s" % (path, error.strerror)) from None
