# SPDX-License-Identifier: BSD-3-Clause
# What contiguous blocks save: `bench mempool` on mempools of the driver bucket, on one lcore, two and four.
"""
mempool/LCORES/putN/keepN: bulks of 15 are dequeued until an lcore holds `keep` objects, each is read, and they are put back N at a time. The modes are
single objects (plain) and whole blocks (contiguous), without a cache. A sample is the median of one process; the cost is nanoseconds per object.
"""
import os

import modes

MODES = ("plain", "contiguous")
LCORES, PUTS, KEEPS = (1, 2, 4), (1, 15), (30, 60)
SAMPLES, LEAST = 5, 3
CPUS = sorted(os.sched_getaffinity(0))


def make_cases(_quick):
    """All cases that this machine has CPUs for. A process measures all of them, so fewer cases save no time."""
    runs = {}
    for lcores in LCORES:
        for put in PUTS:
            for keep in KEEPS:
                if lcores <= len(CPUS):
                    yield modes.Case(f"mempool/{lcores}/put{put}/keep{keep}", ("mempool", f"{lcores} lcores", f"put {put}", f"keep {keep}"), MODES,
                                     lambda setup, lockstep, key=(lcores, put, keep): samples(runs, setup, lockstep, key))


def samples(runs, setup, lockstep, key):
    """{mode: [ns per object of each process]}; 0: the pool was empty. All cases are in one answer, so the processes run once."""
    if not runs:
        cpus = CPUS[:max(n for n in LCORES if n <= len(CPUS))]
        argv = modes.command_line(lockstep, ",".join("%d@%d" % pair for pair in enumerate(cpus)), setup, [], [])
        line = f"bench mempool samples {modes.samples(setup, SAMPLES, LEAST)} objects 8191 driver bucket"
        for _ in range(setup.runs):
            answer = next(one for one in modes.ask(argv, [line]) if one.get("command") == line)
            for cell in answer["cells"]:
                found = runs.setdefault((cell["lcores"], cell["put"], cell["keep"]), {mode: [] for mode in MODES})
                for one in cell["results"]:
                    if cell["get"] == 15 and one["cache"] == 0:
                        found[MODES[one["contiguous"]]].append(1e3 / one["rate"] if one["rate"] else 0)
    return runs[key]
