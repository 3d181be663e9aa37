#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Print mlr_oracle.h: what FD.io's Python package MLRsearch says about the trials and systems of mlr_test.c.

    PYTHONPATH=FOLDER_WITH_MLRsearch ./mlr_oracle.py >mlr_oracle.h
"""
import math
import sys

from MLRsearch import AbstractMeasurer, Config, MeasurementResult, MultipleLossRatioSearch, SearchGoal
from MLRsearch.target_spec import TargetSpec
from MLRsearch.target_stat import TargetStat

CASES, PACKETS = 2000, 1000000
LOSSES, EXCEEDS, DURATIONS, SUMS = (0, 0.005, 0.1), (0, 0.2, 0.5, 0.75), (1, 2, 10), (10, 21, 60)
# (goals as (loss, exceed, final, sum), (capacity, share of seconds with a pause, length of a pause in s), highest load): as in mlr_test.c
NDR, PDR, RFC2544, TST009 = (0, 0.5, 1, 21), (0.005, 0.5, 1, 21), (0, 0, 60, 60), (0, 0.5, 60, 120)
SYSTEMS = (
    ((NDR,), (5e6, 0, 0), 1e7), ((PDR,), (5e6, 0, 0), 1e7), ((NDR,), (2e7, 0, 0), 1e7), ((NDR,), (1e5, 0, 0), 1e8),
    ((RFC2544,), (3e6, 0, 0), 1e7), ((TST009,), (3e6, 0.001, 0.1), 1e7), ((NDR,), (5e6, 0.1, 0.1), 1e7), ((PDR,), (5e6, 0.2, 0.1), 1e7),
    ((NDR, PDR), (5e6, 0, 0), 1e7), ((NDR, PDR, RFC2544, TST009), (5e6, 0.001, 0.1), 1e7),
)


class Random:
    """The generator of the test."""
    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        """A number from 0 to n - 1."""
        self.state = (self.state * 1664525 + 1013904223) & 0xFFFFFFFF
        return (self.state >> 8) * n >> 24


def spec(loss, exceed, trial, total):
    return TargetSpec(loss_ratio=loss, exceed_ratio=exceed, discrete_width=None, trial_duration=float(trial), duration_sum=float(total),
                      expansion_coefficient=2, fail_fast=False, preceding=None)


def judged(random):
    """(class, loss ratio of the conditional throughput in packets of a million; -1: there are no trials) of random trials."""
    goal = (LOSSES[random.below(3)], EXCEEDS[random.below(4)], DURATIONS[random.below(3)], SUMS[random.below(3)])
    stat = TargetStat(spec(*goal))
    trials = random.below(16)
    for _ in range(trials):
        duration = DURATIONS[random.below(3)]
        effective = duration + random.below(8) / 8
        lost = (0, 1, random.below(PACKETS // 100), random.below(PACKETS))[random.below(4)]
        stat.add(MeasurementResult(intended_duration=duration, intended_load=1e6, offered_count=PACKETS, loss_count=lost,
                                   duration_with_overheads=effective))
    optimistic, pessimistic = stat.estimates()
    ratio = stat.pessimistic_loss_ratio
    return "<" if pessimistic else "-" if optimistic else ">", -1 if ratio is None else round(ratio * PACKETS)


class System(AbstractMeasurer):
    """A system that carries a number of packets per second, and pauses in a share of the seconds."""
    def __init__(self, capacity, paused, pause):
        self.capacity, self.paused, self.pause = capacity, paused, pause
        self.random, self.trials, self.seconds = Random(1), 0, 0

    def measure(self, intended_duration, intended_load):
        self.trials += 1
        self.seconds += intended_duration
        carried = min(intended_load, self.capacity)
        lost = sum(carried * self.pause for _ in range(math.ceil(intended_duration)) if self.random.below(1000) < self.paused * 1000)
        offered = intended_load * intended_duration
        good = carried * intended_duration - lost
        return MeasurementResult(intended_duration=intended_duration, intended_load=intended_load, offered_count=round(offered),
                                 loss_count=round(offered - good))


def searched(goals, system, highest):
    """([conditional throughput of each goal], trials, seconds) of a search."""
    config = Config()
    config.goals = [SearchGoal(loss_ratio=loss, exceed_ratio=exceed, relative_width=0.005, initial_trial_duration=1.0,
                               final_trial_duration=float(trial), duration_sum=float(total), fail_fast=False) for loss, exceed, trial, total in goals]
    config.min_load = 1000.0
    config.max_load = highest
    config.warmup_duration = 0.0
    found = System(*system)
    results = MultipleLossRatioSearch(config).search(found)
    return [float(results[goal].conditional_throughput) for goal in config.goals], found.trials, found.seconds


def main():
    random = Random(7)
    found = [judged(random) for _ in range(CASES)]
    print("/* Printed by mlr_oracle.py: results of FD.io's package MLRsearch. */\n/* SPDX-License-Identifier: BSD-3-Clause */\n#pragma once\n")
    print("static const char oracle_classes[] =")
    text = "".join(one for one, _ in found)
    print("\n".join('\t"%s"' % text[i:i + 80] for i in range(0, CASES, 80)) + ";")
    print("/* Lost packets of a million at the conditional throughput; -1: no trials. */\nstatic const char oracle_lost[] =")
    numbers = ["%d " % lost for _, lost in found]
    print("\n".join('\t"%s"' % "".join(numbers[i:i + 10]) for i in range(0, CASES, 10)) + ";")
    print("/* Conditional throughput of each goal; trials; their seconds. */\nstatic const struct {\n\tdouble rate[4];\n\tunsigned int trials;\n\tdouble seconds;\n} oracle_searches[] = {")
    for one in SYSTEMS:
        rates, trials, seconds = searched(*one)
        print("\t{ { %s }, %d, %g }," % (", ".join("%.0f" % rate for rate in rates), trials, seconds))
    print("};")


if __name__ == "__main__":
    sys.exit(main())
