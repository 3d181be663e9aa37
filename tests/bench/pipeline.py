# What zero-copy rings save: the modes of the engine ring_pipeline, on one lcore and on two.
"""
xl710, 82599: the program `lockstep` on modelled NICs, scalar and vector functions, both parts on one lcore; the NICs' own work is not timed. null: net_null
ports, one lcore, turns that had packets are timed; two: the same with I/O and work on two lcores, nanoseconds per packet, and the time that a cache line
takes between the two (before, after), as it decides. Both take slices of SLICE_MS per mode in the order A B C C B A, the best of five being a sample.
"""
import machine
import modes

MODES = ("copy", "zc", "hybrid")
ALL_MODES = (*MODES, "auto")
WIDTHS = {"xl710": (64, 256), "82599": (64, 128)}
STAGES = ("none", "l3fwd")
RINGS, BURSTS = (256, 1024), (8, 32, 128)
SLICE_MS = 10


def make_cases(quick):
    """pipeline/DEVICE/BITS/STAGE/ringN, in bursts of 32; pipeline/null|two/ringN/burstN."""
    for device, widths in WIDTHS.items():
        for width in widths:
            for stage in STAGES:
                for ring in RINGS[1:] if quick else RINGS:
                    yield modes.Case("pipeline/%s/%dbit/%s/ring%d" % (device, width, stage, ring),
                                     ("pipeline %s %d bits" % (device, width), stage, "ring %d" % ring), MODES,
                                     lambda setup, lockstep, *_, a=(device, width, stage, ring): modelled(setup, lockstep, *a))
    for bed in ("null", "two"):
        for ring in RINGS[1:] if quick else RINGS:
            for burst in (32,) if quick else BURSTS:
                case = modes.Case("pipeline/%s/ring%d/burst%d" % (bed, ring, burst), ("pipeline " + bed, "ring %d" % ring, "burst %d" % burst),
                                  ALL_MODES, None)
                case.measure = lambda setup, lockstep, c=case, a=(bed == "two", ring, burst): null(setup, c, *a)
                yield case


def prepare(stage, ring, burst):
    return ["set pipeline stage " + stage, "set pipeline ring %d" % ring, "set burst %d" % burst]


def modelled(setup, lockstep, device, width, stage, ring):
    """One port, which leads to itself: one route fits all."""
    argv = modes.command_line(lockstep, "(0,1)@%d" % setup.cores[1], setup,
                              ["-d", modes.plugin_of(lockstep), "--iova-mode=va", "--force-max-simd-bitwidth=%d" % width], ["--rxd=1024", "--txd=1024"])
    lines = [*prepare(stage, ring, 32), "pipeline route add 198.18.0.0/15 port 0", "lockstep evict 0 rounds 8 samples 12"]
    return modes.lockstep_samples(argv, lines, {mode: "ring_pipeline,pipeline-mode=" + mode for mode in MODES},
                                  {"MODEL_NIC": device + ",flows=16"}, setup.runs)


def slice_lines(mode):
    """One slice: auto gets time to measure first."""
    settle = ["watch show port summary all every 0.25 count 2"] if mode == "auto" else []
    return ["set pipeline mode " + mode, "start", *settle, "watch show fwd stats all every %g count 2" % (SLICE_MS / 1000), "stop"]


def cost(before, after, two):
    """Cycles per packet of turns that had packets; on two lcores nanoseconds per packet, the inverse of the rate."""
    sent, cycles = ([sum(one[key] for one in answer["streams"]) for answer in (before, after)] for key in ("tx", "busy_cycles"))
    return (SLICE_MS * 1e6 if two else cycles[1] - cycles[0]) / max(1, sent[1] - sent[0])


def null(setup, case, two, ring, burst):
    order = modes.slice_order(ALL_MODES, setup.runs)
    lines = ["set fwd ring_pipeline", *prepare("none", ring, burst), "set record-core-cycles " + ("off" if two else "on"),
             "set pipeline io 1 workers %d" % (2 if two else 1), *(line for mode in order for line in slice_lines(mode))]
    first, second = setup.cores
    argv = modes.command_line(setup.binary["a"], "0@%d,1@%d,2@%d" % (first, first if two else second, second), setup,
                              ["--vdev=net_null0", "--vdev=net_null1"], [])
    before = machine.ping_pong_ns(setup.cores) if two else 0
    shown = [one for one in modes.ask(argv, lines) if one.get("command") == "show fwd stats all"]
    if two:
        case.note = "ping-pong %d, %d ns" % (before, machine.ping_pong_ns(setup.cores))
    return modes.best_of_slices(ALL_MODES, order, [cost(*pair, two) for pair in zip(shown[::2], shown[1::2])])
