# SPDX-License-Identifier: BSD-3-Clause
# Each published table of the five systems beside the kept runs of make bench: doc/published.md.
"""
published.py [FILE...] writes doc/published.md from the files in results/, after it put compressed FILEs there. A file is a run of `make bench BENCH_ARGS=--keep`
or of `make lab`. Each row of a published table names the case and the variant that repeat it. Of several files of a CPU, the newest with the row counts.
"""
import pathlib
import re
import sys
import textwrap
from collections import namedtuple

import guests
import results
import summary

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "doc/published.md"
# What rows wait for.
NIC, ALIKE, MIXED = "ports of a NIC", "ports of one model of NIC", "ports of two models of NIC"
PMU, CORES, CARD_CORES = "hardware counters", "5 CPUs", "6 CPUs"
ENGINE, NODES = "a DMA engine", "a DMA engine and two NUMA nodes"
# No command fills the row; the table's last words say why.
BY_HAND = "no command"

# what: the row's words; published: its figures; ours: how to find ours (or None); needs: what this row waits for, "" if every machine can run it; differs: which
# of its table's conditions are not the published ones, beside the CPU and the release.
Row = namedtuple("Row", "what published ours needs differs", defaults=("", ""))
# conditions: those of the published figures; why: sentences below the table, of why ours differ.
Table = namedtuple("Table", "title source conditions rows why")


class Found:
    """A figure of a case of `make bench`. how: modelled, pseudo NIC, simulated or real."""

    def __init__(self, case, variant, how):
        self.case, self.variant, self.how = case, variant, how

    @property
    def cases(self):
        """All cases that it is read from."""
        return [self.case]

    def text(self, run):
        """A cell; empty if the run does not have it."""
        ratio = run.ratios.get((self.case, self.variant))
        return "%s, %s" % (self.words(ratio), run.method_of(self)) if ratio else ""


class Counted(Found):
    """Medians of the first variant and of this one, and the change in percent."""

    def text(self, run):
        values = run.values.get(self.case, {})
        if self.variant not in values:
            return ""
        before, after = (summary.median(some) for some in (next(iter(values.values())), values[self.variant]))
        return "%.2f, %.2f (%+.1f %%), %s" % (before, after, 100 * after / before - 100, run.method_of(self))


class Gain(Found):
    """What the variant gains over the first one, as throughput: one over the ratio of cycles."""

    @staticmethod
    def words(ratio):
        middle, low, high = (100 / one - 100 for one in ratio)
        return "%+.1f %% (%.1f to %.1f)" % (middle, high, low)


class Faster(Found):
    """What program A gains over program B: their ratio is of throughput."""

    @staticmethod
    def words(ratio):
        return "%+.1f %% (%.1f to %.1f)" % tuple(100 * one - 100 for one in ratio)


class Times(Found):
    """How many times the first variant's rate the variant has."""

    @staticmethod
    def words(ratio):
        middle, low, high = (1 / one for one in ratio)
        return "%.3f (%.3f-%.3f)" % (middle, high, low)


class Change(Found):
    """The first variant's median and this one's."""

    def text(self, run):
        values = run.values.get(self.case, {})
        if self.variant not in values:
            return ""
        return "%.0f -> %.0f %%, %s" % (summary.median(next(iter(values.values()))), summary.median(values[self.variant]), run.method_of(self))


class Crossover(Found):
    """The smallest length from which on the engine costs the CPU no more than its own copy does. case has {} for the bytes."""

    def __init__(self, case, how):
        super().__init__(case, "dma", how)

    def text(self, run):
        pattern = re.compile(re.escape(self.case).replace(re.escape("{}"), r"(\d+)") + "$")
        lengths = {int(found[1]): run.values[name] for name in run.values if (found := pattern.match(name))}
        cheaper = {size: summary.median(one["dma"]) <= summary.median(one["cpu"]) for size, one in lengths.items()}
        if not cheaper:
            return ""
        wins = [size for size in sorted(cheaper) if all(cheaper[other] for other in cheaper if other >= size)]
        return "from %s, %s" % ("%d B" % wins[0] if wins else "no length on", run.method_of(self))


class Spread(Found):
    """What the engine gains over its lengths when something is not away: nanoseconds per packet of other variants over those of "local". case has {} for the bytes."""

    def __init__(self, case, variants, how):
        super().__init__(case, variants[0], how)
        self.variants = variants

    def text(self, run):
        pattern = re.compile(re.escape(self.case).replace(re.escape("{}"), r"(\d+)") + "$")
        found = [{name: summary.median(costs) for name, costs in values.items()} for case, values in run.values.items() if pattern.match(case)]
        gains = [100 * one[away] / one["local"] - 100 for one in found if one["local"] for away in self.variants]
        return "%+.1f to %+.1f %%, %s" % (min(gains), max(gains), run.method_of(self)) if gains else ""


class Dropped(Found):
    """Packets without room at the port per packet that was sent, of the first variant and of this one."""

    def text(self, run):
        values = run.values.get(self.case + "/dropped", {})
        if self.variant not in values:
            return ""
        return "%.1f, %.1f, %s" % (summary.median(next(iter(values.values()))), summary.median(values[self.variant]), run.method_of(self))


class Loop(Found):
    """Calculated from a case of guests.py: the lcore's nanoseconds per packet with copies by the CPU (median, low, high), and with the variant."""

    def __init__(self, mbuf, variant):
        super().__init__("dma/guests/mbuf%d" % mbuf, variant, guests.MODELLED)
        self.size = guests.packet_bytes(mbuf)

    def text(self, run):
        values = run.values.get(self.case, {})
        if self.variant not in values:
            return ""
        cpu_ns = summary.median(values["cpu"]), *summary.median_interval(values["cpu"])[:2]
        return "%s, %s" % (self.calculated(cpu_ns, summary.median(values[self.variant])), self.how)


class Engine(Loop):
    """The gain in throughput with engines of a speed, for each latency."""

    def __init__(self, mbuf, variant, gigabytes):
        super().__init__(mbuf, variant)
        self.gigabytes = gigabytes

    def calculated(self, cpu_ns, lcore_ns):
        return "; ".join("%+.0f %%" % (100 * cpu_ns[0] / guests.with_engine(lcore_ns, self.size, self.gigabytes, latency) - 100) for latency in guests.LATENCIES_NS)


class Needed(Loop):
    """The least speed of the engines for a gain (and that for the interval of the CPU's time), and the longest latency at that speed."""

    def __init__(self, mbuf, variant, gain):
        super().__init__(mbuf, variant)
        self.gain = gain

    def calculated(self, cpu_ns, lcore_ns):
        speed, fastest, slowest = (guests.speed_for(self.gain, one, lcore_ns, self.size) for one in cpu_ns)
        if speed is None:
            return "none: the lcore alone takes too long"
        high = "%.1f" % fastest if fastest else "none"
        return "%.1f GB/s (%.1f-%s), up to %.0f us" % (speed, slowest, high, guests.latency_for(self.gain, cpu_ns[0], lcore_ns, self.size) / 1000)


class Clocked(Loop):
    """Microseconds per packet as calculated, and by the clock with engines of that speed."""

    def __init__(self, mbuf, variant, megabytes):
        super().__init__(mbuf, variant)
        self.megabytes = megabytes

    @property
    def cases(self):
        return [self.case, "%s/%d" % (self.case, self.megabytes)]

    def text(self, run):
        values, timed = (run.values.get(case, {}).get(self.variant) for case in self.cases)
        if not values or not timed:
            return ""
        calculated = guests.with_engine(summary.median(values), self.size, self.megabytes / 1000, guests.LATENCY_NS)
        return "%.1f us, measured %.1f us, %s" % (calculated / 1000, min(timed) / 1000, self.how)


def drivers(device, free, variant, group="l3fwd"):
    return Gain("%s/128bit/ring1024/%s/%s/hot" % (device, free, group), variant, "modelled")


def ring(device, bits):
    return Gain("pipeline/%s/%dbit/l3fwd/ring1024/burst32" % (device, bits), "zc", "modelled")


RECYCLED, CACHE = "l3fwd,recycle=on", "l3fwd,recycle=on,recycle-mode=cache"
EVENTS = (
    ("stalled_backend", "84.23, 74.46 (-11.6 %)", "92.72, 89.58 (-3.4 %)"),
    ("stalled_frontend", "1.13, 0.86 (-23.8 %)", "5.03, 3.36 (-33.3 %)"),
    ("l1d_refills", "8.99, 9.15 (+1.8 %)", "9.30, 9.08 (-2.4 %)"),
    ("l2_refills", "4.26, 3.99 (-6.3 %)", "5.06, 4.88 (-3.5 %)"),
    ("l3_refills", "3.80, 3.66 (-3.7 %)", "4.04, 3.46 (-14.3 %)"),
    ("l2_writebacks", "4.31, 4.23 (-1.8 %)", "3.50, 3.32 (-5.1 %)"),
    ("l1d_writebacks", "7.44, 7.38 (-0.7 %)", "7.62, 6.93 (-9.0 %)"),
    ("mc_requests", "6.13, 6.42 (+4.7 %)", "5.78, 5.59 (-3.2 %)"),
    ("ipc", "4.36, 4.37 (+0.4 %)", "3.19, 2.93 (-8.2 %)"),
)
BLOCKS = (
    (1, 1, 30, 111.935488, 122.945536), (1, 1, 60, 115.290931, 126.458265), (1, 15, 30, 353.055539, 374.262988), (1, 15, 60, 353.330790, 377.316966),
    (2, 1, 30, 224.657407, 244.842496), (2, 1, 60, 230.411468, 251.618917), (2, 15, 30, 706.700902, 751.226060), (2, 15, 60, 703.673139, 756.233010),
    (4, 1, 30, 425.236887, 462.068120), (4, 1, 60, 437.295512, 476.997221), (4, 15, 30, 1343.409356, 1432.171313), (4, 15, 60, 1336.567397, 1438.829771),
)

# What differs in the rows of engines. IPERF: the conditions of theirs.
IPERF = "Xeon 8180, testpmd on 1 core, guests with 4 CPUs, 1 queue and TSO, 1 GB pages; the release is not given"
GUESTS = "engine, guests"
ENGINE_SPEEDS = (2, 4, 8, 16, 32)

TABLES = (
    Table("External buffers: a proof of concept in testpmd", "Mellanox, frames of unknown size, mbufs of the host against external buffers: "
          "5.53 -> 10.87 Mpps, 213 -> 98 cycles per packet on one core; 11.85 -> 38.05 Mpps, 910 -> 160 cycles on four", "a card of Mellanox, testpmd; CPU, release, sizes and number of queues are not given", (
        Row("1 lcore, net_null", "1.96 (cycles 2.17)", Times("extbuf/null/64", "pinned", "pseudo NIC"), "", "card, sizes"),
        Row("1 lcore, XL710", "the same", Times("extbuf/xl710/64", "pinned", "modelled"), "", "card, sizes"),
        Row("1 lcore, mlx5", "the same", Times("extbuf/mlx5/64", "pinned", "modelled"), "", "card, sizes"),
        Row("4 lcores, net_null", "3.21 (cycles 5.69)", Times("extbuf/null-4/64", "pinned", "pseudo NIC"), CORES, "card, sizes"),
        Row("4 lcores, XL710", "the same", Times("extbuf/xl710-4/64", "pinned", "modelled"), CARD_CORES, "card, sizes"),
        Row("1 lcore, a card", "as the first row", Times("nic/extbuf/cycles", "pinned", "real"), NIC, "sizes"),
    ), "Published without sizes of frames; ours are of 64 bytes, the size with the least to copy. A model has no PCI Express, so its copies never wait for it. "
       "The ports of mlx5 are mock ports, the real driver on queues of memory, measured while others used the machine (load average 14 to 16). On four lcores the published default took four times the cycles per packet. On the Xeon, copies take a quarter more than on one lcore."),
    Table("Recycling: l3fwd, 82599 and XL710", "Arm, v13 of the series, table 1, gain of throughput on ThunderX2", "DPDK's l3fwd patched, before release 23.11; sizes are not given", (
        Row("without fast free", "+7.53 %", drivers("xl710+82599", "no-fast-free", RECYCLED), "", "card, program"),
        Row("with fast free", "+13.54 %", drivers("xl710+82599", "fast-free", RECYCLED), "", "card, program"),
        Row("with fast free, DPDK's l3fwd", "+13.54 %", Faster("l3fwd/recycled/lpm/both", "B", "modelled"), "", "card"),
        Row("without, cards", "+7.53 %", Gain("nic/recycle-mixed/no-fast-free/cycles", "l3fwd recycled", "real"), MIXED, "program"),
        Row("with, cards", "+13.54 %", Gain("nic/recycle-mixed/fast-free/cycles", "l3fwd recycled", "real"), MIXED, "program"),
    ), "net_ixgbe has no fast free, so one direction is without it in both rows. Here the gain is larger without fast free. Why the cards show more with it is not known. "
       "Ours are cycles of driver and engine over modelled NICs; a card also waits for its bus. "
       "The rows of DPDK's l3fwd are of that program, built twice: as it is, and with the 20 lines of `devtools/foreign` that call [libzcfwd-recycle](library.md)."),
    Table("Recycling: l3fwd, two XL710", "the same, table 2: Ampere Altra, N1SDP, x86 with SSE", "as above", (
        Row("without fast free", "+12.61, 8.30, 8.43 %", drivers("xl710", "no-fast-free", RECYCLED), "", "card, program"),
        Row("with fast free", "+11.42, 3.85, 3.72 %", drivers("xl710", "fast-free", RECYCLED), "", "card, program"),
        Row("with fast free, DPDK's l3fwd", "+11.42, 3.85, 3.72 %", Faster("l3fwd/recycled/lpm/xl710", "B", "modelled"), "", "card"),
        Row("without, cards", "as above", Gain("nic/recycle/no-fast-free/cycles", "l3fwd recycled", "real"), ALIKE, "program"),
        Row("with, cards", "as above", Gain("nic/recycle/fast-free/cycles", "l3fwd recycled", "real"), ALIKE, "program"),
    ), "Without fast free the driver frees mbuf by mbuf, and recycling saves all of it. The share of that work in a packet's cycles is larger here, because a "
       "modelled NIC costs no waiting for a bus."),
    Table("Recycling and the zero-copy mempool cache", "the same, table 3: two XL710, fast free, Ampere Altra", "as above", (
        Row("recycled", "+11.42 %", drivers("xl710", "fast-free", RECYCLED), "", "card, program"),
        Row("zero-copy cache", "+3.54 %", drivers("xl710", "fast-free", CACHE), "", "card, program"),
    ), "The order is the published one: moving mbufs from ring to ring saves more than a cheaper way into the cache."),
    Table("Recycling: the share of full bursts falls", "the same: bursts of 32 in testpmd, no figures", "two XL710, Ampere Altra", (
        Row("engine io, XL710", "falls", Change("bursts/io/full", "io recycled", "modelled"), "", "card"),
    ), "A forwarder that is faster than its source finds fewer full bursts."),
    Table("Zero-copy rings: throughput of an L3 pipeline", "Arm, traditional -> zero-copy rings: scalar 23.01 -> 24.29 Mpps, vector 25.65 -> 28.16 Mpps", "two programs on two cores of an Arm CPU with a card; card, release and sizes are not in the slides' text", (
        Row("scalar, XL710", "+5.5 %", ring("xl710", 64), "", "card, cores, form"),
        Row("scalar, 82599", "the same", ring("82599", 64), "", "card, cores, form"),
        Row("vector, XL710, AVX2", "+9.8 %", ring("xl710", 256), "", "card, cores, form"),
        Row("vector, 82599, SSE", "the same", ring("82599", 128), "", "card, cores, form"),
        Row("scalar, XL710, published form", "+5.5 %", Gain("pipeline/published/xl710/64bit/l3fwd", "published zc", "modelled"), "", "card, cores"),
        Row("vector, XL710, published form", "+9.8 %", Gain("pipeline/published/xl710/256bit/l3fwd", "published zc", "modelled"), "", "card, cores"),
        Row("the same, two lcores", "+9.8 %", Gain("pipeline/two-nic/l3fwd/ring1024/burst32", "published zc", "modelled"), "", "card, program"),
        Row("the same, two processes", "the same", Gain("pipeline/processes-nic/l3fwd/ring1024/burst32", "published zc", "modelled"), "", "card"),
        Row("scalar, a card", "+5.5 %", Gain("nic/pipeline/scalar/cycles", "zc", "real"), NIC, "cores, form"),
        Row("vector, a card", "+9.8 %", Gain("nic/pipeline/vector/cycles", "zc", "real"), NIC, "cores, form"),
    ), "Published for two programs on two cores. Rows of ours that name neither two lcores nor two processes run both parts on one lcore: no cache "
       "line travels between cores. Packets stay in place in our mode, without a ring back. The published form uses rte_ring's zero-copy API at both ends of both rings. On one lcore it gains "
       "about as much here as it did there. On two lcores and in two processes, as published, no gain is shown: both intervals include 0. The cause was not measured "
       "([ring-pipeline.md](ring-pipeline.md))."),
    Table("Zero-copy rings: hardware counters per packet", "the same: traditional, zero-copy", "as above", tuple(
        Row("%s, %s" % (event, word), figures[place], Counted("pmu/%s/%s" % (word, event), "zc", "real"), PMU, "cores, form")
        for place, word in enumerate(("scalar", "vector")) for event, *figures in EVENTS),
        "No machine that was measured has hardware counters. Instructions and modelled cache misses of our loop: [ring-pipeline.md](ring-pipeline.md)."),
    Table("DMA engine: from which length on it wins", "Intel, CBDMA on Xeon 8180", "the release is not given", (
        Row("engine near, memory not in caches", "1024 to 2048 B", Crossover("dma/raw/cold/mbuf4096/{}", "simulated"), "", "engine"),
        Row("engine far", "2048 to 3072 B", Crossover("dma/nodes/far/{}", "real"), NODES, ""),
        Row("engine and memory on one node", "+4 to 13 %", Spread("dma/nodes/rate/{}", ("min-remote", "max-remote"), "real"), NODES, ""),
        Row("engine and CPU on one node", "+16 to 66 %", Spread("dma/nodes/rate/{}", ("cpu-remote",), "real"), NODES, ""),
    ), "Our engine is a thread that copies, so where it wins depends on the distance of two cores. Cycles are the forwarding lcore's. Rows of two nodes are `dma measure` with an lcore and memory on the engine's node "
       "and on another one: the gain in throughput over lengths from 64 B to 64 KB, cold memory."),
    Table("DMA engine: guests with iperf, TCP of 64 KB", "the same: adaptive pipeline against copies by the CPU", IPERF, (
        Row("mbufs of 4 KB", "+22 to 30 %", Gain("dma/vhost/mbuf4096/4096", "adaptive", "simulated"), "", GUESTS),
        Row("mbufs of 8 KB", "+37 %", Gain("dma/vhost/mbuf8192/8192", "adaptive", "simulated"), "", GUESTS),
        Row("4 KB, dropped per sent packet", "", Dropped("dma/vhost/mbuf4096/4096", "adaptive", "simulated"), "", GUESTS),
        Row("8 KB, dropped per sent packet", "", Dropped("dma/vhost/mbuf8192/8192", "adaptive", "simulated"), "", GUESTS),
        Row("4 KB, no thread", "+22 to 30 %", Gain("dma/vhost-simulated/mbuf4096/4096", "adaptive", guests.MODELLED), "", GUESTS),
        Row("8 KB, no thread", "+37 %", Gain("dma/vhost-simulated/mbuf8192/8192", "adaptive", guests.MODELLED), "", GUESTS),
        Row("4 KB, real engine and guest", "+22 to 30 %", None, BY_HAND, ""),
        Row("8 KB, real engine and guest", "+37 %", None, BY_HAND, ""),
    ), "Gains are of the forwarding lcore's cycles towards a guest in the same process. With the thread the engine shows no gain, or a loss, because the thread is slower than the "
       "source: net_null always has packets, so for each packet that is sent 17 to 78 find no room at the port. Receiving and freeing those is in the cost of the packet that is "
       "sent: at 20 to 37 cycles each they are the whole difference to an engine without a thread. So the loss is the thread's speed, not the cost of an engine. An engine "
       "without a thread takes every packet, for 200 to 215 cycles of the lcore, of 64 bytes as of 8 KB; with the thread, whose ring is on another CPU, 64 bytes take 280. These "
       "numbers are from the Xeon of model 167, whose cores other programs shared (load average 9 to 11). "
       "No command fills the rows of real guests: these need a DMA engine, KVM, and two guests with iperf, whose kernels, TCP and virtio "
       "drivers are part of the figure, and none of that is part of zcfwd. By hand: connect two guests as in [vhost-dma.md](vhost-dma.md), run `iperf` in them with messages "
       "of 64 KB, and compare `set vhost PORT QUEUE copy cpu` with `adaptive`."),
    Table("DMA engine: which engine shows these gains", "the same", IPERF, (
        Row("4 KB: least speed", "+22 %", Needed(4096, "adaptive", 0.22), "", GUESTS),
        Row("4 KB: least speed", "+30 %", Needed(4096, "adaptive", 0.30), "", GUESTS),
        Row("8 KB: least speed", "+37 %", Needed(8192, "adaptive", 0.37), "", GUESTS),
        *(Row("%d KB, %d GB/s, 1; 10; 100 us" % (mbuf // 1024, speed), "", Engine(mbuf, "adaptive", speed), "", GUESTS)
          for mbuf in guests.SEGMENTS for speed in ENGINE_SPEEDS),
        *(Row("%d KB, %d GB/s, check by the clock" % (mbuf // 1024, speed // 1000), "", Clocked(mbuf, "adaptive", speed), "", GUESTS)
          for mbuf in guests.SEGMENTS for speed in guests.SPEEDS if speed),
    ), "Two guests send each other packets of 60 KB (mbufs of 8 KB: 56 KB) through one lcore; 32 packets circulate. Over engines that copy nothing and answer at once, the "
       "lcore's time is measured. The engine's is calculated: a packet takes the longest of the lcore's time, of one copy, and of one round of the loop divided by its packets. Each "
       "guest's port has an engine, which makes one of a packet's two copies; one engine for both ports needs twice the speed. Speeds are those at the lengths of the pieces, about "
       "2.7 and 5 KB, with whatever an engine takes per copy. Least speeds have in brackets those for the interval of the CPU's time, and the longest latency at that speed. The rows below "
       "have the gain with a latency of 1, 10 and 100 us. Gains above the published ones are not to be expected: guests are ports here, without a kernel and TCP, and memory is never "
       "slow for an engine. Other programs shared the cores, and copies by the CPU suffer most from that: on an idle machine they take less, the needed speed is higher, and "
       "the gains are smaller. Check by the clock: engines that answer when the TSC says so, all time counted, best sample; it is above the calculation as far as other programs took "
       "the CPU, and can be 2 % below it because the CPU copies the short pieces. Command: `make bench BENCH_ARGS='--cases ^dma/guests/ --keep'`."),
    Table("Bucket mempool: whole blocks against single objects", "Solarflare, mempool_autotest, M objects/s and their ratio", "release 18.02 with patches; the CPU is not given", tuple(
        Row("%d lcores, put %d, keep %d" % (lcores, put, keep), "%.1f -> %.1f (%.3f)" % (plain, contiguous, contiguous / plain),
            Times("mempool/%d/put%d/keep%d" % (lcores, put, keep), "contiguous", "real"), CORES if lcores == 4 else "")
        for lcores, put, keep, plain, contiguous in BLOCKS),
        "A mempool needs no card. The gain is in computing addresses from the block's first object instead of reading a table of pointers. On the EPYC of model 17, which other "
        "programs shared, there is no clear gain. The Xeon gains 4 to 5 % at put 1 and 8 to 11 % at put 15."),
)


class Run:
    """A kept run: its CPU, date and commit; {(case, variant): (ratio, low, high)}; {case: {variant: values}}."""

    def __init__(self, path):
        run = results.read(path)
        self.name = pathlib.Path(path).name
        self.cpu, self.date, self.commit = run.facts["cpu"].split(",")[0], run.facts["date"], run.facts["commit"]
        self.modelled_nic, self.engine = run.facts.get("nic") == "model", run.facts.get("dma")
        self.trial = results.TRIAL in run.facts
        self.failed = {label.removeprefix(results.FAILED): why for label, why in run.facts.items() if label.startswith(results.FAILED)}
        self.ratios = dict(results.ratios_of(run.samples))
        self.values = {}
        for one in run.samples:
            self.values.setdefault(one.case, {}).setdefault(one.variant, []).append(one.value)

    def why_not(self, figure):
        """Why the run does not have the figure; empty if it did not try."""
        case = re.compile(re.escape(figure.case).replace(re.escape("{}"), r"\d+"))
        if why := next((why for name, why in self.failed.items() if case.fullmatch(name)), ""):
            return why
        return "no sample that counts" if any(map(case.fullmatch, self.values)) else ""

    def method_of(self, figure):
        """How the run measured a figure: ports or engines of a run may be stand-ins, or real ones."""
        if self.modelled_nic and figure.case.startswith(("nic/", "pmu/")):
            return "modelled"
        return "real" if self.engine and figure.how == "simulated" else figure.how


def cells_of(row, runs):
    """{CPU: (cell, run)}, from the newest run of each CPU that has the row."""
    found = {}
    for run in runs:
        text = row.ours.text(run) if row.ours else ""
        if text:
            found[run.cpu] = text, run
    return found


def waits_for(row):
    if row.needs == BY_HAND:
        return BY_HAND
    return "waits for %s" % row.needs if row.needs else "not measured"


def wrapped(text, indent=""):
    return textwrap.wrap(text, 100, initial_indent=indent, subsequent_indent=" " * len(indent), break_on_hyphens=False)


def section(table, cpus, runs, used):
    """Lines of one table. Each row is a list entry: tables with a column per CPU are wider than a page."""
    yield from ("## " + table.title, "")
    yield from wrapped("Published: %s. Conditions: %s." % (table.source, table.conditions))
    yield from ("", "| row | published | CPU | here | differs in |", "|---|---|---|---|---|")
    for row in table.rows:
        found = cells_of(row, runs)
        what, published, differs = row.what, row.published, row.differs
        for cpu, (text, run) in sorted(found.items()):
            used.add(run)
            yield "| %s | %s | %s | %s | %s |" % (what, published, cpus[cpu], text, differs)
            what = published = differs = ""
        if not found:
            yield "| %s | %s | | %s | %s |" % (what, published, waits_for(row), differs)
    yield ""
    yield from wrapped(table.why)
    yield ""


def page(runs):
    """The lines of doc/published.md."""
    runs = sorted(runs, key=lambda run: (run.date, run.name))
    shown = {cpu for table in TABLES for row in table.rows for cpu in cells_of(row, runs)}
    cpus = {cpu: chr(ord("A") + place) for place, cpu in enumerate(sorted(shown))}
    used, parts = set(), []
    for table in TABLES:
        parts += section(table, cpus, runs, used)
    yield from ("# Published figures beside ours", "")
    yield from wrapped("After reading this page you know, for each figure that was published for the five systems, what zcfwd measures, on which CPU and by which "
                       "method, and what a missing row needs.")
    yield ""
    yield from wrapped("This page is generated by `tests/bench/published.py` from the runs in `tests/bench/results/`. A gain is of throughput: one over the ratio of "
                       "cycles per packet. The interval holds the true median with at least 97.5 % probability where a run has seven samples or more.")
    yield ""
    for line in ("modelled, of cards: the real driver on a modelled card; the card's own work is not timed",
                 "modelled, of DMA engines: the lcore is measured, the engine copies nothing; its speed and latency come in by calculation",
                 "pseudo NIC: a driver without a card, such as net_null",
                 "simulated: a thread does the DMA engine's work",
                                  "real: the hardware itself"):
        yield from wrapped(line + ".", "- ")
    yield ""
    yield from wrapped("The last column has what a row does not share with the published figure. CPU and release differ in every row: ours is DPDK 22.11.11.")
    yield ""
    for line in ("card: a modelled one, or none, in place of a card; mlx5: the real driver on queues in memory",
                 "cores: one in place of two",
                 "program: zcfwd in place of a patched one of DPDK, or one program in place of two",
                 "sizes: ours are frames of 64 bytes, the published ones are not known",
                 "form: packets stay in place, without a ring back",
                 "engine: a thread or a model in place of CBDMA; guests: ports of the same process, 4 KB pages in place of 1 GB, and packets of one mbuf or of 60 KB"):
        yield from wrapped(line + ".", "- ")
    yield ""
    yield from ("## Rows that wait", "")
    yield from wrapped("Most rows that wait for hardware are filled on a machine that has it:")
    yield from ("", "    make lab LAB_ARGS='--nic 01:00.0,01:00.1 --source 02:00.0,02:00.1 --dma 0000:00:04.0'", "")
    yield from wrapped("Without `--nic` and `--dma` it takes the ports and engines that are bound to vfio-pci or another driver for user space; with a uio driver, or "
                       "vfio-pci without an IOMMU, it uses physical addresses. `--nic model` tries it on modelled cards. Without this tree: copy the folder of `make bundle` to "
                       "the machine and call `run-lab FOLDER`; it needs python3 and no network.")
    yield ""
    yield from wrapped("Rows of cards run what was published: l3fwd, a pipeline whose stage is l3fwd, the engine extbuf. Packets come from:")
    yield ""
    yield from wrapped("`--source`: ports that are cabled to those of `--nic`, in the same order. A second process generates packets there, and receives what comes back, on a third CPU. "
                       "`--nic A --source B` needs two ports in all: A sends back what it receives.", "- ")
    yield from wrapped("Outside, without `--source`: a traffic generator sends IPv4 packets at a constant rate, to 198.18.0.0/16 at the first port and 198.19.0.0/16 at "
                       "the second.", "- ")
    yield ""
    yield from wrapped("These rows are cycles per packet at equal load, not packets per second. A card such as XL710 is I/O bound in testpmd: whatever the CPU saves, it "
                       "forwards the same rate, so a throughput shows no gain. The CPU's cycles do, if both ways receive the same packets at the same rate. With `--source` "
                       "that is 70 % of what the slower way forwards, or `--load`. A sample whose ways received rates more than 5 % apart is left out. A row fails if another engine ran, "
                       "if packets were not forwarded, or if the ports' driver cannot recycle; then it prints the reason, which is in the file too. Two ports cabled to each other do not do for l3fwd: packets that circulate lose their TTL.")
    yield ""
    yield from wrapped("`--trial` takes one short sample per row. It shows in one or two minutes which rows the machine can fill, and why not the others. "
                       "Its figures have no interval, so this page takes none of them.")
    yield ""
    yield from wrapped("It writes one file. In a tree `tests/bench/published.py FILE` adds the file to this page.")
    yield from ("", "## CPUs", "")
    yield from ("| CPU | is |", "|---|---|")
    yield from ("| %s | %s |" % (letter, cpu) for cpu, letter in cpus.items())
    yield ""
    yield from parts
    yield from ("## Runs", "")
    for run in sorted(used, key=lambda run: run.name):
        yield from wrapped("CPU %s, %s, commit %s: `%s`." % (cpus[run.cpu], run.date, run.commit[:7], run.name), "- ")


def kept():
    """The runs in results/, without trials."""
    return [run for run in map(Run, results.kept()) if not run.trial]


def main(files):
    for path in files:
        if Run(path).trial:
            raise ValueError("%s: it is a trial, whose figures have no interval; measure without --trial" % path)
        results.keep(path)
    PAGE.write_text("\n".join(page(kept())) + "\n", encoding="utf-8")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (OSError, ValueError, KeyError) as problem:
        sys.exit("published: %s" % problem)
