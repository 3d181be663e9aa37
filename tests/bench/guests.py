# SPDX-License-Identifier: BSD-3-Clause
# Two guests that send each other packets of 60 KB through one forwarding lcore and a simulated DMA engine; and the speed and latency that an engine needs.
"""
A guest is a net_virtio_user of the same process; between them are two ports of net_async_vhost. The guests' streams are the same lcore's but do not
count: with a core of their own, which other programs use too, packets would wait for it and leave the caches meanwhile. As published, each packet is
copied out of one guest and into the other by one lcore. PACKETS circulate, BURST * BURSTS of them started each way, as a TCP connection has a window.

The engines, one for each guest, are tests/fixtures/dma_scripted.c. They copy nothing and have no thread: they take no CPU time, no line of a cache
and no bandwidth of memory. So what is measured is the lcore: the port, and the drivers above an engine. What an engine takes is added by calculation:

  time of a packet = max(lcore, copy, (lcore + 2 copy + 2 latency) / PACKETS), with copy = bytes / speed

A loop with fixed times moves at the rate of its slowest part, or as often as its packets come round. Each engine makes one copy of each packet. In
cases with a SPEED the engines answer by their clock, and time by the clock is measured, not the lcore: so the calculation can be checked.
"""
import os

import modes

MODES = ("cpu", "dma", "adaptive")
# Data of an mbuf, and how many of them a packet has: 60 KB, as close to iperf's 64 KB as whole mbufs get below 65536 bytes with headers.
SEGMENTS = {4096: 15, 8192: 7}
# Megabytes per second of an engine in the cases that are timed; 0: none, the lcore is measured.
SPEEDS = (0, 2000, 8000)
LATENCY_NS = 1000
# Of the figures that are calculated. How those are called.
LATENCIES_NS = (1000, 10000, 100000)
MODELLED = "modelled"
BURST, BURSTS = 8, 2
PACKETS = 2 * BURST * BURSTS
# A turn of a mode is TURN slices, and a sample the best of the slices of modes.SLICES turns: where other programs use the CPUs, most slices have time in
# which one of them had the lcore's. A slice is of some 80 polls, so the one in which it begins changes it by a hundredth.
SLICE_MS, TIMED_MS, SETTLE_S, TURN = 10, 60, 0.02, 5


def make_cases():
    """dma/guests/mbufN, nanoseconds of the lcore per packet; dma/guests/mbufN/SPEED, nanoseconds per packet on the clock."""
    for mbuf in SEGMENTS:
        for speed in SPEEDS:
            name = "dma/guests/mbuf%d" % mbuf + ("/%d" % speed if speed else "")
            case = modes.Case(name, ("dma guests", "mbuf %d" % mbuf, "%d MB/s" % speed if speed else "lcore"), MODES, None)
            case.measure = lambda setup, lockstep, c=case, a=(mbuf, speed): measure(setup, lockstep, c, *a)
            yield case


def plugin_of(lockstep):
    """The simulated engine."""
    return modes.plugin_of(lockstep, "tests/fixtures/dma_scripted_plugin.so")


def packet_bytes(mbuf):
    return mbuf * SEGMENTS[mbuf]


def argv_of(setup, lockstep, mbuf, speed):
    """The program with ports 0 and 1, an engine each."""
    eal = ["-d", plugin_of(lockstep), "--iova-mode=va", *(["--single-file-segments"] if setup.hugepages else []),
           "--log-level=lib.vhost*:critical"]
    clock = ",speed=%d,latency=%d" % (speed, LATENCY_NS) if speed else ""
    for i in (0, 1):
        path = socket_of(setup, i)
        if os.path.exists(path):
            os.unlink(path)
        eal += ["--vdev=dma_scripted%d,tells%s" % (i, clock), "--vdev=dma_adaptive%d,dev=dma_scripted%d" % (i, i),
                "--vdev=net_async_vhost%d,iface=%s,dmas=[txq0@dma_adaptive%d;rxq0@dma_adaptive%d]" % (i, path, i, i)]
    # SCATTER and MULTI_SEGS; an mbuf is its data and the room before it.
    app = ["--mbuf-size=%d" % (mbuf + 128), "--burst=%d" % BURST, "--txpkts=" + ",".join([str(mbuf)] * SEGMENTS[mbuf]), "--max-pkt-len=9728",
           "--rx-offloads=0x2000", "--tx-offloads=0x8000", "--total-num-mbufs=8192"]
    return modes.command_line(setup.binary["a"], "0@%d,1@%d" % setup.cores, setup, eal, app)


def socket_of(setup, i):
    return os.path.join(setup.folder, "guest%d" % i)


def measure(setup, lockstep, case, mbuf, speed):
    """{mode: [nanoseconds per packet of each sample]}, all in one process."""
    order = modes.slice_order(case.modes, setup.runs)
    slice_s = (TIMED_MS if speed else SLICE_MS) / 1000
    lines = []
    for i in (0, 1):
        lines += ["port attach net_virtio_user%d,path=%s,queue_size=1024,mrg_rxbuf=1" % (i, socket_of(setup, i)), "port start %d" % (2 + i)]
    lines += ["set portlist 0,1,2,3", "set fwd io", "set record-core-cycles on", "start tx_first %d" % BURSTS]
    for mode in order:
        lines += ["set vhost %d 0 copy %s" % (port, mode) for port in (0, 1)]
        lines += ["watch show port summary all every %g count 2" % SETTLE_S, "watch show fwd stats all every %g count %d" % (slice_s, TURN + 1)]
    answers = modes.ask(argv_of(setup, lockstep, mbuf, speed), [*lines, "stop"])
    shown = [answer for answer in answers if answer.get("command") == "show fwd stats all"]
    mhz = next(answer for answer in answers if answer.get("command") == "stop")["total"]["tsc_mhz"]
    if dropped(shown[-1]):
        raise ValueError("%d packets were dropped, so fewer than %d circulated" % (dropped(shown[-1]), PACKETS))
    turns = [shown[at:at + TURN + 1] for at in range(0, len(shown), TURN + 1)]
    costs = [[cost(*pair, None if speed else mhz) for pair in zip(turn, turn[1:])] for turn in turns]
    return samples_of(case.modes, order, costs)


def samples_of(words, order, costs):
    """{mode: [cost of each sample]} of the costs of each turn's slices; 0: no slice of it had packets."""
    found, per_sample = {mode: [] for mode in words}, modes.SLICES * len(words)
    for at in range(0, len(order), per_sample):
        for mode in words:
            mine = [one for name, turn in zip(order[at:at + per_sample], costs[at:at + per_sample]) if name == mode for one in turn if one]
            found[mode].append(min(mine, default=0))
    return found


def backends(answer):
    """The streams between the vhost ports."""
    return [one for one in answer["streams"] if one["rx_port"] < 2]


def dropped(answer):
    return sum(one["tx_dropped"] for one in answer["streams"])


def cost(before, after, mhz):
    """Nanoseconds per packet: of the lcore in polls that had packets, or, without its clock rate, of all time; 0: no packets."""
    packets, cycles = (sum(one[key] for one in backends(after)) - sum(one[key] for one in backends(before)) for key in ("tx", "busy_cycles"))
    if packets == 0:
        return 0
    return 1e9 * (after["seconds"] - before["seconds"]) / packets if mhz is None else 1e3 * cycles / packets / mhz


def with_engine(lcore_ns, size, gigabytes, latency_ns, packets=PACKETS):
    """Nanoseconds per packet if an engine copies that many gigabytes per second and reports each copy so much later."""
    copy = size / gigabytes
    return max(lcore_ns, copy, (lcore_ns + 2 * copy + 2 * latency_ns) / packets)


def speed_for(gain, cpu_ns, lcore_ns, size):
    """Gigabytes per second of an engine for that gain of throughput over the CPU's copies; None: the lcore alone takes longer."""
    wanted = cpu_ns / (1 + gain)
    return size / wanted if lcore_ns <= wanted else None


def latency_for(gain, cpu_ns, lcore_ns, size, packets=PACKETS):
    """The longest latency in nanoseconds with which an engine of speed_for() has that gain; None as there."""
    wanted = cpu_ns / (1 + gain)
    return ((packets - 2) * wanted - lcore_ns) / 2 if lcore_ns <= wanted else None
