# SPDX-License-Identifier: BSD-3-Clause
"""Reads the JSON of Open Traffic Generator: members by their path, and the values that a header's field takes from packet to packet."""
from __future__ import annotations

import dataclasses
import ipaddress
import random
import re
from collections.abc import Sequence
from typing import Any, Optional

Json = dict[str, Any]
VALUES_MAX = 1024  # of a list
FLOWS_MAX = 1 << 20  # packets after which all values repeat
SPAN_MAX = (1 << 64) - 1  # values that random ones are drawn from
MAC = re.compile(r"[0-9a-fA-F]{1,2}(:[0-9a-fA-F]{1,2}){5}$")


class Refused(Exception):
    """A request that cannot be met: what is wrong, each with its path. kind: "validation" or "internal", as OTG has them."""

    def __init__(self, errors: Sequence[str], code: int = 400) -> None:
        super().__init__("; ".join(errors))
        self.errors = list(errors)
        self.code = code


def wrong(path: str, what: str) -> Refused:
    return Refused([f"{path}: {what}"])


def short(value: Any) -> str:
    """A value as an error shows it."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


class Reader:
    """
    A value of a request with its path. Members that are never asked for are refused by finish(), so that nothing of a request is left out in
    silence. An absent member, null and an empty list are the same.
    """

    def __init__(self, value: Any, path: str) -> None:
        self.value = value
        self.path = path
        self.seen: dict[str, bool] = {}  # members that were asked for; true: an error offers them

    def refuse(self, what: str) -> Refused:
        return wrong(self.path or "request", what)

    def members(self) -> Json:
        if not isinstance(self.value, dict):
            raise self.refuse(f"expected an object, not {short(self.value)}")
        return self.value

    def get(self, name: str) -> Optional[Reader]:
        self.seen[name] = True
        value = self.members().get(name)
        if value is None or value == []:
            return None
        return Reader(value, f"{self.path}.{name}" if self.path else name)

    def need(self, name: str, expected: str) -> Reader:
        found = self.get(name)
        if found is None:
            raise wrong(f"{self.path}.{name}" if self.path else name, f"missing: expected {expected}")
        return found

    def only(self, name: str, meant: Any, why: str) -> None:
        """Accept a member only with the value that it has anyway."""
        found = self.get(name)
        self.seen[name] = False
        if found is not None and found.value != meant:
            raise found.refuse(f"not supported: expected {meant!r}{why}" if meant is not None else f"not supported: {why}")

    def finish(self) -> None:
        for name, value in self.members().items():
            if name not in self.seen and value not in (None, [], {}):
                offered = ", ".join(one for one, offers in self.seen.items() if offers)
                raise wrong(f"{self.path}.{name}" if self.path else name, f"not supported: expected {offered or 'no member'}")

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self.refuse(f"expected a string, not {short(self.value)}")
        return self.value

    def boolean(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.refuse(f"expected true or false, not {short(self.value)}")
        return self.value

    def integer(self, low: int, high: int) -> int:
        """A number; 64 bits come as a string from some clients."""
        value = self.value
        if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,20}", value):
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.refuse(f"expected a number {low}..{high}, not {short(self.value)}")
        return value

    def number(self, low: float, high: float) -> float:
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)) or not low <= self.value <= high:
            raise self.refuse(f"expected a number {low:g}..{high:g}, not {short(self.value)}")
        return float(self.value)

    def items(self) -> list[Reader]:
        if not isinstance(self.value, list):
            raise self.refuse(f"expected a list, not {short(self.value)}")
        return [Reader(one, f"{self.path}[{number}]") for number, one in enumerate(self.value)]

    def names(self, name: str) -> list[str]:
        """A list of strings."""
        found = self.get(name)
        return [one.text() for one in found.items()] if found is not None else []

    def choice(self, default: str, names: Sequence[str]) -> tuple[str, Optional[Reader]]:
        """Which of its members is meant, and that one."""
        chosen = self.get("choice")
        name = chosen.text() if chosen is not None else next((one for one in names if one in self.members()), default)
        if name not in names:
            raise (chosen or self).refuse(f"{name}: not supported: expected {' or '.join(names)}")
        return name, self.get(name)


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of value: how many bits it has, and how it is written."""
    name: str
    bits: int

    def parse(self, reader: Reader, bits: int) -> int:
        if self.name == "number":
            return reader.integer(0, (1 << bits) - 1)
        text = reader.text().strip()
        try:
            if self.name == "mac" and MAC.match(text):
                return int("".join(part.zfill(2) for part in text.split(":")), 16)
            if self.name == "ipv4":
                return int(ipaddress.IPv4Address(text))
            if self.name == "ipv6":
                # OTG writes its default as "::0", which the library takes.
                return int(ipaddress.IPv6Address(text))
        except ValueError:
            pass
        raise reader.refuse(f"{short(text)}: expected {dict(mac='a MAC address', ipv4='an IPv4 address', ipv6='an IPv6 address')[self.name]}")


NUMBER = Kind("number", 0)
MAC_ADDRESS = Kind("mac", 48)
IPV4_ADDRESS = Kind("ipv4", 32)
IPV6_ADDRESS = Kind("ipv6", 128)


@dataclasses.dataclass(frozen=True)
class Values:
    """
    What a field has in one packet after another, and again after `count` packets. first: in packet 0. words: all values, as the generate
    stream's word vary takes them. A field that is computed has no values: auto.
    """
    first: int = 0
    count: int = 1
    words: str = ""
    auto: bool = False
    path: str = ""


AUTO = Values(auto=True)


def constant(value: int, path: str = "") -> Values:
    return Values(value, path=path)


def typed(value: int) -> str:
    """A value as a word has it: a number of up to 64 bits, or an IPv6 address."""
    return str(value) if value < 1 << 64 else str(ipaddress.IPv6Address(value))


def counted(reader: Reader, kind: Kind, bits: int, sign: str) -> Values:
    """Of start, step and count; it goes on at 0 behind the largest value."""
    start, step, count = (reader.get(name) for name in ("start", "step", "count"))
    first = kind.parse(start, bits) if start is not None else 0
    distance = kind.parse(step, bits) if step is not None else 1
    n = count.integer(1, FLOWS_MAX) if count is not None else 1
    reader.finish()
    return Values(first, n, f"{typed(first)}{sign}{typed(distance)}*{n}", path=reader.path)


def drawn(reader: Reader, kind: Kind, bits: int) -> Values:
    """Random values: as many as its count, by its seed, and the same ones again. Seed 0: others each time."""
    low, high, seed, count = (reader.get(name) for name in ("min", "max", "seed", "count"))
    least = kind.parse(low, bits) if low is not None else 0
    most = kind.parse(high, bits) if high is not None else (1 << bits) - 1
    if most < least:
        raise (high or reader).refuse("expected at least min")
    if most - least >= SPAN_MAX:
        raise (high or reader).refuse("expected at most 2^64 - 1 values from min on")
    n = count.integer(1, FLOWS_MAX) if count is not None else 1
    by = seed.integer(0, (1 << 32) - 1) if seed is not None else 1
    reader.finish()
    return Values(least, n, f"{typed(least)}-{typed(most)} random {n} by {by or random.randrange(1, 1 << 32)}", path=reader.path)


def pattern(reader: Optional[Reader], kind: Kind, bits: int, default: Optional[int]) -> Values:
    """The values of a field. default: without any; None: the generator computes it."""
    otherwise = AUTO if default is None else constant(default)
    if reader is None:
        return otherwise
    name, chosen = reader.choice("value" if default is not None else "auto", ("value", "values", "increment", "decrement", "random", "auto"))
    reader.only("metric_tags", None, "no metrics by value of a field")
    for other in ("value", "values", "increment", "decrement", "random", "auto"):
        reader.seen[other] = True  # OTG has members beside the chosen one, which it leaves out
    reader.finish()
    if name == "auto" or chosen is None:
        return otherwise
    if name == "value":
        return constant(kind.parse(chosen, bits), chosen.path)
    if name == "values":
        values = [kind.parse(one, bits) for one in chosen.items()]
        if len(values) > VALUES_MAX:
            raise chosen.refuse(f"{len(values)} values: expected at most {VALUES_MAX}")
        return Values(values[0], len(values), ",".join(map(typed, values)), path=chosen.path)
    if name == "random":
        return drawn(chosen, kind, bits)
    return counted(chosen, kind, bits, "+" if name == "increment" else "-")
