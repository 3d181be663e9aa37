# SPDX-License-Identifier: BSD-3-Clause
# Driver cycles per packet on modelled NICs, measured by the program `lockstep`: its cases, its runs, their table.
"""
One process per configuration and round runs zcfwd's own engines on the real drivers: turns are timed, the model's
steps between them are not (tests/bench/lockstep.h). The variants of a group, engines or settings of one, take turns in
one process; ratios are theirs. Configurations are interleaved, so that a spell of the machine meets all of them.
"""
import json
import os
import re
import subprocess
import tempfile
from collections import namedtuple

import captures
import summary
from forwarder import before_exec
from modes import plugin_of, samples
from plugin import dpdk_release
from rig import command_line

# name: as MODEL_NIC spells it, of both ports where they differ; widths: what --force-max-simd-bitwidth makes a difference for; fast_free: the driver has it.
Device = namedtuple("Device", "name widths fast_free")
DEVICES = (
    Device("xl710", (64, 128, 256, 512), True),
    Device("82599", (64, 128), False),
    Device("xl710+82599", (128, 256, 512), True),
    Device("mlx5", (256,), True),
    Device("virtio-split", (128,), False),
    Device("virtio-packed", (512,), False),
)
# What net_i40e calls its functions of a width; net_ixgbe has none wider than SSE, there a width is recycling's own.
I40E_WORDS = {64: "Scalar", 128: "Vector SSE", 256: "Vector AVX2", 512: "Vector AVX512"}
# Its narrowest vectors: it has no SSE functions since 26.03.
I40E_BITS = 128 if dpdk_release() < "26.03" else 256
PATH = "show rxq info 0 0"
# net_virtio's functions over modelled devices (tests/model_nic/vhost): arguments of its ports, and of the program by size of the ring.
VIRTIO = {
    "virtio-split": ("mrg_rxbuf=0,in_order=0,vectorized=1", lambda ring: ()),
    # Vectors free what was sent before much can be moved, but for such thresholds: elsewhere recycling declines.
    "virtio-packed": ("mrg_rxbuf=0,packed_vq=1,vectorized=1", lambda ring: ("--rxfreet=64", "--txfreet=%d" % (ring * 3 // 4))),
}
# What takes turns, by the name of the group: "ENGINE[,SETTING=VALUE]..."; ratios are to the first.
GROUPS = {
    "io": ("io", "recycle_mbufs", "recycle_mbufs,recycle-mode=cache"),
    "bucket": ("io", "recycle_mbufs", "recycle_mbufs,recycle-mode=contig"),
    "mac": ("mac", "recycle_mbufs,recycle-rewrite=mac", "recycle_mbufs,recycle-mode=cache,recycle-rewrite=mac"),
    "l3fwd": ("l3fwd", "l3fwd,recycle=on", "l3fwd,recycle=on,recycle-mode=cache"),
    "l3fwd-spread": ("l3fwd", "l3fwd,recycle=on"),
    "working-set": ("io", "recycle_mbufs", "recycle_mbufs,recycle-window=512", "direct,direct-slots=off", "direct,direct-slots=on"),
}
# Groups with rings of their own, for those devices and widths that all their variants support.
WORKING_SET_RINGS = (256, 512, 1024, 2048, 4096)
WORKING_SET_WIDTHS = (("xl710", 256), ("xl710", 512), ("82599", 128), ("xl710+82599", 256), ("virtio-split", 128), ("virtio-packed", 512))
# The same variants with packets of other sizes in bytes, for fewer configurations.
SIZED = {"working-set-%d" % size: size for size in (256, 1500)}
SIZED_RINGS = (256, 1024, 2048, 4096)
GROUPS.update(dict.fromkeys(SIZED, GROUPS["working-set"]))


def has(device, width, ring, free, group, quick):
    """Whether the group has cases of such a configuration."""
    if group in SIZED:
        return not quick and ring in SIZED_RINGS and (device.name, width) in WORKING_SET_WIDTHS[:3] and (free == "fast-free") == device.fast_free
    if group == "working-set":
        return ring in WORKING_SET_RINGS and (device.name, width) in WORKING_SET_WIDTHS
    return ring in (QUICK_RINGS if group in PORTS else RINGS)


# What was published of the same, by device and variant: throughput of DPDK's l3fwd on cards.
PUBLISHED = (
    (r"^xl710\+82599 (?!.*(cache|contig))(recycle_mbufs|l3fwd,recycle)", "+7.5 and +13.5 %"),
    (r"^xl710 (?!.*(cache|contig))(recycle_mbufs|l3fwd,recycle)", "+3.7 to +12.6 %"),
    (r"^\S* .*,recycle-mode=cache", "+3.5 %"),
)

# Groups with processes of their own, measured with the quick states of the caches, and but for SIZED with the quick rings. app: options, as for a pool of another kind; words: of port %d, as MODEL_NIC
# has them; lines: commands before.
Ports = namedtuple("Ports", "app words lines", defaults=((), "", ()))
ROUTED = ",rx=pcap:FOLDER/in%d.pcap:0"
PORTS = {"bucket": Ports(("--mbuf-pool-ops=bucket", "--mbcache=0")),
         "l3fwd": Ports(words=ROUTED, lines=("route load FOLDER/crossing",)),
         # Each transmit queue sends half of what either port received.
         "l3fwd-spread": Ports(words=ROUTED, lines=("route load FOLDER/spread", "set recycle pair traffic")),
         **{group: Ports(words=",size=%d" % size) for group, size in SIZED.items()}}

RINGS = (256, 1024, 2048)
QUICK_RINGS = (1024,)
# KiB of other memory written between batches.
EVICT = {"hot": 0, "512K": 512, "1M": 1024, "2M": 2048}
QUICK_EVICT = ("hot", "1M")
FAST_FREE = {"fast-free": "0x10000", "no-fast-free": "0x0"}
SAMPLES, QUICK_SAMPLES = 40, 20
# A run whose core was never as fast as so much above that of the best runs shared it all the time.
CORE_LIMIT = 1.1
# What failed in so many processes, and never worked, is not tried again.
FAILURES = 2
TIMEOUT_S = 120

# One process: what cannot change while it lives; ports: a word of PORTS.
Config = namedtuple("Config", "device width ring free ports", defaults=("",))


class Case:
    """One configuration, group of variants and state of the caches: what lockstep answered, run by run."""

    def __init__(self, config, group, variants, cache):
        self.config, self.variants, self.cache = config, variants, cache
        self.row = "%s/%dbit/ring%d/%s/%s" % (*config[:4], group)
        self.name = "%s/%s" % (self.row, cache)
        self.answers = []
        self.failures = []

    def kept(self, core):
        """The answers of runs that had a core to themselves; core: the best reading of all runs."""
        good = [one for one in self.answers if not one["crowded"] and one["core"] <= core * CORE_LIMIT]
        return good or self.answers

    def figures(self, core):
        """One dict per variant; nothing when nothing was measured."""
        kept = self.kept(core)
        for place, variant in enumerate(self.variants if kept else ()):
            found = [one["variants"][place] for one in kept]
            medians = [one["median"] for one in found]
            # A run none of whose samples had batches of both variants has no ratio.
            paired = [one["ratio"] for one in found if one["pairs"] > 0]
            ratios = summary.median_interval(paired) if paired else None
            yield {
                "variant": variant, "median": summary.median(medians), "quartiles": summary.quartiles(medians),
                "p5": summary.median([one["p5"] for one in found]), "p90": summary.median([one["p90"] for one in found]),
                "ratio": summary.median(paired) if paired else None, "interval": ratios[:2] if paired else None,
                "ratio_all": summary.median([one["ratio_all"] for one in found if one["pairs"] > 0]) if paired else None,
                "coverage": ratios.coverage if paired else 0, "unpaired": len(found) - len(paired), "runs": len(kept), "batches": sum(one["batches"] for one in found),
                "shared": sum(one["shared"] for one in found), "starved": sum(one["starved"] for one in found),
                "tx_full": sum(one["tx_full"] for one in found),
            }


def make_cases(pattern, quick, groups=None):
    """{name: Case}, in the order of the table, of those whose name fits the regular expression."""
    cases = []
    groups = groups or GROUPS
    for device in DEVICES:
        for width in (one for one in device.widths if "xl710" not in device.name or one == 64 or one >= I40E_BITS):
            for ring in QUICK_RINGS if quick else WORKING_SET_RINGS:
                for free in FAST_FREE if device.fast_free else ("no-fast-free",):
                    cases += [Case(Config(device.name, width, ring, free, group if group in PORTS else ""), group, variants, cache)
                              for group, variants in groups.items() if has(device, width, ring, free, group, quick)
                              for cache in (QUICK_EVICT if quick or group in PORTS else EVICT)]
    return {case.name: case for case in cases if re.search(pattern, case.name)}


def rounds_of(ring):
    """Turns per batch, of 32 packets each: few enough for a ring that refills and frees in batches of 32."""
    return max(1, min(8, ring // 64))


def bench(cases, setup, program, quick, progress):
    """All rounds: each runs every configuration once, there and back again."""
    configs = {}
    for case in cases.values():
        configs.setdefault(case.config, []).append(case)
    order = list(configs.items())
    for turn in range(setup.runs if order else 0):
        for config, mine in order:
            if any(case.answers or len(case.failures) < FAILURES for case in mine):
                run(config, mine, setup, program, samples(setup, QUICK_SAMPLES if quick else SAMPLES))
        order.reverse()
        progress("drivers %d/%d" % (turn + 1, setup.runs))


def run(config, cases, setup, program, count):
    """One process, with a command for each of the cases."""
    # net_virtio frees in spells that come every few batches: the median batch has none of that work, the mean has it all.
    mean = "mean " if config.device in VIRTIO else ""
    lines = ["lockstep %sevict %d rounds %d samples %d %s" % (
        mean, EVICT[case.cache], rounds_of(config.ring), count, " ".join(case.variants)) for case in cases]
    try:
        answers = ask(argv_of(config, setup, program), words_of(config), [*ports_of(config).lines, PATH, *lines], path_of(config))
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        answers = [{"ok": False, "error": {"message": str(error)}}] * len(cases)
    for case, answer in zip(cases, answers):
        if answer["ok"]:
            case.answers.append(answer)
        else:
            case.failures.append(answer["error"]["message"])


def ports_of(config):
    return PORTS.get(config.ports, Ports())


def argv_of(config, setup, program):
    """The command line of one process; both lcores on the core that is measured on. FOLDER stands for that of sockets."""
    app = ("--output=json", "--keep-going", "--total-num-mbufs=16384", "--rxd=%d" % config.ring,
           "--txd=%d" % config.ring, *offloads_of(config), *ports_of(config).app)
    if config.device == "mlx5":
        devices = ("-d", plugin_of(program, "tests/model_nic/mock/mock.so"), *("--vdev=net_mock%d,driver=%s" % one for one in enumerate(words_of(config).split(";"))))
    elif config.device in VIRTIO:
        devargs, thresholds = VIRTIO[config.device]
        app += thresholds(config.ring)
        devices = ("-d", plugin_of(program, "tests/model_nic/vhost/vhost_nic.so"), "--single-file-segments", *(
            "--vdev=net_virtio_user%d,path=FOLDER/%d,queue_size=%d,%s" % (i, i, config.ring, devargs) for i in (0, 1)))
    else:
        devices = ("-d", plugin_of(program))
    eal = (*devices, "--iova-mode=va", "--no-telemetry", "--log-level=error", "--log-level=pmd.net.virtio*:critical",
           "--force-max-simd-bitwidth=%d" % config.width)
    return command_line(program, "(0,1)@%d" % setup.cores[1], setup, "n", eal, app)


def offloads_of(config):
    """What both ports are asked for; of two drivers only one has fast free, and has it unless it is taken away."""
    return () if "+" in config.device and config.free == "fast-free" else ("--tx-offloads=" + FAST_FREE[config.free],)


def words_of(config):
    """The two ports, as MODEL_NIC spells them."""
    devices = ("virtio" if config.device in VIRTIO else config.device).split("+") * 2
    return ";".join(device + ports_of(config).words.replace("%d", str(i)) for i, device in enumerate(devices[:2]))


def path_of(config):
    """What the first port's receive function is called; empty: no name has the width."""
    return I40E_WORDS[config.width] if config.device.startswith("xl710") else ""


def ask(argv, words, lines, path=""):
    """What the program answers to each line that measures, as objects; ValueError with its last words if it does not, or if it receives by another path."""
    with tempfile.TemporaryDirectory() as folder:
        captures.files(folder)
        argv, lines = ([word.replace("FOLDER", folder) for word in some] for some in (argv, lines))
        env = {**os.environ, "MODEL_NIC": words.replace("FOLDER", folder), "MODEL_NIC_MODE": "step", "VHOST_NIC": folder}
        done = subprocess.run(argv, input="\n".join([*lines, "quit", ""]), env=env,
                              capture_output=True, text=True, timeout=TIMEOUT_S, check=False, preexec_fn=before_exec)
    objects = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    answers = [one for one in objects if one.get("command", "").startswith("lockstep ")]
    if len(answers) != sum(line.startswith("lockstep ") for line in lines):
        raise ValueError("lockstep: " + " | ".join((done.stdout + done.stderr).split("\n")[-4:]))
    for chosen in (one.get("burst_mode") or "" for one in objects if one.get("command") == PATH):
        if not chosen.startswith(path):
            raise ValueError("net_i40e chose %s on this CPU: expected %s" % (chosen, path))
    return answers


def best_core(cases):
    """The yardstick of the runs that had most of their core, one in twenty (the very best may have had a faster clock); 0: no run."""
    readings = [one["core"] for case in cases.values() for one in case.answers]
    return summary.quantile(readings, 0.05) if readings else 0


def table(cases, markdown):
    """A line per configuration and variant, a column per state of the caches; empty without cases."""
    if not cases:
        return ""
    core = best_core(cases)
    caches = [cache for cache in EVICT if any(case.cache == cache for case in cases.values())]
    lines = [["case", "variant", *caches, "note"]]
    rows = {}
    for case in cases.values():
        rows.setdefault(case.row, {})[case.cache] = case
    for name, mine in rows.items():
        found = {cache: list(case.figures(core)) for cache, case in mine.items()}
        for place, variant in enumerate(next(iter(mine.values())).variants):
            cells = [_cell(found[cache][place], place) if found.get(cache) else "" for cache in caches]
            notes = _published(next(iter(mine.values())).config, variant) if place else [
                note for case in mine.values() for note in _notes(case, found[case.cache], core)]
            lines.append([name, variant, *cells, "; ".join(notes)])
    if markdown:
        lines.insert(1, ["---"] * len(lines[0]))
        return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
    widths = [max(len(cells[i]) for cells in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip() for cells in lines)


def _cell(one, place):
    low, high = one["quartiles"]
    text = "%.1f ±%.1f [%.1f-%.1f]" % (one["median"], (high - low) / 2, one["p5"], one["p90"])
    if not place:
        return text
    return text + (" %.3f (%.3f-%.3f)" % (one["ratio"], *one["interval"]) if one["interval"] else " no ratio")


def _published(config, variant):
    """The published figure beside one of ours, where vectors do not decline it."""
    words = "%s %s" % (config.device, variant)
    return ["published, l3fwd on cards: " + figure for pattern, figure in PUBLISHED if config.width > 64 and re.search(pattern, words)]


def _notes(case, found, core):
    """What has to be known of a case's figures."""
    starved, full = (sum(one[key] for one in found) for key in ("starved", "tx_full"))
    if not found:
        yield "%s: not measured" % case.cache
    elif any(answer["crowded"] or answer["core"] > core * CORE_LIMIT for answer in case.kept(core)):
        yield "%s: core shared in every run" % case.cache
    unpaired = max((one["unpaired"] for one in found), default=0)
    if unpaired:
        yield "%s: %d runs without a ratio: no sample had batches of both" % (case.cache, unpaired)
    if starved + full:
        yield "%s: left out: %d batches starved, %d with a full Tx ring" % (case.cache, starved, full)
    if case.failures:
        yield "%s: %d runs failed: %s" % (case.cache, len(case.failures), case.failures[-1])


def legend(cases):
    """How to read the table."""
    figures = [one for case in cases.values() for one in case.figures(best_core(cases))]
    batches, shared = sum(one["batches"] for one in figures), sum(one["shared"] for one in figures)
    if not batches:
        return ""
    lines = [
        "TSC cycles per packet of receive, engine and transmit; the model's work is not timed. Median over runs (%d to %d" % (
            min(one["runs"] for one in figures), max(one["runs"] for one in figures)),
        "processes) of the median of their batches; ±: half the distance of the quartiles of the former; [p5-p90]: of batches,",
        "median over runs. For virtio means of 20 batches stand in place of batches. hot: caches as the last batch and the model",
        "left them; 512K, 1M, 2M: so much other memory was written before each batch. %d of %d batches were left out, as the core was shared with another guest of the host" % (
            shared, shared + batches),
        "(a yardstick of additions read over %.2f times its best)." % CORE_LIMIT,
    ]
    shifts = [abs(one["ratio_all"] / one["ratio"] - 1) for one in figures if one["ratio"]]
    if shifts:
        lines.append("With those batches included %d of %d ratios change by more than 1 %%, the most by %.1f %%." % (
            sum(shift > 0.01 for shift in shifts), len(shifts), 100 * max(shifts)))
    if any(len(case.variants) > 1 for case in cases.values()):
        lines += ["Last in a cell: ratio to the first variant, the median over runs of the median ratio of samples side by side, and (an",
                  "interval that holds the true one with at least %.1f %% probability)." % (
                      100 * min((one["coverage"] for one in figures if one["interval"]), default=0))]
    return "\n".join(lines)


def as_json(cases):
    """Everything, ready for json.dump."""
    core = best_core(cases)
    return [{"case": case.name, "failures": case.failures, "results": list(case.figures(core)), "runs": case.answers}
            for case in cases.values()]
