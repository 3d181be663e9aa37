# SPDX-License-Identifier: BSD-3-Clause
# Instructions and cache misses per packet of ring_pipeline's modes, counted by valgrind: the same on any machine, whatever else it does.
"""
zcfwd itself runs under callgrind with both parts on one lcore; what ring_loop_io() and all below it does is counted, drivers included, and divided
by the packets sent. The caches are callgrind's model of this machine's. Two runs, a short and a longer one, are subtracted, so that what happens once
is left out. Ports: net_null; stage l3fwd: net_pcap, as pipeline.py has them.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from types import SimpleNamespace

import modes
import pipeline

# What is shown, and callgrind's events that it is the sum of.
COLUMNS = {"instructions": ("Ir",), "data reads": ("Dr",), "data writes": ("Dw",), "L1 misses": ("D1mr", "D1mw"), "LL misses": ("DLmr", "DLmw")}
SHORT_MS, LONG_MS = 200, 3000
CASES = [(stage, burst) for stage in ("none", "macswap", "l3fwd") for burst in pipeline.BURSTS]


def options(argv):
    parser = argparse.ArgumentParser(description="Count instructions and cache misses per packet.")
    parser.add_argument("--cases", default="", metavar="REGEX", help="only the cases whose name, STAGE/burstN, matches")
    parser.add_argument("--zcfwd", default=os.environ.get("ZCFWD") or os.path.join(os.path.dirname(__file__), "..", "..", "build", "zcfwd"))
    return parser.parse_args(argv)


def totals(path):
    """Callgrind's sums by event."""
    with open(path) as file:
        found = dict(re.findall(r"^(events|totals|summary): (.*)$", file.read(), re.M))
    return dict(zip(found["events"].split(), map(int, (found.get("totals") or found["summary"]).split())))


def one_run(setup, stage, burst, mode, length_ms):
    """(events, packets sent) of one process."""
    out = os.path.join(setup.folder, "callgrind")
    program = modes.command_line(setup.program, "0,1", SimpleNamespace(hugepages=False, run_id=setup.run_id), pipeline.ports(setup, stage), [])
    argv = ["valgrind", "--quiet", "--tool=callgrind", "--cache-sim=yes", "--collect-atstart=no", "--toggle-collect=ring_loop_io", "--fair-sched=yes",
            "--callgrind-out-file=" + out, *program]
    lines = ["set fwd ring_pipeline", *pipeline.prepare(stage, pipeline.RING, burst), *pipeline.routes(stage), "set pipeline mode " + mode,
             "start for %dms" % length_ms, "show fwd stats all"]
    answers = modes.ask(argv, lines)
    sent = [sum(one["tx"] for one in answer["streams"]) for answer in answers if answer.get("command") == "show fwd stats all"]
    return totals(out), sent[-1]


def per_packet(short, long):
    """What each packet more of the longer run cost, by column."""
    packets = long[1] - short[1]
    if packets <= 0:
        raise ValueError("%d packets in the longer run, %d in the short one" % (long[1], short[1]))
    return {name: sum(long[0][event] - short[0][event] for event in events) / packets for name, events in COLUMNS.items()}


def line_of(name, mode, found, first):
    """Each figure, and how much more or less than the first mode's it is."""
    cells = []
    for column, value in found.items():
        change = " (%+.1f %%)" % (100 * (value / first[column] - 1)) if found is not first and first[column] > 0.005 else ""
        cells.append("%.*f%s" % (1 if value >= 10 else 3, value, change))
    return "| " + " | ".join([name, mode, *cells]) + " |"


def main(argv):
    args = options(argv)
    if shutil.which("valgrind") is None:
        print("counts: skipped: no valgrind here: want the package valgrind")
        return 0
    print("| " + " | ".join(["per packet", "mode", *COLUMNS]) + " |\n|" + "---|" * (2 + len(COLUMNS)), flush=True)
    with tempfile.TemporaryDirectory(prefix="counts-") as folder:
        setup = SimpleNamespace(program=os.path.abspath(args.zcfwd), folder=folder, run_id="counts%d" % os.getpid())
        for stage, burst in CASES:
            name, first = "%s/burst%d" % (stage, burst), None
            for mode in pipeline.MODES if re.search(args.cases, name) else ():
                found = per_packet(*(one_run(setup, stage, burst, mode, length) for length in (SHORT_MS, LONG_MS)))
                first = first or found
                print(line_of(name, mode, found, first), flush=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        sys.exit("counts: %s" % error)
