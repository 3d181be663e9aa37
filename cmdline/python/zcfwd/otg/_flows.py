# SPDX-License-Identifier: BSD-3-Clause
"""Flows of OTG as the generate streams of zcfwd (doc/measure.md): each flow is one stream."""
from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Optional

from ._devices import Interface, gateway_mac, interface_named
from ._headers import Header, head_bytes, head_words, headers_read
from ._values import FLOWS_MAX, Reader, Refused, Values

FCS_BYTES = 4  # OTG's sizes have them, those of zcfwd do not
PROBE_BYTES = 18
L1_BYTES = 24  # of a packet on the wire besides: CRC, preamble and gap
GAP_BYTES = 12  # the least gap of Ethernet, which is part of these
SIZE_MAX = 16384
SIZES_MAX = 4096
LINE_BYTES_MAX = 4000
BURST_MAX = 65535
# Predefined distributions of OTG: sizes with CRC, and weights.
IMIX = {
    "imix": ((64, 7), (570, 4), (1518, 1)),
    "ipsec_imix": ((90, 58.67), (92, 2), (594, 23.66), (1418, 15.67)),
    "ipv6_imix": ((60, 58.67), (496, 2), (594, 23.66), (1518, 15.67)),
    "standard_imix": ((58, 58.67), (62, 2), (594, 23.66), (1518, 15.67)),
    "tcp_imix": ((90, 58.67), (92, 2), (594, 23.66), (1518, 15.67)),
}
RATES = {"pps": ("pps", 1), "bps": ("bps", 1), "kbps": ("bps", 1e3), "mbps": ("bps", 1e6), "gbps": ("bps", 1e9), "percentage": ("%", 1)}
TIMES = {"bytes": 0.0, "nanoseconds": 1.0, "microseconds": 1e3}  # in ns; bytes depend on the link


@dataclasses.dataclass(frozen=True)
class Sizes:
    """As the word size has them. mean: with CRC."""
    words: str
    mean: float


@dataclasses.dataclass(frozen=True)
class End:
    """When a flow begins and ends, and its gaps. packets, seconds 0: no such end; gaps: the word's value, "": even."""
    packets: int = 0
    seconds: float = 0
    delay_ns: int = 0
    gaps: str = ""


@dataclasses.dataclass(frozen=True)
class Link:
    """Where a flow goes out. mbps 0: unknown."""
    port: int
    mbps: int


@dataclasses.dataclass(frozen=True)
class Ends:
    """Where flows may begin and end. speeds: of the links, in Mbit/s, by the ports' numbers."""
    ports: Mapping[str, int]
    speeds: Mapping[int, int]
    interfaces: Sequence[Interface] = ()


@dataclasses.dataclass(frozen=True)
class Flow:
    """A flow that can be sent, by the stream of that name. words: of the stream without its state, end and rate. size: mean bytes with CRC."""
    name: str
    path: str
    tx_port: int
    tx_name: str
    rx_names: tuple[str, ...]
    stream: str
    words: str
    size_words: str
    rate: str  # "pps", "bps" or "%"
    rate_value: float
    end: End
    size: float
    enabled: bool  # metrics
    latency: bool

    def line(self, state: str) -> str:
        """The command that describes the stream."""
        return f"{self.change(state)} size {self.size_words} {self.words}"

    def change(self, state: str) -> str:
        """The command that changes the stream, also during a run, and lets it begin again."""
        delay = f" delay {self.end.delay_ns}ns" if self.end.delay_ns else ""
        return f"{self.rate_line()} count {self.end.packets} duration {round(self.end.seconds * 1e6)}us{delay} state {state}"

    def rate_line(self) -> str:
        return f"set generate stream {self.stream} rate {plain(self.rate_value)}{self.rate}"


def plain(value: float) -> str:
    """A number without exponent."""
    return f"{value:.9f}".rstrip("0").rstrip(".")


# Sizes.

def sizes_read(reader: Optional[Reader], least: int) -> Sizes:
    """Without any, the least one, 64 or more."""
    usual = max(64, least)
    if reader is None:
        return Sizes(str(usual - FCS_BYTES), usual)
    name, chosen = reader.choice("fixed", ("fixed", "increment", "random", "weight_pairs"))
    reader.seen.update(fixed=True, increment=True, random=True, weight_pairs=True)
    reader.finish()
    path = f"{reader.path}.{name}"
    if name == "fixed":
        size = chosen.integer(1, SIZE_MAX + FCS_BYTES) if chosen is not None else usual
        smallest, sizes = size, Sizes(str(size - FCS_BYTES), size)
    elif name == "weight_pairs":
        smallest, sizes = weights_read(chosen, path)
    else:
        smallest, sizes = range_read(chosen if chosen is not None else Reader({}, path), name)
    if smallest < least:
        raise Refused([f"{path}: {smallest} bytes: expected at least {least}: the headers of {least - PROBE_BYTES - FCS_BYTES} bytes, "
                       f"a probe of {PROBE_BYTES} by which loss and latency are measured, and the CRC"])
    return sizes


def range_read(reader: Reader, name: str) -> tuple[int, Sizes]:
    """Sizes from one end to the other: in order by a step, or in random order."""
    names = ("start", "end") if name == "increment" else ("min", "max")
    low, high = (found.integer(1, SIZE_MAX + FCS_BYTES) if found is not None else default
                 for found, default in zip(map(reader.get, names), (64, 1518)))
    step = reader.get("step") if name == "increment" else None
    distance = step.integer(1, SIZE_MAX) if step is not None else 1
    reader.finish()
    if high < low:
        raise Reader(None, f"{reader.path}.{names[1]}").refuse(f"{high}: expected at least {low}, the {names[0]}")
    if name == "random":
        return low, Sizes(f"{low - FCS_BYTES}-{high - FCS_BYTES}", (low + high) / 2)
    n = (high - low) // distance + 1
    if n > SIZES_MAX:
        raise Refused([f"{reader.path}: {n} sizes: expected at most {SIZES_MAX}, or a larger step"])
    return low, Sizes(f"{low - FCS_BYTES}+{distance}*{n}", low + distance * (n - 1) / 2)


def pairs_read(chosen: Optional[Reader], path: str) -> Sequence[tuple[int, float]]:
    reader = chosen if chosen is not None else Reader({}, path)
    name, found = reader.choice("predefined", ("predefined", "custom"))
    reader.seen.update(predefined=True, custom=True)
    reader.finish()
    if name == "predefined":
        wanted = found.text() if found is not None else "imix"
        if wanted not in IMIX:
            raise (found or reader).refuse(f"{wanted}: expected {' or '.join(IMIX)}")
        return IMIX[wanted]
    pairs: list[tuple[int, float]] = []
    for one in found.items() if found is not None else []:
        size, weight = one.get("size"), one.get("weight")
        pairs.append((size.integer(12, SIZE_MAX + FCS_BYTES) if size is not None else 64, weight.number(0, 1e9) if weight is not None else 1))
        one.finish()
    pairs = [(size, weight) for size, weight in pairs if weight > 0]
    if not pairs:
        raise reader.refuse("expected pairs with a weight above 0")
    return pairs


def weights_read(chosen: Optional[Reader], path: str) -> tuple[int, Sizes]:
    """Pairs of size and weight. Weights that are no small numbers become such of 4000 in sum."""
    pairs = pairs_read(chosen, path)
    total = sum(weight for _, weight in pairs)
    whole = all(weight == int(weight) for _, weight in pairs) and total <= SIZES_MAX
    weights = [int(weight) if whole else max(1, int(weight / total * 4000)) for _, weight in pairs]
    words = ",".join(f"{size - FCS_BYTES}:{weight}" for (size, _), weight in zip(pairs, weights))
    if sum(weights) > SIZES_MAX or len(words) >= LINE_BYTES_MAX:
        raise Refused([f"{path}: {len(pairs)} sizes: expected fewer"])
    return min(size for size, _ in pairs), Sizes(words, sum(size * weight for size, weight in pairs) / total)


# Headers.

def stream_words(path: str, headers: Sequence[Header], packets: int, inner_crc: bool) -> str:
    """The words for the headers of a flow: packet j has value j of each field."""
    fields = [values for header in headers for _, values in header.fields]
    n = math.lcm(*(values.count for values in fields))
    flows = min(n, packets) if packets else n
    if flows > FLOWS_MAX:
        raise Refused([f"{most(fields).path or path}: {n} packets until all values repeat: expected at most {FLOWS_MAX}, "
                       "or numbers of values that divide each other"])
    words = f"{head_words(headers, inner_crc)} flows {flows}"
    if len(words) > LINE_BYTES_MAX:
        longest = max(fields, key=lambda values: len(values.words))
        raise Refused([f"{longest.path or path}: {longest.count} values: expected fewer: the flow has {len(words)} characters as a command, of {LINE_BYTES_MAX}"])
    return words


def most(fields: Sequence[Values]) -> Values:
    return max(fields, key=lambda values: values.count)


def label(index: int, name: str) -> str:
    """The name of a stream: letters that a stream may have."""
    return f"{index}-" + "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in name)[:18]


# The members of a flow.

def rate_read(reader: Optional[Reader]) -> tuple[str, float]:
    if reader is None:
        return "pps", 1000
    name, chosen = reader.choice("pps", tuple(RATES))
    reader.seen.update(dict.fromkeys(RATES, True))
    reader.finish()
    unit, factor = RATES[name]
    if chosen is None:
        return unit, {"pps": 1000.0, "bps": 1e9, "%": 100.0}[unit]
    value = chosen.number(0, 100) if unit == "%" else chosen.integer(1, 10 ** 14)
    if value == 0:
        raise chosen.refuse("0: expected more; stop the flow to send nothing")
    return unit, value * factor


def time_read(reader: Optional[Reader], link: Link, otherwise: float) -> float:
    """A time in ns, as bytes on the link or as itself. otherwise: bytes of which it is without any."""
    name, found = ("bytes", None) if reader is None else reader.choice("bytes", tuple(TIMES))
    if reader is not None:
        reader.seen.update(dict.fromkeys(TIMES, True))
        reader.finish()
    if found is not None and name != "bytes":
        return found.number(0, 1e15 / TIMES[name]) * TIMES[name]
    amount = found.number(0, 1e15) if found is not None else otherwise if name == "bytes" else otherwise * 8 / TIMES[name]
    if amount and name == "bytes" and not link.mbps:
        if found is None:
            return 0
        raise found.refuse(f"{amount:g}: the speed of the link of port {link.port} is unknown: expected nanoseconds or microseconds")
    return amount * (8000 / link.mbps if name == "bytes" and amount else TIMES[name])


def idle_ns(link: Link, rate: tuple[str, float], size: float) -> float:
    """The time between two packets on the wire, which the rate makes. 0: unknown."""
    if not link.mbps:
        return 0
    unit, value = rate
    wire = (size - FCS_BYTES + L1_BYTES) * 8000 / link.mbps
    every = 1e9 / value if unit == "pps" else wire * 100 / value if unit == "%" else (size - FCS_BYTES + L1_BYTES) * 8e9 / value
    return every - wire + GAP_BYTES * 8000 / link.mbps


def gap_check(reader: Optional[Reader], link: Link, idle: float) -> None:
    """Refuse a least gap between packets that is more than the rate leaves."""
    if reader is None or reader.integer(0, (1 << 32) - 1) <= GAP_BYTES:
        return
    if not link.mbps:
        raise reader.refuse(f"{reader.value}: the speed of the link of port {link.port} is unknown: expected at most {GAP_BYTES}")
    room = idle * link.mbps / 8000
    if reader.integer(0, (1 << 32) - 1) > room:
        raise reader.refuse(f"{reader.value}: the rate leaves {room:.0f} bytes between packets: expected at most as many, or a lower rate")


def burst_read(reader: Reader, link: Link, idle: float) -> End:
    """Bursts at the rate of the flow, with a gap behind each."""
    bursts, packets = reader.get("bursts"), reader.get("packets")
    n = packets.integer(1, BURST_MAX) if packets is not None else 1
    all_bursts = bursts.integer(0, (1 << 32) - 1) if bursts is not None else 0
    pause = max(0.0, time_read(reader.get("inter_burst_gap"), link, GAP_BYTES) - idle)
    reader.finish()
    return End(all_bursts * n, gaps=f"burst:{n}:{round(pause)}ns")


def duration_read(reader: Optional[Reader], link: Link, rate: tuple[str, float], size: float) -> End:
    if reader is None:
        return End()
    names = ("continuous", "fixed_packets", "fixed_seconds", "burst")
    name, chosen = reader.choice("continuous", names)
    reader.seen.update(dict.fromkeys(names, True))
    reader.finish()
    if chosen is None:
        chosen = Reader({}, f"{reader.path}.{name}")
    idle = idle_ns(link, rate, size)
    gap_check(chosen.get("gap"), link, idle)
    if name == "burst":
        return burst_read(chosen, link, idle)
    delay = round(time_read(chosen.get("delay"), link, 0))
    packets = chosen.get("packets") if name == "fixed_packets" else None
    seconds = chosen.get("seconds") if name == "fixed_seconds" else None
    chosen.finish()
    if name == "fixed_packets":
        return End(packets.integer(1, (1 << 32) - 1) if packets is not None else 1, delay_ns=delay)
    if name == "fixed_seconds":
        return End(seconds=seconds.number(0.001, 1e6) if seconds is not None else 1, delay_ns=delay)
    return End(delay_ns=delay)


def metrics_read(reader: Optional[Reader]) -> tuple[bool, bool]:
    """Whether metrics are wanted, and latency."""
    if reader is None:
        return False, False
    enable, latency = reader.get("enable"), reader.get("latency")
    loss = reader.get("loss")
    if loss is not None:
        loss.boolean()
    reader.only("timestamps", False, ": when packets arrived is not kept")
    reader.only("rx_tx_ratio", None, "no flow is received several times")
    reader.only("predefined_metric_tags", None, "no metrics by value of a field")
    reader.finish()
    wanted = False
    if latency is not None:
        wanted_member, mode = latency.get("enable"), latency.get("mode")
        wanted = wanted_member is not None and wanted_member.boolean()
        if mode is not None and mode.text() not in ("store_forward", "cut_through", "unspecified"):
            raise mode.refuse(f"{mode.text()}: expected store_forward or cut_through")
        latency.finish()
    return enable is not None and enable.boolean(), wanted


def port_ends_read(port: Reader, ports: Mapping[str, int]) -> tuple[str, tuple[str, ...]]:
    """Names of the ports that send and receive a flow."""
    tx = port.need("tx_name", "the name of a port")
    if tx.text() not in ports:
        raise tx.refuse(f"{tx.text()!r}: there is no such port: expected {' or '.join(map(repr, ports)) or 'ports in the config'}")
    names = port.get("rx_names")
    found = names.items() if names is not None else []
    single = port.get("rx_name")
    if single is not None:
        found = [single, *found]
    port.finish()
    for one in found:
        if one.text() not in ports:
            raise one.refuse(f"{one.text()!r}: there is no such port: expected {' or '.join(map(repr, ports))}")
    return tx.text(), tuple(one.text() for one in found)


def device_ends_read(device: Reader, ends: Ends) -> tuple[str, tuple[str, ...], Optional[int]]:
    """As port_ends_read() for a flow between devices, and the MAC address of its next hop; None: it is not known."""
    sides = []
    for member in ("tx_names", "rx_names"):
        found = device.need(member, "the name of a device").items()
        if len(found) != 1:
            raise Reader(None, f"{device.path}.{member}").refuse(f"{len(found)} names: expected one, and a flow for each pair of devices")
        sides.append((interface_named(found[0], ends.interfaces), found[0].text()))
    mode = device.get("mode")
    if mode is not None and mode.text() not in ("mesh", "one_to_one", "unspecified"):
        raise mode.refuse(f"{mode.text()}: expected mesh or one_to_one")
    device.only("bidirectional", False, ": a flow has one direction")
    device.finish()
    (tx, name), (rx, _) = sides
    return tx.port_name, (rx.port_name,), gateway_mac(tx, name, ends.interfaces)


def ends_read(reader: Reader, ends: Ends) -> tuple[str, tuple[str, ...], Optional[int]]:
    """As device_ends_read(), for any flow. A flow between ports has no next hop: OTG's MAC address 0."""
    name, chosen = reader.choice("port", ("port", "device"))
    reader.finish()
    if chosen is None:
        raise Reader(None, f"{reader.path}.{name}").refuse(f"missing: expected {'tx_name' if name == 'port' else 'tx_names'}")
    return (*port_ends_read(chosen, ends.ports), 0) if name == "port" else device_ends_read(chosen, ends)


def flow_read(reader: Reader, index: int, ends: Ends, inner_crc: bool, warnings: list[str]) -> Flow:
    """A flow of a config. Refused names the member that is wrong."""
    name = reader.need("name", "a string").text()
    tx, rx, next_hop = ends_read(reader.need("tx_rx", "an object with port or device"), ends)
    link = Link(ends.ports[tx], ends.speeds.get(ends.ports[tx], 0))
    headers = headers_read(reader.need("packet", "a list of headers"), next_hop, warnings)
    sizes = sizes_read(reader.get("size"), head_bytes(headers) + PROBE_BYTES + FCS_BYTES)
    unit, value = rate_read(reader.get("rate"))
    end = duration_read(reader.get("duration"), link, (unit, value), sizes.mean)
    enabled, latency = metrics_read(reader.get("metrics"))
    reader.only("payload", None, "zcfwd's payload is zero, with a probe at its end")
    reader.only("egress_packet", None, "packets are not examined for tags")
    reader.finish()
    words = f"port {link.port} {stream_words(reader.path, headers, end.packets, inner_crc)}"
    words += (f" gaps {end.gaps}" if end.gaps else "") + (" latency on" if latency else "")
    return Flow(name, reader.path, link.port, tx, rx, label(index, name), words, sizes.words, unit, value, end, sizes.mean, enabled, latency)
