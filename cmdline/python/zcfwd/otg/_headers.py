# SPDX-License-Identifier: BSD-3-Clause
"""
Headers of packets: which fields each of them has, as rows of a table, and the words of a generate stream that sends them: the bytes of
the first packet, and where in them values change, and lengths and checksums are (engines/measure/traffic/traffic_raw.h).
"""
from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import Optional

from ._values import IPV4_ADDRESS, IPV6_ADDRESS, MAC_ADDRESS, NUMBER, Kind, Reader, Values, constant, pattern

HEADER_BYTES_MAX = 256  # of all headers of a packet
GOOD, BAD = -1, -2  # checksums that are computed
LENGTHS = {"total_length": False, "payload_length": True, "length": False, "message_length": True}  # True: without the header itself
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
FIXED = ""  # the name of a field that is not set
ECHO = (Field("code", 8), checksum(), Field("identifier", 16), Field("sequence_number", 16))

# The rows: all fields of a header in their order. Those that OTG has below another member are in BELOW.
HEADERS: dict[str, tuple[Field, ...]] = {
    "ethernet": (Field("dst", 48, None, MAC_ADDRESS), Field("src", 48, 0, MAC_ADDRESS), Field("ether_type", 16, None)),
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
PSEUDO = ("udp", "tcp", "icmpv6")  # their checksum includes addresses
FIRST = ("ethernet", "pfcpause", "ethernetpause", "custom")


@dataclasses.dataclass(frozen=True)
class Header:
    """A header of a flow: its fields in their order, with their values. raw: of custom."""
    name: str
    fields: tuple[tuple[Field, Values], ...]
    path: str
    raw: bytes = b""

    @property
    def bytes(self) -> int:
        return len(self.raw) or sum(field.bits for field, _ in self.fields) // 8

    def of(self, name: str) -> Values:
        return next(values for field, values in self.fields if field.name == name)


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


def priority_read(reader: Optional[Reader]) -> list[tuple[Field, Values]]:
    """IPv4's DSCP and ECN, by any of OTG's names."""
    whole = [(Field("priority", 8), constant(0))]
    if reader is None:
        return whole
    name, chosen = reader.choice("dscp", ("dscp", "tos", "raw"))
    reader.seen.update(dscp=True, tos=True, raw=True)
    reader.finish()
    if name == "raw":
        return [(Field("priority", 8), pattern(chosen, NUMBER, 8, 0))]
    if chosen is None:
        return whole
    parts = [(Field(part, bits), pattern(chosen.get(part), NUMBER, bits, 0)) for part, bits in PRIORITIES[name]]
    chosen.finish()
    return parts


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
    fields: list[tuple[Field, Values]] = []
    for field in HEADERS[name]:
        if name == "ipv4" and field.name == "priority":
            fields += priority_read(body.get(field.name))
        elif field.name == FIXED:
            fields.append((field, constant(0)))
        elif field.name.endswith("checksum"):
            fields.append((field, checksum_read(body.get(field.name))))
        else:
            fields.append((field, pattern(body.get(field.name), field.kind, field.bits, field.default)))
    for (header, member), warning in IDLE.items():
        found = body.get(member) if header == name else None
        if found is not None and warning:
            warnings.append(f"{found.path}: {warning}")
    made = Header(name, tuple(fields), body.path)
    for flag in ABSENT.get(name, ()):
        if made.of(flag).count > 1 or made.of(flag).first:
            raise body.refuse(f"{flag}: not supported: expected 0")
    body.finish()
    return made


def resolved(header: Header, next_hop: Optional[int]) -> Header:
    """The outermost header, with the MAC address of the next hop where OTG leaves it to ARP."""
    if header.name != "ethernet" or not header.of("dst").auto:
        return header
    if next_hop is None:
        raise Reader(None, f"{header.path}.dst").refuse("auto: the gateway's MAC address is not known: expected a value, or gateway_mac of the device")
    return dataclasses.replace(header, fields=tuple((field, constant(next_hop) if field.name == "dst" else values) for field, values in header.fields))


def headers_read(reader: Reader, next_hop: Optional[int], warnings: list[str]) -> list[Header]:
    """All headers of a flow, outermost first."""
    headers = [header_read(one, warnings) for one in reader.items()]
    headers[0] = resolved(headers[0], next_hop)
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


def automatic(headers: Sequence[Header], at: int, field: Field) -> int:
    """A field that follows from the header behind it."""
    after = headers[at + 1].name if at + 1 < len(headers) else ""
    if field.name in ("ether_type", "tpid") or (headers[at].name, field.name) == ("gre", "protocol"):
        return TYPES.get(after, 0xffff if field.name != "protocol" else 0x0800)
    if field.name == "protocol":
        return PROTOCOLS.get(after, 61)
    if field.name == "next_header":
        return PROTOCOLS.get(after, 59)
    return int(field.name == "bottom_of_stack" and after != "mpls")


def sum_word(headers: Sequence[Header], at: int, begin: int, wrong: bool, cut: int) -> str:
    """The checksum of a header that begins at a byte. cut: bytes at the end of the packet that its length does not count."""
    before = headers[at - 1] if at else None
    word = f"{headers[at].name}@{begin}"
    if headers[at].name in PSEUDO and before is not None and before.name in ("ipv4", "ipv6"):
        word += f"/{begin - before.bytes}" + (f"-{cut}" if cut else "")
    return word + (":wrong" if wrong else "")


def head_words(headers: Sequence[Header], inner_crc: bool = False) -> str:
    """
    The words of a stream that sends these headers, without the number of flows. inner_crc: frames in a tunnel end with a CRC, which the
    lengths in their headers do not count.
    """
    head = b""
    vary: list[str] = []
    lengths: list[str] = []
    sums: list[str] = []
    cut = 0
    for at, header in enumerate(headers):
        if inner_crc and header.name == "ethernet" and at > 0:
            cut += CRC_BYTES
        number = bits = 0
        for field, values in header.fields:
            byte, bit = divmod(8 * len(head) + bits, 8)
            value = values.first
            if field.name.endswith("checksum") and value in (GOOD, BAD):
                sums.append(sum_word(headers, at, len(head), value == BAD, cut))
                value = 0
            elif values.auto and field.name in LENGTHS:
                lengths.append(f"{byte}:{len(head) + (header.bytes if LENGTHS[field.name] else 0) + cut}")
            elif values.auto or (field.name == "tpid" and value == 0xffff):
                value = automatic(headers, at, field)
            if values.count > 1:
                vary.append(f"{byte}{f'.{bit}' if bit else ''}:{field.bits} {values.words}")
            number = number << field.bits | value & (1 << field.bits) - 1
            bits += field.bits
        head += header.raw or number.to_bytes(bits // 8, "big")
    words = f"raw {head.hex()}"
    for word, parts, between in (("vary", vary, " "), ("lengths", lengths, ","), ("sums", sums, ",")):
        if parts:
            words += f" {word} {between.join(parts)}"
    return words
