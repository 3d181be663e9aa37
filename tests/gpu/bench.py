# SPDX-License-Identifier: BSD-3-Clause
"""Figures: packets read in place against copies to the GPU, and features that need more than two lcores.

The ways of a question take turns, one run after the other, ROUNDS times; every second round in the opposite order. Each run is a row
of the CSV file. The reports have medians. A ratio is the median of the ratios within a round.
"""
import statistics
import time

from program import CPUS, Program, Refused

SIZES, BATCHES, RUN_MS, ROUNDS = (64, 256, 512, 1500, 4096, 9000), (32, 64, 256, 1024, 4096), 80, 7
QUICK_SIZES, QUICK_BATCHES, QUICK_MS, QUICK_ROUNDS = (64, 1500), (32, 256), 40, 2
IN_PLACE = "in-place"
WAYS = {
    IN_PLACE: ["set gpu mode in-place"],
    "copy per burst": ["set gpu mode copy", "set gpu copy-bursts 1"],
    "copy per batch": ["set gpu mode copy", "set gpu copy-bursts 0"],
}
GPU_HEAD = ("lcores", "bytes", "batch", "receive", "round", "way", "Mpps", "GB/s", "p50_us", "p99_us", "cycles_per_packet", "failure")
LCORES_HEAD = ("bench", "lcores", "bytes", "round", "way", "M/s", "cycles_per_packet", "note")


class Clock:
    """Points that do not fit into the time are left out and counted."""

    def __init__(self, seconds):
        self.end = time.monotonic() + seconds
        self.left_out = 0

    def over(self, points=1):
        late = time.monotonic() > self.end
        self.left_out += points * late
        return late


def turns(ways, rounds):
    """(round, way) for each run."""
    for number in range(rounds):
        for way in list(ways) if number % 2 == 0 else reversed(list(ways)):
            yield number, way


def figures(answer):
    """Mpps and cycles per packet of a run."""
    total = answer["total"]
    return total["rx_pps"] / 1e6, total.get("cycles_per_packet") or 0


def gpu_run(p, batch, way, ms):
    """Cells of one run: Mpps, p50, p99, cycles per packet; and why it failed, or nothing."""
    p.do(*WAYS[way], f"set gpu batch {batch}")
    mpps, cycles = figures(p.do(f"start for {ms}ms"))
    streams = p.do("show gpu")["streams"]
    failure = next((one["failure"] for one in streams if "failure" in one), "")
    p50, p99 = (max(one[name] for one in streams) for name in ("p50_us", "p99_us"))
    return (mpps, p50, p99, cycles), failure


def gpu_program(size, lcores, copy, batches):
    """Ports that receive packets of that size. The pool has mbufs for all batches in flight, and as many for the batches that the GPU reads."""
    mbufs = lcores * (4 * max(batches) + 2048) + 8192
    room = max(2176, -(-(size + 192) // 64) * 64)
    return Program([f"net_null{i},size={size}" + (",copy=1" if copy else "") for i in range(lcores)],
                   ["--port-topology=loop", f"--nb-cores={lcores}", f"--mbuf-size={room}", f"--total-num-mbufs={mbufs}", "--forward-mode=gpu",
                    "--gpu-flush=1000", "--record-core-cycles"], workers=lcores, mib=512 + mbufs * (room + 384) // 2**20)


def gpu_rows(p, case, batches, ms, rounds, clock):
    """A row for each run of a case: (lcores, bytes, receive)."""
    lcores, size, receive = case
    for batch in batches:
        if clock.over():
            continue
        for number, way in turns(WAYS, rounds):
            (mpps, p50, p99, cycles), failure = gpu_run(p, batch, way, ms)
            cells = [""] * 5 if failure else [f"{mpps:.3f}", f"{mpps * size / 1000:.3f}", f"{p50:.1f}", f"{p99:.1f}", f"{cycles:.0f}"]
            yield (lcores, size, batch, receive, number, way, *cells, failure)


def gpu(seconds, quick):
    """(rows of bench.csv, points left out). Sizes near 1500 bytes come first, because a short time then has the most important ones."""
    sizes, batches, ms, rounds = (QUICK_SIZES, QUICK_BATCHES, QUICK_MS, QUICK_ROUNDS) if quick else (SIZES, BATCHES, RUN_MS, ROUNDS)
    order = sorted(sizes, key=lambda size: abs(size - 1500))
    cases = [(lcores, size, False) for lcores in (1, 4) for size in order] + [(1, size, True) for size in order]
    clock, rows = Clock(seconds), [GPU_HEAD]
    for lcores, size, copy in cases:
        if clock.over(len(batches)) or lcores >= len(CPUS):
            continue
        receive = "copied" if copy else "untouched"
        try:
            with gpu_program(size, lcores, copy, batches) as p:
                rows += gpu_rows(p, (lcores, size, receive), batches, ms, rounds, clock)
                p.quit()
        except Refused as failure:
            rows.append((lcores, size, "", receive, "", "", "", "", "", "", "", str(failure)))
        print(f"  {lcores} lcores, {size} bytes, {receive}", flush=True)
    return rows, clock.left_out


def spread(values):
    """Median, lowest and highest."""
    return f"{statistics.median(values):.2f} ({min(values):.2f}-{max(values):.2f})"


def gpu_ratios(rows):
    """{(lcores, receive, bytes, batch): ([Mpps in place], [ratio to the better way to copy])}, an entry per round."""
    found, ratios = {}, {}
    for lcores, size, batch, receive, number, way, mpps, *_ in rows[1:]:
        if mpps:
            found.setdefault((lcores, receive, size, batch), {}).setdefault(number, {})[way] = float(mpps)
    for key, rounds in found.items():
        whole = [one for one in rounds.values() if len(one) == len(WAYS)]
        if whole:
            ratios[key] = ([one[IN_PLACE] for one in whole], [one[IN_PLACE] / max(one[way] for way in WAYS if way != IN_PLACE) for one in whole])
    return ratios


def gpu_summary(rows):
    """For each number of lcores: the rate in place, and how many times the better way to copy it is."""
    ratios = gpu_ratios(rows)
    lines = []
    for lcores, receive in sorted({key[:2] for key in ratios}):
        sizes, batches = (sorted({key[i] for key in ratios if key[:2] == (lcores, receive)}) for i in (2, 3))
        lines += [f"{lcores} lcores, packets {receive} at receive: Mpps in place, and times the better way to copy (lowest-highest)", "",
                  "| bytes | " + " | ".join(f"batch {batch}" for batch in batches) + " |", "|---|" + "---|" * len(batches)]
        for size in sizes:
            cells = [ratios.get((lcores, receive, size, batch)) for batch in batches]
            lines.append(f"| {size} | " + " | ".join(f"{statistics.median(cell[0]):.2f}, {spread(cell[1])}" if cell else "" for cell in cells) + " |")
        lines.append("")
    medians = {key: statistics.median(cell[1]) for key, cell in ratios.items()}
    at_1500 = [ratio for key, ratio in medians.items() if key[2] == 1500]
    if at_1500:
        lines.append(f"Target at 1500 bytes, 1.5 times: {min(at_1500):.2f} to {max(at_1500):.2f}.")
    lost = [f"{size} bytes, batch {batch}, {lcores} lcores, {receive}: {ratio:.2f}" for (lcores, receive, size, batch), ratio in sorted(medians.items()) if ratio < 1]
    lines.append("Slower than a copy: " + ("; ".join(lost) or "nowhere") + ".")
    return lines


def run_rows(p, bench, lcores, size, ways, quick, note=""):
    """A row for each run of the ways: {name: commands}."""
    for number, way in turns(ways, QUICK_ROUNDS if quick else ROUNDS):
        p.do(*ways[way])
        mpps, cycles = figures(p.do(f"start for {QUICK_MS if quick else RUN_MS}ms"))
        yield (bench, lcores, size, number, way, f"{mpps:.2f}", f"{cycles:.1f}", note)


def extbuf(lcores, quick):
    """Modes of external buffers. Each lcore has a port of its own."""
    for size in (64, 1500) if quick else (64, 512, 1500):
        with Program([f"net_null{i},size={size}" for i in range(lcores)],
                     ["--port-topology=loop", f"--nb-cores={lcores}", "--tx-offloads=0x0", "--record-core-cycles", f"--total-num-mbufs={8192 * lcores}"],
                     workers=lcores, mib=256 + 64 * lcores) as p:
            p.do("set fwd extbuf")
            yield from run_rows(p, "extbuf", lcores, size, {mode: [f"set extbuf mode {mode}"] for mode in ("copy", "attach", "pinned")}, quick)
            p.quit()


def pipeline(lcores, quick):
    """As many lcores for I/O as workers, and a port for each pair."""
    half = lcores // 2
    io, workers = (",".join(map(str, range(1 + at, 1 + at + half))) for at in (0, half))
    with Program([f"net_null{i},size=64" for i in range(half)],
                 ["--port-topology=loop", f"--nb-cores={lcores}", "--record-core-cycles", f"--total-num-mbufs={16384 * half}"], workers=lcores,
                 mib=256 + 64 * half) as p:
        p.do("set fwd ring_pipeline", f"set pipeline io {io} workers {workers}")
        for stage in ("macswap",) if quick else ("none", "macswap", "busy 100"):
            ways = {f"{mode}, stage {stage}": [f"set pipeline stage {stage}", f"set pipeline mode {mode}"] for mode in ("copy", "zc", "compressed")}
            yield from run_rows(p, "pipeline", lcores, 64, ways, quick, f"I/O {half}, workers {half}")
        p.quit()


def recycle(lcores, quick):
    """Recycling on modelled NICs that run on threads of their own. The models limit the rate, so the lcores' cycles count."""
    for device in ("xl710",) if quick else ("xl710", "82599"):
        with Program(args=["--model", ";".join([f"{device},flows=64*2"] * lcores), "--port-topology=loop", f"--nb-cores={lcores}", "--record-core-cycles",
                           f"--total-num-mbufs={16384 * lcores}"], workers=lcores, mib=512 + 64 * lcores,
                     eal=["--log-level=pmd.net.i40e:error", "--log-level=pmd.net.ixgbe:error"]) as p:
            p.do("set fwd io")
            yield from run_rows(p, "recycle", lcores, 64, {f"{device}, {word}": [f"set recycle {word}"] for word in ("off", "on")}, quick)
            p.quit()


def mempool(lcores, quick):
    """bench mempool: every driver, on one lcore, two, four and all; millions of objects per second, a median of its own samples."""
    with Program(workers=lcores - 1, mib=1024, name="lockstep") as p:
        for cell in p.do(f"bench mempool samples {3 if quick else 9}", timeout=280)["cells"]:
            for one in cell["results"]:
                note = f"get {cell['get']}, put {cell['put']}, keep {cell['keep']}, cache {one['cache']}{', contiguous' if one['contiguous'] else ''}"
                yield ("mempool", cell["lcores"], "", "", one["driver"], f"{one['rate']:.1f}", "", note)
        p.quit()


def cases(quick):
    """(bench, lcores), the most important ones first."""
    for n in (1, 2) if quick else (1, 2, 4, 8):
        yield extbuf, n
        if n > 1:
            yield pipeline, n
        yield recycle, n
    yield mempool, min(8, len(CPUS))


def lcores(seconds, quick):
    """(rows of lcores.csv, points left out)."""
    clock, rows = Clock(seconds), [LCORES_HEAD]
    for bench, n in cases(quick):
        few = n >= len(CPUS) and bench is not mempool and not quick
        if few or clock.over():
            clock.left_out += few
            continue
        try:
            rows += list(bench(n, quick))
        except Refused as failure:
            rows.append((bench.__name__, n, "", "", "", "", "", str(failure)))
        print(f"  {bench.__name__}, {n} lcores", flush=True)
    return rows, clock.left_out


def lcores_summary(rows):
    """Medians of lcores.csv, without mempools: that table has hundreds of rows."""
    cells = {}
    for bench, n, size, _, way, rate, cycles, note in rows[1:]:
        if bench != "mempool" and rate:
            cells.setdefault((bench, n, size, way), []).append((float(rate), float(cycles)))
    yield ("bench", "lcores", "bytes", "way", "M/s (lowest-highest)", "cycles per packet (lowest-highest)")
    for key, runs in cells.items():
        yield (*key, *(spread([run[i] for run in runs]) for i in (0, 1)))
    for bench, n, *_, note in (row for row in rows[1:] if not row[5]):
        yield (bench, n, "", "", "", note)
