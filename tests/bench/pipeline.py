#!/usr/bin/python3
# What zero-copy rings save: the modes of the engine ring_pipeline by turns in one process, on one lcore and on two.
"""
tests/bench/pipeline.py [--beds xl710,82599,null,two] [--stages none,l3fwd] [--rings 256,1024] [--bursts 32] [--samples N]

xl710, 82599: tests/bench/lockstep on modelled NICs, scalar and vector functions, both parts on one lcore; the NICs' own work is not timed.
null: net_null ports, one lcore, turns that had packets are timed; two: the same with I/O and work on two lcores, packets per second, where the time that a
cache line takes between the two is printed (before, after), as it decides. Both take slices of --slice-ms per mode in the order A B C C B A,
the best of five being a sample. Ratios are medians of the ratios of samples side by side, with an interval that holds the true one with at least
97.5 % probability.
"""

import argparse
import os
import subprocess
import sys

import machine
from extbuf import ROOT, SLICES, ask, row

MODES = ("copy", "zc", "hybrid")
WIDTHS = {"xl710": (64, 256), "82599": (64, 128)}
# Where the modelled NICs' packets go. net_null's are no IP: stages that look at packets are for the other beds.
ROUTE = "pipeline route add 198.18.0.0/15 port %d"


def options(argv):
    parser = argparse.ArgumentParser(description="Compare the modes of the engine ring_pipeline.")
    parser.add_argument("--beds", default="xl710,82599,null,two")
    parser.add_argument("--stages", default="none,l3fwd")
    parser.add_argument("--rings", default="256,1024", help="slots (%(default)s)")
    parser.add_argument("--bursts", default="32", help="packets (%(default)s)")
    parser.add_argument("--samples", type=int, default=14, help="of each mode, 7 or more (%(default)s)")
    parser.add_argument("--slice-ms", type=int, default=10)
    parser.add_argument("--lcores", default="0,1", help="cores of the beds null and two: control and first part, second part (%(default)s)")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    args = parser.parse_args(argv)
    if args.samples < 7:
        parser.error("--samples %d: want 7 or more" % args.samples)
    return args


def program(path, lcores, eal, app=()):
    return [path, "--lcores", lcores, "--in-memory", "--no-pci", "--no-telemetry", "--log-level=error", "--file-prefix=pl%d" % os.getpid(),
            *eal, "--", "-i", "--no-mlockall", "--no-flush-rx", "--total-num-mbufs=16384", *app]


def prepare(stage, ring, burst):
    return ["set pipeline stage " + stage, "set pipeline ring %d" % ring, "set burst %d" % burst]


def modelled(args, device, width, stage, ring, burst):
    """{mode: [cycles per packet of each process]}; lockstep alternates by itself. One port, which leads to itself: one route fits all."""
    found = {mode: [] for mode in MODES}
    line = "lockstep evict 0 rounds 8 samples 12 " + " ".join("ring_pipeline,pipeline-mode=" + mode for mode in MODES)
    argv = program(os.path.join(args.build, "tests/bench/lockstep"), "(0,1)@1",
                   ["-d", os.path.join(args.build, "tests/model_nic/model_nic.so"), "--iova-mode=va", "--force-max-simd-bitwidth=%d" % width])
    for _ in range(max(7, args.samples // 2)):
        answer = ask(argv, [*prepare(stage, ring, burst), ROUTE % 0, line], {"MODEL_NIC": device + ",flows=16", "MODEL_NIC_MODE": "step"})
        for one, mode in zip(next(a for a in answer if a.get("command") == line)["variants"], MODES):
            found[mode].append(one["median"])
    return found


def slice_lines(mode, slice_ms):
    """One slice: auto gets time to measure first."""
    settle = ["watch show port summary all every 0.25 count 2"] if mode == "auto" else []
    return ["set pipeline mode " + mode, "start", *settle, "watch show fwd stats all every %g count 2" % (slice_ms / 1000), "stop"]


def cost(before, after, slice_ms, two):
    """Cycles per packet of turns that had packets; on two lcores nanoseconds per packet, the inverse of the rate."""
    sent, cycles = ([sum(one[key] for one in answer["streams"]) for answer in (before, after)] for key in ("tx", "busy_cycles"))
    return (slice_ms * 1e6 if two else cycles[1] - cycles[0]) / max(1, sent[1] - sent[0])


def null(args, two, ring, burst):
    """{mode: [cost of each sample]}"""
    modes = (*MODES, "auto")
    lines = ["set fwd ring_pipeline", *prepare("none", ring, burst), "set record-core-cycles " + ("off" if two else "on"),
             "set pipeline io 1 workers %d" % (2 if two else 1)]
    order = []
    for turn in range(args.samples * SLICES):
        for mode in modes[::-1] if turn % 2 else modes:
            lines += slice_lines(mode, args.slice_ms)
            order.append(mode)
    first, second = args.lcores.split(",")
    argv = program(os.path.join(args.build, "zcfwd"), "0@%s,1@%s,2@%s" % (first, first if two else second, second),
                   ["--vdev=net_null0", "--vdev=net_null1"])
    shown = [one for one in ask(argv, lines) if one.get("command") == "show fwd stats all"]
    costs = [(mode, cost(*pair, args.slice_ms, two)) for mode, pair in zip(order, zip(shown[::2], shown[1::2]))]
    found = {mode: [] for mode in modes}
    for at in range(0, len(costs), SLICES * len(modes)):
        for mode in modes:
            found[mode].append(min(value for name, value in costs[at:at + SLICES * len(modes)] if name == mode))
    return found


def cases(args):
    """(name of the row, function that measures it), bed by bed."""
    for bed in args.beds.split(","):
        for ring in map(int, args.rings.split(",")):
            for burst in map(int, args.bursts.split(",")):
                if bed in WIDTHS:
                    for stage in args.stages.split(","):
                        for width in WIDTHS[bed]:
                            yield "%s %s, %s, ring %d, burst" % (bed, "scalar" if width == 64 else "vector", stage, ring), burst, \
                                lambda b=bed, w=width, s=stage, r=ring, n=burst: modelled(args, b, w, s, r, n)
                else:
                    yield "%s, ring %d, burst" % (bed, ring), burst, lambda b=bed, r=ring, n=burst: null(args, b == "two", r, n)


def main(argv):
    args = options(argv)
    cores = tuple(map(int, args.lcores.split(",")))
    status = 0
    print("| bed | packets | copy | zc | hybrid | auto |\n|%s" % (" --- |" * 6))
    for name, burst, measure in cases(args):
        try:
            before = machine.ping_pong_ns(cores) if name.startswith("two") else None
            line = row(name, burst, measure())
            print(line + (" ping-pong %d, %d ns" % (before, machine.ping_pong_ns(cores)) if before else ""), flush=True)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            print("| %s | %d | failed: %s |" % (name, burst, error), flush=True)
            status = 1
    print("\nTSC cycles per packet, medians (two: nanoseconds per packet); then copy's over this mode's (above 1: faster than copy).")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
