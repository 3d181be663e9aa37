# SPDX-License-Identifier: BSD-3-Clause
"""Figures of a text answer."""
import re

RUN = re.compile(r"(?m)^  Run: (\d+\.\d+) s(?:, \d+ packets received)?, (\d+)(?: packets)?(?: sent| received), (\d+\.?\d* [kMG]?)pps"
                 r"(?:, L2 (\d+\.?\d* [kMG]?)b/s, L1 (\d+\.?\d* [kMG]?)b/s, (\d+\.\d) % of line rate)?, loss (\d+\.\d+) %(?:, (\d+\.\d) cycles/packet)?"
                 r"(?:, lcore \d+ had its CPU for \d+ % of the run(?: \(\d+ preemptions?\))?)?$")
PREFIX = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}


def scaled(word):
    number, _, prefix = word.partition(" ")
    return float(number) * PREFIX[prefix]


def numbers(text):
    """Seconds, packets, Mpps, Gb/s of L2 and L1, percent of line rate, percent lost, cycles."""
    assert len(found := RUN.findall(text)) == 1, text
    units = 1, 1, 1e6, 1e9, 1e9, 1, 1, 1
    return [scaled(word) / unit if word else None for word, unit in zip(found[0], units)]
