# SPDX-License-Identifier: BSD-3-Clause
# Raw samples of a bench run as a CSV file in results/, and tables that put several CPUs side by side.
"""
A file holds one run: comment lines with the facts of the machine, the commit, both programs and the method, then one line per
sample. Kept files are compressed (.csv.xz). results/README.md explains the columns. `results.py FILE...` prints a Markdown table with a row per case and a column per
file; `--cases REGEX` chooses the cases.
"""
import argparse
import csv
import lzma
import os
import re
import sys
import time
from collections import namedtuple

import summary

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "results")
# Facts with this label and the name of a case say why it was not measured.
FAILED = "failed "
# A fact with this label: the run is a trial, whose figures are not for a page.
TRIAL = "trial"
COLUMNS = ("case", "variant", "round", "sample", "value", "unit", "ratio", "ratio_all")

# One line. variant: A, B, or what takes turns; round: process or pair of processes; ratio: to the first variant, where the program
# that measured gives one (ratio_all: with the batches on a shared core), else None.
Sample = namedtuple("Sample", COLUMNS, defaults=(None, None))
# One run. facts: {label: text}; samples: in the order of the file.
Run = namedtuple("Run", "facts samples")


def samples_of(rows, cases, compared):
    """The samples of a run: of forwarders compared (rows), of drivers (cases), and of modes of one engine (compared)."""
    for row in rows.values():
        for turn, one in enumerate(row.rounds, 1):
            for place, pair in enumerate(one["pairs"], 1):
                for side, value in zip("AB", pair):
                    yield Sample(row.name, side, turn, place, value, "packets/s" if row.unit == "Mpps" else "s")
    for case in cases.values():
        for turn, answer in enumerate(case.answers, 1):
            for name, one in zip(case.variants, answer["variants"]):
                ratio = (one["ratio"], one["ratio_all"]) if one["pairs"] > 0 else (None, None)
                yield Sample(case.name, name, turn, 1, one["median"], "cycles/packet", *ratio)
    for case in compared.values():
        for mode, costs in case.answers.items():
            for place, cost in enumerate(costs, 1):
                yield Sample(case.name, mode, 1, place, cost, case.unit)
        for word, figures in case.beside.items():
            for mode, values in figures.items():
                for place, value in enumerate(values, 1):
                    yield Sample("%s/%s" % (case.name, word), mode, 1, place, value, "figure")


def failures_of(*groups):
    """{label: reason} of what was not measured, as facts of the run."""
    return {FAILED + name: " ".join(one.failures[-1].split()) for group in groups for name, one in group.items() if one.failures}


def name_of(facts, suffix=""):
    """The name of a file: the CPU and the day."""
    words = re.sub(r"[^a-z0-9]+", "-", facts["cpu"].split(",")[0].lower()).strip("-")
    return "%s-%s%s.csv" % (words, facts["date"], "-" + suffix if suffix else "")


def write(path, facts, samples):
    """A run as a file."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        for label, text in facts.items():
            print("# %s: %s" % (label, text), file=file)
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(COLUMNS)
        lines.writerows([_cell(value) for value in sample] for sample in samples)


def _cell(value):
    return "" if value is None else "%.6g" % value if isinstance(value, float) else value


def read(path):
    """A run from a file; ValueError names the line that is not understood."""
    facts, lines = {}, []
    with (lzma.open if str(path).endswith(".xz") else open)(path, "rt", encoding="utf-8", newline="") as file:
        for line in file:
            if line.startswith("# "):
                label, _, text = line[2:].partition(": ")
                facts[label] = text.rstrip("\n")
            else:
                lines.append(line)
    found = csv.reader(lines)
    if tuple(next(found, ())) != COLUMNS:
        raise ValueError("%s: expected the columns %s" % (path, ",".join(COLUMNS)))
    try:
        samples = [Sample(case, variant, int(turn), int(place), float(value), unit, *(float(one) if one else None for one in ratios))
                   for case, variant, turn, place, value, unit, *ratios in found]
    except ValueError as error:
        raise ValueError("%s, line %d: %s" % (path, len(facts) + found.line_num, error)) from None
    return Run(facts, samples)


def kept():
    """Paths of all kept runs."""
    return sorted(os.path.join(FOLDER, name) for name in os.listdir(FOLDER) if name.endswith(".csv.xz"))


def keep(path):
    """Put a compressed copy of a run's file among the kept ones."""
    with open(path, "rb") as file, lzma.open(os.path.join(FOLDER, os.path.basename(path) + ".xz"), "wb", preset=9 | lzma.PRESET_EXTREME) as to:
        to.write(file.read())


def ratios_of(samples):
    """{(case, variant): (median ratio, low, high)} of all variants but the first of their case."""
    cases = {}
    for one in samples:
        if one.unit != "figure":  # such as the loss of one setting: variants are different quantities
            cases.setdefault(one.case, {}).setdefault(one.variant, []).append(one)
    for case, variants in cases.items():
        first, *others = variants
        for variant in others if first != "A" else ("B",):
            middles = _middles(variants[first], variants[variant], first == "A")
            if middles:
                yield (case, variant), (summary.median(middles), *summary.median_interval(middles)[:2])


def _middles(first, other, forwarders):
    """One ratio per round: A over B where forwarders are compared, else the variant over the first."""
    if other[0].unit == "cycles/packet":
        return [one.ratio for one in other if one.ratio is not None]
    rounds = {}
    for a, b in zip(first, other):
        if a.value > 0 and b.value > 0:
            rounds.setdefault(a.round if forwarders else len(rounds), []).append(a.value / b.value if forwarders else b.value / a.value)
    return [summary.median(some) for some in rounds.values()]


def table(runs, pattern=""):
    """Markdown: a row per case (and variant), a column per run; an empty cell was not measured."""
    found = [dict(ratios_of(run.samples)) for run in runs]
    keys = dict.fromkeys(key for one in found for key in one if re.search(pattern, " ".join(key)))
    lines = [["case", *["%s, %s" % (run.facts["cpu"].split(",")[0], run.facts["date"]) for run in runs]], ["---"] * (len(runs) + 1)]
    for case, variant in keys:
        cells = ["%.3f (%.3f-%.3f)" % one[case, variant] if (case, variant) in one else "" for one in found]
        lines.append([case if variant == "B" else "%s: %s" % (case, variant), *cells])
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def today():
    return time.strftime("%Y-%m-%d")


def main(argv):
    parser = argparse.ArgumentParser(description="Put kept bench runs side by side.")
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--cases", default="", metavar="REGEX", help="only the rows whose case and variant match")
    args = parser.parse_args(argv)
    runs = [read(path) for path in args.files]
    for run in runs:
        print("\n".join("%s: %s" % fact for fact in run.facts.items()) + "\n")
    print(table(runs, args.cases))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (OSError, ValueError) as problem:
        sys.exit("results: %s" % problem)
