# SPDX-License-Identifier: BSD-3-Clause
"""
Headers of packets: which fields each of them has, as rows of a table, and their bytes.

A packet's bytes behind its headers are the payload and the probe of engine measure, whose sum is zero in ones' complement
(engines/measure/probe.h). So checksums of layer 4 are those of the headers alone.
"""
from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import Optional

from ._values import IPV4_ADDRESS, IPV6_ADDRESS, MAC_ADDRESS, NUMBER, Kind, Reader, Values, constant, pattern

HEADER_BYTES_MAX = 128  # of all headers of a packet
GOOD, BAD = -1, -2  # checksums that are computed
LENGTHS = ("total_length", "payload_length", "length", "message_length")
TYPES = {"vlan": 0x8100, "ipv4": 0x0800, "ipv6": 0x86dd, "arp": 0x0806, "mpls": 0x8847, "ethernet": 0x6558}
PROTOCOLS = {"icmp": 1, "ipv4": 4, "tcp": 6, "udp": 17, "ipv6": 41, "gre": 47, "icmpv6": 58}


@dataclasses.dataclass(frozen=True)
class Field:
    """default None: computed. constant fields have no name in OTG."""
    name: str
    bits: int
    default: Optional[int] = 0
    kind: Kind = NUMBER


def checksum() -> Field:
    return Field("checksum", 16, None)


def flags(*names: str) -> tuple[Field, ...]:
    return tuple(Field(name, 1) for name in names)


def addresses(kind: Kind, *names: str) -> tuple[Field, ...]:
    return tuple(Field(name, kind.bits, 0, kind) for name in names)


CRC_BYTES = 4
PAUSE_DST = 0x0180c2000001
FIXED = ""  # the name of a field that nobody sets
ECHO = (Field("code", 8), checksum(), Field("identifier", 16), Field("sequence_number", 16))

# The rows: all fields of a header in their order. Those that OTG has below another member are in BELOW.
HEADERS: dict[str, tuple[Field, ...]] = {
    "ethernet": (*addresses(MAC_ADDRESS, "dst", "src"), Field("ether_type", 16, None)),
    "vlan": (Field("priority", 3), Field("cfi", 1), Field("id", 12), Field("tpid", 16, None)),
    "mpls": (Field("label", 20, 16), Field("traffic_class", 3), Field("bottom_of_stack", 1, None), Field("time_to_live", 8, 64)),
    "ipv4": (Field("version", 4, 4), Field("header_length", 4, 5), Field("priority", 8), Field("total_length", 16, None), Field("identification", 16),
             *flags("reserved", "dont_fragment", "more_fragments"), Field("fragment_offset", 13), Field("time_to_live", 8, 64),
             Field("protocol", 8, None), Field("header_checksum", 16, None), *addresses(IPV4_ADDRESS, "src", "dst")),
    "ipv6": (Field("version", 4, 6), Field("traffic_class", 8), Field("flow_label", 20), Field("payload_length", 16, None),
             Field("next_header", 8, None), Field("hop_limit", 8, 64), *addresses(IPV6_ADDRESS, "src", "dst")),
    "udp": (Field("src_port", 16), Field("dst_port", 16), Field("length", 16, None), checksum()),
    "tcp": (Field("src_port", 16), Field("dst_port", 16), Field("seq_num", 32), Field("ack_num", 32), Field("data_offset", 4, 5), Field(FIXED, 3),
            *flags("ecn_ns", "ecn_cwr", "ecn_echo", "ctl_urg", "ctl_ack", "ctl_psh", "ctl_rst", "ctl_syn", "ctl_fin"), Field("window", 16), checksum(),
            Field(FIXED, 16)),
    "icmp": (Field("type", 8, 8), *ECHO),
    "icmpv6": (Field("type", 8, 128), *ECHO),
    "arp": (Field("hardware_type", 16, 1), Field("protocol_type", 16, 0x0800), Field("hardware_length", 8, 6), Field("protocol_length", 8, 4),
            Field("operation", 16, 1), Field("sender_hardware_addr", 48, 0, MAC_ADDRESS), Field("sender_protocol_addr", 32, 0, IPV4_ADDRESS),
            Field("target_hardware_addr", 48, 0, MAC_ADDRESS), Field("target_protocol_addr", 32, 0, IPV4_ADDRESS)),
    "vxlan": (Field("flags", 8, 8), Field("reserved0", 24), Field("vni", 24), Field("reserved1", 8)),
    "gre": (Field("checksum_present", 1), Field("reserved0", 12), Field("version", 3), Field("protocol", 16, None)),
    "gtpv1": (Field("version", 3, 1), *(Field(name, 1, n) for name, n in (("protocol_type", 1), ("reserved", 0), ("e_flag", 0), ("s_flag", 0), ("pn_flag", 0))),
              Field("message_type", 8), Field("message_length", 16, None), Field("teid", 32)),
    "pfcpause": (Field("dst", 48, PAUSE_DST, MAC_ADDRESS), Field("src", 48, 0, MAC_ADDRESS), Field("ether_type", 16, 0x8808),
                 Field("control_op_code", 16, 0x0101), Field("class_enable_vector", 16), *(Field(f"pause_class_{n}", 16) for n in range(8))),
    "ethernetpause": (Field("dst", 48, PAUSE_DST, MAC_ADDRESS), Field("src", 48, 0, MAC_ADDRESS), Field("ether_type", 16, 0x8808),
                      Field("control_op_code", 16, 1), Field("time", 16)),
    "custom": (),
}
# Names that OTG has for the eight bits of IPv4's field, by the member that holds them.
PRIORITIES: dict[str, tuple[tuple[str, int], ...]] = {
    "dscp": (("phb", 6), ("ecn", 2)),
    "tos": (("precedence", 3), ("delay", 1), ("throughput", 1), ("reliability", 1), ("monetary", 1), ("unused", 1)),
}
# Members that change nothing, or that are accepted with one value. Text: the warning.
IDLE = {("ethernet", "pfc_queue"): "the queue of a class of priority is not chosen", ("gre", "checksum"): "", ("gre", "reserved1"): ""}
# Flags of fields behind the header, which it then lacks.
ABSENT = {"gre": ("checksum_present",), "gtpv1": ("e_flag", "s_flag", "pn_flag")}
PSEUDO = ("udp", "tcp", "icmpv6")  # their checksum is over addresses, too
FIRST = ("ethernet", "pfcpause", "ethernetpause", "custom")


@dataclasses.dataclass(frozen=True)
class Header:
    """A header of a flow: the values of each field, in their order. raw: of custom."""
    name: str
    values: tuple[Values, ...]
    path: str
    raw: bytes = b""

    @property
    def bytes(self) -> int:
        return len(self.raw) or sum(field.bits for field in HEADERS[self.name]) // 8

    def of(self, name: str) -> Values:
        return next(values for field, values in zip(HEADERS[self.name], self.values) if field.name == name)


def checksum_read(reader: Optional[Reader]) -> Values:
    if reader is None:
        return constant(GOOD)
    name, chosen = reader.choice("generated", ("generated", "custom"))
    reader.seen.update(generated=True, custom=True)
    reader.finish()
    if name == "custom":
        return constant(chosen.integer(0, 0xffff) if chosen is not None else 0)
    if chosen is not None and chosen.text() not in ("good", "bad", "unspecified"):
        raise chosen.refuse(f"{chosen.text()}: expected good or bad")
    return constant(BAD if chosen is not None and chosen.text() == "bad" else GOOD)


def joined(parts: Sequence[tuple[Values, int]], path: str) -> Values:
    """The values of a field whose bits have several names."""
    longest = max((values for values, _ in parts), key=lambda one: one.count)
    for values, _ in parts:
        if longest.count % values.count:
            raise Reader(None, path).refuse(f"{values.count} and {longest.count} values: expected one number of values to be a multiple of the other")

    def value(i: int) -> int:
        all_bits = 0
        for values, bits in parts:
            all_bits = all_bits << bits | values.at(i)
        return all_bits
    return Values(value, longest.count, value(0), 0 if longest.count == 1 else None, path=longest.path)


def priority_read(reader: Optional[Reader]) -> Values:
    """IPv4's DSCP and ECN, by any of OTG's names."""
    if reader is None:
        return constant(0)
    name, chosen = reader.choice("dscp", ("dscp", "tos", "raw"))
    reader.seen.update(dscp=True, tos=True, raw=True)
    reader.finish()
    if name == "raw":
        return pattern(chosen, NUMBER, 8, 0)
    if chosen is None:
        return constant(0)
    parts = [(pattern(chosen.get(part), NUMBER, bits, 0), bits) for part, bits in PRIORITIES[name]]
    chosen.finish()
    return joined(parts, chosen.path)


def custom_read(reader: Reader) -> Header:
    found = reader.need("bytes", "hexadecimal digits")
    digits = re.sub(r"^0[xX]|[: ]", "", found.text())
    if not digits or len(digits) % 2 or not re.fullmatch("[0-9a-fA-F]+", digits):
        raise found.refuse("expected an even number of hexadecimal digits")
    reader.only("metric_tags", None, "no metrics by value of a field")
    reader.finish()
    return Header("custom", (), reader.path, bytes.fromhex(digits))


def header_read(reader: Reader, warnings: list[str]) -> Header:
    """One of a flow's headers."""
    name, chosen = reader.choice("ethernet", tuple(HEADERS))
    reader.finish()
    body = chosen if chosen is not None else Reader({}, f"{reader.path}.{name}")
    if name == "custom":
        return custom_read(body)
    if name in ("icmp", "icmpv6"):
        _, echo = body.choice("echo", ("echo",))
        body.finish()
        body = echo if echo is not None else Reader({}, f"{body.path}.echo")
    values = []
    for field in HEADERS[name]:
        if field.name == FIXED:
            values.append(constant(0))
        elif field.name.endswith("checksum"):
            values.append(checksum_read(body.get(field.name)))
        elif name == "ipv4" and field.name == "priority":
            values.append(priority_read(body.get(field.name)))
        else:
            values.append(pattern(body.get(field.name), field.kind, field.bits, field.default))
    for (header, member), warning in IDLE.items():
        found = body.get(member) if header == name else None
        if found is not None and warning:
            warnings.append(f"{found.path}: {warning}")
    made = Header(name, tuple(values), body.path)
    for flag in ABSENT.get(name, ()):
        if made.of(flag).count > 1 or made.of(flag).first:
            raise body.refuse(f"{flag}: not supported: expected 0")
    body.finish()
    return made


def headers_read(reader: Reader, warnings: list[str]) -> list[Header]:
    """All headers of a flow, outermost first."""
    headers = [header_read(one, warnings) for one in reader.items()]
    if headers[0].name not in FIRST:
        raise Reader(None, f"{reader.path}[0].choice").refuse(f"{headers[0].name}: not supported as the first header: expected {' or '.join(FIRST)}")
    n = head_bytes(headers)
    if not 14 <= n <= HEADER_BYTES_MAX:
        raise reader.refuse(f"headers of {n} bytes: expected 14..{HEADER_BYTES_MAX}")
    for before, header in zip([None, *headers], headers):
        if header.name in PSEUDO and (before is None or before.name not in ("ipv4", "ipv6", "custom")):
            raise Reader(None, header.path).refuse("not supported here: expected ipv4 or ipv6 in front of it")
    return headers


def head_bytes(headers: Sequence[Header]) -> int:
    return sum(header.bytes for header in headers)


def ones_sum(data: bytes) -> int:
    """The 16-bit sum in ones' complement."""
    if len(data) % 2:
        data += b"\0"
    total = sum(int.from_bytes(data[i:i + 2], "big") for i in range(0, len(data), 2))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total


def automatic(headers: Sequence[Header], at: int, field: Field, size: int) -> int:
    """A field that is computed. size: of the packet from this header on, without CRC."""
    header = headers[at]
    after = headers[at + 1].name if at + 1 < len(headers) else ""
    if field.name in ("ether_type", "tpid") or (header.name, field.name) == ("gre", "protocol"):
        return TYPES.get(after, 0xffff if field.name != "protocol" else 0x0800)
    if field.name == "protocol":
        return PROTOCOLS.get(after, 61)
    if field.name == "next_header":
        return PROTOCOLS.get(after, 59)
    if field.name == "bottom_of_stack":
        return int(after != "mpls")
    if field.name in ("payload_length", "message_length"):
        return size - header.bytes
    return size


def place_of(name: str, wanted: str) -> int:
    """Where a field begins in its header, in bytes."""
    bits = 0
    for field in HEADERS[name]:
        if field.name == wanted:
            break
        bits += field.bits
    return bits // 8


def pseudo_sum(headers: Sequence[Header], offsets: Sequence[int], at: int, frame: bytes, length: int) -> int:
    """The sum of the pseudo header: addresses, protocol and length. 0: there is no IP header in front, or ICMP has none."""
    header = headers[at]
    ip = headers[at - 1] if at else None
    if ip is None or ip.name not in ("ipv4", "ipv6") or header.name not in PSEUDO:
        return 0
    end = offsets[at]
    return ones_sum(frame[end - (8 if ip.name == "ipv4" else 32):end]) + PROTOCOLS[header.name] + length


def packet_head(headers: Sequence[Header], packet: int, size: int, inner_crc: bool = False) -> bytes:
    """
    The bytes of the headers of packet number `packet`, of a packet of `size` bytes without CRC. inner_crc: frames in a tunnel end with a CRC,
    which the lengths in their headers do not count.
    """
    frame = bytearray()
    offsets = []
    todo: list[tuple[int, Field, int]] = []  # checksums: header, field, what is asked for
    for at, header in enumerate(headers):
        if inner_crc and header.name == "ethernet" and at > 0:
            size -= CRC_BYTES
        offsets.append(len(frame))
        left = size - len(frame)
        number = bits = 0
        for field, values in zip(HEADERS[header.name], header.values):
            value = values.at(packet) if not values.auto else automatic(headers, at, field, left)
            if field.name == "tpid" and value == 0xffff:
                value = automatic(headers, at, field, left)
            if field.name.endswith("checksum") and value in (GOOD, BAD):
                todo.append((at, field, value))
                value = 0
            number = number << field.bits | value & (1 << field.bits) - 1
            bits += field.bits
        frame += header.raw or number.to_bytes(bits // 8, "big")
    # Inner ones first: those of the outer headers are over them.
    for at, field, asked in reversed(todo):
        begin = offsets[at]
        if field.name == "header_checksum":
            value = ~ones_sum(bytes(frame[begin:begin + headers[at].bytes])) & 0xffff
        else:
            total = ones_sum(bytes(frame[begin:])) + pseudo_sum(headers, offsets, at, bytes(frame), size - begin)
            value = ~ones_sum(total.to_bytes(4, "big")) & 0xffff
            if headers[at].name == "udp" and value == 0:
                value = 0xffff
        if asked == BAD:
            value = value ^ 0x5555 or 0x1111
        place = begin + place_of(headers[at].name, field.name)
        frame[place:place + 2] = value.to_bytes(2, "big")
    return bytes(frame)
