# SPDX-License-Identifier: BSD-3-Clause
# What zero-copy rings save: the modes of the engine ring_pipeline, and the published forms beside them, on one lcore, on two, and in two processes; what head/tail sync costs.
"""
xl710, 82599: the program `lockstep` on modelled NICs, scalar and vector functions, both parts on one lcore; the NICs' own work is not timed. null: net_null
ports, one lcore, turns that had packets are timed; two: the same with I/O and work on two lcores, nanoseconds per packet, and the time that a cache line
takes between the two (before, after), as it decides; processes: the worker is an lcore of a second process; sync: as two, in mode zc, with rings of the
worker's own, a shared one back (hts), and shared ones both ways (any). Where mode auto is measured, a note has the better one of copy and zc over it. Stage l3fwd has net_pcap in net_null's place, which
gives one UDP packet again and again. published: as xl710 and 82599, with the published forms, which are engines of lockstep. two-nic, processes-nic: as two and
processes, with these forms, over a modelled XL710; cycles per packet of the I/O lcore in polls with packets. With four CPUs and more the card is a thread on a CPU of
its own, else the I/O lcore steps it in polls without packets, which are not timed. All take slices of SLICE_MS per mode in the order A B C C B A, the best of five being a sample.
"""
import os

import example
import frames
import machine
import modes
import summary

MODES = ("copy", "zc", "compressed")
ALL_MODES = (*MODES, "auto")
SYNCS = {"single": ("sync single", "spread auto"), "hts": ("sync hts", "spread auto"), "any": ("sync hts", "spread any")}
# Engine and mode: what the published API saves over arrays, and packets in place over the published API.
WAYS = {"copy": ("ring_pipeline", "copy"), "published traditional": ("published_traditional", "copy"), "published zc": ("published_zc", "copy"),
        "published hybrid": ("published_hybrid", "copy"), "zc in place": ("ring_pipeline", "zc")}
BEDS = {"null": ALL_MODES, "two": ALL_MODES, "processes": ALL_MODES, "sync": tuple(SYNCS), "two-nic": tuple(WAYS), "processes-nic": tuple(WAYS)}
WIDTHS = {"xl710": (64, 256), "82599": (64, 128)}
STAGES = ("none", "l3fwd")
# As lockstep spells them.
SETTINGS = {mode: "ring_pipeline,pipeline-mode=" + mode for mode in MODES}
PUBLISHED = {way: "%s,pipeline-mode=%s" % words for way, words in WAYS.items()}
# With and without recycling, without fast free.
RECYCLED = {"copy": SETTINGS["copy"], "copy recycled": SETTINGS["copy"] + ",recycle=on", "zc": SETTINGS["zc"], "zc recycled": SETTINGS["zc"] + ",recycle=on"}
# Of the one all, with the other's third and second.
RINGS, BURSTS = (64, 256, 1024, 4096), (8, 32, 128)
RING, BURST = 1024, 32
LOOP_ROUTE = "pipeline route add 198.18.0.0/15 port 0"
SLICE_MS, SETTLE_S, AUTO_S = 10, 0.03, 2


def shapes(quick):
    """(ring, burst) of all cases of a kind."""
    return [(RING, BURST)] if quick else [*((ring, BURST) for ring in RINGS), *((RING, burst) for burst in BURSTS if burst != BURST)]


def make_cases(quick):
    """pipeline/DEVICE/BITS/STAGE/ringN/burstM; pipeline/published/DEVICE/BITS/STAGE; pipeline/BED/STAGE/ringN/burstM."""
    for device, widths in WIDTHS.items():
        for width in widths:
            for stage in STAGES:
                for ring, burst in shapes(quick):
                    yield modes.Case("pipeline/%s/%dbit/%s/ring%d/burst%d" % (device, width, stage, ring, burst),
                                     ("pipeline %s %d bits" % (device, width), stage, "ring %d" % ring, "burst %d" % burst), MODES,
                                     lambda setup, lockstep, *_, a=(device, width, stage, ring, burst): modelled(setup, lockstep, *a))
                yield modes.Case("pipeline/published/%s/%dbit/%s" % (device, width, stage),
                                 ("pipeline published, %s %d bits" % (device, width), stage, "ring %d" % RING, "burst %d" % BURST), tuple(WAYS),
                                 lambda setup, lockstep, *_, a=(device, width, stage, RING, BURST): modelled(setup, lockstep, *a, PUBLISHED))
            yield modes.Case("pipeline/%s/%dbit/recycle" % (device, width), ("pipeline %s %d bits" % (device, width), "none", "ring %d" % RING, "burst %d" % BURST),
                             tuple(RECYCLED), lambda setup, lockstep, *_, a=(device, width, "none", RING, BURST): modelled(setup, lockstep, *a, RECYCLED, ["--tx-offloads=0x0"]))
    for bed, words in BEDS.items():
        for stage in STAGES:
            for ring, burst in shapes(quick):
                case = modes.Case("pipeline/%s/%s/ring%d/burst%d" % (bed, stage, ring, burst),
                                  ("pipeline " + bed, stage, "ring %d" % ring, "burst %d" % burst), words, None)
                case.measure = lambda setup, lockstep, c=case, a=(bed, stage, ring, burst): live(setup, lockstep, c, *a)
                yield case


def prepare(stage, ring, burst):
    return ["set pipeline stage " + stage, "set pipeline ring %d" % ring, "set burst %d" % burst]


def routes(stage):
    """For what ports() gives."""
    return ["pipeline route add 198.18.0.0/16 port 1", "pipeline route add 198.19.0.0/16 port 0"] if stage == "l3fwd" else []


def modelled(setup, lockstep, device, width, stage, ring, burst, variants=None, args=()):
    """One port, which leads to itself: one route fits all. variants: {mode: as lockstep spells it}."""
    argv = modes.command_line(lockstep, "(0,1)@%d" % setup.cores[1], setup,
                              ["-d", modes.plugin_of(lockstep), "--iova-mode=va", "--force-max-simd-bitwidth=%d" % width], ["--rxd=1024", "--txd=1024", *args])
    lines = [*prepare(stage, ring, burst), LOOP_ROUTE, "lockstep evict 0 rounds %d samples %d" % (max(1, 256 // burst), modes.samples(setup, 12))]
    return modes.lockstep_samples(argv, lines, variants or SETTINGS, {"MODEL_NIC": device + ",flows=16"}, setup.runs)


def slice_lines(mode):
    """One slice: auto gets time to measure first, a worker in another process to take its place."""
    settle = AUTO_S if mode == "auto" else SETTLE_S
    engine, word = WAYS.get(mode, ("ring_pipeline", mode))
    words = SYNCS.get(mode, ("mode " + word,))
    return ["set fwd " + engine, *("set pipeline " + word for word in words), "start", "watch show port summary all every %g count 2" % settle,
            "watch show fwd stats all every %g count 2" % (SLICE_MS / 1000), *(["show pipeline"] if mode == "auto" else []), "stop"]


def auto_note(samples, shown):
    """How mode auto compares with the better one of copy and zc, and how often it had not decided."""
    ratios = [min(copy, zc) / auto for copy, zc, auto in zip(samples["copy"], samples["zc"], samples["auto"]) if copy and zc and auto]
    undecided = sum(io["measuring"] for one in shown for io in one["io"])
    if not ratios:
        return ""
    return "better of copy and zc over auto %.3f (%.3f-%.3f)%s" % (
        summary.median(ratios), *summary.median_interval(ratios)[:2], "; %d of %d undecided" % (undecided, len(shown)) if undecided else "")


def cost(before, after, by_rate):
    """Cycles per packet of polls that had packets; by_rate: nanoseconds per packet, the inverse of the rate; 0: no packets."""
    sent, cycles = ([sum(one[key] for one in answer["streams"]) for answer in (before, after)] for key in ("tx", "busy_cycles"))
    packets = sent[1] - sent[0]
    return (SLICE_MS * 1e6 if by_rate else cycles[1] - cycles[0]) / packets if packets else 0


def card(setup, lockstep):
    """A modelled card: EAL's options, the environment, and a note about who moves its packets."""
    spare = sorted(setup.cpus - set(setup.cores))
    # rx=copy: each packet is written again, since the stage l3fwd takes one from its TTL.
    env = {"MODEL_NIC": "xl710,flows=16,rx=copy"}
    if len(spare) >= 2:
        env.update(MODEL_NIC_MODE="thread", MODEL_NIC_CPU=str(spare[0]))
        note = "card: a thread on CPU %d" % spare[0]
    else:
        env.update(MODEL_NIC_MODE="step", STEPPER_BATCH=str(1 << 30), LD_PRELOAD=example.build_stepper(setup.folder))
        note = "card: stepped by the I/O lcore"
    return ["-d", modes.plugin_of(lockstep), "--iova-mode=va"], env, note


def ports(setup, stage):
    """EAL's words for two ports that give packets which the stage lets through."""
    if stage != "l3fwd":
        return ["--vdev=net_null0", "--vdev=net_null1"]
    words = []
    for place in (0, 1):
        path = os.path.join(setup.folder, "%d.pcap" % place)
        frames.write(path, [frames.udp("198.18.0.2", "198.%d.0.1" % (18 + place), 9, 9)])
        words.append("--vdev=net_pcap%d,rx_pcap=%s,infinite_rx=1" % (place, path))
    return words


def live(setup, lockstep, case, bed, stage, ring, burst):
    """All slices in one process; beds processes: with a second one beside it."""
    two, remote, order = bed != "null", bed.startswith("processes"), modes.slice_order(case.modes, setup.runs)
    eal, env, note = card(setup, lockstep) if bed.endswith("-nic") else (ports(setup, stage), None, "")
    where = ["set pipeline processes 1"] if remote else ["set pipeline io 1 workers %d" % (2 if two else 1)]
    lines = ["set fwd ring_pipeline", "set pipeline mode zc", *prepare(stage, ring, burst), *([LOOP_ROUTE] if env else routes(stage)),
             "set record-core-cycles " + ("off" if two and not env else "on"), *where, *(line for mode in order for line in slice_lines(mode))]
    first, second = setup.cores
    lcores = "0@%d,1@%d" % (first, second) if remote else "0@%d,1@%d,2@%d" % (first, first if two else second, second)
    argv = modes.command_line(lockstep if env else setup.binary["a"], lcores, setup, eal, ["--rxd=1024", "--txd=2048", "--port-topology=loop"] if env else [])
    before = machine.ping_pong_ns(setup.cores) if two else 0
    if remote:
        if not setup.hugepages:
            raise ValueError("no huge pages, which processes would share")
        with machine.HugepageFolder(setup.folder) as folder:
            argv[3:4] = ["--huge-dir", folder, "-m", "256"]
            others = argv[7:argv.index("--")] if not env else [word for word in argv[7:argv.index("--")] if word not in eal[:2]]
            answers = modes.ask_with(argv, lines, [argv[0], "--lcores", "0@%d,2@%d" % (first, first), "--proc-type=secondary", *argv[3:5], *others], env)
    else:
        answers = modes.ask(argv, lines, env)
    shown = [one for one in answers if one.get("command") == "show fwd stats all"]
    samples = modes.best_of_slices(case.modes, order, [cost(*pair, two and not env) for pair in zip(shown[::2], shown[1::2])])
    notes = [note, "ping-pong %d, %d ns" % (before, machine.ping_pong_ns(setup.cores))] if two else []
    if "auto" in case.modes:
        notes.append(auto_note(samples, [one for one in answers if one.get("command") == "show pipeline"]))
    case.note = "; ".join(filter(None, notes))
    return samples
