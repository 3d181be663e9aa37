# Driver cycles per packet on modelled NICs, per device, vector width, fast free, ring and cache state: engines in turn, in one process.
"""
What is timed is the driver and the engine on one core; what the modelled card does between two batches is not. So the figures are cycles that
software spends, never what a card forwards. Variants alternate every few batches in one process, and each row comes from several processes, since
the layout of code and memory is a matter of luck.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections import namedtuple

import machine
import summary

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Groups of variants that take turns; the first of each is what the others are compared with. Columns of the table: the heads.
IO = {"io": "io", "recycle": "recycle_mbufs", "zc_cache": "recycle_mbufs,recycle-mode=zc_cache"}
MAC = {"mac": "mac", "recycle+mac": "recycle_mbufs,recycle-rewrite=mac",
       "zc_cache+mac": "recycle_mbufs,recycle-mode=zc_cache,recycle-rewrite=mac"}
GROUPS = (IO, MAC)
FAST_FREE = 0x10000
ROUNDS, SETTLE = 8, 60

# What one process measures: it prints one JSON object per line of `caches` (KiB evicted before each batch).
Bed = namedtuple("Bed", "device bits fast_free ring")
Device = namedtuple("Device", "name widths fast_free")
DEVICES = (Device("xl710", (64, 128, 256, 512), (True, False)), Device("82599", (64, 128), (False,)))
CACHES = (0, 512, 1024, 2048)


def beds(quick):
    """Every combination that is measured; other rings than 1024 at the device's default width only."""
    for device in DEVICES:
        for fast_free in device.fast_free:
            for bits in device.widths:
                yield Bed(device.name, bits, fast_free, 1024)
            for ring in () if quick else (256, 2048):
                yield Bed(device.name, min(256, device.widths[-1]), fast_free, ring)


def bed_name(bed, kib):
    """What --cases matches: "xl710/256/ff/1024/hot"."""
    return "%s/%d/%s/%d/%s" % (bed.device, bed.bits, "ff" if bed.fast_free else "noff", bed.ring, "%dK" % kib if kib else "hot")


def options(argv):
    """The command line."""
    parser = argparse.ArgumentParser(description="Measure driver cycles per packet on modelled NICs.")
    parser.add_argument("--quick", action="store_true", help="hot caches, one ring size, fewer processes")
    parser.add_argument("--cases", default="", metavar="REGEX", help="only the rows whose name matches")
    parser.add_argument("--runs", type=int, help="processes per row (7; 3 if quick)")
    parser.add_argument("--samples", type=int, default=100, help="how often each variant comes up in a process")
    parser.add_argument("--core", type=int, default=1, help="where the measured lcore runs")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="where lockstep and the plugin are")
    parser.add_argument("--out", metavar="FILE", help="write all results as JSON")
    parser.add_argument("--markdown", action="store_true", help="print the table for doc/benchmarks.md")
    parser.add_argument("--list", action="store_true", help="print the names of the rows and end")
    args = parser.parse_args(argv)
    args.runs = args.runs or (3 if args.quick else 7)
    return args


def measure(bed, caches, args, hugepages):
    """One process; returns {KiB: {variant: result}}."""
    script = "set output json\n" + "".join(
        "lockstep evict %d rounds %d samples %d %s\n" % (kib, ROUNDS, args.samples, " ".join(group.values()))
        for kib in caches for group in GROUPS) + "quit\n"
    other = 1 - args.core if args.core < 2 else 0
    memory = ["--in-memory", "-m", "256"] if hugepages else ["--no-huge", "--no-shconf", "-m", "256"]
    argv = [os.path.join(args.build, "tests/bench/lockstep"), "-l", "%d,%d" % (other, args.core), "--main-lcore=%d" % args.core, *memory,
            "--no-pci", "--no-telemetry", "--iova-mode=va", "--log-level=error", "--file-prefix=drivers%d" % os.getpid(),
            "-d", os.path.join(args.build, "tests/model_nic/model_nic.so"), "--force-max-simd-bitwidth=%d" % bed.bits, "--", "-i", "--no-mlockall",
            "--no-flush-rx", "--rxd=%d" % bed.ring, "--txd=%d" % bed.ring, "--tx-offloads=%#x" % (FAST_FREE if bed.fast_free else 0)]
    environ = {**os.environ, "MODEL_NIC": bed.device + ",flows=64*2", "MODEL_NIC_MODE": "step"}
    done = subprocess.run(argv, input=script, capture_output=True, text=True, env=environ, check=False, timeout=600)
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{") and '"command": "lockstep' in line]
    if len(answers) != len(caches) * len(GROUPS) or not all(answer["ok"] for answer in answers):
        raise OSError("%s: %s" % (bed, (done.stdout + done.stderr)[-500:]))
    found = {kib: {} for kib in caches}
    for answer, kib in zip(answers, (kib for kib in caches for _ in GROUPS)):
        found[kib].update({one["variant"]: one for one in answer["variants"]})
    return found


def wait_for_quiet():
    """Others' work on this machine is noise: wait for a while that it ends. Returns the load average."""
    for _ in range(SETTLE):
        load = float(machine.first_line("/proc/loadavg").split()[0])
        if load < 0.7:
            break
        time.sleep(1)
    return load


def cell(results, variant, first):
    """first of its group: median cycles [p5-p90] of the middle process; others: median ratio to it (range over processes)."""
    mine = [one[variant] for one in results]
    if any(one["dropped"] or one["starved"] > one["batches"] / 10 for one in mine):
        return "invalid: starved or dropped"
    cycles = summary.median([one["median"] for one in mine])
    if variant == first:
        return "%.2f [%.2f-%.2f]" % (cycles, summary.median([one["p5"] for one in mine]), summary.median([one["p90"] for one in mine]))
    ratios = [one["ratio"] for one in mine]
    return "%.2f, %.3f (%.3f-%.3f)" % (cycles, summary.median(ratios), min(ratios), max(ratios))


def table(rows, markdown):
    """rows: [(name, results of each process)]."""
    lines = [["case", *[head for group in GROUPS for head in group]]]
    for name, results in rows:
        if results:
            lines.append([name, *[cell(results, one, next(iter(group.values()))) for group in GROUPS for one in group.values()]])
    if markdown:
        lines.insert(1, ["---"] * len(lines[0]))
        return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
    widths = [max(len(cells[i]) for cells in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(cells, widths)).rstrip() for cells in lines)


def main(argv):
    """Measure and print; 0 if every row was measured."""
    args = options(argv)
    wanted = [(bed, [kib for kib in (CACHES[:1] if args.quick or bed.ring != 1024 else CACHES) if re.search(args.cases, bed_name(bed, kib))])
              for bed in beds(args.quick)]
    wanted = [(bed, caches) for bed, caches in wanted if caches]
    if args.list:
        print("\n".join(bed_name(bed, kib) for bed, caches in wanted for kib in caches))
        return 0
    rows = {bed_name(bed, kib): [] for bed, caches in wanted for kib in caches}
    failures = []
    with machine.Hugepages() as pages:
        for run in range(args.runs):
            for bed, caches in wanted:
                load = wait_for_quiet()
                try:
                    for kib, found in measure(bed, caches, args, pages.reserved).items():
                        rows[bed_name(bed, kib)].append(found)
                except (OSError, subprocess.SubprocessError) as error:
                    failures.append(str(error))
                print("%d/%d %s load %.2f" % (run + 1, args.runs, bed, load), file=sys.stderr, flush=True)
        facts = machine.description() + [("memory", "hugepages" if pages.reserved else "NO HUGEPAGES: figures are higher than with them")]
    print("\n".join("%-13s %s" % (label + ":", text) for label, text in facts))
    print("\n" + table(rows.items(), args.markdown))
    print("\nio, mac: TSC cycles per packet for receive and transmit, median of processes' medians [p5-p90 of batches]; others: the same,\n"
          "and the median ratio to io or mac of batches next to each other (least-greatest of %d processes)." % args.runs)
    if failures:
        print("\n".join(["not measured:"] + failures), file=sys.stderr)
    if args.out:
        with open(args.out, "w", encoding="utf-8") as file:
            json.dump({"machine": dict(facts), "rows": rows}, file, indent=1)
    return 1 if failures or not all(rows.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
