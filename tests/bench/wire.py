# SPDX-License-Identifier: BSD-3-Clause
# Loss and latency of an engine when packets arrive in bursts, by ring, burst, load and setting.
"""
The wire of a modelled xl710 sends bursts of 60-byte packets at LINE to one lcore, which forwards them to a second xl710. The wire does not wait: a packet without
an armed descriptor is lost. burst: packets per burst, or their mean in the pattern random (sizes 1 to 2 N - 1, exponential gaps). load: mean rate, in percent of
what the first setting forwards when the wire waits for it, or of LINE if that is less. The settings of a case take turns in one process, in the order A B B A,
SLICE_MS each. A slice in which the wire or the lcore had to wait for its CPU does not count, and is repeated, at most TRIES times. The wire's thread is on the main lcore's CPU, which is idle
meanwhile. late: share of the time by which the wire delayed its packets, because it did not run or LINE is faster than this CPU.
"""
import contextlib
import glob
import json
import os
import pathlib
import socket
import tempfile
import time

import modes
import summary
from prompt import Prompt

# What takes turns: {mode: the commands before its slices}; the options of the program. Add a setting here, such as "window 512":
# ("set recycle window 512", "set fwd recycle_mbufs"). The load follows the first mode. noisy reads other memory for each packet, so it is slower than LINE.
SETTINGS = {
    "io": ({"io": ("set recycle off", "set fwd io"), "recycle_mbufs": ("set recycle window off", "set fwd recycle_mbufs"),
            "window 256": ("set recycle window 256", "set fwd recycle_mbufs"), "window auto": ("set recycle window auto", "set fwd recycle_mbufs")}, ()),
    "noisy": ({"noisy": ("set recycle off", "set fwd noisy"), "noisy recycled": ("set recycle window off", "set recycle on", "set fwd noisy"),
               "window auto": ("set recycle window auto", "set recycle on", "set fwd noisy")},
              ("--noisy-lkup-memory=1", "--noisy-lkup-num-reads=10")),
}
RINGS, BURSTS, LOADS = (256, 1024, 2048), (32, 256, 1024, 4096), (30, 70)
PATTERNS = {"steady": "burst={0}", "random": "burst=1-{1},gap=random"}
QUICK = ((1024,), (1024,), (70,))
LINE, LINE_PPS = "40G", 40e9 / 8 / (60 + 24)
# SLICES per run of the bench, of which LEAST must count; one in a trial.
SLICE_MS, SLICES, LEAST, SETTLE_S, WARM_S, TRIES = 20, 3, 7, 0.005, 0.005, 12
# How long a thread may wait for its CPU in a slice, by a word of its name. lcore: the wire fills a ring of 256 in that time. The wire loses nothing, but takes
# packets late; it shares its CPU with this program, which pauses it at the end of a slice.
WAITED_S = {"worker": 4e-6, "model_nic": 1e-3}
# The figures of a slice: name, digits, value of the wire's report and of the streams' sums.
FIGURES = {
    "loss ppm": (1, lambda r, s: 1e6 * r["rx_missed"] / r["wire_packets"]),
    "p50 us": (2, lambda r, s: r["latency_p50_ns"] / 1e3),
    "p99 us": (2, lambda r, s: r["latency_p99_ns"] / 1e3),
    "p99.9 us": (2, lambda r, s: r["latency_p999_ns"] / 1e3),
    "cycles": (1, lambda r, s: s["busy_cycles"] / s["tx"]),
    "Mpps": (2, lambda r, s: r["wire_packets"] / SLICE_MS / 1e3),
    "late %": (1, lambda r, s: r["wire_late_ns"] / SLICE_MS / 1e4),
}
# Mpps of (setting, ring), once per run of the bench.
CAPACITY = {}


class Case(modes.Case):
    """A line per setting, a column per figure. The answers have one list for each "SETTING: FIGURE"."""

    unit, columns = "figure", ("setting", *FIGURES, "note")

    def figures(self):
        for key, values in self.answers.items():
            interval = summary.median_interval(values)
            yield {"mode": key, "median": summary.median(values), "interval": interval[:2], "coverage": interval.coverage, "samples": len(values)}

    def lines(self):
        if self.failures:
            return [[*self.head, "failed: " + self.failures[-1], *[""] * (len(self.columns) - 1)]]
        found = {one["mode"]: one for one in self.figures()}
        return [[*self.head, mode, *(cell(found["%s: %s" % (mode, name)], digits) for name, (digits, _) in FIGURES.items()), "" if place else self.note]
                for place, mode in enumerate(self.modes)]


def cell(one, digits):
    return "%.*f (%.*f-%.*f)" % (digits, one["median"], digits, one["interval"][0], digits, one["interval"][1])


def make_cases(quick):
    """bursts/wire/ENGINE/ringN/burstN/PATTERN/loadN."""
    rings, bursts, loads = QUICK if quick else (RINGS, BURSTS, LOADS)
    for name, (settings, _) in SETTINGS.items():
        for ring in rings:
            for burst in bursts:
                for pattern in PATTERNS:
                    for load in loads:
                        case = Case("bursts/wire/%s/ring%d/burst%d/%s/load%d" % (name, ring, burst, pattern, load),
                                    ("bursts " + name, "ring %d" % ring, "burst %d" % burst, pattern, "load %d %%" % load), tuple(settings), None)
                        case.measure = lambda setup, lockstep, c=case, a=(name, ring, burst, pattern, load): measure(setup, lockstep, c, *a)
                        yield case


class Process(Prompt):
    """zcfwd on two modelled cards, of which the first one has a source; a telemetry client asks the wire. A context manager."""

    def __init__(self, setup, lockstep, words, ring, options):
        main, lcore = setup.cores
        if main == lcore:
            raise ValueError("the wire needs a CPU of its own: expected two in --cores")
        argv = modes.command_line(setup.binary["a"], "0@%d,1@%d" % setup.cores, setup, ["-d", modes.plugin_of(lockstep), "--iova-mode=va"],
                                  ["--tx-offloads=0x0", "--rxd=%d" % ring, "--txd=%d" % ring, *options])
        argv.remove("--no-telemetry")
        folder = tempfile.mkdtemp(dir=setup.folder)
        super().__init__(argv, {"MODEL_NIC": words + ";xl710,rx=none", "MODEL_NIC_CPU": str(main), "RUNTIME_DIRECTORY": folder})
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            self.ask("set record-core-cycles on")
            self.socket.settimeout(10)
            self.socket.connect(glob.glob(folder + "/dpdk/*/dpdk_telemetry.v2*")[0])
            self.socket.recv(65536)
            self.tasks = self.find_tasks()
            self.slice(("set fwd io",))  # flush packets that arrived before it
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        self.socket.close()
        super().__exit__()

    def find_tasks(self):
        """The threads of the wire and the lcore; ValueError unless they have one CPU each, and not the same one. The lcore preempts other programs from now on."""
        names = {path.parent: path.read_text(encoding="ascii") for path in pathlib.Path("/proc/%d/task" % self.process.pid).glob("*/comm")}
        found = {word: task for task, name in names.items() for word in WAITED_S if word in name}
        cpus = [os.sched_getaffinity(int(task.name)) for task in found.values()]
        if len(cpus) != 2 or any(len(one) != 1 for one in cpus) or cpus[0] == cpus[1]:
            raise ValueError("expected the wire and one lcore, on a CPU each: %s" % cpus)
        # Not the wire: threads on its CPU wait for its lock, and could keep it from running.
        with contextlib.suppress(OSError):
            os.sched_setscheduler(int(found["worker"].name), os.SCHED_FIFO, os.sched_param(1))
        return found

    def waited(self):
        """{word of WAITED_S: seconds for which the thread was runnable and did not run}."""
        return {word: int((task / "schedstat").read_text(encoding="ascii").split()[1]) / 1e9 for word, task in self.tasks.items()}

    def wire(self, command):
        self.socket.send(("/model_nic/" + command).encode())
        return next(iter(json.loads(self.socket.recv(65536)).values()))

    def slice(self, commands):
        """(report of the wire, sums of the streams, seconds that each thread waited for its CPU)."""
        self.wire("pause,0,1")
        for line in commands:
            self.ask(line)
        self.ask("start")
        self.send(WARM_S)  # an engine's memory is cold
        before_streams = self.streams()
        self.wire("reset,0")
        before = self.waited()
        self.send(SLICE_MS / 1000)
        waited = {word: seconds - before[word] for word, seconds in self.waited().items()}
        streams = {key: value - before_streams[key] for key, value in self.streams().items()}
        self.ask("stop")
        return self.wire("report,0"), streams, waited

    def send(self, seconds):
        """Let the wire send for a time."""
        self.wire("pause,0,0")
        time.sleep(seconds)
        self.wire("pause,0,1")

    def streams(self):
        """Sums of the streams' counters, once no packet is under way."""
        time.sleep(SETTLE_S)
        streams = self.ask("show fwd stats all")["streams"]
        return {key: sum(one[key] for one in streams) for key in ("rx", "tx", "tx_dropped", "busy_cycles")}


def capacity(setup, lockstep, name, ring):
    """Packets per second that the first setting forwards when the source waits for descriptors."""
    settings, options = SETTINGS[name]
    if (name, ring) not in CAPACITY:
        with Process(setup, lockstep, "xl710", ring, options) as process:
            CAPACITY[name, ring] = max(process.slice(next(iter(settings.values())))[1]["tx"] for _ in range(5)) * 1000 / SLICE_MS
    return CAPACITY[name, ring]


def undisturbed(process, commands):
    """A slice in which the wire and the lcore had their CPUs; None if each of TRIES was another."""
    for _ in range(TRIES):
        report, streams, waited = process.slice(commands)
        if report["wire_packets"] != report["rx_packets"] + report["rx_missed"] or streams["rx"] != streams["tx"] + streams["tx_dropped"] or not streams["tx"]:
            raise ValueError("packets do not add up: %s, %s" % (report, streams))
        if all(seconds <= WAITED_S[word] for word, seconds in waited.items()):
            return report, streams
    return None


def measure(setup, lockstep, case, name, ring, burst, pattern, load):
    """{"SETTING: FIGURE": [value of each slice]}."""
    settings, options = SETTINGS[name]
    found = {"%s: %s" % (mode, figure): [] for mode in settings for figure in FIGURES}
    disturbed, samples = 0, setup.runs * SLICES
    most = capacity(setup, lockstep, name, ring)
    rate = load / 100 * min(most, LINE_PPS)
    words = "xl710,%s,line=%s,rate=%d,seed=1" % (PATTERNS[pattern].format(burst, 2 * burst - 1), LINE, rate)
    with Process(setup, lockstep, words, ring, options) as process:
        for turn in range(samples):
            for mode in list(settings)[::-1] if turn % 2 else settings:
                one = undisturbed(process, settings[mode])
                disturbed += one is None
                for figure, (_, value) in FIGURES.items() if one else ():
                    found["%s: %s" % (mode, figure)].append(value(*one))
    if min(map(len, found.values())) < modes.samples(setup, LEAST):
        raise ValueError("the wire or the lcore had to wait for its CPU in %d of %d slices: expected an idle machine" % (disturbed, samples * len(settings)))
    case.note = "of %.1f Mpps" % (most / 1e6) + ("; left out: %d of %d slices" % (disturbed, samples * len(settings)) if disturbed else "")
    return found
