# SPDX-License-Identifier: BSD-3-Clause
# What external buffers save: the modes of the engine extbuf, frames of 64 to 9000 bytes.
"""
null: net_null ports, a slice of SLICE_MS per mode, in the order A B C C B A, the best of five being a sample; cycles per packet are those of
turns that had packets. xl710, 82599, mlx5: the program `lockstep` on modelled NICs (mlx5: mock ports), whose own work is not timed, one sample per process;
the ports receive into pinned memory in all modes there. null-4: as null on four lcores, a port each, where there are five CPUs. xl710-4: as null-4 on modelled NICs, whose one thread has a CPU of its own, where there are six CPUs; cycles of
turns that had packets, so lcores that wait for that thread do not count. storage: net_null as above,
slices of one memory sent again and again; storage-xl710, storage-82599, storage-mlx5: the same by `lockstep`. Fast free is off everywhere, as attached
buffers need. mirror: ports of modelled NICs that run by themselves, each mirrored to a third; slices as above.
"""
import os

import modes

FORWARD = ("copy", "attach", "tail", "pinned")
# Values of extbuf-mode and extbuf-shinfo; others: their name, and private.
CHOICES = {"tail": ("attach", "tail")}
# Settings of each way to send from storage; the first is what the others are compared with.
STORAGE = {
    "copy": ("extbuf-storage copy", "extbuf-shinfo private"),
    "private": ("extbuf-storage attach", "extbuf-shinfo private"),
    "shared": ("extbuf-storage attach", "extbuf-shinfo shared"),
}
# Engine, and whether what it receives is mirrored: as clones, and as copies where the engine writes, which is what a driver gets that nobody knows.
MIRROR = {
    "io": ("io", False),
    "io, clones": ("io", True),
    "mac": ("mac", False),
    "mac, copies": ("mac", True),
}
DEVICES = ("xl710", "82599", "mlx5")
CPUS = sorted(os.sched_getaffinity(0))
# xl710-4: five lcores, and the thread of all four cards.
BEDS = {"null": FORWARD, **({"null-4": FORWARD} if len(CPUS) > 4 else {}), **({"xl710-4": FORWARD} if len(CPUS) > 5 else {}), **dict.fromkeys(DEVICES, FORWARD), "storage": tuple(STORAGE),
        **{"storage-" + device: tuple(STORAGE) for device in DEVICES}, "mirror": tuple(MIRROR)}
SIZES, QUICK_SIZES = (64, 128, 256, 512, 1024, 1500, 2048, 4096, 9000), (64, 512, 1500)
SLICE_MS = 5


def choice(mode):
    """extbuf-mode and extbuf-shinfo of a mode."""
    return CHOICES.get(mode, (mode, "private"))


def make_cases(quick):
    """All cases: extbuf/BED/BYTES."""
    for bed, words in BEDS.items():
        measure = {"null": null, "null-4": null, "xl710-4": null, "storage": null, "mirror": mirror}.get(bed, stored if bed.startswith("storage-") else modelled)
        for size in QUICK_SIZES if quick else SIZES:
            yield modes.Case("extbuf/%s/%d" % (bed, size), ("extbuf " + bed, str(size)), words,
                             lambda setup, lockstep, m=measure, b=bed, n=size: m(setup, lockstep, b, n))


def argv_of(path, lcores, setup, eal, size, app):
    """Buffers that take the frame in one piece, so that copying means the same at each size."""
    return modes.command_line(path, lcores, setup, eal, ["--tx-offloads=0x0", "--mbuf-size=%d" % max(2176, size + 192), *app])


def slice_lines(bed, mode):
    """The commands of one slice, the last of which answers."""
    if bed == "storage":
        chosen = ["set extbuf mode storage", *("set " + word for word in STORAGE[mode])]
    else:
        chosen = ["set extbuf mode %s" % choice(mode)[0], "set extbuf-shinfo %s" % choice(mode)[1]]
    return [*chosen, "start for %dms" % SLICE_MS, "show fwd stats all"]


def null(setup, lockstep, bed, size):
    """{mode: [cycles per packet of each sample]}, all in one process."""
    order = modes.slice_order(BEDS[bed], setup.runs)
    lines = ["set fwd extbuf", "set record-core-cycles on", *(line for mode in order for line in slice_lines(bed, mode))]
    app = ["--extbuf-slice=%d" % size, "--max-pkt-len=%d" % max(1518, size + 18)] if bed == "storage" else []
    app.append("--extbuf-buffer=%d" % (-(-max(size, 1500) // 64) * 64 + 256))
    lcores, ports = "%d,%d" % setup.cores, 2
    if bed in ("null-4", "xl710-4"):
        lcores, ports = ",".join("%d@%d" % pair for pair in enumerate(CPUS[:5])), 4
        app += ["--nb-cores=4", "--port-topology=loop"]
    eal, env = ["--iova-mode=va", *("--vdev=net_null%d,size=%d" % (i, size) for i in range(ports))], {}
    if bed == "xl710-4":
        eal, env = ["-d", modes.plugin_of(lockstep), "--iova-mode=va"], {"MODEL_NIC": "xl710,size=%d*4" % frame_of(size), "MODEL_NIC_CPU": str(CPUS[5])}
        app += ["--max-pkt-len=%d" % max(1518, size + 18), "--total-num-mbufs=32768"]
    return slices(BEDS[bed], order, modes.ask(argv_of(setup.binary["a"], lcores, setup, eal, size, app), lines, env))


def frame_of(size):
    """A modelled NIC's size is without the checksum, which the smallest frame includes."""
    return size - 4 if size == 64 else size


def slices(words, order, answers):
    """{mode: [cycles per packet of each sample]} of what was said after each slice."""
    costs = [sum(one["busy_cycles"] for one in answer["streams"]) / max(1, sum(one["tx"] for one in answer["streams"]))
             for answer in answers if answer.get("command") == "show fwd stats all"]
    return modes.best_of_slices(words, order, costs)


def mirror(setup, lockstep, bed, size):
    """{mode: [cycles per packet of each sample]}, all in one process; cycles include what the mirror's callback does in the receive call."""
    order = modes.slice_order(BEDS[bed], setup.runs)
    lines, was = ["set portlist 0,1", "set record-core-cycles on"], False
    for mode in order:
        engine, mirrored = MIRROR[mode]
        if mirrored != was:
            lines += ["port mirror %d %s" % (port, "2" if mirrored else "off") for port in (0, 1)]
        lines += ["set fwd " + engine, "start for %dms" % SLICE_MS, "show fwd stats all"]
        was = mirrored
    eal = ["-d", modes.plugin_of(lockstep), "--iova-mode=va"]
    argv = argv_of(setup.binary["a"], "%d,%d" % setup.cores, setup, eal, size, ["--max-pkt-len=%d" % max(1518, size + 18)])
    return slices(BEDS[bed], order, modes.ask(argv, lines, {"MODEL_NIC": "xl710,size=%d*2;xl710,rx=none" % frame_of(size)}))


def cards(lockstep, device, words):
    """EAL's arguments and the environment of two ports."""
    if device != "mlx5":
        return ["-d", modes.plugin_of(lockstep), "--iova-mode=va"], {"MODEL_NIC": "%s,%s*2" % (device, words)}
    mock = modes.plugin_of(lockstep, "tests/model_nic/mock/mock.so")
    return ["-d", mock, "--iova-mode=va", *("--vdev=net_mock%d,driver=mlx5,%s" % (i, words) for i in (0, 1))], {}


def stored(setup, lockstep, bed, size):
    """As modelled(), of ports that receive nothing."""
    eal, env = cards(lockstep, bed.partition("-")[2], "rx=none")
    argv = argv_of(lockstep, "(0,1)@%d" % setup.cores[1], setup, eal, size,
                   ["--max-pkt-len=%d" % max(1518, size + 18), "--rxd=1024", "--txd=1024", "--extbuf-slice=%d" % size])
    variants = {way: ",".join(("extbuf", "extbuf-mode=storage", *(word.replace(" ", "=") for word in words))) for way, words in STORAGE.items()}
    return modes.lockstep_samples(argv, ["lockstep evict 0 rounds 8 samples %d" % modes.samples(setup, 10)], variants, env, setup.runs)


def whole_kib(n):
    """ixgbe counts a buffer's room in KiB: with less than a frame it scatters each over two descriptors."""
    return max(2, -(-n // 1024)) * 1024


def modelled(setup, lockstep, device, size):
    eal, env = cards(lockstep, device, "size=%d" % frame_of(size))
    argv = argv_of(lockstep, "(0,1)@%d" % setup.cores[1], setup, eal, size,
                   ["--max-pkt-len=%d" % max(1518, size + 18), "--rxd=1024", "--txd=1024",
                    "--extbuf-buffer=%d" % (whole_kib(size + 128) + 128), "--extbuf-mode=pinned", "--forward-mode=extbuf"])
    return modes.lockstep_samples(argv, ["lockstep evict 0 rounds 8 samples %d" % modes.samples(setup, 10)], {mode: "extbuf,extbuf-mode=%s,extbuf-shinfo=%s" % choice(mode) for mode in FORWARD},
                                  env, setup.runs)
