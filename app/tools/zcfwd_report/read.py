# SPDX-License-Identifier: BSD-3-Clause
"""Recordings as they lie on the disk: JSON lines with their older files, and burst files chunk by chunk."""
import functools
import json
import os
import re
import struct
from collections import namedtuple

from . import shape, version1

VERSIONS = (1, 2)  # of recordings
BURSTS_VERSION = 1
HEADER_MOST = 64 << 20  # bytes: longer first lines are no header
MAGIC = b"ZCFWDBST"
HEAD = struct.Struct("<8sII")
CHUNK = struct.Struct("<4sHHIIQQ")
POLL = struct.Struct("<QIHH")
HEADER, BEGIN, POLLS = 1, 2, 3
ODD = re.compile("[\0-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")  # no page, plot or terminal takes them

# polls: [(tsc, cycles, rx, tx)] of one stream in one run, in the order of time; lost: not kept since the last Polls of it.
Polls = namedtuple("Polls", "run stream polls lost")


class ReadError(Exception):
    """The file is no recording, or one that this program does not know; the text says which and why."""


def printable(value):
    """A text, or all texts of an object, with a mark in place of what no output takes."""
    if isinstance(value, str):
        return ODD.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, list):
        return [printable(one) for one in value]
    if isinstance(value, dict):
        return {printable(name): printable(one) for name, one in value.items()}
    return value


def parse(line):
    """A line of JSON, bytes. ValueError, RecursionError: it is none."""
    value = json.loads(line)
    return value if line.isascii() and b"\\" not in line else printable(value)


class Run:
    """One run of a recording: its begin line, its intervals, and its end line or None."""

    def __init__(self, begin):
        self.begin = begin
        self.number = begin["run"]
        self.engine = begin["engine"]
        self.work = "tx" if begin["makes_packets"] else "rx"  # the count that tells the engine's work
        self.intervals = []
        self.end = None

        self.streams = {stream["stream"]: stream for stream in begin["streams"]}

    @functools.cached_property
    def sends(self):
        """Whether the engine ever sends; older recordings tell by what it did."""
        told = self.begin.get("sends_packets")
        return told if told is not None else any(one["tx"] or one["tx_dropped"] for line in self.intervals for one in line["streams"])

    @property
    def moved(self):
        """The count that throughput is of: what was sent; received, where the engine never sends."""
        return "tx" if self.sends else "rx"

    def add(self, line):
        """An interval, or the end."""
        if line["type"] == "end":
            self.end = line
        else:
            self.intervals.append(line)


class Recording:
    """All files of one recording: header, runs, settings that changed, and what is wrong with it."""

    def __init__(self, path, name=None):
        self.path = path
        self.name = printable(name or os.path.basename(path))
        self.header = None
        self.runs = []
        self.sets = []
        self.stopped = False
        self.notes = []

    def add(self, line):
        """Take in one line. Lines of kinds that are not known are left alone. ValueError: it is none of a recording's."""
        if not isinstance(line, dict):
            raise ValueError("no object")
        kind = line.get("type")
        shape.check(line)
        if kind == "header":
            self.header = self.header or line
        elif kind == "begin":
            if not any(run.number == line["run"] for run in self.runs):  # every further file repeats it
                self.runs.append(Run(line))
        elif kind in ("interval", "end"):
            self.run_of(line).add(line)
        elif kind == "set":
            self.sets.append(line)
        elif kind == "stop":
            self.stopped = True

    def run_of(self, line):
        """The run that a line is of; ValueError when nothing told of its begin."""
        for run in self.runs:
            if run.number == line["run"] and all(one["stream"] in run.streams for one in line["streams"]):
                return run
        raise ValueError("of no run that began")


def header_check(header, path, where):
    """The header line of a recording, or ReadError."""
    if not isinstance(header, dict) or header.get("type") != "header" or header.get("format") != "zcfwd-record":
        raise ReadError("%s: no recording of zcfwd: %s is no header" % (path, where))
    if header.get("version") not in VERSIONS:
        raise ReadError("%s: format version %s: this program knows %s" % (path, header.get("version"), " and ".join(map(str, VERSIONS))))
    try:
        shape.check(header)
    except ValueError as error:
        raise ReadError("%s: its header is damaged: %s" % (path, error)) from None
    return header


def header_of(path):
    """The header line of a recording; ReadError when there is none."""
    try:
        with open(path, "rb") as file:
            first = file.readline(HEADER_MOST)
    except OSError as error:
        raise ReadError("%s: %s" % (path, error.strerror)) from None
    if not first:
        raise ReadError("%s: no recording of zcfwd: it is empty" % path)
    try:
        header = parse(first)
    except (ValueError, RecursionError):
        raise ReadError("%s: no recording of zcfwd: its first line is no JSON" % path) from None
    return header_check(header, path, "its first line")


def parts(path, wanted, identity):
    """The older files of a recording, oldest first, then path itself: FILE.1, FILE.2, ... as long as they are of it."""
    found = [path]
    for number in range(1, 10000):
        older = "%s.%d" % (path, number)
        try:
            if not os.path.exists(older) or identity(older) != wanted:
                break
        except ReadError:
            break
        found.insert(0, older)
    return found


def recording(path, name=None):
    """Read a recording with its older files. A last line that is cut short is left out with a note. name: what it is called, if not as its file."""
    found, header = Recording(path, name), header_of(path)
    wanted, upgrade = header["recording"], version1.upgrade if header["version"] == 1 else version1.former_keys
    for part in parts(path, wanted, lambda older: header_of(older)["recording"]):
        left = []
        with open(part, "rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    found.add(upgrade(parse(line)))
                except (ValueError, RecursionError, AttributeError, TypeError, KeyError):
                    left.append(number)
        if left:
            found.notes.append("%s, line%s %s: cut short or damaged, left out" % (
                printable(part), "s" * (len(left) > 1), ", ".join(map(str, left[:3])) + " and %d more" % (len(left) - 3) * (len(left) > 3)))
    if not found.stopped:
        found.notes.append("there is no stop line: the recording goes on, or was cut off")
    for run in found.runs:
        first = run.intervals[0] if run.intervals else None
        if first and first["mono_ns"] - first["dt_ns"] > run.begin["mono_ns"]:
            found.notes.append("run %d: its first intervals went with files that were rotated out" % run.number)
    return found


def chunks(path, notes=None):
    """(kind, stream, run, lost, payload) of each whole chunk of a burst file; a cut one at the end gives what it has, and a note."""
    notes = [] if notes is None else notes
    try:
        file = open(path, "rb")
    except OSError as error:
        raise ReadError("%s: %s" % (path, error.strerror)) from None
    with file:
        head = file.read(HEAD.size)
        if len(head) < HEAD.size or HEAD.unpack(head)[0] != MAGIC:
            raise ReadError("%s: no burst file of zcfwd" % path)
        _, version, size = HEAD.unpack(head)
        if version != BURSTS_VERSION:
            raise ReadError("%s: format version %d: this program knows %d" % (path, version, BURSTS_VERSION))
        file.seek(size)
        while len(head := file.read(CHUNK.size)) == CHUNK.size:
            magic, kind, stream, run, size, lost, _ = CHUNK.unpack(head)
            if magic != b"chnk":
                raise ReadError("%s: no chunk at byte %d" % (path, file.tell() - CHUNK.size))
            payload = file.read(size)
            if len(payload) < size:
                notes.append("%s: cut short in the chunk at byte %d" % (path, file.tell() - len(payload) - CHUNK.size))
            yield kind, stream, run, lost, payload
        if head:
            notes.append("%s: cut short at byte %d" % (path, file.tell() - len(head)))


def burst_header(path):
    """The recording's header line as the burst file carries it."""
    for kind, _, _, _, payload in chunks(path):
        if kind == HEADER:
            try:
                header = parse(payload)
            except (ValueError, RecursionError):
                raise ReadError("%s: its header is damaged" % path) from None
            return header_check(header, path, "its first chunk")
    raise ReadError("%s: a burst file without header" % path)


def bursts(path, notes=None):
    """(header line, generator of Polls) of a burst file with its older files; notes: list for what is wrong with them."""
    header = burst_header(path)

    def walk():
        for part in parts(path, header["recording"], lambda older: burst_header(older)["recording"]):
            for kind, stream, run, lost, payload in chunks(part, notes):
                if kind == POLLS:
                    whole = len(payload) // POLL.size * POLL.size
                    yield Polls(run, stream, list(POLL.iter_unpack(payload[:whole])), lost)
    return header, walk()


def is_bursts(path):
    """Whether the file begins as a burst file."""
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise ReadError("%s: %s" % (path, error.strerror)) from None
