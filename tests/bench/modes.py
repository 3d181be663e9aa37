# SPDX-License-Identifier: BSD-3-Clause
# Cases that compare modes of one engine, taking turns in one process: their samples, ratios and tables.
"""A case knows how to measure itself: {mode: [cost of each sample]}, samples side by side. Ratios are medians of the ratios of those."""
import json
import os
import pathlib
import re
import subprocess
import threading

import summary
from plugin import loadable

# A sample is the best of so many slices: on a machine that others use, the rest of them measure the others.
SLICES = 5
TIMEOUT_S = 580


class Case:
    """name: as --cases wants it; head: the first cells of its line; measure(setup, lockstep): the samples, by mode, the first being what others are compared with."""

    unit = "cost"

    def __init__(self, name, head, modes, measure):
        self.name, self.head, self.modes, self.measure = name, head, modes, measure
        self.answers, self.failures, self.note = {}, [], ""
        self.beside = {}  # {word: {mode: [figure of each sample]}}: kept as case/word, in no table

    @property
    def columns(self):
        """What the cells after the head are."""
        return self.modes

    def whole(self):
        """The answers without the samples in which some mode moved no packet (cost 0), in all modes alike: they are side by side."""
        kept = [sample for sample in zip(*self.answers.values()) if all(sample)]
        return dict(zip(self.answers, map(list, zip(*kept))))

    def empty(self):
        """How many samples whole() leaves out."""
        return len(next(iter(self.answers.values()), ())) - len(next(iter(self.whole().values()), ()))

    def figures(self):
        """One dict per mode: its cost; and the first mode's over this one's, with an interval."""
        whole = self.whole()
        for mode, costs in whole.items():
            ratios = [a / b for a, b in zip(whole[self.modes[0]], costs)]
            interval = summary.median_interval(ratios)
            yield {"mode": mode, "median": summary.median(costs), "ratio": summary.median(ratios), "interval": interval[:2],
                   "coverage": interval.coverage, "samples": len(costs)}

    def lines(self):
        """The lines of the table, as lists of cells."""
        if self.failures:
            return [[*self.head, "failed: " + self.failures[-1], *[""] * (len(self.modes) - 1)]]
        cells = ["%.1f" % one["median"] + (", %.3f (%.3f-%.3f)" % (one["ratio"], *one["interval"]) if place else "")
                 for place, one in enumerate(self.figures())]
        if not cells:
            return [[*self.head, "no sample had packets in all modes", *[""] * (len(self.modes) - 1)]]
        notes = ([self.note] if self.note else []) + (["%d samples left out: no packets" % self.empty()] if self.empty() else [])
        return [[*self.head, *cells, *(["; ".join(notes)] if notes else [])]]


def chosen(cases, pattern):
    """{name: case} of those whose name fits the regular expression."""
    return {case.name: case for case in cases if re.search(pattern, case.name)}


def bench(cases, setup, lockstep, progress):
    """All samples of one case, then the next."""
    for case in cases.values():
        try:
            case.answers = case.measure(setup, lockstep)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            case.failures.append(str(error))
        progress(case.name)


def ask(argv, lines, env=None):
    """What the program answers, as objects; ValueError with its last words when a line fails."""
    done = subprocess.run(argv, input="\n".join(["set output json", *lines, "quit", ""]), capture_output=True, text=True,
                          env={**os.environ, **(env or {})}, timeout=TIMEOUT_S, check=False)
    return answers_of(done.stdout, done.stderr, done.returncode)


def answers_of(said, cried, status):
    answers = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    bad = [one["error"]["message"] for one in answers if one.get("ok") is False]
    if bad or status:
        raise ValueError("%s; status %d" % ((bad or (said + cried).splitlines() or ["(silence)"])[-1], status))
    return answers


def ask_with(argv, lines, other, env=None):
    """The same while another process of the program, which shares memory with it, lends it a worker. env: of the first one."""
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **(env or {})}) as primary:
        primary.stdin.write("set output json\n" + "\n".join(lines[:1]) + "\n")
        primary.stdin.flush()
        silent = threading.Timer(TIMEOUT_S, primary.kill)
        silent.start()
        try:
            while not (line := primary.stdout.readline()).startswith("{"):
                if not line:
                    raise ValueError(f"the primary process ended, or gave no answer in {TIMEOUT_S} s")
        finally:
            silent.cancel()
        with subprocess.Popen([*other, "--", "-i"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True) as worker:
            worker.stdin.write("start\n")
            worker.stdin.flush()
            said, _ = primary.communicate("\n".join([*lines[1:], "quit", ""]), timeout=TIMEOUT_S)
            worker.communicate("quit\n", timeout=TIMEOUT_S)
    return answers_of(said, "", primary.returncode)


def command_line(path, lcores, setup, eal, app):
    memory = ("--in-memory",) if setup.hugepages else ("--no-huge", "--no-shconf", "-m", "512")
    return [path, "--lcores", lcores, *memory, "--no-pci", "--no-telemetry", "--log-level=error", "--file-prefix=%s-x" % setup.run_id,
            *eal, "--", "-i", "--no-mlockall", "--no-flush-rx", "--total-num-mbufs=16384", *app]


def samples(setup, usual, least=1):
    """How many samples an answer is of: the least in a trial."""
    return least if setup.trial else usual


def lockstep_samples(argv, lines, variants, environment, runs):
    """One sample per process of lockstep, which alternates by itself; the last line measures. variants: {mode: as lockstep spells it}."""
    found = {mode: [] for mode in variants}
    line = lines[-1] + " " + " ".join(variants.values())
    for _ in range(runs):
        answers = ask(argv, [*lines[:-1], line], {**environment, "MODEL_NIC_MODE": "step"})
        for one, mode in zip(next(a for a in answers if a.get("command") == line)["variants"], variants):
            found[mode].append(one["median"])
    return found


def plugin_of(lockstep, plugin="pmd_shims/drivers/model_nic/model_nic.so"):
    """A plugin of the build that has BUILD/tests/bench/lockstep, or of the folder of `make bundle` that has FOLDER/lockstep."""
    folder = pathlib.Path(lockstep).resolve().parent
    path = folder.parent.parent / plugin
    return loadable(path if path.exists() else next(folder.glob("lib/**/" + path.name), path))


def slice_order(modes, samples):
    """The modes of all slices: A B C C B A."""
    return [mode for turn in range(samples * SLICES) for mode in (modes[::-1] if turn % 2 else modes)]


def best_of_slices(modes, order, costs):
    """{mode: [best cost of each sample]} of costs in slice_order(); 0: no slice of it had packets."""
    found, per_sample = {mode: [] for mode in modes}, SLICES * len(modes)
    for at in range(0, len(order), per_sample):
        for mode in modes:
            mine = [cost for name, cost in zip(order[at:at + per_sample], costs[at:at + per_sample]) if name == mode]
            found[mode].append(min(filter(None, mine), default=0))
    return found


def tables(cases, markdown):
    """A table for each set of columns; empty without cases."""
    parts = []
    for kind in dict.fromkeys((len(case.head), case.columns) for case in cases.values()):
        mine = [case for case in cases.values() if (len(case.head), case.columns) == kind]
        lines = [["case", *[""] * (kind[0] - 1), *kind[1]], *(line for case in mine for line in case.lines())]
        if markdown:
            lines.insert(1, ["---"] * len(lines[0]))
            parts.append("\n".join("| " + " | ".join(cells) + " |" for cells in lines))
        else:
            widths = [max(len(cells[i]) for cells in lines if i < len(cells)) for i in range(len(lines[0]))]
            parts.append("\n".join("  ".join(cell.ljust(width) for cell, width in zip(cells, [*widths, 0])).rstrip() for cells in lines))
    return "\n\n".join(parts)


def legend(cases):
    """How to read the tables."""
    coverage = [one["coverage"] for case in cases.values() for one in case.figures()]
    return ("TSC cycles per packet of receive, engine and transmit, medians (pipeline/two, processes, sync: nanoseconds per packet; two-nic, processes-nic: of the I/O lcore; bursts/.../full: percent of bursts); then the first mode's over this one's (above 1:\n"
            "cheaper than the first), and (an interval that holds the true ratio with at least %.1f %% probability).\n"
            "bursts/wire: medians of slices, and (such an interval of the median). Latency: from the time when a packet was due on the wire to its end on the other wire.\n"
            "accuracy: medians of runs, and (such an interval of the median); accuracy.py explains the columns." % (100 * min(coverage)) if coverage else "")


def as_json(cases):
    """Everything, ready for json.dump."""
    return [{"case": case.name, "failures": case.failures, "note": case.note, "results": list(case.figures()), "samples": case.answers}
            for case in cases.values()]
