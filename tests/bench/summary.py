# SPDX-License-Identifier: BSD-3-Clause
# Medians, spreads and intervals that assume nothing about how the samples are distributed.
import math
from collections import namedtuple

# The least coverage with which a difference may be claimed.
WANT = 0.975

# low..high holds the true median with the given coverage.
Interval = namedtuple("Interval", "low high coverage")


def median(values):
    """The middle of the sorted values."""
    return quantile(values, 0.5)


def quantile(values, q):
    """Linear interpolation between the closest ranks; q in 0..1, values not empty."""
    ranked = sorted(values)
    place = q * (len(ranked) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ranked) - 1)
    return ranked[below] + (ranked[above] - ranked[below]) * (place - below)


def quartiles(values):
    """(first, third) quartile; their distance is the IQR."""
    return quantile(values, 0.25), quantile(values, 0.75)


def median_interval(values, want=WANT):
    """
    The narrowest pair of order statistics that holds the median with at least `want` probability:
    each sample lies below the true median with probability 1/2, so the ranks follow the binomial.
    Seven samples give [smallest, largest] at 98.4 %; fewer cannot reach WANT and return what they can.
    """
    ranked, n = sorted(values), len(values)
    best, tail = 1, 0.0
    for rank in range(1, n // 2 + 1):
        tail += math.comb(n, rank - 1) / 2 ** n
        if 1 - 2 * tail < want and rank > 1:
            break
        best = rank
    outside = 2 * sum(math.comb(n, i) for i in range(best)) / 2 ** n
    return Interval(ranked[best - 1], ranked[n - best], max(0.0, 1 - outside))
