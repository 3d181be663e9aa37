# SPDX-License-Identifier: BSD-3-Clause
# How much faster more lcores are: program A beside program B on 1, 2, 4, ... and all lcores, each with a CPU and a stream of its own.
"""
Each lcore has one queue of a port; from the 33rd on ports have several. Both programs have the same CPUs and forward in turn, as everywhere here. Efficiency is the rate over that of
one lcore times their number: below 1 something is shared, such as memory, rings, the clock of the package or a cache line that two lcores write.
"""
import functools
import os

from beds import ALL_ENGINES, Bed
from forwarder import Forwarder, ForwarderError
from rig import Mark, Rig, command_line, measure_fresh
from summary import median

ENGINES = {"null": ("io", "macswap", "txonly", "csum", "generate"), "ring": ("io", "macswap", "csum")}
QUICK = {"null": ("io",), "ring": ("io",)}
PORTS_MOST = 32  # RTE_MAX_ETHPORTS of Debian's DPDK; net_null counts 16 queues of each
MBUFS = 4096     # per lcore, and as many more
RUNS = 8         # process pairs, at most


def lcores_of(cpus):
    """How many forwarding lcores: powers of two, and all; one CPU is the main lcore's."""
    most = max(1, cpus - 1)
    return sorted({1 << i for i in range(most.bit_length())} | {most})


def make_names(quick):
    """scale/BED/ENGINE/LCORES"""
    numbers = lcores_of(len(os.sched_getaffinity(0)))
    return ["scale/%s/%s/%d" % (bed, engine, n) for bed, engines in (QUICK if quick else ENGINES).items() for engine in engines
            for n in (numbers[:1] + numbers[-1:] if quick and len(numbers) > 1 else numbers)]


def bed_of(name, lcores):
    """The ports, and queues of each, that give every lcore a stream."""
    ports = min(lcores, PORTS_MOST)
    queues = -(-lcores // ports)
    app = ("--rxq=%d" % queues, "--txq=%d" % queues, "--nb-cores=%d" % lcores)
    prime = ("start tx_first 4", "stop") if name == "ring" else ()
    return Bed(name, "", tuple("--vdev=net_%s%d" % (name, i) for i in range(ports)), app, prime, None, (), (), (), 0.005)


def words_of(binary, lcores, setup, tag, bed):
    """The command line: lcore 0 on the main CPU, each of the others on one of its own."""
    others = [cpu for cpu in sorted(setup.cpus) if cpu != setup.cores[0]] or [setup.cores[0]]
    places = ",".join(["0@%d" % setup.cores[0], *("%d@%d" % (1 + i, others[i]) for i in range(lcores))])
    mbufs = MBUFS * (lcores + 1)
    words = command_line(binary, places, setup, tag, bed.eal, (*bed.app, "--total-num-mbufs=%d" % mbufs))
    words.remove("--total-num-mbufs=8192")
    if not setup.hugepages:
        words[words.index("-m") + 1] = str(64 + mbufs * 3 // 1024 + 16 * lcores)
    return words


class Many(Rig):
    """A rig with a number of forwarding lcores and an engine."""

    def __init__(self, name, engine, side, setup, lcores):
        bed = bed_of(name, lcores)
        self.bed, self.side, self.setup, self.lcores, self.peer = bed, side, setup, lcores, None
        self.dut = Forwarder(words_of(setup.binary[side], lcores, setup, side, bed._replace(app=bed.app + setup.extra[side])))
        try:
            self.dut.expect_ports(len(bed.eal))
            for line in bed.prime:
                self.dut.command(line)
            if len(setup.cpus) > 1:
                self.dut.hurry()
            self.dut.command("set fwd " + (engine.name if side == "a" else engine.other or engine.name))
        except ForwarderError:
            self.close()
            raise

    def _mark(self):
        """Time that lcores waited is that of one of them."""
        return Mark(self.dut.reading(), self.dut.waited() / self.lcores, 0)


def bench(rows, setup, failures, progress):
    """All process pairs of all cases, in turn. After `failures` failures a case is left out."""
    for turn in range(min(setup.runs, RUNS) if rows else 0):
        for row in rows:
            if len(row.failures) < failures:
                _, bed, name, lcores = row.name.split("/")
                engine = next(one for one in ALL_ENGINES if one.name == name)
                measure_fresh(row, functools.partial(Many, bed, engine, setup=setup, lcores=int(lcores)), engine.count, setup, turn)
        progress("scale %d/%d" % (turn + 1, min(setup.runs, RUNS)))


def efficiency(rows):
    """{"scale/BED/ENGINE": {lcores: (A's efficiency, B's)}} of the rows that were measured."""
    rates = {}
    for row in rows:
        if row.rounds:
            case, _, lcores = row.name.rpartition("/")
            rates.setdefault(case, {})[int(lcores)] = [median(row.samples(side)) for side in (0, 1)]
    return {case: {n: tuple(rate / (n * alone) for rate, alone in zip(found[n], found[1])) for n in sorted(found)}
            for case, found in rates.items() if 1 in found}


def table(rows, markdown):
    """A line per engine; a cell per number of lcores: efficiency of A and of B."""
    found = efficiency(rows)
    numbers = sorted({n for one in found.values() for n in one})
    lines = [["efficiency, A / B", *("%d lcore%s" % (n, "s" if n > 1 else "") for n in numbers)]]
    lines += [[case, *("%.2f / %.2f" % one[n] if n in one else "" for n in numbers)] for case, one in found.items()]
    if markdown:
        lines.insert(1, ["---"] * len(lines[0]))
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)
