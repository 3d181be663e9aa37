# SPDX-License-Identifier: BSD-3-Clause
# How exactly the engine generate sends at a rate, and how far the latency that the engine measure reports is from a known delay.
"""
accuracy/rate/RATE and accuracy/gaps/GAPS/RATE: one lcore sends to net_null for SECONDS. departures.c records the TSC when each packet is handed to the port's transmit
function, and when it was due. Differences are divided by the TSC's frequency as the kernel's CLOCK_MONOTONIC_RAW shows it, so an error of DPDK's estimate of that frequency
counts as an error of the rate.

- Rate: packets in the first second, and in each of its WINDOWS windows, compared with the requested rate. A window begins half a gap before a packet is due.
- Gaps: time between packets minus the requested time: 1/RATE, or for poisson the time between the two due times.
- Late: from due to handed.

Nothing is left out of the line "all". In the line "undisturbed" are windows for which the kernel's record of context switches shows that the lcore kept its CPU in the
window and in the one before it. Interrupts, and time in which the hypervisor took the CPU, are in both lines.

accuracy/latency/delayNS: two modelled XL710s; the wire to port 0 takes NS nanoseconds. p50 minus NS is the bias of the latency.
  ping-pong: a cache line's round trip between the CPUs, before each process (machine.ping_pong_ns); on a virtual machine it depends on where the CPUs are now.
"""
import array
import bisect
import contextlib
import ctypes
import mmap
import operator
import os
import pathlib
import platform
import struct
from collections import Counter, namedtuple

import machine
import modes
import summary
from forwarder import LIBC
from lab import PERF_EVENT_OPEN
from prompt import Prompt

RATES = {"10kpps": 1e4, "100kpps": 1e5, "1Mpps": 1e6, "5Mpps": 5e6, "14.88Mpps": 14.88e6}
GAPS = (("even", "500kpps"), ("even", "1Mpps"), ("poisson", "500kpps"), ("poisson", "1Mpps"))
DELAYS_NS, LATENCY_RATES = (0, 10_000, 100_000, 1_000_000), ("1kpps", "10kpps", "100kpps")
QUICK = ("1Mpps",), (), ()
PPS = {**RATES, "500kpps": 5e5}
SECONDS, WINDOWS = 1, 1000
RUN_MS = 1050
# A packet of 60 bytes takes this time on a 10 Gbit/s wire: packets that are handed at shorter distance are back to back there.
BACK_TO_BACK_NS = 67.2
WITHIN_NS = (64, 128, 256, 512)
LINES = ("all", "undisturbed")

# struct head of departures.c; n packets, left_out: not recorded; two moments by the TSC and by CLOCK_MONOTONIC_RAW in ns.
Head = namedtuple("Head", "n left_out tsc_hz tsc0 ns0 tsc1 ns1")
HEAD = struct.Struct("7Q")
# A recorded run. handed, due: TSC of each packet; hz: of the TSC; away: [(from, to)], TSC, in which the lcore did not run, None: unknown.
Run = namedtuple("Run", "handed due hz away")

RATE_FIGURES = {"1 s %": 4, "1 ms p50 %": 3, "1 ms p99 %": 3, "1 ms worst %": 2, "within 1 % %": 2, "late p50 ns": 0, "late p99 ns": 0, "late p99.9 ns": 0, "late max us": 1,
                "windows %": 1}
GAP_FIGURES = {**{"%d ns %%" % ns: 2 for ns in WITHIN_NS}, "back to back %": 3, "late p50 ns": 0, "late p99 ns": 0, "late p99.9 ns": 0, "windows %": 1}
LATENCY_FIGURES = {"bias p50 us": 3, "bias min us": 3, "bias mean us": 2, "ping-pong ns": 0}


class Case(modes.Case):
    """A row per line of LINES (or per rate), a column per figure. The answers have one list for each "ROW: FIGURE"."""

    unit = "figure"

    def __init__(self, name, head, rows, digits, measure):
        super().__init__(name, head, rows, measure)
        self.digits = digits

    @property
    def columns(self):
        return ("", *self.digits, "note")

    def figures(self):
        for key, values in self.answers.items():
            if values:
                interval = summary.median_interval(values)
                yield {"mode": key, "median": summary.median(values), "interval": interval[:2], "coverage": interval.coverage, "samples": len(values)}

    def lines(self):
        if self.failures:
            return [[*self.head, "failed: " + self.failures[-1], *[""] * (len(self.columns) - 1)]]
        found = {one["mode"]: one for one in self.figures()}
        return [[*self.head, row, *(_cell(found.get("%s: %s" % (row, figure)), digits) for figure, digits in self.digits.items()), "" if place else self.note]
                for place, row in enumerate(self.modes)]


def _cell(one, digits):
    return "" if one is None else "%.*f (%.*f-%.*f)" % (digits, one["median"], digits, one["interval"][0], digits, one["interval"][1])


def make_cases(quick):
    """accuracy/rate/RATE, accuracy/gaps/GAPS/RATE, accuracy/latency/delayNS."""
    rates, every_gaps, delays = QUICK if quick else (RATES, GAPS, DELAYS_NS)
    for rate in rates:
        case = Case("accuracy/rate/" + rate, ("rate", rate), LINES, RATE_FIGURES, None)
        case.measure = lambda setup, lockstep, c=case, r=rate: measure(setup, lockstep, c, r, "even", rate_figures)
        yield case
    for gaps, rate in every_gaps:
        case = Case("accuracy/gaps/%s/%s" % (gaps, rate), ("gaps " + gaps, rate), LINES, GAP_FIGURES, None)
        case.measure = lambda setup, lockstep, c=case, r=rate, g=gaps: measure(setup, lockstep, c, r, g, gap_figures)
        yield case
    for delay in delays:
        case = Case("accuracy/latency/delay%d" % delay, ("latency", "delay %g us" % (delay / 1000)), LATENCY_RATES, LATENCY_FIGURES, None)
        case.measure = lambda setup, lockstep, d=delay: latency(setup, lockstep, d)
        yield case


# Figures of a run.

def windows(run, pps):
    """[(first, end) packet of each window of the first second, and whether the lcore kept its CPU]."""
    begin, length = run.due[0] - run.hz / pps / 2, run.hz * SECONDS / WINDOWS
    edges = [begin + i * length for i in range(WINDOWS + 1)]
    places = [bisect.bisect_left(run.handed, edge) for edge in edges]
    touched = set()
    for left, back in run.away or ():
        # The window after it, too: the packets that were due meanwhile are sent there.
        touched.update(range(max(int((left - begin) // length), 0), min(int((back - begin) // length) + 2, WINDOWS)))
    return [(first, end, run.away is not None and i not in touched) for i, (first, end) in enumerate(zip(places, places[1:]))]


def percentile(counts, q):
    """The smallest value that at least the share q does not exceed. counts: {value: number}."""
    left = q * sum(counts.values())
    for value in sorted(counts):
        left -= counts[value]
        if left <= 0:
            return value
    return max(counts)


def lateness(run, parts):
    """{ticks from due to handed: number} of the packets in parts."""
    counts = Counter()
    for first, end in parts:
        counts.update(map(operator.sub, run.handed[first:end], run.due[first:end]))
    return counts


def late_figures(run, parts):
    counts = lateness(run, parts)
    if not counts:
        return {}
    ns = 1e9 / run.hz
    return {"late p50 ns": percentile(counts, 0.5) * ns, "late p99 ns": percentile(counts, 0.99) * ns, "late p99.9 ns": percentile(counts, 0.999) * ns,
            "late max us": max(counts) * ns / 1e3}


def joined(found):
    """Adjacent windows that are undisturbed as (first, end) packet."""
    parts = []
    for first, end, kept in found:
        if kept and parts and parts[-1][1] == first:
            parts[-1] = (parts[-1][0], end)
        elif kept:
            parts.append((first, end))
    return parts


def rate_figures(run, pps, _):
    """{"LINE: FIGURE": value}."""
    found, expected = windows(run, pps), pps * SECONDS / WINDOWS
    values = {"all: 1 s %": 100 * ((found[-1][1] - found[0][0]) / pps / SECONDS - 1)}
    for line, kept in (("all", found), ("undisturbed", [one for one in found if one[2]])):
        errors = Counter(100 * abs((end - first) / expected - 1) for first, end, _ in kept)
        values[line + ": windows %"] = 100 * len(kept) / len(found)
        if not errors:
            continue
        values[line + ": within 1 % %"] = 100 * sum(n for error, n in errors.items() if error <= 1) / len(kept)
        values.update({"%s: 1 ms %s %%" % (line, name): percentile(errors, q) for name, q in (("p50", 0.5), ("p99", 0.99), ("worst", 1))})
        values.update({"%s: %s" % (line, name): value for name, value in late_figures(run, joined([(a, b, True) for a, b, _ in kept])).items()})
    return values


def gap_figures(run, pps, gaps):
    """{"LINE: FIGURE": value}."""
    found = windows(run, pps)
    values, ns = {}, 1e9 / run.hz
    for line, parts in (("all", [(found[0][0], found[-1][1])]), ("undisturbed", joined(found))):
        between, errors = Counter(), Counter()
        for first, end in parts:
            handed = run.handed[first:end]
            between.update(map(operator.sub, handed[1:], handed))
            if gaps == "poisson":
                late = list(map(operator.sub, handed, run.due[first:end]))
                errors.update(map(operator.sub, late[1:], late))
        if gaps != "poisson":
            errors = Counter({gap - run.hz / pps: n for gap, n in between.items()})
        values[line + ": windows %"] = 100 * (1 if line == "all" else sum(kept for _, _, kept in found) / len(found))
        n = sum(between.values())
        if n == 0:
            continue
        values.update({"%s: %d ns %%" % (line, most): 100 * sum(m for error, m in errors.items() if abs(error) * ns <= most) / n for most in WITHIN_NS})
        values[line + ": back to back %"] = 100 * sum(m for gap, m in between.items() if gap * ns < BACK_TO_BACK_NS) / n
        values.update({"%s: %s" % (line, name): value for name, value in late_figures(run, parts).items() if name in GAP_FIGURES})
    return values


# A run.

class Switches:
    """The kernel's record of the context switches of a thread, by CLOCK_MONOTONIC_RAW; away() is None where it keeps none for us."""

    BYTES = 1 << 18
    SOFTWARE, DUMMY, TIME, RAW = 1, 9, 1 << 2 | 1 << 1, 4  # sample_type: TID and TIME
    SAMPLE_ID_ALL, USE_CLOCKID, CONTEXT_SWITCH = 1 << 18, 1 << 25, 1 << 26
    SWITCH, OUT = 14, 1 << 13

    def __init__(self, thread):
        attributes = ctypes.create_string_buffer(128)
        struct.pack_into("IIQQQQQ", attributes, 0, self.SOFTWARE, 128, self.DUMMY, 0, self.TIME, 0, self.SAMPLE_ID_ALL | self.USE_CLOCKID | self.CONTEXT_SWITCH)
        struct.pack_into("i", attributes, 92, self.RAW)
        self.fd = LIBC.syscall(PERF_EVENT_OPEN.get(platform.machine(), -1), attributes, thread, -1, -1, 8)
        self.area = mmap.mmap(self.fd, mmap.PAGESIZE + self.BYTES) if self.fd >= 0 else None

    def close(self):
        if self.area is not None:
            self.area.close()
            os.close(self.fd)

    def away(self):
        """[(from, to)] in ns; to: beyond all times while it does not run."""
        if self.area is None:
            return None
        head, = struct.unpack_from("Q", self.area, 1024)
        if head > self.BYTES:
            return None  # not read meanwhile: the last ones are missing
        found, at, left = [], 0, None
        while at < head:
            kind, misc, size, _, ns = struct.unpack_from("IHHQQ", self.area, mmap.PAGESIZE + at)
            at += size
            if kind != self.SWITCH:
                continue
            if misc & self.OUT:
                left = ns
            elif left is not None:
                found.append((left, ns))
                left = None
        return found + ([(left, 1 << 63)] if left is not None else [])


def read(path, away_ns):
    """The file that departures.c wrote, as a Run; ValueError if it is not complete."""
    with open(path, "rb") as file:
        head = Head(*HEAD.unpack(file.read(HEAD.size)))
        values = array.array("Q")
        values.frombytes(file.read())
    if len(values) != 2 * head.n or head.left_out:
        raise ValueError("%d departures, %d left out: expected %d" % (len(values) // 2, head.left_out, head.n))
    hz = (head.tsc1 - head.tsc0) * 1e9 / (head.ns1 - head.ns0)
    away = None if away_ns is None else [tuple(head.tsc0 + (ns - head.ns0) * hz / 1e9 for ns in one) for one in away_ns]
    return Run(values[::2], values[1::2], hz, away)


class Process(Prompt):
    """zcfwd, and the thread of its lcore."""

    def lcore(self):
        """The thread of the forwarding lcore, which is preferred to other programs from now on."""
        tasks = [int(path.parent.name) for path in pathlib.Path("/proc/%d/task" % self.process.pid).glob("*/comm") if "worker" in path.read_text(encoding="ascii")]
        if len(tasks) != 1:
            raise ValueError("expected one forwarding lcore: %s" % tasks)
        # Not SCHED_FIFO: the kernel takes a CPU that is never idle from such a thread for 50 ms of each second.
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, tasks[0], -20)
        return tasks[0]


def departures(setup, lockstep, rate, gaps):
    """A Run of engine generate; and how many packets were due but not sent."""
    path = os.path.join(setup.folder, "departures")
    argv = modes.command_line(setup.binary["a"], "0@%d,1@%d" % setup.cores, setup, ["--vdev=net_null0"], ["--port-topology=loop"])
    env = {"LD_PRELOAD": modes.plugin_of(lockstep, "tests/bench/departures.so"), "DEPARTURES": path, "DEPARTURES_MAX": "%d" % (PPS[rate] * RUN_MS / 1000 * 1.01 + 4096)}
    try:
        with Process(argv, env) as process:
            for line in ("set fwd generate", "set generate flows 256", "set generate-rate " + rate, "set generate-gaps " + gaps):
                process.ask(line)
            switches = Switches(process.lcore())
            answer = process.ask("start for %dms" % RUN_MS)
            away = switches.away()
            switches.close()
        return read(path, away), sum(stream["counters"]["unsent"] for stream in answer["streams"])
    finally:
        with contextlib.suppress(OSError):
            os.remove(path)


def measure(setup, lockstep, case, rate, gaps, figures):
    """{"LINE: FIGURE": [value of each run]}."""
    found = {"%s: %s" % (line, figure): [] for line in case.modes for figure in case.digits}
    unsent = []
    for _ in range(setup.runs):
        run, more = departures(setup, lockstep, rate, gaps)
        unsent.append(more)
        for name, value in figures(run, PPS[rate], gaps).items():
            found[name].append(value)
    case.note = "not sent in time: %s" % " ".join(map(str, unsent))
    return found


def latency(setup, lockstep, delay_ns):
    """{"RATE: FIGURE": [value of each run]}. The wire's thread is on the main lcore's CPU."""
    found = {"%s: %s" % (rate, figure): [] for rate in LATENCY_RATES for figure in LATENCY_FIGURES}
    argv = modes.command_line(setup.binary["a"], "0@%d,1@%d" % setup.cores, setup, ["-d", modes.plugin_of(lockstep), "--iova-mode=va"],
                              ["--rxd=4096", "--portlist=0,1"])
    # The thread of the wires sleeps when there is nothing to do, which would be a part of the latency; a source of bursts keeps it awake.
    env = {"MODEL_NIC": "xl710,rx=wire:1%s;xl710,rx=none;xl710,burst=1,rate=1" % (",delay=%d" % delay_ns if delay_ns else ""), "MODEL_NIC_CPU": str(setup.cores[0])}
    for _ in range(setup.runs):
        near = machine.ping_pong_ns(setup.cores)
        with Process(argv, env) as process:
            for line in ("set fwd measure", "set generate flows 16 port 0 flows 0"):
                process.ask(line)
            process.lcore()
            for rate in LATENCY_RATES:
                process.ask("set generate-rate " + rate)
                found[rate + ": ping-pong ns"].append(near)
                process.ask("start for %ds" % SECONDS)
                one = next(row for row in process.ask("show measure")["streams"] if row["unique"] > 0)
                for figure in LATENCY_FIGURES:
                    key = figure.split()[1] + "_us"
                    if key in one:
                        found["%s: %s" % (rate, figure)].append(one[key] - delay_ns / 1e3)
    return found
