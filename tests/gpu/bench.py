# SPDX-License-Identifier: BSD-3-Clause
"""Figures: packets read in place against copies to the GPU; and what needs more lcores than two."""
import time

from program import CPUS, Program, Refused

SIZES, BATCHES = (64, 128, 256, 512, 1024, 1500, 4096, 9000), (32, 64, 128, 256, 512, 1024, 2048, 4096)
QUICK_SIZES, QUICK_BATCHES = (64, 1500), (32, 256)
WAYS = {
    "in-place": ["set gpu mode in-place"],
    "copy per burst": ["set gpu mode copy", "set gpu copy-bursts 1"],
    "copy per batch": ["set gpu mode copy", "set gpu copy-bursts 0"],
}
GPU_HEAD = ("lcores", "bytes", "batch", "way", "receive", "Mpps", "GB/s", "p50_us", "p99_us", "cycles_per_packet", "failure")
LCORES_HEAD = ("bench", "lcores", "bytes", "way", "M/s", "cycles_per_packet", "words")


class Clock:
    """Points that do not fit into the time are left out, and counted."""

    def __init__(self, seconds):
        self.end = time.monotonic() + seconds
        self.left_out = 0

    def over(self, points=1):
        late = time.monotonic() > self.end
        self.left_out += points * late
        return late


def figures(answer):
    """Mpps and cycles per packet of a run."""
    total = answer["total"]
    return total["rx_pps"] / 1e6, total.get("cycles_per_packet") or 0


def gpu_point(p, batch, way, ms):
    """The better of two runs: [Mpps, p50, p99, cycles per packet], or the failure's words."""
    best = None
    p.do(*WAYS[way], f"set gpu batch {batch}")
    for _ in range(2):
        mpps, cycles = figures(p.do(f"start for {ms}ms"))
        streams = p.do("show gpu")["streams"]
        failure = next((one["failure"] for one in streams if "failure" in one), None)
        if failure:
            return None, failure
        latency = [max(one[name] for one in streams) for name in ("p50_us", "p99_us")]
        if best is None or mpps > best[0]:
            best = [mpps, *latency, cycles]
    return best, ""


def gpu_program(size, lcores, copy, batches):
    """Ports that receive packets of that size: a pool for all batches in flight, and as much again that the GPU reads."""
    mbufs = lcores * (4 * max(batches) + 2048) + 8192
    room = max(2176, -(-(size + 192) // 64) * 64)
    return Program([f"net_null{i},size={size}" + (",copy=1" if copy else "") for i in range(lcores)],
                   ["--port-topology=loop", f"--nb-cores={lcores}", f"--mbuf-size={room}", f"--total-num-mbufs={mbufs}", "--forward-mode=gpu",
                    "--gpu-flush=1000", "--record-core-cycles"], workers=lcores, mib=512 + mbufs * (room + 384) // 2**20)


def gpu(seconds, quick):
    """(rows of bench.csv, points left out). Middle sizes and batches come first, so that a short time has what is asked for most."""
    sizes, batches, ms = (QUICK_SIZES, QUICK_BATCHES, 60) if quick else (SIZES, BATCHES, 150)
    order = sorted(sizes, key=lambda size: abs(size - 1500))
    cases = [(lcores, size, False) for lcores in (1, 4) for size in order] + [(1, size, True) for size in order]
    clock, rows = Clock(seconds), [GPU_HEAD]
    for lcores, size, copy in cases:
        if clock.over(len(batches) * len(WAYS)) or lcores >= len(CPUS):
            continue
        try:
            with gpu_program(size, lcores, copy, batches) as p:
                for batch in batches:
                    for way in WAYS:
                        if clock.over():
                            continue
                        best, failure = gpu_point(p, batch, way, ms)
                        rows.append((lcores, size, batch, way, "copied" if copy else "untouched", *gpu_cells(best, size), failure))
                p.quit()
        except Refused as failure:
            rows.append((lcores, size, "", "", "", "", "", "", "", "", str(failure)))
        print(f"  {lcores} lcores, {size} bytes{', copied at receive' if copy else ''}", flush=True)
    return rows, clock.left_out


def gpu_cells(best, size):
    if best is None:
        return [""] * 5
    mpps, p50, p99, cycles = best
    return [f"{mpps:.3f}", f"{mpps * size / 1000:.3f}", f"{p50:.1f}", f"{p99:.1f}", f"{cycles:.0f}"]


def gpu_summary(rows):
    """For each number of lcores a table of what reading in place gives, as a multiple of the better copy; and what was aimed at."""
    found = {(row[0], row[4], row[1], row[2], row[3]): float(row[5]) for row in rows[1:] if row[5]}
    lines, lost, aimed = [], [], []
    for lcores, receive in sorted({key[:2] for key in found}):
        sizes, batches = (sorted({key[i] for key in found if key[:2] == (lcores, receive)}) for i in (2, 3))
        lines += [f"{lcores} lcores, packets {receive} at receive: Mpps in place, and as a multiple of the better way to copy", "",
                  "| bytes | " + " | ".join(f"batch {batch}" for batch in batches) + " |", "|---|" + "---|" * len(batches)]
        for size in sizes:
            cells = []
            for batch in batches:
                mine = found.get((lcores, receive, size, batch, "in-place"))
                other = max((found.get((lcores, receive, size, batch, way), 0) for way in WAYS if way != "in-place"), default=0)
                cells.append("" if not mine or not other else f"{mine:.2f}, {mine / other:.2f} x")
                if mine and other and mine < other and batch >= 256:
                    lost.append(f"{size} bytes, batch {batch}, {lcores} lcores, {receive}: {mine / other:.2f}")
                if mine and other and size == 1500:
                    aimed.append(mine / other)
            lines.append(f"| {size} | " + " | ".join(cells) + " |")
        lines.append("")
    if aimed:
        lines.append(f"Aim at 1500 bytes, 1.5 times: {min(aimed):.2f} to {max(aimed):.2f}.")
    lines.append("Below 1 at batches of 256 and more: " + ("; ".join(lost) or "nowhere") + ".")
    return lines


def extbuf(lcores, quick):
    """Modes of external buffers, each lcore a port of its own."""
    for size in (64, 1500) if quick else (64, 512, 1500):
        with Program([f"net_null{i},size={size}" for i in range(lcores)],
                     ["--port-topology=loop", f"--nb-cores={lcores}", "--tx-offloads=0x0", "--record-core-cycles", f"--total-num-mbufs={8192 * lcores}"],
                     workers=lcores, mib=256 + 64 * lcores) as p:
            p.do("set fwd extbuf")
            for mode in ("copy", "attach", "pinned"):
                p.do(f"set extbuf mode {mode}", "start for 50ms")
                mpps, cycles = figures(p.do("start for 200ms"))
                yield ("extbuf", lcores, size, mode, f"{mpps:.2f}", f"{cycles:.0f}", "")
            p.quit()


def pipeline(lcores, quick):
    """As many lcores for I/O as workers, a port each."""
    half = lcores // 2
    io, workers = (",".join(map(str, range(1 + at, 1 + at + half))) for at in (0, half))
    with Program([f"net_null{i},size=64" for i in range(half)],
                 ["--port-topology=loop", f"--nb-cores={lcores}", "--record-core-cycles", f"--total-num-mbufs={16384 * half}"], workers=lcores,
                 mib=256 + 64 * half) as p:
        p.do("set fwd ring_pipeline", f"set pipeline io {io} workers {workers}")
        for stage in ("macswap",) if quick else ("none", "macswap", "busy 100"):
            for mode in ("copy", "zc", "compressed"):
                p.do(f"set pipeline stage {stage}", f"set pipeline mode {mode}", "start for 50ms")
                mpps, cycles = figures(p.do("start for 200ms"))
                yield ("pipeline", lcores, 64, f"{mode}, stage {stage}", f"{mpps:.2f}", f"{cycles:.0f}", f"I/O {half}, workers {half}")
        p.quit()


def recycle(lcores, quick):
    """Sent mbufs back into receive rings, on modelled NICs that run by themselves: cycles of the lcores, as the models limit the packets."""
    for device in ("xl710",) if quick else ("xl710", "82599"):
        with Program(args=["--model", ";".join([f"{device},flows=64*2"] * lcores), "--port-topology=loop", f"--nb-cores={lcores}", "--record-core-cycles",
                           f"--total-num-mbufs={16384 * lcores}"], workers=lcores, mib=512 + 64 * lcores,
                     eal=["--log-level=pmd.net.i40e:error", "--log-level=pmd.net.ixgbe:error"]) as p:
            p.do("set fwd io")
            for word in ("off", "on"):
                p.do(f"set recycle {word}", "start for 100ms")
                mpps, cycles = figures(p.do("start for 300ms"))
                yield ("recycle", lcores, 64, f"{device}, {word}", f"{mpps:.2f}", f"{cycles:.0f}", "")
            p.quit()


def mempool(lcores, quick):
    """bench mempool: every driver, on one lcore, two, four and all; M objects/s."""
    with Program(workers=lcores - 1, mib=1024, name="lockstep") as p:
        for cell in p.do(f"bench mempool samples {3 if quick else 9}", timeout=280)["cells"]:
            for one in cell["results"]:
                words = f"get {cell['get']}, put {cell['put']}, keep {cell['keep']}, cache {one['cache']}{', contiguous' if one['contiguous'] else ''}"
                yield ("mempool", cell["lcores"], "", one["driver"], f"{one['rate']:.1f}", "", words)
        p.quit()


def cases(quick):
    """(bench, lcores) in the order of what is asked for most."""
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
            rows.append((bench.__name__, n, "", "", "", "", str(failure)))
        print(f"  {bench.__name__}, {n} lcores", flush=True)
    return rows, clock.left_out
