# SPDX-License-Identifier: BSD-3-Clause
# Rows of paired samples into a table (plain or Markdown) and into JSON; a loss is printed like a gain.
import summary

# The interval of a program against itself was seen to miss 1 by 0.002 (2 of 48 rows): so much, and more, is left open.
RESOLUTION = 0.005
FACTOR = {"Mpps": 1e-6, "ms": 1e3}


class Row:
    """One line of the table: the pairs of samples of A and B, grouped by the process pair (round) they came from."""

    def __init__(self, name, unit, left="A", right="B"):
        self.name, self.unit, self.left, self.right = name, unit, left, right
        self.rounds = []
        self.thrown = 0
        self.failures = []

    def add(self, pairs, raw=None):
        """pairs: [(a, b)] of one round, in packets/s or s; raw: what goes to JSON beside them."""
        self.rounds.append({"pairs": pairs, "raw": raw})

    def ratios(self):
        """a/b of every pair, per round."""
        return [[a / b for a, b in one["pairs"]] for one in self.rounds]

    def samples(self, which):
        """All samples of one side, 0 = A; in the unit of the row."""
        return [pair[which] * FACTOR[self.unit] for one in self.rounds for pair in one["pairs"]]

    def result(self):
        """The figures of the line; None when nothing was measured."""
        if not self.rounds:
            return None
        per_round = self.ratios()
        middles = [summary.median(ratios) for ratios in per_round]
        every = [ratio for ratios in per_round for ratio in ratios]
        low, high, coverage = summary.median_interval(middles)
        return {
            "case": self.name, "unit": self.unit, "left": self.left, "right": self.right,
            "left_median": summary.median(self.samples(0)), "left_quartiles": summary.quartiles(self.samples(0)),
            "right_median": summary.median(self.samples(1)), "right_quartiles": summary.quartiles(self.samples(1)),
            "ratio": summary.median(middles), "interval": (low, high), "coverage": coverage,
            "pair_quartiles": summary.quartiles(every), "rounds": len(middles), "pairs": len(every),
            "thrown": self.thrown, "verdict": self.verdict(low, high, summary.median(middles), coverage),
        }

    def verdict(self, low, high, ratio, coverage):
        """What the interval allows to say: a difference only where all of it lies beyond 1 +- RESOLUTION."""
        if coverage < summary.WANT:
            return "too few process pairs (%d)" % len(self.rounds)
        if low <= 1 + RESOLUTION and high >= 1 - RESOLUTION:
            return "no difference shown"
        more = "higher" if self.unit == "Mpps" else "longer"
        less = "lower" if self.unit == "Mpps" else "shorter"
        return "%s %.1f %% %s" % (self.left, abs(ratio - 1) * 100, more if ratio > 1 else less)


def _figures(median, quartiles):
    digits = max(0, 3 - len("%d" % median))
    return "%.*f [%.*f-%.*f]" % (digits, median, digits, quartiles[0], digits, quartiles[1])


def _cells(row):
    found = row.result()
    name = row.name if row.left == "A" else "%s (on / off)" % row.name
    if found is None:
        return [name, row.unit, "", "", "", "", "", ": ".join(["not measured"] + row.failures[-1:])]
    note = "; failed in %d more process pairs: %s" % (len(row.failures), row.failures[-1]) if row.failures else ""
    return [
        name, row.unit,
        _figures(found["left_median"], found["left_quartiles"]),
        _figures(found["right_median"], found["right_quartiles"]),
        "%.3f" % found["ratio"],
        "%.3f-%.3f" % found["interval"],
        "%.3f-%.3f" % found["pair_quartiles"],
        found["verdict"] + note,
    ]


def table(rows, markdown):
    """The rows as one table; the heads say what the sides are where they are not A and B."""
    heads = ["case", "unit", "A [IQR]", "B [IQR]", "A/B", "interval", "IQR of pairs", "verdict"]
    lines = [heads] + [_cells(row) for row in rows]
    if markdown:
        lines.insert(1, ["---"] * len(heads))
        return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
    widths = [max(len(cells[i]) for cells in lines) for i in range(len(heads))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip() for cells in lines)


def legend(rows):
    """How to read the table, with the coverage that was reached and the false alarms to expect."""
    found = [row.result() for row in rows if row.rounds]
    found = [one for one in found if one["coverage"] >= summary.WANT]
    if not found:
        return "Nothing was measured often enough."
    coverage = min(one["coverage"] for one in found)
    fewest = min(one["rounds"] for one in found)
    return "\n".join([
        "A/B: median over process pairs (%d or more) of the median ratio of their adjacent slices." % fewest,
        "interval: holds the true median ratio with %.1f %% probability or more (order" % (coverage * 100),
        "statistics of the process pairs; no model). A difference is claimed only where the interval lies wholly below",
        "%.3f or above %.3f." % (1 - RESOLUTION, 1 + RESOLUTION),
        "Mpps: packets per second in which the forwarding core was available: time in which other tasks of",
        "this machine held it is taken out; %d of %d pairs of slices were thrown away and repeated because" %
        (sum(one["thrown"] for one in found), sum(one["thrown"] + one["pairs"] for one in found)),
        "other tasks took too much of it.",
    ])


def as_json(rows, facts, options):
    """Everything, raw samples included, ready for json.dump."""
    return {
        "machine": dict(facts), "options": options,
        "rows": [{"case": row.name, "unit": row.unit, "left": row.left, "right": row.right, "failures": row.failures,
                  "thrown": row.thrown, "result": row.result(), "rounds": row.rounds} for row in rows],
    }
