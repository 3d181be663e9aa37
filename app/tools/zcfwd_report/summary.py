# SPDX-License-Identifier: BSD-3-Clause
"""The first sentences of a page: what happened. doc/recording.md has the rules. Standard library only."""
import itertools
import math

from . import compared, figures

CHANGE = 0.10  # smallest change of throughput that is named, relative to the median
NOISE = 4  # smallest change that is named, relative to the median difference between an interval and the next
ENOUGH = 3  # intervals from which a run is called steady
SETTINGS_SHOWN = 3  # differing settings that name a group of runs
UNITS = ((1e9, "Gpps"), (1e6, "Mpps"), (1e3, "kpps"), (1, "pps"))


def rate(mpps):
    """Format a rate with three digits and the unit that suits it."""
    pps = mpps * 1e6
    size, unit = next((one for one in UNITS if pps >= one[0] * 0.9995), UNITS[-1])
    return "%.*f %s" % (max(0, 3 - len("%d" % (pps / size))), pps / size, unit)


def percent(share):
    """Format a share in percent."""
    return "%.*f %%" % (0 if abs(share) >= 0.995 else 1, 100 * share)


def capital(text):
    """Begin a sentence with a capital."""
    return text[:1].upper() + text[1:]


def changes(run, lines):
    """Return (Mpps of the median interval, [(first, last)]): the places of the intervals between which throughput was another. The first interval alone
    is no change, because the run started in it."""
    rates = [figures.mpps(run, line) for line in lines]
    level = sorted(rates)[(len(rates) - 1) // 2]
    noise = figures.quantile([abs(after - before) for before, after in zip(rates[1:], rates[2:])], 0.5) or 0
    least = max(CHANGE * level, NOISE * noise)
    sides = [0 if abs(one - level) <= least else 1 if one > level else -1 for one in rates]
    found = [list(places) for side, places in itertools.groupby(range(len(lines)), sides.__getitem__) if side]
    return level, [(places[0], places[-1]) for places in found if places != [0]]


def change_words(recording, run, lines, level, change):
    """Return the words about one change."""
    first, last = change
    mine = lines[max(first, 1):last + 1]
    mean = sum(figures.mpps(run, line) * line["dt_ns"] for line in mine) / max(sum(line["dt_ns"] for line in mine), 1)
    digits = max(1, min(3, math.ceil(3 - math.log10(recording.header["every_ms"]))))
    begin, end = ("%.*f s" % (digits, (ns - recording.header["start"]["mono_ns"]) / figures.NS)
                  for ns in (lines[first]["mono_ns"] - lines[first]["dt_ns"], lines[last]["mono_ns"]))
    to_end = last == len(lines) - 1
    if not mean:
        words = "throughput was 0 from %s %s" % (begin, "on" if to_end else "to " + end)
    elif first:
        words = "throughput %s by %.0f %% %s" % ("rose" if mean > level else "fell", 100 * abs(mean / level - 1),
                                                "at " + begin if to_end else "from %s to %s" % (begin, end))
    else:  # the run began with it: what is seen is its end
        words = "throughput %s by %.0f %% at %s" % ("rose" if level > mean else "fell", 100 * abs(level / mean - 1), end)
    lcores = [one for one in figures.cpu(mine) if one["share"] is not None and one["share"] < figures.ENOUGH_CPU]
    if lcores and mean < level:
        least = min(lcores, key=lambda one: one["share"])
        words += ", %s lcore %d had its CPU for %.0f %% of the time" % ("while" if first or not mean else "before which", least["lcore"], 100 * least["share"])
    return words


def throughput(recording, run, one):
    """Return the sentence about the throughput of a run. one: its figures."""
    lines, verb = figures.whole(run, recording.header["every_ms"]), "sent" if run.sends else "received"
    if not one["packets"] or one["mean_mpps"] is None:
        return "no packet was " + verb
    level, found = changes(run, lines)
    if not level:
        return "%s; no packet was %s in %d of %d intervals" % (
            rate(one["mean_mpps"]), verb, sum(not figures.mpps(run, line) for line in lines), len(lines))
    if found:
        main = max(found, key=lambda change: abs(sum((figures.mpps(run, line) - level) * line["dt_ns"] for line in lines[change[0]:change[1] + 1])))
        others = len(found) - 1
        return "%s%s; the median interval had %s" % (change_words(recording, run, lines, level, main),
                                                      ", and changed %d more time%s" % (others, "s" * (others > 1)) if others else "", rate(level))
    if len(lines) <= ENOUGH:
        return rate(one["mean_mpps"])
    low, high = (figures.quantile([figures.mpps(run, line) for line in lines[1:]], q) for q in (0.05, 0.95))
    away = max(high / level - 1, 1 - low / level)
    if away > CHANGE:
        return "%s, varying from %s to %s" % (rate(one["mean_mpps"]), rate(low), rate(high))
    return "%s, steady within %d %%" % (rate(one["mean_mpps"]), max(1, math.ceil(100 * away - 1e-9)))


def loss(one):
    """Return the sentence about what a run lost, and about what it did not send in time. one: its figures."""
    words = []
    if one["lost"] is None:
        words.append("the loss is unknown")
    elif not one["lost"]:
        words.append("no packet was lost")
    else:
        share = one["lost"] / max(one["offered"], 1)
        name, why = max(((name, why) for name, _, why in figures.DROPS if name in figures.IN_LOSS), key=lambda row: one["drops"][row[0]])
        words.append("%s of the packets were lost (%d of %d)%s" % (
            "%.4f %%" % (100 * share) if share >= 1e-6 else "less than 0.0001 %", one["lost"], one["offered"],
            ", mostly because " + why if 2 * one["drops"][name] > one["lost"] else ""))
    if one["unsent"]:
        words.append("%d packets were due and not sent in time" % one["unsent"])
    return words


def ratio_words(ranked):
    """Return a ratio, its interval and the interval's confidence in brackets."""
    return "ratio %.3f [%.3f, %.3f], %.1f %% confidence" % (ranked["median"], ranked["low"], ranked["high"], 100 * ranked["cover"])


def speed(ratio):
    """Return how much faster a ratio is."""
    return "%s %s" % (percent(abs(ratio - 1)), "faster" if ratio >= 1 else "slower")


def against(name, first, ratio):
    """Return the sentence about two alternatives. ratio: of the second to the first, as of compared.ranked()."""
    if ratio["cover"] < compared.LEVEL:
        return "%s was %s than %s (ratio %.3f), but too few runs for a %.0f %% interval: no difference is shown" % (
            name, speed(ratio["median"]), first, ratio["median"], 100 * compared.LEVEL)
    if ratio["low"] <= 1 <= ratio["high"]:
        return "no difference between %s and %s is shown (%s)" % (name, first, ratio_words(ratio))
    return "%s was %s than %s (%s)" % (name, speed(ratio["median"]), first, ratio_words(ratio))


def best(names, ratios):
    """Return the sentence about alternatives. ratios: of all to the first; None: unknown."""
    others = [(ratio, name) for ratio, name in zip(ratios[1:], names[1:]) if ratio]
    if not others:
        return "no ratio to %s is known" % names[0]
    ratio, name = max(others, key=lambda one: one[0]["median"])
    if len(names) == 2:
        return against(name, names[0], ratio)
    if ratio["cover"] < compared.LEVEL:
        return "%s had the highest throughput of %d" % ((name, len(names)) if ratio["median"] > 1 else (names[0], len(names))) + (
            ", but too few runs for a %.0f %% interval: no difference is shown" % (100 * compared.LEVEL))
    if ratio["low"] > 1:
        return "%s was the fastest of %d: %s than the first, %s (%s)" % (name, len(names), speed(ratio["median"]), names[0], ratio_words(ratio))
    if ratio["high"] < 1:
        return "the first, %s, was the fastest of %d: the next, %s, was %s (%s)" % (
            names[0], len(names), name, speed(ratio["median"]), ratio_words(ratio))
    return "none of %d is shown to be faster than the first, %s; the highest of the others was %s (%s)" % (
        len(names), names[0], name, ratio_words(ratio))


def of_comparison(one):
    """Return the sentences about a comparison of compared.comparisons()."""
    rows = [row for row in one["rows"] if row["mpps"]]
    if len(rows) < 2:
        return []
    words = [best([compared.said(row["values"]) for row in rows], [row["ratio"] for row in rows])]
    losing = max(rows, key=lambda row: row["loss"] or 0)
    words.append("the largest loss was %.4f %% (%s)" % (100 * losing["loss"], compared.said(losing["values"])) if losing["loss"] else "no packet was lost")
    lost, left = (sum(row[name] for row in one["rows"]) for name in ("lost_cpu", "left_out"))
    if lost:
        words.append("in %d of %d runs an lcore lost its CPU; %s" % (
            lost, sum(row["runs"] + row["left_out"] for row in one["rows"]), "%d of these %s left out" % (left, "is" if left == 1 else "are")
            if left else "too few others remain, so all count"))
    return words


def group_ratio(first, one):
    """Return the ratio of the medians of two groups of independent runs as compared.ranked() does. Its interval is that of all ratios of two runs: if the
    groups differ by a factor only, the probability that it does not hold the factor is that all runs of one group are the lowest by chance."""
    a, b = first["mpps"], one["mpps"]
    if not a["median"] or b["median"] is None:
        return None
    outside = 2 / math.comb(a["n"] + b["n"], a["n"])
    return {"median": b["median"] / a["median"], "low": b["least"] / a["most"], "high": b["most"] / a["least"] if a["least"] else math.inf,
            "cover": max(0.0, 1 - outside), "n": min(a["n"], b["n"])}


def group_names(groups):
    """Return names of groups: their engines and settings where these differ, or their files."""
    engines = len({one["engine"] for one in groups}) > 1
    names = [", ".join(["engine " + one["engine"]] * engines + [compared.said(one["settings"])] * bool(one["settings"])) for one in groups]
    if all(len(one["files"]) == 1 for one in groups) and len({one["files"][0] for one in groups}) == len(groups) and (
            not all(names) or any(len(one["settings"]) > SETTINGS_SHOWN for one in groups)):
        return [one["files"][0] for one in groups]
    return [name or "the runs of " + ", ".join(one["files"]) for name, one in zip(names, groups)]


def of_runs(pairs, found):
    """Return the sentences about runs that are in no comparison. pairs: [(recording, run)]; found: their figures."""
    if len(pairs) == 1:
        (recording, run), (one,) = pairs[0], found
        return [throughput(recording, run, one), *loss(one)]
    groups = [one for one in figures.compare(found) if one["mpps"]["n"]]
    if len(groups) == 1:
        spread = groups[0]["mpps"]
        return ["%d runs with the same settings: %s, from %s to %s" % (spread["n"], rate(spread["median"]), rate(spread["least"]), rate(spread["most"]))]
    losing = max(found, key=lambda one: one["loss"] or 0)
    return [best(group_names(groups), [group_ratio(groups[0], one) for one in groups]),
            "the largest loss was %.4f %% (%s, run %d)" % (100 * losing["loss"], losing["file"], losing["run"]) if losing["loss"] else "no packet was lost"]


def of_page(pairs, found, comparisons):
    """Return the first sentences of a page. pairs: [(recording, run)] of all runs, found: their figures; comparisons: of compared.comparisons()."""
    parts = [("Comparison %d of %s: " % (one["comparison"], one["file"]), of_comparison(one)) for one in comparisons]
    alone = [(pair, one) for pair, one in zip(pairs, found) if one["compare"] is None]
    if alone:
        names = list(dict.fromkeys(one["file"] for _, one in alone))
        parts.append((", ".join(names) + ": ", of_runs(*map(list, zip(*alone)))))
    parts = [(name, words) for name, words in parts if any(words)]
    return " ".join("%s." % sentence for name, words in parts
                    for sentence in ([name + words[0], *map(capital, words[1:])] if len(parts) > 1 else map(capital, words)))
