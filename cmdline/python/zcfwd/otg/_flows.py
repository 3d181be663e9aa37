# SPDX-License-Identifier: BSD-3-Clause
"""
Flows of OTG as the generate streams of zcfwd (doc/measure.md).

A flow whose headers change from packet to packet is sent in one of two ways:
- one stream with the words of a range, if it is a UDP flow in which one address or port counts up by 1;
- else a stream for each different header, each with its share of the rate. Packets are due in the order of the values.
"""
from __future__ import annotations

import dataclasses
import ipaddress
import math
from collections.abc import Mapping, Sequence
from typing import Optional

from ._headers import HEADERS, Header, head_bytes, headers_read, packet_head
from ._values import Reader, Refused, Values

FCS_BYTES = 4  # OTG's sizes have them, those of zcfwd do not
PROBE_BYTES = 18
L1_BYTES = 24  # of a packet on the wire besides: CRC, preamble and gap
STREAMS_MAX = 1024  # of all flows
FLOW_STREAMS_MAX = 256
SIZE_MAX = 16384
LINE_BYTES_MAX = 4000
GOLDEN = 2654435769  # of 2^32: the program spreads the first packets of streams by it
LATE_IN_ORDER_US = 1000000
# Predefined distributions of OTG: sizes with CRC, and weights.
IMIX = {
    "imix": ((64, 7), (570, 4), (1518, 1)),
    "ipsec_imix": ((90, 58.67), (92, 2), (594, 23.66), (1418, 15.67)),
    "ipv6_imix": ((60, 58.67), (496, 2), (594, 23.66), (1518, 15.67)),
    "standard_imix": ((58, 58.67), (62, 2), (594, 23.66), (1518, 15.67)),
    "tcp_imix": ((90, 58.67), (92, 2), (594, 23.66), (1518, 15.67)),
}
RATES = {"pps": ("pps", 1), "bps": ("bps", 1), "kbps": ("bps", 1e3), "mbps": ("bps", 1e6), "gbps": ("bps", 1e9), "percentage": ("%", 1)}
Sizes = tuple[tuple[int, float], ...]


@dataclasses.dataclass(frozen=True)
class Stream:
    """A generate stream: its name, its words without state, count and rate, and its share of the flow."""
    name: str
    words: str
    rate_share: float
    count: int  # 0: no end


@dataclasses.dataclass(frozen=True)
class Flow:
    """A flow that can be sent. size: mean bytes with CRC."""
    index: int
    name: str
    path: str
    tx_port: int
    tx_name: str
    rx_names: tuple[str, ...]
    streams: tuple[Stream, ...]
    rate: str  # "pps", "bps" or "%"
    rate_value: float
    seconds: float
    packets: int
    size: float
    enabled: bool  # metrics
    latency: bool
    ordered: bool  # the order of packets of several streams matters

    def line(self, stream: Stream, state: str) -> str:
        """The command that describes a stream."""
        return f"{self.change(stream, state, stream.count)} {stream.words}"

    def change(self, stream: Stream, state: str, count: int) -> str:
        """The command that changes a stream, also during a run, and lets it begin again. count: packets that it sends, 0: no end."""
        rate = plain(self.rate_value * stream.rate_share)
        return f"set generate stream {stream.name} rate {rate}{self.rate} count {count} duration {round(self.seconds * 1000)}ms state {state}"


def plain(value: float) -> str:
    """A number without exponent."""
    return f"{value:.9f}".rstrip("0").rstrip(".")


# Sizes.

def sizes_read(reader: Optional[Reader], least: int) -> tuple[Sizes, str]:
    """Sizes with CRC and their weights, and their path. Without any, the least one, 64 or more."""
    if reader is None:
        return ((max(64, least), 1),), ""
    name, chosen = reader.choice("fixed", ("fixed", "increment", "random", "weight_pairs"))
    reader.seen.update(fixed=True, increment=True, random=True, weight_pairs=True)
    reader.finish()
    path = f"{reader.path}.{name}"
    if name == "fixed":
        sizes: Sizes = ((chosen.integer(1, SIZE_MAX + FCS_BYTES) if chosen is not None else max(64, least), 1),)
    elif name == "weight_pairs":
        sizes = pairs_read(chosen, path)
    else:
        sizes = range_read(chosen, name)
    if min(size for size, _ in sizes) < least:
        raise Refused([f"{path}: {min(size for size, _ in sizes)} bytes: expected at least {least}: the headers of {least - PROBE_BYTES - FCS_BYTES} bytes, "
                       f"a probe of {PROBE_BYTES} by which loss and latency are measured, and the CRC"])
    return sizes, path


def range_read(chosen: Optional[Reader], name: str) -> Sizes:
    reader = chosen if chosen is not None else Reader({}, "")
    names = ("start", "end") if name == "increment" else ("min", "max")
    ends = []
    for member, default in zip(names, (64, 1518)):
        found = reader.get(member)
        ends.append(found.integer(1, SIZE_MAX + FCS_BYTES) if found is not None else default)
    step = reader.get("step") if name == "increment" else None
    distance = step.integer(1, SIZE_MAX) if step is not None else 1
    reader.finish()
    if ends[1] < ends[0]:
        raise Reader(None, f"{reader.path}.{names[1]}").refuse(f"{ends[1]}: expected at least {ends[0]}, the {names[0]}")
    return tuple((size, 1) for size in range(ends[0], ends[1] + 1, distance))


def pairs_read(chosen: Optional[Reader], path: str) -> Sizes:
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
    return tuple(pairs)


def size_words(sizes: Sizes) -> Optional[str]:
    """As the word size takes them; None: it cannot."""
    lengths = [size - FCS_BYTES for size, _ in sizes]
    if len(sizes) == 1:
        return str(lengths[0])
    if all(weight == 1 for _, weight in sizes) and lengths == list(range(lengths[0], lengths[-1] + 1)) and len(sizes) <= 4096:
        return f"{lengths[0]}-{lengths[-1]}"
    total = sum(weight for _, weight in sizes)
    whole = all(weight == int(weight) for _, weight in sizes) and total <= 4096
    weights = [int(weight) if whole else max(1, int(weight / total * 4000)) for _, weight in sizes]
    words = ",".join(f"{length}:{weight}" for length, weight in zip(lengths, weights))
    return words if sum(weights) <= 4096 and len(words) < LINE_BYTES_MAX else None


# Ranges.

RANGES = {"src_port": "sport", "dst_port": "dport"}
SHAPES = {
    ("ethernet", "ipv4", "udp"), ("ethernet", "vlan", "ipv4", "udp"), ("ethernet", "vlan", "vlan", "ipv4", "udp"),
    ("ethernet", "ipv6", "udp"), ("ethernet", "vlan", "ipv6", "udp"),
}


def typed(value: int, name: str, header: str) -> str:
    """A value as the words of zcfwd have it."""
    if header == "ethernet":
        return ":".join(f"{value >> shift & 0xff:02x}" for shift in range(40, -1, -8))
    if name in ("src", "dst"):
        return str(ipaddress.IPv4Address(value) if header == "ipv4" else ipaddress.IPv6Address(value))
    return str(value)


def word_of(header: Header, name: str, vlans: int) -> Optional[str]:
    """The word for a field; None: there is none."""
    if header.name == "ethernet":
        return {"src": "smac", "dst": "dmac"}.get(name)
    if header.name == "vlan":
        return {"id": "vlan" if vlans == 1 else "qinq"}.get(name)
    if header.name in ("ipv4", "ipv6"):
        return {"src": "src", "dst": "dst", "time_to_live": "ttl", "hop_limit": "ttl"}.get(name)
    return RANGES.get(name)


def range_words(headers: Sequence[Header]) -> Optional[str]:
    """The words of one stream that sends these headers; None: there are none."""
    if tuple(header.name for header in headers) not in SHAPES or sum(header.name == "vlan" for header in headers) > 1:
        return None
    words = ["proto udp"]
    flows, counts = 1, []
    for header in headers:
        for field, values in zip(HEADERS[header.name], header.values):
            word = word_of(header, field.name, 1)
            usual = values.auto or (values.count == 1 and values.first in (field.default, -1))
            if word is None:
                if not usual:
                    return None
                continue
            if values.auto:
                return None
            if values.count > 1 and (values.step != 1 or word == "ttl"):
                return None
            if word == "ttl" and values.first == 0:
                return None
            text = typed(values.first, field.name, header.name)
            if values.count > 1:
                text += "-" + typed(values.first + values.count - 1, field.name, header.name)
                counts.append(values.count)
                if word in ("src", "dst", "sport", "dport"):
                    if flows > 1:
                        return None
                    flows = values.count
            words.append(f"{word} {text}")
    if any(flows % count for count in counts) or flows > 1 << 20:
        return None
    return " ".join([*words, f"flows {flows}"])


# The streams of a flow.

def due_order(first_place: int, n: int) -> list[int]:
    """Which of n streams from a place on is due first, second, and so on: the program spreads them by fractions of the golden ratio."""
    return sorted(range(n), key=lambda i: (first_place + i) * GOLDEN % (1 << 32))


def period(headers: Sequence[Header]) -> int:
    return math.lcm(*(values.count for header in headers for values in header.values))


def label(index: int, name: str, part: Optional[int]) -> str:
    """The name of a stream: letters that a stream may have."""
    clean = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in name)
    return f"{index}-{clean[:18]}" + ("" if part is None else f".{part}")


@dataclasses.dataclass(frozen=True)
class Wanted:
    """What the streams of a flow have in common. place: of its first stream among all."""
    index: int
    name: str
    path: str
    port: int
    place: int
    packets: int
    latency: bool
    unit: str
    inner_crc: bool


def varying(headers: Sequence[Header]) -> Values:
    """The field with the most values."""
    return max((values for header in headers for values in header.values), key=lambda values: values.count)


def streams_of(wanted: Wanted, headers: Sequence[Header], sizes: Sizes) -> tuple[Stream, ...]:
    """The streams that send a flow."""
    n = period(headers)
    words, lengths = range_words(headers), size_words(sizes)
    common = f"port {wanted.port}"
    if (n > 1 or len(sizes) > 1) and words is not None and lengths is not None:
        latency = " latency on" if wanted.latency else ""
        return (Stream(label(wanted.index, wanted.name, None), f"{common} size {lengths} {words}{latency}", 1, wanted.packets),)
    total = n * len(sizes)
    if total > FLOW_STREAMS_MAX:
        where = varying(headers).path if n > 1 else f"{wanted.path}.size"
        raise Refused([f"{where or wanted.path}: {n} different headers and {len(sizes)} sizes: expected at most {FLOW_STREAMS_MAX} together, or a UDP flow "
                       "in which one address or port counts up by 1"])
    if 0 < wanted.packets < total:
        n, total = min(n, wanted.packets), min(n, wanted.packets) * len(sizes)
    weights = [weight if wanted.unit == "pps" else weight * (size - FCS_BYTES + L1_BYTES) for size, weight in sizes]
    latency = " latency on" if wanted.latency and total == 1 else ""
    made: dict[int, Stream] = {}
    order = due_order(wanted.place, total)
    for due, place in enumerate(order):
        packet, which = due % n, due // n
        size, weight = sizes[which]
        head = packet_head(headers, packet, size - FCS_BYTES, wanted.inner_crc)
        share = weights[which] / sum(weights) / n
        count = share_of(wanted.packets, [weight for _, weight in sizes], which, n, packet)
        name = label(wanted.index, wanted.name, None if total == 1 else due)
        made[place] = Stream(name, f"{common} size {size - FCS_BYTES} raw {head.hex()}{latency}", share, count)
    return tuple(made[place] for place in range(total))


def share_of(packets: int, weights: Sequence[float], which: int, n: int, packet: int) -> int:
    """How many of the flow's packets a stream sends; the first ones have what is left of the division."""
    before = round(packets * sum(weights[:which]) / sum(weights))
    mine = round(packets * sum(weights[:which + 1]) / sum(weights)) - before
    return mine // n + (packet < mine % n)


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


def duration_read(reader: Optional[Reader]) -> tuple[int, float]:
    """Packets and seconds after which a flow ends; 0: no such end."""
    if reader is None:
        return 0, 0
    name, chosen = reader.choice("continuous", ("continuous", "fixed_packets", "fixed_seconds"))
    reader.seen.update(continuous=True, fixed_packets=True, fixed_seconds=True)
    reader.finish()
    if chosen is None:
        chosen = Reader({}, f"{reader.path}.{name}")
    chosen.only("gap", 12, ", since the rate makes the gaps")
    delay = chosen.get("delay")
    if delay is not None:
        _, amount = delay.choice("bytes", ("bytes", "nanoseconds", "microseconds"))
        if amount is not None and amount.value != 0:
            raise amount.refuse("not supported: expected 0")
    packets = chosen.get("packets") if name == "fixed_packets" else None
    seconds = chosen.get("seconds") if name == "fixed_seconds" else None
    chosen.finish()
    if name == "fixed_packets":
        return packets.integer(1, (1 << 32) - 1) if packets is not None else 1, 0
    if name == "fixed_seconds":
        return 0, seconds.number(0.001, 1e9) if seconds is not None else 1
    return 0, 0


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


def ends_read(reader: Reader, ports: Mapping[str, int]) -> tuple[str, tuple[str, ...]]:
    """Names of the ports that send and receive a flow."""
    _, port = reader.choice("port", ("port",))
    reader.finish()
    if port is None:
        raise Reader(None, f"{reader.path}.port").refuse("missing: expected tx_name")
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


def flow_read(reader: Reader, index: int, ports: Mapping[str, int], place: int, inner_crc: bool, warnings: list[str]) -> Flow:
    """A flow of a config. place: of its first stream among those of all flows. Refused names the member that is wrong."""
    name = reader.need("name", "a string").text()
    tx, rx = ends_read(reader.need("tx_rx", "an object with port"), ports)
    headers = headers_read(reader.need("packet", "a list of headers"), warnings)
    least = head_bytes(headers) + PROBE_BYTES + FCS_BYTES
    sizes, _ = sizes_read(reader.get("size"), least)
    unit, value = rate_read(reader.get("rate"))
    packets, seconds = duration_read(reader.get("duration"))
    enabled, latency = metrics_read(reader.get("metrics"))
    reader.only("payload", None, "zcfwd's payload is zero, with a probe at its end")
    reader.only("egress_packet", None, "packets are not examined for tags")
    reader.finish()
    wanted = Wanted(index, name, reader.path, ports[tx], place, packets, latency, unit, inner_crc)
    streams = streams_of(wanted, headers, sizes)
    mean = sum(size * weight for size, weight in sizes) / sum(weight for _, weight in sizes)
    return Flow(index, name, reader.path, ports[tx], tx, rx, streams, unit, value, seconds, packets, mean, enabled, latency, len(streams) > 1)
