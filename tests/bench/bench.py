# SPDX-License-Identifier: BSD-3-Clause
# Compare two forwarders (zcfwd = A, Debian's dpdk-testpmd = B) by short interleaved slices of live process pairs.
"""
On a machine whose speed drifts, whole runs compare spells of the machine, not programs. Here an A and a B process
live at the same time, pinned to the same two cores, idle at their prompts, and forward in turn for a fraction of a
second: each ratio A/B comes from two slices that are milliseconds apart. Every round starts both programs afresh,
as the layout of code and memory is a matter of luck.
"""

import argparse
import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import sys
import tempfile
import time
from types import SimpleNamespace

import accuracy
import bursts
import clients
import dma
import drivers
import extbuf
import l3fwd
import machine
import mempool
import modes
import nic
import pipeline
import report
import results
import scale
import wire
from beds import ALL_ENGINES, BEDS, RECORDS, RECORDS_ENGINE
from forwarder import Forwarder, ForwarderError
from rig import Half, Rig, command_line, measure_row

# A case that failed in so many process pairs is not tried again.
FAILURES = 2
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def options(argv):
    """The command line; --runs below 7 is refused, as no interval could be stated."""
    parser = argparse.ArgumentParser(description="Compare forwarder A with forwarder B.")
    parser.add_argument("--quick", action="store_true", help="under 4 minutes: fewer cases, shorter slices")
    parser.add_argument("--trial", action="store_true", help="one short sample per case, which shows whether it can be measured here; the figures have no interval")
    parser.add_argument("--cases", default="", metavar="REGEX", help="only the cases whose name (see --list) matches")
    parser.add_argument("--runs", type=int, help="process pairs per bed, at least 7 (12; 8 if quick)")
    parser.add_argument("--pairs", type=int, help="pairs of slices per process pair and engine (8; 4 if quick)")
    parser.add_argument("--slice-ms", type=int, help="length of a slice (50; 25 if quick)")
    parser.add_argument("--a", default=os.environ.get("ZCFWD") or os.path.join(ROOT, "build", "zcfwd"),
                        help="program A ($ZCFWD, else build/zcfwd)")
    parser.add_argument("--b", default="/usr/bin/dpdk-testpmd", help="program B")
    parser.add_argument("--lockstep", metavar="PROGRAM", help="what measures drivers on modelled NICs (beside program A)")
    parser.add_argument("--variants", default="", metavar="'ENGINE[,SETTING=VALUE]... ...'",
                        help="what takes turns on modelled NICs instead of the groups of drivers.py")
    parser.add_argument("--a-args", default="", help="options for A only, as after `--`")
    parser.add_argument("--b-args", default="", help="options for B only")
    parser.add_argument("--dma", metavar="ADDRESS[=NAME]", help="engine of the cases dma/ instead of a software one: its PCI address, and the DMA device's name where that is another")
    parser.add_argument("--dma-ini", metavar="FILE", help="cases of a configuration file of dpdk-test-dma-perf, too")
    parser.add_argument("--nic", default=[], type=lambda words: words.split(","), metavar="ADDRESS,ADDRESS",
                        help="one or two ports for the cases nic/ and pmu/; \"model\" for modelled ones")
    parser.add_argument("--source", default=[], type=lambda words: words.split(","), metavar="ADDRESS[,ADDRESS]",
                        help="ports that are cabled to those of --nic, in the same order, and send to them; without them packets come from outside")
    parser.add_argument("--load", type=int, metavar="PPS", help="packets per second of --source or modelled ports, all together (70 %% of what the slowest mode forwards)")
    parser.add_argument("--unequal", type=float, default=5, metavar="PERCENT", help="by how much the loads of a sample's modes may differ (5)")
    parser.add_argument("--far-core", type=int, metavar="N", help="a core on another NUMA node than the engine of --dma, for the cases dma/nodes/")
    parser.add_argument("--cores", default="0,1", help="main core, forwarding core")
    parser.add_argument("--no-huge", action="store_true", help="neither reserve nor use hugepages")
    parser.add_argument("--out", metavar="FILE", help="write all raw samples as JSON")
    parser.add_argument("--keep", nargs="?", const="", metavar="WORD",
                        help="write the samples to tests/bench/results/CPU-DATE[-WORD].csv; published.py FILE keeps them in the tree, compressed")
    parser.add_argument("--markdown", action="store_true", help="print the results as Markdown tables")
    parser.add_argument("--list", action="store_true", help="print the names of the cases and end")
    args = parser.parse_args(argv)
    args.quick |= args.trial
    args.runs = args.runs or (1 if args.trial else 8 if args.quick else 12)
    if args.runs < 7 and not args.trial:
        parser.error("--runs %d: expected 7 or more" % args.runs)
    if args.source and len(args.source) != len(args.nic):
        parser.error("--source names %d ports, --nic %d: expected as many" % (len(args.source), len(args.nic)))
    for path in () if args.list else (args.a, args.b):
        if not os.access(path, os.X_OK):
            parser.error("%s: no such program" % path)
    args.lockstep = args.lockstep or os.path.join(os.path.dirname(os.path.abspath(args.a)), "tests/bench/lockstep")
    args.pairs = args.pairs or (1 if args.trial else 4 if args.quick else 8)
    args.slice_ms = args.slice_ms or (25 if args.quick else 50)
    return args


def make_rows(args):
    """The table's lines in order, by case name, as --cases and --quick leave them."""
    rows = {}
    for bed in BEDS:
        for engine in bed.quick if args.quick else bed.engines:
            rows["%s/%s" % (bed.name, engine.name)] = ("Mpps",)
    for group, instrument in RECORDS.items():
        for side in instrument.sides:
            rows["%s/%s" % (group, side)] = ("Mpps", side + " on", side + " off")
    rows["start/prompt"] = rows["start/quit"] = ("ms",)
    rows.update({name: ("Mpps",) for name in [*l3fwd.make_names(args.quick), *scale.make_names(args.quick)]})
    return {name: report.Row(name, *rest) for name, rest in rows.items() if re.search(args.cases, name)}


def scaled(rows):
    """The rows of scale.py."""
    return [row for name, row in rows.items() if name.startswith("scale/")]


def rows_of(bed, rows):
    """The rows that are measured on that bed."""
    groups = (bed.name, *RECORDS) if bed is BEDS[0] else (bed.name,)
    return [row for name, row in rows.items() if name.split("/")[0] in groups]


def bench_bed(bed, rows, setup):
    """All rounds of one bed; a case that fails twice is left out of the later rounds."""
    pairs = [(near.format(side=side), far.format(side=side)) for near, far in bed.veths for side in "ab"]
    with machine.Veths(setup.netns, pairs) if pairs else contextlib.nullcontext():
        for turn in range(setup.runs):
            if all(len(row.failures) >= FAILURES for row in rows):
                break
            if bed.peer:
                setup.ping_pong.append((bed.name, machine.ping_pong_ns(setup.cores)))
            bench_round(bed, rows, setup, turn)
            progress("%s %d/%d" % (bed.name, turn + 1, setup.runs))
    if bed.peer:
        setup.ping_pong.append((bed.name, machine.ping_pong_ns(setup.cores)))


def bench_round(bed, rows, setup, turn):
    """One fresh process pair; which of the two starts first alternates."""
    rigs = {}
    try:
        for side in ("ab", "ba")[turn % 2]:
            rigs[side] = Rig(bed, side, setup)
        for row in rows:
            if len(row.failures) < FAILURES:
                bench_case(row, rigs, setup, turn)
            if not all(rig.dut.alive() for rig in rigs.values()):
                break  # it died; the next round starts afresh without this case
    except (ForwarderError, OSError) as error:
        for row in rows:
            row.failures.append("round %d: %s" % (turn + 1, error))
    finally:
        for rig in rigs.values():
            rig.close()


def bench_case(row, rigs, setup, turn):
    """One case in one process pair."""
    group, name = row.name.split("/")
    try:
        if group in RECORDS:
            rig, engine = rigs[name.lower()], RECORDS_ENGINE
            halves = [Half(rig, [line.format(dir=setup.folder) for line in lines]) for lines in RECORDS[group][:2]]
        else:
            engine = next(one for one in ALL_ENGINES if one.name == name)
            halves = Half(rigs["a"], ()), Half(rigs["b"], ())
        for half, mode in zip(halves, (engine.name, engine.other or engine.name)):
            half.rig.dut.command("set fwd " + mode)
        measure_row(row, halves, engine.count, setup, turn)
        for line in halves[1].commands:
            halves[1].rig.dut.command(line)
    except (ForwarderError, OSError) as error:
        row.failures.append("round %d: %s" % (turn + 1, error))


def bench_start(rows, setup, starts):
    """Time from fork to the first prompt, and from `quit` to the exit, A and B in turn, on the first bed's ports."""
    kept = {name: rows[name] for name in ("start/prompt", "start/quit") if name in rows}
    if not kept:
        return
    for turn in range(starts):
        times = {}
        for side in ("ab", "ba")[turn % 2]:
            argv = command_line(setup.binary[side], "%d,%d" % setup.cores, setup, side, BEDS[0].eal, setup.extra[side])
            try:
                process = Forwarder(argv)
            except (ForwarderError, OSError) as error:
                for row in kept.values():
                    row.failures.append(str(error))
                return
            times[side] = {"start/prompt": process.prompt_after, "start/quit": process.close()}
        for name, row in kept.items():
            row.add([(times["a"][name], times["b"][name])])
    progress("start %d/%d" % (starts, starts))


def versions(setup):
    """What each binary is and which DPDK it runs on, in its own words."""
    facts = []
    for side, path in setup.binary.items():
        process = Forwarder(command_line(path, "%d,%d" % setup.cores, setup, side, BEDS[0].eal, setup.extra[side]))
        process.close()
        said = re.search(rb"RTE Version: '([^']*)'", process.banner)
        facts.append(("%s" % side.upper(), "%s (sha256 %s..., %s)%s; %s" % (
            os.path.basename(path), machine.fingerprint(path), said.group(1).decode() if said else "DPDK version not said",
            " with " + shlex.join(setup.extra[side]) if setup.extra[side] else "", machine.build_of(path))))
    return facts


def header(setup, fast):
    """The environment as (label, text) pairs."""
    facts = [("date", results.today()), ("commit", machine.commit() or "unknown"), *machine.description(), *versions(setup)]
    memory = "hugepages" if setup.hugepages else "NO HUGEPAGES (--no-huge): figures are lower than with them"
    priority = "prompt threads preempt (SCHED_FIFO)" if fast else "no real-time priority: timestamps are less exact"
    facts.append(("placement", "main lcore and driver on core %d, forwarding lcore on core %d; %s; %s" %
                  (*setup.cores, memory, priority)))
    if len({(setup.binary[side], setup.extra[side]) for side in "ab"}) == 1:
        facts.append(("note", "A and B are the same program: any difference claimed below is a false alarm"))
    facts.append(("method", "%d process pairs, %d pairs of %d ms slices each, in the order A B B A" %
                  (setup.runs, setup.pairs, round(setup.slice_s * 1000))))
    if setup.trial:
        facts.append((results.TRIAL, "one short sample per case: figures without an interval"))
    return facts


def footer(setup, steal, began):
    """What was seen of the machine while it was measured."""
    facts = [("took", "%d s; the hypervisor stole %.1f %% of the machine; load average at the end %s" % (
        time.monotonic() - began,
        100 * (machine.steal_ticks() - steal) / os.sysconf("SC_CLK_TCK") / os.cpu_count() / (time.monotonic() - began),
        machine.first_line("/proc/loadavg")))]
    for bed in sorted({name for name, _ in setup.ping_pong}):
        facts.append(("ping-pong " + bed, "%s ns per round trip between the cores, before each process pair" %
                      " ".join(str(ns) for name, ns in setup.ping_pong if name == bed)))
    return facts


def progress(text):
    """One word of comfort on stderr."""
    print(text, file=sys.stderr, flush=True)


def show(facts):
    """Print (label, text) pairs."""
    for label, text in facts:
        print("%-13s %s" % (label + ":", text))


def main(argv):
    """Measure, print, write; 0 if every case was measured, 1 if one failed."""
    args = options(argv)
    rows, cases = make_rows(args), drivers.make_cases(
        args.cases, args.quick, {args.variants.split()[0]: args.variants.split()} if args.variants else None)
    compared = {} if args.variants else modes.chosen([*extbuf.make_cases(args.quick), *pipeline.make_cases(args.quick),
                                                  *dma.make_cases(args.quick, args.dma, args.dma_ini, args.far_core), *bursts.make_cases(args.quick), *wire.make_cases(args.quick), *mempool.make_cases(args.quick), *nic.make_cases(args.nic), *accuracy.make_cases(args.quick), *clients.make_cases(args.quick)], args.cases)
    if args.list:
        print("\n".join([*rows, *cases, *compared]))
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    began, steal = time.monotonic(), machine.steal_ticks()
    with contextlib.ExitStack() as borrowed:
        pages = None if args.no_huge else borrowed.enter_context(machine.Hugepages())
        folder = tempfile.mkdtemp(prefix="bench-")
        borrowed.callback(shutil.rmtree, folder, ignore_errors=True)
        os.environ["RUNTIME_DIRECTORY"] = folder  # EAL leaves a folder per process behind, even with --in-memory
        setup = SimpleNamespace(
            binary={"a": args.a, "b": args.b}, cores=tuple(int(core) for core in args.cores.split(",")), cpus=os.sched_getaffinity(0),
            extra={"a": tuple(shlex.split(args.a_args)), "b": tuple(shlex.split(args.b_args))},
            folder=folder, run_id="bench%d" % os.getpid(), netns="bench%d" % os.getpid(),
            hugepages=pages is not None and pages.reserved, trial=args.trial, runs=args.runs, pairs=args.pairs,
            slice_s=args.slice_ms / 1000, ping_pong=[], nic=args.nic, source=args.source, load=args.load, equal=args.unequal / 100, far_core=args.far_core)
        facts = header(setup, machine.take_core(setup.cores[0]))
        facts += [("nic", ",".join(args.nic))] * bool(args.nic) + [("source", ",".join(args.source))] * bool(args.source) + [("dma", args.dma)] * bool(args.dma)
        show(facts)
        for bed in BEDS:
            mine = rows_of(bed, rows)
            try:
                if mine:
                    bench_bed(bed, mine, setup)
            except OSError as error:  # no network namespace here, say: the other beds still count
                for row in mine:
                    row.failures.append(str(error))
        bench_start(rows, setup, args.runs if args.quick else max(args.runs, 21))
        l3fwd.bench([row for name, row in rows.items() if name.startswith("l3fwd/")], setup, args.lockstep, FAILURES, progress)
        scale.bench(scaled(rows), setup, FAILURES, progress)
        drivers.bench(cases, setup, args.lockstep, args.quick, progress)
        modes.bench(compared, setup, args.lockstep, progress)
    facts += footer(setup, steal, began)
    if rows:
        print("\n" + report.table(rows.values(), args.markdown) + "\n\n" + report.legend(rows.values()))
    if any(row.rounds for row in scaled(rows)):
        print("\n" + scale.table(scaled(rows), args.markdown))
    if cases:
        print("\n" + drivers.table(cases, args.markdown) + "\n\n" + drivers.legend(cases))
    if compared:
        print("\n" + modes.tables(compared, args.markdown) + "\n\n" + modes.legend(compared))
        if any(name.startswith("dma/") for name in compared):
            print("\n" + dma.PUBLISHED)
    show(facts[-len(footer(setup, steal, began)):])
    if args.keep is not None:
        os.makedirs(results.FOLDER, exist_ok=True)
        path = os.path.join(results.FOLDER, results.name_of(dict(facts), args.keep))
        results.write(path, {**dict(facts), **results.failures_of(rows, cases, compared)}, results.samples_of(rows, cases, compared))
        print("samples:      %s" % os.path.relpath(path, ROOT))
    if args.out:
        with open(args.out, "w") as file:
            json.dump({**report.as_json(rows.values(), facts, vars(args)), "drivers": drivers.as_json(cases),
                       "modes": modes.as_json(compared)}, file, indent=1)
    return 0 if all(row.rounds and not row.failures for row in rows.values()) and all(
        case.answers and not case.failures for case in [*cases.values(), *compared.values()]) else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (ForwarderError, OSError) as error:
        sys.exit("bench: %s" % error)
