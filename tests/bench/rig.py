# SPDX-License-Identifier: BSD-3-Clause
# One side of a comparison, the program under test with its traffic source, and measured slices of both sides in pairs.
import time
from collections import namedtuple

from forwarder import Forwarder, ForwarderError
from summary import median

# One slice: its rate is the median of its parts' rates, in packets per second in which the core could be had, as both
# the hypervisor and other tasks take the core for some milliseconds now and then. waited: share of the slice in which
# another task held the core; doubt: share of a part that its timestamps leave open; the others: of the whole slice.
Slice = namedtuple("Slice", "pps seconds rx tx waited doubt parts")
# The counters at one time, and the seconds that the forwarding lcores of program and peer had waited until then.
Mark = namedtuple("Mark", "reading waited peer_waited")
# What a half of a pair does: on which rig, and the commands it gives first.
Half = namedtuple("Half", "rig commands")

PART_S = 0.012
DISTURBED_WAIT = 0.25
DISTURBED_DOUBT = 0.05


class Rig:
    """A program under test, and its peer if the bed has one; close() ends both."""

    def __init__(self, bed, side, setup):
        """side: "a" or "b"; setup: see bench.Setup. Raises ForwarderError with nothing left running."""
        self.bed, self.side, self.setup = bed, side, setup
        self.dut = self.peer = None
        try:
            if bed.peer and bed.peer[2]:
                self._start_peer()
            self.dut = self._start(setup.binary[side], "%d,%d" % setup.cores, side, bed.eal,
                                   bed.app + setup.extra[side])
            if bed.peer and not bed.peer[2]:
                self._start_peer()
            for line in bed.prime:
                self.dut.command(line)
            self.dut.hurry()
            if self.peer:
                self.peer.command("start")
                self._await_traffic(10)
        except ForwarderError:
            self.close()
            raise

    def close(self):
        """The peer goes first: virtio_user is killed by SIGPIPE when its backend leaves before it."""
        for process in (self.peer, self.dut):
            if process:
                process.close()

    def slice(self, count, seconds):
        """Forward for `seconds`, the port counters read every PART_S; count: "rx" or "tx"."""
        try:
            self._run()
            time.sleep(self.bed.settle_s)
            marks = [self._mark()]
            while marks[-1].reading.at - marks[0].reading.at < seconds:
                time.sleep(PART_S)
                marks.append(self._mark())
        finally:
            self._halt()
        return _slice_of(marks, count)

    def _run(self):
        self.dut.command("start")
        if self.peer:
            self.peer.freeze(False)

    def _halt(self):
        if self.peer:
            self.peer.freeze(True)
        self.dut.command("stop")

    def _await_traffic(self, timeout):
        """Ports with another process behind them come up in their own time (memif: within a second or two)."""
        self._run()
        first, end = self.dut.reading(), time.monotonic() + timeout
        while self.dut.reading().tx == first.tx:
            if time.monotonic() > end:
                raise ForwarderError("no traffic from the peer within %d s" % timeout)
            time.sleep(0.02)
        self._halt()

    def _mark(self):
        return Mark(self.dut.reading(), self.dut.waited(), self.peer.waited() if self.peer else 0)

    def _start_peer(self):
        eal, app, _ = self.bed.peer
        core = self.setup.cores[0]
        self.peer = self._start(self.setup.binary["b"], "0@%d,1@%d" % (core, core), self.side + "p", eal, app)

    def _start(self, binary, lcores, tag, eal, app):
        names = {"dir": self.setup.folder, "side": self.side}
        eal = [word.format(**names) for word in eal]
        netns = self.setup.netns if self.bed.veths else None
        process = Forwarder(command_line(binary, lcores, self.setup, tag, eal, app), netns)
        try:
            process.expect_ports(sum(word.startswith("--vdev") for word in eal))
        except ForwarderError:
            process.close()
            raise
        return process


def _slice_of(marks, count):
    """The slice between the first and the last of at least two marks."""
    parts = []
    for before, after in zip(marks, marks[1:]):
        available = (after.reading.at - before.reading.at) - (after.waited - before.waited)
        parts.append((getattr(after.reading, count) - getattr(before.reading, count)) / max(available, 1e-6))
    first, last = marks[0], marks[-1]
    seconds = last.reading.at - first.reading.at
    waited = max(last.waited - first.waited, last.peer_waited - first.peer_waited)
    doubt = median([mark.reading.doubt for mark in marks]) / (seconds / len(parts))
    return Slice(median(parts), seconds, last.reading.rx - first.reading.rx, last.reading.tx - first.reading.tx,
                 waited / seconds, doubt, [round(part) for part in parts])


def command_line(binary, lcores, setup, tag, eal, app):
    """The options that every process gets, whichever program it runs."""
    memory = ["--in-memory"] if setup.hugepages else ["--no-huge", "--no-shconf", "-m", "128"]
    return [binary, "--lcores", lcores, "-v", "--no-pci", "--file-prefix=%s-%s" % (setup.run_id, tag), *memory, *eal,
            "--", "-i", "--no-mlockall", "--total-num-mbufs=8192", "--no-flush-rx", *app]


def measure_pairs(halves, count, seconds, pairs, flip):
    """
    `pairs` undisturbed pairs of slices, milliseconds apart, in the order A B B A ...; flip starts with B.
    A pair that other tasks disturbed is repeated, at most 2 x `pairs` times in all, and then kept as it is.
    Returns ([(slice of halves[0], slice of halves[1])], number of pairs thrown away).
    """
    kept, thrown = [], 0
    while len(kept) < pairs:
        order = (1, 0) if (len(kept) + flip) % 2 else (0, 1)
        found = {}
        for which in order:
            rig, commands = halves[which]
            for line in commands:
                rig.dut.command(line)
            found[which] = rig.slice(count, seconds)
        if thrown < 2 * pairs and any(map(disturbed, found.values())):
            thrown += 1
            continue
        for rig_slice in found.values():
            if rig_slice.pps <= 0:
                raise ForwarderError("no packets moved (rx %d, tx %d)" % (rig_slice.rx, rig_slice.tx))
        kept.append((found[0], found[1]))
    return kept, thrown


def measure_row(row, halves, count, setup, turn):
    """One round of a report's row, from two halves that live."""
    found, thrown = measure_pairs(halves, count, setup.slice_s, setup.pairs, turn // 2)
    row.thrown += thrown
    row.add([(a.pps, b.pps) for a, b in found], [(a._asdict(), b._asdict()) for a, b in found])


def measure_fresh(row, make, count, setup, turn):
    """One round of a report's row, from rigs that make(side) starts and that end here; which of the two starts first alternates."""
    rigs = {}
    try:
        for side in ("ab", "ba")[turn % 2]:
            rigs[side] = make(side)
        measure_row(row, [Half(rigs[side], ()) for side in "ab"], count, setup, turn)
    except (ForwarderError, OSError) as error:
        row.failures.append("round %d: %s" % (turn + 1, error))
    finally:
        for rig in rigs.values():
            rig.close()


def disturbed(piece):
    """Whether another task held the core, or the counters were read too slowly, for this slice to count."""
    return piece.pps <= 0 or piece.waited > DISTURBED_WAIT or piece.doubt > DISTURBED_DOUBT
