# What external buffers save: the modes of the engine extbuf by turns in one process, frames of 64 to 9000 bytes; its cases, its runs, their table.
"""
null: net_null ports, a slice of SLICE_MS per mode, in the order A B C C B A, the best of five being a sample; cycles per packet are those of
turns that had packets. xl710, 82599: the program `lockstep` on modelled NICs, whose own work is not timed, one sample per process; the ports receive into
pinned memory in all modes there. storage: net_null as above, slices of one memory sent again and again. Ratios are medians of the ratios of samples side by
side. Fast free is off everywhere, as attached buffers need.
"""
import json
import os
import re
import subprocess

import summary

FORWARD = ("copy", "attach", "auto", "pinned")
# Settings of each way to send from storage; the first is what the others are compared with.
STORAGE = {
    "copy": ("extbuf-storage copy", "extbuf-shinfo private"),
    "private": ("extbuf-storage attach", "extbuf-shinfo private"),
    "shared": ("extbuf-storage attach", "extbuf-shinfo shared"),
}
BEDS = {"null": FORWARD, "xl710": FORWARD, "82599": FORWARD, "storage": tuple(STORAGE)}
SIZES, QUICK_SIZES = (64, 128, 256, 512, 1024, 1500, 2048, 4096, 9000), (64, 512, 1500)
SLICE_MS = 5
# A sample is the best of so many slices: on a machine that others use, the rest of them measure the others.
SLICES = 5
TIMEOUT_S = 580


class Case:
    """A bed and a size: cycles per packet of each mode, sample by sample."""

    def __init__(self, bed, size):
        self.bed, self.size, self.modes = bed, size, BEDS[bed]
        self.name = "extbuf/%s/%d" % (bed, size)
        self.answers = {}  # {mode: [cycles per packet]}
        self.failures = []

    def figures(self):
        """One dict per mode: cycles per packet; and the first mode's over this one's, with an interval."""
        for mode, cycles in self.answers.items():
            ratios = [a / b for a, b in zip(self.answers[self.modes[0]], cycles)]
            interval = summary.median_interval(ratios)
            yield {"mode": mode, "median": summary.median(cycles), "ratio": summary.median(ratios), "interval": interval[:2],
                   "coverage": interval.coverage, "samples": len(cycles)}


def make_cases(pattern, quick):
    """{name: Case} of those whose name fits the regular expression."""
    cases = [Case(bed, size) for bed in BEDS for size in (QUICK_SIZES if quick else SIZES)]
    return {case.name: case for case in cases if re.search(pattern, case.name)}


def bench(cases, setup, lockstep, progress):
    """All samples of one case, then the next: its modes take turns."""
    for case in cases.values():
        try:
            if case.bed in ("null", "storage"):
                case.answers = null(case, setup)
            else:
                case.answers = modelled(case, setup, lockstep)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            case.failures.append(str(error))
        progress(case.name)


def ask(argv, lines, env=None):
    """What the program answers, as objects; ValueError with its last words when a line fails."""
    done = subprocess.run(argv, input="\n".join(["set output json", *lines, "quit", ""]), capture_output=True, text=True,
                          env={**os.environ, **(env or {})}, timeout=TIMEOUT_S, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    bad = [one["error"]["message"] for one in answers if one.get("ok") is False]
    if bad or done.returncode:
        raise ValueError((bad or (done.stdout + done.stderr).splitlines())[-1])
    return answers


def argv_of(path, lcores, setup, eal, size, app):
    """Buffers that take the frame in one piece, so that copying means the same at each size."""
    memory = ("--in-memory",) if setup.hugepages else ("--no-huge", "--no-shconf", "-m", "512")
    return [path, "--lcores", lcores, *memory, "--no-pci", "--no-telemetry", "--log-level=error", "--file-prefix=%s-x" % setup.run_id,
            *eal, "--", "-i", "--no-mlockall", "--no-flush-rx", "--tx-offloads=0x0", "--total-num-mbufs=16384",
            "--mbuf-size=%d" % max(2176, size + 192), *app]


def slice_lines(case, mode):
    """The commands of one slice, the last of which answers."""
    if case.bed == "storage":
        chosen = ["set extbuf mode storage", *("set " + word for word in STORAGE[mode])]
    else:
        chosen = ["set extbuf mode " + mode, "set extbuf-shinfo private"]
    return [*chosen, "start for %dms" % SLICE_MS, "show fwd stats all"]


def null(case, setup):
    """{mode: [cycles per packet of each sample]}, all in one process."""
    lines, order = ["set fwd extbuf", "set record-core-cycles on"], []
    for turn in range(setup.runs * SLICES):
        for mode in case.modes[::-1] if turn % 2 else case.modes:
            lines += slice_lines(case, mode)
            order += [mode]
    size = case.size
    app = ["--extbuf-slice=%d" % size, "--max-pkt-len=%d" % max(1518, size + 18)] if case.bed == "storage" else []
    app.append("--extbuf-buffer=%d" % (-(-max(size, 1500) // 64) * 64 + 256))
    eal = ["--iova-mode=va", "--vdev=net_null0,size=%d" % size, "--vdev=net_null1,size=%d" % size]
    answers = [one for one in ask(argv_of(setup.binary["a"], "%d,%d" % setup.cores, setup, eal, size, app), lines)
               if one.get("command") == "show fwd stats all"]
    slices = [(mode, sum(one["busy_cycles"] for one in answer["streams"]) / max(1, sum(one["tx"] for one in answer["streams"])))
              for mode, answer in zip(order, answers)]
    found = {mode: [] for mode in case.modes}
    for at in range(0, len(slices), SLICES * len(case.modes)):
        for mode in case.modes:
            found[mode].append(min(cycles for name, cycles in slices[at:at + SLICES * len(case.modes)] if name == mode))
    return found


def modelled(case, setup, lockstep):
    """As above: one sample per process of lockstep, which alternates by itself."""
    found = {mode: [] for mode in case.modes}
    line = "lockstep evict 0 rounds 8 samples 10 " + " ".join("extbuf,extbuf-mode=" + mode for mode in case.modes)
    size = case.size
    plugin = os.path.normpath(os.path.join(os.path.dirname(lockstep), "..", "model_nic", "model_nic.so"))
    argv = argv_of(lockstep, "(0,1)@%d" % setup.cores[1], setup, ["-d", plugin, "--iova-mode=va"], size,
                   ["--max-pkt-len=%d" % max(1518, size + 18), "--rxd=1024", "--txd=1024",
                    "--extbuf-buffer=%d" % max(2176, -(-(size + 256) // 64) * 64), "--extbuf-mode=pinned", "--forward-mode=extbuf"])
    for _ in range(setup.runs):
        answer = ask(argv, [line], {"MODEL_NIC": "%s,size=%d*2" % (case.bed, size - 4 if size == 64 else size), "MODEL_NIC_MODE": "step"})
        for one, mode in zip(next(a for a in answer if a.get("command") == line)["variants"], case.modes):
            found[mode].append(one["median"])
    return found


def table(cases, markdown):
    """A table for each set of modes; empty without cases."""
    parts = []
    for modes in dict.fromkeys(case.modes for case in cases.values()):
        lines = [["bed", "bytes", *modes], *(_line(case) for case in cases.values() if case.modes == modes)]
        if markdown:
            lines.insert(1, ["---"] * len(lines[0]))
            parts.append("\n".join("| " + " | ".join(cells) + " |" for cells in lines))
        else:
            widths = [max(len(cells[i]) for cells in lines if i < len(cells)) for i in range(len(lines[0]))]
            parts.append("\n".join("  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip() for cells in lines))
    return "\n\n".join(parts)


def _line(case):
    if case.failures:
        return [case.bed, str(case.size), "failed: " + case.failures[-1], *[""] * (len(case.modes) - 1)]
    cells = ["%.0f" % one["median"] + (", %.2f (%.2f-%.2f)" % (one["ratio"], *one["interval"]) if place else "")
             for place, one in enumerate(case.figures())]
    return [case.bed, str(case.size), *cells]


def legend(cases):
    """How to read the tables."""
    coverage = [one["coverage"] for case in cases.values() for one in case.figures()]
    return ("TSC cycles per packet of receive, engine and transmit, medians; then the first mode's cycles over this one's (above 1: cheaper than the first), and (an\n"
            "interval that holds the true ratio with at least %.1f %% probability)." % (100 * min(coverage)) if coverage else "")


def as_json(cases):
    """Everything, ready for json.dump."""
    return [{"case": case.name, "failures": case.failures, "results": list(case.figures()), "samples": case.answers} for case in cases.values()]
