# SPDX-License-Identifier: BSD-3-Clause
# Published figures that need a card: recycling, external buffers and zero-copy rings on ports of it, and hardware counters.
"""
bench.py --nic ADDRESS[,ADDRESS] names one or two ports that DPDK can use (`--nic model`: modelled XL710s, to try the cases). The engine is that of the published
row: l3fwd, extbuf, or ring_pipeline with the stage l3fwd. Packets do not circulate, because each hop takes one from their TTL: they come

- from the ports of --source, cabled to those of --nic in the same order, where a second process generates them;
- or, without --source, from outside, at a constant rate: IPv4, to 198.18.0.0/16 at the first port of --nic and 198.19.0.0/16 at the second.

The modes of a case take turns in one process, in the order A B B A, SLICE_MS each, after SETTLE_MS, at the same load: --load, or LOAD of what the slowest mode forwards
(from outside: what arrives). A throughput would not do: a card such as XL710 is I/O bound, so that all modes forward the same. nic/.../cycles: TSC cycles per packet
of polls that had packets; pmu/WIDTH/EVENT: hardware counters per packet. A sample whose modes did not receive the same, within --unequal, does not count. A row of
recycling fails where the cards' driver cannot recycle.
"""
import contextlib
import os
import pathlib
import re
import time

import frames
import modes
import summary
from prompt import Prompt

SLICE_MS, SETTLE_MS, BURST = 200, 50, 32
LOAD, LEAST, TRIES = 0.7, 7, 4
LINKS_S = 9
# Share of what comes that has to be forwarded; packets that may be inside of the program at one end of a slice and not at the other.
FORWARDED, IN_FLIGHT = 0.95, 256
WIDTHS = {"scalar": 64, "vector": 512}
# FREE: value of --tx-offloads.
FREE = {"fast-free": "0x10000", "no-fast-free": "0x0"}
RECYCLE = {"l3fwd": ["set recycle off"], "l3fwd recycled": ["set recycle on"]}
EXTBUF = {mode: ["set extbuf mode " + mode] for mode in ("copy", "pinned")}
RINGS = {mode: ["set pipeline mode " + mode] for mode in ("copy", "zc")}
EVENTS = ("stalled_backend", "stalled_frontend", "l1d_refills", "l2_refills", "l3_refills", "l2_writebacks", "l1d_writebacks", "mc_requests", "ipc")
PCI = pathlib.Path("/sys/bus/pci/devices")
# Drivers that hide no memory behind an IOMMU: a card sees physical addresses.
PHYSICAL = ("uio_pci_generic", "igb_uio")
FLOWS = 16
NETWORKS = ("198.18", "198.19")


def folder_of(address):
    """A device's folder in sysfs; its domain may be left out."""
    return PCI / (address if re.match(r"[0-9a-f]{4,}:[0-9a-f]{2}:", address) else "0000:" + address)


def iova_of(addresses):
    """"pa" if the driver that a device is bound to gives it physical addresses, else "va"; also vfio-pci does without an IOMMU."""
    for address in addresses:
        name = folder_of(address) / "iommu_group/name"
        if (folder_of(address) / "driver").resolve().name in PHYSICAL or (name.exists() and name.read_text(encoding="ascii").strip() == "vfio-noiommu"):
            return "pa"
    return "va"


def iova_words(setup, addresses):
    """EAL's option for these devices; ValueError where it would refuse them."""
    mode = iova_of(addresses)
    if mode == "pa" and not setup.hugepages:
        raise ValueError("%s: its driver needs physical addresses, which need huge pages: run without --no-huge, or bind it to vfio-pci with an IOMMU" % addresses[0])
    return ["--iova-mode=" + mode]


def routes(command, ports):
    """Each network that arrives leads to the other port; with one port, back."""
    return ["%s %s.0.0/16 port %d" % (command, network, (ports - 1 - i) if i < ports else 0) for i, network in enumerate(NETWORKS)]


def engine_lines(engine, ports):
    """The commands that choose the engine of a published row."""
    if engine == "l3fwd":
        return [*routes("route add", ports), "set fwd l3fwd"]
    if engine == "ring_pipeline":
        return ["set fwd ring_pipeline", "set pipeline io 1 workers 1", "set pipeline stage l3fwd", *routes("pipeline route add", ports)]
    return ["set fwd " + engine]


class Process:
    """The program on the ports, which measures all modes; the cases that read its answers share it."""

    def __init__(self, engine, ways, width=512, free="0x0", before=()):
        self.engine, self.ways, self.width, self.free, self.before = engine, ways, width, free, before
        self.found, self.note, self.moved = None, "", 0

    def turns(self, setup, lockstep):
        """[{mode: (answer before, answer after)}] of all turns with an equal load."""
        if self.found is None:
            ours = setup.source or setup.nic == ["model"]
            pps, words = setup.load if ours else None, ""
            if ours and not pps:
                with self.running(setup, lockstep, None) as process:
                    pps = LOAD * min(per_second("tx", *self.slice(process, mode)) for mode in self.ways)
                words = ", %g %% of what the slowest mode forwards" % (100 * LOAD)
            with self.running(setup, lockstep, pps) as process:
                self.found = self.equal_turns(process, setup)
            rates = [per_second("rx", *one) for turn in self.found for one in turn.values()]
            self.note = "%.3g Mpps%s%s" % (summary.median(rates) / 1e6, words, self.note)
        return self.found

    def equal_turns(self, process, setup):
        """So many turns, at least LEAST except in a trial; ValueError if the load was hardly ever equal."""
        kept, seen = [], []
        for turn in range(setup.runs * TRIES):
            order = list(self.ways)[::-1] if turn % 2 else list(self.ways)
            one = {mode: self.slice(process, mode) for mode in order}
            rates = [per_second("rx", *pair) for pair in one.values()]
            for mode, pair in one.items():
                forwarded(mode, *pair)
            seen += rates
            if min(rates) > 0 and max(rates) <= min(rates) * (1 + setup.equal):
                kept.append(one)
            if len(kept) == setup.runs:
                break
        if not any(seen):
            raise ValueError("no packets: cable the ports of --source to those of --nic, or send packets to these")
        if len(kept) < modes.samples(setup, LEAST):
            raise ValueError("the load was equal in %d of %d samples (%.3g to %.3g Mpps received): send at a constant rate, below what the slowest mode forwards" % (
                len(kept), len(seen) // len(self.ways), min(seen) / 1e6, max(seen) / 1e6))
        if self.ways is RECYCLE and not self.moved:
            raise ValueError("no packet came in a recycled buffer: see \"show recycle\"")
        left = len(seen) // len(self.ways) - len(kept)
        self.note = "; left out: %d samples with unequal loads" % left if left else ""
        return kept

    def slice(self, process, mode):
        """(answer before, answer after) of one slice; ValueError unless it was the engine of the row."""
        for line in (*self.ways[mode], "start"):
            process.ask(line)
        time.sleep(SETTLE_MS / 1000)
        before = process.ask("show fwd stats all")
        time.sleep(SLICE_MS / 1000)
        after = process.ask("show fwd stats all")
        process.ask("stop")
        ran, wanted = (after["engine"], after["settings"].get("pipeline-stage")), (self.engine, "l3fwd" if self.engine == "ring_pipeline" else None)
        if ran != wanted:
            raise ValueError("engine %s, stage %s ran: expected %s, %s" % (*ran, *wanted))
        if self.ways[mode] == RECYCLE["l3fwd recycled"]:
            self.moved += recycled(process.ask("show recycle"))
        return before, after

    @contextlib.contextmanager
    def running(self, setup, lockstep, pps):
        """The program with its routes and engine, while packets arrive: pps in all; None: as many as it takes."""
        argv, env = self.command_line(setup, lockstep, pps)
        ports = 2 if setup.nic == ["model"] else len(setup.nic)
        with Prompt(argv, env) as process:
            for line in ("set record-core-cycles on", *engine_lines(self.engine, ports), *self.before):
                process.ask(line)
            with source(setup, pps) if setup.source else contextlib.nullcontext():
                process.ask("wait link all up %ds" % LINKS_S)
                yield process

    def command_line(self, setup, lockstep, pps):
        app = ["--tx-offloads=" + self.free, "--rxd=1024", "--txd=1024", "--burst=%d" % BURST]
        width = "--force-max-simd-bitwidth=%d" % self.width
        lcores = "0@%d,1@%d" % setup.cores
        if setup.nic == ["model"]:
            argv = modes.command_line(setup.binary["a"], lcores, setup, ["-d", modes.plugin_of(lockstep), "--iova-mode=va", width], app)
            return argv, {"MODEL_NIC": model_words(setup.folder, pps), "MODEL_NIC_CPU": str(setup.cores[0])}
        return card_line(setup, lcores, setup.nic, [width], [*app, *["--port-topology=loop"] * (len(setup.nic) == 1)]), {}


def card_line(setup, lcores, addresses, eal, app):
    allowed = [word for address in addresses for word in ("-a", address)]
    argv = modes.command_line(setup.binary["a"], lcores, setup, [*allowed, *iova_words(setup, addresses), *eal], app)
    return [word for word in argv if word != "--no-pci"]


def model_words(folder, pps):
    """Two modelled cards, which send a file again and again."""
    words = []
    for port, network in enumerate(NETWORKS):
        path = os.path.join(folder, "nic%d.pcap" % port)
        frames.write(path, [frames.udp("192.0.2.1", "%s.0.%d" % (network, i + 1), 0x1234, 9) for i in range(FLOWS)])
        words.append("xl710,rx=pcap:%s:0" % path + (",rate=%d" % (pps / len(NETWORKS)) if pps else ""))
    return ";".join(words)


@contextlib.contextmanager
def source(setup, pps):
    """
    A second process that generates packets on the ports of --source, pps in all; None: as fast as they take them. Engine measure also receives what comes back:
    a port that nothing is taken from fills up, and asks the port under test for a pause.
    """
    spare = sorted(set(setup.cpus) - set(setup.cores))
    argv = card_line(setup, "0@%d,1@%d" % (setup.cores[0], (spare or setup.cores)[0]), setup.source, [], ["--txd=1024"])
    with Prompt(argv, {}) as process:
        words = " ".join("port %d dst %s.0.1-%s.0.%d" % (port, NETWORKS[port], NETWORKS[port], FLOWS) for port in range(len(setup.source)))
        for line in ("set fwd measure", "set generate flows %d %s" % (FLOWS, words),
                     "set generate-rate " + ("%dpps" % (pps / len(setup.source)) if pps else "max"), "wait link all up %ds" % LINKS_S, "start"):
            process.ask(line)
        yield
        process.ask("stop")


def recycled(answer):
    """Buffers that went from Tx rings to Rx rings; ValueError if a stream has no ring to take them from: it forwards as it does without recycling."""
    for stream in answer["streams"]:
        if not any(pair["paired"] for pair in stream["pairs"]):
            raise ValueError("recycling: %s" % next((pair["reason"] for pair in stream["pairs"]), "port %d has no pair" % stream["rx_port"]))
    return sum(stream["moved"] for stream in answer["streams"])


def total(answer, key):
    return sum(one[key] for one in answer["streams"])


def per_second(key, before, after):
    """Packets received (rx) or sent (tx)."""
    return (total(after, key) - total(before, key)) / (after["seconds"] - before["seconds"])


def forwarded(mode, before, after):
    """ValueError unless what came was forwarded."""
    came, went = (total(after, key) - total(before, key) for key in ("rx", "tx"))
    if went < came * FORWARDED - IN_FLIGHT:
        raise ValueError("%s: of %d packets %d were forwarded: send IPv4 packets to %s, slower than they are forwarded" % (
            mode, came, went, " and ".join(network + ".0.0/16" for network in NETWORKS)))


def cycles(before, after):
    """Busy cycles per packet."""
    sent, busy = (total(after, key) - total(before, key) for key in ("tx", "busy_cycles"))
    return busy / sent if sent else 0


def counter(name):
    """A hardware counter per packet, of the lcore that forwards."""
    def value(_, after):
        found = [one[name] for one in after.get("hardware") or [] if one.get(name)]
        return found[0] if found else 0
    return value


def measure(made, process, value, setup, lockstep):
    """{mode: [cost of each slice]}; ValueError if no slice has the figure."""
    turns = process.turns(setup, lockstep)
    found = {mode: [value(*turn[mode]) for turn in turns] for mode in process.ways}
    made.note = process.note
    if not any(map(any, found.values())):
        raise ValueError("nothing that this machine counts")
    if not any(map(all, zip(*found.values()))):
        raise ValueError("no sample in which all modes forwarded packets")
    return found


def case(name, process, value):
    made = modes.Case(name, tuple(name.split("/")), tuple(process.ways), None)
    made.measure = lambda setup, lockstep: measure(made, process, value, setup, lockstep)
    return made


def is_mixed(ports):
    """Whether two ports are of different devices."""
    def device(address):
        try:
            return (folder_of(address) / "device").read_text(encoding="ascii")
        except OSError:
            return address.partition("model")[1]
    return len({device(address) for address in ports}) > 1


def make_cases(ports):
    """All cases. ports: of --nic, or none."""
    if not ports:
        return
    mixed = "-mixed" if is_mixed(ports) else ""
    for free, offloads in FREE.items():
        yield case("nic/recycle%s/%s/cycles" % (mixed, free), Process("l3fwd", RECYCLE, free=offloads), cycles)
    yield case("nic/extbuf/cycles", Process("extbuf", EXTBUF), cycles)
    for word, width in WIDTHS.items():
        yield case("nic/pipeline/%s/cycles" % word, Process("ring_pipeline", RINGS, width), cycles)
        counted = Process("ring_pipeline", RINGS, width, before=("set record-hw-counters on",))
        yield from (case("pmu/%s/%s" % (word, event), counted, counter(event)) for event in EVENTS)
