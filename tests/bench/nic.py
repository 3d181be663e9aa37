# SPDX-License-Identifier: BSD-3-Clause
# Published figures that need a card: recycling, external buffers and zero-copy rings on two ports of it, and hardware counters.
"""
bench.py --nic ADDRESS,ADDRESS names two ports that DPDK can use (`--nic model`: modelled XL710s, to try the cases). Packets come from outside, or the two
ports are cabled to each other: each slice starts with packets of its own (`start tx_first`). The modes of a case take turns in one process, in the order
A B B A, SLICE_MS each, after SETTLE_MS. nic/.../rate: nanoseconds per packet; nic/.../cycles: TSC cycles per packet of polls that had packets;
pmu/WIDTH/EVENT: hardware counters per packet.
"""

import modes

SLICE_MS, SETTLE_MS, BURST = 200, 50, 32
WIDTHS = {"scalar": 64, "vector": 512}
# FREE: value of --tx-offloads.
FREE = {"fast-free": "0x10000", "no-fast-free": "0x0"}
RECYCLE = {"io": ["set recycle off"], "io recycled": ["set recycle on"]}
EXTBUF = {mode: ["set extbuf mode " + mode] for mode in ("copy", "pinned")}
RINGS = {mode: ["set pipeline mode " + mode] for mode in ("copy", "zc")}
EVENTS = ("stalled_backend", "stalled_frontend", "l1d_refills", "l2_refills", "l3_refills", "l2_writebacks", "l1d_writebacks", "mc_requests", "ipc")


class Process:
    """One process that measures all modes; the cases that read its answers share it."""

    def __init__(self, ways, before, width=512, free="0x0"):
        self.ways, self.before, self.width, self.free = ways, before, width, free
        self.found = None

    def slices(self, setup, lockstep):
        """[(mode, answer before, answer after)] of all slices."""
        if self.found is None:
            order = [mode for turn in range(setup.runs) for mode in (list(self.ways)[::-1] if turn % 2 else self.ways)]
            lines = ["set record-core-cycles on", *self.before]
            for mode in order:
                lines += [*self.ways[mode], "start tx_first 8", "watch show fwd stats all every %g count 2" % (SETTLE_MS / 1000),
                          "watch show fwd stats all every %g count 2" % (SLICE_MS / 1000), "stop"]
            argv, env = self.command_line(setup, lockstep)
            shown = [one for one in modes.ask(argv, lines, env) if one.get("command") == "show fwd stats all"]
            self.found = list(zip(order, shown[2::4], shown[3::4]))
        return self.found

    def command_line(self, setup, lockstep):
        app = ["--tx-offloads=" + self.free, "--rxd=1024", "--txd=1024", "--burst=%d" % BURST]
        eal = ["--iova-mode=va", "--force-max-simd-bitwidth=%d" % self.width]
        lcores = "0@%d,1@%d" % setup.cores
        if setup.nic == ["model"]:
            argv = modes.command_line(setup.binary["a"], lcores, setup, ["-d", modes.plugin_of(lockstep), *eal], app)
            return argv, {"MODEL_NIC": "xl710,flows=16*2"}
        argv = modes.command_line(setup.binary["a"], lcores, setup, [*(word for address in setup.nic for word in ("-a", address)), *eal], app)
        return [word for word in argv if word != "--no-pci"], {}


def rate(before, after):
    """Nanoseconds per packet."""
    sent = sum(one["tx"] for one in after["streams"]) - sum(one["tx"] for one in before["streams"])
    return (after["seconds"] - before["seconds"]) * 1e9 / sent if sent else 0


def cycles(before, after):
    """Busy cycles per packet."""
    sent, busy = (sum(one[key] for one in after["streams"]) - sum(one[key] for one in before["streams"]) for key in ("tx", "busy_cycles"))
    return busy / sent if sent else 0


def counter(name):
    """A hardware counter per packet, of the lcore that forwards."""
    def value(_, after):
        found = [one[name] for one in after.get("hardware") or [] if one.get(name)]
        return found[0] if found else 0
    return value


def measure(process, value, setup, lockstep):
    """{mode: [cost of each slice]}; ValueError if no slice has the figure."""
    found = {mode: [] for mode in process.ways}
    for mode, before, after in process.slices(setup, lockstep):
        found[mode].append(value(before, after))
    if not any(map(any, found.values())):
        raise ValueError("no packets, or nothing that this machine counts: connect the ports, or send packets to them")
    return found


def case(name, process, value):
    made = modes.Case(name, tuple(name.split("/")), tuple(process.ways), None)
    made.measure = lambda setup, lockstep: measure(process, value, setup, lockstep)
    return made


def both(name, process):
    yield case(name + "/rate", process, rate)
    yield case(name + "/cycles", process, cycles)


def is_mixed(ports):
    """Whether two ports are of different devices."""
    def device(address):
        try:
            with open("/sys/bus/pci/devices/%s/device" % address, encoding="ascii") as file:
                return file.read()
        except OSError:
            return address.partition("model")[1]
    return len({device(address) for address in ports}) > 1


def make_cases(ports):
    """All cases. ports: of --nic, or none."""
    if not ports:
        return
    mixed = "-mixed" if is_mixed(ports) else ""
    for free, offloads in FREE.items():
        yield from both("nic/recycle%s/%s" % (mixed, free), Process(RECYCLE, ["set fwd io"], free=offloads))
    yield from both("nic/extbuf", Process(EXTBUF, ["set fwd extbuf"]))
    for word, width in WIDTHS.items():
        prepare = ["set fwd ring_pipeline", "set pipeline io 1 workers 1", "set pipeline stage none"]
        yield from both("nic/pipeline/" + word, Process(RINGS, prepare, width))
        counted = Process(RINGS, [*prepare, "set record-hw-counters on"], width)
        yield from (case("pmu/%s/%s" % (word, event), counted, counter(event)) for event in EVENTS)
