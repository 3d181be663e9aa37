# SPDX-License-Identifier: BSD-3-Clause
# What a DMA engine saves the I/O core: copies by the CPU, by the engine, by both as dma_adaptive mixes them.
"""
raw: `dma measure` on a dma_adaptive, each sample after a `dma calibrate apply` for the same memory of its own; packets of 64 B to 64 KB in pieces as mbufs of 4 and 8 KB
have them, in memory that caches hold (hot) or not (cold). memcpy is a plain copy, without submitting and collecting; the best of five medians is a sample. place: the same with an engine that answers
later, as one that is further away does, with few copies under way; what counts there is throughput. vhost: net_null -> net_async_vhost -> net_virtio_user -> net_null and back in one process,
slices of SLICE_MS per mode in the order A B C C B A, the best of five being a
sample, then auto; the stream towards the guest counts: receiving from net_null, copies, collecting them. vhost-simulated: the same with an engine that copies nothing, and has no
thread: the difference is what the software engine's thread costs the lcore. guests: see guests.py. placement: two guests with packets of two lengths, and two simulated
engines, which copy nothing and cost the lcore what the case says; each placement of channels in a process of its own: first come (dmas= in the order of ports and engines),
all CPU, all engine (dmas= with the engines the other way round), and dma placement auto. nodes: `dma measure` on a machine with several NUMA nodes, with an lcore on the
engine's and one on another: cycles of CPU and engine where the lcore is away (far), and nanoseconds per packet of the engine where memory, the lcore or nothing is away (rate). ini: what a file of dpdk-test-dma-perf asks for, by that file's own lengths, rings and batches.
"""
import configparser
import os
import re

import guests
import modes
import nic
import summary

# The engine of guests.py, which takes no CPU time and no cache.
SIMULATED = "simulated"
RAW = ("memcpy", "cpu", "dma", "adaptive")
VHOST = ("cpu", "dma", "adaptive", "auto")
SIZES = (64, 128, 256, 512, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 32768, 65536)
QUICK_SIZES = (64, 1024, 4096, 65536)
GUEST_SIZES, QUICK_GUEST_SIZES = (64, 256, 1024, 1536, 2048, 3072, 4096, 8192), (64, 1536, 4096, 8192)
MBUFS = (4096, 8192)
# ns that the engine answers later. A: memory is away, its destination, or all of it; B: the lcore is.
PLACES = {"A-local": 0, "A-min-remote": 300, "A-max-remote": 600, "B-local": 0, "B-remote": 2000}
# By name: ns of the lcore for a copy by each engine, distances of their nodes, bytes of a packet of each guest.
PLACEMENTS = {"near-far": ((60, 400), (10, 40), (512, 8192)), "both-near": ((60, 60), (10, 10), (8192, 8192)), "both-far": ((600, 600), (60, 60), (512, 1024))}
PLACEMENT_MODES = ("first", "cpu", "engine", "auto")
TOPOLOGY = """node 0
node 1
node 2
distance 0 1 {distance[0]}
distance 0 2 {distance[1]}
lcores 1 node 0
engine dma_scripted0 node {node[0]} channels 2 speed 100000
engine dma_scripted1 node {node[1]} channels 2 speed 100000
port 1 node 0
port 3 node 0
"""
PLACE_BATCH = 4  # with four batches under way, longer than that an answer is not hidden
# Of `dma measure`: the memory away from the engine, the lcore away from it, nothing.
NODES = ("max-remote", "min-remote", "cpu-remote", "local")
CALIBRATE_SAMPLES, SAMPLES, SLICE_MS, HEADROOM = 15, 8, 10, 256  # the first two of `set dma-samples`; 8: in four, each mode comes behind each
SETTLE_S, AUTO_S = 0.01, 1.5  # behind a change of who copies
PLACEMENT_S = 0.5  # until a placement is settled: 25 periods
PUBLISHED = """Published (Xeon 8180, CBDMA, testpmd on one core, TSO, iperf TCP of 64 KB): the engine wins from 1024 to 2048 B when local, from 2048 to 3072 B when the CPU is on another node;
Min_Len 2048 and 3072; the adaptive mix against DMA alone up to +30 % (also given as +22 %) with mbufs of 4 KB, up to +37 % with 8 KB; engine and memory on one node +4 to 13 %
of throughput, engine and CPU +16 to 66 %. A software engine cannot show those gains of throughput: another core moves the same bytes. On a host with CBDMA or DSA, bound to vfio-pci:
  make bench BENCH_ARGS="--cases ^dma/ --dma 0000:00:04.0 --cores 1,2"
(DSA: --dma 0000:6a:01.0=0000:6a:01.0-q0), with a forwarding core on the engine's node for local, on another for remote."""


def make_cases(quick, engine=None, ini=None, far_core=None):
    """
    dma/raw/MEMORY/mbufN/BYTES, dma/place/NAME/BYTES, dma/vhost/mbufN/BYTES, dma/placement/NAME, dma/nodes/far/BYTES, dma/nodes/rate/BYTES,
    dma/ini/SECTION/BYTES/ringN/batchN.
    """
    for memory in ("cold",) if quick else ("hot", "cold"):
        for mbuf in MBUFS:
            for size in QUICK_SIZES if quick else SIZES:
                yield case("dma/raw/%s/mbuf%d/%d" % (memory, mbuf, size), ("dma raw " + memory, "mbuf %d" % mbuf, str(size)), RAW, engine,
                           {"memory": memory, "segment": mbuf, "lengths": size})
    for name, delay in PLACES.items():
        for size in (2048,) if quick else (1024, 2048, 8192):
            yield case("dma/place/%s/%d" % (name, size), ("dma place " + name, "%d ns" % delay, str(size)), RAW, engine,
                       {"memory": "cold", "lengths": size, "delay": delay, "batch": PLACE_BATCH})
    for mbuf in MBUFS:
        for size in QUICK_GUEST_SIZES if quick else GUEST_SIZES:
            for bed, which in (("vhost", engine), ("vhost-simulated", SIMULATED)):
                if size <= mbuf:
                    one = modes.Case("dma/%s/mbuf%d/%d" % (bed, mbuf, size), ("dma " + bed, "mbuf %d" % mbuf, str(size)), VHOST, None)
                    one.measure = lambda setup, lockstep, c=one, e=which, a=(mbuf, size): vhost(setup, lockstep, c, e, *a)
                    yield one
    yield from guests.make_cases()
    if not engine:
        for name, (costs, distances, sizes) in list(PLACEMENTS.items())[:1 if quick else None]:
            one = modes.Case("dma/placement/" + name, ("dma placement " + name, "%d and %d ns" % costs, "%d and %d" % sizes), PLACEMENT_MODES, None)
            one.measure = lambda setup, lockstep, c=one, a=(costs, distances, sizes): placement(setup, lockstep, c, *a)
            yield one
    if engine and far_core is not None:
        yield from node_cases(quick, engine)
    if ini:
        yield from ini_cases(ini, engine)


def node_cases(quick, engine):
    """Cases that share the answers of one process."""
    answers = []
    for size in QUICK_SIZES if quick else SIZES:
        for kind, words, value in (("far", ("cpu", "dma"), lambda points, mode: points["cpu-remote", mode]["cycles"]),
                                   ("rate", NODES, lambda points, where, n=size: inverse(8 * n, points[where, "dma"]["gbit"]))):
            one = modes.Case("dma/nodes/%s/%d" % (kind, size), ("dma nodes " + kind, "", str(size)), words, None)
            one.measure = lambda setup, lockstep, n=size, w=words, v=value: nodes(setup, engine, answers, n, w, v)
            yield one


def inverse(bits, gbit):
    """Nanoseconds; 0: nothing came."""
    return bits / gbit if gbit else 0


def nodes(setup, engine, answers, size, words, value):
    """{word: [value of each sample]} of packets of one length in cold memory; ValueError if the program did not measure a place."""
    if not answers:
        measure = "dma measure dma_adaptive0"
        argv = argv_of(setup, engine, 1, ["--vdev=net_null0", "--vdev=net_null1"], [], (setup.far_core,))
        lines = ["set dma-samples %d" % modes.samples(setup, SAMPLES), "set dma-lengths usual", *[measure] * setup.runs]
        answers += [answer["points"] for answer in modes.ask(argv, lines) if answer.get("command") == measure]
    samples = [{(p["where"], p["mode"]): p for p in points if p["memory"] == "cold" and p["bytes"] == size} for points in answers]
    missing = [where for where in NODES if (where, "dma") not in samples[0]]
    if missing:
        raise ValueError("%s not measured: expected an lcore and memory on the engine's NUMA node and on another" % ", ".join(missing))
    return {word: [value(sample, word) for sample in samples] for word in words}


def case(name, head, words, engine, settings):
    one = modes.Case(name, head, words, None)
    one.measure = lambda setup, lockstep: raw(setup, one, engine, settings)
    return one


def engine_words(engine, n=1, lockstep=None):
    """(EAL's words, the names of the devices). engine: None for software, SIMULATED (of lockstep's build), or PCI address, or ADDRESS=NAME."""
    if engine == SIMULATED:
        names = ["dma_scripted%d" % i for i in range(n)]
        return ["-d", guests.plugin_of(lockstep), *("--vdev=%s,tells" % name for name in names)], names
    if not engine:
        names = ["dma_skeleton%d" % i for i in range(n)]
        return ["--vdev=%s,lcore=0" % name for name in names], names
    address, _, name = engine.partition("=")
    return ["-a", address], [name or address] * n


def argv_of(setup, engine, n, eal, app, more_cores=(), lockstep=None):
    words, names = engine_words(engine, n, lockstep)
    adaptive = ["--vdev=dma_adaptive%d,dev=%s" % (i, name) for i, name in enumerate(names)]
    lcores = ",".join("%d@%d" % pair for pair in enumerate((*setup.cores, *more_cores)))
    on_bus = engine and engine != SIMULATED
    iova = nic.iova_words(setup, [engine.partition("=")[0]]) if on_bus else ["--iova-mode=va"]
    argv = modes.command_line(setup.binary["a"], lcores, setup, [*iova, *words, *adaptive, *eal], app)
    return [word for word in argv if not on_bus or word != "--no-pci"]


def raw(setup, one, engine, settings):
    """{mode: [cycles per packet of each sample]}; Gbit/s go into the note."""
    lines = ["set dma-%s %s" % item for item in settings.items() if item[0] in ("memory", "ring", "batch", "cold", "delay")]
    measure = "dma measure dma_adaptive0"
    sample = ["set dma-lengths usual", "set dma-segment 0", "set dma-samples %d" % modes.samples(setup, CALIBRATE_SAMPLES), "dma calibrate dma_adaptive0 apply", "set dma-samples %d" % modes.samples(setup, SAMPLES),
              *("set dma-%s %s" % (key, settings[key]) for key in ("lengths", "segment") if key in settings), *[measure] * modes.SLICES]
    argv = argv_of(setup, engine, 1, ["--vdev=net_null0", "--vdev=net_null1"], [])
    answers = [answer for answer in modes.ask(argv, lines + sample * setup.runs) if answer.get("command") == measure]
    points = [{p["mode"]: p for p in answer["points"] if p["where"] == "local" and p["memory"] == settings["memory"]} for answer in answers]
    found = {mode: best_of([some[mode]["cycles"] for some in points]) for mode in one.modes}
    rates = [summary.median([some[mode]["gbit"] for some in points]) for mode in one.modes]
    one.note = "%s; %s Gbit/s" % (against_better(found), " ".join("%.0f" % rate for rate in rates))
    return found


def best_of(costs):
    """The best of each modes.SLICES neighbours; 0: none had packets."""
    return [min(filter(None, costs[at:at + modes.SLICES]), default=0) for at in range(0, len(costs), modes.SLICES)]


def against_better(found):
    """How far adaptive is from the better of CPU and engine, in the same sample each."""
    kept = dict(zip(found, zip(*(sample for sample in zip(*found.values()) if all(sample)))))
    if not kept:
        return "no sample had packets in all modes"
    better = min((mode for mode in ("cpu", "dma") if mode in kept), key=lambda mode: summary.median(kept[mode]))
    ratios = [a / b for a, b in zip(kept["adaptive"], kept[better])]
    low, high, _ = summary.median_interval(ratios)
    return "adaptive is %.3f (%.3f-%.3f) of %s" % (summary.median(ratios), low, high, better)


def vhost(setup, lockstep, one, engine, mbuf, size):
    """{mode: [cycles per packet of each sample]}, all in one process; the guest is another port of it."""
    path = os.path.join(setup.folder, "vhost")
    if os.path.exists(path):
        os.unlink(path)
    dmas = "dmas=[txq0@dma_adaptive0;rxq0@dma_adaptive1]"
    eal = [*(["--single-file-segments"] if setup.hugepages else []), "--log-level=lib.vhost*:critical", "--vdev=net_null0,size=%d" % size,
           "--vdev=net_async_vhost0,iface=%s,queues=1,%s" % (path, dmas), "--vdev=net_null1,size=%d" % size]
    lines = ["port attach net_virtio_user0,path=%s,queues=1,queue_size=1024" % path, "port start 3", "set portlist 0,1,2,3", "set fwd io", "set record-core-cycles on",
             "start", *(line for _ in range(setup.runs) for line in guest_sample()), "stop"]
    answers = modes.ask(argv_of(setup, engine, 2, eal, ["--mbuf-size=%d" % (mbuf + HEADROOM)], lockstep=lockstep), lines)
    shown = [next(s for s in answer["streams"] if s["tx_port"] == 1) for answer in answers if answer.get("command") == "show fwd stats all"]
    slices = list(zip([mode for _ in range(setup.runs) for mode in guest_order()], zip(shown[::2], shown[1::2])))
    found = {mode: best_of([cost(*pair) for word, pair in slices if word == mode]) for mode in one.modes}
    one.beside["dropped"] = {mode: [dropped(*pair) for word, pair in slices if word == mode] for mode in one.modes}
    one.note = "%s; dropped per sent packet %s" % (against_better(found), " ".join("%.1f" % summary.median(some) for some in one.beside["dropped"].values()))
    return found


def dropped(before, after):
    """Packets that found no room at the port, per packet that was sent: the lcore received and freed them, which is in the cost of those that were sent."""
    return (after["tx_dropped"] - before["tx_dropped"]) / max(1, after["tx"] - before["tx"])


def guest_order():
    """The modes of one sample's slices: A B C C B A; then auto, once it has had its time to measure."""
    return [mode for turn in range(modes.SLICES) for mode in VHOST[:-1][::-1 if turn % 2 else 1]] + ["auto"] * modes.SLICES


def guest_sample():
    """Commands of one sample; copies change while packets flow."""
    last = None
    for mode in guest_order():
        if mode != last:
            yield "set vhost 1 0 copy " + mode
            yield "watch show port summary all every %g count 2" % (AUTO_S if mode == "auto" else SETTLE_S)
        yield "watch show fwd stats all every %g count 2" % (SLICE_MS / 1000)
        last = mode


def cost(before, after):
    """Cycles per packet of polls that had packets; 0: no packets."""
    packets = after["tx"] - before["tx"]
    return (after["busy_cycles"] - before["busy_cycles"]) / packets if packets else 0


def placement(setup, lockstep, one, costs, distances, sizes):
    """{placement: [cycles for a packet each way of each guest, of each sample]}."""
    found = {mode: [] for mode in one.modes}
    for run in range(setup.runs):
        for mode in one.modes[::-1] if run % 2 else one.modes:
            found[mode].append(placed(setup, lockstep, mode, costs, distances, sizes))
    rates = {mode: summary.median([gbit for _, gbit in samples]) for mode, samples in found.items()}
    one.note = "%s Gbit/s" % " ".join("%.1f" % rate for rate in rates.values())
    return {mode: [cycles for cycles, _ in samples] for mode, samples in found.items()}


def placed(setup, lockstep, mode, costs, distances, sizes):
    """(cycles, Gbit/s) of a process with one placement."""
    plugin = modes.plugin_of(lockstep, "tests/fixtures/dma_scripted_plugin.so")
    topology = os.path.join(setup.folder, "topology")
    with open(topology, "w", encoding="utf-8") as text:
        text.write(TOPOLOGY.format(distance=distances, node=[i + 1 if distance > 10 else 0 for i, distance in enumerate(distances)]))
    eal = ["-d", plugin, "--iova-mode=va", *(["--single-file-segments"] if setup.hugepages else []), "--log-level=lib.vhost*:critical",
           *("--vdev=dma_scripted%d,tells=1,cost=%d" % engine for engine in enumerate(costs))]
    attach = []
    for i, size in enumerate(sizes):
        path = os.path.join(setup.folder, "placement%d" % i)
        if os.path.exists(path):
            os.unlink(path)
        device = "dma_scripted%d" % (1 - i if mode == "engine" else i)
        dmas = {"cpu": "", "auto": ",dmas=auto"}.get(mode, ",dmas=[txq0@%s;rxq0@%s]" % (device, device))
        eal += ["--vdev=net_null%d,size=%d" % (2 * i, size), "--vdev=net_async_vhost%d,iface=%s%s" % (i, path, dmas)]
        attach += ["port attach net_virtio_user%d,path=%s,queue_size=1024" % (i, path), "port start %d" % (6 + i)]
    eal += ["--vdev=net_null%d,size=%d" % (10 + i, size) for i, size in enumerate(sizes)]
    auto = ["set dma-topology " + topology, "set dma-placement-period 20", "dma placement auto"] if mode == "auto" else []
    lines = [*attach, "set portlist 0,1,2,3,4,6,5,7", "set fwd io", "set record-core-cycles on", *auto, "start",
             "watch show port summary all every %g count 2" % PLACEMENT_S, *["watch show fwd stats all every %g count 2" % (5 * SLICE_MS / 1000)] * modes.SLICES, "stop"]
    answers = modes.ask(modes.command_line(setup.binary["a"], "0@%d,1@%d" % setup.cores, setup, eal, ["--mbuf-size=%d" % (max(2048, *sizes) + HEADROOM)]), lines)
    shown = [[s for s in answer["streams"] if {s["rx_port"], s["tx_port"]} & {1, 3}] for answer in answers if answer.get("command") == "show fwd stats all"]
    slices = []
    for before, after in zip(shown[::2], shown[1::2]):
        costs_of = [cost(was, now) for was, now in zip(before, after)]
        packets = [(now["tx"] - was["tx"], sizes[({now["rx_port"], now["tx_port"]} & {1, 3}).pop() // 2]) for was, now in zip(before, after)]
        if all(costs_of):
            slices.append((sum(costs_of), sum(n * size for n, size in packets) * 8 / (5 * SLICE_MS / 1000) / 1e9))
    return min(slices, default=(0, 0))


def ini_cases(path, engine):
    """Of a file of dpdk-test-dma-perf: sections whose type is a memory copy."""
    file = configparser.ConfigParser(strict=False, interpolation=None)
    with open(path, encoding="utf-8") as text:
        file.read_file(text)
    for section in file.sections():
        values = file[section]
        if "MEM_COPY" not in values.get("type", ""):
            continue
        node = {key: values.get(key, "0") for key in ("src_numa_node", "dst_numa_node")}
        words = RAW if values["type"] == "DMA_MEM_COPY" else ("memcpy", "cpu", "adaptive")
        for size in numbers(values, "buf_size", 64):
            for ring in numbers(values, "dma_ring_size", 1024):
                for batch in numbers(values, "kick_batch", 32):
                    yield case("dma/ini/%s/%d/ring%d/batch%d" % (section, size, ring, batch),
                               ("dma ini " + section, "nodes %s %s, ring %d, batch %d" % (*node.values(), ring, batch), str(size)), words,
                               engine or device(values), {"memory": "cold", "lengths": size, "ring": ring, "batch": min(batch, 256),
                                                          **({"cold": values["mem_size"]} if "mem_size" in values else {})})


def numbers(values, key, default):
    """"64", or "64,8192,2,MUL": from, to, step and what is done with it. ValueError names the line."""
    words = values.get(key, str(default)).replace(" ", "").split(",")
    if len(words) == 1 and words[0].isdigit():
        return [int(words[0])]
    if len(words) != 4 or not all(word.isdigit() for word in words[:3]) or words[3].upper() not in ("MUL", "ADD") or int(words[2]) < 1 + (words[3].upper() == "MUL"):
        raise ValueError("%s=%s: expected a number, or FROM,TO,STEP,MUL|ADD" % (key, values[key]))
    now, end, step = map(int, words[:3])
    found = []
    while now <= end:
        found.append(now)
        now = now * step if words[3].upper() == "MUL" else now + step
    return found


def device(values):
    """The first engine that its lcores have: lcore_dma=lcore10@0000:00:04.2, or lcore_dma0="lcore=10,dev=0000:00:04.2,..."; None: the file names none."""
    for key, text in values.items():
        found = re.search(r"(?:@|dev=)([0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])", text) if key.startswith("lcore_dma") else None
        if found and os.path.exists("/sys/bus/pci/devices/" + found.group(1)):
            return found.group(1)
    return None
