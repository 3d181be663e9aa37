# SPDX-License-Identifier: BSD-3-Clause
# How full the bursts are that an engine receives, as it is and recycled.
"""
Two xl710 whose cards move by themselves, on a CPU of their own where there is one; no fast free. Engines take turns in one process, in the order A B B A, SLICE_MS each. full: of
receive calls that gave packets, the percentage that gave a full burst; a forwarder that is faster than what feeds it finds less each time. cycles: per
packet, of polls that had packets, in slices of the same kind.
"""
import modes

# What is compared, the first with the others: the commands before its slices.
ENGINES = {
    "io": ("set recycle off", "set fwd io"),
    "io recycled": ("set recycle on", "set fwd io"),
    "macswap": ("set recycle off", "set fwd macswap"),
    "macswap recycled": ("set recycle on", "set fwd macswap"),
}
PAIRS = {"io": ("io", "io recycled"), "macswap": ("macswap", "macswap recycled")}
BURST, SLICE_MS, QUICK_SLICE_MS = 32, 500, 100


def make_cases(quick):
    """All cases: bursts/ENGINE/full and bursts/ENGINE/cycles."""
    for engine, words in list(PAIRS.items())[:1 if quick else None]:
        for what, (unit, value) in FIGURES.items():
            yield modes.Case("bursts/%s/%s" % (engine, what), ("bursts " + engine, unit), words,
                             lambda setup, lockstep, m=words, v=value: measure(setup, lockstep, m, v, QUICK_SLICE_MS if quick else SLICE_MS))


def full_percent(streams):
    """Of the bursts of all streams that were not empty; not 0, which is said of slices without packets."""
    cells = {}
    for one in streams:
        for size, count in zip(one["rx_bursts"]["sizes"], one["rx_bursts"]["counts"]):
            cells[size] = cells.get(size, 0) + count
    cells.pop(0, None)
    return max(0.01, 100 * cells.get(BURST, 0) / sum(cells.values())) if cells else 0


def cycles(streams):
    return sum(one["busy_cycles"] for one in streams) / max(1, sum(one["tx"] for one in streams))


# The unit of a case, the command that tells it, and how.
FIGURES = {"full": ("% full", ("show fwd bursts", full_percent)), "cycles": ("cycles", ("show fwd stats all", cycles))}


def measure(setup, lockstep, words, figure, slice_ms):
    """{mode: [figure of each slice]}, all in one process."""
    line, value = figure
    order = [mode for turn in range(setup.runs) for mode in (words[::-1] if turn % 2 else words)]
    lines = ["set record-burst-stats on", "set record-core-cycles on"]
    for mode in order:
        lines += [*ENGINES[mode], "start for %dms" % slice_ms, line]
    argv = modes.command_line(setup.binary["a"], "%d,%d" % setup.cores, setup, ["-d", modes.plugin_of(lockstep), "--iova-mode=va"],
                              ["--tx-offloads=0x0", "--rxd=1024", "--txd=1024"])
    answers = modes.ask(argv, lines, {"MODEL_NIC": "xl710,flows=16*2"})
    found = {mode: [] for mode in words}
    for mode, answer in zip(order, (one for one in answers if one.get("command") == line)):
        found[mode].append(value(answer["streams"]))
    return found
